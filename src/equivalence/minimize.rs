//! Partitions and quotients for every relation.

use std::fmt;

use hyades_base::parallel;
use hyades_formats::{LabelTable, Lts, LtsParts, StateId, TooLarge};
use hyades_lts::{Numbering, reachable_states, restricted};

use super::quotient::{Classes, Quotient};
use super::rounds::{RoundCallback, Rounds, untold};
use super::tau_scc::TauContraction;
use super::{Criterion, Partition, Relation, branching, either, strong};

/// The coarsest partition of the states into equivalent ones; `None` for relations that
/// are decided for one pair of states at a time: those of traces and what is observed
/// along them, the rooted ones and isomorphism.
///
/// O(m log n) time for m transitions and n states, in parallel on most inputs;
/// the partition does not depend on the number of threads.
///
/// * [`Relation::Strong`]: 4 bytes a transition and 32 a state at the peak,
///   besides the input.
/// * [`Relation::Branching`], [`Relation::DivBranching`]: about 24 bytes a transition and
///   60 a state.
///
/// Inputs on which splitting by signatures would take too long are finished by a
/// method with a worst-case bound. It holds up to 20 bytes a transition and 60 a
/// state more, for the others up to 70 and 90.
pub fn partition<'a>(lts: &Lts, criterion: impl Into<Criterion<'a>>) -> Option<Partition> {
    partition_observed(lts, criterion, &mut untold)
}

/// As [`partition`], and tells how far it has come after each round.
pub fn partition_observed<'a>(
    lts: &Lts,
    criterion: impl Into<Criterion<'a>>,
    observer: &mut RoundCallback<'_>,
) -> Option<Partition> {
    let rounds = &mut Rounds::new(observer);
    Some(match Engine::of(lts, criterion.into().relation)? {
        Engine::Strong => strong::partition(lts, rounds),
        Engine::Branching { divergence } => by_branching(lts, divergence, rounds),
    })
}

/// As [`partition`], by strong bisimilarity.
pub fn strong_partition(lts: &Lts) -> Partition {
    strong::partition(lts, &mut Rounds::new(&mut untold))
}

/// The partition of the states, not of those that remain when hidden cycles have been
/// contracted.
fn by_branching(lts: &Lts, divergence: bool, rounds: &mut Rounds<'_>) -> Partition {
    let (silent, partition) = branching::partition(lts, divergence, rounds);
    let class = silent.node.iter();
    Partition {
        class: class.map(|&v| partition.class[v as usize]).collect(),
        count: partition.count,
    }
}

/// A minimal LTS, and what its states stand for.
pub struct Minimized {
    /// The quotient.
    pub lts: Lts,
    /// For each state of the input the state of the quotient that stands for
    /// it; [`Minimized::NO_CLASS`] for an unreachable state that was left out.
    pub class: Vec<u32>,
    /// How many states of the input were taken into account.
    pub states: usize,
}

impl Minimized {
    /// No state of the quotient.
    pub const NO_CLASS: u32 = u32::MAX;
}

/// Why an LTS is not minimized.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MinimizeError {
    /// No LTS stands for all that are equivalent by this relation.
    NoQuotient(Relation),
    /// States that cannot be reached are kept by partition refinement only, and not by
    /// this relation.
    Unreachable(Relation),
    /// The quotient, or what it is made of, is too large.
    TooLarge(TooLarge),
}

impl fmt::Display for MinimizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoQuotient(Relation::Isomorphism) => {
                write!(
                    f,
                    "isomorphism merges no states: there is nothing to minimize"
                )
            }
            Self::NoQuotient(relation) => write!(
                f,
                "there is no smallest LTS by {relation}: minimize by {}, which implies it",
                either(relation.next_with_quotient())
            ),
            Self::Unreachable(relation) => write!(
                f,
                "states that cannot be reached are kept by strong, divbranching and branching \
                 only, not by {relation}"
            ),
            Self::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MinimizeError {}

impl From<TooLarge> for MinimizeError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

/// The quotient of an LTS: its smallest equivalent by the relation.
///
/// States that cannot be reached are left out. The quotient's states are numbered
/// breadth-first from the initial one, labels in the order of their bytes, and,
/// where transitions of one label differ, in the order of the least states of their
/// targets' classes. Transitions are sorted by (source, label bytes, target) and
/// occur once. The quotient by a branching relation has no
/// hidden step within a class and no hidden self-loop, but that by
/// [`Relation::DivBranching`] has one where there is divergence.
///
/// Takes as long as [`partition`] and holds, beyond the input, either what that
/// holds or 8 bytes a state and 8 a transition of the quotient; the input is
/// freed before the quotient gets its final form.
///
/// # Errors
/// If there is no quotient by the relation, or if it is too large.
pub fn minimize<'a>(
    lts: Lts,
    criterion: impl Into<Criterion<'a>>,
) -> Result<Minimized, MinimizeError> {
    minimize_observed(lts, criterion, Kept::Reachable, &mut untold)
}

/// As [`minimize`], by strong bisimilarity.
pub fn strong_quotient(lts: Lts) -> Minimized {
    quotient_of(lts, Kept::Reachable, |lts| {
        Ok::<_, std::convert::Infallible>(by_strong(lts, &mut Rounds::new(&mut untold)))
    })
    .unwrap_or_else(|never| match never {})
}

/// The states whose classes a quotient has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// Those that can be reached, as [`minimize`] has it.
    Reachable,
    /// All: classes of states that cannot be reached come behind the others.
    All,
}

