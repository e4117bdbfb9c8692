//! From an LTS to a table.

use std::io::Write;

use super::table::Table;
use super::{arrow, parquet};
use crate::canonical::arranged;
use crate::diagnostic::{Log, Severity, Sink};
use crate::error::WriteError;
use crate::format::Format;
use crate::lts::Lts;
use crate::options::WriteOptions;
use crate::spelling;
use crate::written::WrittenSize;

pub(super) fn write(
    lts: &Lts,
    format: Format,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<WrittenSize, WriteError> {
    let mut log = Log::new();
    let texts = spelling::spell(lts, options.hidden("i"), true, options, &mut log, |_, _| ());
    let bytes: usize = texts.iter().map(|t| t.len()).sum();
    // Arrow counts both with 31 bits
    if texts.len().max(bytes) > i32::MAX as usize {
        log.add(Severity::Error, "columns-labels", None, || {
            let labels = texts.len();
            format!("{labels} labels of {bytes} bytes: a dictionary has room for 2 GiB")
        });
    }
    log.finish_writing(sink)?;
    let lts = arranged(lts, &texts, options);
    let table = Table::new(&lts, &texts, options.canonical);
    match format {
        Format::Parquet => parquet::write(&table, output, options.columns.codec)?,
        _ => arrow::write(&table, output, &options.columns)?,
    }
    Ok(WrittenSize::of(&lts))
}
