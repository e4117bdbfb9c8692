//! What private channels contain in each state of a component.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;
use hyades_formats::StateId;

use super::event::{ChannelId, Event, MessageId};
use super::machine::{Machine, Transition};

/// The contents of the private channels of a machine, as a function of its state
/// (Kapus-Kolar 2010, section 2.5: `s|c`): empty in the initial state, and further on
/// what the transitions make of them.
///
/// Memory: 8 bytes for each state and private channel, and about 40 for each
/// transmission that was made on the way.
#[derive(Clone, Debug)]
pub struct Contents {
    channels: Vec<ChannelId>,
    /// For each state that can be reached, what each channel holds.
    states: Vec<Option<Box<[Held]>>>,
    histories: Histories,
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
        Self::of_channels(machine, machine.private_channels().collect())
    }

    /// The same where the private channels are known, ascending.
    pub(super) fn of_channels(
        machine: &Machine,
        channels: Vec<ChannelId>,
    ) -> Result<Self, ContentsError> {
        let mut states: Vec<Option<Box<[Held]>>> = vec![None; machine.states()];
        let mut histories = Histories::default();
        states[machine.initial().index()] = Some(vec![Held::default(); channels.len()].into());
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
                    if let Ok(place) = channels.binary_search(&event.channel) {
                        let held = histories.step(after[place], event);
                        after[place] = held.map_err(|kind| error(event.channel, kind))?;
                    }
                }
                match &states[transition.target.index()] {
                    None => {
                        states[transition.target.index()] = Some(after);
                        open.push_back(transition.target);
                    }
                    Some(target) => {
                        let pairs = after.iter().zip(target);
                        let mut pairs = channels.iter().zip(pairs);
                        let differ =
                            |(_, (a, b)): &(_, (&Held, &Held))| !histories.is_same(**a, **b);
                        if let Some((&channel, (after, target))) = pairs.find(differ) {
                            let [after, target] =
                                [*after, *target].map(|held| histories.queue(held));
                            return Err(error(channel, Misfit::Target { after, target }));
                        }
                    }
                }
            }
        }
        Ok(Self {
            channels,
            states,
            histories,
        })
    }

    /// The private channels, ascending.
    pub fn channels(&self) -> &[ChannelId] {
        &self.channels
    }

    /// What each of [`Contents::channels`] holds in a state; `None` if it cannot be
    /// reached.
    pub fn of(&self, state: StateId) -> Option<Vec<Queue>> {
        let held = self.states[state.index()].as_deref()?.iter();
        Some(held.map(|&held| self.histories.queue(held)).collect())
    }

    /// Whether a state has contents: it can be reached.
    pub fn has(&self, state: StateId) -> bool {
        self.states[state.index()].is_some()
    }

    fn place(&self, channel: ChannelId) -> Option<usize> {
        self.channels.binary_search(&channel).ok()
    }

    /// Whether a label fits the contents in `source` and leaves those in `target`.
    pub fn fits(&self, source: StateId, label: &[Event], target: StateId) -> bool {
        let (Some(queues), Some(after)) = (self.of(source), self.of(target)) else {
            return false;
        };
        let mut queues: Vec<VecDeque<MessageId>> = queues.into_iter().map(Into::into).collect();
        let mut step = |event: Event| match self.place(event.channel) {
            None => true,
            Some(place) if event.is_transmission() => {
                queues[place].push_back(event.message);
                true
            }
            Some(place) => queues[place].pop_front() == Some(event.message),
        };
        label.iter().all(|&event| step(event)) && queues.iter().eq(&after)
    }

    /// How many messages a private channel holds in a state, if that can be reached.
    pub fn len(&self, state: StateId, channel: ChannelId) -> Option<usize> {
        let place = self.place(channel)?;
        let held = self.states[state.index()].as_deref()?;
        Some(held[place].len as usize)
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

/// What a channel holds: the last messages of a history.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Held {
    /// The last transmission; 0 if nothing is held.
    last: u32,
    len: u32,
}

/// Sequences of transmissions. Those that begin alike share what is alike.
#[derive(Clone, Debug)]
struct Histories {
    /// The first one is that nothing was transmitted.
    transmissions: Vec<Transmission>,
    /// The one that follows another one and transmits this.
    next: HashMap<(u32, MessageId), u32, RandomState>,
}

/// The last of a sequence of transmissions.
#[derive(Clone, Copy, Debug)]
struct Transmission {
    message: MessageId,
    /// How many there are.
    depth: u32,
    /// The one before.
    before: u32,
    /// One that is further back, so that few steps lead to any (E. W. Myers, "An
    /// applicative random-access stack", IPL 1983).
    far_before: u32,
}

impl Default for Histories {
    fn default() -> Self {
        let nothing = Transmission {
            message: MessageId::new(0),
            depth: 0,
            before: 0,
            far_before: 0,
        };
        Self {
            transmissions: vec![nothing],
            next: HashMap::default(),
        }
    }
}

impl Histories {
    fn get(&self, number: u32) -> Transmission {
        self.transmissions[number as usize]
    }

