//! `bcg_open`, `exp.open` and `seq.open`: a system and a tool that explores it, named on
//! one command line.
//!
//! CADP compiles and links both; here the tool is a function that is given the system.

mod compare;
mod evaluate;
mod generate;
mod project;
mod search;
mod sequences;
mod tgv;

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::Parser;
use hyades_equivalence::Relation;
use hyades_explore::{Exploration, ExploreOptions, Goal, Limits, Outcome, reach};
use hyades_formats::diagnostic::printable_path;
use hyades_formats::{Format, Lts};
use hyades_lts::Numbering;
use hyades_lts::relabel::{Action, RelabelStep, relabel};
use hyades_network::por::Reduction;
use hyades_svl::shell_word;

use super::{Arguments, Kind, Tool, labels, unsupported};
use hyades_cli_core::{
    AnyModel, Failure, FilterOptions, Given, ModelOptions, Session, Unit, memory,
};

/// A command that is named in front of a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opener {
    /// `bcg_open`.
    Bcg,
    /// `exp.open`.
    Exp,
    /// `seq.open`.
    Seq,
}

/// What a tool is called by alone.
const CALLED_ALONE: &str = "run it by bcg_open, exp.open or seq.open, as in \
                            bcg_open FILE.bcg ";

/// What exp.open takes for a partial order reduction.
const REDUCTIONS: [(&str, Reduction); 3] = [
    ("-branching", Reduction::Branching),
    ("-deadpreserving", Reduction::Deadlock),
    ("-weaktrace", Reduction::WeakTrace),
];

/// The commands in front of a system.
pub const OPENERS: [Tool; 3] = [
    Tool {
        name: "bcg_open",
        usage: "[OPTIONS] SPEC[.bcg] [CC_OPTIONS] TOOL [TOOL_OPTIONS] [ARGUMENTS]",
        kind: Kind::Opener(Opener::Bcg),
    },
    Tool {
        name: "exp.open",
        usage: "[-ccs|-csp|-lotos|-elotos|-mcrl] [-hidden S] [-termination S] [-coaction P] \
                [-case] [-nocheck] [-branching|-deadpreserving|-weaktrace] SPEC[.exp] \
                [CC_OPTIONS] TOOL [TOOL_OPTIONS] [ARGUMENTS]\n\
                \x20      exp.open [OPTIONS] -info|-labels|-depend|-network txt SPEC[.exp]",
        kind: Kind::Opener(Opener::Exp),
    },
    Tool {
        name: "seq.open",
        usage: "[-seqno N] [-cache N] [-stat] SPEC[.seq] [CC_OPTIONS] TOOL [TOOL_OPTIONS] \
                [ARGUMENTS]",
        kind: Kind::Opener(Opener::Seq),
    },
];

/// The tools that are named behind a system.
pub const TOOLS: [Tool; 20] = [
    generate::GENERATOR,
    generate::REDUCTOR,
    generate::SCRUTATOR,
    compare::BISIMULATOR,
    evaluate::tool("evaluator"),
    evaluate::tool("evaluator3"),
    evaluate::tool("evaluator4"),
    evaluate::tool("evaluator5"),
    search::EXHIBITOR,
    refused(
        "determinator",
        "determinator is for stochastic systems since 2006: reductor -trace or -weaktrace makes \
         others deterministic",
    ),
    search::TERMINATOR,
    search::EXECUTOR,
    project::PROJECTOR,
    search::SIMULATOR,
    refused("xsimulator", STEPPING),
    refused("ocis", STEPPING),
    tgv::TGV,
    refused(
        "cunctator",
        "cunctator is not supported: generator and bcg_steady -thr tell the throughputs without \
         simulating",
    ),
    refused(
        "distributor",
        "distributor is not supported: generator uses all processors",
    ),
    refused(
        "predictor",
        "predictor is not supported: generator tells sizes as it goes, HYADES_OPTIONS='--max-memory \
         SIZE' bounds it",
    ),
];

const STEPPING: &str = "not supported: simulator steps in text, draw v.bcg -o v.html makes a page \
                        to step in, hyades reach --find tells how to get somewhere";

/// Commands that are not there and tell what to do; linked only if they are asked for.
pub const ABSENT: [Tool; 12] = [
    compiler("lnt.open"),
    compiler("lotos.open"),
    compiler("caesar.open"),
    compiler("fsp.open"),
    refused(
        "bcg_edit",
        "not supported: bcg_draw makes a page to step in",
    ),
    refused(
        "bcg_lib",
        "not needed: all commands read BCG files themselves",
    ),
    refused(
        "bcg_merge",
        "not supported: where CADP is, it makes a BCG file of the parts",
    ),
    refused("pbg_cp", PARTITIONED),
    refused("pbg_info", PARTITIONED),
    refused("pbg_mv", PARTITIONED),
    refused("pbg_rm", PARTITIONED),
    refused(
        "xtl",
        "not supported: formulas are in MCL, see evaluator4 and hyades check",
    ),
];

