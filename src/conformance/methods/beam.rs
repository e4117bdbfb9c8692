//! A beam search for words that separate a state from many others.

use super::super::machine::{Machine, NONE};
use super::state_set::insert;

/// So many lengths without anything new end a search.
const IDLE: u32 = 3;

/// Searches words that separate a state from others, such that the last input of
/// each separates more; short ones and those that separate many. Of the words of a
/// length `width` are made longer, those after which the fewest states are left,
/// where states count double that can no more be separated. States that a word
/// leads to one state are looked at as one: O(width · inputs · states) a length at
/// most.
///
/// The memory of a search is used for the next one.
pub(super) struct Beam<'a> {
    machine: &'a Machine,
    width: usize,
    /// The numbers of a set of states.
    stride: usize,
    layer: Layer,
    longer: Layer,
    tally: Tally,
    /// Inputs after words, the best first: see [`Step`].
    steps: Vec<Step>,
    /// Where a state is among those of a word, while these are made.
    slots: Vec<u32>,
    /// Words that were made longer: the word before, and the last input.
    words: Vec<(u32, u32)>,
    found: Vec<Found>,
    /// What each of those found separates.
    separated: Vec<u64>,
    known: Known,
}

/// A word that separates: one that was made longer, and an input.
struct Found {
    before: u32,
    input: u32,
    length: u32,
    count: u32,
}

/// Words of one length that are to be made longer.
#[derive(Default)]
struct Layer {
    items: Vec<Item>,
    /// What is separated by each.
    separated: Vec<u64>,
    /// Where they lead from other states that are not separated, and which these
    /// are; word by word, ordered by the least of them.
    at: Vec<u32>,
    members: Vec<u64>,
}

#[derive(Clone, Copy)]
struct Item {
    word: u32,
    /// Where the word leads from the state.
    at: u32,
    /// How many states no longer word separates.
    lost: u32,
    /// Where it leads from others.
    start: u32,
    end: u32,
}

/// What inputs do after a word: how many states are left, how many are lost, and
/// whether any are separated.
#[derive(Default)]
struct Tally {
    left: Vec<u32>,
    lost: Vec<u32>,
    separates: Vec<u32>,
}

/// An input after a word: what is left, and what is lost twice; the number of both;
/// whether it separates states and whether any are left.
type Step = (u32, u32, bool, bool);

impl Layer {
    fn clear(&mut self) {
        self.items.clear();
        self.separated.clear();
        self.at.clear();
        self.members.clear();
    }
}

impl<'a> Beam<'a> {
    pub(super) fn new(machine: &'a Machine, width: usize) -> Self {
        Self {
            machine,
            width,
            stride: machine.states().div_ceil(64),
            layer: Layer::default(),
            longer: Layer::default(),
            tally: Tally::default(),
            steps: Vec::new(),
            slots: vec![NONE; machine.states()],
            words: Vec::new(),
            found: Vec::new(),
            separated: Vec::new(),
            known: Known::default(),
        }
    }

