//! Eta-bisimilarity (Baeten & van Glabbeek, "Another look at abstraction in process
//! algebra", ICALP 1987): as branching bisimilarity, but hidden steps may also follow the
//! answer to a step. p –a→ p' is answered by q ⇒ q₁ –a→ ⇒ q' with p related to q₁ and p' to
//! q', or, if a is hidden, by p' related to q.

use hyades_formats::Lts;

use super::pulled_back;
use crate::rounds::{RoundCallback, Rounds, untold};
use crate::weak::{self, Weak};
use crate::{Partition, TauContraction, branching, contracted_quotient};

/// The coarsest eta-bisimulation.
///
/// The classes of weak bisimilarity, which is coarser, in the quotient by branching
/// bisimilarity, which is finer and has no hidden cycle, are refined by the sets of blocks
/// that hidden steps lead to: each set is kept once, and no transitions are added.
///
/// Takes what [`crate::partition`] takes by observation equivalence, and then, where that has
/// coarser classes than branching bisimilarity, O(m + n) unions of sets for each round, but
/// only for nodes whose sets may change, and about 32 bytes for each part of a set that is in
/// no other.
pub fn partition(lts: &Lts, observer: &mut RoundCallback<'_>) -> Partition {
    partition_in_rounds(lts, &mut Rounds::new(observer))
}

/// As [`partition`].
pub(crate) fn partition_in_rounds(lts: &Lts, rounds: &mut Rounds<'_>) -> Partition {
    let (silent, by_node) = branching::partition(lts, false, &mut Rounds::new(&mut untold));
    let table = lts.table().clone();
    let (lts, class) = contracted_quotient(silent, by_node, &[lts.initial()], table, true);
    // Numbers its states so that hidden steps lead to smaller ones.
    let silent = TauContraction::new(&lts, false);
    drop(lts);
    let rows = silent.rows();
    // Weak bisimilarity is coarser.
    let start = weak::partition_of_nodes(rows, Weak::Observational, rounds);
    let by_node = weak::eta::refine(rows, start, rounds);
    let by_class = pulled_back(&silent.node, &by_node);
    pulled_back(&class, &by_class)
}
