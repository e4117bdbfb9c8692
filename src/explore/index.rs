//! Finding states by their hashes.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use hyades_base::parallel;

/// An open-addressing hash table of numbers below 2^32 − 1, whose keys are
/// elsewhere. Any number of threads may enter numbers at the same time without
/// waiting for each other.
///
/// A bucket is a line of the cache: twelve numbers, and a byte of each hash that
/// spares most comparisons with other keys. What does not fit goes to the
/// following buckets.
pub(super) struct Index {
    /// Zeros from the system, in which the buckets begin with the first whole
    /// line of the cache.
    memory: Box<[AtomicU64]>,
    buckets: usize,
}

/// Zeros are an empty bucket.
#[repr(C, align(64))]
struct Bucket {
    /// A byte for each number, 0 where there is none or (see
    /// [`Bucket::set_tag`]) where it is lost; four bytes are not used.
    tags: [AtomicU64; 2],
    /// The numbers plus 1, or 0.
    numbers: [AtomicU32; PLACES],
}

const PLACES: usize = 12;

/// A table of fewer buckets than this, which take 8 MB, is small.
const SMALL: usize = if cfg!(test) { 1 << 9 } else { 1 << 17 };

/// The place of a number in an [`Index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(u64);

impl Slot {
    /// A place in a table of other kinds.
    #[inline(always)]
    pub(super) fn of(number: u32) -> Self {
        Self(number.into())
    }

    /// The number that it was made of.
    #[inline(always)]
    pub(super) fn number(self) -> u32 {
        self.0 as u32
    }
}

/// What [`Index::enter`] has found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// There was no such key; the number is here now.
    New(Slot),
    /// The key has this number, which is here.
    Held(u32, Slot),
}

impl Index {
    /// How many buckets so many numbers need, of which nine places of ten may be
    /// taken: then there are still empty ones near by.
    pub(super) const fn buckets_for(numbers: usize) -> usize {
        (numbers * 10).div_ceil(PLACES * 9) + 1
    }

    /// How many numbers so many buckets have room for.
    pub(super) const fn room(buckets: usize) -> usize {
        buckets.saturating_sub(1) * (PLACES * 9) / 10
    }

    /// The number of buckets for a table with this many, which has to hold so
    /// many numbers. Growing by a third, it never has more than a third of its
    /// places empty once it has grown: that is less than 8 bytes a number. Small tables grow
    /// by more, so that less is entered anew.
    pub(super) fn buckets_to_grow(&self, numbers: usize) -> usize {
        let grown = match self.buckets {
            buckets if buckets < SMALL / 2 => 4 * buckets,
            buckets if buckets < SMALL => 2 * buckets,
            buckets => buckets / 3 * 4,
        };
        Self::buckets_for(numbers).max(grown)
    }

    /// An empty table with so many buckets.
    pub(super) fn new(buckets: usize) -> Self {
        const { assert!(align_of::<u64>() == align_of::<AtomicU64>()) }
        let words = Self::bytes(buckets) / 8;
        // Zeros that are asked for as numbers come from the system, which has
        // them ready or makes them when they are first used.
        let memory = Box::into_raw(vec![0u64; words].into_boxed_slice());
        Self {
            // SAFETY: an atomic number has the layout of a number, and the box
            // has just been taken apart.
            memory: unsafe { Box::from_raw(memory as *mut [AtomicU64]) },
            buckets,
        }
    }

    /// Has all memory of a new table made, by all threads: pages that are read before
    /// they are written are zeros that all processes share at first, and replacing
    /// them later stops all threads.
    pub(super) fn touch(&self) {
        /// Words of the smallest page.
        const PAGE: usize = 4096 / 8;
        parallel::tasks(self.memory.len().div_ceil(PAGE), 64, &|pages| {
            for page in pages {
                self.memory[page * PAGE].store(0, Ordering::Relaxed);
            }
        });
    }

