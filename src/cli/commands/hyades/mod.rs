//! `hyades`: all commands under one name.
//!
//! `hyades NAME …` runs the command NAME within this program, or, if there is
//! none, the program `hyades-NAME` found by PATH.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process;

use clap::CommandFactory;
use hyades_formats::diagnostic::printable_path;

use crate::commands::{
    describe, equiv, generate, kernel, minimize, reach, reduce, refine, relabel, transcode, wmethod,
};
use crate::core::{Command, Destination, Failure, run};

mod cadp;

/// A command of this program.
struct Entry {
    name: &'static str,
    /// A name that belongs to another widespread program, and so is only good
    /// behind `hyades`.
    alias: Option<&'static str>,
    parser: fn() -> clap::Command,
    run: fn(&str, Vec<OsString>) -> !,
}

fn entry<C: Command>(alias: Option<&'static str>) -> Entry {
    Entry {
        name: C::NAME,
        alias,
        parser: <C as CommandFactory>::command,
        run: run::run::<C>,
    }
}

fn entries() -> [Entry; 11] {
    [
        entry::<describe::Describe>(Some("info")),
        entry::<equiv::Equiv>(Some("compare")),
        entry::<generate::Generate>(None),
        entry::<kernel::Kernel>(None),
        entry::<minimize::Minimize>(None),
        entry::<reach::Reach>(None),
        entry::<reduce::Reduce>(None),
        entry::<refine::Refine>(None),
        entry::<relabel::Relabel>(None),
        entry::<transcode::Transcode>(Some("convert")),
        entry::<wmethod::Wmethod>(None),
    ]
}

const USAGE: &str = "\
Filters for labelled transition systems

Usage: hyades NAME [ARGUMENTS]
       hyades help NAME

Each command is also installed under its own name. A NAME that is not below
runs the program hyades-NAME.

Commands:
";

const ENDING: &str = "
Example:
  hyades convert big.aut.gz | hyades reach | hyades minimize -e branching

Exit status: that of the command; 2 if there is no such command.
";

/// The command that has all others.
pub fn main() {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let called = match arguments.is_empty() {
        true => OsString::new(),
        false => arguments.remove(0),
    };
    if let Some(tool) = cadp::find(&called) {
        tool.main(arguments)
    }
    if arguments.is_empty() {
        finish(list())
    }
    let first = arguments.remove(0);
    match first.to_str() {
        Some("help") if arguments.is_empty() => finish(list()),
        Some("help") => {
            // `help generate dining` is `generate dining --help`.
            let name = arguments.remove(0);
            arguments.push("--help".into());
            run(&name, arguments)
        }
        Some("-h" | "--help") => finish(list()),
        Some("-V" | "--version") => {
            let version = concat!("hyades ", env!("CARGO_PKG_VERSION"), "\n");
            finish(show(version))
        }
        Some(option) if option.starts_with('-') => finish(Err(Failure::error(format!(
            "unexpected option {option}: the name of a command comes first, see hyades --help"
        )))),
        _ => run(&first, arguments),
    }
}

/// Runs the command of that name.
fn run(name: &OsStr, arguments: Vec<OsString>) -> ! {
    let entries = entries();
    if let Some(entry) = entries
        .iter()
        .find(|e| name == e.name || e.alias.is_some_and(|alias| name == alias))
    {
        let shown = format!("hyades {}", printable_path(name));
        let all = std::iter::once(name.to_owned()).chain(arguments);
        (entry.run)(&shown, all.collect())
    }
    if name == "install-links" {
        // Links are made under other names first.
        run::exit(run::guarded("hyades", || {
            code(cadp::install_links(&arguments).and_then(|text| show(&text)))
        }))
    }
    if let Some(tool) = cadp::TOOLS.iter().find(|tool| name == tool.name) {
        tool.main(arguments)
    }
    // A slash would make it a path instead of a name to look up.
    let mut error = io::Error::from(io::ErrorKind::NotFound);
    if !name.is_empty() && !name.as_bytes().contains(&b'/') {
        let mut program = OsString::from("hyades-");
        program.push(name);
        // Returns only if there is no such program.
        error = process::Command::new(program).args(arguments).exec();
    }
    let name = printable_path(name);
    finish(Err(Failure::error(match error.kind() {
        io::ErrorKind::NotFound => format!(
            "no command {name}, and no program hyades-{name}: hyades alone lists the commands"
        ),
        _ => format!("cannot run hyades-{name}: {error}"),
    })))
}

/// Prints what there is.
fn list() -> Result<(), Failure> {
    let mut text = String::from(USAGE);
    for entry in entries() {
        let about = (entry.parser)().get_about().map(ToString::to_string);
        text.push_str(&format!(
            "  {:<10} {}",
            entry.name,
            about.unwrap_or_default()
        ));
        if let Some(alias) = entry.alias {
            text.push_str(&format!(" (also: {alias})"));
        }
        text.push('\n');
    }
    text.push_str("\nWith the arguments of CADP's commands, also when called by their names:\n");
    for tool in &cadp::TOOLS {
        text.push_str(&format!("  {:<10} {}\n", tool.name, tool.about));
    }
    text.push_str(
        "\ninstall-links DIR makes links with these names, for a directory to be first in PATH\n",
    );
    let plugins = plugins();
    if !plugins.is_empty() {
        text.push_str("\nFound by PATH:\n");
        for name in plugins {
            text.push_str(&format!("  {name}\n"));
        }
    }
    text.push_str(ENDING);
    show(&text)
}

/// The NAMEs for which PATH has a `hyades-NAME`.
fn plugins() -> BTreeSet<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter_map(|directory| std::fs::read_dir(directory).ok())
        .flatten()
        .filter_map(|file| file.ok()?.file_name().into_string().ok())
        .filter_map(|file| file.strip_prefix("hyades-").map(str::to_owned))
        .collect()
}

fn show(text: &str) -> Result<(), Failure> {
    let mut output = Destination::stdout().create()?;
    output
        .write_all(text.as_bytes())
        .map_err(|e| Failure::writing(output.name(), &e))?;
    output.commit().map(|_| ())
}

fn finish(result: Result<(), Failure>) -> ! {
    run::exit(code(result))
}

/// The exit status, after the message of a failure.
fn code(result: Result<(), Failure>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(failure) => run::failed("hyades", failure),
    }
}
