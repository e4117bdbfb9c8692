//! The texts of report SEN-R9918 read word for word, against the models: terms
//! instead of bits, a map of states instead of the explorer.

mod chatbox;
mod ring;
mod train;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Debug;
use std::hash::Hash;

use hyades_equivalence::Relation;
use hyades_equivalence::compare::compare;
use hyades_explore::{Limits, Model};
use hyades_formats::{Lts, LtsBuilder, StateId};
use hyades_lts::label_counts;

use crate::member::explored;

/// The LTS of a successor function.
fn search<S: Clone + Eq + Hash + Debug>(
    initial: S,
    mut successors: impl FnMut(&S) -> Vec<(String, S)>,
) -> Lts {
    let mut number = HashMap::from([(initial.clone(), 0)]);
    let mut states = vec![initial];
    let mut lts = LtsBuilder::new(1);
    let mut next = 0;
    while next < states.len() {
        for (label, target) in successors(&states[next]) {
            let fresh = states.len() as u32;
            let target = match number.entry(target) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    states.push(entry.key().clone());
                    lts.at_least(states.len() as u64);
                    *entry.insert(fresh)
                }
            };
            lts.add_text(next as u32, label.as_bytes(), target).unwrap();
        }
        next += 1;
    }
    lts.build(StateId::new(0)).unwrap()
}

/// As many states, as many transitions with each label, and bisimilar. Where
/// no two states are bisimilar, as in the chatboxes, that makes them the same.
fn assert_same(model: &impl Model, literal: Lts) {
    let lts = explored(model, Limits::default()).unwrap();
    assert_eq!(lts.states(), literal.states());
    let counts = |lts: &Lts| {
        let counts = label_counts(lts);
        let mut counts: Vec<_> = lts
            .table()
            .visible()
            .map(|(label, text)| (text.to_vec(), counts[label.index()]))
            .filter(|&(_, count)| count > 0)
            .collect();
        counts.sort();
        counts
    };
    assert_eq!(counts(&lts), counts(&literal));
    let verdict = compare(lts, literal, Relation::Strong).unwrap();
    assert!(verdict.holds());
}
