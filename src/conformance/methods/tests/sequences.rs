//! Distinguishing and unique sequences against their definitions.

use std::collections::{BTreeMap, BTreeSet};

use hyades_testing::Random;

use super::super::super::tests::{machine, words};
use super::super::super::{Cover, InputId, Layered, Machine, NoSequence, OutputId, Word};
use super::super::*;
use super::oracle::{Completeness, decide};

/// A minimal machine with few distinguishing sequences: most answers are the same.
fn uniform(random: &mut Random, most: usize) -> Machine {
    let states = random.between(2, most);
    let mut machine = machine(random, states, 2, 2);
    for state in machine.state_ids() {
        for input in machine.input_ids().filter(|_| random.chance(60)) {
            let (_, target) = machine.step(state, input).expect("it is complete");
            machine.set(state, input, OutputId::new(0), target);
        }
    }
    machine.minimized()
}

fn outputs(machine: &Machine, state: StateId, word: &[InputId]) -> Vec<u32> {
    let (outputs, _) = machine.run(state, word).expect("the machine is complete");
    outputs.iter().map(|output| output.get()).collect()
}

/// How many different answers states give to a word.
fn answers(machine: &Machine, word: &[InputId]) -> usize {
    let all = machine
        .state_ids()
        .map(|state| outputs(machine, state, word));
    all.collect::<BTreeSet<_>>().len()
}

/// Whether an adaptive experiment tells where it began, by definition: some input
/// merges none that it does not tell apart, and so on for what is left. States
/// from which a set is reached again are none of it.
fn adaptive(
    machine: &Machine,
    set: &[u32],
    path: &mut Vec<Vec<u32>>,
    known: &mut BTreeMap<Vec<u32>, bool>,
) -> bool {
    if set.len() < 2 {
        return true;
    }
    if let Some(&known) = known.get(set) {
        return known;
    }
    if path.contains(&set.to_vec()) {
        return false;
    }
    path.push(set.to_vec());
    let some = machine.input_ids().any(|input| {
        let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &state in set {
            let (output, target) = machine.step(StateId::new(state), input).expect("complete");
            parts.entry(output.get()).or_default().push(target.get());
        }
        parts.into_values().all(|mut part| {
            part.sort_unstable();
            let injective = part.windows(2).all(|pair| pair[0] != pair[1]);
            injective && adaptive(machine, &part, path, known)
        })
    });
    path.pop();
    // A failure may be due to the way here.
    if some || path.is_empty() {
        known.insert(set.to_vec(), some);
    }
    some
}

#[test]
fn adaptive_sequences_are_found_if_there_are_any() {
    let mut found = [0, 0];
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let machine = uniform(&mut random, 6);
        let all: Vec<u32> = machine.state_ids().map(StateId::get).collect();
        let expected = adaptive(&machine, &all, &mut Vec::new(), &mut BTreeMap::new());
        let sequence = adaptive_sequence(&machine);
        assert_eq!(sequence.is_ok(), expected, "seed {seed}");
        found[usize::from(expected)] += 1;
        let Ok(sequence) = sequence else {
            assert_eq!(sequence, Err(NoSequence::None));
            continue;
        };
        for a in machine.state_ids() {
            for b in machine.state_ids().filter(|&b| b != a) {
                let (of_a, of_b) = (&sequence[a.index()], &sequence[b.index()]);
                let common = of_a.iter().zip(of_b).take_while(|(x, y)| x == y).count();
                let differ =
                    outputs(&machine, a, &of_a[..common]) != outputs(&machine, b, &of_b[..common]);
                assert!(differ, "seed {seed}: {a} {b}");
            }
        }
        let words: Vec<_> = sequence.into_iter().map(|word| vec![word]).collect();
        let tree = Layered::identifying(Cover::new(&machine), &words, 2).tree(&machine);
        let verdict = decide(&machine, &tree, machine.states() + 1);
        assert!(
            !matches!(verdict, Completeness::Refuted(_)),
            "seed {seed}: {verdict:?}"
        );
    }
    assert!(found[0] > 50 && found[1] > 50, "{found:?}");
}

