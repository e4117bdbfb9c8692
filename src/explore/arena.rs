//! The bits of all states, one after the other.

use std::cell::UnsafeCell;

use hyades_base::parallel;

/// States of a fixed number of bits by their numbers, each in as many bytes as
/// its bits need, in blocks that never move, so that growing never holds
/// anything twice. (Only the first block starts small and doubles.)
///
/// `W` is the number of words of a state where the compiler is to know it, or 0.
pub(super) struct Arena<const W: usize> {
    blocks: Vec<Block>,
    /// A block holds 2 to this power states.
    shift: u32,
    /// How many states there is room for.
    capacity: usize,
    words: usize,
    bytes: usize,
    /// The bits that are in use of a state's last word.
    last: u64,
}

/// Memory that several threads write, each its own states.
struct Block(Box<[UnsafeCell<u8>]>);

// SAFETY: a block is written by `Arena::write` only, whose caller promises that
// nobody else is at the same state, and bytes that belong to no state stay
// zero.
unsafe impl Sync for Block {}

impl Block {
    fn zeroed(bytes: usize) -> Self {
        let memory = Box::into_raw(vec![0u8; bytes].into_boxed_slice());
        // SAFETY: `UnsafeCell<u8>` has the layout of `u8`, and the box has just
        // been taken apart.
        Self(unsafe { Box::from_raw(memory as *mut [UnsafeCell<u8>]) })
    }

    /// Takes over what a smaller block holds. By all threads: each page is made when it is
    /// first written.
    fn copy(&mut self, smaller: &mut Self) {
        /// Bytes that are copied at a time.
        const PIECE: usize = 1 << 16;
        let length = smaller.0.len();
        let from = smaller.0.chunks_mut(PIECE);
        let to = self.0[..length].chunks_mut(PIECE);
        let mut pieces: Vec<_> = from.zip(to).collect();
        parallel::for_each_mut(&mut pieces, 2, |_, (from, to)| {
            for (from, to) in from.iter_mut().zip(to.iter_mut()) {
                *to.get_mut() = *from.get_mut();
            }
        });
    }
}

/// Blocks are at least this large: most of one lies in large pages.
const BLOCK: usize = 16 << 20;

/// The first block has room for at least so many states.
const FIRST: usize = 64;

/// States are read in whole words; so much may lie behind the last one.
const PAD: usize = 8;

impl<const W: usize> Arena<W> {
    /// An empty arena for states of so many words and bits.
    pub(super) fn new(words: usize, bits: usize) -> Self {
        let bytes = bits.div_ceil(8).max(1);
        Self::with_shift(
            words,
            bits,
            BLOCK.div_ceil(bytes).next_power_of_two().ilog2(),
        )
    }

    /// As [`Arena::new`], with blocks of 2 to the power `shift` states.
    pub(super) fn with_shift(words: usize, bits: usize, shift: u32) -> Self {
        debug_assert!(W == 0 || W == words);
        let rest = bits - 64 * (words - 1);
        Self {
            blocks: Vec::new(),
            shift,
            capacity: 0,
            words,
            bytes: bits.div_ceil(8).max(1),
            last: if rest == 0 {
                0
            } else {
                u64::MAX >> (64 - rest)
            },
        }
    }

    /// How many words a state has.
    #[inline(always)]
    pub(super) fn words(&self) -> usize {
        if W == 0 { self.words } else { W }
    }

    fn bytes_of(&self, states: usize) -> usize {
        states * self.bytes + PAD
    }

    /// Capacities are this large: 0, powers of two up to a block, then whole
    /// blocks.
    fn capacity_for(&self, states: usize) -> usize {
        let block = 1 << self.shift;
        if states > block {
            states.next_multiple_of(block)
        } else {
            states.next_power_of_two().max(FIRST).min(block)
        }
    }

    /// Makes room for so many states altogether.
    #[inline(always)]
    pub(super) fn reserve(&mut self, states: usize) {
        if states > self.capacity {
            self.extend(states);
        }
    }

