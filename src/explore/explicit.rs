//! Models whose states are numbers.

use std::borrow::Cow;

use hyades_formats::diagnostic::printable_string;
use hyades_formats::{LabelId, LabelTable, Lts, StateId};

use super::emit::Emit;
use super::error::ModelError;
use super::model::{Erased, Model};
use super::shape::{NUMBER_BITS, pack_number, unpack_number};

/// An explicit LTS is explored in the order of its rows; states are packed
/// numbers.
impl Model for Lts {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(self.table())
    }

    fn bits(&self) -> usize {
        NUMBER_BITS
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        state.copy_from_slice(&pack_number(Lts::initial(self).get()));
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        for (label, target) in self.outgoing(StateId::new(unpack_number(state))) {
            emit.transition(label, &pack_number(target.get()));
        }
        Ok(())
    }

    fn numbers(&self) -> Option<u32> {
        Some(self.states() as u32)
    }

    /// The values of the parameters of processes, where the LTS has them.
    fn state_text(&self, state: &[u64]) -> Option<String> {
        let labels = self.state_labels()?;
        let mut vectors = labels.vectors(unpack_number(state) as usize);
        let vector = vectors.next()?;
        let values = vector.iter().enumerate();
        let values = values.map(|(k, &value)| printable_string(labels.text(k, value)));
        Some(format!("({})", values.collect::<Vec<_>>().join(", ")))
    }

    fn erased(&self) -> Erased<'_> {
        Erased::new(self)
    }

    fn into_lts(self) -> Result<Lts, Self> {
        Ok(self)
    }
}

/// A model whose states are the numbers `0 .. states`, given by a closure; used
/// for structured families.
#[derive(Debug)]
pub struct Numbered<F> {
    /// How many numbers there are.
    pub states: u32,
    /// The initial state.
    pub initial: u32,
    /// All labels.
    pub labels: LabelTable,
    /// Calls its second argument with label and target of each transition of
    /// its first.
    pub successors: F,
}

impl<F> Model for Numbered<F>
where
    F: Fn(u32, &mut dyn FnMut(LabelId, u32)) + Sync,
{
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.labels)
    }

    fn bits(&self) -> usize {
        NUMBER_BITS
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        state.copy_from_slice(&pack_number(self.initial));
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        (self.successors)(unpack_number(state), &mut |label, target| {
            emit.transition(label, &pack_number(target));
        });
        Ok(())
    }

    fn numbers(&self) -> Option<u32> {
        Some(self.states)
    }
}
