//! Every method that claims something, against the exact decision.

use hyades_testing::Random;
use rayon::prelude::*;

use super::super::check::{Completeness, FaultDomain, Limits, decide};
use super::super::*;
use super::{machine, minimal};

const LIMITS: Limits = Limits {
    steps: 300_000,
    bytes: 1 << 30,
};

/// A suite in memory.
fn tree(machine: &Machine, suite: &Suite) -> TestTree {
    let mut tree = TestTree::new(machine);
    let _ = suite.each_test(machine, |test| {
        tree.insert(machine, NodeId::ROOT, test);
        std::ops::ControlFlow::<()>::Continue(())
    });
    tree
}

/// What a method's suite claims to be complete for, and whether it is.
fn judged(machine: &Machine, method: Method, extra: usize) -> Option<(u64, Completeness)> {
    let options = DeriveOptions {
        extra,
        ..DeriveOptions::default()
    };
    let Derivation { suite, claim, .. } = match derive(machine, method, &options) {
        // Not all machines have such sequences.
        Err(_) if matches!(method, Method::Ds | Method::Ads) => return None,
        derived => derived.expect("a suite"),
    };
    let states = match claim {
        Guarantee::Complete(states) => states,
        Guarantee::LessThanAsked { complete, .. } => complete,
        Guarantee::Nothing if matches!(method, Method::Uio(_)) => return None,
        other => panic!("{}: {other}", method.name()),
    };
    let domain = FaultDomain::States(states as usize);
    let verdict = decide(machine, &tree(machine, &suite), &domain, &LIMITS);
    Some((states, verdict.expect("the machine is minimal")))
}

#[test]
fn complete_methods_are_complete() {
    let claims = |method: &&Method| !matches!(method, Method::Tour | Method::Random);
    Method::ALL.par_iter().filter(claims).for_each(|&method| {
        let one = |seed: u64| {
            let mut random = Random::new(seed);
            let machine = minimal(&mut random, 4);
            // Two states more where that does not take long.
            let most = if machine.inputs() * machine.states() < 5 {
                2
            } else {
                1
            };
            let (mut decided, mut open) = (0, 0);
            for extra in 0..=most {
                match judged(&machine, method, extra) {
                    Some((_, Completeness::Refuted(refutation))) => panic!(
                        "{} with {extra}, seed {seed}: {:?}",
                        method.name(),
                        refutation.word
                    ),
                    Some((_, Completeness::Unknown(_))) => open += 1,
                    Some(_) => decided += 1,
                    None => {}
                }
            }
            (decided, open)
        };
        let sum = |a: (u32, u32), b: (u32, u32)| (a.0 + b.0, a.1 + b.1);
        let (decided, open) = (0..MACHINES)
            .into_par_iter()
            .map(one)
            .reduce(|| (0, 0), sum);
        let name = method.name();
        // Of uio suites nothing is claimed.
        let least = if name == "uio" { 0 } else { MACHINES as u32 };
        assert!(decided >= least, "{name}: {decided}");
        assert!(open * 50 <= decided, "{name}: {open} beside {decided}");
    });
}

/// Suites for one state less than is asked for are told from complete ones.
#[test]
fn suites_for_fewer_states_are_refuted() {
    for method in [
        Method::W,
        Method::HsiSt,
        Method::H,
        Method::Spy,
        Method::Spyh,
        Method::Hads,
    ] {
        let refuted = |seed: u64| {
            let mut random = Random::new(seed);
            let spec = machine(&mut random, 3, 2, 2).minimized();
            let options = DeriveOptions::default();
            let suite = derive(&spec, method, &options).expect("a suite").suite;
            let domain = FaultDomain::States(spec.states() + 1);
            let verdict = decide(&spec, &tree(&spec, &suite), &domain, &LIMITS);
            matches!(verdict, Ok(Completeness::Refuted(_)))
        };
        let count = (0..100)
            .into_par_iter()
            .filter(|&seed| refuted(seed))
            .count();
        assert!(count > 80, "{}: {count}", method.name());
    }
}

const MACHINES: u64 = 2000;
