//! `wmethod`: test suites for Mealy machines.

use clap::Parser;
use hyades::cli::{
    self, Command, Failure, FilterOptions, MachineOptions, MutantOptions, RunOptions, Session,
    Status, SuiteOptions, SuiteOutput,
};
use hyades::conformance::Pairing;

const EPILOGUE: cli::Epilogue = cli::Epilogue {
    example: "wmethod -k 1 coffee.dot | tee suite | head -3",
    asks: true,
    max_states: false,
};

/// Derive a test suite from a Mealy machine, judge one, or run it
///
/// The specification is an LTS in any format whose labels are pairs of input and
/// output. A suite is complete for implementations of at most m states if every
/// machine of so many states that passes does as the specification does. How many
/// tests, symbols and resets there are, and what the suite is complete for, goes to
/// standard error.
#[derive(Parser)]
#[command(name = "wmethod", version, after_help = EPILOGUE.text())]
pub struct Wmethod {
    #[command(flatten)]
    suite: SuiteOptions,
    #[command(flatten)]
    mutants: MutantOptions,
    #[command(flatten)]
    machine: MachineOptions,
    #[command(flatten)]
    output: SuiteOutput,

    /// Answer with one JSON object
    #[arg(long, help_heading = "Output", requires = "mode")]
    json: bool,

    #[command(flatten)]
    filter: FilterOptions,
}

impl Command for Wmethod {
    const NAME: &'static str = "wmethod";

    fn run_options(&self) -> &RunOptions {
        &self.filter.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let filter = &self.filter;
        let input = &filter.input.input;
        let (tree_output, destination) = match self.output.is_tree() {
            true => {
                let output = filter.output(session, &[])?;
                (Some(output.clone()), output.destination)
            }
            false => (None, filter.write.text()?),
        };
        session.check_outputs(&[input], &[&destination])?;
        let needs_complete = self.suite.needs_complete() || self.mutants.is_wanted();
        let (read, dialect) = (&filter.read, &filter.dialect);
        let machine = self
            .machine
            .specification(session, input, read, dialect, needs_complete)?;
        let how = (&self.machine, read, dialect);
        let derived = self.suite.derive(session, &machine, how)?;
        if self.mutants.is_wanted() {
            let (tree, cut) = derived.tree(&machine);
            derived.report(session, tree.size(), cut);
            let mutants = &self.mutants;
            return mutants.run(session, &machine, &tree, &destination, self.json);
        }
        if let Some(output) = tree_output {
            let (tree, cut) = derived.tree(&machine);
            derived.report(session, tree.size(), cut);
            let lts = tree.to_lts(&machine, &Pairing::default());
            session.write(&output, &lts.map_err(|e| Failure::error(e.to_string()))?)?;
            return Ok(Status::Holds);
        }
        let (size, cut) = derived.write(session, &machine, &destination, &self.output)?;
        derived.report(session, size, cut);
        Ok(Status::Holds)
    }
}

/// The command under its own name; `hyades wmethod` does not need it.
#[allow(dead_code)]
fn main() {
    cli::main::<Wmethod>()
}
