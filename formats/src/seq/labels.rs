//! What labels read like.

use crate::diagnostic::{Log, Severity, excerpt};

/// The text of the hidden action.
pub(super) const HIDDEN: &[u8] = b"i";

/// Complains about a label that cannot be written.
pub(super) fn check(text: &[u8], log: &mut Log) {
    let (what, formats) = if text.contains(&b'\n') {
        ("newline", "FILE.bcg or FILE.jsonl")
    } else if text.contains(&b'"') {
        ("quote", "FILE.aut or FILE.trc")
    } else {
        return;
    };
    log.add(Severity::Error, "seq-label", None, || {
        format!(
            "label {} holds a {what}, which SEQ cannot express: write another format, such as \
             {formats}",
            excerpt(text)
        )
    });
}
