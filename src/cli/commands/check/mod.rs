//! `check`: temporal logic on files, networks, systems of machines and models.

mod answer;
mod formulas;
mod inputs;
mod junit;
mod reasons;
mod reductions;
mod tell;
mod validate;
mod values;

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Parser, ValueEnum};
use hyades_check::decide::DecideError;
use hyades_check::{
    CheckOptions, Checked, Evidence, check_lts, check_model, has_instances, unused_actions, vacuous,
};
use hyades_explore::Limits;
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_network::symmetry::SymmetricModel;
use serde_json::{Value, json};

use answer::{Answer, rank, unknown, why};
use formulas::{Formula, FormulaOptions};
use hyades_cli_core::answer::json_text;
use hyades_cli_core::{
    AnswerOptions, AnyModel, Asks, Command, Destination, DialectOption, Epilogue,
    ExploreSystemOptions, Failure, FilterOptions, Given, InputOption, LabelOptions, LimitOptions,
    LtsOutput, ModelOptions, ReadOptions, RunOptions, Session, Status, Unit, Verbosity,
    WriteOptions, check_quotient, files_of, files_text, memory, traces,
};
use inputs::{Inputs, Subject};
use reasons::Reason;
use reductions::ReductionOptions;
use validate::Witness;

/// How many instances of fixpoints there may be unless the user says so.
const MAX_INSTANCES: u64 = 10_000_000;

const EPILOGUE: Epilogue = Epilogue {
    example: "check -f '[true*] <true> true' big.aut.gz && echo no deadlock",
    asks: Asks::Verdict,
    open: "a limit (--max-states, --max-memory, --max-instances, --channel-bound) was reached",
};

/// Decide formulas of temporal logic, CADP's (MCL) and mCRL2's (.mcf)
///
/// Prints TRUE, FALSE or UNKNOWN for each formula on a line, with its name if there are
/// several. Files that end in .mcl or .mcf have formulas; any other file is INPUT, which
/// is standard input if it is not named. INPUT is an LTS, a network (.exp), a system of
/// machines (.toml) or a model plugin (.so), whose states are computed as far as they are
/// needed. A file has one formula, or several properties: property NAME "comment" is …
/// end property.
///
/// On a terminal, with --diag or with -o, the reason follows: the shortest trace where
/// one shows it, which may end in a cycle, or lead to where something holds or does not;
/// else, for --diag and -o, the part of INPUT in which the formula has the same verdict
/// whatever else there is.
///
/// -e minimises INPUT first, and --por explores less of it, for the formulas that are
/// known to have the same verdict then; a note names the others, which are decided
/// without.
#[derive(Parser)]
#[command(name = "check", after_help = EPILOGUE.text())]
pub struct Check {
    #[command(flatten)]
    formulas: FormulaOptions,

    /// Tell whether REASON, a trace or an LTS that -o has written with the same
    /// options, shows the verdict
    #[arg(
        long,
        value_name = "REASON",
        conflicts_with_all = ["output", "diag"],
        help_heading = "Questions"
    )]
    validate: Option<PathBuf>,

    /// Print the formulas without their macros, and end
    #[arg(long, group = "printed", help_heading = "Questions")]
    expand: bool,

    /// Print the formulas in the modal mu-calculus, as they are decided, and end
    #[arg(long, group = "printed", help_heading = "Questions")]
    core: bool,

    /// Print the names of all files that the network consists of, or that the formulas
    /// include, one a line, and explore nothing
    #[arg(long, group = "printed", help_heading = "Questions")]
    depend: bool,

    /// Print the labels of INPUT that each action formula matches, and end
    #[arg(long, group = "printed", help_heading = "Questions")]
    matched_labels: bool,

    #[command(flatten)]
    reductions: ReductionOptions,

    /// Give up with status 3 after N values of parameters of fixpoints, counted for each
    /// state [default: 10000000]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "Limits"
    )]
    max_instances: Option<u64>,

    #[command(flatten)]
    relabel: LabelOptions,
    #[command(flatten)]
    model: ModelOptions,
    #[command(flatten)]
    systems: ExploreSystemOptions,

    /// Show the reason, or with =FILE write it there, as -o does
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "-",
        help_heading = "Output"
    )]
    diag: Option<PathBuf>,

    /// Write a report in the form of JUnit to FILE, a test case for each formula
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    junit: Option<PathBuf>,

    #[command(flatten)]
    answer: AnswerOptions,
    #[command(flatten)]
    write: WriteOptions,

    /// The input and files with formulas (.mcl, .mcf), in any order
    #[arg(value_name = "FILE", help_heading = "Input", display_order = 0)]
    files: Vec<PathBuf>,

    /// `bfs` or `dfs`, which makes no difference: reasons are shortest
    #[arg(long, value_name = "ORDER", hide = true, help_heading = "Input")]
    search: Option<Search>,

    #[command(flatten)]
    read: ReadOptions,
    #[command(flatten)]
    dialect: DialectOption,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    run: RunOptions,
}

