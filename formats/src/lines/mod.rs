//! What formats of one transition a line have in common: AUT, TSV and JSON
//! Lines.
//!
//! A format is a [`Syntax`]: a scanner for lines about which nothing is odd, and
//! an exact parser for all lines, which is the source of all diagnostics. Mapped
//! files are parsed in parallel chunks, streams while they arrive. A writer has
//! a [`Style`], which says what stands around the two states and the label.

mod format;
mod parse;
mod part;
mod ranged;
mod read;
mod recent;
pub(crate) mod scan;
mod syntax;
mod write;

pub(crate) use format::{Lines, Pieces, Start, Style};
#[cfg(test)]
pub(crate) use parse::{parse, parse_slowly};
pub(crate) use part::{Codes, Number, Part, Rules};
pub(crate) use ranged::{Opened, Summary, finish_ranges, open, range_of, read_range};
#[cfg(test)]
pub(crate) use read::nth_transition_line;
pub(crate) use read::{Body, Told, chunk_size, read, read_body, read_into};
pub(crate) use recent::Recent;
#[cfg(test)]
pub(crate) use recent::Recents;
pub(crate) use scan::Line;
pub(crate) use syntax::{Announced, Header, Syntax};
pub(crate) use write::{BLOCK, BLOCK_BYTES, format_rows, write_rows, write_transitions};
