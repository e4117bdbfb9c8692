//! Channels, events, and what labels say.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hyades_formats::StateId;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl $name {
            /// The one with this number, from 0.
            pub const fn new(number: usize) -> Self {
                Self(number as u32)
            }

            /// Its number, for indexing.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

number! {
    /// A component of a system, by its place in the list of components.
    ComponentId
}
number! {
    /// A channel of a system, by its place in the list of channels.
    ChannelId
}
number! {
    /// A message of a channel, by its place in the channel's list.
    MessageId
}

/// A queue of messages, first in, first out, without loss (Kapus-Kolar 2010,
/// section 2.4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// Its name, which no other channel of the system has.
    pub name: String,
    /// Who transmits; `None` if that is the environment.
    pub from: Option<ComponentId>,
    /// Who receives; `None` if that is the environment.
    pub to: Option<ComponentId>,
    /// The nominal capacity: with more messages the channel is overfilled. It never
    /// blocks a transmission. `None` is no limit.
    pub capacity: Option<u32>,
    /// The messages that it can carry.
    pub messages: Vec<String>,
}

impl Channel {
    /// Whether it leads from a component to itself, so that its contents are part of
    /// the state of that component.
    pub fn is_private(&self) -> bool {
        self.from.is_some() && self.from == self.to
    }

    /// Whether it links two components.
    pub fn is_link(&self) -> bool {
        self.from.is_some() && self.to.is_some() && self.from != self.to
    }

    /// Whether a component uses it together with others: it is a link, or leads to
    /// or from the environment.
    pub fn is_shared(&self) -> bool {
        !self.is_private()
    }

    /// Whether so many messages are more than it is to hold.
    pub fn overflows_with(&self, messages: usize) -> bool {
        self.capacity.is_some_and(|most| messages > most as usize)
    }
}

/// What an event does with its channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// A message is appended: `-m`.
    Transmission,
    /// The message at the head is removed: `+m`.
    Reception,
}

impl Direction {
    /// How it is written.
    pub fn sign(self) -> char {
        match self {
            Direction::Transmission => '-',
            Direction::Reception => '+',
        }
    }
}

/// An atom of behaviour: one message is transmitted or received.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Event {
    /// Which of the two.
    pub direction: Direction,
    /// On which channel.
    pub channel: ChannelId,
    /// Which message of the channel.
    pub message: MessageId,
}

impl Event {
    /// Whether it is a transmission.
    pub fn is_transmission(self) -> bool {
        self.direction == Direction::Transmission
    }

    /// Whether it is a reception.
    pub fn is_reception(self) -> bool {
        self.direction == Direction::Reception
    }
}

/// A label: the events of a transition, which happen as one. Never empty.
pub type Label = Arc<[Event]>;

/// What is wrong with the text of a label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelError {
    /// The byte in the label, from 0.
    pub offset: usize,
    /// What was found and what was expected. Lower case, no full stop.
    pub text: String,
}

/// For each component of a system the channels that it is attached to, ascending.
pub(super) fn attached(components: usize, channels: &[Channel]) -> Vec<Vec<ChannelId>> {
    let mut attached = vec![Vec::new(); components];
    for (k, channel) in channels.iter().enumerate() {
        if let Some(id) = channel.from {
            attached[id.index()].push(ChannelId::new(k));
        }
        if let Some(id) = channel.to.filter(|_| !channel.is_private()) {
            attached[id.index()].push(ChannelId::new(k));
        }
    }
    attached
}

/// What a component, or several taken as one, may say: the events on the channels that
/// it is attached to.
///
/// Making one takes time for the messages of all these channels, using it does not.
#[derive(Clone, Debug)]
pub struct Vocabulary<'a> {
    /// All channels of the system.
    channels: &'a [Channel],
    /// The component, or several.
    members: &'a [ComponentId],
    /// The names of the components, for messages.
    names: &'a [String],
    /// What a message may mean: its transmissions, and its receptions.
    events: HashMap<&'a str, [Vec<Event>; 2], RandomState>,
}

