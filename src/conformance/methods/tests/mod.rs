//! Suites against all machines that pass them.

use std::ops::ControlFlow;

use hyades_formats::StateId;
use hyades_testing::Random;

use super::super::check::{self, FaultDomain, Limits};
use super::super::machine::Machine;
use super::super::tests::{machine, minimal, words};
use super::super::tree::TestTree;
use super::super::{InputId, NodeId, OutputId, adaptive_identifiers, harmonized};
use super::identify::is_large;
use super::*;

mod oracle;
mod search;
mod sequences;

use oracle::{Completeness, decide};

type Derive = fn(&Machine, &Separators, usize) -> TestTree;

const METHODS: [(&str, Derive); 4] = [
    ("h", |machine, separators, extra| {
        h(machine, separators, extra, 1 << 20).expect("a suite")
    }),
    ("spy", |machine, separators, extra| {
        let identifiers = harmonized(machine, separators);
        spy(machine, separators, &identifiers, extra, 1 << 20).expect("a suite")
    }),
    ("spyh", |machine, separators, extra| {
        spyh(machine, separators, extra, 1 << 20).expect("a suite")
    }),
    ("hads", |machine, separators, extra| {
        let suite = hads(machine, separators, extra).expect("a suite");
        suite.tree(machine)
    }),
];

/// A partial machine whose states are reachable and pairwise separated, as made
/// by leaving out transitions.
fn partial(random: &mut Random) -> Option<Machine> {
    let full = minimal(random, 5);
    let (inputs, outputs) = (full.input_table(), full.output_table());
    let mut partial = Machine::new(inputs.clone(), outputs.clone(), full.states());
    for state in full.state_ids() {
        for input in full.input_ids() {
            if random.chance(80) {
                let (output, target) = full.step(state, input)?;
                partial.set(state, input, output, target);
            }
        }
    }
    let fits =
        partial.unreachable().is_empty() && Separators::new(&partial).alike(&partial).is_none();
    fits.then_some(partial)
}

#[test]
fn the_oracle_knows_complete_suites_from_others() {
    // A machine of one input that answers 0 1 0 1 …
    let mut random = Random::new(0);
    let mut spec = machine(&mut random, 2, 1, 2);
    let (zero, one) = (StateId::new(0), StateId::new(1));
    spec.set(zero, InputId::new(0), OutputId::new(0), one);
    spec.set(one, InputId::new(0), OutputId::new(1), zero);
    let mut tree = TestTree::new(&spec);
    let word = |length| vec![InputId::new(0); length];
    tree.insert(&spec, NodeId::ROOT, &word(3));
    assert_eq!(decide(&spec, &tree, 2), Completeness::Complete);
    // Bernhard's lemma: three states that answer 0 1 0 0 1 0 …
    assert_eq!(
        decide(&spec, &tree, 3),
        Completeness::Refuted(vec![1, 2, 0])
    );
    tree.insert(&spec, NodeId::ROOT, &word(4));
    assert_eq!(decide(&spec, &tree, 3), Completeness::Complete);
}

#[test]
fn complete_methods_are_complete() {
    let mut decided = 0;
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let machine = minimal(&mut random, 5);
        let separators = Separators::new(&machine);
        for extra in 0..3 {
            for (name, derive) in METHODS {
                let tree = derive(&machine, &separators, extra);
                let verdict = decide(&machine, &tree, machine.states() + extra);
                assert!(
                    !matches!(verdict, Completeness::Refuted(_)),
                    "{name} with {extra}, seed {seed}: {verdict:?}"
                );
                decided += usize::from(verdict == Completeness::Complete);
            }
        }
    }
    assert!(decided > 2000, "{decided}");
}

