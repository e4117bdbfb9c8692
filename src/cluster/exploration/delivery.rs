//! Rows on their way to who is going to have them: from the owners of their sources, who have
//! been chosen by hashes, to workers that have ranges of numbers.
//!
//! A worker has its rows in the order of their sources already. All of them hand over at a
//! time those of a window of each range, which the receiver puts together in memory. Only then
//! targets get their numbers: rows of consecutive states have many targets in common, and
//! each is asked for once a window, at the worker that knows it.

use std::ops::Range;

use hyades_explore::{Exploration, Sink};
use hyades_formats::{LabelId, LabelTable, StateId};
use rayon::slice::ParallelSliceMut;

use crate::Error;
use crate::part::GlobalRows;
use crate::ranges::Ranges;
use crate::read::Input;
use crate::wire::{put_state, put_varint};
use crate::worker::{Worker, exchange};

use super::log::{LogReader, LoggedRow, RowLog};
use super::routing::Routes;
use crate::column::Column;

/// The rows of the states that a worker owns, until they are handed over.
pub struct KeptRows {
    log: RowLog,
    /// The numbers of own states, by what they are called here.
    numbers: Column,
    /// The final numbers of labels, by those of this worker.
    labels: Vec<u32>,
    /// Which of the final ones occur.
    used: Vec<bool>,
    states: u64,
    transitions: u64,
    /// A window has two to its power transitions, about.
    window: u32,
}

hyades_base::opaque!(KeptRows);

/// Rows of consecutive states.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The first source.
    pub first: u64,
    /// Where each row ends in the columns.
    pub ends: Vec<usize>,
    /// The labels of the transitions, by their numbers in the labels of the
    /// [`Exploration`].
    pub labels: Vec<u32>,
    /// The targets of the transitions.
    pub targets: Vec<u64>,
}

impl Rows {
    /// The rows with their sources: (label, target) each.
    pub fn iter(&self) -> impl Iterator<Item = (u64, impl Iterator<Item = (u32, u64)> + Clone)> {
        let mut begin = 0;
        (self.first..).zip(&self.ends).map(move |(source, &end)| {
            let row = begin..end;
            begin = end;
            let labels = self.labels[row.clone()].iter().copied();
            (source, labels.zip(self.targets[row].iter().copied()))
        })
    }
}

/// A row that is not there.
const MISSING: (usize, usize) = (usize::MAX, 0);

impl KeptRows {
    pub(super) fn new(
        mut log: RowLog,
        numbers: Column,
        labels: Vec<u32>,
        used: Vec<bool>,
        found: &Exploration<'_>,
        window: u32,
    ) -> Result<Self, Error> {
        log.end_block()?;
        Ok(Self {
            log,
            numbers,
            labels,
            used,
            states: found.states,
            transitions: found.transitions,
            window,
        })
    }

    /// For each label of the [`Exploration`] whether it occurs, at any worker.
    pub fn used_labels(&self) -> &[bool] {
        &self.used
    }

    /// Hands over the rows of all states: `take` is given those of the range of this worker, in
    /// their order, some at a time. All workers call this, with the same ranges.
    ///
    /// Linear time, and for the targets of a window what sorting takes. Three supersteps a
    /// window; about 5 bytes a transition and 4 a row to another worker, and at most 9 for
    /// each different target of a window.
    ///
    /// # Errors
    /// If another worker is lost, a file cannot be read, and those of `take`.
    ///
    /// # Panics
    /// If the ranges are of another number of states or workers.
    pub fn deliver(
        &mut self,
        worker: &mut dyn Worker,
        ranges: &Ranges,
        mut take: impl FnMut(&Rows) -> Result<(), Error>,
    ) -> Result<(), Error> {
        assert_eq!(
            (ranges.states(), ranges.peers()),
            (self.states, worker.peers())
        );
        let window = self.states_of_window();
        let of = |k: usize| ranges.of(k);
        let most = (0..ranges.peers()).map(|k| of(k).end - of(k).start).max();
        let windows = most.unwrap_or(0).div_ceil(window);
        let mut readers: Vec<LogReader> = (0..ranges.peers())
            .map(|k| LogReader::new(&self.log, of(k)))
            .collect();
        let mut assembly = Assembly::default();
        for number in 0..windows {
            let part = |k: usize| {
                let Range { start, end } = of(k);
                let at = |number: u64| end.min(start.saturating_add(number.saturating_mul(window)));
                at(number)..at(number + 1)
            };
            self.hand_over(worker, part, &mut readers, &mut assembly)?;
            self.find_targets(worker, &mut assembly)?;
            let rows = assembly.rows()?;
            if !rows.ends.is_empty() {
                take(rows)?;
            }
        }
        Ok(())
    }

