//! Verdicts on random suites of random machines.

use super::*;
use crate::tests::{machine, minimal};

/// Compares what certificate, search, and search without convergence tell of a
/// suite with each other and with all machines; gives the number of states of the
/// machine that refutes it, if one does.
fn agree(spec: &Machine, tests: &[Word], domain: &FaultDomain, most: usize, seed: u64) -> bool {
    let tree = suite(spec, tests);
    let limits = Limits::default();
    let certified = certificate(spec, &tree, domain, &limits).unwrap();
    let verdicts = [
        verdict(spec, &tree, domain, &limits).unwrap(),
        decide(spec, &tree, domain, &limits).unwrap(),
        searched(spec, &tree, domain, limits.steps),
    ];
    for verdict in &verdicts {
        match verdict {
            Completeness::Refuted(refuted) => assert_refutes(spec, tests, domain, refuted),
            Completeness::Unknown(_) => panic!("seed {seed}: not decided"),
            _ => {}
        }
    }
    let is_complete = verdicts[0].is_complete();
    let same = |verdict: &Completeness| verdict.is_complete() == is_complete;
    assert!(verdicts.iter().all(same), "seed {seed}: {tests:?}");
    if certified.is_some() {
        assert!(is_complete, "seed {seed}: {tests:?}");
    }
    if is_complete {
        let machines = naive::Machines {
            machine: spec,
            tests,
            domain,
            most,
        };
        let other = machines.find();
        assert!(other.is_none(), "seed {seed}: {tests:?} {other:?}");
    }
    is_complete
}

/// Random tests, alone and behind a common prefix; many small ones, so that some
/// are complete.
#[test]
fn random_suites() {
    let (mut complete, mut refuted) = (0, 0);
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let (inputs, states) = (random.between(1, 3), random.between(1, 3));
        let spec = machine(&mut random, states, inputs, 2).minimized();
        let longest = random.between(1, 5);
        let mut tests = random_tests(&mut random, inputs, 14, longest);
        if random.chance(40) {
            let prefix = random_tests(&mut random, inputs, 1, 3).pop();
            for test in &mut tests {
                test.splice(0..0, prefix.iter().flatten().copied());
            }
        }
        let most = spec.states() + random.between(0, 1);
        match agree(&spec, &tests, &FaultDomain::States(most), most, seed) {
            true => complete += 1,
            false => refuted += 1,
        }
    }
    assert!(complete > 300 && refuted > 300, "{complete} {refuted}");
}

/// Suites of methods, whole and without some tests.
#[test]
fn mutated_suites() {
    let (mut complete, mut refuted) = (0, 0);
    for seed in 0..2500 {
        let mut random = Random::new(seed);
        let (inputs, states) = (random.between(1, 2), random.between(2, 3));
        let spec = machine(&mut random, states, inputs, 2).minimized();
        let extra = random.between(0, if spec.states() < 3 { 2 } else { 1 });
        let method = METHODS[random.between(0, 2)];
        let mut tests = tests_of(&derived(&spec, method, extra));
        for _ in 0..random.between(0, 3) {
            if !tests.is_empty() {
                let place = random.between(0, tests.len() - 1);
                tests.remove(place);
            }
        }
        let most = spec.states() + extra;
        match agree(&spec, &tests, &FaultDomain::States(most), most, seed) {
            true => complete += 1,
            false => refuted += 1,
        }
    }
    assert!(complete > 300 && refuted > 300, "{complete} {refuted}");
}

/// The certificate, and the search without what converges, on larger machines.
#[test]
fn certificates_are_sound() {
    let (mut certified, mut refuted) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let spec = minimal(&mut random, 7);
        let extra = random.between(0, 1);
        let method = METHODS[random.between(0, 2)];
        // What is made for more extra states can do without some tests.
        let (more, most) = [(0, 2), (1, 12)][random.between(0, 1)];
        let mut tests = tests_of(&derived(&spec, method, extra + more));
        for _ in 0..random.between(1, most).min(tests.len()) {
            let place = random.between(0, tests.len() - 1);
            tests.remove(place);
        }
        let tree = suite(&spec, &tests);
        let domain = FaultDomain::States(spec.states() + extra);
        let limits = Limits::default();
        let found = certificate(&spec, &tree, &domain, &limits).unwrap();
        let searched = searched(&spec, &tree, &domain, 10_000_000);
        match &searched {
            Completeness::Refuted(machine) => {
                assert_refutes(&spec, &tests, &domain, machine);
                assert!(found.is_none(), "seed {seed}");
                refuted += 1;
            }
            Completeness::Complete => certified += usize::from(found.is_some()),
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(certified > 500 && refuted > 500, "{certified} {refuted}");
}

/// All suites of the W, Wp and HSI methods are certified, for machines of so many
/// states and for the larger domain.
#[test]
fn suites_of_methods_are_certified() {
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let spec = minimal(&mut random, 12);
        let extra = random.between(0, 2);
        for method in METHODS {
            let tree = derived(&spec, method, extra);
            for (domain, condition) in [
                (FaultDomain::States(spec.states() + extra), Condition::H),
                (FaultDomain::reached(&spec, extra), Condition::KA),
            ] {
                let found = certificate(&spec, &tree, &domain, &Limits::default()).unwrap();
                let found = found.unwrap_or_else(|| panic!("seed {seed}: {method:?} {domain:?}"));
                assert_eq!(found.condition, condition, "seed {seed}: {method:?}");
                assert_eq!(found.extra, extra);
                // Convergence shows the same.
                let limits = Limits::default();
                let means = Means {
                    h: false,
                    ..Means::CONDITIONS
                };
                let mut check = Check::of_valid(&spec, &tree, &domain, &limits, means);
                let found = check.run().unwrap();
                assert!(found.is_complete(), "seed {seed}: {method:?}");
            }
        }
    }
}

