//! `hyades`: all commands under one name.
//!
//! `hyades NAME …` runs the command NAME within this program, or, if there is
//! none, the program `hyades-NAME` found by PATH.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process;

use clap::CommandFactory;
use hyades_formats::diagnostic::{printable_path, printable_string};

use crate::manual::{Described, GenerateManual};
use crate::topics;
#[cfg(feature = "cluster")]
use hyades_cli_commands::cluster;
use hyades_cli_commands::{
    cadp, check, describe, draw, equiv, generate, mcrl2, minimize, reach, reduce, refine, relabel,
    svl, transcode,
};
use hyades_cli_core::{Command, Failure, run, version};
use hyades_cli_kernel as kernel;
use hyades_cli_wmethod as wmethod;

/// A command of this program.
struct Entry {
    name: &'static str,
    /// A name that belongs to another widespread program, and so is only good
    /// behind `hyades`.
    alias: Option<&'static str>,
    parser: fn() -> clap::Command,
    /// What `-h` prints.
    brief: &'static str,
    /// The same of its modes.
    mode_briefs: &'static [(&'static str, &'static str)],
    run: fn(&str, Vec<OsString>) -> !,
}

fn entry<C: Command>(alias: Option<&'static str>) -> Entry {
    Entry {
        name: C::NAME,
        alias,
        parser: <C as CommandFactory>::command,
        brief: C::BRIEF,
        mode_briefs: C::MODE_BRIEFS,
        run: run::run::<C>,
    }
}

fn entries() -> [Entry; 14] {
    [
        entry::<check::Check>(None),
        entry::<describe::Describe>(Some("info")),
        entry::<draw::Draw>(None),
        entry::<equiv::Equiv>(Some("compare")),
        entry::<generate::Generate>(None),
        entry::<kernel::Kernel>(None),
        entry::<minimize::Minimize>(None),
        entry::<reach::Reach>(None),
        entry::<reduce::Reduce>(None),
        entry::<refine::Refine>(None),
        entry::<relabel::Relabel>(None),
        Entry {
            run: |shown, arguments| run::run::<svl::Svl>(shown, svl::arguments(arguments)),
            ..entry::<svl::Svl>(None)
        },
        entry::<transcode::Transcode>(Some("convert")),
        entry::<wmethod::Wmethod>(None),
    ]
}

/// All commands, as the manual needs them.
pub(crate) fn described() -> Vec<Described> {
    let all = entries().into_iter().map(|entry| Described {
        name: entry.name,
        alias: entry.alias,
        parser: (entry.parser)(),
        brief: entry.brief,
        mode_briefs: entry.mode_briefs,
        is_behind_hyades: false,
        runs: &[],
    });
    all.collect()
}

/// The names of all commands.
pub(crate) fn names() -> [&'static str; 14] {
    entries().map(|entry| entry.name)
}

/// The names of CADP's commands that do something.
pub(crate) fn cadp_names() -> Vec<&'static str> {
    let tools = cadp::tools().filter(|tool| tool.is_done());
    tools.map(|tool| tool.name).collect()
}

/// The names of mCRL2's commands that are there.
pub(crate) fn mcrl2_names() -> [&'static str; mcrl2::TOOLS.len()] {
    mcrl2::TOOLS.map(|tool| tool.name)
}

/// What is said of the program in its page.
pub(crate) const DESCRIPTION: &str = "\
Every command reads standard input or a file, compressed or not, writes standard output or
a file, and tells by its exit status how it ended. Each is also installed under its own
name. Another NAME runs hyades-NAME, which is looked up in PATH.

hyades help NAME is the manual of a command, hyades NAME -h a screen of it. hyades help
TOPIC tells what commands share; hyades help aut, bcg, dot and so on tell of a format.";

/// What `hyades install-links` does.
pub(crate) const ABOUT_LINKS: &str =
    "Make links to this program under the names of CADP's or mCRL2's commands, or of its own";

