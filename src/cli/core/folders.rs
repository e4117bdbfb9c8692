//! Outputs of several files: a folder that appears whole or not at all.
//!
//! It is filled under a temporary name beside its place and then renamed. What is
//! there already is left alone, unless it is an empty directory, or a partitioned LTS that
//! gives way to another one: both change places at once, where the system can do that.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hyades_formats::diagnostic::printable_path;
use hyades_formats::{Compression, follow_links};

use hyades_formats::plts::{self, Files};
use nix::unistd::{AccessFlags, access};

use super::cleanup::Unfinished;
use super::output::{close, directory, sync, temporary_name, with_target};
use super::status::Failure;

/// Where the files of an output go: looked at, but not touched yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folder {
    /// As the user calls it.
    pub(super) name: String,
    place: PathBuf,
    /// Those of the empty directory that is there.
    permissions: Option<Permissions>,
    /// The files in what is there, which goes with them.
    replaced: Vec<String>,
}

impl Folder {
    /// The folder that a user calls `path`, which does not exist or is empty.
    ///
    /// # Errors
    /// If no folder can be made there; said now rather than after the work.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        Self::looked_at(path, |place| match fs::read_dir(place)?.next() {
            None => Ok(Ok(Vec::new())),
            Some(_) => Ok(Err("the folder is not empty: name a new one".into())),
        })
    }

    /// The folder of a partitioned LTS that a user calls `path`, which does not exist, is
    /// empty, or has another partitioned LTS, which is replaced as a whole.
    ///
    /// # Errors
    /// If it is to be compressed as a whole, by `compress` or its name, if no folder can be
    /// made there, or something else is there.
    pub fn of_parts(path: &Path, compress: Option<Compression>) -> Result<Self, Failure> {
        let packed = Compression::from_path(path).or(compress);
        if let Some(packed) = packed.filter(|&packed| packed != Compression::None) {
            let why = plts::not_compressed(packed);
            return Err(Failure::error(format!("{}: {why}", printable_path(path))));
        }
        Self::looked_at(path, |place| Ok(plts::check_replaceable(place)))
    }

    /// The folder that a user calls `path`; `replaced` tells which files there are in a
    /// directory that is there, or why it stays.
    fn looked_at(
        path: &Path,
        replaced: impl FnOnce(&Path) -> io::Result<Result<Vec<String>, String>>,
    ) -> Result<Self, Failure> {
        let name = printable_path(path);
        let refuse = |reason: &str| Failure::error(format!("cannot write {name}: {reason}"));
        let failed = |error: io::Error| Failure::writing(&name, &error);
        // Pipes have no place, but are there.
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_dir()) {
            return Err(refuse("it is to be a folder of several files, but is none"));
        }
        let (place, permissions, replaced) = match fs::canonicalize(path) {
            Ok(place) => {
                let metadata = fs::metadata(&place).map_err(failed)?;
                let replaced = replaced(&place).map_err(failed)?;
                let replaced = replaced.map_err(|reason| refuse(&reason))?;
                // A shell would stay in the old one, which is no more.
                if std::env::current_dir().is_ok_and(|here| here == place) {
                    return Err(refuse("it is the current directory: name a new one"));
                }
                (place, Some(metadata.permissions()), replaced)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // A link may lead there.
                let place = follow_links(path, |_| false).map_err(failed)?;
                let parent = fs::canonicalize(directory(&place))
                    .map_err(|error| Failure::writing(&with_target(path), &error))?;
                let last = place.file_name().ok_or_else(|| failed(error))?;
                (parent.join(last), None, Vec::new())
            }
            Err(error) => return Err(failed(error)),
        };
        let writable = AccessFlags::W_OK | AccessFlags::X_OK;
        // Its files go with it.
        if !replaced.is_empty()
            && let Err(errno) = access(&place, writable)
        {
            return Err(refuse(errno.desc()));
        }
        if let Err(errno) = access(directory(&place), writable) {
            return Err(refuse(&format!(
                "{} (an output is made beside its place, then renamed)",
                errno.desc()
            )));
        }
        Ok(Self {
            name,
            place,
            permissions,
            replaced,
        })
    }

    /// How messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its one path.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Starts filling it.
    ///
    /// # Errors
    /// If the temporary folder cannot be made.
    pub fn create(&self) -> Result<UnfinishedFolder, Failure> {
        let failed = |error: io::Error| Failure::writing(&self.name, &error);
        let (temporary, folder) = loop {
            let temporary = directory(&self.place).join(temporary_name(&self.place));
            match Unfinished::create_directory(&temporary) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => break (temporary, made.map_err(failed)?),
            }
        };
        Ok(UnfinishedFolder {
            target: self.clone(),
            files: Vec::new(),
            names: Vec::new(),
            bytes: 0,
            folder,
            temporary,
        })
    }
}

