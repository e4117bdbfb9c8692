//! Partition refinement by signatures that are taken over along inert steps: hidden
//! transitions within a block (Blom & van de Pol, Distributed branching bisimulation
//! minimization by inductive signatures, 2009).
//!
//! In a round, a state is signed when what its inert steps lead to has its new signature:
//! first those without such steps, then upwards; each worker goes as far as it can before it
//! tells others. The set of a state holds the labels with the blocks of the targets, but for
//! inert steps, and the new signatures of its inert successors, each as one element. If all
//! of that, but for one successor's signature as an element, is in the set of that
//! signature, the state takes it over: it can do nothing that the successor could not.
//!
//! A signature is known by a hash of 128 bits, its set by who has a state that made it. Who
//! needs to know whether it holds some elements asks there; 64 bits that tell most of what a
//! set does not hold go with the hash. Signatures that are elements, or might be taken over
//! by who has more than one of them, have their sets compared in the end of the round with
//! others of the same hash: two sets of one hash could separate what is equivalent, which no
//! check of the result would find. All other collisions leave together what is not
//! equivalent, which the [check](crate::bottoms) does find.
//!
//! Blocks have exact numbers ([`numbers`](crate::numbers)). A state that is alone in its
//! block is final: it is not signed any more, and nobody is told of it. Once few blocks
//! split, a block that does not keeps its number, and blocks are only signed that are new,
//! or have a state with a successor whose number is.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;
use hyades_base::bits::{Bits, Ranked};
use hyades_base::parallel;
use hyades_base::signature::{Hasher, Key};

use crate::bottoms::{Checked, checked};
use crate::boundary::{Boundary, pulse};
use crate::column::Column;
use crate::components::HIDDEN;
use crate::contraction::{Contracted, hidden_targets};
use crate::ghosts::refresh;
use crate::meter::{Kind, Meter};
use crate::numbers::{Numbers, Owned};
use crate::options::{Observer, Options, Phase, end_round};
use crate::rest;
use crate::saved::{Header, Saved, Snapshot};
use crate::strong::{REACHED, SINGLE, element, maximum};
use crate::worker::{Long, Outbox, Worker, answer, exchange, sum};
use crate::{Error, wire};

/// No key: those of signatures are never 0.
const NONE: Key = 0;

/// A thread signs at least so many states together.
const TOGETHER: usize = 1 << 9;

/// How much there was to do.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Effort {
    /// Supersteps in which new signatures crossed from worker to worker.
    pub waves: u64,
    /// Rounds that were begun anew, as two sets that were looked at had one hash.
    pub repeated: u64,
    /// Questions for sets that other workers have, of this worker.
    pub questions: u64,
}

/// A partition of nodes that is being refined.
pub(crate) struct Refinement<'a> {
    pub contracted: &'a Contracted,
    /// The number of the block of each place.
    pub block: Column,
    /// Own nodes that may share their blocks.
    pub live: Bits,
    numbers: Numbers,
    /// How many blocks live nodes have at all workers.
    blocks: u64,
    /// How many others there are, with one node each.
    singles: u64,
    /// Whether blocks that do not split keep their numbers.
    is_sparse: bool,
    /// Own live nodes that are to be signed: all of their blocks; nothing stands for all.
    dirty: Option<Bits>,
    /// Whether there may be an inert step somewhere.
    steps: bool,
    /// Whether one may lead to another worker.
    crosses: bool,
    pub rounds: u64,
    pub attempt: u64,
    /// The bits of hashes that are used.
    mask: Key,
    /// What a worker can have of the rest of all.
    room: rest::Room,
    pub effort: Effort,
}

/// What a round has made of the nodes that were signed.
struct Renumbered {
    owned: Owned,
    /// Those whose blocks have other numbers.
    changed: Vec<u32>,
    /// Of blocks that were signed, how many this worker owns, if those that do not split keep
    /// their numbers.
    signed: u64,
}

/// What all workers have after a round.
struct Totals {
    /// Keys of nodes that were signed, and those of one node.
    keys: u64,
    singles: u64,
    /// Blocks that were signed, as in [`Renumbered`].
    signed: u64,
    /// Nodes whose blocks have other numbers.
    moved: u64,
    /// Nodes that were signed and had inert steps.
    waiting: u64,
    /// Live nodes, and their transitions.
    live: u64,
    transitions: u64,
    /// Workers at which it is time to save.
    is_due: u64,
}