pub(crate) const EXAMPLE: &str =
    "hyades convert big.aut.gz | hyades reach | hyades minimize -e branching";

const USAGE: &str = "\
Filters for labelled transition systems

Usage: hyades NAME [ARGUMENTS]
       hyades help NAME|TOPIC

Each command is also installed under its own name; another runs hyades-NAME.

Commands:
";

const ENDING: &str = "
Example: hyades convert big.aut.gz | hyades reach | hyades minimize -e branching
Exit status: that of the command; 2 if there is no such command.
";

/// The command that has all others. `pages` are texts on formats, each with its names.
pub fn main(pages: &[(&[&'static str], &str)]) -> ! {
    version::set_commit(env!("HYADES_COMMIT"));
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let called = match arguments.is_empty() {
        true => OsString::new(),
        false => arguments.remove(0),
    };
    if let Some(tool) = cadp::find(&called) {
        tool.main(arguments, run)
    }
    if let Some(tool) = mcrl2::find(&called) {
        tool.main(arguments)
    }
    if let Some(entry) = called_by(&called) {
        start(&entry, entry.name, OsStr::new(entry.name), arguments)
    }
    if arguments.is_empty() {
        finish(list())
    }
    let first = arguments.remove(0);
    match first.to_str() {
        Some("help") if arguments.iter().all(|word| asks_for_help(word)) => finish(list()),
        Some("help") => {
            // `help generate dining` is `generate dining --help`.
            let name = arguments.remove(0);
            if let Some(text) = page(&name, pages) {
                finish(run::print(&text))
            }
            arguments.push("--help".into());
            let formats = pages.iter().filter_map(|(names, _)| names.first().copied());
            let topics = topics::TOPICS.iter().map(|topic| topic.name);
            run_or_tell(&name, arguments, "command or topic", &|name| {
                similar(name, topics.clone().chain(formats.clone()))
            })
        }
        Some("-h" | "--help") => finish(list()),
        Some("-V" | "--version") => finish(run::print(&format!("hyades {}\n", version()))),
        Some(option) if option.starts_with('-') => finish(Err(Failure::error(format!(
            "unexpected option {option}: the name of a command comes first, see hyades --help"
        )))),
        _ => run(&first, arguments),
    }
}

/// Whether a word behind `help` names nothing but asks for help once more.
fn asks_for_help(word: &OsStr) -> bool {
    word == "help" || word == "-h" || word == "--help"
}

/// The command that the program is called by: a launcher or a link with its name.
fn called_by(called: &OsStr) -> Option<Entry> {
    let name = Path::new(called).file_name()?;
    entries().into_iter().find(|entry| name == entry.name)
}

/// Runs a command that the help calls `shown`.
fn start(entry: &Entry, shown: &str, name: &OsStr, arguments: Vec<OsString>) -> ! {
    let all = std::iter::once(name.to_owned()).chain(arguments);
    (entry.run)(shown, all.collect())
}

/// The page on what commands share, or on a format.
fn page(name: &OsStr, pages: &[(&[&str], &str)]) -> Option<String> {
    let name = name.to_str()?;
    let of_format = || {
        let page = pages.iter().find(|(names, _)| names.contains(&name));
        page.map(|(_, text)| text.to_string())
    };
    topics::page(name).or_else(of_format)
}

/// Runs the command of that name.
fn run(name: &OsStr, arguments: Vec<OsString>) -> ! {
    run_or_tell(name, arguments, "command", &|name| {
        similar(name, std::iter::empty())
    })
}

/// Runs the command of that name; if there is none, tells which may be meant.
fn run_or_tell(
    name: &OsStr,
    arguments: Vec<OsString>,
    sought: &str,
    meant: &dyn Fn(&str) -> Option<&'static str>,
) -> ! {
    let entries = entries();
    if let Some(entry) = entries
        .iter()
        .find(|e| name == e.name || e.alias.is_some_and(|alias| name == alias))
    {
        let shown = format!("hyades {}", printable_path(name));
        start(entry, &shown, name, arguments)
    }
    if name == "install-links" {
        // Links are made under other names first.
        run::exit(run::guarded("hyades", || {
            code(cadp::install_links(&arguments, &names()).and_then(|text| run::print(&text)))
        }))
    }
    if name == GenerateManual::NAME {
        let all = std::iter::once(name.to_owned()).chain(arguments);
        run::run::<GenerateManual>("hyades generate-manual", all.collect())
    }
    if name == CLUSTER {
        run_cluster(arguments)
    }
    if let Some(tool) = cadp::named(name) {
        tool.main(arguments, run)
    }
    if let Some(tool) = mcrl2::named(name) {
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
    let found = || in_path(name).map(|program| unstartable(&program));
    let reason = match error.kind() {
        io::ErrorKind::NotFound => found(),
        _ => None,
    };
    let name = printable_path(name);
    finish(Err(Failure::error(match (reason, error.kind()) {
        (Some(reason), _) => format!("cannot run hyades-{name}: {reason}"),
        (None, io::ErrorKind::NotFound) => format!(
            "no {sought} {name}, and no program hyades-{name}: {}",
            match (elsewhere(&name), meant(&name)) {
                (Some(ours), _) => format!("what {name} does elsewhere, {ours}"),
                _ if name == "symmetry" => {
                    "kernel find-symmetry finds symmetries; hyades help kernel is about it".into()
                }
                _ if let Some(ours) = about(&name) => format!("hyades help {ours} is about it"),
                (None, Some(similar)) => format!("did you mean {similar}?"),
                (None, None) => "hyades alone lists the commands".into(),
            }
        ),
        (None, _) => format!("cannot run hyades-{name}: {error}"),
    })))
}

/// The file of the program `hyades-NAME` that PATH has, if there is one.
fn in_path(name: &OsStr) -> Option<PathBuf> {
    if name.is_empty() || name.as_bytes().contains(&b'/') {
        return None;
    }
    let mut program = OsString::from("hyades-");
    program.push(name);
    let path = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&path).map(|directory| directory.join(&program));
    files.find(|file| file.is_file())
}

/// Why a program that is there is said not to be: what is to run it is missing.
fn unstartable(program: &Path) -> String {
    /// The kernel looks no further for the end of the line.
    const LINE: u64 = 256;
    let mut head = Vec::new();
    // What cannot be read begins with nothing.
    let _ = File::open(program).and_then(|file| file.take(LINE).read_to_end(&mut head));
    let program = printable_path(program);
    let line = head.split(|&byte| byte == b'\n').next();
    let Some(line) = line.and_then(|line| line.strip_prefix(b"#!")) else {
        return format!("what {program} needs to start, such as its loader, is missing");
    };
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t'));
    let interpreter = words.find(|word| !word.is_empty()).unwrap_or_default();
    let shown = printable_string(interpreter);
    match interpreter.strip_suffix(b"\r") {
        Some(plain) => format!(
            "the first line of {program} ends in CR LF, so that its interpreter would be \
             `{shown}`: lines that end in LF alone have it run by {}",
            printable_string(plain)
        ),
        None => format!("its interpreter `{shown}` is missing, see the first line of {program}"),
    }
}

/// The command that starts several processes, in builds that have it.
const CLUSTER: &str = "cluster";

/// Starts processes of a run, or is one: the command that they run together.
#[cfg(feature = "cluster")]
fn run_cluster(arguments: Vec<OsString>) -> ! {
    let all: Vec<OsString> = std::iter::once(CLUSTER.into()).chain(arguments).collect();
    match cluster::Cluster::joined(&all) {
        Ok(None) => run::run::<cluster::Cluster>("hyades cluster", all),
        Ok(Some(mut words)) => {
            let name = words.remove(0);
            run(&name, words)
        }
        Err(failure) => run::exit(run::failed(CLUSTER, failure)),
    }
}

#[cfg(not(feature = "cluster"))]
fn run_cluster(_: Vec<OsString>) -> ! {
    finish(Err(Failure::error(
        "this build has no cluster: `cargo install --path . --features cluster` makes one that has",
    )))
}

/// What to do instead of what programs of these names do in other sets of tools.
const ELSEWHERE: [(&[&str], &str); 13] = [
    (
        &["convert_lts", "ltsmin-convert", "ltsmin-printtrace"],
        "hyades transcode does",
    ),
    (
        &["ltsmin-reduce", "boa", "sigref", "merc-lts"],
        "hyades minimize does",
    ),
    (&["aldebaran"], "hyades minimize and hyades equiv do"),
    (&["ltsmin-compare"], "hyades equiv does"),
    (
        &["ltsgraph", "ltsview", "diagraphica", "bcg_edit", "xdot"],
        "hyades draw does",
    ),
    (
        &["lts2pbes", "pbessolve", "pbes2bool", "pbespgsolve"],
        "hyades check LTS FORMULA.mcf does at once",
    ),
    (
        &["ltscombine"],
        "hyades reach --expression 'A.aut |[LABELS]| B.aut' does",
    ),
    (&["lpssim", "lpsxsim"], "hyades reach --simulate does"),
    (&["fdr4", "refines", "fdr3"], "hyades refine does"),
    (&["des2aut"], "hyades svl does"),
    (
        &[
            "lps2lts",
            "lps2pbes",
            "lpsinfo",
            "lpspp",
            "lpsreach",
            "lps2lts-mc",
            "lts2lps",
            "mcrl22lps",
            "mcrl2ide",
            "pins2lts-mc",
            "pins2lts-seq",
            "pins2lts-sym",
            "caesar",
            "caesar.adt",
            "lnt2lotos",
        ],
        "it does where its language is known; hyades reads the state spaces that come of it",
    ),
    (
        &["ltspcompare", "ltspbisim"],
        "hyades does not: probabilities are known to minimize --prob",
    ),
    (
        &["autfilt", "ltl2tgba", "ltlfilt"],
        "hyades does not: hyades check decides formulas of MCL and the mu-calculus",
    ),
];

/// What to do instead of what a program of this name does in another set of tools.
fn elsewhere(name: &str) -> Option<&'static str> {
    let mut all = ELSEWHERE.iter();
    all.find_map(|(theirs, ours)| theirs.contains(&name).then_some(*ours))
}

/// What some pages are about, for who asks for help on that.
const ABOUT: [(&str, &[&str]); 8] = [
    ("reach", &["simulate", "simulator"]),
    (
        "install-links",
        &["cadp", "mcrl2", "from-cadp", "from-mcrl2"],
    ),
    ("check", &["mcl", "mcf", "formulas"]),
    ("exp", &["networks", "network"]),
    ("toml", &["channels", "machines"]),
    ("seq", &["traces", "sequences"]),
    ("wmethod", &["suites", "tests"]),
    ("kernel", &["symmetry"]),
];

/// The page that is about this.
fn about(name: &str) -> Option<&'static str> {
    let mut all = ABOUT.iter();
    all.find_map(|(page, names)| names.contains(&name).then_some(*page))
}

/// The command that somebody who wrote this may have meant.
fn similar(name: &str, others: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let names = entries().into_iter().flat_map(|e| [Some(e.name), e.alias]);
    hyades_base::nearest(name, names.flatten().chain(others))
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
    text.push_str(&format!(
        "\nWith the arguments of CADP's and mCRL2's commands:\n{}\n\
         (install-links DIR makes such links, generate-manual DIR man pages{})\n",
        cadp::names_in_lines(&mcrl2_names()),
        match cfg!(feature = "cluster") {
            true => "; cluster",
            false => "",
        }
    ));
    let plugins = plugins();
    if !plugins.is_empty() {
        text.push_str("\nFound by PATH:\n");
        for name in plugins {
            text.push_str(&format!("  {name}\n"));
        }
    }
    text.push_str("\nTopics, beside json (the keys of --json) and each format:\n");
    for topic in &topics::TOPICS {
        text.push_str(&format!("  {:<10} {}\n", topic.name, topic.about));
    }
    text.push_str(ENDING);
    run::print(&text)
}

/// The NAMEs for which PATH has a program `hyades-NAME` that a command of ours does not hide.
fn plugins() -> BTreeSet<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter_map(|directory| std::fs::read_dir(directory).ok())
        .flatten()
        .filter_map(|file| {
            let file = file.ok()?;
            let name = file.file_name().into_string().ok()?;
            let name = name.strip_prefix("hyades-")?;
            let is_ours = |entry: &Entry| name == entry.name || entry.alias == Some(name);
            let is_hidden = name.is_empty() || entries().iter().any(is_ours);
            (!is_hidden && is_program(&file.path())).then(|| name.to_owned())
        })
        .collect()
}

