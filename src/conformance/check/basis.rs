//! Nodes that are pairwise apart, one for each state.

use std::collections::HashMap;

use crate::cover::Cover;
use crate::machine::{Machine, NONE};
use crate::tree::{NodeId, TestTree};

use super::conditions::are_apart;
use super::quotient::Quotient;

/// So many nodes are tried for each state.
const CANDIDATES: usize = 6;

/// A search for pairwise apart nodes is given up after so many choices and a few
/// for each state.
const MOST_CHOICES: usize = 2_000;

/// For each node up to which length it has all words.
pub(super) fn completeness_depths(tree: &TestTree, inputs: usize) -> Vec<u32> {
    // What the children have at least, and how many they are.
    let mut least = vec![(NONE, 0usize); tree.len()];
    let mut depths = vec![0; tree.len()];
    for node in tree.nodes().rev() {
        let (below, children) = least[node.index()];
        // Without inputs all words are there.
        let depth = match (inputs, children == inputs) {
            (0, _) => NONE,
            (_, true) => below.saturating_add(1),
            (_, false) => 0,
        };
        depths[node.index()] = depth;
        if let Some((parent, _)) = tree.parent(node) {
            let of_parent = &mut least[parent.index()];
            *of_parent = (of_parent.0.min(depth), of_parent.1 + 1);
        }
    }
    depths
}

/// How nodes are chosen.
#[derive(Clone, Copy)]
pub(super) enum Choice {
    /// Those of the shortest words to the states ([`Cover`]), as methods do. Where words are
    /// added behind nodes that converge, as by the SPY-method, no other tells what separates
    /// them: not all words follow these nodes themselves, but those of others of their classes.
    Cover,
    /// Those that are found, with the root for this state, or without the root.
    Found(Option<u32>),
}

/// Chooses nodes.
pub(super) struct Candidates {
    /// For each state the node of the shortest word to it; none if one is not in the tree.
    of_cover: Option<Vec<u32>>,
    /// For each state some nodes, the best first.
    of_state: Vec<Vec<u32>>,
    /// What is known of pairs of nodes.
    known: HashMap<(u32, u32), bool, foldhash::fast::RandomState>,
}

impl Candidates {
    /// Candidates for each state: the shallowest nodes with all words of length
    /// `length`, then the shallowest that have all inputs, then those with most
    /// nodes behind them. The root is left out.
    pub(super) fn new(machine: &Machine, tree: &TestTree, length: usize) -> Self {
        let (states, inputs) = (machine.states(), machine.inputs());
        let cover = Cover::new(machine);
        let of_cover = machine.state_ids().map(|state| {
            let node = tree.walk(NodeId::ROOT, &cover.word(state));
            node.map(|node| node.0)
        });
        let depths = completeness_depths(tree, inputs);
        let mut behind = vec![1u32; tree.len()];
        for node in tree.nodes().rev() {
            if let Some((parent, _)) = tree.parent(node) {
                behind[parent.index()] += behind[node.index()];
            }
        }
        let rank = |node: NodeId| match depths[node.index()] as usize {
            depth if depth >= length => (0, tree.depth(node), node),
            0 => (2, u32::MAX - behind[node.index()], node),
            _ => (1, tree.depth(node), node),
        };
        let mut of_state: Vec<Vec<NodeId>> = vec![Vec::new(); states];
        for node in tree.nodes().skip(1) {
            let nodes = &mut of_state[tree.state(node).index()];
            let place = nodes.partition_point(|&other| rank(other) < rank(node));
            if place < CANDIDATES {
                nodes.insert(place, node);
                nodes.truncate(CANDIDATES);
            }
        }
        let numbers = |nodes: Vec<NodeId>| nodes.iter().map(|node| node.0).collect();
        Self {
            of_cover: of_cover.collect(),
            of_state: of_state.into_iter().map(numbers).collect(),
            known: HashMap::default(),
        }
    }

    fn apart(&mut self, quotient: &mut Quotient<'_>, a: u32, b: u32) -> bool {
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let apart = quotient.apart(a, b);
        self.known.insert(key, apart);
        apart
    }

    fn nodes(&self, state: u32, root: Option<u32>) -> Vec<u32> {
        match root {
            Some(root) if root == state => vec![0],
            _ => self.of_state[state as usize].clone(),
        }
    }

    /// A node for each state, pairwise apart, if they are found.
    pub(super) fn all(&mut self, quotient: &mut Quotient<'_>, choice: Choice) -> Option<Vec<u32>> {
        match choice {
            Choice::Cover => self.cover(quotient),
            Choice::Found(root) => self.search(quotient, root),
        }
    }

    fn cover(&mut self, quotient: &mut Quotient<'_>) -> Option<Vec<u32>> {
        let nodes = self.of_cover.as_ref()?;
        are_apart(quotient, nodes).then(|| nodes.clone())
    }

    /// The root for the state `root` if one is given. A search that goes back, up to some
    /// number of choices.
    fn search(&mut self, quotient: &mut Quotient<'_>, root: Option<u32>) -> Option<Vec<u32>> {
        let states = self.of_state.len();
        // States with few candidates first.
        let mut order: Vec<u32> = (0..states as u32).collect();
        order.sort_by_key(|&state| match root == Some(state) {
            true => 0,
            false => self.of_state[state as usize].len(),
        });
        let candidates: Vec<Vec<u32>> = order.iter().map(|&s| self.nodes(s, root)).collect();
        let mut chosen: Vec<u32> = Vec::with_capacity(states);
        let mut next = vec![0; states + 1];
        let mut choices = MOST_CHOICES + 4 * states;
        while chosen.len() < states {
            let level = chosen.len();
            let Some(&node) = candidates[level].get(next[level]) else {
                next[level] = 0;
                chosen.pop()?;
                continue;
            };
            next[level] += 1;
            choices = choices.checked_sub(1)?;
            // The last conflict is likely the next one too.
            let mut before = chosen.iter().rev();
            if before.all(|&other| self.apart(quotient, other, node)) {
                chosen.push(node);
            }
        }
        let mut of_state = vec![NONE; states];
        for (&state, &node) in order.iter().zip(&chosen) {
            of_state[state as usize] = node;
        }
        Some(of_state)
    }

    /// Nodes for as many states as are found, one after the other, the root
    /// first if asked; pairwise apart.
    pub(super) fn some(&mut self, quotient: &mut Quotient<'_>, root: Option<u32>) -> Vec<u32> {
        let mut chosen: Vec<u32> = Vec::new();
        let mut order: Vec<u32> = (0..self.of_state.len() as u32).collect();
        order.sort_by_key(|&state| root != Some(state));
        for state in order {
            for node in self.nodes(state, root) {
                let mut before = chosen.iter();
                if before.all(|&other| self.apart(quotient, other, node)) {
                    chosen.push(node);
                    break;
                }
            }
        }
        chosen
    }
}
