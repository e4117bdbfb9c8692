//! States that wait to be looked at, in ascending order.

/// A set of numbers, of which the least is taken first: bits, and bits over the words of
/// those, level above level. O(log n) a step for numbers below n, with a logarithm to the
/// base of 64; little more than a bit a number.
pub(super) struct Agenda {
    /// From the bits of the numbers up to a single word.
    levels: Vec<Vec<u64>>,
}

impl Agenda {
    /// No numbers; there may be those below `limit`.
    pub(super) fn new(limit: usize) -> Self {
        let mut levels = Vec::new();
        let mut len = limit;
        loop {
            len = len.div_ceil(64).max(1);
            levels.push(vec![0; len]);
            if len == 1 {
                return Self { levels };
            }
        }
    }

    /// Adds a number.
    #[inline]
    pub(super) fn insert(&mut self, number: u32) {
        let mut place = number as usize;
        for level in &mut self.levels {
            let word = &mut level[place / 64];
            let before = std::mem::replace(word, *word | 1 << (place % 64));
            if before != 0 {
                return;
            }
            place /= 64;
        }
    }

    /// Takes out the least number.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        let mut place = 0;
        for level in self.levels.iter().rev() {
            let word = level[place];
            if word == 0 {
                // Only the topmost word can be empty.
                return None;
            }
            place = 64 * place + word.trailing_zeros() as usize;
        }
        let number = place as u32;
        for level in &mut self.levels {
            let word = &mut level[place / 64];
            *word &= !(1 << (place % 64));
            if *word != 0 {
                break;
            }
            place /= 64;
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hyades_testing::Random;

    use super::*;

    #[test]
    fn the_least_comes_first() {
        for limit in [1, 2, 64, 65, 4096, 4097, 300_000] {
            let mut random = Random::new(limit as u64);
            let (mut agenda, mut expected) = (Agenda::new(limit), BTreeSet::new());
            for _ in 0..5_000 {
                if random.chance(55) {
                    let number = random.between(0, limit - 1) as u32;
                    agenda.insert(number);
                    expected.insert(number);
                } else {
                    assert_eq!(agenda.pop(), expected.pop_first());
                }
            }
            while let Some(number) = expected.pop_first() {
                assert_eq!(agenda.pop(), Some(number));
            }
            assert_eq!(agenda.pop(), None);
        }
    }
}
