//! Minimal LTSs: at one worker, if it has room for it, or in parts, numbered level by level.

use std::ops::Range;

use hyades_base::parallel;
use hyades_equivalence::numbered;
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, Offsets, StateId};

use crate::column::Column;
use crate::meter::{Kind, Meter};
use crate::part::{GlobalRows, Part, Told};
use crate::ranges::Ranges;
use crate::worker::{Worker, answer, exchange, gather, sums};
use crate::{Error, ghosts, wire};

/// Who gathers.
pub(crate) const WHO: usize = 0;
/// No number yet.
pub(crate) const NONE: u64 = (1 << 40) - 1;

/// An LTS of which each worker has the rows of some states, by their final numbers; the
/// initial one is 0. Transitions of a minimal LTS are in the order of their labels' ranks and
/// their targets.
#[derive(Debug)]
pub struct Parts {
    /// Who has which states.
    pub ranges: Ranges,
    /// The labels.
    pub table: LabelTable,
    /// The rows of the own states.
    pub rows: GlobalRows,
}

impl Parts {
    /// Those of an LTS that worker 0 has, each of about as many states. All know its labels.
    /// 4 bytes a state are sent, and 8 a transition.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn of_whole(
        worker: &mut dyn Worker,
        lts: Option<&Lts>,
        table: LabelTable,
    ) -> Result<Self, Error> {
        let [states] = sums(worker, [lts.map_or(0, Lts::states) as u64])?;
        let ranges = Ranges::even(states, worker.peers());
        let mut rows = GlobalRows::default();
        exchange(
            worker,
            |outbox| {
                let Some(lts) = lts else { return Ok(()) };
                for state in (0..lts.states()).map(StateId::from_index) {
                    let to = ranges.owner(state.get().into());
                    let degree = lts.row(state).len() as u32;
                    outbox.record(to, |packet| wire::put_u32(packet, degree))?;
                    for (label, target) in lts.outgoing(state) {
                        outbox.record(to, |packet| {
                            wire::put_u32(packet, label.get());
                            wire::put_u32(packet, target.get());
                        })?;
                    }
                }
                Ok(())
            },
            |_, records| {
                while !records.is_empty() {
                    let complete = rows.offsets.last().copied().unwrap_or(0);
                    if rows.labels.len() as u64 == complete {
                        rows.offsets.push(complete + u64::from(records.u32()?));
                        continue;
                    }
                    let (label, target) = (records.u32()?, records.u32()?);
                    if label as usize >= table.len() || u64::from(target) >= states {
                        return Err(Error::Packet);
                    }
                    rows.labels.push(label);
                    rows.targets.push(target.into());
                }
                Ok(())
            },
        )?;
        let own = ranges.of(worker.index());
        let is_whole = rows.states() as u64 == own.end - own.start
            && rows.offsets.last() == Some(&(rows.labels.len() as u64));
        match is_whole {
            true => Ok(Self {
                ranges,
                table,
                rows,
            }),
            false => Err(Error::Packet),
        }
    }

    /// Makes it known who needs to know of which states; the initial one is 0.
    ///
    /// # Errors
    /// As [`Part::new`].
    pub fn into_part(self, worker: &mut dyn Worker) -> Result<Part, Error> {
        Part::new(worker, self.ranges, 0, self.table, self.rows)
    }
}

/// The rows of classes, which all differ, with the classes as targets: each worker has those
/// of a range of classes, numbered by their first members.
pub(crate) struct ClassRows {
    pub ranges: Ranges,
    pub initial: u64,
    pub table: LabelTable,
    pub rows: GlobalRows,
}

/// About so many bytes are needed to number so many classes at one worker.
pub(crate) fn needed(classes: u64, transitions: u64) -> u64 {
    match classes <= StateId::MAX_COUNT {
        true => 24u64
            .saturating_mul(transitions)
            .saturating_add(classes.saturating_mul(32)),
        false => u64::MAX,
    }
}

