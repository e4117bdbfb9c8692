//! Where transitions wait for the header that stands before them.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;

use crate::diagnostic::printable_path;

/// So many bytes are kept in memory before there is a file.
const MEMORY: usize = 4 << 20;
/// So many bytes are copied at a time.
const BLOCK: usize = 1 << 18;

/// A text that becomes known from its second line on: some MiB are in memory,
/// the rest is in a file without a name, which is gone with the process.
#[derive(Debug)]
pub struct Spool {
    directory: PathBuf,
    /// The first line, once it is known.
    pub(super) header: String,
    memory: Vec<u8>,
    file: Option<File>,
    /// So many bytes are in the file.
    written: u64,
}

impl Spool {
    /// An empty spool, which takes its memory at once; if it needs a file, this is
    /// in `directory`.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            header: String::new(),
            memory: Vec::with_capacity(MEMORY),
            file: None,
            written: 0,
        }
    }

    /// Writes the text; the output is not flushed.
    ///
    /// O(bytes) time, and some hundred KiB of memory.
    ///
    /// # Errors
    /// If the output refuses, or the file cannot be read or has been shortened.
    pub fn write_to(self, output: &mut dyn Write) -> io::Result<()> {
        writeln!(output, "{}", self.header)?;
        output.write_all(&self.memory)?;
        drop(self.memory);
        if let Some(mut file) = self.file {
            let directory = self.directory;
            let told = |error| told(&directory, error);
            file.rewind().map_err(told)?;
            let mut block = vec![0; BLOCK];
            let mut left = self.written;
            while left > 0 {
                match file.read(&mut block) {
                    Ok(0) => {
                        let kind = io::ErrorKind::InvalidData;
                        return Err(told(io::Error::new(kind, "it has been shortened")));
                    }
                    Ok(n) => {
                        output.write_all(&block[..n])?;
                        left = left.saturating_sub(n as u64);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(told(error)),
                }
            }
        }
        Ok(())
    }

    fn put_in_file(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile_in(&self.directory)?),
        };
        let written = file.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }
}

/// An error of the file, which its user has not named, and where it is.
fn told(directory: &std::path::Path, error: io::Error) -> io::Error {
    let text = format!("temporary file in {}: {error}", printable_path(directory));
    io::Error::new(error.kind(), text)
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.file.is_none() && self.memory.len() + bytes.len() <= MEMORY {
            self.memory.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        self.put_in_file(bytes)
            .map_err(|error| told(&self.directory, error))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_been_shortened_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let spooled = |cut: u64| {
            let mut spool = Spool::new(folder.path());
            for _ in 0..3 {
                spool.write_all(&[b'x'; MEMORY / 2]).unwrap();
            }
            let file = spool.file.as_ref().unwrap();
            file.set_len(spool.written - cut).unwrap();
            let mut output = Vec::new();
            spool.write_to(&mut output).map(|()| output.len())
        };
        assert_eq!(spooled(0).unwrap(), 3 * MEMORY / 2 + 1);
        let error = spooled(1).unwrap_err().to_string();
        assert!(error.ends_with(": it has been shortened"), "{error}");
    }
}
