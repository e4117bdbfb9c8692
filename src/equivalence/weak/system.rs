//! What there is to be told apart: the classes of branching bisimilarity, and the steps
//! between them that no others make up for.

use hyades_base::offsets::Offsets;
use hyades_base::parallel::{self, even_ranges};

use super::Weak;
use crate::rows::TASK;
use crate::{Partition, Rows, TauContraction, TransitionColumns, element, finish_row};

/// An LTS without hidden cycles, of nodes that are pairwise not branching bisimilar.
pub(super) struct System {
    /// The node of each state.
    pub(super) node: Vec<u32>,
    /// Rows by node, without duplicates, ascending by label and target. Hidden transitions
    /// come first and lead to nodes of smaller numbers.
    pub(super) columns: TransitionColumns,
}

impl System {
    /// The classes of a contracted LTS by (divergence-preserving) branching bisimilarity.
    /// O(m), but for sorting each row, in parallel; 16 bytes a transition of the result.
    pub(super) fn new(silent: TauContraction, by_node: Partition) -> Self {
        let (mut node, columns) = silent.into_parts();
        if by_node.count() == columns.rows().states() {
            return Self { node, columns };
        }
        let classes = by_node.normalized();
        let columns = between(columns.rows(), &classes);
        parallel::for_each_mut(&mut node, 1 << 14, |_, v| {
            *v = classes.classes()[*v as usize]
        });
        Self { node, columns }
    }
}

/// The transitions between the classes, which are numbered by their least nodes: those of
/// the least nodes. Hidden transitions of the least node of a class must lead to others.
pub(super) fn between(rows: Rows<'_>, classes: &Partition) -> TransitionColumns {
    let class = classes.classes();
    let mut least = Vec::with_capacity(classes.count());
    for (v, &c) in class.iter().enumerate() {
        if c as usize == least.len() {
            least.push(v as u32);
        }
    }
    map_rows(rows, &least, |v, elements| {
        let (labels, targets) = rows.row(v);
        let steps = labels.iter().zip(targets);
        elements.extend(steps.map(|(l, t)| element(l.get(), class[t.index()])));
    })
}

/// Rows for these nodes, in parallel, whose elements are found by `fill`, and then sorted
/// without duplicates. No row has more elements than that of its node.
fn map_rows(
    rows: Rows<'_>,
    nodes: &[u32],
    fill: impl Fn(u32, &mut Vec<u64>) + Sync,
) -> TransitionColumns {
    let offsets = Offsets::from_lengths(nodes.iter().map(|&v| rows.degree(v)));
    let parts = parallel::map_each(&even_ranges(&offsets, TASK), |task| {
        let mut elements = Vec::new();
        let mut lengths = Vec::with_capacity(task.len());
        for &v in &nodes[task.clone()] {
            let start = elements.len();
            fill(v, &mut elements);
            finish_row(&mut elements, start);
            lengths.push((elements.len() - start) as u32);
        }
        (elements, lengths)
    });
    TransitionColumns::new(parts)
}

/// Steps that are looked at for one node at the most, for each of its own.
const TRIES: usize = 1 << 8;

/// The hidden transitions of a node: they come first.
pub(super) fn hidden(rows: Rows<'_>, v: u32) -> usize {
    let (labels, _) = rows.row(v);
    labels.iter().take_while(|l| l.is_hidden()).count()
}

/// The rows without those transitions for which two others make up: a step s –a→ t is not
/// needed if there is a hidden step from s to a node with a step a to t, or, where hidden
/// steps may follow a, a step s –a→ t' with a hidden step from t' to t. As hidden
/// steps have no cycle, all such transitions can be left out at once.
///
/// O(m d log d) time for degrees up to d, and at most [`TRIES`] m log d, since of nodes
/// with very many steps behind theirs some are not looked at; in parallel.
pub(super) fn pruned(rows: Rows<'_>, kind: Weak) -> TransitionColumns {
    let nodes: Vec<u32> = (0..rows.states() as u32).collect();
    map_rows(rows, &nodes, |v, elements| {
        let start = elements.len();
        let (labels, targets) = rows.row(v);
        let steps = || labels.iter().zip(targets);
        elements.extend(steps().map(|(l, t)| element(l.get(), t.get())));
        // Marked by a label and target that do not exist, as they would be sorted away.
        let mut redundant: Vec<u64> = Vec::new();
        let own = &elements[start..];
        let mut tries = TRIES * own.len();
        let mut check = |e: u64| {
            if own.binary_search(&e).is_ok() {
                redundant.push(e);
            }
        };
        for (label, &t) in steps() {
            let (behind, to) = rows.row(t.get());
            if label.is_hidden() {
                let Some(rest) = tries.checked_sub(behind.len()) else {
                    break;
                };
                tries = rest;
                for (l, u) in behind.iter().zip(to) {
                    check(element(l.get(), u.get()));
                }
            } else if kind.goes_on() {
                let count = hidden(rows, t.get());
                let Some(rest) = tries.checked_sub(count + 1) else {
                    break;
                };
                tries = rest;
                for u in &to[..count] {
                    check(element(label.get(), u.get()));
                }
            }
        }
        if redundant.is_empty() {
            return;
        }
        redundant.sort_unstable();
        let mut kept = start;
        for k in start..elements.len() {
            if redundant.binary_search(&elements[k]).is_err() {
                elements[kept] = elements[k];
                kept += 1;
            }
        }
        elements.truncate(kept);
    })
}
