//! The hypotheses under which a kernel is one, decided.
//!
//! [`check`] decides for a specification and a pattern what Theorem 6.13 of the
//! report SEN-R9918 supposes, whether the pattern's relation of traces is a
//! symmetry at all, and whether a kernel represents all traces. What is violated
//! is shown by shortest traces.

mod adequate;
mod determinacy;
mod deterministic;
mod loops;
mod pairs;
mod parts;
mod report;
mod symmetric;
mod variants;

#[cfg(test)]
mod tests;

use std::fmt;

use hyades_base::interned::Interned;
use hyades_explore::{Limits, Outcome, ProgressCallback};
use hyades_formats::{Lts, TooLarge};
use hyades_lts::components;

use super::graph::{Graph, Tree};
use super::instances::Instances;
use super::kernel::Kernel;
use super::product::Product;
use super::reached::{Reached, reach};
use determinacy::Alphabet;
use pairs::Budget;
use parts::{merged, merges_nodes, translated};

pub use report::{Asymmetry, Condition, ConditionVerdict, Figures, Reason, Report, Violation};

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckLimits {
    /// For exploring the nodes. The limit on memory holds for what is found out of
    /// pairs of nodes as well, beside the nodes.
    pub nodes: Limits,
    /// The most pairs of nodes that each search finds. A pair takes about 20
    /// bytes.
    pub pairs: u64,
}

impl CheckLimits {
    /// What a search of pairs may find while nodes and transitions of these graphs are
    /// held.
    fn budget<'a, 'b>(
        &self,
        graphs: &[&Graph<'_>],
        progress: &'a mut ProgressCallback<'b>,
    ) -> Budget<'a, 'b> {
        let held: u64 = graphs.iter().map(|graph| graph.bytes()).sum();
        let rest = self.nodes.max_memory.map(|most| most.saturating_sub(held));
        Budget::new(self.pairs, rest, progress)
    }
}

impl Default for CheckLimits {
    /// All nodes, and 50 million pairs.
    fn default() -> Self {
        Self {
            nodes: Limits::default(),
            pairs: 50_000_000,
        }
    }
}

/// What [`check`] is about.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The specification.
    pub specification: &'a Lts,
    /// The copies of the pattern's template beside it.
    pub copies: &'a Instances,
    /// Its kernel.
    pub kernel: Option<&'a Kernel>,
    /// A kernel from elsewhere, of which [`Condition::Adequate`] is asked instead:
    /// a part of the specification, with the same labels and states of any
    /// numbers.
    pub other: Option<&'a Lts>,
}

/// Why nothing can be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// The kernel from elsewhere is no part of the specification, for this
    /// reason.
    NoPart(String),
    /// There are more nodes than can be numbered.
    TooLarge(TooLarge),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::NoPart(why) => write!(f, "no part of the specification: {why}"),
            CheckError::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CheckError {}

impl From<TooLarge> for CheckError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

