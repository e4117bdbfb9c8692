//! Test suites as trees.

use std::ops::ControlFlow;

use hyades_formats::StateId;

use super::machine::{InputId, Machine, NONE};

/// The size of a test suite, as the literature counts it: tests are the words
/// that are no prefixes of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuiteSize {
    /// How many tests there are. Each needs a reset.
    pub tests: u64,
    /// The inputs of all of them.
    pub symbols: u64,
}

impl SuiteSize {
    /// Symbols and resets.
    pub fn cost(&self) -> u64 {
        self.symbols + self.tests
    }
}

/// A node of a [`TestTree`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// The node of the empty word.
    pub const ROOT: NodeId = NodeId(0);

    /// Its number: nodes are numbered in the order in which they were added.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    input: u32,
    /// The specification's state.
    state: u32,
    depth: u32,
    first_child: u32,
    next_sibling: u32,
}

/// The prefixes of the tests of a suite, with the states that they reach in the
/// specification. 24 bytes a node.
#[derive(Clone, Debug)]
pub struct TestTree {
    nodes: Vec<Node>,
    size: SuiteSize,
}

impl TestTree {
    /// The tree of the empty test.
    pub fn new(machine: &Machine) -> Self {
        let root = Node {
            parent: NONE,
            input: NONE,
            state: machine.initial().get(),
            depth: 0,
            first_child: NONE,
            next_sibling: NONE,
        };
        Self {
            nodes: vec![root],
            size: SuiteSize {
                tests: 1,
                symbols: 0,
            },
        }
    }

    /// How many nodes there are, the root included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is a root.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The size of the suite. The tree of the empty word alone has one test, of
    /// no symbols.
    pub fn size(&self) -> SuiteSize {
        self.size
    }

    /// All nodes: parents before children.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The state that a node reaches in the specification.
    pub fn state(&self, node: NodeId) -> StateId {
        StateId::new(self.nodes[node.index()].state)
    }

    /// The length of a node's word.
    pub fn depth(&self, node: NodeId) -> u32 {
        self.nodes[node.index()].depth
    }

    /// The node before, and the input that leads from it; `None` for the root.
    pub fn parent(&self, node: NodeId) -> Option<(NodeId, InputId)> {
        let node = &self.nodes[node.index()];
        (node.parent != NONE).then(|| (NodeId(node.parent), InputId::new(node.input)))
    }

    /// The inputs that go on from a node, and where they lead, the newest first.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = (InputId, NodeId)> + '_ {
        let mut next = self.nodes[node.index()].first_child;
        std::iter::from_fn(move || {
            let id = next;
            let node = self.nodes.get(id as usize)?;
            next = node.next_sibling;
            Some((InputId::new(node.input), NodeId(id)))
        })
    }

    /// Whether a node ends a test.
    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.nodes[node.index()].first_child == NONE
    }

    /// The node that an input leads to. O(children).
    pub fn child(&self, node: NodeId, input: InputId) -> Option<NodeId> {
        let mut children = self.children(node);
        children.find(|child| child.0 == input).map(|child| child.1)
    }

    /// The node of a word that goes on from a node.
    pub fn walk(&self, from: NodeId, word: &[InputId]) -> Option<NodeId> {
        word.iter()
            .try_fold(from, |node, &input| self.child(node, input))
    }

    /// The node that an input leads to, which is added if there is none; `None`
    /// if the specification has no such transition.
    pub fn extend(&mut self, machine: &Machine, node: NodeId, input: InputId) -> Option<NodeId> {
        if let Some(child) = self.child(node, input) {
            return Some(child);
        }
        self.append(machine, node, input)
    }

    /// The node that an input leads to, where there is none yet; `None` if the
    /// specification has no such transition.
    pub(super) fn append(
        &mut self,
        machine: &Machine,
        node: NodeId,
        input: InputId,
    ) -> Option<NodeId> {
        let parent = self.nodes[node.index()];
        let target = machine.target(parent.state, input.get());
        if target == NONE {
            return None;
        }
        let new = self.nodes.len() as u32;
        assert!(new < NONE, "fewer than 2^32 - 1 nodes");
        self.nodes[node.index()].first_child = new;
        self.nodes.push(Node {
            parent: node.0,
            input: input.get(),
            state: target,
            depth: parent.depth + 1,
            first_child: NONE,
            next_sibling: parent.first_child,
        });
        if parent.first_child == NONE {
            self.size.symbols += 1;
        } else {
            self.size.tests += 1;
            self.size.symbols += u64::from(parent.depth) + 1;
        }
        Some(NodeId(new))
    }

    /// Adds a word that goes on from a node, up to the first transition that the
    /// specification does not have; gives the last node.
    pub fn insert(&mut self, machine: &Machine, from: NodeId, word: &[InputId]) -> NodeId {
        let mut node = from;
        for &input in word {
            match self.extend(machine, node, input) {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }

    /// The word of a node.
    pub fn word(&self, node: NodeId) -> Vec<InputId> {
        let mut word = Vec::with_capacity(self.depth(node) as usize);
        let mut at = node;
        while let Some((parent, input)) = self.parent(at) {
            word.push(input);
            at = parent;
        }
        word.reverse();
        word
    }

    /// Tells all tests, in the order of their inputs. Memory for one test.
    pub fn each_test<B>(
        &self,
        mut tell: impl FnMut(&[InputId]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut word = Vec::new();
        let mut stack = vec![NodeId::ROOT];
        let mut children = Vec::new();
        while let Some(node) = stack.pop() {
            if let Some((_, input)) = self.parent(node) {
                word.truncate(self.depth(node) as usize - 1);
                word.push(input);
            }
            if self.is_leaf(node) {
                tell(&word)?;
                continue;
            }
            children.clear();
            children.extend(self.children(node));
            children.sort_unstable_by(|a, b| b.cmp(a));
            stack.extend(children.iter().map(|child| child.1));
        }
        ControlFlow::Continue(())
    }
}
