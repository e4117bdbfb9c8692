//! What a run goes by, and who is told how far it has come.

use crate::Error;
use crate::meter::Meter;
use crate::saved::Snapshot;

/// What all workers of a run go by: the same for each of them.
#[derive(Clone, Debug)]
pub struct Options {
    /// So many bytes of a worker may hold what is left of the refinement. Once that is less,
    /// and rounds go on for long in which little changes, one worker refines it as on one
    /// machine; before there have been very many rounds only if it is no more than an even share
    /// of all, or little.
    pub rest: u64,
    /// So many rounds are for long, and eight times as many levels are many; for tests.
    #[doc(hidden)]
    pub patience: u64,
    /// So many bytes of a worker may hold the minimal LTS; a larger one stays in parts.
    pub whole: u64,
    /// What has so many bytes is gathered by one worker at once, as it is not worth several: a
    /// minimal LTS, or hidden transitions that may be on cycles. A larger LTS is if breadth-first
    /// search, by which its states are numbered, has many levels of few states; more transitions
    /// are if large components have been looked for.
    pub small: u64,
    /// Whether each worker is told for its states which of the minimal LTS stand for them.
    pub classes: bool,
    /// The bits of the values that are summed up to stand for signatures; for tests.
    #[doc(hidden)]
    pub mask: u64,
}

impl Options {
    /// For workers of which each may have so many bytes of memory.
    pub const fn new(memory: u64) -> Self {
        Self {
            rest: memory / 4,
            patience: 16,
            whole: memory / 2,
            small: memory / 2,
            classes: false,
            mask: u64::MAX,
        }
    }

    /// Where the minimal LTS may stay in parts, it does unless it is small.
    #[must_use]
    pub const fn in_parts(self) -> Self {
        Self {
            small: Self::SMALL,
            ..self
        }
    }

    /// The bytes of a small LTS.
    const SMALL: u64 = 32 << 20;
}

/// What kind of round has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// All states were signed of which the block may have several.
    Dense,
    /// States were signed that have a successor in another block than before.
    Sparse,
    /// One worker has refined all that was left.
    Rest,
}

impl Phase {
    /// The name of a phase in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Dense => "dense",
            Phase::Sparse => "sparse",
            Phase::Rest => "rest",
        }
    }
}

/// How far a refinement has come: the end of a round. But for the traffic, all workers are
/// told the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// The number of the round, from 1 on.
    pub number: u64,
    /// What kind of round it was.
    pub phase: Phase,
    /// How many blocks have been told apart so far.
    pub blocks: u64,
    /// How many states may share their blocks with others, of all workers.
    pub live: u64,
    /// How many bytes this worker has sent to others so far.
    pub sent: u64,
    /// How many supersteps there have been.
    pub supersteps: u64,
}

/// Who is told how far a worker has come.
pub trait Observer {
    /// A round is over.
    fn round(&mut self, round: &Round) {
        let _ = round;
    }

    /// Whether this worker wants the state of the run to be saved. If one does, all save it.
    fn is_due(&mut self) -> bool {
        false
    }

    /// Saves the state of the run, as far as this worker has it.
    ///
    /// # Errors
    /// If it cannot be saved, which ends the run.
    fn save(&mut self, snapshot: &Snapshot<'_>) -> Result<(), Error> {
        let _ = snapshot;
        Ok(())
    }
}

/// Nobody is told.
impl Observer for () {}

/// Tells that a round is over, with what this worker has sent so far.
pub(crate) fn end_round(
    observer: &mut dyn Observer,
    worker: &Meter<'_>,
    number: u64,
    phase: Phase,
    (blocks, live): (u64, u64),
) {
    observer.round(&Round {
        number,
        phase,
        blocks,
        live,
        sent: worker.all_sent(),
        supersteps: worker.supersteps(),
    });
}
