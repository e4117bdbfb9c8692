//! Several components taken as one.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use hyades_explore::{ExploreError, Limits, LtsSink, Model, Outcome};
use hyades_formats::{LabelId, Lts, StateId};

use super::analysis::{Analysis, Labelled, analyse};
use super::event::{Channel, ChannelId, ComponentId, Transition, check_name};
use super::machine::{Labels, Machine};
use super::model::{Beyond, Semantics, SystemModel, SystemState};
use super::pump;
use super::system::{Component, System};

/// A system in which some components have become one (Θcsm, section 2.7), and what the
/// states of that one are.
#[derive(Debug)]
pub struct Composed {
    /// The new system. The new component has the place of the first of the old ones;
    /// the channels have kept their places.
    pub system: System,
    /// The new component.
    pub component: ComponentId,
    /// For each component of the old system, its number in the new one.
    pub component_of: Vec<ComponentId>,
    /// The old states that the states of the new component stand for, by number: of
    /// the members, in the order of the old system, and the channels that link them.
    pub states: Vec<SystemState>,
}

/// Why components cannot be taken as one.
#[derive(Debug)]
pub enum ComposeError {
    /// There are not two of them at least.
    TooFew,
    /// Another component has the name.
    Name(String),
    /// It is no name.
    BadName(String),
    /// These channels came to hold more messages than the bound.
    Bound(Vec<ChannelId>),
    /// The channel of this name comes to hold any number of messages: a cycle of
    /// transitions can be repeated for ever, and adds messages each time.
    Unbounded(String),
    /// A limit on states or memory was reached.
    Limit,
    /// The exploration failed.
    Explore(ExploreError),
}

impl fmt::Display for ComposeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComposeError::TooFew => f.write_str("expected two components at least"),
            ComposeError::Name(name) => write!(f, "there is a component {name} already"),
            ComposeError::BadName(text) => f.write_str(text),
            ComposeError::Bound(_) => f.write_str(
                "a channel that links the components came to hold more messages than the bound",
            ),
            ComposeError::Unbounded(channel) => write!(
                f,
                "channel {channel}, which links the components, comes to hold any number of \
                 messages, so that they have infinitely many states together: no bound is enough"
            ),
            ComposeError::Limit => f.write_str("too many states"),
            ComposeError::Explore(error) => error.fmt(f),
        }
    }
}

impl From<ExploreError> for ComposeError {
    fn from(error: ExploreError) -> Self {
        Self::Explore(error)
    }
}

/// The bounds that are tried, ascending, the given one last.
fn bounds(given: Option<u32>) -> impl Iterator<Item = Option<u32>> {
    let last = given.unwrap_or(Semantics::LEAST_BOUND);
    let smaller = (0..)
        .map(|k| 1u32 << k)
        .take_while(move |&bound| bound < last);
    smaller.map(Some).chain([given])
}

/// All states of some components, with the least bound on channels that shows them.
///
/// # Errors
/// If they are too many, or have no end.
fn explored<'s>(
    system: &'s System,
    members: &[ComponentId],
    channel_bound: Option<u32>,
    limits: Limits,
) -> Result<(SystemModel<'s>, Analysis, Lts), ComposeError> {
    let mut bounds = bounds(channel_bound).peekable();
    let mut next = || bounds.next().map(|bound| (bound, bounds.peek().is_none()));
    loop {
        let (channel_bound, is_last) = next().expect("the last one ends the loop");
        let semantics = Semantics {
            beyond: Beyond::Expand,
            channel_bound,
            restrained: None,
        };
        let model = SystemModel::of_members(system, members, semantics);
        let model = model.map_err(|error| ComposeError::Explore(error.into()))?;
        let mut sink = LtsSink::new();
        let table = model.labels().into_owned();
        let labels: Vec<LabelId> = (1..=model.transitions().len() as u32)
            .map(LabelId::new)
            .collect();
        let goal = Labelled {
            sink: &mut sink,
            table: &table,
            labels: &labels,
        };
        let found = analyse(&model, limits, None, Some(goal))?;
        if found.is_complete() {
            sink.check().map_err(ExploreError::from)?;
            let lts = sink.finish(table).map_err(ExploreError::from)?;
            return Ok((model, found, lts));
        }
        if let Some(channel) = pump::grows(&model, &found) {
            let name = system.channel(channel).name.clone();
            return Err(ComposeError::Unbounded(name));
        }
        if is_last && !found.truncated.is_empty() {
            let channels = found.truncated.iter().map(|(channel, _)| *channel);
            return Err(ComposeError::Bound(channels.collect()));
        }
        // With a larger bound there are no fewer states.
        if found.outcome != Outcome::Complete {
            return Err(ComposeError::Limit);
        }
    }
}

