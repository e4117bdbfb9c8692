//! Minimization of LTSs whose transitions do not fit memory: a few bytes a state are in
//! memory, transitions are on disk and are read from front to back again and again.
//!
//! ```
//! use hyades_external::{Disk, Input, Options, TemporaryFolder, minimize, passed};
//! use hyades_equivalence::Relation;
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
//! let minimal = minimize(input, Relation::Strong, &options, &mut |_| ())?;
//! assert_eq!((minimal.lts.states(), minimal.class), (3, vec![0, 1, 1, 2]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod buckets;
mod budget;
mod chunks;
mod components;
mod contraction;
mod founded;
mod inductive;
mod input;
mod numbering;
mod quotient;
mod reach;
mod refinement;
mod scratch;
mod signature;
mod store;
mod verify;

#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::path::PathBuf;

use hyades_base::bits::Bits;
use hyades_equivalence::{Distributed, Minimized, Relation, either};
use hyades_formats::diagnostic::printable_path;
use hyades_formats::plts::Parts;
use hyades_formats::{LabelTable, Lts, Passed, ReadError, ReadOptions, Receiver};

use budget::Budget;
use contraction::Contracted;
use quotient::Making;
use refinement::{Kind, Refinement};

pub use input::Input;
pub use numbering::OnDisk;
pub use scratch::{Disk, Scratch, TemporaryFolder};

/// How much memory there is.
#[derive(Clone, Debug)]
pub struct Options {
    /// So many bytes may be used, about.
    pub memory: u64,
    /// Whether the engine in memory never takes over; for tests.
    #[doc(hidden)]
    pub streams_only: bool,
    /// Whether a minimal LTS stays on disk even if it fits memory; for tests.
    #[doc(hidden)]
    pub stays: bool,
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
            stays: false,
            mask: u128::MAX,
        }
    }

    /// Refuses next to no memory, with which there is no use in reading.
    ///
    /// # Errors
    /// If that is all there is.
    pub fn check(&self) -> Result<(), Error> {
        let left = Budget::new(self.memory).beside(0);
        left.map(drop).map_err(|_| Error::Memory {
            what: "reading the input".into(),
            // A process may take a little more the next time.
            needed: 1 << 20,
        })
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
    /// A temporary file cannot be read, or is not what has been written.
    Unread {
        /// The file, or the directory.
        path: PathBuf,
        /// What the system said, or how it is damaged.
        error: io::Error,
    },
    /// A temporary file cannot be written.
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
    /// It is no relation by which this minimizes.
    Relation(Relation),
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
            Error::Unread { path, error } | Error::Scratch { path, error } => {
                write!(f, "{}: {error}", printable_path(path))
            }
            Error::Memory { what, needed } => {
                write!(
                    f,
                    "too little memory for {what}: about {needed} bytes are needed"
                )
            }
            Error::Relation(relation) => {
                let known = either(Relation::all_distributed());
                write!(f, "not by {relation}, but by {known}")
            }
            Error::Thread { error } => write!(f, "cannot start a thread: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Read(error) => Some(error),
            Error::Unread { error, .. }
            | Error::Scratch { error, .. }
            | Error::Thread { error } => Some(error),
            Error::Memory { .. } | Error::Relation(_) => None,
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

/// Reads an input, and passes it on.
pub type Pass<'a> = Box<dyn FnOnce(&mut dyn Receiver) -> Result<Passed, ReadError> + 'a>;

/// What is minimized.
pub enum Source<'a> {
    /// What somebody reads and passes on; it is copied to temporary files.
    Passed(Pass<'a>),
    /// A partitioned LTS, which is read where it is.
    Parts(Box<Parts>, &'a ReadOptions),
}

hyades_base::opaque!(Source<'_>);

/// The quotient by strong, branching or divergence-preserving branching bisimilarity, as
/// [`minimize`](hyades_equivalence::minimize()) finds it in memory, and what stands for each
/// state.
///
/// In memory: 4.5 bytes a state by strong bisimilarity, 16 by the others, and what the
/// options allow; the quotient has to fit that by 18 bytes a transition, the hidden
/// transitions by 8 bytes each and 32 for each state that has one, and each row by itself.
/// The blocks of a partitioned LTS that is read in place have the size that they have there.
/// On disk: up to half of the input once more, and 20 bytes a state; with hidden
/// transitions 12 bytes a transition for a while.
///
/// # Errors
/// If there is too little memory, temporary files cannot be written or read, or it is
/// another relation.
pub fn minimize(
    input: Input<'_>,
    relation: Relation,
    options: &Options,
    observer: &mut RoundCallback<'_>,
) -> Result<Minimized, Error> {
    match made(input, relation, options, observer, false)? {
        Minimal::InMemory(minimal) => Ok(minimal),
        Minimal::OnDisk(_) => unreachable!("it may not stay there"),
    }
}

/// As [`minimize`]; what does not fit memory stays on disk, by 25 bytes of memory for each of
/// its states.
///
/// # Errors
/// As [`minimize`].
pub fn minimize_to_disk<'a>(
    input: Input<'a>,
    relation: Relation,
    options: &Options,
    observer: &mut RoundCallback<'_>,
) -> Result<Minimal<'a>, Error> {
    made(input, relation, options, observer, true)
}

/// A minimal LTS.
// There is one at a time.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Minimal<'a> {
    /// In memory.
    InMemory(Minimized),
    /// On disk, as it does not fit memory.
    OnDisk(OnDisk<'a>),
}

fn made<'a>(
    input: Input<'a>,
    relation: Relation,
    options: &Options,
    observer: &mut RoundCallback<'_>,
    may_stay: bool,
) -> Result<Minimal<'a>, Error> {
    let held = input.rows.held();
    let beside = Options {
        memory: options.memory.saturating_sub(held),
        ..options.clone()
    };
    made_beside(input, relation, &beside, observer, may_stay).map_err(|error| match error {
        Error::Memory { what, needed } => Error::Memory {
            what,
            needed: needed.saturating_add(held),
        },
        error => error,
    })
}

