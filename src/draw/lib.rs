//! Drawings and reports.

mod escape;
pub mod report;
