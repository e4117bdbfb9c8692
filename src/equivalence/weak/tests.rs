//! Weak bisimilarities against their definitions, on saturated steps.

use std::collections::{BTreeMap, BTreeSet};

use hyades_formats::{LabelId, Lts, LtsBuilder, ReadOptions, Source, StateId, read_lts};
use hyades_testing::{ROOT, Random, Shape, check, lts, random_lts, shuffled};

use super::lanes::Patience;
use super::steps::{Backwards, Steps};
use super::*;
use crate::Refinable;
use crate::rounds::untold;
use crate::{Minimized, Relation, compare, minimize};

const ALL: [Weak; 4] = [
    Weak::Observational,
    Weak::DivObservational,
    Weak::Delay,
    Weak::TauStarA,
];

fn fast(lts: &Lts, kind: Weak) -> Partition {
    partition(lts, kind, &mut Rounds::new(&mut untold))
}

fn smallest(lts: &Lts, kind: Weak) -> (Lts, Vec<u32>) {
    quotient(lts.clone(), kind, &mut Rounds::new(&mut untold)).unwrap()
}

/// Saturated steps: by hidden ones, and the visible ones of a kind.
struct Saturated {
    silent: Vec<Vec<bool>>,
    visible: BTreeSet<(usize, LabelId, usize)>,
}

impl Saturated {
    fn new(lts: &Lts, goes_on: bool) -> Self {
        let n = lts.states();
        let mut silent = vec![vec![false; n]; n];
        (0..n).for_each(|s| silent[s][s] = true);
        for (s, label, t) in lts.iter() {
            silent[s.index()][t.index()] |= label.is_hidden();
        }
        for k in 0..n {
            for s in 0..n {
                if silent[s][k] {
                    let (from_k, from_s) = (silent[k].clone(), &mut silent[s]);
                    from_s.iter_mut().zip(from_k).for_each(|(s, k)| *s |= k);
                }
            }
        }
        let mut visible = BTreeSet::new();
        for (from, label, to) in lts.iter().filter(|(_, label, _)| !label.is_hidden()) {
            for s in (0..n).filter(|&s| silent[s][from.index()]) {
                visible.insert((s, label, to.index()));
                if goes_on {
                    let after = (0..n).filter(|&t| silent[to.index()][t]);
                    visible.extend(after.map(|t| (s, label, t)));
                }
            }
        }
        Self { silent, visible }
    }

    /// Whether `t` can answer each step of `s`, into related states.
    fn answers(&self, lts: &Lts, kind: Weak, related: &[Vec<bool>], s: usize, t: usize) -> bool {
        let n = lts.states();
        let by = |label: LabelId, to: usize| match label.is_hidden() {
            true => (0..n).any(|u| self.silent[t][u] && related[to][u]),
            false => (0..n).any(|u| self.visible.contains(&(t, label, u)) && related[to][u]),
        };
        match kind {
            Weak::TauStarA => {
                let mut steps = self.visible.iter().filter(|step| step.0 == s);
                steps.all(|&(_, label, to)| by(label, to))
            }
            Weak::Observational | Weak::DivObservational | Weak::Delay => lts
                .outgoing(StateId::from_index(s))
                .all(|(label, to)| by(label, to.index())),
        }
    }
}

