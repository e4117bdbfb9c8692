//! Temporal logic on labelled transition systems: formulas of CADP's MCL and of
//! mCRL2, decided on LTSs in memory and on the fly, with evidence.
//!
//! A text becomes a [`Property`](syntax::Property): a tree whose variables are
//! resolved and whose types are checked.

mod ahead;
mod along;
mod binding;
mod core_form;
pub mod data;
pub mod decide;
pub mod domains;
pub mod evidence;
mod game;
mod graph;
pub mod hml;
mod instances;
mod joined;
mod label_set;
mod labels;
mod matching;
pub mod mcf;
pub mod mcl;
mod parity;
mod polarity;
pub mod preservation;
mod print;
mod product;
mod sets;
mod states;
pub mod syntax;
mod vacuity;
mod version;
mod walk;
pub mod within;

pub use core_form::{MAX_CORE, NoCoreForm, core_form};
pub use decide::{CheckOptions, Checked, Evidence, Verdict, check_lts, check_model, has_instances};
pub use game::CheckError;
pub use labels::{ActionMatches, first_about_labels, first_action, matched_labels, unused_actions};
pub use preservation::Dependence;
pub use vacuity::vacuous;
pub use version::needs_version_4;

#[cfg(test)]
mod tests;