impl<'a> Vocabulary<'a> {
    /// Of some components of a system with these channels and names. `attached` are the
    /// channels of each component of the system.
    pub(super) fn new(
        channels: &'a [Channel],
        members: &'a [ComponentId],
        names: &'a [String],
        attached: &[Vec<ChannelId>],
    ) -> Self {
        let mut vocabulary = Self {
            channels,
            members,
            names,
            events: HashMap::default(),
        };
        for &member in members {
            for &channel in &attached[member.index()] {
                vocabulary.add(member, channel);
            }
        }
        for events in vocabulary.events.values_mut().flatten() {
            events.sort_unstable();
            events.dedup();
        }
        vocabulary
    }

    /// Adds what a component may do with a channel.
    fn add(&mut self, member: ComponentId, id: ChannelId) {
        let channel = &self.channels[id.index()];
        let ends = [
            (channel.from, Direction::Transmission),
            (channel.to, Direction::Reception),
        ];
        for (_, direction) in ends.into_iter().filter(|(end, _)| *end == Some(member)) {
            for (k, message) in channel.messages.iter().enumerate() {
                let events = self.events.entry(message).or_default();
                events[direction as usize].push(Event {
                    direction,
                    channel: id,
                    message: MessageId::new(k),
                });
            }
        }
    }

    /// What a direction and a message may mean, by ascending channels.
    fn meanings(&self, direction: Direction, message: &str) -> &[Event] {
        let events = self.events.get(message);
        events.map_or(&[], |events| &events[direction as usize])
    }

    /// The events that a label tells: `-m`, `+m`, or `-channel:m`, `+channel:m`
    /// where a message is of several channels, separated by blanks.
    ///
    /// # Errors
    /// If an event is none, or not one of this component, or of several channels.
    pub fn parse(&self, text: &str) -> Result<Vec<Event>, LabelError> {
        let mut events = Vec::new();
        for word in text.split_ascii_whitespace() {
            // The word is a part of the text.
            let offset = word.as_ptr() as usize - text.as_ptr() as usize;
            let event = self.event(word);
            events.push(event.map_err(|text| LabelError { offset, text })?);
        }
        match events.is_empty() {
            true => Err(LabelError {
                offset: 0,
                text: "no event; expected at least one, such as `-m` or `+m`".into(),
            }),
            false => Ok(events),
        }
    }

    fn event(&self, word: &str) -> Result<Event, String> {
        let direction = match word.as_bytes()[0] {
            b'-' => Direction::Transmission,
            b'+' => Direction::Reception,
            _ => {
                return Err(format!(
                    "`{word}` has no sign; expected `-{word}` to transmit or `+{word}` to receive"
                ));
            }
        };
        let (channel, message) = match word[1..].split_once(':') {
            Some((channel, message)) => (Some(channel), message),
            None => (None, &word[1..]),
        };
        if message.is_empty() {
            return Err(format!("`{word}` names no message; expected one"));
        }
        let named = |event: &&Event| {
            channel.is_none_or(|name| *name == self.channels[event.channel.index()].name)
        };
        let fitting = self.meanings(direction, message).iter().filter(named);
        let fitting: Vec<Event> = fitting.copied().collect();
        match *fitting {
            [event] => Ok(event),
            [] => Err(self.unfit(word, direction, channel, message)),
            [one, other, ..] => {
                let name = |event: Event| &self.channels[event.channel.index()].name;
                let sign = direction.sign();
                let (one, other) = (name(one), name(other));
                Err(format!(
                    "`{word}` may be of the channels {one} and {other}; expected \
                     `{sign}{one}:{message}` or `{sign}{other}:{message}`"
                ))
            }
        }
    }

