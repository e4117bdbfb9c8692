//! Quotients by similarity: the smallest systems that are similar both ways.

use hyades_base::parallel;
use hyades_formats::{LabelTable, Lts, StateId};

use super::bits;
use super::graph::{Graph, NONE, runs};
use super::preorder::Preorder;
use crate::{Minimized, Rows, TransitionColumns, element, finish_row};

/// Rows that one task makes.
const TASK: usize = 1 << 8;

/// The quotient of a graph by being below each other, without little brothers and what
/// cannot be reached then; with the state of the quotient for each state of the LTS,
/// [`Minimized::NO_CLASS`] where there is none.
///
/// A step is a little brother if there is one with the same label to a class that is
/// strictly above. What is left are the steps to the greatest classes, which all states
/// of a class have in common (D. Bustan, O. Grumberg, "Simulation-based minimization",
/// ACM Transactions on Computational Logic 4(2), 2003). Without a preorder no two nodes are
/// below each other, and no two steps of a node have the same label.
///
/// O(n + m k/64) time for k classes at the worst.
pub(super) fn quotient(
    graph: Graph,
    preorder: Option<&Preorder>,
    initial: StateId,
    table: LabelTable,
) -> (Lts, Vec<u32>) {
    let (class, count) = match preorder {
        Some(preorder) => preorder.classes(),
        None => {
            let count = graph.rows().states() as u32;
            ((0..count).collect(), count)
        }
    };
    // Classes are numbered by their least states.
    let mut number = vec![u32::MAX; count as usize];
    let mut next = 0;
    let mut state_class = Vec::with_capacity(graph.node.len());
    for &v in &graph.node {
        if v == NONE {
            state_class.push(NONE);
            continue;
        }
        let number = &mut number[class[v as usize] as usize];
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
        state_class.push(*number);
    }
    let class: Vec<u32> = class.iter().map(|&c| number[c as usize]).collect();
    let mut representative = vec![u32::MAX; count as usize];
    for (v, &c) in class.iter().enumerate().rev() {
        representative[c as usize] = v as u32;
    }
    let brothers = Brothers {
        rows: graph.rows(),
        preorder,
        class: &class,
        representative: &representative,
    };
    let part = |nodes: &[u32]| {
        let (mut elements, mut lengths) = (Vec::new(), Vec::with_capacity(nodes.len()));
        for &v in nodes {
            let start = elements.len();
            brothers.greatest_steps(v, &mut elements);
            finish_row(&mut elements, start);
            lengths.push((elements.len() - start) as u32);
        }
        (elements, lengths)
    };
    let columns = TransitionColumns::new(parallel::map_chunks(&representative, TASK, part));
    drop(graph);
    let (lts, of_class) = columns.into_lts(state_class[initial.index()], table);
    debug_assert!(
        of_class
            .iter()
            .all(|&s| s == Minimized::NO_CLASS || (s as usize) < lts.states())
    );
    parallel::for_each_mut(&mut state_class, 1 << 14, |_, c| {
        if *c != NONE {
            *c = of_class[*c as usize];
        }
    });
    (lts, state_class)
}

/// Finds the steps that are no little brothers.
struct Brothers<'a> {
    rows: Rows<'a>,
    preorder: Option<&'a Preorder>,
    class: &'a [u32],
    representative: &'a [u32],
}

impl Brothers<'_> {
    /// Adds the steps of a node to classes such that there is none with the same label to
    /// a class strictly above, as elements of label and class.
    fn greatest_steps(&self, node: u32, elements: &mut Vec<u64>) {
        for (label, targets) in runs(self.rows, node) {
            let mut classes: Vec<u32> = targets.iter().map(|t| self.class[t.index()]).collect();
            classes.sort_unstable();
            classes.dedup();
            let kept = |&&c: &&u32| !self.has_greater(c, &classes);
            let kept = classes.iter().filter(kept);
            elements.extend(kept.map(|&c| element(label.get(), c)));
        }
    }

    /// Whether a class is strictly below one of these, which are all different.
    fn has_greater(&self, class: u32, among: &[u32]) -> bool {
        let Some(preorder) = self.preorder else {
            return false;
        };
        let block = |c: u32| preorder.block[self.representative[c as usize] as usize] as usize;
        let above = &preorder.above[block(class)];
        among
            .iter()
            .any(|&other| other != class && bits::contains(above, block(other)))
    }
}
