//! Exploration by several workers: each state belongs to one of them, by its hash.
//!
//! The search goes breadth first, level by level. A worker computes the rows of its states of
//! a level, as many at a time as fit memory, and sends what they lead to to the owners. These
//! answer what they call the states, which is how rows are kept until the end, in memory or
//! on disk. At the end of a level the new states get their numbers: those that one process
//! would have given them (see `level.rs`). What a model of the same text does on one machine
//! is thus found here as well, number by number, whatever the number of workers; and so are
//! shortest traces.
//!
//! A worker holds the states that it owns: the bits of each, an index of 6 to 8 bytes and a
//! number of 5 bytes; 5 bytes more if something is asked. Besides there are rows that are
//! about to be sent, and states that others have answered for: some tens of MB each.
//!
//! Of an LTS of which each worker has a part ([`Options::ranges`]) states belong to who has
//! them, and the search is the same.

mod cache;
mod delivery;
mod labels;
mod level;
mod log;
mod routing;
mod traces;
mod watch;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::PathBuf;

use hyades_explore::pieces::{Expander, Piece, StateHasher, StateSet};
use hyades_explore::{
    Erased, Exploration, ExploreError, ExploreOptions, Limit, Limits, Model, ModelError, Outcome,
    Progress, ProgressCallback,
};

use crate::Error;
use crate::ranges::Ranges;
use crate::wire::{Cursor, put_bytes, put_u32, put_u64};
use crate::worker::{Outbox, Worker, gather, sums};

use crate::column::Column;
use cache::Cache;
use labels::Merged;
use level::{Keys, Level, NewStates, Ranking};
use log::RowLog;
use routing::{Routed, Routes};
use watch::Watch;

pub use delivery::{KeptRows, Rows};

/// How several workers explore, beside what [`ExploreOptions`] tell. It is the same for all of
/// them but for where rows are kept.
#[derive(Clone, Debug)]
pub struct Options {
    /// Decides which states are whose. Results do not depend on it, but for those of
    /// explorations that a limit has ended.
    pub seed: u64,
    /// About so many bytes are taken by what other workers have answered of late. There is no
    /// need for it, but then they are asked more often.
    pub cache: usize,
    /// Which worker has which states, if these are numbers, in their first word, and each worker
    /// can tell the rows of its own only, as of a [`Part`](crate::part::Part).
    pub ranges: Option<Ranges>,
    /// Whether and how rows are kept.
    pub rows: Option<KeepRows>,
    /// Two to its power transitions are computed at a time, if these are fewer than suit the
    /// states; for tests.
    #[doc(hidden)]
    pub shift: Option<u32>,
    /// The bits of hashes that are used; for tests.
    #[doc(hidden)]
    pub mask: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            cache: 32 << 20,
            ranges: None,
            rows: None,
            shift: None,
            mask: u64::MAX,
        }
    }
}

/// Where rows are kept.
#[derive(Clone, Debug)]
pub struct KeepRows {
    /// The directory of a temporary file, which is made if it is needed.
    pub directory: PathBuf,
    /// So many bytes of rows may be in memory.
    pub memory: usize,
    /// Two to its power transitions, or a few more, are handed over at a time in the end.
    pub window: u32,
}

impl KeepRows {
    /// Rows of more than some MiB are kept in this directory.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            memory: 64 << 20,
            window: 18,
        }
    }
}

/// What has been found; the same at all workers but for `figures` and rows.
#[derive(Debug)]
pub struct Explored<'m> {
    /// As of one machine, with its numbers, but that
    /// - numbers of states in traces that are 2^32 and more, which have no room there, are
    ///   2^32 - 1;
    /// - `memory` is that of the worker that has held most;
    /// - where a limit of a worker has ended it, more may have been found.
    pub exploration: Exploration<'m>,
    /// How many of the states that have been explored are deadlocks.
    pub deadlocks: u64,
    /// The rows of all states, if they were to be kept and all states have been explored.
    pub rows: Option<KeptRows>,
    /// The states that this worker owns.
    pub states: StateSet,
    /// What this worker has done.
    pub figures: Figures,
}

