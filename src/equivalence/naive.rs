//! The textbook definitions in terms of this crate.

use hyades_formats::Lts;
pub use hyades_testing::naive::strong_levels;
use hyades_testing::naive::{self, branching, divbranching, strong};

use super::{Partition, Relation};

/// The relations that the engines of this crate's core refine partitions for, from the
/// finest to the coarsest.
pub const REFINED: [Relation; 3] = [
    Relation::Strong,
    Relation::DivBranching,
    Relation::Branching,
];

/// The coarsest partition into classes of related states, by one of [`REFINED`].
pub fn partition(lts: &Lts, relation: Relation) -> Partition {
    Partition::new(match relation {
        Relation::Strong => strong(lts),
        Relation::Branching => branching(lts),
        Relation::DivBranching => divbranching(lts),
        other => panic!("not refined here: {other}"),
    })
}

/// Which states start an infinite hidden path that stays in their class.
pub fn divergent_states(lts: &Lts, partition: &Partition) -> Vec<bool> {
    naive::divergent_states(lts, partition.classes())
}