/// The same beside the blocks of the input.
fn made_beside<'a>(
    mut input: Input<'a>,
    relation: Relation,
    options: &Options,
    observer: &mut RoundCallback<'_>,
    may_stay: bool,
) -> Result<Minimal<'a>, Error> {
    let budget = Budget::new(options.memory);
    budget.beside(refinement::columns(input.states()))?;
    let reached = std::mem::replace(&mut input.reached, Bits::new(0));
    let divergence = match relation.distributed().ok_or(Error::Relation(relation))? {
        Distributed::Strong => return strong(input, &reached, options, observer, may_stay),
        Distributed::Branching { divergence } => divergence,
    };
    let mut making = Making {
        disk: input.disk,
        budget,
        may_stay,
        fits: !options.stays,
        table: input.table.clone(),
        initial: input.initial,
    };
    let contracted = match Contracted::new(input, &reached, divergence, options)? {
        Ok(contracted) => contracted,
        // Without hidden transitions all of them are the same.
        Err(input) => return strong(input, &reached, options, observer, may_stay),
    };
    drop(reached);
    let Contracted {
        rows,
        table,
        divergence,
        node,
        awaited,
    } = contracted;
    let nodes = Bits::all(rows.states() as usize);
    // Besides the blocks of nodes: nodes of states, sets of nodes.
    let kept = 4 * node.len() as u64 + 4 * rows.states() + rows.states() / 4;
    budget.beside(refinement::columns(rows.states()) + kept)?;
    let kind = Kind::Branching(awaited);
    let disk = making.disk;
    let refinement = Refinement::new(disk, options, &rows, &table, &nodes, kind);
    let mut refinement = refinement.beside(kept);
    refinement.run(observer)?;
    let stable = refinement.into_stable();
    making.budget = budget.less(kept);
    stable.contracted_quotient(&rows, (node, divergence), making)
}

fn strong<'a>(
    input: Input<'a>,
    reached: &Bits,
    options: &Options,
    observer: &mut RoundCallback<'_>,
    may_stay: bool,
) -> Result<Minimal<'a>, Error> {
    let Input {
        disk,
        rows,
        table,
        initial,
        ..
    } = input;
    let mut refinement = Refinement::new(disk, options, &rows, &table, reached, Kind::Strong);
    refinement.run(observer)?;
    let stable = refinement.into_stable();
    let making = Making {
        disk,
        budget: Budget::new(options.memory),
        may_stay,
        fits: !options.stays,
        table,
        initial,
    };
    stable.quotient(&rows, making)
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
