//! The pieces that the search is made of, for who puts them together in another way: a search
//! by several processes, each of which has some of the states.
//!
//! ```
//! use hyades_explore::Model;
//! use hyades_explore::pieces::{Expander, StateSet};
//! use hyades_formats::LtsBuilder;
//!
//! let mut builder = LtsBuilder::new(3);
//! builder.add_text(0, b"A", 1)?;
//! builder.add_text(0, b"B", 2)?;
//! builder.add_text(2, b"A", 1)?;
//! let lts = builder.build(hyades_formats::StateId::new(0))?;
//! let mut expander = Expander::new(lts.erased())?;
//! let mut known = StateSet::new(lts.bits());
//! let mut numbers = Vec::new();
//! known.enter(&expander.initial()?, &mut numbers)?;
//! let mut next = 0;
//! while next < known.len() {
//!     let expanded = expander.expand(&known, &[next as u32], usize::MAX);
//!     assert_eq!((expanded.rows, expanded.error), (1, None));
//!     let targets: Vec<u64> = expander.pieces().flat_map(|piece| piece.targets().to_vec()).collect();
//!     known.enter(&targets, &mut numbers)?;
//!     next += 1;
//! }
//! assert_eq!((known.len(), &numbers[..]), (3, &[0, 1, 2, 1][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;
use std::sync::Mutex;

use hyades_formats::{LabelId, LabelTable, StateId, TooLarge};

use super::batch::{Batch, Gathered, Sizes};
use super::chunk::{Chunk, Sources, Worker};
use super::error::{ExploreError, ModelError};
use super::hash::Hasher;
use super::model::{Erased, ErasedModel};
use super::shape::{Shape, check_sizes, words};
use super::store::{PackedStore, Store};

/// Hashes packed states, the same way in all processes that have the same seed.
pub struct StateHasher(Hasher);

hyades_base::opaque!(StateHasher);

impl StateHasher {
    /// The one with this seed.
    pub fn new(seed: u64) -> Self {
        Self(Hasher::seeded(seed))
    }

    /// The hash of a state. All its bits are well spread.
    #[inline]
    pub fn hash(&self, state: &[u64]) -> u64 {
        match state.len() {
            1 => self.0.hash::<1>(state),
            2 => self.0.hash::<2>(state),
            _ => self.0.hash::<0>(state),
        }
    }
}

/// Packed states, numbered in the order in which they are entered: their bits in whole bytes
/// and an index of 6 to 8 bytes each.
pub struct StateSet {
    store: AnyStore,
    words: usize,
    batch: Batch,
}

hyades_base::opaque!(StateSet);

/// As the explorer has it, by the number of words.
enum AnyStore {
    One(PackedStore<1>),
    Two(PackedStore<2>),
    More(PackedStore<0>),
}

macro_rules! with_store {
    ($any:expr, $store:ident => $value:expr) => {
        match $any {
            AnyStore::One($store) => $value,
            AnyStore::Two($store) => $value,
            AnyStore::More($store) => $value,
        }
    };
}

/// Fewer states than this are entered one by one.
const FEW: usize = 128;

impl StateSet {
    /// No states yet; each has so many bits, at most [`MAX_BITS`](crate::MAX_BITS).
    pub fn new(bits: usize) -> Self {
        let words = words(bits);
        Self {
            store: match words {
                1 => AnyStore::One(PackedStore::new(bits)),
                2 => AnyStore::Two(PackedStore::new(bits)),
                _ => AnyStore::More(PackedStore::new(bits)),
            },
            words,
            batch: Batch::new(Sizes::of(words)),
        }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        with_store!(&self.store, store => store.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many words a state has.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The state with this number, which is less than [`len`](Self::len), into as many words
    /// as a state has.
    pub fn read(&self, number: u32, state: &mut [u64]) {
        with_store!(&self.store, store => store.read(number, state));
    }

    /// Enters states that are not there yet, and appends the numbers of all of these, which
    /// stand one behind the other. New ones are numbered in their order, whatever the number
    /// of threads. Constant time a state, shared among threads.
    ///
    /// # Errors
    /// If there are more than about 2^32 states; then only some of these have been entered.
    pub fn enter(&mut self, states: &[u64], numbers: &mut Vec<u32>) -> Result<(), TooLarge> {
        let Self {
            store,
            words,
            batch,
        } = self;
        let words = *words;
        debug_assert!(states.len().is_multiple_of(words));
        with_store!(store, store => {
            for part in states.chunks(batch.places() * words) {
                let (len, count) = (store.len(), part.len() / words);
                if !batch.fits(len) {
                    return Err(TooLarge {
                        what: "states",
                        limit: StateId::MAX_COUNT - 2 * batch.places() as u64,
                    });
                }
                if count < FEW {
                    for state in part.chunks_exact(words) {
                        let entered = store.insert(state, usize::MAX);
                        numbers.extend(entered.map(|(number, _)| number));
                    }
                    continue;
                }
                store.reserve(len + count);
                batch.hold(part, words);
                batch.discover(store, usize::MAX);
                batch.resolve(len);
                let found = batch.targets().iter().flatten();
                numbers.extend(found.map(|number| number.get()));
            }
        });
        Ok(())
    }

    /// Bytes held at the peak of entering so many more states.
    pub fn peak(&self, more: usize) -> usize {
        let states = self.len() + more;
        with_store!(&self.store, store => store.peak(states)) + self.batch.memory()
    }
}

/// Computes the rows of states by all threads, and numbers the labels that it meets: first
/// those of the model, then others in the order in which they come.
pub struct Expander<'m> {
    model: &'m dyn ErasedModel,
    shape: Shape,
    words: usize,
    workers: Mutex<Vec<Box<dyn Worker + 'm>>>,
    labels: Cow<'m, LabelTable>,
    sizes: Sizes,
    batch: Batch,
    /// About how many transitions states of late have had.
    degree: f64,
}

hyades_base::opaque!(Expander<'_>);

/// What [`Expander::expand`] has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// The rows of so many of the states are there. It may be fewer than there are states,
    /// but at least one unless there is an error.
    pub rows: usize,
    /// What is wrong with the next state.
    pub error: Option<ExploreError>,
}

impl<'m> Expander<'m> {
    /// For the states of a model.
    ///
    /// # Errors
    /// If they cannot be stored.
    pub fn new(model: Erased<'m>) -> Result<Self, ModelError> {
        Self::with_sizes(model, None)
    }

