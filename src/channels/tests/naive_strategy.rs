//! Strategies word by word: after each step, everything is looked at again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyades_formats::StateId;

use super::super::*;

/// Rules that are applied until none is applicable.
pub(super) struct NaiveReducer<'a> {
    pub(super) machine: Machine,
    pub(super) contents: &'a Contents,
    pub(super) rules: &'a [Rule],
    pub(super) limits: &'a RuleLimits,
    pub(super) done: Vec<Action>,
    /// How many events the walk of each transition had before Θ6 deleted some.
    pub(super) lengths: BTreeMap<Transition, usize>,
}

/// The transitions that a step removed and those that it added, some of which it may
/// have removed again.
#[derive(Default)]
struct Step {
    removed: Vec<Transition>,
    added: Vec<Transition>,
}

impl Step {
    /// Makes a change; of what it adds, `length` tells the lengths of walks.
    fn apply(
        &mut self,
        machine: &mut Machine,
        lengths: &mut BTreeMap<Transition, usize>,
        change: &Change,
        length: impl Fn(&Transition) -> usize,
    ) {
        for t in &change.removed {
            if machine.remove(t) {
                self.removed.push(t.clone());
            }
        }
        for t in &change.added {
            if machine.insert(t.clone()) {
                lengths.insert(t.clone(), length(t));
                self.added.push(t.clone());
            }
        }
    }
}