    /// Bytes that a table with so many buckets takes.
    pub(super) const fn bytes(buckets: usize) -> usize {
        if buckets == 0 {
            0
        } else {
            (buckets + 1) * size_of::<Bucket>()
        }
    }

    /// How many buckets there are.
    pub(super) fn buckets(&self) -> usize {
        self.buckets
    }

    #[inline(always)]
    fn bucket(&self, at: usize) -> &Bucket {
        assert!(at < self.buckets);
        let start = self.memory.as_ptr();
        // The first whole line; the memory is a line longer than the buckets.
        let first = start.map_addr(|a| a.next_multiple_of(align_of::<Bucket>()));
        // SAFETY: the bucket lies in the memory, which is not touched but
        // through here, and zeros are a bucket; like the memory, it is made of
        // atomic numbers.
        unsafe { &*first.cast::<Bucket>().add(at) }
    }

    /// The first bucket for this hash: the buckets share the range of hashes
    /// evenly.
    #[inline(always)]
    fn first(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.buckets as u128) >> 64) as usize
    }

    /// Tells the processor that this hash will be looked for.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        hyades_base::fetch::prefetch_at(self.bucket(self.first(hash)));
    }

    /// A number that may be the one of a key with this hash.
    #[inline(always)]
    pub(super) fn guess(&self, hash: u64) -> Option<u32> {
        let bucket = self.bucket(self.first(hash));
        let same = bucket.tags().places(tag(hash));
        if same == 0 {
            return None;
        }
        let k = same.trailing_zeros() as usize;
        bucket.numbers[k].load(Ordering::Relaxed).checked_sub(1)
    }

    /// Finds the key with this hash for whose number `same` holds, or enters
    /// `number`. There must be an empty place. `SHARED` says that other threads
    /// may do the same at this time: of equal keys, one is entered.
    ///
    /// What was written before a number was entered can be read by who finds it.
    #[inline(always)]
    pub(super) fn enter<const SHARED: bool>(
        &self,
        hash: u64,
        number: u32,
        mut same: impl FnMut(u32) -> bool,
    ) -> Entry {
        let tag = tag(hash);
        let mut at = self.first(hash);
        loop {
            let bucket = self.bucket(at);
            let tags = bucket.tags();
            let slot = |k: usize| Slot(at as u64 * PLACES as u64 + k as u64);
            // Numbers to compare with, and places where there was none.
            let (mut places, mut empty) = (tags.places(tag), tags.places(0));
            loop {
                while places != 0 {
                    let k = places.trailing_zeros() as usize;
                    let held = bucket.numbers[k].load(Ordering::Acquire).wrapping_sub(1);
                    if same(held) {
                        return Entry::Held(held, slot(k));
                    }
                    places &= places - 1;
                }
                if empty == 0 {
                    break;
                }
                let k = empty.trailing_zeros() as usize;
                if bucket.take::<SHARED>(k, number) {
                    bucket.set_tag(k, tag);
                    return Entry::New(slot(k));
                }
                // Another thread was faster, or the tag is lost.
                places = 1 << k;
                empty &= empty - 1;
            }
            at += 1;
            if at == self.buckets {
                at = 0;
            }
        }
    }

    /// Enters a number whose key, which has this hash, is not there: as
    /// [`Index::enter`], but there is nothing to compare with.
    #[inline(always)]
    pub(super) fn add<const SHARED: bool>(&self, hash: u64, number: u32) {
        let tag = tag(hash);
        let mut at = self.first(hash);
        loop {
            let bucket = self.bucket(at);
            let mut empty = bucket.tags().places(0);
            while empty != 0 {
                let k = empty.trailing_zeros() as usize;
                if bucket.take::<SHARED>(k, number) {
                    bucket.set_tag(k, tag);
                    return;
                }
                empty &= empty - 1;
            }
            at += 1;
            if at == self.buckets {
                at = 0;
            }
        }
    }

    #[inline(always)]
    fn place(&self, slot: Slot) -> &AtomicU32 {
        let (bucket, k) = (slot.0 / PLACES as u64, slot.0 % PLACES as u64);
        &self.bucket(bucket as usize).numbers[k as usize]
    }

    /// Replaces the number there if it is larger; returns what it was.
    #[inline]
    pub(super) fn lower(&self, slot: Slot, number: u32) -> u32 {
        let old = self.place(slot).fetch_min(number + 1, Ordering::AcqRel);
        old - 1
    }

    /// Replaces the number there.
    #[inline(always)]
    pub(super) fn set(&self, slot: Slot, number: u32) {
        self.place(slot).store(number + 1, Ordering::Relaxed);
    }
}

