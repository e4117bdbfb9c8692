//! Writing a partitioned LTS.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::num::NonZeroU32;
use std::path::PathBuf;

use hyades_base::parallel;
use serde::{Deserialize, Serialize};
use twox_hash::xxhash3_128::Hasher;

use super::block::{Raw, Widths};
use super::layout::{
    END, ENTRY, HEAD, LABEL_WIDTHS, Limits, MAGIC, STATE_WIDTHS, VERSION, hex, push_leb128, width,
};
use super::manifest::{FileSum, MANIFEST, Manifest, Order, PartEntry};
use crate::blocks::Exchange;
use crate::consecutive;
use crate::diagnostic::{Log, Sink};
use crate::error::WriteError;
use crate::lts::{LabelId, LabelTable, Lts, StateId};
use crate::options::{Codec, WriteOptions};
use crate::spelling;
use crate::written::WrittenSize;

/// The name of the file of labels.
const LABELS: &str = "labels";
/// A part has about so many states and transitions unless a number of parts is asked for.
const PART: u64 = 1 << 27;

/// Where the files of a partitioned LTS are made.
pub trait Files: Send {
    /// Makes a new file, to be written.
    ///
    /// # Errors
    /// If that fails.
    fn create(&mut self, name: &str) -> io::Result<File>;

    /// Opens a file that was made here, to be read.
    ///
    /// # Errors
    /// If that fails.
    fn reopen(&mut self, name: &str) -> io::Result<File>;
}

/// A directory that is there already, and has none of the files. Until its manifest is
/// there, it is no LTS.
#[derive(Clone, Debug)]
pub struct Directory(pub PathBuf);

impl Files for Directory {
    fn create(&mut self, name: &str) -> io::Result<File> {
        File::create_new(self.0.join(name))
    }

    fn reopen(&mut self, name: &str) -> io::Result<File> {
        File::open(self.0.join(name))
    }
}

/// What is known of an LTS before it is written, which decides the widths of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Announced {
    /// How many states there are, or at the most.
    pub states: u64,
    /// How many labels there are, the hidden one included, or at the most.
    pub labels: u64,
}

/// Writes a partitioned LTS, a state at a time in ascending order.
///
/// Holds a block of a few MiB for each thread. Nothing but [`Writer::finish`] makes the
/// files an LTS, by writing the manifest, last. The bytes do not depend on the number of
/// threads.
///
/// ```
/// use hyades_formats::options::Codec;
/// use hyades_formats::plts::{Announced, Block, Directory, Limits, Parts, Writer};
///
/// let folder = tempfile::tempdir()?;
/// let mut files = Directory(folder.path().to_owned());
/// let announced = Announced { states: 3, labels: 2 };
/// let mut writer = Writer::new(&mut files, announced, Codec::Zstd, Limits::default());
/// writer.state([(1, 1), (1, 2)])?;
/// writer.end_part()?;
/// writer.state([(0, 0)])?;
/// writer.state([])?;
/// writer.finish([&b"PING"[..]], 0)?;
///
/// let parts = Parts::open(folder.path())?;
/// let mut block = Block::default();
/// let mut all = Vec::new();
/// let mut blocks = parts.blocks();
/// while blocks.next_into(&mut block)? {
///     all.extend(block.iter());
/// }
/// assert_eq!(all, [(0, 1, 1), (0, 1, 2), (1, 0, 0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer<'a> {
    files: &'a mut dyn Files,
    announced: Announced,
    widths: Widths,
    codec: Codec,
    limits: Limits,
    /// Blocks that are full, and the one that is being filled.
    full: Vec<Raw>,
    raw: Raw,
    row: Vec<(u32, u64)>,
    is_sorted: bool,
    /// The largest label and target so far.
    largest: (u32, u64),
    part: Option<Part>,
    done: Vec<PartEntry>,
    states: u64,
    /// The number of the first part, and its first state.
    start: (usize, u64),
}

hyades_base::opaque!(Writer<'_>);

/// Parts that a [`Writer`] has written, among which there are those of others.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    parts: Vec<PartEntry>,
    state_bytes: u8,
    label_bytes: u8,
    is_sorted: bool,
    /// The largest label and target.
    largest: (u32, u64),
}

