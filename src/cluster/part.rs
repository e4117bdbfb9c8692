//! The part of an LTS that one worker has: the rows of its states. Targets that are states of
//! others have numbers after its own: ghosts, of which it knows what their owners tell.

use hyades_base::parallel;
use hyades_formats::{LabelId, LabelTable, StateId};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::distinct::Distinct;
use crate::ranges::{Layout, Ranges};
use crate::worker::{Worker, exchange, gather, sums};
use crate::{Error, wire};

/// The part of a worker.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which worker has which states.
    pub ranges: Ranges,
    /// The number of this worker.
    pub index: usize,
    /// The initial state of the whole system.
    pub initial: u64,
    /// The labels, the same at all workers, mostly in the order in which the input has them
    /// first; the hidden one has number 0 and no bytes, and is there also if nothing is hidden.
    pub table: LabelTable,
    /// Where the row of each state begins, and the number of transitions.
    pub offsets: Vec<u64>,
    /// The label of each transition.
    pub labels: Vec<u32>,
    /// The target of each transition: if it is at least the number of own states, what is above
    /// that is a place in [`ghosts`](Self::ghosts).
    pub targets: Vec<u32>,
    /// The states of others that are targets here, ascending.
    pub ghosts: Vec<u64>,
    /// For each worker the own states, ascending, that are ghosts there.
    pub subscribed: Vec<Vec<u32>>,
}

/// Where ghosts are: those of each interval of states lie together.
struct Lookup<'a> {
    ghosts: &'a [u64],
    /// Intervals have two to this power states.
    bits: u32,
    starts: Vec<u32>,
}

impl<'a> Lookup<'a> {
    /// A few ghosts for each interval, as these are spread.
    fn new(ghosts: &'a [u64], states: u64) -> Self {
        let each = 4 * states / (ghosts.len() as u64 + 1) + 1;
        let bits = each.next_power_of_two().trailing_zeros();
        let mut starts = Vec::with_capacity((states >> bits) as usize + 2);
        for (place, &ghost) in ghosts.iter().enumerate() {
            starts.resize(starts.len().max((ghost >> bits) as usize + 1), place as u32);
        }
        starts.resize((states >> bits) as usize + 2, ghosts.len() as u32);
        Self {
            ghosts,
            bits,
            starts,
        }
    }

    /// The place of a ghost that there is.
    #[inline]
    fn place(&self, ghost: u64) -> u32 {
        let interval = (ghost >> self.bits) as usize;
        let (start, end) = (self.starts[interval], self.starts[interval + 1]);
        let some = &self.ghosts[start as usize..end as usize];
        start + some.partition_point(|&other| other < ghost) as u32
    }
}

impl Part {
    /// From the rows of the states of `index`, whose targets are numbers of the whole system.
    ///
    /// # Errors
    /// If another worker is lost; [`Error::Room`] if states and ghosts of this worker are 2^32
    /// or more.
    ///
    /// # Panics
    /// If there are not as many rows as states in the range of this worker.
    pub fn new(
        worker: &mut dyn Worker,
        ranges: Ranges,
        initial: u64,
        table: LabelTable,
        rows: GlobalRows,
    ) -> Result<Self, Error> {
        let GlobalRows {
            offsets,
            labels,
            mut targets,
        } = rows;
        let index = worker.index();
        let own = ranges.of(index);
        assert_eq!(offsets.len() as u64, own.end - own.start + 1);
        let mut ghosts = Distinct::default();
        for target in targets.iter().filter(|target| !own.contains(target)) {
            ghosts.push(*target);
        }
        let mut ghosts = ghosts.into_sorted();
        ghosts.shrink_to_fit();
        let count = own.end - own.start;
        room_for_places(count, &ghosts)?;
        let lookup = Lookup::new(&ghosts, ranges.states());
        parallel::for_each_mut(&mut targets, 1 << 12, |_, target| {
            *target = match own.contains(target) {
                true => *target - own.start,
                // It was collected above.
                false => count + u64::from(lookup.place(*target)),
            };
        });
        // In the same memory, half of which is given back.
        let mut targets: Vec<u32> = targets.into_iter().map(|place| place as u32).collect();
        targets.shrink_to_fit();
        let rows = Rows {
            offsets,
            labels,
            targets,
        };
        Self::with_ghosts(worker, ranges, initial, table, rows, ghosts)
    }

