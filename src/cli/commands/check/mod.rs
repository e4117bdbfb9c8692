//! `check`: temporal logic on files, networks, systems of machines and models.

mod formulas;
mod reasons;

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use hyades_check::syntax::Property;
use hyades_check::{
    CheckOptions, Checked, Evidence, Verdict, check_lts, check_model, matched_labels,
    unused_actions,
};
use hyades_equivalence::{Relation, minimize};
use hyades_explore::{Erased, ExploreOptions, Goal, Limits, Model, Relabelled};
use hyades_formats::{LabelTable, Lts};
use hyades_lts::Numbering;
use hyades_lts::relabel::Rules;
use serde_json::{Value, json};

use crate::refine::unreduced;
use formulas::{Formula, FormulaOptions};
use hyades_cli_core::answer::json_text;
use hyades_cli_core::{
    AnswerOptions, AnyModel, Command, Destination, DialectOption, Epilogue, ExploreSystemOptions,
    Failure, FilterOptions, Given, InputOption, LabelOptions, LimitOptions, LtsOutput,
    ModelOptions, ReadOptions, RunOptions, Session, Status, Unit, WriteOptions, memory,
};
use reasons::Reason;

const EPILOGUE: Epilogue = Epilogue {
    example: "check -f '[true*] <true> true' big.aut.gz && echo no deadlock",
    asks: true,
    open: "a limit (--max-states, --max-memory, --channel-bound) was reached",
};

/// Decide formulas of temporal logic: MCL, as CADP's evaluators, or mCRL2's modal
/// formulas
///
/// One line a formula, TRUE, FALSE or UNKNOWN, of several with their names. Files
/// that end in .mcl or .mcf are formulas; another one is INPUT, which is standard input
/// if it is not named. INPUT is an LTS, a network (.exp), a system of machines (.toml)
/// or a model plugin (.so), whose states are computed as far as they are needed.
///
/// On a terminal, with --diag or with -o, the reason follows: the shortest trace where
/// one shows it, which may end in a circle, or lead to where something holds or does
/// not; else, for -o, the part of INPUT in which the formula has the same verdict
/// whatever else there is.
#[derive(Parser)]
#[command(name = "check", version, after_help = EPILOGUE.text())]
pub struct Check {
    #[command(flatten)]
    formulas: FormulaOptions,

    /// The input and files with formulas (.mcl, .mcf), in any order
    #[arg(value_name = "FILE", help_heading = "Input", display_order = 0)]
    files: Vec<PathBuf>,

    /// Show the reason, or write it to FILE (as -o does); with a FILE elsewhere than at
    /// the end of the line, write --diag=FILE
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "-",
        conflicts_with = "output",
        help_heading = "Output"
    )]
    diag: Option<PathBuf>,

    /// Whether TRACE (.seq, .trc, or another LTS that is one chain) shows the verdict
    #[arg(long, value_name = "TRACE", help_heading = "Questions")]
    verify: Option<PathBuf>,

    /// Print the formulas without their macros, and end
    #[arg(long, group = "printed", help_heading = "Questions")]
    expand: bool,

    /// Print the labels of INPUT that each action formula matches, and end
    #[arg(long, group = "printed", help_heading = "Questions")]
    labels: bool,

    /// `bfs` or `dfs`, which makes no difference: reasons are shortest
    #[arg(long, value_name = "ORDER", hide = true)]
    search: Option<Search>,

    /// Minimise INPUT by this relation first; strong keeps all formulas
    #[arg(
        short = 'e',
        long = "equivalence",
        value_name = "RELATION",
        help_heading = "Input"
    )]
    equivalence: Option<Relation>,

    /// Write a report in the form of JUnit to FILE, a test case for each formula
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    junit: Option<PathBuf>,

    #[command(flatten)]
    relabel: LabelOptions,
    #[command(flatten)]
    model: ModelOptions,
    #[command(flatten)]
    systems: ExploreSystemOptions,
    #[command(flatten)]
    answer: AnswerOptions,
    #[command(flatten)]
    write: WriteOptions,
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

/// What is checked.
enum Subject<'m> {
    Lts(Lts),
    /// With its labels changed.
    Model(Erased<'m>),
}

impl Subject<'_> {
    /// The labels that are known beforehand, if all are: those of a file or a network.
    fn labels(&self) -> LabelTable {
        match self {
            Subject::Lts(lts) => lts.table().clone(),
            Subject::Model(model) => model.labels().into_owned(),
        }
    }
}

