//! What hidden steps lead to, and the visible steps from there.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hyades_base::parallel;
use hyades_formats::{LabelId, TooLarge};

use crate::{Rows, TransitionColumns, element, finish_row};

/// Rows that one task makes.
const TASK: usize = 1 << 8;

/// Depth-first search along hidden steps, for one thread. Rows are sorted by labels.
pub(crate) struct HiddenSearch {
    /// The round in which each node was seen last.
    seen: Vec<u32>,
    round: u32,
    open: Vec<u32>,
}

impl HiddenSearch {
    pub(crate) fn new(nodes: usize) -> Self {
        Self {
            seen: vec![0; nodes],
            round: 0,
            open: Vec::new(),
        }
    }

    /// Visits each node once that hidden steps lead to, itself first.
    pub(crate) fn closure(&mut self, rows: Rows<'_>, from: u32, mut visit: impl FnMut(u32)) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.seen.fill(0);
            self.round = 1;
        }
        self.seen[from as usize] = self.round;
        self.open.push(from);
        while let Some(v) = self.open.pop() {
            visit(v);
            for &target in rows.successors(v, LabelId::HIDDEN) {
                if self.seen[target.index()] != self.round {
                    self.seen[target.index()] = self.round;
                    self.open.push(target.get());
                }
            }
        }
    }

    /// Adds the visible steps of all nodes that hidden ones lead to, as elements of the label
    /// and the number of the target, sorted and each once.
    pub(crate) fn after_hidden(
        &mut self,
        rows: Rows<'_>,
        from: u32,
        number: impl Fn(u32) -> u32,
        elements: &mut Vec<u64>,
    ) {
        let start = elements.len();
        self.closure(rows, from, |v| {
            let (labels, targets) = rows.row(v);
            let steps = labels.iter().zip(targets);
            let visible = steps.filter(|(label, _)| !label.is_hidden());
            elements.extend(visible.map(|(label, t)| element(label.get(), number(t.get()))));
        });
        finish_row(elements, start);
    }
}

/// The visible steps after any number of hidden ones, of these nodes in this order, with the
/// numbers of their targets.
///
/// O(k m) time for k nodes and m steps, in parallel; 8 bytes a step of the result.
///
/// # Errors
/// If there are more than `limit` steps in the result.
pub(crate) fn rows_after_hidden(
    rows: Rows<'_>,
    nodes: &[u32],
    number: impl Fn(u32) -> u32 + Sync,
    limit: u64,
) -> Result<TransitionColumns, TooLarge> {
    let found = AtomicU64::new(0);
    let unused: Mutex<Vec<HiddenSearch>> = Mutex::default();
    let part = |nodes: &[u32]| {
        let take = || unused.lock().ok()?.pop();
        let mut search = take().unwrap_or_else(|| HiddenSearch::new(rows.states()));
        let (mut elements, mut lengths) = (Vec::new(), Vec::with_capacity(nodes.len()));
        for &v in nodes {
            if found.load(Relaxed) > limit {
                break;
            }
            let start = elements.len();
            search.after_hidden(rows, v, &number, &mut elements);
            let length = elements.len() - start;
            found.fetch_add(length as u64, Relaxed);
            lengths.push(length as u32);
        }
        // Only who panics poisons the lock, and then there is no result.
        if let Ok(mut unused) = unused.lock() {
            unused.push(search);
        }
        (elements, lengths)
    };
    let parts = parallel::map_chunks(nodes, TASK, part);
    drop(unused);
    if found.into_inner() > limit {
        let what = "transitions";
        return Err(TooLarge { what, limit });
    }
    Ok(TransitionColumns::new(parts))
}
