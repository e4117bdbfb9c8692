//! Patterns: a template and the transformations that make copies of it.

mod error;
mod file;
mod order;
mod transformations;

use hyades_lts::tokens::TokenSyntax;

use super::template::Template;

pub use error::{BadEdge, PatternError};
pub use file::PatternFile;
pub use order::{Order, OrderEntry, Significant, ValueList};
pub use transformations::Transformation;

/// A template, its copies, and the order that chooses representatives (report
/// SEN-R9918, Definitions 6.1 and 6.8).
#[derive(Clone, Debug)]
pub struct Pattern {
    /// How labels are cut into tokens.
    pub syntax: TokenSyntax,
    /// What the copies are copies of.
    pub template: Template,
    /// The copies.
    pub copies: Vec<TemplateCopy>,
    /// The order of labels.
    pub order: Order,
}

/// A copy of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateCopy {
    /// What the template's values become.
    pub transformation: Transformation,
    /// The template's state in which it starts.
    pub initial: u32,
}
