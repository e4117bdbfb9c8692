//! Arrow IPC, both forms.

use std::io::{self, BufWriter, Read, Write};
use std::sync::Arc;

use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder, read_footer_length};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::{Block, CompressionType, Message, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, Schema};

use super::collector::Collector;
use super::guard::guarded;
use super::table::Table;
use super::{ArrowForm, Codec, WriteColumns};
use crate::error::{Failure, ReadError, WriteError};
use crate::sink::of_memory;
use crate::source::{Content, Progress, Source, Whole};

/// So many rows are a record batch.
const BATCH: usize = 1 << 16;
/// What a file begins and ends with.
const MAGIC: &[u8] = b"ARROW1";
/// What a message begins with, before its length.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// So many bytes are written at a time.
const BLOCK: usize = 1 << 18;

/// Writes a table.
pub(super) fn write(
    table: &Table<'_>,
    output: &mut dyn Write,
    options: &WriteColumns,
) -> Result<(), WriteError> {
    write_batches(table, output, options).map_err(|error| match error {
        ArrowError::IoError(_, error) => WriteError::Io(of_memory(error)),
        error => WriteError::Io(io::Error::other(error)),
    })
}

fn write_batches(
    table: &Table<'_>,
    output: &mut dyn Write,
    options: &WriteColumns,
) -> Result<(), ArrowError> {
    let compression = match options.codec {
        Some(Codec::Lz4) => Some(CompressionType::LZ4_FRAME),
        Some(Codec::Zstd) => Some(CompressionType::ZSTD),
        Some(Codec::None) | None => None,
    };
    let how = IpcWriteOptions::default().try_with_compression(compression)?;
    let output = BufWriter::with_capacity(BLOCK, output);
    let mut output = match options.form {
        ArrowForm::File => {
            let mut writer = FileWriter::try_new_with_options(output, &table.schema, how)?;
            for range in table.ranges(BATCH) {
                writer.write(&table.batch(&range)?)?;
            }
            writer.into_inner()?
        }
        ArrowForm::Stream => {
            let mut writer = StreamWriter::try_new_with_options(output, &table.schema, how)?;
            for range in table.ranges(BATCH) {
                writer.write(&table.batch(&range)?)?;
            }
            writer.into_inner()?
        }
    };
    output.flush()?;
    Ok(())
}

/// Reads a table of either form into a collector.
///
/// # Errors
/// The outer one if the file cannot be read to its end, where that is needed
/// before anything else; the inner one for all others.
pub(super) fn read(
    source: Source,
    progress: Option<&Progress>,
    collector: &mut Collector<'_>,
) -> Result<Result<(), Failure>, ReadError> {
    let Source { name, content, .. } = source;
    let outcome = match content {
        Content::Mapped(map) => at_hand(Whole::Mapped(map), progress, collector),
        Content::Bytes(bytes) => at_hand(Whole::Bytes(bytes), progress, collector),
        Content::Folder(_) => {
            let error = io::ErrorKind::IsADirectory.into();
            return Err(ReadError::Io { file: name, error });
        }
        Content::Stream(mut stream) => {
            let mut whole = Vec::new();
            let head = (&mut stream)
                .take(MAGIC.len() as u64)
                .read_to_end(&mut whole);
            match head {
                Ok(_) if whole == MAGIC => match stream.read_to_end(&mut whole) {
                    Ok(_) => from_file(&whole, None, collector),
                    Err(error) => return Err(ReadError::Io { file: name, error }),
                },
                Ok(_) => from_stream(&mut whole.chain(stream), None, collector),
                Err(error) => return Err(ReadError::Io { file: name, error }),
            }
        }
    };
    Ok(outcome)
}

/// Reads a table of which all bytes are at hand.
fn at_hand(
    whole: Whole,
    progress: Option<&Progress>,
    collector: &mut Collector<'_>,
) -> Result<(), Failure> {
    match whole.starts_with(MAGIC) {
        true => from_file(&whole, progress, collector),
        false => from_stream(&mut &whole[..], progress, collector),
    }
}

