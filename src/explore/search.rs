//! What to search for, and what is found.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;

use hyades_formats::{LabelId, LabelTable, TooLarge};

use super::batch::Sizes;
use super::erased::ErasedModel;
use super::explorer::Explorer;
use super::model::{Model, ModelError, check_sizes, words};
use super::sink::Sink;
use super::store::{NumberStore, PackedStore, Store};
use super::trace::Trace;

/// What to explore for, and how far. The default explores everything and asks
/// nothing.
#[derive(Default)]
pub struct Search<'a> {
    /// When to give up.
    pub limits: Limits,
    /// What to answer on the way.
    pub questions: Questions<'a>,
    /// End with the first state after which all questions are answered; for
    /// callers who want the answers and not the state space. Without questions
    /// nothing is explored but the initial state.
    pub stop_when_answered: bool,
    /// Called every now and then; `Break` ends the exploration.
    pub progress: Option<&'a mut ProgressCallback<'a>>,
}

impl Search<'_> {
    /// Whether there is a question or a limit, so that there is something to
    /// tell but the state space.
    pub(super) fn asks_or_limits(&self) -> bool {
        self.questions.any() || self.limits != Limits::default()
    }
}

/// What is called with the state of the work; see [`Search::progress`].
pub type ProgressCallback<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// Limits of an exploration; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most states to store (at least the initial state is).
    pub max_states: Option<u64>,
    /// The most bytes that the explorer's tables and the sink may take, peaks
    /// while a table grows included. A model's own memory does not count.
    pub max_memory: Option<u64>,
}

/// Questions about a state space. Each is answered with a shortest trace.
#[derive(Default)]
pub struct Questions<'a> {
    /// Is there a reachable state without outgoing transitions?
    pub deadlock: bool,
    /// Is there a reachable cycle of hidden transitions (of length 1 or more)?
    pub livelock: bool,
    /// For each of these predicates: is there a reachable transition whose
    /// label it holds of? A predicate is asked once a label and gets the
    /// label's number and text; the hidden action's text is empty.
    pub find: Vec<LabelPredicate<'a>>,
}

impl Questions<'_> {
    /// Whether anything is asked.
    pub fn any(&self) -> bool {
        self.deadlock || self.livelock || !self.find.is_empty()
    }
}

/// A predicate on labels; see [`Questions::find`].
pub type LabelPredicate<'a> = Box<dyn Fn(LabelId, &[u8]) -> bool + 'a>;

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes, and this is a shortest way to see it.
    ///
    /// Deadlock: the trace ends in the deadlock. Label: its last step has the
    /// label. Livelock: the trace leads to the nearest state on a hidden cycle
    /// and then once around a shortest hidden cycle through that state.
    Yes(Trace),
    /// No such thing is reachable.
    No,
    /// Not seen in the part that was explored.
    Unknown,
}

/// How far the exploration has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// States found.
    pub states: u64,
    /// States of which all transitions are known.
    pub explored: u64,
    /// Transitions found.
    pub transitions: u64,
    /// The distance from the initial state of what is being explored.
    pub level: u32,
}

/// How an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All reachable states and transitions have been seen.
    Complete,
    /// All questions have been answered; there may be more states.
    Answered,
    /// A limit was reached; there are more states, or there may be.
    LimitReached(Limit),
    /// The sink or the progress callback ended it.
    Stopped,
}

/// A limit of [`Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::max_states`].
    States,
    /// The limit on hidden states that
    /// [`TauStar::with_max_states`](super::TauStar::with_max_states) sets.
    Hidden,
    /// The bound on channels of a system of machines.
    Channels,
    /// [`Limits::max_memory`].
    Memory,
}

/// The result of [`explore`].
#[derive(Debug)]
pub struct Exploration<'m> {
    /// How it ended.
    pub outcome: Outcome,
    /// States found.
    pub states: u64,
    /// States of which all transitions have been found.
    pub explored: u64,
    /// Transitions found, duplicates counted.
    pub transitions: u64,
    /// The largest distance from the initial state among the states found.
    pub depth: u32,
    /// All labels: the model's, then new ones in order of discovery.
    pub labels: Cow<'m, LabelTable>,
    /// The answer if [`Questions::deadlock`] was asked.
    pub deadlock: Option<Answer>,
    /// The answer if [`Questions::livelock`] was asked.
    pub livelock: Option<Answer>,
    /// The answers to [`Questions::find`], in the same order.
    pub find: Vec<Answer>,
    /// Bytes held by the explorer's tables and the sink at their peak.
    pub memory: u64,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExploreError {
    /// The model failed.
    Model(ModelError),
    /// More states or labels than can be numbered.
    TooLarge(TooLarge),
}

