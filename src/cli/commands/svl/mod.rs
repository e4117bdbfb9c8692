//! `svl`: scripts of verification.
//!
//! A script becomes a program for a Bourne shell (`hyades_svl`), and this process ends as the
//! shell does that runs it.

mod clean;
mod depends;
mod program;
mod refused;

use program::Program;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser;
use hyades_check::mcl::{self, LibraryFiles};
use hyades_equivalence::Relation;
use hyades_equivalence::reduction::Reduction;
use hyades_formats::Position;
use hyades_formats::diagnostic::{Diagnostic, Severity, printable_path};
use hyades_svl::syntax::{Place, Script};
use hyades_svl::{Options, Settings, SyntaxError, Translation, encoded, expand, parse};

use crate::cadp;
use hyades_cli_core::attended::end_as;
use hyades_cli_core::{
    Asks, Command, Destination, Epilogue, Failure, LimitOptions, RunOptions, Session, Status,
    TextOption, read_text, same_file, version,
};

const EPILOGUE: Epilogue = Epilogue {
    example: "svl --incremental demo.svl && echo all as expected",
    asks: Asks::Verdict,
    open: Epilogue::STATES,
};

/// Run a script of verification, as CADP's svl does
///
/// Each statement of SCRIPT becomes commands of Hyades, in a program for a Bourne shell,
/// which --script prints. All of SCRIPT is read before anything runs. What is made is told
/// with its size; verdicts are lines TRUE and FALSE, and properties PASS or FAIL.
/// SCRIPT.log, beside SCRIPT, has all commands, what they tell, and what they take.
///
/// CADP's spellings of options are understood as well: -clean, -sweep, -silent (--quiet),
/// -ignore (--keep-going), -debug (--keep-temporary), -case (--keep-case), -sh OPTIONS,
/// -v NAME=VALUE (--define), -expand (--spell-out), -script, -output FILE, -help,
/// -version.
#[derive(Parser)]
#[command(name = "svl", after_help = EPILOGUE.text())]
pub struct Svl {
    /// Print the shell script that SCRIPT becomes, and end
    #[arg(long, group = "instead", help_heading = "Script")]
    script: bool,

    /// Print SCRIPT with leaf and node reductions spelt out, and end
    #[arg(long, alias = "expand", group = "instead", help_heading = "Script")]
    spell_out: bool,

    /// Remove what the last run has made, where SCRIPT and the working directory are or
    /// below, and its log
    #[arg(long, group = "instead", help_heading = "Script")]
    clean: bool,

    /// Remove the temporary files of the last run
    #[arg(long, group = "instead", help_heading = "Script")]
    sweep: bool,

    /// Print the files that the inputs after it consist of, and end
    #[arg(long, group = "instead", hide = true, help_heading = "Script")]
    consists_of: bool,

    /// Tell why nothing is written to a file of this name, if so, and end; a second one
    /// says that it is to take a reason
    #[arg(long, group = "instead", hide = true, help_heading = "Script")]
    unwritable: bool,

    /// Go on after errors
    #[arg(long, help_heading = "Script")]
    keep_going: bool,

    /// Make again only what would become different: what depends on a file whose
    /// content, or on a statement that has changed. SCRIPT.made tells what has been
    /// made
    #[arg(short, long, help_heading = "Script")]
    incremental: bool,

    /// FILE takes the place of SPEC, a source that has to be compiled, or `SPEC:PROCESS`;
    /// repeatable
    #[arg(long, value_name = "SPEC=FILE", value_parser = assignment, help_heading = "Script")]
    lts: Vec<(String, String)>,

    /// Give a value to a variable of the script; repeatable
    #[arg(short = 'D', long, value_name = "NAME=VALUE", value_parser = definition, help_heading = "Script")]
    define: Vec<(String, String)>,

    /// Leave gates that are written without quotes as they are, where they would be put
    /// in upper case
    #[arg(long, help_heading = "Script")]
    keep_case: bool,

    /// Keep temporary files
    #[arg(long, help_heading = "Script")]
    keep_temporary: bool,

