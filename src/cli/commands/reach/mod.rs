//! `reach`: the reachable part of a state space, and questions on the fly.

mod answers;
#[cfg(feature = "cluster")]
mod distributed;
mod reductions;
mod search;
mod simulate;
mod system_reports;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::{Parser, ValueEnum};
use hyades_explore::{LabelPredicate, Outcome, Questions, SequencePattern};
use hyades_formats::diagnostic::printable_path;
use hyades_formats::{Format, WriteOptions};
use hyades_lts::Numbering;
use hyades_lts::pattern::LabelPattern;
use hyades_network::symmetry::Strategy;

use answers::{Asked, Finding, Question, SpaceState, Summary};
use hyades_cli_core::choices::first_given;
use hyades_cli_core::systems::not_a_system;
use hyades_cli_core::{
    AboutNetwork, AnswerOptions, AnyModel, Asks, Command, Destination, Epilogue, Explorable,
    Failure, FilterOptions, Given, LabelOptions, LimitOptions, LtsOutput, ModelOptions,
    Relabelling, RunOptions, Session, Status, memory,
};
use reductions::{Preserved, ReductionOptions};
use search::{Kept, SearchResult, Wanted};
use system_reports::SystemOptions;

const EPILOGUE: Epilogue = Epilogue {
    example: "transcode big.aut.gz | reach --deadlock --fail-on deadlock && echo no deadlock",
    asks: Asks::FailOn,
    open: "a limit (--max-states, --max-memory, --channel-bound) was reached, or the search did \
           not go on beyond an overfilled channel (--beyond-overfilled)",
};

/// Keep what can be reached, or ask whether something can be reached
///
/// INPUT is an LTS, a network of such (.exp), a system of machines that exchange
/// messages (.toml), or a model plugin: a shared object (.so) to the contract of
/// hyades_model.h. States of the latter three are computed as they are explored.
///
/// Without a question, writes the reachable part, in the order of a
/// breadth-first search. With questions (--deadlock, --livelock, --find),
/// standard output carries the answers, one line each such as `deadlock: TRUE`,
/// and after a TRUE a shortest trace, as --traces says. With traces in the form SEQ,
/// the answers together are a SEQ file, whose comments are the verdicts. OUTPUT takes
/// the traces as an LTS or as traces, by the ending (.aut, .bcg, .seq, .trc, …), and
/// --state-space the state space.
///
/// Traces of networks in the form SEQ tell what each component does, in comments.
///
/// An answer is UNKNOWN if a limit was reached before it was found. --max-states
/// is looked at between states of a network: all transitions of one state that
/// may come several times are held at the same time.
#[derive(Parser)]
#[command(name = "reach", after_help = EPILOGUE.text())]
pub struct Reach {
    /// Is there a state without outgoing transitions? The trace ends in it
    #[arg(long, help_heading = "Questions")]
    deadlock: bool,

    /// Is there a cycle of hidden transitions? The trace leads to the nearest
    /// one and once around; with --symmetry, to the nearest where bisimilar states
    /// of a component are one, from where it may go on before it comes round
    #[arg(long, help_heading = "Questions")]
    livelock: bool,

