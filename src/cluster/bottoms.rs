//! The exact check of a partition by branching bisimilarity, and the names of its blocks.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use hyades_base::grouped::Grouped;
use hyades_base::groups::Groups;
use hyades_base::parallel;

use crate::column::Column;
use crate::components::HIDDEN;
use crate::contraction::{Contracted, hidden_targets};
use crate::numbers::Numbers;
use crate::verify::Names;
use crate::worker::{Worker, exchange, sum};
use crate::{Error, wire};

/// An element of a signature: a label, and the block that it leads to.
type Element = (u32, u64);

/// No state.
const NONE: u64 = u64::MAX;
/// No signature.
const NOWHERE: usize = usize::MAX;

/// What an owner knows of a block.
struct Held {
    /// The first member.
    name: u64,
    /// The first of those without hidden transitions within the block.
    bottom: u64,
    /// Where its signature is; [`NOWHERE`] as long as there is none.
    start: usize,
    end: usize,
}

/// What a thread compares.
#[derive(Default)]
struct Compared {
    /// The group whose signature it is.
    of: Option<u32>,
    signature: Vec<Element>,
    other: Vec<Element>,
}

/// The blocks that have several members, and which rows stand for blocks.
pub(crate) struct Checked {
    pub names: Names,
    /// Own states that are the first ones of their blocks without hidden transitions within
    /// it, but for states that are alone in theirs; and the names of these blocks.
    pub bottoms: Vec<(u64, u32)>,
}