impl Composed {
    /// The system in which `members` have become one component. Channels that link
    /// them become private; what is in them is part of its states, whatever their
    /// capacities. Channels that link it with others are never waited for here, so
    /// that it may have states which are not reachable in the system.
    ///
    /// The bound on channels grows from 1 on, twice as large each time, to that which
    /// is given: what is finite is mostly found so with a small one, and what is not is
    /// mostly seen by then to have a cycle that fills a channel. The states, and their
    /// numbers, do not depend on the bound with which all were found.
    ///
    /// # Errors
    /// If there is no such component within the limits.
    pub fn new(
        system: &System,
        members: &[ComponentId],
        name: &str,
        channel_bound: Option<u32>,
        limits: Limits,
    ) -> Result<Self, ComposeError> {
        check_name("component", name).map_err(ComposeError::BadName)?;
        let mut members = members.to_vec();
        members.sort_unstable();
        members.dedup();
        if members.len() < 2 {
            return Err(ComposeError::TooFew);
        }
        if system
            .component(name)
            .is_some_and(|other| !members.contains(&other))
        {
            return Err(ComposeError::Name(name.into()));
        }
        let (model, found, lts) = explored(system, &members, channel_bound, limits)?;

        // The new component is where the first member was.
        let place = members[0];
        let kept = system
            .components()
            .filter(|id| *id == place || members.binary_search(id).is_err());
        let kept: Vec<ComponentId> = kept.collect();
        let new_of = |id: ComponentId| {
            let id = members.binary_search(&id).map_or(id, |_| place);
            let at = kept.binary_search(&id);
            ComponentId::new(at.expect("what is not a member is kept"))
        };
        let component_of: Vec<ComponentId> = system.components().map(new_of).collect();
        let channels = system.channels().iter().map(|channel| Channel {
            from: channel.from.map(new_of),
            to: channel.to.map(new_of),
            ..channel.clone()
        });
        let channels: Arc<[Channel]> = channels.collect();
        let component = new_of(place);
        let mut shared = Labels::default();
        let mut machine = Machine::new(
            component,
            Arc::clone(&channels),
            lts.initial(),
            lts.states(),
        );
        for (source, label, target) in lts.iter() {
            let (_, transition) = &model.transitions()[label.index() - 1];
            let label = shared.get(&transition.label);
            machine.insert(Transition {
                source,
                label,
                target,
            });
        }
        let states = (0..lts.states()).map(|k| found.state(&model, StateId::from_index(k)));
        let states = states.collect();
        let components = kept.iter().map(|&id| match id == place {
            true => Component {
                name: name.to_owned(),
                machine: machine.clone(),
            },
            false => Component {
                name: system.component_name(id).to_owned(),
                machine: system.machine(id).moved(new_of(id), Arc::clone(&channels)),
            },
        });
        Ok(Self {
            system: System::new(system.name.clone(), components.collect(), channels.clone()),
            component,
            component_of,
            states,
        })
    }

    /// For each state of the new component by what it stands for, its number.
    pub fn numbers(&self) -> HashMap<&SystemState, StateId> {
        let states = self.states.iter().enumerate();
        states
            .map(|(k, state)| (state, StateId::from_index(k)))
            .collect()
    }
}
