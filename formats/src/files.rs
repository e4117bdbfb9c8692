//! LTSs from files and to files in one call.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Severity, Sink, printable_path};
use crate::dispatch::{read_lts, write_folder, write_lts};
use crate::error::{ReadError, WriteError};
use crate::format::{Compression, Format};
use crate::lts::Lts;
use crate::options::{ReadOptions, WriteOptions};
use crate::plts::{self, Directory};
use crate::sink::Compressor;
use crate::source::Source;

/// Why a file could not be read or written, with all that was found in it. Displayed
/// as the errors that were found, one a line, and what came of them.
#[derive(Debug)]
pub struct FileError {
    /// What was found, with warnings and notes, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// What came of it.
    pub cause: FileErrorCause,
}

/// What a [`FileError`] comes from.
#[derive(Debug)]
pub enum FileErrorCause {
    /// Reading, which names the file itself.
    Read(ReadError),
    /// Writing this file.
    Write(String, WriteError),
}

impl FileError {
    /// What `read` gives. Its diagnostics are part of the error if there is one;
    /// otherwise they are dropped.
    ///
    /// # Errors
    /// If `read` fails.
    pub fn reading<T>(
        read: impl FnOnce(&mut Sink<'_>) -> Result<T, ReadError>,
    ) -> Result<T, FileError> {
        let mut diagnostics = Vec::new();
        read(&mut |found| diagnostics.push(found)).map_err(|error| FileError {
            diagnostics,
            cause: FileErrorCause::Read(error),
        })
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.diagnostics.iter();
        for found in all.filter(|found| found.severity == Severity::Error) {
            writeln!(f, "{found}")?;
        }
        match &self.cause {
            FileErrorCause::Read(error) => error.fmt(f),
            FileErrorCause::Write(file, error) => write!(f, "{file}: {error}"),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.cause {
            FileErrorCause::Read(error) => Some(error),
            FileErrorCause::Write(_, error) => Some(error),
        }
    }
}

impl Lts {
    /// Reads an LTS from a file. Its format is told by its content, else by the
    /// ending of its name; its compression by its content. [`read_lts`]
    /// has options, and hands warnings over, which are dropped here.
    ///
    /// Time and memory are in proportion to the file.
    ///
    /// # Errors
    /// If the file cannot be read, holds errors, or is no LTS.
    pub fn read(path: impl AsRef<Path>) -> Result<Lts, FileError> {
        FileError::reading(|sink| {
            let source = Source::open(path.as_ref(), None)?;
            read_lts(source, &ReadOptions::default(), sink)
        })
    }

    /// Writes the LTS into a file, in the format and the compression that the ending
    /// of its name tells, as `.aut`, `.bcg` or `.aut.gz`; AUT if there is no ending.
    /// [`write_lts`] has options, and hands warnings over, which are
    /// dropped here.
    ///
    /// A file appears whole or not at all: it is written under a temporary name beside
    /// its place, brought to the disk and renamed. One that was there keeps its
    /// permissions. So does the directory of a partitioned LTS (`.plts`), where for a
    /// moment there is neither the old nor the new one. A symbolic link is followed. What is no regular file, such as a
    /// pipe, is written as it is.
    ///
    /// # Errors
    /// If the ending is none of a format that can be written, the format cannot
    /// express the LTS, or the system refuses.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        let mut diagnostics = Vec::new();
        let mut sink = |found| diagnostics.push(found);
        let saved = self.save_as(path, None, &WriteOptions::default(), &mut sink);
        saved.map_err(|error| FileError {
            diagnostics,
            cause: FileErrorCause::Write(printable_path(path), error),
        })
    }

    /// As [`Lts::save`], with options, and in this format, if there is one, whatever the
    /// ending of the name. Diagnostics go to `sink`.
    ///
    /// # Errors
    /// As of [`Lts::save`].
    pub fn save_as(
        &self,
        path: impl AsRef<Path>,
        format: Option<Format>,
        options: &WriteOptions,
        sink: &mut Sink<'_>,
    ) -> Result<(), WriteError> {
        let path = path.as_ref();
        let written = Written {
            lts: self,
            format: format_of(path, format)?,
            path,
            options,
        };
        written.save(sink)
    }
}

/// The format of a file that is written.
fn format_of(path: &Path, format: Option<Format>) -> Result<Format, WriteError> {
    let known = format.or_else(|| Format::from_path(path));
    let format = match (known, Format::ending(path)) {
        (Some(format), _) => format,
        (None, None) => Format::Aut,
        (None, Some(ending)) => {
            return Err(WriteError::Format(format!(
                "the ending .{ending} tells no format{}: expected one of {}",
                Compression::hint_of_ending(&ending),
                Format::list(Format::is_writable)
            )));
        }
    };
    match format.is_writable() {
        true => Ok(format),
        false => Err(WriteError::Format(format.unwritable())),
    }
}

/// An LTS on its way into a file.
struct Written<'a> {
    lts: &'a Lts,
    format: Format,
    path: &'a Path,
    options: &'a WriteOptions,
}

