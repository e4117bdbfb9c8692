//! In which order rules are applied, and how far.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;

use hyades_formats::StateId;

use super::action::Action;
use super::contents::Contents;
use super::event::ComponentId;
use super::machine::{Machine, Transition};
use super::rules::{Application, Change, Refusal, Rule};
use super::system::System;

/// How far rules may go (Kapus-Kolar 2010, section 5.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Whether Θ3 may leave the component with more transitions than before.
    pub theta3_may_grow: bool,
    /// How many of the transitions that Θ4 makes may remain when Θ2 has been tried on
    /// each; `None` is no limit.
    pub theta4_survivors: Option<usize>,
    /// The most events that a label may come to have by Θ1, Θ3 and Θ4, which could go
    /// on for ever otherwise.
    pub longest_label: usize,
}

impl Default for Limits {
    /// Those of section 5.4, and labels of at most 12 events.
    fn default() -> Self {
        Self {
            theta3_may_grow: false,
            theta4_survivors: Some(1),
            longest_label: 12,
        }
    }
}

/// How applications are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// Algorithm 2 of section 5.4: state by state, returning to those where something
    /// new may have become possible.
    #[default]
    Algorithm2,
    /// Rule by rule: the first one that is applicable anywhere, to the first thing
    /// that it is applicable to, and then from the first rule on again.
    RuleByRule,
}

/// Changes machines by rules and remembers how.
#[derive(Debug)]
pub struct Reducer<'s> {
    machine: &'s mut Machine,
    contents: Contents,
    done: Vec<Action>,
}

impl<'s> Reducer<'s> {
    /// Of a component of a system. What cannot be reached is removed first.
    ///
    /// # Panics
    /// If the contents of private channels are no function of the state, which they
    /// are in a system that was read.
    pub fn new(system: &'s mut System, component: ComponentId) -> Self {
        let contents = system.contents(component);
        let contents = contents.expect("contents are a function of the state");
        let machine = system.machine_mut(component);
        let mut reducer = Self {
            machine,
            contents,
            done: Vec::new(),
        };
        reducer.trim();
        reducer
    }

    /// The component as it is now.
    pub fn machine(&self) -> &Machine {
        self.machine
    }

    /// What was done so far.
    pub fn done(&self) -> &[Action] {
        &self.done
    }

    /// The same, at the end.
    pub fn into_done(self) -> Vec<Action> {
        self.done
    }

    /// Applies a rule, and removes what can no longer be reached.
    ///
    /// # Errors
    /// If it is not applicable; then nothing is changed.
    pub fn apply(&mut self, application: Application) -> Result<Change, Refusal> {
        let change = application.change(self.machine, &self.contents)?;
        self.machine.apply(&change);
        self.machine.trim();
        self.done.push(Action::Rule(self.machine.id(), application));
        Ok(change)
    }

    /// Removes what cannot be reached; what that was.
    pub fn trim(&mut self) -> Vec<Transition> {
        let removed = self.machine.trim();
        if !removed.is_empty() {
            self.done.push(Action::Trim(self.machine.id()));
        }
        removed
    }

    /// The first application of a rule on transitions to one that leaves this state.
    pub fn applicable_from(&self, rule: Rule, state: StateId) -> Option<Application> {
        let candidates = of_transitions(rule, self.machine, self.machine.outgoing(state));
        let is_applicable = |a: &Application| a.change(self.machine, &self.contents).is_ok();
        candidates.into_iter().find(is_applicable)
    }

    /// Applies rules until none is applicable within the limits, the first ones
    /// first.
    pub fn exhaust(&mut self, rules: &[Rule], limits: &Limits, strategy: Strategy) {
        match strategy {
            Strategy::Algorithm2 => self.algorithm2(rules, limits),
            Strategy::RuleByRule => while self.first(rules, limits).is_some() {},
        }
    }

    /// Applies the first application there is anywhere; what it changed.
    fn first(&mut self, rules: &[Rule], limits: &Limits) -> Option<Changed> {
        rules.iter().find_map(|&rule| {
            let candidates = match rule {
                Rule::Theta1 | Rule::Theta3 => of_states(rule, self.machine, None),
                Rule::Theta4 => of_states(rule, self.machine, None),
                Rule::Theta2 | Rule::Theta5 | Rule::Theta6 => {
                    of_transitions(rule, self.machine, self.machine.transitions())
                }
            };
            self.first_of(candidates, limits)
        })
    }

    fn first_of(&mut self, candidates: Vec<Application>, limits: &Limits) -> Option<Changed> {
        candidates
            .into_iter()
            .find_map(|application| self.attempt(application, limits))
    }

