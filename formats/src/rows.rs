//! The columns of all transitions read so far, and how they become an LTS: what
//! readers share that meet transitions in any order.
//!
//! As long as sources ascend, where each row begins is all that is kept of
//! them: 8 bytes a transition and 4 a state. Once they do not, there is a column
//! of sources, 12 bytes a transition, and at the end rows are put together in
//! place.

use hyades_base::offsets::WIDE;
use hyades_base::parallel;

use crate::error::Failure;
use crate::lts::{LabelId, LabelTable, Lts, LtsParts, StateId, TooLarge};
use hyades_base::fill;

/// Where the transitions of a file go while it is read.
pub(crate) trait Gather: Send {
    /// Makes room for so many transitions, and for so many states if these are not many
    /// more.
    ///
    /// # Errors
    /// If there is no room for them.
    fn reserve(&mut self, transitions: usize, states: u64) -> Result<(), Failure>;

    /// Takes batches, the next ones of the file, of which the label numbers below `known`
    /// are final; `maps[k]` has the final ones of the further numbers of `parts[k]`.
    ///
    /// # Errors
    /// If there are too many transitions for an LTS, in all or of one state, or if they
    /// cannot be kept.
    fn gather(&mut self, parts: &[&Batch], maps: &[Vec<u32>], known: u32) -> Result<(), Failure>;

    /// Nothing will come of it: what is there may go.
    fn forget(&mut self);
}

/// Consecutive transitions of a file.
#[derive(Default)]
pub(crate) struct Batch {
    /// Source, label and target of each transition.
    pub transitions: Vec<[u32; 3]>,
    /// Whether some source is below the one before it.
    pub descends: bool,
}

impl Batch {
    /// Adds a transition.
    pub fn push(&mut self, source: u32, label: u32, target: u32) {
        let last = self.transitions.last().map_or(0, |t| t[0]);
        self.descends |= last > source;
        self.transitions.push([source, label, target]);
    }
}

impl Batch {
    /// The final number of a label, see [`Gather::gather`].
    #[inline(always)]
    pub fn label(label: u32, known: u32, map: &[u32]) -> u32 {
        match label < known {
            true => label,
            false => map[(label - known) as usize],
        }
    }
}

impl AsRef<Batch> for Batch {
    fn as_ref(&self) -> &Batch {
        self
    }
}

/// The transitions of the batches appended so far.
#[derive(Default)]
pub(crate) struct TransitionColumns {
    sources: Sources,
    labels: Vec<LabelId>,
    targets: Vec<StateId>,
}

impl Gather for TransitionColumns {
    fn reserve(&mut self, transitions: usize, states: u64) -> Result<(), Failure> {
        TransitionColumns::reserve(self, transitions, states);
        Ok(())
    }

    fn gather(&mut self, parts: &[&Batch], maps: &[Vec<u32>], known: u32) -> Result<(), Failure> {
        Ok(self.append(parts, maps, known)?)
    }

    fn forget(&mut self) {
        *self = TransitionColumns::default();
    }
}

enum Sources {
    /// Where the rows of the states begin, modulo 2^32, up to the last one that had any.
    Ascending(Vec<u32>),
    /// The sources themselves.
    Any(Vec<u32>),
}

impl Default for Sources {
    fn default() -> Self {
        Sources::Ascending(Vec::new())
    }
}

impl TransitionColumns {
    /// Makes room for so many transitions, and for so many states if these are
    /// not many more.
    pub fn reserve(&mut self, transitions: usize, states: u64) {
        fill::reserve(&mut self.labels, transitions);
        fill::reserve(&mut self.targets, transitions);
        if let Sources::Ascending(offsets) = &mut self.sources
            && states / 2 <= transitions as u64
        {
            fill::reserve(offsets, states as usize + 1);
        }
    }

    /// Appends batches of which the label numbers below `known` are final;
    /// `maps[k]` has the final ones of the further numbers of `parts[k]`.
    ///
    /// # Errors
    /// If there are too many transitions for an LTS, in all or of one state.
    pub fn append<B: AsRef<Batch> + Sync>(
        &mut self,
        parts: &[B],
        maps: &[Vec<u32>],
        known: u32,
    ) -> Result<(), TooLarge> {
        let parts: Vec<&Batch> = parts.iter().map(AsRef::as_ref).collect();
        let parts = &parts[..];
        let lens: Vec<usize> = parts.iter().map(|p| p.transitions.len()).collect();
        let old = self.targets.len();
        let total = old + lens.iter().sum::<usize>();
        if total as u64 > Lts::MAX_TRANSITIONS {
            return Err(TooLarge {
                what: "transitions",
                limit: Lts::MAX_TRANSITIONS,
            });
        }
        fill::append(&mut self.labels, &lens, |k| {
            let map = &maps[k];
            parts[k]
                .transitions
                .iter()
                .map(move |&[_, label, _]| LabelId::new(Batch::label(label, known, map)))
        });
        fill::append(&mut self.targets, &lens, |k| {
            parts[k].transitions.iter().map(|t| StateId::new(t[2]))
        });
        self.append_sources(parts, &lens, old, total)
    }

