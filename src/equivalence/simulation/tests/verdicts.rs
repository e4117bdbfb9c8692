//! Verdicts of all engines.

use hyades_formats::{Lts, StateId};
use hyades_testing::naive::spectrum;
use hyades_testing::{Random, Shape, check, lts, random_lts, random_pair, union};

use super::super::game::Limits;
use super::super::graph::Graph;
use super::super::preorder::{Menus, Preorder};
use super::super::{Kind, MATRIX_NODES, Question, compare, nested_simulation, simulation};
use super::{model_pairs, quietly};

/// Whether the two states are below each other by the definition.
fn naively(lts: &Lts, p: StateId, q: StateId, kind: Kind) -> [bool; 2] {
    [(p, q), (q, p)].map(|(p, q)| spectrum::below(kind.name(), lts, p, q, &|_| false).unwrap())
}

/// Each engine gives these verdicts.
fn agree(lts: &Lts, p: StateId, q: StateId, kind: Kind) -> Result<(), String> {
    let [below, above] = naively(lts, p, q, kind);
    let local = compare(lts, p, q, kind);
    if local != (Some(below), Some(above)) {
        return Err(format!("{kind:?}: {local:?}, not {below}, {above}"));
    }
    let question = quietly(|rounds| Question::new(lts, p, q, kind, rounds));
    let nothing = Limits {
        decide: 0,
        reason: 0,
    };
    let global = question.compare_within(&nothing);
    let wanted = match kind {
        Kind::Sim
        | Kind::ReadySim
        | Kind::TwoNestedSim
        | Kind::Safety
        | Kind::BranchingSim
        | Kind::CoupledSim => (Some(below), Some(above)),
        Kind::Contrasim => match question.is_reflexive() {
            true => (Some(true), Some(true)),
            false => (None, None),
        },
    };
    if global != wanted {
        return Err(format!("{kind:?}: {global:?} by all pairs, not {wanted:?}"));
    }
    if matches!(kind, Kind::Sim | Kind::ReadySim | Kind::TwoNestedSim) {
        let graph = quietly(|rounds| Graph::strong(lts, None, rounds));
        let preorder = by(&graph, kind, 0);
        let (p, q) = (graph.of(p), graph.of(q));
        let found = [preorder.below(p, q), preorder.below(q, p)];
        if found != [below, above] {
            return Err(format!("{kind:?}: {found:?} by blocks"));
        }
    }
    Ok(())
}

/// The preorder of a strong kind, by a matrix for up to so many nodes.
fn by(graph: &Graph, kind: Kind, matrix_nodes: usize) -> Preorder {
    let preorder = match kind {
        Kind::Sim => simulation(graph, Menus::Included, matrix_nodes),
        Kind::ReadySim => simulation(graph, Menus::Equal, matrix_nodes),
        Kind::TwoNestedSim => nested_simulation(graph, matrix_nodes),
        Kind::Safety | Kind::BranchingSim | Kind::CoupledSim | Kind::Contrasim => unreachable!(),
    };
    preorder.unwrap()
}

