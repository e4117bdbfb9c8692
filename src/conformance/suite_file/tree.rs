//! Suites as LTSs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use hyades_formats::{Lts, LtsBuilder, StateId};

use crate::machine::{Machine, MachineError};
use crate::pairing::Pairing;
use crate::tree::TestTree;

impl TestTree {
    /// The tree as an LTS with labels `input/output`: state 0 is the root, each
    /// node comes before its children. O(nodes).
    ///
    /// # Errors
    /// If a label would not be split back into its pair, or there are too many
    /// nodes.
    pub fn to_lts(&self, machine: &Machine, pairing: &Pairing) -> Result<Lts, MachineError> {
        let mut builder = LtsBuilder::new(self.len() as u64);
        let mut labels = HashMap::new();
        for node in self.nodes() {
            let Some((parent, input)) = self.parent(node) else {
                continue;
            };
            let (output, _) = machine
                .step(self.state(parent), input)
                .expect("the tree has only transitions of its machine");
            let label = match labels.entry((input, output)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    let text = machine.label(input, output, pairing)?;
                    *new.insert(builder.table_mut().intern(&text)?)
                }
            };
            let (source, target) = (parent.index(), node.index());
            builder.add(
                StateId::from_index(source),
                label,
                StateId::from_index(target),
            );
        }
        Ok(builder.build(StateId::new(0))?)
    }
}
