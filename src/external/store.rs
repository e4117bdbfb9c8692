//! Rows of transitions on disk, of all states in their order, read from front to back.

use std::ops::Range;
use std::sync::mpsc::sync_channel;

use hyades_base::parallel;
use hyades_formats::options::Codec;
use hyades_formats::plts::{Announced, Block, LargestBlocks, Limits, Parts, Sums, Writer};
use hyades_formats::{LabelTable, ReadError};

use crate::Error;
use crate::budget::Budget;
use crate::scratch::{Disk, Within};

/// Rows on disk, as a partitioned LTS: the input itself, or temporary files, which are
/// removed when this is dropped.
pub(crate) struct Store<'a> {
    disk: &'a Disk<'a>,
    parts: Parts,
    /// The labels in memory, by those in the files; empty if they are the same.
    labels: Vec<u32>,
    /// The directory, if it is temporary.
    folder: Option<String>,
    pace: Pace,
    /// See [`Store::held`].
    held: u64,
    /// See [`Store::of_long_row`].
    long_row: u64,
}

/// How many blocks are in memory while all of them are read.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// So many are worked on at a time.
    together: usize,
    /// Whether others are read meanwhile.
    is_ahead: bool,
}

impl Pace {
    /// As fast as it goes.
    fn fastest() -> Self {
        Self {
            together: parallel::threads(),
            is_ahead: true,
        }
    }

    /// Bytes of memory for blocks of this size, and what becomes of them.
    fn memory(self, blocks: &LargestBlocks) -> u64 {
        // Those that wait, those that are worked on, and those that are read.
        let sets = if self.is_ahead { 3 } else { 1 };
        // Labels and targets, and a signature; degrees, ends of rows, and a key.
        let work = 20 * blocks.transitions + 60 * blocks.states;
        self.together as u64 * (sets * blocks.memory + work)
    }

    /// The fastest one for which a quarter of the memory is enough, or the slowest one.
    fn within(budget: Budget, blocks: &LargestBlocks) -> Self {
        let fastest = Self::fastest();
        let others = (1..=fastest.together).rev().map(|together| Self {
            together,
            is_ahead: false,
        });
        let slowest = Self {
            together: 1,
            is_ahead: false,
        };
        let mut all = std::iter::once(fastest).chain(others);
        all.find(|pace| budget.fits(4 * pace.memory(blocks)))
            .unwrap_or(slowest)
    }
}

/// The order in which what is on disk is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    Ascending,
    Descending,
}

impl Order {
    /// The other one.
    pub const fn reversed(self) -> Order {
        match self {
            Order::Ascending => Order::Descending,
            Order::Descending => Order::Ascending,
        }
    }

    /// First this one, then the other one, by turns.
    pub fn turns(self) -> impl Iterator<Item = Order> {
        [self, self.reversed()].into_iter().cycle()
    }
}

/// Rows of consecutive states.
#[derive(Default)]
pub(crate) struct Rows {
    pub first: u32,
    /// The number of transitions of each state.
    pub degrees: Vec<u32>,
    pub labels: Vec<u32>,
    pub targets: Vec<u32>,
}

impl Rows {
    /// The states with the labels and targets of their transitions.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u32], &[u32])> {
        let mut start = 0;
        (self.first..)
            .zip(&self.degrees)
            .map(move |(state, &degree)| {
                let row = start..start + degree as usize;
                start = row.end;
                (state, &self.labels[row.clone()], &self.targets[row])
            })
    }

    /// The same from the last state to the first one.
    pub fn descending(&self) -> impl Iterator<Item = (u32, &[u32], &[u32])> {
        let mut end = self.targets.len();
        let degrees = self.degrees.iter().enumerate().rev();
        degrees.map(move |(k, &degree)| {
            let row = end - degree as usize..end;
            end = row.start;
            let state = self.first + k as u32;
            (state, &self.labels[row.clone()], &self.targets[row])
        })
    }
}

impl Drop for Store<'_> {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            self.disk.remove(folder);
        }
    }
}

/// A block that has been loaded, and its number.
type Loaded = (usize, Block);

/// What a reader sends.
type Batch = Result<Vec<Loaded>, ReadError>;

impl<'a> Store<'a> {
    /// Of an input; `labels` are the numbers of its labels in memory. Its blocks have the
    /// size that who wrote it gave them: so many are in memory as the budget has room for.
    pub fn of_input(disk: &'a Disk<'a>, parts: Parts, labels: Vec<u32>, budget: Budget) -> Self {
        let blocks = parts.largest_blocks();
        let pace = Pace::within(budget, &blocks);
        Self {
            disk,
            pace,
            held: pace.memory(&blocks),
            long_row: 0,
            parts,
            labels,
            folder: None,
        }
    }

