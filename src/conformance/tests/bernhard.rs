//! Bernhard's suites against the exact decision.

use hyades_formats::StateId;
use hyades_testing::Random;

use super::super::check::{Completeness, FaultDomain, Limits, decide};
use super::super::*;
use super::{minimal, table};

const ALL: [Bernhard; 3] = [Bernhard::One, Bernhard::Two, Bernhard::Three];

fn decided(machine: &Machine, suite: &Suite, states: u64) -> Completeness {
    let mut tree = TestTree::new(machine);
    let _ = suite.each_test(machine, |test| {
        tree.insert(machine, NodeId::ROOT, test);
        std::ops::ControlFlow::<()>::Continue(())
    });
    let domain = FaultDomain::States(states as usize);
    decide(machine, &tree, &domain, &Limits::default()).unwrap()
}

fn derived(machine: &Machine, which: Bernhard, extra: usize) -> Derivation {
    let options = DeriveOptions {
        extra,
        ..DeriveOptions::default()
    };
    derive(machine, Method::Bernhard(which), &options).unwrap()
}

/// All complete machines of two states and two outputs that are minimal and
/// strongly connected.
fn machines_of_two_states(inputs: usize) -> Vec<Machine> {
    let bits = 2 * inputs;
    let all = (0..1u32 << (2 * bits)).map(|code| {
        let mut machine = Machine::new(table("i", inputs), table("o", 2), 2);
        for k in 0..bits {
            let (state, input) = (
                StateId::from_index(k / inputs),
                InputId::new((k % inputs) as u32),
            );
            let (output, target) = (code >> (2 * k) & 1, code >> (2 * k + 1) & 1);
            machine.set(state, input, OutputId::new(output), StateId::new(target));
        }
        machine
    });
    all.filter(|machine| {
        let from = |state| {
            machine
                .clone()
                .starting_in(StateId::new(state))
                .unreachable()
        };
        StatePartition::new(machine).len() == 2 && from(0).is_empty() && from(1).is_empty()
    })
    .collect()
}

/// What the paper claims holds for m = n, and for no machine of two states beyond:
/// each suite is passed by a machine with one state more, or two, that is not
/// equivalent.
#[test]
fn the_claim_holds_for_no_extra_states_only() {
    for (inputs, count) in [(1, 2), (2, 108)] {
        let machines = machines_of_two_states(inputs);
        assert_eq!(machines.len(), count);
        for machine in machines {
            for which in ALL {
                let same = derived(&machine, which, 0);
                assert_eq!(same.claim, Guarantee::Complete(2));
                assert!(decided(&machine, &same.suite, 2).is_complete());
                for extra in 1..=2u64 {
                    let more = derived(&machine, which, extra as usize);
                    let verdict = decided(&machine, &more.suite, 2 + extra);
                    let Completeness::Refuted(refutation) = verdict else {
                        panic!("{which:?} with {extra}: {verdict:?}");
                    };
                    assert!(refutation.machine.states() as u64 <= 2 + extra);
                }
            }
        }
    }
}

/// What is claimed here is true, and nothing that could be said besides is missing
/// for want of care: what is claimed with one state more is often false.
#[test]
fn what_is_claimed_here_is_true() {
    let (mut less, mut refuted) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let machine = minimal(&mut random, 4);
        let extra = random.between(0, 2);
        for which in ALL {
            let Derivation { suite, claim, .. } = derived(&machine, which, extra);
            let (complete, asked) = match claim {
                Guarantee::Complete(states) => (states, None),
                Guarantee::LessThanAsked { complete, asked } => (complete, Some(asked)),
                other => panic!("{other}"),
            };
            match decided(&machine, &suite, complete) {
                Completeness::Refuted(refutation) => {
                    panic!("seed {seed}: {which:?} with {extra}: {:?}", refutation.word)
                }
                Completeness::Unknown(_) => {}
                Completeness::Certified(_) | Completeness::Complete => {}
            }
            if let Some(asked) = asked {
                less += 1;
                let verdict = decided(&machine, &suite, asked);
                refuted += usize::from(matches!(verdict, Completeness::Refuted(_)));
            }
        }
    }
    assert!(less > 1000, "{less}");
    assert!(2 * refuted > less, "{refuted} of {less}");
}
