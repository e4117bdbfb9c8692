//! `check`: temporal logic on files, networks, systems of machines and models.

mod formulas;
mod junit;
mod reasons;
mod reductions;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use hyades_check::decide::{DecideError, Shown, part_shows, trace_shows};
use hyades_check::domains::Given as Domains;
use hyades_check::syntax::Property;
use hyades_check::within::ends_in_deadlock;
use hyades_check::{
    CheckOptions, Checked, Evidence, Verdict, check_lts, check_model, matched_labels,
    unused_actions, vacuous,
};
use hyades_equivalence::{Relation, minimize};
use hyades_explore::{
    Erased, ExploreOptions, Goal, Limit, Limits, Model, ModelError, Outcome, Relabelled,
};
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::{LabelTable, Lts, LtsBuilder, StateId, TooLarge, TraceForm};
use hyades_lts::relabel::Rules;
use hyades_lts::{Numbering, reachable_states};
use hyades_network::NetworkModel;
use hyades_network::por::ReducedModel;
use hyades_network::symmetry::SymmetricModel;
use serde_json::{Value, json};

use crate::refine::unreduced;
use formulas::{Formula, FormulaOptions};
use hyades_cli_core::answer::json_text;
use hyades_cli_core::{
    AnswerOptions, AnyModel, Asks, Command, Destination, DialectOption, Epilogue,
    ExploreSystemOptions, Failure, FilterOptions, Given, InputOption, LabelOptions, LimitOptions,
    LtsOutput, ModelOptions, ReadOptions, RunOptions, Session, Status, Unit, Verbosity,
    WriteOptions, memory,
};
use junit::Case;
use reasons::Reason;
use reductions::{ReductionOptions, check_symmetry};

const EPILOGUE: Epilogue = Epilogue {
    example: "check -f '[true*] <true> true' big.aut.gz && echo no deadlock",
    asks: Asks::Verdict,
    open: "a limit (--max-states, --max-memory, --max-instances, --channel-bound) was reached",
};

/// Decide formulas of temporal logic: CADP's MCL, mCRL2's modal formulas
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
/// else, for -o, the part of INPUT in which the formula has the same verdict whatever
/// else there is.
///
/// -e minimises INPUT first, and --por explores less of it, for the formulas that are
/// known to have the same verdict then; a note names the others, which are decided
/// without.
#[derive(Parser)]
#[command(name = "check", version, after_help = EPILOGUE.text())]
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
    /// state
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000_000,
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "Limits"
    )]
    max_instances: u64,

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
        conflicts_with = "output",
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

/// What is to be shown to be a reason.
struct Witness {
    part: Lts,
    /// Whether it is a sequence that ends with `<deadlock>`.
    deadlock: bool,
}

/// Whether a reason shows a verdict in one way or another.
fn either(one: Shown, other: Shown) -> Shown {
    match (one, other) {
        (Shown::Yes, _) | (_, Shown::Yes) => Shown::Yes,
        // What is no part of the input is not looked at further.
        (_, Shown::No(Some(_))) => other,
        (Shown::Open(_), _) => one,
        (Shown::No(_), _) => other,
    }
}

/// What is checked.
enum Subject<'m> {
    Lts(Cow<'m, Lts>),
    /// With its labels changed.
    Model(Erased<'m>),
    /// Not all of it is known, and this is why.
    Open(Verdict),
}

impl Subject<'_> {
    /// The labels that are known beforehand, if all are: those of a file or a network.
    fn labels(&self) -> LabelTable {
        match self {
            Subject::Lts(lts) => lts.table().clone(),
            Subject::Model(model) => model.labels().into_owned(),
            Subject::Open(_) => LabelTable::new(),
        }
    }
}

/// The input, as it is and as it is reduced.
struct Inputs {
    whole: AnyModel,
    /// With fewer interleavings.
    reduced: Option<AnyModel>,
    /// How labels are changed.
    rules: Arc<[Rules]>,
    /// Which formulas are decided on what is reduced.
    is_reduced: Vec<bool>,
}

