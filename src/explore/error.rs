//! Why an exploration has no result, or not the whole.

use std::fmt;

use hyades_formats::TooLarge;

/// A limit of [`Limits`](super::Limits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`super::Limits::max_states`].
    States,
    /// The limit on hidden states that
    /// [`TauStar::with_max_states`](super::TauStar::with_max_states) sets.
    Hidden,
    /// The bound on channels of a system of machines.
    Channels,
    /// [`super::Limits::max_memory`].
    Memory,
    /// One that a model has of its own.
    Model,
}

/// Why a model has no answer, in words for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    text: String,
    /// Which limit, if that is the reason, and not a fault.
    limit: Option<Limit>,
}

impl ModelError {
    /// An error with this text: lower case, no full stop.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            limit: None,
        }
    }

    /// A limit that a model was given is reached.
    pub fn limit(limit: Limit, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            limit: Some(limit),
        }
    }

    /// The limit that is reached, if that is the reason.
    pub fn reached(&self) -> Option<Limit> {
        self.limit
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for ModelError {}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExploreError {
    /// The model failed.
    Model(ModelError),
    /// More states or labels than can be numbered.
    TooLarge(TooLarge),
}

impl fmt::Display for ExploreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExploreError::Model(error) => error.fmt(f),
            ExploreError::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExploreError {}

impl From<ModelError> for ExploreError {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

impl From<TooLarge> for ExploreError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}
