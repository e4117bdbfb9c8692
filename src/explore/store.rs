//! Where the explorer keeps the states it knows, in order of discovery.

use std::sync::atomic::{AtomicU32, Ordering};

use hyades_base::parallel;

use super::arena::Arena;
use super::hash::Hasher;
use super::index::{Entry, Index, Slot};
use super::shape::{pack_number, unpack_number, words};

/// A set of states, numbered `0 .. len()` in order of discovery.
///
/// While states are discovered by several threads, their numbers are not known
/// yet: [`Store::enter`] gives them provisional numbers from `len()` on, which
/// mean something to the caller only. Then [`Store::settle`] gives them the next
/// numbers, and [`Store::grow`] adds them to the set.
pub(super) trait Store: Sync {
    /// What a state is looked up by.
    type Key: Copy + Default + Send;

    /// How many states there are.
    fn len(&self) -> usize;

    /// How many words a state has.
    fn words(&self) -> usize;

    /// The state with this number, below `len()`.
    fn read(&self, number: u32, state: &mut [u64]);

    /// Makes room for so many states altogether.
    fn reserve(&mut self, states: usize);

    /// Bytes held at the peak of reserving room for so many states altogether.
    fn peak(&self, states: usize) -> usize;

    /// What this state is looked up by.
    fn key(&self, state: &[u64]) -> Self::Key;

    /// Bits that differ, most likely, for different keys, evenly spread at the low
    /// end; `None` where looking up a key is no more work than remembering it.
    fn spread(key: Self::Key) -> Option<u64>;

    /// Lets the processor fetch where this key is looked up.
    fn prefetch(&self, key: Self::Key);

    /// Lets the processor fetch what [`Store::enter`] will look at next.
    fn fetch(&self, _key: Self::Key) {}

    /// Finds a state or enters it with a provisional number. There must be room.
    /// `SHARED` says that other threads may do the same. `same` tells whether the
    /// state entered with a provisional number is this one.
    fn enter<const SHARED: bool>(
        &self,
        key: Self::Key,
        state: &[u64],
        number: u32,
        same: impl Fn(u32) -> bool,
    ) -> Entry;

    /// Replaces the provisional number there if it is larger; returns what it
    /// was.
    fn lower(&self, slot: Slot, number: u32) -> u32;

    /// Gives the state entered there its number, from `len()` on.
    ///
    /// # Safety
    /// Each number is given once, and no other thread does anything else with
    /// the store at the same time.
    unsafe fn settle(&self, slot: Slot, number: u32, state: &[u64]);

    /// Adds so many states that have been settled to the set.
    fn grow(&mut self, states: usize);

    /// The number of a state and whether it is new; `None`, and nothing changed,
    /// if it is new and there are `limit` states already.
    #[inline(always)]
    fn insert(&mut self, state: &[u64], limit: usize) -> Option<(u32, bool)> {
        let new = self.len();
        self.reserve(new + 1);
        let key = self.key(state);
        // A state that may not be entered is entered all the same: the search
        // is over.
        match self.enter::<false>(key, state, new as u32, |_| false) {
            Entry::Held(number, _) => Some((number, false)),
            Entry::New(_) if new >= limit => None,
            Entry::New(slot) => {
                // SAFETY: the store is borrowed mutably, and the number is new.
                unsafe { self.settle(slot, new as u32, state) };
                self.grow(1);
                Some((new as u32, true))
            }
        }
    }
}

/// Any states: their bits in an arena, found by an index.
///
/// `W` is the number of words of a state where the compiler is to know it, or 0.
pub(super) struct PackedStore<const W: usize> {
    arena: Arena<W>,
    index: Index,
    hasher: Hasher,
    len: usize,
    /// How many states the index has room for.
    room: usize,
}

impl<const W: usize> PackedStore<W> {
    /// An empty store for states of so many bits.
    pub(super) fn new(bits: usize) -> Self {
        Self::with(Arena::new(words(bits), bits), Hasher::new())
    }

