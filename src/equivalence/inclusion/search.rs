//! What the notions look for in pairs of a state and a set of states.

use super::explain::explain;
use super::futures::Futures;
use super::sets::Sets;
use super::simulation::Simulation;
use super::system::System;
use super::walk::{BYTES_A_PAIR, Judgement, Look, Walk};
use super::{Limit, LinearNotion, Verdict};

/// A search for what one state shows and another one does not.
pub(super) struct Search<'s> {
    system: &'s System,
    notion: LinearNotion,
    limit: Limit,
    futures: Futures,
    /// Once the search has become large, a simulation that implies the notion, if there is
    /// one that is not too large itself.
    simulation: Option<Simulation>,
    /// After how many pairs it is large, unless it has been.
    large: Option<usize>,
}

impl<'s> Search<'s> {
    /// For a notion; after `large` pairs a simulation is asked for.
    pub(super) fn new(
        system: &'s System,
        notion: LinearNotion,
        limit: Limit,
        large: usize,
    ) -> Self {
        Self {
            system,
            notion,
            limit,
            futures: Futures::new(system.states()),
            simulation: None,
            large: Some(large),
        }
    }

    /// Whether `p` is below `q`.
    pub(super) fn run(mut self, sets: &mut Sets<'_>, p: u32, q: u32) -> Verdict {
        let start = sets.of(q);
        let mut walk = Walk::new();
        match walk.run(self.system, sets, &mut self, (p, start)) {
            Judgement::Nothing => Verdict::Below,
            Judgement::Limit => Verdict::Unknown,
            Judgement::Difference => {
                let path = walk.path();
                let reason = explain(self.system, sets, self.notion, &path, q, &mut self.futures);
                Verdict::Not(Box::new(reason))
            }
        }
    }

    /// Whether a state shows what no member of a set does; `None` if the limit was
    /// reached.
    fn differs(&mut self, sets: &mut Sets<'_>, state: u32, set: u32, pairs: usize) -> Option<bool> {
        if set == Sets::EMPTY {
            return Some(true);
        }
        let system = self.system;
        let own = system.menu(state);
        Some(match self.notion {
            LinearNotion::Trace
            | LinearNotion::FailureTrace
            | LinearNotion::ReadyTrace
            | LinearNotion::WeakTrace => false,
            LinearNotion::CompletedTrace => {
                let is_empty = |menu: &u32| system.offered(*menu).is_empty();
                is_empty(&own) && !sets.menus(set, true).iter().any(is_empty)
            }
            LinearNotion::Failures => accepts_more(system, sets, state, set),
            LinearNotion::Revivals => {
                let menus = sets.menus(set, false).iter();
                let within: Vec<u32> = menus
                    .copied()
                    .filter(|&m| system.is_within(m, own))
                    .collect();
                let mut offered: Vec<u32> = within
                    .iter()
                    .flat_map(|&m| system.offered(m))
                    .copied()
                    .collect();
                offered.sort_unstable();
                offered.dedup();
                within.is_empty() || offered.len() < system.offered(own).len()
            }
            LinearNotion::Readiness => sets.menus(set, false).binary_search(&own).is_err(),
            LinearNotion::WeakFailures => {
                system.is_stable(state) && accepts_more(system, sets, state, set)
            }
            LinearNotion::FailuresDivergence => {
                system.diverges(state)
                    || (system.is_stable(state) && accepts_more(system, sets, state, set))
            }
            LinearNotion::ImpossibleFutures
            | LinearNotion::ImpossibleFuturesStrong
            | LinearNotion::PossibleFutures => {
                // A state has all the traces of those behind its hidden steps, so that
                // stable ones decide, on both sides.
                system.is_stable(state) && !self.has_future_of(sets, state, set, pairs)?
            }
        })
    }

    /// Whether some member of a set has no trace that a state has not; for possible
    /// futures, whether it has the same traces.
    fn has_future_of(
        &mut self,
        sets: &mut Sets<'_>,
        state: u32,
        set: u32,
        pairs: usize,
    ) -> Option<bool> {
        let system = self.system;
        let both = self.notion == LinearNotion::PossibleFutures;
        let limit = Limit {
            pairs: self.limit.pairs.saturating_sub(pairs),
            ..self.limit
        };
        for k in 0..sets.get(set).len() {
            let q = sets.get(set)[k];
            if system.is_stable(q)
                && self.futures.within(system, sets, q, state, limit)?
                && (!both || self.futures.within(system, sets, state, q, limit)?)
            {
                return Some(true);
            }
        }
        Some(false)
    }
}

