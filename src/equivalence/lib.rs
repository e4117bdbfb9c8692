//! Bisimulation equivalences: partitions of the states, comparison of two
//! systems, and witnesses of a difference.
//!
//! * [`Relation`] names the equivalences, [`Partition`] is what an engine
//!   computes.
//! * [`partition`] and [`minimize`] are the fast engines. Tests compare them with
//!   textbook definitions, run as fixpoints over pairs of states.
//! * [`compare`](compare::compare) decides whether two systems are equivalent,
//!   and shows a trace or a [`formula`] that tells them apart.
//!
//! ```
//! use hyades_equivalence::compare::{Comparison, Witness};
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
//! assert_eq!(minimize(slow.clone(), Relation::Branching).lts.states(), 2);
//! let same = compare(slow.clone(), quick.clone(), Relation::Branching)?;
//! assert!(same.is_equivalent());
//! let strong = compare(slow, quick, Relation::Strong)?;
//! assert!(matches!(strong, Comparison::Different(Some(Witness::Trace(_)))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounded;
mod branching;
pub mod compare;
mod dense_ranking;
pub mod formula;
mod k_bisimilarity;
mod minimize;
mod quotient;
pub mod reduction;
mod refinable;
mod refine;
mod rounds;
mod rows;
mod signature;
mod strong;
mod tau_scc;
mod traces;
mod verify;
mod well_founded;
mod witness;

#[cfg(test)]
mod engine_properties;
#[cfg(test)]
mod naive;
#[cfg(test)]
mod properties;

use std::fmt;
use std::str::FromStr;

use hyades_formats::{StateId, named};

use reduction::Reduction;

pub use compare::compare;
pub(crate) use minimize::contracted_quotient;
pub use minimize::{
    Kept, Minimized, minimize, minimize_all, minimize_observed, partition, partition_observed,
};
pub(crate) use quotient::{Classes, Quotient};
pub use refinable::Refinable;
pub use rounds::{Round, RoundCallback};
pub(crate) use rows::{Rows, TransitionColumns, finish_row};
pub(crate) use signature::element;
pub(crate) use tau_scc::TauContraction;

/// A bisimulation equivalence.
///
/// Parsed from the names of CADP (the canonical ones, which are also printed)
/// or of mCRL2:
///
/// | relation | canonical | alias |
/// |---|---|---|
/// | [`Relation::Strong`] | `strong` | `bisim` |
/// | [`Relation::Branching`] | `branching` | `branching-bisim` |
/// | [`Relation::DivBranching`] | `divbranching` | `dpbranching-bisim` |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// Strong bisimilarity (Park 1981, Milner 1989): hidden steps count like
    /// all others.
    Strong,
    /// Branching bisimilarity (van Glabbeek & Weijland 1996): hidden steps
    /// that change nothing are not seen, nor whether they go on for ever.
    Branching,
    /// Branching bisimilarity with explicit divergence, also known as
    /// divergence-preserving (van Glabbeek, Luttik & Trčka 2009): the same, but
    /// it is seen whether a state can stay where it is by hidden steps for ever.
    DivBranching,
}

// from the finest to the coarsest
named! {
    Relation:
    Strong = "strong" | "bisim",
    DivBranching = "divbranching" | "dpbranching-bisim",
    Branching = "branching" | "branching-bisim",
}

impl Relation {
    /// Whether hidden steps count as all others do, and not only by what can be told
    /// apart before and after them.
    pub const fn counts_hidden(self) -> bool {
        match self {
            Relation::Strong => true,
            Relation::Branching | Relation::DivBranching => false,
        }
    }

    /// Whether states that can go on by hidden steps for ever are told apart from those
    /// that cannot.
    pub const fn preserves_divergence(self) -> bool {
        match self {
            Relation::Strong | Relation::DivBranching => true,
            Relation::Branching => false,
        }
    }

    /// Whether two states are related if and only if the same formulas of
    /// Hennessy-Milner logic hold in them, in which hidden steps have a modality as all
    /// others do.
    pub const fn is_characterised_by_hml(self) -> bool {
        match self {
            Relation::Strong => true,
            Relation::Branching | Relation::DivBranching => false,
        }
    }

