//! Who takes transitions as they come.

use std::io;

use crate::error::Failure;
use crate::rows::{Batch, Gather};

/// Who takes the transitions of a file that is read.
pub trait Receiver: Send {
    /// Is told how many transitions and states the file claims to have, if it does: the
    /// transitions are not more than its bytes can tell, the states may be any number.
    ///
    /// # Errors
    /// If there is no room for them; reading ends then.
    fn expect(&mut self, transitions: u64, states: u64) -> io::Result<()> {
        let _ = (transitions, states);
        Ok(())
    }

    /// Takes the next transitions of the file, as source, label and target.
    ///
    /// # Errors
    /// If they cannot be kept; reading ends then.
    fn take(&mut self, transitions: &[[u32; 3]]) -> io::Result<()>;
}

/// Passes batches on.
pub(crate) struct Passing<'a> {
    pub receiver: &'a mut dyn Receiver,
    buffer: Vec<[u32; 3]>,
}

impl<'a> Passing<'a> {
    pub fn new(receiver: &'a mut dyn Receiver) -> Self {
        Self {
            receiver,
            buffer: Vec::new(),
        }
    }
}

impl Gather for Passing<'_> {
    fn reserve(&mut self, transitions: usize, states: u64) -> Result<(), Failure> {
        Ok(self.receiver.expect(transitions as u64, states)?)
    }

    fn gather(&mut self, parts: &[&Batch], maps: &[Vec<u32>], known: u32) -> Result<(), Failure> {
        for (part, map) in parts.iter().zip(maps) {
            self.buffer.clear();
            let transitions = part.transitions.iter();
            self.buffer.extend(
                transitions.map(|&[source, label, target]| {
                    [source, Batch::label(label, known, map), target]
                }),
            );
            self.receiver.take(&self.buffer)?;
        }
        Ok(())
    }

    fn forget(&mut self) {}
}
