//! What can be done to a system, as it is logged and done again.

use std::collections::HashMap;
use std::fmt;

use hyades_explore::{ExploreError, Limits};
use hyades_formats::StateId;

use super::analysis::analyse;
use super::compose::{ComposeError, Composed};
use super::contents::Contents;
use super::event::{ComponentId, Transition};
use super::merge::representatives;
use super::model::{Beyond, Semantics, SystemModel};
use super::rules::{Application, Refusal};
use super::strategy::Reducer;
use super::system::System;

/// A change of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// One of the rules Θ1…Θ6 is applied to a component, and what cannot be reached
    /// any more goes.
    Rule(ComponentId, Application),
    /// What a component cannot reach goes (Θrch).
    Trim(ComponentId),
    /// These transitions of a component go, which the system never executes. It is
    /// explored beyond overfilled channels if that is said here or of all actions.
    Unexecuted(ComponentId, Vec<Transition>, Beyond),
    /// States of a component are replaced by equivalent ones (Θmes): the first of each
    /// pair by the second, which remains. The initial state is not replaced.
    Merge(ComponentId, Vec<(StateId, StateId)>),
    /// Components become one, with this name (Θcsm).
    Compose(Vec<ComponentId>, String),
    /// States get new numbers, as by [`System::renumbered`].
    Renumber,
}

/// Why an action is not possible.
#[derive(Debug)]
pub enum ActionError {
    /// The rule is not applicable.
    Refused(Refusal),
    /// The component has no such transition, or the system executes it.
    Executed(Transition),
    /// These states are not equivalent, or one of them cannot be reached.
    NotEquivalent(StateId, StateId),
    /// A state cannot be replaced by another one.
    Irreplaceable {
        /// What was to be replaced.
        state: StateId,
        /// By what.
        by: StateId,
        /// Why not: the end of a sentence.
        why: &'static str,
    },
    /// The system could not be explored to its end.
    Incomplete,
    /// This channel is overfilled, beyond which nothing was explored.
    Overfilled(String),
    /// Exploring it failed.
    Explore(ExploreError),
    /// The components cannot be taken as one.
    Compose(ComposeError),
}

impl fmt::Display for ActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ActionError::Refused(refusal) => refusal.fmt(f),
            ActionError::Executed(t) => write!(
                f,
                "the system executes the transition from {} to {}, or there is none",
                t.source.get(),
                t.target.get()
            ),
            ActionError::NotEquivalent(a, b) => {
                write!(f, "states {} and {} are not equivalent", a.get(), b.get())
            }
            ActionError::Irreplaceable { state, by, why } => write!(
                f,
                "state {} cannot be replaced by {}: {why}",
                state.get(),
                by.get()
            ),
            ActionError::Incomplete => f.write_str(
                "the system could not be explored to its end, so that nothing is known of what \
                 it never executes",
            ),
            ActionError::Overfilled(channel) => write!(
                f,
                "channel {channel} is overfilled, beyond which nothing was explored, so that \
                 nothing is known of what the system never executes; explore beyond it \
                 (--beyond-overfilled)"
            ),
            ActionError::Explore(error) => error.fmt(f),
            ActionError::Compose(error) => error.fmt(f),
        }
    }
}

impl ActionError {
    /// Whether the reason is a limit, so that there is no verdict: with another one it
    /// may be possible, if there are not infinitely many states.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            ActionError::Incomplete
                | ActionError::Overfilled(_)
                | ActionError::Compose(
                    ComposeError::Bound(_) | ComposeError::Unbounded(_) | ComposeError::Limit
                )
        )
    }
}

impl From<Refusal> for ActionError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// What is known of components while rules are applied to them one after the other:
/// what their private channels hold, and that they have nothing which cannot be reached.
/// To be forgotten when a system is changed otherwise.
#[derive(Default, Debug)]
pub struct KnownContents(HashMap<ComponentId, Contents>);

/// How far systems are explored for actions that need it.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// How.
    pub semantics: Semantics,
    /// How far.
    pub limits: Limits,
}

impl System {
    /// Does an action; what it made of components if it composed them.
    ///
    /// # Errors
    /// If it is not possible; then nothing is changed.
    pub fn perform(
        &mut self,
        action: &Action,
        reach: &Reach,
    ) -> Result<Option<Composed>, ActionError> {
        self.perform_knowing(action, reach, &mut KnownContents::default())
    }

