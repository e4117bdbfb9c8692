//! The commands of Hyades under one name, in crates that are compiled side by side:
//! [`core`] is what they share (options that spell the same and mean the same everywhere,
//! messages, outputs that appear whole or not at all, exit statuses); each module of
//! [`commands`] is one command, with all that only it needs.

pub use hyades_cli_core as core;

mod manual;
mod topics;
mod umbrella;

pub use umbrella::main;

/// The commands, one module each.
pub mod commands {
    pub use hyades_cli_commands::*;
    pub use hyades_cli_kernel as kernel;
    pub use hyades_cli_wmethod as wmethod;
}
