//! A command that is one of several processes of a run, as `hyades cluster` starts them.

use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::net::TcpListener;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use hyades_cluster::Error;
use hyades_cluster::checkpoint::{About, Checkpoints, resume};
use hyades_cluster::part::Part;
use hyades_cluster::processes::{Failure as Ended, Fingerprint, LastWords, Options, Process};
use hyades_cluster::ranges::Layout;
use hyades_cluster::saved::Saved;
use hyades_cluster::wire::hash;
use hyades_cluster::worker::{Worker, gather, sum};
use hyades_equivalence::Relation;
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::plts::{MANIFEST, Parts};
use serde_json::{Map, Value, json};

use super::choices::first_given;
use super::distributed::check_regular;
use super::distributed_parts::Share;
use super::say::{last_error, say};
use super::session::Session;
use super::stats;
use super::status::{Failure, read_failure};
use super::version::version;
use super::{cleanup, memory};

/// What a process knows of its run before its command begins.
#[derive(Debug)]
pub struct Membership {
    /// The addresses of all processes, in the order of their numbers.
    pub addresses: Vec<String>,
    /// The number of this one.
    pub index: usize,
    /// Where it listens, if it has been told.
    pub listener: Mutex<Option<TcpListener>>,
    /// What only processes of this run know.
    pub run: u64,
    /// Whether one who started all of them shows what they say.
    pub is_local: bool,
    /// The command and its arguments.
    pub words: Vec<OsString>,
    /// How many threads it uses, if that is said.
    pub threads: Option<u16>,
    /// All have to be there after so much time.
    pub start_within: Duration,
    /// A process that is silent for so long is lost.
    pub lost_after: Duration,
    /// Where the state of the run is saved, and how often.
    pub checkpoint: Option<(PathBuf, Duration)>,
    /// Where it is to be gone on from.
    pub resume: Option<PathBuf>,
}

static MEMBERSHIP: OnceLock<Membership> = OnceLock::new();

/// Whether this process has begun to come together with the others.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

/// From now on the command of this process is one of a run. One per process: the first.
pub fn enter(membership: Membership) {
    let _ = MEMBERSHIP.set(membership);
}

/// A number for a new run that nobody guesses.
pub fn new_run_id() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

/// What this process knows of its run, if it is of one.
pub fn membership() -> Option<&'static Membership> {
    MEMBERSHIP.get()
}

impl Membership {
    /// Whether this is the process that talks and writes.
    pub fn is_first(&self) -> bool {
        self.index == 0
    }

    /// Refuses checkpoints where there are none.
    ///
    /// # Errors
    /// If they are asked for. `what` has none.
    pub fn check_no_checkpoints(&self, what: &str) -> Result<(), Failure> {
        let asked = [
            (self.checkpoint.is_some(), "--checkpoint"),
            (self.resume.is_some(), "--resume"),
        ];
        match first_given(asked) {
            None => Ok(()),
            Some(option) => Err(Failure::error(format!(
                "{what} has no checkpoints, as minimize and equiv have: leave out {option}"
            ))),
        }
    }

    /// Writes the checkpoints that are asked for, of what [`about`](Self::about) says.
    ///
    /// # Errors
    /// If the directory cannot be made, or another process is lost.
    fn checkpoints(
        &self,
        about: Option<&About>,
        worker: &mut dyn Worker,
        layout: Layout,
    ) -> Result<Option<Checkpoints>, Failure> {
        let (Some((directory, every)), Some(about)) = (&self.checkpoint, about) else {
            return Ok(None);
        };
        // The number that the processes find one another by may be the same in every run of
        // these hosts.
        let own = if self.is_first() { new_run_id() } else { 0 };
        let run = sum(worker, own).map_err(cluster_failure)?;
        let made = Checkpoints::new(directory, run, self.index, about.clone(), layout, *every);
        let made = made.map_err(cluster_failure)?;
        made.check_shared(worker).map_err(cluster_failure)?;
        Ok(Some(made))
    }

    /// What a checkpoint of this relation and what these states of this LTS reach says of
    /// itself, if one is to be written or read.
    ///
    /// # Errors
    /// If another process is lost.
    fn about(
        &self,
        relation: Relation,
        worker: &mut dyn Worker,
        part: &Part,
        (roots, layout): (&[u64], &Layout),
    ) -> Result<Option<About>, Failure> {
        if self.checkpoint.is_none() && self.resume.is_none() {
            return Ok(None);
        }
        let lts = part.hash_of_all(worker, roots, layout);
        let lts = lts.map_err(cluster_failure)?;
        Ok(Some(About {
            relation: relation.name().into(),
            lts: format!("{lts:016x}"),
        }))
    }

