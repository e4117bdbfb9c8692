use hyades_formats::{Lts, StateId};
use hyades_testing::naive::spectrum;
use hyades_testing::{Random, Shape, check, random_lts, random_pair, union};

use super::formula_price::cost;
use crate::Relation;
use crate::spectroscopy::{Choices, Game, Spectroscopy, all_pairs, price, verdicts};

const LIMIT: usize = 1 << 20;

/// Whether one state is below the other by the definition.
fn below(relation: Relation, lts: &Lts, p: StateId, q: StateId) -> bool {
    spectrum::below(relation.name(), lts, p, q, &|_| false).unwrap()
}

fn relations() -> impl Iterator<Item = Relation> {
    let games = [Game::Strong, Game::Weak];
    games.into_iter().flat_map(|game| game.relations()).copied()
}

#[test]
fn verdicts_are_those_of_the_definitions() {
    let mut random = Random::new(1);
    for k in 0..400 {
        let (first, second) = random_pair(&mut random);
        let (lts, p, q) = union(&first, &second);
        let verdicts = verdicts(&lts, p, q, LIMIT);
        for relation in relations() {
            let expected = [(p, q), (q, p)].map(|(p, q)| below(relation, &lts, p, q));
            let found = verdicts.get(relation).map(Option::unwrap);
            if relation.is_preorder() {
                assert_eq!(found, expected, "{relation}, pair {k}");
            } else {
                let both = [found[0] && found[1]; 2];
                assert_eq!(both, expected, "{relation}, pair {k}");
            }
        }
    }
}

#[test]
fn all_choices_give_the_same_verdicts() {
    let mut random = Random::new(2);
    for k in 0..150 {
        let (first, second) = random_pair(&mut random);
        let (lts, p, q) = union(&first, &second);
        for game in [Game::Strong, Game::Weak] {
            let spectroscopy = Spectroscopy::new(&lts, game);
            let priced = spectroscopy.verdicts(p, q, LIMIT);
            // Of the least budgets of all choices some may be left out, none is less.
            let [all, named] = [Choices::All, Choices::Named]
                .map(|choices| spectroscopy.budgets(p, q, choices, 1 << 16));
            assert!(named.complete);
            for (some, all_of) in [(&named.first, &all.first), (&named.second, &all.second)] {
                for budget in some.iter().filter(|_| all.complete) {
                    assert!(
                        all_of.iter().any(|least| least.is_at_most(*budget)),
                        "pair {k}"
                    );
                }
            }
            for &relation in game.relations() {
                let expected = priced.get(relation);
                assert_eq!(named.verdict(relation), expected, "{relation}, pair {k}");
                for (found, expected) in all.verdict(relation).into_iter().zip(expected) {
                    assert!(
                        found.is_none_or(|_| found == expected),
                        "{relation}, pair {k}"
                    );
                }
            }
        }
    }
}

#[test]
fn formulas_distinguish_within_the_price() {
    let mut random = Random::new(3);
    for k in 0..200 {
        let (first, second) = random_pair(&mut random);
        let (lts, p, q) = union(&first, &second);
        for game in [Game::Strong, Game::Weak] {
            let spectroscopy = Spectroscopy::new(&lts, game);
            for &relation in game.relations() {
                let is_below = spectroscopy.is_below(p, q, relation, LIMIT).unwrap();
                let formula = spectroscopy.formula(p, q, relation, LIMIT).unwrap();
                assert_eq!(formula.is_none(), is_below, "{relation}, pair {k}");
                let Some(formula) = formula else {
                    continue;
                };
                let cost = cost(&formula, game);
                let budget = price(relation).unwrap().budget;
                assert!(
                    cost.is_at_most(budget),
                    "{relation}, pair {k}: {cost:?} {formula}"
                );
                let holds = [p, q].map(|state| formula.holds(&lts, state));
                assert_eq!(holds, [true, false], "{relation}, pair {k}: {formula}");
            }
        }
    }
}

/// Without room what is told is right, and with little less is told than with more.
#[test]
fn limits_leave_verdicts_open() {
    let mut random = Random::new(4);
    let mut open = 0;
    for _ in 0..60 {
        let (first, second) = random_pair(&mut random);
        let (lts, p, q) = union(&first, &second);
        for game in [Game::Strong, Game::Weak] {
            let spectroscopy = Spectroscopy::new(&lts, game);
            let all = spectroscopy.verdicts(p, q, LIMIT);
            for limit in [0, 1, 3, 10, 30] {
                let some = spectroscopy.verdicts(p, q, limit);
                let fronts = spectroscopy.budgets(p, q, Choices::Named, limit);
                for &relation in game.relations() {
                    let expected = all.get(relation);
                    for found in [some.get(relation), fronts.verdict(relation)] {
                        for (found, expected) in found.into_iter().zip(expected) {
                            assert!(found.is_none_or(|_| found == expected), "{relation}");
                            open += usize::from(found.is_none());
                        }
                    }
                }
            }
        }
    }
    assert!(open > 1000, "{open}");
}

/// The counts of all pairs are those of the definitions, taken pair by pair.
#[test]
fn all_pairs_are_those_of_the_definitions() {
    check(4, 9, |lts, _| {
        let counts = all_pairs(lts, LIMIT);
        let quotient = crate::strong_quotient(lts.clone()).lts;
        if counts.classes != quotient.states() {
            return Err(format!("{} classes", counts.classes));
        }
        if counts.notions.len() != Game::Strong.relations().len() {
            return Err("a relation is missing".to_owned());
        }
        for notion in &counts.notions {
            let name = notion.relation.name();
            let pairs = spectrum::pairs(name, &quotient, &|_| false).unwrap();
            let below = pairs.iter().flatten().filter(|&&below| below).count() as u64;
            let class = |p: &usize| !(0..*p).any(|q| pairs[*p][q] && pairs[q][*p]);
            let classes = (0..pairs.len()).filter(class).count();
            if (notion.below, notion.classes) != (below, classes) {
                return Err(format!("{name}: {notion:?}, but {below} and {classes}"));
            }
        }
        Ok(())
    });
}

#[test]
fn deep_chains_need_no_recursion() {
    let chain = |len: u32, end: &'static str| {
        let step = |k: u32| (k, if k + 1 == len { end } else { "i" }, k + 1);
        hyades_testing::lts(&(0..len).map(step).collect::<Vec<_>>())
    };
    let (lts, p, q) = union(&chain(3000, "a"), &chain(3000, "b"));
    let found = Spectroscopy::new(&lts, Game::Strong);
    let formula = found
        .formula(p, q, Relation::Trace, 1 << 24)
        .unwrap()
        .unwrap();
    assert_eq!(formula.depth(), 3000);
    assert!(formula.holds(&lts, p) && !formula.holds(&lts, q));
    let (lts, p, q) = union(&chain(3000, "a"), &chain(2999, "a"));
    let strong = Spectroscopy::new(&lts, Game::Strong);
    assert_eq!(strong.is_below(p, q, Relation::Trace, 1 << 24), Some(false));
    let weak = Spectroscopy::new(&lts, Game::Weak);
    assert_eq!(
        weak.is_below(p, q, Relation::SrBranching, 1 << 24),
        Some(true)
    );
}

#[test]
fn verdicts_do_not_depend_on_threads() {
    let lts = random_lts(Shape::Uniform, 40, &mut Random::new(5));
    let counts = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| all_pairs(&lts, LIMIT))
    });
    assert_eq!(counts[0], counts[1]);
}
