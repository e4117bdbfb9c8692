//! Test trees to which words are added where they cost least.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::cover::Cover;
use super::super::machine::{Machine, NONE};
use super::super::tree::TestTree;
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

    /// The tree.
    fn tree(&self) -> &TestTree;

    /// Memory for the walks below.
    fn scratch(&mut self) -> &mut Scratch;

    /// The state of a place.
    fn state(&self, place: u32) -> u32;

    /// Where an input leads, or [`NONE`].
    fn next(&self, place: u32, input: u32) -> u32;

    /// Calls a function with the inputs that go on, and where they lead.
    fn each_next(&self, place: u32, each: impl FnMut(u32, u32));

    /// Where each input leads, [`NONE`] if it is missing, and from no place.
    fn list_next(&self, place: u32, next: &mut Vec<u32>) {
        next.clear();
        next.resize(self.machine().inputs(), NONE);
        if place != NONE {
            self.each_next(place, |input, child| next[input as usize] = child);
        }
    }

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

    /// The place of a word after one, as far as there is one.
    fn walk(&self, place: u32, word: &[u32]) -> u32 {
        word.iter().fold(place, |at, &input| match at {
            NONE => NONE,
            at => self.next(at, input),
        })
    }

    /// Adds the words of a state cover; gives the places of the states.
    fn insert_cover(&mut self, cover: &Cover) -> Vec<u32> {
        let mut kernel = vec![NONE; self.machine().states()];
        let mut word = Vec::new();
        for &state in cover.states() {
            word.clear();
            word.extend(cover.word(state).iter().map(|input| input.get()));
            self.insert(0, &word);
            kernel[state.index()] = self.walk(0, &word);
        }
        kernel
    }

    /// Keeps of some places those that no common word separates from one. What
    /// follows that one is walked, once.
    fn keep_unseparated(&mut self, place: u32, others: &mut Vec<u32>) {
        if self.is_end(place) || others.is_empty() {
            return;
        }
        let mut scratch = std::mem::take(self.scratch());
        let Scratch {
            separated,
            pairs,
            stack,
            ..
        } = &mut scratch;
        separated.clear();
        separated.resize(others.len(), false);
        let mut left = others.len();
        let numbered = others.iter().enumerate();
        pairs.clear();
        pairs.extend(numbered.map(|(k, &other)| (k as u32, other, self.state(other))));
        stack.clear();
        stack.push((place, 0, pairs.len()));
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
                    let (number, other, of_other) = pairs[k];
                    if separated[number as usize] {
                        continue;
                    }
                    let to_other = machine.target(of_other, input);
                    let differ = machine.answer(of_other, input) != answer;
                    if !differ && to_other == target {
                        continue;
                    }
                    let next = self.next(other, input);
                    if next == NONE {
                        continue;
                    }
                    if differ || self.separated(child, next) {
                        separated[number as usize] = true;
                        left -= 1;
                    } else {
                        pairs.push((number, next, to_other));
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
        *self.scratch() = scratch;
    }

    /// Separates a place from others, wherever no common word does.
    fn separate_all(&mut self, place: u32, others: &mut Vec<u32>) {
        self.keep_unseparated(place, others);
        while let Some(other) = others.first().copied() {
            self.separate(place, other);
            others.remove(0);
            self.keep_unseparated(place, others);
        }
    }

    /// Adds a word after both of two places that separates them, which costs
    /// least.
    fn separate(&mut self, a: u32, b: u32) {
        let word = self.cheapest(a, b);
        self.insert(a, &word);
        self.insert(b, &word);
    }

    /// A separating word of two places that costs least to add, as far as a
    /// bounded search finds: best first (A*), where each input of a word costs
    /// something that is new behind one of them.
    fn cheapest(&mut self, a: u32, b: u32) -> Vec<u32> {
        let (machine, separators) = (self.machine(), self.separators());
        let states = (self.state(a), self.state(b));
        let mut best = Vec::new();
        let found = separators.append(machine, states.0, states.1, &mut best);
        assert!(found, "states are pairwise separated");
        let mut least = self.cost(a, &best) + self.cost(b, &best);
        let mut scratch = std::mem::take(self.scratch());
        let Scratch {
            heap,
            pairs_met,
            next,
            ..
        } = &mut scratch;
        heap.clear();
        pairs_met.clear();
        heap.push((Reverse(0), 0, 0));
        pairs_met.push(Pair {
            cost: 0,
            input: NONE,
            before: NONE,
            places: (a, b),
            states,
        });
        // A pair and an input that lead to what separates best.
        let mut last = None;
        let mut looked_at = 0;
        while let Some((Reverse(bound), _, number)) = heap.pop() {
            if bound >= least || looked_at == LOOKED_AT {
                break;
            }
            looked_at += 1;
            let Pair {
                cost,
                places,
                states,
                ..
            } = pairs_met[number as usize];
            let leaving = (leaving(self, places.0), leaving(self, places.1));
            self.list_next(places.0, &mut next.0);
            self.list_next(places.1, &mut next.1);
            let (of_a, of_b) = (machine.targets_of(states.0), machine.targets_of(states.1));
            let answers = (machine.answers_of(states.0), machine.answers_of(states.1));
            for (input, (&to_a, &to_b)) in of_a.iter().zip(of_b).enumerate() {
                if to_a == NONE || to_b == NONE {
                    continue;
                }
                let differ = answers.0[input] != answers.1[input];
                if !differ && to_a == to_b {
                    continue;
                }
                let next = (next.0[input], next.1[input]);
                let input = input as u32;
                let new = (u64::from(next.0 == NONE), u64::from(next.1 == NONE));
                let cost = cost + new.0 * leaving.0 + new.1 * leaving.1;
                if cost >= least {
                    continue;
                }
                if differ {
                    least = cost;
                    last = Some((number, input, (NONE, NONE)));
                    continue;
                }
                let length = match new {
                    (0, 0) => 1,
                    _ => u64::from(separators.length(to_a, to_b)),
                };
                let bound = cost + length * (new.0 + new.1).max(1);
                if length == 0 || bound >= least {
                    continue;
                }
                if new == (1, 1) {
                    // Both are on words of their own: the shortest is best.
                    least = bound;
                    last = Some((number, input, (to_a, to_b)));
                    continue;
                }
                heap.push((Reverse(bound), input, pairs_met.len() as u32));
                pairs_met.push(Pair {
                    cost,
                    input,
                    before: number,
                    places: next,
                    states: (to_a, to_b),
                });
            }
        }
        if let Some((number, input, states)) = last {
            best = word_of(pairs_met, number);
            best.push(input);
            if states.0 != NONE {
                separators.append(machine, states.0, states.1, &mut best);
            }
        }
        *self.scratch() = scratch;
        best
    }
}

