//! A bit for each state.

use std::ops::Range;

/// A set of states.
#[derive(Clone, Debug)]
pub struct Bits {
    words: Vec<u64>,
    count: u64,
}

impl Bits {
    /// None of so many states.
    pub fn new(states: usize) -> Self {
        Self {
            words: vec![0; states.div_ceil(64)],
            count: 0,
        }
    }

    /// All of so many states.
    pub fn all(states: usize) -> Self {
        let mut all = Self::new(states);
        (0..states as u32).for_each(|state| {
            all.insert(state);
        });
        all
    }

    /// Of how many states.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether a state is in the set.
    ///
    /// # Panics
    /// If there is no such state.
    #[inline]
    pub fn contains(&self, state: u32) -> bool {
        self.words[state as usize / 64] >> (state % 64) & 1 != 0
    }

    /// Adds a state; whether it is new.
    #[inline]
    pub fn insert(&mut self, state: u32) -> bool {
        let word = &mut self.words[state as usize / 64];
        let bit = 1 << (state % 64);
        // A branch: optimised by rustc 1.95, the addition of a comparison's result to the
        // count is lost where a caller branches on it, too.
        if *word & bit != 0 {
            return false;
        }
        *word |= bit;
        self.count += 1;
        true
    }

    /// Takes a state out, if it is in.
    #[inline]
    pub fn remove(&mut self, state: u32) {
        let word = &mut self.words[state as usize / 64];
        let bit = 1 << (state % 64);
        if *word & bit != 0 {
            *word &= !bit;
            self.count -= 1;
        }
    }

    /// Whether there is one of these states.
    pub fn meets(&self, states: Range<u64>) -> bool {
        let (first, last) = (states.start / 64, states.end.div_ceil(64));
        (first..last).any(|k| {
            let mut word = self.words[k as usize];
            if k == first {
                word &= u64::MAX << (states.start % 64);
            }
            if k == states.end / 64 {
                word &= !(u64::MAX << (states.end % 64));
            }
            word != 0
        })
    }

    /// The states, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.words.iter().enumerate().flat_map(|(k, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    64 * k as u32 + bit
                })
            })
        })
    }
}

/// A set that tells for each of its states how many smaller ones it has.
#[derive(Clone, Debug)]
pub struct Ranked {
    bits: Bits,
    /// How many there are before each [`GROUP`] of words.
    before: Vec<u32>,
}

/// Words that are counted together.
const GROUP: usize = 8;

impl Ranked {
    /// 1/16 byte a state more.
    pub fn new(bits: Bits) -> Self {
        let mut count = 0;
        let groups = bits.words.chunks(GROUP);
        let before = groups.map(|words| {
            let before = count;
            count += words.iter().map(|word| word.count_ones()).sum::<u32>();
            before
        });
        Self {
            before: before.collect(),
            bits,
        }
    }

    /// The set.
    pub fn bits(&self) -> &Bits {
        &self.bits
    }

    /// How many smaller states are in the set.
    #[inline]
    pub fn rank(&self, state: u32) -> u32 {
        let word = state as usize / 64;
        let first = word / GROUP * GROUP;
        let words = self.bits.words[first..word].iter();
        let below = self.bits.words[word] & !(u64::MAX << (state % 64));
        self.before[word / GROUP]
            + words.map(|word| word.count_ones()).sum::<u32>()
            + below.count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_ranks() {
        let states = 2000;
        let mut plain = vec![false; states];
        let mut bits = Bits::new(states);
        for k in 0..700u64 {
            let state = crate::draw(7, k, 0, states as u64) as u32;
            assert_eq!(bits.insert(state), !plain[state as usize]);
            plain[state as usize] = true;
            if k % 3 == 0 {
                let gone = crate::draw(7, k, 1, states as u64) as u32;
                bits.remove(gone);
                plain[gone as usize] = false;
            }
        }
        let all: Vec<u32> = (0..states as u32).filter(|&s| plain[s as usize]).collect();
        assert!(bits.iter().eq(all.iter().copied()));
        assert_eq!(bits.count(), all.len() as u64);
        for (from, to) in [
            (0, 0),
            (3, 4),
            (64, 128),
            (100, 101),
            (1990, 2000),
            (5, 1999),
        ] {
            for to in to..(to + 70).min(states as u64) {
                let expected = (from..to).any(|s| plain[s as usize]);
                assert_eq!(bits.meets(from..to), expected, "{from} {to}");
            }
        }
        let ranked = Ranked::new(bits);
        for (rank, &state) in all.iter().enumerate() {
            assert_eq!(ranked.rank(state), rank as u32);
        }
    }
}
