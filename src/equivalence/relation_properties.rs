//! All relations against their definitions, and against each other: verdicts both ways,
//! reasons, quotients.

use std::path::PathBuf;

use hyades_formats::{LabelId, Lts, StateId};
use hyades_testing::naive::{formula, spectrum as naive};
use hyades_testing::{ROOT, Random, Shape, from_aut, mutated, random_lts, random_pair, union};
use serde_json::Value;

use super::compare::{Options, Order, Pair, Preferred, Side, Verdict, Witness};
use super::engine::Engine;
use super::rounds::untold;
use super::spectrum::spectrum;
use super::{Criterion, MinimizeError, Relation, compare::order, minimize};

/// In these tests `a` is the strong label of sharp relations.
fn criterion(relation: Relation) -> Criterion<'static> {
    Criterion {
        is_strong: &|text| text == b"a",
        ..Criterion::from(relation)
    }
}

fn is_a(lts: &Lts) -> impl Fn(LabelId) -> bool + use<> {
    let a = lts.table().find(b"a");
    move |label| Some(label) == a
}

fn models() -> PathBuf {
    PathBuf::from(ROOT).join("testdata/spectrum")
}

fn expected() -> Value {
    let text = std::fs::read_to_string(models().join("expected.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn model(name: &Value) -> Lts {
    let path = models().join(name.as_str().unwrap());
    from_aut(&std::fs::read_to_string(path).unwrap())
}

fn holds(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Holds => true,
        Verdict::Fails(_) => false,
        Verdict::Unknown => panic!("these are small"),
    }
}

fn both(order: &Order) -> [bool; 2] {
    [holds(&order.below), holds(&order.above)]
}

/// The names that the oracle has for relations are the canonical ones.
fn by_definition(relation: Relation, lts: &Lts, p: StateId, q: StateId) -> [bool; 2] {
    let strong = is_a(lts);
    let below = |p, q| naive::below(relation.name(), lts, p, q, &strong).expect("it is known");
    [below(p, q), below(q, p)]
}

/// The reason of each verdict that says no is there, and true by an evaluator that shares
/// no code with the search for it.
fn check_reasons(relation: Relation, order: &Order, systems: [&Lts; 2]) -> Result<(), String> {
    for (verdict, side) in [(&order.below, Side::First), (&order.above, Side::Second)] {
        let Verdict::Fails(witness) = verdict else {
            continue;
        };
        let Some(witness) = witness else {
            // Of strongly bisimilar systems no behaviour tells more.
            if relation == Relation::Isomorphism {
                continue;
            }
            return Err(format!("{relation}: no reason"));
        };
        if relation.is_preorder() && witness.holds_in() != side {
            return Err(format!("{relation}: the reason is for the other side"));
        }
        let (side, claim) = witness.formula().unwrap();
        let text = claim.to_string();
        let of = systems.map(|lts| formula::holds(&text, lts, lts.initial()).unwrap());
        let expected = match side {
            Side::First => [true, false],
            Side::Second => [false, true],
        };
        if of != expected {
            return Err(format!("{relation}: {text} is {of:?}"));
        }
        let own = systems.map(|lts| claim.holds(lts, lts.initial()));
        if own != expected {
            return Err(format!("{relation}: {text} is {own:?} by the evaluator"));
        }
    }
    Ok(())
}

#[test]
fn the_models_have_the_verdicts_that_are_known() {
    let expected = expected();
    let mut verdicts = 0;
    for pair in expected["pairs"].as_array().unwrap() {
        let systems = [model(&pair["a"]), model(&pair["b"])];
        for (name, known) in pair["verdicts"].as_object().unwrap() {
            let relation: Relation = name.parse().unwrap();
            assert_eq!(relation.name(), name);
            let [a, b] = systems.clone();
            let found = order(a, b, criterion(relation)).unwrap();
            let known = [0, 1].map(|k| known[k].as_bool().unwrap());
            assert_eq!(both(&found), known, "{name} of {}", pair["name"]);
            let checked = check_reasons(relation, &found, systems.each_ref());
            assert_eq!(checked, Ok(()), "{}", pair["name"]);
            verdicts += 1;
        }
    }
    assert_eq!(verdicts, 67 * 33);
}

#[test]
fn implications_are_those_that_are_known() {
    let expected = expected();
    for (name, implied) in expected["implies"].as_object().unwrap() {
        let relation: Relation = name.parse().unwrap();
        let implied: Vec<&str> = implied
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        for other in Relation::ALL {
            let known = implied.contains(&other.name()) || other == relation;
            assert_eq!(relation.implies(other), known, "{relation}, {other}");
        }
    }
}

#[test]
fn quotients_of_the_models_have_the_sizes_that_are_known() {
    let expected = expected();
    let mut sizes = 0;
    for size in expected["sizes"].as_array().unwrap() {
        let lts = model(&size["file"]);
        for (name, known) in size["quotients"].as_object().unwrap() {
            // Partial reductions are not by a relation.
            let Ok(relation) = name.parse::<Relation>() else {
                continue;
            };
            let minimal = minimize(lts.clone(), criterion(relation)).unwrap().lts;
            let found = [minimal.states(), minimal.transitions()];
            let known = [0, 1].map(|k| known[k].as_u64().unwrap() as usize);
            assert_eq!(found, known, "{name} of {}", size["file"]);
            sizes += 1;
        }
    }
    assert_eq!(sizes, 15 * 13);
}

/// Random pairs: verdicts by the definitions, both ways; reasons; the spectrum at once.
fn check_pair(seed: u64, counts: &mut [[usize; 3]]) -> Result<(), String> {
    let mut random = Random::new(seed);
    let (first, second) = random_pair(&mut random);
    let (lts, p, q) = union(&first, &second);
    let pair = Pair::new(first.clone(), second.clone()).unwrap();
    let options = Options {
        preferred: match seed % 2 {
            0 => Preferred::Trace,
            _ => Preferred::Formula,
        },
        ..Options::default()
    };
    let mut known = Vec::new();
    for relation in Relation::ALL {
        let found = pair.order(criterion(relation), &options, &mut untold);
        let verdicts = both(&found);
        if verdicts != by_definition(relation, &lts, p, q) {
            return Err(format!("{relation}: {verdicts:?}"));
        }
        check_reasons(relation, &found, [&first, &second])?;
        let same = holds(&pair.compare(criterion(relation), &options, &mut untold));
        if same != (verdicts == [true, true]) {
            return Err(format!("{relation}: as an equivalence {same}"));
        }
        let kind = verdicts.iter().filter(|&&v| v).count();
        counts[relation as usize][kind] += 1;
        known.push((relation, verdicts));
    }
    for &(finer, [below, above]) in &known {
        for &(coarser, verdicts) in &known {
            let closed = (!below || verdicts[0]) && (!above || verdicts[1]);
            if finer.implies(coarser) && !closed {
                return Err(format!("{finer} holds, and {coarser} does not"));
            }
        }
    }
    let all = spectrum(
        &pair,
        Some(&|text| text == b"a"),
        &options,
        &mut untold,
        &mut |_| (),
    );
    let told: Vec<_> = all.iter().map(|e| (e.relation, both(&e.order))).collect();
    if told != known {
        return Err(format!("the spectrum: {told:?} instead of {known:?}"));
    }
    all.iter()
        .try_for_each(|e| check_reasons(e.relation, &e.order, [&first, &second]))
}

fn check_pairs(seeds: std::ops::Range<u64>) {
    let mut counts = vec![[0; 3]; Relation::ALL.len()];
    for seed in seeds {
        if let Err(why) = check_pair(seed, &mut counts) {
            let (first, second) = random_pair(&mut Random::new(seed));
            panic!("seed {seed}: {why}\n{first:?}\n{second:?}");
        }
    }
    for (relation, [neither, one, both]) in Relation::ALL.into_iter().zip(counts) {
        assert!(neither > 2 && both > 5, "{relation}: {neither}, {both}");
        assert_eq!(one > 2, relation.is_preorder(), "{relation}: {one}");
    }
}

#[test]
fn random_pairs_have_the_verdicts_of_the_definitions_and_true_reasons() {
    check_pairs(0..300);
}

#[test]
#[ignore = "the same of more pairs; takes minutes"]
fn many_random_pairs_have_the_verdicts_of_the_definitions_and_true_reasons() {
    check_pairs(1000..21_000);
}

/// Quotients are related to what they were made of, cannot be made smaller, and are the same
/// if a finer relation came first.
#[test]
fn quotients_are_equivalent_and_unique() {
    let mut random = Random::new(7);
    for _ in 0..250 {
        let (lts, _) = random_pair(&mut random);
        for relation in Relation::ALL {
            let quotient = match minimize(lts.clone(), criterion(relation)) {
                Ok(minimal) => minimal.lts,
                Err(MinimizeError::NoQuotient(of)) => {
                    assert!(of == relation && !relation.has_quotient());
                    continue;
                }
                Err(error) => panic!("{relation}: {error}"),
            };
            let verdict = order(lts.clone(), quotient.clone(), criterion(relation)).unwrap();
            assert_eq!(
                both(&verdict),
                [true, true],
                "{relation}\n{lts:?}\n{quotient:?}"
            );
            let size = |lts: &Lts| (lts.states(), lts.transitions());
            let strong = is_a(&lts);
            if let Some(known) = naive::quotient_size(relation.name(), &lts, &strong) {
                assert_eq!(size(&quotient), known, "{relation}\n{lts:?}");
            }
            for finer in Relation::ALL {
                if !(finer.implies(relation) && finer.has_quotient()) {
                    continue;
                }
                let first = minimize(lts.clone(), criterion(finer)).unwrap().lts;
                let then = minimize(first, criterion(relation)).unwrap().lts;
                assert_eq!(
                    size(&then),
                    size(&quotient),
                    "{finer}, then {relation}\n{lts:?}"
                );
            }
        }
    }
}

/// What is told of a difference, in words.
fn told(first: &Lts, second: &Lts, relation: Relation, options: &Options) -> Option<String> {
    let pair = Pair::new(first.clone(), second.clone()).unwrap();
    match pair.compare(criterion(relation), options, &mut untold) {
        Verdict::Fails(witness) => {
            let witness = witness.expect("of small systems there is one");
            let (side, formula) = witness.formula().unwrap();
            Some(format!("{side:?} {formula}"))
        }
        Verdict::Holds => None,
        Verdict::Unknown => panic!("{relation} takes rounds only"),
    }
}

/// Who compares the minimal systems, with labels in the same order, is told the same.
#[test]
fn reasons_are_those_of_the_minimal_systems() {
    let refined = Relation::ALL.into_iter().filter_map(|relation| {
        let Engine::Refinement(refinement) = Engine::of(relation) else {
            return None;
        };
        Some((relation, refinement.finer()))
    });
    let refined: Vec<_> = refined.collect();
    let mut reasons = 0;
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let (first, second) = match seed % 3 {
            0 => random_pair(&mut random),
            _ => {
                let shape = Shape::ALL[seed as usize % Shape::ALL.len()];
                let lts = random_lts(shape, 20, &mut random);
                (mutated(&lts, &mut random), mutated(&lts, &mut random))
            }
        };
        for preferred in [Preferred::Least, Preferred::Formula] {
            let options = Options {
                preferred,
                ..Options::default()
            };
            for &(relation, finer) in &refined {
                let minimal =
                    [&first, &second].map(|lts| minimize(lts.clone(), finer).unwrap().lts);
                let known = told(&first, &second, relation, &options);
                reasons += usize::from(known.is_some());
                assert_eq!(
                    told(&minimal[0], &minimal[1], relation, &options),
                    known,
                    "seed {seed}, {relation}\n{first:?}\n{second:?}"
                );
            }
        }
    }
    assert!(reasons > 4_000, "{reasons}");
}

#[test]
fn a_witness_is_shown_as_steps() {
    let first = from_aut("des (0, 3, 4)\n(0, a, 1)\n(1, b, 2)\n(1, c, 3)\n");
    let second = from_aut("des (0, 4, 5)\n(0, a, 1)\n(0, a, 2)\n(1, b, 3)\n(2, c, 4)\n");
    for (relation, transitions) in [
        (Relation::Strong, 2),
        (Relation::Failures, 2),
        (Relation::Readiness, 3),
        (Relation::Sim, 3),
    ] {
        let order = order(first.clone(), second.clone(), relation).unwrap();
        let Verdict::Fails(Some(witness)) = order.equivalence() else {
            panic!("{relation}");
        };
        let is_formula = matches!(witness, Witness::Formula(_));
        assert_eq!(
            is_formula,
            matches!(relation, Relation::Strong | Relation::Sim)
        );
        assert_eq!(
            witness.to_lts().unwrap().transitions(),
            transitions,
            "{relation}"
        );
    }
}
