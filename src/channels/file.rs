//! System files; docs/channels.md describes them.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use hyades_formats::{LabelId, Lts, StateId};
use serde::Deserialize;
use toml::Spanned;

use super::event::{Channel, ComponentId, Vocabulary, check_name};
use super::machine::{Labels, Machine, Transition};
use super::system::{Component, System};
use crate::text::line_and_column;

/// The value of the key `format` that system files begin with.
pub const FORMAT: &str = "csm-system-1";

/// A system file that has been read, but not yet the components that are in files of
/// their own.
#[derive(Debug)]
pub struct SystemFile {
    text: String,
    raw: Raw,
    names: Vec<String>,
    channels: Arc<[Channel]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    format: Spanned<String>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    component: Vec<Spanned<RawComponent>>,
    #[serde(default)]
    channel: Vec<Spanned<RawChannel>>,
}

#[derive(Debug, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table with `name` and one of `file` and `aut`"
)]
struct RawComponent {
    name: Spanned<String>,
    file: Option<String>,
    aut: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table with `name`, `from`, `to`, `capacity` and `messages`"
)]
struct RawChannel {
    name: Spanned<String>,
    from: Option<Spanned<String>>,
    to: Option<Spanned<String>>,
    capacity: Option<Spanned<i64>>,
    messages: Vec<Spanned<String>>,
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
    /// Whether a text looks like a system file: TOML with this `format`.
    pub fn is_one(text: &[u8]) -> bool {
        let lines = text.split(|&byte| byte == b'\n');
        let mut lines = lines.map(<[u8]>::trim_ascii);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
        first.is_some_and(|line| line.starts_with(b"format") && line.contains(&b'='))
    }

    /// Reads the text of a system file.
    ///
    /// # Errors
    /// If it is no TOML, a key is unknown, missing or of the wrong type, or names do
    /// not fit together.
    pub fn from_text(text: &str) -> Result<Self, SystemError> {
        let raw: Raw = toml::from_str(text).map_err(|error| SystemError {
            place: error
                .span()
                .map_or(Place::Nowhere, |span| place(text, span)),
            text: error.message().trim_end().replace('\n', "; "),
        })?;
        let error = |span: Range<usize>, message: String| SystemError {
            place: place(text, span),
            text: message,
        };
        if raw.format.get_ref() != FORMAT {
            let found = raw.format.get_ref();
            return Err(error(
                raw.format.span(),
                format!("format {found:?}; expected {FORMAT:?}"),
            ));
        }
        if raw.component.is_empty() {
            let text = "no [[component]]; expected at least one".into();
            return Err(SystemError {
                place: Place::Nowhere,
                text,
            });
        }
        let mut ids: HashMap<&str, ComponentId> = HashMap::new();
        for (k, component) in raw.component.iter().enumerate() {
            let component = component.get_ref();
            let name = component.name.get_ref();
            check_name("component", name).map_err(|text| error(component.name.span(), text))?;
            if ids.insert(name, ComponentId::new(k)).is_some() {
                let text = format!("component {name} for the second time; expected each once");
                return Err(error(component.name.span(), text));
            }
            if component.file.is_some() == component.aut.is_some() {
                let text = format!("component {name}: expected one of `file` and `aut`");
                return Err(error(component.name.span(), text));
            }
        }
        let mut channels: Vec<Channel> = Vec::new();
        for channel in &raw.channel {
            let channel = channel.get_ref();
            let name = channel.name.get_ref();
            check_name("channel", name).map_err(|text| error(channel.name.span(), text))?;
            if channels.iter().any(|other| other.name == *name) {
                let text = format!("channel {name} for the second time; expected each once");
                return Err(error(channel.name.span(), text));
            }
            let end = |end: &Option<Spanned<String>>| match end {
                None => Ok(None),
                Some(end) => ids
                    .get(end.get_ref().as_str())
                    .copied()
                    .map(Some)
                    .ok_or_else(|| {
                        let text = format!(
                            "channel {name}: there is no component {}; expected one of {}",
                            end.get_ref(),
                            listed(
                                raw.component
                                    .iter()
                                    .map(|c| c.get_ref().name.get_ref().as_str())
                            )
                        );
                        error(end.span(), text)
                    }),
            };
            let (from, to) = (end(&channel.from)?, end(&channel.to)?);
            if from.is_none() && to.is_none() {
                let text = format!(
                    "channel {name} has neither `from` nor `to`; expected at least one: the other \
                     end may be the environment"
                );
                return Err(error(channel.name.span(), text));
            }
            let capacity = channel.capacity.as_ref().map(|capacity| {
                u32::try_from(*capacity.get_ref()).map_err(|_| {
                    let text = format!(
                        "channel {name}: capacity {}; expected a whole number from 0 to {}",
                        capacity.get_ref(),
                        u32::MAX
                    );
                    error(capacity.span(), text)
                })
            });
            let mut messages: Vec<String> = Vec::new();
            for message in &channel.messages {
                let text = message.get_ref();
                check_name("message", text).map_err(|text| error(message.span(), text))?;
                if messages.contains(text) {
                    let text = format!(
                        "channel {name}: message {text} for the second time; expected each once"
                    );
                    return Err(error(message.span(), text));
                }
                messages.push(text.clone());
            }
            channels.push(Channel {
                name: name.clone(),
                from,
                to,
                capacity: capacity.transpose()?,
                messages,
            });
        }
        let names = raw.component.iter();
        let names = names.map(|c| c.get_ref().name.get_ref().clone()).collect();
        Ok(Self {
            text: text.to_owned(),
            names,
            channels: channels.into(),
            raw,
        })
    }

    /// Where each component is to be read from.
    pub fn origins(&self) -> impl Iterator<Item = Origin<'_>> {
        self.raw.component.iter().map(|component| {
            let component = component.get_ref();
            match (&component.file, &component.aut) {
                (Some(file), _) => Origin::File(file),
                (None, text) => Origin::Text(text.as_deref().unwrap_or_default()),
            }
        })
    }

    /// The names of the components.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The place of a component in the file.
    pub fn place_of(&self, component: usize) -> Place {
        place(
            &self.text,
            self.raw.component[component].get_ref().name.span(),
        )
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
        let name = self.raw.name.clone();
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
        let vocabulary = Vocabulary {
            channels: &self.channels,
            members: std::slice::from_ref(&id),
            names: &self.names,
        };
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

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
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
