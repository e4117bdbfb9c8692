//! Exploring many states at a time, by all threads.
//!
//! A batch is a run of consecutive states that have their numbers. It goes
//! through steps, in each of which the threads share its chunks among
//! themselves, and of which none depends on which thread does what when:
//!
//! 1. The model gives the successors of all states of a chunk.
//! 2. They are looked up. What is new is entered in the store under the place of
//!    the transition in the batch, beyond all numbers of states. If another
//!    transition has done so for the same state, the earlier place stands.
//! 3. Thus the transitions that discover a state are known, and they are
//!    counted: the numbers of new states follow in the order of places, as if
//!    one transition had come after the other. They replace the places in the
//!    store.
//! 4. Transitions that lead to the same new states get their numbers.

use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

use hyades_base::parallel;
use hyades_formats::{LabelTable, Rows, StateId};

use super::chunk::{Chunk, Gathering, Sources, Stop, Worker};
use super::error::ExploreError;
use super::index::{Entry, Slot};
use super::model::ErasedModel;
use super::shape::Shape;
use super::store::Store;

/// How large the parts are that work is cut into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// A chunk holds 2 to this power transitions.
    pub shift: u32,
    /// The most chunks of a batch.
    pub chunks: usize,
    /// Fewer transitions than this are not worth a batch.
    pub least: usize,
    /// So many transitions or states are handed over together that do not come
    /// from a batch.
    pub flush: usize,
}

impl Sizes {
    /// Those for states of so many words: the batch takes some ten MB. Smaller
    /// ones cost time, as there is less to share among threads. Of states beyond
    /// [`LARGE`] words there are fewer, so that those of a batch take no more than 128 MiB,
    /// and what does not come from a batch a quarter, unless that is less than a state;
    /// a batch of one chunk is worth nothing.
    pub(super) fn of(words: usize) -> Self {
        let large = words.div_ceil(LARGE).next_power_of_two().ilog2();
        let places = 15u32.saturating_sub(large);
        let shift = match large {
            0 => 14 - words.max(1).ilog2().min(4),
            _ => 10u32.saturating_sub(large).max(4).min(places),
        };
        let chunks = if large == 0 {
            32
        } else {
            1 << (places - shift)
        };
        Self {
            shift,
            chunks,
            least: match chunks {
                1 => usize::MAX,
                _ => (2000 >> large).max(16),
            },
            flush: ((1 << 12) >> large).max(1),
        }
    }
}

/// States of more words than this are large: they have more than 4 KiB.
const LARGE: usize = 512;

/// Chunks, and the memory for them.
pub(super) struct Batch {
    sizes: Sizes,
    chunks: Vec<Chunk>,
    /// For each chunk, the transitions that seemed to discover a state.
    claims: Vec<Vec<Claim>>,
    /// For each chunk, the targets of its transitions.
    targets: Vec<Vec<StateId>>,
    /// How many chunks of these are in use.
    used: usize,
}

/// A transition that has entered its target in the store.
struct Claim {
    rank: u32,
    slot: Slot,
}

/// The part of a batch that counts: chunks before this one as a whole, and so
/// many transitions of this one.
#[derive(Clone, Copy)]
struct Cut {
    chunk: usize,
    rank: u32,
}

/// What [`Batch::gather`] has found.
pub(super) enum Gathered {
    /// Rows of the first states asked for, and so many transitions.
    Rows(usize),
    /// The first state has more transitions than fit into a chunk.
    Huge,
}

impl Batch {
    pub(super) fn new(sizes: Sizes) -> Self {
        Self {
            sizes,
            chunks: Vec::new(),
            claims: Vec::new(),
            targets: Vec::new(),
            used: 0,
        }
    }

    /// How large its parts are.
    pub(super) fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The number of places that the transitions of a batch have.
    pub(super) fn places(&self) -> usize {
        self.sizes.chunks << self.sizes.shift
    }

    /// Whether there may be so many states before a batch.
    pub(super) fn fits(&self, states: usize) -> bool {
        // Places come after all numbers, then new numbers after all places.
        (states + 2 * self.places()) as u64 <= StateId::MAX_COUNT
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let claims = self
            .claims
            .iter()
            .map(|c| c.capacity() * size_of::<Claim>());
        let targets = self.targets.iter().map(|t| 4 * t.capacity());
        self.chunks.iter().map(Chunk::memory).sum::<usize>()
            + claims.sum::<usize>()
            + targets.sum::<usize>()
    }

