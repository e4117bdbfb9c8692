//! Operations on explicit labelled transition systems.

pub mod union;
