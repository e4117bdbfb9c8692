//! A test tree whose places are sets of convergent nodes.

use super::super::machine::{InputId, Machine, NONE};
use super::super::tree::{NodeId, TestTree};
use super::growing::{Growing, Scratch};
use super::separators::Separators;

/// A test tree with what is known of its nodes: nodes of one class reach
/// equivalent states in every implementation that passes and has not too many
/// states. What follows one of them may be taken to follow all of them.
pub(super) struct Convergent<'a> {
    machine: &'a Machine,
    separators: &'a Separators,
    tree: TestTree,
    nodes: Vec<Node>,
    /// Inputs that follow classes: input, node, the next of the class.
    edges: Vec<(u32, u32, u32)>,
    /// For states and inputs what follows the class of the kernel.
    rows: Vec<u32>,
    scratch: Scratch,
}

/// A node, and the class that it stands for unless it has a parent.
#[derive(Clone, Copy)]
struct Node {
    /// Another node of the class, which stands for more of it.
    parent: u32,
    size: u32,
    /// Whether this is a state's node of the kernel.
    in_kernel: bool,
    /// The first of the inputs that follow the class, unless it is of the kernel.
    edges: u32,
    /// The class's nodes without children, and perhaps others that had none.
    first_end: u32,
    last_end: u32,
    next_end: u32,
    /// The node of the class that is nearest to the root.
    top: u32,
}

impl<'a> Convergent<'a> {
    pub(super) fn new(machine: &'a Machine, separators: &'a Separators) -> Self {
        let mut suite = Self {
            machine,
            separators,
            tree: TestTree::new(machine),
            nodes: Vec::new(),
            edges: Vec::new(),
            rows: vec![NONE; machine.states() * machine.inputs()],
            scratch: Scratch::default(),
        };
        suite.add_node(0);
        suite
    }

    pub(super) fn into_tree(self) -> TestTree {
        self.tree
    }

    fn add_node(&mut self, number: u32) {
        self.nodes.push(Node {
            parent: NONE,
            size: 1,
            in_kernel: false,
            edges: NONE,
            first_end: number,
            last_end: number,
            next_end: NONE,
            top: number,
        });
    }

    /// Makes a node the one for its state: from now on it is a place that is
    /// separated from all others of the kernel.
    pub(super) fn found_kernel(&mut self, node: u32) {
        let place = self.place(node);
        self.nodes[place as usize].in_kernel = true;
        let mut edge = std::mem::replace(&mut self.nodes[place as usize].edges, NONE);
        while let Some(&(input, child, next)) = self.edges.get(edge as usize) {
            let at = self.at(place, input);
            self.rows[at] = child;
            edge = next;
        }
    }

    fn at(&self, place: u32, input: u32) -> usize {
        self.state(place) as usize * self.machine.inputs() + input as usize
    }

    /// The place of a node.
    pub(super) fn place(&self, node: u32) -> u32 {
        let mut at = node;
        while self.nodes[at as usize].parent != NONE {
            at = self.nodes[at as usize].parent;
        }
        at
    }

    /// Whether a place is one of the kernel.
    pub(super) fn in_kernel(&self, place: u32) -> bool {
        self.nodes[place as usize].in_kernel
    }

