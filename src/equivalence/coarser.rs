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

#[cfg(test)]
mod tests {
    use hyades_testing::lts;

    use super::*;
    use crate::rounds::untold;

    /// Chains whose last labels differ: too many positions for contrasimulation, few pairs
    /// for traces.
    #[test]
    fn what_is_given_up_is_refuted_by_what_is_coarser() {
        let long = 1500;
        let chain = |last: &'static str| {
            let mut steps: Vec<_> = (0..long).map(|s| (s, "a", s + 1)).collect();
            steps.push((long, last, long + 1));
            lts(&steps)
        };
        let pair = Pair::new(chain("b"), chain("c")).unwrap();
        let options = Options {
            limit: Limit {
                pairs: 30_000,
                ..Limit::default()
            },
            ..Options::default()
        };
        let relation = Relation::Contrasim;
        let own = pair.own_order(relation.into(), &options, &mut untold);
        assert!(matches!(own.below, Verdict::Unknown));
        assert!(matches!(own.above, Verdict::Unknown));
        let order = pair.order(relation, &options, &mut untold);
        for verdict in [
            &order.below,
            &order.above,
            &pair.compare(relation, &options, &mut untold),
        ] {
            let Verdict::Fails(Some(witness)) = verdict else {
                panic!("{relation} is not refuted");
            };
            assert_eq!(witness.depth() as u32, long + 1);
        }
    }

    /// What is known stays, and what holds of a coarser relation tells nothing.
    #[test]
    fn only_what_is_unknown_is_refuted() {
        let mut verdict = Verdict::Holds;
        refute(&mut verdict, || unreachable!("it is known"));
        assert!(verdict.holds());
        let mut verdict = Verdict::Unknown;
        refute(&mut verdict, || Verdict::Holds);
        assert!(matches!(verdict, Verdict::Unknown));
        refute(&mut verdict, || Verdict::Fails(None));
        assert!(matches!(verdict, Verdict::Fails(None)));
    }
}