impl<'a> Refinement<'a> {
    /// All nodes in one block, or in those that were saved.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn new(
        worker: &mut Meter<'_>,
        contracted: &'a Contracted,
        saved: Option<&Saved>,
        options: &Options,
    ) -> Result<Self, Error> {
        let part = &contracted.part;
        let peers = worker.peers();
        if part.table.len() as u64 + 1 >= LABELS {
            return Err(Error::Room {
                what: "labels",
                limit: LABELS - 2,
            });
        }
        let mut refinement = Self {
            block: Column::new(part.states() + part.ghosts.len()),
            live: contracted.names.clone(),
            // The first block has number 0.
            numbers: Numbers::after(worker, 1),
            blocks: 1,
            singles: 0,
            is_sparse: false,
            dirty: None,
            steps: true,
            crosses: peers > 1,
            rounds: 0,
            attempt: 0,
            mask: Key::from(options.mask) << 64 | Key::from(options.mask),
            room: rest::Room::new(worker.of(Kind::Search), part, options)?,
            effort: Effort::default(),
            contracted,
        };
        if let Some(Saved {
            header,
            block,
            flags,
            ..
        }) = saved
        {
            for state in contracted.names.iter() {
                refinement
                    .block
                    .set(state as usize, block.get(state as usize));
                if flags[state as usize] & SINGLE != 0 {
                    refinement.live.remove(state);
                }
            }
            refinement.numbers = Numbers::after(worker, header.numbers);
            refinement.blocks = header.blocks - header.singles;
            refinement.singles = header.singles;
            refinement.rounds = header.rounds;
            refinement.attempt = header.attempt;
            let worker = worker.of(Kind::Ghosts);
            refresh(worker, part, &mut refinement.block, None, [], |_| ())?;
        }
        Ok(refinement)
    }

    /// Refines until each block is stable, exactly.
    ///
    /// # Errors
    /// If another worker is lost, or there are too many blocks.
    pub fn run(
        &mut self,
        worker: &mut Meter<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Checked, Error> {
        loop {
            while self.round(worker, observer)? {}
            let states = self.live.iter().collect();
            let check = worker.of(Kind::Check);
            if let Some(checked) = checked(check, self.contracted, &self.block, states)? {
                return Ok(checked);
            }
            // The hash has taken unequal signatures for equal.
            self.attempt += 1;
            self.dirty = None;
        }
    }

    /// The own nodes that are to be signed.
    fn signed(&self) -> &Bits {
        self.dirty.as_ref().unwrap_or(&self.live)
    }

    /// One round; whether there may be more to refine.
    fn round(
        &mut self,
        worker: &mut Meter<'_>,
        observer: &mut dyn Observer,
    ) -> Result<bool, Error> {
        let (keys, waiting) = loop {
            if let Some(signed) = self.sign(worker.of(Kind::Keys))? {
                break signed;
            }
            self.attempt += 1;
            self.effort.repeated += 1;
        };
        let renumbered = self.renumber(worker.of(Kind::Keys), keys)?;
        let is_due = observer.is_due();
        let (all, mut is_changed) =
            self.share(worker.of(Kind::Ghosts), &renumbered, waiting, is_due)?;
        let (before, is_sparse) = (self.blocks, self.is_sparse);
        let signed = if is_sparse { all.signed } else { before };
        if self.dirty.is_none() {
            // Steps that are not inert never are again.
            self.steps = all.waiting > 0;
        }
        self.blocks = before + all.keys - signed - all.singles;
        self.singles += all.singles;
        let phase = match is_sparse {
            true => Phase::Sparse,
            false => Phase::Dense,
        };
        self.tell(worker, observer, phase, all.live);
        if all.keys == signed || all.live == 0 {
            return Ok(false);
        }
        if is_sparse && all.moved > 0 {
            let changed = renumbered.changed.iter();
            changed.for_each(|&state| _ = is_changed.insert(state));
            self.dirty = Some(self.touched(worker.of(Kind::Keys), &is_changed)?);
        }
        self.is_sparse |= all.keys < before + before / 4;
        if all.is_due > 0 {
            self.save(worker, observer)?;
        }
        // There are more columns than by strong bisimilarity. Final blocks that live nodes lead
        // to are states, too: of one with a very long row these are most of what there is.
        let finals = all.transitions.min(self.blocks + self.singles);
        let needed = rest::needed(2 * all.live + finals, 3 * all.transitions);
        match self.room.fits(needed, self.rounds) {
            true => {
                self.finish_rest(worker, observer)?;
                Ok(false)
            }
            false => Ok(true),
        }
    }

    /// Gives the nodes that were signed the numbers of their keys, in their order; once few
    /// blocks split, those that do not keep theirs.
    fn renumber(&mut self, worker: &mut dyn Worker, keys: Vec<Key>) -> Result<Renumbered, Error> {
        let states: Vec<u32> = self.signed().iter().collect();
        let old: Vec<u64> = match self.is_sparse {
            true => states.iter().map(|&s| self.block.get(s as usize)).collect(),
            false => Vec::new(),
        };
        let (block, live) = (&mut self.block, &mut self.live);
        let each = |k: usize, number, is_single| {
            block.set(states[k] as usize, number);
            if is_single {
                live.remove(states[k]);
            }
        };
        let owned = self.numbers.number(worker, keys, each)?;
        let (changed, signed) = match self.is_sparse {
            true => self.keep(worker, &states, &old)?,
            false => (states, 0),
        };
        Ok(Renumbered {
            owned,
            changed,
            signed,
        })
    }

    /// Tells the numbers of own nodes that have changed to those who have them as ghosts. What
    /// all workers have now; and, once few blocks split, the ghosts whose numbers have changed.
    fn share(
        &mut self,
        worker: &mut dyn Worker,
        renumbered: &Renumbered,
        waiting: u64,
        is_due: bool,
    ) -> Result<(Totals, Bits), Error> {
        let part = &self.contracted.part;
        let degree = |state: u32| part.row(state as usize).0.len() as u64;
        let own = [
            renumbered.owned.keys,
            renumbered.owned.singles,
            renumbered.signed,
            renumbered.changed.len() as u64,
            waiting,
            self.live.count(),
            self.live.iter().map(degree).sum(),
            u64::from(is_due),
        ];
        let is_sparse = self.is_sparse;
        let mut is_changed = Bits::new(match is_sparse {
            true => self.block.len(),
            false => 0,
        });
        let [
            keys,
            singles,
            signed,
            moved,
            waiting,
            live,
            transitions,
            is_due,
        ] = refresh(
            worker,
            part,
            &mut self.block,
            Some(&renumbered.changed),
            own,
            |ghost| {
                if is_sparse {
                    is_changed.insert(ghost);
                }
            },
        )?;
        let all = Totals {
            keys,
            singles,
            signed,
            moved,
            waiting,
            live,
            transitions,
            is_due,
        };
        Ok((all, is_changed))
    }

    /// Gives those of these states their numbers back whose blocks have not split. The
    /// others, and how many blocks of this worker there were.
    fn keep(
        &mut self,
        worker: &mut dyn Worker,
        states: &[u32],
        old: &[u64],
    ) -> Result<(Vec<u32>, u64), Error> {
        let peers = worker.peers();
        let new = |k: usize| self.block.get(states[k] as usize);
        let mut pairs: Vec<(u64, u64)> = (0..states.len()).map(|k| (old[k], new(k))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut asked: Vec<Vec<u64>> = vec![Vec::new(); peers];
        for &(old, _) in &pairs {
            asked[Numbers::owner(old, peers)].push(old);
        }
        // The number that all states of a block have now, if it is one.
        let mut only: HashMap<u64, Option<u64>, RandomState> = HashMap::default();
        let mut received: Vec<Vec<u64>> = vec![Vec::new(); peers];
        exchange(
            worker,
            |outbox| {
                pairs.iter().try_for_each(|&(old, new)| {
                    outbox.record(Numbers::owner(old, peers), |packet| {
                        wire::put_state(packet, old);
                        wire::put_state(packet, new);
                    })
                })
            },
            |from, records| {
                while !records.is_empty() {
                    let (old, new) = (records.state()?, records.state()?);
                    let only = only.entry(old).or_insert(Some(new));
                    *only = only.filter(|&only| only == new);
                    received[from].push(old);
                }
                Ok(())
            },
        )?;
        let mut kept: Vec<u64> = Vec::new();
        answer(
            worker,
            &received,
            |packet, block| {
                let is_kept = only.get(block).is_some_and(Option::is_some);
                packet.push(is_kept.into());
            },
            &asked,
            |block, records| {
                if records.u8()? != 0 {
                    kept.push(block);
                }
                Ok(())
            },
        )?;
        kept.sort_unstable();
        let mut changed = Vec::new();
        for (&state, &old) in states.iter().zip(old) {
            match kept.binary_search(&old) {
                Ok(_) => self.block.set(state as usize, old),
                Err(_) => changed.push(state),
            }
        }
        Ok((changed, only.len() as u64))
    }

    /// The own live nodes of blocks that are new, or have a node with a successor of
    /// another number than before.
    fn touched(&self, worker: &mut dyn Worker, is_changed: &Bits) -> Result<Bits, Error> {
        let part = &self.contracted.part;
        let peers = worker.peers();
        let touched = |state: usize| {
            let is_old = self.live.contains(state as u32) && !is_changed.contains(state as u32);
            let targets = part.row(state).1;
            let is_touched = is_old && targets.iter().any(|&target| is_changed.contains(target));
            is_touched.then(|| self.block.get(state))
        };
        let mut blocks = parallel::filter_map(part.states(), TOGETHER, touched);
        blocks.sort_unstable();
        blocks.dedup();
        // Owners of blocks tell all workers, each block once.
        let mut owned: Vec<u64> = Vec::new();
        exchange(
            worker,
            |outbox| {
                blocks.iter().try_for_each(|&block| {
                    let owner = Numbers::owner(block, peers);
                    outbox.record(owner, |packet| wire::put_state(packet, block))
                })
            },
            |_, records| {
                while !records.is_empty() {
                    owned.push(records.state()?);
                }
                Ok(())
            },
        )?;
        owned.sort_unstable();
        owned.dedup();
        blocks.clear();
        exchange(
            worker,
            |outbox| {
                for to in 0..peers {
                    for &block in &owned {
                        outbox.record(to, |packet| wire::put_state(packet, block))?;
                    }
                }
                Ok(())
            },
            |_, records| {
                while !records.is_empty() {
                    blocks.push(records.state()?);
                }
                Ok(())
            },
        )?;
        blocks.sort_unstable();
        let mut dirty = Bits::new(part.states());
        for state in self.live.iter() {
            let block = self.block.get(state as usize);
            if is_changed.contains(state) || blocks.binary_search(&block).is_ok() {
                dirty.insert(state);
            }
        }
        Ok(dirty)
    }

    fn tell(&mut self, worker: &Meter<'_>, observer: &mut dyn Observer, phase: Phase, live: u64) {
        self.rounds += 1;
        let blocks = self.blocks + self.singles;
        end_round(observer, worker, self.rounds, phase, (blocks, live));
    }

    /// Lets one worker refine the rest.
    fn finish_rest(
        &mut self,
        worker: &mut Meter<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(), Error> {
        let part = &self.contracted.part;
        let states: Vec<u32> = self.live.iter().collect();
        let refined = rest::Refined {
            part,
            block: &mut self.block,
            numbers: &mut self.numbers,
            kind: rest::Kind::Branching,
        };
        let live = &mut self.live;
        let found = rest::refine(worker.of(Kind::Rest), refined, &states, |state| {
            live.remove(state);
        })?;
        self.blocks = found.keys - found.singles;
        self.singles += found.singles;
        let [live] = refresh(
            worker.of(Kind::Ghosts),
            part,
            &mut self.block,
            Some(&states),
            [self.live.count()],
            |_| (),
        )?;
        self.tell(worker, observer, Phase::Rest, live);
        Ok(())
    }

    /// What may be saved now: each state by itself, as other workers may have other nodes.
    fn save(&self, worker: &mut Meter<'_>, observer: &mut dyn Observer) -> Result<(), Error> {
        let Contracted {
            part,
            nodes,
            reached,
            names,
            ..
        } = self.contracted;
        let worker = worker.of(Kind::Search);
        let mut block = self.block.clone();
        let shared = nodes.spread(worker, part, reached, &mut block)?;
        let is_single = |state: u32| {
            names.contains(state) && !self.live.contains(state) && !shared.contains(state)
        };
        let flags: Vec<u8> = (0..part.states() as u32)
            .map(|state| {
                let reached = u8::from(reached.contains(state)) * REACHED;
                reached | (u8::from(is_single(state)) * SINGLE)
            })
            .collect();
        let singles = flags.iter().filter(|&&flags| flags & SINGLE != 0).count();
        let header = Header {
            states: part.ranges.states(),
            rounds: self.rounds,
            attempt: self.attempt,
            numbers: maximum(worker, self.numbers.next())?,
            blocks: self.blocks + self.singles,
            singles: sum(worker, singles as u64)?,
            settled: 0,
        };
        observer.save(&Snapshot {
            header: &header,
            block: &block,
            flags: &flags,
        })
    }

    /// Signs the nodes that are to be; their keys, in their order, and how many of them have inert
    /// steps. Nothing if two sets that were looked at have one hash.
    fn sign(&mut self, worker: &mut dyn Worker) -> Result<Option<(Vec<Key>, u64)>, Error> {
        let mut round = Round::new(self);
        let (mut effort, mut crosses, mut differ) = (self.effort, self.crosses, 0);
        let waiting = round.waiting.iter().filter(|&&count| count > 0).count() as u64;
        if self.steps {
            if crosses {
                let (boundary, total) = round.boundary(worker)?;
                crosses = total > 0;
                if crosses {
                    round.waves(worker, &boundary, &mut effort)?;
                }
            }
            if !crosses {
                let complete = round.begun();
                round.close(complete, None);
            }
            differ = round.sets.differ(worker)?;
        }
        let mut keys = round.keys;
        self.effort = effort;
        if self.dirty.is_none() {
            self.crosses = crosses;
        }
        if differ > 0 {
            return Ok(None);
        }
        let mut next = 0;
        for state in self.signed().iter() {
            keys[next] = keys[state as usize];
            next += 1;
        }
        keys.truncate(next);
        match keys.contains(&NONE) {
            // Hidden transitions have no cycles, so that all are signed if all has arrived.
            true => Err(Error::Packet),
            false => Ok(Some((keys, waiting))),
        }
    }
}

/// What is known of the signature of a ghost.
#[derive(Clone, Copy, Default)]
struct Known {
    key: Key,
    /// Bits for the elements of the set.
    mask: u64,
    /// The worker that has a state that made the set, and which one.
    holder: u32,
    state: u32,
}

/// A round.
struct Round<'r> {
    contracted: &'r Contracted,
    block: &'r Column,
    /// The nodes that are signed.
    live: &'r Bits,
    hasher: Hasher,
    index: u32,
    /// The keys of live states that have been signed.
    keys: Vec<Key>,
    /// For each of these the state that made the set, or the place in `known` of the ghost
    /// that has the set, counted from the number of states on.
    source: Vec<u32>,
    /// How many inert successors of a state have not been signed.
    waiting: Vec<u32>,
    /// Ghosts that inert steps lead to.
    inert: Ranked,
    known: Vec<Known>,
    sets: Sets,
}

/// Sets that have been looked at.
struct Sets {
    /// By the signatures as elements.
    places: HashMap<u64, Place, RandomState>,
    elements: Vec<u64>,
    /// The own states whose sets are among them.
    states: Bits,
    /// How many of those differ from others of the same key.
    differ: u64,
}

/// Where a set is.
struct Place {
    start: usize,
    end: usize,
    /// Bits for its elements.
    mask: u64,
}

/// What a state's own row says of its signature.
enum Judged {
    /// It has that of its only inert successor: the key, and the source.
    Taken(Key, u32),
    /// It may have that of one of its inert successors: its elements, ascending, but for
    /// the signatures of these; and these, ascending, with their sources.
    Open(Vec<u64>, Vec<(Key, u32)>),
}

/// The number of a question, who is asked, for the set of which state, and for which elements.
type Question = (u32, u32, u32, Box<[u64]>);

/// States that wait for answers, and what is asked.
#[derive(Default)]
struct Questions {
    /// A number for each question of the round: who is asked, for the set of which state,
    /// and for which elements.
    numbers: HashMap<(u32, u32, Box<[u64]>), u32, RandomState>,
    /// The answer to each of them, if there is one.
    answers: Vec<Option<bool>>,
    /// Questions that have not been sent.
    unsent: Vec<Question>,
    /// States, each with where its questions end.
    open: Vec<(u32, usize)>,
    /// Which question is asked for which signature: its key and source.
    asked: Vec<(u32, Key, u32)>,
}

impl Questions {
    /// The number of a question, which is to be sent if it is a new one.
    fn number(&mut self, holder: u32, state: u32, elements: Box<[u64]>) -> u32 {
        match self.numbers.entry((holder, state, elements)) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let number = self.answers.len() as u32;
                self.answers.push(None);
                let elements = entry.key().2.clone();
                self.unsent.push((number, holder, state, elements));
                *entry.insert(number)
            }
        }
    }
}

