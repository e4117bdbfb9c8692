//! The edge section: transitions as differences to one of a few registers.
//!
//! A register predicts its content plus one as the next target; an edge names a
//! register and the distance of its target from that. After a short or medium
//! form the register gets the target; after a long form the register gets it
//! that has not got one for longest.

mod decode;
mod decoder;
mod encode;
mod fast;
mod order;
mod parameters;
mod registers;

pub(super) use decode::decode;
#[cfg(test)]
pub(super) use decode::decode_by;
#[cfg(test)]
pub(super) use decoder::EdgeColumns;
pub(super) use decoder::Edges;
pub(super) use encode::encode;
pub(super) use order::Ordered;
pub use parameters::Parameters;

/// The largest number of edges of files that were seen: how registers age beyond, which
/// tell 32-bit numbers of edges, is not known.
pub(super) const MAX_EDGES: u64 = u32::MAX as u64;
