//! JSON: a line for each test, or one object.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Report, Summary, TestResult};
use crate::run::results::{Outcome, Seen};
use crate::suite_file::Symbols;
use crate::text::legible;

/// An object for each test, with its inputs and expected outputs as in
/// [`SuiteForm::JsonLines`](crate::SuiteForm::JsonLines), then one for
/// the whole. A byte that is no part of UTF-8 is `\xNN`.
pub struct JsonReport<'a> {
    output: &'a mut dyn Write,
    /// Whether all is one object, with the tests in an array.
    is_one_object: bool,
    is_first: bool,
}

hyades_base::opaque!(JsonReport<'_>);

impl<'a> JsonReport<'a> {
    /// A report into `output`, which should be buffered.
    pub fn new(output: &'a mut dyn Write) -> Self {
        Self {
            output,
            is_one_object: false,
            is_first: true,
        }
    }

    /// One object instead of one a line: what there is for the whole, with its
    /// `verdict`, and the objects of tests as `results`.
    pub fn one_object(output: &'a mut dyn Write) -> Self {
        Self {
            is_one_object: true,
            ..Self::new(output)
        }
    }
}

/// Texts as an array.
pub(super) fn texts(symbols: &Symbols) -> Value {
    symbols.iter().map(legible).collect()
}

/// What was found: a text, or `null` if there was no output.
pub(super) fn found(seen: &Seen) -> Value {
    match seen {
        Seen::Output(output) => legible(output).into(),
        Seen::Timeout(_) | Seen::Undefined => Value::Null,
    }
}

impl Report for JsonReport<'_> {
    fn begin(&mut self, _: Option<u64>) -> io::Result<()> {
        match self.is_one_object {
            true => write!(self.output, "{{\"results\":["),
            false => Ok(()),
        }
    }

    fn test(&mut self, result: &TestResult<'_>) -> io::Result<()> {
        let mut object = json!({
            "test": result.number,
            "verdict": result.verdict.name(),
            "in": texts(result.inputs),
            "out": texts(result.expected),
            "runs": result.runs,
            "passed": result.passed,
            "seconds": result.elapsed.as_secs_f64(),
        });
        if let Some(message) = result.message() {
            object["message"] = message.into();
        }
        if let (Some(difference), Some(place)) = (result.difference(), result.place()) {
            object["position"] = place.into();
            object["found"] = found(&difference.found);
        }
        if !self.is_one_object {
            return writeln!(self.output, "{object}");
        }
        let separator = if self.is_first { "" } else { "," };
        self.is_first = false;
        write!(self.output, "{separator}\n{object}")
    }

    fn end(&mut self, summary: &Summary, failed: Option<&str>) -> io::Result<()> {
        let shortest = summary
            .shortest
            .as_ref()
            .map(|(number, inputs)| json!({"test": number, "in": texts(inputs)}));
        let mut object = json!({
            "tests": summary.tests,
            "passed": summary.passed,
            "failed": summary.failed,
            "flaky": summary.flaky,
            "errors": summary.errors,
            "symbols": summary.symbols,
            "resets": summary.resets,
            "seconds": summary.elapsed.as_secs_f64(),
            "shortest": shortest,
            "stopped": summary.stopped,
            "failure": failed,
        });
        if !self.is_one_object {
            return writeln!(self.output, "{object}");
        }
        object["verdict"] = match summary.outcome() {
            Outcome::Error => "error",
            _ if failed.is_some() => "error",
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
        }
        .into();
        let text = object.to_string();
        writeln!(self.output, "\n],{}", &text[1..])
    }
}
