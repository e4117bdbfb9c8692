//! What can be explored.

use std::borrow::Cow;

use hyades_formats::diagnostic::counted;
use hyades_formats::{LabelId, LabelTable, Lts, StateId};

use super::error::ModelError;

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
///   the label [`LabelId::HIDDEN`], which every table has; no text stands for it.
/// - The model is shared by threads (`Sync`); what `successors` needs to write
///   on is in a [`Scratch`](Model::Scratch), of which each thread has its own.
/// - An error ends the exploration; nothing of it is kept. A target with too few
///   or too many words or with a bit that there should not be, and a label that
///   there is not, are such errors, and so are states of more than [`MAX_BITS`]
///   bits: nothing a model does makes the explorer panic.
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

    /// How many bits a state has, at most [`MAX_BITS`]; [`words`] tells how many
    /// words that makes.
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
    /// [`pack_number`]; `n` is not 0, as there is an initial state. The explorer
    /// then keeps a table of `n` numbers and hashes nothing, which is worth it
    /// unless most numbers are unreachable.
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
}

/// Where a [`Model`] puts the outgoing transitions of a state.
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

#[cold]
fn label_error(label: LabelId, labels: usize) -> ModelError {
    let (label, last) = (label.get(), labels - 1);
    ModelError::new(format!(
        "a transition has label {label}, but the last label is {last}"
    ))
}

/// The most bits that a state may have: 128 MiB.
pub const MAX_BITS: usize = 1 << 30;

/// # Errors
/// If states of a model with these [`Model::bits`] and [`Model::numbers`] cannot be
/// stored, whatever they are.
pub fn check_sizes(bits: usize, numbers: Option<u32>) -> Result<(), ModelError> {
    let error = |text| Err(ModelError::new(text));
    if bits > MAX_BITS {
        error(format!(
            "a state has {bits} bits, but at most {MAX_BITS} can be stored"
        ))
    } else if numbers == Some(0) {
        error("states are numbers below 0, so that there is no initial state".into())
    } else if numbers.is_some() && words(bits) > 1 {
        error(format!(
            "states are numbers, but have {}",
            counted(bits, "bit")
        ))
    } else {
        Ok(())
    }
}

/// How many words a state of so many bits is handed around in: at least 1.
#[inline]
pub const fn words(bits: usize) -> usize {
    if bits == 0 { 1 } else { bits.div_ceil(64) }
}

/// What states of a model look like.
pub(super) struct Shape {
    words: usize,
    bits: usize,
    /// The bits of the last word that no state has.
    stray: u64,
    /// Numbers must be below this; 0 for states that are no numbers.
    bound: u64,
}

impl Shape {
    /// Of a model with these [`Model::bits`] and [`Model::numbers`].
    pub(super) fn new(bits: usize, numbers: Option<u32>) -> Self {
        let words = words(bits);
        let last = bits - 64 * (words - 1);
        Self {
            words,
            bits,
            stray: if last < 64 { u64::MAX << last } else { 0 },
            bound: numbers.map_or(0, u64::from),
        }
    }

    /// # Errors
    /// If there is no such label, as there are `labels` ones, or no such state.
    #[inline(always)]
    pub(super) fn check_transition(
        &self,
        label: LabelId,
        labels: usize,
        target: &[u64],
    ) -> Result<(), ModelError> {
        if label.index() >= labels {
            return Err(label_error(label, labels));
        }
        self.check(target)
    }

    /// # Errors
    /// If these words are no state.
    #[inline(always)]
    pub(super) fn check(&self, state: &[u64]) -> Result<(), ModelError> {
        let ok = state.len() == self.words
            && state[self.words - 1] & self.stray == 0
            && (self.bound == 0 || state[0] < self.bound);
        if ok { Ok(()) } else { Err(self.error(state)) }
    }

    #[cold]
    fn error(&self, state: &[u64]) -> ModelError {
        let Self { words, bits, .. } = self;
        ModelError::new(if state.len() != *words {
            let found = state.len();
            let found = counted(found, "word");
            format!(
                "a state has {found}, but {} make {}",
                counted(bits, "bit"),
                counted(words, "word")
            )
        } else if state[words - 1] & self.stray != 0 {
            format!("a state has bits beyond the first {bits}")
        } else {
            let (number, bound) = (state[0], self.bound);
            format!("a state is number {number}, but there are {bound} only")
        })
    }
}

/// A number as a state; see [`Model::numbers`].
#[inline]
pub const fn pack_number(number: u32) -> [u64; 1] {
    [number as u64]
}

/// The number that a state packed by [`pack_number`] stands for.
///
/// # Panics
/// If the state has no words.
#[inline]
pub const fn unpack_number(state: &[u64]) -> u32 {
    state[0] as u32
}

/// The bits of a state that is packed by [`pack_number`].
const NUMBER_BITS: usize = 32;

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

    fn into_lts(self) -> Result<Lts, Self> {
        Ok(self)
    }
}

/// A model whose states are the numbers `0 .. states`, given by a closure; used
/// for structured families.
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