    /// Is there a transition whose whole label matches this POSIX basic regular
    /// expression? The hidden action is `i`, or `tau` if INPUT is in .lts or FSM, or what
    /// --dialect says. The trace ends with it; repeatable
    #[arg(
        long,
        value_name = "REGEX",
        allow_hyphen_values = true,
        help_heading = "Questions"
    )]
    find: Vec<OsString>,

    /// Is there a path from the initial state that the pattern in FILE describes? FILE
    /// is in the full form of SEQ (hyades help seq); the trace is a shortest path. It
    /// is asked alone; of several patterns, --seqno N chooses the Nth, and the first if
    /// it is not given
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["deadlock", "livelock", "find", "state_space"],
        help_heading = "Questions"
    )]
    find_sequence: Option<PathBuf>,

    /// End with status 1 if that is found (`found`: anything by --find or
    /// --find-sequence), even if a limit was reached; repeatable; asks the question
    #[arg(long, value_name = "FINDING", help_heading = "Questions")]
    fail_on: Vec<Finding>,

    /// Step through the state space by commands from standard input, those of mCRL2's
    /// `lpssim`: the number of a transition takes it, `undo` goes back, `save FILE` saves
    /// the trace, `help` lists all
    #[arg(
        long,
        conflicts_with_all = [
            "deadlock", "livelock", "find", "find_sequence", "fail_on", "state_space", "json",
        ],
        help_heading = "On the fly"
    )]
    simulate: bool,

    /// Leave out hidden transitions: a visible one leads from a state to where
    /// hidden ones and then one with that label lead; what can be reached by a
    /// visible trace is the same. That can be many more transitions: where much
    /// is hidden, this is faster after `minimize -e branching`. --max-states bounds
    /// also how many states hidden transitions lead to from one state
    #[arg(long, help_heading = "On the fly")]
    tau_star: bool,

    #[command(flatten)]
    relabel: LabelOptions,
    #[command(flatten)]
    about: AboutNetwork,
    #[command(flatten)]
    reductions: ReductionOptions,
    #[command(flatten)]
    systems: SystemOptions,
    #[command(flatten)]
    model: ModelOptions,
    #[command(flatten)]
    answer: AnswerOptions,

    /// With a question: write the state space to FILE as well, in the format of its
    /// ending
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    state_space: Option<PathBuf>,

    /// How the states of the state space are numbered
    #[arg(
        long,
        value_name = "ORDER",
        default_value = "breadth-first",
        help_heading = "Output"
    )]
    numbering: Order,

    #[command(flatten)]
    filter: FilterOptions,
    #[command(flatten)]
    limits: LimitOptions,
}

/// Values of `--numbering`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Order {
    /// By distance from the initial state, which is 0.
    BreadthFirst,
    /// In the order of the input, without gaps.
    Ascending,
    /// As in the input; unreachable states remain, without transitions.
    Kept,
}

/// How the hidden action reads for `--find`, which is asked of the input.
struct HiddenText {
    /// As far as options and names tell.
    expected: &'static str,
    /// As the format has it in which the input was read.
    read: OnceLock<&'static str>,
}

impl HiddenText {
    /// Before the input is read.
    fn before(filter: &FilterOptions) -> Self {
        Self {
            expected: filter.hidden_in(None),
            read: OnceLock::new(),
        }
    }

    /// To be called when the input has been read, with its format if it was read as an LTS.
    fn read_in(&self, filter: &FilterOptions, format: Option<Format>) {
        self.read.get_or_init(|| filter.hidden_in(format));
    }

    fn get(&self) -> &'static str {
        self.read.get().unwrap_or(&self.expected)
    }
}

/// That a question does not go with `--tau-star`.
fn left_out(asked: &str) -> Failure {
    Failure::error(format!(
        "{asked} is about hidden transitions too, and --tau-star leaves these out: ask without \
         --tau-star, or ask about what `reach --tau-star -o FILE` has written"
    ))
}