impl Inputs {
    fn finish(&self) -> Result<(), ModelError> {
        self.whole.finish()?;
        self.reduced.iter().try_for_each(AnyModel::finish)
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
        let (mut formulas, included) = self.formulas.read(session, &self.files)?;
        session.spare(included.iter().map(PathBuf::from));
        let domains = self.formulas.domains(session, &formulas)?;
        if self.expand || self.depend {
            return self.print(session, &formulas, &included);
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
        memory::set_last_words(unknown(&formulas));
        let name = self.model.name(&filter.input.input);
        let inputs = self.read_inputs(session, &filter, &name, &mut formulas, &domains)?;
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

/// A formula that is not decided weighs more than one that does not hold, and one that
/// cannot be decided more than both.
fn rank(status: Status) -> u8 {
    match status {
        Status::Holds => 0,
        Status::Fails => 1,
        Status::NoVerdict => 2,
        Status::Trouble => 3,
    }
}

/// An LTS of one state, with the labels that occur where an LTS can be.
fn occurring(lts: &Lts) -> Result<Lts, TooLarge> {
    let seen = reachable_states(lts);
    let mut is_used = vec![false; lts.table().len()];
    for state in (0..lts.states()).filter(|state| seen.contains(*state)) {
        for label in &lts.labels()[lts.row(StateId::from_index(state))] {
            is_used[label.index()] = true;
        }
    }
    let mut labels = LtsBuilder::new(1);
    for (label, text) in lts.table().visible() {
        if is_used[label.index()] {
            labels.add_text(0, text, 0)?;
        }
    }
    labels.build(StateId::new(0))
}

/// Warns of what a formula says of labels and words that there are not.
fn warn(session: &Session, formula: &Formula, subject: &Subject<'_>) {
    if session.verbosity() < Verbosity::Normal {
        return;
    }
    let Formula { property, file, .. } = formula;
    let mut warnings = match subject {
        Subject::Open(_) => return,
        Subject::Lts(_) | Subject::Model(_) => unused_actions(property, &subject.labels()),
    };
    if let (Subject::Lts(lts), true) = (subject, warnings.is_empty()) {
        // Where an expression has no value is told with the verdict that there is not.
        warnings = vacuous(property, lts).unwrap_or_default();
    }
    for warning in &warnings {
        formulas::warn(session, file, warning);
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
    /// Why there is no verdict.
    why: Option<String>,
    /// Why there cannot be one.
    error: Option<String>,
    reason: Option<Reason>,
    states: usize,
    transitions: usize,
    elapsed: Duration,
}

impl Answer {
    /// A verdict after so many states, without a reason.
    fn open(verdict: Verdict, states: usize) -> Self {
        let is_known = matches!(verdict, Verdict::True | Verdict::False);
        Self {
            verdict,
            why: (!is_known).then(|| why(verdict, states)),
            error: None,
            reason: None,
            states,
            transitions: 0,
            elapsed: Duration::ZERO,
        }
    }

    /// That there cannot be a verdict.
    fn failed(error: String) -> Self {
        Self {
            error: Some(error),
            why: None,
            ..Self::open(Verdict::Interrupted, 0)
        }
    }

    fn word(&self) -> &'static str {
        if self.error.is_some() {
            return "ERROR";
        }
        match self.verdict {
            Verdict::True => "TRUE",
            Verdict::False => "FALSE",
            Verdict::Limit(_) | Verdict::Instances | Verdict::Truncated | Verdict::Interrupted => {
                "UNKNOWN"
            }
        }
    }

    fn verdict_json(&self) -> Value {
        match self.verdict {
            Verdict::True => true.into(),
            Verdict::False => false.into(),
            Verdict::Limit(_) | Verdict::Instances | Verdict::Truncated | Verdict::Interrupted => {
                Value::Null
            }
        }
    }

    fn is_known(&self) -> bool {
        matches!(self.verdict, Verdict::True | Verdict::False)
    }

    fn status(&self) -> Status {
        if self.error.is_some() {
            return Status::Trouble;
        }
        match self.verdict {
            Verdict::True => Status::Holds,
            Verdict::False => Status::Fails,
            Verdict::Limit(_) | Verdict::Instances | Verdict::Truncated | Verdict::Interrupted => {
                Status::NoVerdict
            }
        }
    }

    /// Makes a trace of the network of one up to symmetry.
    fn replay(&mut self, model: &SymmetricModel<'_>) -> Result<(), Failure> {
        let Some(reason) = &mut self.reason else {
            return Ok(());
        };
        let network = LazyCell::new(|| NetworkModel::new(model.symmetry().network().clone()));
        let explain = |source: &[u64], label: Option<&[u8]>, target: &[u64]| {
            network.explain(source, label, target)
        };
        let replayed = reason.replay(|trace| model.replay(trace), &explain);
        replayed.map_err(|e| Failure::error(e.to_string()))
    }
}

/// Why there is no verdict.
fn why(verdict: Verdict, states: usize) -> String {
    let after = match states {
        0 => String::new(),
        states => format!(" after {}", counted(states, "state")),
    };
    match verdict {
        Verdict::True | Verdict::False => String::new(),
        Verdict::Limit(Limit::States | Limit::Hidden) => format!("gave up{after} (--max-states)"),
        Verdict::Limit(Limit::Memory) => format!("gave up{after} (--max-memory)"),
        Verdict::Limit(Limit::Channels) => {
            format!("gave up{after} (--channel-bound: a channel holds more messages)")
        }
        Verdict::Instances => "gave up: fixpoints have more values of parameters than \
                               --max-instances allows; a condition should bound them"
            .into(),
        Verdict::Truncated => {
            "states behind an overfilled channel are left out; --beyond-overfilled".into()
        }
        Verdict::Interrupted => "stopped".into(),
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

    fn print(
        &self,
        session: &mut Session,
        formulas: &[Formula],
        included: &[String],
    ) -> Result<Status, Failure> {
        let mut text = String::new();
        match self.depend {
            true => {
                for file in included {
                    text.push_str(&printable_path(Path::new(file)));
                    text.push('\n');
                }
            }
            false => formulas
                .iter()
                .for_each(|f| text.push_str(&f.without_macros())),
        }
        self.answer.write(session, "text", text.as_bytes())?;
        Ok(Status::Holds)
    }

    /// The input, how its labels are changed, and what is reduced for which formulas.
    fn read_inputs(
        &self,
        session: &mut Session,
        filter: &FilterOptions,
        name: &str,
        formulas: &mut [Formula],
        domains: &Domains,
    ) -> Result<Inputs, Failure> {
        let symmetry = self.model.symmetry();
        symmetry.check_inputs(&[&filter.input.input])?;
        let given = session.read_model(filter, &self.model)?;
        self.systems.check(&given, name)?;
        symmetry.check(&given, name)?;
        let gates = match &given {
            Given::System(..) | Given::Model(AnyModel::Plugin(_)) => filter.read.gate_rules()?,
            Given::Network(_) | Given::Model(_) => None,
        };
        let told = self.relabel.get(session, &[])?;
        let rules = told.into_iter().map(|told| told.rules);
        let rules: Vec<Rules> = gates.into_iter().chain(rules).collect();
        if symmetry.is_of_network() {
            return self.symmetric(session, given, &rules, formulas, domains);
        }
        let reduction = self.reductions.por();
        let reduced = match (&given, reduction) {
            (Given::Network(network), Some(reduction)) => {
                let model = NetworkModel::new((**network).clone());
                Some(AnyModel::Reduced(Box::new(ReducedModel::new(
                    model, reduction,
                ))))
            }
            (_, Some(_)) => {
                return Err(Failure::error(format!(
                    "--por is for networks (.exp), and {name} is none"
                )));
            }
            (_, None) => None,
        };
        let is_reduced = match self.matched_labels {
            true => vec![false; formulas.len()],
            false => self
                .reductions
                .decide(session, formulas, self.relabel.cuts()),
        };
        let whole = unreduced(given, &self.systems)?;
        let rules: Arc<[Rules]> = rules.into();
        if formulas.iter().any(Formula::needs_labels) {
            let labels_of = |model: Erased<'_>| {
                let relabelled = Relabelled::new(model, Arc::clone(&rules), b"i");
                let relabelled = relabelled.map_err(|e| Failure::error(format!("{name}: {e}")))?;
                Ok::<_, Failure>(relabelled.labels().into_owned())
            };
            let labels = match &whole {
                // It tells labels on the way.
                AnyModel::Plugin(_) => None,
                // What cannot be reached is no part of what it means.
                AnyModel::Lts(lts) => {
                    let occurring = occurring(lts).map_err(|e| Failure::error(e.to_string()))?;
                    Some(labels_of(occurring.erased())?)
                }
                model => Some(labels_of(model.erased())?),
            };
            for formula in &mut *formulas {
                formula.give_domains(session, labels.as_ref(), domains)?;
            }
        }
        Ok(Inputs {
            whole,
            reduced,
            rules,
            is_reduced,
        })
    }

    /// A network up to symmetry, if no formula tells labels apart that it exchanges.
    fn symmetric(
        &self,
        session: &mut Session,
        given: Given,
        rules: &[Rules],
        formulas: &mut [Formula],
        domains: &Domains,
    ) -> Result<Inputs, Failure> {
        let Given::Network(mut network) = given else {
            unreachable!("symmetries of other models have been refused");
        };
        if self.reductions.por().is_some() || self.reductions.relation().is_some() {
            return Err(Failure::error(
                "-e or --por and --symmetry cannot be had at once: take one of them",
            ));
        }
        if !rules.is_empty() {
            let relabelled = network.relabelled(rules, b"i");
            *network = relabelled.map_err(|error| Failure::error(error.to_string()))?;
        }
        let model = self.model.symmetry().model(session, *network)?;
        for formula in &mut *formulas {
            let labels = model.symmetry().network().labels();
            formula.give_domains(session, Some(labels), domains)?;
        }
        check_symmetry(&model, formulas)?;
        Ok(Inputs {
            whole: AnyModel::Symmetric(Box::new(model)),
            reduced: None,
            rules: Arc::new([]),
            is_reduced: vec![false; formulas.len()],
        })
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
        for (formula, is_reduced) in formulas.iter().zip(&inputs.is_reduced) {
            let subject = if *is_reduced { &reduced } else { &whole };
            let subject = subject.as_ref().expect("what a formula needs is there");
            warn(session, formula, subject);
            let start = Instant::now();
            let symmetric = match &inputs.whole {
                AnyModel::Symmetric(model) => Some(&**model),
                _ => None,
            };
            let mut answer = self.answer(session, formula, subject, output, name, symmetric)?;
            if let Some(model) = symmetric {
                answer.replay(model)?;
            }
            answer.elapsed = start.elapsed();
            answers.push(answer);
        }
        Ok(Some(answers))
    }

    /// What is checked of a model: with other labels, minimised by a relation.
    fn subject<'m>(
        &self,
        session: &mut Session,
        model: &'m AnyModel,
        inputs: &Inputs,
        relation: Option<Relation>,
        own: &'m mut Option<Relabelled<Erased<'m>>>,
        name: &str,
    ) -> Result<Subject<'m>, Failure> {
        let lts = match model {
            AnyModel::Lts(lts) if inputs.rules.is_empty() => Cow::Borrowed(lts),
            model => {
                let relabelled = Relabelled::new(model.erased(), Arc::clone(&inputs.rules), b"i");
                let relabelled = relabelled.map_err(|e| Failure::error(format!("{name}: {e}")))?;
                let relabelled = own.insert(relabelled);
                if !matches!(model, AnyModel::Lts(_)) && relation.is_none() {
                    return Ok(Subject::Model(relabelled.erased()));
                }
                match self.state_space(session, relabelled.erased(), name)? {
                    Ok(lts) => Cow::Owned(lts),
                    Err(open) => return Ok(Subject::Open(open)),
                }
            }
        };
        let Some(relation) = relation else {
            return Ok(Subject::Lts(lts));
        };
        session.phase("minimize", |_| {
            let minimized = minimize(lts.into_owned(), relation);
            let minimized = minimized.map_err(|e| Failure::error(e.to_string()))?;
            Ok(Subject::Lts(Cow::Owned(minimized.lts)))
        })
    }

    /// The whole state space of a model, or why there is none.
    fn state_space(
        &self,
        session: &mut Session,
        model: Erased<'_>,
        name: &str,
    ) -> Result<Result<Lts, Verdict>, Failure> {
        session.phase("explore", |phase| {
            let bar = phase.progress("exploring", Unit::States, None);
            let mut report = bar.explored();
            let options = ExploreOptions {
                limits: self.explore_limits(),
                progress: Some(&mut report),
                ..ExploreOptions::default()
            };
            let goal = Goal::Lts(Numbering::BreadthFirst);
            let reached = hyades_explore::reach(model, options, goal, |found| found.outcome);
            let (lts, outcome) = reached.map_err(|e| Failure::error(format!("{name}: {e}")))?;
            Ok(match (lts, outcome) {
                (Some(lts), _) if !model.was_truncated() => Ok(lts),
                (_, Some(Outcome::LimitReached(limit))) => Err(Verdict::Limit(limit)),
                (None, Some(Outcome::Stopped)) => Err(Verdict::Interrupted),
                (_, Some(_) | None) => Err(Verdict::Truncated),
            })
        })
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
            max_instances: Some(self.max_instances),
            progress: Some(progress),
        }
    }

