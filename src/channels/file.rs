//! System files; docs/channels.md describes them.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use hyades_base::text::{line_and_column, offset_of};
use hyades_formats::{LabelId, Lts, StateId};
use toml::Spanned;

use super::event::{Channel, ChannelId, ComponentId, Transition, Vocabulary, attached, check_name};
use super::machine::{Labels, Machine};
use super::raw::{RawChannel, RawComponent, RawFile, Value, Wrong, list, place_in_string, text};
use super::system::{Component, System};

/// The value of the key `format` that system files begin with.
pub const FORMAT: &str = "csm-system-1";

/// A system file that has been read, but not yet the components that are in files of
/// their own.
#[derive(Debug)]
pub struct SystemFile {
    text: String,
    name: String,
    behaviours: Vec<Behaviour>,
    names: Vec<String>,
    channels: Arc<[Channel]>,
    /// The channels of each component.
    attached: Vec<Vec<ChannelId>>,
}

/// What tells the behaviour of a component, and where in the file.
#[derive(Debug)]
enum Behaviour {
    /// The name of a file.
    File(String, Range<usize>),
    /// The text of an AUT file.
    Text(String, Range<usize>),
}

/// Where something is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// In the system file: line and column, both from 1 on.
    File(usize, usize),
    /// In a component.
    Component {
        /// Which one, by its place in the file.
        component: usize,
        /// The transition: source, text of the label, target.
        transition: Option<(u32, Box<[u8]>, u32)>,
        /// The byte in the label, from 0.
        offset: usize,
    },
    /// Nowhere in particular.
    Nowhere,
}

/// Why there is no system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemError {
    /// Where.
    pub place: Place,
    /// Lower case, no full stop.
    pub text: String,
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::File(line, column) => write!(f, "{line}:{column}: ")?,
            Place::Component { .. } | Place::Nowhere => {}
        }
        f.write_str(&self.text)
    }
}

impl std::error::Error for SystemError {}

