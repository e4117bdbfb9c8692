//! Rows of transitions as the refinement engines see them.

use std::ops::Range;

use hyades_base::fetch::prefetch;
use hyades_base::parallel::{self, Scatter, even_ranges};
use hyades_formats::{LabelId, Lts, StateId};

use super::signature::element;

/// Entries of rows that one task works on.
pub(super) const TASK: usize = 1 << 16;

/// How many steps ahead memory is fetched.
const AHEAD: usize = 6;

/// The outgoing transitions of all states, borrowed.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) offsets: &'a [u32],
    pub(crate) labels: &'a [LabelId],
    pub(crate) targets: &'a [StateId],
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
    pub(crate) fn states(self) -> usize {
        self.offsets.len() - 1
    }

    /// Where the transitions of a state are.
    #[inline]
    pub(crate) fn bounds(self, state: u32) -> Range<usize> {
        self.offsets[state as usize] as usize..self.offsets[state as usize + 1] as usize
    }

    #[inline]
    pub(crate) fn row(self, state: u32) -> (&'a [LabelId], &'a [StateId]) {
        let bounds = self.bounds(state);
        (&self.labels[bounds.clone()], &self.targets[bounds])
    }

    /// Lets the processor fetch what signing the states behind the k-th one of a list will
    /// look up.
    #[inline(always)]
    pub(super) fn fetch(self, state: impl Fn(usize) -> Option<u32>, k: usize, block: &[u32]) {
        if let Some(s) = state(k + 3 * AHEAD) {
            prefetch(&self.offsets[s as usize..]);
        }
        if let Some(s) = state(k + 2 * AHEAD) {
            let start = self.offsets[s as usize] as usize;
            prefetch(&self.labels[start..]);
            prefetch(&self.targets[start..]);
        }
        if let Some(s) = state(k + AHEAD) {
            let (_, targets) = self.row(s);
            for t in targets.iter().take(AHEAD) {
                prefetch(&block[t.index()..]);
            }
        }
    }

    #[inline]
    pub(super) fn degree(self, state: u32) -> usize {
        (self.offsets[state as usize + 1] - self.offsets[state as usize]) as usize
    }

    /// Where the transitions into each state start, were all transitions sorted
    /// by target. O(m + n).
    pub(super) fn incoming_starts(self) -> Vec<u32> {
        let mut starts = vec![0; self.offsets.len()];
        for t in self.targets {
            starts[t.index() + 1] += 1;
        }
        for t in 1..starts.len() {
            starts[t] += starts[t - 1];
        }
        starts
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
    pub(crate) fn tasks(self) -> Vec<std::ops::Range<usize>> {
        even_ranges(self.offsets, TASK)
    }
}

/// Sorts the last row of some elements, which begins at `start`, and drops
/// duplicates from it.
pub(crate) fn finish_row(elements: &mut Vec<u64>, start: usize) {
    elements[start..].sort_unstable();
    let mut kept = start;
    for k in start..elements.len() {
        if k == start || elements[k] != elements[kept - 1] {
            elements[kept] = elements[k];
            kept += 1;
        }
    }
    elements.truncate(kept);
}

/// Rows of transitions, owned.
pub(crate) struct TransitionColumns {
    pub(crate) offsets: Vec<u32>,
    pub(crate) labels: Vec<LabelId>,
    pub(crate) targets: Vec<StateId>,
}

impl TransitionColumns {
    /// Of the rows of consecutive states in parts: the elements of all rows of a
    /// part, and the lengths of its rows. In parallel; there are no more than
    /// 2^32 − 1 transitions.
    pub(crate) fn new(parts: Vec<(Vec<u64>, Vec<u32>)>) -> Self {
        let states = parts
            .iter()
            .map(|(_, lengths)| lengths.len())
            .sum::<usize>();
        let mut offsets = Vec::with_capacity(states + 1);
        let mut total = 0;
        offsets.push(0);
        for length in parts.iter().flat_map(|(_, lengths)| lengths) {
            total += length;
            offsets.push(total);
        }
        let mut labels = vec![LabelId::HIDDEN; total as usize];
        let mut targets = vec![StateId::default(); total as usize];
        let mut columns = Vec::with_capacity(parts.len());
        let (mut l, mut t) = (labels.as_mut_slice(), targets.as_mut_slice());
        for (elements, _) in parts {
            let (l_part, l_rest) = l.split_at_mut(elements.len());
            let (t_part, t_rest) = t.split_at_mut(elements.len());
            (l, t) = (l_rest, t_rest);
            columns.push((elements, l_part, t_part));
        }
        parallel::for_each_mut(&mut columns, 1, |_, (elements, labels, targets)| {
            for (k, element) in std::mem::take(elements).into_iter().enumerate() {
                labels[k] = LabelId::new((element >> 32) as u32);
                targets[k] = StateId::new(element as u32);
            }
        });
        Self {
            offsets,
            labels,
            targets,
        }
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows {
            offsets: &self.offsets,
            labels: &self.labels,
            targets: &self.targets,
        }
    }
}

