//! How labels are written in AUT, and which cannot be.

use super::grammar::is_identifier;
use crate::diagnostic::{Log, Severity, excerpt};
use crate::options::{Dialect, Quote, WriteOptions};
use crate::spelling;

/// The text of the hidden action.
pub(super) fn hidden(options: &WriteOptions) -> &'static [u8] {
    options.dialect.map_or("i", Dialect::hidden).as_bytes()
}

/// Whether a visible label is written just as it is, without a word.
fn is_plain(text: &[u8], options: &WriteOptions) -> bool {
    text.iter().all(|b| matches!(b, 0x20..=0x7e)) && text != hidden(options)
}

/// Whether a label has what reads like an unprintable byte of another one.
fn has_escape(text: &[u8]) -> bool {
    let is_digit = |b: u8| matches!(b, b'0'..=b'9' | b'A'..=b'F');
    let mut windows = text.windows(4);
    windows.any(|four| four.starts_with(b"\\x") && four[2..].iter().all(|&b| is_digit(b)))
}

/// Spells labels and remembers what is wrong with them.
pub(super) struct Speller<'a> {
    options: &'a WriteOptions,
    warned: bool,
}

impl<'a> Speller<'a> {
    pub fn new(options: &'a WriteOptions) -> Self {
        Self {
            options,
            warned: false,
        }
    }

    /// Whether a visible label needs more than quotes.
    pub fn is_odd(&self, text: &[u8]) -> bool {
        !is_plain(text, self.options)
    }

    /// Appends the hidden action as it stands in a line.
    pub fn hidden(&self, out: &mut Vec<u8>) {
        self.quote(hidden(self.options), out);
    }

    /// Appends a visible label as it stands in a line; `known` tells whether
    /// another label has a text.
    pub fn visible(
        &mut self,
        text: &[u8],
        known: impl Fn(&[u8]) -> bool,
        log: &mut Log,
        out: &mut Vec<u8>,
    ) {
        if is_plain(text, self.options) {
            return self.quote(text, out);
        }
        let text = spelling::visible(text, hidden(self.options), true, self.options, &known, log);
        let mut printable = Vec::with_capacity(text.len());
        for &b in text {
            if b >= 0x20 && b != 0x7f {
                printable.push(b);
            } else {
                printable.extend_from_slice(format!("\\x{b:02X}").as_bytes());
            }
        }
        if printable.len() != text.len() {
            let (severity, advice) = match self.options.lossy {
                false => (Severity::Error, "--lossy writes \\xHH instead"),
                // One label could be made of two.
                true if known(&printable) || has_escape(text) => (
                    Severity::Error,
                    "written as \\xHH it may read like another label: rename it",
                ),
                true => (Severity::Warning, "written as \\xHH"),
            };
            log.add(severity, "aut-unprintable", None, || {
                format!(
                    "label {} has a byte that AUT cannot express; {advice}",
                    excerpt(text)
                )
            });
        }
        if text.iter().any(|&b| b >= 0x80) {
            if self.options.ascii {
                log.add(Severity::Error, "aut-non-ascii", None, || {
                    format!("label {} has a byte beyond ASCII", excerpt(text))
                });
            } else if !self.warned {
                self.warned = true;
                log.add(Severity::Warning, "aut-non-ascii", None, || {
                    format!(
                        "label {} has a byte beyond ASCII; not every reader accepts it",
                        excerpt(text)
                    )
                });
            }
        }
        self.quote(&printable, out);
    }

    fn quote(&self, text: &[u8], out: &mut Vec<u8>) {
        if self.options.quote == Quote::Needed && is_identifier(text) {
            out.extend_from_slice(text);
        } else {
            out.push(b'"');
            out.extend_from_slice(text);
            out.push(b'"');
        }
    }
}
