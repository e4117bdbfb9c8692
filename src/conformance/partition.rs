//! Which states of a machine are told apart, by words of which length.

use hyades_base::grouped::Grouped;
use hyades_base::interned::Interned;
use hyades_equivalence::Refinable;
use hyades_formats::StateId;

use super::machine::{InputId, Machine, NONE};

/// The classes of equivalent states of a complete machine, and for states of
/// different classes the shortest words that separate them.
///
/// Moore's refinement, length by length. Of a class that falls apart the largest
/// part keeps its number, and only predecessors of states that changed their
/// class are looked at again: O(states · inputs · log states), however many lengths
/// there are. 48 bytes a state, and 4 a transition.
#[derive(Debug)]
pub struct StatePartition {
    /// The class of each state.
    class: Vec<u32>,
    /// Of each class the one it was split from, and the length of the words that
    /// split it. Chains of these are at most log2 states long.
    origin: Vec<(u32, u32)>,
}

impl StatePartition {
    /// The classes of a machine, which must be complete.
    pub fn new(machine: &Machine) -> Self {
        let states = machine.states() as u32;
        let steps = |state| machine.targets_of(state).iter().map(move |&t| (t, state));
        let predecessors = Grouped::new(states as usize, (0..states).flat_map(steps));
        let mut classes = Refinable::new(vec![0; states as usize], &[states]);
        let mut origin = vec![(0, 0)];
        // States that changed their class, and those to be looked at for that; of these
        // what they do that is new, and its number.
        let (mut changed, mut touched) = (Vec::new(), (0..states).collect::<Vec<_>>());
        let mut is_changed = vec![false; states as usize];
        let (mut key, mut number) = (Vec::new(), vec![0; states as usize]);
        for length in 1.. {
            touched.retain(|&state| classes.mark(state));
            let mut keys = Interned::default();
            for &state in &touched {
                key.clear();
                match length {
                    1 => key.extend_from_slice(machine.answers_of(state)),
                    _ => {
                        let targets = (0..).zip(machine.targets_of(state));
                        let new = targets.filter(|(_, target)| is_changed[**target as usize]);
                        let class = |target: u32| classes.blocks()[target as usize];
                        key.extend(new.flat_map(|(input, &target)| [input, class(target)]));
                    }
                }
                number[state as usize] = u64::from(keys.intern(&key).0);
            }
            for &state in &changed {
                is_changed[state as usize] = false;
            }
            changed.clear();
            for class in classes.take_touched() {
                let marked = classes.marked(class).iter();
                let mut keyed: Vec<_> = marked.map(|&s| (number[s as usize], s)).collect();
                // Nothing that other states do is new.
                let rest = classes.unmarked(class).map(|_| u64::MAX);
                classes.split(class, &mut keyed, rest, &mut changed);
                origin.resize(classes.count(), (class, length));
            }
            if changed.is_empty() {
                break;
            }
            touched.clear();
            for &state in &changed {
                is_changed[state as usize] = true;
                touched.extend_from_slice(predecessors.of(state));
            }
        }
        Self {
            class: classes.blocks().to_vec(),
            origin,
        }
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.origin.len()
    }

    /// Whether there are none, which a machine without states has.
    pub fn is_empty(&self) -> bool {
        self.class.is_empty()
    }

    /// Two different states that are equivalent, if there are any. O(states).
    pub fn alike(&self) -> Option<(StateId, StateId)> {
        let mut first = vec![None; self.len()];
        let mut states = (0..).map(StateId::new).zip(&self.class);
        states.find_map(|(state, &class)| Some((first[class as usize].replace(state)?, state)))
    }

    /// The class of a state, from 0.
    pub fn class(&self, state: StateId) -> u32 {
        self.class[state.index()]
    }

    /// The length of the shortest words that separate two states; `None` if they
    /// are equivalent. O(log states).
    pub fn distance(&self, a: StateId, b: StateId) -> Option<u32> {
        let length = self.length(a.get(), b.get());
        (length > 0).then_some(length)
    }

    /// The same, 0 for equivalent states.
    pub(super) fn length(&self, a: u32, b: u32) -> u32 {
        let (mut a, mut b) = (self.class[a as usize], self.class[b as usize]);
        let mut length = 0;
        while a != b {
            let (of_a, of_b) = (self.origin[a as usize], self.origin[b as usize]);
            // What was split last was the same before.
            if of_a.1 > of_b.1 || (of_a.1 == of_b.1 && a > b) {
                (a, length) = of_a;
            } else {
                (b, length) = of_b;
            }
        }
        length
    }

    /// A number for each state: the same for those that no word of at most this length separates.
    /// O(states · log states).
    pub(super) fn within(&self, length: u32) -> Vec<u32> {
        let alike = |&class: &u32| {
            let mut class = class;
            while self.origin[class as usize].1 > length {
                class = self.origin[class as usize].0;
            }
            class
        };
        self.class.iter().map(alike).collect()
    }

    /// The length of the shortest words such that words of this length separate
    /// all states that are not equivalent.
    pub fn depth(&self) -> u32 {
        self.origin
            .iter()
            .map(|&(_, length)| length)
            .max()
            .unwrap_or(0)
    }

    /// A shortest word that separates two states, the first in the order of
    /// inputs; `None` if they are equivalent. O(length · inputs · log states).
    pub fn separator(&self, machine: &Machine, a: StateId, b: StateId) -> Option<Vec<InputId>> {
        let mut word = Vec::new();
        separating_word(
            machine,
            a.get(),
            b.get(),
            |a, b| self.length(a, b),
            &mut word,
        )
        .then(|| word.into_iter().map(InputId::new).collect())
    }
}

/// Appends the first shortest word that separates two states, where `length` tells
/// how long such words are for pairs of states, 0 where there are none; false if
/// there is none.
pub(super) fn separating_word(
    machine: &Machine,
    mut a: u32,
    mut b: u32,
    length: impl Fn(u32, u32) -> u32,
    word: &mut Vec<u32>,
) -> bool {
    let mut left = length(a, b);
    if left == 0 {
        return false;
    }
    while left > 1 {
        let (of_a, of_b) = (machine.targets_of(a), machine.targets_of(b));
        let input = (0..of_a.len())
            .find(|&input| {
                let (a, b) = (of_a[input], of_b[input]);
                a != NONE && b != NONE && (1..left).contains(&length(a, b))
            })
            .expect("some input leads to states that are separated earlier");
        word.push(input as u32);
        (a, b) = (of_a[input], of_b[input]);
        left -= 1;
    }
    let (of_a, of_b) = (machine.answers_of(a), machine.answers_of(b));
    let input = (0..of_a.len())
        .find(|&input| of_a[input] != of_b[input] && of_a[input] != NONE && of_b[input] != NONE)
        .expect("one input separates them");
    word.push(input as u32);
    true
}
