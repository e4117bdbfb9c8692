//! From tables to an LTS.

use std::sync::Arc;

use super::collector::Collector;
use super::{arrow, parquet};
use crate::diagnostic::{Log, Sink};
use crate::error::ReadError;
use crate::format::Format;
use crate::lts::Lts;
use crate::options::ReadOptions;
use crate::rows::TransitionColumns;
use crate::source::{Content, Source};

pub(super) fn read(
    source: Source,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<Lts, ReadError> {
    let name = Arc::clone(&source.name);
    let progress = source.progress();
    let format = source.format();
    let mut log = Log::new();
    let mut columns = TransitionColumns::default();
    let mut collector = Collector::new(options, format, &mut columns, &mut log);
    // streams count by themselves
    let counted = !matches!(source.content, Content::Stream(_));
    let progress = counted.then_some(&*progress);
    let outcome = match format {
        Format::Parquet => {
            let file = Arc::new(source.into_whole()?);
            parquet::read(file, progress, &mut collector, (0, 1))
        }
        _ => arrow::read(source, progress, &mut collector)?,
    };
    let outcome = outcome.and_then(|()| collector.finish());
    let outcome = outcome.and_then(|told| columns.finish(told.states, told.initial, told.table));
    log.finish_reading(&name, outcome, sink)
}
