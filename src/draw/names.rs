//! What states are called.

use hyades_formats::Lts;
use hyades_formats::diagnostic::printable_string;

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
    let parameters = known.parameters();
    let vector = |vector: &[u32]| {
        let values = vector.iter().zip(parameters).enumerate();
        let values = values.map(|(number, (&value, parameter))| {
            let value = printable_string(known.text(number, value));
            match parameters {
                [_] if parameter.name == b"label" => value,
                _ => format!("{}={value}", printable_string(&parameter.name)),
            }
        });
        values.collect::<Vec<_>>().join(", ")
    };
    let name = |state: usize| {
        let vectors: Vec<String> = known.vectors(state).map(vector).collect();
        match vectors.iter().all(String::is_empty) {
            true => state.to_string(),
            false => vectors.join(" | "),
        }
    };
    (0..known.states()).map(name).collect()
}