    /// Bytes of memory that its blocks take while it is read, but for those of temporary
    /// files, which are as large as [`Budget::limits`] has them.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Bytes of memory that the longest row of temporary files takes, with its signature, if it
    /// is longer than that: the row of one state is never split.
    pub fn of_long_row(&self) -> u64 {
        self.long_row
    }

    /// Gives labels the numbers that this has for those that they have.
    pub fn rename(&mut self, map: &[u32]) {
        match self.labels.is_empty() {
            true => self.labels.extend_from_slice(map),
            false => self
                .labels
                .iter_mut()
                .for_each(|label| *label = map[*label as usize]),
        }
    }

    pub fn states(&self) -> u64 {
        self.parts.states()
    }

    pub fn transitions(&self) -> u64 {
        self.parts.transitions()
    }

    pub fn blocks(&self) -> usize {
        self.parts.block_count()
    }

    pub fn states_of_block(&self, number: usize) -> Range<u64> {
        self.parts.states_of_block(number)
    }

    /// Reads a block.
    pub fn read(&self, number: usize, block: &mut Block) -> Result<Rows, Error> {
        self.parts.load_block(number, block)?;
        self.disk.count_read(block.stored_bytes() as u64);
        self.decoded(number, block)
    }

    fn decoded(&self, number: usize, block: &mut Block) -> Result<Rows, Error> {
        self.parts.decode_block(number, block)?;
        let mut rows = Rows {
            first: block.first() as u32,
            degrees: block
                .degrees()
                .iter()
                .map(|&degree| degree as u32)
                .collect(),
            ..Rows::default()
        };
        block.fill(&mut rows.labels, &mut rows.targets);
        if !self.labels.is_empty() {
            let renamed = |label: &mut u32| *label = self.labels[*label as usize];
            rows.labels.iter_mut().for_each(renamed);
        }
        Ok(rows)
    }

