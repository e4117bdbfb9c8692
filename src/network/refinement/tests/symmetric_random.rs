//! Random networks beside random specifications up to symmetry.

use std::collections::{BTreeMap, VecDeque};

use crate::symmetry::tests::random;
use crate::symmetry::{Strategy, SymmetricModel, Symmetry};
use crate::{Network, NetworkModel};
use hyades_equivalence::{Relation, minimize};
use hyades_explore::{Goal, Limits, Outcome};
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_lts::Numbering;
use hyades_lts::relabel::{Action, Matching, Rules, Scope};
use hyades_testing::Random;

use super::Kind;
use super::normal;
use super::symmetric::{BOTH, check, length, search, symmetric};
use super::*;

/// The state space of a network, if it is small.
fn state_space(model: &NetworkModel) -> Option<Lts> {
    let search = hyades_explore::ExploreOptions {
        limits: Limits {
            max_states: Some(300),
            ..Limits::default()
        },
        ..hyades_explore::ExploreOptions::default()
    };
    let goal = Goal::Lts(Numbering::BreadthFirst);
    let (lts, outcome) = hyades_explore::reach(model, search, goal, |found| found.outcome).unwrap();
    lts.filter(|_| outcome.is_none_or(|outcome| outcome == Outcome::Complete))
}

/// The LTS with these transitions instead; the labels are the same.
fn with(
    lts: &Lts,
    mut image: impl FnMut(StateId, LabelId, StateId) -> Option<LabelId>,
) -> LtsBuilder {
    let mut builder = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
    for (source, label, target) in lts.iter() {
        if let Some(label) = image(source, label, target) {
            builder.add(source, label, target);
        }
    }
    builder
}

/// How many steps lead to each state.
fn depths(lts: &Lts) -> Vec<usize> {
    let mut depths = vec![usize::MAX; lts.states()];
    depths[lts.initial().index()] = 0;
    let mut queue = VecDeque::from([lts.initial()]);
    while let Some(state) = queue.pop_front() {
        for (_, target) in lts.outgoing(state) {
            if depths[target.index()] == usize::MAX {
                depths[target.index()] = depths[state.index()] + 1;
                queue.push_back(target);
            }
        }
    }
    depths
}

/// Another LTS, in whose making no value is another one than the others: labels are
/// told apart by their gates, states by their depth.
fn changed(lts: Lts, random: &mut Random) -> Lts {
    let gate = format!("O{}", random.between(0, 1));
    let table = lts.table().clone();
    let is_of = |l: LabelId| !l.is_hidden() && table.text(l).starts_with(gate.as_bytes());
    let depths = depths(&lts);
    let most = random.between(1, 5);
    let is_deep = |s: StateId| depths[s.index()] >= most;
    let builder = match random.between(0, 10) {
        // Cut or hide a gate.
        0 => with(&lts, |_, l, _| (!is_of(l)).then_some(l)),
        1 => with(&lts, |_, l, _| {
            Some(if is_of(l) { LabelId::HIDDEN } else { l })
        }),
        // Nothing is refused that can be done.
        2 => return normal(&lts, Semantics::Traces).as_lts().clone(),
        // Nothing diverges.
        3 | 9 => {
            return minimize(lts, Relation::Branching)
                .expect("there is one")
                .lts;
        }
        // Stop in some depth; do no hidden steps there, or none of a gate.
        4 => with(&lts, |s, l, _| (!is_deep(s)).then_some(l)),
        5 | 10 => with(&lts, |s, l, _| (!is_deep(s) || !l.is_hidden()).then_some(l)),
        6 => with(&lts, |s, l, _| (!is_deep(s) || !is_of(l)).then_some(l)),
        // Whatever there is can be done in some depth, with divergence or without.
        kind => {
            let mut builder = with(&lts, |_, l, _| Some(l));
            for state in (0..lts.states() as u32).map(StateId::new) {
                let labels = table.visible().map(|(label, _)| label);
                let hidden = (kind == 7).then_some(LabelId::HIDDEN);
                for label in labels.chain(hidden).filter(|_| is_deep(state)) {
                    builder.add(state, label, state);
                }
            }
            builder
        }
    };
    builder.build(lts.initial()).unwrap()
}

