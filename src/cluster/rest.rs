//! What is left of a refinement, once it fits one worker: gathered there, refined as on one
//! machine, and scattered again.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use hyades_equivalence::{branching_partition_from, strong_partition_from};
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, Offsets, StateId};
use hyades_lts::{renumbered, tau_components};

use crate::column::Column;
use crate::numbers::{Numbers, Owned};
use crate::options::Options;
use crate::part::Part;
use crate::worker::{Worker, exchange, gather, sums};
use crate::{Error, wire};

/// Who refines it.
const WHO: usize = 0;

/// The target of a transition is a live state, of which the place among all follows.
const LIVE: u8 = 0;
/// It is a state whose block is final; the block follows.
const FINAL: u8 = 1;
/// It is a state of another worker, live or not; the state and its block follow.
const GHOST: u8 = 2;

/// About so many bytes are needed for so many states and transitions.
pub(crate) const fn needed(states: u64, transitions: u64) -> u64 {
    let bytes = transitions
        .saturating_mul(16)
        .saturating_add(states.saturating_mul(48));
    match states.saturating_add(transitions) < 1 << 31 {
        true => bytes,
        // Places have 31 bits.
        false => u64::MAX,
    }
}

/// How much of all a worker may take over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// At any time: an even share of all, so that it needs no more than about twice what others
    /// need.
    share: u64,
    /// After many rounds: what it has memory for.
    all: u64,
    many: u64,
}

/// So many bytes are no burden to anybody.
const LIGHT: u64 = 128 << 20;

impl Room {
    /// For the LTS of which this is a part.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn new(worker: &mut dyn Worker, part: &Part, options: &Options) -> Result<Self, Error> {
        let peers = worker.peers() as u64;
        let own = [part.states() as u64, part.labels.len() as u64];
        let [states, transitions] = sums(worker, own)?;
        let share = needed(states / peers, transitions / peers).max(LIGHT);
        Ok(Self {
            share: options.rest.min(share),
            all: options.rest,
            many: options.patience.saturating_mul(4),
        })
    }

    /// Whether it may take over what needs so many bytes after so many rounds.
    pub fn fits(&self, needed: u64, rounds: u64) -> bool {
        needed
            <= if rounds < self.many {
                self.share
            } else {
                self.all
            }
    }
}

/// By what the rest is refined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// By strong bisimilarity.
    Strong,
    /// By branching bisimilarity; hidden transitions have no cycles. Divergence has a label
    /// of its own, the one behind all others.
    Branching,
}

/// What a worker has of a refinement.
pub(crate) struct Refined<'r> {
    pub part: &'r Part,
    /// The block of each own state and ghost.
    pub block: &'r mut Column,
    pub numbers: &'r mut Numbers,
    pub kind: Kind,
}

/// What one worker has of the rest.
#[derive(Default)]
struct From {
    states: Vec<u64>,
    blocks: Vec<u64>,
    degrees: Vec<u32>,
    labels: Vec<LabelId>,
    /// Twice the place of a live state, or once more than twice that of a final block.
    targets: Vec<u32>,
}

