//! Executing tests against a system that is only seen from outside.
//!
//! A [`SystemUnderTest`] answers inputs one after the other: another machine
//! ([`MachineSystem`]), or whatever speaks a line protocol ([`Remote`]), as a child
//! process ([`Program`]) or at a socket ([`Server`]). [`run_suite`] executes a suite
//! and tells each result to a [`Report`]: [`Tap`], [`JUnit`] or [`JsonReport`].
//!
//! A test ends at the first answer that is not the expected one, as nothing that
//! comes later can be judged.

mod against;
mod groups;
mod lines;
mod order;
mod program;
mod protocol;
mod remote;
mod report;
mod results;
mod runner;
mod server;
mod spawn;

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

use hyades_formats::diagnostic::excerpt;

use super::suite_file::Symbols;
use hyades_formats::diagnostic::counted;

pub use against::MachineSystem;
pub use groups::kill_programs;
pub use lines::Lines;
pub use order::Order;
pub use program::Program;
pub use protocol::{Acknowledgement, Protocol, Query, Reset, Silence};
pub use remote::{Remote, Transport};
pub use report::{JUnit, JsonReport, Report, Tap};
pub use results::{Difference, Outcome, Seen, Summary, TestResult, TestVerdict};
pub use runner::{Flaky, RunError, RunOptions, Runner, Stop, run_suite};
pub use server::{Address, Server};

/// What a system does after an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observation<'a> {
    /// It gives this output.
    Output(&'a [u8]),
    /// It says nothing in this time.
    Timeout(Duration),
    /// It is a machine without a transition for this input.
    Undefined,
}

/// Something that can be tested.
pub trait SystemUnderTest {
    /// Brings the system into its initial state, whatever happened before.
    ///
    /// # Errors
    /// If that does not succeed.
    fn reset(&mut self) -> Result<(), SystemError>;

    /// The output before the first input, of a system that can be asked for it.
    fn initial_output(&self) -> Option<&[u8]> {
        None
    }

    /// Gives the system an input and observes what it does.
    ///
    /// # Errors
    /// If the system does not keep to the rules. It must be reset before anything
    /// else then, and after [`Observation::Timeout`].
    fn step(&mut self, input: &[u8]) -> Result<Observation<'_>, SystemError>;

    /// Executes a test from the initial state on: tells what is observed for each
    /// input, in order, until `observe` has seen enough.
    ///
    /// # Errors
    /// As for the others.
    fn execute(
        &mut self,
        inputs: &Symbols,
        observe: &mut dyn FnMut(Observation<'_>) -> ControlFlow<()>,
    ) -> Result<(), SystemError> {
        self.reset()?;
        for input in inputs.iter() {
            if observe(self.step(input)?).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Why a test cannot be executed.
#[derive(Debug)]
pub enum SystemError {
    /// The system cannot be started or connected to.
    Start {
        /// The system.
        what: String,
        /// What the operating system says.
        error: io::Error,
    },
    /// Talking to it fails.
    Io(io::Error),
    /// It has gone, or closed a pipe; with what is known about it.
    Ended(String),
    /// It writes a line of more bytes than that.
    LongLine(usize),
    /// It writes something without being asked.
    Unasked(Box<[u8]>),
    /// It does not acknowledge a reset, or that it is ready.
    Acknowledgement {
        /// What was expected.
        expected: String,
        /// What came instead.
        found: String,
    },
    /// It does not answer a whole test in this time.
    NoAnswer(Duration),
    /// An input cannot be sent.
    Unsendable {
        /// The input.
        input: Box<[u8]>,
        /// Why not.
        why: &'static str,
    },
    /// It answers a whole test with another number of outputs.
    AnswerCount {
        /// How many there are.
        found: usize,
        /// How many inputs there were.
        expected: usize,
    },
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SystemError::Start { what, error } => write!(f, "cannot start {what}: {error}"),
            SystemError::Io(error) => write!(f, "talking to the system failed: {error}"),
            SystemError::Ended(why) => f.write_str(why),
            SystemError::LongLine(limit) => {
                write!(f, "the system writes a line of more than {limit} bytes")
            }
            SystemError::Unasked(text) => write!(
                f,
                "the system writes {} without being asked; expected one line for each input",
                excerpt(text)
            ),
            SystemError::Acknowledgement { expected, found } => {
                write!(f, "found {found}, expected {expected}")
            }
            SystemError::NoAnswer(time) => write!(f, "the system gives no answer in {time:?}"),
            SystemError::Unsendable { input, why } => {
                write!(f, "input {} cannot be sent: {why}", excerpt(input))
            }
            SystemError::AnswerCount { found, expected } => write!(
                f,
                "the system answers with {}, expected {expected}, one for each input",
                counted(*found as u64, "output")
            ),
        }
    }
}

impl std::error::Error for SystemError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SystemError::Start { error, .. } | SystemError::Io(error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
