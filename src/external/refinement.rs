//! Partition refinement with the partition in memory and the rows on disk.
//!
//! In a round all states that share their blocks are signed, in the order of their rows;
//! keys of 128 bits stand for block and signature. They are put into buckets by their
//! upper bits, which may be files, and equal ones are found bucket by bucket, so that
//! blocks have exact numbers. A state that is alone in its block is final: it keeps its
//! number, and its row is not looked at any more. Once the rows of the others are less
//! than half of those in the file, they are copied; once they fit memory, the engine in
//! memory goes on. Otherwise signatures are compared in the end, element by element
//! ([`verify`](super::verify)).

use hyades_base::bits::{Bits, Ranked};
use hyades_base::parallel;
use hyades_base::signature::{Hasher, Key};
use hyades_equivalence::{
    Relation, branching_partition_from, partition_observed, strong_partition_from,
};
use hyades_formats::plts::Announced;
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, Offsets, StateId};

use crate::buckets::Buckets;
use crate::budget::Budget;
use crate::founded::{self, Founded};
use crate::inductive::{self, Room, Sets};
use crate::quotient::Stable;
use crate::scratch::{Disk, Within};
use crate::signature::sign;
use crate::store::{Rows, Store, StoreWriter};
use crate::{Error, Options, Round, RoundCallback};

/// How large an LTS is, as far as the memory of its refinement goes.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Extent {
    pub states: u64,
    pub transitions: u64,
    /// The transitions of the state that has most.
    pub longest: u64,
}

impl Kind {
    /// Bytes of memory that the engine in memory takes at the most for each state, for each
    /// transition, and for each transition of a row that a thread signs, with its input.
    const fn in_memory(&self) -> (u64, u64, u64) {
        match self {
            // A row that is signed has a table of up to four places for each transition.
            Kind::Strong => (72, 28, 32),
            // Beside the table, what the row and the two that it is compared with consist of.
            Kind::Branching(_) => (160, 80, 64),
        }
    }

    /// Bytes of memory that the engine in memory takes for an LTS, at the most.
    pub(crate) fn needed_in_memory(&self, extent: Extent) -> u64 {
        let Extent {
            states,
            transitions,
            longest,
        } = extent;
        let (state, transition, signed) = self.in_memory();
        // Threads sign different rows.
        let together = (parallel::threads() as u64 * longest).min(transitions);
        states * state + transitions * transition + together * signed
    }
}

/// No number.
pub(crate) const NONE: u32 = u32::MAX;

/// What a signature is.
pub(crate) enum Kind {
    /// The labels with the blocks of the targets.
    Strong,
    /// The same but for hidden transitions within the block, along which signatures are
    /// taken over. These lead to smaller numbers; the states have incoming hidden
    /// transitions.
    Branching(Bits),
}

/// A partition that is being refined.
pub(crate) struct Refinement<'a, 't> {
    disk: &'a Disk<'a>,
    budget: Budget,
    options: &'a Options,
    pub(crate) kind: Kind,
    /// All rows.
    rows: &'a Store<'a>,
    table: &'t LabelTable,
    /// Those of the states that were not final when they were copied, if they were.
    copy: Option<Store<'a>>,
    /// The block of each state that can be reached. Those of final states are numbered
    /// from the top down, all others from 0 on.
    pub(crate) block: Vec<u32>,
    reached: &'a Bits,
    /// States that can be reached and are not alone in their blocks, as far as is known.
    pub(crate) live: Bits,
    /// How many blocks these have.
    pub(crate) live_blocks: u32,
    /// About how many transitions the live states have.
    live_transitions: u64,
    /// What there was of live states when they were signed last.
    signed: Extent,
    /// Whether live states were found to have more transitions than what they were said to have
    /// by their share in all.
    is_uneven: bool,
    rounds: u64,
    /// Bytes of other columns.
    kept: u64,
    pub(crate) attempt: u64,
}

/// What signing a block of rows has given.
struct Signed {
    keys: Vec<(Key, u32)>,
    transitions: u64,
    longest: u64,
    /// The rows, if they are to be copied.
    rows: Option<Rows>,
}