/// What a worker has done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Figures {
    /// The states that it owns.
    pub states: u64,
    /// The transitions of these.
    pub transitions: u64,
    /// The targets that were asked for or told to other workers.
    pub sent: u64,
    /// The targets of other workers for which there was an answer already.
    pub cached: u64,
    /// The targets that were also those of transitions close by.
    pub repeated: u64,
    /// Levels.
    pub levels: u64,
    /// Supersteps in which states were sent.
    pub rounds: u64,
    /// Bytes of rows on disk.
    pub written: u64,
    /// Bytes of the tables at their peak.
    pub memory: u64,
}

/// Explores the states of `model` reachable from its initial state, by all workers, each of
/// which has to be given the same model, questions and options. `max_memory` is a limit of each
/// worker, `max_states` one of all together: it is looked at after each level, or as soon as
/// one of them has as many.
///
/// Time: for each of the states of a worker one call of the model, for each transition one
/// look-up at the owner of the target. For each level three supersteps, and two more each
/// time that rows do not fit memory. About 10 bytes more than a packed state are sent for a
/// transition to a state of another worker, unless it is cached; with rows 14 more in the end.
///
/// # Errors
/// If the model fails: with the error of the state that has the least number, as on one
/// machine. If another worker is lost, a file cannot be written, or there is no room for more.
/// Questions for livelocks are not answered here: that is such an error.
pub fn explore<'m>(
    worker: &mut dyn Worker,
    model: Erased<'m>,
    search: ExploreOptions<'_>,
    options: &Options,
) -> Result<Explored<'m>, Error> {
    if search.questions.livelock {
        let text = "cycles of hidden transitions are not searched for by several workers";
        return Err(model_error(ModelError::new(text)));
    }
    Search::new(worker, model, search, options)?.run()
}

fn model_error(error: ModelError) -> Error {
    Error::Explore(ExploreError::Model(error))
}

/// There is no such row.
const NO_ROW: u64 = u64::MAX;

/// Kinds of packets.
const STATES: u8 = 0;
const STATUS: u8 = 1;
const ANSWERS: u8 = 2;
const KEYS: u8 = 3;
const RANKS: u8 = 4;
const COUNT: u8 = 5;

/// Why a worker does not go on, in the order in which reasons count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Out {
    No,
    States,
    Memory,
    Stopped,
}

impl Out {
    fn of(number: u8) -> Result<Self, Error> {
        Ok(match number {
            0 => Out::No,
            1 => Out::States,
            2 => Out::Memory,
            3 => Out::Stopped,
            _ => return Err(Error::Packet),
        })
    }
}

/// The states of a worker.
struct Owned {
    known: StateSet,
    /// Where the states begin that are new in this level.
    level_start: usize,
    /// The least keys of transitions to each of these.
    keys: Vec<u64>,
    max_states: u64,
    max_memory: u64,
    /// Bytes of other tables.
    others: u64,
    memory: u64,
    out: Out,
}

impl Owned {
    /// Enters states to which transitions of these keys lead, and appends what they are called.
    fn enter(&mut self, states: &[u64], keys: &[u64], names: &mut Vec<u32>) -> Result<(), Error> {
        let most = self.known.peak(keys.len()) as u64 + self.others + self.column(keys.len());
        if most > self.max_memory {
            self.out = self.out.max(Out::Memory);
        }
        if self.out == Out::Memory {
            // The search ends; until all know, answers mean nothing.
            names.resize(names.len() + keys.len(), 0);
            return Ok(());
        }
        self.memory = self.memory.max(most);
        let from = names.len();
        let entered = self.known.enter(states, names);
        entered.map_err(|error| Error::Explore(ExploreError::TooLarge(error)))?;
        for (&name, &key) in names[from..].iter().zip(keys) {
            let Some(new) = (name as usize).checked_sub(self.level_start) else {
                continue;
            };
            match self.keys.get_mut(new) {
                Some(least) => *least = key.min(*least),
                // New states have consecutive numbers.
                None => self.keys.push(key),
            }
        }
        if self.known.len() as u64 > self.max_states {
            self.out = self.out.max(Out::States);
        }
        Ok(())
    }

