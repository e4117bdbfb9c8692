//! Whether a change of a component preserves errors, on behalf of commands.

use std::collections::BTreeSet;
use std::path::Path;

use hyades_channels::theta::{Applicability, Options, PartialRegion, Theorem, prove};
use hyades_channels::{ComponentId, System};
use hyades_formats::StateId;
use hyades_formats::diagnostic::printable_path;
use serde::Deserialize;

use hyades_cli_core::answer::add_line;
use hyades_cli_core::files::show_toml_error;
use hyades_cli_core::options::FilterOptions;
use hyades_cli_core::session::Session;
use hyades_cli_core::status::{Failure, Status};
use hyades_cli_core::texts::{read_text, utf8};

/// A file that tells what is known of a region in the old and in the new component.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionFile {
    #[serde(default)]
    old: RawRegion,
    #[serde(default)]
    new: RawRegion,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRegion {
    states: Option<BTreeSet<u32>>,
    transitions: Option<Vec<(u32, String, u32)>>,
    entries: Option<BTreeSet<u32>>,
    exits: Option<BTreeSet<u32>>,
}

impl RawRegion {
    fn get(&self, system: &System, id: ComponentId) -> Result<PartialRegion, String> {
        let states = |key: &str, states: &Option<BTreeSet<u32>>| {
            let states = states.as_ref();
            let states: Option<BTreeSet<StateId>> =
                states.map(|s| s.iter().copied().map(StateId::new).collect());
            let missing = states.iter().flatten();
            let missing = missing.filter(|&&state| !system.machine(id).has_state(state));
            let missing: Vec<String> = missing.map(|state| state.get().to_string()).collect();
            match missing.is_empty() {
                true => Ok(states),
                false => Err(format!(
                    "{key}: there {} of component {}; expected states that have transitions or \
                     are initial",
                    match &missing[..] {
                        [one] => format!("is no state {one}"),
                        several => format!("are no states {}", several.join(", ")),
                    },
                    system.component_name(id)
                )),
            }
        };
        let transition = |(source, text, target): &(u32, String, u32)| {
            system.transition(id, *source, text, *target)
        };
        let transitions = self.transitions.as_ref();
        let transitions = transitions.map(|list| list.iter().map(transition).collect());
        Ok(PartialRegion {
            states: states("states", &self.states)?,
            transitions: transitions.transpose()?,
            entries: states("entries", &self.entries)?,
            exits: states("exits", &self.exits)?,
        })
    }
}

/// The component that two systems differ in; none if they do not differ.
fn changed(old: &System, new: &System) -> Result<Option<ComponentId>, String> {
    if old.names() != new.names() || old.channels() != new.channels() {
        return Err("other components or channels; expected a change of one component".into());
    }
    let differ = |id: &ComponentId| old.machine(*id) != new.machine(*id);
    let differing: Vec<ComponentId> = old.components().filter(differ).collect();
    match *differing {
        [id] => Ok(Some(id)),
        [] => Ok(None),
        [one, other, ..] => {
            let (one, other) = (old.component_name(one), old.component_name(other));
            Err(format!(
                "components {one} and {other} differ both; expected a change of one component at \
                 a time"
            ))
        }
    }
}

/// What a theorem says is preserved.
fn preserved(theorem: Theorem) -> &'static str {
    match theorem {
        Theorem::DeadStates => "dead states",
        Theorem::OtherChannels => "overfilled channels of others",
        Theorem::PrivateChannels => "overfilled private channels",
        Theorem::OtherTransitions => "executed transitions of others",
        Theorem::OuterTransitions => "executed transitions outside the region",
        Theorem::TracingWalks => "executed walks that trace others",
    }
}

