//! States as bytes of the machine, for a plugin, and as words, for the explorer.

use std::ffi::c_void;

use hyades_formats::diagnostic::counted;

/// How many words a state of so many bytes has.
#[inline]
pub(super) const fn words(size: usize) -> usize {
    hyades_explore::words(8 * size)
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
/// a little before the state's begin or beyond its end is noticed.
pub(super) struct Place {
    /// The state, and [`GUARD`] words before it and behind it.
    words: Vec<u64>,
    size: usize,
    number: bool,
}

/// How many words are watched on either side.
const GUARD: usize = 8;
/// What is there.
const PATTERN: u8 = 0xA5;
const GUARD_WORD: u64 = u64::from_ne_bytes([PATTERN; 8]);

impl Place {
    /// A place for states of so many bytes.
    pub(super) fn new(size: usize, number: bool) -> Self {
        let mut place = Self {
            words: vec![GUARD_WORD; GUARD + words(size) + GUARD],
            size,
            number,
        };
        place.state_mut().fill(0);
        place
    }

    #[inline]
    fn state(&self) -> &[u64] {
        &self.words[GUARD..][..words(self.size)]
    }

    #[inline]
    fn state_mut(&mut self) -> &mut [u64] {
        &mut self.words[GUARD..][..words(self.size)]
    }

    /// Puts the state into the place.
    #[inline]
    pub(super) fn set(&mut self, state: &[u64]) {
        let number = self.number;
        let words = self.state_mut();
        words.copy_from_slice(state);
        to_machine(words, number);
    }

    /// Puts zeros into the place, for [`Place::get`].
    pub(super) fn clear(&mut self) {
        let size = self.size;
        let bytes = bytes_mut(self.state_mut());
        bytes[..size].fill(0);
        bytes[size..].fill(PATTERN);
    }

    /// Gives the state that is there since [`Place::clear`] to `state`.
    ///
    /// # Errors
    /// If something has been written before or beyond it.
    pub(super) fn get(&self, state: &mut [u64]) -> Result<(), String> {
        let size = self.size;
        let (before, from) = bytes(&self.words).split_at(8 * GUARD);
        for (bytes, place) in [(before, "before"), (&from[size..], "beyond")] {
            if bytes.iter().any(|&byte| byte != PATTERN) {
                return Err(format!(
                    "writes {place} the {} of a state",
                    counted(size, "byte")
                ));
            }
        }
        state.copy_from_slice(self.state());
        let end = state.len();
        from_machine(state, self.number);
        if size < 8 * end && !(self.number && cfg!(target_endian = "big")) {
            state[end - 1] &= u64::MAX >> (64 - 8 * (size % 8));
        }
        Ok(())
    }

    /// Whether the place is as [`Place::set`] has left it.
    #[inline]
    pub(super) fn still_has(&self, state: &[u64]) -> bool {
        let words = self.state();
        let (before, behind) = (&self.words[..GUARD], &self.words[GUARD + words.len()..]);
        let same = match cfg!(target_endian = "little") {
            true => words == state,
            false => {
                let mut words = words.to_vec();
                from_machine(&mut words, self.number);
                words == state
            }
        };
        let mut guards = before.iter().chain(behind);
        same && guards.all(|&word| word == GUARD_WORD)
    }

    /// For a plugin that reads.
    pub(super) fn pointer(&self) -> *const c_void {
        self.words[GUARD..].as_ptr().cast()
    }

    /// For a plugin that writes.
    pub(super) fn pointer_mut(&mut self) -> *mut c_void {
        self.words[GUARD..].as_mut_ptr().cast()
    }
}

fn bytes(words: &[u64]) -> &[u8] {
    let (start, size) = (words.as_ptr().cast(), size_of_val(words));
    // SAFETY: any words are bytes, for as long as they are borrowed.
    unsafe { std::slice::from_raw_parts(start, size) }
}

fn bytes_mut(words: &mut [u64]) -> &mut [u8] {
    let (start, size) = (words.as_mut_ptr().cast(), size_of_val(words));
    // SAFETY: any words are bytes and the reverse, for as long as they are
    // borrowed.
    unsafe { std::slice::from_raw_parts_mut(start, size) }
}