    /// Bytes of the keys, with so many more.
    fn column(&self, more: usize) -> u64 {
        8 * (self.keys.capacity().max(self.keys.len() + more)) as u64
    }
}

/// What all workers know of all others.
struct Standing {
    /// The least row with an error.
    error: u64,
    /// For each question the first row that answers it.
    found: Vec<u64>,
    /// The row after which all questions are answered, if the search ends there.
    answered: u64,
    stop_when_answered: bool,
    /// The least row that some worker has not explored.
    next: u64,
    out: Out,
}

impl Standing {
    /// The last row that matters.
    fn bound(&self) -> u64 {
        self.error.min(self.answered)
    }

    /// Whether rows are to be explored yet in this level.
    fn goes_on(&self) -> bool {
        self.out == Out::No && self.next != NO_ROW && self.next <= self.bound()
    }

    fn update(&mut self, status: &Status) {
        self.error = self.error.min(status.error);
        for (first, &found) in self.found.iter_mut().zip(&status.found) {
            *first = found.min(*first);
        }
        if self.stop_when_answered {
            self.answered = self.found.iter().copied().max().unwrap_or(NO_ROW);
        }
        self.next = self.next.min(status.next);
        self.out = self.out.max(status.out);
    }
}

/// What a worker tells all others while a level is explored.
struct Status {
    next: u64,
    error: u64,
    found: Vec<u64>,
    out: Out,
}

impl Status {
    fn put(&self, packet: &mut Vec<u8>) {
        packet.push(self.out as u8);
        put_u64(packet, self.next);
        put_u64(packet, self.error);
        self.found.iter().for_each(|&row| put_u64(packet, row));
    }

