//! Strong bisimilarity by several workers. The signature of a state is the set of (label,
//! block of the target) over its transitions; blocks are numbered by owners of signatures
//! (Blom & Orzan 2003), those that have changed only, once these are few.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use hyades_base::grouped::Grouped;
use hyades_base::groups::Groups;
use hyades_base::parallel;
use hyades_equivalence::{Mixer, Summer};
use hyades_lts::StateSet;
use rayon::slice::ParallelSliceMut;

use crate::column::Column;
use crate::meter::{Kind, Meter};
use crate::numbers::{Key, Numbers, Owned, room as room_for_signatures};
use crate::options::{Observer, Options, Phase, end_round};
use crate::part::Part;
use crate::saved::{Header, Saved, Snapshot};
use crate::wire::Cursor;
use crate::worker::{Worker, exchange, gather};
use crate::{Error, founded, ghosts, rest, verify, wire};

/// A state that can be reached.
pub(crate) const REACHED: u8 = 1;
/// It is the only one in its block.
pub(crate) const SINGLE: u8 = 2;
/// Its block has been found without refinement.
pub(crate) const SETTLED: u8 = 4;
/// It is to be signed.
const DIRTY: u8 = 8;
/// What may be known of a state between two rounds.
pub(crate) const SAVED: u8 = REACHED | SINGLE | SETTLED;

/// All numbers of labels are less than this: with the number of a block a label is an
/// element of 64 bits.
const LABELS: u64 = (1 << 24) - 1;

/// One element of a signature: a label, and the block that it leads to.
#[inline]
pub(crate) const fn element(label: u32, block: u64) -> u64 {
    (label as u64) << 40 | block
}

/// The label and the block of an [`element`].
#[inline]
pub(crate) const fn step(element: u64) -> (u32, u64) {
    ((element >> 40) as u32, element & ((1 << 40) - 1))
}

/// A refinement of the part of a worker.
pub(crate) struct Refinement<'p> {
    pub part: &'p Part,
    /// The block of each own state and ghost.
    pub block: Column,
    /// What is known of each own state.
    pub flags: Vec<u8>,
    pub numbers: Numbers,
    /// How many blocks there are at all workers.
    pub blocks: u64,
    /// How many of them have one state each, which is marked.
    pub singles: u64,
    /// How many others have been found without refinement.
    settled: u64,
    pub attempt: u64,
    pub rounds: u64,
    mask: u64,
    /// What a worker can have of the rest of all, after so many sparse rounds.
    room: rest::Room,
    patience: u64,
}

/// So many sparse rounds go on for long: one worker waits for nobody in them.
fn patience(worker: &Meter<'_>, options: &Options) -> u64 {
    match worker.peers() {
        1 => options.patience.saturating_mul(4),
        _ => options.patience,
    }
}

/// The live part of all workers.
#[derive(Clone, Copy)]
struct Live {
    states: u64,
    transitions: u64,
}

/// Whether more is to be done after a round.
enum Next {
    Dense,
    Sparse,
    Stable,
}

impl<'p> Refinement<'p> {
    /// All states are in one block, but those without an infinite path.
    ///
    /// # Errors
    /// If another worker is lost, or there are too many labels.
    pub fn new(
        worker: &mut Meter<'_>,
        part: &'p Part,
        reached: &StateSet,
        options: &Options,
    ) -> Result<Self, Error> {
        let flags = (0..part.states()).map(|s| u8::from(reached.contains(s)));
        let mut refinement = Self {
            part,
            block: Column::new(part.states() + part.ghosts.len()),
            flags: flags.collect(),
            // All of them are in block 0.
            numbers: Numbers::after(worker, 1),
            blocks: 1,
            singles: 0,
            settled: 0,
            attempt: 0,
            rounds: 0,
            mask: options.mask,
            room: rest::Room::new(worker.of(Kind::Search), part, options)?,
            patience: patience(worker, options),
        };
        room(part)?;
        refinement.settle(worker, reached)?;
        Ok(refinement)
    }

