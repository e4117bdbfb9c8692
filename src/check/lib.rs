//! Temporal logic on labelled transition systems: formulas of CADP's MCL and of
//! mCRL2, decided on LTSs in memory and on the fly, with evidence.
//!
//! A text becomes a [`Property`](syntax::Property): a tree whose variables are
//! resolved and whose types are checked.

pub mod data;
mod game;
mod graph;
mod matching;
mod parity;
mod sets;
mod states;
pub mod syntax;

#[cfg(test)]
mod tests;
