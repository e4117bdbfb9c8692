//! Reading test suites.

use std::fmt;
use std::io::{self, BufRead};
use std::sync::Arc;

use hyades_formats::diagnostic::Log;
use hyades_formats::{BYTE_ORDER_MARK, Diagnostic, Position, ReadError, Severity, Sink};

use super::SuiteForm;
use super::cursor::Cursor;
use super::symbols::SuiteTest;
use crate::machine::{InputId, Machine};
use hyades_formats::diagnostic::counted;

/// The longest line that is accepted, in bytes.
const MAX_LINE: usize = 64 << 20;

/// Why a test cannot be read.
#[derive(Debug)]
pub enum SuiteError {
    /// The input fails.
    Io(io::Error),
    /// A line is wrong. It has been skipped: what follows can be read. The
    /// diagnostic has no file.
    Line(Diagnostic),
}

impl fmt::Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SuiteError::Io(error) => error.fmt(f),
            SuiteError::Line(diagnostic) => diagnostic.fmt(f),
        }
    }
}

impl std::error::Error for SuiteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SuiteError::Io(error) => Some(error),
            SuiteError::Line(_) => None,
        }
    }
}

/// Reads a suite test by test, as it arrives. Memory for one line.
#[derive(Debug)]
pub struct SuiteReader<R> {
    input: R,
    form: Option<SuiteForm>,
    bytes: Vec<u8>,
    test: SuiteTest,
}

impl<R: BufRead> SuiteReader<R> {
    /// Reads from `input`; without a form, the first line that is neither blank
    /// nor a comment [tells](SuiteForm::of_line).
    pub fn new(input: R, form: Option<SuiteForm>) -> Self {
        Self {
            input,
            form,
            bytes: Vec::new(),
            test: SuiteTest::default(),
        }
    }

    /// The form, if it is known by now.
    pub fn form(&self) -> Option<SuiteForm> {
        self.form
    }

    /// The next test, `None` at the end.
    ///
    /// # Errors
    /// If the input fails, or the next line is wrong: `suite-syntax`,
    /// `suite-outputs`, `suite-line-length`.
    pub fn next_test(&mut self) -> Result<Option<&SuiteTest>, SuiteError> {
        loop {
            let Some(fits) = self.read_line().map_err(SuiteError::Io)? else {
                return Ok(None);
            };
            if !fits {
                let text = format!(
                    "found a line of more than {} MiB, expected a shorter one",
                    MAX_LINE >> 20
                );
                return Err(self.error("suite-line-length", 0, text));
            }
            let mark = match self.test.line {
                1 if self.bytes.starts_with(BYTE_ORDER_MARK) => BYTE_ORDER_MARK.len(),
                _ => 0,
            };
            let line = &self.bytes[mark..];
            let is_blank = line.trim_ascii().is_empty();
            if line.starts_with(b"#") || is_blank && self.form == Some(SuiteForm::JsonLines) {
                continue;
            }
            if self.form.is_none() && !is_blank {
                self.form = Some(SuiteForm::of_line(line));
            }
            self.test.clear();
            let mut cursor = Cursor::new(line);
            let parsed = match self.form {
                Some(SuiteForm::JsonLines) => cursor.object(&mut self.test),
                Some(SuiteForm::Pairs) => cursor.pairs(&mut self.test),
                Some(SuiteForm::Text) | None => cursor.text(&mut self.test),
            };
            if let Err((at, text)) = parsed {
                return Err(self.error("suite-syntax", mark + at, text));
            }
            let test = &mut self.test;
            for column in &mut test.columns {
                *column += mark as u64;
            }
            let (inputs, outputs) = (test.inputs.len(), test.outputs.len());
            if test.has_outputs && inputs != outputs {
                let text = format!(
                    "found {} for {}, expected as many",
                    counted(outputs as u64, "output"),
                    counted(inputs as u64, "input")
                );
                return Err(self.error("suite-outputs", mark, text));
            }
            return Ok(Some(&self.test));
        }
    }

    fn error(&self, code: &'static str, at: usize, text: String) -> SuiteError {
        SuiteError::Line(Diagnostic {
            severity: Severity::Error,
            code,
            file: None,
            position: Some(Position::new(self.test.line, at as u64 + 1)),
            text,
        })
    }

    /// Reads a line, without its end; tells whether it fits. `None` at the end.
    fn read_line(&mut self) -> io::Result<Option<bool>> {
        self.bytes.clear();
        let mut fits = true;
        loop {
            let part = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                part => part?,
            };
            let end = part.iter().position(|&b| b == b'\n');
            let taken = &part[..end.unwrap_or(part.len())];
            if part.is_empty() && self.bytes.is_empty() && fits {
                return Ok(None);
            }
            let is_last = part.is_empty() || end.is_some();
            fits &= self.bytes.len() + taken.len() <= MAX_LINE;
            if fits {
                self.bytes.extend_from_slice(taken);
            }
            let length = taken.len() + usize::from(end.is_some());
            self.input.consume(length);
            if is_last {
                self.test.line += 1;
                return Ok(Some(fits));
            }
        }
    }
}

/// Reads a suite for a machine; hands each test to `tell`. What is wrong or
/// doubtful goes to `sink`.
///
/// # Errors
/// If the input fails, or there are errors in it: those of
/// [`SuiteReader::next_test`], and inputs that the machine does not have
/// (`suite-unknown-input`). Tests may have been told before.
pub fn read_suite(
    name: &Arc<str>,
    input: impl BufRead,
    form: Option<SuiteForm>,
    machine: &Machine,
    sink: &mut Sink<'_>,
    tell: &mut dyn FnMut(&[InputId]),
) -> Result<(), ReadError> {
    let mut reader = SuiteReader::new(input, form);
    let mut log = Log::new();
    let mut word = Vec::new();
    let ended = loop {
        let found = match reader.next_test() {
            Ok(None) => break Ok(()),
            Ok(Some(test)) => match test.word(machine, &mut word) {
                Ok(()) => {
                    tell(&word);
                    test.doubt(machine, &word)
                }
                Err(error) => Some(error),
            },
            Err(SuiteError::Line(error)) => Some(error),
            Err(SuiteError::Io(error)) => break Err(error),
        };
        if let Some(found) = found {
            log.add(found.severity, found.code, found.position, || found.text);
        }
    };
    let errors = log.errors();
    log.drain_into(Some(name), sink);
    let file = Arc::clone(name);
    match ended {
        Err(error) => Err(ReadError::Io { file, error }),
        Ok(()) if errors > 0 => Err(ReadError::Refused { file, errors }),
        Ok(()) => Ok(()),
    }
}
