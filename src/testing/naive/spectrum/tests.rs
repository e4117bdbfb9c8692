use std::path::PathBuf;

use serde_json::Value;

use super::*;
use crate::{ROOT, Random, from_aut, lts, random_pair, shuffled, union};

/// Small systems with known answers, for each of which some relation is decisive.
fn expected() -> Value {
    let text = std::fs::read_to_string(models().join("expected.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn models() -> PathBuf {
    PathBuf::from(ROOT).join("testdata/spectrum")
}

fn model(name: &Value) -> Lts {
    let path = models().join(name.as_str().unwrap());
    from_aut(&std::fs::read_to_string(path).unwrap())
}

/// The label `a` is strong, as in the expected answers.
fn only_a(lts: &Lts) -> impl Fn(LabelId) -> bool + use<> {
    let a = lts.table().find(b"a");
    move |label| Some(label) == a
}

/// The models side by side, with their names.
fn model_pairs() -> Vec<(Value, Lts, StateId, StateId)> {
    let expected = expected();
    let pairs = expected["pairs"].as_array().unwrap();
    let pair = |pair: &Value| {
        let (union, p, q) = union(&model(&pair["a"]), &model(&pair["b"]));
        (pair.clone(), union, p, q)
    };
    pairs.iter().map(pair).collect()
}

#[test]
fn verdicts_of_all_models() {
    let mut verdicts = 0;
    for (pair, lts, p, q) in model_pairs() {
        let strong = only_a(&lts);
        for (name, verdict) in pair["verdicts"].as_object().unwrap() {
            let found = [(p, q), (q, p)].map(|(p, q)| below(name, &lts, p, q, &strong).unwrap());
            let wanted = [0, 1].map(|k| verdict[k].as_bool().unwrap());
            assert_eq!(found, wanted, "{name} of {}", pair["name"]);
            verdicts += 1;
        }
    }
    assert_eq!(verdicts, 67 * 33);
}

#[test]
fn sizes_of_all_quotients() {
    let expected = expected();
    let sizes = expected["sizes"].as_array().unwrap();
    assert_eq!(sizes.len(), 15);
    for size in sizes {
        let lts = model(&size["file"]);
        let strong = only_a(&lts);
        for (name, wanted) in size["quotients"].as_object().unwrap() {
            let (states, transitions) = quotient_size(name, &lts, &strong).unwrap();
            let message = format!("{name} of {}", size["file"]);
            assert_eq!(&Value::from(vec![states, transitions]), wanted, "{message}");
        }
        for (name, wanted) in size["classes_only"].as_object().unwrap() {
            let found = class_count(name, &lts, &strong).unwrap();
            assert_eq!(&Value::from(found), wanted, "{name} of {}", size["file"]);
        }
    }
}

#[test]
fn least_reasons_of_all_models() {
    for (pair, lts, p, q) in model_pairs() {
        let reasons = &pair["least_reasons"];
        let depth = |levels: Vec<Vec<Option<u32>>>| Value::from(levels[p.index()][q.index()]);
        let name = &pair["name"];
        assert_eq!(
            depth(weak_levels(&lts)),
            reasons["weak_modal_depth"],
            "{name}"
        );
        let strong = super::super::strong_levels(&lts);
        assert_eq!(depth(strong), reasons["strong_modal_depth"], "{name}");
        for relation in [
            "trace",
            "failures",
            "weaktrace",
            "weak-failures",
            "failures-divergence",
        ] {
            let length = |p, q| least_length(relation, &lts, p, q).unwrap();
            let found = Value::from(vec![length(p, q), length(q, p)]);
            assert_eq!(
                found,
                reasons[format!("{relation}_length")],
                "{relation} of {name}"
            );
        }
    }
}

/// Random systems, with a random set of strong labels.
fn random_unions(count: u64, check: impl Fn(&Lts, StateId, StateId, &dyn Fn(LabelId) -> bool)) {
    for seed in 0..count {
        let mut random = Random::new(seed);
        let (a, b) = random_pair(&mut random);
        let (lts, p, q) = union(&a, &b);
        let strong: Vec<bool> = (0..3).map(|_| random.chance(50)).collect();
        let run = || check(&lts, p, q, &|label| strong[label.index()]);
        if let Err(error) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
            eprintln!("seed {seed}: {p} and {q} of\n{}", crate::aut(&lts));
            std::panic::resume_unwind(error);
        }
    }
}

#[test]
fn verdicts_are_closed_under_implication() {
    let expected = expected();
    let implies = expected["implies"].as_object().unwrap();
    assert_eq!(implies.len(), 33);
    random_unions(400, |lts, p, q, strong| {
        for (p, q) in [(p, q), (q, p)] {
            let verdict = |name: &str| below(name, lts, p, q, strong).unwrap();
            assert!(!verdict("isomorphism") || verdict("strong"), "isomorphism");
            let verdicts: Vec<(&String, bool)> =
                implies.keys().map(|name| (name, verdict(name))).collect();
            for (weaker, holds) in &verdicts {
                for (stronger, _) in verdicts.iter().filter(|v| v.1) {
                    let implied = implies[*stronger].as_array().unwrap();
                    let follows = implied.contains(&Value::from(weaker.as_str()));
                    assert!(!follows || *holds, "{stronger} but not {weaker}");
                }
            }
        }
    });
}

#[test]
fn each_relation_holds_for_many_random_pairs_and_fails_for_many() {
    for name in NAMES {
        let holds = std::cell::Cell::new(0);
        random_unions(200, |lts, p, q, strong| {
            let verdict = below(name, lts, p, q, strong).unwrap();
            holds.set(holds.get() + usize::from(verdict));
        });
        let holds = holds.get();
        assert!((10..180).contains(&holds), "{name}: {holds} of 200");
    }
}

#[test]
fn all_pairs_have_the_verdicts_of_single_ones() {
    random_unions(20, |lts, _, _, strong| {
        for name in NAMES {
            let matrix = pairs(name, lts, strong).unwrap();
            let states = || (0..lts.states()).map(StateId::from_index);
            for (p, q) in states().flat_map(|p| states().map(move |q| (p, q))) {
                let verdict = below(name, lts, p, q, strong).unwrap();
                assert_eq!(matrix[p.index()][q.index()], verdict, "{name}, {p}, {q}");
                assert!(verdict || p != q, "{name} is reflexive");
            }
        }
    });
}

#[test]
fn the_older_oracles_say_the_same() {
    type Classes = fn(&Lts) -> Vec<u32>;
    let older: [(&str, Classes); 3] = [
        ("strong", super::super::strong),
        ("branching", super::super::branching),
        ("divbranching", super::super::divbranching),
    ];
    random_unions(200, |lts, _, _, strong| {
        for (name, classes) in older {
            let classes = classes(lts);
            let matrix = pairs(name, lts, strong).unwrap();
            for p in 0..lts.states() {
                for q in 0..lts.states() {
                    assert_eq!(matrix[p][q], classes[p] == classes[q], "{name}");
                }
            }
        }
    });
}

#[test]
fn definitions_that_are_said_to_be_equal_are() {
    use fixpoints::other_definitions as other;
    random_unions(300, |lts, p, q, strong| {
        let (system, _) = System::reached(lts, &[p, q], strong);
        assert_eq!(fixpoints::safety(&system), other::weak_sim(&system));
        assert_eq!(fixpoints::branching_sim(&system), other::eta_sim(&system));
        assert_eq!(
            fixpoints::dpweak(&system),
            other::marked_observational(&system)
        );
        let (none, _) = System::reached(lts, &[p, q], &|_| false);
        assert_eq!(fixpoints::sharp(&none), fixpoints::branching(&none));
        assert_eq!(fixpoints::divsharp(&none), fixpoints::divbranching(&none));
    });
}

#[test]
fn quotients_have_a_state_for_each_class_at_the_most() {
    let relations = [
        "strong",
        "branching",
        "divbranching",
        "sharp",
        "divsharp",
        "observational",
        "dpweak",
        "sim",
        "ready-sim",
    ];
    random_unions(200, |lts, _, _, strong| {
        for name in relations {
            let (states, _) = quotient_size(name, lts, strong).unwrap();
            let classes = class_count(name, lts, strong).unwrap();
            let brothers = name == "sim" || name == "ready-sim";
            assert!(
                states <= classes && (brothers || states == classes),
                "{name}"
            );
        }
    });
}

#[test]
fn isomorphism_is_of_what_is_reachable_and_without_duplicates() {
    let strong = |_: LabelId| false;
    let same = |a: &Lts, b: &Lts| {
        let (lts, p, q) = union(a, b);
        below("isomorphism", &lts, p, q, &strong).unwrap()
    };
    let a = lts(&[(0, "a", 1), (1, "i", 0), (1, "b", 2)]);
    let b = lts(&[
        (0, "a", 1),
        (1, "i", 0),
        (1, "b", 2),
        (1, "b", 2),
        (3, "a", 0),
    ]);
    assert!(same(&a, &b));
    assert!(same(&a, &shuffled(&b, &mut Random::new(5))));
    let unfolded = lts(&[(0, "a", 1), (1, "i", 2), (1, "b", 3), (2, "a", 1)]);
    assert!(!same(&a, &unfolded));
    // The first choice of an image is wrong: cycles of two and of three states.
    let c = lts(&[
        (0, "a", 1),
        (0, "a", 2),
        (1, "b", 3),
        (3, "b", 1),
        (2, "b", 4),
        (4, "b", 5),
        (5, "b", 2),
    ]);
    let d = lts(&[
        (0, "a", 2),
        (0, "a", 1),
        (2, "b", 3),
        (3, "b", 2),
        (1, "b", 4),
        (4, "b", 5),
        (5, "b", 1),
    ]);
    assert!(same(&c, &d));
    random_unions(100, |lts, p, _, _| {
        let mut random = Random::new(lts.transitions() as u64);
        assert!(same(lts, &shuffled(lts, &mut random)), "{p}");
    });
}

#[test]
fn an_unknown_name_has_no_verdict() {
    let lts = lts(&[(0, "a", 1)]);
    let (p, q) = (StateId::new(0), StateId::new(1));
    for name in ["", "bisim", "STRONG", "weak"] {
        assert_eq!(below(name, &lts, p, q, &|_| false), None);
        assert_eq!(pairs(name, &lts, &|_| false), None);
        assert_eq!(quotient_size(name, &lts, &|_| false), None);
        assert_eq!(class_count(name, &lts, &|_| false), None);
        assert_eq!(least_length(name, &lts, p, q), None);
    }
}
