//! A bit for each state.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::parallel;

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
        ones(self.words.iter().copied())
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

/// A set that several threads may add to at the same time. Whoever asks meanwhile may see
/// it without what was added last.
#[derive(Debug)]
pub struct SharedBits {
    words: Vec<AtomicU64>,
    len: usize,
}

impl SharedBits {
    /// None of `0 .. len`.
    pub fn new(len: usize) -> Self {
        let words = (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { words, len }
    }

    /// Those of `0 .. len` whose bits are 1 in these words, of 64 numbers each, the first one
    /// lowest. In parallel.
    pub fn from_words(len: usize, word: impl Fn(usize) -> u64 + Sync) -> Self {
        let words = parallel::map(len.div_ceil(64), 1 << 10, |k| {
            let rest = len - 64 * k;
            let mask = if rest < 64 { (1 << rest) - 1 } else { u64::MAX };
            AtomicU64::new(word(k) & mask)
        });
        Self { words, len }
    }

    /// The bits of `64 k .. 64 (k + 1)`.
    ///
    /// # Panics
    /// If none of these is below the length.
    #[inline]
    pub fn word(&self, k: usize) -> u64 {
        self.words[k].load(Relaxed)
    }

    /// Whether a number is in the set.
    ///
    /// # Panics
    /// If it is not below the length.
    #[inline]
    pub fn contains(&self, number: usize) -> bool {
        self.word(number / 64) >> (number % 64) & 1 != 0
    }

    /// Adds a number; whether it is new, which only one of several threads is told.
    ///
    /// # Panics
    /// If it is not below the length.
    #[inline]
    pub fn insert(&self, number: usize) -> bool {
        let (word, bit) = (&self.words[number / 64], 1 << (number % 64));
        // Most are there already: looking is cheaper than writing.
        word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
    }

    /// Adds a number while no other thread adds any, which takes less time. What others add
    /// at the same time may get lost.
    ///
    /// # Panics
    /// If it is not below the length.
    #[inline]
    pub fn insert_alone(&self, number: usize) {
        let word = &self.words[number / 64];
        word.store(word.load(Relaxed) | 1 << (number % 64), Relaxed);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| word.load(Relaxed) == 0)
    }

    /// All others below the length.
    pub fn complement(&self) -> Self {
        Self::from_words(self.len, |k| !self.word(k))
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        ones(self.words.iter().map(|word| word.load(Relaxed)))
    }
}

/// The places of bits that are 1 in words of 64, the first place lowest; ascending.
pub fn ones(words: impl Iterator<Item = u64> + Clone) -> impl Iterator<Item = u32> + Clone {
    words.enumerate().flat_map(|(k, mut rest)| {
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                64 * k as u32 + bit
            })
        })
    })
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

    /// Of threads that add the same numbers, one is told that each is new.
    #[test]
    fn threads_share_a_set() {
        let len = 1000;
        let set = SharedBits::new(len);
        let new = parallel::map_with(8, 1, |_: &mut (), _| {
            (0..len).step_by(3).filter(|&k| set.insert(k)).count()
        });
        let expected: Vec<u32> = (0..len as u32).step_by(3).collect();
        assert_eq!(new.iter().sum::<usize>(), expected.len());
        assert!(set.iter().eq(expected));
        let rest = set.complement();
        assert!((0..len).all(|k| rest.contains(k) == (k % 3 != 0)));
        assert_eq!(rest.word(len / 64) >> (len % 64), 0);
        rest.insert_alone(999);
        rest.insert_alone(3);
        assert!(rest.contains(999) && rest.contains(3) && !rest.contains(6));
        assert!(!rest.is_empty() && SharedBits::new(len).is_empty());
        assert_eq!(
            SharedBits::from_words(70, |k| k as u64)
                .iter()
                .collect::<Vec<_>>(),
            [64]
        );
    }
}