/// Values of `--search`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Search {
    Bfs,
    Dfs,
}

impl Command for Check {
    const NAME: &'static str = "check";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(mut self, session: &mut Session) -> Result<Status, Failure> {
        session.limit_states(self.limits.max_states);
        if let Some(relation) = self.reductions.relation() {
            check_quotient(relation)?;
        }
        let named = self.input()?;
        let input = named.clone().unwrap_or_else(|| "-".into());
        let (mut formulas, included) = self.formulas.read(session, &self.files)?;
        session.spare(included.iter().map(PathBuf::from));
        let domains = self.formulas.domains(session, &formulas)?;
        if self.expand || self.core {
            return self.print(session, &formulas);
        }
        let filter = FilterOptions {
            write: self.write.clone(),
            input: InputOption { input },
            read: self.read.clone(),
            dialect: self.dialect.clone(),
            run: self.run.clone(),
        };
        if self.depend {
            return self.print_files(session, &filter, named.as_deref(), &included);
        }
        if let Some(path) = self.diag.take_if(|path| *path != Path::new("-")) {
            if self.write.is_named() {
                return Err(Failure::error(
                    "--diag=FILE and -o both say where the reason is written: leave one of them out",
                ));
            }
            self.write = self.write.at(Some(&path));
        }
        // What says how a reason is written says how it is read.
        let output = match self.validate {
            Some(_) => None,
            None => self.write.witness(session, &self.dialect)?,
        };
        if output.is_some() && formulas.len() > 1 {
            return Err(Failure::error(
                "-o takes the reason of one formula, and there are several: check them one by one",
            ));
        }
        self.check_outputs(session, &filter, output.as_ref())?;
        memory::set_last_words(unknown(&formulas, self.answer.is_json()));
        let name = self.model.name(&filter.input.input);
        let inputs = self.read_inputs(session, &filter, &name, &mut formulas, &domains)?;
        self.tell_unused(session, &formulas, &inputs, output.as_ref());
        let answers = self.answers(session, &formulas, &inputs, output.as_ref(), &name)?;
        let Some(answers) = answers else {
            return Ok(Status::Holds);
        };
        inputs
            .finish()
            .map_err(|e| Failure::error(format!("{name}: {e}")))?;
        memory::forget_last_words();
        self.tell(session, &formulas, &answers)?;
        if let (Some(output), [answer]) = (&output, &answers[..]) {
            self.write_reason(session, output, answer)?;
        }
        Ok(answers
            .iter()
            .map(|answer| answer.status())
            .max_by_key(|status| rank(*status))
            .unwrap_or(Status::Holds))
    }
}

/// Warns of what a formula says of labels and words that there are not.
fn warn(session: &Session, formula: &Formula, subject: &Subject<'_>) {
    if session.verbosity() < Verbosity::Normal {
        return;
    }
    let Formula { property, file, .. } = formula;
    let mut warnings = match subject {
        Subject::Open(_) => return,
        Subject::Lts(_) | Subject::Model { .. } => {
            unused_actions(property, &subject.labels(), &mut || {})
        }
    };
    if let (Subject::Lts(lts), true) = (subject, warnings.is_empty()) {
        warnings = vacuous(property, lts);
    }
    for warning in &warnings {
        formulas::warn(session, file, warning);
    }
}

