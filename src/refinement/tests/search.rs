//! Limits, threads and sizes.

use std::ops::ControlFlow;

use hyades_explore::{Limit, Limits, Progress};
use hyades_formats::Lts;
use hyades_testing::{Random, Shape, mutated, random_lts, unfolded};

use super::super::*;
use super::naive;
use super::{find, lts, normal};

const BOTH: [Shortest; 2] = [Shortest::Steps, Shortest::Events];

fn limited(
    spec: &Lts,
    model: &Lts,
    semantics: Semantics,
    shortest: Shortest,
    limits: Limits,
) -> RefinementVerdict {
    let search = RefineOptions {
        shortest,
        limits,
        progress: None,
    };
    refine(&normal(spec, semantics), model, search)
        .unwrap()
        .verdict
}

/// A cycle of so many visible steps.
fn ring(length: u32) -> Lts {
    let steps = (0..length).map(|s| (s, ["a", "b"][(s % 2) as usize], (s + 1) % length));
    lts(&steps.collect::<Vec<_>>())
}

#[test]
fn limits_leave_the_answer_open() {
    let (spec, model) = (ring(2), ring(100));
    for semantics in Semantics::ALL {
        for shortest in BOTH {
            let states = |max| Limits {
                max_states: Some(max),
                ..Limits::default()
            };
            let verdict = |limits| limited(&spec, &model, semantics, shortest, limits);
            let unknown = |limit| RefinementVerdict::Unknown(Reason::Limit(limit));
            assert_eq!(verdict(states(100)), RefinementVerdict::Holds);
            assert_eq!(verdict(states(99)), unknown(Limit::States));
            assert_eq!(verdict(states(1)), unknown(Limit::States));
            assert_eq!(verdict(states(0)), unknown(Limit::States));
            let memory = Limits {
                max_memory: Some(1),
                ..Limits::default()
            };
            assert_eq!(verdict(memory), unknown(Limit::Memory));
        }
    }
}

#[test]
fn a_violation_within_the_limits_is_found() {
    let spec = ring(2);
    let steps = [(0, "c", 1), (0, "a", 2), (2, "b", 3), (3, "a", 4)];
    let limits = Limits {
        max_states: Some(3),
        ..Limits::default()
    };
    for shortest in BOTH {
        let verdict = limited(&spec, &lts(&steps), Semantics::Traces, shortest, limits);
        assert!(
            matches!(verdict, RefinementVerdict::Fails(_)),
            "{verdict:?}"
        );
    }
}

#[test]
fn a_limit_may_keep_from_looking_for_a_nearer_divergence() {
    let spec = lts(&[(0, "a", 0)]);
    // A refusal after two steps; a long hidden cycle through the initial state.
    let mut steps = vec![(0, "i", 1), (1, "i", 2), (0, "i", 3)];
    steps.extend((3..50).map(|s| (s, "i", s + 1)));
    steps.push((50, "i", 0));
    let model = lts(&steps);
    let semantics = Semantics::FailuresDivergences;
    let shown = |limits| match limited(&spec, &model, semantics, Shortest::Steps, limits) {
        RefinementVerdict::Fails(shown) => {
            naive::check(&spec, &model, semantics, &shown);
            *shown
        }
        other => panic!("{other:?}"),
    };
    let all = shown(Limits::default());
    assert_eq!((all.steps.len(), all.is_shortest), (0, true));
    assert!(matches!(all.violation, Violation::Divergence { .. }));
    // The first search hands over all of it at once, and needs more.
    let found = find(&spec, &model, semantics, Shortest::Steps);
    let some = shown(Limits {
        max_states: Some(found.pairs - 1),
        ..Limits::default()
    });
    assert!(!some.is_shortest);
}

#[test]
fn the_progress_callback_can_stop() {
    let (spec, model) = (ring(2), ring(200_000));
    for shortest in BOTH {
        let mut calls = 0;
        let mut progress = |now: &Progress| {
            calls += 1;
            assert!(now.explored > 0 && now.states >= now.explored);
            ControlFlow::Break(())
        };
        let search = RefineOptions {
            shortest,
            progress: Some(&mut progress),
            ..RefineOptions::default()
        };
        let found = refine(
            &normal(&spec, Semantics::FailuresDivergences),
            &model,
            search,
        );
        assert_eq!(
            found.unwrap().verdict,
            RefinementVerdict::Unknown(Reason::Stopped)
        );
        assert_eq!(calls, 1);
    }
}

