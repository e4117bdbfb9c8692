//! From the shell to a command and back: options that every command has,
//! messages, phases, exit statuses.

use std::ffi::OsString;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::panic::{self, AssertUnwindSafe};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::error::ErrorKind;
use hyades_formats::columns::is_guarded;

use super::cleanup;
#[cfg(feature = "cluster")]
use super::cluster;
use super::given::GivenOptions;
use super::memory;
use super::output::Destination;
use super::say::say_error;
use super::session::{RunOptions, Session};
use super::slips;
use super::standard;
use super::status::{Failure, Status};
use super::version::version;

pub use super::say::{borrow_name, say};

/// A command: its arguments, and what it does with them.
///
/// Its version is that of Hyades, unless its arguments have one of their own
/// (`#[command(version)]`), as those of a command from outside may.
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

/// Runs a command with these arguments (the first one is a name, which is not
/// looked at), and ends the process. `shown` is what the help calls it.
pub fn run<C: Command>(shown: &str, arguments: Vec<OsString>) -> ! {
    let name = name_of::<C>();
    name_process(name);
    exit(guarded(name, || {
        let mut parser = short(C::command())
            .propagate_version(true)
            .bin_name(shown.to_owned());
        match parser.get_version() {
            Some(version) => drop(PROGRAM.set(format!("{name} {version}"))),
            None => parser = parser.version(version()),
        }
        // Where the plain form is one of them.
        if slips::has_modes(&parser) && parser.get_positionals().next().is_some() {
            parser = parser.override_usage(format!(
                "{shown} [OPTIONS] [INPUT]\n       {shown} MODE [OPTIONS] …"
            ));
        }
        // The process ends with it: freeing its thousands of pieces would only take time.
        let mut parser = ManuallyDrop::new(parser);
        let parsed = slips::check_words(&mut parser, &arguments)
            .and_then(|()| parser.try_get_matches_from_mut(&arguments))
            .and_then(|mut matches| {
                slips::check_mode(&mut parser, &matches)?;
                let given = GivenOptions::of(&matches);
                Ok((C::from_arg_matches_mut(&mut matches)?, given))
            });
        let (command, given) = match parsed {
            Ok(parsed) => parsed,
            Err(error) => return parse_end::<C>(error, &mut parser, &arguments),
        };
        let options = command.run_options().clone();
        in_session(name, &options, |session| {
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
    #[cfg(feature = "cluster")]
    let mut others = None;
    let result = Session::new(name, options).and_then(|mut session| {
        let worked = work(&mut session);
        #[cfg(feature = "cluster")]
        {
            others = session.others();
        }
        let status = worked?;
        if status == Status::NoVerdict && !session.has_told_why.get() {
            session.say("no verdict");
        }
        session.finish(status)?;
        Ok(status)
    });
    #[cfg(feature = "cluster")]
    let result = match others.take() {
        None => result,
        Some(others) => match result {
            Ok(status) => others.part().map(|()| status),
            Err(failure) => return others.told(failure, |failure| failed(name, failure)),
        },
    };
    match result {
        Ok(status) => status.code(),
        #[cfg(feature = "cluster")]
        Err(failure) => cluster::told_before(failure, |failure| failed(name, failure)),
        #[cfg(not(feature = "cluster"))]
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
fn parse_end<C: Command>(
    error: clap::Error,
    parser: &mut clap::Command,
    arguments: &[OsString],
) -> i32 {
    let name = name_of::<C>();
    if let Some(brief) = brief::<C>(&error, parser) {
        return match print(brief) {
            Ok(()) => 0,
            Err(failure) => failed(name, failure),
        };
    }
    let error = slips::advised(error, parser, arguments).format(parser);
    if error.use_stderr() {
        #[cfg(feature = "cluster")]
        cluster::let_first_tell();
        // In a pipe several commands may speak; if it cannot be said, nor can what follows.
        let _ = write!(io::stderr(), "{name}: ");
    }
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

/// The command under one of CADP's or mCRL2's names that one of ours stands in for.
static ACTS_AS: OnceLock<&'static str> = OnceLock::new();

/// From now on the command stands in for one under one of CADP's or mCRL2's names: its
/// messages begin with that, and a verdict makes no difference to the exit status, which is 0 if
/// all went well and 1 otherwise.
pub fn act_as(name: &'static str) {
    ACTS_AS.get_or_init(|| name);
}

/// Whether the command stands in for one under one of CADP's or mCRL2's names, and has the
/// options of that.
pub(super) fn is_stand_in() -> bool {
    ACTS_AS.get().is_some()
}

/// What the command is called in messages.
fn name_of<C: Command>() -> &'static str {
    ACTS_AS.get().copied().unwrap_or(C::NAME)
}

/// Ends the process. Nothing unfinished stays behind.
pub fn exit(code: i32) -> ! {
    cleanup::remove_all();
    let is_text = is_stand_in();
    std::process::exit(match code {
        0 | 1 if is_text => 0,
        _ if is_text => 1,
        code => code,
    })
}

/// The program and its version, if it is a filter from outside with a version of its own.
static PROGRAM: OnceLock<String> = OnceLock::new();

/// A panic is an error of ours, or of who made the filter: says so in one line instead of
/// Rust's two.
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
        let hyades = || format!("Hyades {}", version());
        let whose = PROGRAM.get().cloned().unwrap_or_else(hyades);
        say(format_args!(
            "{name}: internal error: {what}{place}\n\
             {name}: this is a mistake in {whose}, please report it with the command and its input"
        ));
        if std::env::var_os("RUST_BACKTRACE").is_some() {
            say(std::backtrace::Backtrace::force_capture());
        }
    }));
}
