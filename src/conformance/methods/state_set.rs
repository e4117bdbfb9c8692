//! Sets of states.

/// A set of states, 64 to a number.
#[derive(Clone, Debug)]
pub(super) struct StateSet(Vec<u64>);

impl StateSet {
    /// All states but one.
    pub(super) fn others(states: usize, state: u32) -> Self {
        let mut set = vec![u64::MAX; states.div_ceil(64)];
        if let Some(last) = set.last_mut().filter(|_| !states.is_multiple_of(64)) {
            *last = (1 << (states % 64)) - 1;
        }
        set[state as usize / 64] &= !(1 << (state % 64));
        Self(set)
    }

    /// These states.
    pub(super) fn of(states: usize, of: impl Iterator<Item = u32>) -> Self {
        let mut set = vec![0; states.div_ceil(64)];
        of.for_each(|state| insert(&mut set, state));
        Self(set)
    }

    pub(super) fn remove_all(&mut self, others: &[u64]) {
        for (own, other) in self.0.iter_mut().zip(others) {
            *own &= !other;
        }
    }

    /// How many states these are.
    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|part| part.count_ones()).sum()
    }

    /// How many of these states are in another set.
    pub(super) fn common(&self, others: &[u64]) -> u32 {
        let both = self.0.iter().zip(others).map(|(own, other)| own & other);
        both.map(u64::count_ones).sum()
    }

    /// The first of these states.
    pub(super) fn first(&self) -> Option<u32> {
        let place = self.0.iter().position(|&part| part != 0)?;
        Some(place as u32 * 64 + self.0[place].trailing_zeros())
    }
}

pub(super) fn insert(set: &mut [u64], state: u32) {
    set[state as usize / 64] |= 1 << (state % 64);
}

/// Inserts a state, or does nothing.
pub(super) fn insert_if(set: &mut [u64], state: u32, is_in: bool) {
    set[state as usize / 64] |= u64::from(is_in) << (state % 64);
}

pub(super) fn contains(set: &[u64], state: u32) -> bool {
    set[state as usize / 64] >> (state % 64) & 1 == 1
}
