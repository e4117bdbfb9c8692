//! Partitions and quotients for every relation.

use hyades_base::parallel;
use hyades_formats::{LabelTable, Lts, LtsParts, StateId};
use hyades_lts::{Numbering, reachable_states, restricted};

use super::quotient::{Classes, Quotient};
use super::rounds::{RoundCallback, Rounds, untold};
use super::tau_scc::TauContraction;
use super::{Partition, Relation, branching, strong};

/// The coarsest partition of the states into equivalent ones.
///
/// O(m log n) time for m transitions and n states, in parallel on most inputs;
/// the partition does not depend on the number of threads.
///
/// * [`Relation::Strong`]: 4 bytes a transition and 32 a state at the peak,
///   besides the input.
/// * The others: about 24 bytes a transition and 60 a state.
///
/// Inputs on which splitting by signatures would take too long are finished by a
/// method with a worst-case bound. It holds up to 20 bytes a transition and 60 a
/// state more, for the others up to 70 and 90.
pub fn partition(lts: &Lts, relation: Relation) -> Partition {
    partition_observed(lts, relation, &mut untold)
}

/// As [`partition`], and tells how far it has come after each round.
pub fn partition_observed(
    lts: &Lts,
    relation: Relation,
    observer: &mut RoundCallback<'_>,
) -> Partition {
    let rounds = &mut Rounds::new(observer);
    let (silent, partition) = match Engine::of(lts, relation) {
        Engine::Strong => return strong::partition(lts, rounds),
        Engine::Branching { divergence } => branching::partition(lts, divergence, rounds),
    };
    let class = silent
        .node
        .iter()
        .map(|&v| partition.class[v as usize])
        .collect();
    Partition {
        class,
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
pub fn minimize(lts: Lts, relation: Relation) -> Minimized {
    minimize_observed(lts, relation, Kept::Reachable, &mut untold)
}

/// As [`minimize`], but classes of states that cannot be reached are kept: they come
/// behind the others.
pub fn minimize_all(lts: Lts, relation: Relation) -> Minimized {
    minimize_observed(lts, relation, Kept::All, &mut untold)
}

/// The states whose classes a quotient has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// Those that can be reached, as [`minimize`] has it.
    Reachable,
    /// All, as [`minimize_all`] has it.
    All,
}

/// As [`minimize`] or [`minimize_all`], and tells how far it has come after each round of
/// refinement.
pub fn minimize_observed(
    lts: Lts,
    relation: Relation,
    kept: Kept,
    observer: &mut RoundCallback<'_>,
) -> Minimized {
    let all = lts.states();
    let mut rounds = Rounds::new(observer);
    let seen = match kept {
        Kept::Reachable => Some(reachable_states(&lts)).filter(|seen| seen.count < all),
        Kept::All => None,
    };
    let Some(seen) = seen else {
        let (lts, class) = quotient(lts, relation, &mut rounds);
        return Minimized {
            lts,
            class,
            states: all,
        };
    };
    let lts = restricted(lts, &seen, Numbering::Ascending);
    let (lts, classes) = quotient(lts, relation, &mut rounds);
    let mut classes = classes.into_iter();
    let mut next = |s| match seen.contains(s) {
        true => classes.next().expect("a class for every reachable state"),
        false => Minimized::NO_CLASS,
    };
    let class = (0..all).map(&mut next).collect();
    let states = seen.count;
    Minimized { lts, class, states }
}

fn quotient(mut lts: Lts, relation: Relation, rounds: &mut Rounds<'_>) -> (Lts, Vec<u32>) {
    let initial = lts.initial();
    match Engine::of(&lts, relation) {
        Engine::Strong => {
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
            let quotient = Quotient::new(classes, initial.get(), true);
            let LtsParts { table, .. } = lts.into_parts();
            quotient.into_lts(table)
        }
        Engine::Branching { divergence } => {
            let (silent, by_node) = branching::partition(&lts, divergence, rounds);
            let LtsParts { table, .. } = lts.into_parts();
            contracted_quotient(silent, by_node, initial, table, true)
        }
    }
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
    /// The engine for a relation on this LTS: where nothing is hidden, all relations are
    /// strong bisimilarity.
    fn of(lts: &Lts, relation: Relation) -> Self {
        let divergence = match relation {
            Relation::Strong => return Engine::Strong,
            Relation::Branching => false,
            Relation::DivBranching => true,
        };
        match lts.labels().iter().any(|l| l.is_hidden()) {
            true => Engine::Branching { divergence },
            false => Engine::Strong,
        }
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
