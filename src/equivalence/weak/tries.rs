//! Sets of blocks, and maps from labels to such sets, each kept once.
//!
//! Both are binary tries without nodes of one child (Morrison 1968; Okasaki & Gill, "Fast
//! mergeable integer maps", 1998), and equal subtries are one: so equal sets have equal
//! numbers, the union of two sets takes no longer than they differ, and a chain of sets
//! of which each has one element more than the one before it takes the logarithm of its
//! length for each, not its length.

use hashbrown::HashTable;

use crate::element;
use crate::signature::Mixer;

/// The number of what has no elements.
pub(super) const EMPTY: u32 = u32::MAX;

/// Set in the numbers of leaves.
const LEAF: u32 = 1 << 31;

/// Unions that are remembered at the least and at the most.
const CACHED: [usize; 2] = [1 << 8, 1 << 22];

/// What stands at a leaf.
pub(super) trait Value: Copy + Eq {
    /// Bits that tell it from most others.
    fn bits(self) -> u64;

    /// What a leaf with this key adds to the sums of all that have it. It depends on the
    /// elements alone, not on the numbers of tries.
    fn sum(self, key: u32, mixer: Mixer) -> u64;
}

/// 64 neighbouring blocks.
impl Value for u64 {
    fn bits(self) -> u64 {
        self
    }

    fn sum(self, key: u32, mixer: Mixer) -> u64 {
        mixer.value(self ^ mixer.value(u64::from(key)))
    }
}

/// The set that stands for a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SetOf {
    pub(super) set: u32,
    /// The sum of the set.
    pub(super) sum: u64,
}

impl Value for SetOf {
    fn bits(self) -> u64 {
        u64::from(self.set)
    }

    fn sum(self, key: u32, mixer: Mixer) -> u64 {
        mixer.value(self.sum ^ mixer.value(u64::from(key)))
    }
}

/// A node with two children.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Branch {
    /// What the keys below have in common, then a one where they differ, then zeros.
    prefix: u32,
    /// Without and with that bit.
    children: [u32; 2],
}

/// Tries with shared parts. A node takes about 32 bytes.
pub(super) struct Trie<V> {
    leaves: Vec<(u32, V)>,
    branches: Vec<Branch>,
    /// The sum of the leaves below each branch.
    sums: Vec<u64>,
    leaf_index: HashTable<u32>,
    branch_index: HashTable<u32>,
    /// Unions that were found lately: both parts and the result.
    cache: Vec<[u32; 3]>,
    mixer: Mixer,
}

/// Sets of blocks.
pub(super) type Sets = Trie<u64>;

/// Maps from labels to sets.
pub(super) type Maps = Trie<SetOf>;

/// Spreads the numbers in the tables.
const SPREAD: Mixer = Mixer::new(0);

fn leaf_hash<V: Value>(&(key, value): &(u32, V)) -> u64 {
    SPREAD.value(value.bits() ^ u64::from(key).rotate_left(32))
}

fn branch_hash(branch: &Branch) -> u64 {
    let [left, right] = branch.children;
    SPREAD.value(element(left, right) ^ u64::from(branch.prefix).rotate_left(17))
}

/// Whether a key, or a prefix below that of a branch, belongs below that branch.
fn belongs(key: u32, prefix: u32) -> bool {
    let bit = prefix & prefix.wrapping_neg();
    (key ^ prefix) & !((bit << 1).wrapping_sub(1)) == 0
}

/// On which side of a branch.
fn side(key: u32, prefix: u32) -> usize {
    usize::from(key & (prefix & prefix.wrapping_neg()) != 0)
}

impl<V: Value> Trie<V> {
    /// No tries, whose sums will be by this mixer.
    pub(super) fn new(mixer: Mixer) -> Self {
        Self {
            leaves: Vec::new(),
            branches: Vec::new(),
            sums: Vec::new(),
            leaf_index: HashTable::new(),
            branch_index: HashTable::new(),
            cache: vec![[EMPTY; 3]; CACHED[0]],
            mixer,
        }
    }

