//! The tree of a suite, where nodes that must reach equivalent states are one.

use std::collections::HashSet;

use crate::machine::{Machine, NONE};
use crate::tree::TestTree;

/// So many pairs are looked at before a search for a separating word remembers
/// which it has seen: most searches end earlier, and a tree has no cycles.
const UNSEEN: usize = 64;

/// An input that goes on from a class, and a node of the class it leads to.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) input: u32,
    pub(super) node: u32,
}

/// A pair of classes in a search for a separating word.
struct Pair {
    a: u32,
    b: u32,
    /// The pair before.
    before: u32,
    /// The nodes by which the pair is reached.
    nodes: [u32; 2],
}

/// Nodes of a test tree in classes, each of one state of the specification. At
/// first each node is a class of its own. About 25 bytes a node.
pub(super) struct Quotient<'a> {
    pub(super) machine: &'a Machine,
    leader: Vec<u32>,
    state: Vec<u32>,
    /// For each leader where its edges are, which ascend by input.
    rows: Vec<(u32, u32)>,
    edges: Vec<Edge>,
    /// Nodes whose presence some answer of this structure relied on.
    evidence: Vec<bool>,
    /// Leaders that are known to be apart from whatever the user compares them
    /// with; kept when classes are merged.
    pub(super) identified: Vec<bool>,
    /// Pairs of classes that were looked at, and decisions of a search.
    pub(super) steps: u64,
    pub(super) most_steps: u64,
    pairs: Vec<Pair>,
    seen: HashSet<(u32, u32), foldhash::fast::RandomState>,
}

impl<'a> Quotient<'a> {
    /// The tree with each node in a class of its own. O(nodes · log inputs).
    pub(super) fn new(machine: &'a Machine, tree: &TestTree, most_steps: u64) -> Self {
        let nodes = tree.len();
        let mut rows = Vec::with_capacity(nodes);
        let mut edges: Vec<Edge> = Vec::with_capacity(nodes - 1);
        for node in tree.nodes() {
            let start = edges.len();
            edges.extend(tree.children(node).map(|(input, child)| Edge {
                input: input.get(),
                node: child.0,
            }));
            edges[start..].sort_unstable_by_key(|edge| edge.input);
            rows.push((start as u32, (edges.len() - start) as u32));
        }
        Self {
            machine,
            leader: (0..nodes as u32).collect(),
            state: tree.nodes().map(|node| tree.state(node).get()).collect(),
            rows,
            edges,
            evidence: vec![false; nodes],
            identified: vec![false; nodes],
            steps: 0,
            most_steps,
            pairs: Vec::new(),
            seen: HashSet::default(),
        }
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.leader.len()
    }