impl Check {
    /// The input among the files, if one is named.
    fn input(&mut self) -> Result<Option<PathBuf>, Failure> {
        let is_formula = |path: &PathBuf| {
            let ending = path.extension().and_then(|e| e.to_str());
            ending.is_some_and(|e| e == "mcl" || e == "mcf" || e == "xtl")
        };
        let (formulas, mut others): (Vec<PathBuf>, Vec<PathBuf>) =
            self.files.drain(..).partition(is_formula);
        self.files = formulas;
        match others.len() {
            0 => Ok(None),
            1 => Ok(Some(others.remove(0))),
            _ => Err(Failure::error(format!(
                "{} and {} are both inputs: a file with a formula ends in .mcl or .mcf, or is \
                 given by --formula FILE",
                others[0].display(),
                others[1].display()
            ))),
        }
    }

    /// Refuses outputs that would replace what is read, or one another.
    fn check_outputs(
        &self,
        session: &Session,
        filter: &FilterOptions,
        output: Option<&LtsOutput>,
    ) -> Result<(), Failure> {
        let answer = Destination::stdout();
        let report = match &self.junit {
            Some(path) => Some(Destination::new(path)?),
            None => None,
        };
        let reason = output.map(|output| &output.destination);
        let outputs: Vec<&Destination> = std::iter::once(&answer)
            .chain(reason)
            .chain(&report)
            .collect();
        let formulas = self.files.iter().chain(self.formulas.files());
        let others = formulas.chain(&self.validate).map(|path| &**path);
        let inputs: Vec<&Path> = std::iter::once(&*filter.input.input)
            .chain(others)
            .collect();
        session.check_outputs(&inputs, &outputs)?;
        let rules: Vec<&Path> = self.relabel.files().collect();
        outputs
            .iter()
            .try_for_each(|output| session.check_spares(output, rules.clone()))
    }

    /// Whether reasons are shown beside verdicts.
    fn shows_reasons(&self) -> bool {
        self.diag.is_some() || self.answer.is_json() || Destination::stdout().is_terminal()
    }

    /// Warns of options without effect.
    fn tell_unused(
        &self,
        session: &Session,
        formulas: &[Formula],
        inputs: &Inputs,
        output: Option<&LtsOutput>,
    ) {
        if self.matched_labels {
            return;
        }
        // Reasons are looked for in models; other labels make a model of an LTS.
        let is_explored = !matches!(inputs.whole, AnyModel::Lts(_))
            || !inputs.relabelling.is_none()
            || self.validate.is_some();
        if self.limits.max_states.is_some() && !is_explored {
            session.tell_no_effect("--max-states", "INPUT is an LTS, and nothing is explored");
        }
        let has_instances = |formula: &Formula| has_instances(&formula.property);
        if self.max_instances.is_some() && !formulas.iter().any(has_instances) {
            let why = "no formula has a fixpoint with parameters or other variables";
            session.tell_no_effect("--max-instances", why);
        }
        self.answer.tell_unused(session);
        if !self.shows_reasons() {
            let why = "the reason is shown with --diag";
            self.answer.tell_unused_form(session, why);
            if output.is_none() && self.validate.is_none() && self.write.visible_i().is_some() {
                let why = "it is for reasons, which --diag shows and -o FILE takes";
                session.tell_no_effect("--visible-i", why);
            }
        }
    }

    /// Prints the formulas in another form.
    fn print(&self, session: &mut Session, formulas: &[Formula]) -> Result<Status, Failure> {
        let form = |formula: &Formula| match self.core {
            true => formula.in_core_form(),
            false => Ok(formula.without_macros()),
        };
        let texts = formulas.iter().map(form).collect::<Result<Vec<_>, _>>()?;
        let (format, text) = match self.answer.is_json() {
            true => {
                let object = |(formula, text): (&Formula, &String)| {
                    let text = text.trim_end();
                    json!({ "name": formula.name, "formula": text })
                };
                let all: Value = formulas.iter().zip(&texts).map(object).collect();
                ("json", json_text(&json!({ "formulas": all })))
            }
            false => ("text", texts.concat()),
        };
        self.answer.write(session, format, text.as_bytes())?;
        Ok(Status::Holds)
    }

