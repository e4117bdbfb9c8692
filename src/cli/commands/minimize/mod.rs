//! `minimize`: the smallest system equivalent to a given one.

pub(crate) mod classes;

use std::path::PathBuf;

use clap::Parser;
use hyades_equivalence::{Kept, minimize_observed};

use classes::write_classes;
use hyades_cli_core::{
    Command, Destination, Epilogue, Failure, FilterOptions, RelationOption, RunOptions, Session,
    Status, Unit, show_lts,
};

const EPILOGUE: Epilogue = Epilogue {
    example: "transcode big.aut.gz | reach | minimize -e branching --stats m.json -o small.aut",
    asks: false,
    open: Epilogue::MEMORY,
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
    filter: FilterOptions,
}

impl Command for Minimize {
    const NAME: &'static str = "minimize";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.filter.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let classes = self.classes.as_deref().map(Destination::new).transpose()?;
        let others: Vec<_> = classes.iter().collect();
        let output = self.filter.output(session, &others)?;

        let lts = self.filter.read(session)?;
        if lts.state_labels().is_some() {
            session.detail("the labels of states are left out: classes have none");
        }
        let relation = self.relation.get();
        let minimal = session.phase("minimize", |phase| {
            let what = format!("minimizing, {relation}");
            let mut bar = phase.progress(&what, Unit::None, None).refined(what);
            let kept = match self.keep_unreachable {
                true => Kept::All,
                false => Kept::Reachable,
            };
            let minimal = minimize_observed(lts, relation, kept, &mut bar)
                .map_err(|e| Failure::error(e.to_string()))?;
            phase.summary(|| format!("{relation}, {}", show_lts(&minimal.lts)));
            Ok(minimal)
        })?;
        session.add_figure("relation", relation.name());
        session.add_figure("states_considered", minimal.states);
        session.add_figure("classes", minimal.lts.states());

        session.write(&output, &minimal.lts)?;
        if let Some(classes) = &classes {
            write_classes(session, classes, &minimal)?;
        }
        Ok(Status::Holds)
    }
}
