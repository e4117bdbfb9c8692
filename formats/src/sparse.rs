//! Files with far more states than there are transitions for: who reads one is asked
//! first.

use crate::diagnostic::{Log, Position, Severity, counted};
use crate::error::Failure;
use crate::lts::Lts;
use crate::options::Mode;

/// So many states are never too many.
const USUAL_STATES: u64 = 1 << 24;

/// Whether these are far more states than there are items for, transitions and others: more
/// than 2^24, and more than 64 for each of them.
pub fn is_sparse(states: u64, items: u64) -> bool {
    states > USUAL_STATES.max(items.saturating_mul(64))
}

/// How a file tells the number of its states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Told {
    /// By the largest number of a state; so many items describe states.
    ByNumbers { described: u64 },
    /// By a header, or metadata; where that stands.
    Announced(Option<Position>),
}

/// Complains, by a code, if there are far more states than there are items,
/// transitions and others, in the file: such a number is damage as a rule, and a
/// few bytes of it would take gigabytes of memory.
///
/// # Errors
/// If so, unless the mode is lenient.
pub(crate) fn check_sparse(
    states: u64,
    told: Told,
    items: u64,
    code: &'static str,
    mode: Mode,
    log: &mut Log,
) -> Result<(), Failure> {
    if !is_sparse(states, items) {
        return Ok(());
    }
    let (severity, advice) = severity(mode);
    let position = match told {
        Told::ByNumbers { .. } => None,
        Told::Announced(position) => position,
    };
    log.add(severity, code, position, || match told {
        Told::ByNumbers { described } => {
            let described_too = match described {
                0 => String::new(),
                _ => format!(" and {}", counted(described, "described state")),
            };
            format!(
                "{states} states by their numbers, but {}{described_too}: is the file \
                 damaged?{advice}",
                counted(items - described, "transition")
            )
        }
        Told::Announced(_) => format!(
            "{states} states are announced for {}: is the file damaged?{advice}",
            counted(items, "transition")
        ),
    });
    match severity {
        Severity::Error => Err(Failure::Refused),
        Severity::Note | Severity::Warning => Ok(()),
    }
}

/// How bad that is, and what to do.
fn severity(mode: Mode) -> (Severity, &'static str) {
    match mode {
        Mode::Lenient => (Severity::Warning, ""),
        Mode::Default | Mode::Strict => (Severity::Error, "; --lenient reads it all the same"),
    }
}

/// The sizes of several LTSs that are read to be one thing, such as the components of a
/// network. What is true of one file is true of them together: each may be just small
/// enough, and all of them far too large.
#[derive(Clone, Copy, Default, Debug)]
pub struct JointSize {
    count: u64,
    states: u64,
    transitions: u64,
    told: bool,
}

impl JointSize {
    /// Counts one more LTS. If there are far more states than transitions since then,
    /// how bad that is, and what to say of it: an error, but in lenient mode a warning,
    /// which comes once.
    pub fn add(&mut self, lts: &Lts, mode: Mode) -> Option<(Severity, String)> {
        self.count += 1;
        self.states = self.states.saturating_add(lts.states() as u64);
        self.transitions = self.transitions.saturating_add(lts.transitions() as u64);
        if self.told || !is_sparse(self.states, self.transitions) {
            return None;
        }
        self.told = true;
        let (severity, advice) = severity(mode);
        let text = format!(
            "{} states in the first {} for {}: is a file damaged?{advice}",
            self.states,
            counted(self.count, "component"),
            counted(self.transitions, "transition")
        );
        Some((severity, text))
    }
}
