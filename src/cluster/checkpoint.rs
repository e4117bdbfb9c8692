//! Checkpoints of a run: a directory in which the state between two rounds is kept, so that a
//! run that was ended can be gone on with, by any number of workers.
//!
//! A checkpoint is a directory `round-ROUND-SYSTEM-RUN` with a file for each worker that has
//! written it and `manifest.json`, which is written last: without it the checkpoint is not
//! whole. SYSTEM tells the relation and the LTS from others, RUN the run from all others. A
//! file has a head of 32 bytes: `HYADCKPT`, version 4 and a hash of ROUND, SYSTEM and RUN as 4
//! bytes each, the first state and the number of states as 8 bytes each; then blocks of 2^16
//! states of 6 bytes each, with a CRC-32C behind each, which is that of the head, the number of
//! the block as 8 bytes, and the block: none is taken for another one. All numbers are
//! little-endian.
//!
//! While a run writes checkpoints, its first worker holds a lock on a file `lock-SYSTEM`, which
//! says the number of the run.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hyades_formats::diagnostic::printable_path;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::part::Part;
use crate::ranges::Layout;
use crate::saved::{Header, Saved, Snapshot};
use crate::wire;
use crate::worker::{Worker, gather};

const MAGIC: &[u8; 8] = b"HYADCKPT";
const VERSION: u32 = 4;
/// The bytes of a head.
const HEAD: usize = 32;
/// The states of a block.
const BLOCK: usize = 1 << 16;
/// The bytes of the sum behind a block.
const SUM: usize = 4;
/// The file that makes a checkpoint whole.
const MANIFEST: &str = "manifest.json";

/// What a run is of: a checkpoint of something else is refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The relation.
    pub relation: String,
    /// What tells the LTS, and the states from which it is taken, from others: its hash,
    /// [`Part::hash_of_all`].
    pub lts: String,
}

impl About {
    /// What stands for it in names of directories.
    fn system(&self) -> u64 {
        wire::hash((&self.relation, &self.lts))
    }
}

/// The manifest of a checkpoint.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    format: String,
    version: u32,
    about: About,
    header: Vec<u8>,
    parts: Vec<Entry>,
    /// The CRC-32C of what stands before it.
    sum: u32,
}

impl Manifest {
    fn new(about: About, header: Vec<u8>, parts: Vec<Entry>) -> Self {
        let mut manifest = Self {
            format: FORMAT.into(),
            version: VERSION,
            about,
            header,
            parts,
            sum: 0,
        };
        manifest.sum = manifest.expected_sum();
        manifest
    }

    fn expected_sum(&self) -> u32 {
        let Self {
            format,
            version,
            about,
            header,
            parts,
            sum: _,
        } = self;
        let all = serde_json::to_vec(&(format, version, about, header, parts));
        crc32c::crc32c(&all.expect(NO_MAPS))
    }
}

/// The text of a manifest that was changed, with the sum that it should have.
#[cfg(test)]
pub(crate) fn with_sum(text: &str) -> String {
    let mut manifest: Manifest = serde_json::from_str(text).expect("a manifest");
    manifest.sum = manifest.expected_sum();
    serde_json::to_string_pretty(&manifest).expect(NO_MAPS)
}

/// Why there is text for what is written.
const NO_MAPS: &str = "texts and numbers only";

/// A part of a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    first: u64,
    states: u64,
}

impl Entry {
    fn of(states: std::ops::Range<u64>) -> Self {
        Self {
            first: states.start,
            states: states.end - states.start,
        }
    }
}

/// The name of the format, in manifests.
const FORMAT: &str = "hyades-checkpoint";

fn failed(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    |error| Error::Io {
        path: path.to_owned(),
        error,
    }
}

fn damaged(path: &Path, what: &str) -> Error {
    failed(path)(io::Error::new(io::ErrorKind::InvalidData, what.to_owned()))
}

/// Writes the checkpoints of a worker.
pub struct Checkpoints {
    directory: PathBuf,
    run: u64,
    index: usize,
    about: About,
    every: Duration,
    last: Instant,
    /// The one of which this worker, the first, does not know yet that all parts are there.
    open: Option<(Folder, Manifest)>,
    /// The first worker has it as long as nobody else may write those of the same.
    lock: Option<Lock>,
    layout: Layout,
}

hyades_base::opaque!(Checkpoints);

