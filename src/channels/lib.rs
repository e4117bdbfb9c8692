//! Systems of communicating state machines (CSMs): components that exchange messages
//! through queues.
//!
//! The definitions are those of M. Kapus-Kolar, "Error-preserving local
//! transformations on communication protocols", STVR 2013 (published online 2010).
//! A [`System`] is read from a [`SystemFile`]; a [`SystemModel`] explores it.

mod action;
mod compose;
mod contents;
mod event;
mod file;
mod findings;
mod histories;
mod log;
mod machine;
mod merge;
mod model;
mod progress;
mod pump;
mod raw;
mod rules;
mod strategy;
mod system;
#[cfg(test)]
mod tests;
pub mod theta;
mod verify;
mod write;

pub use action::{Action, ActionError, KnownContents, Reach};
pub use compose::{ComposeError, Composed};
pub use contents::{Contents, ContentsError, Misfit, Queue};
pub use event::{
    Channel, ChannelId, ComponentId, Direction, Event, Label, LabelError, MessageId, Vocabulary,
};
pub use file::{Origin, Place, SystemError, SystemFile};
pub use findings::{Findings, Labelled, Sight, labels_of, survey};
pub use machine::{Machine, Transition, messages_of};
pub use merge::representatives;
pub use model::{Beyond, Semantics, SystemModel, SystemState};
pub use progress::{MaximalProgress, MaximalProgressError};
pub use rules::{Application, Change, Refusal, Rule};
pub use strategy::{Limits as RuleLimits, Reducer, Strategy};
pub use system::{Component, System};
pub use verify::{Correspondence, Difference, Verified, verify};
