//! What all commands share, so that options spell the same everywhere and every
//! command ends the same way.
//!
//! A command is a struct of arguments (clap) that implements [`Command`]. The
//! struct holds groups of options from here, which is what the user typed; each
//! group is converted once, at the start, into what the program needs.
//! [`main`] then takes care of the rest: messages, measuring, exit statuses,
//! signals, panics.
//!
//! For Unix-like systems.

mod answer;
pub mod best_order;
pub mod checks;
pub mod classes;
pub mod cleanup;
pub mod files;
pub mod folders;
pub mod format_options;
pub mod given;
pub mod label_options;
pub mod machines;
pub mod memory;
pub mod model;
pub mod mutants;
pub mod network_options;
pub mod networks;
pub mod options;
pub mod output;
pub mod patterns;
pub mod progress;
mod proofs;
pub mod reductions;
pub mod refinements;
pub mod run;
pub mod size;
pub mod state_symmetry;
pub mod stats;
pub mod status;
pub mod streamed;
pub mod suite_checks;
pub mod suite_runs;
pub mod suite_symmetry;
pub mod suites;
mod symmetric_suites;
pub mod symmetries;
pub mod system_reductions;
pub mod system_reports;
mod system_work;
pub mod systems;
mod tau;
mod texts;
pub mod traces;

pub use best_order::BestOrderOptions;
pub use checks::CheckOptions;
pub use files::{Size, show_lts, trace_in_comments, uses, why_comments};
pub use folders::Folder;
pub use label_options::{LabelOptions, places};
pub use machines::MachineOptions;
pub use model::{AnyModel, Given, ModelOptions, PluginOptions};
pub use mutants::MutantOptions;
pub use networks::AboutNetwork;
pub use options::{
    DialectOption, FilterOptions, InputOption, LimitOptions, LtsOutput, ReadOptions,
    RelationOption, TextOption, TracesOption, VisibleIOption, WriteOptions,
};
pub use output::{Destination, Output};
pub use patterns::PatternOptions;
pub use progress::{Progress, Unit};
pub use reductions::{Demands, ReductionOptions};
pub use refinements::{Names, Open, RefinementOptions, gave_up, refinement_text};
pub use run::{Command, RunOptions, Session, Verbosity, main};
pub use status::{Epilogue, Failure, Status};
pub use streamed::{end_stream, how_far};
pub use suite_checks::SuiteCheckOptions;
pub use suite_runs::SuiteRunOptions;
pub use suite_symmetry::SuiteSymmetryOptions;
pub use suites::{SuiteInput, SuiteOptions, SuiteOutput};
pub use symmetries::SymmetryOptions;
pub use system_reductions::SystemReductionOptions;
pub use system_reports::SystemOptions;
pub use systems::ExploreSystemOptions;
pub use texts::read_text;
pub use traces::{Explain, Manner};
