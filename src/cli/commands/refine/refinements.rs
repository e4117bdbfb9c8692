//! Refinement checking on behalf of a command.

use std::borrow::Cow;

use clap::ValueEnum;
use hyades_equivalence::formula::Action;
use hyades_explore::{ExploreError, Goal, Limit, Limits, Model, Trace, reach, traces_to_lts};
use hyades_formats::diagnostic::counted;
use hyades_formats::{
    Format, LabelId, LabelTable, Lts, StateId, TooLarge, TraceForm, WriteOptions,
};
use hyades_lts::Numbering;
use hyades_refinement::{
    Counterexample, Inclusion, Reason, RefineOptions, Refinement, Semantics, Shortest,
    Specification, SpecificationError, Violation, refine, refine_by_antichains, worthwhile_nodes,
};
use serde_json::{Map, Value};

use hyades_cli_core::any_model::AnyModel;
use hyades_cli_core::progress::Unit;
use hyades_cli_core::session::Session;
use hyades_cli_core::stats::show_lts;
use hyades_cli_core::status::Failure;
use hyades_cli_core::streamed::how_far;
use hyades_cli_core::traces::{Explain, Manner, cycle};

/// What is asked about a refinement.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Refinement")]
pub struct RefinementOptions {
    /// The semantics: T (traces), F (traces and stable failures) or FD (failures and
    /// divergences)
    #[arg(long, value_name = "NAME", default_value_t)]
    semantics: Semantics,

    /// Show a counterexample with the fewest of these
    #[arg(long, value_name = "WHAT", default_value = "steps")]
    shortest: Fewest,

    /// Give up with status 3 when the normal form of SPEC has more than N nodes
    #[arg(long = "max-normal-form", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_nodes: Option<u64>,
}

/// Values of `--shortest`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Fewest {
    /// Steps, hidden ones counted.
    Steps,
    /// Visible labels; searched by one thread.
    Events,
}

/// There is no verdict, and this is why.
pub struct Open(pub String);

/// What is known before the search for a counterexample.
pub enum Beside {
    /// To search beside this.
    Specification(Box<Specification>),
    /// There is none.
    Holds,
    /// Nothing, and this is why.
    Open(Open),
}

impl RefinementOptions {
    /// The semantics.
    pub fn semantics(&self) -> Semantics {
        self.semantics
    }

    /// The normal form of a specification: phase `normalise`; or that it has more nodes than
    /// `most`.
    ///
    /// # Errors
    /// If there is too much of something to be numbered.
    fn normal_form(
        &self,
        session: &mut Session,
        lts: &Lts,
        most: Option<u64>,
    ) -> Result<Result<Specification, SpecificationError>, Failure> {
        let normal = session.phase("normalise", |phase| {
            phase.progress("normalising", Unit::None, None);
            match Specification::new(lts, self.semantics, most) {
                Ok(normal) => {
                    phase.summary(|| counted(normal.nodes(), "node"));
                    Ok(Ok(normal))
                }
                Err(error @ SpecificationError::TooManyNodes(_)) => Ok(Err(error)),
                Err(SpecificationError::TooLarge(error)) => Err(Failure::from(error)),
            }
        })?;
        if let Ok(normal) = &normal {
            session.add_figure("nodes", normal.nodes());
        }
        Ok(normal)
    }

    /// What to look for a counterexample beside: the normal form of a specification; or, if
    /// that is much larger than the specification, what antichains find, if they do. `model`
    /// is the implementation, if it may be compared without a normal form, and `name` that of
    /// it.
    ///
    /// # Errors
    /// If there is too much of something to be numbered, or the implementation fails.
    pub fn beside(
        &self,
        session: &mut Session,
        lts: &Lts,
        model: Option<&AnyModel>,
        limits: Limits,
        name: &str,
    ) -> Result<Beside, Failure> {
        if let Some(model) = model {
            let tried = worthwhile_nodes(lts);
            if self.max_nodes.is_none_or(|most| most > tried) {
                if let Ok(normal) = self.normal_form(session, lts, Some(tried))? {
                    return Ok(Beside::Specification(Box::new(normal)));
                }
                match self.antichains(session, lts, model, limits, name)? {
                    Inclusion::Holds => return Ok(Beside::Holds),
                    Inclusion::Fails(part) => return Ok(Beside::Specification(part)),
                    Inclusion::Unknown => {}
                }
            }
        }
        // Where antichains have come to the limit, a normal form is no way around it.
        let most = limits
            .max_states
            .map(|most| most.max(worthwhile_nodes(lts)));
        let (most, option) = match self.max_nodes {
            Some(most) => (Some(most), "--max-normal-form"),
            None => (most.filter(|_| model.is_some()), "--max-states"),
        };
        Ok(match self.normal_form(session, lts, most)? {
            Ok(normal) => Beside::Specification(Box::new(normal)),
            Err(error) => Beside::Open(Open(format!("{error} ({option})"))),
        })
    }

