//! A beam search for words that separate a state from many others.

use super::super::machine::{Machine, NONE};
use super::successor_tree::SuccessorTree;

/// So many lengths without anything new end a search.
const IDLE: u32 = 3;

/// A tree of so many numbers is given up for a new one: 16 MiB.
const LARGE: usize = 1 << 22;

/// Searches words that separate a state from others, such that the last input of
/// each separates more; short ones and those that separate many. Of the words of a
/// length `width` are made longer, those after which the fewest states are left,
/// where states count double that can no more be separated.
///
/// What words do is kept from one search to the next, in a [`SuccessorTree`]. O(width · inputs) a
/// length where it is known, O(width · inputs · states) at most.
pub(super) struct Beam<'a> {
    machine: &'a Machine,
    width: usize,
    tree: SuccessorTree<'a>,
    layer: Vec<Item>,
    longer: Vec<Item>,
    tally: Tally,
    /// Inputs after words, the best first.
    steps: Vec<Step>,
    /// Words that were made longer: the word before, and the last input.
    words: Vec<(u32, u32)>,
    found: Vec<Found>,
    /// The searches so far, and the last one in which each set of states was found.
    searches: u32,
    found_in: Vec<u32>,
}

/// A word that is to be made longer, and the group of the state after it.
#[derive(Clone, Copy)]
struct Item {
    word: u32,
    group: u32,
}

/// What inputs do after a word: how many states are left, how many are lost, and
/// whether any are separated.
#[derive(Default)]
struct Tally {
    left: Vec<u32>,
    lost: Vec<u32>,
    separates: Vec<u32>,
}

/// An input after a word: in the upper half the number of states that are left, and twice that
/// of those lost, in the lower one the number of both; whether it separates states, and whether
/// any are left.
type Step = (u64, bool, bool);

/// A word that separates: one that was made longer, and an input.
struct Found {
    before: u32,
    input: u32,
    length: u32,
    count: u32,
    separated: u32,
}

impl<'a> Beam<'a> {
    pub(super) fn new(machine: &'a Machine, width: usize) -> Self {
        Self {
            machine,
            width,
            tree: SuccessorTree::new(machine),
            layer: Vec::new(),
            longer: Vec::new(),
            tally: Tally::default(),
            steps: Vec::new(),
            words: Vec::new(),
            found: Vec::new(),
            searches: 0,
            found_in: Vec::new(),
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
        set.extend_from_slice(self.tree.set(found.separated));
        found.count
    }

    /// Searches words for a state.
    pub(super) fn search(&mut self, state: u32) {
        if self.tree.size() > LARGE {
            self.tree.clear();
            self.found_in.clear();
        }
        self.searches += 1;
        self.words.clear();
        self.words.push((NONE, NONE));
        self.found.clear();
        self.layer.clear();
        self.layer.push(Item {
            word: 0,
            group: state,
        });
        let inputs = self.machine.inputs() as u32;
        let (mut length, mut idle, mut enough) = (0, 0, false);
        while !self.layer.is_empty() && idle < IDLE && !enough {
            length += 1;
            self.steps.clear();
            for place in 0..self.layer.len() {
                self.steps_after(place);
            }
            self.steps.sort_unstable_by_key(|step| step.0);
            self.longer.clear();
            let before = self.found.len();
            for k in 0..self.steps.len() {
                let (key, separates, left) = self.steps[k];
                let number = key as u32;
                let (item, input) = (self.layer[(number / inputs) as usize], number % inputs);
                let goes_on = left && self.longer.len() < self.width;
                // What follows is not looked at where nobody needs it.
                if separates || goes_on {
                    let group = self.tree.next(item.group, input);
                    if separates {
                        enough |= self.find(item, input, group, length);
                    }
                    if goes_on {
                        self.go_on(item, input, group);
                    }
                }
            }
            idle = match self.found.len() > before {
                true => 0,
                false => idle + 1,
            };
            std::mem::swap(&mut self.layer, &mut self.longer);
        }
    }

    /// Lists all inputs after a word.
    fn steps_after(&mut self, place: usize) {
        let Item { group, .. } = self.layer[place];
        let (own, node) = (self.tree.group(group), self.tree.node(group));
        let is_known = self.tree.knows_all(group);
        if !is_known {
            self.tally(group);
        }
        let targets = self.machine.targets_of(own.at);
        for (input, _) in targets.iter().enumerate().filter(|(_, to)| **to != NONE) {
            let (left, lost, separates) = match is_known {
                true => {
                    let next = self.tree.known_next(group, input as u32);
                    let next = next.expect("all is known");
                    let (to, node_after) = (self.tree.group(next), self.tree.node(next));
                    let left = node_after.states - to.size;
                    let separates = self.count(next) > self.count(group);
                    (left, to.size + node_after.stuck, separates)
                }
                false => {
                    let Tally {
                        left,
                        lost,
                        separates,
                    } = &self.tally;
                    let lost = node.stuck + lost[input];
                    (left[input], lost, separates[input] > 0)
                }
            };
            // The state itself is not lost.
            let worth = u64::from(left + 2 * (lost - 1));
            let number = place * targets.len() + input;
            self.steps
                .push((worth << 32 | number as u64, separates, left > 0));
        }
    }

    /// Counts what all inputs do after a word that has led to a group.
    fn tally(&mut self, group: u32) {
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
        let own = self.tree.group(group).at;
        let (targets, answers) = (self.machine.targets_of(own), self.machine.answers_of(own));
        for other in self.tree.groups_beside(group) {
            let to = self.machine.targets_of(other.at).iter();
            let steps = to.zip(self.machine.answers_of(other.at));
            let own = targets.iter().zip(answers);
            let counts = left.iter_mut().zip(&mut *lost).zip(&mut *separates);
            for (((&to, &answer), (&target, &expected)), ((left, lost), separates)) in
                steps.zip(own).zip(counts)
            {
                // Where there is no transition there is no answer.
                let (same, missing) = (answer == expected, to == NONE);
                *left += other.size * u32::from(same & (to != target));
                *lost += other.size * u32::from(missing | (same & (to == target)));
                *separates |= u32::from(!same & !missing);
            }
        }
    }

    /// How many states a word separates that leads to a group.
    fn count(&self, group: u32) -> u32 {
        let node = self.tree.node(group);
        self.machine.states() as u32 - node.states - node.stuck
    }

    /// Keeps a word that separates what none has before; gives whether it separates all.
    fn find(&mut self, item: Item, input: u32, group: u32, length: u32) -> bool {
        let count = self.count(group);
        let separated = self.tree.node(group).separated;
        if self.found_in.len() <= separated as usize {
            self.found_in.resize(separated as usize + 1, 0);
        }
        let last = &mut self.found_in[separated as usize];
        if *last == self.searches {
            return false;
        }
        *last = self.searches;
        self.found.push(Found {
            before: item.word,
            input,
            length,
            count,
            separated,
        });
        count as usize + 1 == self.machine.states()
    }

    /// Lets a word be made longer, unless another does the same.
    fn go_on(&mut self, item: Item, input: u32, group: u32) {
        let tree = &self.tree;
        let is_same = |other: &Item| {
            tree.group(other.group).at == tree.group(group).at
                && tree.is_same_beside(other.group, group)
        };
        if !self.longer.iter().any(is_same) {
            self.longer.push(Item {
                word: self.words.len() as u32,
                group,
            });
            self.words.push((item.word, input));
        }
    }
}
