//! Random systems.

use std::sync::Arc;

use hyades_formats::StateId;
use hyades_testing::Random;

use super::super::*;

/// What random systems look like.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Recipe {
    /// How many components.
    pub(in super::super) parties: usize,
    /// At most so many states of a component, at least 2.
    pub(in super::super) states: usize,
    /// At most so many messages of a channel, at least 1.
    pub(in super::super) messages: usize,
    /// At most so many events on shared channels in a label.
    pub(in super::super) events: usize,
    /// In how many of 100 cases there is a second channel where there is one.
    pub(in super::super) parallel: usize,
    /// In how many of 100 cases a component has a private channel.
    pub(in super::super) private: usize,
    /// In how many of 100 cases a component has a channel to or from the environment.
    pub(in super::super) open: usize,
}

impl Recipe {
    /// Closed systems of two components with one channel each way and no other: those
    /// of Algorithm 1.
    pub(in super::super) const PAIR: Self = Self {
        parties: 2,
        states: 5,
        messages: 2,
        events: 3,
        parallel: 0,
        private: 0,
        open: 0,
    };

    /// Closed systems of two or three components, most with private channels.
    pub(in super::super) fn closed(parties: usize) -> Self {
        Self {
            parties,
            states: 4,
            parallel: 25,
            private: 50,
            ..Self::PAIR
        }
    }

    /// A system of this kind. Not all states of a component need be reachable, and
    /// nothing is said about errors: most have some.
    pub(in super::super) fn system(&self, random: &mut Random) -> System {
        let channels = self.channels(random);
        let components = (0..self.parties).map(|k| Component {
            name: format!("P{k}"),
            machine: self.machine(ComponentId::new(k), &channels, random),
        });
        let components = components.collect();
        System::new("random".into(), components, channels)
    }

    fn channels(&self, random: &mut Random) -> Arc<[Channel]> {
        let mut channels = Vec::new();
        let mut add = |from: Option<usize>, to: Option<usize>, random: &mut Random| {
            let name = format!("c{}", channels.len());
            let messages = random.between(1, self.messages);
            channels.push(Channel {
                from: from.map(ComponentId::new),
                to: to.map(ComponentId::new),
                capacity: Some(random.between(usize::from(from != to), 3) as u32),
                // The same everywhere, so that events need the names of their channels.
                messages: (0..messages).map(|m| format!("m{m}")).collect(),
                name,
            });
        };
        for from in 0..self.parties {
            for to in 0..self.parties {
                // Two are linked both ways; among more, some links are missing.
                let linked = from != to && (self.parties == 2 || random.chance(60));
                if linked || from == to && random.chance(self.private) {
                    add(Some(from), Some(to), random);
                    if random.chance(self.parallel) {
                        add(Some(from), Some(to), random);
                    }
                }
            }
            if random.chance(self.open) {
                match random.chance(50) {
                    true => add(Some(from), None, random),
                    false => add(None, Some(from), random),
                }
            }
        }
        channels.into()
    }

    /// A component of such a system.
    pub(in super::super) fn machine(
        &self,
        id: ComponentId,
        channels: &Arc<[Channel]>,
        random: &mut Random,
    ) -> Machine {
        let states = random.between(2, self.states);
        let contents = StateContents::random(id, channels, states, random);
        let mut machine = Machine::new(id, Arc::clone(channels), StateId::new(0), states);
        for source in 0..states {
            for _ in 0..random.between(1, 3) {
                let target = random.between(0, states - 1);
                let events = match random.between(0, 9) {
                    0..6 => 1,
                    6..9 => 2,
                    _ => random.between(0, 3),
                };
                let events = events.min(self.events);
                let label = contents.label(source, target, events, random);
                if !label.is_empty() {
                    let [source, target] = [source, target].map(StateId::from_index);
                    machine.insert(Transition::new(source, label, target));
                }
            }
        }
        machine
    }
}

