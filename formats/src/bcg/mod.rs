//! BCG, the Binary Coded Graphs of CADP: versions 1.0 and 1.2 are read, 1.2 is
//! written.
//!
//! A file has ten sections. One holds the transitions, as a stream of bits with
//! targets as differences to predictions. Others hold the labels,
//! as records of typed fields with the tables of types, functions and symbols
//! that they refer to.
//!
//! The format is not published. What is read here is what is known from files
//! whose content is known otherwise; what goes beyond that is an error that
//! names it, or with `--lenient` a warning.

use std::sync::Arc;

mod bits;
mod description;
mod edges;
mod fields;
mod labels;
mod layout;
mod read;
mod report;
mod tables;
mod values;
mod write;

#[cfg(test)]
mod tests;

pub use edges::Parameters;
pub use fields::LabelFields;
pub use layout::{SECTION_NAMES, SECTIONS, Version};
pub use read::{Inspection, Shape, read, read_inspected, read_with_fields};
pub use write::write;

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
