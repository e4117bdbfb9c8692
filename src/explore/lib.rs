//! Exploring state spaces: models, state stores, breadth-first search, traces
//! and the questions answered on the fly.
//!
//! A [`Model`] is anything with an initial state and a successor function; its
//! states are strings of bits that mean something to the model only. [`explore`]
//! walks through all reachable states in breadth-first order, numbers them in
//! order of discovery, hands the transitions to a [`Sink`] and answers
//! [`Questions`]. An explicit [`Lts`](hyades_formats::Lts) is a model too, so
//! that every source of states goes through the same door, which is [`reach()`].
//!
//! ```
//! use hyades_explore::{Answer, LtsSink, Outcome, Questions, ExploreOptions, explore};
//! use hyades_formats::{LabelId, LtsBuilder, StateId};
//!
//! let mut builder = LtsBuilder::new(0);
//! builder.add_text(0, b"coin", 2)?;
//! builder.add_text(2, b"tea", 0)?;
//! builder.add_text(2, b"coin", 1)?;
//! let machine = builder.build(StateId::new(0))?;
//!
//! let mut sink = LtsSink::new();
//! let search = ExploreOptions {
//!     questions: Questions { deadlock: true, ..Questions::default() },
//!     ..ExploreOptions::default()
//! };
//! let found = explore(&machine, search, &mut sink)?;
//! assert_eq!(found.outcome, Outcome::Complete);
//! let Some(Answer::Yes(trace)) = &found.deadlock else { panic!("coin, coin is stuck") };
//! let texts: Vec<&[u8]> = trace.labels.iter().map(|&l| found.labels.text(l)).collect();
//! assert_eq!(texts, [b"coin", b"coin"]);
//! let reached = sink.finish(found.labels.into_owned())?;
//! assert_eq!((reached.states(), reached.transitions()), (3, 3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arena;
mod aut_sink;
mod batch;
mod checked;
mod chunk;
mod emit;
mod erased;
mod error;
mod explicit;
mod explorer;
mod hash;
mod index;
mod model;
mod observer;
pub mod pack;
pub mod pieces;
mod reach;
mod relabelled;
mod row;
mod run;
mod search;
mod sequence;
mod shape;
mod simulation;
mod sink;
mod store;
mod tau_star;
mod trace;

#[cfg(test)]
mod engine_tests;
#[cfg(test)]
mod on_the_fly;
#[cfg(test)]
pub mod tests;

pub use aut_sink::AutSink;
pub use emit::Emit;
pub use error::{ExploreError, Limit, ModelError};
pub use explicit::Numbered;
pub use hyades_formats::Rows;
pub use model::{Erased, Model};
pub use reach::{Goal, reach};
pub use relabelled::Relabelled;
pub use relabelled::relabelled_text;
pub use row::{ROOM, Row};
pub use run::{States, explore, explore_states};
pub use search::{
    Answer, Exploration, ExploreOptions, LabelPredicate, Limits, Outcome, Progress,
    ProgressCallback, Questions,
};
pub use sequence::{Searched, SearchedScratch, SequenceError, SequencePattern};
pub use shape::{MAX_BITS, check_sizes, pack_number, unpack_number, words};
pub use simulation::{Enabled, Replayed, Simulation};
pub use sink::{LtsSink, Sink, Stream};
pub use tau_star::TauStar;
pub use trace::{Cycle, Trace, traces_to_lts};
