//! Any model without its hidden transitions.

mod closures;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::RwLock;

use foldhash::fast::RandomState;
use hyades_base::discovered::Discovered;
use hyades_formats::{LabelId, LabelTable};

use super::checked::Checked;
use super::emit::Emit;
use super::error::{Limit, ModelError};
use super::model::Model;
use super::row::Row;
use super::shape::words;
use closures::{Closures, Growth, Marks};

/// A model reduced by τ\*.a as it is explored: a transition with a visible label
/// leads from a state to wherever hidden transitions and then one with that label
/// lead in the model, and there are no others.
///
/// The visible traces are those of the model. What can be done after them need
/// not be: a state from which only hidden transitions lead, or none, has no
/// transitions.
///
/// # Cost
/// A state asks for all that hidden transitions reach from it. A few states are
/// explored anew each time. If they are more, the graph of hidden transitions is
/// kept with its cycles made one, in up to 64 MiB: then they are looked through,
/// which is much faster, but takes as many steps. Where each of n states reaches m
/// without cycles, that is O(n m) in any case, and there may be as many
/// transitions. Nothing is kept of models that introduce labels as they go, nor
/// of what does not fit in: that is explored anew for each state.
pub struct TauStar<M> {
    model: Checked<M>,
    /// So many states are explored anew.
    few: usize,
    /// Hidden transitions lead from a state to so many at most, with itself.
    most: usize,
    /// How many labels the model's table has.
    labels: usize,
    closures: RwLock<Closures>,
}

hyades_base::opaque!([M] TauStar<M>);

/// Fewer states are explored faster than threads agree upon what is known.
const FEW: usize = 32;

/// Bytes for what is known.
const LIMIT: usize = 64 << 20;

/// Memory of [`TauStar`].
pub struct TauStarScratch<S> {
    inner: S,
    row: Row,
    seen: HashSet<Box<[u64]>, RandomState>,
    open: Vec<Box<[u64]>>,
    marks: Marks,
}

hyades_base::opaque!([S] TauStarScratch<S>);

impl<M: Model> TauStar<M> {
    /// The model without its hidden transitions.
    pub fn new(model: M) -> Self {
        Self::with_limits(model, FEW, LIMIT)
    }

    /// As [`TauStar::new`], exploring `few` states anew and keeping so many
    /// bytes.
    pub(super) fn with_limits(model: M, few: usize, bytes: usize) -> Self {
        let closures = Closures::new(words(model.bits()), bytes);
        let labels = model.labels().len();
        Self {
            model: Checked::new(model),
            few,
            most: usize::MAX,
            labels,
            closures: RwLock::new(closures),
        }
    }

    /// Ends with a limit reached ([`Limit::Hidden`](super::Limit::Hidden)) where
    /// hidden transitions lead from some state to more than so many states,
    /// counting that state.
    pub fn with_max_states(mut self, most: Option<u64>) -> Self {
        let most = most.map(|most| most.try_into().unwrap_or(usize::MAX));
        self.most = most.unwrap_or(usize::MAX);
        self
    }

    /// Finds what hidden transitions and then a visible one lead to, or as much of
    /// that as matters, with the help of what is `known`. Finds a part only if
    /// hidden transitions lead to more than `most` states, or a label is introduced
    /// while something is known.
    ///
    /// # Errors
    /// If the model has one.
    fn search<E: Emit + ?Sized>(
        &self,
        scratch: &mut TauStarScratch<M::Scratch>,
        state: &[u64],
        emit: &mut E,
        known: Option<&Closures>,
        most: usize,
    ) -> Result<Found, ModelError> {
        let TauStarScratch {
            inner,
            row,
            seen,
            open,
            marks,
        } = scratch;
        row.clear();
        seen.clear();
        open.clear();
        marks.clear();
        let mut apart = Apart {
            row,
            seen,
            open,
            marks,
            known,
            most,
            introduced: false,
            labels: self.labels,
            emit,
        };
        apart.reach(state);
        let mut count = 0;
        while let Some(state) = apart.open.pop() {
            count += 1;
            if apart.marks.states().saturating_add(count) > most {
                return Ok(Found::Part);
            }
            self.model.successors(inner, &state, &mut apart)?;
            if apart.is_part() {
                return Ok(Found::Part);
            }
            if apart.row.is_enough() {
                return Ok(Found::All);
            }
        }
        Ok(match apart.marks.states().saturating_add(count) > most {
            true => Found::Part,
            false => Found::All,
        })
    }

    /// Finds the same with what is known, or can be; `None` if nothing is, or
    /// there is an error.
    fn search_known<E: Emit + ?Sized>(
        &self,
        scratch: &mut TauStarScratch<M::Scratch>,
        state: &[u64],
        emit: &mut E,
    ) -> Option<()> {
        // The lock is poisoned if the model has panicked.
        let mut known = self.closures.read().ok()?;
        if known.growth() == Growth::Open && known.component(state).is_none() {
            drop(known);
            let mut growing = self.closures.write().ok()?;
            growing.extend(&self.model, &mut scratch.inner, state, self.most);
            drop(growing);
            known = self.closures.read().ok()?;
        }
        if known.growth() == Growth::Useless {
            return None;
        }
        match self.search(scratch, state, emit, Some(&known), self.most) {
            // Of too many, which ones are found depends on what is known.
            Ok(Found::All) if !scratch.row.has_too_many() => Some(()),
            _ => None,
        }
    }
}

