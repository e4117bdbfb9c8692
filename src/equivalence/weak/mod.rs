//! Weak bisimilarities, for which hidden steps before and after a visible one are not
//! counted: found without the saturated transition relation, which has up to n² steps.
//!
//! 1. States on a hidden cycle are taken together, and then those that are (divergence-
//!    preserving) branching bisimilar, which is finer ([`system`]). What is left of the
//!    hidden steps has no cycle. Steps that two others make up for are left out.
//! 2. Signatures are sets of blocks, closed along hidden steps from their ends up. They are
//!    compared and not kept: in each round, bits of many blocks go backwards along steps, or
//!    bits of many nodes forwards, side by side ([`lanes`], [`abreast`]).
//! 3. Where nodes have ways to very many labels, as on a long hidden path with others at each
//!    step, sets are kept ([`closures`]), each once, and share what they have in common
//!    ([`tries`]), so that each costs what it differs by. In rounds, only states are signed
//!    anew whose sets may have changed, and only those sets are kept that may still tell
//!    states apart ([`refinement`]). Nodes from which every path ends are classified before
//!    that, from the ends up ([`founded`]).
//! 4. Of the classes, the least set of steps that stands for all is taken, in one of these
//!    ways ([`essential`]).
//!
//! Sources: P. C. Kanellakis, S. A. Smolka, "CCS expressions, finite state processes, and
//! three problems of equivalence", Information and Computation 86, 1990; W. Li, "Algorithms
//! for computing weak bisimulation equivalence", TASE 2009; J. Eloranta, "Minimizing the
//! number of transitions with respect to observation equivalence", BIT 31, 1991; J.
//! Eloranta, M. Tienari, A. Valmari, "Essential transitions to bisimulation equivalences",
//! TCS 179, 1997.

mod abreast;
mod agenda;
mod closures;
mod essential;
pub(crate) mod eta;
mod founded;
mod lanes;
mod refinement;
mod steps;
mod system;
#[cfg(test)]
mod tests;
mod tries;

use hyades_base::parallel;
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, TooLarge};

use crate::rounds::Rounds;
use crate::signature::Mixer;
use crate::{Classes, Partition, Quotient, Rows, TransitionColumns, branching, strong};
use system::System;

/// A weak bisimilarity.
///
/// Below, s ⇒ t says that hidden steps, maybe none, lead from s to t.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Weak {
    /// Observation equivalence (Milner 1980): a step s –a→ s' is answered by t ⇒a⇒ t', a
    /// hidden one by t ⇒ t'.
    Observational,
    /// The same with explicit divergence: related states agree on whether hidden steps can
    /// go on for ever inside their class. The same as observation equivalence where each
    /// state on a hidden cycle has a visible self-loop with a label of its own.
    DivObservational,
    /// Delay bisimilarity (Milner 1981): a visible step s –a→ s' is answered by t ⇒a t',
    /// with nothing behind a.
    Delay,
    /// τ\*.a equivalence (Fernandez & Mounier 1991): s ⇒a s' is answered by t ⇒a t', for
    /// visible labels alone.
    TauStarA,
}

impl Weak {
    /// Whether divergence is seen.
    const fn preserves_divergence(self) -> bool {
        match self {
            Weak::DivObservational => true,
            Weak::Observational | Weak::Delay | Weak::TauStarA => false,
        }
    }

    /// Whether it is a bisimulation for ⇒ too.
    const fn answers_hidden(self) -> bool {
        match self {
            Weak::Observational | Weak::DivObservational | Weak::Delay => true,
            Weak::TauStarA => false,
        }
    }

    /// Whether hidden steps may follow a visible one.
    const fn goes_on(self) -> bool {
        match self {
            Weak::Observational | Weak::DivObservational => true,
            Weak::Delay | Weak::TauStarA => false,
        }
    }
}

/// The coarsest partition of all states by a weak bisimilarity.
///
/// Beyond branching bisimilarity, with n classes of which and m transitions between them
/// the rest takes place: O(n m / 256) steps for each label, in parallel, and fewer where
/// there are fewer ways; 16 bytes a transition of the n classes and 60 a class, and 64 a
/// class for each thread. Where nodes have ways to very many labels, O(m + n) unions of
/// sets a round instead, but for states only whose sets change, and about 32 bytes for each
/// part of a set that is in no other.
///
/// The result does not depend on the number of threads.
pub(crate) fn partition(lts: &Lts, kind: Weak, rounds: &mut Rounds<'_>) -> Partition {
    if lts.labels().iter().all(|label| !label.is_hidden()) {
        // All is seen then.
        return strong::partition(lts, rounds);
    }
    let divergence = kind.preserves_divergence();
    let (silent, by_node) = branching::partition(lts, divergence, rounds);
    let system = System::new(silent, by_node);
    let (mut node, classes) = classes(system, kind, Mixer::new, rounds);
    node.iter_mut()
        .for_each(|v| *v = classes.class[*v as usize]);
    Partition {
        class: node,
        count: classes.count,
    }
}

/// The node of each state, and the classes of the nodes, numbered by their least nodes.
fn classes(
    system: System,
    kind: Weak,
    mixer: impl Fn(u64) -> Mixer,
    rounds: &mut Rounds<'_>,
) -> (Vec<u32>, Partition) {
    let System { node, columns } = system;
    let classes = refine(columns.rows(), kind, mixer, rounds).1;
    (node, classes)
}

