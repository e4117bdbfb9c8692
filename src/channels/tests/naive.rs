//! The definitions, word by word: what a system does.

use std::collections::{BTreeSet, VecDeque};

use hyades_formats::StateId;

use super::super::*;

/// Larger systems are cut off.
pub(super) const MOST_STATES: usize = 800;

/// A state of a system: of each component, and what is in each link channel, in order.
pub(super) type State = (Vec<StateId>, Vec<(ChannelId, Queue)>);

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

/// What is in a link channel.
fn queue(queues: &mut [(ChannelId, Queue)], channel: ChannelId) -> &mut Queue {
    let mut queues = queues.iter_mut();
    let found = queues.find(|(known, _)| *known == channel);
    &mut found.expect("a link channel has a queue").1
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
        let queue = queue(&mut queues, event.channel);
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
        queue(&mut queues, event.channel).push(event.message);
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
    let channels = system.channels().iter().enumerate();
    let links = channels.filter(|(_, channel)| channel.is_link());
    let initial: State = (
        system.machines().iter().map(Machine::initial).collect(),
        links
            .map(|(k, _)| (ChannelId::new(k), Queue::new()))
            .collect(),
    );
    let mut known = Known::default();
    let mut seen: BTreeSet<(State, Option<Transition>)> = BTreeSet::from([(initial.clone(), None)]);
    let mut open = VecDeque::from([(initial, None)]);
    while let Some((state, last)) = open.pop_front() {
        let is_new = known.states.insert(state.clone());
        if known.states.len() > MOST_STATES {
            known.is_cut = true;
            break;
        }
        let full = state.1.iter().filter(|(c, queue)| {
            let capacity = system.channel(*c).capacity;
            queue.len() > capacity.map_or(usize::MAX, |c| c as usize)
        });
        let full: Vec<ChannelId> = full.map(|(c, _)| *c).collect();
        known.overflowing.extend(full.iter().copied());
        if !full.is_empty() && beyond == Beyond::Stop {
            continue;
        }
        if state.1.iter().any(|(_, queue)| queue.len() > bound) {
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
                known.transitions += usize::from(is_new);
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
    known
}

/// As the naive twin has it.
pub(super) fn state(model: &SystemModel<'_>, state: &SystemState) -> State {
    let queues = model.linked().zip(state.channels.iter().cloned());
    (state.components.clone(), queues.collect())
}