    /// What a run is gone on with that reaches from these states of an LTS, and what writes
    /// its checkpoints, as far as they are asked for.
    ///
    /// # Errors
    /// If there is no checkpoint of the same, one cannot be read or written, or another process
    /// is lost.
    pub fn kept(
        &self,
        relation: Relation,
        worker: &mut dyn Worker,
        part: &Part,
        roots: &[u64],
        layout: Layout,
    ) -> Result<(Option<Saved>, Option<Checkpoints>), Failure> {
        let about = self.about(relation, worker, part, (roots, &layout))?;
        let saved = self.resume.as_deref().zip(about.as_ref());
        let saved = saved.map(|(directory, about)| resume(worker, directory, about, part, &layout));
        let saved = saved.transpose().map_err(cluster_failure)?;
        Ok((saved, self.checkpoints(about.as_ref(), worker, layout)?))
    }

    /// A hash of the sizes and time stamps of files, and of what is in them: all of small
    /// ones, samples of large ones, which no process reads all of.
    ///
    /// # Errors
    /// If one cannot be looked at.
    fn hash_of_files(&self, files: &[&Path]) -> Result<u64, Failure> {
        let stamp = |path: &&Path| {
            if path.is_dir() && !path.join(MANIFEST).exists() {
                Parts::manifest_of(path).map_err(read_failure)?;
            }
            // A partitioned LTS is as old as its list of parts.
            let manifest = path.join(MANIFEST);
            let file = if path.is_dir() { &manifest } else { *path };
            let failed = |error| Failure::reading(&printable_path(path), &error);
            let data = fs::metadata(file).map_err(failed)?;
            let modified = data.modified().map_err(failed)?;
            let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
            let samples = match data.is_file() {
                true => samples(file, data.len()).map_err(failed)?,
                false => 0,
            };
            Ok((data.len(), since.as_nanos(), samples))
        };
        let stamps: Result<Vec<_>, Failure> = files.iter().map(stamp).collect();
        Ok(hash(stamps?))
    }

    /// How this process comes together with the others.
    fn options(
        &self,
        fingerprint: Option<Fingerprint>,
        on_failure: impl Fn(&Ended) + Send + Sync + 'static,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Options {
        HAS_BEGUN.store(true, Ordering::Relaxed);
        let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        Options {
            addresses: self.addresses.clone(),
            index: self.index,
            listener: listener.take(),
            run: self.run,
            fingerprint,
            start_within: self.start_within,
            lost_after: self.lost_after,
            chunk: Options::CHUNK,
            window: Options::WINDOW,
            on_failure: Box::new(on_failure),
            tell: Arc::new(tell),
        }
    }

    fn fingerprint(&self, inputs: &[&Path]) -> Result<Fingerprint, Failure> {
        Ok(Fingerprint {
            program: hash(version()),
            arguments: hash((
                &self.words,
                self.checkpoint.is_some(),
                self.resume.is_some(),
            )),
            input: self.hash_of_files(inputs)?,
        })
    }
}

/// A hash of a regular file of so many bytes, or of 64 pages of it, the first and the last
/// among them.
fn samples(path: &Path, length: u64) -> io::Result<u64> {
    const PAGES: u64 = 64;
    const PAGE: u64 = 1 << 14;
    let file = File::open(path)?;
    if length <= PAGES * PAGE {
        let mut all = Vec::new();
        file.take(length).read_to_end(&mut all)?;
        return Ok(hash(all));
    }
    let mut page = [0; PAGE as usize];
    let hashes = (0..PAGES).map(|k| {
        let start = u128::from(length - PAGE) * u128::from(k) / u128::from(PAGES - 1);
        file.read_exact_at(&mut page, start as u64)?;
        Ok(hash(&page[..]))
    });
    Ok(hash(hashes.collect::<io::Result<Vec<u64>>>()?))
}

/// The first process has so long to tell what is wrong, which ends the others.
const TELLING: Duration = Duration::from_secs(2);

/// The exit statuses of bad ends that are told to other processes.
const TROUBLE: u8 = 2;
const NO_VERDICT: u8 = 3;
/// That which tells a shell that nobody reads the output any more.
const BROKEN_PIPE: u8 = 128 + libc::SIGPIPE as u8;

/// Ends this process for what has ended the run, after what there is to say of its questions.
fn end(name: &'static str, is_local: bool, ended: &Ended) -> ! {
    let error = Error::from(ended.clone());
    let status = i32::from(ended.status.unwrap_or(NO_VERDICT));
    cleanup::end_after(status, || {
        if status == i32::from(NO_VERDICT) {
            memory::say_last_words();
        }
        match ended.status {
            Some(BROKEN_PIPE) => {}
            // Who has failed tells it at the same place.
            Some(_) if is_local => {}
            None | Some(NO_VERDICT) => say(format_args!("{name}: no verdict: {error}")),
            Some(_) => say(format_args!("{name}: {error}")),
        }
    })
}

