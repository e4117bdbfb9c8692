//! The parts of methods against the definitions, on random machines.

mod bernhard;
mod complete;
mod faults;
mod ioco;
mod symmetric;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use hyades_formats::{LabelTable, StateId};
use hyades_testing::Random;

use super::*;

pub(super) fn table(prefix: &str, size: usize) -> LabelTable {
    let mut table = LabelTable::new();
    for k in 0..size {
        table.intern(format!("{prefix}{k}").as_bytes()).unwrap();
    }
    table
}

/// A random complete machine, not always minimal or connected.
pub(super) fn machine(
    random: &mut Random,
    states: usize,
    inputs: usize,
    outputs: usize,
) -> Machine {
    let mut machine = Machine::new(table("i", inputs), table("o", outputs), states);
    for state in machine.state_ids() {
        for input in machine.input_ids() {
            let output = OutputId::new(random.between(0, outputs - 1) as u32);
            let target = StateId::from_index(random.between(0, states - 1));
            machine.set(state, input, output, target);
        }
    }
    machine
}

/// The minimal machine of a random one.
pub(super) fn minimal(random: &mut Random, most: usize) -> Machine {
    let states = random.between(1, most);
    let (inputs, outputs) = (random.between(1, 3), random.between(1, 3));
    machine(random, states, inputs, outputs).minimized()
}

/// Whether two machines with the same numbers of inputs and outputs answer alike.
pub(super) fn equivalent(one: &Machine, other: &Machine) -> bool {
    let mut seen = BTreeSet::from([(one.initial(), other.initial())]);
    let mut open: Vec<_> = seen.iter().copied().collect();
    while let Some((a, b)) = open.pop() {
        for input in one.input_ids() {
            let (here, there) = (one.step(a, input).unwrap(), other.step(b, input).unwrap());
            if here.0 != there.0 {
                return false;
            }
            if seen.insert((here.1, there.1)) {
                open.push((here.1, there.1));
            }
        }
    }
    true
}

pub(super) fn words(machine: &Machine, length: usize) -> Vec<Word> {
    (0..length).fold(vec![Vec::new()], |words, _| {
        let longer = words.iter().flat_map(|word: &Word| {
            machine
                .input_ids()
                .map(|input| [&word[..], &[input]].concat())
        });
        longer.collect()
    })
}

fn differ(machine: &Machine, word: &[InputId], a: StateId, b: StateId) -> bool {
    machine.run(a, word).map(|run| run.0) != machine.run(b, word).map(|run| run.0)
}

#[test]
fn distances_are_those_of_the_shortest_words() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let states = random.between(1, 9);
        let (inputs, outputs) = (random.between(1, 2), random.between(1, 2));
        let machine = machine(&mut random, states, inputs, outputs);
        let partition = StatePartition::new(&machine);
        for a in machine.state_ids() {
            for b in machine.state_ids() {
                let shortest = (1..states).find(|&length| {
                    words(&machine, length)
                        .iter()
                        .any(|word| differ(&machine, word, a, b))
                });
                let distance = partition.distance(a, b).map(|d| d as usize);
                assert_eq!(distance, shortest, "seed {seed}: {a} {b}");
                assert_eq!(shortest.is_none(), partition.class(a) == partition.class(b));
                let separator = partition.separator(&machine, a, b);
                assert_eq!(
                    separator.as_ref().map(Vec::len),
                    shortest,
                    "seed {seed}: {a} {b}"
                );
                if let Some(word) = separator {
                    assert!(differ(&machine, &word, a, b), "seed {seed}: {a} {b}");
                }
            }
        }
    }
}

/// A chain is separated by as many lengths as it has states.
#[test]
fn chains_are_deep() {
    let states = 3000;
    let mut chain = Machine::new(table("i", 1), table("o", 2), states);
    for state in 0..states {
        let last = state + 1 == states;
        let target = if last { state } else { state + 1 };
        let (state, input) = (StateId::from_index(state), InputId::new(0));
        chain.set(
            state,
            input,
            OutputId::new(last.into()),
            StateId::from_index(target),
        );
    }
    let partition = StatePartition::new(&chain);
    assert_eq!(partition.len(), states);
    assert_eq!(partition.depth() as usize, states - 1);
    assert_eq!(
        partition.distance(StateId::new(0), StateId::new(1)),
        Some(2999)
    );
}

/// The words of a set, and their prefixes.
fn closed(words: impl IntoIterator<Item = Word>) -> BTreeSet<Word> {
    let prefixes = |word: Word| (0..=word.len()).map(move |k| word[..k].to_vec());
    words.into_iter().flat_map(prefixes).collect()
}

