//! Symmetry: patterns and kernels (Romijn & Springintveld, Exploiting Symmetry
//! in Protocol Testing, CWI report SEN-R9918).
//!
//! A [`Pattern`](pattern::Pattern) is a template, a small deterministic machine,
//! of which copies with other values in their labels are found in a
//! specification. Traces are symmetric if at each step the copies take the same
//! edges of the template, whichever copy takes which. A [`kernel`](kernel()) is
//! a part of the specification in which each trace has a symmetric one.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use hyades_formats::{LtsBuilder, StateId};
//! use hyades_symmetry::pattern::PatternFile;
//! use hyades_symmetry::{Instances, KernelNumbers, kernel};
//!
//! // A user takes a lock and gives it back; the edges have numbers.
//! let mut user = LtsBuilder::new(2);
//! user.add_text(0, b"1!LOCK(0)", 1)?;
//! user.add_text(1, b"2!UNLOCK(0)", 0)?;
//! let user = user.build(StateId::new(0))?;
//! let file = PatternFile::from_text(
//!     "template = 'user.aut'\n[[transformations]]\nrotations = [0, 1]\n",
//! )?;
//! let pattern = file.pattern(&user)?;
//!
//! let mut lock = LtsBuilder::new(3);
//! for (name, state) in [("0", 1), ("1", 2)] {
//!     lock.add_text(0, format!("LOCK({name})").as_bytes(), state)?;
//!     lock.add_text(state, format!("UNLOCK({name})").as_bytes(), 0)?;
//! }
//! let lock = lock.build(StateId::new(0))?;
//! let copies = Instances::new(&pattern, &lock)?;
//! let ranks = pattern.order.ranks(&lock, &pattern.syntax);
//! let mut go_on = |_: &_| ControlFlow::Continue(());
//! let kernel = kernel(&lock, &copies, &ranks, KernelNumbers::Found, &mut go_on)?;
//! // What one of the users does stands for both.
//! assert_eq!((kernel.lts.states(), kernel.lts.transitions()), (2, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod best_order;
mod graph;
mod instances;
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
pub use instances::{Instances, InstancesError};
pub use kernel::{Kernel, KernelError, KernelNumbers, Nodes, kernel};
