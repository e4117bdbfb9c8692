//! Partial reductions: what hidden transitions alone tell lets an LTS be made
//! smaller, in nearly linear time and without a partition of its states.
//!
//! The names are those of CADP. From the finest to the coarsest, each changes more
//! than the one before it, and each of the first three makes an LTS at least as
//! small:
//!
//! | reduction | preserves |
//! |---|---|
//! | [`Reduction::TauDivergence`] | divergence-preserving branching bisimilarity |
//! | [`Reduction::TauCompression`] | branching bisimilarity |
//! | [`Reduction::TauConfluence`] | branching bisimilarity |
//! | [`Reduction::TauStar`] | τ\*.a equivalence, thus safety equivalence and weak traces |
//!
//! The last one leaves no hidden transitions, and may well have more visible ones
//! than there were.

mod compression;
mod confluence;
#[cfg(test)]
mod naive;
mod tau_star;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use hyades_formats::{Lts, TooLarge, named};
use hyades_lts::{Numbering, reachable};

use crate::Relation;

/// A partial reduction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduction {
    /// States on a cycle of hidden transitions become one state, which keeps one
    /// hidden self-loop to tell that hidden transitions may go on for ever there.
    ///
    /// Preserves divergence-preserving branching bisimilarity, thus also deadlocks
    /// and livelocks.
    TauDivergence,
    /// The same without the self-loop.
    ///
    /// Preserves branching bisimilarity. A cycle of hidden transitions that there
    /// is no way out of becomes a deadlock.
    TauCompression,
    /// [`Reduction::TauCompression`], and then confluent hidden transitions are
    /// taken before all others, so that only where they end remains.
    ///
    /// A set of hidden transitions is *strongly confluent* if for each `s → t` of
    /// it and each other transition `s -a→ u` there is a state `v` with `t -a→ v`
    /// (or `t = v`, if `a` is hidden) and with `u → v` in the set (or `u = v`). The
    /// union of such sets is one, so there is a largest. Together with the
    /// identity, each such set is a branching bisimulation, and it has no cycles
    /// any more: each state can be replaced by one where its confluent transitions
    /// end (J. F. Groote, J. van de Pol, "State space reduction using partial
    /// τ-confluence", MFCS 2000; S. Blom, J. van de Pol, "State space reduction by
    /// proving confluence", CAV 2002). As states then fall together, others may
    /// become confluent: it is done again as long as that is worth while.
    ///
    /// Preserves branching bisimilarity.
    TauConfluence,
    /// A visible transition leads from a state to where hidden transitions and then
    /// one with that label led, and there are no others.
    ///
    /// Preserves τ\*.a equivalence (J.-C. Fernandez, L. Mounier, "On the fly
    /// verification of behavioural equivalences and preorders", CAV 1991), of which
    /// it makes strong bisimilarity; thus also safety equivalence, which is coarser,
    /// and weak traces. Deadlocks are not preserved: one hides behind hidden
    /// transitions, another appears where there are none but these.
    TauStar,
}

// from the finest to the coarsest; besides, the names of CADP and mCRL2
named! {
    Reduction:
    TauDivergence = "tau-divergence" | "taudivergence",
    TauCompression = "tau-compression" | "taucompression",
    TauConfluence = "tau-confluence" | "tauconfluence",
    TauStar = "tau-star" | "taustar" | "tau*.a",
}

impl Reduction {
    /// What is the same before and after, in words.
    pub const fn preserves(self) -> &'static str {
        match self {
            Reduction::TauDivergence => "divergence-preserving branching bisimilarity",
            Reduction::TauCompression | Reduction::TauConfluence => "branching bisimilarity",
            Reduction::TauStar => "tau*.a equivalence",
        }
    }
}

impl FromStr for Reduction {
    type Err = UnknownReduction;

    /// The canonical names, and those that CADP and mCRL2 have besides.
    fn from_str(name: &str) -> Result<Self, UnknownReduction> {
        Self::from_name(name).ok_or_else(|| UnknownReduction(name.to_owned()))
    }
}

/// The name given is not that of a [`Reduction`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownReduction(pub String);

impl fmt::Display for UnknownReduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name) = self;
        if let Some(relation) = Relation::from_name(name)
            && relation.has_quotient()
        {
            return write!(
                f,
                "unknown reduction `{name}`: a relation, by which states are compared: minimize -e {name}"
            );
        }
        let names = Reduction::ALL.map(Reduction::name).join(", ");
        write!(f, "unknown reduction `{name}`; there are {names}")
    }
}

impl std::error::Error for UnknownReduction {}

/// The reachable part of an LTS, reduced.
///
/// States are numbered breadth-first from the initial one, transitions are sorted
/// by (source, label bytes, target) and occur once, as by
/// [`minimize`](crate::minimize). The result does not depend on the
/// number of threads. What is known of states is dropped.
///
/// With n states and m transitions, beyond the LTS itself, which is freed on the
/// way:
///
/// * [`Reduction::TauDivergence`], [`Reduction::TauCompression`]: O(n + m log d)
///   time for degrees up to d; 16 bytes a transition and 28 a state.
/// * [`Reduction::TauConfluence`]: O(n + m log d) time if each state has few hidden
///   transitions, and O(m h³ log d) at the worst if it has up to h, of which the
///   first 128 are looked at; 24 bytes a transition and 36 a state.
/// * [`Reduction::TauStar`]: O(k m) time and up to k² transitions with each label
///   in the result, where visible transitions lead to k states.
///
/// # Errors
/// If the result has more transitions than an [`Lts`] can hold, which happens to
/// [`Reduction::TauStar`] only.
pub fn reduce(lts: Lts, reduction: Reduction) -> Result<Lts, TooLarge> {
    let lts = reachable(lts, Numbering::Ascending);
    match reduction {
        Reduction::TauDivergence => Ok(compression::reduce(lts, true)),
        Reduction::TauCompression => Ok(compression::reduce(lts, false)),
        Reduction::TauConfluence => Ok(confluence::reduce(lts)),
        Reduction::TauStar => tau_star::reduce(lts),
    }
}
