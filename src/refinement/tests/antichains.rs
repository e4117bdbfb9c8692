//! Refinement without normal forms.

use hyades_formats::Lts;
use hyades_testing::{Random, lts, random_pair};

use super::super::*;
use super::{find, naive};

fn decide(spec: &Lts, model: &Lts, semantics: Semantics) -> Inclusion {
    refine_by_antichains(spec, model, semantics, hyades_explore::Limits::default()).unwrap()
}

/// What is found beside a normal form.
fn beside(normal: &Specification, model: &Lts, shortest: Shortest) -> Counterexample {
    let search = RefineOptions {
        shortest,
        ..RefineOptions::default()
    };
    match refine(normal, model, search).unwrap().verdict {
        RefinementVerdict::Fails(shown) => *shown,
        verdict => panic!("{verdict:?}"),
    }
}

#[test]
fn antichains_and_normal_forms_agree() {
    let mut counts = [0; 2];
    for seed in 0..1500 {
        let (spec, model) = random_pair(&mut Random::new(seed));
        for semantics in Semantics::ALL {
            let about = format!("seed {seed}, {semantics}");
            let expected = find(&spec, &model, semantics, Shortest::Events).verdict;
            match (decide(&spec, &model, semantics), expected) {
                (Inclusion::Holds, RefinementVerdict::Holds) => counts[0] += 1,
                (Inclusion::Fails(normal), RefinementVerdict::Fails(expected)) => {
                    assert!(normal.is_part());
                    for shortest in [Shortest::Steps, Shortest::Events] {
                        let shown = beside(&normal, &model, shortest);
                        naive::check_beside(&normal, &spec, &model, &shown);
                        assert_eq!(shown.is_shortest, shortest == Shortest::Events);
                        let (found, least) = (shown.visible_trace(), expected.visible_trace());
                        assert_eq!(found.len(), least.len(), "{about}");
                    }
                    counts[1] += 1;
                }
                (found, expected) => panic!("{about}: {found:?}, {expected:?}"),
            }
        }
    }
    assert!(counts.iter().all(|&k| k > 500), "{counts:?}");
}

/// Letters in any order and then `c`, if the k-th letter from the last was an `a`.
fn last_letter(k: u32) -> Vec<(u32, &'static str, u32)> {
    let mut steps = vec![(0, "a", 0), (0, "b", 0), (0, "a", 1)];
    for at in 1..k {
        steps.extend([(at, "a", at + 1), (at, "b", at + 1)]);
    }
    steps.push((k, "c", k + 1));
    steps
}

#[test]
fn a_normal_form_that_explodes_is_not_needed() {
    let k = 40;
    let mut steps = last_letter(k);
    let spec = lts(&steps);
    let most = worthwhile_nodes(&spec);
    let error = Specification::new(&spec, Semantics::Traces, Some(most)).unwrap_err();
    assert_eq!(error, SpecificationError::TooManyNodes(most as usize));
    let words = lts(&[(0, "a", 0), (0, "b", 0)]);
    let found = decide(&spec, &words, Semantics::Traces);
    assert!(matches!(found, Inclusion::Holds));
    steps.push((k + 1, "d", 0));
    let model = lts(&steps);
    for semantics in Semantics::ALL {
        let Inclusion::Fails(normal) = decide(&spec, &model, semantics) else {
            panic!("{semantics}");
        };
        let shown = beside(&normal, &model, Shortest::Events);
        assert!(normal.nodes() < 100, "{semantics}");
        assert_eq!(shown.visible_trace().len(), k as usize + 2, "{semantics}");
        assert!(shown.is_shortest);
    }
}

#[test]
fn a_limit_leaves_it_open() {
    let mut steps = last_letter(40);
    let spec = lts(&steps);
    steps.push((41, "d", 0));
    let model = lts(&steps);
    let limits = hyades_explore::Limits {
        max_states: Some(2),
        ..Default::default()
    };
    let found = refine_by_antichains(&spec, &model, Semantics::Failures, limits).unwrap();
    assert!(matches!(found, Inclusion::Unknown), "{found:?}");
}