    /// Options of the shell, such as -x
    #[arg(
        long,
        value_name = "OPTIONS",
        allow_hyphen_values = true,
        help_heading = "Script"
    )]
    sh: Option<String>,

    #[command(flatten)]
    output: TextOption,

    /// The script, whose name may omit .svl, and what `$1`, `$2` … are in it; without
    /// any, the only file here that ends in .svl
    #[arg(
        value_name = "SCRIPT",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        help_heading = "Input"
    )]
    words: Vec<OsString>,

    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    run: RunOptions,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("expected a name, `=` and a value".into()),
    }
}

fn definition(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("expected the name of a variable, `=` and a value")?;
    match is_variable(name) {
        true => Ok((name.to_owned(), value.to_owned())),
        false => Err(format!("`{name}` is no name of a variable")),
    }
}

/// Whether a shell takes this as the name of a variable.
fn is_variable(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// The arguments of `svl` with CADP's spellings of options as ours. What follows the
/// script is its own, but for `-output FILE` at the end where the script is not run.
pub fn arguments(given: Vec<OsString>) -> Vec<OsString> {
    let mut given = given;
    let is = |at: usize, options: &[&str]| {
        let word = given.get(at).and_then(|word| word.to_str());
        word.is_some_and(|word| options.contains(&word))
    };
    let is_printed = (1..given.len()).any(|at| {
        is(
            at,
            &["-script", "-expand", "--script", "--spell-out", "--expand"],
        )
    });
    let last = given.len().saturating_sub(2);
    if is_printed && last > 1 && is(last, &["-output"]) {
        given[1..].rotate_right(2);
    }
    let mut given = given.into_iter();
    let mut words: Vec<OsString> = given.next().into_iter().collect();
    while let Some(word) = given.next() {
        let ours = match word.to_str() {
            Some("-script") => "--script",
            Some("-expand") => "--spell-out",
            Some("-clean") => "--clean",
            Some("-sweep") => "--sweep",
            Some("-silent") => "--quiet",
            Some("-ignore") => "--keep-going",
            Some("-debug") => "--keep-temporary",
            Some("-case") => "--keep-case",
            Some("-help") => "--help",
            Some("-version") => "--version",
            Some("-output") => "--output",
            Some("-sh") => "--sh",
            // How what is printed looks is ours.
            Some("-indent") => {
                given.next();
                continue;
            }
            // Ours is to tell more, and takes no value.
            Some("-v") => {
                let rest = given.as_slice().first().and_then(|word| word.to_str());
                let is_value = rest
                    .and_then(|rest| rest.split_once('='))
                    .is_some_and(|(n, _)| is_variable(n));
                if is_value { "--define" } else { "-v" }
            }
            // `-j2` would be taken as a file.
            Some(option) if matches!(option.as_bytes(), [b'-', b'j' | b'o' | b'D', _, ..]) => {
                let (option, value) = option.split_at(2);
                words.extend([option.into(), value.into()]);
                continue;
            }
            Some(option) if option.starts_with('-') && option.len() > 1 => {
                words.push(word.clone());
                // These are followed by a value.
                let has_value = matches!(
                    option,
                    "--lts"
                        | "-D"
                        | "--define"
                        | "--sh"
                        | "-o"
                        | "--output"
                        | "--max-states"
                        | "-j"
                        | "--threads"
                        | "--stats"
                        | "--max-memory"
                );
                words.extend(has_value.then(|| given.next()).flatten());
                continue;
            }
            _ => {
                words.push(word);
                break;
            }
        };
        words.push(ours.into());
        if matches!(ours, "--output" | "--sh" | "--define") {
            words.extend(given.next());
        }
    }
    words.extend(given);
    words
}

impl Command for Svl {
    const NAME: &'static str = "svl";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(mut self, session: &mut Session) -> Result<Status, Failure> {
        if self.consists_of {
            return self.tell_parts(session);
        }
        if self.unwritable {
            return self.tell_unwritable(session);
        }
        // Scripts that call it expect of it what they expect of other links.
        let environment = cadp::environment(None)?;
        if environment.stats().is_some() {
            session.note("--stats in HYADES_OPTIONS is for single commands: the log tells more");
        }
        let stats = self.run.stats().is_some();
        self.run = self.run.or(&environment);
        let path = self.path()?;
        let arguments: Vec<OsString> = self.words.drain(..).skip(1).collect();
        let files = Files::beside(&path)?;
        let is_printed = self.script || self.spell_out;
        if !is_printed {
            let is_stdin = path == Path::new("-");
            let read = if is_stdin {
                Path::new("/dev/stdin")
            } else {
                &path
            };
            files.check_spare(read)?;
        }
        if self.clean || self.sweep {
            return clean::clean(&files, self.clean);
        }
        let output = self.output.get()?;
        let (name, text) = read_text(&path)?;
        let refused = |errors: &[SyntaxError]| report(session, &name, errors);
        let options = Options {
            keep_case: self.keep_case,
        };
        let script = parse(&text, options).map_err(|e| refused(&[e]))?;
        let inputs = self.inputs(&script);
        if is_printed {
            if output.replaces(&path) {
                let name = output.name();
                return Err(Failure::error(format!("{name} would replace the script")));
            }
            session.check_spares(&output, inputs.iter().map(|file| &**file))?;
        } else {
            inputs
                .iter()
                .try_for_each(|input| files.check_spare(input))?;
        }
        let expanded = expand(&script);
        if let (false, Err(error)) = (is_printed, &expanded) {
            // With all else that is known not to work.
            let mut refusals = self.refusals(&script);
            refusals.push(error.clone());
            refusals.sort_by_key(|error| error.place);
            return Err(refused(&refusals));
        }
        let expanded = expanded.map_err(|e| refused(&[e]))?;
        if self.spell_out {
            return print(session, &output, "svl", &expanded.to_string());
        }
        let settings = self.settings(&path, &files)?;
        let translation = Translation::of(&expanded, &settings);
        let program = || -> Result<Program, Failure> {
            let program = Program::new(&translation)?;
            program.check(&translation)?.map_err(|e| refused(&[e]))?;
            Ok(program)
        };
        if self.script {
            drop(program()?);
            return print(session, &output, "sh", translation.text());
        }
        if output.path().is_some() {
            return Err(Failure::error(
                "-o is for --script and --spell-out: the files that are made are named in the \
                 script",
            ));
        }
        if stats {
            return Err(Failure::error(format!(
                "--stats is for single commands: {} tells what each takes",
                printable_path(&files.log)
            )));
        }
        note_options(session, &arguments, &text);
        let refusals = self.refusals(&script);
        if !refusals.is_empty() {
            let failure = refused(&refusals);
            if !self.keep_going {
                return Err(failure);
            }
        }
        let program = program()?;
        let ended = program.run(self.sh.as_deref().unwrap_or_default(), &arguments)?;
        drop(program);
        end_as(ended)
    }
}

