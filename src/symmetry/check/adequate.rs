//! Is every trace represented in the kernel?

use std::collections::HashSet;

use hyades_base::antichains::Antichains;
use hyades_base::ascending::{is_subset, mask};
use hyades_base::interned::Interned;
use hyades_formats::LabelId;

use super::pairs::{Budget, Pairs};
use super::{ConditionVerdict, Reason, Violation};
use crate::graph::Graph;

/// Whether every trace of the specification has the colours of some trace of a
/// kernel, with a shortest one if not, and the trace of the kernel that goes
/// furthest along.
///
/// Searches the pairs of a node of the specification's product and the set of
/// the kernel's nodes that the same colours lead to, breadth-first. A kernel that
/// was made from a deterministic specification has one transition of each colour,
/// and the sets have one element; others may have exponentially many. A pair with
/// no transition of the kernel for a colour of the specification is a violation,
/// and the first one that is found is a shortest.
///
/// Of the sets found with one node only the ⊆-minimal ones are gone on from
/// (M. De Wulf, L. Doyen, T. A. Henzinger & J.-F. Raskin, Antichains: a new
/// algorithm for checking universality of finite automata, CAV 2006). For let
/// `S ⊆ S'`: the nodes that any colours lead to from `S` are among those that they
/// lead to from `S'`. Colours that lead nowhere from `S'`, but somewhere from the
/// node, do the same with `S`, and so the pair with `S` has each violation that
/// the pair with `S'` has. A pair is left out only for one that is no farther from
/// the start, so that a shortest violation remains one.
pub(super) fn check(
    graph: &Graph<'_>,
    kernel: &Graph<'_>,
    budget: &mut Budget<'_, '_>,
) -> ConditionVerdict {
    let mut search = Search {
        graph,
        kernel,
        sets: Interned::default(),
        masks: Vec::new(),
        pairs: Pairs::default(),
        several: Antichains::default(),
        superseded: HashSet::new(),
        level_end: 1,
    };
    match search.run(budget) {
        Ok(None) => ConditionVerdict::Holds,
        Ok(Some(violation)) => ConditionVerdict::Violated(violation),
        Err(reason) => ConditionVerdict::Unknown(reason),
    }
}

struct Search<'a> {
    graph: &'a Graph<'a>,
    kernel: &'a Graph<'a>,
    /// Sets of nodes of the kernel, ascending.
    sets: Interned<u32>,
    masks: Vec<u64>,
    /// A node and the number of a set.
    pairs: Pairs,
    /// For each node the ⊆-minimal sets of several elements, with the numbers of
    /// the pairs. Sets of one element are all minimal, and are looked up in the
    /// pairs: there is one for each node of the kernel, at worst.
    several: Antichains,
    /// Pairs that need not be gone on from.
    superseded: HashSet<u32>,
    /// Where the pairs of the next length begin.
    level_end: usize,
}

