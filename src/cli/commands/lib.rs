//! The commands, one module each, but those of a product: these are crates of their own.

#![expect(
    missing_debug_implementations,
    reason = "options and states of commands"
)]

pub mod cadp;
pub mod check;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod describe;
pub mod draw;
pub mod equiv;
pub mod generate;
pub mod mcrl2;
pub mod minimize;
pub mod reach;
pub mod reduce;
pub mod refine;
pub mod relabel;
pub mod svl;
pub mod transcode;