    /// Step 1, for as many of these states as is reasonable, at least one; each has
    /// about `degree` transitions; for `most` see [`Gathering`]. Threads take
    /// one of the `workers`. An error is returned where it is the next
    /// thing to happen after the rows gathered.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn gather<'m>(
        &mut self,
        model: &'m dyn ErasedModel,
        workers: &Mutex<Vec<Box<dyn Worker + 'm>>>,
        store: &impl Store,
        labels: &LabelTable,
        shape: &Shape,
        sources: &Sources<'_>,
        degree: f64,
        most: usize,
    ) -> (Gathered, Option<ExploreError>) {
        let capacity = 1 << self.sizes.shift;
        // Half full, so that some states may have more transitions; and enough
        // chunks for all threads of a small machine, even of few states.
        let fair = (f64::from(capacity) / 2.0 / degree.max(0.5)) as usize;
        let share = sources.len().div_ceil(16).max(16);
        let per_chunk = fair.min(share).clamp(1, capacity as usize);
        let chunks = sources.len().div_ceil(per_chunk).min(self.sizes.chunks);
        self.prepare(chunks);
        let gathering = Gathering {
            labels,
            shape,
            capacity: capacity as usize,
            most,
        };
        parallel::for_each_mut(&mut self.chunks[..chunks], 1, |c, chunk| {
            let taken = workers.lock().expect("no thread panics here").pop();
            let mut worker = taken.unwrap_or_else(|| model.worker());
            let start = c * per_chunk;
            let sources = sources.part(start..sources.len().min(start + per_chunk));
            chunk.gather(&mut *worker, store, &sources, &gathering);
            workers.lock().expect("no thread panics here").push(worker);
        });

        let mut error = None;
        self.used = chunks;
        if let Some(stopped) = self.chunks[..chunks].iter().position(|c| c.stop.is_some()) {
            self.used = stopped + 1;
            if let Some(Stop::Error(found)) = self.chunks[stopped].stop.take() {
                error = Some(found);
            }
        }
        let used = &self.chunks[..self.used];
        let gathered = match used.iter().map(|chunk| chunk.labels.len()).sum() {
            0 if error.is_none() && used.iter().all(|chunk| chunk.ends.is_empty()) => {
                Gathered::Huge
            }
            transitions => Gathered::Rows(transitions),
        };
        (gathered, error)
    }

    /// Makes so many chunks.
    fn prepare(&mut self, chunks: usize) {
        let chunks = self.chunks.len().max(chunks);
        self.chunks.resize_with(chunks, Chunk::default);
        self.claims.resize_with(chunks, Vec::new);
        self.targets.resize_with(chunks, Vec::new);
    }

    /// Instead of step 1: these states, of so many words each, are to be looked up, as if
    /// transitions led to them. There may be as many as there are [places](Self::places).
    pub(super) fn hold(&mut self, states: &[u64], words: usize) {
        let capacity = words << self.sizes.shift;
        self.used = states.len().div_ceil(capacity);
        self.prepare(self.used);
        parallel::for_each_mut(&mut self.chunks[..self.used], 1, |c, chunk| {
            chunk.hold(parallel::chunk(states, capacity, c), words);
        });
    }

    /// The chunks that have been gathered.
    pub(super) fn chunks(&self) -> &[Chunk] {
        &self.chunks[..self.used]
    }

    /// What has been found by step 4, chunk by chunk.
    pub(super) fn targets(&self) -> &[Vec<StateId>] {
        &self.targets[..self.used]
    }

    /// How many rows have been gathered.
    pub(super) fn rows(&self) -> usize {
        self.chunks[..self.used].iter().map(|c| c.ends.len()).sum()
    }

    /// Steps 2 and 3; there must be room for a new state by each transition. If
    /// there are more than `most` new states, the transition that would discover
    /// one more and all after it are dropped; returns whether that is so.
    pub(super) fn discover(&mut self, store: &mut impl Store, most: usize) -> bool {
        let places = self.places() as u32;
        let (chunks, claims) = (&self.chunks[..self.used], &mut self.claims[..self.used]);
        let looking = Looking {
            chunks,
            shift: self.sizes.shift,
            len: store.len() as u32,
            places,
        };
        let this = &*store;
        if parallel::threads_for(claims.len(), 1) == 1 {
            parallel::for_each_mut(claims, 1, |c, claims| {
                looking.enter::<_, false>(this, c, claims)
            });
        } else {
            parallel::for_each_mut(claims, 1, |c, claims| {
                looking.enter::<_, true>(this, c, claims)
            });
        }

        // Claims that stand; each chunk's first new state.
        parallel::for_each_mut(claims, 1, |c, claims| {
            claims.retain(|claim| looking.stands(c, claim.rank));
        });
        let mut firsts = Vec::with_capacity(self.used);
        let mut states = 0;
        for claims in claims.iter() {
            firsts.push(states);
            states += claims.len();
        }
        let mut cut = None;
        if states > most {
            let chunk = firsts.partition_point(|&first| first <= most) - 1;
            let kept = most - firsts[chunk];
            let rank = claims[chunk][kept].rank;
            cut = Some(Cut { chunk, rank });
            claims[chunk].truncate(kept);
            claims[chunk + 1..].iter_mut().for_each(Vec::clear);
            states = most;
        }
        parallel::for_each_mut(claims, 1, |c, claims| {
            // SAFETY: each claim that stands has a number of its own, and the
            // threads do nothing else with the store until all are settled.
            unsafe { looking.settle(this, c, claims, firsts[c]) };
        });
        store.grow(states);
        if let Some(Cut { chunk, rank }) = cut {
            self.used = chunk + 1;
            let chunk = &mut self.chunks[chunk];
            let rows = chunk.ends.partition_point(|&end| end <= rank);
            chunk.ends.truncate(rows);
            chunk.labels.truncate(rank as usize);
        }
        cut.is_some()
    }

    /// Step 4, for `len` states before the batch.
    pub(super) fn resolve(&mut self, len: usize) {
        let looking = Looking {
            chunks: &self.chunks[..self.used],
            shift: self.sizes.shift,
            len: len as u32,
            places: self.places() as u32,
        };
        parallel::for_each_mut(&mut self.targets[..self.used], 1, |c, targets| {
            let results = &looking.chunks[c].results[..looking.chunks[c].labels.len()];
            targets.clear();
            targets.extend(
                results
                    .iter()
                    .map(|result| looking.number(result.load(Relaxed))),
            );
        });
    }

    /// Gives fresh labels their final numbers, in the order of transitions.
    pub(super) fn settle_labels(
        &mut self,
        known: &mut std::borrow::Cow<'_, LabelTable>,
    ) -> Result<(), ExploreError> {
        for chunk in &mut self.chunks[..self.used] {
            let base = chunk.fresh.base();
            if chunk.fresh.end() == base {
                continue;
            }
            for label in &mut chunk.labels {
                if label.index() >= base {
                    *label = chunk.fresh.settle(*label, known.to_mut())?;
                }
            }
        }
        Ok(())
    }

    /// The rows of the batch, with targets if these have been resolved.
    pub(super) fn all_rows(&self) -> Vec<Rows<'_>> {
        let chunks = self.chunks[..self.used].iter().zip(&self.targets);
        chunks
            .map(|(chunk, targets)| Rows {
                first: StateId::new(chunk.first),
                ends: (&chunk.ends).into(),
                labels: &chunk.labels,
                targets,
            })
            .collect()
    }
}

