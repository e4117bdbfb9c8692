//! Reading: each worker a range of the file, or some blocks of a partitioned LTS.

use std::fs;
use std::io;
use std::path::Path;

use hyades_base::parallel;
use hyades_formats::aut::{RangeSummary, Ranged};
#[cfg(feature = "columns")]
use hyades_formats::columns;
use hyades_formats::diagnostic::printable_path;
use hyades_formats::plts::{Block, Parts};
use hyades_formats::{
    Format, LabelId, LabelTable, ReadError, ReadOptions, Receiver, Sink, Source, StateId, TooLarge,
};

use crate::part::{GlobalRows, Part};
use crate::ranges::Ranges;
use crate::worker::{Worker, exchange, gather};
use crate::{Error, wire};

/// Changes the labels of an input once they are known: the new table, and the new number of
/// each label. The same for all workers.
pub type Relabel<'a> = &'a dyn Fn(LabelTable) -> Result<(LabelTable, Vec<u32>), ReadError>;

/// What has been read: the rows of a range of states at each worker.
#[derive(Clone, Debug)]
pub struct Input {
    /// Who has which states.
    pub ranges: Ranges,
    /// The initial state.
    pub initial: u64,
    /// The labels, the same at all workers, in the order in which the input has them first.
    pub table: LabelTable,
    /// The rows of the own states.
    pub rows: GlobalRows,
}

impl Input {
    /// Makes it known who needs to know of which states.
    ///
    /// # Errors
    /// As [`Part::new`].
    pub fn into_part(self, worker: &mut dyn Worker) -> Result<Part, Error> {
        let Self {
            ranges,
            initial,
            table,
            rows,
        } = self;
        Part::new(worker, ranges, initial, table, rows)
    }

    /// Changes the labels.
    ///
    /// # Errors
    /// Those of `relabel`.
    pub fn relabel(&mut self, relabel: Relabel<'_>) -> Result<(), ReadError> {
        let (table, map) = relabel(std::mem::take(&mut self.table))?;
        self.table = table;
        self.rows
            .labels
            .iter_mut()
            .for_each(|label| *label = map[*label as usize]);
        Ok(())
    }

    /// How many transitions this worker has.
    pub fn transitions(&self) -> u64 {
        self.rows.labels.len() as u64
    }

    /// Two inputs side by side: each worker has its states of the first, then those of the
    /// second. The initial state is that of the first; with the number of the other one.
    /// Visible labels are the same if their texts are.
    ///
    /// # Errors
    /// If there are too many labels or states.
    pub fn union(self, other: Self, index: usize) -> Result<(Self, u64), Error> {
        let (first, second) = (self.ranges, other.ranges);
        let count = |ranges: &Ranges, worker: usize| {
            let own = ranges.of(worker);
            own.end - own.start
        };
        let mut starts = vec![0u64];
        for worker in 0..first.peers() {
            let size = count(&first, worker) + count(&second, worker);
            starts.push(starts[worker] + size);
        }
        let limit = 1 << 40;
        if starts[first.peers()] >= limit {
            return Err(Error::Room {
                what: "states",
                limit,
            });
        }
        let of_first = |state: u64| {
            let worker = first.owner(state);
            starts[worker] + (state - first.of(worker).start)
        };
        let of_second = |state: u64| {
            let worker = second.owner(state);
            starts[worker] + count(&first, worker) + (state - second.of(worker).start)
        };
        let mut table = self.table;
        let map = interned(&mut table, other.table.visible().map(|(_, text)| text))?;
        let (mut rows, mut added) = (self.rows, other.rows);
        debug_assert_eq!(rows.states() as u64, count(&first, index));
        let renumber = |targets: &mut [u64], of: &(dyn Fn(u64) -> u64 + Sync)| {
            parallel::for_each_mut(targets, 1 << 14, |_, target| *target = of(*target));
        };
        renumber(&mut rows.targets, &of_first);
        renumber(&mut added.targets, &of_second);
        let labels = &mut added.labels;
        labels
            .iter_mut()
            .for_each(|label| *label = map[*label as usize]);
        rows.append(&added);
        let second = of_second(other.initial);
        let input = Self {
            initial: of_first(self.initial),
            ranges: Ranges::new(starts),
            table,
            rows,
        };
        Ok((input, second))
    }
}

