//! Refinement checking on behalf of a command.

use clap::ValueEnum;
use hyades_equivalence::formula::Action;
use hyades_explore::{ExploreError, Goal, Limit, Limits, Model, Trace, reach};
use hyades_formats::diagnostic::counted;
use hyades_formats::{LabelId, LabelTable, Lts, StateId, TooLarge, TraceForm, WriteOptions};
use hyades_lts::Numbering;
use hyades_network::NetworkModel;
use hyades_refinement::{
    Counterexample, Reason, Refinement, Search, Semantics, Shortest, Specification,
    SpecificationError, Violation, refine,
};

use crate::core::files::show_lts;
use crate::core::model::{AnyModel, Given};
use crate::core::progress::Unit;
use crate::core::run::Session;
use crate::core::status::Failure;
use crate::core::streamed::how_far;
use crate::core::systems::ExploreSystemOptions;
use crate::core::traces::{Explain, Manner};

/// What is asked about a refinement.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Refinement")]
pub struct RefinementOptions {
    /// The semantics: T (traces), F (traces and stable failures) or FD (failures and
    /// divergences)
    #[arg(short = 'm', long, value_name = "NAME", default_value_t)]
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

impl RefinementOptions {
    /// The semantics.
    pub fn semantics(&self) -> Semantics {
        self.semantics
    }

