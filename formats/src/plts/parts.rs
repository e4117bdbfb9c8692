//! Streaming access to the parts of a partitioned LTS.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use twox_hash::XxHash3_128;

use super::block::{Block, Expected, Widths, Wrong};
use super::layout::{
    BLOCK_HEAD, END, ENTRY, FOOT, HEAD, Limits, MAGIC, VERSION, hex, number, take_leb128, wrong,
    wrong_at,
};
use super::manifest::{MANIFEST, Manifest, Order, PartEntry};
use crate::diagnostic::printable_path;
use crate::error::ReadError;
use crate::lts::{LabelTable, TooLarge};

/// So many files are held open.
const MOST_OPEN: usize = 48;

/// A manifest is not larger than this.
const MOST_MANIFEST: u64 = 256 << 20;

/// A partitioned LTS that has been opened: its manifest has been read, its files are
/// there and have the sizes that are told, and the indices of the parts have been checked.
///
/// 24 bytes of memory for each block, of which one has up to 2^16 states.
///
/// # Files that change while they are read
/// Files are read, not mapped: what another program changes meanwhile is an error, as the
/// checksums do not agree, and never a signal.
#[derive(Debug)]
pub struct Parts {
    folder: PathBuf,
    manifest: Manifest,
    files: Vec<Part>,
    widths: Widths,
}

/// What the largest blocks of a partitioned LTS have; each may be of another block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LargestBlocks {
    /// Rows of so many states.
    pub states: u64,
    /// So many transitions.
    pub transitions: u64,
    /// About so many bytes of a [`Block`] in memory.
    pub memory: u64,
}

/// The file of a part, and where its blocks are.
#[derive(Debug)]
struct Part {
    /// How messages call it.
    name: String,
    path: PathBuf,
    /// One position for all who read: what is read at once is read under the lock. Of many
    /// parts the files are opened anew each time, as a process may have few open.
    file: Option<Mutex<File>>,
    /// First state, transitions before, offset; one more than there are blocks.
    index: Vec<[u64; 3]>,
    /// The number of its first block among those of all parts.
    first_block: usize,
    /// The bytes of the index and the foot.
    tail: Vec<u8>,
    head: [u8; HEAD],
}

impl Parts {
    /// Opens a partitioned LTS, the directory of this name.
    ///
    /// Reads the manifest, and the head and the index of every part.
    ///
    /// # Errors
    /// If there is no manifest, if a file is missing, has another size than is told, or
    /// an index is damaged. Files and offsets are named.
    pub fn open(path: impl AsRef<Path>) -> Result<Parts, ReadError> {
        let folder = path.as_ref();
        let manifest = Self::manifest_of(folder)?;
        let mut files = Vec::with_capacity(manifest.parts.len());
        let mut first_block = 0;
        for entry in &manifest.parts {
            let mut part = Part::open(folder, entry, &manifest, first_block)?;
            if files.len() >= MOST_OPEN {
                part.file = None;
            }
            first_block += part.blocks();
            files.push(part);
        }
        Ok(Parts {
            folder: folder.to_owned(),
            widths: Widths {
                state: manifest.state_bytes.into(),
                label: manifest.label_bytes.into(),
            },
            manifest,
            files,
        })
    }

    /// The manifest of a partitioned LTS. Of the other files, only the sizes are looked at.
    ///
    /// # Errors
    /// If there is no manifest, it is damaged, or a file is missing or of another size.
    pub fn manifest_of(folder: &Path) -> Result<Manifest, ReadError> {
        let name = file_name(folder, MANIFEST);
        let mut bytes = Vec::new();
        let file = open_regular(folder, MANIFEST).map_err(|error| match &error {
            ReadError::Io { error, .. } if error.kind() == io::ErrorKind::NotFound => wrong(
                &printable_path(folder),
                format_args!(
                    "a directory without {MANIFEST}, so no partitioned LTS, or one whose writing \
                     has not come to its end"
                ),
            ),
            _ => error,
        })?;
        let read = file.take(MOST_MANIFEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| failed(&name, error))?;
        if bytes.len() as u64 > MOST_MANIFEST {
            return Err(wrong(&name, "too long for a manifest"));
        }
        let manifest = Manifest::parse(&bytes, &name)?;
        let labels = [(&manifest.labels.file, manifest.labels.bytes)];
        let parts = manifest.parts.iter().map(|part| (&part.file, part.bytes));
        for (file, bytes) in labels.into_iter().chain(parts) {
            check_size(folder, file, bytes)?;
        }
        Ok(manifest)
    }