impl<'a, 't> Refinement<'a, 't> {
    pub fn new(
        disk: &'a Disk<'a>,
        options: &'a Options,
        rows: &'a Store<'a>,
        table: &'t LabelTable,
        reached: &'a Bits,
        kind: Kind,
    ) -> Self {
        Self {
            kind,
            disk,
            budget: Budget::new(options.memory),
            options,
            rows,
            table,
            copy: None,
            block: vec![0; rows.states() as usize],
            reached,
            live: reached.clone(),
            live_blocks: 1,
            live_transitions: rows.transitions(),
            signed: Extent {
                states: reached.count(),
                transitions: rows.transitions(),
                longest: 0,
            },
            is_uneven: false,
            rounds: 0,
            kept: 0,
            attempt: 0,
        }
    }

    /// Memory beside the columns.
    pub(crate) fn rest(&self) -> Result<u64, Error> {
        let fixed = columns(self.rows.states());
        self.budget.beside(fixed + self.kept)
    }

    /// Leaves so many bytes of memory to others.
    pub fn beside(mut self, bytes: u64) -> Self {
        self.kept = bytes;
        self
    }

    /// Refines until the partition is stable.
    pub fn run(&mut self, observer: &mut RoundCallback<'_>) -> Result<(), Error> {
        let share = match &self.kind {
            Kind::Strong => 2,
            // Beside sets.
            Kind::Branching(_) => 4,
        };
        let mut buckets = Buckets::new(self.disk, self.live.count(), self.rest()? / share);
        let mut is_first = matches!(self.kind, Kind::Strong);
        loop {
            // A state that is alone stays so: without others there is nothing left to do.
            if self.live.count() == 0 || self.finish_in_memory(observer)? {
                return Ok(());
            }
            if std::mem::take(&mut is_first) && self.begin(&mut buckets)? {
                self.tell(observer);
                continue;
            }
            let before = self.live_blocks;
            self.sign(&mut buckets)?;
            let groups = self.number(&mut buckets)?;
            self.tell(observer);
            if groups == before && self.verify()? {
                return Ok(());
            }
        }
    }

    /// Gives blocks to the states without infinite paths, if they are found soon and there is
    /// memory for it; whether it has. All others are in one block. Should different classes have
    /// the same hash, they are told apart in rounds.
    fn begin(&mut self, buckets: &mut Buckets<'_>) -> Result<bool, Error> {
        let states = self.rows.states();
        // Buckets have a quarter at first.
        if founded::needed(states) > self.rest()? / 8 * 5 {
            return Ok(false);
        }
        let hasher = Hasher::new(self.attempt, self.options.mask);
        let mut block = std::mem::take(&mut self.block);
        let Some(founded) = Founded::find(self.rows, self.reached, hasher, &mut block)? else {
            block.fill(0);
            self.block = block;
            return Ok(false);
        };
        for state in self.reached.iter() {
            let key = match founded.states.contains(state) {
                true => hasher.key(1, &[founded.hash(state)]),
                false => hasher.key(0, &[]),
            };
            buckets.push(key, state)?;
        }
        drop(founded);
        self.block = block;
        self.number(buckets)?;
        Ok(true)
    }