    fn take(records: &mut Cursor<'_>, questions: usize) -> Result<Self, Error> {
        Ok(Self {
            out: Out::of(records.u8()?)?,
            next: records.u64()?,
            error: records.u64()?,
            found: (0..questions)
                .map(|_| records.u64())
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Where the states of a level begin.
#[derive(Clone, Copy)]
struct Mark {
    /// The number of the first at all workers.
    first: u64,
    /// The number at this worker of the first of its own.
    own: u32,
}

/// A search under way.
struct Search<'w, 'm, 'q> {
    worker: &'w mut dyn Worker,
    model: Erased<'m>,
    expander: Expander<'m>,
    routes: Routes,
    cache: Cache,
    owned: Owned,
    /// Of own states, by what they are called at this worker.
    numbers: Column,
    /// The numbers of the sources from which they were discovered, if something is asked.
    parents: Option<Column>,
    marks: Vec<Mark>,
    watch: Watch<'q>,
    rows: Option<RowLog>,
    keep: Option<KeepRows>,
    standing: Standing,
    /// What is wrong with a state of this worker, and its number.
    error: Option<(u64, ExploreError)>,
    most_targets: usize,
    progress: Option<&'q mut ProgressCallback<'q>>,
    reported: u64,
    figures: Figures,
}

/// How a search ends.
enum End {
    Outcome(Outcome),
    /// With an error of the model in this row.
    Error(u64),
}

impl<'w, 'm, 'q> Search<'w, 'm, 'q> {
    fn new(
        worker: &'w mut dyn Worker,
        model: Erased<'m>,
        search: ExploreOptions<'q>,
        options: &Options,
    ) -> Result<Self, Error> {
        let ExploreOptions {
            limits,
            questions,
            stop_when_answered,
            progress,
        } = search;
        let Limits {
            max_states,
            max_memory,
        } = limits;
        let peers = worker.peers();
        let expander = Expander::with_sizes(model, options.shift).map_err(model_error)?;
        let known = StateSet::new(model.bits());
        let cache = match peers {
            1 => 0,
            _ => options.cache,
        };
        let cache = Cache::new(known.words(), cache);
        let asks = questions.any();
        let watch = Watch::new(questions);
        let standing = Standing {
            error: NO_ROW,
            found: watch.found.clone(),
            answered: NO_ROW,
            stop_when_answered,
            next: NO_ROW,
            out: Out::No,
        };
        let most_targets = max_states.map_or(usize::MAX, |most| {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            most.max(1).saturating_mul(peers)
        });
        let keep = options.rows.clone();
        Ok(Self {
            routes: Routes {
                hasher: StateHasher::new(options.seed),
                mask: options.mask,
                ranges: options.ranges.clone(),
                me: worker.index(),
                peers,
                bytes: model.bits().div_ceil(8).max(1),
            },
            owned: Owned {
                known,
                level_start: 0,
                keys: Vec::new(),
                max_states: max_states.unwrap_or(u64::MAX).max(1),
                max_memory: max_memory.unwrap_or(u64::MAX),
                others: 0,
                memory: 0,
                out: Out::No,
            },
            worker,
            model,
            expander,
            cache,
            numbers: Column::default(),
            parents: asks.then(Column::default),
            marks: vec![Mark { first: 0, own: 0 }],
            watch,
            rows: keep
                .as_ref()
                .map(|keep| RowLog::new(keep.directory.clone(), keep.memory)),
            keep,
            standing,
            error: None,
            most_targets,
            progress,
            reported: 0,
            figures: Figures::default(),
        })
    }

    fn run(mut self) -> Result<Explored<'m>, Error> {
        let initial = self.expander.initial().map_err(model_error)?;
        let mut own = Vec::new();
        if self.routes.owner(&initial) == self.routes.me {
            let entered = self.owned.known.enter(&initial, &mut own);
            entered.map_err(too_large)?;
        }
        self.extend_columns();
        let mut level = Level {
            index: 0,
            first: 0,
            states: 1,
            own,
        };
        if self.standing.stop_when_answered && self.standing.found.is_empty() {
            // As on one machine: nothing is explored at all.
            return self.finish(End::Outcome(Outcome::Answered), &level, 0, 0);
        }
        loop {
            let (new, next) = self.explore_level(&level)?;
            let end = match self.standing.out {
                Out::States => Some(End::Outcome(Outcome::LimitReached(Limit::States))),
                Out::Memory => Some(End::Outcome(Outcome::LimitReached(Limit::Memory))),
                Out::Stopped => Some(End::Outcome(Outcome::Stopped)),
                Out::No if self.standing.error < self.standing.answered => {
                    Some(End::Error(self.standing.error))
                }
                Out::No if self.standing.answered != NO_ROW => {
                    Some(End::Outcome(Outcome::Answered))
                }
                Out::No if new == 0 => Some(End::Outcome(Outcome::Complete)),
                Out::No if level.end() + new > self.owned.max_states => {
                    Some(End::Outcome(Outcome::LimitReached(Limit::States)))
                }
                Out::No => None,
            };
            if let Some(end) = end {
                let rows = match end {
                    End::Error(row) => row,
                    End::Outcome(Outcome::Answered) => self.standing.answered + 1,
                    End::Outcome(_) => NO_ROW,
                };
                return self.finish(end, &level, new, rows);
            }
            self.watch.end_level();
            level = Level {
                index: level.index + 1,
                first: level.end(),
                states: new,
                own: next,
            };
        }
    }

    /// Explores the states of a level: how many new ones there are at all workers, and those of
    /// this worker in the order of their numbers.
    fn explore_level(&mut self, level: &Level) -> Result<(u64, Vec<u32>), Error> {
        let keys = level.keys();
        self.owned.level_start = self.owned.known.len();
        self.owned.keys.clear();
        self.figures.levels += 1;
        let mut done = 0;
        let mut ranking = Ranking::new(level);
        loop {
            let sources = self.to_explore(level, done);
            let routed = self.explore_some(sources, keys)?;
            let sources = &sources[..routed.rows];
            done += routed.rows;
            let asked = self.tell_states(&routed, level, done, keys)?;
            let mut new = match self.standing.goes_on() {
                true => None,
                false => Some(NewStates::new(level, &self.owned.keys, self.routes.peers)),
            };
            let answers = match self.rows.is_some() || new.is_some() {
                true => self.answer(&asked, new.as_mut(), &mut ranking)?,
                false => Vec::new(),
            };
            self.keep_rows(sources, &routed, &answers)?;
            self.report(level);
            if let Some(new) = new {
                return self.number(level, new, &mut ranking);
            }
        }
    }

    /// The states of the level that have not been explored and matter.
    fn to_explore<'l>(&self, level: &'l Level, done: usize) -> &'l [u32] {
        let rest = &level.own[done..];
        if self.owned.out != Out::No || self.error.is_some() {
            return &[];
        }
        let bound = self.standing.bound();
        match bound {
            NO_ROW => rest,
            _ => &rest[..rest.partition_point(|&state| self.numbers.get(state as usize) <= bound)],
        }
    }

