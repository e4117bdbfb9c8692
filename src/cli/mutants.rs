//! `wmethod --mutants`: options and answers.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Map, json};

use super::answer::{add_line, inputs, json_text, symbols, symbols_json};
use super::folders::{Folder, UnfinishedFolder};
use super::output::Destination;
use super::progress::Unit;
use super::run::Session;
use super::status::{Failure, Status};
use crate::conformance::{
    Fate, FaultKind, InputId, Killer, Machine, Mutant, Pairing, TestTree, counted, mutants,
};
use hyades_formats::{self as formats, Format, WriteOptions};

/// Which mutants are made, and where survivors go.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Mutants")]
pub struct MutantOptions {
    /// Instead of writing the suite, tell how many machines with one fault it
    /// finds: transitions with another output, to another state, missing (the
    /// machine stays and answers nothing), or to an extra state. Status 1 if one
    /// survives that is not equivalent to the specification, as far as that has
    /// transitions
    #[arg(long, groups = ["mode", "answer"])]
    mutants: bool,

    /// Only faults of this kind (repeatable) [default: all]
    #[arg(long, value_name = "KIND", requires = "mutants")]
    fault: Vec<Fault>,

    /// Write each survivor, as an AUT file, into the new or empty folder DIR, which
    /// appears when all are written
    #[arg(long, value_name = "DIR", requires = "mutants")]
    survivors: Option<PathBuf>,
}

/// Values of `--fault`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Output,
    Transfer,
    Missing,
    ExtraState,
}

impl Fault {
    fn kind(self) -> FaultKind {
        match self {
            Fault::Output => FaultKind::Output,
            Fault::Transfer => FaultKind::Transfer,
            Fault::Missing => FaultKind::Missing,
            Fault::ExtraState => FaultKind::ExtraState,
        }
    }
}

/// So many mutants are judged at a time.
const BATCH: usize = 1 << 14;

/// So many survivors are shown.
const SHOWN: usize = 10;

/// What became of the mutants of one kind.
struct Count {
    kind: FaultKind,
    killed: u64,
    equivalent: u64,
    /// Survivors, the first of them with the word that would find them.
    survivors: u64,
    shown: Vec<(Mutant, Vec<InputId>)>,
}

impl MutantOptions {
    /// Whether mutants are to be made.
    pub fn is_wanted(&self) -> bool {
        self.mutants
    }

    /// Where survivors go, beside an output.
    ///
    /// # Errors
    /// If no folder can be made there, or another output would be in it.
    pub fn folder(
        &self,
        session: &Session,
        output: &Destination,
    ) -> Result<Option<Folder>, Failure> {
        let Some(path) = &self.survivors else {
            return Ok(None);
        };
        let folder = Folder::new(path)?;
        session.check_folder(&folder)?;
        match output.is_within(folder.place()) {
            true => Err(Failure::error(format!(
                "two outputs to the same place: {} and {}",
                output.name(),
                folder.name()
            ))),
            false => Ok(Some(folder)),
        }
    }

    /// Judges the mutants of a machine, phase `mutants`, and writes what became of
    /// them, and the survivors into a folder.
    ///
    /// # Errors
    /// If an output cannot be written.
    pub fn run(
        &self,
        session: &mut Session,
        machine: &Machine,
        tree: &TestTree,
        destination: &Destination,
        folder: Option<&Folder>,
        as_json: bool,
    ) -> Result<Status, Failure> {
        let mut survivors = folder.map(Folder::create).transpose()?;
        let kinds = FaultKind::ALL.into_iter().filter(|kind| {
            self.fault.is_empty() || self.fault.iter().any(|fault| fault.kind() == *kind)
        });
        let counts = session.phase("mutants", |phase| {
            let bar = phase.progress("judging mutants", Unit::None, None);
            let killer = Killer::new(machine, tree);
            let judged = kinds.map(|kind| {
                judge(machine, &killer, kind, survivors.as_mut(), &mut |n| {
                    bar.add(n)
                })
            });
            judged.collect::<Result<Vec<Count>, Failure>>()
        })?;
        for count in &counts {
            session.add_figure(
                &format!("{}_mutants", count.kind.name().replace('-', "_")),
                json!({
                    "killed": count.killed,
                    "equivalent": count.equivalent,
                    "surviving": count.survivors,
                }),
            );
        }
        if let Some(folder) = survivors {
            session.write_folder_by("aut", || Ok(folder))?;
        }
        let text = match as_json {
            true => json(machine, &counts),
            false => lines(machine, &counts),
        };
        let format = if as_json { "json" } else { "text" };
        session.write_text(destination, format, text.as_bytes())?;
        Ok(match counts.iter().all(|count| count.survivors == 0) {
            true => Status::Holds,
            false => Status::Fails,
        })
    }
}

