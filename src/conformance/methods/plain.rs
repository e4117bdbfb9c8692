//! A test tree whose places are its nodes.

use super::super::machine::{InputId, Machine, NONE};
use super::super::tree::{NodeId, TestTree};
use super::growing::{Growing, Scratch};
use super::separators::Separators;

/// A test tree whose places are its nodes.
pub(super) struct Plain<'a> {
    machine: &'a Machine,
    separators: &'a Separators,
    tree: TestTree,
    /// Nodes whose children all exist have a row, where the children are.
    row_of: Vec<u32>,
    rows: Vec<u32>,
    scratch: Scratch,
}

impl<'a> Plain<'a> {
    pub(super) fn new(machine: &'a Machine, separators: &'a Separators) -> Self {
        Self {
            machine,
            separators,
            tree: TestTree::new(machine),
            row_of: vec![NONE],
            rows: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    pub(super) fn into_tree(self) -> TestTree {
        self.tree
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.tree.len()
    }

    pub(super) fn depth(&self, place: u32) -> u32 {
        self.tree.depth(NodeId(place))
    }

    /// The node before, or [`NONE`].
    pub(super) fn parent(&self, place: u32) -> u32 {
        let parent = self.tree.parent(NodeId(place));
        parent.map_or(NONE, |(parent, _)| parent.0)
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
}

impl<'a> Growing<'a> for Plain<'a> {
    fn machine(&self) -> &'a Machine {
        self.machine
    }

    fn separators(&self) -> &'a Separators {
        self.separators
    }

    fn tree(&self) -> &TestTree {
        &self.tree
    }

    fn scratch(&mut self) -> &mut Scratch {
        &mut self.scratch
    }

    fn state(&self, place: u32) -> u32 {
        self.tree.state(NodeId(place)).get()
    }

    fn next(&self, place: u32, input: u32) -> u32 {
        match self.row_of[place as usize] {
            NONE => {
                let child = self.tree.child(NodeId(place), InputId::new(input));
                child.map_or(NONE, |child| child.0)
            }
            row => self.rows[row as usize + input as usize],
        }
    }

    fn each_next(&self, place: u32, mut each: impl FnMut(u32, u32)) {
        for (input, child) in self.tree.children(NodeId(place)) {
            each(input.get(), child.0);
        }
    }

    fn is_end(&self, place: u32) -> bool {
        self.tree.is_leaf(NodeId(place))
    }

    fn separated(&self, _: u32, _: u32) -> bool {
        false
    }

    fn leaving(&mut self, place: u32) -> u64 {
        match self.is_end(place) {
            true => 0,
            false => u64::from(self.depth(place)) + 1,
        }
    }

    fn cost(&mut self, place: u32, word: &[u32]) -> u64 {
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

    fn insert(&mut self, place: u32, word: &[u32]) {
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
    }
}