    /// Applies a rule if it is applicable within the limits.
    fn attempt(&mut self, application: Application, limits: &Limits) -> Option<Changed> {
        let change = application.change(self.machine, &self.contents).ok()?;
        let rule = application.rule();
        let longest = change.added.iter().map(|t| t.label.len()).max();
        let makes_walks = matches!(rule, Rule::Theta1 | Rule::Theta3 | Rule::Theta4);
        if makes_walks && longest.is_some_and(|longest| longest > limits.longest_label) {
            return None;
        }
        let before = self.machine.transition_count();
        let mut attempt = Attempt {
            changed: Changed::default(),
            done: Vec::new(),
        };
        attempt.make(self.machine, application, change);
        let is_within = match (rule, limits.theta4_survivors) {
            (Rule::Theta4, Some(most)) => {
                let survivors = attempt.thin_out(self.machine, &self.contents);
                survivors <= most
            }
            _ => true,
        };
        if is_within {
            attempt.trim(self.machine);
        }
        let may_grow = rule != Rule::Theta3 || limits.theta3_may_grow;
        if !is_within || !may_grow && self.machine.transition_count() > before {
            attempt.changed.undo(self.machine);
            return None;
        }
        self.done.extend(attempt.done);
        Some(attempt.changed)
    }

    /// Algorithm 2 of section 5.4. A region counts as another one once its transitions
    /// are others; more states than necessary are visited again, and at the end all is
    /// looked through once more.
    fn algorithm2(&mut self, rules: &[Rule], limits: &Limits) {
        let mut visits = Visits::default();
        visits.open.insert(self.machine.initial());
        loop {
            while let Some(state) = visits.next() {
                while visits.is_known(state)
                    && let Some(changed) = self.first_at(state, rules, limits)
                {
                    visits.see(self.machine, state, &changed);
                }
                visits.follow(self.machine, state);
            }
            match self.first(rules, limits) {
                Some(changed) => visits.see(self.machine, self.machine.initial(), &changed),
                None => return,
            }
        }
    }

    /// Applies the first rule to a region that has `state` as an entry point.
    fn first_at(&mut self, state: StateId, rules: &[Rule], limits: &Limits) -> Option<Changed> {
        rules.iter().find_map(|&rule| {
            let candidates = match rule {
                Rule::Theta1 | Rule::Theta3 | Rule::Theta4 => {
                    let mut near = neighbours(self.machine, state);
                    near.insert(state);
                    of_states(rule, self.machine, Some(near))
                }
                Rule::Theta2 | Rule::Theta5 | Rule::Theta6 => {
                    let machine = &*self.machine;
                    let incoming = machine.incoming(state).filter(|t| !t.is_loop());
                    of_transitions(rule, machine, machine.outgoing(state).chain(incoming))
                }
            };
            self.first_of(candidates, limits)
        })
    }
}

/// What to try with a rule on states, ascending: on all, or on these.
fn of_states(rule: Rule, machine: &Machine, states: Option<BTreeSet<StateId>>) -> Vec<Application> {
    let states: Vec<StateId> = match states {
        Some(states) => states.into_iter().collect(),
        None => (0..machine.states()).map(StateId::from_index).collect(),
    };
    let states = states
        .into_iter()
        .filter(|&state| machine.outgoing(state).len() > 0);
    match rule {
        Rule::Theta1 => states.map(Application::Theta1).collect(),
        Rule::Theta3 => states.map(Application::Theta3).collect(),
        // At a state with a transition to itself this could go on for ever.
        _ => states
            .filter(|&state| !machine.outgoing(state).any(|t| t.is_loop()))
            .flat_map(|state| {
                let incoming = machine.incoming(state);
                incoming.map(move |t| Application::Theta4(state, vec![t]))
            })
            .collect(),
    }
}

/// What to try with a rule on transitions: those with the longest labels first.
fn of_transitions(
    rule: Rule,
    machine: &Machine,
    transitions: impl Iterator<Item = Transition>,
) -> Vec<Application> {
    let mut transitions: Vec<Transition> = transitions.collect();
    transitions.sort_by_key(|t| std::cmp::Reverse(t.label.len()));
    match rule {
        Rule::Theta2 => transitions.into_iter().map(Application::Theta2).collect(),
        Rule::Theta5 => transitions.into_iter().map(Application::Theta5).collect(),
        _ => transitions
            .iter()
            .flat_map(|t| Application::theta6_of(machine, t))
            .collect(),
    }
}

