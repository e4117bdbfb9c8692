//! What the format of a file decides: who reads and who writes it.

use std::io::Write;
use std::sync::Arc;

use crate::aut;
use crate::bcg;
use crate::columns;
use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::dot;
use crate::error::{ReadError, WriteError};
use crate::format::Format;
use crate::fsm;
use crate::graphml;
use crate::jsonl;
use crate::kiss2;
use crate::lts::Lts;
use crate::mcrl2;
use crate::mealy;
use crate::options::{ReadOptions, WriteOptions};
use crate::plts::{self, Files};
use crate::seq;
use crate::source::Source;
use crate::trc;
use crate::tsv;
use crate::written::WrittenSize;

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
    read_with_ends(source, options, sink).map(|(lts, _)| lts)
}

/// As [`read_lts`], with the ends of all sequences of SEQ; of other formats there are none.
///
/// # Errors
/// As [`read_lts`].
pub fn read_with_ends(
    source: Source,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<(Lts, Vec<seq::End>), ReadError> {
    let (format, name) = (source.format(), Arc::clone(&source.name));
    let (lts, ends) = match format {
        Format::Seq => seq::read_with_ends(source, options, sink)?,
        _ => (read_format(source, options, sink)?, Vec::new()),
    };
    let lts = match &options.mealy {
        // these readers did it, as they know where labels stand
        Some(_) if matches!(format, Format::Dot | Format::Kiss2) => lts,
        Some(mealy) => mealy::machine_of(&lts, mealy, name, sink)?,
        None => lts,
    };
    Ok((lts, ends))
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
        Format::Kiss2 => kiss2::read(source, options, sink),
        Format::Lts => mcrl2::read(source, options, sink),
        Format::Seq => seq::read(source, options, sink),
        Format::Trc => trc::read(source, options, sink),
        Format::Tsv => tsv::read(source, options, sink),
        Format::Jsonl => jsonl::read(source, options, sink),
        Format::Parquet | Format::Arrow => columns::read(source, options, sink),
        Format::Plts => plts::read(source, options, sink),
        format @ (Format::Exp | Format::Toml | Format::GraphMl) => Err(ReadError::Format {
            file: source.name().into(),
            text: format.unreadable(),
        }),
    }
}

/// Writes an LTS in a format; how much of it the output holds. Diagnostics go to `sink`.
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
) -> Result<WrittenSize, WriteError> {
    let written = match format {
        Format::Aut => aut::write(lts, output, options, sink),
        Format::Bcg => bcg::write(lts, output, options, sink),
        Format::Dot => dot::write(lts, output, options, sink),
        Format::Fsm => fsm::write(lts, output, options, sink),
        Format::Kiss2 => kiss2::write(lts, output, options, sink),
        Format::Lts => mcrl2::write(lts, output, options, sink),
        Format::Seq => seq::write(lts, output, options, sink),
        Format::Trc => trc::write(lts, output, options, sink),
        Format::Tsv => tsv::write(lts, output, options, sink),
        Format::Jsonl => jsonl::write(lts, output, options, sink),
        Format::GraphMl => graphml::write(lts, output, options, sink),
        Format::Parquet | Format::Arrow => columns::write(lts, format, output, options, sink),
        Format::Exp | Format::Toml => Err(WriteError::Format(format.unwritable())),
        Format::Plts => Err(WriteError::Format(NO_STREAM.into())),
    };
    if written.is_ok() {
        tell_left_out(lts, format, sink);
    }
    written
}

/// What to say of a partitioned LTS that is to go where one file goes.
pub const NO_STREAM: &str = "a partitioned LTS is a directory: name it, by -o NAME.plts";

/// Writes an LTS as a partitioned one, into a directory; what its files hold, and how many bytes
/// they have.
/// Diagnostics go to `sink`.
///
/// # Errors
/// As of [`plts::write()`].
pub fn write_folder(
    lts: &Lts,
    files: &mut dyn Files,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<(WrittenSize, u64), WriteError> {
    let written = plts::write(lts, files, options, sink)?;
    tell_left_out(lts, Format::Plts, sink);
    Ok(written)
}

/// Tells if there are labels of states that a format has none of.
fn tell_left_out(lts: &Lts, format: Format, sink: &mut Sink<'_>) {
    if lts.state_labels().is_some() && !format.has_state_labels() {
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
}
