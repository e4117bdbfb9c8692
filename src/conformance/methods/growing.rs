//! A test tree to which words are added where they cost least.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::machine::{InputId, Machine, NONE};
use super::super::tree::{NodeId, TestTree};
use super::separators::Separators;

/// How many pairs of nodes are looked at for the cheapest word that separates
/// two.
const LOOKED_AT: usize = 400;

/// A test tree that grows. A place is a node by its number; [`NONE`] is none.
pub(super) struct Growing<'a> {
    pub(super) machine: &'a Machine,
    separators: &'a Separators,
    tree: TestTree,
    /// Nodes whose children all exist have a row, where the children are.
    row_of: Vec<u32>,
    rows: Vec<u32>,
}

/// A pair of places that a common word leads to.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    cost: Reverse<u64>,
    /// The word: its last input, and the pair before in the list of those that
    /// were looked at.
    input: u32,
    before: u32,
    places: (u32, u32),
    states: (u32, u32),
}

impl<'a> Growing<'a> {
    pub(super) fn new(machine: &'a Machine, separators: &'a Separators) -> Self {
        Self {
            machine,
            separators,
            tree: TestTree::new(machine),
            row_of: vec![NONE],
            rows: Vec::new(),
        }
    }

    pub(super) fn into_tree(self) -> TestTree {
        self.tree
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.tree.len()
    }

    pub(super) fn state(&self, place: u32) -> u32 {
        self.tree.state(NodeId(place)).get()
    }

    pub(super) fn depth(&self, place: u32) -> u32 {
        self.tree.depth(NodeId(place))
    }

    pub(super) fn parent(&self, place: u32) -> u32 {
        self.tree
            .parent(NodeId(place))
            .map_or(NONE, |parent| parent.0.0)
    }

    pub(super) fn is_leaf(&self, place: u32) -> bool {
        self.tree.is_leaf(NodeId(place))
    }

    /// The inputs that go on, and where they lead.
    pub(super) fn children(&self, place: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let children = self.tree.children(NodeId(place));
        children.map(|(input, child)| (input.get(), child.0))
    }

    /// Where an input leads, or [`NONE`].
    pub(super) fn next(&self, place: u32, input: u32) -> u32 {
        match self.row_of[place as usize] {
            NONE => {
                let child = self.tree.child(NodeId(place), InputId::new(input));
                child.map_or(NONE, |child| child.0)
            }
            row => self.rows[row as usize + input as usize],
        }
    }

    /// Adds all inputs that a place lacks; the new nodes are those with the last
    /// numbers.
    pub(super) fn complete(&mut self, place: u32) {
        let inputs = self.machine.inputs();
        let state = self.state(place);
        let row = self.rows.len();
        self.rows.resize(row + inputs, NONE);
        for (input, child) in self.tree.children(NodeId(place)) {
            self.rows[row + input.index()] = child.0;
        }
        for input in 0..inputs {
            if self.rows[row + input] == NONE && self.machine.target(state, input as u32) != NONE {
                self.rows[row + input] = self.append(place, input as u32);
            }
        }
        self.row_of[place as usize] = u32::try_from(row).expect("fewer than 2^32 entries");
    }

    fn append(&mut self, place: u32, input: u32) -> u32 {
        let input = InputId::new(input);
        let child = self.tree.append(self.machine, NodeId(place), input);
        self.row_of.push(NONE);
        child.expect("words have their transitions").0
    }

    /// What it costs to add a word after a place: symbols and resets of what is
    /// new. O(length) steps.
    pub(super) fn cost(&self, place: u32, word: &[u32]) -> u64 {
        let mut at = place;
        for (k, &input) in word.iter().enumerate() {
            let next = self.next(at, input);
            if next == NONE {
                return self.leaving(at) + (word.len() - k) as u64;
            }
            at = next;
        }
        0
    }

    /// What it costs to go on from a place where no word goes on: a new test,
    /// unless one ends there.
    fn leaving(&self, place: u32) -> u64 {
        match self.is_leaf(place) {
            true => 0,
            false => u64::from(self.depth(place)) + 1,
        }
    }

    /// Adds a word after a place, as far as the machine has it; gives the last
    /// place.
    pub(super) fn insert(&mut self, place: u32, word: &[u32]) -> u32 {
        let mut at = place;
        let mut rest = word.iter();
        for &input in rest.by_ref() {
            let next = self.next(at, input);
            if next == NONE {
                at = self.append(at, input);
                break;
            }
            at = next;
        }
        for &input in rest {
            at = self.append(at, input);
        }
        at
    }