    /// As [`new`](Self::new); `shift` says that no more than two to its power transitions are
    /// computed at a time, unless one state has more.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_sizes(model: Erased<'m>, shift: Option<u32>) -> Result<Self, ModelError> {
        let model = model.0;
        let bits = model.bits();
        check_sizes(bits, model.numbers())?;
        let mut sizes = Sizes::of(words(bits));
        if let Some(shift) = shift {
            let most = sizes.shift + sizes.chunks.ilog2();
            let shift = shift.min(most);
            sizes.shift = sizes.shift.min(shift);
            sizes.chunks = 1 << (shift - sizes.shift);
        }
        Ok(Self {
            model,
            shape: Shape::new(bits, model.numbers()),
            words: words(bits),
            workers: Mutex::new(Vec::new()),
            labels: model.labels(),
            sizes,
            batch: Batch::new(sizes),
            degree: 1.0,
        })
    }

    /// The initial state.
    ///
    /// # Errors
    /// If there is none, or it is no state.
    pub fn initial(&self) -> Result<Vec<u64>, ModelError> {
        Erased(self.model).initial_state()
    }

    /// The labels met so far.
    pub fn labels(&self) -> &LabelTable {
        &self.labels
    }

    /// The rows of the first ones of these states, as many as there is room for; `most` is
    /// [`Emit::most_targets`](crate::Emit::most_targets).
    pub fn expand(&mut self, known: &StateSet, states: &[u32], most: usize) -> Expanded {
        let mut sizes = self.sizes;
        let mut sources = Sources::Listed(states);
        if self.batch.sizes().shift != sizes.shift {
            self.batch = Batch::new(sizes);
        }
        let (transitions, error) = loop {
            let (gathered, error) = with_store!(&known.store, store => self.batch.gather(
                self.model,
                &self.workers,
                store,
                &self.labels,
                &self.shape,
                &sources,
                self.degree,
                most,
            ));
            if let Gathered::Rows(transitions) = gathered {
                break (transitions, error);
            }
            // A state of very many transitions, which come all at once.
            sizes.shift += 2;
            sizes.chunks = 1;
            sources = Sources::Listed(&states[..1]);
            self.batch = Batch::new(sizes);
        };
        let settled = self.batch.settle_labels(&mut self.labels);
        let rows = self.batch.rows();
        if rows > 0 {
            self.degree = transitions as f64 / rows as f64;
        }
        match settled {
            Ok(()) => Expanded { rows, error },
            Err(error) => Expanded {
                rows: 0,
                error: Some(error),
            },
        }
    }

    /// The rows that have been computed last, in the order of their states.
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = Piece<'_>> + Clone {
        let words = self.words;
        let chunks = self.batch.chunks().iter();
        chunks.map(move |chunk| Piece { chunk, words })
    }

    /// Bytes held by the rows that have been computed last.
    pub fn memory(&self) -> usize {
        self.batch.memory()
    }
}

/// Rows of consecutive states.
#[derive(Clone, Copy)]
pub struct Piece<'e> {
    chunk: &'e Chunk,
    words: usize,
}

hyades_base::opaque!(Piece<'_>);

impl<'e> Piece<'e> {
    /// Where each row ends in the columns.
    pub fn ends(&self) -> &'e [u32] {
        &self.chunk.ends
    }

    /// The labels of the transitions, by their numbers in [`Expander::labels`].
    pub fn labels(&self) -> &'e [LabelId] {
        &self.chunk.labels[..self.transitions()]
    }

    /// How many words a state has.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The source of a row.
    pub fn source(&self, row: usize) -> &'e [u64] {
        self.chunk.source(row, self.words)
    }

    /// The targets of the transitions, one behind the other.
    pub fn targets(&self) -> &'e [u64] {
        self.chunk.targets(self.transitions(), self.words)
    }

    /// What follows the last row is a part of one that has an error.
    fn transitions(&self) -> usize {
        self.chunk.ends.last().map_or(0, |&end| end as usize)
    }
}
