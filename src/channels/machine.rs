//! A component: a communicating state machine.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use hyades_formats::StateId;

use super::event::{Channel, ChannelId, ComponentId, Event, Label, MessageId, Transition};

/// A communicating state machine (Kapus-Kolar 2010, section 2.5): states with
/// numbers, and transitions whose labels are sequences of events.
///
/// States keep their numbers whatever happens to the machine; one that is gone is a
/// number without transitions.
#[derive(Clone, Debug)]
pub struct Machine {
    id: ComponentId,
    channels: Arc<[Channel]>,
    initial: StateId,
    /// Labels and targets of each state.
    out: Vec<BTreeSet<(Label, StateId)>>,
    /// Sources and labels of what enters each state.
    into: Vec<BTreeSet<(StateId, Label)>>,
    transitions: usize,
    /// How many transitions have labels of each length.
    lengths: BTreeMap<usize, usize>,
}

impl PartialEq for Machine {
    /// Whether they have the same initial state and the same transitions.
    fn eq(&self, other: &Self) -> bool {
        self.initial == other.initial && self.transitions().eq(other.transitions())
    }
}

impl Machine {
    /// A machine without transitions, with states `0 .. states`.
    pub fn new(id: ComponentId, channels: Arc<[Channel]>, initial: StateId, states: usize) -> Self {
        Self {
            id,
            channels,
            initial,
            out: vec![BTreeSet::new(); states],
            into: vec![BTreeSet::new(); states],
            transitions: 0,
            lengths: BTreeMap::new(),
        }
    }

    /// Which component of its system it is.
    pub fn id(&self) -> ComponentId {
        self.id
    }

    /// All channels of its system.
    pub fn channels(&self) -> &Arc<[Channel]> {
        &self.channels
    }

    /// A channel of its system.
    pub fn channel(&self, channel: ChannelId) -> &Channel {
        &self.channels[channel.index()]
    }

    /// The initial state.
    pub fn initial(&self) -> StateId {
        self.initial
    }

    /// How many numbers of states there are.
    pub fn states(&self) -> usize {
        self.out.len()
    }

    /// How many transitions there are.
    pub fn transition_count(&self) -> usize {
        self.transitions
    }

