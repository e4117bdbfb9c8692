//! Rows of transitions as the refinement engines see them.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use hyades_formats::{LabelId, Lts, StateId};
use rayon::prelude::*;

use super::signature::element;
use crate::parallel::even_ranges;

/// Entries of rows that one task works on.
pub(super) const TASK: usize = 1 << 16;

/// The outgoing transitions of all states, borrowed.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) offsets: &'a [u32],
    pub(super) labels: &'a [LabelId],
    pub(super) targets: &'a [StateId],
}

impl<'a> From<&'a Lts> for Rows<'a> {
    fn from(lts: &'a Lts) -> Self {
        Self {
            offsets: lts.offsets(),
            labels: lts.labels(),
            targets: lts.targets(),
        }
    }
}

impl<'a> Rows<'a> {
    #[inline]
    pub(super) fn states(self) -> usize {
        self.offsets.len() - 1
    }

    #[inline]
    pub(super) fn row(self, state: u32) -> (&'a [LabelId], &'a [StateId]) {
        let range =
            self.offsets[state as usize] as usize..self.offsets[state as usize + 1] as usize;
        (&self.labels[range.clone()], &self.targets[range])
    }

    #[inline]
    pub(super) fn degree(self, state: u32) -> usize {
        (self.offsets[state as usize + 1] - self.offsets[state as usize]) as usize
    }

    /// The transitions of a state as signature elements, duplicates included.
    #[inline]
    pub(super) fn elements(
        self,
        state: u32,
        block: &'a [u32],
    ) -> impl Iterator<Item = u64> + use<'a> {
        let (labels, targets) = self.row(state);
        labels
            .iter()
            .zip(targets)
            .map(move |(l, t)| element(l.get(), block[t.index()]))
    }

    /// Even shares of the states, by the lengths of their rows.
    pub(super) fn tasks(self) -> Vec<std::ops::Range<usize>> {
        even_ranges(self.offsets, TASK)
    }
}

/// The sources of the transitions into each state, in compressed rows: 4 bytes
/// a transition and 4 a state. The order within a row is arbitrary.
pub(super) struct Sources {
    offsets: Vec<u32>,
    sources: Vec<u32>,
}

impl Sources {
    /// Of the transitions that `select` picks by label. O(n + m), parallel.
    pub(super) fn new(rows: Rows<'_>, select: impl Fn(LabelId) -> bool + Sync) -> Self {
        let n = rows.states();
        let tasks = rows.tasks();
        let mut ends: Vec<AtomicU32> = Vec::new();
        ends.resize_with(n + 1, AtomicU32::default);
        let each = |visit: &(dyn Fn(u32, StateId) + Sync)| {
            tasks.par_iter().for_each(|task| {
                for s in task.clone() {
                    let (labels, targets) = rows.row(s as u32);
                    for (&l, &t) in labels.iter().zip(targets) {
                        if select(l) {
                            visit(s as u32, t);
                        }
                    }
                }
            });
        };
        each(&|_, t| {
            ends[t.index()].fetch_add(1, Relaxed);
        });
        let mut total = 0;
        for end in &mut ends {
            total += *end.get_mut();
            *end.get_mut() = total;
        }
        let mut sources: Vec<AtomicU32> = Vec::new();
        sources.resize_with(total as usize, AtomicU32::default);
        // Each row is filled from its end, so that its start is left.
        each(&|s, t| {
            let place = ends[t.index()].fetch_sub(1, Relaxed) - 1;
            sources[place as usize].store(s, Relaxed);
        });
        Self {
            offsets: ends.into_iter().map(AtomicU32::into_inner).collect(),
            sources: sources.into_iter().map(AtomicU32::into_inner).collect(),
        }
    }

    #[inline]
    pub(super) fn of(&self, target: u32) -> &[u32] {
        &self.sources
            [self.offsets[target as usize] as usize..self.offsets[target as usize + 1] as usize]
    }
}
