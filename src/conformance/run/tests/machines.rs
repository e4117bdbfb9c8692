//! Suites against machines: what is counted, repeated, left out and stopped.

use std::num::{NonZeroU32, NonZeroU64};

use hyades_testing::Random;

use super::*;
use crate::mutants;
use crate::tests::minimal;
use crate::{DeriveOptions, FaultKind, Killer, Method, NodeId, TestTree, derive};

/// Keeps all results as lines.
#[derive(Default)]
pub(super) struct Lines(pub Vec<String>);

impl Report for Lines {
    fn begin(&mut self, planned: Option<u64>) -> io::Result<()> {
        self.0.push(format!("{planned:?}"));
        Ok(())
    }

    fn test(&mut self, result: &TestResult<'_>) -> io::Result<()> {
        let message = result.message().unwrap_or_else(|| "passed".into());
        self.0.push(format!("{}: {message}", result.number));
        Ok(())
    }

    fn end(&mut self, _: &Summary, failed: Option<&str>) -> io::Result<()> {
        self.0.extend(failed.map(str::to_owned));
        Ok(())
    }
}

/// Runs words, by the numbers of their inputs, for [`toggle`].
fn run(
    words: &[&[u32]],
    order: Order,
    system: &mut dyn SystemUnderTest,
    options: RunOptions,
) -> (Vec<String>, Result<Summary, RunError>) {
    let mut lines = Lines::default();
    let each = |tell: &mut dyn FnMut(&[InputId]) -> ControlFlow<Stop>| {
        words.iter().try_for_each(|word| {
            let word: Vec<InputId> = word.iter().map(|&k| InputId::new(k)).collect();
            tell(&word)
        })
    };
    let summary = run_suite(&toggle(), each, order, system, options, &mut lines);
    (lines.0, summary)
}

/// [`toggle`] with another output of `a` in its second state.
fn faulty() -> Machine {
    let mut machine = toggle();
    let (one, a) = (StateId::new(1), InputId::new(0));
    machine.set(one, a, OutputId::new(0), StateId::new(0));
    machine
}

#[test]
fn results_are_counted() {
    let machine = faulty();
    let words: [&[u32]; 4] = [&[0], &[0, 1, 0, 1, 1], &[], &[1, 0, 0]];
    let mut system = MachineSystem::new(&machine);
    let (lines, summary) = run(&words, Order::AsGiven, &mut system, RunOptions::default());
    assert_eq!(
        lines,
        [
            "None",
            "1: passed",
            "2: input 3, a: expected 1, found 0",
            "3: passed",
            "4: input 3, a: expected 1, found 0",
        ]
    );
    let summary = summary.unwrap();
    assert_eq!(
        summary.to_string(),
        "4 tests: 2 passed, 2 failed; 7 inputs, 4 resets"
    );
    assert_eq!(summary.outcome(), Outcome::Fail);
    // The first of the shortest.
    assert_eq!(summary.shortest, Some((2, symbols(&["a", "b", "a"]))));
    let options = RunOptions {
        stop_after: NonZeroU64::new(1),
        repeat: NonZeroU32::new(3).unwrap(),
        ..RunOptions::default()
    };
    let (lines, summary) = run(&words, Order::AsGiven, &mut system, options);
    assert_eq!(lines.len(), 3);
    assert_eq!(
        lines[2],
        "2: input 3, a: expected 1, found 0; 0 of 3 runs passed"
    );
    assert_eq!(
        summary.unwrap().to_string(),
        "2 tests: 1 passed, 1 failed; 12 inputs, 6 resets; stopped after the first test that did \
         not pass"
    );
}

