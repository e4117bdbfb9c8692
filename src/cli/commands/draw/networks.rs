//! The diagram of a network: who does what together.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use hyades_draw::{Diagram, Joint};
use hyades_formats::diagnostic::{counted, printable_string};
use hyades_formats::{LabelId, label};
use hyades_network::{Event, EventId, Network};

/// How many joints are drawn.
const MOST_JOINTS: usize = 400;

/// The components of a network, and for each set of components that do something together
/// the gates of it; the hidden action reads `hidden`. O(events + parts of rules).
pub fn diagram(network: &Network, title: String, hidden: &str) -> Diagram {
    let components = network.components().iter().enumerate();
    let components = components.map(|(number, component)| {
        let lts = &network.file_of(number).lts;
        vec![component.name.clone(), counted(lts.states(), "state")]
    });
    let mut joints: BTreeMap<(Vec<u32>, bool), BTreeSet<String>> = BTreeMap::new();
    for rule in &network.rules().rules {
        let parts: Vec<u32> = rule.parts.iter().map(|&(component, _)| component).collect();
        let gate = match rule.label.is_hidden() {
            true => rule
                .parts
                .iter()
                .map(|&(c, l)| own_gate(network, c, l, hidden))
                .next(),
            false => Some(gate(network.labels().text(rule.label))),
        };
        let gates = joints.entry((parts, rule.label.is_hidden())).or_default();
        gates.extend(gate);
    }
    for &(label, event) in &network.rules().rest {
        let (parts, own) = leaves(network, event, hidden);
        let gates = joints.entry((parts, label.is_hidden())).or_default();
        match label.is_hidden() {
            true => gates.extend(own),
            false => gates.extend([gate(network.labels().text(label))]),
        }
    }
    let mut told = Vec::new();
    if joints.len() > MOST_JOINTS {
        told.push(format!(
            "{} of {} sets of components that synchronise are drawn",
            MOST_JOINTS,
            joints.len()
        ));
    }
    let joints = joints.into_iter().take(MOST_JOINTS);
    let joints = joints.map(|((components, hidden), gates)| Joint {
        components,
        hidden,
        gates: gates.into_iter().collect(),
    });
    Diagram {
        title,
        components: components.collect(),
        joints: joints.collect(),
        told,
    }
}

fn gate(text: &[u8]) -> String {
    printable_string(label::gate(text))
}

/// What a component calls it.
fn own_gate(network: &Network, component: u32, label: LabelId, hidden: &str) -> String {
    let table = network.file_of(component as usize).lts.table();
    match label.is_hidden() {
        true => hidden.to_owned(),
        false => gate(table.text(label)),
    }
}

/// The components that an event is about, and what they call it.
fn leaves(network: &Network, root: EventId, hidden: &str) -> (Vec<u32>, BTreeSet<String>) {
    let (mut parts, mut gates) = (BTreeSet::new(), BTreeSet::new());
    let mut seen = HashSet::from([root]);
    let mut open = vec![root];
    while let Some(event) = open.pop() {
        let inner = match network.events().get(event) {
            Event::Leaf { component, label } => {
                parts.insert(*component);
                gates.insert(own_gate(network, *component, *label, hidden));
                continue;
            }
            Event::All(events) | Event::Any(events) | Event::Choose(_, events) => &events[..],
            Event::Unless { event, .. } => std::slice::from_ref(event),
        };
        open.extend(inner.iter().copied().filter(|&event| seen.insert(event)));
    }
    (parts.into_iter().collect(), gates)
}