impl Command for Reach {
    const NAME: &'static str = "reach";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.filter.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        session.limit_states(self.limits.max_states);
        #[cfg(feature = "cluster")]
        if let Some(membership) = session.membership() {
            if self.simulate {
                return Err(Failure::error(
                    "--simulate steps through a system by one process: run reach alone",
                ));
            }
            return self.run_distributed(session, membership);
        }
        let patterns = self.patterns()?;
        let sequence = self.sequence(session)?;
        let hidden = HiddenText::before(&self.filter);
        let questions = self.questions(&patterns, &hidden);
        let asked = questions.any();
        self.reductions.check_relation()?;
        self.check_tau_star(&questions)?;
        if self.simulate {
            return self.simulate(session, &hidden);
        }
        self.tell_unused(session, asked)?;
        if self.about.is_asked() {
            return self.tell(session);
        }
        if self.systems.is_asked() {
            self.check_analysis(&questions)?;
            return self.report(session);
        }
        if self.fails(Finding::Overfilled) {
            return Err(Failure::error("--fail-on overfilled needs --analysis"));
        }
        let (output, witness) = self.outputs(session, asked)?;
        let wants_space = !asked || self.state_space.is_some();
        let shown = self.shown(&questions, sequence.as_ref(), witness.as_ref());
        shown.begin()?;
        let (given, relabelling) = self.read(session)?;
        for output in std::iter::once(&output).chain(&witness) {
            self.check_spares(session, &output.destination, &given)?;
        }
        hidden.read_in(&self.filter, session.format_of(&given));
        self.check_find(&patterns, &hidden)?;
        let given = self.systems.model(given)?;
        let demands = self.demands(&questions, &patterns, &hidden);
        let (model, relabelling) = self.model(session, given, relabelling, &patterns, &demands)?;
        let to_count = match &model {
            AnyModel::Symmetric(model) if model.strategy() == Strategy::Exact => {
                Some(model.clone())
            }
            AnyModel::Lts(_)
            | AnyModel::Plugin(_)
            | AnyModel::Network(_)
            | AnyModel::Reduced(_)
            | AnyModel::Symmetric(_)
            | AnyModel::System(_) => None,
        };
        let wanted = Wanted {
            questions,
            shown: &shown,
            sequence: sequence.as_ref(),
            is_asked: asked,
            space: wants_space.then_some(&output),
        };
        let SearchResult {
            space,
            found,
            is_cut,
        } = self.search(session, model, &relabelling, wanted)?;
        // Of a state space that is kept nothing else is told, unless something is asked.
        let is_complete = match &found {
            Some(found) => found.outcome == Outcome::Complete,
            None => space.is_some(),
        };
        if let Some(model) = to_count.filter(|_| is_complete) {
            let input = self.model.name(&self.filter.input.input);
            session.count_unreduced(&model, &self.limits, &input)?;
        }
        let state = SpaceState::new(wants_space, space.is_some(), is_cut);
        let status = match found {
            Some(found) => self.answer(session, found, asked, state, witness.as_ref())?,
            None if state == SpaceState::Cut => {
                session.tell_why(CUT);
                Status::NoVerdict
            }
            None => Status::Holds,
        };
        match space {
            Some(Kept::Lts(lts)) => session.write(&output, &lts)?,
            Some(Kept::Spooled(spool, size)) => session.write_spooled(&output, spool, size)?,
            None => {}
        }
        Ok(status)
    }
}

/// What a state space lacks whose search ended at overfilled channels.
const CUT: &str = "in the state space, states with an overfilled channel have no transitions: they \
                   need not be dead";

/// States have no numbers that could be kept.
fn unnumbered() -> Failure {
    Failure::error(
        "the states of this model have no numbers: --numbering breadth-first is all there is",
    )
}

impl From<Order> for Numbering {
    fn from(order: Order) -> Self {
        match order {
            Order::BreadthFirst => Numbering::BreadthFirst,
            Order::Ascending => Numbering::Ascending,
            Order::Kept => Numbering::Kept,
        }
    }
}

impl Reach {
    /// The model that is explored, and by which rules it is relabelled on the fly.
    ///
    /// # Errors
    /// If a reduction or a symmetry would not leave the answers as they are.
    fn model(
        &self,
        session: &mut Session,
        given: Explorable,
        relabelling: Relabelling,
        patterns: &[LabelPattern],
        demands: &Preserved,
    ) -> Result<(AnyModel, Relabelling), Failure> {
        if self.model.symmetry().is_of_network() {
            let model = self.symmetric(session, given, &relabelling, patterns)?;
            return Ok((model, Relabelling::none()));
        }
        let name = self.model.name(&self.filter.input.input);
        let reductions = &self.reductions;
        let model = reductions.apply(session, given, &name, demands, &self.limits)?;
        Ok((model, relabelling))
    }

