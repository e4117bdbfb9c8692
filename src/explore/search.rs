//! The breadth-first search.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;

use hyades_formats::{LabelId, LabelTable, Lts, StateId, TooLarge};

use super::model::{Emit, Model, ModelError, Shape, words};
use super::sink::Sink;
use super::store::{NumberStore, PackedStore, Store};
use super::trace::{HiddenSteps, Parents, Trace};

/// What to explore for, and how far. The default explores everything and asks
/// nothing.
#[derive(Default)]
pub struct Search<'a> {
    /// When to give up.
    pub limits: Limits,
    /// What to answer on the way.
    pub questions: Questions<'a>,
    /// End as soon as all questions are answered; for callers who want the
    /// answers and not the state space. Without questions nothing is explored
    /// but the initial state.
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
    /// Bytes held by the explorer's tables and the sink in the end.
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
/// first, and gives their transitions to `sink`.
///
/// States are numbered in order of discovery, the initial state is 0; the
/// numbering, and so all results, depend on the model only. Time: one call of
/// the model a state and one look-up a transition. Memory: the states' bytes
/// and an index of about 5 to 10 bytes a state ([`Model::numbers`]: 4 bytes a
/// number and a state), 8 bytes a state if a question is asked, and for the
/// livelock question 4 bytes a state and a hidden transition, and 12 bytes a
/// state in the end.
///
/// # Errors
/// If the model fails, or there are too many states or labels. A limit is not
/// an error: see [`Exploration::outcome`].
pub fn explore<'m, M: Model>(
    model: &'m M,
    search: Search<'_>,
    sink: &mut impl Sink,
) -> Result<Exploration<'m>, ExploreError> {
    Ok(match model.numbers() {
        Some(bound) => run(model, search, sink, NumberStore::new(bound))?.0,
        None => run(model, search, sink, PackedStore::new(model.bits()))?.0,
    })
}

/// How many transitions pass between two calls of the progress callback.
const PROGRESS_EVERY: u64 = 1 << 16;

/// As [`explore`], with the states that were found.
pub(super) fn run<'m, M: Model, S: Store>(
    model: &'m M,
    search: Search<'_>,
    sink: &mut impl Sink,
    store: S,
) -> Result<(Exploration<'m>, S), ExploreError> {
    let Search {
        limits,
        questions,
        stop_when_answered,
        mut progress,
    } = search;
    let asked = questions.any();
    let labels = model.labels();
    let mut frontier = Frontier {
        finders: Finders::new(&questions.find),
        labels,
        store,
        sink,
        parents: asked.then(Parents::new),
        hidden: questions.livelock.then(HiddenSteps::new),
        max_states: limits.max_states.map_or(usize::MAX, |n| {
            usize::try_from(n.max(1)).unwrap_or(usize::MAX)
        }),
        max_memory: limits
            .max_memory
            .map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
        shape: Shape::new(model),
        source: 0,
        transitions: 0,
        end: None,
    };

    let mut state = vec![0; words(model.bits())];
    model.initial(&mut state)?;
    if let Err(error) = frontier.shape.check(&state) {
        return Err(ModelError::new(format!("initial state: {error}")).into());
    }
    frontier.discover(&state, None);

    let mut scratch = model.scratch();
    let mut deadlock = None;
    let mut level = 0;
    let mut level_end = 1;
    let mut reported = 0;
    let mut explored = 0;
    while frontier.end.is_none() && explored < frontier.store.len() {
        if stop_when_answered
            && !questions.livelock
            && (!questions.deadlock || deadlock.is_some())
            && frontier.finders.all_found()
        {
            frontier.end = Some(End::Outcome(Outcome::Answered));
            break;
        }
        if explored == level_end {
            level += 1;
            level_end = frontier.store.len();
        }
        state.copy_from_slice(frontier.store.get(explored as u32));
        frontier.source = explored as u32;
        let before = frontier.transitions;
        model.successors(&mut scratch, &state, &mut frontier)?;
        if frontier.end.is_some() {
            break;
        }
        if questions.deadlock && deadlock.is_none() && frontier.transitions == before {
            deadlock = Some(explored as u32);
        }
        explored += 1;
        frontier.end_of_state();
        if let Some(report) = &mut progress
            && frontier.transitions + explored as u64 - reported >= PROGRESS_EVERY
        {
            reported = frontier.transitions + explored as u64;
            let now = Progress {
                states: frontier.store.len() as u64,
                explored: explored as u64,
                transitions: frontier.transitions,
                level,
            };
            if report(&now).is_break() {
                frontier.end = Some(End::Outcome(Outcome::Stopped));
            }
        }
    }

    let outcome = match frontier.end {
        None => Outcome::Complete,
        Some(End::Outcome(outcome)) => outcome,
        Some(End::Error(error)) => return Err(error),
    };
    let unseen = match outcome {
        Outcome::Complete => Answer::No,
        _ => Answer::Unknown,
    };
    // States beyond the level being explored are one step further away.
    let states = frontier.store.len();
    let depth = level + u32::from(states > level_end);
    let memory = frontier.memory() as u64;
    let Frontier {
        labels,
        store,
        parents,
        hidden,
        finders,
        transitions,
        ..
    } = frontier;
    let path = |to: u32| -> Trace {
        let parents = parents
            .as_ref()
            .expect("parents are kept if there is a question");
        parents.path_to(to, &store)
    };
    let livelock = hidden.map(|hidden| match hidden.nearest_cycle(states) {
        Some(cycle) => {
            let mut trace = path(cycle[0]);
            trace.close_cycle(&cycle, &store);
            Answer::Yes(trace)
        }
        None => unseen.clone(),
    });
    let find = finders
        .found
        .iter()
        .map(|step| match *step {
            Some((source, label, target)) => {
                let mut trace = path(source);
                trace.push(label, target, &store);
                Answer::Yes(trace)
            }
            None => unseen.clone(),
        })
        .collect();
    let deadlock = questions
        .deadlock
        .then(|| deadlock.map_or(unseen.clone(), |state| Answer::Yes(path(state))));
    let exploration = Exploration {
        outcome,
        states: states as u64,
        transitions,
        depth,
        labels,
        deadlock,
        livelock,
        find,
        memory,
    };
    Ok((exploration, store))
}

