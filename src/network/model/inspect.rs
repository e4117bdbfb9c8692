//! A model as reductions see it: component by component.

use hyades_explore::pack::{flip_in, get_in};

use super::super::event::EventId;
use super::NetworkModel;
use super::program::{Context, Values};
use super::table::Table;

impl NetworkModel {
    /// The transitions of a component.
    pub(crate) fn transitions_of(&self, component: u32) -> &Table {
        self.table(component)
    }

    /// The states of the components in a packed state.
    pub(crate) fn unpack(&self, packed: &[u64], states: &mut Vec<u32>) {
        states.clear();
        states.extend(self.fields.iter().map(|&field| get_in(packed, field)));
    }

    /// Moves a component from one of its states to another.
    pub(crate) fn move_one(&self, packed: &mut [u64], k: u32, from: u32, to: u32) {
        flip_in(packed, self.fields[k as usize], from ^ to);
    }

    /// Whether a guard of a rule is enabled in these states of the components.
    /// `values` is of the same states since it was told to forget others.
    pub(crate) fn is_guard_enabled(
        &self,
        guard: EventId,
        states: &[u32],
        values: &mut Values,
    ) -> bool {
        let context = Context {
            states,
            tables: &self.tables,
            table_of: &self.table_of,
        };
        let node = self.program.number(guard);
        self.program.is_enabled(node, values, &context)
    }
}
