//! Where temporary files are.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hyades_formats::plts::Files;

use crate::Error;

/// A directory for temporary files of this crate, which nobody else writes into.
pub trait Scratch: Sync {
    /// The directory.
    fn path(&self) -> &Path;

    /// Makes a directory in it. What messages say of it is the path.
    ///
    /// # Errors
    /// If that fails.
    fn create_folder(&self, name: &str) -> io::Result<()>;

    /// Makes a new file in it, to be written; `name` may begin with that of a directory
    /// that has been made.
    ///
    /// # Errors
    /// If that fails.
    fn create(&self, name: &str) -> io::Result<File>;

    /// Removes a file that has been made, or a directory with all files that have been
    /// made in it.
    fn remove(&self, name: &str);
}

/// A directory that is removed when this is dropped, with all that is in it.
#[derive(Debug)]
pub struct TemporaryFolder(tempfile::TempDir);

impl TemporaryFolder {
    /// Makes one in this directory.
    ///
    /// # Errors
    /// If that fails.
    pub fn new(within: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(".hyades-")
            .tempdir_in(within);
        folder.map(Self)
    }
}

impl Scratch for TemporaryFolder {
    fn path(&self) -> &Path {
        self.0.path()
    }

    fn create_folder(&self, name: &str) -> io::Result<()> {
        fs::create_dir(self.0.path().join(name))
    }

    fn create(&self, name: &str) -> io::Result<File> {
        File::create_new(self.0.path().join(name))
    }

    fn remove(&self, name: &str) {
        let path = self.0.path().join(name);
        // If it fails, that is seen when the directory is removed.
        let _ = match path.is_dir() {
            true => fs::remove_dir_all(path),
            false => fs::remove_file(path),
        };
    }
}

/// Temporary files, and how much has been read and written.
pub struct Disk<'a> {
    scratch: &'a dyn Scratch,
    read: AtomicU64,
    written: AtomicU64,
    /// How many names have been given.
    names: AtomicU64,
}

hyades_base::opaque!(Disk<'_>);

impl<'a> Disk<'a> {
    /// In this directory.
    pub fn new(scratch: &'a dyn Scratch) -> Self {
        Self {
            scratch,
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
            names: AtomicU64::new(0),
        }
    }

    pub(crate) fn count_read(&self, bytes: u64) {
        self.read.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn count_written(&self, bytes: u64) {
        self.written.fetch_add(bytes, Relaxed);
    }

    /// How many bytes of temporary files, and of partitioned inputs, have been read.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Relaxed)
    }

    /// How many bytes have been written.
    pub fn bytes_written(&self) -> u64 {
        self.written.load(Relaxed)
    }

    /// A name that no file has.
    pub(crate) fn new_name(&self, what: &str) -> String {
        let number = self.names.fetch_add(1, Relaxed);
        format!("{what}-{number:05}")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// A new file.
    pub(crate) fn create(&self, name: &str) -> Result<File, Error> {
        let created = self.scratch.create(name);
        created.map_err(|error| self.failed(name, error))
    }

    /// Opens a file of ours, to be read.
    pub(crate) fn open(&self, name: &str) -> Result<File, Error> {
        File::open(self.path(name)).map_err(|error| self.unread(name, error))
    }

    pub(crate) fn create_folder(&self, name: &str) -> Result<(), Error> {
        let created = self.scratch.create_folder(name);
        created.map_err(|error| self.failed(name, error))
    }

    pub(crate) fn remove(&self, name: &str) {
        self.scratch.remove(name);
    }

    /// What is wrong with a file of ours that is read.
    pub(crate) fn unread(&self, name: &str, error: io::Error) -> Error {
        Error::Unread {
            path: self.path(name),
            error,
        }
    }

    /// What is wrong with a file of ours that is written.
    pub(crate) fn failed(&self, name: &str, error: io::Error) -> Error {
        Error::Scratch {
            path: self.path(name),
            error,
        }
    }

    /// Refuses to begin what needs so many bytes if the disk has less room.
    pub(crate) fn check_room(&self, needed: u64) -> io::Result<()> {
        // A system that does not tell is asked no more.
        let Ok(told) = nix::sys::statvfs::statvfs(self.scratch.path()) else {
            return Ok(());
        };
        // Elsewhere numbers of blocks have 32 bits.
        #[allow(clippy::useless_conversion)]
        let room = u64::from(told.blocks_available()).saturating_mul(told.fragment_size());
        match needed <= room {
            true => Ok(()),
            false => Err(io::Error::new(
                io::ErrorKind::StorageFull,
                format!("{needed} bytes may be needed, but the disk has room for {room}"),
            )),
        }
    }
}

/// The files of a partitioned LTS among the temporary ones.
pub(crate) struct Within<'a> {
    disk: &'a Disk<'a>,
    folder: String,
}

impl<'a> Within<'a> {
    pub fn new(disk: &'a Disk<'a>, folder: &str) -> Self {
        Self {
            disk,
            folder: folder.to_owned(),
        }
    }
}

impl Files for Within<'_> {
    fn create(&mut self, name: &str) -> io::Result<File> {
        self.disk.scratch.create(&format!("{}/{name}", self.folder))
    }

    fn reopen(&mut self, name: &str) -> io::Result<File> {
        File::open(self.disk.path(&self.folder).join(name))
    }
}
