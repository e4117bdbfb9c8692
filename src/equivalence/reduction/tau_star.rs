//! Visible transitions only.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hyades_base::parallel;
use hyades_formats::{Lts, LtsParts, TooLarge};
use hyades_lts::StateSet;

use crate::{Classes, Quotient, Rows, TauContraction, TransitionColumns, element, finish_row};

/// Rows that one task makes.
const TASK: usize = 1 << 8;

/// Replaces hidden transitions by what can be done after them.
///
/// # Errors
/// If there are too many transitions then.
pub(super) fn reduce(lts: Lts) -> Result<Lts, TooLarge> {
    reduce_within(lts, Lts::MAX_TRANSITIONS)
}

/// As [`reduce`], with at most so many transitions.
pub(super) fn reduce_within(lts: Lts, limit: u64) -> Result<Lts, TooLarge> {
    // States on one cycle can do the same, and so can a state with nothing but one
    // hidden transition and where that leads.
    let silent = TauContraction::new(&lts, false);
    let initial = silent.node[lts.initial().index()];
    let LtsParts { table, .. } = lts.into_parts();
    let rows = silent.rows();

    // Every state can be reached, so each that a visible transition leads to is
    // needed, and no other but the initial one.
    let mut needed = StateSet::new(rows.states());
    needed.insert(initial as usize);
    for (label, target) in rows.labels.iter().zip(rows.targets) {
        if !label.is_hidden() {
            needed.insert(target.index());
        }
    }
    // Numbered by their least states, so that nothing moves if nothing is hidden.
    const NONE: u32 = u32::MAX;
    let mut number = vec![NONE; rows.states()];
    let mut order = Vec::with_capacity(needed.count);
    for &v in &silent.node {
        if needed.contains(v as usize) && number[v as usize] == NONE {
            number[v as usize] = order.len() as u32;
            order.push(v);
        }
    }

    let found = AtomicU64::new(0);
    let unused: Mutex<Vec<Search>> = Mutex::default();
    let part = |nodes: &[u32]| {
        let take = || unused.lock().ok()?.pop();
        let mut search = take().unwrap_or_else(|| Search::new(rows.states()));
        let mut elements = Vec::new();
        let mut lengths = Vec::with_capacity(nodes.len());
        for &v in nodes {
            if found.load(Relaxed) > limit {
                break;
            }
            let start = elements.len();
            search.visit(rows, v, &number, &mut elements);
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
    let parts = parallel::map_chunks(&order, TASK, part);
    if found.into_inner() > limit {
        return Err(TooLarge {
            what: "transitions",
            limit,
        });
    }
    let initial = number[initial as usize];
    drop((silent, number, unused));

    let columns = TransitionColumns::new(parts);
    let each: Vec<u32> = (0..order.len() as u32).collect();
    let ranks = table.ranks();
    let classes = Classes {
        rows: columns.rows(),
        representative: each.clone(),
        class: each,
        ranks: &ranks,
        drop_inert: false,
        divergence: None,
    };
    let quotient = Quotient::new(classes, &[initial], false);
    drop(columns);
    Ok(quotient.into_lts(table).0)
}

/// Depth-first search along hidden transitions, for one thread.
struct Search {
    /// The round in which each node was seen last.
    seen: Vec<u32>,
    round: u32,
    open: Vec<u32>,
}

impl Search {
    fn new(nodes: usize) -> Self {
        Self {
            seen: vec![0; nodes],
            round: 0,
            open: Vec::new(),
        }
    }

    /// Adds the visible transitions of all nodes that hidden ones lead to from this
    /// one, sorted and each once, as elements of labels and the numbers of targets.
    fn visit(&mut self, rows: Rows<'_>, from: u32, number: &[u32], elements: &mut Vec<u64>) {
        // There are fewer nodes to begin at than numbers of rounds.
        self.round += 1;
        self.seen[from as usize] = self.round;
        self.open.push(from);
        let start = elements.len();
        while let Some(v) = self.open.pop() {
            let (labels, targets) = rows.row(v);
            for (label, target) in labels.iter().zip(targets) {
                if !label.is_hidden() {
                    elements.push(element(label.get(), number[target.index()]));
                } else if self.seen[target.index()] != self.round {
                    self.seen[target.index()] = self.round;
                    self.open.push(target.get());
                }
            }
        }
        finish_row(elements, start);
    }
}