    /// Why no channel of the component fits.
    fn unfit(
        &self,
        word: &str,
        direction: Direction,
        channel: Option<&str>,
        message: &str,
    ) -> String {
        let names = self
            .members
            .iter()
            .map(|id| self.names[id.index()].as_str());
        let me = names.collect::<Vec<_>>().join(" or ");
        let (does, end) = match direction {
            Direction::Transmission => ("transmits", "from"),
            Direction::Reception => ("receives", "to"),
        };
        let known = |other: &&Channel| channel.is_none_or(|name| *name == other.name);
        let mut of_name = self.channels.iter().filter(known);
        if let (Some(name), None) = (channel, of_name.clone().next()) {
            return format!("`{word}`: there is no channel {name}; expected one of the system");
        }
        let elsewhere = of_name.find(|other| other.messages.iter().any(|name| name == message));
        let Some(other) = elsewhere else {
            return match channel {
                Some(name) => format!(
                    "`{word}`: channel {name} has no message `{message}`; expected one of its \
                     `messages`"
                ),
                None => format!(
                    "`{word}`: no channel has a message `{message}`; expected one of the `messages` \
                     of a channel {end} {me}"
                ),
            };
        };
        let who = match direction {
            Direction::Transmission => other.from,
            Direction::Reception => other.to,
        };
        let who = who.map_or("the environment", |id| &self.names[id.index()]);
        format!(
            "`{word}`: on channel {}, {who} {does}, not {me}; expected a channel {end} {me}",
            other.name
        )
    }

    /// The text of an event, with its channel only where that is needed.
    fn spell(&self, event: Event) -> String {
        let sign = event.direction.sign();
        let channel = &self.channels[event.channel.index()];
        let message = &channel.messages[event.message.index()];
        match self.meanings(event.direction, message).len() {
            0 | 1 => format!("{sign}{message}"),
            _ => format!("{sign}{}:{message}", channel.name),
        }
    }

    /// The text of a label, which [`Vocabulary::parse`] reads back.
    pub fn show(&self, label: &[Event]) -> String {
        let words: Vec<String> = label.iter().map(|&event| self.spell(event)).collect();
        words.join(" ")
    }

    /// A transition as AUT writes it: `(0, "-a +b", 1)`.
    pub fn show_transition(&self, transition: &Transition) -> String {
        let label = self.show(&transition.label);
        let (source, target) = (transition.source.get(), transition.target.get());
        format!("({source}, {label:?}, {target})")
    }
}

/// A name as the file format allows it.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check_name(what: &str, name: &str) -> Result<(), String> {
    let control = name.chars().find(|c| c.is_control() && !c.is_whitespace());
    let wrong: Cow<'_, str> = if name.is_empty() {
        "is empty".into()
    } else if let Some(control) = control {
        let code = u32::from(control);
        format!("has the control character U+{code:04X} in it").into()
    } else if name.contains(char::is_whitespace) {
        "has a blank in it".into()
    } else if name.contains(':') {
        "has a `:` in it".into()
    } else if name.starts_with(['+', '-']) {
        "begins with a sign".into()
    } else {
        return Ok(());
    };
    Err(format!(
        "{what} {name:?} {wrong}; expected a name without blanks, control characters and `:` \
         that does not begin with `+` or `-`"
    ))
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A transition of a component. Transitions of a machine are a set: none comes
/// twice.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Transition {
    /// The state that it leaves.
    pub source: StateId,
    /// Its events.
    pub label: Label,
    /// The state that it enters.
    pub target: StateId,
}

impl Transition {
    /// The transition with these parts.
    pub fn new(source: StateId, label: impl Into<Label>, target: StateId) -> Self {
        Self {
            source,
            label: label.into(),
            target,
        }
    }

    /// This one and then another one, as one: their events in this order.
    ///
    /// # Panics
    /// If the other one does not start where this one ends.
    pub fn then(&self, other: &Transition) -> Transition {
        assert_eq!(self.target, other.source, "the two are no walk");
        Transition {
            source: self.source,
            label: self.label.iter().chain(&*other.label).copied().collect(),
            target: other.target,
        }
    }

    /// Whether it ends where it starts.
    pub fn is_loop(&self) -> bool {
        self.source == self.target
    }
}
