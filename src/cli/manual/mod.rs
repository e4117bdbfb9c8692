//! `hyades generate-manual`: pages for `man` and completions for shells, made from the
//! definitions of the options.

mod completions;
mod pages;
mod roff;

use std::fs;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser, ValueHint};
#[cfg(feature = "cluster")]
use hyades_cli_commands::cluster::Cluster;
use hyades_cli_core::{Asks, Command, Destination, Epilogue, Failure, RunOptions, Session, Status};
use hyades_formats::diagnostic::printable_path;

use crate::umbrella;

/// What stands in the first lines of every file, so that a file of others is known.
const MARK: &str = "Written by hyades generate-manual.";

/// How far from its beginning a file has the mark, at the most.
const MARK_LINES: usize = 2;

const EPILOGUE: Epilogue = Epilogue {
    example: "hyades generate-manual ~/.local/share && man minimize",
    asks: Asks::Nothing,
    open: Epilogue::MEMORY,
};

/// Write pages for man, and completions for bash, zsh and fish
///
/// The files are named and placed as systems expect them below a directory of shared
/// data, which DIR is: ~/.local/share for one user, /usr/local/share for all.
/// man/man1 has a page for each command and mode, man/man7 one for each topic of
/// `hyades help`; bash-completion/completions, zsh/site-functions and
/// fish/vendor_completions.d have the completions. Directories that are missing are made.
/// Files of an earlier call are replaced; if a file of others has one of the names,
/// nothing is written. If something goes wrong, no file appears, unless the disk fails while
/// they get their names one after the other. The same program always writes the same bytes.
#[derive(Parser)]
#[command(name = "generate-manual", after_help = EPILOGUE.text())]
pub(crate) struct GenerateManual {
    /// The directory of shared data that gets the files
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    directory: PathBuf,

    #[command(flatten)]
    run: RunOptions,
}

impl Command for GenerateManual {
    const NAME: &'static str = "generate-manual";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let files = files();
        let places = files.iter().map(|(name, _)| self.directory.join(name));
        let places: Vec<PathBuf> = places.collect();
        places.iter().try_for_each(|place| check_ours(place))?;
        for place in &places {
            session.make_directories(place.parent().unwrap_or(Path::new("")))?;
        }
        let destinations = places.iter().map(|place| Destination::new(place));
        let destinations: Vec<Destination> = destinations.collect::<Result<_, _>>()?;
        session.check_outputs(&[], &destinations.iter().collect::<Vec<_>>())?;
        for (destination, (_, text)) in destinations.iter().zip(&files) {
            session.write_text(destination, "text", text.as_bytes())?;
        }
        Ok(Status::Holds)
    }
}

/// Refuses a file that is there and was not written by this command.
fn check_ours(place: &Path) -> Result<(), Failure> {
    let name = printable_path(place);
    let refuse = |reason: &str| Err(Failure::error(format!("cannot write {name}: {reason}")));
    match fs::symlink_metadata(place) {
        // What cannot be looked at is told when it is to be written.
        Err(_) => return Ok(()),
        Ok(data) if !data.is_file() => return refuse("it is there already, and no file"),
        Ok(_) => {}
    }
    let bytes = fs::read(place).map_err(|error| Failure::reading(&name, &error))?;
    let mut lines = bytes.split(|&byte| byte == b'\n').take(MARK_LINES);
    match lines.any(|line| line.ends_with(MARK.as_bytes())) {
        true => Ok(()),
        false => refuse(
            "it is there already, and was not written by this command: remove it, or name \
             another directory",
        ),
    }
}

/// A command with what its page and its completions are made of.
pub(crate) struct Described {
    /// Its name.
    pub name: &'static str,
    /// Another one behind `hyades`.
    pub alias: Option<&'static str>,
    /// The definitions of its options.
    pub parser: clap::Command,
    /// What `-h` prints.
    pub brief: &'static str,
    /// The same of its modes.
    pub mode_briefs: &'static [(&'static str, &'static str)],
    /// Whether it is to be called by `hyades NAME` only.
    pub is_behind_hyades: bool,
    /// The commands of ours that its modes run, behind `--`.
    pub runs: &'static [&'static str],
}

