//! The order in which a file has states, transitions and labels.

use crate::lts::{LabelId, Lts, StateId};
use hyades_base::fetch::prefetch;

/// The states of an LTS in the order in which a file has them.
pub(in super::super) struct Ordered<'a> {
    pub(super) lts: &'a Lts,
    /// New numbers of states, where they have one yet; empty if states keep
    /// their numbers.
    numbers: Vec<u32>,
    /// States by their new numbers, as far as they have been found.
    order: Vec<u32>,
    /// All states below have been found.
    found: u32,
    /// Whether states without transitions are looked for too.
    isolated: bool,
}

/// A state without a new number.
const NONE: u32 = u32::MAX;

impl<'a> Ordered<'a> {
    /// States keep their numbers; only the initial state changes places with
    /// state 0.
    pub fn kept(lts: &'a Lts) -> Self {
        let initial = lts.initial().index();
        let mut order = Vec::new();
        if initial != 0 {
            order.extend(0..lts.states() as u32);
            order.swap(0, initial);
        }
        Self {
            lts,
            numbers: order.clone(),
            order,
            found: 0,
            isolated: false,
        }
    }

    /// States are numbered in the order in which a breadth-first search from
    /// the initial state finds them; then those that others find which have
    /// outgoing transitions, in order; then the rest. The search is done while
    /// edges are handed out. 8 bytes a state.
    pub fn breadth_first(lts: &'a Lts) -> Self {
        let mut numbers = vec![NONE; lts.states()];
        let mut order = Vec::with_capacity(lts.states());
        numbers[lts.initial().index()] = 0;
        order.push(lts.initial().get());
        Self {
            lts,
            numbers,
            order,
            found: 0,
            isolated: false,
        }
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.lts.states()
    }

    /// The states in order from number `source` on, as far as they are known.
    fn known(&mut self, source: u32) -> &[u32] {
        if source as usize == self.order.len() && (source as usize) < self.lts.states() {
            self.find_another();
        }
        &self.order[source as usize..]
    }

    /// Finds a state that no other finds.
    fn find_another(&mut self) {
        loop {
            let root = (self.found as usize..self.lts.states()).find(|&state| {
                self.numbers[state] == NONE
                    && (self.isolated || !self.lts.row(StateId::from_index(state)).is_empty())
            });
            if let Some(root) = root {
                self.found = root as u32;
                self.numbers[root] = self.order.len() as u32;
                self.order.push(root as u32);
                return;
            }
            assert!(!self.isolated, "a state is left");
            self.isolated = true;
            self.found = 0;
        }
    }
}

/// A transition by the numbers that the file has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub source: u32,
    pub label: u32,
    pub target: u32,
}

/// Numbers labels in the order of their first use; the hidden one is 0.
pub(super) struct Numbering {
    numbers: Vec<u32>,
    pub labels: Vec<LabelId>,
}

/// A label without a number.
const UNUSED: u32 = u32::MAX;

impl Numbering {
    pub fn new(lts: &Lts) -> Self {
        let mut numbers = vec![UNUSED; lts.table().len()];
        numbers[LabelId::HIDDEN.index()] = 0;
        Self {
            numbers,
            labels: vec![LabelId::HIDDEN],
        }
    }

    #[inline]
    fn number(&mut self, label: LabelId) -> u32 {
        let number = &mut self.numbers[label.index()];
        if *number == UNUSED {
            *number = self.labels.len() as u32;
            self.labels.push(label);
        }
        *number
    }
}

/// Hands out the edges in order, some at a time, in steps that wait for memory
/// together.
pub(super) struct Gatherer<'o, 'a> {
    ordered: &'o mut Ordered<'a>,
    source: u32,
    /// Edges of the source that have been handed out.
    taken: usize,
}

/// So many edges are gathered at a time.
pub(super) const BATCH: usize = 1 << 10;
/// So many rows are fetched at a time.
const ROWS: usize = 64;

impl<'o, 'a> Gatherer<'o, 'a> {
    pub fn new(ordered: &'o mut Ordered<'a>) -> Self {
        Self {
            ordered,
            source: 0,
            taken: 0,
        }
    }

    /// The next edges, none at the end.
    pub fn fill(&mut self, batch: &mut Vec<Edge>, numbering: &mut Numbering) {
        batch.clear();
        let lts = self.ordered.lts;
        while batch.len() < BATCH && (self.source as usize) < lts.states() {
            let start = batch.len();
            if self.ordered.numbers.is_empty() {
                let states = self.source..(self.source + ROWS as u32).min(lts.states() as u32);
                self.take_rows(states, batch);
                for edge in &mut batch[start..] {
                    edge.label = numbering.number(LabelId::new(edge.label));
                }
                continue;
            }
            let mut states = [0; ROWS];
            let known = self.ordered.known(self.source);
            let count = known.len().min(ROWS);
            states[..count].copy_from_slice(&known[..count]);
            for &state in &states[..count] {
                let row = lts.row(StateId::new(state));
                prefetch(&lts.labels()[row.start..]);
                prefetch(&lts.targets()[row.start..]);
            }
            self.take_rows(states[..count].iter().copied(), batch);
            let Ordered { numbers, order, .. } = &mut *self.ordered;
            for edge in &batch[start..] {
                prefetch(&numbers[edge.target as usize..]);
            }
            for edge in &mut batch[start..] {
                edge.label = numbering.number(LabelId::new(edge.label));
                let number = &mut numbers[edge.target as usize];
                if *number == NONE {
                    *number = order.len() as u32;
                    order.push(edge.target);
                }
                edge.target = *number;
            }
        }
    }

    /// Appends rows as they are, as long as there is room.
    fn take_rows(&mut self, states: impl Iterator<Item = u32>, batch: &mut Vec<Edge>) {
        let lts = self.ordered.lts;
        for state in states {
            let row = lts.row(StateId::new(state));
            let from = row.start + self.taken;
            let to = row.end.min(from + BATCH - batch.len());
            let pairs = lts.labels()[from..to].iter().zip(&lts.targets()[from..to]);
            let source = self.source;
            batch.extend(pairs.map(|(label, target)| Edge {
                source,
                label: label.get(),
                target: target.get(),
            }));
            if to < row.end {
                self.taken += to - from;
                return;
            }
            self.source += 1;
            self.taken = 0;
        }
    }
}