/// A byte of the hash that says little about the bucket; not 0.
#[inline(always)]
fn tag(hash: u64) -> u8 {
    (hash as u8).max(1)
}

impl Bucket {
    #[inline(always)]
    fn tags(&self) -> Tags {
        let [low, high] = &self.tags;
        Tags(low.load(Ordering::Acquire), high.load(Ordering::Acquire))
    }

    /// Enters a number there, unless there is one.
    #[inline(always)]
    fn take<const SHARED: bool>(&self, k: usize, number: u32) -> bool {
        let place = &self.numbers[k];
        if place.load(Ordering::Relaxed) != 0 {
            false
        } else if SHARED {
            let (order, failed) = (Ordering::AcqRel, Ordering::Relaxed);
            let old = place.compare_exchange(0, number + 1, order, failed);
            old.is_ok()
        } else {
            place.store(number + 1, Ordering::Relaxed);
            true
        }
    }

    /// Of tags that are set at the same time, one may get lost. What has lost
    /// its tag is found all the same, where an empty place is sought.
    #[inline(always)]
    fn set_tag(&self, k: usize, tag: u8) {
        let word = &self.tags[k / 8];
        let bits = u64::from(tag) << (k % 8 * 8);
        // Acquiring what others have written before, so that it is passed on.
        word.store(word.load(Ordering::Acquire) | bits, Ordering::Release);
    }
}

/// The tags of a bucket, the first lowest.
#[derive(Clone, Copy)]
struct Tags(u64, u64);