#[test]
fn tests_have_an_order() {
    let machine = toggle();
    let words: [&[u32]; 6] = [&[0, 1], &[1], &[], &[1, 1, 1], &[0], &[0, 0]];
    let numbers = |order| {
        let mut system = MachineSystem::new(&machine);
        let (lines, summary) = run(&words, order, &mut system, RunOptions::default());
        assert_eq!(summary.unwrap().outcome(), Outcome::Pass);
        let numbers = lines[1..]
            .iter()
            .map(|line| line.split(':').next().unwrap().into());
        (lines[0].clone(), numbers.collect::<Vec<String>>().concat())
    };
    assert_eq!(numbers(Order::AsGiven), ("None".into(), "123456".into()));
    let planned = "Some(6)".to_owned();
    assert_eq!(numbers(Order::ShortestFirst), (planned, "325164".into()));
    let mut seen = std::collections::HashSet::new();
    for seed in 0..2000 {
        let random = numbers(Order::Random(seed)).1;
        let mut sorted: Vec<char> = random.chars().collect();
        sorted.sort();
        assert_eq!(sorted, ['1', '2', '3', '4', '5', '6']);
        seen.insert(random);
    }
    // Of 720 orders, all but a few come up.
    assert!(seen.len() > 600, "{}", seen.len());
    assert_eq!(numbers(Order::Random(7)), numbers(Order::Random(7)));
}

/// A system that fails now and then, in a pattern: `p`asses, `f`ails, `g` fails in
/// another way, cannot be `e`xecuted, cannot be `s`tarted.
struct Moody {
    pattern: Vec<u8>,
    at: usize,
}

impl Moody {
    fn new(pattern: &str) -> Self {
        Self {
            pattern: pattern.into(),
            at: 0,
        }
    }
}

impl SystemUnderTest for Moody {
    fn reset(&mut self) -> Result<(), SystemError> {
        self.at += 1;
        match self.pattern[(self.at - 1) % self.pattern.len()] {
            b's' => Err(SystemError::Start {
                what: "it".into(),
                error: io::Error::other("out of order"),
            }),
            _ => Ok(()),
        }
    }

    fn step(&mut self, _: &[u8]) -> Result<Observation<'_>, SystemError> {
        Ok(match self.pattern[(self.at - 1) % self.pattern.len()] {
            b'p' => Observation::Output(b"0"),
            b'f' => Observation::Undefined,
            b'g' => Observation::Timeout(std::time::Duration::from_secs(1)),
            _ => return Err(SystemError::Ended("it is gone".into())),
        })
    }
}

#[test]
fn repeated_runs_tell_flaky_systems() {
    let found = |pattern: &str, flaky| {
        let options = RunOptions {
            repeat: NonZeroU32::new(pattern.len() as u32).unwrap(),
            flaky,
            ..RunOptions::default()
        };
        let (lines, summary) = run(&[&[1]], Order::AsGiven, &mut Moody::new(pattern), options);
        (lines[1].clone(), summary.unwrap().outcome())
    };
    let report = |pattern| found(pattern, Flaky::Report);
    let majority = |pattern| found(pattern, Flaky::Majority);
    let none = "1: input 1, b: expected 0, found no transition; ";
    let late = "1: input 1, b: expected 0, found no output in 1s; ";
    for same in [Flaky::Report, Flaky::Majority].map(|flaky| move |pattern| found(pattern, flaky)) {
        assert_eq!(same("ppp"), ("1: passed".into(), Outcome::Pass));
        assert_eq!(
            same("ff"),
            (format!("{none}0 of 2 runs passed"), Outcome::Fail)
        );
        assert_eq!(same("ee"), ("1: it is gone".into(), Outcome::Error));
    }
    let flaky = "1: not deterministic: 2 of 3 runs passed";
    let input = "input 1, b: expected 0, found no transition";
    assert_eq!(report("pfp"), (format!("{flaky}; {input}"), Outcome::Fail));
    assert_eq!(report("ppe"), (flaky.into(), Outcome::Fail));
    assert_eq!(majority("pfp"), ("1: passed".into(), Outcome::Pass));
    assert_eq!(
        majority("pfpf"),
        (format!("{none}2 of 4 runs passed"), Outcome::Fail)
    );
    assert_eq!(
        majority("pfgg"),
        (format!("{late}1 of 4 runs passed"), Outcome::Fail)
    );
    assert_eq!(
        majority("pfg"),
        (format!("{none}1 of 3 runs passed"), Outcome::Fail)
    );
    assert_eq!(majority("eep"), ("1: it is gone".into(), Outcome::Error));
}

