//! From the shell to a command and back: options that every command has,
//! messages, phases, exit statuses.

use std::cell::Cell;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::error::ErrorKind;
use hyades_formats::columns::is_guarded;
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::standard;
use serde_json::{Map, Value};

use super::cleanup;
use super::folders::{Folder, UnfinishedFolder};
use super::given::GivenOptions;
use super::memory;
use super::output::{Destination, Output, sync_name};
use super::progress::{Progress, Unit};
use super::say::say_error;
use super::size::{parse_limit, show_size};
use super::slips;
use super::stats::{self, FileStats, PhaseStats, Stats};
use super::status::{Failure, Status};
use super::tau::UnusedGates;
use super::version::version;

pub use super::say::say;

/// Options about how a command runs; every command has them.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Running")]
pub struct RunOptions {
    /// Use N threads, 1024 at most [default: RAYON_NUM_THREADS, or one per
    /// processor]; the output does not depend on it
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    threads: Option<u16>,

    /// Say nothing but errors and what was asked for
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,

    /// Tell phases, sizes and times on standard error
    #[arg(short, long)]
    verbose: bool,

    /// Write sizes, seconds per phase, peak memory and threads to FILE as one
    /// JSON object; not when the input is bad
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,

    /// Give up with status 3 rather than allocate more than SIZE (500M, 4G);
    /// a mapped input does not count, the stacks of threads do (2 MiB each)
    #[arg(long, value_name = "SIZE", value_parser = parse_limit)]
    max_memory: Option<u64>,

    /// Do not wait until outputs are on the disk before they get their names: a
    /// crash of the system may leave them empty or in part
    #[arg(long)]
    no_sync: bool,
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

/// A command: its arguments, and what it does with them.
pub trait Command: clap::Parser {
    /// The name it is installed under.
    const NAME: &'static str;

    /// What `-h` prints: one screen of what it does, its own options, examples, and
    /// where the rest is told.
    const BRIEF: &'static str;

    /// The same of its modes (subcommands), each behind its name.
    const MODE_BRIEFS: &'static [(&'static str, &'static str)] = &[];

    /// The options about running among its arguments.
    fn run_options(&self) -> &RunOptions;