    /// Prints the names of the files of a network that is `named` as input, and of those that
    /// formulas include.
    fn print_files(
        &self,
        session: &mut Session,
        filter: &FilterOptions,
        named: Option<&Path>,
        included: &[String],
    ) -> Result<Status, Failure> {
        let mut files: Vec<Cow<'_, [u8]>> = Vec::new();
        if let Some(input) = named
            && filter.read.explores(input)?
            && let Given::Network(network) = session.read_model(filter, &self.model)?
        {
            files.extend(files_of(&network).map(|file| file.to_vec().into()));
        }
        let included = included.iter().map(|file| printable_path(Path::new(file)));
        files.extend(included.map(|file| file.into_bytes().into()));
        let is_json = self.answer.is_json();
        let text = files_text(files.into_iter(), is_json);
        let format = if is_json { "json" } else { "text" };
        self.answer.write(session, format, &text)?;
        Ok(Status::Holds)
    }

    /// What is to be said of each formula; none if labels are printed.
    fn answers(
        &self,
        session: &mut Session,
        formulas: &[Formula],
        inputs: &Inputs,
        output: Option<&LtsOutput>,
        name: &str,
    ) -> Result<Option<Vec<Answer>>, Failure> {
        let (mut own, mut other) = (None, None);
        let needs = |is_reduced| inputs.is_reduced.contains(&is_reduced);
        let whole = match needs(false) || self.matched_labels {
            true => Some(self.subject(session, &inputs.whole, inputs, None, &mut own, name)?),
            false => None,
        };
        if let (true, Some(whole)) = (self.matched_labels, &whole) {
            memory::forget_last_words();
            let open = inputs.open.iter().zip(formulas);
            if let Some((Some(verdict), formula)) = open.into_iter().find(|(o, _)| o.is_some()) {
                let why = why(*verdict, 0);
                return Err(Failure::error(format!(
                    "{}: the values of its variables are not known: {why}",
                    formula.name
                )));
            }
            self.print_labels(session, whole, formulas)?;
            return Ok(None);
        }
        let reduced = match needs(true) {
            true => {
                let model = inputs.reduced.as_ref().unwrap_or(&inputs.whole);
                let relation = self.reductions.relation();
                Some(self.subject(session, model, inputs, relation, &mut other, name)?)
            }
            false => None,
        };
        let mut answers = Vec::new();
        let mut given: [Option<Witness>; 2] = [None, None];
        for (k, formula) in formulas.iter().enumerate() {
            let subject = match (inputs.open[k], inputs.is_reduced[k]) {
                (Some(verdict), _) => &Subject::Open(verdict),
                (None, true) => reduced.as_ref().expect("what a formula needs is there"),
                (None, false) => whole.as_ref().expect("what a formula needs is there"),
            };
            warn(session, formula, subject);
            let start = Instant::now();
            let symmetric = match (&inputs.reduced, inputs.is_reduced[k]) {
                (Some(AnyModel::Symmetric(model)), true) => Some(&**model),
                _ => None,
            };
            // What is read once for all formulas: it may be standard input.
            let [own, other] = match (&mut given, inputs.is_reduced[k]) {
                ([whole, reduced], false) => [whole, reduced],
                ([whole, reduced], true) => [reduced, whole],
            };
            if let (Some(path), None) = (&self.validate, &own) {
                *own = Some(match other {
                    Some(read) if path == Path::new("-") => read.clone(),
                    _ => self.read_reason(session, path, subject)?,
                });
            }
            let found = match own {
                Some(given) => self.verified(session, formula, subject, given, symmetric)?,
                None => self.decided(session, formula, subject, output, name)?,
            };
            let mut answer = self.answer(session, formula, found, output, name, symmetric)?;
            if let Some(model) = symmetric {
                answer.replay(model)?;
            }
            answer.elapsed = start.elapsed();
            answers.push(answer);
        }
        Ok(Some(answers))
    }

