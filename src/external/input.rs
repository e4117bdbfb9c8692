//! Inputs: how transitions in any order become rows on disk.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use hyades_base::bits::Bits;
use hyades_formats::plts::{Announced, Block};
use hyades_formats::{LabelId, LabelTable, Passed, Receiver, StateId, is_sparse};
use rayon::slice::ParallelSliceMut;

use crate::budget::Budget;
use crate::chunks::{Chunks, damaged, write_chunk};
use crate::reach::{Reached, reached};
use crate::refinement::columns;
use crate::scratch::{Disk, Within};
use crate::store::{Store, StoreWriter};
use crate::{Error, Options, Relabel, Source};

/// Bytes of a transition in a run: source, label and target.
const RECORD: usize = 12;
/// There are so many runs at the most: each is an open file.
const MOST_RUNS: usize = 512;

/// An LTS on disk.
pub struct Input<'a> {
    pub(crate) disk: &'a Disk<'a>,
    pub(crate) rows: Store<'a>,
    pub(crate) table: LabelTable,
    pub(crate) initial: u32,
    /// The states that can be reached.
    pub(crate) reached: Bits,
    used_labels: Vec<bool>,
}

hyades_base::opaque!(Input<'_>);

/// What has been passed on.
pub(crate) struct Spooled<'a> {
    pub rows: Store<'a>,
    pub table: LabelTable,
    pub initial: u32,
}

/// What becomes of transitions that are the same as others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Duplicates {
    /// They are written as often as they come.
    Kept,
    /// They are written once. So the row of a node that stands for many states takes no more
    /// memory than what is different about it, twice.
    Removed,
}

/// The row of a state.
struct Row {
    steps: Vec<(u32, u32)>,
    duplicates: Duplicates,
    /// So many of the first ones have been looked at.
    unique: usize,
}

/// So many transitions may be the same as others.
const FEW: usize = 1 << 12;

impl Row {
    fn new(duplicates: Duplicates) -> Self {
        Self {
            steps: Vec::new(),
            duplicates,
            unique: 0,
        }
    }

    #[inline]
    fn push(&mut self, label: u32, target: u32) {
        if self.steps.len() == self.steps.capacity() && self.steps.len() >= FEW + 2 * self.unique {
            self.remove_duplicates();
        }
        self.steps.push((label, target));
    }

    fn remove_duplicates(&mut self) {
        if self.duplicates == Duplicates::Removed {
            self.steps.sort_unstable();
            self.steps.dedup();
            self.unique = self.steps.len();
        }
    }

    /// Writes it, and begins the next one.
    fn write(&mut self, rows: &mut StoreWriter<'_>) -> io::Result<()> {
        self.remove_duplicates();
        let written = rows.state(self.steps.iter().copied());
        self.steps.clear();
        self.unique = 0;
        written
    }
}

/// Writes what a reader passes on.
///
/// As long as sources ascend, they are rows at once. Once they do not, all further
/// transitions are sorted by source in runs, which are merged in the end.
struct Spool<'a, 'w> {
    disk: &'a Disk<'a>,
    rows: StoreWriter<'w>,
    /// The row of the state that is the next to be written.
    row: Row,
    /// What comes after the first source that is below the one before it, or far above.
    run: Vec<[u32; 3]>,
    /// A run has so many transitions.
    most: usize,
    /// A chunk of a run has so many.
    chunk: usize,
    is_unsorted: bool,
    /// How many transitions have come.
    taken: u64,
    /// The names of runs, and how many transitions each has.
    runs: Vec<(String, u64)>,
    /// What went wrong, of which only a text reaches who reads.
    failed: Option<Error>,
}

impl Receiver for Spool<'_, '_> {
    fn expect(&mut self, transitions: u64, states: u64) -> io::Result<()> {
        if states > 0 {
            self.rows.expect(states);
        }
        let needed = transitions.saturating_mul(RECORD as u64);
        let room = self.disk.check_room(needed);
        self.kept(room.map_err(|error| self.disk.failed("", error)))
    }

    fn take(&mut self, transitions: &[[u32; 3]]) -> io::Result<()> {
        let taken = self.take_all(transitions);
        self.kept(taken)
    }
}

impl Spool<'_, '_> {
    /// Keeps an error.
    fn kept(&mut self, result: Result<(), Error>) -> io::Result<()> {
        result.map_err(|error| {
            self.failed = Some(error);
            io::ErrorKind::Other.into()
        })
    }

