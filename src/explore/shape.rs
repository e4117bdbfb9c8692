//! What states look like: words of bits, or numbers.

use hyades_formats::LabelId;
use hyades_formats::diagnostic::counted;

use super::error::ModelError;

/// The most bits that a state may have: 128 MiB.
pub const MAX_BITS: usize = 1 << 30;

/// # Errors
/// If states of a model with these [`Model::bits`](crate::Model::bits) and [`Model::numbers`](crate::Model::numbers) cannot be
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
#[derive(Debug)]
pub(super) struct Shape {
    words: usize,
    bits: usize,
    /// The bits of the last word that no state has.
    stray: u64,
    /// Numbers must be below this; 0 for states that are no numbers.
    bound: u64,
}

impl Shape {
    /// Of a model with these [`Model::bits`](crate::Model::bits) and [`Model::numbers`](crate::Model::numbers).
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
    /// If these words are no state; they are said to be the initial one.
    pub(super) fn check_initial(&self, state: &[u64]) -> Result<(), ModelError> {
        let text = |error| ModelError::new(format!("initial state: {error}"));
        self.check(state).map_err(text)
    }

    /// # Errors
    /// If these words are no state.
    #[inline(always)]
    fn check(&self, state: &[u64]) -> Result<(), ModelError> {
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

/// A number as a state; see [`Model::numbers`](crate::Model::numbers).
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
pub(super) const NUMBER_BITS: usize = 32;

#[cold]
fn label_error(label: LabelId, labels: usize) -> ModelError {
    let (label, last) = (label.get(), labels - 1);
    ModelError::new(format!(
        "a transition has label {label}, but the last label is {last}"
    ))
}