/// As [`minimize`], with these states, and tells how far it has come after each round of
/// refinement.
///
/// # Errors
/// As [`minimize`]; and if states that cannot be reached are to be kept by another
/// relation than those of [`partition`]'s engines for strong and branching bisimilarity.
pub fn minimize_observed<'a>(
    lts: Lts,
    criterion: impl Into<Criterion<'a>>,
    kept: Kept,
    observer: &mut RoundCallback<'_>,
) -> Result<Minimized, MinimizeError> {
    let relation = criterion.into().relation;
    let rounds = &mut Rounds::new(observer);
    let engine = Engine::of(&lts, relation).ok_or(MinimizeError::NoQuotient(relation))?;
    quotient_of(lts, kept, |lts| {
        Ok(match engine {
            Engine::Strong => by_strong(lts, rounds),
            Engine::Branching { divergence } => {
                let (silent, by_node) = branching::partition(&lts, divergence, rounds);
                let initial = lts.initial();
                let LtsParts { table, .. } = lts.into_parts();
                contracted_quotient(silent, by_node, initial, table, true)
            }
        })
    })
}

/// The quotient of the part that is kept, by what makes one of all states of an LTS.
fn quotient_of<E>(
    lts: Lts,
    kept: Kept,
    quotient: impl FnOnce(Lts) -> Result<(Lts, Vec<u32>), E>,
) -> Result<Minimized, E> {
    let all = lts.states();
    let seen = match kept {
        Kept::Reachable => Some(reachable_states(&lts)).filter(|seen| seen.count < all),
        Kept::All => None,
    };
    let Some(seen) = seen else {
        let (lts, class) = quotient(lts)?;
        return Ok(Minimized {
            lts,
            class,
            states: all,
        });
    };
    let lts = restricted(lts, &seen, Numbering::Ascending);
    let (lts, classes) = quotient(lts)?;
    let mut classes = classes.into_iter();
    let mut next = |s| match seen.contains(s) {
        true => classes.next().expect("a class for every reachable state"),
        false => Minimized::NO_CLASS,
    };
    let class = (0..all).map(&mut next).collect();
    let states = seen.count;
    Ok(Minimized { lts, class, states })
}

fn by_strong(mut lts: Lts, rounds: &mut Rounds<'_>) -> (Lts, Vec<u32>) {
    let ranks = lts.table().ranks();
    let partition = strong::partition(&lts, rounds).normalized();
    if partition.count() == lts.states() && is_canonical(&lts, &ranks) {
        lts.take_state_labels();
        return (lts, partition.class);
    }
    let classes = Classes {
        rows: (&lts).into(),
        representative: first_members(&partition.class, partition.count),
        class: partition.class,
        ranks: &ranks,
        drop_inert: false,
        divergence: None,
    };
    let quotient = Quotient::new(classes, lts.initial().get(), true);
    let LtsParts { table, .. } = lts.into_parts();
    quotient.into_lts(table)
}

/// Whether states and transitions are numbered and sorted as those of a quotient are, by
/// [`minimize`], and all states are reached. O(m), and less if the answer is no.
fn is_canonical(lts: &Lts, ranks: &[u32]) -> bool {
    if lts.initial().get() != 0 {
        return false;
    }
    // How many states the search has met.
    let mut met = 1;
    for s in 0..lts.states() as u32 {
        if s >= met {
            return false;
        }
        let mut last = None;
        for (label, target) in lts.outgoing(StateId::new(s)) {
            let this = Some((ranks[label.index()], target));
            if last >= this || target.get() > met {
                return false;
            }
            met += u32::from(target.get() == met);
            last = this;
        }
    }
    met == lts.states() as u32
}

/// The quotient of a contracted LTS by a partition of its nodes: the transitions
/// of a class are those of its least node, which has no hidden step within it.
/// With the state of the quotient for each of the states that were contracted.
/// Numbered and sorted as by [`minimize`]; [`Minimized::NO_CLASS`] for states that
/// are not reached from the initial one, which are left out unless `all`.
pub(crate) fn contracted_quotient(
    silent: TauContraction,
    by_node: Partition,
    initial: StateId,
    table: LabelTable,
    all: bool,
) -> (Lts, Vec<u32>) {
    let ranks = table.ranks();
    // Classes are numbered by their least states, not nodes.
    let mut number = vec![u32::MAX; by_node.count()];
    let mut next = 0;
    for &v in &silent.node {
        let number = &mut number[by_node.class[v as usize] as usize];
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
    }
    let mut class = by_node.class;
    class.iter_mut().for_each(|c| *c = number[*c as usize]);
    let classes = Classes {
        rows: silent.rows(),
        // The least node of a class has no hidden step within it.
        representative: first_members(&class, by_node.count),
        class,
        ranks: &ranks,
        drop_inert: true,
        divergence: Some(silent.divergence),
    };
    let root = silent.node[initial.index()];
    let quotient = Quotient::new(classes, root, all);
    let mut node = silent.node;
    let (lts, state) = quotient.into_lts(table);
    parallel::for_each_mut(&mut node, 1 << 14, |_, v| *v = state[*v as usize]);
    (lts, node)
}

/// What computes a partition.
enum Engine {
    Strong,
    Branching { divergence: bool },
}

impl Engine {
    /// The engine for a relation on this LTS: where nothing is hidden, all bisimilarities
    /// are the strong one.
    fn of(lts: &Lts, relation: Relation) -> Option<Self> {
        let divergence = match relation {
            Relation::Strong => return Some(Engine::Strong),
            Relation::Branching => false,
            Relation::DivBranching => true,
            _ => return None,
        };
        Some(match lts.labels().iter().any(|l| l.is_hidden()) {
            true => Engine::Branching { divergence },
            false => Engine::Strong,
        })
    }
}

/// The least member of each class.
fn first_members(class: &[u32], count: u32) -> Vec<u32> {
    let mut first = vec![u32::MAX; count as usize];
    for (s, &c) in class.iter().enumerate().rev() {
        first[c as usize] = s as u32;
    }
    first
}