/// All commands, also those that have no name of their own.
fn all() -> Vec<Described> {
    let own = |parser, brief| Described {
        name: "",
        alias: None,
        parser,
        brief,
        mode_briefs: &[],
        is_behind_hyades: true,
        runs: &[],
    };
    let mut all = umbrella::described();
    all.push(Described {
        name: GenerateManual::NAME,
        ..own(GenerateManual::command(), GenerateManual::BRIEF)
    });
    #[cfg(feature = "cluster")]
    all.push(Described {
        name: Cluster::NAME,
        mode_briefs: Cluster::MODE_BRIEFS,
        runs: &Cluster::COMMANDS,
        ..own(Cluster::command(), Cluster::BRIEF)
    });
    all
}

/// All files: their paths below the directory, and their texts.
fn files() -> Vec<(String, String)> {
    let commands = all();
    let mut files = pages::pages(&commands);
    files.extend(completions::completions(&commands));
    files
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_differ_and_texts_have_the_mark() {
        let files = files();
        let names: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), files.len());
        for (name, text) in &files {
            let mut lines = text.lines().take(MARK_LINES);
            assert!(lines.any(|line| line.ends_with(MARK)), "{name}");
            assert!(text.ends_with('\n'), "{name}");
        }
    }

    /// A function `_describe` in place of zsh's own would break all of its completion.
    #[test]
    fn functions_of_zsh_have_names_of_ours() {
        let files = files();
        let of_zsh = files.iter().filter(|(name, _)| name.starts_with("zsh/"));
        for (path, text) in of_zsh {
            let (_, function) = path.rsplit_once('/').unwrap();
            assert!(function.starts_with("_hyades"), "{path}");
            let name = function
                .trim_start_matches("_hyades_")
                .trim_start_matches('_');
            assert!(text.starts_with(&format!("#compdef {name}\n")), "{path}");
            assert!(
                text.contains(&format!("\n    compdef {function} {name}\n")),
                "{path}"
            );
            let defined = text.lines().filter(|line| line.ends_with("() {"));
            for line in defined {
                assert!(
                    line.trim_start_matches("(( $+functions[")
                        .starts_with("_hyades"),
                    "{line}"
                );
            }
        }
    }

    /// Every option that a command has, and every mode, is in its page.
    #[test]
    fn pages_have_all_options() {
        let files = files();
        let text_of = |name: &str| {
            let path = format!("man/man1/{name}.1");
            let found = files.iter().find(|(name, _)| *name == path);
            let (_, text) = found.unwrap_or_else(|| panic!("{path}"));
            text.replace(r"\-", "-")
        };
        let check = |text: &str, parser: &clap::Command| {
            for arg in parser.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let long = arg.get_long().map(|long| format!("\\fB--{long}\\fR"));
                let short = arg.get_short().map(|short| format!("\\fB-{short}\\fR"));
                for spelling in long.into_iter().chain(short) {
                    assert!(
                        text.contains(&spelling),
                        "{}: {spelling}",
                        parser.get_name()
                    );
                }
                let help = arg.get_long_help().or(arg.get_help());
                let help = help.map(ToString::to_string).unwrap_or_default();
                let first = help.split(&['\n', '`', '\'', '\\'][..]).next();
                assert!(text.contains(first.unwrap_or_default()), "{help}");
            }
        };
        for command in all() {
            let name = match command.is_behind_hyades {
                true => format!("hyades-{}", command.name),
                false => command.name.to_owned(),
            };
            let text = text_of(&name);
            check(&text, &command.parser);
            for mode in command.parser.get_subcommands() {
                match command.parser.is_subcommand_required_set() {
                    // Families stand in the page itself.
                    true => check(&text, mode),
                    false => check(&text_of(&format!("{name}-{}", mode.get_name())), mode),
                }
            }
        }
    }
}
