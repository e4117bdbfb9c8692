//! What can be explored.

use std::borrow::Cow;
use std::fmt;

use hyades_formats::{LabelId, LabelTable, Lts, StateId};

/// A state space given by its initial state and a successor function.
///
/// # Contract
/// - A **state** is a byte string of any length, the same for all states or
///   not. Two states are the same if and only if their bytes are: a model packs
///   its states in one canonical way and leaves nothing of its scratch memory in
///   them. Shorter is faster: the explorer keeps each state once, in one arena.
/// - [`successors`](Model::successors) is a **function of the state**: the same
///   transitions in the same order whenever and on whatever thread it is asked.
///   The numbering of states and labels follows from it. Equal transitions may
///   come more than once and are all counted; a model for which this is wrong
///   removes them itself.
/// - **Labels** known beforehand are in [`labels`](Model::labels); others are
///   introduced by [`Emit::label`] when they first appear.
/// - The model is shared by threads (`Sync`); what `successors` needs to write
///   on is in a [`Scratch`](Model::Scratch), of which each thread has its own.
/// - An error ends the exploration; nothing of it is kept.
///
/// # Example
/// A counter modulo 3 that may also be reset:
/// ```
/// use std::borrow::Cow;
/// use hyades::explore::{Emit, Model, ModelError, Search, explore};
/// use hyades::formats::LabelTable;
///
/// struct Counter;
///
/// impl Model for Counter {
///     type Scratch = ();
///     fn scratch(&self) {}
///     fn labels(&self) -> Cow<'_, LabelTable> {
///         Cow::Owned(LabelTable::new())
///     }
///     fn initial(&self, state: &mut Vec<u8>) -> Result<(), ModelError> {
///         state.push(0);
///         Ok(())
///     }
///     fn successors(
///         &self,
///         (): &mut (),
///         state: &[u8],
///         emit: &mut dyn Emit,
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
/// let found = explore(&Counter, Search::default(), &mut ())?;
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

    /// Appends the initial state to `state`, which is empty.
    ///
    /// # Errors
    /// If there is none.
    fn initial(&self, state: &mut Vec<u8>) -> Result<(), ModelError>;

    /// Hands the outgoing transitions of `state` to `emit`.
    ///
    /// # Errors
    /// If the state has no well-defined successors.
    fn successors(
        &self,
        scratch: &mut Self::Scratch,
        state: &[u8],
        emit: &mut dyn Emit,
    ) -> Result<(), ModelError>;

    /// `Some(n)` promises that every state is a number below `n` as packed by
    /// [`pack_number`]. The explorer then keeps a table of `n` numbers and
    /// hashes nothing, which is worth it unless most numbers are unreachable.
    fn numbers(&self) -> Option<u32> {
        None
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

/// Where a [`Model`] puts the outgoing transitions of a state.
pub trait Emit {
    /// The number of the visible label with this text, new or not.
    ///
    /// Should there be too many labels, the exploration ends with that error
    /// and the number returned meanwhile means nothing.
    fn label(&mut self, text: &[u8]) -> LabelId;

    /// One transition, to the state with these bytes.
    ///
    /// # Panics
    /// If `label` is neither of the model's table nor from [`Emit::label`].
    fn transition(&mut self, label: LabelId, target: &[u8]);
}

/// Why a model has no answer, in words for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError(String);

impl ModelError {
    /// An error with this text: lower case, no full stop.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ModelError {}

/// A number as a packed state; see [`Model::numbers`].
#[inline]
pub fn pack_number(number: u32) -> [u8; 4] {
    number.to_le_bytes()
}

/// The number that a state packed by [`pack_number`] stands for.
///
/// # Panics
/// If the state is not four bytes long.
#[inline]
pub fn unpack_number(state: &[u8]) -> u32 {
    u32::from_le_bytes(state.try_into().expect("a packed number has four bytes"))
}

/// An explicit LTS is explored in the order of its rows; states are packed
/// numbers.
impl Model for Lts {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(self.table())
    }

    fn initial(&self, state: &mut Vec<u8>) -> Result<(), ModelError> {
        state.extend_from_slice(&pack_number(Lts::initial(self).get()));
        Ok(())
    }

    fn successors(&self, (): &mut (), state: &[u8], emit: &mut dyn Emit) -> Result<(), ModelError> {
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

    fn initial(&self, state: &mut Vec<u8>) -> Result<(), ModelError> {
        state.extend_from_slice(&pack_number(self.initial));
        Ok(())
    }

    fn successors(&self, (): &mut (), state: &[u8], emit: &mut dyn Emit) -> Result<(), ModelError> {
        (self.successors)(unpack_number(state), &mut |label, target| {
            emit.transition(label, &pack_number(target));
        });
        Ok(())
    }

    fn numbers(&self) -> Option<u32> {
        Some(self.states)
    }
}
