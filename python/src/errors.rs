//! What goes wrong, as Python exceptions.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use hyades::check::decide::DecideError;
use hyades::check::syntax::SyntaxError;
use hyades::equivalence::MinimizeError;
use hyades::explore::{ExploreError, ModelError as Failed};
use hyades::formats::diagnostic::printable_path;
use hyades::formats::{
    Diagnostic, FileError, FileErrorCause, Position, ReadError, Severity, TooLarge,
    WriteError as Unwritten,
};
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;

use crate::advice::in_python;

create_exception!(
    hyades,
    ParseError,
    PyValueError,
    "A file, a text or a formula is malformed. Attributes: `file`, `line`, `column` (both from\n1, or `None`), `code`."
);
create_exception!(
    hyades,
    WriteError,
    PyValueError,
    "A format cannot express an LTS. Attributes: `file`, `code`."
);
create_exception!(
    hyades,
    LimitError,
    PyRuntimeError,
    "A limit is reached, or there is more than can be numbered."
);
create_exception!(
    hyades,
    ModelError,
    PyRuntimeError,
    "A model fails while it is explored."
);
create_exception!(
    hyades,
    FormatWarning,
    PyUserWarning,
    "Something doubtful in a file, which was read or written all the same."
);

/// What went wrong where no Python object is at hand.
#[derive(Debug)]
pub enum Fault {
    /// A file.
    File(FileError),
    /// What a system says of the file with this name.
    System(PathBuf, io::Error),
    /// A text at a place: of a formula or of a system.
    Text {
        /// Its name.
        file: String,
        /// Line and column.
        position: Option<Position>,
        /// The name of the kind.
        code: &'static str,
        /// What there is to say.
        text: String,
    },
    /// There is too much, or a limit is reached.
    Limit(String),
    /// An argument makes no sense.
    Value(String),
    /// A model failed.
    Model(String),
    /// Python has a word in it, as when a user interrupts.
    Python(PyErr),
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        Fault::File(error)
    }
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Self {
        Fault::Python(error)
    }
}

impl From<TooLarge> for Fault {
    fn from(error: TooLarge) -> Self {
        Fault::Limit(error.to_string())
    }
}

impl From<MinimizeError> for Fault {
    fn from(error: MinimizeError) -> Self {
        match error {
            MinimizeError::TooLarge(error) => error.into(),
            MinimizeError::NoQuotient(_) | MinimizeError::Unreachable(_) => {
                Fault::Value(error.to_string())
            }
        }
    }
}

impl From<Failed> for Fault {
    fn from(error: Failed) -> Self {
        match error.reached() {
            Some(_) => Fault::Limit(error.to_string()),
            None => Fault::Model(error.to_string()),
        }
    }
}

impl From<ExploreError> for Fault {
    fn from(error: ExploreError) -> Self {
        match error {
            ExploreError::Model(error) => error.into(),
            ExploreError::TooLarge(error) => error.into(),
        }
    }
}

impl From<DecideError> for Fault {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::Formula(error) => Fault::Limit(error.to_string()),
            DecideError::TooLarge(error) => error.into(),
            DecideError::Check(error) => Fault::Model(error.to_string()),
        }
    }
}

impl From<SyntaxError> for Fault {
    fn from(error: SyntaxError) -> Self {
        let SyntaxError {
            file,
            place,
            message,
        } = error;
        Fault::Text {
            file,
            position: Some(Position::new(place.line.into(), place.column.into())),
            code: "formula",
            text: message,
        }
    }
}

impl Fault {
    /// With the name that the system has for this file, if it is what the system speaks of.
    pub fn of_path(self, path: &Path) -> Self {
        let name = printable_path(path);
        match self {
            Fault::File(FileError {
                cause: FileErrorCause::Read(ReadError::Io { file, error }),
                ..
            }) if *file == *name => Fault::System(path.to_owned(), error),
            Fault::File(FileError {
                cause: FileErrorCause::Write(file, Unwritten::Io(error)),
                ..
            }) if file == name => Fault::System(path.to_owned(), error),
            other => other,
        }
    }
}

/// An argument that makes no sense.
pub fn value(error: impl std::fmt::Display) -> Fault {
    Fault::Value(error.to_string())
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> PyErr {
        match fault {
            Fault::File(error) => of_file(error),
            Fault::System(path, error) => of_system(path.as_os_str(), &error),
            Fault::Text {
                file,
                position,
                code,
                text,
            } => {
                let text = in_python(&text);
                let message = match position {
                    Some(at) => format!("{file}:{}:{}: {text}", at.line, at.column),
                    None => format!("{file}: {text}"),
                };
                parse_error(message, &file, position, code)
            }
            Fault::Limit(text) => LimitError::new_err(in_python(&text)),
            Fault::Value(text) => PyValueError::new_err(in_python(&text)),
            Fault::Model(text) => ModelError::new_err(in_python(&text)),
            Fault::Python(error) => error,
        }
    }
}

