//! Lumping against the refinement of partitions by the definition, and known chains.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use hyades_formats::{Lts, StateId};
use hyades_testing::{check, lts, same, shuffled};

use super::definition::{Definition, label_text, weighted};
use super::{LumpError, Lumped, Lumping, LumpingRelation, lump};
use crate::rounds::untold;
use crate::{Minimized, minimize};

const RELATIONS: [LumpingRelation; 3] = [
    LumpingRelation::Strong,
    LumpingRelation::Branching,
    LumpingRelation::DivBranching,
];

const RATES: Lumping = Lumping {
    rates: true,
    probabilities: false,
    keep_self: false,
    epsilon: None,
};

const PROBABILITIES: Lumping = Lumping {
    rates: false,
    probabilities: true,
    ..RATES
};

fn lumped(lts: &Lts, relation: LumpingRelation, lumping: &Lumping) -> Result<Lumped, LumpError> {
    lump(lts.clone(), relation, lumping, &mut untold)
}

/// The transitions, as texts.
fn listed(lts: &Lts) -> Vec<(u32, String, u32)> {
    let text = |l| label_text(lts, l);
    let steps = lts.iter().map(|(s, l, t)| (s.get(), text(l), t.get()));
    steps.collect()
}

fn ensure(condition: bool, message: impl Fn() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(message()) }
}

/// Classes, transitions and sums are those of the definition; the quotient of a quotient is
/// itself; copies and other numbers of states change nothing.
#[test]
fn quotients_are_those_of_the_definition() {
    let counts = [const { Cell::new(0) }; 3];
    check(150, 10, |lts, random| {
        let (lts, meanings) = weighted(lts, random);
        let reachable = hyades_lts::reached(&lts);
        for relation in RELATIONS {
            let keep_self = random.chance(50);
            let lumping = Lumping {
                rates: true,
                probabilities: true,
                keep_self,
                epsilon: None,
            };
            let definition = Definition {
                lts: &lts,
                meanings: &meanings,
                relation,
                keep_self,
            };
            let expected = definition.lumped();
            let found = match lumped(&lts, relation, &lumping) {
                Ok(found) => found,
                Err(LumpError::Ambiguous { states: [a, b] }) => {
                    counts[0].set(counts[0].get() + 1);
                    ensure(expected.is_none(), || "it is not ambiguous".into())?;
                    ensure(
                        a != b && reachable[a.index()] && reachable[b.index()],
                        || format!("{a} and {b} are not to blame"),
                    )?;
                    continue;
                }
                Err(error) => return Err(error.to_string()),
            };
            let Some((class, expected)) = expected else {
                return Err("it is ambiguous".into());
            };
            let Minimized {
                lts: small,
                class: found_class,
                ..
            } = found.minimal;
            let of_class: BTreeMap<u32, u32> = (0..class.len())
                .filter(|&s| reachable[s])
                .map(|s| (class[s], found_class[s]))
                .collect();
            let images: BTreeSet<u32> = of_class.values().copied().collect();
            ensure(images.len() == of_class.len(), || {
                "classes are merged".into()
            })?;
            let left_out = |of: &u32| *of == Minimized::NO_CLASS;
            ensure(
                of_class.iter().all(|(a, b)| left_out(a) == left_out(b)),
                || "what can be reached differs".into(),
            )?;
            for s in 0..class.len() {
                let expected = if reachable[s] {
                    of_class[&class[s]]
                } else {
                    Minimized::NO_CLASS
                };
                ensure(found_class[s] == expected, || {
                    format!("state {s} in two classes")
                })?;
            }
            let translated: BTreeSet<_> = expected
                .iter()
                .map(|(s, text, t)| (of_class[s], text.clone(), of_class[t]))
                .collect();
            let listed = listed(&small);
            let as_set: BTreeSet<_> = listed.iter().cloned().collect();
            ensure(as_set == translated, || {
                format!("{as_set:?}, not {translated:?}")
            })?;
            ensure(as_set.len() == listed.len(), || "a transition twice".into())?;
            let again = lumped(&small, relation, &lumping).map_err(|e| e.to_string())?;
            ensure(self::listed(&again.minimal.lts) == listed, || {
                "not a fixpoint".into()
            })?;
            let other = lumped(&shuffled(&lts, random), relation, &lumping);
            let other = other.map_err(|e| e.to_string())?.minimal.lts;
            let sizes = |lts: &Lts| (lts.states(), lts.transitions());
            ensure(sizes(&other) == sizes(&small), || {
                "numbers of states show".into()
            })?;
            counts[1].set(counts[1].get() + 1);
            counts[2].set(counts[2].get() + usize::from(found.preempted > 0));
        }
        Ok(())
    });
    assert!(
        counts[0].get() > 5 && counts[1].get() > 2000 && counts[2].get() > 100,
        "{counts:?}"
    );
}