    /// A network up to symmetry.
    ///
    /// # Errors
    /// If there is none, or the answers would not be right.
    fn symmetric(
        &self,
        session: &mut Session,
        given: Explorable,
        relabelling: &Relabelling,
        patterns: &[LabelPattern],
    ) -> Result<AnyModel, Failure> {
        let Explorable::Network(network) = given else {
            unreachable!("symmetries of other models have been refused");
        };
        let tau_star = self.tau_star.then_some("--tau-star");
        if let Some(option) = self.reductions.given().or(tau_star) {
            return Err(Failure::error(format!(
                "{option} and --symmetry cannot be had at once: take one of the two"
            )));
        }
        let network = relabelling.network(*network)?;
        let options = self.model.symmetry();
        let model = options.model(session, network)?;
        for (text, pattern) in self.find.iter().zip(patterns) {
            let symmetry = model.symmetry();
            if let Some(labels) = symmetry.tells_apart(|label| pattern.is_match(label)) {
                let table = symmetry.network().labels();
                let [one, other] = labels.map(|label| table.text(label).escape_ascii());
                return Err(Failure::error(format!(
                    "--find '{}' tells labels apart that the symmetry exchanges: of {one} and \
                     {other}, it matches one only; match both, or take a smaller symmetry",
                    printable_path(text)
                )));
            }
        }
        Ok(AnyModel::Symmetric(Box::new(model)))
    }

    /// Tells something about a network instead of exploring it: a text.
    fn tell(&self, session: &mut Session) -> Result<Status, Failure> {
        let destination = self.filter.write.text()?;
        session.check_outputs(&[&self.filter.input.input], &[&destination])?;
        if self.about.is_expanded() {
            let text = session.expand(&self.filter, &self.model)?;
            session.write_text(&destination, "text", &text)?;
            return Ok(Status::Holds);
        }
        let (given, relabelling) = self.read(session)?;
        let is_json = self.answer.is_json();
        let name = self.model.name(&self.filter.input.input);
        self.about
            .write_answer(session, given, &name, &relabelling, &destination, is_json)?;
        Ok(Status::Holds)
    }

    /// Tells what there is to know of a system of machines.
    fn report(&self, session: &mut Session) -> Result<Status, Failure> {
        let output = match self.filter.write.is_named() {
            true => Some(self.filter.output(session, &[])?),
            false => None,
        };
        if let Some(option) = self.filter.write.how().filter(|_| output.is_none()) {
            return Err(Failure::error(format!(
                "{option} is for the state space, which --analysis writes only if -o names a file"
            )));
        }
        if output.as_ref().is_some_and(|o| o.destination.is_stdout()) {
            return Err(Failure::error(
                "standard output carries the report: the state space needs another OUTPUT",
            ));
        }
        let (given, relabelling) = self.read(session)?;
        let Given::System(system, _) = &given else {
            let name = self.model.name(&self.filter.input.input);
            return Err(not_a_system("--analysis", &name));
        };
        self.reductions
            .refuse(&self.model.name(&self.filter.input.input))?;
        if !matches!(self.numbering, Order::BreadthFirst) {
            return Err(unnumbered());
        }
        let stdout = Destination::stdout();
        let destination = output.as_ref().map_or(&stdout, |o| &o.destination);
        self.check_spares(session, destination, &given)?;
        if !relabelling.is_none() {
            return Err(Failure::error(
                "--analysis is about the events of a system: options that hide, rename or cut \
                 labels make no sense beside it",
            ));
        }
        let is_json = self.answer.is_json();
        let max_states = self.limits.max_states;
        let (report, lts) =
            self.systems
                .report(session, system, max_states, output.is_some(), is_json)?;
        self.answer.write(session, "text", report.text.as_bytes())?;
        // Nothing is known of what lies beyond, and the state space ends there.
        let is_open = report.is_stopped && (self.fails(Finding::Deadlock) || output.is_some());
        let status = if report.dead && self.fails(Finding::Deadlock)
            || report.overflowing && self.fails(Finding::Overfilled)
        {
            Status::Fails
        } else if report.complete && !is_open {
            Status::Holds
        } else {
            Status::NoVerdict
        };
        if status == Status::NoVerdict {
            session.tell_why(match (report.complete, output.is_some()) {
                (false, _) => {
                    "the system was not explored to its end (--max-states, --channel-bound)"
                }
                (true, true) => CUT,
                (true, false) => {
                    "no dead state is known, but beyond overfilled channels nothing was explored \
                     (--beyond-overfilled)"
                }
            });
        }
        match (&output, lts) {
            (Some(output), Some(lts)) => session.write(output, &lts)?,
            (Some(output), None) => session.note(format_args!(
                "the system was not explored to its end: {} is not written",
                output.destination.name()
            )),
            (None, _) => {}
        }
        Ok(status)
    }

