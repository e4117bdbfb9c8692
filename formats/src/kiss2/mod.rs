//! KISS2, the format of finite state machines in logic synthesis (SIS, MVSIS, the MCNC
//! benchmarks) and of some tools for testing: a Mealy machine, one row for each set of inputs.
//!
//! ```text
//! .i 2
//! .o 1
//! .p 3
//! .s 2
//! .r idle
//! 1- idle busy 0
//! 0- idle idle 0
//! -- busy idle 1
//! .e
//! ```
//!
//! A row has inputs, present state, next state and output. Fields consist of bits, where a `-`
//! of an input stands for both values and one of an output is a part of it, or are symbols. What
//! is read is an LTS with labels `input/output` (see [`mealy`](crate::mealy)).

mod read;
mod write;

pub use read::read;
pub use write::write;

/// Whether a field consists of bits, with `-` for those that are not said.
fn is_bits(field: &[u8]) -> bool {
    field.iter().all(|b| matches!(b, b'0' | b'1' | b'-'))
}

/// Whether an input that consists of bits stands for several.
fn is_cube(input: &[u8]) -> bool {
    is_bits(input) && input.contains(&b'-')
}

/// Whether a field in the place of a state names none: any present state, or a next state
/// that is not said.
fn is_any_state(field: &[u8]) -> bool {
    matches!(field, b"*" | b"-")
}
