//! Partition refinement with a worst-case bound: O(m log n) time for m
//! transitions and n states, whatever the input.
//!
//! The engines by signatures are faster on most inputs, and hand over to these
//! when their own work passes a bound.

mod gjkw;
mod valmari;

#[cfg(test)]
pub(super) mod tests;

pub(super) use gjkw::refine as refine_branching;
pub(super) use valmari::refine as refine_strong;

/// What a refinement comes to.
pub(super) struct Refined {
    /// The block of each state.
    pub(super) block: Vec<u32>,
    /// The number of blocks.
    pub(super) count: u32,
    /// Elementary steps taken: what the bound is about.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(super) steps: u64,
}

/// Where a state is.
#[derive(Clone, Copy)]
struct Spot {
    block: u32,
    /// Its place in the column of states, block after block.
    place: u32,
}