fn maximal(words: &BTreeSet<Word>) -> Vec<Word> {
    let is_prefix = |word: &Word| {
        words
            .iter()
            .any(|other| other.len() > word.len() && other.starts_with(word))
    };
    words
        .iter()
        .filter(|word| !is_prefix(word))
        .cloned()
        .collect()
}

#[test]
fn layered_suites_are_the_products_of_their_parts() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let machine = minimal(&mut random, 6);
        let cover = Cover::new(&machine);
        let layers = random.between(0, 2);
        let mut sets = WordSets::default();
        let mut expected = BTreeSet::new();
        let mut of_layers = Vec::new();
        let mut covered: BTreeSet<Word> =
            machine.state_ids().map(|state| cover.word(state)).collect();
        let mut known = BTreeSet::new();
        for layer in 0..=layers {
            let of_state: Vec<Vec<Word>> = machine
                .state_ids()
                .map(|_| {
                    let count = random.between(0, 3);
                    let mut word = || {
                        let length = random.between(0, 3);
                        let inputs = machine.inputs() - 1;
                        let input = |_| InputId::new(random.between(0, inputs) as u32);
                        (0..length).map(input).collect::<Word>()
                    };
                    (0..count).map(|_| word()).collect()
                })
                .collect();
            for word in &covered {
                let (_, state) = machine.run(machine.initial(), word).unwrap();
                expected.insert(word.clone());
                for suffix in &of_state[state.index()] {
                    expected.insert([&word[..], suffix].concat());
                }
            }
            known.extend(covered.iter().cloned());
            if layer < layers {
                let longer = covered.iter().flat_map(|word| {
                    machine
                        .input_ids()
                        .map(|input| [&word[..], &[input]].concat())
                });
                covered = longer.filter(|word| !known.contains(word)).collect();
            }
            of_layers.push(of_state.iter().map(|words| sets.of(words)).collect());
        }
        let layered = Layered::new(cover, sets, of_layers);
        let mut told = Vec::new();
        let _ = layered.each_test(&machine, |word| {
            told.push(word.to_vec());
            ControlFlow::<()>::Continue(())
        });
        let expected = maximal(&closed(expected));
        assert_eq!(told, expected, "seed {seed}");
        let symbols = expected.iter().map(|word| word.len() as u64).sum();
        let tests = expected.len() as u64;
        assert_eq!(layered.size(&machine), SuiteSize { tests, symbols });
        // The tree tells the same, in the same order.
        let tree = layered.tree(&machine);
        assert_eq!(tree.size(), SuiteSize { tests, symbols });
        let mut again = Vec::new();
        let _ = tree.each_test(|word| {
            again.push(word.to_vec());
            ControlFlow::<()>::Continue(())
        });
        assert_eq!(again, expected, "seed {seed}");
    }
}

#[test]
fn identifiers_separate() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let machine = minimal(&mut random, 8);
        let partition = StatePartition::new(&machine);
        assert_eq!(partition.len(), machine.states(), "seed {seed}");
        let set = characterization_set(&machine, &partition);
        let separates =
            |words: &[Word], a, b| words.iter().any(|word| differ(&machine, word, a, b));
        let all_pairs = |words: &[Word]| {
            let states = || machine.state_ids();
            states().all(|a| states().all(|b| a == b || separates(words, a, b)))
        };
        assert!(all_pairs(&set), "seed {seed}");
        for k in 0..set.len() {
            let mut fewer = set.clone();
            fewer.remove(k);
            assert!(!all_pairs(&fewer), "seed {seed}: word {k} is superfluous");
        }
        let smallest = smallest_characterization_set(&machine, &partition, u64::MAX).unwrap();
        assert!(all_pairs(&smallest), "seed {seed}");
        assert!(smallest.len() <= set.len(), "seed {seed}");
        let parts = partial_sets(&machine, &set);
        let separators = Separators::new(&machine);
        let harmonized = harmonized(&machine, &separators);
        let adaptive = adaptive_identifiers(&machine, &separators, random.between(1, 3));
        for a in machine.state_ids() {
            for b in machine.state_ids().filter(|&b| b != a) {
                assert!(separates(&parts[a.index()], a, b), "seed {seed}: {a} {b}");
                for identifiers in [&harmonized, &adaptive] {
                    let of = |s: StateId| closed(identifiers[s.index()].clone());
                    let common: Vec<Word> = of(a).intersection(&of(b)).cloned().collect();
                    assert!(separates(&common, a, b), "seed {seed}: {a} {b}");
                }
            }
        }
    }
}

