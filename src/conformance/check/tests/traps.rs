//! Suites that mislead.

use super::*;

fn of_states(machine: &Machine, tests: &[Word], most: usize) -> Completeness {
    let domain = FaultDomain::States(most);
    let tree = suite(machine, tests);
    let verdict = verdict(machine, &tree, &domain, &Limits::default()).unwrap();
    if let Completeness::Refuted(refuted) = &verdict {
        assert_refutes(machine, tests, &domain, refuted);
    }
    verdict
}

fn refuted(verdict: Completeness) -> Refutation {
    match verdict {
        Completeness::Refuted(refuted) => *refuted,
        other => panic!("expected a refutation, found {other:?}"),
    }
}

/// The smallest specification for which a suite by Bernhard's generators is not
/// complete for one extra state: one input, outputs in turn.
#[test]
fn a_union_of_words_is_no_product() {
    let spec = machine_of(1, 2, &[&[(0, 1)], &[(1, 0)]]);
    let tests = words_of("aaa");
    let found = refuted(of_states(&spec, &tests, 3));
    assert_eq!(found.word, words_of("aaaa")[0]);
    assert_eq!(found.machine.states(), 3);
    let rows: &[&[(u32, u32)]] = &[&[(0, 1)], &[(1, 2)], &[(0, 0)]];
    let expected = machine_of(1, 2, rows);
    let targets =
        |machine: &Machine| -> Vec<u32> { (0..3).map(|state| machine.target(state, 0)).collect() };
    assert_eq!(targets(&found.machine), targets(&expected));
    // It is complete for as many states as there are, and Chow's suite for more.
    assert!(of_states(&spec, &tests, 2).is_complete());
    assert!(of_states(&spec, &words_of("aaaa"), 3).is_complete());
}

/// All transitions are proven, but not that the machine starts where it should.
#[test]
fn the_root_is_proven_too() {
    let rows: &[&[(u32, u32)]] = &[&[(0, 1), (0, 0), (0, 0)], &[(0, 1), (1, 1), (0, 0)]];
    let spec = machine_of(3, 2, rows);
    let tests = words_of("aab abb acab acbb accb");
    let tree = suite(&spec, &tests);
    let domain = FaultDomain::States(2);
    let none = certificate(&spec, &tree, &domain, &Limits::default());
    assert_eq!(none, Ok(None));
    // The specification, started in the other state, passes.
    let found = refuted(of_states(&spec, &tests, 2));
    assert_eq!(found.word, words_of("b")[0]);
    assert_eq!(found.machine.states(), 2);
    refuted(searched(&spec, &tree, &domain, 1_000_000));
    // A word that tells where it starts makes it complete.
    let more = words_of("aab abb acab acbb accb b");
    assert!(matches!(
        of_states(&spec, &more, 2),
        Completeness::Certified(_)
    ));
}

/// With one state, the empty suite says nothing, and each input must be seen.
#[test]
fn one_state() {
    let spec = machine_of(2, 1, &[&[(0, 0), (0, 0)]]);
    let found = refuted(of_states(&spec, &[], 1));
    assert_eq!(found.word, words_of("a")[0]);
    // An output that the specification does not have.
    assert_eq!(found.machine.outputs(), 2);
    let found = refuted(of_states(&spec, &words_of("a"), 1));
    assert_eq!(found.word, words_of("b")[0]);
    assert!(of_states(&spec, &words_of("a b"), 1).is_complete());
    refuted(of_states(&spec, &words_of("a b"), 2));
    let found = refuted(of_states(&spec, &words_of("aa ab ba"), 2));
    assert_eq!(found.word, words_of("bb")[0]);
    assert!(of_states(&spec, &words_of("aa ab ba bb"), 2).is_complete());
    // Not even inputs.
    let spec = machine_of(0, 0, &[&[]]);
    assert!(of_states(&spec, &[], 1).is_complete());
    assert!(of_states(&spec, &[], 5).is_complete());
}

/// Fewer states than the specification has: what passes is another machine.
#[test]
fn fewer_states_than_the_specification() {
    let spec = machine_of(1, 2, &[&[(0, 1)], &[(0, 2)], &[(1, 0)]]);
    refuted(of_states(&spec, &words_of("aa"), 1));
    assert!(of_states(&spec, &words_of("aaa"), 1).is_complete());
    refuted(of_states(&spec, &words_of("aa"), 2));
    assert!(of_states(&spec, &words_of("aaa"), 2).is_complete());
    assert!(of_states(&spec, &words_of("aaa"), 0).is_complete());
    refuted(of_states(&spec, &words_of("aaa"), 3));
}