    /// What antichains find: phases `explore` and `antichains`.
    fn antichains(
        &self,
        session: &mut Session,
        lts: &Lts,
        model: &AnyModel,
        limits: Limits,
        name: &str,
    ) -> Result<Inclusion, Failure> {
        let Ok(implementation) = explored(session, model, limits, name)? else {
            return Ok(Inclusion::Unknown);
        };
        session.phase("antichains", |phase| {
            phase.progress("comparing by antichains", Unit::None, None);
            let found = refine_by_antichains(lts, &implementation, self.semantics, limits);
            found.map_err(|error| Failure::error(error.to_string()))
        })
    }

    /// Searches for a counterexample: phase `refine`. `name` is that of the
    /// implementation.
    ///
    /// # Errors
    /// If the implementation fails.
    pub fn search(
        &self,
        session: &mut Session,
        normal: &Specification,
        model: &AnyModel,
        limits: Limits,
        name: &str,
    ) -> Result<Refinement, Failure> {
        self.search_by(session, limits, name, |search| {
            let found = refine(normal, &model.erased(), search)?;
            model.finish()?;
            Ok(found)
        })
    }

    /// The same by a search of another kind.
    ///
    /// # Errors
    /// Those of the search.
    pub fn search_by<R: AsRef<Refinement>>(
        &self,
        session: &mut Session,
        limits: Limits,
        name: &str,
        by: impl FnOnce(RefineOptions<'_>) -> Result<R, ExploreError>,
    ) -> Result<R, Failure> {
        let shortest = match self.shortest {
            Fewest::Steps => Shortest::Steps,
            Fewest::Events => Shortest::Events,
        };
        let found = session.phase("refine", |phase| {
            let bar = phase.progress("searching", Unit::States, None);
            let mut report = bar.explored();
            let found = by(RefineOptions {
                shortest,
                limits,
                progress: Some(&mut report),
            });
            let found = found.map_err(|e| Failure::error(format!("{name}: {e}")))?;
            phase.summary(|| sizes(found.as_ref()));
            Ok(found)
        })?;
        session.add_figure("pairs", found.as_ref().pairs);
        session.add_figure("transitions_found", found.as_ref().transitions);
        Ok(found)
    }
}

fn sizes(found: &Refinement) -> String {
    let Refinement {
        pairs, transitions, ..
    } = found;
    let (pairs, transitions) = (counted(pairs, "pair"), counted(transitions, "transition"));
    format!("{pairs}, {transitions}")
}

/// Why there is no verdict on a model that does not go on from some states.
pub const LEFT_OUT: &str = "the model leaves states out (a system of machines those behind an overfilled channel: --beyond-overfilled)";

/// How far a search came that has no verdict, and why.
pub fn gave_up(reason: Reason, found: &Refinement) -> String {
    let why = match reason {
        Reason::Limit(Limit::States | Limit::Hidden) => "--max-states",
        Reason::Limit(Limit::Memory) => "--max-memory",
        Reason::Limit(Limit::Model) => "a limit of the model",
        Reason::Limit(Limit::Channels) => "--channel-bound: a channel holds more messages",
        Reason::Truncated => LEFT_OUT,
        Reason::Stopped => "stopped",
    };
    format!("gave up after {} ({why})", sizes(found))
}

/// The state space of a model: phase `explore`, unless it is an LTS already.
///
/// # Errors
/// If the model fails.
pub fn state_space(
    session: &mut Session,
    model: AnyModel,
    limits: Limits,
    name: &str,
) -> Result<Result<Lts, Open>, Failure> {
    match model {
        AnyModel::Lts(lts) => Ok(Ok(lts)),
        model @ (AnyModel::Plugin(_)
        | AnyModel::Network(_)
        | AnyModel::Reduced(_)
        | AnyModel::Symmetric(_)
        | AnyModel::System(_)) => {
            let lts = explored(session, &model, limits, name)?;
            Ok(lts.map(Cow::into_owned))
        }
    }
}

/// The same of a model that is needed again.
fn explored<'m>(
    session: &mut Session,
    model: &'m AnyModel,
    limits: Limits,
    name: &str,
) -> Result<Result<Cow<'m, Lts>, Open>, Failure> {
    if let AnyModel::Lts(lts) = model {
        return Ok(Ok(Cow::Borrowed(lts)));
    }
    session.phase("explore", |phase| {
        let bar = phase.progress("exploring", Unit::States, None);
        let mut report = bar.explored();
        let search = hyades_explore::ExploreOptions {
            limits,
            progress: Some(&mut report),
            ..hyades_explore::ExploreOptions::default()
        };
        let goal = Goal::Lts(Numbering::BreadthFirst);
        let reached = reach(model.erased(), search, goal, how_far);
        let reached = reached.and_then(|reached| {
            model.finish()?;
            Ok(reached)
        });
        let (lts, told) = reached.map_err(|e| Failure::error(format!("{name}: {e}")))?;
        let Some(lts) = lts else {
            let why = told.flatten().unwrap_or_else(|| "stopped".into());
            return Ok(Err(Open(format!("{name}: {why}"))));
        };
        if model.erased().was_truncated() {
            return Ok(Err(Open(format!("{name}: {LEFT_OUT}"))));
        }
        phase.summary(|| show_lts(&lts));
        Ok(Ok(Cow::Owned(lts)))
    })
}