const PARTITIONED: &str = "not supported: bcg_merge makes a BCG file of a PBG where CADP is";

const fn refused(name: &'static str, why: &'static str) -> Tool {
    Tool {
        name,
        usage: "",
        kind: Kind::Refused(why),
    }
}

const fn compiler(name: &'static str) -> Tool {
    Tool {
        name,
        usage: "[OPTIONS] SPEC TOOL …",
        kind: Kind::Compiler,
    }
}

/// What somebody is told who wants a language compiled.
pub fn compile_elsewhere(name: &str, words: &VecDeque<OsString>) -> Failure {
    let spec = words.iter().find(|word| !word.as_bytes().starts_with(b"-"));
    let Some(spec) = spec.map(printable_path) else {
        return Failure::error(format!(
            "the name of a system is missing: expected {name} SPEC TOOL …, which Hyades does not \
             compile, but tells which file takes its place"
        ));
    };
    let stem = Path::new(&*spec).with_extension("");
    let result = shell_word(&format!("{}.bcg", printable_path(stem)));
    let file = shell_word(&spec);
    Failure::error(format!(
        "{spec} has to be compiled, which Hyades does not do: run `{name} {file} generator \
         {result}` where CADP is, and then bcg_open {result} here"
    ))
}

/// What a tool that is called alone ends with.
pub fn called_alone(name: &str) -> Failure {
    Failure::error(format!("{CALLED_ALONE}{name} …"))
}

/// A system and what is to be done with it.
pub struct Call {
    /// The tool, and what is left for it.
    pub tool: &'static Tool,
    pub words: VecDeque<OsString>,
    /// The system.
    pub spec: Spec,
    /// What is told about it instead, as an option of `reach`.
    pub about: Option<&'static str>,
    /// What has no effect.
    pub ignored: Vec<String>,
}

/// A system, as options of our own commands say it.
pub struct Spec {
    /// The file.
    pub path: PathBuf,
    /// Options in front of it.
    pub options: Vec<OsString>,
    /// How it is reduced while it is explored.
    por: Option<Reduction>,
}

/// What our commands read by.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Reading {
    #[command(flatten)]
    filter: FilterOptions,
    #[command(flatten)]
    model: ModelOptions,
}

/// What is named behind a system: a tool of ours, or something that is none.
fn is_tool(word: &OsStr) -> bool {
    let program = [&b".a"[..], b".o", b".c"];
    let bytes = word.as_bytes();
    find(word).is_some()
        || bytes == b"-"
        || !bytes.starts_with(b"-") && program.iter().any(|ending| bytes.ends_with(ending))
}

fn find(word: &OsStr) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| word == tool.name)
}

