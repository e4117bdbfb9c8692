//! One run of a command: how it talks, what it measures, and when its outputs appear.

use std::cell::Cell;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hyades_base::parallel;
use hyades_explore::Limits;
use hyades_formats::Format;
use hyades_formats::diagnostic::{counted, printable_path};
use serde_json::{Map, Value};

use super::any_model::{AnyModel, Given};
use super::cleanup::Unfinished;
use super::folders::{Folder, UnfinishedFolder};
use super::given::{GivenOptions, UnusedGates, no_effect, spelling};
use super::memory;
use super::output::{Destination, Output, sync_name};
use super::progress::{Progress, Unit};
use super::say::{say, say_error};
use super::size::{parse_limit, show_size};
use super::stats::{self, FileStats, PhaseStats, Stats};
use super::status::{Failure, Status};

/// Options about how a command runs; every command has them.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Running")]
pub struct RunOptions {
    /// Use N threads, 1024 at most [default: RAYON_NUM_THREADS, or one per
    /// processor]; the output does not depend on it
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    threads: Option<u16>,

    /// Tell nothing but errors and what was asked for
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,

    /// Tell phases, sizes and times on standard error
    #[arg(short, long)]
    verbose: bool,

    /// Write sizes, seconds per phase, peak memory and threads to FILE as one
    /// JSON object; not when the input is bad
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,

    /// Give up with status 3 rather than allocate more than SIZE (500M, 4G); a mapped
    /// input does not count, the stacks of threads do (2 MiB each) [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = parse_limit)]
    max_memory: Option<u64>,

    /// Do not wait until outputs are on the disk before they get their names: a
    /// crash of the system may leave them empty or in part
    #[arg(long)]
    no_sync: bool,
}

impl RunOptions {
    /// Whether nothing is to be said but errors and what was asked for.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Where numbers about the run are to go.
    pub fn stats(&self) -> Option<&Path> {
        self.stats.as_deref()
    }

    #[cfg(feature = "cluster")]
    fn place() -> Place {
        let membership = super::cluster::membership();
        Place {
            is_first: membership.is_none_or(|it| it.is_first()),
            threads: membership.and_then(|it| it.threads),
        }
    }

    #[cfg(not(feature = "cluster"))]
    fn place() -> Place {
        Place {
            is_first: true,
            threads: None,
        }
    }

    /// These options, and of others those that are not among them.
    pub fn or(&self, others: &RunOptions) -> RunOptions {
        RunOptions {
            threads: self.threads.or(others.threads),
            quiet: self.quiet || others.quiet && !self.verbose,
            verbose: self.verbose || others.verbose && !self.quiet,
            stats: self.stats.clone().or_else(|| others.stats.clone()),
            max_memory: self.max_memory.or(others.max_memory),
            no_sync: self.no_sync || others.no_sync,
        }
    }

    /// The options for another command that is run on behalf of this one, but for
    /// `--stats`.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(threads) = self.threads {
            words.extend(["--threads".into(), threads.to_string()]);
        }
        if let Some(bytes) = self.max_memory {
            words.extend(["--max-memory".into(), bytes.to_string()]);
        }
        for (is_given, word) in [
            (self.quiet, "--quiet"),
            (self.verbose, "--verbose"),
            (self.no_sync, "--no-sync"),
        ] {
            words.extend(is_given.then(|| word.into()));
        }
        words
    }
}

/// What matters of the processes of a run to how a command talks, if it is one of them.
struct Place {
    /// Whether it is the one that talks.
    is_first: bool,
    /// How many threads each has.
    threads: Option<u16>,
}

/// So many threads at the most, however they are asked for.
const MOST_THREADS: i64 = 1024;

/// How much is said on standard error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// Warnings too, and progress if standard error is a terminal. The default.
    Normal,
    /// Phases, sizes and times too.
    Verbose,
}

