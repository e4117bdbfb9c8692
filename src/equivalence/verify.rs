//! Checks that a partition is stable, by exact sets instead of hashes.

use hyades_base::parallel;

use super::rows::{Rows, TASK};
use super::signature::element;

/// The distinct elements of a row, ascending.
fn sorted(row: &mut Vec<u64>, elements: impl Iterator<Item = u64>) {
    row.clear();
    row.extend(elements);
    row.sort_unstable();
    row.dedup();
}

/// The states that share their block, block after block and ascending within a
/// block, and where each block starts.
fn by_block(block: &[u32], count: u32) -> (Vec<u32>, Vec<u32>) {
    const ALONE: u32 = u32::MAX;
    let mut starts = vec![0u32; count as usize];
    for &b in block {
        starts[b as usize] += 1;
    }
    let mut total = 0;
    for start in &mut starts {
        let size = std::mem::replace(start, total);
        match size {
            1 => *start = ALONE,
            size => total += size,
        }
    }
    let mut order = vec![0; total as usize];
    let mut next = starts.clone();
    for (s, &b) in block.iter().enumerate() {
        let next = &mut next[b as usize];
        if *next != ALONE {
            order[*next as usize] = s as u32;
            *next += 1;
        }
    }
    (order, starts)
}

/// Whether all states of each block have the same set of (label, block of the
/// target). O(m log d) for degrees up to d; 8 bytes a state.
pub(super) fn strong(rows: Rows<'_>, block: &[u32], count: u32) -> bool {
    if count as usize == block.len() {
        return true;
    }
    let (order, _) = by_block(block, count);
    // A part begins by signing the state before it, so that each two
    // neighbours of one block are compared by somebody.
    let part_len = (TASK * block.len() / (rows.targets.len() + 1)).clamp(64, TASK);
    parallel::all(order.len().div_ceil(part_len), 1, |part| {
        let states = parallel::chunk(&order, part_len, part);
        let (mut last, mut this) = (Vec::new(), Vec::new());
        let mut before = (part > 0).then(|| order[part * part_len - 1]);
        states.iter().all(|&s| {
            let Some(before) = before.replace(s) else {
                return true;
            };
            // Rows of equivalent states mostly list the same, in the same order.
            if block[before as usize] != block[s as usize]
                || rows.elements(before, block).eq(rows.elements(s, block))
            {
                return true;
            }
            sorted(&mut last, rows.elements(before, block));
            sorted(&mut this, rows.elements(s, block));
            this == last
        })
    })
}

/// Whether all states of each block that have no inert step have the same set of
/// (label, block of the target), and no other state has an element that they
/// lack. Hidden transitions must lead to smaller numbers, so that each state
/// reaches one without inert steps. O(m log d); 8 bytes a state.
pub(super) fn branching(rows: Rows<'_>, block: &[u32], count: u32) -> bool {
    if count as usize == block.len() {
        return true;
    }
    let (order, starts) = by_block(block, count);
    let part_len = (TASK * block.len() / (rows.targets.len() + 1)).clamp(64, TASK);
    parallel::all(order.len().div_ceil(part_len), 1, |part| {
        let states = parallel::chunk(&order, part_len, part);
        let (mut common, mut this) = (Vec::new(), Vec::new());
        let mut of = u32::MAX;
        states.iter().all(|&s| {
            let b = block[s as usize];
            let inert = element(0, b);
            if std::mem::replace(&mut of, b) != b {
                // The first state of a block has the smallest number: it has no
                // inert step.
                let first = order[starts[b as usize] as usize];
                sorted(&mut common, rows.elements(first, block));
            }
            sorted(&mut this, rows.elements(s, block));
            match this.binary_search(&inert) {
                Ok(_) => this
                    .iter()
                    .all(|e| *e == inert || common.binary_search(e).is_ok()),
                Err(_) => this == common,
            }
        })
    })
}
