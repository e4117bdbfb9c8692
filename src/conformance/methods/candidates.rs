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

/// A word, the states that it separates, and how many they are.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'c> {
    pub(super) word: &'c [u32],
    pub(super) separated: &'c [u64],
    pub(super) count: u32,
}

impl Candidate<'_> {
    /// The length of the word.
    pub(super) fn length(&self) -> u64 {
        self.word.len() as u64
    }
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

    pub(super) fn get(&self, k: usize) -> Candidate<'_> {
        let start = k.checked_sub(1).map_or(0, |before| self.ends[before]);
        Candidate {
            word: &self.inputs[start as usize..self.ends[k] as usize],
            separated: &self.separated[k * self.stride..][..self.stride],
            count: self.counts[k],
        }
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

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.searched.len() + self.others.len()
    }

    /// Of these, how many were searched: the first ones.
    pub(super) fn searched(&self) -> usize {
        self.searched.len()
    }

    pub(super) fn get(&self, k: usize) -> Candidate<'_> {
        match k.checked_sub(self.searched.len()) {
            None => self.searched.get(k),
            Some(k) => self.others.get(k),
        }
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