/// Refines the blocks of these own states, which ascend, and of which the others that are not
/// final are states of other workers; blocks of live states get new numbers. How many there
/// are of all workers, and how many have one member; `single` is told which states are these.
///
/// # Errors
/// If another worker is lost, or there is no room.
pub(crate) fn refine(
    worker: &mut dyn Worker,
    refined: Refined<'_>,
    states: &[u32],
    mut single: impl FnMut(u32),
) -> Result<Owned, Error> {
    let (me, peers) = (worker.index(), worker.peers());
    let Refined {
        part,
        block: column,
        numbers,
        kind,
    } = refined;
    let start = part.ranges.of(part.index).start;
    let mut from: Vec<From> = (0..peers).map(|_| From::default()).collect();
    let block = &*column;
    exchange(
        worker,
        |outbox| {
            states.iter().try_for_each(|&state| {
                outbox.record(WHO, |packet| {
                    wire::put_state(packet, start + u64::from(state));
                    wire::put_state(packet, block.get(state as usize));
                    wire::put_u32(packet, part.row(state as usize).0.len() as u32);
                })
            })
        },
        |sender, records| {
            let from = &mut from[sender];
            while !records.is_empty() {
                from.states.push(records.state()?);
                from.blocks.push(records.state()?);
                from.degrees.push(records.u32()?);
            }
            Ok(())
        },
    )?;
    // The places of live states among those of all workers, which are in their order.
    let live: Vec<u64> = from
        .iter_mut()
        .flat_map(|from| std::mem::take(&mut from.states))
        .collect();
    let mut finals: HashMap<u64, u32, RandomState> = HashMap::default();
    let first = gathered_before(worker, states.len() as u64)?;
    let place = |target: u32| first + states.partition_point(|&state| state < target) as u64;
    exchange(
        worker,
        |outbox| {
            for &state in states {
                let (labels, targets) = part.row(state as usize);
                for (&label, &target) in labels.iter().zip(targets) {
                    outbox.record(WHO, |packet| {
                        wire::put_u32(packet, label);
                        if target as usize >= part.states() {
                            packet.push(GHOST);
                            wire::put_state(packet, part.global(target));
                            wire::put_state(packet, block.get(target as usize));
                        } else if states.binary_search(&target).is_ok() {
                            packet.push(LIVE);
                            wire::put_state(packet, place(target));
                        } else {
                            packet.push(FINAL);
                            wire::put_state(packet, block.get(target as usize));
                        }
                    })?;
                }
            }
            Ok(())
        },
        |sender, records| {
            let mut place_of = |block: u64| {
                let next = finals.len() as u32;
                2 * *finals.entry(block).or_insert(next) + 1
            };
            let from = &mut from[sender];
            while !records.is_empty() {
                from.labels.push(LabelId::new(records.u32()?));
                from.targets.push(match records.u8()? {
                    LIVE => 2 * records.state()? as u32,
                    FINAL => place_of(records.state()?),
                    GHOST => {
                        let (state, block) = (records.state()?, records.state()?);
                        match live.binary_search(&state) {
                            Ok(place) => 2 * place as u32,
                            Err(_) => place_of(block),
                        }
                    }
                    _ => return Err(Error::Packet),
                });
            }
            Ok(())
        },
    )?;
    let mut answer = Vec::new();
    let mut owned = Owned::default();
    let counts: Vec<usize> = from.iter().map(|from| from.blocks.len()).collect();
    if me == WHO && !live.is_empty() {
        drop(live);
        let part = Gathered::new(from, finals.len() as u32, kind.table(&part.table))?;
        let (class, sizes) = part.refine(kind);
        owned.keys = sizes.len() as u64;
        owned.singles = sizes.iter().filter(|&&size| size == 1).count() as u64;
        let numbers = sizes
            .iter()
            .map(|_| numbers.fresh())
            .collect::<Result<Vec<u64>, Error>>()?;
        answer.extend(class.iter().map(|&class| {
            let class = class as usize;
            (numbers[class], sizes[class] == 1)
        }));
    }
    let mut next = states.iter();
    exchange(
        worker,
        |outbox| {
            let mut answers = answer.iter();
            for (to, &count) in counts.iter().enumerate() {
                for &(number, is_single) in answers.by_ref().take(count) {
                    outbox.record(to, |packet| {
                        wire::put_state(packet, number);
                        packet.push(u8::from(is_single));
                    })?;
                }
            }
            Ok(())
        },
        |_, records| {
            while !records.is_empty() {
                let state = *next.next().ok_or(Error::Packet)? as usize;
                column.set(state, records.state()?);
                if records.u8()? != 0 {
                    single(state as u32);
                }
            }
            Ok(())
        },
    )?;
    if next.next().is_some() {
        return Err(Error::Packet);
    }
    let [keys, singles] = sums(worker, [owned.keys, owned.singles])?;
    Ok(Owned { keys, singles })
}

