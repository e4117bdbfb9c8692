//! How walks imitate each other, as far as other components see (Kapus-Kolar 2010,
//! section 4.3).
//!
//! Of the paper's `swp(η, η')` only this is used: it holds if and only if both have
//! the same events of each channel in the same order, and whatever is transmitted in
//! `η'` before a reception is transmitted before it in `η` too. (Only these pairs must
//! keep their order, and two sequences of the same events with the same order of some
//! pairs are joined by swaps of neighbours that are no such pairs.) So, with
//! "transmissions before" in each channel on its own, and every transition receiving
//! first:
//!
//! - `w` **simulates** `w'` if both start and end in the same states, have the same
//!   events of each channel, and before each reception `w` has transmitted at least
//!   what `w'` has;
//! - `w` **implements** `w'` if both start in the same state, what `w` receives from each
//!   channel is a prefix of what `w'` does, what `w'` transmits a prefix of what `w` does,
//!   and before each reception of `w` it has transmitted at least what `w'` has;
//! - `w` **traces** `w'` if both start in the same state, what `w` receives from each
//!   channel is a prefix of what `w'` does, and before each reception of `w` it has
//!   transmitted at least what `w'` has and, as far as that goes, the same; other
//!   transmissions do not matter.
//!
//! Each is decided while `w` goes on: what it has yet to do is a [`Pending`].

use hyades_base::discovered::Discovered;
use hyades_formats::StateId;

use super::super::contents::Contents;
use super::super::event::{ChannelId, Event, Transition};
use super::super::machine::Machine;

/// How much one walk has in common with another one, as others see them. Each degree
/// implies those behind it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Degree {
    /// Others cannot tell the two from each other, and both end in the same state.
    Simulates,
    /// It may transmit more and receive less, and end elsewhere.
    Implements,
    /// It may transmit something else too, where the other one receives nothing more.
    Traces,
}

/// What of a walk is to be imitated yet: events on shared channels.
///
/// As long as a reception waits for transmissions, these stand before it. All that
/// matters is which transmissions stand before which reception and the order within
/// a channel, so that neighbours of one direction are sorted by channel.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub(super) struct Pending(Vec<Event>);

impl Pending {
    /// How many events.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Also this is to be imitated, behind the rest.
    pub(super) fn extend(&mut self, step: &Step) {
        self.0
            .extend(step.receptions.iter().chain(&step.transmissions));
        self.sort();
    }

    fn sort(&mut self) {
        for run in self.0.chunk_by_mut(|a, b| a.direction == b.direction) {
            run.sort_by_key(|event| event.channel);
        }
    }

    /// What is left after a step, if that does nothing that it may not do.
    pub(super) fn after(&self, step: &Step, degree: Degree) -> Option<Pending> {
        let mut rest = self.0.clone();
        for &event in &step.receptions {
            // Whatever stands before it must have been transmitted.
            let free = rest.iter().take_while(|other| other.is_reception());
            let place = free
                .enumerate()
                .find(|(_, other)| other.channel == event.channel);
            let place = place.filter(|(_, other)| **other == event)?.0;
            rest.remove(place);
        }
        for &event in &step.transmissions {
            match rest.iter().position(|other| other.channel == event.channel) {
                Some(place) if rest[place] == event => {
                    rest.remove(place);
                }
                // What waits for the right transmission can never be received.
                Some(place) if degree == Degree::Traces => rest.truncate(place),
                None if degree != Degree::Simulates => {}
                _ => return None,
            }
        }
        let mut rest = Pending(rest);
        rest.sort();
        Some(rest)
    }

    /// Whether nothing is left that would have to be done.
    pub(super) fn is_done(&self, degree: Degree) -> bool {
        match degree {
            Degree::Simulates => self.0.is_empty(),
            Degree::Implements => self.0.iter().all(|event| event.is_reception()),
            Degree::Traces => true,
        }
    }
}

/// A transition as others see it.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) transition: Transition,
    pub(super) receptions: Vec<Event>,
    pub(super) transmissions: Vec<Event>,
    /// The private channels that it overfills.
    pub(super) overfills: Vec<ChannelId>,
}

/// The transitions of a machine.
#[derive(Debug)]
pub(super) struct Steps {
    of_states: Vec<Vec<Step>>,
}

/// How far a walk has come that imitates another one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Follower {
    pub(super) state: StateId,
    pub(super) pending: Pending,
    /// Whether it has overfilled the channel that matters.
    pub(super) has_overfilled: bool,
}

impl Follower {
    /// One that has nothing to do.
    pub(super) fn at(state: StateId) -> Self {
        Self {
            state,
            pending: Pending::default(),
            has_overfilled: false,
        }
    }
}

