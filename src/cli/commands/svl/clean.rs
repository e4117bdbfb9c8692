//! `svl --clean` and `--sweep`: what the log says has been made goes.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hyades_formats::diagnostic::printable_path;

use super::Files;
use hyades_cli_core::say::say;
use hyades_cli_core::{Failure, Status};

/// What lines of the log begin with that name files.
const MADE: &str = "file: ";
const TEMPORARY: &str = "temporary: ";

/// Removes the temporary files of the last run, and if all is to go, also what it has
/// made, its log and its record.
pub fn remove(files: &Files, all: bool) -> Result<Status, Failure> {
    let log = match fs::read(&files.log) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(Failure::reading(&printable_path(&files.log), &e)),
    };
    // The log is written to last.
    let ended = fs::metadata(&files.log).map(|log| (log.mtime(), log.mtime_nsec()));
    let ended = ended.ok();
    let mut status = Status::Holds;
    for line in log.lines() {
        let name = line
            .strip_prefix(TEMPORARY)
            .or_else(|| line.strip_prefix(MADE).filter(|_| all));
        let Some(name) = name.map(Path::new) else {
            continue;
        };
        // A log may come from anywhere: it is believed about what lies here.
        if !is_here(files, name) {
            if name.exists() {
                say(format_args!(
                    "svl: {} is left: it lies neither beside the script nor in the working \
                     directory",
                    printable_path(name)
                ));
            }
            continue;
        }
        if is_replaced(name, ended) {
            say(format_args!(
                "svl: {} is left: it has been changed since the script has run",
                printable_path(name)
            ));
            continue;
        }
        if !remove_file(name)? {
            status = Status::Trouble;
        }
    }
    if all {
        for file in [&files.log, &files.record] {
            remove_file(file)?;
        }
    }
    Ok(status)
}

/// Whether a file lies in the folder of the script or the working directory, or below.
fn is_here(files: &Files, name: &Path) -> bool {
    let (Some(folder), true) = (name.parent(), name.is_absolute()) else {
        return false;
    };
    let real = |path: &Path| -> Option<PathBuf> { fs::canonicalize(path).ok() };
    let here = std::env::current_dir().ok();
    let Some(folder) = real(folder) else {
        return false;
    };
    let mut roots = [Some(files.folder.clone()), here].into_iter().flatten();
    roots.any(|root| real(&root).is_some_and(|root| folder.starts_with(root)))
}

/// Whether a file has been written, or has come to its place, after the log was ended: it is
/// none that the script has made. Copies that keep the time of another file count, too, as
/// nobody can set the time of that.
fn is_replaced(name: &Path, ended: Option<(i64, i64)>) -> bool {
    let changed = fs::symlink_metadata(name).map(|file| (file.ctime(), file.ctime_nsec()));
    matches!((changed, ended), (Ok(changed), Some(ended)) if changed > ended)
}

/// Removes a file if it is there. Whether it is gone.
fn remove_file(name: &Path) -> Result<bool, Failure> {
    match fs::remove_file(name) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(e) => {
            say(format_args!(
                "svl: {} cannot be removed: {e}",
                printable_path(name)
            ));
            Ok(false)
        }
    }
}
