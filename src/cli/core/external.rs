//! `--external`: inputs that are larger than memory.

use std::cell::Cell;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hyades_base::parallel;
use hyades_equivalence::{Minimized, Relation};
use hyades_external::{
    Disk, Error, Input, Minimal, OnDisk, Options, Round, Scratch, Source, minimize,
    minimize_to_disk,
};
use hyades_formats::aut::StreamWriter;
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::plts::{self, Parts, Told};
use hyades_formats::{
    self as formats, Format, LabelId, LabelTable, Lts, LtsParts, StateId, WriteError,
};
use rustix::fs::{FlockOperation, flock};

use super::cleanup::Unfinished;
use super::excerpt::know_file;
use super::input::open_input;
use super::memory::{self, Beside};
use super::options::{DialectOption, LtsOutput, ReadOptions};
use super::output::temporary_name;
use super::progress::Unit;
use super::session::Session;
use super::size::show_size;
use super::stats::{FileStats, Size, show_lts};
use super::status::{Failure, read_failure};
use super::tau::Gates;

/// Where transitions are if they are not in memory.
#[derive(clap::Args, Clone, Debug)]
pub struct ExternalOption {
    /// Keep transitions in temporary files in DIR, which is made if it is missing, and
    /// little more than 4 bytes a state in memory, 13 and signatures where hidden transitions
    /// count, within --max-memory [default: half of the memory that is available]. Networks
    /// are explored by `reach` first
    #[arg(long, value_name = "DIR", help_heading = "Running")]
    pub external: Option<PathBuf>,
}

/// What has been minimized with its transitions on disk.
pub struct Found<M> {
    /// The minimal LTS, and what its states stand for.
    pub minimal: M,
    /// The format of the input.
    pub format: Format,
    /// How many rounds of refinement there were.
    pub rounds: u64,
    /// Bytes of temporary files, and of a partitioned input.
    pub bytes_read: u64,
    /// Bytes of temporary files.
    pub bytes_written: u64,
}

/// The labels of an input.
pub struct Occurring {
    /// All that there are.
    pub table: LabelTable,
    /// Which of them occur on transitions, by their numbers.
    pub used: Vec<bool>,
}

/// A directory of temporary files, which is removed with all of them, however the process
/// ends.
pub struct Watched {
    path: PathBuf,
    /// Dropped before the directory, which is empty then.
    files: Mutex<HashMap<String, Unfinished>>,
    folders: Mutex<HashMap<String, Unfinished>>,
    /// Unlocked when it is closed.
    _lock: (File, Unfinished),
    _folder: Unfinished,
}

/// A file that is locked as long as the process is there that the directory is of.
const LOCK: &str = "lock";

impl<M> Found<M> {
    /// The same with another form of the minimal LTS.
    pub fn map<N>(self, map: impl FnOnce(M) -> N) -> Found<N> {
        Found {
            minimal: map(self.minimal),
            format: self.format,
            rounds: self.rounds,
            bytes_read: self.bytes_read,
            bytes_written: self.bytes_written,
        }
    }
}

impl ExternalOption {
    /// The directory of temporary files, if there is to be one.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(&self, session: &mut Session) -> Result<Option<Watched>, Failure> {
        let Some(within) = &self.external else {
            return Ok(None);
        };
        // Threads alone may take all that there is.
        let options = options();
        options
            .check()
            .map_err(|error| failure(error, Beside::now()))?;
        session.make_directories(within)?;
        let failed = |error: io::Error| Failure::writing(&printable_path(within), &error);
        Watched::remove_abandoned(within, |left| {
            session.detail(format_args!(
                "{} is removed: a process that was killed has left it",
                printable_path(left)
            ));
        })
        .map_err(failed)?;
        Watched::new(within).map(Some).map_err(failed)
    }
}

impl Watched {
    /// A new one in this directory.
    fn new(within: &Path) -> io::Result<Self> {
        loop {
            let path = within.join(temporary_name(Path::new("hyades")));
            let folder = match Unfinished::create_directory(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            };
            let lock = path.join(LOCK);
            let (watched, file) = match Unfinished::create_file(&lock, 0o600) {
                // Another process has found it empty.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                made => made?,
            };
            // Or before it was locked.
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() && lock.exists() {
                return Ok(Self {
                    _lock: (file, watched),
                    _folder: folder,
                    path,
                    files: Mutex::default(),
                    folders: Mutex::default(),
                });
            }
        }
    }

