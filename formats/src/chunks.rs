//! Cutting a text input into chunks of whole lines.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use memchr::{memchr, memrchr};

use crate::mapped::Mapped;
use crate::progress::Progress;

/// So many chunks of a stream may wait to be parsed.
const AHEAD: usize = 8;

/// So much of a mapped file leaves memory together, as it stops the other threads.
const RELEASED: usize = 4 << 20;

/// The first chunk of a stream is not larger; each is at most twice as large as the one before.
const FIRST: usize = 32 << 10;

/// The consecutive chunks of a text. Each but the last ends with a line.
pub(crate) enum Chunks<'a> {
    /// Of a text at hand.
    Text {
        /// What is left of it.
        rest: &'a [u8],
        /// About the size of a chunk.
        size: usize,
        /// Counts what is given out.
        progress: &'a Progress,
        /// The file that is the text, if it is mapped, how much of it has been given out,
        /// and where the text ends.
        map: Option<(&'a Mapped, usize, usize)>,
    },
    /// Of a stream, which a thread of its own reads (and decompresses).
    Stream {
        chunks: Receiver<io::Result<Vec<u8>>>,
        /// Why the stream ends after the chunks that have been given out.
        failed: Option<io::Error>,
    },
}

impl<'a> Chunks<'a> {
    /// Chunks of about `size` bytes of a text at hand.
    pub fn of_text(rest: &'a [u8], size: usize, progress: &'a Progress) -> Self {
        Chunks::Text {
            rest,
            size: size.max(1),
            progress,
            map: None,
        }
    }

    /// Chunks of about `size` bytes of a mapped file. Chunks that have been
    /// given out leave memory again with a later batch.
    pub fn of_map(map: &'a Mapped, size: usize, progress: &'a Progress) -> Self {
        Self::of_map_range(map, 0..map.len(), size, progress)
    }

    /// The same of these bytes of a mapped file.
    ///
    /// # Panics
    /// If the file has no such bytes.
    pub fn of_map_range(
        map: &'a Mapped,
        range: Range<usize>,
        size: usize,
        progress: &'a Progress,
    ) -> Self {
        Chunks::Text {
            rest: &map[range.clone()],
            size: size.max(1),
            progress,
            map: Some((map, range.start, range.end)),
        }
    }

    /// Chunks of about `size` bytes of a stream. A line of more than
    /// `max_line` bytes is cut to `max_line + 1` bytes.
    ///
    /// # Errors
    /// If no thread can be started, which counts as a lack of memory.
    pub fn of_stream(
        reader: Box<dyn Read + Send>,
        size: usize,
        max_line: usize,
    ) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(AHEAD);
        // The thread ends when the stream does, or with the first chunk that
        // nobody wants. It is not waited for: it may be blocked in a read.
        let pumping =
            std::thread::Builder::new().spawn(move || pump(reader, size.max(1), max_line, &sender));
        match pumping {
            Ok(_) => Ok(Chunks::Stream {
                chunks: receiver,
                failed: None,
            }),
            // The system calls it something that might pass.
            Err(_) => Err(io::Error::new(
                io::ErrorKind::OutOfMemory,
                "cannot start a thread",
            )),
        }
    }

    /// How many bytes are left, if that is known.
    pub fn left(&self) -> Option<usize> {
        match self {
            Chunks::Text { rest, .. } => Some(rest.len()),
            Chunks::Stream { .. } => None,
        }
    }

    /// The next chunks, one at least and `most` at most; none at the end.
    /// Does not wait for more than one.
    ///
    /// # Errors
    /// If the stream fails, after all chunks before that have been given out.
    pub fn next_batch(&mut self, most: usize) -> io::Result<Vec<Cow<'a, [u8]>>> {
        let mut batch = Vec::new();
        match self {
            Chunks::Text {
                rest,
                size,
                progress,
                map,
            } => {
                if let Some((map, given, end)) = map {
                    let now = *end - rest.len();
                    if now - *given >= RELEASED {
                        map.release(*given, now);
                        *given = now;
                    }
                }
                while batch.len() < most && !rest.is_empty() {
                    let (chunk, next) = cut(rest, *size);
                    progress.consume(chunk.len() as u64);
                    batch.push(Cow::Borrowed(chunk));
                    *rest = next;
                }
            }
            Chunks::Stream { chunks, failed } => {
                while failed.is_none() && batch.len() < most {
                    let chunk = if batch.is_empty() {
                        chunks.recv().ok()
                    } else {
                        chunks.try_recv().ok()
                    };
                    match chunk {
                        Some(Ok(chunk)) => batch.push(Cow::Owned(chunk)),
                        Some(Err(error)) => *failed = Some(error),
                        None => break,
                    }
                }
                // What came before it counts, however soon the error was there.
                if batch.is_empty()
                    && let Some(error) = failed.take()
                {
                    return Err(error);
                }
            }
        }
        Ok(batch)
    }
}

