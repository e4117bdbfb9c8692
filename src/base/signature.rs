//! Hashes of 128 bits that stand for signatures until those are compared.

/// What stands for a signature.
pub type Key = u128;

/// Turns signatures into keys. The seed is fixed, so that runs repeat.
#[derive(Clone, Copy, Debug)]
pub struct Hasher {
    seed: u64,
    /// Narrows what stands for signatures, in tests, to make collisions common.
    mask: u128,
}

const FACTORS: [u64; 4] = [
    0x9e37_79b9_7f4a_7c15,
    0xd6e8_feb8_6659_fd93,
    0xa076_1d64_78bd_642f,
    0xe703_7ed1_a0b4_28db,
];

/// The halves of a product, added bit by bit.
#[inline(always)]
const fn folded(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

impl Hasher {
    /// That of the `attempt`-th refinement, counted from 0; all bits of `mask` are used.
    pub const fn new(attempt: u64, mask: u128) -> Self {
        let seed = (attempt + 1).wrapping_mul(FACTORS[0]);
        Self { seed, mask }
    }

    /// The key of a signature, of which the elements are given in their order, in a block.
    #[inline]
    pub fn key(self, block: u64, elements: &[u64]) -> Key {
        let mut a = self.seed;
        let mut b = self.seed ^ FACTORS[2] ^ elements.len() as u64;
        for &element in elements {
            a = folded(a ^ element ^ FACTORS[1], FACTORS[3] ^ b);
            b = folded(b.rotate_left(23) ^ element, FACTORS[0]).wrapping_add(element);
        }
        let sum = (u128::from(a) << 64 | u128::from(b)) & self.mask;
        let (a, b) = ((sum >> 64) as u64, sum as u64);
        let block = block.wrapping_mul(FACTORS[0]);
        let high = folded(a ^ block, FACTORS[1] ^ self.seed) ^ b;
        let low = folded(b ^ block.rotate_left(32), FACTORS[2] ^ self.seed) ^ a;
        u128::from(high) << 64 | u128::from(low)
    }
}
