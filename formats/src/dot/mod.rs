//! DOT, GraphViz's language for graphs, as tools for LTSs and automata use it.
//!
//! Files are read in the dialects of LearnLib, AutomataWiki, AALpy, mCRL2 and
//! others, with everything that the language has: default attributes,
//! subgraphs as ends of edges, HTML labels. They are written in the style of
//! LearnLib.

mod build;
mod initial;
mod lex;
mod parse;
mod read;
mod text;
mod write;

pub use read::{ReadDot, read};
pub use write::write;
