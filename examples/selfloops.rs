//! A filter: leaves out the transitions that lead back to where they start.

use clap::Parser;
use hyades::cli::core::{Command, Failure, FilterOptions, RunOptions, Session, Status, run};
use hyades::formats::LtsBuilder;

/// Leave out the transitions that lead back to where they start
#[derive(Parser)]
#[command(name = "selfloops", version = "0.1.0")]
struct Selfloops {
    #[command(flatten)]
    filter: FilterOptions,
}

impl Command for Selfloops {
    const NAME: &'static str = "selfloops";
    const BRIEF: &'static str = "\
Leave out the transitions that lead back to where they start.

Usage: hyades selfloops [INPUT] [-o OUTPUT]

More: hyades selfloops --help
";

    fn run_options(&self) -> &RunOptions {
        &self.filter.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let output = self.filter.output(session, &[])?;
        let lts = self.filter.read(session)?;
        let mut kept = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
        for (source, label, target) in lts.iter().filter(|step| step.0 != step.2) {
            kept.add(source, label, target);
        }
        session.write(&output, &kept.build(lts.initial())?)?;
        Ok(Status::Holds)
    }
}

fn main() {
    run::run::<Selfloops>("hyades selfloops", std::env::args_os().collect())
}
