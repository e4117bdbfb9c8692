//! The definitions, word by word: what a system does.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyades_formats::StateId;

use super::super::*;

/// Larger systems are cut off.
pub(super) const MOST_STATES: usize = 800;

/// A state of a system: of each component, and what is in each channel.
pub(super) type State = (Vec<StateId>, BTreeMap<ChannelId, Queue>);

/// All there is to know of a system.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) states: BTreeSet<State>,
    pub(super) transitions: usize,
    pub(super) dead: BTreeSet<State>,
    pub(super) overflowing: BTreeSet<ChannelId>,
    pub(super) executed: BTreeSet<(ComponentId, Transition)>,
    /// Two transitions that a component executes one directly after the other.
    pub(super) pairs: BTreeSet<(Transition, Transition)>,
    /// Whether it was cut off somewhere because of too many messages or states.
    pub(super) is_cut: bool,
}

/// The state after a transition of a component, if it is enabled (section 2.6): all
/// receptions from link channels come first.
fn after(
    system: &System,
    (states, queues): &State,
    id: ComponentId,
    t: &Transition,
) -> Option<State> {
    if states[id.index()] != t.source {
        return None;
    }
    let (mut states, mut queues) = (states.clone(), queues.clone());
    let is_link = |event: &&Event| system.channel(event.channel).is_link();
    for event in t
        .label
        .iter()
        .filter(is_link)
        .filter(|event| event.is_reception())
    {
        let queue = queues.get_mut(&event.channel).unwrap();
        if queue.is_empty() || queue.remove(0) != event.message {
            return None;
        }
    }
    for event in t
        .label
        .iter()
        .filter(is_link)
        .filter(|event| event.is_transmission())
    {
        queues.get_mut(&event.channel).unwrap().push(event.message);
    }
    states[id.index()] = t.target;
    Some((states, queues))
}

/// The private channels that a transition overfills: its events happen in the order of
/// the label.
fn overfilled_by(system: &System, t: &Transition, contents: &Contents) -> BTreeSet<ChannelId> {
    let mut overflowing = BTreeSet::new();
    for (k, &channel) in contents.channels().iter().enumerate() {
        let mut held = contents.of(t.source).unwrap()[k].len();
        let capacity = system
            .channel(channel)
            .capacity
            .map_or(usize::MAX, |c| c as usize);
        let mut most = held;
        for event in t.label.iter().filter(|event| event.channel == channel) {
            held = if event.is_transmission() {
                held + 1
            } else {
                held - 1
            };
            most = most.max(held);
        }
        if most > capacity {
            overflowing.insert(channel);
        }
    }
    overflowing
}

/// Explores a system. `pairs_of` is the component whose consecutive transitions are
/// looked at: for that, states are told apart by its last transition.
pub(super) fn explore(
    system: &System,
    beyond: Beyond,
    bound: usize,
    pairs_of: Option<ComponentId>,
) -> Known {
    let contents: Vec<Contents> = system
        .components()
        .map(|id| system.contents(id).unwrap())
        .collect();
    let links = system
        .channels()
        .iter()
        .enumerate()
        .filter(|(_, channel)| channel.is_link());
    let links: Vec<ChannelId> = links.map(|(k, _)| ChannelId::new(k)).collect();
    let initial: State = (
        system.machines().iter().map(Machine::initial).collect(),
        links
            .iter()
            .map(|&channel| (channel, Queue::new()))
            .collect(),
    );
    let mut known = Known::default();
    let mut seen: BTreeSet<(State, Option<Transition>)> = BTreeSet::from([(initial.clone(), None)]);
    let mut counted: BTreeSet<(State, ComponentId, Transition)> = BTreeSet::new();
    let mut open = VecDeque::from([(initial, None)]);
    while let Some((state, last)) = open.pop_front() {
        known.states.insert(state.clone());
        if known.states.len() > MOST_STATES {
            known.is_cut = true;
            break;
        }
        let full = links.iter().filter(|c| {
            let capacity = system
                .channel(**c)
                .capacity
                .map_or(usize::MAX, |c| c as usize);
            state.1[*c].len() > capacity
        });
        let full: Vec<ChannelId> = full.copied().collect();
        known.overflowing.extend(full.iter().copied());
        if !full.is_empty() && beyond == Beyond::Stop {
            continue;
        }
        if state.1.values().any(|queue| queue.len() > bound) {
            known.is_cut = true;
            continue;
        }
        let mut is_dead = true;
        for id in system.components() {
            for t in system.machine(id).outgoing(state.0[id.index()]) {
                let Some(next) = after(system, &state, id, &t) else {
                    continue;
                };
                is_dead = false;
                known
                    .overflowing
                    .extend(overfilled_by(system, &t, &contents[id.index()]));
                known.executed.insert((id, t.clone()));
                counted.insert((state.clone(), id, t.clone()));
                let mut now = last.clone();
                if pairs_of == Some(id) {
                    if let Some(before) = last.clone() {
                        known.pairs.insert((before, t.clone()));
                    }
                    now = Some(t.clone());
                }
                if seen.insert((next.clone(), now.clone())) {
                    open.push_back((next, now));
                }
            }
        }
        if is_dead {
            known.dead.insert(state);
        }
    }
    known.transitions = counted.len();
    known
}

/// As the naive twin has it.
pub(super) fn state(model: &SystemModel<'_>, state: &SystemState) -> State {
    let queues = model.linked().zip(state.channels.iter().cloned());
    (state.components.clone(), queues.collect())
}
