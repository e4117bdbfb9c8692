//! What can be wrong.

use std::fmt;

use hyades_equivalence::lump::LumpError;
use hyades_formats::StateId;

/// Why an LTS is no Markov chain.
#[derive(Clone, Debug, PartialEq)]
pub enum ChainError {
    /// A visible label has neither a rate nor a probability.
    Ordinary {
        /// A state with such a transition.
        state: StateId,
        /// The label.
        label: String,
    },
    /// The number of a label is none for it.
    Number(LumpError),
    /// A state has hidden transitions to different states, or one besides probabilities.
    Nondeterministic {
        /// The state.
        state: StateId,
    },
    /// From a state on, only vanishing states can be reached.
    Timeless {
        /// The state.
        state: StateId,
    },
    /// The rates of a state are more than a `double` can be together.
    Infinite {
        /// The state.
        state: StateId,
    },
}

impl fmt::Display for ChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChainError::Ordinary { state, label } => write!(
                f,
                "the label `{label}` of state {state} has neither a rate nor a probability: \
                 expected `rate R`, `LABEL; rate R`, `prob P` or `LABEL; prob P`; rename it, or \
                 hide it where it takes no time"
            ),
            ChainError::Number(error) => error.fmt(f),
            ChainError::Nondeterministic { state } => write!(
                f,
                "state {state} has a choice between hidden transitions, or between one and \
                 probabilities, that nothing decides: give them probabilities, or minimize by \
                 branching bisimilarity with rates first"
            ),
            ChainError::Timeless { state } => write!(
                f,
                "no time passes any more from state {state} on: it leads to hidden transitions and \
                 probabilities only"
            ),
            ChainError::Infinite { state } => {
                write!(f, "the sum of the rates of state {state} is out of range")
            }
        }
    }
}

impl std::error::Error for ChainError {}

impl From<LumpError> for ChainError {
    fn from(error: LumpError) -> Self {
        ChainError::Number(error)
    }
}

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq)]
pub enum SolveError {
    /// [`crate::Settings::epsilon`] is not between 0 and 1.
    Epsilon,
    /// So many sweeps of Gauss-Seidel iteration were not enough.
    NoConvergence {
        /// The number of sweeps.
        sweeps: u64,
        /// About how far the last one may have been from the solution.
        error: f64,
    },
    /// A large component falls into several parts without rare rates.
    NearlyDecomposable,
    /// Rates differ so much that products of them are no numbers.
    Range,
    /// An instant is not more than 0, or not finite.
    Instant(f64),
    /// Too many steps are expected until an instant.
    TooLate {
        /// The instant.
        instant: f64,
        /// The most instants times rates may be.
        limit: f64,
        /// The rate of steps.
        rate: f64,
    },
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::Epsilon => write!(f, "epsilon must be more than 0 and less than 1"),
            SolveError::NoConvergence { sweeps, error } => write!(
                f,
                "no convergence in {sweeps} sweeps: the last one is about {error:.1e} from the \
                 solution, so that a larger epsilon may do"
            ),
            SolveError::NearlyDecomposable => write!(
                f,
                "without rates that are very small beside others a component of many states falls \
                 into several parts, so that iteration would not find how much time each of them \
                 has: merge states by `bcg_min -rate` first, or ask for instants"
            ),
            SolveError::Range => write!(
                f,
                "rates differ so much that their products are out of range"
            ),
            SolveError::Instant(instant) => {
                write!(f, "the instant {instant} is not more than 0, or not finite")
            }
            SolveError::TooLate {
                instant,
                limit,
                rate,
            } => write!(
                f,
                "the instant {instant} is too late for rates up to {rate}: their product may be \
                 {limit:e} at most; the long run can be told of all chains"
            ),
        }
    }
}

impl std::error::Error for SolveError {}
