//! The rows of a worker, in memory or on disk until all states have their numbers.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::PathBuf;

use crate::Error;
use crate::wire::{Cursor, put_varint};

/// A block ends with the row that fills it.
const BLOCK: usize = 1 << 18;

/// Rows of ascending sources, from front to back. Some of it is in memory, the rest in a file
/// without a name, which is gone with the process.
pub(super) struct RowLog {
    directory: PathBuf,
    /// So many bytes of blocks may be in memory.
    memory: usize,
    /// A block has about so many bytes.
    block: usize,
    /// Full blocks that are in memory.
    kept: Vec<Vec<u8>>,
    in_memory: usize,
    file: Option<File>,
    written: u64,
    index: Vec<Entry>,
    /// The block that is being filled, and its first and last source.
    open: Vec<u8>,
    sources: Option<(u64, u64)>,
}

/// A block.
#[derive(Clone, Copy)]
struct Entry {
    /// The source of its first row.
    first: u64,
    place: Place,
}

#[derive(Clone, Copy)]
enum Place {
    Memory(usize),
    File { start: u64, bytes: u32, crc: u32 },
}

/// A row: what its transitions are called by the worker that has found them.
pub(super) struct LoggedRow<'a> {
    pub source: u64,
    pub degree: usize,
    transitions: Cursor<'a>,
}

impl LoggedRow<'_> {
    /// The label and the target of the next one of `degree` transitions.
    ///
    /// # Errors
    /// If there are no more.
    #[inline]
    pub fn next(&mut self) -> Result<(u32, u64), Error> {
        let label = u32::try_from(self.transitions.varint()?);
        Ok((
            label.map_err(|_| Error::Packet)?,
            self.transitions.varint()?,
        ))
    }
}

impl RowLog {
    /// No rows yet; a file is made in this directory if they take more than so many bytes.
    pub fn new(directory: PathBuf, memory: usize) -> Self {
        Self {
            directory,
            memory,
            block: BLOCK.min(memory.max(64)),
            kept: Vec::new(),
            in_memory: 0,
            file: None,
            written: 0,
            index: Vec::new(),
            open: Vec::new(),
            sources: None,
        }
    }

    /// Appends a row, whose source is larger than those before.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn push(
        &mut self,
        source: u64,
        transitions: impl ExactSizeIterator<Item = (u32, u64)>,
    ) -> Result<(), Error> {
        let last = match self.sources {
            None => {
                self.sources = Some((source, source));
                0
            }
            Some((first, last)) => {
                debug_assert!(last < source, "sources ascend");
                self.sources = Some((first, source));
                last
            }
        };
        put_varint(&mut self.open, source - last);
        put_varint(&mut self.open, transitions.len() as u64);
        for (label, target) in transitions {
            put_varint(&mut self.open, label.into());
            put_varint(&mut self.open, target);
        }
        match self.open.len() >= self.block {
            true => self.end_block(),
            false => Ok(()),
        }
    }

    /// Ends the block.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn end_block(&mut self) -> Result<(), Error> {
        let Some((first, _)) = self.sources.take() else {
            return Ok(());
        };
        let bytes = self.open.len();
        let place = if self.in_memory + bytes <= self.memory {
            self.in_memory += bytes;
            self.kept.push(std::mem::take(&mut self.open));
            Place::Memory(self.kept.len() - 1)
        } else {
            let place = Place::File {
                start: self.written,
                bytes: bytes as u32,
                crc: crc32c::crc32c(&self.open),
            };
            let written = self.write();
            written.map_err(|error| self.failed(error))?;
            self.written += bytes as u64;
            self.open.clear();
            place
        };
        self.index.push(Entry { first, place });
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile_in(&self.directory)?),
        };
        file.write_all(&self.open)
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::Io {
            path: self.directory.clone(),
            error,
        }
    }

    /// Bytes held in memory.
    pub fn memory(&self) -> usize {
        self.in_memory + self.open.capacity() + self.index.capacity() * size_of::<Entry>()
    }

    /// Bytes written to disk.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Reads a block again.
    fn read(&mut self, number: usize, bytes: &mut Vec<u8>) -> Result<(), Error> {
        bytes.clear();
        match self.index[number].place {
            Place::Memory(kept) => bytes.extend_from_slice(&self.kept[kept]),
            Place::File {
                start,
                bytes: length,
                crc,
            } => {
                let Some(file) = &mut self.file else {
                    unreachable!("a block is in the file, so there is one");
                };
                let read = file.seek(SeekFrom::Start(start)).and_then(|_| {
                    bytes.resize(length as usize, 0);
                    file.read_exact(bytes)
                });
                let sound = read.and_then(|()| match crc32c::crc32c(bytes) == crc {
                    true => Ok(()),
                    false => Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "the temporary file is damaged: it has been changed",
                    )),
                });
                sound.map_err(|error| self.failed(error))?;
            }
        }
        Ok(())
    }

    /// The block in which the row of this source is, if it is there.
    fn block_of(&self, source: u64) -> usize {
        let after = self.index.partition_point(|entry| entry.first <= source);
        after.saturating_sub(1)
    }
}