fn of_file(error: FileError) -> PyErr {
    let error = FileError {
        diagnostics: error.diagnostics.into_iter().map(told).collect(),
        cause: match error.cause {
            FileErrorCause::Read(ReadError::Format { file, text }) => {
                let text = in_python(&text);
                FileErrorCause::Read(ReadError::Format { file, text })
            }
            FileErrorCause::Read(ReadError::Limit { file, text }) => {
                let text = in_python(&text);
                FileErrorCause::Read(ReadError::Limit { file, text })
            }
            FileErrorCause::Write(file, Unwritten::Format(text)) => {
                FileErrorCause::Write(file, Unwritten::Format(in_python(&text)))
            }
            cause @ (FileErrorCause::Read(
                ReadError::Io { .. } | ReadError::Refused { .. } | ReadError::TooLarge { .. },
            )
            | FileErrorCause::Write(_, Unwritten::Io(_) | Unwritten::Refused { .. })) => cause,
        },
    };
    let message = error.to_string();
    let mut errors = error.diagnostics.iter();
    let first = errors.find(|found| found.severity == Severity::Error);
    match error.cause {
        FileErrorCause::Read(ReadError::Io { file, error }) => {
            of_system(OsStr::new(&*file), &error)
        }
        FileErrorCause::Read(ReadError::Format { file, .. }) => {
            parse_error(message, &file, None, "format")
        }
        FileErrorCause::Read(ReadError::Refused { file, .. }) => match first {
            Some(found) => {
                let file = found.file.as_deref().unwrap_or(&file);
                parse_error(message, file, found.position, found.code)
            }
            None => parse_error(message, &file, None, "refused"),
        },
        FileErrorCause::Read(ReadError::TooLarge { .. } | ReadError::Limit { .. }) => {
            LimitError::new_err(message)
        }
        FileErrorCause::Write(file, Unwritten::Io(error)) => of_system(OsStr::new(&*file), &error),
        FileErrorCause::Write(file, Unwritten::Format(_)) => write_error(message, &file, "format"),
        FileErrorCause::Write(file, Unwritten::Refused { .. }) => {
            write_error(message, &file, first.map_or("refused", |found| found.code))
        }
    }
}

/// A finding in terms of Python.
fn told(found: Diagnostic) -> Diagnostic {
    Diagnostic {
        text: in_python(&found.text),
        ..found
    }
}

/// The exception of Python's own for what a system says; a `ParseError` if it is a
/// decompressor that has something to say.
fn of_system(file: &OsStr, error: &io::Error) -> PyErr {
    let number = error.raw_os_error().or(match error.kind() {
        io::ErrorKind::NotFound => Some(2),
        io::ErrorKind::OutOfMemory => Some(12),
        io::ErrorKind::PermissionDenied => Some(13),
        io::ErrorKind::IsADirectory => Some(21),
        _ => None,
    });
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    match (number, error.kind()) {
        (Some(number), _) => PyOSError::new_err((number, text.to_owned(), file.to_owned())),
        (None, io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) => {
            let file = printable_path(file);
            parse_error(format!("{file}: {text}"), &file, None, "damaged")
        }
        (None, _) => PyOSError::new_err(format!("{}: {text}", printable_path(file))),
    }
}

fn parse_error(message: String, file: &str, at: Option<Position>, code: &str) -> PyErr {
    with_place(ParseError::new_err(message), file, at, code)
}

fn write_error(message: String, file: &str, code: &str) -> PyErr {
    with_place(WriteError::new_err(message), file, None, code)
}

fn with_place(error: PyErr, file: &str, at: Option<Position>, code: &str) -> PyErr {
    Python::attach(|py| {
        let value = error.value(py);
        let set = || -> PyResult<()> {
            value.setattr("file", file)?;
            value.setattr("line", at.map(|at| at.line))?;
            value.setattr("column", at.map(|at| at.column))?;
            value.setattr("code", code)
        };
        match set() {
            Ok(()) => error,
            Err(other) => other,
        }
    })
}

/// How far the user's own code is away, as warnings count it: behind all frames of the
/// package.
fn frames_to_user(py: Python<'_>) -> PyResult<i32> {
    let mut frame = py.import("sys")?.call_method0("_getframe")?;
    let mut frames = 1;
    while !frame.is_none() {
        let globals = frame.getattr("f_globals")?;
        let name = globals.call_method1("get", ("__name__", ""))?;
        let name: String = name.extract().unwrap_or_default();
        if name.split('.').next() != Some("hyades") {
            break;
        }
        frame = frame.getattr("f_back")?;
        frames += 1;
    }
    Ok(frames)
}

/// Tells warnings as Python does, of the place where the user has called the package; notes
/// are left out.
///
/// # Errors
/// If the user has made exceptions of warnings.
pub fn warn(py: Python<'_>, found: &[Diagnostic]) -> PyResult<()> {
    let category = py.get_type::<FormatWarning>();
    for found in found {
        if found.severity == Severity::Warning {
            let text = std::ffi::CString::new(told(found.clone()).to_string().replace('\0', "\\0"))
                .expect("the text has no zeros any more");
            PyErr::warn(py, &category, &text, frames_to_user(py)?)?;
        }
    }
    Ok(())
}
