//! Hyades: algorithms over labelled transition systems.
//!
//! ```
//! use hyades::prelude::*;
//!
//! let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata");
//! let early = Lts::read(format!("{folder}/early.aut"))?;
//! let late = Lts::read(format!("{folder}/late.aut"))?;
//! let small = minimize(&early, Relation::Branching)?;
//! assert!(compare(&small, &early, Relation::Branching)?.holds());
//! match compare(&early, &late, Relation::Strong)? {
//!     Verdict::Fails(Some(Witness::Formula(claim))) => {
//!         println!("{:?} only: {}", claim.holds_in, claim.formula);
//!     }
//!     other => panic!("{other:?}"),
//! }
//! # let temporary = tempfile::tempdir()?;
//! # let folder = temporary.path().display();
//! small.save(format!("{folder}/small.bcg"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The [prelude] has what most programs need; [`network::read_lts`] reads networks of
//! automata too, [`explore::Model`] is what can be explored otherwise, and each layer
//! begins with an example of its own.
//!
//! Imports run one way: each layer is a crate of its own, and this one has them all
//! under one roof. An algorithm never prints, never parses arguments, never reads
//! standard input and never exits; what the commands share for that is in `cli`.

pub use hyades_automorphism as automorphism;
pub use hyades_channels as channels;
pub use hyades_check as check;
#[cfg(feature = "cli")]
pub use hyades_cli as cli;
#[cfg(feature = "cluster")]
pub use hyades_cluster as cluster;
pub use hyades_conformance as conformance;
pub use hyades_draw as draw;
pub use hyades_equivalence as equivalence;
pub use hyades_explore as explore;
pub use hyades_external as external;
pub use hyades_formats as formats;
pub use hyades_generate as generate;
pub use hyades_lts as lts;
pub use hyades_markov as markov;
pub use hyades_network as network;
pub use hyades_plugin as plugin;
pub use hyades_plugin::export_model;
pub use hyades_refinement as refinement;
pub use hyades_svl as svl;
pub use hyades_symmetry as symmetry;

use equivalence::compare::Verdict;
use equivalence::{MinimizeError, Relation};
use formats::{Lts, TooLarge};

/// What most programs need: `use hyades::prelude::*`.
pub mod prelude {
    pub use crate::equivalence::Relation;
    pub use crate::equivalence::compare::{Side, Verdict, Witness};
    pub use crate::explore::{ExploreOptions, Model, explore};
    pub use crate::formats::{FileError, Format, LabelId, Lts, LtsBuilder, StateId, TooLarge};
    pub use crate::{compare, minimize};
}

/// Whether the initial states of two systems are related, and if not, why.
///
/// [`equivalence::compare()`] says more; it takes the systems, of which this function
/// makes copies.
///
/// # Errors
/// If an LTS cannot hold both systems.
pub fn compare(first: &Lts, second: &Lts, relation: Relation) -> Result<Verdict, TooLarge> {
    equivalence::compare(first.clone(), second.clone(), relation)
}

/// The smallest LTS that is equivalent to this one; by rooted relations, it may have one state
/// more.
///
/// [`equivalence::minimize()`] says more, and tells the classes of states; it takes the
/// system, of which this function makes a copy.
///
/// # Errors
/// As [`equivalence::minimize()`].
pub fn minimize(lts: &Lts, relation: Relation) -> Result<Lts, MinimizeError> {
    Ok(equivalence::minimize(lts.clone(), relation)?.lts)
}
