//! Methods that derive test suites.

use std::fmt;

use hyades_formats::StateId;

use super::cover::Cover;
use super::identifiers::Word;
use super::machine::{InputId, Machine};
use super::tree::TestTree;

mod candidates;
mod convergent;
mod ds;
mod growing;
mod h;
mod identify;
mod plain;
mod separators;
mod splitting;
mod spy;
mod uio;

pub use ds::{adaptive_sequence, hads, preset_sequence};
pub use h::h;
pub use separators::Separators;
pub use spy::{spy, spyh};
pub use uio::{UioSuite, uio_suite, unique_sequence};

/// The smaller of the suites that are derived with no words to begin with and with
/// harmonised identifiers, if the machine is complete.
fn smaller(
    machine: &Machine,
    separators: &Separators,
    derive: impl Fn(Vec<Vec<Vec<u32>>>) -> Result<TestTree, MethodError>,
) -> Result<TestTree, MethodError> {
    let without = derive(vec![Vec::new(); machine.states()]);
    if !machine.is_complete()
        || without
            .as_ref()
            .is_err_and(|e| !matches!(e, MethodError::TooLarge(_)))
    {
        return without;
    }
    let plain = |words: &Vec<Word>| {
        words
            .iter()
            .map(|word| word.iter().map(|input| input.get()).collect())
            .collect()
    };
    let words = ds::harmonized_words(machine, separators);
    let with = derive(words.iter().map(plain).collect());
    match (without, with) {
        (Ok(without), Ok(with)) if with.size().cost() < without.size().cost() => Ok(with),
        (Err(_), with) => with,
        (without, _) => without,
    }
}

#[cfg(test)]
mod tests;

/// Why a method derives no suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MethodError {
    /// No word separates two states.
    Alike(StateId, StateId),
    /// Some states cannot be reached; here is one.
    Unreachable(StateId),
    /// The method needs a transition for each state and input; this one has none.
    Partial(StateId, InputId),
    /// The tree of the suite would have more nodes than allowed.
    TooLarge(usize),
}

impl fmt::Display for MethodError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MethodError::Alike(a, b) => write!(
                f,
                "no word that states {a} and {b} both have separates them; expected a machine \
                 whose states are pairwise separated"
            ),
            MethodError::Unreachable(state) => {
                write!(
                    f,
                    "state {state} cannot be reached; expected reachable states alone"
                )
            }
            MethodError::Partial(state, input) => write!(
                f,
                "state {state} has no transition for input number {}; expected a complete machine",
                input.get()
            ),
            MethodError::TooLarge(nodes) => {
                write!(f, "the tree of the suite has more than {nodes} nodes")
            }
        }
    }
}

impl std::error::Error for MethodError {}

/// The state cover of a machine whose states can be reached and are pairwise
/// separated.
pub(super) fn cover(machine: &Machine, separators: &Separators) -> Result<Cover, MethodError> {
    if let Some(&state) = machine.unreachable().first() {
        return Err(MethodError::Unreachable(machine.name(state)));
    }
    if let Some((a, b)) = separators.alike(machine) {
        return Err(MethodError::Alike(machine.name(a), machine.name(b)));
    }
    Ok(Cover::new(machine))
}
