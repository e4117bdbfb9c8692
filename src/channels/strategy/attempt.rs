//! Applications that may have to be taken back.

use std::collections::BTreeSet;

use hyades_formats::StateId;

use super::super::action::Action;
use super::super::contents::Contents;
use super::super::event::Transition;
use super::super::machine::Machine;
use super::super::rules::{Application, Change, Rule};
use super::Limits;

/// What was really removed and added, in order.
#[derive(Default, Debug)]
pub(super) struct Changed(Vec<(bool, Transition)>);

impl Changed {
    fn remove(&mut self, machine: &mut Machine, transition: &Transition) {
        if machine.remove(transition) {
            self.0.push((false, transition.clone()));
        }
    }

    fn insert(&mut self, machine: &mut Machine, transition: Transition) {
        if machine.insert(transition.clone()) {
            self.0.push((true, transition));
        }
    }

    pub(super) fn undo(self, machine: &mut Machine) {
        for (was_added, transition) in self.0.into_iter().rev() {
            if was_added {
                machine.remove(&transition);
            } else {
                machine.insert(transition);
            }
        }
    }

    /// All transitions that came or went, some of which may have done both.
    pub(super) fn all(&self) -> impl Iterator<Item = &Transition> {
        self.0.iter().map(|(_, transition)| transition)
    }

    /// The states that these link.
    pub(super) fn ends(&self) -> BTreeSet<StateId> {
        self.all().flat_map(|t| [t.source, t.target]).collect()
    }

    /// The transitions that came, some of which may have gone again.
    pub(super) fn added(&self) -> impl Iterator<Item = &Transition> {
        let added = self.0.iter().filter(|(was_added, _)| *was_added);
        added.map(|(_, transition)| transition)
    }
}

/// An application that may have to be taken back.
#[derive(Default)]
pub(super) struct Attempt {
    pub(super) changed: Changed,
    pub(super) done: Vec<Action>,
}

impl Attempt {
    /// Applies a rule to a machine that has no states which cannot be reached, if it is
    /// applicable within the limits; otherwise nothing is changed. The states whose
    /// leaving transitions decided that go to `seen`.
    pub(super) fn new(
        machine: &mut Machine,
        contents: &Contents,
        application: Application,
        limits: &Limits,
        seen: &mut Vec<StateId>,
    ) -> Option<Self> {
        let change = application.change_seeing(machine, contents, seen).ok()?;
        let longest = change.added.iter().map(|t| t.label.len()).max();
        let (makes_walks, may_grow, most_survivors) = match application.rule() {
            Rule::Theta1 => (true, true, None),
            Rule::Theta3 => (true, limits.theta3_may_grow, None),
            Rule::Theta4 => (true, true, limits.theta4_survivors),
            Rule::Theta2 | Rule::Theta5 | Rule::Theta6 => (false, true, None),
        };
        if makes_walks && longest.is_some_and(|longest| longest > limits.longest_label) {
            return None;
        }
        let unrolled = application.unrolled();
        if !may_grow || unrolled.is_some() {
            // What it makes may be there already.
            seen.extend(change.added.iter().map(|t| t.source));
        }
        let before = machine.transition_count();
        let mut attempt = Self::default();
        attempt.make(machine, application, change);
        let is_within =
            most_survivors.is_none_or(|most| attempt.thin_out(machine, contents, seen) <= most);
        if is_within && let Some(state) = unrolled {
            for transition in machine.truncated(state) {
                attempt.changed.remove(machine, &transition);
            }
        }
        if !is_within || !may_grow && machine.transition_count() > before {
            attempt.changed.undo(machine);
            return None;
        }
        Some(attempt)
    }

    fn make(&mut self, machine: &mut Machine, application: Application, change: Change) {
        for transition in &change.removed {
            self.changed.remove(machine, transition);
        }
        for transition in change.added {
            self.changed.insert(machine, transition);
        }
        self.done.push(Action::Rule(machine.id(), application));
    }

    /// Applies Θ2 to what was added, the longest labels first; how much remains.
    fn thin_out(
        &mut self,
        machine: &mut Machine,
        contents: &Contents,
        seen: &mut Vec<StateId>,
    ) -> usize {
        let mut added: Vec<Transition> = self.changed.added().cloned().collect();
        added.sort_by_key(|t| std::cmp::Reverse(t.label.len()));
        let mut survivors = added.len();
        for application in added.into_iter().map(Application::Theta2) {
            if let Ok(change) = application.change_seeing(machine, contents, seen) {
                self.make(machine, application, change);
                survivors -= 1;
            }
        }
        survivors
    }
}
