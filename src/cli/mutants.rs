//! `wmethod --mutants`: options and answers.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Map, json};

use super::answer::{add_line, inputs, json_text, symbols, symbols_json};
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

    /// Write each survivor into the folder DIR, as an AUT file
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

    /// Judges the mutants of a machine, phase `mutants`, and writes what became of
    /// them.
    ///
    /// # Errors
    /// If an output cannot be written.
    pub fn run(
        &self,
        session: &mut Session,
        machine: &Machine,
        tree: &TestTree,
        destination: &Destination,
        as_json: bool,
    ) -> Result<Status, Failure> {
        if let Some(folder) = &self.survivors {
            fs::create_dir_all(folder)
                .map_err(|error| Failure::writing(&folder.display().to_string(), &error))?;
        }
        let kinds = FaultKind::ALL.into_iter().filter(|kind| {
            self.fault.is_empty() || self.fault.iter().any(|fault| fault.kind() == *kind)
        });
        let counts = session.phase("mutants", |phase| {
            let bar = phase.progress("judging mutants", Unit::None, None);
            let killer = Killer::new(machine, tree);
            let judged = kinds.map(|kind| self.judge(machine, &killer, kind, &mut |n| bar.add(n)));
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

    fn judge(
        &self,
        machine: &Machine,
        killer: &Killer<'_>,
        kind: FaultKind,
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
                        if let Some(folder) = &self.survivors {
                            let name = format!("{}-{}.aut", kind.name(), count.survivors);
                            write_machine(
                                &mutant.machine(machine)?,
                                &folder.join(name),
                                Format::Aut,
                            )?;
                        }
                        if count.shown.len() < SHOWN {
                            count.shown.push((*mutant, word));
                        }
                    }
                }
            }
        }
    }
}

/// Writes a machine into a file of its own.
pub(super) fn write_machine(machine: &Machine, path: &Path, format: Format) -> Result<(), Failure> {
    let lts = machine
        .to_lts(&Pairing::default())
        .map_err(|error| Failure::error(format!("{}: {error}", path.display())))?;
    let mut text = Vec::new();
    formats::write_lts(
        &lts,
        format,
        &mut text,
        &WriteOptions::default(),
        &mut |_| (),
    )
    .map_err(|error| Failure::error(format!("{}: {error}", path.display())))?;
    let mut output = Destination::new(path)?.create()?;
    std::io::Write::write_all(&mut output, &text)
        .map_err(|error| Failure::writing(&path.display().to_string(), &error))?;
    output.commit().map(|_| ())
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
