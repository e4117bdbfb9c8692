//! Exploration by several processes.

use std::path::Path;

use hyades_cli_core::choices::first_given;
use hyades_cli_core::cluster::{Membership, cluster_failure};
use hyades_cli_core::distributed::{
    Announcement, Form, check_regular, check_same, kinds, room_distributed,
};
use hyades_cli_core::{AnyModel, Failure, Folder, LtsOutput, Session, Status, Unit, memory};
use hyades_cluster::Error;
use hyades_cluster::exploration::{Explored, KeepRows, KeptRows, Options, explore};
use hyades_cluster::meter::Meter;
use hyades_cluster::processes::Process;
use hyades_cluster::ranges::Ranges;
use hyades_cluster::reach::reach;
use hyades_cluster::wire::{Cursor, put_bytes};
use hyades_cluster::worker::{Worker, gather, sum};
use hyades_explore::{
    Erased, Exploration, ExploreOptions, Limit, Limits, Model, ModelError, Outcome, Questions,
};
use hyades_formats::diagnostic::counted;
use hyades_formats::options::Codec;
use hyades_lts::pattern::LabelPattern;
use hyades_network::NetworkModel;
use hyades_network::symmetry::{Counts, Strategy, SymmetricModel};
use serde_json::{Map, Value};

use super::answers::{Asked, SpaceState, Summary};
use super::{Finding, HiddenText, Order, Reach};

/// What is explored by several processes.
struct Search<'a> {
    membership: &'static Membership,
    /// What messages call it.
    name: &'a str,
    model: Erased<'a>,
    /// Which process has which states, if each knows its own only.
    ranges: Option<Ranges>,
    /// Whether the state space is written from the rows that are found; else the caller does it.
    keeps_rows: bool,
    /// Whether the model has come to its end well.
    finish: &'a dyn Fn() -> Result<(), ModelError>,
    summarise: &'a dyn Fn(&Exploration<'_>, &Asked<'_>) -> Result<Summary, Failure>,
    /// Tells which channels are overfilled; whether the search ended there.
    tell: &'a dyn Fn(&Session, &mut dyn Worker) -> Result<bool, Failure>,
}

/// What has been found, and told.
struct Found {
    status: Status,
    /// How the state space is written, if it is wanted and has been found.
    form: Option<Form>,
    /// Whether the search has come to its end.
    is_complete: bool,
    figures: Map<String, Value>,
}

impl Reach {
    /// Refuses what several processes do not do together.
    fn check_distributed(&self) -> Result<(), Failure> {
        let refused = [
            (self.about.is_asked(), "--info, --labels or --depend"),
            (self.systems.is_asked(), "--analysis"),
            (self.fails(Finding::Overfilled), "--fail-on overfilled"),
            (
                self.livelock || self.fails(Finding::Livelock),
                "a question for livelocks",
            ),
            (self.find_sequence.is_some(), "--find-sequence"),
            (
                !matches!(self.numbering, Order::BreadthFirst),
                "a --numbering other than breadth-first",
            ),
        ];
        if let Some(option) = first_given(refused) {
            return Err(Failure::error(format!(
                "{option} does not go with several processes, which write state spaces and answer \
                 --deadlock and --find"
            )));
        }
        check_regular(self.files_of_options())
    }

