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
/// What words do is kept from one search to the next. O(width · inputs) a length, and what the
/// [`SuccessorTree`] takes: O(width · inputs · states) at most, if nothing is known.
pub(super) struct Beam<'a> {
    machine: &'a Machine,
    width: usize,
    tree: SuccessorTree<'a>,
    layer: Vec<Item>,
    longer: Vec<Item>,
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

/// An input after a word: in the upper half the number of states that are left, and twice that
/// of those lost, in the lower one the number of both; and the group that it leads to.
type Step = (u64, u32);

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
            self.tree = SuccessorTree::new(self.machine);
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
            for (place, item) in self.layer.iter().enumerate() {
                self.tree.extend(self.tree.group(item.group).node);
                for input in 0..inputs {
                    let group = self.tree.next(item.group, input);
                    if group != NONE {
                        let number = place as u32 * inputs + input;
                        let key = u64::from(self.left(group)) << 32 | u64::from(number);
                        self.steps.push((key, group));
                    }
                }
            }
            self.steps.sort_unstable_by_key(|step| step.0);
            self.longer.clear();
            let before = self.found.len();
            for k in 0..self.steps.len() {
                let (key, group) = self.steps[k];
                let number = key as u32;
                let item = self.layer[(number / inputs) as usize];
                enough |= self.find(item, number % inputs, group, length);
                self.go_on(item, number % inputs, group);
            }
            idle = match self.found.len() > before {
                true => 0,
                false => idle + 1,
            };
            std::mem::swap(&mut self.layer, &mut self.longer);
        }
    }

    /// How many states are left where a word has led to a group, and twice those that no longer
    /// word separates from its first one.
    fn left(&self, group: u32) -> u32 {
        let node = self.tree.node(group);
        node.states + self.tree.group(group).size - 2 + 2 * node.stuck
    }

    /// How many states a word separates that leads to a group.
    fn count(&self, group: u32) -> u32 {
        let node = self.tree.node(group);
        self.machine.states() as u32 - node.states - node.stuck
    }

    /// Keeps a word that separates if it separates what none has before; gives
    /// whether it separates all.
    fn find(&mut self, item: Item, input: u32, group: u32, length: u32) -> bool {
        let count = self.count(group);
        if count == self.count(item.group) {
            return false;
        }
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

    /// Lets a word be made longer, unless enough are or another does the same.
    fn go_on(&mut self, item: Item, input: u32, group: u32) {
        let (tree, longer) = (&self.tree, &self.longer);
        let is_same = |other: &Item| {
            tree.group(other.group).at == tree.group(group).at
                && tree.is_same_beside(other.group, group)
        };
        let left = tree.node(group).states - tree.group(group).size;
        if left > 0 && longer.len() < self.width && !longer.iter().any(is_same) {
            self.longer.push(Item {
                word: self.words.len() as u32,
                group,
            });
            self.words.push((item.word, input));
        }
    }
}
