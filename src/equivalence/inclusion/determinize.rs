//! The smallest deterministic LTS with the same traces.

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId, TooLarge};

use super::sets::Sets;
use super::system::System;
use crate::strong_quotient;

/// Whether hidden steps are steps of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HiddenSteps {
    /// They are, as all others: their label is followed as all others.
    Counted,
    /// They are not, and may be taken anywhere.
    Skipped,
}

/// A deterministic LTS with the same traces: the subset construction, after bisimilar
/// states were merged.
///
/// Its states are the non-empty sets of states that a trace leads to; no state has two
/// steps with the same label, and there are no hidden steps if they are
/// [`HiddenSteps::Skipped`]. States are numbered breadth-first, labels in the order of
/// their bytes, and labels keep their numbers.
///
/// The label `accepting`, if there is one, is no step: a state with it, a self-loop,
/// accepts, and so does a set with such a state, so that the result accepts the language of
/// a finite automaton.
///
/// There may be 2^states sets. Time: for each of them the steps of its members. Memory: 4
/// bytes a member of each set, and some 20 a step of the result.
///
/// # Errors
/// If there are more than `most` states, or more transitions than an LTS can hold.
pub fn determinize(
    lts: &Lts,
    hidden: HiddenSteps,
    accepting: Option<LabelId>,
    most: u64,
) -> Result<Lts, TooLarge> {
    let (system, [initial]) = System::of_traces(lts, [lts.initial()], hidden);
    let mut sets = Sets::new(&system);
    let limit = most.min(StateId::MAX_COUNT);
    // The empty set comes first, and is no state.
    let number = |set: u32| StateId::new(set - 1);
    let first = sets.of(initial);
    let mut builder = LtsBuilder::with_table(1, lts.table().clone());
    let mut ranks = Vec::new();
    let mut set = first;
    while (set as usize) < sets.len() {
        ranks.clear();
        sets.ranks(set, &mut ranks);
        for &rank in &ranks {
            let label = system.label(rank);
            let after = match accepting == Some(label) {
                true => set,
                false => sets.after_once(set, rank),
            };
            builder.add(number(set), label, number(after));
        }
        if sets.len() as u64 - 1 > limit {
            return Err(TooLarge {
                what: "states",
                limit: most,
            });
        }
        set += 1;
    }
    builder.build(number(first))
}

/// The smallest deterministic LTS with the same traces, which is the same for all LTSs
/// that have them: that of [`determinize`], with bisimilar states merged, which in a
/// deterministic LTS are those with the same traces.
///
/// Numbered as by [`minimize`](crate::minimize).
///
/// # Errors
/// As [`determinize`]; the limit is one on the states before they are merged.
pub fn determinized_quotient(lts: &Lts, hidden: HiddenSteps, most: u64) -> Result<Lts, TooLarge> {
    Ok(strong_quotient(determinize(lts, hidden, None, most)?).lts)
}
