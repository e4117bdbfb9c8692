//! Suites up to symmetry against enumeration: of words, of groups, of machines.

use std::collections::BTreeSet;

use hyades_automorphism::FindOptions;
use hyades_formats::LabelTable;
use hyades_lts::tokens::TokenSyntax;
use hyades_testing::Random;

use super::canonical::Canonical;
use super::group::{Permutation, identity, then};
use super::*;
use crate::check::{FaultDomain, Limits, verdict};
use crate::identifiers::Word;
use crate::machine::{InputId, Machine, OutputId};
use crate::tests::equivalent;
use crate::{DeriveOptions, Method, NodeId, StatePartition, Suite, TestTree, UioSuite, derive};

fn table(texts: &[String]) -> LabelTable {
    let mut table = LabelTable::new();
    for text in texts {
        table.intern(text.as_bytes()).unwrap();
    }
    table
}

fn naming() -> Naming {
    Naming {
        syntax: TokenSyntax::default(),
        gates: true,
    }
}

fn permutation(pairs: &[(u32, u32)]) -> ValuePermutation {
    let value = |v: &u32| -> Box<[u8]> { v.to_string().into_bytes().into() };
    let pairs = pairs.iter().map(|(old, new)| (value(old), value(new)));
    ValuePermutation::closing(pairs).unwrap()
}

/// The image of a word under what a permutation makes of inputs.
fn image(word: &[InputId], inputs: &[u32]) -> Word {
    word.iter()
        .map(|x| InputId::new(inputs[x.index()]))
        .collect()
}

/// What all members of a group make of the inputs.
fn maps(symmetry: &Invariance, inputs: usize) -> Vec<Permutation> {
    let generators = symmetry.group.generators();
    let generators: Vec<Permutation> = generators
        .iter()
        .map(|g| symmetry.inputs.images(g))
        .collect();
    let mut all = BTreeSet::from([identity(inputs)]);
    let mut open = vec![identity(inputs)];
    while let Some(member) = open.pop() {
        for generator in &generators {
            let product = then(&member, generator);
            if all.insert(product.clone()) {
                open.push(product);
            }
        }
    }
    all.into_iter().collect()
}

#[test]
fn parts_of_permutations_are_closed() {
    let shown = |pairs: &[(u32, u32)]| permutation(pairs).to_string();
    assert_eq!(shown(&[(0, 1), (1, 2)]), "(0 1 2)");
    assert_eq!(shown(&[(0, 2)]), "(0 2)");
    assert_eq!(shown(&[(0, 0), (1, 2), (2, 1)]), "(1 2)");
    assert_eq!(shown(&[(0, 0)]), "()");
    let value = |v: &[u8]| -> Box<[u8]> { v.into() };
    let same = [(value(b"0"), value(b"2")), (value(b"1"), value(b"2"))];
    assert_eq!(ValuePermutation::closing(same), None);
}

/// A machine of one state that answers everything alike, so that it is invariant under
/// all permutations that rename its inputs.
fn indifferent(values: u32) -> Machine {
    let mut inputs = vec!["reset".to_string()];
    for a in 0..values {
        inputs.push(format!("join !{a}"));
        for b in (0..values).filter(|b| *b != a) {
            inputs.push(format!("send !{a} !{b}"));
        }
    }
    let mut machine = Machine::new(table(&inputs), table(&["ok".into()]), 1);
    let state = machine.initial();
    for input in machine.input_ids() {
        machine.set(state, input, OutputId::new(0), state);
    }
    machine
}

/// Groups of all kinds, of values 0, 1, ….
fn groups() -> Vec<(u32, Vec<ValuePermutation>)> {
    let rotation = |n: u32| permutation(&(0..n).map(|v| (v, (v + 1) % n)).collect::<Vec<_>>());
    vec![
        (2, vec![permutation(&[(0, 1)])]),
        (3, vec![rotation(3)]),
        (3, vec![permutation(&[(0, 1)]), permutation(&[(1, 2)])]),
        (4, vec![rotation(4)]),
        (4, vec![rotation(4), permutation(&[(0, 1)])]),
        (4, vec![permutation(&[(0, 1), (1, 0), (2, 3), (3, 2)])]),
        (4, vec![permutation(&[(0, 1)]), permutation(&[(2, 3)])]),
        // Even permutations.
        (
            4,
            vec![
                permutation(&[(0, 1), (1, 2)]),
                permutation(&[(1, 2), (2, 3)]),
            ],
        ),
    ]
}

