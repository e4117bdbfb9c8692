//! Making systems of machines smaller on behalf of commands.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hyades_channels::{
    Action, Application, ComponentId, Correspondence, Reach, Reducer, Rule, RuleLimits, Strategy,
    System, theta,
};
use hyades_explore::Limits;
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::{Compression, StateId};
use serde_json::json;

use super::proofs;
use super::system_work::Work;
use hyades_cli_core::choices::first_given;
use hyades_cli_core::options::{FilterOptions, LimitOptions};
use hyades_cli_core::output::Destination;
use hyades_cli_core::progress::Unit;
use hyades_cli_core::session::Session;
use hyades_cli_core::status::{Failure, Status};
use hyades_cli_core::systems::{ExploreSystemOptions, not_a_system};

/// How a system of machines is made smaller.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Systems of machines")]
pub struct SystemReductionOptions {
    /// Apply these rules, theta1 to theta6, until none is applicable, the first ones
    /// first [default: theta2,theta1,theta3,theta4, unless something else is asked
    /// for]
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    rules: Vec<Rule>,

    /// How the rules are applied: algorithm2, or rule-by-rule [default: algorithm2]
    #[arg(long, value_name = "NAME")]
    strategy: Option<Strategy>,

    /// Apply rules to this component only; repeatable
    #[arg(long, value_name = "NAME")]
    component: Vec<String>,

    /// Apply each of the rules once to this state of the component: theta1 and theta3
    /// delete it, theta4 replaces all transitions into it that it may; theta2, theta5
    /// and theta6 are applied to all transitions that leave it
    #[arg(long, value_name = "N", requires = "rules", requires = "component")]
    state: Option<u32>,

    /// Let theta3 make more transitions of a component than there were
    #[arg(long)]
    may_grow: bool,

    /// Let theta4 make N transitions that theta2 does not delete at once, or any
    /// number of them (all) [default: 1]
    #[arg(long = "remaining", value_name = "N", value_parser = survivors)]
    survivors: Option<Survivors>,

    /// Let theta1, theta3 and theta4 make no labels of more than N events [default: 12];
    /// of what theta4 makes, those count, too, that theta6 has deleted
    #[arg(long, value_name = "N")]
    longest_label: Option<usize>,

    /// First replace components by one, with this name, that behaves like them
    /// together; repeatable, done from left to right. A comma always ends the name
    /// of a component: none that contains one can be given
    #[arg(long, value_name = "NAME=A,B,...")]
    compose: Vec<String>,

    /// After the rules, replace equivalent states of a component by one of them
    #[arg(long)]
    merge: bool,

    /// Finally, delete the transitions of components that the system never executes
    #[arg(long)]
    unexecuted: bool,

    /// First of all, do again what --log wrote to LOG; `-` is standard input
    #[arg(long, value_name = "LOG")]
    apply: Option<PathBuf>,

    /// Write what was done to LOG, which --apply does again
    #[arg(long, value_name = "LOG")]
    log: Option<PathBuf>,

    /// Explore the system before and after, and compare dead states, overfilled
    /// channels, and which transitions are executed; status 1 if they differ
    #[arg(long)]
    verify: bool,

    /// Number the states of each component anew, in breadth-first order
    #[arg(long)]
    renumber: bool,

    /// Change nothing, but tell whether the system may be replaced by the one in NEW,
    /// which differs in one component, whose states have the same numbers: whether
    /// that preserves dead states, overfilled channels and what is executed, whatever
    /// the other components do; status 3 if that is not proved, as nothing is refuted
    #[arg(
        long,
        value_name = "NEW",
        conflicts_with_all = [
            "rules", "strategy", "component", "state", "may_grow", "survivors", "longest_label", "compose",
            "merge", "unexecuted", "apply", "log", "verify", "renumber", "beyond_overfilled",
            "channel_bound", "max_states",
        ]
    )]
    prove: Option<PathBuf>,

    /// With --prove: take the region that is changed from FILE
    #[arg(long, value_name = "FILE", requires = "prove")]
    region: Option<PathBuf>,

    /// With --prove: look at walks of at most N transitions one by one
    #[arg(long, value_name = "N", requires = "prove", default_value_t = theta::Options::default().transitions)]
    walks: usize,

    #[command(flatten)]
    explore: ExploreSystemOptions,
}

