//! Which states of a machine are told apart, by words of which length.

use hyades_formats::StateId;

use super::machine::{InputId, Machine, NONE};

/// The classes of equivalent states of a complete machine, and for states of
/// different classes the shortest words that separate them.
///
/// Moore's refinement, length by length. Of a class that falls apart the largest
/// part keeps its number, and only predecessors of states that changed their
/// class are looked at again: O(states · inputs · log states) and sorting, however
/// many lengths there are. 40 bytes a state, and 4 a transition.
pub struct Partition {
    /// The class of each state.
    class: Vec<u32>,
    /// Of each class the one it was split from, and the length of the words that
    /// split it. Chains of these are at most log2 states long.
    origin: Vec<(u32, u32)>,
}

impl Partition {
    /// The classes of a machine, which must be complete.
    pub fn new(machine: &Machine) -> Self {
        let states = machine.states() as u32;
        let predecessors = Predecessors::new(machine);
        let mut refined = Refined {
            elements: (0..states).collect(),
            places: (0..states).collect(),
            class: vec![0; states as usize],
            ranges: vec![(0, states)],
            origin: vec![(0, 0)],
        };
        let outputs = |state: u32, key: &mut Vec<u32>| {
            key.extend_from_slice(machine.answers_of(state));
        };
        let mut changed = refined.split((0..states).collect(), 1, outputs);
        let mut length = 1;
        let mut is_changed = vec![false; states as usize];
        while !changed.is_empty() {
            length += 1;
            for &state in &changed {
                is_changed[state as usize] = true;
            }
            let mut touched: Vec<u32> = Vec::new();
            for &state in &changed {
                touched.extend_from_slice(predecessors.of(state));
            }
            touched.sort_unstable();
            touched.dedup();
            let class = refined.class.clone();
            let news = |state: u32, key: &mut Vec<u32>| {
                for (input, &target) in machine.targets_of(state).iter().enumerate() {
                    if is_changed[target as usize] {
                        key.extend([input as u32, class[target as usize]]);
                    }
                }
            };
            let next = refined.split(touched, length, news);
            for &state in &changed {
                is_changed[state as usize] = false;
            }
            changed = next;
        }
        Self {
            class: refined.class,
            origin: refined.origin,
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

/// The predecessors of each state.
struct Predecessors {
    offsets: Vec<u32>,
    sources: Vec<u32>,
}

impl Predecessors {
    fn new(machine: &Machine) -> Self {
        let states = machine.states();
        let mut offsets = vec![0u32; states + 1];
        for state in 0..states as u32 {
            for &target in machine.targets_of(state) {
                offsets[target as usize + 1] += 1;
            }
        }
        for k in 0..states {
            offsets[k + 1] += offsets[k];
        }
        let mut next = offsets.clone();
        let mut sources = vec![0; offsets[states] as usize];
        for state in 0..states as u32 {
            for &target in machine.targets_of(state) {
                sources[next[target as usize] as usize] = state;
                next[target as usize] += 1;
            }
        }
        Self { offsets, sources }
    }

    fn of(&self, state: u32) -> &[u32] {
        let state = state as usize;
        &self.sources[self.offsets[state] as usize..self.offsets[state + 1] as usize]
    }
}

/// A partition that is being refined.
struct Refined {
    /// The states, class after class.
    elements: Vec<u32>,
    /// Where each state is among them.
    places: Vec<u32>,
    class: Vec<u32>,
    ranges: Vec<(u32, u32)>,
    origin: Vec<(u32, u32)>,
}

impl Refined {
    /// Splits classes by the keys of some states, which ascend; the other states
    /// have the empty key. Gives the states whose class is new.
    fn split(
        &mut self,
        touched: Vec<u32>,
        length: u32,
        key: impl Fn(u32, &mut Vec<u32>),
    ) -> Vec<u32> {
        // Class, key and number of each.
        let mut keys: Vec<u32> = Vec::new();
        let mut named: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(touched.len());
        for state in touched {
            let start = keys.len() as u32;
            key(state, &mut keys);
            named.push((self.class[state as usize], start, keys.len() as u32, state));
        }
        let of = |&(_, start, end, _): &(u32, u32, u32, u32)| &keys[start as usize..end as usize];
        named.sort_unstable_by(|a, b| {
            let by_key = || of(a).cmp(of(b));
            a.0.cmp(&b.0).then_with(by_key).then(a.3.cmp(&b.3))
        });
        let mut changed = Vec::new();
        for of_class in named.chunk_by(|a, b| a.0 == b.0) {
            let class = of_class[0].0;
            let (start, end) = self.ranges[class as usize];
            // The touched states first, group by group.
            let mut groups = Vec::new();
            let mut at = start;
            for group in of_class.chunk_by(|a, b| of(a) == of(b)) {
                groups.push((at, at + group.len() as u32));
                for &(.., state) in group {
                    self.place(state, at);
                    at += 1;
                }
            }
            if at < end {
                groups.push((at, end));
            }
            let largest = (0..groups.len()).max_by_key(|&k| {
                let (from, to) = groups[k];
                (to - from, std::cmp::Reverse(k))
            });
            for (k, &(from, to)) in groups.iter().enumerate() {
                if Some(k) == largest {
                    self.ranges[class as usize] = (from, to);
                    continue;
                }
                let new = self.ranges.len() as u32;
                self.ranges.push((from, to));
                self.origin.push((class, length));
                for &state in &self.elements[from as usize..to as usize] {
                    self.class[state as usize] = new;
                    changed.push(state);
                }
            }
        }
        changed
    }

    fn place(&mut self, state: u32, at: u32) {
        let (from, other) = (self.places[state as usize], self.elements[at as usize]);
        self.elements.swap(from as usize, at as usize);
        self.places[other as usize] = from;
        self.places[state as usize] = at;
    }
}
