//! Which nodes must reach equivalent states.
//!
//! The lemma, after A. Simão, A. Petrenko, N. Yevtushenko: On Reducing Test
//! Length for FSMs with Extra States (2012). Let `n` nodes `K` be pairwise apart,
//! one for each state of the specification, and let `a` and `b` be nodes of one
//! state, such that for each word `w` of length `k` both `a · w` and `b · w` are
//! in the suite, and of `K` and what is passed from `a` and `b` along `w` any two
//! nodes of different states are apart. Then `a` and `b` reach equivalent states
//! in every machine of at most `n + k` states that passes.
//!
//! Assume that they reach `p` and `q` in a minimal such machine, and let `w` be a
//! shortest word that separates these. It is longer than `k`. The `k + 1` pairs of
//! states that are passed along its first `k` letters need different lengths to
//! be separated; seen as edges between states they have no cycle, as the edge
//! with the least length could not close one. Each joins nodes of one state of
//! the specification, and nodes of different states do not meet: a forest of
//! `k + 1` edges in `n` groups that are not empty needs `n + k + 1` states.
//!
//! All of this holds for classes of nodes that are known to reach equivalent
//! states, and a word need not be followed further once its nodes are in one
//! class.

use crate::machine::NONE;

use super::quotient::Quotient;

/// Nodes `K`, and how many extra states there may be.
pub(super) struct Closure<'b> {
    /// For each state its node.
    basis: &'b [u32],
    extra: usize,
    /// Of nodes found not apart from some node of the basis the state of that
    /// one, which is asked first the next time.
    blocked: Vec<u32>,
    /// The classes passed, `[a, b]` for each length.
    passed: Vec<[u32; 2]>,
}

impl<'b> Closure<'b> {
    /// For a basis of pairwise apart nodes. Forgets what was identified by
    /// another.
    pub(super) fn new(quotient: &mut Quotient<'_>, basis: &'b [u32], extra: usize) -> Self {
        quotient.identified.fill(false);
        Self {
            basis,
            extra,
            blocked: vec![NONE; quotient.nodes()],
            passed: Vec::new(),
        }
    }

    /// Whether a node is apart from all nodes of the basis but that of its state.
    pub(super) fn is_identified(&mut self, quotient: &mut Quotient<'_>, node: u32) -> bool {
        let class = quotient.find(node);
        if quotient.identified[class as usize] {
            return true;
        }
        let own = quotient.state(class);
        if quotient.find(self.basis[own as usize]) != class {
            if quotient.row(class).is_empty() && self.basis.len() > 1 {
                return false;
            }
            let blocked = self.blocked[node as usize];
            let first = (blocked != NONE).then_some(blocked);
            for other in first.into_iter().chain(0..self.basis.len() as u32) {
                if other != own && !quotient.apart(class, self.basis[other as usize]) {
                    self.blocked[node as usize] = other;
                    return false;
                }
            }
        }
        quotient.identified[class as usize] = true;
        true
    }

    /// Whether the lemma makes one class of two nodes of one state.
    fn converge(&mut self, quotient: &mut Quotient<'_>, a: u32, b: u32) -> bool {
        // For each length the next input.
        let mut inputs: Vec<u32> = Vec::new();
        self.passed.clear();
        let mut next = Some([a, b]);
        loop {
            if let Some(nodes) = next.take() {
                let classes = nodes.map(|node| quotient.find(node));
                if classes[0] != classes[1] {
                    if !self.keeps_apart(quotient, classes) {
                        return false;
                    }
                    self.passed.push(classes);
                    inputs.push(0);
                }
            }
            let Some(&classes) = self.passed.last() else {
                return true;
            };
            let input = inputs.last_mut().expect("one for each pair passed");
            let is_end = self.passed.len() > self.extra;
            if is_end || *input as usize == quotient.machine.inputs() {
                inputs.pop();
                self.passed.pop();
                continue;
            }
            if quotient.is_exhausted() {
                return false;
            }
            quotient.steps += 1;
            let children = classes.map(|class| quotient.child(class, *input));
            *input += 1;
            let [Some(one), Some(other)] = children else {
                return false;
            };
            quotient.rely_on(one);
            quotient.rely_on(other);
            next = Some([one, other]);
        }
    }

