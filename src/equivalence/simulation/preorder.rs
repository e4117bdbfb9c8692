//! A preorder on the nodes of a graph, and what the engines that compute it share.

use hyades_base::ascending::is_subset;
use hyades_base::grouped::Grouped;
use hyades_base::interned::Interned;
use hyades_base::parallel;
use hyades_formats::LabelId;

use super::bits::{self, Row};
use crate::{Rows, element};

/// A preorder, by blocks of nodes that are below each other.
pub(super) struct Preorder {
    /// The block of each node.
    pub(super) block: Vec<u32>,
    /// For each block the blocks that it is below.
    pub(super) above: Vec<Row>,
}

impl Preorder {
    /// Whether one node is below another one.
    #[inline]
    pub(super) fn below(&self, p: u32, q: u32) -> bool {
        let above = &self.above[self.block[p as usize] as usize];
        bits::contains(above, self.block[q as usize] as usize)
    }

    /// The class of each node by being below each other; classes are numbered in the
    /// order of their first members. O(k²/64) for k blocks, and a test for each pair.
    pub(super) fn classes(&self) -> (Vec<u32>, u32) {
        let first = |b: usize| {
            let mutual = |&c: &usize| bits::contains(&self.above[c], b);
            // A block is below itself.
            bits::members(&self.above[b])
                .take_while(|&c| c < b)
                .find(mutual)
                .unwrap_or(b)
        };
        let first: Vec<usize> = parallel::map(self.above.len(), 64, first);
        let mut number = vec![u32::MAX; first.len()];
        let mut count = 0;
        let class = self.block.iter().map(|&b| {
            let number = &mut number[first[b as usize]];
            if *number == u32::MAX {
                *number = count;
                count += 1;
            }
            *number
        });
        (class.collect(), count)
    }
}

/// The steps into each node: elements of label and source, ascending. 8 bytes a step.
pub(super) struct Incoming {
    offsets: Vec<u32>,
    elements: Vec<u64>,
}

impl Incoming {
    /// O(m log d).
    pub(super) fn new(rows: Rows<'_>) -> Self {
        let offsets = rows.incoming_starts();
        let mut next = offsets.clone();
        let mut elements = vec![0; rows.targets.len()];
        for s in 0..rows.states() as u32 {
            let (labels, targets) = rows.row(s);
            for (label, target) in labels.iter().zip(targets) {
                let place = &mut next[target.index()];
                elements[*place as usize] = element(label.get(), s);
                *place += 1;
            }
        }
        for bounds in offsets.windows(2) {
            elements[bounds[0] as usize..bounds[1] as usize].sort_unstable();
        }
        Self { offsets, elements }
    }

    #[inline]
    pub(super) fn of(&self, node: u32) -> &[u64] {
        let node = node as usize;
        &self.elements[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }
}

/// The label of an element.
#[inline]
pub(super) const fn label(element: u64) -> u32 {
    (element >> 32) as u32
}

/// The node of an element.
#[inline]
pub(super) const fn node(element: u64) -> u32 {
    element as u32
}

/// What a simulation must respect from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Menus {
    /// The labels of the steps of a state are among those of each that simulates it.
    Included,
    /// They are the same.
    Equal,
}

/// Nodes with the same labels of steps together.
pub(super) struct ByMenu {
    /// The group of each node, numbered in the order of the first nodes.
    pub(super) group: Vec<u32>,
    menus: Interned<u32>,
}

impl ByMenu {
    pub(super) fn new(rows: Rows<'_>) -> Self {
        let mut menus = Interned::default();
        let mut menu = Vec::new();
        let group = (0..rows.states() as u32).map(|s| {
            menu.clear();
            menu.extend(rows.row(s).0.iter().map(|label: &LabelId| label.get()));
            // Rows ascend by label.
            menu.dedup();
            menus.intern(&menu).0
        });
        Self {
            group: group.collect(),
            menus,
        }
    }

    /// How many groups there are.
    pub(super) fn count(&self) -> usize {
        self.menus.len()
    }

    /// For each group those that may simulate it. O(g k l) for g groups with up to l
    /// labels, the rarest of which up to k groups have.
    pub(super) fn above(&self, menus: Menus) -> Vec<Row> {
        let count = self.count();
        let identity = |g: usize| bits::collect(count, std::iter::once(g));
        match menus {
            Menus::Equal => (0..count).map(identity).collect(),
            Menus::Included => {
                let labels = self
                    .menus
                    .iter()
                    .flatten()
                    .max()
                    .map_or(0, |&a| a as usize + 1);
                let entries =
                    (0..count as u32).flat_map(|g| self.menus.get(g).iter().map(move |&a| (a, g)));
                let having: Grouped<u32> = Grouped::new(labels, entries);
                parallel::map(count, 16, |g| {
                    let menu = self.menus.get(g as u32);
                    match menu.iter().min_by_key(|&&a| having.of(a).len()) {
                        None => bits::collect(count, 0..count),
                        Some(&rarest) => {
                            let may = |&&h: &&u32| is_subset(menu, self.menus.get(h));
                            let above = having.of(rarest).iter().filter(may);
                            bits::collect(count, above.map(|&h| h as usize))
                        }
                    }
                })
            }
        }
    }
}