impl Checkpoints {
    /// For a worker of the run of this number, which no other one has that writes to the
    /// directory. The directory is made if it is missing. The first worker removes what runs of
    /// the same have left that is not whole.
    ///
    /// # Errors
    /// If it cannot be made, or another run of the same writes to it.
    pub fn new(
        directory: &Path,
        run: u64,
        index: usize,
        about: About,
        layout: Layout,
        every: Duration,
    ) -> Result<Self, Error> {
        fs::create_dir_all(directory).map_err(failed(directory))?;
        let mut checkpoints = Self {
            directory: directory.to_owned(),
            run,
            index,
            about,
            every,
            last: Instant::now(),
            open: None,
            lock: None,
            layout,
        };
        if index == 0 {
            let path = checkpoints.lock_path();
            checkpoints.lock = Some(Lock::take(path, run)?);
            checkpoints.remove_those(|path, _| !path.join(MANIFEST).exists())?;
        }
        Ok(checkpoints)
    }

    fn lock_path(&self) -> PathBuf {
        let system = self.about.system();
        self.directory.join(format!("lock-{system:016x}"))
    }

    /// Makes sure that all workers have one directory.
    ///
    /// # Errors
    /// If they have not, or another worker is lost.
    pub fn check_shared(&self, worker: &mut dyn Worker) -> Result<(), Error> {
        // By now the first one has written its number.
        gather(worker, &[])?;
        let path = self.lock_path();
        match fs::read(&path) {
            Ok(found) if found == run_text(self.run).as_bytes() => Ok(()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&path)(error)),
            Ok(_) | Err(_) => Err(damaged(
                &self.directory,
                "not the directory of checkpoints that process 0 has: it has to be on a file \
                 system that all processes share",
            )),
        }
    }

    /// Whether it is time for a checkpoint. The first worker decides.
    pub fn is_due(&self) -> bool {
        self.index == 0 && self.last.elapsed() >= self.every
    }

    /// Writes what this worker has, and waits until it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&mut self, snapshot: &Snapshot<'_>) -> Result<(), Error> {
        self.last = Instant::now();
        let folder = Folder {
            round: snapshot.header.rounds,
            system: self.about.system(),
            run: self.run,
        };
        let directory = folder.path(&self.directory);
        fs::create_dir_all(&directory).map_err(failed(&directory))?;
        let mut first = 0;
        for (piece, states) in self.layout.of(self.index) {
            let path = directory.join(part_name(piece));
            let entry = Entry::of(states);
            let own = first..first + entry.states as usize;
            first = own.end;
            if let Err(error) = write_part(&path, &folder.head(&entry), snapshot, own) {
                // What is full has room for others again. The last one takes the directory along.
                for (piece, _) in self.layout.of(self.index) {
                    let _ = fs::remove_file(directory.join(part_name(piece)));
                }
                let _ = fs::remove_dir(&directory);
                return Err(failed(&path)(error));
            }
        }
        if self.index == 0 {
            let all = self.layout.pieces().map(Entry::of);
            let header = snapshot.header.to_bytes();
            let manifest = Manifest::new(self.about.clone(), header, all.collect());
            self.open = Some((folder, manifest));
        }
        Ok(())
    }

    /// There has been a superstep since the last [`save`](Self::save), so that all workers have
    /// written their parts: the checkpoint is whole, and those before it go.
    ///
    /// # Errors
    /// If a file cannot be written, or a part is not there.
    pub fn seal(&mut self) -> Result<(), Error> {
        let Some((folder, manifest)) = &self.open else {
            return Ok(());
        };
        let directory = folder.path(&self.directory);
        for (index, entry) in manifest.parts.iter().enumerate() {
            let path = directory.join(part_name(index));
            open_part(&path, &folder.head(entry), entry)?;
        }
        let path = directory.join(MANIFEST);
        let text = serde_json::to_vec_pretty(manifest).expect(NO_MAPS);
        let temporary = directory.join(".manifest.tmp");
        let written = || {
            let mut file = File::create(&temporary)?;
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&temporary, &path)?;
            // The names of files are on the disk with their directory.
            File::open(&directory)?.sync_all()
        };
        written().map_err(failed(&path))?;
        self.open = None;
        self.remove_those(|path, of| {
            let is_done = of.run == self.run || path.join(MANIFEST).exists();
            is_done && path != directory
        })
    }

    /// Removes some of those of the same relation and LTS: an earlier run may have been gone on
    /// with. What runs of others have in the directory stays.
    fn remove_those(&self, is_removed: impl Fn(&Path, &Folder) -> bool) -> Result<(), Error> {
        let system = self.about.system();
        folders(&self.directory)?
            .iter()
            .filter(|(path, folder)| folder.system == system && is_removed(path, folder))
            .try_for_each(|(path, _)| remove(path))
    }

    /// The run has ended well: nothing is to be gone on with, of earlier runs either, whether
    /// it is whole or was left when they were ended.
    ///
    /// # Errors
    /// If what there is cannot be removed.
    pub fn finish(mut self) -> Result<(), Error> {
        self.open = None;
        // It is held until all are removed; other workers have none.
        match self.lock.take() {
            Some(_lock) => self.remove_those(|_, _| true),
            None => Ok(()),
        }
    }
}

