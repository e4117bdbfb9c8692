//! `wmethod`: test suites for Mealy machines.

mod machines;
mod mutants;
mod suite_checks;
mod suite_runs;
mod suite_symmetry;
mod suites;
mod symmetric_suites;

use std::path::Path;

use clap::Parser;
use hyades_conformance::{Claim, Machine, Pairing};
use hyades_formats::diagnostic::printable_path;

use crate::core::{
    Command, Destination, Epilogue, Failure, FilterOptions, LtsOutput, RunOptions, Session, Status,
};
use machines::MachineOptions;
use mutants::MutantOptions;
use suite_checks::SuiteCheckOptions;
use suite_runs::SuiteRunOptions;
use suite_symmetry::SuiteSymmetryOptions;
use suites::Derived;
use suites::{SuiteInput, SuiteOptions, SuiteOutput};

const EPILOGUE: Epilogue = Epilogue {
    example: "wmethod -k 1 coffee.dot | tee suite | head -3",
    asks: true,
    open: "UNKNOWN, the limit --max-memory was reached",
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
    symmetry: SuiteSymmetryOptions,
    #[command(flatten)]
    given: SuiteInput,
    #[command(flatten)]
    check: SuiteCheckOptions,
    #[command(flatten)]
    mutants: MutantOptions,
    #[command(flatten)]
    runs: SuiteRunOptions,
    #[command(flatten)]
    machine: MachineOptions,
    #[command(flatten)]
    output: SuiteOutput,

    /// Answer with one JSON object, where bytes of labels that are no UTF-8 show as U+FFFD
    #[arg(long, help_heading = "Output", requires = "answer")]
    json: bool,

    #[command(flatten)]
    filter: FilterOptions,
}

impl Command for Wmethod {
    const NAME: &'static str = "wmethod";
    const BRIEF: &'static str = include_str!("brief.txt");

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
        let survivors = self.mutants.folder(session, &destination)?;
        let others: Vec<&Path> = [
            self.check.check(),
            self.check.reduce(),
            self.given.get(),
            self.suite.kernel(),
            self.suite.pattern(),
            self.runs.against(),
        ]
        .into_iter()
        .flatten()
        .collect();
        destination.check_spares(others.iter().copied())?;
        let mut all = others.iter().copied().chain([input.as_path()]);
        if all.by_ref().any(is_stdin) && all.any(is_stdin) {
            return Err(Failure::error(
                "only one of the inputs can be standard input",
            ));
        }
        let is_judged = self.check.check().or(self.check.reduce()).is_some();
        let is_derived = self.given.get().is_none();
        let else_complete = match (is_judged, is_derived && self.suite.needs_complete()) {
            (true, _) => Some(": suites are judged for machines that answer each input"),
            (false, true) => Some(", or a method that can do without (h, hsi, tour)"),
            (false, false) => None,
        };
        let (read, dialect) = (&filter.read, &filter.dialect);
        if self.suite.pattern().or(self.symmetry.pattern()).is_some() {
            // the other one is the template
            session.expect_two_inputs();
        }
        let specification =
            self.machine
                .specification(session, input, read, dialect, else_complete)?;
        let machine = &specification.machine;
        let extra = self.suite.extra();
        if let Some(suite) = self.check.check() {
            let suite = session.read_suite(suite, machine)?;
            let symmetry = self
                .symmetry
                .invariance(session, machine, dialect, &destination)?;
            return self.check.judge(
                session,
                (machine, extra),
                &suite.tree,
                symmetry.as_ref(),
                &destination,
                self.json,
            );
        }
        if let Some(suite) = self.check.reduce() {
            let suite = session.read_suite(suite, machine)?;
            let check = &self.check;
            let (reduced, status) = check.without_tests(session, machine, &suite, extra)?;
            self.write(session, machine, &destination, tree_output, &reduced)?;
            return Ok(status);
        }
        let derived = match self.given.get() {
            Some(suite) => Derived::given(session.read_suite(suite, machine)?, Claim::Nothing),
            None => {
                let how = (&self.machine, read, dialect);
                let up_to = &self.symmetry;
                self.suite
                    .derive(session, &specification, how, up_to, &destination)?
            }
        };
        if self.runs.is_wanted() {
            let name = printable_path(input);
            let how = (&self.machine, read, dialect);
            return self
                .runs
                .execute(session, machine, &derived, &name, how, &destination);
        }
        if self.mutants.is_wanted() {
            let (tree, size, cut) = derived.tree(machine);
            derived.report(session, size, cut);
            let (mutants, survivors) = (&self.mutants, survivors.as_ref());
            let suite = (&tree, derived.symmetry());
            return mutants.run(session, machine, suite, &destination, survivors, self.json);
        }
        self.write(session, machine, &destination, tree_output, &derived)?;
        Ok(Status::Holds)
    }
}

impl Wmethod {
    /// Writes a suite, as tests or as their tree, and tells its size.
    fn write(
        &self,
        session: &mut Session,
        machine: &Machine,
        destination: &Destination,
        tree_output: Option<LtsOutput>,
        derived: &Derived,
    ) -> Result<(), Failure> {
        let (size, cut) = match tree_output {
            None => derived.write(session, machine, destination, &self.output)?,
            Some(output) => {
                let (tree, size, cut) = derived.tree(machine);
                let lts = tree.to_lts(machine, &Pairing::default());
                let lts = lts.map_err(|error| Failure::error(error.to_string()))?;
                session.write(&output, &lts)?;
                (size, cut)
            }
        };
        derived.report(session, size, cut);
        Ok(())
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}