impl Opener {
    /// The ending that files have without one.
    fn ending(self) -> &'static str {
        match self {
            Opener::Bcg => "bcg",
            Opener::Exp => "exp",
            Opener::Seq => "seq",
        }
    }

    /// What stands behind it.
    fn what(self) -> &'static str {
        match self {
            Opener::Bcg => "an LTS",
            Opener::Exp => "a network",
            Opener::Seq => "a file of sequences",
        }
    }

    /// Reads a command line; `None` if there is nothing to do.
    ///
    /// # Errors
    /// If it means nothing.
    pub fn call(self, mut arguments: Arguments) -> Result<Option<Call>, Failure> {
        let mut options: Vec<OsString> = Vec::new();
        let mut ignored = Vec::new();
        let mut por = None;
        let mut about = None;
        while let Some(option) = arguments.option() {
            if self == Opener::Exp
                && let Some(language) = ["-ccs", "-csp", "-lotos", "-elotos", "-mcrl"]
                    .into_iter()
                    .find(|own| *own == option)
            {
                options.extend(["--language".into(), language[1..].into()]);
                continue;
            }
            let reduction = REDUCTIONS.iter().find(|(own, _)| *own == option);
            if let (Opener::Exp, Some((_, reduction))) = (self, reduction) {
                por = Some(*reduction);
                continue;
            }
            match (self, &option[..]) {
                (Opener::Exp, "-hidden" | "-termination" | "-coaction") => {
                    let value = arguments.value(&option, "a text")?;
                    // As one word, so that it may begin with a minus sign.
                    let mut word = OsString::from(format!("-{option}="));
                    word.push(value);
                    options.push(word);
                }
                (Opener::Exp, "-case" | "-nocheck") => options.push(format!("-{option}").into()),
                (Opener::Exp, "-info") => about = Some("--info"),
                (Opener::Exp, "-labels") => about = Some("--labels"),
                (Opener::Exp, "-depend") => about = Some("--depend"),
                (Opener::Exp, "-network") => {
                    let form = arguments.value(&option, "a form")?;
                    if form != "txt" {
                        return Err(unsupported(&format!("-network {}", printable_path(&form))));
                    }
                    about = Some("--flat");
                }
                (Opener::Exp, "-interface" | "-rate" | "-prob" | "-ratebranching") => {
                    return Err(unsupported(&option));
                }
                (Opener::Seq, "-seqno") => {
                    let number = arguments.value(&option, "a number")?;
                    options.extend(["--seqno".into(), number]);
                }
                (Opener::Seq, "-cache") => {
                    arguments.value(&option, "a number")?;
                    ignored.push(option);
                }
                (Opener::Seq, "-stat") => ignored.push(option),
                _ if arguments.is_common(&option)? => ignored.push(option),
                _ => return Err(arguments.unknown(&option)),
            }
        }
        let Some(spec) = arguments.words.pop_front() else {
            return Err(arguments.wrong(format!(
                "the name of a system is missing: expected {} (the ending .{} may be omitted), and \
                 then a tool",
                self.what(),
                self.ending()
            )));
        };
        let spec = Spec {
            path: self.file(&spec),
            options,
            por,
        };
        if about.is_some() && arguments.words.is_empty() {
            return Ok(Some(Call {
                tool: arguments.tool,
                words: VecDeque::new(),
                spec,
                about,
                ignored,
            }));
        }
        if about.is_some() {
            return Err(arguments.wrong("-info, -labels, -depend and -network go without a tool"));
        }
        let at = arguments.words.iter().position(|word| is_tool(word));
        let Some(at) = at else {
            let names = TOOLS.iter().filter(|tool| tool.is_done());
            let names: Vec<&str> = names.map(|tool| tool.name).collect();
            let first = arguments.words.iter();
            let first = first.filter(|word| !word.as_bytes().starts_with(b"-"));
            let what = match first.clone().next() {
                Some(word) => format!("there is no tool {}", printable_path(word)),
                None => "the name of a tool is missing".into(),
            };
            return Err(arguments.wrong(format!("{what}; tools are {}", names.join(", "))));
        };
        let rest = arguments.words.split_off(at);
        ignored.extend(arguments.words.iter().map(printable_path));
        let mut words = rest;
        let Some(name) = words.pop_front() else {
            unreachable!("it has just been found");
        };
        if name == "-" {
            return Ok(None);
        }
        let Some(tool) = find(&name) else {
            return Err(Failure::error(format!(
                "{}: programs for OPEN/CAESAR cannot be run; models plug in through a header in C, \
                 hyades_model.h (docs/models.md)",
                printable_path(&name)
            )));
        };
        Ok(Some(Call {
            tool,
            words,
            spec,
            about: None,
            ignored,
        }))
    }

    /// The file that a name stands for, of which the ending may be omitted.
    fn file(self, name: &OsStr) -> PathBuf {
        let path = PathBuf::from(name);
        let known = Format::from_path(&path).is_some()
            || path.extension().is_some_and(|ending| ending == "so");
        let mut full = name.to_owned();
        full.push(".");
        full.push(self.ending());
        let full = PathBuf::from(full);
        match known || name == "-" || !full.exists() && path.exists() {
            true => path,
            false => full,
        }
    }
}

impl Spec {
    /// The words that say it to one of our commands.
    pub fn words(&self) -> Vec<OsString> {
        // A name may begin with a minus sign.
        let path = match self.path.as_os_str().as_bytes() {
            [b'-', _, ..] => Path::new(".").join(&self.path),
            _ => self.path.clone(),
        };
        let mut words = self.options.clone();
        words.push(path.into());
        words
    }

    /// The same with how it is reduced, for commands that explore it.
    fn arguments(&self) -> Vec<OsString> {
        let mut words = self.words();
        if let Some(por) = self.por {
            words.extend(["--por".into(), por.to_string().into()]);
        }
        words
    }