impl NaiveReducer<'_> {
    pub(super) fn exhaust(&mut self, strategy: Strategy) {
        match strategy {
            Strategy::Algorithm2 => self.algorithm2(),
            Strategy::RuleByRule => while self.first().is_some() {},
        }
    }

    /// The first application there is anywhere.
    fn first(&mut self) -> Option<Step> {
        let all = (0..self.machine.states()).map(StateId::from_index);
        self.rules.iter().find_map(|&rule| {
            let candidates = match rule {
                Rule::Theta1 | Rule::Theta3 | Rule::Theta4 => self.of_states(rule, all.clone()),
                _ => self.of_transitions(rule, self.machine.transitions()),
            };
            candidates.into_iter().find_map(|a| self.attempt(a))
        })
    }

    /// The first application near a state.
    fn first_at(&mut self, state: StateId) -> Option<Step> {
        self.rules.iter().find_map(|&rule| {
            let candidates = match rule {
                Rule::Theta1 | Rule::Theta3 | Rule::Theta4 => {
                    let mut near = self.linked(state);
                    near.insert(state);
                    self.of_states(rule, near.into_iter())
                }
                _ => {
                    let incoming = self.machine.incoming(state).filter(|t| !t.is_loop());
                    self.of_transitions(rule, self.machine.outgoing(state).chain(incoming))
                }
            };
            candidates.into_iter().find_map(|a| self.attempt(a))
        })
    }

    fn linked(&self, state: StateId) -> BTreeSet<StateId> {
        let next = self.machine.outgoing(state).map(|t| t.target);
        let before = self.machine.incoming(state).map(|t| t.source);
        next.chain(before).collect()
    }

    fn of_states(&self, rule: Rule, states: impl Iterator<Item = StateId>) -> Vec<Application> {
        let mut all = Vec::new();
        for state in states {
            match rule {
                Rule::Theta1 => all.push(Application::Theta1(state)),
                Rule::Theta3 => all.push(Application::Theta3(state)),
                _ if self.machine.outgoing(state).any(|t| t.is_loop()) => {}
                _ => {
                    let incoming = self.machine.incoming(state);
                    all.extend(incoming.map(|t| Application::Theta4(state, vec![t])));
                }
            }
        }
        all
    }

    fn of_transitions(
        &self,
        rule: Rule,
        transitions: impl Iterator<Item = Transition>,
    ) -> Vec<Application> {
        let mut transitions: Vec<Transition> = transitions.collect();
        transitions.sort_by_key(|t| std::cmp::Reverse(t.label.len()));
        let of = |t: &Transition| match rule {
            Rule::Theta2 => vec![Application::Theta2(t.clone())],
            Rule::Theta5 => vec![Application::Theta5(t.clone())],
            _ => Application::theta6_of(&self.machine, t).collect(),
        };
        transitions.iter().flat_map(of).collect()
    }

    /// Applies a rule if it is applicable within the limits.
    fn attempt(&mut self, application: Application) -> Option<Step> {
        let mut machine = self.machine.clone();
        let rule = application.rule();
        let change = application.change(&machine, self.contents).ok()?;
        // That of the first walk which is this transition.
        let walk = |made: &Transition| {
            let of = |t: &Transition| self.lengths.get(t).copied().unwrap_or(t.label.len());
            match &application {
                Application::Theta6(t, ..) => of(t),
                _ => {
                    let lengths = change.removed.iter().find_map(|t| {
                        let mut then = self.machine.outgoing(t.target);
                        let u = then.find(|u| t.then(u) == *made)?;
                        Some(of(t) + of(&u))
                    });
                    lengths.unwrap()
                }
            }
        };
        let long = |t: &Transition| match rule {
            Rule::Theta1 | Rule::Theta3 => t.label.len() > self.limits.longest_label,
            Rule::Theta4 => walk(t) > self.limits.longest_label,
            Rule::Theta2 | Rule::Theta5 | Rule::Theta6 => false,
        };
        if change.added.iter().any(long) {
            return None;
        }
        let mut step = Step::default();
        let mut lengths = self.lengths.clone();
        step.apply(&mut machine, &mut lengths, &change, walk);
        let id = machine.id();
        let mut done = vec![Action::Rule(id, application.clone())];
        if let (Rule::Theta4, Some(most)) = (rule, self.limits.theta4_survivors) {
            let mut made = step.added.clone();
            let mut survivors = made.len();
            made.sort_by_key(|t| std::cmp::Reverse(t.label.len()));
            for transition in made {
                let thinning = Application::Theta2(transition);
                if let Ok(change) = thinning.change(&machine, self.contents) {
                    step.apply(&mut machine, &mut lengths, &change, |t| t.label.len());
                    done.push(Action::Rule(id, thinning));
                    survivors -= 1;
                }
            }
            if survivors > most {
                return None;
            }
        }
        step.removed.extend(machine.trim());
        let has_grown = machine.transition_count() > self.machine.transition_count();
        if rule == Rule::Theta3 && !self.limits.theta3_may_grow && has_grown {
            return None;
        }
        self.machine = machine;
        self.lengths = lengths;
        self.done.extend(done);
        Some(step)
    }

    fn algorithm2(&mut self) {
        let initial = self.machine.initial();
        let (mut open, mut closed) = (BTreeSet::from([initial]), BTreeSet::new());
        loop {
            while let Some(state) = open.pop_first() {
                closed.insert(state);
                while (open.contains(&state) || closed.contains(&state))
                    && let Some(step) = self.first_at(state)
                {
                    self.see(&mut open, &mut closed, state, &step);
                }
                if open.contains(&state) || closed.contains(&state) {
                    for t in self.machine.outgoing(state) {
                        if !closed.contains(&t.target) {
                            open.insert(t.target);
                        }
                    }
                }
            }
            match self.first() {
                Some(step) => self.see(&mut open, &mut closed, initial, &step),
                None => return,
            }
        }
    }

    /// All that is near what was changed is opened again.
    fn see(
        &self,
        open: &mut BTreeSet<StateId>,
        closed: &mut BTreeSet<StateId>,
        state: StateId,
        step: &Step,
    ) {
        let all = step.removed.iter().chain(&step.added);
        let ends: BTreeSet<StateId> = all.flat_map(|t| [t.source, t.target]).collect();
        let mut again = ends.clone();
        for &end in &ends {
            again.extend(self.linked(end));
        }
        let longest = self.machine.longest_label();
        for t in &step.added {
            let most = longest.saturating_sub(t.label.len());
            again.extend(self.before(t.source, most));
        }
        for other in again.into_iter().filter(|&other| other != state) {
            if closed.remove(&other) {
                open.insert(other);
            }
        }
        for &end in &ends {
            if self.linked(end).is_empty() && end != self.machine.initial() {
                open.remove(&end);
                closed.remove(&end);
            }
        }
        for t in step.added.iter().filter(|t| self.machine.contains(t)) {
            if closed.contains(&t.source) && !closed.contains(&t.target) {
                open.insert(t.target);
            }
        }
    }

    /// The states from which at most so many transitions lead to this one.
    fn before(&self, state: StateId, most: usize) -> BTreeSet<StateId> {
        let mut known = BTreeSet::from([state]);
        let mut open = VecDeque::from([(state, 0)]);
        while let Some((at, distance)) = open.pop_front() {
            if distance < most {
                for t in self.machine.incoming(at) {
                    if known.insert(t.source) {
                        open.push_back((t.source, distance + 1));
                    }
                }
            }
        }
        known
    }
}
