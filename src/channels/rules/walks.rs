//! Searching for walks that do as well as a transition.

use hyades_base::discovered::Discovered;
use hyades_formats::StateId;

use super::super::contents::Contents;
use super::super::event::{ChannelId, Event, Transition};
use super::super::machine::Machine;

/// Which events of a walk count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Counting {
    /// All.
    All,
    /// Those on channels that others see.
    Shared,
}

impl Counting {
    fn counts(self, machine: &Machine, event: Event) -> bool {
        match self {
            Counting::All => true,
            Counting::Shared => machine.is_shared(event),
        }
    }
}

/// Sequences of events on some channels that a walk has to follow.
struct Followed {
    /// The channels, and what is to happen on each.
    sequences: Vec<(ChannelId, Vec<Event>)>,
}

impl Followed {
    fn new(label: &[Event], is_followed: impl Fn(Event) -> bool) -> Self {
        let mut sequences: Vec<(ChannelId, Vec<Event>)> = Vec::new();
        for &event in label.iter().filter(|&&event| is_followed(event)) {
            match sequences
                .iter_mut()
                .find(|(channel, _)| *channel == event.channel)
            {
                Some((_, sequence)) => sequence.push(event),
                None => sequences.push((event.channel, vec![event])),
            }
        }
        Self { sequences }
    }

    /// Where the sequences are after this event, if that is what comes next.
    fn advance(&self, at: &mut [u32], event: Event) -> bool {
        let place = self
            .sequences
            .iter()
            .position(|(channel, _)| *channel == event.channel);
        let Some(place) = place else { return false };
        let is_next = self.sequences[place].1.get(at[place] as usize) == Some(&event);
        at[place] += u32::from(is_next);
        is_next
    }

    /// Whether this event is what comes next.
    fn is_next(&self, at: &[u32], event: Event) -> bool {
        let mut sequences = self.sequences.iter().zip(at);
        sequences.any(|((_, sequence), &at)| sequence.get(at as usize) == Some(&event))
    }

    fn start(&self) -> Box<[u32]> {
        vec![0; self.sequences.len()].into()
    }

    fn is_end(&self, at: &[u32]) -> bool {
        self.sequences
            .iter()
            .zip(at)
            .all(|((_, sequence), &at)| sequence.len() == at as usize)
    }
}

/// A shortest walk from the source of `transition` that does not use it, of at least
/// one transition: its events for which `is_followed` are the next ones of `followed`
/// all along, and at its end `is_goal` holds of the last transition and where the
/// sequences are then. It goes on only where `goes_on` holds of where they are. The states
/// that transitions were tried from go to `seen`.
///
/// Time and memory: transitions of the machine times positions in the sequences.
fn walk(
    machine: &Machine,
    transition: &Transition,
    followed: &Followed,
    is_followed: impl Fn(Event) -> bool,
    is_goal: impl Fn(&Transition, &[u32]) -> bool,
    goes_on: impl Fn(&[u32]) -> bool,
    seen: &mut Vec<StateId>,
) -> Option<Vec<Transition>> {
    // A state and how far each sequence of events that is followed has been.
    let mut found: Discovered<(StateId, Box<[u32]>), Option<Transition>> = Discovered::default();
    found.add((transition.source, followed.start()), None, None);
    let mut next = 0;
    while next < found.len() {
        let state = found.get(next).0;
        seen.push(state);
        for step in machine.outgoing(state) {
            if step == *transition {
                continue;
            }
            let mut events = step.label.iter().filter(|&&event| is_followed(event));
            // Most have another one first.
            let first = events.clone().next();
            if first.is_some_and(|&event| !followed.is_next(&found.get(next).1, event)) {
                continue;
            }
            let mut at = found.get(next).1.clone();
            if !events.all(|&event| followed.advance(&mut at, event)) {
                continue;
            }
            if is_goal(&step, &at) {
                let before = found.steps(next).flatten().cloned();
                return Some(before.chain([step]).collect());
            }
            if goes_on(&at) {
                found.add((step.target, at), Some(next), Some(step));
            }
        }
        next += 1;
    }
    None
}

/// A shortest walk that by-passes a transition (sections 3.3 and 3.6): it has the same
/// ends, does not use the transition, and on each channel has the same events, of those
/// that count.
pub(super) fn by_pass(
    machine: &Machine,
    transition: &Transition,
    counting: Counting,
    seen: &mut Vec<StateId>,
) -> Option<Vec<Transition>> {
    let counts = |event| counting.counts(machine, event);
    let followed = Followed::new(&transition.label, counts);
    let is_goal =
        |step: &Transition, at: &[u32]| step.target == transition.target && followed.is_end(at);
    // No label is empty.
    let goes_on = |at: &[u32]| match counting {
        Counting::All => !followed.is_end(at),
        Counting::Shared => true,
    };
    walk(
        machine, transition, &followed, counts, is_goal, goes_on, seen,
    )
}

/// A shortest walk from the source of a transition that does not use it, overfills
/// this private channel, and can be executed whenever the transition can: what it
/// receives from others is on each channel a prefix of what the transition receives
/// (section 3.6, second assumption).
pub(super) fn overfilling_walk(
    machine: &Machine,
    contents: &Contents,
    transition: &Transition,
    channel: ChannelId,
    seen: &mut Vec<StateId>,
) -> Option<Vec<Transition>> {
    let is_seen = |event: Event| event.is_reception() && machine.is_shared(event);
    let followed = Followed::new(&transition.label, is_seen);
    let is_goal = |step: &Transition, _: &[u32]| {
        let overflowing = contents.overflowing(machine, step.source, &step.label);
        overflowing.contains(&channel)
    };
    walk(
        machine,
        transition,
        &followed,
        is_seen,
        is_goal,
        |_| true,
        seen,
    )
}
