//! What all commands share, so that options spell the same everywhere and every
//! command ends the same way.
//!
//! A command is a struct of arguments (clap) that implements [`Command`]. The
//! struct holds groups of options from here, which is what the user typed; each
//! group is converted once, at the start, into what the program needs.
//! [`run::run`] then takes care of the rest: messages, measuring, exit statuses,
//! signals, panics.
//!
//! For Unix-like systems.

#![expect(
    missing_debug_implementations,
    reason = "options and states of commands"
)]

pub mod answer;
pub mod any_model;
mod arena;
pub mod attended;
pub mod checks;
pub mod choices;
pub mod cleanup;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod comparison;
#[cfg(feature = "cluster")]
pub mod distributed;
#[cfg(feature = "cluster")]
mod distributed_parts;
pub mod escape;
mod excerpt;
pub mod external;
pub mod files;
pub mod folders;
pub mod format_options;
pub mod given;
pub mod hiding;
mod input;
pub mod label_options;
pub mod memory;
pub mod model;
pub mod network_options;
pub mod networks;
pub mod options;
pub mod output;
pub mod patterns;
pub mod progress;
pub mod run;
pub mod say;
pub mod session;
pub mod size;
mod slips;
mod standard;
pub mod state_symmetry;
pub mod stats;
pub mod status;
pub mod streamed;
pub mod systems;
mod tau;
pub mod texts;
pub mod traces;
pub mod version;

pub use answer::AnswerOptions;
pub use answer::JsonOption;
pub use any_model::{AnyModel, Explorable, Given};
pub use comparison::ComparisonOptions;
pub use external::ExternalOption;
pub use files::{trace_in_comments, uses, why_comments};
pub use folders::Folder;
pub use input::input_name;
pub use label_options::{LabelOptions, Relabelling, places};
pub use model::{ModelOptions, PluginOptions};
pub use networks::{AboutNetwork, files_of, files_text, label_line};
pub use options::{
    DialectOption, FilterOptions, HtmlOption, InputOption, LimitOptions, LtsOutput, ReadOptions,
    RelationOption, TextOption, TracesOption, VisibleIOption, WriteOptions, check_quotient,
    minimizing_relation, preorder,
};
pub use output::{Destination, Output, same_file};
pub use patterns::{PatternOption, PatternOptions};
pub use progress::{Progress, Unit};
pub use run::Command;
pub use session::{RunOptions, Session, Verbosity};
pub use standard::pass_on_closed_output;
pub use stats::{Size, show_lts};
pub use status::{Asks, Epilogue, Failure, Status};
pub use streamed::{end_stream, how_far};
pub use systems::ExploreSystemOptions;
pub use texts::read_text;
pub use traces::{Explain, Manner};
pub use version::version;