impl Written {
    /// As it is told to another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers only")
    }

    /// What another process has told.
    ///
    /// # Errors
    /// If it has not been made by [`to_bytes`](Self::to_bytes).
    pub fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        Ok(serde_json::from_slice(bytes)?)
    }
}

/// A part that is being written.
struct Part {
    name: String,
    first: u64,
    /// How many states its head tells.
    planned: u64,
    states: u64,
    transitions: u64,
    /// Those of the blocks that have been written.
    written: u64,
    file: File,
    hasher: Hasher,
    bytes: u64,
    index: Vec<u8>,
}

/// The name of the file of a part, by its number from 0 on.
pub fn part_name(number: usize) -> String {
    format!("part-{number:05}")
}

impl<'a> Writer<'a> {
    /// Nothing has been written yet. The codec is none or Zstandard.
    ///
    /// # Panics
    /// If the codec is another one, or the limits are beyond those of the format.
    pub fn new(
        files: &'a mut dyn Files,
        announced: Announced,
        codec: Codec,
        limits: Limits,
    ) -> Self {
        assert!(matches!(codec, Codec::None | Codec::Zstd), "{codec}");
        let most = Limits::default();
        assert!((1..=most.states).contains(&limits.states));
        assert!(limits.transitions <= most.transitions);
        let last = |count: u64| count.saturating_sub(1);
        Self {
            files,
            announced,
            widths: Widths {
                state: width(last(announced.states), STATE_WIDTHS).into(),
                label: width(last(announced.labels), LABEL_WIDTHS).into(),
            },
            codec,
            limits,
            full: Vec::new(),
            raw: Raw::default(),
            row: Vec::new(),
            is_sorted: true,
            largest: (0, 0),
            part: None,
            done: Vec::new(),
            states: 0,
            start: (0, 0),
        }
    }

    /// A writer of some of the parts only: its first part has this number, and its first state
    /// is that one. Other writers, with the same announcement, write the parts before and
    /// after, each to the same directory or to one of its own. By [`finish_parts`] and
    /// [`combine`] all together become an LTS, by
    ///
    /// ```
    /// use hyades_formats::options::Codec;
    /// use hyades_formats::plts::{Announced, Directory, Limits, Parts, Writer, Written};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let announced = Announced { states: 2, labels: 2 };
    /// let told: Vec<Vec<u8>> = (0..2)
    ///     .map(|k| {
    ///         let mut files = Directory(folder.path().to_owned());
    ///         let writer = Writer::new(&mut files, announced, Codec::None, Limits::default());
    ///         let mut writer = writer.beginning_at(k, k as u64);
    ///         writer.state([(1, 1)])?;
    ///         Ok(writer.finish_parts()?.to_bytes())
    ///     })
    ///     .collect::<std::io::Result<_>>()?;
    /// let parts: Vec<Written> = told
    ///     .iter()
    ///     .map(|part| Written::from_bytes(part))
    ///     .collect::<Result<_, _>>()?;
    /// let mut files = Directory(folder.path().to_owned());
    /// Writer::combine(&mut files, announced, parts, [&b"A"[..]], 0)?;
    /// assert_eq!(Parts::open(folder.path())?.transitions(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// [`finish_parts`]: Self::finish_parts
    /// [`combine`]: Self::combine
    ///
    /// # Panics
    /// If something has been written already.
    pub fn beginning_at(mut self, part: usize, first: u64) -> Self {
        assert!(self.part.is_none() && self.states == self.start.1);
        self.start = (part, first);
        self.states = first;
        self
    }