/// Cuts a text after the line in which its `size`-th byte is.
fn cut(text: &[u8], size: usize) -> (&[u8], &[u8]) {
    let from = size.min(text.len()) - 1;
    match memchr(b'\n', &text[from..]) {
        Some(k) => text.split_at(from + k + 1),
        None => (text, &[]),
    }
}

/// Reads a stream to its end and sends it in chunks.
fn pump(
    mut reader: Box<dyn Read + Send>,
    size: usize,
    max_line: usize,
    sender: &SyncSender<io::Result<Vec<u8>>>,
) {
    // the beginning of a line of which the end has not been read
    let mut tail = Vec::new();
    // whether the stream is within a line that has been cut
    let mut skipping = false;
    // Most streams are short, and are not to wait for memory that they do not need.
    let most = size;
    let mut size = most.min(FIRST);
    loop {
        let mut chunk = std::mem::take(&mut tail);
        chunk.reserve_exact(size);
        let mut fresh = chunk.len();
        let ended = match (&mut reader).take(size as u64).read_to_end(&mut chunk) {
            Ok(n) => n < size,
            Err(e) => {
                // nobody is left to tell if this fails
                let _ = sender.send(Err(e));
                return;
            }
        };
        if skipping {
            match memchr(b'\n', &chunk) {
                Some(end) => {
                    chunk.drain(..=end);
                    skipping = false;
                }
                None => chunk.clear(),
            }
            fresh = 0;
        }
        if !ended {
            // what is not fresh is known to hold no LF
            match memrchr(b'\n', &chunk[fresh..]) {
                Some(end) => {
                    tail.extend_from_slice(&chunk[fresh + end + 1..]);
                    chunk.truncate(fresh + end + 1);
                }
                None => std::mem::swap(&mut tail, &mut chunk),
            }
        }
        let mut wanted = chunk.is_empty() || sender.send(Ok(chunk)).is_ok();
        if tail.len() > max_line {
            tail.truncate(max_line.saturating_add(1));
            tail.push(b'\n');
            skipping = true;
            wanted &= sender.send(Ok(std::mem::take(&mut tail))).is_ok();
        }
        if ended || !wanted {
            return;
        }
        size = most.min(2 * size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever of it has already arrived when a batch is asked for.
    #[test]
    fn streams_fail_after_what_they_have_given() {
        let (sender, receiver) = sync_channel(AHEAD);
        for chunk in [Ok(b"1\n".to_vec()), Ok(b"2\n".to_vec())] {
            sender.send(chunk).unwrap();
        }
        sender.send(Err(io::ErrorKind::InvalidData.into())).unwrap();
        drop(sender);
        let mut chunks = Chunks::Stream {
            chunks: receiver,
            failed: None,
        };
        assert_eq!(chunks.next_batch(5).unwrap(), [&b"1\n"[..], b"2\n"]);
        let error = chunks.next_batch(5).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(chunks.next_batch(5).unwrap().is_empty());
    }
}
