//! What exploring a system finds: dead states, overfilled channels, what is never
//! executed.

use std::ops::ControlFlow;

use hyades_explore::{
    ExploreError, ExploreOptions, Limits, Model, Outcome, ProgressCallback, Sink, States,
    explore_states,
};
use hyades_formats::{LabelId, LabelTable, Rows, StateId};

use super::event::ChannelId;
use super::model::{Beyond, SystemModel, SystemState};

/// What was found by [`analyse`].
#[derive(Debug)]
pub struct Analysis {
    /// How the exploration ended.
    pub outcome: Outcome,
    /// States found.
    pub states: u64,
    /// Transitions found.
    pub transitions: u64,
    /// The largest distance of a state from the initial one.
    pub depth: u32,
    /// The dead states, in order of discovery: nothing is enabled in them.
    pub dead: Vec<StateId>,
    /// The channels that are overfilled, ascending, each with the nearest place where
    /// it is.
    pub overflowing: Vec<(ChannelId, Sight)>,
    /// The channels that came to hold more than the bound of
    /// [`Semantics`](super::Semantics), and a nearest state where they do: beyond it
    /// nothing is known.
    pub truncated: Vec<(ChannelId, StateId)>,
    /// Whether each of [`SystemModel::transitions`] was executed.
    pub executed: Vec<bool>,
    parents: Vec<(StateId, u32)>,
    packed: States,
}

/// Where something was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sight {
    /// A state.
    pub state: StateId,
    /// A transition that leaves it, by its number in [`SystemModel::transitions`], if
    /// it happens on the way.
    pub transition: Option<u32>,
}

impl Analysis {
    /// Whether all states and transitions have been seen that can be reached without
    /// going beyond an overfilled channel.
    pub fn is_complete(&self) -> bool {
        self.outcome == Outcome::Complete && self.truncated.is_empty()
    }

    /// The first link that is overfilled, beyond which nothing was explored, if the model
    /// stops there.
    pub fn stopped_by(&self, model: &SystemModel<'_>) -> Option<ChannelId> {
        let mut links = self.overflowing.iter().map(|(channel, _)| *channel);
        let first = links.find(|channel| model.system().channel(*channel).is_link());
        first.filter(|_| model.semantics().beyond == Beyond::Stop)
    }

    /// Whether a channel holds more than the bound in a state.
    pub(super) fn is_truncated(&self, model: &SystemModel<'_>, state: StateId) -> bool {
        model
            .truncated(self.packed.get(state.index()))
            .next()
            .is_some()
    }

    /// What a state of the model is.
    pub fn state(&self, model: &SystemModel<'_>, state: StateId) -> SystemState {
        model.decode(self.packed.get(state.index()))
    }

    /// The transitions of a shortest way to a state, by their numbers.
    pub fn way_to(&self, state: StateId) -> Vec<u32> {
        let mut way = Vec::new();
        let mut at = state;
        while at != StateId::new(0) {
            let (source, transition) = self.parents[at.index()];
            way.push(transition);
            at = source;
        }
        way.reverse();
        way
    }

    /// The transitions of a shortest way to a sight, the one on which it happens last.
    pub fn way_to_sight(&self, sight: Sight) -> Vec<u32> {
        let mut way = self.way_to(sight.state);
        way.extend(sight.transition);
        way
    }
}

/// Where the state space goes.
pub struct Labelled<'a> {
    /// What takes it.
    pub sink: &'a mut dyn Sink,
    /// Its labels.
    pub table: &'a LabelTable,
    /// Which of them each of [`SystemModel::transitions`] has.
    pub labels: &'a [LabelId],
}

hyades_base::opaque!(Labelled<'_>);

/// Explores a system, whatever the semantics of its model, and tells what there is.
/// States are numbered in order of discovery.
///
/// Time and memory are those of [`explore`](hyades_explore::explore) and 8 bytes a
/// state.
///
/// # Errors
/// If there are too many states.
pub fn analyse<'a>(
    model: &SystemModel<'_>,
    limits: Limits,
    progress: Option<&'a mut ProgressCallback<'a>>,
    sink: Option<Labelled<'a>>,
) -> Result<Analysis, ExploreError> {
    analyse_as(model, model, limits, progress, sink)
}

