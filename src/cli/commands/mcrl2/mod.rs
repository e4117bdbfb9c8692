//! Commands under the names of mCRL2's, with the arguments that its manual pages
//! describe, so that existing scripts run unchanged.
//!
//! Each file here has the arguments of one command; the work is done as by the commands of
//! our own. What mCRL2's tools log goes to standard error here as well, and the exit status
//! is theirs: 0 if all went well, whatever the verdict, and 1 otherwise. `HYADES_OPTIONS`
//! is obeyed as by the commands under CADP's names ([`crate::cadp`]).

mod compare;
mod convert;
mod info;
mod trace;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{ArgAction, CommandFactory, Parser, ValueEnum};
use hyades_cli_core::{Failure, Session, Status, memory, run, say, version};
use hyades_equivalence::Relation;
use hyades_formats::label::multi_action;
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, TooLarge};

use crate::cadp::environment;

/// A command of mCRL2.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its arguments.
    pub parser: fn() -> clap::Command,
    run: fn(&'static str, Vec<OsString>) -> i32,
}

/// The commands.
pub const TOOLS: [Tool; 4] = [
    tool::<compare::Compare>(),
    tool::<convert::Convert>(),
    tool::<info::Info>(),
    tool::<trace::Tracepp>(),
];

const fn tool<W: Work>() -> Tool {
    Tool {
        name: W::NAME,
        parser: <W as CommandFactory>::command,
        run: run_as::<W>,
    }
}

/// What a command does.
trait Work: Parser {
    const NAME: &'static str;

    /// What it shares with the others.
    fn common(&self) -> &Common;

    /// Does the work. As of [`run::Command`].
    fn work(self, session: &mut Session) -> Result<(), Failure>;
}

/// The command with this name; directories before it do not count.
pub fn find(name: &OsStr) -> Option<&'static Tool> {
    Path::new(name).file_name().and_then(named)
}

/// The command with this name.
pub fn named(name: &OsStr) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| name == tool.name)
}

impl Tool {
    /// Runs the command and ends the process.
    pub fn main(&'static self, arguments: Vec<OsString>) -> ! {
        memory::set_status(1);
        run::act_as(self.name);
        run::exit(run::guarded(self.name, || (self.run)(self.name, arguments)))
    }
}

fn run_as<W: Work>(name: &'static str, arguments: Vec<OsString>) -> i32 {
    let words = std::iter::once(name.into()).chain(arguments);
    let text = match W::try_parse_from(words) {
        Ok(command) => {
            return match environment(command.common().verbosity()) {
                Ok(options) => run::in_session(name, &options, |session| {
                    command.common().tell_unused(session);
                    command.work(session).map(|()| Status::Holds)
                }),
                Err(failure) => run::failed(name, failure),
            };
        }
        Err(error) if error.use_stderr() => return run::failed(name, usage_failure(&error)),
        Err(error) => error.to_string(),
    };
    match run::print(&text) {
        Ok(()) => 0,
        Err(failure) => run::failed(name, failure),
    }
}

/// The failure of a command line that means nothing.
fn usage_failure(error: &clap::Error) -> Failure {
    let text = error.to_string();
    let (what, _) = text.split_once("\n\n").unwrap_or((&text, ""));
    Failure::error(format!(
        "{}; --help tells what there is",
        what.trim_start_matches("error: ").trim_end()
    ))
}

/// The options that all of mCRL2's tools have.
#[derive(clap::Args, Clone, Debug)]
#[command(version = version())]
struct Common {
    /// Tell nothing on standard error but errors
    #[arg(short, long)]
    quiet: bool,

    /// Tell phases, sizes and times on standard error
    #[arg(short, long)]
    verbose: bool,

    /// As --verbose
    #[arg(short, long)]
    debug: bool,

    /// As --quiet up to `error`, as --verbose from `verbose` on
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<LogLevel>,

    /// Without effect: --verbose tells times, `HYADES_OPTIONS='--stats FILE'` writes them
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    timings: Option<Option<PathBuf>>,

    /// As --help
    #[arg(long, hide = true, action = ArgAction::HelpLong)]
    help_all: Option<bool>,
}

/// What is told, from nothing to all.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum LogLevel {
    Quiet,
    Error,
    #[value(alias = "warn")]
    Warning,
    Info,
    Status,
    Verbose,
    Debug,
    Trace,
}

