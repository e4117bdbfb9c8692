//! The columns of all transitions read so far, and how they become an LTS.

use super::part::Part;
use crate::lts::{LabelId, LabelTable, Lts, StateId, TooLarge};

/// The transitions of the parts appended so far.
#[derive(Default)]
pub(super) struct Columns {
    sources: Vec<u32>,
    labels: Vec<LabelId>,
    targets: Vec<StateId>,
}

impl Columns {
    /// Appends parts that were parsed with a table of `known` labels; `maps[k]`
    /// numbers the new labels of `parts[k]`.
    pub fn append(
        &mut self,
        parts: &[Part],
        maps: &[Vec<u32>],
        known: u32,
    ) -> Result<(), TooLarge> {
        for (part, map) in parts.iter().zip(maps) {
            self.sources.extend_from_slice(&part.sources);
            self.labels.extend(part.labels.iter().map(|&l| {
                LabelId::new(if l < known {
                    l
                } else {
                    map[(l - known) as usize]
                })
            }));
            self.targets
                .extend(part.targets.iter().map(|&t| StateId::new(t)));
        }
        if self.targets.len() as u64 > Lts::MAX_TRANSITIONS {
            return Err(TooLarge {
                what: "transitions",
                limit: Lts::MAX_TRANSITIONS,
            });
        }
        Ok(())
    }

    /// The LTS with these transitions.
    pub fn finish(self, states: u64, initial: StateId, table: LabelTable) -> Result<Lts, TooLarge> {
        let mut builder = crate::LtsBuilder::with_table(states, table);
        for ((s, l), t) in self.sources.iter().zip(self.labels).zip(self.targets) {
            builder.add(StateId::new(*s), l, t);
        }
        builder.build(initial)
    }
}