    /// Tells if a reduction of exp.open does not keep a relation that what is made depends
    /// on.
    fn tell_reduced(&self, session: &Session, relation: Relation, what: &str) {
        let keeps = |por| match por {
            Reduction::Deadlock => false,
            Reduction::WeakTrace => relation == Relation::WeakTrace,
            Reduction::Branching => Relation::DivBranching.implies(relation),
        };
        if let Some(por) = self.por.filter(|por| !keeps(*por)) {
            let option = REDUCTIONS.iter().find(|(_, own)| *own == por);
            session.note(format!(
                "{} does not keep {relation}: {what} is about what it leaves of {}",
                option.map_or("", |(option, _)| option),
                self.name()
            ));
        }
    }

    /// Its name in messages.
    fn name(&self) -> String {
        printable_path(&self.path)
    }

    /// Reads it, to be explored.
    fn model(&self, session: &mut Session) -> Result<AnyModel, Failure> {
        let reading = Reading::try_parse_from(self.words())
            .map_err(|error| Failure::error(error.to_string().trim_end()))?;
        match session.read_model(&reading.filter, &reading.model)? {
            Given::Network(network) => Ok(AnyModel::of_network(*network, self.por)),
            Given::Model(model) => Ok(model),
            Given::System(..) => Err(Failure::error(format!(
                "{} is a system of machines: hyades reach explores it",
                self.name()
            ))),
        }
    }

    /// Reads and explores it: phase `reach`.
    fn lts(&self, session: &mut Session) -> Result<Lts, Failure> {
        let model = self.model(session)?;
        session.phase("reach", |phase| {
            let bar = phase.progress("searching", Unit::States, model.states());
            let mut report = bar.explored();
            let search = ExploreOptions {
                limits: limits(),
                progress: Some(&mut report),
                ..ExploreOptions::default()
            };
            let goal = Goal::Lts(Numbering::BreadthFirst);
            let outcome = |found: &Exploration<'_>| found.outcome;
            let explored = match model {
                AnyModel::Lts(lts) => reach(lts, search, goal, outcome),
                model => reach(model.erased(), search, goal, outcome).and_then(|reached| {
                    model.finish()?;
                    Ok(reached)
                }),
            };
            let (lts, outcome) = explored.map_err(|e| self.failed(&e))?;
            match (lts, outcome) {
                (Some(lts), None | Some(Outcome::Complete)) => Ok(lts),
                _ => Err(Failure::Memory(format!(
                    "exploring {} takes more memory than there may be",
                    self.name()
                ))),
            }
        })
    }

    fn failed(&self, error: &impl std::fmt::Display) -> Failure {
        Failure::error(format!("{}: {error}", self.name()))
    }
}

/// When to give up.
fn limits() -> Limits {
    Limits {
        max_states: None,
        max_memory: memory::rest(),
    }
}

/// What is done with labels: `-hide` and `-rename`, from left to right.
#[derive(Default)]
struct Changes {
    steps: Vec<RelabelStep>,
}

impl Changes {
    /// Whether an option is one of these; takes the words that belong to it.
    fn takes(
        &mut self,
        arguments: &mut Arguments,
        session: &Session,
        option: &str,
    ) -> Result<bool, Failure> {
        let action = match option {
            "-hide" => Action::Hide,
            "-rename" => Action::Rename,
            _ => return Ok(false),
        };
        let (rules, name) = labels::rules_behind(option, arguments, session, action, "with rules")?;
        self.steps.push(RelabelStep::Rules(rules, Some(name)));
        Ok(true)
    }

    fn apply(&self, session: &mut Session, lts: Lts) -> Result<Lts, Failure> {
        if self.steps.is_empty() {
            return Ok(lts);
        }
        session.phase("relabel", |_| {
            Ok(relabel(lts, &self.steps, &|text| text == b"i", None)?.lts)
        })
    }
}

/// The number behind an option.
fn number(arguments: &mut Arguments, option: &str) -> Result<u64, Failure> {
    let value = arguments.value(option, "a number")?;
    parsed(&value).ok_or_else(|| arguments.wrong(format!("{option} needs a number")))
}

fn parsed(word: &OsString) -> Option<u64> {
    word.to_str()?.parse().ok()
}

/// The file of a diagnostic behind `-diag`, which is another one's name if nothing
/// follows it.
fn diagnostic(arguments: &mut Arguments, usual: &str) -> OsString {
    let is_option = |word: &OsString| word.as_bytes().starts_with(b"-");
    match arguments.words.front().filter(|word| !is_option(word)) {
        Some(_) if arguments.words.len() > 1 => {
            arguments.words.pop_front().unwrap_or_else(|| usual.into())
        }
        _ => usual.into(),
    }
}
