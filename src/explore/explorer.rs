//! The breadth-first search.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Mutex;

use hyades_formats::{LabelId, LabelTable, Rows, StateId, TooLarge};

use super::batch::{Batch, Gathered, Sizes};
use super::chunk::{Fresh, Sources, Worker};
use super::emit::Emit;
use super::error::{ExploreError, Limit};
use super::model::{Erased, ErasedModel};
use super::observer::{Observer, Seen};
use super::search::{Exploration, ExploreOptions, Outcome, Progress, ProgressCallback};
use super::shape::Shape;
use super::sink::Sink;
use super::store::Store;

/// How many transitions and states pass between two calls of the progress
/// callback.
const PROGRESS_EVERY: u64 = 1 << 16;

/// A search under way.
///
/// States are explored in the order of their numbers: many at a time by a
/// [`Batch`] where there are enough, else one by one. Both lead to the same
/// numbers.
pub(super) struct Explorer<'m, 'a, 'k, S> {
    // Not a type of its own: that would compile the explorer once for each.
    model: &'m dyn ErasedModel,
    shape: Shape,
    labels: Cow<'m, LabelTable>,
    store: S,
    sink: &'k mut dyn Sink,
    observer: Observer<'a>,
    stop_when_answered: bool,
    progress: Option<&'a mut ProgressCallback<'a>>,
    max_states: usize,
    max_memory: usize,
    sizes: Sizes,
    /// The largest number of bytes so far.
    memory: usize,
    /// The bytes of the batch.
    held: usize,
    /// The state that is to be explored next.
    next: usize,
    /// The distance of these states from the initial one, and where states with
    /// a larger distance begin.
    level: u32,
    level_end: usize,
    /// About how many transitions states of late have had.
    degree: f64,
    /// What has been handed over to the sink.
    explored: u64,
    transitions: u64,
    reported: u64,
    end: Option<End>,
    /// What has not been handed over, of states explored one by one.
    pending: Pending,
    fresh: Fresh,
}

/// What ends the search early.
enum End {
    Outcome(Outcome),
    /// The model reaches a limit, of which it says this.
    Limit(Limit, String),
    Error(ExploreError),
}

impl End {
    /// The end by an error, which may be that a limit of the model was reached.
    fn of(error: ExploreError) -> Self {
        match error {
            ExploreError::Model(error) => match error.reached() {
                Some(limit) => End::Limit(limit, error.to_string()),
                None => End::Error(error.into()),
            },
            error @ ExploreError::TooLarge(_) => End::Error(error),
        }
    }
}

/// Rows that are about to be handed over.
#[derive(Default)]
struct Pending {
    first: u32,
    ends: Vec<u32>,
    labels: Vec<LabelId>,
    targets: Vec<StateId>,
}

impl<'m, 'a, 'k, S: Store> Explorer<'m, 'a, 'k, S> {
    /// A search that knows the initial state.
    pub(super) fn new(
        model: &'m dyn ErasedModel,
        search: ExploreOptions<'a>,
        sink: &'k mut dyn Sink,
        store: S,
        sizes: Sizes,
    ) -> Result<Self, ExploreError> {
        let ExploreOptions {
            limits,
            questions,
            stop_when_answered,
            progress,
        } = search;
        let size =
            |limit: Option<u64>| limit.map_or(usize::MAX, |n| n.try_into().unwrap_or(usize::MAX));
        let mut explorer = Self {
            model,
            shape: Shape::new(model.bits(), model.numbers()),
            labels: model.labels(),
            store,
            sink,
            observer: Observer::new(questions),
            stop_when_answered,
            progress,
            max_states: size(limits.max_states).clamp(1, StateId::MAX_COUNT as usize),
            max_memory: size(limits.max_memory),
            sizes,
            memory: 0,
            held: 0,
            next: 0,
            level: 0,
            level_end: 1,
            degree: 1.0,
            explored: 0,
            transitions: 0,
            reported: 0,
            end: None,
            pending: Pending::default(),
            fresh: Fresh::default(),
        };
        let state = Erased(model).initial_state()?;
        explorer.store.insert(&state, 1);
        explorer.note(0, 0, 0);
        Ok(explorer)
    }

    /// Searches to the end.
    pub(super) fn run(mut self) -> Result<(Exploration<'m>, S), ExploreError> {
        let mut batch = Batch::new(self.sizes);
        let workers = Mutex::new(Vec::new());
        let mut worker = self.model.worker();
        let mut state = vec![0; self.store.words()];
        if self.stop_when_answered && self.observer.is_answered() {
            self.end = Some(End::Outcome(Outcome::Answered));
        }
        while self.end.is_none() && self.next < self.store.len() {
            if self.next == self.level_end {
                self.level += 1;
                self.level_end = self.store.len();
            }
            let rest = self.level_end - self.next;
            let expected = rest as f64 * self.degree.max(1.0);
            let mut most = rest.min(self.sizes.flush);
            if expected >= self.sizes.least as f64 && batch.fits(self.store.len()) {
                self.flush();
                if self.end.is_some() {
                    break;
                }
                match self.explore_many(&mut batch, &workers) {
                    Done::Yes => continue,
                    Done::Huge => most = 1,
                    // Perhaps a few more states fit.
                    Done::NoRoom => {}
                }
            }
            self.held = batch.memory();
            self.explore_singly(&mut *worker, &mut state, most);
        }
        self.flush();
        self.finish()
    }

