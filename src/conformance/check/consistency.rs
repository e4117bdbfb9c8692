//! Where the nodes of a suite may be in a machine whose states are known.
//!
//! Where the nodes near to the words of access are in states of their own, a
//! machine that passes is given by where transitions to nodes beyond lead: to each
//! there is a near node in whose state it is. What follows such a node then goes
//! on from there, through transitions of which the same holds. A near node is a
//! *place* for a node if for each input that follows the node the near node
//! answers alike, and leads to a near node, or to a node beyond that may be in
//! the state of one, which is a place for what follows.
//!
//! These sets are the greatest with this property: arc consistency (A. Mackworth:
//! Consistency in Networks of Relations, Artificial Intelligence 8, 1977). They
//! contain all places in machines that pass. Nodes that the same tests follow, with
//! the same answers, have the same places, and there are few such kinds of nodes.

use hyades_base::interned::Interned;

use crate::machine::NONE;

use super::conditions::Near;
use super::quotient::Quotient;

/// The places of the nodes that are not near, and of those beyond where their
/// transitions may lead to, which is less once something else is known of them.
pub(super) struct Places {
    kinds: Kinds,
    /// The near nodes.
    near: Vec<u32>,
    /// 64-bit words of a set of near nodes.
    words: usize,
    /// For each near node and input the number of the near node that follows, or
    /// behind these that of the node beyond.
    next: Vec<u32>,
    /// For each node beyond its kind.
    beyond: Vec<u32>,
    /// For each node beyond the near nodes in whose states it may be.
    domains: Vec<u64>,
    /// For each kind the set of its places, by their numbers among the near nodes.
    sets: Vec<u64>,
}

/// What follows nodes of the same kind.
struct Kinds {
    /// For each node its kind, [`NONE`] for near ones.
    kind: Vec<u32>,
    /// Inputs, answers and kinds that follow; kind by kind.
    edges: Vec<[u32; 3]>,
    /// For each kind where its edges end.
    ends: Vec<usize>,
    /// For each kind a node.
    some: Vec<u32>,
}

impl Kinds {
    /// The kinds of the nodes that are not near; those that follow others have
    /// lower numbers. O(nodes).
    fn new(quotient: &Quotient<'_>, near: &Near) -> Self {
        let mut is_near = vec![false; quotient.nodes()];
        for &node in &near.nodes {
            is_near[node as usize] = true;
        }
        let mut kinds = Self {
            kind: vec![NONE; quotient.nodes()],
            edges: Vec::new(),
            ends: Vec::new(),
            some: Vec::new(),
        };
        let mut known = Interned::default();
        let mut key = Vec::new();
        // Children have higher numbers.
        for node in (0..quotient.nodes() as u32).rev() {
            if is_near[node as usize] {
                continue;
            }
            key.clear();
            let state = quotient.state(node);
            for place in quotient.row(node) {
                let edge = quotient.edge(place);
                let answer = quotient.machine.answer(state, edge.input);
                key.extend([edge.input, answer, kinds.kind[edge.node as usize]]);
            }
            let kind = known.intern(&key).0;
            kinds.kind[node as usize] = kind;
            if kind as usize == kinds.ends.len() {
                let (edges, _) = key.as_chunks();
                kinds.edges.extend_from_slice(edges);
                kinds.ends.push(kinds.edges.len());
                kinds.some.push(node);
            }
        }
        kinds
    }

    fn edges_of(&self, kind: usize) -> &[[u32; 3]] {
        let start = kind.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[start..self.ends[kind]]
    }
}

