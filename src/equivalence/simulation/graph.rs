//! Classes of a bisimilarity and the steps between them: what simulations are computed
//! on.

use hyades_base::parallel;
use hyades_formats::{LabelId, Lts, StateId, TooLarge};

use crate::hidden_search::rows_after_hidden;
use crate::rounds::Rounds;
use crate::signature::Mixer;
use crate::{
    Minimized, Partition, Rows, TransitionColumns, branching, element, finish_row, strong,
};

/// No node.
pub(super) const NONE: u32 = Minimized::NO_CLASS;

/// Rows that one task makes.
const TASK: usize = 1 << 10;

/// Nodes, which stand for classes of states, and their steps. Rows ascend by label and
/// target and have no duplicates.
pub(super) struct Graph {
    /// The steps: labels are those of the LTS.
    columns: TransitionColumns,
    /// The node of each state; [`NONE`] for states that are of no interest.
    pub(super) node: Vec<u32>,
    /// How many labels there are, the hidden one included.
    pub(super) labels: usize,
}

impl Graph {
    /// The classes of strong bisimilarity; if there are roots, those that can be reached
    /// from them. The time of the partition, and O(m log d).
    pub(super) fn strong(lts: &Lts, roots: Option<&[StateId]>, rounds: &mut Rounds<'_>) -> Self {
        let partition = strong::partition(lts, rounds).normalized();
        let node = partition.into_classes();
        Self::of_classes(lts.into(), node, lts.table().len(), false, roots)
    }

    /// The classes of branching bisimilarity without their inert steps: there is no cycle
    /// of hidden steps left. As [`Graph::strong`] where nothing is hidden.
    pub(super) fn branching(lts: &Lts, roots: Option<&[StateId]>, rounds: &mut Rounds<'_>) -> Self {
        if !lts.labels().iter().any(|l| l.is_hidden()) {
            return Self::strong(lts, roots, rounds);
        }
        let (silent, classes) = branching::partition(lts, false, rounds);
        // The least node of a class has no hidden step within it.
        let classes = classes.into_classes();
        let root_nodes: Option<Vec<StateId>> = roots.map(|roots| {
            let node = |s: &StateId| StateId::new(silent.node[s.index()]);
            roots.iter().map(node).collect()
        });
        let labels = lts.table().len();
        let mut graph =
            Self::of_classes(silent.rows(), classes, labels, true, root_nodes.as_deref());
        let mut node = silent.node;
        let by_node = &graph.node;
        parallel::for_each_mut(&mut node, 1 << 14, |_, v| *v = by_node[*v as usize]);
        graph.node = node;
        graph
    }

    /// The graph of some classes, each with the steps of its first member.
    fn of_classes(
        rows: Rows<'_>,
        mut class: Vec<u32>,
        labels: usize,
        drop_inert: bool,
        roots: Option<&[StateId]>,
    ) -> Self {
        let mut representative: Vec<u32> = Vec::new();
        for (s, &c) in class.iter().enumerate().rev() {
            let needed = representative.len().max(c as usize + 1);
            representative.resize(needed, NONE);
            representative[c as usize] = s as u32;
        }
        let order = match roots {
            None => (0..representative.len() as u32).collect(),
            Some(roots) => reached(rows, &class, &representative, roots),
        };
        let mut number = vec![NONE; representative.len()];
        for (k, &c) in (0..).zip(&order) {
            number[c as usize] = k;
        }
        parallel::for_each_mut(&mut class, 1 << 14, |_, c| *c = number[*c as usize]);
        let part = |classes: &[u32]| {
            let (mut elements, mut lengths) = (Vec::new(), Vec::with_capacity(classes.len()));
            for &c in classes {
                let start = elements.len();
                let (row_labels, targets) = rows.row(representative[c as usize]);
                for (label, target) in row_labels.iter().zip(targets) {
                    let to = class[target.index()];
                    if !drop_inert || !label.is_hidden() || to != number[c as usize] {
                        elements.push(element(label.get(), to));
                    }
                }
                finish_row(&mut elements, start);
                lengths.push((elements.len() - start) as u32);
            }
            (elements, lengths)
        };
        let columns = TransitionColumns::new(parallel::map_chunks(&order, TASK, part));
        Self {
            columns,
            node: class,
            labels,
        }
    }

    /// The states of a quotient and its steps, with the state of the quotient for each state
    /// of the LTS, [`NONE`] for those that have none. O(m log d).
    pub(super) fn of_quotient(quotient: &Lts, state: Vec<u32>) -> Self {
        let each = (0..quotient.states() as u32).collect();
        let labels = quotient.table().len();
        let graph = Self::of_classes(quotient.into(), each, labels, false, None);
        Self {
            node: state,
            ..graph
        }
    }

    /// The graph whose steps are the visible ones after any number of hidden ones, on
    /// classes of strong bisimilarity of these, with the nodes of this graph in the place of
    /// states. There is no hidden step left.
    ///
    /// O(n m) time for a graph of n nodes and m steps, and 8 bytes a step of the result.
    ///
    /// # Errors
    /// If there are more than `limit` steps in the result.
    pub(super) fn after_hidden(
        &self,
        limit: u64,
        rounds: &mut Rounds<'_>,
    ) -> Result<Self, TooLarge> {
        let rows = self.rows();
        let each: Vec<u32> = (0..rows.states() as u32).collect();
        let columns = rows_after_hidden(rows, &each, |target| target, limit)?;
        let partition: Partition = strong::with_mixers(columns.rows(), Mixer::new, rounds);
        let class = partition.normalized().into_classes();
        Ok(Self::of_classes(
            columns.rows(),
            class,
            self.labels,
            false,
            None,
        ))
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        self.columns.rows()
    }

    /// The number of nodes.
    #[cfg(test)]
    pub(super) fn nodes(&self) -> usize {
        self.rows().states()
    }

    /// The node of a state that is known to have one.
    pub(super) fn of(&self, state: StateId) -> u32 {
        self.node[state.index()]
    }
}

/// The classes that can be reached from those of the roots, breadth-first.
fn reached(rows: Rows<'_>, class: &[u32], representative: &[u32], roots: &[StateId]) -> Vec<u32> {
    let mut seen = vec![false; representative.len()];
    let mut order = Vec::new();
    let mut add = |c: u32, order: &mut Vec<u32>| {
        if !std::mem::replace(&mut seen[c as usize], true) {
            order.push(c);
        }
    };
    roots.iter().for_each(|s| add(class[s.index()], &mut order));
    let mut next = 0;
    while let Some(&c) = order.get(next) {
        next += 1;
        let (_, targets) = rows.row(representative[c as usize]);
        targets
            .iter()
            .for_each(|t| add(class[t.index()], &mut order));
    }
    order
}

/// The runs of equal labels in a row: label and targets.
pub(super) fn runs<'a>(
    rows: Rows<'a>,
    node: u32,
) -> impl Iterator<Item = (LabelId, &'a [StateId])> + use<'a> {
    let (labels, targets) = rows.row(node);
    let mut end = 0;
    labels.chunk_by(|a, b| a == b).map(move |run| {
        let start = end;
        end += run.len();
        (run[0], &targets[start..end])
    })
}
