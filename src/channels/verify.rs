//! Whether a system has the same errors as the one it was made of.

use std::collections::{BTreeSet, HashMap};

use hyades_formats::StateId;

use super::action::{ActionError, Reach};
use super::analysis::{Analysis, analyse};
use super::compose::Composed;
use super::event::{ChannelId, ComponentId, Transition};
use super::model::{SystemModel, SystemState};
use super::system::System;

/// How states of two systems correspond.
#[derive(Clone, Copy, Debug)]
pub enum Correspondence<'a> {
    /// By their numbers.
    Same,
    /// So, but for one component in which states were replaced by equivalent ones:
    /// those are the same for which the same state stands.
    Merged(ComponentId, &'a [StateId]),
    /// Some components are one in the second system.
    Composed(&'a Composed),
}

/// Something that only one of two systems has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// A dead state, as the second system calls it.
    Dead(SystemState),
    /// A channel that can be overfilled.
    Overfilled(ChannelId),
    /// Any link channel that can be overfilled.
    AnyOverfilled,
    /// A transition that can be executed, as the second system calls it.
    Executable(ComponentId, Transition),
}

/// What [`verify`] found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Verified {
    /// What only the first system has.
    pub only_before: Vec<Difference>,
    /// What only the second system has.
    pub only_after: Vec<Difference>,
    /// Whether as much as is needed was explored: without a difference, whether there is
    /// none.
    pub is_complete: bool,
    /// Whether link channels are overfilled, beyond which nothing was explored: then
    /// no more is compared than whether any is.
    pub is_verdict_only: bool,
}

impl Verified {
    /// Whether there is no difference.
    pub fn holds(&self) -> bool {
        self.only_before.is_empty() && self.only_after.is_empty()
    }
}

/// What is to be the same.
#[derive(Default)]
struct Errors {
    dead: BTreeSet<SystemState>,
    overflowing: BTreeSet<ChannelId>,
    executed: BTreeSet<(ComponentId, Transition)>,
    transitions: BTreeSet<(ComponentId, Transition)>,
}

impl Errors {
    fn new(
        model: &SystemModel<'_>,
        found: &Analysis,
        state: impl Fn(SystemState) -> Option<SystemState>,
        transition: impl Fn(ComponentId, &Transition) -> Option<(ComponentId, Transition)>,
    ) -> Self {
        let mut errors = Self::default();
        for &dead in &found.dead {
            errors.dead.extend(state(found.state(model, dead)));
        }
        errors.overflowing = found
            .overflowing
            .iter()
            .map(|(channel, _)| *channel)
            .collect();
        for ((id, step), &executed) in model.transitions().iter().zip(&found.executed) {
            if let Some(moved) = transition(*id, step) {
                if executed {
                    errors.executed.insert(moved.clone());
                }
                errors.transitions.insert(moved);
            }
        }
        errors
    }
}

impl Correspondence<'_> {
    /// The transition of the second system that is this one of the first.
    fn transition(&self, id: ComponentId, step: &Transition) -> Option<(ComponentId, Transition)> {
        match self {
            Correspondence::Merged(merged, of) if *merged == id => {
                let moved = Transition {
                    source: of[step.source.index()],
                    label: step.label.clone(),
                    target: of[step.target.index()],
                };
                Some((id, moved))
            }
            Correspondence::Same | Correspondence::Merged(..) => Some((id, step.clone())),
            Correspondence::Composed(composed) => {
                let id = composed.component_of[id.index()];
                (id != composed.component).then(|| (id, step.clone()))
            }
        }
    }
}

/// The state of a system after a composition that this one before it is, if the
/// composition has it. `numbers` are those of [`Composed::numbers`].
fn composed_state(
    before: &SystemModel<'_>,
    after: &System,
    composed: &Composed,
    numbers: &HashMap<&SystemState, StateId>,
    state: &SystemState,
) -> Option<SystemState> {
    let is_member = |id: usize| composed.component_of[id] == composed.component;
    let (members, others): (Vec<_>, Vec<_>) =
        (state.components.iter().enumerate()).partition(|(id, _)| is_member(*id));
    let is_own = |channel: ChannelId| after.channel(channel).is_private();
    let (own, rest): (Vec<_>, Vec<_>) = before
        .linked()
        .zip(&state.channels)
        .partition(|(channel, _)| is_own(*channel));
    let key = SystemState {
        components: members.into_iter().map(|(_, state)| *state).collect(),
        channels: own.into_iter().map(|(_, queue)| queue.clone()).collect(),
    };
    let number = *numbers.get(&key)?;
    let mut components = vec![number; after.names().len()];
    for (id, state) in others {
        components[composed.component_of[id].index()] = *state;
    }
    Some(SystemState {
        components,
        channels: rest.into_iter().map(|(_, queue)| queue.clone()).collect(),
    })
}