/// Reads the file form: its footer tells where the batches are.
fn from_file(
    file: &[u8],
    progress: Option<&Progress>,
    collector: &mut Collector<'_>,
) -> Result<(), Failure> {
    let footer = footer(file).map_err(|text| collector.damaged(&text))?;
    let schema = guarded(|| match root_as_footer(&footer) {
        Ok(footer) => {
            let schema = footer.schema();
            let schema = schema.ok_or_else(|| ArrowError::ParseError("no schema".into()))?;
            try_fb_to_schema(schema)
        }
        Err(error) => Err(ArrowError::ParseError(error.to_string())),
    });
    let schema = schema.map_err(|text| collector.damaged(&text))?;
    let layout = begin(&schema, collector)?;
    let footer = root_as_footer(&footer).map_err(|e| collector.damaged(&e.to_string()))?;
    let decoder = FileDecoder::new(Arc::new(schema), footer.version());
    let mut decoder = decoder.with_projection(layout.to_vec());
    for block in footer.dictionaries().iter().flatten() {
        let read = guarded(|| {
            let buffer = block_bytes(file, block)?;
            decoder.read_dictionary(block, &buffer)
        });
        read.map_err(|text| collector.damaged(&text))?;
    }
    let mut consumed = 0;
    for block in footer.recordBatches().iter().flatten() {
        let read = guarded(|| {
            let buffer = block_bytes(file, block)?;
            decoder.read_record_batch(block, &buffer)
        });
        if let Some(batch) = read.map_err(|text| collector.damaged(&text))? {
            collector.append_batch(&batch)?;
        }
        if let Some(progress) = progress {
            let end = (block.offset().max(0) as u64).min(file.len() as u64);
            progress.consume(end.saturating_sub(consumed));
            consumed = consumed.max(end);
        }
    }
    Ok(())
}

/// Takes in what the schema says; where the three columns are.
fn begin(schema: &Schema, collector: &mut Collector<'_>) -> Result<[usize; 3], Failure> {
    let pairs = schema.metadata().iter();
    collector.announce(pairs.map(|(k, v)| (k.as_str(), v.as_str())))?;
    let mut layout = collector.layout(schema)?;
    layout.sort_unstable();
    Ok(layout)
}

/// The footer of a file, which is followed by its length and the magic bytes.
fn footer(file: &[u8]) -> Result<Vec<u8>, String> {
    let end = file.len().saturating_sub(10);
    let trailer = file.get(end..).and_then(|t| t.try_into().ok());
    let trailer = trailer.ok_or("the file is too short")?;
    let length = guarded(|| read_footer_length(trailer))?;
    match end.checked_sub(length).filter(|&start| start >= 8) {
        Some(start) => Ok(file[start..end].to_vec()),
        None => Err("the footer is longer than the file".into()),
    }
}

/// A copy of a block of a file, aligned, and safe from changes of a mapped file.
fn block_bytes(file: &[u8], block: &Block) -> Result<Buffer, ArrowError> {
    let wrong = || ArrowError::ParseError("a block lies outside of the file".into());
    let [offset, metadata, body] = [
        block.offset(),
        i64::from(block.metaDataLength()),
        block.bodyLength(),
    ]
    .map(usize::try_from);
    let (Ok(offset), Ok(metadata), Ok(body)) = (offset, metadata, body) else {
        return Err(wrong());
    };
    let length = metadata.checked_add(body).ok_or_else(wrong)?;
    let end = offset.checked_add(length).ok_or_else(wrong)?;
    let bytes = file.get(offset..end).ok_or_else(wrong)?;
    let (head, body) = bytes.split_at(metadata);
    let message = match head.strip_prefix(&CONTINUATION) {
        Some(rest) => rest.get(4..),
        None => head.get(4..),
    };
    let message = root_as_message(message.ok_or_else(wrong)?)
        .map_err(|e| ArrowError::ParseError(e.to_string()))?;
    check_claims(&message, body)?;
    Ok(Buffer::from(bytes))
}