    /// Whether a state from which a deadlock can be reached, a state without
    /// transitions, is related to such states only.
    pub const fn preserves_deadlocks(self) -> bool {
        match self {
            Relation::Strong | Relation::DivBranching => true,
            // a hidden cycle that nothing leaves is related to a deadlock
            Relation::Branching => false,
        }
    }

    /// Whether a state from which a hidden step can be reached is related to such states
    /// only.
    pub const fn preserves_hidden_steps(self) -> bool {
        match self {
            Relation::Strong => true,
            Relation::Branching | Relation::DivBranching => false,
        }
    }

    /// Whether it is a congruence for parallel composition, hiding, renaming and
    /// cutting of labels: related components may be exchanged for each other.
    pub const fn is_congruence(self) -> bool {
        match self {
            Relation::Strong | Relation::Branching | Relation::DivBranching => true,
        }
    }

    /// Whether it is a congruence for priorities too, by which steps give way to others
    /// that are possible.
    pub const fn is_congruence_with_priorities(self) -> bool {
        match self {
            Relation::Strong => true,
            Relation::Branching | Relation::DivBranching => false,
        }
    }

    /// The relation that differs from this one in divergence only, if there is one.
    pub const fn without_divergence(self) -> Option<Relation> {
        match self {
            Relation::DivBranching => Some(Relation::Branching),
            Relation::Strong | Relation::Branching => None,
        }
    }
}

impl FromStr for Relation {
    type Err = UnknownRelation;

    fn from_str(name: &str) -> Result<Self, UnknownRelation> {
        Self::from_name(name).ok_or_else(|| UnknownRelation {
            name: name.to_owned(),
            known: UNSUPPORTED.contains(&name),
        })
    }
}

/// Names that CADP or mCRL2 give to relations which are not supported: they
/// deserve another answer than a misspelt name.
const UNSUPPORTED: [&str; 25] = [
    "coupled-sim",
    "divsharp",
    "dpweak-bisim",
    "failures",
    "impossible-futures",
    "observational",
    "prob",
    "rate",
    "ready-sim",
    "safety",
    "sharp",
    "sim",
    "tau*.a",
    "tau-compression",
    "tau-confluence",
    "tau-divergence",
    "tau-star",
    "taucompression",
    "tauconfluence",
    "taudivergence",
    "taustar",
    "trace",
    "weak",
    "weak-bisim",
    "weak-trace",
];

/// The name given is not that of a supported [`Relation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRelation {
    /// The name.
    pub name: String,
    /// Whether it is the name of a relation at all, though not of a supported
    /// one.
    pub known: bool,
}

impl fmt::Display for UnknownRelation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.known {
            write!(f, "the relation `{}` is not supported", self.name)?;
        } else {
            write!(f, "unknown relation `{}`", self.name)?;
        }
        let names = Relation::ALL.map(Relation::name).join(", ");
        write!(f, "; supported are {names}")?;
        if self.name.parse::<Reduction>().is_ok() {
            write!(f, " (a partial reduction: reduce -r {})", self.name)?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownRelation {}

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
        let mut number = vec![u32::MAX; self.count()];
        let mut next = 0;
        let class = self
            .class
            .iter()
            .map(|&c| {
                let number = &mut number[c as usize];
                if *number == u32::MAX {
                    *number = next;
                    next += 1;
                }
                *number
            })
            .collect();
        Partition {
            class,
            count: self.count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_have_names_and_aliases() {
        for relation in Relation::ALL {
            assert_eq!(relation.name().parse(), Ok(relation));
            assert_eq!(relation.to_string(), relation.name());
        }
        assert_eq!("bisim".parse(), Ok(Relation::Strong));
        assert_eq!("branching-bisim".parse(), Ok(Relation::Branching));
        assert_eq!("dpbranching-bisim".parse(), Ok(Relation::DivBranching));
    }

    #[test]
    fn unsupported_names_are_told_from_misspelt_ones() {
        let error = "weak-trace".parse::<Relation>().unwrap_err();
        assert!(error.known);
        assert!(error.to_string().contains("is not supported"), "{error}");
        let error = "stong".parse::<Relation>().unwrap_err();
        assert!(!error.known);
        assert!(error.to_string().contains("unknown relation"), "{error}");
        assert!(UNSUPPORTED.is_sorted());
    }

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