    /// How messages call the directory.
    pub fn name(&self) -> String {
        printable_path(&self.folder)
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The number of states, at least 1.
    pub fn states(&self) -> u64 {
        self.manifest.states
    }

    /// The number of transitions.
    pub fn transitions(&self) -> u64 {
        self.manifest.transitions
    }

    /// The initial state.
    pub fn initial(&self) -> u64 {
        self.manifest.initial
    }

    /// The labels, by the numbers that they have in the parts.
    ///
    /// # Errors
    /// If their file is damaged, or a label occurs twice.
    pub fn labels(&self) -> Result<LabelTable, ReadError> {
        let told = &self.manifest.labels;
        let name = file_name(&self.folder, &told.file);
        let mut bytes = Vec::new();
        let file = open_regular(&self.folder, &told.file)?;
        let read = file
            .take(told.bytes.saturating_add(1))
            .read_to_end(&mut bytes);
        read.map_err(|error| failed(&name, error))?;
        check_sum(&name, XxHash3_128::oneshot(&bytes), &told.xxh3_128)?;
        let mut table = LabelTable::new();
        let mut rest = &bytes[..];
        for label in 0..told.count {
            let offset = bytes.len() - rest.len();
            let text = take_leb128(&mut rest)
                .and_then(|length| rest.split_at_checked(usize::try_from(length).ok()?));
            let Some((text, after)) = text else {
                return Err(wrong_at(
                    &name,
                    offset as u64,
                    format_args!("label {label} is cut off: expected {} labels", told.count),
                ));
            };
            rest = after;
            if label == 0 && !text.is_empty() {
                return Err(wrong_at(&name, 0, "label 0, the hidden one, has a text"));
            }
            if label > 0 {
                let known = table.len();
                table
                    .intern(text)
                    .map_err(|error| too_large(&name, error))?;
                if table.len() == known {
                    let text = text.escape_ascii();
                    let twice = format_args!("the label {text} occurs for the second time");
                    return Err(wrong_at(&name, offset as u64, twice));
                }
            }
        }
        match rest.len() {
            0 => Ok(table),
            more => Err(wrong_at(
                &name,
                (bytes.len() - more) as u64,
                format_args!("{more} bytes behind the last label"),
            )),
        }
    }

    /// How many blocks there are in all parts.
    pub fn block_count(&self) -> usize {
        self.files
            .last()
            .map_or(0, |part| part.first_block + part.blocks())
    }

    /// What the largest blocks take.
    pub fn largest_blocks(&self) -> LargestBlocks {
        let mut largest = LargestBlocks::default();
        let widths = (self.widths.state + self.widths.label) as u64;
        for part in &self.files {
            for k in 0..part.blocks() {
                let block = part.expected(k);
                let columns = block.transitions.saturating_mul(widths);
                // A degree has mostly one byte.
                let unpacked = columns.saturating_add(2 * block.states);
                let is_packed = block.bytes < columns.saturating_add(block.states);
                let bytes = block.bytes + 8 * block.states;
                let memory = bytes.saturating_add(if is_packed { unpacked } else { 0 });
                largest.states = largest.states.max(block.states);
                largest.transitions = largest.transitions.max(block.transitions);
                largest.memory = largest.memory.max(memory);
            }
        }
        largest
    }

    /// The states of a block.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn states_of_block(&self, number: usize) -> Range<u64> {
        let (part, k) = self.place(number);
        part.index[k][0]..part.index[k + 1][0]
    }

    /// The number of the block that has the row of a state.
    pub fn block_of(&self, state: u64) -> Option<usize> {
        if state >= self.states() {
            return None;
        }
        // Parts without states begin where the next one does.
        let last = self
            .manifest
            .parts
            .partition_point(|part| part.first <= state)
            - 1;
        let part = &self.files[last];
        let k = part.index.partition_point(|entry| entry[0] <= state) - 1;
        Some(part.first_block + k)
    }

    fn place(&self, number: usize) -> (&Part, usize) {
        let after = self
            .files
            .partition_point(|part| part.first_block <= number);
        let part = &self.files[after - 1];
        (part, number - part.first_block)
    }