    /// The answer to one formula; an error of its own is one, too.
    fn answer(
        &self,
        session: &mut Session,
        formula: &Formula,
        subject: &Subject<'_>,
        output: Option<&LtsOutput>,
        name: &str,
        symmetric: Option<&SymmetricModel<'_>>,
    ) -> Result<Answer, Failure> {
        let found = match &self.validate {
            Some(path) => {
                let table = subject.labels();
                let is_visible = |text: &[u8]| table.find(text).is_some();
                let (read, write) = (&self.read, &self.write);
                let (part, deadlock) =
                    session.read_witness(path, read, write, &self.dialect, is_visible)?;
                let given = Witness { part, deadlock };
                self.verified(session, formula, subject, &given, symmetric)?
            }
            None => self.decided(session, formula, subject, output)?,
        };
        let answer = found.unwrap_or_else(|error| Answer::failed(formula.failed(&error, name)));
        if let Some(error) = &answer.error {
            session.error(error);
        }
        if let Some(why) = &answer.why {
            session.tell_why(format!("{}: {why}", formula.name));
        }
        if output.is_some() && answer.reason.is_none() && answer.is_known() {
            session.note(format!(
                "{}: the verdict stands, but a limit was reached before its reason was found",
                formula.name
            ));
        }
        if symmetric.is_some() && matches!(answer.reason, Some(Reason::Part(_))) {
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
    ) -> Result<Result<Answer, DecideError>, Failure> {
        let property = &formula.property;
        let checked = session.phase("check", |phase| {
            let bar = phase.progress("checking", Unit::States, None);
            let mut progress = |states: usize, _: usize| {
                bar.set(states as u64);
                ControlFlow::Continue(())
            };
            let options = CheckOptions {
                evidence: self.shows_reasons() || output.is_some(),
                parts: output.is_some(),
                ..self.check_options(&mut progress)
            };
            Ok(match subject {
                Subject::Lts(lts) => check_lts(property, lts, options).map(Ok),
                Subject::Model(model) => check_model(property, *model, options).map(Ok),
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
        answer.reason = evidence.map(|evidence| match evidence {
            Evidence::Way(way) => Reason::of_way(way, labels, explanations, packed),
            Evidence::Part(part) => Reason::Part(part),
        });
        Ok(Ok(answer))
    }

    /// Whether a trace or a part of the input shows the verdict.
    fn verified(
        &self,
        session: &mut Session,
        formula: &Formula,
        subject: &Subject<'_>,
        given: &Witness,
        symmetric: Option<&SymmetricModel<'_>>,
    ) -> Result<Result<Answer, DecideError>, Failure> {
        session.phase("check", |phase| {
            let bar = phase.progress("checking", Unit::States, None);
            let mut progress = |states: usize, _: usize| {
                bar.set(states as u64);
                ControlFlow::Continue(())
            };
            Ok(self.shown(&formula.property, subject, given, symmetric, &mut progress))
        })
    }

    /// The work of [`Check::verified`].
    fn shown(
        &self,
        property: &Property,
        subject: &Subject<'_>,
        given: &Witness,
        symmetric: Option<&SymmetricModel<'_>>,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Answer, DecideError> {
        let (model, checked) = match subject {
            Subject::Lts(lts) => {
                let options = self.check_options(progress);
                (lts.erased(), check_lts(property, lts, options)?)
            }
            Subject::Model(model) => {
                let options = self.check_options(progress);
                (*model, check_model(property, *model, options)?)
            }
            Subject::Open(verdict) => return Ok(Answer::open(*verdict, 0)),
        };
        let verdict = checked.verdict;
        // Traces up to symmetry are told as those of the network.
        let network =
            symmetric.map(|symmetric| NetworkModel::new(symmetric.symmetry().network().clone()));
        let plain = network.as_ref().map_or(model, |network| network.erased());
        let Witness { part, deadlock } = given;
        let labels = reasons::chain(part);
        let mut shown = match &labels {
            Some(labels) => {
                let options = self.check_options(progress);
                trace_shows(property, verdict, plain, labels, options)?
            }
            None => Shown::No(None),
        };
        // A part is one of what is explored; a lasso was told as one of the network, too.
        let others = network.as_ref().map(|_| plain);
        for system in std::iter::once(model).chain(others) {
            if shown != Shown::Yes {
                let options = self.check_options(progress);
                shown = either(shown, part_shows(property, verdict, system, part, options)?);
            }
        }
        let mut told = None;
        if let (true, Shown::Yes, Some(labels)) = (deadlock, shown, &labels) {
            let options = self.check_options(progress);
            shown = ends_in_deadlock(plain, labels, options)?;
            if let Shown::No(_) = shown {
                let after = counted(labels.len(), "step");
                told = Some(format!("<deadlock> after {after} is none of INPUT"));
            }
        }
        if let Shown::No(Some(excess)) = shown {
            told = Some(reasons::excess(part, excess));
        }
        let mut answer = Answer::open(
            match shown {
                Shown::Yes => Verdict::True,
                Shown::No(_) => Verdict::False,
                Shown::Open(why) => why,
            },
            checked.states,
        );
        answer.why = told.or(answer.why);
        answer.transitions = checked.transitions;
        Ok(answer)
    }

    fn tell(
        &self,
        session: &mut Session,
        formulas: &[Formula],
        answers: &[Answer],
    ) -> Result<(), Failure> {
        let figures = formulas.iter().zip(answers).map(|(formula, answer)| {
            json!({
                "name": formula.name,
                "verdict": answer.verdict_json(),
                "states": answer.states,
                "transitions": answer.transitions,
                "seconds": answer.elapsed.as_secs_f64(),
            })
        });
        session.add_figure("formulas", figures.collect::<Vec<Value>>());
        if let Some(path) = &self.junit {
            let cases: Vec<Case> = formulas
                .iter()
                .zip(answers)
                .map(|(formula, answer)| Case {
                    name: &formula.name,
                    file: &formula.file,
                    word: answer.word(),
                    why: answer.why.as_deref().or(answer.error.as_deref()),
                    text: answer
                        .reason
                        .as_ref()
                        .map(|r| r.text(TraceForm::Seq, None).0),
                    elapsed: answer.elapsed,
                })
                .collect();
            let text = junit::report(&cases);
            session.write_text(&Destination::new(path)?, "xml", &text)?;
        }
        if self.answer.is_json() {
            let object = |(formula, answer): (&Formula, &Answer)| {
                let mut object = json!({
                    "name": formula.name,
                    "formula": formula.property.text(),
                    "verdict": answer.verdict_json(),
                    "states": answer.states,
                    "transitions": answer.transitions,
                    "witness": answer.reason.as_ref().map(Reason::json),
                    "reason": answer.why,
                });
                if let Some(error) = &answer.error {
                    object["error"] = error.clone().into();
                }
                if !formula.comment.is_empty() {
                    object["comment"] = formula.comment.join("\n").into();
                }
                object
            };
            let all: Vec<Value> = formulas.iter().zip(answers).map(object).collect();
            let text = json_text(&json!({ "formulas": all }));
            return self.answer.write(session, "json", text.as_bytes());
        }
        let mut text: Vec<u8> = Vec::new();
        for (formula, answer) in formulas.iter().zip(answers) {
            let word = answer.word();
            let line = match formulas.len() {
                // There is nothing but the error.
                1 if answer.error.is_some() => String::new(),
                1 => format!("{word}\n"),
                _ => format!("{}: {word}\n", formula.name),
            };
            text.extend_from_slice(line.as_bytes());
        }
        if self.shows_reasons() {
            for (formula, answer) in formulas.iter().zip(answers) {
                let Some(reason) = &answer.reason else {
                    if self.diag.is_some() && answer.is_known() {
                        session.note(format!(
                            "{}: no sequence shows it; -o FILE.aut writes the part of the input \
                             that does",
                            formula.name
                        ));
                    }
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

    /// Writes why there is this verdict; tells otherwise that it is not written.
    fn write_reason(
        &self,
        session: &mut Session,
        output: &LtsOutput,
        answer: &Answer,
    ) -> Result<(), Failure> {
        let witness = answer
            .reason
            .as_ref()
            .map(|reason| reason.to_lts(output.format));
        if let Some(lts) = witness.transpose()?.flatten() {
            return session.write_witness(output, Some(&lts));
        }
        if session.name() != Self::NAME {
            // Whoever calls an evaluator reads what is there as what it has written.
            output.destination.remove()?;
        }
        let why = match &answer.reason {
            Some(Reason::Part(part)) => format!(
                "no sequence shows the verdict; a part of the input does ({}, {}), which {} \
                 cannot hold: name an LTS, such as FILE.aut",
                counted(part.states(), "state"),
                counted(part.transitions(), "transition"),
                output.format
            ),
            Some(Reason::Way { .. }) | None if answer.is_known() => {
                "its reason is not known".into()
            }
            Some(Reason::Way { .. }) | None => "there is no verdict".into(),
        };
        session.tell_not_written(&output.destination, &why);
        Ok(())
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
