//! Stepping through a model: one transition after another, chosen from outside.

use std::collections::HashSet;
use std::mem;

use foldhash::fast::RandomState;
use hyades_base::draw;
use hyades_formats::{LabelId, LabelTable, TooLarge};

use super::emit::Emit;
use super::error::ExploreError;
use super::model::{Erased, Model};
use super::trace::Trace;

/// The transitions that are enabled in one state of a model, and the labels of the model as
/// far as they have been met.
pub struct Enabled {
    /// All labels so far. Numbers remain what they are.
    pub table: LabelTable,
    /// Labels and targets, in the order of the model.
    pub transitions: Vec<(LabelId, Box<[u64]>)>,
    error: Option<TooLarge>,
}

hyades_base::opaque!(Enabled);

impl Enabled {
    /// The labels that the model knows beforehand, and no transitions.
    pub fn new(model: Erased<'_>) -> Self {
        Self {
            table: model.labels().into_owned(),
            transitions: Vec::new(),
            error: None,
        }
    }

    /// Takes the transitions of a state, and drops those that were there.
    ///
    /// # Errors
    /// If the model fails, or there are too many labels.
    pub fn fill<'m>(
        &mut self,
        model: Erased<'m>,
        scratch: &mut <Erased<'m> as Model>::Scratch,
        state: &[u64],
    ) -> Result<(), ExploreError> {
        self.transitions.clear();
        model.successors(scratch, state, self)?;
        self.error.take().map_or(Ok(()), |error| Err(error.into()))
    }
}

impl Enabled {
    /// Whether a label is called so, `None` being the hidden one.
    fn is_called(&self, label: LabelId, text: Option<&[u8]>) -> bool {
        match text {
            None => label.is_hidden(),
            Some(text) => !label.is_hidden() && self.table.text(label) == text,
        }
    }
}

/// How far [`Simulation::replay`] has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// For how many of the labels there is a path.
    pub steps: usize,
    /// How many states the paths with all of the labels lead to.
    pub ends: usize,
}

impl Emit for Enabled {
    fn label(&mut self, text: &[u8]) -> LabelId {
        self.table.intern(text).unwrap_or_else(|error| {
            self.error.get_or_insert(error);
            LabelId::HIDDEN
        })
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        self.transitions.push((label, target.into()));
    }
}

/// A state that a step may lead to, the place of one before it, and the label between.
type Arrival = (Box<[u64]>, usize, LabelId);

/// A path through a model that is made step by step, as with CADP's `simulator` or mCRL2's
/// `lpssim`: it begins in the initial state, and the current position on it can be moved to
/// and fro. Keeps the states of the path, and the transitions of the current one.
///
/// # Example
/// ```
/// use hyades_explore::{Model, Simulation};
/// use hyades_formats::{LtsBuilder, StateId};
///
/// let mut builder = LtsBuilder::new(0);
/// builder.add_text(0, b"coin", 1)?;
/// builder.add_text(1, b"tea", 0)?;
/// let machine = builder.build(StateId::new(0))?;
///
/// let mut simulation = Simulation::new(machine.erased())?;
/// simulation.take(0)?;
/// let (label, _) = simulation.enabled()[0];
/// assert_eq!(simulation.labels().text(label), b"tea");
/// simulation.go_to(0)?;
/// assert_eq!((simulation.position(), simulation.path().len()), (0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation<'m> {
    model: Erased<'m>,
    scratch: <Erased<'m> as Model>::Scratch,
    enabled: Enabled,
    initial: Box<[u64]>,
    path: Vec<(LabelId, Box<[u64]>)>,
    position: usize,
}

