//! A beam search for words that separate a state from many others.

use std::ops::Range;

use super::super::machine::{Machine, NONE};
use super::state_set::insert_if;

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
    /// The group that a state has, while those of a word are made.
    group_of: Vec<u32>,
    /// The groups of the word before that are not separated, and the groups that they
    /// go to.
    staying: Vec<(u32, u32)>,
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
    /// The other states that are not separated, by where the word leads from them; word
    /// by word, ordered by the least of them.
    groups: Vec<Group>,
    members: Vec<u32>,
}

/// States that a word leads to one state.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Group {
    /// Which one that is.
    at: u32,
    /// How many they are, and where they end among the members.
    size: u32,
    end: u32,
}

impl Group {
    /// Where its states are among the members.
    fn range(self) -> Range<usize> {
        (self.end - self.size) as usize..self.end as usize
    }
}

#[derive(Clone, Copy)]
struct Item {
    word: u32,
    /// Where the word leads from the state.
    at: u32,
    /// How many states are separated, and how many no longer word separates.
    count: u32,
    lost: u32,
    /// Its groups.
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
        self.groups.clear();
        self.members.clear();
    }

    /// The groups of a word.
    fn groups(&self, item: Item) -> &[Group] {
        &self.groups[item.start as usize..item.end as usize]
    }

    /// Whether two words lead from the same states to the same ones.
    fn is_same(&self, a: Item, b: Item) -> bool {
        let (groups, others) = (self.groups(a), self.groups(b));
        let mut pairs = groups.iter().zip(others);
        a.at == b.at
            && groups.len() == others.len()
            && pairs
                .all(|(a, b)| a.at == b.at && self.members[a.range()] == self.members[b.range()])
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
            group_of: vec![NONE; machine.states()],
            staying: Vec::new(),
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
        layer
            .members
            .extend((0..states).filter(|&other| other != state));
        let ends = layer.members.iter().zip(1..);
        layer
            .groups
            .extend(ends.map(|(&at, end)| Group { at, size: 1, end }));
        layer.items.push(Item {
            word: 0,
            at: state,
            count: 0,
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
        for &Group { at, size, .. } in self.layer.groups(item) {
            let to = self.machine.targets_of(at).iter();
            let steps = to.zip(self.machine.answers_of(at));
            let own = targets.iter().zip(answers);
            let counts = left.iter_mut().zip(&mut *lost).zip(&mut *separates);
            for (((&to, &answer), (&target, &expected)), ((left, lost), separates)) in
                steps.zip(own).zip(counts)
            {
                // Where there is no transition there is no answer.
                let (same, missing) = (answer == expected, to == NONE);
                *left += size * u32::from(same & (to != target));
                *lost += size * u32::from(missing | (same & (to == target)));
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
        let mut count = item.count;
        for &group in self.layer.groups(item) {
            // Which it is nobody can foretell: no branches.
            let differs = machine.target(group.at, input) != NONE
                && machine.answer(group.at, input) != answer;
            let members = self.layer.members[group.range()].iter();
            members.for_each(|&member| insert_if(set, member, differs));
            count += group.size * u32::from(differs);
        }
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
        let longer = &mut self.longer;
        let (first_set, first_member) = (longer.separated.len(), longer.members.len());
        let start = longer.groups.len();
        let before = &self.layer.separated[place * stride..][..stride];
        longer.separated.extend_from_slice(before);
        let set = &mut longer.separated[first_set..];
        let (mut count, mut lost) = (item.count, item.lost);
        let groups = self.layer.groups(item);
        self.staying.clear();
        self.staying.resize(groups.len(), (0, NONE));
        let mut staying = 0;
        for (k, group) in groups.iter().enumerate() {
            // Which it is nobody can foretell: no branches.
            let to = machine.target(group.at, input);
            let differs = to != NONE && machine.answer(group.at, input) != answer;
            let is_lost = !differs && (to == NONE || to == target);
            let members = self.layer.members[group.range()].iter();
            members.for_each(|&member| insert_if(set, member, differs));
            count += group.size * u32::from(differs);
            lost += group.size * u32::from(is_lost);
            self.staying[staying] = (k as u32, to);
            staying += usize::from(!differs & !is_lost);
        }
        self.staying.truncate(staying);
        for (k, to) in &mut self.staying {
            let known = &mut self.group_of[*to as usize];
            if *known == NONE {
                *known = longer.groups.len() as u32;
                longer.groups.push(Group {
                    at: *to,
                    size: 0,
                    end: 0,
                });
            }
            longer.groups[*known as usize].size += groups[*k as usize].size;
            *to = *known;
        }
        let mut end = first_member as u32;
        for group in &mut longer.groups[start..] {
            self.group_of[group.at as usize] = NONE;
            // Where its next member goes.
            group.end = end;
            end += group.size;
        }
        longer.members.resize(end as usize, NONE);
        for &(k, to) in &self.staying {
            let (group, to) = (groups[k as usize], &mut longer.groups[to as usize]);
            let members = &self.layer.members[group.range()];
            longer.members[to.end as usize..][..members.len()].copy_from_slice(members);
            to.end += group.size;
        }
        // In one order, however they came together.
        for group in longer.groups[start..].iter().filter(|group| group.size > 1) {
            longer.members[group.range()].sort_unstable();
        }
        let next = Item {
            word: self.words.len() as u32,
            at: target,
            count,
            lost,
            start: start as u32,
            end: longer.groups.len() as u32,
        };
        if longer
            .items
            .iter()
            .any(|&other| longer.is_same(other, next))
        {
            longer.separated.truncate(first_set);
            longer.groups.truncate(start);
            longer.members.truncate(first_member);
            return;
        }
        self.words.push((item.word, input));
        longer.items.push(next);
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
