//! Reading small texts on behalf of a command.

use std::path::Path;
use std::sync::Arc;

use hyades_formats::{Format, MOST_NAMED, Position, ReadError, Source};

use super::excerpt::{know_file, know_text};
use super::input::{open_input, standard_input};
use super::standard;
use super::status::{Failure, read_failure};

/// What a file is called in messages, and what is in it, decompressed; `-` is standard
/// input.
///
/// # Errors
/// If it cannot be read.
pub fn read_text(path: &Path) -> Result<(Arc<str>, Vec<u8>), Failure> {
    let opened = match path == Path::new("-") {
        true => standard_input(Source::from_text_file),
        false => open_file(path),
    };
    known(path, opened, Source::into_bytes)
}

/// The same of a text that is what the command works on, in this format.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read_input(path: &Path, format: Format) -> Result<(Arc<str>, Vec<u8>), Failure> {
    known(path, open_input(path, Some(format)), Source::into_bytes)
}

/// What is in a file that was opened, read in this way, which is known to messages then.
fn known(
    path: &Path,
    opened: Result<Source, ReadError>,
    read: impl FnOnce(Source) -> Result<Vec<u8>, ReadError>,
) -> Result<(Arc<str>, Vec<u8>), Failure> {
    let source = opened.map_err(read_failure)?;
    let name: Arc<str> = source.name().into();
    let bytes = read(source).map_err(read_failure)?;
    match path.is_file() {
        true => know_file(path),
        false => know_text(&name, &bytes),
    }
    Ok((name, bytes))
}

/// The same of a file, which `what` is in, that is not standard input.
///
/// # Errors
/// If it is, or cannot be read.
pub(super) fn read_file(what: &str, path: &Path) -> Result<(Arc<str>, Vec<u8>), Failure> {
    match path == Path::new("-") {
        true => Err(no_standard_input(what)),
        false => read_text(path),
    }
}

/// The same of a file of bounded size, which `what` is in, that is not standard input.
///
/// # Errors
/// If it is, is longer, or cannot be read.
pub(super) fn read_short_file(what: &str, path: &Path) -> Result<(Arc<str>, Vec<u8>), Failure> {
    if path == Path::new("-") {
        return Err(no_standard_input(what));
    }
    known(path, open_file(path), |source| {
        source.into_bytes_up_to(MOST_NAMED)
    })
}

fn open_file(path: &Path) -> Result<Source, ReadError> {
    standard::check_input(path).and_then(|()| Source::open_text(path))
}

fn no_standard_input(what: &str) -> Failure {
    Failure::error(format!(
        "{what} are not read from standard input: give a file"
    ))
}

/// The same of a file that another file names: a regular file of bounded size.
///
/// # Errors
/// If it is none, or cannot be read.
pub(super) fn read_named_text(path: &Path) -> Result<(Arc<str>, Vec<u8>), Failure> {
    let source = Source::open_named(path, Some(Format::Aut)).map_err(read_failure)?;
    let name = source.name().into();
    let bytes = source.into_bytes_up_to(MOST_NAMED).map_err(read_failure)?;
    Ok((name, bytes))
}

/// What is in a file that was read before, decompressed, for places in it to be told;
/// nothing if it can be read but once, is longer than texts should be, or has changed.
pub(super) fn read_again(path: &Path) -> Vec<u8> {
    read_named_text(path).map_or_else(|_| Vec::new(), |(_, bytes)| bytes)
}

/// The text that the bytes of a file are.
///
/// # Errors
/// If they are no UTF-8; `expected` tells what they should be.
pub fn utf8<'t>(name: &str, bytes: &'t [u8], expected: &str) -> Result<&'t str, Failure> {
    str::from_utf8(bytes).map_err(|error| {
        let Position { line, column } = Position::of(bytes, error.valid_up_to());
        Failure::error(format!(
            "{name}:{line}:{column}: bytes that are no UTF-8; expected {expected}"
        ))
    })
}
