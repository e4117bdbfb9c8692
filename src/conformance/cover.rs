//! State covers.

use hyades_formats::StateId;

use super::machine::{InputId, Machine, NONE};

/// Shortest words to the states of a machine, closed under prefixes: a spanning
/// tree. Of the shortest words to a state the first in the order of inputs is
/// taken, state by state in the order in which they are found.
#[derive(Debug)]
pub struct Cover {
    /// For each state the one before and the input; [`NONE`] for the initial and
    /// for unreachable states.
    parents: Vec<(u32, u32)>,
    /// Reachable states, breadth first.
    order: Vec<StateId>,
    depths: Vec<u32>,
}

impl Cover {
    /// The cover of a machine's reachable states. O(states · inputs).
    pub fn new(machine: &Machine) -> Self {
        let order = machine.breadth_first();
        let mut parents = vec![(NONE, NONE); machine.states()];
        let mut depths = vec![NONE; machine.states()];
        depths[machine.initial().index()] = 0;
        for &state in &order {
            let state = state.get();
            for (input, &target) in machine.targets_of(state).iter().enumerate() {
                if target != NONE && depths[target as usize] == NONE {
                    depths[target as usize] = depths[state as usize] + 1;
                    parents[target as usize] = (state, input as u32);
                }
            }
        }
        Self {
            parents,
            order,
            depths,
        }
    }

    /// The cover by a spanning tree of a part of the states: for each state the one
    /// before and the input, and the part, those before first.
    pub(super) fn of_tree(parents: Vec<(u32, u32)>, order: Vec<StateId>) -> Self {
        let mut depths = vec![NONE; parents.len()];
        for state in &order {
            let before = parents[state.index()].0;
            depths[state.index()] = match before {
                NONE => 0,
                before => depths[before as usize] + 1,
            };
        }
        Self {
            parents,
            order,
            depths,
        }
    }

    /// The reachable states, in the order in which they are found.
    pub fn states(&self) -> &[StateId] {
        &self.order
    }

    /// The length of a reachable state's word.
    pub fn depth(&self, state: StateId) -> u32 {
        self.depths[state.index()]
    }

    /// Whether the word to `target` ends with `input` from `state`.
    pub(super) fn is_edge(&self, state: u32, input: u32, target: u32) -> bool {
        target != NONE && self.parents[target as usize] == (state, input)
    }

    /// The word to a reachable state.
    pub fn word(&self, state: StateId) -> Vec<InputId> {
        let mut word = Vec::with_capacity(self.depth(state) as usize);
        let mut at = state.get();
        while let (before, input) = self.parents[at as usize]
            && before != NONE
        {
            word.push(InputId::new(input));
            at = before;
        }
        word.reverse();
        word
    }
}