    /// As one of the processes of a run.
    pub(super) fn run_distributed(
        self,
        session: &mut Session,
        membership: &'static Membership,
    ) -> Result<Status, Failure> {
        self.check_distributed()?;
        membership.check_no_checkpoints("reach")?;
        let patterns = self.patterns()?;
        let hidden = HiddenText::before(&self.filter);
        let questions = self.questions(&patterns, &hidden);
        let asked = questions.any();
        self.reductions.check_relation()?;
        self.check_tau_star(&questions)?;
        self.tell_unused(session, asked)?;
        if self.model.is_lts(&self.filter)? {
            return self.reach_lts(session, membership, &patterns);
        }
        // An expression is among the arguments.
        let input = &*self.filter.input.input;
        let inputs: &[&Path] = if self.model.is_expression() {
            &[]
        } else {
            &[input]
        };
        let mut process = session.join(membership, inputs)?;
        let outputs = match membership.is_first() {
            true => Some(self.outputs(session, asked)?),
            false => None,
        };
        let witness = outputs.as_ref().and_then(|(_, witness)| witness.as_ref());
        let output = outputs.as_ref().map(|(output, _)| output);
        let shown = self.shown(&questions, None, witness);
        if membership.is_first() {
            shown.begin()?;
        }
        let (given, relabelling) = self.read(session)?;
        for output in output.into_iter().chain(witness) {
            self.check_spares(session, &output.destination, &given)?;
        }
        let files = inputs.iter().copied().chain(given.files());
        let files: Vec<&Path> = files.chain(self.files_of_options()).collect();
        check_same(&mut process, &files, given.text_hash())?;
        let given = self.systems.model(given)?;
        self.check_find(&patterns, &hidden)?;
        let demands = self.demands(&questions, &patterns, &hidden);
        let (model, relabelling) = self.model(session, given, relabelling, &patterns, &demands)?;
        let name = self.model.name(input);
        if let AnyModel::Lts(_) = model {
            return Err(Failure::error(format!(
                "{name}: what is composed step by step is not explored by several processes: \
                 leave out --compositional"
            )));
        }
        let outputs = outputs
            .as_ref()
            .map(|(output, witness)| (output, witness.as_ref()));
        let asked = (questions, &shown);
        let found = self.as_changed(&model, &relabelling, |own| {
            let summarise = |exploration: &Exploration<'_>, shown: &Asked<'_>| match &model {
                AnyModel::Symmetric(model) => {
                    let found = model
                        .replay_all(exploration)
                        .map_err(|error| Failure::error(format!("{name}: {error}")))?;
                    let network = NetworkModel::new(model.symmetry().network().clone());
                    Ok(Summary::new(&found, shown, &|source, label, target| {
                        network.explain(source, label, target)
                    }))
                }
                AnyModel::Lts(_)
                | AnyModel::Plugin(_)
                | AnyModel::Network(_)
                | AnyModel::Reduced(_)
                | AnyModel::System(_) => Ok(Summary::new(
                    exploration,
                    shown,
                    &|source, label, target| own.explain(source, label, target),
                )),
            };
            let search = Search {
                membership,
                name: &name,
                model: own,
                ranges: None,
                keeps_rows: true,
                finish: &|| model.finish(),
                summarise: &summarise,
                tell: &|session, worker| tell_overfilled(session, worker, &model),
            };
            self.search_distributed(session, &mut process, outputs, asked, search)
        });
        let found = found.map_err(|error| Failure::error(format!("{name}: {error}")))??;
        if let AnyModel::Symmetric(model) = &model
            && model.strategy() == Strategy::Exact
            && found.is_complete
        {
            self.count_distributed(session, &mut process, model, &name)?;
        }
        session.leave(process, found.figures)?;
        Ok(found.status)
    }

    /// Counts the states that there are without symmetry: phase `count`.
    fn count_distributed(
        &self,
        session: &mut Session,
        process: &mut Process,
        model: &SymmetricModel<'_>,
        name: &str,
    ) -> Result<(), Failure> {
        let (counts, outcome, orbits) = session.phase("count", |phase| {
            let bar = phase.progress("counting", Unit::States, None);
            let mut report = bar.explored();
            let search = ExploreOptions {
                limits: self.limits_distributed(),
                progress: Some(&mut report),
                ..ExploreOptions::default()
            };
            let options = Options::default();
            let explored = explore(process, model.erased(), search, &options);
            let Explored {
                exploration,
                states,
                ..
            } = explored.map_err(|error| search_failure(name, error))?;
            // Those of a process are four numbers, or nothing if they are too large, or not of all.
            let own = match exploration.outcome {
                Outcome::Complete => {
                    model.counted(states.len(), |k, state| states.read(k as u32, state))
                }
                Outcome::LimitReached(_) | Outcome::Answered | Outcome::Stopped => None,
            };
            let own = own.map(|own| [own.orbits, own.states, own.transitions, own.applications]);
            let own: Vec<u8> = own
                .iter()
                .flatten()
                .flat_map(|count| count.to_le_bytes())
                .collect();
            let all = gather(process, &own).map_err(cluster_failure)?;
            let sum = all.iter().try_fold(Counts::default(), |sum, told| {
                let (counts, _) = told.as_chunks();
                let &[orbits, states, transitions, applications] = counts else {
                    return None;
                };
                sum.plus(Counts {
                    orbits: u128::from_le_bytes(orbits),
                    states: u128::from_le_bytes(states),
                    transitions: u128::from_le_bytes(transitions),
                    applications: u128::from_le_bytes(applications),
                })
            });
            Ok((sum, exploration.outcome, exploration.states))
        })?;
        if process.index() == 0 {
            session.tell_unreduced(counts, outcome == Outcome::Complete, orbits);
        }
        Ok(())
    }

    /// The limits of a search by several processes.
    fn limits_distributed(&self) -> Limits {
        Limits {
            max_states: self.limits.max_states,
            max_memory: memory::rest(),
        }
    }