impl ClassRows {
    /// All rows at one worker, which numbers the classes as one machine does; and the number
    /// of each class. The others get nothing.
    ///
    /// A superstep for each worker; 8 bytes a transition and 4 a class. What arrives is put
    /// where it stays.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn whole(self, worker: &mut dyn Worker) -> Result<Option<(Lts, Vec<u32>)>, Error> {
        let me = worker.index();
        let Self {
            ranges,
            initial,
            table,
            rows,
        } = self;
        if worker.peers() == 1 {
            return Ok(Some(numbered(alone(rows, initial, table))));
        }
        let [transitions] = sums(worker, [rows.labels.len() as u64])?;
        let room = |count: u64| if me == WHO { count as usize } else { 0 };
        let mut lengths: Vec<u32> = Vec::with_capacity(room(ranges.states()));
        let mut labels: Vec<LabelId> = Vec::with_capacity(room(transitions));
        let mut targets: Vec<StateId> = Vec::with_capacity(room(transitions));
        let classes = ranges.states();
        rows.tell_to(WHO, worker, (table.len(), classes), |told| {
            match told {
                Told::Row(length) => lengths.push(length),
                Told::Step(label, target) => {
                    labels.push(label);
                    targets.push(target);
                }
            }
            Ok(())
        })?;
        drop(rows);
        if me != WHO {
            return Ok(None);
        }
        let sum: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        if lengths.len() as u64 != classes || sum != labels.len() as u64 || initial >= classes {
            return Err(Error::Packet);
        }
        let lts = Lts::from_parts(LtsParts {
            initial: StateId::new(initial as u32),
            offsets: Offsets::of_parts(std::iter::once(&lengths[..])),
            labels,
            targets,
            table,
        });
        Ok(Some(numbered(lts)))
    }

    /// All rows by their final numbers, which are those of one machine; they stay in parts,
    /// of which each worker gets about as many states. With the number of each class of this
    /// worker.
    ///
    /// Five supersteps for each level of the breadth-first search, in which 37 bytes are sent
    /// for a class at the most. No worker has more than its share, but for classes that are
    /// found from one class, which are sorted together. After so many levels of few classes,
    /// if there is a limit, it is given up: the rows as they were.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn parts(
        self,
        worker: &mut Meter<'_>,
        patience: Option<u64>,
    ) -> Result<Result<(Parts, Column), Self>, Error> {
        let Self {
            ranges,
            initial,
            table,
            rows,
        } = self;
        let worker = worker.of(Kind::Quotient);
        let part = Part::new(worker, ranges, initial, table, rows)?;
        let Some((number, states)) = breadth_first(worker, &part, Order::Labels, patience)? else {
            return Ok(Err(Self::of_part(part)));
        };
        let parts = renumbered(worker, part, &number, states, Order::Labels)?;
        Ok(Ok((parts, number)))
    }

    /// The rows that a part has been made of.
    fn of_part(mut part: Part) -> Self {
        let targets = std::mem::take(&mut part.targets);
        let targets = targets.iter().map(|&place| part.global(place)).collect();
        Self {
            ranges: part.ranges,
            initial: part.initial,
            table: part.table,
            rows: GlobalRows {
                offsets: part.offsets,
                labels: part.labels,
                targets,
            },
        }
    }
}

/// What worker 0 knows of classes, told to those who have them.
///
/// # Errors
/// If another worker is lost.
pub(crate) fn scattered(
    worker: &mut dyn Worker,
    ranges: &Ranges,
    number: Option<&[u32]>,
) -> Result<Column, Error> {
    let own = ranges.of(worker.index());
    let mut column = Column::new((own.end - own.start) as usize);
    let mut next = 0;
    exchange(
        worker,
        |outbox| {
            let classes = number.map_or(0, <[u32]>::len) as u64;
            for (class, &number) in (0..classes).zip(number.unwrap_or_default()) {
                outbox.record(ranges.owner(class), |packet| wire::put_u32(packet, number))?;
            }
            Ok(())
        },
        |_, records| {
            while !records.is_empty() {
                let number = records.u32()?;
                if next == column.len() {
                    return Err(Error::Packet);
                }
                column.set(next, number.into());
                next += 1;
            }
            Ok(())
        },
    )?;
    match next == column.len() {
        true => Ok(column),
        false => Err(Error::Packet),
    }
}

/// The LTS of all rows.
fn alone(rows: GlobalRows, initial: u64, table: LabelTable) -> Lts {
    let lengths = rows.offsets.windows(2).map(|ends| ends[1] - ends[0]);
    Lts::from_parts(LtsParts {
        initial: StateId::new(initial as u32),
        offsets: Offsets::from_lengths(lengths.map(|length| length as usize)),
        labels: rows.labels.into_iter().map(LabelId::new).collect(),
        targets: parallel::map(rows.targets.len(), 1 << 14, |k| {
            StateId::new(rows.targets[k] as u32)
        }),
        table,
    })
}

/// In which order a breadth-first search goes along the transitions of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// That of their labels' ranks, and then of their targets.
    Labels,
    /// As they stand in its row.
    Rows,
}

/// How a state is found: the number of the first one that leads there, and the rank of the
/// label or the place in the row. In this order states are numbered, and then by their old
/// numbers.
type Found = (u64, u32);