/// What an error of the engine ends the command with.
pub fn cluster_failure(error: Error) -> Failure {
    match error {
        Error::Read(error) => read_failure(error),
        Error::Io { path, error } => {
            let path = printable_path(path);
            match error.kind() {
                io::ErrorKind::ResourceBusy => Failure::error(format!("{path}: {error}")),
                io::ErrorKind::InvalidData
                | io::ErrorKind::NotFound
                | io::ErrorKind::UnexpectedEof => Failure::reading(&path, &error),
                _ => Failure::writing(&path, &error),
            }
        }
        Error::Lost { .. } | Error::Start { .. } | Error::Room { .. } => {
            Failure::Limit(error.to_string())
        }
        Error::Failed {
            status: NO_VERDICT, ..
        } => Failure::Limit(error.to_string()),
        Error::Failed { .. }
        | Error::Unequal { .. }
        | Error::Packet
        | Error::Relation(_)
        | Error::Explore(_) => Failure::error(error.to_string()),
    }
}

impl Session {
    /// What this process knows of its run, if it is of one.
    pub fn membership(&self) -> Option<&'static Membership> {
        membership()
    }

    /// Comes together with the other processes, which have the same inputs: files, as each
    /// process reads them.
    ///
    /// # Errors
    /// If an input cannot be looked at, or the processes do not come together.
    pub fn join(
        &mut self,
        membership: &'static Membership,
        inputs: &[&Path],
    ) -> Result<Process, Failure> {
        check_regular(inputs.iter().copied())?;
        let (name, is_local) = (self.name(), membership.is_local);
        let options = membership.options(
            Some(membership.fingerprint(inputs)?),
            move |ended| end(name, is_local, ended),
            move |text| say(format_args!("{name}: {text}")),
        );
        let process = self.phase("connect", |_| {
            Process::join(options).map_err(cluster_failure)
        })?;
        let words = process.last_words();
        self.last_words = Some(words.clone());
        memory::set_others(move || words.tell_out_of_memory());
        Ok(process)
    }

    /// The work is done: what each process has sent and used becomes a figure, and the others
    /// are left when the outputs of the first one have appeared. `more` are other figures of this
    /// one.
    ///
    /// # Errors
    /// If another process is lost or fails.
    pub fn leave(&mut self, mut process: Process, more: Map<String, Value>) -> Result<(), Failure> {
        let traffic = process.traffic();
        let mut figures = json!({
            "process": process.index(),
            "peak_memory": stats::peak_memory(),
            "cpu_seconds": stats::cpu_time().as_secs_f64(),
            "supersteps": traffic.supersteps,
            "packets_sent": traffic.packets,
            "bytes_sent": traffic.sent,
            "bytes_received": traffic.received,
            "seconds_waited": traffic.waited as f64 / 1e9,
        });
        for (name, figure) in more {
            figures[name] = figure;
        }
        let own = figures.to_string();
        let all = gather(&mut process, own.as_bytes()).map_err(cluster_failure)?;
        let all: Result<Vec<Value>, _> = all
            .iter()
            .map(|text| serde_json::from_slice(text))
            .collect();
        let all = all.map_err(|_| cluster_failure(Error::Packet))?;
        self.add_figure("processes", Value::from(all));
        self.process = Some(process);
        Ok(())
    }

    /// Removes checkpoints when the outputs have appeared.
    pub fn finish_checkpoints(&mut self, checkpoints: Option<Checkpoints>) {
        self.checkpoints = checkpoints;
    }

    /// The others of a run, who wait until the outputs of the first process have appeared.
    pub(super) fn others(&mut self) -> Option<Others> {
        Some(Others {
            words: self.last_words.take()?,
            process: self.process.take(),
            checkpoints: self.checkpoints.take(),
            share: self.share.take(),
        })
    }
}

/// The other processes of a run.
pub(super) struct Others {
    words: LastWords,
    process: Option<Process>,
    /// These go when the outputs are there.
    checkpoints: Option<Checkpoints>,
    /// Files in a directory that has its name when the first process has said that it is done.
    share: Option<Share>,
}

impl Others {
    /// Leaves the others when outputs have appeared.
    pub(super) fn part(self) -> Result<(), Failure> {
        let finished = self.checkpoints.map_or(Ok(()), Checkpoints::finish);
        let parted = self.process.map_or(Ok(()), Process::finish);
        // By now they are where they stay, or are removed.
        drop(self.share);
        parted.and(finished).map_err(cluster_failure)
    }

