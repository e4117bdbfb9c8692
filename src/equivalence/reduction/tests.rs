//! The reductions against their definitions and against what they preserve, on
//! thousands of random systems.

use std::collections::{BTreeSet, HashSet, VecDeque};

use hyades_explore::{ExploreOptions, Goal, TauStar, reach};
use hyades_formats::{LabelId, Lts, LtsBuilder, LtsParts, Offsets, StateId};
use hyades_testing::same;
use hyades_testing::{Random, Shape, check, random_lts, shuffled};

use super::compression::contracted;
use super::confluence::{Confluent, prioritised};
use super::tau_star::reduce_within;
use super::*;
use crate::compare::compare;
use crate::{Relation, minimize};

fn ensure(condition: bool, message: impl Fn() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(message()) }
}

fn reduced(lts: &Lts, reduction: Reduction) -> Lts {
    reduce(lts.clone(), reduction).unwrap()
}

fn equivalent(a: &Lts, b: &Lts, relation: Relation) -> bool {
    let verdict = compare(a.clone(), b.clone(), relation).unwrap();
    verdict.holds()
}

/// The same system with rows sorted as by the reductions, and without duplicates.
fn tidy(lts: &Lts) -> Lts {
    let mut builder = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
    let rank = lts.table().ranks();
    let mut steps: Vec<_> = lts.iter().collect();
    steps.sort_by_key(|&(s, l, t)| (s, rank[l.index()], t));
    steps.dedup();
    steps.into_iter().for_each(|(s, l, t)| builder.add(s, l, t));
    builder.build(lts.initial()).unwrap()
}

/// The reachable part as the reductions number and sort it.
fn arranged(lts: &Lts) -> Lts {
    tidy(&reachable(tidy(lts), Numbering::BreadthFirst))
}

fn sizes(lts: &Lts) -> (usize, usize) {
    (lts.states(), lts.transitions())
}

#[test]
fn components_are_compressed_as_defined() {
    check(300, 12, |lts, _| {
        for (reduction, divergence) in [
            (Reduction::TauDivergence, true),
            (Reduction::TauCompression, false),
        ] {
            let expected = arranged(&naive::compressed(lts, divergence));
            let found = reduced(lts, reduction);
            ensure(same(&found, &expected), || {
                format!("{reduction}: {found:?} instead of {expected:?}")
            })?;
        }
        Ok(())
    });
}

#[test]
fn each_preserves_what_it_promises() {
    check(300, 16, |lts, _| {
        for (reduction, relation) in [
            (Reduction::TauDivergence, Relation::DivBranching),
            (Reduction::TauCompression, Relation::Branching),
            (Reduction::TauConfluence, Relation::Branching),
        ] {
            let found = reduced(lts, reduction);
            ensure(equivalent(lts, &found, relation), || {
                format!("{reduction} does not preserve {relation}: {found:?}")
            })?;
        }
        Ok(())
    });
}

#[test]
fn each_is_as_small_as_the_finer_ones() {
    check(200, 16, |lts, _| {
        let [divergence, compression, confluence, star] =
            Reduction::ALL.map(|reduction| reduced(lts, reduction));
        let part = arranged(lts);
        let minimal = minimize(lts.clone(), Relation::Branching)
            .expect("there is one")
            .lts;
        let states = [&part, &divergence, &compression, &confluence, &minimal];
        ensure(states.is_sorted_by(|a, b| sizes(a) >= sizes(b)), || {
            format!("sizes {:?}", states.map(sizes))
        })?;
        ensure(star.states() <= part.states(), || {
            format!("{} states instead of {}", star.states(), part.states())
        })?;
        ensure(!star.labels().iter().any(|l| l.is_hidden()), || {
            "hidden transitions remain".into()
        })
    });
}

#[test]
fn doing_it_again_changes_nothing() {
    check(200, 24, |lts, _| {
        for reduction in Reduction::ALL {
            let once = reduced(lts, reduction);
            let twice = reduced(&once, reduction);
            ensure(same(&once, &twice), || {
                format!("{reduction}: {once:?}, then {twice:?}")
            })?;
        }
        Ok(())
    });
}

#[test]
fn a_coarser_one_does_not_need_a_finer_one_first() {
    check(200, 16, |lts, _| {
        let compressed = reduced(lts, Reduction::TauCompression);
        let first = reduced(lts, Reduction::TauDivergence);
        ensure(
            same(&reduced(&first, Reduction::TauCompression), &compressed),
            || "compression after divergence".into(),
        )?;
        let star = reduced(lts, Reduction::TauStar);
        for finer in &Reduction::ALL[..3] {
            let other = reduced(&reduced(lts, *finer), Reduction::TauStar);
            ensure(equivalent(&star, &other, Relation::Strong), || {
                format!("tau-star after {finer}")
            })?;
        }
        Ok(())
    });
}

