//! `wmethod mutants`: options and answers.

use std::path::PathBuf;

use clap::ValueEnum;
use hyades_conformance::{
    FaultKind, InputId, Killer, Machine, Mutant, MutantVerdict, Pairing, mutants,
};
use hyades_formats::diagnostic::counted;
use hyades_formats::{self as formats, Format, TooLarge, WriteOptions};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use crate::machines::MachineInput;
use crate::mutant_page;
use crate::suites::{Hypothesis, SuiteSource};
use crate::words::{inputs, symbols, symbols_json};
use hyades_cli_core::answer::{JsonOption, add_line, json_text};
use hyades_cli_core::folders::{Folder, UnfinishedFolder};
use hyades_cli_core::input_name;
use hyades_cli_core::options::{HtmlOption, TextOption};
use hyades_cli_core::output::Destination;
use hyades_cli_core::progress::Unit;
use hyades_cli_core::session::{RunOptions, Session};
use hyades_cli_core::status::{Failure, Status};

/// `wmethod mutants`: which mutants are made, and where survivors go.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Mutants")]
pub struct Mutants {
    /// Only faults of this kind (repeatable) [default: all]
    #[arg(long, value_name = "KIND")]
    fault: Vec<Fault>,

    /// Write each survivor, as an AUT file, into the new or empty folder DIR, which
    /// appears when all are written
    #[arg(long, value_name = "DIR")]
    survivors: Option<PathBuf>,