/// Pairs of states by the lengths of the words that separate them, and then by number.
#[test]
fn pairs_of_states_in_order() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let (states, inputs) = (random.between(1, 24), random.between(1, 3));
        let outputs = random.between(1, 3);
        let full = machine(&mut random, states, inputs, outputs);
        let mut machine = Machine::new(table("i", inputs), table("o", outputs), states);
        let share = [100, 80][random.between(0, 1)];
        for state in full.state_ids() {
            for input in full.input_ids().filter(|_| random.chance(share)) {
                let (output, target) = full.step(state, input).unwrap();
                machine.set(state, input, output, target);
            }
        }
        let separators = Separators::new(&machine);
        let mut expected = Vec::new();
        for b in machine.state_ids() {
            for a in machine.state_ids().take_while(|&a| a < b) {
                let length = separators.distance(a, b);
                expected.extend(length.map(|length| (Reverse(length), a.get(), b.get())));
            }
        }
        expected.sort_unstable();
        let expected: Vec<(u32, u32)> = expected.iter().map(|&(_, a, b)| (a, b)).collect();
        let mut found = Vec::new();
        separators.each_pair(&machine, |a, b| found.push((a, b)));
        assert_eq!(found, expected, "seed {seed}");
    }
}

/// The word that separates most pairs of states which none before does, the shortest and
/// then the first of these, again and again; and without those that have become superfluous,
/// the last chosen first.
fn naively_covering(machine: &Machine, states: &[StateId], candidates: &[Word]) -> Vec<Word> {
    let mut open: Vec<(StateId, StateId)> = Vec::new();
    for (k, &a) in states.iter().enumerate() {
        open.extend(states[..k].iter().map(|&b| (a, b)));
    }
    let separates = |word: &Word, &(a, b): &(StateId, StateId)| differ(machine, word, a, b);
    open.retain(|pair| candidates.iter().any(|word| separates(word, pair)));
    let all = open.clone();
    let mut chosen: Vec<Word> = Vec::new();
    while !open.is_empty() {
        let gain = |word: &Word| open.iter().filter(|pair| separates(word, pair)).count();
        let best = candidates.iter().enumerate();
        let best = best.min_by_key(|(k, word)| (std::cmp::Reverse(gain(word)), word.len(), *k));
        let best = best.expect("some word separates what is open").1;
        open.retain(|pair| !separates(best, pair));
        chosen.push(best.clone());
    }
    for k in (0..chosen.len()).rev() {
        let mut fewer = chosen.clone();
        fewer.remove(k);
        if all
            .iter()
            .all(|pair| fewer.iter().any(|word| separates(word, pair)))
        {
            chosen = fewer;
        }
    }
    chosen
}

#[test]
fn words_cover_pairs_greedily() {
    let mut several = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let (states, inputs) = (random.between(2, 20), random.between(1, 4));
        let machine = machine(&mut random, states, inputs, 2).minimized();
        let mut candidates: Vec<Word> = (0..random.between(0, 12))
            .map(|_| {
                let input = |_| InputId::new(random.between(0, inputs - 1) as u32);
                let length = 1 + seed as usize % 3;
                (0..length).map(input).collect()
            })
            .collect();
        // Some that others begin by.
        let longer: Vec<Word> = candidates.iter().map(|word| word.repeat(2)).collect();
        candidates.extend(longer);
        if random.chance(50) {
            candidates.sort_unstable();
        }
        let all: Vec<StateId> = machine.state_ids().collect();
        let some: Vec<StateId> = all.iter().copied().filter(|_| random.chance(70)).collect();
        for states in [all, some] {
            let found = crate::identifiers::covering(&machine, &states, candidates.clone());
            let expected = naively_covering(&machine, &states, &candidates);
            several += usize::from(found.len() > 2);
            assert_eq!(found, expected, "seed {seed}");
        }
    }
    assert!(several > 25, "{several}");
}

fn told(suite: &Suite, machine: &Machine) -> Vec<Word> {
    let mut told = Vec::new();
    let _ = suite.each_test(machine, |word| {
        told.push(word.to_vec());
        ControlFlow::<()>::Continue(())
    });
    told
}

