//! How large a network is, from its states up to symmetry.

use hyades_explore::{
    Exploration, ExploreError, ExploreOptions, Model, ModelError, Outcome, explore_states,
};
use rayon::prelude::*;

use super::model::SymmetricModel;
use super::representative::Strategy;

/// The sizes of the whole state space of a network with minimal components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Orbits of states.
    pub orbits: u128,
    /// States.
    pub states: u128,
    /// Transitions, each once.
    pub transitions: u128,
    /// Transitions, one for each rule and choice of targets that gives it.
    pub applications: u128,
}

impl Counts {
    /// Both together; nothing if a sum is 2^128 or more.
    pub fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            orbits: self.orbits.checked_add(other.orbits)?,
            states: self.states.checked_add(other.states)?,
            transitions: self.transitions.checked_add(other.transitions)?,
            applications: self.applications.checked_add(other.applications)?,
        })
    }
}

impl SymmetricModel<'_> {
    /// Explores the states up to symmetry, and counts those that there are without, as
    /// [`counted`](Self::counted) does. Nothing is counted if the exploration was not complete.
    ///
    /// Twice the time of an exploration; memory for the states in whole words.
    ///
    /// # Errors
    /// If the strategy is not [`Strategy::Exact`], or the exploration fails.
    pub fn count(
        &self,
        search: ExploreOptions<'_>,
    ) -> Result<(Exploration<'_>, Option<Counts>), ExploreError> {
        if self.strategy() != Strategy::Exact {
            let text = format!(
                "states are counted by the strategy exact, not {}",
                self.strategy()
            );
            return Err(ModelError::new(text).into());
        }
        let (found, states) = explore_states(self, search, &mut ())?;
        if found.outcome != Outcome::Complete {
            return Ok((found, None));
        }
        let counts = self.counted(states.len(), |k, state| {
            state.copy_from_slice(states.get(k));
        });
        Ok((found, counts))
    }

    /// Counts the states that there are without symmetry, of representatives by
    /// [`Strategy::Exact`], as many as `states`, of which `read` puts one into the words of a
    /// state: an orbit has as many states as there are permutations, divided by how many of them
    /// keep its representative. Nothing if a sum is 2^128 or more; how many permutations there
    /// are does not matter.
    pub fn counted(
        &self,
        states: usize,
        read: impl Fn(usize, &mut [u64]) + Sync,
    ) -> Option<Counts> {
        let words = self.bits().div_ceil(64).max(1);
        let order = self.symmetry().order();
        let ranges = (0..states).into_par_iter().step_by(1024);
        let counted = ranges.map(|from| {
            let mut scratch = self.scratch();
            let mut located = Vec::new();
            let mut sum = Counts::default();
            let mut state = vec![0; words];
            for k in from..states.min(from + 1024) {
                read(k, &mut state);
                let state = &state[..];
                self.symmetry().locate(state, &mut located);
                let kept = scratch.finder.least(&self.symmetry().action, &mut located);
                let (transitions, applications) = self.symmetry().degree(state, &mut scratch);
                let size = match order {
                    Some(order) => order / kept,
                    None => scratch.finder.orbit(&self.symmetry().action)?,
                };
                sum = sum.plus(Counts {
                    orbits: 1,
                    states: size,
                    transitions: size.checked_mul(transitions as u128)?,
                    applications: size.checked_mul(applications as u128)?,
                })?;
            }
            Some(sum)
        });
        let none = || Some(Counts::default());
        counted.reduce(none, |a, b| a?.plus(b?))
    }
}