    /// From the rows of the states of `index`, whose targets are places, and the ghosts.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn with_ghosts(
        worker: &mut dyn Worker,
        ranges: Ranges,
        initial: u64,
        table: LabelTable,
        rows: Rows,
        ghosts: Vec<u64>,
    ) -> Result<Self, Error> {
        let Rows {
            offsets,
            labels,
            targets,
        } = rows;
        let subscribed = subscribed(worker, &ranges, &ghosts)?;
        Ok(Self {
            ranges,
            index: worker.index(),
            initial,
            table,
            offsets,
            labels,
            targets,
            ghosts,
            subscribed,
        })
    }

    /// How many states this worker has.
    pub fn states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The labels and targets of the transitions of an own state.
    #[inline]
    pub fn row(&self, state: usize) -> (&[u32], &[u32]) {
        let row = self.offsets[state] as usize..self.offsets[state + 1] as usize;
        (&self.labels[row.clone()], &self.targets[row])
    }

    /// A hash of the whole LTS, the same for any number of workers: of its transitions, the
    /// texts of their labels, and these states, by the numbers of a layout. O(transitions).
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn hash_of_all(
        &self,
        worker: &mut dyn Worker,
        roots: &[u64],
        layout: &Layout,
    ) -> Result<u64, Error> {
        let number = |state: u64| {
            let owner = self.ranges.owner(state);
            layout.number(owner, state - self.ranges.of(owner).start)
        };
        let visible = self.table.visible().map(|(_, text)| wire::hash(text));
        let labels: Vec<u64> = std::iter::once(0).chain(visible).collect();
        let row = |state: u32| {
            let source = number(self.global(state));
            let (of, targets) = self.row(state as usize);
            let steps = of.iter().zip(targets);
            steps.fold(0u64, |sum, (&label, &target)| {
                let target = number(self.global(target));
                let step = (source, labels[label as usize], target);
                sum.wrapping_add(wire::hash(step))
            })
        };
        let own = (0..self.states() as u32)
            .into_par_iter()
            .map(row)
            .reduce(|| 0, u64::wrapping_add);
        // By halves, which do not overflow.
        let halves = [own & u64::from(u32::MAX), own >> 32];
        let [low, high] = sums(worker, halves)?;
        let all = low.wrapping_add(high << 32);
        let roots: Vec<u64> = roots.iter().map(|&root| number(root)).collect();
        Ok(wire::hash((roots, self.ranges.states(), all)))
    }

    /// The number in the whole system of an own state or a ghost.
    #[inline]
    pub fn global(&self, place: u32) -> u64 {
        match (place as usize).checked_sub(self.states()) {
            None => self.ranges.of(self.index).start + u64::from(place),
            Some(ghost) => self.ghosts[ghost],
        }
    }
}

/// Tells owners which of their states are ghosts here, ascending; for each worker the own states,
/// ascending, that are ghosts there. One superstep.
///
/// # Errors
/// If another worker is lost.
pub(crate) fn subscribed(
    worker: &mut dyn Worker,
    ranges: &Ranges,
    ghosts: &[u64],
) -> Result<Vec<Vec<u32>>, Error> {
    let own = ranges.of(worker.index());
    let mut subscribed = vec![Vec::new(); ranges.peers()];
    exchange(
        worker,
        |outbox| {
            ghosts.iter().try_for_each(|&ghost| {
                outbox.record(ranges.owner(ghost), |packet| {
                    wire::put_state(packet, ghost);
                })
            })
        },
        |from, records| {
            while !records.is_empty() {
                let state = records.state()?;
                match own.contains(&state) {
                    true => subscribed[from].push((state - own.start) as u32),
                    false => return Err(Error::Packet),
                }
            }
            Ok(())
        },
    )?;
    Ok(subscribed)
}

/// Refuses more states and ghosts of one worker than places tell.
pub(crate) fn room_for_places(states: u64, ghosts: &[u64]) -> Result<(), Error> {
    match states + ghosts.len() as u64 >= u64::from(u32::MAX) {
        true => Err(Error::Room {
            what: "states of one worker, and targets of their transitions",
            limit: u64::from(u32::MAX),
        }),
        false => Ok(()),
    }
}