    /// Numbers, lengths and how many states they separate of the words that were
    /// found last.
    pub(super) fn found(&self) -> impl Iterator<Item = (usize, u32, u32)> + '_ {
        let numbered = self.found.iter().enumerate();
        numbered.map(|(k, found)| (k, found.length, found.count))
    }

    /// Appends a word and the set that it separates; gives how large that is.
    pub(super) fn append(&self, k: usize, word: &mut Vec<u32>, set: &mut Vec<u64>) -> u32 {
        let found = &self.found[k];
        let start = word.len();
        word.push(found.input);
        let mut at = found.before;
        while at != 0 {
            let (before, input) = self.words[at as usize];
            word.push(input);
            at = before;
        }
        word[start..].reverse();
        set.extend_from_slice(&self.separated[k * self.stride..][..self.stride]);
        found.count
    }

    /// Searches words for a state.
    pub(super) fn search(&mut self, state: u32) {
        self.start(state);
        let (mut length, mut idle, mut enough) = (0, 0, false);
        while !self.layer.items.is_empty() && idle < IDLE && !enough {
            length += 1;
            self.steps.clear();
            for place in 0..self.layer.items.len() {
                self.steps_after(place);
            }
            self.steps.sort_unstable();
            self.longer.clear();
            let before = self.found.len();
            for k in 0..self.steps.len() {
                let (_, number, separates, left) = self.steps[k];
                let inputs = self.machine.inputs() as u32;
                let (place, input) = (number / inputs, number % inputs);
                let goes_on = left && self.longer.items.len() < self.width;
                if separates {
                    enough |= self.find(place as usize, input, length);
                }
                if goes_on {
                    self.go_on(place as usize, input);
                }
            }
            idle = if self.found.len() > before {
                0
            } else {
                idle + 1
            };
            std::mem::swap(&mut self.layer, &mut self.longer);
        }
    }

    /// The empty word.
    fn start(&mut self, state: u32) {
        let states = self.machine.states() as u32;
        self.words.clear();
        self.words.push((NONE, NONE));
        self.found.clear();
        self.separated.clear();
        self.known.clear();
        let layer = &mut self.layer;
        layer.clear();
        layer.separated.resize(self.stride, 0);
        layer.at.extend((0..states).filter(|&other| other != state));
        layer.members.resize(layer.at.len() * self.stride, 0);
        for (k, &other) in layer.at.iter().enumerate() {
            insert(&mut layer.members[k * self.stride..], other);
        }
        layer.items.push(Item {
            word: 0,
            at: state,
            lost: 0,
            start: 0,
            end: states - 1,
        });
    }

    /// Looks at all inputs after a word.
    fn steps_after(&mut self, place: usize) {
        let item = self.layer.items[place];
        let inputs = self.machine.inputs();
        let Tally {
            left,
            lost,
            separates,
        } = &mut self.tally;
        for counts in [&mut *left, &mut *lost, &mut *separates] {
            counts.clear();
            counts.resize(inputs, 0);
        }
        let (targets, answers) = (
            self.machine.targets_of(item.at),
            self.machine.answers_of(item.at),
        );
        for k in item.start as usize..item.end as usize {
            let members = &self.layer.members[k * self.stride..][..self.stride];
            let weight: u32 = members.iter().map(|part| part.count_ones()).sum();
            let at = self.layer.at[k];
            let to = self.machine.targets_of(at).iter();
            let steps = to.zip(self.machine.answers_of(at));
            let own = targets.iter().zip(answers);
            let counts = left.iter_mut().zip(&mut *lost).zip(&mut *separates);
            for (((&to, &answer), (&target, &expected)), ((left, lost), separates)) in
                steps.zip(own).zip(counts)
            {
                // Where there is no transition there is no answer.
                let (same, missing) = (answer == expected, to == NONE);
                *left += weight * u32::from(same & (to != target));
                *lost += weight * u32::from(missing | (same & (to == target)));
                *separates |= u32::from(!same & !missing);
            }
        }
        for (input, &target) in targets.iter().enumerate() {
            if target != NONE {
                self.steps.push((
                    left[input] + 2 * (item.lost + lost[input]),
                    (place * inputs + input) as u32,
                    separates[input] > 0,
                    left[input] > 0,
                ));
            }
        }
    }

    /// Keeps a word that separates if it separates what none has before; gives
    /// whether it separates all.
    fn find(&mut self, place: usize, input: u32, length: u32) -> bool {
        let item = self.layer.items[place];
        let (machine, stride) = (self.machine, self.stride);
        let answer = machine.answer(item.at, input);
        let start = self.separated.len();
        let before = &self.layer.separated[place * stride..][..stride];
        self.separated.extend_from_slice(before);
        let set = &mut self.separated[start..];
        for k in item.start as usize..item.end as usize {
            let at = self.layer.at[k];
            if machine.target(at, input) != NONE && machine.answer(at, input) != answer {
                let members = &self.layer.members[k * stride..][..stride];
                unite(set, members);
            }
        }
        let count = set.iter().map(|part| part.count_ones()).sum();
        if !self.known.insert(&self.separated, stride) {
            self.separated.truncate(start);
            return false;
        }
        self.found.push(Found {
            before: item.word,
            input,
            length,
            count,
        });
        count as usize + 1 == machine.states()
    }

    /// Lets a word be made longer, unless another does the same.
    fn go_on(&mut self, place: usize, input: u32) {
        let item = self.layer.items[place];
        let (machine, stride) = (self.machine, self.stride);
        let (target, answer) = (
            machine.target(item.at, input),
            machine.answer(item.at, input),
        );
        let number = self.longer.items.len();
        let start = self.longer.at.len();
        let mut lost = item.lost;
        let before = &self.layer.separated[place * stride..][..stride];
        self.longer.separated.extend_from_slice(before);
        for k in item.start as usize..item.end as usize {
            let members = &self.layer.members[k * stride..][..stride];
            let at = self.layer.at[k];
            let to = machine.target(at, input);
            let same = machine.answer(at, input) == answer;
            if to != NONE && !same {
                unite(&mut self.longer.separated[number * stride..], members);
            } else if to == NONE || to == target {
                lost += members.iter().map(|part| part.count_ones()).sum::<u32>();
            } else if self.slots[to as usize] == NONE {
                self.slots[to as usize] = self.longer.at.len() as u32;
                self.longer.at.push(to);
                self.longer.members.extend_from_slice(members);
            } else {
                let slot = self.slots[to as usize] as usize;
                unite(&mut self.longer.members[slot * stride..], members);
            }
        }
        let end = self.longer.at.len();
        for &to in &self.longer.at[start..] {
            self.slots[to as usize] = NONE;
        }
        let Layer {
            items, at, members, ..
        } = &self.longer;
        let range =
            |start: usize, end: usize| (&at[start..end], &members[start * stride..end * stride]);
        let same = |other: &Item| {
            other.at == target
                && range(other.start as usize, other.end as usize) == range(start, end)
        };
        if items.iter().any(same) {
            self.longer.separated.truncate(number * stride);
            self.longer.at.truncate(start);
            self.longer.members.truncate(start * stride);
            return;
        }
        let word = self.words.len() as u32;
        self.words.push((item.word, input));
        self.longer.items.push(Item {
            word,
            at: target,
            lost,
            start: start as u32,
            end: end as u32,
        });
    }
}