    fn append_sources(
        &mut self,
        parts: &[&Batch],
        lens: &[usize],
        old: usize,
        total: usize,
    ) -> Result<(), TooLarge> {
        if let Sources::Ascending(offsets) = &mut self.sources {
            // A file may name a huge state in its first line and then end:
            // rows must not cost more than the transitions seen so far.
            let most = 2 * total + (1 << 16);
            if let Some(counts) = row_counts(offsets.len(), parts, most) {
                append_offsets(offsets, &counts, parts, lens, old);
                return Ok(());
            }
            let sources = expand(std::mem::take(offsets), old)?;
            self.sources = Sources::Any(sources);
        }
        if let Sources::Any(sources) = &mut self.sources {
            fill::append(sources, lens, |k| parts[k].transitions.iter().map(|t| t[0]));
        }
        Ok(())
    }

    /// The LTS with these transitions. All states are below `states`, and all
    /// labels in the table.
    ///
    /// # Errors
    /// If there are too many states for an LTS or for the machine's memory, or too many
    /// transitions of one state.
    pub fn finish(self, states: u64, initial: StateId, table: LabelTable) -> Result<Lts, Failure> {
        if states > StateId::MAX_COUNT {
            return Err(Failure::TooLarge(TooLarge {
                what: "states",
                limit: StateId::MAX_COUNT,
            }));
        }
        let TransitionColumns {
            mut sources,
            mut labels,
            mut targets,
        } = self;
        labels.shrink_to_fit();
        targets.shrink_to_fit();
        let n = states as usize;
        let mut low = match &mut sources {
            Sources::Ascending(offsets) => std::mem::take(offsets),
            Sources::Any(_) => Vec::new(),
        };
        low.try_reserve_exact(n + 1 - low.len())?;
        match sources {
            Sources::Ascending(_) => low.resize(n + 1, targets.len() as u32),
            Sources::Any(sources) if targets.len() < WIDE => {
                low.resize(n + 1, 0);
                place(sources, &mut low, &mut labels, &mut targets);
            }
            Sources::Any(sources) => {
                low.resize(n + 1, 0);
                place_wide(sources, &mut low, &mut labels, &mut targets)?;
            }
        }
        let offsets = Lts::offsets_from_wrapping(low, targets.len()).map_err(Failure::TooLarge)?;
        Ok(Lts::from_trusted_parts(LtsParts {
            initial,
            offsets,
            labels,
            targets,
            table,
        }))
    }
}

/// Collects transitions one by one.
#[derive(Default)]
pub(crate) struct Collector {
    columns: TransitionColumns,
    batch: Batch,
    states: u64,
}

/// So many transitions go into the columns together.
const TOGETHER: usize = 1 << 14;

impl Collector {
    /// Makes room for so many transitions.
    pub fn reserve(&mut self, transitions: usize) {
        self.columns.reserve(transitions, u64::MAX);
    }

