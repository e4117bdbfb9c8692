//! Nodes and their transitions, with colours.

use std::ops::Range;

use hyades_base::interned::Interned;
use hyades_base::parallel::{self, even_ranges};
use hyades_explore::States;
use hyades_formats::{LabelId, LtsParts, Offsets, OffsetsRef, StateId};
use rayon::prelude::*;

use super::instances::{Instances, Taken};

/// A product or a kernel: nodes, numbered in the order in which a breadth-first
/// search finds them, and their transitions. The colour of a transition is the
/// multiset of the template's edges that the copies take, as a number: two
/// traces are symmetric (report SEN-R9918, Definition 6.4) if and only if the
/// colours of their steps are the same.
pub(super) struct Graph<'a> {
    pub copies: &'a Instances,
    packed: &'a States,
    offsets: Offsets,
    labels: Vec<LabelId>,
    colours: Vec<u32>,
    targets: Vec<StateId>,
    /// Nodes below have all their transitions; those from here on have none,
    /// because the exploration was ended.
    expanded: u32,
    /// Nodes below are the initial one and targets of these transitions.
    reached: u32,
}

/// About so many transitions are coloured at a time.
const PART: usize = 1 << 16;

/// The colour of what the copies take.
pub(super) fn edges_of(taken: &Taken, edges: &mut Vec<u32>) {
    edges.clear();
    edges.extend(taken.edges.iter().map(|&(_, edge)| edge));
    edges.sort_unstable();
}

/// The columns of some rows.
struct Part<'a> {
    rows: Range<usize>,
    labels: &'a mut [LabelId],
    colours: &'a mut [u32],
    targets: &'a mut [StateId],
}