    #[cold]
    fn extend(&mut self, states: usize) {
        let (old, new) = (self.capacity, self.capacity_for(states));
        let block = 1 << self.shift;
        if old < block {
            let mut first = Block::zeroed(self.bytes_of(new.min(block)));
            if let Some(mut small) = self.blocks.pop() {
                first.copy(&mut small);
            }
            self.blocks.push(first);
        }
        while self.blocks.len() << self.shift < new {
            self.blocks.push(Block::zeroed(self.bytes_of(block)));
        }
        self.capacity = new;
    }

    /// Bytes held once there is room for so many states altogether, and at the
    /// peak of making it.
    pub(super) fn peak(&self, states: usize) -> usize {
        let block = 1 << self.shift;
        let held = |capacity: usize| {
            let blocks = capacity.div_ceil(block);
            capacity * self.bytes + blocks * (PAD + size_of::<Block>())
        };
        if states <= self.capacity {
            return held(self.capacity);
        }
        let copied = if self.capacity < block {
            held(self.capacity)
        } else {
            0
        };
        held(self.capacity_for(states)) + copied
    }

    /// Where the state with this number is.
    #[inline(always)]
    fn place(&self, number: u32) -> *mut u8 {
        let number = number as usize;
        assert!(number < self.capacity, "a state that there is room for");
        let within = number & ((1 << self.shift) - 1);
        let block = &self.blocks[number >> self.shift].0;
        // SAFETY: the number is within the capacity, so the state and the
        // padding behind it are in the block.
        unsafe {
            block
                .as_ptr()
                .cast::<u8>()
                .add(within * self.bytes)
                .cast_mut()
        }
    }

    /// Word `k` of the state there.
    ///
    /// # Safety
    /// `place` is from [`Arena::place`], `k < words()`, and no thread writes that
    /// state or the one after it at the same time.
    #[inline(always)]
    unsafe fn word(&self, place: *mut u8, k: usize) -> u64 {
        // SAFETY: the caller promises that this is a word of a state; what lies
        // behind a state's last byte are other states or padding.
        let word = unsafe { place.add(8 * k).cast::<u64>().read_unaligned() };
        let mask = if k + 1 == self.words() {
            self.last
        } else {
            u64::MAX
        };
        u64::from_le(word) & mask
    }

    /// The state with this number.
    ///
    /// # Safety
    /// No thread writes at the same time.
    #[inline(always)]
    pub(super) unsafe fn read(&self, number: u32, state: &mut [u64]) {
        let place = self.place(number);
        for (k, word) in state[..self.words()].iter_mut().enumerate() {
            // SAFETY: `k` is in range, and the caller rules out writers.
            *word = unsafe { self.word(place, k) };
        }
    }

    /// Whether the state with this number is this one.
    ///
    /// # Safety
    /// No thread writes at the same time.
    #[inline(always)]
    pub(super) unsafe fn is(&self, number: u32, state: &[u64]) -> bool {
        let place = self.place(number);
        let state = &state[..self.words()];
        // SAFETY: `k` is in range, and the caller rules out writers.
        (0..state.len()).all(|k| unsafe { self.word(place, k) } == state[k])
    }

    /// Sets the state with this number.
    ///
    /// # Safety
    /// No thread reads at the same time, or writes this state.
    #[inline(always)]
    pub(super) unsafe fn write(&self, number: u32, state: &[u64]) {
        let place = self.place(number);
        let words = self.words();
        for (k, &word) in state[..words].iter().enumerate() {
            let bytes = if k + 1 == words {
                self.bytes - 8 * k
            } else {
                8
            };
            // SAFETY: these are bytes of this state.
            unsafe { store(place.add(8 * k), word, bytes) };
        }
    }

    /// Tells the processor that a state will be read.
    #[inline(always)]
    pub(super) fn prefetch(&self, number: u32) {
        hyades_base::fetch::prefetch_at(self.place(number));
    }
}

