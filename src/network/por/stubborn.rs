//! Stubborn sets, found by freezing components.
//!
//! Call a component *frozen* in a set of rules if the set has all rules that
//! could move it out of its present state: as long as only other rules fire, it
//! stays there. A set is stubborn if
//!
//! * for an enabled rule of it, all its components are frozen, and those that
//!   its guards look at, so that it stays enabled with the same targets and
//!   commutes with whatever else happens, where rules whose guards look at its
//!   components are in the set too;
//! * for a disabled rule of it, a component that cannot do its part is frozen,
//!   or those that an enabled guard looks at are, so that it stays disabled;
//! * a rule of it is enabled.
//!
//! Those are conditions D1 and D2 of Valmari (strong stubborn sets). The set is
//! given by the components that are frozen, so it is these that the closure is
//! computed over.

use super::super::NetworkModel;
use super::super::event::EventId;
use super::super::model::Values;
use super::dependence::Dependence;
use super::order::Order;

/// What is asked of a stubborn set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wish {
    /// Nothing.
    Any,
    /// Its enabled rules are hidden, and a step by one of them goes up.
    Hidden,
    /// It has one transition, which is hidden and goes up.
    Single,
}

/// The search for a stubborn set in a state, and what is known of the state.
#[derive(Default)]
pub(super) struct Finder {
    states: Vec<u32>,
    values: Values,
    /// Numbers the states, so that what was known of another one is told.
    state: u32,
    /// For each rule, the state in which its ways were counted, and the ways:
    /// none if it is disabled.
    ways: Vec<(u32, u64)>,
    /// For each component, the last state in which a set was grown from it.
    tried: Vec<u32>,
    /// Whether the attempt has come upon a component that was tried.
    hopeless: bool,
    /// Numbers the attempts.
    attempt: u32,
    /// For each component, the attempt that froze it.
    frozen: Vec<u32>,
    /// For each rule, the attempt that has it in its set.
    member: Vec<u32>,
    /// Components that are frozen, but whose rules have not been dealt with.
    open: Vec<u32>,
    /// The same for rules.
    rules: Vec<u32>,
    enabled: Vec<u32>,
    chosen: Vec<u32>,
    goes_up: bool,
    cost: u64,
}

impl Finder {
    pub fn new(dependence: &Dependence) -> Self {
        Self {
            ways: vec![(0, 0); dependence.rules],
            member: vec![0; dependence.rules],
            frozen: vec![0; dependence.components.len()],
            tried: vec![0; dependence.components.len()],
            ..Self::default()
        }
    }

    /// From now on it is about this state.
    pub fn enter(&mut self, model: &NetworkModel, packed: &[u64]) {
        model.unpack(packed, &mut self.states);
        self.values.forget();
        if self.state == u32::MAX {
            self.state = 0;
            self.ways.fill((0, 0));
            self.tried.fill(0);
        }
        self.state += 1;
    }

    /// The states of the components.
    pub fn states(&self) -> &[u32] {
        &self.states
    }

    /// The enabled rules of the set that was found.
    pub fn chosen(&self) -> &[u32] {
        &self.chosen
    }

    /// Looks for the stubborn set with the fewest transitions, of those that are
    /// grown from one component; the first of them in the order of components.
    ///
    /// A set in which a component is frozen has nearly all that is in the set that
    /// grows from this component, and so is hardly better: what comes upon a
    /// component that has been tried is given up. The search ends with a set of a
    /// single transition. Time O(components · uses of rules) at worst.
    pub fn find(
        &mut self,
        model: &NetworkModel,
        dependence: &Dependence,
        order: &Order,
        wish: Wish,
    ) -> bool {
        let mut best = match wish {
            Wish::Single => 2,
            Wish::Any | Wish::Hidden => u64::MAX,
        };
        let mut found = false;
        for k in 0..self.states.len() as u32 {
            if self.grow(k, best, model, dependence, order, wish) {
                found = true;
                best = self.cost;
                std::mem::swap(&mut self.chosen, &mut self.enabled);
                if best == 1 {
                    break;
                }
            }
        }
        found
    }