    /// Keeps of the pairs of something and a place those that no common word
    /// separates from a place. Only the subtree of the place itself is walked.
    pub(super) fn keep_unseparated(&self, place: u32, others: &mut Vec<u32>) {
        if self.is_leaf(place) || others.is_empty() {
            return;
        }
        let mut separated = vec![false; others.len()];
        let mut left = others.len();
        let mut pairs: Vec<(u32, u32)> = others
            .iter()
            .copied()
            .enumerate()
            .map(|(k, other)| (k as u32, other))
            .collect();
        // Places with the part of `pairs` that goes there.
        let mut stack = vec![(place, 0, pairs.len())];
        while let Some((at, from, to)) = stack.pop() {
            // What lies behind belongs to places that are done.
            pairs.truncate(to);
            if left == 0 {
                break;
            }
            let state = self.state(at);
            let mut end = to;
            for (input, child) in self.children(at) {
                let (answer, target) = (
                    self.machine.answer(state, input),
                    self.machine.target(state, input),
                );
                let start = end;
                for k in from..to {
                    let (number, other) = pairs[k];
                    if separated[number as usize] {
                        continue;
                    }
                    let next = self.next(other, input);
                    if next == NONE {
                        continue;
                    }
                    let of_other = self.state(other);
                    if self.machine.answer(of_other, input) != answer {
                        separated[number as usize] = true;
                        left -= 1;
                    } else if self.machine.target(of_other, input) != target {
                        pairs.push((number, next));
                        end += 1;
                    }
                }
                if start < end && !self.is_leaf(child) {
                    stack.push((child, start, end));
                } else {
                    pairs.truncate(start);
                    end = start;
                }
            }
        }
        let mut number = 0;
        others.retain(|_| {
            number += 1;
            !separated[number - 1]
        });
    }

    /// Whether a common word separates two places.
    pub(super) fn apart(&self, a: u32, b: u32) -> bool {
        let mut others = vec![b];
        self.keep_unseparated(a, &mut others);
        others.is_empty()
    }

    /// Adds a word after both of two places that separates them, which costs
    /// least.
    pub(super) fn separate(&mut self, a: u32, b: u32) {
        let word = self.cheapest(a, b);
        self.insert(a, &word);
        self.insert(b, &word);
    }

    /// A separating word of two places that costs least to add, as far as a
    /// bounded search finds.
    fn cheapest(&self, a: u32, b: u32) -> Vec<u32> {
        let mut best = Vec::new();
        let found = self
            .separators
            .append(self.machine, self.state(a), self.state(b), &mut best);
        assert!(found, "states are pairwise separated");
        let mut least = self.cost(a, &best) + self.cost(b, &best);
        let mut heap = BinaryHeap::from([Pair {
            cost: Reverse(0),
            input: NONE,
            before: NONE,
            places: (a, b),
            states: (self.state(a), self.state(b)),
        }]);
        let mut looked_at: Vec<Pair> = Vec::new();
        while let Some(pair) = heap.pop() {
            let Reverse(cost) = pair.cost;
            if cost >= least || looked_at.len() == LOOKED_AT {
                break;
            }
            let (places, states) = (pair.places, pair.states);
            let number = looked_at.len() as u32;
            looked_at.push(pair);
            if places == (NONE, NONE) {
                // Both are on words of their own: the shortest is best.
                let length = u64::from(self.separators.length(states.0, states.1));
                if length > 0 && cost + 2 * length < least {
                    least = cost + 2 * length;
                    best = word_of(&looked_at, number);
                    self.separators
                        .append(self.machine, states.0, states.1, &mut best);
                }
                continue;
            }
            for input in 0..self.machine.inputs() as u32 {
                let targets = (
                    self.machine.target(states.0, input),
                    self.machine.target(states.1, input),
                );
                if targets.0 == NONE || targets.1 == NONE {
                    continue;
                }
                let (to_a, of_a) = self.go(places.0, input);
                let (to_b, of_b) = self.go(places.1, input);
                let cost = cost + of_a + of_b;
                if self.machine.answer(states.0, input) != self.machine.answer(states.1, input) {
                    if cost < least {
                        least = cost;
                        best = word_of(&looked_at, number);
                        best.push(input);
                    }
                    continue;
                }
                if targets.0 == targets.1 || cost >= least {
                    continue;
                }
                heap.push(Pair {
                    cost: Reverse(cost),
                    input,
                    before: number,
                    places: (to_a, to_b),
                    states: targets,
                });
            }
        }
        best
    }

    /// Where an input leads from a place, and what that costs.
    fn go(&self, place: u32, input: u32) -> (u32, u64) {
        if place == NONE {
            return (NONE, 1);
        }
        match self.next(place, input) {
            NONE => (NONE, self.leaving(place) + 1),
            next => (next, 0),
        }
    }
}

fn word_of(looked_at: &[Pair], number: u32) -> Vec<u32> {
    let mut word = Vec::new();
    let mut at = number;
    while looked_at[at as usize].before != NONE {
        word.push(looked_at[at as usize].input);
        at = looked_at[at as usize].before;
    }
    word.reverse();
    word
}
