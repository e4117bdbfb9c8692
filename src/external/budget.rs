//! How memory is shared out.

use hyades_base::parallel;
use hyades_formats::plts::Limits;

use crate::Error;

/// How much memory there is, and who gets how much of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// In bytes.
    memory: u64,
}

/// Less than that for what is not a column is refused.
const LEAST: u64 = 16 << 10;

impl Budget {
    pub fn new(memory: u64) -> Self {
        Self { memory }
    }

    /// How large blocks of rows are: an eighth of the memory holds those that are being
    /// read, worked on and written.
    pub fn limits(self) -> Limits {
        let most = Limits::default();
        // As they are stored, and decoded.
        let bytes = 20 * 5 * parallel::threads() as u64;
        let transitions = (self.memory / 8 / bytes).clamp(16, most.transitions);
        Limits {
            states: transitions.min(most.states.into()) as u32,
            transitions,
        }
    }

    /// Bytes of transitions that are sorted at a time.
    pub fn run(self) -> usize {
        (self.memory / 4) as usize
    }

    /// The memory with which so many bytes are sorted at a time.
    pub fn for_run(bytes: usize) -> u64 {
        4 * bytes as u64
    }

    /// Bytes of a chunk of a file that is read beside many others.
    pub fn chunk(self) -> usize {
        (self.memory / (8 * 512)).clamp(1 << 10, 1 << 16) as usize
    }

    /// The same without so many bytes.
    pub fn less(self, bytes: u64) -> Self {
        Self::new(self.memory.saturating_sub(bytes).max(LEAST))
    }

    /// What is left beside columns of so many bytes.
    ///
    /// # Errors
    /// If that is next to nothing.
    pub fn beside(self, columns: u64) -> Result<u64, Error> {
        match self.memory.checked_sub(columns) {
            Some(rest) if rest >= LEAST => Ok(rest),
            _ => Err(Error::Memory {
                what: "the partition and a little more".into(),
                needed: columns + columns / 4 + LEAST,
            }),
        }
    }

    /// Whether so many bytes fit.
    pub fn fits(self, bytes: u64) -> bool {
        bytes <= self.memory
    }

    /// Refuses what does not fit.
    pub fn check(self, what: &str, needed: u64) -> Result<(), Error> {
        match needed <= self.memory {
            true => Ok(()),
            false => Err(Error::Memory {
                what: what.into(),
                needed,
            }),
        }
    }
}