/// The names of what is in a directory, in their order.
fn files_in(place: &Path) -> io::Result<Vec<String>> {
    let names = fs::read_dir(place)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<Vec<String>>>();
    let mut names = names?;
    names.sort_unstable();
    Ok(names)
}

/// Files up to this number are synced one by one, more of them with all else that is
/// on the way to their file system.
#[cfg(target_os = "linux")]
const FEW: usize = 16;

/// A folder that is being filled. Dropped without
/// `commit`, it does not appear.
pub struct UnfinishedFolder {
    pub(super) target: Folder,
    /// Dropped before the folder, which is empty then.
    pub(super) files: Vec<Unfinished>,
    names: Vec<PathBuf>,
    pub(super) bytes: u64,
    folder: Unfinished,
    temporary: PathBuf,
}

impl UnfinishedFolder {
    /// Where it is filled.
    #[cfg(feature = "cluster")]
    pub(super) fn path(&self) -> &Path {
        &self.temporary
    }

    fn failure(&self, error: &io::Error) -> Failure {
        Failure::writing(&self.target.name, error)
    }

    /// Other processes are going to write these files into it: what they leave, even if they
    /// are killed, goes with it.
    ///
    /// # Errors
    /// If its name has a NUL.
    #[cfg(feature = "cluster")]
    pub(super) fn expect_files(
        &mut self,
        names: impl Iterator<Item = String>,
    ) -> Result<(), Failure> {
        for name in names {
            let watched = Unfinished::of_others(&self.temporary.join(name), false);
            self.files
                .push(watched.map_err(|error| self.failure(&error))?);
        }
        Ok(())
    }

    /// Writes a file into it, which is not there yet.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.temporary.join(name);
        let written = Unfinished::create_file(&path, 0o666).and_then(|(watched, mut file)| {
            self.files.push(watched);
            file.write_all(bytes)?;
            close(file)
        });
        written.map_err(|error| self.failure(&error))?;
        self.names.push(path);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Waits until all of its files are on the disk.
    ///
    /// # Errors
    /// If the system says that one does not get there.
    pub(super) fn sync(&self) -> Result<(), Failure> {
        // Each file that is waited for alone costs the disk a turn.
        #[cfg(target_os = "linux")]
        if self.names.len() > FEW {
            let synced =
                File::open(&self.temporary).and_then(|folder| Ok(nix::unistd::syncfs(folder)?));
            return synced.map_err(|error| self.failure(&error));
        }
        let opened = |path: &PathBuf| sync(&File::open(path)?);
        let mut all = self.names.iter().chain([&self.temporary]);
        let synced = all.try_for_each(opened);
        synced.map_err(|error| self.failure(&error))
    }

