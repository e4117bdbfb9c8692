//! Sets of states.

/// A set of states, 64 to a number.
#[derive(Clone, Debug)]
pub(super) struct StateSet(Vec<u64>);

impl StateSet {
    /// All states but one.
    pub(super) fn others(states: usize, state: u32) -> Self {
        let mut set = all(states);
        remove(&mut set, state);
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

    /// These states, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let parts = self.0.iter().zip((0..).step_by(64));
        parts.flat_map(|(&part, first)| {
            let mut left = part;
            std::iter::from_fn(move || {
                let state = first + left.trailing_zeros();
                (left != 0).then(|| {
                    left &= left - 1;
                    state
                })
            })
        })
    }

    /// The first of these states.
    pub(super) fn first(&self) -> Option<u32> {
        self.iter().next()
    }
}

/// The set of all states.
pub(super) fn all(states: usize) -> Vec<u64> {
    let mut set = vec![u64::MAX; states.div_ceil(64)];
    if let Some(last) = set.last_mut().filter(|_| !states.is_multiple_of(64)) {
        *last = (1 << (states % 64)) - 1;
    }
    set
}

pub(super) fn insert(set: &mut [u64], state: u32) {
    set[state as usize / 64] |= 1 << (state % 64);
}

pub(super) fn remove(set: &mut [u64], state: u32) {
    set[state as usize / 64] &= !(1 << (state % 64));
}

pub(super) fn contains(set: &[u64], state: u32) -> bool {
    set[state as usize / 64] >> (state % 64) & 1 == 1
}
