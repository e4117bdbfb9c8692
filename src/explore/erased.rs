//! Models without their types, so that the search is compiled once.
//!
//! A call of the model is virtual for many states at a time ([`Worker::rows`]), within
//! which it is compiled for each model, or for one state where there are few. Where a
//! model is changed on the fly, it is virtual for each state and each transition.

use std::borrow::Cow;
use std::ops::ControlFlow;

use hyades_formats::LabelTable;

use super::chunk::{Gather, Worker};
use super::emit::Emit;
use super::error::ModelError;
use super::model::{ErasedModel, Model};

struct OfModel<'m, M: Model> {
    model: &'m M,
    scratch: M::Scratch,
}

impl<M: Model> Worker for OfModel<'_, M> {
    fn successors(&mut self, state: &[u64], emit: &mut dyn Emit) -> Result<(), ModelError> {
        self.model.successors(&mut self.scratch, state, emit)
    }

    fn rows(&mut self, states: &[u64], gather: &mut Gather<'_>) {
        for state in states.chunks_exact(gather.words()) {
            gather.begin_row();
            let result = self.model.successors(&mut self.scratch, state, gather);
            if let ControlFlow::Break(()) = gather.end_row(result) {
                return;
            }
        }
    }
}

impl<M: Model> ErasedModel for M {
    fn labels(&self) -> Cow<'_, LabelTable> {
        Model::labels(self)
    }

    fn bits(&self) -> usize {
        Model::bits(self)
    }

    fn numbers(&self) -> Option<u32> {
        Model::numbers(self)
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        Model::initial(self, state)
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        Model::is_truncated(self, state)
    }

    fn was_truncated(&self) -> bool {
        Model::was_truncated(self)
    }

    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        Model::explain(self, source, label, target)
    }

    fn state_text(&self, state: &[u64]) -> Option<String> {
        Model::state_text(self, state)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(OfModel {
            model: self,
            scratch: self.scratch(),
        })
    }
}