/// Writes the first `bytes` bytes of a word, at most 8.
///
/// # Safety
/// They may be written.
#[inline(always)]
unsafe fn store(mut place: *mut u8, mut word: u64, bytes: usize) {
    // SAFETY: all that is written are `bytes` bytes from `place` on.
    unsafe {
        if bytes == 8 {
            place.cast::<u64>().write_unaligned(word.to_le());
            return;
        }
        if bytes & 4 != 0 {
            place.cast::<u32>().write_unaligned((word as u32).to_le());
            word >>= 32;
            place = place.add(4);
        }
        if bytes & 2 != 0 {
            place.cast::<u16>().write_unaligned((word as u16).to_le());
            word >>= 16;
            place = place.add(2);
        }
        if bytes & 1 != 0 {
            place.write(word as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Miri is slow; these still make the first block grow.
    const STATES: usize = if cfg!(miri) { 70 } else { 300 };

    fn state(number: usize, words: usize, bits: usize) -> Vec<u64> {
        let mut state: Vec<u64> = (0..words)
            .map(|k| (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 + k as u64))
            .collect();
        let rest = bits - 64 * (words - 1);
        state[words - 1] &= if rest == 0 {
            0
        } else {
            u64::MAX >> (64 - rest)
        };
        state
    }

    fn check<const W: usize>(bits: usize, shift: u32) {
        let words = super::super::words(bits);
        let mut arena = Arena::<W>::with_shift(words, bits, shift);
        let mut peak = 0;
        for number in 0..STATES {
            peak = peak.max(arena.peak(number + 1));
            arena.reserve(number + 1);
            // SAFETY: there is one thread.
            unsafe { arena.write(number as u32, &state(number, words, bits)) };
        }
        let most = STATES.next_multiple_of(1 << shift).max(512);
        assert!(peak <= 2 * most * (bits.div_ceil(8).max(1) + PAD + size_of::<Block>()));
        let mut read = vec![0; words];
        for number in 0..STATES {
            let expected = state(number, words, bits);
            // SAFETY: there is one thread.
            unsafe {
                arena.read(number as u32, &mut read);
                assert!(arena.is(number as u32, &expected));
                assert!(bits < 20 || !arena.is(number as u32, &state(number + 1, words, bits)));
            }
            assert_eq!(read, expected);
        }
    }

    #[test]
    fn states_of_all_sizes_in_blocks_of_all_sizes() {
        let (sizes, shifts): (Vec<usize>, &[u32]) = if cfg!(miri) {
            (vec![0, 9, 64, 65, 191], &[3, 20])
        } else {
            let sizes = (0..140).chain([160, 191, 192, 1000]);
            (sizes.collect(), &[0, 3, 6, 7, 20])
        };
        for bits in sizes {
            for &shift in shifts {
                check::<0>(bits, shift);
                match super::super::words(bits) {
                    1 => check::<1>(bits, shift),
                    2 => check::<2>(bits, shift),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn large_blocks_are_copied_by_several_threads() {
        let state = |number: u32| u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8;
        let states = if cfg!(miri) { 17_000 } else { 200_001 };
        let mut arena = Arena::<1>::new(1, 56);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3);
        pool.build().expect("three threads").install(|| {
            for number in 0..states {
                arena.reserve(number as usize + 1);
                // SAFETY: one thread at a time is at it.
                unsafe { arena.write(number, &[state(number)]) };
            }
        });
        // SAFETY: there is one thread.
        assert!((0..states).all(|number| unsafe { arena.is(number, &[state(number)]) }));
    }

    #[test]
    #[should_panic(expected = "a state that there is room for")]
    fn states_out_of_range_are_refused() {
        let mut arena = Arena::<1>::new(1, 8);
        arena.reserve(1);
        // SAFETY: there is one thread.
        unsafe { arena.read(64, &mut [0]) };
    }
}
