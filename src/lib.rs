//! Hyades: algorithms over labelled transition systems.
//!
//! Imports run one way: each layer is a crate of its own, and this one has them all
//! under one roof. An algorithm never prints, never parses arguments, never reads
//! standard input and never exits; what the commands share for that is in `cli`.

pub use hyades_automorphism as automorphism;
pub use hyades_channels as channels;
#[cfg(feature = "cli")]
pub use hyades_cli as cli;
pub use hyades_conformance as conformance;
pub use hyades_equivalence as equivalence;
pub use hyades_explore as explore;
pub use hyades_formats as formats;
pub use hyades_generate as generate;
pub use hyades_lts as lts;
pub use hyades_network as network;
pub use hyades_plugin as plugin;
pub use hyades_plugin::export_model;
pub use hyades_refinement as refinement;
pub use hyades_symmetry as symmetry;
