//! The forms in which traces are shown.

use crate::named;

/// How the labels of a trace are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TraceForm {
    /// As in CADP: one label a line between quotes.
    #[default]
    Seq,
    /// As in mCRL2: one label a line.
    Trc,
}

named!(TraceForm: Seq = "SEQ", Trc = "TRC");
