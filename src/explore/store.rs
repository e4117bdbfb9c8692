//! Where the explorer keeps the states it knows, in order of discovery.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::model::{pack_number, unpack_number, words};

/// A set of states, numbered `0 .. len()` in order of insertion.
pub(super) trait Store {
    /// How many states there are.
    fn len(&self) -> usize;

    /// The state with this number.
    fn get(&self, number: u32) -> &[u64];

    /// The number of this state and whether it is new; `None`, and nothing
    /// changed, if it is new and there are `limit` states already.
    fn insert(&mut self, state: &[u64], limit: usize) -> Option<(u32, bool)>;

    /// Bytes held at the peak of inserting one more state.
    fn peak_of_next(&self) -> usize;
}

/// Bytes that a vector holds at the peak of pushing `more` elements. Growth is
/// by doubling, and while it copies both the old and the new buffer exist.
pub(super) fn push_peak<T>(vector: &Vec<T>, more: usize) -> usize {
    let (len, capacity) = (vector.len(), vector.capacity());
    let held = if len + more <= capacity {
        capacity
    } else {
        capacity + (2 * capacity).max(len + more).max(4)
    };
    held * size_of::<T>()
}

/// Any states: their words in one arena, found by an open-addressing index of
/// 32-bit numbers.
pub(super) struct PackedStore {
    arena: Vec<u64>,
    words: usize,
    index: HashTable<u32>,
    hasher: RandomState,
}

impl PackedStore {
    /// An empty store for states of so many bits.
    pub(super) fn new(bits: usize) -> Self {
        Self {
            arena: Vec::new(),
            words: words(bits),
            index: HashTable::new(),
            hasher: RandomState::default(),
        }
    }
}

impl Store for PackedStore {
    fn len(&self) -> usize {
        self.index.len()
    }

    fn get(&self, number: u32) -> &[u64] {
        &self.arena[number as usize * self.words..][..self.words]
    }

    fn insert(&mut self, state: &[u64], limit: usize) -> Option<(u32, bool)> {
        let hash = self.hasher.hash_one(state);
        let (arena, words) = (&self.arena, self.words);
        let get = |k: u32| &arena[k as usize * words..][..words];
        if let Some(&known) = self.index.find(hash, |&k| get(k) == state) {
            return Some((known, false));
        }
        let new = self.index.len();
        if new >= limit {
            return None;
        }
        self.arena.extend_from_slice(state);
        let (arena, hasher) = (&self.arena, &self.hasher);
        let get = |k: u32| &arena[k as usize * words..][..words];
        self.index
            .insert_unique(hash, new as u32, |&k| hasher.hash_one(get(k)));
        Some((new as u32, true))
    }

    fn peak_of_next(&self) -> usize {
        let held = self.index.allocation_size();
        let index = if self.index.len() < self.index.capacity() {
            held
        } else {
            // Old and new table exist side by side while the entries move.
            3 * held.max(64)
        };
        push_peak(&self.arena, self.words) + index
    }
}

/// States that are numbers below a known bound: a table instead of an index.
/// 4 bytes a number below the bound and 4 a state.
pub(super) struct NumberStore {
    /// The number of discovery plus one, by the model's number; 0 if unknown.
    discovered: Vec<u32>,
    states: Vec<[u64; 1]>,
}

impl NumberStore {
    pub(super) fn new(bound: u32) -> Self {
        Self {
            discovered: vec![0; bound as usize],
            states: Vec::new(),
        }
    }

    /// The model's numbers of the states, in order of discovery.
    pub(super) fn into_numbers(self) -> Vec<u32> {
        drop(self.discovered);
        let numbers = self.states.into_iter();
        numbers.map(|state| unpack_number(&state)).collect()
    }
}

impl Store for NumberStore {
    fn len(&self) -> usize {
        self.states.len()
    }

    fn get(&self, number: u32) -> &[u64] {
        &self.states[number as usize]
    }

    #[inline]
    fn insert(&mut self, state: &[u64], limit: usize) -> Option<(u32, bool)> {
        let place = &mut self.discovered[unpack_number(state) as usize];
        if *place != 0 {
            return Some((*place - 1, false));
        }
        let new = self.states.len();
        if new >= limit {
            return None;
        }
        *place = new as u32 + 1;
        self.states.push(pack_number(unpack_number(state)));
        Some((new as u32, true))
    }

    fn peak_of_next(&self) -> usize {
        self.discovered.capacity() * size_of::<u32>() + push_peak(&self.states, 1)
    }
}