    /// Goes through the blocks whose states are wanted, from front to back. They are read
    /// ahead by a thread of its own, while others `work` on several at a time; what comes
    /// of each is collected in their order.
    ///
    /// # Errors
    /// Those of reading, and those of who collects.
    pub fn pass<R: Send>(
        &self,
        wanted: impl Fn(Range<u64>) -> bool + Sync,
        work: impl Fn(Rows) -> R + Sync,
        collect: impl FnMut(R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let is_wanted = |&number: &usize| wanted(self.states_of_block(number));
        let numbers = (0..self.blocks()).filter(is_wanted).collect();
        self.pass_summed(None, numbers, work, collect)
    }

    /// Goes through the rows of these blocks as [`Store::pass`] does, in this order.
    ///
    /// # Errors
    /// As [`Store::pass`].
    pub fn pass_rows(
        &self,
        blocks: Range<usize>,
        order: Order,
        mut tell: impl FnMut(u32, &[u32], &[u32]),
    ) -> Result<(), Error> {
        let numbers = match order {
            Order::Ascending => blocks.collect(),
            Order::Descending => blocks.rev().collect(),
        };
        let collect = |rows: Rows| {
            let mut tell = |(state, labels, targets): (u32, &[u32], &[u32])| {
                tell(state, labels, targets);
            };
            match order {
                Order::Ascending => rows.iter().for_each(&mut tell),
                Order::Descending => rows.descending().for_each(&mut tell),
            }
            Ok(())
        };
        self.pass_summed(None, numbers, |rows| rows, collect)
    }

    /// Goes through all blocks as [`Store::pass`] does. Those of an input are compared with
    /// the checksums of its parts: each by itself tells only that it is as somebody wrote
    /// it, perhaps for another LTS.
    ///
    /// # Errors
    /// If a checksum is another one, and as [`Store::pass`].
    pub fn checked_pass<R: Send>(
        &self,
        work: impl Fn(Rows) -> R + Sync,
        collect: impl FnMut(R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let is_temporary = self.folder.is_some();
        let mut sums = (!is_temporary).then(|| Sums::new(&self.parts));
        self.pass_summed(sums.as_mut(), (0..self.blocks()).collect(), work, collect)?;
        Ok(sums.map_or(Ok(()), |mut sums| sums.finish())?)
    }

    fn pass_summed<R: Send>(
        &self,
        mut sums: Option<&mut Sums<'_>>,
        numbers: Vec<usize>,
        work: impl Fn(Rows) -> R + Sync,
        mut collect: impl FnMut(R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Pace { together, is_ahead } = self.pace;
        let mut finish = |batch: Batch| -> Result<Vec<Block>, Error> {
            let blocks = batch?.into_iter();
            let mut slots: Vec<_> = blocks.map(|(k, block)| (k, block, None)).collect();
            parallel::for_each_mut(&mut slots, 1, |_, (number, block, result)| {
                *result = Some(self.decoded(*number, block).map(&work));
            });
            let mut blocks = Vec::with_capacity(slots.len());
            for (_, block, result) in slots {
                let result = result.transpose()?;
                if let Some(sums) = &mut sums {
                    sums.add(&block)?;
                }
                result.map_or(Ok(()), &mut collect)?;
                blocks.push(block);
            }
            Ok(blocks)
        };
        if numbers.len() <= together || !is_ahead {
            let mut blocks = Vec::new();
            for numbers in numbers.chunks(together) {
                blocks = finish(self.load(numbers, blocks))?;
            }
            return Ok(());
        }
        let (full, filled) = sync_channel::<Batch>(1);
        let (empty, emptied) = sync_channel::<Vec<Block>>(3);
        std::thread::scope(|scope| {
            let reader = std::thread::Builder::new().name("read-ahead".into());
            let numbers = &numbers;
            let spawned = reader.spawn_scoped(scope, move || {
                for numbers in numbers.chunks(together) {
                    let batch = self.load(numbers, emptied.try_recv().unwrap_or_default());
                    let is_last = batch.is_err();
                    if full.send(batch).is_err() || is_last {
                        return;
                    }
                }
            });
            spawned.map_err(|error| Error::Thread { error })?;
            for batch in filled {
                let blocks = finish(batch)?;
                // If nobody wants them, all has been read.
                let _ = empty.try_send(blocks);
            }
            Ok(())
        })
    }

    /// Reads blocks; the memory of others is used again.
    fn load(&self, numbers: &[usize], mut blocks: Vec<Block>) -> Batch {
        let load = |&number: &usize| {
            let mut block = blocks.pop().unwrap_or_default();
            self.parts.load_block(number, &mut block)?;
            self.disk.count_read(block.stored_bytes() as u64);
            Ok((number, block))
        };
        numbers.iter().map(load).collect()
    }
}

/// Writes rows of all states in their order.
pub(crate) struct StoreWriter<'w> {
    writer: Writer<'w>,
    /// How many states there are going to be, if somebody has told.
    expected: Option<u64>,
    states: u64,
    /// The first state of the next part.
    next_part: u64,
    limits: Limits,
}

/// A row of more transitions than this counts where memory is shared out.
const LONG: u64 = 1 << 16;

/// A part has so many states at least, unless it is the last one.
const PART: u64 = 1 << 20;

impl<'w> StoreWriter<'w> {
    pub fn new(
        files: &'w mut Within<'_>,
        announced: Announced,
        expected: Option<u64>,
        limits: Limits,
    ) -> Self {
        Self {
            writer: Writer::new(files, announced, Codec::None, limits),
            expected,
            states: 0,
            next_part: 0,
            limits,
        }
    }

    /// Expects so many states.
    pub fn expect(&mut self, states: u64) {
        self.expected = Some(states);
    }

    pub fn states(&self) -> u64 {
        self.states
    }

    /// Writes the row of the next state.
    pub fn state(&mut self, row: impl IntoIterator<Item = (u32, u32)>) -> std::io::Result<()> {
        if self.states == self.next_part {
            // A part that has another number of states than was planned is read once
            // more.
            let left = self.expected.and_then(|all| all.checked_sub(self.states));
            let planned = match left {
                Some(left) if left > 0 => left,
                _ => PART.max(self.states / 8),
            };
            self.writer.begin_part(planned)?;
            self.next_part += planned;
        }
        self.states += 1;
        let row = row.into_iter();
        self.writer
            .state(row.map(|(label, target)| (label, target.into())))
    }

    /// Ends it: the store.
    pub fn finish<'a>(
        self,
        disk: &'a Disk<'a>,
        folder: String,
        table: &LabelTable,
        initial: u32,
    ) -> Result<Store<'a>, Error> {
        let texts = table.visible().map(|(_, text)| text);
        let finished = self.writer.finish(texts, initial.into());
        let (_, bytes) = finished.map_err(|error| disk.failed(&folder, error))?;
        disk.count_written(bytes);
        let parts = Parts::open(disk.path(&folder))?;
        let largest = parts.largest_blocks();
        // Labels and targets; elements and inert steps.
        let long_row = match largest.transitions > self.limits.transitions.max(LONG) {
            true => largest.memory + (8 + 12) * largest.transitions,
            false => 0,
        };
        Ok(Store {
            disk,
            held: 0,
            long_row,
            parts,
            labels: Vec::new(),
            folder: Some(folder),
            pace: Pace::fastest(),
        })
    }
}