    pub(super) fn with(arena: Arena<W>, hasher: Hasher) -> Self {
        Self {
            arena,
            index: Index::new(0),
            hasher,
            len: 0,
            room: 0,
        }
    }

    /// Replaces the index by a larger one, which is filled from the arena: two
    /// indices at a time would be more memory than the states themselves take.
    #[cold]
    fn grow_index(&mut self, states: usize) {
        let buckets = self.index.buckets_to_grow(states);
        self.index = Index::new(0);
        self.index = Index::new(buckets);
        self.index.touch();
        self.room = Index::room(buckets);
        if self.len < PART || parallel::threads() == 1 {
            self.enter_all::<false>(0, self.len);
        } else {
            let this = &*self;
            let parts = this.len.div_ceil(PART);
            parallel::tasks(parts, 1, &|parts| {
                this.enter_all::<true>(parts.start * PART, this.len.min(parts.end * PART));
            });
        }
    }

    /// Enters these states, all of them different, in the index.
    fn enter_all<const SHARED: bool>(&self, from: usize, to: usize) {
        const AHEAD: usize = 128;
        let mut hashes = [0; AHEAD];
        let mut state = vec![0; self.words()];
        for from in (from..to).step_by(AHEAD) {
            let group = from..to.min(from + AHEAD);
            for (number, hash) in group.clone().zip(&mut hashes) {
                self.read(number as u32, &mut state);
                *hash = self.hasher.hash::<W>(&state);
                self.index.prefetch(*hash);
            }
            for (number, &hash) in group.zip(&hashes) {
                self.index.add::<SHARED>(hash, number as u32);
            }
        }
    }
}

/// So many states are entered in a new index by one thread at a time.
const PART: usize = 1 << 14;

impl<const W: usize> Store for PackedStore<W> {
    type Key = u64;

    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn words(&self) -> usize {
        self.arena.words()
    }

    #[inline(always)]
    fn read(&self, number: u32, state: &mut [u64]) {
        debug_assert!((number as usize) < self.len);
        // SAFETY: only `settle` writes, at times when nobody reads.
        unsafe { self.arena.read(number, state) }
    }

    #[inline(always)]
    fn reserve(&mut self, states: usize) {
        self.arena.reserve(states);
        if states > self.room {
            self.grow_index(states);
        }
    }

    fn peak(&self, states: usize) -> usize {
        let buckets = if states <= self.room {
            self.index.buckets()
        } else {
            self.index.buckets_to_grow(states)
        };
        self.arena.peak(states) + Index::bytes(buckets)
    }

    #[inline(always)]
    fn key(&self, state: &[u64]) -> u64 {
        self.hasher.hash::<W>(state)
    }

    #[inline(always)]
    fn spread(hash: u64) -> Option<u64> {
        Some(hash)
    }

    #[inline(always)]
    fn prefetch(&self, hash: u64) {
        self.index.prefetch(hash);
    }

    #[inline(always)]
    fn fetch(&self, hash: u64) {
        if let Some(number) = self.index.guess(hash)
            && (number as usize) < self.len
        {
            self.arena.prefetch(number);
        }
    }

    #[inline(always)]
    fn enter<const SHARED: bool>(
        &self,
        hash: u64,
        state: &[u64],
        number: u32,
        same: impl Fn(u32) -> bool,
    ) -> Entry {
        self.index.enter::<SHARED>(hash, number, |other| {
            if (other as usize) < self.len {
                // SAFETY: only `settle` writes, at times when nobody enters.
                unsafe { self.arena.is(other, state) }
            } else {
                same(other)
            }
        })
    }

    #[inline]
    fn lower(&self, slot: Slot, number: u32) -> u32 {
        self.index.lower(slot, number)
    }

