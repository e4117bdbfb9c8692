//! Random patterns and specifications, and kernels by the definitions.

pub mod naive;
pub mod random;

mod best_order;
mod kernels;
mod order;
mod pattern_files;
