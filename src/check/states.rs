//! States and their transitions, of an LTS in memory or of a model on the fly.

use std::ops::Range;

use hyades_base::interned::Interned;
use hyades_explore::{Emit, Erased, ExploreError, Limit, Limits, Model, words};
use hyades_formats::{LabelId, LabelTable, Lts, StateId, TooLarge};

/// Where the states of a game come from; they are numbered in the order of discovery,
/// those of an LTS as they are there.
pub(crate) enum States<'m> {
    /// An LTS, and where it begins.
    Lts(&'m Lts, StateId),
    OnTheFly(Box<OnTheFly<'m>>),
}

/// What is known of a model. A state is expanded once, and its row kept.
pub(crate) struct OnTheFly<'m> {
    model: Erased<'m>,
    scratch: <Erased<'m> as Model>::Scratch,
    known: Interned<u64>,
    /// Of each state: where its transitions are; none yet is `None`.
    rows: Vec<Option<(usize, u32)>>,
    row: Row,
    limits: Limits,
}

/// Transitions of all rows, and labels.
struct Row {
    transitions: Vec<(LabelId, u32)>,
    /// Targets of the state of the moment, before they have numbers.
    labels: Vec<LabelId>,
    words: Vec<u64>,
    width: usize,
    table: LabelTable,
    failure: Option<TooLarge>,
}

impl Emit for Row {
    fn label(&mut self, text: &[u8]) -> LabelId {
        match self.table.intern(text) {
            Ok(label) => label,
            Err(error) => {
                self.failure = Some(error);
                LabelId::HIDDEN
            }
        }
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        self.labels.push(label);
        self.words.extend_from_slice(target);
    }
}

/// A state without its transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expansion {
    /// Its transitions, by their numbers.
    Row(usize, usize),
    /// The model does not go on from here: there may be more.
    Truncated,
    /// There may be more, which the limit forbids to look at.
    Limit(Limit),
}

impl<'m> States<'m> {
    pub fn of_lts(lts: &'m Lts) -> Self {
        States::Lts(lts, Lts::initial(lts))
    }

    /// Begins in another state of an LTS.
    pub fn begin_at(&mut self, state: StateId) {
        match self {
            States::Lts(_, initial) => *initial = state,
            States::OnTheFly(_) => unreachable!("a model begins where it does"),
        }
    }

    /// The states of a model, with its initial one.
    pub fn of_model(model: Erased<'m>, limits: Limits) -> Result<Self, ExploreError> {
        let width = words(model.bits());
        let initial = model.initial_state()?;
        let mut known = Interned::default();
        known.intern(&initial);
        Ok(States::OnTheFly(Box::new(OnTheFly {
            scratch: model.scratch(),
            known,
            rows: vec![None],
            row: Row {
                transitions: Vec::new(),
                labels: Vec::new(),
                words: Vec::new(),
                width,
                table: model.labels().into_owned(),
                failure: None,
            },
            limits,
            model,
        })))
    }

    pub fn initial(&self) -> u32 {
        match self {
            States::Lts(_, initial) => initial.get(),
            States::OnTheFly(_) => 0,
        }
    }

    /// The labels that are known.
    pub fn labels(&self) -> &LabelTable {
        match self {
            States::Lts(lts, _) => lts.table(),
            States::OnTheFly(own) => &own.row.table,
        }
    }

    /// How many states are known.
    pub fn known(&self) -> usize {
        match self {
            States::Lts(lts, _) => lts.states(),
            States::OnTheFly(own) => own.known.len(),
        }
    }

    /// How many transitions are known.
    pub fn transitions(&self) -> usize {
        match self {
            States::Lts(lts, _) => lts.transitions(),
            States::OnTheFly(own) => own.row.transitions.len(),
        }
    }

    pub fn transition(&self, number: usize) -> (LabelId, u32) {
        match self {
            States::Lts(lts, _) => (Lts::labels(lts)[number], lts.targets()[number].get()),
            States::OnTheFly(own) => own.row.transitions[number],
        }
    }

    /// The transitions of a state, computed when first asked for.
    pub fn expand(&mut self, state: u32) -> Result<Expansion, ExploreError> {
        match self {
            States::Lts(lts, _) => {
                let Range { start, end } = lts.row(StateId::new(state));
                Ok(Expansion::Row(start, end))
            }
            States::OnTheFly(own) => own.expand(state),
        }
    }

    /// A model's own words on a transition, for traces.
    pub fn explain(&self, source: u32, label: LabelId, target: u32) -> Vec<String> {
        match self {
            States::Lts(..) => Vec::new(),
            States::OnTheFly(own) => {
                let text = (!label.is_hidden()).then(|| own.row.table.text(label));
                own.model
                    .explain(own.known.get(source), text, own.known.get(target))
            }
        }
    }

    /// The words of a state of a model.
    pub fn words(&self, state: u32) -> Option<&[u64]> {
        match self {
            States::Lts(..) => None,
            States::OnTheFly(own) => Some(own.known.get(state)),
        }
    }

    /// A state as the model packs it.
    pub fn packed(&self, state: u32) -> Option<Box<[u64]>> {
        self.words(state).map(Box::from)
    }

    /// About how many bytes are held, of models only.
    pub fn bytes(&self) -> usize {
        match self {
            States::Lts(..) => 0,
            States::OnTheFly(own) => {
                own.known.bytes()
                    + own.rows.capacity() * size_of::<Option<(usize, u32)>>()
                    + own.row.transitions.capacity() * size_of::<(LabelId, u32)>()
            }
        }
    }
}

impl OnTheFly<'_> {
    fn expand(&mut self, state: u32) -> Result<Expansion, ExploreError> {
        if let Some((start, len)) = self.rows[state as usize] {
            return Ok(Expansion::Row(start, start + len as usize));
        }
        let words = self.known.get(state).to_vec();
        if self.model.is_truncated(&words) {
            return Ok(Expansion::Truncated);
        }
        self.row.labels.clear();
        self.row.words.clear();
        let result = self
            .model
            .successors(&mut self.scratch, &words, &mut self.row);
        if let Some(limit) = result.as_ref().err().and_then(|error| error.reached()) {
            return Ok(Expansion::Limit(limit));
        }
        result?;
        if let Some(error) = self.row.failure.take() {
            return Err(error.into());
        }
        let most = self.limits.max_states.unwrap_or(u64::MAX);
        let start = self.row.transitions.len();
        for k in 0..self.row.labels.len() {
            let width = self.row.width;
            let target = &self.row.words[k * width..(k + 1) * width];
            if self.known.len() as u64 >= most && self.known.find(target).is_none() {
                self.row.transitions.truncate(start);
                return Ok(Expansion::Limit(Limit::States));
            }
            let (number, is_new) = self.known.intern(target);
            if is_new {
                if number == u32::MAX - 1 {
                    return Err(TooLarge {
                        what: "states",
                        limit: u64::from(u32::MAX - 1),
                    }
                    .into());
                }
                self.rows.push(None);
            }
            self.row.transitions.push((self.row.labels[k], number));
        }
        let len = self.row.labels.len() as u32;
        self.rows[state as usize] = Some((start, len));
        Ok(Expansion::Row(start, start + len as usize))
    }
}
