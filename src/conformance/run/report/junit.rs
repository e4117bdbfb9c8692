//! XML as JUnit and the tools around it have it.

use std::io::{self, Write};
use std::time::Duration;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::{CONTEXT, Report, Summary, TestResult, name};
use crate::run::results::TestVerdict;

/// A `testcase` for each test. The counts come first, so that all is kept in memory
/// until the end: some 100 bytes a test.
pub struct JUnit<'a> {
    output: &'a mut dyn Write,
    suite: String,
    cases: Writer<Vec<u8>>,
}

hyades_base::opaque!(JUnit<'_>);

impl<'a> JUnit<'a> {
    /// A report into `output`, on a suite of this name.
    pub fn new(output: &'a mut dyn Write, suite: &str) -> Self {
        Self {
            output,
            suite: allowed(suite),
            cases: Writer::new(Vec::new()),
        }
    }

    fn case(&mut self, name: &str, elapsed: Duration, wrong: Option<Wrong<'_>>) -> io::Result<()> {
        let case = self.cases.create_element("testcase").with_attributes([
            ("classname", &*self.suite),
            ("name", &*allowed(name)),
            ("time", &*seconds(elapsed)),
        ]);
        match wrong {
            None => case.write_empty()?,
            Some(wrong) => case.write_inner_content(|inner| {
                let element = inner
                    .create_element(wrong.element)
                    .with_attributes([("type", wrong.kind), ("message", &*allowed(wrong.message))]);
                element.write_text_content(BytesText::new(&allowed(&wrong.text)))?;
                Ok(())
            })?,
        };
        self.cases.get_mut().push(b'\n');
        Ok(())
    }
}

/// What is inside a `testcase` that did not pass.
struct Wrong<'a> {
    element: &'static str,
    kind: &'static str,
    message: &'a str,
    text: String,
}

impl Report for JUnit<'_> {
    fn begin(&mut self, _: Option<u64>) -> io::Result<()> {
        Ok(())
    }

    fn test(&mut self, result: &TestResult<'_>) -> io::Result<()> {
        let name = match result.is_initial_output() {
            true => name(result),
            false => format!("test {}: {}", result.number, name(result)),
        };
        let message = result.message().unwrap_or_default();
        let (element, kind) = match result.verdict {
            TestVerdict::Pass => return self.case(&name, result.elapsed, None),
            TestVerdict::Fail(_) => ("failure", "difference"),
            TestVerdict::Flaky(_) => ("failure", "nondeterminism"),
            TestVerdict::Error(_) => ("error", "execution"),
        };
        let context = result.context(CONTEXT);
        let text = if context.is_empty() {
            message.clone()
        } else {
            context.join("\n")
        };
        let wrong = Wrong {
            element,
            kind,
            message: &message,
            text,
        };
        self.case(&name, result.elapsed, Some(wrong))
    }

    fn end(&mut self, summary: &Summary, failed: Option<&str>) -> io::Result<()> {
        if let Some(why) = failed {
            let wrong = Wrong {
                element: "error",
                kind: "start",
                message: why,
                text: why.into(),
            };
            self.case("the system under test", Duration::ZERO, Some(wrong))?;
        }
        let extra = u64::from(failed.is_some());
        let counts = [
            ("tests", (summary.tests + extra).to_string()),
            ("failures", (summary.failed + summary.flaky).to_string()),
            ("errors", (summary.errors + extra).to_string()),
            ("time", seconds(summary.elapsed)),
        ];
        let attributes = || counts.iter().map(|(key, value)| (*key, value.as_str()));
        let mut output = Writer::new(&mut self.output);
        line(
            &mut output,
            Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)),
        )?;
        let suites = BytesStart::new("testsuites").with_attributes(attributes());
        line(&mut output, Event::Start(suites))?;
        let suite = BytesStart::new("testsuite")
            .with_attributes([("name", &*self.suite), ("skipped", "0")])
            .with_attributes(attributes());
        line(&mut output, Event::Start(suite))?;
        output.get_mut().write_all(self.cases.get_mut())?;
        output
            .create_element("system-out")
            .write_text_content(BytesText::new(&allowed(&summary.to_string())))?;
        output.get_mut().write_all(b"\n")?;
        line(&mut output, Event::End(BytesEnd::new("testsuite")))?;
        line(&mut output, Event::End(BytesEnd::new("testsuites")))
    }
}

fn line(output: &mut Writer<impl Write>, event: Event<'_>) -> io::Result<()> {
    output.write_event(event)?;
    output.get_mut().write_all(b"\n")
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// A text of characters that XML 1.0 allows, the others replaced.
fn allowed(text: &str) -> String {
    let is_allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let allow = |c| {
        if is_allowed(c) {
            c
        } else {
            char::REPLACEMENT_CHARACTER
        }
    };
    text.chars().map(allow).collect()
}
