//! DOT, GraphViz's language for graphs, as tools for LTSs and automata use it.
//!
//! Files are read in the dialects of LearnLib, AutomataWiki, AALpy, mCRL2 and
//! others, with everything that the language has: default attributes,
//! subgraphs as ends of edges, HTML labels. They are written in the style of
//! LearnLib.

mod attributes;
mod build;
mod fast;
mod graph;
mod initial;
mod lex;
mod names;
mod parallel;
mod parse;
mod read;
mod simple;
mod text;
mod write;

pub use read::{ReadDot, read};
pub use write::write;

#[cfg(test)]
mod tests;
