//! Where the explorer puts the transitions it finds.

use std::ops::ControlFlow;

use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, StateId, TooLarge};

use super::store::push_peak;

/// Takes the transitions of a state space in the order of discovery: sources
/// ascend, and within a source the order is the model's.
///
/// `()` takes them and forgets them, for counting and for questions only.
pub trait Sink {
    /// One transition. `Break` ends the exploration with
    /// [`Outcome::Stopped`](super::Outcome::Stopped); the sink knows why.
    fn transition(&mut self, source: StateId, label: LabelId, target: StateId) -> ControlFlow<()>;

    /// All transitions of `source` have been given. Comes once for each state,
    /// in order; a state where the exploration ends early has none.
    fn end_of_state(&mut self, source: StateId) -> ControlFlow<()> {
        let _ = source;
        ControlFlow::Continue(())
    }

    /// Bytes held at the peak of taking one more transition, for
    /// [`Limits::max_memory`](super::Limits::max_memory).
    fn peak_of_next(&self) -> usize {
        0
    }
}

impl Sink for () {
    #[inline]
    fn transition(&mut self, _: StateId, _: LabelId, _: StateId) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Gives every transition to a closure, as it is found.
pub struct Stream<F>(
    /// Called with source, label and target; `Break` ends the exploration.
    pub F,
);

impl<F> Sink for Stream<F>
where
    F: FnMut(StateId, LabelId, StateId) -> ControlFlow<()>,
{
    #[inline]
    fn transition(&mut self, source: StateId, label: LabelId, target: StateId) -> ControlFlow<()> {
        (self.0)(source, label, target)
    }
}

/// Builds an [`Lts`]; 8 bytes a transition and 4 a state.
#[derive(Debug)]
pub struct LtsSink {
    offsets: Vec<u32>,
    labels: Vec<LabelId>,
    targets: Vec<StateId>,
    /// The largest target so far.
    last: u32,
    full: bool,
}

impl Default for LtsSink {
    fn default() -> Self {
        Self::new()
    }
}

impl LtsSink {
    /// An empty sink.
    pub fn new() -> Self {
        Self {
            offsets: vec![0],
            labels: Vec::new(),
            targets: Vec::new(),
            last: 0,
            full: false,
        }
    }

    /// Whether everything that was given could be taken.
    ///
    /// # Errors
    /// If there were more transitions than an [`Lts`] can hold.
    pub fn check(&self) -> Result<(), TooLarge> {
        if self.full {
            return Err(TooLarge {
                what: "transitions",
                limit: Lts::MAX_TRANSITIONS,
            });
        }
        Ok(())
    }

    /// The LTS of what has been given, with initial state 0 and the labels of
    /// the [`Exploration`](super::Exploration). States whose transitions were
    /// not all given (the exploration ended early) have those that were.
    ///
    /// # Errors
    /// If there were more transitions than an [`Lts`] can hold.
    ///
    /// # Panics
    /// If `table` lacks a label that was given.
    pub fn finish(mut self, table: LabelTable) -> Result<Lts, TooLarge> {
        self.check()?;
        let m = self.targets.len() as u32;
        let states = (self.last as usize + 1).max(self.offsets.len() - 1);
        self.offsets.resize(states + 1, m);
        self.offsets.shrink_to_fit();
        self.labels.shrink_to_fit();
        self.targets.shrink_to_fit();
        // A state that was cut off has its transitions in the row after the
        // last complete one, which the resize has just closed.
        Ok(Lts::from_parts(LtsParts {
            initial: StateId::new(0),
            offsets: self.offsets,
            labels: self.labels,
            targets: self.targets,
            table,
        }))
    }
}

impl Sink for LtsSink {
    #[inline]
    fn transition(&mut self, _: StateId, label: LabelId, target: StateId) -> ControlFlow<()> {
        if self.targets.len() as u64 == Lts::MAX_TRANSITIONS {
            self.full = true;
            return ControlFlow::Break(());
        }
        self.labels.push(label);
        self.targets.push(target);
        self.last = self.last.max(target.get());
        ControlFlow::Continue(())
    }

    fn end_of_state(&mut self, _: StateId) -> ControlFlow<()> {
        self.offsets.push(self.targets.len() as u32);
        ControlFlow::Continue(())
    }

    fn peak_of_next(&self) -> usize {
        push_peak(&self.offsets, 1) + push_peak(&self.labels, 1) + push_peak(&self.targets, 1)
    }
}
