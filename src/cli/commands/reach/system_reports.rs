//! Telling what exploring a system of communicating machines finds, as text and as JSON.

use hyades_channels::{
    Analysis, ComponentId, Labelled, MaximalProgress, Sight, System, SystemModel, SystemState,
    Vocabulary, analyse, labels_of,
};
use hyades_explore::{Limits, LtsSink};
use hyades_formats::diagnostic::counted;
use hyades_formats::{Lts, StateId};
use serde_json::{Value, json};

use hyades_cli_core::answer::{add_line, json_text};
use hyades_cli_core::any_model::{Explorable, Given};
use hyades_cli_core::escape::printable_line;
use hyades_cli_core::progress::Unit;
use hyades_cli_core::session::Session;
use hyades_cli_core::status::Failure;
use hyades_cli_core::systems::ExploreSystemOptions;

/// How many dead states are told with a way to each.
const SHOWN: usize = 10;

/// What there is to know of a system, for a command that explores it.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Systems of machines")]
pub struct SystemOptions {
    /// Print what there is to know of a system of machines, instead of its state
    /// space: dead states and overfilled channels, with a shortest way to each, and
    /// what no component ever does; the state space is written as well if -o names a
    /// file
    #[arg(long = "analysis")]
    report: bool,

    /// With --analysis: tell ways to at most N dead states
    #[arg(long, value_name = "N", requires = "report", default_value_t = SHOWN)]
    show: usize,

    /// With --analysis: of two components that are linked by one channel each way,
    /// let each wait for the other wherever that makes no difference to errors
    /// (maximal progress); a way is a shortest one among those left
    #[arg(long, requires = "report")]
    maximal_progress: bool,

    #[command(flatten)]
    explore: ExploreSystemOptions,
}

/// What [`SystemOptions::report`] tells.
pub struct Report {
    /// The report.
    pub text: String,
    /// Whether there is a dead state.
    pub dead: bool,
    /// Whether a channel is overfilled.
    pub overflowing: bool,
    /// Whether everything was explored that can be reached without going beyond an
    /// overfilled channel.
    pub complete: bool,
    /// Whether a link is overfilled, beyond which nothing was explored.
    pub is_stopped: bool,
}

impl SystemOptions {
    /// Whether a report is asked for.
    pub fn is_asked(&self) -> bool {
        self.report
    }

    /// Refuses what is for systems only.
    ///
    /// # Errors
    /// If `given`, called `name`, is none, and there is such an option.
    pub fn check(&self, given: &Given, name: &str) -> Result<(), Failure> {
        self.explore.check(given, name)
    }

    /// A system as a model like any other; other models as they are.
    ///
    /// # Errors
    /// If its states would be too long.
    pub fn model(&self, given: Given) -> Result<Explorable, Failure> {
        self.explore.model(given)
    }

