//! Reading small texts on behalf of a command.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::status::Failure;

/// What a file is called in messages, and what is in it; `-` is standard input.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read_text(path: &Path) -> Result<(Arc<str>, Vec<u8>), Failure> {
    let is_stdin = path == Path::new("-");
    let name: Arc<str> = match is_stdin {
        true => "<stdin>".into(),
        false => path.display().to_string().into(),
    };
    let mut bytes = Vec::new();
    match is_stdin {
        true => io::stdin().read_to_end(&mut bytes).map(drop),
        false => fs::read(path).map(|read| bytes = read),
    }
    .map_err(|error| Failure::reading(&name, &error))?;
    Ok((name, bytes))
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
