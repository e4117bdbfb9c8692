//! How a command ends: exit statuses and the reasons for bad ends.

use std::io;

use hyades_formats::{ReadError, WriteError};

/// A good end of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The work is done; a question that was asked is answered by yes. Exit
    /// status 0.
    Holds,
    /// The work is done; what was asked does not hold, or what `--fail-on`
    /// names was found. Exit status 1.
    Fails,
    /// The work is done as far as possible, and there is no verdict. Exit
    /// status 3.
    NoVerdict,
    /// The work is done as far as possible, but what was asked could not be tried
    /// out: exit status 2, although outputs appear.
    Trouble,
}

impl Status {
    /// The number that the shell sees.
    pub fn code(self) -> i32 {
        match self {
            Status::Holds => 0,
            Status::Fails => 1,
            Status::Trouble => 2,
            Status::NoVerdict => 3,
        }
    }
}

/// A bad end of a command. No output file appears.
#[derive(Debug)]
pub enum Failure {
    /// Usage, bad input, or trouble with a file: exit status 2 after this
    /// message.
    Error(String),
    /// The same, but everything has been said already: exit status 2.
    Reported,
    /// A limit on states was reached: exit status 3 after this message.
    Limit(String),
    /// There is not enough memory, or not as much as was allowed, to do this:
    /// exit status 3.
    Memory(String),
    /// Nobody reads our output any more: a silent end as by SIGPIPE.
    BrokenPipe,
}

impl Failure {
    /// A message for exit status 2.
    pub fn error(message: impl Into<String>) -> Self {
        Failure::Error(message.into())
    }

    /// What reading failed with, `name` being the input.
    pub fn reading(name: &str, error: &io::Error) -> Self {
        let text = format!("cannot read {name}: {}", reason(error));
        match error.kind() {
            io::ErrorKind::OutOfMemory => Failure::Memory(text),
            _ => Failure::Error(text),
        }
    }

    /// What writing failed with, `name` being the output.
    pub fn writing(name: &str, error: &io::Error) -> Self {
        let text = format!("cannot write {name}: {}", reason(error));
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            io::ErrorKind::OutOfMemory => Failure::Memory(text),
            _ => Failure::Error(text),
        }
    }
}

impl From<hyades_formats::TooLarge> for Failure {
    fn from(error: hyades_formats::TooLarge) -> Self {
        Failure::Error(error.to_string())
    }
}

impl From<hyades_symmetry::InstancesError> for Failure {
    fn from(error: hyades_symmetry::InstancesError) -> Self {
        Failure::Error(format!("the pattern: {error}"))
    }
}

/// The text of an error without the number that Rust puts behind it, be it the
/// error of a file or one that tells where another happened.
pub(super) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) if text.ends_with(')') => text[..end].to_owned(),
        _ => text,
    }
}

/// The end of a command's help: an example, and the exit statuses that it has.
pub struct Epilogue {
    /// A pipeline or script, without the lines of other commands.
    pub example: &'static str,
    /// What the command can end with status 1 for.
    pub asks: Asks,
    /// When there is no verdict.
    pub open: &'static str,
}

/// What a command answers, as far as its exit status tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    /// It asks nothing.
    Nothing,
    /// Whether something holds.
    Verdict,
    /// Whether something is found that `--fail-on` names.
    FailOn,
    /// What the command asks that it runs.
    OfCommand,
}

impl Epilogue {
    /// [`Epilogue::open`] of commands with `--max-states`.
    pub const STATES: &str = "a limit (--max-states, --max-memory) was reached";
    /// [`Epilogue::open`] of commands without.
    pub const MEMORY: &str = "the limit --max-memory was reached";

    /// The text.
    pub fn text(&self) -> String {
        let Self { example, open, .. } = self;
        let (good, bad) = match self.asks {
            Asks::Nothing => ("done", ""),
            Asks::Verdict => (
                "done; what was asked holds",
                "\n  1  done; what was asked does not hold",
            ),
            Asks::FailOn => (
                "done",
                "\n  1  done; something was found that --fail-on names",
            ),
            Asks::OfCommand => (
                "done; what COMMAND asks holds",
                "\n  1  done; what COMMAND asks does not hold, or it found what it is to fail on",
            ),
        };
        format!(
            "\
Example:
  {example}

Exit status:
  0  {good}{bad}
  2  wrong usage, bad input, or a file that cannot be read or written
  3  no verdict: {open}, or the memory's end
When the reader of the output goes away: a silent end, as by SIGPIPE (141 in a
shell)."
        )
    }
}

/// What a command that could not read ends with.
pub fn read_failure(error: ReadError) -> Failure {
    match error {
        ReadError::Refused { .. } => Failure::Reported,
        ReadError::Io { file, error } => Failure::reading(&file, &error),
        ReadError::Limit { .. } => Failure::Limit(error.to_string()),
        ReadError::Format { .. } | ReadError::TooLarge { .. } => Failure::error(error.to_string()),
    }
}

/// What writing an LTS failed with, `name` being the output.
pub(super) fn write_failure(name: &str, error: WriteError) -> Failure {
    match error {
        WriteError::Io(error) => Failure::writing(name, &error),
        WriteError::Format(text) => Failure::error(text),
        WriteError::Refused { .. } => Failure::Reported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_no_error_numbers() {
        let error = io::Error::from_raw_os_error(libc::ENOENT);
        assert_eq!(reason(&error), "No such file or directory");
        let told = io::Error::new(error.kind(), format!("in /x: {error}"));
        assert_eq!(reason(&told), "in /x: No such file or directory");
        for text in ["x", "x (os error 2) y", "x (y)"] {
            assert_eq!(reason(&io::Error::other(text)), text);
        }
    }
}