    /// Computes the rows of some of these states, at least of one unless it has an error, and
    /// enters those of the targets that are this worker's.
    fn explore_some(&mut self, sources: &[u32], keys: Keys) -> Result<Routed, Error> {
        if sources.is_empty() {
            return Ok(Routed::default());
        }
        let Self {
            expander,
            owned,
            numbers,
            watch,
            routes,
            cache,
            figures,
            ..
        } = self;
        let expanded = expander.expand(&owned.known, sources, self.most_targets);
        if let Some(error) = expanded.error {
            self.error = Some((numbers.get(sources[expanded.rows] as usize), error));
        }
        if expanded.rows == 0 {
            return Ok(Routed::default());
        }
        let sources = &sources[..expanded.rows];
        let pieces: Vec<Piece<'_>> = expander.pieces().collect();
        watch.look(&pieces, sources, numbers, expander.labels(), &self.model);
        let wants_names = self.rows.is_some();
        let mut routed = routes.route(&pieces, sources, numbers, keys, cache, wants_names)?;
        routed.count(routes.me, figures);
        owned.others = (numbers.memory()
            + self.parents.as_ref().map_or(0, Column::memory)
            + cache.memory()
            + expander.memory()
            + routed.memory()
            + self.rows.as_ref().map_or(0, RowLog::memory)) as u64;
        for piece in &mut routed.pieces {
            let own = &piece.lists[routes.me];
            owned.enter(&own.states, &own.keys, &mut piece.own)?;
        }
        Ok(routed)
    }