    /// Explores, answers, and writes what is wanted.
    fn search_distributed(
        &self,
        session: &mut Session,
        process: &mut Process,
        outputs: Option<(&LtsOutput, Option<&LtsOutput>)>,
        (questions, shown): (Questions<'_>, &Asked<'_>),
        search: Search<'_>,
    ) -> Result<Found, Failure> {
        let Search {
            membership,
            name,
            model,
            ranges,
            keeps_rows,
            finish,
            summarise,
            tell,
        } = search;
        let asked = questions.any();
        let wanted = !asked || self.state_space.is_some();
        let output = outputs.map(|(output, _)| output);
        let witness = outputs.and_then(|(_, witness)| witness);
        let failed = |error| search_failure(name, error);
        let limits = self.limits_distributed();
        // What cannot be written is refused before the search.
        let form = match wanted {
            true => Some(Form::of_first(process, output)?),
            false => None,
        };
        let room = room_distributed(process, output)?;
        let options = Options {
            ranges,
            rows: (wanted && keeps_rows).then(|| KeepRows::new(room)),
            ..Options::default()
        };
        let explored = session.phase("reach", |phase| {
            let bar = phase.progress("searching", Unit::States, None);
            let mut report = bar.explored();
            let search = ExploreOptions {
                limits,
                questions,
                stop_when_answered: !wanted,
                progress: Some(&mut report),
            };
            let explored = explore(process, model, search, &options).map_err(failed)?;
            finish().map_err(|error| Failure::error(format!("{name}: {error}")))?;
            let found = &explored.exploration;
            phase.summary(|| {
                format!(
                    "{}, {}, depth {}",
                    counted(found.states, "state"),
                    counted(found.transitions, "transition"),
                    found.depth
                )
            });
            Ok(explored)
        })?;
        let Explored {
            exploration,
            rows,
            figures,
            states,
            ..
        } = explored;
        // Their room is needed for what follows.
        drop(states);
        if exploration.outcome == Outcome::LimitReached(Limit::Memory) {
            memory::spend_reserve();
        }
        let summary = summarise(&exploration, shown)?;
        let is_cut = tell(session, process)?;
        let is_complete = exploration.outcome == Outcome::Complete;
        let space = SpaceState::new(wanted, is_complete, is_cut);
        let status = match membership.is_first() {
            true => self.answer(session, summary, asked, space, witness)?,
            false => {
                session.said_why();
                self.status(&summary, space)
            }
        };
        if let (Some(mut rows), Some(form), true) = (rows, form, is_complete) {
            let labels = exploration.labels.clone().into_owned();
            let used = rows.used_labels().to_vec();
            let what = Announcement {
                states: exploration.states,
                transitions: exploration.transitions,
                initial: 0,
                table: &labels,
                used: &used,
            };
            match form {
                Form::Whole | Form::Rows => {
                    session.write_explored(process, output, &mut rows, &what)?;
                }
                Form::Parts(codec) => {
                    let folder = output.and_then(|output| output.folder.as_ref());
                    write_parts(session, process, folder, &what, codec, &mut rows)?;
                }
            }
        }
        let own = [
            ("states", figures.states),
            ("transitions", figures.transitions),
            ("states_sent", figures.sent),
            ("states_cached", figures.cached),
            ("levels", figures.levels),
        ];
        let own = own.map(|(name, figure)| (name.to_owned(), Value::from(figure)));
        Ok(Found {
            status,
            form: form.filter(|_| is_complete),
            is_complete,
            figures: Map::from_iter(own),
        })
    }
}

