//! Labelled transition systems (LTSs) in memory, and every reader and writer
//! of LTSs and traces.
//!
//! Two ideas carry the crate:
//!
//! * an [`Lts`] is three flat columns, rows of outgoing transitions compressed
//!   by source state, over a [`LabelTable`] of interned byte strings;
//! * the hidden action is the reserved [`LabelId::HIDDEN`], not a text. Which
//!   texts of a file count as hidden is a reader's option, and how hidden is
//!   spelt is a writer's.
//!
//! No algorithm lives here.
//!
//! ```
//! use hyades_formats::Lts;
//!
//! let folder = tempfile::tempdir()?;
//! let aut = folder.path().join("ping.aut");
//! std::fs::write(&aut, "des (0, 2, 2)\n(0, \"PING !1\", 1)\n(1, i, 0)\n")?;
//! let lts = Lts::read(&aut)?;
//! lts.save(folder.path().join("ping.bcg.gz"))?;
//! let again = Lts::read(folder.path().join("ping.bcg.gz"))?;
//! let texts: Vec<&[u8]> = again.labels().iter().map(|&l| again.table().text(l)).collect();
//! assert_eq!(texts, [&b"PING !1"[..], b""]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod aut;
pub mod bcg;
pub mod columns;
pub mod diagnostic;
pub mod dot;
pub mod error;
pub mod format;
pub mod fsm;
pub mod graphml;
pub mod jsonl;
pub mod label;
pub mod lts;
pub mod mcrl2;
pub mod mealy;
pub mod options;
pub mod seq;
pub mod sink;
pub mod source;
pub mod state_labels;
pub mod trace;
pub mod trc;
pub mod tsv;

mod blocks;
mod canonical;
mod chains;
mod chunks;
mod compression;
mod consecutive;
mod decompress;
mod detect;
mod fault;
mod fetch;
mod files;
pub mod fill;
mod ids;
mod lines;
pub mod mapped;
mod names;
mod pipeline;
mod progress;
mod rows;
mod sparse;
mod spelling;
pub mod standard;
mod table;

#[cfg(test)]
mod layers;

pub use consecutive::Rows;
pub use diagnostic::{Diagnostic, Position, Severity, Sink};
pub use error::{ReadError, WriteError};
pub use files::{FileError, FileErrorCause};
pub use format::{BYTE_ORDER_MARK, Compression, Format};
pub use lts::{LabelId, LabelTable, Lts, LtsBuilder, LtsParts, StateId, TooLarge};
pub use names::UnknownName;
pub use options::{Dialect, Escapes, Mode, Quote, ReadOptions, WriteOptions};
pub use sink::Compressor;
pub use source::{MOST_NAMED, Progress, Source};
pub use sparse::JointSize;
pub use state_labels::{Parameter, StateLabels};
pub use trace::TraceForm;

use std::io::Write;
use std::sync::Arc;

/// Reads an LTS in whatever format the source is in, as a Mealy machine if the
/// options ask for one. Diagnostics go to `sink`.
///
/// # Errors
/// If the source cannot be read, has errors, or is in a format that is not
/// readable (see [`Format::is_readable`]).
pub fn read_lts(
    source: Source,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<Lts, ReadError> {
    let (format, name) = (source.format(), Arc::clone(&source.name));
    let lts = read_format(source, options, sink)?;
    match &options.mealy {
        // the reader of DOT did it, as it knows where labels stand
        Some(mealy) if format != Format::Dot => mealy::machine_of(&lts, mealy, name, sink),
        _ => Ok(lts),
    }
}

fn read_format(
    source: Source,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<Lts, ReadError> {
    match source.format() {
        Format::Aut => aut::read(source, options, sink),
        Format::Bcg => bcg::read(source, options, sink),
        Format::Dot => dot::read(source, options, sink),
        Format::Fsm => fsm::read(source, options, sink),
        Format::Lts => mcrl2::read(source, options, sink),
        Format::Seq => seq::read(source, options, sink),
        Format::Trc => trc::read(source, options, sink),
        Format::Tsv => tsv::read(source, options, sink),
        Format::Jsonl => jsonl::read(source, options, sink),
        Format::Parquet | Format::Arrow => columns::read(source, options, sink),
        format => Err(ReadError::Format {
            file: source.name().into(),
            text: format.unreadable(),
        }),
    }
}

/// Writes an LTS in a format. Diagnostics go to `sink`.
///
/// # Errors
/// If the output refuses, if the format cannot express the LTS, or if it is
/// not writable (see [`Format::is_writable`]). Only in the first case has
/// anything been written.
pub fn write_lts(
    lts: &Lts,
    format: Format,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<(), WriteError> {
    let written = match format {
        Format::Aut => aut::write(lts, output, options, sink),
        Format::Bcg => bcg::write(lts, output, options, sink),
        Format::Dot => dot::write(lts, output, options, sink),
        Format::Fsm => fsm::write(lts, output, options, sink),
        Format::Lts => mcrl2::write(lts, output, options, sink),
        Format::Seq => seq::write(lts, output, options, sink),
        Format::Trc => trc::write(lts, output, options, sink),
        Format::Tsv => tsv::write(lts, output, options, sink),
        Format::Jsonl => jsonl::write(lts, output, options, sink),
        Format::GraphMl => graphml::write(lts, output, options, sink),
        Format::Parquet | Format::Arrow => columns::write(lts, format, output, options, sink),
        format => Err(WriteError::Format(format.unwritable())),
    };
    if written.is_ok() && lts.state_labels().is_some() && !format.has_state_labels() {
        sink(Diagnostic {
            severity: Severity::Note,
            code: "state-labels",
            file: None,
            position: None,
            text: format!(
                "the labels of states are left out, as {format} has none; formats with them: {}",
                Format::list(Format::has_state_labels)
            ),
        });
    }
    written
}
