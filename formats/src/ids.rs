//! Numbers of states and of labels.

use std::fmt;

/// A state of an [`Lts`](crate::Lts): `0 ..= 2^32 − 3`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct StateId(u32);

impl StateId {
    /// The largest usable number of states, 2^32 − 2.
    pub const MAX_COUNT: u64 = u32::MAX as u64 - 1;

    /// The state with this number.
    #[inline]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The state with this index into per-state columns.
    ///
    /// # Panics
    /// In debug builds, if `index` is not below [`StateId::MAX_COUNT`].
    #[inline]
    pub fn from_index(index: usize) -> Self {
        debug_assert!((index as u64) < Self::MAX_COUNT);
        Self(index as u32)
    }

    /// The number of the state.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number of the state as an index into per-state columns.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A label of an [`Lts`](crate::Lts), an index into its [`LabelTable`](crate::LabelTable).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct LabelId(u32);

impl LabelId {
    /// The hidden (internal, tau) action. It has no text of its own.
    pub const HIDDEN: LabelId = LabelId(0);
    /// The largest usable number of labels, 2^32 − 2.
    pub const MAX_COUNT: u64 = u32::MAX as u64 - 1;

    /// The label with this number; 0 is [`LabelId::HIDDEN`].
    #[inline]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number of the label.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number of the label as an index into per-label columns.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is the hidden action.
    #[inline]
    pub const fn is_hidden(self) -> bool {
        self.0 == 0
    }
}

/// More states, labels or transitions than 32-bit numbers can tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// What there is too much of: `"states"`, `"labels"` or `"transitions"`.
    pub what: &'static str,
    /// How many there may be at the most.
    pub limit: u64,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "too many {}: at most {} fit in memory",
            self.what, self.limit
        )
    }
}

impl std::error::Error for TooLarge {}