impl Drop for Checkpoints {
    /// A checkpoint that is not whole does not become so any more.
    fn drop(&mut self) {
        if let Some((folder, _)) = self.open.take() {
            // Whoever ends because of something else is to tell that.
            let _ = remove(&folder.path(&self.directory));
        }
    }
}

/// A file that only one process has, which is removed when it is not needed any more.
struct Lock {
    path: PathBuf,
    /// Unlocked when it is closed.
    _file: File,
}

fn run_text(run: u64) -> String {
    format!("{run:016x}\n")
}

impl Lock {
    /// Takes the file of this path, and writes the number of the run to it.
    fn take(path: PathBuf, run: u64) -> Result<Self, Error> {
        loop {
            if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
                return Err(damaged(&path, "not a file"));
            }
            let mut options = File::options();
            let file = options.write(true).create(true).truncate(false).open(&path);
            let mut file = file.map_err(failed(&path))?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => {
                    return Err(failed(&path)(io::Error::new(
                        io::ErrorKind::ResourceBusy,
                        "another run of the same input and relation writes its checkpoints to \
                         this directory: wait for its end, or name another one",
                    )));
                }
                Err(error) => return Err(failed(&path)(error.into())),
            }
            // Who had it before may have removed the file meanwhile.
            let own = file.metadata().map_err(failed(&path))?;
            let is_there = fs::metadata(&path)
                .is_ok_and(|found| (found.dev(), found.ino()) == (own.dev(), own.ino()));
            if !is_there {
                continue;
            }
            let written = file
                .set_len(0)
                .and_then(|()| file.write_all(run_text(run).as_bytes()));
            written
                .and_then(|()| file.sync_all())
                .map_err(failed(&path))?;
            return Ok(Self { path, _file: file });
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // It is in nobody's way if it stays.
        let _ = fs::remove_file(&self.path);
    }
}

/// What the name of a checkpoint's directory says.
struct Folder {
    round: u64,
    system: u64,
    run: u64,
}

impl Folder {
    fn name(&self) -> String {
        format!(
            "round-{:08}-{:016x}-{:016x}",
            self.round, self.system, self.run
        )
    }

    fn path(&self, directory: &Path) -> PathBuf {
        directory.join(self.name())
    }

    /// The head of a part.
    fn head(&self, entry: &Entry) -> [u8; HEAD] {
        let mark = wire::hash((self.round, self.system, self.run)) as u32;
        let fields: [&[u8]; 5] = [
            MAGIC,
            &VERSION.to_le_bytes(),
            &mark.to_le_bytes(),
            &entry.first.to_le_bytes(),
            &entry.states.to_le_bytes(),
        ];
        let head = fields.concat();
        head.try_into().expect("the lengths of the fields add up")
    }

    fn from_name(name: &str) -> Option<Self> {
        let mut numbers = name.strip_prefix("round-")?.split('-');
        let folder = Self {
            round: numbers.next()?.parse().ok()?,
            system: u64::from_str_radix(numbers.next()?, 16).ok()?,
            run: u64::from_str_radix(numbers.next()?, 16).ok()?,
        };
        (folder.name() == name).then_some(folder)
    }
}

fn part_name(index: usize) -> String {
    format!("part-{index:05}")
}

/// The directories of checkpoints, whole or not.
fn folders(directory: &Path) -> Result<Vec<(PathBuf, Folder)>, Error> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed(directory))? {
        let path = entry.map_err(failed(directory))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(folder) = name.and_then(Folder::from_name)
            && path.is_dir()
        {
            folders.push((path, folder));
        }
    }
    Ok(folders)
}

/// Removes a checkpoint, the manifest first.
fn remove(folder: &Path) -> Result<(), Error> {
    match fs::remove_file(folder.join(MANIFEST)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(folder)(error)),
        _ => fs::remove_dir_all(folder).map_err(failed(folder)),
    }
}

