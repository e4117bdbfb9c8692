//! Random systems.

use hyades_equivalence::{Relation, minimize, strong_partition};
use hyades_formats::Lts;
use hyades_lts::union::disjoint_union;
use hyades_testing::{Random, Shape, mutated, random_lts, shuffled, unfolded};

use super::super::*;
use super::naive::{self, Kind};
use super::{find, normal};

const BOTH: [Shortest; 2] = [Shortest::Steps, Shortest::Events];

/// Two systems that may have to do with each other.
fn two(size: usize, random: &mut Random) -> (Lts, Lts) {
    let shape = |random: &mut Random| Shape::ALL[random.between(0, Shape::ALL.len() - 1)];
    let first = random_lts(shape(random), random.between(1, size), random);
    let second = match random.between(0, 4) {
        0 => random_lts(shape(random), random.between(1, size), random),
        1 => shuffled(&first, random),
        2 => mutated(&first, random),
        3 => mutated(&mutated(&first, random), random),
        _ => {
            let shapes = [Shape::Copies, Shape::Stutter, Shape::DivergentStutter];
            unfolded(&first, shapes[random.between(0, 2)], 2, random).0
        }
    };
    match random.chance(50) {
        true => (first, second),
        false => (second, first),
    }
}

#[test]
fn refinement_is_that_of_the_definition() {
    let (mut held, mut kinds) = (0, std::collections::BTreeMap::new());
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let (spec, model) = two(7, &mut random);
        for semantics in Semantics::ALL {
            let events = naive::fewest_events(&spec, &model, semantics);
            let steps = naive::fewest_steps(&spec, &model, semantics);
            for shortest in BOTH {
                let found = find(&spec, &model, semantics, shortest);
                let what = format!("seed {seed}, {semantics}, {shortest:?}");
                let RefinementVerdict::Fails(shown) = &found.verdict else {
                    assert_eq!(
                        (&found.verdict, &events),
                        (&RefinementVerdict::Holds, &None),
                        "{what}"
                    );
                    assert_eq!(steps, None, "{what}");
                    held += 1;
                    continue;
                };
                naive::check(&spec, &model, semantics, shown);
                assert!(shown.is_shortest);
                let (length, wrong) = events.as_ref().expect(&what);
                let kind = Kind::of(&shown.violation);
                *kinds.entry((semantics.name(), kind)).or_insert(0) += 1;
                match shortest {
                    Shortest::Steps => assert_eq!(Some(shown.steps.len()), steps, "{what}"),
                    Shortest::Events => {
                        assert_eq!(shown.visible_trace().len(), *length, "{what}");
                        assert!(wrong.contains(&kind), "{what}");
                        if kind == Kind::Divergence {
                            assert_eq!(wrong.len(), 1, "{what}");
                        }
                    }
                }
            }
        }
    }
    // Each answer was given often.
    assert!(held > 1000, "{held}");
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    assert!(kinds.values().all(|&count| count > 100), "{kinds:?}");
}

#[test]
fn sets_tell_the_same_as_all_traces_one_by_one() {
    const MOST: usize = 4;
    for seed in 0..600 {
        let mut random = Random::new(1_000_000 + seed);
        let (spec, model) = two(4, &mut random);
        for semantics in Semantics::ALL {
            let found = naive::fewest_events(&spec, &model, semantics);
            let found = found.filter(|&(length, _)| length <= MOST);
            let all = naive::by_enumeration(&spec, &model, semantics, MOST);
            assert_eq!(found, all, "seed {seed}, {semantics}");
        }
    }
}

/// Refinement is a preorder, finer from T to F and with the divergences of F's own.
#[test]
fn refinement_is_a_preorder() {
    for seed in 0..300 {
        let mut random = Random::new(2_000_000 + seed);
        let (a, b) = two(6, &mut random);
        let c = mutated(&b, &mut random);
        for semantics in Semantics::ALL {
            let below = |x: &Lts, y: &Lts| super::holds(x, y, semantics);
            assert!(below(&a, &a), "seed {seed}");
            assert!(below(&a, &shuffled(&a, &mut random)), "seed {seed}");
            if below(&a, &b) && below(&b, &c) {
                assert!(below(&a, &c), "seed {seed}, {semantics}");
            }
        }
        if super::holds(&a, &b, Semantics::Failures) {
            assert!(super::holds(&a, &b, Semantics::Traces), "seed {seed}");
        }
    }
}

/// Minimising first changes nothing.
#[test]
fn quotients_mean_the_same() {
    for seed in 0..300 {
        let mut random = Random::new(4_000_000 + seed);
        let (lts, _) = two(12, &mut random);
        for (relation, kept) in [
            (Relation::Strong, &Semantics::ALL[..]),
            (Relation::DivBranching, &Semantics::ALL),
            (Relation::Branching, &[Semantics::Traces]),
        ] {
            let small = minimize(lts.clone(), relation).expect("there is one").lts;
            for &semantics in kept {
                assert!(
                    super::holds(&lts, &small, semantics),
                    "seed {seed}, {relation}"
                );
                assert!(
                    super::holds(&small, &lts, semantics),
                    "seed {seed}, {relation}"
                );
            }
        }
    }
}

/// The normal form is as small as can be, and depends on the meaning alone.
#[test]
fn normal_forms_are_canonical() {
    let mut equal = 0;
    for seed in 0..1000 {
        let mut random = Random::new(3_000_000 + seed);
        let (a, b) = two(6, &mut random);
        for semantics in Semantics::ALL {
            let (m, n) = (normal(&a, semantics), normal(&b, semantics));
            let classes = strong_partition(m.as_lts());
            assert_eq!(classes.count(), m.nodes(), "seed {seed}");
            let both = super::holds(&a, &b, semantics) && super::holds(&b, &a, semantics);
            let union = disjoint_union(by_text(&m), by_text(&n)).unwrap();
            let classes = strong_partition(&union.lts);
            let same = classes.class(union.lts.initial()) == classes.class(union.second);
            assert_eq!(same, both, "seed {seed}, {semantics}");
            if both {
                assert_eq!(m.nodes(), n.nodes());
                let rows = |s: &Specification| -> Vec<_> { by_text(s).iter().collect() };
                let texts = |s: &Specification| -> Vec<Vec<u8>> {
                    let table = s.table();
                    rows(s)
                        .iter()
                        .map(|step| table.text(step.1).to_vec())
                        .collect()
                };
                let targets = |s: &Specification| -> Vec<_> {
                    rows(s).iter().map(|step| (step.0, step.2)).collect()
                };
                // Acceptances are numbered as they come.
                let mut pairs =
                    [&m, &n].map(|s| -> Vec<_> { texts(s).into_iter().zip(targets(s)).collect() });
                pairs.iter_mut().for_each(|pairs| pairs.sort());
                assert_eq!(pairs[0], pairs[1], "seed {seed}, {semantics}");
                equal += 1;
            }
        }
    }
    assert!(equal > 300, "{equal}");
}

fn by_text(specification: &Specification) -> Lts {
    specification.as_lts().clone()
}