/// A signature is told.
const TOLD: u8 = 0;
/// A question is asked.
const QUESTION: u8 = 1;
/// One is answered.
const ANSWER: u8 = 2;

/// What is known from wave to wave.
struct Waves<'w> {
    boundary: &'w Boundary,
    /// Ghosts that inert steps lead to.
    ghosts: Vec<u32>,
    /// Own states that others have as such.
    is_told: Bits,
    /// Own states and ghosts that have been signed since the last wave began.
    complete: Vec<u32>,
    questions: Questions,
    /// Questions that have been sent to each worker, in their order, and have not been answered
    /// before this wave.
    sent: Vec<Vec<u32>>,
    /// How many of them have been answered in this wave.
    answered: Vec<usize>,
    /// The answers to those of each worker that have not been sent.
    answers: Vec<Vec<bool>>,
}

/// For each worker the questions to it: for the set of which state, and for which elements.
type Asking<'q> = Vec<Vec<(u32, &'q [u64])>>;

/// What there is to tell in a wave.
struct Wave<'q> {
    /// The answers to each worker.
    answers: Vec<Vec<bool>>,
    /// Own states that have been signed, ascending, and what others are told of them.
    told: Vec<u32>,
    known: Vec<Known>,
    asking: Asking<'q>,
}

impl Wave<'_> {
    /// How many records that takes.
    fn records(&self, boundary: &Boundary) -> u64 {
        let answers: usize = self.answers.iter().map(Vec::len).sum();
        let questions: usize = self.asking.iter().map(Vec::len).sum();
        boundary.count(&self.told) + (questions + answers) as u64
    }

    fn send(&self, boundary: &Boundary, outbox: &mut Outbox<'_, '_>) -> Result<(), Error> {
        for (to, answers) in self.answers.iter().enumerate() {
            for &answer in answers {
                outbox.record(to, |packet| packet.extend([ANSWER, answer.into()]))?;
            }
        }
        boundary.told(&self.told, |peer, place, k| {
            outbox.record(peer, |packet| {
                let Known {
                    key,
                    mask,
                    holder,
                    state,
                } = self.known[k];
                packet.push(TOLD);
                wire::put_u32(packet, place);
                wire::put_u128(packet, key);
                wire::put_u64(packet, mask);
                wire::put_u32(packet, holder);
                wire::put_u32(packet, state);
            })
        })?;
        for (to, asking) in self.asking.iter().enumerate() {
            for &(state, elements) in asking {
                outbox.record(to, |packet| {
                    packet.push(QUESTION);
                    wire::put_u32(packet, state);
                    wire::put_u32(packet, elements.len() as u32);
                    elements.iter().for_each(|&e| wire::put_u64(packet, e));
                })?;
            }
        }
        Ok(())
    }
}