/// What the two systems are called.
pub struct Names<'a> {
    /// The specification.
    pub specification: &'a str,
    /// The implementation.
    pub implementation: &'a str,
}

/// So many acceptances of a specification are shown.
const SHOWN: usize = 8;

/// What a counterexample violates, in a word.
pub fn violation_name(shown: &Counterexample) -> &'static str {
    match shown.violation {
        Violation::Trace => "trace",
        Violation::Refusal { .. } => "refusal",
        Violation::Divergence { .. } => "divergence",
    }
}

/// A counterexample as a run of the implementation.
pub struct Run<'a> {
    shown: &'a Counterexample,
    normal: &'a Specification,
    trace: Trace,
    labels: LabelTable,
    /// What the last state accepts, if it refuses too much.
    accepted: Option<Vec<LabelId>>,
}

impl<'a> Run<'a> {
    /// # Errors
    /// If there are too many labels.
    pub fn new(shown: &'a Counterexample, normal: &'a Specification) -> Result<Self, TooLarge> {
        let (trace, mut labels) = trace_of(shown)?;
        let accepted = match &shown.violation {
            Violation::Refusal { accepted } => {
                let accepted = accepted.iter().map(|text| labels.intern(text));
                Some(accepted.collect::<Result<Vec<_>, _>>()?)
            }
            Violation::Trace | Violation::Divergence { .. } => None,
        };
        Ok(Self {
            shown,
            normal,
            trace,
            labels,
            accepted,
        })
    }

