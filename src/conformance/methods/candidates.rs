//! Words that separate a state from many others.

use std::collections::HashSet;

use super::super::machine::{Machine, NONE};

/// A set of states.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct StateSet(Vec<u64>);

impl StateSet {
    pub(super) fn empty(states: usize) -> Self {
        Self(vec![0; states.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, state: u32) {
        self.0[state as usize / 64] |= 1 << (state % 64);
    }

    pub(super) fn contains(&self, state: u32) -> bool {
        self.0[state as usize / 64] >> (state % 64) & 1 == 1
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|part| part.count_ones() as usize).sum()
    }

    pub(super) fn remove_all(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own &= !other;
        }
    }

    /// How many of these states are in another set.
    pub(super) fn common(&self, other: &Self) -> usize {
        let both = self.0.iter().zip(&other.0).map(|(own, other)| own & other);
        both.map(|part| part.count_ones() as usize).sum()
    }

    /// The first of these states.
    pub(super) fn first(&self) -> Option<u32> {
        let place = self.0.iter().position(|&part| part != 0)?;
        Some(place as u32 * 64 + self.0[place].trailing_zeros())
    }
}

/// A word that separates a state from others.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) word: Vec<u32>,
    pub(super) separated: StateSet,
}

/// A word that is being made longer.
struct Item {
    word: Vec<u32>,
    /// Where it leads from the state.
    at: u32,
    separated: StateSet,
    /// The states that it has not separated, and where it leads from them.
    rest: Vec<(u32, u32)>,
    /// How many states no longer word separates.
    lost: u32,
}

/// What an input does after a word.
struct Step {
    /// What is lost counts double.
    score: u32,
    item: u32,
    input: u32,
    separates: bool,
    goes_on: bool,
}

/// Words that separate a state from others, such that the last input of each
/// separates more; short ones and those that separate many. A beam search: of
/// the words of a length `width` are made longer, those after which the fewest
/// states are left, where states count double that can no more be separated.
/// O(width · inputs · states) a length.
pub(super) fn candidates(machine: &Machine, state: u32, width: usize) -> Vec<Candidate> {
    let states = machine.states();
    let mut found: Vec<Candidate> = Vec::new();
    let others = (0..states as u32).filter(|&other| other != state);
    let mut beam = vec![Item {
        word: Vec::new(),
        at: state,
        separated: StateSet::empty(states),
        rest: others.map(|other| (other, other)).collect(),
        lost: 0,
    }];
    let mut known: HashSet<StateSet, foldhash::fast::RandomState> = HashSet::default();
    let mut steps: Vec<Step> = Vec::new();
    let mut idle = 0;
    let mut enough = false;
    while !beam.is_empty() && idle < 3 && !enough {
        steps.clear();
        for (place, item) in beam.iter().enumerate() {
            for input in 0..machine.inputs() as u32 {
                steps.extend(step(machine, item, place as u32, input));
            }
        }
        steps.sort_unstable_by_key(|step| (step.score, step.item, step.input));
        let mut longer: Vec<Item> = Vec::with_capacity(width);
        let mut news = false;
        for step in &steps {
            let goes_on = step.goes_on && longer.len() < width;
            if !goes_on && !step.separates {
                continue;
            }
            let next = beam[step.item as usize].after(machine, step.input);
            if step.separates && known.insert(next.separated.clone()) {
                news = true;
                // Longer words are not needed where one does all.
                enough |= next.separated.len() + 1 == states;
                found.push(Candidate {
                    word: next.word.clone(),
                    separated: next.separated.clone(),
                });
            }
            let same = |other: &Item| other.at == next.at && other.rest == next.rest;
            if goes_on && !longer.iter().any(same) {
                longer.push(next);
            }
        }
        idle = if news { 0 } else { idle + 1 };
        beam = longer;
    }
    found
}

fn step(machine: &Machine, item: &Item, place: u32, input: u32) -> Option<Step> {
    let (target, answer) = (
        machine.target(item.at, input),
        machine.answer(item.at, input),
    );
    if target == NONE {
        return None;
    }
    let (mut separates, mut rest, mut lost) = (false, 0, item.lost);
    for &(_, at) in &item.rest {
        let to = machine.target(at, input);
        if to == NONE {
            lost += 1;
        } else if machine.answer(at, input) != answer {
            separates = true;
        } else if to == target {
            lost += 1;
        } else {
            rest += 1;
        }
    }
    Some(Step {
        score: rest + 2 * lost,
        item: place,
        input,
        separates,
        goes_on: rest > 0,
    })
}

impl Item {
    fn after(&self, machine: &Machine, input: u32) -> Self {
        let target = machine.target(self.at, input);
        let answer = machine.answer(self.at, input);
        let mut next = Item {
            word: [&self.word[..], &[input]].concat(),
            at: target,
            separated: self.separated.clone(),
            rest: Vec::with_capacity(self.rest.len()),
            lost: self.lost,
        };
        for &(other, at) in &self.rest {
            let to = machine.target(at, input);
            if to == NONE {
                next.lost += 1;
            } else if machine.answer(at, input) != answer {
                next.separated.insert(other);
            } else if to == target {
                next.lost += 1;
            } else {
                next.rest.push((other, to));
            }
        }
        next
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
