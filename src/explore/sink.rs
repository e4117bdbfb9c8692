//! Where the explorer puts the transitions it finds.

use std::ops::ControlFlow;

use hyades_base::parallel;
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, Rows, StateId, TooLarge, fill};

use super::store::push_peak;

/// Takes the transitions of a state space in the order of discovery: sources
/// ascend, and within a source the order is the model's. A target that is new
/// has the lowest number that there was not before.
///
/// `()` takes them and forgets them, for counting and for questions only.
pub trait Sink {
    /// The next rows, those of each element directly after those of the one
    /// before it, and all labels known so far. `Break` ends the exploration with
    /// [`Outcome::Stopped`](super::Outcome::Stopped); the sink knows why. What it
    /// has been given counts as explored then.
    fn take(&mut self, rows: &[Rows<'_>], labels: &LabelTable) -> ControlFlow<()>;

    /// Whether the sink does not care for transitions, so that nobody needs to
    /// find out their targets.
    fn is_idle(&self) -> bool {
        false
    }

    /// Bytes held at the peak of taking so many more rows and transitions, for
    /// [`Limits::max_memory`](super::Limits::max_memory).
    fn peak(&self, rows: usize, transitions: usize) -> usize {
        let _ = (rows, transitions);
        0
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn take(&mut self, rows: &[Rows<'_>], labels: &LabelTable) -> ControlFlow<()> {
        (**self).take(rows, labels)
    }

    fn is_idle(&self) -> bool {
        (**self).is_idle()
    }

    fn peak(&self, rows: usize, transitions: usize) -> usize {
        (**self).peak(rows, transitions)
    }
}

impl Sink for () {
    fn take(&mut self, _: &[Rows<'_>], _: &LabelTable) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn is_idle(&self) -> bool {
        true
    }
}

/// Gives every transition to a closure, as it is found.
#[derive(Debug)]
pub struct Stream<F>(
    /// Called with source, label and target; `Break` ends the exploration.
    pub F,
);

impl<F> Sink for Stream<F>
where
    F: FnMut(StateId, LabelId, StateId) -> ControlFlow<()>,
{
    fn take(&mut self, rows: &[Rows<'_>], _: &LabelTable) -> ControlFlow<()> {
        let mut transitions = rows.iter().flat_map(Rows::iter);
        transitions.try_for_each(|(source, label, target)| (self.0)(source, label, target))
    }
}

/// Builds an [`Lts`]; 8 bytes a transition and 4 a state.
#[derive(Debug)]
pub struct LtsSink {
    /// Modulo 2^32.
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
    /// If there were more transitions than an [`Lts`] can hold, in all or of one state.
    ///
    /// # Panics
    /// If `table` lacks a label that was given.
    pub fn finish(mut self, table: LabelTable) -> Result<Lts, TooLarge> {
        self.check()?;
        let m = self.targets.len();
        let states = (self.last as usize + 1).max(self.offsets.len() - 1);
        self.offsets.resize(states + 1, m as u32);
        self.offsets.shrink_to_fit();
        self.labels.shrink_to_fit();
        self.targets.shrink_to_fit();
        // A state that was cut off has its transitions in the row after the
        // last complete one, which the resize has just closed.
        Ok(Lts::from_parts(LtsParts {
            initial: StateId::new(0),
            offsets: Lts::offsets_from_wrapping(self.offsets, m)?,
            labels: self.labels,
            targets: self.targets,
            table,
        }))
    }
}

impl Sink for LtsSink {
    fn take(&mut self, rows: &[Rows<'_>], _: &LabelTable) -> ControlFlow<()> {
        let mut transitions = self.targets.len();
        let mut begins = Vec::with_capacity(rows.len());
        for rows in rows {
            begins.push(transitions as u32);
            transitions += rows.targets.len();
            if transitions as u64 > Lts::MAX_TRANSITIONS {
                self.full = true;
                return ControlFlow::Break(());
            }
        }
        let begins = &begins[..];
        let lens: Vec<usize> = rows.iter().map(|rows| rows.labels.len()).collect();
        fill::append(&mut self.labels, &lens, |k| rows[k].labels.iter().copied());
        fill::append(&mut self.targets, &lens, |k| {
            rows[k].targets.iter().copied()
        });
        let lens: Vec<usize> = rows.iter().map(|rows| rows.ends.len()).collect();
        fill::append(&mut self.offsets, &lens, |k| {
            let ends = rows[k].ends.iter();
            ends.map(move |end| begins[k].wrapping_add(end as u32))
        });
        let last = parallel::map_each(rows, |rows| rows.targets.iter().max().copied());
        let last = last.into_iter().flatten().max().unwrap_or_default();
        self.last = self.last.max(last.get());
        ControlFlow::Continue(())
    }

    fn peak(&self, rows: usize, transitions: usize) -> usize {
        push_peak(&self.offsets, rows + 1)
            + push_peak(&self.labels, transitions)
            + push_peak(&self.targets, transitions)
    }
}