/// Machines for which suites were not complete where states of the cover counted as
/// separated by words of which they do not have enough: a few of 100000 random ones.
#[test]
fn states_of_the_cover_have_the_words_that_separate_them() {
    for seed in [60206, 62201, 62235, 133_816, 136_081] {
        let mut random = Random::new(seed);
        let states = random.between(6, 16);
        let (inputs, outputs) = (random.between(2, 4), random.between(2, 3));
        let machine = machine(&mut random, states, inputs, outputs).minimized();
        let tree = h(&machine, &Separators::new(&machine), 0, 1 << 20).expect("a suite");
        let domain = FaultDomain::States(machine.states());
        let verdict = check::verdict(&machine, &tree, &domain, &Limits::default());
        let verdict = verdict.expect("the machine is minimal");
        assert!(verdict.is_complete(), "seed {seed}");
    }
}

/// Of machines for which two suites are derived side by side, and words are searched by all
/// threads.
#[test]
fn suites_are_the_same_for_all_numbers_of_threads() {
    let words = |tree: &TestTree| {
        let mut tests = Vec::new();
        let _ = tree.each_test(|test| {
            tests.push(test.to_vec());
            ControlFlow::<()>::Continue(())
        });
        tests
    };
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let (inputs, outputs) = (random.between(3, 8), random.between(2, 3));
        let machine = machine(&mut random, 70, inputs, outputs).minimized();
        assert!(
            machine.states().pow(2) * inputs > 1 << 13,
            "too small for threads"
        );
        let separators = Separators::new(&machine);
        let suites = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().expect("threads").install(|| {
                let suites = [
                    h(&machine, &separators, 0, 1 << 20),
                    h(&machine, &separators, 1, 1 << 20),
                    spyh(&machine, &separators, 0, 1 << 20),
                    // Too large with and without words that are given.
                    h(&machine, &separators, 1, 1000),
                ];
                suites.map(|suite| suite.map(|tree| words(&tree)))
            })
        });
        assert!(suites[0][..3].iter().all(Result::is_ok), "seed {seed}");
        assert!(
            suites[0] == suites[1] && suites[0] == suites[2],
            "seed {seed}"
        );
    }
}

#[test]
fn partial_machines_have_complete_suites() {
    let (mut decided, mut partials) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let Some(machine) = partial(&mut random) else {
            continue;
        };
        partials += usize::from(!machine.is_complete());
        let separators = Separators::new(&machine);
        for extra in 0..2 {
            let tree = h(&machine, &separators, extra, 1 << 20).expect("a suite");
            let verdict = decide(&machine, &tree, machine.states() + extra);
            assert!(
                !matches!(verdict, Completeness::Refuted(_)),
                "{extra}, seed {seed}: {verdict:?}"
            );
            decided += usize::from(verdict == Completeness::Complete);
        }
    }
    assert!(decided > 500 && partials > 250, "{decided} {partials}");
}

#[test]
fn machines_that_methods_do_not_know_are_named() {
    let mut random = Random::new(0);
    let full = machine(&mut random, 3, 1, 2);
    let (zero, one, two) = (StateId::new(0), StateId::new(1), StateId::new(2));
    let input = InputId::new(0);
    let line = |last: u32| {
        let mut line = full.clone();
        for (from, to) in [(zero, one), (one, two), (two, two)] {
            line.set(
                from,
                input,
                OutputId::new(if from == two { last } else { 0 }),
                to,
            );
        }
        line
    };
    let alike = line(0);
    let separators = Separators::new(&alike);
    let expected = MethodError::Alike(zero, one);
    assert_eq!(h(&alike, &separators, 0, 99).err(), Some(expected.clone()));
    assert_eq!(
        spyh(&alike, &separators, 0, 99).err(),
        Some(expected.clone())
    );
    assert_eq!(hads(&alike, &separators, 0).err(), Some(expected));
    let spec = line(1);
    let separators = Separators::new(&spec);
    let far = spec.clone().starting_in(one);
    assert_eq!(
        h(&far, &separators, 0, 99).err(),
        Some(MethodError::Unreachable(zero))
    );
    for most in 0..20 {
        let tree = h(&spec, &separators, 3, most);
        let large = tree.as_ref().map_or(true, |tree| tree.len() > most);
        assert_eq!(large, tree.is_err(), "{most}");
        let tree = spyh(&spec, &separators, 3, most);
        let large = tree.as_ref().map_or(true, |tree| tree.len() > most);
        assert_eq!(large, tree.is_err(), "{most}");
    }
    let (inputs, outputs) = (spec.input_table(), spec.output_table());
    let mut lacking = Machine::new(inputs.clone(), outputs.clone(), 2);
    lacking.set(zero, input, OutputId::new(0), one);
    let separators = Separators::new(&lacking);
    assert_eq!(separators.distance(zero, one), None);
    let expected = MethodError::Partial(one, input);
    assert_eq!(
        spyh(&lacking, &separators, 0, 99).err(),
        Some(expected.clone())
    );
    assert_eq!(hads(&lacking, &separators, 0).err(), Some(expected));
}