    /// Removes the directories in this one of processes that are there no more. What cannot be
    /// removed stays: it is in nobody's way.
    fn remove_abandoned(within: &Path, tell: impl Fn(&Path)) -> io::Result<()> {
        for entry in fs::read_dir(within)? {
            let entry = entry?;
            // No links are followed: what they lead to is not ours.
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let path = entry.path();
            let name = path.file_name().unwrap_or_default().as_bytes();
            if !(name.starts_with(b".hyades.") && name.ends_with(b".tmp")) {
                continue;
            }
            let lock = path.join(LOCK);
            if fs::symlink_metadata(&lock).is_ok_and(|found| !found.is_file()) {
                continue;
            }
            let Ok(file) = File::open(&lock) else {
                // One that was killed at once has left it empty; others are not of this kind.
                let _ = fs::remove_dir(&path);
                continue;
            };
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
                continue;
            }
            // The lock goes last, so that the next one goes on if this one is killed.
            for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
                let _ = match entry.file_type() {
                    Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()),
                    _ if entry.path() == lock => continue,
                    _ => fs::remove_file(entry.path()),
                };
            }
            let removed = fs::remove_file(&lock).and_then(|()| fs::remove_dir(&path));
            drop(file);
            if removed.is_ok() {
                tell(&path);
            }
        }
        Ok(())
    }
}

impl Scratch for Watched {
    fn path(&self) -> &Path {
        &self.path
    }

    fn create_folder(&self, name: &str) -> io::Result<()> {
        let folder = Unfinished::create_directory(&self.path.join(name))?;
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.insert(name.to_owned(), folder);
        Ok(())
    }

    fn create(&self, name: &str) -> io::Result<File> {
        let (watched, file) = Unfinished::create_file(&self.path.join(name), 0o600)?;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(name.to_owned(), watched);
        Ok(file)
    }

    fn remove(&self, name: &str) {
        let within = |file: &str| {
            let rest = file.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|file, _| !within(file));
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.remove(name);
    }
}

fn show_lts_of(minimal: &Minimized) -> String {
    show_lts(&minimal.lts)
}

/// What is to be kept to, at this moment.
fn options() -> Options {
    Options::new(memory::rest().unwrap_or_else(available))
}

/// How much memory there is if nobody says: half of what is available.
pub(super) fn available() -> u64 {
    memory::available().map_or(1 << 30, |bytes| bytes / 2)
}

/// What an error ends the command with, in which so much was in use before.
fn failure(error: Error, beside: Option<Beside>) -> Failure {
    match error {
        Error::Read(error) => read_failure(error),
        Error::Unread { path, error } => Failure::reading(&printable_path(path), &error),
        Error::Scratch { path, error } => Failure::writing(&printable_path(path), &error),
        Error::Memory { what, needed } => Failure::Limit(format!(
            "too little memory for {what}: about {} are needed (--max-memory){}",
            // What was not enough is not advised again.
            show_size(
                beside
                    .map_or(needed, |beside| beside.limit_for(needed))
                    .max(memory::given().saturating_mul(5) / 4)
            ),
            match parallel::threads() {
                1 => "",
                _ => ", and less with fewer threads (-j)",
            }
        )),
        Error::Relation(_) => Failure::error(error.to_string()),
        Error::Thread { .. } => Failure::Memory(error.to_string()),
    }
}

/// The labels of a table after gates have been hidden, and the number of each.
pub(super) fn hidden(
    table: LabelTable,
    gates: &Gates<'_>,
    format: Format,
    name: &str,
) -> Result<(LabelTable, Vec<u32>), formats::ReadError> {
    let labels: Vec<LabelId> = (0..table.len() as u32).map(LabelId::new).collect();
    let lts = Lts::from_parts(LtsParts {
        initial: StateId::new(0),
        offsets: vec![0, labels.len() as u32].into(),
        targets: vec![StateId::new(0); labels.len()],
        labels,
        table,
    });
    let LtsParts { labels, table, .. } = gates.hide(lts, format, name)?.into_parts();
    Ok((table, labels.into_iter().map(LabelId::get).collect()))
}

