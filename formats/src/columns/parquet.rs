//! Parquet.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use bytes::Bytes;
use hyades_base::parallel;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::arrow_writer::{ArrowColumnChunk, compute_leaves};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, Encoding};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::ColumnPath;
use rayon::prelude::*;

use super::Codec;
use super::collector::Collector;
use super::guard::guarded;
use super::names::{COLUMNS, Names};
use super::piece::Piece;
use super::table::Table;
use crate::error::{Failure, WriteError};
use crate::sink::of_memory;
use crate::source::{Progress, Whole};

/// So many rows are a row group.
const GROUP: usize = 1 << 20;
/// So many rows are decoded at a time.
const BATCH: usize = 1 << 16;

/// Takes what is written, until somebody fetches it.
#[derive(Clone, Default)]
struct Spool(Arc<Mutex<Vec<u8>>>);

impl Spool {
    fn take(&self) -> Vec<u8> {
        let mut bytes = self.0.lock().unwrap_or_else(|e| e.into_inner());
        std::mem::take(&mut bytes)
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut spool = self.0.lock().unwrap_or_else(|e| e.into_inner());
        spool.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a table. Row groups are encoded in parallel and written in order.
pub(super) fn write(
    table: &Table<'_>,
    output: &mut dyn Write,
    codec: Option<Codec>,
) -> std::result::Result<(), WriteError> {
    let failed = |error| WriteError::Io(io_error(error));
    // The file is put together in memory and leaves it after each row group:
    // an output need not be of a kind that can move between threads.
    let spool = Spool::default();
    let properties = properties(table, codec);
    let writer = ArrowWriter::try_new(spool.clone(), Arc::clone(&table.schema), Some(properties));
    let (mut file, factory) = writer
        .and_then(ArrowWriter::into_serialized_writer)
        .map_err(failed)?;
    let encode = |(group, range)| -> Result<Vec<ArrowColumnChunk>> {
        let columns = table.columns(range)?;
        let writers = factory.create_column_writers(group)?;
        let fields = table.schema.fields();
        let tasks: Vec<_> = writers.into_iter().zip(fields).zip(&columns).collect();
        let chunks = tasks.into_par_iter().map(|((mut writer, field), column)| {
            for leaf in compute_leaves(field, column)? {
                writer.write(&leaf)?;
            }
            writer.close()
        });
        chunks.collect()
    };
    let ranges: Vec<_> = table.ranges(GROUP).enumerate().collect();
    for some in ranges.chunks(parallel::threads()) {
        let encoded = some.par_iter().map(|(k, range)| encode((*k, range)));
        for chunks in encoded.collect::<Result<Vec<_>>>().map_err(failed)? {
            let mut group = file.next_row_group().map_err(failed)?;
            for chunk in chunks {
                chunk.append_to_row_group(&mut group).map_err(failed)?;
            }
            group.close().map_err(failed)?;
            output.write_all(&spool.take())?;
        }
    }
    file.close().map_err(failed)?;
    output.write_all(&spool.take())?;
    Ok(())
}

/// An error of writing, by its kind if it is one of the codec.
fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast() {
            Ok(error) => of_memory(*error),
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}

fn properties(table: &Table<'_>, codec: Option<Codec>) -> WriterProperties {
    let compression = match codec {
        Some(Codec::None) => Compression::UNCOMPRESSED,
        Some(Codec::Lz4) => Compression::LZ4_RAW,
        Some(Codec::Zstd) | None => Compression::ZSTD(Default::default()),
    };
    let metadata = table.metadata.iter();
    let metadata = metadata.map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("hyades ", env!("CARGO_PKG_VERSION")).into())
        .set_key_value_metadata(Some(metadata.collect()))
        .set_compression(compression)
        .set_max_row_group_row_count(Some(GROUP));
    // Neighbouring rows have neighbouring states as a rule.
    for states in [COLUMNS[0], COLUMNS[2]] {
        let path = ColumnPath::from(states);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    properties.build()
}

/// The bytes of a file. Decoders get copies of them: a mapped file may change
/// while they look at it.
#[derive(Clone)]
struct File(Arc<Whole>);

impl File {
    fn bytes(&self, start: u64, length: usize) -> Result<&[u8]> {
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let end = start.saturating_add(length);
        self.0
            .get(start..end)
            .ok_or_else(|| ParquetError::EOF(format!("{length} bytes from byte {start} on")))
    }
}

impl Length for File {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
}

/// Reads a file from some byte on.
struct From {
    file: File,
    at: u64,
}

impl Read for From {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.file.len().saturating_sub(self.at);
        let length = left.min(buffer.len() as u64) as usize;
        let bytes = self.file.bytes(self.at, length).map_err(io::Error::other)?;
        buffer[..length].copy_from_slice(bytes);
        self.at += length as u64;
        Ok(length)
    }
}

impl ChunkReader for File {
    type T = From;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let file = self.clone();
        Ok(From { file, at: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        Ok(Bytes::copy_from_slice(self.bytes(start, length)?))
    }
}

/// Takes in the metadata of a table only.
pub(super) fn announce(
    file: &Arc<Whole>,
    collector: &mut Collector<'_>,
) -> std::result::Result<(), Failure> {
    announced(&File(Arc::clone(file)), collector).map(|_| ())
}

fn announced(
    file: &File,
    collector: &mut Collector<'_>,
) -> std::result::Result<ArrowReaderMetadata, Failure> {
    let loaded = guarded(|| {
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = ArrowReaderMetadata::load(file, options)?;
        let kept = metadata.metadata().file_metadata().key_value_metadata();
        let pairs = kept.into_iter().flatten();
        let pairs: Vec<(String, String)> = pairs
            .filter_map(|kv| Some((kv.key.clone(), kv.value.clone()?)))
            .collect();
        Ok::<_, ParquetError>((metadata, pairs))
    });
    let (metadata, pairs) = loaded.map_err(|text| collector.damaged(&text))?;
    collector.announce(pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())))?;
    Ok(metadata)
}