#[test]
fn results_do_not_depend_on_the_order_of_the_input() {
    check(100, 16, |lts, random| {
        let other = shuffled(lts, random);
        for reduction in [Reduction::TauDivergence, Reduction::TauCompression] {
            let [a, b] = [lts, &other].map(|lts| reduced(lts, reduction));
            ensure(
                sizes(&a) == sizes(&b) && equivalent(&a, &b, Relation::Strong),
                || format!("{reduction}: {:?} and {:?}", sizes(&a), sizes(&b)),
            )?;
        }
        Ok(())
    });
}

/// The contracted LTS as an LTS.
fn nodes(lts: &Lts) -> Lts {
    let (silent, _) = contracted(lts, false);
    let rows = silent.rows();
    Lts::from_parts(LtsParts {
        initial: StateId::new(silent.node[lts.initial().index()]),
        offsets: Offsets::from_lengths((0..rows.states() as u32).map(|v| rows.degree(v))),
        labels: rows.labels.to_vec(),
        targets: rows.targets.to_vec(),
        table: lts.table().clone(),
    })
}

/// The confluent set with at most so many candidates a state.
fn confluent(lts: &Lts, candidates: u8) -> BTreeSet<naive::Step> {
    let (silent, count) = contracted(lts, false);
    let set = Confluent::new(silent.rows(), candidates);
    let of = |v: u32| set.of(v).map(move |t| (v as usize, t.index()));
    (0..count).flat_map(of).collect()
}

#[test]
fn the_confluent_set_is_the_largest() {
    check(400, 14, |lts, _| {
        let nodes = nodes(lts);
        let (found, expected) = (confluent(lts, 255), naive::confluent(&nodes));
        ensure(found == expected, || {
            format!("of {nodes:?}: {found:?} instead of {expected:?}")
        })
    });
}

#[test]
fn few_candidates_are_confluent_and_sound_too() {
    check(200, 14, |lts, _| {
        for candidates in 0..3 {
            let set = confluent(lts, candidates);
            ensure(naive::is_confluent(&nodes(lts), &set), || {
                format!("{candidates}: {set:?}")
            })?;
            let found = prioritised(lts.clone(), candidates);
            ensure(equivalent(lts, &found, Relation::Branching), || {
                format!("{candidates}: {found:?}")
            })?;
        }
        Ok(())
    });
}

#[test]
fn tau_star_is_as_defined() {
    check(300, 14, |lts, _| {
        let found = reduced(lts, Reduction::TauStar);
        let expected = arranged(&naive::tau_star(lts));
        ensure(
            equivalent(&found, &expected, Relation::Strong)
                && found.states() <= expected.states()
                && found.transitions() <= expected.transitions(),
            || format!("{found:?} instead of {expected:?}"),
        )?;
        let model = TauStar::new(lts);
        let (explored, _) = reach(
            &model,
            ExploreOptions::default(),
            Goal::Lts(Numbering::BreadthFirst),
            |_| (),
        )
        .unwrap();
        let explored = explored.expect("no limit");
        ensure(equivalent(&found, &explored, Relation::Strong), || {
            format!("{found:?} instead of the explored {explored:?}")
        })?;
        let limit = found.transitions() as u64;
        ensure(
            reduce_within(reachable(lts.clone(), Numbering::Ascending), limit).is_ok(),
            || format!("more than {limit} transitions"),
        )?;
        ensure(
            limit == 0
                || reduce_within(reachable(lts.clone(), Numbering::Ascending), limit - 1).is_err(),
            || format!("less than {limit} transitions"),
        )
    });
}

/// The states that hidden transitions lead to from some.
fn closed(lts: &Lts, states: impl IntoIterator<Item = StateId>) -> BTreeSet<StateId> {
    let mut all: BTreeSet<StateId> = states.into_iter().collect();
    let mut open: Vec<StateId> = all.iter().copied().collect();
    while let Some(s) = open.pop() {
        for (label, t) in lts.outgoing(s) {
            if label.is_hidden() && all.insert(t) {
                open.push(t);
            }
        }
    }
    all
}

/// Whether two systems with the same labels have the same visible traces.
fn same_weak_traces(a: &Lts, b: &Lts) -> bool {
    let start = (closed(a, [a.initial()]), closed(b, [b.initial()]));
    let mut seen = HashSet::from([start.clone()]);
    let mut open = VecDeque::from([start]);
    while let Some((in_a, in_b)) = open.pop_front() {
        for label in (1..a.table().len() as u32).map(LabelId::new) {
            let after = |lts: &Lts, states: &BTreeSet<StateId>| {
                let steps = states.iter().flat_map(|s| lts.outgoing(*s));
                closed(lts, steps.filter(|step| step.0 == label).map(|step| step.1))
            };
            let next = (after(a, &in_a), after(b, &in_b));
            if next.0.is_empty() != next.1.is_empty() {
                return false;
            }
            if !next.0.is_empty() && seen.insert(next.clone()) {
                open.push_back(next);
            }
        }
    }
    true
}

#[test]
fn all_preserve_weak_traces() {
    check(60, 10, |lts, _| {
        for reduction in Reduction::ALL {
            let found = reduced(lts, reduction);
            ensure(same_weak_traces(lts, &found), || {
                format!("{reduction}: {found:?}")
            })?;
        }
        Ok(())
    });
}

