//! Where the explorer keeps the states it knows, in order of discovery.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// A set of states, numbered `0 .. len()` in order of insertion.
pub(super) trait Store {
    /// How many states there are.
    fn len(&self) -> usize;

    /// The state with this number.
    fn get(&self, number: u32) -> &[u8];

    /// The number of this state and whether it is new; `None`, and nothing
    /// changed, if it is new and there are `limit` states already.
    fn insert(&mut self, state: &[u8], limit: usize) -> Option<(u32, bool)>;

    /// Bytes held at the peak of inserting one more state of `length` bytes.
    fn peak_of_next(&self, length: usize) -> usize;
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

/// Any states: their bytes in one arena, found by an open-addressing index of
/// 32-bit numbers.
///
/// While all states have one length, nothing but their bytes is stored; with
/// the first state of another length, 8 bytes a state more.
pub(super) struct PackedStore {
    arena: Vec<u8>,
    layout: Layout,
    len: usize,
    index: HashTable<u32>,
    hasher: RandomState,
}

/// Where a state lies in the arena.
enum Layout {
    /// All states have this length.
    Fixed(usize),
    /// State `k` ends here, and starts where the one before it ends.
    Variable(Vec<usize>),
}

impl Layout {
    #[inline]
    fn read<'a>(&self, arena: &'a [u8], number: u32) -> &'a [u8] {
        let k = number as usize;
        match self {
            Layout::Fixed(length) => &arena[k * length..(k + 1) * length],
            Layout::Variable(ends) => &arena[if k == 0 { 0 } else { ends[k - 1] }..ends[k]],
        }
    }
}

impl PackedStore {
    pub(super) fn new() -> Self {
        Self {
            arena: Vec::new(),
            layout: Layout::Fixed(0),
            len: 0,
            index: HashTable::new(),
            hasher: RandomState::default(),
        }
    }
}

impl Store for PackedStore {
    fn len(&self) -> usize {
        self.len
    }

    fn get(&self, number: u32) -> &[u8] {
        self.layout.read(&self.arena, number)
    }

    fn insert(&mut self, state: &[u8], limit: usize) -> Option<(u32, bool)> {
        let hash = self.hasher.hash_one(state);
        let (layout, arena) = (&self.layout, &self.arena);
        if let Some(&known) = self.index.find(hash, |&k| layout.read(arena, k) == state) {
            return Some((known, false));
        }
        if self.len >= limit {
            return None;
        }
        let new = self.len as u32;
        match &mut self.layout {
            Layout::Fixed(length) if self.len == 0 => *length = state.len(),
            Layout::Fixed(length) if *length != state.len() => {
                let mut ends: Vec<usize> = (1..=self.len).map(|k| k * *length).collect();
                ends.push(self.arena.len() + state.len());
                self.layout = Layout::Variable(ends);
            }
            Layout::Fixed(_) => {}
            Layout::Variable(ends) => ends.push(self.arena.len() + state.len()),
        }
        self.arena.extend_from_slice(state);
        self.len += 1;
        let (layout, arena, hasher) = (&self.layout, &self.arena, &self.hasher);
        self.index
            .insert_unique(hash, new, |&k| hasher.hash_one(layout.read(arena, k)));
        Some((new, true))
    }

    fn peak_of_next(&self, length: usize) -> usize {
        let layout = match &self.layout {
            Layout::Fixed(fixed) if self.len == 0 || *fixed == length => 0,
            Layout::Fixed(_) => (self.len + 1) * size_of::<usize>(),
            Layout::Variable(ends) => push_peak(ends, 1),
        };
        let held = self.index.allocation_size();
        let index = if self.index.len() < self.index.capacity() {
            held
        } else {
            // Old and new table exist side by side while the entries move.
            3 * held.max(64)
        };
        push_peak(&self.arena, length) + layout + index
    }
}

/// States that are numbers below a known bound: a table instead of an index.
/// 4 bytes a number below the bound and 4 a state.
pub(super) struct NumberStore {
    /// The number of discovery plus one, by the model's number; 0 if unknown.
    discovered: Vec<u32>,
    states: Vec<[u8; 4]>,
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
        numbers.map(|state| super::unpack_number(&state)).collect()
    }
}

impl Store for NumberStore {
    fn len(&self) -> usize {
        self.states.len()
    }

    fn get(&self, number: u32) -> &[u8] {
        &self.states[number as usize]
    }

    #[inline]
    fn insert(&mut self, state: &[u8], limit: usize) -> Option<(u32, bool)> {
        let place = &mut self.discovered[super::unpack_number(state) as usize];
        if *place != 0 {
            return Some((*place - 1, false));
        }
        let new = self.states.len();
        if new >= limit {
            return None;
        }
        *place = new as u32 + 1;
        self.states
            .push(state.try_into().expect("a packed number has four bytes"));
        Some((new as u32, true))
    }

    fn peak_of_next(&self, _length: usize) -> usize {
        self.discovered.capacity() * size_of::<u32>() + push_peak(&self.states, 1)
    }
}
