//! Transition tours.

use std::collections::VecDeque;

use super::cover::Cover;
use super::machine::{InputId, Machine, NONE};
use super::tree::{NodeId, TestTree};

/// Tests that take every transition that can be reached: from where a test is, it
/// goes on by a shortest way to a transition that has not been taken, the first in
/// the order of inputs; where there is none, the next test begins (Naito &
/// Tsunoyama: Fault Detection for Sequential Machines by Transition-Tours, 1981,
/// for machines of which a state cannot be left for good). It says nothing of
/// where transitions lead. O(states · inputs) for each way.
pub fn transition_tour(machine: &Machine) -> TestTree {
    let cover = Cover::new(machine);
    let inputs = machine.inputs();
    let mut taken = vec![false; machine.states() * inputs];
    let mut tree = TestTree::new(machine);
    let mut left: usize = cover
        .states()
        .iter()
        .map(|state| machine.targets_of(state.get()))
        .map(|targets| targets.iter().filter(|&&target| target != NONE).count())
        .sum();
    let mut search = Search {
        machine,
        parents: vec![(NONE, NONE); machine.states()],
        seen: Vec::new(),
        queue: VecDeque::new(),
    };
    while left > 0 {
        let mut node = NodeId::ROOT;
        let mut state = machine.initial().get();
        while let Some(way) = search.nearest(state, &taken) {
            for input in way {
                let target = machine.target(state, input);
                let place = state as usize * inputs + input as usize;
                if !std::mem::replace(&mut taken[place], true) {
                    left -= 1;
                }
                let next = tree.extend(machine, node, InputId::new(input));
                node = next.expect("the way has transitions");
                state = target;
            }
        }
    }
    tree
}

/// What looking for a way needs.
struct Search<'a> {
    machine: &'a Machine,
    /// The state before and the input, for states seen.
    parents: Vec<(u32, u32)>,
    seen: Vec<u32>,
    queue: VecDeque<u32>,
}

impl Search<'_> {
    /// A shortest way to a transition that is not taken, that one included.
    fn nearest(&mut self, from: u32, taken: &[bool]) -> Option<Vec<u32>> {
        for state in self.seen.drain(..) {
            self.parents[state as usize] = (NONE, NONE);
        }
        self.queue.clear();
        self.queue.push_back(from);
        self.seen.push(from);
        self.parents[from as usize] = (from, NONE);
        while let Some(state) = self.queue.pop_front() {
            let targets = self.machine.targets_of(state);
            let row = &taken[state as usize * targets.len()..][..targets.len()];
            let free = |input: &usize| targets[*input] != NONE && !row[*input];
            if let Some(input) = (0..targets.len()).find(free) {
                let mut way = vec![input as u32];
                let mut at = state;
                while at != from {
                    let (before, input) = self.parents[at as usize];
                    way.push(input);
                    at = before;
                }
                way.reverse();
                return Some(way);
            }
            for (input, &target) in targets.iter().enumerate() {
                if target != NONE && self.parents[target as usize].0 == NONE {
                    self.parents[target as usize] = (state, input as u32);
                    self.seen.push(target);
                    self.queue.push_back(target);
                }
            }
        }
        None
    }
}
