//! The commands, one module each.

pub mod describe;
pub mod equiv;
pub mod generate;
pub mod hyades;
pub mod kernel;
pub mod minimize;
pub mod reach;
pub mod reduce;
pub mod refine;
pub mod relabel;
pub mod transcode;
pub mod wmethod;
