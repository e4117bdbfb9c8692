//! Exploring by one process.

use std::cell::LazyCell;

use hyades_explore::{
    self, AutSink, Erased, Exploration, ExploreError, ExploreOptions, Goal, Limit, Limits, Model,
    Outcome, Questions, Searched, SequencePattern, TauStar,
};
use hyades_formats::Lts;
use hyades_formats::aut::{Spool, StreamWriter};
use hyades_formats::diagnostic::counted;
use hyades_lts::Numbering;
use hyades_network::NetworkModel;
use hyades_network::symmetry::SymmetricModel;

use super::answers::{Asked, Summary};
use super::{Order, Reach, unnumbered};
use hyades_cli_core::{
    AnyModel, Explain, Failure, LtsOutput, Relabelling, Session, Size, Unit, end_stream, memory,
    show_lts,
};

/// What is wanted of a model.
pub(super) struct Wanted<'a> {
    pub questions: Questions<'a>,
    /// How they are answered; none if nothing is asked.
    pub shown: &'a Asked<'a>,
    /// The path that is looked for.
    pub sequence: Option<&'a SequencePattern>,
    pub is_asked: bool,
    /// Where the state space goes, if it is wanted.
    pub space: Option<&'a LtsOutput>,
}

/// The state space that was found.
pub(super) enum Kept {
    Lts(Lts),
    Spooled(Spool, Size),
}

/// What a search gives.
pub(super) struct SearchResult {
    /// The state space, if it is wanted and was found as a whole.
    pub space: Option<Kept>,
    /// What else there is to be told.
    pub found: Option<Summary>,
    /// Whether the search of a system did not go on from states in which a channel is
    /// overfilled.
    pub is_cut: bool,
}

/// What exploring gives.
type Reached = Result<(Option<Lts>, Option<Summary>), ExploreError>;

/// How a model is explored, for what, and what is made of that.
struct Exploring<'a> {
    options: ExploreOptions<'a>,
    goal: Goal<'a>,
    look: &'a dyn Fn(&Exploration<'_>, &Explain<'_>) -> Summary,
}

impl Exploring<'_> {
    /// An LTS, whose labels say all about its transitions.
    fn lts(self, lts: Lts) -> Reached {
        hyades_explore::reach(lts, self.options, self.goal, |found| {
            (self.look)(found, &|_, _, _| Vec::new())
        })
    }

    /// A model that has more to say about transitions than their labels.
    fn model(self, model: Erased<'_>) -> Reached {
        let explain = |source: &[u64], label: Option<&[u8]>, target: &[u64]| {
            model.explain(source, label, target)
        };
        hyades_explore::reach(model, self.options, self.goal, |found| {
            (self.look)(found, &explain)
        })
    }

    /// A network up to symmetry, whose traces are told as those of the network.
    fn symmetric(self, model: &SymmetricModel<'_>) -> Reached {
        let (lts, found) = hyades_explore::reach(model, self.options, self.goal, |found| {
            let found = model.replay_all(found)?;
            // Needed for steps of traces only.
            let network = LazyCell::new(|| NetworkModel::new(model.symmetry().network().clone()));
            let explain = |source: &[u64], label: Option<&[u8]>, target: &[u64]| {
                network.explain(source, label, target)
            };
            Ok((self.look)(&found, &explain))
        })?;
        Ok((lts, found.transpose().map_err(ExploreError::Model)?))
    }
}