    fn take_all(&mut self, transitions: &[[u32; 3]]) -> Result<(), Error> {
        for &[source, label, target] in transitions {
            let next = self.rows.states();
            self.taken += 1;
            // Rows up to a state that lies far away wait until all of the file has been looked
            // at: it may be refused.
            self.is_unsorted |=
                u64::from(source) < next || is_sparse(u64::from(source) + 1, self.taken);
            if self.is_unsorted {
                let length = self.run.len();
                if length == self.run.capacity() {
                    // No more than a run has: doubling would go beyond it.
                    let more = length.max(64).min(self.most - length);
                    self.run.reserve_exact(more);
                }
                self.run.push([source, label, target]);
                if self.run.len() >= self.most {
                    self.end_run()?;
                }
            } else {
                for _ in next..u64::from(source) {
                    self.end_row()?;
                }
                self.row.push(label, target);
            }
        }
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), Error> {
        let written = self.row.write(&mut self.rows);
        written.map_err(|error| self.disk.failed("", error))
    }

    /// Ends the rows of so many states.
    fn end_rows(&mut self, states: u64) -> Result<(), Error> {
        self.rows.expect(states);
        while self.rows.states() < states {
            self.end_row()?;
        }
        Ok(())
    }

    fn end_run(&mut self) -> Result<(), Error> {
        if self.runs.len() == MOST_RUNS {
            return Err(Error::Memory {
                what: "sorting transitions by their sources".into(),
                needed: Budget::for_run(2 * self.most * RECORD),
            });
        }
        let name = self.disk.new_name("run");
        let mut file = self.disk.create(&name)?;
        match self.row.duplicates {
            Duplicates::Kept => self.run.par_sort_unstable_by_key(|record| record[0]),
            Duplicates::Removed => {
                self.run.par_sort_unstable();
                self.run.dedup();
            }
        }
        let (mut bytes, mut buffer) = (Vec::new(), Vec::new());
        for records in self.run.chunks(self.chunk) {
            bytes.clear();
            for number in records.iter().flatten() {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            let written = write_chunk(&mut file, &bytes, &mut buffer);
            written.map_err(|error| self.disk.failed(&name, error))?;
            self.disk.count_written(buffer.len() as u64);
        }
        self.runs.push((name, self.run.len() as u64));
        self.run.clear();
        Ok(())
    }
}

impl<'a> Input<'a> {
    /// Brings an input to the disk, unless it is there already, and looks for the states that
    /// can be reached, by which a partitioned LTS is compared with its checksums. Transitions are sorted by
    /// their sources if they are not; that takes 12 bytes of disk a transition more.
    ///
    /// # Errors
    /// If it cannot be read, temporary files cannot be written, or there is too little memory
    /// for a few bytes a state.
    pub fn new(
        disk: &'a Disk<'a>,
        source: Source<'_>,
        relabel: Option<Relabel<'_>>,
        options: &Options,
    ) -> Result<Self, Error> {
        options.check()?;
        let budget = Budget::new(options.memory);
        let Spooled {
            mut rows,
            mut table,
            initial,
        } = match source {
            Source::Passed(read) => {
                let kept = Duplicates::Kept;
                spooled(disk, budget, kept, |receiver| Ok(read(receiver)?))?
            }
            Source::Parts(parts, options) => {
                parts.check_limits(&parts.name())?;
                let (table, map) = parts.labels_read(options)?;
                let initial = parts.initial() as u32;
                let labels = map.into_iter().map(LabelId::get).collect();
                let rows = Store::of_input(disk, *parts, labels, budget);
                Spooled {
                    rows,
                    table,
                    initial,
                }
            }
        };
        budget.beside(columns(rows.states()) + rows.held())?;
        if let Some(relabel) = relabel {
            let map;
            (table, map) = relabel(table)?;
            rows.rename(&map);
        }
        let Reached { states, labels } = reached(&rows, initial, table.len())?;
        Ok(Self {
            disk,
            rows,
            table,
            initial,
            reached: states,
            used_labels: labels,
        })
    }

    /// The number of states.
    pub fn states(&self) -> u64 {
        self.rows.states()
    }

    /// The number of transitions, duplicates counted.
    pub fn transitions(&self) -> u64 {
        self.rows.transitions()
    }

    /// The labels.
    pub fn table(&self) -> &LabelTable {
        &self.table
    }