    #[command(flatten)]
    suite: SuiteSource,
    #[command(flatten)]
    output: TextOption,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    html: HtmlOption,
    #[command(flatten)]
    input: MachineInput,
    #[command(flatten)]
    pub run: RunOptions,
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

/// So many survivors are shown as text, and so many on a page.
const SHOWN: usize = 10;
pub(super) const LISTED: usize = 500;

/// What became of the mutants of one kind.
pub(super) struct Count {
    pub kind: FaultKind,
    pub killed: u64,
    pub equivalent: u64,
    /// Survivors, the first of them with the word that would find them.
    pub survivors: u64,
    /// Of a suite that claims something only for implementations that are invariant, or
    /// closed: how many survivors are not.
    outside: Option<Outside>,
    pub shown: Vec<Survivor>,
    /// What became of the mutants of each transition, if a page is written.
    pub by_transition: Option<Fates>,
}

/// Survivors of which a suite claims nothing.
#[derive(Clone, Copy)]
struct Outside {
    /// What the claim supposes.
    hypothesis: &'static str,
    /// How many are not so.
    not: u64,
    /// Of how many it is not known.
    unknown: u64,
}

/// How many mutants were killed, are equivalent, and survived, of each transition, by the
/// number of its state times the number of inputs plus that of its input.
pub(super) type Fates = Vec<[u64; 3]>;

/// A mutant that no test finds.
pub(super) struct Survivor {
    pub mutant: Mutant,
    pub found_by: Vec<InputId>,
    /// What the claim supposes, if it does, and whether that holds, as far as it is known.
    pub hypothesis: Option<(&'static str, Option<bool>)>,
}

impl Mutants {
    /// Where survivors go, beside an output.
    ///
    /// # Errors
    /// If no folder can be made there, or another output would be in it.
    fn folder(&self, session: &Session, output: &Destination) -> Result<Option<Folder>, Failure> {
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
    /// them, and the survivors into a folder. A suite may be one for invariant
    /// or closed implementations.
    ///
    /// # Errors
    /// If an input cannot be read, there is no suite, or an output cannot be written.
    pub fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let destination = self.output.get()?;
        let html = self.html.get()?;
        let is_alone = HtmlOption::replaces(html.as_ref(), &destination);
        let others: Vec<_> = self.suite.files().collect();
        let folder = self.folder(session, &destination)?;
        self.input.check_files(session, &destination, &others)?;
        if let Some(html) = html.as_ref().filter(|_| !is_alone) {
            session.check_outputs(&[], &[&destination, html])?;
            let read = others.iter().copied().chain([self.input.path()]);
            html.check_spares(read.collect::<Vec<_>>())?;
        }
        let (machine, derived) = self.suite.get(session, &self.input, &destination)?;
        let machine = &machine;
        let (tree, size, cut) = derived.tree(machine);
        derived.report(session, size, cut);
        let mut survivors = folder.as_ref().map(Folder::create).transpose()?;
        let kinds = FaultKind::ALL.into_iter().filter(|kind| {
            self.fault.is_empty() || self.fault.iter().any(|fault| fault.kind() == *kind)
        });
        let counts = session.phase("mutants", |phase| {
            let bar = phase.progress("judging mutants", Unit::None, None);
            let killer = Killer::new(machine, &tree);
            let judged = kinds.map(|kind| {
                let suite = (&killer, derived.hypothesis());
                let name = suite.1.map(Hypothesis::name);
                let count = Count::new(machine, kind, name, html.is_some());
                judge(machine, suite, count, survivors.as_mut(), &mut |n| {
                    bar.add(n)
                })
            });
            judged.collect::<Result<Vec<Count>, Failure>>()
        })?;
        for count in &counts {
            let name = format!("{}_mutants", count.kind.name().replace('-', "_"));
            session.add_figure(&name, figures(count));
        }
        if let Some(folder) = survivors {
            session.write_folder_by("aut", || Ok(folder))?;
        }
        if let Some(html) = &html {
            let page = mutant_page::report(machine, &input_name(self.input.path()), &counts).html();
            session.write_text(html, "html", page.as_bytes())?;
        }
        let (format, text) = match self.json.is_wanted() {
            true => ("json", json(machine, &counts)),
            false => ("text", lines(machine, &counts)),
        };
        if !is_alone {
            session.write_text(&destination, format, text.as_bytes())?;
        }
        Ok(match counts.iter().all(|count| count.survivors == 0) {
            true => Status::Holds,
            false => Status::Fails,
        })
    }
}

impl Count {
    /// Nothing counted yet.
    fn new(
        machine: &Machine,
        kind: FaultKind,
        hypothesis: Option<&'static str>,
        has_page: bool,
    ) -> Self {
        Self {
            kind,
            killed: 0,
            equivalent: 0,
            survivors: 0,
            outside: hypothesis.map(|hypothesis| Outside {
                hypothesis,
                not: 0,
                unknown: 0,
            }),
            shown: Vec::new(),
            by_transition: has_page.then(|| vec![[0; 3]; machine.states() * machine.inputs()]),
        }
    }
}

/// Judges the mutants of one kind, and writes the survivors.
fn judge(
    machine: &Machine,
    (killer, hypothesis): (&Killer<'_>, Option<Hypothesis<'_>>),
    mut count: Count,
    mut survivors: Option<&mut UnfinishedFolder>,
    judged: &mut dyn FnMut(u64),
) -> Result<Count, Failure> {
    let kind = count.kind;
    let shown = if count.by_transition.is_some() {
        LISTED
    } else {
        SHOWN
    };
    let mut all = mutants(machine, kind);
    loop {
        let batch: Vec<Mutant> = all.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(count);
        }
        judged(batch.len() as u64);
        let fates = killer.fates(&batch);
        let supposed = |(mutant, fate): (&Mutant, &MutantVerdict)| match (hypothesis, fate) {
            (Some(hypothesis), MutantVerdict::Survives(_)) => {
                let mutant = mutant.machine(machine)?;
                Ok(Some((hypothesis.name(), hypothesis.holds_for(&mutant))))
            }
            (None, _) | (_, MutantVerdict::Killed | MutantVerdict::Equivalent) => Ok(None),
        };
        let supposed: Result<Vec<_>, TooLarge> =
            batch.par_iter().zip(&fates).map(supposed).collect();
        for ((mutant, fate), hypothesis) in batch.iter().zip(fates).zip(supposed?) {
            let mut note = |fate: usize| {
                if let Some(all) = &mut count.by_transition {
                    let (state, input) = mutant.transition;
                    all[state.index() * machine.inputs() + input.index()][fate] += 1;
                }
            };
            match fate {
                MutantVerdict::Killed => {
                    note(0);
                    count.killed += 1;
                }
                MutantVerdict::Equivalent => {
                    note(1);
                    count.equivalent += 1;
                }
                MutantVerdict::Survives(word) => {
                    note(2);
                    count.survivors += 1;
                    if let (Some(outside), Some((_, holds))) = (&mut count.outside, hypothesis) {
                        match holds {
                            Some(true) => {}
                            Some(false) => outside.not += 1,
                            None => outside.unknown += 1,
                        }
                    }
                    if let Some(folder) = &mut survivors {
                        let name = format!("{}-{}.aut", kind.name(), count.survivors);
                        let mutant = mutant.machine(machine)?;
                        folder.add(&name, &machine_text(&mutant, &name, Format::Aut)?)?;
                    }
                    if count.shown.len() < shown {
                        count.shown.push(Survivor {
                            mutant: *mutant,
                            found_by: word,
                            hypothesis,
                        });
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

/// The counts as JSON.
fn figures(count: &Count) -> Value {
    let mut figures = json!({
        "killed": count.killed,
        "equivalent": count.equivalent,
        "surviving": count.survivors,
    });
    if let Some(outside) = count.outside {
        figures[format!("not_{}", outside.hypothesis)] = outside.not.into();
        figures["unknown"] = outside.unknown.into();
    }
    figures
}

fn lines(machine: &Machine, counts: &[Count]) -> String {
    let mut text = String::new();
    for count in counts {
        let name = count.kind.name();
        let all = count.killed + count.equivalent + count.survivors;
        let outside = match count.outside {
            None => String::new(),
            Some(outside) => {
                let unknown = match outside.unknown {
                    0 => String::new(),
                    unknown => format!(", of {unknown} it is not known"),
                };
                format!(
                    ", {} of them not {}{unknown}",
                    outside.not, outside.hypothesis
                )
            }
        };
        add_line(
            &mut text,
            name,
            format_args!(
                "{}, {} killed, {} equivalent, {} surviving{outside}",
                counted(all, "mutant"),
                count.killed,
                count.equivalent,
                count.survivors
            ),
        );
        for survivor in count.shown.iter().take(SHOWN) {
            add_line(&mut text, "survivor", survivor.mutant.describe(machine));
            let found_by = symbols(&inputs(machine, &survivor.found_by));
            add_line(&mut text, "found_by", found_by);
            if let Some((name, holds)) = survivor.hypothesis {
                let answer = match holds {
                    Some(true) => "TRUE",
                    Some(false) => "FALSE",
                    None => "UNKNOWN",
                };
                add_line(&mut text, name, answer);
            }
        }
    }
    text
}

fn json(machine: &Machine, counts: &[Count]) -> String {
    let mut object = Map::new();
    for count in counts {
        let survivors = count.shown.iter().take(SHOWN).map(|survivor| {
            let found_by = symbols_json(&inputs(machine, &survivor.found_by));
            let fault = survivor.mutant.describe(machine);
            let mut object = json!({ "fault": fault, "found_by": found_by });
            if let Some((name, holds)) = survivor.hypothesis {
                object[name] = holds.into();
            }
            object
        });
        let mut figures = figures(count);
        figures["survivors"] = survivors.collect();
        object.insert(count.kind.name().into(), figures);
    }
    json_text(&object)
}