    /// As [`System::perform`]; what is known from actions before need not be looked for
    /// again.
    ///
    /// # Errors
    /// As for [`System::perform`].
    pub fn perform_knowing(
        &mut self,
        action: &Action,
        reach: &Reach,
        known: &mut KnownContents,
    ) -> Result<Option<Composed>, ActionError> {
        if !matches!(action, Action::Rule(..) | Action::Trim(_)) {
            known.0.clear();
        }
        match action {
            Action::Rule(id, application) => {
                let mut reducer = match known.0.remove(id) {
                    Some(contents) => Reducer::again(self, *id, contents),
                    None => Reducer::new(self, *id),
                };
                let change = reducer.apply(application.clone());
                known.0.insert(*id, reducer.into_contents());
                change?;
            }
            Action::Trim(id) => {
                self.machine_mut(*id).trim();
            }
            Action::Unexecuted(id, transitions, beyond) => {
                let mut reach = *reach;
                if *beyond == Beyond::Expand {
                    reach.semantics.beyond = Beyond::Expand;
                }
                let never = self.unexecuted(&reach)?;
                let is_never = |t: &&Transition| !never[id.index()].contains(t);
                if let Some(transition) = transitions.iter().find(is_never) {
                    return Err(ActionError::Executed(transition.clone()));
                }
                for transition in transitions {
                    self.machine_mut(*id).remove(transition);
                }
            }
            Action::Merge(id, pairs) => {
                let of = self.replacements(*id, pairs)?;
                self.machine_mut(*id).merge(&of);
            }
            Action::Compose(members, name) => {
                let bound = reach.semantics.channel_bound;
                let composed = Composed::new(self, members, name, bound, reach.limits);
                let composed = composed.map_err(ActionError::Compose)?;
                *self = composed.system.clone();
                return Ok(Some(composed));
            }
            Action::Renumber => *self = self.renumbered(),
        }
        Ok(None)
    }

    /// What takes the place of each state of a component if the first of each pair is
    /// replaced by the second.
    ///
    /// # Errors
    /// If some states are not equivalent, or the second of a pair would not remain, or
    /// a state would be replaced twice or is initial.
    fn replacements(
        &self,
        id: ComponentId,
        pairs: &[(StateId, StateId)],
    ) -> Result<Vec<StateId>, ActionError> {
        let machine = self.machine(id);
        let classes = self.representatives(id);
        let states = (0..machine.states()).map(StateId::from_index);
        let mut of: Vec<StateId> = states.collect();
        for &(state, by) in pairs {
            let irreplaceable = |why| Err(ActionError::Irreplaceable { state, by, why });
            let class = |state: StateId| classes.get(state.index());
            if state == by {
                return irreplaceable("it is the same; expected two states");
            }
            if class(state).is_none() || class(state) != class(by) {
                return Err(ActionError::NotEquivalent(state, by));
            }
            if state == machine.initial() {
                return irreplaceable("it is the initial state; expected that to be the second");
            }
            if of[state.index()] != state {
                return irreplaceable("it is replaced before; expected each state once");
            }
            of[state.index()] = by;
        }
        let is_replaced = |state: StateId| of[state.index()] != state;
        match pairs.iter().find(|(_, by)| is_replaced(*by)) {
            None => Ok(of),
            Some(&(state, by)) => Err(ActionError::Irreplaceable {
                state,
                by,
                why: "that is replaced itself; expected a state that remains",
            }),
        }
    }

    /// The transitions of each component that the system never executes.
    ///
    /// # Errors
    /// If it cannot be explored to its end, or a link is overfilled and nothing is
    /// explored beyond.
    pub fn unexecuted(&self, reach: &Reach) -> Result<Vec<Vec<Transition>>, ActionError> {
        let model = SystemModel::new(self, reach.semantics);
        let model = model.map_err(|error| ActionError::Explore(error.into()))?;
        let found = analyse(&model, reach.limits, None, None).map_err(ActionError::Explore)?;
        if !found.is_complete() {
            return Err(ActionError::Incomplete);
        }
        if let Some(channel) = found.stopped_by(&model) {
            let name = self.channel(channel).name.clone();
            return Err(ActionError::Overfilled(name));
        }
        let mut never = vec![Vec::new(); self.components().len()];
        for ((id, transition), executed) in model.transitions().iter().zip(found.executed) {
            if !executed {
                never[id.index()].push(transition.clone());
            }
        }
        Ok(never)
    }

    /// Which states stand for those of a component; see [`representatives`].
    ///
    /// # Panics
    /// If the contents of private channels are no function of the state, which they
    /// are in a system that was read.
    pub fn representatives(&self, id: ComponentId) -> Vec<StateId> {
        let contents = self.contents(id);
        let contents = contents.expect("contents are a function of the state");
        representatives(self.machine(id), &contents)
    }
}
