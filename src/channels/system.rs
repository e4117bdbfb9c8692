//! A system: components and the channels that link them.

use std::sync::Arc;

use hyades_formats::StateId;

use super::contents::{Contents, ContentsError};
use super::event::{
    Channel, ChannelId, ComponentId, Event, MessageId, Transition, Vocabulary, attached,
};
use super::histories::Misfit;
use super::machine::Machine;

/// A component of a system.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its name, which no other component has.
    pub name: String,
    /// Its behaviour.
    pub machine: Machine,
}

/// A system of communicating state machines (Kapus-Kolar 2010, section 2.6). It is
/// closed if no channel leads to or from the environment, otherwise open.
#[derive(Clone, Debug)]
pub struct System {
    /// What it is called; may be empty.
    pub name: String,
    ids: Vec<ComponentId>,
    names: Arc<[String]>,
    machines: Vec<Machine>,
    channels: Arc<[Channel]>,
    /// The channels of each component.
    attached: Arc<[Vec<ChannelId>]>,
}

impl System {
    /// The system of these components. Machines are numbered in their order and know
    /// these channels.
    ///
    /// # Panics
    /// If a machine has another number or other channels.
    pub fn new(name: String, components: Vec<Component>, channels: Arc<[Channel]>) -> Self {
        let (names, machines): (Vec<String>, Vec<Machine>) = components
            .into_iter()
            .map(|Component { name, machine }| (name, machine))
            .unzip();
        for (k, machine) in machines.iter().enumerate() {
            assert_eq!(machine.id(), ComponentId::new(k), "components are in order");
            assert_eq!(machine.channels(), &channels, "all know the same channels");
        }
        Self {
            name,
            ids: (0..machines.len()).map(ComponentId::new).collect(),
            names: names.into(),
            attached: attached(machines.len(), &channels).into(),
            machines,
            channels,
        }
    }

    /// The numbers of the components.
    pub fn components(&self) -> impl ExactSizeIterator<Item = ComponentId> + use<> {
        (0..self.machines.len()).map(ComponentId::new)
    }

    /// The names of the components.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of a component.
    pub fn component_name(&self, id: ComponentId) -> &str {
        &self.names[id.index()]
    }

    /// The component with this name.
    pub fn component(&self, name: &str) -> Option<ComponentId> {
        let place = self.names.iter().position(|other| other == name);
        place.map(ComponentId::new)
    }

    /// The behaviour of a component.
    pub fn machine(&self, id: ComponentId) -> &Machine {
        &self.machines[id.index()]
    }

    /// The behaviours of all components, in their order.
    pub fn machines(&self) -> &[Machine] {
        &self.machines
    }

    /// The behaviour of a component, to change it.
    pub fn machine_mut(&mut self, id: ComponentId) -> &mut Machine {
        &mut self.machines[id.index()]
    }

    /// The channels.
    pub fn channels(&self) -> &Arc<[Channel]> {
        &self.channels
    }

    /// A channel.
    pub fn channel(&self, id: ChannelId) -> &Channel {
        &self.channels[id.index()]
    }

    /// How the labels of a component are read and written.
    pub fn vocabulary(&self, component: ComponentId) -> Vocabulary<'_> {
        self.vocabulary_of(std::slice::from_ref(&self.ids[component.index()]))
    }

    /// How the labels of several components taken as one are read and written.
    pub fn vocabulary_of<'a>(&'a self, members: &'a [ComponentId]) -> Vocabulary<'a> {
        Vocabulary::new(&self.channels, members, &self.names, &self.attached)
    }

    /// What private channels of a component contain in its states.
    ///
    /// # Errors
    /// If they are no function of the state; see [`Contents::new`].
    pub fn contents(&self, component: ComponentId) -> Result<Contents, ContentsError> {
        let attached = self.attached[component.index()].iter().copied();
        let private = attached.filter(|&channel| self.channel(channel).is_private());
        Contents::of_channels(self.machine(component), private.collect())
    }

    /// The text of a label of a component. For many of them, ask
    /// [`System::vocabulary`] once.
    pub fn show_label(&self, component: ComponentId, label: &[Event]) -> String {
        self.vocabulary(component).show(label)
    }

    /// A transition of a component as AUT writes it: `(0, "-a +b", 1)`.
    pub fn show_transition(&self, component: ComponentId, transition: &Transition) -> String {
        self.vocabulary(component).show_transition(transition)
    }

    /// The transition of a component that has a label with this text.
    ///
    /// # Errors
    /// If there is none. Lower case, no full stop.
    pub fn transition(
        &self,
        id: ComponentId,
        source: u32,
        label: &str,
        target: u32,
    ) -> Result<Transition, String> {
        let events = self.vocabulary(id).parse(label);
        let events = events.map_err(|error| format!("label {label:?}: {}", error.text))?;
        let transition = Transition::new(StateId::new(source), events, StateId::new(target));
        match self.machine(id).contains(&transition) {
            true => Ok(transition),
            false => Err(format!(
                "component {} has no transition {} here",
                self.component_name(id),
                self.show_transition(id, &transition)
            )),
        }
    }

    /// The messages in a channel, the head first; `-` for none.
    pub fn show_queue(&self, channel: ChannelId, queue: &[MessageId]) -> String {
        let messages = &self.channel(channel).messages;
        let names: Vec<&str> = queue.iter().map(|m| messages[m.index()].as_str()).collect();
        match names.is_empty() {
            true => "-".into(),
            false => names.join(" "),
        }
    }

    /// Why contents are no function of the state, in words.
    pub fn show_misfit(&self, error: &ContentsError) -> String {
        let channel = self.channel(error.channel);
        let (name, messages) = (&channel.name, &channel.messages);
        match &error.kind {
            Misfit::Reception { expected, head } => {
                let expected = &messages[expected.index()];
                let head = head.map_or("nothing".into(), |head| {
                    format!("`{}`", messages[head.index()])
                });
                format!(
                    "receives `{expected}` from the private channel {name}, which has {head} at \
                     its head in state {}; expected transitions that fit the contents",
                    error.transition.source.get()
                )
            }
            Misfit::Target { after, target } => format!(
                "leaves `{}` in the private channel {name}, but other ways to state {} leave \
                 `{}`; expected states that tell the contents: make two states of it",
                self.show_queue(error.channel, after),
                error.transition.target.get(),
                self.show_queue(error.channel, target),
            ),
        }
    }

    /// States and transitions of a component that are not to be seen by number only:
    /// `M 3`.
    pub fn show_state(&self, component: ComponentId, state: StateId) -> String {
        format!("{} {}", self.component_name(component), state.get())
    }

    /// The same system with the states of each component numbered anew, breadth-first;
    /// what cannot be reached is left out.
    pub fn renumbered(&self) -> System {
        let machines = self.machines.iter().map(Machine::renumbered);
        System {
            machines: machines.collect(),
            ..self.clone()
        }
    }
}