#[test]
fn all_models_in_both_directions() {
    let pairs = model_pairs();
    assert_eq!(pairs.len(), 67);
    for (name, lts, p, q) in pairs {
        for kind in Kind::ALL {
            agree(&lts, p, q, kind).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn random_pairs_in_both_directions() {
    let mut random = Random::new(23);
    for k in 0..600 {
        let (first, second) = random_pair(&mut random);
        let (lts, p, q) = union(&first, &second);
        for kind in Kind::ALL {
            agree(&lts, p, q, kind).unwrap_or_else(|error| panic!("pair {k}: {error}"));
        }
    }
}

#[test]
fn systems_of_awkward_shapes() {
    check(4, 8, |lts, random| {
        let [p, q] = [(); 2].map(|()| StateId::from_index(random.between(0, lts.states() - 1)));
        Kind::ALL
            .into_iter()
            .try_for_each(|kind| agree(lts, p, q, kind))
    });
}

/// The relation between all nodes by both engines and by one or several threads.
#[test]
fn matrices_and_blocks_give_the_same_relation() {
    let mut random = Random::new(5);
    let pool = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    let (one, four) = (pool(1), pool(4));
    for shape in Shape::ALL {
        for size in [40, 300] {
            let lts = random_lts(shape, size, &mut random);
            let graph = quietly(|rounds| Graph::strong(&lts, None, rounds));
            for kind in [Kind::Sim, Kind::ReadySim, Kind::TwoNestedSim] {
                let matrix = four.install(|| by(&graph, kind, MATRIX_NODES));
                for (what, other) in [
                    ("blocks", by(&graph, kind, 0)),
                    ("one thread", one.install(|| by(&graph, kind, MATRIX_NODES))),
                ] {
                    let same = |p, q| matrix.below(p, q) == other.below(p, q);
                    let n = graph.nodes() as u32;
                    let all = (0..n).all(|p| (0..n).all(|q| same(p, q)));
                    assert!(all, "{kind:?} of {shape:?} by {what}");
                    assert_eq!(matrix.classes(), other.classes());
                }
            }
        }
    }
}

/// Long ways without recursion, also where hidden steps are not seen.
#[test]
fn long_chains() {
    let long = 3_000;
    let chain = |length: u32, label: &'static str| -> Vec<(u32, &str, u32)> {
        let mut steps: Vec<_> = (0..length).map(|s| (s, label, s + 1)).collect();
        steps.push((length, "b", length));
        steps
    };
    for label in ["a", "i"] {
        let (lts, p, q) = union(&lts(&chain(long, label)), &lts(&chain(long + 1, label)));
        for kind in Kind::ALL {
            let is_seen = label == "a" || kind.counts_hidden();
            let wanted = (Some(!is_seen), Some(!is_seen));
            assert_eq!(compare(&lts, p, q, kind), wanted, "{kind:?}, {label}");
        }
    }
}

/// What both can do is found out even if one of them can do much more.
#[test]
fn identical_states_are_below_each_other_at_once() {
    let lts = lts(&[(0, "a", 1), (0, "i", 0), (1, "b", 0)]);
    let state = StateId::new(0);
    for kind in Kind::ALL {
        let question = quietly(|rounds| Question::new(&lts, state, state, kind, rounds));
        assert!(question.is_reflexive());
        assert_eq!(question.compare(usize::MAX), (Some(true), Some(true)));
        assert!(question.reason(&lts).is_none());
    }
}

/// Simulation both ways is not bisimilarity, nor what is between them.
#[test]
fn kinds_differ_where_they_should() {
    // a.b + a with a.b: a little brother.
    let (system, p, q) = union(
        &lts(&[(0, "a", 1), (1, "b", 2), (0, "a", 3)]),
        &lts(&[(0, "a", 1), (1, "b", 2)]),
    );
    assert_eq!(compare(&system, p, q, Kind::Sim), (Some(true), Some(true)));
    assert_eq!(
        compare(&system, p, q, Kind::ReadySim),
        (Some(false), Some(true))
    );
    // Coupling: a gradual choice by hidden steps against one at once.
    let (system, p, q) = union(
        &lts(&[
            (0, "i", 1),
            (0, "i", 2),
            (2, "i", 3),
            (2, "i", 4),
            (1, "a", 5),
            (3, "b", 5),
            (4, "c", 5),
        ]),
        &lts(&[
            (0, "i", 1),
            (0, "i", 2),
            (0, "i", 3),
            (1, "a", 4),
            (2, "b", 4),
            (3, "c", 4),
        ]),
    );
    assert_eq!(
        compare(&system, p, q, Kind::CoupledSim),
        (Some(true), Some(true))
    );
    let (system, p, q) = union(&lts(&[(0, "a", 1), (0, "i", 2)]), &lts(&[(0, "a", 1)]));
    assert_eq!(
        compare(&system, p, q, Kind::Safety),
        (Some(true), Some(true))
    );
    let coupled = compare(&system, p, q, Kind::CoupledSim);
    assert_eq!(coupled, (Some(false), Some(false)));
}

/// Where one direction is given up at a limit, the other one gets a part of it: enough for
/// what is refuted soon.
#[test]
fn after_a_direction_that_is_given_up_the_other_gets_less() {
    let long = 4_000;
    let chain: Vec<_> = (0..long).map(|s| (s, "a", s + 1)).collect();
    let with_choice = |at: u32| {
        let mut steps = chain.clone();
        steps.extend((at..long).map(|s| (s, "c", s)));
        lts(&steps)
    };
    let limit = 8_000;
    for (at, known) in [(0, Some(false)), (1_000, None)] {
        let (lts, p, q) = union(&lts(&chain), &with_choice(at));
        let question = quietly(|rounds| Question::new(&lts, p, q, Kind::BranchingSim, rounds));
        assert_eq!(question.compare(usize::MAX), (Some(true), Some(false)));
        assert_eq!(question.compare(limit), (None, known), "{at}");
        // The whole of it is enough if that comes first.
        let reversed = question.reversed();
        assert_eq!(reversed.compare(limit).0, Some(false), "{at}");
    }
}