/// Shows what is wrong with a script.
fn report(session: &Session, name: &Arc<str>, errors: &[SyntaxError]) -> Failure {
    for error in errors {
        session.report(&diagnostic(name, error));
    }
    Failure::Reported
}

impl Svl {
    /// Tells what networks consist of: `--consists-of`.
    fn tell_parts(&self, session: &mut Session) -> Result<Status, Failure> {
        let (text, all) = depends::lines(&self.words);
        let output = self.output.get()?;
        session.write_text(&output, "text", &text)?;
        all.map(|()| Status::Holds).map_err(Failure::error)
    }

    /// Tells why a file cannot be written, if so: `--unwritable`.
    fn tell_unwritable(&self, session: &mut Session) -> Result<Status, Failure> {
        let [name, rest @ ..] = &self.words[..] else {
            return Err(Failure::error("--unwritable: expected the name of a file"));
        };
        let why = refused::unwritable(&name.to_string_lossy(), !rest.is_empty());
        let output = self.output.get()?;
        session.write_text(&output, "text", why.unwrap_or_default().as_bytes())?;
        Ok(Status::Holds)
    }

    /// The script: the one that is named, or the only one that there is.
    fn path(&self) -> Result<PathBuf, Failure> {
        let Some(word) = self.words.first() else {
            return only_script();
        };
        let path = script_path(Path::new(word));
        if word.len() > 1 && word.as_bytes().starts_with(b"-") && !path.exists() {
            return Err(Failure::error(format!(
                "unexpected option {}: svl -h lists them",
                printable_path(word)
            )));
        }
        Ok(path)
    }