    fn explore_limits(&self) -> Limits {
        Limits {
            max_states: self.limits.max_states,
            max_memory: memory::rest(),
        }
    }

    /// How to decide; `progress` is told of the states that are looked at.
    fn check_options<'a>(
        &self,
        progress: &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> CheckOptions<'a> {
        CheckOptions {
            limits: self.explore_limits(),
            evidence: false,
            parts: false,
            residues: false,
            max_instances: Some(self.max_instances.unwrap_or(MAX_INSTANCES)),
            looks_ahead: false,
            progress: Some(progress),
        }
    }

    /// The answer to one formula, and what there is to say of it; an error of its own is one,
    /// too.
    fn answer(
        &self,
        session: &mut Session,
        formula: &Formula,
        found: Result<Answer, DecideError>,
        output: Option<&LtsOutput>,
        name: &str,
        symmetric: Option<&SymmetricModel<'_>>,
    ) -> Result<Answer, Failure> {
        let answer = found.unwrap_or_else(|error| Answer::failed(formula.failed(&error, name)));
        if let Some(error) = &answer.error {
            session.error(error);
        }
        if let Some(why) = &answer.why {
            session.tell_why(format!("{}: {why}", formula.name));
        }
        if let Some(error) = &answer.unshown {
            session.note(format!(
                "{}: the verdict stands, but its reason is not known: {error}",
                formula.name
            ));
        } else if output.is_some() && answer.reason.is_none() && answer.is_known() {
            session.note(format!(
                "{}: the verdict stands, but a limit was reached before its reason was found",
                formula.name
            ));
        }
        let is_part = answer.reason.as_ref().is_some_and(Reason::is_part);
        if symmetric.is_some() && output.is_some() && is_part {
            session.note(format!(
                "{}: the reason is a part of what --symmetry explores, where each state stands for \
                 all that it can be exchanged with; --validate it with --symmetry",
                formula.name
            ));
        }
        Ok(answer)
    }

    fn decided(
        &self,
        session: &mut Session,
        formula: &Formula,
        subject: &Subject<'_>,
        output: Option<&LtsOutput>,
        name: &str,
    ) -> Result<Result<Answer, DecideError>, Failure> {
        let property = &formula.property;
        let checked = session.phase("check", |phase| {
            let bar = phase.progress("checking", Unit::States, None);
            let mut progress = |states: usize, _: usize| {
                bar.set(states as u64);
                ControlFlow::Continue(())
            };
            let options = CheckOptions {
                evidence: self.shows_reasons() || self.junit.is_some() || output.is_some(),
                parts: output.is_some() || self.diag.is_some(),
                residues: output.is_some_and(|output| !traces::is_chain(output.format)),
                ..self.check_options(&mut progress)
            };
            Ok(match subject {
                Subject::Lts(lts) => check_lts(property, lts, options).map(Ok),
                Subject::Model { model, is_quick } => {
                    let options = CheckOptions {
                        looks_ahead: *is_quick,
                        ..options
                    };
                    check_model(property, *model, options).map(Ok)
                }
                Subject::Open(verdict) => Ok(Err(*verdict)),
            })
        })?;
        let checked = match checked {
            Ok(Ok(checked)) => checked,
            Ok(Err(verdict)) => return Ok(Ok(Answer::open(verdict, 0))),
            Err(error) => return Ok(Err(error)),
        };
        let Checked {
            verdict,
            evidence,
            unshown,
            whole,
            labels,
            explanations,
            packed,
            states,
            transitions,
        } = checked;
        session.detail(format!(
            "{}: {}, {}",
            formula.name,
            counted(states, "state"),
            counted(transitions, "transition")
        ));
        let mut answer = Answer::open(verdict, states);
        answer.transitions = transitions;
        answer.unshown = unshown.map(|error| formula.failed(&error, name));
        answer.reason = evidence.map(|evidence| match evidence {
            Evidence::Way(way) => Reason::of_way(way, labels, explanations, packed, whole),
            Evidence::Part(part) => Reason::Part(part),
        });
        Ok(Ok(answer))
    }
}
