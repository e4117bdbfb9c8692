//! Pairs of nodes, in the order in which a breadth-first search finds them.

use std::ops::ControlFlow;

use hyades_base::discovered::Discovered;
use hyades_explore::{Progress, ProgressCallback};

use super::Reason;

/// Pairs of numbers, each once, with the pair by which it was found.
pub(super) type Pairs = Discovered<(u32, u32)>;

/// What a pair takes at most: 20 bytes, twice as much where tables have just grown, and
/// what searches know of it besides.
const BYTES_A_PAIR: u64 = 56;

/// How many pairs may be found, and who is told.
pub(super) struct Budget<'a, 'b> {
    most: u64,
    found: u64,
    /// The length of the traces that are being looked at.
    pub length: u32,
    progress: &'a mut ProgressCallback<'b>,
}

impl<'a, 'b> Budget<'a, 'b> {
    /// At most so many pairs, in at most so many bytes, and no more than can be numbered.
    pub fn new(most: u64, bytes: Option<u64>, progress: &'a mut ProgressCallback<'b>) -> Self {
        let within = bytes.map_or(u64::MAX, |bytes| bytes / BYTES_A_PAIR);
        Self {
            most: most.min(within).min(u64::from(u32::MAX)),
            found: 0,
            length: 0,
            progress,
        }
    }

    /// How many pairs were found.
    pub fn found(&self) -> u64 {
        self.found
    }

    /// One pair more.
    ///
    /// # Errors
    /// If it is one too many, or nobody wants to go on.
    pub fn find(&mut self) -> Result<(), Reason> {
        if self.found == self.most {
            return Err(Reason::Pairs {
                pairs: self.found,
                length: self.length,
            });
        }
        self.found += 1;
        if self.found.is_multiple_of(1 << 14) {
            let now = Progress {
                states: self.found,
                explored: self.found,
                transitions: 0,
                level: self.length,
            };
            if (self.progress)(&now) == ControlFlow::Break(()) {
                return Err(Reason::Stopped);
            }
        }
        Ok(())
    }
}