impl Search<'_> {
    fn run(&mut self, budget: &mut Budget<'_, '_>) -> Result<Option<Violation>, Reason> {
        let graph = self.graph;
        self.arrive(0, &[0], None, budget)?;
        let mut next = 0;
        let mut targets = Vec::new();
        while next < self.pairs.len() {
            if next == self.level_end {
                self.level_end = self.pairs.len();
                budget.length += 1;
            }
            let (node, set) = *self.pairs.get(next);
            if !self.superseded.remove(&(next as u32)) {
                if node >= graph.expanded() {
                    return Err(Reason::Nodes(graph.len() as u64));
                }
                for (colour, run) in graph.by_colour(node) {
                    self.step(set, colour, &mut targets);
                    if targets.is_empty() {
                        let [mut trace, longest] = self.traces(next);
                        trace.push(graph.label(run.start));
                        return Ok(Some(Violation::Adequate { trace, longest }));
                    }
                    for at in run {
                        self.arrive(graph.target(at), &targets, Some(next), budget)?;
                    }
                }
            }
            next += 1;
        }
        Ok(None)
    }

    /// A pair is found; it is added unless another one does for it.
    fn arrive(
        &mut self,
        node: u32,
        elements: &[u32],
        before: Option<usize>,
        budget: &mut Budget<'_, '_>,
    ) -> Result<(), Reason> {
        let own = mask(elements);
        if let [_, _, ..] = elements
            && self.is_covered(node, elements, own)
        {
            return Ok(());
        }
        let (set, is_new) = self.sets.intern(elements);
        if is_new {
            self.masks.push(own);
            // A large set counts as often as it has elements.
            for _ in 1..elements.len() {
                budget.find()?;
            }
        }
        let number = self.pairs.len();
        if !self.pairs.add((node, set), before, ()) {
            return Ok(());
        }
        budget.find()?;
        let Self {
            sets,
            masks,
            several,
            superseded,
            level_end,
            ..
        } = self;
        let is_whole =
            |whole| own & !masks[whole as usize] == 0 && is_subset(elements, sets.get(whole));
        let gone = |number: u32| {
            // One that is nearer may lead to a shorter violation.
            if number as usize >= *level_end {
                superseded.insert(number);
            }
        };
        match elements {
            [_] => several.remove(node, is_whole, gone),
            _ => several.insert(node, (set, number as u32), is_whole, gone),
        }
        Ok(())
    }

    /// Whether a pair of a node and part of this set, which has several elements, was
    /// found.
    fn is_covered(&self, node: u32, elements: &[u32], own: u64) -> bool {
        let of_one = |&element: &u32| {
            let set = self.sets.find(&[element]);
            set.is_some_and(|set| self.pairs.contains(&(node, set)))
        };
        elements.iter().any(of_one)
            || self.several.any(node, |part| {
                self.masks[part as usize] & !own == 0 && is_subset(self.sets.get(part), elements)
            })
    }

    /// The nodes that transitions of this colour lead to from a set.
    fn step(&self, set: u32, colour: u32, targets: &mut Vec<u32>) {
        let kernel = self.kernel;
        targets.clear();
        for &node in self.sets.get(set) {
            let run = kernel.of_colour(node, colour);
            targets.extend(run.map(|at| kernel.target(at)));
        }
        targets.sort_unstable();
        targets.dedup();
    }

    /// A trace of the specification to the node of a pair, and one of the kernel
    /// with the same colours.
    fn traces(&self, at: usize) -> [Vec<LabelId>; 2] {
        let (graph, kernel) = (self.graph, self.kernel);
        let way: Vec<(u32, u32)> = self
            .pairs
            .way(at)
            .into_iter()
            .map(|at| *self.pairs.get(at))
            .collect();
        let mut trace = Vec::new();
        let mut colours = Vec::new();
        let mut targets = Vec::new();
        for two in way.windows(2) {
            let [(source, set), (target, next_set)] = [two[0], two[1]];
            let mut row = graph.row(source);
            let step = row.find(|&at| {
                graph.target(at) == target && {
                    self.step(set, graph.colour(at), &mut targets);
                    self.sets.get(next_set) == targets
                }
            });
            let step = step.expect("the pair was found from the one before it");
            trace.push(graph.label(step));
            colours.push(graph.colour(step));
        }
        // From the end on, any way back through the sets.
        let mut of_kernel = Vec::new();
        let mut target = self.sets.get(way[way.len() - 1].1)[0];
        for (&(_, set), &colour) in way.iter().zip(&colours).rev() {
            let mut sources = self.sets.get(set).iter();
            let (source, step) = sources
                .find_map(|&source| {
                    let mut run = kernel.of_colour(source, colour);
                    let step = run.find(|&at| kernel.target(at) == target)?;
                    Some((source, step))
                })
                .expect("each element of a set is a target");
            of_kernel.push(kernel.label(step));
            target = source;
        }
        of_kernel.reverse();
        [trace, of_kernel]
    }
}