#[test]
fn systems_that_do_not_work_are_given_up() {
    let words: [&[u32]; 7] = [&[1]; 7];
    let options = RunOptions {
        give_up_after: NonZeroU64::new(3).unwrap(),
        ..RunOptions::default()
    };
    let (lines, summary) = run(&words, Order::AsGiven, &mut Moody::new("eepeeep"), options);
    assert_eq!(lines.len(), 1 + 6);
    let summary = summary.unwrap();
    assert_eq!(
        summary.to_string(),
        "6 tests: 1 passed, 5 could not be executed; 1 input, 6 resets; stopped after 3 tests in \
         a row that could not be executed"
    );
    assert_eq!(summary.outcome(), Outcome::Error);
    // Where it cannot even be started, that is the end.
    let (lines, summary) = run(&words, Order::AsGiven, &mut Moody::new("pps"), options);
    let error = summary.unwrap_err();
    assert_eq!(error.to_string(), "cannot start it: out of order");
    assert_eq!(
        lines[1..],
        ["1: passed", "2: passed", "cannot start it: out of order"]
    );
}

#[test]
fn partial_machines_have_no_tests_beyond_their_transitions() {
    let mut inputs = LabelTable::new();
    inputs.intern(b"a").unwrap();
    let mut outputs = LabelTable::new();
    outputs.intern(b"0").unwrap();
    let mut partial = Machine::new(inputs, outputs, 2);
    let (a, o) = (InputId::new(0), OutputId::new(0));
    partial.set(StateId::new(0), a, o, StateId::new(1));
    let mut system = Moody::new("p");
    let mut lines = Lines::default();
    let each = |tell: &mut dyn FnMut(&[InputId]) -> ControlFlow<Stop>| tell(&[a, a, a]);
    let options = RunOptions::default();
    let summary = run_suite(
        &partial,
        each,
        Order::AsGiven,
        &mut system,
        options,
        &mut lines,
    );
    assert_eq!(summary.unwrap().symbols, 1);
    // As a system it shows where they end, and does not know other inputs.
    let mut system = MachineSystem::new(&partial);
    assert_eq!(
        observed(&mut system, &["a", "a", "b"]).unwrap(),
        ["0", "no transition", "no transition"]
    );
    assert_eq!(
        observed(&mut system, &["b", "a"]).unwrap(),
        ["no transition", "0"]
    );
}

/// A suite fails for a mutant if and only if it kills it.
#[test]
fn mutants_fail() {
    let mut fates = [0; 2];
    for seed in 0..25 {
        let mut random = Random::new(seed);
        let machine = minimal(&mut random, 4);
        let method = [Method::Hsi, Method::Tour][seed as usize % 2];
        let suite = derive(&machine, method, &DeriveOptions::default())
            .unwrap()
            .suite;
        let mut tree = TestTree::new(&machine);
        let _ = suite.each_test(&machine, |word| {
            tree.insert(&machine, NodeId::ROOT, word);
            ControlFlow::<()>::Continue(())
        });
        let killer = Killer::new(&machine, &tree);
        for kind in FaultKind::ALL {
            for mutant in mutants(&machine, kind) {
                let faulty = mutant.machine(&machine).unwrap();
                let summary = run_suite(
                    &machine,
                    |tell| suite.each_test(&machine, tell),
                    [Order::AsGiven, Order::ShortestFirst][seed as usize / 2 % 2],
                    &mut MachineSystem::new(&faulty),
                    RunOptions::default(),
                    &mut (),
                )
                .unwrap();
                let killed = killer.kills(&mutant);
                fates[usize::from(killed)] += 1;
                assert_eq!(
                    summary.outcome() == Outcome::Fail,
                    killed,
                    "seed {seed}: {mutant:?}"
                );
                // The shortest way to a difference is one.
                if let Some((_, inputs)) = summary.shortest {
                    let ids: Vec<InputId> = inputs
                        .iter()
                        .map(|text| machine.find_input(text).unwrap())
                        .collect();
                    let last = |m: &Machine, ids: &[InputId]| {
                        let outputs = m.run(m.initial(), ids).unwrap().0;
                        m.output_text(*outputs.last().unwrap()).to_vec()
                    };
                    assert_ne!(last(&machine, &ids), last(&faulty, &ids));
                }
            }
        }
    }
    assert!(fates.iter().all(|&count| count > 100), "{fates:?}");
}
