//! Shortest words, found breadth first.

use std::collections::HashSet;
use std::hash::Hash;

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
pub(super) fn shortest_word<P: Clone + Eq + Hash>(
    inputs: usize,
    start: P,
    most: usize,
    after: impl Fn(&P, u32) -> After<P>,
) -> Result<Word, NoSequence> {
    let mut seen: HashSet<P, foldhash::fast::RandomState> = HashSet::default();
    seen.insert(start.clone());
    // With the number of the place before, and the input.
    let mut found = vec![(start, 0, 0)];
    let mut next = 0;
    while next < found.len() {
        for input in 0..inputs as u32 {
            match after(&found[next].0, input) {
                After::Nothing => {}
                After::Goal => {
                    let mut word = vec![InputId::new(input)];
                    let mut at = next;
                    while at != 0 {
                        word.push(InputId::new(found[at].2));
                        at = found[at].1;
                    }
                    word.reverse();
                    return Ok(word);
                }
                After::Place(place) if seen.contains(&place) => {}
                After::Place(_) if found.len() == most => return Err(NoSequence::Unknown(most)),
                After::Place(place) => {
                    seen.insert(place.clone());
                    found.push((place, next, input));
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
