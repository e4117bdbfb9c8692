//! The state space of any model as an LTS, and answers on the fly.

use hyades_formats::Lts;
use hyades_lts::{Numbering, reachable, renumbered};

use super::error::ExploreError;
use super::model::{ErasedModel, Model};
use super::run::{explore, explore_erased, run};
use super::search::{Exploration, ExploreOptions, Outcome};
use super::shape::check_sizes;
use super::sink::{LtsSink, Sink};
use super::store::NumberStore;

/// What becomes of the transitions that [`reach()`] finds.
pub enum Goal<'s> {
    /// Nothing: only answers are wanted.
    Answers,
    /// An LTS.
    Lts(Numbering),
    /// Whatever this sink does with them; states are numbered breadth-first.
    Sink(&'s mut dyn Sink),
}

hyades_base::opaque!(Goal<'_>);

/// The reachable state space of `model`, if that is the goal, and what `look`
/// makes of the exploration, if `search` asks or limits anything, the goal is
/// a sink, or the exploration was not complete.
///
/// The LTS is there if the exploration was complete. States have the old
/// numbers that [`Numbering`] speaks of if the model has [`Model::numbers`];
/// the states of other models are numbered breadth-first whatever is asked.
/// `look` gets the exploration before the LTS is made, so that both may use the
/// same labels.
///
/// A model that [is an LTS already](Model::into_lts) is not copied: it is
/// explored only if something is asked or limited, the search stops when all is
/// answered, or the goal is a sink, and then cut down in place by [`reachable`]; the
/// progress callback is called, and may end the work, only while it is explored. Other models are explored once. Time and memory
/// are those of [`explore`] with the sink or an [`LtsSink`], or of
/// [`reachable`].
///
/// # Errors
/// If the model fails, or there are too many states, labels or transitions.
pub fn reach<M: Model, R>(
    model: M,
    search: ExploreOptions<'_>,
    goal: Goal<'_>,
    look: impl FnOnce(&Exploration<'_>) -> R,
) -> Result<(Option<Lts>, Option<R>), ExploreError> {
    let mut look = Some(look);
    let mut looked = None;
    let mut once = |found: &Exploration<'_>| looked = look.take().map(|look| look(found));
    let numbering = match goal {
        Goal::Answers => None,
        Goal::Lts(numbering) => Some(numbering),
        Goal::Sink(sink) => {
            once(&explore_erased(model.erased().0, search, sink)?);
            return Ok((None, looked));
        }
    };
    let lts = match model.into_lts() {
        Ok(lts) => reach_lts(lts, search, numbering, &mut once)?,
        Err(model) => reach_model(model.erased().0, search, numbering, &mut once)?,
    };
    Ok((lts, looked))
}

/// What is made of an exploration.
type Look<'a> = dyn FnMut(&Exploration<'_>) + 'a;

fn reach_lts(
    lts: Lts,
    search: ExploreOptions<'_>,
    numbering: Option<Numbering>,
    look: &mut Look<'_>,
) -> Result<Option<Lts>, ExploreError> {
    let asks = search.asks_or_limits();
    if asks || search.stop_when_answered {
        let found = explore(&lts, search, &mut ())?;
        let is_complete = found.outcome == Outcome::Complete;
        if asks || !is_complete {
            look(&found);
        }
        if !is_complete {
            return Ok(None);
        }
    }
    Ok(numbering.map(|numbering| reachable(lts, numbering)))
}

fn reach_model(
    model: &dyn ErasedModel,
    search: ExploreOptions<'_>,
    numbering: Option<Numbering>,
    look: &mut Look<'_>,
) -> Result<Option<Lts>, ExploreError> {
    let asks = search.asks_or_limits();
    let Some(numbering) = numbering else {
        let found = explore_erased(model, search, &mut ())?;
        if asks || found.outcome != Outcome::Complete {
            look(&found);
        }
        return Ok(None);
    };
    let mut sink = LtsSink::new();
    let mut numbers = Vec::new();
    let found = match model.numbers() {
        Some(bound) => {
            check_sizes(model.bits(), Some(bound))?;
            let (found, store) = run(model, search, &mut sink, NumberStore::new(bound))?;
            if numbering != Numbering::BreadthFirst {
                numbers = store.into_numbers();
            }
            found
        }
        None => explore_erased(model, search, &mut sink)?,
    };
    if asks || found.outcome != Outcome::Complete {
        look(&found);
    }
    sink.check()?;
    if found.outcome != Outcome::Complete {
        return Ok(None);
    }
    let lts = sink.finish(found.labels.into_owned())?;
    Ok(Some(match (model.numbers(), numbering) {
        (None, _) | (_, Numbering::BreadthFirst) => lts,
        (Some(_), Numbering::Ascending) => renumbered(lts, &ranks(&numbers), numbers.len()),
        (Some(bound), Numbering::Kept) => renumbered(lts, &numbers, bound as usize),
    }))
}

/// For each of these numbers, how many others are smaller; no two are equal.
fn ranks(numbers: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
    order.sort_unstable_by_key(|&k| numbers[k as usize]);
    let mut ranks = vec![0; numbers.len()];
    for (rank, k) in order.into_iter().enumerate() {
        ranks[k as usize] = rank as u32;
    }
    ranks
}
