//! Persistent and closed at once, where both hold.

use hyades_base::interned::Interned;
use hyades_formats::{LabelId, Lts};
use rayon::prelude::*;

use crate::graph::{Graph, edges_of};
use crate::instances::{Instances, Taken};

/// Whether the graph is determinate as a machine over colours: nodes that words
/// of the same colours lead to have transitions of the same colours. The graph
/// is complete.
///
/// Nodes that are reached by one word are merged: all targets of a node's
/// transitions of one colour, then, with two nodes, the targets of both (J. E.
/// Hopcroft & R. M. Karp, A linear algorithm for testing equivalence of finite
/// automata, Cornell University, TR 71-114, 1971). Merging two nodes that no one
/// word leads to, but a chain of such pairs does, is right as well: having the
/// same colours is transitive. O(transitions · log nodes) at the most.
pub(super) fn is_determinate(graph: &Graph<'_>) -> bool {
    let mut classes: Vec<u32> = (0..graph.len() as u32).collect();
    let mut pending = Vec::new();
    for node in 0..graph.len() as u32 {
        for (_, run) in graph.by_colour(node) {
            let first = graph.target(run.start);
            pending.extend(run.skip(1).map(|at| (first, graph.target(at))));
        }
        while let Some((a, b)) = pending.pop() {
            let (a, b) = (find(&mut classes, a), find(&mut classes, b));
            if a == b {
                continue;
            }
            let mut runs = graph.by_colour(b);
            for (colour, run) in graph.by_colour(a) {
                match runs.next() {
                    Some((other, other_run)) if other == colour => {
                        // Targets from one node are merged with each other when
                        // it is that node's turn.
                        pending.push((graph.target(run.start), graph.target(other_run.start)));
                    }
                    _ => return false,
                }
            }
            if runs.next().is_some() {
                return false;
            }
            classes[a.max(b) as usize] = a.min(b);
        }
    }
    true
}

/// The representative of a node's class.
fn find(classes: &mut [u32], node: u32) -> u32 {
    let mut at = node;
    while classes[at as usize] != at {
        let parent = classes[at as usize];
        classes[at as usize] = classes[parent as usize];
        at = classes[at as usize];
    }
    at
}

/// The actions of a specification: the labels that it has transitions with, and
/// the colours that they have where they are not enabled.
pub(super) struct Alphabet<'a> {
    labels: Vec<LabelId>,
    size: usize,
    copies: &'a Instances,
    colours: &'a Interned<u32>,
}

/// What [`Alphabet::refused`] needs.
#[derive(Default)]
pub(super) struct Scratch {
    enabled: Vec<bool>,
    taken: Taken,
    edges: Vec<u32>,
}

impl<'a> Alphabet<'a> {
    pub fn new(specification: &Lts, copies: &'a Instances, colours: &'a Interned<u32>) -> Self {
        let size = specification.table().len();
        let mut occurs = vec![false; size];
        for label in specification.labels() {
            occurs[label.index()] = true;
        }
        let labels = (0..size).filter(|&label| occurs[label]);
        Self {
            labels: labels.map(|label| LabelId::new(label as u32)).collect(),
            size,
            copies,
            colours,
        }
    }

    /// The colours of the actions that are not enabled at a node, as far as any
    /// transition of a graph has them, in the order of the actions.
    pub fn refused(
        &self,
        graph: &Graph<'_>,
        node: u32,
        scratch: &mut Scratch,
        mut found: impl FnMut(u32, LabelId),
    ) {
        scratch.enabled.resize(self.size, false);
        for at in graph.row(node) {
            scratch.enabled[graph.label(at).index()] = true;
        }
        let packed = graph.packed(node);
        for &label in &self.labels {
            if scratch.enabled[label.index()] {
                continue;
            }
            self.copies.take(packed, label, &mut scratch.taken);
            edges_of(&scratch.taken, &mut scratch.edges);
            if let Some(colour) = self.colours.find(&scratch.edges) {
                found(colour, label);
            }
        }
        for at in graph.row(node) {
            scratch.enabled[graph.label(at).index()] = false;
        }
    }

    /// The first node at which an action that is not enabled has the colour of
    /// an enabled one, with the first such action and its colour. O(nodes ·
    /// actions · copies that they concern) at the most.
    ///
    /// For a determinate graph this decides whether the specification is closed,
    /// with a shortest trace. For if traces `σa` and `τ` of it and an action `b`
    /// with `σa ≃ τb` show that it is not, the colour of `b` is enabled where
    /// `σ` leads, and so where `τ` leads.
    pub fn first_refused(&self, graph: &Graph<'_>) -> Option<(u32, u32, LabelId)> {
        (0..graph.expanded())
            .into_par_iter()
            .map_init(Scratch::default, |scratch, node| {
                let mut first = None;
                self.refused(graph, node, scratch, |colour, label| {
                    if first.is_none() && !graph.of_colour(node, colour).is_empty() {
                        first = Some((node, colour, label));
                    }
                });
                first
            })
            .find_first(Option::is_some)
            .flatten()
    }
}