impl<'w> Waves<'w> {
    /// Begins with the states that have been signed by themselves.
    fn new(round: &Round<'_>, boundary: &'w Boundary, peers: usize) -> Self {
        let mut is_told = Bits::new(round.keys.len());
        (0..peers)
            .flat_map(|peer| boundary.subscribed(peer))
            .for_each(|&state| {
                is_told.insert(state);
            });
        Self {
            boundary,
            ghosts: round.inert.bits().iter().collect(),
            is_told,
            complete: round.begun(),
            questions: Questions::default(),
            sent: vec![Vec::new(); peers],
            answered: vec![0; peers],
            answers: vec![Vec::new(); peers],
        }
    }

    /// Signs what can be signed here, and tells others; whether any worker has told something.
    fn next(
        &mut self,
        round: &mut Round<'_>,
        worker: &mut dyn Worker,
        effort: &mut Effort,
    ) -> Result<bool, Error> {
        let complete = std::mem::take(&mut self.complete);
        let mut told = round.close(complete, Some(&mut self.questions));
        told.retain(|&state| self.is_told.contains(state));
        told.sort_unstable();
        let unsent = std::mem::take(&mut self.questions.unsent);
        effort.questions += unsent.len() as u64;
        let peers = self.sent.len();
        let wave = Wave {
            known: told.iter().map(|&state| round.told(state)).collect(),
            told,
            asking: self.asking(&unsent)?,
            answers: std::mem::replace(&mut self.answers, vec![Vec::new(); peers]),
        };
        let boundary = self.boundary;
        let total = pulse(
            worker,
            wave.records(boundary),
            |outbox| wave.send(boundary, outbox),
            |from, records| {
                while !records.is_empty() {
                    self.receive(round, from, records)?;
                }
                Ok(())
            },
        )?;
        effort.waves += 1;
        if total == 0 {
            return Ok(false);
        }
        for (sent, answered) in self.sent.iter_mut().zip(&mut self.answered) {
            sent.drain(..std::mem::take(answered));
        }
        round.settle(&mut self.questions, &mut self.complete);
        Ok(true)
    }

