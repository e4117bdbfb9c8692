//! The exact check at the end of a refinement, and the first member of each block.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use hyades_base::groups::Groups;
use hyades_base::parallel;

use crate::column::Column;
use crate::numbers::Numbers;
use crate::part::Part;
use crate::strong::element;
use crate::worker::{Worker, exchange, sum};
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

/// The signature of a block, at its owner.
struct Held {
    /// The first member, and who has it.
    name: u64,
    start: usize,
    length: usize,
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
    let block_of = |k: usize| block.get(states[k] as usize);
    let keys = parallel::map(states.len(), 1 << 12, |k| {
        block_of(k).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    let mut groups = Groups::default();
    groups.find(&keys);
    drop(keys);
    let first = |group: u32| states[groups.first[group as usize] as usize];
    let elements = |state: u32| {
        let (labels, targets) = part.row(state as usize);
        let steps = labels.iter().zip(targets);
        steps.map(|(&label, &target)| element(label, block.get(target as usize)))
    };
    let sorted = |state: u32, set: &mut Vec<u64>| {
        set.clear();
        set.extend(elements(state));
        set.sort_unstable();
        set.dedup();
    };
    // Rows of equivalent states mostly list the same, in the same order.
    let is_equal = |this: &mut (Vec<u64>, Vec<u64>), k: usize| {
        let (one, other) = (first(groups.of[k]), states[k]);
        if one == other || elements(one).eq(elements(other)) {
            return true;
        }
        sorted(one, &mut this.0);
        sorted(other, &mut this.1);
        this.0 == this.1
    };
    let equal = parallel::map_with(states.len(), 1 << 8, is_equal);
    let differ = equal.iter().filter(|&&equal| !equal).count();
    drop(equal);
    if sum(worker, differ as u64)? > 0 {
        return Ok(None);
    }
    let own = part.ranges.of(part.index).start;
    let count = groups.sizes.len() as u32;
    let name_here = |group: u32| own + u64::from(first(group));
    if peers == 1 {
        let names = (0..count).map(name_here).collect();
        let group_of = groups.of;
        return Ok(Some(Names {
            states,
            group_of,
            names,
        }));
    }

    let owner_of = |group: u32| Numbers::owner(block.get(first(group) as usize), peers);
    let mut asked: Vec<Vec<u32>> = vec![Vec::new(); peers];
    (0..count).for_each(|group| asked[owner_of(group)].push(group));
    let mut held: Vec<Held> = Vec::new();
    let mut place_of: HashMap<u64, u32, RandomState> = HashMap::default();
    let mut signatures: Vec<u64> = Vec::new();
    // For each sender, whose blocks they are, in their order.
    let mut received: Vec<Vec<u32>> = vec![Vec::new(); peers];
    let (mut set, mut differ) = (Vec::new(), 0);
    exchange(
        worker,
        |outbox| {
            let mut set = Vec::new();
            for (to, groups) in asked.iter().enumerate() {
                for &group in groups {
                    sorted(first(group), &mut set);
                    outbox.record(to, |packet| {
                        wire::put_state(packet, block.get(first(group) as usize));
                        wire::put_state(packet, name_here(group));
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
                let place = *place_of.entry(block).or_insert_with(|| {
                    let start = signatures.len();
                    signatures.extend_from_slice(&set);
                    held.push(Held {
                        name,
                        start,
                        length,
                    });
                    held.len() as u32 - 1
                });
                received[from].push(place);
                let held = &mut held[place as usize];
                held.name = held.name.min(name);
                if signatures[held.start..held.start + held.length] != set[..] {
                    differ += 1;
                }
            }
            Ok(())
        },
    )?;
    drop((signatures, place_of));
    if sum(worker, differ)? > 0 {
        return Ok(None);
    }
    let mut names = vec![0; count as usize];
    let mut answered = vec![0; peers];
    exchange(
        worker,
        |outbox| {
            for (to, places) in received.iter().enumerate() {
                for &place in places {
                    let name = held[place as usize].name;
                    outbox.record(to, |packet| wire::put_state(packet, name))?;
                }
            }
            Ok(())
        },
        |from, records| {
            while !records.is_empty() {
                let group = asked[from].get(answered[from]).ok_or(Error::Packet)?;
                names[*group as usize] = records.state()?;
                answered[from] += 1;
            }
            Ok(())
        },
    )?;
    if (0..peers).any(|from| answered[from] != asked[from].len()) {
        return Err(Error::Packet);
    }
    let group_of = groups.of;
    Ok(Some(Names {
        states,
        group_of,
        names,
    }))
}