/// Goes through the rows of a range of sources.
pub(super) struct LogReader {
    sources: Range<u64>,
    /// The block that comes next.
    next: usize,
    bytes: Vec<u8>,
    /// Where the next row is, and the source before it.
    at: usize,
    last: u64,
}

impl LogReader {
    /// Before the first of these sources. The last block of the log has been ended.
    pub fn new(log: &RowLog, sources: Range<u64>) -> Self {
        Self {
            next: log.block_of(sources.start),
            sources,
            bytes: Vec::new(),
            at: 0,
            last: 0,
        }
    }

    /// Hands over the rows of the next sources, those below `end`, to `take`, which takes all
    /// transitions of each.
    ///
    /// # Errors
    /// If a file cannot be read, and those of `take`.
    pub fn rows_below(
        &mut self,
        log: &mut RowLog,
        end: u64,
        mut take: impl FnMut(&mut LoggedRow<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let end = end.min(self.sources.end);
        loop {
            if self.at == self.bytes.len() {
                if log
                    .index
                    .get(self.next)
                    .is_none_or(|entry| entry.first >= end)
                {
                    return Ok(());
                }
                log.read(self.next, &mut self.bytes)?;
                self.next += 1;
                (self.at, self.last) = (0, 0);
                continue;
            }
            let mut cursor = Cursor::new(&self.bytes[self.at..]);
            let source = self.last + cursor.varint()?;
            if source >= end {
                return Ok(());
            }
            let degree = cursor.varint()? as usize;
            let mut row = LoggedRow {
                source,
                degree,
                transitions: cursor,
            };
            match source >= self.sources.start {
                true => take(&mut row)?,
                false => (0..degree).try_for_each(|_| row.next().map(drop))?,
            }
            self.at = self.bytes.len() - row.transitions.len();
            self.last = source;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyades_testing::Random;

    /// Rows with all kinds of degrees and gaps between sources.
    fn rows(seed: u64) -> Vec<(u64, Vec<(u32, u64)>)> {
        let mut random = Random::new(seed);
        let mut source = random.bits() % 1000;
        let mut row = |_| {
            source += 1 + random.bits() % 5;
            let degree = random.between(0, 6) * random.between(0, 6);
            let transition = |_| (random.bits() as u32 >> 9, random.bits() >> 25);
            (source, (0..degree).map(transition).collect())
        };
        (0..400).map(&mut row).collect()
    }

    #[test]
    fn rows_are_read_as_they_were_pushed_from_any_source_on_and_in_any_steps() {
        for seed in 0..20 {
            let rows = rows(seed);
            for memory in [0, 300, 5000, 1 << 20] {
                let mut log = RowLog::new(std::env::temp_dir(), memory);
                for (source, row) in &rows {
                    log.push(*source, row.iter().copied()).unwrap();
                }
                log.end_block().unwrap();
                assert_eq!(log.written() > 0, memory < 1 << 20);
                let mut random = Random::new(seed);
                for _ in 0..20 {
                    let mut draw = || random.bits() % 2500;
                    let (start, end, step) = (draw(), draw(), 1 + draw() % 300);
                    let mut reader = LogReader::new(&log, start..end);
                    let mut found = Vec::new();
                    let mut below = start;
                    while below < end {
                        below += step;
                        let read = reader.rows_below(&mut log, below, |row| {
                            assert!(row.source < below);
                            let all = (0..row.degree).map(|_| row.next());
                            let all: Result<Vec<_>, Error> = all.collect();
                            found.push((row.source, all?));
                            Ok(())
                        });
                        read.unwrap();
                    }
                    let mut expected = rows.clone();
                    expected.retain(|(source, _)| (start..end).contains(source));
                    assert_eq!(found, expected);
                }
            }
        }
    }
}