/// How much a search has found.
#[derive(PartialEq, Eq)]
enum Found {
    All,
    Part,
}

impl<M: Model> Model for TauStar<M> {
    type Scratch = TauStarScratch<M::Scratch>;

    fn scratch(&self) -> Self::Scratch {
        TauStarScratch {
            inner: self.model.scratch(),
            row: Row::whole(),
            seen: HashSet::default(),
            open: Vec::new(),
            marks: Marks::default(),
        }
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        self.model.labels()
    }

    fn bits(&self) -> usize {
        self.model.bits()
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        self.model.is_truncated(state)
    }

    fn was_truncated(&self) -> bool {
        self.model.was_truncated()
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        self.model.initial(state)
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Self::Scratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let few = self.few.min(self.most);
        scratch.row.start(emit.most_targets());
        // At last in an order that does not depend on what other threads have
        // found, nor do the labels that are introduced, or the error.
        let all = self.search(scratch, state, emit, None, few)? == Found::All
            || few < self.most
                && (self.search_known(scratch, state, emit).is_some()
                    || self.search(scratch, state, emit, None, self.most)? == Found::All);
        if !all {
            return Err(ModelError::limit(
                Limit::Hidden,
                "hidden transitions lead to too many states",
            ));
        }
        scratch.row.emit_distinct(emit);
        Ok(())
    }

    fn numbers(&self) -> Option<u32> {
        self.model.numbers()
    }

    /// What happens on a way of hidden transitions that is as short as possible,
    /// and then.
    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        let way = self.way(source, label, target).unwrap_or_default();
        let steps = way.windows(2).enumerate();
        let lines = steps.flat_map(|(k, pair)| {
            let own = if k + 2 == way.len() { label } else { None };
            self.model.explain(&pair[0], own, &pair[1])
        });
        lines.collect()
    }

    fn state_text(&self, state: &[u64]) -> Option<String> {
        self.model.state_text(state)
    }
}

impl<M: Model> TauStar<M> {
    /// The states on a shortest way from one state to another by hidden
    /// transitions and then one with this label.
    fn way(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Option<Vec<Box<[u64]>>> {
        let mut scratch = self.model.scratch();
        let labels = self.model.labels();
        let label = label.map_or(Some(LabelId::HIDDEN), |text| labels.find(text))?;
        let mut found: Discovered<Box<[u64]>> = Discovered::default();
        found.add(source.into(), None, ());
        let mut at = 0;
        while at < found.len() {
            let mut all = All(Vec::new());
            let state = found.get(at);
            self.model.successors(&mut scratch, state, &mut all).ok()?;
            for (own, next) in all.0 {
                if own == label && *next == *target {
                    let before = found.way(at).into_iter();
                    let before = before.map(|at| found.get(at).clone());
                    return Some(before.chain([next]).collect());
                }
                if own.is_hidden() {
                    found.add(next, Some(at), ());
                }
            }
            at += 1;
        }
        None
    }
}

/// Keeps visible transitions, and the targets of hidden ones.
struct Apart<'a, E: ?Sized> {
    row: &'a mut Row,
    seen: &'a mut HashSet<Box<[u64]>, RandomState>,
    open: &'a mut Vec<Box<[u64]>>,
    marks: &'a mut Marks,
    known: Option<&'a Closures>,
    /// Hidden transitions need not lead to more states than this.
    most: usize,
    /// Whether a label was introduced: in which order must not depend on what is
    /// known.
    introduced: bool,
    /// How many labels are in the model's table.
    labels: usize,
    emit: &'a mut E,
}

impl<E: ?Sized> Apart<'_, E> {
    /// Whether it is certain that not all can be found.
    fn is_part(&self) -> bool {
        self.introduced || self.marks.states().saturating_add(self.seen.len()) > self.most
    }

    /// A state that hidden transitions lead to.
    fn reach(&mut self, state: &[u64]) {
        if let Some(known) = self.known
            && let Some(component) = known.component(state)
        {
            known.collect(component, self.marks, self.row);
        } else if !self.seen.contains(state) {
            self.seen.insert(state.into());
            self.open.push(state.into());
        }
    }
}

impl<E: Emit + ?Sized> Emit for Apart<'_, E> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        if self.known.is_some() {
            self.introduced = true;
            return LabelId::HIDDEN;
        }
        self.row.introduce(self.labels, text)
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        if self.introduced {
            return;
        }
        if label.is_hidden() {
            self.reach(target);
        } else {
            self.row.push(label, target);
        }
    }

    fn is_done(&self) -> bool {
        self.is_part() || self.row.is_enough()
    }

    /// Of more targets, too many are hidden ones or too many are not.
    fn most_targets(&self) -> usize {
        self.most.saturating_add(self.emit.most_targets())
    }
}

/// Keeps all transitions; labels that are in no table are none that traces could
/// ask about.
struct All(Vec<(LabelId, Box<[u64]>)>);

impl Emit for All {
    fn label(&mut self, _: &[u8]) -> LabelId {
        LabelId::new(u32::MAX)
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        self.0.push((label, target.into()));
    }
}
