//! Shortest words, found breadth first.

use std::hash::Hash;

use hyades_base::discovered::Discovered;

use super::identifiers::Word;
use super::machine::InputId;

/// Why no word is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSequence {
    /// There is none.
    None,
    /// There was none among so many sets of states.
    Unknown(usize),
}

/// What an input leads to.
pub(super) enum After<P> {
    /// No word with it is any good.
    Nothing,
    /// This is to be looked at.
    Place(P),
    /// The word is found.
    Goal,
}

/// A shortest word of at least one input that leads from a place to the goal, the
/// first in the order of inputs. At most `most` places are looked at.
///
/// # Errors
/// If there is none, or none is found.
pub(super) fn shortest_word<P: Eq + Hash>(
    inputs: usize,
    start: P,
    most: usize,
    after: impl Fn(&P, u32) -> After<P>,
) -> Result<Word, NoSequence> {
    let mut found = Discovered::default();
    found.add(start, None, InputId::new(0));
    let mut next = 0;
    while next < found.len() {
        for input in 0..inputs as u32 {
            match after(found.get(next), input) {
                After::Nothing => {}
                After::Goal => {
                    let last = InputId::new(input);
                    return Ok(found.steps(next).copied().chain([last]).collect());
                }
                After::Place(place) if found.contains(&place) => {}
                After::Place(_) if found.len() >= most => return Err(NoSequence::Unknown(most)),
                After::Place(place) => {
                    found.add(place, Some(next), InputId::new(input));
                }
            }
        }
        next += 1;
    }
    Err(NoSequence::None)
}

/// A shortest word that a machine, in state `start.0`, and another, in state
/// `start.1`, answer differently; the first in the order of inputs. `None` if they
/// answer alike. `steps` gives what the two do with an input, output and target;
/// `None` if words with it do not count. O(pairs of states · inputs).
pub(super) fn difference(
    inputs: usize,
    start: (u32, u32),
    steps: impl Fn((u32, u32), u32) -> Option<[(u32, u32); 2]>,
) -> Option<Word> {
    let after = |&pair: &(u32, u32), input| match steps(pair, input) {
        None => After::Nothing,
        Some([one, other]) if one.0 == other.0 => After::Place((one.1, other.1)),
        Some(_) => After::Goal,
    };
    shortest_word(inputs, start, usize::MAX, after).ok()
}
