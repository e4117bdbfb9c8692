//! What is easily mistaken.

use super::super::*;
use super::naive::check;
use super::{find, holds, lts, normal};
use Semantics::{Failures, FailuresDivergences, Traces};

#[test]
fn divergence_is_no_failure_and_chaos_in_fd() {
    let stop = lts(&[]);
    let div = lts(&[(0, "i", 0)]);
    let anything = lts(&[(0, "a", 1), (1, "i", 1), (1, "b", 0), (0, "i", 1)]);
    // No stable state fails nothing.
    assert!(holds(&stop, &div, Traces));
    assert!(holds(&stop, &div, Failures));
    assert!(!holds(&stop, &div, FailuresDivergences));
    // And may not fail anything.
    assert!(holds(&div, &stop, Traces));
    assert!(!holds(&div, &stop, Failures));
    assert!(holds(&div, &stop, FailuresDivergences));
    assert!(holds(&div, &anything, FailuresDivergences));
    assert!(!holds(&div, &anything, Traces));
}

#[test]
fn a_state_that_is_not_stable_refuses_nothing() {
    let spec = lts(&[(0, "a", 0), (0, "b", 0)]);
    // State 0 offers only a, but can become state 1, which offers both.
    let model = lts(&[(0, "a", 0), (0, "i", 1), (1, "a", 0), (1, "b", 0)]);
    for semantics in Semantics::ALL {
        assert!(holds(&spec, &model, semantics));
    }
    // With stability comes refusal.
    let stable = lts(&[(0, "a", 0)]);
    assert!(!holds(&spec, &stable, Failures));
}

#[test]
fn what_comes_after_a_divergence_of_the_specification_does_not_count() {
    let spec = lts(&[(0, "a", 1), (1, "i", 2), (2, "i", 1), (1, "b", 0)]);
    let model = lts(&[(0, "a", 1), (1, "c", 1)]);
    assert!(holds(&spec, &model, FailuresDivergences));
    assert!(!holds(&spec, &model, Failures));
    assert!(!holds(&spec, &model, Traces));
    let spec = normal(&spec, FailuresDivergences);
    assert_eq!(
        (spec.nodes(), spec.diverges(0), spec.diverges(1)),
        (2, false, true)
    );
    assert_eq!(spec.successors(1).count(), 0);
    assert_eq!(spec.minimal_acceptances(1).count(), 0);
}

#[test]
fn the_own_refusal_comes_before_forbidden_labels() {
    let spec = lts(&[(0, "a", 0)]);
    let model = lts(&[(0, "b", 0)]);
    for shortest in [Shortest::Steps, Shortest::Events] {
        let found = find(&spec, &model, Failures, shortest);
        let RefinementVerdict::Fails(shown) = found.verdict else {
            panic!("a is refused")
        };
        let accepted = vec![Box::from(&b"b"[..])];
        assert_eq!(shown.violation, Violation::Refusal { accepted });
        assert!(shown.steps.is_empty());
        let found = find(&spec, &model, Traces, shortest);
        let RefinementVerdict::Fails(shown) = found.verdict else {
            panic!("b is forbidden")
        };
        assert_eq!(shown.violation, Violation::Trace);
        assert_eq!(shown.visible_trace(), [b"b"]);
    }
}

/// A way of two visible steps, and one of three hidden steps and a visible one.
#[test]
fn steps_and_events_are_counted_as_promised() {
    let spec = lts(&[(0, "x", 0)]);
    let model = lts(&[
        (0, "x", 1),
        (1, "y", 1),
        (0, "i", 2),
        (2, "i", 3),
        (3, "i", 4),
        (4, "z", 4),
    ]);
    let shown = |shortest| match find(&spec, &model, Traces, shortest).verdict {
        RefinementVerdict::Fails(shown) => shown,
        other => panic!("{other:?}"),
    };
    let steps = shown(Shortest::Steps);
    assert_eq!(
        (steps.steps.len(), steps.visible_trace()),
        (2, vec![&b"x"[..], b"y"])
    );
    let events = shown(Shortest::Events);
    assert_eq!(
        (events.steps.len(), events.visible_trace()),
        (4, vec![&b"z"[..]])
    );
    assert_eq!(events.violation, Violation::Trace);
}

/// State 1 is reached by a visible step first, and by a hidden one with no label.
#[test]
fn a_pair_may_come_into_an_earlier_layer() {
    let spec = lts(&[(0, "x", 0)]);
    let model = lts(&[(0, "x", 1), (0, "i", 2), (2, "i", 1), (1, "y", 1)]);
    let RefinementVerdict::Fails(shown) = find(&spec, &model, Traces, Shortest::Events).verdict
    else {
        panic!("y is forbidden")
    };
    check(&spec, &model, Traces, &shown);
    assert_eq!(shown.visible_trace(), [b"y"]);
}

