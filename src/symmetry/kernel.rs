//! Kernels.

use std::collections::HashSet;
use std::fmt;

use hyades_explore::{Limits, Outcome, ProgressCallback, States};
use hyades_formats::diagnostic::counted;
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId, TooLarge};

use super::instances::Instances;
use super::product::Product;
use super::reached::reach;
use super::template::label_text;

/// A kernel of a specification.
#[derive(Debug)]
pub struct Kernel {
    /// The part of the specification. States are numbered in the order in which
    /// a breadth-first search finds them, or as in the specification.
    pub lts: Lts,
    /// The nodes that were found: a state of the specification together with a
    /// state of each copy.
    pub nodes: Nodes,
    /// Whether a label was seen to lead from one state to different ones: then
    /// the specification is no finite state machine in the sense of the report.
    pub nondeterministic: bool,
}

/// How the states of a kernel are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KernelNumbers {
    /// In the order in which they are found.
    #[default]
    Found,
    /// As in the specification; the other states remain, without transitions.
    Kept,
}

/// Nodes of a product or a kernel.
#[derive(Debug)]
pub struct Nodes {
    /// Node `k` as packed by [`Instances`].
    pub(super) packed: States,
    /// Their transitions, with the labels of the specification.
    pub(super) graph: Lts,
}

impl Nodes {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    /// Whether there are none: there always is the initial one.
    pub fn is_empty(&self) -> bool {
        self.packed.len() == 0
    }

    /// The transitions: node `k` is state `k`. The table of labels is that of
    /// the specification.
    pub fn graph(&self) -> &Lts {
        &self.graph
    }

    /// Node `k`, packed as [`Instances`] has it.
    pub fn packed(&self, k: usize) -> &[u64] {
        self.packed.get(k)
    }
}

/// Why there is no kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelError {
    /// No copy of the template takes the last label of this trace, one of the
    /// shortest.
    Uncovered {
        /// The state of the specification before the last label.
        state: StateId,
        /// The trace, the label included.
        trace: Vec<LabelId>,
    },
    /// There are more nodes than can be numbered.
    TooLarge(TooLarge),
    /// The progress callback ended it.
    Stopped,
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelError::Uncovered { state, trace } => write!(
                f,
                "no copy of the template takes the last label of a trace of {}, from state \
                 {state}",
                counted(trace.len(), "step")
            ),
            KernelError::TooLarge(error) => error.fmt(f),
            KernelError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for KernelError {}

impl From<TooLarge> for KernelError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

/// The kernel of a specification with respect to copies of a template and an
/// order of labels, `ranks` by their numbers (report SEN-R9918, sections 4 and
/// 6): the search of Figure 1, for nodes instead of traces (Lemma 6.15).
///
/// A node is a state of the specification and a state of each copy. Its labels
/// fall into classes by the multiset of the edges that the copies take. The
/// smallest label of each class represents it: its transitions are in the
/// kernel, and the search goes on where they lead. The result does not depend
/// on the number of threads.
///
/// Whether it is a kernel in the sense of Definition 3.3 depends on hypotheses,
/// which are not checked here. If the specification is not deterministic, all
/// transitions with a representative are taken.
///
/// O(labels of a node · copies that they concern) time a node; the nodes and
/// their transitions in memory.
///
/// # Errors
/// If no copy takes a label that can be reached, or there are too many nodes.
pub fn kernel(
    specification: &Lts,
    copies: &Instances,
    ranks: &[u32],
    numbers: KernelNumbers,
    progress: &mut ProgressCallback<'_>,
) -> Result<Kernel, KernelError> {
    let model = Product::new(specification, copies, Some(ranks));
    let nodes = nodes(&model, specification, progress)?;
    Ok(Kernel {
        lts: project(&nodes, specification, copies, numbers)?,
        nodes,
        nondeterministic: model.is_nondeterministic(),
    })
}

/// All nodes of a model that can be reached.
pub(super) fn nodes(
    model: &Product<'_>,
    specification: &Lts,
    progress: &mut ProgressCallback<'_>,
) -> Result<Nodes, KernelError> {
    let reached = reach(model, Limits::default(), progress)?;
    if let Some((trace, state)) = reached.uncovered {
        return Err(KernelError::Uncovered { state, trace });
    }
    if reached.outcome != Outcome::Complete {
        return Err(KernelError::Stopped);
    }
    let mut parts = reached.parts;
    parts.table = specification.table().clone();
    Ok(Nodes {
        packed: reached.packed,
        graph: Lts::from_parts(parts),
    })
}

/// The part of the specification that nodes and their transitions stand for,
/// each transition once.
fn project(
    nodes: &Nodes,
    specification: &Lts,
    copies: &Instances,
    numbers: KernelNumbers,
) -> Result<Lts, TooLarge> {
    const NONE: u32 = u32::MAX;
    let known = specification.states();
    let mut number = match numbers {
        KernelNumbers::Kept => (0..known as u32).collect(),
        KernelNumbers::Found => vec![NONE; known],
    };
    let mut found = Vec::new();
    let mut of_node = Vec::with_capacity(nodes.len());
    for node in nodes.packed.iter() {
        let state = copies.state(node);
        let new = &mut number[state as usize];
        if *new == NONE {
            *new = found.len() as u32;
            found.push(state as usize);
        }
        of_node.push(StateId::new(*new));
    }
    let mut builder = LtsBuilder::new(match numbers {
        KernelNumbers::Kept => known as u64,
        KernelNumbers::Found => found.len() as u64,
    });
    let mut labels = vec![None; specification.table().len()];
    let mut edges: HashSet<_, foldhash::fast::RandomState> = HashSet::default();
    for (source, label, target) in nodes.graph.iter() {
        let (source, target) = (of_node[source.index()], of_node[target.index()]);
        let new = match &mut labels[label.index()] {
            Some(new) => *new,
            None if label.is_hidden() => label,
            none => {
                let text = label_text(specification, label);
                *none.insert(builder.table_mut().intern(text)?)
            }
        };
        if edges.insert((source, new, target)) {
            builder.add(source, new, target);
        }
    }
    let kernel = builder.build(of_node[0])?;
    Ok(match (specification.state_labels(), numbers) {
        (None, _) => kernel,
        (Some(labels), KernelNumbers::Kept) => kernel.with_state_labels(labels.clone()),
        (Some(labels), KernelNumbers::Found) => {
            kernel.with_state_labels(labels.select(found.into_iter().map(Some)))
        }
    })
}