/// The coarsest partition by a weak bisimilarity of nodes that are pairwise not branching
/// bisimilar. Hidden transitions come first in a row, and lead to smaller numbers.
///
/// Numbered by the least nodes. Time and memory as of [`partition`].
pub(crate) fn partition_of_nodes(rows: Rows<'_>, kind: Weak, rounds: &mut Rounds<'_>) -> Partition {
    refine(rows, kind, Mixer::new, rounds).1
}

/// The partition of the nodes of a system, numbered by their least nodes, and their rows
/// without those transitions that others make up for, unless all nodes differ anyhow.
fn refine(
    rows: Rows<'_>,
    kind: Weak,
    mixer: impl Fn(u64) -> Mixer,
    rounds: &mut Rounds<'_>,
) -> (Option<TransitionColumns>, Partition) {
    if rows.labels.iter().all(|label| !label.is_hidden()) {
        // States that are not branching bisimilar differ if nothing is hidden.
        let class = (0..rows.states() as u32).collect();
        return (None, Partition::new(class));
    }
    let pruned = system::pruned(rows, kind);
    let partition = refinement::refine(pruned.rows(), kind, mixer, rounds).normalized();
    (Some(pruned), partition)
}

/// The quotient by a weak bisimilarity, and the state of it for each state of the LTS.
///
/// By observation equivalence, with or without divergence: the classes, and the least set
/// of steps between them whose saturation is theirs. There is only one (Eloranta 1991), and
/// it is no larger than the quotient by branching bisimilarity. With divergence, classes
/// with a hidden cycle have a hidden self-loop.
///
/// By τ\*.a equivalence: the visible steps s ⇒a t between the classes that these lead to
/// from the initial one; the others have [`NO_CLASS`](crate::Minimized::NO_CLASS). There
/// may be many more steps than in the input.
///
/// By delay bisimilarity: the classes, and the least set of steps of which the same holds.
///
/// Numbered and sorted as by [`minimize`](crate::minimize); all states are taken into
/// account. Time and memory are those of [`partition`] and one more round.
///
/// # Errors
/// If there are more steps than an LTS can hold, by τ\*.a equivalence only.
pub(crate) fn quotient(
    lts: Lts,
    kind: Weak,
    rounds: &mut Rounds<'_>,
) -> Result<(Lts, Vec<u32>), TooLarge> {
    quotient_within(lts, kind, Lts::MAX_TRANSITIONS, rounds)
}

/// As [`quotient`], with at most so many steps of the τ\*.a quotient.
pub(crate) fn quotient_within(
    lts: Lts,
    kind: Weak,
    limit: u64,
    rounds: &mut Rounds<'_>,
) -> Result<(Lts, Vec<u32>), TooLarge> {
    let initial = lts.initial();
    let divergence = kind.preserves_divergence();
    let (silent, by_node) = branching::partition(&lts, divergence, rounds);
    let LtsParts { table, .. } = lts.into_parts();
    let loops = silent.divergence;
    let System { mut node, columns } = System::new(silent, by_node);
    let (pruned, partition) = refine(columns.rows(), kind, Mixer::new, rounds);
    // The classes are numbered by their least nodes, from which no hidden step leads back.
    let columns = match partition.count() == columns.rows().states() {
        true => pruned.unwrap_or(columns),
        false => {
            let pruned = pruned.as_ref().unwrap_or(&columns);
            let between = system::between(pruned.rows(), &partition);
            drop(columns);
            system::pruned(between.rows(), kind)
        }
    };
    parallel::for_each_mut(&mut node, 1 << 14, |_, v| *v = partition.class[*v as usize]);
    drop(partition);
    let root = node[initial.index()];
    let (steps, all) = match kind {
        Weak::Observational | Weak::DivObservational | Weak::Delay => {
            (essential::steps(columns, kind, loops), true)
        }
        Weak::TauStarA => (essential::visible(columns, root, limit)?, false),
    };
    Ok(numbered(steps, node, root, table, loops, all))
}

/// The LTS with these rows, from the node of each state of another.
fn numbered(
    columns: TransitionColumns,
    mut node: Vec<u32>,
    root: u32,
    table: LabelTable,
    loops: LabelId,
    all: bool,
) -> (Lts, Vec<u32>) {
    const NONE: u32 = u32::MAX;
    let ranks = table.ranks();
    // Numbered by their least states.
    let count = columns.rows().states();
    let mut number = vec![NONE; count];
    let mut order = Vec::with_capacity(count);
    for &v in &node {
        if number[v as usize] == NONE {
            number[v as usize] = order.len() as u32;
            order.push(v);
        }
    }
    let classes = Classes {
        rows: columns.rows(),
        class: number,
        representative: order,
        ranks: &ranks,
        drop_inert: false,
        divergence: Some(loops),
    };
    let quotient = Quotient::new(classes, &[root], all);
    drop(columns);
    let (lts, state) = quotient.into_lts(table);
    parallel::for_each_mut(&mut node, 1 << 14, |_, v| *v = state[*v as usize]);
    (lts, node)
}
