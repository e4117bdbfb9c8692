//! `hyades install-links`: a directory that makes scripts use our commands.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hyades_formats::diagnostic::printable_path;

use super::{open, tools};
use crate::mcrl2;
use hyades_cli_core::Failure;
use hyades_cli_core::output::replace_link;

/// How it is called.
pub const USAGES: [&str; 2] = [
    "hyades install-links [--cadp|--refusing] DIRECTORY",
    "hyades install-links --mcrl2|--own DIRECTORY",
];

fn usage() -> String {
    format!("usage: {}", USAGES.join("\n       "))
}

/// Under which names links are made.
#[derive(Clone, Copy)]
enum Names {
    Cadp,
    /// Those that only tell what to do instead, too.
    CadpRefusing,
    Mcrl2,
    Own,
}

impl Names {
    fn of_option(option: &str) -> Option<Self> {
        match option {
            "--cadp" => Some(Self::Cadp),
            "--refusing" => Some(Self::CadpRefusing),
            "--mcrl2" => Some(Self::Mcrl2),
            "--own" => Some(Self::Own),
            _ => None,
        }
    }

    /// The names; our `own` commands have these.
    fn list(self, own: &[&'static str]) -> Vec<&'static str> {
        match self {
            Self::Cadp => names(false),
            Self::CadpRefusing => names(true),
            Self::Mcrl2 => mcrl2::TOOLS.map(|tool| tool.name).into(),
            Self::Own => own.to_vec(),
        }
    }
}

/// Commands of our own that have the name of one of CADP's.
const SHARED: [&str; 1] = ["svl"];

/// The names that get links, but for our own.
fn names(refusing: bool) -> Vec<&'static str> {
    let absent = open::ABSENT.iter().filter(|_| refusing);
    let names = tools().chain(absent).map(|tool| tool.name);
    names.chain(SHARED).collect()
}

/// Whether a link has nothing to do but tell why.
fn is_refused(name: &str) -> bool {
    let mut all = tools().chain(&open::ABSENT);
    all.any(|tool| tool.name == name && !tool.is_done())
}

/// Makes links to this program under the names of CADP's commands, with `--mcrl2` under those
/// of mCRL2's, or with `--own` under those of our `own`, in a directory, which is made if it is
/// not there. A link of ours is replaced, anything else is left alone: then nothing is done.
/// The text to print; with `-h` or `--help` it is help, and nothing else happens.
///
/// # Errors
/// If the arguments are not one directory, if there is something in the way, or
/// if a link cannot be made.
pub fn install_links(arguments: &[OsString], own: &[&'static str]) -> Result<String, Failure> {
    if arguments
        .iter()
        .any(|word| word == "-h" || word == "--help")
    {
        return Ok(format!("{}\n{}\n", about(own), usage()));
    }
    let (options, directories): (Vec<&OsString>, Vec<&OsString>) = arguments
        .iter()
        .partition(|word| word.as_bytes().starts_with(b"-"));
    let mut kind = Names::Cadp;
    for (place, option) in options.iter().enumerate() {
        let Some(named) = option.to_str().and_then(Names::of_option) else {
            return Err(Failure::error(format!(
                "unexpected option {} (for a directory of that name: ./{0})\n{}",
                printable_path(option),
                usage()
            )));
        };
        if options[..place].iter().any(|other| other != option) {
            return Err(Failure::error(format!(
                "{} and {} exclude each other\n{}",
                printable_path(options[0]),
                printable_path(option),
                usage()
            )));
        }
        kind = named;
    }
    let [directory] = directories[..] else {
        return Err(Failure::error(usage()));
    };
    if directory.is_empty() {
        // As a path it would mean the working directory.
        return Err(Failure::error(format!(
            "the name of the directory is empty (for the working directory: .)\n{}",
            usage()
        )));
    }
    let directory = Path::new(directory);
    let program = std::env::current_exe()
        .and_then(fs::canonicalize)
        .map_err(|e| Failure::error(format!("cannot find this program: {e}")))?;
    fs::create_dir_all(directory).map_err(|e| Failure::writing(&printable_path(directory), &e))?;
    let names = kind.list(own);
    for name in &names {
        let link = directory.join(name);
        let free = is_free(&link, &program);
        if !free.map_err(|e| Failure::reading(&printable_path(&link), &e))? {
            return Err(Failure::error(format!(
                "{} is there already, and no link to Hyades: remove it, or name another directory",
                printable_path(&link)
            )));
        }
    }
    for name in &names {
        replace_link(&program, &directory.join(name))
            .map_err(|e| Failure::writing(&printable_path(directory.join(name)), &e))?;
    }
    let what = match kind {
        Names::Own => format!("This directory has the commands {}", names.join(", ")),
        Names::Mcrl2 => {
            let names = names.join(", ");
            format!("Scripts that run with this use Hyades for {names}")
        }
        Names::Cadp | Names::CadpRefusing => {
            let (refused, served): (Vec<&str>, Vec<&str>) =
                names.iter().partition(|&&name| is_refused(name));
            format!(
                "Scripts that run with this use Hyades for {}; what is not supported is told by {}",
                served.join(", "),
                refused.join(", ")
            )
        }
    };
    Ok(format!(
        "{what}:\nPATH={}:$PATH\n",
        quoted(
            &fs::canonicalize(directory)
                .unwrap_or_else(|_| directory.to_owned())
                .to_string_lossy()
        )
    ))
}

/// What it does, in paragraphs; our `own` commands have these names.
pub fn about(own: &[&'static str]) -> String {
    format!(
        "Make links to this program in DIRECTORY, which need not be there yet, under\n\
         the names\n{}:\n\
         scripts that run with DIRECTORY first in PATH use Hyades for them; some\n\
         (determinator, ocis, cunctator …) only tell what to do instead. Links to Hyades are\n\
         replaced, anything else with one of the names is left alone.\n\n\
         With --refusing also under those of commands that are not there, which tell what to do\n\
         instead:\n{}.\n\n\
         With --mcrl2 under the names of mCRL2's commands instead:\n{}.\n\n\
         With --own under the names of Hyades's own commands instead:\n{}.\n",
        wrapped(&names(false)),
        wrapped(&open::ABSENT.map(|tool| tool.name)),
        wrapped(&Names::Mcrl2.list(own)),
        wrapped(own)
    )
}

/// Names in lines of a screen.
fn wrapped(names: &[&str]) -> String {
    let mut lines = vec![String::new()];
    for name in names {
        let line = lines.last_mut().filter(|line| line.len() + name.len() < 76);
        match line {
            Some(line) if line.is_empty() => line.push_str(name),
            Some(line) => line.push_str(&format!(", {name}")),
            None => lines.push((*name).to_owned()),
        }
    }
    lines.join(",\n")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,@%".contains(c);
    match word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Whether there is nothing at a place, or a link of ours: one to this program,
/// or to another (perhaps gone) of its name.
fn is_free(place: &Path, program: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
        Ok(found) if !found.is_symlink() => Ok(false),
        Ok(_) => {
            let target = fs::read_link(place)?;
            Ok(target == program || target.file_name() == Some("hyades".as_ref()))
        }
    }
}

/// The commands that do something, and `others`, in lines of a screen; versions of one, as
/// `evaluator4`, by its name alone.
pub fn names_in_lines(others: &[&'static str]) -> String {
    let names = tools().filter(|t| t.is_done()).map(|t| t.name);
    let names: Vec<&str> = names
        .filter(|name| !name.ends_with(|end: char| end.is_ascii_digit()))
        .chain(others.iter().copied())
        .collect();
    wrapped(&names)
        .lines()
        .map(|line| format!("  {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}
