//! Verdicts against naive twins, on traps and on random machines.

mod mutated;
mod naive;
mod random;
mod reduced;
mod traps;

use hyades_formats::StateId;
use hyades_testing::Random;

use super::*;
use crate::tests::table;
use crate::{DeriveOptions, Method, OutputId, Suite, derive};

/// The tree of a suite.
fn suite(machine: &Machine, tests: &[Word]) -> TestTree {
    let mut tree = TestTree::new(machine);
    for test in tests {
        tree.insert(machine, NodeId::ROOT, test);
    }
    tree
}

/// A machine of lines like `0 a0 1`, input by input for each state: outputs and
/// targets.
fn machine_of(inputs: usize, outputs: usize, rows: &[&[(u32, u32)]]) -> Machine {
    let mut machine = Machine::new(table("i", inputs), table("o", outputs), rows.len());
    for (state, row) in rows.iter().enumerate() {
        for (input, &(output, target)) in row.iter().enumerate() {
            machine.set(
                StateId::from_index(state),
                InputId::new(input as u32),
                OutputId::new(output),
                StateId::new(target),
            );
        }
    }
    machine
}

/// Words of letters `a`, `b`, … for inputs 0, 1, …
fn words_of(text: &str) -> Vec<Word> {
    let input = |letter: u8| InputId::new(u32::from(letter - b'a'));
    text.split(' ')
        .map(|word| word.bytes().map(input).collect())
        .collect()
}

/// The methods whose suites are complete, and are certified.
const METHODS: [Method; 3] = [Method::W, Method::Wp, Method::Hsi];

/// The suite of one of these methods for so many extra states.
fn derived(machine: &Machine, method: Method, extra: usize) -> TestTree {
    let options = DeriveOptions {
        extra,
        ..DeriveOptions::default()
    };
    match derive(machine, method, &options).map(|derivation| derivation.suite) {
        Ok(Suite::Layered(suite)) => suite.tree(machine),
        Ok(Suite::Tree(tree)) => tree,
        _ => panic!("{method:?} gives no suite"),
    }
}

/// The tests of a suite.
fn tests_of(tree: &TestTree) -> Vec<Word> {
    let mut tests = Vec::new();
    let _ = tree.each_test(|test| {
        tests.push(test.to_vec());
        std::ops::ControlFlow::<()>::Continue(())
    });
    tests
}

/// Some random words.
fn random_tests(random: &mut Random, inputs: usize, most: usize, longest: usize) -> Vec<Word> {
    let count = random.between(0, most);
    let mut word = |_| {
        let length = random.between(0, longest);
        let mut input = |_| InputId::new(random.between(0, inputs - 1) as u32);
        (0..length).map(&mut input).collect()
    };
    (0..count).map(&mut word).collect()
}

/// The verdict by search alone, without what converges.
fn searched(machine: &Machine, tree: &TestTree, domain: &FaultDomain, steps: u64) -> Completeness {
    let limits = Limits {
        steps,
        ..Limits::default()
    };
    let means = Means {
        convergence: false,
        ..Means::SEARCH
    };
    let mut check = Check::of_valid(machine, tree, domain, &limits, means);
    check.run().unwrap()
}

/// That a refutation is one.
fn assert_refutes(machine: &Machine, tests: &[Word], domain: &FaultDomain, refuted: &Refutation) {
    let Refutation {
        machine: other,
        word,
    } = refuted;
    let answers = |machine: &Machine, word: &Word| {
        let (outputs, _) = machine.run(machine.initial(), word).unwrap();
        let text = |output| machine.output_text(output).to_vec();
        outputs.into_iter().map(text).collect::<Vec<_>>()
    };
    assert!(other.is_complete());
    assert_eq!(StatePartition::new(other).len(), other.states());
    for test in tests {
        assert_eq!(answers(machine, test), answers(other, test), "{test:?}");
    }
    assert_ne!(answers(machine, word), answers(other, word), "{word:?}");
    // No shorter word, and none that comes before.
    for shorter in 0..word.len() {
        for word in naive::all_words(machine.inputs(), shorter) {
            assert_eq!(answers(machine, &word), answers(other, &word), "{word:?}");
        }
    }
    assert!(naive::is_in_domain(other, domain), "{other:?}");
}
