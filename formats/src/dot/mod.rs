//! DOT, GraphViz's language for graphs, as tools for LTSs and automata use it.
//!
//! Files are read in the dialects of LearnLib, AutomataWiki, AALpy, mCRL2 and
//! others, with everything that the language has: default attributes,
//! subgraphs as ends of edges, HTML labels. They are written in the style of
//! LearnLib. Moore machines and finite automata are read and written where
//! options say so ([`StateOutputs`], [`WriteOutputs`]).

mod attributes;
mod build;
mod fast;
mod graph;
mod initial;
mod lex;
mod names;
mod outputs;
mod parallel;
mod parse;
mod places;
mod read;
mod signs;
mod simple;
mod text;
mod told;
mod write;

pub use crate::options::{MooreForm, ReadDot, StateOutputs, WriteDot, WriteOutputs};
pub use read::read;
pub use text::quoted;
pub use write::write;

#[cfg(test)]
mod tests;
