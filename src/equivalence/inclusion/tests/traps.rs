//! What is easily got wrong.

use hyades_formats::{LabelId, Lts, StateId};
use hyades_testing::{Random, Shape, lts, random_lts, union};

use super::*;
use crate::inclusion::futures::Futures;

/// Whether the one is below the other, and the other way round.
fn both_ways(a: &Lts, b: &Lts, notion: LinearNotion) -> (bool, bool) {
    let (lts, p, q) = union(a, b);
    let is_below = |p, q| judge(&lts, p, q, notion).unwrap().is_none();
    (is_below(p, q), is_below(q, p))
}

fn reason_of(a: &Lts, b: &Lts, notion: LinearNotion) -> (Lts, Reason) {
    let (lts, p, q) = union(a, b);
    let reason = reason(&lts, p, q, notion).expect("a difference");
    (lts, reason)
}

/// A diverging state refuses nothing in F, and is no deadlock.
#[test]
fn a_livelock_is_no_deadlock_in_failures() {
    let (livelock, deadlock) = (lts(&[(0, "i", 0)]), lts(&[]));
    let ways = |notion| both_ways(&livelock, &deadlock, notion);
    assert_eq!(ways(LinearNotion::WeakFailures), (true, false));
    assert_eq!(ways(LinearNotion::FailuresDivergence), (false, true));
    assert_eq!(ways(LinearNotion::WeakTrace), (true, true));
    assert_eq!(ways(LinearNotion::ImpossibleFutures), (true, true));
    // No stable state on the other side: nothing need be refused.
    let (_, reason) = reason_of(&deadlock, &livelock, LinearNotion::WeakFailures);
    assert_eq!(reason.end, End::Refusal(Vec::new()));
    let (_, reason) = reason_of(&livelock, &deadlock, LinearNotion::FailuresDivergence);
    assert_eq!((reason.steps.len(), reason.end), (0, End::Divergence));
    // A cycle of two is one as well, and may be left.
    let cycle = lts(&[(0, "i", 1), (1, "i", 0), (1, "a", 2)]);
    let step = lts(&[(0, "a", 1)]);
    let ways = |notion| both_ways(&cycle, &step, notion);
    assert_eq!(ways(LinearNotion::WeakFailures), (true, false));
    assert_eq!(ways(LinearNotion::FailuresDivergence), (false, true));
}

/// Whether the specification diverges is asked before all else, after each trace.
#[test]
fn anything_is_allowed_after_a_divergence_of_the_specification() {
    let chaos = lts(&[(0, "i", 0)]);
    let any = lts(&[(0, "a", 1), (1, "b", 1), (1, "i", 2), (2, "i", 2)]);
    let ways = both_ways(&any, &chaos, LinearNotion::FailuresDivergence);
    assert_eq!(ways, (true, false));
    assert_eq!(
        both_ways(&any, &chaos, LinearNotion::WeakTrace),
        (false, true)
    );
    let later = lts(&[(0, "a", 1), (1, "i", 1)]);
    let ways = both_ways(&any, &later, LinearNotion::FailuresDivergence);
    assert_eq!(ways, (true, true));
    // The divergence comes after a trace that the specification must have.
    let before = lts(&[(0, "a", 1), (0, "b", 2), (1, "i", 1)]);
    let (_, reason) = reason_of(&before, &later, LinearNotion::FailuresDivergence);
    assert_eq!((reason.steps.len(), reason.end), (1, End::Trace));
    // One that is reached by more hidden steps counts too.
    let far = lts(&[
        (0, "a", 1),
        (1, "i", 2),
        (2, "i", 3),
        (3, "i", 3),
        (1, "b", 0),
    ]);
    let ways = both_ways(&any, &far, LinearNotion::FailuresDivergence);
    assert_eq!(ways, (true, true));
}