/// Without labels that have a meaning it is the plain quotient, whatever is asked for.
#[test]
fn ordinary_labels_stay() {
    check(30, 15, |lts, _| {
        for relation in RELATIONS {
            let lumping = Lumping {
                probabilities: true,
                ..RATES
            };
            let found = lumped(lts, relation, &lumping).unwrap().minimal;
            let plain = minimize(lts.clone(), relation.without_weights()).unwrap();
            ensure(same(&found.lts, &plain.lts), || "quotient".into())?;
            ensure(found.class == plain.class, || "classes".into())?;
            ensure(found.states == plain.states, || "states".into())?;
        }
        Ok(())
    });
    let l = lts(&[(0, "rate 1", 1), (0, "prob 0.5", 1), (0, "rate 1", 2)]);
    let plain = lumped(
        &l,
        LumpingRelation::Strong,
        &Lumping {
            rates: false,
            ..RATES
        },
    );
    assert_eq!(plain.unwrap().minimal.lts.transitions(), 2);
    let rates = lumped(&l, LumpingRelation::Strong, &RATES).unwrap();
    let expected = [(0, "prob 0.5".to_owned(), 1), (0, "rate 2".to_owned(), 1)];
    assert_eq!(listed(&rates.minimal.lts), expected);
}

/// Two machines that fail and are repaired one at a time: only how many are up matters.
#[test]
fn equal_machines_are_lumped() {
    let l = lts(&[
        (0, "rate 0.1", 1),
        (0, "rate 0.1", 2),
        (1, "rate 1", 0),
        (1, "rate 0.1", 3),
        (2, "rate 1", 0),
        (2, "rate 0.1", 3),
        (3, "rate 0.5", 1),
        (3, "rate 0.5", 2),
    ]);
    for relation in RELATIONS {
        let found = lumped(&l, relation, &RATES).unwrap().minimal;
        assert_eq!(
            listed(&found.lts),
            [
                (0, "rate 0.2".to_owned(), 1),
                (1, "rate 0.1".to_owned(), 2),
                (1, "rate 1".to_owned(), 0),
                (2, "rate 1".to_owned(), 1),
            ]
        );
        assert_eq!(found.class, [0, 1, 1, 2]);
    }
}

/// A fair die from coins (Knuth & Yao 1976), where only even or odd is asked for.
#[test]
fn a_die_is_lumped_to_what_is_asked_for() {
    let l = lts(&[
        (0, "prob 0.5", 1),
        (0, "prob 0.5", 2),
        (1, "prob 0.5", 3),
        (1, "prob 0.5", 4),
        (2, "prob 0.5", 5),
        (2, "prob 0.5", 6),
        (3, "prob 0.5", 1),
        (3, "prob 0.5", 7),
        (4, "prob 0.5", 8),
        (4, "prob 0.5", 7),
        (5, "prob 0.5", 8),
        (5, "prob 0.5", 7),
        (6, "prob 0.5", 2),
        (6, "prob 0.5", 8),
        (7, "odd", 7),
        (8, "even", 8),
    ]);
    let found = lumped(&l, LumpingRelation::Strong, &PROBABILITIES)
        .unwrap()
        .minimal;
    // 4 and 5 are one class.
    assert_eq!(found.lts.states(), 8);
    assert_eq!(found.class[4], found.class[5]);
    // If all faces are alike, nothing is left but one probability of 1.
    let l = lts(&[
        (0, "prob 0.25", 1),
        (0, "prob 0.75", 2),
        (1, "stop", 3),
        (2, "stop", 3),
    ]);
    let found = lumped(&l, LumpingRelation::Strong, &PROBABILITIES)
        .unwrap()
        .minimal;
    assert_eq!(listed(&found.lts)[0], (0, "prob 1".to_owned(), 1));
}