/// The rules if nothing else is said.
const USUAL: [Rule; 4] = [Rule::Theta2, Rule::Theta1, Rule::Theta3, Rule::Theta4];

/// Values of `--remaining`.
#[derive(Clone, Copy, Debug)]
struct Survivors(Option<usize>);

fn survivors(text: &str) -> Result<Survivors, String> {
    match text {
        "all" => Ok(Survivors(None)),
        number => match number.parse() {
            Ok(number) => Ok(Survivors(Some(number))),
            Err(_) => Err("expected a whole number, or `all`".into()),
        },
    }
}

impl SystemReductionOptions {
    /// The first option that makes sense for systems only.
    fn of_systems(&self) -> Option<&'static str> {
        let more = [
            (!self.rules.is_empty(), "--rules"),
            (self.strategy.is_some(), "--strategy"),
            (!self.component.is_empty(), "--component"),
            (self.may_grow, "--may-grow"),
            (self.survivors.is_some(), "--remaining"),
            (self.longest_label.is_some(), "--longest-label"),
            (!self.compose.is_empty(), "--compose"),
            (self.merge, "--merge"),
            (self.unexecuted, "--unexecuted"),
            (self.apply.is_some(), "--apply"),
            (self.log.is_some(), "--log"),
            (self.verify, "--verify"),
            (self.renumber, "--renumber"),
            (self.prove.is_some(), "--prove"),
        ];
        first_given(more.into_iter().chain(self.explore.given()))
    }

    /// Refuses all of these options.
    ///
    /// # Errors
    /// If there is one.
    pub fn refuse(&self, input: &Path) -> Result<(), Failure> {
        match self.of_systems() {
            None => Ok(()),
            Some(option) => Err(not_a_system(option, &printable_path(input))),
        }
    }

    /// The rules that are applied.
    fn rules(&self) -> &[Rule] {
        let is_asked = self.apply.is_some()
            || !self.compose.is_empty()
            || self.merge
            || self.unexecuted
            || self.renumber;
        match (self.rules.is_empty(), is_asked) {
            (true, true) => &[],
            (true, false) => &USUAL,
            (false, _) => &self.rules,
        }
    }

    /// Refuses options that change nothing beside the others.
    ///
    /// # Errors
    /// If there is one.
    fn check(&self, limits: &LimitOptions) -> Result<(), Failure> {
        let rules = self.rules();
        let applies = |some: &[Rule]| rules.iter().any(|rule| some.contains(rule));
        let far = [
            (self.strategy.is_some(), "--strategy", &Rule::ALL[..]),
            (self.may_grow, "--may-grow", &[Rule::Theta3]),
            (self.survivors.is_some(), "--remaining", &[Rule::Theta4]),
            (
                self.longest_label.is_some(),
                "--longest-label",
                &[Rule::Theta1, Rule::Theta3, Rule::Theta4],
            ),
        ];
        for (_, option, of) in far.into_iter().filter(|(given, ..)| *given) {
            if self.state.is_some() {
                return Err(Failure::error(format!(
                    "{option} is for rules that are applied until none is applicable; with --state \
                     each is applied once"
                )));
            }
            if !applies(of) {
                let names = match of.len() {
                    6 => "rules".into(),
                    _ => of.iter().map(|r| r.name()).collect::<Vec<_>>().join(", "),
                };
                return Err(Failure::error(format!(
                    "{option} is for {names}: nothing of that is applied; name it in --rules"
                )));
            }
        }
        if !self.component.is_empty() && rules.is_empty() && !self.merge && !self.unexecuted {
            return Err(Failure::error(
                "--component is for --rules, --merge and --unexecuted: give one of them",
            ));
        }
        let goes_on = self.verify || self.unexecuted || self.apply.is_some();
        let explores = goes_on || !self.compose.is_empty();
        let max_states = [(limits.max_states.is_some(), "--max-states")];
        let [beyond, bound] = self.explore.given();
        if let Some(option) = first_given(max_states.into_iter().chain([bound]))
            && !explores
        {
            return Err(Failure::error(format!(
                "{option} is for exploring the system, which --verify, --unexecuted, --compose and \
                 --apply do: give one of them"
            )));
        }
        match first_given([beyond]) {
            Some(option) if !goes_on => Err(Failure::error(format!(
                "{option} is for exploring the system, which --verify, --unexecuted and --apply \
                 do: give one of them"
            ))),
            _ => Ok(()),
        }
    }

    /// Reads a system, makes it smaller, and writes it.
    ///
    /// # Errors
    /// If a file cannot be read or written or has errors, or if something that was
    /// asked for cannot be done.
    pub fn run(
        &self,
        session: &mut Session,
        filter: &FilterOptions,
        limits: &LimitOptions,
    ) -> Result<Status, Failure> {
        if let Some(new) = &self.prove {
            let options = theta::Options {
                transitions: self.walks,
                ..theta::Options::default()
            };
            return proofs::run(session, filter, new, self.region.as_deref(), options);
        }
        self.check(limits)?;
        let destination = filter.write.system()?;
        let log = self.log.as_deref().map(log_destination).transpose()?;
        let stdin = Some(Path::new("-"));
        if self.apply.as_deref() == stdin && filter.input.input == Path::new("-") {
            return Err(Failure::error(
                "only one of INPUT and --apply can be standard input",
            ));
        }
        let mut inputs = vec![filter.input.input.as_path()];
        inputs.extend(self.apply.as_deref());
        let outputs: Vec<&Destination> = std::iter::once(&destination).chain(&log).collect();
        session.check_outputs(&inputs, &outputs)?;
        let read = filter.read.get(&filter.dialect);
        let (system, files) = session.read_system(&filter.input.input, &read)?;
        let others = files.iter().chain(&self.apply);
        for output in outputs {
            session.check_spares(output, others.clone().map(|file| &**file))?;
        }
        let reach = Reach {
            semantics: self.explore.get(),
            limits: Limits {
                max_states: limits.max_states,
                max_memory: hyades_cli_core::memory::rest(),
            },
        };
        let before = figures(&system);
        let mut work = Work::new(system, reach, self.verify);
        session.phase("reduce", |phase| {
            phase.progress("reducing", Unit::None, None);
            self.reduce(&mut work)?;
            phase.summary(|| counted(work.actions as u64, "step"));
            Ok(())
        })?;
        session.add_figure("steps", work.actions);
        session.add_figure("before", before);
        session.add_figure("after", figures(&work.system));
        for difference in &work.differences {
            session.say(difference);
        }
        if work.verdict == Status::Fails {
            return Ok(Status::Fails);
        }
        if work.verdict == Status::NoVerdict {
            session.tell_why(
                "--verify: the systems could not be explored to their ends, so that it is not \
                 known whether they differ",
            );
        }
        if work.is_verdict_only && work.verdict == Status::Holds {
            session.note(
                "--verify: channels are overfilled before and after, beyond which nothing was \
                 explored: dead states and executed transitions were not compared \
                 (--beyond-overfilled compares all)",
            );
        }
        session.write_text(&destination, "toml", work.system.to_text().as_bytes())?;
        if let Some(log) = &log {
            session.write_text(log, "jsonl", work.log.as_bytes())?;
        }
        Ok(work.verdict)
    }

    fn reduce(&self, work: &mut Work) -> Result<(), Failure> {
        if let Some(path) = &self.apply {
            work.replay(path)?;
        }
        for text in &self.compose {
            let action = composition(&work.system, text)?;
            work.perform(action, &format!("--compose {text}"))?;
        }
        let members = self.members(&work.system)?;
        for &id in &members {
            match (self.state, self.rules()) {
                (Some(state), _) => self.at_state(work, id, StateId::new(state))?,
                (None, []) => {}
                (None, rules) => self.exhaust(work, id, rules),
            }
        }
        if self.merge {
            for &id in &members {
                work.merge(id)?;
            }
        }
        if self.unexecuted {
            work.remove_unexecuted(&members)?;
        }
        match self.renumber {
            true => work.perform(Action::Renumber, "--renumber"),
            false => work.verify(Correspondence::Same),
        }
    }

    /// The components that rules are applied to.
    fn members(&self, system: &System) -> Result<Vec<ComponentId>, Failure> {
        if self.component.is_empty() {
            return Ok(system.components().collect());
        }
        let ids = self.component.iter().map(|name| named(system, name));
        let mut ids: Vec<ComponentId> = ids.collect::<Result<_, _>>()?;
        // Named twice, it is still one.
        let mut seen = BTreeSet::new();
        ids.retain(|&id| seen.insert(id));
        Ok(ids)
    }

    fn exhaust(&self, work: &mut Work, id: ComponentId, rules: &[Rule]) {
        let usual = RuleLimits::default();
        let limits = RuleLimits {
            theta3_may_grow: self.may_grow,
            theta4_survivors: match self.survivors {
                Some(Survivors(most)) => most,
                None => usual.theta4_survivors,
            },
            longest_label: self.longest_label.unwrap_or(usual.longest_label),
        };
        let mut reducer = Reducer::new(&mut work.system, id);
        reducer.exhaust(rules, &limits, self.strategy.unwrap_or_default());
        let done = reducer.into_done();
        work.add_done(done);
    }

    fn at_state(&self, work: &mut Work, id: ComponentId, state: StateId) -> Result<(), Failure> {
        let name = work.system.component_name(id).to_owned();
        let mut reducer = Reducer::new(&mut work.system, id);
        if state.index() >= reducer.machine().states() {
            let states = reducer.machine().states();
            return Err(Failure::error(format!(
                "--state {}: component {name} has the states 0 to {}",
                state.get(),
                states - 1
            )));
        }
        for &rule in &self.rules {
            let of_state = match rule {
                Rule::Theta1 => Some(Application::Theta1(state)),
                Rule::Theta3 => Some(Application::Theta3(state)),
                Rule::Theta4 => Some(Application::theta4_of_all(reducer.machine(), state)),
                Rule::Theta2 | Rule::Theta5 | Rule::Theta6 => None,
            };
            if let Some(application) = of_state {
                reducer.apply(application).map_err(|refusal| {
                    let state = state.get();
                    Failure::error(format!("{rule} at state {state} of {name}: {refusal}"))
                })?;
                continue;
            }
            // Those that are still there when it is their turn.
            while let Some(application) = reducer.applicable_from(rule, state) {
                let applied = reducer.apply(application);
                applied.expect("it is applicable");
            }
        }
        let done = reducer.into_done();
        work.add_done(done);
        Ok(())
    }
}