/// The nearest divergence may be behind a nearer refusal, or before it though its
/// cycle goes beyond.
#[test]
fn divergences_and_refusals_are_compared_by_steps() {
    let spec = lts(&[(0, "a", 1), (1, "a", 1)]);
    let shown = |steps: &[(u32, &str, u32)]| {
        let model = lts(steps);
        match find(&spec, &model, FailuresDivergences, Shortest::Steps).verdict {
            RefinementVerdict::Fails(shown) => {
                check(&spec, &model, FailuresDivergences, &shown);
                *shown
            }
            other => panic!("{other:?}"),
        }
    };
    let refusal = Violation::Refusal { accepted: vec![] };
    let far = shown(&[(0, "a", 1), (0, "a", 2), (2, "i", 3), (3, "i", 3)]);
    assert_eq!((far.steps.len(), far.violation), (1, refusal));
    let far = shown(&[(0, "a", 1), (0, "a", 2), (2, "i", 2), (3, "i", 3)]);
    assert_eq!(far.steps.len(), 1, "as near: the refusal comes first");
    assert!(matches!(far.violation, Violation::Refusal { .. }));
    let cycle = [
        (0, "i", 1),
        (1, "i", 2),
        (2, "i", 3),
        (3, "i", 0),
        (0, "a", 4),
    ];
    let near = shown(&cycle);
    let Violation::Divergence { cycle } = near.violation else {
        panic!("a refusal is a step away, the cycle is none")
    };
    assert_eq!((near.steps.len(), cycle.len()), (0, 4));
}

#[test]
fn labels_may_look_like_anything() {
    let texts = [
        "violation",
        ".violation",
        "",
        ".",
        "acc{}",
        "acc{a}",
        "div",
        "div'",
    ];
    for text in texts {
        let a = lts(&[(0, text, 0), (0, "a", 0)]);
        let b = lts(&[(0, "a", 0)]);
        let c = lts(&[(0, text, 1), (0, "a", 0), (1, "i", 1)]);
        for semantics in Semantics::ALL {
            assert!(holds(&a, &a, semantics), "{text}");
            assert!(!holds(&b, &a, semantics), "{text}");
            assert_eq!(holds(&a, &b, semantics), semantics == Traces, "{text}");
            let is_fd = semantics == FailuresDivergences;
            assert_eq!(holds(&a, &c, semantics), !is_fd, "{text}");
            let spec = normal(&a, semantics);
            assert!(spec.label(text.as_bytes()).is_some());
            assert_eq!(spec.label(b"acc{a}").is_some(), text == "acc{a}");
            assert!(!spec.diverges(0));
        }
    }
}

/// Labels that read like those that the normal form marks nodes with are no marks.
#[test]
fn names_of_labels_mean_nothing() {
    type Steps<'t> = Vec<(u32, &'t str, u32)>;
    // After the label nothing, or a, or b, or hidden steps for ever.
    let systems = |text| -> Vec<Steps<'_>> {
        let rest: [Steps<'_>; 4] = [
            vec![],
            vec![(1, "a", 0)],
            vec![(1, "b", 0)],
            vec![(1, "i", 1)],
        ];
        let with = |rest: Steps<'static>| [vec![(0, text, 1), (0, "c", 0)], rest].concat();
        rest.map(with).into()
    };
    let verdicts = |text| -> Vec<bool> {
        let mut verdicts = Vec::new();
        for a in systems(text) {
            for b in systems(text) {
                let held = |s: &Semantics| holds(&lts(&a), &lts(&b), *s);
                verdicts.extend(Semantics::ALL.iter().map(held));
            }
        }
        verdicts
    };
    let expected = verdicts("x");
    assert!(expected.contains(&true) && expected.contains(&false));
    for text in ["acc{}", "acc{a}", "acc{b}", "acc{}'", "div", "div'"] {
        assert_eq!(verdicts(text), expected, "{text}");
    }
}

#[test]
fn normal_forms_of_small_specifications() {
    // An internal choice of a and b, or of c whatever the choice.
    let spec = lts(&[
        (0, "i", 1),
        (0, "i", 2),
        (1, "a", 3),
        (2, "b", 3),
        (0, "i", 4),
        (4, "a", 3),
        (4, "b", 3),
    ]);
    let sets = |semantics, node| -> Vec<Vec<Vec<u8>>> {
        let spec = normal(&spec, semantics);
        let texts = |set: &[hyades_formats::LabelId]| -> Vec<Vec<u8>> {
            set.iter().map(|&l| spec.table().text(l).to_vec()).collect()
        };
        let mut sets: Vec<_> = spec.minimal_acceptances(node).map(texts).collect();
        sets.sort();
        sets
    };
    assert_eq!(sets(Failures, 0), [[b"a".to_vec()], [b"b".to_vec()]]);
    assert_eq!(sets(Failures, 1), [Vec::<Vec<u8>>::new()]);
    assert!(sets(Traces, 0).is_empty());
    // Traces alone: one node that can always do anything is enough.
    let all = lts(&[(0, "a", 1), (0, "a", 0), (1, "a", 0)]);
    assert_eq!(normal(&all, Traces).nodes(), 1);
    assert_eq!(normal(&all, Failures).nodes(), 1);
}
