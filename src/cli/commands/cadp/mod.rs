//! Commands under the names of CADP's, with the arguments that its manual pages
//! describe, so that existing scripts run unchanged.
//!
//! Each file here reads the arguments of one command; the work is done by the
//! library, as for the commands of our own. Exit status 0 if all went well (the
//! verdict of a comparison is text), 1 otherwise, and then nothing has been
//! written. `HYADES_OPTIONS` may hold options about running (`-v`, `-q`, `-j N`,
//! `--stats FILE`, `--max-memory SIZE`), which CADP's commands do not have.

mod cmp;
mod draw;
mod graph;
mod info;
mod io;
mod labels;
pub mod links;
mod markov;
mod min;
mod open;

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{CommandFactory, Parser};
use hyades_equivalence::Relation;
use hyades_formats::diagnostic::printable_path;
use hyades_formats::{Compression, Dialect, Format, Lts, ReadOptions, WriteOptions};
use hyades_lts::relabel::{Action, Rules};

use hyades_cli_core::{
    Destination, Failure, Folder, LtsOutput, RunOptions, Session, Status, memory, run,
};
use open::{Opener, Spec};

pub use links::{install_links, names_in_lines};
pub(crate) use markov::significant;

/// A command of CADP.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its arguments.
    usage: &'static str,
    kind: Kind,
}

/// What a command is.
#[derive(Clone, Copy)]
enum Kind {
    /// It works on files.
    Files(fn(Arguments, &mut Session) -> Result<(), Failure>),
    /// A system is named behind it, and then a tool.
    Opener(Opener),
    /// It is named behind a system, and explores it.
    Explores(fn(Arguments, &Spec, &mut Session) -> Result<(), Failure>),
    /// It is named behind a system, and becomes this one of our own commands, with these
    /// arguments.
    Becomes(
        &'static str,
        fn(Arguments, &Spec) -> Result<Vec<OsString>, Failure>,
    ),
    /// It is not there, and says so.
    Refused(&'static str),
    /// It would compile a language.
    Compiler,
}

/// Those that work on files.
const ON_FILES: [Tool; 9] = [
    cmp::TOOL,
    draw::TOOL,
    graph::TOOL,
    info::TOOL,
    io::TOOL,
    labels::TOOL,
    min::TOOL,
    markov::STEADY,
    markov::TRANSIENT,
];

/// The commands that have a link: all but those of `open::ABSENT`, which would stand
/// in the way of CADP's own.
pub fn tools() -> impl Iterator<Item = &'static Tool> {
    ON_FILES.iter().chain(&open::OPENERS).chain(&open::TOOLS)
}

/// What runs one of our own commands, by its name, with these arguments, and ends the
/// process.
pub type Dispatch = fn(&OsStr, Vec<OsString>) -> !;

/// The formats that CADP has and we have not: their names, which are also the
/// endings of files, but for `tra`, the ending of ETMCC.
const FOREIGN: [&str; 15] = [
    "ascii",
    "auto",
    "cwb",
    "etmcc",
    "fc2",
    "gml",
    "lotos",
    "mec",
    "pipn",
    "scan",
    "squiggles",
    "tra",
    "vcg",
    "viscope",
    "xesar",
];

/// The command with this name; directories before it do not count.
pub fn find(name: &OsStr) -> Option<&'static Tool> {
    let name = Path::new(name).file_name()?;
    named(name)
}

/// The command with this name.
pub fn named(name: &OsStr) -> Option<&'static Tool> {
    let mut all = tools().chain(&open::ABSENT);
    all.find(|tool| name == tool.name)
}

/// What may stand in `HYADES_OPTIONS`.
#[derive(Parser)]
#[command(
    name = "HYADES_OPTIONS",
    no_binary_name = true,
    disable_help_flag = true
)]
struct Environment {
    #[command(flatten)]
    run: RunOptions,
}

