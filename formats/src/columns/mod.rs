//! Columns: tables of transitions in Parquet and Arrow IPC, for data frames and
//! SQL.
//!
//! A table has a row for each transition and the columns `src`, `label` and
//! `dst`. What the table does not tell stands in its metadata, as texts:
//!
//! | key | value |
//! |---|---|
//! | `lts.version` | `1` |
//! | `lts.states`, `lts.transitions`, `lts.initial` | numbers |
//! | `lts.hidden` | the labels that are the hidden action, as a JSON array |
//! | `lts.sorted` | `src,label,dst`, if rows are in that order |
//! | `lts.producer` | who has written the table |
//!
//! Tables of other programs need not have any of it. The columns are behind the
//! cargo feature `columns`; without it, files are recognised and refused.

use std::io::Write;

use crate::diagnostic::Sink;
use crate::error::{ReadError, WriteError};
use crate::format::Format;
use crate::lts::Lts;
pub use crate::options::{ArrowForm, Codec, WriteColumns};
use crate::options::{ReadOptions, WriteOptions};
use crate::source::Source;
use crate::written::WrittenSize;

#[cfg(feature = "columns")]
mod arrow;
#[cfg(feature = "columns")]
mod collector;
#[cfg(feature = "columns")]
mod guard;
#[cfg(feature = "columns")]
mod names;
#[cfg(feature = "columns")]
mod parquet;
#[cfg(feature = "columns")]
mod piece;
#[cfg(feature = "columns")]
mod ranged;
#[cfg(feature = "columns")]
mod read;
#[cfg(feature = "columns")]
mod table;
#[cfg(feature = "columns")]
mod write;

#[cfg(feature = "columns")]
pub use ranged::{GroupsSummary, Ranged};

/// Whether this build can read and write columns.
pub const AVAILABLE: bool = Format::Parquet.is_readable();

/// The labels that the metadata `lts.hidden` names; `None` if that is no JSON array of texts.
pub fn hidden_labels(told: &str) -> Option<Vec<Vec<u8>>> {
    let names: Vec<String> = serde_json::from_str(told).ok()?;
    Some(names.into_iter().map(String::into_bytes).collect())
}

/// Reads an LTS from a table in Parquet or Arrow IPC. All diagnostics go to
/// `sink`, errors included.
///
/// `src` and `dst` are columns of integers of any width, `label` is one of texts
/// or bytes, plain or by dictionary. Other columns do not matter. Rows keep their
/// order within each source, labels are numbered in the order of their first
/// appearance, whatever the number of threads.
///
/// O(rows + bytes); memory beyond the input: at most 12 bytes a transition and
/// 4 a state, the labels, and of the table a few row groups of at most 2^20 rows,
/// or one record batch.
///
/// # Errors
/// If the input cannot be read, or has errors, or holds more than an [`Lts`]
/// can; or if the crate was built without the feature `columns`.
pub fn read(source: Source, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<Lts, ReadError> {
    #[cfg(feature = "columns")]
    return read::read(source, options, sink);
    #[cfg(not(feature = "columns"))]
    {
        let _ = (options, sink);
        Err(ReadError::Format {
            text: source.format().unreadable(),
            file: source.name,
        })
    }
}

/// Writes an LTS as a table in Parquet or Arrow IPC.
///
/// The bytes do not depend on the number of threads. The output sees large
/// writes and need not be buffered.
///
/// O(transitions) time; memory for a few blocks of 2^20 rows, and for a copy of
/// the LTS in canonical form.
///
/// # Errors
/// If the output refuses, or if a visible label that occurs would read like the
/// hidden action, then nothing has been written; or if the crate was built
/// without the feature `columns`.
pub fn write(
    lts: &Lts,
    format: Format,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<WrittenSize, WriteError> {
    #[cfg(feature = "columns")]
    return write::write(lts, format, output, options, sink);
    #[cfg(not(feature = "columns"))]
    {
        let _ = (lts, output, options, sink);
        Err(WriteError::Format(format.unwritable()))
    }
}

/// Whether a panic of the current thread is going to become an error about the
/// file that is being read. A panic hook that reports panics should then say
/// nothing.
pub fn is_guarded() -> bool {
    #[cfg(feature = "columns")]
    return guard::is_guarded();
    #[cfg(not(feature = "columns"))]
    false
}
