//! Searches of a product by one thread, in an order that
//! [`explore`](hyades_explore::explore) does not have.

use std::ops::ControlFlow;

use hyades_base::interned::Interned;
use hyades_explore::{
    Emit, ExploreError, Limit, Limits, Model, Progress, ProgressCallback, Trace, check_sizes, words,
};
use hyades_formats::{LabelId, LabelTable, StateId, TooLarge};

use super::hidden::Hidden;
use super::product::VIOLATION;

/// How many transitions and pairs pass between two calls of the progress callback.
const PROGRESS_EVERY: u64 = 1 << 16;

/// The rank of a pair that has none.
const NONE: u32 = u32::MAX;

/// A search under way.
pub(super) struct Walk<'m, 'a, M: Model> {
    /// A product that marks violations.
    model: &'m M,
    scratch: M::Scratch,
    limits: Limits,
    progress: Option<&'a mut ProgressCallback<'a>>,
    pairs: Interned<u64>,
    /// The step that each pair was reached by.
    parents: Vec<(u32, LabelId)>,
    /// The transitions of the pair that was expanded last.
    row: Vec<Found>,
    taken: Taken,
    explored: u64,
    transitions: u64,
    reported: u64,
    level: u32,
    memory: usize,
}

/// A transition.
#[derive(Clone, Copy)]
struct Found {
    label: LabelId,
    target: u32,
    /// Whether the target was not known before.
    is_new: bool,
}

/// Why there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A limit was reached.
    Limit(Limit),
    /// The implementation leaves out what is beyond a limit of its own; see
    /// [`Model::was_truncated`].
    Truncated,
    /// The progress callback ended the search.
    Stopped,
}

/// How a search ends.
pub(super) enum End {
    /// With a trace to a violation, or to a cycle of hidden steps and around it.
    Found(Trace),
    /// With nothing; there is no more.
    Complete,
    /// With nothing; there may be more.
    Unknown(Reason),
}

impl<'m, 'a, M: Model> Walk<'m, 'a, M> {
    /// A search that knows the initial pair.
    ///
    /// # Errors
    /// If there is none, or pairs cannot be stored.
    pub(super) fn new(
        model: &'m M,
        limits: Limits,
        progress: Option<&'a mut ProgressCallback<'a>>,
    ) -> Result<Self, ExploreError> {
        check_sizes(model.bits(), None)?;
        let mut pairs = Interned::default();
        let mut initial = vec![0; words(model.bits())];
        model.initial(&mut initial)?;
        pairs.intern(&initial);
        Ok(Self {
            model,
            scratch: model.scratch(),
            limits,
            progress,
            pairs,
            parents: vec![(0, LabelId::HIDDEN)],
            row: Vec::new(),
            taken: Taken::new(model.labels().into_owned()),
            explored: 0,
            transitions: 0,
            reported: 0,
            level: 0,
            memory: 0,
        })
    }

    /// The labels of all traces.
    pub(super) fn labels(&self) -> &LabelTable {
        &self.taken.labels
    }

    /// How many pairs were found.
    pub(super) fn pairs(&self) -> u64 {
        self.pairs.len() as u64
    }

    /// How many transitions were found.
    pub(super) fn transitions(&self) -> u64 {
        self.transitions
    }

    /// About how many bytes were held at the most.
    pub(super) fn memory(&self) -> u64 {
        self.memory as u64
    }

