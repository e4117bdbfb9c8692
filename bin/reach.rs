//! `reach`: the reachable part of a state space, and questions on the way.

use clap::{Parser, ValueEnum};
use hyades::cli::{
    self, AboutNetwork, AnyModel, Command, Demands, Destination, Explain, Failure, FilterOptions,
    Given, LabelOptions, LimitOptions, Manner, ModelOptions, ReductionOptions, RunOptions, Session,
    Size, Status, TracesOption, Unit,
};
use hyades::explore::{
    self, Answer, AutSink, Exploration, ExploreError, Goal, LabelPredicate, Limit, Limits, Model,
    Outcome, Questions, Relabelled, Search, TauStar,
};
use hyades::formats::aut::{Spool, StreamWriter};
use hyades::formats::{self, Lts, TraceForm};
use hyades::lts::Numbering;
use hyades::lts::relabel::Rules;
use hyades::pattern::Pattern;

const EPILOGUE: cli::Epilogue = cli::Epilogue {
    example: "transcode big.aut.gz | reach --deadlock --fail-on deadlock && echo no deadlock",
    asks: true,
    max_states: true,
};

/// Keep what can be reached from the initial state, or ask whether something
/// can be reached
///
/// INPUT is an LTS, a network of such (.exp), or a model plugin: a shared object
/// (.so) to the contract of hyades_model.h. States of the latter two are computed
/// as they are explored.
///
/// Without a question, writes the reachable part, in the order of a
/// breadth-first search. With questions (--deadlock, --livelock, --find),
/// standard output carries the answers, one line each such as `deadlock: TRUE`,
/// and after a TRUE a shortest trace, as --traces says; the state space is
/// written as well if -o names a file. With traces in the form SEQ, the answers
/// together are a SEQ file, whose comments are the verdicts.
///
/// Traces of networks in the form SEQ tell what each component does, in comments.
///
/// An answer is UNKNOWN if a limit was reached before it was found. --max-states
/// is looked at between states of a network: all transitions of one state that
/// may come several times are held at the same time.
#[derive(Parser)]
#[command(name = "reach", version, after_help = EPILOGUE.text())]
pub struct Reach {
    /// Is there a state without outgoing transitions? The trace ends in it
    #[arg(long, help_heading = "Questions")]
    deadlock: bool,

    /// Is there a cycle of hidden transitions? The trace leads to the nearest
    /// one and once around
    #[arg(long, help_heading = "Questions")]
    livelock: bool,

    /// Is there a transition whose whole label matches this POSIX basic regular
    /// expression? The trace ends with it; repeatable
    #[arg(long, value_name = "REGEX", help_heading = "Questions")]
    find: Vec<String>,

    /// End with status 1 if that is found (`found`: anything by --find), even
    /// if a limit was reached; repeatable; asks the question
    #[arg(long, value_name = "FINDING", help_heading = "Questions")]
    fail_on: Vec<Finding>,

    /// How the states of the output are numbered
    #[arg(
        long,
        value_name = "ORDER",
        default_value = "breadth-first",
        help_heading = "Output"
    )]
    numbering: Order,

    /// Leave out hidden transitions: a visible one leads from a state to where
    /// hidden ones and then one with that label lead; what can be reached by a
    /// visible trace is the same. That can be many more transitions: where much
    /// is hidden, this is faster after `minimize -e branching`. --max-states bounds
    /// also how many states hidden transitions lead to from one state
    #[arg(long, help_heading = "On the way")]
    tau_star: bool,

    #[command(flatten)]
    relabel: LabelOptions,
    #[command(flatten)]
    about: AboutNetwork,
    #[command(flatten)]
    reductions: ReductionOptions,
    #[command(flatten)]
    filter: FilterOptions,
    #[command(flatten)]
    model: ModelOptions,
    #[command(flatten)]
    traces: TracesOption,
    #[command(flatten)]
    limits: LimitOptions,
}

/// What `--fail-on` names.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Finding {
    Deadlock,
    Livelock,
    Found,
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

impl Command for Reach {
    const NAME: &'static str = "reach";

