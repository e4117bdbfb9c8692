//! Exchanges of values that move no state: each transition with one of the values has
//! its twin between the same states, and each rule its twin for the same components.
//! Of these, only labels with the values need be looked at.

use std::collections::HashSet;

use super::automorphisms::image_of;
use super::error::SymmetryError;
use super::parts::{Parts, PlainRule};

/// The labels that an exchange changes, ascending, with what they become.
pub(super) type Changes = Vec<(u32, u32)>;

/// What each exchange does to the labels that occur. Images that are new labels are
/// added; as they are in no component, they need no images.
///
/// O(length of the labels with the exchanged values), besides that of all labels.
///
/// # Errors
/// If an image is ambiguous.
pub(super) fn changes(
    parts: &mut Parts,
    exchanges: &[[u16; 2]],
) -> Result<Vec<Changes>, SymmetryError> {
    let by_value = parts.labels.by_value(parts.own_labels);
    let mut image: Vec<u16> = (0..parts.labels.values() as u16).collect();
    let mut changes = Vec::with_capacity(exchanges.len());
    for &values in exchanges {
        let [v, w] = values.map(usize::from);
        let mut labels = [&by_value[v][..], &by_value[w]].concat();
        labels.sort_unstable();
        labels.dedup();
        image.swap(v, w);
        let mut own = Changes::new();
        for label in labels {
            let permuted = parts.labels.permuted(label, &image)?;
            if permuted != label {
                own.push((label, permuted));
            }
        }
        image.swap(v, w);
        changes.push(own);
    }
    Ok(changes)
}

/// For each exchange whether it and all that it is linked with by common values, those of
/// its type, move no state and no component. Exchanges of one type are neighbours.
///
/// Such types can be left out of the choice of images: the identity fits whatever is
/// chosen for other types.
///
/// O(transitions and rules, and parts of those with the exchanged values, · log).
pub(super) fn still(parts: &Parts, exchanges: &[[u16; 2]], changes: &[Changes]) -> Vec<bool> {
    let twins = Twins::new(parts, changes);
    let mut map: Vec<u32> = (0..parts.own_labels as u32).collect();
    let mut is_still = Vec::with_capacity(exchanges.len());
    let mut from = 0;
    let linked = |a: &[u16; 2], b: &[u16; 2]| a.iter().any(|v| b.contains(v));
    for group in exchanges.chunk_by(linked) {
        let to = from + group.len();
        let own = changes[from..to]
            .iter()
            .all(|own| twins.has_all(own, &mut map));
        is_still.resize(to, own);
        from = to;
    }
    is_still
}

/// Where labels are that some exchange changes.
struct Twins<'p> {
    parts: &'p Parts,
    /// For each label: leaves with the sources and targets of transitions, sorted.
    transitions: Vec<Vec<(u32, u32, u32)>>,
    /// For each label the rules that it is in.
    rules: Vec<Vec<u32>>,
    known: HashSet<&'p PlainRule>,
}

impl<'p> Twins<'p> {
    fn new(parts: &'p Parts, changes: &[Changes]) -> Self {
        let mut is_changed = vec![false; parts.own_labels];
        for &(label, _) in changes.iter().flatten() {
            is_changed[label as usize] = true;
        }
        let mut transitions = vec![Vec::new(); parts.own_labels];
        for (number, leaf) in (0..).zip(&parts.leaves) {
            for (source, label, target) in leaf.lts.iter() {
                let label = leaf.number_of(label) as usize;
                if is_changed[label] {
                    transitions[label].push((number, source.get(), target.get()));
                }
            }
        }
        transitions.iter_mut().for_each(|own| own.sort_unstable());
        let mut rules: Vec<Vec<u32>> = vec![Vec::new(); parts.own_labels];
        for (number, rule) in (0..).zip(&parts.rules) {
            let labels = rule.parts.iter().map(|part| part.1).chain([rule.output]);
            for label in labels.filter(|&label| is_changed[label as usize]) {
                rules[label as usize].push(number);
            }
        }
        Self {
            parts,
            transitions,
            rules,
            known: parts.rules.iter().collect(),
        }
    }

    /// Whether all transitions and rules have twins by these changes; `map` is the
    /// identity, and is afterwards.
    fn has_all(&self, changes: &Changes, map: &mut [u32]) -> bool {
        let same = |&(label, image): &(u32, u32)| {
            let own = &self.transitions[label as usize];
            self.transitions.get(image as usize).unwrap_or(&Vec::new()) == own
        };
        if !changes.iter().all(same) {
            return false;
        }
        for &(label, image) in changes {
            map[label as usize] = image;
        }
        let mut rules = changes
            .iter()
            .flat_map(|change| &self.rules[change.0 as usize]);
        let all = rules.all(|&rule| {
            let image = image_of(&self.parts.rules[rule as usize], map, |component| component);
            self.known.contains(&image)
        });
        for &(label, _) in changes {
            map[label as usize] = label;
        }
        all
    }
}