/// The greatest relation of a kind, as a fixpoint over pairs; its classes in the order of
/// their first members.
fn naive(lts: &Lts, kind: Weak) -> Vec<u32> {
    let n = lts.states();
    let goes_on = matches!(kind, Weak::Observational | Weak::DivObservational);
    let saturated = Saturated::new(lts, goes_on);
    let mut related = vec![vec![true; n]; n];
    loop {
        let mut changed = true;
        while changed {
            changed = false;
            for s in 0..n {
                for t in 0..n {
                    if related[s][t]
                        && !(saturated.answers(lts, kind, &related, s, t)
                            && saturated.answers(lts, kind, &related, t, s))
                    {
                        (related[s][t], related[t][s]) = (false, false);
                        changed = true;
                    }
                }
            }
        }
        let least = |s: usize| (0..n).position(|t| related[s][t]).expect("itself") as u32;
        let first: Vec<u32> = (0..n).map(least).collect();
        for s in 0..n {
            for t in 0..n {
                assert_eq!(related[s][t], first[s] == first[t], "an equivalence");
            }
        }
        let class = numbers_by_first(&first);
        if kind != Weak::DivObservational {
            return class;
        }
        let divergent = hyades_testing::naive::divergent_states(lts, &class);
        for s in 0..n {
            for t in 0..n {
                if related[s][t] && divergent[s] != divergent[t] {
                    related[s][t] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return class;
        }
    }
}

fn numbers_by_first(of: &[u32]) -> Vec<u32> {
    let mut number = BTreeMap::new();
    of.iter()
        .map(|k| {
            let next = number.len() as u32;
            *number.entry(k).or_insert(next)
        })
        .collect()
}

/// The steps of the least quotient, between states that stand for their classes.
fn naive_steps(lts: &Lts, kind: Weak, class: &[u32]) -> BTreeSet<(u32, LabelId, u32)> {
    let goes_on = matches!(kind, Weak::Observational | Weak::DivObservational);
    let saturated = Saturated::new(lts, goes_on);
    let n = lts.states();
    let mut silent = BTreeSet::new();
    for s in 0..n {
        let there = (0..n).filter(|&t| saturated.silent[s][t]);
        silent.extend(there.map(|t| (class[s], class[t])));
    }
    let visible: BTreeSet<_> = saturated
        .visible
        .iter()
        .map(|&(s, label, t)| (class[s], label, class[t]))
        .collect();
    if kind == Weak::TauStarA {
        let mut reached = BTreeSet::from([class[lts.initial().index()]]);
        while visible
            .iter()
            .any(|step| reached.contains(&step.0) && reached.insert(step.2))
        {}
        let mut steps = visible;
        steps.retain(|step| reached.contains(&step.0));
        return steps;
    }
    let classes: BTreeSet<u32> = class.iter().copied().collect();
    let mut steps = BTreeSet::new();
    for &(s, t) in &silent {
        let between = |&u: &u32| u != s && u != t && silent.contains(&(s, u));
        let mut between = classes.iter().filter(|u| between(u));
        if s != t && !between.any(|&u| silent.contains(&(u, t))) {
            steps.insert((s, LabelId::HIDDEN, t));
        }
    }
    for &(s, label, t) in &visible {
        let before =
            |&u: &u32| u != s && silent.contains(&(s, u)) && visible.contains(&(u, label, t));
        let behind = |&u: &u32| {
            goes_on && u != t && visible.contains(&(s, label, u)) && silent.contains(&(u, t))
        };
        if !classes.iter().any(|u| before(u) || behind(u)) {
            steps.insert((s, label, t));
        }
    }
    if kind == Weak::DivObservational {
        let divergent = hyades_testing::naive::divergent_states(lts, class);
        let loops = (0..n).filter(|&s| divergent[s]);
        steps.extend(loops.map(|s| (class[s], LabelId::HIDDEN, class[s])));
    }
    steps
}

fn ensure(holds: bool, text: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(text()) }
}

#[test]
fn partitions_are_those_of_the_definitions() {
    check(150, 11, |lts, _| {
        for kind in ALL {
            let expected = naive(lts, kind);
            let found = fast(lts, kind).normalized();
            ensure(found.classes() == expected, || {
                format!("{kind:?}: {:?}, not {expected:?}", found.classes())
            })?;
        }
        Ok(())
    });
}

#[test]
fn sums_that_collide_do_no_harm() {
    check(80, 9, |lts, _| {
        for kind in ALL {
            if lts.labels().iter().all(|label| !label.is_hidden()) {
                continue;
            }
            let mut observer = untold;
            let rounds = &mut Rounds::new(&mut observer);
            let (silent, by_node) = branching::partition(lts, kind.preserves_divergence(), rounds);
            let system = System::new(silent, by_node);
            // Two bits at first, and more with each attempt.
            let mixer = |attempt| Mixer::masked(attempt, (4 << attempt.min(60)) - 1);
            let (node, of_nodes) = classes(system, kind, mixer, rounds);
            let class: Vec<u32> = node
                .iter()
                .map(|&v| of_nodes.classes()[v as usize])
                .collect();
            let found = Partition::new(class).normalized();
            ensure(found.classes() == naive(lts, kind), || format!("{kind:?}"))?;
        }
        Ok(())
    });
}

#[test]
fn what_goes_abreast_finds_the_same() {
    check(120, 24, |lts, _| {
        for kind in ALL {
            let mut observer = untold;
            let rounds = &mut Rounds::new(&mut observer);
            let (silent, by_node) = branching::partition(lts, kind.preserves_divergence(), rounds);
            let loops = silent.divergence;
            let columns = System::new(silent, by_node).columns;
            let pruned = system::pruned(columns.rows(), kind);
            let n = columns.rows().states() as u32;
            let steps = Steps::new(pruned.rows(), kind);
            let backwards = Backwards::new(pruned.rows());
            let partition = Refinable::new(vec![0; n as usize], &[n]);
            let expected = refinement::by_sets(&steps, &backwards, partition, Mixer::new, rounds);
            let expected = match expected {
                Ok(partition) => partition.normalized(),
                Err(_) => continue,
            };
            let partition = Refinable::new(vec![0; n as usize], &[n]);
            let left = founded::refine(&steps, &backwards, partition, rounds);
            let found = left
                .or_else(|left| refinement::by_sets(&steps, &backwards, *left, Mixer::new, rounds));
            let found = found.ok().map(|found| found.normalized());
            ensure(found.as_ref() == Some(&expected), || {
                format!("{kind:?}, from the ends up")
            })?;
            for bits in [64, 2] {
                let partition = Refinable::new(vec![0; n as usize], &[n]);
                // At first few bits, that sums may collide, and more with each attempt.
                let mixer = |attempt: u64| {
                    let bits = (bits + attempt).min(64);
                    Mixer::masked(attempt, u64::MAX >> (64 - bits))
                };
                let endless = Patience::without_end();
                let found = abreast::refine(&steps, &backwards, partition, &endless, mixer, rounds);
                let found = found.ok().map(|found| found.normalized());
                ensure(found.as_ref() == Some(&expected), || {
                    format!("{kind:?}, {bits} bits")
                })?;
            }
            if kind == Weak::TauStarA {
                continue;
            }
            // All nodes taken for classes.
            for rows in [columns.rows(), pruned.rows()] {
                let steps = Steps::new(rows, kind);
                let Some(expected) = essential::by_sets(&steps, loops) else {
                    continue;
                };
                let backwards = Backwards::new(rows);
                let endless = Patience::without_end();
                let found = essential::by_lanes(&steps, &backwards, loops, &endless);
                let expected = Some(expected);
                ensure(found == expected, || {
                    format!("{kind:?}: {found:?}, not {expected:?}")
                })?;
            }
        }
        Ok(())
    });
}

#[test]
fn quotients_are_the_least_ones() {
    check(150, 10, |lts, _| {
        for kind in ALL {
            let class = naive(lts, kind);
            let (small, state) = smallest(lts, kind);
            let mut state_of = BTreeMap::new();
            for (&c, &k) in class.iter().zip(&state) {
                let same = *state_of.entry(c).or_insert(k) == k;
                ensure(same, || format!("{kind:?}: {state:?} of {class:?}"))?;
            }
            let expected: BTreeSet<_> = naive_steps(lts, kind, &class)
                .into_iter()
                .map(|(s, label, t)| (state_of[&s], label, state_of[&t]))
                .collect();
            let found: Vec<_> = small
                .iter()
                .map(|(s, label, t)| (s.get(), label, t.get()))
                .collect();
            ensure(found.len() == expected.len(), || format!("{kind:?}: twice"))?;
            ensure(
                found.into_iter().collect::<BTreeSet<_>>() == expected,
                || {
                    format!(
                        "{kind:?}: {:?}, not {expected:?}",
                        small.iter().collect::<Vec<_>>()
                    )
                },
            )?;
            let numbered = state_of.values().filter(|&&k| k != Minimized::NO_CLASS);
            ensure(numbered.count() == small.states(), || {
                format!("{kind:?}: states")
            })?;
            let initial = state[lts.initial().index()];
            ensure(small.initial().get() == initial, || {
                format!("{kind:?}: initial")
            })?;
        }
        Ok(())
    });
}

#[test]
fn quotients_are_equivalent_and_stay_what_they_are() {
    check(60, 14, |lts, random| {
        let lts = &hyades_lts::reachable(lts.clone(), hyades_lts::Numbering::Ascending);
        for kind in ALL {
            let (small, _) = smallest(lts, kind);
            let union = hyades_lts::union::disjoint_union(lts.clone(), small.clone()).unwrap();
            let classes = fast(&union.lts, kind);
            let same = classes.class(union.lts.initial()) == classes.class(union.second);
            ensure(same, || format!("{kind:?}: not equivalent"))?;

            let size = |lts: &Lts| (lts.states(), lts.transitions());
            let is_same = |other: &Lts| {
                let verdict = compare(small.clone(), other.clone(), Relation::Strong).unwrap();
                size(&small) == size(other) && verdict.holds()
            };
            let (again, _) = smallest(&small, kind);
            ensure(hyades_testing::same(&again, &small), || {
                format!("{kind:?}: again")
            })?;
            let other = shuffled(lts, random);
            ensure(is_same(&smallest(&other, kind).0), || {
                format!("{kind:?}: renumbered")
            })?;
            let finer = match kind.preserves_divergence() {
                true => Relation::DivBranching,
                false => Relation::Branching,
            };
            let finer = minimize(lts.clone(), finer).unwrap().lts;
            ensure(is_same(&smallest(&finer, kind).0), || {
                format!("{kind:?}: {finer:?} first")
            })?;
            let is_larger = size(&small).0 > size(&finer).0 || size(&small).1 > size(&finer).1;
            ensure(kind == Weak::TauStarA || !is_larger, || {
                format!("{kind:?}: larger")
            })?;
        }
        Ok(())
    });
}

#[test]
fn sizes_are_those_of_the_ground_truth() {
    // States and transitions by observation equivalence, without and with divergence, and by
    // τ*.a equivalence, and the classes by delay bisimilarity.
    type Sizes = [usize; 7];
    let expected: [(&str, Sizes); 15] = [
        ("size01_random-visible", [18, 30, 18, 30, 18, 30, 18]),
        ("size02_random-third-hidden", [13, 26, 13, 26, 14, 47, 16]),
        ("size03_random-half-hidden", [15, 31, 16, 33, 12, 60, 16]),
        ("size04_random-mostly-hidden", [24, 50, 24, 51, 18, 93, 27]),
        ("size05_hidden-dag", [5, 9, 5, 9, 4, 8, 5]),
        ("size06_acyclic-visible", [20, 51, 20, 51, 20, 51, 20]),
        ("size07_one-label", [17, 28, 17, 28, 17, 28, 17]),
        ("size08_kth-from-last", [10, 20, 10, 20, 10, 20, 10]),
        ("size09_hidden-ladder", [11, 10, 11, 10, 11, 10, 11]),
        ("size10_hidden-chain", [3, 3, 3, 3, 2, 2, 3]),
        ("size11_lossy-cells", [9, 20, 9, 21, 7, 28, 9]),
        ("size12_saturation", [13, 24, 13, 24, 2, 12, 13]),
        ("size13_livelocks", [4, 5, 4, 7, 2, 2, 4]),
        ("size14_little-brothers", [12, 41, 12, 41, 12, 41, 12]),
        ("size15_two-step-choice", [7, 12, 7, 12, 2, 7, 7]),
    ];
    for (name, sizes) in expected {
        let path = format!("{ROOT}/testdata/spectrum/{name}.aut");
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let source = Source::from_bytes(name, text, None).unwrap();
        let lts = read_lts(source, &ReadOptions::default(), &mut |_| {}).unwrap();
        let lts = hyades_lts::reachable(lts, hyades_lts::Numbering::Ascending);
        let [weak, div, star] =
            [Weak::Observational, Weak::DivObservational, Weak::TauStarA].map(|kind| {
                let small = smallest(&lts, kind).0;
                [small.states(), small.transitions()]
            });
        let delay = fast(&lts, Weak::Delay).count();
        let found = [weak, div, star].concat();
        assert_eq!(found, sizes[..6], "{name}");
        assert_eq!(delay, sizes[6], "{name}");
    }
}

/// Both LTSs' initial states, by each kind.
fn verdicts(first: &Lts, second: &Lts) -> [bool; 4] {
    let union = hyades_lts::union::disjoint_union(first.clone(), second.clone()).unwrap();
    ALL.map(|kind| {
        let classes = fast(&union.lts, kind);
        classes.class(union.lts.initial()) == classes.class(union.second)
    })
}

#[test]
fn the_second_and_third_tau_laws() {
    // a.(i.b + c) and the same with + a.b.
    let before = lts(&[(0, "a", 1), (1, "i", 2), (1, "c", 3), (2, "b", 3)]);
    let third = lts(&[
        (0, "a", 1),
        (1, "i", 2),
        (1, "c", 3),
        (2, "b", 3),
        (0, "a", 2),
    ]);
    assert_eq!(verdicts(&before, &third), [true, true, false, false]);
    // i.a + b, and the same with + a.
    let before = lts(&[(0, "i", 1), (1, "a", 2), (0, "b", 2)]);
    let second = lts(&[(0, "i", 1), (1, "a", 2), (0, "b", 2), (0, "a", 2)]);
    assert_eq!(verdicts(&before, &second), [true; 4]);
    // The choice that a hidden step makes is not seen by τ*.a: a + i.b and a + b.
    let early = lts(&[(0, "a", 2), (0, "i", 1), (1, "b", 2)]);
    let late = lts(&[(0, "a", 2), (0, "b", 2)]);
    assert_eq!(verdicts(&early, &late), [false, false, false, true]);
}

#[test]
fn divergence_counts_inside_the_class() {
    // Livelock and deadlock.
    let (livelock, deadlock) = (lts(&[(0, "i", 0)]), lts(&[]));
    assert_eq!(verdicts(&livelock, &deadlock), [true, false, true, true]);
    assert_eq!(smallest(&livelock, Weak::Observational).0.transitions(), 0);
    let small = smallest(&livelock, Weak::DivObservational).0;
    assert_eq!((small.states(), small.transitions()), (1, 1));
    // Both reach a cycle; only one can stay where b is possible.
    let stays = lts(&[(0, "b", 1), (0, "i", 0), (0, "i", 2), (2, "i", 2)]);
    let leaves = lts(&[(0, "b", 1), (0, "i", 2), (2, "i", 2)]);
    assert_eq!(verdicts(&stays, &leaves), [true, false, true, true]);
}

/// A hidden path of which each state has a visible step with a label of its own.
fn own_labels(n: u32) -> Lts {
    let mut builder = LtsBuilder::new(u64::from(n) + 1);
    for s in 0..n {
        if s + 1 < n {
            builder.add(StateId::new(s), LabelId::HIDDEN, StateId::new(s + 1));
        }
        builder.add_text(s, format!("a{s}").as_bytes(), n).unwrap();
    }
    builder.build(StateId::new(0)).unwrap()
}

#[test]
fn deep_hidden_paths_and_large_components() {
    let n = 10_000;
    let path = own_labels(n);
    for kind in ALL {
        assert_eq!(fast(&path, kind).count(), n as usize + 1, "{kind:?}");
    }
    for kind in [Weak::Observational, Weak::DivObservational, Weak::Delay] {
        let (small, _) = smallest(&path, kind);
        assert_eq!(small.states(), path.states(), "{kind:?}");
        assert_eq!(small.transitions(), path.transitions(), "{kind:?}");
    }
    // All but the first state are there only by hidden steps. n²/2 steps are too many.
    let mut observer = untold;
    let rounds = &mut Rounds::new(&mut observer);
    let within = |limit, rounds: &mut Rounds<'_>| {
        quotient_within(path.clone(), Weak::TauStarA, limit, rounds)
    };
    assert!(within(n as u64 - 1, rounds).is_err());
    let (small, state) = within(n as u64, rounds).unwrap();
    assert_eq!((small.states(), small.transitions()), (2, n as usize));
    assert_eq!(state[1], Minimized::NO_CLASS);

    // Two cycles, joined by a hidden step, with a label on each.
    let mut builder = LtsBuilder::new(2 * u64::from(n));
    for s in 0..2 * n {
        let next = if s % n == n - 1 { s + 1 - n } else { s + 1 };
        builder.add(StateId::new(s), LabelId::HIDDEN, StateId::new(next));
    }
    builder.add(StateId::new(7), LabelId::HIDDEN, StateId::new(n + 7));
    builder.add_text(9, b"a", n + 9).unwrap();
    builder.add_text(n + 8, b"b", n + 9).unwrap();
    let cycles = builder.build(StateId::new(0)).unwrap();
    for (kind, sizes) in [
        (Weak::Observational, (2, 3)),
        (Weak::DivObservational, (2, 5)),
    ] {
        let (small, _) = smallest(&cycles, kind);
        assert_eq!((small.states(), small.transitions()), sizes, "{kind:?}");
    }
}