    /// The questions by who is asked, which are from now on questions that have been sent.
    ///
    /// # Errors
    /// If there is no such worker.
    fn asking<'q>(&mut self, unsent: &'q [Question]) -> Result<Asking<'q>, Error> {
        let mut asking: Asking<'_> = vec![Vec::new(); self.sent.len()];
        for (number, holder, state, elements) in unsent {
            let holder = *holder as usize;
            let sent = self.sent.get_mut(holder).ok_or(Error::Packet)?;
            sent.push(*number);
            asking[holder].push((*state, elements));
        }
        Ok(asking)
    }

    /// Takes what another worker tells, asks or answers.
    fn receive(
        &mut self,
        round: &mut Round<'_>,
        from: usize,
        records: &mut wire::Cursor<'_>,
    ) -> Result<(), Error> {
        match records.u8()? {
            TOLD => {
                let rank = self.boundary.ghost(from, records.u32()?)?;
                round.known[rank as usize] = Known {
                    key: records.u128()?,
                    mask: records.u64()?,
                    holder: records.u32()?,
                    state: records.u32()?,
                };
                let states = round.keys.len() as u32;
                self.complete.push(states + self.ghosts[rank as usize]);
            }
            QUESTION => {
                let state = records.u32()?;
                let key = round.keys.get(state as usize).copied();
                let key = key.filter(|&key| key != NONE).ok_or(Error::Packet)?;
                let set = round.set(key, state);
                let mut holds = true;
                for _ in 0..records.u32()? {
                    holds &= set.binary_search(&records.u64()?).is_ok();
                }
                self.answers[from].push(holds);
            }
            ANSWER => {
                let number = self.sent[from].get(self.answered[from]);
                let number = *number.ok_or(Error::Packet)?;
                self.answered[from] += 1;
                self.questions.answers[number as usize] = Some(records.u8()? != 0);
            }
            _ => return Err(Error::Packet),
        }
        Ok(())
    }
}