    /// Ends the last part: what there is to know of all parts of this writer.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn finish_parts(mut self) -> io::Result<Written> {
        self.end_part()?;
        Ok(Written {
            parts: self.done,
            state_bytes: self.widths.state as u8,
            label_bytes: self.widths.label as u8,
            is_sorted: self.is_sorted,
            largest: self.largest,
        })
    }

    /// Makes an LTS of parts that are there, in their order, as [`finish`](Self::finish) does:
    /// by the texts of the labels and the manifest.
    ///
    /// # Errors
    /// As of [`finish`](Self::finish), and as [`io::ErrorKind::InvalidInput`] if the parts do
    /// not go together.
    pub fn combine<'t>(
        files: &mut dyn Files,
        announced: Announced,
        written: impl IntoIterator<Item = Written>,
        labels: impl IntoIterator<Item = &'t [u8]>,
        initial: u64,
    ) -> io::Result<(Manifest, u64)> {
        let mut writer = Writer::new(files, announced, Codec::None, Limits::default());
        let widths = (writer.widths.state as u8, writer.widths.label as u8);
        for one in written {
            if (one.state_bytes, one.label_bytes) != widths {
                return Err(refused("parts have numbers of other widths"));
            }
            writer.is_sorted &= one.is_sorted;
            let (label, target) = writer.largest;
            writer.largest = (label.max(one.largest.0), target.max(one.largest.1));
            for part in one.parts {
                if part.first != writer.states {
                    return Err(refused("parts do not follow one another"));
                }
                writer.states += part.states;
                writer.done.push(part);
            }
        }
        writer.finish(labels, initial)
    }

    /// Begins a part, which is going to have so many states. If it has another number, or
    /// a part is begun by its first state, it is read once more in the end.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn begin_part(&mut self, planned: u64) -> io::Result<()> {
        self.end_part()?;
        let name = part_name(self.start.0 + self.done.len());
        let mut part = Part {
            file: self.files.create(&name)?,
            name,
            first: self.states,
            planned,
            states: 0,
            transitions: 0,
            written: 0,
            hasher: Hasher::new(),
            bytes: 0,
            index: Vec::new(),
        };
        let head = self.head(part.first, planned);
        part.write(&head)?;
        self.part = Some(part);
        Ok(())
    }

    fn head(&self, first: u64, states: u64) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(MAGIC);
        head[8..12].copy_from_slice(&VERSION.to_le_bytes());
        head[12] = self.widths.state as u8;
        head[13] = self.widths.label as u8;
        head[16..24].copy_from_slice(&first.to_le_bytes());
        head[24..].copy_from_slice(&states.to_le_bytes());
        head
    }

    /// Writes the row of the next state, (label, target) each.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn state(&mut self, row: impl IntoIterator<Item = (u32, u64)>) -> io::Result<()> {
        if self.part.is_none() {
            self.begin_part(0)?;
        }
        self.row.clear();
        self.row.extend(row);
        self.is_sorted &= self.row.is_sorted();
        for &(label, target) in &self.row {
            self.largest = (self.largest.0.max(label), self.largest.1.max(target));
        }
        let transitions = self.row.len() as u64;
        if !self.raw.has_room(transitions, &self.limits) {
            self.end_block()?;
        }
        if self.raw.states == 0 {
            self.raw.first = self.states;
        }
        self.raw.push(&self.row, self.widths);
        self.states += 1;
        if let Some(part) = &mut self.part {
            part.states += 1;
            part.transitions += transitions;
        }
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        if self.raw.states > 0 {
            self.full.push(std::mem::take(&mut self.raw));
        }
        match self.full.len() >= parallel::threads() {
            true => self.write_blocks(),
            false => Ok(()),
        }
    }

    /// Encodes the full blocks in parallel, and writes them in order.
    fn write_blocks(&mut self) -> io::Result<()> {
        let codec = self.codec;
        let mut slots: Vec<_> = self.full.drain(..).map(|raw| (raw, Ok(vec![]))).collect();
        parallel::for_each_mut(&mut slots, 1, |_, (raw, stored)| {
            let (first, transitions) = (raw.first, raw.transitions);
            *stored = std::mem::take(raw).encode(codec);
            // for the index
            (raw.first, raw.transitions) = (first, transitions);
        });
        let Some(part) = &mut self.part else {
            return Ok(());
        };
        for (raw, stored) in slots {
            part.write_block(&raw, &stored?)?;
        }
        Ok(())
    }

    /// Ends the part, if there is one; the next state begins another.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn end_part(&mut self) -> io::Result<()> {
        self.end_block()?;
        self.write_blocks()?;
        let Some(mut part) = self.part.take() else {
            return Ok(());
        };
        part.write_tail()?;
        if part.planned != part.states {
            let head = self.head(part.first, part.states);
            part.file.seek(SeekFrom::Start(0))?;
            part.file.write_all(&head)?;
            part.hasher = hashed(self.files.reopen(&part.name)?)?;
        }
        self.done.push(PartEntry {
            file: part.name,
            first: part.first,
            states: part.states,
            transitions: part.transitions,
            bytes: part.bytes,
            xxh3_128: hex(part.hasher.finish_128()),
        });
        Ok(())
    }

    /// Writes the texts of the labels, in the order of their numbers from 1 on, and the
    /// manifest. The manifest, and how many bytes all files have.
    ///
    /// # Errors
    /// If a file cannot be written; or as [`io::ErrorKind::InvalidInput`] if there are no
    /// states, more states or labels than announced, numbers beyond them, or labels that
    /// are equal.
    pub fn finish<'t>(
        mut self,
        labels: impl IntoIterator<Item = &'t [u8]>,
        initial: u64,
    ) -> io::Result<(Manifest, u64)> {
        self.end_part()?;
        let mut bytes = vec![0];
        let mut known = HashSet::new();
        for text in labels {
            push_leb128(text.len() as u64, &mut bytes);
            bytes.extend_from_slice(text);
            if !known.insert(text) {
                return Err(refused("two labels are equal"));
            }
        }
        let count = known.len() as u64 + 1;
        self.check(count, initial)?;
        self.files.create(LABELS)?.write_all(&bytes)?;
        let labels = FileSum {
            file: LABELS.into(),
            count,
            bytes: bytes.len() as u64,
            xxh3_128: hex(twox_hash::XxHash3_128::oneshot(&bytes)),
        };
        let sorted = match self.is_sorted {
            true => Order::SourceLabelTarget,
            false => Order::Source,
        };
        let widths = (self.widths.state as u8, self.widths.label as u8);
        let mut manifest = Manifest::new(initial, widths, sorted, labels, self.done);
        let bytes = manifest.sealed();
        self.files.create(MANIFEST)?.write_all(&bytes)?;
        let all = manifest.bytes() + bytes.len() as u64;
        Ok((manifest, all))
    }

    fn check(&self, labels: u64, initial: u64) -> io::Result<()> {
        let Announced {
            states: most_states,
            labels: most_labels,
        } = self.announced;
        match () {
            () if self.states > most_states => Err(refused("more states than announced")),
            () if labels > most_labels => Err(refused("more labels than announced")),
            () if initial >= self.states => Err(refused("the initial state has no row")),
            () if self.largest.1 >= self.states => Err(refused("a target has no row")),
            () if u64::from(self.largest.0) >= labels => Err(refused("a label has no text")),
            () => Ok(()),
        }
    }
}