/// What is written behind a block of a part.
fn block_sum(head: &[u8; HEAD], number: u64, block: &[u8]) -> [u8; SUM] {
    let sum = crc32c::crc32c(head);
    let sum = crc32c::crc32c_append(sum, &number.to_le_bytes());
    crc32c::crc32c_append(sum, block).to_le_bytes()
}

fn write_part(
    path: &Path,
    head: &[u8; HEAD],
    snapshot: &Snapshot<'_>,
    states: std::ops::Range<usize>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    out.write_all(head)?;
    let mut block = Vec::with_capacity(BLOCK * Snapshot::BYTES);
    let mut number = 0;
    let mut flush = |block: &mut Vec<u8>, out: &mut BufWriter<File>| {
        out.write_all(block)?;
        out.write_all(&block_sum(head, number, block))?;
        number += 1;
        block.clear();
        io::Result::Ok(())
    };
    snapshot.each(states, |mut bytes| {
        while !bytes.is_empty() {
            let room = BLOCK * Snapshot::BYTES - block.len();
            let (now, rest) = bytes.split_at(room.min(bytes.len()));
            block.extend_from_slice(now);
            bytes = rest;
            if block.len() == BLOCK * Snapshot::BYTES {
                flush(&mut block, &mut out)?;
            }
        }
        io::Result::Ok(())
    })?;
    if !block.is_empty() {
        flush(&mut block, &mut out)?;
    }
    out.into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .sync_all()
}

/// The state of the last whole checkpoint in a directory, as far as a worker needs it.
///
/// # Errors
/// If there is none, it is of another relation or another LTS, or cannot be read; if workers
/// find different ones, or another worker is lost.
pub fn resume(
    worker: &mut dyn Worker,
    directory: &Path,
    about: &About,
    part: &Part,
    layout: &Layout,
) -> Result<Saved, Error> {
    let mut newest: Option<(Folder, Manifest, Header)> = None;
    let advised = |place: &Path, error| match error {
        Error::Io { path, error }
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidData | io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof
            ) =>
        {
            let text = format!("{error}; {}", without(directory, place, about));
            let error = io::Error::new(error.kind(), text);
            Error::Io { path, error }
        }
        error => error,
    };
    for (path, folder) in folders(directory)? {
        let (manifest, header) = match read_manifest(&path.join(MANIFEST)) {
            Ok(Some(read)) => read,
            Ok(None) => continue,
            // What is wrong with those of others is their matter.
            Err(_) if folder.system != about.system() => continue,
            Err(error) => return Err(advised(&path, error)),
        };
        // One of the same run before all others.
        let rank = |of: &Manifest, header: &Header| (of.about == *about, header.rounds);
        let is_newer = newest
            .as_ref()
            .is_none_or(|(_, it, of)| rank(it, of) < rank(&manifest, &header));
        if is_newer {
            newest = Some((folder, manifest, header));
        }
    }
    let Some((folder, manifest, header)) = newest else {
        let error = io::Error::new(
            io::ErrorKind::NotFound,
            "it has no checkpoint that is whole: leave out --resume to begin anew",
        );
        return Err(failed(directory)(error));
    };
    let place = folder.path(directory);
    let path = place.join(MANIFEST);
    if manifest.about != *about {
        let made = &manifest.about;
        return Err(damaged(
            &path,
            &match made.relation == about.relation {
                true => "it is of another LTS: the input or how it is read, by options such as \
                         --hidden, has changed since"
                    .to_owned(),
                false => format!("it is of -e {}, not {}", made.relation, about.relation),
            },
        ));
    }
    if folder.round != header.rounds {
        let text = format!("it is of round {}, not {}", header.rounds, folder.round);
        return Err(damaged(&path, &text));
    }
    let mut end = 0;
    for entry in &manifest.parts {
        if entry.first != end {
            return Err(damaged(&path, "its parts do not follow one another"));
        }
        end = entry.first.saturating_add(entry.states);
    }
    if end != header.states {
        return Err(damaged(
            &path,
            "its parts have another number of states than its header",
        ));
    }
    if end != part.ranges.states() {
        let other = format!("it has {end} states, the input {}", part.ranges.states());
        return Err(damaged(&path, &other));
    }
    let mut found = manifest.header.clone();
    wire::put_u64(&mut found, folder.run);
    if gather(worker, &found)?.iter().any(|other| *other != found) {
        return Err(damaged(
            directory,
            "processes have found different checkpoints in it: it has to be on a file system \
             that all share",
        ));
    }
    let mut saved = Saved::new(header, part)?;
    for (_, own) in layout.of(part.index) {
        for (index, entry) in manifest.parts.iter().enumerate() {
            let first = own.start.max(entry.first);
            let last = own.end.min(entry.first + entry.states);
            if first < last {
                let states = first - entry.first..last - entry.first;
                let path = place.join(part_name(index));
                let read = read_states(&path, &folder.head(entry), entry, states, &mut saved);
                read.map_err(|error| advised(&place, error))?;
            }
        }
    }
    Ok(saved)
}

