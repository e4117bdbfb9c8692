//! Reports of tests, in the forms that other tools read.

mod json;
mod junit;
mod tap;

use std::io;

use super::results::{INITIAL_OUTPUT, Summary, TestResult};
use crate::suite_file::spelled;

pub use json::JsonReport;
pub use junit::JUnit;
pub use tap::Tap;

/// Where results go.
pub trait Report {
    /// Before the first test; how many there will be, if that is known.
    ///
    /// # Errors
    /// If the output refuses, as for the others.
    fn begin(&mut self, planned: Option<u64>) -> io::Result<()>;

    /// After each test.
    ///
    /// # Errors
    /// If the output refuses.
    fn test(&mut self, result: &TestResult<'_>) -> io::Result<()>;

    /// After the last test; why there was no system to go on with, if so.
    ///
    /// # Errors
    /// If the output refuses.
    fn end(&mut self, summary: &Summary, failed: Option<&str>) -> io::Result<()>;
}

/// No report.
impl Report for () {
    fn begin(&mut self, _: Option<u64>) -> io::Result<()> {
        Ok(())
    }

    fn test(&mut self, _: &TestResult<'_>) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: &Summary, _: Option<&str>) -> io::Result<()> {
        Ok(())
    }
}

/// Several reports of the same tests.
impl Report for Vec<Box<dyn Report + '_>> {
    fn begin(&mut self, planned: Option<u64>) -> io::Result<()> {
        self.iter_mut().try_for_each(|report| report.begin(planned))
    }

    fn test(&mut self, result: &TestResult<'_>) -> io::Result<()> {
        self.iter_mut().try_for_each(|report| report.test(result))
    }

    fn end(&mut self, summary: &Summary, failed: Option<&str>) -> io::Result<()> {
        let mut reports = self.iter_mut();
        reports.try_for_each(|report| report.end(summary, failed))
    }
}

/// How many inputs and outputs before a difference are shown.
const CONTEXT: usize = 5;

/// The first inputs of a test, as its name.
fn name(result: &TestResult<'_>) -> String {
    const SHOWN: usize = 16;
    if result.is_initial_output() {
        return INITIAL_OUTPUT.into();
    }
    let inputs = result.inputs;
    if inputs.is_empty() {
        return "(no input)".into();
    }
    let mut name = String::new();
    for (k, input) in inputs.iter().take(SHOWN).enumerate() {
        if k > 0 {
            name.push(' ');
        }
        name.push_str(&spelled(input));
    }
    if inputs.len() > SHOWN {
        name.push_str(&format!(" … ({} inputs)", inputs.len()));
    }
    name
}