/// What is known where link channels are overfilled, as `over` tells of the two.
fn overfilled_only(old: &Analysis, new: &Analysis, over: [bool; 2]) -> Verified {
    // Of an exploration that came to no end, nothing is known but what it has seen.
    let known = |over: bool, found: &Analysis| (over || found.is_complete()).then_some(over);
    let over = (known(over[0], old), known(over[1], new));
    let only = |is_so: bool| match is_so {
        true => vec![Difference::AnyOverfilled],
        false => Vec::new(),
    };
    Verified {
        only_before: only(over == (Some(true), Some(false))),
        only_after: only(over == (Some(false), Some(true))),
        is_complete: over.0.is_some() && over.1.is_some(),
        is_verdict_only: true,
    }
}

/// Explores two systems and compares what the transformations preserve (section 3.8):
/// the dead states, the channels that can be overfilled, and of the transitions that
/// both have those that can be executed; but those that leave the `unrolled` states, to
/// which Θ4 was applied, need not be executed any more. If link channels are overfilled
/// and nothing is explored beyond, only whether any is. That what is new is executed if
/// and only if what it was made of is (items 5 and 7 of the section) is not compared.
///
/// # Errors
/// If a system cannot be explored.
pub fn verify(
    before: &System,
    after: &System,
    correspondence: Correspondence<'_>,
    unrolled: &BTreeSet<(ComponentId, StateId)>,
    reach: &Reach,
) -> Result<Verified, ActionError> {
    let explore = |model: &SystemModel<'_>| {
        analyse(model, reach.limits, None, None).map_err(ActionError::Explore)
    };
    let model = |system| {
        SystemModel::new(system, reach.semantics)
            .map_err(|error| ActionError::Explore(error.into()))
    };
    let (old_model, new_model) = (model(before)?, model(after)?);
    let (old, new) = (explore(&old_model)?, explore(&new_model)?);
    let is_complete = old.is_complete() && new.is_complete();
    let over = [
        old.stopped_by(&old_model).is_some(),
        new.stopped_by(&new_model).is_some(),
    ];
    if over.contains(&true) {
        // Channels that a composition makes private are expanded beyond.
        return Ok(match correspondence {
            Correspondence::Composed(_) => {
                let any = |found: &Analysis| !found.overflowing.is_empty();
                overfilled_only(&old, &new, [any(&old), any(&new)])
            }
            Correspondence::Same | Correspondence::Merged(..) => overfilled_only(&old, &new, over),
        });
    }
    let mut verified = Verified {
        is_complete,
        ..Verified::default()
    };
    if !is_complete {
        return Ok(verified);
    }
    let numbers = match correspondence {
        Correspondence::Composed(composed) => composed.numbers(),
        Correspondence::Same | Correspondence::Merged(..) => Default::default(),
    };
    let state = |state: SystemState| match correspondence {
        Correspondence::Same => Some(state),
        Correspondence::Merged(id, of) => {
            let mut state = state;
            let own = &mut state.components[id.index()];
            *own = of[own.index()];
            Some(state)
        }
        Correspondence::Composed(composed) => {
            composed_state(&old_model, after, composed, &numbers, &state)
        }
    };
    let transition = |id, step: &Transition| correspondence.transition(id, step);
    let old = Errors::new(&old_model, &old, state, transition);
    let new = match correspondence {
        // Not all states that are equivalent need have been made one.
        Correspondence::Merged(..) => Errors::new(&new_model, &new, state, transition),
        Correspondence::Same | Correspondence::Composed(_) => {
            Errors::new(&new_model, &new, Some, |id, step| Some((id, step.clone())))
        }
    };
    let compare = |one: &Errors, other: &Errors| {
        let dead = one
            .dead
            .difference(&other.dead)
            .cloned()
            .map(Difference::Dead);
        let over = one.overflowing.difference(&other.overflowing);
        let over = over.copied().map(Difference::Overfilled);
        let executed = one.executed.difference(&other.executed);
        let executed = executed
            .filter(|step| other.transitions.contains(*step))
            .map(|(id, step)| Difference::Executable(*id, step.clone()));
        dead.chain(over).chain(executed).collect()
    };
    verified.only_before = compare(&old, &new);
    verified.only_before.retain(|difference| match difference {
        Difference::Executable(id, step) => !unrolled.contains(&(*id, step.source)),
        Difference::Dead(_) | Difference::Overfilled(_) | Difference::AnyOverfilled => true,
    });
    verified.only_after = compare(&new, &old);
    Ok(verified)
}
