//! `relabel`: hides, renames and cuts labels.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use clap::{ArgMatches, Args, FromArgMatches, Parser};
use hyades_formats::diagnostic::printable_path;
use hyades_lts::relabel::{RelabelStep, Scramble};

use hyades_cli_core::{
    Asks, Command, Epilogue, Failure, FilterOptions, LabelOptions, RunOptions, Session, Status,
    places,
};

const EPILOGUE: Epilogue = Epilogue {
    example: "relabel --match gate --hide-label SEND big.aut.gz | minimize -e branching",
    asks: Asks::Nothing,
    open: Epilogue::MEMORY,
};

/// Hide, rename or cut labels
///
/// What is asked for is done from left to right, in the order of the options.
/// Labels are described by POSIX basic regular expressions, in rule files of
/// CADP or on the command line. The hidden action is no label: it stays hidden
/// and is never cut. A label that is renamed to what reads like the hidden
/// action becomes hidden. States stay, also those that cannot be reached any
/// more (see reach), and so do transitions that become equal (see --canonical).
#[derive(Parser)]
#[command(name = "relabel", after_help = EPILOGUE.text())]
pub struct Relabel {
    #[command(flatten)]
    labels: LabelOptions,
    #[command(flatten)]
    scramble: Scrambles,
    #[command(flatten)]
    filter: FilterOptions,
}

/// Scrambling, as clap sees it.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Labels")]
struct ScrambleOption {
    /// Give all visible labels new texts: TEXT with a number for `%d`, from 0 on
    /// in the order of their first use; `%%` is a `%`
    #[arg(long, value_name = "TEXT")]
    scramble: Vec<OsString>,
}

/// Scrambling, with its places on the command line.
#[derive(Clone, Debug)]
struct Scrambles(Vec<(usize, OsString)>);

impl Args for Scrambles {
    fn augment_args(command: clap::Command) -> clap::Command {
        ScrambleOption::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        ScrambleOption::augment_args_for_update(command)
    }
}

impl FromArgMatches for Scrambles {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let places = places(matches, "scramble");
        let options = ScrambleOption::from_arg_matches(matches)?;
        Ok(Self(places.into_iter().zip(options.scramble).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Relabel {
    /// What is to be done, from left to right.
    fn steps(&self, session: &Session) -> Result<Vec<RelabelStep>, Failure> {
        let others: Vec<usize> = self.scramble.0.iter().map(|(place, _)| *place).collect();
        let rules = self.labels.get(session, &others)?.into_iter();
        let mut steps: Vec<(usize, RelabelStep)> = rules
            .map(|told| (told.place, RelabelStep::Rules(told.rules, told.file)))
            .collect();
        for (place, text) in &self.scramble.0 {
            let scramble = Scramble::new(text.as_bytes()).map_err(|why| {
                Failure::error(format!("--scramble '{}': {why}", printable_path(text)))
            })?;
            steps.push((*place, RelabelStep::Scramble(scramble)));
        }
        steps.sort_by_key(|(place, _)| *place);
        Ok(steps.into_iter().map(|(_, step)| step).collect())
    }
}

impl Command for Relabel {
    const NAME: &'static str = "relabel";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.filter.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let output = self.filter.output(session, &[])?;
        output.destination.check_spares(self.labels.files())?;
        let steps = self.steps(session)?;
        let filter = &self.filter;
        let read = session.read_told(&filter.input.input, &filter.read, &filter.dialect)?;
        let relabelled = session.relabel(filter, read, &steps)?;
        session.write(&output, &relabelled)?;
        Ok(Status::Holds)
    }
}