/// Where a log goes.
fn log_destination(path: &Path) -> Result<Destination, Failure> {
    match Compression::from_path(path) {
        None => Destination::new(path),
        Some(_) => Err(Failure::error(format!(
            "{}: what is written is a log, which is not compressed",
            printable_path(path)
        ))),
    }
}

fn named(system: &System, name: &str) -> Result<ComponentId, Failure> {
    system.component(name).ok_or_else(|| {
        let names = system.names().join(", ");
        Failure::error(format!("no component `{name}`; expected one of {names}"))
    })
}

/// The action that `NAME=A,B` asks for.
fn composition(system: &System, text: &str) -> Result<Action, Failure> {
    let Some((name, members)) = text.split_once('=') else {
        return Err(Failure::error(format!(
            "--compose {text}: expected NAME=A,B with the names of two components at least"
        )));
    };
    let mut ids: Vec<ComponentId> = Vec::new();
    for member in members.split(',') {
        let id = named(system, member.trim())?;
        if ids.contains(&id) {
            return Err(Failure::error(format!(
                "--compose {text}: component {} is named twice",
                system.component_name(id)
            )));
        }
        ids.push(id);
    }
    Ok(Action::Compose(ids, name.trim().to_owned()))
}

/// How large the components are.
fn figures(system: &System) -> serde_json::Value {
    let component = |id: ComponentId| {
        let machine = system.machine(id);
        json!({
            "component": system.component_name(id),
            "states": machine.used_states(),
            "transitions": machine.transition_count(),
            "longest_label": machine.longest_label(),
        })
    };
    system.components().map(component).collect()
}
