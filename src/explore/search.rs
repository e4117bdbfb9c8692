//! What to search for, and what is found.

use std::borrow::Cow;
use std::ops::ControlFlow;

use hyades_formats::{LabelId, LabelTable};

use super::error::Limit;
use super::trace::Trace;

/// What to explore for, and how far. The default explores everything and asks
/// nothing.
#[derive(Default)]
pub struct ExploreOptions<'a> {
    /// When to give up.
    pub limits: Limits,
    /// What to answer on the fly.
    pub questions: Questions<'a>,
    /// End with the first state after which all questions are answered; for
    /// callers who want the answers and not the state space. Without questions
    /// nothing is explored but the initial state.
    pub stop_when_answered: bool,
    /// Called every now and then; `Break` ends the exploration.
    pub progress: Option<&'a mut ProgressCallback<'a>>,
}

hyades_base::opaque!(ExploreOptions<'_>: limits, questions, stop_when_answered);

impl ExploreOptions<'_> {
    /// Whether there is a question or a limit, so that there is something to
    /// tell but the state space.
    pub(super) fn asks_or_limits(&self) -> bool {
        self.questions.any() || self.limits != Limits::default()
    }
}

/// What is called with the state of the work; see [`ExploreOptions::progress`].
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

hyades_base::opaque!(Questions<'_>: deadlock, livelock);

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

/// The result of [`explore`](super::explore()).
#[derive(Debug)]
pub struct Exploration<'m> {
    /// How it ended.
    pub outcome: Outcome,
    /// What the model says of a limit that it has reached, in words for the user.
    pub told: Option<String>,
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
