//! A part of a file: some consecutive transition lines.

use crate::diagnostic::{Log, Position, Severity, counted};
use crate::lts::{LabelTable, TooLarge};
use crate::options::Mode;
use crate::rows::Batch;
use crate::tolerance::tolerated;

/// A number of a line, and where it begins in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Number {
    pub value: u64,
    pub at: usize,
}

/// The codes of the diagnostics that all formats have.
pub(crate) struct Codes {
    pub bom: &'static str,
    pub no_header: &'static str,
    pub blank_before_header: &'static str,
    pub no_states: &'static str,
    pub count: &'static str,
    pub state_range: &'static str,
    pub tau_hint: &'static str,
}

/// What the parsers of all parts go by.
pub(crate) struct Rules<'a> {
    pub mode: Mode,
    pub grow: bool,
    pub max_line: usize,
    /// The labels that count as hidden.
    pub hidden: &'a [Vec<u8>],
    /// Whether to look for labels that look like a hidden action.
    pub want_hint: bool,
    /// The announced number of states, if known.
    pub states: Option<u64>,
}

impl Rules<'_> {
    /// The severity of what is tolerated outside strict mode only.
    pub fn tolerated(&self) -> Severity {
        tolerated(self.mode)
    }
}

/// What a part of a file holds.
///
/// Label numbers below the length of the table that parsing began with mean
/// that table's labels; further ones mean, in order, the labels of `new`.
#[derive(Default)]
pub(crate) struct Part {
    pub rows: Batch,
    /// Labels that the table does not have. It hashes as the table does.
    pub new: LabelTable,
    /// What is odd, with lines counted from 1 in this part.
    pub log: Log,
    /// Lines, blank and bad ones included.
    pub lines: u64,
    /// Lines that are not blank, bad ones included.
    pub transition_lines: u64,
    /// Whether the file ends here by a byte 0x04, whatever follows.
    pub ended: bool,
    /// Whether there is a hidden transition.
    pub hidden: bool,
    /// The first label among the new ones that looks like a hidden action.
    pub hint: Option<(Position, Vec<u8>)>,
    /// What there is too much of, if anything.
    pub too_large: Option<TooLarge>,
    /// One more than the largest state.
    pub states: u64,
}

impl AsRef<Batch> for Part {
    fn as_ref(&self) -> &Batch {
        &self.rows
    }
}

impl Part {
    /// Adds a transition that is known to be in order.
    pub fn push(&mut self, source: u32, label: u32, target: u32) {
        self.states = self.states.max(u64::from(source.max(target)) + 1);
        self.rows.push(source, label, target);
    }

    /// Complains about a state that is beyond the announced number.
    pub fn check_state(&mut self, state: Number, codes: &Codes, rules: &Rules<'_>) {
        let Some(states) = rules.states.filter(|&n| state.value >= n) else {
            return;
        };
        let text = || {
            format!(
                "state {} of a file of {}",
                state.value,
                counted(states, "state")
            )
        };
        if rules.grow && rules.mode != Mode::Strict {
            self.report(Severity::Warning, codes.state_range, state.at, || {
                text() + ": enlarged"
            });
        } else {
            self.report(Severity::Error, codes.state_range, state.at, || {
                text() + " (0 is the first): correct the header, or use --grow"
            });
        }
    }

    /// Reports something about the byte `at` of the current line.
    pub fn report(
        &mut self,
        severity: Severity,
        code: &'static str,
        at: usize,
        text: impl FnOnce() -> String,
    ) {
        let position = Position::new(self.lines, at as u64 + 1);
        self.log.add(severity, code, Some(position), text);
    }
}