impl Places {
    /// The places of all nodes that are not near, where all near nodes have all
    /// inputs. `None` if the steps are used up, or more than `bytes` are needed.
    ///
    /// Each round takes at most near nodes² · edges of all kinds / 64; there are few
    /// rounds.
    pub(super) fn new(quotient: &mut Quotient<'_>, near: &Near, bytes: u64) -> Option<Self> {
        let kinds = Kinds::new(quotient, near);
        quotient.steps += quotient.nodes() as u64;
        let (count, words) = (near.nodes.len(), near.nodes.len().div_ceil(64));
        let sets = kinds.some.len() + near.beyond.len();
        if 8 * words as u64 * sets as u64 > bytes {
            return None;
        }
        let mut number = vec![NONE; quotient.nodes()];
        let known = near.nodes.iter().chain(&near.beyond);
        for (k, &node) in (0..).zip(known) {
            number[node as usize] = k;
        }
        let row = |&node: &u32| quotient.row(node).map(|place| quotient.edge(place).node);
        let next = near.nodes.iter().flat_map(row);
        let next: Vec<u32> = next.map(|node| number[node as usize]).collect();
        let mut sets = vec![0; words * kinds.some.len()];
        for (set, &node) in sets.chunks_mut(words).zip(&kinds.some) {
            for (k, &other) in near.nodes.iter().enumerate() {
                if !quotient.apart(node, other) {
                    set[k / 64] |= 1 << (k % 64);
                }
            }
        }
        debug_assert_eq!(next.len(), count * quotient.machine.inputs());
        let beyond = near.beyond.iter().map(|&node| kinds.kind[node as usize]);
        let mut places = Self {
            words,
            next,
            beyond: beyond.collect(),
            domains: vec![u64::MAX; words * near.beyond.len()],
            sets,
            kinds,
            near: near.nodes.clone(),
        };
        places.refine(quotient).then_some(places)
    }

    /// Leaves out places until each is supported by others; false if the steps are
    /// used up.
    pub(super) fn refine(&mut self, quotient: &mut Quotient<'_>) -> bool {
        let words = self.words;
        let mut is_changed = true;
        while is_changed {
            for (domain, &kind) in self.domains.chunks_mut(words).zip(&self.beyond) {
                let set = &self.sets[kind as usize * words..][..words];
                domain
                    .iter_mut()
                    .zip(set)
                    .for_each(|(own, set)| *own &= set);
            }
            is_changed = false;
            for kind in 0..self.kinds.some.len() {
                for word in 0..words {
                    let mut left = self.sets[kind * words + word];
                    while left != 0 {
                        let bit = left.trailing_zeros();
                        left &= left - 1;
                        if !self.is_supported(quotient, kind, 64 * word + bit as usize) {
                            self.sets[kind * words + word] &= !(1 << bit);
                            is_changed = true;
                        }
                    }
                }
                if quotient.is_exhausted() {
                    return false;
                }
            }
        }
        true
    }

    /// Whether what follows nodes of a kind may follow a near node.
    fn is_supported(&self, quotient: &mut Quotient<'_>, kind: usize, place: usize) -> bool {
        let (machine, words) = (quotient.machine, self.words);
        let state = quotient.state(self.near[place]);
        let steps = &mut quotient.steps;
        self.kinds
            .edges_of(kind)
            .iter()
            .all(|&[input, answer, follows]| {
                *steps += 1;
                if machine.answer(state, input) != answer {
                    return false;
                }
                let follows = &self.sets[follows as usize * words..][..words];
                match self.next[place * machine.inputs() + input as usize] as usize {
                    near if near < self.near.len() => follows[near / 64] >> (near % 64) & 1 == 1,
                    beyond => {
                        let domain = &self.domains[(beyond - self.near.len()) * words..][..words];
                        domain
                            .iter()
                            .zip(follows)
                            .any(|(one, other)| one & other != 0)
                    }
                }
            })
    }

    /// Says that what follows a near node by an input, a node beyond, is not in the
    /// state of a near node.
    pub(super) fn exclude(&mut self, at: usize, place: u32) {
        let beyond = self.next[at] as usize - self.near.len();
        self.domains[beyond * self.words + place as usize / 64] &= !(1 << (place % 64));
    }

    /// The near nodes in whose states what follows a near node by an input may be,
    /// a node beyond.
    pub(super) fn domain(&self, at: usize) -> Option<&[u64]> {
        let beyond = (self.next[at] as usize).checked_sub(self.near.len())?;
        Some(&self.domains[beyond * self.words..][..self.words])
    }

    /// 64 of the places of a node; all for near nodes.
    pub(super) fn word(&self, node: u32, word: usize) -> u64 {
        match self.kinds.kind[node as usize] {
            NONE => u64::MAX,
            kind => self.sets[kind as usize * self.words + word],
        }
    }
}
