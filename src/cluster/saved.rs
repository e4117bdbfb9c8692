//! The state of a run between two rounds: what the states of each worker are, in their
//! order, so that any number of workers can go on.

use crate::Error;
use crate::column::Column;
use crate::part::Part;
use crate::wire::{self, Cursor};

/// What is the same for all workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// How many states there are.
    pub states: u64,
    /// How many rounds there have been.
    pub rounds: u64,
    /// How often sums have turned out to be equal though the sets are not.
    pub attempt: u64,
    /// All numbers of blocks are less than this.
    pub numbers: u64,
    /// How many blocks there are.
    pub blocks: u64,
    /// How many of them have one state each, which is marked.
    pub singles: u64,
    /// How many others have been found without refinement.
    pub settled: u64,
}

impl Header {
    /// So many bytes has a header.
    pub const BYTES: usize = 7 * 8;

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self {
            states,
            rounds,
            attempt,
            numbers,
            blocks,
            singles,
            settled,
        } = *self;
        let mut bytes = Vec::with_capacity(Self::BYTES);
        for number in [states, rounds, attempt, numbers, blocks, singles, settled] {
            wire::put_u64(&mut bytes, number);
        }
        bytes
    }

    /// From bytes.
    ///
    /// # Errors
    /// If these are another number of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut cursor = Cursor::new(bytes);
        let mut next = || cursor.u64();
        let header = Self {
            states: next()?,
            rounds: next()?,
            attempt: next()?,
            numbers: next()?,
            blocks: next()?,
            singles: next()?,
            settled: next()?,
        };
        match cursor.is_empty() {
            true => Ok(header),
            false => Err(Error::Packet),
        }
    }
}

/// The state of a run, as far as a worker has it.
#[derive(Debug)]
pub struct Snapshot<'a> {
    /// What is the same for all workers.
    pub header: &'a Header,
    pub(crate) block: &'a Column,
    pub(crate) flags: &'a [u8],
}

impl Snapshot<'_> {
    /// So many bytes has a state.
    pub const BYTES: usize = 6;

    /// How many states the worker has.
    pub fn states(&self) -> usize {
        self.flags.len()
    }

    /// Passes on what stands for some of the states, in their order, some at a time.
    ///
    /// # Errors
    /// Those of who is told.
    pub fn each<E>(
        &self,
        states: std::ops::Range<usize>,
        mut tell: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        const TOGETHER: usize = 1 << 16;
        let mut bytes = Vec::with_capacity(Self::BYTES * TOGETHER.min(states.len()));
        for first in states.clone().step_by(TOGETHER) {
            let states = first..states.end.min(first + TOGETHER);
            bytes.clear();
            for state in states {
                wire::put_state(&mut bytes, self.block.get(state));
                bytes.push(self.flags[state]);
            }
            tell(&bytes)?;
        }
        Ok(())
    }
}

/// What a worker goes on from.
#[derive(Debug)]
pub struct Saved {
    pub(crate) header: Header,
    pub(crate) block: Column,
    pub(crate) flags: Vec<u8>,
    filled: usize,
}

impl Saved {
    /// For the part of a worker, of which nothing is known yet.
    ///
    /// # Errors
    /// If the header is that of another LTS.
    pub fn new(header: Header, part: &Part) -> Result<Self, Error> {
        if header.states != part.ranges.states() {
            return Err(Error::Packet);
        }
        Ok(Self {
            header,
            block: Column::new(part.states() + part.ghosts.len()),
            flags: vec![0; part.states()],
            filled: 0,
        })
    }

    /// Takes what stands for the next of the states that the worker has.
    ///
    /// # Errors
    /// If there are too many, one is cut off, or a number is too large.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut records = Cursor::new(bytes);
        while !records.is_empty() {
            let number = records.state()?;
            let flags = records.u8()?;
            let place = self.flags.get_mut(self.filled).ok_or(Error::Packet)?;
            if number >= self.header.numbers || flags & !crate::strong::SAVED != 0 {
                return Err(Error::Packet);
            }
            *place = flags;
            self.block.set(self.filled, number);
            self.filled += 1;
        }
        Ok(())
    }

    /// Whether all states have come.
    pub fn is_full(&self) -> bool {
        self.filled == self.flags.len()
    }
}