    /// Does the work. What it has written by the session appears when it
    /// returns well.
    ///
    /// # Errors
    /// If there is no answer; see [`Failure`].
    fn run(self, session: &mut Session) -> Result<Status, Failure>;
}

/// One run of a command: how it talks, and what it measures.
pub struct Session {
    pub(super) name: &'static str,
    verbosity: Verbosity,
    threads: usize,
    is_synced: bool,
    /// Options that only some formats have.
    pub(super) given: GivenOptions,
    pub(super) unused_gates: UnusedGates,
    stats: Option<Destination>,
    started: Instant,
    inputs: Vec<FileStats>,
    outputs: Vec<FileStats>,
    /// Written, but not to be seen yet.
    written: Vec<Output>,
    folders: Vec<UnfinishedFolder>,
    phases: Vec<PhaseStats>,
    details: Map<String, Value>,
    /// Whether it has been said why there is no verdict.
    has_told_why: Cell<bool>,
}

impl Session {
    fn new(name: &'static str, options: &RunOptions) -> Result<Self, Failure> {
        let stats = options.stats.as_deref().map(Destination::new).transpose()?;
        let told = options
            .threads
            .map_or_else(threads_of_environment, |n| Ok(Some(n.into())))?;
        let session = Self {
            name,
            verbosity: match (options.quiet, options.verbose) {
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
            phases: Vec::new(),
            details: Map::new(),
            has_told_why: Cell::new(false),
        };
        // Otherwise threads start when the work is large enough to need them,
        // which a limit might prevent.
        if told.is_some() || options.max_memory.is_some() {
            let threads = session.threads;
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build_global()
                .map_err(|_| {
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
        self.given.expect_more_inputs(1);
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
        self.has_told_why.set(true);
        self.say(message);
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
        let start = Instant::now();
        let mut phase = Phase {
            progress: Progress::hidden(),
            visible: self.verbosity >= Verbosity::Normal && io::stderr().is_terminal(),
            verbose: self.verbosity >= Verbosity::Verbose,
            summary: String::new(),
        };
        let result = work(&mut phase);
        phase.progress.clear();
        let seconds = start.elapsed().as_secs_f64();
        let result = result?;
        if self.verbosity >= Verbosity::Verbose {
            let Phase { summary, .. } = phase;
            let gap = if summary.is_empty() { "" } else { " " };
            self.say(format_args!("{name}:{gap}{summary} in {seconds:.3} s"));
        }
        self.phases.push(PhaseStats { name, seconds });
        Ok(result)
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

    /// A figure of this command alone for `--stats`, by a name that is none of
    /// those that all commands have.
    pub fn add_figure(&mut self, name: &str, value: impl Into<Value>) {
        debug_assert!(!stats::KEYS.contains(&name), "{name} is taken");
        self.details.insert(name.to_owned(), value.into());
    }

    /// Writes what `--stats` asks for, lets all outputs appear and tells the
    /// totals.
    fn finish(self, status: Status) -> Result<(), Failure> {
        let seconds = self.started.elapsed().as_secs_f64();
        let peak = stats::peak_memory();
        self.detail(format_args!(
            "{seconds:.3} s in all, peak memory {}",
            peak.map_or_else(|| "unknown".into(), show_size)
        ));
        let mut written = self.written;
        let (folders, is_synced) = (self.folders, self.is_synced);
        let Some(destination) = self.stats else {
            return appear(written, folders, is_synced);
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
        output
            .write_all(&text)
            .map_err(|e| Failure::writing(output.name(), &e))?;
        if is_synced {
            output.sync()?;
        }
        written.push(output);
        appear(written, folders, is_synced)
    }
}

/// All outputs have been written: they appear together, as far as several
/// files can.
fn appear(
    written: Vec<Output>,
    folders: Vec<UnfinishedFolder>,
    is_synced: bool,
) -> Result<(), Failure> {
    let mut places = Vec::new();
    for folder in folders {
        places.push(folder.commit()?);
    }
    for output in written {
        places.extend(output.commit()?);
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

/// Runs a command with these arguments (the first one is a name, which is not
/// looked at), and ends the process. `shown` is what the help calls it.
pub fn run<C: Command>(shown: &str, arguments: Vec<OsString>) -> ! {
    name_process(C::NAME);
    exit(guarded(C::NAME, || {
        let mut parser = short(C::command())
            .version(version())
            .bin_name(shown.to_owned());
        let parsed = parser
            .try_get_matches_from_mut(arguments)
            .and_then(|mut matches| {
                slips::check_mode(&mut parser, &matches)?;
                let given = GivenOptions::of(&matches);
                Ok((C::from_arg_matches_mut(&mut matches)?, given))
            });
        let (command, given) = match parsed {
            Ok(parsed) => parsed,
            Err(error) => return parse_end::<C>(error, &mut parser),
        };
        let options = command.run_options().clone();
        in_session(C::NAME, &options, |session| {
            session.given = given;
            command.run(session)
        })
    }))
}

/// Lets `ps`, `top` and `pkill` show the command instead of the program that has all.
fn name_process(name: &str) {
    #[cfg(target_os = "linux")]
    if let Ok(name) = std::ffi::CString::new(name) {
        // Without it the name is less telling: no reason to fail.
        let _ = nix::sys::prctl::set_name(&name);
    }
}

/// Does what a process is there for, in the name of a command: signals, lacks of
/// memory and panics are taken care of. The exit status; 2 after a panic.
pub fn guarded(name: &'static str, work: impl FnOnce() -> i32) -> i32 {
    cleanup::install();
    memory::install(name);
    install_panic_message(name);
    // Whatever the hook has said about a panic is all there is to say.
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or(2)
}

/// Runs a session of a command. What it has written appears if it ends well. The
/// exit status.
pub fn in_session(
    name: &'static str,
    options: &RunOptions,
    work: impl FnOnce(&mut Session) -> Result<Status, Failure>,
) -> i32 {
    let result = Session::new(name, options).and_then(|mut session| {
        let status = work(&mut session)?;
        if status == Status::NoVerdict && !session.has_told_why.get() {
            session.say("no verdict");
        }
        session.finish(status)?;
        Ok(status)
    });
    match result {
        Ok(status) => status.code(),
        Err(failure) => failed(name, failure),
    }
}

/// What a bad end means to the shell, after its message.
pub fn failed(name: &str, failure: Failure) -> i32 {
    cleanup::give_way();
    match failure {
        Failure::Error(message) => {
            say_error(name, &message);
            2
        }
        Failure::Reported => 2,
        Failure::Limit(message) => {
            memory::say_last_words();
            say(format_args!("{name}: no verdict: {message}"));
            3
        }
        Failure::Memory(what) => memory::end(what),
        Failure::BrokenPipe => cleanup::die_of_broken_pipe(),
    }
}

/// Prints help, version or a usage error.
fn parse_end<C: Command>(error: clap::Error, parser: &mut clap::Command) -> i32 {
    let name = C::NAME;
    if let Some(brief) = brief::<C>(&error, parser) {
        return match print(brief) {
            Ok(()) => 0,
            Err(failure) => failed(name, failure),
        };
    }
    let error = slips::advised(error, parser).format(parser);
    match error.print() {
        Err(e) if !error.use_stderr() => {
            failed(name, Failure::writing(&Destination::stdout().name(), &e))
        }
        Ok(()) if !error.use_stderr() && standard::was_closed(1) => {
            let e = io::Error::from_raw_os_error(libc::EBADF);
            failed(name, Failure::writing(&Destination::stdout().name(), &e))
        }
        _ => error.exit_code(),
    }
}

/// The page of `-h`, if that is what was asked for: of the command or of a mode.
fn brief<C: Command>(error: &clap::Error, parser: &mut clap::Command) -> Option<&'static str> {
    if error.kind() != ErrorKind::DisplayHelp {
        return None;
    }
    let asked = error.to_string();
    if asked == parser.render_help().to_string() {
        return Some(C::BRIEF);
    }
    let is_asked = |(mode, _): &&(&str, _)| {
        let mode = parser.find_subcommand_mut(mode);
        mode.is_some_and(|mode| mode.render_help().to_string() == asked)
    };
    C::MODE_BRIEFS
        .iter()
        .find(is_asked)
        .map(|(_, brief)| *brief)
}

/// A command whose subcommands tell by `-h` only what is their own.
fn short(command: clap::Command) -> clap::Command {
    let is_shared = |arg: &clap::Arg| {
        let heading = arg.get_help_heading().unwrap_or_default();
        ["Output", "Running", "Input", "Mealy"]
            .iter()
            .any(|shared| heading.starts_with(shared))
            && arg.get_id() != "output"
    };
    command.mut_subcommands(|subcommand| {
        let long = subcommand.get_after_help().cloned().unwrap_or_default();
        let subcommand = subcommand.after_help("More: --help").after_long_help(long);
        subcommand.mut_args(|arg| {
            let is_shared = is_shared(&arg);
            arg.hide_short_help(is_shared)
        })
    })
}

/// Prints a text to standard output.
///
/// # Errors
/// If it cannot be written.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut output = Destination::stdout().create()?;
    output
        .write_all(text.as_bytes())
        .map_err(|e| Failure::writing(output.name(), &e))?;
    output.commit().map(|_| ())
}

/// Ends the process. Nothing unfinished stays behind.
pub fn exit(code: i32) -> ! {
    cleanup::remove_all();
    std::process::exit(code)
}

/// A panic is an error of ours: says so in one line instead of Rust's two.
fn install_panic_message(name: &'static str) {
    static SAID: AtomicBool = AtomicBool::new(false);
    panic::set_hook(Box::new(move |info| {
        // A decoder gave up on a damaged file, which will be told.
        if is_guarded() && !memory::is_exhausted() {
            return;
        }
        // One failing thread makes others fail.
        if SAID.swap(true, Ordering::Relaxed) {
            return;
        }
        let payload = info.payload();
        let what = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("unknown");
        // Threads that do not start and some libraries panic where an error is
        // due.
        if what.contains("ThreadPoolBuildError") {
            memory::end("cannot start threads");
        }
        if memory::is_exhausted() {
            memory::end(what);
        }
        let place = info
            .location()
            .map_or_else(String::new, |l| format!(" ({}:{})", l.file(), l.line()));
        say(format_args!(
            "{name}: internal error: {what}{place}\n\
             {name}: this is a mistake in Hyades {}, please report it with the command and its input",
            version()
        ));
        if std::env::var_os("RUST_BACKTRACE").is_some() {
            say(std::backtrace::Backtrace::force_capture());
        }
    }));
}
