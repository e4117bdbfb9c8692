//! Signatures of states as 64-bit sums over sets.
//!
//! A state's signature is a set of (label, block) pairs. It is stood for by the
//! sum of a mixed value of each element, which does not depend on the order of
//! the elements. Different sums prove different sets; equal sums are believed
//! for the time being and checked at the end of a refinement.

/// One element of a signature: a label and the block that it leads to.
#[inline]
pub(crate) const fn element(label: u32, block: u32) -> u64 {
    (label as u64) << 32 | block as u64
}

/// Turns elements into well-spread values. The seed is fixed, so that runs
/// repeat; the mask narrows the values in tests, to make collisions common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mixer {
    seed: u64,
    mask: u64,
}

impl Mixer {
    /// The mixer of the `attempt`-th refinement, counted from 0.
    pub(super) const fn new(attempt: u64) -> Self {
        Self::masked(attempt, u64::MAX)
    }

    /// The same with only the bits of `mask` in the values.
    pub(super) const fn masked(attempt: u64, mask: u64) -> Self {
        Self {
            seed: (attempt + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            mask,
        }
    }

    /// The value of an element: a bijection of it (but for the mask).
    #[inline]
    pub(super) const fn value(self, element: u64) -> u64 {
        let mut x = (element ^ self.seed).wrapping_mul(0xd6e8_feb8_6659_fd93);
        x ^= x >> 32;
        x = x.wrapping_mul(0xa076_1d64_78bd_642f);
        x ^= x >> 29;
        x & self.mask
    }

    /// A key for a signature's sum together with the block of its state.
    #[inline]
    pub(super) const fn key(self, sum: u64, block: u32) -> u64 {
        let mut x = sum ^ (block as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = x.wrapping_mul(0xd6e8_feb8_6659_fd93);
        x ^= x >> 32;
        x
    }
}

/// Rows up to this length are searched for duplicates pair by pair.
const SHORT: usize = 8;

/// An element that occurs in no signature: block `u32::MAX` does not exist.
const NOTHING: u64 = u64::MAX;

/// A set of elements that is summed while it grows; reused from row to row.
#[derive(Default)]
pub(super) struct Summer {
    short: [u64; SHORT],
    table: Vec<u64>,
}

impl Summer {
    /// The sum over the *distinct* elements among at most `len` given ones.
    /// O(len) expected.
    #[inline(always)] // The innermost loop of every refinement.
    pub(super) fn sum(
        &mut self,
        mixer: Mixer,
        len: usize,
        elements: impl Iterator<Item = u64>,
    ) -> u64 {
        let mut sum = 0u64;
        if len <= SHORT {
            let mut used = 0;
            for element in elements {
                if !self.short[..used].contains(&element) {
                    self.short[used] = element;
                    used += 1;
                    sum = sum.wrapping_add(mixer.value(element));
                }
            }
        } else {
            let size = (2 * len).next_power_of_two();
            if self.table.len() < size {
                self.table.resize(size, NOTHING);
            }
            let table = &mut self.table[..size];
            table.fill(NOTHING);
            for element in elements {
                let value = mixer.value(element);
                let mut slot = value as usize & (size - 1);
                while table[slot] != NOTHING && table[slot] != element {
                    slot = (slot + 1) & (size - 1);
                }
                if table[slot] == NOTHING {
                    table[slot] = element;
                    sum = sum.wrapping_add(value);
                }
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn sums_count_each_element_once_in_any_order() {
        let mixer = Mixer::new(0);
        let mut summer = Summer::default();
        for len in [0, 1, 2, 7, 8, 9, 40, 300] {
            let row: Vec<u64> = (0..len)
                .map(|i| element(i as u32 % 5, i as u32 % 7))
                .collect();
            let set: BTreeSet<u64> = row.iter().copied().collect();
            let expected = set
                .iter()
                .fold(0u64, |s, &e| s.wrapping_add(mixer.value(e)));
            assert_eq!(summer.sum(mixer, len, row.iter().copied()), expected);
            assert_eq!(summer.sum(mixer, len, row.iter().rev().copied()), expected);
        }
    }

    #[test]
    fn the_masked_mixer_still_deduplicates() {
        let mixer = Mixer::masked(3, 1);
        let row = [1u64, 2, 1, 3, 2, 4, 5, 6, 7, 8, 9, 9];
        let set: BTreeSet<u64> = row.iter().copied().collect();
        let expected = set
            .iter()
            .fold(0u64, |s, &e| s.wrapping_add(mixer.value(e)));
        assert_eq!(
            Summer::default().sum(mixer, row.len(), row.iter().copied()),
            expected
        );
    }
}