/// Delays after which nothing has changed are no matter unless they are kept; those with a
/// label always are.
#[test]
fn delays_within_a_class() {
    let keep = Lumping {
        keep_self: true,
        ..RATES
    };
    let steps = |l: &Lts, lumping: &Lumping| {
        let found = lumped(l, LumpingRelation::Strong, lumping).unwrap();
        listed(&found.minimal.lts)
    };
    let l = lts(&[
        (0, "rate 1", 1),
        (1, "rate 1", 0),
        (0, "rate 3", 2),
        (1, "rate 3", 2),
    ]);
    assert_eq!(steps(&l, &RATES), [(0, "rate 3".to_owned(), 1)]);
    let expected = [(0, "rate 1".to_owned(), 0), (0, "rate 3".to_owned(), 1)];
    assert_eq!(steps(&l, &keep), expected);
    let l = lts(&[(0, "a; rate 1", 0), (0, "rate 1", 0), (0, "rate 1", 1)]);
    let expected = [(0, "a; rate 1".to_owned(), 0), (0, "rate 1".to_owned(), 1)];
    assert_eq!(steps(&l, &RATES), expected);
    // 1 and 2 can be told from 3 only as long as they stay among themselves.
    let l = lts(&[
        (0, "a", 1),
        (0, "a", 3),
        (1, "rate 1", 2),
        (2, "rate 1", 1),
        (1, "rate 3", 4),
        (2, "rate 3", 4),
        (3, "rate 3", 4),
    ]);
    let expected = [(0, "a".to_owned(), 1), (1, "rate 3".to_owned(), 2)];
    assert_eq!(steps(&l, &RATES), expected);
    assert_eq!(steps(&l, &keep).len(), 5);
}

/// Hidden steps come first, and vanish before a delay.
#[test]
fn hidden_steps_do_not_wait() {
    let l = lts(&[
        (0, "i", 1),
        (0, "rate 5", 2),
        (1, "rate 2", 2),
        (2, "done", 2),
    ]);
    for relation in [LumpingRelation::Branching, LumpingRelation::DivBranching] {
        let found = lumped(&l, relation, &RATES).unwrap();
        assert_eq!(found.preempted, 1);
        let expected = [(0, "rate 2".to_owned(), 1), (1, "done".to_owned(), 1)];
        assert_eq!(listed(&found.minimal.lts), expected);
    }
    let found = lumped(&l, LumpingRelation::Strong, &RATES).unwrap();
    assert_eq!((found.preempted, found.minimal.lts.states()), (0, 3));
}

/// Of the LTS, and of the quotient: what becomes one is counted once.
#[test]
fn unobserved_delays_are_counted() {
    let l = lts(&[
        (0, "rate 1", 0),
        (0, "a", 1),
        (0, "a", 2),
        (1, "rate 2", 2),
        (2, "rate 2", 1),
        (2, "i", 0),
        (1, "i", 0),
    ]);
    let count = |relation, lumping| {
        let found = lumped(&l, relation, lumping).unwrap();
        (found.preempted, found.self_loops)
    };
    assert_eq!(count(LumpingRelation::Strong, &RATES), (0, 2));
    assert_eq!(count(LumpingRelation::Branching, &RATES), (2, 1));
    let keep = Lumping {
        keep_self: true,
        ..RATES
    };
    assert_eq!(count(LumpingRelation::Strong, &keep), (0, 0));
}

