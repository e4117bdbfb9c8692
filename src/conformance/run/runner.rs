//! Executing suites.

use std::fmt;
use std::io;
use std::num::{NonZeroU32, NonZeroU64};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::order::Order;
use super::report::Report;
use super::results::{Difference, Seen, Summary, TestResult, TestVerdict};
use super::{Observation, SystemError, SystemUnderTest};
use crate::machine::{InputId, Machine};
use crate::suite_file::Symbols;
use hyades_formats::diagnostic::counted;

/// What repeated runs of a test say if they end differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Flaky {
    /// That the system is not deterministic.
    #[default]
    Report,
    /// What more than half of them say: that the test passes, or else that it fails
    /// as it does most often.
    Majority,
}

/// How tests are executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunOptions {
    /// How often each test is run.
    pub repeat: NonZeroU32,
    /// What it means if the runs end differently.
    pub flaky: Flaky,
    /// Stop after so many tests that did not pass.
    pub stop_after: Option<NonZeroU64>,
    /// Stop after so many tests in a row that could not be executed.
    pub give_up_after: NonZeroU64,
}

impl Default for RunOptions {
    /// All tests once; giving up after 10 that could not be executed.
    fn default() -> Self {
        Self {
            repeat: NonZeroU32::MIN,
            flaky: Flaky::Report,
            stop_after: None,
            give_up_after: NonZeroU64::new(10).expect("not 0"),
        }
    }
}

/// Why no more tests are executed.
#[derive(Debug)]
pub enum Stop {
    /// As asked, after so many that did not pass.
    Enough(u64),
    /// So many in a row could not be executed.
    GivenUp(u64),
    /// There is no system any more.
    System(SystemError),
    /// The report cannot be written.
    Report(io::Error),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Enough(1) => f.write_str("after the first test that did not pass"),
            Stop::Enough(tests) => write!(f, "after {tests} tests that did not pass"),
            Stop::GivenUp(tests) => {
                write!(f, "after {tests} tests in a row that could not be executed")
            }
            Stop::System(error) => error.fmt(f),
            Stop::Report(error) => error.fmt(f),
        }
    }
}

/// Why a suite was not executed.
#[derive(Debug)]
pub enum RunError {
    /// The system cannot be started.
    System(SystemError),
    /// The report cannot be written.
    Report(io::Error),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::System(error) => error.fmt(f),
            RunError::Report(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RunError::System(error) => Some(error),
            RunError::Report(error) => Some(error),
        }
    }
}

/// How one run of a test ends.
#[derive(Clone, PartialEq, Eq)]
enum Run {
    Passed,
    Failed(Difference),
    Error(String),
}

/// Executes tests one after the other, and reports each.
pub struct Runner<'a> {
    system: &'a mut dyn SystemUnderTest,
    report: &'a mut dyn Report,
    options: RunOptions,
    summary: Summary,
    errors_in_a_row: u64,
    began: Instant,
}

