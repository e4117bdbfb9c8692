//! SEQ: sets of finite sequences of labels, as CADP's tools print traces.
//!
//! One quoted label a line, `"i"` for the hidden action, `[]` between
//! sequences. There are no escapes, so that not every label can be written.
//! Read as an LTS, the sequences are chains that begin in one state.

mod read;
mod traces;
mod write;

pub use read::{ReadSeq, read};
pub use traces::{Sequence, steps, write_traces};
pub use write::{WriteSeq, write};

use crate::diagnostic::{Log, Severity, excerpt};

/// The text of the hidden action.
const HIDDEN: &[u8] = b"i";

/// Complains about a label that cannot be written.
fn check(text: &[u8], log: &mut Log) {
    if text.iter().any(|&b| b == b'"' || b == b'\n') {
        log.add(Severity::Error, "seq-label", None, || {
            format!(
                "label {} holds a quote or a newline, which SEQ cannot express",
                excerpt(text)
            )
        });
    }
}