impl Reach {
    /// Explores a model.
    pub(super) fn search(
        &self,
        session: &mut Session,
        model: AnyModel,
        relabelling: &Relabelling,
        wanted: Wanted<'_>,
    ) -> Result<SearchResult, Failure> {
        let Wanted {
            questions,
            shown,
            sequence,
            is_asked,
            space,
        } = wanted;
        if space.is_some() && !matches!(self.numbering, Order::BreadthFirst) && !model.has_numbers()
        {
            return Err(unnumbered());
        }
        let numbering = self.numbering.into();
        let is_relabelled = self.tau_star || !relabelling.is_none();
        let is_computed = is_relabelled || !matches!(model, AnyModel::Lts(_));
        let is_changed = is_relabelled || sequence.is_some();
        // Which dialect an output follows may depend on labels that come late.
        let mut spool = space
            .filter(|output| {
                is_computed
                    && numbering == Numbering::BreadthFirst
                    && output.is_sequential()
                    && !session.follows_mcrl2(output)
            })
            .map(|output| (Spool::new(output.destination.room()), output));
        let limits = Limits {
            max_states: self.limits.max_states,
            // An LTS that is cut down in place needs no tables.
            max_memory: memory::rest().filter(|_| is_asked || is_computed),
        };
        let input = self.model.name(&self.filter.input.input);
        let mut diagnostics = session.diagnostics();
        let mut overfilled: Vec<String> = Vec::new();
        let mut leaves_out = false;
        let (lts, size, found) = session.phase("reach", |phase| {
            let mut sink = spool.as_mut().map(|(spool, output)| {
                let writer = StreamWriter::spooling(spool, &output.options);
                AutSink::new(writer, &mut diagnostics)
            });
            let goal = match &mut sink {
                Some(sink) => Goal::Sink(sink),
                None if space.is_some() => Goal::Lts(numbering),
                None => Goal::Answers,
            };
            let is_counted = is_asked || limits != Limits::default();
            let unit = if is_counted { Unit::States } else { Unit::None };
            let bar = phase.progress("searching", unit, model.states());
            let mut report = bar.explored();
            let look = |found: &Exploration<'_>, explain: &Explain<'_>| {
                if found.outcome == Outcome::LimitReached(Limit::Memory) {
                    memory::spend_reserve();
                }
                Summary::new(found, shown, explain)
            };
            let exploring = Exploring {
                options: ExploreOptions {
                    limits,
                    questions,
                    stop_when_answered: space.is_none(),
                    progress: Some(&mut report),
                },
                goal,
                look: &look,
            };
            let reached = match model {
                model if is_changed => {
                    let reached = self.changed(&model, relabelling, sequence, exploring);
                    leaves_out = is_cut_plugin(&model);
                    overfilled = overfilled_of(&model);
                    reached
                }
                AnyModel::Lts(lts) => exploring.lts(lts),
                AnyModel::Symmetric(network) => exploring.symmetric(&network),
                model @ (AnyModel::Plugin(_)
                | AnyModel::Network(_)
                | AnyModel::Reduced(_)
                | AnyModel::System(_)) => {
                    let reached = exploring.model(model.erased());
                    leaves_out = is_cut_plugin(&model);
                    overfilled = overfilled_of(&model);
                    reached.and_then(|reached| {
                        model.finish()?;
                        Ok(reached)
                    })
                }
            };
            let (lts, found) = reached.map_err(|e| Failure::error(format!("{input}: {e}")))?;
            phase.summary(|| match (&lts, &found) {
                (Some(lts), _) => show_lts(lts),
                (None, Some(found)) => format!(
                    "{}, {}, depth {}",
                    counted(found.states, "state"),
                    counted(found.transitions, "transition"),
                    found.depth
                ),
                (None, None) => String::new(),
            });
            let size = match (sink, &found, space) {
                (Some(sink), Some(found), Some(output)) => {
                    let complete = found.outcome == Outcome::Complete;
                    end_stream(sink, complete.then_some(found.states), output)?
                }
                _ => None,
            };
            Ok((lts, size, found))
        })?;
        tell_overfilled(session, &overfilled);
        if leaves_out {
            session.note("the model leaves states out: the search does not go on from all states");
        }
        let spooled = spool.zip(size);
        let spooled = spooled.map(|((spool, _), size)| Kept::Spooled(spool, size));
        Ok(SearchResult {
            space: lts.map(Kept::Lts).or(spooled),
            found,
            is_cut: !overfilled.is_empty(),
        })
    }

    /// Explores a model that is changed on the fly.
    fn changed(
        &self,
        model: &AnyModel,
        relabelling: &Relabelling,
        sequence: Option<&SequencePattern>,
        exploring: Exploring<'_>,
    ) -> Reached {
        let reached = self.as_changed(model, relabelling, |model| match sequence {
            Some(pattern) => exploring.model(Searched::new(model, pattern).erased()),
            None => exploring.model(model),
        })??;
        model.finish()?;
        Ok(reached)
    }

    /// What `work` makes of a model as options change it on the fly.
    ///
    /// # Errors
    /// If it cannot be changed so.
    pub(super) fn as_changed<T>(
        &self,
        model: &AnyModel,
        relabelling: &Relabelling,
        work: impl FnOnce(Erased<'_>) -> T,
    ) -> Result<T, ExploreError> {
        let relabelled;
        let own = match relabelling.is_none() {
            true => model.erased(),
            false => {
                relabelled = relabelling.model(model.erased())?;
                relabelled.erased()
            }
        };
        Ok(match self.tau_star {
            true => {
                let most = self.limits.max_states;
                work(TauStar::new(own).with_max_states(most).erased())
            }
            false => work(own),
        })
    }
}

/// Whether a plugin has left states out; of systems, channels tell why.
fn is_cut_plugin(model: &AnyModel) -> bool {
    matches!(model, AnyModel::Plugin(plugin) if plugin.was_truncated())
}

/// The channels of a system that have been overfilled, from where its search does not go
/// on.
fn overfilled_of(model: &AnyModel) -> Vec<String> {
    match model {
        AnyModel::System(system) => {
            let channels = system.seen_overfilled();
            channels.map(|channel| channel.name.clone()).collect()
        }
        AnyModel::Lts(_)
        | AnyModel::Plugin(_)
        | AnyModel::Network(_)
        | AnyModel::Reduced(_)
        | AnyModel::Symmetric(_) => Vec::new(),
    }
}

/// Tells which channels have been overfilled, if some have.
pub(super) fn tell_overfilled(session: &Session, channels: &[String]) {
    if !channels.is_empty() {
        session.note(format_args!(
            "overfilled: channel {}; the search does not go on from there (--analysis tells \
             more, --beyond-overfilled goes on)",
            channels.join(", ")
        ));
    }
}
