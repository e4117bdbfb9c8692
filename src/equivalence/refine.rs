//! Partition refinement by signatures (Blom & Orzan 2003) in three phases, for
//! whatever signature.
//!
//! 1. While most states change, every state that shares its block is signed
//!    anew, in parallel, and states are grouped by (block, signature): a few
//!    sweeps over contiguous rows.
//! 2. Then only states with a successor in a renumbered block are signed
//!    (Jacobs & Wissmann 2023). The largest part of a split block keeps its
//!    number, so that a state is renumbered at most log2 n times. At first such
//!    states are found by a sweep over all rows,
//! 3. and once that has cost as much as building them would, by backward rows. From
//!    then on it is block after block, in the order in which they are touched.
//!
//! Which phase is next depends on counted work only.
//!
//! What signing costs has no such bound: a state of many transitions may be
//! signed again and again. When the work passes [`WORK_FACTOR`] times the size of
//! the input, or a part of that with little to show for it, the refinement is handed to
//! [`super::bounded`], which takes O(m log n).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use hyades_base::groups::Groups;
use hyades_base::parallel::{self, Scatter};

use super::Partition;
use super::refinable::Refinable;
use super::rounds::Rounds;
use super::rows::{Rows, Sources};
use super::signature::Mixer;

/// Transitions signed, in multiples of m + n, before the refinement changes
/// over to the method with a worst-case bound.
pub(super) const WORK_FACTOR: u64 = 60;

/// The same where little comes of it: for each time the size of the input less than
/// [`SLOW`] blocks.
const SLOW_FACTOR: u64 = if cfg!(test) { 2 } else { 5 };

/// See [`SLOW_FACTOR`].
const SLOW: u64 = if cfg!(test) { 64 } else { 8 };

/// Sweeps in search of states to sign, before backward rows are built: what
/// building them costs.
const SWEEPS: u32 = 1;

/// Blocks by state, and how many there are.
pub(super) type Blocks = (Vec<u32>, u32);

/// What a signature is.
pub(super) trait Signer {
    /// The outgoing transitions.
    fn rows(&self) -> Rows<'_>;

    /// Fills a column with the sums of the signatures of the active states
    /// (ascending; nothing stands for all); tells whether that was not too much
    /// work. States that are not active share their blocks with none that are.
    /// With a `count` of 1 there is a single block, which is numbered 0.
    fn sign_all(
        &mut self,
        block: &[u32],
        count: usize,
        active: Option<&[u32]>,
        mixer: Mixer,
        sums: &mut Vec<u64>,
    ) -> bool;

    /// Marks more states whose signature may have changed, given that `moved`
    /// were renumbered and the states in `marked`, all with a transition to one
    /// of those, are marked. Leaves nothing in `marked`.
    fn spread(&mut self, partition: &mut Refinable, moved: &[u32], marked: &mut Vec<u32>);

    /// Signs the marked states of these blocks, one block after another, and for
    /// each block one of its unmarked states; tells whether that was not too much work.
    fn sign_marked(
        &mut self,
        partition: &Refinable,
        touched: &[u32],
        mixer: Mixer,
        signed: &mut Signed,
    ) -> bool;

