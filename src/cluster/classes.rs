//! Classes of states, numbered by their first members.

use hyades_base::parallel;

use crate::column::Column;
use crate::meter::{Kind, Meter};
use crate::part::{GlobalRows, Part};
use crate::ranges::Ranges;
use crate::verify::Names;
use crate::worker::{Worker, ask, gather, sum};
use crate::{Error, ghosts, wire};

/// The class of a state that has none, as it cannot be reached.
pub const NO_CLASS: u64 = (1 << 40) - 1;

/// The classes of the states of a part.
pub(crate) struct Classes {
    /// The class of each own state and ghost, numbered in the order of their first members
    /// in the whole system; [`NO_CLASS`] for states that cannot be reached.
    pub class: Column,
    /// Own states that are the first members of their classes, ascending.
    pub first: Vec<u32>,
    /// Who has the first members of which classes.
    pub ranges: Ranges,
}

/// Classes of classes: those of own states become what their classes are, of which each worker
/// has those of its range; [`NO_CLASS`] stays. Two supersteps, 5 bytes for a question and for an
/// answer.
///
/// # Errors
/// If another worker is lost.
pub fn composed(
    worker: &mut dyn Worker,
    class: Column,
    ranges: Ranges,
    next: &Column,
) -> Result<Column, Error> {
    let states = class.len();
    let first = Vec::new();
    let classes = Classes {
        class,
        first,
        ranges,
    };
    classes.values(worker, states, next)
}

