//! Writing an LTS in parts row by row at one worker.

use hyades_formats::{LabelId, Rows, StateId};

use crate::Error;
use crate::part::Told;
use crate::quotient::{Parts, WHO};
use crate::worker::Worker;

/// So many transitions are told at a time.
const TOGETHER: usize = 1 << 16;

/// Tells worker 0 all rows, some at a time, in their order. The others send them, one after
/// another, as by [`GlobalRows::tell_to`](crate::part::GlobalRows).
///
/// # Errors
/// If another worker is lost, there are more states than a file tells, and those of who is
/// told.
pub fn each_row(
    worker: &mut dyn Worker,
    parts: &Parts,
    mut tell: impl FnMut(Rows<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    if parts.ranges.states() > StateId::MAX_COUNT {
        return Err(Error::Room {
            what: "states of one file (a partitioned LTS may have more)",
            limit: StateId::MAX_COUNT,
        });
    }
    let mut some = Pending::default();
    let limits = (parts.table.len(), parts.ranges.states());
    parts.rows.tell_to(WHO, worker, limits, |told| {
        match told {
            Told::Row(length) => {
                // All rows before it are complete.
                if some.labels.len() + some.ends.len() >= TOGETHER {
                    some.tell(&mut tell)?;
                }
                some.ends.push((some.labels.len() + length as usize) as u32);
            }
            Told::Step(label, target) => {
                some.labels.push(label);
                some.targets.push(target);
            }
        }
        Ok(())
    })?;
    some.tell(&mut tell)
}

/// Rows that are going to be told.
#[derive(Default)]
struct Pending {
    first: u32,
    ends: Vec<u32>,
    labels: Vec<LabelId>,
    targets: Vec<StateId>,
}

impl Pending {
    fn tell(&mut self, tell: &mut impl FnMut(Rows<'_>) -> Result<(), Error>) -> Result<(), Error> {
        if self.ends.is_empty() {
            return Ok(());
        }
        tell(Rows {
            first: StateId::new(self.first),
            ends: (&self.ends).into(),
            labels: &self.labels,
            targets: &self.targets,
        })?;
        self.first += self.ends.len() as u32;
        self.ends.clear();
        self.labels.clear();
        self.targets.clear();
        Ok(())
    }
}
