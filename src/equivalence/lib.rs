//! Equivalences and preorders: partitions of the states, comparison of two
//! systems, and witnesses of a difference.
//!
//! * [`Relation`] names the relations, [`Partition`] is what an engine
//!   computes.
//! * [`partition`] and [`minimize`] are the fast engines. Tests compare them with
//!   textbook definitions, run as fixpoints over pairs of states.
//! * [`compare`](compare::compare) decides whether two systems are equivalent,
//!   and shows a trace or a [`formula`] that tells them apart.
//!
//! ```
//! use hyades_equivalence::compare::{Verdict, Witness};
//! use hyades_equivalence::{Relation, compare, minimize};
//! use hyades_formats::{LtsBuilder, StateId};
//!
//! // One machine waits a moment before it gives tea, the other one does not.
//! let mut slow = LtsBuilder::new(3);
//! slow.add_text(0, b"COIN", 1)?;
//! slow.add(StateId::new(1), hyades_formats::LabelId::HIDDEN, StateId::new(2));
//! slow.add_text(2, b"TEA", 0)?;
//! let slow = slow.build(StateId::new(0))?;
//! let mut quick = LtsBuilder::new(2);
//! quick.add_text(0, b"COIN", 1)?;
//! quick.add_text(1, b"TEA", 0)?;
//! let quick = quick.build(StateId::new(0))?;
//!
//! assert_eq!(minimize(slow.clone(), Relation::Branching)?.lts.states(), 2);
//! let same = compare(slow.clone(), quick.clone(), Relation::Branching)?;
//! assert!(same.holds());
//! let strong = compare(slow, quick, Relation::Strong)?;
//! assert!(matches!(strong, Verdict::Fails(Some(Witness::Trace(_)))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounded;
mod branching;
mod coarser;
pub mod compare;
mod distinguish;
mod engine;
mod facts;
pub mod formula;
mod hidden_search;
pub mod inclusion;
mod isomorphism;
mod k_bisimilarity;
pub mod kin;
mod levels;
pub mod lump;
mod minimize;
pub mod prune;
mod quotient;
pub mod reduction;
mod refinable;
mod refine;
mod relation;
mod rounds;
mod rows;
mod signature;
mod simulation;
pub mod spectroscopy;
pub mod spectrum;
mod strong;
mod tau_scc;
mod told;
mod traces;
mod unknown_relation;
mod verify;
mod weak;
mod well_founded;
mod witness;

#[cfg(test)]
mod engine_properties;
#[cfg(test)]
mod naive;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod relation_properties;

use hyades_formats::StateId;

pub use compare::compare;
pub use isomorphism::reachable_size;
pub use minimize::{
    Kept, MinimizeError, Minimized, branching_partition_from, hidden_nodes, minimize,
    minimize_observed, numbered, partition, partition_observed, strong_partition,
    strong_partition_from, strong_quotient,
};
pub(crate) use minimize::{
    by_strong, contracted_quotient, minimize_all, minimize_from, quotient_of, strong_quotient_from,
};
pub(crate) use quotient::{Classes, Quotient};
pub use refinable::Refinable;
pub use relation::{Criterion, Distributed, IsStrong, Relation, either};
pub use rounds::{Round, RoundCallback};
pub use rows::Sources;
pub(crate) use rows::{Rows, TransitionColumns, finish_row};
pub(crate) use signature::element;
pub use signature::{Mixer, Summer};
pub(crate) use tau_scc::TauContraction;
pub use told::{listed, offering};
pub use unknown_relation::UnknownRelation;

/// A partition of the states of an LTS into classes `0 .. count()`.
///
/// Every class has a member. Holds 4 bytes a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    class: Vec<u32>,
    count: u32,
}

impl Partition {
    /// The partition with these classes, by state.
    ///
    /// # Panics
    /// If the classes are not numbered `0 .. count` without a gap.
    /// O(states).
    pub fn new(class: Vec<u32>) -> Self {
        let count = class.iter().max().map_or(0, |&last| last as usize + 1);
        assert!(count <= class.len(), "a class without a member");
        let mut used = vec![false; count];
        class.iter().for_each(|&c| used[c as usize] = true);
        assert!(used.iter().all(|&u| u), "a class without a member");
        Self {
            class,
            count: count as u32,
        }
    }

    /// The number of classes.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The class of a state.
    ///
    /// # Panics
    /// If there is no such state.
    #[inline]
    pub fn class(&self, state: StateId) -> u32 {
        self.class[state.index()]
    }

    /// The class of every state, by state.
    pub fn classes(&self) -> &[u32] {
        &self.class
    }

    /// Takes the classes out.
    pub fn into_classes(self) -> Vec<u32> {
        self.class
    }

    /// The same partition, its classes numbered in the order of their first
    /// members: equal for two partitions if and only if they have the same
    /// classes, however numbered. O(states).
    pub fn normalized(&self) -> Partition {
        self.among(0..self.class.len())
    }

    /// The partition of these states alone, which are numbered in this order, its classes in
    /// the order of their first members. O(states).
    pub(crate) fn among(&self, states: impl Iterator<Item = usize>) -> Partition {
        let mut number = vec![u32::MAX; self.count()];
        let mut next = 0;
        let class = states
            .map(|state| {
                let number = &mut number[self.class[state] as usize];
                if *number == u32::MAX {
                    *number = next;
                    next += 1;
                }
                *number
            })
            .collect();
        Partition { class, count: next }
    }
}

/// The least member of each class.
pub(crate) fn first_members(class: &[u32], count: u32) -> Vec<u32> {
    let mut first = vec![u32::MAX; count as usize];
    for (s, &c) in class.iter().enumerate().rev() {
        first[c as usize] = s as u32;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbering_follows_first_members() {
        let partition = Partition::new(vec![2, 0, 2, 1, 0]);
        assert_eq!(partition.count(), 3);
        assert_eq!(partition.normalized().classes(), [0, 1, 0, 2, 1]);
        assert_eq!(
            partition.normalized(),
            Partition::new(vec![1, 2, 1, 0, 2]).normalized()
        );
    }

    #[test]
    #[should_panic(expected = "a class without a member")]
    fn gaps_in_the_numbering_are_refused() {
        Partition::new(vec![0, 2, 2]);
    }
}
