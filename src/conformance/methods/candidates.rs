//! Words that separate a state from many others.

use super::super::machine::{Machine, NONE};
use super::beam::Beam;
use super::state_set::insert;

/// Words that separate a state from others, each with the set of those that it
/// does: all in a few pieces of memory, for there are many.
#[derive(Clone, Debug)]
pub(super) struct Candidates {
    inputs: Vec<u32>,
    /// Where each word ends among the inputs.
    ends: Vec<u32>,
    /// The sets, one after the other.
    separated: Vec<u64>,
    /// How large they are.
    counts: Vec<u32>,
    /// The numbers of a set.
    stride: usize,
}

impl Candidates {
    pub(super) fn new(states: usize) -> Self {
        Self {
            inputs: Vec::new(),
            ends: Vec::new(),
            separated: Vec::new(),
            counts: Vec::new(),
            stride: states.div_ceil(64),
        }
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn word(&self, k: usize) -> &[u32] {
        let start = k.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.inputs[start as usize..self.ends[k] as usize]
    }

    /// The length of a word.
    pub(super) fn length(&self, k: usize) -> u32 {
        self.ends[k] - k.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// The states that a word separates.
    pub(super) fn separated(&self, k: usize) -> &[u64] {
        &self.separated[k * self.stride..][..self.stride]
    }

    /// How many they are.
    pub(super) fn count(&self, k: usize) -> u32 {
        self.counts[k]
    }

    /// Adds a word for a state.
    pub(super) fn push(&mut self, machine: &Machine, state: u32, word: &[u32]) {
        let start = self.separated.len();
        self.separated.resize(start + self.stride, 0);
        let set = &mut self.separated[start..];
        for other in 0..machine.states() as u32 {
            if separates(machine, state, other, word).is_some() {
                insert(set, other);
            }
        }
        self.counts
            .push(set.iter().map(|part| part.count_ones()).sum());
        self.inputs.extend_from_slice(word);
        self.ends.push(self.inputs.len() as u32);
    }

    /// The best of what a search has found, at most so many: those that separate
    /// most for what they cost.
    pub(super) fn best_of(beam: &Beam, states: usize, most: usize) -> Self {
        let mut own = Self::new(states);
        // Of the same worth the first.
        let mut order: Vec<u64> = beam
            .found()
            .map(|(k, length, count)| {
                let worth = u64::from(count) * 1000 / (u64::from(length) + 4);
                (u64::from(u32::MAX) - worth) << 32 | k as u64
            })
            .collect();
        order.sort_unstable();
        order.truncate(most);
        own.ends.reserve(order.len());
        own.counts.reserve(order.len());
        own.separated.reserve(order.len() * own.stride);
        for k in order {
            let count = beam.append(k as u32 as usize, &mut own.inputs, &mut own.separated);
            own.counts.push(count);
            own.ends.push(own.inputs.len() as u32);
        }
        own
    }
}

/// Words that were searched for a state, and others after them.
#[derive(Clone, Debug)]
pub(super) struct Extended<'s> {
    searched: &'s Candidates,
    others: Candidates,
}

impl<'s> Extended<'s> {
    pub(super) fn new(searched: &'s Candidates, states: usize) -> Self {
        Self {
            searched,
            others: Candidates::new(states),
        }
    }

    /// Where a word is.
    fn place(&self, k: usize) -> (&Candidates, usize) {
        match k.checked_sub(self.searched.len()) {
            None => (self.searched, k),
            Some(k) => (&self.others, k),
        }
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.searched.len() + self.others.len()
    }

    pub(super) fn word(&self, k: usize) -> &[u32] {
        let (words, k) = self.place(k);
        words.word(k)
    }

    /// The length of a word.
    pub(super) fn length(&self, k: usize) -> u32 {
        let (words, k) = self.place(k);
        words.length(k)
    }

    /// The states that a word separates.
    pub(super) fn separated(&self, k: usize) -> &[u64] {
        let (words, k) = self.place(k);
        words.separated(k)
    }

    /// How many they are.
    pub(super) fn count(&self, k: usize) -> u32 {
        let (words, k) = self.place(k);
        words.count(k)
    }

    /// Adds a word for a state.
    pub(super) fn push(&mut self, machine: &Machine, state: u32, word: &[u32]) {
        self.others.push(machine, state, word);
    }
}

/// The length of the shortest prefix of a word that separates two states which
/// both have it.
pub(super) fn separates(machine: &Machine, a: u32, b: u32, word: &[u32]) -> Option<usize> {
    let (mut a, mut b) = (a, b);
    for (k, &input) in word.iter().enumerate() {
        let (to_a, to_b) = (machine.target(a, input), machine.target(b, input));
        if to_a == to_b || to_a == NONE || to_b == NONE {
            let both = to_a != NONE && to_b != NONE;
            let differ = both && machine.answer(a, input) != machine.answer(b, input);
            return differ.then_some(k + 1);
        }
        if machine.answer(a, input) != machine.answer(b, input) {
            return Some(k + 1);
        }
        (a, b) = (to_a, to_b);
    }
    None
}
