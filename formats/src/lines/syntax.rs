//! What tells formats of one transition a line apart.

use super::part::{Codes, Number, Part, Rules};
use super::scan::Line;
use crate::diagnostic::{Log, Position, Severity, counted};
use crate::error::Failure;
use crate::lts::LabelTable;
use crate::options::ReadOptions;

/// What a header says, or what holds without one.
#[derive(Default)]
pub(crate) struct Announced {
    /// The initial state, which is in range.
    pub initial: Number,
    pub transitions: Option<u64>,
    pub states: Option<Number>,
    /// The labels that are hidden, if the file tells.
    pub hidden: Option<Vec<Vec<u8>>>,
}

/// A line that may be a header.
pub(crate) struct Header<'a> {
    /// The line without its LF.
    pub line: &'a [u8],
    /// Whether it has an LF.
    pub complete: bool,
    /// Its number, from 1.
    pub number: u64,
    /// So many bytes stand before it in its line.
    pub skipped: usize,
    pub options: &'a ReadOptions,
}

impl Header<'_> {
    /// The position of a byte of the line.
    pub fn position(&self, at: usize) -> Option<Position> {
        Some(Position::new(self.number, (self.skipped + at) as u64 + 1))
    }

    /// Whether the line is longer than any may be; complains if so.
    pub fn is_too_long(&self, code: &'static str, log: &mut Log) -> bool {
        let long = self.skipped + self.line.len() > self.options.max_line;
        if long {
            log.add(Severity::Error, code, self.position(0), || {
                format!("line of more than {} bytes", self.options.max_line)
            });
        }
        long
    }

    /// Whether there is a state, and the initial one exists; complains if not.
    pub fn check(&self, announced: &Announced, codes: &Codes, log: &mut Log) -> bool {
        let Announced { initial, .. } = announced;
        let Some(states) = announced.states else {
            return true;
        };
        if states.value == 0 {
            log.add(
                Severity::Error,
                codes.no_states,
                self.position(states.at),
                || "no states: an LTS has at least its initial state".into(),
            );
        } else if initial.value >= states.value {
            log.add(
                Severity::Error,
                codes.state_range,
                self.position(initial.at),
                || {
                    format!(
                        "initial state {} of a file of {} (0 is the first)",
                        initial.value,
                        counted(states.value, "state")
                    )
                },
            );
        }
        initial.value < states.value
    }
}

/// A format of one transition a line.
pub(crate) trait Syntax: Sync {
    const CODES: Codes;

    /// What is missing from a file of blank lines only.
    const EMPTY: &'static str;

    /// Labels that may be meant to be hidden.
    const HINTS: &[&str] = &["tau", "τ"];

    /// The bytes of the shortest transition line, LF included.
    const SHORTEST_LINE: usize;

    /// Whether a line, given without its LF, has nothing on it; `complete` says if there was
    /// one.
    fn is_blank(line: &[u8], complete: bool) -> bool;

    /// Understands a header; none if the line is none and none is needed, so
    /// that the line is read as a transition.
    ///
    /// # Errors
    /// If reading cannot go on. What is wrong stands in the log.
    fn header(&self, header: &Header<'_>, log: &mut Log) -> Result<Option<Announced>, Failure>;

    /// Reads the line that begins at `start`, if it is of the usual kind and
    /// well before the end of `bytes`, but for what is in the label.
    ///
    /// [`Syntax::line`] finds the same, if only the label
    /// [is usual](Syntax::is_usual).
    fn scan(bytes: &[u8], start: usize) -> Option<Line>;

    /// Whether nothing is odd about the label of a line that [`Syntax::scan`]
    /// has found: it stands for itself.
    fn is_usual(&self, bytes: &[u8], label: (usize, usize), quoted: bool) -> bool;

    /// Reads any line, given without its LF; `complete` says if there was one.
    /// The part has counted it in its lines.
    fn line(
        &self,
        line: &[u8],
        complete: bool,
        part: &mut Part,
        table: &LabelTable,
        rules: &Rules<'_>,
    );
}