/// What to do about a checkpoint that cannot be gone on with.
fn without(directory: &Path, damaged: &Path, about: &About) -> String {
    let others = folders(directory).unwrap_or_default().into_iter();
    let is_whole = |(path, folder): &(PathBuf, Folder)| {
        path != damaged
            && match read_manifest(&path.join(MANIFEST)) {
                Ok(Some((manifest, header))) => {
                    manifest.about == *about && folder.round == header.rounds
                }
                Ok(None) | Err(_) => false,
            }
    };
    let newest = others.filter(is_whole).max_by_key(|(_, of)| of.round);
    let damaged = printable_path(damaged);
    match newest {
        Some((path, _)) => format!(
            "once {damaged} is deleted, --resume goes on from {}",
            printable_path(&path)
        ),
        None => format!(
            "there is no other checkpoint of the same: delete {damaged} and leave out --resume to \
             begin anew"
        ),
    }
}

/// Reads a manifest; nothing if there is none.
fn read_manifest(path: &Path) -> Result<Option<(Manifest, Header)>, Error> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(found) if !found.is_file() => return Err(damaged(path, "not a file")),
        Err(_) | Ok(_) => {}
    }
    let text = fs::read(path).map_err(failed(path))?;
    let manifest: Manifest = serde_json::from_slice(&text)
        .map_err(|error| damaged(path, &format!("no manifest of a checkpoint: {error}")))?;
    if manifest.format != FORMAT || manifest.version != VERSION {
        return Err(damaged(
            path,
            &format!("expected {FORMAT}, version {VERSION}: made by another version of Hyades"),
        ));
    }
    if manifest.sum != manifest.expected_sum() {
        return Err(damaged(path, "damaged: its sum is another one"));
    }
    let header = Header::from_bytes(&manifest.header)
        .map_err(|_| damaged(path, "its header has another length"))?;
    Ok(Some((manifest, header)))
}

/// Opens a part, if it is whole by its head and its length.
fn open_part(path: &Path, expected: &[u8; HEAD], entry: &Entry) -> Result<File, Error> {
    let found = fs::metadata(path).map_err(failed(path))?;
    if !found.is_file() {
        return Err(damaged(path, "not a file"));
    }
    let length = HEAD as u64
        + entry.states * Snapshot::BYTES as u64
        + entry.states.div_ceil(BLOCK as u64) * SUM as u64;
    if found.len() != length {
        let text = format!("expected {length} bytes, found {}", found.len());
        return Err(damaged(path, &text));
    }
    let mut file = File::open(path).map_err(failed(path))?;
    let mut head = [0; HEAD];
    file.read_exact(&mut head).map_err(failed(path))?;
    if head != *expected {
        return Err(damaged(
            path,
            "its head is not what the manifest says: it is of another checkpoint",
        ));
    }
    Ok(file)
}

/// Reads some states of a part, counted from its first.
fn read_states(
    path: &Path,
    head: &[u8; HEAD],
    entry: &Entry,
    states: std::ops::Range<u64>,
    saved: &mut Saved,
) -> Result<(), Error> {
    let mut file = open_part(path, head, entry)?;
    let stride = (BLOCK * Snapshot::BYTES + SUM) as u64;
    let mut block = Vec::new();
    let mut at = states.start;
    while at < states.end {
        let number = at / BLOCK as u64;
        let start = number * BLOCK as u64;
        let count = (entry.states - start).min(BLOCK as u64);
        let offset = HEAD as u64 + number * stride;
        block.resize(count as usize * Snapshot::BYTES + SUM, 0);
        file.seek(SeekFrom::Start(offset)).map_err(failed(path))?;
        file.read_exact(&mut block).map_err(failed(path))?;
        let (bytes, sum) = block.split_at(block.len() - SUM);
        if block_sum(head, number, bytes) != sum {
            return Err(damaged(path, &format!("the block at {offset} is damaged")));
        }
        let end = states.end.min(start + count);
        let place = |state: u64| (state - start) as usize * Snapshot::BYTES;
        saved
            .take(&bytes[place(at)..place(end)])
            .map_err(|_| damaged(path, &format!("the block at {offset} has wrong numbers")))?;
        at = end;
    }
    Ok(())
}
