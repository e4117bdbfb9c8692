//! The successors of consecutive states, as the model gives them.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicU32;

use hyades_formats::{LabelId, LabelTable, TooLarge};

use super::emit::Emit;
use super::error::{ExploreError, ModelError};
use super::shape::Shape;
use super::store::Store;

/// The transitions of consecutive states, whose targets are not looked up yet.
///
/// The rank of a transition is its place in the columns.
#[derive(Default)]
pub(super) struct Chunk {
    /// The first source.
    pub first: u32,
    /// The sources, [`Store::words`] words each.
    sources: Vec<u64>,
    /// The targets, [`Store::words`] words each.
    words: Vec<u64>,
    /// New labels have numbers from [`Fresh::base`] on.
    pub labels: Vec<LabelId>,
    /// Where the row of each source ends.
    pub ends: Vec<u32>,
    /// What is known of the targets' numbers.
    pub results: Vec<AtomicU32>,
    /// The labels that are not in the table yet.
    pub fresh: Fresh,
    /// Why there are fewer rows than sources.
    pub stop: Option<Stop>,
}

/// States by their numbers.
#[derive(Clone, Debug)]
pub(super) enum Sources<'a> {
    Consecutive(Range<u32>),
    Listed(&'a [u32]),
}

impl<'a> Sources<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Sources::Consecutive(range) => range.len(),
            Sources::Listed(numbers) => numbers.len(),
        }
    }

    fn first(&self) -> u32 {
        match self {
            Sources::Consecutive(range) => range.start,
            Sources::Listed(numbers) => numbers.first().copied().unwrap_or_default(),
        }
    }

    /// Those at these places.
    pub(super) fn part(&self, places: Range<usize>) -> Sources<'a> {
        match self {
            Sources::Consecutive(range) => {
                let at = |place: usize| range.start + place as u32;
                Sources::Consecutive(at(places.start)..at(places.end))
            }
            Sources::Listed(numbers) => Sources::Listed(&numbers[places]),
        }
    }
}

/// Why the rows of a [`Chunk`] end.
pub(super) enum Stop {
    /// The next row does not fit.
    Full,
    /// The next row has an error; its transitions before that are there.
    Error(ExploreError),
}

/// A model with memory to compute successors in.
pub trait Worker: Send {
    /// As [`Model::successors`](super::Model::successors).
    fn successors(&mut self, state: &[u64], emit: &mut dyn Emit) -> Result<(), ModelError>;

    /// The rows of states that stand one behind the other, until the chunk has enough.
    fn rows(&mut self, states: &[u64], gather: &mut Gather<'_>);
}

/// Where the labels of transitions come from, and how many transitions a chunk
/// holds.
pub(super) struct Gathering<'a> {
    pub labels: &'a LabelTable,
    pub shape: &'a Shape,
    pub capacity: usize,
    /// See [`Emit::most_targets`].
    pub most: usize,
}

impl Chunk {
    /// Fills the chunk with the rows of these states.
    pub(super) fn gather(
        &mut self,
        worker: &mut dyn Worker,
        store: &impl Store,
        sources: &Sources<'_>,
        gathering: &Gathering<'_>,
    ) {
        self.first = sources.first();
        self.words.clear();
        self.labels.clear();
        self.ends.clear();
        self.fresh.start(gathering.labels.len());
        self.stop = None;
        self.words.reserve(gathering.capacity * store.words());
        self.labels.reserve(gathering.capacity);
        let words = store.words();
        let mut states = std::mem::take(&mut self.sources);
        states.clear();
        states.resize(sources.len() * words, 0);
        let read = |source: u32, state: &mut [u64]| store.read(source, state);
        let places = states.chunks_exact_mut(words);
        match sources {
            Sources::Consecutive(sources) => {
                sources.clone().zip(places).for_each(|(s, p)| read(s, p));
            }
            Sources::Listed(sources) => {
                sources.iter().zip(places).for_each(|(&s, p)| read(s, p));
            }
        }
        let mut gather = Gather {
            chunk: self,
            gathering,
            words,
            begin: 0,
        };
        worker.rows(&states, &mut gather);
        self.sources = states;
        self.results
            .resize_with(self.labels.len(), AtomicU32::default);
    }

    /// Instead of rows: one transition to each of these states, which stand one behind the
    /// other.
    pub(super) fn hold(&mut self, states: &[u64], words: usize) {
        self.words.clear();
        self.words.extend_from_slice(states);
        self.labels.clear();
        self.labels.resize(states.len() / words, LabelId::HIDDEN);
        self.ends.clear();
        self.results
            .resize_with(self.labels.len(), AtomicU32::default);
    }

    /// The source of a row.
    pub(super) fn source(&self, row: usize, words: usize) -> &[u64] {
        &self.sources[row * words..][..words]
    }

    /// The target of the transition with this rank.
    #[inline(always)]
    pub(super) fn target(&self, rank: usize, words: usize) -> &[u64] {
        &self.words[rank * words..][..words]
    }