/// Decides all conditions.
///
/// Over the product of the specification with the states of the copies, coverage
/// and loop preservation take linear time; persistence and closure take near-linear
/// time if both hold, and otherwise a search of pairs of nodes, as does adequacy: a
/// square of the nodes at worst. Memory: 12 bytes a transition of the product,
/// about 40 a node and 20 a pair. The result does not depend on the number of
/// threads. Where a kernel has several transitions of one colour from a node, adequacy
/// takes sets of nodes, exponentially many at worst; of the sets found with one node
/// only those are gone on from that are ⊆-minimal.
///
/// `decided` is told what is known whenever something more is, before the end.
///
/// # Errors
/// If there are more nodes than can be numbered, or the kernel from elsewhere is
/// no part of the specification.
pub fn check(
    subject: &Subject<'_>,
    limits: &CheckLimits,
    progress: &mut ProgressCallback<'_>,
    decided: &mut dyn FnMut(&Report),
) -> Result<Report, CheckError> {
    let Subject {
        specification,
        copies,
        kernel,
        other,
    } = *subject;
    let other = other
        .map(|other| translated(other, specification))
        .transpose()?;
    let mut report = Report::unfinished();
    let deterministic = deterministic::check(specification);
    let is_deterministic = matches!(deterministic, ConditionVerdict::Holds);
    report.set(Condition::Deterministic, deterministic);
    decided(&report);

    let product = Product::new(specification, copies, None);
    let Reached {
        packed,
        parts,
        expanded,
        uncovered,
        outcome,
    } = reach(&product, limits.nodes, progress)?;
    report.figures.nodes = packed.len() as u64;
    if let Some((trace, state)) = uncovered {
        let violation = Violation::Covered { trace, state };
        report.set(Condition::Covered, ConditionVerdict::Violated(violation));
        for condition in Condition::ALL {
            if *report.verdict(condition) == ConditionVerdict::Unknown(Reason::Unfinished) {
                report.set(condition, ConditionVerdict::Unknown(Reason::Uncovered));
            }
        }
        return Ok(report);
    }
    let nodes = packed.len() as u64;
    let covered = match outcome {
        Outcome::Complete => ConditionVerdict::Holds,
        Outcome::LimitReached(_) => ConditionVerdict::Unknown(Reason::Nodes(nodes)),
        Outcome::Answered | Outcome::Stopped => ConditionVerdict::Unknown(Reason::Stopped),
    };
    report.set(Condition::Covered, covered);
    decided(&report);

    let mut colours = Interned::default();
    let graph = Graph::new(copies, &packed, parts, expanded, &mut colours);
    report.figures.transitions = graph.transitions() as u64;
    report.figures.colours = colours.len() as u64;
    let components = components(specification);
    let tree = graph.tree();
    let mut budget = limits.budget(&[&graph], progress);
    let loop_preserving = loops::check(&graph, &tree, &components, &mut budget);
    report.set(Condition::LoopPreserving, loop_preserving.clone());
    decided(&report);

    let (persistent, closed) = if is_deterministic {
        let alphabet = Alphabet::new(specification, copies, &colours);
        let mut budget = limits.budget(&[&graph], progress);
        let verdicts = persistent_and_closed(&graph, &tree, &alphabet, &mut budget);
        report.figures.variant_pairs = budget.found();
        verdicts
    } else {
        let unknown = || ConditionVerdict::Unknown(Reason::Nondeterministic);
        (unknown(), unknown())
    };
    drop(tree);
    report.set(Condition::Persistent, persistent);
    report.set(Condition::Closed, closed.clone());
    decided(&report);

    let kernel_graph = kernel.map(|kernel| {
        let parts = kernel.nodes.graph.clone().into_parts();
        let nodes = &kernel.nodes;
        Graph::new(copies, &nodes.packed, parts, nodes.len(), &mut colours)
    });
    let adequate_nodes = match &kernel_graph {
        None => ConditionVerdict::Unknown(Reason::NoKernel),
        Some(kernel) => {
            let mut budget = limits.budget(&[&graph, kernel], progress);
            let verdict = adequate::check(&graph, kernel, &mut budget);
            report.figures.adequacy_pairs = budget.found();
            verdict
        }
    };
    let part = match (other, kernel) {
        (Some(other), _) => Some(other),
        // What the graph of the nodes lacks, the kernel may have.
        (None, Some(kernel))
            if matches!(adequate_nodes, ConditionVerdict::Violated(_))
                && merges_nodes(kernel, copies) =>
        {
            Some(merged(kernel, specification, copies)?)
        }
        _ => None,
    };
    let adequate = match part {
        None => adequate_nodes.clone(),
        Some(part) => {
            let reached = reach(&Product::new(&part, copies, None), limits.nodes, progress)?;
            let held: Vec<_> = [&graph].into_iter().chain(&kernel_graph).collect();
            let mut budget = limits.budget(&held, progress);
            let verdict = adequate_part(&graph, reached, &mut colours, &mut budget)?;
            report.figures.adequacy_pairs += budget.found();
            verdict
        }
    };

    report.set(Condition::Adequate, adequate);
    decided(&report);

    let symmetric = match &kernel_graph {
        _ if !is_deterministic => ConditionVerdict::Unknown(Reason::Nondeterministic),
        kernel => symmetric::check(&closed, &adequate_nodes, &loop_preserving, || {
            let kernel = kernel.as_ref().expect("it is known to be adequate");
            let mut budget = limits.budget(&[&graph, kernel], progress);
            symmetric::loop_respecting(kernel, &kernel.tree(), &components, &mut budget)
        }),
    };
    report.set(Condition::Symmetric, symmetric);
    Ok(report)
}