/// Judges the mutants of one kind, and writes the survivors.
fn judge(
    machine: &Machine,
    killer: &Killer<'_>,
    kind: FaultKind,
    mut survivors: Option<&mut UnfinishedFolder>,
    judged: &mut dyn FnMut(u64),
) -> Result<Count, Failure> {
    let mut count = Count {
        kind,
        killed: 0,
        equivalent: 0,
        survivors: 0,
        shown: Vec::new(),
    };
    let mut all = mutants(machine, kind);
    loop {
        let batch: Vec<Mutant> = all.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(count);
        }
        judged(batch.len() as u64);
        for (mutant, fate) in batch.iter().zip(killer.fates(&batch)) {
            match fate {
                Fate::Killed => count.killed += 1,
                Fate::Equivalent => count.equivalent += 1,
                Fate::Survives(word) => {
                    count.survivors += 1;
                    if let Some(folder) = &mut survivors {
                        let name = format!("{}-{}.aut", kind.name(), count.survivors);
                        let mutant = mutant.machine(machine)?;
                        folder.add(&name, &machine_text(&mutant, &name, Format::Aut)?)?;
                    }
                    if count.shown.len() < SHOWN {
                        count.shown.push((*mutant, word));
                    }
                }
            }
        }
    }
}

/// A machine in a format, to be written into a file that messages call `name`.
pub(super) fn machine_text(
    machine: &Machine,
    name: &str,
    format: Format,
) -> Result<Vec<u8>, Failure> {
    let lts = machine
        .to_lts(&Pairing::default())
        .map_err(|error| Failure::error(format!("{name}: {error}")))?;
    let mut text = Vec::new();
    formats::write_lts(
        &lts,
        format,
        &mut text,
        &WriteOptions::default(),
        &mut |_| (),
    )
    .map_err(|error| Failure::error(format!("{name}: {error}")))?;
    Ok(text)
}

fn lines(machine: &Machine, counts: &[Count]) -> String {
    let mut text = String::new();
    for count in counts {
        let name = count.kind.name();
        let all = count.killed + count.equivalent + count.survivors;
        add_line(
            &mut text,
            name,
            format_args!(
                "{}, {} killed, {} equivalent, {} surviving",
                counted(all, "mutant"),
                count.killed,
                count.equivalent,
                count.survivors
            ),
        );
        for (mutant, found_by) in &count.shown {
            add_line(&mut text, "survivor", mutant.describe(machine));
            add_line(&mut text, "found_by", symbols(&inputs(machine, found_by)));
        }
    }
    text
}

fn json(machine: &Machine, counts: &[Count]) -> String {
    let mut object = Map::new();
    for count in counts {
        let survivors = count.shown.iter().map(|(mutant, found_by)| {
            let found_by = symbols_json(&inputs(machine, found_by));
            json!({ "fault": mutant.describe(machine), "found_by": found_by })
        });
        object.insert(
            count.kind.name().into(),
            json!({
                "killed": count.killed,
                "equivalent": count.equivalent,
                "surviving": count.survivors,
                "survivors": survivors.collect::<Vec<_>>(),
            }),
        );
    }
    json_text(&object)
}
