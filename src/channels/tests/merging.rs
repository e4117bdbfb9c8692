//! Merging equivalent states: pairs of them, one by one or all at once.

use std::collections::BTreeSet;

use hyades_explore::Limits;
use hyades_formats::StateId;
use hyades_testing::Random;

use super::super::*;
use super::random::Recipe;

const REACH: Reach = Reach {
    semantics: Semantics {
        beyond: Beyond::Stop,
        channel_bound: None,
        restrained: None,
    },
    limits: Limits {
        max_states: None,
        max_memory: None,
    },
};

fn state(number: usize) -> StateId {
    StateId::from_index(number)
}

/// A component of the system with states that can be reached, of which some are copies
/// of others.
fn with_copies(system: &System, id: ComponentId, random: &mut Random) -> System {
    let machine = system.machine(id);
    let states = machine.states();
    let copies = random.between(1, 3);
    let origins: Vec<usize> = (0..copies).map(|_| random.between(0, states - 1)).collect();
    let channels = machine.channels().clone();
    let mut larger = Machine::new(id, channels, machine.initial(), states + copies);
    for t in machine.transitions() {
        // Whatever leads to a state leads to its copies, from its own copies too.
        let same = |place: StateId| {
            let copies = origins.iter().enumerate();
            let copies = copies.filter(move |(_, origin)| **origin == place.index());
            let copies = copies.map(move |(k, _)| state(states + k));
            std::iter::once(place).chain(copies)
        };
        for source in same(t.source) {
            for target in same(t.target) {
                larger.insert(Transition::new(source, t.label.clone(), target));
            }
        }
    }
    let mut system = system.clone();
    *system.machine_mut(id) = larger;
    system
}

/// Whether two machines do the same from two states, by the definition: no pair that
/// can be reached together is told apart. `same` shrinks to the largest bisimulation.
fn bisimilar(one: &Machine, other: &Machine) -> bool {
    let all = |machine: &Machine| (0..machine.states()).map(state).collect::<Vec<_>>();
    let mut same: BTreeSet<(StateId, StateId)> = BTreeSet::new();
    for a in all(one) {
        same.extend(all(other).into_iter().map(|b| (a, b)));
    }
    loop {
        let answers = |(a, b): (StateId, StateId)| {
            let one_way = one.outgoing(a).all(|t| {
                other
                    .outgoing(b)
                    .any(|u| t.label == u.label && same.contains(&(t.target, u.target)))
            });
            one_way
                && other.outgoing(b).all(|u| {
                    one.outgoing(a)
                        .any(|t| t.label == u.label && same.contains(&(t.target, u.target)))
                })
        };
        let smaller: BTreeSet<_> = same.iter().copied().filter(|&pair| answers(pair)).collect();
        if smaller.len() == same.len() {
            return same.contains(&(one.initial(), other.initial()));
        }
        same = smaller;
    }
}

/// Some pairs of equivalent states are replaced as they say, and errors remain.
#[test]
fn pairs_are_replaced() {
    let (mut replaced, mut refused) = (0, 0);
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let system = Recipe::closed(2).system(&mut random);
        let id = ComponentId::new(random.between(0, 1));
        let before = with_copies(&system, id, &mut random);
        let classes = before.representatives(id);
        let machine = before.machine(id);
        let was_reachable = machine.reachable();
        let states = machine.states();
        let (one, other) = (random.between(0, states - 1), random.between(0, states - 1));
        let action = Action::Merge(id, vec![(state(one), state(other))]);
        let action = before.log_action(&before.log_line(&action)).unwrap();
        let mut after = before.clone();
        let is_possible =
            one != other && classes[one] == classes[other] && state(one) != machine.initial();
        let done = after.perform(&action, &REACH);
        assert_eq!(done.is_ok(), is_possible, "seed {seed}: {one} {other}");
        if !is_possible {
            refused += 1;
            assert_eq!(after.machine(id), machine);
            continue;
        }
        replaced += 1;
        assert!(!after.machine(id).has_state(state(one)));
        let is_reachable = after.machine(id).reachable();
        assert!(is_reachable[other]);
        assert!(bisimilar(machine, after.machine(id)), "seed {seed}");
        for t in after.machine(id).transitions() {
            let source = t.source.index();
            assert_eq!(is_reachable[source], was_reachable[source], "seed {seed}");
        }
        let merged = Correspondence::Merged(id, &classes);
        let verified = verify(&before, &after, merged, &BTreeSet::new(), &REACH).unwrap();
        assert!(verified.holds(), "seed {seed}: {verified:?}");
    }
    assert!(replaced > 20 && refused > 20, "{replaced} {refused}");
}

/// One line a step.
#[test]
fn what_takes_the_place_of_a_state_remains() {
    let channels: std::sync::Arc<[Channel]> = [Channel {
        from: Some(ComponentId::new(0)),
        to: None,
        capacity: None,
        messages: vec!["a".into()],
        name: "c".into(),
    }]
    .into();
    let send = Event {
        direction: Direction::Transmission,
        channel: ChannelId::new(0),
        message: MessageId::new(0),
    };
    let id = ComponentId::new(0);
    let mut machine = Machine::new(id, channels.clone(), state(0), 5);
    for target in 1..4 {
        machine.insert(Transition::new(state(0), vec![send], state(target)));
    }
    let component = Component {
        name: "P".into(),
        machine,
    };
    let before = System::new("one".into(), vec![component], channels);
    let merge = |pairs: &[(usize, usize)]| {
        let mut after = before.clone();
        let pairs = pairs.iter().map(|&(a, b)| (state(a), state(b)));
        let done = after.perform(&Action::Merge(id, pairs.collect()), &REACH);
        let targets = after.machine(id).transitions();
        let targets: Vec<usize> = targets.map(|t| t.target.index()).collect();
        done.map(|_| targets).map_err(|error| error.to_string())
    };
    assert_eq!(merge(&[(1, 2)]), Ok(vec![2, 3]));
    assert_eq!(merge(&[(2, 1)]), Ok(vec![1, 3]));
    assert_eq!(merge(&[(3, 1), (2, 1)]), Ok(vec![1]));
    for (pairs, why) in [
        (&[(1, 1)][..], "it is the same"),
        (&[(1, 2), (2, 1)], "that is replaced itself"),
        (&[(1, 2), (2, 3)], "that is replaced itself"),
        (&[(1, 2), (1, 3)], "it is replaced before"),
        (&[(0, 1)], "states 0 and 1 are not equivalent"),
        (&[(4, 1)], "states 4 and 1 are not equivalent"),
        (&[(7, 8)], "states 7 and 8 are not equivalent"),
    ] {
        let error = merge(pairs).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}