    fn run_options(&self) -> &RunOptions {
        &self.filter.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let fails = |finding| self.fail_on.contains(&finding);
        let deadlock = self.deadlock || fails(Finding::Deadlock);
        let livelock = self.livelock || fails(Finding::Livelock);
        if fails(Finding::Found) && self.find.is_empty() {
            return Err(Failure::error("--fail-on found needs a --find"));
        }
        let patterns = self
            .find
            .iter()
            .map(|text| {
                Pattern::whole(text.as_bytes())
                    .map_err(|e| Failure::error(format!("--find '{text}': {e}")))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let asked = deadlock || livelock || !patterns.is_empty();

        if self.about.is_asked() {
            return self.tell(session);
        }
        let output = self.filter.output(session, &[])?;
        let answers = Destination::stdout();
        let wanted = !asked || self.filter.write.is_named();
        if asked && wanted && output.destination.is_stdout() {
            return Err(Failure::error(
                "standard output carries the answers: the state space needs another OUTPUT",
            ));
        }

        if asked {
            let names = [(deadlock, "deadlock"), (livelock, "livelock")];
            let names = names
                .iter()
                .filter(|(asked, _)| *asked)
                .map(|(_, name)| *name);
            let names = names.chain(patterns.iter().map(|_| "find"));
            cli::memory::set_last_words(names.flat_map(unknown).collect());
        }
        let (given, rules) = self.read(session)?;
        let demands = Demands {
            deadlock,
            livelock,
            labels: !patterns.is_empty(),
            hidden: self.hidden_find(&patterns),
            afterwards: match (self.tau_star, &self.relabel) {
                (true, _) => Some("--tau-star"),
                (false, relabel) if relabel.cuts() => Some("--cut"),
                _ => None,
            },
        };
        let model = self
            .reductions
            .apply(session, given, &demands, &self.limits)?;
        if wanted && !matches!(self.numbering, Order::BreadthFirst) && !model.has_numbers() {
            return Err(Failure::error(
                "the states of this model have no numbers: --numbering breadth-first is all there is",
            ));
        }
        let numbering = match self.numbering {
            Order::BreadthFirst => Numbering::BreadthFirst,
            Order::Ascending => Numbering::Ascending,
            Order::Kept => Numbering::Kept,
        };
        let on_the_way = self.tau_star || !rules.is_empty();
        let is_computed = on_the_way || !matches!(model, AnyModel::Lts(_));
        let is_streamed =
            wanted && is_computed && numbering == Numbering::BreadthFirst && output.is_sequential();
        let mut find: Vec<LabelPredicate> = Vec::new();
        for pattern in &patterns {
            // It sees the hidden action as a reader of the output does.
            find.push(Box::new(|label, text| {
                pattern.is_match(if label.is_hidden() { b"i" } else { text })
            }));
        }
        let mut spool = is_streamed.then(|| Spool::new(output.destination.room()));
        let limits = Limits {
            max_states: self.limits.max_states,
            // An LTS that is cut down in place needs no tables.
            max_memory: cli::memory::rest().filter(|_| asked || is_computed),
        };
        let form = self.traces.get();
        let input = self.model.name(&self.filter.input.input);
        let mut diagnostics = session.diagnostics();
        let (kept, found) = session.phase("reach", |phase| {
            let mut sink = spool.as_mut().map(|spool| {
                let writer = StreamWriter::spooling(spool, &output.options);
                AutSink::new(writer, &mut diagnostics)
            });
            let goal = match &mut sink {
                Some(sink) => Goal::Sink(sink),
                None if wanted => Goal::Lts(numbering),
                None => Goal::Answers,
            };
            let counted = asked || limits != Limits::default();
            let unit = if counted { Unit::States } else { Unit::None };
            let bar = phase.progress("searching", unit, model.states());
            let mut report = bar.explored();
            let search = Search {
                limits,
                questions: Questions {
                    deadlock,
                    livelock,
                    find,
                },
                stop_when_answered: !wanted,
                progress: Some(&mut report),
            };
            let look = |found: &Exploration<'_>, explain: &Explain<'_>| {
                if found.outcome == Outcome::LimitReached(Limit::Memory) {
                    cli::memory::spend_reserve();
                }
                Summary::new(found, form, &output.options, explain)
            };
            let plain = |found: &Exploration<'_>| look(found, &|_, _, _| Vec::new());
            let reached = match model {
                model if on_the_way => self.changed(&model, rules, search, goal, &look),
                AnyModel::Lts(lts) => explore::reach(lts, search, goal, plain),
                AnyModel::Plugin(plugin) => {
                    let reached = explore::reach(&plugin, search, goal, plain);
                    reached
                        .and_then(|reached| plugin.finish().map(|()| reached).map_err(Into::into))
                }
                AnyModel::Network(network) => explained(&*network, search, goal, &look),
                AnyModel::Reduced(network) => explained(&*network, search, goal, &look),
            };
            let (lts, found) = reached.map_err(|e| Failure::error(format!("{input}: {e}")))?;
            phase.summary(|| match (&lts, &found) {
                (Some(lts), _) => cli::show_lts(lts),
                (None, Some(found)) => format!(
                    "{} states, {} transitions, depth {}",
                    found.states, found.transitions, found.depth
                ),
                (None, None) => String::new(),
            });
            let spooled = match (sink, &found) {
                (Some(sink), Some(found)) => {
                    let complete = found.outcome == Outcome::Complete;
                    cli::end_stream(sink, complete.then_some(found.states), &output)?
                }
                _ => None,
            };
            Ok((lts.map(Kept::Lts).or(spooled.map(Kept::Spooled)), found))
        })?;

        let mut status = Status::Holds;
        if let Some(found) = found {
            if let Some(text) = found.how_far {
                session.note(text);
            }
            session.add_figure("states_found", found.states);
            session.add_figure("states_explored", found.explored);
            session.add_figure("transitions_found", found.transitions);
            session.add_figure("depth", found.depth);
            for note in found.notes {
                session.note(note);
            }
            if asked {
                cli::memory::forget_last_words();
                session.write_text(&answers, &form.name().to_ascii_lowercase(), &found.text)?;
            }
            if found.yes.into_iter().any(fails) {
                status = Status::Fails;
            } else if found.unknown || (wanted && kept.is_none()) {
                status = Status::NoVerdict;
            }
        }
        match (kept, spool) {
            (Some(Kept::Lts(lts)), _) => session.write(&output, &lts)?,
            (Some(Kept::Spooled(size)), Some(spool)) => {
                session.write_spooled(&output, spool, size)?;
            }
            _ => {}
        }
        Ok(status)
    }
}

/// The state space that was found.
enum Kept {
    Lts(Lts),
    /// It is in the spool.
    Spooled(Size),
}

/// What exploring gives.
type Reached = Result<(Option<Lts>, Option<Summary>), ExploreError>;

/// What is made of an exploration.
type Look<'a> = dyn Fn(&Exploration<'_>, &Explain<'_>) -> Summary + 'a;

/// Explores a model that has more to say about transitions than their labels.
fn explained<M: Model>(model: &M, search: Search<'_>, goal: Goal<'_>, look: &Look<'_>) -> Reached {
    let explain =
        |source: &[u64], label: Option<&[u8]>, target: &[u64]| model.explain(source, label, target);
    explore::reach(model, search, goal, |found| look(found, &explain))
}

impl Reach {
    /// Tells something about a network instead of exploring it: a text.
    fn tell(&self, session: &mut Session) -> Result<Status, Failure> {
        let destination = self.filter.write.text()?;
        session.check_outputs(&[&self.filter.input.input], &[&destination])?;
        let (given, rules) = self.read(session)?;
        self.about
            .write_answer(session, given, &rules, &destination)?;
        Ok(Status::Holds)
    }

    /// Reads the model, and the rules by which it is relabelled.
    fn read(&self, session: &mut Session) -> Result<(Given, Vec<Rules>), Failure> {
        let given = session.read_model(&self.filter, &self.model)?;
        let rules = self.relabel.get(session, &[])?;
        Ok((given, rules.into_iter().map(|told| told.rules).collect()))
    }

    /// The first `--find` that hidden transitions match, as readers of the
    /// output would see it.
    fn hidden_find(&self, patterns: &[Pattern]) -> Option<String> {
        let mut found = self.find.iter().zip(patterns);
        let found = found.find(|(_, pattern)| pattern.is_match(b"i"));
        found.map(|(text, _)| text.clone())
    }

    /// Explores a model that is changed on the way.
    fn changed(
        &self,
        model: &AnyModel,
        rules: Vec<Rules>,
        search: Search<'_>,
        goal: Goal<'_>,
        look: &Look<'_>,
    ) -> Reached {
        let relabelled = Relabelled::new(model, rules, b"i")?;
        let reached = match self.tau_star {
            true => {
                let most = self.limits.max_states;
                let model = TauStar::new(relabelled).with_max_states(most);
                explained(&model, search, goal, look)?
            }
            false => explained(&relabelled, search, goal, look)?,
        };
        if let AnyModel::Plugin(plugin) = model {
            plugin.finish()?;
        }
        Ok(reached)
    }
}

/// What there is to say about a search.
struct Summary {
    outcome: Outcome,
    how_far: Option<String>,
    states: u64,
    explored: u64,
    transitions: u64,
    depth: u32,
    /// The questions whose answer is yes.
    yes: Vec<Finding>,
    /// Whether some question has no answer.
    unknown: bool,
    /// All answers, for the user.
    text: Vec<u8>,
    notes: Vec<String>,
}

impl Summary {
    fn new(
        found: &Exploration<'_>,
        form: TraceForm,
        options: &formats::WriteOptions,
        explain: &Explain<'_>,
    ) -> Self {
        let answered = answered(found);
        let manner = Manner {
            form,
            labels: &found.labels,
            options,
            explain,
        };
        let mut notes = Vec::new();
        let yes = answered.iter().filter(|(_, a)| matches!(a, Answer::Yes(_)));
        Self {
            outcome: found.outcome,
            how_far: cli::how_far(found),
            states: found.states,
            explored: found.explored,
            transitions: found.transitions,
            depth: found.depth,
            yes: yes.map(|(question, _)| question.finding).collect(),
            unknown: answered.iter().any(|(_, a)| matches!(a, Answer::Unknown)),
            text: answers_text(&answered, &manner, &mut notes),
            notes,
        }
    }
}

/// A question, as the answers call it.
struct Question {
    name: &'static str,
    finding: Finding,
}

/// The questions that were asked, with their answers, in the order in which
/// they are shown.
fn answered<'a>(found: &'a Exploration<'_>) -> Vec<(Question, &'a Answer)> {
    let question = |name, finding| Question { name, finding };
    let deadlock = found.deadlock.iter();
    let livelock = found.livelock.iter();
    deadlock
        .map(|a| (question("deadlock", Finding::Deadlock), a))
        .chain(livelock.map(|a| (question("livelock", Finding::Livelock), a)))
        .chain(
            found
                .find
                .iter()
                .map(|a| (question("find", Finding::Found), a)),
        )
        .collect()
}

/// The line of a question without an answer.
fn unknown(name: &str) -> Vec<u8> {
    format!("{name}: UNKNOWN\n").into_bytes()
}

/// The answers, each with its trace. In the form SEQ they are one file: verdicts
/// are comments, traces are separated by `[]`.
fn answers_text(
    answers: &[(Question, &Answer)],
    manner: &Manner<'_>,
    notes: &mut Vec<String>,
) -> Vec<u8> {
    let form = manner.form;
    let mut text = Vec::new();
    let mut traces = 0;
    for (question, answer) in answers {
        let name = question.name;
        let trace = match answer {
            Answer::Yes(trace) => trace,
            Answer::No => {
                text.extend_from_slice(format!("{name}: FALSE\n").as_bytes());
                continue;
            }
            Answer::Unknown => {
                text.extend(unknown(name));
                continue;
            }
        };
        if traces > 0 && form == TraceForm::Seq {
            text.extend_from_slice(b"[]\n");
        }
        traces += 1;
        text.extend_from_slice(format!("{name}: TRUE\n").as_bytes());
        let (told, reason) = manner.trace(trace, question.finding == Finding::Deadlock);
        text.extend(told);
        if let Some(reason) = reason {
            notes.push(format!(
                "no trace in the form {} for {name}: {reason}",
                form.name()
            ));
        }
    }
    text
}

/// The command under its own name; `hyades reach` does not need it.
#[allow(dead_code)]
fn main() {
    cli::main::<Reach>()
}