/// What would fill all memory is refused before any of it is built.
#[test]
fn suites_that_cannot_fit_are_refused_at_once() {
    let machine = (0..)
        .map(|seed| minimal(&mut Random::new(seed), 5))
        .find(|machine| machine.inputs() > 1 && machine.states() > 1)
        .expect("most are so");
    let separators = Separators::new(&machine);
    let most = 1 << 40;
    assert_eq!(
        h(&machine, &separators, 1000, most).err(),
        Some(MethodError::TooLarge(most))
    );
    assert_eq!(
        spyh(&machine, &separators, 1000, most).err(),
        Some(MethodError::TooLarge(most))
    );
    // Nothing is refused that fits.
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let Some(machine) = partial(&mut random) else {
            continue;
        };
        let separators = Separators::new(&machine);
        for extra in 0..3 {
            let tree = h(&machine, &separators, extra, 1 << 20).expect("a suite");
            let again = h(&machine, &separators, extra, tree.len());
            assert_eq!(again.map(|tree| tree.len()), Ok(tree.len()));
        }
    }
}

/// Lengths, and words that have them, for pairs of states of partial machines.
#[test]
fn separators_of_partial_machines_are_shortest() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut machine = machine(&mut random, 6, 2, 2);
        let (inputs, outputs) = (machine.input_table(), machine.output_table());
        let mut partial = Machine::new(inputs.clone(), outputs.clone(), machine.states());
        for state in machine.state_ids() {
            for input in machine.input_ids().filter(|_| random.chance(70)) {
                let (output, target) = machine.step(state, input).expect("it is complete");
                partial.set(state, input, output, target);
            }
        }
        machine = partial;
        let separators = Separators::new(&machine);
        for a in machine.state_ids() {
            for b in machine.state_ids() {
                let differ = |word: &Vec<InputId>| {
                    let of = |state| machine.run(state, word).map(|run| run.0);
                    of(a).is_some() && of(b).is_some() && of(a) != of(b)
                };
                let shortest = (1..6).find(|&length| words(&machine, length).iter().any(differ));
                let found = separators.separator(&machine, a, b);
                // Six states may need longer words than five inputs.
                let length = found.as_ref().map(Vec::len).filter(|&length| length < 6);
                assert_eq!(length, shortest, "seed {seed}: {a} {b}");
                assert_eq!(
                    separators.distance(a, b).map(|d| d as usize),
                    found.as_ref().map(Vec::len)
                );
                assert!(found.as_ref().is_none_or(differ), "seed {seed}: {a} {b}");
            }
        }
    }
}