impl Common {
    /// Whether what is not asked for, and no error, is not told.
    fn is_quiet(&self) -> bool {
        self.quiet
            || match self.log_level {
                Some(LogLevel::Quiet | LogLevel::Error | LogLevel::Warning) => true,
                None
                | Some(
                    LogLevel::Info
                    | LogLevel::Status
                    | LogLevel::Verbose
                    | LogLevel::Debug
                    | LogLevel::Trace,
                ) => false,
            }
    }

    /// The option of ours that tells as much.
    fn verbosity(&self) -> Option<&'static str> {
        let more = match self.log_level {
            Some(LogLevel::Verbose | LogLevel::Debug | LogLevel::Trace) => true,
            None
            | Some(
                LogLevel::Quiet
                | LogLevel::Error
                | LogLevel::Warning
                | LogLevel::Info
                | LogLevel::Status,
            ) => self.verbose || self.debug,
        };
        match (self.is_quiet(), more) {
            (true, _) => Some("-q"),
            (false, true) => Some("-v"),
            (false, false) => None,
        }
    }

    fn tell_unused(&self, session: &Session) {
        if self.timings.is_some() {
            session.note("--timings has no effect: `HYADES_OPTIONS='--stats FILE'` writes times");
        }
    }

    /// Logs a line as mCRL2 does: without a name before it.
    fn log(&self, line: impl std::fmt::Display) {
        if !self.is_quiet() {
            say::say(line);
        }
    }
}

/// A relation by its name in mCRL2; of `none` there is none.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    relation: Option<Relation>,
}

/// That a relation is not known, with those that mCRL2 has.
fn unknown(name: &str) -> String {
    format!(
        "unknown relation `{name}`: mCRL2 has none, bisim, branching-bisim, dpbranching-bisim, \
         weak-bisim, dpweak-bisim, sim, ready-sim, coupled-sim, trace, weak-trace, for -p also \
         trace-ac, weak-trace-ac, failures, weak-failures, failures-divergence, \
         impossible-futures, for ltsconvert also tau-star, tau-scc, determinisation; more are \
         told by `hyades help relations`"
    )
}

impl FromStr for Named {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let relation = match name {
            "none" | "unknown" => None,
            name => Some(name.parse().map_err(|_| unknown(name))?),
        };
        Ok(Self {
            name: name.to_owned(),
            relation,
        })
    }
}

/// An LTS whose multi-actions have their actions in alphabetical order, as mCRL2 keeps
/// them: `b|a` is `a|b`. O(labels · length + transitions), and nothing where there is none.
///
/// # Errors
/// None in practice: there are no more labels than before.
fn with_sorted_actions(mut lts: Lts) -> Result<Lts, TooLarge> {
    let sorted = |text: &[u8]| {
        let mut multi = multi_action(text)?;
        multi.actions.sort_unstable();
        let mut sorted = multi.actions.join(&b'|');
        sorted.extend_from_slice(multi.time);
        Some(sorted)
    };
    if !lts.table().visible().any(|(_, text)| text.contains(&b'|')) {
        return Ok(lts);
    }
    let states = lts.take_state_labels();
    let mut parts = lts.into_parts();
    let mut table = LabelTable::new();
    let mut label_of = vec![LabelId::HIDDEN; parts.table.len()];
    for (label, text) in parts.table.visible() {
        label_of[label.index()] = match sorted(text) {
            Some(sorted) => table.intern(&sorted)?,
            None => table.intern(text)?,
        };
    }
    for label in &mut parts.labels {
        *label = label_of[label.index()];
    }
    let sorted = Lts::from_parts(LtsParts { table, ..parts });
    Ok(match states {
        Some(states) => sorted.with_state_labels(states),
        None => sorted,
    })
}

#[cfg(test)]
mod tests {
    use hyades_formats::{LtsBuilder, StateId};

    use super::with_sorted_actions;

    #[test]
    fn actions_are_sorted_in_multi_actions_alone() {
        let mut builder = LtsBuilder::new(1);
        for label in ["b(2)|a|b(1)", "a|b(1)|b(2)", "z", "!x|y", "b|a @ 3", "i"] {
            builder.add_text(0, label.as_bytes(), 0).unwrap();
        }
        let lts = with_sorted_actions(builder.build(StateId::new(0)).unwrap()).unwrap();
        let texts = lts.labels().iter().map(|&label| lts.table().text(label));
        let texts: Vec<_> = texts.map(String::from_utf8_lossy).collect();
        assert_eq!(
            texts,
            ["a|b(1)|b(2)", "a|b(1)|b(2)", "z", "!x|y", "a|b @ 3", "i"]
        );
        assert_eq!(lts.table().len(), 6);
    }
}
