//! Mutants, and machines made of steps.

use hyades_formats::{LtsBuilder, StateId};
use hyades_testing::Random;

use super::super::*;
use super::{machine, minimal, words};

/// Mutants against whole machines, word by word.
#[test]
fn mutants_are_killed_by_the_tests_that_tell_them_apart() {
    let mut fates = [0; 3];
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let machine = minimal(&mut random, 4);
        let inputs = machine.inputs();
        let mut tree = TestTree::new(&machine);
        let mut tests: Vec<Word> = Vec::new();
        for _ in 0..random.between(0, 6) {
            let length = random.between(0, 6);
            let input = |_| InputId::new(random.between(0, inputs - 1) as u32);
            let word: Word = (0..length).map(input).collect();
            tree.insert(&machine, NodeId::ROOT, &word);
            tests.push(word);
        }
        let killer = Killer::new(&machine, &tree);
        for kind in FaultKind::ALL {
            let all: Vec<Mutant> = mutants(&machine, kind).collect();
            let transitions = machine.states() * inputs;
            let others = machine.outputs() - 1;
            let expected = match kind {
                FaultKind::Output => others,
                FaultKind::Transfer => machine.states() - 1,
                FaultKind::Missing => 1,
                FaultKind::ExtraState => inputs * (others + machine.states()),
            };
            assert_eq!(all.len(), transitions * expected);
            for (mutant, fate) in all.iter().zip(killer.fates(&all)) {
                let faulty = mutant.machine(&machine).unwrap();
                let differs = |word: &Word| {
                    let text = |m: &Machine| -> Vec<Vec<u8>> {
                        let outputs = m.run(m.initial(), word).unwrap().0;
                        outputs.iter().map(|&o| m.output_text(o).to_vec()).collect()
                    };
                    text(&machine) != text(&faulty)
                };
                let killed = tests.iter().any(differs);
                assert_eq!(
                    fate == MutantVerdict::Killed,
                    killed,
                    "seed {seed}: {mutant:?}"
                );
                match &fate {
                    MutantVerdict::Killed => fates[0] += 1,
                    MutantVerdict::Equivalent => {
                        fates[1] += 1;
                        let length = if inputs == 1 { 9 } else { 5 };
                        assert!(!words(&machine, length).iter().any(differs), "seed {seed}");
                    }
                    MutantVerdict::Survives(word) => {
                        fates[2] += 1;
                        assert!(differs(word), "seed {seed}: {mutant:?}");
                        assert!(!differs(&word[..word.len() - 1].to_vec()), "seed {seed}");
                        // A shortest one, and the first of these.
                        if inputs.pow(word.len() as u32) < 1 << 10 {
                            let shorter = words(&machine, word.len() - 1);
                            assert!(!shorter.iter().any(differs), "seed {seed}");
                            let mut all = words(&machine, word.len());
                            all.sort();
                            assert_eq!(all.iter().find(|word| differs(word)), Some(word));
                        }
                    }
                }
            }
        }
    }
    assert!(fates.iter().all(|&count| count > 50), "{fates:?}");
}

/// The same for partial machines: what counts are the words that they have.
#[test]
fn mutants_of_partial_machines() {
    let (mut fates, mut missing) = ([0; 3], 0);
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let full = minimal(&mut random, 4);
        let (inputs, outputs) = (full.input_table(), full.output_table());
        let mut partial = Machine::new(inputs.clone(), outputs.clone(), full.states());
        for state in full.state_ids() {
            for input in full.input_ids().filter(|_| random.chance(70)) {
                let (output, target) = full.step(state, input).unwrap();
                partial.set(state, input, output, target);
            }
        }
        let partial = partial.reachable_part();
        missing += usize::from(!partial.is_complete());
        let mut tree = TestTree::new(&partial);
        for _ in 0..random.between(0, 6) {
            let length = random.between(0, 6);
            let input = |_| InputId::new(random.between(0, full.inputs() - 1) as u32);
            tree.insert(
                &partial,
                NodeId::ROOT,
                &(0..length).map(input).collect::<Word>(),
            );
        }
        let mut tests: Vec<Word> = Vec::new();
        let _ = tree.each_test(|test| {
            tests.push(test.to_vec());
            std::ops::ControlFlow::<()>::Continue(())
        });
        let length = if full.inputs() == 1 { 9 } else { 5 };
        let all_words: Vec<Word> = (0..=length).flat_map(|n| words(&partial, n)).collect();
        let killer = Killer::new(&partial, &tree);
        let transitions: usize = partial
            .state_ids()
            .map(|s| {
                partial
                    .input_ids()
                    .filter(|&i| partial.step(s, i).is_some())
                    .count()
            })
            .sum();
        for kind in FaultKind::ALL {
            let all: Vec<Mutant> = mutants(&partial, kind).collect();
            match kind {
                FaultKind::Output => assert_eq!(all.len(), transitions * (full.outputs() - 1)),
                FaultKind::Transfer => assert_eq!(all.len(), transitions * (partial.states() - 1)),
                FaultKind::Missing => assert_eq!(all.len(), transitions),
                FaultKind::ExtraState => {}
            }
            for (mutant, fate) in all.iter().zip(killer.fates(&all)) {
                let faulty = mutant.machine(&partial).unwrap();
                assert!(faulty.is_complete());
                let texts = |m: &Machine, word: &Word| -> Option<Vec<Vec<u8>>> {
                    let outputs = m.run(m.initial(), word)?.0;
                    Some(outputs.iter().map(|&o| m.output_text(o).to_vec()).collect())
                };
                let differs = |word: &Word| {
                    let expected = texts(&partial, word);
                    expected.is_some() && expected != texts(&faulty, word)
                };
                let killed = tests.iter().any(differs);
                assert_eq!(
                    fate == MutantVerdict::Killed,
                    killed,
                    "seed {seed}: {mutant:?}"
                );
                match &fate {
                    MutantVerdict::Killed => fates[0] += 1,
                    MutantVerdict::Equivalent => {
                        fates[1] += 1;
                        assert!(!all_words.iter().any(differs), "seed {seed}: {mutant:?}");
                    }
                    MutantVerdict::Survives(word) => {
                        fates[2] += 1;
                        assert!(differs(word), "seed {seed}: {mutant:?}");
                    }
                }
            }
        }
    }
    assert!(fates.iter().all(|&count| count > 50), "{fates:?}");
    assert!(missing > 80, "{missing}");
}