impl Command for Check {
    const NAME: &'static str = "check";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(mut self, session: &mut Session) -> Result<Status, Failure> {
        session.limit_states(self.limits.max_states);
        let input = self.input()?;
        let formulas = self.formulas.read(session, &self.files)?;
        if self.expand {
            return self.print(session, &formulas);
        }
        let filter = FilterOptions {
            write: self.write.clone(),
            input: InputOption { input },
            read: self.read.clone(),
            dialect: self.dialect.clone(),
            run: self.run.clone(),
        };
        if let Some(path) = self.diag.take_if(|path| *path != Path::new("-")) {
            self.write = self.write.at(Some(&path));
        }
        let output = self.write.witness(session, &self.dialect)?;
        if output.is_some() && formulas.len() > 1 {
            return Err(Failure::error(
                "-o takes the reason of one formula, and there are several: check them one by one",
            ));
        }
        let destinations: Vec<&Destination> = output.iter().map(|o| &o.destination).collect();
        session.check_outputs(&[&filter.input.input], &destinations)?;
        memory::set_last_words(unknown(&formulas));
        let name = self.model.name(&filter.input.input);
        let (model, rules) = self.read_model(session, &filter, &name)?;
        let fails = |e: &dyn Display| Failure::error(format!("{name}: {e}"));
        // One model, whose labels are changed or not.
        let mut relabelled = None;
        let (lts, model) = match model {
            AnyModel::Lts(lts) if rules.is_empty() => (Some(lts), None),
            model => (None, Some(model)),
        };
        let subject = match (lts, &model) {
            (Some(lts), _) => Subject::Lts(lts),
            (None, None) => unreachable!("it is the one or the other"),
            (None, Some(model)) => {
                let own = Relabelled::new(model.erased(), rules, b"i").map_err(|e| fails(&e))?;
                let own = relabelled.insert(own);
                match matches!(model, AnyModel::Lts(_)) || self.equivalence.is_some() {
                    true => Subject::Lts(self.state_space(session, own.erased(), &name)?),
                    false => Subject::Model(own.erased()),
                }
            }
        };
        let subject = match (subject, self.equivalence) {
            (Subject::Lts(lts), Some(relation)) => {
                Subject::Lts(session.phase("minimize", |_| {
                    let minimized = minimize(lts, relation);
                    Ok(minimized.map_err(|e| Failure::error(e.to_string()))?.lts)
                })?)
            }
            (subject, _) => subject,
        };
        if self.labels {
            memory::forget_last_words();
            return self.print_labels(session, &subject, &formulas);
        }
        let mut answers = Vec::new();
        for formula in &formulas {
            let table = subject.labels();
            for warning in unused_actions(&formula.property, &table) {
                formulas::warn(session, &formula.file, &warning);
            }
            answers.push(self.answer(session, formula, &subject, output.as_ref(), &name)?);
        }
        if let Some(model) = &model {
            model.finish().map_err(|e| fails(&e))?;
        }
        memory::forget_last_words();
        self.tell(session, &formulas, &answers)?;
        if let (Some(output), [answer]) = (&output, &answers[..]) {
            let witness = answer
                .reason
                .as_ref()
                .map(|reason| reason.to_lts(output.format));
            session.write_witness(output, witness.transpose()?.flatten().as_ref())?;
        }
        Ok(answers
            .iter()
            .map(|answer| answer.status())
            .max_by_key(|status| rank(*status))
            .unwrap_or(Status::Holds))
    }
}

/// A formula that is not decided weighs more than one that does not hold.
fn rank(status: Status) -> u8 {
    match status {
        Status::Holds => 0,
        Status::Fails => 1,
        Status::NoVerdict => 2,
        Status::Trouble => 3,
    }
}

/// What is said of formulas without verdicts.
fn unknown(formulas: &[Formula]) -> Vec<u8> {
    let line = |formula: &Formula| match formulas.len() {
        1 => "UNKNOWN\n".to_owned(),
        _ => format!("{}: UNKNOWN\n", formula.name),
    };
    formulas.iter().map(line).collect::<String>().into()
}

/// What there is to say of a formula.
struct Answer {
    verdict: Verdict,
    /// The verdict that a trace was to show, and whether it does.
    shows: Option<bool>,
    reason: Option<Reason>,
    states: usize,
    transitions: usize,
}

impl Answer {
    fn word(&self) -> &'static str {
        match (self.shows, self.verdict) {
            (Some(true), _) | (None, Verdict::True) => "TRUE",
            (Some(false), _) | (None, Verdict::False) => "FALSE",
            (None, Verdict::Limit(_) | Verdict::Truncated | Verdict::Interrupted) => "UNKNOWN",
        }
    }

    fn status(&self) -> Status {
        match self.word() {
            "TRUE" => Status::Holds,
            "FALSE" => Status::Fails,
            _ => Status::NoVerdict,
        }
    }
}

