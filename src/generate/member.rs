//! Models of families, explored.

use std::borrow::Cow;

use hyades_explore::{
    Exploration, ExploreError, ExploreOptions, Limit, Limits, LtsSink, Model, Outcome, Sink,
    explore,
};
use hyades_formats::{LabelTable, Lts};

use super::GenerateError;

/// A member of a family whose size is known before it is explored.
pub struct Member {
    states: u64,
    transitions: u64,
    model: Box<dyn Explorable>,
}

hyades_base::opaque!(Member);

/// A model of whatever type.
trait Explorable {
    fn labels(&self) -> Cow<'_, LabelTable>;

    fn explore(
        &self,
        search: ExploreOptions<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Exploration<'_>, ExploreError>;
}

impl<M: Model> Explorable for M {
    fn labels(&self) -> Cow<'_, LabelTable> {
        Model::labels(self)
    }

    fn explore(
        &self,
        search: ExploreOptions<'_>,
        mut sink: &mut dyn Sink,
    ) -> Result<Exploration<'_>, ExploreError> {
        explore(self, search, &mut sink)
    }
}

impl Member {
    /// The model has so many states and transitions, all reachable; its states
    /// are [numbers](Model::numbers) and it never fails.
    pub(super) fn new(model: impl Model + 'static, states: u64, transitions: u64) -> Self {
        Self {
            states,
            transitions,
            model: Box::new(model),
        }
    }

    /// How many states there are; the initial one is 0.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// How many transitions there are.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// All labels.
    pub fn labels(&self) -> Cow<'_, LabelTable> {
        self.model.labels()
    }

    /// Gives all transitions to `sink`, in the order and with the numbers of
    /// the LTS that [`Family::generate`](super::Family::generate) makes.
    /// O(states + transitions), 8 bytes a state. Whether the sink took them all.
    pub fn explore(&self, sink: &mut impl Sink) -> bool {
        let found = self.model.explore(ExploreOptions::default(), sink);
        let found = found.expect("these models do not fail, and their states have been counted");
        found.outcome == Outcome::Complete
    }

    /// The member as a whole.
    ///
    /// O(states + transitions).
    ///
    /// # Errors
    /// If it is larger than the limits allow, or than an LTS can be.
    pub fn into_lts(self, limits: Limits) -> Result<Lts, GenerateError> {
        // The table of numbers exists whatever is reached in the end.
        let table = 4 * self.states;
        if limits.max_memory.is_some_and(|most| table > most) {
            return Err(GenerateError::LimitReached(Limit::Memory));
        }
        lts(&*self.model, limits)
    }
}

/// The LTS of a model.
pub(super) fn explored(model: &impl Model, limits: Limits) -> Result<Lts, GenerateError> {
    lts(model, limits)
}

fn lts(model: &dyn Explorable, limits: Limits) -> Result<Lts, GenerateError> {
    let mut sink = LtsSink::new();
    let search = ExploreOptions {
        limits,
        ..ExploreOptions::default()
    };
    let found = model.explore(search, &mut sink);
    let found = found.map_err(|error| match error {
        ExploreError::TooLarge(error) => GenerateError::TooLarge(error),
        ExploreError::Model(error) => GenerateError::Values(error.to_string()),
    })?;
    match found.outcome {
        Outcome::LimitReached(limit) => Err(GenerateError::LimitReached(limit)),
        // The sink stops when it is full, and says so when it is finished.
        Outcome::Complete | Outcome::Answered | Outcome::Stopped => {
            Ok(sink.finish(found.labels.into_owned())?)
        }
    }
}