    /// The normal form of a specification: phase `normalise`.
    ///
    /// # Errors
    /// If there is too much of something to be numbered.
    pub fn normal_form(
        &self,
        session: &mut Session,
        lts: &Lts,
    ) -> Result<Result<Specification, Open>, Failure> {
        let normal = session.phase("normalise", |phase| {
            phase.progress("normalising", Unit::None, None);
            let normal = match Specification::new(lts, self.semantics, self.max_nodes) {
                Ok(normal) => normal,
                Err(SpecificationError::TooLarge(error)) => return Err(error.into()),
                Err(error) => return Ok(Err(Open(format!("{error} (--max-normal-form)")))),
            };
            phase.summary(|| counted(normal.nodes(), "node"));
            Ok(Ok(normal))
        })?;
        if let Ok(normal) = &normal {
            session.add_figure("nodes", normal.nodes());
        }
        Ok(normal)
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
            let found = match model {
                AnyModel::Lts(lts) => refine(normal, lts, search),
                AnyModel::Network(network) => refine(normal, &**network, search),
                other => refine(normal, other, search),
            }?;
            finished(model).map(|()| found)
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
        by: impl FnOnce(Search<'_>) -> Result<R, ExploreError>,
    ) -> Result<R, Failure> {
        let shortest = match self.shortest {
            Fewest::Steps => Shortest::Steps,
            Fewest::Events => Shortest::Events,
        };
        let found = session.phase("refine", |phase| {
            let bar = phase.progress("searching", Unit::States, None);
            let mut report = bar.explored();
            let found = by(Search {
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

/// Whether nothing went wrong in a plugin.
fn finished(model: &AnyModel) -> Result<(), ExploreError> {
    match model {
        AnyModel::Plugin(plugin) => plugin.finish().map_err(Into::into),
        _ => Ok(()),
    }
}

fn sizes(found: &Refinement) -> String {
    let Refinement {
        pairs, transitions, ..
    } = found;
    let (pairs, transitions) = (counted(pairs, "pair"), counted(transitions, "transition"));
    format!("{pairs}, {transitions}")
}

/// How far a search came that has no verdict, and why.
pub fn gave_up(reason: Reason, found: &Refinement) -> String {
    let why = match reason {
        Reason::Limit(Limit::States | Limit::Hidden) => "--max-states",
        Reason::Limit(Limit::Memory) => "--max-memory",
        Reason::Limit(Limit::Channels) => "--channel-bound: a channel holds more messages",
        Reason::CutOff => "states behind an overfilled channel are left out; --beyond-overfilled",
        Reason::Stopped => "stopped",
    };
    format!("gave up after {} ({why})", sizes(found))
}

impl Given {
    /// What is given as a model, without reductions.
    ///
    /// # Errors
    /// If states would be too long.
    pub fn plain(self, systems: &ExploreSystemOptions) -> Result<AnyModel, Failure> {
        match systems.model(self)? {
            Given::Model(model) => Ok(model),
            Given::Network(network) => {
                let model = NetworkModel::new(*network);
                Ok(AnyModel::Network(Box::new(model)))
            }
            Given::System(..) => unreachable!("a system is a model now"),
        }
    }
}

impl Session {
    /// The state space of a model: phase `explore`, unless it is an LTS already.
    ///
    /// # Errors
    /// If the model fails.
    pub fn state_space(
        &mut self,
        model: AnyModel,
        limits: Limits,
        name: &str,
    ) -> Result<Result<Lts, Open>, Failure> {
        let model = match model {
            AnyModel::Lts(lts) => return Ok(Ok(lts)),
            model => model,
        };
        self.phase("explore", |phase| {
            let bar = phase.progress("exploring", Unit::States, None);
            let mut report = bar.explored();
            let search = hyades_explore::Search {
                limits,
                progress: Some(&mut report),
                ..hyades_explore::Search::default()
            };
            let goal = Goal::Lts(Numbering::BreadthFirst);
            let reached = reach(&model, search, goal, how_far);
            let reached = reached.and_then(|reached| finished(&model).map(|()| reached));
            let (lts, told) = reached.map_err(|e| Failure::error(format!("{name}: {e}")))?;
            let Some(lts) = lts else {
                let why = told.flatten().unwrap_or_else(|| "stopped".into());
                return Ok(Err(Open(format!("{name}: {why}"))));
            };
            if model.was_cut_off() {
                return Ok(Err(Open(format!(
                    "{name}: states behind an overfilled channel are left out; \
                     --beyond-overfilled"
                ))));
            }
            phase.summary(|| show_lts(&lts));
            Ok(Ok(lts))
        })
    }
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

/// A counterexample for the user, after its first line; and why its trace stands in
/// comments, if it does. In the form SEQ all that is no step is a comment.
///
/// # Errors
/// If there are too many labels.
pub fn refinement_text(
    shown: &Counterexample,
    normal: &Specification,
    names: &Names<'_>,
    form: TraceForm,
    options: &WriteOptions,
    explain: &Explain<'_>,
) -> Result<(Vec<u8>, Option<String>), TooLarge> {
    let Names {
        specification,
        implementation,
    } = names;
    let (trace, mut labels) = trace_of(shown)?;
    let mut stuck = false;
    let (head, tail) = match &shown.violation {
        Violation::Trace => (
            format!("*** trace of {implementation}, not of {specification}\n"),
            Vec::new(),
        ),
        Violation::Refusal { accepted } => {
            stuck = accepted.is_empty();
            let accepted = accepted.iter().map(|text| labels.intern(text));
            let accepted = accepted.collect::<Result<Vec<_>, _>>()?;
            let mut tail = format!("*** {implementation} accepts:").into_bytes();
            tail.extend(set(&accepted, &labels));
            tail.extend(acceptances(normal, shown.last().node, specification));
            (
                format!("*** {implementation} refuses what {specification} cannot refuse\n"),
                tail,
            )
        }
        Violation::Divergence { .. } => (
            format!("*** {implementation} diverges where {specification} does not\n"),
            Vec::new(),
        ),
    };
    let manner = Manner {
        form,
        labels: &labels,
        options,
        explain,
    };
    let (steps, reason) = manner.trace(&trace, stuck);
    Ok(([head.into_bytes(), steps, tail].concat(), reason))
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

/// Labels spelt as in formulas, in the order of their bytes, to the end of the line.
fn set(labels: &[LabelId], table: &LabelTable) -> Vec<u8> {
    let spelt = |&label: &LabelId| format!(" {}", Action { table, label });
    let mut labels: Vec<String> = labels.iter().map(spelt).collect();
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
