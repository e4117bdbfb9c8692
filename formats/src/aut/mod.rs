//! AUT (ALDEBARAN): a header line and one line for each transition.
//!
//! The reader takes what exists in practice and warns about it, or, in strict
//! mode, only what the definition allows. Mapped files are parsed in parallel
//! chunks; streams are parsed while they arrive.

mod grammar;
mod place;
mod ranged;
mod read;
mod scan;
mod spell;
mod spool;
mod stream;
mod write;

#[cfg(test)]
mod tests;

pub use place::place_of;
pub use ranged::{RangeSummary, Ranged, WholeFile};
pub use read::read;
pub(crate) use read::read_into;
pub use spool::Spool;
pub use stream::StreamWriter;
pub use write::write;