fn refused(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

/// The sum of a file.
fn hashed(mut file: File) -> io::Result<Hasher> {
    let mut hasher = Hasher::new();
    let mut bytes = vec![0; 1 << 20];
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(hasher),
            read => hasher.write(&bytes[..read]),
        }
    }
}

impl Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.hasher.write(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    fn write_block(&mut self, raw: &Raw, stored: &[u8]) -> io::Result<()> {
        for number in [raw.first, self.written, self.bytes] {
            self.index.extend_from_slice(&number.to_le_bytes());
        }
        self.written += raw.transitions;
        self.write(stored)
    }

    /// Writes the index and the foot.
    fn write_tail(&mut self) -> io::Result<()> {
        let (start, blocks) = (self.bytes, self.index.len() / ENTRY);
        let mut tail = std::mem::take(&mut self.index);
        tail.extend_from_slice(&start.to_le_bytes());
        tail.extend_from_slice(&(blocks as u64).to_le_bytes());
        tail.extend_from_slice(&crc32c::crc32c(&tail).to_le_bytes());
        tail.extend_from_slice(END);
        self.write(&tail)
    }
}

/// Writes an LTS as the files of a partitioned one; what is in them, and how many bytes they
/// have.
///
/// Labels that do not occur are left out. Transitions keep their order; in canonical form
/// labels are numbered in the order of their texts, after the hidden one, and transitions
/// sorted by source, label and target, each once.
///
/// O(states + transitions); 4 bytes a state, and a block of a few MiB for each thread.
///
/// # Errors
/// If a file cannot be written, or the codec is not one of the format; or if a visible
/// label is to get the text of another one.
pub fn write(
    lts: &Lts,
    files: &mut dyn Files,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<(WrittenSize, u64), WriteError> {
    write_limited(lts, files, options, Limits::default(), sink)
}

pub(super) fn write_limited(
    lts: &Lts,
    files: &mut dyn Files,
    options: &WriteOptions,
    limits: Limits,
    sink: &mut Sink<'_>,
) -> Result<(WrittenSize, u64), WriteError> {
    let codec = codec(options)?;
    let labels = Labels::new(lts.table(), &lts.used_labels(), options, sink)?;
    let rows = Rows {
        lts,
        numbers: &labels.numbers,
        exchange: Exchange::new(lts, options.keep_initial || !options.canonical),
        canonical: options.canonical,
    };
    let announced = Announced {
        states: lts.states() as u64,
        labels: labels.texts.len() as u64 + 1,
    };
    let starts = starts(&rows.degrees(), options.parts);
    let mut writer = InParts::new(Writer::new(files, announced, codec, limits), starts);
    let mut row = Vec::new();
    for state in 0..lts.states() {
        rows.get(state, &mut row);
        writer.state(row.iter().copied())?;
    }
    let initial = rows.exchange.of(lts.initial()).get().into();
    let (manifest, bytes) = writer.writer.finish(labels.texts, initial)?;
    let size = WrittenSize {
        transitions: manifest.transitions,
        ..WrittenSize::of(lts)
    };
    Ok((size, bytes))
}

/// Writes states into parts whose sizes are known.
struct InParts<'a> {
    writer: Writer<'a>,
    /// Where the part that is being written ends, and the other ones begin and end, in
    /// descending order.
    ends: Vec<u64>,
}

