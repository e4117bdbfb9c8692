//! Suites with fewer tests.

use super::*;
use crate::tests::minimal;

#[test]
fn what_is_left_is_complete_and_needed() {
    let mut dropped = 0;
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let spec = minimal(&mut random, 5);
        let extra = random.between(0, 1);
        let tree = derived(&spec, METHODS[random.between(0, 2)], extra);
        let domain = match random.chance(70) {
            true => FaultDomain::States(spec.states() + extra),
            false => FaultDomain::reached(&spec, extra),
        };
        let reducing = Reducing::default();
        let reduced = reduce(&spec, &tree, &domain, &reducing).unwrap();
        assert!(reduced.is_finished, "seed {seed}");
        assert!(reduced.verdict.is_complete(), "seed {seed}");
        let (all, tests) = (tests_of(&tree), tests_of(&reduced.tree));
        assert!(tests.iter().all(|test| all.contains(test)), "seed {seed}");
        dropped += all.len() - tests.len();
        let again = searched(&spec, &reduced.tree, &domain, 1_000_000);
        assert!(again.is_complete(), "seed {seed}: {again:?}");
        // Each test is needed, as far as the search decides so.
        for test in 0..tests.len() {
            let mut fewer = tests.clone();
            fewer.remove(test);
            let fewer = suite(&spec, &fewer);
            let found = searched(&spec, &fewer, &domain, reducing.search_steps / 2);
            assert!(!found.is_complete(), "seed {seed}");
        }
    }
    assert!(dropped > 100, "{dropped}");
}

#[test]
fn what_is_not_complete_is_left() {
    let spec = machine_of(1, 2, &[&[(0, 1)], &[(1, 0)]]);
    let tests = words_of("aaa");
    let tree = suite(&spec, &tests);
    let domain = FaultDomain::States(3);
    let reduced = reduce(&spec, &tree, &domain, &Reducing::default()).unwrap();
    assert!(matches!(reduced.verdict, Completeness::Refuted(_)));
    assert_eq!(tests_of(&reduced.tree), tests);
}

/// When the steps are used up, the rest of the tests stays.
#[test]
fn a_reduction_is_bounded() {
    let mut random = Random::new(3);
    let spec = crate::tests::machine(&mut random, 9, 2, 2).minimized();
    let tree = derived(&spec, Method::W, 1);
    let domain = FaultDomain::States(spec.states() + 1);
    let mut reducing = Reducing::default();
    let whole = reduce(&spec, &tree, &domain, &reducing).unwrap();
    let mut sizes = vec![tree.size().tests];
    for steps in [2_000, 5_000, 20_000] {
        reducing.limits.steps = steps;
        let part = reduce(&spec, &tree, &domain, &reducing).unwrap();
        assert!(searched(&spec, &part.tree, &domain, 1_000_000).is_complete());
        sizes.push(part.tree.size().tests);
    }
    sizes.push(whole.tree.size().tests);
    assert!(whole.is_finished);
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    assert!(sizes[4] < sizes[0], "{sizes:?}");
}
