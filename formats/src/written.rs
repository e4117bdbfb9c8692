//! How much of an LTS a file holds.

use crate::lts::Lts;

/// The size of what has been written, which may differ from that of the LTS: canonical form
/// drops duplicates, some formats lose states that no transition mentions, and others have
/// states of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrittenSize {
    /// How many states.
    pub states: u64,
    /// How many transitions, duplicates counted.
    pub transitions: u64,
    /// How many labels occur on transitions, the hidden one included.
    pub labels: u64,
}

impl WrittenSize {
    /// Of an LTS that is written as it is. O(transitions + labels) at worst.
    pub(crate) fn of(lts: &Lts) -> Self {
        Self {
            states: lts.states() as u64,
            transitions: lts.transitions() as u64,
            labels: lts.count_labels() as u64,
        }
    }
}
