//! Regions (Kapus-Kolar 2010, section 4.2), and those of a change.

use std::collections::BTreeSet;

use hyades_formats::StateId;

use super::super::event::Transition;
use super::super::machine::Machine;
use super::Witness;

/// A part of a component that its walks may enter, traverse and leave.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Region {
    /// Its states, at least one.
    pub states: BTreeSet<StateId>,
    /// Its transitions, from one of its states to another or the same; may be empty.
    pub transitions: BTreeSet<Transition>,
    /// The states where walks may enter it, called initial states in the paper: at
    /// least those of its states that are initial in the component or are entered by a
    /// transition of the rest.
    pub entries: BTreeSet<StateId>,
    /// The states where walks may leave it or end, called final states in the paper: at
    /// least those of its states that are stable or left by a transition of the rest.
    pub exits: BTreeSet<StateId>,
}

/// What is known of a [`Region`]; the rest follows from the change.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PartialRegion {
    /// [`Region::states`].
    pub states: Option<BTreeSet<StateId>>,
    /// [`Region::transitions`].
    pub transitions: Option<BTreeSet<Transition>>,
    /// [`Region::entries`].
    pub entries: Option<BTreeSet<StateId>>,
    /// [`Region::exits`].
    pub exits: Option<BTreeSet<StateId>>,
}

/// The states that a machine has: those with transitions and the initial one.
pub(super) fn states_of(machine: &Machine) -> BTreeSet<StateId> {
    let ends = machine.transitions().flat_map(|t| [t.source, t.target]);
    ends.chain([machine.initial()]).collect()
}

fn ends(transitions: &BTreeSet<Transition>) -> impl Iterator<Item = StateId> + '_ {
    transitions.iter().flat_map(|t| [t.source, t.target])
}

impl Region {
    /// Whether walks may enter it at one of its states, from what the machine is.
    fn may_be_entered(&self, machine: &Machine, state: StateId) -> bool {
        state == machine.initial()
            || has(machine, state)
                && machine
                    .incoming(state)
                    .any(|t| !self.transitions.contains(&t))
    }

    /// Whether walks may leave it at one of its states or end there, from what the
    /// machine is.
    fn may_be_left(&self, machine: &Machine, state: StateId) -> bool {
        !has(machine, state)
            || machine.is_stable(state)
            || machine
                .outgoing(state)
                .any(|t| !self.transitions.contains(&t))
    }

    /// Why it is no region of the machine.
    pub(super) fn flaw(&self, machine: &Machine) -> Option<Witness> {
        let Self {
            states,
            transitions,
            entries,
            exits,
        } = self;
        let outside = |t: &&Transition| {
            !machine.contains(t) || !states.contains(&t.source) || !states.contains(&t.target)
        };
        if states.is_empty() {
            return Some(Witness::NoState);
        }
        if let Some(transition) = transitions.iter().find(outside) {
            return Some(Witness::Transition(transition.clone()));
        }
        let all = entries.union(exits);
        let missing = |&&state: &&StateId| {
            self.may_be_entered(machine, state) && !entries.contains(&state)
                || self.may_be_left(machine, state) && !exits.contains(&state)
        };
        let stray = all.copied().find(|state| !states.contains(state));
        let state = stray.or_else(|| states.iter().find(missing).copied());
        state.map(Witness::State)
    }
}

fn has(machine: &Machine, state: StateId) -> bool {
    state.index() < machine.states()
}

/// How wide a region is that follows from a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// Entries and exits are no more than they must be.
    Least,
    /// All states that both versions have are entries and exits.
    Most,
}

