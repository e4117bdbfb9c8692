//! Why reading or writing did not succeed.

use std::collections::TryReserveError;
use std::fmt;
use std::io;
use std::sync::Arc;

use crate::lts::TooLarge;

/// Why a file could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// The file could not be opened, read or decompressed.
    Io {
        /// The file, as the user named it.
        file: Arc<str>,
        /// What the system or the decompressor said.
        error: io::Error,
    },
    /// The file is not in a format that can be read.
    Format {
        /// The file, as the user named it.
        file: Arc<str>,
        /// What it is instead, or what to do.
        text: String,
    },
    /// There were errors in the file. Its diagnostics have been handed over.
    Refused {
        /// The file, as the user named it.
        file: Arc<str>,
        /// How many errors there were.
        errors: u64,
    },
    /// The file is well-formed, but does not fit the types of this crate.
    TooLarge {
        /// The file, as the user named it.
        file: Arc<str>,
        /// What there is too much of.
        error: TooLarge,
    },
    /// A limit that the reader was given is reached.
    Limit {
        /// The file, as the user named it.
        file: Arc<str>,
        /// Which one, and where.
        text: String,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io { file, error } => write!(f, "{file}: {error}"),
            ReadError::Format { file, text } => write!(f, "{file}: {text}"),
            ReadError::Refused { file, errors: 1 } => write!(f, "{file}: 1 error, nothing read"),
            ReadError::Refused { file, errors } => {
                write!(f, "{file}: {errors} errors, nothing read")
            }
            ReadError::TooLarge { file, error } => write!(f, "{file}: {error}"),
            ReadError::Limit { file, text } => write!(f, "{file}: {text}"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Io { error, .. } => Some(error),
            ReadError::TooLarge { error, .. } => Some(error),
            ReadError::Format { .. } | ReadError::Refused { .. } | ReadError::Limit { .. } => None,
        }
    }
}

/// Why a reader stops; a [`ReadError`] that does not know its file yet.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There are errors in the log.
    Refused,
    /// The input failed, or there is not enough memory.
    Io(io::Error),
    /// There is more than an LTS can hold.
    TooLarge(TooLarge),
}

impl Failure {
    /// The error about this file, in which there were so many errors.
    pub fn about(self, file: Arc<str>, errors: u64) -> ReadError {
        match self {
            Failure::Refused => ReadError::Refused { file, errors },
            Failure::Io(error) => ReadError::Io { file, error },
            Failure::TooLarge(error) => ReadError::TooLarge { file, error },
        }
    }
}

impl From<TryReserveError> for Failure {
    fn from(error: TryReserveError) -> Self {
        // A header may announce more states than there is memory for.
        let text = format!("not enough memory for so many states: {error}");
        Failure::Io(io::Error::new(io::ErrorKind::OutOfMemory, text))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

impl From<TooLarge> for Failure {
    fn from(error: TooLarge) -> Self {
        Failure::TooLarge(error)
    }
}

/// Why an LTS could not be written.
#[derive(Debug)]
pub enum WriteError {
    /// The output refused the bytes; a closed pipe shows as
    /// [`io::ErrorKind::BrokenPipe`].
    Io(io::Error),
    /// The format cannot be written.
    Format(String),
    /// The format cannot express the LTS under these options. Nothing has been
    /// written; the diagnostics have been handed over.
    Refused {
        /// How many errors there were.
        errors: u64,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Io(error) => error.fmt(f),
            WriteError::Format(text) => f.write_str(text),
            WriteError::Refused { errors: 1 } => f.write_str("1 error, nothing written"),
            WriteError::Refused { errors } => write!(f, "{errors} errors, nothing written"),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WriteError::Io(error) => Some(error),
            WriteError::Format(_) | WriteError::Refused { .. } => None,
        }
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError::Io(error)
    }
}
