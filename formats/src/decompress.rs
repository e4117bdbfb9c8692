//! Decompressing inputs: members, frames or streams one after the other.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use crate::compression::SIGNATURE;
use crate::diagnostic::excerpt;
use crate::format::Compression;
use crate::progress::Progress;
use crate::sink::of_memory;

/// Counts the bytes that go through.
pub(crate) struct Counted {
    pub inner: Box<dyn Read + Send>,
    pub progress: Arc<Progress>,
}

impl Read for Counted {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.progress.consume(n as u64);
        Ok(n)
    }
}

/// What is stored, after what has been looked at already.
type Stored = io::Chain<io::Cursor<Vec<u8>>, io::BufReader<Counted>>;

/// One of the parts of which compressed data consists.
trait Member: Read + Send {
    /// What follows it.
    fn rest(self: Box<Self>) -> Stored;
}

impl Member for flate2::bufread::GzDecoder<Stored> {
    fn rest(self: Box<Self>) -> Stored {
        self.into_inner()
    }
}

impl Member for zstd::stream::read::Decoder<'static, Stored> {
    fn rest(self: Box<Self>) -> Stored {
        self.finish()
    }
}

impl Member for liblzma::bufread::XzDecoder<Stored> {
    fn rest(self: Box<Self>) -> Stored {
        self.into_inner()
    }
}

impl Member for bzip2::bufread::BzDecoder<Stored> {
    fn rest(self: Box<Self>) -> Stored {
        self.into_inner()
    }
}

/// Decompresses a stream; reports damage in words of its own.
struct Decompressed {
    compression: Compression,
    /// The part that is read; none after the last.
    member: Option<Box<dyn Member>>,
}

impl Read for Decompressed {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        while let Some(member) = &mut self.member {
            let read = member.read(buf);
            let read = read.map_err(|e| damaged(e, self.compression))?;
            if read > 0 {
                return Ok(read);
            }
            let stored = self.member.take().map(Member::rest);
            if let Some(stored) = stored
                && let Some(stored) = following(stored, self.compression)?
            {
                self.member = Some(begin(stored, self.compression)?);
            }
        }
        Ok(0)
    }
}

/// The (decompressed) content of a stream.
pub(crate) fn decompress(
    inner: Counted,
    compression: Compression,
) -> io::Result<Box<dyn Read + Send>> {
    // Decompressors ask for small pieces.
    let input = io::BufReader::with_capacity(256 << 10, inner);
    if compression == Compression::None {
        return Ok(Box::new(input));
    }
    let stored = io::Cursor::new(Vec::new()).chain(input);
    Ok(Box::new(Decompressed {
        compression,
        member: Some(begin(stored, compression)?),
    }))
}

fn begin(stored: Stored, compression: Compression) -> io::Result<Box<dyn Member>> {
    Ok(match compression {
        Compression::None => unreachable!("what is not compressed has no members"),
        Compression::Gzip => Box::new(flate2::bufread::GzDecoder::new(stored)),
        Compression::Zstd => {
            let decoder = zstd::stream::read::Decoder::with_buffer(stored).map_err(of_memory)?;
            Box::new(decoder.single_frame())
        }
        Compression::Xz => {
            let stream = liblzma::stream::Stream::new_stream_decoder(u64::MAX, 0)
                .map_err(|e| of_memory(e.into()))?;
            Box::new(liblzma::bufread::XzDecoder::new_stream(stored, stream))
        }
        Compression::Bzip2 => Box::new(bzip2::bufread::BzDecoder::new(stored)),
    })
}

/// What comes after a member, if it is another one: none at the end, where zeros
/// may fill up a block of a tape or of an archive.
///
/// # Errors
/// If there is something else.
fn following(mut stored: Stored, compression: Compression) -> io::Result<Option<Stored>> {
    loop {
        let buffer = match stored.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        if buffer.is_empty() {
            return Ok(None);
        }
        match buffer.iter().take_while(|&&b| b == 0).count() {
            0 => break,
            zeros => stored.consume(zeros),
        }
    }
    let mut head = Vec::new();
    let signature = SIGNATURE as u64;
    (&mut stored).take(signature).read_to_end(&mut head)?;
    let (looked_at, input) = stored.into_inner();
    let looked_at = &looked_at.get_ref()[looked_at.position() as usize..];
    if Compression::from_content(&head) == compression
        || compression == Compression::Zstd && is_skippable(&head)
    {
        head.extend_from_slice(looked_at);
        return Ok(Some(io::Cursor::new(head).chain(input)));
    }
    let left = head.len() + looked_at.len() + input.buffer().len();
    let at = input.get_ref().progress.consumed() - left as u64;
    Err(io::Error::new(
        io::ErrorKind::InvalidData,
        format!(
            "there is something behind the {compression} data, which ends at byte {at}: {}; if it \
             does not belong to the file, cut it off",
            excerpt(&head)
        ),
    ))
}

/// Whether a frame of Zstandard begins that decompressors skip.
fn is_skippable(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Says that data is damaged, unless the error is the system's or a lack of
/// memory.
fn damaged(error: io::Error, compression: Compression) -> io::Error {
    let error = of_memory(error);
    let other = [io::ErrorKind::Interrupted, io::ErrorKind::OutOfMemory];
    if other.contains(&error.kind()) || error.raw_os_error().is_some() {
        return error;
    }
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("truncated or damaged {compression} data ({error})"),
    )
}