/// One run of a command: how it talks, and what it measures.
pub struct Session {
    pub(super) name: &'static str,
    verbosity: Verbosity,
    threads: usize,
    is_synced: bool,
    /// Options that only some formats have.
    pub given: GivenOptions,
    pub(super) unused_gates: UnusedGates,
    stats: Option<Destination>,
    started: Instant,
    inputs: Vec<FileStats>,
    outputs: Vec<FileStats>,
    /// Written, but not to be seen yet.
    written: Vec<Output>,
    folders: Vec<UnfinishedFolder>,
    /// Directories that were made for outputs, inner ones first.
    directories: Vec<Made>,
    phases: Vec<PhaseStats>,
    details: Map<String, Value>,
    /// Whether it has been said why there is no verdict.
    pub(super) has_told_why: Cell<bool>,
    /// What `--max-states` says, for what is explored while inputs are read.
    max_states: Option<u64>,
    /// What tells other processes of a run why this one ends.
    #[cfg(feature = "cluster")]
    pub(super) last_words: Option<hyades_cluster::processes::LastWords>,
    /// This process among those of a run, when its work is done.
    #[cfg(feature = "cluster")]
    pub(super) process: Option<hyades_cluster::processes::Process>,
    /// What is removed when its outputs have appeared.
    #[cfg(feature = "cluster")]
    pub(super) checkpoints: Option<hyades_cluster::checkpoint::Checkpoints>,
    /// The files that this process has in a directory of another one.
    #[cfg(feature = "cluster")]
    pub(super) share: Option<super::distributed_parts::Share>,
    /// Files that have been read besides inputs: components, rules and libraries.
    read_besides: Vec<PathBuf>,
}

impl Session {
    /// What `--max-states` says holds for what is explored while inputs are read, too:
    /// semi-compositions of networks.
    pub fn limit_states(&mut self, max_states: Option<u64>) {
        self.max_states = max_states;
    }

    /// Files have been read which inputs name: no output takes their place.
    pub fn spare(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        self.read_besides.extend(files);
    }

    /// When to give up what is explored while inputs are read.
    pub(super) fn limits_of_reading(&self) -> Limits {
        Limits {
            max_states: self.max_states,
            max_memory: memory::rest(),
        }
    }

    pub(super) fn new(name: &'static str, options: &RunOptions) -> Result<Self, Failure> {
        let place = RunOptions::place();
        let stats = options.stats.as_deref().filter(|_| place.is_first);
        let stats = stats.map(Destination::new).transpose()?;
        let told = options.threads.or(place.threads);
        let told = told.map_or_else(threads_of_environment, |n| Ok(Some(n.into())))?;
        let session = Self {
            name,
            verbosity: match (options.quiet || !place.is_first, options.verbose) {
                (true, _) => Verbosity::Quiet,
                (false, false) => Verbosity::Normal,
                (false, true) => Verbosity::Verbose,
            },
            threads: told.unwrap_or_else(default_threads),
            is_synced: !options.no_sync,
            given: GivenOptions::default(),
            unused_gates: UnusedGates::default(),
            stats,
            started: Instant::now(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            written: Vec::new(),
            folders: Vec::new(),
            directories: Vec::new(),
            phases: Vec::new(),
            details: Map::new(),
            has_told_why: Cell::new(false),
            max_states: None,
            #[cfg(feature = "cluster")]
            last_words: None,
            #[cfg(feature = "cluster")]
            process: None,
            #[cfg(feature = "cluster")]
            checkpoints: None,
            #[cfg(feature = "cluster")]
            share: None,
            read_besides: Vec::new(),
        };
        match options.max_memory {
            Some(bytes) => memory::share_arenas(bytes, session.threads),
            None => memory::use_arena(),
        }
        parallel::take_part(session.threads);
        // Otherwise threads start when the work is large enough to need them,
        // which a limit might prevent.
        if told.is_some() || options.max_memory.is_some() {
            let threads = session.threads;
            parallel::start(threads).map_err(|_| {
                Failure::Memory(format!("cannot start {}", counted(threads, "thread")))
            })?;
        }
        if let Some(bytes) = options.max_memory {
            memory::limit(bytes)?;
        }
        Ok(session)
    }

    /// The command's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How much is said.
    pub fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    /// Whether phases, sizes and times are told.
    pub fn is_verbose(&self) -> bool {
        self.verbosity >= Verbosity::Verbose
    }

    /// Whether outputs are to be on the disk before they appear.
    pub(super) fn is_synced(&self) -> bool {
        self.is_synced
    }

    /// Refuses outputs that would overwrite one another, and outputs other than
    /// the first that would overwrite an input: the file of `--stats` is one of
    /// these. To be called before the work.
    ///
    /// # Errors
    /// If two of them are the same.
    pub fn check_outputs(&self, inputs: &[&Path], outputs: &[&Destination]) -> Result<(), Failure> {
        let all: Vec<_> = outputs.iter().copied().chain(&self.stats).collect();
        for output in &all {
            if let Some(input) = inputs.iter().find(|input| output.is_part_of(input)) {
                return Err(Failure::error(format!(
                    "{} would replace a part of {}",
                    output.name(),
                    printable_path(input)
                )));
            }
        }
        // The first may take the place of its input, as a converted file does.
        for side in all.iter().skip(1) {
            if inputs.iter().any(|input| side.replaces(input)) {
                return Err(Failure::error(format!(
                    "{} would replace the input",
                    side.name()
                )));
            }
        }
        for (k, a) in all.iter().enumerate() {
            if let Some(b) = all[..k].iter().find(|b| a.collides(b)) {
                return Err(Failure::error(format!(
                    "two outputs to the same place: {} and {}",
                    b.name(),
                    a.name()
                )));
            }
        }
        Ok(())
    }

    /// Refuses an output, and statistics, that would replace a file which is read
    /// besides INPUT.
    ///
    /// # Errors
    /// If one of them would.
    pub fn check_spares<'a>(
        &self,
        output: &Destination,
        files: impl IntoIterator<Item = &'a Path> + Clone,
    ) -> Result<(), Failure> {
        let mut all = std::iter::once(output).chain(&self.stats);
        all.try_for_each(|output| output.check_spares(files.clone()))
    }

