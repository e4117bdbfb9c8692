//! Verdicts in the form of JUnit, as servers of continuous integration read it.

use std::fmt::Write;
use std::time::Duration;

/// A formula, as a test case.
pub struct Case<'a> {
    pub name: &'a str,
    pub file: &'a str,
    /// `TRUE`, `FALSE`, `UNKNOWN` or `ERROR`.
    pub word: &'static str,
    /// Why it is unknown, or what the error is.
    pub why: Option<&'a str>,
    /// Why it is false.
    pub text: Option<Vec<u8>>,
    pub elapsed: Duration,
}

/// The report.
pub fn report(cases: &[Case<'_>]) -> Vec<u8> {
    let count = |word: &str| cases.iter().filter(|case| case.word == word).count();
    let elapsed: Duration = cases.iter().map(|case| case.elapsed).sum();
    let counts = format!(
        "name=\"check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\"",
        cases.len(),
        count("FALSE"),
        count("ERROR"),
        count("UNKNOWN"),
        seconds(elapsed),
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n<testsuite {counts}>\n"
    );
    for case in cases {
        let inner = match case.word {
            "FALSE" => {
                let shown = case.text.as_deref().unwrap_or_default();
                let shown = escaped(&String::from_utf8_lossy(shown));
                format!("<failure type=\"verdict\" message=\"FALSE\">{shown}</failure>")
            }
            "ERROR" => {
                let why = escaped(case.why.unwrap_or("ERROR"));
                format!("<error type=\"error\" message=\"{why}\"/>")
            }
            "UNKNOWN" => {
                let why = escaped(case.why.unwrap_or("UNKNOWN"));
                format!("<skipped message=\"{why}\"/>")
            }
            _ => String::new(),
        };
        writeln!(
            text,
            "<testcase classname=\"{}\" name=\"{}\" time=\"{}\">{inner}</testcase>",
            escaped(case.file),
            escaped(case.name),
            seconds(case.elapsed),
        )
        .expect("writing to a string");
    }
    text.push_str("</testsuite>\n</testsuites>\n");
    text.into_bytes()
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// Characters that XML 1.0 does not allow are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(c),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
