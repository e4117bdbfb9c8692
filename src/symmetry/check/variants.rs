//! Persistent and closed, each by itself.

use hyades_base::interned::Interned;
use hyades_formats::LabelId;

use super::determinacy::{Alphabet, Scratch};
use super::pairs::{Budget, Pairs};
use super::{ConditionVerdict, Reason, Violation};
use crate::graph::Graph;

/// Whether the relation `≃` is persistent on the specification, and whether the
/// specification is closed under it (report SEN-R9918, sections 3 and 6), with
/// shortest traces if not.
///
/// Searches the pairs of nodes that traces of the same colours lead to. At a
/// pair, an action `a` with colour `c` is enabled at the first node. If an
/// action has colour `c` at the second node and is not enabled, the
/// specification is not closed; if none has, `≃` is not persistent. That only
/// the last step of the second trace may leave the specification loses no
/// violation of closure, as prefixes of symmetric traces are symmetric
/// (Corollary 6.7), and a shortest one has no other form. For persistence it is
/// a reading: pairs `σ ≃ τ` where `τ` is no trace of the specification do not
/// count. Where the specification is closed there are none.
///
/// O(pairs · transitions of a node, squared) at the most.
pub(super) fn search(
    graph: &Graph<'_>,
    alphabet: &Alphabet<'_>,
    budget: &mut Budget<'_, '_>,
) -> (ConditionVerdict, ConditionVerdict) {
    let mut search = Search {
        graph,
        alphabet,
        refused: vec![None; graph.len()],
        lists: Interned::default(),
        scratch: Scratch::default(),
        pairs: Pairs::default(),
        persistent: None,
        closed: None,
    };
    let reason = search.run(budget).err();
    let verdict = |found: Option<Violation>| match (found, &reason) {
        (Some(violation), _) => ConditionVerdict::Violated(violation),
        (None, None) => ConditionVerdict::Holds,
        (None, Some(reason)) => ConditionVerdict::Unknown(reason.clone()),
    };
    (verdict(search.persistent), verdict(search.closed))
}

struct Search<'a> {
    graph: &'a Graph<'a>,
    alphabet: &'a Alphabet<'a>,
    /// For each node that was asked for, the set of colours of actions that are
    /// not enabled.
    refused: Vec<Option<u32>>,
    lists: Interned<u32>,
    scratch: Scratch,
    pairs: Pairs,
    persistent: Option<Violation>,
    closed: Option<Violation>,
}

impl Search<'_> {
    /// Searches until both are violated or there are no more pairs.
    fn run(&mut self, budget: &mut Budget<'_, '_>) -> Result<(), Reason> {
        self.pairs.add((0, 0), None, ());
        budget.find()?;
        let mut next = 0;
        // Where the pairs of the next length begin.
        let mut level_end = 1;
        while next < self.pairs.len() {
            if next == level_end {
                level_end = self.pairs.len();
                budget.length += 1;
            }
            let (first, second) = *self.pairs.get(next);
            if first.max(second) >= self.graph.expanded() {
                return Err(Reason::Nodes(self.graph.len() as u64));
            }
            self.look_at(next, first, second);
            if first != second {
                self.look_at(next, second, first);
            }
            if self.persistent.is_some() && self.closed.is_some() {
                break;
            }
            self.go_on(next, budget)?;
            next += 1;
        }
        Ok(())
    }

    /// The colours of actions that are not enabled at a node.
    fn refused(&mut self, node: u32) -> u32 {
        if let Some(known) = self.refused[node as usize] {
            return known;
        }
        let mut colours = Vec::new();
        self.alphabet
            .refused(self.graph, node, &mut self.scratch, |colour, _| {
                colours.push(colour);
            });
        colours.sort_unstable();
        colours.dedup();
        let list = self.lists.intern(&colours).0;
        self.refused[node as usize] = Some(list);
        list
    }

    /// Looks for colours that are enabled at the first node of a pair and
    /// violate something at the second.
    fn look_at(&mut self, at: usize, first: u32, second: u32) {
        let graph = self.graph;
        let refused = self.refused(second);
        for (colour, run) in graph.by_colour(first) {
            let is_refused = self.lists.get(refused).binary_search(&colour).is_ok();
            if is_refused && self.closed.is_none() {
                let [mut trace, mut other] = self.traces(at, first, second);
                trace.push(graph.label(run.start));
                other.push(self.refused_label(second, colour));
                self.closed = Some(Violation::Closed { trace, other });
            } else if !is_refused
                && self.persistent.is_none()
                && graph.of_colour(second, colour).is_empty()
            {
                let [mut trace, other] = self.traces(at, first, second);
                trace.push(graph.label(run.start));
                self.persistent = Some(Violation::Persistent { trace, other });
            }
        }
    }

    /// The first action with this colour that is not enabled at a node.
    fn refused_label(&mut self, node: u32, wanted: u32) -> LabelId {
        let mut first = None;
        self.alphabet
            .refused(self.graph, node, &mut self.scratch, |colour, label| {
                if colour == wanted {
                    first.get_or_insert(label);
                }
            });
        first.expect("there is one")
    }

    /// Adds the pairs of targets of transitions of one colour. A pair stands for
    /// both orders of its nodes.
    fn go_on(&mut self, at: usize, budget: &mut Budget<'_, '_>) -> Result<(), Reason> {
        let graph = self.graph;
        let (first, second) = *self.pairs.get(at);
        for (colour, run) in graph.by_colour(first) {
            let other_run = graph.of_colour(second, colour);
            for a in run {
                let a = graph.target(a);
                for b in other_run.clone() {
                    let b = graph.target(b);
                    if self.pairs.add((a.min(b), a.max(b)), Some(at), ()) {
                        budget.find()?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Traces of the same colours that lead to the nodes of a pair.
    fn traces(&self, at: usize, first: u32, second: u32) -> [Vec<LabelId>; 2] {
        let mut targets = (first, second);
        let mut traces = [Vec::new(), Vec::new()];
        let way = self.pairs.way(at);
        for &before in way[..way.len() - 1].iter().rev() {
            let (a, b) = *self.pairs.get(before);
            let (sources, labels) = [(a, b), (b, a)]
                .into_iter()
                .find_map(|sources| Some((sources, self.step(sources, targets)?)))
                .expect("the pair was found from this one");
            for (trace, label) in traces.iter_mut().zip(labels) {
                trace.push(label);
            }
            targets = sources;
        }
        traces.iter_mut().for_each(|trace| trace.reverse());
        traces
    }

    /// Labels of one colour that lead from these nodes to those.
    fn step(&self, sources: (u32, u32), targets: (u32, u32)) -> Option<[LabelId; 2]> {
        let graph = self.graph;
        let to = |mut run: std::ops::Range<usize>, target| {
            let at = run.find(|&at| graph.target(at) == target)?;
            Some(graph.label(at))
        };
        graph.by_colour(sources.0).find_map(|(colour, run)| {
            let other_run = graph.of_colour(sources.1, colour);
            Some([to(run, targets.0)?, to(other_run, targets.1)?])
        })
    }
}
