//! Does each loop lead every copy back to where it was?

use std::ops::Range;

use hyades_base::discovered::Discovered;
use hyades_formats::LabelId;
use hyades_lts::Components;

use super::pairs::{Budget, Pairs};
use super::{ConditionVerdict, Reason, Violation};
use crate::graph::{Graph, Tree};

/// The ways around loops of a graph: pairs of a node and one that can be reached
/// from it within the strongly connected component of the specification, which
/// is where all loops of the specification are. Breadth-first by the length of
/// the trace to the first node and from there to the second.
pub(super) struct Around<'g> {
    graph: &'g Graph<'g>,
    tree: &'g Tree,
    components: &'g Components,
    pub pairs: Pairs,
    /// Pairs below have been gone on from.
    done: usize,
    /// Nodes below have been begun with.
    begun: u32,
    length: u32,
}

impl<'g> Around<'g> {
    pub fn new(graph: &'g Graph<'g>, tree: &'g Tree, components: &'g Components) -> Self {
        Self {
            graph,
            tree,
            components,
            pairs: Pairs::default(),
            done: 0,
            begun: 0,
            length: 0,
        }
    }

    fn component(&self, node: u32) -> u32 {
        self.components.of[self.graph.state(node) as usize]
    }

    /// The pairs of the next length, from 0 on; there may be none with one
    /// length and some with the next. `None` if there are no more.
    ///
    /// # Errors
    /// If the budget is used up.
    pub fn next_length(
        &mut self,
        budget: &mut Budget<'_, '_>,
    ) -> Result<Option<Range<usize>>, Reason> {
        let start = self.pairs.len();
        budget.length = self.length;
        for at in self.done..start {
            let (first, second) = *self.pairs.get(at);
            let component = self.component(first);
            for target in self.graph.targets(second) {
                if self.component(target) == component
                    && self.pairs.add((first, target), Some(at), ())
                {
                    budget.find()?;
                }
            }
        }
        self.done = start;
        let nodes = self.graph.reached();
        while self.begun < nodes && self.tree.depth(self.begun) == self.length {
            let node = self.begun;
            self.begun += 1;
            let component = self.component(node);
            let mut targets = self.graph.targets(node);
            if targets.any(|target| self.component(target) == component)
                && self.pairs.add((node, node), None, ())
            {
                budget.find()?;
            }
        }
        self.length += 1;
        let end = self.pairs.len();
        Ok((end > start || self.begun < nodes).then_some(start..end))
    }

    /// The traces of a pair: to its first node, and from there to its second.
    pub fn traces(&self, at: usize) -> [Vec<LabelId>; 2] {
        let (first, _) = *self.pairs.get(at);
        let way = self.pairs.way(at);
        let nodes: Vec<u32> = way.iter().map(|&at| self.pairs.get(at).1).collect();
        [
            self.tree.trace(self.graph, first),
            labels(self.graph, &nodes),
        ]
    }
}

/// The labels of a path.
fn labels(graph: &Graph<'_>, nodes: &[u32]) -> Vec<LabelId> {
    let steps = nodes.windows(2);
    steps
        .map(|two| graph.label_between(two[0], two[1]))
        .collect()
}

/// Whether the pattern is loop preserving (report SEN-R9918, Definition 6.2):
/// no node `(s, v)` reaches a node `(s, v')` with another vector `v'` of the
/// copies' states. (What a loop must not change is the state of each copy; of
/// the edges that a copy took last, only the target counts.) All labels that can
/// be reached are to be covered.
///
/// The decision takes O(transitions); see [`changed`]. If it is no, pairs are
/// searched for a shortest one.
pub(super) fn check(
    graph: &Graph<'_>,
    tree: &Tree,
    components: &Components,
    budget: &mut Budget<'_, '_>,
) -> ConditionVerdict {
    let few = || ConditionVerdict::Unknown(Reason::Nodes(graph.len() as u64));
    let Some(roots) = changed(graph, components) else {
        return if graph.is_complete() {
            ConditionVerdict::Holds
        } else {
            few()
        };
    };
    let mut around = Around::new(graph, tree, components);
    loop {
        match around.next_length(budget) {
            Ok(Some(range)) => {
                for at in range {
                    let (first, second) = *around.pairs.get(at);
                    if first != second && graph.state(first) == graph.state(second) {
                        let traces = around.traces(at);
                        // Shorter ones would not leave the nodes that were
                        // expanded before the first that was not.
                        let length = traces[0].len() + traces[1].len();
                        let shortest = graph.is_complete()
                            || length <= tree.depth(graph.expanded()) as usize + 1;
                        return violated(graph, traces, [first, second], shortest);
                    }
                }
            }
            Ok(None) => return few(),
            Err(Reason::Stopped) => return ConditionVerdict::Unknown(Reason::Stopped),
            Err(_) => break,
        }
    }
    let mut ways = roots.iter();
    match ways.find_map(|&root| nearest_other(graph, components, root)) {
        Some(way) => {
            let ends = [way[0], way[way.len() - 1]];
            let traces = [tree.trace(graph, way[0]), labels(graph, &way)];
            violated(graph, traces, ends, false)
        }
        None => few(),
    }
}