#[test]
fn first_words_are_those_by_enumeration() {
    for (number, (values, generators)) in groups().into_iter().enumerate() {
        let machine = indifferent(values);
        let (symmetry, dropped) = Invariance::given(&machine, &generators, &naming()).unwrap();
        assert!(dropped.is_empty());
        let maps = maps(&symmetry, machine.inputs());
        assert_eq!(
            symmetry.order().to_u64(),
            Some(maps.len() as u64),
            "{number}"
        );
        let mut canonical = Canonical::new(&symmetry, machine.inputs());
        let mut random = Random::new(number as u64);
        let mut word: Word = Vec::new();
        for _ in 0..500 {
            // Begins as the word before does, as tests of a suite do.
            word.truncate(random.between(0, word.len()));
            for _ in 0..random.between(0, 4) {
                word.push(InputId::new(random.between(0, machine.inputs() - 1) as u32));
            }
            let least = maps.iter().map(|map| image(&word, map)).min().unwrap();
            assert_eq!(canonical.first(&word).unwrap(), least, "{number}: {word:?}");
        }
    }
}

/// As many orbits as there are, in the fewest nodes: what is expanded has all images and
/// nothing else, and no choice of one image of each test needs less.
#[test]
fn suites_have_one_test_of_each_orbit() {
    for (number, (values, generators)) in groups().into_iter().enumerate() {
        let machine = indifferent(values);
        let (symmetry, _) = Invariance::given(&machine, &generators, &naming()).unwrap();
        let maps = maps(&symmetry, machine.inputs());
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let mut tree = TestTree::new(&machine);
            let mut naive = TestTree::new(&machine);
            let mut images = TestTree::new(&machine);
            for _ in 0..random.between(1, 12) {
                let length = random.between(1, 4);
                let draw = |random: &mut Random| {
                    InputId::new(random.between(0, machine.inputs() - 1) as u32)
                };
                let word: Word = (0..length).map(|_| draw(&mut random)).collect();
                tree.insert(&machine, NodeId::ROOT, &word);
                let map = &maps[random.between(0, maps.len() - 1)];
                naive.insert(&machine, NodeId::ROOT, &image(&word, map));
                for map in &maps {
                    images.insert(&machine, NodeId::ROOT, &image(&word, map));
                }
            }
            let reduced =
                one_per_orbit(&machine, &Suite::Tree(tree), &symmetry, usize::MAX).unwrap();
            assert!(reduced.tree.len() <= naive.len(), "{number}, seed {seed}");
            assert!(reduced.tree.size().cost() <= naive.size().cost());
            let all = expanded(&machine, &reduced.tree, &symmetry, usize::MAX).unwrap();
            assert_eq!(words(&all), words(&images), "{number}, seed {seed}");
            let again = expanded(&machine, &naive, &symmetry, usize::MAX).unwrap();
            assert_eq!(words(&again), words(&images), "{number}, seed {seed}");
            let too_many = all.len() - 1;
            assert_eq!(
                expanded(&machine, &naive, &symmetry, too_many)
                    .err()
                    .unwrap(),
                OrbitError::Nodes(too_many)
            );
        }
    }
}

fn words(tree: &TestTree) -> BTreeSet<Word> {
    tree.nodes().map(|node| tree.word(node)).collect()
}

/// All machines with so many states, inputs `in` and outputs `out`, that are invariant
/// under a group, all states reached.
fn invariant_machines(
    states: usize,
    inputs: &[String],
    outputs: &[String],
    group: &[ValuePermutation],
) -> Vec<Machine> {
    let blank = Machine::new(table(inputs), table(outputs), states);
    let choices = (states * outputs.len()) as u64;
    let entries = (states * inputs.len()) as u32;
    let mut machines = Vec::new();
    for code in 0..choices.pow(entries) {
        let mut machine = blank.clone();
        let mut rest = code;
        for state in machine.state_ids() {
            for input in machine.input_ids() {
                let choice = (rest % choices) as usize;
                rest /= choices;
                let output = OutputId::new((choice % outputs.len()) as u32);
                let target = hyades_formats::StateId::from_index(choice / outputs.len());
                machine.set(state, input, output, target);
            }
        }
        if machine.unreachable().is_empty() {
            let (_, dropped) = Invariance::given(&machine, group, &naming()).unwrap();
            if dropped.is_empty() {
                machines.push(machine);
            }
        }
    }
    machines
}

fn passes(machine: &Machine, specification: &Machine, tests: &TestTree) -> bool {
    tests
        .nodes()
        .filter(|&node| tests.is_leaf(node))
        .all(|node| {
            let word = tests.word(node);
            let run = |machine: &Machine| machine.run(machine.initial(), &word).unwrap().0;
            run(machine) == run(specification)
        })
}