    /// What an event leaves of what a channel holds.
    fn step(&mut self, held: Held, event: Event) -> Result<Held, Misfit> {
        if event.is_transmission() {
            return Ok(Held {
                last: self.after(held.last, event.message),
                len: held.len + 1,
            });
        }
        let head = self.head(held);
        match head == Some(event.message) {
            true if held.len == 1 => Ok(Held::default()),
            true => Ok(Held {
                len: held.len - 1,
                ..held
            }),
            false => Err(Misfit::Reception {
                expected: event.message,
                head,
            }),
        }
    }

    /// One more transmission.
    fn after(&mut self, before: u32, message: MessageId) -> u32 {
        let number = self.transmissions.len() as u32;
        let known = *self.next.entry((before, message)).or_insert(number);
        if known == number {
            let last = self.get(before);
            let far = self.get(last.far_before);
            let is_as_far = last.depth - far.depth == far.depth - self.get(far.far_before).depth;
            self.transmissions.push(Transmission {
                message,
                depth: last.depth + 1,
                before,
                far_before: if is_as_far { far.far_before } else { before },
            });
        }
        known
    }

    /// The first message of what is held. Time: the logarithm of the history.
    fn head(&self, held: Held) -> Option<MessageId> {
        let depth = self
            .get(held.last)
            .depth
            .checked_sub(held.len.checked_sub(1)?)?;
        let mut at = self.get(held.last);
        while at.depth > depth {
            let far = self.get(at.far_before);
            at = match far.depth >= depth {
                true => far,
                false => self.get(at.before),
            };
        }
        Some(at.message)
    }

    /// The messages that are held, the head first.
    fn queue(&self, held: Held) -> Queue {
        let mut queue = Queue::with_capacity(held.len as usize);
        let mut at = self.get(held.last);
        for _ in 0..held.len {
            queue.push(at.message);
            at = self.get(at.before);
        }
        queue.reverse();
        queue
    }

    fn is_same(&self, one: Held, other: Held) -> bool {
        let (mut a, mut b) = (one.last, other.last);
        let same = |_| {
            let [last, other] = [a, b].map(|number| self.get(number));
            // From there on they are the same.
            let meet = a == b;
            (a, b) = (last.before, other.before);
            meet || last.message == other.message
        };
        one.len == other.len && (0..one.len).all(same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::{Channel, ComponentId, Direction};
    use crate::testing::Random;

    /// Histories against queues of their own.
    #[test]
    fn histories_hold_queues() {
        let mut random = Random::new(1);
        let mut histories = Histories::default();
        let mut all: Vec<(Held, Queue)> = vec![(Held::default(), Queue::new())];
        let mut equal = 0;
        for _ in 0..4000 {
            let (held, mut queue) = all[random.between(0, all.len() - 1)].clone();
            let event = |direction, message| Event {
                direction,
                channel: ChannelId::new(0),
                message,
            };
            let message = MessageId::new(random.between(0, 1));
            let held = match random.chance(55) {
                true => {
                    queue.push(message);
                    histories.step(held, event(Direction::Transmission, message))
                }
                false => {
                    let taken = histories.step(held, event(Direction::Reception, message));
                    if queue.first() == Some(&message) {
                        queue.remove(0);
                    } else {
                        let head = queue.first().copied();
                        let expected = message;
                        assert_eq!(taken, Err(Misfit::Reception { expected, head }));
                        continue;
                    }
                    taken
                }
            };
            let held = held.unwrap();
            assert_eq!(histories.queue(held), queue);
            assert_eq!(held.len as usize, queue.len());
            let (other, known) = &all[random.between(0, all.len() - 1)];
            assert_eq!(histories.is_same(held, *other), queue == *known);
            equal += usize::from(queue == *known);
            all.push((held, queue));
        }
        assert!(equal > 20, "{equal}");
    }

    /// A queue that grows in each state, and shrinks again: not stored for each anew.
    #[test]
    fn long_queues_share_memory() {
        let channels = [Channel {
            name: "own".into(),
            from: Some(ComponentId::new(0)),
            to: Some(ComponentId::new(0)),
            capacity: None,
            messages: vec!["a".into(), "b".into()],
        }];
        let most = 50_000;
        let id = ComponentId::new(0);
        let mut machine = Machine::new(id, channels.into(), StateId::new(0), 2 * most);
        for state in 0..2 * most - 1 {
            let (direction, number) = match state < most {
                true => (Direction::Transmission, state),
                false => (Direction::Reception, state - most),
            };
            let event = Event {
                direction,
                channel: ChannelId::new(0),
                message: MessageId::new(number % 3 % 2),
            };
            let [source, target] = [state, state + 1].map(StateId::from_index);
            machine.insert(Transition::new(source, [event], target));
        }
        let contents = Contents::new(&machine).unwrap();
        let len = |state| contents.len(StateId::from_index(state), ChannelId::new(0));
        assert_eq!(len(most), Some(most));
        assert_eq!(len(2 * most - 1), Some(1));
        assert_eq!(contents.histories.transmissions.len(), most + 1);
    }
}
