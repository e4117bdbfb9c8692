//! Rows of transitions as the refinement engines see them.

use std::ops::Range;

use hyades_base::fetch::prefetch;
use hyades_base::offsets::WIDE;
use hyades_base::parallel::{self, Scatter, even_ranges};
use hyades_formats::{LabelId, Lts, Offsets, OffsetsRef, StateId};

use super::signature::element;

/// Entries of rows that one task works on.
pub(super) const TASK: usize = 1 << 16;

/// A task has at least so many.
const LEAST_TASK: usize = 1 << 13;

/// How many steps ahead memory is fetched.
const AHEAD: usize = 6;

/// The outgoing transitions of all states, borrowed.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) offsets: OffsetsRef<'a>,
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
    #[inline(always)]
    pub(crate) fn states(self) -> usize {
        self.offsets.rows()
    }

    /// Where the transitions of a state are.
    #[inline(always)]
    pub(crate) fn bounds(self, state: u32) -> Range<usize> {
        self.offsets.row(state as usize)
    }

    #[inline(always)]
    pub(crate) fn row(self, state: u32) -> (&'a [LabelId], &'a [StateId]) {
        let bounds = self.bounds(state);
        (&self.labels[bounds.clone()], &self.targets[bounds])
    }

    /// The targets of the transitions of a state with this label, ascending. Its row is
    /// sorted.
    #[inline]
    pub(crate) fn successors(self, state: u32, label: LabelId) -> &'a [StateId] {
        let (labels, targets) = self.row(state);
        // Rows are short as a rule.
        let (start, end) = match labels.len() {
            0..=16 => {
                let start = labels.iter().take_while(|&&l| l < label).count();
                let equal = labels[start..].iter().take_while(|&&l| l == label).count();
                (start, start + equal)
            }
            _ => {
                let start = labels.partition_point(|&l| l < label);
                let equal = labels[start..].partition_point(|&l| l == label);
                (start, start + equal)
            }
        };
        &targets[start..end]
    }

    /// Lets the processor fetch what signing the states behind the k-th one of a list will
    /// look up.
    #[inline(always)]
    pub(super) fn fetch(self, state: impl Fn(usize) -> Option<u32>, k: usize, block: &[u32]) {
        if let Some(s) = state(k + 3 * AHEAD) {
            self.offsets.prefetch(s as usize);
        }
        if let Some(s) = state(k + 2 * AHEAD) {
            let start = self.offsets.get(s as usize);
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

    #[inline(always)]
    pub(super) fn degree(self, state: u32) -> usize {
        self.offsets.degree(state as usize)
    }

    /// Whether transitions can be told by 32-bit numbers.
    pub(super) fn is_narrow(self) -> bool {
        u32::try_from(self.targets.len()).is_ok()
    }

    /// Where the transitions into each state start, were all transitions sorted
    /// by target; these rows are narrow. O(m + n).
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
        let load = self.targets.len() + self.states();
        even_ranges(self.offsets, (load / 8).clamp(LEAST_TASK, TASK))
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
    pub(crate) offsets: Offsets,
    pub(crate) labels: Vec<LabelId>,
    pub(crate) targets: Vec<StateId>,
}

impl TransitionColumns {
    /// Of the rows of consecutive states in parts: the elements of all rows of a
    /// part, and the lengths of its rows. In parallel.
    pub(crate) fn new(parts: Vec<(Vec<u64>, Vec<u32>)>) -> Self {
        let offsets = Offsets::of_parts(parts.iter().map(|(_, lengths)| &lengths[..]));
        let (mut labels, mut targets) = (Vec::new(), Vec::new());
        let label_places = parallel::room(&mut labels, offsets.end());
        let target_places = parallel::room(&mut targets, offsets.end());
        let mut end = 0;
        let mut parts: Vec<(usize, Vec<u64>)> = parts
            .into_iter()
            .map(|(elements, _)| {
                let start = end;
                end += elements.len();
                (start, elements)
            })
            .collect();
        assert_eq!(end, offsets.end(), "the lengths are those of the rows");
        parallel::for_each_mut(&mut parts, 1, |_, (start, elements)| {
            let elements = std::mem::take(elements);
            let places = *start..*start + elements.len();
            // SAFETY: parts follow one another.
            let labels = unsafe { label_places.part(places.clone()) };
            // SAFETY: see above.
            let targets = unsafe { target_places.part(places) };
            for ((label, target), element) in labels.iter_mut().zip(targets).zip(elements) {
                label.write(LabelId::new((element >> 32) as u32));
                target.write(StateId::new(element as u32));
            }
        });
        // SAFETY: the parts have written all places.
        unsafe {
            labels.set_len(offsets.end());
            targets.set_len(offsets.end());
        }
        Self {
            offsets,
            labels,
            targets,
        }
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows {
            offsets: self.offsets.view(),
            labels: &self.labels,
            targets: &self.targets,
        }
    }
}

/// The sources of the transitions into each state, in compressed rows: 4 bytes
/// a transition and 4 a state. Sources ascend within a row.
#[derive(Debug)]
pub struct Sources {
    offsets: Offsets,
    sources: Vec<u32>,
}

/// Parts that are counted side by side: each but the last costs 4 bytes a state for a while.
const PARTS: usize = 4;
/// A part has at least so many states and transitions.
const LEAST: usize = 1 << 12;

impl Sources {
    /// Of the transitions of an LTS that `select` picks by label. O(states +
    /// transitions), in up to 4 threads.
    pub fn of_lts(lts: &Lts, select: impl Fn(LabelId) -> bool + Sync) -> Self {
        Self::new(lts.into(), select)
    }

    /// Of the transitions that `select` picks by label. O(n + m), in up to
    /// [`PARTS`] threads.
    pub(super) fn new(rows: Rows<'_>, select: impl Fn(LabelId) -> bool + Sync) -> Self {
        if rows.targets.len() < WIDE {
            return Self::counted_by::<u32>(rows, select);
        }
        // Compiled once.
        let select: &(dyn Fn(LabelId) -> bool + Sync) = &select;
        Self::counted_by::<u64>(rows, select)
    }

    /// With counts of this type.
    fn counted_by<C: Count>(rows: Rows<'_>, select: impl Fn(LabelId) -> bool + Sync) -> Self {
        let n = rows.states();
        let size = rows.targets.len() + n;
        let parts = parallel::threads_for(size, LEAST).min(PARTS);
        let ranges = even_ranges(rows.offsets, size.div_ceil(parts));
        // A column of counts for each part, of which there is one at least, as there is a
        // state. That of the last one lies in the offsets: where its entries of a row end,
        // the next row begins.
        let mut offsets = vec![C::default(); n + 1];
        let mut others = vec![vec![C::default(); n]; ranges.len() - 1];
        let others = others.iter_mut().map(Vec::as_mut_slice);
        let mut counts: Vec<&mut [C]> = others.chain([&mut offsets[1..]]).collect();
        parallel::for_each_mut(&mut counts, 1, |part, counts| {
            each_of(rows, &ranges[part], &select, |_, t| {
                counts[t.index()].next()
            });
        });
        // Where each part's entries of a row start.
        let mut total = 0;
        for t in 0..n {
            for part in &mut counts {
                let count = part[t].get();
                part[t] = C::new(total);
                total += count;
            }
        }
        let mut sources = vec![0; total];
        let scatter = Scatter::new(&mut sources);
        parallel::for_each_mut(&mut counts, 1, |part, next| {
            each_of(rows, &ranges[part], &select, |s, t| {
                // SAFETY: the counts gave each part places of its own in a row.
                unsafe { scatter.write(next[t.index()].get(), s) }
                next[t.index()].next();
            });
        });
        let offsets = C::offsets(offsets);
        Self { offsets, sources }
    }

    /// Lets the processor fetch what will be looked up for the targets of a list that
    /// follow the k-th one, and by a function what will be for their sources.
    #[inline(always)]
    pub(super) fn fetch(&self, targets: &[u32], k: usize, of_source: impl Fn(u32)) {
        if let Some(&t) = targets.get(k + 2 * AHEAD) {
            self.offsets.view().prefetch(t as usize);
        }
        if let Some(&t) = targets.get(k + AHEAD) {
            prefetch(&self.sources[self.offsets.row(t as usize).start..]);
        }
        if let Some(&t) = targets.get(k + AHEAD / 2) {
            let sources = self.of(t).iter().take(AHEAD);
            sources.for_each(|&s| of_source(s));
        }
    }

    /// The sources of the transitions into a state.
    #[inline]
    pub fn of(&self, target: u32) -> &[u32] {
        &self.sources[self.offsets.row(target as usize)]
    }
}

/// A number of transitions.
trait Count: Copy + Default + Send + Sync {
    fn new(count: usize) -> Self;
    fn get(self) -> usize;
    /// Adds one.
    fn next(&mut self);
    /// Offsets, from a column of them.
    fn offsets(column: Vec<Self>) -> Offsets;
}

impl Count for u32 {
    #[inline(always)]
    fn new(count: usize) -> Self {
        count as u32
    }

    #[inline(always)]
    fn get(self) -> usize {
        self as usize
    }

    #[inline(always)]
    fn next(&mut self) {
        *self += 1;
    }

    fn offsets(column: Vec<Self>) -> Offsets {
        column.into()
    }
}

impl Count for u64 {
    fn new(count: usize) -> Self {
        count as u64
    }

    fn get(self) -> usize {
        self as usize
    }

    fn next(&mut self) {
        *self += 1;
    }

    fn offsets(column: Vec<Self>) -> Offsets {
        let mut offsets = Offsets::with_capacity(column.len() - 1);
        column[1..]
            .iter()
            .for_each(|&end| offsets.push(end as usize));
        offsets
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