    /// Refines the blocks in another way, with a worst-case bound.
    fn refine_bounded(&self, block: Vec<u32>, count: u32, rounds: &mut Rounds<'_>) -> Blocks;
}

/// Signatures of marked states.
#[derive(Default)]
pub(super) struct Signed {
    /// The sum and the state, in the order of the blocks.
    pub(super) keyed: Vec<(u64, u32)>,
    /// For each block, the sum that its unmarked states have in common.
    pub(super) rests: Vec<Option<u64>>,
    /// Transitions looked at.
    pub(super) work: u64,
}

/// Blocks to begin with: no two equivalent states are in different ones.
pub(super) struct Start {
    /// The block of each state; blocks are numbered without a gap.
    pub(super) block: Vec<u32>,
    /// The blocks below this number need no refinement.
    pub(super) settled: u32,
}

impl Start {
    /// A single block of `n` states.
    pub(super) fn new(n: usize) -> Self {
        Self {
            block: vec![0; n],
            settled: 0,
        }
    }
}

/// Refines with one mixer after the other until the partition is stable, which
/// `is_stable` finds out without a mixer.
pub(super) fn refine_until<S: Signer>(
    signer: &mut S,
    mut start: Start,
    mixer: impl Fn(u64) -> Mixer,
    is_stable: impl Fn(&[u32], u32) -> bool,
    rounds: &mut Rounds<'_>,
) -> Partition {
    let mut attempt = 0;
    loop {
        let (class, count) = refine(signer, start, mixer(attempt), rounds);
        if is_stable(&class, count) {
            return Partition { class, count };
        }
        attempt += 1;
        start = Start {
            block: class,
            settled: 0,
        };
    }
}

/// Refines the given blocks until all states of a block have one signature, as
/// far as the mixer can tell.
fn refine<S: Signer>(
    signer: &mut S,
    start: Start,
    mixer: Mixer,
    rounds: &mut Rounds<'_>,
) -> Blocks {
    let Start { mut block, settled } = start;
    let n = block.len();
    let m = signer.rows().targets.len();
    // As many blocks as there may ever be: what is not used costs nothing.
    let mut sizes = Vec::with_capacity(n);
    if n > 0 && parallel::all(n, 1 << 14, |s| block[s] == 0) {
        sizes.push(n as u32);
    } else {
        for &b in &block {
            if sizes.len() <= b as usize {
                sizes.resize(b as usize + 1, 0u32);
            }
            sizes[b as usize] += 1;
        }
    }
    if sizes.len() == settled as usize {
        return (block, settled);
    }
    let mut active = Active::new(&block, settled);
    let (mut sources, mut sweeps, mut work) = (None, 0, 0);
    // What the first phase has signed.
    let mut swept = 0;
    let mut buffers = Buffers::default();
    // States that may still be signed in rounds that change few of them.
    let mut patience = n / 2;
    loop {
        let Buffers {
            keys,
            groups,
            numbering,
        } = &mut buffers;
        active.narrow(&block, &sizes);
        let count = sizes.len();
        // As if all states had rows of one length.
        swept += (active.len(n) as u128 * (m + n) as u128 / n as u128) as u64;
        let is_narrow = signer.rows().is_narrow();
        if is_narrow && is_slow(work + swept, (m + n) as u64, count)
            || !signer.sign_all(&block, count, active.states(), mixer, keys)
        {
            // It has tables of its own.
            drop((buffers, active));
            return refine_bounded(signer, block, count as u32, rounds);
        }
        parallel::for_each_mut(keys, 1 << 14, |k, key| {
            *key = mixer.key(*key, block[active.state(k) as usize]);
        });
        groups.find(keys);
        if groups.sizes.len() + active.settled == count {
            return (block, count as u32);
        }
        numbering.set(groups, &active, &block, &mut sizes);
        rounds.end(sizes.len());
        active.set_all(&mut block, |k| numbering.number[groups.of[k] as usize]);
        if sizes.len() == n {
            return (block, n as u32);
        }
        let is_moved = |&b: &u32| b as usize >= count;
        let moved: u64 = sizes[count..].iter().map(|&s| u64::from(s)).sum();
        let alone = sizes.iter().filter(|&&s| s == 1).count();
        // Predecessors of moved states are signed next, but for lone states.
        let degree = m as f64 / n as f64;
        let expected = (moved as f64 * degree).min((n - alone) as f64);
        if expected < n as f64 / 4.0 {
            // What the first phase does for few states costs less than to go over
            // to the second one.
            if n - alone <= patience {
                patience -= n - alone;
                continue;
            }
            buffers = Buffers::default();
            let moved = |s| is_moved(&block[s]).then_some(s as u32);
            let moved = parallel::filter_map(n, 1 << 14, moved);
            let worklist = Worklist {
                signer,
                mixer,
                partition: Refinable::new(block, &std::mem::take(&mut sizes)),
                sources: &mut sources,
                sweeps: &mut sweeps,
                size: (m + n) as u64,
                work: &mut work,
                swept,
                rounds: &mut *rounds,
            };
            match worklist.run(moved) {
                Finished(blocks) => return blocks,
                Crowded(partition) => {
                    // The first phase takes more memory without them.
                    sources = None;
                    sizes.reserve_exact(n);
                    sizes.extend(partition.sizes());
                    (block, _) = partition.into_blocks();
                }
            }
        }
    }
}

/// Hands the blocks over to the method with a worst-case bound, whose end is told as that
/// of a round. It numbers transitions in 32 bits: of wider rows the blocks are given back,
/// to be refined with another mixer.
fn refine_bounded<S: Signer>(
    signer: &S,
    block: Vec<u32>,
    count: u32,
    rounds: &mut Rounds<'_>,
) -> Blocks {
    if !signer.rows().is_narrow() {
        return (block, count);
    }
    let blocks = signer.refine_bounded(block, count, rounds);
    rounds.end(blocks.1 as usize);
    blocks
}

/// Whether little has come of the transitions that have been signed.
fn is_slow(signed: u64, size: u64, blocks: usize) -> bool {
    signed > SLOW_FACTOR * size && SLOW * signed > size * blocks as u64
}

/// The states that the first phase still looks at.
struct Active {
    /// Ascending; nothing stands for all states.
    states: Option<Vec<u32>>,
    /// The number of blocks without such states.
    settled: usize,
}

impl Active {
    /// The states in the blocks from number `settled` on.
    fn new(block: &[u32], settled: u32) -> Self {
        Self {
            states: (settled > 0).then(|| {
                (0..block.len() as u32)
                    .filter(|&s| block[s as usize] >= settled)
                    .collect()
            }),
            settled: settled as usize,
        }
    }