    /// Explores states from the next one on by all threads.
    fn explore_many(
        &mut self,
        batch: &mut Batch,
        workers: &Mutex<Vec<Box<dyn Worker + 'm>>>,
    ) -> Done {
        let sources = Sources::Consecutive(self.next as u32..self.level_end as u32);
        let len = self.store.len();
        let (gathered, error) = batch.gather(
            self.model,
            workers,
            &self.store,
            &self.labels,
            &self.shape,
            &sources,
            self.degree,
            self.most_targets(),
        );
        let Gathered::Rows(transitions) = gathered else {
            return Done::Huge;
        };
        self.held = batch.memory();
        if !self.has_room(batch.rows(), transitions) {
            return Done::NoRoom;
        }
        self.note(transitions, batch.rows(), transitions);
        self.store.reserve(len + transitions);
        let is_cut = batch.discover(&mut self.store, self.max_states - len);
        if let Err(error) = batch.settle_labels(&mut self.labels) {
            self.end = Some(End::Error(error));
            return Done::Yes;
        }
        if !self.sink.is_idle() || self.observer.is_curious() {
            batch.resolve(len);
        }
        self.next += batch.rows();
        self.pending.first = self.next as u32;
        self.hand_over(&batch.all_rows());
        if self.end.is_none() {
            if is_cut {
                self.end = Some(self.too_many_states());
            } else {
                self.end = error.map(End::of);
            }
        }
        Done::Yes
    }

    /// Explores so many states from the next one on by this thread.
    fn explore_singly(&mut self, worker: &mut dyn Worker, state: &mut [u64], most: usize) {
        let flush = self.sizes.flush;
        for _ in 0..most {
            // There is room until the next time; see `transition`.
            if self.pending.is_empty() && !self.has_room(2 * flush, 2 * flush) {
                self.end = Some(End::Outcome(Outcome::LimitReached(Limit::Memory)));
                return;
            }
            self.store.read(self.next as u32, state);
            self.fresh.start(self.labels.len());
            let result = worker.successors(state, self);
            if let Err(error) = result
                && self.end.is_none()
            {
                self.end = Some(End::of(error.into()));
            }
            if self.end.is_some() {
                return;
            }
            self.pending.ends.push(self.pending.labels.len() as u32);
            self.next += 1;
            if self.pending.labels.len().max(self.pending.ends.len()) >= flush {
                self.flush();
                if self.end.is_some() {
                    return;
                }
            }
        }
    }

    /// Bytes held at the peak of taking so many more states, rows and transitions.
    fn peak(&self, states: usize, rows: usize, transitions: usize) -> usize {
        self.store.peak(self.store.len() + states)
            + self.observer.peak(rows, transitions)
            + self.sink.peak(rows, transitions)
            + self.held
    }

    /// Whether so many more rows and transitions can be taken, whatever they lead to.
    fn has_room(&self, rows: usize, transitions: usize) -> bool {
        self.peak(transitions, rows, transitions) <= self.max_memory
    }

    /// Notes what is held at the peak of taking these, which are taken now.
    fn note(&mut self, states: usize, rows: usize, transitions: usize) {
        self.memory = self.memory.max(self.peak(states, rows, transitions));
    }

    /// The end because of one state more than there may be.
    fn too_many_states(&self) -> End {
        if self.max_states < StateId::MAX_COUNT as usize {
            End::Outcome(Outcome::LimitReached(Limit::States))
        } else {
            End::Error(ExploreError::TooLarge(TooLarge {
                what: "states",
                limit: StateId::MAX_COUNT,
            }))
        }
    }

