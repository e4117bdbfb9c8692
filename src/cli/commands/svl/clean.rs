//! `svl --clean` and `--sweep`: what the log says has been made goes.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hyades_formats::diagnostic::printable_path;
use hyades_formats::plts;

use super::Files;
use hyades_cli_core::say::say;
use hyades_cli_core::{Failure, Status};

/// What lines of the log begin with that name files.
const MADE: &[u8] = b"file: ";
const TEMPORARY: &[u8] = b"temporary: ";

/// Removes the temporary files of the last run, and if all is to go, also what it has
/// made, its log and its record.
pub fn clean(files: &Files, all: bool) -> Result<Status, Failure> {
    let log = match fs::read(&files.log) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(Failure::reading(&printable_path(&files.log), &e)),
    };
    // The log is written to last.
    let ended = fs::metadata(&files.log).map(|log| (log.mtime(), log.mtime_nsec()));
    let ended = ended.ok();
    let mut status = Status::Holds;
    for line in log.split(|&byte| byte == b'\n') {
        let name = line
            .strip_prefix(TEMPORARY)
            .or_else(|| line.strip_prefix(MADE).filter(|_| all));
        let Some(name) = name.map(|name| Path::new(OsStr::from_bytes(name))) else {
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
        if !remove(name) {
            status = Status::Trouble;
        }
    }
    // The log is needed for another attempt.
    if all && status == Status::Holds {
        for file in [&files.log, &files.record] {
            remove(file);
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
    let is_later = |name: &Path| {
        let changed = fs::symlink_metadata(name).map(|file| (file.ctime(), file.ctime_nsec()));
        matches!((changed, ended), (Ok(changed), Some(ended)) if changed > ended)
    };
    is_later(name) || is_folder(name) && parts(name).iter().any(|part| is_later(part))
}

/// Whether this is a directory itself, and no link to one.
fn is_folder(name: &Path) -> bool {
    fs::symlink_metadata(name).is_ok_and(|file| file.is_dir())
}

/// What is in a directory, as far as that can be seen.
fn parts(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.flatten().map(|entry| entry.path()).collect()
}

/// Removes a file, or a partitioned LTS, if it is there. Whether it is gone.
fn remove(name: &Path) -> bool {
    let removed = match is_folder(name) {
        true => remove_parts(name),
        false => fs::remove_file(name).or_else(|e| match e.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(e.to_string()),
        }),
    };
    if let Err(why) = &removed {
        let name = printable_path(name);
        say(format_args!("svl: {name} cannot be removed: {why}"));
    }
    removed.is_ok()
}

/// Removes a directory that has a whole partitioned LTS, and nothing else.
fn remove_parts(folder: &Path) -> Result<(), String> {
    let parts = plts::check_replaceable(folder)?;
    let all = parts.iter().map(|part| fs::remove_file(folder.join(part)));
    let removed: io::Result<()> = all.collect();
    removed
        .and_then(|()| fs::remove_dir(folder))
        .map_err(|e| e.to_string())
}
