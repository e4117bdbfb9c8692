//! Operations on explicit labelled transition systems.

mod components;
mod facts;
mod paths;
mod reachable;

pub mod relabel;
pub mod union;

pub use components::{Components, components, tau_components};
pub(crate) use components::{first_on_cycle, hidden_components};
pub use facts::{Facts, count_labels, facts, label_counts};
pub use paths::shortest_path;
pub use reachable::{Numbering, reachable, reached};
pub(crate) use reachable::{StateSet, reachable_states, renumbered, restricted};
