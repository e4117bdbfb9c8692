//! Minimization and exploration of LTSs by several workers, each of which has a part of the
//! states: processes of one or more hosts. No worker has all of the LTS.
//!
//! ```
//! use hyades_cluster::meter::Meter;
//! use hyades_cluster::minimize::{Minimal, minimize};
//! use hyades_cluster::options::Options;
//! use hyades_cluster::read::read;
//! use hyades_cluster::threads;
//! use hyades_equivalence::{Relation, either};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("tea.aut");
//! std::fs::write(&path, "des (0, 4, 4)\n(0, A, 1)\n(0, A, 2)\n(1, B, 3)\n(2, B, 3)\n")?;
//! let options = Options::new(1 << 30);
//! let results = threads::run(2, 1 << 20, |worker| {
//!     let input = read(worker, &path, None, &Default::default(), &mut |_| ())?;
//!     let mut worker = Meter::new(worker);
//!     let part = input.into_part(&mut worker)?;
//!     minimize(&mut worker, part, Relation::Strong, &options, None, &mut ())
//! });
//! let first = results.into_iter().next().unwrap()?;
//! assert!(matches!(first.lts, Minimal::Whole(Some(lts)) if lts.states() == 3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod checkpoint;
pub mod classes;
pub mod column;
mod distinct;
pub mod equiv;
pub mod exploration;
pub mod ghosts;
pub mod meter;
pub mod minimize;
pub mod numbers;
pub mod options;
pub mod output;
pub mod part;
#[cfg(feature = "processes")]
pub mod processes;
pub mod quotient;
pub mod ranges;
pub mod reach;
pub mod read;
pub mod saved;
pub mod threads;
pub mod wire;
pub mod worker;

mod bottoms;
mod boundary;
mod branching;
mod components;
mod contraction;
mod explicit;
mod founded;
mod inductive;
mod reachable;
mod rest;
mod strong;
mod verify;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::path::PathBuf;

use hyades_equivalence::{Relation, either};
use hyades_explore::ExploreError;
use hyades_formats::ReadError;
use hyades_formats::diagnostic::printable_path;

/// Why nothing came of it.
#[derive(Debug)]
pub enum Error {
    /// Another process is lost, or has failed.
    Lost {
        /// Its number.
        process: usize,
        /// What is known of the cause.
        cause: String,
    },
    /// Another process has failed, and said why.
    Failed {
        /// Its number.
        process: usize,
        /// The exit status that it ends with.
        status: u8,
        /// What it has said.
        cause: String,
    },
    /// The processes of a run do not come together.
    Start {
        /// Why.
        cause: String,
    },
    /// Processes of a run are not alike in what has to be equal.
    Unequal {
        /// Which, and in what.
        cause: String,
    },
    /// A packet is not as the other process should have made it.
    Packet,
    /// What is explored has an error.
    Explore(ExploreError),
    /// The input cannot be read.
    Read(ReadError),
    /// A file cannot be written or read.
    Io {
        /// The file, or the directory.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// There is more of something than has room.
    Room {
        /// What there is too much of.
        what: &'static str,
        /// How much has room.
        limit: u64,
    },
    /// It is no relation by which this minimizes.
    Relation(Relation),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Lost { process, cause } => write!(f, "lost process {process}: {cause}"),
            Error::Failed { process, cause, .. } => {
                write!(f, "process {process} has failed: {cause}")
            }
            Error::Start { cause } | Error::Unequal { cause } => f.write_str(cause),
            Error::Packet => f.write_str("a packet of another process is damaged"),
            Error::Explore(error) => error.fmt(f),
            Error::Read(error) => error.fmt(f),
            Error::Io { path, error } => write!(f, "{}: {error}", printable_path(path)),
            Error::Room { what, limit } => write!(f, "too many {what}: at most {limit} have room"),
            Error::Relation(relation) => {
                let known = either(Relation::all_distributed());
                write!(f, "not by {relation}, but by {known}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Explore(error) => Some(error),
            Error::Read(error) => Some(error),
            Error::Io { error, .. } => Some(error),
            Error::Lost { .. }
            | Error::Failed { .. }
            | Error::Start { .. }
            | Error::Unequal { .. }
            | Error::Packet
            | Error::Room { .. }
            | Error::Relation(_) => None,
        }
    }
}

impl From<ExploreError> for Error {
    fn from(error: ExploreError) -> Self {
        Error::Explore(error)
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Error::Read(error)
    }
}
