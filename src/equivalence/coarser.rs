//! What coarser relations tell of systems where the search for a relation is given up.

use super::compare::{Options, Order, Pair, Side, Verdict};
use super::engine::Engine;
use super::inclusion::Limit;
use super::rounds::RoundCallback;
use super::simulation::Kind;
use super::{Criterion, Relation};

/// What part of the limit each coarser relation may take.
const SHARE: usize = 16;

/// How many pairs of states a coarser simulation may take, besides.
const SIMULATION_PAIRS: usize = 1 << 20;

impl Pair {
    /// Of each direction in which an order is unknown, whether a coarser relation refutes
    /// it, which then is the reason. Those are tried, from the coarsest on, that take
    /// little: a part of the limit each.
    pub(crate) fn refuted_by_coarser(
        &self,
        relation: Relation,
        mut order: Order,
        options: &Options,
        observer: &mut RoundCallback<'_>,
    ) -> Order {
        let limit = Limit {
            pairs: options.limit.pairs / SHARE,
            bytes: options.limit.bytes / SHARE,
        };
        for coarser in Relation::ALL.into_iter().rev() {
            if !order.is_open() {
                break;
            }
            if coarser != relation && relation.implies(coarser) {
                self.refute_by(
                    coarser,
                    &mut order,
                    &Options { limit, ..*options },
                    observer,
                );
            }
        }
        order
    }

    /// Refutes what is unknown by a coarser relation, if that is decided by a search that
    /// takes little.
    fn refute_by(
        &self,
        coarser: Relation,
        order: &mut Order,
        options: &Options,
        observer: &mut RoundCallback<'_>,
    ) {
        let [p, q] = self.roots();
        match Engine::of(coarser) {
            Engine::Inclusion(notion) => {
                let below = || self.inclusion(Side::First, p, q, notion, options.limit);
                refute(&mut order.below, below);
                let above = || self.inclusion(Side::Second, q, p, notion, options.limit);
                refute(&mut order.above, above);
            }
            Engine::Simulation(Kind::Contrasim) => {}
            Engine::Simulation(_) => {
                let mut options = *options;
                options.limit.pairs = options.limit.pairs.min(SIMULATION_PAIRS);
                let found = self.own_order(Criterion::from(coarser), &options, observer);
                refute(&mut order.below, || found.below);
                refute(&mut order.above, || found.above);
            }
            // They are symmetric, and only isomorphism, which asks for strong bisimilarity
            // itself, can be unknown and imply one.
            Engine::Isomorphism | Engine::Refinement(_) | Engine::Rooted(_) => {}
        }
    }
}

/// Lets a verdict that is unknown be that of a coarser relation, if this fails.
pub(crate) fn refute(verdict: &mut Verdict, coarser: impl FnOnce() -> Verdict) {
    if let Verdict::Unknown = verdict
        && let fails @ Verdict::Fails(_) = coarser()
    {
        *verdict = fails;
    }
}