/// Rows of consecutive states, with targets by their numbers in the whole system.
#[derive(Clone, Debug)]
pub struct GlobalRows {
    /// Where the row of each state begins, and the number of transitions.
    pub offsets: Vec<u64>,
    /// The label of each transition.
    pub labels: Vec<u32>,
    /// The target of each transition.
    pub targets: Vec<u64>,
}

impl Default for GlobalRows {
    fn default() -> Self {
        Self::with_capacity(0, 0)
    }
}

impl GlobalRows {
    /// No rows, with room for so many states and transitions.
    pub fn with_capacity(states: usize, transitions: usize) -> Self {
        let mut offsets = Vec::with_capacity(states + 1);
        offsets.push(0);
        Self {
            offsets,
            labels: Vec::with_capacity(transitions),
            targets: Vec::with_capacity(transitions),
        }
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The labels and targets of the transitions of a state.
    #[inline]
    pub fn row(&self, state: usize) -> (&[u32], &[u64]) {
        let row = self.offsets[state] as usize..self.offsets[state + 1] as usize;
        (&self.labels[row.clone()], &self.targets[row])
    }

    /// For each of so many labels whether it occurs, at any worker. A byte a label to each
    /// worker.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn used_labels(&self, worker: &mut dyn Worker, labels: usize) -> Result<Vec<bool>, Error> {
        let mut own = vec![0; labels];
        for &label in &self.labels {
            own[label as usize] = 1;
        }
        let mut used = vec![false; labels];
        for told in gather(worker, &own)? {
            if told.len() != labels {
                return Err(Error::Packet);
            }
            for (used, &told) in used.iter_mut().zip(&told) {
                *used |= told != 0;
            }
        }
        Ok(used)
    }

    /// Tells worker `who` the rows of all workers, in their order, of which the labels are
    /// below `labels` and the targets below `states`, which has room in 32 bits. The workers
    /// send them one after another, 8 bytes a transition and 4 a state.
    ///
    /// # Errors
    /// If another worker is lost, and those of who is told.
    pub(crate) fn tell_to(
        &self,
        who: usize,
        worker: &mut dyn Worker,
        (labels, states): (usize, u64),
        mut tell: impl FnMut(Told) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (me, peers) = (worker.index(), worker.peers());
        for turn in 0..peers {
            // How many transitions of the last row are still to come.
            let mut left = 0;
            exchange(
                worker,
                |outbox| {
                    let own = if me == turn { self.states() } else { 0 };
                    for state in 0..own {
                        let (labels, targets) = self.row(state);
                        outbox.record(who, |packet| wire::put_u32(packet, labels.len() as u32))?;
                        for (&label, &target) in labels.iter().zip(targets) {
                            outbox.record(who, |packet| {
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
                            tell(Told::Row(left))?;
                            continue;
                        }
                        left -= 1;
                        let (label, target) = (records.u32()?, records.u32()?);
                        if label as usize >= labels || u64::from(target) >= states {
                            return Err(Error::Packet);
                        }
                        tell(Told::Step(LabelId::new(label), StateId::new(target)))?;
                    }
                    Ok(())
                },
            )?;
        }
        Ok(())
    }

    /// Adds the row of the next state.
    pub fn push(&mut self, row: impl Iterator<Item = (u32, u64)>) {
        for (label, target) in row {
            self.labels.push(label);
            self.targets.push(target);
        }
        self.offsets.push(self.labels.len() as u64);
    }

    /// Adds the rows of the next states.
    pub fn append(&mut self, other: &Self) {
        let end = self.labels.len() as u64;
        self.labels.extend_from_slice(&other.labels);
        self.targets.extend_from_slice(&other.targets);
        let ends = other.offsets[1..].iter().map(|offset| end + offset);
        self.offsets.extend(ends);
    }
}

/// What is told of rows.
pub(crate) enum Told {
    /// The row of the next state, of so many transitions, which follow.
    Row(u32),
    /// The label and the target of one of them.
    Step(LabelId, StateId),
}

/// Rows of consecutive states, with targets by their places, as in a [`Part`].
#[derive(Clone, Debug)]
pub struct Rows {
    /// Where the row of each state begins, and the number of transitions.
    pub offsets: Vec<u64>,
    /// The label of each transition.
    pub labels: Vec<u32>,
    /// The place of the target of each transition.
    pub targets: Vec<u32>,
}
