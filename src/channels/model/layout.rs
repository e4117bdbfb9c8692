//! Where the states of components and the contents of channels are in a state.

use super::super::event::MessageId;

/// Where the state of a component is: bits of one word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) word: usize,
    pub(super) shift: u32,
    pub(super) mask: u64,
}

impl Field {
    #[inline]
    pub(super) fn get(self, words: &[u64]) -> usize {
        (words[self.word] >> self.shift & self.mask) as usize
    }
}

/// Where the contents of a channel are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) word: usize,
    pub(super) shift: u32,
    /// How many bits, the one above the messages included.
    pub(super) width: usize,
    /// Bits of a message.
    pub(super) each: u32,
    /// From states with more messages the search does not go on.
    pub(super) most: usize,
    /// With more messages it is overfilled.
    pub(super) capacity: Option<u32>,
}

impl Slot {
    pub(super) fn is_wide(&self) -> bool {
        self.width > 64
    }

    /// How many words.
    pub(super) fn words(&self) -> usize {
        self.width.div_ceil(64)
    }

    #[inline]
    pub(super) fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.width.min(64))
    }

    /// The contents of a channel within a word.
    #[inline]
    pub(super) fn get(&self, words: &[u64]) -> u64 {
        words[self.word] >> self.shift & self.mask()
    }

    /// How many messages it holds.
    #[inline]
    pub(super) fn len(&self, words: &[u64]) -> usize {
        let highest = if self.is_wide() {
            let limbs = &words[self.word..][..self.words()];
            let top = limbs.iter().rposition(|&limb| limb != 0);
            // There is always the bit above the messages.
            let top = top.expect("a channel has its highest bit");
            64 * top + 63 - limbs[top].leading_zeros() as usize
        } else {
            63 - self.get(words).leading_zeros() as usize
        };
        highest / self.each as usize
    }
}

/// Receptions from a channel, or transmissions to it.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) slot: Slot,
    /// How many bits.
    pub(super) bits: usize,
    /// The messages, the first lowest.
    pub(super) pattern: Vec<u64>,
    /// The same, if they fit.
    pub(super) word: u64,
}

impl Operation {
    pub(super) fn new(slot: Slot, messages: impl Iterator<Item = MessageId>) -> Self {
        let each = slot.each as usize;
        let mut pattern = Vec::new();
        let mut bits = 0;
        for message in messages {
            put(&mut pattern, bits, message.index() as u64, each);
            bits += each;
        }
        Self {
            slot,
            bits,
            word: pattern.first().copied().unwrap_or(0),
            pattern,
        }
    }

    /// Whether the channel has these messages at its head.
    #[inline]
    pub(super) fn is_enabled(&self, words: &[u64]) -> bool {
        if self.slot.is_wide() {
            return self.common(words) == Some(self.bits);
        }
        let contents = self.slot.get(words);
        // More bits than the channel has are received by nobody.
        self.bits < self.slot.width
            && contents >> self.bits != 0
            && (contents ^ self.word) & ((1 << self.bits) - 1) == 0
    }

    /// Whether the channel has a proper prefix of these messages, and nothing else.
    pub(super) fn would_be_enabled(&self, words: &[u64]) -> bool {
        let held = self.slot.len(words) * self.slot.each as usize;
        held < self.bits && self.common(words) == Some(held)
    }

    /// How many bits of messages and contents are the same until one of them ends;
    /// `None` if they differ before.
    pub(super) fn common(&self, words: &[u64]) -> Option<usize> {
        let held = self.slot.len(words) * self.slot.each as usize;
        let both = held.min(self.bits);
        let same = |at: usize| {
            let many = (both - at).min(64);
            let own = take(&self.pattern, at, many);
            own == self.slot.take(words, at, many)
        };
        (0..both).step_by(64).all(same).then_some(both)
    }

    /// Removes these messages, which must be at the head.
    #[inline]
    pub(super) fn receive(&self, words: &mut [u64]) {
        let slot = &self.slot;
        if slot.is_wide() {
            let limbs = &mut words[slot.word..][..slot.words()];
            shift_down(limbs, self.bits);
        } else {
            let contents = slot.get(words);
            words[slot.word] ^= (contents ^ contents >> self.bits) << slot.shift;
        }
    }

    /// Appends these messages, for which there must be room.
    #[inline]
    pub(super) fn transmit(&self, words: &mut [u64]) {
        let slot = &self.slot;
        if slot.is_wide() {
            let end = slot.len(words) * slot.each as usize;
            let limbs = &mut words[slot.word..][..slot.words()];
            limbs[end / 64] ^= 1 << (end % 64);
            for at in (0..self.bits).step_by(64) {
                let many = (self.bits - at).min(64);
                let bits = take(&self.pattern, at, many);
                or(limbs, end + at, bits);
            }
            or(limbs, end + self.bits, 1);
        } else {
            let contents = slot.get(words);
            let end = 63 - contents.leading_zeros();
            // The highest bit moves up over the messages.
            let change = (1 ^ self.word ^ 1 << self.bits) << end;
            words[slot.word] ^= change << slot.shift;
        }
    }
}

/// So many bits, at most 64, from here on; what is beyond the end is 0.
pub(super) fn take(limbs: &[u64], at: usize, many: usize) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    let limb = |k: usize| limbs.get(k).copied().unwrap_or(0);
    let low = limb(word) >> shift;
    let high = if shift == 0 {
        0
    } else {
        limb(word + 1) << (64 - shift)
    };
    match many {
        0 => 0,
        many => (low | high) & u64::MAX >> (64 - many),
    }
}

/// Sets bits from here on.
pub(super) fn or(limbs: &mut [u64], at: usize, bits: u64) {
    let (word, shift) = (at / 64, at % 64);
    limbs[word] |= bits << shift;
    if shift > 0 && bits >> (64 - shift) != 0 {
        limbs[word + 1] |= bits >> (64 - shift);
    }
}

/// Appends bits to a pattern that has `at` bits so far.
pub(super) fn put(pattern: &mut Vec<u64>, at: usize, value: u64, bits: usize) {
    pattern.resize((at + bits).div_ceil(64), 0);
    or(pattern, at, value);
}

/// Drops the lowest bits.
pub(super) fn shift_down(limbs: &mut [u64], bits: usize) {
    for k in 0..limbs.len() {
        limbs[k] = take(limbs, 64 * k + bits, 64);
    }
}

impl Slot {
    /// So many bits of the contents, from here on.
    pub(super) fn take(&self, words: &[u64], at: usize, many: usize) -> u64 {
        match self.is_wide() {
            true => take(&words[self.word..][..self.words()], at, many),
            false => take(&[self.get(words)], at, many),
        }
    }
}
