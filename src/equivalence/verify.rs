//! Checks that a partition is stable, by exact sets instead of hashes.

use hyades_base::parallel;
use hyades_formats::StateId;

use super::first_members;
use super::rows::Rows;
use super::signature::element;

/// The distinct elements of a row, ascending.
fn sorted(row: &mut Vec<u64>, elements: impl Iterator<Item = u64>) {
    row.clear();
    row.extend(elements);
    row.sort_unstable();
    row.dedup();
}

/// The sets of a state and of the first one of its block.
#[derive(Default)]
struct Sets {
    state: Vec<u64>,
    first: Vec<u64>,
    /// The block whose first state's set is in `first`.
    of: Option<u32>,
}

/// Whether all states satisfy `same` with the first one of their block, given the sets of
/// both, without duplicates, and the block. States with the same row as the first one do.
/// O(m log d) for degrees up to d, in parallel; 4 bytes a block.
fn all_as_the_first(
    rows: Rows<'_>,
    block: &[u32],
    count: u32,
    same: impl Fn(&[u64], &[u64], u32) -> bool + Sync,
) -> bool {
    if count as usize == block.len() {
        return true;
    }
    let first = first_members(block, count);
    let tasks = rows.tasks();
    parallel::all(tasks.len(), 1, |task| {
        let mut sets = Sets::default();
        tasks[task].clone().all(|s| {
            let (s, b) = (s as u32, block[s]);
            let first = first[b as usize];
            // Rows of equivalent states mostly list the same, in the same order.
            if s == first || are_equal(rows, s, first, block) {
                return true;
            }
            if sets.of.replace(b) != Some(b) {
                sorted(&mut sets.first, rows.elements(first, block));
            }
            sorted(&mut sets.state, rows.elements(s, block));
            same(&sets.state, &sets.first, b)
        })
    })
}

/// Whether two states have the same elements in the same order.
#[inline]
fn are_equal(rows: Rows<'_>, s: u32, t: u32, block: &[u32]) -> bool {
    let (labels, targets) = rows.row(s);
    let (others, other_targets) = rows.row(t);
    let block = |target: &StateId| block[target.index()];
    let mut targets = targets.iter().zip(other_targets);
    labels == others && targets.all(|(t, u)| block(t) == block(u))
}

/// Whether all states of each block have the same set of (label, block of the
/// target). O(m log d) for degrees up to d; 4 bytes a block.
pub(super) fn strong(rows: Rows<'_>, block: &[u32], count: u32) -> bool {
    all_as_the_first(rows, block, count, |state, first, _| state == first)
}

/// Whether all states of each block that have no inert step have the same set of
/// (label, block of the target), and no other state has an element that they
/// lack. Hidden transitions must lead to smaller numbers, so that each state
/// reaches one without inert steps. O(m log d); 4 bytes a block.
pub(super) fn branching(rows: Rows<'_>, block: &[u32], count: u32) -> bool {
    // The first state of a block has the smallest number: it has no inert step.
    all_as_the_first(rows, block, count, |state, first, b| {
        let inert = element(0, b);
        match state.binary_search(&inert) {
            Ok(_) => {
                let mut others = state.iter().filter(|e| **e != inert);
                others.all(|e| first.binary_search(e).is_ok())
            }
            Err(_) => state == first,
        }
    })
}
