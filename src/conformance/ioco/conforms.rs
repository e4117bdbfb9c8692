//! The relation ioco.

use hyades_base::discovered::Discovered;
use hyades_base::interned::Interned;
use hyades_formats::{LabelId, Lts};

use super::interface::{Event, Interface};
use super::suspension::Suspension;

/// An event with the text of its action.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Observation {
    /// The system takes an input.
    Input(Vec<u8>),
    /// The system gives an output.
    Output(Vec<u8>),
    /// No output comes.
    Quiescence,
}

impl Observation {
    /// What an event of a system with these actions is.
    pub(super) fn new(event: Event, interface: &Interface) -> Self {
        let text = |action: LabelId| interface.actions().text(action).to_vec();
        match event {
            Event::Input(action) => Observation::Input(text(action)),
            Event::Output(action) => Observation::Output(text(action)),
            Event::Quiescence => Observation::Quiescence,
        }
    }
}

/// A shortest suspension trace that shows that an implementation does not conform to a
/// specification (ioco): all but its last observation are a suspension trace of both,
/// and the last one is an output or quiescence of the implementation only. `None` if it
/// conforms.
///
/// Actions are compared by their texts; an input of the one is no output of the other.
/// Inputs of the specification that the implementation does not take count as ignored,
/// as far as what is behind them is concerned.
///
/// O(pairs of sets that are reached by the same trace · states); exponentially many in
/// the worst case.
pub fn counterexample(
    implementation: (&Lts, &Interface),
    specification: (&Lts, &Interface),
) -> Option<Vec<Observation>> {
    let sides = [implementation, specification];
    let automata = sides.map(|(lts, interface)| Suspension::new(lts, interface, None, true));
    let mut sets = [Interned::default(), Interned::default()];
    let initial = [0, 1].map(|k| sets[k].intern(&automata[k].initial()).0);
    let mut found = Discovered::default();
    found.add(initial, None, Event::Quiescence);
    let mut next = 0;
    while next < found.len() {
        let pair: [u32; 2] = *found.get(next);
        let [own, allowed] = [0, 1].map(|k| automata[k].steps(sets[k].get(pair[k])));
        let name = |event| Observation::new(event, specification.1);
        let allowed: Vec<_> = allowed
            .into_iter()
            .map(|s| (name(s.event), s.set))
            .collect();
        for step in own {
            let seen = Observation::new(step.event, implementation.1);
            match allowed.iter().find(|(observation, _)| *observation == seen) {
                Some((_, set)) => {
                    let behind = [sets[0].intern(&step.set).0, sets[1].intern(set).0];
                    found.add(behind, Some(next), step.event);
                }
                None if step.event.is_observed() => {
                    let steps = found.steps(next);
                    let trace = steps.map(|&event| Observation::new(event, implementation.1));
                    return Some(trace.chain([seen]).collect());
                }
                // The specification says nothing of what is behind this input.
                None => {}
            }
        }
        next += 1;
    }
    None
}
