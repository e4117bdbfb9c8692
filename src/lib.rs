//! Hyades: algorithms over labelled transition systems.
//!
//! Imports run one way: the commands in `bin/` use this library, this library
//! uses `hyades-formats`. An algorithm never prints, never parses arguments and
//! never exits; what the commands share for that is in `cli`.

pub mod channels;
pub mod cli;
pub mod conformance;
pub mod equivalence;
pub mod explore;
pub mod generate;
pub mod lts;
pub mod network;
pub mod pattern;
pub mod plugin;
pub mod reduction;
pub mod refinement;
pub mod symmetry;
#[cfg(test)]
mod testing;

mod interned;
mod parallel;
mod text;

pub use hyades_formats as formats;
