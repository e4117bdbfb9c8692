//! Imitation against the definition of section 4.3, by literal swaps.

use std::collections::BTreeSet;

use hyades_formats::StateId;
use hyades_testing::Random;

use super::super::event::{ChannelId, Direction, Event, MessageId, Transition};
use super::imitate::{Degree, Pending, Step};

type Sequence = Vec<Event>;

/// All sequences `η` with `swp(η, of)`.
fn swapped(of: &[Event]) -> BTreeSet<Sequence> {
    let mut all = BTreeSet::from([of.to_vec()]);
    let mut open = vec![of.to_vec()];
    while let Some(sequence) = open.pop() {
        for k in 1..sequence.len() {
            let (first, second) = (sequence[k - 1], sequence[k]);
            let overtakes = first.is_transmission() && second.is_reception();
            if first.channel != second.channel && !overtakes {
                let mut other = sequence.clone();
                other.swap(k - 1, k);
                if all.insert(other.clone()) {
                    open.push(other);
                }
            }
        }
    }
    all
}

/// The events of `all` that are left when those of `taken` are taken out of it.
fn without(all: &[Event], taken: &[Event]) -> Option<Sequence> {
    let mut rest = all.to_vec();
    for event in taken {
        rest.remove(rest.iter().position(|other| other == event)?);
    }
    Some(rest)
}

fn permutations(events: &[Event]) -> Vec<Sequence> {
    if events.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for k in 0..events.len() {
        let mut rest = events.to_vec();
        let first = rest.remove(k);
        let tails = permutations(&rest).into_iter();
        all.extend(tails.map(|tail| [vec![first], tail].concat()));
    }
    all
}

fn of_direction(events: &[Event], direction: Direction) -> Sequence {
    let events = events.iter().copied();
    events
        .filter(|event| event.direction == direction)
        .collect()
}

/// Whether the first imitates the second, as the paper puts it.
fn imitates(first: &[Event], second: &[Event], degree: Degree) -> bool {
    let direction =
        |direction| [first, second].map(|events: &[Event]| of_direction(events, direction));
    match degree {
        Degree::Simulates => swapped(second).contains(first),
        Degree::Implements => {
            let [received, to_receive] = direction(Direction::Reception);
            let [transmitted, to_transmit] = direction(Direction::Transmission);
            let (Some(left), Some(more)) = (
                without(&to_receive, &received),
                without(&transmitted, &to_transmit),
            ) else {
                return false;
            };
            permutations(&more).iter().any(|more| {
                let reordered = swapped(&[second, more].concat());
                let mut left = permutations(&left).into_iter();
                left.any(|left| reordered.contains(&[first, &left].concat()))
            })
        }
        Degree::Traces => swapped(second).iter().any(|reordered| {
            (0..=reordered.len()).any(|end| {
                let common = &reordered[..end];
                without(first, common).is_some_and(|more| {
                    more.iter().all(|event| event.is_transmission())
                        && permutations(&more)
                            .iter()
                            .any(|more| swapped(&[common, more].concat()).contains(first))
                })
            })
        }),
    }
}

/// The first, step by step, against what is pending of the second.
fn follows(first: &[Step], second: &[Step], degree: Degree) -> bool {
    let mut pending = Pending::default();
    for step in second {
        pending.extend(step);
    }
    for step in first {
        match pending.after(step, degree) {
            Some(rest) => pending = rest,
            None => return false,
        }
    }
    pending.is_done(degree)
}

fn step(events: &[Event]) -> Step {
    Step {
        transition: Transition::new(StateId::new(0), events, StateId::new(0)),
        receptions: of_direction(events, Direction::Reception),
        transmissions: of_direction(events, Direction::Transmission),
        overfills: Vec::new(),
    }
}

/// Steps with these events in this order, cut at random.
fn cut(events: &[Event], random: &mut Random) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = events;
    while !rest.is_empty() {
        let (head, tail) = rest.split_at(random.between(0, rest.len().min(2)));
        steps.push(step(head));
        rest = tail;
    }
    steps
}

fn event_sequence(steps: &[Step]) -> Sequence {
    let parts = steps.iter().flat_map(|s| [&s.receptions, &s.transmissions]);
    parts.flatten().copied().collect()
}

#[test]
fn imitation_is_what_swaps_make_of_it() {
    let mut random = Random::new(0);
    let random = &mut random;
    let any_event = |random: &mut Random| {
        let channel = random.between(0, 3);
        Event {
            direction: match channel < 2 {
                true => Direction::Transmission,
                false => Direction::Reception,
            },
            channel: ChannelId::new(channel),
            message: MessageId::new(random.between(0, 4) / 4),
        }
    };
    let mut counts = [[0; 2]; 3];
    for _ in 0..40_000 {
        let len = random.between(0, 5);
        let second: Sequence = (0..len).map(|_| any_event(random)).collect();
        let mut first = second.clone();
        for _ in 0..random.between(0, 4) {
            match random.between(0, 3) {
                0 if first.len() < 5 => {
                    let place = random.between(0, first.len());
                    first.insert(place, any_event(random));
                }
                1 if !first.is_empty() => {
                    first.remove(random.between(0, first.len() - 1));
                }
                _ if first.len() > 1 => {
                    let place = random.between(1, first.len() - 1);
                    first.swap(place - 1, place);
                }
                _ => {}
            }
        }
        let [first, second] = [cut(&first, random), cut(&second, random)];
        let [a, b] = [event_sequence(&first), event_sequence(&second)];
        let degrees = [Degree::Simulates, Degree::Implements, Degree::Traces];
        let found = degrees.map(|degree| follows(&first, &second, degree));
        for (k, degree) in degrees.into_iter().enumerate() {
            assert_eq!(
                found[k],
                imitates(&a, &b, degree),
                "{degree:?}\n{a:?}\n{b:?}"
            );
            counts[k][usize::from(found[k])] += 1;
        }
        // Each degree implies the next.
        assert!(found.is_sorted());
    }
    assert!(
        counts.iter().flatten().all(|&count| count > 2000),
        "{counts:?}"
    );
}
