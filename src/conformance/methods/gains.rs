//! How many states of a set each of many words separates.

use super::candidates::Candidates;
use super::state_set::StateSet;

/// The words that separate a state from each other one, 64 to a number; so that they are
/// counted for 64 words at once.
#[derive(Default)]
pub(super) struct Gains {
    /// The numbers for a state.
    lanes: usize,
    /// The words that separate each state.
    words_of: Vec<u64>,
    /// The words of each length, from 0 on.
    of_length: Vec<u64>,
    /// Counts of all words: their last bits, the next ones, and so on.
    counts: Vec<u64>,
    carry: Vec<u64>,
    /// Words of one length, and of these the ones with the largest counts.
    most: Vec<u64>,
}

impl Gains {
    /// Takes the words for a state.
    pub(super) fn take(&mut self, words: &Candidates, states: usize) {
        self.lanes = words.len().div_ceil(64);
        self.words_of.clear();
        self.words_of.resize(states * self.lanes, 0);
        let mut block = [0; 64];
        for lane in 0..self.lanes {
            let start = lane * 64;
            let end = words.len().min(start + 64);
            for part in 0..states.div_ceil(64) {
                block.fill(0);
                for k in start..end {
                    block[k - start] = words.separated(k)[part];
                }
                transpose(&mut block);
                let rows = self.words_of[part * 64 * self.lanes..].chunks_mut(self.lanes);
                for (row, bits) in rows.zip(block) {
                    row[lane] = bits;
                }
            }
        }
        self.of_length.clear();
        for k in 0..words.len() {
            let row = words.length(k) as usize * self.lanes;
            if self.of_length.len() <= row {
                self.of_length.resize(row + self.lanes, 0);
            }
            self.of_length[row + k / 64] |= 1 << (k % 64);
        }
    }

    /// The word that separates most of some states for what it costs, which is its length and
    /// `anew`; of the same worth the first. `None` if none is worth anything.
    pub(super) fn best(&mut self, rest: &StateSet, anew: u64) -> Option<usize> {
        let left = rest.len();
        let bits = (u32::BITS - left.leading_zeros()) as usize;
        self.count(rest, bits);
        let worth = |gain: u32, length: u64| u64::from(gain) * 10_000 / (anew + length);
        let mut best: Option<(u64, usize)> = None;
        let of_length = self.of_length.chunks_exact(self.lanes);
        for (length, words) in (0..).zip(of_length) {
            if best.is_some_and(|best| worth(left, length) < best.0) {
                break;
            }
            if words.iter().all(|&words| words == 0) {
                continue;
            }
            self.most.clear();
            self.most.extend_from_slice(words);
            let mut gain = 0;
            for bit in (0..bits).rev() {
                let counts = &self.counts[bit * self.lanes..][..self.lanes];
                let both = || self.most.iter().zip(counts).map(|(own, bits)| own & bits);
                if both().any(|both| both != 0) {
                    let counts = counts.iter();
                    let words = self.most.iter_mut().zip(counts);
                    words.for_each(|(own, bits)| *own &= bits);
                    gain |= 1 << bit;
                }
            }
            let worth = worth(gain, length);
            let lane = self.most.iter().position(|&words| words != 0);
            let lane = lane.expect("a word has this length");
            let first = lane * 64 + self.most[lane].trailing_zeros() as usize;
            let better = |best: (u64, usize)| worth > best.0 || worth == best.0 && first < best.1;
            if worth > 0 && best.is_none_or(better) {
                best = Some((worth, first));
            }
        }
        best.map(|(_, first)| first)
    }

    /// Counts, for each word, the states of a set that it separates: numbers of so many bits.
    fn count(&mut self, of: &StateSet, bits: usize) {
        self.counts.clear();
        self.counts.resize(bits * self.lanes, 0);
        for state in of.iter() {
            let words = &self.words_of[state as usize * self.lanes..][..self.lanes];
            self.carry.clear();
            self.carry.extend_from_slice(words);
            for counts in self.counts.chunks_exact_mut(self.lanes) {
                for (count, carry) in counts.iter_mut().zip(&mut self.carry) {
                    (*count, *carry) = (*count ^ *carry, *count & *carry);
                }
            }
        }
    }
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