/// An LTS from transitions; `i` is hidden.
fn lts(transitions: &[(u32, &str, u32)]) -> Lts {
    let mut builder = LtsBuilder::new(1);
    for &(s, l, t) in transitions {
        match l {
            "i" => builder.add(StateId::new(s), LabelId::HIDDEN, StateId::new(t)),
            _ => builder.add_text(s, l.as_bytes(), t).unwrap(),
        }
    }
    builder.build(StateId::new(0)).unwrap()
}

#[test]
fn independent_hidden_steps_are_confluent() {
    // A cube of three components that each take a hidden step, and then do an
    // `a` together: all orders are the same.
    let mut steps = Vec::new();
    for state in 0..8u32 {
        for bit in [1, 2, 4] {
            if state & bit == 0 {
                steps.push((state, "i", state | bit));
            }
        }
    }
    steps.push((7, "a", 8));
    let found = reduced(&lts(&steps), Reduction::TauConfluence);
    assert_eq!(sizes(&found), (2, 1));
    // With a choice at one corner, what leads there decides.
    steps.push((1, "b", 9));
    let found = reduced(&lts(&steps), Reduction::TauConfluence);
    assert!(equivalent(&lts(&steps), &found, Relation::Branching));
    assert!(found.states() > 2);
}

#[test]
fn a_choice_by_hidden_steps_is_not_confluent() {
    let choice = lts(&[(0, "i", 1), (0, "i", 2), (1, "a", 3), (2, "b", 3)]);
    let found = reduced(&choice, Reduction::TauConfluence);
    assert_eq!(sizes(&found), (4, 4));
    let star = reduced(&choice, Reduction::TauStar);
    assert_eq!(sizes(&star), (2, 2));
}

#[test]
fn states_that_fall_together_make_others_confluent() {
    // The step from 0 to 1 is closed only when 2 and 4 are one.
    let square = lts(&[
        (0, "i", 1),
        (0, "a", 2),
        (1, "a", 4),
        (2, "i", 3),
        (2, "c", 6),
        (3, "i", 4),
        (3, "c", 6),
        (4, "b", 5),
        (4, "c", 6),
    ]);
    assert_eq!(sizes(&prioritised(square.clone(), 255)), (5, 5));
    assert_eq!(sizes(&reduced(&square, Reduction::TauConfluence)), (4, 3));
}

#[test]
fn divergence_is_what_divergence_keeps() {
    let cycle = lts(&[(0, "a", 1), (1, "i", 2), (2, "i", 1), (3, "i", 3)]);
    let found = reduced(&cycle, Reduction::TauDivergence);
    assert_eq!(sizes(&found), (2, 2));
    assert!(found.labels()[1].is_hidden());
    let found = reduced(&cycle, Reduction::TauCompression);
    assert_eq!(sizes(&found), (2, 1));
}

#[test]
fn depth_and_width_do_not_matter() {
    // A hidden path, a hidden fan that comes together again, a hidden cycle, a
    // visible fan out of a state with a hidden step.
    let n = 300_000;
    let mut steps: Vec<(u32, &str, u32)> = (0..n).map(|s| (s, "i", s + 1)).collect();
    steps.extend((1..=n).flat_map(|k| [(n, "i", n + k), (n + k, "i", 2 * n + 1)]));
    steps.extend((1..n).map(|k| (2 * n + k, "i", 2 * n + k + 1)));
    steps.push((3 * n, "i", 2 * n + 1));
    steps.extend((1..n).map(|k| (2 * n + 1, "a", k)));
    let lts = lts(&steps);
    let sizes = |reduction| sizes(&reduced(&lts, reduction));
    let (states, transitions) = (2 * n as usize + 2, 4 * n as usize - 1);
    assert_eq!(sizes(Reduction::TauCompression), (states, transitions));
    assert_eq!(sizes(Reduction::TauDivergence), (states, transitions + 1));
    assert_eq!(sizes(Reduction::TauConfluence), (1, 1));
    assert_eq!(sizes(Reduction::TauStar), (1, 1));
}

#[test]
fn many_threads_find_the_same() {
    // Large enough for every parallel part; parts of it are confluent.
    for shape in [Shape::Uniform, Shape::SilentDag, Shape::Stutter] {
        let lts = random_lts(shape, 60_000, &mut Random::new(5));
        for reduction in &Reduction::ALL[..3] {
            let found = [1, 3, 8].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                pool.build().unwrap().install(|| reduced(&lts, *reduction))
            });
            assert!(same(&found[0], &found[1]) && same(&found[0], &found[2]));
            assert!(equivalent(&lts, &found[0], Relation::Branching));
        }
    }
}

#[test]
fn names() {
    for reduction in Reduction::ALL {
        assert_eq!(reduction.name().parse(), Ok(reduction));
        assert_eq!(reduction.name().replacen('-', "", 1).parse(), Ok(reduction));
    }
    assert_eq!("tau*.a".parse(), Ok(Reduction::TauStar));
    let error = "tau".parse::<Reduction>().unwrap_err().to_string();
    assert!(
        error.contains("`tau`") && error.contains("tau-confluence"),
        "{error}"
    );
}
