//! Signatures: what can be done with hidden steps before and behind, into which blocks.
//!
//! R(s) is the set of the blocks of the nodes t with s ⇒ t; it is that of s itself and
//! those of its successors by hidden steps. M(s) maps each visible label a to the set of
//! the blocks of the nodes t with s ⇒a⇒ t (or s ⇒a t): the union of M at the hidden
//! successors, and of R(t) (the block of t) for s –a→ t. Both are the same for all nodes
//! of a class.

use hyades_formats::LabelId;
use hyades_lts::StateSet;

use super::steps::Steps;
use super::tries::{Copier, EMPTY, Maps, SetOf, Sets, Value as _, either};
use crate::signature::Mixer;

/// Signatures of nodes under construction.
pub(super) struct Closures<'a> {
    pub(super) steps: &'a Steps<'a>,
    pub(super) mixer: Mixer,
    pub(super) sets: Sets,
    pub(super) maps: Maps,
    /// R of each node.
    pub(super) reach: Vec<u32>,
    /// M of each node that is kept because other nodes need it or have to do with it.
    pub(super) moves: Vec<u32>,
    /// The sum over M of each node, by which labels with their sets are told.
    pub(super) sums: Vec<u64>,
    /// The nodes with hidden transitions, from or to them.
    pub(super) silent: StateSet,
    /// How many parts of sets there may be before they are looked through.
    room: usize,
    /// How many parts have been left out by now.
    left_out: usize,
    /// How many signatures have been asked for.
    asked: usize,
    parts: Vec<u32>,
    own: Vec<u32>,
}

/// Parts of sets before they are looked through for the first time.
const ROOM: usize = if cfg!(test) { 1 << 5 } else { 1 << 18 };

/// Parts that may be made without anything in return.
const GIVEN: usize = if cfg!(test) { 1 << 5 } else { 1 << 14 };

impl<'a> Closures<'a> {
    /// Nothing is known of these nodes.
    pub(super) fn new(steps: &'a Steps<'a>, mixer: Mixer) -> Self {
        let n = steps.rows.states();
        let mut silent = StateSet::new(n);
        for v in 0..n as u32 {
            if steps.hidden[v as usize] > 0 {
                silent.insert(v as usize);
                steps.below(v).for_each(|t| {
                    silent.insert(t as usize);
                });
            }
        }
        Self {
            steps,
            mixer,
            sets: Sets::new(mixer),
            maps: Maps::new(mixer),
            reach: vec![EMPTY; n],
            moves: vec![EMPTY; n],
            sums: vec![0; n],
            silent,
            room: ROOM.max(n / 2),
            left_out: 0,
            asked: 0,
            parts: Vec::new(),
            own: Vec::new(),
        }
    }

    /// R of a node, given that of the nodes below it.
    pub(super) fn reach_of(&mut self, v: u32, block: &[u32]) -> u32 {
        self.asked += 1;
        let mut parts = std::mem::take(&mut self.parts);
        parts.push(self.sets.singleton(block[v as usize]));
        parts.extend(self.steps.below(v).map(|t| self.reach[t as usize]));
        let found = self.sets.union_all(&mut parts, &mut either);
        self.parts = parts;
        found
    }

    /// The union of R of the nodes below a node.
    pub(super) fn reach_below(&mut self, v: u32) -> u32 {
        self.asked += 1;
        let mut parts = std::mem::take(&mut self.parts);
        parts.extend(self.steps.below(v).map(|t| self.reach[t as usize]));
        let found = self.sets.union_all(&mut parts, &mut either);
        self.parts = parts;
        found
    }

    /// A set and one more block.
    pub(super) fn with(&mut self, set: u32, block: u32) -> u32 {
        let block = self.sets.singleton(block);
        self.sets.union(set, block, &mut either)
    }

    /// What of M the visible steps of a node itself give: for each label, in ascending
    /// order, `visit` is given the set.
    fn each_own(&mut self, v: u32, block: &[u32], mut visit: impl FnMut(&mut Maps, u32, SetOf)) {
        let mut parts = std::mem::take(&mut self.parts);
        let mut steps = self.steps.visible(v).peekable();
        while let Some((label, t)) = steps.next() {
            parts.push(self.behind(t, block));
            while let Some((_, t)) = steps.next_if(|&(next, _)| next == label) {
                parts.push(self.behind(t, block));
            }
            let set = self.sets.union_all(&mut parts, &mut either);
            let sum = self.sets.sum(set);
            visit(&mut self.maps, label.get(), SetOf { set, sum });
        }
        self.parts = parts;
    }

    /// Where a visible step to a node leads.
    #[inline]
    fn behind(&mut self, t: u32, block: &[u32]) -> u32 {
        match self.steps.kind.goes_on() {
            true => self.reach[t as usize],
            false => self.sets.singleton(block[t as usize]),
        }
    }

