//! In which order rules are applied, and how far.

mod attempt;
mod pending;
mod work_list;

use hyades_formats::{StateId, named};

use self::attempt::{Attempt, Changed, WalkLengths};
use self::pending::{Candidate, Pending};
use self::work_list::WorkList;
use super::action::Action;
use super::contents::Contents;
use super::event::{ComponentId, Transition};
use super::machine::Machine;
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
    /// on for ever otherwise. For Θ4, events that Θ6 has deleted since count, too.
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

named!(Strategy: Algorithm2 = "algorithm2", RuleByRule = "rule-by-rule");

/// Changes machines by rules and remembers how.
#[derive(Debug)]
pub struct Reducer<'s> {
    machine: &'s mut Machine,
    contents: Contents,
    /// Of what rules have made here since the component was last changed otherwise.
    lengths: WalkLengths,
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
            lengths: WalkLengths::default(),
            done: Vec::new(),
        };
        reducer.trim();
        reducer
    }

    /// The same of a component whose contents are known from a reducer before; only
    /// rules were applied to it since.
    pub(super) fn again(system: &'s mut System, id: ComponentId, contents: Contents) -> Self {
        Self {
            machine: system.machine_mut(id),
            contents,
            lengths: WalkLengths::default(),
            done: Vec::new(),
        }
    }

    /// What private channels hold, for a later reducer.
    pub(super) fn into_contents(self) -> Contents {
        self.contents
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
        self.lengths = WalkLengths::default();
        if let Some(state) = application.unrolled() {
            for transition in self.machine.truncated(state) {
                self.machine.remove(&transition);
            }
        }
        self.done.push(Action::Rule(self.machine.id(), application));
        Ok(change)
    }

    /// Removes what cannot be reached; what that was.
    pub fn trim(&mut self) -> Vec<Transition> {
        let removed = self.machine.trim();
        if !removed.is_empty() {
            self.lengths = WalkLengths::default();
            self.done.push(Action::Trim(self.machine.id()));
        }
        removed
    }

    /// The first application of a rule on transitions to one that leaves this state.
    pub fn applicable_from(&self, rule: Rule, state: StateId) -> Option<Application> {
        let candidates = Candidate::of_transitions(self.machine.outgoing(state)).into_iter();
        let mut all = candidates.flat_map(|c| c.applications(rule, self.machine));
        all.find(|application| application.change(self.machine, &self.contents).is_ok())
    }

    /// Applies rules until none is applicable within the limits, the first ones
    /// first. That always ends. The walks that Θ4 makes transitions of may be exponentially
    /// many in the length that the limits allow.
    pub fn exhaust(&mut self, rules: &[Rule], limits: &Limits, strategy: Strategy) {
        let mut work = Work {
            pending: Pending::new(self.machine, rules),
            reducer: self,
            rules,
            limits,
        };
        match strategy {
            Strategy::Algorithm2 => work.algorithm2(),
            Strategy::RuleByRule => work.rule_by_rule(),
        }
    }
}

/// Rules that are applied until none is applicable.
struct Work<'a, 's> {
    reducer: &'a mut Reducer<'s>,
    rules: &'a [Rule],
    limits: &'a Limits,
    pending: Pending,
}

impl Work<'_, '_> {
    fn rule_by_rule(&mut self) {
        while let Some(changed) = self.first() {
            self.pending.wake(self.reducer.machine, &changed);
        }
    }

    /// Algorithm 2 of section 5.4. A region counts as another one once its transitions
    /// are others; more states than necessary are visited again, and at the end all is
    /// looked through once more.
    fn algorithm2(&mut self) {
        let mut visits = WorkList::default();
        let initial = self.reducer.machine.initial();
        visits.open.insert(initial);
        loop {
            while let Some(state) = visits.next() {
                while visits.is_known(state)
                    && let Some(changed) = self.first_at(state)
                {
                    self.see(&mut visits, state, &changed);
                }
                visits.follow(self.reducer.machine, state);
            }
            match self.first() {
                Some(changed) => self.see(&mut visits, initial, &changed),
                None => return,
            }
        }
    }

    /// Something was changed while `state` is visited.
    fn see(&mut self, visits: &mut WorkList, state: StateId, changed: &Changed) {
        let mut woken = self.pending.wake(self.reducer.machine, changed);
        woken.retain(|(place, candidate)| self.is_applicable(*place, candidate));
        visits.see(self.reducer.machine, state, changed, &woken);
    }

    /// Applies the first application there is anywhere; what it changed.
    fn first(&mut self) -> Option<Changed> {
        for place in 0..self.rules.len() {
            while let Some(candidate) = self.pending.first(place).cloned() {
                if let Some(attempt) = self.attempt(place, &candidate) {
                    return Some(self.keep(attempt));
                }
            }
        }
        None
    }

    /// Applies the first rule to a region that has `state` as an entry point.
    fn first_at(&mut self, state: StateId) -> Option<Changed> {
        for (place, &rule) in self.rules.iter().enumerate() {
            let mut candidates = candidates_at(rule, self.reducer.machine, state);
            candidates.retain(|candidate| self.pending.contains(place, candidate));
            for candidate in candidates {
                if let Some(attempt) = self.attempt(place, &candidate) {
                    return Some(self.keep(attempt));
                }
            }
        }
        None
    }

    /// Applies a rule, by its place, to a candidate, which is not pending any more.
    fn attempt(&mut self, place: usize, candidate: &Candidate) -> Option<Attempt> {
        let mut seen = Vec::new();
        let Reducer {
            machine,
            contents,
            lengths,
            ..
        } = self.reducer;
        let applications = candidate
            .applications(self.rules[place], machine)
            .into_iter();
        let mut attempts = applications.map(|application| {
            Attempt::new(
                machine,
                lengths,
                contents,
                application,
                self.limits,
                &mut seen,
            )
        });
        let attempt = attempts.find_map(|attempt| attempt);
        match &attempt {
            Some(_) => self.pending.take(place, candidate),
            None => self.pending.refuse(place, candidate, seen),
        }
        attempt
    }

    fn keep(&mut self, attempt: Attempt) -> Changed {
        self.reducer.done.extend(attempt.done);
        attempt.changed
    }

    /// Whether a rule could be applied to a candidate now; if so, it is pending.
    fn is_applicable(&mut self, place: usize, candidate: &Candidate) -> bool {
        let Some(attempt) = self.attempt(place, candidate) else {
            return false;
        };
        let Reducer {
            machine, lengths, ..
        } = self.reducer;
        attempt.changed.undo(machine, lengths);
        self.pending.put_back(place, candidate);
        true
    }
}

/// What a rule is tried on when a state is visited, in order.
fn candidates_at(rule: Rule, machine: &Machine, state: StateId) -> Vec<Candidate> {
    if rule.is_of_transitions() {
        let incoming = machine.incoming(state).filter(|t| !t.is_loop());
        return Candidate::of_transitions(machine.outgoing(state).chain(incoming));
    }
    let mut near: Vec<StateId> = machine.neighbours(state).collect();
    near.push(state);
    near.sort_unstable();
    near.dedup();
    let of_state = |state| Candidate::of_state(rule, machine, state);
    near.into_iter().flat_map(of_state).collect()
}

impl std::str::FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::from_name(text);
        known.ok_or_else(|| format!("no strategy {text}; expected algorithm2 or rule-by-rule"))
    }
}
