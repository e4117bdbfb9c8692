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
    /// How many labels occur on transitions, the hidden one included; `None` if these are those
    /// of the LTS, which [`WrittenSize::count_labels`] counts when that is asked.
    pub labels: Option<u64>,
}

impl WrittenSize {
    /// Of an LTS that is written as it is.
    pub(crate) fn of(lts: &Lts) -> Self {
        Self {
            states: lts.states() as u64,
            transitions: lts.transitions() as u64,
            labels: None,
        }
    }

    /// How many labels occur on transitions of what has been written of an LTS. As of
    /// [`Lts::count_labels`].
    pub fn count_labels(&self, lts: &Lts) -> u64 {
        self.labels.unwrap_or_else(|| lts.count_labels() as u64)
    }
}