/// How states and ghosts are found in a level, by their places: 9 bytes for each place.
struct Finds {
    /// The number of the state that leads there, or [`NONE`].
    from: Column,
    by: Vec<u32>,
}

impl Finds {
    fn new(places: usize) -> Self {
        Self {
            from: Column::filled(places, NONE),
            by: vec![0; places],
        }
    }

    /// Keeps the first of several ways; whether there was none yet.
    #[inline]
    fn meet(&mut self, place: u32, found: Found) -> bool {
        let place = place as usize;
        let from = self.from.get(place);
        if found < (from, self.by[place]) {
            self.from.set(place, found.0);
            self.by[place] = found.1;
        }
        from == NONE
    }

    /// How a state has been found, which is forgotten.
    fn take(&mut self, place: u32) -> Found {
        let place = place as usize;
        let from = self.from.get(place);
        self.from.set(place, NONE);
        (from, self.by[place])
    }
}

/// A breadth-first search.
struct Search<'a> {
    part: &'a Part,
    order: Order,
    /// Those of the labels.
    ranks: Vec<u32>,
    /// The number of each own state and ghost, or [`NONE`].
    number: Column,
    /// What is found in this level.
    found: Finds,
    /// The numbers of this level.
    numbers: Range<u64>,
}

impl<'a> Search<'a> {
    /// Nothing has a number yet.
    fn new(part: &'a Part, order: Order) -> Self {
        let number = Column::filled(part.states() + part.ghosts.len(), NONE);
        Self {
            part,
            order,
            ranks: part.table.ranks(),
            found: Finds::new(number.len()),
            number,
            numbers: 0..1,
        }
    }

    /// Gives the initial state number 0; the own states of the first level.
    fn begin(&mut self) -> Vec<u32> {
        let own = self.part.ranges.of(self.part.index);
        let mut level: Vec<u32> = Vec::new();
        if own.contains(&self.part.initial) {
            let state = (self.part.initial - own.start) as u32;
            self.number.set(state as usize, 0);
            level.push(state);
        }
        level
    }

    /// Tells others the numbers of these own states.
    fn refresh(&mut self, worker: &mut dyn Worker, level: &[u32]) -> Result<(), Error> {
        ghosts::refresh(worker, self.part, &mut self.number, Some(level), [], |_| ())?;
        Ok(())
    }

    /// Finds states without numbers that these own ones lead to: own ones, and ghosts.
    fn follow(&mut self, level: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let (mut new, mut of_others): (Vec<u32>, Vec<u32>) = Default::default();
        for &class in level {
            let from = self.number.get(class as usize);
            let (labels, targets) = self.part.row(class as usize);
            for (place, (&label, &target)) in labels.iter().zip(targets).enumerate() {
                if self.number.get(target as usize) == NONE {
                    let by = match self.order {
                        Order::Labels => self.ranks[label as usize],
                        Order::Rows => place as u32,
                    };
                    if self.found.meet(target, (from, by)) {
                        match (target as usize) < self.part.states() {
                            true => new.push(target),
                            false => of_others.push(target),
                        }
                    }
                }
            }
        }
        (new, of_others)
    }

    /// Tells owners how these ghosts have been found; own states that only others have found are
    /// added to the new ones.
    fn tell(
        &mut self,
        worker: &mut dyn Worker,
        of_others: &[u32],
        new: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let part = self.part;
        let own = part.ranges.of(part.index);
        // What is told is taken out before anything is met here.
        let told = of_others.iter().map(|&place| self.found.take(place));
        let told: Vec<Found> = told.collect();
        exchange(
            worker,
            |outbox| {
                of_others
                    .iter()
                    .zip(&told)
                    .try_for_each(|(&place, &(from, rank))| {
                        let class = part.global(place);
                        outbox.record(part.ranges.owner(class), |packet| {
                            wire::put_state(packet, class);
                            wire::put_state(packet, from);
                            wire::put_u32(packet, rank);
                        })
                    })
            },
            |_, records| {
                while !records.is_empty() {
                    let (class, from) = (records.state()?, records.state()?);
                    let rank = records.u32()?;
                    if !own.contains(&class) {
                        return Err(Error::Packet);
                    }
                    let place = (class - own.start) as u32;
                    let is_unnumbered = self.number.get(place as usize) == NONE;
                    if is_unnumbered && self.found.meet(place, (from, rank)) {
                        new.push(place);
                    }
                }
                Ok(())
            },
        )
    }