/// Reads the stream form, message after message.
fn from_stream(
    stream: &mut dyn Read,
    progress: Option<&Progress>,
    collector: &mut Collector<'_>,
) -> Result<(), Failure> {
    let mut decoder = StreamDecoder::new();
    let mut begun = false;
    loop {
        let message = match next_message(stream) {
            Ok(Some(message)) => message,
            Ok(None) => break,
            Err(Stop::Io(error)) => return Err(Failure::Io(error)),
            Err(Stop::Damaged(text)) => return Err(collector.damaged(&text)),
        };
        let size = message.len() as u64;
        if !begun {
            let schema = guarded(|| schema_of(&message));
            let schema = schema.map_err(|text| collector.damaged(&text))?;
            begin(&schema, collector)?;
            begun = true;
        }
        let mut buffer = Buffer::from_vec(message);
        // A message without a body is understood with the next one only, so
        // that there may be more than one batch.
        while !buffer.is_empty() {
            let batch = guarded(|| decoder.decode(&mut buffer));
            if let Some(batch) = batch.map_err(|text| collector.damaged(&text))? {
                collector.append_batch(&batch)?;
            }
        }
        if let Some(progress) = progress {
            progress.consume(size);
        }
    }
    if !begun {
        return Err(collector.damaged("no schema, the stream is empty"));
    }
    let mut rest = [0];
    if stream.read(&mut rest)? > 0 {
        return Err(collector.damaged("something follows the end of the stream"));
    }
    Ok(())
}

/// The schema that a message, with its length in front, holds.
fn schema_of(message: &[u8]) -> Result<Schema, ArrowError> {
    let wrong = |text: String| ArrowError::ParseError(text);
    let message = root_as_message(&message[8..]).map_err(|e| wrong(e.to_string()))?;
    let schema = message.header_as_schema();
    try_fb_to_schema(schema.ok_or_else(|| wrong("the first message is no schema".into()))?)
}

/// Why there is no further message.
enum Stop {
    Io(io::Error),
    Damaged(String),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Io(error)
    }
}

/// The next message of a stream, with its length in front; none at the end.
///
/// Memory grows with what arrives, not with what is announced.
fn next_message(stream: &mut dyn Read) -> Result<Option<Vec<u8>>, Stop> {
    let short = || Stop::Damaged("the stream ends within a message".into());
    let mut message = Vec::new();
    let mut read = |length: u64, message: &mut Vec<u8>| -> Result<u64, Stop> {
        Ok((&mut *stream).take(length).read_to_end(message)? as u64)
    };
    match read(4, &mut message)? {
        // the mark of the end may be missing
        0 => return Ok(None),
        4 => {}
        _ => return Err(short()),
    }
    if message == CONTINUATION {
        message.clear();
        if read(4, &mut message)? < 4 {
            return Err(short());
        }
    }
    let length = message.first_chunk().map_or(0, |b| i32::from_le_bytes(*b));
    let Ok(length) = u64::try_from(length) else {
        return Err(Stop::Damaged(format!("a message of {length} bytes")));
    };
    if length == 0 {
        return Ok(None);
    }
    message.splice(..0, CONTINUATION);
    if read(length, &mut message)? < length {
        return Err(short());
    }
    let body = {
        let head = root_as_message(&message[8..]);
        let head = head.map_err(|e| Stop::Damaged(e.to_string()))?;
        u64::try_from(head.bodyLength())
            .map_err(|_| Stop::Damaged("a message with a body of negative length".into()))?
    };
    let start = message.len();
    if read(body, &mut message)? < body {
        return Err(short());
    }
    let (head, body) = message.split_at(start);
    let head = root_as_message(&head[8..]).map_err(|e| Stop::Damaged(e.to_string()))?;
    check_claims(&head, body).map_err(|e| Stop::Damaged(e.to_string()))?;
    Ok(Some(message))
}

/// How much a byte of a compressed buffer can become at the most.
const EXPANSION: u64 = 1 << 16;

/// Refuses compressed buffers that claim to hold more than they can: decoders
/// make room for what is claimed.
fn check_claims(message: &Message<'_>, body: &[u8]) -> Result<(), ArrowError> {
    let batch = match message.header_as_dictionary_batch() {
        Some(dictionary) => dictionary.data(),
        None => message.header_as_record_batch(),
    };
    let Some(batch) = batch.filter(|b| b.compression().is_some()) else {
        return Ok(());
    };
    for buffer in batch.buffers().iter().flatten() {
        let start = usize::try_from(buffer.offset()).unwrap_or(usize::MAX);
        let Some(claim) = body.get(start..).and_then(|b| b.first_chunk()) else {
            continue;
        };
        let claim = u64::try_from(i64::from_le_bytes(*claim)).unwrap_or(0);
        let length = u64::try_from(buffer.length()).unwrap_or(0);
        // what is empty has no claim
        if length >= 8 && claim > length.saturating_mul(EXPANSION) {
            return Err(ArrowError::ParseError(format!(
                "a compressed buffer of {length} bytes claims to hold {claim}"
            )));
        }
    }
    Ok(())
}