/// What threads look at together. Places are numbers from `len` on, and new
/// numbers stand above all places while both are about.
struct Looking<'a> {
    chunks: &'a [Chunk],
    shift: u32,
    len: u32,
    places: u32,
}

impl Looking<'_> {
    /// The chunk and the rank of this place.
    #[inline(always)]
    fn at(&self, place: u32) -> (&Chunk, usize) {
        let k = place - self.len;
        let rank = k & ((1 << self.shift) - 1);
        (&self.chunks[(k >> self.shift) as usize], rank as usize)
    }

    #[inline(always)]
    fn place(&self, chunk: usize, rank: u32) -> u32 {
        self.len + ((chunk as u32) << self.shift) + rank
    }

    /// Looks up the targets of a chunk. Those that the chunk has a little before
    /// are not looked up: where components take steps independently of each
    /// other, these are about half. Time: O(1) a transition.
    fn enter<S: Store, const SHARED: bool>(&self, store: &S, c: usize, claims: &mut Vec<Claim>) {
        /// So many are looked up together, so that the processor can fetch what
        /// will be needed.
        const GROUP: usize = 128;
        /// As many as a chunk has transitions at most.
        const RECENT: usize = 1 << 14;
        let chunk = &self.chunks[c];
        let words = store.words();
        // Ranks of transitions by their targets' keys; whether the target is the
        // same is compared, so that it does not matter which ranks these are.
        let mut recent = [0u16; RECENT];
        let mut waiting = [(0, S::Key::default()); GROUP];
        claims.clear();
        // Always as many, so that what memory is held does not depend on which
        // thread was faster.
        claims.reserve_exact(1 << self.shift);
        for from in (0..chunk.labels.len()).step_by(GROUP) {
            let to = chunk.labels.len().min(from + GROUP);
            // Without branches: which states are new here cannot be predicted.
            let mut count = 0;
            for rank in from..to {
                let state = chunk.target(rank, words);
                let key = store.key(state);
                let mut is_there = false;
                if let Some(spread) = S::spread(key) {
                    let last = &mut recent[spread as usize % RECENT];
                    let earlier = usize::from(*last);
                    is_there = earlier < rank && chunk.target(earlier, words) == state;
                    chunk.results[rank].store(self.place(c, earlier as u32), Relaxed);
                    *last = if is_there { earlier } else { rank } as u16;
                }
                waiting[count] = (rank as u32, key);
                count += usize::from(!is_there);
            }
            let waiting = &waiting[..count];
            for &(_, key) in waiting {
                store.prefetch(key);
            }
            for &(_, key) in waiting {
                store.fetch(key);
            }
            for &(rank, key) in waiting {
                let state = chunk.target(rank as usize, words);
                let place = self.place(c, rank);
                let result = &chunk.results[rank as usize];
                // Others may replace it as soon as the place is in the store.
                result.store(place, Relaxed);
                let same = |other| {
                    let (chunk, rank) = self.at(other);
                    chunk.target(rank, words) == state
                };
                match store.enter::<SHARED>(key, state, place, same) {
                    Entry::New(slot) => claims.push(Claim { rank, slot }),
                    Entry::Held(held, _) if held < place => result.store(held, Relaxed),
                    // A transition further back was faster.
                    Entry::Held(_, slot) => {
                        let old = store.lower(slot, place);
                        if old < place {
                            result.store(old, Relaxed);
                        } else {
                            let (chunk, loser) = self.at(old);
                            chunk.results[loser].store(place, Relaxed);
                            claims.push(Claim { rank, slot });
                        }
                    }
                }
            }
        }
    }

    /// Whether no earlier transition discovers the same state.
    #[inline(always)]
    fn stands(&self, c: usize, rank: u32) -> bool {
        self.chunks[c].results[rank as usize].load(Relaxed) == self.place(c, rank)
    }

    /// Gives the new states of a chunk their numbers; the first has `first` new
    /// states before it.
    ///
    /// # Safety
    /// As for [`Store::settle`].
    unsafe fn settle(&self, store: &impl Store, c: usize, claims: &[Claim], first: usize) {
        let chunk = &self.chunks[c];
        for (claim, number) in claims.iter().zip(self.len + first as u32..) {
            let rank = claim.rank as usize;
            // SAFETY: by the promise of the caller.
            unsafe { store.settle(claim.slot, number, chunk.target(rank, store.words())) };
            chunk.results[rank].store(number + self.places, Relaxed);
        }
    }

    /// The number of a state, once all new ones have numbers.
    #[inline(always)]
    fn number(&self, mut result: u32) -> StateId {
        loop {
            if result < self.len {
                return StateId::new(result);
            }
            let new = result - self.len;
            if new >= self.places {
                return StateId::new(result - self.places);
            }
            let (chunk, rank) = self.at(result);
            result = chunk.results[rank].load(Relaxed);
        }
    }
}
