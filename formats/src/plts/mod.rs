//! A partitioned LTS: a directory of parts, each of which holds the rows of consecutive
//! states, for LTSs that are read and written piece by piece.
//!
//! ```text
//! NAME.plts/manifest.json     sizes and checksums; written last
//! NAME.plts/labels            the texts of the labels
//! NAME.plts/part-00000 …      blocks of rows, and an index of them
//! ```
//!
//! What stands in the files is told in `docs/plts.md`. [`read`] and [`write()`] take an LTS
//! in memory; [`Parts`] gives blocks of rows one after another, with numbers of states of
//! 64 bits, and [`Writer`] takes rows one after another.
//!
//! Every byte is covered: those of the parts and of the labels by XXH3 of 128 bits, which
//! stands in the manifest, and the manifest by a hash of its own, `run`; besides, blocks
//! and indices have a CRC-32C each, for who reads some blocks only.

mod block;
mod layout;
mod manifest;
mod parts;
mod read;
mod replace;
mod write;

#[cfg(test)]
mod tests;

pub use block::Block;
pub use layout::Limits;
pub use manifest::{FileSum, MANIFEST, Manifest, Order, PartEntry};
pub use parts::{Blocks, LargestBlocks, Parts, Sums};
pub use read::read;
pub use replace::{check_replaceable, not_compressed};
pub use write::{Announced, Directory, Files, Told, Writer, Written, part_name, write, write_told};