#[test]
fn specifications_have_a_limit() {
    // The n-th letter from the end is an a: 2^n sets.
    let mut steps = vec![(0, "a", 0), (0, "b", 0), (0, "a", 1)];
    for s in 1..10 {
        steps.push((s, "a", s + 1));
        steps.push((s, "b", s + 1));
    }
    let spec = lts(&steps);
    let new = |max| Specification::new(&spec, Semantics::Failures, max);
    assert_eq!(
        new(None).unwrap().as_lts().states(),
        new(Some(1024)).unwrap().nodes()
    );
    let error = new(Some(1023)).unwrap_err();
    assert_eq!(error, SpecificationError::TooManyNodes(1023));
    assert!(error.to_string().contains("more than 1023 nodes"));
    assert!(new(Some(0)).is_err());
    assert!(Specification::new(&lts(&[]), Semantics::Failures, Some(0)).is_ok());
}

/// Systems large enough for many states to be explored at a time.
#[test]
fn threads_make_no_difference() {
    let run = |threads: usize, work: &(dyn Fn() -> Vec<Refinement> + Sync)| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(work)
    };
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let small = random_lts(Shape::Uniform, 40, &mut random);
        let model = random_lts(Shape::Deterministic, 10_000, &mut random);
        let (model, _) = unfolded(&model, Shape::Stutter, 3, &mut random);
        let all = lts(&[(0, "a", 0), (0, "b", 0), (0, "i", 1), (1, "i", 0)]);
        let pairs = [(&small, &model), (&all, &model), (&model, &model)];
        let work = || {
            let mut found = Vec::new();
            for (spec, model) in pairs {
                for semantics in Semantics::ALL {
                    for shortest in BOTH {
                        if spec.states() < 1000 {
                            found.push(find(spec, model, semantics, shortest));
                        }
                    }
                }
            }
            found
        };
        let (one, two) = (run(1, &work), run(2, &work));
        assert_eq!(one, two, "seed {seed}");
        let largest = one.iter().map(|found| found.pairs).max();
        assert!(largest > Some(15_000), "{largest:?}");
    }
}

/// A deep divergence of many states, found in time and without recursion.
#[test]
fn depth_does_not_matter() {
    let n = 200_000;
    let mut steps: Vec<(u32, &str, u32)> = (0..n).map(|s| (s, "i", s + 1)).collect();
    steps.push((n, "i", n / 2));
    let model = lts(&steps);
    let spec = lts(&[]);
    for shortest in BOTH {
        let found = find(&spec, &model, Semantics::FailuresDivergences, shortest);
        let RefinementVerdict::Fails(shown) = found.verdict else {
            panic!("it diverges")
        };
        let Violation::Divergence { cycle } = &shown.violation else {
            panic!("nothing is visible")
        };
        assert_eq!(
            (shown.steps.len(), cycle.len()),
            (n as usize / 2, n as usize / 2 + 1)
        );
        assert!(
            find(&spec, &model, Semantics::Failures, shortest).verdict == RefinementVerdict::Holds
        );
    }
    let spec = normal(&model, Semantics::FailuresDivergences);
    assert_eq!((spec.nodes(), spec.diverges(0)), (1, true));
}

#[test]
fn one_state_and_no_transitions() {
    let stop = lts(&[]);
    for semantics in Semantics::ALL {
        for shortest in BOTH {
            let found = find(&stop, &stop, semantics, shortest);
            let sizes = (found.pairs, found.transitions);
            assert_eq!((found.verdict, sizes), (RefinementVerdict::Holds, (1, 0)));
        }
        let spec = normal(&stop, semantics);
        assert_eq!((spec.nodes(), spec.initial(), spec.forbidden()), (1, 0, 1));
    }
    let mut random = Random::new(5);
    assert!(mutated(&stop, &mut random).states() == 1);
}
