//! What hidden transitions alone say about branching bisimilarity: states on a
//! hidden cycle are equivalent, and a state that can do nothing but one hidden
//! step is equivalent to where that leads.

use hyades_base::grouped::Grouped;
use hyades_base::parallel::{self, even_ranges};
use hyades_formats::{LabelId, Lts, Offsets, StateId};

use super::rows::{Rows, TASK, TransitionColumns, finish_row};

/// An LTS without hidden cycles, whose nodes stand for sets of branching
/// bisimilar states.
pub(crate) struct TauContraction {
    /// The node of each state.
    pub(crate) node: Vec<u32>,
    /// Rows of transitions by node, without duplicates, ascending by label and
    /// target: the hidden ones come first. Hidden transitions lead to nodes of
    /// smaller numbers.
    columns: TransitionColumns,
    /// The label of the self-loops that stand for divergence.
    pub(super) divergence: LabelId,
}

impl TauContraction {
    /// Contracts an LTS. With `divergence`, a node that has a hidden cycle gets
    /// a self-loop with a label of its own, and states are taken together by
    /// divergence-preserving branching bisimilarity only.
    ///
    /// O(m + n), but for sorting each row; without recursion (Tarjan 1972, with
    /// one number a state as in Pearce 2016).
    pub(crate) fn new(lts: &Lts, divergence: bool) -> Self {
        let (node, diverges) = nodes(lts, divergence);
        let label = LabelId::new(lts.table().len() as u32);
        Self::with_nodes(lts.into(), node, &diverges, label)
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        self.columns.rows()
    }

    /// The node of each state, and the rows.
    pub(crate) fn into_parts(self) -> (Vec<u32>, TransitionColumns) {
        (self.node, self.columns)
    }

    /// Contracts an LTS to these nodes, numbered so that hidden transitions from one
    /// to another lead to smaller numbers. Each that `diverges` gets a self-loop
    /// with the label `divergence`, which is greater than all others.
    ///
    /// O(m + n), but for sorting each row; in parallel. 16 bytes a transition of
    /// the result and 16 a state at the peak.
    pub(crate) fn with_nodes(
        rows: Rows<'_>,
        node: Vec<u32>,
        diverges: &[bool],
        divergence: LabelId,
    ) -> Self {
        let count = diverges.len();
        // The states of each node, and an upper bound to its degree.
        let members = Grouped::new(count, node.iter().copied().zip(0..));
        let bounds = Offsets::from_lengths((0..count as u32).map(|v| {
            let states = members.of(v).iter();
            states.map(|&s| rows.degree(s)).sum()
        }));
        let parts: Vec<(Vec<u64>, Vec<u32>)> =
            parallel::map_each(&even_ranges(&bounds, TASK), |task| {
                let mut entries: Vec<u64> = Vec::new();
                let mut lengths = Vec::with_capacity(task.len());
                for v in task.clone() {
                    let start = entries.len();
                    for &s in members.of(v as u32) {
                        let (labels, targets) = rows.row(s);
                        for (&l, &t) in labels.iter().zip(targets) {
                            let target = node[t.index()];
                            if !l.is_hidden() || target as usize != v {
                                entries.push(u64::from(l.get()) << 32 | u64::from(target));
                            }
                        }
                    }
                    if diverges[v] {
                        entries.push(u64::from(divergence.get()) << 32 | v as u64);
                    }
                    finish_row(&mut entries, start);
                    lengths.push((entries.len() - start) as u32);
                }
                (entries, lengths)
            });
        drop((members, bounds));
        Self {
            node,
            columns: TransitionColumns::new(parts),
            divergence,
        }
    }
}

/// A state on the way of the depth-first search.
struct Visit {
    state: u32,
    /// The next transition of its row to follow.
    next: u32,
    /// Whether no hidden transition has led further up than to the state itself.
    is_root: bool,
}

/// The node of each state, and for each node whether it diverges (never, unless
/// `divergence` is to be told).
pub(super) fn nodes(lts: &Lts, divergence: bool) -> (Vec<u32>, Vec<bool>) {
    /// Numbers from here on are indices of the search, from the top down;
    /// smaller ones are nodes. The two ranges cannot meet: each index in use
    /// stands for a state that has no node.
    const UNSEEN: u32 = u32::MAX;
    let n = lts.states();
    let (offsets, labels, targets) = (lts.offsets(), lts.labels(), lts.targets());
    let mut number = vec![UNSEEN; n];
    let mut diverges: Vec<bool> = Vec::new();
    // Indices of the search descend from UNSEEN − 1; an index that is greater
    // is earlier.
    let mut index = UNSEEN - 1;
    let mut path: Vec<Visit> = Vec::new();
    // States that are done, but whose component is not.
    let mut waiting: Vec<u32> = Vec::new();
    let mut component: Vec<u32> = Vec::new();
    for start in 0..n as u32 {
        if number[start as usize] != UNSEEN {
            continue;
        }
        let visit = |state: u32| Visit {
            state,
            next: 0,
            is_root: true,
        };
        number[start as usize] = index;
        index -= 1;
        path.push(visit(start));
        while let Some(top) = path.last_mut() {
            let s = top.state as usize;
            let row = offsets.row(s);
            let mut descend = None;
            while (top.next as usize) < row.len() {
                let e = row.start + top.next as usize;
                top.next += 1;
                if !labels[e].is_hidden() {
                    continue;
                }
                let t = targets[e].index();
                if number[t] == UNSEEN {
                    // Looked at again on the way back.
                    top.next -= 1;
                    descend = Some(t as u32);
                    break;
                }
                // A node is smaller than any index in use.
                if number[t] > number[s] {
                    number[s] = number[t];
                    top.is_root = false;
                }
            }
            if let Some(t) = descend {
                number[t as usize] = index;
                index -= 1;
                path.push(visit(t));
                continue;
            }
            let Visit { state, is_root, .. } = path.pop().expect("it was on top");
            if !is_root {
                waiting.push(state);
                continue;
            }
            // All that was found later and still waits is of one component.
            component.clear();
            component.push(state);
            index += 1;
            while let Some(&s) = waiting.last() {
                if number[s as usize] > number[state as usize] {
                    break;
                }
                waiting.pop();
                component.push(s);
                index += 1;
            }
            let new = diverges.len() as u32;
            component.iter().for_each(|&s| number[s as usize] = new);
            let in_cycle = |&s: &u32| {
                lts.outgoing(StateId::new(s))
                    .any(|(l, t)| l.is_hidden() && number[t.index()] == new)
            };
            let cycle = divergence && (component.len() > 1 || in_cycle(&state));
            match only_step(lts, &component, &number, new) {
                Some(node) if !cycle || diverges[node as usize] => {
                    component.iter().for_each(|&s| number[s as usize] = node);
                }
                _ => diverges.push(cycle),
            }
        }
    }
    (number, diverges)
}

/// The node that all transitions out of a component lead to, if there are any
/// and all are hidden.
fn only_step(lts: &Lts, component: &[u32], number: &[u32], own: u32) -> Option<u32> {
    let mut only = None;
    for &s in component {
        for (l, t) in lts.outgoing(StateId::new(s)) {
            let target = number[t.index()];
            if !l.is_hidden() || only.is_some_and(|only| only != target && own != target) {
                return None;
            }
            if target != own {
                only = Some(target);
            }
        }
    }
    only
}