/// Whether a deterministic LTS is closed under the relation of a pattern: what is symmetric to
/// a trace is one ([`Condition::Closed`]). Other than for a specification, traces need not be
/// covered; those that are not are symmetric to none. The actions are the labels of its
/// transitions, also of those that are not reached. Time and memory are those of [`check`].
///
/// # Errors
/// If there are more nodes than can be numbered.
pub fn closed(
    lts: &Lts,
    copies: &Instances,
    limits: &CheckLimits,
    progress: &mut ProgressCallback<'_>,
) -> Result<ConditionVerdict, TooLarge> {
    if !matches!(deterministic::check(lts), ConditionVerdict::Holds) {
        return Ok(ConditionVerdict::Unknown(Reason::Nondeterministic));
    }
    let product = Product::covered(lts, copies);
    let Reached {
        packed,
        parts,
        expanded,
        ..
    } = reach(&product, limits.nodes, progress)?;
    let mut colours = Interned::default();
    let graph = Graph::new(copies, &packed, parts, expanded, &mut colours);
    let alphabet = Alphabet::new(lts, copies, &colours);
    let mut budget = limits.budget(&[&graph], progress);
    let (_, closed) = persistent_and_closed(&graph, &graph.tree(), &alphabet, &mut budget);
    Ok(closed)
}

/// Whether a part of the specification, of whose product this was reached, is
/// adequate.
fn adequate_part(
    graph: &Graph<'_>,
    reached: Reached,
    colours: &mut Interned<u32>,
    budget: &mut Budget<'_, '_>,
) -> Result<ConditionVerdict, CheckError> {
    if reached.uncovered.is_some() {
        let why = "it has a trace that is not covered";
        return Err(CheckError::NoPart(why.into()));
    }
    let Reached {
        packed,
        parts,
        expanded,
        outcome,
        ..
    } = reached;
    if outcome != Outcome::Complete {
        return Ok(ConditionVerdict::Unknown(
            Reason::Nodes(packed.len() as u64),
        ));
    }
    let part = Graph::new(graph.copies, &packed, parts, expanded, colours);
    Ok(adequate::check(graph, &part, budget))
}

/// Whether `≃` is persistent and the specification closed under it.
fn persistent_and_closed(
    graph: &Graph<'_>,
    tree: &Tree,
    alphabet: &Alphabet<'_>,
    budget: &mut Budget<'_, '_>,
) -> (ConditionVerdict, ConditionVerdict) {
    if !graph.is_complete() || !determinacy::is_determinate(graph) {
        return variants::search(graph, alphabet, budget);
    }
    let refused = alphabet.first_refused(graph);
    let closed = refused.map_or(ConditionVerdict::Holds, |(node, colour, label)| {
        let mut trace = tree.trace(graph, node);
        let mut other = trace.clone();
        trace.push(graph.label(graph.of_colour(node, colour).start));
        other.push(label);
        ConditionVerdict::Violated(Violation::Closed { trace, other })
    });
    (ConditionVerdict::Holds, closed)
}
