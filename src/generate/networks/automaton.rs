//! Small LTSs as they are written in a component's file.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::hash::Hash;

/// The text of the hidden action.
pub(super) const HIDDEN: &str = "i";

/// An LTS with transitions in the order in which they are written; the initial state
/// is 0.
pub(super) struct Automaton {
    states: usize,
    transitions: Vec<(usize, String, usize)>,
}

impl Automaton {
    /// What can be reached from `initial` by `steps`, breadth first: states are
    /// numbered as they are found, transitions stand in the order of their sources.
    pub(super) fn new<S: Clone + Eq + Hash>(
        initial: S,
        steps: impl Fn(&S) -> Vec<(String, S)>,
    ) -> Self {
        let mut numbers = HashMap::from([(initial.clone(), 0)]);
        let mut states = vec![initial];
        let mut transitions = Vec::new();
        let mut source = 0;
        while source < states.len() {
            for (label, state) in steps(&states[source]) {
                let target = *numbers.entry(state).or_insert_with_key(|state| {
                    states.push(state.clone());
                    states.len() - 1
                });
                transitions.push((source, label, target));
            }
            source += 1;
        }
        Self {
            states: states.len(),
            transitions,
        }
    }

    /// The visible labels, each once, in the order in which they occur first.
    pub(super) fn labels(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let labels = self.transitions.iter().map(|(_, label, _)| label.as_str());
        labels
            .filter(|&label| label != HIDDEN && seen.insert(label))
            .collect()
    }

    /// The text in AUT.
    pub(super) fn to_text(&self) -> String {
        let Self {
            states,
            transitions,
        } = self;
        let mut text = format!("des (0,{},{states})\n", transitions.len());
        for (source, label, target) in transitions {
            // Writing to a string does not fail.
            let _ = match label.as_str() {
                HIDDEN => writeln!(text, "({source},{HIDDEN},{target})"),
                label => writeln!(text, "({source},\"{label}\",{target})"),
            };
        }
        text
    }
}
