//! Operations on explicit labelled transition systems.

mod backward;
mod components;
mod facts;
mod reachable;

pub mod union;

pub use backward::Backward;
pub use components::{Components, components, tau_components};
pub(crate) use components::{first_on_cycle, hidden_components};
pub use facts::{Facts, facts, label_counts};
pub(crate) use reachable::reachable_states;
pub use reachable::{Numbering, reachable};