/// A machine whose transitions are made of two or three steps each is folded back.
#[test]
fn steps_are_folded() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let states = random.between(1, 6);
        let machine = machine(&mut random, states, 2, 3);
        let mut lts = LtsBuilder::new(states as u64);
        let mut between = states as u32;
        for state in machine.state_ids() {
            for input in machine.input_ids() {
                let (output, target) = machine.step(state, input).unwrap();
                let label = [b"?", machine.input_text(input)].concat();
                let mut texts = vec![[b"!", machine.output_text(output)].concat()];
                if random.chance(30) {
                    texts.push(b"!again".to_vec());
                }
                lts.add_text(state.get(), &label, between).unwrap();
                for (k, text) in texts.iter().enumerate() {
                    let last = k + 1 == texts.len();
                    let next = if last { target.get() } else { between + 1 };
                    lts.add_text(between, text, next).unwrap();
                    between += 1;
                }
            }
        }
        let lts = lts.build(StateId::new(0)).unwrap();
        let folded = Steps::Marks.fold(&lts).unwrap();
        assert_eq!(folded.states(), states - machine.unreachable().len());
        for word in words(&machine, 4) {
            let expected = machine.run(machine.initial(), &word).unwrap().0;
            let texts = expected.iter().map(|&o| machine.output_text(o));
            let word = word
                .iter()
                .map(|&i| folded.find_input(machine.input_text(i)).unwrap());
            let outputs = folded
                .run(folded.initial(), &word.collect::<Word>())
                .unwrap()
                .0;
            for (expected, output) in texts.zip(outputs) {
                let text = folded.output_text(output);
                assert_eq!(text.strip_suffix(b" again").unwrap_or(text), expected);
            }
        }
    }
}

#[test]
fn steps_that_are_no_machine() {
    let lts = |transitions: &[(u32, &str, u32)]| {
        let mut lts = LtsBuilder::new(1);
        for &(source, label, target) in transitions {
            lts.add_text(source, label.as_bytes(), target).unwrap();
        }
        lts.build(StateId::new(0)).unwrap()
    };
    let gates = Steps::Gates {
        inputs: vec![b"IN".to_vec()],
        outputs: vec![b"OUT".to_vec()],
    };
    let error = |transitions| gates.fold(&lts(transitions)).unwrap_err();
    let state = StateId::new;
    let other = Some(b"X".as_slice().into());
    assert_eq!(error(&[(0, "X", 0)]), StepsError::Label(state(0), other));
    assert_eq!(
        error(&[(0, "IN !1", 1), (0, "OUT", 0)]),
        StepsError::Mixed(state(0))
    );
    assert_eq!(error(&[(0, "OUT", 0)]), StepsError::OutputFirst(state(0)));
    let choice = [(0, "IN", 1), (1, "OUT !1", 0), (1, "OUT !2", 0)];
    assert_eq!(error(&choice), StepsError::Choice(state(1)));
    let endless = [(0, "IN", 1), (1, "OUT", 2), (2, "OUT", 1)];
    assert_eq!(error(&endless), StepsError::Endless(state(1)));
    let two = [(0, "IN", 1), (0, "IN", 0), (1, "OUT", 0)];
    assert!(matches!(
        error(&two),
        StepsError::Machine(MachineError::Nondeterministic { .. })
    ));
}
