//! Why an LTS cannot be lumped.

use std::fmt;

use hyades_formats::{StateId, TooLarge};

/// Why an LTS cannot be lumped.
#[derive(Clone, Debug, PartialEq)]
pub enum LumpError {
    /// The number of a label is not more than zero.
    NotPositive {
        /// The label.
        label: String,
    },
    /// The probability of a label is more than one.
    AboveOne {
        /// The label.
        label: String,
    },
    /// The number of a label has too many digits, or is too large or too small for a `double`.
    OutOfRange {
        /// The label.
        label: String,
    },
    /// The probabilities of a state are more than one together.
    SumAboveOne {
        /// The state.
        state: StateId,
        /// The sum.
        sum: String,
    },
    /// Two states are equivalent because each reaches the other by hidden steps, but their
    /// probabilities differ, so that no state can stand for both.
    Ambiguous {
        /// The states.
        states: [StateId; 2],
    },
    /// Epsilon is not more than zero, or not finite.
    Epsilon,
    /// There are too many labels.
    TooLarge(TooLarge),
}

impl fmt::Display for LumpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LumpError::NotPositive { label } => {
                write!(f, "the number of the label `{label}` is not more than 0")
            }
            LumpError::AboveOne { label } => {
                write!(f, "the probability of the label `{label}` is more than 1")
            }
            LumpError::OutOfRange { label } => {
                write!(f, "the number of the label `{label}` is out of range")
            }
            LumpError::SumAboveOne { state, sum } => {
                write!(
                    f,
                    "the probabilities of state {state} are {sum} together, more than 1"
                )
            }
            LumpError::Ambiguous { states: [a, b] } => write!(
                f,
                "states {a} and {b} reach each other by hidden steps that change nothing, but \
                 their probabilities differ"
            ),
            LumpError::Epsilon => write!(f, "epsilon must be more than 0, and finite"),
            LumpError::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LumpError {}

impl From<TooLarge> for LumpError {
    fn from(error: TooLarge) -> Self {
        LumpError::TooLarge(error)
    }
}
