//! How inputs are opened: the one place where standard input is read.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use hyades_formats::diagnostic::printable_path;
use hyades_formats::{Format, ReadError, Source};

use super::standard;

/// How messages call standard input.
const STANDARD: &str = "<stdin>";

/// How messages call an input.
pub fn input_name(path: &Path) -> String {
    match path == Path::new("-") {
        true => STANDARD.into(),
        false => printable_path(path),
    }
}

/// Opens an input, standard input for `-`: the one place where that is read.
///
/// # Errors
/// As for [`Source::open`].
pub(super) fn open_input(path: &Path, format: Option<Format>) -> Result<Source, ReadError> {
    match path == Path::new("-") {
        true => standard_input(|name, file| Source::from_file(name, file, format)),
        false => {
            standard::check_input(path)?;
            Source::open(path, format)
        }
    }
}

/// As [`open_input`], for a file beside the input, of which no option tells the format.
///
/// # Errors
/// As for [`Source::open`].
pub(super) fn open_beside(path: &Path) -> Result<Source, ReadError> {
    match path == Path::new("-") {
        true => open_input(path, None),
        false => {
            standard::check_input(path)?;
            Source::open_beside(path)
        }
    }
}

/// Standard input, opened by this function of [`Source`].
///
/// # Errors
/// If it is closed, and as for [`Source::open`].
pub(super) fn standard_input(
    open: impl FnOnce(&'static str, File) -> Result<Source, ReadError>,
) -> Result<Source, ReadError> {
    let failed = |error| ReadError::Io {
        file: STANDARD.into(),
        error,
    };
    if standard::was_closed(libc::STDIN_FILENO) {
        return Err(failed(standard::closed_input()));
    }
    // A duplicate, because the standard input itself is not ours to close. It shares
    // the file's position.
    let descriptor = io::stdin().as_fd().try_clone_to_owned();
    open(STANDARD, File::from(descriptor.map_err(failed)?))
}
