//! Hiding, renaming and cutting by rules.
//!
//! [`Rules`] are what a file of CADP says, or a few lines of a user: labels to
//! be hidden, cut or renamed, described by [patterns](crate::pattern).
//! [`Rules::apply`] tells what becomes of one label, and [`relabel`] applies
//! [`RelabelStep`]s one after the other to a whole LTS, each label once.
//!
//! The hidden action is not a label that rules could match: it stays hidden and
//! is never cut.

mod apply;
mod read;
mod rules;
#[cfg(test)]
mod tests;

pub use apply::{RelabelStep, Relabelled, Scramble, relabel};
pub use read::Refused;
pub use rules::{Action, Matching, NO_GATE, Outcome, RuleError, Rules, Scope};
