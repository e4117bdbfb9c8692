//! How many states of a set each of many words separates.

use super::candidates::Extended;
use super::state_set::StateSet;

/// A set of words of one block, of which there are so many at most.
type Words = [u64; LANES];

const LANES: usize = 4;
const BLOCK: usize = 64 * LANES;

/// The words that separate a state from each other one, in blocks of 256; so that they are
/// counted for all words of a block at once.
#[derive(Default)]
pub(super) struct Gains {
    blocks: usize,
    states: usize,
    /// The words that separate each state, block by block.
    words_of: Vec<Words>,
    /// The words of each length from 0 on, block by block.
    of_length: Vec<Words>,
}

impl Gains {
    /// Takes the words for a state.
    pub(super) fn take(&mut self, words: &Extended<'_>, states: usize) {
        self.blocks = words.len().div_ceil(BLOCK);
        self.states = states;
        self.words_of.clear();
        self.words_of.resize(self.blocks * states, [0; LANES]);
        let mut rows = [0; 64];
        for (number, start) in (0..words.len()).step_by(64).enumerate() {
            let end = words.len().min(start + 64);
            let (block, lane) = (number / LANES, number % LANES);
            let mut sets: [&[u64]; 64] = [&[]; 64];
            for (set, k) in sets.iter_mut().zip(start..end) {
                *set = words.get(k).separated;
            }
            let sets = &sets[..end - start];
            for part in 0..states.div_ceil(64) {
                rows.fill(0);
                for (row, set) in rows.iter_mut().zip(sets) {
                    *row = set[part];
                }
                transpose(&mut rows);
                let of_states = &mut self.words_of[block * states..][..states];
                for (words, row) in of_states[part * 64..].iter_mut().zip(rows) {
                    words[lane] = row;
                }
            }
        }
        self.of_length.clear();
        for k in 0..words.len() {
            let place = words.get(k).word.len() * self.blocks + k / BLOCK;
            if self.of_length.len() <= place {
                self.of_length.resize(place + 1, [0; LANES]);
            }
            self.of_length[place][k % BLOCK / 64] |= 1 << (k % 64);
        }
    }

    /// The word that separates most of some states for what it costs, which is its length and
    /// `anew`; of the same worth the first. `None` if none is worth anything.
    pub(super) fn best(&self, rest: &StateSet, anew: u64) -> Option<usize> {
        let left = rest.len();
        let worth = |gain: u32, length: u64| u64::from(gain) * 10_000 / (anew + length);
        let mut best: Option<(u64, usize)> = None;
        for block in 0..self.blocks {
            let counts = self.count(rest, left, block);
            let of_length = self.of_length.iter().skip(block).step_by(self.blocks);
            for (length, &words) in (0..).zip(of_length) {
                if best.is_some_and(|best| worth(left, length) < best.0) {
                    break;
                }
                let Some((gain, first)) = most(words, &counts[..bits(left)]) else {
                    continue;
                };
                let (worth, first) = (worth(gain, length), block * BLOCK + first);
                let is_better =
                    |best: (u64, usize)| worth > best.0 || worth == best.0 && first < best.1;
                if worth > 0 && best.is_none_or(is_better) {
                    best = Some((worth, first));
                }
            }
        }
        best.map(|(_, first)| first)
    }

    /// Counts, for each word of a block, the states of a set that it separates, at most so many:
    /// the last bits of the counts, the next ones, and so on.
    fn count(&self, of: &StateSet, most: u32, block: usize) -> [Words; u32::BITS as usize] {
        let words_of = &self.words_of[block * self.states..][..self.states];
        let mut counts = [[0; LANES]; u32::BITS as usize];
        for state in of.iter() {
            let mut carry = words_of[state as usize];
            for count in &mut counts[..bits(most)] {
                for (count, carry) in count.iter_mut().zip(&mut carry) {
                    (*count, *carry) = (*count ^ *carry, *count & *carry);
                }
            }
        }
        counts
    }
}

/// How many bits numbers have that are at most this one.
fn bits(most: u32) -> usize {
    (u32::BITS - most.leading_zeros()) as usize
}

/// Of some words the largest count, and the first that has it; `None` of no words.
fn most(words: Words, counts: &[Words]) -> Option<(u32, usize)> {
    let (mut largest, mut count) = (words, 0);
    for (bit, counts) in counts.iter().enumerate().rev() {
        let mut have = largest;
        have.iter_mut()
            .zip(counts)
            .for_each(|(words, counts)| *words &= counts);
        if have != [0; LANES] {
            largest = have;
            count |= 1 << bit;
        }
    }
    let lane = largest.iter().position(|&words| words != 0)?;
    Some((count, lane * 64 + largest[lane].trailing_zeros() as usize))
}

/// Transposes a matrix of 64 rows of 64 bits: of four quarters two change places, and then the
/// quarters of each.
fn transpose(rows: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, u64::from(u32::MAX));
    while width > 0 {
        for block in rows.chunks_exact_mut(2 * width) {
            let (upper, lower) = block.split_at_mut(width);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let differ = (*upper >> width ^ *lower) & mask;
                *upper ^= differ << width;
                *lower ^= differ;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
}