impl<'a> InParts<'a> {
    /// By the first state of each part, and the number of all states.
    fn new(writer: Writer<'a>, starts: Vec<u64>) -> Self {
        let mut ends = starts;
        ends.reverse();
        Self { writer, ends }
    }

    fn state(&mut self, row: impl IntoIterator<Item = (u32, u64)>) -> io::Result<()> {
        let state = self.writer.states;
        if self.ends.last() == Some(&state) {
            self.ends.pop();
            let end = self.ends.last().copied().unwrap_or(state);
            self.writer.begin_part(end - state)?;
        }
        self.writer.state(row)
    }
}

fn codec(options: &WriteOptions) -> Result<Codec, WriteError> {
    match options.columns.codec.unwrap_or(Codec::Zstd) {
        Codec::Lz4 => Err(WriteError::Format(
            "a partitioned LTS is compressed by zstd or none, not lz4".into(),
        )),
        codec @ (Codec::None | Codec::Zstd) => Ok(codec),
    }
}

/// What is known of an LTS that is told by its rows: state 0 is the initial one.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// How many states there are.
    pub states: u64,
    /// The texts of the labels.
    pub table: &'a LabelTable,
    /// The labels that occur.
    pub labels: &'a [LabelId],
}

/// Writes an LTS that need not be in memory, as [`write()`] does but for the canonical form:
/// `each` tells all rows in their order, and is called twice.
///
/// O(states + transitions); 4 bytes a state, and a block of a few MiB for each thread.
///
/// # Errors
/// As of [`write()`], and those of `each`.
pub fn write_told<E: From<WriteError>>(
    told: Told<'_>,
    files: &mut dyn Files,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
    mut each: impl FnMut(&mut dyn FnMut(consecutive::Rows<'_>) -> Result<(), E>) -> Result<(), E>,
) -> Result<u64, E> {
    let codec = codec(options)?;
    let Told {
        states,
        table,
        labels: occurring,
    } = told;
    let mut used = vec![false; table.len()];
    for label in occurring {
        used[label.index()] = true;
    }
    let labels = Labels::new(table, &used, options, sink)?;
    let mut degrees: Vec<u32> = Vec::with_capacity(states as usize);
    each(&mut |rows| {
        let mut start = 0;
        for end in rows.ends.iter() {
            degrees.push((end - start) as u32);
            start = end;
        }
        Ok(())
    })?;
    let announced = Announced {
        states,
        labels: labels.texts.len() as u64 + 1,
    };
    let starts = starts(&degrees, options.parts);
    drop(degrees);
    let writer = Writer::new(files, announced, codec, Limits::default());
    let mut writer = InParts::new(writer, starts);
    each(&mut |rows| {
        let mut start = 0;
        for end in rows.ends.iter() {
            let row = rows.labels[start..end]
                .iter()
                .zip(&rows.targets[start..end]);
            let row =
                row.map(|(label, target)| (labels.numbers[label.index()], target.get().into()));
            writer.state(row).map_err(WriteError::from)?;
            start = end;
        }
        Ok(())
    })?;
    let (_, bytes) = writer
        .writer
        .finish(labels.texts, 0)
        .map_err(WriteError::from)?;
    Ok(bytes)
}

/// The labels that occur.
struct Labels<'a> {
    /// Their texts, from number 1 on.
    texts: Vec<&'a [u8]>,
    /// Their numbers, by those in the LTS.
    numbers: Vec<u32>,
}

impl<'a> Labels<'a> {
    fn new(
        table: &'a LabelTable,
        used: &[bool],
        options: &'a WriteOptions,
        sink: &mut Sink<'_>,
    ) -> Result<Self, WriteError> {
        let known = |text: &[u8]| table.find(text).is_some_and(|l| used[l.index()]);
        let mut log = Log::new();
        let occurring = table.visible().filter(|(label, _)| used[label.index()]);
        let mut labels: Vec<(LabelId, &[u8])> = occurring
            .map(|(label, text)| match &options.visible_i {
                // Number 0 is hidden, whatever others read: only who asks gets another text.
                None => (label, text),
                Some(_) => {
                    let text = spelling::visible(text, b"i", false, options, known, &mut log);
                    (label, text)
                }
            })
            .collect();
        log.finish_writing(sink)?;
        if options.canonical {
            labels.sort_unstable_by_key(|&(_, text)| text);
        }
        let mut numbers = vec![0; table.len()];
        for (&(label, _), number) in labels.iter().zip(1..) {
            numbers[label.index()] = number;
        }
        Ok(Self {
            texts: labels.into_iter().map(|(_, text)| text).collect(),
            numbers,
        })
    }
}

/// The rows as they are to be written.
struct Rows<'a> {
    lts: &'a Lts,
    /// The new numbers of the labels.
    numbers: &'a [u32],
    exchange: Exchange,
    canonical: bool,
}