    /// Takes two places for convergent, and with them what follows both.
    pub(super) fn merge(&mut self, a: u32, b: u32) {
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            let (a, b) = (self.place(a), self.place(b));
            if a == b {
                continue;
            }
            let key = |k: u32| {
                (
                    self.nodes[k as usize].in_kernel,
                    self.nodes[k as usize].size,
                )
            };
            let (into, from) = if key(a) >= key(b) { (a, b) } else { (b, a) };
            assert!(!self.nodes[from as usize].in_kernel, "states are different");
            let old = self.nodes[from as usize];
            self.nodes[from as usize].parent = into;
            let depth = |node: u32| self.tree.depth(NodeId(node));
            let higher = depth(old.top) < depth(self.nodes[into as usize].top);
            let new = &mut self.nodes[into as usize];
            new.size += old.size;
            if higher {
                new.top = old.top;
            }
            match new.last_end {
                NONE => (new.first_end, new.last_end) = (old.first_end, old.last_end),
                _ if old.first_end == NONE => {}
                last => {
                    new.last_end = old.last_end;
                    self.nodes[last as usize].next_end = old.first_end;
                }
            }
            let mut edge = old.edges;
            while edge != NONE {
                let (input, child, next) = self.edges[edge as usize];
                match self.next(into, input) {
                    NONE => self.link(into, input, child, edge),
                    other => todo.push((other, child)),
                }
                edge = next;
            }
        }
    }

    /// Lets an input lead from a class to a node; `edge` is an entry that is free.
    fn link(&mut self, place: u32, input: u32, child: u32, edge: u32) {
        if self.nodes[place as usize].in_kernel {
            let at = self.at(place, input);
            self.rows[at] = child;
        } else {
            let first = &mut self.nodes[place as usize].edges;
            self.edges[edge as usize] = (input, child, *first);
            *first = edge;
        }
    }

    /// A node of a class without children.
    fn end_of(&mut self, place: u32) -> Option<u32> {
        let mut end = self.nodes[place as usize].first_end;
        while end != NONE && !self.tree.is_leaf(NodeId(end)) {
            end = self.nodes[end as usize].next_end;
        }
        let class = &mut self.nodes[place as usize];
        class.first_end = end;
        if end == NONE {
            class.last_end = NONE;
        }
        (end != NONE).then_some(end)
    }

    /// Where to leave the walk of a word through the classes for new nodes: what
    /// that costs, how much of the word is before it, and the class; nothing if
    /// the word is there.
    fn leave(&mut self, place: u32, word: &[u32]) -> Option<(u64, usize, u32)> {
        let mut best = (u64::MAX, 0, place);
        let mut at = place;
        for (k, &input) in word.iter().enumerate() {
            let cost = self.leaving(at) + (word.len() - k) as u64;
            if cost <= best.0 {
                best = (cost, k, at);
            }
            at = self.next(at, input);
            if at == NONE {
                return Some(best);
            }
        }
        None
    }

    fn append(&mut self, node: u32, input: u32) -> u32 {
        let symbol = InputId::new(input);
        let child = self.tree.append(self.machine, NodeId(node), symbol);
        let child = child.expect("words have their transitions").0;
        self.add_node(child);
        let place = self.place(node);
        match self.next(place, input) {
            NONE => {
                let edge = self.edges.len() as u32;
                self.edges.push((input, child, NONE));
                self.link(place, input, child, edge);
            }
            other => self.merge(other, child),
        }
        child
    }
}

impl<'a> Growing<'a> for Convergent<'a> {
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
        let class = &self.nodes[place as usize];
        let child = match class.in_kernel {
            true => self.rows[self.at(place, input)],
            false => {
                let mut edge = class.edges;
                loop {
                    match self.edges.get(edge as usize) {
                        None => break NONE,
                        Some(&(other, child, _)) if other == input => break child,
                        Some(&(.., next)) => edge = next,
                    }
                }
            }
        };
        match child {
            NONE => NONE,
            child => self.place(child),
        }
    }

    fn each_next(&self, place: u32, mut each: impl FnMut(u32, u32)) {
        let class = &self.nodes[place as usize];
        if class.in_kernel {
            for input in 0..self.machine.inputs() as u32 {
                let child = self.rows[self.at(place, input)];
                if child != NONE {
                    each(input, self.place(child));
                }
            }
        }
        let mut edge = class.edges;
        while let Some(&(input, child, next)) = self.edges.get(edge as usize) {
            each(input, self.place(child));
            edge = next;
        }
    }

    fn is_end(&self, place: u32) -> bool {
        let class = &self.nodes[place as usize];
        !class.in_kernel && class.edges == NONE
    }

    fn separated(&self, a: u32, b: u32) -> bool {
        self.in_kernel(a) && self.in_kernel(b)
    }

    fn leaving(&mut self, place: u32) -> u64 {
        match self.end_of(place) {
            Some(_) => 0,
            None => u64::from(self.tree.depth(NodeId(self.nodes[place as usize].top))) + 1,
        }
    }

    fn cost(&mut self, place: u32, word: &[u32]) -> u64 {
        self.leave(place, word).map_or(0, |(cost, ..)| cost)
    }

    fn insert(&mut self, place: u32, word: &[u32]) {
        let Some((_, done, class)) = self.leave(place, word) else {
            return;
        };
        let mut node = match self.end_of(class) {
            Some(end) => end,
            None => self.nodes[class as usize].top,
        };
        for &input in &word[done..] {
            node = self.append(node, input);
        }
    }
}
