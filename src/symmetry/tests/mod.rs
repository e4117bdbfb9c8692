//! Random patterns and specifications, and kernels by the definitions.

pub(super) mod naive;
pub(super) mod random;

mod best_order;
mod kernels;
mod order;
mod pattern_files;
