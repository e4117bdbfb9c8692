//! Pairs of a node and an implementation's state as bits.

use hyades_explore::{Model, words};

/// How pairs are packed: the bits of the implementation's state, then those of the
/// node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// How many bits of the implementation's state are kept.
    state_bits: usize,
    /// At least 1.
    node_bits: usize,
    /// The words of an implementation's state.
    state_words: usize,
}

impl Layout {
    /// The layout for nodes up to `last_node`, which is not 0, and states of `model`. Of states that
    /// are numbers, as few bits are kept as these need.
    pub(super) fn new(last_node: u32, model: &impl Model) -> Self {
        let bits_of = |number: u32| (u32::BITS - number.leading_zeros()) as usize;
        let bits = model.bits();
        Self {
            state_bits: match model.numbers() {
                Some(numbers) => bits_of(numbers.saturating_sub(1)).min(bits),
                None => bits,
            },
            node_bits: bits_of(last_node),
            state_words: words(bits),
        }
    }

    /// The bits of a pair; if they cannot be counted, more than can be stored.
    pub(super) fn bits(&self) -> usize {
        self.state_bits.saturating_add(self.node_bits)
    }

    /// The words of an implementation's state.
    pub(super) fn state_words(&self) -> usize {
        self.state_words
    }

    /// Packs a pair.
    #[inline]
    pub(super) fn join(&self, node: u32, state: &[u64], pair: &mut [u64]) {
        let (at, bit) = (self.state_bits / 64, self.state_bits % 64);
        let kept = state.len().min(pair.len());
        pair[..kept].copy_from_slice(&state[..kept]);
        pair[kept..].fill(0);
        pair[at] |= u64::from(node) << bit;
        if bit + self.node_bits > 64 {
            pair[at + 1] |= u64::from(node) >> (64 - bit);
        }
    }

    /// The node of a pair, whose state goes to `state`.
    #[inline]
    pub(super) fn split(&self, pair: &[u64], state: &mut [u64]) -> u32 {
        let (at, bit) = (self.state_bits / 64, self.state_bits % 64);
        state.copy_from_slice(&pair[..self.state_words]);
        if let Some(last) = state.get_mut(at) {
            *last &= (1 << bit) - 1;
        }
        let mut node = pair[at] >> bit;
        if bit + self.node_bits > 64 {
            node |= pair[at + 1] << (64 - bit);
        }
        node as u32
    }
}

#[cfg(test)]
mod tests {
    use hyades_testing::Random;

    use super::*;

    #[test]
    fn pairs_are_taken_apart_again() {
        let mut random = Random::new(1);
        for state_bits in 0..200 {
            for node_bits in 1..=32 {
                let layout = Layout {
                    state_bits,
                    node_bits,
                    state_words: words(state_bits),
                };
                let mut state = vec![0; words(state_bits)];
                for bit in 0..state_bits {
                    state[bit / 64] |= (random.bits() & 1) << (bit % 64);
                }
                let node = (random.bits() & ((1 << node_bits) - 1)) as u32;
                let mut pair = vec![u64::MAX; words(layout.bits())];
                layout.join(node, &state, &mut pair);
                let stray = layout.bits() - 64 * (pair.len() - 1);
                assert!(stray == 64 || pair[pair.len() - 1] >> stray == 0);
                let mut again = vec![u64::MAX; words(state_bits)];
                assert_eq!(layout.split(&pair, &mut again), node);
                assert_eq!(again, state, "{state_bits} and {node_bits} bits");
            }
        }
    }
}
