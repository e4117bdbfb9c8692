//! What states are called.

use hyades_formats::Lts;
use hyades_lts::state_name;

use crate::lts::FORCE_LIMIT;

/// What states are called in the input, or their numbers where nothing is known of one: a
/// label of a node of DOT, or parameters with their values. Empty if there are no names, or
/// more states than have nodes of their own. O(length of the names).
pub fn names(lts: &Lts) -> Vec<String> {
    let Some(known) = lts.state_labels() else {
        return Vec::new();
    };
    if lts.states() > FORCE_LIMIT {
        return Vec::new();
    }
    let name = |state: usize| state_name(known, state).unwrap_or_else(|| state.to_string());
    (0..known.states()).map(name).collect()
}