/// How many of something the workers before this one have.
fn gathered_before(worker: &mut dyn Worker, own: u64) -> Result<u64, Error> {
    let index = worker.index();
    let all = gather(worker, &own.to_le_bytes())?;
    let before = all[..index].iter().map(|one| wire::Cursor::new(one).u64());
    before.sum()
}

impl Kind {
    /// The labels of transitions.
    fn table(self, known: &LabelTable) -> LabelTable {
        let mut table = known.clone();
        let mut text = b"divergence".to_vec();
        while self == Kind::Branching && table.len() == known.len() {
            table
                .intern(&text)
                .expect("there are fewer labels than numbers");
            text.push(b'\'');
        }
        table
    }
}

/// The rest of all workers: final blocks, and after them the live states.
struct Gathered {
    lts: Lts,
    block: Vec<u32>,
    finals: u32,
}

impl Gathered {
    fn new(from: Vec<From>, finals: u32, table: LabelTable) -> Result<Self, Error> {
        let mut number: HashMap<u64, u32, RandomState> = HashMap::default();
        let mut block: Vec<u32> = (0..finals).collect();
        let mut lengths = vec![0; finals as usize];
        let (mut labels, mut targets) = (Vec::new(), Vec::new());
        for part in from {
            block.extend(part.blocks.iter().map(|&block| {
                let next = finals + number.len() as u32;
                *number.entry(block).or_insert(next)
            }));
            lengths.extend(part.degrees.iter().map(|&degree| degree as usize));
            labels.extend(part.labels);
            targets.extend(part.targets.iter().map(|&target| {
                StateId::new(match target % 2 {
                    0 => finals + target / 2,
                    _ => target / 2,
                })
            }));
        }
        let states = lengths.len() as u32;
        let fits = lengths.iter().sum::<usize>() == targets.len()
            && labels.iter().all(|label| label.index() < table.len())
            && targets.iter().all(|target| target.get() < states);
        if !fits {
            return Err(Error::Packet);
        }
        let lts = Lts::from_parts(LtsParts {
            initial: StateId::new(0),
            offsets: Offsets::from_lengths(lengths),
            labels,
            targets,
            table,
        });
        Ok(Self { lts, block, finals })
    }

    /// The class of each live state, numbered in the order of their first members, and how
    /// many members each has.
    fn refine(self, kind: Kind) -> (Vec<u32>, Vec<u32>) {
        let Self { lts, block, finals } = self;
        let of: Vec<u32> = match kind {
            Kind::Strong => {
                let partition = strong_partition_from(&lts, block, finals, &mut |_| ());
                drop(lts);
                partition.into_classes()
            }
            Kind::Branching => branching(lts, block, finals),
        };
        let classes = of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut number = vec![u32::MAX; classes];
        let mut sizes: Vec<u32> = Vec::new();
        let class = of[finals as usize..].iter().map(|&class| {
            let number = &mut number[class as usize];
            if *number == u32::MAX {
                *number = sizes.len() as u32;
                sizes.push(0);
            }
            sizes[*number as usize] += 1;
            *number
        });
        let class = class.collect();
        (class, sizes)
    }
}

/// The class of each state by branching bisimilarity, beginning with these blocks.
fn branching(lts: Lts, block: Vec<u32>, finals: u32) -> Vec<u32> {
    let states = lts.states();
    // Numbered anew, so that hidden transitions lead to smaller numbers; final blocks, which
    // have none, stay at the beginning.
    let order = tau_components(&lts).of;
    let mut by_order: Vec<u32> = (finals..states as u32).collect();
    by_order.sort_unstable_by_key(|&state| order[state as usize]);
    drop(order);
    let mut place: Vec<u32> = (0..states as u32).collect();
    for (&state, new) in by_order.iter().zip(finals..) {
        place[state as usize] = new;
    }
    let mut new_block = block.clone();
    for (&block, &new) in block.iter().zip(&place) {
        new_block[new as usize] = block;
    }
    drop((by_order, block));
    let lts = renumbered(lts, &place, states);
    let partition = branching_partition_from(lts, new_block, finals, &mut |_| ());
    let classes = partition.classes();
    place.iter().map(|&new| classes[new as usize]).collect()
}
