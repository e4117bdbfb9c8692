//! The kin of branching bisimilarity: relations that look at hidden steps as it does, but
//! for one clause of the definition.
//!
//! * [`sharp`]: steps by some labels, the strong ones, must be answered at once.
//! * [`eta`]: hidden steps may follow the answer, too.
//! * [`stability`]: a state without hidden steps is related to states only that can come
//!   to such a state.
//! * [`rooted`]: branching or weak bisimilarity from the second step on.

pub(crate) mod closure;
pub mod eta;
pub mod rooted;
mod sets;
pub mod sharp;
pub mod stability;

#[cfg(test)]
mod ground_truth;
#[cfg(test)]
pub(crate) mod tests;

use super::Partition;

/// The partition of the states whose class is that of what stands for them.
fn pulled_back(stands_for: &[u32], partition: &Partition) -> Partition {
    let class = stands_for
        .iter()
        .map(|&v| partition.class[v as usize])
        .collect();
    Partition {
        class,
        count: partition.count,
    }
}