    /// Explores a system: phase `reach`. What was found, and the state space if it is
    /// wanted and everything was explored.
    ///
    /// # Errors
    /// If it cannot be explored.
    pub fn report(
        &self,
        session: &mut Session,
        system: &System,
        max_states: Option<u64>,
        wants_lts: bool,
        is_json: bool,
    ) -> Result<(Report, Option<Lts>), Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::error(error.to_string());
        let semantics = self.explore.get();
        let limits = Limits {
            max_states,
            max_memory: hyades_cli_core::memory::rest(),
        };
        let progress;
        let whole;
        let (model, progress) = if self.maximal_progress {
            progress = MaximalProgress::new(system, semantics).map_err(|e| failed(&e))?;
            (progress.model(), Some(&progress))
        } else {
            whole = SystemModel::new(system, semantics).map_err(|e| failed(&e))?;
            (&whole, None)
        };
        let (table, labels) = labels_of(model).map_err(|e| failed(&e))?;
        let mut sink = LtsSink::new();
        let found = session.phase("reach", |phase| {
            let bar = phase.progress("searching", Unit::States, None);
            let mut bar = bar.explored();
            let goal = wants_lts.then_some(Labelled {
                sink: &mut sink,
                table: &table,
                labels: &labels,
            });
            let found = match progress {
                Some(progress) => progress.analyse(limits, Some(&mut bar), goal),
                None => analyse(model, limits, Some(&mut bar), goal),
            };
            let found = found.map_err(|e| failed(&e))?;
            phase.summary(|| {
                let states = counted(found.states, "state");
                format!("{states}, {}", counted(found.transitions, "transition"))
            });
            Ok(found)
        })?;
        session.add_figure("states_found", found.states);
        session.add_figure("transitions_found", found.transitions);
        session.add_figure("depth", found.depth);
        session.add_figure("dead_states", found.dead.len());
        session.add_figure("overfilled_channels", found.overflowing.len());
        sink.check().map_err(|e| failed(&e))?;
        let complete = found.is_complete();
        let report = Report {
            text: match is_json {
                true => json_text(&self.object(model, &found)),
                false => self.lines(model, &found),
            },
            dead: !found.dead.is_empty(),
            overflowing: !found.overflowing.is_empty(),
            complete,
            is_stopped: found.stopped_by(model).is_some(),
        };
        let lts = (wants_lts && complete).then(|| sink.finish(table));
        Ok((report, lts.transpose().map_err(|e| failed(&e))?))
    }

    fn lines(&self, model: &SystemModel<'_>, found: &Analysis) -> String {
        let system = model.system();
        let mut text = String::new();
        let states = unreachable(model, found);
        let never = never(model, found);
        let so_far = match found.is_complete() {
            true => "",
            false => ", as far as it was explored",
        };
        let verdict = |holds: bool| if holds { "TRUE" } else { "FALSE" };
        add_line(&mut text, "states", found.states);
        add_line(&mut text, "transitions", found.transitions);
        add_line(&mut text, "depth", found.depth);
        add_line(&mut text, "complete", verdict(found.is_complete()));
        let beyond = found.stopped_by(model).is_none();
        add_line(
            &mut text,
            "explored beyond overfilled channels",
            verdict(beyond),
        );
        add_line(&mut text, "dead states", found.dead.len());
        add_line(&mut text, "overfilled channels", found.overflowing.len());
        add_line(&mut text, "unreachable component states", states.len());
        add_line(&mut text, "unexecuted component transitions", never.len());
        for (channel, state) in &found.truncated {
            let name = &system.channel(*channel).name;
            let steps = found.way_to(*state).len();
            let bound = model.semantics().bound(system.channel(*channel));
            add_line(
                &mut text,
                "beyond the bound",
                format!(
                    "channel {name} holds more than {} after {}",
                    counted(bound, "message"),
                    counted(steps as u64, "step")
                ),
            );
        }
        for (channel, sight) in &found.overflowing {
            let channel = system.channel(*channel);
            let way = found.way_to_sight(*sight);
            let capacity = channel.capacity.unwrap_or(u32::MAX);
            text.push_str(&format!(
                "\noverfilled: channel {}, of capacity {capacity}, after {}\n",
                printable_line(&channel.name),
                counted(way.len() as u64, "step")
            ));
            text.push_str(&way_lines(model, &way));
        }
        for &state in found.dead.iter().take(self.show) {
            let way = found.way_to(state);
            let what = found.state(model, state);
            text.push_str(&format!(
                "\ndead: {}, after {}\n",
                printable_line(&model.show_state(&what)),
                counted(way.len() as u64, "step")
            ));
            text.push_str(&way_lines(model, &way));
        }
        if found.dead.len() > self.show {
            let more = found.dead.len() - self.show;
            text.push_str(&format!(
                "\n{}; --show N tells more\n",
                counted(more, "more dead state")
            ));
        }
        if !states.is_empty() {
            text.push_str(&format!("\nunreachable component states{so_far}:\n"));
            for (name, numbers) in grouped(&states) {
                let name = printable_line(name);
                text.push_str(&format!("  {name}: {}\n", numbers.join(" ")));
            }
        }
        if !never.is_empty() {
            text.push_str(&format!("\nunexecuted component transitions{so_far}:\n"));
            for (name, shown) in &never {
                text.push_str(&(printable_line(&format!("  {name} {shown}")) + "\n"));
            }
        }
        text
    }

    fn object(&self, model: &SystemModel<'_>, found: &Analysis) -> Value {
        let system = model.system();
        let sight = |sight: &Sight| way_json(model, &found.way_to_sight(*sight));
        let overflowing: Vec<Value> = found
            .overflowing
            .iter()
            .map(|(channel, at)| {
                let channel = system.channel(*channel);
                json!({
                    "channel": channel.name,
                    "capacity": channel.capacity,
                    "trace": sight(at),
                })
            })
            .collect();
        let dead: Vec<Value> = found
            .dead
            .iter()
            .take(self.show)
            .map(|&state| {
                let what = found.state(model, state);
                let mut object = state_json(model, &what);
                object["trace"] = way_json(model, &found.way_to(state));
                object
            })
            .collect();
        let truncated: Vec<Value> = found
            .truncated
            .iter()
            .map(|(channel, state)| {
                json!({
                    "channel": system.channel(*channel).name,
                    "trace": way_json(model, &found.way_to(*state)),
                })
            })
            .collect();
        let states = unreachable(model, found);
        let states: Vec<Value> = states
            .iter()
            .map(|(component, state)| json!({ "component": component, "state": state }))
            .collect();
        let never = never(model, found);
        let never: Vec<Value> = never
            .iter()
            .map(|(component, shown)| json!({ "component": component, "transition": shown }))
            .collect();
        json!({
            "system": system.name,
            "states": found.states,
            "transitions": found.transitions,
            "depth": found.depth,
            "complete": found.is_complete(),
            "explored_beyond_overfilled_channels": found.stopped_by(model).is_none(),
            "dead_states": found.dead.len(),
            "dead": dead,
            "overfilled": overflowing,
            "beyond_the_bound": truncated,
            "unreachable_component_states": states,
            "unexecuted_component_transitions": never,
        })
    }
}

