//! Texts of files without what means something to a terminal.

use hyades_formats::diagnostic::printable;

/// A line with names or labels in it, without control characters.
pub fn printable_line(line: &str) -> String {
    String::from_utf8_lossy(&printable(line.as_bytes())).into_owned()
}
