//! Test trees to which words are added where they cost least.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::machine::{Machine, NONE};
use super::separators::Separators;

/// How many pairs of places are looked at for the cheapest word that separates
/// two.
const LOOKED_AT: usize = 400;

/// A test tree that grows. Its *places* are the nodes, or sets of nodes that are
/// known to reach equivalent states in all implementations that pass: numbers,
/// [`NONE`] where there is none.
pub(super) trait Growing<'a> {
    /// The specification.
    fn machine(&self) -> &'a Machine;

    /// What separates its states.
    fn separators(&self) -> &'a Separators;

    /// The state of a place.
    fn state(&self, place: u32) -> u32;

    /// Where an input leads, or [`NONE`].
    fn next(&self, place: u32, input: u32) -> u32;

    /// Calls a function with the inputs that go on, and where they lead.
    fn each_next(&self, place: u32, each: impl FnMut(u32, u32));

    /// Whether no input goes on.
    fn is_end(&self, place: u32) -> bool;

    /// Whether two places of different states are known to be separated without
    /// a look at what follows.
    fn separated(&self, a: u32, b: u32) -> bool;

    /// What it costs to go on from a place with an input that it lacks, besides
    /// the symbol: a new test, unless one ends there.
    fn leaving(&mut self, place: u32) -> u64;

    /// What it costs to add a word after a place: symbols and resets of what is
    /// new.
    fn cost(&mut self, place: u32, word: &[u32]) -> u64;

    /// Adds a word after a place.
    fn insert(&mut self, place: u32, word: &[u32]);

    /// Keeps of some places those that no common word separates from one. What
    /// follows that one is walked, once.
    fn keep_unseparated(&self, place: u32, others: &mut Vec<u32>) {
        if self.is_end(place) || others.is_empty() {
            return;
        }
        let mut separated = vec![false; others.len()];
        let mut left = others.len();
        let numbered = others.iter().enumerate();
        let mut pairs: Vec<(u32, u32)> = numbered.map(|(k, &other)| (k as u32, other)).collect();
        // Places, and the part of `pairs` that is to be walked with each.
        let mut stack = vec![(place, 0, pairs.len())];
        while let Some((at, from, to)) = stack.pop() {
            // What lies behind belongs to places that are done.
            pairs.truncate(to);
            if left == 0 {
                break;
            }
            let state = self.state(at);
            let machine = self.machine();
            self.each_next(at, |input, child| {
                let (answer, target) = (machine.answer(state, input), machine.target(state, input));
                let start = pairs.len();
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
                    let differ = machine.answer(of_other, input) != answer;
                    let same = machine.target(of_other, input) == target;
                    if differ || !same && self.separated(child, next) {
                        separated[number as usize] = true;
                        left -= 1;
                    } else if !same {
                        pairs.push((number, next));
                    }
                }
                if start < pairs.len() && !self.is_end(child) {
                    stack.push((child, start, pairs.len()));
                } else {
                    pairs.truncate(start);
                }
            });
        }
        let mut number = 0;
        others.retain(|_| {
            number += 1;
            !separated[number - 1]
        });
    }

    /// Whether a common word separates two places.
    fn apart(&self, a: u32, b: u32) -> bool {
        let mut others = vec![b];
        self.keep_unseparated(a, &mut others);
        others.is_empty()
    }

    /// Adds a word after both of two places that separates them, which costs
    /// least.
    fn separate(&mut self, a: u32, b: u32) {
        let word = self.cheapest(a, b);
        self.insert(a, &word);
        self.insert(b, &word);
    }

    /// A separating word of two places that costs least to add, as far as a
    /// bounded search finds.
    fn cheapest(&mut self, a: u32, b: u32) -> Vec<u32> {
        let mut best = Vec::new();
        let states = (self.state(a), self.state(b));
        let found = self
            .separators()
            .append(self.machine(), states.0, states.1, &mut best);
        assert!(found, "states are pairwise separated");
        let mut least = self.cost(a, &best) + self.cost(b, &best);
        let mut heap = BinaryHeap::from([Pair {
            cost: Reverse(0),
            input: NONE,
            before: NONE,
            places: (a, b),
            states,
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
                let length = u64::from(self.separators().length(states.0, states.1));
                if length > 0 && cost + 2 * length < least {
                    least = cost + 2 * length;
                    best = word_of(&looked_at, number);
                    self.separators()
                        .append(self.machine(), states.0, states.1, &mut best);
                }
                continue;
            }
            for input in 0..self.machine().inputs() as u32 {
                let target = |state| self.machine().target(state, input);
                let targets = (target(states.0), target(states.1));
                if targets.0 == NONE || targets.1 == NONE {
                    continue;
                }
                let answer = |state| self.machine().answer(state, input);
                let differ = answer(states.0) != answer(states.1);
                if !differ && targets.0 == targets.1 {
                    continue;
                }
                let (to_a, of_a) = go(self, places.0, input);
                let (to_b, of_b) = go(self, places.1, input);
                let cost = cost + of_a + of_b;
                if cost >= least {
                    continue;
                }
                if differ {
                    least = cost;
                    best = word_of(&looked_at, number);
                    best.push(input);
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
}

/// A pair of places that a common word leads to.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    cost: Reverse<u64>,
    /// The last input of the word.
    input: u32,
    /// The pair before, among those that were looked at.
    before: u32,
    places: (u32, u32),
    states: (u32, u32),
}

/// Where an input leads from a place, and what that costs.
fn go<'a, G: Growing<'a> + ?Sized>(suite: &mut G, place: u32, input: u32) -> (u32, u64) {
    if place == NONE {
        return (NONE, 1);
    }
    match suite.next(place, input) {
        NONE => (NONE, suite.leaving(place) + 1),
        next => (next, 0),
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
