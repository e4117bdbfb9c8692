//! Where the files are that a network speaks of.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hyades_formats::diagnostic::printable_path;
use hyades_formats::{Format, ReadError, Source};

/// A place with files, which networks name their components by.
pub trait Files {
    /// Opens a file.
    ///
    /// # Errors
    /// As for [`Source::open_named`].
    fn open(&self, path: &Path, format: Option<Format>) -> Result<Source, ReadError>;

    /// Whether there is such a file.
    fn exists(&self, path: &Path) -> bool;

    /// What tells a file from others, however it is named.
    fn identity(&self, path: &Path) -> Identity;
}

/// What tells a file from others, however it is named.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Identity {
    /// The file itself, whatever links lead to it.
    Inode {
        /// Where it is.
        device: u64,
        /// Which one there.
        inode: u64,
    },
    /// Its name, where that is all that is known.
    Path(PathBuf),
}

/// The regular files of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn open(&self, path: &Path, format: Option<Format>) -> Result<Source, ReadError> {
        // A name is not standard input here.
        if path.as_os_str() == "-" {
            return Source::open_named(Path::new("./-"), format);
        }
        Source::open_named(path, format)
    }

    fn exists(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn identity(&self, path: &Path) -> Identity {
        match path.metadata() {
            Ok(meta) => Identity::Inode {
                device: meta.dev(),
                inode: meta.ino(),
            },
            Err(_) => Identity::Path(path.to_owned()),
        }
    }
}

/// Files in memory, for tests and for programs that make networks.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: HashMap<PathBuf, Vec<u8>>,
}

impl Memory {
    /// Adds a file, or replaces it.
    pub fn add(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), bytes.into());
    }
}

impl Files for Memory {
    fn open(&self, path: &Path, format: Option<Format>) -> Result<Source, ReadError> {
        let name = printable_path(path);
        let Some(bytes) = self.files.get(path) else {
            return Err(ReadError::Io {
                file: name.into(),
                error: std::io::ErrorKind::NotFound.into(),
            });
        };
        let format = format.or_else(|| Format::from_path(path));
        Source::from_bytes(name, bytes.clone(), format)
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    fn identity(&self, path: &Path) -> Identity {
        Identity::Path(path.to_owned())
    }
}
