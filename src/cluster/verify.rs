//! The exact check at the end of a refinement, and the first member of each block.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use hyades_base::groups::Groups;
use hyades_base::parallel;

use crate::column::Column;
use crate::numbers::Numbers;
use crate::part::Part;
use crate::strong::element;
use crate::worker::{Worker, answer, exchange, sum};
use crate::{Error, wire};

/// The blocks that have several members, as far as a worker has some of these.
pub(crate) struct Names {
    /// Those members.
    pub states: Vec<u32>,
    /// The group of each of them: those of one block.
    pub group_of: Vec<u32>,
    /// Of each group the first member of its block in the whole system.
    pub names: Vec<u64>,
}

/// The states of a worker that may share their blocks, by these.
pub(crate) struct Shared<'a> {
    pub part: &'a Part,
    block: &'a Column,
    pub states: Vec<u32>,
    /// The group of each of them: those of one block.
    pub group_of: Vec<u32>,
    /// Which of them is the first one of each group.
    firsts: Vec<u32>,
}

impl<'a> Shared<'a> {
    /// Groups these states by their blocks, which ghosts have too.
    pub fn new(part: &'a Part, block: &'a Column, states: Vec<u32>) -> Self {
        let keys = parallel::map(states.len(), 1 << 12, |k| {
            let block = block.get(states[k] as usize);
            block.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let mut groups = Groups::default();
        groups.find(&keys);
        Self {
            part,
            block,
            states,
            group_of: groups.of,
            firsts: groups.first,
        }
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.firsts.len()
    }

    /// The first state of a group.
    #[inline]
    pub fn first(&self, group: u32) -> u32 {
        self.states[self.firsts[group as usize] as usize]
    }

    /// Its number in the whole system.
    pub fn name(&self, group: u32) -> u64 {
        self.part.global(self.first(group))
    }

    /// The block of an own state or a ghost.
    #[inline]
    pub fn block_of(&self, place: u32) -> u64 {
        self.block.get(place as usize)
    }

    /// For each worker the groups whose blocks it owns, in the order in which it is asked.
    pub fn by_owner(&self, peers: usize) -> Vec<Vec<u32>> {
        let mut asked: Vec<Vec<u32>> = vec![Vec::new(); peers];
        for group in 0..self.groups() as u32 {
            asked[Numbers::owner(self.block_of(self.first(group)), peers)].push(group);
        }
        asked
    }

    /// The result, once the first member of each group's block is known.
    pub fn named(self, names: Vec<u64>) -> Names {
        Names {
            states: self.states,
            group_of: self.group_of,
            names,
        }
    }

    /// The elements of a state's signature, in the order of its row.
    fn elements(&self, state: u32) -> impl Iterator<Item = u64> {
        let (labels, targets) = self.part.row(state as usize);
        let steps = labels.iter().zip(targets);
        steps.map(|(&label, &target)| element(label, self.block_of(target)))
    }

    /// The signature of a state: its elements, ascending.
    fn sorted(&self, state: u32, set: &mut Vec<u64>) {
        set.clear();
        set.extend(self.elements(state));
        set.sort_unstable();
        set.dedup();
    }

    /// How many states have other signatures than the first ones of their groups.
    fn differ(&self) -> u64 {
        // Rows of equivalent states mostly list the same, in the same order.
        let is_equal = |this: &mut (Vec<u64>, Vec<u64>), k: usize| {
            let (one, other) = (self.first(self.group_of[k]), self.states[k]);
            if one == other || self.elements(one).eq(self.elements(other)) {
                return true;
            }
            self.sorted(one, &mut this.0);
            self.sorted(other, &mut this.1);
            this.0 == this.1
        };
        let equal = parallel::map_with(self.states.len(), 1 << 8, is_equal);
        equal.iter().filter(|&&equal| !equal).count() as u64
    }
}

/// The signature of a block, at its owner.
struct Held {
    /// The first member, and who has it.
    name: u64,
    start: usize,
    length: usize,
}

/// What an owner is told of its blocks.
struct Owned {
    held: Vec<Held>,
    /// Where each block is among those held.
    place_of: HashMap<u64, u32, RandomState>,
    signatures: Vec<u64>,
    /// For each sender, whose blocks they are, in their order.
    received: Vec<Vec<u32>>,
    /// How many signatures differ from others of the same block.
    differ: u64,
}

impl Owned {
    /// Tells owners the signatures of the groups whose blocks they have, and the first members;
    /// what this one is told.
    fn told(
        worker: &mut dyn Worker,
        shared: &Shared<'_>,
        asked: &[Vec<u32>],
    ) -> Result<Self, Error> {
        let mut owned = Self {
            held: Vec::new(),
            place_of: HashMap::default(),
            signatures: Vec::new(),
            received: vec![Vec::new(); asked.len()],
            differ: 0,
        };
        let mut set = Vec::new();
        exchange(
            worker,
            |outbox| {
                let mut set = Vec::new();
                for (to, groups) in asked.iter().enumerate() {
                    for &group in groups {
                        let first = shared.first(group);
                        shared.sorted(first, &mut set);
                        outbox.record(to, |packet| {
                            wire::put_state(packet, shared.block_of(first));
                            wire::put_state(packet, shared.name(group));
                            wire::put_u32(packet, set.len() as u32);
                            set.iter()
                                .for_each(|&element| wire::put_u64(packet, element));
                        })?;
                    }
                }
                Ok(())
            },
            |from, records| {
                while !records.is_empty() {
                    let (block, name) = (records.state()?, records.state()?);
                    let length = records.u32()? as usize;
                    set.clear();
                    for _ in 0..length {
                        set.push(records.u64()?);
                    }
                    let place = owned.compare(block, name, &set);
                    owned.received[from].push(place);
                }
                Ok(())
            },
        )?;
        Ok(owned)
    }

    /// Keeps the first signature of a block, and compares others with it; where the block is
    /// held.
    fn compare(&mut self, block: u64, name: u64, set: &[u64]) -> u32 {
        let (held, signatures) = (&mut self.held, &mut self.signatures);
        let place = *self.place_of.entry(block).or_insert_with(|| {
            let start = signatures.len();
            signatures.extend_from_slice(set);
            held.push(Held {
                name,
                start,
                length: set.len(),
            });
            held.len() as u32 - 1
        });
        let held = &mut self.held[place as usize];
        held.name = held.name.min(name);
        if self.signatures[held.start..held.start + held.length] != *set {
            self.differ += 1;
        }
        place
    }
}

/// Compares the signatures of states of one block, which are all that may share theirs: each
/// worker its own, and owners those of workers. If they are equal, the first member of each
/// block.
///
/// Sends the signature of each block with several members once for each worker that has
/// some. O(m log d) for degrees up to d; 20 bytes a state that shares its block.
///
/// # Errors
/// If another worker is lost.
pub(crate) fn names(
    worker: &mut dyn Worker,
    part: &Part,
    block: &Column,
    states: Vec<u32>,
) -> Result<Option<Names>, Error> {
    let peers = worker.peers();
    let shared = Shared::new(part, block, states);
    if sum(worker, shared.differ())? > 0 {
        return Ok(None);
    }
    if peers == 1 {
        let groups = 0..shared.groups() as u32;
        let names = groups.map(|group| shared.name(group)).collect();
        return Ok(Some(shared.named(names)));
    }
    let asked = shared.by_owner(peers);
    // The signatures are not needed any more.
    let Owned {
        held,
        received,
        differ,
        ..
    } = Owned::told(worker, &shared, &asked)?;
    if sum(worker, differ)? > 0 {
        return Ok(None);
    }
    let mut names = vec![0; shared.groups()];
    answer(
        worker,
        &received,
        |packet, &place| wire::put_state(packet, held[place as usize].name),
        &asked,
        |group, records| {
            names[group as usize] = records.state()?;
            Ok(())
        },
    )?;
    Ok(Some(shared.named(names)))
}
