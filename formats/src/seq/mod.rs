//! SEQ: sets of finite sequences of labels, as CADP's tools print traces.
//!
//! One quoted label a line, `"i"` for the hidden action, `[]` between
//! sequences. There are no escapes, so that not every label can be written.
//! Read as an LTS, the sequences are chains that begin in one state. The full form has
//! patterns too, which stand for many sequences: [`read_pattern`].

mod cursor;
mod labels;
mod pattern;
mod read;
mod traces;
mod write;

pub use crate::options::{ReadSeq, WriteSeq};
pub use pattern::{Group, LabelSet, LabelTerm, Pattern, read_pattern};
pub use read::{End, read, read_with_ends};
pub use traces::{Sequence, steps, write_traces};
pub use write::write;
