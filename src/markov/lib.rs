//! Numerical analysis of Markov chains: the probabilities of states, and how often labels occur,
//! in the long run and at instants.
//!
//! The transitions of an LTS have labels `rate R` or `LABEL; rate R`, the rate of an
//! exponentially distributed delay; `prob P` or `LABEL; prob P`, a probability; or are hidden
//! ([`hyades_equivalence::lump`] reads the same labels). A state is *vanishing* if it has a
//! transition with a probability or a hidden one: these take no time, so that a delay is never
//! over first (maximal progress), and no time is spent there. All other states are *tangible*.
//!
//! * [`Chain`] is the continuous-time Markov chain over the tangible states that is left when
//!   vanishing ones are eliminated, with the frequency of each LABEL in each state.
//! * [`steady`] has its long-run probabilities, by Gauss-Seidel iteration.
//! * [`transient()`] has its probabilities at instants, by uniformization.
//!
//! W. J. Stewart, *Introduction to the Numerical Solution of Markov Chains*, 1994, has the
//! methods; M. Ajmone Marsan et al., *Modelling with Generalized Stochastic Petri Nets*, 1995, the
//! elimination of vanishing states.
//!
//! ```
//! use hyades_formats::{LtsBuilder, StateId};
//! use hyades_markov::{Chain, steady, transient};
//!
//! let mut builder = LtsBuilder::new(2);
//! builder.add_text(0, b"BREAK; rate 1", 1)?;
//! builder.add_text(1, b"REPAIR; rate 3", 0)?;
//! let chain = Chain::new(&builder.build(StateId::new(0))?)?;
//! let settings = Default::default();
//! let long_run = steady(&chain, &settings, &mut |_| {})?;
//! assert!((long_run.probabilities[0] - 0.75).abs() < 1e-9);
//! assert_eq!(chain.labels()[0], b"BREAK");
//! assert!((chain.throughputs(&long_run.probabilities)[0] - 0.75).abs() < 1e-9);
//! let soon = transient(&chain, &[0.5], &settings, &mut |_| {})?;
//! let expected = 0.75 + 0.25 * (-2.0f64).exp();
//! assert!((soon.distributions[0][0] - expected).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chain;
mod eliminate;
mod error;
mod poisson;
mod solve;
mod sparse;
mod steady;
#[cfg(test)]
mod tests;
mod transient;

pub use chain::Chain;
pub use error::{ChainError, SolveError};
pub use sparse::Sparse;
pub use steady::{Steady, steady};
pub use transient::{Transient, transient};

/// How exact results are to be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// The sum of the errors of all probabilities of a distribution, rounding aside: an upper
    /// bound for [`transient()`], an estimate for [`steady`].
    pub epsilon: f64,
}

impl Settings {
    /// What [`Settings::epsilon`] is if nobody says.
    pub const EPSILON: f64 = 1e-10;
}

impl Settings {
    /// Refuses what makes no sense.
    fn check(&self) -> Result<(), SolveError> {
        match self.epsilon > 0.0 && self.epsilon < 1.0 {
            true => Ok(()),
            false => Err(SolveError::Epsilon),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            epsilon: Self::EPSILON,
        }
    }
}
