//! Any model without its hidden transitions.

use std::borrow::Cow;
use std::collections::HashSet;

use foldhash::fast::RandomState;
use hyades_formats::{LabelId, LabelTable};

use super::model::{Emit, Model, ModelError};
use super::row::Row;

/// A model reduced by τ\*.a as it is explored: a transition with a visible label
/// leads from a state to wherever hidden transitions and then one with that label
/// lead in the model, and there are no others.
///
/// The visible traces are those of the model. What can be done after them need
/// not be: a state from which only hidden transitions lead, or none, has no
/// transitions.
///
/// For each state, the states that hidden transitions reach from it are explored
/// anew, and held meanwhile.
pub struct TauStar<M> {
    model: M,
}

/// Memory of [`TauStar`].
pub struct TauStarScratch<S> {
    inner: S,
    row: Row,
    seen: HashSet<Box<[u64]>, RandomState>,
    open: Vec<Box<[u64]>>,
}

impl<M: Model> TauStar<M> {
    /// The model without its hidden transitions.
    pub fn new(model: M) -> Self {
        Self { model }
    }
}

impl<M: Model> Model for TauStar<M> {
    type Scratch = TauStarScratch<M::Scratch>;

    fn scratch(&self) -> Self::Scratch {
        TauStarScratch {
            inner: self.model.scratch(),
            row: Row::default(),
            seen: HashSet::default(),
            open: Vec::new(),
        }
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        self.model.labels()
    }

    fn bits(&self) -> usize {
        self.model.bits()
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
        let TauStarScratch {
            inner,
            row,
            seen,
            open,
        } = scratch;
        row.clear();
        seen.clear();
        open.clear();
        seen.insert(state.into());
        open.push(state.into());
        while let Some(state) = open.pop() {
            let mut apart = Apart {
                row,
                seen,
                open,
                emit,
            };
            self.model.successors(inner, &state, &mut apart)?;
        }
        row.emit_distinct(emit);
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
}

impl<M: Model> TauStar<M> {
    /// The states on a shortest way from one state to another by hidden
    /// transitions and then one with this label.
    fn way(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Option<Vec<Box<[u64]>>> {
        let mut scratch = self.model.scratch();
        let labels = self.model.labels();
        let label = label.map_or(Some(LabelId::HIDDEN), |text| labels.find(text))?;
        // States in the order of discovery, each with the one it was found from.
        let mut found: Vec<(Box<[u64]>, usize)> = vec![(source.into(), 0)];
        let mut seen: HashSet<Box<[u64]>, RandomState> = [source.into()].into_iter().collect();
        let mut at = 0;
        while at < found.len() {
            let state = found[at].0.clone();
            let mut all = All(Vec::new());
            self.model.successors(&mut scratch, &state, &mut all).ok()?;
            for (own, next) in all.0 {
                if own == label && *next == *target {
                    let mut way = vec![next, state];
                    while at != 0 {
                        at = found[at].1;
                        way.push(found[at].0.clone());
                    }
                    way.reverse();
                    return Some(way);
                }
                if own.is_hidden() && seen.insert(next.clone()) {
                    found.push((next, at));
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
    emit: &'a mut E,
}

impl<E: Emit + ?Sized> Emit for Apart<'_, E> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        self.emit.label(text)
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        if !label.is_hidden() {
            self.row.push(label, target);
        } else if !self.seen.contains(target) {
            self.seen.insert(target.into());
            self.open.push(target.into());
        }
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