impl Look for Search<'_> {
    fn arrive(&mut self, sets: &mut Sets<'_>, state: u32, set: u32) -> Option<u32> {
        let system = self.system;
        let own = system.menu(state);
        let (set, is_allowed) = match self.notion {
            LinearNotion::FailureTrace => {
                let keep = |q| system.is_within(system.menu(q), own);
                (sets.filtered(set, keep), false)
            }
            LinearNotion::ReadyTrace => (sets.filtered(set, |q| system.menu(q) == own), false),
            LinearNotion::FailuresDivergence => (set, sets.diverges(set)),
            LinearNotion::Trace
            | LinearNotion::CompletedTrace
            | LinearNotion::Failures
            | LinearNotion::Revivals
            | LinearNotion::Readiness
            | LinearNotion::ImpossibleFuturesStrong
            | LinearNotion::PossibleFutures
            | LinearNotion::WeakTrace
            | LinearNotion::WeakFailures
            | LinearNotion::ImpossibleFutures => (set, false),
        };
        if is_allowed || sets.contains(set, state) {
            // A member shows what it shows itself.
            return None;
        }
        let is_simulated = self.simulation.as_ref().is_some_and(|simulation| {
            let mut members = sets.get(set).iter();
            members.any(|&q| simulation.simulates(q, state))
        });
        (!is_simulated).then_some(set)
    }

    fn is_spent(&self, sets: &Sets<'_>) -> bool {
        self.limit.is_spent(sets)
    }

    fn judge(&mut self, sets: &mut Sets<'_>, state: u32, set: u32, pairs: usize) -> Judgement {
        match self.differs(sets, state, set, pairs) {
            Some(true) => return Judgement::Difference,
            Some(false) => {}
            None => return Judgement::Limit,
        }
        if self.large.is_some_and(|large| pairs >= large) {
            self.large = None;
            self.simulation = self
                .notion
                .simulation()
                .and_then(|ready| Simulation::new(self.system, ready, SIMULATION_WORK));
        }
        let all = pairs + self.futures.pairs();
        match self.limit.is_reached(all, sets) {
            true => Judgement::Limit,
            false => Judgement::Nothing,
        }
    }
}

impl LinearNotion {
    /// Whether a state is below those that simulate it; and if, whether only if all steps
    /// on the way are among the same labels on both sides.
    const fn simulation(self) -> Option<bool> {
        match self {
            LinearNotion::Trace | LinearNotion::WeakTrace => Some(false),
            LinearNotion::CompletedTrace
            | LinearNotion::Failures
            | LinearNotion::Revivals
            | LinearNotion::Readiness
            | LinearNotion::FailureTrace
            | LinearNotion::ReadyTrace => Some(true),
            LinearNotion::ImpossibleFuturesStrong
            | LinearNotion::PossibleFutures
            | LinearNotion::WeakFailures
            | LinearNotion::FailuresDivergence
            | LinearNotion::ImpossibleFutures => None,
        }
    }
}

impl Limit {
    /// Whether so many pairs, the bytes of sets, or their comparisons are too many.
    pub(super) fn is_reached(self, pairs: usize, sets: &Sets<'_>) -> bool {
        pairs >= self.pairs.min(u32::MAX as usize - 1)
            || sets.bytes() + pairs * BYTES_A_PAIR > self.bytes
            || self.is_spent(sets)
    }

    /// Whether the comparisons of sets are too many.
    pub(super) fn is_spent(self, sets: &Sets<'_>) -> bool {
        sets.comparisons() >= self.comparisons
    }
}

/// About how many steps finding a simulation may take.
const SIMULATION_WORK: usize = 1 << 27;

/// Whether all stable members of a set offer something that a state does not.
fn accepts_more(system: &System, sets: &mut Sets<'_>, state: u32, set: u32) -> bool {
    let own = system.menu(state);
    let menus = sets.menus(set, true);
    menus.binary_search(&own).is_err() && !menus.iter().any(|&menu| system.is_within(menu, own))
}
