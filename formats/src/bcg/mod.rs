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

pub use crate::options::{LabelFields, WriteBcg};
pub use edges::Parameters;
pub use layout::{SECTION_NAMES, SECTIONS, Version};
pub use read::{Inspection, Shape, read, read_inspected, read_with_fields};
pub use write::write;