    /// Whether two more classes of one state are apart from all nodes of other
    /// states.
    fn keeps_apart(&mut self, quotient: &mut Quotient<'_>, classes: [u32; 2]) -> bool {
        if !classes.iter().all(|&c| self.is_identified(quotient, c)) {
            return false;
        }
        let state = quotient.state(classes[0]);
        let of_basis = quotient.find(self.basis[state as usize]);
        quotient.steps += self.passed.len() as u64;
        for place in 0..self.passed.len() {
            let before = self.passed[place];
            let other = quotient.state(before[0]);
            if other == state {
                continue;
            }
            let other = quotient.find(self.basis[other as usize]);
            for one in before {
                for class in classes {
                    // What is identified is apart from the nodes of the basis.
                    if one != other && class != of_basis && !quotient.apart(one, class) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Whether the classes of the basis are the specification: closed under its
    /// transitions, with the root in the class of the initial state.
    fn is_specification(&self, quotient: &mut Quotient<'_>) -> bool {
        let machine = quotient.machine;
        let initial = self.basis[machine.initial().index()];
        if quotient.find(0) != quotient.find(initial) {
            return false;
        }
        for (state, &node) in self.basis.iter().enumerate() {
            for (input, &target) in machine.targets_of(state as u32).iter().enumerate() {
                let class = quotient.find(node);
                let Some(child) = quotient.child(class, input as u32) else {
                    return false;
                };
                quotient.rely_on(child);
                if quotient.find(child) != quotient.find(self.basis[target as usize]) {
                    return false;
                }
            }
        }
        true
    }

    /// Merges what the lemma makes one, until nothing changes or the classes are
    /// those of the specification, which then all machines that pass are
    /// equivalent to; tells whether they are.
    pub(super) fn run(&mut self, quotient: &mut Quotient<'_>) -> bool {
        // The nodes that are in no class of the basis yet.
        let mut others: Vec<u32> = (0..quotient.nodes() as u32).collect();
        loop {
            while self.merge_transitions(quotient) {}
            let initial = self.basis[quotient.machine.initial().index()];
            self.merge(quotient, 0, initial);
            if self.is_specification(quotient) {
                return true;
            }
            let mut is_changed = false;
            others.retain(|&node| {
                let own = self.basis[quotient.state(node) as usize];
                let is_leader = quotient.find(node) == node;
                if is_leader && self.merge(quotient, node, own) {
                    is_changed = true;
                }
                is_leader && quotient.find(node) != quotient.find(own)
            });
            if !is_changed || quotient.is_exhausted() {
                return false;
            }
        }
    }

    fn merge_transitions(&mut self, quotient: &mut Quotient<'_>) -> bool {
        let mut is_changed = false;
        for (state, &node) in self.basis.iter().enumerate() {
            let machine = quotient.machine;
            for (input, &target) in machine.targets_of(state as u32).iter().enumerate() {
                let class = quotient.find(node);
                if let Some(child) = quotient.child(class, input as u32) {
                    let target = self.basis[target as usize];
                    is_changed |= self.merge(quotient, child, target);
                }
            }
        }
        is_changed && !quotient.is_exhausted()
    }

    /// Merges two nodes of one state if the lemma allows; tells whether it did.
    fn merge(&mut self, quotient: &mut Quotient<'_>, a: u32, b: u32) -> bool {
        let is_new = quotient.find(a) != quotient.find(b) && self.converge(quotient, a, b);
        if is_new {
            quotient.merge(a, b);
        }
        is_new
    }
}