    /// Hands over what is pending.
    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let mut pending = std::mem::take(&mut self.pending);
        // Their targets are in the store.
        self.note(0, pending.ends.len(), pending.labels.len());
        self.hand_over(&[pending.rows()]);
        pending.first += pending.ends.len() as u32;
        pending.ends.clear();
        pending.labels.clear();
        pending.targets.clear();
        self.pending = pending;
    }

    /// Hands rows over to the observer and the sink.
    fn hand_over(&mut self, rows: &[Rows<'_>]) {
        let cut;
        let mut rows = rows;
        if self.observer.is_curious() {
            let is_truncated = |state: u32| {
                let mut words = vec![0; self.store.words()];
                self.store.read(state, &mut words);
                self.model.is_truncated(&words)
            };
            let stop = self.stop_when_answered;
            let seen = self.observer.see(rows, &self.labels, stop, &is_truncated);
            match seen {
                Ok(Seen::All) => {}
                Ok(Seen::Answered(before)) => {
                    cut = before;
                    rows = &cut;
                    self.end = Some(End::Outcome(Outcome::Answered));
                }
                Err(error) => self.end = Some(End::Error(error.into())),
            }
        }
        let states: u64 = rows.iter().map(|rows| rows.ends.len() as u64).sum();
        let transitions: u64 = rows.iter().map(|rows| rows.labels.len() as u64).sum();
        self.explored += states;
        self.transitions += transitions;
        if states > 0 {
            self.degree = transitions as f64 / states as f64;
        }
        if self.sink.take(rows, &self.labels).is_break() {
            self.end = Some(End::Outcome(Outcome::Stopped));
        }
        if let Some(report) = &mut self.progress
            && self.explored + self.transitions - self.reported >= PROGRESS_EVERY
        {
            self.reported = self.explored + self.transitions;
            let now = Progress {
                states: self.store.len() as u64,
                explored: self.explored,
                transitions: self.transitions,
                level: self.level,
            };
            if report(&now) == ControlFlow::Break(()) {
                self.end = Some(End::Outcome(Outcome::Stopped));
            }
        }
    }

    fn finish(self) -> Result<(Exploration<'m>, S), ExploreError> {
        let (outcome, told) = match self.end {
            None => (Outcome::Complete, None),
            Some(End::Outcome(outcome)) => (outcome, None),
            Some(End::Limit(limit, text)) => (Outcome::LimitReached(limit), Some(text)),
            Some(End::Error(error)) => return Err(error),
        };
        let (states, depth) = match outcome {
            // What was found beyond the last row needed does not count.
            Outcome::Answered => self.observer.states_and_depth(),
            // States beyond the level being explored are one step further away.
            Outcome::Complete | Outcome::LimitReached(_) | Outcome::Stopped => {
                let states = self.store.len();
                (states, self.level + u32::from(states > self.level_end))
            }
        };
        let is_complete = outcome == Outcome::Complete && !self.model.was_truncated();
        let (deadlock, livelock, find) = self.observer.finish(is_complete, states, &self.store);
        let exploration = Exploration {
            outcome,
            told,
            states: states as u64,
            explored: self.explored,
            transitions: self.transitions,
            depth,
            labels: self.labels,
            deadlock,
            livelock,
            find,
            memory: self.memory as u64,
        };
        Ok((exploration, self.store))
    }
}

/// What [`Explorer::explore_many`] has done.
enum Done {
    /// Some states have been explored, or the search has ended.
    Yes,
    /// Nothing: there is not enough memory for what has been found.
    NoRoom,
    /// Nothing: the next state has too many transitions.
    Huge,
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.ends.is_empty() && self.labels.is_empty()
    }

    fn rows(&self) -> Rows<'_> {
        Rows {
            first: StateId::new(self.first),
            ends: (&self.ends).into(),
            labels: &self.labels,
            targets: &self.targets,
        }
    }
}

/// Takes the transitions of the next state, one by one.
impl<S: Store> Emit for Explorer<'_, '_, '_, S> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        match self.fresh.label(&self.labels, text) {
            Ok(label) => label,
            Err(error) => {
                self.end = Some(End::Error(error.into()));
                LabelId::HIDDEN
            }
        }
    }

    #[inline]
    fn transition(&mut self, label: LabelId, target: &[u64]) {
        if self.end.is_some() {
            return;
        }
        if let Err(error) = self.shape.check_transition(label, self.fresh.end(), target) {
            self.end = Some(End::Error(error.into()));
            return;
        }
        if self.pending.labels.len() >= 2 * self.sizes.flush {
            // A state with very many transitions.
            self.flush();
            let flush = 2 * self.sizes.flush;
            if self.end.is_none() && !self.has_room(1, flush) {
                self.end = Some(End::Outcome(Outcome::LimitReached(Limit::Memory)));
            }
            if self.end.is_some() {
                return;
            }
        }
        let Some((number, _)) = self.store.insert(target, self.max_states) else {
            self.end = Some(self.too_many_states());
            return;
        };
        let mut label = label;
        if label.index() >= self.fresh.base() {
            match self.fresh.settle(label, self.labels.to_mut()) {
                Ok(settled) => label = settled,
                Err(error) => {
                    self.end = Some(End::Error(error.into()));
                    return;
                }
            }
        }
        self.pending.labels.push(label);
        self.pending.targets.push(StateId::new(number));
    }

    fn is_done(&self) -> bool {
        self.end.is_some()
    }

    fn most_targets(&self) -> usize {
        match self.max_states < StateId::MAX_COUNT as usize {
            true => self.max_states,
            false => usize::MAX,
        }
    }
}
