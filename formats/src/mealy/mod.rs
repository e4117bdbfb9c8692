//! Mealy machines: LTSs whose labels are pairs of an input and an output.
//!
//! How a label is split into a pair is one matter for all formats
//! ([`MealySyntax`]). In memory a label made from a pair is `input/output`, or
//! `input / output` where that would be split elsewhere. Every format can be
//! read as a machine ([`ReadMealy`]). A Moore machine is one whose outputs are
//! those of states, and which has an initial one ([`Start`]).

mod labels;
mod machine;
mod moore;

pub use labels::{MealyError, MealySyntax, Pair};
pub use machine::{InitialOutput, ReadMealy};
pub(crate) use machine::{Origin, machine, machine_of};
pub(crate) use moore::verdict;
pub use moore::{AcceptorError, Start, VERDICTS, accepting_states, acceptor_as_moore};