impl Session {
    /// Minimizes an input by strong, branching or divergence-preserving branching
    /// bisimilarity, with its transitions on disk: phases `read` and `minimize`.
    ///
    /// # Errors
    /// If it cannot be read, there is too little memory, or temporary files cannot be
    /// written.
    pub fn minimize_externally<'d>(
        &mut self,
        path: &Path,
        reading: (&ReadOptions, &DialectOption),
        disk: &'d Disk<'d>,
        relation: Relation,
    ) -> Result<Found<Minimized>, Failure> {
        let way = (minimize, |_: &Input<'_>| (), show_lts_of);
        let (found, ()) = self.minimize_by(path, reading, disk, relation, way)?;
        Ok(found)
    }

    /// As [`Session::minimize_externally`], with the labels that occur in the input, of which
    /// the minimal LTS may have fewer.
    ///
    /// # Errors
    /// As [`Session::minimize_externally`].
    pub fn minimize_with_labels<'d>(
        &mut self,
        path: &Path,
        reading: (&ReadOptions, &DialectOption),
        disk: &'d Disk<'d>,
        relation: Relation,
    ) -> Result<(Found<Minimized>, Occurring), Failure> {
        let look = |input: &Input<'_>| Occurring {
            table: input.table().clone(),
            used: input.used_labels().to_vec(),
        };
        let way = (minimize, look, show_lts_of);
        self.minimize_by(path, reading, disk, relation, way)
    }

    /// As [`Session::minimize_externally`]; what does not fit memory stays on disk.
    ///
    /// # Errors
    /// As [`Session::minimize_externally`].
    pub fn minimize_to_disk<'d>(
        &mut self,
        path: &Path,
        reading: (&ReadOptions, &DialectOption),
        disk: &'d Disk<'d>,
        relation: Relation,
    ) -> Result<Found<Minimal<'d>>, Failure> {
        let shown = |minimal: &Minimal<'_>| match minimal {
            Minimal::InMemory(minimal) => show_lts_of(minimal),
            Minimal::OnDisk(minimal) => format!(
                "{}, {} (on disk)",
                counted(minimal.states(), "state"),
                counted(minimal.transitions(), "transition")
            ),
        };
        let way = (minimize_to_disk, |_: &Input<'_>| (), shown);
        let (found, ()) = self.minimize_by(path, reading, disk, relation, way)?;
        Ok(found)
    }

    /// What minimizes an input, what is wanted to know of it before, and how the minimal LTS is
    /// told of.
    fn minimize_by<'d, M, L>(
        &mut self,
        path: &Path,
        reading: (&ReadOptions, &DialectOption),
        disk: &'d Disk<'d>,
        relation: Relation,
        (minimize, look, show): (
            impl FnOnce(
                Input<'d>,
                Relation,
                &Options,
                &mut hyades_external::RoundCallback<'_>,
            ) -> Result<M, Error>,
            impl FnOnce(&Input<'d>) -> L,
            impl FnOnce(&M) -> String,
        ),
    ) -> Result<(Found<M>, L), Failure> {
        let options = options();
        let beside = Beside::now();
        let failure = |error| failure(error, beside);
        let (input, format) = self.read_externally(path, reading, disk, &options)?;
        let looked = look(&input);
        let verbose = self.is_verbose();
        let (name, mut rounds) = (self.name(), 0);
        let minimal = self.phase("minimize", |phase| {
            let what = format!("minimizing, {relation}");
            let mut shown = phase.progress(&what, Unit::None, None).refined(what);
            let mut before = (Instant::now(), disk.bytes_read(), disk.bytes_written());
            let mut tell = |round: &Round| {
                rounds = round.number;
                shown(&hyades_equivalence::Round {
                    number: round.number,
                    classes: round.classes as usize,
                });
                if verbose {
                    let now = (Instant::now(), round.bytes_read, round.bytes_written);
                    super::say::say(format_args!(
                        "{name}: round {}: {} classes, {} not alone, {} read, {} written in \
                         {:.3} s",
                        round.number,
                        round.classes,
                        counted(round.live, "state"),
                        show_size(now.1 - before.1),
                        show_size(now.2 - before.2),
                        (now.0 - before.0).as_secs_f64()
                    ));
                    before = now;
                }
            };
            let minimal = minimize(input, relation, &options, &mut tell).map_err(failure)?;
            phase.summary(|| {
                format!(
                    "{relation}, {}, {} read, {} written",
                    show(&minimal),
                    show_size(disk.bytes_read()),
                    show_size(disk.bytes_written())
                )
            });
            Ok(minimal)
        })?;
        let found = Found {
            minimal,
            format,
            rounds,
            bytes_read: disk.bytes_read(),
            bytes_written: disk.bytes_written(),
        };
        Ok((found, looked))
    }

    /// Reads an input and writes it to temporary files, unless it is a partitioned LTS,
    /// which is read where it is.
    fn read_externally<'d>(
        &mut self,
        path: &Path,
        (read, dialect): (&ReadOptions, &DialectOption),
        disk: &'d Disk<'d>,
        options: &Options,
    ) -> Result<(Input<'d>, Format), Failure> {
        self.tell_of_standard_input(path, "an LTS");
        know_file(path);
        let gates = Gates::new(read, dialect)?;
        let from = read.from()?;
        let read = read.get(dialect);
        let shown = self.shown();
        let beside = Beside::now();
        let failure = |error| failure(error, beside);
        let mut figures = FileStats {
            path: printable_path(path),
            ..FileStats::default()
        };
        let mut given = std::mem::take(&mut self.given);
        let (input, format) = self.phase("read", |phase| {
            let source = open_input(path, from).map_err(read_failure)?;
            let (format, name) = (source.format(), source.name().to_owned());
            figures.format = format.name().into();
            let end = source.progress();
            phase.watch_reading(&source);
            given.begin_input(format).iter().for_each(shown);
            let mut sink = |d: formats::Diagnostic| shown(&d);
            let is_in_place = format == Format::Plts && read.mealy.is_none();
            let source = match is_in_place {
                true => Source::Parts(Box::new(Parts::open(path).map_err(read_failure)?), &read),
                false => {
                    let pass = |receiver: &mut dyn formats::Receiver| {
                        formats::pass_lts(source, &read, receiver, &mut sink)
                    };
                    Source::Passed(Box::new(pass))
                }
            };
            if let Source::Parts(parts, _) = &source {
                figures.bytes = parts.manifest().bytes();
            }
            let relabel = |table| hidden(table, &gates, format, &name);
            let relabel: Option<hyades_external::Relabel<'_>> = match gates.rules() {
                Some(_) => Some(&relabel),
                None => None,
            };
            let input = Input::new(disk, source, relabel, options).map_err(failure)?;
            if !is_in_place {
                figures.bytes = end.total().unwrap_or_else(|| end.consumed());
            }
            figures.states = Some(input.states());
            figures.transitions = Some(input.transitions());
            let used = input.used_labels().iter().filter(|used| **used);
            figures.labels = Some(used.count() as u64);
            phase.summary(|| {
                format!(
                    "{name}, {}, {}, {}",
                    show_size(figures.bytes),
                    counted(input.states(), "state"),
                    counted(input.transitions(), "transition")
                )
            });
            Ok((input, format))
        })?;
        self.given = given;
        if let Some(rules) = gates.rules() {
            self.tell_unused_gates(Some(rules));
        }
        self.add_input(|| figures);
        Ok((input, format))
    }
}