/// A random network, and a specification that is symmetric by its making.
fn two(random: &mut Random) -> Option<(random::Sample, Network, Lts)> {
    let sample = random::sample(random);
    let mut network = sample.network()?;
    if random.chance(40) {
        let mut rules = Rules::new(Action::Hide, Matching::Gate, Scope::Matching);
        rules.push(b"O0", b"", None).unwrap();
        network = network.relabelled(&[rules], &[b"i".to_vec()]).unwrap();
    }
    let mut spec = state_space(&NetworkModel::new(network.clone()))?;
    // Sometimes that of another network with the same types.
    if random.chance(10) {
        let other = random::sample(random);
        if other.sizes == sample.sizes {
            spec = state_space(&NetworkModel::new(other.network()?))?;
        }
    }
    for _ in 0..random.between(0, 3) {
        spec = changed(spec, random);
    }
    Some((sample, network, spec))
}

#[test]
fn random_networks_refine_as_without_symmetry() {
    let (mut held, mut kinds, mut deep) = (0, BTreeMap::new(), BTreeMap::new());
    let (mut pairs, mut whole) = (0, 0);
    for seed in 0..1500u64 {
        let mut random = Random::new(seed);
        let Some((sample, network, spec)) = two(&mut random) else {
            continue;
        };
        let types = sample.types();
        let model = NetworkModel::new(network.clone());
        // With minimal components.
        let symmetry = Symmetry::new(&network, &types).unwrap();
        let minimal = SymmetricModel::new(&symmetry, Strategy::Exact).unreduced();
        for semantics in Semantics::ALL {
            // Some few have very many nodes.
            let Ok(spec) = Specification::new(&spec, semantics, Some(150)) else {
                continue;
            };
            let shortest = BOTH[random.between(0, 1)];
            let plain = refine(&spec, &model, search(shortest)).unwrap();
            let small = refine(&spec, &minimal, search(shortest)).unwrap();
            // Two of the strategies, in turn.
            for k in [0, 1] {
                let strategy = Strategy::ALL[(seed as usize + 2 * k) % Strategy::ALL.len()];
                let what = format!("seed {seed}, {semantics}, {strategy}, {shortest:?}");
                let refinement = symmetric(&spec, &network, &types, strategy);
                let found = refinement.refine(search(shortest)).unwrap().found;
                match (&plain.verdict, &small.verdict, &found.verdict) {
                    (
                        RefinementVerdict::Holds,
                        RefinementVerdict::Holds,
                        RefinementVerdict::Holds,
                    ) => {
                        assert!(found.pairs <= small.pairs, "{what}");
                        (pairs, whole) = (pairs + found.pairs, whole + small.pairs);
                        held += 1;
                    }
                    (
                        RefinementVerdict::Fails(plain),
                        RefinementVerdict::Fails(small),
                        RefinementVerdict::Fails(shown),
                    ) => {
                        check(&spec, &network, shown);
                        let kind = Kind::of(&shown.violation);
                        // Of a refusal and a forbidden label that are equally far, the
                        // order of transitions decides, which is no matter of symmetry.
                        let diverges = |c: &Counterexample| {
                            matches!(c.violation, Violation::Divergence { .. })
                        };
                        assert_eq!(diverges(shown), diverges(small), "{what}");
                        let [a, b, c] = [plain, small, shown].map(|c| length(c, shortest));
                        assert!(b <= a && b <= c, "{what}");
                        if shown.is_shortest {
                            assert_eq!((a, diverges(plain)), (c, diverges(shown)), "{what}");
                        } else {
                            assert!(diverges(shown), "{what}");
                        }
                        if shortest == Shortest::Events {
                            assert_eq!((a, b), (c, c), "{what}");
                        }
                        *kinds.entry((semantics.name(), kind)).or_insert(0) += 1;
                        if shown.steps.len() > 2 {
                            *deep.entry(kind).or_insert(0) += 1;
                        }
                    }
                    other => panic!("{what}: {other:?}"),
                }
            }
        }
    }
    assert!(held > 1000, "{held}");
    assert!(3 * pairs < 2 * whole, "{pairs} {whole}");
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    assert!(kinds.values().all(|&count| count > 60), "{kinds:?}");
    for kind in [Kind::Trace, Kind::Refusal] {
        assert!(deep.get(&kind) > Some(&20), "{deep:?}");
    }
}