impl Classes {
    /// From the first members of blocks; `class` is the block of each own state and ghost,
    /// and becomes its class. Of states that are reached and not in `names`, each has a
    /// class of its own.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn new(
        worker: &mut Meter<'_>,
        part: &Part,
        mut class: Column,
        is_reached: impl Fn(u32) -> bool,
        names: &Names,
    ) -> Result<Self, Error> {
        let peers = worker.peers();
        let own = part.ranges.of(part.index);
        let Names {
            states,
            group_of,
            names,
        } = names;
        let mut shared = states.iter().zip(group_of).peekable();
        let mut first = Vec::new();
        for state in 0..part.states() as u32 {
            let name = match shared.next_if(|&(&other, _)| other == state) {
                Some((_, &group)) => names[group as usize],
                None if is_reached(state) => own.start + u64::from(state),
                None => continue,
            };
            if name == own.start + u64::from(state) {
                first.push(state);
            }
        }
        let mut starts = vec![0];
        let worker = worker.of(Kind::Check);
        for count in gather(worker, &(first.len() as u64).to_le_bytes())? {
            starts.push(starts[starts.len() - 1] + wire::Cursor::new(&count).u64()?);
        }
        let ranges = Ranges::new(starts);
        if ranges.states() >= NO_CLASS {
            return Err(Error::Room {
                what: "classes",
                limit: NO_CLASS,
            });
        }
        let mut next = ranges.of(part.index).start;
        let mut firsts = first.iter().peekable();
        let mut shared = states.iter().peekable();
        for state in 0..part.states() as u32 {
            if firsts.next_if(|&&other| other == state).is_some() {
                class.set(state as usize, next);
                next += 1;
            } else if shared.peek().is_none_or(|&&other| other != state) {
                class.set(state as usize, NO_CLASS);
            }
            shared.next_if(|&&other| other == state);
        }

        // Classes whose first members others have.
        let mut asked: Vec<Vec<u64>> = vec![Vec::new(); peers];
        for name in names.iter().filter(|name| !own.contains(name)) {
            asked[part.ranges.owner(*name)].push(*name);
        }
        let class_of = |name: u64| class.get((name - own.start) as usize);
        let answers = ask(worker, &asked, |name| match own.contains(&name) {
            true => Ok(class_of(name)),
            false => Err(Error::Packet),
        })?;
        drop(asked);
        let mut answers: Vec<_> = answers.into_iter().map(Vec::into_iter).collect();
        let class_of: Vec<u64> = names
            .iter()
            .map(|&name| match own.contains(&name) {
                true => class_of(name),
                false => {
                    let answer = answers[part.ranges.owner(name)].next();
                    answer.expect("there are as many as have been asked for")
                }
            })
            .collect();
        for (&state, &group) in states.iter().zip(group_of) {
            class.set(state as usize, class_of[group as usize]);
        }
        ghosts::refresh(worker.of(Kind::Ghosts), part, &mut class, None, [], |_| ())?;
        Ok(Self {
            class,
            first,
            ranges,
        })
    }

    /// The class of a state of the whole system, told to all workers.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn of(&self, worker: &mut dyn Worker, part: &Part, state: u64) -> Result<u64, Error> {
        let own = part.ranges.of(part.index);
        let told = match own.contains(&state) {
            true => self.class.get((state - own.start) as usize),
            false => 0,
        };
        sum(worker, told)
    }

    /// Replaces the classes of the own states by values that those have who have the first
    /// members: `values` those of this worker. 10 bytes are sent for each class that a worker
    /// has states of, but not the first.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn values(
        mut self,
        worker: &mut dyn Worker,
        states: usize,
        values: &Column,
    ) -> Result<Column, Error> {
        let peers = worker.peers();
        let own = self.ranges.of(worker.index());
        let mut asked: Vec<Vec<u64>> = vec![Vec::new(); peers];
        for class in (0..states).map(|state| self.class.get(state)) {
            if class != NO_CLASS && !own.contains(&class) {
                asked[self.ranges.owner(class)].push(class);
            }
        }
        for asked in &mut asked {
            asked.sort_unstable();
            asked.dedup();
        }
        let told = ask(worker, &asked, |class| match own.contains(&class) {
            true => Ok(values.get((class - own.start) as usize)),
            false => Err(Error::Packet),
        })?;
        self.class.truncate(states);
        for state in 0..states {
            let class = self.class.get(state);
            let value = match () {
                () if class == NO_CLASS => continue,
                () if own.contains(&class) => values.get((class - own.start) as usize),
                () => {
                    let owner = self.ranges.owner(class);
                    told[owner][asked[owner].partition_point(|&other| other < class)]
                }
            };
            self.class.set(state, value);
        }
        Ok(self.class)
    }

    /// The rows of the classes of this worker: those of their first members. `select` makes
    /// a transition of the class of one, which is told its label, the class of its target,
    /// and that of its source. Each transition is there once, in the order of labels and
    /// targets. 12 bytes a transition, and twice as much for a while.
    pub fn rows(
        &self,
        part: &Part,
        select: impl Fn(u32, u64, u64) -> Option<(u32, u64)> + Sync,
    ) -> GlobalRows {
        const EACH: usize = 1 << 12;
        let class = &self.class;
        let rows_of = |states: &[u32]| {
            let mut rows = GlobalRows::default();
            let mut row: Vec<(u32, u64)> = Vec::new();
            for &state in states {
                let own = class.get(state as usize);
                let (labels, targets) = part.row(state as usize);
                row.clear();
                let steps = labels.iter().zip(targets);
                row.extend(steps.filter_map(|(&label, &target)| {
                    select(label, class.get(target as usize), own)
                }));
                row.sort_unstable();
                row.dedup();
                rows.push(row.iter().copied());
            }
            rows
        };
        let degrees = self
            .first
            .iter()
            .map(|&state| part.row(state as usize).0.len());
        let mut all = GlobalRows::with_capacity(self.first.len(), degrees.sum());
        let together = EACH * 4 * parallel::threads();
        for some in self.first.chunks(together) {
            let parts = parallel::map_chunks(some, EACH, rows_of);
            parts.iter().for_each(|part| all.append(part));
        }
        all.labels.shrink_to_fit();
        all.targets.shrink_to_fit();
        all
    }
}
