//! Minimization of LTSs whose transitions do not fit memory: a few bytes a state are in
//! memory, transitions are on disk and are read from front to back again and again.
//!
//! ```
//! use hyades_external::{Disk, Input, Options, TemporaryFolder, minimize, passed};
//! use hyades_formats::LtsBuilder;
//!
//! let mut builder = LtsBuilder::new(4);
//! builder.add_text(0, b"A", 1)?;
//! builder.add_text(0, b"A", 2)?;
//! builder.add_text(1, b"B", 3)?;
//! builder.add_text(2, b"B", 3)?;
//! let lts = builder.build(hyades_formats::StateId::new(0))?;
//! let folder = TemporaryFolder::new(&std::env::temp_dir())?;
//! let (disk, options) = (Disk::new(&folder), Options::new(1 << 20));
//! let input = Input::new(&disk, passed(&lts), None, &options)?;
//! let minimal = minimize(input, &options, &mut |_| ())?;
//! assert_eq!((minimal.lts.states(), minimal.class), (3, vec![0, 1, 1, 2]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bits;
mod buckets;
mod budget;
mod chunks;
mod input;
mod quotient;
mod reach;
mod scratch;
mod signature;
mod store;
mod strong;

#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::path::PathBuf;

use hyades_equivalence::Minimized;
use hyades_formats::diagnostic::printable_path;
use hyades_formats::plts::Parts;
use hyades_formats::{LabelTable, Lts, Passed, ReadError, ReadOptions, Receiver};

use budget::Budget;
use strong::Refinement;

pub use input::Input;
pub use scratch::{Disk, Scratch, TemporaryFolder};

/// How much memory there is.
#[derive(Clone, Debug)]
pub struct Options {
    /// So many bytes may be used, about.
    pub memory: u64,
    /// Whether the engine in memory never takes over; for tests.
    #[doc(hidden)]
    pub streams_only: bool,
    /// The bits of hashes that are used; for tests.
    #[doc(hidden)]
    pub mask: u128,
}

impl Options {
    /// With so many bytes of memory.
    pub const fn new(memory: u64) -> Self {
        Self {
            memory,
            streams_only: false,
            mask: u128::MAX,
        }
    }
}

/// How far a refinement has come: the end of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// The number of the round, from 1 on.
    pub number: u64,
    /// How many classes have been told apart so far.
    pub classes: u64,
    /// How many states share their classes with others.
    pub live: u64,
    /// How many bytes of temporary files, and of a partitioned input, have been read.
    pub bytes_read: u64,
    /// How many bytes have been written.
    pub bytes_written: u64,
}

/// Is told of each round.
pub type RoundCallback<'a> = dyn FnMut(&Round) + 'a;

/// Why nothing came of it.
#[derive(Debug)]
pub enum Error {
    /// The input cannot be read.
    Read(ReadError),
    /// A temporary file cannot be written or read.
    Scratch {
        /// The file, or the directory.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// There is too little memory.
    Memory {
        /// What for.
        what: String,
        /// So many bytes may be enough.
        needed: u64,
    },
    /// A thread cannot be started.
    Thread {
        /// What the system said.
        error: io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read(error) => error.fmt(f),
            Error::Scratch { path, error } => write!(f, "{}: {error}", printable_path(path)),
            Error::Memory { what, needed } => {
                write!(
                    f,
                    "too little memory for {what}: about {needed} bytes are needed"
                )
            }
            Error::Thread { error } => write!(f, "cannot start a thread: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Read(error) => Some(error),
            Error::Scratch { error, .. } | Error::Thread { error } => Some(error),
            Error::Memory { .. } => None,
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Error::Read(error)
    }
}

/// Changes the labels of an input once they are known: the new table, and the new number of
/// each label.
pub type Relabel<'a> = &'a dyn Fn(LabelTable) -> Result<(LabelTable, Vec<u32>), ReadError>;

/// What is minimized.
pub enum Source<'a> {
    /// What somebody reads and passes on; it is copied to temporary files.
    Passed(Box<dyn FnOnce(&mut dyn Receiver) -> Result<Passed, ReadError> + 'a>),
    /// A partitioned LTS, which is read where it is.
    Parts(Parts, &'a ReadOptions),
}

/// The quotient by strong bisimilarity, as
/// [`minimize`](hyades_equivalence::minimize()) finds it in memory, and what stands for each
/// state.
///
/// In memory: 4.5 bytes a state, and what the options allow; the quotient has to fit that
/// by 16 bytes a transition, and its rows by themselves. On disk: up to half of the input
/// once more, and 20 bytes a state.
///
/// # Errors
/// If there is too little memory, or temporary files cannot be written or read.
pub fn minimize(
    input: Input<'_>,
    options: &Options,
    observer: &mut RoundCallback<'_>,
) -> Result<Minimized, Error> {
    let Input {
        disk,
        rows,
        table,
        initial,
    } = input;
    let budget = Budget::new(options.memory);
    budget.beside(strong::columns(rows.states()))?;
    let reached = reach::reached(&rows, &[initial])?;
    let mut refinement = Refinement::new(disk, options, &rows, &table, &reached);
    refinement.run(observer)?;
    let stable = refinement.into_stable();
    stable.quotient(&rows, table, initial, budget)
}

/// Passes an LTS in memory on; for tests and small inputs.
pub fn passed(lts: &Lts) -> Source<'_> {
    Source::Passed(Box::new(move |receiver| {
        let failed = |error| ReadError::Io {
            file: "the LTS in memory".into(),
            error,
        };
        receiver
            .expect(lts.transitions() as u64, lts.states() as u64)
            .map_err(failed)?;
        hyades_formats::pass(lts, receiver).map_err(failed)?;
        Ok(Passed {
            states: lts.states() as u64,
            initial: lts.initial(),
            table: lts.table().clone(),
        })
    }))
}