    /// The number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.leaves.len() + self.branches.len()
    }

    /// The sum over the leaves of a trie: equal for equal tries, whatever their numbers
    /// are. O(1).
    #[inline]
    pub(super) fn sum(&self, trie: u32) -> u64 {
        if trie == EMPTY {
            0
        } else if trie & LEAF != 0 {
            let (key, value) = self.leaves[(trie ^ LEAF) as usize];
            value.sum(key, self.mixer)
        } else {
            self.sums[trie as usize]
        }
    }

    /// The trie with a single leaf.
    #[inline]
    pub(super) fn leaf(&mut self, key: u32, value: V) -> u32 {
        let leaves = &mut self.leaves;
        let new = (key, value);
        let hash = leaf_hash(&new);
        if let Some(&known) = self
            .leaf_index
            .find(hash, |&k| leaves[(k ^ LEAF) as usize] == new)
        {
            return known;
        }
        let number = leaves.len() as u32 | LEAF;
        leaves.push(new);
        self.leaf_index
            .insert_unique(hash, number, |&k| leaf_hash(&leaves[(k ^ LEAF) as usize]));
        number
    }

    #[inline]
    fn branch(&mut self, prefix: u32, children: [u32; 2]) -> u32 {
        let new = Branch { prefix, children };
        let branches = &mut self.branches;
        let hash = branch_hash(&new);
        if let Some(&known) = self
            .branch_index
            .find(hash, |&k| branches[k as usize] == new)
        {
            return known;
        }
        let number = branches.len() as u32;
        branches.push(new);
        self.branch_index
            .insert_unique(hash, number, |&k| branch_hash(&branches[k as usize]));
        let [left, right] = children.map(|child| self.sum(child));
        self.sums.push(left.wrapping_add(right));
        if self.branches.len() > self.cache.len() && self.cache.len() < CACHED[1] {
            let len = 4 * self.cache.len();
            self.cache.clear();
            self.cache.resize(len, [EMPTY; 3]);
        }
        number
    }

    /// The key of a leaf or the prefix of a branch.
    #[inline]
    fn key(&self, trie: u32) -> u32 {
        match trie & LEAF != 0 {
            true => self.leaves[(trie ^ LEAF) as usize].0,
            false => self.branches[trie as usize].prefix,
        }
    }

    /// The union of two tries; `join` is asked for the value where both have a key. In
    /// proportion to the nodes that are not in both, and less if parts of it were asked
    /// for before. The recursion is as deep as keys have bits.
    pub(super) fn union(&mut self, x: u32, y: u32, join: &mut impl FnMut(V, V) -> V) -> u32 {
        if x == y || y == EMPTY {
            return x;
        }
        if x == EMPTY {
            return y;
        }
        // Branches have smaller numbers than leaves.
        let (x, y) = (x.min(y), x.max(y));
        if x & LEAF != 0 {
            let (key, value) = self.leaves[(x ^ LEAF) as usize];
            let (other, with) = self.leaves[(y ^ LEAF) as usize];
            return match key == other {
                true => self.leaf(key, join(value, with)),
                false => self.apart(x, key, y, other),
            };
        }
        let place = SPREAD.value(element(x, y)) as usize & (self.cache.len() - 1);
        let [first, second, known] = self.cache[place];
        if (first, second) == (x, y) {
            return known;
        }
        let found = self.union_below(x, y, join);
        // The cache may have grown.
        let place = SPREAD.value(element(x, y)) as usize & (self.cache.len() - 1);
        self.cache[place] = [x, y, found];
        found
    }

    /// The union of a branch and another node.
    fn union_below(&mut self, x: u32, y: u32, join: &mut impl FnMut(V, V) -> V) -> u32 {
        let (of_x, of_y) = (self.key(x), self.key(y));
        let [left, right] = self.branches[x as usize].children;
        let lowest = |key: u32| key & key.wrapping_neg();
        if y & LEAF == 0 && of_x == of_y {
            let [other_left, other_right] = self.branches[y as usize].children;
            let left = self.union(left, other_left, join);
            let right = self.union(right, other_right, join);
            return self.branch(of_x, [left, right]);
        }
        if belongs(of_y, of_x) && (y & LEAF != 0 || lowest(of_y) < lowest(of_x)) {
            return self.union_into(x, y, of_y, join);
        }
        if y & LEAF == 0 && belongs(of_x, of_y) && lowest(of_x) < lowest(of_y) {
            return self.union_into(y, x, of_x, join);
        }
        self.apart(x, of_x, y, of_y)
    }

    /// The union of a branch and a node that belongs below it.
    fn union_into(
        &mut self,
        branch: u32,
        node: u32,
        key: u32,
        join: &mut impl FnMut(V, V) -> V,
    ) -> u32 {
        let Branch {
            prefix,
            mut children,
        } = self.branches[branch as usize];
        let child = &mut children[side(key, prefix)];
        let grown = self.union(*child, node, join);
        if grown == *child {
            return branch;
        }
        *child = grown;
        self.branch(prefix, children)
    }

    /// The union of two nodes of which none belongs below the other.
    fn apart(&mut self, x: u32, of_x: u32, y: u32, of_y: u32) -> u32 {
        let bit = 1 << (31 - (of_x ^ of_y).leading_zeros());
        let prefix = of_x & !(bit - 1) | bit;
        let children = match of_x & bit == 0 {
            true => [x, y],
            false => [y, x],
        };
        self.branch(prefix, children)
    }

    /// The union of all these; of neighbours first. Leaves nothing in the list.
    pub(super) fn union_in_order(
        &mut self,
        tries: &mut Vec<u32>,
        join: &mut impl FnMut(V, V) -> V,
    ) -> u32 {
        while tries.len() > 1 {
            let pairs = tries.len() / 2;
            for k in 0..pairs {
                tries[k] = self.union(tries[2 * k], tries[2 * k + 1], join);
            }
            if tries.len() % 2 == 1 {
                tries[pairs] = tries[2 * pairs];
            }
            tries.truncate(tries.len().div_ceil(2));
        }
        tries.pop().unwrap_or(EMPTY)
    }

    /// The same, after these were sorted and each is there once.
    pub(super) fn union_all(
        &mut self,
        tries: &mut Vec<u32>,
        join: &mut impl FnMut(V, V) -> V,
    ) -> u32 {
        if tries.len() > 1 {
            tries.sort_unstable();
            tries.dedup();
        }
        self.union_in_order(tries, join)
    }

    /// The value at a key. O(bits of a key).
    pub(super) fn get(&self, trie: u32, key: u32) -> Option<V> {
        let mut node = trie;
        if node == EMPTY {
            return None;
        }
        while node & LEAF == 0 {
            let Branch { prefix, children } = self.branches[node as usize];
            if !belongs(key, prefix) {
                return None;
            }
            node = children[side(key, prefix)];
        }
        let (there, value) = self.leaves[(node ^ LEAF) as usize];
        (there == key).then_some(value)
    }

    /// Visits the leaves, with ascending keys.
    pub(super) fn for_each(&self, trie: u32, mut visit: impl FnMut(u32, V)) {
        // Never longer than keys have bits.
        let mut open = Vec::new();
        open.extend((trie != EMPTY).then_some(trie));
        while let Some(node) = open.pop() {
            if node & LEAF != 0 {
                let (key, value) = self.leaves[(node ^ LEAF) as usize];
                visit(key, value);
            } else {
                let [left, right] = self.branches[node as usize].children;
                open.extend([right, left]);
            }
        }
    }
}