    /// How it is shown.
    pub fn manner<'m>(
        &'m self,
        form: TraceForm,
        options: &'m WriteOptions,
        explain: &'m Explain<'m>,
    ) -> Manner<'m> {
        Manner {
            form,
            labels: &self.labels,
            options,
            explain,
        }
    }

    /// What a file in this format takes of it.
    ///
    /// # Errors
    /// If there are more steps than an LTS can hold.
    pub fn to_lts(&self, format: Format) -> Result<Lts, TooLarge> {
        traces_to_lts([&self.trace], &self.labels, cycle(format))
    }

    /// For the user, after the first line; and why its trace stands in comments, if it
    /// does. In the form SEQ all that is no step is a comment.
    pub fn text(&self, manner: &Manner<'_>, names: &Names<'_>) -> (Vec<u8>, Option<String>) {
        let Names {
            specification,
            implementation,
        } = names;
        let head = match &self.shown.violation {
            Violation::Trace => format!("trace of {implementation}, not of {specification}"),
            Violation::Refusal { .. } => {
                format!("{implementation} refuses what {specification} cannot refuse")
            }
            Violation::Divergence { .. } => {
                format!("{implementation} diverges where {specification} does not")
            }
        };
        let mut text = format!("*** {head}\n").into_bytes();
        let stuck = self.accepted.as_ref().is_some_and(Vec::is_empty);
        let (steps, reason) = manner.trace(&self.trace, stuck);
        text.extend(steps);
        if let Some(accepted) = &self.accepted {
            text.extend(format!("*** {implementation} accepts:").into_bytes());
            text.extend(set(accepted, &self.labels));
            let node = self.shown.last().node;
            text.extend(acceptances(self.normal, node, specification));
        }
        (text, reason)
    }

    /// As JSON.
    pub fn json(&self, manner: &Manner<'_>) -> Value {
        let mut object = Map::new();
        object.insert("kind".into(), violation_name(self.shown).into());
        object.append(&mut manner.json(&self.trace));
        if let Some(accepted) = &self.accepted {
            let node = self.shown.last().node;
            let table = self.normal.table();
            let all = self.normal.minimal_acceptances(node);
            let mut all: Vec<_> = all.map(|labels| set_json(labels, table)).collect();
            all.sort_unstable();
            object.insert("accepts".into(), set_json(accepted, &self.labels).into());
            object.insert("minimal_acceptances".into(), all.into());
        }
        object.into()
    }
}

/// Labels, in the order of their bytes.
fn set_json(labels: &[LabelId], table: &LabelTable) -> Vec<String> {
    let mut texts: Vec<_> = labels.iter().map(|&label| table.text(label)).collect();
    texts.sort_unstable();
    let texts = texts.into_iter().map(String::from_utf8_lossy);
    texts.map(Cow::into_owned).collect()
}

/// The minimal acceptances of a node, the first ones, one a line; without any, that there is
/// nothing that it may refuse.
fn acceptances(normal: &Specification, node: u32, name: &str) -> Vec<u8> {
    let all = normal.minimal_acceptances(node);
    let mut lines: Vec<_> = all.map(|labels| set(labels, normal.table())).collect();
    lines.sort_unstable();
    let more = lines.len().saturating_sub(SHOWN);
    lines.truncate(SHOWN);
    if lines.is_empty() {
        let text = format!("*** {name} refuses nothing there: it is never stable\n");
        return text.into_bytes();
    }
    let mut text = format!("*** {name} accepts at the least:").into_bytes();
    text.extend(lines.join(&b"*** or:"[..]));
    if more > 0 {
        text.extend(format!("*** or one of {more} other sets\n").into_bytes());
    }
    text
}

/// Labels written as in formulas, in the order of their bytes, to the end of the line.
fn set(labels: &[LabelId], table: &LabelTable) -> Vec<u8> {
    let written = |&label: &LabelId| format!(" {}", Action { table, label });
    let mut labels: Vec<String> = labels.iter().map(written).collect();
    labels.sort_unstable();
    let text = labels.concat();
    match text.is_empty() {
        true => b" nothing\n".to_vec(),
        false => (text + "\n").into_bytes(),
    }
}

/// The run of a counterexample, and once around its cycle.
fn trace_of(shown: &Counterexample) -> Result<(Trace, LabelTable), TooLarge> {
    let mut table = LabelTable::new();
    let (pairs, labels) = shown.walk();
    let mut trace = Trace {
        labels: Vec::with_capacity(labels.len()),
        states: (0..pairs.len()).map(StateId::from_index).collect(),
        packed: pairs.iter().map(|pair| pair.state.clone()).collect(),
        cycle: match shown.violation {
            Violation::Divergence { .. } => Some(shown.steps.len()),
            Violation::Trace | Violation::Refusal { .. } => None,
        },
    };
    for label in labels {
        trace.labels.push(match label {
            None => LabelId::HIDDEN,
            Some(text) => table.intern(text)?,
        });
    }
    Ok((trace, table))
}