/// So are all of the SPY- and the SPYH-method, where words that separate states follow other
/// nodes than those of the cover: by convergence.
#[test]
fn suites_with_convergent_nodes_are_certified() {
    let check = |spec: &Machine, extra, text: &str| {
        for method in [Method::Spy, Method::Spyh] {
            let tree = derived(spec, method, extra);
            let domain = FaultDomain::States(spec.states() + extra);
            let found = certificate(spec, &tree, &domain, &Limits::default()).unwrap();
            assert!(found.is_some(), "{text}: {method:?} {extra}");
        }
    };
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let spec = minimal(&mut random, 12);
        check(&spec, random.between(0, 2), &format!("seed {seed}"));
    }
    for seed in 0..3 {
        let spec = machine(&mut Random::new(seed), 100, 6, 2).minimized();
        check(&spec, 0, &format!("large, seed {seed}"));
    }
}

/// The larger domain: all machines of it, for two states and two inputs.
#[test]
fn states_near_words_of_access() {
    let (mut complete, mut refuted, mut only_fewer) = (0, 0, 0);
    for seed in 0..800 {
        let mut random = Random::new(seed);
        let inputs = random.between(1, 2);
        let spec = machine(&mut random, 2, inputs, 2).minimized();
        if spec.states() < 2 {
            continue;
        }
        let extra = match inputs {
            1 => random.between(0, 3),
            // The naive twin takes its time.
            _ => usize::from(random.chance(5)),
        };
        let mut tests = match random.chance(30) {
            true => random_tests(&mut random, inputs, 12, 5),
            false => tests_of(&derived(&spec, METHODS[random.between(0, 2)], extra)),
        };
        if random.chance(60) && !tests.is_empty() {
            let place = random.between(0, tests.len() - 1);
            tests.remove(place);
        }
        let domain = FaultDomain::reached(&spec, extra);
        // Of the words one input behind those of access one is among these.
        let (mut most, mut words) = (2, 2 * inputs - 1);
        for _ in 0..extra {
            most += words;
            words *= inputs;
        }
        let is_complete = agree(&spec, &tests, &domain, most, seed);
        match is_complete {
            true => complete += 1,
            false => refuted += 1,
        }
        let fewer = FaultDomain::States(2 + extra);
        let tree = suite(&spec, &tests);
        let of_fewer = verdict(&spec, &tree, &fewer, &Limits::default()).unwrap();
        // What is complete for more machines is so for fewer.
        assert!(!is_complete || of_fewer.is_complete(), "seed {seed}");
        only_fewer += usize::from(!is_complete && of_fewer.is_complete());
    }
    assert!(complete > 100 && refuted > 100, "{complete} {refuted}");
    assert!(only_fewer > 0);
}

/// Suites of the H method and of SPYH, which are complete for fewer machines, as they
/// are and without some tests: verdicts on the larger domain against each other and
/// all its machines.
#[test]
fn suites_that_are_not_meant_for_near_words() {
    let (mut complete, mut refuted) = (0, 0);
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let inputs = random.between(1, 2);
        let states = random.between(2, 5 - inputs);
        let spec = machine(&mut random, states, inputs, 2).minimized();
        let extra = match inputs {
            1 => random.between(1, 3),
            // The naive twin takes its time.
            _ => usize::from(spec.states() == 2 && random.chance(5)),
        };
        let method = [Method::H, Method::Spyh][random.between(0, 1)];
        let mut tests = tests_of(&derived(&spec, method, extra));
        if random.chance(30) && !tests.is_empty() {
            let place = random.between(0, tests.len() - 1);
            match random.chance(50) {
                true => drop(tests.remove(place)),
                false => drop(tests[place].pop()),
            }
        }
        let domain = FaultDomain::reached(&spec, extra);
        let (mut most, mut words) = (spec.states(), spec.states() * (inputs - 1) + 1);
        for _ in 0..extra {
            most += words;
            words *= inputs;
        }
        match agree(&spec, &tests, &domain, most, seed) {
            true => complete += 1,
            false => refuted += 1,
        }
    }
    assert!(complete > 300 && refuted > 300, "{complete} {refuted}");
}