impl Reach {
    /// The part of an LTS that can be reached, or answers about it.
    fn reach_lts(
        &self,
        session: &mut Session,
        membership: &'static Membership,
        patterns: &[LabelPattern],
    ) -> Result<Status, Failure> {
        let filter = &self.filter;
        let input = &*filter.input.input;
        let name = self.model.name(input);
        let refused = first_given([(self.tau_star, "--tau-star")]);
        if let Some(option) = refused.or_else(|| self.reductions.given()) {
            return Err(Failure::error(format!(
                "{name} is an LTS, of which each process has a part: {option} does not go with that"
            )));
        }
        let relabelling = self.relabel.of_model(session, filter, None)?;
        let hidden = HiddenText::before(filter);
        let questions = self.questions(patterns, &hidden);
        let asked = questions.any();
        let mut process = session.join(membership, &[input])?;
        let files: Vec<&Path> = self.files_of_options().collect();
        check_same(&mut process, &files, 0)?;
        let outputs = match membership.is_first() {
            true => Some(self.outputs(session, asked)?),
            false => None,
        };
        let witness = outputs.as_ref().and_then(|(_, witness)| witness.as_ref());
        let output = outputs.as_ref().map(|(output, _)| output);
        for output in output.into_iter().chain(witness) {
            session.check_spares(&output.destination, self.files_of_options())?;
        }
        let shown = self.shown(&questions, None, witness);
        if membership.is_first() {
            shown.begin()?;
        }
        let is_plain = !asked && relabelling.is_none() && self.limits.max_states.is_none();
        let mut meter = Meter::new(&mut process);
        let form = match is_plain {
            true => Some(Form::of_first(&mut meter, output)?),
            false => None,
        };
        let (read, format) =
            session.read_distributed(&mut meter, input, (&filter.read, &filter.dialect), output)?;
        hidden.read_in(filter, Some(format));
        let part = read.into_part(&mut meter).map_err(cluster_failure)?;
        let write = |session: &mut Session, meter: &mut Meter<'_>, part, form| {
            let options = hyades_cluster::options::Options::new(
                session.memory_distributed(meter, membership)?,
            );
            let parts = session.phase("reach", |_| {
                reach(meter, part, &options).map_err(cluster_failure)
            })?;
            let transitions = sum(meter, parts.rows.labels.len() as u64);
            let sizes = (parts.ranges.states(), transitions.map_err(cluster_failure)?);
            session.write_parts_distributed(meter, output, form, &parts, sizes)
        };
        if let Some(form) = form {
            write(session, &mut meter, part, form)?;
            let kinds = kinds(&meter);
            session.leave(process, kinds)?;
            return Ok(Status::Holds);
        }
        // Without rules the rows stay as they are.
        let keeps_rows = !relabelling.is_none();
        let relabelled = relabelling
            .model(part.erased())
            .map_err(|error| Failure::error(format!("{name}: {error}")))?;
        let search = Search {
            membership,
            name: &name,
            model: match keeps_rows {
                true => relabelled.erased(),
                false => part.erased(),
            },
            ranges: Some(part.ranges.clone()),
            keeps_rows,
            finish: &|| Ok(()),
            summarise: &|exploration, shown| {
                Ok(Summary::new(exploration, shown, &|_, _, _| Vec::new()))
            },
            tell: &|_, _| Ok(false),
        };
        let all = outputs
            .as_ref()
            .map(|(output, witness)| (output, witness.as_ref()));
        let asked = (questions, &shown);
        let found = self.search_distributed(session, &mut process, all, asked, search)?;
        if let (Some(form), false) = (found.form, keeps_rows) {
            write(session, &mut Meter::new(&mut process), part, form)?;
        }
        session.leave(process, found.figures)?;
        Ok(found.status)
    }
}

/// Writes a state space in parts: each process those of a range of states.
fn write_parts(
    session: &mut Session,
    process: &mut Process,
    folder: Option<&Folder>,
    what: &Announcement<'_>,
    codec: Codec,
    rows: &mut KeptRows,
) -> Result<(), Failure> {
    let ranges = Ranges::even(what.states, process.peers());
    let own = ranges.of(process.index());
    session.write_distributed(process, folder, what, codec, own, |worker, write| {
        let mut row = Vec::new();
        rows.deliver(worker, &ranges, |rows| {
            for (_, steps) in rows.iter() {
                row.clear();
                row.extend(steps);
                write(&row)?;
            }
            Ok(())
        })
    })
}

/// What is told of an exploration that failed.
fn search_failure(name: &str, error: Error) -> Failure {
    match error {
        Error::Explore(error) => Failure::error(format!("{name}: {error}")),
        error => cluster_failure(error),
    }
}

/// Tells which channels have been overfilled at any of the processes; whether some have.
fn tell_overfilled(
    session: &Session,
    worker: &mut dyn Worker,
    model: &AnyModel,
) -> Result<bool, Failure> {
    let AnyModel::System(system) = model else {
        return Ok(false);
    };
    let mut own = Vec::new();
    for channel in system.seen_overfilled() {
        put_bytes(&mut own, channel.name.as_bytes());
    }
    let mut names: Vec<String> = Vec::new();
    for told in gather(worker, &own).map_err(cluster_failure)? {
        let mut told = Cursor::new(&told);
        while !told.is_empty() {
            let name = told.bytes().map_err(cluster_failure)?;
            let name = String::from_utf8_lossy(name).into_owned();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    super::search::tell_overfilled(session, &names);
    Ok(!names.is_empty())
}