    /// Hands over the rows of all states to `sink` at the worker of this number, in their order;
    /// those of other workers are not used. `labels` are those of the [`Exploration`]. Returns
    /// whether the sink has taken all.
    ///
    /// # Errors
    /// As of [`deliver`](Self::deliver), and if there are 2^32 states or more, which have no
    /// numbers in a sink.
    pub fn deliver_to(
        &mut self,
        worker: &mut dyn Worker,
        to: usize,
        labels: &LabelTable,
        sink: &mut dyn Sink,
    ) -> Result<bool, Error> {
        if self.states > StateId::MAX_COUNT {
            return Err(Error::Room {
                what: "states of an LTS in one file",
                limit: StateId::MAX_COUNT,
            });
        }
        let starts = (0..=worker.peers()).map(|k| if k <= to { 0 } else { self.states });
        let ranges = Ranges::new(starts.collect());
        let mut takes = true;
        let (mut ends, mut of_rows, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        self.deliver(worker, &ranges, |rows| {
            if !takes {
                return Ok(());
            }
            let too_many = |_| Error::Room {
                what: "transitions of a state",
                limit: u32::MAX.into(),
            };
            ends.clear();
            for &end in &rows.ends {
                ends.push(u32::try_from(end).map_err(too_many)?);
            }
            of_rows.clear();
            of_rows.extend(rows.labels.iter().map(|&label| LabelId::new(label)));
            targets.clear();
            // There are no more states.
            targets.extend(
                rows.targets
                    .iter()
                    .map(|&target| StateId::new(target as u32)),
            );
            let rows = hyades_explore::Rows {
                first: StateId::new(rows.first as u32),
                ends: (&ends).into(),
                labels: &of_rows,
                targets: &targets,
            };
            takes = sink.take(&[rows], labels).is_continue();
            Ok(())
        })?;
        Ok(takes)
    }

    /// How many states have about as many transitions as a window.
    fn states_of_window(&self) -> u64 {
        let transitions = u128::from(self.transitions.max(1));
        let states = (u128::from(self.states) << self.window) / transitions;
        u64::try_from(states)
            .unwrap_or(u64::MAX)
            .clamp(1, 1 << self.window)
    }

    /// Sends the rows of a window, and receives those of this worker.
    fn hand_over(
        &mut self,
        worker: &mut dyn Worker,
        window: impl Fn(usize) -> Range<u64>,
        readers: &mut [LogReader],
        assembly: &mut Assembly,
    ) -> Result<(), Error> {
        let me = worker.index();
        assembly.begin(window(me));
        let Self { log, labels, .. } = self;
        let step = |row: &mut LoggedRow<'_>| {
            let (label, target) = row.next()?;
            match labels.get(label as usize) {
                Some(&label) => Ok((label, target)),
                None => Err(Error::Packet),
            }
        };
        // What stays here takes no packets.
        let Range { start, end } = window(me);
        readers[me].rows_below(log, end, |row| {
            assembly.place(row.source - start, row.degree)?;
            (0..row.degree).try_for_each(|_| {
                let (label, target) = step(row)?;
                assembly.labels.push(label);
                assembly.targets.push(target);
                Ok(())
            })
        })?;
        exchange(
            worker,
            |outbox| {
                for (to, reader) in readers.iter_mut().enumerate().filter(|(to, _)| *to != me) {
                    let Range { start, end } = window(to);
                    reader.rows_below(log, end, |row| {
                        let mut read = Ok(());
                        outbox.record(to, |packet| {
                            put_varint(packet, row.source - start);
                            put_varint(packet, row.degree as u64);
                            read = (0..row.degree).try_for_each(|_| {
                                let (label, target) = step(row)?;
                                put_varint(packet, label.into());
                                put_varint(packet, target);
                                Ok(())
                            });
                        })?;
                        read
                    })?;
                }
                Ok(())
            },
            |_, records| {
                while !records.is_empty() {
                    let place = records.varint()?;
                    let degree = records.varint()?;
                    assembly.place(place, degree as usize)?;
                    for _ in 0..degree {
                        let label = u32::try_from(records.varint()?);
                        assembly.labels.push(label.map_err(|_| Error::Packet)?);
                        assembly.targets.push(records.varint()?);
                    }
                }
                Ok(())
            },
        )
    }

