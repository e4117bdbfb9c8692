//! Operations on explicit labelled transition systems.

mod components;
mod facts;
mod paths;
mod reachable;

pub mod pattern;
pub mod relabel;
pub mod tokens;
pub mod union;

pub use components::{Components, components, first_on_cycle, hidden_components, tau_components};
pub use facts::{Facts, count_labels, facts, label_counts};
pub use paths::shortest_path;
pub use reachable::{
    Numbering, StateSet, reachable, reachable_states, reached, renumbered, restricted,
};
