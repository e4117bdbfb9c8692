//! `.lts`, the binary format of mCRL2: a stream of bits, in which shared terms
//! are defined before they are used.
//!
//! Read are the current version of the format and the one before, with labels
//! written out in mCRL2's syntax. Written is the current one, with opaque
//! labels: the text of a label becomes the name of an action, which mCRL2
//! prints back unchanged.

mod bits;
mod decode;
mod header;
mod number;
mod print;
mod read;
mod states;
mod terms;
mod write;

pub use read::read;
pub(crate) use read::read_bytes;
pub use write::write;

#[cfg(test)]
mod tests;
