//! The exact check of a partition by branching bisimilarity, and the names of its blocks.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use hyades_base::grouped::Grouped;
use hyades_base::parallel;

use crate::column::Column;
use crate::components::HIDDEN;
use crate::contraction::{Contracted, hidden_targets};
use crate::strong::element;
use crate::verify::{Names, Shared};
use crate::worker::{Long, Worker, answer, exchange, sum};
use crate::{Error, wire};

/// An [`element`] of a signature: a label, and the block that it leads to.
type Element = u64;

/// No state.
const NONE: u64 = u64::MAX;
/// No signature.
const NOWHERE: usize = usize::MAX;

/// No own state.
const NOBODY: u32 = u32::MAX;

/// The blocks that have several members, and which rows stand for blocks.
pub(crate) struct Checked {
    pub names: Names,
    /// Own states that are the first ones of their blocks without hidden transitions within
    /// it, but for states that are alone in theirs; and the names of these blocks.
    pub bottoms: Vec<(u64, u32)>,
}

/// What a thread compares.
#[derive(Default)]
struct Compared {
    /// The group whose signature it is.
    of: Option<u32>,
    signature: Vec<Element>,
    other: Vec<Element>,
}

/// The states of a worker that may share their blocks, and which of them have no hidden
/// transitions within these: bottom states.
struct Own<'a> {
    shared: Shared<'a>,
    /// The first bottom state of each group, or [`NOBODY`].
    bottom: Vec<u32>,
}

impl<'a> Own<'a> {
    fn new(shared: Shared<'a>) -> Self {
        let mut own = Self {
            bottom: vec![NOBODY; shared.groups()],
            shared,
        };
        for (&state, &group) in own.shared.states.iter().zip(&own.shared.group_of) {
            if own.bottom[group as usize] == NOBODY && own.is_bottom(state) {
                own.bottom[group as usize] = state;
            }
        }
        own
    }

    fn is_bottom(&self, state: u32) -> bool {
        let own = self.shared.block_of(state);
        let targets = hidden_targets(self.shared.part, state).iter();
        let mut blocks = targets.map(|&target| self.shared.block_of(target));
        blocks.all(|other| other != own)
    }

    /// What a state can do but for hidden transitions within its block, ascending.
    fn sorted(&self, state: u32, set: &mut Vec<Element>) {
        set.clear();
        let own = self.shared.block_of(state);
        let (labels, targets) = self.shared.part.row(state as usize);
        let steps = labels.iter().zip(targets);
        let steps = steps.map(|(&label, &target)| element(label, self.shared.block_of(target)));
        set.extend(steps.filter(|&step| step != element(HIDDEN, own)));
        set.sort_unstable();
        set.dedup();
    }

    /// How many states do not agree with the first bottom state of their group, if it has one.
    fn differ(&self) -> u64 {
        let Shared {
            states, group_of, ..
        } = &self.shared;
        // Block by block, so that the signature of each is looked at once, or once for each part.
        let members = group_of.iter().zip(states);
        let members = members.map(|(&group, &state)| (group, (group, state)));
        let by_group = Grouped::new(self.bottom.len(), members);
        let agrees = |this: &mut Compared, k: usize| {
            let (group, state) = by_group.items()[k];
            let bottom = self.bottom[group as usize];
            if state == bottom || bottom == NOBODY {
                return true;
            }
            if this.of != Some(group) {
                this.of = Some(group);
                self.sorted(bottom, &mut this.signature);
            }
            self.sorted(state, &mut this.other);
            match self.is_bottom(state) {
                true => this.signature == this.other,
                false => is_within(&this.other, &this.signature),
            }
        };
        let agree = parallel::map_with(states.len(), 1 << 8, agrees);
        agree.iter().filter(|&&agrees| !agrees).count() as u64
    }

    /// The states of groups without a bottom state, group by group.
    fn open(&self) -> Vec<(u32, u32)> {
        let mut open: Vec<(u32, u32)> = Vec::new();
        for (&state, &group) in self.shared.states.iter().zip(&self.shared.group_of) {
            if self.bottom[group as usize] == NOBODY {
                open.push((group, state));
            }
        }
        open.sort_unstable();
        open
    }

    /// What is told of a group: the number of its first bottom state in the whole system, and
    /// the signature of this state as the set; or [`NONE`], and all that its members have, which
    /// `open` lists. `one` is room for what one of them has.
    fn told(
        &self,
        group: u32,
        open: &[(u32, u32)],
        set: &mut Vec<Element>,
        one: &mut Vec<Element>,
    ) -> u64 {
        match self.bottom[group as usize] {
            NOBODY => {
                set.clear();
                let start = open.partition_point(|other| other.0 < group);
                let members = open[start..].iter();
                for &(_, state) in members.take_while(|other| other.0 == group) {
                    self.sorted(state, one);
                    set.append(one);
                }
                set.sort_unstable();
                set.dedup();
                NONE
            }
            state => {
                self.sorted(state, set);
                self.shared.part.global(state)
            }
        }
    }
}

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

/// What an owner is told of its blocks.
struct Owned {
    held: Vec<Held>,
    /// Where each block is among those held.
    place_of: HashMap<u64, u32, RandomState>,
    signatures: Vec<Element>,
    /// What states have whose blocks' signatures are not known yet.
    parts: Vec<(u32, Element)>,
    /// For each sender, whose blocks they are, in their order, and what it has said is their
    /// first bottom state.
    received: Vec<Vec<(u32, u64)>>,
    /// How much differs from the signatures.
    differ: u64,
}

