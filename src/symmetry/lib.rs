//! Symmetry: patterns and kernels (Romijn & Springintveld, Exploiting Symmetry
//! in Protocol Testing, CWI report SEN-R9918).
//!
//! A [`Pattern`](pattern::Pattern) is a template, a small deterministic machine,
//! of which copies with other values in their labels are found in a
//! specification. Traces are symmetric if at each step the copies take the same
//! edges of the template, whichever copy takes which. A [`kernel`](kernel()) is
//! a part of the specification in which each trace has a symmetric one.

mod best_order;
mod copies;
mod graph;
mod kernel;
mod product;
mod reached;

#[cfg(test)]
mod tests;

pub mod check;
pub mod inferred;
pub mod pattern;
pub mod template;

pub use best_order::{BestOrder, OrderSearch, best_order};
pub use copies::{Copies, CopiesError};
pub use kernel::{Kernel, KernelError, KernelNumbers, Nodes, kernel};