/// A suite of the SPYH-method never costs more than that of the SPY-method with the usual
/// identifiers; on large machines, where no words are chosen, it is that.
#[test]
fn spyh_costs_at_most_what_spy_does() {
    let cost = |tree: Result<TestTree, MethodError>| tree.expect("a suite").size().cost();
    let costs = |machine: &Machine, extra| {
        let separators = Separators::new(machine);
        let identifiers = adaptive_identifiers(machine, &separators, extra + 1);
        let spy = spy(machine, &separators, &identifiers, extra, 1 << 22);
        (cost(spy), cost(spyh(machine, &separators, extra, 1 << 22)))
    };
    let mut fewer = 0;
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let states = random.between(2, 60);
        let (inputs, outputs) = (random.between(2, 4), random.between(2, 4));
        let machine = machine(&mut random, states, inputs, outputs).minimized();
        let (spy, spyh) = costs(&machine, random.between(0, 1));
        assert!(spyh <= spy, "seed {seed}: {spyh} > {spy}");
        fewer += usize::from(spyh < spy);
    }
    assert!(fewer > 20, "{fewer}");
    let machine = machine(&mut Random::new(0), 1500, 3, 4).minimized();
    assert!(is_large(&machine));
    let (spy, spyh) = costs(&machine, 0);
    assert_eq!(spyh, spy);
}

/// Of two suites the one that is given up for the other is the larger one; so the smaller of
/// both is given.
#[test]
fn suites_are_given_up_for_smaller_ones_only() {
    const MOST: usize = 1 << 22;
    let mut given_up = 0;
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let (states, inputs) = (random.between(25, 70), random.between(2, 6));
        let outputs = random.between(2, 6);
        let machine = machine(&mut random, states, inputs, outputs).minimized();
        let separators = Separators::new(&machine);
        for extra in 0..2 {
            let search = Search::new(&machine);
            let words = plain(&ds::harmonized_words(&machine, &separators));
            let derive = |words: &[Vec<Vec<u32>>], bound| {
                let suite = h::suite(&search, &separators, extra, words, bound);
                suite.map(|(tree, _)| tree.size().cost())
            };
            let bound = Bound {
                rival: Some(&words),
                ..Bound::of_nodes(MOST)
            };
            let alone = derive(&[], Bound::of_nodes(MOST)).expect("a suite");
            let beside = derive(&[], bound);
            let given = derive(&words, Bound::of_nodes(MOST)).expect("a suite");
            match beside {
                Ok(cost) => assert_eq!(cost, alone, "seed {seed}, {extra}"),
                Err(_) => {
                    given_up += 1;
                    assert!(given < alone, "seed {seed}, {extra}: {given}, {alone}");
                    let suite = h(&machine, &separators, extra, MOST).expect("a suite");
                    assert_eq!(suite.size().cost(), given, "seed {seed}, {extra}");
                }
            }
        }
    }
    assert!((10..70).contains(&given_up), "{given_up} of 80");
}

/// On machines that are too large for the oracle, by conditions and the search of
/// the exact decision.
#[test]
fn larger_machines_have_complete_suites() {
    let limits = Limits {
        steps: 300_000,
        ..Limits::default()
    };
    let mut decided = [0; METHODS.len()];
    let mut suites = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let states = random.between(3, 12);
        let (inputs, outputs) = (random.between(2, 4), random.between(2, 3));
        let machine = machine(&mut random, states, inputs, outputs).minimized();
        let separators = Separators::new(&machine);
        for extra in 0..3 {
            let domain = FaultDomain::States(machine.states() + extra);
            suites += 1;
            for ((name, derive), decided) in METHODS.iter().zip(&mut decided) {
                let tree = derive(&machine, &separators, extra);
                let verdict = check::verdict(&machine, &tree, &domain, &limits);
                let verdict = verdict.expect("the machine is minimal");
                assert!(
                    !matches!(verdict, check::Completeness::Refuted(_)),
                    "{name} with {extra}, seed {seed}"
                );
                *decided += usize::from(verdict.is_complete());
            }
        }
    }
    for ((name, _), decided) in METHODS.iter().zip(decided) {
        assert!(decided * 10 > suites * 8, "{name}: {decided} of {suites}");
    }
}