impl fmt::Display for ExploreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExploreError::Model(error) => error.fmt(f),
            ExploreError::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExploreError {}

impl From<ModelError> for ExploreError {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

impl From<TooLarge> for ExploreError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

/// Explores the states of `model` reachable from its initial state, breadth
/// first and by all threads of the current rayon pool, and gives their
/// transitions to `sink`.
///
/// States are numbered in order of discovery, the initial state is 0; the
/// numbering, and so all results, depend on the model only. Time: one call of
/// the model a state and one look-up a transition. (A state with very many
/// transitions is asked for twice.) Memory: the states' bits in whole bytes and
/// an index of 6 to 8 bytes a state ([`Model::numbers`]: 4 bytes a number and a
/// state), some MiB that do not grow, 8 bytes a state if a question is asked,
/// and for the livelock question 4 bytes a state and a hidden transition, and
/// 12 bytes a state in the end.
///
/// # Errors
/// If the model fails, or there are too many states or labels. A limit is not
/// an error: see [`Exploration::outcome`].
pub fn explore<'m, M: Model>(
    model: &'m M,
    search: Search<'_>,
    sink: &mut impl Sink,
) -> Result<Exploration<'m>, ExploreError> {
    explore_erased(model, search, sink)
}

fn explore_erased<'m>(
    model: &'m dyn ErasedModel,
    search: Search<'_>,
    sink: &mut dyn Sink,
) -> Result<Exploration<'m>, ExploreError> {
    let bits = model.bits();
    check_sizes(bits, model.numbers())?;
    Ok(match (model.numbers(), words(bits)) {
        (Some(bound), _) => run(model, search, sink, NumberStore::new(bound))?.0,
        (None, 1) => run(model, search, sink, PackedStore::<1>::new(bits))?.0,
        (None, 2) => run(model, search, sink, PackedStore::<2>::new(bits))?.0,
        (None, _) => run(model, search, sink, PackedStore::<0>::new(bits))?.0,
    })
}

/// The states that [`explore_states`] found, as the model packs them.
pub struct States {
    words: usize,
    packed: Vec<u64>,
}

impl States {
    fn of(store: &impl Store) -> Self {
        let words = store.words();
        let mut packed = vec![0; store.len() * words];
        for (number, state) in (0..).zip(packed.chunks_exact_mut(words)) {
            store.read(number, state);
        }
        Self { words, packed }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.packed.len() / self.words
    }

    /// Whether there is none: never, the initial state is one.
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// The state with this number.
    pub fn get(&self, number: usize) -> &[u64] {
        &self.packed[number * self.words..][..self.words]
    }

    /// All states, by their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.packed.chunks_exact(self.words)
    }
}

/// As [`explore`], with the states that were found.
pub fn explore_states<'m, M: Model>(
    model: &'m M,
    search: Search<'_>,
    sink: &mut impl Sink,
) -> Result<(Exploration<'m>, States), ExploreError> {
    explore_erased_states(model, search, sink)
}

fn explore_erased_states<'m>(
    model: &'m dyn ErasedModel,
    search: Search<'_>,
    sink: &mut dyn Sink,
) -> Result<(Exploration<'m>, States), ExploreError> {
    let bits = model.bits();
    check_sizes(bits, model.numbers())?;
    if words(bits) == 1 {
        let (found, store) = run(model, search, sink, PackedStore::<1>::new(bits))?;
        Ok((found, States::of(&store)))
    } else {
        let (found, store) = run(model, search, sink, PackedStore::<0>::new(bits))?;
        Ok((found, States::of(&store)))
    }
}

/// As [`explore`], with the store of the states that were found.
pub(super) fn run<'m, S: Store>(
    model: &'m dyn ErasedModel,
    search: Search<'_>,
    sink: &mut dyn Sink,
    store: S,
) -> Result<(Exploration<'m>, S), ExploreError> {
    let sizes = Sizes::of(store.words());
    Explorer::new(model, search, sink, store, sizes)?.run()
}