    /// What has been found.
    pub fn into_stable(self) -> Stable<'a> {
        Stable {
            block: self.block,
            reached: self.reached,
            live: self.live,
            live_blocks: self.live_blocks,
        }
    }

    /// How many classes there are.
    fn classes(&self) -> u64 {
        self.reached.count() - self.live.count() + u64::from(self.live_blocks)
    }

    fn tell(&mut self, observer: &mut RoundCallback<'_>) {
        self.rounds += 1;
        observer(&Round {
            number: self.rounds,
            classes: self.classes(),
            live: self.live.count(),
            bytes_read: self.disk.bytes_read(),
            bytes_written: self.disk.bytes_written(),
        });
    }

    pub(crate) fn live_rows(&self) -> &Store<'a> {
        self.copy.as_ref().unwrap_or(self.rows)
    }

    /// Signs the live states, and copies their rows if they are less than half of those
    /// in the file.
    fn sign(&mut self, buckets: &mut Buckets<'_>) -> Result<(), Error> {
        let store = self.live_rows();
        let is_copied = 2 * self.live_transitions < store.transitions();
        let folder = self.disk.new_name("rows");
        let mut files = Within::new(self.disk, &folder);
        let mut copy = None;
        if is_copied {
            self.disk.create_folder(&folder)?;
            let announced = Announced {
                states: store.states(),
                labels: self.table.len() as u64,
            };
            let limits = self.budget.limits();
            copy = Some(StoreWriter::new(
                &mut files,
                announced,
                Some(store.states()),
                limits,
            ));
        }
        let hasher = Hasher::new(self.attempt, self.options.mask);
        let (live, block) = (&self.live, &self.block[..]);
        let mut extent = Extent {
            states: live.count(),
            ..Extent::default()
        };
        let mut copied = |rows: Option<Rows>| match (&mut copy, rows) {
            (Some(copy), Some(rows)) => {
                copied(copy, &rows, live).map_err(|error| self.disk.failed(&folder, error))
            }
            _ => Ok(()),
        };
        match &self.kind {
            Kind::Strong => store.pass(
                |states| live.meets(states),
                |rows| signed(rows, live, block, hasher, is_copied),
                |signed| {
                    extent.transitions += signed.transitions;
                    extent.longest = extent.longest.max(signed.longest);
                    for (key, state) in signed.keys {
                        buckets.push(key, state)?;
                    }
                    copied(signed.rows)
                },
            )?,
            Kind::Branching(awaited) => {
                let (rest, long_row) = (self.rest()?, store.of_long_row());
                let room = Room {
                    // A quarter is for buckets, half filled, and blocks; another one is free.
                    most: (rest / 2).saturating_sub(long_row.saturating_sub(rest / 4)),
                    beside: columns(block.len() as u64) + self.kept,
                    long_row,
                    states: live.count(),
                };
                let mut sets = Sets::new(self.disk, hasher, block.len(), room);
                store.pass(
                    |states| live.meets(states),
                    |rows| {
                        let signed = inductive::signed(&rows, live, block, hasher);
                        (signed, is_copied.then_some(rows))
                    },
                    |(signed, rows)| {
                        extent.transitions += signed.transitions;
                        extent.longest = extent.longest.max(signed.longest);
                        sets.complete(&signed, block, awaited, |key, state| {
                            buckets.push(key, state)
                        })?;
                        copied(rows)
                    },
                )?;
            }
        }
        let states = store.states();
        self.live_transitions = extent.transitions;
        self.signed = extent;
        if let Some(mut copy) = copy {
            filled(&mut copy, states).map_err(|error| self.disk.failed(&folder, error))?;
            let initial = 0;
            self.copy = Some(copy.finish(self.disk, folder, self.table, initial)?);
        }
        Ok(())
    }

    /// Gives numbers to blocks, and empties the buckets; how many blocks the states have
    /// that were live.
    fn number(&mut self, buckets: &mut Buckets<'_>) -> Result<u32, Error> {
        buckets.settle();
        let before = self.live.count();
        let mut blocks = 0;
        let mut finals = 0;
        let top = self.block.len() as u32 - (self.reached.count() - before) as u32;
        let mut assign = |size: u32| match size {
            1 => {
                finals += 1;
                top - finals
            }
            _ => {
                blocks += 1;
                blocks - 1
            }
        };
        let (block, live, disk) = (&mut self.block, &mut self.live, self.disk);
        let mut place = |state: u32, number: u32, size: u32| {
            let place = block.get_mut(state as usize);
            *place.ok_or_else(|| disk.unread("", damaged_key()))? = number;
            if size == 1 {
                live.remove(state);
            }
            Ok(())
        };
        let (small, large): (Vec<usize>, Vec<usize>) =
            (0..buckets.count()).partition(|&number| buckets.fits(number));
        for numbers in small.chunks(parallel::threads()) {
            for groups in parallel::map_each(numbers, |&number| buckets.groups(number)) {
                let groups = groups?;
                let numbers: Vec<u32> = groups.sizes.iter().map(|&size| assign(size)).collect();
                for (state, group) in groups.states() {
                    let group = group as usize;
                    place(state, numbers[group], groups.sizes[group])?;
                }
            }
        }
        for number in large {
            buckets.stream_groups(number, &mut assign, &mut place)?;
        }
        buckets.clear()?;
        self.live_blocks = blocks;
        let left = u128::from(self.live_transitions) * u128::from(self.live.count());
        self.live_transitions = (left / u128::from(before.max(1))) as u64;
        Ok(blocks + finals)
    }

    /// Lets the engine in memory finish if there is room for it; whether it has.
    fn finish_in_memory(&mut self, observer: &mut RoundCallback<'_>) -> Result<bool, Error> {
        let room = match self.options.streams_only {
            true => return Ok(false),
            false => self.rest()?,
        };
        let finals = self.reached.count() - self.live.count();
        // Where few states have most of the transitions, they may all be among the live ones.
        let transitions = match self.is_uneven {
            true => self.signed.transitions,
            false => self.live_transitions,
        };
        // Most of the targets of few transitions may be final.
        let targets = finals.min(transitions);
        let about = Extent {
            states: self.live.count() + targets,
            transitions,
            longest: match self.is_uneven {
                true => self.signed.longest,
                false => 0,
            },
        };
        if self.kind.needed_in_memory(about) > room {
            return Ok(false);
        }
        let part = match LivePart::read(self, room)? {
            Ok(part) => part,
            Err(found) => {
                self.is_uneven = true;
                self.signed.longest = self.signed.longest.max(found.longest);
                return Ok(false);
            }
        };
        self.take(part, observer);
        Ok(true)
    }

    /// Finishes the refinement of the live part.
    fn take(&mut self, part: LivePart, observer: &mut RoundCallback<'_>) {
        let LivePart { lts, live, finals } = part;
        let is_begun = self.rounds > 0 || self.attempt > 0;
        let known = self.classes() - u64::from(self.live_blocks);
        let (rounds, read, written) = (
            self.rounds,
            self.disk.bytes_read(),
            self.disk.bytes_written(),
        );
        let mut last = rounds;
        let mut tell = |round: &hyades_equivalence::Round| {
            last = rounds + round.number;
            observer(&Round {
                number: last,
                classes: known + (round.classes as u64).saturating_sub(finals.into()),
                live: live.bits().count(),
                bytes_read: read,
                bytes_written: written,
            });
        };
        let own = live.bits().iter().map(|s| finals + self.block[s as usize]);
        let block = || (0..finals).chain(own).collect();
        let partition = match self.kind {
            // States without infinite paths are found first.
            Kind::Strong if !is_begun => partition_observed(&lts, Relation::Strong, &mut tell)
                .expect("strong bisimilarity has a partition"),
            Kind::Strong => strong_partition_from(&lts, block(), finals, &mut tell),
            Kind::Branching(_) => branching_partition_from(lts, block(), finals, &mut tell),
        };
        self.rounds = last;
        // The classes of live states are numbered anew, without those of final ones.
        let mut number = vec![NONE; partition.count()];
        let mut next = 0;
        for (s, &class) in live
            .bits()
            .iter()
            .zip(&partition.classes()[finals as usize..])
        {
            let number = &mut number[class as usize];
            if *number == NONE {
                *number = next;
                next += 1;
            }
            self.block[s as usize] = *number;
        }
        self.live_blocks = next;
    }
}

