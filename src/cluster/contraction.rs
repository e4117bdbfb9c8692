//! A part whose states are nodes: sets of branching bisimilar states, without hidden cycles.

use hyades_base::bits::Bits;
use hyades_base::grouped::Grouped;

use crate::column::Column;
use crate::components::{HIDDEN, Nodes};
use crate::distinct::Distinct;
use crate::ghosts::tell;
use crate::part::{Part, Rows, room_for_places};
use crate::worker::{Worker, exchange};
use crate::{Error, wire};

/// A part whose states have the transitions of the nodes that they give their names to;
/// others have none.
pub(crate) struct Contracted {
    /// Rows without duplicates, ascending by labels and places of targets, so that hidden
    /// transitions come first; without hidden loops.
    pub part: Part,
    /// Which states are taken together.
    pub nodes: Nodes,
    /// The own states that can be reached.
    pub reached: Bits,
    /// Those that give a node its name.
    pub names: Bits,
    /// The sources of the hidden transitions to each place.
    pub hidden: Grouped<u32>,
    /// The label of the loops of nodes that diverge, if these are told: one that is not in
    /// the table.
    pub divergence: Option<u32>,
}

/// A transition between nodes: the place of the source, the label, and the target's number.
type Step = (u32, u32, u64);

impl Contracted {
    /// Moves the rows of states to those that give their nodes the names, wherever these
    /// are. The part is freed; 8 bytes a transition, 17 a state and 12 a ghost besides it and
    /// the result.
    ///
    /// # Errors
    /// If another worker is lost, or there is no room.
    pub fn new(
        worker: &mut dyn Worker,
        part: Part,
        reached: Bits,
        nodes: Nodes,
        divergence: bool,
    ) -> Result<Self, Error> {
        let states = part.states();
        let own = part.ranges.of(part.index);
        let divergence = divergence.then_some(part.table.len() as u32);
        // Names are asked for several times for each transition.
        let mut own_names = Column::new(states);
        for state in 0..states as u32 {
            own_names.set(state as usize, nodes.name(&part, state));
        }
        let is_renamed = |state: &u32| own_names.get(*state as usize) != part.global(*state);
        let renamed: Vec<u32> = (0..states as u32).filter(is_renamed).collect();
        let mut ghost_names = part.ghosts.clone();
        tell(
            worker,
            &part,
            Some(&renamed),
            [],
            |packet, state| wire::put_state(packet, own_names.get(state)),
            |ghost, records| {
                ghost_names[ghost] = records.state()?;
                Ok(())
            },
        )?;
        let mut names = reached.clone();
        renamed.iter().for_each(|&state| names.remove(state));
        drop(renamed);
        let name = |place: u32| match (place as usize).checked_sub(states) {
            None => own_names.get(place as usize),
            Some(ghost) => ghost_names[ghost],
        };
        // The transitions between nodes, of which those to move are told others.
        let steps = |state: u32| {
            let source = name(state);
            let (labels, targets) = part.row(state as usize);
            let row = labels.iter().zip(targets);
            row.filter_map(move |(&label, &target)| {
                let is_inert = label == HIDDEN && name(target) == source;
                (!is_inert).then_some((label, target))
            })
        };
        let mut lengths = vec![0u32; states];
        let mut is_used = Bits::new(states + part.ghosts.len());
        let mut moved: Distinct<Step> = Distinct::default();
        exchange(
            worker,
            |outbox| {
                for state in reached.iter() {
                    let source = name(state);
                    if own.contains(&source) {
                        let length = &mut lengths[(source - own.start) as usize];
                        for (_, target) in steps(state) {
                            *length += 1;
                            is_used.insert(target);
                        }
                        continue;
                    }
                    let to = part.ranges.owner(source);
                    for (label, target) in steps(state) {
                        outbox.record(to, |packet| {
                            wire::put_state(packet, source);
                            wire::put_u32(packet, label);
                            wire::put_state(packet, name(target));
                        })?;
                    }
                }
                Ok(())
            },
            |_, records| {
                while !records.is_empty() {
                    let (source, label, target) =
                        (records.state()?, records.u32()?, records.state()?);
                    if !own.contains(&source) || target >= part.ranges.states() {
                        return Err(Error::Packet);
                    }
                    moved.push(((source - own.start) as u32, label, target));
                }
                Ok(())
            },
        )?;
        let moved = moved.into_sorted();
        let mut ghosts: Vec<u64> = is_used
            .iter()
            .map(name)
            .chain(moved.iter().map(|step| step.2))
            .filter(|target| !own.contains(target))
            .collect();
        ghosts.sort_unstable();
        ghosts.dedup();
        ghosts.shrink_to_fit();
        room_for_places(states as u64, &ghosts)?;
        let place = |target: u64| match own.contains(&target) {
            true => (target - own.start) as u32,
            // It was collected above.
            false => (states + ghosts.partition_point(|&ghost| ghost < target)) as u32,
        };
        let mut places = vec![0; states + part.ghosts.len()];
        for target in is_used.iter() {
            places[target as usize] = place(name(target));
        }
        drop(is_used);
        moved.iter().for_each(|step| lengths[step.0 as usize] += 1);
        let is_diverging = |state: u32| divergence.is_some() && nodes.diverging.contains(state);
        let mut offsets = Vec::with_capacity(states + 1);
        let mut total = 0;
        for (state, &length) in (0..).zip(&lengths) {
            offsets.push(total);
            total += u64::from(length) + u64::from(is_diverging(state));
        }
        offsets.push(total);
        drop(lengths);
        let mut rows = Rows {
            labels: vec![0; total as usize],
            targets: vec![0; total as usize],
            offsets: offsets.clone(),
        };
        let mut push = |source: u32, label: u32, target: u32| {
            let next = &mut offsets[source as usize];
            rows.labels[*next as usize] = label;
            rows.targets[*next as usize] = target;
            *next += 1;
        };
        for state in reached.iter() {
            let source = name(state);
            if own.contains(&source) {
                for (label, target) in steps(state) {
                    push((source - own.start) as u32, label, places[target as usize]);
                }
            }
        }
        for &(source, label, target) in &moved {
            push(source, label, place(target));
        }
        if let Some(label) = divergence {
            nodes
                .diverging
                .iter()
                .for_each(|state| push(state, label, state));
        }
        drop((places, moved, own_names, ghost_names, offsets));
        let (ranges, initial) = (part.ranges.clone(), part.initial);
        let table = part.table.clone();
        drop(part);
        finish(&mut rows);
        let part = Part::with_ghosts(worker, ranges, initial, table, rows, ghosts)?;
        let steps = names.iter().flat_map(|state| {
            let targets = hidden_targets(&part, state).iter();
            targets.map(move |&target| (target, state))
        });
        let hidden = Grouped::new(states + part.ghosts.len(), steps);
        Ok(Self {
            nodes,
            reached,
            names,
            hidden,
            divergence,
            part,
        })
    }
}

/// The targets of the hidden transitions of a state, in a row in which these come first.
#[inline]
pub(crate) fn hidden_targets(part: &Part, state: u32) -> &[u32] {
    let (labels, targets) = part.row(state as usize);
    &targets[..labels.partition_point(|&label| label == HIDDEN)]
}

/// Sorts each row, and leaves duplicates out.
fn finish(rows: &mut Rows) {
    let Rows {
        offsets,
        labels,
        targets,
    } = rows;
    let mut row: Vec<u64> = Vec::new();
    let mut kept = 0;
    let mut start = 0;
    for end in &mut offsets[1..] {
        let range = start..*end as usize;
        row.clear();
        let steps = labels[range.clone()].iter().zip(&targets[range.clone()]);
        row.extend(steps.map(|(&label, &target)| u64::from(label) << 32 | u64::from(target)));
        row.sort_unstable();
        row.dedup();
        for &step in &row {
            labels[kept] = (step >> 32) as u32;
            targets[kept] = step as u32;
            kept += 1;
        }
        start = range.end;
        *end = kept as u64;
    }
    labels.truncate(kept);
    targets.truncate(kept);
    labels.shrink_to_fit();
    targets.shrink_to_fit();
}
