//! How a command ends: exit statuses and the reasons for bad ends.

use std::io;

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
}

impl Status {
    /// The number that the shell sees.
    pub fn code(self) -> i32 {
        match self {
            Status::Holds => 0,
            Status::Fails => 1,
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
    /// A limit on states or memory was reached: exit status 3 after this
    /// message.
    Limit(String),
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
        match error.kind() {
            io::ErrorKind::OutOfMemory => Failure::Limit(format!("{name}: out of memory")),
            _ => Failure::Error(format!("cannot read {name}: {}", reason(error))),
        }
    }

    /// What writing failed with, `name` being the output.
    pub fn writing(name: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            io::ErrorKind::OutOfMemory => Failure::Limit(format!("{name}: out of memory")),
            _ => Failure::Error(format!("cannot write {name}: {}", reason(error))),
        }
    }
}

impl From<hyades_formats::TooLarge> for Failure {
    fn from(error: hyades_formats::TooLarge) -> Self {
        Failure::Error(error.to_string())
    }
}

/// The text of an error without the number that Rust puts behind it.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match (error.raw_os_error(), text.rfind(" (os error ")) {
        (Some(_), Some(end)) => text[..end].to_owned(),
        _ => text,
    }
}

/// The end of every command's help: an example, and the exit statuses.
pub fn after_help(example: &str) -> String {
    format!(
        "\
Example:
{example}

Exit status:
  0  done; what was asked holds
  1  done; what was asked does not hold
  2  wrong usage, bad input, or a file that cannot be read or written
  3  no verdict: a limit (--max-states, --max-memory) was reached
When the reader of the output goes away: a silent end, as by SIGPIPE (141 in a
shell)."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_no_error_numbers() {
        let error = io::Error::from_raw_os_error(libc::ENOENT);
        assert_eq!(reason(&error), "No such file or directory");
        assert_eq!(
            reason(&io::Error::other("x (os error 2)")),
            "x (os error 2)"
        );
    }
}