fn unite(set: &mut [u64], others: &[u64]) {
    for (own, other) in set.iter_mut().zip(others) {
        *own |= other;
    }
}

/// Numbers of sets, by what is in them: half of the places are free at least.
#[derive(Default)]
struct Known {
    places: Vec<u32>,
    count: usize,
}

impl Known {
    fn clear(&mut self) {
        self.places.fill(NONE);
        self.count = 0;
    }

    /// Takes the last of some sets as the next one, if none is the same.
    fn insert(&mut self, sets: &[u64], stride: usize) -> bool {
        if self.places.len() < 2 * (self.count + 1) {
            let count = std::mem::take(&mut self.count);
            self.places.clear();
            self.places
                .resize((4 * (count + 1)).next_power_of_two().max(64), NONE);
            for k in 0..count {
                self.insert(&sets[..(k + 1) * stride], stride);
            }
        }
        let new = &sets[self.count * stride..];
        let hash = new.iter().fold(0u64, |hash, &part| {
            // Fibonacci hashing.
            (hash ^ part)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .rotate_left(32)
        });
        let mut at = hash as usize % self.places.len();
        while self.places[at] != NONE {
            let k = self.places[at] as usize;
            if sets[k * stride..][..stride] == *new {
                return false;
            }
            at = (at + 1) % self.places.len();
        }
        self.places[at] = self.count as u32;
        self.count += 1;
        true
    }
}
