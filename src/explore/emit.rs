//! Where transitions go.

use hyades_formats::LabelId;

/// Where a [`Model`](crate::Model) puts the outgoing transitions of a state.
pub trait Emit {
    /// The number of the visible label with this text, new or not. It is good
    /// until `successors` returns. The text `i` is as visible as any other: the
    /// hidden action is [`LabelId::HIDDEN`], for which nothing is asked.
    ///
    /// Should there be too many labels, the exploration ends with that error
    /// and the number returned meanwhile means nothing.
    fn label(&mut self, text: &[u8]) -> LabelId;

    /// One transition, to the state with these words; a hidden one has the label
    /// [`LabelId::HIDDEN`]. A label that is neither of
    /// the model's table nor from [`Emit::label`], and words that are no state,
    /// end the exploration with an error.
    fn transition(&mut self, label: LabelId, target: &[u64]);

    /// Whether more transitions of this state make no difference, as the
    /// exploration ends, or asks for all of them another time. A model whose states
    /// have very many does well to ask now and then, and to return; no model needs
    /// to.
    fn is_done(&self) -> bool {
        false
    }

    /// How many different targets a state may have: with more, whichever they are,
    /// the exploration ends because of a limit. A model that knows of more may leave
    /// out transitions to others. It is the same for each state and thread;
    /// `usize::MAX` if there is no limit.
    fn most_targets(&self) -> usize {
        usize::MAX
    }
}

impl<E: Emit + ?Sized> Emit for &mut E {
    fn label(&mut self, text: &[u8]) -> LabelId {
        (**self).label(text)
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        (**self).transition(label, target);
    }

    fn is_done(&self) -> bool {
        (**self).is_done()
    }

    fn most_targets(&self) -> usize {
        (**self).most_targets()
    }
}
