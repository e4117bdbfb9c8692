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
    let mut rest = Rest::new(worker, &refined, states)?;
    rest.add_steps(worker, &refined, states)?;
    let Refined {
        part,
        block,
        numbers,
        kind,
    } = refined;
    let (answers, owned) = rest.refine(worker.index(), part, kind, numbers)?;
    answers.tell(worker, states, |state, number, is_single| {
        block.set(state as usize, number);
        if is_single {
            single(state);
        }
    })?;
    let [keys, singles] = sums(worker, [owned.keys, owned.singles])?;
    Ok(Owned { keys, singles })
}

/// The rest as the workers have told it, at who refines it; nothing at others.
struct Rest {
    from: Vec<From>,
    /// The live states of all workers, in their order.
    live: Vec<u64>,
    /// The places of final blocks.
    finals: HashMap<u64, u32, RandomState>,
}

impl Rest {
    /// Tells these own states, their blocks and how many transitions they have, none of which
    /// is there yet.
    fn new(worker: &mut dyn Worker, refined: &Refined<'_>, states: &[u32]) -> Result<Self, Error> {
        let Refined { part, block, .. } = refined;
        let start = part.ranges.of(part.index).start;
        let mut from: Vec<From> = (0..worker.peers()).map(|_| From::default()).collect();
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
        let live = from
            .iter_mut()
            .flat_map(|from| std::mem::take(&mut from.states))
            .collect();
        Ok(Self {
            from,
            live,
            finals: HashMap::default(),
        })
    }

    /// Tells the transitions of these own states.
    fn add_steps(
        &mut self,
        worker: &mut dyn Worker,
        refined: &Refined<'_>,
        states: &[u32],
    ) -> Result<(), Error> {
        let Refined { part, block, .. } = refined;
        // The places of live states are those among those of all workers.
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
                while !records.is_empty() {
                    let label = LabelId::new(records.u32()?);
                    self.from[sender].labels.push(label);
                    let target = self.target(records)?;
                    self.from[sender].targets.push(target);
                }
                Ok(())
            },
        )
    }

    /// The target of a transition, as it is told: what [`From::targets`] has for it.
    fn target(&mut self, records: &mut wire::Cursor<'_>) -> Result<u32, Error> {
        let mut place_of = |block: u64| {
            let next = self.finals.len() as u32;
            2 * *self.finals.entry(block).or_insert(next) + 1
        };
        Ok(match records.u8()? {
            LIVE => 2 * records.state()? as u32,
            FINAL => place_of(records.state()?),
            GHOST => {
                let (state, block) = (records.state()?, records.state()?);
                match self.live.binary_search(&state) {
                    Ok(place) => 2 * place as u32,
                    Err(_) => place_of(block),
                }
            }
            _ => return Err(Error::Packet),
        })
    }

    /// Refines it, if this worker does: what there is to answer, and how many blocks there are.
    fn refine(
        self,
        me: usize,
        part: &Part,
        kind: Kind,
        numbers: &mut Numbers,
    ) -> Result<(Answers, Owned), Error> {
        let Self { from, live, finals } = self;
        let mut answers = Answers {
            counts: from.iter().map(|from| from.blocks.len()).collect(),
            blocks: Vec::new(),
        };
        let mut owned = Owned::default();
        if me == WHO && !live.is_empty() {
            drop(live);
            let rest = Gathered::new(from, finals.len() as u32, kind.table(&part.table))?;
            let (class, sizes) = rest.refine(kind);
            owned.keys = sizes.len() as u64;
            owned.singles = sizes.iter().filter(|&&size| size == 1).count() as u64;
            let numbers = sizes
                .iter()
                .map(|_| numbers.fresh())
                .collect::<Result<Vec<u64>, Error>>()?;
            answers.blocks.extend(class.iter().map(|&class| {
                let class = class as usize;
                (numbers[class], sizes[class] == 1)
            }));
        }
        Ok((answers, owned))
    }
}

/// What is answered to the workers.
struct Answers {
    /// How many live states each of them has.
    counts: Vec<usize>,
    /// For each live state of all workers the number of its block, and whether it is the only
    /// one there.
    blocks: Vec<(u64, bool)>,
}

impl Answers {
    /// Tells them. `each` is told what is answered for these own states.
    fn tell(
        self,
        worker: &mut dyn Worker,
        states: &[u32],
        mut each: impl FnMut(u32, u64, bool),
    ) -> Result<(), Error> {
        let mut next = states.iter();
        exchange(
            worker,
            |outbox| {
                let mut blocks = self.blocks.iter();
                for (to, &count) in self.counts.iter().enumerate() {
                    for &(number, is_single) in blocks.by_ref().take(count) {
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
                    let state = *next.next().ok_or(Error::Packet)?;
                    let number = records.state()?;
                    each(state, number, records.u8()? != 0);
                }
                Ok(())
            },
        )?;
        match next.next() {
            Some(_) => Err(Error::Packet),
            None => Ok(()),
        }
    }
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