impl<'r> Round<'r> {
    fn new(refinement: &'r Refinement<'_>) -> Self {
        let Refinement {
            contracted, block, ..
        } = refinement;
        let live = refinement.signed();
        let part = &contracted.part;
        let states = part.states();
        let mut round = Self {
            contracted,
            block,
            live,
            hasher: Hasher::new(refinement.attempt, refinement.mask),
            index: part.index as u32,
            keys: Vec::new(),
            source: (0..states as u32).collect(),
            waiting: Vec::new(),
            inert: Ranked::new(Bits::new(0)),
            known: Vec::new(),
            sets: Sets {
                places: HashMap::default(),
                elements: Vec::new(),
                states: Bits::new(states),
                differ: 0,
            },
        };
        round.waiting = parallel::map(states, TOGETHER, |state| {
            match live.contains(state as u32) {
                true => round.inert_successors(state as u32).count() as u32,
                false => 0,
            }
        });
        round.keys = parallel::map_with(states, TOGETHER, |set: &mut Vec<u64>, state| {
            match live.contains(state as u32) && round.waiting[state] == 0 {
                true => {
                    round.own_elements(state as u32, set);
                    round.key(state as u32, set)
                }
                false => NONE,
            }
        });
        round
    }

    /// The key of a signature in the block of a state.
    fn key(&self, state: u32, set: &[u64]) -> Key {
        let block = self.block.get(state as usize);
        self.hasher.key(block, set).max(1)
    }

    /// The places that the inert steps of a state lead to.
    fn inert_successors(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        let own = self.block.get(state as usize);
        let targets = hidden_targets(&self.contracted.part, state).iter().copied();
        targets.filter(move |&target| self.block.get(target as usize) == own)
    }

    /// The elements of a state's set but for those of inert steps, ascending.
    fn own_elements(&self, state: u32, set: &mut Vec<u64>) {
        let own = self.block.get(state as usize);
        set.clear();
        let (labels, targets) = self.contracted.part.row(state as usize);
        for (&label, &target) in labels.iter().zip(targets) {
            let to = self.block.get(target as usize);
            if label != HIDDEN || to != own {
                set.push(element(label, to));
            }
        }
        set.sort_unstable();
        set.dedup();
    }

    /// All elements of the set of a state, whose inert successors have been signed.
    fn elements(&self, state: u32, set: &mut Vec<u64>) {
        self.own_elements(state, set);
        let own = set.len();
        let signatures = self.inert_successors(state);
        set.extend(signatures.map(|place| nested(self.signed(place).0)));
        if set.len() > own {
            set.sort_unstable();
            set.dedup();
        }
    }

    /// The key and the source of an own state or a ghost that has been signed.
    fn signed(&self, place: u32) -> (Key, u32) {
        let states = self.keys.len() as u32;
        match place.checked_sub(states) {
            None => (self.keys[place as usize], self.source[place as usize]),
            Some(ghost) => {
                let rank = self.inert.rank(ghost);
                (self.known[rank as usize].key, states + rank)
            }
        }
    }