/// As [`analyse`], but what is explored is another model with the states and labels of
/// this one and some of its transitions, at least one in each state that has any.
pub(super) fn analyse_as<'a>(
    model: &SystemModel<'_>,
    explored: &impl Model,
    limits: Limits,
    progress: Option<&'a mut ProgressCallback<'a>>,
    sink: Option<Labelled<'a>>,
) -> Result<Analysis, ExploreError> {
    let system = model.system();
    let contents: Vec<_> = system
        .components()
        .map(|id| system.contents(id).ok())
        .collect();
    let overfilling = model.transitions().iter().map(|(id, transition)| {
        let machine = system.machine(*id);
        let contents = contents[id.index()].as_ref();
        contents.map_or_else(Vec::new, |contents| {
            contents.overflowing(machine, transition.source, &transition.label)
        })
    });
    let mut watch = Watch {
        overfilling: overfilling.collect(),
        overflowing: Vec::new(),
        executed: vec![false; model.transitions().len()],
        parents: vec![(StateId::new(0), 0)],
        empty: Vec::new(),
        is_open: false,
        sink,
        mapped: Vec::new(),
    };
    let search = ExploreOptions {
        limits,
        progress,
        ..ExploreOptions::default()
    };
    let (found, states) = explore_states(explored, search, &mut watch)?;
    // With a limit, the last rows may be missing.
    let explored = found.explored as usize;
    let mut dead = Vec::new();
    let mut nearest: Vec<Option<Sight>> = vec![None; system.channels().len()];
    let mut truncated: Vec<Option<StateId>> = vec![None; system.channels().len()];
    for (channel, sight) in watch.overflowing {
        nearest[channel.index()] = Some(sight);
    }
    let stops = model.semantics().beyond == Beyond::Stop;
    let mut empty = watch.empty.into_iter().peekable();
    let mut look = |number: usize, nothing_follows: bool| {
        let state = StateId::from_index(number);
        let words = states.get(number);
        let mut may_be_dead = nothing_follows;
        for channel in model.overflowing(words) {
            may_be_dead &= !stops;
            nearest[channel.index()].get_or_insert(Sight {
                state,
                transition: None,
            });
        }
        for channel in model.truncated(words) {
            may_be_dead = false;
            truncated[channel.index()].get_or_insert(state);
        }
        if may_be_dead {
            dead.push(state);
        }
    };
    // Where the search goes on, nothing is overfilled, or it does not matter.
    match stops {
        true => {
            for number in empty {
                look(number as usize, true);
            }
            for number in explored..states.len() {
                look(number, false);
            }
        }
        false => {
            for number in 0..states.len() {
                look(number, empty.next_if_eq(&(number as u32)).is_some());
            }
        }
    }
    Ok(Analysis {
        outcome: found.outcome,
        states: found.states,
        transitions: found.transitions,
        depth: found.depth,
        dead,
        overflowing: seen(nearest),
        truncated: seen(truncated),
        executed: watch.executed,
        parents: watch.parents,
        packed: states,
    })
}

/// What was seen of channels, by their numbers.
fn seen<T>(of_channels: Vec<Option<T>>) -> Vec<(ChannelId, T)> {
    let numbered = of_channels.into_iter().enumerate();
    numbered
        .filter_map(|(k, what)| Some((ChannelId::new(k), what?)))
        .collect()
}

/// Looks at the rows as they come.
struct Watch<'a> {
    /// The private channels that each transition overfills.
    overfilling: Vec<Vec<ChannelId>>,
    overflowing: Vec<(ChannelId, Sight)>,
    executed: Vec<bool>,
    parents: Vec<(StateId, u32)>,
    /// States without transitions, ascending.
    empty: Vec<u32>,
    /// Whether the row that is next has had transitions already.
    is_open: bool,
    sink: Option<Labelled<'a>>,
    mapped: Vec<Vec<LabelId>>,
}

impl Watch<'_> {
    fn see(&mut self, rows: &Rows<'_>) {
        for (source, label, target) in rows.iter() {
            let transition = label.get() - 1;
            if target.index() == self.parents.len() {
                self.parents.push((source, transition));
            }
            let executed = &mut self.executed[transition as usize];
            if !std::mem::replace(executed, true) {
                for &channel in &self.overfilling[transition as usize] {
                    if self.overflowing.iter().all(|(other, _)| *other != channel) {
                        let sight = Sight {
                            state: source,
                            transition: Some(transition),
                        };
                        self.overflowing.push((channel, sight));
                    }
                }
            }
        }
        let mut begin = 0;
        for (row, end) in rows.ends.iter().enumerate() {
            if end == begin && !self.is_open {
                self.empty.push(rows.first.get() + row as u32);
            }
            self.is_open = false;
            begin = end;
        }
        self.is_open |= begin != rows.labels.len();
    }
}

impl Sink for Watch<'_> {
    fn take(&mut self, rows: &[Rows<'_>], _: &LabelTable) -> ControlFlow<()> {
        for part in rows {
            self.see(part);
        }
        let Some(Labelled {
            sink,
            table,
            labels: map,
        }) = &mut self.sink
        else {
            return ControlFlow::Continue(());
        };
        self.mapped.clear();
        for part in rows {
            let labels = part.labels.iter().map(|label| map[label.index() - 1]);
            self.mapped.push(labels.collect());
        }
        let mapped = rows.iter().zip(&self.mapped);
        let mapped: Vec<Rows<'_>> = mapped
            .map(|(part, labels)| Rows { labels, ..*part })
            .collect();
        sink.take(&mapped, table)
    }

    fn peak(&self, rows: usize, transitions: usize) -> usize {
        let own = 8 * (self.parents.len() + transitions) + 4 * transitions;
        own + self
            .sink
            .as_ref()
            .map_or(0, |goal| goal.sink.peak(rows, transitions))
    }
}