    /// Tells states to their owners, and all what this worker knows of the level, of whose
    /// states it has `done` so many. What each worker has told of, in its order.
    fn tell_states(
        &mut self,
        routed: &Routed,
        level: &Level,
        done: usize,
        keys: Keys,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let waits = self.error.is_none() && self.owned.out == Out::No;
        let next = level.own.get(done).filter(|_| waits);
        let status = Status {
            next: next.map_or(NO_ROW, |&state| self.numbers.get(state as usize)),
            error: self.error.as_ref().map_or(NO_ROW, |(row, _)| *row),
            found: self.watch.found.clone(),
            out: self.owned.out,
        };
        self.figures.rounds += 1;
        let wants_names = self.rows.is_some();
        let Self {
            worker,
            owned,
            routes,
            standing,
            ..
        } = self;
        let (peers, chunk) = (routes.peers, worker.chunk());
        standing.next = NO_ROW;
        let questions = standing.found.len();
        let mut asked = vec![Vec::new(); peers];
        let (mut states, mut of_states) = (Vec::new(), Vec::new());
        worker.superstep(
            &mut |send| {
                let mut outbox = Outbox::new(&mut *send, peers, chunk);
                for to in 0..peers {
                    outbox.record(to, |packet| {
                        packet.push(STATUS);
                        status.put(packet);
                    })?;
                }
                outbox.finish()?;
                let mut outbox = Outbox::new(&mut *send, peers, chunk);
                routed.send(&mut outbox, routes, keys, STATES)?;
                outbox.finish()
            },
            &mut |from, packet| {
                let mut records = Cursor::new(packet);
                match records.u8()? {
                    STATUS => standing.update(&Status::take(&mut records, questions)?),
                    STATES => {
                        states.clear();
                        of_states.clear();
                        routes.take(&mut records, keys, &mut states, &mut of_states)?;
                        owned.enter(&states, &of_states, &mut asked[from])?;
                        if !wants_names {
                            asked[from].clear();
                        }
                    }
                    _ => return Err(Error::Packet),
                }
                Ok(())
            },
        )?;
        Ok(asked)
    }

    /// Answers what states are called, if that is wanted, and at the end of a level sends the
    /// keys of new states to who ranks them. What other workers have answered.
    fn answer(
        &mut self,
        asked: &[Vec<u32>],
        mut new: Option<&mut NewStates>,
        ranking: &mut Ranking,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let wants_names = self.rows.is_some();
        let (peers, chunk) = (self.routes.peers, self.worker.chunk());
        let mut answers = vec![Vec::new(); peers];
        self.worker.superstep(
            &mut |send| {
                let mut outbox = Outbox::new(&mut *send, peers, chunk);
                for (to, names) in asked.iter().enumerate().filter(|_| wants_names) {
                    for &name in names {
                        outbox.record(to, |packet| {
                            if packet.is_empty() {
                                packet.push(ANSWERS);
                            }
                            put_u32(packet, name);
                        })?;
                    }
                }
                outbox.finish()?;
                let mut outbox = Outbox::new(&mut *send, peers, chunk);
                if let Some(new) = new.as_deref_mut() {
                    new.send(&mut outbox, KEYS)?;
                }
                outbox.finish()
            },
            &mut |from, packet| {
                let mut records = Cursor::new(packet);
                match records.u8()? {
                    ANSWERS => {
                        while !records.is_empty() {
                            answers[from].push(records.u32()?);
                        }
                        Ok(())
                    }
                    KEYS => ranking.receive(from, &mut records),
                    _ => Err(Error::Packet),
                }
            },
        )?;
        Ok(answers)
    }

    /// Keeps the rows of these states, and what others have answered.
    fn keep_rows(
        &mut self,
        sources: &[u32],
        routed: &Routed,
        answers: &[Vec<u32>],
    ) -> Result<(), Error> {
        let Self {
            rows,
            routes,
            expander,
            numbers,
            cache,
            ..
        } = self;
        let Some(log) = rows else {
            routes.remember(routed, None, cache);
            return Ok(());
        };
        let names = routes.names(routed, answers)?;
        routes.remember(routed, Some(&names), cache);
        let mut sources = sources.iter();
        // Without rows, those that have been computed last are others.
        for ((piece, routed), names) in expander.pieces().zip(&routed.pieces).zip(&names) {
            let mut begin = 0;
            for (&end, &source) in piece.ends().iter().zip(sources.by_ref()) {
                let row = begin..end as usize;
                begin = row.end;
                let labels = piece.labels()[row.clone()].iter();
                let targets = routed.targets[row].iter();
                let targets = targets.map(|&target| routes.name_of(target, names));
                let source = numbers.get(source as usize);
                log.push(source, labels.map(|label| label.get()).zip(targets))?;
            }
        }
        Ok(())
    }

