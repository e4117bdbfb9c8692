//! What labels read like.

use crate::diagnostic::{Log, Severity, excerpt};

/// The text of the hidden action.
pub(super) const HIDDEN: &[u8] = b"i";

/// Complains about a label that cannot be written.
pub(super) fn check(text: &[u8], log: &mut Log) {
    if text.iter().any(|&b| b == b'"' || b == b'\n') {
        log.add(Severity::Error, "seq-label", None, || {
            format!(
                "label {} holds a quote or a newline, which SEQ cannot express: write another \
                 format, such as FILE.aut or FILE.trc",
                excerpt(text)
            )
        });
    }
}