impl Tags {
    /// The places with this tag, as bits.
    #[inline(always)]
    fn places(self, tag: u8) -> u32 {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{
                _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8,
            };
            // SAFETY: every x86-64 processor has SSE2.
            let equal = unsafe {
                let tags = _mm_set_epi64x(self.1 as i64, self.0 as i64);
                _mm_movemask_epi8(_mm_cmpeq_epi8(tags, _mm_set1_epi8(tag as i8)))
            };
            equal as u32 & ((1 << PLACES) - 1)
        }
        #[cfg(not(target_arch = "x86_64"))]
        self.places_one_by_one(tag)
    }

    #[cfg(any(test, not(target_arch = "x86_64")))]
    fn places_one_by_one(self, tag: u8) -> u32 {
        let bytes = u128::from(self.1) << 64 | u128::from(self.0);
        let is = |k: &usize| (bytes >> (8 * k)) as u8 == tag;
        (0..PLACES).filter(is).fold(0, |bits, k| bits | 1 << k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Miri is slow.
    const KEYS: u32 = if cfg!(miri) { 60 } else { 1000 };

    #[test]
    fn tags_are_found_in_all_places() {
        for k in 0..16 {
            let bytes = 7u128 << (8 * k) | 9 << (8 * ((k + 5) % 16));
            let tags = Tags(bytes as u64, (bytes >> 64) as u64);
            for tag in [0, 7, 9, 8] {
                assert_eq!(tags.places(tag), tags.places_one_by_one(tag));
            }
            assert_eq!(tags.places(7), if k < PLACES { 1 << k } else { 0 });
        }
    }

    /// All hashes are alike or nearly so: all goes round.
    #[test]
    fn crowded_buckets_spill_over() {
        for spread in [0, u64::MAX / 2, u64::MAX] {
            let index = Index::new(Index::buckets_for(KEYS as usize));
            let same = |k: u32| move |other| other == k;
            let mut slots = Vec::new();
            for k in 0..KEYS {
                match index.enter::<false>(spread, k, same(k)) {
                    Entry::New(slot) => slots.push(slot),
                    held => panic!("{held:?}"),
                }
            }
            for k in 0..KEYS {
                let slot = slots[k as usize];
                let entry = index.enter::<true>(spread, 5000, same(k));
                assert_eq!(entry, Entry::Held(k, slot));
                assert_eq!(index.lower(slot, k + 1), k);
                index.set(slot, 2000 + k);
                assert_eq!(index.lower(slot, 3), 2000 + k);
                index.set(slot, k);
            }
        }
    }

    /// Whatever tags are lost, keys are found where they are, and new ones
    /// replace none.
    #[test]
    fn lost_tags_do_not_matter() {
        let hash = |key: u32| u64::from(key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for keep in [0, 0xff00_ff00_00ff_00ff, u64::MAX << 32, u64::MAX >> 8] {
            let index = Index::new(Index::buckets_for(KEYS as usize));
            let same = |k: u32| move |other| other == k;
            let mut slots = Vec::new();
            for k in 0..KEYS {
                let entry = if k % 2 == 0 {
                    index.enter::<false>(hash(k), k, same(k))
                } else {
                    index.enter::<true>(hash(k), k, same(k))
                };
                match entry {
                    Entry::New(slot) => slots.push(slot),
                    held => panic!("{held:?}"),
                }
                if k % (KEYS / 10) == 0 {
                    for at in 0..index.buckets() {
                        for word in &index.bucket(at).tags {
                            word.fetch_and(keep, Ordering::Relaxed);
                        }
                    }
                }
            }
            for k in 0..KEYS {
                let held = || Entry::Held(k, slots[k as usize]);
                assert_eq!(index.enter::<false>(hash(k), 5000, same(k)), held());
                assert_eq!(index.enter::<true>(hash(k), 5000, same(k)), held());
            }
        }
    }

    /// Numbers that threads add together are all there, in buckets that are full
    /// and in others.
    #[test]
    fn what_is_added_is_found() {
        for hash in [|_| u64::MAX, |key: u32| u64::from(key) << 51] {
            let index = Index::new(Index::buckets_for(KEYS as usize));
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let index = &index;
                    scope.spawn(move || {
                        for key in (thread..KEYS).step_by(4) {
                            index.add::<true>(hash(key), key);
                        }
                    });
                }
            });
            let one = Index::new(Index::buckets_for(KEYS as usize));
            (0..KEYS).for_each(|key| one.add::<false>(hash(key), key));
            for key in 0..KEYS {
                for index in [&index, &one] {
                    let found = index.enter::<false>(hash(key), 5000, |other| other == key);
                    assert!(matches!(found, Entry::Held(held, _) if held == key));
                }
            }
        }
    }

    #[test]
    fn of_equal_keys_that_come_together_one_is_entered() {
        for _ in 0..if cfg!(miri) { 3 } else { 20 } {
            let index = Index::new(Index::buckets_for(KEYS as usize));
            let hash = |key: u32| u64::from(key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3;
            let news = std::sync::atomic::AtomicU32::new(0);
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let (index, news) = (&index, &news);
                    scope.spawn(move || {
                        for key in 0..KEYS {
                            // Each thread has numbers of its own for the keys.
                            let number = key * 4 + thread;
                            let same = |other| other / 4 == key;
                            match index.enter::<true>(hash(key), number, same) {
                                Entry::New(_) => {
                                    news.fetch_add(1, Ordering::Relaxed);
                                }
                                Entry::Held(held, _) => assert_eq!(held / 4, key),
                            }
                        }
                    });
                }
            });
            assert_eq!(news.into_inner(), KEYS);
        }
    }
}