    /// Gives the folder its name. Where that is.
    ///
    /// # Errors
    /// If the system refuses it, as it does if the folder has been filled meanwhile, or if
    /// what is to be replaced has other files by now.
    pub(super) fn commit(self) -> Result<PathBuf, Failure> {
        let Folder {
            name,
            place,
            permissions,
            replaced,
        } = self.target;
        let failed = |error: io::Error| Failure::writing(&name, &error);
        if let Some(permissions) = permissions {
            fs::set_permissions(&self.temporary, permissions).map_err(failed)?;
        }
        let appeared = match replaced.is_empty() {
            true => self.folder.appear_with(self.files, &place),
            false => {
                if files_in(&place).map_err(failed)? != replaced {
                    let why = "it has other files than before the work: it is not replaced";
                    return Err(Failure::error(format!("cannot write {name}: {why}")));
                }
                self.folder.exchange_with(self.files, &place, &replaced)
            }
        };
        appeared.map_err(failed)?;
        Ok(place)
    }
}

impl Files for UnfinishedFolder {
    fn create(&mut self, name: &str) -> io::Result<File> {
        let path = self.temporary.join(name);
        let (watched, file) = Unfinished::create_file(&path, 0o666)?;
        self.files.push(watched);
        self.names.push(path);
        Ok(file)
    }

    fn reopen(&mut self, name: &str) -> io::Result<File> {
        File::open(self.temporary.join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Vec<(String, String)> {
        [("a", "1\n"), ("b", "2\n")]
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .into()
    }

    fn filled(folder: &Folder) -> UnfinishedFolder {
        let mut unfinished = folder.create().unwrap();
        for (name, text) in two() {
            unfinished.add(&name, text.as_bytes()).unwrap();
        }
        unfinished.sync().unwrap();
        unfinished
    }

    fn names(path: &Path) -> Vec<String> {
        files_in(path).unwrap()
    }

    #[test]
    fn a_folder_appears_whole_or_not_at_all() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::new(&scratch.path().join("new")).unwrap();
        let unfinished = filled(&folder);
        assert!(!folder.place().exists());
        drop(unfinished);
        assert_eq!(names(scratch.path()), [""; 0]);
        assert_eq!(filled(&folder).commit().unwrap(), folder.place());
        assert_eq!(names(scratch.path()), ["new"]);
        assert_eq!(names(folder.place()), ["a", "b"]);
        assert_eq!(fs::read(folder.place().join("b")).unwrap(), b"2\n");
    }

    #[test]
    fn what_is_there_changes_places_and_goes() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("old");
        fs::create_dir(&path).unwrap();
        for name in ["b", "c"] {
            fs::write(path.join(name), "3\n").unwrap();
        }
        let known = || Ok(Ok(vec!["b".to_owned(), "c".to_owned()]));
        let folder = Folder::looked_at(&path, |_| known()).unwrap();
        drop(filled(&folder));
        assert_eq!(names(&path), ["b", "c"]);
        filled(&folder).commit().unwrap();
        assert_eq!(names(scratch.path()), ["old"]);
        assert_eq!(names(&path), ["a", "b"]);
        assert_eq!(fs::read(path.join("b")).unwrap(), b"2\n");
        // What came meanwhile stays, and all else.
        let folder = Folder::looked_at(&path, |_| known()).unwrap();
        let unfinished = filled(&folder);
        fs::write(path.join("d"), "4\n").unwrap();
        let error = unfinished.commit().unwrap_err();
        assert!(format!("{error:?}").contains("other files than before"));
        assert_eq!(names(scratch.path()), ["old"]);
        assert_eq!(names(&path), ["a", "b", "d"]);
    }

    #[test]
    fn a_folder_that_is_filled_meanwhile_is_left_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::new(&scratch.path().join("new")).unwrap();
        let unfinished = filled(&folder);
        fs::create_dir(folder.place()).unwrap();
        fs::write(folder.place().join("c"), "3\n").unwrap();
        assert!(unfinished.commit().is_err());
        assert_eq!(names(scratch.path()), ["new"]);
        assert_eq!(names(folder.place()), ["c"]);
    }
}