    /// Refuses outputs that would replace a file which the model consists of.
    fn check_spares(
        &self,
        session: &Session,
        output: &Destination,
        given: &Given,
    ) -> Result<(), Failure> {
        if let Given::System(..) = given {
            // What is written is no system, so that it does not take its place.
            output.check_spares([&*self.filter.input.input])?;
        }
        if let Some(part) = given.files().into_iter().find(|file| output.replaces(file)) {
            let (name, part) = (output.name(), printable_path(part));
            let whole = self.model.name(&self.filter.input.input);
            return Err(Failure::error(match name == part {
                true => format!("{name} would replace a part of {whole}"),
                false => format!("{name} would replace {part}, which is a part of {whole}"),
            }));
        }
        session.check_spares(output, given.files())?;
        session.check_spares(output, self.files_of_options())
    }

    /// The files that options name to be read.
    fn files_of_options(&self) -> impl Iterator<Item = &Path> + Clone {
        let types = self.model.symmetry().file();
        let files = self.relabel.files().chain(types);
        files.chain(self.find_sequence.as_deref())
    }

    /// Reads the model, and the rules by which it is relabelled.
    fn read(&self, session: &mut Session) -> Result<(Given, Relabelling), Failure> {
        let symmetry = self.model.symmetry();
        symmetry.check_inputs(&[&self.filter.input.input])?;
        let given = session.read_model(&self.filter, &self.model)?;
        let name = self.model.name(&self.filter.input.input);
        self.systems.check(&given, &name)?;
        symmetry.check(&given, &name)?;
        let relabelling = (self.relabel).of_model(session, &self.filter, Some(&given))?;
        Ok((given, relabelling))
    }

    /// Tells which options have no effect, or refuses them where an answer would be
    /// missing.
    fn tell_unused(&self, session: &Session, asked: bool) -> Result<(), Failure> {
        let reports = self.systems.is_asked() || self.about.is_asked();
        if self.answer.is_json() && !asked && !reports {
            return Err(Failure::error(
                "--json is for answers, and nothing is asked: ask --deadlock, --livelock, \
                 --find or --find-sequence, or for --analysis, --info, --labels or --depend",
            ));
        }
        if self.state_space.is_some() && (reports || !asked) {
            return Err(Failure::error(
                "--state-space is for the state space beside answers to questions: write -o FILE",
            ));
        }
        if self.systems.is_asked() && self.answer.names_form() {
            return Err(Failure::error(
                "--traces is for the answers to questions: --analysis tells ways as steps of the \
                 components",
            ));
        }
        self.answer.tell_unused(session);
        if !self.answer.is_json() && !asked {
            let why = "it is for the answers to --deadlock, --livelock and --find";
            self.answer.tell_unused_form(session, why);
        }
        if self.about.is_asked() {
            let why = "nothing is explored";
            if self.limits.max_states.is_some() {
                session.tell_no_effect("--max-states", why);
            }
            if !matches!(self.numbering, Order::BreadthFirst) {
                session.tell_no_effect("--numbering", why);
            }
        }
        if asked && self.state_space.is_none() && !matches!(self.numbering, Order::BreadthFirst) {
            session.tell_no_effect("--numbering", "it is for --state-space FILE");
        }
        Ok(())
    }

    /// Where the state space goes, and the witness of answers.
    fn outputs(
        &self,
        session: &mut Session,
        asked: bool,
    ) -> Result<(LtsOutput, Option<LtsOutput>), Failure> {
        if !asked {
            return Ok((self.filter.output(session, &[])?, None));
        }
        let FilterOptions {
            write,
            input,
            dialect,
            ..
        } = &self.filter;
        let witness = match (&self.state_space, write.is_named()) {
            // What says how an LTS is written is for the state space then.
            (Some(_), false) => None,
            _ => write.witness(session, dialect)?,
        };
        let space = write.at(self.state_space.as_deref()).get(dialect)?;
        if self.state_space.is_some() && space.destination.is_stdout() {
            return Err(Failure::error(
                "standard output carries the answers: the state space needs another FILE",
            ));
        }
        let stdout = Destination::stdout();
        let outputs: Vec<_> = std::iter::once(&stdout)
            .chain(witness.as_ref().map(|output| &output.destination))
            .chain(self.state_space.as_ref().map(|_| &space.destination))
            .collect();
        session.check_outputs(&[&input.input], &outputs)?;
        Ok((space, witness))
    }