    #[inline(always)]
    unsafe fn settle(&self, slot: Slot, number: u32, state: &[u64]) {
        self.index.set(slot, number);
        // SAFETY: the caller gives each number once while nobody reads.
        unsafe { self.arena.write(number, state) };
    }

    #[inline(always)]
    fn grow(&mut self, states: usize) {
        self.len += states;
    }
}

/// States that are numbers below a known bound: a table instead of an index.
/// 4 bytes a number below the bound and 4 a state.
pub(super) struct NumberStore {
    /// The number of discovery plus one, by the model's number; 0 if unknown.
    discovered: Box<[AtomicU32]>,
    states: Arena<1>,
    len: usize,
}

impl NumberStore {
    pub(super) fn new(bound: u32) -> Self {
        const { assert!(align_of::<u32>() == align_of::<AtomicU32>()) }
        // Zeros that are asked for as numbers come from the system, which makes
        // them when they are first used.
        let zeros = Box::into_raw(vec![0u32; bound as usize].into_boxed_slice());
        Self {
            // SAFETY: an atomic number has the layout of a number, and the box
            // has just been taken apart.
            discovered: unsafe { Box::from_raw(zeros as *mut [AtomicU32]) },
            states: Arena::new(1, 32),
            len: 0,
        }
    }

    /// The model's numbers of the states, in order of discovery.
    pub(super) fn into_numbers(self) -> Vec<u32> {
        let mut state = pack_number(0);
        (0..self.len as u32)
            .map(|number| {
                self.read(number, &mut state);
                unpack_number(&state)
            })
            .collect()
    }
}

impl Store for NumberStore {
    type Key = u32;

    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn words(&self) -> usize {
        1
    }

    #[inline(always)]
    fn read(&self, number: u32, state: &mut [u64]) {
        // SAFETY: only `settle` writes, at times when nobody reads.
        unsafe { self.states.read(number, state) }
    }

    #[inline(always)]
    fn reserve(&mut self, states: usize) {
        self.states.reserve(states);
    }

    fn peak(&self, states: usize) -> usize {
        self.discovered.len() * size_of::<u32>() + self.states.peak(states)
    }

    #[inline(always)]
    fn key(&self, state: &[u64]) -> u32 {
        unpack_number(state)
    }

    #[inline(always)]
    fn spread(_: u32) -> Option<u64> {
        None
    }

    #[inline(always)]
    fn prefetch(&self, number: u32) {
        hyades_base::fetch::prefetch_at(&self.discovered[number as usize]);
    }

    #[inline(always)]
    fn enter<const SHARED: bool>(
        &self,
        key: u32,
        _: &[u64],
        number: u32,
        _: impl Fn(u32) -> bool,
    ) -> Entry {
        let place = &self.discovered[key as usize];
        let slot = Slot::of(key);
        let held = place.load(Ordering::Acquire);
        if held != 0 {
            return Entry::Held(held - 1, slot);
        }
        if !SHARED {
            place.store(number + 1, Ordering::Relaxed);
            return Entry::New(slot);
        }
        let (order, failed) = (Ordering::AcqRel, Ordering::Acquire);
        match place.compare_exchange(0, number + 1, order, failed) {
            Ok(_) => Entry::New(slot),
            Err(held) => Entry::Held(held - 1, slot),
        }
    }

    #[inline]
    fn lower(&self, slot: Slot, number: u32) -> u32 {
        let place = &self.discovered[slot.number() as usize];
        place.fetch_min(number + 1, Ordering::AcqRel) - 1
    }

    #[inline(always)]
    unsafe fn settle(&self, slot: Slot, number: u32, state: &[u64]) {
        let place = &self.discovered[slot.number() as usize];
        place.store(number + 1, Ordering::Relaxed);
        // SAFETY: the caller gives each number once while nobody reads.
        unsafe { self.states.write(number, state) };
    }

    #[inline(always)]
    fn grow(&mut self, states: usize) {
        self.len += states;
    }
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