    /// Gives the new states of a level their numbers: how many there are at all workers, and
    /// those of this worker in the order of their numbers.
    fn number(
        &mut self,
        level: &Level,
        new: NewStates,
        ranking: &mut Ranking,
    ) -> Result<(u64, Vec<u32>), Error> {
        let (peers, chunk) = (self.routes.peers, self.worker.chunk());
        let (count, out) = (ranking.count(), self.owned.out);
        let mut ranks = vec![Vec::new(); peers];
        let mut counts = vec![0; peers];
        let standing = &mut self.standing;
        self.worker.superstep(
            &mut |send| {
                let mut outbox = Outbox::new(&mut *send, peers, chunk);
                for to in 0..peers {
                    outbox.record(to, |packet| {
                        packet.extend_from_slice(&[COUNT, out as u8]);
                        put_u64(packet, count);
                    })?;
                }
                outbox.finish()?;
                let mut outbox = Outbox::new(&mut *send, peers, chunk);
                ranking.answer(&mut outbox, RANKS)?;
                outbox.finish()
            },
            &mut |from, packet| {
                let mut records = Cursor::new(packet);
                match records.u8()? {
                    COUNT => {
                        standing.out = standing.out.max(Out::of(records.u8()?)?);
                        counts[from] = records.u64()?;
                        Ok(())
                    }
                    RANKS => Ranking::take_ranks(&mut ranks[from], &mut records),
                    _ => Err(Error::Packet),
                }
            },
        )?;
        let all: u64 = counts.iter().sum();
        if level.end() + all > MOST_STATES {
            return Err(Error::Room {
                what: "states",
                limit: MOST_STATES,
            });
        }
        self.marks.push(Mark {
            first: level.end(),
            own: self.owned.level_start as u32,
        });
        self.extend_columns();
        let mut own = Vec::with_capacity(self.owned.keys.len());
        for (place, number, source) in new.numbered(level.end(), &ranks, &counts)? {
            let state = self.owned.level_start as u32 + place;
            self.numbers.set(state as usize, number);
            if let Some(parents) = &mut self.parents {
                parents.set(state as usize, source);
            }
            own.push(state);
        }
        Ok((all, own))
    }

    /// Makes room in columns for all states of this worker.
    fn extend_columns(&mut self) {
        let states = self.owned.known.len();
        self.numbers.extend_to(states);
        if let Some(parents) = &mut self.parents {
            parents.extend_to(states);
        }
    }

    /// Tells how far this worker has come.
    fn report(&mut self, level: &Level) {
        let Some(progress) = &mut self.progress else {
            return;
        };
        let counts = self.watch.counts(level, &self.numbers, NO_ROW);
        if counts.rows + counts.transitions - self.reported < PROGRESS_EVERY {
            return;
        }
        self.reported = counts.rows + counts.transitions;
        let now = Progress {
            states: self.owned.known.len() as u64,
            explored: counts.rows,
            transitions: counts.transitions,
            level: level.index,
        };
        if progress(&now) == ControlFlow::Break(()) {
            self.owned.out = self.owned.out.max(Out::Stopped);
        }
    }

