//! What of a network can ever happen, as far as its components tell one by one.

use std::collections::HashMap;

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};

use super::error::SymmetryError;
use crate::Network;

/// A file, and which of its labels a component takes, sorted.
pub(super) type Use = (usize, Vec<LabelId>);

/// The rules that may apply, and what they use of components.
pub(super) struct Live {
    /// Numbers of rules, ascending.
    pub rules: Vec<usize>,
    /// The use of each component.
    pub uses: Vec<Use>,
}

impl Live {
    /// Leaves out rules of which a component never has the label, and labels of
    /// components that are in no rule, until nothing changes: such a transition never
    /// happens, and what is behind it may be out of reach. Hidden transitions are in
    /// rules as others are.
    ///
    /// O(size of the files) a round, of which there is one more than rules are left out
    /// in turn; components that use the same labels of a file count once.
    pub fn of(network: &Network) -> Self {
        let all = &network.rules().rules;
        let mut rules: Vec<usize> = (0..all.len()).collect();
        let mut known: HashMap<Use, Vec<bool>> = HashMap::new();
        loop {
            let components = network.components().iter();
            let mut uses: Vec<Use> = components.map(|c| (c.file, Vec::new())).collect();
            for &rule in &rules {
                for &(component, label) in &all[rule].parts {
                    uses[component as usize].1.push(label);
                }
            }
            for (_, labels) in &mut uses {
                labels.sort_unstable();
                labels.dedup();
            }
            for usage in &uses {
                if !known.contains_key(usage) {
                    let (file, labels) = usage;
                    let lts = &network.files()[*file].lts;
                    known.insert(usage.clone(), taken(lts, labels));
                }
            }
            let takes: Vec<&Vec<bool>> = uses.iter().map(|own| &known[own]).collect();
            let before = rules.len();
            rules.retain(|&rule| {
                let mut parts = all[rule].parts.iter();
                parts.all(|&(component, label)| takes[component as usize][label.index()])
            });
            if rules.len() == before {
                return Self { rules, uses };
            }
        }
    }
}

/// Whether each label of the table is taken on ways by these labels only.
fn taken(lts: &Lts, labels: &[LabelId]) -> Vec<bool> {
    let is_used = marked(lts, labels);
    let mut taken = vec![false; is_used.len()];
    let mut seen = vec![false; lts.states()];
    let mut open = vec![lts.initial()];
    seen[lts.initial().index()] = true;
    while let Some(state) = open.pop() {
        for (label, target) in lts.outgoing(state) {
            if !is_used[label.index()] {
                continue;
            }
            taken[label.index()] = true;
            if !std::mem::replace(&mut seen[target.index()], true) {
                open.push(target);
            }
        }
    }
    taken
}

/// Whether each label of the table is one of these.
fn marked(lts: &Lts, labels: &[LabelId]) -> Vec<bool> {
    let mut is_marked = vec![false; lts.table().len()];
    labels.iter().for_each(|l| is_marked[l.index()] = true);
    is_marked
}

/// The transitions with these labels, by the same states and the same table.
///
/// # Errors
/// None but those of building what was built before.
pub(super) fn cut(lts: &Lts, labels: &[LabelId]) -> Result<Lts, SymmetryError> {
    let is_used = marked(lts, labels);
    if lts.labels().iter().all(|l| is_used[l.index()]) {
        return Ok(lts.clone());
    }
    let mut builder = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
    let kept = lts.iter().filter(|(_, label, _)| is_used[label.index()]);
    kept.for_each(|(source, label, target): (StateId, _, _)| {
        builder.add(source, label, target);
    });
    Ok(builder.build(lts.initial())?)
}