/// States that are not stable refuse nothing themselves.
#[test]
fn only_stable_states_have_failures() {
    let unstable = lts(&[(0, "i", 1), (0, "a", 2), (1, "b", 2)]);
    let choice = lts(&[(0, "a", 1), (0, "b", 1)]);
    let only_b = lts(&[(0, "b", 1)]);
    for notion in [LinearNotion::WeakFailures, LinearNotion::FailuresDivergence] {
        assert_eq!(both_ways(&unstable, &choice, notion), (false, true));
        assert_eq!(both_ways(&only_b, &unstable, notion), (true, false));
        // A state with more labels that is not stable does not help to refuse less.
        let (lts, reason) = reason_of(&unstable, &choice, notion);
        assert_eq!(
            reason.end,
            End::Refusal(vec![lts.table().find(b"a").unwrap()])
        );
    }
}

/// A hidden step can be refused in the strong sense, where it is a step as all others,
/// and only there.
#[test]
fn hidden_steps_are_in_strong_refusals_only() {
    let (deadlock, hidden) = (lts(&[]), lts(&[(0, "i", 1)]));
    let (_, found) = reason_of(&deadlock, &hidden, LinearNotion::Failures);
    assert_eq!(found.end, End::Refusal(vec![LabelId::HIDDEN]));
    let ways = both_ways(&deadlock, &hidden, LinearNotion::WeakFailures);
    assert_eq!(ways, (true, true));
    for seed in 0..300 {
        let (a, b) = random_pair(&mut Random::new(seed));
        let (lts, p, q) = union(&a, &b);
        for notion in [LinearNotion::WeakFailures, LinearNotion::FailuresDivergence] {
            let found = reason(&lts, p, q, notion);
            if let Some(End::Refusal(labels)) = found.map(|reason| reason.end) {
                assert!(!labels.contains(&LabelId::HIDDEN), "seed {seed}");
            }
        }
    }
}

/// The empty trace, and systems without steps or labels.
#[test]
fn systems_without_steps() {
    let (nil, a) = (lts(&[]), lts(&[(0, "a", 1)]));
    for notion in LinearNotion::ALL {
        assert_eq!(both_ways(&nil, &nil, notion), (true, true), "{notion:?}");
        assert!(!both_ways(&a, &nil, notion).0, "{notion:?}");
        let is_trace = matches!(notion, LinearNotion::Trace | LinearNotion::WeakTrace);
        let expected = is_trace
            || match notion {
                // The empty refusal of labels is refused by both.
                LinearNotion::FailureTrace
                | LinearNotion::ReadyTrace
                | LinearNotion::CompletedTrace
                | LinearNotion::Failures
                | LinearNotion::Revivals
                | LinearNotion::Readiness
                | LinearNotion::ImpossibleFuturesStrong
                | LinearNotion::PossibleFutures
                | LinearNotion::WeakFailures
                | LinearNotion::FailuresDivergence
                | LinearNotion::ImpossibleFutures => false,
                LinearNotion::Trace | LinearNotion::WeakTrace => true,
            };
        assert_eq!(both_ways(&nil, &a, notion).0, expected, "{notion:?}");
    }
    for hidden in [HiddenSteps::Counted, HiddenSteps::Skipped] {
        let (both, p, q) = union(&nil, &a);
        let found = equivalent(&both, p, q, hidden, UNLIMITED);
        assert!(matches!(found, Equality::Different(Side::Second, _)));
        assert!(matches!(
            equivalent(&both, p, p, hidden, UNLIMITED),
            Equality::Equal
        ));
        let quotient = determinized_quotient(&nil, hidden, 1).unwrap();
        assert_eq!((quotient.states(), quotient.transitions()), (1, 0));
    }
}

/// A label that says that all is over is a label as others, and no deadlock by itself.
#[test]
fn termination_is_a_label() {
    let exits = lts(&[(0, "a", 1), (1, "exit", 2)]);
    let stops = lts(&[(0, "a", 1)]);
    for notion in [
        LinearNotion::CompletedTrace,
        LinearNotion::WeakFailures,
        LinearNotion::FailuresDivergence,
    ] {
        assert_eq!(both_ways(&exits, &stops, notion), (false, false));
    }
    let (lts, reason) = reason_of(&stops, &exits, LinearNotion::CompletedTrace);
    let exit = lts.table().find(b"exit").unwrap();
    assert_eq!(reason.end, End::Deadlock(vec![exit]));
}

