//! Which rules of a network have to do with which of its components.

use std::collections::HashMap;

use hyades_formats::LabelId;

use super::super::NetworkModel;
use super::super::event::{Event, EventId, Events};

/// Which rules, components and guards have to do with each other.
pub(super) struct Dependence {
    pub components: Vec<Uses>,
    /// The components that guards look at.
    pub looks_at: HashMap<EventId, Vec<u32>>,
    /// How many rules there are.
    pub rules: usize,
}

/// What a component is used for.
#[derive(Default)]
pub(super) struct Uses {
    /// For each label, the first of its rules; and one more.
    starts: Vec<u32>,
    rules: Vec<u32>,
    /// The labels by which it may move in what did not become rules.
    pub elsewhere: Vec<bool>,
    /// The labels that guards look at.
    pub guarding: Vec<bool>,
    /// The rules whose guards look at it.
    pub readers: Vec<u32>,
    /// Whether guards of what did not become rules look at it.
    pub read_elsewhere: bool,
    /// For each state, how many uses of rules its transitions have.
    pub weight: Vec<u32>,
}

impl Uses {
    /// The rules that the component may move by with this label.
    pub fn rules(&self, label: LabelId) -> &[u32] {
        let start = self.starts[label.index()] as usize;
        &self.rules[start..self.starts[label.index() + 1] as usize]
    }
}

impl Dependence {
    pub fn new(model: &NetworkModel) -> Self {
        let network = model.network();
        let (events, set) = (network.events(), network.rules());
        let mut pairs: Vec<Vec<(LabelId, u32)>> = vec![Vec::new(); network.components().len()];
        let mut components: Vec<Uses> = (0..pairs.len())
            .map(|k| {
                let labels = network.file_of(k).lts.table().len();
                Uses {
                    elsewhere: vec![false; labels],
                    guarding: vec![false; labels],
                    ..Uses::default()
                }
            })
            .collect();
        let mut looks_at: HashMap<EventId, Vec<u32>> = HashMap::new();
        for (number, rule) in (0..).zip(&set.rules) {
            for &(k, label) in &rule.parts {
                pairs[k as usize].push((label, number));
            }
            for &guard in &rule.guards {
                let own = looks_at.entry(guard).or_insert_with(|| {
                    let mut own = Vec::new();
                    leaves(events, guard, true, &mut |k, label| {
                        own.push(k);
                        components[k as usize].guarding[label.index()] = true;
                    });
                    own.sort_unstable();
                    own.dedup();
                    own
                });
                for &k in &*own {
                    components[k as usize].readers.push(number);
                }
            }
        }
        for &(_, event) in &set.rest {
            leaves(events, event, false, &mut |k, label| {
                components[k as usize].elsewhere[label.index()] = true;
            });
            for part in events.parts_of(&[event], false) {
                if let Event::Unless { guard, .. } = *events.get(part) {
                    leaves(events, guard, true, &mut |k, label| {
                        components[k as usize].guarding[label.index()] = true;
                        components[k as usize].read_elsewhere = true;
                    });
                }
            }
        }
        for (k, (own, mut pairs)) in components.iter_mut().zip(pairs).enumerate() {
            pairs.sort_unstable();
            own.readers.dedup();
            let labels = own.elsewhere.len() as u32;
            own.starts = (0..=labels)
                .map(|label| pairs.partition_point(|pair| pair.0.get() < label) as u32)
                .collect();
            own.rules = pairs.into_iter().map(|pair| pair.1).collect();
            let table = model.transitions_of(k as u32);
            let states = network.file_of(k).lts.states() as u32;
            own.weight = (0..states)
                .map(|s| {
                    let uses = table.of(s).map(|(label, _)| own.rules(label).len() as u32);
                    uses.fold(0, u32::saturating_add)
                })
                .collect();
        }
        Self {
            components,
            looks_at,
            rules: set.rules.len(),
        }
    }

    /// What a component is used for.
    pub fn of(&self, component: usize) -> &Uses {
        &self.components[component]
    }
}

/// Calls `visit` with the labels of components that an event consists of; those
/// of guards within it if `guards` says so.
fn leaves(events: &Events, root: EventId, guards: bool, visit: &mut dyn FnMut(u32, LabelId)) {
    for part in events.parts_of(&[root], guards) {
        if let Event::Leaf { component, label } = *events.get(part) {
            visit(component, label);
        }
    }
}
