//! Certificates of suites that are almost complete.

use rayon::prelude::*;

use super::*;
use crate::tests::minimal;
use crate::{DeriveOptions, Method, Suite, derive};

/// Drops a test, shortens one, or leaves an input of one out.
fn mutate(random: &mut Random, tests: &mut Vec<Word>) {
    if tests.is_empty() {
        return;
    }
    let place = random.between(0, tests.len() - 1);
    let test = &mut tests[place];
    match random.between(0, 2) {
        0 => drop(tests.remove(place)),
        1 => test.truncate(random.between(0, test.len())),
        _ if test.is_empty() => {}
        _ => drop(test.remove(random.between(0, test.len() - 1))),
    }
}

/// No certificate is given where the search, without what converges, finds a machine
/// that passes.
#[test]
fn no_certificate_of_a_mutated_suite_is_wrong() {
    for method in [Method::H, Method::Spy, Method::Spyh] {
        let one = |seed: u64| {
            let mut random = Random::new(seed);
            let spec = minimal(&mut random, 4);
            let extra = random.between(0, 1);
            let options = DeriveOptions {
                extra,
                ..DeriveOptions::default()
            };
            let Ok(derivation) = derive(&spec, method, &options) else {
                panic!("seed {seed}: {} has no suite", method.name());
            };
            let Suite::Tree(tree) = derivation.suite else {
                panic!("{} keeps its suite in memory", method.name());
            };
            let mut tests = tests_of(&tree);
            for _ in 0..random.between(1, 3) {
                mutate(&mut random, &mut tests);
            }
            let tree = suite(&spec, &tests);
            let domain = FaultDomain::States(spec.states() + extra);
            let limits = Limits::default();
            let found = certificate(&spec, &tree, &domain, &limits).unwrap();
            match searched(&spec, &tree, &domain, 1_000_000) {
                Completeness::Refuted(machine) => {
                    assert_refutes(&spec, &tests, &domain, &machine);
                    let name = method.name();
                    assert!(found.is_none(), "{name}, seed {seed}: {tests:?}");
                    [1, 0]
                }
                _ => [0, u32::from(found.is_some())],
            }
        };
        let sum = |a: [u32; 2], b: [u32; 2]| [a[0] + b[0], a[1] + b[1]];
        let counts = (0..3000).into_par_iter().map(one).reduce(|| [0; 2], sum);
        let name = method.name();
        assert!(
            counts.iter().all(|&count| count > 100),
            "{name}: {counts:?}"
        );
    }
}
