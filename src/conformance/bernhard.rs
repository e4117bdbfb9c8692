//! The suites of Bernhard's paper, with what they are good for.

use super::cover::Cover;
use super::guarantee::Guarantee;
use super::identifiers::{characterization_set, covering};
use super::layered::Layered;
use super::machine::Machine;
use super::partition::StatePartition;
use super::words::WordSets;

/// Which of the three algorithms of figure 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bernhard {
    /// Words of a characterisation set, and all of length m - n.
    One,
    /// All words of length max(n - 1, m - n).
    Two,
    /// Words of length n - 1 that form a characterisation set, and all of length
    /// m - n.
    Three,
}

/// The most words of length n - 1 from which the third algorithm chooses.
pub const MOST_WORDS: u64 = 1 << 16;

/// The suite of P. Bernhard (A Reduced Test Suite for Protocol Conformance
/// Testing, figure 3) for a complete minimal machine of n states and
/// implementations of at most n + `extra` states, and what it is complete for.
///
/// The paper claims m-completeness with m = n + `extra`, which is wrong for m > n:
/// its Lemma A.2 adds to a set of words all words of a length, where a partition
/// is pulled back only by putting inputs before the words. With d the least number
/// such that all words of length d separate all states, what does hold is
/// max(n, m - d) for the first and the third, max(2n - 1 - d, m - d) for the
/// second, and m if n = 1 or m = n, since the transition cover followed by all
/// words of length d + j contains Chow's suite for n + j states.
///
/// `None` for the third algorithm if there are more than [`MOST_WORDS`] words of
/// length n - 1.
pub fn bernhard(
    machine: &Machine,
    partition: &StatePartition,
    which: Bernhard,
    extra: usize,
) -> Option<(Layered, Guarantee)> {
    let (n, inputs) = (machine.states(), machine.inputs());
    let mut sets = WordSets::default();
    let words = match which {
        Bernhard::One => characterization_set(machine, partition),
        Bernhard::Two => Vec::new(),
        Bernhard::Three => {
            let length = u32::try_from(n - 1).ok()?;
            let count = (inputs as u64).checked_pow(length)?;
            if count > MOST_WORDS {
                return None;
            }
            let all = sets.all(inputs, n - 1);
            let states: Vec<_> = machine.state_ids().collect();
            covering(machine, &states, sets.words(all))
        }
    };
    let after = sets.of(words);
    let length = match which {
        Bernhard::Two => extra.max(n - 1),
        Bernhard::One | Bernhard::Three => extra,
    };
    let everywhere = sets.all(inputs, length);
    let layers = vec![vec![after; n]; 2];
    let suite = Layered::new(Cover::new(machine), sets, layers).followed_by(everywhere);
    Some((suite, claim(partition, n as u64, which, extra as u64)))
}

fn claim(partition: &StatePartition, n: u64, which: Bernhard, extra: u64) -> Guarantee {
    let (m, d) = (n + extra, u64::from(partition.depth()));
    let least = match which {
        Bernhard::One | Bernhard::Three => n,
        Bernhard::Two => 2 * n - 1 - d,
    };
    let complete = least.max(m - d).min(m);
    if complete == m {
        Guarantee::Complete(m)
    } else {
        Guarantee::LessThanAsked { complete, asked: m }
    }
}
