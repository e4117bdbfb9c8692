//! Sufficient conditions of the literature.

use super::closure::Closure;
use super::quotient::Quotient;

/// The condition of the H method (R. Dorofeeva, K. El-Fakih, N. Yevtushenko: An
/// Improved Conformance Testing Method, 2005) for a basis of pairwise apart nodes
/// with the root among them: behind each node of the basis are all words of
/// length `extra + 1`; each node of the basis and each node passed along these
/// words are apart unless they have one state, and so are the nodes passed along
/// one word. Then the suite is complete for `extra` extra states.
///
/// No nodes of the quotient may have been merged.
pub(super) fn is_h(quotient: &mut Quotient<'_>, basis: &[u32], extra: usize) -> bool {
    let mut closure = Closure::new(quotient, basis, extra);
    let inputs = quotient.machine.inputs() as u32;
    // The nodes passed behind a node of the basis, and for each its next input.
    let mut passed: Vec<(u32, u32)> = Vec::new();
    for &node in basis {
        passed.push((node, 0));
        while let Some((node, input)) = passed.pop() {
            if passed.len() > extra || input == inputs {
                continue;
            }
            passed.push((node, input + 1));
            quotient.steps += passed.len() as u64;
            let Some(child) = quotient.child(node, input) else {
                return false;
            };
            quotient.rely_on(child);
            if quotient.is_exhausted() || !closure.is_identified(quotient, child) {
                return false;
            }
            for &(before, _) in &passed[1..] {
                if quotient.state(before) != quotient.state(child) && !quotient.apart(before, child)
                {
                    return false;
                }
            }
            passed.push((child, 0));
        }
    }
    true
}

/// The words of access and what is up to `extra` inputs behind them, and what is
/// one input further, as far as the tree has them.
pub(super) struct Near {
    /// The nodes of the words of access, by state, then the nodes behind these,
    /// nearest first.
    pub(super) nodes: Vec<u32>,
    /// Nodes one input behind some of `nodes`, that are not among them.
    pub(super) beyond: Vec<u32>,
    /// Whether each of `nodes` has all inputs.
    pub(super) is_complete: bool,
}

impl Near {
    pub(super) fn new(quotient: &Quotient<'_>, basis: &[u32], extra: usize) -> Self {
        let inputs = quotient.machine.inputs();
        let mut in_basis = vec![false; quotient.nodes()];
        for &node in basis {
            in_basis[node as usize] = true;
        }
        let mut near = Self {
            nodes: Vec::new(),
            beyond: basis.to_vec(),
            is_complete: true,
        };
        for _ in 0..=extra {
            let last = std::mem::take(&mut near.beyond);
            if last.is_empty() {
                break;
            }
            for &node in &last {
                let row = quotient.row(node);
                near.is_complete &= row.len() == inputs;
                let children = row.map(|place| quotient.edge(place).node);
                let outside = children.filter(|&child| !in_basis[child as usize]);
                near.beyond.extend(outside);
            }
            near.nodes.extend(last);
        }
        near
    }
}

/// Whether some nodes are pairwise apart.
pub(super) fn are_apart(quotient: &mut Quotient<'_>, nodes: &[u32]) -> bool {
    let mut pairs = (0..nodes.len()).flat_map(|k| nodes[..k].iter().map(move |&b| (nodes[k], b)));
    pairs.all(|(a, b)| quotient.apart(a, b))
}

/// A condition for k-A-completeness, where the nodes of the words of access are
/// pairwise apart: all nodes that are near have all inputs, and each node beyond
/// is apart from each near node of another state.
///
/// Take a machine that passes, all of whose states are reached by near nodes. The
/// node beyond then reaches a state that a near node reaches too, of the same
/// state of the specification as the two are not apart; so that what near nodes
/// reach, and their states, are a bisimulation. The condition of F. Vaandrager and
/// I. Melse (New Fault Domains for Conformance Testing of Finite State Machines,
/// 2025) asks more: that those near nodes of the same state that are not in the
/// basis are apart from all others of the basis.
///
/// No nodes of the quotient may have been merged.
pub(super) fn is_k_a(quotient: &mut Quotient<'_>, basis: &[u32], near: &Near) -> bool {
    if !near.is_complete {
        return false;
    }
    if !are_apart(quotient, basis) {
        return false;
    }
    for &node in &near.beyond {
        for &other in &near.nodes {
            if quotient.state(node) != quotient.state(other) && !quotient.apart(node, other) {
                return false;
            }
        }
    }
    for &node in near.nodes.iter().chain(&near.beyond) {
        quotient.rely_on(node);
    }
    true
}