/// What makes out of a change two versions of a region.
pub(super) struct Derivation<'a> {
    machines: [&'a Machine; 2],
    parts: [&'a PartialRegion; 2],
    states: [BTreeSet<StateId>; 2],
    /// The transitions that only the one or the other has.
    differing: [BTreeSet<Transition>; 2],
    common: BTreeSet<Transition>,
}

impl<'a> Derivation<'a> {
    pub(super) fn new(machines: [&'a Machine; 2], parts: [&'a PartialRegion; 2]) -> Self {
        let [old, new] = machines.map(|m| m.transitions().collect::<BTreeSet<_>>());
        Self {
            machines,
            parts,
            states: machines.map(states_of),
            differing: [&old - &new, &new - &old],
            common: &old & &new,
        }
    }

    /// Sets of transitions that both versions have, with which the regions may be
    /// tried: none, those that leave a state where the region is entered or left by a
    /// transition that differs and where the component never has to wait, those of all
    /// such states, and all.
    pub(super) fn extensions(&self) -> Vec<BTreeSet<Transition>> {
        let mut extensions = vec![BTreeSet::new()];
        if self.parts.iter().any(|part| part.transitions.is_some()) {
            return extensions;
        }
        let touched: BTreeSet<StateId> = self.differing.iter().flat_map(ends).collect();
        let leaving = touched.into_iter().filter(|&state| {
            let unstable = |m: &&Machine| has(m, state) && !m.is_stable(state);
            self.machines.iter().all(unstable)
        });
        let leaving = leaving.map(|state| {
            let leaves = |t: &&Transition| t.source == state;
            self.common.iter().filter(leaves).cloned().collect()
        });
        let leaving: Vec<BTreeSet<Transition>> = leaving.collect();
        let all = leaving.iter().flatten().cloned().collect();
        extensions.extend(leaving);
        extensions.push(all);
        extensions.push(self.common.clone());
        let mut known = BTreeSet::new();
        extensions.retain(|extension| known.insert(extension.clone()));
        extensions
    }

    /// The two versions of the region that follow.
    pub(super) fn regions(&self, extension: &BTreeSet<Transition>, width: Width) -> [Region; 2] {
        let transitions = [0, 1].map(|k| {
            let [own, other] = [self.parts[k], self.parts[1 - k]].map(|p| p.transitions.as_ref());
            let more = || match other {
                Some(other) => &self.common & other,
                None => extension.clone(),
            };
            own.cloned().unwrap_or_else(|| &self.differing[k] | &more())
        });
        let mut states = [0, 1].map(|k| {
            if let Some(states) = &self.parts[k].states {
                return states.clone();
            }
            // What both machines have belongs to both versions of the region or none.
            let mut states: BTreeSet<StateId> = ends(&transitions[k]).collect();
            let shared: BTreeSet<StateId> = match &self.parts[1 - k].states {
                Some(other) => other.clone(),
                None => ends(&transitions[1 - k]).collect(),
            };
            states.extend(&self.states[k] & &shared);
            states.extend(&self.states[k] - &self.states[1 - k]);
            states
        });
        for k in [0, 1] {
            if states[k].is_empty() {
                states[k].insert(self.machines[k].initial());
            }
        }
        let in_both = &states[0] & &states[1];
        let mut regions = [0, 1].map(|k| Region {
            states: std::mem::take(&mut states[k]),
            transitions: transitions[k].clone(),
            ..Region::default()
        });
        let either = |needs: &dyn Fn(&Region, &Machine, StateId) -> bool| -> BTreeSet<StateId> {
            let pairs = regions.iter().zip(self.machines);
            let needed = pairs.flat_map(|(region, machine)| {
                let states = region.states.iter().copied();
                states.filter(move |&state| needs(region, machine, state))
            });
            let needed = needed.collect();
            match width {
                Width::Least => needed,
                Width::Most => &needed | &in_both,
            }
        };
        let entries = either(&Region::may_be_entered);
        let exits = either(&Region::may_be_left);
        let [old, new] = self.parts;
        for (k, region) in regions.iter_mut().enumerate() {
            let given = |own: &Option<BTreeSet<StateId>>, other: &Option<BTreeSet<StateId>>| {
                own.as_ref().or(other.as_ref()).cloned()
            };
            let (own, other) = if k == 0 { (old, new) } else { (new, old) };
            region.entries = given(&own.entries, &other.entries).unwrap_or(entries.clone());
            region.exits = given(&own.exits, &other.exits).unwrap_or(exits.clone());
        }
        regions
    }
}