    /// The files that are read, as far as that is known beforehand: those of the script,
    /// what networks among them consist of, and what takes the place of sources.
    fn inputs(&self, script: &Script) -> Vec<PathBuf> {
        let sources = hyades_svl::compiled_sources(script);
        let found = sources.into_iter().flat_map(|source| source.substitutes);
        let given = self.lts.iter().map(|(_, file)| file.clone());
        let mut all = Vec::new();
        for name in hyades_svl::inputs(script)
            .into_iter()
            .chain(given)
            .chain(found)
        {
            // What is wrong with one is told when it is read.
            let _ = depends::files(Path::new(&name), &mut all);
        }
        let mut libraries = LibraryFiles::default();
        let formulas = hyades_svl::formulas(script).into_iter();
        for (file, text) in formulas.filter_map(|used| refused::text_of(used.source)) {
            let _ = mcl::parse_all(&text, &file, &mut libraries);
        }
        all.extend(libraries.0.into_iter().map(PathBuf::from));
        all
    }

    /// What is known not to work.
    fn refusals(&self, script: &Script) -> Vec<SyntaxError> {
        let mut found = refused::relations(script);
        found.extend(refused::held_labels(script));
        found.extend(refused::sources(script, &self.lts));
        found.extend(refused::targets(script));
        found.extend(refused::formulas(script));
        found.extend(refused::operators(script, &self.define));
        found.extend(hyades_svl::refusals(script));
        found.sort_by_key(|error| error.place);
        found
    }

    fn settings(&self, script: &Path, files: &Files) -> Result<Settings, Failure> {
        let program = std::env::current_exe()
            .and_then(fs::canonicalize)
            .map_err(|e| Failure::error(format!("cannot find this program: {e}")))?;
        let states = self.limits.max_states;
        let limits = states.map(|n| vec!["--max-states".into(), n.to_string()]);
        let reductions = Reduction::ALL.into_iter().map(Reduction::name);
        let relations = Relation::ALL.into_iter().map(Relation::name);
        let relations =
            relations.chain(reductions.filter(|name| Relation::from_name(name).is_none()));
        Ok(Settings {
            hyades: utf8(program.as_os_str())?,
            version: version().into(),
            name: utf8(script.as_os_str())?,
            log: utf8(files.log.as_os_str())?,
            record: utf8(files.record.as_os_str())?,
            ignore: self.keep_going,
            silent: self.run.is_quiet(),
            debug: self.keep_temporary,
            incremental: self.incremental,
            lts: self.lts.clone(),
            variables: self.define.clone(),
            options: self.run.words(),
            limits: limits.unwrap_or_default(),
            relations: relations.map(str::to_owned).collect(),
        })
    }
}

/// Tells of arguments of a script that takes none and that are options of `svl`.
fn note_options(session: &Session, arguments: &[OsString], script: &[u8]) {
    // `$1`, `${2}`, `$@`, `$*` and `$#`.
    let is_argument = |pair: &[u8]| {
        pair[0] == b'$' && matches!(pair[1], b'1'..=b'9' | b'@' | b'*' | b'#')
            || pair[0] == b'{' && matches!(pair[1], b'1'..=b'9')
    };
    // Without being named, by `for NAME; do` too, and by files that are read as lines.
    let others = ["shift", "getopts", "for ", ". ", "source "].map(str::as_bytes);
    let mut lines = script.split(|&byte| byte == b'\n');
    let uses_them = lines.any(|line| {
        let is_shell = line.trim_ascii_start().first() == Some(&b'%');
        let has = |word: &[u8]| line.windows(word.len()).any(|part| part == word);
        line.windows(2).any(is_argument) || is_shell && others.into_iter().any(has)
    });
    if uses_them {
        return;
    }
    for given in arguments.iter().filter(|given| given.len() > 1) {
        // What is none is taken as a script.
        let is_known = match Svl::try_parse_from(self::arguments(vec!["svl".into(), given.clone()]))
        {
            Ok(svl) => svl.words.is_empty(),
            // Without a value, or to tell of itself.
            Err(_) => given.as_bytes().starts_with(b"-"),
        };
        if is_known {
            session.note(format!(
                "{} is an argument of the script, which uses none: options of svl stand before \
                 the name of the script",
                printable_path(given)
            ));
        }
    }
}

/// An error in a script, as errors in files are told.
fn diagnostic(name: &Arc<str>, error: &SyntaxError) -> Diagnostic {
    let Place { line, column } = error.place;
    Diagnostic {
        severity: Severity::Error,
        code: "svl-script",
        file: Some(Arc::clone(name)),
        position: Some(Position::new(line as u64, column as u64)),
        text: error.text.clone(),
    }
}

