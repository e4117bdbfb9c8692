//! Quotients by similarity.

use std::cell::Cell;
use std::collections::BTreeSet;

use hyades_formats::{Lts, StateId};
use hyades_lts::{Numbering, reachable};
use hyades_testing::naive::spectrum;
use hyades_testing::{Random, Shape, check, lts, random_lts, same, shuffled, union};

use super::super::graph::Graph;
use super::super::{
    BLOCKS, Kind, MATRIX_NODES, Menus, compare, deterministic, quotient, safety_quotient,
    simulation,
};
use super::{quietly, size_models};
use crate::Minimized;

/// The kinds that have a quotient.
const KINDS: [Kind; 3] = [Kind::Sim, Kind::ReadySim, Kind::Safety];

fn quotient_of(lts: &Lts, kind: Kind) -> (Lts, Vec<u32>) {
    let lts = lts.clone();
    let found = quietly(|rounds| match kind {
        Kind::Sim => quotient(lts, false, rounds),
        Kind::ReadySim => quotient(lts, true, rounds),
        Kind::Safety => safety_quotient(lts, rounds),
        Kind::TwoNestedSim | Kind::BranchingSim | Kind::CoupledSim | Kind::Contrasim => {
            unreachable!("no quotient")
        }
    });
    found.unwrap()
}

fn size(lts: &Lts) -> (usize, usize) {
    (lts.states(), lts.transitions())
}

#[test]
fn sizes_of_all_models() {
    let models = size_models();
    assert_eq!(models.len(), 15);
    for (name, lts) in models {
        for kind in KINDS {
            let found = size(&quotient_of(&lts, kind).0);
            let wanted = spectrum::quotient_size(kind.name(), &lts, &|_| false);
            assert_eq!(Some(found), wanted, "{kind:?} of {name}");
        }
    }
}

/// The number of reachable states that differ by coupled similarity.
#[test]
fn coupled_classes_of_all_models() {
    for (name, lts) in size_models() {
        let lts = reachable(lts, Numbering::BreadthFirst);
        let mut first: Vec<StateId> = Vec::new();
        for s in (0..lts.states()).map(StateId::from_index) {
            let both = (Some(true), Some(true));
            let known = |&t: &StateId| compare(&lts, t, s, Kind::CoupledSim) == both;
            if !first.iter().any(known) {
                first.push(s);
            }
        }
        let wanted = spectrum::class_count("coupled-sim", &lts, &|_| false);
        assert_eq!(Some(first.len()), wanted, "{name}");
    }
}

/// A quotient is similar to what it was made of and cannot be made smaller; its size does
/// not depend on how states are numbered, and what stands for states is similar to them.
#[test]
fn quotients_are_small_and_similar() {
    check(6, 12, |lts, random| {
        for kind in KINDS {
            let (small, class) = quotient_of(lts, kind);
            let wrong = |what: &str| Err(format!("{kind:?}: {what}"));
            let reached = reachable(lts.clone(), Numbering::BreadthFirst);
            if Some(size(&small)) != spectrum::quotient_size(kind.name(), &reached, &|_| false) {
                return wrong("another size than by the definition");
            }
            let both = (Some(true), Some(true));
            let (side_by_side, _, second) = union(lts, &small);
            let shift = second.get() - small.initial().get();
            for (s, &c) in class.iter().enumerate() {
                let (s, c) = (StateId::from_index(s), c.wrapping_add(shift));
                if class[s.index()] != Minimized::NO_CLASS
                    && compare(&side_by_side, s, StateId::new(c), kind) != both
                {
                    return wrong("a class that is not similar to a member");
                }
            }
            if class[lts.initial().index()] != small.initial().get() {
                return wrong("another initial state");
            }
            let (again, _) = quotient_of(&small, kind);
            if !same(&small, &again) {
                return wrong("not idempotent");
            }
            let (other, _) = quotient_of(&shuffled(lts, random), kind);
            if size(&small) != size(&other) {
                return wrong("depends on the numbers of states");
            }
        }
        Ok(())
    });
}

/// All classes that are reached stand for a state, by one or several threads the same.
#[test]
fn results_do_not_depend_on_threads() {
    let pool = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    let (one, four) = (pool(1), pool(4));
    let mut random = Random::new(17);
    for shape in Shape::ALL {
        let lts = random_lts(shape, 500, &mut random);
        for kind in KINDS {
            let (small, class) = one.install(|| quotient_of(&lts, kind));
            let (other, other_class) = four.install(|| quotient_of(&lts, kind));
            assert!(same(&small, &other), "{kind:?} of {shape:?}");
            assert_eq!(class, other_class);
            let used: BTreeSet<u32> = class.into_iter().collect();
            assert!((0..small.states() as u32).all(|s| used.contains(&s)));
        }
    }
}

