//! Mealy machines: LTSs whose labels are pairs of an input and an output.
//!
//! How a label is split into a pair is one matter for all formats
//! ([`MealySyntax`]). In memory a label made from a pair is `input/output`, or
//! `input / output` where that would be split elsewhere. Every format can be
//! read as a machine ([`ReadMealy`]).

mod labels;
mod machine;

pub use labels::{MealyError, MealySyntax, Pair};
pub use machine::ReadMealy;
pub(crate) use machine::{Origin, machine, machine_of};