#[test]
fn sums_are_compared_exactly_or_as_multiples_of_epsilon() {
    let l = lts(&[
        (0, "a", 1),
        (0, "a", 2),
        (1, "rate 0.1", 3),
        (1, "rate 0.2", 4),
        (2, "rate 0.3", 3),
        (3, "b", 3),
        (4, "b", 4),
    ]);
    let found = lumped(&l, LumpingRelation::Strong, &RATES).unwrap().minimal;
    assert_eq!(found.lts.states(), 3, "0.1 + 0.2 = 0.3");
    let l = lts(&[
        (0, "a", 1),
        (0, "a", 2),
        (1, "rate 0.333333", 3),
        (2, "rate 0.333334", 3),
        (2, "rate 1e-9", 4),
    ]);
    let states = |epsilon| {
        let lumping = Lumping { epsilon, ..RATES };
        lumped(&l, LumpingRelation::Strong, &lumping).map(|found| found.minimal.lts)
    };
    assert_eq!(states(None).unwrap().states(), 4);
    assert_eq!(states(Some(1e-6)).unwrap().states(), 4);
    let lumped = states(Some(1e-5)).unwrap();
    let expected = [(0, "a".to_owned(), 1), (1, "rate 0.333333".to_owned(), 2)];
    assert_eq!(listed(&lumped), expected);
    for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(states(Some(epsilon)).err(), Some(LumpError::Epsilon));
    }
}

#[test]
fn numbers_of_all_sizes_are_summed_exactly() {
    let l = lts(&[
        (0, "rate 1e300", 1),
        (0, "rate 1e-300", 1),
        (0, "a; rate 4e-308", 1),
        (0, "a; rate 1e-308", 1),
    ]);
    let found = lumped(&l, LumpingRelation::Strong, &RATES).unwrap().minimal;
    let sum = format!("rate 1.{}1e+300", "0".repeat(599));
    let expected = [(0, "a; rate 5e-308".to_owned(), 1), (0, sum, 1)];
    assert_eq!(listed(&found.lts), expected);
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    let error = |label: &str, lumping: &Lumping| {
        let l = lts(&[(0, label, 1)]);
        lumped(&l, LumpingRelation::Strong, lumping).err()
    };
    let label = |label: &str| label.to_owned();
    for text in ["rate 0", "a; rate -2"] {
        let expected = LumpError::NotPositive { label: label(text) };
        assert_eq!(error(text, &RATES), Some(expected));
        assert_eq!(error(text, &PROBABILITIES), None);
    }
    for text in ["prob 1.0000001", "prob 2", "a; prob 1e3"] {
        let expected = LumpError::AboveOne { label: label(text) };
        assert_eq!(error(text, &PROBABILITIES), Some(expected));
        assert_eq!(error(text, &RATES), None);
    }
    let expected = LumpError::OutOfRange {
        label: label("rate 1e500"),
    };
    assert_eq!(error("rate 1e500", &RATES), Some(expected));
    assert_eq!(error("prob 1", &PROBABILITIES), None);
    // State 1 cannot be reached.
    let l = lts(&[
        (1, "prob 0.9", 0),
        (1, "prob 0.9", 2),
        (0, "a", 2),
        (2, "prob 0.7", 2),
        (2, "b; prob 0.4", 0),
    ]);
    let found = lumped(&l, LumpingRelation::Strong, &PROBABILITIES).err();
    let expected = LumpError::SumAboveOne {
        state: StateId::new(2),
        sum: "1.1".to_owned(),
    };
    assert_eq!(found, Some(expected));
}

/// Different probabilities on one hidden cycle have no place in one state.
#[test]
fn ambiguous_cycles_are_refused() {
    let l = lts(&[
        (3, "a", 0),
        (0, "i", 1),
        (1, "i", 0),
        (0, "prob 0.5", 2),
        (1, "prob 0.25", 2),
    ]);
    let strong = lumped(&l, LumpingRelation::Strong, &PROBABILITIES);
    assert_eq!(strong.unwrap().minimal.lts.states(), 3);
    let found = lumped(&l, LumpingRelation::Branching, &PROBABILITIES).err();
    let states = [0, 1].map(StateId::new);
    assert_eq!(found, Some(LumpError::Ambiguous { states }));
}