impl Owned {
    /// Tells owners what there is to tell of the groups whose blocks they have; what this one
    /// is told, all of which is compared.
    fn told(worker: &mut dyn Worker, own: &Own<'_>, asked: &[Vec<u32>]) -> Result<Self, Error> {
        let mut owned = Self {
            held: Vec::new(),
            place_of: HashMap::default(),
            signatures: Vec::new(),
            parts: Vec::new(),
            received: vec![Vec::new(); asked.len()],
            differ: 0,
        };
        let open = own.open();
        let (mut set, mut one) = (Vec::new(), Vec::new());
        let named = |group| {
            let first = own.shared.first(group);
            (own.shared.block_of(first), own.shared.name(group))
        };
        let me = worker.index();
        // A signature may be most of what this worker has: there is no copy of it on its way.
        for &group in &asked[me] {
            let bottom = own.told(group, &open, &mut set, &mut one);
            let (block, name) = named(group);
            owned.take(me, (block, name, bottom), &set);
        }
        let mut long = Long::new(asked.len());
        exchange(
            worker,
            |outbox| {
                let others = asked.iter().enumerate().filter(|&(to, _)| to != me);
                for (to, groups) in others {
                    for &group in groups {
                        let bottom = own.told(group, &open, &mut set, &mut one);
                        let (block, name) = named(group);
                        outbox.long(to, &set, |packet| {
                            wire::put_state(packet, block);
                            wire::put_state(packet, name);
                            wire::put_u64(packet, bottom);
                        })?;
                    }
                }
                (set, one) = Default::default();
                Ok(())
            },
            |from, records| {
                while !records.is_empty() {
                    if let Some(set) = long.read(from, records)? {
                        let (block, name) = (records.state()?, records.state()?);
                        owned.take(from, (block, name, records.u64()?), set);
                    }
                }
                Ok(())
            },
        )?;
        owned.compare_parts()?;
        Ok(owned)
    }

    /// What a worker has told of a block: a member, its first bottom state, and what it or all
    /// members there have.
    fn take(&mut self, from: usize, (block, name, bottom): (u64, u64, u64), set: &[Element]) {
        let place = self.place(block, name, bottom);
        self.received[from].push((place, bottom));
        self.compare(place, bottom, set);
    }

    /// Where a block is held, of which this is a member, and this the first bottom state of
    /// some.
    fn place(&mut self, block: u64, name: u64, bottom: u64) -> u32 {
        let held = &mut self.held;
        let place = *self.place_of.entry(block).or_insert_with(|| {
            held.push(Held {
                name,
                bottom,
                start: NOWHERE,
                end: NOWHERE,
            });
            held.len() as u32 - 1
        });
        let held = &mut held[place as usize];
        held.name = held.name.min(name);
        held.bottom = held.bottom.min(bottom);
        place
    }

    /// Compares what members have with the signature of their block: all of it if they have a
    /// bottom state.
    fn compare(&mut self, place: u32, bottom: u64, set: &[Element]) {
        let signatures = &mut self.signatures;
        let held = &mut self.held[place as usize];
        if bottom == NONE {
            match held.start {
                NOWHERE => {
                    let parts = set.iter().map(|&element| (place, element));
                    self.parts.extend(parts);
                }
                start if is_within(set, &signatures[start..held.end]) => {}
                _ => self.differ += 1,
            }
        } else if held.start == NOWHERE {
            held.start = signatures.len();
            signatures.extend_from_slice(set);
            held.end = signatures.len();
        } else if signatures[held.start..held.end] != *set {
            self.differ += 1;
        }
    }

    /// Compares what was told before the signatures were.
    ///
    /// # Errors
    /// If there is a block of which nobody has told a bottom state.
    fn compare_parts(&mut self) -> Result<(), Error> {
        for &(place, element) in &self.parts {
            let held = &self.held[place as usize];
            if held.start == NOWHERE {
                return Err(Error::Packet);
            }
            let is_in = self.signatures[held.start..held.end]
                .binary_search(&element)
                .is_ok();
            self.differ += u64::from(!is_in);
        }
        Ok(())
    }
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
    let own = Own::new(Shared::new(&contracted.part, block, states));
    let differ = own.differ();
    let asked = own.shared.by_owner(worker.peers());
    // The signatures are not needed any more.
    let Owned {
        held,
        received,
        differ: differ_there,
        ..
    } = Owned::told(worker, &own, &asked)?;
    if sum(worker, differ + differ_there)? > 0 {
        return Ok(None);
    }
    let mut names = vec![0; own.shared.groups()];
    let mut bottoms = Vec::new();
    answer(
        worker,
        &received,
        |packet, &(place, bottom)| {
            let held = &held[place as usize];
            wire::put_state(packet, held.name);
            packet.push(u8::from(bottom == held.bottom));
        },
        &asked,
        |group, records| {
            let name = records.state()?;
            names[group as usize] = name;
            if records.u8()? != 0 {
                bottoms.push((name, own.bottom[group as usize]));
            }
            Ok(())
        },
    )?;
    bottoms.sort_unstable();
    Ok(Some(Checked {
        names: own.shared.named(names),
        bottoms,
    }))
}

/// Whether all of these are among the others; both ascend.
fn is_within(these: &[Element], others: &[Element]) -> bool {
    these.len() <= others.len() && these.iter().all(|one| others.binary_search(one).is_ok())
}
