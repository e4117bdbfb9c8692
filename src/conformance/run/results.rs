//! What comes of tests.

use std::fmt;
use std::time::Duration;

use super::Observation;
use crate::suite_file::{Symbols, spelled};
use hyades_formats::diagnostic::counted;

/// An [`Observation`] that is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// An output.
    Output(Box<[u8]>),
    /// Nothing in this time.
    Timeout(Duration),
    /// No transition.
    Undefined,
}

impl From<Observation<'_>> for Seen {
    fn from(observation: Observation<'_>) -> Self {
        match observation {
            Observation::Output(output) => Seen::Output(output.into()),
            Observation::Timeout(time) => Seen::Timeout(time),
            Observation::Undefined => Seen::Undefined,
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Seen::Output(output) => f.write_str(&spelled(output)),
            Seen::Timeout(time) => write!(f, "no output in {time:?}"),
            Seen::Undefined => f.write_str("no transition"),
        }
    }
}

/// The first answer that is not the expected one; those before are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// How many inputs were answered before.
    pub position: usize,
    /// What came instead of the expected output.
    pub found: Seen,
}

/// What comes of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TestVerdict {
    /// All answers are as expected.
    Pass,
    /// One is not.
    Fail(Difference),
    /// Repeated runs of the test end differently: the system is not deterministic.
    /// The first failure among them, if one is a failure.
    Flaky(Option<Difference>),
    /// The test could not be executed.
    Error(String),
}

impl TestVerdict {
    /// Its name in reports: `pass`, `fail`, `flaky` or `error`.
    pub fn name(&self) -> &'static str {
        match self {
            TestVerdict::Pass => "pass",
            TestVerdict::Fail(_) => "fail",
            TestVerdict::Flaky(_) => "flaky",
            TestVerdict::Error(_) => "error",
        }
    }
}

/// A test that has been executed.
#[derive(Debug)]
pub struct TestResult<'a> {
    /// Its number in the suite, from 1; 0 is that of the initial output, which is
    /// compared before all tests.
    pub number: u64,
    /// Its inputs; the initial output has none.
    pub inputs: &'a Symbols,
    /// As many outputs; one for the initial output.
    pub expected: &'a Symbols,
    /// What came of it.
    pub verdict: &'a TestVerdict,
    /// How often it was run.
    pub runs: u32,
    /// How many of the runs passed.
    pub passed: u32,
    /// How long that took.
    pub elapsed: Duration,
}

/// What the comparison of initial outputs is called.
pub(super) const INITIAL_OUTPUT: &str = "initial output";

impl TestResult<'_> {
    /// Whether it is no test, but the initial output.
    pub fn is_initial_output(&self) -> bool {
        self.number == 0
    }

    /// How many inputs there were up to the difference, if there is one.
    pub fn place(&self) -> Option<usize> {
        let difference = self.difference()?;
        Some(match self.is_initial_output() {
            true => 0,
            false => difference.position + 1,
        })
    }

    /// What is wrong, in a line; `None` if nothing is.
    pub fn message(&self) -> Option<String> {
        let difference = |difference: &Difference| {
            let Difference { position, found } = difference;
            if self.is_initial_output() {
                let expected = spelled(self.expected.get(0).unwrap_or_default());
                return format!("{INITIAL_OUTPUT}: expected {expected}, found {found}");
            }
            let input = self.inputs.get(*position).unwrap_or_default();
            let expected = self.expected.get(*position).unwrap_or_default();
            format!(
                "input {}, {}: expected {}, found {found}",
                position + 1,
                spelled(input),
                spelled(expected)
            )
        };
        let of_runs = format!("{} of {} runs passed", self.passed, self.runs);
        match self.verdict {
            TestVerdict::Pass => None,
            TestVerdict::Fail(d) if self.runs > 1 => Some(format!("{}; {of_runs}", difference(d))),
            TestVerdict::Fail(d) => Some(difference(d)),
            TestVerdict::Flaky(Some(d)) => {
                Some(format!("not deterministic: {of_runs}; {}", difference(d)))
            }
            TestVerdict::Flaky(None) => Some(format!("not deterministic: {of_runs}")),
            TestVerdict::Error(text) => Some(text.clone()),
        }
    }

    /// The difference, if there is one.
    pub fn difference(&self) -> Option<&Difference> {
        match self.verdict {
            TestVerdict::Fail(difference) | TestVerdict::Flaky(Some(difference)) => {
                Some(difference)
            }
            TestVerdict::Pass | TestVerdict::Flaky(_) | TestVerdict::Error(_) => None,
        }
    }

    /// The difference with up to `context` inputs and outputs before it, a line
    /// each; nothing if there is none.
    pub fn context(&self, context: usize) -> Vec<String> {
        let Some(Difference { position, found }) = self.difference() else {
            return Vec::new();
        };
        if self.is_initial_output() {
            return self.message().into_iter().collect();
        }
        let first = position.saturating_sub(context);
        let mut lines = Vec::new();
        if first > 0 {
            let inputs = counted(first as u64, "input");
            lines.push(format!("… {inputs}, answered as expected"));
        }
        let texts = |k: usize| {
            let text = |symbols: &Symbols| spelled(symbols.get(k).unwrap_or_default()).into_owned();
            (text(self.inputs), text(self.expected))
        };
        for k in first..*position {
            let (input, output) = texts(k);
            lines.push(format!("{input} => {output}"));
        }
        let (input, output) = texts(*position);
        lines.push(format!("{input} => expected {output}, found {found}"));
        lines
    }
}

/// What comes of a suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All tests passed.
    Pass,
    /// A test failed, or is flaky.
    Fail,
    /// No test failed, but some could not be executed.
    Error,
}

/// Counts of the tests of a suite that were executed.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// How many tests were executed.
    pub tests: u64,
    /// How many passed.
    pub passed: u64,
    /// How many failed.
    pub failed: u64,
    /// How many were flaky.
    pub flaky: u64,
    /// How many could not be executed to their end.
    pub errors: u64,
    /// How many inputs were answered, in all runs.
    pub symbols: u64,
    /// How often the system was reset: once a run.
    pub resets: u64,
    /// How long all that took.
    pub elapsed: Duration,
    /// The test with the shortest way to a difference: its number, and the inputs of
    /// that way.
    pub shortest: Option<(u64, Symbols)>,
    /// Why tests were left out, if some were.
    pub stopped: Option<String>,
}

impl Summary {
    /// What came of the suite.
    pub fn outcome(&self) -> Outcome {
        if self.failed + self.flaky > 0 {
            Outcome::Fail
        } else if self.errors > 0 {
            Outcome::Error
        } else {
            Outcome::Pass
        }
    }
}

impl fmt::Display for Summary {
    /// In a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} passed", counted(self.tests, "test"), self.passed)?;
        for (count, what) in [
            (self.failed, "failed"),
            (self.flaky, "not deterministic"),
            (self.errors, "could not be executed"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        let (inputs, resets) = (
            counted(self.symbols, "input"),
            counted(self.resets, "reset"),
        );
        write!(f, "; {inputs}, {resets}")?;
        match &self.stopped {
            Some(why) => write!(f, "; stopped {why}"),
            None => Ok(()),
        }
    }
}
