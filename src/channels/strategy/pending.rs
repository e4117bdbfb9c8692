//! What rules have still to be tried on.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use foldhash::fast::RandomState;
use hyades_formats::StateId;

use super::super::event::{Label, Transition};
use super::super::machine::Machine;
use super::super::rules::{Application, Rule};
use super::attempt::Changed;

/// What a rule may be applied to. Those of one rule are ordered as they are tried.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Candidate {
    /// Θ1 or Θ3 deletes this state.
    State(StateId),
    /// Θ4 replaces the transition with this target, source and label.
    Entering(StateId, StateId, Label),
    /// Θ2, Θ5 or Θ6 deletes or changes this transition; the longest labels come first.
    Transition(Reverse<usize>, Transition),
}

impl Candidate {
    /// Those of a rule that are states, or transitions into them.
    pub(super) fn of_state(rule: Rule, machine: &Machine, state: StateId) -> Vec<Self> {
        match rule {
            Rule::Theta4 => machine.incoming(state).map(Self::entering).collect(),
            Rule::Theta1 | Rule::Theta2 | Rule::Theta3 | Rule::Theta5 | Rule::Theta6 => {
                vec![Self::State(state)]
            }
        }
    }

    fn entering(t: Transition) -> Self {
        Self::Entering(t.target, t.source, t.label)
    }

    /// Those of a rule that are transitions, in their order.
    pub(super) fn of_transitions(transitions: impl Iterator<Item = Transition>) -> Vec<Self> {
        let all = transitions.map(|t| Self::Transition(Reverse(t.label.len()), t));
        let mut all: Vec<Self> = all.collect();
        // Among those of one length, the order is that in which they come.
        all.sort_by_key(|candidate| match candidate {
            Self::Transition(len, _) => *len,
            Self::State(_) | Self::Entering(..) => Reverse(0),
        });
        all
    }

    /// What a rule can do with it.
    pub(super) fn applications(&self, rule: Rule, machine: &Machine) -> Vec<Application> {
        match (self, rule) {
            (Self::State(state), Rule::Theta1) => vec![Application::Theta1(*state)],
            (Self::State(state), Rule::Theta3) => vec![Application::Theta3(*state)],
            (Self::Entering(target, source, label), Rule::Theta4) => {
                // At a state with a transition to itself this could go on for ever.
                let has_loop = machine.outgoing(*target).any(|t| t.is_loop());
                let entering = Transition {
                    source: *source,
                    label: label.clone(),
                    target: *target,
                };
                match has_loop {
                    true => Vec::new(),
                    false => vec![Application::Theta4(*target, vec![entering])],
                }
            }
            (Self::Transition(_, t), Rule::Theta2) => vec![Application::Theta2(t.clone())],
            (Self::Transition(_, t), Rule::Theta5) => vec![Application::Theta5(t.clone())],
            (Self::Transition(_, t), Rule::Theta6) => Application::theta6_of(machine, t).collect(),
            // Each rule has candidates of its own kind.
            (Self::State(_), Rule::Theta2 | Rule::Theta4 | Rule::Theta5 | Rule::Theta6)
            | (Self::Transition(..), Rule::Theta1 | Rule::Theta3 | Rule::Theta4)
            | (
                Self::Entering(..),
                Rule::Theta1 | Rule::Theta2 | Rule::Theta3 | Rule::Theta5 | Rule::Theta6,
            ) => Vec::new(),
        }
    }

    /// Whether the machine has it.
    fn is_there(&self, machine: &Machine) -> bool {
        match self {
            Self::State(_) => true,
            Self::Entering(target, source, label) => machine.contains(&Transition {
                source: *source,
                label: label.clone(),
                target: *target,
            }),
            Self::Transition(_, transition) => machine.contains(transition),
        }
    }

    /// The states whose visits try it.
    pub(super) fn entry_points(&self, machine: &Machine) -> Vec<StateId> {
        match self {
            Self::State(state) | Self::Entering(state, ..) => {
                let mut near: Vec<StateId> = machine.neighbours(*state).collect();
                near.push(*state);
                near
            }
            Self::Transition(_, transition) => vec![transition.source, transition.target],
        }
    }
}

