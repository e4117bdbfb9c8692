//! `wmethod`: test suites for Mealy machines.

#![expect(
    missing_debug_implementations,
    reason = "options and states of commands"
)]

mod machines;
mod mutant_page;
mod mutants;
mod suite_checks;
mod suite_runs;
mod suite_symmetry;
mod suites;
mod symmetric_suites;
mod words;

use clap::Parser;

use hyades_cli_core::{Asks, Command, Epilogue, Failure, RunOptions, Session, Status};
use machines::MachineInput;
use mutants::Mutants;
use suite_checks::{Check, Reduce};
use suite_runs::Run;
use suites::{SuiteOutput, SuiteSource};

const EPILOGUE: Epilogue = Epilogue {
    example: "wmethod -k 1 coffee.dot | tee suite | head -3",
    asks: Asks::Verdict,
    open: "UNKNOWN, the limit --max-memory was reached",
};

/// Derive a test suite from a Mealy machine, judge one, or run it
///
/// The specification is an LTS in any format whose labels are pairs of input and output.
/// A suite is complete for implementations of at most m states if every machine of at
/// most m states that passes is equivalent to the specification. How many tests, symbols
/// and resets there are, and what the suite is complete for, goes to standard error.
///
/// Without a mode, a suite is derived: the options below are those of `wmethod derive`.
/// Each mode has options of its own, which stand behind it: `wmethod check --help`. A
/// file that is named like a mode is given as ./check.
#[derive(Parser)]
#[command(
    name = "wmethod",
    after_help = EPILOGUE.text(),
    subcommand_help_heading = "Modes",
    subcommand_value_name = "MODE"
)]
pub struct Wmethod {
    #[command(subcommand)]
    mode: Option<Mode>,
    #[command(flatten)]
    plain: Derive,
}

/// What is done with the specification.
#[derive(clap::Subcommand)]
enum Mode {
    /// Derive a test suite, as without a mode
    ///
    /// Or write the suite that --suite names in another form. How many tests, symbols
    /// and resets there are, and what the suite is complete for, goes to standard error.
    #[command(after_help = DERIVE.text())]
    Derive(Box<Derive>),

    /// Tell whether a suite is complete for implementations of so many states
    ///
    /// That is, of at most K states more than the specification: CERTIFIED by a
    /// condition, COMPLETE by a search, REFUTED by a machine that passes, or UNKNOWN;
    /// status 0, 0, 1, 3.
    #[command(after_help = CHECK.text())]
    Check(Box<Check>),

    /// Write a suite without tests that it does not need to be complete
    ///
    /// Status 1 if it is not complete, 3 if that is not known; then all tests are
    /// written but prefixes of others.
    #[command(after_help = REDUCE.text())]
    Reduce(Box<Reduce>),

    /// Tell how many machines with one fault a suite finds
    ///
    /// Faults are transitions with another output, to another state, missing (the
    /// machine stays and answers nothing), or to an extra state. Status 1 if one survives
    /// that is not equivalent to the specification, as far as that has transitions. The
    /// suite is derived, or the one that --suite names. With --up-to-symmetry, also tell
    /// how many survivors are not invariant, of which such a suite claims nothing; with
    /// -m symmetric --pattern, how many are not closed under the pattern's relation.
    #[command(after_help = MUTANTS.text())]
    Mutants(Box<Mutants>),

    /// Run a suite against a program, a server or another machine
    ///
    /// The suite is derived, or the one that --suite names. Status 0 if all tests pass, 1
    /// if one fails, 2 if one cannot be run.
    #[command(after_help = RUN.text())]
    Run(Box<Run>),
}

const DERIVE: Epilogue = Epilogue {
    example: "wmethod derive -k 1 coffee.dot | tee suite | head -3",
    asks: Asks::Nothing,
    open: "a limit (--exact-set=N, --max-sets, --max-memory) was reached",
};

const CHECK: Epilogue = Epilogue {
    example: "wmethod -k 1 coffee.dot | wmethod check -k 1 - coffee.dot",
    asks: Asks::Verdict,
    open: "UNKNOWN, the limit --max-memory was reached",
};

const REDUCE: Epilogue = Epilogue {
    example: "wmethod -m w coffee.dot | wmethod reduce - coffee.dot",
    asks: Asks::Verdict,
    open: CHECK.open,
};

const MUTANTS: Epilogue = Epilogue {
    example: "wmethod -m tour coffee.dot | wmethod mutants --suite - coffee.dot",
    asks: Asks::Verdict,
    open: Epilogue::MEMORY,
};

const RUN: Epilogue = Epilogue {
    example: "wmethod run --command ./coffee coffee.dot | grep '^not ok'",
    asks: Asks::Verdict,
    open: Epilogue::MEMORY,
};

/// `wmethod derive`.
#[derive(clap::Args, Clone, Debug)]
pub struct Derive {
    #[command(flatten)]
    suite: SuiteSource,
    #[command(flatten)]
    output: SuiteOutput,
    #[command(flatten)]
    input: MachineInput,
    #[command(flatten)]
    run: RunOptions,
}

impl Command for Wmethod {
    const NAME: &'static str = "wmethod";
    const BRIEF: &'static str = include_str!("brief.txt");
    const MODE_BRIEFS: &'static [(&'static str, &'static str)] = &[
        ("derive", include_str!("brief-derive.txt")),
        ("check", include_str!("brief-check.txt")),
        ("reduce", include_str!("brief-reduce.txt")),
        ("mutants", include_str!("brief-mutants.txt")),
        ("run", include_str!("brief-run.txt")),
    ];

    fn run_options(&self) -> &RunOptions {
        match &self.mode {
            None => &self.plain.run,
            Some(Mode::Derive(mode)) => &mode.run,
            Some(Mode::Check(mode)) => &mode.run,
            Some(Mode::Reduce(mode)) => &mode.run,
            Some(Mode::Mutants(mode)) => &mode.run,
            Some(Mode::Run(mode)) => &mode.run,
        }
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        match self.mode {
            None => self.plain.run(session),
            Some(Mode::Derive(mode)) => mode.run(session),
            Some(Mode::Check(mode)) => mode.run(session),
            Some(Mode::Reduce(mode)) => mode.run(session),
            Some(Mode::Mutants(mode)) => mode.run(session),
            Some(Mode::Run(mode)) => mode.run(session),
        }
    }
}

impl Derive {
    /// Derives a suite, or reads one, and writes it.
    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let output = self.output.get(&self.input)?;
        let destination = &output.destination;
        let others: Vec<_> = self.suite.files().collect();
        self.input.check_files(session, destination, &others)?;
        let (machine, derived) = self.suite.get(session, &self.input, destination)?;
        derived.write(session, &machine, &output)?;
        Ok(Status::Holds)
    }
}