/// What private channels hold in each state of a component, chosen before its
/// transitions.
pub(in super::super) struct StateContents {
    id: ComponentId,
    channels: Arc<[Channel]>,
    /// Of each private channel, what it holds in each state.
    private: Vec<(ChannelId, Vec<Queue>)>,
}

impl StateContents {
    fn random(
        id: ComponentId,
        channels: &Arc<[Channel]>,
        states: usize,
        random: &mut Random,
    ) -> Self {
        let mut private = Vec::new();
        for (k, channel) in channels.iter().enumerate() {
            if channel.is_private() && channel.from == Some(id) {
                let mut queues = vec![Queue::new()];
                for _ in 1..states {
                    let len = random.between(0, 4).saturating_sub(2);
                    queues.push((0..len).map(|_| any_message(channel, random)).collect());
                }
                private.push((ChannelId::new(k), queues));
            }
        }
        Self {
            id,
            channels: Arc::clone(channels),
            private,
        }
    }

    /// The contents that a machine has. States that cannot be reached count as ones
    /// where all is empty.
    pub(in super::super) fn of(machine: &Machine) -> Self {
        let contents = Contents::new(machine).expect("contents are a function of the state");
        let states = (0..machine.states()).map(StateId::from_index);
        let queue = |state, k: usize| contents.of(state).map_or_else(Vec::new, |of| of[k].clone());
        let private = contents.channels().iter().enumerate();
        let private = private.map(|(k, &channel)| {
            let queues = states.clone().map(|state| queue(state, k));
            (channel, queues.collect())
        });
        Self {
            id: machine.id(),
            channels: Arc::clone(machine.channels()),
            private: private.collect(),
        }
    }

    /// A random label from one state to another with so many events on shared
    /// channels, if there are any. May be empty.
    pub(in super::super) fn label(
        &self,
        source: usize,
        target: usize,
        shared: usize,
        random: &mut Random,
    ) -> Vec<Event> {
        let own = self.channels.iter().enumerate().filter(|(_, channel)| {
            channel.is_shared() && (channel.from == Some(self.id) || channel.to == Some(self.id))
        });
        let own: Vec<(usize, &Channel)> = own.collect();
        let mut strands = Vec::new();
        if !own.is_empty() {
            let events = (0..shared).map(|_| {
                let (k, channel) = own[random.between(0, own.len() - 1)];
                Event {
                    direction: match channel.from == Some(self.id) {
                        true => Direction::Transmission,
                        false => Direction::Reception,
                    },
                    channel: ChannelId::new(k),
                    message: any_message(channel, random),
                }
            });
            strands.push(events.collect());
        }
        for (channel, queues) in &self.private {
            strands.push(self.conversion(*channel, &queues[source], &queues[target], random));
        }
        interleaved(strands, random)
    }

    /// Events of a private channel that make one of its contents the other: what both
    /// share may stay, all else is received and transmitted.
    fn conversion(
        &self,
        channel: ChannelId,
        from: &Queue,
        to: &Queue,
        random: &mut Random,
    ) -> Vec<Event> {
        let stay = (0..=from.len().min(to.len())).filter(|&k| from.ends_with(&to[..k]));
        let stay: Vec<usize> = stay.collect();
        let stay = match random.chance(80) {
            true => stay[stay.len() - 1],
            false => 0,
        };
        let mut received = from[..from.len() - stay].to_vec();
        let mut transmitted = to[stay..].to_vec();
        if stay == 0 && random.chance(25) {
            let through = any_message(&self.channels[channel.index()], random);
            received.push(through);
            transmitted.insert(0, through);
        }
        let mut held = from.len();
        let mut events = Vec::new();
        let (mut received, mut transmitted) = (
            received.into_iter().peekable(),
            transmitted.into_iter().peekable(),
        );
        while received.peek().is_some() || transmitted.peek().is_some() {
            let can_receive = held > 0 && received.peek().is_some();
            let can_transmit = transmitted.peek().is_some();
            let direction = match can_receive && (!can_transmit || random.chance(50)) {
                true => Direction::Reception,
                false => Direction::Transmission,
            };
            let message = match direction {
                Direction::Reception => {
                    held -= 1;
                    received.next()
                }
                Direction::Transmission => {
                    held += 1;
                    transmitted.next()
                }
            };
            events.push(Event {
                direction,
                channel,
                message: message.expect("one of the two has been seen"),
            });
        }
        events
    }
}