/// The candidates of each rule that are not known to be refused.
///
/// Whether a rule is applicable within the limits depends on the transitions that leave
/// some states, and if it deletes a state, also on those that enter it. So a candidate
/// that was refused need not be tried again before one of these changes.
pub(super) struct Pending {
    rules: Vec<Rule>,
    /// For each rule.
    untried: Vec<BTreeSet<Candidate>>,
    /// For each state, the candidates, with the places of their rules, whose refusal
    /// depends on what leaves the state.
    watchers: Vec<HashSet<(usize, Candidate), RandomState>>,
}

impl Pending {
    /// All that there is for these rules.
    pub(super) fn new(machine: &Machine, rules: &[Rule]) -> Self {
        // Numbers without transitions are no states, of which there may be many.
        let is_linked =
            |&state: &StateId| machine.outgoing(state).len() + machine.incoming(state).len() > 0;
        let states = || {
            let all = (0..machine.states()).map(StateId::from_index);
            all.filter(is_linked)
        };
        let of_rule = |&rule: &Rule| -> BTreeSet<Candidate> {
            match rule.is_of_transitions() {
                true => Candidate::of_transitions(machine.transitions())
                    .into_iter()
                    .collect(),
                false => states()
                    .flat_map(|state| Candidate::of_state(rule, machine, state))
                    .collect(),
            }
        };
        Self {
            rules: rules.to_vec(),
            untried: rules.iter().map(of_rule).collect(),
            watchers: vec![HashSet::default(); machine.states()],
        }
    }

    /// The first candidate of the rule at this place.
    pub(super) fn first(&self, rule: usize) -> Option<&Candidate> {
        self.untried[rule].first()
    }

    /// Whether a candidate is to be tried with the rule at this place.
    pub(super) fn contains(&self, rule: usize, candidate: &Candidate) -> bool {
        self.untried[rule].contains(candidate)
    }

    /// The rule is applied to a candidate.
    pub(super) fn take(&mut self, rule: usize, candidate: &Candidate) {
        self.untried[rule].remove(candidate);
    }

    /// The rule is to be applied to a candidate later.
    pub(super) fn put_back(&mut self, rule: usize, candidate: &Candidate) {
        self.untried[rule].insert(candidate.clone());
    }

    /// A candidate was refused, because of what leaves these states.
    pub(super) fn refuse(&mut self, rule: usize, candidate: &Candidate, seen: Vec<StateId>) {
        self.untried[rule].remove(candidate);
        let own = match candidate {
            Candidate::State(state) | Candidate::Entering(state, ..) => Some(*state),
            Candidate::Transition(..) => None,
        };
        for state in seen.into_iter().chain(own) {
            self.watchers[state.index()].insert((rule, candidate.clone()));
        }
    }

    /// The machine was changed: what has to be tried now, or again, with the places of
    /// the rules.
    pub(super) fn wake(&mut self, machine: &Machine, changed: &Changed) -> Vec<(usize, Candidate)> {
        let mut woken = Vec::new();
        for transition in changed.all() {
            woken.extend(self.watchers[transition.source.index()].drain());
            let is_there = machine.contains(transition);
            for (k, &rule) in self.rules.iter().enumerate() {
                let candidate = match rule {
                    Rule::Theta1 | Rule::Theta3 => Candidate::State(transition.target),
                    Rule::Theta4 if is_there => Candidate::entering(transition.clone()),
                    Rule::Theta2 | Rule::Theta5 | Rule::Theta6 if is_there => {
                        Candidate::Transition(Reverse(transition.label.len()), transition.clone())
                    }
                    Rule::Theta2 | Rule::Theta4 | Rule::Theta5 | Rule::Theta6 => continue,
                };
                woken.push((k, candidate));
            }
        }
        woken.retain(|(rule, candidate)| {
            candidate.is_there(machine) && self.untried[*rule].insert(candidate.clone())
        });
        woken
    }
}