/// Memory for walks through what grows.
#[derive(Default)]
pub(super) struct Scratch {
    /// Which of the places are known to be separated.
    separated: Vec<bool>,
    /// Their numbers, where a word leads from them, and the states there.
    pairs: Vec<(u32, u32, u32)>,
    /// Places, and the part of `pairs` that is to be walked with each.
    stack: Vec<(u32, usize, usize)>,
    /// What words through pairs cost at least, their last inputs, the pairs.
    heap: BinaryHeap<(Reverse<u64>, u32, u32)>,
    pairs_met: Vec<Pair>,
    /// Where inputs lead from the places of a pair.
    next: (Vec<u32>, Vec<u32>),
}

/// A pair of places that a common word leads to.
#[derive(Clone, Copy)]
struct Pair {
    cost: u64,
    /// The last input of the word.
    input: u32,
    /// The pair before, among those that were met.
    before: u32,
    places: (u32, u32),
    states: (u32, u32),
}

/// What it costs to go on from a place with a new input.
fn leaving<'a, G: Growing<'a> + ?Sized>(suite: &mut G, place: u32) -> u64 {
    match place {
        NONE => 1,
        place => suite.leaving(place) + 1,
    }
}

fn word_of(pairs: &[Pair], number: u32) -> Vec<u32> {
    let mut word = Vec::new();
    let mut at = number;
    while pairs[at as usize].before != NONE {
        word.push(pairs[at as usize].input);
        at = pairs[at as usize].before;
    }
    word.reverse();
    word
}
