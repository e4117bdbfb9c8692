//! Sets of states.

use super::super::machine::NONE;

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
        let place = self.0.iter().position(|&part| part != 0)?;
        Some(place as u32 * 64 + self.0[place].trailing_zeros())
    }
}

/// Sets of states, one after the other in one piece of memory; each is there once.
pub(super) struct Sets {
    stride: usize,
    all: Vec<u64>,
    sets: Vec<u64>,
    /// The numbers of sets by what is in them: half of the places are free at least.
    places: Vec<u32>,
}

impl Sets {
    pub(super) fn new(states: usize) -> Self {
        Self {
            stride: states.div_ceil(64),
            all: all(states),
            sets: Vec::new(),
            places: vec![NONE; 64],
        }
    }

    /// The set of all states.
    pub(super) fn all(&self) -> &[u64] {
        &self.all
    }

    /// How many sets there are.
    pub(super) fn len(&self) -> usize {
        self.sets.len() / self.stride
    }

    /// How many numbers of 64 bits they take.
    pub(super) fn numbers(&self) -> usize {
        self.sets.len()
    }

    pub(super) fn get(&self, set: u32) -> &[u64] {
        &self.sets[set as usize * self.stride..][..self.stride]
    }

    /// The number of a set, which is added unless it is there.
    pub(super) fn insert(&mut self, set: &[u64]) -> u32 {
        if self.places.len() < 2 * (self.len() + 1) {
            self.places = vec![NONE; 2 * self.places.len()];
            self.place_all();
        }
        let place = self.place(set);
        if self.places[place] == NONE {
            self.places[place] = self.len() as u32;
            self.sets.extend_from_slice(set);
        }
        self.places[place]
    }

    /// Keeps the first ones.
    pub(super) fn truncate(&mut self, count: usize) {
        self.sets.truncate(count * self.stride);
        self.places.fill(NONE);
        self.place_all();
    }

    fn place_all(&mut self) {
        for known in 0..self.len() as u32 {
            let place = self.place(self.get(known));
            self.places[place] = known;
        }
    }

    /// Where a set is, or where it is to be.
    fn place(&self, set: &[u64]) -> usize {
        let hash = set.iter().fold(0u64, |hash, &part| {
            // Fibonacci hashing.
            (hash ^ part)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .rotate_left(32)
        });
        let mut at = hash as usize % self.places.len();
        while self.places[at] != NONE && self.get(self.places[at]) != set {
            at = (at + 1) % self.places.len();
        }
        at
    }
}

/// The set of all states.
fn all(states: usize) -> Vec<u64> {
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
