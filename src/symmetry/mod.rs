//! Symmetry: patterns, kernels, permutations of values.

pub mod tokens;