    /// Replaces what targets are called by their numbers.
    fn find_targets(&self, worker: &mut dyn Worker, assembly: &mut Assembly) -> Result<(), Error> {
        let (me, peers) = (worker.index(), worker.peers());
        let own = |name: u64| -> Option<u64> {
            let (owner, number) = Routes::named(name, peers);
            (owner == me).then(|| self.numbers.get(number as usize))
        };
        let Assembly {
            targets, wanted, ..
        } = assembly;
        wanted.clear();
        for (place, target) in targets.iter_mut().enumerate() {
            match own(*target) {
                Some(number) => *target = number,
                None => {
                    let (owner, number) = Routes::named(*target, peers);
                    wanted.push(((owner as u64) << 32 | u64::from(number), place as u64));
                }
            }
        }
        if peers == 1 {
            return Ok(());
        }
        wanted.par_sort_unstable();
        let groups = || wanted.chunk_by(|a, b| a.0 == b.0);
        let mut asked = vec![Vec::new(); peers];
        exchange(
            worker,
            |outbox| {
                let mut before = 0;
                for group in groups() {
                    let (owner, number) = (group[0].0 >> 32, u64::from(group[0].0 as u32));
                    outbox.record(owner as usize, |packet| {
                        if packet.is_empty() {
                            before = 0;
                        }
                        put_varint(packet, number - before);
                        before = number;
                    })?;
                }
                Ok(())
            },
            |from, records| {
                let mut before = 0u64;
                while !records.is_empty() {
                    before = before.saturating_add(records.varint()?);
                    let number = u32::try_from(before).ok();
                    let number = number.filter(|&own| (own as usize) < self.numbers.len());
                    asked[from].push(number.ok_or(Error::Packet)?);
                }
                Ok(())
            },
        )?;
        let mut answers = vec![Vec::new(); peers];
        exchange(
            worker,
            |outbox| {
                for (to, asked) in asked.iter().enumerate() {
                    for &own in asked {
                        outbox.record(to, |packet| {
                            put_state(packet, self.numbers.get(own as usize))
                        })?;
                    }
                }
                Ok(())
            },
            |from, records| {
                while !records.is_empty() {
                    answers[from].push(records.state()?);
                }
                Ok(())
            },
        )?;
        let mut answers: Vec<_> = answers.into_iter().map(Vec::into_iter).collect();
        for group in groups() {
            let owner = (group[0].0 >> 32) as usize;
            let number = answers[owner].next().ok_or(Error::Packet)?;
            for &(_, place) in group {
                targets[place as usize] = number;
            }
        }
        match answers.iter().all(|rest| rest.as_slice().is_empty()) {
            true => Ok(()),
            false => Err(Error::Packet),
        }
    }

    /// Makes of all rows what is minimized in the same run: even ranges of states, with
    /// `table`, the labels of the [`Exploration`]. Rows are in memory then.
    ///
    /// # Errors
    /// If another worker is lost, or a file cannot be read.
    pub fn into_input(
        mut self,
        worker: &mut dyn Worker,
        table: LabelTable,
    ) -> Result<Input, Error> {
        let ranges = Ranges::even(self.states, worker.peers());
        let own = ranges.of(worker.index());
        let transitions = self.transitions / worker.peers() as u64;
        let mut rows =
            GlobalRows::with_capacity((own.end - own.start) as usize, transitions as usize);
        self.deliver(worker, &ranges, |part| {
            let base = rows.labels.len() as u64;
            rows.offsets
                .extend(part.ends.iter().map(|&end| base + end as u64));
            rows.labels.extend_from_slice(&part.labels);
            rows.targets.extend_from_slice(&part.targets);
            Ok(())
        })?;
        Ok(Input {
            ranges,
            initial: 0,
            table,
            rows,
        })
    }
}

/// The rows of a window, as they come from all workers.
#[derive(Default)]
struct Assembly {
    first: u64,
    /// Where the row of each state begins, and how many transitions it has.
    places: Vec<(usize, usize)>,
    labels: Vec<u32>,
    targets: Vec<u64>,
    /// Targets to be asked for, as owner and number, with their places.
    wanted: Vec<(u64, u64)>,
    /// In their order.
    rows: Rows,
}

impl Assembly {
    /// Begins with rows of these states.
    fn begin(&mut self, states: Range<u64>) {
        self.first = states.start;
        self.places.clear();
        self.places
            .resize((states.end - states.start) as usize, MISSING);
        self.labels.clear();
        self.targets.clear();
    }

    /// The row of the state at this place in the window has so many transitions, which come next.
    fn place(&mut self, place: u64, degree: usize) -> Result<(), Error> {
        let row = usize::try_from(place).ok();
        match row.and_then(|row| self.places.get_mut(row)) {
            Some(row) if *row == MISSING => {
                *row = (self.labels.len(), degree);
                Ok(())
            }
            _ => Err(Error::Packet),
        }
    }

    /// The rows in the order of their sources.
    fn rows(&mut self) -> Result<&Rows, Error> {
        let rows = &mut self.rows;
        rows.first = self.first;
        rows.ends.clear();
        rows.labels.clear();
        rows.targets.clear();
        for &place in &self.places {
            if place == MISSING {
                return Err(Error::Packet);
            }
            let row = place.0..place.0 + place.1;
            rows.labels.extend_from_slice(&self.labels[row.clone()]);
            rows.targets.extend_from_slice(&self.targets[row]);
            rows.ends.push(rows.labels.len());
        }
        Ok(rows)
    }
}