    /// All transitions, ascending.
    pub fn transitions(&self) -> impl Iterator<Item = Transition> + '_ {
        (0..self.states()).flat_map(|state| self.outgoing(StateId::from_index(state)))
    }

    /// The transitions that leave a state, ascending.
    pub fn outgoing(&self, state: StateId) -> impl ExactSizeIterator<Item = Transition> + '_ {
        self.out[state.index()]
            .iter()
            .map(move |(label, target)| Transition {
                source: state,
                label: Arc::clone(label),
                target: *target,
            })
    }

    /// The transitions that enter a state, ascending.
    pub fn incoming(&self, state: StateId) -> impl ExactSizeIterator<Item = Transition> + '_ {
        self.into[state.index()]
            .iter()
            .map(move |(source, label)| Transition {
                source: *source,
                label: Arc::clone(label),
                target: state,
            })
    }

    /// The states that transitions link with a state, in no order, some several times.
    pub(super) fn neighbours(&self, state: StateId) -> impl Iterator<Item = StateId> + '_ {
        let next = self.out[state.index()].iter().map(|(_, target)| *target);
        let before = self.into[state.index()].iter().map(|(source, _)| *source);
        next.chain(before)
    }

    /// Whether it has this transition.
    pub fn contains(&self, transition: &Transition) -> bool {
        let Transition {
            source,
            label,
            target,
        } = transition;
        self.out
            .get(source.index())
            .is_some_and(|out| out.contains(&(Arc::clone(label), *target)))
    }

    /// Adds a transition; whether it was not there.
    ///
    /// # Panics
    /// If there are no such states.
    pub fn insert(&mut self, transition: Transition) -> bool {
        let Transition {
            source,
            label,
            target,
        } = transition;
        let length = label.len();
        self.into[target.index()].insert((source, Arc::clone(&label)));
        let is_new = self.out[source.index()].insert((label, target));
        if is_new {
            self.transitions += 1;
            *self.lengths.entry(length).or_default() += 1;
        }
        is_new
    }

    /// Removes a transition; whether it was there.
    pub fn remove(&mut self, transition: &Transition) -> bool {
        let Transition {
            source,
            label,
            target,
        } = transition;
        let was_there = self.out[source.index()].remove(&(Arc::clone(label), *target));
        if was_there {
            self.into[target.index()].remove(&(*source, Arc::clone(label)));
            self.transitions -= 1;
            if let Entry::Occupied(mut many) = self.lengths.entry(label.len()) {
                *many.get_mut() -= 1;
                if *many.get() == 0 {
                    many.remove();
                }
            }
        }
        was_there
    }

    /// Which states can be reached.
    pub fn reachable(&self) -> Vec<bool> {
        let mut is_reachable = vec![false; self.states()];
        is_reachable[self.initial.index()] = true;
        let mut stack = vec![self.initial];
        while let Some(state) = stack.pop() {
            for (_, target) in &self.out[state.index()] {
                if !std::mem::replace(&mut is_reachable[target.index()], true) {
                    stack.push(*target);
                }
            }
        }
        is_reachable
    }

    /// The transitions that leave states which cannot be reached.
    pub fn unreachable(&self) -> Vec<Transition> {
        let is_reachable = self.reachable();
        let states = (0..self.states()).filter(|&state| !is_reachable[state]);
        states
            .flat_map(|state| self.outgoing(StateId::from_index(state)))
            .collect()
    }

    /// Whether an event is on a channel that the component shares with others.
    pub fn is_shared(&self, event: Event) -> bool {
        self.channel(event.channel).is_shared()
    }

    /// Whether a label has a reception on a shared channel, so that others may block
    /// the transition.
    pub fn is_blocking(&self, label: &[Event]) -> bool {
        label
            .iter()
            .any(|&event| event.is_reception() && self.is_shared(event))
    }

    /// Whether a label has a transmission on a shared channel.
    pub fn has_shared_transmission(&self, label: &[Event]) -> bool {
        label
            .iter()
            .any(|&event| event.is_transmission() && self.is_shared(event))
    }

    /// Whether all transitions that leave a state are blocking: the machine may have
    /// to stay there.
    pub fn is_stable(&self, state: StateId) -> bool {
        self.out[state.index()]
            .iter()
            .all(|(label, _)| self.is_blocking(label))
    }

    /// The channels that lead from the component to itself.
    pub fn private_channels(&self) -> impl Iterator<Item = ChannelId> + '_ {
        let channels = self.channels.iter().enumerate();
        channels
            .filter(|(_, channel)| channel.is_private() && channel.from == Some(self.id))
            .map(|(k, _)| ChannelId::new(k))
    }

    /// Whether there is such a state: one that has transitions or is the initial one.
    pub fn has_state(&self, state: StateId) -> bool {
        let place = state.index();
        let is_linked = |out: &BTreeSet<_>| !out.is_empty() || !self.into[place].is_empty();
        state == self.initial || self.out.get(place).is_some_and(is_linked)
    }

    /// How many states have transitions or are the initial one.
    pub fn used_states(&self) -> usize {
        let states = (0..self.states()).map(StateId::from_index);
        states.filter(|&state| self.has_state(state)).count()
    }

    /// How long the longest label is.
    pub fn longest_label(&self) -> usize {
        self.lengths
            .last_key_value()
            .map_or(0, |(&length, _)| length)
    }

    /// The same machine with its states numbered anew, breadth-first; what cannot be
    /// reached is left out.
    pub(super) fn renumbered(&self) -> Machine {
        let mut order = vec![self.initial];
        let mut numbers = vec![None; self.states()];
        numbers[self.initial.index()] = Some(StateId::new(0));
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            next += 1;
            for transition in self.outgoing(state) {
                let number = &mut numbers[transition.target.index()];
                if number.is_none() {
                    *number = Some(StateId::from_index(order.len()));
                    order.push(transition.target);
                }
            }
        }
        let channels = Arc::clone(&self.channels);
        let mut machine = Machine::new(self.id, channels, StateId::new(0), order.len());
        for transition in self.transitions() {
            let ends = (
                numbers[transition.source.index()],
                numbers[transition.target.index()],
            );
            if let (Some(source), Some(target)) = ends {
                machine.insert(Transition {
                    source,
                    target,
                    ..transition
                });
            }
        }
        machine
    }

    /// The same machine as another component of a system with other ends of channels.
    pub(super) fn moved(&self, id: ComponentId, channels: Arc<[Channel]>) -> Machine {
        Machine {
            id,
            channels,
            ..self.clone()
        }
    }
}

/// The messages of the events of a channel in a label that go in one direction, in
/// their order.
pub fn messages_of(
    label: &[Event],
    channel: ChannelId,
    direction: super::event::Direction,
) -> impl Iterator<Item = MessageId> + '_ {
    label
        .iter()
        .filter(move |event| event.channel == channel && event.direction == direction)
        .map(|event| event.message)
}

/// Labels that are equal share memory.
#[derive(Default, Debug)]
pub(super) struct Labels(HashSet<Label>);

impl Labels {
    /// The label with these events.
    pub(super) fn get(&mut self, events: &[Event]) -> Label {
        match self.0.get(events) {
            Some(label) => Arc::clone(label),
            None => {
                let label: Label = events.into();
                self.0.insert(Arc::clone(&label));
                label
            }
        }
    }
}
