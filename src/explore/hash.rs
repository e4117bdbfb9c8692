//! Hashing states.

/// Hashes states by multiplying and folding, seeded at random, so that no model
/// can be made whose states collide.
#[derive(Clone)]
pub(super) struct Hasher {
    seeds: [u64; 4],
    /// The bits of a hash that tests leave, for collisions.
    #[cfg(test)]
    pub(super) mask: u64,
}

impl Hasher {
    pub(super) fn new() -> Self {
        use std::hash::BuildHasher;
        let random = foldhash::fast::RandomState::default();
        Self {
            seeds: [0u64, 1, 2, 3].map(|k| random.hash_one(k) | 1),
            #[cfg(test)]
            mask: u64::MAX,
        }
    }

    /// The hasher of this seed, the same everywhere.
    pub(super) fn seeded(seed: u64) -> Self {
        let mut state = seed;
        // SplitMix64 (Steele, Lea & Flood, Fast splittable pseudorandom number generators,
        // 2014).
        let mut next = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        };
        Self {
            seeds: [(); 4].map(|()| next() | 1),
            #[cfg(test)]
            mask: u64::MAX,
        }
    }

    /// The hash of a state of `W` words, or of any number of words if that is 0.
    #[inline(always)]
    pub(super) fn hash<const W: usize>(&self, state: &[u64]) -> u64 {
        let [a, b, c, d] = self.seeds;
        let hash = match W {
            1 => fold(fold(state[0] ^ a, b) ^ c, d),
            2 => fold(fold(state[0] ^ a, state[1] ^ b) ^ c, d),
            _ => {
                let (pairs, rest) = state.as_chunks();
                let mut hash = a;
                for &[even, odd] in pairs {
                    hash = fold(even ^ hash, odd ^ b);
                }
                if let &[last] = rest {
                    hash = fold(last ^ hash, c);
                }
                fold(hash ^ c, d)
            }
        };
        #[cfg(test)]
        let hash = hash & self.mask;
        hash
    }
}

/// The halves of the product, one laid over the other.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States that differ in a few bits anywhere are spread like random ones:
    /// by their highest bits, which choose the bucket, and their lowest.
    #[test]
    fn hashes_of_similar_states_are_spread() {
        const STATES: usize = 1 << 16;
        let hasher = Hasher::new();
        for words in 1..6 {
            for shift in (0..64).step_by(7) {
                let mut high = vec![0u32; STATES / 8];
                let mut low = vec![0u32; 256];
                for k in 0..STATES as u64 {
                    let mut state = vec![0; words];
                    // Two fields of eight bits.
                    state[0] = (k & 255).rotate_left(shift as u32);
                    state[words - 1] ^= (k >> 8).rotate_left(shift as u32 + 20);
                    let hash = match words {
                        1 => hasher.hash::<1>(&state),
                        2 => hasher.hash::<2>(&state),
                        _ => hasher.hash::<0>(&state),
                    };
                    high[(hash >> (64 - 13)) as usize] += 1;
                    low[hash as usize & 255] += 1;
                }
                // About 8 and 256 of each, Poisson distributed.
                assert!(*high.iter().max().unwrap() < 40, "{words} {shift}");
                let empty = high.iter().filter(|&&n| n == 0).count();
                assert!(empty < 60, "{words} {shift}: {empty}");
                assert!(low.iter().all(|&n| (100..450).contains(&n)), "{low:?}");
            }
        }
    }
}