/// Where a component is to be read from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin<'a> {
    /// A file, by its name relative to the system file.
    File(&'a str),
    /// The text of an AUT file.
    Text(&'a str),
}

impl SystemFile {
    /// Reads the text of a system file.
    ///
    /// # Errors
    /// If it is no TOML, a key is unknown, missing or of the wrong type, or names do
    /// not fit together.
    pub fn from_text(text: &str) -> Result<Self, SystemError> {
        let raw: RawFile = toml::from_str(text).map_err(|error| SystemError {
            place: error
                .span()
                .map_or(Place::Nowhere, |span| place(text, span)),
            text: error.message().trim_end().replace('\n', "; "),
        })?;
        if raw.component.0.is_empty() {
            let text = "no [[component]]; expected at least one".into();
            return Err(SystemError {
                place: Place::Nowhere,
                text,
            });
        }
        Self::from_raw(text, &raw).map_err(|(span, message)| SystemError {
            place: place(text, span),
            text: message,
        })
    }

    fn from_raw(file: &str, raw: &RawFile) -> Result<Self, Wrong> {
        let format = text(&"`format`", &raw.format)?;
        if format != FORMAT {
            let text = format!("format {format:?}; expected {FORMAT:?}");
            return Err((raw.format.span(), text));
        }
        let name = match &raw.name {
            Some(name) => text(&"`name`", name)?,
            None => "",
        };
        let mut names = Names::default();
        let mut behaviours = Vec::new();
        for component in &raw.component.0 {
            let name = names.add("component", &component.name)?;
            behaviours.push(behaviour_of(&name, component)?);
        }
        let mut channel_names = Names::default();
        let mut channels = Vec::new();
        for channel in &raw.channel.0 {
            let name = channel_names.add("channel", &channel.name)?;
            channels.push(read_channel(name, channel, &names)?);
        }
        Ok(Self {
            text: file.to_owned(),
            name: name.to_owned(),
            behaviours,
            attached: attached(names.list.len(), &channels),
            names: names.list,
            channels: channels.into(),
        })
    }

    /// Where each component is to be read from.
    pub fn origins(&self) -> impl Iterator<Item = Origin<'_>> {
        self.behaviours.iter().map(|behaviour| match behaviour {
            Behaviour::File(name, _) => Origin::File(name),
            Behaviour::Text(text, _) => Origin::Text(text),
        })
    }

    /// The names of the components.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Where the system file tells the behaviour of a component; if it has the text
    /// itself and this line and column of the text are given, from 1 on, the place of
    /// these.
    pub fn place_of(&self, component: usize, within: Option<(usize, usize)>) -> Place {
        let span = match (&self.behaviours[component], within) {
            (Behaviour::Text(text, span), Some((line, column))) => {
                let source = &self.text[span.clone()];
                let at = place_in_string(source, offset_of(text, line, column));
                span.start + at..span.end
            }
            (Behaviour::File(_, span) | Behaviour::Text(_, span), _) => span.clone(),
        };
        place(&self.text, span)
    }

    /// The system whose components behave like this, in the order of the file.
    ///
    /// # Errors
    /// If a label is no sequence of events of the component, or what is in private
    /// channels is no function of the state.
    ///
    /// # Panics
    /// If there are not as many as there are components.
    pub fn system(&self, behaviours: &[Lts]) -> Result<System, SystemError> {
        assert_eq!(behaviours.len(), self.names.len(), "one for each component");
        let mut components = Vec::new();
        for (k, lts) in behaviours.iter().enumerate() {
            components.push(Component {
                name: self.names[k].clone(),
                machine: self.machine(k, lts)?,
            });
        }
        let name = self.name.clone();
        let system = System::new(name, components, Arc::clone(&self.channels));
        for id in system.components() {
            if let Err(error) = system.contents(id) {
                let transition = &error.transition;
                let label = system.show_label(id, &transition.label);
                return Err(SystemError {
                    place: Place::Component {
                        component: id.index(),
                        transition: Some((
                            transition.source.get(),
                            label.into_bytes().into(),
                            transition.target.get(),
                        )),
                        offset: 0,
                    },
                    text: format!(
                        "component {}: transition {} {}",
                        system.component_name(id),
                        system.show_transition(id, transition),
                        system.show_misfit(&error)
                    ),
                });
            }
        }
        Ok(system)
    }

    fn machine(&self, component: usize, lts: &Lts) -> Result<Machine, SystemError> {
        let id = ComponentId::new(component);
        let members = std::slice::from_ref(&id);
        let vocabulary = Vocabulary::new(&self.channels, members, &self.names, &self.attached);
        let mut shared = Labels::default();
        let mut labels: HashMap<LabelId, _> = HashMap::new();
        let channels = Arc::clone(&self.channels);
        let mut machine = Machine::new(id, channels, lts.initial(), lts.states());
        for (source, label, target) in lts.iter() {
            let known = labels.get(&label).cloned();
            let events = match known {
                Some(events) => events,
                None => {
                    let bytes = lts.table().text(label);
                    let error = |offset, text: String| {
                        let shown = match label.is_hidden() {
                            true => "i".into(),
                            false => String::from_utf8_lossy(bytes).into_owned(),
                        };
                        SystemError {
                            place: Place::Component {
                                component,
                                transition: Some((
                                    source.get(),
                                    shown.as_bytes().into(),
                                    target.get(),
                                )),
                                offset,
                            },
                            text: format!(
                                "component {}, transition ({}, {shown:?}, {}): {text}",
                                self.names[component],
                                source.get(),
                                target.get(),
                            ),
                        }
                    };
                    if label.is_hidden() {
                        let text = "hidden; expected events: a machine without communication \
                                    cannot be told apart from one that waits";
                        return Err(error(0, text.into()));
                    }
                    let text = str::from_utf8(bytes).map_err(|bad| {
                        error(
                            bad.valid_up_to(),
                            "bytes that are no UTF-8; expected text".into(),
                        )
                    })?;
                    let events = vocabulary
                        .parse(text)
                        .map_err(|wrong| error(wrong.offset, wrong.text))?;
                    let events = shared.get(&events);
                    labels.insert(label, Arc::clone(&events));
                    events
                }
            };
            machine.insert(Transition {
                source,
                label: events,
                target,
            });
        }
        Ok(machine)
    }
}

/// The line and the column, both from 1 on, where a span of the text begins.
fn place(text: &str, span: Range<usize>) -> Place {
    let (line, column) = line_and_column(text, span.start);
    Place::File(line, column)
}

/// Names of one kind, none twice.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    places: HashMap<String, usize>,
}

impl Names {
    fn add(&mut self, kind: &str, value: &Spanned<Value>) -> Result<String, Wrong> {
        let name = text(&format_args!("`name` of a {kind}"), value)?;
        let error = |text| (value.span(), text);
        check_name(kind, name).map_err(error)?;
        if self.places.contains_key(name) {
            let text = format!("{kind} {name} for the second time; expected each once");
            return Err(error(text));
        }
        self.places.insert(name.to_owned(), self.list.len());
        self.list.push(name.to_owned());
        Ok(name.to_owned())
    }
}

