//! What products leave behind: files of no component, rules without events.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, Offsets, StateId};

use super::super::Network;
use super::super::components::ComponentFile;
use super::super::event::EventId;

/// Frees the files that no component is of any more; they keep their numbers.
pub(super) fn drop_unused(network: &mut Network) {
    let mut used = vec![false; network.files.len()];
    for component in &network.components {
        used[component.file] = true;
    }
    for (file, used) in network.files.iter_mut().zip(used) {
        if !used && !is_dropped(file) {
            let lts = Lts::from_parts(LtsParts {
                initial: StateId::new(0),
                offsets: Offsets::from_lengths([0]),
                labels: Vec::new(),
                targets: Vec::new(),
                table: LabelTable::new(),
            });
            *file = Arc::new(ComponentFile::new(b"", PathBuf::new(), lts));
        }
    }
}

/// Whether a file was freed.
pub(super) fn is_dropped(file: &ComponentFile) -> bool {
    file.written.is_empty()
}

/// The network without files that were freed, and with events for all rules.
pub(super) fn collect_garbage(mut network: Network) -> Network {
    let mut number = Vec::new();
    let mut files = Vec::new();
    for file in std::mem::take(&mut network.files) {
        number.push(files.len());
        if !is_dropped(&file) {
            files.push(file);
        }
    }
    network.files = files;
    for component in &mut network.components {
        component.file = number[component.file];
    }
    let mut alternatives: BTreeMap<LabelId, Vec<EventId>> = BTreeMap::new();
    for rule in &network.rules.rules {
        let leaves = rule.parts.iter();
        let leaves = leaves.map(|&(k, label)| network.events.leaf(k, label));
        let leaves = leaves.collect();
        let mut event = network.events.all(leaves);
        for &guard in &rule.guards {
            event = network.events.unless(event, guard);
        }
        alternatives.entry(rule.label).or_default().push(event);
    }
    for &(label, event) in &network.rules.rest {
        alternatives.entry(label).or_default().push(event);
    }
    network.roots = Vec::new();
    for (label, events) in alternatives {
        match label.is_hidden() {
            true => network.roots.extend(events.into_iter().map(|e| (label, e))),
            false => network.roots.push((label, network.events.any(events))),
        }
    }
    network
}