/// The states that transitions link with this one.
fn neighbours(machine: &Machine, state: StateId) -> BTreeSet<StateId> {
    let next = machine.outgoing(state).map(|t| t.target);
    next.chain(machine.incoming(state).map(|t| t.source))
        .collect()
}

/// What was really removed and added, in order.
#[derive(Default, Debug)]
struct Changed(Vec<(bool, Transition)>);

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

    fn undo(self, machine: &mut Machine) {
        for (was_added, transition) in self.0.into_iter().rev() {
            if was_added {
                machine.remove(&transition);
            } else {
                machine.insert(transition);
            }
        }
    }

    fn ends(&self) -> BTreeSet<StateId> {
        self.0
            .iter()
            .flat_map(|(_, t)| [t.source, t.target])
            .collect()
    }

    fn added(&self) -> impl Iterator<Item = &Transition> {
        self.0
            .iter()
            .filter(|(was_added, _)| *was_added)
            .map(|(_, t)| t)
    }
}

/// An application that may have to be taken back.
struct Attempt {
    changed: Changed,
    done: Vec<Action>,
}

impl Attempt {
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
    fn thin_out(&mut self, machine: &mut Machine, contents: &Contents) -> usize {
        let added: Vec<Transition> = self.changed.added().cloned().collect();
        let mut survivors = added.len();
        for application in of_transitions(Rule::Theta2, machine, added.into_iter()) {
            if let Ok(change) = application.change(machine, contents) {
                self.make(machine, application, change);
                survivors -= 1;
            }
        }
        survivors
    }

    fn trim(&mut self, machine: &mut Machine) {
        for transition in machine.unreachable() {
            self.changed.remove(machine, &transition);
        }
    }
}

/// The variables of Algorithm 2.
#[derive(Default)]
struct Visits {
    open: BTreeSet<StateId>,
    closed: BTreeSet<StateId>,
}

impl Visits {
    fn next(&mut self) -> Option<StateId> {
        let state = self.open.pop_first()?;
        self.closed.insert(state);
        Some(state)
    }

    fn is_known(&self, state: StateId) -> bool {
        self.open.contains(&state) || self.closed.contains(&state)
    }

    /// Opens the targets of what leaves a state, if they are not known yet.
    fn follow(&mut self, machine: &Machine, state: StateId) {
        if self.is_known(state) {
            for transition in machine.outgoing(state) {
                if !self.is_known(transition.target) {
                    self.open.insert(transition.target);
                }
            }
        }
    }

    /// Something was changed while `state` is visited.
    fn see(&mut self, machine: &Machine, state: StateId, changed: &Changed) {
        // The regions of Θ1, Θ3 and Θ4 that are others now.
        let ends = changed.ends();
        let mut again = ends.clone();
        for &end in &ends {
            again.extend(neighbours(machine, end));
        }
        // Transitions that a new one helps to by-pass: their labels are at least as long
        // as a walk to it and its own.
        let longest = machine.longest_label();
        for added in changed.added() {
            let most = longest.saturating_sub(added.label.len());
            again.extend(before(machine, BTreeSet::from([added.source]), most));
        }
        for &other in again.iter().filter(|&&other| other != state) {
            if self.closed.remove(&other) {
                self.open.insert(other);
            }
        }
        for &end in &ends {
            let is_gone = machine.outgoing(end).len() + machine.incoming(end).len() == 0;
            if is_gone && end != machine.initial() {
                self.open.remove(&end);
                self.closed.remove(&end);
            }
        }
        for transition in changed.added() {
            if machine.contains(transition)
                && self.closed.contains(&transition.source)
                && !self.is_known(transition.target)
            {
                self.open.insert(transition.target);
            }
        }
    }
}

/// The states from which at most so many transitions lead to one of these.
fn before(machine: &Machine, states: BTreeSet<StateId>, most: usize) -> BTreeSet<StateId> {
    let mut known = states.clone();
    let mut open: VecDeque<(StateId, usize)> = states.into_iter().map(|s| (s, 0)).collect();
    while let Some((state, distance)) = open.pop_front() {
        if distance < most {
            for transition in machine.incoming(state) {
                if known.insert(transition.source) {
                    open.push_back((transition.source, distance + 1));
                }
            }
        }
    }
    known
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::Algorithm2 => "algorithm2",
            Strategy::RuleByRule => "rule-by-rule",
        })
    }
}

impl std::str::FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = [Strategy::Algorithm2, Strategy::RuleByRule];
        let known = known
            .into_iter()
            .find(|strategy| strategy.to_string() == text);
        known.ok_or_else(|| format!("no strategy {text}; expected algorithm2 or rule-by-rule"))
    }
}