fn print(
    session: &mut Session,
    output: &Destination,
    format: &'static str,
    text: &str,
) -> Result<Status, Failure> {
    session.write_text(output, format, &encoded(text))?;
    Ok(Status::Holds)
}

/// A text for the program.
fn utf8(text: &OsStr) -> Result<String, Failure> {
    text.to_str()
        .map(str::to_owned)
        .ok_or_else(|| Failure::error(format!("{}: the name is no UTF-8", printable_path(text))))
}

/// The script that a name stands for, which may omit .svl, even if there is a file (a
/// program, say) with the shorter name.
fn script_path(name: &Path) -> PathBuf {
    let mut full = name.as_os_str().to_owned();
    full.push(".svl");
    let full = PathBuf::from(full);
    let is_whole = name == Path::new("-") || name.extension() == Some(OsStr::new("svl"));
    match !is_whole && full.is_file() {
        true => full,
        false => name.to_owned(),
    }
}

/// The script where there is only one.
fn only_script() -> Result<PathBuf, Failure> {
    let entries = fs::read_dir(".").map_err(|e| Failure::reading(".", &e))?;
    let names = entries.filter_map(|entry| Some(PathBuf::from(entry.ok()?.file_name())));
    let is_script = |name: &PathBuf| name.extension() == Some(OsStr::new("svl"));
    let mut scripts: Vec<PathBuf> = names.filter(is_script).collect();
    match scripts.len() {
        1 => Ok(scripts.remove(0)),
        0 => Err(Failure::error(
            "which script? there is none that ends in .svl here",
        )),
        count => Err(Failure::error(format!(
            "which script? there are {count} that end in .svl here"
        ))),
    }
}

/// Files beside a script.
struct Files {
    folder: PathBuf,
    log: PathBuf,
    record: PathBuf,
}

impl Files {
    /// Refuses to replace a file that is read, now or with other options.
    fn check_spare(&self, read: &Path) -> Result<(), Failure> {
        for (what, own) in [("log", &self.log), ("record", &self.record)] {
            if same_file(own, read) {
                return Err(Failure::error(format!(
                    "{} would be replaced by the {what} of the script, {}: rename one of them",
                    printable_path(read),
                    printable_path(own)
                )));
            }
        }
        Ok(())
    }

    fn beside(script: &Path) -> Result<Self, Failure> {
        let here = std::env::current_dir()
            .map_err(|e| Failure::error(format!("there is no working directory: {e}")))?;
        let folder = here.join(script.parent().unwrap_or(Path::new("")));
        // The log has a line for each file.
        for name in [&here, &folder.join(script)] {
            if name.as_os_str().as_bytes().contains(&b'\n') {
                let name = printable_path(name);
                return Err(Failure::error(format!("{name}: the name has a line break")));
            }
        }
        let stem = match script == Path::new("-") {
            true => OsStr::new("svl"),
            false => script.file_stem().unwrap_or(OsStr::new("svl")),
        };
        let beside = |ending: &str| {
            let mut name = stem.to_owned();
            name.push(ending);
            folder.join(name)
        };
        Ok(Self {
            log: beside(".log"),
            record: beside(".made"),
            folder,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_cadp() {
        let ours = |words: &str| {
            let words = words.split(' ').map(OsString::from).collect();
            let words = arguments(words);
            let words: Vec<_> = words.iter().map(|w| w.to_string_lossy()).collect();
            words.join(" ")
        };
        assert_eq!(ours("svl -silent x -silent"), "svl --quiet x -silent");
        assert_eq!(ours("svl -v N=3 -v x"), "svl --define N=3 -v x");
        assert_eq!(ours("svl -sh -x -expand x"), "svl --sh -x --spell-out x");
        assert_eq!(ours("svl -j 2 -ignore x"), "svl -j 2 --keep-going x");
        assert_eq!(ours("svl -j2 -DN=3 x -j2"), "svl -j 2 -D N=3 x -j2");
        assert_eq!(ours("svl --lts a=b -case x"), "svl --lts a=b --keep-case x");
        assert_eq!(ours("svl -output -script x"), "svl --output -script x");
        assert_eq!(ours("svl -script x -output y"), "svl --output y --script x");
        assert_eq!(ours("svl -expand -indent 3 x"), "svl --spell-out x");
        assert_eq!(ours("svl x -output y"), "svl x -output y");
    }
}
