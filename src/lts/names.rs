//! What states are called.

use hyades_formats::StateLabels;
use hyades_formats::diagnostic::printable_string;

/// What a state is called: the label of a node of DOT, or its parameters with their values;
/// none if nothing is known of it.
///
/// # Panics
/// If the state has not been described.
pub fn state_name(labels: &StateLabels, state: usize) -> Option<String> {
    let parameters = labels.parameters();
    let of_vector = |vector: &[u32]| {
        let values = vector.iter().zip(parameters).enumerate();
        let values = values.map(|(number, (&value, parameter))| {
            let value = printable_string(labels.text(number, value));
            match parameters {
                [_] if parameter.name == b"label" => value,
                _ => format!("{}={value}", printable_string(&parameter.name)),
            }
        });
        values.collect::<Vec<_>>().join(", ")
    };
    let vectors: Vec<String> = labels.vectors(state).map(of_vector).collect();
    let is_known = !vectors.iter().all(String::is_empty);
    is_known.then(|| vectors.join(" | "))
}