    /// Adds a transition.
    ///
    /// # Errors
    /// If there are too many transitions for an LTS.
    #[inline]
    pub fn add(&mut self, source: u32, label: LabelId, target: u32) -> Result<(), TooLarge> {
        self.states = self.states.max(u64::from(source.max(target)) + 1);
        self.batch.push(source, label.get(), target);
        if self.batch.transitions.len() >= TOGETHER {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TooLarge> {
        let batch = std::slice::from_ref(&self.batch);
        self.columns.append(batch, &[Vec::new()], u32::MAX)?;
        self.batch.transitions.clear();
        self.batch.descends = false;
        Ok(())
    }

    /// The number of transitions.
    pub fn len(&self) -> u64 {
        (self.columns.targets.len() + self.batch.transitions.len()) as u64
    }

    /// One more than the largest state of a transition.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// The LTS with these transitions and `states` states at least. All labels
    /// are in the table.
    ///
    /// # Errors
    /// If there are too many states for an LTS or for the machine's memory.
    pub fn finish(
        mut self,
        states: u64,
        initial: StateId,
        table: LabelTable,
    ) -> Result<Lts, Failure> {
        self.flush()?;
        let states = states.max(self.states).max(u64::from(initial.get()) + 1);
        self.columns.finish(states, initial, table)
    }
}

/// How many rows begin in each part, if sources ascend through all parts after
/// `begun` rows, and there are not more than `most` rows in the end.
fn row_counts(begun: usize, parts: &[&Batch], most: usize) -> Option<Vec<usize>> {
    let mut begun = begun;
    parts
        .iter()
        .map(|part| {
            let (Some(first), Some(last)) = (part.transitions.first(), part.transitions.last())
            else {
                return Some(0);
            };
            // the row that was begun last may go on
            let ascends = !part.descends && first[0] as usize + 1 >= begun;
            let end = last[0] as usize + 1;
            if !ascends || end > most {
                return None;
            }
            let count = end - begun;
            begun = end;
            Some(count)
        })
        .collect()
}

/// Appends where the rows begin that begin in the parts, modulo 2^32.
fn append_offsets(
    offsets: &mut Vec<u32>,
    counts: &[usize],
    parts: &[&Batch],
    lens: &[usize],
    old: usize,
) {
    // the first row that begins in each part, and its first transition
    let mut starts = Vec::with_capacity(parts.len());
    let (mut row, mut transition) = (offsets.len(), old);
    for (count, len) in counts.iter().zip(lens) {
        starts.push((row, transition));
        row += count;
        transition += len;
    }
    fill::append_with(offsets, counts, |k, slots| {
        let (mut row, first) = starts[k];
        for (t, at) in parts[k].transitions.iter().zip(first..) {
            // All further ones are of the last row.
            if slots.is_full() {
                break;
            }
            let source = t[0] as usize;
            if row < source {
                slots.extend(std::iter::repeat_n(at as u32, source - row));
                row = source;
            }
            let begins = row == source;
            slots.offer(at as u32, begins);
            row += usize::from(begins);
        }
    });
}

/// The sources of `transitions` transitions, of which the offsets are known, modulo 2^32,
/// up to the last row that has any.
///
/// # Errors
/// If a row is longer than an LTS can have.
fn expand(mut low: Vec<u32>, transitions: usize) -> Result<Vec<u32>, TooLarge> {
    // The last row ends where the transitions do.
    low.push(transitions as u32);
    let offsets = Lts::offsets_from_wrapping(low, transitions)?;
    let mut sources = Vec::with_capacity(transitions);
    for state in 0..offsets.rows() {
        let degree = offsets.row(state).len();
        sources.extend(std::iter::repeat_n(state as u32, degree));
    }
    Ok(sources)
}

/// Sorts fewer than [`WIDE`] transitions by source, keeping their order within each
/// source, and sets the offsets of the rows, which are zero before.
///
/// In place, apart from the offsets: the place of every transition is computed
/// over its source, then transitions are moved along.
fn place(
    mut sources: Vec<u32>,
    offsets: &mut [u32],
    labels: &mut [LabelId],
    targets: &mut [StateId],
) {
    for &s in &sources {
        offsets[s as usize + 1] += 1;
    }
    let mut total = 0;
    for offset in &mut *offsets {
        total += *offset;
        *offset = total;
    }
    if sources.is_sorted() {
        return;
    }
    for s in &mut sources {
        let next = &mut offsets[*s as usize];
        *s = *next;
        *next += 1;
    }
    permute(&mut sources, labels, targets);
    // every offset has moved on to the end of its row
    let states = offsets.len() - 1;
    offsets.copy_within(0..states, 1);
    offsets[0] = 0;
}

/// As [`place`], for any number of transitions; offsets are those modulo 2^32. Each column
/// is copied to its new order: 4 bytes a transition and 8 a state more.
///
/// # Errors
/// If the machine's memory is too small.
fn place_wide(
    sources: Vec<u32>,
    offsets: &mut [u32],
    labels: &mut Vec<LabelId>,
    targets: &mut Vec<StateId>,
) -> Result<(), Failure> {
    let mut starts: Vec<u64> = Vec::new();
    starts.try_reserve_exact(offsets.len())?;
    starts.resize(offsets.len(), 0);
    for &s in &sources {
        starts[s as usize + 1] += 1;
    }
    let mut total = 0;
    for (start, offset) in starts.iter_mut().zip(&mut *offsets) {
        total += *start;
        *start = total;
        *offset = total as u32;
    }
    if !sources.is_sorted() {
        *labels = gathered(&sources, labels, &mut starts, LabelId::HIDDEN)?;
        *targets = gathered(&sources, targets, &mut starts, StateId::default())?;
    }
    Ok(())
}

/// A column by ascending source, in the order that it has within each source; where each
/// row starts is the same afterwards.
fn gathered<T: Copy>(
    sources: &[u32],
    column: &mut Vec<T>,
    starts: &mut [u64],
    filler: T,
) -> Result<Vec<T>, Failure> {
    let column = std::mem::take(column);
    let mut gathered = Vec::new();
    gathered.try_reserve_exact(column.len())?;
    gathered.resize(column.len(), filler);
    for (&s, &item) in sources.iter().zip(&column) {
        let place = &mut starts[s as usize];
        gathered[*place as usize] = item;
        *place += 1;
    }
    // Each start has moved on to the end of its row.
    starts.copy_within(0..starts.len() - 1, 1);
    starts[0] = 0;
    Ok(gathered)
}

/// Rows are moved together in blocks of so many bits of their places, small
/// enough for the cache.
const BLOCK_BITS: u32 = 16;

/// Moves `labels[k]` and `targets[k]` to `places[k]`, for all `k`; `places` is
/// a permutation, and becomes the identity. O(n).
fn permute(places: &mut [u32], labels: &mut [LabelId], targets: &mut [StateId]) {
    let n = places.len();
    let bits = usize::BITS - n.leading_zeros();
    // at most 256 blocks, so that the next place in each stays in the cache
    let shift = bits.saturating_sub(8).max(BLOCK_BITS);
    let block = 1usize << shift;
    let mut next: Vec<usize> = (0..n.div_ceil(block)).map(|b| b * block).collect();
    for b in 0..next.len() {
        let end = ((b + 1) * block).min(n);
        while next[b] < end {
            let k = next[b];
            let to = (places[k] >> shift) as usize;
            if to == b {
                next[b] += 1;
                continue;
            }
            let other = next[to];
            places.swap(k, other);
            labels.swap(k, other);
            targets.swap(k, other);
            next[to] += 1;
        }
    }
    let columns = labels.chunks_mut(block).zip(targets.chunks_mut(block));
    let mut blocks: Vec<_> = places.chunks_mut(block).zip(columns).collect();
    parallel::for_each_mut(&mut blocks, 1, |_, (places, (labels, targets))| {
        let mask = block - 1;
        for k in 0..places.len() {
            loop {
                let to = places[k] as usize & mask;
                if to == k {
                    break;
                }
                places.swap(k, to);
                labels.swap(k, to);
                targets.swap(k, to);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn permutes_more_than_one_block() {
        let n = 3 * (1u32 << BLOCK_BITS) + 12345;
        let step = 1_000_003; // coprime with n
        let mut places: Vec<u32> = (0..n)
            .map(|k| (u64::from(k) * step % u64::from(n)) as u32)
            .collect();
        let mut labels: Vec<_> = places.iter().map(|&p| LabelId::new(p)).collect();
        let mut targets: Vec<_> = places.iter().map(|&p| StateId::new(p)).collect();
        permute(&mut places, &mut labels, &mut targets);
        for k in 0..n {
            assert_eq!(places[k as usize], k);
            assert_eq!(labels[k as usize].get(), k);
            assert_eq!(targets[k as usize].get(), k);
        }
    }

    proptest! {
        #[test]
        fn parts_become_rows(
            parts in prop::collection::vec(
                (any::<bool>(), prop::collection::vec((0u32..9, 0u32..4, 0u32..9), 0..6)),
                0..6,
            ),
            far in prop_oneof![4 => Just(None), 1 => (60_000u32..80_000).prop_map(Some)],
        ) {
            let mut builder = crate::LtsBuilder::new(100_000);
            let mut columns = TransitionColumns::default();
            let mut lowest = 0;
            for (ascending, mut rows) in parts {
                if ascending {
                    rows.sort_by_key(|r| r.0);
                    for r in &mut rows {
                        r.0 += lowest;
                    }
                    lowest = rows.last().map_or(lowest, |r| r.0);
                }
                if let Some(far) = far {
                    rows.push((far, 0, 0));
                }
                let mut part = Batch::default();
                for (s, l, t) in rows {
                    part.push(s, l, t);
                    // labels 0 and 1 are known, 2 and 3 are new and numbered 5, 4
                    let l = [0, 1, 5, 4][l as usize];
                    builder.add(StateId::new(s), LabelId::new(l), StateId::new(t));
                }
                columns.append(&[part], &[vec![5, 4]], 2).unwrap();
            }
            for k in 0..5u8 {
                builder.table_mut().intern(&[k]).unwrap();
            }
            let table = builder.table_mut().clone();
            let expected = builder.build(StateId::new(0)).unwrap();
            let lts = columns.finish(100_000, StateId::new(0), table).ok().unwrap();
            prop_assert_eq!(lts.offsets(), expected.offsets());
            prop_assert_eq!(lts.labels(), expected.labels());
            prop_assert_eq!(lts.targets(), expected.targets());
        }
    }
}