hyades_base::opaque!(Runner<'_>);

impl<'a> Runner<'a> {
    /// Begins a report, of so many tests if that is known.
    ///
    /// # Errors
    /// If the report cannot be written.
    pub fn new(
        system: &'a mut dyn SystemUnderTest,
        report: &'a mut dyn Report,
        options: RunOptions,
        planned: Option<u64>,
    ) -> io::Result<Self> {
        report.begin(planned)?;
        Ok(Self {
            system,
            report,
            options,
            summary: Summary::default(),
            errors_in_a_row: 0,
            began: Instant::now(),
        })
    }

    /// Compares the initial output, of a system that can be asked for it.
    fn initial_output(&mut self, expected: &[u8], found: &[u8]) -> ControlFlow<Stop> {
        let verdict = match expected == found {
            true => TestVerdict::Pass,
            false => TestVerdict::Fail(Difference {
                position: 0,
                found: Seen::Output(found.into()),
            }),
        };
        self.tell(&TestResult {
            number: 0,
            inputs: &Symbols::default(),
            expected: &[expected].into_iter().collect(),
            verdict: &verdict,
            runs: 1,
            passed: u32::from(verdict == TestVerdict::Pass),
            elapsed: Duration::ZERO,
        })
    }

    /// Executes a test, of which the suite has this number (from 1). `expected` has
    /// as many outputs as there are inputs.
    pub fn test(&mut self, number: u64, inputs: &Symbols, expected: &Symbols) -> ControlFlow<Stop> {
        assert_eq!(inputs.len(), expected.len(), "an output for each input");
        let began = Instant::now();
        let mut ways: Vec<(Run, u32)> = Vec::new();
        for _ in 0..self.options.repeat.get() {
            let run = match self.run(inputs, expected) {
                Ok(run) => run,
                Err(error) => return ControlFlow::Break(Stop::System(error)),
            };
            match ways.iter_mut().find(|way| way.0 == run) {
                Some(way) => way.1 += 1,
                None => ways.push((run, 1)),
            }
        }
        let passed = ways.iter().find(|way| way.0 == Run::Passed);
        let passed = passed.map_or(0, |way| way.1);
        let verdict = judged(&ways, self.options);
        let result = TestResult {
            number,
            inputs,
            expected,
            verdict: &verdict,
            runs: self.options.repeat.get(),
            passed,
            elapsed: began.elapsed(),
        };
        self.tell(&result)
    }

    /// Counts and reports a result; whether to go on.
    fn tell(&mut self, result: &TestResult<'_>) -> ControlFlow<Stop> {
        self.count(result);
        if let Err(error) = self.report.test(result) {
            return ControlFlow::Break(Stop::Report(error));
        }
        let wrong = self.summary.tests - self.summary.passed;
        if self
            .options
            .stop_after
            .is_some_and(|most| wrong >= most.get())
        {
            return ControlFlow::Break(Stop::Enough(wrong));
        }
        if self.errors_in_a_row >= self.options.give_up_after.get() {
            return ControlFlow::Break(Stop::GivenUp(self.errors_in_a_row));
        }
        ControlFlow::Continue(())
    }

    fn count(&mut self, result: &TestResult<'_>) {
        let summary = &mut self.summary;
        summary.tests += 1;
        let count = match result.verdict {
            TestVerdict::Pass => &mut summary.passed,
            TestVerdict::Fail(_) => &mut summary.failed,
            TestVerdict::Flaky(_) => &mut summary.flaky,
            TestVerdict::Error(_) => &mut summary.errors,
        };
        *count += 1;
        self.errors_in_a_row = match result.verdict {
            TestVerdict::Error(_) => self.errors_in_a_row + 1,
            TestVerdict::Pass | TestVerdict::Fail(_) | TestVerdict::Flaky(_) => 0,
        };
        let Some(length) = result.place() else {
            return;
        };
        let best = summary.shortest.as_ref();
        if best.is_none_or(|(_, inputs)| length < inputs.len()) {
            let inputs = result.inputs.iter().take(length).collect();
            summary.shortest = Some((result.number, inputs));
        }
    }

    /// Runs a test once.
    ///
    /// # Errors
    /// If there is no system.
    fn run(&mut self, inputs: &Symbols, expected: &Symbols) -> Result<Run, SystemError> {
        let mut position = 0;
        let mut run = Run::Passed;
        let executed = self.system.execute(inputs, &mut |observation| {
            let same = expected.get(position).map(Observation::Output) == Some(observation);
            if !same {
                let found = Seen::from(observation);
                run = Run::Failed(Difference { position, found });
                return ControlFlow::Break(());
            }
            position += 1;
            ControlFlow::Continue(())
        });
        if let Err(error @ SystemError::Start { .. }) = executed {
            return Err(error);
        }
        self.summary.resets += 1;
        self.summary.symbols += position as u64 + u64::from(run != Run::Passed);
        match executed {
            Ok(()) => Ok(run),
            Err(error) => {
                let input = inputs.get(position).filter(|_| position > 0);
                let place = input.map(|_| format!("after {}: ", counted(position as u64, "input")));
                Ok(Run::Error(format!("{}{error}", place.unwrap_or_default())))
            }
        }
    }

    /// Ends the report, for the reason that there was to stop, if any.
    ///
    /// # Errors
    /// If there was no system, or the report cannot be written.
    pub fn finish(mut self, stopped: ControlFlow<Stop>) -> Result<Summary, RunError> {
        self.summary.elapsed = self.began.elapsed();
        let error = match stopped {
            ControlFlow::Continue(()) => None,
            ControlFlow::Break(Stop::Report(error)) => return Err(RunError::Report(error)),
            ControlFlow::Break(Stop::System(error)) => Some(error),
            ControlFlow::Break(stop) => {
                self.summary.stopped = Some(stop.to_string());
                None
            }
        };
        let failed = error.as_ref().map(ToString::to_string);
        self.report
            .end(&self.summary, failed.as_deref())
            .map_err(RunError::Report)?;
        match error {
            Some(error) => Err(RunError::System(error)),
            None => Ok(self.summary),
        }
    }
}

/// What the ways say in which a test ended, with how often it did.
fn judged(ways: &[(Run, u32)], options: RunOptions) -> TestVerdict {
    let verdict = |run: &Run| match run {
        Run::Passed => TestVerdict::Pass,
        Run::Failed(difference) => TestVerdict::Fail(difference.clone()),
        Run::Error(text) => TestVerdict::Error(text.clone()),
    };
    if let [(run, _)] = ways {
        return verdict(run);
    }
    match options.flaky {
        Flaky::Report => {
            let failure = ways.iter().find_map(|(run, _)| match run {
                Run::Failed(difference) => Some(difference.clone()),
                Run::Passed | Run::Error(_) => None,
            });
            TestVerdict::Flaky(failure)
        }
        Flaky::Majority => {
            let half = options.repeat.get() / 2;
            let passes = |way: &&(Run, u32)| way.0 == Run::Passed && way.1 > half;
            // Of those that are as frequent, the first.
            let wrong = ways.iter().rev().filter(|way| way.0 != Run::Passed);
            let chosen = ways.iter().find(passes).or(wrong.max_by_key(|way| way.1));
            verdict(&chosen.expect("the runs end differently").0)
        }
    }
}

/// Executes a suite, which `each_test` tells test by test, against a system that
/// should be equivalent to `machine`. A test ends before the first transition that
/// the machine does not have. If both have an initial output, that is compared first, as
/// a test more.
///
/// # Errors
/// If the system cannot be started, or the report cannot be written.
pub fn run_suite(
    machine: &Machine,
    each_test: impl FnOnce(&mut dyn FnMut(&[InputId]) -> ControlFlow<Stop>) -> ControlFlow<Stop>,
    order: Order,
    system: &mut dyn SystemUnderTest,
    options: RunOptions,
    report: &mut dyn Report,
) -> Result<Summary, RunError> {
    let (mut inputs, mut expected) = (Symbols::default(), Symbols::default());
    let mut execute = |runner: &mut Runner<'_>, number: u64, word: &[InputId]| {
        inputs.clear();
        expected.clear();
        let mut state = machine.initial();
        for &input in word {
            let Some((output, target)) = machine.step(state, input) else {
                break;
            };
            inputs.push(machine.input_text(input));
            expected.push(machine.output_text(output));
            state = target;
        }
        runner.test(number, &inputs, &expected)
    };
    let initial = machine.initial_output().zip(system.initial_output());
    let initial = initial.map(|(expected, found)| (expected, Box::<[u8]>::from(found)));
    let begin = |runner: &mut Runner<'_>| match &initial {
        Some((expected, found)) => runner.initial_output(expected, found),
        None => ControlFlow::Continue(()),
    };
    if order == Order::AsGiven {
        let mut runner = Runner::new(system, report, options, None).map_err(RunError::Report)?;
        let mut number = 0;
        let mut stopped = begin(&mut runner);
        if stopped.is_continue() {
            stopped = each_test(&mut |word| {
                number += 1;
                execute(&mut runner, number, word)
            });
        }
        return runner.finish(stopped);
    }
    let (mut symbols, mut starts) = (Vec::new(), vec![0]);
    let _ = each_test(&mut |word| {
        symbols.extend_from_slice(word);
        starts.push(symbols.len());
        ControlFlow::Continue(())
    });
    let lengths: Vec<usize> = starts.windows(2).map(|ends| ends[1] - ends[0]).collect();
    let planned = Some(lengths.len() as u64 + u64::from(initial.is_some()));
    let mut runner = Runner::new(system, report, options, planned).map_err(RunError::Report)?;
    let mut tests = order.arranged(&lengths).into_iter();
    let mut stopped = begin(&mut runner);
    if stopped.is_continue() {
        stopped = tests.try_for_each(|test| {
            let word = &symbols[starts[test]..starts[test + 1]];
            execute(&mut runner, test as u64 + 1, word)
        });
    }
    runner.finish(stopped)
}
