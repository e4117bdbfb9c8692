//! How far a refinement has come, for who waits for it.

/// How far a refinement has come: the end of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// The number of the round, from 1 on. In the methods with a worst-case bound,
    /// a round is a batch of splitters.
    pub number: u64,
    /// How many classes have been told apart so far.
    pub classes: usize,
}

/// Is told of each round. It costs nothing that shows if it returns soon.
pub type RoundCallback<'a> = dyn FnMut(&Round) + 'a;

/// Who is told of no round.
pub(crate) fn untold(_: &Round) {}

/// Counts the rounds of a refinement.
pub(crate) struct Rounds<'a> {
    number: u64,
    callback: &'a mut RoundCallback<'a>,
}

impl<'a> Rounds<'a> {
    pub(crate) fn new(callback: &'a mut RoundCallback<'a>) -> Self {
        Self {
            number: 0,
            callback,
        }
    }

    /// A round is over.
    pub(crate) fn end(&mut self, classes: usize) {
        self.number += 1;
        (self.callback)(&Round {
            number: self.number,
            classes,
        });
    }
}

/// So many splitters of a method with a worst-case bound count as a round.
pub(crate) const SPLITTERS: u64 = 1 << 8;
