//! Is every trace represented in the kernel?

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
/// the kernel's nodes that the same colours lead to. A kernel that was made from
/// a deterministic specification has one transition of each colour, and the sets
/// have one element; others may have exponentially many. A pair with no
/// transition of the kernel for a colour of the specification is a violation,
/// and the first one that is found is a shortest.
pub(super) fn check(
    graph: &Graph<'_>,
    kernel: &Graph<'_>,
    budget: &mut Budget<'_, '_>,
) -> ConditionVerdict {
    let mut search = Search {
        graph,
        kernel,
        sets: Interned::default(),
        pairs: Pairs::default(),
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
    /// A node and the number of a set.
    pairs: Pairs,
}

impl Search<'_> {
    fn run(&mut self, budget: &mut Budget<'_, '_>) -> Result<Option<Violation>, Reason> {
        let graph = self.graph;
        let start = self.sets.intern(&[0]).0;
        self.pairs.add((0, start), None, ());
        budget.find()?;
        let mut next = 0;
        let mut level_end = 1;
        let mut targets = Vec::new();
        while next < self.pairs.len() {
            if next == level_end {
                level_end = self.pairs.len();
                budget.length += 1;
            }
            let (node, set) = *self.pairs.get(next);
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
                let known = self.sets.len();
                let target_set = self.sets.intern(&targets).0;
                if self.sets.len() > known {
                    // A large set counts as often as it has elements.
                    for _ in 1..targets.len() {
                        budget.find()?;
                    }
                }
                for at in run {
                    if self
                        .pairs
                        .add((graph.target(at), target_set), Some(next), ())
                    {
                        budget.find()?;
                    }
                }
            }
            next += 1;
        }
        Ok(None)
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