    /// The questions, and how they are answered.
    fn shown(
        &self,
        questions: &Questions<'_>,
        sequence: Option<&SequencePattern>,
        witness: Option<&LtsOutput>,
    ) -> Asked<'_> {
        let plain = |finding| Question {
            finding,
            find: None,
            sequence: None,
        };
        if let Some(sequence) = sequence {
            let question = Question {
                sequence: Some(sequence.ends_in_deadlock()),
                ..plain(Finding::Found)
            };
            return self.asked(vec![question], witness);
        }
        let deadlock = questions.deadlock.then(|| plain(Finding::Deadlock));
        let livelock = questions.livelock.then(|| plain(Finding::Livelock));
        let find = self.find.iter().map(|expression| Question {
            finding: Finding::Found,
            find: Some(expression.as_bytes()),
            sequence: None,
        });
        let questions = deadlock.into_iter().chain(livelock).chain(find);
        self.asked(questions.collect(), witness)
    }

    /// How these questions are answered.
    fn asked<'a>(&self, questions: Vec<Question<'a>>, witness: Option<&LtsOutput>) -> Asked<'a> {
        Asked {
            questions,
            is_json: self.answer.is_json(),
            form: self.answer.form(),
            options: WriteOptions {
                visible_i: self.filter.write.visible_i(),
                printable: true,
                ..WriteOptions::default()
            },
            witness: witness.map(|output| output.format),
        }
    }

    fn fails(&self, finding: Finding) -> bool {
        self.fail_on.contains(&finding)
    }

    fn patterns(&self) -> Result<Vec<LabelPattern>, Failure> {
        let searches = !self.find.is_empty() || self.find_sequence.is_some();
        if self.fails(Finding::Found) && !searches {
            return Err(Failure::error(
                "--fail-on found needs a --find or --find-sequence",
            ));
        }
        let others = [Finding::Deadlock, Finding::Livelock];
        if self.find_sequence.is_some() && others.into_iter().any(|other| self.fails(other)) {
            return Err(Failure::error(
                "--find-sequence is asked alone: --fail-on deadlock and livelock ask for others",
            ));
        }
        let pattern = |text: &OsString| {
            LabelPattern::whole(text.as_bytes())
                .map_err(|e| Failure::error(format!("--find '{}': {e}", printable_path(text))))
        };
        self.find.iter().map(pattern).collect()
    }

    /// The pattern of `--find-sequence`.
    fn sequence(&self, session: &mut Session) -> Result<Option<SequencePattern>, Failure> {
        let Some(path) = &self.find_sequence else {
            return Ok(None);
        };
        let symmetry = self.model.symmetry();
        if symmetry.is_of_network() || symmetry.is_of_plugin() {
            return Err(Failure::error(
                "--find-sequence and --symmetry cannot be had at once: explore without one of them",
            ));
        }
        self.read_pattern(session, path).map(Some)
    }

    /// The pattern in a file that `--seqno` tells, or the first one.
    fn read_pattern(&self, session: &mut Session, path: &Path) -> Result<SequencePattern, Failure> {
        let seqno = self.filter.read.get(&self.filter.dialect).seq.seqno.max(1);
        session.given.uses("seqno");
        session.read_sequence(path, seqno)
    }

    fn questions<'p>(&self, patterns: &'p [LabelPattern], hidden: &'p HiddenText) -> Questions<'p> {
        let predicate = |pattern: &'p LabelPattern| -> LabelPredicate<'p> {
            Box::new(move |label, text| match label.is_hidden() {
                true => pattern.is_match(hidden.get().as_bytes()),
                false => pattern.is_match(text),
            })
        };
        Questions {
            // A path that has been found is the only one that ends.
            deadlock: self.deadlock
                || self.fails(Finding::Deadlock)
                || self.find_sequence.is_some(),
            livelock: self.livelock || self.fails(Finding::Livelock),
            find: patterns.iter().map(predicate).collect(),
        }
    }

    /// Refuses what `--analysis` does not answer.
    fn check_analysis(&self, questions: &Questions<'_>) -> Result<(), Failure> {
        if self.tau_star {
            return Err(Failure::error(
                "--analysis is about the events of a system, none of which is hidden: --tau-star, \
                 which leaves hidden ones out, does not go with it",
            ));
        }
        let asks = self.deadlock || questions.livelock || !questions.find.is_empty();
        if asks || self.find_sequence.is_some() {
            return Err(Failure::error(
                "--analysis has no other questions beside it than --fail-on deadlock and \
                 overfilled",
            ));
        }
        Ok(())
    }

    /// Refuses questions about hidden transitions, which `--tau-star` leaves out.
    fn check_tau_star(&self, questions: &Questions<'_>) -> Result<(), Failure> {
        let asked = first_given([
            (self.find_sequence.is_some(), "--find-sequence"),
            (questions.deadlock, "a question for deadlocks"),
            (questions.livelock, "a question for livelocks"),
        ]);
        match asked.filter(|_| self.tau_star) {
            Some(asked) => Err(left_out(asked)),
            None => Ok(()),
        }
    }

    /// The same for `--find`, once it is known how the hidden action reads.
    fn check_find(&self, patterns: &[LabelPattern], hidden: &HiddenText) -> Result<(), Failure> {
        match self.find_hidden(patterns, hidden).filter(|_| self.tau_star) {
            Some(text) => Err(left_out(&format!(
                "--find '{text}', which matches `{}`,",
                hidden.get()
            ))),
            None => Ok(()),
        }
    }

    /// The first `--find` that matches hidden transitions.
    fn find_hidden(&self, patterns: &[LabelPattern], hidden: &HiddenText) -> Option<String> {
        let mut find = self.find.iter().zip(patterns);
        let hidden = find.find(|(_, pattern)| pattern.is_match(hidden.get().as_bytes()));
        hidden.map(|(text, _)| printable_path(text))
    }

    /// What reductions have to leave as it is.
    fn demands(
        &self,
        questions: &Questions<'_>,
        patterns: &[LabelPattern],
        hidden: &HiddenText,
    ) -> Preserved {
        Preserved {
            deadlock: questions.deadlock,
            sequences: self.find_sequence.is_some(),
            livelock: questions.livelock,
            labels: !patterns.is_empty(),
            hidden: self.find_hidden(patterns, hidden),
            afterwards: match (self.tau_star, &self.relabel) {
                (true, _) => Some("--tau-star"),
                (false, relabel) if relabel.cuts() => Some("--cut"),
                _ => None,
            },
        }
    }

    /// What an exploration ends with.
    fn status(&self, found: &Summary, space: SpaceState) -> Status {
        let yes = found.yes.iter().any(|finding| self.fails(*finding));
        if yes {
            Status::Fails
        } else if found.unknown || space != SpaceState::Fine {
            Status::NoVerdict
        } else {
            Status::Holds
        }
    }

    /// Tells what was found, answers first if there were questions.
    fn answer(
        &self,
        session: &mut Session,
        found: Summary,
        asked: bool,
        space: SpaceState,
        witness: Option<&LtsOutput>,
    ) -> Result<Status, Failure> {
        let status = self.status(&found, space);
        match (found.how_far, status) {
            (Some(text), Status::NoVerdict) => session.tell_why(text),
            (Some(text), _) => session.note(text),
            (None, Status::NoVerdict) if space == SpaceState::Cut => session.tell_why(CUT),
            (None, _) => {}
        }
        session.add_figure("states_found", found.states);
        session.add_figure("states_explored", found.explored);
        session.add_figure("transitions_found", found.transitions);
        session.add_figure("depth", found.depth);
        for note in found.notes {
            session.note(note);
        }
        if asked {
            memory::forget_last_words();
            self.answer.write_traces(session, &found.text)?;
        }
        if let Some(output) = witness {
            session.write_witness(output, found.witness?.as_ref())?;
        }
        Ok(status)
    }
}