impl Check {
    /// The input among the files.
    fn input(&mut self) -> Result<PathBuf, Failure> {
        let is_formula = |path: &PathBuf| {
            let ending = path.extension().and_then(|e| e.to_str());
            ending.is_some_and(|e| e == "mcl" || e == "mcf" || e == "xtl")
        };
        let (formulas, mut others): (Vec<PathBuf>, Vec<PathBuf>) =
            self.files.drain(..).partition(is_formula);
        self.files = formulas;
        match others.len() {
            0 => Ok("-".into()),
            1 => Ok(others.remove(0)),
            _ => Err(Failure::error(format!(
                "{} and {} are both inputs: a file with a formula ends in .mcl or .mcf, or is \
                 given by --formula FILE",
                others[0].display(),
                others[1].display()
            ))),
        }
    }

    /// Whether reasons are shown beside verdicts.
    fn shows_reasons(&self) -> bool {
        self.diag.is_some() || self.answer.is_json() || Destination::stdout().is_terminal()
    }

    fn print(&self, session: &mut Session, formulas: &[Formula]) -> Result<Status, Failure> {
        let mut text = String::new();
        for formula in formulas {
            text.push_str(&formula.expanded);
            text.push('\n');
        }
        self.answer.write(session, "text", text.as_bytes())?;
        Ok(Status::Holds)
    }

    /// The input, and how its labels are changed.
    fn read_model(
        &self,
        session: &mut Session,
        filter: &FilterOptions,
        name: &str,
    ) -> Result<(AnyModel, Vec<Rules>), Failure> {
        if self.model.symmetry().is_of_network() {
            return Err(Failure::error(
                "--symmetry is not known to keep what formulas say of labels: check without it",
            ));
        }
        match self.equivalence {
            None | Some(Relation::Strong) => {}
            Some(relation) => {
                return Err(Failure::error(format!(
                    "-e {relation} keeps some formulas only: -e strong keeps all (to check the \
                     quotient all the same: minimize -e {relation} | check …)"
                )));
            }
        }
        let given = session.read_model(filter, &self.model)?;
        self.systems.check(&given, name)?;
        let gates = match &given {
            Given::System(..) | Given::Model(AnyModel::Plugin(_)) => filter.read.gate_rules()?,
            Given::Network(_) | Given::Model(_) => None,
        };
        let told = self.relabel.get(session, &[])?;
        let rules = told.into_iter().map(|told| told.rules);
        let rules = gates.into_iter().chain(rules).collect();
        Ok((unreduced(given, &self.systems)?, rules))
    }

    /// The whole state space of a model.
    fn state_space(
        &self,
        session: &mut Session,
        model: Erased<'_>,
        name: &str,
    ) -> Result<Lts, Failure> {
        let lts = session.phase("reach", |_| {
            let options = ExploreOptions {
                limits: self.explore_limits(),
                ..ExploreOptions::default()
            };
            let goal = Goal::Lts(Numbering::BreadthFirst);
            let reached = hyades_explore::reach(model, options, goal, |_| ());
            Ok(reached
                .map_err(|e| Failure::error(format!("{name}: {e}")))?
                .0)
        })?;
        lts.ok_or_else(|| {
            Failure::error(format!(
                "{name}: a limit was reached before all states were found, which this needs"
            ))
        })
    }

    fn explore_limits(&self) -> Limits {
        Limits {
            max_states: self.limits.max_states,
            max_memory: memory::rest(),
        }
    }

    fn answer(
        &self,
        session: &mut Session,
        formula: &Formula,
        subject: &Subject<'_>,
        output: Option<&LtsOutput>,
        name: &str,
    ) -> Result<Answer, Failure> {
        let property = &formula.property;
        let fails = |e: &dyn Display| Failure::error(format!("{}: {e} (of {name})", formula.file));
        if let Some(path) = &self.verify {
            return self.verified(session, property, subject, path, formula);
        }
        let checked = session.phase("check", |phase| {
            let bar = phase.progress("checking", Unit::States, None);
            let mut progress = |states: usize, _: usize| {
                bar.set(states as u64);
                std::ops::ControlFlow::Continue(())
            };
            let options = CheckOptions {
                limits: self.explore_limits(),
                evidence: self.shows_reasons() || output.is_some(),
                parts: output.is_some(),
                progress: Some(&mut progress),
            };
            let checked = match subject {
                Subject::Lts(lts) => check_lts(property, lts, options),
                Subject::Model(model) => check_model(property, *model, options),
            };
            checked.map_err(|e| fails(&e))
        })?;
        let Checked {
            verdict,
            evidence,
            labels,
            explanations,
            states,
            transitions,
        } = checked;
        session.add_figure("states", states);
        match verdict {
            Verdict::True | Verdict::False => {}
            Verdict::Limit(limit) => session.tell_why(format!(
                "{}: a limit was reached ({limit:?}) after {states} states",
                formula.name
            )),
            Verdict::Truncated => session.tell_why(format!(
                "{}: the model does not go on from some states (--channel-bound)",
                formula.name
            )),
            Verdict::Interrupted => session.tell_why("interrupted"),
        }
        Ok(Answer {
            verdict,
            shows: None,
            reason: evidence.map(|evidence| match evidence {
                Evidence::Way(way) => Reason::of_way(way, labels, explanations),
                Evidence::Part(part) => Reason::Part(part),
            }),
            states,
            transitions,
        })
    }

