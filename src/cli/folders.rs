//! Outputs of several files: a folder that appears whole or not at all.
//!
//! It is filled under a temporary name beside its place and then renamed. What is
//! there already is left alone, unless it is an empty directory.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

use hyades_formats::diagnostic::counted;

use super::cleanup::Unfinished;
use super::output::{close, directory, temporary_name};
use super::run::Session;
use super::size::show_size;
use super::stats::FileStats;
use super::status::Failure;

/// Where the files of an output go: looked at, but not touched yet.
#[derive(Clone, Debug)]
pub struct Folder {
    /// As the user calls it.
    name: String,
    place: PathBuf,
    /// Those of the empty directory that is there.
    permissions: Option<Permissions>,
}

impl Folder {
    /// The folder that a user calls `path`, which does not exist or is empty.
    ///
    /// # Errors
    /// If no folder can be made there; said now rather than after the work.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let refuse = |reason: &str| Failure::error(format!("cannot write {name}: {reason}"));
        let failed = |error: io::Error| Failure::writing(&name, &error);
        let (place, permissions) = match fs::canonicalize(path) {
            Ok(place) => {
                let metadata = fs::metadata(&place).map_err(failed)?;
                if !metadata.is_dir() {
                    return Err(refuse("it is to be a folder of several files, but is none"));
                }
                if fs::read_dir(&place).map_err(failed)?.next().is_some() {
                    return Err(refuse("the folder is not empty: name a new one"));
                }
                // A shell would stay in the old one, which is no more.
                if std::env::current_dir().is_ok_and(|here| here == place) {
                    return Err(refuse("it is the current directory: name a new one"));
                }
                (place, Some(metadata.permissions()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if fs::symlink_metadata(path).is_ok() {
                    return Err(refuse("it is a symbolic link to nothing"));
                }
                let parent = fs::canonicalize(directory(path)).map_err(failed)?;
                let last = path.file_name().ok_or_else(|| failed(error))?;
                (parent.join(last), None)
            }
            Err(error) => return Err(failed(error)),
        };
        let beside = AccessFlags::W_OK | AccessFlags::X_OK;
        if let Err(errno) = access(directory(&place), beside) {
            return Err(refuse(&format!(
                "{} (an output is made beside its place, then renamed)",
                errno.desc()
            )));
        }
        Ok(Self {
            name,
            place,
            permissions,
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

    fn create(&self, files: &[(String, String)]) -> io::Result<UnfinishedFolder> {
        let (temporary, folder) = loop {
            let temporary = directory(&self.place).join(temporary_name(&self.place));
            match Unfinished::create_directory(&temporary) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => break (temporary, made?),
            }
        };
        let mut unfinished = UnfinishedFolder {
            target: self.clone(),
            files: Vec::new(),
            folder,
            temporary,
        };
        for (name, text) in files {
            let path = unfinished.temporary.join(name);
            let (watched, mut file) = Unfinished::create(&path, || {
                OpenOptions::new().write(true).create_new(true).open(&path)
            })?;
            unfinished.files.push(watched);
            file.write_all(text.as_bytes())?;
            close(file)?;
        }
        Ok(unfinished)
    }
}

/// A folder whose files are written. Dropped without
/// [`commit`](UnfinishedFolder::commit), it does not appear.
pub(super) struct UnfinishedFolder {
    target: Folder,
    /// Dropped before the folder, which is empty then.
    files: Vec<Unfinished>,
    folder: Unfinished,
    temporary: PathBuf,
}

impl UnfinishedFolder {
    /// Gives the folder its name.
    ///
    /// # Errors
    /// If the system refuses it, as it does if the folder has been filled meanwhile.
    pub(super) fn commit(self) -> Result<(), Failure> {
        let Folder {
            name,
            place,
            permissions,
        } = &self.target;
        let failed = |error: io::Error| Failure::writing(name, &error);
        if let Some(permissions) = permissions {
            fs::set_permissions(&self.temporary, permissions.clone()).map_err(failed)?;
        }
        fs::rename(&self.temporary, place).map_err(failed)?;
        self.files.into_iter().for_each(Unfinished::keep);
        self.folder.keep();
        Ok(())
    }
}

impl Session {
    /// Writes files, of which each has a name and a text, into a folder: phase `write`.
    /// It appears at the end of the session.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_folder(
        &mut self,
        folder: &Folder,
        format: &str,
        files: &[(String, String)],
    ) -> Result<(), Failure> {
        let bytes = files.iter().map(|(_, text)| text.len() as u64).sum();
        let unfinished = self.phase("write", |phase| {
            let unfinished = folder.create(files);
            let unfinished = unfinished.map_err(|e| Failure::writing(folder.name(), &e))?;
            phase.summary(|| {
                let (name, count) = (folder.name(), files.len());
                format!("{name}, {}, {}", counted(count, "file"), show_size(bytes))
            });
            Ok(unfinished)
        })?;
        let figures = FileStats {
            path: folder.name().to_owned(),
            format: format.into(),
            bytes,
            ..FileStats::default()
        };
        self.add_folder(unfinished, figures);
        Ok(())
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

    fn names(path: &Path) -> Vec<String> {
        let entries = fs::read_dir(path).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_appears_whole_or_not_at_all() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::new(&scratch.path().join("new")).unwrap();
        let unfinished = folder.create(&two()).unwrap();
        assert!(!folder.place().exists());
        drop(unfinished);
        assert_eq!(names(scratch.path()), [""; 0]);
        folder.create(&two()).unwrap().commit().unwrap();
        assert_eq!(names(scratch.path()), ["new"]);
        assert_eq!(names(folder.place()), ["a", "b"]);
        assert_eq!(fs::read(folder.place().join("b")).unwrap(), b"2\n");
    }

    #[test]
    fn a_folder_that_is_filled_meanwhile_is_left_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::new(&scratch.path().join("new")).unwrap();
        let unfinished = folder.create(&two()).unwrap();
        fs::create_dir(folder.place()).unwrap();
        fs::write(folder.place().join("c"), "3\n").unwrap();
        assert!(unfinished.commit().is_err());
        assert_eq!(names(scratch.path()), ["new"]);
        assert_eq!(names(folder.place()), ["c"]);
    }
}