/// The value where two sets have a key.
pub(super) fn either(x: u64, y: u64) -> u64 {
    x | y
}

impl Sets {
    /// The set of one block.
    #[inline]
    pub(super) fn singleton(&mut self, block: u32) -> u32 {
        self.leaf(block / 64, 1 << (block % 64))
    }

    /// Whether a block is in a set.
    #[inline]
    pub(super) fn contains(&self, set: u32, block: u32) -> bool {
        self.get(set, block / 64)
            .is_some_and(|mask| mask >> (block % 64) & 1 == 1)
    }

    /// Visits the blocks of a set, ascending.
    pub(super) fn for_each_block(&self, set: u32, mut visit: impl FnMut(u32)) {
        self.for_each(set, |key, mut mask| {
            while mask != 0 {
                visit(64 * key + mask.trailing_zeros());
                mask &= mask - 1;
            }
        });
    }
}

/// Copies those tries that are still wanted.
pub(super) struct Copier<V> {
    old: Trie<V>,
    leaves: Vec<u32>,
    branches: Vec<u32>,
}

impl<V: Value> Copier<V> {
    /// From these tries. 4 bytes a node.
    pub(super) fn new(old: Trie<V>) -> Self {
        Self {
            leaves: vec![EMPTY; old.leaves.len()],
            branches: vec![EMPTY; old.branches.len()],
            old,
        }
    }

