//! Writing an LTS in parts row by row at one worker, and the members of classes.

use std::ops::Range;

use hyades_formats::{LabelId, Rows, StateId};
use rayon::slice::ParallelSliceMut;

use crate::classes::NO_CLASS;
use crate::column::Column;
use crate::part::Told;
use crate::quotient::{Parts, WHO};
use crate::worker::{Worker, exchange, sum};
use crate::{Error, wire};

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

/// At most how much of classes is told at a time.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// So many classes.
    pub classes: u64,
    /// So many members, if they are not those of one class.
    pub members: u64,
}

impl Default for Window {
    /// About 16 MiB at worker 0.
    fn default() -> Self {
        Self {
            classes: 1 << 18,
            members: 1 << 20,
        }
    }
}

/// Tells worker 0 the members of each of so many classes: these ascend, and so do the members of
/// each, which may come in several pieces. Each worker has the classes of the states from `first`
/// on, and those before have the states before.
///
/// 4 bytes a state, and a window at worker 0. 5 bytes are sent for a member, and 8 for each
/// class that a worker has members of. Two supersteps a window, and one more for each worker if
/// one class alone is larger.
///
/// # Errors
/// If another worker is lost, and those of who is told.
pub fn each_class(
    worker: &mut dyn Worker,
    first: u64,
    class: &Column,
    classes: u64,
    window: Window,
    mut tell: impl FnMut(u64, &[u64]) -> Result<(), Error>,
) -> Result<(), Error> {
    let (me, peers) = (worker.index(), worker.peers());
    let of = |state: &u32| class.get(*state as usize);
    let mut order: Vec<u32> = (0..class.len() as u32)
        .filter(|state| of(state) != NO_CLASS)
        .collect();
    order.par_sort_unstable_by_key(|state| (of(state), *state));
    let members = |classes: &Range<u64>| {
        let place = |class: u64| order.partition_point(|state| of(state) < class);
        &order[place(classes.start)..place(classes.end)]
    };
    let starts = (0..classes).step_by(window.classes.max(1) as usize);
    for start in starts {
        let first_some = start..classes.min(start + window.classes.max(1));
        let mut left = vec![first_some];
        while let Some(some) = left.pop() {
            let own = members(&some);
            let all = sum(worker, own.len() as u64)?;
            if all <= window.members {
                let mut from: Vec<Members> = (0..peers).map(|_| Members::default()).collect();
                send_members(worker, first, own, of, |from_whom, class, state| {
                    from[from_whom].push(class, state);
                    Ok(())
                })?;
                for class in some.filter(|_| me == WHO) {
                    for from in &mut from {
                        tell_some(class, from.next(class), &mut tell)?;
                    }
                }
                continue;
            }
            let middle = some.start + (some.end - some.start) / 2;
            if middle > some.start {
                left.extend([middle..some.end, some.start..middle]);
                continue;
            }
            for turn in 0..peers {
                let own = if turn == me { own } else { &[] };
                let mut some = Vec::new();
                send_members(worker, first, own, of, |_, class, state| {
                    some.push(state);
                    if some.len() == TOGETHER {
                        tell(class, &some)?;
                        some.clear();
                    }
                    Ok(())
                })?;
                tell_some(middle, &some, &mut tell)?;
            }
        }
    }
    Ok(())
}

/// Sends worker 0 own states, those of one class after another.
fn send_members(
    worker: &mut dyn Worker,
    first: u64,
    states: &[u32],
    of: impl Fn(&u32) -> u64,
    mut take: impl FnMut(usize, u64, u64) -> Result<(), Error>,
) -> Result<(), Error> {
    // Which class each worker is sending, and how many members are still to come.
    let mut now = vec![(0, 0); worker.peers()];
    exchange(
        worker,
        |outbox| {
            for run in states.chunk_by(|state, other| of(state) == of(other)) {
                outbox.record(WHO, |packet| {
                    wire::put_state(packet, of(&run[0]));
                    wire::put_u32(packet, run.len() as u32);
                })?;
                for &state in run {
                    let state = first + u64::from(state);
                    outbox.record(WHO, |packet| wire::put_state(packet, state))?;
                }
            }
            Ok(())
        },
        |from, records| {
            while !records.is_empty() {
                let (class, left) = &mut now[from];
                if *left == 0 {
                    (*class, *left) = (records.state()?, records.u32()?);
                    continue;
                }
                *left -= 1;
                take(from, *class, records.state()?)?;
            }
            Ok(())
        },
    )
}

/// What there is to tell of a class.
fn tell_some(
    class: u64,
    members: &[u64],
    tell: &mut impl FnMut(u64, &[u64]) -> Result<(), Error>,
) -> Result<(), Error> {
    match members {
        [] => Ok(()),
        some => tell(class, some),
    }
}

/// Members of classes that one worker has sent.
#[derive(Default)]
struct Members {
    /// Each class, and where its members end.
    ends: Vec<(u64, usize)>,
    states: Vec<u64>,
    /// How many of the classes have been told, and where the members of the next one begin.
    told: (usize, usize),
}

impl Members {
    fn push(&mut self, class: u64, state: u64) {
        self.states.push(state);
        let end = self.states.len();
        match self.ends.last_mut() {
            Some((last, its_end)) if *last == class => *its_end = end,
            _ => self.ends.push((class, end)),
        }
    }

    /// The members of a class, if it is the next one.
    fn next(&mut self, class: u64) -> &[u64] {
        let (next, start) = self.told;
        match self.ends.get(next) {
            Some(&(other, end)) if other == class => {
                self.told = (next + 1, end);
                &self.states[start..end]
            }
            _ => &[],
        }
    }
}