    /// As it was saved, perhaps by another number of workers.
    ///
    /// # Errors
    /// If another worker is lost, or there are too many labels.
    pub fn resumed(
        worker: &mut Meter<'_>,
        part: &'p Part,
        saved: Saved,
        options: &Options,
    ) -> Result<Self, Error> {
        room(part)?;
        if !saved.is_full() {
            return Err(Error::Packet);
        }
        let Saved {
            header,
            mut block,
            flags,
            ..
        } = saved;
        ghosts::refresh(worker.of(Kind::Ghosts), part, &mut block, None, [], |_| ())?;
        Ok(Self {
            part,
            block,
            flags,
            numbers: Numbers::after(worker, header.numbers),
            blocks: header.blocks,
            singles: header.singles,
            settled: header.settled,
            attempt: header.attempt,
            rounds: header.rounds,
            mask: options.mask,
            room: rest::Room::new(worker.of(Kind::Search), part, options)?,
            patience: patience(worker, options),
        })
    }

    /// What may be saved now.
    fn save(&self, worker: &mut Meter<'_>, observer: &mut dyn Observer) -> Result<(), Error> {
        let numbers = maximum(worker.of(Kind::Search), self.numbers.next())?;
        let header = Header {
            states: self.part.ranges.states(),
            rounds: self.rounds,
            attempt: self.attempt,
            numbers,
            blocks: self.blocks,
            singles: self.singles,
            settled: self.settled,
        };
        observer.save(&Snapshot {
            header: &header,
            block: &self.block,
            flags: &self.flags,
        })
    }

    /// How many blocks have states that are refined.
    fn live_blocks(&self) -> u64 {
        self.blocks - self.singles - self.settled
    }

    fn mixer(&self) -> Mixer {
        Mixer::masked(self.attempt, self.mask)
    }

    /// Gives their blocks to states without an infinite path.
    fn settle(&mut self, worker: &mut Meter<'_>, reached: &StateSet) -> Result<(), Error> {
        let mixer = self.mixer();
        let hashes = founded::hashes(worker.of(Kind::Search), self.part, reached, mixer)?;
        let Some(hashes) = hashes else { return Ok(()) };
        let settled: Vec<u32> = (0..hashes.len() as u32)
            .filter(|&state| hashes[state as usize] != 0)
            .collect();
        let keys = parallel::map(settled.len(), 1 << 12, |k| {
            key(0, hashes[settled[k] as usize])
        });
        drop(hashes);
        let Self { block, flags, .. } = self;
        let owned = self
            .numbers
            .number(worker.of(Kind::Keys), keys, |k, number, single| {
                let state = settled[k] as usize;
                block.set(state, number);
                flags[state] |= SETTLED | if single { SINGLE } else { 0 };
            })?;
        let live = reached.count - settled.len();
        let [keys, singles, live] = ghosts::refresh(
            worker.of(Kind::Ghosts),
            self.part,
            &mut self.block,
            Some(&settled),
            [owned.keys, owned.singles, live as u64],
            |_| (),
        )?;
        self.blocks = keys + u64::from(live > 0);
        self.singles = singles;
        self.settled = keys - singles;
        Ok(())
    }

    pub fn is_live(&self, state: u32) -> bool {
        self.flags[state as usize] & (REACHED | SINGLE | SETTLED) == REACHED
    }

    fn live(&self) -> Vec<u32> {
        let live = |state: usize| self.is_live(state as u32).then_some(state as u32);
        parallel::filter_map(self.flags.len(), 1 << 14, live)
    }

    /// What these states have as signatures, summed up.
    fn sums(&self, states: &[u32]) -> Vec<u64> {
        let (part, mixer) = (self.part, self.mixer());
        // With a single block the targets need not be looked at.
        let is_one = self.blocks == 1;
        parallel::map_with(states.len(), 1 << 8, |summer: &mut Summer, k| {
            let (labels, targets) = part.row(states[k] as usize);
            if is_one {
                let elements = labels.iter().map(|&label| element(label, 0));
                return summer.sum(mixer, labels.len(), elements);
            }
            let steps = labels.iter().zip(targets);
            let block = |target: &u32| self.block.get(*target as usize);
            let elements = steps.map(|(&label, target)| element(label, block(target)));
            summer.sum(mixer, labels.len(), elements)
        })
    }

