//! What can be explored.

use std::borrow::Cow;

use hyades_formats::{LabelTable, Lts};

use super::checked::Checks;
use super::chunk::Worker;
use super::emit::Emit;
use super::error::ModelError;
use super::shape::{Shape, check_sizes, words};

/// A state space given by its initial state and a successor function.
///
/// # Contract
/// - A **state** is a string of [`bits`](Model::bits) bits, the same number for
///   all states of a model. It is handed around in words of 64 bits, the first
///   bit lowest in the first word; what is left over of the last word is zero.
///   A state of 20 bits is one word below 2^20, one of 70 bits is two words, the
///   second below 2^6. Two states are the same if and only if their bits are: a
///   model packs its states in one canonical way. Shorter is faster: the
///   explorer keeps each state once, in as many bytes as its bits need.
/// - [`successors`](Model::successors) is a **function of the state**: the same
///   transitions in the same order whenever and on whatever thread it is asked.
///   The numbering of states and labels follows from it. Equal transitions may
///   come more than once and are all counted; a model for which this is wrong
///   removes them itself.
/// - **Labels** known beforehand are in [`labels`](Model::labels); others are
///   introduced by [`Emit::label`] when they first appear. What that returns is
///   good for the same call of `successors` only: the next state may be given to
///   another thread, where another label came first. A **hidden** transition has
///   the label [`LabelId::HIDDEN`](hyades_formats::LabelId::HIDDEN), which every table
///   has; no text stands for it.
/// - The model is shared by threads (`Sync`); what `successors` needs to write
///   on is in a [`Scratch`](Model::Scratch), of which each thread has its own.
/// - An error ends the exploration; nothing of it is kept. A target with too few
///   or too many words or with a bit that there should not be, and a label that
///   there is not, are such errors, and so are states of more than [`MAX_BITS`](crate::MAX_BITS)
///   bits: nothing a model does makes the explorer panic, nor what else asks a model for
///   its states: deciding formulas, refinement, models that are changed on the fly.
///
/// # Example
/// A counter modulo 3 that may also be reset:
/// ```
/// use std::borrow::Cow;
/// use hyades_explore::{Emit, Model, ModelError, ExploreOptions, explore};
/// use hyades_formats::LabelTable;
///
/// struct Counter;
///
/// impl Model for Counter {
///     type Scratch = ();
///     fn scratch(&self) {}
///     fn labels(&self) -> Cow<'_, LabelTable> {
///         Cow::Owned(LabelTable::new())
///     }
///     fn bits(&self) -> usize {
///         2
///     }
///     fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
///         state[0] = 0;
///         Ok(())
///     }
///     fn successors<E: Emit + ?Sized>(
///         &self,
///         (): &mut (),
///         state: &[u64],
///         emit: &mut E,
///     ) -> Result<(), ModelError> {
///         let step = emit.label(b"STEP");
///         emit.transition(step, &[(state[0] + 1) % 3]);
///         if state[0] != 0 {
///             let reset = emit.label(b"RESET");
///             emit.transition(reset, &[0]);
///         }
///         Ok(())
///     }
/// }
///
/// let found = explore(&Counter, ExploreOptions::default(), &mut ())?;
/// assert_eq!((found.states, found.transitions), (3, 5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Model: Sync {
    /// Memory to compute successors in; `()` if none is needed.
    type Scratch: Send;

    /// Fresh scratch memory, for one thread.
    fn scratch(&self) -> Self::Scratch;

    /// The labels known beforehand. Their numbers are those of the result.
    fn labels(&self) -> Cow<'_, LabelTable>;

    /// How many bits a state has, at most [`MAX_BITS`](crate::MAX_BITS);
    /// [`words`](crate::words) tells how many words that makes.
    fn bits(&self) -> usize;

    /// Puts the initial state into `state`, which is all zeros.
    ///
    /// # Errors
    /// If there is none.
    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError>;

    /// Hands the outgoing transitions of `state` to `emit`.
    ///
    /// # Errors
    /// If the state has no well-defined successors.
    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Self::Scratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError>;

    /// Whether the exploration does not go on from this state, which has no outgoing
    /// transitions here but may have some all the same: then it is no deadlock.
    fn is_truncated(&self, state: &[u64]) -> bool {
        let _ = state;
        false
    }

    /// Whether, in an exploration that has come to its end, something was cut off, so
    /// that what was not seen may be there all the same.
    fn was_truncated(&self) -> bool {
        false
    }

    /// `Some(n)` promises that every state is a number below `n` as packed by
    /// [`pack_number`](crate::pack_number); `n` is not 0, as there is an initial state.
    /// The explorer then keeps a table of `n` numbers and hashes nothing, which is worth
    /// it unless most numbers are unreachable.
    fn numbers(&self) -> Option<u32> {
        None
    }

    /// What happens in a transition, in words, one line each, for traces; the
    /// label is `None` for the hidden action. Nothing if there is no more to say
    /// than the label does.
    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        let _ = (source, label, target);
        Vec::new()
    }

    /// A state in words, where it has more to tell than its number: the states of components,
    /// the values of parameters. For who steps through the model.
    fn state_text(&self, state: &[u64]) -> Option<String> {
        let _ = state;
        None
    }

    /// The model without its type, so that searches are compiled once for all. A model
    /// that overrides this, by the same line, is compiled where it is, and not
    /// anew by each crate that explores it.
    fn erased(&self) -> Erased<'_>
    where
        Self: Sized,
    {
        Erased::new(self)
    }

    /// The LTS if the model is one in memory, so that nobody builds it anew.
    ///
    /// # Errors
    /// The model itself if it is none.
    fn into_lts(self) -> Result<Lts, Self>
    where
        Self: Sized,
    {
        Err(self)
    }
}

