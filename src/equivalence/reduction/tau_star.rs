//! Visible transitions only.

use hyades_formats::{Lts, LtsParts, TooLarge};
use hyades_lts::StateSet;

use crate::TauContraction;
use crate::hidden_search::rows_after_hidden;

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

    // What visible transitions lead to has a number.
    let number_of = |target: u32| number[target as usize];
    let columns = rows_after_hidden(rows, &order, number_of, limit)?;
    let initial = number[initial as usize];
    drop((silent, number));
    Ok(columns.into_lts(initial, table).0)
}
