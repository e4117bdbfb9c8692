//! Decompressing inputs: members, frames or streams one after the other.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use crate::compression::{SIGNATURE, is_skippable};
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
            let mut decoder =
                zstd::stream::read::Decoder::with_buffer(stored).map_err(of_memory)?;
            decoder.window_log_max(MOST_WINDOW_LOG)?;
            Box::new(decoder.single_frame())
        }
        Compression::Xz => {
            let stream = liblzma::stream::Stream::new_stream_decoder(XZ_MEMORY, 0)
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

/// The most that a decompressor may have to keep of what it has decompressed, in binary
/// digits: 128 MiB, as much as `zstd -d` keeps unless asked for more, and twice of what
/// `xz -9` asks for. What a header claims takes no more memory.
const MOST_WINDOW_LOG: u32 = 27;

/// So much may the decoder of xz take: the window and its tables.
const XZ_MEMORY: u64 = (1 << MOST_WINDOW_LOG) + (1 << 20);

/// Whether a decompressor refuses data because of the window that it needs.
fn needs_more_window(error: &io::Error) -> bool {
    // ZSTD_error_frameParameter_windowTooLarge, whose number zstd promises to keep; the
    // crate `zstd` keeps the text only.
    let of_zstd = zstd::zstd_safe::get_error_name(16usize.wrapping_neg());
    let inner = error.get_ref();
    let of_xz = inner.and_then(|e| e.downcast_ref::<liblzma::stream::Error>());
    of_xz == Some(&liblzma::stream::Error::MemLimit) || error.to_string() == of_zstd
}

/// How to decompress what needs a larger window.
fn decompress_otherwise(compression: Compression) -> &'static str {
    match compression {
        Compression::Zstd => "zstd -dc --long=31 FILE | COMMAND -",
        Compression::Xz => "xz -dc FILE | COMMAND -",
        Compression::None | Compression::Gzip | Compression::Bzip2 => {
            unreachable!("windows of other compressions have a fixed size")
        }
    }
}

/// Says that data is damaged, unless the error is the system's or a lack of
/// memory.
fn damaged(error: io::Error, compression: Compression) -> io::Error {
    let error = of_memory(error);
    let other = [io::ErrorKind::Interrupted, io::ErrorKind::OutOfMemory];
    if other.contains(&error.kind()) || error.raw_os_error().is_some() {
        return error;
    }
    if needs_more_window(&error) {
        return io::Error::new(
            io::ErrorKind::InvalidData,
            format!(
                "the {compression} data can only be decompressed with more than {} MiB of what \
                 came before at hand, which is the most that is kept: decompress it first, as by \
                 `{}`",
                (1 << MOST_WINDOW_LOG) >> 20,
                decompress_otherwise(compression)
            ),
        );
    }
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("truncated or damaged {compression} data ({error})"),
    )
}
