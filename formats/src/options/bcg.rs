//! Options for BCG.

use std::collections::HashMap;
use std::sync::Arc;

/// What the writer of BCG goes by.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WriteBcg {
    /// Leave states their numbers, except that the initial state and state 0
    /// change places, instead of numbering them breadth first.
    pub keep_order: bool,
    /// Write labels as a gate and typed values where their text allows it,
    /// instead of as texts.
    pub parse_labels: bool,
    /// The fields of labels in the file from which they come: those that have a
    /// gate there get the same fields again, whatever `parse_labels` says.
    pub fields: Option<Arc<LabelFields>>,
    /// The comment of the file; none for that of this crate.
    pub comment: Option<Vec<u8>>,
}

/// The type of a field, and how many bytes its text has.
pub(crate) type Extent = (Kind, usize);

/// What the texts of labels do not tell: which of them are a gate with values in
/// a file, and of what types these are. A text not in here is a raw one there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LabelFields {
    pub(crate) by_text: HashMap<Box<[u8]>, Box<[Extent]>>,
}

/// A type of fields.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// `TRUE` or `FALSE`: one bit.
    Boolean,
    /// A number of 32 bits without sign.
    Natural,
    /// A number of 32 bits with a sign.
    Integer,
    /// A floating-point number of 64 bits.
    Real,
    /// A byte.
    Character,
    /// A text that a program calls a string.
    String,
    /// A text that nobody has understood.
    Raw,
    /// A gate, by its number.
    Gate,
}
