//! JSON Lines.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Report, Summary, TestResult};
use crate::run::results::Seen;
use crate::suite_file::Symbols;
use crate::text::legible;

/// An object for each test, with its inputs and expected outputs as in
/// [`SuiteForm::JsonLines`](crate::SuiteForm::JsonLines), then one for
/// the whole. A byte that is no part of UTF-8 is `\xNN`.
pub struct JsonReport<'a> {
    output: &'a mut dyn Write,
}

impl<'a> JsonReport<'a> {
    /// A report into `output`, which should be buffered.
    pub fn new(output: &'a mut dyn Write) -> Self {
        Self { output }
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
        Ok(())
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
        writeln!(self.output, "{object}")
    }

    fn end(&mut self, summary: &Summary, failed: Option<&str>) -> io::Result<()> {
        let shortest = summary
            .shortest
            .as_ref()
            .map(|(number, inputs)| json!({"test": number, "in": texts(inputs)}));
        let object = json!({
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
        writeln!(self.output, "{object}")
    }
}