fn suite(machine: &Machine, method: Method, extra: usize) -> (Vec<Word>, Guarantee) {
    let options = DeriveOptions {
        extra,
        ..DeriveOptions::default()
    };
    let Derivation { suite, claim, .. } = derive(machine, method, &options).unwrap();
    (told(&suite, machine), claim)
}

/// With the machine itself as the kernel, the symmetric suite is Chow's.
#[test]
fn symmetric_suites_of_whole_machines_are_those_of_the_w_method() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let machine = minimal(&mut random, 7);
        let partition = StatePartition::new(&machine);
        let extra = random.between(0, 2);
        let (chow, _) = suite(&machine, Method::W, extra);
        let (symmetric, claim) = symmetric_suite(&machine, &partition, &machine, extra, 0).unwrap();
        assert_eq!(
            told(&Suite::Layered(symmetric), &machine),
            chow,
            "seed {seed}"
        );
        let classes = (machine.states() + extra) as u64;
        assert_eq!(
            claim,
            Guarantee::Kernel {
                classes,
                outside: 0
            }
        );
    }
}

#[test]
fn tours_take_all_transitions() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let states = random.between(1, 12);
        let mut machine = machine(&mut random, states, 2, 2);
        // A way of no return.
        if random.chance(50) {
            for input in machine.input_ids() {
                let last = StateId::from_index(states - 1);
                machine.set(last, input, OutputId::new(0), last);
            }
        }
        let mut taken = BTreeSet::new();
        for word in suite(&machine, Method::Tour, 0).0 {
            let mut state = machine.initial();
            for input in word {
                taken.insert((state, input));
                state = machine.step(state, input).unwrap().1;
            }
        }
        let reachable = states - machine.unreachable().len();
        assert_eq!(taken.len(), reachable * machine.inputs(), "seed {seed}");
    }
}

/// The smallest machine whose suite by Bernhard's methods is not complete.
#[test]
fn a_fault_that_bernhards_suites_do_not_find() {
    let cycle = |outputs: &[u32]| {
        let mut cycle = Machine::new(table("a", 1), table("", 2), outputs.len());
        for (k, &output) in outputs.iter().enumerate() {
            let next = StateId::from_index((k + 1) % outputs.len());
            cycle.set(
                StateId::from_index(k),
                InputId::new(0),
                OutputId::new(output),
                next,
            );
        }
        cycle
    };
    let (specification, faulty) = (cycle(&[0, 1]), cycle(&[0, 1, 0]));
    let outputs =
        |machine: &Machine, word: &[InputId]| machine.run(machine.initial(), word).unwrap().0;
    for which in [Bernhard::One, Bernhard::Two, Bernhard::Three] {
        let (tests, claim) = suite(&specification, Method::Bernhard(which), 1);
        assert_eq!(tests, [vec![InputId::new(0); 3]]);
        let asked = 3;
        assert_eq!(claim, Guarantee::LessThanAsked { complete: 2, asked });
        assert_eq!(
            outputs(&specification, &tests[0]),
            outputs(&faulty, &tests[0])
        );
    }
    let word = [InputId::new(0); 4];
    assert_ne!(outputs(&specification, &word), outputs(&faulty, &word));
    // What is left of the claim.
    let (tests, claim) = suite(&specification, Method::Bernhard(Bernhard::One), 0);
    assert_eq!((tests.len(), claim), (1, Guarantee::Complete(2)));
}

#[test]
fn random_tests_depend_on_the_seed_only() {
    let mut random = Random::new(1);
    let machine = minimal(&mut random, 6);
    let tests = |seed| {
        let options = DeriveOptions {
            tests: 50,
            seed,
            ..DeriveOptions::default()
        };
        told(
            &derive(&machine, Method::Random, &options).unwrap().suite,
            &machine,
        )
    };
    assert_eq!(tests(7).len(), 50);
    assert_eq!(tests(7), tests(7));
    assert_ne!(tests(7), tests(8));
}

/// Why a method has no suite for a machine of two states and two inputs, with these
/// transitions: state, input, output and target.
fn refused(
    method: Method,
    steps: &[(u32, u32, u32, u32)],
    extra: usize,
) -> Result<(), DeriveError> {
    let mut machine = Machine::new(table("i", 2), table("o", 2), 2);
    for &(source, input, output, target) in steps {
        let (source, target) = (StateId::new(source), StateId::new(target));
        machine.set(source, InputId::new(input), OutputId::new(output), target);
    }
    let options = DeriveOptions {
        extra,
        ..DeriveOptions::default()
    };
    derive(&machine, method, &options).map(|_| ())
}

