//! The Test Anything Protocol, version 13 (testanything.org).

use std::io::{self, Write};

use serde_json::{Value, json};

use super::json::{found, texts};
use super::{Report, Summary, TestResult, name};
use crate::run::results::TestVerdict;

/// A line for each test; after one that did not pass, a block of YAML, with values
/// as in JSON.
pub struct Tap<'a> {
    output: &'a mut dyn Write,
    planned: Option<u64>,
    told: u64,
}

hyades_base::opaque!(Tap<'_>);

impl<'a> Tap<'a> {
    /// A report into `output`, which should be buffered.
    pub fn new(output: &'a mut dyn Write) -> Self {
        Self {
            output,
            planned: None,
            told: 0,
        }
    }
}

impl Report for Tap<'_> {
    fn begin(&mut self, planned: Option<u64>) -> io::Result<()> {
        self.planned = planned;
        writeln!(self.output, "TAP version 13")?;
        match planned {
            Some(tests) => writeln!(self.output, "1..{tests}"),
            None => Ok(()),
        }
    }

    fn test(&mut self, result: &TestResult<'_>) -> io::Result<()> {
        self.told += 1;
        let verdict = match result.verdict {
            TestVerdict::Pass => "ok",
            TestVerdict::Fail(_) | TestVerdict::Flaky(_) | TestVerdict::Error(_) => "not ok",
        };
        // A `#` would begin a directive, such as TODO.
        let name = name(result).replace('\\', "\\\\").replace('#', "\\#");
        writeln!(self.output, "{verdict} {} - {name}", self.told)?;
        if *result.verdict == TestVerdict::Pass {
            return Ok(());
        }
        let mut lines: Vec<(&str, Value)> = vec![
            ("message", result.message().into()),
            ("severity", result.verdict.name().into()),
            ("test", result.number.into()),
        ];
        if result.runs > 1 {
            lines.push(("runs", json!({"passed": result.passed, "all": result.runs})));
        }
        if let (Some(difference), Some(place)) = (result.difference(), result.place()) {
            lines.push(("position", place.into()));
            lines.push(("found", found(&difference.found)));
        }
        lines.push(("inputs", texts(result.inputs)));
        lines.push(("expected", texts(result.expected)));
        writeln!(self.output, "  ---")?;
        for (key, value) in lines {
            writeln!(self.output, "  {key}: {value}")?;
        }
        writeln!(self.output, "  ...")
    }

    fn end(&mut self, summary: &Summary, failed: Option<&str>) -> io::Result<()> {
        if failed.is_some() {
            // What reads this counts no run as passed that has failures, or no plan.
            self.told += 1;
            writeln!(self.output, "not ok {} - the system under test", self.told)?;
        }
        match (self.planned, self.told) {
            (Some(_), _) => {}
            (None, 0) => writeln!(self.output, "1..0 # SKIP there are no tests")?,
            (None, told) => writeln!(self.output, "1..{told}")?,
        }
        if let Some(why) = failed {
            writeln!(self.output, "Bail out! {why}")?;
        } else if self.planned != Some(self.told)
            && self.planned.is_some()
            && let Some(why) = &summary.stopped
        {
            writeln!(self.output, "Bail out! stopped {why}")?;
        }
        writeln!(self.output, "# {summary}")
    }
}