    /// Whether a stubborn set grows from this component that has fewer than
    /// `limit` transitions and is as wished; the enabled rules are in `enabled`.
    fn grow(
        &mut self,
        start: u32,
        limit: u64,
        model: &NetworkModel,
        dependence: &Dependence,
        order: &Order,
        wish: Wish,
    ) -> bool {
        if dependence.of(start as usize).weight[self.states[start as usize] as usize] == 0 {
            return false;
        }
        if self.attempt == u32::MAX {
            self.attempt = 0;
            self.frozen.fill(0);
            self.member.fill(0);
        }
        self.attempt += 1;
        self.open.clear();
        self.enabled.clear();
        self.cost = 0;
        self.goes_up = false;
        self.hopeless = false;
        self.freeze(start);
        self.tried[start as usize] = self.state;
        while let Some(k) = self.open.pop() {
            let own = self.states[k as usize];
            let uses = dependence.of(k as usize);
            for (label, _) in model.transitions_of(k).of(own) {
                if uses.elsewhere[label.index()] {
                    return false;
                }
                for &rule in uses.rules(label) {
                    let goes_on = self.include(rule, limit, model, dependence, order, wish);
                    if !goes_on || self.hopeless {
                        return false;
                    }
                }
            }
        }
        self.cost > 0 && (wish == Wish::Any || self.goes_up)
    }

    fn freeze(&mut self, component: u32) {
        let mark = &mut self.frozen[component as usize];
        if *mark != self.attempt {
            *mark = self.attempt;
            self.hopeless |= self.tried[component as usize] == self.state;
            self.open.push(component);
        }
    }

    /// Puts a rule into the set, and what has to be there because of it; `false`
    /// if nothing comes of it.
    fn include(
        &mut self,
        number: u32,
        limit: u64,
        model: &NetworkModel,
        dependence: &Dependence,
        order: &Order,
        wish: Wish,
    ) -> bool {
        self.rules.clear();
        self.rules.push(number);
        while let Some(number) = self.rules.pop() {
            if std::mem::replace(&mut self.member[number as usize], self.attempt) == self.attempt {
                continue;
            }
            let rule = &model.network().rules().rules[number as usize];
            let ways = self.ways(number, model);
            if ways == 0 {
                self.keep_disabled(number, model, dependence);
                continue;
            }
            self.cost = self.cost.saturating_add(ways);
            if self.cost >= limit || (wish != Wish::Any && !rule.label.is_hidden()) {
                return false;
            }
            if wish != Wish::Any && !self.goes_up {
                self.goes_up = order.goes_up(model, &self.states, &rule.parts);
            }
            self.enabled.push(number);
            for &(k, _) in &rule.parts {
                let uses = dependence.of(k as usize);
                if uses.read_elsewhere {
                    return false;
                }
                self.freeze(k);
                self.rules.extend_from_slice(&uses.readers);
            }
            for guard in &rule.guards {
                for &k in &dependence.looks_at[guard] {
                    self.freeze(k);
                }
            }
        }
        true
    }

    /// Freezes what keeps a disabled rule so: what is frozen anyway, or else the
    /// component of least weight.
    fn keep_disabled(&mut self, number: u32, model: &NetworkModel, dependence: &Dependence) {
        let rule = &model.network().rules().rules[number as usize];
        let mut lightest: Option<(u32, u32)> = None;
        for &(k, label) in &rule.parts {
            let own = self.states[k as usize];
            if model.transitions_of(k).targets(own, label).is_empty() {
                if self.frozen[k as usize] == self.attempt {
                    return;
                }
                let weight = dependence.of(k as usize).weight[own as usize];
                lightest = lightest.into_iter().chain([(weight, k)]).min();
            }
        }
        if let Some((_, k)) = lightest {
            self.freeze(k);
            return;
        }
        let mut least: Option<(usize, EventId)> = None;
        for &guard in &rule.guards {
            if !model.is_guard_enabled(guard, &self.states, &mut self.values) {
                continue;
            }
            let looks_at = dependence.looks_at[&guard].iter();
            let new = looks_at.filter(|&&k| self.frozen[k as usize] != self.attempt);
            least = least.into_iter().chain([(new.count(), guard)]).min();
        }
        let (_, guard) = least.expect("a rule is disabled by a component or by a guard");
        for &k in &dependence.looks_at[&guard] {
            self.freeze(k);
        }
    }

    /// How many transitions a rule has, duplicates among them counted.
    fn ways(&mut self, number: u32, model: &NetworkModel) -> u64 {
        let (state, ways) = self.ways[number as usize];
        if state == self.state {
            return ways;
        }
        let rule = &model.network().rules().rules[number as usize];
        let targets = rule.parts.iter().map(|&(k, label)| {
            let own = self.states[k as usize];
            model.transitions_of(k).targets(own, label).len() as u64
        });
        let mut ways = targets.fold(1, u64::saturating_mul);
        let disabled = ways > 0
            && rule
                .guards
                .iter()
                .any(|&guard| model.is_guard_enabled(guard, &self.states, &mut self.values));
        if disabled {
            ways = 0;
        }
        self.ways[number as usize] = (self.state, ways);
        ways
    }
}
