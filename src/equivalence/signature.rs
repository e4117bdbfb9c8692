//! Signatures of states as 64-bit sums over sets.
//!
//! A state's signature is a set of (label, block) pairs. It is stood for by the
//! sum of a mixed value of each element, which does not depend on the order of
//! the elements. Different sums prove different sets; equal sums are believed
//! for the time being and checked at the end of a refinement.

use hyades_base::parallel;

use super::rows::Rows;

/// One element of a signature: a label and the block that it leads to.
#[inline]
pub(crate) const fn element(label: u32, block: u32) -> u64 {
    (label as u64) << 32 | block as u64
}

/// Turns elements into well-spread values. The seed is fixed, so that runs
/// repeat; the mask narrows the values in tests, to make collisions common.
#[derive(Clone, Copy, Debug)]
pub struct Mixer {
    seed: u64,
    mask: u64,
}

impl Mixer {
    /// The mixer of the `attempt`-th refinement, counted from 0.
    pub const fn new(attempt: u64) -> Self {
        Self::masked(attempt, u64::MAX)
    }

    /// The same with only the bits of `mask` in the values.
    pub const fn masked(attempt: u64, mask: u64) -> Self {
        Self {
            seed: (attempt + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            mask,
        }
    }

    /// The value of an element: a bijection of it (but for the mask).
    #[inline]
    pub const fn value(self, element: u64) -> u64 {
        let mut x = (element ^ self.seed).wrapping_mul(0xd6e8_feb8_6659_fd93);
        x ^= x >> 32;
        x = x.wrapping_mul(0xa076_1d64_78bd_642f);
        x ^= x >> 29;
        x & self.mask
    }

    /// The sum over elements that all differ. O(elements).
    #[inline(always)] // See `Summer::sum`.
    pub fn sum(self, elements: impl Iterator<Item = u64>) -> u64 {
        elements.fold(0, |sum, element| sum.wrapping_add(self.value(element)))
    }

    /// A key for a signature's sum together with the block of its state.
    #[inline]
    pub const fn key(self, sum: u64, block: u32) -> u64 {
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

/// The states without two transitions of one label: the elements of their signatures
/// differ, whatever the blocks are.
pub(super) struct Deterministic {
    bits: Vec<u64>,
}

impl Deterministic {
    /// O(m), in parallel; one bit a state, and 4 bytes a label and thread for a while.
    pub(super) fn new(rows: Rows<'_>) -> Self {
        let n = rows.states();
        let bit = |last: &mut Vec<u32>, s: usize| {
            let (labels, _) = rows.row(s as u32);
            let differ = match labels.len() {
                ..=SHORT => (1..labels.len()).all(|k| !labels[..k].contains(&labels[k])),
                _ => labels.iter().all(|label| {
                    if last.len() <= label.index() {
                        last.resize(label.index() + 1, u32::MAX);
                    }
                    std::mem::replace(&mut last[label.index()], s as u32) != s as u32
                }),
            };
            u64::from(differ) << (s % 64)
        };
        let word = |last: &mut Vec<u32>, k: usize| {
            let states = 64 * k..n.min(64 * k + 64);
            states.fold(0, |word, s| word | bit(last, s))
        };
        Self {
            bits: parallel::map_with(n.div_ceil(64), 1 << 8, word),
        }
    }

    /// The states, borrowed.
    pub(super) fn states(&self) -> DeterministicStates<'_> {
        DeterministicStates { bits: &self.bits }
    }
}

/// The states of [`Deterministic`].
#[derive(Clone, Copy)]
pub(super) struct DeterministicStates<'a> {
    bits: &'a [u64],
}

impl DeterministicStates<'_> {
    /// Whether a state is one of them.
    #[inline]
    pub(super) fn contains(self, state: u32) -> bool {
        self.bits[state as usize / 64] >> (state % 64) & 1 != 0
    }

    /// The sum over the elements of a state's signature, one for each transition in these
    /// rows at the most; duplicates are looked for only where there may be some.
    #[inline(always)] // See `Summer::sum`.
    pub(super) fn sum(
        self,
        rows: Rows<'_>,
        summer: &mut Summer,
        mixer: Mixer,
        state: u32,
        elements: impl Iterator<Item = u64>,
    ) -> u64 {
        match self.contains(state) {
            true => mixer.sum(elements),
            false => summer.sum(mixer, rows.degree(state), elements),
        }
    }
}

/// A set of elements that is summed while it grows; reused from row to row.
#[derive(Default, Debug)]
pub struct Summer {
    short: [u64; SHORT],
    table: Vec<u64>,
}

impl Summer {
    /// The sum over the *distinct* elements among at most `len` given ones.
    /// O(len) expected.
    #[inline(always)] // The innermost loop of every refinement.
    pub fn sum(&mut self, mixer: Mixer, len: usize, elements: impl Iterator<Item = u64>) -> u64 {
        if len > SHORT {
            return self.sum_of_many(mixer, len, elements);
        }
        let (mut sum, mut used) = (0u64, 0);
        for element in elements {
            if !self.short[..used].contains(&element) {
                self.short[used] = element;
                used += 1;
                sum = sum.wrapping_add(mixer.value(element));
            }
        }
        sum
    }

    /// Apart from the loops over states, which are the faster for it.
    #[inline(never)]
    fn sum_of_many(
        &mut self,
        mixer: Mixer,
        len: usize,
        elements: impl Iterator<Item = u64>,
    ) -> u64 {
        let mut sum = 0u64;
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
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyades_formats::{LabelId, StateId};
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
    fn rows_with_equal_labels_are_told() {
        let rows: Vec<Vec<u32>> = (0..200u32)
            .map(|s| {
                let mut row: Vec<u32> = (0..s % 13).map(|k| (s + 7 * k) % 97).collect();
                if s % 3 == 1 {
                    row.extend(row.first().copied());
                }
                row
            })
            .collect();
        let labels: Vec<LabelId> = rows.iter().flatten().map(|&l| LabelId::new(l)).collect();
        let mut offsets = vec![0];
        offsets.extend(rows.iter().scan(0, |sum, row| {
            *sum += row.len() as u32;
            Some(*sum)
        }));
        let found = Deterministic::new(Rows {
            offsets: (&offsets).into(),
            targets: &vec![StateId::default(); labels.len()],
            labels: &labels,
        });
        let mut told = [0, 0];
        for (s, row) in rows.iter().enumerate() {
            let differ = row.iter().collect::<BTreeSet<_>>().len() == row.len();
            assert_eq!(found.states().contains(s as u32), differ, "{row:?}");
            told[usize::from(differ)] += 1;
        }
        assert!(told[0] > 50 && told[1] > 50);
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