hyades_base::opaque!(Simulation<'_>);

impl<'m> Simulation<'m> {
    /// Begins in the initial state.
    ///
    /// # Errors
    /// If the model fails.
    pub fn new(model: Erased<'m>) -> Result<Self, ExploreError> {
        let mut simulation = Self {
            model,
            scratch: model.scratch(),
            enabled: Enabled::new(model),
            initial: model.initial_state()?.into(),
            path: Vec::new(),
            position: 0,
        };
        simulation.fill()?;
        Ok(simulation)
    }

    /// How many steps of the path lead to the current state.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The steps of the path, beyond the current state as well: labels and targets.
    pub fn path(&self) -> &[(LabelId, Box<[u64]>)] {
        &self.path
    }

    /// The state behind so many steps of the path, as the model packs it.
    ///
    /// # Panics
    /// If the path has fewer steps.
    pub fn state(&self, position: usize) -> &[u64] {
        match position.checked_sub(1) {
            None => &self.initial,
            Some(step) => &self.path[step].1,
        }
    }

    /// The transitions of the current state, in the order of the model.
    pub fn enabled(&self) -> &[(LabelId, Box<[u64]>)] {
        &self.enabled.transitions
    }

    /// The labels that have been met so far.
    pub fn labels(&self) -> &LabelTable {
        &self.enabled.table
    }

    /// Takes the transition with this number among the [enabled](Self::enabled) ones. What the
    /// path had beyond the current state is dropped.
    ///
    /// # Errors
    /// If the model fails in its target; then nothing has changed.
    ///
    /// # Panics
    /// If there is no such transition.
    pub fn take(&mut self, number: usize) -> Result<(), ExploreError> {
        let step = self.enabled.transitions[number].clone();
        let dropped = self.path.split_off(self.position);
        self.path.push(step);
        let moved = self.go_to(self.position + 1);
        if moved.is_err() {
            self.path.pop();
            self.path.extend(dropped);
        }
        moved
    }

    /// Moves to where so many steps of the path lead.
    ///
    /// # Errors
    /// If the model fails there; then nothing has changed.
    ///
    /// # Panics
    /// If the path has fewer steps.
    pub fn go_to(&mut self, position: usize) -> Result<(), ExploreError> {
        assert!(position <= self.path.len(), "beyond the end of the path");
        let before = mem::replace(&mut self.position, position);
        let transitions = mem::take(&mut self.enabled.transitions);
        let filled = self.fill();
        if filled.is_err() {
            self.position = before;
            self.enabled.transitions = transitions;
        }
        filled
    }

    /// Takes a transition that is drawn from those that are enabled, each as probable as
    /// another: the one with this number of a walk, which is the same for one seed always.
    /// `false` in a deadlock.
    ///
    /// # Errors
    /// As [`Simulation::take`].
    pub fn take_random(&mut self, seed: u64, number: u64) -> Result<bool, ExploreError> {
        match self.enabled.transitions.len() as u64 {
            0 => Ok(false),
            many => {
                let drawn = draw(seed, 0, number, many);
                self.take(drawn as usize).map(|()| true)
            }
        }
    }

    /// Replaces the path by these steps, each a label, `None` the hidden one, and the state
    /// that it leads to, and moves to its end. Whether the model has these steps; if not,
    /// nothing has changed.
    ///
    /// O(the transitions of the states of the path).
    ///
    /// # Errors
    /// If the model fails; then nothing has changed.
    pub fn follow<'l>(
        &mut self,
        steps: impl IntoIterator<Item = (Option<&'l [u8]>, Box<[u64]>)>,
    ) -> Result<bool, ExploreError> {
        let mut row = self.row();
        let mut path: Vec<(LabelId, Box<[u64]>)> = Vec::new();
        for (text, target) in steps {
            let source = path.last().map_or(&self.initial, |(_, state)| state);
            row.fill(self.model, &mut self.scratch, source)?;
            let mut own = row.transitions.iter();
            let step = own.find(|(label, state)| row.is_called(*label, text) && *state == target);
            match step {
                Some(&(label, _)) => path.push((label, target)),
                None => return Ok(false),
            }
        }
        self.go_along(path, row.table)?;
        Ok(true)
    }

    /// Replaces the path by one with these labels, `None` the hidden one, and moves to its
    /// end. If there are several, it is the one whose transitions come first. If there is none,
    /// nothing has changed.
    ///
    /// O(steps times the states that one prefix leads to, with their transitions).
    ///
    /// # Errors
    /// If the model fails; then nothing has changed.
    pub fn replay<'l>(
        &mut self,
        labels: impl IntoIterator<Item = Option<&'l [u8]>>,
    ) -> Result<Replayed, ExploreError> {
        // Of every step the states it may lead to.
        let mut levels: Vec<Vec<Arrival>> = vec![vec![(self.initial.clone(), 0, LabelId::HIDDEN)]];
        let mut row = self.row();
        for text in labels {
            let mut next: Vec<Arrival> = Vec::new();
            let mut seen: HashSet<Box<[u64]>, RandomState> = HashSet::default();
            for (at, (state, ..)) in levels[levels.len() - 1].iter().enumerate() {
                row.fill(self.model, &mut self.scratch, state)?;
                let mut transitions = mem::take(&mut row.transitions);
                for (label, target) in transitions.drain(..) {
                    if row.is_called(label, text) && seen.insert(target.clone()) {
                        next.push((target, at, label));
                    }
                }
                row.transitions = transitions;
            }
            let steps = levels.len() - 1;
            if next.is_empty() {
                return Ok(Replayed { steps, ends: 0 });
            }
            levels.push(next);
        }
        let ends = levels[levels.len() - 1].len();
        let mut path = Vec::with_capacity(levels.len() - 1);
        let mut at = 0;
        while let (Some(mut level), true) = (levels.pop(), !levels.is_empty()) {
            let (target, before, label) = level.swap_remove(at);
            path.push((label, target));
            at = before;
        }
        path.reverse();
        let steps = path.len();
        self.go_along(path, row.table)?;
        Ok(Replayed { steps, ends })
    }

    /// For transitions of other states than the current one.
    fn row(&self) -> Enabled {
        Enabled {
            table: self.enabled.table.clone(),
            transitions: Vec::new(),
            error: None,
        }
    }

    /// Replaces the path by one whose labels are in this table, which goes on from the own
    /// one, and moves to its end.
    fn go_along(
        &mut self,
        path: Vec<(LabelId, Box<[u64]>)>,
        table: LabelTable,
    ) -> Result<(), ExploreError> {
        let steps = path.len();
        self.enabled.table = table;
        let (old, position) = (mem::replace(&mut self.path, path), self.position);
        // Where the path before need not have had a state.
        self.position = 0;
        if let Err(error) = self.go_to(steps) {
            self.path = old;
            self.position = position;
            return Err(error);
        }
        Ok(())
    }

    /// The path as a trace, beyond the current state as well.
    pub fn trace(&self) -> Trace {
        let packed = (0..=self.path.len()).map(|position| self.state(position).into());
        Trace {
            labels: self.path.iter().map(|&(label, _)| label).collect(),
            states: Vec::new(),
            packed: packed.collect(),
            cycle: None,
        }
    }

    fn fill(&mut self) -> Result<(), ExploreError> {
        let state = match self.position.checked_sub(1) {
            None => &self.initial,
            Some(step) => &self.path[step].1,
        };
        self.enabled.fill(self.model, &mut self.scratch, state)
    }
}