    /// Announces that two inputs are going to be read.
    pub fn expect_two_inputs(&mut self) {
        self.expect_inputs(2);
    }

    /// Announces how many inputs are going to be read.
    pub fn expect_inputs(&mut self, count: usize) {
        self.given.expect_more_inputs(count.saturating_sub(1));
    }

    /// Says something that is no error, unless `-q`.
    pub fn note(&self, message: impl Display) {
        if self.verbosity >= Verbosity::Normal {
            self.say(message);
        }
    }

    /// Says why there is no verdict, whatever the verbosity: status 3 is never
    /// silent.
    pub fn tell_why(&self, message: impl Display) {
        self.said_why();
        self.say(message);
    }

    /// It has been said already why there is no verdict.
    pub fn said_why(&self) {
        self.has_told_why.set(true);
    }

    /// Says an error that does not end the command; what it asks for goes on.
    pub fn error(&self, message: &str) {
        say_error(self.name, message);
    }

    /// Says something if `-v`.
    pub fn detail(&self, message: impl Display) {
        if self.verbosity >= Verbosity::Verbose {
            self.say(message);
        }
    }

    /// Says something in any case.
    pub fn say(&self, message: impl Display) {
        say(format_args!("{}: {message}", self.name));
    }

    /// Tells a person whom nothing would tell that a command waits for an input.
    pub(super) fn tell_of_standard_input(&self, path: &Path, what: &str) {
        if path == Path::new("-") && io::stdin().is_terminal() {
            self.note(format_args!(
                "reads {what} from standard input, up to Ctrl-D; or give INPUT: see {} -h",
                self.name
            ));
        }
    }

    /// Tells what a terminal has not got of an output, and how to have it.
    pub(super) fn tell_left_out(&self, output: &Output) {
        if let Some(shown) = output.left_out() {
            self.say(format_args!(
                "{shown} are shown; all of them with -o FILE, | less, or | cat"
            ));
        }
    }