/// A suite that is complete though its tree has no pairwise apart nodes for all
/// states, with the root among them or not.
#[test]
fn complete_without_a_basis() {
    let rows: &[&[(u32, u32)]] = &[&[(0, 1), (0, 2)], &[(1, 0), (0, 2)], &[(1, 0), (1, 1)]];
    let spec = machine_of(2, 2, rows);
    let tests = words_of("aaaa baabba bbb");
    let tree = suite(&spec, &tests);
    let mut quotient = Quotient::new(&spec, &tree, u64::MAX);
    let nodes: Vec<u32> = tree.nodes().map(|node| node.0).collect();
    for &one in &nodes {
        for &other in &nodes {
            for &third in &nodes {
                let states = [one, other, third].map(|node| quotient.state(node));
                let pairs = [(one, other), (one, third), (other, third)];
                let apart = pairs.iter().all(|&(a, b)| quotient.apart(a, b));
                assert!(states != [0, 1, 2] || !apart);
            }
        }
    }
    assert!(matches!(
        of_states(&spec, &tests, 3),
        Completeness::Complete
    ));
    for test in 0..tests.len() {
        let mut fewer = tests.clone();
        fewer.remove(test);
        refuted(of_states(&spec, &fewer, 3));
    }
    refuted(of_states(&spec, &tests, 4));
}

/// Tests of a hundred thousand letters: nothing goes as deep as a test is long.
#[test]
fn long_tests() {
    let spec = machine_of(1, 2, &[&[(0, 1)], &[(0, 2)], &[(1, 0)]]);
    let long: Word = vec![InputId::new(0); 100_000];
    let tests = [long];
    assert!(of_states(&spec, &tests, 3).is_complete());
    assert!(of_states(&spec, &tests, 40).is_complete());
    let tree = suite(&spec, &tests);
    let domain = FaultDomain::reached(&spec, 2);
    let of_access = verdict(&spec, &tree, &domain, &Limits::default()).unwrap();
    assert!(of_access.is_complete());
}

/// What is no specification is refused.
#[test]
fn specifications_are_complete_connected_and_minimal() {
    let check = |machine: &Machine, domain: &FaultDomain| {
        let tree = TestTree::new(machine);
        verdict(machine, &tree, domain, &Limits::default()).map(|verdict| verdict.is_complete())
    };
    let states = FaultDomain::States(2);
    let state = StateId::new;
    let partial = Machine::new(table("i", 2), table("o", 1), 1);
    let error = CheckError::Partial(state(0), InputId::new(0), 2);
    assert_eq!(check(&partial, &states), Err(error));
    let apart = machine_of(1, 2, &[&[(0, 0)], &[(1, 1)]]);
    assert_eq!(
        check(&apart, &states),
        Err(CheckError::Unreachable(state(1)))
    );
    let twice = machine_of(1, 1, &[&[(0, 1)], &[(0, 1)]]);
    let error = CheckError::Equivalent(state(0), state(1));
    assert_eq!(check(&twice, &states), Err(error));
    let spec = machine_of(1, 2, &[&[(0, 1)], &[(1, 0)]]);
    for (access, wrong) in [("a aa", "a"), (" aa", "aa"), (" b", "b")] {
        let domain = FaultDomain::Reached {
            access: words_of(access),
            extra: 0,
        };
        let error = CheckError::Access(words_of(wrong)[0].clone());
        assert_eq!(check(&spec, &domain), Err(error), "{access:?}");
    }
    let domain = FaultDomain::Reached {
        access: words_of(""),
        extra: 0,
    };
    assert_eq!(check(&spec, &domain), Err(CheckError::Access(Vec::new())));
}

/// Limits end a search with a reason.
#[test]
fn limits_are_told() {
    let spec = machine_of(1, 2, &[&[(0, 1)], &[(1, 0)]]);
    let tree = suite(&spec, &words_of("aaa"));
    let domain = FaultDomain::States(3);
    let limits = Limits {
        steps: 3,
        ..Limits::default()
    };
    let found = verdict(&spec, &tree, &domain, &limits).unwrap();
    assert!(matches!(found, Completeness::Unknown(Reason::Steps(3))));
    let limits = Limits {
        bytes: 10,
        ..Limits::default()
    };
    let found = verdict(&spec, &tree, &domain, &limits).unwrap();
    assert!(matches!(
        found,
        Completeness::Unknown(Reason::Memory(11.., 10))
    ));
}
