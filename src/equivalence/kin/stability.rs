//! Stability-respecting branching bisimilarity (van Glabbeek, "The linear time – branching
//! time spectrum II", CONCUR 1993): branching bisimilarity, where moreover a *stable* state,
//! one without hidden steps, is related to q only if hidden steps lead from q to a stable
//! state that is related to both.

use hyades_formats::{LabelId, Lts};

use super::pulled_back;
use crate::rounds::{RoundCallback, Rounds};
use crate::signature::Mixer;
use crate::{Partition, Rows, TauContraction, branching};

/// The coarsest stability-respecting branching bisimulation.
///
/// It is the coarsest branching bisimulation of the same LTS with a self-loop by a visible
/// label of its own on each stable state: q answers the loop of p by hidden steps through
/// related states and a loop, and so at a stable state.
///
/// Time and memory of [`crate::partition`] by branching bisimilarity, and 16 bytes a
/// transition.
pub fn partition(lts: &Lts, observer: &mut RoundCallback<'_>) -> Partition {
    partition_in_rounds(lts, &mut Rounds::new(observer))
}

/// As [`partition`].
pub(crate) fn partition_in_rounds(lts: &Lts, rounds: &mut Rounds<'_>) -> Partition {
    let rows = Rows::from(lts);
    // States on a hidden cycle come to the same stable states, and so do a state that has but
    // one hidden step, or a cycle that has but one way out, and where that leads.
    let contracted = TauContraction::new(lts, false);
    let mut stable = vec![false; contracted.rows().states()];
    let node = contracted.node;
    for (s, &v) in node.iter().enumerate() {
        let (labels, _) = rows.row(s as u32);
        stable[v as usize] |= !labels.iter().any(|l| l.is_hidden());
    }
    let label = LabelId::new(lts.table().len() as u32);
    let marked = TauContraction::with_nodes(rows, node, &stable, label);
    let (silent, by_node) = branching::with_mixers(marked, Mixer::new, rounds);
    pulled_back(&silent.node, &by_node)
}