/// Whether a file, or what a link leads to, can be run.
fn is_program(file: &Path) -> bool {
    std::fs::metadata(file)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use hyades_equivalence::Relation;

    use super::*;

    #[test]
    fn what_cannot_start_a_program_is_told() {
        let folder = std::env::temp_dir().join(format!("hyades-{}", process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let program = folder.join("hyades-noint");
        let told = |text: &str| {
            std::fs::write(&program, text).unwrap();
            unstartable(&program)
        };
        let shown = printable_path(&program);
        assert_eq!(
            told("#! /nonexistent -x\nexit 0\n"),
            format!("its interpreter `/nonexistent` is missing, see the first line of {shown}")
        );
        assert_eq!(
            told("#!/bin/sh\r\nexit 0\r\n"),
            format!(
                "the first line of {shown} ends in CR LF, so that its interpreter would be \
                 `/bin/sh\\r`: lines that end in LF alone have it run by /bin/sh"
            )
        );
        assert_eq!(
            told("\x7fELF"),
            format!("what {shown} needs to start, such as its loader, is missing")
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// Lines and columns of a screen.
    const SCREEN: (usize, usize) = (40, 85);

    /// The spellings of all options.
    fn spellings(parser: &clap::Command) -> BTreeSet<String> {
        let mut known = BTreeSet::from(["-h".to_owned(), "--help".into()]);
        for command in std::iter::once(parser).chain(parser.get_subcommands()) {
            for arg in command.get_arguments() {
                known.extend(arg.get_long().map(|long| format!("--{long}")));
                known.extend(arg.get_short().map(|short| format!("-{short}")));
            }
        }
        known
    }

    /// The words of a line of a shell, in commands that are separated by pipes.
    fn commands(line: &str) -> Vec<Vec<String>> {
        let mut commands = vec![vec![]];
        let mut word = None::<String>;
        let mut is_quoted = false;
        for c in line.chars().chain([' ']) {
            match c {
                '\'' => {
                    is_quoted = !is_quoted;
                    word.get_or_insert_default();
                }
                ' ' | '|' | '&' if !is_quoted => {
                    let last = commands.last_mut().expect("there is one");
                    last.extend(word.take());
                    if c != ' ' {
                        commands.push(vec![]);
                    }
                }
                c => word.get_or_insert_default().push(c),
            }
        }
        commands.retain(|command| !command.is_empty());
        commands
    }

    #[test]
    fn short_help_fits_a_screen_and_is_true() {
        for entry in entries() {
            let parser = (entry.parser)();
            check_brief(entry.name, &parser, entry.brief);
            if entry.mode_briefs.is_empty() {
                continue;
            }
            // Each mode has a page, and is on that of the command.
            let modes: Vec<&str> = parser
                .get_subcommands()
                .map(|mode| mode.get_name())
                .collect();
            let pages: Vec<&str> = entry.mode_briefs.iter().map(|(mode, _)| *mode).collect();
            assert_eq!(modes, pages, "{}", entry.name);
            for (mode, brief) in entry.mode_briefs {
                assert!(entry.brief.contains(&format!("\n  {mode} ")), "{mode}");
                let name = format!("{} {mode}", entry.name);
                check_brief(&name, parser.find_subcommand(mode).unwrap(), brief);
            }
        }
    }

    /// That a page fits a screen and names only what there is. Of its three examples all
    /// begin with `name`, or have it in them.
    fn check_brief(name: &str, parser: &clap::Command, brief: &str) {
        assert!(brief.lines().count() <= SCREEN.0, "{name}");
        let known = spellings(parser);
        let (options, rest) = brief.split_once("\nExamples:\n").unwrap();
        assert!(options.contains(&format!("\nUsage: {name} ")), "{name}");
        let (examples, more) = rest.split_once("\n\nMore: ").unwrap();
        assert!(more.starts_with(&format!("{name} --help")), "{more}");
        for line in brief.lines() {
            assert!(line.chars().count() <= SCREEN.1, "{line}");
        }
        let is_separator = |c: char| !(c.is_alphanumeric() || c == '-' || c == '_');
        let options = options.replace(" -> ", " ");
        for word in options
            .split(is_separator)
            .filter(|word| word.starts_with('-'))
        {
            assert!(known.contains(word), "{name}: {word}");
        }
        assert_eq!(examples.lines().count(), 3, "{name}");
        let mut own = 0;
        for command in examples.lines().flat_map(commands) {
            let Some(of) = entries().into_iter().find(|e| e.name == command[0]) else {
                assert!(["echo", "jq", "dot"].contains(&&*command[0]), "{command:?}");
                continue;
            };
            own += usize::from(format!("{} ", command.join(" ")).starts_with(&format!("{name} ")));
            let parsed = (of.parser)().try_get_matches_from(&command);
            assert!(parsed.is_ok(), "{command:?}: {}", parsed.unwrap_err());
        }
        assert!(own >= 3, "{name}");
    }

    /// One spelling, one meaning: what two commands have, or two modes, is described in
    /// the same words, and a letter stands for one option.
    #[test]
    fn one_spelling_has_one_meaning() {
        let mut seen: BTreeMap<String, (String, String)> = BTreeMap::new();
        let mut several = Vec::new();
        for entry in entries() {
            let mut parser = (entry.parser)();
            parser.build();
            // The parameters of a family are its own, see below.
            let is_own = |arg: &&clap::Arg| arg.get_help_heading() == Some("Parameters");
            let levels = std::iter::once(&parser).chain(parser.get_subcommands());
            for level in levels.filter(|level| level.get_name() != "help") {
                for arg in level.get_arguments().filter(|arg| !is_own(arg)) {
                    let long = arg.get_long().map(|long| format!("--{long}"));
                    let words = format!(
                        "{:?} {:?} {:?}",
                        arg.get_short(),
                        arg.get_value_names(),
                        arg.get_long_help()
                            .or(arg.get_help())
                            .map(ToString::to_string)
                    );
                    let short = arg.get_short().map(|short| format!("-{short}"));
                    let meant = format!("{long:?}");
                    let meanings = [long.map(|long| (long, words)), short.map(|s| (s, meant))];
                    for (spelling, meaning) in meanings.into_iter().flatten() {
                        let name = format!("{} {}", entry.name, level.get_name());
                        // `draw` writes pictures, and `--to` their formats.
                        if name == "draw draw" && spelling == "--to" {
                            continue;
                        }
                        let (first, other) = seen
                            .entry(spelling.clone())
                            .or_insert_with(|| (meaning.clone(), name.clone()));
                        if *first != meaning {
                            several.push(format!(
                                "{spelling} of {other} and {name}: {first} / {meaning}"
                            ));
                        }
                    }
                }
            }
        }
        assert!(several.is_empty(), "{}", several.join("\n"));
        for parameter in family_parameters() {
            // Wherever something is drawn, it is drawn from the seed.
            assert!(
                parameter == "--seed" || !seen.contains_key(&parameter),
                "{parameter}"
            );
        }
    }

    /// Options that are parameters of families of `generate`.
    fn family_parameters() -> Vec<String> {
        let generate = entries().into_iter().find(|entry| entry.name == "generate");
        let mut parser = (generate.expect("a command").parser)();
        parser.build();
        let of_family = |family: &clap::Command| -> Vec<String> {
            let parameters = family.get_arguments();
            let parameters = parameters.filter(|arg| arg.get_help_heading() == Some("Parameters"));
            let long = parameters.filter_map(clap::Arg::get_long);
            long.map(|long| format!("--{long}")).collect()
        };
        let parameters: Vec<_> = parser.get_subcommands().flat_map(of_family).collect();
        assert!(parameters.len() > 20, "{parameters:?}");
        parameters
    }

    /// `--help` tells first what is a command's own, then how outputs are written, how
    /// inputs are read, and how it runs.
    #[test]
    fn own_options_come_first() {
        let place = |heading: &str| match heading {
            "Running" => 3,
            input if input.starts_with("Input") => 2,
            output if output.starts_with("Output") => 1,
            _ => 0,
        };
        for entry in entries() {
            let parser = (entry.parser)();
            for command in std::iter::once(&parser).chain(parser.get_subcommands()) {
                let headings = command
                    .get_arguments()
                    .filter_map(clap::Arg::get_help_heading);
                let mut first: Vec<&str> = Vec::new();
                for heading in headings {
                    // Machines are what some commands are about, and a matter of input
                    // to others.
                    if heading != "Mealy machines" && !first.contains(&heading) {
                        first.push(heading);
                    }
                }
                let name = command.get_name();
                assert!(
                    first.is_sorted_by_key(|heading| place(heading)),
                    "{name}: {first:?}"
                );
            }
        }
    }

    #[test]
    fn the_page_on_relations_has_all_names() {
        let text = page(OsStr::new("relations"), &[]).unwrap();
        for relation in Relation::ALL {
            let mut lines = text.lines().filter_map(|line| line.get(3..));
            let of_relation = |line: &&str| line.split(' ').next() == Some(relation.name());
            let line = lines.find(of_relation).expect("there is a line for each");
            let names = line[relation.name().len()..].split(':').next().unwrap();
            let names: Vec<_> = names.split(',').map(str::trim).collect();
            for alias in relation.aliases() {
                let algorithm = alias.split("bisim-").nth(1);
                assert!(
                    algorithm.is_some() != names.contains(alias),
                    "{alias}: {line}"
                );
            }
            assert!(line.len() + 3 <= SCREEN.1, "{line}");
        }
    }

    #[test]
    fn topics_have_pages() {
        for topic in &topics::TOPICS {
            let text = page(OsStr::new(topic.name), &[]).unwrap();
            assert!(text.lines().count() > 10, "{}: {text}", topic.name);
        }
        let pages: &[(&[&str], &str)] = &[(&["x", "y"], "page")];
        assert_eq!(page(OsStr::new("y"), pages).unwrap(), "page");
        assert_eq!(page(OsStr::new("z"), pages), None);
    }

    #[test]
    fn commands_with_similar_names() {
        assert_eq!(similar("reech", [].into_iter()), Some("reach"));
        assert_eq!(similar("minimise", [].into_iter()), Some("minimize"));
        assert_eq!(similar("xyz", [].into_iter()), None);
        let topics = ["relations", "input"];
        assert_eq!(similar("relation", topics.into_iter()), Some("relations"));
    }
}