#[test]
fn preset_sequences_are_shortest() {
    let mut found = [0, 0];
    for seed in 0..800 {
        let mut random = Random::new(seed);
        let machine = uniform(&mut random, 5);
        let states = machine.states();
        let shortest = (0..7).find_map(|length| {
            let mut words = words(&machine, length).into_iter();
            words.find(|word| answers(&machine, word) == states)
        });
        match preset_sequence(&machine, 1 << 16) {
            Ok(word) => {
                assert_eq!(answers(&machine, &word), states, "seed {seed}");
                assert!(
                    word.len() >= 7 || Some(word.len()) == shortest.map(|w| w.len()),
                    "seed {seed}"
                );
                found[1] += 1;
            }
            Err(error) => {
                assert_eq!((error, shortest), (NoSequence::None, None), "seed {seed}");
                found[0] += 1;
            }
        }
    }
    assert!(found[0] > 50 && found[1] > 50, "{found:?}");
}

#[test]
fn unique_sequences_are_shortest_and_verified_suites_complete() {
    let (mut none, mut refuted) = (0, 0);
    for seed in 0..800 {
        let mut random = Random::new(seed);
        let machine = uniform(&mut random, 4);
        let mut sequences = Vec::new();
        for state in machine.state_ids() {
            let unique = |word: &Word| {
                let others = machine.state_ids().filter(|&other| other != state);
                let own = outputs(&machine, state, word);
                others
                    .into_iter()
                    .all(|other| outputs(&machine, other, word) != own)
            };
            let shortest = (0..7).find(|&length| words(&machine, length).iter().any(unique));
            let sequence = unique_sequence(&machine, state, 1 << 16);
            match &sequence {
                Ok(word) => {
                    assert!(unique(word), "seed {seed}: {state}");
                    assert!(
                        word.len() >= 7 || Some(word.len()) == shortest,
                        "seed {seed}: {state}"
                    );
                }
                Err(NoSequence::None) => {
                    assert_eq!(shortest, None, "seed {seed}: {state}");
                    none += 1;
                }
                Err(NoSequence::Unknown(_)) => panic!("seed {seed}: {state}"),
            }
            sequences.push(sequence.ok());
        }
        if sequences.contains(&None) {
            continue;
        }
        for extra in 0..2 {
            let most = machine.states() + extra;
            let tree = uio_suite(&machine, &sequences, UioSuite::Verified, extra).tree(&machine);
            let verdict = decide(&machine, &tree, most);
            assert!(
                !matches!(verdict, Completeness::Refuted(_)),
                "seed {seed}: {verdict:?}"
            );
            let tree = uio_suite(&machine, &sequences, UioSuite::Plain, extra).tree(&machine);
            refuted += usize::from(matches!(
                decide(&machine, &tree, most),
                Completeness::Refuted(_)
            ));
        }
    }
    assert!(none > 30, "{none}");
    // The plain suite is not complete.
    assert!(refuted > 0);
}

#[test]
fn searches_end_where_they_are_told() {
    // A ring, one state of which answers differently to an input that stays.
    let mut ring = machine(&mut Random::new(0), 8, 2, 2);
    for state in ring.state_ids() {
        let next = StateId::new((state.get() + 1) % 8);
        ring.set(state, InputId::new(0), OutputId::new(0), next);
        let output = OutputId::new(u32::from(state.get() == 0));
        ring.set(state, InputId::new(1), output, state);
    }
    assert_eq!(preset_sequence(&ring, 1), Err(NoSequence::Unknown(1)));
    let word = preset_sequence(&ring, 1 << 16).expect("there is one");
    assert_eq!(answers(&ring, &word), 8);
    let one = StateId::new(1);
    assert_eq!(unique_sequence(&ring, one, 1), Err(NoSequence::Unknown(1)));
    assert_eq!(unique_sequence(&ring, one, 1 << 16).map(|w| w.len()), Ok(8));
}