impl Rows<'_> {
    /// The row of a state, by its new number.
    fn get(&self, state: usize, row: &mut Vec<(u32, u64)>) {
        row.clear();
        let state = self.exchange.of(StateId::from_index(state));
        row.extend(self.lts.outgoing(state).map(|(label, target)| {
            let target = self.exchange.of(target).get();
            (self.numbers[label.index()], target.into())
        }));
        if self.canonical {
            row.sort_unstable();
            row.dedup();
        }
    }

    /// How many transitions each state has.
    fn degrees(&self) -> Vec<u32> {
        parallel::map_with(
            self.lts.states(),
            1 << 10,
            |row: &mut Vec<_>, state| match self.canonical {
                true => {
                    self.get(state, row);
                    row.len() as u32
                }
                false => self.lts.row(StateId::from_index(state)).len() as u32,
            },
        )
    }
}

/// The first state of each part, and the number of all states: parts have about the same
/// number of states and transitions.
fn starts(degrees: &[u32], parts: Option<NonZeroU32>) -> Vec<u64> {
    let states = degrees.len();
    let size = |&degree: &u32| 1 + u64::from(degree);
    let all: u64 = degrees.iter().map(size).sum();
    let parts = match parts {
        Some(parts) => u64::from(parts.get()).min(states as u64),
        None => all.div_ceil(PART).min(states as u64),
    };
    let mut starts = vec![0];
    // What the part has so far, and all parts that are not full: a state of very many
    // transitions takes nothing from the others.
    let (mut own, mut rest) = (0u64, all);
    for (state, degree) in degrees.iter().enumerate() {
        let to_come = parts - starts.len() as u64;
        let size = size(degree);
        // Half a state too much is better than more than that too little.
        let is_due = u128::from(2 * own + size) * u128::from(to_come + 1) > 2 * u128::from(rest);
        // Each of the parts to come needs a state.
        let is_last = (states - state) as u64 == to_come;
        if own > 0 && to_come > 0 && (is_due || is_last) {
            starts.push(state as u64);
            rest -= own;
            own = 0;
        }
        own += size;
    }
    starts.push(states as u64);
    starts
}
