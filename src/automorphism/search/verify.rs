//! Whether permutations are symmetries.

use hyades_equivalence::strong_partition;
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, StateId, TooLarge};
use hyades_lts::union::disjoint_union;
use rayon::prelude::*;

use super::super::alphabet::System;
use super::NONE;

/// Whether each transition is mapped to one. The maps are permutations, so that
/// as many transitions of each state are enough for all of them to be images.
pub(super) fn is_symmetry(system: &System, labels: &[u32], states: &[u32]) -> bool {
    (0..system.states() as u32)
        .into_par_iter()
        .with_min_len(1 << 10)
        .all(|p| {
            let q = states[p as usize];
            let row = system.row(p);
            row.len() == system.row(q).len()
                && row.into_iter().all(|k| {
                    let label = labels[system.labels[k] as usize];
                    system.has(q, label, states[system.targets[k] as usize])
                })
        })
}

/// The images of the states, from a partition of the system beside the one with
/// other labels; `None` if the initial state does not go to `initial`.
pub(super) fn states_by_refinement(
    system: &System,
    labels: &[u32],
    initial: u32,
) -> Result<Option<Vec<u32>>, TooLarge> {
    let union = disjoint_union(
        relabelled(system, labels)?,
        relabelled(system, &(0..labels.len() as u32).collect::<Vec<_>>())?,
    )?;
    let partition = strong_partition(&union.lts);
    let (before, after) = partition.classes().split_at(system.states());
    // The system is minimal: no class has two of its states.
    let mut in_class = vec![NONE; partition.count()];
    for (q, &class) in after.iter().enumerate() {
        in_class[class as usize] = q as u32;
    }
    let states: Vec<u32> = before.iter().map(|&c| in_class[c as usize]).collect();
    let found = states[system.initial as usize] == initial && !states.contains(&NONE);
    Ok(found.then_some(states))
}

/// The system as an LTS with other labels, each known by its number.
fn relabelled(system: &System, labels: &[u32]) -> Result<Lts, TooLarge> {
    let mut table = LabelTable::new();
    let mut ids = vec![LabelId::HIDDEN];
    for label in 1..labels.len() {
        ids.push(table.intern(label.to_string().as_bytes())?);
    }
    let id = |label: &u32| ids[labels[*label as usize] as usize];
    Ok(Lts::from_parts(LtsParts {
        initial: StateId::new(system.initial),
        offsets: system.offsets.clone(),
        labels: system.labels.iter().map(id).collect(),
        targets: system.targets.iter().map(|&t| StateId::new(t)).collect(),
        table,
    }))
}
