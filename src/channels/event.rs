//! Channels, events, and what labels say.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

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
    pub fn is_overfilled_by(&self, messages: usize) -> bool {
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

/// What a component, or several taken as one, may say: the channels that it is
/// attached to.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary<'a> {
    /// All channels of the system.
    pub channels: &'a [Channel],
    /// The component, or several.
    pub members: &'a [ComponentId],
    /// The names of the components, for messages.
    pub names: &'a [String],
}

impl Vocabulary<'_> {
    /// Whether the component does this with this channel.
    fn does(&self, direction: Direction, channel: &Channel) -> bool {
        let end = match direction {
            Direction::Transmission => channel.from,
            Direction::Reception => channel.to,
        };
        end.is_some_and(|id| self.members.contains(&id))
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
        let named = |other: &Channel| channel.is_none_or(|name| *name == other.name);
        let find = |other: &Channel| other.messages.iter().position(|name| name == message);
        let mut fitting = Vec::new();
        for (k, other) in self.channels.iter().enumerate() {
            if named(other)
                && self.does(direction, other)
                && let Some(place) = find(other)
            {
                fitting.push(Event {
                    direction,
                    channel: ChannelId::new(k),
                    message: MessageId::new(place),
                });
            }
        }
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
        let fitting = self.channels.iter().filter(|other| {
            self.does(event.direction, other) && other.messages.iter().any(|name| name == message)
        });
        match fitting.count() {
            0 | 1 => format!("{sign}{message}"),
            _ => format!("{sign}{}:{message}", channel.name),
        }
    }

    /// The text of a label, which [`Vocabulary::parse`] reads back.
    pub fn show(&self, label: &[Event]) -> String {
        let words: Vec<String> = label.iter().map(|&event| self.spell(event)).collect();
        words.join(" ")
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
