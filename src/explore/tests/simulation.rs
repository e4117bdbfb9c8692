//! Stepping against walking by hand.

use std::collections::BTreeSet;

use hyades_formats::{LabelId, Lts, StateId};
use hyades_testing::any_lts;
use proptest::prelude::*;

use super::super::{Model, Simulation, pack_number, unpack_number};

/// What somebody may do.
#[derive(Clone, Copy, Debug)]
enum Act {
    Take(usize),
    GoTo(usize),
    Walk(u64, u64),
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (0..8_usize).prop_map(Act::Take),
        2 => (0..8_usize).prop_map(Act::GoTo),
        1 => (0..6_u64, 0..4_u64).prop_map(|(steps, seed)| Act::Walk(steps, seed)),
    ]
}

fn row(lts: &Lts, state: StateId) -> Vec<(LabelId, u32)> {
    let transitions = lts.iter().filter(|&(source, ..)| source == state);
    transitions
        .map(|(_, label, target)| (label, target.get()))
        .collect()
}

fn shown(simulation: &Simulation<'_>) -> Vec<(LabelId, u32)> {
    let enabled = simulation.enabled().iter();
    enabled
        .map(|(label, target)| (*label, unpack_number(target)))
        .collect()
}

fn text(lts: &Lts, label: LabelId) -> Option<&[u8]> {
    (!label.is_hidden()).then(|| lts.table().text(label))
}

proptest! {
    #[test]
    fn it_goes_where_one_goes_by_hand(
        lts in any_lts(),
        acts in prop::collection::vec(any_act(), 0..20),
    ) {
        let mut simulation = Simulation::new(lts.erased()).unwrap();
        let mut states = vec![lts.initial()];
        let mut at = 0;
        for act in acts {
            match act {
                Act::Take(number) => {
                    let row = row(&lts, states[at]);
                    if row.is_empty() {
                        continue;
                    }
                    let number = number % row.len();
                    simulation.take(number).unwrap();
                    at += 1;
                    states.truncate(at);
                    states.push(StateId::new(row[number].1));
                }
                Act::GoTo(position) => {
                    at = position % states.len();
                    simulation.go_to(at).unwrap();
                }
                Act::Walk(steps, seed) => {
                    let from = simulation.position();
                    for step in 0..steps {
                        if !simulation.take_random(seed, step).unwrap() {
                            break;
                        }
                    }
                    let far = simulation.position() - from;
                    let stopped = simulation.enabled().is_empty();
                    prop_assert!(far as u64 == steps || stopped && (far as u64) < steps);
                    if far > 0 {
                        states.truncate(at + 1);
                    }
                    for (label, target) in &simulation.path()[from..from + far] {
                        let target = unpack_number(target);
                        prop_assert!(row(&lts, states[at]).contains(&(*label, target)));
                        states.push(StateId::new(target));
                        at += 1;
                    }
                }
            }
            prop_assert_eq!(simulation.position(), at);
            prop_assert_eq!(simulation.path().len(), states.len() - 1);
            prop_assert_eq!(unpack_number(simulation.state(at)), states[at].get());
            prop_assert_eq!(shown(&simulation), row(&lts, states[at]));
        }
        let trace = simulation.trace();
        let packed: Vec<u32> = trace.packed.iter().map(|state| unpack_number(state)).collect();
        prop_assert_eq!(packed, states.iter().map(|state| state.get()).collect::<Vec<_>>());
    }

    /// A word is replayed as far as the sets of states that its prefixes lead to are not
    /// empty, by steps that are there.
    #[test]
    fn a_path_is_replayed_if_there_is_one(
        lts in any_lts(),
        word in prop::collection::vec(0..4_usize, 0..6),
    ) {
        let table = lts.table();
        let word: Vec<LabelId> =
            word.iter().map(|number| LabelId::new((number % table.len()) as u32)).collect();
        let mut before = BTreeSet::from([lts.initial()]);
        let mut far = 0;
        for &label in &word {
            let after: BTreeSet<StateId> = (lts.iter())
                .filter(|(source, own, _)| *own == label && before.contains(source))
                .map(|(.., target)| target)
                .collect();
            if after.is_empty() {
                break;
            }
            before = after;
            far += 1;
        }
        let mut simulation = Simulation::new(lts.erased()).unwrap();
        for step in 0..2 {
            let _ = simulation.take_random(1, step);
        }
        let (old, at) = (simulation.path().to_vec(), simulation.position());
        let replayed = simulation.replay(word.iter().map(|&label| text(&lts, label))).unwrap();
        prop_assert_eq!(replayed.steps, far);
        prop_assert_eq!(replayed.ends, if far < word.len() { 0 } else { before.len() });
        if far < word.len() {
            prop_assert_eq!(simulation.path(), &old[..]);
            prop_assert_eq!(simulation.position(), at);
            return Ok(());
        }
        let labels: Vec<LabelId> = simulation.path().iter().map(|step| step.0).collect();
        prop_assert_eq!(&labels, &word);
        prop_assert_eq!(simulation.position(), word.len());
        for (at, (label, target)) in simulation.path().iter().enumerate() {
            let source = StateId::new(unpack_number(simulation.state(at)));
            prop_assert!(row(&lts, source).contains(&(*label, unpack_number(target))));
        }
        let last = StateId::new(unpack_number(simulation.state(word.len())));
        prop_assert_eq!(shown(&simulation), row(&lts, last));
    }

    /// A path is followed, through the states that it has; what is none is not, and changes
    /// nothing.
    #[test]
    fn a_path_is_followed_state_by_state(
        lts in any_lts(),
        steps in 0..6_u64,
        seed in 0..20_u64,
        wrong in prop::option::of((0..6_usize, 0..8_u32)),
    ) {
        let mut walked = Simulation::new(lts.erased()).unwrap();
        for step in 0..steps {
            walked.take_random(seed, step).unwrap();
        }
        let mut path = walked.path().to_vec();
        if let Some((at, state)) = wrong
            && let Some((_, target)) = path.get_mut(at)
        {
            *target = pack_number(state % lts.states() as u32).into();
        }
        let mut state = lts.initial();
        let is_path = path.iter().all(|(label, target)| {
            let target = unpack_number(target);
            let has = row(&lts, state).contains(&(*label, target));
            state = StateId::new(target);
            has
        });
        let mut simulation = Simulation::new(lts.erased()).unwrap();
        let steps = path.iter().map(|(label, target)| (text(&lts, *label), target.clone()));
        prop_assert_eq!(simulation.follow(steps).unwrap(), is_path);
        let expected = if is_path { &path[..] } else { &[] };
        prop_assert_eq!(simulation.path(), expected);
        prop_assert_eq!(simulation.position(), expected.len());
        prop_assert_eq!(shown(&simulation), row(&lts, if is_path { state } else { lts.initial() }));
    }
}
