//! Methods that derive test suites.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hyades_base::parallel;
use hyades_formats::StateId;

use super::cover::Cover;
use super::identifiers::Word;
use super::machine::{InputId, Machine};
use super::tree::TestTree;
use identify::{Planned, Search};

mod beam;
mod candidates;
mod convergent;
mod ds;
mod gains;
mod growing;
mod h;
mod identify;
mod plain;
mod separators;
mod splitting;
mod spy;
mod state_set;
mod successor_tree;
mod uio;

pub use ds::{adaptive_sequence, hads, preset_sequence};
pub use h::h;
pub use separators::Separators;
pub use spy::{spy, spyh};
pub use uio::{UioSuite, uio_suite, unique_sequence};

/// With which words the derivation of a suite begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variants {
    /// With none.
    Chosen,
    /// With harmonised identifiers behind the state cover.
    Given,
    /// With none, and once more with those: the smaller suite is taken.
    Both,
    /// The same, if it looks as if the second might be the smaller one.
    Promising,
}

/// A suite that begins so, or with no words if the machine is partial. Two are derived
/// side by side, and the second is given up as soon as it costs more than the first, which is
/// given up itself if the second is most likely the smaller one; words for states are
/// searched once. `harmonized` gives the identifiers, if they are needed, and always the same.
fn smaller<'a, 'w>(
    machine: &'a Machine,
    separators: &Separators,
    variants: Variants,
    most: usize,
    harmonized: impl Fn() -> &'w Vec<Vec<Vec<u32>>> + Sync,
    derive: impl for<'s> Fn(
        &'s Search<'a>,
        &'s [Vec<Vec<u32>>],
        Bound<'s>,
    ) -> Result<(TestTree, Planned), MethodError>
    + Sync,
) -> Result<TestTree, MethodError> {
    let search = Search::new(machine);
    let alone = |words: &[Vec<Vec<u32>>]| {
        let derived = derive(&search, words, Bound::of_nodes(most));
        derived.map(|(suite, _)| suite)
    };
    if variants == Variants::Chosen || !machine.is_complete() {
        return alone(&[]);
    }
    // Words are for states that are reachable and separated.
    cover(machine, separators)?;
    if variants == Variants::Given {
        return alone(harmonized());
    }
    let cost = AtomicU64::new(u64::MAX);
    let chosen = OnceLock::new();
    // The second is ready for the words of single states one by one, while these are searched.
    let first = || {
        search.all();
        let bound = Bound {
            rival: (variants == Variants::Promising).then(&harmonized),
            ..Bound::of_nodes(most)
        };
        let derived = derive(&search, &[], bound);
        if let Ok((suite, _)) = &derived {
            cost.store(suite.size().cost(), Relaxed);
        }
        chosen.get_or_init(|| derived);
    };
    let is_promising = || match chosen.get() {
        Some(Ok((_, planned))) => variants == Variants::Both || planned.is_beaten_by(harmonized()),
        Some(Err(MethodError::TooLarge(_))) | None => true,
        Some(Err(_)) => false,
    };
    let second = || {
        let bound = Bound {
            cost: &cost,
            ..Bound::of_nodes(most)
        };
        is_promising().then(|| derive(&search, harmonized(), bound))
    };
    let size = machine.states() * machine.states() * machine.inputs();
    let ((), given) = parallel::join(size, first, second);
    // By one thread it would not have been begun.
    let given = given.filter(|_| is_promising());
    let chosen = chosen.into_inner().expect("the first has been derived");
    match (given, chosen) {
        (Some(Ok((given, _))), Ok((chosen, _))) => {
            let is_smaller = given.size().cost() < chosen.size().cost();
            Ok(if is_smaller { given } else { chosen })
        }
        (Some(Ok((suite, _))), Err(_)) | (_, Ok((suite, _))) => Ok(suite),
        // It may have been given up for the other one.
        (Some(Err(_)), Err(_)) if variants == Variants::Promising => alone(&[]),
        (_, Err(error)) => Err(error),
    }
}

/// What a suite may not exceed.
#[derive(Clone, Copy)]
struct Bound<'b> {
    nodes: usize,
    /// It must cost less.
    cost: &'b AtomicU64,
    /// Words for states that another suite is derived with.
    rival: Option<&'b Vec<Vec<Vec<u32>>>>,
}

impl Bound<'_> {
    /// So many nodes, whatever they cost.
    fn of_nodes(nodes: usize) -> Self {
        static ANY: AtomicU64 = AtomicU64::new(u64::MAX);
        Self {
            nodes,
            cost: &ANY,
            rival: None,
        }
    }

    /// Whether the other suite is most likely the smaller one.
    fn is_hopeless(self, planned: &Planned) -> bool {
        self.rival
            .is_some_and(|words| planned.is_hopeless_beside(words))
    }

    fn check(self, tree: &TestTree) -> Result<(), MethodError> {
        match tree.len() > self.nodes || tree.size().cost() >= self.cost.load(Relaxed) {
            true => Err(MethodError::TooLarge(self.nodes)),
            false => Ok(()),
        }
    }
}

/// Words of numbers.
fn plain(words: &[Vec<Word>]) -> Vec<Vec<Vec<u32>>> {
    let plain = |word: &Word| word.iter().map(|input| input.get()).collect();
    let of_state = |words: &Vec<Word>| words.iter().map(plain).collect();
    words.iter().map(of_state).collect()
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