/// What ends the search early.
enum End {
    Outcome(Outcome),
    Error(ExploreError),
}

/// All that changes when the model hands over a transition.
struct Frontier<'m, 'q, S, K> {
    labels: Cow<'m, LabelTable>,
    store: S,
    sink: &'q mut K,
    parents: Option<Parents>,
    hidden: Option<HiddenSteps>,
    finders: Finders<'q>,
    max_states: usize,
    max_memory: Option<usize>,
    shape: Shape,
    /// The state whose transitions the model is asked for.
    source: u32,
    transitions: u64,
    end: Option<End>,
}

impl<S: Store, K: Sink> Frontier<'_, '_, S, K> {
    /// Bytes held at the peak of taking one more transition to a new state.
    fn memory(&self) -> usize {
        self.store.peak_of_next()
            + self.parents.as_ref().map_or(0, Parents::peak_of_next)
            + self.hidden.as_ref().map_or(0, HiddenSteps::peak_of_next)
            + self.sink.peak_of_next()
    }

    /// The number of this state, or `None` and an end if it cannot have one.
    #[inline]
    fn discover(&mut self, state: &[u64], from: Option<(u32, LabelId)>) -> Option<u32> {
        const ALL: usize = StateId::MAX_COUNT as usize;
        if let Some((number, new)) = self.store.insert(state, self.max_states.min(ALL)) {
            if new && let Some(parents) = &mut self.parents {
                parents.push(from);
            }
            return Some(number);
        }
        self.end = Some(if self.store.len() < ALL {
            End::Outcome(Outcome::LimitReached(Limit::States))
        } else {
            End::Error(ExploreError::TooLarge(TooLarge {
                what: "states",
                limit: StateId::MAX_COUNT,
            }))
        });
        None
    }

    fn end_of_state(&mut self) {
        if let Some(hidden) = &mut self.hidden {
            hidden.end_of_state();
        }
        if self.sink.end_of_state(StateId::new(self.source)).is_break() {
            self.end = Some(End::Outcome(Outcome::Stopped));
        }
    }
}

impl<S: Store, K: Sink> Emit for Frontier<'_, '_, S, K> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        if let Some(label) = self.labels.find(text) {
            return label;
        }
        match self.labels.to_mut().intern(text) {
            Ok(label) => label,
            Err(error) => {
                self.end = Some(End::Error(error.into()));
                LabelId::HIDDEN
            }
        }
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        if self.end.is_some() {
            return;
        }
        if label.index() >= self.labels.len() {
            let error = ModelError::new(format!(
                "a transition has label {}, but the last label is {}",
                label.get(),
                self.labels.len() - 1
            ));
            self.end = Some(End::Error(error.into()));
            return;
        }
        if let Err(error) = self.shape.check(target) {
            self.end = Some(End::Error(error.into()));
            return;
        }
        if let Some(most) = self.max_memory
            && self.memory() > most
        {
            self.end = Some(End::Outcome(Outcome::LimitReached(Limit::Memory)));
            return;
        }
        let Some(target) = self.discover(target, Some((self.source, label))) else {
            return;
        };
        self.transitions += 1;
        if label.is_hidden()
            && let Some(hidden) = &mut self.hidden
        {
            if hidden.is_full() {
                self.end = Some(End::Error(ExploreError::TooLarge(TooLarge {
                    what: "transitions",
                    limit: Lts::MAX_TRANSITIONS,
                })));
                return;
            }
            hidden.push(target);
        }
        self.finders.see(self.source, label, target, &self.labels);
        let (source, target) = (StateId::new(self.source), StateId::new(target));
        if self.sink.transition(source, label, target).is_break() {
            self.end = Some(End::Outcome(Outcome::Stopped));
        }
    }
}

/// The predicates of [`Questions::find`] and the first transition that each
/// holds of.
struct Finders<'q> {
    predicates: &'q [LabelPredicate<'q>],
    found: Vec<Option<(u32, LabelId, u32)>>,
    missing: usize,
    /// Whether the predicates have been asked about the label.
    asked: Vec<bool>,
}

impl<'q> Finders<'q> {
    fn new(predicates: &'q [LabelPredicate<'q>]) -> Self {
        Self {
            predicates,
            found: vec![None; predicates.len()],
            missing: predicates.len(),
            asked: Vec::new(),
        }
    }

    fn all_found(&self) -> bool {
        self.missing == 0
    }

    #[inline]
    fn see(&mut self, source: u32, label: LabelId, target: u32, labels: &LabelTable) {
        if self.missing > 0 && !self.asked.get(label.index()).is_some_and(|&asked| asked) {
            self.ask(source, label, target, labels);
        }
    }

    /// A label is asked about when it first occurs, so a predicate that holds
    /// of it is found there, if not before.
    #[cold]
    fn ask(&mut self, source: u32, label: LabelId, target: u32, labels: &LabelTable) {
        if self.asked.len() <= label.index() {
            self.asked.resize(labels.len(), false);
        }
        self.asked[label.index()] = true;
        for (predicate, found) in self.predicates.iter().zip(&mut self.found) {
            if found.is_none() && predicate(label, labels.text(label)) {
                *found = Some((source, label, target));
                self.missing -= 1;
            }
        }
    }
}
