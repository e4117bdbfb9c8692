//! Up to [`LANES`] blocks or nodes that are followed along steps side by side: one bit for
//! each of them at every node.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hyades_base::bits::ones;

use super::agenda::Agenda;

/// How many are followed at once: half a line of the cache.
pub(super) const LANES: usize = 256;

/// How many of these are in use.
pub(super) const IN_USE: usize = if cfg!(test) { 5 } else { LANES };

const WORDS: usize = LANES / 64;

/// A set of lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub(super) struct Lanes([u64; WORDS]);

impl Lanes {
    pub(super) const NONE: Self = Self([0; WORDS]);

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline]
    pub(super) fn insert(&mut self, lane: usize) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }

    #[inline]
    pub(super) fn without(mut self, lane: usize) -> Self {
        self.0[lane / 64] &= !(1 << (lane % 64));
        self
    }

    #[inline]
    pub(super) fn contains(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn add(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    /// The lanes of `among` that differ from the lane before them: one is in this set, and
    /// the other one is not.
    #[inline]
    pub(super) fn steps(&self, among: &Self) -> Self {
        let mut last = 0;
        let mut steps = Self::NONE;
        for k in 0..WORDS {
            let word = self.0[k];
            steps.0[k] = (word ^ (word << 1 | last >> 63)) & among.0[k];
            last = word;
        }
        steps
    }

    /// The lanes, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        ones(self.0.into_iter()).map(|lane| lane as usize)
    }

    /// A number that tells this set from others, by these keys.
    #[inline]
    pub(super) fn folded(&self, keys: &FoldKeys) -> u64 {
        let mut sum = 0u64;
        for (word, [first, second]) in self.0.iter().zip(&keys.0) {
            let product = u128::from(word ^ first) * u128::from(*second);
            sum = sum.wrapping_add(product as u64 ^ (product >> 64) as u64);
        }
        sum
    }
}

/// Random numbers for [`Lanes::folded`].
pub(super) struct FoldKeys([[u64; 2]; WORDS]);

impl FoldKeys {
    /// What `value` makes of small numbers.
    pub(super) fn new(value: impl Fn(u64) -> u64) -> Self {
        let key = |k: usize| [value(2 * k as u64), value(2 * k as u64 + 1) | 1];
        Self(std::array::from_fn(key))
    }
}

/// In which order nodes are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Ascending,
    Descending,
}

/// A set of lanes for each node. Sets of no lanes are not listed.
pub(super) struct Field {
    lanes: Vec<Lanes>,
    order: Order,
    /// The nodes whose sets will be added to those of others.
    open: Agenda,
    /// The nodes whose sets are complete, in the order in which they became so.
    touched: Vec<u32>,
}

impl Field {
    /// No lanes at all. [`LANES`] bits a node.
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            lanes: vec![Lanes::NONE; nodes],
            order: Order::Ascending,
            open: Agenda::new(nodes),
            touched: Vec::new(),
        }
    }

    /// The nodes with lanes.
    pub(super) fn touched(&self) -> &[u32] {
        &self.touched
    }

    #[inline]
    pub(super) fn get(&self, v: u32) -> &Lanes {
        &self.lanes[v as usize]
    }

    /// The number of a node in the order of visits, and the node with a number.
    #[inline]
    fn turn(&self, v: u32) -> u32 {
        match self.order {
            Order::Ascending => v,
            Order::Descending => (self.lanes.len() - 1) as u32 - v,
        }
    }

    /// From now on nodes are visited in this order. There must be no lanes.
    pub(super) fn begin(&mut self, order: Order) {
        debug_assert!(self.touched.is_empty());
        self.order = order;
    }

    /// Adds a lane at a node.
    #[inline]
    pub(super) fn insert(&mut self, v: u32, lane: usize) {
        self.lanes[v as usize].insert(lane);
        self.open.insert(self.turn(v));
    }

    /// Adds some lanes, of which there is one at least.
    #[inline]
    pub(super) fn add(&mut self, v: u32, lanes: &Lanes) {
        self.lanes[v as usize].add(lanes);
        self.open.insert(self.turn(v));
    }

    /// Adds the lanes of each node to those of the nodes that `next` gives for it, which
    /// must come later in the order.
    #[inline]
    pub(super) fn spread<I: Iterator<Item = u32>>(&mut self, next: impl Fn(u32) -> I) {
        while let Some(turn) = self.open.pop() {
            let v = self.turn(turn);
            self.touched.push(v);
            let lanes = self.lanes[v as usize];
            for t in next(v) {
                self.add(t, &lanes);
            }
        }
    }

    /// No lane goes further than it has been added.
    pub(super) fn stay(&mut self) {
        self.spread(|_| std::iter::empty());
    }

    /// Takes all lanes away.
    pub(super) fn clear(&mut self) {
        for v in self.touched.drain(..) {
            self.lanes[v as usize] = Lanes::NONE;
        }
    }
}

/// How much may be done before another way is tried.
pub(super) struct Patience {
    most: u64,
    done: AtomicU64,
}

impl Patience {
    /// For so many visits of nodes.
    pub(super) fn new(most: u64) -> Self {
        Self {
            most,
            done: AtomicU64::new(0),
        }
    }

    pub(super) fn without_end() -> Self {
        Self::new(u64::MAX)
    }

    /// The nodes of a field were visited.
    pub(super) fn spend(&self, field: &Field) {
        self.done.fetch_add(field.touched().len() as u64, Relaxed);
    }

    /// Whether more has been done than may be.
    pub(super) fn is_over(&self) -> bool {
        self.done.load(Relaxed) > self.most
    }
}
