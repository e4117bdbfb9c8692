//! Labelled transition systems (LTSs) in memory, and every reader and writer
//! of LTSs and traces.
//!
//! Two ideas carry the crate:
//!
//! * an [`Lts`] is three flat columns, rows of outgoing transitions compressed
//!   by source state, over a [`LabelTable`] of interned byte strings;
//! * the hidden action is the reserved [`LabelId::HIDDEN`], not a text. Which
//!   texts of a file count as hidden is a reader's option, and how hidden is
//!   spelt is a writer's.
//!
//! No algorithm lives here.

pub mod lts;

pub use lts::{LabelId, LabelTable, Lts, LtsBuilder, LtsParts, StateId, TooLarge};
