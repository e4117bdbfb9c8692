//! The textbook definitions in terms of this crate.

use hyades_formats::Lts;
pub use hyades_testing::naive::strong_levels;
use hyades_testing::naive::{self, branching, divbranching, strong};

use super::{Partition, Relation};

/// The coarsest partition into classes of related states.
pub fn partition(lts: &Lts, relation: Relation) -> Partition {
    Partition::new(match relation {
        Relation::Strong => strong(lts),
        Relation::Branching => branching(lts),
        Relation::DivBranching => divbranching(lts),
    })
}

/// Which states start an infinite hidden path that stays in their class.
pub fn divergent_states(lts: &Lts, partition: &Partition) -> Vec<bool> {
    naive::divergent_states(lts, partition.classes())
}