/// Of brothers that are equal one stays; one that is strictly below another goes, and
/// what only it led to.
#[test]
fn little_brothers_go_and_twins_stay() {
    let steps = [
        (0, "a", 1),
        (0, "a", 2),
        (1, "b", 3),
        (2, "b", 4),
        (2, "b", 5),
        (2, "c", 5),
        (3, "d", 6),
        (4, "d", 6),
    ];
    let (small, class) = quotient_of(&lts(&steps), Kind::Sim);
    assert_eq!(size(&small), (4, 4));
    assert_eq!(class[1], Minimized::NO_CLASS);
    assert_eq!(class[5], class[6]);
    // Here 1 and 2 are similar to each other though not bisimilar.
    let (small, class) = quotient_of(
        &lts(&[
            (0, "a", 1),
            (0, "a", 2),
            (1, "b", 3),
            (2, "b", 3),
            (2, "b", 4),
            (3, "c", 5),
        ]),
        Kind::Sim,
    );
    assert_eq!(size(&small), (4, 3));
    assert_eq!(class[1], class[2]);
}

#[test]
fn safety_quotients_have_no_hidden_steps() {
    let (small, _) = quotient_of(
        &lts(&[(0, "i", 1), (0, "a", 2), (1, "b", 2), (2, "i", 2)]),
        Kind::Safety,
    );
    assert_eq!(size(&small), (2, 2));
    assert!(small.labels().iter().all(|label| !label.is_hidden()));
}

/// The visible steps after hidden ones are found for the states they lead to, not for all:
/// of each state on a hidden path there may be as many as states behind it.
#[test]
fn what_hidden_steps_alone_lead_to_takes_no_steps() {
    let long = 20_000;
    let labels: Vec<String> = (0..long).map(|s| format!("a{s}")).collect();
    let steps = (0..long).flat_map(|s| {
        let visible = (s, &*labels[s as usize], long + 1);
        [(s, "i", s + 1), visible]
    });
    let (small, class) = quotient_of(&lts(&steps.collect::<Vec<_>>()), Kind::Safety);
    assert_eq!(size(&small), (2, long as usize));
    assert_eq!((class[0], class[1]), (0, Minimized::NO_CLASS));
    assert_eq!(class[long as usize + 1], 1);
}

/// Nodes that lead to no choice are below none but themselves, and the others that are
/// above them lead to one.
#[test]
fn what_leads_to_no_choice_is_similar_to_nothing_else() {
    let all = Cell::new(0);
    check(6, 12, |lts, _| {
        let graph = quietly(|rounds| Graph::strong(lts, None, rounds));
        let rows = graph.rows();
        let nodes = rows.states() as u32;
        // By the definition: all that is reached, each time anew.
        let has_choice = |v: u32| {
            let (labels, _) = rows.row(v);
            labels.windows(2).any(|pair| pair[0] == pair[1])
        };
        let leads_to_none = |v: u32| {
            let mut reached = BTreeSet::from([v]);
            let mut open = vec![v];
            while let Some(v) = open.pop() {
                let next = rows.row(v).1.iter().map(|t| t.get());
                open.extend(next.filter(|&t| reached.insert(t)));
            }
            !reached.into_iter().any(has_choice)
        };
        let free: Vec<u32> = (0..nodes).filter(|&v| leads_to_none(v)).collect();
        if deterministic::count(rows) != free.len() {
            return Err(format!(
                "{} instead of {free:?}",
                deterministic::count(rows)
            ));
        }
        for menus in [Menus::Included, Menus::Equal] {
            let preorder = simulation(&graph, menus, MATRIX_NODES).unwrap();
            for &p in &free {
                let similar = |&&q: &&u32| preorder.below(p, q) && preorder.below(q, p);
                if free.iter().filter(similar).count() != 1 {
                    return Err(format!("{p} is similar to others"));
                }
            }
        }
        all.set(all.get() + free.len());
        Ok(())
    });
    assert!(all.get() > 50, "{all:?}");
}

/// More classes than a relation between them could be held for.
#[test]
fn many_classes_without_a_choice() {
    let long = BLOCKS as u32 + 10;
    let mut steps: Vec<_> = (0..long).map(|s| (s, "a", s + 1)).collect();
    for kind in [Kind::Sim, Kind::ReadySim] {
        let (small, class) = quotient_of(&lts(&steps), kind);
        assert_eq!(size(&small), (long as usize + 1, long as usize));
        assert!(class.into_iter().eq(0..=long));
    }
    // A choice above them: there are too many for it to be made.
    steps.extend([(long + 1, "b", 0), (long + 1, "b", 1), (0, "c", long + 1)]);
    let lts = lts(&steps);
    assert!(quietly(|rounds| quotient(lts, false, rounds)).is_err());
}