    /// Refines until each block has states of one signature, exactly.
    ///
    /// # Errors
    /// If another worker is lost, or there is no room.
    pub fn run(
        &mut self,
        worker: &mut Meter<'_>,
        observer: &mut dyn Observer,
    ) -> Result<verify::Names, Error> {
        let mut next = match self.rounds {
            0 => Next::Dense,
            _ => Next::Sparse,
        };
        if self.live_blocks() == 0 {
            next = Next::Stable;
        }
        loop {
            while let Next::Dense = next {
                next = self.dense(worker, observer)?;
            }
            if let Next::Sparse = next {
                self.sparse(worker, observer)?;
            }
            let shared: Vec<u32> = (0..self.flags.len() as u32)
                .filter(|&state| self.flags[state as usize] & (REACHED | SINGLE) == REACHED)
                .collect();
            let worker = worker.of(Kind::Check);
            if let Some(names) = verify::names(worker, self.part, &self.block, shared)? {
                return Ok(names);
            }
            // Some sums were equal though the sets are not: all over, with others.
            self.attempt += 1;
            self.settled = 0;
            self.flags.iter_mut().for_each(|flags| *flags &= !SETTLED);
            next = Next::Sparse;
        }
    }

    /// Signs all live states, and gives all of them fresh numbers.
    fn dense(
        &mut self,
        worker: &mut Meter<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Next, Error> {
        let live = self.live();
        let sums = self.sums(&live);
        let block = &self.block;
        let keys = parallel::map(live.len(), 1 << 12, |k| {
            key(block.get(live[k] as usize), sums[k])
        });
        drop(sums);
        let Self { block, flags, .. } = self;
        let Owned { keys, singles } =
            self.numbers
                .number(worker.of(Kind::Keys), keys, |k, number, single| {
                    let state = live[k] as usize;
                    block.set(state, number);
                    flags[state] |= if single { SINGLE } else { 0 };
                })?;
        let own = self.own_live();
        let [keys, singles, states, transitions, is_due] = ghosts::refresh(
            worker.of(Kind::Ghosts),
            self.part,
            &mut self.block,
            Some(&live),
            [
                keys,
                singles,
                own.states,
                own.transitions,
                u64::from(observer.is_due()),
            ],
            |_| (),
        )?;
        let before = self.live_blocks();
        self.blocks += keys - before;
        self.singles += singles;
        let live = Live {
            states,
            transitions,
        };
        self.end_round(worker, observer, Phase::Dense, live);
        if states == 0 || keys == before {
            return Ok(Next::Stable);
        }
        if is_due > 0 {
            self.save(worker, observer)?;
        }
        let added = keys - before;
        // Of all blocks: one that loses a state in each round is not worth it.
        Ok(match added < (self.blocks - added) / 4 {
            true => Next::Sparse,
            false => Next::Dense,
        })
    }

    /// How much this worker has of the live part.
    fn own_live(&self) -> Live {
        let of_part = |states: std::ops::Range<usize>| {
            let live = states.filter(|&state| self.is_live(state as u32));
            live.fold((0, 0), |(states, transitions), state| {
                (
                    states + 1,
                    transitions + self.part.row(state).0.len() as u64,
                )
            })
        };
        let (all, each) = (self.flags.len(), 1 << 14);
        let parts = parallel::map(all.div_ceil(each), 1, |k| {
            of_part(k * each..all.min((k + 1) * each))
        });
        let (states, transitions) = parts
            .into_iter()
            .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        Live {
            states,
            transitions,
        }
    }

    fn end_round(
        &mut self,
        worker: &Meter<'_>,
        observer: &mut dyn Observer,
        phase: Phase,
        live: Live,
    ) {
        self.rounds += 1;
        let sizes = (self.blocks, live.states);
        end_round(observer, worker, self.rounds, phase, sizes);
    }

    /// Lets one worker refine the rest, if it has room for it; whether it has.
    fn finish_rest(
        &mut self,
        worker: &mut Meter<'_>,
        observer: &mut dyn Observer,
        live: Live,
    ) -> Result<bool, Error> {
        let needed = rest::needed(live.states, live.transitions);
        if !self.room.fits(needed, self.rounds) {
            return Ok(false);
        }
        let states = self.live();
        let refined = rest::Refined {
            part: self.part,
            block: &mut self.block,
            numbers: &mut self.numbers,
            kind: rest::Kind::Strong,
        };
        let flags = &mut self.flags;
        let found = rest::refine(worker.of(Kind::Rest), refined, &states, |state| {
            flags[state as usize] |= SINGLE;
        })?;
        self.blocks = self.singles + self.settled + found.keys;
        self.singles += found.singles;
        ghosts::refresh(
            worker.of(Kind::Ghosts),
            self.part,
            &mut self.block,
            Some(&states),
            [],
            |_| (),
        )?;
        self.end_round(worker, observer, Phase::Rest, live);
        Ok(true)
    }

    /// Signs only states with a successor that has got another number, until there is none:
    /// all live ones to begin with.
    fn sparse(&mut self, worker: &mut Meter<'_>, observer: &mut dyn Observer) -> Result<(), Error> {
        let mut dirty = self.live();
        let mut own = self.own_live();
        let part = self.part;
        if own.transitions > u64::from(u32::MAX) {
            return Err(Error::Room {
                what: "transitions of live states at one worker",
                limit: u32::MAX.into(),
            });
        }
        let steps = dirty.iter().flat_map(|&state| {
            let targets = part.row(state as usize).1.iter();
            targets.map(move |&target| (target, state))
        });
        let sources = Grouped::new(self.block.len(), steps);
        let mut blocks = OwnedBlocks::default();
        for round in 1.. {
            let changed = self.sign_dirty(worker, &dirty, &mut blocks, &mut own)?;
            let mut next: Vec<u32> = Vec::new();
            let flags = &mut self.flags;
            let mut add = |place: u32, next: &mut Vec<u32>| {
                for &source in sources.of(place) {
                    let flags = &mut flags[source as usize];
                    if *flags & (SINGLE | DIRTY) == 0 {
                        *flags |= DIRTY;
                        next.push(source);
                    }
                }
            };
            changed.iter().for_each(|&state| add(state, &mut next));
            let given = std::mem::take(&mut blocks.given);
            let [moved, fresh, singles, states, transitions, is_due] = ghosts::refresh(
                worker.of(Kind::Ghosts),
                part,
                &mut self.block,
                Some(&changed),
                [
                    changed.len() as u64,
                    given.keys,
                    given.singles,
                    own.states,
                    own.transitions,
                    u64::from(observer.is_due()),
                ],
                |ghost| add(ghost, &mut next),
            )?;
            next.sort_unstable();
            next.iter()
                .for_each(|&state| flags[state as usize] &= !DIRTY);
            self.blocks += fresh;
            self.singles += singles;
            dirty = next;
            let live = Live {
                states,
                transitions,
            };
            self.end_round(worker, observer, Phase::Sparse, live);
            if moved == 0 {
                return Ok(());
            }
            if is_due > 0 {
                self.save(worker, observer)?;
            }
            // A round in which little changes does not need many workers.
            if round > self.patience && self.finish_rest(worker, observer, live)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Signs these states, and gives those new numbers that are not as the rest of their
    /// block, or as most of it; the states that have got one.
    fn sign_dirty(
        &mut self,
        worker: &mut Meter<'_>,
        dirty: &[u32],
        blocks: &mut OwnedBlocks,
        own: &mut Live,
    ) -> Result<Vec<u32>, Error> {
        let peers = worker.peers();
        let sums = self.sums(dirty);
        let block = &self.block;
        let keys = parallel::map(dirty.len(), 1 << 12, |k| {
            key(block.get(dirty[k] as usize), sums[k])
        });
        let mut groups = Groups::default();
        groups.find(&keys);
        drop(keys);
        let block_of = |group: u32| {
            let first = groups.first[group as usize];
            block.get(dirty[first as usize] as usize)
        };
        let mut asked: Vec<Vec<u32>> = vec![Vec::new(); peers];
        for group in 0..groups.sizes.len() as u32 {
            asked[Numbers::owner(block_of(group), peers)].push(group);
        }
        let mut received: Vec<Vec<Signed>> = vec![Vec::new(); peers];
        exchange(
            worker.of(Kind::Keys),
            |outbox| {
                for (to, groups_of) in asked.iter().enumerate() {
                    for &group in groups_of {
                        let first = groups.first[group as usize] as usize;
                        outbox.record(to, |packet| {
                            wire::put_state(packet, block_of(group));
                            wire::put_u64(packet, sums[first]);
                            wire::put_u32(packet, groups.sizes[group as usize]);
                        })?;
                    }
                }
                Ok(())
            },
            |from, records| {
                while !records.is_empty() {
                    received[from].push(Signed {
                        block: records.state()?,
                        sum: records.u64()?,
                        count: records.u32()?,
                    });
                }
                Ok(())
            },
        )?;
        let counts: Vec<usize> = received.iter().map(Vec::len).collect();
        let verdicts = blocks.judge(received.concat(), &mut self.numbers)?;
        drop(received);
        let mut told = vec![Verdict::KEPT; groups.sizes.len()];
        let mut answered = vec![0; peers];
        exchange(
            worker.of(Kind::Keys),
            |outbox| {
                let mut verdicts = verdicts.iter();
                for (to, &count) in counts.iter().enumerate() {
                    for verdict in verdicts.by_ref().take(count) {
                        outbox.record(to, |packet| verdict.put(packet))?;
                    }
                }
                Ok(())
            },
            |from, records| {
                while !records.is_empty() {
                    let verdict = Verdict::take(records)?;
                    let group = asked[from].get(answered[from]).ok_or(Error::Packet)?;
                    told[*group as usize] = verdict;
                    answered[from] += 1;
                }
                Ok(())
            },
        )?;
        if (0..peers).any(|from| answered[from] != asked[from].len()) {
            return Err(Error::Packet);
        }
        let mut changed = Vec::new();
        for (&state, &group) in dirty.iter().zip(&groups.of) {
            let Verdict { fresh, is_single } = told[group as usize];
            if let Some(number) = fresh {
                self.block.set(state as usize, number);
                changed.push(state);
            }
            if is_single {
                self.flags[state as usize] |= SINGLE;
                own.states -= 1;
                own.transitions -= self.part.row(state as usize).0.len() as u64;
            }
        }
        Ok(changed)
    }
}

/// Refuses more labels than elements of signatures tell apart.
fn room(part: &Part) -> Result<(), Error> {
    match part.table.len() as u64 > LABELS {
        true => Err(Error::Room {
            what: "labels",
            limit: LABELS,
        }),
        false => Ok(()),
    }
}

/// The largest number that a worker has.
pub(crate) fn maximum(worker: &mut dyn Worker, own: u64) -> Result<u64, Error> {
    let mut most = 0;
    for one in gather(worker, &own.to_le_bytes())? {
        most = most.max(Cursor::new(&one).u64()?);
    }
    Ok(most)
}

/// What stands for a signature of a state in this block: another key for each block and sum.
#[inline]
pub(crate) const fn key(block: u64, sum: u64) -> Key {
    const ODD: Key = 0x9e37_79b9_7f4a_7c15_d6e8_feb8_6659_fd93;
    let mut key = (block as Key) << 64 | sum as Key;
    // Each step can be undone.
    key ^= key >> 31;
    key = key.wrapping_mul(ODD);
    key ^= key >> 67;
    key = key.wrapping_mul(ODD);
    key ^ key >> 61
}

/// States with one signature, of which a worker has so many that are signed.
#[derive(Clone, Copy)]
struct Signed {
    block: u64,
    sum: u64,
    count: u32,
}

/// What becomes of such states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Verdict {
    /// The number of the block that they are from now on.
    fresh: Option<u64>,
    /// There is but one.
    is_single: bool,
}

impl Verdict {
    /// They stay what they are.
    const KEPT: Self = Self {
        fresh: None,
        is_single: false,
    };

    fn put(self, packet: &mut Vec<u8>) {
        packet.push(u8::from(self.is_single) << 1 | u8::from(self.fresh.is_some()));
        if let Some(number) = self.fresh {
            wire::put_state(packet, number);
        }
    }

    fn take(records: &mut Cursor<'_>) -> Result<Self, Error> {
        let bits = records.u8()?;
        let fresh = match bits & 1 {
            0 => None,
            _ => Some(records.state()?),
        };
        let is_single = bits & 2 != 0;
        Ok(Self { fresh, is_single })
    }
}

/// The blocks with several states that a worker owns, in sparse rounds.
#[derive(Default)]
struct OwnedBlocks {
    /// How many members they have; nothing before the first round.
    sizes: Option<HashMap<u64, u64, RandomState>>,
    /// How many numbers have been given out since somebody asked, and how many blocks have
    /// been found to have one member.
    given: Owned,
}

impl OwnedBlocks {
    /// What becomes of signed states, in their order. Those of a block that have been signed
    /// have another successor each, the others none: so they differ from those. If all have
    /// been signed, most keep the number.
    fn judge(&mut self, signed: Vec<Signed>, numbers: &mut Numbers) -> Result<Vec<Verdict>, Error> {
        room_for_signatures(signed.len())?;
        let mut order: Vec<u32> = (0..signed.len() as u32).collect();
        let of = |k: u32| &signed[k as usize];
        // The order of equal ones does not matter.
        order.par_sort_unstable_by_key(|&k| (of(k).block, of(k).sum));
        let is_first = self.sizes.is_none();
        let sizes = self.sizes.get_or_insert_default();
        let mut verdicts = vec![Verdict::KEPT; signed.len()];
        for of_block in order.chunk_by(|&j, &k| of(j).block == of(k).block) {
            let number = of(of_block[0]).block;
            let count = |group: &[u32]| group.iter().map(|&k| u64::from(of(k).count)).sum::<u64>();
            let counted = count(of_block);
            let size = match is_first {
                true => counted,
                false => sizes.get(&number).copied().ok_or(Error::Packet)?,
            };
            let clean = size.checked_sub(counted).ok_or(Error::Packet)?;
            let groups = || of_block.chunk_by(|&j, &k| of(j).sum == of(k).sum);
            // The first of the largest groups, if nobody else keeps the number.
            let keeps = match clean {
                0 => groups()
                    .enumerate()
                    .max_by_key(|&(g, group)| (count(group), std::cmp::Reverse(g)))
                    .map(|(g, _)| g),
                _ => None,
            };
            let mut left = clean;
            for (g, group) in groups().enumerate() {
                let members = count(group);
                let fresh = match keeps == Some(g) {
                    true => {
                        left = members;
                        None
                    }
                    false => {
                        self.given.keys += 1;
                        Some(numbers.fresh()?)
                    }
                };
                if let Some(number) = fresh.filter(|_| members > 1) {
                    sizes.insert(number, members);
                }
                let is_single = members == 1;
                self.given.singles += u64::from(is_single);
                for &k in group {
                    verdicts[k as usize] = Verdict { fresh, is_single };
                }
            }
            match left {
                1 if clean == 0 => sizes.remove(&number),
                left => sizes.insert(number, left),
            };
        }
        Ok(verdicts)
    }
}