/// Reads an LTS: plain AUT files by ranges of bytes, partitioned LTSs by blocks, and, with the
/// feature `columns`, Parquet files by row groups. States and
/// labels have the numbers that they have on one machine. What is odd is told to the sink of
/// worker 0, as by who reads all.
///
/// If sources ascend in the file, each worker has the states from the first source of its
/// range on, and hardly a transition travels; otherwise states are shared out evenly, and all
/// transitions travel to those who have their sources, 14 bytes each. 20 bytes a transition,
/// in the second case 36, for a while.
///
/// # Errors
/// If it cannot be read, is in another format, or has errors, which all workers are told; if
/// another worker is lost.
pub fn read(
    worker: &mut dyn Worker,
    path: &Path,
    format: Option<Format>,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<Input, Error> {
    check_regular(path)?;
    let source = Source::open(path, format)?;
    let mut quiet = |_| ();
    let sink: &mut Sink<'_> = match worker.index() {
        0 => sink,
        _ => &mut quiet,
    };
    match source.format() {
        Format::Aut if options.mealy.is_none() => {
            let file = Ranged::open(source, options, sink)?;
            shared(worker, file, options, sink)
        }
        #[cfg(feature = "columns")]
        Format::Parquet if options.mealy.is_none() => {
            shared(worker, columns::Ranged::open(source)?, options, sink)
        }
        Format::Plts if options.mealy.is_none() => plts(worker, path, options),
        format => Err(Error::Read(ReadError::Format {
            file: source.name().into(),
            text: match (format.is_readable(), options.mealy.is_some()) {
                (false, _) => format.unreadable(),
                (true, is_mealy) => format!(
                    "{}format {format}, which several processes do not read together: make a \
                     partitioned LTS of it first, by `transcode INPUT -o NAME.plts`",
                    if is_mealy { "a Mealy machine in " } else { "" }
                ),
            },
        })),
    }
}

/// Refuses what only one process can read.
fn check_regular(path: &Path) -> Result<(), Error> {
    let failed = |error| ReadError::Io {
        file: printable_path(path).into(),
        error,
    };
    let metadata = fs::metadata(path).map_err(failed)?;
    match metadata.is_file() || metadata.is_dir() {
        true => Ok(()),
        false => Err(failed(io::Error::other(
            "a pipe or a device, which several processes cannot share: give a plain file, or a \
             partitioned LTS, as by `transcode INPUT -o NAME.plts`",
        ))
        .into()),
    }
}

/// The transitions of a range.
#[derive(Default)]
struct Triples {
    sources: Vec<u32>,
    labels: Vec<u32>,
    targets: Vec<u32>,
    descends: bool,
}

impl Triples {
    /// Gives memory back that is not needed.
    fn shrink(&mut self) {
        for column in [&mut self.sources, &mut self.labels, &mut self.targets] {
            column.shrink_to_fit();
        }
    }
}

impl Receiver for Triples {
    fn take(&mut self, transitions: &[[u32; 3]]) -> io::Result<()> {
        let mut last = self.sources.last().copied().unwrap_or(0);
        for &[source, label, target] in transitions {
            self.descends |= source < last;
            last = source;
            self.sources.push(source);
            self.labels.push(label);
            self.targets.push(target);
        }
        Ok(())
    }
}

/// Numbers texts in a table; the number of each, from that of the hidden label on.
fn interned<'t>(
    table: &mut LabelTable,
    texts: impl Iterator<Item = &'t [u8]>,
) -> Result<Vec<u32>, Error> {
    let mut map = vec![LabelId::HIDDEN.get()];
    for text in texts {
        let label = table
            .intern(text)
            .map_err(|TooLarge { what, limit }| Error::Room { what, limit })?;
        map.push(label.get());
    }
    Ok(map)
}

/// A file that is read by ranges of its bytes or its rows.
trait Shared: Sized {
    type Summary;

    /// Passes the transitions on of a range.
    fn read(
        &self,
        range: (usize, usize),
        options: &ReadOptions,
        receiver: &mut Triples,
    ) -> Result<(Self::Summary, LabelTable), ReadError>;

    fn to_bytes(summary: &Self::Summary) -> Vec<u8>;

    fn from_bytes(bytes: &[u8]) -> Option<Self::Summary>;

    /// Whether the file ends in a range, whatever follows.
    fn ended(summary: &Self::Summary) -> bool;

    /// The number of states, and the initial one.
    fn finish(
        self,
        summaries: Vec<Self::Summary>,
        table: &LabelTable,
        options: &ReadOptions,
        sink: &mut Sink<'_>,
    ) -> Result<(u64, StateId), ReadError>;
}

impl Shared for Ranged {
    type Summary = RangeSummary;

    fn read(
        &self,
        (k, of): (usize, usize),
        options: &ReadOptions,
        receiver: &mut Triples,
    ) -> Result<(RangeSummary, LabelTable), ReadError> {
        Ranged::read(self, k, of, options, receiver)
    }