    /// Searches for a violation with the fewest visible labels; also for cycles of
    /// hidden steps, if `divergences`.
    ///
    /// Pairs are expanded in **layers**: those after so many visible labels, but not
    /// after fewer. A hidden step stays in the layer or leads to an earlier one, so
    /// that a cycle of hidden steps is in one layer.
    ///
    /// # Errors
    /// If the model fails, or there are too many pairs or labels.
    pub(super) fn fewest_events(&mut self, divergences: bool) -> Result<End, ExploreError> {
        // The places of pairs in the order of expansion. A pair without one has been
        // reached by visible steps only, from the layer before.
        let mut ranks = vec![0];
        let mut layer = vec![0];
        let mut first_rank = 0;
        while !layer.is_empty() {
            let mut hidden = Hidden::new();
            let mut later = Vec::new();
            let mut next = 0;
            while let Some(&source) = layer.get(next) {
                next += 1;
                let held = 4 * (ranks.capacity() + layer.capacity() + later.capacity());
                if let Some(reason) = self.expand(source, true, held + hidden.bytes())? {
                    return Ok(End::Unknown(reason));
                }
                if self.row.iter().any(|found| found.label == VIOLATION) {
                    return Ok(End::Found(self.path_to(source)));
                }
                ranks.resize(self.pairs.len(), NONE);
                for &Found {
                    label,
                    target,
                    is_new,
                } in &self.row
                {
                    let rank = &mut ranks[target as usize];
                    if !label.is_hidden() {
                        if is_new {
                            later.push(target);
                        }
                        continue;
                    }
                    if *rank == NONE {
                        *rank = first_rank + layer.len() as u32;
                        self.parents[target as usize] = (source, label);
                        layer.push(target);
                    }
                    if divergences && *rank >= first_rank {
                        hidden.push(*rank - first_rank)?;
                    }
                }
                hidden.end_of_row();
            }
            if let Some(cycle) = hidden.first_cycle(layer.len())? {
                let cycle: Vec<u32> = cycle.iter().map(|&at| layer[at as usize]).collect();
                return Ok(End::Found(self.path_around(&cycle)));
            }
            first_rank += layer.len() as u32;
            layer.clear();
            for pair in later {
                let rank = &mut ranks[pair as usize];
                if *rank == NONE {
                    *rank = first_rank + layer.len() as u32;
                    layer.push(pair);
                }
            }
            self.level += 1;
        }
        Ok(End::Complete)
    }

    /// Searches for a cycle of hidden steps, of which a pair is fewer than `steps`
    /// steps away from the initial one: one through a nearest such pair.
    ///
    /// # Errors
    /// If the model fails, or there are too many pairs or labels.
    pub(super) fn nearer_cycle(&mut self, steps: usize) -> Result<End, ExploreError> {
        if steps == 0 {
            return Ok(End::Complete);
        }
        let mut hidden = Hidden::new();
        // How many pairs are near enough, as far as is known.
        let mut near = 1;
        // Pairs beyond are only of interest if hidden steps lead there.
        let mut next = 0;
        while next < self.pairs.len() {
            if next == near && (self.level as usize) < steps - 1 {
                near = self.pairs.len();
                self.level += 1;
            }
            let visible = (self.level as usize) < steps - 1;
            if let Some(reason) = self.expand(next as u32, visible, hidden.bytes())? {
                return Ok(End::Unknown(reason));
            }
            let hidden_steps = self.row.iter().filter(|found| found.label.is_hidden());
            for found in hidden_steps {
                hidden.push(found.target)?;
            }
            hidden.end_of_row();
            next += 1;
        }
        Ok(match hidden.first_cycle(near)? {
            Some(cycle) => End::Found(self.path_around(&cycle)),
            None => End::Complete,
        })
    }