/// The options about running that `HYADES_OPTIONS` holds, and one `more`, which has
/// precedence.
///
/// # Errors
/// If something else is in it.
pub fn environment(more: Option<&str>) -> Result<RunOptions, Failure> {
    let options = std::env::var("HYADES_OPTIONS").unwrap_or_default();
    let is_verbosity = |word: &&str| matches!(*word, "-q" | "--quiet" | "-v" | "--verbose");
    let given = options.split_whitespace();
    let given = given.filter(|word| more.is_none() || !is_verbosity(word));
    match Environment::try_parse_from(given.chain(more)) {
        Ok(environment) => Ok(environment.run),
        Err(error) => {
            let text = error.to_string();
            let what = text.split("\n\n").next().unwrap_or_default();
            Err(Failure::error(format!(
                "in HYADES_OPTIONS: {}; it may hold options about running, such as -v, -q and \
                 -j 2",
                what.trim_start_matches("error: ").trim_end()
            )))
        }
    }
}

/// Whether an option of this name may stand in `HYADES_OPTIONS`.
fn is_about_running(option: &str) -> bool {
    let known = Environment::command();
    known
        .get_arguments()
        .any(|known| known.get_long() == Some(option))
}

/// One of our own commands that does the work.
struct Next {
    command: &'static str,
    /// Whose name stands before messages.
    shown: &'static str,
    words: Vec<OsString>,
}

impl Tool {
    /// Whether it does something.
    pub fn is_done(&self) -> bool {
        !matches!(self.kind, Kind::Refused(_) | Kind::Compiler)
    }

    /// Runs the command and ends the process. What one of our own commands does is left
    /// to `dispatch`.
    pub fn main(&'static self, arguments: Vec<OsString>, dispatch: Dispatch) -> ! {
        memory::set_status(1);
        run::borrow_name(self.name, is_about_running);
        let mut next: Option<Next> = None;
        let code = run::guarded(self.name, || {
            let first = arguments.first().and_then(|word| word.to_str());
            match first {
                // before other words it is an option as any
                Some("-version" | "--version") if arguments.len() == 1 => {
                    return self.say(version(self.name));
                }
                Some("-help" | "--help" | "-h") => {
                    let what = match self.kind {
                        Kind::Refused(why) => format!("{}: {why}\n", self.name),
                        Kind::Files(_)
                        | Kind::Opener(_)
                        | Kind::Explores(_)
                        | Kind::Becomes(..)
                        | Kind::Compiler => format!("usage: {} {}\n", self.name, self.usage),
                    };
                    return self.say(what);
                }
                _ => {}
            }
            match environment(None) {
                Ok(options) => run::in_session(self.name, &options, |session| {
                    let words = arguments.into();
                    next = self.run(Arguments { tool: self, words }, session)?;
                    if let Some(next) = &mut next {
                        let options = std::env::var("HYADES_OPTIONS").unwrap_or_default();
                        let options = options.split_whitespace().map(OsString::from);
                        next.words.extend(options);
                    }
                    Ok(Status::Holds)
                }),
                Err(failure) => run::failed(self.name, failure),
            }
        });
        if let (0, Some(next)) = (code, next) {
            run::act_as(next.shown);
            run::borrow_name(next.shown, is_about_running);
            dispatch(OsStr::new(next.command), next.words)
        }
        run::exit(i32::from(code != 0))
    }

