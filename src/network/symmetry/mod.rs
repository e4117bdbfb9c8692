//! Symmetry of networks: which permutations of values leave a network as it is,
//! and its states up to these (Gibson-Robinson & Lowe, *Symmetry reduction in
//! CSP model checking*, 2019).
//!
//! [`Types`] say which values may be exchanged; [`find_types`] finds them.
//! [`Symmetry::new`] derives what permutations do to the states of components, from
//! nothing but their transitions and the rules, and refuses types that are no
//! symmetry. A [`SymmetricModel`] explores one state, or few, of each orbit. A
//! [`Replay`] turns its traces into traces of the network.
//!
//! ```
//! use hyades_explore::ExploreOptions;
//! use hyades_network::{Memory, Options, from_text};
//! use hyades_network::symmetry::{Strategy, SymmetricModel, Symmetry, Types};
//!
//! let mut files = Memory::default();
//! files.add("a.aut", "des (0,2,2)\n(0,\"TAKE !A\",1)\n(1,\"GIVE !A\",0)\n");
//! files.add("b.aut", "des (0,2,2)\n(0,\"TAKE !B\",1)\n(1,\"GIVE !B\",0)\n");
//! let options = Options::default();
//! let network = from_text("pair", "a ||| b", &options, &files, &mut |d| panic!("{d}"))?;
//! let symmetry = Symmetry::new(&network, &Types::parse("type Name = A B")?)?;
//! let model = SymmetricModel::new(&symmetry, Strategy::Exact);
//! let (found, counts) = model.count(ExploreOptions::default())?;
//! let counts = counts.expect("all states are explored");
//! assert_eq!((found.states, counts.states, counts.transitions), (3, 4, 8));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod auto;
mod automorphisms;
mod count;
mod derive;
mod error;
mod fire;
mod generator;
mod group;
mod label_action;
mod labels;
mod live;
mod model;
mod parts;
mod replay;
mod representative;
mod still;
mod types;

#[cfg(test)]
pub(crate) mod tests;

pub use auto::find_types;
pub use count::Counts;
pub use error::SymmetryError;
pub use group::{Symmetry, Unused};
pub use model::{Scratch, SymmetricModel, UnreducedModel};
pub use parts::Specification;
pub use replay::Replay;
pub use representative::Strategy;
pub use types::{Types, TypesError, ValueType};