/// Memory for the columns of so many states: blocks, and three sets of states, one of which
/// tells ranks.
pub(crate) fn columns(states: u64) -> u64 {
    4 * states + states / 2
}

fn damaged_key() -> std::io::Error {
    crate::chunks::damaged("it has a state that there is none of")
}

/// Signs the live states of some rows.
fn signed(rows: Rows, live: &Bits, block: &[u32], hasher: Hasher, is_copied: bool) -> Signed {
    let mut signed = Signed {
        keys: Vec::with_capacity(rows.degrees.len()),
        transitions: 0,
        longest: 0,
        rows: None,
    };
    let mut set = Vec::new();
    for (state, labels, targets) in rows.iter() {
        if live.contains(state) {
            sign(labels, targets, block, &mut set);
            let key = hasher.key(block[state as usize].into(), &set);
            signed.keys.push((key, state));
            signed.transitions += targets.len() as u64;
            signed.longest = signed.longest.max(targets.len() as u64);
        }
    }
    signed.rows = is_copied.then_some(rows);
    signed
}

/// Copies the rows of live states.
fn copied(copy: &mut StoreWriter<'_>, rows: &Rows, live: &Bits) -> std::io::Result<()> {
    filled(copy, rows.first.into())?;
    for (state, labels, targets) in rows.iter() {
        match live.contains(state) {
            true => copy.state(labels.iter().copied().zip(targets.iter().copied()))?,
            false => copy.state([])?,
        }
    }
    Ok(())
}