    /// Runs a phase of the work, measured for `-v` and `--stats`. The work gets
    /// a progress to report to; it may return a text for `-v`.
    ///
    /// # Errors
    /// Those of the work.
    pub fn phase<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&mut Phase) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut phase = self.begin_phase();
        let result = work(&mut phase);
        phase.progress.clear();
        let result = result?;
        self.end_phase(name, &phase);
        Ok(result)
    }

    fn begin_phase(&self) -> Phase {
        Phase {
            start: Instant::now(),
            progress: Progress::hidden(),
            visible: self.verbosity >= Verbosity::Normal && io::stderr().is_terminal(),
            verbose: self.verbosity >= Verbosity::Verbose,
            summary: String::new(),
        }
    }

    fn end_phase(&mut self, name: &'static str, phase: &Phase) {
        let seconds = phase.start.elapsed().as_secs_f64();
        if phase.verbose {
            let summary = &phase.summary;
            let gap = if summary.is_empty() { "" } else { " " };
            self.say(format_args!("{name}:{gap}{summary} in {seconds:.3} s"));
        }
        self.phases.push(PhaseStats { name, seconds });
    }

    /// Figures of an input; asked for if there is a `--stats`.
    pub fn add_input(&mut self, file: impl FnOnce() -> FileStats) {
        if self.stats.is_some() {
            self.inputs.push(file());
        }
    }

    /// An output that has been written, with its figures, asked for if there is
    /// a `--stats`. It appears when the session ends well.
    pub fn add_output(&mut self, output: Output, file: impl FnOnce() -> FileStats) {
        self.written.push(output);
        if self.stats.is_some() {
            self.outputs.push(file());
        }
    }

    /// Refuses a folder that would get the file of `--stats`. To be called before the
    /// work.
    ///
    /// # Errors
    /// If it would.
    pub fn check_folder(&self, folder: &Folder) -> Result<(), Failure> {
        match &self.stats {
            Some(stats) if stats.is_within(folder.place()) => Err(Failure::error(format!(
                "two outputs to the same place: {} and {}",
                stats.name(),
                folder.name()
            ))),
            _ => Ok(()),
        }
    }

    /// A folder whose files have been written, with its figures. It appears when the
    /// session ends well.
    pub(super) fn add_folder(&mut self, folder: UnfinishedFolder, figures: FileStats) {
        self.folders.push(folder);
        self.outputs.push(figures);
    }

    /// Makes the directories that are missing on the way to `path`, and `path` itself, for
    /// outputs to come. They go again if the session does not end well.
    ///
    /// # Errors
    /// If one cannot be made.
    pub fn make_directories(&mut self, path: &Path) -> Result<(), Failure> {
        let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
        for path in missing.into_iter().rev() {
            let made = Unfinished::create_directory(path)
                .map_err(|error| Failure::writing(&printable_path(path), &error))?;
            let made = Made {
                path: path.to_owned(),
                made,
            };
            self.directories.insert(0, made);
        }
        Ok(())
    }

    /// A figure of this command alone for `--stats`, by a name that is none of
    /// those that all commands have.
    pub fn add_figure(&mut self, name: &str, value: impl Into<Value>) {
        debug_assert!(!stats::KEYS.contains(&name), "{name} is taken");
        self.details.insert(name.to_owned(), value.into());
    }

    /// Lets what has been written so far appear, for who is told so before the session
    /// ends. What is written afterwards appears by itself.
    ///
    /// # Errors
    /// If it cannot appear, or would replace what has been read.
    pub fn appear(&mut self) -> Result<(), Failure> {
        let written = mem::take(&mut self.written);
        let check = |output: &Output| output.check_spares(&self.read_besides);
        written.iter().try_for_each(check)?;
        let (folders, directories) = (&mut self.folders, &mut self.directories);
        appear(
            written,
            mem::take(folders),
            mem::take(directories),
            self.is_synced,
        )
    }

    /// Writes what `--stats` asks for, lets all outputs appear and tells the
    /// totals.
    pub(super) fn finish(self, status: Status) -> Result<(), Failure> {
        let seconds = self.started.elapsed().as_secs_f64();
        // What the system tells takes as long as all that is done with a small input.
        let is_told = self.is_verbose() || self.stats.is_some();
        let peak = is_told.then(stats::peak_memory).flatten();
        self.detail(format_args!(
            "{seconds:.3} s in all, peak memory {}",
            peak.map_or_else(|| "unknown".into(), show_size)
        ));
        // Dropped after what is in them.
        let directories = self.directories;
        let mut written = self.written;
        let check = |output: &Output| output.check_spares(&self.read_besides);
        written.iter().try_for_each(check)?;
        let (folders, is_synced) = (self.folders, self.is_synced);
        let Some(destination) = self.stats else {
            return appear(written, folders, directories, is_synced);
        };
        let figures = Stats {
            command: self.name,
            version: env!("CARGO_PKG_VERSION"),
            status: status.code(),
            inputs: self.inputs,
            outputs: self.outputs,
            phases: self.phases,
            details: self.details,
            seconds,
            cpu_seconds: stats::cpu_time().as_secs_f64(),
            peak_memory: peak,
            threads: self.threads,
        };
        let mut text = serde_json::to_vec_pretty(&figures)
            .map_err(|e| Failure::error(format!("cannot write statistics: {e}")))?;
        text.push(b'\n');
        let mut output = destination.create()?;
        output.check_spares(&self.read_besides)?;
        output
            .write_all(&text)
            .map_err(|e| Failure::writing(output.name(), &e))?;
        if is_synced {
            output.sync()?;
        }
        written.push(output);
        appear(written, folders, directories, is_synced)
    }
}

