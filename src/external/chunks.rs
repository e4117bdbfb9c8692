//! Temporary files of records: chunks of bytes, of which each has a checksum.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::Error;
use crate::scratch::Disk;

/// Bytes before a chunk: its length and its CRC-32C.
pub(crate) const HEAD: usize = 8;

/// Writes a chunk, of less than 2^32 bytes, at once.
pub(crate) fn write_chunk(file: &mut File, bytes: &[u8], buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    buffer.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    buffer.extend_from_slice(&crc32c::crc32c(bytes).to_le_bytes());
    buffer.extend_from_slice(bytes);
    file.write_all(buffer)
}

/// The chunks of a temporary file, of which it is known how much has been written: what ends
/// sooner, be it between two chunks, has been shortened.
pub(crate) struct Chunks<'a> {
    disk: &'a Disk<'a>,
    name: &'a str,
    file: File,
    /// A record has so many bytes.
    record: usize,
    /// So many bytes of records are to come.
    left: u64,
}

impl<'a> Chunks<'a> {
    /// Of a file with so many records of so many bytes.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(
        disk: &'a Disk<'a>,
        name: &'a str,
        records: u64,
        record: usize,
    ) -> Result<Self, Error> {
        Ok(Self {
            disk,
            name,
            file: disk.open(name)?,
            record,
            left: records * record as u64,
        })
    }

    /// The next chunk is that which begins here.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn seek(&mut self, place: u64) -> Result<(), Error> {
        let sought = self.file.seek(SeekFrom::Start(place));
        let sought = sought.map_err(|error| self.disk.unread(self.name, error));
        sought.map(drop)
    }

    /// Reads the next chunk, of whole records; whether there was one left.
    ///
    /// # Errors
    /// If it cannot be read, or is not what has been written.
    pub fn next_into(&mut self, bytes: &mut Vec<u8>) -> Result<bool, Error> {
        bytes.clear();
        if self.left == 0 {
            return Ok(false);
        }
        let read = self.read(bytes);
        read.map_err(|error| self.disk.unread(self.name, error))?;
        self.disk.count_read((HEAD + bytes.len()) as u64);
        self.left -= bytes.len() as u64;
        Ok(true)
    }

    fn read(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        let mut head = [0; HEAD];
        self.file.read_exact(&mut head).map_err(shortened)?;
        let [a, b, c, d, rest @ ..] = head;
        let length = u64::from(u32::from_le_bytes([a, b, c, d]));
        (&self.file).take(length).read_to_end(bytes)?;
        if (bytes.len() as u64) < length {
            return Err(damaged(SHORTENED));
        }
        let is_whole = (1..=self.left).contains(&length) && bytes.len().is_multiple_of(self.record);
        match is_whole && crc32c::crc32c(bytes) == u32::from_le_bytes(rest) {
            true => Ok(()),
            false => Err(damaged("it has been changed")),
        }
    }
}

const SHORTENED: &str = "it has been shortened";

/// What is wrong with a file that ends too soon.
pub(crate) fn shortened(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged(SHORTENED),
        _ => error,
    }
}

pub(crate) fn damaged(how: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the temporary file is damaged: {how}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TemporaryFolder;

    /// The chunks of a file up to its end.
    fn read(disk: &Disk<'_>, name: &str, records: u64) -> Result<Vec<u8>, String> {
        let failed = |error: Error| error.to_string();
        let mut chunks = Chunks::open(disk, name, records, 4).map_err(failed)?;
        let (mut all, mut bytes) = (Vec::new(), Vec::new());
        while chunks.next_into(&mut bytes).map_err(failed)? {
            all.extend_from_slice(&bytes);
        }
        Ok(all)
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = TemporaryFolder::new(folder.path()).unwrap();
        let disk = Disk::new(&scratch);
        let mut file = disk.create("run").unwrap();
        let (mut buffer, mut written) = (Vec::new(), Vec::new());
        for chunk in [&b"abcdefgh"[..], b"ijkl", b"mnopqrstuvwx"] {
            write_chunk(&mut file, chunk, &mut buffer).unwrap();
            written.extend_from_slice(chunk);
        }
        let whole = std::fs::read(disk.path("run")).unwrap();
        assert_eq!(read(&disk, "run", 6).unwrap(), written);
        for length in (0..whole.len()).rev() {
            file.set_len(length as u64).unwrap();
            let error = read(&disk, "run", 6).unwrap_err();
            assert!(
                error.ends_with("it has been shortened"),
                "{length}: {error}"
            );
        }
        // Other bytes, and more of them than are known.
        for (records, changed) in [(2, [&whole[..8], b"x", &whole[9..]].concat()), (1, whole)] {
            std::fs::write(disk.path("run"), changed).unwrap();
            let error = read(&disk, "run", records).unwrap_err();
            assert!(error.ends_with(" damaged: it has been changed"), "{error}");
        }
    }

    #[test]
    fn what_is_not_to_be_read_is_told_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = TemporaryFolder::new(folder.path()).unwrap();
        let disk = Disk::new(&scratch);
        // A directory opens, and reading it fails.
        disk.create_folder("run").unwrap();
        let mut chunks = Chunks::open(&disk, "run", 1, 4).unwrap();
        let error = chunks.next_into(&mut Vec::new()).unwrap_err();
        assert!(matches!(error, Error::Unread { .. }), "{error:?}");
    }
}
