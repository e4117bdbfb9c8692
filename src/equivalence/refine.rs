//! Partition refinement by signatures (Blom & Orzan 2003) in three gaits, for
//! whatever signature.
//!
//! 1. While most states change, every state is signed anew, in parallel, and
//!    states are grouped by (block, signature): a few sweeps over contiguous
//!    rows.
//! 2. Then only states with a successor in a renumbered block are signed
//!    (Jacobs & Wissmann 2023). The largest part of a split block keeps its
//!    number, so that a state is renumbered at most log2 n times. At first such
//!    states are found by a sweep over all rows,
//! 3. and once that has cost more than building them would, by backward rows.
//!
//! Which gait is next depends on counted work only.
//!
//! What signing costs has no such bound: a state of many transitions may be
//! signed again and again. When the work passes [`WORK_FACTOR`] times the size of
//! the input, the refinement is handed to [`super::slices`], which takes
//! O(m log n).

use std::ops::Range;

use rayon::prelude::*;

use super::grouping::{Groups, group};
use super::refinable::Refinable;
use super::rows::{Rows, Sources};
use super::signature::Mixer;

/// Transitions signed, in multiples of m + n, before the refinement changes
/// over to the method with a worst-case bound.
pub(super) const WORK_FACTOR: u64 = 60;

/// Sweeps in search of states to sign, before backward rows are built: what
/// building them costs.
const SWEEPS: u32 = 8;

/// Blocks by state, and how many there are.
pub(super) type Blocks = (Vec<u32>, u32);

/// What a signature is.
pub(super) trait Signer {
    /// The outgoing transitions.
    fn rows(&self) -> Rows<'_>;

    /// The sum of every state's signature, or nothing if that is too much work.
    /// With a `count` of 1 there is a single block, which is numbered 0.
    fn sign_all(&mut self, block: &[u32], count: usize, mixer: Mixer) -> Option<Vec<u64>>;

    /// Marks more states whose signature may have changed, given that `moved`
    /// were renumbered and the states in `marked`, all with a transition to one
    /// of those, are marked.
    fn spread(&mut self, partition: &mut Refinable, moved: &[u32], marked: Vec<u32>);

    /// Signs the marked states of these blocks, one block after another, and for
    /// each block one of its unmarked states. Nothing if that is too much work.
    fn sign_marked(
        &mut self,
        partition: &Refinable,
        touched: &[u32],
        mixer: Mixer,
    ) -> Option<Signed>;

    /// Refines the blocks in another way, with a worst-case bound.
    fn refine_bounded(&self, block: Vec<u32>, count: u32) -> Blocks;
}

/// Signatures of marked states.
pub(super) struct Signed {
    /// The sum and the state, in the order of the blocks.
    pub(super) keyed: Vec<(u64, u32)>,
    /// For each block, the sum that its unmarked states have in common.
    pub(super) rests: Vec<Option<u64>>,
    /// Transitions looked at.
    pub(super) work: u64,
}

/// Refines the given blocks until all states of a block have one signature, as
/// far as the mixer can tell.
pub(super) fn refine<S: Signer>(
    signer: &mut S,
    mut block: Vec<u32>,
    count: u32,
    mixer: Mixer,
) -> Blocks {
    let n = block.len();
    let m = signer.rows().targets.len();
    let mut count = count as usize;
    let (mut sources, mut sweeps, mut work) = (None, 0, 0);
    loop {
        let Some(mut keys) = signer.sign_all(&block, count, mixer) else {
            return signer.refine_bounded(block, count as u32);
        };
        keys.par_iter_mut()
            .zip(&block)
            .with_min_len(1 << 14)
            .for_each(|(key, &b)| *key = mixer.key(*key, b));
        let groups = group(&keys);
        drop(keys);
        let new_count = groups.sizes.len();
        if new_count == count || new_count == n {
            return (groups.of, new_count as u32);
        }
        let old_count = std::mem::replace(&mut count, new_count);
        let (number, sizes) = renumber(&groups, &block, old_count);
        let is_moved = |&b: &u32| b as usize >= old_count;
        let moved: u64 = sizes[old_count..].iter().map(|&s| u64::from(s)).sum();
        let alone = sizes.iter().filter(|&&s| s == 1).count();
        block = groups.of;
        block
            .par_iter_mut()
            .with_min_len(1 << 14)
            .for_each(|b| *b = number[*b as usize]);
        drop(number);
        // Predecessors of moved states are signed next, but for lone states.
        let degree = m as f64 / n as f64;
        let expected = (moved as f64 * degree).min((n - alone) as f64);
        if expected < n as f64 / 4.0 {
            let moved = (0..n as u32)
                .filter(|&s| is_moved(&block[s as usize]))
                .collect();
            let worklist = Worklist {
                signer,
                mixer,
                partition: Refinable::new(block, &sizes),
                sources: &mut sources,
                sweeps: &mut sweeps,
                work: &mut work,
            };
            match worklist.run(moved) {
                Finished(blocks) => return blocks,
                Crowded(blocks) => (block, count) = (blocks.0, blocks.1 as usize),
            }
        }
    }
}