    /// Which of them occur on transitions, by their numbers.
    pub fn used_labels(&self) -> &[bool] {
        &self.used_labels
    }
}

/// What `read` passes on, on disk.
pub(crate) fn spooled<'a>(
    disk: &'a Disk<'a>,
    budget: Budget,
    duplicates: Duplicates,
    read: impl FnOnce(&mut dyn Receiver) -> Result<Passed, Error>,
) -> Result<Spooled<'a>, Error> {
    let folder = disk.new_name("rows");
    disk.create_folder(&folder)?;
    let mut files = Within::new(disk, &folder);
    // How many labels there are is known in the end only.
    let most = Announced {
        states: StateId::MAX_COUNT,
        labels: LabelId::MAX_COUNT,
    };
    let mut spool = Spool {
        disk,
        rows: StoreWriter::new(&mut files, most, None, budget.limits()),
        row: Row::new(duplicates),
        run: Vec::new(),
        most: (budget.run() / RECORD).max(64),
        chunk: budget.chunk() / RECORD,
        is_unsorted: false,
        taken: 0,
        runs: Vec::new(),
        failed: None,
    };
    let read = read(&mut spool);
    if let Some(error) = spool.failed.take() {
        return Err(error);
    }
    let Passed {
        states,
        initial,
        table,
    } = read?;
    spool.end_rows(states)?;
    if !spool.run.is_empty() {
        spool.end_run()?;
    }
    let Spool {
        rows,
        row,
        runs,
        run,
        ..
    } = spool;
    drop((row, run));
    let rows = rows.finish(disk, folder, &table, initial.get())?;
    let rows = match runs.is_empty() {
        true => rows,
        false => {
            let row = Row::new(duplicates);
            merged(disk, budget, &rows, &runs, row, &table, initial)?
        }
    };
    Ok(Spooled {
        rows,
        table,
        initial: initial.get(),
    })
}

/// A run that is being merged.
struct Run<'a> {
    chunks: Chunks<'a>,
    bytes: Vec<u8>,
    /// Where the next record is.
    at: usize,
}

impl Run<'_> {
    /// The next transition, which is not taken.
    fn peek(&mut self) -> Result<Option<[u32; 3]>, Error> {
        if self.at == self.bytes.len() {
            self.at = 0;
            if !self.chunks.next_into(&mut self.bytes)? {
                return Ok(None);
            }
        }
        let numbers = self.bytes[self.at..].as_chunks::<4>().0;
        let number = |k: usize| u32::from_le_bytes(numbers[k]);
        Ok(Some([number(0), number(1), number(2)]))
    }
}

/// Rows, and the transitions in runs, which are sorted by source.
fn merged<'a>(
    disk: &'a Disk<'a>,
    budget: Budget,
    rows: &Store<'_>,
    sorted: &[(String, u64)],
    mut row: Row,
    table: &LabelTable,
    initial: StateId,
) -> Result<Store<'a>, Error> {
    let mut runs = Vec::with_capacity(sorted.len());
    let mut next = BinaryHeap::new();
    for (name, transitions) in sorted {
        let mut run = Run {
            chunks: Chunks::open(disk, name, *transitions, RECORD)?,
            bytes: Vec::new(),
            at: 0,
        };
        if let Some([source, ..]) = run.peek()? {
            next.push(Reverse((source, runs.len())));
        }
        runs.push(run);
    }
    let folder = disk.new_name("rows");
    disk.create_folder(&folder)?;
    let mut files = Within::new(disk, &folder);
    let announced = Announced {
        states: rows.states(),
        labels: table.len() as u64,
    };
    let mut writer = StoreWriter::new(&mut files, announced, Some(rows.states()), budget.limits());
    let mut block = Block::default();
    for number in 0..rows.blocks() {
        let rows = rows.read(number, &mut block)?;
        for (state, labels, targets) in rows.iter() {
            for (&label, &target) in labels.iter().zip(targets) {
                row.push(label, target);
            }
            while let Some(&Reverse((source, k))) = next.peek()
                && source == state
            {
                next.pop();
                while let Some([source, label, target]) = runs[k].peek()? {
                    if source != state {
                        next.push(Reverse((source, k)));
                        break;
                    }
                    row.push(label, target);
                    runs[k].at += RECORD;
                }
            }
            let written = row.write(&mut writer);
            written.map_err(|error| disk.failed(&folder, error))?;
        }
    }
    drop(runs);
    sorted.iter().for_each(|(name, _)| disk.remove(name));
    if !next.is_empty() {
        return Err(disk.unread(&sorted[0].0, damaged("it has a state beyond all others")));
    }
    writer.finish(disk, folder, table, initial.get())
}