    /// M of a node, given R where its visible steps lead and M of the nodes below it.
    pub(super) fn moves_of(&mut self, v: u32, block: &[u32]) -> u32 {
        let mut own = std::mem::take(&mut self.own);
        self.each_own(v, block, |maps, label, set| own.push(maps.leaf(label, set)));
        self.joined_with(own, self.steps.below(v))
    }

    /// M of a node as [`eta`](super::eta) has it, given R where its steps lead and M of the
    /// nodes below it that are in its block.
    pub(super) fn moves_inside(&mut self, v: u32, block: &[u32]) -> u32 {
        let here = block[v as usize];
        let below = self.steps.below(v);
        let mut parts = std::mem::take(&mut self.parts);
        parts.push(self.sets.singleton(here));
        let others = below.clone().filter(|&t| block[t as usize] != here);
        parts.extend(others.map(|t| self.reach[t as usize]));
        let set = self.sets.union_all(&mut parts, &mut either);
        self.parts = parts;
        let sum = self.sets.sum(set);
        let mut own = std::mem::take(&mut self.own);
        own.push(self.maps.leaf(LabelId::HIDDEN.get(), SetOf { set, sum }));
        self.each_own(v, block, |maps, label, set| own.push(maps.leaf(label, set)));
        self.joined_with(own, below.filter(|&t| block[t as usize] == here))
    }

    /// The union of maps of one label each, ascending, and of M of some nodes.
    fn joined_with(&mut self, mut own: Vec<u32>, nodes: impl Iterator<Item = u32>) -> u32 {
        self.asked += 1;
        let Self { sets, maps, .. } = self;
        let mut join = joined(sets);
        let all = maps.union_in_order(&mut own, &mut join);
        own.extend((all != EMPTY).then_some(all));
        for t in nodes {
            let there = self.moves[t as usize];
            own.extend((there != EMPTY).then_some(there));
        }
        let found = maps.union_all(&mut own, &mut join);
        self.own = own;
        found
    }

    /// The sum over M of a node without hidden transitions, given R where its steps lead.
    pub(super) fn sum_of(&mut self, v: u32, block: &[u32]) -> u64 {
        let mut sum = 0u64;
        let mixer = self.mixer;
        self.each_own(v, block, |_, label, set| {
            sum = sum.wrapping_add(set.sum(label, mixer));
        });
        sum
    }

    /// The sum over R and M of a node.
    pub(super) fn key(&self, v: u32) -> u64 {
        let reached = SetOf {
            set: self.reach[v as usize],
            sum: self.sets.sum(self.reach[v as usize]),
        };
        reached
            .sum(LabelId::HIDDEN.get(), self.mixer)
            .wrapping_add(self.sums[v as usize])
    }

    /// R and M of a node, exactly: labels and numbers of sets, ascending.
    pub(super) fn exactly(&mut self, v: u32, block: &[u32], found: &mut Vec<(u32, u32)>) {
        found.clear();
        found.push((LabelId::HIDDEN.get(), self.reach[v as usize]));
        if self.silent.contains(v as usize) {
            let moves = self.moves[v as usize];
            self.maps
                .for_each(moves, |label, of| found.push((label, of.set)));
        } else {
            self.each_own(v, block, |_, label, of| found.push((label, of.set)));
        }
    }

    fn parts(&self) -> usize {
        self.sets.nodes() + self.maps.nodes()
    }

    /// Whether the sets have so little in common that they had better not be kept: whether
    /// more parts were made for each signature than a set takes, about, that differs from
    /// one that is there in a single block.
    #[inline]
    pub(super) fn is_crowded(&self) -> bool {
        let each = self.reach.len().max(1).ilog2() as usize + 4;
        self.parts() + self.left_out > each * self.asked + GIVEN
    }

    /// Leaves out the sets that no node has, if there are many by now. O(n + parts of
    /// sets), but not more often than so many parts are made.
    pub(super) fn tidy(&mut self) {
        let parts = self.parts();
        if parts < self.room {
            return;
        }
        let sets = std::mem::replace(&mut self.sets, Sets::new(self.mixer));
        let maps = std::mem::replace(&mut self.maps, Maps::new(self.mixer));
        let (mut old_sets, mut old_maps) = (Copier::new(sets), Copier::new(maps));
        for set in &mut self.reach {
            *set = old_sets.copy(&mut self.sets, *set, &mut |value| value);
        }
        let mut value = |of: SetOf| SetOf {
            set: old_sets.copy(&mut self.sets, of.set, &mut |value| value),
            sum: of.sum,
        };
        for map in &mut self.moves {
            *map = old_maps.copy(&mut self.maps, *map, &mut value);
        }
        let left = self.parts();
        self.left_out += parts - left;
        self.room = (2 * left).max(ROOM).max(self.reach.len() / 2);
    }
}

/// The sets of both, for a label that two maps have.
pub(super) fn joined(sets: &mut Sets) -> impl FnMut(SetOf, SetOf) -> SetOf {
    |x, y| {
        let set = sets.union(x.set, y.set, &mut either);
        SetOf {
            set,
            sum: sets.sum(set),
        }
    }
}