    /// Brings together what has been found. The first `rows` rows count; `new` states have been
    /// discovered in this level.
    fn finish(
        mut self,
        end: End,
        level: &Level,
        new: u64,
        rows: u64,
    ) -> Result<Explored<'m>, Error> {
        let (outcome, told) = match end {
            End::Outcome(outcome) => (outcome, None),
            End::Error(row) => {
                let (limit, text) = self.limit(row)?;
                (Outcome::LimitReached(limit), Some(text))
            }
        };
        let known = self.model.labels();
        let labels = Merged::new(
            self.worker,
            &known,
            self.expander.labels(),
            &self.watch.uses,
            rows,
        )?;
        let counts = self.watch.counts(level, &self.numbers, rows);
        let keys = level.keys();
        let own_new = match rows {
            NO_ROW => None,
            _ => {
                let keys = self.owned.keys.iter().map(|&key| keys.source(key));
                Some(keys.filter(|&source| source < rows).count() as u64)
            }
        };
        let [found, explored, transitions, deadlocks, truncated] = sums(
            self.worker,
            [
                own_new.unwrap_or_default(),
                counts.rows,
                counts.transitions,
                counts.deadlocks,
                self.model.was_truncated().into(),
            ],
        )?;
        let new = match own_new {
            None => new,
            Some(_) => found,
        };
        let is_complete = outcome == Outcome::Complete && truncated == 0;
        let (deadlock, find) = self.answers(&labels, rows, is_complete)?;
        self.owned.memory += self.owned.others;
        let memory = gather(self.worker, &self.owned.memory.to_le_bytes())?;
        let memory = memory.iter().map(|bytes| Cursor::new(bytes).u64());
        let figures = Figures {
            states: self.owned.known.len() as u64,
            transitions: counts.transitions,
            memory: self.owned.memory,
            written: self.rows.as_ref().map_or(0, RowLog::written),
            ..self.figures
        };
        let used = labels.used();
        let exploration = Exploration {
            outcome,
            told,
            states: level.end() + new,
            explored,
            transitions,
            depth: level.index + u32::from(new > 0),
            labels: Cow::Owned(labels.table),
            deadlock,
            livelock: None,
            find,
            memory: memory
                .collect::<Result<Vec<_>, _>>()?
                .into_iter()
                .max()
                .unwrap_or(0),
        };
        let rows = match (self.rows, self.keep) {
            (Some(log), Some(keep)) if outcome == Outcome::Complete => Some(KeptRows::new(
                log,
                self.numbers,
                labels.of_own,
                used,
                &exploration,
                keep.window,
            )?),
            _ => None,
        };
        Ok(Explored {
            exploration,
            deadlocks,
            rows,
            states: self.owned.known,
            figures,
        })
    }

    /// The limit of the model that is reached in this row.
    ///
    /// # Errors
    /// If it is no limit, the error of that row.
    fn limit(&mut self, row: u64) -> Result<(Limit, String), Error> {
        let own = self.error.take().filter(|(own, _)| *own == row);
        let mut told = Vec::new();
        if let Some((_, error)) = own {
            let limit = match &error {
                ExploreError::Model(error) => error.reached(),
                ExploreError::TooLarge(_) => None,
            };
            told.push(limit.map_or(0, limit_number));
            put_bytes(&mut told, error.to_string().as_bytes());
        }
        let told = gather(self.worker, &told)?;
        let Some(told) = told.iter().find(|told| !told.is_empty()) else {
            return Err(Error::Packet);
        };
        let mut told = Cursor::new(told);
        let limit = told.u8()?;
        let text = String::from_utf8_lossy(told.bytes()?);
        match LIMITS.into_iter().find(|&l| limit_number(l) == limit) {
            Some(limit) => Ok((limit, text.into_owned())),
            None => Err(model_error(ModelError::new(text))),
        }
    }
}

/// Limits that a model may reach by itself, or be ended by.
const LIMITS: [Limit; 5] = [
    Limit::States,
    Limit::Hidden,
    Limit::Channels,
    Limit::Memory,
    Limit::Model,
];

/// As it is told, from 1 on.
fn limit_number(limit: Limit) -> u8 {
    match limit {
        Limit::States => 1,
        Limit::Hidden => 2,
        Limit::Channels => 3,
        Limit::Memory => 4,
        Limit::Model => 5,
    }
}

fn too_large(error: hyades_formats::TooLarge) -> Error {
    Error::Explore(ExploreError::TooLarge(error))
}

/// States are numbered by 40 bits.
const MOST_STATES: u64 = 1 << 40;

/// How many rows and transitions of a worker pass between two calls of the progress callback.
const PROGRESS_EVERY: u64 = 1 << 16;