/// Reads the row groups of a table into a collector that are in the `k`-th of so many even
/// shares of them.
pub(super) fn read(
    file: Arc<Whole>,
    progress: Option<&Progress>,
    collector: &mut Collector<'_>,
    (k, of): (usize, usize),
) -> std::result::Result<(), Failure> {
    let bytes = file.len() as u64;
    let file = File(file);
    let metadata = announced(&file, collector)?;
    let layout = collector.layout(metadata.schema())?;
    if let Some((column, codec)) = foreign_codec(metadata.metadata(), &layout) {
        return Err(collector.foreign_codec(column, codec, CODECS));
    }
    let metadata = guarded(|| by_dictionary(&metadata, layout[1]));
    let metadata = metadata.map_err(|text| collector.damaged(&text))?;
    let groups = metadata.metadata().row_groups();
    let rows: Vec<u64> = groups.iter().map(|g| g.num_rows().max(0) as u64).collect();
    let start = |k: usize| (rows.len() as u128 * k as u128 / of as u128) as usize;
    let (first, after) = (start(k), start(k + 1));
    collector.reserve(rows[first..after].iter().sum(), bytes)?;
    let open = |group: usize| {
        guarded(|| {
            let builder =
                ParquetRecordBatchReaderBuilder::new_with_metadata(file.clone(), metadata.clone());
            let mask = ProjectionMask::roots(builder.parquet_schema(), layout);
            builder
                .with_row_groups(vec![group])
                .with_projection(mask)
                .with_batch_size(BATCH)
                .build()
        })
    };
    // Groups of usual size are decoded in parallel, others bit by bit.
    let most = parallel::threads();
    let mut group = first;
    while group < after {
        let usual = rows[group..after].iter().take(most);
        let usual = usual.take_while(|&&n| n <= GROUP as u64).count();
        let end = group + usual.max(1);
        if usual > 0 {
            let rules = collector.rules();
            let decode = |group: usize| -> std::result::Result<_, String> {
                let mut names = Names::default();
                let mut piece = Piece::starting(rows[..group].iter().sum());
                let mut reader = open(group)?;
                while let Some(batch) = next(&mut reader)? {
                    piece.append(&batch, &mut names, rules);
                }
                Ok((piece, names))
            };
            let parts: Vec<_> = (group..end).into_par_iter().map(decode).collect();
            let mut decoded = Vec::with_capacity(parts.len());
            for part in parts {
                decoded.push(part.map_err(|text| collector.damaged(&text))?);
            }
            collector.append_parts(decoded)?;
        } else {
            let mut reader = open(group).map_err(|text| collector.damaged(&text))?;
            loop {
                let batch = next(&mut reader).map_err(|text| collector.damaged(&text))?;
                let Some(batch) = batch else { break };
                collector.append_batch(&batch)?;
            }
        }
        if let Some(progress) = progress {
            let share = |k: usize| bytes / rows.len() as u64 * k as u64;
            progress.consume(share(end) - share(group));
        }
        group = end;
    }
    Ok(())
}

fn next(reader: &mut ParquetRecordBatchReader) -> std::result::Result<Option<RecordBatch>, String> {
    guarded(|| reader.next().transpose())
}

/// The codecs that are built in.
const CODECS: &str = "none, snappy, gzip, lz4, zstd";

/// The first of the columns with these places that is compressed by a codec
/// which is not built in, and the name of the codec.
fn foreign_codec<'a>(
    metadata: &'a ParquetMetaData,
    layout: &[usize],
) -> Option<(&'a str, &'static str)> {
    let schema = metadata.file_metadata().schema_descr();
    let groups = metadata.row_groups().iter();
    let chunks = groups.flat_map(|group| group.columns().iter().enumerate());
    // a column of another table may consist of several
    let mut chunks = chunks.filter(|(k, _)| layout.contains(&schema.get_column_root_idx(*k)));
    chunks.find_map(|(k, chunk)| {
        let codec = match chunk.compression() {
            Compression::BROTLI(_) => "brotli",
            Compression::LZO => "lzo",
            Compression::UNCOMPRESSED
            | Compression::SNAPPY
            | Compression::GZIP(_)
            | Compression::LZ4
            | Compression::LZ4_RAW
            | Compression::ZSTD(_) => return None,
        };
        Some((schema.get_column_root(k).name(), codec))
    })
}

/// Has texts of the label column read as a dictionary, as they are stored.
fn by_dictionary(metadata: &ArrowReaderMetadata, label: usize) -> Result<ArrowReaderMetadata> {
    let schema = metadata.schema();
    let fields = schema.fields().iter().enumerate().map(|(k, field)| {
        let value = field.data_type().clone();
        if k != label || !matches!(value, DataType::Utf8 | DataType::Binary) {
            return field.as_ref().clone();
        }
        let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(value));
        field.as_ref().clone().with_data_type(kind)
    });
    let schema = Schema::new(fields.collect::<Vec<_>>());
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_codec_that_lacks_memory_is_known_as_such() {
        // As zstd says it.
        let lacking = io::Error::other("Allocation error : not enough memory");
        let error = io_error(ParquetError::from(lacking));
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        let error = io_error(ParquetError::EOF("x".into()));
        assert_eq!(error.kind(), io::ErrorKind::Other);
    }
}