    fn to_bytes(summary: &RangeSummary) -> Vec<u8> {
        summary.to_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Option<RangeSummary> {
        RangeSummary::from_bytes(bytes)
    }

    fn ended(summary: &RangeSummary) -> bool {
        summary.ended()
    }

    fn finish(
        self,
        summaries: Vec<RangeSummary>,
        _: &LabelTable,
        options: &ReadOptions,
        sink: &mut Sink<'_>,
    ) -> Result<(u64, StateId), ReadError> {
        let told = Ranged::finish(self, summaries, options, sink)?;
        Ok((told.states, told.initial))
    }
}

#[cfg(feature = "columns")]
impl Shared for columns::Ranged {
    type Summary = columns::GroupsSummary;

    fn read(
        &self,
        (k, of): (usize, usize),
        options: &ReadOptions,
        receiver: &mut Triples,
    ) -> Result<(columns::GroupsSummary, LabelTable), ReadError> {
        columns::Ranged::read(self, k, of, options, receiver)
    }

    fn to_bytes(summary: &columns::GroupsSummary) -> Vec<u8> {
        summary.to_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Option<columns::GroupsSummary> {
        columns::GroupsSummary::from_bytes(bytes)
    }

    fn ended(_: &columns::GroupsSummary) -> bool {
        false
    }

    fn finish(
        self,
        summaries: Vec<columns::GroupsSummary>,
        table: &LabelTable,
        options: &ReadOptions,
        sink: &mut Sink<'_>,
    ) -> Result<(u64, StateId), ReadError> {
        columns::Ranged::finish(self, summaries, table, options, sink)
    }
}

/// Reads a range of a file, and puts together what all have read.
fn shared<S: Shared>(
    worker: &mut dyn Worker,
    file: S,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<Input, Error> {
    let (me, peers) = (worker.index(), worker.peers());
    let mut triples = Triples::default();
    let (summary, own_table) = file.read((me, peers), options, &mut triples)?;
    let summaries = gather(worker, &S::to_bytes(&summary))?;
    let summaries: Option<Vec<_>> = summaries.iter().map(|bytes| S::from_bytes(bytes)).collect();
    let summaries = summaries.ok_or(Error::Packet)?;
    // What follows the end does not count.
    let last = summaries.iter().position(S::ended).unwrap_or(peers);
    if me > last {
        triples = Triples::default();
    }
    let mut texts = Vec::new();
    for (_, text) in own_table.visible() {
        wire::put_bytes(&mut texts, text);
    }
    drop(own_table);
    let mut table = LabelTable::new();
    let mut map = Vec::new();
    for (k, texts) in gather(worker, &texts)?.iter().enumerate().take(last + 1) {
        let mut cursor = wire::Cursor::new(texts);
        let mut all = Vec::new();
        while !cursor.is_empty() {
            all.push(cursor.bytes()?);
        }
        let numbers = interned(&mut table, all.into_iter())?;
        if k == me {
            map = numbers;
        }
    }
    let (states, initial) = file.finish(summaries, &table, options, sink)?;
    let labels = &mut triples.labels;
    labels
        .iter_mut()
        .for_each(|label| *label = map[*label as usize]);
    let ranges = ranges_of_sources(worker, &triples, states)?;
    let rows = rows(worker, triples, &ranges)?;
    Ok(Input {
        ranges,
        initial: initial.get().into(),
        table,
        rows,
    })
}

/// Who is to have which states.
fn ranges_of_sources(
    worker: &mut dyn Worker,
    triples: &Triples,
    states: u64,
) -> Result<Ranges, Error> {
    let peers = worker.peers();
    let mut own = vec![u8::from(triples.descends)];
    if let (Some(&first), Some(&last)) = (triples.sources.first(), triples.sources.last()) {
        wire::put_u32(&mut own, first);
        wire::put_u32(&mut own, last);
    }
    let mut starts = vec![0; peers];
    starts.push(states);
    let mut is_ascending = true;
    for (k, bytes) in gather(worker, &own)?.iter().enumerate().rev() {
        let mut cursor = wire::Cursor::new(bytes);
        is_ascending &= cursor.u8()? == 0;
        starts[k] = starts[k + 1];
        if !cursor.is_empty() {
            let (first, last) = (u64::from(cursor.u32()?), u64::from(cursor.u32()?));
            is_ascending &= last <= starts[k + 1];
            starts[k] = first;
        }
    }
    starts[0] = 0;
    Ok(match is_ascending {
        true => Ranges::new(starts),
        false => Ranges::even(states, peers),
    })
}

/// The rows of the own states, in the order of the file, from transitions of any.
fn rows(
    worker: &mut dyn Worker,
    mut triples: Triples,
    ranges: &Ranges,
) -> Result<GlobalRows, Error> {
    let (me, peers) = (worker.index(), worker.peers());
    let own = ranges.of(me);
    let mut added: Vec<Triples> = (0..peers).map(|_| Triples::default()).collect();
    exchange(
        worker,
        |outbox| {
            let mut kept = 0;
            for k in 0..triples.sources.len() {
                let (source, label) = (triples.sources[k], triples.labels[k]);
                let target = triples.targets[k];
                if own.contains(&source.into()) {
                    triples.sources[kept] = source;
                    triples.labels[kept] = label;
                    triples.targets[kept] = target;
                    kept += 1;
                    continue;
                }
                outbox.record(ranges.owner(source.into()), |packet| {
                    wire::put_state(packet, source.into());
                    wire::put_u32(packet, label);
                    wire::put_state(packet, target.into());
                })?;
            }
            triples.sources.truncate(kept);
            triples.labels.truncate(kept);
            triples.targets.truncate(kept);
            Ok(())
        },
        |from, records| {
            let added = &mut added[from];
            while !records.is_empty() {
                let source = records.state()?;
                if !own.contains(&source) {
                    return Err(Error::Packet);
                }
                added.sources.push(source as u32);
                added.labels.push(records.u32()?);
                added.targets.push(records.state()? as u32);
            }
            Ok(())
        },
    )?;
    triples.shrink();
    let count = (own.end - own.start) as usize;
    let mut offsets = vec![0u64; count + 1];
    let of_others = added.iter().flat_map(|added| &added.sources);
    for source in triples.sources.iter().chain(of_others) {
        offsets[(u64::from(*source) - own.start) as usize + 1] += 1;
    }
    for k in 0..count {
        offsets[k + 1] += offsets[k];
    }
    let all = offsets[count] as usize;
    let is_alone = added.iter().all(|added| added.sources.is_empty());
    if is_alone && !triples.descends {
        triples.sources = Vec::new();
        return Ok(GlobalRows {
            offsets,
            targets: triples.targets.into_iter().map(u64::from).collect(),
            labels: triples.labels,
        });
    }
    let mut next = offsets.clone();
    let (mut labels, mut targets) = (vec![0; all], vec![0; all]);
    // In the order of the file.
    added[me] = triples;
    for part in added {
        for ((&source, &label), &target) in part.sources.iter().zip(&part.labels).zip(&part.targets)
        {
            let next = &mut next[(u64::from(source) - own.start) as usize];
            labels[*next as usize] = label;
            targets[*next as usize] = target.into();
            *next += 1;
        }
    }
    Ok(GlobalRows {
        offsets,
        labels,
        targets,
    })
}

/// So many blocks for each thread are read at a time.
const BLOCKS: usize = 2;

fn plts(worker: &mut dyn Worker, path: &Path, options: &ReadOptions) -> Result<Input, Error> {
    let (me, peers) = (worker.index(), worker.peers());
    let parts = Parts::open(path)?;
    let (table, map) = parts.labels_read(options)?;
    let count = parts.block_count();
    let start = |k: usize| (count as u128 * k as u128 / peers as u128) as usize;
    let starts = (0..peers).map(|k| match start(k) {
        0 => 0,
        block if block == count => parts.states(),
        block => parts.states_of_block(block).start,
    });
    let starts = starts.chain([parts.states()]).collect();
    let ranges = Ranges::new(starts);
    if parts.states() >= 1 << 40 {
        return Err(Error::Room {
            what: "states",
            limit: 1 << 40,
        });
    }
    let mut rows = GlobalRows::default();
    let numbers: Vec<usize> = (start(me)..start(me + 1)).collect();
    for some in numbers.chunks(BLOCKS * parallel::threads()) {
        let read = parallel::map_each(some, |&number| {
            let mut block = Block::default();
            parts.read_block(number, &mut block).map(|()| block)
        });
        for block in read {
            let block = block?;
            let mut end = rows.labels.len() as u64;
            rows.offsets.extend(block.degrees().iter().map(|&degree| {
                end += degree;
                end
            }));
            let labels = block.labels().map(|label| map[label as usize].get());
            rows.labels.extend(labels);
            rows.targets.extend(block.targets());
        }
    }
    Ok(Input {
        ranges,
        initial: parts.initial(),
        table,
        rows,
    })
}