    /// Leaves states out that are alone in their blocks, once they are many.
    fn narrow(&mut self, block: &[u32], sizes: &[u32]) {
        let is_shared = |&s: &u32| sizes[block[s as usize] as usize] > 1;
        let len = self.len(block.len());
        let shared: usize = match &self.states {
            None => sizes
                .iter()
                .filter(|&&size| size > 1)
                .map(|&s| s as usize)
                .sum(),
            Some(states) => {
                let shared = |part: &[u32]| part.iter().filter(|&s| is_shared(s)).count();
                parallel::map_chunks(states, 1 << 14, shared).iter().sum()
            }
        };
        if len - shared > len / 8 {
            self.settled += len - shared;
            let shared = |s: u32| is_shared(&s).then_some(s);
            self.states = Some(match self.states.take() {
                None => parallel::filter_map(block.len(), 1 << 14, |s| shared(s as u32)),
                Some(states) => parallel::filter_map(states.len(), 1 << 14, |k| shared(states[k])),
            });
        }
    }

    fn states(&self) -> Option<&[u32]> {
        self.states.as_deref()
    }

    /// How many of all `n` states are active.
    fn len(&self, n: usize) -> usize {
        self.states.as_ref().map_or(n, Vec::len)
    }

    /// The k-th active state.
    #[inline]
    fn state(&self, k: usize) -> u32 {
        match &self.states {
            None => k as u32,
            Some(states) => states[k],
        }
    }

    /// Sets the entries of the active states in a column by state.
    fn set_all(&self, column: &mut [u32], value: impl Fn(usize) -> u32 + Sync) {
        match &self.states {
            None => parallel::for_each_mut(column, 1 << 14, |k, place| *place = value(k)),
            Some(states) => {
                let column = Scatter::new(column);
                parallel::tasks(states.len(), 1 << 14, &|task| {
                    for k in task {
                        // SAFETY: no state is listed twice.
                        unsafe { column.write(states[k] as usize, value(k)) }
                    }
                });
            }
        }
    }
}

/// How the second and third phase end.
enum End {
    /// No signature changes any more.
    Finished(Blocks),
    /// So many states changed that the first phase is faster.
    Crowded(Refinable),
}

use End::{Crowded, Finished};

/// What the first phase needs from round to round.
#[derive(Default)]
struct Buffers {
    keys: Vec<u64>,
    groups: Groups<u64>,
    numbering: Numbering,
}

/// A number for each group.
#[derive(Default)]
struct Numbering {
    /// By group.
    number: Vec<u32>,
    /// The largest group of each block, the first of them if there are several.
    largest: Vec<AtomicU32>,
}

/// No group.
const NONE: u32 = u32::MAX;

/// So many groups are numbered by one thread.
const GROUPS: usize = if cfg!(test) { 4 } else { 1 << 13 };

impl Numbering {
    /// Numbers the groups; `sizes`, of the blocks, becomes that of the groups by
    /// these numbers. The largest part of each block keeps the block's number, so
    /// that what was signed by that number stands; other groups get new numbers.
    fn set(&mut self, groups: &Groups<u64>, active: &Active, block: &[u32], sizes: &mut Vec<u32>) {
        let Self { number, largest } = self;
        parallel::map_into(largest, sizes.len(), 1 << 14, |_| AtomicU32::new(NONE));
        parallel::map_into(number, groups.first.len(), GROUPS, |g| {
            let parent = block[active.state(groups.first[g] as usize) as usize];
            let better = |best| {
                let (size, of_best) = (groups.sizes[g], groups.sizes.get(best as usize));
                let is_better = of_best.is_none_or(|&other| (other, g) < (size, best as usize));
                is_better.then_some(g as u32)
            };
            // What comes first does not matter: the numbers tell nothing else.
            let _ = largest[parent as usize].fetch_update(Relaxed, Relaxed, better);
            parent
        });
        let keeps = |g: usize, parent: u32| largest[parent as usize].load(Relaxed) == g as u32;
        let mut parts: Vec<&mut [u32]> = number.chunks_mut(GROUPS).collect();
        let mut next: Vec<usize> = parallel::map(parts.len(), 1, |k| {
            let parents = (k * GROUPS..).zip(&*parts[k]);
            parents.filter(|&(g, &parent)| !keeps(g, parent)).count()
        });
        let mut count = sizes.len();
        for next in &mut next {
            count += std::mem::replace(next, count);
        }
        sizes.resize(count, 0);
        let sizes = Scatter::new(sizes);
        parallel::for_each_mut(&mut parts, 1, |k, part| {
            let mut next = next[k];
            for (g, number) in (k * GROUPS..).zip(&mut **part) {
                if !keeps(g, *number) {
                    *number = next as u32;
                    next += 1;
                }
                // SAFETY: no two groups have the same number.
                unsafe { sizes.write(*number as usize, groups.sizes[g]) }
            }
        });
    }
}

/// The second and third phase.
struct Worklist<'a, 'r, S> {
    signer: &'a mut S,
    mixer: Mixer,
    partition: Refinable,
    sources: &'a mut Option<Sources>,
    sweeps: &'a mut u32,
    /// Of the input: its transitions and states.
    size: u64,
    work: &'a mut u64,
    swept: u64,
    rounds: &'a mut Rounds<'r>,
}

impl<S: Signer> Worklist<'_, '_, S> {
    fn run(mut self, mut moved: Vec<u32>) -> End {
        // Reused: rounds and blocks may be many, and small.
        let (mut marked, mut touched, mut signed) = (Vec::new(), Vec::new(), Signed::default());
        while self.sources.is_none() && *self.sweeps < SWEEPS {
            *self.sweeps += 1;
            self.sweep(&moved, &mut marked);
            self.signer.spread(&mut self.partition, &moved, &mut marked);
            moved.clear();
            self.partition.take_touched_into(&mut touched);
            if !self.sign(&touched, &mut signed) {
                return self.bounded();
            }
            let mut start = 0;
            for (&b, &rest) in touched.iter().zip(&signed.rests) {
                let end = start + self.partition.marked(b).len();
                self.partition
                    .split(b, &mut signed.keyed[start..end], rest, &mut moved);
                start = end;
            }
            self.rounds.end(self.partition.count());
            if moved.is_empty() {
                return Finished(self.partition.into_blocks());
            }
            if signed.work > self.size / 3 {
                return Crowded(self.partition);
            }
        }
        // From now on block after block, so that what has moved is known at once.
        let mut queue = VecDeque::new();
        loop {
            // Blocks of this round that are left, and what it has cost.
            let (mut left, mut work) = (queue.len(), 0);
            loop {
                if !moved.is_empty() {
                    self.mark_predecessors(&moved, &mut marked);
                    self.signer.spread(&mut self.partition, &moved, &mut marked);
                    moved.clear();
                    self.partition.take_touched_into(&mut touched);
                    queue.extend(&touched);
                }
                if left == 0 {
                    break;
                }
                left -= 1;
                let b = queue.pop_front().expect("at least `left` blocks");
                if !self.sign(&[b], &mut signed) {
                    return self.bounded();
                }
                work += signed.work;
                self.partition
                    .split(b, &mut signed.keyed, signed.rests[0], &mut moved);
            }
            self.rounds.end(self.partition.count());
            if queue.is_empty() {
                return Finished(self.partition.into_blocks());
            }
            if work > self.size / 3 {
                return Crowded(self.partition);
            }
        }
    }