fn violated(
    graph: &Graph<'_>,
    [before, around]: [Vec<LabelId>; 2],
    nodes: [u32; 2],
    shortest: bool,
) -> ConditionVerdict {
    let [first, second] = nodes.map(|node| graph.copies.vector(graph.packed(node)));
    let (copy, states) = first
        .zip(second)
        .enumerate()
        .find(|(_, (first, second))| first != second)
        .expect("the vectors are different");
    ConditionVerdict::Violated(Violation::LoopPreserving {
        before,
        around,
        copy,
        states: [states.0, states.1],
        shortest,
    })
}

/// Nodes of which one reaches a node with the same state of the specification
/// and another vector; `None` if no node of the graph does. O(transitions).
///
/// From each node that was not visited, all nodes are visited that can be
/// reached within its strongly connected component of the specification.
///
/// - A state is met with a second vector: `(s, v)` reaches `(t, w)` and
///   `(t, w')`. A way of the specification from `t` back to `s` leads `(t, w)`
///   to some `(s, u)` and `(t, w')` to some `(s, u')`, as all labels are covered.
///   Unless `u` or `u'` is other than `v`, so that `(s, v)` has changed, `(t, w)`
///   reaches `(s, v)` and with it `(t, w')`.
/// - A node `(t, w)` of an earlier visit is met from `(s, v)`. It reaches some
///   `(s, u)`, which was visited then; `(s, v)` was not, so that `u` is other
///   than `v`.
/// - Neither is met: let `(s, v)` reach `(s, v')`. The way is a loop of the
///   specification and does not leave the component of `s`, so that the visit
///   of `(s, v)` meets `(s, v')`. It meets each state once; thus `v' = v`.
///
/// Two ways into a component with different vectors are no violation: these are
/// different visits that do not meet.
fn changed(graph: &Graph<'_>, components: &Components) -> Option<Vec<u32>> {
    let component = |node| components.of[graph.state(node) as usize];
    let mut visits = vec![0u32; graph.len()];
    // For each state the last visit that met it, and the node.
    let mut met = vec![(0, 0); components.of.len()];
    let mut stack = Vec::new();
    let mut visit = 0;
    for root in 0..graph.expanded() {
        if visits[root as usize] != 0 {
            continue;
        }
        visit += 1;
        let home = component(root);
        visits[root as usize] = visit;
        met[graph.state(root) as usize] = (visit, root);
        stack.push(root);
        while let Some(node) = stack.pop() {
            for target in graph.targets(node) {
                let state = graph.state(target) as usize;
                if components.of[state] != home || visits[target as usize] == visit {
                    continue;
                }
                if visits[target as usize] != 0 {
                    return Some(vec![root]);
                }
                if met[state].0 == visit {
                    return Some(vec![root, met[state].1]);
                }
                visits[target as usize] = visit;
                met[state] = (visit, target);
                stack.push(target);
            }
        }
    }
    None
}

/// A shortest way from a node to one with the same state of the specification
/// and another vector. O(transitions).
fn nearest_other(graph: &Graph<'_>, components: &Components, from: u32) -> Option<Vec<u32>> {
    let state = graph.state(from);
    let home = components.of[state as usize];
    let mut found = Discovered::default();
    found.add(from, None, ());
    let mut next = 0;
    while next < found.len() {
        let node = *found.get(next);
        if node != from && graph.state(node) == state {
            let way = found.way(next).into_iter();
            return Some(way.map(|at| *found.get(at)).collect());
        }
        for target in graph.targets(node) {
            if components.of[graph.state(target) as usize] == home {
                found.add(target, Some(next), ());
            }
        }
        next += 1;
    }
    None
}