/// Paths of which a round of refinement takes off one node, by observation equivalence and by
/// what goes on from there.
#[test]
fn long_paths_need_no_rounds() {
    let n = 6_000;
    let mut builder = LtsBuilder::new(n);
    for s in 0..n as u32 - 1 {
        builder.add(StateId::new(s), LabelId::HIDDEN, StateId::new(s + 1));
        let label = if s % 2 == 1 { "b" } else { "a" };
        builder.add_text(s, label.as_bytes(), s + 1).unwrap();
    }
    let path = builder.build(StateId::new(0)).unwrap();
    for relation in [Relation::Observational, Relation::Delay, Relation::Eta] {
        let mut rounds = 0;
        let found = crate::partition_observed(&path, relation, &mut |_| rounds += 1).unwrap();
        assert_eq!(found.count() as u64, n, "{relation}");
        assert!(rounds < 100, "{relation}: {rounds} rounds");
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let mut random = Random::new(5);
    for shape in [Shape::Uniform, Shape::SilentDag, Shape::DivergentStutter] {
        let lts = random_lts(shape, 6_000, &mut random);
        for kind in ALL {
            let expected = (fast(&lts, kind), smallest(&lts, kind));
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let found = pool
                    .build()
                    .unwrap()
                    .install(|| (fast(&lts, kind), smallest(&lts, kind)));
                assert_eq!(found.0, expected.0);
                assert!(hyades_testing::same(&found.1.0, &expected.1.0));
                assert_eq!(found.1.1, expected.1.1);
            }
        }
    }
}
