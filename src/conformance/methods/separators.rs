//! Which states are told apart by words that both have, in machines that may be
//! partial.

use std::cmp::Reverse;
use std::collections::VecDeque;

use hyades_base::grouped::Grouped;
use hyades_formats::StateId;

use super::super::machine::{InputId, Machine, NONE};
use super::super::partition::{StatePartition, separating_word};

/// For pairs of states the length of the shortest words that both states have
/// and that separate them.
///
/// In a partial machine this is no equivalence: `a` and `c` may be separated
/// where neither is from `b`, which lacks the inputs.
#[derive(Debug)]
pub struct Separators {
    lengths: Lengths,
}

#[derive(Debug)]
enum Lengths {
    Complete(StatePartition),
    /// For `a > b` at `a (a - 1) / 2 + b`, 0 for pairs that are not separated.
    Pairs(Vec<u32>),
}

impl Separators {
    /// The separated pairs of a machine. For a complete one as fast as
    /// [`StatePartition::new`]; for a partial one O(states² · inputs) time, and 4 bytes
    /// a pair and 8 for each pair of transitions with one input.
    pub fn new(machine: &Machine) -> Self {
        let lengths = match machine.is_complete() {
            true => Lengths::Complete(StatePartition::new(machine)),
            false => Lengths::Pairs(pairs(machine)),
        };
        Self { lengths }
    }

    /// The length of the shortest words that separate two states; `None` if there
    /// are none.
    pub fn distance(&self, a: StateId, b: StateId) -> Option<u32> {
        let length = self.length(a.get(), b.get());
        (length > 0).then_some(length)
    }

    /// The same, 0 for states that are not separated.
    pub(in super::super) fn length(&self, a: u32, b: u32) -> u32 {
        match &self.lengths {
            Lengths::Complete(partition) => partition.length(a, b),
            Lengths::Pairs(_) if a == b => 0,
            Lengths::Pairs(pairs) => pairs[pair(a, b)],
        }
    }

    /// Tells of pairs of states whether they are different and longer words than these separate
    /// them; none that have none.
    pub(super) fn longer_than(&self, length: u32) -> impl Fn(u32, u32) -> bool {
        let alike = match &self.lengths {
            Lengths::Complete(partition) => Some(partition.within(length)),
            Lengths::Pairs(_) => None,
        };
        move |a, b| match &alike {
            Some(alike) => a != b && alike[a as usize] == alike[b as usize],
            None => self.length(a, b) > length,
        }
    }

    /// Calls a function with each pair of separated states, the lower number first: those that
    /// need the longest words first, and of one length in the order of the numbers.
    ///
    /// O(pairs · log states + states · longest such word · log states); memory for O(states)
    /// numbers, for a partial machine 12 bytes a pair.
    pub(in super::super) fn each_pair(&self, machine: &Machine, mut each: impl FnMut(u32, u32)) {
        let states = machine.states() as u32;
        let partition = match &self.lengths {
            Lengths::Complete(partition) => partition,
            Lengths::Pairs(_) => {
                let pairs = (0..states).flat_map(|b| (0..b).map(move |a| (a, b)));
                let with_length = pairs.map(|(a, b)| (self.length(a, b), a, b));
                let mut pairs: Vec<_> = with_length.filter(|pair| pair.0 > 0).collect();
                pairs.sort_unstable_by_key(|&(length, a, b)| (Reverse(length), a, b));
                pairs.iter().for_each(|&(_, a, b)| each(a, b));
                return;
            }
        };
        let mut others = Vec::new();
        let mut part = partition.within(partition.depth());
        for length in (1..=partition.depth()).rev() {
            // The classes fall into parts.
            let class = partition.within(length - 1);
            let members = Grouped::new(part.len(), part.iter().copied().zip(0..));
            let all = (0..states).filter(|&part| !members.of(part).is_empty());
            let of_class = all.map(|part| (class[members.of(part)[0] as usize], part));
            let parts = Grouped::new(class.len(), of_class);
            for a in 0..states {
                others.clear();
                for &other in parts.of(class[a as usize]) {
                    if other != part[a as usize] {
                        let members = members.of(other);
                        let first = members.partition_point(|&b| b < a);
                        others.extend_from_slice(&members[first..]);
                    }
                }
                others.sort_unstable();
                others.iter().for_each(|&b| each(a, b));
            }
            part = class;
        }
    }

    /// Two different states that are not separated, if there are any; of a
    /// minimal machine there are none. O(states²), O(states) for a complete machine.
    pub fn alike(&self, machine: &Machine) -> Option<(StateId, StateId)> {
        if let Lengths::Complete(partition) = &self.lengths {
            return partition.alike();
        }
        let states = machine.states() as u32;
        let mut pairs = (0..states).flat_map(|a| (0..a).map(move |b| (b, a)));
        let found = pairs.find(|&(a, b)| self.length(a, b) == 0);
        found.map(|(a, b)| (StateId::new(a), StateId::new(b)))
    }

    /// A shortest word that separates two states, the first in the order of
    /// inputs; `None` if there is none.
    pub fn separator(&self, machine: &Machine, a: StateId, b: StateId) -> Option<Vec<InputId>> {
        let mut word = Vec::new();
        self.append(machine, a.get(), b.get(), &mut word)
            .then(|| word.into_iter().map(InputId::new).collect())
    }

    /// Appends such a word; false if there is none.
    pub(super) fn append(&self, machine: &Machine, a: u32, b: u32, word: &mut Vec<u32>) -> bool {
        separating_word(machine, a, b, |a, b| self.length(a, b), word)
    }
}

fn pair(a: u32, b: u32) -> usize {
    let (a, b) = (u64::from(a.max(b)), u64::from(a.min(b)));
    (a * (a - 1) / 2 + b) as usize
}

/// Breadth first from the pairs that one input separates, backwards.
fn pairs(machine: &Machine) -> Vec<u32> {
    let states = machine.states() as u32;
    let inputs = machine.inputs() as u32;
    let mut lengths = vec![0; states as usize * (states as usize).saturating_sub(1) / 2];
    let mut queue = VecDeque::new();
    for a in 0..states {
        for b in 0..a {
            let (of_a, of_b) = (machine.answers_of(a), machine.answers_of(b));
            let differ = |(&x, &y): (&u32, &u32)| x != y && x != NONE && y != NONE;
            if of_a.iter().zip(of_b).any(differ) {
                lengths[pair(a, b)] = 1;
                queue.push_back((a, b));
            }
        }
    }
    // For each input and state the states before.
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); states as usize * inputs as usize];
    for state in 0..states {
        for (input, &target) in machine.targets_of(state).iter().enumerate() {
            if target != NONE {
                before[target as usize * inputs as usize + input].push(state);
            }
        }
    }
    while let Some((a, b)) = queue.pop_front() {
        let length = lengths[pair(a, b)] + 1;
        for input in 0..inputs as usize {
            for &x in &before[a as usize * inputs as usize + input] {
                for &y in &before[b as usize * inputs as usize + input] {
                    // Two states that go to different ones are different.
                    let of_pair = &mut lengths[pair(x, y)];
                    if *of_pair == 0 {
                        *of_pair = length;
                        queue.push_back((x, y));
                    }
                }
            }
        }
    }
    lengths
}