    /// Finds the transitions of a pair, or the hidden ones only. While these are
    /// found, `held` bytes are held by tables that are not part of this.
    ///
    /// # Errors
    /// If the model fails, or there are too many pairs or labels.
    fn expand(
        &mut self,
        source: u32,
        visible: bool,
        held: usize,
    ) -> Result<Option<Reason>, ExploreError> {
        let bytes = self.pairs.bytes() + 8 * self.parents.capacity() + held;
        self.memory = self.memory.max(bytes);
        if self
            .limits
            .max_memory
            .is_some_and(|most| bytes as u64 > most)
        {
            return Ok(Some(Reason::Limit(Limit::Memory)));
        }
        self.row.clear();
        let pair = self.pairs.get(source);
        let taken = self.taken.of_pair(self.model, &mut self.scratch, pair);
        if let Err(ExploreError::Model(error)) = &taken
            && let Some(limit) = error.reached()
        {
            return Ok(Some(Reason::Limit(limit)));
        }
        taken?;
        let targets = self.taken.targets.chunks_exact(words(self.model.bits()));
        for (&label, target) in self.taken.steps.iter().zip(targets) {
            if !visible && !label.is_hidden() {
                continue;
            }
            let (target, is_new) = self.pairs.intern(target);
            if is_new {
                let most = self.limits.max_states.map_or(u64::MAX, |most| most.max(1));
                let pairs = self.pairs.len() as u64;
                if pairs > StateId::MAX_COUNT {
                    let (what, limit) = ("states", StateId::MAX_COUNT);
                    return Err(TooLarge { what, limit }.into());
                }
                if pairs > most {
                    return Ok(Some(Reason::Limit(Limit::States)));
                }
                self.parents.push((source, label));
            }
            self.row.push(Found {
                label,
                target,
                is_new,
            });
        }
        self.explored += 1;
        let marks = self.row.iter().filter(|found| found.label == VIOLATION);
        self.transitions += (self.row.len() - marks.count()) as u64;
        Ok(self.report().is_break().then_some(Reason::Stopped))
    }

    /// Tells how far the search has come, if it is time.
    fn report(&mut self) -> ControlFlow<()> {
        let Some(progress) = &mut self.progress else {
            return ControlFlow::Continue(());
        };
        if self.explored + self.transitions - self.reported < PROGRESS_EVERY {
            return ControlFlow::Continue(());
        }
        self.reported = self.explored + self.transitions;
        progress(&Progress {
            states: self.pairs.len() as u64,
            explored: self.explored,
            transitions: self.transitions,
            level: self.level,
        })
    }

    /// The steps by which a pair was reached.
    fn path_to(&self, pair: u32) -> Trace {
        let mut steps = Vec::new();
        let mut at = pair;
        while at != 0 {
            let (source, label) = self.parents[at as usize];
            steps.push((label, at));
            at = source;
        }
        let mut trace = Trace {
            labels: Vec::new(),
            states: vec![StateId::new(0)],
            packed: vec![self.pairs.get(0).into()],
            cycle: None,
        };
        for (label, target) in steps.into_iter().rev() {
            self.push(&mut trace, label, target);
        }
        trace
    }

    /// The steps to the first of these pairs, and once around.
    fn path_around(&self, cycle: &[u32]) -> Trace {
        let mut trace = self.path_to(cycle[0]);
        trace.cycle = Some(trace.labels.len());
        for &target in cycle[1..].iter().chain(&cycle[..1]) {
            self.push(&mut trace, LabelId::HIDDEN, target);
        }
        trace
    }

    fn push(&self, trace: &mut Trace, label: LabelId, target: u32) {
        trace.labels.push(label);
        trace.states.push(StateId::new(target));
        trace.packed.push(self.pairs.get(target).into());
    }
}

/// Takes the transitions of a pair.
struct Taken {
    labels: LabelTable,
    steps: Vec<LabelId>,
    /// The targets, one after the other.
    targets: Vec<u64>,
    error: Option<ExploreError>,
}

impl Taken {
    fn new(labels: LabelTable) -> Self {
        Self {
            labels,
            steps: Vec::new(),
            targets: Vec::new(),
            error: None,
        }
    }

    /// Forgets what there is and takes the transitions of this pair.
    fn of_pair<M: Model>(
        &mut self,
        model: &M,
        scratch: &mut M::Scratch,
        pair: &[u64],
    ) -> Result<(), ExploreError> {
        self.steps.clear();
        self.targets.clear();
        model.successors(scratch, pair, self)?;
        self.error.take().map_or(Ok(()), Err)
    }
}

impl Emit for Taken {
    fn label(&mut self, text: &[u8]) -> LabelId {
        self.labels.intern(text).unwrap_or_else(|error| {
            self.error = Some(error.into());
            LabelId::HIDDEN
        })
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        self.steps.push(label);
        self.targets.extend_from_slice(target);
    }
}
