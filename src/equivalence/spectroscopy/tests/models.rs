use hyades_formats::{Lts, StateId};
use hyades_testing::{ROOT, from_aut, union};
use serde_json::Value;

use super::formula_price::cost;
use crate::Relation;
use crate::spectroscopy::{Choices, Fronts, Game, Spectroscopy, formula, price, verdicts};
use crate::spectroscopy::{strong_budgets, weak_budgets};

const LIMIT: usize = 1 << 22;

/// The systems with known answers, side by side, and what is known of them.
fn models() -> Vec<(Value, Lts, StateId, StateId)> {
    let folder = format!("{ROOT}/testdata/spectrum");
    let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
    let expected: Value = serde_json::from_str(&read("expected.json")).unwrap();
    let pairs = expected["pairs"].as_array().unwrap().iter();
    let model = |name: &Value| from_aut(&read(name.as_str().unwrap()));
    let pairs = pairs.map(|pair| {
        let (lts, p, q) = union(&model(&pair["a"]), &model(&pair["b"]));
        (pair.clone(), lts, p, q)
    });
    pairs.collect()
}

fn model(name: &str) -> (Lts, StateId, StateId) {
    let mut all = models().into_iter();
    let (_, lts, p, q) = all.find(|model| model.0["name"] == name).unwrap();
    (lts, p, q)
}

/// What is known of a relation: whether the first is below the second, and the second
/// below the first.
fn known(pair: &Value, relation: Relation) -> [bool; 2] {
    let known = &pair["verdicts"][relation.name()];
    [0, 1].map(|k| known[k].as_bool().unwrap())
}

/// Verdicts as the relation has them: of one that is no preorder both directions.
fn as_relation(relation: Relation, verdicts: [Option<bool>; 2]) -> [bool; 2] {
    let [below, above] = verdicts.map(|verdict| verdict.expect("within the limit"));
    match relation.is_preorder() {
        true => [below, above],
        false => [below && above; 2],
    }
}

fn in_order(fronts: &Fronts) -> [Vec<Vec<u8>>; 2] {
    [&fronts.first, &fronts.second].map(|front| {
        let mut all: Vec<Vec<u8>> = front
            .iter()
            .map(|budget| budget.entries(fronts.game.entries()))
            .collect();
        all.sort();
        all
    })
}

#[test]
fn fronts_of_the_models() {
    let mut count = 0;
    for (pair, lts, p, q) in models() {
        let Some(expected) = pair.get("attacker_budgets_capped_at_2") else {
            continue;
        };
        let all = [
            ("strong", strong_budgets(&lts, p, q, LIMIT)),
            ("weak", weak_budgets(&lts, p, q, LIMIT)),
        ];
        for (game, fronts) in all {
            assert!(fronts.complete, "{}", pair["name"]);
            let expected: [Vec<Vec<u8>>; 2] =
                serde_json::from_value(expected[game].clone()).unwrap();
            assert_eq!(in_order(&fronts), expected, "{game}: {}", pair["name"]);
            count += 1;
        }
    }
    assert_eq!(count, 118);
}

#[test]
fn verdicts_of_the_models() {
    for (pair, lts, p, q) in models() {
        let verdicts = verdicts(&lts, p, q, LIMIT);
        for game in [Game::Strong, Game::Weak] {
            let fronts = Spectroscopy::new(&lts, game).budgets(p, q, Choices::Named, LIMIT);
            for &relation in game.relations() {
                let known = known(&pair, relation);
                let name = &pair["name"];
                assert_eq!(
                    as_relation(relation, verdicts.get(relation)),
                    known,
                    "{relation}: {name}"
                );
                assert_eq!(
                    as_relation(relation, fronts.verdict(relation)),
                    known,
                    "by fronts, {relation}: {name}"
                );
            }
        }
    }
}

#[test]
fn formulas_of_the_models() {
    for (pair, lts, p, q) in models() {
        for game in [Game::Strong, Game::Weak] {
            let spectroscopy = Spectroscopy::new(&lts, game);
            for &relation in game.relations() {
                for (p, q) in [(p, q), (q, p)] {
                    let is_below = spectroscopy.is_below(p, q, relation, LIMIT).unwrap();
                    let formula = spectroscopy.formula(p, q, relation, LIMIT).unwrap();
                    let Some(formula) = formula else {
                        assert!(is_below, "{relation}: {}", pair["name"]);
                        continue;
                    };
                    let text = format!("{relation}, {}: {formula}", pair["name"]);
                    assert!(!is_below, "{text}");
                    assert!(formula.holds(&lts, p), "{text}");
                    assert!(!formula.holds(&lts, q), "{text}");
                    let price = price(relation).unwrap().budget;
                    let cost = cost(&formula, game);
                    assert!(cost.is_at_most(price), "{cost:?}, {text}");
                }
            }
        }
    }
}

/// A formula of strong bisimilarity is no deeper than it has to be.
#[test]
fn formulas_have_the_least_depth() {
    for (pair, lts, p, q) in models() {
        let depth = &pair["least_reasons"]["strong_modal_depth"];
        let found =
            [(p, q), (q, p)].map(|(p, q)| formula(&lts, p, q, Relation::Strong, LIMIT).unwrap());
        for found in found {
            let found = found.map(|formula| formula.depth() as u64);
            assert_eq!(found, depth.as_u64(), "{}", pair["name"]);
        }
    }
}

/// The attacker wins with observations alone where no state of the set has such a step; a
/// conjunction of a stable state with no stable one costs one of the fourth entry; weak
/// bisimilarity's preorder is not symmetric.
#[test]
fn empty_sets_and_roots() {
    let (lts, p, q) = model("nil-a");
    assert_eq!(
        in_order(&strong_budgets(&lts, q, p, LIMIT))[0],
        [[1, 0, 0, 0, 0, 0]]
    );
    assert_eq!(
        in_order(&weak_budgets(&lts, q, p, LIMIT))[0],
        [[1, 0, 0, 0, 0, 0, 0, 0]]
    );
    // A deadlock is stable, and no state of a hidden cycle is.
    let (lts, p, q) = model("livelock-deadlock");
    let fronts = in_order(&weak_budgets(&lts, p, q, LIMIT));
    assert!(
        fronts.contains(&vec![vec![0, 0, 0, 1, 0, 0, 0, 0]]),
        "{fronts:?}"
    );
    let (lts, p, q) = model("preorder-of-a-bisimulation");
    let verdicts = verdicts(&lts, p, q, LIMIT);
    assert_eq!(
        verdicts.get(Relation::Observational),
        [Some(true), Some(false)]
    );
    assert_eq!(verdicts.is_equivalent(Relation::Observational), Some(false));
}