/// A model by reference, for who needs it afterwards.
impl<M: Model> Model for &M {
    type Scratch = M::Scratch;

    fn scratch(&self) -> M::Scratch {
        (**self).scratch()
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        (**self).labels()
    }

    fn bits(&self) -> usize {
        (**self).bits()
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        (**self).initial(state)
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut M::Scratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        (**self).successors(scratch, state, emit)
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        (**self).is_truncated(state)
    }

    fn was_truncated(&self) -> bool {
        (**self).was_truncated()
    }

    fn numbers(&self) -> Option<u32> {
        (**self).numbers()
    }

    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        (**self).explain(source, label, target)
    }

    fn state_text(&self, state: &[u64]) -> Option<String> {
        (**self).state_text(state)
    }

    fn erased(&self) -> Erased<'_> {
        (**self).erased()
    }
}

/// A [`Model`] by reference, of any type: what takes one is compiled once. See
/// [`Model::erased`]. What it hands over are states and labels: what else the model hands over
/// is an error here, as to the explorer.
#[derive(Clone, Copy)]
pub struct Erased<'m>(pub(super) &'m dyn ErasedModel);

hyades_base::opaque!(Erased<'_>);

impl<'m> Erased<'m> {
    /// For [`Model::erased`].
    pub fn new(model: &'m impl Model) -> Self {
        Self(model)
    }

    /// The initial state.
    ///
    /// # Errors
    /// If there is none, it is no state, or states cannot be stored.
    pub fn initial_state(self) -> Result<Vec<u64>, ModelError> {
        check_sizes(self.0.bits(), self.0.numbers())?;
        let mut state = vec![0; words(self.0.bits())];
        Model::initial(&self, &mut state)?;
        Ok(state)
    }
}

/// Memory of [`Erased`].
pub struct ErasedScratch<'m> {
    worker: Box<dyn Worker + 'm>,
    checks: Checks,
}

hyades_base::opaque!(ErasedScratch<'_>);

impl<'m> Model for Erased<'m> {
    type Scratch = ErasedScratch<'m>;

    fn scratch(&self) -> Self::Scratch {
        ErasedScratch {
            worker: self.0.worker(),
            checks: Checks::of(self),
        }
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        self.0.labels()
    }

    fn bits(&self) -> usize {
        self.0.bits()
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        let (bits, numbers) = (self.0.bits(), self.0.numbers());
        check_sizes(bits, numbers)?;
        self.0.initial(state)?;
        Shape::new(bits, numbers).check_initial(state)
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        ErasedScratch { worker, checks }: &mut Self::Scratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        checks.pass(emit, |mut emit| worker.successors(state, &mut emit))
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        self.0.is_truncated(state)
    }

    fn was_truncated(&self) -> bool {
        self.0.was_truncated()
    }

    fn numbers(&self) -> Option<u32> {
        self.0.numbers()
    }

    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        self.0.explain(source, label, target)
    }

    fn state_text(&self, state: &[u64]) -> Option<String> {
        self.0.state_text(state)
    }

    fn erased(&self) -> Erased<'_> {
        *self
    }
}

/// What searches want of a [`Model`].
pub trait ErasedModel: Sync {
    fn labels(&self) -> Cow<'_, LabelTable>;
    fn bits(&self) -> usize;
    fn numbers(&self) -> Option<u32>;
    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError>;
    fn is_truncated(&self, state: &[u64]) -> bool;
    fn was_truncated(&self) -> bool;
    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String>;
    fn state_text(&self, state: &[u64]) -> Option<String>;
    /// Who computes successors, in one thread.
    fn worker(&self) -> Box<dyn Worker + '_>;
}