    /// Signs the marked states of some blocks; false if the work is not worth while.
    fn sign(&mut self, touched: &[u32], signed: &mut Signed) -> bool {
        let has_signed = self
            .signer
            .sign_marked(&self.partition, touched, self.mixer, signed);
        *self.work += signed.work;
        let is_worth = *self.work <= WORK_FACTOR * self.size
            && !is_slow(*self.work + self.swept, self.size, self.partition.count());
        has_signed && (is_worth || !self.signer.rows().is_narrow())
    }

    /// Leaves the rest to the method with a worst-case bound.
    fn bounded(self) -> End {
        let (block, count) = self.partition.into_blocks();
        Finished(refine_bounded(self.signer, block, count, self.rounds))
    }

    /// Marks all states that share their block and have a successor in `moved`, and lists
    /// them.
    fn mark_predecessors(&mut self, moved: &[u32], marked: &mut Vec<u32>) {
        let rows = self.signer.rows();
        let sources = self
            .sources
            .get_or_insert_with(|| Sources::new(rows, |_| true));
        for (k, &t) in moved.iter().enumerate() {
            sources.fetch(moved, k, |s| self.partition.fetch(s));
            let sources = sources.of(t);
            *self.work += sources.len() as u64;
            for &s in sources {
                if self.partition.mark(s) {
                    marked.push(s);
                }
            }
        }
    }

    /// The same by a sweep over all rows.
    fn sweep(&mut self, moved: &[u32], marked: &mut Vec<u32>) {
        let rows = self.signer.rows();
        let partition = &self.partition;
        let mut is_moved = vec![0u64; rows.states().div_ceil(64)];
        for &s in moved {
            is_moved[s as usize / 64] |= 1 << (s % 64);
        }
        let search = |task: &Range<usize>| {
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
        *marked = parallel::map_each(&rows.tasks(), search).concat();
        for &s in &*marked {
            self.partition.mark(s);
        }
    }
}