const COMPLETE: [Method; 11] = [
    Method::W,
    Method::Wp,
    Method::Hsi,
    Method::HsiSt,
    Method::H,
    Method::Spy,
    Method::Spyh,
    Method::Hads,
    Method::Ads,
    Method::Ds,
    Method::Uio(UioSuite::Verified),
];

/// For all invariant specifications of a few states, every method that is complete: no
/// invariant machine of the size that is claimed passes but equivalent ones; and the
/// suite with all images is complete for all machines.
#[test]
fn no_invariant_machine_survives() {
    let texts = |texts: &[&str]| -> Vec<String> { texts.iter().map(|t| t.to_string()).collect() };
    let swap = vec![permutation(&[(0, 1)])];
    let turn = vec![permutation(&[(0, 1), (1, 2), (2, 0)])];
    let all = vec![permutation(&[(0, 1)]), permutation(&[(1, 2)])];
    let tied = vec![permutation(&[(0, 1), (1, 0), (2, 3), (3, 2)])];
    // Inputs, outputs, the group, the states of the largest machine.
    let cases = [
        (texts(&["x !0", "x !1"]), texts(&["y !0", "y !1"]), &swap, 3),
        (texts(&["x !0", "x !1", "z"]), texts(&["n", "m"]), &swap, 2),
        (
            texts(&["x !0", "x !1", "x !2"]),
            texts(&["n", "m"]),
            &all,
            2,
        ),
        (
            texts(&["x !0", "x !1", "x !2"]),
            texts(&["y !0", "y !1", "y !2"]),
            &turn,
            2,
        ),
        (texts(&["x !0", "x !1"]), texts(&["y !2", "y !3"]), &tied, 3),
    ];
    let (mut suites, mut saved) = (0, 0);
    for (inputs, outputs, group, most) in cases {
        let machines: Vec<Vec<Machine>> = (1..=most)
            .map(|states| invariant_machines(states, &inputs, &outputs, group))
            .collect();
        assert!(machines[most - 1].len() > 4, "{inputs:?}");
        let specifications = machines.iter().flatten().filter(|machine| {
            let partition = StatePartition::new(machine);
            partition.len() == machine.states()
        });
        for specification in specifications {
            let specification = specification.minimized();
            let (symmetry, _) = Invariance::given(&specification, group, &naming()).unwrap();
            let extra = most - specification.states();
            for method in COMPLETE {
                let options = DeriveOptions {
                    extra,
                    ..DeriveOptions::default()
                };
                // Not all machines have what the last methods need.
                let Ok(derivation) = derive(&specification, method, &options) else {
                    continue;
                };
                if !derivation.without.is_empty() {
                    continue;
                }
                let mut full = TestTree::new(&specification);
                let _ = derivation.suite.each_test(&specification, |test| {
                    full.insert(&specification, NodeId::ROOT, test);
                    std::ops::ControlFlow::<()>::Continue(())
                });
                let most_nodes = options.most_nodes;
                let suite = up_to_symmetry(
                    &specification,
                    method,
                    &derivation.suite,
                    &symmetry,
                    most_nodes,
                )
                .unwrap();
                for machine in machines.iter().flatten() {
                    if passes(machine, &specification, &suite.tree) {
                        assert!(
                            equivalent(machine, &specification),
                            "{method:?}, k = {extra}"
                        );
                    }
                }
                let images = expanded(&specification, &suite.tree, &symmetry, 1 << 20).unwrap();
                let domain = FaultDomain::States(most);
                let found = verdict(&specification, &images, &domain, &Limits::default());
                assert!(found.unwrap().is_complete(), "{method:?}, k = {extra}");
                suites += 1;
                saved += usize::from(suite.tree.size().cost() < full.size().cost());
            }
        }
    }
    assert!(suites > 500 && saved > suites / 3, "{suites}, {saved}");
}