    /// Does the work, or tells which of our own commands does it, with which arguments.
    fn run(
        &'static self,
        arguments: Arguments,
        session: &mut Session,
    ) -> Result<Option<Next>, Failure> {
        match self.kind {
            Kind::Files(run) => run(arguments, session).map(|()| None),
            Kind::Explores(_) | Kind::Becomes(..) => Err(open::called_alone(self.name)),
            Kind::Refused(why) => Err(Failure::error(why)),
            Kind::Compiler => Err(open::compile_elsewhere(self.name, &arguments.words)),
            Kind::Opener(opener) => {
                let Some(call) = opener.call(arguments)? else {
                    return Ok(None);
                };
                for word in &call.ignored {
                    session.detail(format_args!("{word} has no effect"));
                }
                if let Some(about) = call.about {
                    let words = [vec![about.into()], call.spec.words()].concat();
                    return Ok(Some(Next {
                        command: "reach",
                        shown: self.name,
                        words,
                    }));
                }
                let arguments = Arguments {
                    tool: call.tool,
                    words: call.words,
                };
                match call.tool.kind {
                    Kind::Explores(run) => run(arguments, &call.spec, session).map(|()| None),
                    Kind::Becomes(command, arguments_of) => Ok(Some(Next {
                        command,
                        shown: call.tool.name,
                        words: arguments_of(arguments, &call.spec)?,
                    })),
                    Kind::Refused(why) => Err(Failure::error(why)),
                    Kind::Files(_) | Kind::Opener(_) | Kind::Compiler => {
                        unreachable!("these stand in front of a system")
                    }
                }
            }
        }
    }

    /// The failure of a command line that means nothing.
    fn wrong(&self, what: impl Into<String>) -> Failure {
        let Tool { name, usage, .. } = self;
        Failure::error(format!("{}\nusage: {name} {usage}", what.into()))
    }

    /// Prints a text; the exit status.
    fn say(&self, text: String) -> i32 {
        let printed = Destination::stdout().create().and_then(|mut output| {
            output
                .write_all(text.as_bytes())
                .map_err(|e| Failure::writing(output.name(), &e))?;
            output.commit()
        });
        match printed {
            Ok(_) => 0,
            Err(failure) => run::failed(self.name, failure),
        }
    }
}

fn version(name: &str) -> String {
    format!("{name} of Hyades {}\n", hyades_cli_core::version())
}

/// The words on a command line that have not been looked at.
struct Arguments {
    tool: &'static Tool,
    words: VecDeque<OsString>,
}

impl Arguments {
    /// The next word, if it is an option: begins with a minus sign and is more
    /// than that.
    fn option(&mut self) -> Option<String> {
        let bytes = self.words.front()?.as_bytes();
        let is_option = bytes.len() > 1 && bytes[0] == b'-';
        is_option.then(|| {
            self.words
                .pop_front()
                .map(|w| w.to_string_lossy().into_owned())
        })?
    }

    /// The next word, whatever it is, as the value of an option.
    fn value(&mut self, option: &str, what: &str) -> Result<OsString, Failure> {
        let word = self.words.pop_front();
        word.ok_or_else(|| self.wrong(format!("{what} is missing behind {option}")))
    }

    /// The number behind `-epsilon`.
    fn epsilon(&mut self) -> Result<f64, Failure> {
        let value = self.value("-epsilon", "a number")?;
        let number = value.to_str().and_then(|text| text.parse().ok());
        number.ok_or_else(|| self.wrong("-epsilon needs a number, as in -epsilon 1e-6"))
    }

    /// Takes one of these words if it comes next.
    fn accept<T: Copy>(&mut self, choices: &[(&str, T)]) -> Option<T> {
        let next = self.words.front()?;
        let (_, chosen) = choices.iter().find(|(word, _)| *next == **word)?;
        self.words.pop_front();
        Some(*chosen)
    }

    /// The words that are left, which must be no options, and at least `least`
    /// and at most `most` of them.
    fn operands(self, least: usize, most: usize) -> Result<Vec<OsString>, Failure> {
        let is_option = |word: &&OsString| word.len() > 1 && word.as_bytes()[0] == b'-';
        if let Some(option) = self.words.iter().find(is_option) {
            return Err(self.wrong(format!(
                "the option {} stands behind a file name",
                printable_path(option)
            )));
        }
        match self.words.len() {
            count if count < least => Err(self.wrong("a file name is missing")),
            count if count > most => Err(self.wrong("too many file names")),
            _ => Ok(self.words.into()),
        }
    }

