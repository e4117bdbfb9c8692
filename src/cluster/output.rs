//! Writing an LTS in parts row by row at one worker.

use hyades_formats::{LabelId, Rows, StateId};

use crate::quotient::{Parts, WHO};
use crate::worker::{Worker, exchange};
use crate::{Error, wire};

/// So many transitions are told at a time.
const TOGETHER: usize = 1 << 16;

/// Tells worker 0 all rows, some at a time, in their order. The others send them, one after
/// another, 8 bytes a transition and 4 a state.
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
    let (me, peers) = (worker.index(), worker.peers());
    let mut some = Pending::default();
    for turn in 0..peers {
        let mut left = 0;
        exchange(
            worker,
            |outbox| {
                let states = if me == turn { parts.rows.states() } else { 0 };
                for state in 0..states {
                    let (labels, targets) = parts.rows.row(state);
                    outbox.record(WHO, |packet| wire::put_u32(packet, labels.len() as u32))?;
                    for (&label, &target) in labels.iter().zip(targets) {
                        outbox.record(WHO, |packet| {
                            wire::put_u32(packet, label);
                            wire::put_u32(packet, target as u32);
                        })?;
                    }
                }
                Ok(())
            },
            |_, records| {
                while !records.is_empty() {
                    if left == 0 {
                        left = records.u32()?;
                    } else {
                        left -= 1;
                        some.labels.push(LabelId::new(records.u32()?));
                        some.targets.push(StateId::new(records.u32()?));
                    }
                    if left == 0 {
                        some.ends.push(some.labels.len() as u32);
                        if some.labels.len() + some.ends.len() >= TOGETHER {
                            some.tell(&mut tell)?;
                        }
                    }
                }
                Ok(())
            },
        )?;
    }
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
