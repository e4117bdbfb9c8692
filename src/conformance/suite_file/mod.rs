//! Files of test suites.
//!
//! [`SuiteForm::Text`] has one test a line, symbols separated by blanks; a symbol
//! stands as it is, or as a JSON string, in which `\xNN` is a byte that is no part
//! of UTF-8. After `=>` come the expected outputs, if
//! there are any:
//!
//! ```text
//! # the comment of a suite of three tests, the second of which is empty
//! coin tea => ok tea
//!
//! coin "a cup of coffee" => ok "what\tnow"
//! ```
//!
//! [`SuiteForm::JsonLines`] has one object a line, `{"in":["coin"],"out":["ok"]}`;
//! [`SuiteForm::Pairs`] is what the libraries fsmlib-cpp and libfsmtest print:
//! `(coin/ok).(tea/tea)`.
//!
//! In all of them a line that begins with `#` is a comment, and an error is one of
//! its line: what follows can be read.

mod cursor;
mod read;
mod symbols;
mod tree;
mod write;

use hyades_formats::named;

pub use read::{SuiteError, SuiteReader, read_suite};
pub use symbols::{SuiteTest, Symbols};
pub use write::{SuiteWriter, Unwritable, WrittenSymbols, spelled};

/// How a test suite is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SuiteForm {
    /// A test a line, symbols separated by blanks.
    #[default]
    Text,
    /// A JSON object a line.
    JsonLines,
    /// A test a line, `(input/output).(input/output)`.
    Pairs,
}

named!(SuiteForm, "form of a test suite": Text = "text", JsonLines = "jsonl", Pairs = "pairs");

impl SuiteForm {
    /// The form of a suite of which this is a line that is neither blank nor a
    /// comment. (What is written in [`SuiteForm::Text`] is never taken for
    /// another.)
    pub fn of_line(line: &[u8]) -> Self {
        let line = line.trim_ascii();
        if line.starts_with(b"{") {
            SuiteForm::JsonLines
        } else if line.starts_with(b"(") && line.ends_with(b")") {
            SuiteForm::Pairs
        } else {
            SuiteForm::Text
        }
    }
}

#[cfg(test)]
mod tests;