    /// Tells owners of ghosts which ones inert steps lead to; which own states those of
    /// others lead to, and how many there are at all workers.
    fn boundary(&mut self, worker: &mut dyn Worker) -> Result<(Boundary, u64), Error> {
        let part = &self.contracted.part;
        let states = part.states() as u32;
        let mut inert = Bits::new(part.ghosts.len());
        for state in self.live.iter() {
            if self.waiting[state as usize] > 0 {
                let ghosts = self
                    .inert_successors(state)
                    .filter_map(|t| t.checked_sub(states));
                ghosts.for_each(|ghost| {
                    inert.insert(ghost);
                });
            }
        }
        let mut subscribed = vec![Vec::new(); worker.peers()];
        let mut counts = vec![0; worker.peers()];
        let base = |owner: usize| {
            let first = part.ranges.of(owner).start;
            part.ghosts.partition_point(|&ghost| ghost < first) as u32
        };
        let bases: Vec<u32> = (0..worker.peers()).map(base).collect();
        let total = pulse(
            worker,
            inert.count(),
            |outbox| {
                inert.iter().try_for_each(|ghost| {
                    let owner = part.ranges.owner(part.ghosts[ghost as usize]);
                    counts[owner] += 1;
                    outbox.record(owner, |packet| wire::put_u32(packet, ghost - bases[owner]))
                })
            },
            |from, records| {
                while !records.is_empty() {
                    let place = records.u32()? as usize;
                    let state = part.subscribed[from].get(place).ok_or(Error::Packet)?;
                    subscribed[from].push(*state);
                }
                Ok(())
            },
        )?;
        self.known = vec![Known::default(); inert.count() as usize];
        self.inert = Ranked::new(inert);
        Ok((Boundary::new(subscribed, counts.into_iter()), total))
    }

    /// The states that have been signed by themselves.
    fn begun(&self) -> Vec<u32> {
        let is_begun = |state: &u32| self.keys[*state as usize] != NONE;
        self.live.iter().filter(is_begun).collect()
    }

    /// Signs what can be signed after these own states and ghosts have been. Gives the
    /// states back, and those that have been signed since, but for ghosts. Without
    /// `questions` none needs to be asked.
    fn close(&mut self, mut complete: Vec<u32>, mut questions: Option<&mut Questions>) -> Vec<u32> {
        let states = self.keys.len() as u32;
        let mut start = 0;
        let mut ready: Vec<u32> = Vec::new();
        let mut judged: Vec<Judged> = Vec::new();
        loop {
            ready.clear();
            for &place in &complete[start..] {
                let own = self.block.get(place as usize);
                for &state in self.contracted.hidden.of(place) {
                    if self.live.contains(state) && self.block.get(state as usize) == own {
                        let waiting = &mut self.waiting[state as usize];
                        *waiting = waiting.saturating_sub(1);
                        if *waiting == 0 {
                            ready.push(state);
                        }
                    }
                }
            }
            start = complete.len();
            if ready.is_empty() {
                break;
            }
            parallel::map_into(&mut judged, ready.len(), TOGETHER, |k| self.judge(ready[k]));
            for (&state, judged) in ready.iter().zip(judged.drain(..)) {
                let settled = match judged {
                    Judged::Taken(key, source) => Some((key, source)),
                    Judged::Open(own, signatures) => {
                        self.compare(state, &own, &signatures, questions.as_deref_mut())
                    }
                };
                if let Some((key, source)) = settled {
                    self.keys[state as usize] = key;
                    self.source[state as usize] = source;
                    complete.push(state);
                }
            }
        }
        complete.retain(|&place| place < states);
        complete
    }

    fn judge(&self, state: u32) -> Judged {
        let mut own = Vec::new();
        self.own_elements(state, &mut own);
        let successors = self.inert_successors(state);
        let mut signatures: Vec<(Key, u32)> = successors.map(|place| self.signed(place)).collect();
        signatures.sort_unstable();
        signatures.dedup_by_key(|signature| signature.0);
        match (&own[..], &signatures[..]) {
            ([], &[(key, source)]) => Judged::Taken(key, source),
            _ => Judged::Open(own, signatures),
        }
    }

    /// The key and the source of a state with these elements and signatures of inert
    /// successors; nothing if others have to be asked.
    fn compare(
        &mut self,
        state: u32,
        own: &[u64],
        signatures: &[(Key, u32)],
        questions: Option<&mut Questions>,
    ) -> Option<(Key, u32)> {
        let states = self.keys.len() as u32;
        let nested: Vec<u64> = signatures.iter().map(|s| nested(s.0)).collect();
        let others = |k: usize| {
            let others = nested
                .iter()
                .enumerate()
                .filter(move |&(other, _)| other != k);
            own.iter()
                .copied()
                .chain(others.map(|(_, &element)| element))
        };
        let mut open = Vec::new();
        let own_sources = signatures.iter().filter(|signature| signature.1 < states);
        own_sources.for_each(|&(key, source)| _ = self.set(key, source));
        for (k, &(key, source)) in signatures.iter().enumerate() {
            if source < states {
                let set = self.set(key, source);
                if others(k).all(|element| set.binary_search(&element).is_ok()) {
                    return Some((key, source));
                }
                continue;
            }
            let mask = self.known[(source - states) as usize].mask;
            if others(k).all(|element| mask & bit(element) != 0) {
                open.push(k);
            }
        }
        if open.is_empty() {
            return Some(self.made(state, own, &nested));
        }
        // Only ghosts are asked for, and there are such only if there are others to ask.
        let questions = questions?;
        let before = questions.asked.len();
        for k in open {
            let (key, source) = signatures[k];
            let Known { holder, state, .. } = self.known[(source - states) as usize];
            let number = questions.number(holder, state, others(k).collect());
            match questions.answers[number as usize] {
                Some(false) => {}
                Some(true) => {
                    // What else was asked for this state is answered in vain.
                    questions.asked.truncate(before);
                    return Some((key, source));
                }
                None => questions.asked.push((number, key, source)),
            }
        }
        if questions.asked.len() == before {
            return Some(self.made(state, own, &nested));
        }
        questions.open.push((state, questions.asked.len()));
        None
    }