#[test]
fn groups_are_found_and_decided() {
    let texts = |texts: &[&str]| -> Vec<String> { texts.iter().map(|t| t.to_string()).collect() };
    let (inputs, outputs) = (texts(&["x !0", "x !1", "x !2"]), texts(&["n", "m"]));
    let mut orders = BTreeSet::new();
    for machine in invariant_machines(2, &inputs, &outputs, &[]) {
        let machine = machine.minimized();
        let found = Invariance::found(&machine, &FindOptions::default()).unwrap();
        let all: Vec<ValuePermutation> = [[0, 1], [0, 2], [1, 2]]
            .iter()
            .map(|&[a, b]| permutation(&[(a, b)]))
            .collect();
        let swaps = all.iter().filter(|&swap| {
            let (_, dropped) =
                Invariance::given(&machine, std::slice::from_ref(swap), &naming()).unwrap();
            dropped.is_empty()
        });
        // Of three values all permutations, one exchange, or rotations at most.
        let order = found.order().to_u64().unwrap();
        match swaps.count() {
            3 => assert_eq!(order, 6),
            1 => assert_eq!(order, 2),
            0 => assert!(order == 1 || order == 3),
            count => panic!("{count} exchanges"),
        }
        assert!(found.holds_for(&machine));
        orders.insert(order);
    }
    assert!(orders.is_superset(&BTreeSet::from([1, 2, 6])), "{orders:?}");
}

/// What is not invariant is shown by a shortest word.
#[test]
fn permutations_are_dropped_with_a_word() {
    let texts = |texts: &[&str]| -> Vec<String> { texts.iter().map(|t| t.to_string()).collect() };
    let inputs = texts(&["x !0", "x !1", "go"]);
    let mut machine = Machine::new(table(&inputs), table(&texts(&["n", "m"])), 2);
    let states: Vec<_> = machine.state_ids().collect();
    for &state in &states {
        for input in machine.input_ids() {
            machine.set(state, input, OutputId::new(0), state);
        }
    }
    let go = machine.find_input(b"go").unwrap();
    machine.set(states[0], go, OutputId::new(0), states[1]);
    let first = machine.find_input(b"x !0").unwrap();
    machine.set(states[1], first, OutputId::new(1), states[1]);
    let swap = permutation(&[(0, 1)]);
    let (symmetry, dropped) =
        Invariance::given(&machine, std::slice::from_ref(&swap), &naming()).unwrap();
    assert!(symmetry.order().is_one());
    assert_eq!(dropped, [(swap, vec![go, first])]);
    // There is no input for 2.
    let beyond = permutation(&[(0, 2)]);
    let (_, dropped) =
        Invariance::given(&machine, std::slice::from_ref(&beyond), &naming()).unwrap();
    assert_eq!(dropped, [(beyond, vec![])]);
}

#[test]
fn challenges_are_images_of_others() {
    let machine = indifferent(4);
    let generators = [
        permutation(&[(0, 1)]),
        permutation(&[(1, 2)]),
        permutation(&[(2, 3)]),
    ];
    let (symmetry, _) = Invariance::given(&machine, &generators, &naming()).unwrap();
    assert_eq!(symmetry.order().to_u64(), Some(24));
    let mut tree = TestTree::new(&machine);
    let input = |text: &str| machine.find_input(text.as_bytes()).unwrap();
    let word = [input("send !0 !1"), input("join !2")];
    tree.insert(&machine, NodeId::ROOT, &word);
    let suite = one_per_orbit(&machine, &Suite::Tree(tree), &symmetry, 100).unwrap();
    let drawn = |count, seed| {
        let mut suite = suite.clone();
        let added = suite.challenge(&machine, &symmetry, count, seed).unwrap();
        let size = suite.tree.size();
        assert_eq!(size.tests, added + 1);
        let images = expanded(&machine, &suite.tree, &symmetry, 1000).unwrap();
        // No test is of another orbit.
        assert_eq!(images.size().tests, 24);
        (added, words(&suite.tree))
    };
    assert_eq!(drawn(0, 1).0, 0);
    assert_eq!(drawn(5, 1).0, 5);
    assert_eq!(drawn(5, 1), drawn(5, 1));
    assert_ne!(drawn(5, 1), drawn(5, 2));
    // There are 23 others.
    let (added, _) = drawn(100, 3);
    assert!(added <= 23 && added > 15, "{added}");
}

/// All permutations of 30 values: 2.7e32.
#[test]
fn large_groups_are_not_enumerated() {
    let machine = indifferent(30);
    let generators: Vec<ValuePermutation> = (1..30).map(|v| permutation(&[(0, v)])).collect();
    let (symmetry, _) = Invariance::given(&machine, &generators, &naming()).unwrap();
    assert_eq!(
        symmetry.order().to_string(),
        "265252859812191058636308480000000"
    );
    let input = |text: &str| machine.find_input(text.as_bytes()).unwrap();
    let mut canonical = Canonical::new(&symmetry, machine.inputs());
    let word: Word = (0..30)
        .rev()
        .map(|v| input(&format!("join !{v}")))
        .collect();
    let first: Word = (0..30).map(|v| input(&format!("join !{v}"))).collect();
    assert_eq!(canonical.first(&word).unwrap(), first);
}
