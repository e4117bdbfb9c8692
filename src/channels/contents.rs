//! What private channels contain in each state of a component.

use std::collections::VecDeque;

use hyades_formats::StateId;

use super::event::{ChannelId, Event, MessageId};
use super::machine::{Machine, Transition};

/// The contents of the private channels of a machine, as a function of its state
/// (Kapus-Kolar 2010, section 2.5: `s|c`): empty in the initial state, and further on
/// what the transitions make of them.
#[derive(Clone, Debug)]
pub struct Contents {
    channels: Vec<ChannelId>,
    /// For each state that can be reached, the messages of each channel, the head
    /// first.
    states: Vec<Option<Vec<Queue>>>,
}

/// The messages in a channel, the head first.
pub type Queue = Vec<MessageId>;

/// Why contents are no function of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContentsError {
    /// The transition that does not fit.
    pub transition: Transition,
    /// The channel.
    pub channel: ChannelId,
    /// What is wrong.
    pub kind: Misfit,
}

/// How a transition does not fit the contents of private channels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// It receives what is not at the head: this, or nothing, is there.
    Reception {
        /// What it receives.
        expected: MessageId,
        /// What is at the head.
        head: Option<MessageId>,
    },
    /// It leads to a state with other contents.
    Target {
        /// The contents after it.
        after: Queue,
        /// The contents in its target.
        target: Queue,
    },
}

impl Contents {
    /// The contents in all states that can be reached.
    ///
    /// # Errors
    /// If a transition that can be reached receives from a private channel what is
    /// not there, or two ways to a state leave different contents.
    pub fn new(machine: &Machine) -> Result<Self, ContentsError> {
        let channels: Vec<ChannelId> = machine.private_channels().collect();
        let mut states: Vec<Option<Vec<Queue>>> = vec![None; machine.states()];
        let mut contents = Self {
            states: Vec::new(),
            channels,
        };
        states[machine.initial().index()] = Some(vec![Queue::new(); contents.channels.len()]);
        let mut open = VecDeque::from([machine.initial()]);
        while let Some(state) = open.pop_front() {
            let here = states[state.index()].clone().expect("it has been entered");
            for transition in machine.outgoing(state) {
                let mut after = here.clone();
                let error = |channel, kind| ContentsError {
                    transition: transition.clone(),
                    channel,
                    kind,
                };
                for &event in &*transition.label {
                    contents
                        .step(&mut after, event)
                        .map_err(|kind| error(event.channel, kind))?;
                }
                match &states[transition.target.index()] {
                    None => {
                        states[transition.target.index()] = Some(after);
                        open.push_back(transition.target);
                    }
                    Some(target) => {
                        let pairs = after.iter().zip(target);
                        let mut pairs = contents.channels.iter().zip(pairs);
                        if let Some((&channel, (after, target))) = pairs.find(|(_, (a, b))| a != b)
                        {
                            let (after, target) = (after.clone(), target.clone());
                            return Err(error(channel, Misfit::Target { after, target }));
                        }
                    }
                }
            }
        }
        contents.states = states;
        Ok(contents)
    }

    /// The private channels, ascending.
    pub fn channels(&self) -> &[ChannelId] {
        &self.channels
    }

    /// What each of [`Contents::channels`] holds in a state; `None` if it cannot be
    /// reached.
    pub fn of(&self, state: StateId) -> Option<&[Queue]> {
        self.states[state.index()].as_deref()
    }

    /// What an event does to contents.
    fn step(&self, queues: &mut [Queue], event: Event) -> Result<(), Misfit> {
        let Some(place) = self.place(event.channel) else {
            return Ok(());
        };
        let queue = &mut queues[place];
        if event.is_transmission() {
            queue.push(event.message);
        } else if queue.first() == Some(&event.message) {
            queue.remove(0);
        } else {
            return Err(Misfit::Reception {
                expected: event.message,
                head: queue.first().copied(),
            });
        }
        Ok(())
    }

    fn place(&self, channel: ChannelId) -> Option<usize> {
        self.channels.binary_search(&channel).ok()
    }

    /// Whether a label fits the contents in `source` and leaves those in `target`.
    pub fn fits(&self, source: StateId, label: &[Event], target: StateId) -> bool {
        let (Some(before), Some(after)) = (self.of(source), self.of(target)) else {
            return false;
        };
        let mut queues = before.to_vec();
        label
            .iter()
            .all(|&event| self.step(&mut queues, event).is_ok())
            && queues == after
    }

    /// How many messages a private channel holds in a state, if that can be reached.
    pub fn len(&self, state: StateId, channel: ChannelId) -> Option<usize> {
        let place = self.place(channel)?;
        Some(self.of(state)?[place].len())
    }

    /// The private channels that a label overfills on its way from a state that can
    /// be reached: at some prefix of it, they hold more than their capacity.
    /// Ascending; none for other states.
    pub fn overfilled(
        &self,
        machine: &Machine,
        source: StateId,
        label: &[Event],
    ) -> Vec<ChannelId> {
        let overfilled = |&channel: &ChannelId| {
            let Some(mut messages) = self.len(source, channel) else {
                return false;
            };
            let most = machine.channel(channel);
            most.is_overfilled_by(messages)
                || label
                    .iter()
                    .filter(|event| event.channel == channel)
                    .any(|event| {
                        if event.is_transmission() {
                            messages += 1;
                        } else {
                            messages = messages.saturating_sub(1);
                        }
                        most.is_overfilled_by(messages)
                    })
        };
        self.channels
            .iter()
            .copied()
            .filter(|c| overfilled(c))
            .collect()
    }
}
