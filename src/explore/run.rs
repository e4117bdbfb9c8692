//! Exploring a model: with the store that suits its states.

use super::batch::Sizes;
use super::error::ExploreError;
use super::explorer::Explorer;
use super::model::{ErasedModel, Model};
use super::search::{Exploration, ExploreOptions};
use super::shape::{check_sizes, words};
use super::sink::Sink;
use super::store::{NumberStore, PackedStore, Store};

/// Explores the states of `model` reachable from its initial state, breadth
/// first and by all threads of the current rayon pool, and gives their
/// transitions to `sink`.
///
/// States are numbered in order of discovery, the initial state is 0; the
/// numbering, and so all results, depend on the model only. Time: one call of
/// the model a state and one look-up a transition. (A state with very many
/// transitions is asked for twice.) Memory: the states' bits in whole bytes and
/// an index of 6 to 8 bytes a state, of up to 12 below three million
/// ([`Model::numbers`]: 4 bytes a number and a state), some MiB that do not grow,
/// 8 bytes a state if a question is asked, and for the livelock question 4 bytes
/// a state and a hidden transition, and 12 bytes a state in the end.
///
/// # Errors
/// If the model fails, or there are too many states or labels. A limit is not
/// an error: see [`Exploration::outcome`].
pub fn explore<'m, M: Model>(
    model: &'m M,
    search: ExploreOptions<'_>,
    sink: &mut impl Sink,
) -> Result<Exploration<'m>, ExploreError> {
    explore_erased(model.erased().0, search, sink)
}

pub(super) fn explore_erased<'m>(
    model: &'m dyn ErasedModel,
    search: ExploreOptions<'_>,
    sink: &mut dyn Sink,
) -> Result<Exploration<'m>, ExploreError> {
    let bits = model.bits();
    check_sizes(bits, model.numbers())?;
    Ok(match (model.numbers(), words(bits)) {
        (Some(bound), _) => run(model, search, sink, NumberStore::new(bound))?.0,
        (None, 1) => run(model, search, sink, PackedStore::<1>::new(bits))?.0,
        (None, 2) => run(model, search, sink, PackedStore::<2>::new(bits))?.0,
        (None, _) => run(model, search, sink, PackedStore::<0>::new(bits))?.0,
    })
}

/// The states that [`explore_states`] found, as the model packs them.
#[derive(Debug)]
pub struct States {
    words: usize,
    packed: Vec<u64>,
}

impl States {
    fn of(store: &impl Store) -> Self {
        let words = store.words();
        let mut packed = vec![0; store.len() * words];
        for (number, state) in (0..).zip(packed.chunks_exact_mut(words)) {
            store.read(number, state);
        }
        Self { words, packed }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.packed.len() / self.words
    }

    /// Whether there is none: never, the initial state is one.
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// The state with this number.
    pub fn get(&self, number: usize) -> &[u64] {
        &self.packed[number * self.words..][..self.words]
    }

    /// All states, by their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.packed.chunks_exact(self.words)
    }
}

/// As [`explore`], with the states that were found.
///
/// # Errors
/// As of [`explore`].
pub fn explore_states<'m, M: Model>(
    model: &'m M,
    search: ExploreOptions<'_>,
    sink: &mut impl Sink,
) -> Result<(Exploration<'m>, States), ExploreError> {
    explore_erased_states(model.erased().0, search, sink)
}

fn explore_erased_states<'m>(
    model: &'m dyn ErasedModel,
    search: ExploreOptions<'_>,
    sink: &mut dyn Sink,
) -> Result<(Exploration<'m>, States), ExploreError> {
    let bits = model.bits();
    check_sizes(bits, model.numbers())?;
    if words(bits) == 1 {
        let (found, store) = run(model, search, sink, PackedStore::<1>::new(bits))?;
        Ok((found, States::of(&store)))
    } else {
        let (found, store) = run(model, search, sink, PackedStore::<0>::new(bits))?;
        Ok((found, States::of(&store)))
    }
}

/// As [`explore`], with the store of the states that were found.
pub(super) fn run<'m, S: Store>(
    model: &'m dyn ErasedModel,
    search: ExploreOptions<'_>,
    sink: &mut dyn Sink,
    store: S,
) -> Result<(Exploration<'m>, S), ExploreError> {
    let sizes = Sizes::of(store.words());
    Explorer::new(model, search, sink, store, sizes)?.run()
}