impl<'a> Graph<'a> {
    /// Colours transitions; the colours are added to those known. The rows of
    /// nodes from `expanded` on are ignored. O(transitions · copies that they
    /// concern) and sorting each row; the result does not depend on the number
    /// of threads.
    pub fn new(
        copies: &'a Instances,
        packed: &'a States,
        parts: LtsParts,
        expanded: usize,
        known: &mut Interned<u32>,
    ) -> Self {
        let LtsParts {
            mut offsets,
            mut labels,
            mut targets,
            ..
        } = parts;
        offsets.truncate(expanded);
        let transitions = offsets.end();
        labels.truncate(transitions);
        targets.truncate(transitions);
        let last = targets.par_iter().max().map_or(0, |target| target.get());
        let mut colours = vec![0; transitions];
        let mut cut = cut(offsets.view(), &mut labels, &mut colours, &mut targets);
        // Each part has colours of its own at first.
        let own: Vec<Interned<u32>> = cut
            .par_iter_mut()
            .map(|part| {
                let mut own = Interned::default();
                let mut taken = Taken::default();
                let mut edges = Vec::new();
                let first = offsets.row(part.rows.start).start;
                for node in part.rows.clone() {
                    let packed = packed.get(node);
                    for k in offsets.row(node) {
                        let k = k - first;
                        copies.take(packed, part.labels[k], &mut taken);
                        edges_of(&taken, &mut edges);
                        part.colours[k] = own.intern(&edges).0;
                    }
                }
                own
            })
            .collect();
        let maps: Vec<Vec<u32>> = own
            .iter()
            .map(|own| own.iter().map(|edges| known.intern(edges).0).collect())
            .collect();
        parallel::for_each_mut(&mut cut, 1, |k, part| {
            let map = &maps[k];
            let first = offsets.row(part.rows.start).start;
            let mut row = Vec::new();
            for node in part.rows.clone() {
                let Range { start, end } = offsets.row(node);
                let range = start - first..end - first;
                row.clear();
                row.extend(range.clone().map(|k| {
                    let colour = map[part.colours[k] as usize];
                    (colour, part.labels[k], part.targets[k])
                }));
                // Stable: labels of one colour remain in their order.
                row.sort_by_key(|step| step.0);
                for (k, &(colour, label, target)) in range.zip(&row) {
                    part.colours[k] = colour;
                    part.labels[k] = label;
                    part.targets[k] = target;
                }
            }
        });
        Self {
            copies,
            packed,
            offsets,
            labels,
            colours,
            targets,
            expanded: expanded as u32,
            reached: last + 1,
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    /// How many transitions there are.
    pub fn transitions(&self) -> usize {
        self.targets.len()
    }

    /// About how many bytes are held: 12 for each transition, and for each node 32 with
    /// what is to find it, and itself.
    pub fn bytes(&self) -> u64 {
        let node = 32 + size_of_val(self.packed.get(0)) as u64;
        self.packed.len() as u64 * node + self.transitions() as u64 * 12
    }

    /// How many nodes have all their transitions: the first ones.
    pub fn expanded(&self) -> u32 {
        self.expanded
    }

    /// How many nodes can be reached by these transitions: the first ones. Others
    /// were found by transitions of a node that was not expanded to the end.
    pub fn reached(&self) -> u32 {
        self.reached
    }

    /// Whether all nodes have all their transitions.
    pub fn is_complete(&self) -> bool {
        self.expanded as usize == self.packed.len()
    }

    /// A node as the copies have it.
    pub fn packed(&self, node: u32) -> &[u64] {
        self.packed.get(node as usize)
    }

    /// The specification's state in a node.
    pub fn state(&self, node: u32) -> u32 {
        self.copies.state(self.packed(node))
    }

    /// The places of a node's transitions in the columns, sorted by colour; none
    /// for a node that was not expanded.
    pub fn row(&self, node: u32) -> Range<usize> {
        if node >= self.expanded {
            return 0..0;
        }
        let node = node as usize;
        self.offsets.row(node)
    }

    /// The label of a transition.
    pub fn label(&self, at: usize) -> LabelId {
        self.labels[at]
    }

    /// The colour of a transition.
    pub fn colour(&self, at: usize) -> u32 {
        self.colours[at]
    }

    /// The node that a transition leads to.
    pub fn target(&self, at: usize) -> u32 {
        self.targets[at].get()
    }

    /// The nodes that a node's transitions lead to.
    pub fn targets(&self, node: u32) -> impl Iterator<Item = u32> {
        self.targets[self.row(node)].iter().map(|t| t.get())
    }

    /// The colours of a node's transitions, ascending, each with the places of
    /// these transitions.
    pub fn by_colour(&self, node: u32) -> impl Iterator<Item = (u32, Range<usize>)> {
        let mut rest = self.row(node);
        std::iter::from_fn(move || {
            let start = rest.next()?;
            let colour = self.colours[start];
            while rest.start < rest.end && self.colours[rest.start] == colour {
                rest.start += 1;
            }
            Some((colour, start..rest.start))
        })
    }

    /// The places of a node's transitions of one colour.
    pub fn of_colour(&self, node: u32, colour: u32) -> Range<usize> {
        let row = self.row(node);
        let colours = &self.colours[row.clone()];
        let start = row.start + colours.partition_point(|&c| c < colour);
        let end = row.start + colours.partition_point(|&c| c <= colour);
        start..end
    }

    /// The label of the first transition from one node to another, which there
    /// is.
    pub fn label_between(&self, source: u32, target: u32) -> LabelId {
        let mut row = self.row(source);
        let at = row.find(|&at| self.target(at) == target);
        self.labels[at.expect("a transition between the nodes of a path")]
    }

    /// A shortest way to each node.
    pub fn tree(&self) -> Tree {
        let nodes = self.len();
        let mut parents = vec![0; nodes];
        let mut depths = vec![0; nodes];
        for source in 0..self.expanded {
            for target in self.targets(source) {
                if target != 0 && depths[target as usize] == 0 {
                    depths[target as usize] = depths[source as usize] + 1;
                    parents[target as usize] = source;
                }
            }
        }
        Tree { parents, depths }
    }
}

fn cut<'a>(
    offsets: OffsetsRef<'_>,
    mut labels: &'a mut [LabelId],
    mut colours: &'a mut [u32],
    mut targets: &'a mut [StateId],
) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    for rows in even_ranges(offsets, PART) {
        let length = offsets.get(rows.end) - offsets.get(rows.start);
        let (own_labels, own_colours, own_targets);
        (own_labels, labels) = labels.split_at_mut(length);
        (own_colours, colours) = colours.split_at_mut(length);
        (own_targets, targets) = targets.split_at_mut(length);
        parts.push(Part {
            rows,
            labels: own_labels,
            colours: own_colours,
            targets: own_targets,
        });
    }
    parts
}

/// A shortest way to each node of a graph.
pub(super) struct Tree {
    parents: Vec<u32>,
    depths: Vec<u32>,
}

impl Tree {
    /// How far a node is from the initial one.
    pub fn depth(&self, node: u32) -> u32 {
        self.depths[node as usize]
    }

    /// The labels on the way to a node.
    pub fn trace(&self, graph: &Graph<'_>, node: u32) -> Vec<LabelId> {
        let mut trace = Vec::with_capacity(self.depth(node) as usize);
        let mut at = node;
        while at != 0 {
            let parent = self.parents[at as usize];
            trace.push(graph.label_between(parent, at));
            at = parent;
        }
        trace.reverse();
        trace
    }
}
