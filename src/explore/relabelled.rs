//! Any model with other labels.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hyades_formats::{LabelId, LabelTable, TooLarge};
use hyades_lts::relabel::{Action, Outcome, Rules};

use super::checked::Checked;
use super::emit::Emit;
use super::error::ModelError;
use super::model::Model;
use super::row::{ROOM, Row};

/// A model whose labels are hidden, renamed or cut by rules, as it is explored.
///
/// Transitions that become equal come once; those of a state are sorted by label
/// and target. Otherwise the result is that of
/// [`relabel`](hyades_lts::relabel::relabel) on the state space.
#[derive(Debug)]
pub struct Relabelled<M> {
    model: Checked<M>,
    /// Applied one after the other.
    rules: Arc<[Rules]>,
    hidden: Vec<Vec<u8>>,
    labels: LabelTable,
    /// What becomes of each label of the model's table.
    known: Vec<Option<LabelId>>,
}

/// Memory of [`Relabelled`].
#[derive(Debug)]
pub struct RelabelledScratch<S> {
    inner: S,
    row: Row,
    /// What becomes of labels that are in no table; `None` if they are cut.
    texts: HashMap<Vec<u8>, Option<Name>, RandomState>,
}

/// A label without a number; `None` is hidden.
pub(crate) type Name = Option<Vec<u8>>;

impl<M: Model> Relabelled<M> {
    /// The model with these rules applied to its labels, the first ones first. A
    /// label that is renamed to one of the texts of `hidden` becomes hidden.
    ///
    /// # Errors
    /// If there are too many labels.
    pub fn new(
        model: M,
        rules: impl Into<Arc<[Rules]>>,
        hidden: &[Vec<u8>],
    ) -> Result<Self, TooLarge> {
        let rules = rules.into();
        let mut labels = LabelTable::new();
        let mut known = vec![Some(LabelId::HIDDEN)];
        for (_, text) in model.labels().visible() {
            known.push(match relabelled_text(&rules, hidden, text) {
                None => None,
                Some(None) => Some(LabelId::HIDDEN),
                Some(Some(text)) => Some(labels.intern(&text)?),
            });
        }
        Ok(Self {
            model: Checked::new(model),
            rules,
            hidden: hidden.to_owned(),
            labels,
            known,
        })
    }
}

/// What becomes of a visible label, `Some(None)` if it is hidden; `None` if it is
/// cut.
pub fn relabelled_text(rules: &[Rules], hidden: &[Vec<u8>], label: &[u8]) -> Option<Name> {
    let mut text = label.to_owned();
    for rules in rules {
        text = match rules.apply(&text) {
            Outcome::Hidden => return Some(None),
            Outcome::Cut => return None,
            Outcome::Label(Cow::Borrowed(_)) => continue,
            Outcome::Label(Cow::Owned(new)) if hidden.contains(&new) => return Some(None),
            Outcome::Label(Cow::Owned(new)) => new,
        };
    }
    Some(Some(text))
}

impl<M: Model> Model for Relabelled<M> {
    type Scratch = RelabelledScratch<M::Scratch>;

    fn scratch(&self) -> Self::Scratch {
        RelabelledScratch {
            inner: self.model.scratch(),
            row: Row::in_parts(ROOM),
            texts: HashMap::default(),
        }
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.labels)
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
        let RelabelledScratch { inner, row, texts } = scratch;
        let cuts = self.rules.iter().any(|r| r.action() == Action::Cut);
        row.start(emit.most_targets());
        loop {
            let mut through = Through {
                labels: &self.labels,
                known: &self.known,
                new: Vec::new(),
                name: |text: &[u8]| match texts.get(text) {
                    Some(name) => name.clone(),
                    None => {
                        let name = relabelled_text(&self.rules, &self.hidden, text);
                        texts.insert(text.to_owned(), name.clone());
                        name
                    }
                },
                row,
                emit,
                cuts,
            };
            self.model.successors(inner, state, &mut through)?;
            row.check()?;
            if !row.emit_distinct(emit) {
                return Ok(());
            }
        }
    }

    fn numbers(&self) -> Option<u32> {
        self.model.numbers()
    }

    /// What the model has to say about one of the transitions that look like
    /// this one now.
    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        let table = self.model.labels();
        let becomes = |text: &[u8]| relabelled_text(&self.rules, &self.hidden, text);
        let own = table.visible().map(|(_, text)| text);
        let own = own.filter(|text| becomes(text).is_some_and(|name| name.as_deref() == label));
        let hidden = label.is_none().then_some(None);
        let all = hidden.into_iter().chain(own.map(Some));
        all.map(|label| self.model.explain(source, label, target))
            .find(|lines| !lines.is_empty())
            .unwrap_or_default()
    }

    fn state_text(&self, state: &[u64]) -> Option<String> {
        self.model.state_text(state)
    }
}

/// Takes the transitions of the model, and keeps them with their new labels.
struct Through<'a, 'e, E: ?Sized, N> {
    labels: &'a LabelTable,
    known: &'a [Option<LabelId>],
    /// What becomes of labels that the model has introduced in this state.
    new: Vec<Option<LabelId>>,
    name: N,
    row: &'a mut Row,
    emit: &'e mut E,
    /// Whether transitions may be left out.
    cuts: bool,
}

impl<E: Emit + ?Sized, N: FnMut(&[u8]) -> Option<Name>> Emit for Through<'_, '_, E, N> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        let label = (self.name)(text).map(|name| match name {
            None => LabelId::HIDDEN,
            Some(text) => match self.labels.find(&text) {
                Some(label) => label,
                None => self.row.introduce(self.labels.len(), &text),
            },
        });
        self.new.push(label);
        LabelId::new((self.known.len() + self.new.len() - 1) as u32)
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        let known = self.known.len();
        let becomes = match label.index().checked_sub(known) {
            None => Some(&self.known[label.index()]),
            Some(new) => self.new.get(new),
        };
        match becomes {
            Some(Some(label)) => self.row.push(*label, target),
            Some(None) => {}
            // The explorer tells that there is no such label.
            None => self.emit.transition(LabelId::new(u32::MAX), target),
        }
    }

    fn is_done(&self) -> bool {
        self.row.is_enough() || self.emit.is_done()
    }

    fn most_targets(&self) -> usize {
        match self.cuts {
            true => usize::MAX,
            false => self.emit.most_targets(),
        }
    }
}