/// Writes empty rows until there are so many.
fn filled(copy: &mut StoreWriter<'_>, states: u64) -> std::io::Result<()> {
    while copy.states() < states {
        copy.state([])?;
    }
    Ok(())
}

/// Makes room for so many more, and not for twice as many as there are.
pub(crate) fn reserve<T>(column: &mut Vec<T>, more: usize) {
    if column.capacity() - column.len() < more {
        let eighth = column.len() / 8;
        column.reserve_exact(more.max(eighth));
    }
}

/// The live states with their rows, in memory, in their order; before them, the final ones
/// that these lead to, without rows.
struct LivePart {
    lts: Lts,
    live: Ranked,
    finals: u32,
}

impl LivePart {
    /// Reads it if what the engine in memory makes of it fits so much memory; otherwise what
    /// there is of it up to where that shows. What is read never takes more than that.
    fn read(refinement: &Refinement<'_, '_>, room: u64) -> Result<Result<Self, Extent>, Error> {
        let (live, block) = (&refinement.live, &refinement.block);
        let mut lengths: Vec<u32> = Vec::new();
        let (mut labels, mut targets) = (Vec::new(), Vec::new());
        let expected = refinement.live_transitions as usize;
        lengths.reserve_exact(live.count() as usize);
        labels.reserve_exact(expected);
        targets.reserve_exact(expected);
        let kind = &refinement.kind;
        let mut finals = Bits::new(block.len());
        let store = refinement.live_rows();
        let mut extent = Extent::default();
        let mut is_large = false;
        store.pass(
            |states| live.meets(states),
            |rows| rows,
            |rows| {
                for (state, row_labels, row_targets) in rows.iter() {
                    if is_large || !live.contains(state) {
                        continue;
                    }
                    for &target in row_targets {
                        if !live.contains(target) {
                            finals.insert(target);
                        }
                    }
                    let length = row_targets.len() as u64;
                    extent = Extent {
                        states: lengths.len() as u64 + 1 + finals.count(),
                        transitions: extent.transitions + length,
                        longest: extent.longest.max(length),
                    };
                    if kind.needed_in_memory(extent) > room {
                        is_large = true;
                        (labels, targets) = (Vec::new(), Vec::new());
                        continue;
                    }
                    lengths.push(row_targets.len() as u32);
                    reserve(&mut labels, row_labels.len());
                    reserve(&mut targets, row_targets.len());
                    labels.extend(row_labels.iter().map(|&label| LabelId::new(label)));
                    targets.extend(row_targets.iter().map(|&target| StateId::new(target)));
                }
                Ok(())
            },
        )?;
        if is_large {
            return Ok(Err(extent));
        }
        labels.shrink_to_fit();
        targets.shrink_to_fit();
        let (live, finals) = (Ranked::new(live.clone()), Ranked::new(finals));
        let count = finals.bits().count() as u32;
        parallel::for_each_mut(&mut targets, 1 << 14, |_, target| {
            let state = target.get();
            *target = StateId::new(match live.bits().contains(state) {
                true => count + live.rank(state),
                false => finals.rank(state),
            });
        });
        let without = std::iter::repeat_n(0, count as usize);
        let offsets = Offsets::from_lengths(without.chain(lengths.into_iter().map(|l| l as usize)));
        let lts = Lts::from_parts(LtsParts {
            initial: StateId::new(0),
            offsets,
            labels,
            targets,
            table: refinement.table.clone(),
        });
        Ok(Ok(Self {
            lts,
            live,
            finals: count,
        }))
    }
}