/// What an imitating walk is to be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// A walk that simulates and so ends here.
    Simulate(StateId),
    /// A walk that implements.
    Implement,
    /// A walk that traces and overfills this private channel.
    Overfill(ChannelId),
}

impl Goal {
    fn degree(self) -> Degree {
        match self {
            Goal::Simulate(_) => Degree::Simulates,
            Goal::Implement => Degree::Implements,
            Goal::Overfill(_) => Degree::Traces,
        }
    }

    fn is_met(self, follower: &Follower) -> bool {
        follower.pending.is_done(self.degree())
            && match self {
                Goal::Simulate(end) => follower.state == end,
                Goal::Implement => true,
                Goal::Overfill(_) => follower.has_overfilled,
            }
    }

    /// The channel that matters.
    pub(super) fn channel(self) -> Option<ChannelId> {
        match self {
            Goal::Overfill(channel) => Some(channel),
            Goal::Simulate(_) | Goal::Implement => None,
        }
    }
}

/// A search takes more steps than it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OutOfEffort;

/// How many followers may be looked at yet.
#[derive(Debug)]
pub(super) struct Effort(pub(super) usize);

impl Effort {
    fn spend(&mut self) -> Result<(), OutOfEffort> {
        self.0 = self.0.checked_sub(1).ok_or(OutOfEffort)?;
        Ok(())
    }
}

impl Steps {
    /// The transitions of a machine with these contents.
    pub(super) fn new(machine: &Machine, contents: &Contents) -> Self {
        let states = (0..machine.states()).map(StateId::from_index);
        let of_states = states.map(|state| {
            let step = |transition: Transition| {
                let shared = transition.label.iter().copied();
                let shared = shared.filter(|&event| machine.is_shared(event));
                let (receptions, transmissions) = shared.partition(|event| event.is_reception());
                Step {
                    receptions,
                    transmissions,
                    overfills: contents.overflowing(machine, state, &transition.label),
                    transition,
                }
            };
            machine.outgoing(state).map(step).collect()
        });
        Self {
            of_states: of_states.collect(),
        }
    }

    /// Those that leave a state.
    pub(super) fn of(&self, state: StateId) -> &[Step] {
        self.of_states.get(state.index()).map_or(&[], |steps| steps)
    }

    /// What a follower may become by one step.
    fn advance(
        &self,
        follower: &Follower,
        degree: Degree,
        channel: Option<ChannelId>,
    ) -> impl Iterator<Item = (Follower, &Transition)> {
        self.of(follower.state).iter().filter_map(move |step| {
            let overfills = channel.is_some_and(|channel| step.overfills.contains(&channel));
            let target = Follower {
                state: step.transition.target,
                pending: follower.pending.after(step, degree)?,
                has_overfilled: follower.has_overfilled || overfills,
            };
            Some((target, &step.transition))
        })
    }

    /// A shortest walk with which one of these followers meets a goal, if there is
    /// one: its transitions from there on.
    pub(super) fn imitation(
        &self,
        followers: impl IntoIterator<Item = Follower>,
        goal: Goal,
        effort: &mut Effort,
    ) -> Result<Option<Vec<Transition>>, OutOfEffort> {
        let mut found = Discovered::default();
        for follower in followers {
            found.add(follower, None, None);
        }
        let mut next = 0;
        while next < found.len() {
            let follower = found.get(next).clone();
            if goal.is_met(&follower) {
                let walk = found.steps(next).flatten().copied();
                return Ok(Some(walk.cloned().collect()));
            }
            effort.spend()?;
            for (target, transition) in self.advance(&follower, goal.degree(), goal.channel()) {
                found.add(target, Some(next), Some(transition));
            }
            next += 1;
        }
        Ok(None)
    }

    /// All that followers may become while they simulate, those that are not behind by
    /// more than `lag` events. Ascending.
    pub(super) fn simulating(
        &self,
        followers: impl IntoIterator<Item = Follower>,
        channel: Option<ChannelId>,
        lag: usize,
        effort: &mut Effort,
    ) -> Result<Vec<Follower>, OutOfEffort> {
        let mut found = Discovered::default();
        for follower in followers {
            found.add(follower, None, ());
        }
        let mut next = 0;
        while next < found.len() {
            effort.spend()?;
            let follower = found.get(next).clone();
            for (target, _) in self.advance(&follower, Degree::Simulates, channel) {
                found.add(target, Some(next), ());
            }
            next += 1;
        }
        let mut all = found.into_places();
        all.retain(|follower| follower.pending.len() <= lag);
        all.sort_unstable();
        Ok(all)
    }
}
