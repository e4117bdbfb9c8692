//! What can be known of a suite, and of what is asked.

use std::fmt;

use hyades_formats::{StateId, TooLarge};

use super::refutation::Refutation;
use crate::cover::Cover;
use crate::identifiers::Word;
use crate::machine::{InputId, Machine};
use crate::tree::NodeId;
use hyades_formats::diagnostic::counted;

/// The machines among which a suite shall find the faulty ones: all complete
/// deterministic machines with the specification's inputs and any outputs for
/// which this holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultDomain {
    /// They have at most so many states: the suite is then *m-complete*.
    States(usize),
    /// All their states are reached by a word of `access` and at most `extra`
    /// inputs more, or two words of `access` reach equivalent states: the suite is
    /// then *k-A-complete* (F. Vaandrager, I. Melse: New Fault Domains for
    /// Conformance Testing of Finite State Machines, CONCUR 2025). These are far
    /// more than the machines with `extra` states more than the specification.
    Reached {
        /// One word for each state of the specification, with all prefixes.
        access: Vec<Word>,
        /// So many inputs more.
        extra: usize,
    },
}

impl FaultDomain {
    /// [`FaultDomain::Reached`] with the shortest words to the states.
    pub fn reached(machine: &Machine, extra: usize) -> Self {
        let cover = Cover::new(machine);
        let words = cover.states().iter().map(|&state| cover.word(state));
        FaultDomain::Reached {
            access: words.collect(),
            extra,
        }
    }
}

/// A condition from which completeness follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// That of the H method (Dorofeeva, El-Fakih, Yevtushenko 2005).
    H,
    /// The nodes that must reach equivalent states are those of the
    /// specification's states (after Simão, Petrenko, Yevtushenko 2012).
    Convergence,
    /// That for k-A-completeness (Vaandrager, Melse 2025).
    KA,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Condition::H => "H",
            Condition::Convergence => "convergence",
            Condition::KA => "k-A",
        })
    }
}

/// Why a suite is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// What holds.
    pub condition: Condition,
    /// For each state of the specification a node; these are pairwise apart.
    pub basis: Vec<NodeId>,
    /// How many more states, or inputs behind the words of access, there may be.
    pub extra: usize,
}

/// What is known of a suite.
#[derive(Clone, Debug)]
pub enum Completeness {
    /// It is complete: a condition holds.
    Certified(Certificate),
    /// It is complete: no machine passes but those that are equivalent to the
    /// specification.
    Complete,
    /// It is not complete.
    Refuted(Box<Refutation>),
    /// It is not known.
    Unknown(Reason),
}

impl Completeness {
    /// Whether the suite is known to be complete.
    pub fn is_complete(&self) -> bool {
        matches!(self, Completeness::Certified(_) | Completeness::Complete)
    }
}

/// Why it is not known whether a suite is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The search would have taken more steps than this.
    Steps(u64),
    /// So many bytes are needed, and only the second number is allowed.
    Memory(u64, u64),
    /// A machine passes that is not equivalent, but it is not invariant under the
    /// permutations of values that are supposed.
    NotInvariant,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Steps(most) => write!(f, "not decided in {}", counted(*most, "step")),
            Reason::NotInvariant => f.write_str(
                "a machine passes that is not equivalent, but not invariant either; whether one \
                 does that is invariant is not decided",
            ),
            Reason::Memory(needed, most) => {
                write!(
                    f,
                    "deciding needs {needed} bytes of memory; {most} are allowed"
                )
            }
        }
    }
}

/// What a check may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps: pairs of nodes that are compared, and nodes that are put in a state.
    /// Ten million or more a second. What is found does not depend on the
    /// machine's speed.
    pub steps: u64,
    /// Bytes, of which the structures of the search are estimated to take so many.
    pub bytes: u64,
}

impl Default for Limits {
    /// A billion steps and 4 GiB.
    fn default() -> Self {
        Self {
            steps: 1_000_000_000,
            bytes: 4 << 30,
        }
    }
}

/// Why no suite of a specification can be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// A state has no transition for an input; there are so many such pairs.
    Partial(StateId, InputId, usize),
    /// A state cannot be reached.
    Unreachable(StateId),
    /// Two states are equivalent.
    Equivalent(StateId, StateId),
    /// The words of access are not one for each state, with all prefixes. One
    /// word of which this is seen.
    Access(Word),
    /// There is more than can be numbered.
    TooLarge(TooLarge),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Partial(state, input, count) => write!(
                f,
                "the specification has no transition from state {state} for input number {}, \
                 and {} more are missing; expected a complete machine",
                input.get(),
                count - 1
            ),
            CheckError::Unreachable(state) => write!(
                f,
                "state {state} of the specification cannot be reached; expected a connected machine"
            ),
            CheckError::Equivalent(one, other) => write!(
                f,
                "states {one} and {other} of the specification are equivalent; expected a minimal \
                 machine"
            ),
            CheckError::Access(word) => {
                f.write_str("expected one word for each state, with all prefixes; found the word")?;
                word.iter()
                    .try_for_each(|input| write!(f, " {}", input.get()))
            }
            CheckError::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CheckError {}

impl From<TooLarge> for CheckError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}