impl Session {
    /// Writes a minimal LTS that is on disk, in AUT or as a partitioned LTS: phase `write`. The
    /// output appears at the end of the session.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn write_from_disk(&mut self, output: &LtsOutput, lts: &OnDisk<'_>) -> Result<(), Failure> {
        let labels = Cell::new(0);
        let size = || Size {
            states: lts.states(),
            transitions: lts.transitions(),
            labels: labels.get(),
        };
        let mut failed = None;
        let options = self.write_options(output, |text| lts.uses(text));
        // What cannot be read has a name of its own.
        let mut written_or = |told: Result<u64, Trouble>| match told {
            Ok(bytes) => Ok(bytes),
            Err(Trouble::Writing(error)) => Err(error),
            Err(Trouble::Reading(error)) => {
                failed = Some(error);
                Err(WriteError::Io(io::ErrorKind::Other.into()))
            }
        };
        if let Some(folder) = &output.folder {
            let told = Told {
                states: lts.states(),
                table: lts.table(),
                labels: lts.labels(),
            };
            let size = Size {
                states: lts.states(),
                transitions: lts.transitions(),
                labels: lts.labels().len() as u64,
            };
            let written = self.write_parts(folder, |files, sink| {
                let told = plts::write_told(told, files, &options, sink, |tell| lts.each(tell));
                Ok((size, written_or(told)?))
            });
            return match failed {
                Some(error) => Err(failure(error, None)),
                None => written,
            };
        }
        let written = self.write_lts("write", output, size, |out, sink| {
            let (initial, states) = (StateId::new(0), lts.states());
            let sizes = (initial, lts.transitions(), states);
            let labels_told = (lts.labels(), lts.table());
            let mut writer =
                StreamWriter::announcing_labels(out, &options, sizes, labels_told, sink)?;
            let told = lts.each(|rows| {
                writer
                    .rows(&[rows], lts.table(), sink)
                    .map_err(Trouble::Writing)
            });
            labels.set(writer.labels());
            written_or(told.map(|()| 0))?;
            writer.finish(initial, states)
        });
        match failed {
            Some(error) => Err(failure(error, None)),
            None => written,
        }
    }
}

/// What goes wrong when something is read and written.
enum Trouble {
    Reading(Error),
    Writing(WriteError),
}

impl From<WriteError> for Trouble {
    fn from(error: WriteError) -> Self {
        Trouble::Writing(error)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Trouble::Reading(error)
    }
}