/// Whatever the limits are, what is told does not change but to being unknown.
#[test]
fn limits_change_no_verdict() {
    let mut told = [0, 0, 0];
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let spec = minimal(&mut random, 6);
        let method = [Method::H, Method::Spyh, Method::Hsi][random.between(0, 2)];
        let mut tests = tests_of(&derived(&spec, method, 1));
        if random.chance(50) {
            let place = random.between(0, tests.len() - 1);
            tests.remove(place);
        }
        let tree = suite(&spec, &tests);
        let domain = FaultDomain::reached(&spec, 1);
        let known = verdict(&spec, &tree, &domain, &Limits::default()).unwrap();
        let mut steps = 1;
        while steps < 3_000_000 {
            let limits = Limits {
                steps,
                ..Limits::default()
            };
            for found in [verdict, decide].map(|check| check(&spec, &tree, &domain, &limits)) {
                match found.unwrap() {
                    Completeness::Unknown(_) => told[2] += 1,
                    found => {
                        assert_eq!(
                            found.is_complete(),
                            known.is_complete(),
                            "seed {seed} {steps}"
                        );
                        told[usize::from(found.is_complete())] += 1;
                    }
                }
            }
            steps += steps / 8 + 1;
        }
    }
    assert!(told.iter().all(|&told| told > 300), "{told:?}");
}

/// Near nodes in states of their own, against the search in which a state is new
/// or not.
#[test]
fn near_nodes_may_be_states_of_their_own() {
    let (mut complete, mut refuted) = (0, 0);
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let inputs = random.between(1, 2);
        let spec = machine(&mut random, 3, inputs, 2).minimized();
        let extra = random.between(0, 1);
        let methods = [Method::Wp, Method::Hsi, Method::H, Method::Spyh];
        let mut tests = tests_of(&derived(&spec, methods[random.between(0, 3)], extra));
        for _ in 0..random.between(0, 2).min(tests.len()) {
            let place = random.between(0, tests.len() - 1);
            tests.remove(place);
        }
        let tree = suite(&spec, &tests);
        let domain = FaultDomain::reached(&spec, extra);
        let FaultDomain::Reached { access, .. } = &domain else {
            unreachable!("just made")
        };
        let verdict = decide(&spec, &tree, &domain, &Limits::default()).unwrap();
        if let Completeness::Refuted(found) = &verdict {
            assert_refutes(&spec, &tests, &domain, found);
        }
        let mut quotient = Quotient::new(&spec, &tree, 300_000);
        let nodes = access.iter().map(|word| tree.walk(NodeId::ROOT, word));
        let Some(nodes) = nodes.collect::<Option<Vec<NodeId>>>() else {
            assert!(!verdict.is_complete(), "seed {seed}");
            continue;
        };
        let mut seeds: Vec<u32> = nodes.iter().map(|node| node.0).collect();
        seeds.sort_by_key(|&node| quotient.state(node));
        let pairs = seeds
            .iter()
            .flat_map(|&a| seeds.iter().map(move |&b| (a, b)));
        if !pairs
            .filter(|(a, b)| a != b)
            .all(|(a, b)| quotient.apart(a, b))
        {
            // Two words may reach one state, which this search does not see.
            continue;
        }
        let mut fold = Fold::new(&mut quotient, &seeds, None);
        match search::search(&mut fold, Bound::Distance(extra as u32)) {
            Ended::Nothing => {
                assert!(verdict.is_complete(), "seed {seed}");
                complete += 1;
            }
            Ended::Found => {
                assert!(!verdict.is_complete(), "seed {seed}");
                refuted += 1;
            }
            Ended::Exhausted => {}
        }
    }
    assert!(complete > 100 && refuted > 100, "{complete} {refuted}");
}

/// However little may be searched, a transition that no test takes refutes a suite.
#[test]
fn transitions_that_no_test_takes_refute() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let spec = minimal(&mut random, 12);
        let left_out = (
            random.between(0, spec.states() - 1),
            random.between(0, spec.inputs() - 1),
        );
        let mut tests = tests_of(&derived(&spec, METHODS[random.between(0, 2)], 0));
        for test in &mut tests {
            let mut state = spec.initial();
            let is_taken = test.iter().position(|&input| {
                let is_it = (state.index(), input.index()) == left_out;
                state = spec.step(state, input).unwrap().1;
                is_it
            });
            test.truncate(is_taken.unwrap_or(test.len()));
        }
        let tree = suite(&spec, &tests);
        let limits = Limits {
            steps: 1,
            ..Limits::default()
        };
        for domain in [
            FaultDomain::States(spec.states() + 1),
            FaultDomain::reached(&spec, 1),
        ] {
            match verdict(&spec, &tree, &domain, &limits).unwrap() {
                Completeness::Refuted(found) => assert_refutes(&spec, &tests, &domain, &found),
                other => panic!("seed {seed}: {other:?}"),
            }
        }
    }
}
