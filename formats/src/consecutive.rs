//! Transitions of consecutive states, wherever they are.

use crate::lts::{LabelId, Lts, OffsetsRef, StateId};

/// Rows of transitions: the outgoing transitions of consecutive states.
///
/// The last row may be a part of one, which goes on in the next rows, of which
/// it is the first, or is cut off where an exploration ends.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The source of the first row.
    pub first: StateId,
    /// Where each row ends in the columns; what follows the last end is a part
    /// of the next row.
    pub ends: OffsetsRef<'a>,
    /// The labels of the transitions.
    pub labels: &'a [LabelId],
    /// The targets of the transitions, as many as there are labels.
    pub targets: &'a [StateId],
}

impl<'a> Rows<'a> {
    /// All rows of an LTS.
    pub fn of(lts: &'a Lts) -> Self {
        Self {
            first: StateId::new(0),
            ends: lts.offsets().slice(1..lts.states() + 1),
            labels: lts.labels(),
            targets: lts.targets(),
        }
    }

    /// All transitions as (source, label, target).
    pub fn iter(&self) -> impl Iterator<Item = (StateId, LabelId, StateId)> + use<'a> {
        let Self {
            first,
            ends,
            labels,
            targets,
        } = *self;
        let mut row = 0;
        labels
            .iter()
            .zip(targets)
            .enumerate()
            .map(move |(k, step)| {
                while row < ends.len() && ends.get(row) <= k {
                    row += 1;
                }
                let source = StateId::new(first.get() + row as u32);
                (source, *step.0, *step.1)
            })
    }

    /// As many transitions and complete rows of these.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn cut(&self, rows: usize, transitions: usize) -> Self {
        Self {
            first: self.first,
            ends: self.ends.slice(0..rows),
            labels: &self.labels[..transitions],
            targets: &self.targets[..transitions],
        }
    }
}
