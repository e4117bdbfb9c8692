//! States of a model with a number beside each, packed as one.

use hyades_explore::words;

/// How many bits a state has, and the number behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joined {
    state: usize,
    number: usize,
}

impl Joined {
    /// For states of so many bits, and numbers up to `most`.
    pub fn new(state: usize, most: u32) -> Self {
        let number = (u32::BITS - most.leading_zeros()) as usize;
        Self { state, number }
    }

    /// How many bits both have; if they cannot be counted, more than can be stored.
    pub fn bits(self) -> usize {
        self.state.saturating_add(self.number)
    }

    /// The number behind a state.
    pub fn number(self, both: &[u64]) -> u32 {
        let (at, shift) = (self.state / 64, self.state % 64);
        let mut number = both.get(at).map_or(0, |word| word >> shift);
        if shift > 0 {
            number |= both.get(at + 1).map_or(0, |word| word << (64 - shift));
        }
        (number & ((1 << self.number) - 1)) as u32
    }

    /// The state and the number.
    pub fn split(self, both: &[u64]) -> (Vec<u64>, u32) {
        let mut state = both[..words(self.state)].to_vec();
        let (at, shift) = (self.state / 64, self.state % 64);
        if shift > 0 {
            state[at] &= (1 << shift) - 1;
        } else if self.state == 0 {
            // A model of one state has a word too, which holds the number here.
            state[0] = 0;
        }
        (state, self.number(both))
    }

    /// Packs a state and a number into words of as many bits.
    pub fn join(self, state: &[u64], number: u32, both: &mut [u64]) {
        both.fill(0);
        both[..state.len()].copy_from_slice(state);
        let (at, shift) = (self.state / 64, self.state % 64);
        if let Some(word) = both.get_mut(at) {
            *word |= u64::from(number) << shift;
        }
        if shift > 0 && at + 1 < both.len() {
            both[at + 1] |= u64::from(number) >> (64 - shift);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyades_testing::Random;

    #[test]
    fn what_is_joined_is_split() {
        let mut random = Random::new(1);
        for bits in 0..200 {
            for most in [0, 1, 2, 255, 256, u32::MAX] {
                let joined = Joined::new(bits, most);
                let mut state: Vec<u64> = (0..words(bits)).map(|_| random.bits()).collect();
                let last = bits - 64 * (state.len() - 1);
                if last < 64 {
                    *state.last_mut().unwrap() &= (1 << last) - 1;
                }
                let number = random.bits() as u32 & most;
                let mut both = vec![u64::MAX; words(joined.bits())];
                joined.join(&state, number, &mut both);
                assert_eq!(joined.split(&both), (state, number), "{bits} {most}");
            }
        }
    }
}