fn behaviour_of(name: &str, component: &RawComponent) -> Result<Behaviour, Wrong> {
    let value = |key: &str, value: &Spanned<Value>| -> Result<_, Wrong> {
        let text = text(&format_args!("component {name}: `{key}`"), value)?;
        Ok((text.to_owned(), value.span()))
    };
    match (&component.file, &component.aut) {
        (Some(file), None) => value("file", file).map(|(name, at)| Behaviour::File(name, at)),
        (None, Some(aut)) => value("aut", aut).map(|(text, at)| Behaviour::Text(text, at)),
        _ => {
            let text = format!("component {name}: expected one of `file` and `aut`");
            Err((component.name.span(), text))
        }
    }
}

fn read_channel(name: String, channel: &RawChannel, components: &Names) -> Result<Channel, Wrong> {
    let from = read_end(&name, "from", channel.from.as_ref(), components)?;
    let to = read_end(&name, "to", channel.to.as_ref(), components)?;
    if from.is_none() && to.is_none() {
        let text = format!(
            "channel {name} has neither `from` nor `to`; expected at least one: the other end may \
             be the environment"
        );
        return Err((channel.name.span(), text));
    }
    let capacity = channel.capacity.as_ref();
    let capacity = capacity.map(|capacity| read_capacity(&name, capacity));
    Ok(Channel {
        from,
        to,
        capacity: capacity.transpose()?,
        messages: read_messages(&name, &channel.messages)?,
        name,
    })
}

/// The component at one end of a channel; `None` is the environment.
fn read_end(
    channel: &str,
    key: &str,
    value: Option<&Spanned<Value>>,
    components: &Names,
) -> Result<Option<ComponentId>, Wrong> {
    let Some(value) = value else {
        return Ok(None);
    };
    if let Value::List(list) = value.get_ref()
        && list.len() > 1
    {
        let does = if key == "from" {
            "transmits"
        } else {
            "receives"
        };
        let text = format!(
            "channel {channel}: `{key}` names {} components; expected the one that {does}: write a \
             channel for each of them",
            list.len()
        );
        return Err((value.span(), text));
    }
    let name = text(&format_args!("channel {channel}: `{key}`"), value)?;
    match components.places.get(name) {
        Some(&place) => Ok(Some(ComponentId::new(place))),
        None => {
            let text = format!(
                "channel {channel}: there is no component {name}; expected one of {}",
                components.list.join(", ")
            );
            Err((value.span(), text))
        }
    }
}

fn read_capacity(channel: &str, value: &Spanned<Value>) -> Result<u32, Wrong> {
    let capacity = match value.get_ref() {
        Value::Number(number) => u32::try_from(*number).ok(),
        _ => None,
    };
    capacity.ok_or_else(|| {
        let text = format!(
            "channel {channel}: capacity {}; expected a whole number from 0 to {}",
            value.get_ref(),
            u32::MAX
        );
        (value.span(), text)
    })
}

fn read_messages(channel: &str, value: &Spanned<Value>) -> Result<Vec<String>, Wrong> {
    let mut messages = Vec::new();
    let mut known = HashSet::new();
    for value in list(&format_args!("channel {channel}: `messages`"), value)? {
        let message = text(&format_args!("channel {channel}: one of `messages`"), value)?;
        let error = |text| (value.span(), text);
        check_name("message", message).map_err(error)?;
        if !known.insert(message) {
            let text = format!(
                "channel {channel}: message {message} for the second time; expected each once"
            );
            return Err(error(text));
        }
        messages.push(message.to_owned());
    }
    Ok(messages)
}

/// The behaviour of a machine as an LTS, with labels as `vocabulary` spells them.
/// States keep their numbers.
pub(super) fn behaviour(machine: &Machine, vocabulary: &Vocabulary<'_>) -> Lts {
    let mut builder = hyades_formats::LtsBuilder::new(machine.states() as u64);
    for transition in machine.transitions() {
        let label = vocabulary.show(&transition.label);
        builder
            .add_text(
                transition.source.get(),
                label.as_bytes(),
                transition.target.get(),
            )
            .expect("there are no more labels than there were");
    }
    let initial = StateId::new(machine.initial().get());
    builder
        .build(initial)
        .expect("there are no more states than there were")
}