    /// Whether the steps are used up. Nodes are then no longer found apart.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps >= self.most_steps
    }

    /// The class of a node, named by one of its nodes.
    pub(super) fn find(&mut self, node: u32) -> u32 {
        let mut at = node;
        while self.leader[at as usize] != at {
            let next = self.leader[self.leader[at as usize] as usize];
            self.leader[at as usize] = next;
            at = next;
        }
        at
    }

    /// The specification's state of a node.
    pub(super) fn state(&self, node: u32) -> u32 {
        self.state[node as usize]
    }

    /// Where the edges of a class are; for [`Self::edge`].
    pub(super) fn row(&self, class: u32) -> std::ops::Range<usize> {
        let (start, length) = self.rows[class as usize];
        start as usize..start as usize + length as usize
    }

    /// An edge by its place.
    pub(super) fn edge(&self, place: usize) -> Edge {
        self.edges[place]
    }

    /// A node of the class that an input leads to. O(log inputs).
    pub(super) fn child(&self, class: u32, input: u32) -> Option<u32> {
        let row = &self.edges[self.row(class)];
        // A row with all inputs needs no search.
        if let Some(edge) = row.get(input as usize)
            && edge.input == input
        {
            return Some(edge.node);
        }
        let place = row.binary_search_by_key(&input, |edge| edge.input).ok()?;
        Some(row[place].node)
    }

    /// Says that an answer relies on a node.
    pub(super) fn rely_on(&mut self, node: u32) {
        self.evidence[node as usize] = true;
    }

    /// Whether some answer relied on a node. Not told for the nodes before it,
    /// on which it then relies as well.
    pub(super) fn is_evidence(&self, node: u32) -> bool {
        self.evidence[node as usize]
    }

    /// Makes one class of the classes of two nodes, which have the same state,
    /// and of what follows them.
    pub(super) fn merge(&mut self, a: u32, b: u32) {
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            debug_assert_eq!(self.state(a), self.state(b));
            // The class with more edges keeps its name.
            let (kept, gone) = match self.rows[a as usize].1 >= self.rows[b as usize].1 {
                true => (a, b),
                false => (b, a),
            };
            self.leader[gone as usize] = kept;
            let flag = self.identified[gone as usize];
            self.identified[kept as usize] |= flag;
            self.join_rows(kept, gone, &mut work);
        }
    }

    fn join_rows(&mut self, kept: u32, gone: u32, work: &mut Vec<(u32, u32)>) {
        let (one, other) = (self.row(kept), self.row(gone));
        let mut new = 0;
        for place in other.clone() {
            let edge = self.edges[place];
            match self.child(kept, edge.input) {
                Some(node) => work.push((node, edge.node)),
                None => new += 1,
            }
        }
        if new == 0 {
            return;
        }
        let start = self.edges.len();
        let (mut i, mut j) = (one.start, other.start);
        while i < one.end || j < other.end {
            let left = (i < one.end).then(|| self.edges[i]);
            let right = (j < other.end).then(|| self.edges[j]);
            let edge = match (left, right) {
                (Some(left), Some(right)) if left.input == right.input => {
                    i += 1;
                    j += 1;
                    left
                }
                (Some(left), right) if right.is_none_or(|right| left.input < right.input) => {
                    i += 1;
                    left
                }
                (_, right) => {
                    j += 1;
                    right.expect("one of two rows goes on")
                }
            };
            self.edges.push(edge);
        }
        let length = self.edges.len() - start;
        self.rows[kept as usize] = (start as u32, length as u32);
    }

    /// Whether two nodes are apart: whether some word that goes on from both
    /// classes is answered differently. Breadth first: O(pairs of classes that
    /// the same word leads to). "No" if the steps are used up.
    pub(super) fn apart(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b || self.state(a) == self.state(b) {
            return false;
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        self.seen.clear();
        pairs.push(Pair {
            a,
            b,
            before: NONE,
            nodes: [NONE; 2],
        });
        let mut at = 0;
        let mut is_apart = false;
        while at < pairs.len() && !self.is_exhausted() {
            self.steps += 1;
            if let Some(nodes) = self.expand(at as u32, &mut pairs) {
                self.tell(&pairs, at as u32, nodes);
                is_apart = true;
                break;
            }
            at += 1;
        }
        self.pairs = pairs;
        is_apart
    }

    /// Looks at the common inputs of a pair: gives the nodes after an input that
    /// is answered differently, or adds the pairs that follow.
    fn expand(&mut self, at: u32, pairs: &mut Vec<Pair>) -> Option<[u32; 2]> {
        let Pair { a, b, .. } = pairs[at as usize];
        let (of_a, of_b) = (self.state(a), self.state(b));
        let (mut i, mut j) = (self.row(a), self.row(b));
        while !i.is_empty() && !j.is_empty() {
            let (left, right) = (self.edges[i.start], self.edges[j.start]);
            match left.input.cmp(&right.input) {
                std::cmp::Ordering::Less => i.start += 1,
                std::cmp::Ordering::Greater => j.start += 1,
                std::cmp::Ordering::Equal => {
                    i.start += 1;
                    j.start += 1;
                    let nodes = [left.node, right.node];
                    let answer = |state| self.machine.answer(state, left.input);
                    if answer(of_a) != answer(of_b) {
                        return Some(nodes);
                    }
                    // Of one state all words are answered alike.
                    if self.state(left.node) == self.state(right.node) {
                        continue;
                    }
                    let (a, b) = (self.find(left.node), self.find(right.node));
                    if self.row(a).is_empty() || self.row(b).is_empty() {
                        continue;
                    }
                    if pairs.len() >= UNSEEN && !self.seen.insert((a, b)) {
                        continue;
                    }
                    pairs.push(Pair {
                        a,
                        b,
                        before: at,
                        nodes,
                    });
                }
            }
        }
        None
    }

    /// Notes the nodes of a separating word as evidence.
    fn tell(&mut self, pairs: &[Pair], mut at: u32, mut nodes: [u32; 2]) {
        loop {
            for node in nodes {
                self.rely_on(node);
            }
            let pair = &pairs[at as usize];
            if pair.before == NONE {
                return;
            }
            nodes = pair.nodes;
            at = pair.before;
        }
    }
}
