//! States as bytes of the machine, for a plugin, and as words, for the explorer.

use std::ffi::c_void;

use crate::explore;

/// How many words a state of so many bytes has.
#[inline]
pub(super) const fn words(size: usize) -> usize {
    explore::words(8 * size)
}

/// Makes words of bytes that were copied over them. `number` if they are one
/// number of 32 bits.
#[inline]
pub(super) fn from_machine(words: &mut [u64], number: bool) {
    if cfg!(target_endian = "little") {
        return;
    }
    match number {
        true => words[0] >>= 32,
        false => words
            .iter_mut()
            .for_each(|word| *word = u64::from_le(*word)),
    }
}

/// The reverse of [`from_machine`].
#[inline]
pub(super) fn to_machine(words: &mut [u64], number: bool) {
    if cfg!(target_endian = "little") {
        return;
    }
    match number {
        true => words[0] <<= 32,
        false => words.iter_mut().for_each(|word| *word = word.to_le()),
    }
}

/// Memory for one state that a plugin may look at or write on. What it changes
/// a little beyond the state's end is noticed.
pub(super) struct Place {
    /// The state, and [`GUARD`] words behind it.
    words: Vec<u64>,
    size: usize,
    number: bool,
}

/// How many words are watched.
const GUARD: usize = 8;
/// What is there.
const PATTERN: u8 = 0xA5;

impl Place {
    /// A place for states of so many bytes.
    pub(super) fn new(size: usize, number: bool) -> Self {
        let end = words(size);
        let mut words = vec![u64::from_ne_bytes([PATTERN; 8]); end + GUARD];
        words[..end].fill(0);
        Self {
            words,
            size,
            number,
        }
    }

    /// Puts the state into the place.
    #[inline]
    pub(super) fn set(&mut self, state: &[u64]) {
        let words = &mut self.words[..words(self.size)];
        words.copy_from_slice(state);
        to_machine(words, self.number);
    }

    /// Puts zeros into the place, for [`Place::get`].
    pub(super) fn clear(&mut self) {
        let (size, end) = (self.size, 8 * words(self.size));
        let bytes = self.bytes_mut();
        bytes[..size].fill(0);
        bytes[size..end].fill(PATTERN);
    }

    /// Gives the state that is there since [`Place::clear`] to `state`.
    ///
    /// # Errors
    /// If something has been written beyond it.
    pub(super) fn get(&self, state: &mut [u64]) -> Result<(), String> {
        let size = self.size;
        if self.bytes()[size..].iter().any(|&byte| byte != PATTERN) {
            return Err(format!("writes beyond the {size} bytes of a state"));
        }
        state.fill(0);
        let end = words(size);
        state.copy_from_slice(&self.words[..end]);
        from_machine(state, self.number);
        if size < 8 * end && !(self.number && cfg!(target_endian = "big")) {
            state[end - 1] &= u64::MAX >> (64 - 8 * (size % 8));
        }
        Ok(())
    }

    /// Whether the place is as [`Place::set`] has left it.
    #[inline]
    pub(super) fn still_has(&self, state: &[u64]) -> bool {
        let (words, guard) = self.words.split_at(words(self.size));
        let same = match cfg!(target_endian = "little") {
            true => words == state,
            false => {
                let mut words = words.to_vec();
                from_machine(&mut words, self.number);
                words == state
            }
        };
        same && guard.iter().all(|&w| w == u64::from_ne_bytes([PATTERN; 8]))
    }

    /// For a plugin that reads.
    pub(super) fn pointer(&self) -> *const c_void {
        self.words.as_ptr().cast()
    }

    /// For a plugin that writes.
    pub(super) fn pointer_mut(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }

    fn bytes(&self) -> &[u8] {
        let (start, size) = (self.words.as_ptr().cast(), 8 * self.words.len());
        // SAFETY: any words are bytes, for as long as they are borrowed.
        unsafe { std::slice::from_raw_parts(start, size) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let (start, size) = (self.words.as_mut_ptr().cast(), 8 * self.words.len());
        // SAFETY: any words are bytes and the reverse, for as long as they are
        // borrowed.
        unsafe { std::slice::from_raw_parts_mut(start, size) }
    }
}
