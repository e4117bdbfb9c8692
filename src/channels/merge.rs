//! Equivalent states become one.

use std::collections::HashMap;

use hyades_equivalence::strong_partition;
use hyades_formats::{LtsBuilder, StateId};

use super::contents::Contents;
use super::event::{Label, Transition};
use super::machine::Machine;

/// What bisimilar states have in common.
#[derive(PartialEq, Eq, Hash)]
enum Name {
    Label(Label),
    /// The number of the class of its contents.
    Contents(u32),
}

/// Which state stands for each: one with the same future and the same contents of
/// private channels (Θmes, section 2.7: strong bisimilarity). The initial state stands
/// for its class, otherwise the least one that can be reached; states that cannot be
/// reached stand for themselves.
pub fn representatives(machine: &Machine, contents: &Contents) -> Vec<StateId> {
    let mut builder = LtsBuilder::new(machine.states() as u64);
    let mut names = HashMap::new();
    let mut add = |builder: &mut LtsBuilder, source: StateId, name: Name, target: StateId| {
        let next = names.len();
        let number = *names.entry(name).or_insert(next);
        // Labels by their numbers: they are compared, not read.
        let text = number.to_string();
        let added = builder.add_text(source.get(), text.as_bytes(), target.get());
        added.expect("there are no more labels than transitions and states");
    };
    for transition in machine.transitions() {
        let name = Name::Label(transition.label);
        add(&mut builder, transition.source, name, transition.target);
    }
    if !contents.channels().is_empty() {
        for (place, class) in contents.classes().into_iter().enumerate() {
            if let Some(class) = class {
                let state = StateId::from_index(place);
                add(&mut builder, state, Name::Contents(class), state);
            }
        }
    }
    let lts = builder.build(machine.initial());
    let lts = lts.expect("there are no more states than the machine has");
    let partition = strong_partition(&lts);
    let mut of_class: HashMap<u32, StateId> = HashMap::new();
    of_class.insert(partition.class(machine.initial()), machine.initial());
    let is_reachable = machine.reachable();
    let mut representatives = Vec::new();
    for state in (0..machine.states()).map(StateId::from_index) {
        representatives.push(match is_reachable[state.index()] {
            true => *of_class.entry(partition.class(state)).or_insert(state),
            false => state,
        });
    }
    representatives
}

impl Machine {
    /// Replaces each state by what stands for it, which is equivalent and stands for
    /// itself. What only replaced states led to goes.
    pub fn merge(&mut self, representatives: &[StateId]) {
        let of = |state: StateId| representatives[state.index()];
        let was_reachable = self.reachable();
        let moved: Vec<Transition> = self
            .transitions()
            .filter(|t| of(t.source) != t.source || of(t.target) != t.target)
            .collect();
        for transition in moved {
            self.remove(&transition);
            // What leaves an equivalent state leaves its representative too.
            if of(transition.source) == transition.source {
                self.insert(Transition {
                    target: of(transition.target),
                    ..transition
                });
            }
        }
        let mut gone = self.unreachable();
        gone.retain(|transition| was_reachable[transition.source.index()]);
        for transition in gone {
            self.remove(&transition);
        }
    }
}