#[test]
fn methods_refuse_machines_that_are_not_complete_if_they_need_that() {
    for method in Method::ALL {
        let result = refused(method, &[(0, 0, 0, 1), (1, 1, 0, 0)], 0);
        if method.needs_complete() {
            let missing = MethodError::Partial(StateId::new(0), InputId::new(1));
            assert_eq!(result, Err(DeriveError::Method(missing)), "{method}");
        }
    }
}

#[test]
fn methods_that_claim_completeness_refuse_machines_that_are_not_minimal() {
    let steps = [(0, 0, 0, 1), (0, 1, 0, 0), (1, 0, 0, 0), (1, 1, 0, 1)];
    for method in Method::ALL {
        let result = refused(method, &steps, 0);
        match method {
            Method::Tour | Method::Random | Method::Uio(_) => {
                assert_eq!(result, Ok(()), "{method}")
            }
            Method::Ds | Method::Ads => {
                let none = DeriveError::Sequence(NoSequence::None);
                assert_eq!(result, Err(none), "{method}");
            }
            _ => {
                let alike = MethodError::Alike(StateId::new(0), StateId::new(1));
                assert_eq!(result, Err(DeriveError::Method(alike)), "{method}");
            }
        }
    }
}

#[test]
fn methods_refuse_states_that_cannot_be_reached() {
    let steps = [(0, 0, 0, 0), (0, 1, 0, 0), (1, 0, 1, 0), (1, 1, 0, 1)];
    for method in Method::ALL {
        let result = refused(method, &steps, 0);
        if matches!(method, Method::Tour | Method::Random) {
            assert_eq!(result, Ok(()), "{method}");
            continue;
        }
        let unreachable = MethodError::Unreachable(StateId::new(1));
        assert_eq!(result, Err(DeriveError::Method(unreachable)), "{method}");
    }
}

#[test]
fn methods_refuse_more_extra_states_than_can_be_counted() {
    let steps = [(0, 0, 0, 1), (0, 1, 0, 0), (1, 0, 1, 0), (1, 1, 0, 1)];
    for method in Method::ALL {
        for extra in [10_001, usize::MAX] {
            let result = refused(method, &steps, extra);
            assert_eq!(result, Err(DeriveError::TooManyExtra(extra)), "{method}");
        }
    }
}

/// Numbers that a machine does not have are told, in whichever place, and change nothing.
#[test]
fn numbers_that_a_machine_does_not_have_are_told() {
    let whole = machine(&mut Random::new(1), 2, 2, 2);
    let told = |work: &mut dyn FnMut(&mut Machine)| {
        let mut changed = whole.clone();
        let work = std::panic::AssertUnwindSafe(|| work(&mut changed));
        let payload = std::panic::catch_unwind(work).expect_err("a panic");
        for state in whole.state_ids() {
            assert_eq!(
                changed.targets_of(state.get()),
                whole.targets_of(state.get())
            );
            assert_eq!(
                changed.answers_of(state.get()),
                whole.answers_of(state.get())
            );
        }
        *payload.downcast::<String>().expect("a text with numbers")
    };
    let all = [
        (9, 0, 0, 0, "state 9 of a machine of 2 states"),
        (0, 2, 0, 0, "input 2 of a machine of 2 inputs"),
        (0, 0, 5, 0, "output 5 of a machine of 2 outputs"),
        (0, 0, 0, 77, "state 77 of a machine of 2 states"),
    ];
    for (state, input, output, target, expected) in all {
        let (state, target) = (StateId::new(state), StateId::new(target));
        let (input, output) = (InputId::new(input), OutputId::new(output));
        let set = told(&mut |machine| machine.set(state, input, output, target));
        assert_eq!(set, expected);
        // Without a transition there, which would be another one.
        let empty = Machine::new(table("i", 2), table("o", 2), 2);
        let add = told(&mut |_| _ = empty.clone().add(state, input, output, target));
        assert_eq!(add, expected);
        if state.get() > 1 || input.get() > 1 {
            assert_eq!(told(&mut |m| _ = m.step(state, input)), expected);
            assert_eq!(told(&mut |m| _ = m.run(state, &[input])), expected);
        }
    }
    let nine = StateId::new(9);
    let started = told(&mut |machine| _ = machine.clone().starting_in(nine));
    assert_eq!(started, "state 9 of a machine of 2 states");
}

#[test]
#[should_panic = "a machine has a state that it starts in"]
fn a_machine_without_a_state_is_refused() {
    Machine::new(table("i", 1), table("o", 1), 0);
}