    /// The failure of a command line that means nothing.
    fn wrong(&self, what: impl Into<String>) -> Failure {
        self.tool.wrong(what)
    }

    /// The failure of an option that is none of the command's.
    fn unknown(&self, option: &str) -> Failure {
        let short = option.strip_prefix('-').unwrap_or_default();
        let has_word = |word: &str| {
            self.tool
                .usage
                .split(['[', ']', '|', ' '])
                .any(|w| w == word)
        };
        self.wrong(match short.starts_with('-') {
            true if has_word(short) => format!("unknown option `{option}`; here it is {short}"),
            true => format!(
                "unknown option `{option}`: these are CADP's options, and Hyades' own go with its own \
                 commands, such as hyades transcode, reach, check"
            ),
            false => format!("unknown option `{option}`"),
        })
    }

    /// As [`Arguments::common`], and tells nothing.
    fn is_common(&mut self, option: &str) -> Result<bool, Failure> {
        match option {
            "-version" | "-create" | "-update" | "-remove" => {}
            "-cc" => drop(self.value(option, "a list of options")?),
            "-tmp" => drop(self.value(option, "a directory")?),
            "-uncompress" | "-compress" | "-size" | "-register" | "-short" | "-medium" => {
                let number = |word: &&OsString| word.as_bytes().iter().all(u8::is_ascii_digit);
                let has_number = matches!(option, "-register" | "-short" | "-medium");
                if has_number && self.words.front().filter(number).is_some() {
                    self.words.pop_front();
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Deals with an option that all commands have and that asks nothing of us;
    /// whether it is one. Encodings are those of files in BCG.
    fn common(
        &mut self,
        session: &Session,
        option: &str,
        encodings: bool,
    ) -> Result<bool, Failure> {
        let is_encoding = matches!(
            option,
            "-uncompress" | "-compress" | "-size" | "-register" | "-short" | "-medium"
        );
        if is_encoding && !encodings || !self.is_common(option)? {
            return Ok(false);
        }
        if is_encoding {
            session.detail(format_args!(
                "{option} has no effect: there is one encoding"
            ));
        }
        Ok(true)
    }
}

/// The failure of something that CADP has and we have not.
fn unsupported(what: &str) -> Failure {
    Failure::error(format!("{what} is not supported"))
}

/// The relation that options choose.
struct Chosen {
    relation: Relation,
    /// Which labels are strong.
    strong: Option<Rules>,
}

impl Default for Chosen {
    fn default() -> Self {
        Self {
            relation: Relation::Strong,
            strong: None,
        }
    }
}

impl Chosen {
    /// Whether an option names a relation, which is then chosen; takes the words that
    /// belong to it.
    fn takes(
        &mut self,
        arguments: &mut Arguments,
        session: &Session,
        option: &str,
    ) -> Result<bool, Failure> {
        let relation = match option {
            "-strong" => Relation::Strong,
            "-branching" => Relation::Branching,
            "-divbranching" => Relation::DivBranching,
            "-observational" => Relation::Observational,
            "-sharp" => Relation::Sharp,
            "-divsharp" => Relation::DivSharp,
            _ => return Ok(false),
        };
        self.strong = match relation.has_strong_labels() {
            true => {
                let about = "that names the strong labels";
                let (rules, _) =
                    labels::rules_behind(option, arguments, session, Action::Hide, about)?;
                Some(rules)
            }
            false => None,
        };
        self.relation = relation;
        Ok(true)
    }

    fn is_strong(&self, text: &[u8]) -> bool {
        self.strong
            .as_ref()
            .is_some_and(|rules| rules.concern(text))
    }
}

/// Whether an option is about systems with probabilities or rates.
fn is_markovian(option: &str) -> bool {
    matches!(option, "-prob" | "-rate" | "-self" | "-epsilon" | "-format")
}

/// The file that a name stands for, of which the ending `.bcg` may be omitted.
fn bcg_input(name: &OsStr) -> PathBuf {
    let path = PathBuf::from(name);
    let full = with_ending(&path);
    if Format::from_path(&path) == Some(Format::Bcg) || (!full.exists() && path.exists()) {
        return path;
    }
    full
}

/// The file to write that a name stands for: one in another format if its
/// ending says so, otherwise BCG, of which the ending may be omitted.
fn bcg_output(name: &OsStr) -> Result<LtsOutput, Failure> {
    let path = Path::new(name);
    match Format::from_path(path) {
        Some(format) => output(path, format),
        None if is_foreign(path) => Err(foreign(path)),
        None => output(&with_ending(path), Format::Bcg),
    }
}

/// Whether a name ends as files do in a format that CADP has and we have not.
fn is_foreign(path: &Path) -> bool {
    Format::ending(path).is_some_and(|ending| FOREIGN.contains(&&ending[..]))
}

/// The failure of a name that is foreign.
fn foreign(path: &Path) -> Failure {
    let ending = Format::ending(path).unwrap_or_default();
    unsupported(&format!("{}: the format {ending}", printable_path(path)))
}

/// A name with `.bcg` behind it. Devices, open files and `-` have no endings, nor
/// has what can only be a directory, or no name at all.
fn with_ending(path: &Path) -> PathBuf {
    let last = path.as_os_str().as_bytes().rsplit(|&b| b == b'/').next();
    let is_file = !matches!(last, None | Some(b"" | b"." | b".."));
    if path == Path::new("-") || path.starts_with("/dev") || !is_file {
        return path.to_owned();
    }
    let mut full = path.as_os_str().to_owned();
    full.push(".bcg");
    full.into()
}

/// Reads an input as CADP would.
fn read(session: &mut Session, path: &Path, from: Option<Format>) -> Result<Lts, Failure> {
    let (lts, _) = session.read_as(path, from, &ReadOptions::default())?;
    Ok(lts)
}

/// Reads an input as CADP would for an output. If labels are to be parsed there,
/// those that have a gate and values in a file in BCG keep them.
fn read_for(
    output: &mut LtsOutput,
    session: &mut Session,
    path: &Path,
    from: Option<Format>,
) -> Result<Lts, Failure> {
    if !output.options.bcg.parse_labels {
        return read(session, path, from);
    }
    let (lts, fields) = session.read_with_fields(path, from, &ReadOptions::default())?;
    output.options.bcg.fields = fields.map(Arc::new);
    Ok(lts)
}

/// An output in a format.
pub(crate) fn output(path: &Path, format: Format) -> Result<LtsOutput, Failure> {
    if !format.is_writable() {
        return Err(Failure::error(format.unwritable()));
    }
    let folder = format.is_folder().then(|| Folder::of_parts(path, None));
    let folder = folder.transpose()?;
    let destination = match &folder {
        Some(folder) => Destination::of_folder(path, folder.place()),
        None => Destination::new(path)?,
    };
    let output = LtsOutput {
        destination,
        folder,
        format,
        compression: Compression::from_path(path).unwrap_or_default(),
        level: None,
        options: WriteOptions {
            // whatever the input is
            dialect: (format == Format::Aut).then_some(Dialect::Cadp),
            ..WriteOptions::default()
        },
    };
    output.check_terminal()?;
    Ok(output)
}

/// INPUT and OUTPUT of a command that replaces INPUT if there is no OUTPUT.
fn files(operands: &[OsString]) -> Result<(PathBuf, LtsOutput), Failure> {
    let input = bcg_input(&operands[0]);
    let output = match operands.get(1) {
        Some(name) => bcg_output(name)?,
        None => output(&input, Format::from_path(&input).unwrap_or(Format::Bcg))?,
    };
    Ok((input, output))
}

#[cfg(test)]
mod tests {
    use super::is_about_running;

    #[test]
    fn options_that_come_by_the_environment() {
        for (option, is) in [("max-memory", true), ("stats", true), ("tau", false)] {
            assert_eq!(is_about_running(option), is, "{option}");
        }
    }
}
