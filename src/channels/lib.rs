//! Systems of communicating state machines (CSMs): components that exchange messages
//! through queues.
//!
//! The definitions are those of M. Kapus-Kolar, "Error-preserving local
//! transformations on communication protocols", STVR 2013 (published online 2010).
//! A [`System`] is read from a [`SystemFile`]; a [`SystemModel`] explores it.
//!
//! ```
//! use hyades_channels::{Origin, Semantics, SystemFile, SystemModel};
//! use hyades_explore::{ExploreOptions, explore};
//! use hyades_formats::{Source, read_lts};
//!
//! let file = SystemFile::from_text(
//!     r#"
//!     format = "csm-system-1"
//!     [[component]]
//!     name = "sender"
//!     aut = '''
//!     des (0, 2, 2)
//!     (0, "-ask", 1)
//!     (1, "+answer", 0)
//!     '''
//!     [[component]]
//!     name = "receiver"
//!     aut = '''
//!     des (0, 2, 2)
//!     (0, "+ask", 1)
//!     (1, "-answer", 0)
//!     '''
//!     [[channel]]
//!     name = "questions"
//!     from = "sender"
//!     to = "receiver"
//!     capacity = 1
//!     messages = ["ask"]
//!     [[channel]]
//!     name = "answers"
//!     from = "receiver"
//!     to = "sender"
//!     capacity = 1
//!     messages = ["answer"]
//!     "#,
//! )?;
//! let mut machines = Vec::new();
//! for origin in file.origins() {
//!     let Origin::Text(text) = origin else { panic!("the components are in the text") };
//!     let source = Source::from_bytes("component", text.into(), None)?;
//!     machines.push(read_lts(source, &Default::default(), &mut |d| panic!("{d}"))?);
//! }
//! let system = file.system(&machines)?;
//! let model = SystemModel::new(&system, Semantics::default())?;
//! let found = explore(&model, ExploreOptions::default(), &mut ())?;
//! assert_eq!((found.states, found.transitions), (4, 4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod analysis;
mod compose;
mod contents;
mod event;
mod file;
mod histories;
mod log;
mod machine;
mod merge;
mod model;
mod progress;
mod pump;
mod raw;
mod read;
mod rules;
mod strategy;
mod system;
#[cfg(test)]
mod tests;
pub mod theta;
mod verify;
mod write;

pub use action::{Action, ActionError, KnownContents, Reach};
pub use analysis::{Analysis, Labelled, Sight, analyse};
pub use compose::{ComposeError, Composed};
pub use contents::{Contents, ContentsError};
pub use event::{
    Channel, ChannelId, ComponentId, Direction, Event, Label, LabelError, MessageId, Transition,
    Vocabulary,
};
pub use file::{Origin, Place, SystemError, SystemFile};
pub use histories::{Misfit, Queue};
pub use machine::{Machine, messages_of};
pub use merge::representatives;
pub use model::{Beyond, Semantics, SystemModel, SystemState, labels_of};
pub use progress::{MaximalProgress, MaximalProgressError};
pub use read::{SystemSource, Unread, read_system};
pub use rules::{Application, Change, Refusal, Rule};
pub use strategy::{Limits as RuleLimits, Reducer, Strategy};
pub use system::{Component, System};
pub use verify::{Correspondence, Difference, Verified, verify};
