//! What coarser relations tell of systems where the search for a relation takes long.

use super::compare::{Options, Order, Pair, Side, Wanted};
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
    /// Whether each is below the other one, as far as it is wanted. What may take exponential
    /// time is searched for in stages: for a while, then by coarser relations, which may
    /// refute it sooner, then for longer. The coarser ones get a part of the limit.
    pub(crate) fn in_stages(
        &self,
        criterion: Criterion<'_>,
        options: &Options,
        wanted: Wanted,
        observer: &mut RoundCallback<'_>,
    ) -> Order {
        let relation = criterion.relation;
        let mut order = Order::OPEN;
        for limit in stages(relation, options.limit) {
            let options = Options { limit, ..*options };
            order = self.decide(criterion, order, &options, wanted, observer);
            order = self.refuted_by_coarser(relation, order, &options, wanted, observer);
            if !order.lacks(wanted) {
                break;
            }
        }
        order
    }

    /// Of each direction in which an order is unknown, whether a coarser relation refutes
    /// it, which then is the reason. Those are tried, from the coarsest on, that take
    /// little: a part of the limit each.
    pub(crate) fn refuted_by_coarser(
        &self,
        relation: Relation,
        mut order: Order,
        options: &Options,
        wanted: Wanted,
        observer: &mut RoundCallback<'_>,
    ) -> Order {
        let options = Options {
            limit: options.limit.part(SHARE),
            ..*options
        };
        for coarser in Relation::ALL.into_iter().rev() {
            if !order.lacks(wanted) {
                break;
            }
            if coarser != relation && relation.implies(coarser) {
                self.refute_by(coarser, &mut order, &options, wanted, observer);
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
        wanted: Wanted,
        observer: &mut RoundCallback<'_>,
    ) {
        let [p, q] = self.roots();
        match Engine::of(coarser) {
            Engine::Inclusion(notion) => {
                let limit = options.limit;
                let below = || self.inclusion(Side::First, p, q, notion, limit);
                order.below.refute(below);
                if order.lacks(wanted) {
                    let above = || self.inclusion(Side::Second, q, p, notion, limit);
                    order.above.refute(above);
                }
            }
            Engine::Simulation(Kind::Contrasim) => {}
            Engine::Simulation(_) => {
                let mut options = *options;
                options.limit.pairs = options.limit.pairs.min(SIMULATION_PAIRS);
                let coarser = Criterion::from(coarser);
                let found = self.decide(coarser, Order::OPEN, &options, wanted, observer);
                order.below.refute(|| found.below);
                order.above.refute(|| found.above);
            }
            // They are symmetric, and only isomorphism, which asks for strong bisimilarity
            // itself, can be unknown and imply one.
            Engine::Isomorphism | Engine::Refinement(_) | Engine::Rooted(_) => {}
        }
    }
}

/// The limits of searches for a relation, one after the other.
fn stages(relation: Relation, limit: Limit) -> Vec<Limit> {
    let engine = Engine::of(relation);
    match engine {
        // A game that has no limit of its own between these.
        Engine::Simulation(Kind::Contrasim) => {
            let soon = Limit::SOON.at_most(limit);
            let rest = (limit != soon).then_some(limit);
            [soon].into_iter().chain(rest).collect()
        }
        // Two ways that take turns.
        Engine::Inclusion(notion) if notion.of_traces().is_some() => limit.turns().collect(),
        _ if engine.is_exponential() => limit.stages().collect(),
        Engine::Isomorphism
        | Engine::Refinement(_)
        | Engine::Rooted(_)
        | Engine::Simulation(_)
        | Engine::Inclusion(_) => vec![limit],
    }
}

#[cfg(test)]
mod tests {
    use hyades_formats::{Lts, LtsBuilder, StateId};
    use hyades_testing::naive::{formula, spectrum as naive};
    use hyades_testing::{Random, lts, random_pair, union};

    use super::*;
    use crate::compare::Verdict;
    use crate::rounds::untold;
    use crate::spectrum::spectrum;

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
        let own = pair.decide(
            relation.into(),
            Order::OPEN,
            &options,
            Wanted::Both,
            &mut untold,
        );
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

    /// Random systems of three steps a state, with two labels.
    fn machine(states: usize, random: &mut Random) -> Lts {
        let mut builder = LtsBuilder::new(0);
        for s in 0..states as u32 {
            for _ in 0..3 {
                let label = [&b"a"[..], b"b"][random.between(0, 1)];
                let target = random.between(0, states - 1) as u32;
                builder.add_text(s, label, target).unwrap();
            }
        }
        builder.build(StateId::new(0)).unwrap()
    }

    fn within(comparisons: usize) -> Options {
        let limit = Limit {
            comparisons,
            ..Limit::default()
        };
        Options {
            limit,
            ..Options::default()
        }
    }

    /// Comparisons of sets count, also in the searches for futures: pairs alone would not
    /// stop these for minutes.
    #[test]
    fn long_searches_for_futures_are_refuted_by_traces() {
        let mut random = Random::new(1);
        let [first, second] = [(); 2].map(|()| machine(300, &mut random));
        let pair = Pair::new(first, second).unwrap();
        let relations = [
            Relation::PossibleFutures,
            Relation::ImpossibleFuturesStrong,
            Relation::ImpossibleFutures,
        ];
        for relation in relations {
            let options = within(1 << 24);
            let order = pair.order(relation, &options, &mut untold);
            for (verdict, side) in [(&order.below, Side::First), (&order.above, Side::Second)] {
                let Verdict::Fails(Some(witness)) = verdict else {
                    panic!("{relation} is not refuted");
                };
                assert_eq!(witness.holds_in(), side);
            }
        }
        let entries = spectrum(&pair, None, &within(1 << 24), &mut untold, &mut |_| {});
        assert!(entries.iter().all(|entry| !entry.order.is_open()));
    }

    /// With any limit, verdicts are those of the definitions or open, and reasons true.
    #[test]
    fn what_is_found_within_limits_is_right() {
        let mut random = Random::new(7);
        let mut open = 0;
        for k in 0..150 {
            let (first, second) = random_pair(&mut random);
            let (lts, p, q) = union(&first, &second);
            let pair = Pair::new(first, second).unwrap();
            for relation in Relation::ALL {
                if !Engine::of(relation).is_exponential() {
                    continue;
                }
                let below = |p, q| naive::below(relation.name(), &lts, p, q, &|_| false).unwrap();
                let mut options = within(1 << random.between(0, 10));
                options.limit.pairs = random.between(1, 60);
                let order = pair.order(relation, &options, &mut untold);
                let equivalence = pair.compare(relation, &options, &mut untold);
                let both = below(p, q) && below(q, p);
                for (verdict, expected, states) in [
                    (&order.below, below(p, q), [p, q]),
                    (&order.above, below(q, p), [q, p]),
                    (&equivalence, both, [p, q]),
                ] {
                    match verdict {
                        Verdict::Unknown => open += 1,
                        Verdict::Holds => assert!(expected, "pair {k}: {relation}"),
                        Verdict::Fails(witness) => {
                            assert!(!expected, "pair {k}: {relation}");
                            let witness = witness.as_ref().expect("they are small");
                            let (side, formula) = witness.formula().unwrap();
                            let text = formula.to_string();
                            let holds = states.map(|s| formula::holds(&text, &lts, s).unwrap());
                            assert_ne!(
                                holds[0], holds[1],
                                "pair {k}: {relation}: {text}, {side:?}"
                            );
                        }
                    }
                }
            }
        }
        assert!(open > 100, "{open}");
    }

    /// What is known stays, and what holds of a coarser relation tells nothing.
    #[test]
    fn only_what_is_unknown_is_refuted() {
        let mut verdict = Verdict::Holds;
        verdict.refute(|| unreachable!("it is known"));
        assert!(verdict.holds());
        let mut verdict = Verdict::Unknown;
        verdict.refute(|| Verdict::Holds);
        assert!(matches!(verdict, Verdict::Unknown));
        verdict.refute(|| Verdict::Fails(None));
        assert!(matches!(verdict, Verdict::Fails(None)));
    }

    /// A direction with a reason tells more than one without.
    #[test]
    fn a_reason_for_either_direction_is_told() {
        let [a, b] = ["a", "b"].map(|label| lts(&[(0, label, 1)]));
        let known = crate::compare::compare(a, b, Relation::Trace).unwrap();
        assert!(matches!(known, Verdict::Fails(Some(_))));
        for (below, above) in [
            (Verdict::Fails(None), known.clone()),
            (known.clone(), Verdict::Fails(None)),
            (Verdict::Unknown, known.clone()),
        ] {
            let told = Order { below, above }.equivalence();
            assert!(matches!(told, Verdict::Fails(Some(_))), "{told:?}");
        }
    }
}
