//! `minimize`: the smallest system equivalent to a given one.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Parser;
use hyades::cli::{
    self, Command, Destination, DialectOption, Failure, InputOption, ReadOptions, RelationOption,
    RunOptions, Session, Status, Unit, WriteOptions,
};
use hyades::equivalence::{Minimized, minimize};

const EPILOGUE: cli::Epilogue = cli::Epilogue {
    example: "transcode big.aut.gz | reach | minimize -e branching --stats m.json -o small.aut",
    asks: false,
    max_states: false,
};

/// Write the smallest labelled transition system that is equivalent to the
/// input
///
/// States that cannot be reached are left out first. Those that remain are
/// numbered in breadth-first order, and transitions are sorted, so that inputs
/// that differ in the numbering of states only give the same output in most
/// cases.
#[derive(Parser)]
#[command(name = "minimize", version, after_help = EPILOGUE.text())]
pub struct Minimize {
    #[command(flatten)]
    relation: RelationOption,

    /// Minimize the states that cannot be reached as well
    #[arg(long, help_heading = "Equivalence")]
    keep_unreachable: bool,

    /// Write the classes to FILE, one a line: the state of the output, a colon,
    /// and the states of the input that it stands for, ascending (`0: 0 4 7`)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    classes: Option<PathBuf>,

    #[command(flatten)]
    input: InputOption,
    #[command(flatten)]
    read: ReadOptions,
    #[command(flatten)]
    write: WriteOptions,
    #[command(flatten)]
    dialect: DialectOption,
    #[command(flatten)]
    run: RunOptions,
}

impl Command for Minimize {
    const NAME: &'static str = "minimize";

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let output = self.write.get(&self.dialect)?;
        let classes = self.classes.as_deref().map(Destination::new).transpose()?;
        let all: Vec<_> = std::iter::once(&output.destination)
            .chain(&classes)
            .collect();
        session.check_outputs(&[&self.input.input], &all)?;

        let lts = session.read(&self.input.input, &self.read, &self.dialect)?;
        let relation = self.relation.get();
        let minimal = session.phase("minimize", |phase| {
            phase.progress(format_args!("minimizing, {relation}"), Unit::None, None);
            let minimal = minimize(lts, relation, self.keep_unreachable);
            phase.summary(|| format!("{relation}, {}", cli::show_lts(&minimal.lts)));
            Ok(minimal)
        })?;
        session.add_figure("relation", relation.name());
        session.add_figure("states_considered", minimal.states);
        session.add_figure("classes", minimal.lts.states());

        session.write(&output, &minimal.lts)?;
        if let Some(classes) = &classes {
            session.write_by(classes, "classes", |out| list(&minimal, out))?;
        }
        Ok(Status::Holds)
    }
}

/// Writes the classes. 8 bytes a state.
fn list(minimal: &Minimized, out: &mut dyn Write) -> io::Result<()> {
    let count = minimal.lts.states();
    let of = |s: usize| minimal.class[s] as usize;
    let members = 0..minimal.class.len();
    let members = members.filter(|&s| minimal.class[s] != Minimized::NO_CLASS);
    // Count, then place.
    let mut ends = vec![0u32; count];
    for s in members.clone() {
        ends[of(s)] += 1;
    }
    let mut total = 0;
    for end in &mut ends {
        let length = *end;
        *end = total;
        total += length;
    }
    let mut states = vec![0u32; total as usize];
    for s in members {
        let end = &mut ends[of(s)];
        states[*end as usize] = s as u32;
        *end += 1;
    }
    let mut start = 0;
    for (class, &end) in ends.iter().enumerate() {
        write!(out, "{class}:")?;
        for s in &states[start..end as usize] {
            write!(out, " {s}")?;
        }
        out.write_all(b"\n")?;
        start = end as usize;
    }
    Ok(())
}

/// The command under its own name; `hyades minimize` does not need it.
#[allow(dead_code)]
fn main() {
    cli::main::<Minimize>()
}