    /// Gives these own states, which ascend and are all that have been found in this level,
    /// their numbers; how many states of all workers have some now.
    fn give_numbers(&mut self, worker: &mut dyn Worker, new: &[u32]) -> Result<u64, Error> {
        let (index, peers) = (worker.index(), worker.peers());
        // Each worker sorts what is found from an interval of numbers.
        let span = self.numbers.end - self.numbers.start;
        let in_charge = |from: u64| {
            let place = u128::from(from - self.numbers.start) * peers as u128;
            (place / u128::from(span)) as usize
        };
        let mut asked: Vec<Vec<u32>> = vec![Vec::new(); peers];
        let mut sent: Vec<Found> = Vec::with_capacity(new.len());
        for &place in new {
            let by = self.found.take(place);
            asked[in_charge(by.0)].push(sent.len() as u32);
            sent.push(by);
        }
        let sorted = Sorted::told(worker, self.part, new, &sent, &asked)?;
        let mut first = self.numbers.end;
        let mut end = self.numbers.end;
        for (k, count) in gather(worker, &(sorted.states.len() as u64).to_le_bytes())?
            .iter()
            .enumerate()
        {
            let count = wire::Cursor::new(count).u64()?;
            first += if k < index { count } else { 0 };
            end += count;
        }
        answer(
            worker,
            &sorted.answers(self.part, first)?,
            |packet, &number| wire::put_state(packet, number),
            &asked,
            |k, records| {
                self.number.set(new[k as usize] as usize, records.state()?);
                Ok(())
            },
        )?;
        Ok(end)
    }
}

/// The states that are found from an interval of a level's numbers, in the order of theirs.
struct Sorted {
    /// How each is found, the state, and which one of those it is that its owner has told.
    states: Vec<(Found, u64, u32)>,
    /// How many each owner has told.
    counts: Vec<u32>,
}

impl Sorted {
    /// Tells each worker those of the new own states that it is asked to sort, and how they are
    /// found; what this one is told, sorted.
    fn told(
        worker: &mut dyn Worker,
        part: &Part,
        new: &[u32],
        found: &[Found],
        asked: &[Vec<u32>],
    ) -> Result<Self, Error> {
        let mut states: Vec<(Found, u64, u32)> = Vec::new();
        let mut counts = vec![0u32; asked.len()];
        exchange(
            worker,
            |outbox| {
                for (to, asked) in asked.iter().enumerate() {
                    for &k in asked {
                        let ((from, rank), place) = (found[k as usize], new[k as usize]);
                        outbox.record(to, |packet| {
                            wire::put_state(packet, part.global(place));
                            wire::put_state(packet, from);
                            wire::put_u32(packet, rank);
                        })?;
                    }
                }
                Ok(())
            },
            |from, records| {
                while !records.is_empty() {
                    let (class, parent) = (records.state()?, records.state()?);
                    states.push(((parent, records.u32()?), class, counts[from]));
                    counts[from] += 1;
                }
                Ok(())
            },
        )?;
        states.sort_unstable();
        Ok(Self { states, counts })
    }

    /// Their numbers, of which this is the first one: for each owner in the order in which it
    /// asked.
    ///
    /// # Errors
    /// If some are told by another worker than their owner.
    fn answers(&self, part: &Part, first: u64) -> Result<Vec<Vec<u64>>, Error> {
        let counts = self.counts.iter();
        let mut answers: Vec<Vec<u64>> = counts.map(|&n| vec![0; n as usize]).collect();
        for (k, &(_, class, nth)) in self.states.iter().enumerate() {
            let answers = &mut answers[part.ranges.owner(class)];
            *answers.get_mut(nth as usize).ok_or(Error::Packet)? = first + k as u64;
        }
        Ok(answers)
    }
}

/// Levels of fewer states are such as do not need many workers.
const FEW: u64 = 1 << 10;

/// The number of each own state and ghost in a breadth-first search, which is [`NONE`] if it
/// is not reached; and how many states are. Nothing if there are more levels of few states
/// than a limit allows. 14 bytes for each place.
pub(crate) fn breadth_first(
    worker: &mut dyn Worker,
    part: &Part,
    order: Order,
    patience: Option<u64>,
) -> Result<Option<(Column, u64)>, Error> {
    let mut search = Search::new(part, order);
    let mut level = search.begin();
    search.refresh(worker, &level)?;
    let mut few = 0;
    loop {
        let (mut new, of_others) = search.follow(&level);
        drop(level);
        search.tell(worker, &of_others, &mut new)?;
        drop(of_others);
        new.sort_unstable();
        let end = search.give_numbers(worker, &new)?;
        let found = end - search.numbers.end;
        if found == 0 {
            return Ok(Some((search.number, end)));
        }
        few += u64::from(found < FEW);
        if patience.is_some_and(|patience| few > patience) {
            return Ok(None);
        }
        search.refresh(worker, &new)?;
        search.numbers = search.numbers.end..end;
        level = new;
    }
}

