//! Numbers that look random and are fixed for ever.

/// The finaliser of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014): a bijection that
/// spreads every bit over all others.
#[inline]
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The increment of SplitMix64, 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number below `bound` (which is not 0) that looks as if drawn at random,
/// but depends on the arguments only.
///
/// For each `stream` (what is drawn for) the numbers with `index` 0, 1, 2, … are
/// the output of SplitMix64 started at `mix(seed + mix(stream + γ))`, each scaled
/// to the bound by the upper half of a 128-bit product (γ is 2^64 divided by the
/// golden ratio). Any of them can be drawn at any time, so results do not depend on
/// an order or on threads. Uneven by less than `bound / 2^64`.
#[inline]
pub const fn draw(seed: u64, stream: u64, index: u64, bound: u64) -> u64 {
    let start = mix(seed.wrapping_add(mix(stream.wrapping_add(GOLDEN))));
    let z = mix(start.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN)));
    ((z as u128 * bound as u128) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers must never change: members of families depend on them.
    #[test]
    fn fixed_for_ever() {
        // The reference output of SplitMix64 from the state 1234567.
        let first = mix(1_234_567u64.wrapping_add(GOLDEN));
        assert_eq!(first, 6_457_827_717_110_365_317);
        let numbers: Vec<u64> = (0..6).map(|k| draw(1, 2, k, 1000)).collect();
        assert_eq!(numbers, [281, 271, 749, 854, 546, 899]);
    }

    #[test]
    fn even_over_the_range() {
        let mut counts = [0u32; 7];
        for k in 0..70_000 {
            counts[draw(3, 0, k, 7) as usize] += 1;
        }
        assert!(counts.iter().all(|&c| (9_500..10_500).contains(&c)));
    }
}