/// The sources of the transitions into each state, in compressed rows: 4 bytes
/// a transition and 4 a state. Sources ascend within a row.
pub struct Sources {
    offsets: Vec<u32>,
    sources: Vec<u32>,
}

/// Parts that are counted side by side: each but the last costs 4 bytes a state for a while.
const PARTS: usize = 4;

impl Sources {
    /// Of the transitions of an LTS that `select` picks by label. O(states +
    /// transitions), in up to 4 threads.
    pub fn of_lts(lts: &Lts, select: impl Fn(LabelId) -> bool + Sync) -> Self {
        Self::new(lts.into(), select)
    }

    /// Of the transitions that `select` picks by label. O(n + m), in up to
    /// [`PARTS`] threads.
    pub(super) fn new(rows: Rows<'_>, select: impl Fn(LabelId) -> bool + Sync) -> Self {
        let n = rows.states();
        let parts = rayon::current_num_threads().min(PARTS);
        let ranges = even_ranges(rows.offsets, (rows.targets.len() + n).div_ceil(parts));
        // A column of counts for each part, of which there is one at least, as there is a
        // state. That of the last one lies in the offsets: where its entries of a row end,
        // the next row begins.
        let mut offsets = vec![0u32; n + 1];
        let mut others = vec![vec![0u32; n]; ranges.len() - 1];
        let others = others.iter_mut().map(Vec::as_mut_slice);
        let mut counts: Vec<&mut [u32]> = others.chain([&mut offsets[1..]]).collect();
        parallel::for_each_mut(&mut counts, 1, |part, counts| {
            each_of(rows, &ranges[part], &select, |_, t| counts[t.index()] += 1);
        });
        // Where each part's entries of a row start.
        let mut total = 0;
        for t in 0..n {
            for part in &mut counts {
                total += std::mem::replace(&mut part[t], total);
            }
        }
        let mut sources = vec![0; total as usize];
        let scatter = Scatter::new(&mut sources);
        parallel::for_each_mut(&mut counts, 1, |part, next| {
            each_of(rows, &ranges[part], &select, |s, t| {
                let place = &mut next[t.index()];
                // SAFETY: the counts gave each part places of its own in a row.
                unsafe { scatter.write(*place as usize, s) }
                *place += 1;
            });
        });
        Self { offsets, sources }
    }

    /// Lets the processor fetch what will be looked up for the targets of a list that
    /// follow the k-th one.
    #[inline(always)]
    pub(super) fn fetch(&self, targets: &[u32], k: usize) {
        if let Some(&t) = targets.get(k + 2 * AHEAD) {
            prefetch(&self.offsets[t as usize..]);
        }
        if let Some(&t) = targets.get(k + AHEAD) {
            prefetch(&self.sources[self.offsets[t as usize] as usize..]);
        }
    }

    /// The sources of the transitions into a state.
    #[inline]
    pub fn of(&self, target: u32) -> &[u32] {
        &self.sources
            [self.offsets[target as usize] as usize..self.offsets[target as usize + 1] as usize]
    }
}

/// Visits the source and target of each transition of some states that `select` picks.
fn each_of(
    rows: Rows<'_>,
    states: &Range<usize>,
    select: &impl Fn(LabelId) -> bool,
    mut visit: impl FnMut(u32, StateId),
) {
    for s in states.clone() {
        let (labels, targets) = rows.row(s as u32);
        for (&l, &t) in labels.iter().zip(targets) {
            if select(l) {
                visit(s as u32, t);
            }
        }
    }
}
