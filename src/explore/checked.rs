//! What models hand over, looked at before anybody relies on it.

use std::ops::Deref;

use hyades_formats::LabelId;

use super::emit::Emit;
use super::error::ModelError;
use super::model::Model;
use super::shape::Shape;

/// A model whose transitions are looked at, for who asks it itself and does not leave that
/// to the explorer. All else is the model's own.
#[derive(Debug)]
pub(super) struct Checked<M> {
    model: M,
    checks: Checks,
}

impl<M: Model> Checked<M> {
    pub(super) fn new(model: M) -> Self {
        let checks = Checks::of(&model);
        Self { model, checks }
    }

    /// As [`Model::initial`].
    ///
    /// # Errors
    /// If there is none, or it is no state.
    pub(super) fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        self.model.initial(state)?;
        self.checks.shape.check_initial(state)
    }

    /// As [`Model::successors`].
    ///
    /// # Errors
    /// If the model has one, or hands over what it may not.
    pub(super) fn successors(
        &self,
        scratch: &mut M::Scratch,
        state: &[u64],
        emit: &mut (impl Emit + ?Sized),
    ) -> Result<(), ModelError> {
        let checks = &self.checks;
        checks.pass(emit, |emit| self.model.successors(scratch, state, emit))
    }
}

impl<M> Deref for Checked<M> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.model
    }
}

/// What a model may hand over.
#[derive(Debug)]
pub(super) struct Checks {
    shape: Shape,
    /// How many labels the model's table has.
    labels: usize,
}

impl Checks {
    pub(super) fn of(model: &impl Model) -> Self {
        Self {
            shape: Shape::new(model.bits(), model.numbers()),
            labels: model.labels().len(),
        }
    }

    /// Passes on to `emit` what `work` emits, up to what may not be.
    ///
    /// # Errors
    /// What has been emitted that may not be, or else the error of `work`.
    pub(super) fn pass<E: Emit + ?Sized>(
        &self,
        emit: &mut E,
        work: impl FnOnce(&mut Checking<'_, E>) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        let mut checking = Checking {
            shape: &self.shape,
            labels: self.labels,
            emit,
            error: None,
        };
        let result = work(&mut checking);
        checking.error.map_or(result, Err)
    }
}

/// Takes transitions, and passes them on.
pub(super) struct Checking<'a, E: ?Sized> {
    shape: &'a Shape,
    /// One past the last label that there is.
    labels: usize,
    emit: &'a mut E,
    error: Option<ModelError>,
}

impl<E: Emit + ?Sized> Emit for Checking<'_, E> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        let label = self.emit.label(text);
        self.labels = self.labels.max(label.index() + 1);
        label
    }

    #[inline]
    fn transition(&mut self, label: LabelId, target: &[u64]) {
        if self.error.is_some() {
            return;
        }
        match self.shape.check_transition(label, self.labels, target) {
            Ok(()) => self.emit.transition(label, target),
            Err(error) => self.error = Some(error),
        }
    }

    fn is_done(&self) -> bool {
        self.error.is_some() || self.emit.is_done()
    }

    fn most_targets(&self) -> usize {
        self.emit.most_targets()
    }
}