/// Tells whether a system may be changed to another one without changing its errors. What
/// is asked for suffices for that and is not necessary: there is no verdict without it.
///
/// # Errors
/// If a file cannot be read or has errors, or more than one component differs.
pub(super) fn run(
    session: &mut Session,
    filter: &FilterOptions,
    new: &Path,
    region: Option<&Path>,
    options: Options,
) -> Result<Status, Failure> {
    let destination = filter.write.text()?;
    let given = [Some(filter.input.input.as_path()), Some(new), region];
    let stdin = given
        .iter()
        .flatten()
        .filter(|path| **path == Path::new("-"));
    if stdin.count() > 1 {
        return Err(Failure::error(
            "only one of INPUT, --prove and --region can be standard input",
        ));
    }
    let mut inputs = vec![filter.input.input.as_path(), new];
    inputs.extend(region);
    // What is written is no system, so that it takes the place of none.
    destination.check_spares(inputs.iter().copied())?;
    session.check_outputs(&inputs, &[&destination])?;
    let read = filter.read.get(&filter.dialect);
    let (old_system, mut files) = session.read_system(&filter.input.input, &read)?;
    let (new_system, more) = session.read_system(new, &read)?;
    files.extend(more);
    session.check_spares(&destination, files.iter().map(|file| &**file))?;
    let id = changed(&old_system, &new_system)
        .map_err(|text| Failure::error(format!("{}: {text}", printable_path(new))))?;
    let Some(id) = id else {
        if region.is_some() {
            session.tell_no_effect("--region", "no component differs");
        }
        let text = theorems(|_| true);
        session.write_text(&destination, "text", text.as_bytes())?;
        return Ok(Status::Holds);
    };
    let known = match region {
        Some(path) => {
            let (name, bytes) = read_text(path)?;
            let text = utf8(&name, &bytes, "TOML")?;
            let file: RegionFile = toml::from_str(text)
                .map_err(|error| Failure::error(show_toml_error(&name, text, &error)))?;
            let get = |table: &str, region: &RawRegion, system: &System| {
                let region = region.get(system, id);
                region.map_err(|text| Failure::error(format!("{name}: [{table}] {text}")))
            };
            [
                get("old", &file.old, &old_system)?,
                get("new", &file.new, &new_system)?,
            ]
        }
        None => Default::default(),
    };
    let verdict = session.phase("prove", |_| {
        let machines = (old_system.machine(id), new_system.machine(id));
        prove(machines.0, machines.1, known.each_ref(), options)
            .map_err(|error| Failure::error(error.to_string()))
    })?;
    let text = lines(&old_system, id, &verdict);
    session.write_text(&destination, "text", text.as_bytes())?;
    Ok(match verdict.is_proof() {
        true => Status::Holds,
        false => {
            session.tell_why(
                "no verdict: not all constraints are proved, and one that fails refutes nothing",
            );
            Status::NoVerdict
        }
    })
}

/// The theorems, a line each.
fn theorems(applies: impl Fn(Theorem) -> bool) -> String {
    let mut text = String::new();
    for theorem in Theorem::ALL {
        let holds = if applies(theorem) { "TRUE" } else { "UNKNOWN" };
        add_line(&mut text, preserved(theorem), holds);
    }
    text
}

fn lines(system: &System, id: ComponentId, verdict: &Applicability) -> String {
    let mut text = theorems(|theorem| verdict.proves(theorem));
    let name = system.component_name(id);
    text.push_str(&format!("\ncomponent {name}, region:\n"));
    for (when, region) in ["old", "new"].iter().zip(&verdict.regions) {
        let states = |states: &BTreeSet<StateId>| {
            let states = states.iter().map(|state| state.get().to_string());
            states.collect::<Vec<_>>().join(" ")
        };
        text.push_str(&format!(
            "  {when}: states {}; entries {}; exits {}; transitions",
            states(&region.states),
            states(&region.entries),
            states(&region.exits)
        ));
        for transition in &region.transitions {
            text.push_str(&format!(" {}", system.show_transition(id, transition)));
        }
        text.push('\n');
    }
    text.push_str("\nconstraints:\n");
    for (constraint, _) in verdict.answers() {
        let answer = verdict.explain(system, id, constraint);
        text.push_str(&format!("  {constraint}: {answer}\n"));
    }
    text
}
