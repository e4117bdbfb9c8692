//! The greatest simulation as a partition of the nodes and a relation between its blocks:
//! what it takes in memory depends on how many classes of similarity there are, not on
//! how many nodes.
//!
//! After F. Ranzato, F. Tapparo, "An efficient simulation algorithm based on abstract
//! interpretation", Information and Computation 208(1), 2010. The blocks that a block is
//! below always hold a set of nodes that is closed upwards by similarity. Its
//! predecessors by a label are such a set too, so that nodes within can be told from
//! nodes without, and whoever simulates one within is within. As in the engine by
//! matrices, a block is looked at again when it lost something, and there are no
//! counters.

use std::collections::VecDeque;

use hyades_formats::{LabelId, TooLarge};

use super::bits::{self, Row};
use super::preorder::{Incoming, Preorder, label, node};
use crate::{Refinable, Rows, element};

/// A lost node costs about so many times the work of one that is left.
const LOST_COST: usize = 3;

/// The greatest simulation within the preorder that puts a node below those of the groups
/// above its own.
///
/// For n nodes, m steps of which up to d of a node have the same label, and k blocks in
/// the end: k²/4 bytes, 16 a step and 24 a node; O(k m d + k³/64) time.
///
/// # Errors
/// If there are more than `limit` blocks.
pub(super) fn greatest(
    rows: Rows<'_>,
    group: Vec<u32>,
    above: Vec<Row>,
    limit: u64,
) -> Result<Preorder, TooLarge> {
    let mut sizes = vec![0; above.len()];
    group.iter().for_each(|&g| sizes[g as usize] += 1);
    let blocks = above.len();
    let mut engine = Engine {
        rows,
        incoming: Incoming::new(rows),
        parts: Refinable::new(group, &sizes),
        above: above.into_iter().map(Vec::from).collect(),
        before: (0..blocks).map(|_| Before::Nothing).collect(),
        waits: vec![true; blocks],
        queue: (0..blocks as u32).collect(),
        limit,
    };
    engine.check_limit()?;
    while let Some(block) = engine.queue.pop_front() {
        engine.look_at(block)?;
    }
    let Engine { parts, above, .. } = engine;
    Ok(Preorder {
        block: parts.into_blocks().0,
        above: above.into_iter().map(Vec::into_boxed_slice).collect(),
    })
}

/// There are more classes of similarity than that.
pub(super) const fn too_many(limit: u64) -> TooLarge {
    let what = "classes of similar states";
    TooLarge { what, limit }
}

/// What the row of a block held when its predecessors heard of it last.
#[derive(Clone)]
enum Before {
    /// They never have.
    Nothing,
    /// The same as now.
    Same,
    Row(Vec<u64>),
}

struct Engine<'a> {
    rows: Rows<'a>,
    incoming: Incoming,
    parts: Refinable,
    /// For each block those that it is below. Rows grow with the number of blocks.
    above: Vec<Vec<u64>>,
    before: Vec<Before>,
    /// Whether the block is in the queue.
    waits: Vec<bool>,
    queue: VecDeque<u32>,
    limit: u64,
}