    /// Tells the others why this process ends, and here by `tell`, the exit status of which it
    /// returns. Whoever is told ends silently if it is shown here, so that comes first.
    pub(super) fn told(self, failure: Failure, tell: impl FnOnce(Failure) -> i32) -> i32 {
        let (status, cause) = words_of(&failure);
        if ends_at_once(&failure) {
            self.words
                .tell(status, cause.as_deref().unwrap_or_default());
        }
        // What is wrong with an input is known to all, and told by the first one.
        let is_first = membership().is_none_or(Membership::is_first);
        if matches!(failure, Failure::Reported) && !is_first {
            thread::sleep(TELLING);
        }
        let code = tell(failure);
        self.words.tell(status, &cause.unwrap_or_else(last_error));
        code
    }
}

/// The exit status and the cause that others are told of a failure; none if that has been said.
fn words_of(failure: &Failure) -> (u8, Option<String>) {
    match failure {
        Failure::Error(text) => (TROUBLE, Some(text.clone())),
        Failure::Reported => (TROUBLE, None),
        Failure::Limit(text) | Failure::Memory(text) => (NO_VERDICT, Some(text.clone())),
        Failure::BrokenPipe => {
            let text = "nobody reads its output any more";
            (BROKEN_PIPE, Some(text.to_owned()))
        }
    }
}

/// Whether telling of a failure here ends the process.
fn ends_at_once(failure: &Failure) -> bool {
    matches!(failure, Failure::Memory(_) | Failure::BrokenPipe)
}

/// The others of this host have so long to begin after the first one.
const HEAD_START: Duration = Duration::from_millis(250);

/// What each process of this host finds for itself, as all have the same arguments, is told by
/// the first one.
pub(super) fn let_first_tell() {
    if membership().is_some_and(|own| own.is_local && !own.is_first()) {
        thread::sleep(HEAD_START);
    }
}

/// Tells here by `tell` why this process ends, the exit status of which it returns; and then
/// the others, if it has not tried yet to come together with them: they would wait for it.
pub(super) fn told_before(failure: Failure, tell: impl FnOnce(Failure) -> i32) -> i32 {
    let membership = match membership() {
        Some(own) if !HAS_BEGUN.load(Ordering::Relaxed) && !ends_at_once(&failure) => own,
        _ => return tell(failure),
    };
    let_first_tell();
    let (status, cause) = words_of(&failure);
    let code = tell(failure);
    // Whatever else happens, this one has told what it ends with.
    if let Ok(process) = Process::join(membership.options(None, |_| (), |_| ())) {
        let cause = cause.unwrap_or_else(last_error);
        process.last_words().tell(status, &cause);
    }
    code
}

/// The bytes of a file of addresses, at most.
const MOST_OF_HOSTS: u64 = 1 << 20;

/// A file with one address `HOST:PORT` a line: those of the first `count` lines, and a hash of
/// all, by which processes that disagree about their number find one another.
///
/// # Errors
/// If it cannot be read or is longer than a mebibyte, or one of the first `count` lines is none.
pub fn read_hosts(path: &Path, count: usize) -> Result<(Vec<String>, u64), Failure> {
    let name = printable_path(path);
    let failed = |error| Failure::reading(&name, &error);
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    let mut file = file.take(MOST_OF_HOSTS + 1);
    file.read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MOST_OF_HOSTS {
        return Err(Failure::error(format!(
            "{name}: longer than {MOST_OF_HOSTS} bytes, which are enough for the addresses of all \
             processes"
        )));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<(usize, &str)> = lines.collect();
    let mut addresses: Vec<String> = Vec::new();
    for &(number, line) in lines.iter().take(count) {
        let is_address = line.rsplit_once(':').is_some_and(|(host, port)| {
            !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port != 0)
        });
        if !is_address {
            let line = hyades_formats::diagnostic::excerpt(line.as_bytes());
            return Err(Failure::error(format!(
                "{name}:{number}: expected HOST:PORT, found {line}"
            )));
        }
        if addresses.iter().any(|address| address == line) {
            return Err(Failure::error(format!(
                "{name}:{number}: {line} is the address of another process already"
            )));
        }
        addresses.push(line.to_owned());
    }
    match addresses.len() == count {
        true => {
            let all: Vec<&str> = lines.iter().map(|&(_, line)| line).collect();
            Ok((addresses, hash(all)))
        }
        false => Err(Failure::error(format!(
            "{name}: found {} with HOST:PORT, expected {count}: one for each process (-n)",
            counted(addresses.len(), "line")
        ))),
    }
}
