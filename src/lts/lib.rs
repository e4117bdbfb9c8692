//! Operations on explicit labelled transition systems.
//!
//! ```
//! use hyades_formats::{LtsBuilder, StateId};
//! use hyades_lts::relabel::{Action, Matching, Rules, Scope, RelabelStep, relabel};
//! use hyades_lts::{Numbering, reachable, shortest_path};
//!
//! let mut builder = LtsBuilder::new(4);
//! builder.add_text(0, b"OPEN", 1)?;
//! builder.add_text(1, b"READ !7", 2)?;
//! builder.add_text(3, b"CLOSE", 0)?;
//! let lts = reachable(builder.build(StateId::new(0))?, Numbering::BreadthFirst);
//! assert_eq!((lts.states(), lts.transitions()), (3, 2));
//! assert_eq!(shortest_path(&lts, StateId::new(2)).map(|path| path.len()), Some(2));
//!
//! let mut rules = Rules::new(Action::Hide, Matching::Gate, Scope::Matching);
//! rules.push(b"READ", b"", None)?;
//! let done = relabel(lts, &[RelabelStep::Rules(rules, None)], &|text| text == b"i", None)?;
//! assert!(done.lts.labels()[1].is_hidden());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod components;
mod distributions;
mod facts;
mod names;
mod paths;
mod reachable;

pub mod pattern;
pub mod relabel;
pub mod tokens;
pub mod union;

pub use components::{
    CORE_PART, Components, LEAST_WITH_CORE, component_core, components, components_by,
    first_on_cycle, hidden_components, tau_components,
};
pub use distributions::{Distributions, Histogram, distributions, histogram};
pub use facts::{Facts, facts, label_counts};
pub use names::state_name;
pub use paths::{chain, lasso, shortest_path};
pub use reachable::{
    Numbering, StateSet, reachable, reachable_by, reachable_states, reached, renumbered, restricted,
};
