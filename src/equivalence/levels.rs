//! Which states part in which round of a refinement.

use hyades_formats::StateId;

/// Which states part in which of the rounds of a refinement of partitions.
///
/// The *level* of two states is the first round whose partition has them in
/// different classes; in round 0 there is one class.
///
/// States get *positions* such that the classes are intervals, in each round.
/// The level of two positions is then the least round in which a boundary
/// appeared between them. 16 to 24 bytes a state.
pub(super) struct Levels {
    /// The state at each position.
    order: Vec<StateId>,
    /// The position of each state.
    position: Vec<u32>,
    boundaries: MinTree,
}

impl Levels {
    /// From the state at each position, the position of each state, and the
    /// round in which a boundary before each position appeared, or `u32::MAX`.
    /// O(states).
    pub(super) fn new(order: &[u32], position: Vec<u32>, boundary: &[u32]) -> Self {
        Self {
            order: order.iter().copied().map(StateId::new).collect(),
            position,
            boundaries: MinTree::new(boundary),
        }
    }

    /// The state at each position.
    pub(super) fn order(&self) -> &[StateId] {
        &self.order
    }

    /// The position of a state.
    pub(super) fn position(&self, state: StateId) -> u32 {
        self.position[state.index()]
    }

    /// The level of two positions; `u32::MAX` if they have not parted.
    /// O(log n).
    pub(super) fn level(&self, x: u32, y: u32) -> u32 {
        let (low, high) = (x.min(y) as usize, x.max(y) as usize);
        self.boundaries.min(low + 1, high + 1)
    }

    /// The positions `start .. end` of the class in round k of the state at `x`.
    /// O(log n).
    pub(super) fn class(&self, x: u32, k: u32) -> (u32, u32) {
        let start = self.boundaries.last_at_most(x as usize, k).unwrap_or(0);
        let end = self.boundaries.first_at_most(x as usize + 1, k);
        (start as u32, end.unwrap_or(self.order.len()) as u32)
    }
}

/// A column of numbers with logarithmic searches: a complete binary tree of
/// minima over its ranges.
struct MinTree {
    /// `tree[1]` is the root, the children of `k` are `2k` and `2k + 1`, the
    /// numbers start at `tree[leaves]`.
    tree: Vec<u32>,
    leaves: usize,
}

impl MinTree {
    fn new(numbers: &[u32]) -> Self {
        let leaves = numbers.len().next_power_of_two();
        let mut tree = vec![u32::MAX; 2 * leaves];
        tree[leaves..leaves + numbers.len()].copy_from_slice(numbers);
        for k in (1..leaves).rev() {
            tree[k] = tree[2 * k].min(tree[2 * k + 1]);
        }
        Self { tree, leaves }
    }

    /// The least of the numbers `from .. to`, or `u32::MAX` if there is none.
    fn min(&self, from: usize, to: usize) -> u32 {
        let (mut low, mut high) = (from + self.leaves, to + self.leaves);
        let mut least = u32::MAX;
        while low < high {
            if low % 2 == 1 {
                least = least.min(self.tree[low]);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                least = least.min(self.tree[high]);
            }
            low /= 2;
            high /= 2;
        }
        least
    }

    /// The first index from `from` on whose number is at most `bound`, which is
    /// below `u32::MAX`.
    fn first_at_most(&self, from: usize, bound: u32) -> Option<usize> {
        if from >= self.leaves {
            return None;
        }
        let mut k = from + self.leaves;
        while self.tree[k] > bound {
            // On to the subtree right of this one.
            while k % 2 == 1 {
                k /= 2;
            }
            if k == 0 {
                return None;
            }
            k += 1;
        }
        while k < self.leaves {
            k *= 2;
            if self.tree[k] > bound {
                k += 1;
            }
        }
        Some(k - self.leaves)
    }

    /// The last index up to `to` whose number is at most `bound`.
    fn last_at_most(&self, to: usize, bound: u32) -> Option<usize> {
        let mut k = to + self.leaves;
        while self.tree[k] > bound {
            // On to the subtree left of this one. The leftmost nodes of all are
            // the powers of two; nothing is left of them.
            while k.is_multiple_of(2) {
                k /= 2;
            }
            if k == 1 {
                return None;
            }
            k -= 1;
        }
        while k < self.leaves {
            k = 2 * k + 1;
            if self.tree[k] > bound {
                k -= 1;
            }
        }
        Some(k - self.leaves)
    }
}
