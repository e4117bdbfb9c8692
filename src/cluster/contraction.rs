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

/// What moves the rows of states to the nodes.
struct Contraction<'a> {
    part: &'a Part,
    reached: &'a Bits,
    /// The names of the nodes of own states, which are asked for several times for each
    /// transition.
    own_names: Column,
    /// Those of ghosts.
    ghost_names: Vec<u64>,
}

/// The rows of nodes, as they are known before it is known which ghosts there are.
struct Moved {
    /// How many transitions own states have to give to each node of this worker.
    lengths: Vec<u32>,
    /// The places that these lead to.
    is_used: Bits,
    /// Those of other workers' states, ascending.
    steps: Vec<Step>,
}

impl<'a> Contraction<'a> {
    /// Tells others the names of their ghosts. With the own states that give nodes their names.
    fn new(
        worker: &mut dyn Worker,
        part: &'a Part,
        reached: &'a Bits,
        nodes: &Nodes,
    ) -> Result<(Self, Bits), Error> {
        let states = part.states() as u32;
        let mut own_names = Column::new(part.states());
        for state in 0..states {
            own_names.set(state as usize, nodes.name(part, state));
        }
        let is_renamed = |state: &u32| own_names.get(*state as usize) != part.global(*state);
        let renamed: Vec<u32> = (0..states).filter(is_renamed).collect();
        let mut ghost_names = part.ghosts.clone();
        tell(
            worker,
            part,
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
        let contraction = Self {
            part,
            reached,
            own_names,
            ghost_names,
        };
        Ok((contraction, names))
    }

    /// The name of the node of an own state or a ghost.
    #[inline]
    fn name(&self, place: u32) -> u64 {
        match (place as usize).checked_sub(self.part.states()) {
            None => self.own_names.get(place as usize),
            Some(ghost) => self.ghost_names[ghost],
        }
    }

    /// The transitions of an own state but for hidden ones within its node: labels, and places
    /// of targets.
    fn steps(&self, state: u32) -> impl Iterator<Item = (u32, u32)> {
        let source = self.name(state);
        let (labels, targets) = self.part.row(state as usize);
        let row = labels.iter().zip(targets);
        row.filter_map(move |(&label, &target)| {
            let is_inert = label == HIDDEN && self.name(target) == source;
            (!is_inert).then_some((label, target))
        })
    }

    /// Tells others the transitions of their nodes, and counts those of own ones.
    fn moved(&self, worker: &mut dyn Worker) -> Result<Moved, Error> {
        let part = self.part;
        let own = part.ranges.of(part.index);
        let mut lengths = vec![0u32; part.states()];
        let mut is_used = Bits::new(part.states() + part.ghosts.len());
        let mut moved: Distinct<Step> = Distinct::default();
        exchange(
            worker,
            |outbox| {
                for state in self.reached.iter() {
                    let source = self.name(state);
                    if own.contains(&source) {
                        let length = &mut lengths[(source - own.start) as usize];
                        for (_, target) in self.steps(state) {
                            *length += 1;
                            is_used.insert(target);
                        }
                        continue;
                    }
                    let to = part.ranges.owner(source);
                    for (label, target) in self.steps(state) {
                        outbox.record(to, |packet| {
                            wire::put_state(packet, source);
                            wire::put_u32(packet, label);
                            wire::put_state(packet, self.name(target));
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
        Ok(Moved {
            lengths,
            is_used,
            steps: moved.into_sorted(),
        })
    }

    /// The ghosts of the nodes, ascending.
    ///
    /// # Errors
    /// If there is no room for so many.
    fn ghosts(&self, moved: &Moved) -> Result<Vec<u64>, Error> {
        let own = self.part.ranges.of(self.part.index);
        let used = moved.is_used.iter().map(|place| self.name(place));
        let mut ghosts: Vec<u64> = used
            .chain(moved.steps.iter().map(|step| step.2))
            .filter(|target| !own.contains(target))
            .collect();
        ghosts.sort_unstable();
        ghosts.dedup();
        ghosts.shrink_to_fit();
        room_for_places(self.part.states() as u64, &ghosts)?;
        Ok(ghosts)
    }

    /// The rows of nodes with these ghosts; and the loops of this label of those that diverge,
    /// if these are told.
    fn rows(self, moved: Moved, ghosts: &[u64], diverging: Option<(u32, &Bits)>) -> Rows {
        let part = self.part;
        let states = part.states();
        let own = part.ranges.of(part.index);
        let Moved {
            mut lengths,
            is_used,
            steps: moved,
        } = moved;
        let place = |target: u64| match own.contains(&target) {
            true => (target - own.start) as u32,
            // It was collected above.
            false => (states + ghosts.partition_point(|&ghost| ghost < target)) as u32,
        };
        let mut places = vec![0; states + part.ghosts.len()];
        for target in is_used.iter() {
            places[target as usize] = place(self.name(target));
        }
        drop(is_used);
        moved.iter().for_each(|step| lengths[step.0 as usize] += 1);
        let is_diverging = |state| diverging.is_some_and(|(_, nodes)| nodes.contains(state));
        let mut filling = Filling::new(lengths, is_diverging);
        for state in self.reached.iter() {
            let source = self.name(state);
            if own.contains(&source) {
                for (label, target) in self.steps(state) {
                    let source = (source - own.start) as u32;
                    filling.push(source, label, places[target as usize]);
                }
            }
        }
        for &(source, label, target) in &moved {
            filling.push(source, label, place(target));
        }
        if let Some((label, nodes)) = diverging {
            nodes
                .iter()
                .for_each(|state| filling.push(state, label, state));
        }
        filling.rows
    }
}

/// Rows that are being filled.
struct Filling {
    rows: Rows,
    /// Where the next transition of each goes.
    next: Vec<u64>,
}

impl Filling {
    /// Rows of these lengths, and longer by one where that is told; nothing is in them yet.
    fn new(lengths: Vec<u32>, one_more: impl Fn(u32) -> bool) -> Self {
        let mut offsets = Vec::with_capacity(lengths.len() + 1);
        let mut total = 0;
        for (state, &length) in (0..).zip(&lengths) {
            offsets.push(total);
            total += u64::from(length) + u64::from(one_more(state));
        }
        offsets.push(total);
        drop(lengths);
        Self {
            rows: Rows {
                labels: vec![0; total as usize],
                targets: vec![0; total as usize],
                offsets: offsets.clone(),
            },
            next: offsets,
        }
    }

    #[inline]
    fn push(&mut self, source: u32, label: u32, target: u32) {
        let next = &mut self.next[source as usize];
        self.rows.labels[*next as usize] = label;
        self.rows.targets[*next as usize] = target;
        *next += 1;
    }
}

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
        let divergence = divergence.then_some(part.table.len() as u32);
        let (contraction, names) = Contraction::new(worker, &part, &reached, &nodes)?;
        let moved = contraction.moved(worker)?;
        let ghosts = contraction.ghosts(&moved)?;
        let diverging = divergence.map(|label| (label, &nodes.diverging));
        let mut rows = contraction.rows(moved, &ghosts, diverging);
        let (ranges, initial) = (part.ranges.clone(), part.initial);
        let table = part.table.clone();
        drop(part);
        finish(&mut rows);
        let part = Part::with_ghosts(worker, ranges, initial, table, rows, ghosts)?;
        let steps = names.iter().flat_map(|state| {
            let targets = hidden_targets(&part, state).iter();
            targets.map(move |&target| (target, state))
        });
        let hidden = Grouped::new(part.states() + part.ghosts.len(), steps);
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