    /// Reads one block into `block`, and checks it by itself: its sum, its sizes, and each
    /// number in it. Several threads may read at a time.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn read_block(&self, number: usize, block: &mut Block) -> Result<(), ReadError> {
        self.load_block(number, block)?;
        self.decode_block(number, block)
    }

    /// The first half of [`Parts::read_block`]: what has to wait for the disk.
    ///
    /// # Errors
    /// If it cannot be read.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn load_block(&self, number: usize, block: &mut Block) -> Result<(), ReadError> {
        let (part, k) = self.place(number);
        part.read(&part.expected(k), &mut block.stored)
    }

    /// The second half of [`Parts::read_block`], after [`Parts::load_block`].
    ///
    /// # Errors
    /// If the block is damaged.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn decode_block(&self, number: usize, block: &mut Block) -> Result<(), ReadError> {
        let (part, k) = self.place(number);
        let expected = part.expected(k);
        let sizes = (self.manifest.states, self.manifest.labels.count);
        let is_sorted = self.manifest.sorted == Order::SourceLabelTarget;
        let decoded = block.decode(&expected, self.widths, sizes, is_sorted);
        decoded.map_err(|found| match found {
            Wrong::At(place, text) => wrong_at(
                &part.name,
                expected.offset.saturating_add(place),
                format_args!("{text}: it is damaged"),
            ),
            Wrong::Memory => failed(
                &part.name,
                io::Error::new(io::ErrorKind::OutOfMemory, "cannot allocate memory"),
            ),
        })
    }

    /// All blocks one after another, by which also the checksums of the parts are checked.
    pub fn blocks(&self) -> Blocks<'_> {
        Blocks {
            parts: self,
            next: 0,
            sums: Sums::new(self),
        }
    }
}

/// Goes through all blocks of a partitioned LTS; see [`Parts::blocks`].
#[derive(Debug)]
pub struct Blocks<'a> {
    parts: &'a Parts,
    next: usize,
    sums: Sums<'a>,
}

impl Blocks<'_> {
    /// Reads the next block into `block`, whose memory is used again; whether there was
    /// one.
    ///
    /// # Errors
    /// If it cannot be read or is damaged, or if the checksum of a part that has come to
    /// its end is another one than that in the manifest.
    pub fn next_into(&mut self, block: &mut Block) -> Result<bool, ReadError> {
        if self.next == self.parts.block_count() {
            self.sums.finish()?;
            return Ok(false);
        }
        self.parts.read_block(self.next, block)?;
        self.sums.add(block)?;
        self.next += 1;
        Ok(true)
    }
}

/// The checksums of the parts, to which their blocks are added in order: for who reads them
/// by [`Parts::load_block`] or [`Parts::read_block`].
pub struct Sums<'a> {
    parts: &'a Parts,
    /// The part that is being read, if there is one left.
    part: usize,
    /// How many of its blocks have been added.
    added: usize,
    hasher: XxHash3Of,
}