    /// The key of a state that takes no signature over.
    fn made(&self, state: u32, own: &[u64], nested: &[u64]) -> (Key, u32) {
        let mut set = [own, nested].concat();
        set.sort_unstable();
        set.dedup();
        (self.key(state, &set), state)
    }

    /// The set of a signature that an own state has made.
    fn set(&mut self, key: Key, state: u32) -> &[u64] {
        self.look_at(key, state);
        let place = self.sets.places.get(&nested(key));
        place.map_or(&[], |place| &self.sets.elements[place.start..place.end])
    }

    fn look_at(&mut self, key: Key, state: u32) {
        if self.sets.states.insert(state) {
            let mut set = Vec::new();
            self.elements(state, &mut set);
            self.sets.add(nested(key), &set);
        }
    }

    /// What others are told of the signature of an own state.
    fn told(&mut self, state: u32) -> Known {
        let (key, source) = self.signed(state);
        match source.checked_sub(self.keys.len() as u32) {
            Some(rank) => self.known[rank as usize],
            None => {
                // Many states may have the signature of one with a very large set.
                self.look_at(key, source);
                let place = self.sets.places.get(&nested(key));
                Known {
                    key,
                    mask: place.map_or(0, |place| place.mask),
                    holder: self.index,
                    state: source,
                }
            }
        }
    }

    /// Signs all states, with what others tell.
    fn waves(
        &mut self,
        worker: &mut dyn Worker,
        boundary: &Boundary,
        effort: &mut Effort,
    ) -> Result<(), Error> {
        let mut waves = Waves::new(self, boundary, worker.peers());
        while waves.next(self, worker, effort)? {}
        Ok(())
    }

    /// Signs the states all of whose questions have been answered.
    fn settle(&mut self, questions: &mut Questions, complete: &mut Vec<u32>) {
        let open = std::mem::take(&mut questions.open);
        let asked = std::mem::take(&mut questions.asked);
        let mut start = 0;
        for (state, end) in open {
            let of = &asked[start..end];
            start = end;
            let answer = |number: u32| questions.answers[number as usize];
            let taken = of.iter().find(|asked| answer(asked.0) == Some(true));
            let is_open = of.iter().any(|asked| answer(asked.0).is_none());
            let (key, source) = match taken {
                Some(&(_, key, source)) => (key, source),
                None if is_open => {
                    questions.asked.extend_from_slice(of);
                    questions.open.push((state, questions.asked.len()));
                    continue;
                }
                None => {
                    let mut set = Vec::new();
                    self.elements(state, &mut set);
                    (self.key(state, &set), state)
                }
            };
            self.keys[state as usize] = key;
            self.source[state as usize] = source;
            complete.push(state);
        }
    }
}

impl Sets {
    fn add(&mut self, nested: u64, set: &[u64]) {
        match self.places.entry(nested) {
            Entry::Occupied(entry) => {
                let &Place { start, end, .. } = entry.get();
                self.differ += u64::from(self.elements[start..end] != *set);
            }
            Entry::Vacant(entry) => {
                let start = self.elements.len();
                self.elements.extend_from_slice(set);
                entry.insert(Place {
                    start,
                    end: self.elements.len(),
                    mask: set.iter().fold(0, |mask, &element| mask | bit(element)),
                });
            }
        }
    }

    /// How many sets of all workers differ from others of the same key: each worker tells
    /// its own to owners of keys.
    fn differ(&self, worker: &mut dyn Worker) -> Result<u64, Error> {
        let peers = worker.peers();
        if peers == 1 {
            return Ok(self.differ);
        }
        let mut owned = Self {
            places: HashMap::default(),
            elements: Vec::new(),
            states: Bits::new(0),
            differ: self.differ,
        };
        let mut long = Long::new(peers);
        let total = pulse(
            worker,
            self.places.len() as u64,
            |outbox| {
                self.places.iter().try_for_each(|(&nested, place)| {
                    let &Place { start, end, .. } = place;
                    let to = (nested % peers as u64) as usize;
                    let set = &self.elements[start..end];
                    outbox.long(to, set, |packet| wire::put_u64(packet, nested))
                })
            },
            |from, records| {
                while !records.is_empty() {
                    if let Some(set) = long.read(from, records)? {
                        owned.add(records.u64()?, set);
                    }
                }
                Ok(())
            },
        )?;
        match total {
            0 => Ok(0),
            _ => sum(worker, owned.differ),
        }
    }
}

/// All numbers of labels are less than this, that of divergence included: with the number of
/// a block a label is an element of 63 bits.
const LABELS: u64 = 1 << 23;

/// A signature as an element: none of a label and a block.
#[inline]
const fn nested(key: Key) -> u64 {
    key as u64 | 1 << 63
}

/// The bit of an element in a mask.
#[inline]
const fn bit(element: u64) -> u64 {
    1 << (element.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}