fn any_message(channel: &Channel, random: &mut Random) -> MessageId {
    MessageId::new(random.between(0, channel.messages.len() - 1))
}

/// One sequence of several, each in its order.
fn interleaved(strands: Vec<Vec<Event>>, random: &mut Random) -> Vec<Event> {
    let mut rest: Vec<_> = strands
        .into_iter()
        .map(|s| s.into_iter().peekable())
        .collect();
    let mut all = Vec::new();
    loop {
        rest.retain_mut(|strand| strand.peek().is_some());
        if rest.is_empty() {
            return all;
        }
        let k = random.between(0, rest.len() - 1);
        all.extend(rest[k].next());
    }
}

/// The machine with one to three transitions added, left out or changed, so that
/// contents of private channels stay a function of the state.
pub(in super::super) fn mutated(machine: &Machine, random: &mut Random) -> Machine {
    let contents = StateContents::of(machine);
    loop {
        let mut changed = machine.clone();
        for _ in 0..random.between(1, 3) {
            mutate(&mut changed, &contents, random);
        }
        // States that could not be reached before may hold something else now.
        if Contents::new(&changed).is_ok() {
            return changed;
        }
    }
}

fn mutate(machine: &mut Machine, contents: &StateContents, random: &mut Random) {
    let transitions: Vec<Transition> = machine.transitions().collect();
    let victim = match transitions.is_empty() || random.chance(30) {
        true => None,
        false => Some(&transitions[random.between(0, transitions.len() - 1)]),
    };
    if let Some(victim) = victim {
        machine.remove(victim);
        if random.chance(40) {
            return;
        }
    }
    let any = |random: &mut Random| random.between(0, machine.states() - 1);
    let source = victim.map_or_else(|| any(random), |t| t.source.index());
    let target = any(random);
    let label = contents.label(source, target, random.between(0, 2), random);
    if !label.is_empty() {
        let [source, target] = [source, target].map(StateId::from_index);
        machine.insert(Transition::new(source, label, target));
    }
}

/// All applications of all rules to a component, whether they are possible or not.
pub(in super::super) fn applications(machine: &Machine, random: &mut Random) -> Vec<Application> {
    let mut all = Vec::new();
    for state in (0..machine.states()).map(StateId::from_index) {
        all.push(Application::Theta1(state));
        all.push(Application::Theta3(state));
        all.push(Application::theta4_of_all(machine, state));
        let some = machine.incoming(state).filter(|_| random.chance(50));
        all.push(Application::Theta4(state, some.collect()));
    }
    for transition in machine.transitions() {
        all.extend(Application::theta6_of(machine, &transition));
        all.push(Application::Theta2(transition.clone()));
        all.push(Application::Theta5(transition));
    }
    all
}

#[test]
fn random_systems_are_systems() {
    let mut private = 0;
    for seed in 0..500 {
        for recipe in [Recipe::PAIR, Recipe::closed(2), Recipe::closed(3)] {
            let mut random = Random::new(seed);
            let recipe = Recipe {
                open: 20 * (seed as usize % 2),
                ..recipe
            };
            let system = recipe.system(&mut random);
            for id in system.components() {
                let machine = system.machine(id);
                let contents = Contents::new(machine).unwrap();
                private += contents.channels().len();
                Contents::new(&mutated(machine, &mut random)).unwrap();
            }
            let file = SystemFile::from_text(&system.to_text()).unwrap();
            assert_eq!(file.names(), system.names());
        }
    }
    assert!(private > 500);
}
