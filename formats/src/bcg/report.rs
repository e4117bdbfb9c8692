//! What a reader has to say, and whether it goes on.

use crate::diagnostic::{Log, Severity};
use crate::options::Mode;

/// Nothing can be read; the log tells why.
#[derive(Debug)]
pub(super) struct Refused;

/// Where a reader complains.
pub(super) struct Report<'a> {
    log: &'a mut Log,
    lenient: bool,
}

impl<'a> Report<'a> {
    pub fn new(log: &'a mut Log, mode: Mode) -> Self {
        Self {
            log,
            lenient: mode == Mode::Lenient,
        }
    }

    /// Something that cannot be read at all.
    pub fn refuse(&mut self, code: &'static str, text: impl FnOnce() -> String) -> Refused {
        self.log.add(Severity::Error, code, None, text);
        Refused
    }

    /// Something of unknown meaning: an error, or a warning with `--lenient`.
    pub fn doubt(
        &mut self,
        code: &'static str,
        text: impl FnOnce() -> String,
    ) -> Result<(), Refused> {
        if self.lenient {
            self.log.add(Severity::Warning, code, None, text);
            return Ok(());
        }
        Err(self.refuse(code, || {
            format!("{}; use --lenient to read it all the same", text())
        }))
    }

    /// Something doubtful that is read all the same.
    pub fn warn(&mut self, code: &'static str, text: impl FnOnce() -> String) {
        self.log.add(Severity::Warning, code, None, text);
    }
}
