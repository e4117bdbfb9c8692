//! The commands of Hyades.
//!
//! [`core`] is what they share: options that spell the same and mean the same
//! everywhere, messages, outputs that appear whole or not at all, exit statuses. Each
//! module of [`commands`] is one command, with all that only it needs.

pub mod commands;
pub mod core;
