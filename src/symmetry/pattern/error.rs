//! What is wrong with a pattern.

use std::fmt;

/// Why something is no pattern, in words for the user, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Line and column in the pattern file, both from 1 on.
    pub place: Option<(usize, usize)>,
    /// The edge of the template that is to blame, if it is not the pattern file.
    pub edge: Option<BadEdge>,
    /// Lower case, no full stop.
    pub text: String,
}

/// A transition of the LTS that was to be a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadEdge {
    /// The state that it leaves.
    pub source: u32,
    /// The text of its label; `i` if it is hidden.
    pub label: Box<[u8]>,
    /// The state that it leads to.
    pub target: u32,
}

impl PatternError {
    /// An error that has no place in the pattern file.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            place: None,
            edge: None,
            text: text.into(),
        }
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(f, "{line}:{column}: ")?;
        }
        f.write_str(&self.text)
    }
}

impl std::error::Error for PatternError {}