/// The states that each component never enters, with its name.
fn unreachable<'a>(model: &'a SystemModel<'_>, found: &Analysis) -> Vec<(&'a str, u32)> {
    let system = model.system();
    let mut is_entered: Vec<Vec<bool>> = Vec::new();
    for machine in system.machines() {
        let mut entered = vec![false; machine.states()];
        entered[machine.initial().index()] = true;
        is_entered.push(entered);
    }
    for ((id, transition), executed) in model.transitions().iter().zip(&found.executed) {
        is_entered[id.index()][transition.target.index()] |= executed;
    }
    let mut states = Vec::new();
    for ((name, machine), entered) in system.names().iter().zip(system.machines()).zip(is_entered) {
        for state in (0..machine.states()).filter(|&state| !entered[state]) {
            let id = StateId::from_index(state);
            // Without transitions, it is a number that nothing is said of.
            if machine.outgoing(id).len() + machine.incoming(id).len() > 0 {
                states.push((name.as_str(), id.get()));
            }
        }
    }
    states
}

/// The transitions that each component never executes, with its name.
fn never<'a>(model: &'a SystemModel<'_>, found: &Analysis) -> Vec<(&'a str, String)> {
    let system = model.system();
    let transitions = model.transitions().iter().zip(&found.executed);
    let never = transitions.filter(|(_, executed)| !**executed);
    let mut shown = Vec::new();
    let mut vocabulary: Option<(ComponentId, Vocabulary<'_>)> = None;
    for ((id, transition), _) in never {
        // Those of a component come one after the other.
        let (_, vocabulary) = match vocabulary.take() {
            Some(known) if known.0 == *id => vocabulary.insert(known),
            _ => vocabulary.insert((*id, system.vocabulary(*id))),
        };
        shown.push((
            system.component_name(*id),
            vocabulary.show_transition(transition),
        ));
    }
    shown
}

/// What belongs to each name, names in order.
fn grouped<'a>(pairs: &[(&'a str, u32)]) -> Vec<(&'a str, Vec<String>)> {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for &(name, number) in pairs {
        match groups.last_mut().filter(|(other, _)| *other == name) {
            Some((_, numbers)) => numbers.push(number.to_string()),
            None => groups.push((name, vec![number.to_string()])),
        }
    }
    groups
}

/// A way, one step a line, with what it leads to.
fn way_lines(model: &SystemModel<'_>, way: &[u32]) -> String {
    let system = model.system();
    let mut text = String::new();
    for (&number, state) in way.iter().zip(model.states_of(way)) {
        let (id, transition) = &model.transitions()[number as usize];
        let name = system.component_name(*id);
        let shown = system.show_transition(*id, transition);
        let line = format!("  {name} {shown}  ->  {}", model.show_state(&state));
        text.push_str(&(printable_line(&line) + "\n"));
    }
    text
}

fn way_json(model: &SystemModel<'_>, way: &[u32]) -> Value {
    let system = model.system();
    let step = |(&number, state)| {
        let (id, transition) = &model.transitions()[number as usize];
        let mut object = state_json(model, &state);
        object["component"] = system.component_name(*id).into();
        object["transition"] = system.show_transition(*id, transition).into();
        object
    };
    way.iter().zip(model.states_of(way)).map(step).collect()
}

/// A state of a system, by the names of components and channels.
fn state_json(model: &SystemModel<'_>, state: &SystemState) -> Value {
    let system = model.system();
    let names = model
        .members()
        .iter()
        .map(|&id| system.component_name(id).to_owned());
    let states = state.components.iter().map(|state| json!(state.get()));
    let queues = model.linked().zip(&state.channels).map(|(channel, queue)| {
        let channel = system.channel(channel);
        let messages = queue.iter().map(|m| channel.messages[m.index()].clone());
        (channel.name.clone(), messages.collect::<Value>())
    });
    json!({
        "components": names.zip(states).collect::<serde_json::Map<_, _>>(),
        "channels": queues.collect::<serde_json::Map<_, _>>(),
    })
}