/// The own states that are reached.
fn reached<'a>(part: &'a Part, number: &'a Column) -> impl Iterator<Item = usize> + 'a {
    (0..part.states()).filter(|&state| number.get(state) != NONE)
}

/// The rows that a worker is sent, which are those of a range of numbers.
struct Coming {
    /// How many transitions each has.
    lengths: Vec<u32>,
    /// Those that each worker sends, in this order.
    of: Vec<Vec<u32>>,
}

impl Coming {
    /// Tells each worker which of its rows this one sends, and how long they are.
    fn told(
        worker: &mut dyn Worker,
        part: &Part,
        number: &Column,
        ranges: &Ranges,
    ) -> Result<Self, Error> {
        let own = ranges.of(worker.index());
        let mut lengths = vec![u32::MAX; (own.end - own.start) as usize];
        let mut coming: Vec<Vec<u32>> = vec![Vec::new(); worker.peers()];
        exchange(
            worker,
            |outbox| {
                reached(part, number).try_for_each(|state| {
                    let number = number.get(state);
                    outbox.record(ranges.owner(number), |packet| {
                        wire::put_state(packet, number);
                        wire::put_u32(packet, part.row(state).0.len() as u32);
                    })
                })
            },
            |from, records| {
                while !records.is_empty() {
                    let state = records.state()?;
                    if !own.contains(&state) {
                        return Err(Error::Packet);
                    }
                    let state = (state - own.start) as usize;
                    lengths[state] = records.u32()?;
                    coming[from].push(state as u32);
                }
                Ok(())
            },
        )?;
        match lengths.contains(&u32::MAX) {
            true => Err(Error::Packet),
            false => Ok(Self {
                lengths,
                of: coming,
            }),
        }
    }

    /// Room for them.
    fn room(&self) -> GlobalRows {
        let mut rows = GlobalRows::with_capacity(self.lengths.len(), 0);
        let mut end = 0;
        for &length in &self.lengths {
            end += u64::from(length);
            rows.offsets.push(end);
        }
        rows.labels = vec![0; end as usize];
        rows.targets = vec![0; end as usize];
        rows
    }
}

/// The rows of states that have numbers among so many, by these, each at the worker that has
/// its range of numbers.
pub(crate) fn renumbered(
    worker: &mut dyn Worker,
    mut part: Part,
    number: &Column,
    states: u64,
    order: Order,
) -> Result<Parts, Error> {
    let peers = worker.peers();
    let ranges = Ranges::even(states, peers);
    let ranks = part.table.ranks();
    // What tells who has whom is not needed any more.
    part.ghosts = Vec::new();
    part.subscribed = Vec::new();
    let coming = Coming::told(worker, &part, number, &ranges)?;
    let mut rows = coming.room();
    // Which of its rows each worker is sending, and how much of it has come.
    let mut turn = vec![(0, 0); peers];
    exchange(
        worker,
        |outbox| {
            let mut row: Vec<(u32, u64, u32)> = Vec::new();
            for state in reached(&part, number) {
                let (labels, targets) = part.row(state);
                row.clear();
                let steps = labels.iter().zip(targets);
                row.extend(steps.map(|(&label, &target)| {
                    (ranks[label as usize], number.get(target as usize), label)
                }));
                match order {
                    Order::Labels => row.sort_unstable(),
                    Order::Rows => {}
                }
                let to = ranges.owner(number.get(state));
                for &(_, target, label) in &row {
                    outbox.record(to, |packet| {
                        wire::put_u32(packet, label);
                        wire::put_state(packet, target);
                    })?;
                }
            }
            Ok(())
        },
        |from, records| {
            let (row, filled) = &mut turn[from];
            while !records.is_empty() {
                let state = loop {
                    let state = *coming.of[from].get(*row).ok_or(Error::Packet)? as usize;
                    if *filled < coming.lengths[state] {
                        break state;
                    }
                    (*row, *filled) = (*row + 1, 0);
                };
                let place = rows.offsets[state] as usize + *filled as usize;
                rows.labels[place] = records.u32()?;
                rows.targets[place] = records.state()?;
                *filled += 1;
            }
            Ok(())
        },
    )?;
    Ok(Parts {
        ranges,
        table: part.table,
        rows,
    })
}
