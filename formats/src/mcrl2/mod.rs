//! `.lts`, the binary format of mCRL2: a stream of bits, in which shared terms
//! are defined before they are used.
//!
//! Read are the current version of the format and the one before, with labels
//! written out in mCRL2's syntax. Written is the current one, with opaque
//! labels: the text of a label becomes the name of an action, which mCRL2
//! prints back unchanged.

mod bits;
mod decode;
mod number;
mod print;
mod read;
mod states;
mod terms;
mod write;

pub use read::read;
pub(crate) use read::read_bytes;
pub use write::write;

/// The first bytes of a file.
const MAGIC: [u8; 3] = [0x00, 0x8b, 0xaf];
/// The version after them, of August 2024 (numbers by machine words).
const VERSION: u16 = 0x8308;
/// The one of January 2023 (numbers by bits).
const PREVIOUS_VERSION: u16 = 0x8307;
/// The sort of a parameter of which the sort is not known.
const UNKNOWN_SORT: &[u8] = b"UntypedSortUnknown";

#[cfg(test)]
mod tests;
