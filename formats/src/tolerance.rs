//! What readers of texts tolerate outside strict mode, though no definition allows it.

use crate::diagnostic::{Log, Position, Severity};
use crate::format::BYTE_ORDER_MARK;
use crate::options::Mode;

/// The severity of what is tolerated outside strict mode only.
pub(crate) fn tolerated(mode: Mode) -> Severity {
    match mode {
        Mode::Strict => Severity::Error,
        Mode::Default | Mode::Lenient => Severity::Warning,
    }
}

/// A text without the byte order mark that it may begin with, which is told.
pub(crate) fn without_mark<'t>(
    text: &'t [u8],
    code: &'static str,
    mode: Mode,
    log: &mut Log,
) -> &'t [u8] {
    match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => {
            log.add(tolerated(mode), code, Some(Position::new(1, 1)), || {
                "byte order mark: save the file without".into()
            });
            rest
        }
        None => text,
    }
}