/// A directory that goes again unless outputs appear in it.
struct Made {
    path: PathBuf,
    made: Unfinished,
}

/// All outputs have been written: they appear together, as far as several
/// files can.
fn appear(
    written: Vec<Output>,
    folders: Vec<UnfinishedFolder>,
    directories: Vec<Made>,
    is_synced: bool,
) -> Result<(), Failure> {
    let mut places = Vec::new();
    for folder in folders {
        places.push(folder.commit()?);
    }
    for output in written {
        places.extend(output.commit()?);
    }
    for Made { path, made } in directories {
        // It has its name already, and keeps it.
        made.appear(&path)
            .map_err(|error| Failure::writing(&printable_path(&path), &error))?;
    }
    if is_synced {
        // Several in one directory are on the disk at once.
        let mut synced: Vec<&Path> = Vec::new();
        for place in &places {
            if !synced.iter().any(|other| other.parent() == place.parent()) {
                sync_name(place)?;
                synced.push(place);
            }
        }
    }
    Ok(())
}

/// A phase that is running.
pub struct Phase {
    start: Instant,
    progress: Progress,
    visible: bool,
    verbose: bool,
    summary: String,
}

impl Phase {
    /// Shows progress from now on, if standard error is a terminal and not
    /// `-q`.
    pub fn progress(
        &mut self,
        what: impl Display,
        unit: Unit,
        total: Option<u64>,
    ) -> &mut Progress {
        self.progress.clear();
        self.progress = if self.visible {
            Progress::shown(what.to_string(), unit, total)
        } else {
            Progress::hidden()
        };
        &mut self.progress
    }

    /// What `-v` tells about this phase when it is over; asked for if it does.
    pub fn summary(&mut self, text: impl FnOnce() -> String) {
        if self.verbose {
            self.summary = text();
        }
    }
}

/// How many threads the work uses if nobody says.
fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How many threads the environment asks for, by the variables that rayon knows, of
/// which the first goes before the second, deprecated one; 0 and nothing ask for the
/// default.
fn threads_of_environment() -> Result<Option<usize>, Failure> {
    for name in ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"] {
        let Some(text) = std::env::var_os(name).filter(|text| !text.is_empty()) else {
            continue;
        };
        let number = text.to_str().and_then(|text| text.parse::<i64>().ok());
        return match number {
            Some(0) => Ok(None),
            Some(number @ 1..=MOST_THREADS) => Ok(Some(number as usize)),
            _ => Err(Failure::error(format!(
                "the variable {name} is '{}': expected a number of threads from 1 to \
                 {MOST_THREADS}, or 0 for one per processor; -j N goes before it",
                printable_path(text)
            ))),
        };
    }
    Ok(None)
}

impl Session {
    /// The format of the last file that was read as an LTS.
    pub fn last_format(&self) -> Option<Format> {
        self.given.inputs().last().copied()
    }

    /// The format in which what has been read last was read as an LTS; `None` for anything else.
    pub fn format_of(&self, given: &Given) -> Option<Format> {
        match given {
            Given::Model(AnyModel::Lts(_)) => self.last_format(),
            Given::Model(_) | Given::Network(_) | Given::System(..) => None,
        }
    }

    /// Warns of options about writing some formats where no LTS is written, and says
    /// why.
    pub fn tell_no_writing(&self, why: &str) {
        for (name, _) in &self.given.writing {
            self.tell_no_effect(&spelling(name), why);
        }
    }

    /// Warns of an option that has no effect here, and says why.
    pub fn tell_no_effect(&self, option: &str, why: &str) {
        self.report(&no_effect("option-unused", option, why));
    }
}