/// What is kept of one call must not spoil others: all calls on one system, in any order,
/// answer as the first one.
#[test]
fn calls_for_futures_do_not_spoil_each_other() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let lts = random_lts(Shape::Uniform, 7, &mut random);
        for is_weak in [false, true] {
            let notion = match is_weak {
                true => LinearNotion::ImpossibleFutures,
                false => LinearNotion::PossibleFutures,
            };
            let (system, [root]) = System::new(&lts, [lts.initial()], notion.finer(), is_weak);
            let n = system.states();
            assert!((root as usize) < n);
            let mut sets = Sets::new(&system);
            let mut together = Futures::new(n);
            let mut pairs: Vec<(u32, u32)> = (0..n as u32)
                .flat_map(|x| (0..n as u32).map(move |y| (x, y)))
                .collect();
            for k in (1..pairs.len()).rev() {
                pairs.swap(k, random.between(0, k));
            }
            for &(x, y) in &pairs {
                let found = together.within(&system, &mut sets, x, y, UNLIMITED);
                let mut alone = Futures::new(n);
                let alone = alone.shortest(&system, &mut sets, x, y, usize::MAX);
                assert_eq!(found, Some(alone.is_none()), "seed {seed}: {x}, {y}");
                let shortest = together.shortest(&system, &mut sets, x, y, usize::MAX);
                let length = |trace: &Vec<u32>| trace.len();
                let lengths = (shortest.as_ref().map(length), alone.as_ref().map(length));
                assert_eq!(lengths.0, lengths.1, "seed {seed}: {x}, {y}");
            }
        }
    }
}

/// Deep systems need no deep stack.
#[test]
fn depth_does_not_matter() {
    let n = 20_000;
    let chain = |label: &'static str| {
        let mut steps: Vec<(u32, &str, u32)> = (0..n).map(|s| (s, label, s + 1)).collect();
        steps.push((n, "z", n + 1));
        lts(&steps)
    };
    let (visible, hidden) = (chain("a"), chain("i"));
    let (both, p, q) = union(&visible, &hidden);
    for (notion, length) in [
        (LinearNotion::Trace, 1),
        (LinearNotion::Failures, 0),
        (LinearNotion::WeakTrace, 1),
        (LinearNotion::WeakFailures, 0),
        (LinearNotion::FailuresDivergence, 0),
    ] {
        let found = reason(&both, p, q, notion).map(|reason| reason.steps.len());
        assert_eq!(found, Some(length), "{notion:?}");
    }
    // All but the last step are the same.
    let mut steps: Vec<(u32, &str, u32)> = (0..n).map(|s| (s, "a", s + 1)).collect();
    steps.extend([(n, "z", n + 1), (n, "z", n + 2), (n + 2, "a", n + 3)]);
    let (both, p, q) = union(&lts(&steps), &visible);
    for notion in [
        LinearNotion::Trace,
        LinearNotion::FailureTrace,
        LinearNotion::ReadyTrace,
        LinearNotion::WeakTrace,
        LinearNotion::WeakFailures,
    ] {
        let Some(found) = reason(&both, p, q, notion) else {
            panic!("{notion:?}");
        };
        assert!(found.steps.len() > n as usize, "{notion:?}");
        let formula = found.formula(both.table()).unwrap();
        assert!(formula.size() >= n as usize, "{notion:?}");
    }
    let (both, p, q) = union(&visible, &chain("a"));
    assert!(matches!(
        below(&both, p, q, LinearNotion::Readiness, UNLIMITED),
        Verdict::Below
    ));
    let last = StateId::new(n + 1);
    let found = below(&both, p, last, LinearNotion::WeakTrace, UNLIMITED);
    assert!(matches!(found, Verdict::Not(_)));
}