    /// The same trie among the new ones, with values changed by `value`.
    pub(super) fn copy(
        &mut self,
        new: &mut Trie<V>,
        trie: u32,
        value: &mut impl FnMut(V) -> V,
    ) -> u32 {
        if trie == EMPTY {
            return EMPTY;
        }
        let known = match trie & LEAF != 0 {
            true => self.leaves[(trie ^ LEAF) as usize],
            false => self.branches[trie as usize],
        };
        if known != EMPTY {
            return known;
        }
        if trie & LEAF != 0 {
            let (key, old) = self.old.leaves[(trie ^ LEAF) as usize];
            let number = new.leaf(key, value(old));
            self.leaves[(trie ^ LEAF) as usize] = number;
            return number;
        }
        let Branch { prefix, children } = self.old.branches[trie as usize];
        let children = children.map(|child| self.copy(new, child, value));
        let number = new.branch(prefix, children);
        self.branches[trie as usize] = number;
        number
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use hyades_testing::Random;

    use super::*;

    fn content(sets: &Sets, set: u32) -> Vec<u32> {
        let mut blocks = Vec::new();
        sets.for_each_block(set, |b| blocks.push(b));
        blocks
    }

    #[test]
    fn sets_are_sets_and_equal_ones_have_one_number() {
        for mask in [u64::MAX, 3] {
            let mut sets = Sets::new(Mixer::masked(1, mask));
            let mut random = Random::new(mask);
            let mut known: Vec<(BTreeSet<u32>, u32)> = vec![(BTreeSet::new(), EMPTY)];
            let mut numbers: BTreeMap<BTreeSet<u32>, u32> = BTreeMap::new();
            for _ in 0..3_000 {
                let limit = [1, 70, 300, 100_000, u32::MAX as usize - 1][random.between(0, 4)];
                let (set, number) = if random.chance(40) {
                    let block = random.between(0, limit) as u32;
                    (BTreeSet::from([block]), sets.singleton(block))
                } else {
                    let some: Vec<usize> = (0..random.between(1, 5))
                        .map(|_| random.between(0, known.len() - 1))
                        .collect();
                    let all = some.iter().flat_map(|&k| known[k].0.iter().copied());
                    let mut parts = some.iter().map(|&k| known[k].1).collect();
                    (all.collect(), sets.union_all(&mut parts, &mut either))
                };
                assert!(content(&sets, number).iter().eq(&set));
                assert_eq!(*numbers.entry(set.clone()).or_insert(number), number);
                for _ in 0..3 {
                    let block = random.between(0, limit) as u32;
                    assert_eq!(sets.contains(number, block), set.contains(&block));
                }
                if set.len() < 300 {
                    known.push((set, number));
                }
            }
            assert!(numbers.len() > 1_000);

            // What is copied is the same, and has the same sums.
            let sums: Vec<u64> = known.iter().map(|&(_, k)| sets.sum(k)).collect();
            let (mut copier, mut new) = (Copier::new(sets), Sets::new(Mixer::masked(1, mask)));
            for ((set, number), sum) in known.into_iter().zip(sums).step_by(3) {
                let number = copier.copy(&mut new, number, &mut |value| value);
                assert!(content(&new, number).iter().eq(&set));
                assert_eq!(new.sum(number), sum);
            }
        }
    }

    #[test]
    fn a_chain_of_sets_takes_little_memory() {
        let mut sets = Sets::new(Mixer::new(0));
        let mut all = EMPTY;
        let n = 50_000;
        for block in 0..n {
            let one = sets.singleton(block);
            all = sets.union(all, one, &mut either);
        }
        assert_eq!(content(&sets, all).len(), n as usize);
        assert!(sets.nodes() < 14 * n as usize, "{}", sets.nodes());
    }
}