impl Written<'_> {
    fn save(&self, sink: &mut Sink<'_>) -> Result<(), WriteError> {
        let path = self.path;
        if self.format.is_folder() {
            return self.save_folder(sink);
        }
        // The names of open files lead to what has no path: a pipe, for example.
        let is_special = |place: &Path| fs::metadata(place).is_ok_and(|found| !found.is_file());
        let place = follow_links(path, is_special)?;
        let old = match fs::metadata(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            found => Some(found?),
        };
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            let mut file = File::options().write(true).open(&place)?;
            return self.write(&mut file, sink);
        }
        let beside = match place.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut options = File::options();
        options.write(true).create_new(true);
        // One that replaces another is private until it has the other's permissions.
        #[cfg(unix)]
        if old.is_some() {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".").suffix(".tmp");
        // Opened here: of an error, nobody is to be told the temporary name.
        let mut file = builder.make_in(beside, |path| options.open(path))?;
        if let Some(old) = old {
            file.as_file().set_permissions(old.permissions())?;
        }
        self.write(file.as_file_mut(), sink)?;
        file.as_file().sync_all()?;
        file.persist(&place).map_err(|refused| refused.error)?;
        Ok(())
    }

    fn save_folder(&self, sink: &mut Sink<'_>) -> Result<(), WriteError> {
        if let Some(compression) = Compression::from_path(self.path) {
            return Err(WriteError::Format(plts::not_compressed(compression)));
        }
        let place = follow_links(self.path, |_| false)?;
        let is_there = place.symlink_metadata().is_ok();
        if is_there {
            plts::check_replaceable(&place).map_err(WriteError::Format)?;
        }
        let beside = match place.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".").suffix(".tmp");
        // What is in it is removed unless it is renamed.
        let outer = builder.tempdir_in(beside)?;
        let (new, old) = (outer.path().join("new"), outer.path().join("old"));
        fs::create_dir(&new)?;
        let mut files = Directory(new.clone());
        write_folder(self.lts, &mut files, self.options, sink)?;
        for entry in fs::read_dir(&new)? {
            File::open(entry?.path())?.sync_all()?;
        }
        if is_there {
            fs::set_permissions(&new, fs::metadata(&place)?.permissions())?;
            fs::rename(&place, &old)?;
        }
        if let Err(error) = fs::rename(&new, &place) {
            if is_there {
                fs::rename(&old, &place)?;
            }
            return Err(error.into());
        }
        Ok(())
    }

    fn write(&self, file: &mut dyn Write, sink: &mut Sink<'_>) -> Result<(), WriteError> {
        let compression = Compression::from_path(self.path).unwrap_or_default();
        let mut output = Compressor::new(file, compression)?;
        write_lts(self.lts, self.format, &mut output, self.options, sink)?;
        output.finish()?;
        Ok(())
    }
}

/// How many symbolic links may follow one another, as in Linux.
const LINKS: usize = 40;

