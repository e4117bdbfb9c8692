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
pub struct Spool {
    directory: PathBuf,
    /// The first line, once it is known.
    pub(super) header: String,
    memory: Vec<u8>,
    file: Option<File>,
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
        }
    }

    /// Writes the text; the output is not flushed.
    ///
    /// O(bytes) time, and some hundred KiB of memory.
    ///
    /// # Errors
    /// If the output refuses, or the file cannot be read.
    pub fn write_to(self, output: &mut dyn Write) -> io::Result<()> {
        writeln!(output, "{}", self.header)?;
        output.write_all(&self.memory)?;
        drop(self.memory);
        if let Some(mut file) = self.file {
            let directory = self.directory;
            let told = |error| told(&directory, error);
            file.rewind().map_err(told)?;
            let mut block = vec![0; BLOCK];
            loop {
                match file.read(&mut block) {
                    Ok(0) => break,
                    Ok(n) => output.write_all(&block[..n])?,
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
        file.write(bytes)
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