    /// The targets of the first transitions.
    pub(super) fn targets(&self, count: usize, words: usize) -> &[u64] {
        &self.words[..count * words]
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        8 * (self.words.capacity() + self.sources.capacity())
            + 4 * (self.labels.capacity() + self.ends.capacity() + self.results.capacity())
    }
}

/// Takes the transitions of states, one after the other.
pub struct Gather<'a> {
    chunk: &'a mut Chunk,
    gathering: &'a Gathering<'a>,
    words: usize,
    /// Where the row of the state begins.
    begin: usize,
}

hyades_base::opaque!(Gather<'_>);

impl Gather<'_> {
    /// How many words a state has.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The transitions of the next state follow.
    #[inline(always)]
    pub(super) fn begin_row(&mut self) {
        self.begin = self.chunk.labels.len();
    }

    /// The transitions of a state are all there; whether those of another may follow.
    #[inline(always)]
    pub(super) fn end_row(&mut self, result: Result<(), ModelError>) -> ControlFlow<()> {
        if let Err(error) = result {
            self.stop(Stop::Error(error.into()));
        }
        match self.chunk.stop {
            None => {}
            Some(Stop::Full) => {
                self.chunk.labels.truncate(self.begin);
                return ControlFlow::Break(());
            }
            // The limit on states may come before the error.
            Some(Stop::Error(_)) => return ControlFlow::Break(()),
        }
        self.chunk.ends.push(self.chunk.labels.len() as u32);
        ControlFlow::Continue(())
    }

    #[cold]
    fn stop(&mut self, stop: Stop) {
        if self.chunk.stop.is_none() {
            self.chunk.stop = Some(stop);
        }
    }
}

impl Emit for Gather<'_> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        match self.chunk.fresh.label(self.gathering.labels, text) {
            Ok(label) => label,
            Err(error) => {
                self.stop(Stop::Error(error.into()));
                LabelId::HIDDEN
            }
        }
    }

    #[inline(always)]
    fn transition(&mut self, label: LabelId, target: &[u64]) {
        let Gathering {
            shape, capacity, ..
        } = self.gathering;
        if self.chunk.labels.len() >= *capacity {
            self.stop(Stop::Full);
            return;
        }
        let labels = self.chunk.fresh.end();
        if let Err(error) = shape.check_transition(label, labels, target) {
            self.stop(Stop::Error(error.into()));
            return;
        }
        self.chunk.labels.push(label);
        self.chunk.words.extend_from_slice(&target[..self.words]);
    }

    fn is_done(&self) -> bool {
        self.chunk.stop.is_some()
    }

    fn most_targets(&self) -> usize {
        self.gathering.most
    }
}

/// Labels that are met for the first time, with numbers of their own from the
/// end of the table of known ones on.
#[derive(Default)]
pub(super) struct Fresh {
    base: usize,
    /// The first of them has number 1 here.
    table: LabelTable,
    /// Their final numbers, where these are known, or 0.
    numbers: Vec<u32>,
}

impl Fresh {
    /// Forgets all labels; so many are known.
    #[inline]
    pub(super) fn start(&mut self, known: usize) {
        self.base = known;
        if !self.table.is_empty() {
            self.table = LabelTable::new();
            self.numbers.clear();
        }
    }

    /// Where the numbers of known labels end, and those of fresh ones begin.
    pub(super) fn base(&self) -> usize {
        self.base
    }

    /// One past the last number that a label has.
    #[inline(always)]
    pub(super) fn end(&self) -> usize {
        self.base + self.table.len() - 1
    }

    /// The number of a label that may be known or not. Labels of the table from
    /// [`Fresh::base`] on do not count as known.
    pub(super) fn label(&mut self, known: &LabelTable, text: &[u8]) -> Result<LabelId, TooLarge> {
        if let Some(label) = known.find(text)
            && label.index() < self.base
        {
            return Ok(label);
        }
        let label = self.table.intern(text)?;
        let number = self.base as u64 + u64::from(label.get()) - 1;
        if number >= LabelId::MAX_COUNT {
            return Err(TooLarge {
                what: "labels",
                limit: LabelId::MAX_COUNT,
            });
        }
        Ok(LabelId::new(number as u32))
    }

    /// The final number of a label with a number from [`Fresh::base`] on, which
    /// is entered into the table of known labels unless it is there.
    #[cold]
    pub(super) fn settle(
        &mut self,
        label: LabelId,
        known: &mut LabelTable,
    ) -> Result<LabelId, TooLarge> {
        let fresh = label.index() - self.base + 1;
        if self.numbers.len() <= fresh {
            self.numbers.resize(self.table.len(), 0);
        }
        if self.numbers[fresh] == 0 {
            let text = self.table.text(LabelId::new(fresh as u32));
            self.numbers[fresh] = known.intern(text)?.get();
        }
        Ok(LabelId::new(self.numbers[fresh]))
    }
}
