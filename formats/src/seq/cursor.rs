//! What both readers of SEQ go through a text with: lines, blanks, comments.

use crate::diagnostic::{Log, Position, Severity};
use crate::options::Mode;
use crate::tolerance::{tolerated, without_mark};

/// The bytes that comments stand between.
const COMMENT: (u8, u8) = (0x01, 0x02);

/// A place in a text.
pub(super) struct Cursor<'a> {
    pub text: &'a [u8],
    pub at: usize,
    /// The line that `at` is on, from 1, and where it begins.
    line: u64,
    line_start: usize,
    mode: Mode,
    pub log: &'a mut Log,
}

impl<'a> Cursor<'a> {
    /// The beginning of a text.
    pub fn new(text: &'a [u8], mode: Mode, log: &'a mut Log) -> Self {
        let rest = without_mark(text, "seq-bom", mode, log);
        Self {
            text,
            at: text.len() - rest.len(),
            line: 1,
            line_start: 0,
            mode,
            log,
        }
    }

    /// The place of a byte of this line.
    pub fn position(&self, at: usize) -> Option<Position> {
        Some(Position::new(self.line, (at - self.line_start) as u64 + 1))
    }

    /// Tells what is tolerated outside strict mode only.
    pub fn tolerate(&mut self, code: &'static str, at: usize, text: &str) {
        let position = self.position(at);
        self.log
            .add(tolerated(self.mode), code, position, || text.into());
    }

    pub fn error(&mut self, code: &'static str, at: usize, text: impl FnOnce() -> String) {
        let position = self.position(at);
        self.log.add(Severity::Error, code, position, text);
    }

    /// What is left.
    pub fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    pub fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Whether the line ends here; a carriage return may stand before its end.
    pub fn is_end(&self) -> bool {
        matches!(self.rest(), [] | [b'\n', ..] | [b'\r'] | [b'\r', b'\n', ..])
    }

    /// Goes on to the next line, or over a newline within a comment.
    fn newline(&mut self) {
        self.at += 1;
        self.line += 1;
        self.line_start = self.at;
    }

    /// Goes over what is left of the line, comments and all.
    pub fn skip_line(&mut self) {
        while let Some(byte) = self.byte() {
            match byte {
                b'\n' => return self.newline(),
                _ if byte == COMMENT.0 => self.comment(),
                _ => self.at += 1,
            }
        }
    }

    /// Goes over blanks and comments; tells whether there were comments.
    pub fn skip_blanks(&mut self) -> bool {
        let mut commented = false;
        while let Some(byte) = self.byte() {
            match byte {
                b' ' | b'\t' => self.at += 1,
                _ if byte == COMMENT.0 => {
                    commented = true;
                    self.comment();
                }
                _ => break,
            }
        }
        commented
    }

    /// Goes over a comment.
    fn comment(&mut self) {
        let position = self.position(self.at);
        while let Some(byte) = self.byte() {
            match byte {
                b'\n' => self.newline(),
                _ => self.at += 1,
            }
            if byte == COMMENT.1 {
                return;
            }
        }
        self.log.add(Severity::Error, "seq-comment", position, || {
            "a comment without an end (byte 02)".into()
        });
    }

    /// What stands between the quotes that begin here, which are gone over. Without a
    /// closing quote that is an error, and `None`.
    pub fn quoted(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        let end = memchr::memchr2(b'"', b'\n', &rest[1..]).map(|k| k + 1);
        match end.filter(|&k| rest[k] == b'"') {
            Some(end) => {
                self.at += end + 1;
                Some(&rest[1..end])
            }
            None => {
                self.error("seq-quote", self.at, || {
                    "a label without a closing quote; there are no escapes".into()
                });
                None
            }
        }
    }
}