/// How the second and third gait end.
enum End {
    /// No signature changes any more.
    Finished(Blocks),
    /// So many states changed that the first gait is faster.
    Crowded(Blocks),
}

use End::{Crowded, Finished};

/// A number for each group, and the size of the group with each number. The
/// largest part of each of the `count` blocks keeps the block's number, so that
/// what was signed by that number stands; other groups are numbered from `count`.
fn renumber(groups: &Groups, block: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let parent = |g: usize| block[groups.first[g] as usize] as usize;
    let size = |g: usize| groups.sizes[g];
    let mut largest = vec![u32::MAX; count];
    for g in 0..groups.sizes.len() {
        let best = &mut largest[parent(g)];
        if *best == u32::MAX || size(g) > size(*best as usize) {
            *best = g as u32;
        }
    }
    let mut sizes: Vec<u32> = largest.iter().map(|&g| size(g as usize)).collect();
    let mut number = Vec::with_capacity(groups.sizes.len());
    for g in 0..groups.sizes.len() {
        if largest[parent(g)] == g as u32 {
            number.push(parent(g) as u32);
        } else {
            number.push(sizes.len() as u32);
            sizes.push(size(g));
        }
    }
    (number, sizes)
}

/// The second and third gait.
struct Worklist<'a, S> {
    signer: &'a mut S,
    mixer: Mixer,
    partition: Refinable,
    sources: &'a mut Option<Sources>,
    sweeps: &'a mut u32,
    work: &'a mut u64,
}

impl<S: Signer> Worklist<'_, S> {
    fn run(mut self, mut moved: Vec<u32>) -> End {
        let rows = self.signer.rows();
        let size = (rows.targets.len() + rows.states()) as u64;
        while !moved.is_empty() {
            let marked = self.mark_predecessors(&moved);
            self.signer.spread(&mut self.partition, &moved, marked);
            moved.clear();
            let touched = self.partition.take_touched();
            let signed = self
                .signer
                .sign_marked(&self.partition, &touched, self.mixer);
            let work = signed.as_ref().map_or(0, |signed| signed.work);
            *self.work += work;
            let Some(mut signed) = signed.filter(|_| *self.work <= WORK_FACTOR * size) else {
                let (block, count) = self.partition.into_blocks();
                return Finished(self.signer.refine_bounded(block, count));
            };
            let mut start = 0;
            for (&b, rest) in touched.iter().zip(signed.rests) {
                let end = start + self.partition.marked(b).len();
                self.partition
                    .split(b, &mut signed.keyed[start..end], rest, &mut moved);
                start = end;
            }
            if work > size / 3 && !moved.is_empty() {
                return Crowded(self.partition.into_blocks());
            }
        }
        Finished(self.partition.into_blocks())
    }

    /// Marks all states that share their block and have a successor in `moved`.
    fn mark_predecessors(&mut self, moved: &[u32]) -> Vec<u32> {
        let rows = self.signer.rows();
        if self.sources.is_none() && *self.sweeps < SWEEPS {
            *self.sweeps += 1;
            let found = self.sweep(moved);
            for &s in &found {
                self.partition.mark(s);
            }
            return found;
        }
        let sources = self
            .sources
            .get_or_insert_with(|| Sources::new(rows, |_| true));
        let mut marked = Vec::new();
        for &t in moved {
            let sources = sources.of(t);
            *self.work += sources.len() as u64;
            for &s in sources {
                if !self.partition.is_alone(s) && self.partition.mark(s) {
                    marked.push(s);
                }
            }
        }
        marked
    }

    /// The states to mark, found by a sweep over all rows.
    fn sweep(&self, moved: &[u32]) -> Vec<u32> {
        let rows = self.signer.rows();
        let partition = &self.partition;
        let mut is_moved = vec![0u64; rows.states().div_ceil(64)];
        for &s in moved {
            is_moved[s as usize / 64] |= 1 << (s % 64);
        }
        let search = |task: Range<usize>| {
            (task.start as u32..task.end as u32)
                .filter(|&s| {
                    !partition.is_alone(s)
                        && rows
                            .row(s)
                            .1
                            .iter()
                            .any(|t| is_moved[t.index() / 64] >> (t.get() % 64) & 1 == 1)
                })
                .collect::<Vec<u32>>()
        };
        rows.tasks()
            .into_par_iter()
            .map(search)
            .collect::<Vec<_>>()
            .concat()
    }
}

/// Fills a column by state, task after task, in parallel.
pub(super) fn fill_by_task<T: Send, L: Default>(
    column: &mut [T],
    tasks: &[Range<usize>],
    fill: impl Fn(&mut L, u32) -> T + Sync,
) {
    let mut parts = Vec::with_capacity(tasks.len());
    let mut rest = column;
    for task in tasks {
        let (part, tail) = rest.split_at_mut(task.len());
        parts.push((task.start, part));
        rest = tail;
    }
    parts.into_par_iter().for_each(|(start, part)| {
        let mut local = L::default();
        for (k, place) in part.iter_mut().enumerate() {
            *place = fill(&mut local, (start + k) as u32);
        }
    });
}
