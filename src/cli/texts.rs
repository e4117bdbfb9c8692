//! Reading small texts on behalf of a command.

use std::path::Path;
use std::sync::Arc;

use hyades_formats::{Format, Source};

use super::files::read_failure;
use super::status::Failure;

/// What a file is called in messages, and what is in it, decompressed; `-` is standard
/// input.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read_text(path: &Path) -> Result<(Arc<str>, Vec<u8>), Failure> {
    // A format that is text; what it says is not looked at here.
    let source = Source::open(path, Some(Format::Aut)).map_err(read_failure)?;
    let name = source.name().into();
    Ok((name, source.into_bytes().map_err(read_failure)?))
}

/// The text that the bytes of a file are.
///
/// # Errors
/// If they are no UTF-8; `expected` tells what they should be.
pub(super) fn utf8<'t>(name: &str, bytes: &'t [u8], expected: &str) -> Result<&'t str, Failure> {
    str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Failure::error(format!(
            "{name}:{line}: bytes that are no UTF-8; expected {expected}"
        ))
    })
}