/// Whether each state of these, which are all that may share their blocks, agrees with the
/// others of its block: those without hidden transitions within it have equal signatures,
/// others have nothing besides these transitions that the signature lacks. Each worker looks
/// at its own, and owners at what workers have found. If so, the names of the blocks.
///
/// Hidden transitions have no cycles, so that each state leads to one of its block without
/// such transitions, by those within the block.
///
/// Sends the signature of each block with several members once for each worker that has
/// some; from one that has none without hidden transitions within the block, all that its
/// members have. O(m log d) for degrees up to d; 32 bytes a state that shares its block.
///
/// # Errors
/// If another worker is lost.
pub(crate) fn checked(
    worker: &mut dyn Worker,
    contracted: &Contracted,
    block: &Column,
    states: Vec<u32>,
) -> Result<Option<Checked>, Error> {
    let part = &contracted.part;
    let peers = worker.peers();
    let block_of = |state: u32| block.get(state as usize);
    let keys = parallel::map(states.len(), 1 << 12, |k| {
        block_of(states[k]).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    let mut groups = Groups::default();
    groups.find(&keys);
    drop(keys);
    let Groups {
        of: group_of,
        sizes,
        first,
        ..
    } = groups;
    let count = sizes.len();
    drop(sizes);
    let first = |group: u32| states[first[group as usize] as usize];
    let is_bottom = |state: u32| {
        let targets = hidden_targets(part, state).iter();
        let mut blocks = targets.map(|&target| block_of(target));
        blocks.all(|other| other != block_of(state))
    };
    // What a state can do but for hidden transitions within its block.
    let sorted = |state: u32, set: &mut Vec<Element>| {
        set.clear();
        let (labels, targets) = part.row(state as usize);
        let steps = labels.iter().zip(targets);
        let steps = steps.map(|(&label, &target)| (label, block_of(target)));
        set.extend(steps.filter(|&step| step != (HIDDEN, block_of(state))));
        set.sort_unstable();
        set.dedup();
    };
    // The first own bottom state of each block.
    let mut bottom = vec![u32::MAX; count];
    for (&state, &group) in states.iter().zip(&group_of) {
        let bottom = &mut bottom[group as usize];
        if *bottom == u32::MAX && is_bottom(state) {
            *bottom = state;
        }
    }
    // Block by block, so that the signature of each is looked at once, or once for each part.
    let members = group_of.iter().zip(&states);
    let members = members.map(|(&group, &state)| (group, (group, state)));
    let by_group = Grouped::new(count, members);
    let agrees = |this: &mut Compared, k: usize| {
        let (group, state) = by_group.items()[k];
        let bottom = bottom[group as usize];
        if state == bottom || bottom == u32::MAX {
            return true;
        }
        if this.of != Some(group) {
            this.of = Some(group);
            sorted(bottom, &mut this.signature);
        }
        sorted(state, &mut this.other);
        match is_bottom(state) {
            true => this.signature == this.other,
            false => is_within(&this.other, &this.signature),
        }
    };
    let agree = parallel::map_with(states.len(), 1 << 8, agrees);
    drop(by_group);
    let mut differ = agree.iter().filter(|&&agrees| !agrees).count() as u64;
    drop(agree);
    // All that the others have, of blocks without an own bottom state.
    let mut open: Vec<(u32, u32)> = Vec::new();
    for (&state, &group) in states.iter().zip(&group_of) {
        if bottom[group as usize] == u32::MAX {
            open.push((group, state));
        }
    }
    open.sort_unstable();
    let mut asked: Vec<Vec<u32>> = vec![Vec::new(); peers];
    for group in 0..count as u32 {
        asked[Numbers::owner(block_of(first(group)), peers)].push(group);
    }
    let mut held: Vec<Held> = Vec::new();
    let mut place_of: HashMap<u64, u32, RandomState> = HashMap::default();
    let mut signatures: Vec<Element> = Vec::new();
    // What states have whose blocks' signatures are not known yet.
    let mut parts: Vec<(u32, Element)> = Vec::new();
    // For each sender, whose blocks they are, in their order.
    let mut received: Vec<Vec<(u32, u64)>> = vec![Vec::new(); peers];
    let mut set = Vec::new();
    exchange(
        worker,
        |outbox| {
            let (mut set, mut one) = (Vec::new(), Vec::new());
            for (to, groups) in asked.iter().enumerate() {
                for &group in groups {
                    let bottom = bottom[group as usize];
                    let bottom_here = match bottom {
                        u32::MAX => {
                            set.clear();
                            let start = open.partition_point(|other| other.0 < group);
                            let members = open[start..].iter();
                            for &(_, state) in members.take_while(|other| other.0 == group) {
                                sorted(state, &mut one);
                                set.append(&mut one);
                            }
                            set.sort_unstable();
                            set.dedup();
                            NONE
                        }
                        state => {
                            sorted(state, &mut set);
                            part.global(state)
                        }
                    };
                    outbox.record(to, |packet| {
                        wire::put_state(packet, block_of(first(group)));
                        wire::put_state(packet, part.global(first(group)));
                        wire::put_u64(packet, bottom_here);
                        wire::put_u32(packet, set.len() as u32);
                        for &(label, block) in &set {
                            wire::put_u32(packet, label);
                            wire::put_state(packet, block);
                        }
                    })?;
                }
            }
            Ok(())
        },
        |from, records| {
            while !records.is_empty() {
                let (block, name) = (records.state()?, records.state()?);
                let bottom = records.u64()?;
                let length = records.u32()?;
                set.clear();
                for _ in 0..length {
                    set.push((records.u32()?, records.state()?));
                }
                let place = *place_of.entry(block).or_insert_with(|| {
                    held.push(Held {
                        name,
                        bottom,
                        start: NOWHERE,
                        end: NOWHERE,
                    });
                    held.len() as u32 - 1
                });
                received[from].push((place, bottom));
                let held = &mut held[place as usize];
                held.name = held.name.min(name);
                held.bottom = held.bottom.min(bottom);
                if bottom == NONE {
                    match held.start {
                        NOWHERE => parts.extend(set.iter().map(|&element| (place, element))),
                        start if is_within(&set, &signatures[start..held.end]) => {}
                        _ => differ += 1,
                    }
                } else if held.start == NOWHERE {
                    held.start = signatures.len();
                    signatures.extend_from_slice(&set);
                    held.end = signatures.len();
                } else if signatures[held.start..held.end] != set[..] {
                    differ += 1;
                }
            }
            Ok(())
        },
    )?;
    for &(place, element) in &parts {
        let held = &held[place as usize];
        if held.start == NOWHERE {
            return Err(Error::Packet);
        }
        let is_in = signatures[held.start..held.end]
            .binary_search(&element)
            .is_ok();
        differ += u64::from(!is_in);
    }
    drop((signatures, place_of, parts, open));
    if sum(worker, differ)? > 0 {
        return Ok(None);
    }
    let mut names = vec![0; count];
    let mut bottoms = Vec::new();
    let mut answered = vec![0; peers];
    exchange(
        worker,
        |outbox| {
            for (to, places) in received.iter().enumerate() {
                for &(place, bottom) in places {
                    let held = &held[place as usize];
                    outbox.record(to, |packet| {
                        wire::put_state(packet, held.name);
                        packet.push(u8::from(bottom == held.bottom));
                    })?;
                }
            }
            Ok(())
        },
        |from, records| {
            while !records.is_empty() {
                let group = *asked[from].get(answered[from]).ok_or(Error::Packet)?;
                let name = records.state()?;
                names[group as usize] = name;
                if records.u8()? != 0 {
                    bottoms.push((name, bottom[group as usize]));
                }
                answered[from] += 1;
            }
            Ok(())
        },
    )?;
    if (0..peers).any(|from| answered[from] != asked[from].len()) {
        return Err(Error::Packet);
    }
    bottoms.sort_unstable();
    Ok(Some(Checked {
        names: Names {
            states,
            group_of,
            names,
        },
        bottoms,
    }))
}

/// Whether all of these are among the others; both ascend.
fn is_within(these: &[Element], others: &[Element]) -> bool {
    these.len() <= others.len() && these.iter().all(|one| others.binary_search(one).is_ok())
}