/// The place that a path leads to, which need not exist: symbolic links are followed, up
/// to a path of which `stops` holds.
///
/// # Errors
/// If a link cannot be read, or too many follow one another.
pub fn follow_links(path: &Path, stops: impl Fn(&Path) -> bool) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..LINKS {
        if stops(&place) || !place.is_symlink() {
            return Ok(place);
        }
        // An absolute link replaces the whole path.
        place = place.with_file_name("").join(fs::read_link(&place)?);
    }
    // The system says that there are too many.
    fs::canonicalize(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "des (0, 2, 2)\n(0, \"GO\", 1)\n(1, i, 0)\n";

    #[cfg(target_os = "linux")]
    #[test]
    fn an_open_pipe_is_written_by_its_name() {
        use std::io::Read;
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let first = folder.path().join("first.aut");
        fs::write(&first, TEXT).unwrap();
        let (mut reader, writer) = io::pipe().unwrap();
        let name = format!("/proc/self/fd/{}", writer.as_raw_fd());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&name, &link).unwrap();
        for path in [Path::new(&name), &link] {
            Lts::read(&first).unwrap().save(path).unwrap();
        }
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text.matches("des (0, 2, 2)").count(), 2, "{text}");
    }

    #[test]
    fn what_is_saved_is_read_again_in_every_format() {
        let folder = tempfile::tempdir().unwrap();
        let first = folder.path().join("first.aut");
        fs::write(&first, TEXT).unwrap();
        let lts = Lts::read(&first).unwrap();
        for name in [
            "a.aut", "b.bcg", "c.lts", "d.dot", "e.jsonl", "f.aut.gz", "g", "h.plts",
        ] {
            let path = folder.path().join(name);
            lts.save(&path).unwrap();
            // and once more, where there is one
            let again = Lts::read(&path).unwrap();
            assert_eq!(again.offsets(), lts.offsets(), "{name}");
            assert_eq!(again.labels(), lts.labels(), "{name}");
            assert_eq!(again.targets(), lts.targets(), "{name}");
        }
        assert_eq!(
            fs::read(folder.path().join("f.aut.gz")).unwrap()[..2],
            [0x1f, 0x8b]
        );
    }

    #[test]
    fn a_format_goes_before_the_ending_of_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let first = folder.path().join("first.aut");
        fs::write(&first, TEXT).unwrap();
        let lts = Lts::read(&first).unwrap();
        let place = folder.path().join("kept.other");
        let options = WriteOptions::default();
        lts.save_as(&place, Some(Format::Bcg), &options, &mut |_| ())
            .unwrap();
        assert_eq!(fs::read(&place).unwrap()[..3], [1, 2, 0]);
        let refused = lts.save_as(&place, Some(Format::Exp), &options, &mut |_| ());
        assert!(matches!(refused, Err(WriteError::Format(_))));
        assert_eq!(fs::read(&place).unwrap()[..3], [1, 2, 0]);
    }

    #[test]
    fn an_error_says_what_was_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wrong.aut");
        fs::write(&path, "des (0, 1, 2)\n(0, \"GO\", x)\n").unwrap();
        let error = Lts::read(&path).unwrap_err();
        assert_eq!(error.diagnostics.len(), 1);
        let text = error.to_string();
        assert!(text.contains("wrong.aut:2:11: error: "), "{text}");
        assert!(text.ends_with("wrong.aut: 1 error, nothing read"), "{text}");
    }

    #[test]
    #[cfg(unix)]
    fn a_file_is_replaced_as_a_whole_or_stays() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("place.aut");
        fs::write(&place, TEXT).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link.aut");
        std::os::unix::fs::symlink(&place, &link).unwrap();
        let lts = Lts::read(&place).unwrap();
        lts.save(&link).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(place.metadata().unwrap().mode() & 0o777, 0o640);
        assert!(
            fs::read_to_string(&place)
                .unwrap()
                .starts_with("des (0, 2, 2)")
        );

        fs::remove_file(&place).unwrap();
        std::os::unix::fs::symlink("link.aut", folder.path().join("far.aut")).unwrap();
        lts.save(folder.path().join("far.aut")).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert!(place.symlink_metadata().unwrap().is_file());

        std::os::unix::fs::symlink("loop.aut", folder.path().join("loop.aut")).unwrap();
        fs::create_dir(folder.path().join("folder.aut")).unwrap();
        // A sequence has no cycle.
        let sequence = folder.path().join("kept.seq");
        fs::write(&sequence, "old").unwrap();
        let error = lts.save(&sequence).unwrap_err().to_string();
        assert!(error.contains("kept.seq: "), "{error}");
        assert_eq!(fs::read_to_string(&sequence).unwrap(), "old");
        for (name, expected) in [
            ("new.foo", "the ending .foo tells no format"),
            ("new.exp", "format exp is for networks"),
            (
                "none/new.aut",
                "none/new.aut: No such file or directory (os error 2)",
            ),
            ("loop.aut", "symbolic links"),
            ("folder.aut", "directory"),
        ] {
            let error = lts.save(folder.path().join(name)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            // that of the folder
            assert_eq!(error.matches(".tmp").count(), 1, "{error}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6);
    }
}