impl Engine<'_> {
    fn check_limit(&self) -> Result<(), TooLarge> {
        match self.parts.count() as u64 > self.limit {
            true => Err(too_many(self.limit)),
            false => Ok(()),
        }
    }

    /// Tells the predecessors of a block which blocks it is below.
    fn look_at(&mut self, block: u32) -> Result<(), TooLarge> {
        let b = block as usize;
        self.waits[b] = false;
        let before = std::mem::replace(&mut self.before[b], Before::Same);
        let into = self.incoming_of(block);
        if into.is_empty() {
            return Ok(());
        }
        let now = self.above[b].clone();
        let before = match before {
            Before::Nothing => None,
            Before::Same => return Ok(()),
            Before::Row(row) => {
                let size = |c: usize| self.parts.members(c as u32).len();
                let mut lost = 0;
                bits::for_each_without(&row, &now, |c| lost += size(c));
                let left: usize = bits::members(&now).map(size).sum();
                (lost * LOST_COST < left).then_some(row)
            }
        };
        // All labels before the first split: the blocks of `now` change by it.
        let is_lost = before.is_some();
        let found = match before {
            Some(before) => self.find_lost(&into, &before, &now),
            None => self.find_left(&into, &now),
        };
        let mut sources = into.chunk_by(|&x, &y| label(x) == label(y));
        for found in found.chunk_by(|&x, &y| label(x) == label(y)) {
            let of_label = |run: &&[u64]| label(run[0]) == label(found[0]);
            // Labels ascend in both, and those found are among those of the steps.
            let sources = sources.by_ref().find(of_label).unwrap_or_default();
            self.separate(found)?;
            self.restrict(sources, found, is_lost);
        }
        Ok(())
    }

    /// The steps into the nodes of a block: labels and sources, ascending, each once.
    fn incoming_of(&self, block: u32) -> Vec<u64> {
        let members = self.parts.members(block).iter();
        let mut into: Vec<u64> = members
            .flat_map(|&s| self.incoming.of(s))
            .copied()
            .collect();
        into.sort_unstable();
        into.dedup();
        into
    }

    /// For each label of these steps the nodes with a step to a node of some blocks.
    fn find_left(&self, into: &[u64], now: &[u64]) -> Vec<u64> {
        let mut found = Vec::new();
        for c in bits::members(now) {
            for &q in self.parts.members(c as u32) {
                found.extend(common(self.incoming.of(q), into));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// For each label of these steps the nodes with a step to a node of the blocks before,
    /// and none to a node of the blocks that are left.
    fn find_lost(&self, into: &[u64], before: &[u64], now: &[u64]) -> Vec<u64> {
        let mut found = Vec::new();
        bits::for_each_without(before, now, |c| {
            for &q in self.parts.members(c as u32) {
                found.extend(common(self.incoming.of(q), into));
            }
        });
        found.sort_unstable();
        found.dedup();
        let blocks = self.parts.blocks();
        found.retain(|&e| {
            let targets = self.rows.successors(node(e), LabelId::new(label(e)));
            !targets
                .iter()
                .any(|t| bits::contains(now, blocks[t.index()] as usize))
        });
        found
    }

    /// Splits all blocks into what is among these nodes and what is not.
    fn separate(&mut self, found: &[u64]) -> Result<(), TooLarge> {
        for &e in found {
            self.parts.mark(node(e));
        }
        let old = self.parts.count();
        // Of each new block the one that it was a part of.
        let mut origins = Vec::new();
        let (mut keyed, mut moved) = (Vec::new(), Vec::new());
        for block in self.parts.take_touched() {
            keyed.clear();
            keyed.extend(self.parts.marked(block).iter().map(|&s| (1, s)));
            let rest = self.parts.unmarked(block).map(|_| 0);
            self.parts.split(block, &mut keyed, rest, &mut moved);
            origins.resize(self.parts.count() - old, block);
        }
        self.check_limit()?;
        self.grow(&origins);
        Ok(())
    }

    /// Lets new blocks stand where the blocks do that they were parts of.
    fn grow(&mut self, origins: &[u32]) {
        if origins.is_empty() {
            return;
        }
        let old = self.above.len();
        for (new, &origin) in (old as u32..).zip(origins) {
            let origin = origin as usize;
            self.above.push(self.above[origin].clone());
            self.before.push(self.before[origin].clone());
            self.waits.push(self.waits[origin]);
            if self.waits[origin] {
                self.queue.push_back(new);
            }
        }
        let words = bits::words(self.above.len());
        let widen = |row: &mut Vec<u64>| {
            row.resize(words, 0);
            for (new, &origin) in (old..).zip(origins) {
                if bits::contains(row, origin as usize) {
                    bits::insert(row, new);
                }
            }
        };
        self.above.iter_mut().for_each(widen);
        for before in &mut self.before {
            if let Before::Row(row) = before {
                widen(row);
            }
        }
    }

    /// Whoever simulates one of the sources is among the nodes found, or, if they are
    /// lost, is not.
    fn restrict(&mut self, sources: &[u64], found: &[u64], is_lost: bool) {
        let blocks = self.parts.blocks();
        let block = |&e: &u64| blocks[node(e) as usize] as usize;
        let mask = bits::collect(self.parts.count(), found.iter().map(block));
        let below = bits::collect(self.parts.count(), sources.iter().map(block));
        let keep = |old: u64, mask: u64| match is_lost {
            true => old & !mask,
            false => old & mask,
        };
        for c in bits::members(&below) {
            let row = &mut self.above[c];
            if row.iter().zip(&mask).all(|(&old, &m)| keep(old, m) == old) {
                continue;
            }
            if matches!(self.before[c], Before::Same) {
                self.before[c] = Before::Row(row.clone());
            }
            row.iter_mut()
                .zip(&mask)
                .for_each(|(old, &m)| *old = keep(*old, m));
            if !std::mem::replace(&mut self.waits[c], true) {
                self.queue.push_back(c as u32);
            }
        }
    }
}

/// The elements of a list whose labels occur in another one; both ascend.
fn common<'a>(list: &'a [u64], with: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
    let mut rest = with;
    list.iter().copied().filter(move |&e| {
        // Skips by binary search: the other list may be much longer.
        if rest.first().is_some_and(|&first| label(first) < label(e)) {
            rest = &rest[rest.partition_point(|&x| x < element(label(e), 0))..];
        }
        rest.first().is_some_and(|&first| label(first) == label(e))
    })
}