    /// Whether a trace shows the verdict.
    fn verified(
        &self,
        session: &mut Session,
        property: &Property,
        subject: &Subject<'_>,
        path: &Path,
        formula: &Formula,
    ) -> Result<Answer, Failure> {
        let Subject::Lts(lts) = subject else {
            return Err(Failure::error(
                "--verify is for an LTS: generate it first (reach INPUT -o FILE)",
            ));
        };
        let trace = session.read(path, &self.read, &self.dialect)?;
        let labels = reasons::chain(&trace).ok_or_else(|| {
            Failure::error(format!(
                "{}: expected a trace, and this is an LTS that is no chain",
                path.display()
            ))
        })?;
        let shows = hyades_check::decide::verify_trace(property, lts, &labels)
            .map_err(|e| Failure::error(format!("{}: {e}", formula.file)))?;
        Ok(Answer {
            verdict: Verdict::True,
            shows: Some(shows),
            reason: None,
            states: lts.states(),
            transitions: lts.transitions(),
        })
    }

    fn tell(
        &self,
        session: &mut Session,
        formulas: &[Formula],
        answers: &[Answer],
    ) -> Result<(), Failure> {
        if let Some(path) = &self.junit {
            let cases = formulas.iter().zip(answers);
            let cases = cases.map(|(formula, answer)| (&*formula.name, answer.word()));
            let text = reasons::junit(&cases.collect::<Vec<_>>());
            session.write_text(&Destination::new(path)?, "xml", text.as_bytes())?;
        }
        if self.answer.is_json() {
            let object = |(formula, answer): (&Formula, &Answer)| {
                let verdict = match answer.word() {
                    "TRUE" => Value::Bool(true),
                    "FALSE" => Value::Bool(false),
                    _ => Value::Null,
                };
                json!({
                    "name": formula.name,
                    "formula": formula.property.text(),
                    "verdict": verdict,
                    "states": answer.states,
                    "transitions": answer.transitions,
                    "reason": answer.reason.as_ref().map(Reason::json),
                })
            };
            let all: Vec<Value> = formulas.iter().zip(answers).map(object).collect();
            let text = json_text(&json!({ "formulas": all }));
            return self.answer.write(session, "json", text.as_bytes());
        }
        let mut text: Vec<u8> = Vec::new();
        for (formula, answer) in formulas.iter().zip(answers) {
            let word = answer.word();
            let line = match formulas.len() {
                1 => format!("{word}\n"),
                _ => format!("{}: {word}\n", formula.name),
            };
            text.extend_from_slice(line.as_bytes());
        }
        if self.shows_reasons() {
            for (formula, answer) in formulas.iter().zip(answers) {
                let Some(reason) = &answer.reason else {
                    continue;
                };
                if formulas.len() > 1 {
                    text.extend(format!("*** {}\n", formula.name).into_bytes());
                }
                let (shown, note) = reason.text(self.answer.form(), self.write.visible_i());
                text.extend(shown);
                if let Some(note) = note {
                    session.note(note);
                }
            }
        }
        self.answer.write_traces(session, &text)
    }

    fn print_labels(
        &self,
        session: &mut Session,
        subject: &Subject<'_>,
        formulas: &[Formula],
    ) -> Result<Status, Failure> {
        let table = subject.labels();
        let mut text = String::new();
        for formula in formulas {
            for (action, labels) in matched_labels(&formula.property, &table) {
                text.push_str(&format!("{action}:\n"));
                for label in labels {
                    text.push_str(&format!("    {label}\n"));
                }
            }
        }
        self.answer.write(session, "text", text.as_bytes())?;
        Ok(Status::Holds)
    }
}