hyades_base::opaque!(Sums<'_>);

/// The hasher of a part; none before its head.
type XxHash3Of = Option<twox_hash::xxhash3_128::Hasher>;

impl<'a> Sums<'a> {
    /// Without any block.
    pub fn new(parts: &'a Parts) -> Self {
        Self {
            parts,
            part: 0,
            added: 0,
            hasher: None,
        }
    }

    /// Adds the next block, as it has been loaded.
    ///
    /// # Errors
    /// If the sum of a part that ends before it is another one than that in the manifest.
    ///
    /// # Panics
    /// If all blocks have been added.
    pub fn add(&mut self, block: &Block) -> Result<(), ReadError> {
        while self.added == self.parts.files[self.part].blocks() {
            self.end_part()?;
        }
        self.hasher().write(&block.stored);
        self.added += 1;
        Ok(())
    }

    /// All blocks have been added.
    ///
    /// # Errors
    /// As [`Sums::add`], for the last part.
    pub fn finish(&mut self) -> Result<(), ReadError> {
        while self.part < self.parts.files.len() {
            self.end_part()?;
        }
        Ok(())
    }

    fn hasher(&mut self) -> &mut twox_hash::xxhash3_128::Hasher {
        let head = &self.parts.files[self.part].head;
        self.hasher.get_or_insert_with(|| {
            let mut hasher = twox_hash::xxhash3_128::Hasher::new();
            hasher.write(head);
            hasher
        })
    }

    fn end_part(&mut self) -> Result<(), ReadError> {
        let part = &self.parts.files[self.part];
        let hasher = self.hasher();
        hasher.write(&part.tail);
        let sum = hasher.finish_128();
        let told = &self.parts.manifest.parts[self.part].xxh3_128;
        check_sum(&part.name, sum, told)?;
        self.hasher = None;
        self.part += 1;
        self.added = 0;
        Ok(())
    }
}

impl Part {
    /// Opens a part, and reads its head and its index.
    fn open(
        folder: &Path,
        entry: &PartEntry,
        manifest: &Manifest,
        first_block: usize,
    ) -> Result<Part, ReadError> {
        let name = file_name(folder, &entry.file);
        let fail = |error| failed(&name, error);
        let mut file = open_regular(folder, &entry.file)?;
        let least = (HEAD + FOOT) as u64;
        if entry.bytes < least {
            return Err(wrong(
                &name,
                format_args!("{} bytes: a part has {least} at least", entry.bytes),
            ));
        }
        let mut head = [0; HEAD];
        file.read_exact(&mut head).map_err(fail)?;
        check_head(&name, &head, entry, manifest)?;
        let foot_at = entry.bytes - FOOT as u64;
        let mut foot = [0; FOOT];
        file.seek(SeekFrom::Start(foot_at)).map_err(fail)?;
        file.read_exact(&mut foot).map_err(fail)?;
        let (start, blocks) = (number(&foot[..8]), number(&foot[8..16]));
        if foot[20..] != END[..] {
            let found = foot[20..].escape_ascii();
            let text = format_args!("the part ends with `{found}`: expected `PEND`");
            return Err(wrong_at(&name, foot_at + 20, text));
        }
        let length = blocks.checked_mul(ENTRY as u64);
        let end = length.and_then(|length| start.checked_add(length));
        if start < HEAD as u64 || end != Some(foot_at) {
            let text = format_args!(
                "the index is told to begin at byte {start} and to have {blocks} entries: \
                 expected that it ends here"
            );
            return Err(wrong_at(&name, foot_at, text));
        }
        let mut tail = vec![0; (entry.bytes - start) as usize];
        file.seek(SeekFrom::Start(start)).map_err(fail)?;
        file.read_exact(&mut tail).map_err(fail)?;
        let (covered, rest) = tail.split_at(tail.len() - 8);
        let (told, found) = (number(&rest[..4]) as u32, crc32c::crc32c(covered));
        if told != found {
            let text = format_args!(
                "the CRC-32C of the index is {found:08x}: expected {told:08x}: it is damaged"
            );
            return Err(wrong_at(&name, start, text));
        }
        let widths = u64::from(manifest.state_bytes) + u64::from(manifest.label_bytes);
        let index = index_of(&name, &tail[..tail.len() - FOOT], entry, start, widths)?;
        Ok(Part {
            path: folder.join(&entry.file),
            file: Some(Mutex::new(file)),
            index,
            first_block,
            tail,
            head,
            name,
        })
    }

    fn blocks(&self) -> usize {
        self.index.len() - 1
    }

    /// What the index tells of a block.
    fn expected(&self, k: usize) -> Expected {
        let [[first, before, offset], [next, after, end]] = [self.index[k], self.index[k + 1]];
        Expected {
            first,
            states: next - first,
            transitions: after - before,
            offset,
            bytes: end - offset,
        }
    }

    /// Reads a block as it is stored.
    fn read(&self, expected: &Expected, into: &mut Vec<u8>) -> Result<(), ReadError> {
        into.clear();
        let bytes = expected.bytes as usize;
        let reserved = into.try_reserve_exact(bytes);
        reserved.map_err(|error| {
            failed(
                &self.name,
                io::Error::new(io::ErrorKind::OutOfMemory, error),
            )
        })?;
        let read = |mut file: &File, into: &mut Vec<u8>| {
            file.seek(SeekFrom::Start(expected.offset))?;
            file.take(expected.bytes).read_to_end(into)
        };
        let read = match &self.file {
            // A panic cannot have left more behind than another position.
            Some(file) => read(&file.lock().unwrap_or_else(PoisonError::into_inner), into),
            None => File::open(&self.path).and_then(|file| read(&file, into)),
        };
        match read {
            Ok(read) if read == bytes => Ok(()),
            Ok(read) => Err(wrong_at(
                &self.name,
                expected.offset + read as u64,
                "the file ends here: it has been shortened",
            )),
            Err(error) => Err(failed(&self.name, error)),
        }
    }
}

/// Checks the first 32 bytes of a part.
fn check_head(
    name: &str,
    head: &[u8; HEAD],
    entry: &PartEntry,
    manifest: &Manifest,
) -> Result<(), ReadError> {
    if head[..8] != MAGIC[..] {
        let found = head[..8].escape_ascii();
        let text = format_args!("the part begins with `{found}`: expected `HYADPLTS`");
        return Err(wrong_at(name, 0, text));
    }
    let fields = [
        ("the version", 8, 4, u64::from(VERSION)),
        ("the width of states", 12, 1, manifest.state_bytes.into()),
        ("the width of labels", 13, 1, manifest.label_bytes.into()),
        ("what follows it", 14, 2, 0),
        ("the first state", 16, 8, entry.first),
        ("the number of states", 24, 8, entry.states),
    ];
    for (what, at, length, expected) in fields {
        let found = number(&head[at..at + length]);
        if found != expected {
            let text = format_args!(
                "{what} is {found}: expected {expected}, as the manifest has it: it is damaged, \
                 or another part"
            );
            return Err(wrong_at(name, at as u64, text));
        }
    }
    Ok(())
}

/// No body is compressed to less than one part in so many: a block of Zstandard that
/// repeats one byte is one in 2^15.
const MOST_COMPRESSED: u64 = 1 << 16;

/// The entries of an index, and one that tells where all end. A transition takes `widths`
/// bytes before it is compressed.
fn index_of(
    name: &str,
    bytes: &[u8],
    entry: &PartEntry,
    start: u64,
    widths: u64,
) -> Result<Vec<[u64; 3]>, ReadError> {
    let fields = |entry: &[u8]| [0, 8, 16].map(|at| number(&entry[at..at + 8]));
    let mut index: Vec<[u64; 3]> = bytes.chunks_exact(ENTRY).map(fields).collect();
    let begin = [entry.first, 0, HEAD as u64];
    let end = entry.first.saturating_add(entry.states);
    index.push([end, entry.transitions, start]);
    let limits = Limits::default();
    let follows = |[first, before, offset]: [u64; 3], [next, after, end]: [u64; 3]| {
        let states = next.checked_sub(first)?;
        let transitions = after.checked_sub(before)?;
        let is_small = states == 1 || transitions <= limits.transitions;
        let body = end.checked_sub(offset)?.checked_sub(BLOCK_HEAD as u64)?;
        let least = transitions.checked_mul(widths)?.checked_add(states)?;
        let has_room = least / MOST_COMPRESSED <= body;
        let is_block = (1..=u64::from(limits.states)).contains(&states);
        (is_block && is_small && has_room).then_some(())
    };
    let wrong = match index[0] == begin {
        false => Some(0),
        true => index
            .windows(2)
            .position(|pair| follows(pair[0], pair[1]).is_none()),
    };
    match wrong {
        None => Ok(index),
        Some(k) => Err(wrong_at(
            name,
            start + (k * ENTRY) as u64,
            format_args!(
                "entry {k} of the index, or the next one, is none of a block that follows the \
                 one before, with at most {} states and {} transitions, and room for them",
                limits.states, limits.transitions
            ),
        )),
    }
}

/// How messages call a file of a partitioned LTS.
fn file_name(folder: &Path, file: &str) -> String {
    printable_path(folder.join(file))
}

fn failed(name: &str, error: io::Error) -> ReadError {
    ReadError::Io {
        file: name.into(),
        error,
    }
}

pub(super) fn too_large(name: &str, error: TooLarge) -> ReadError {
    ReadError::TooLarge {
        file: Arc::from(name),
        error,
    }
}

/// Opens a file, which has to be a regular one: no name in a manifest makes a process wait
/// for a pipe.
fn open_regular(folder: &Path, file: &str) -> Result<File, ReadError> {
    let path = folder.join(file);
    let name = printable_path(&path);
    let metadata = fs::metadata(&path).map_err(|error| failed(&name, error))?;
    match metadata.is_file() {
        true => File::open(&path).map_err(|error| failed(&name, error)),
        false => Err(wrong(&name, "no regular file, which it has to be")),
    }
}

fn check_size(folder: &Path, file: &str, bytes: u64) -> Result<(), ReadError> {
    let path = folder.join(file);
    let name = printable_path(&path);
    let metadata = fs::metadata(&path).map_err(|error| failed(&name, error))?;
    if !metadata.is_file() {
        return Err(wrong(&name, "no regular file, which it has to be"));
    }
    match metadata.len() {
        found if found == bytes => Ok(()),
        found => Err(wrong(
            &name,
            format_args!("{found} bytes: expected {bytes}, as the manifest has it"),
        )),
    }
}

fn check_sum(name: &str, found: u128, told: &str) -> Result<(), ReadError> {
    let found = hex(found);
    match found == told {
        true => Ok(()),
        false => Err(wrong(
            name,
            format_args!(
                "the XXH3 of the file is {found}: expected {told}, as the manifest has it: it is \
                 damaged, or another file"
            ),
        )),
    }
}
