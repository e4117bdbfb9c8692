//! What private channels contain in each state of a component.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;
use hyades_formats::StateId;

use super::event::{ChannelId, Event, MessageId, Transition};
use super::histories::{Held, Histories, Misfit, Queue};
use super::machine::Machine;

/// The contents of the private channels of a machine, as a function of its state
/// (Kapus-Kolar 2010, section 2.5: `s|c`): empty in the initial state, and further on
/// what the transitions make of them.
///
/// Memory: 8 bytes for each state and private channel, and about 50 for each
/// transmission that was made on the way, and for each two queues with the same contents
/// that were transmitted on different ways.
#[derive(Clone, Debug)]
pub struct Contents {
    channels: Vec<ChannelId>,
    /// For each state that can be reached, what each channel holds.
    states: Vec<Option<Box<[Held]>>>,
    histories: Histories,
}

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
                            |(_, (a, b)): &(_, (&Held, &Held))| !histories.learn_same(**a, **b);
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

    /// A number for each state that can be reached: the same for those with the same
    /// contents.
    pub(super) fn classes(&self) -> Vec<Option<u32>> {
        type Known = Vec<(u32, usize)>;
        let mut known: HashMap<Vec<(u32, u64)>, Known, RandomState> = HashMap::default();
        let mut next = 0;
        let class = |(state, held): (usize, &Option<Box<[Held]>>)| {
            let held = held.as_deref()?;
            let prints = held.iter().map(|&h| (h.len, self.histories.fingerprint(h)));
            let alike = known.entry(prints.collect()).or_default();
            let same = alike.iter().find(|(_, other)| self.is_same(state, *other));
            let class = same.map_or(next, |(class, _)| *class);
            if class == next {
                alike.push((class, state));
                next += 1;
            }
            Some(class)
        };
        self.states.iter().enumerate().map(class).collect()
    }

    /// Whether two states, by their places, have the same contents.
    fn is_same(&self, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|place| self.states[place].iter().flatten());
        let mut pairs = one.zip(other);
        pairs.all(|(a, b)| self.histories.is_same(*a, *b))
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
    pub fn overflowing(
        &self,
        machine: &Machine,
        source: StateId,
        label: &[Event],
    ) -> Vec<ChannelId> {
        let overflowing = |&channel: &ChannelId| {
            let Some(mut messages) = self.len(source, channel) else {
                return false;
            };
            let most = machine.channel(channel);
            most.overflows_with(messages)
                || label
                    .iter()
                    .filter(|event| event.channel == channel)
                    .any(|event| {
                        if event.is_transmission() {
                            messages += 1;
                        } else {
                            messages = messages.saturating_sub(1);
                        }
                        most.overflows_with(messages)
                    })
        };
        self.channels
            .iter()
            .copied()
            .filter(|c| overflowing(c))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use hyades_testing::Random;

    use super::*;
    use crate::tests::random::Recipe;
    use crate::{Channel, ComponentId, Direction};

    /// Classes are those of equal contents.
    #[test]
    fn classes_are_of_equal_contents() {
        let mut counts = [0; 2];
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let recipe = Recipe {
                states: 12,
                private: 100,
                ..Recipe::closed(2)
            };
            let system = recipe.system(&mut random);
            let machine = system.machine(ComponentId::new(0));
            let contents = Contents::new(machine).unwrap();
            let classes = contents.classes();
            let states: Vec<StateId> = (0..machine.states()).map(StateId::from_index).collect();
            for &a in &states {
                assert_eq!(classes[a.index()].is_some(), contents.has(a));
                for &b in states
                    .iter()
                    .filter(|&&b| contents.has(a) && contents.has(b))
                {
                    let same = contents.of(a) == contents.of(b);
                    assert_eq!(classes[a.index()] == classes[b.index()], same);
                    counts[usize::from(same && a != b)] += 1;
                }
            }
        }
        assert!(counts.into_iter().all(|count| count > 500), "{counts:?}");
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
        let most = 20_000;
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
        assert_eq!(contents.histories.len(), most + 1);
        // Going up and down, each length comes twice, but for none and the most.
        let classes = contents.classes().into_iter().flatten();
        let classes: HashSet<u32> = classes.collect();
        assert!((most..2 * most).contains(&classes.len()));
    }
}
