//! `reduce`: a smaller system, by its hidden transitions, or by what its machines do.

mod proofs;
mod system_reductions;
mod system_work;

use clap::Parser;
use hyades_equivalence::reduction::{Reduction, reduce};
use hyades_formats::{Format, Lts};
use hyades_lts::relabel::RelabelStep;
use serde_json::{Value, json};

use hyades_cli_core::{
    Asks, Command, Epilogue, Failure, FilterOptions, LabelOptions, LimitOptions, RunOptions,
    Session, Status, Unit, show_lts,
};
use system_reductions::SystemReductionOptions;

const EPILOGUE: Epilogue = Epilogue {
    example: "reduce --match gate --hide-label SEND big.aut.gz | minimize -e branching",
    asks: Asks::Verdict,
    open: "a limit (--max-states, --max-memory, --channel-bound) was reached, or there is no proof",
};

/// Reduce an LTS by its hidden transitions, or a system of machines
///
/// States are not compared with one another, as they are to minimize: what remains
/// is closer to the input. States that cannot be reached are left out. Those that
/// remain are numbered in breadth-first order, and transitions are sorted.
///
/// tau-divergence preserves divergence-preserving branching bisimilarity; tau-compression
/// and tau-confluence preserve branching bisimilarity; tau-star preserves tau*.a
/// equivalence, which becomes strong bisimilarity: `reduce -r tau-star | minimize` is the
/// smallest system with the same behaviour in that sense.
///
/// Labels are hidden, renamed and cut first.
///
/// A system of machines that exchange messages (INPUT is a .toml file) is made
/// smaller component by component, by rules that need not know the others: dead
/// states and overfilled channels are the same, and so is which of the transitions
/// that remain are ever executed, but for those that leave a state of theta4. States keep their numbers. What is written is a
/// system file with its components in it.
#[derive(Parser)]
#[command(name = "reduce", after_help = EPILOGUE.text())]
pub struct Reduce {
    /// The reduction: tau-divergence (hidden cycles become states with a hidden
    /// loop), tau-compression (without the loop), tau-confluence (the same, and
    /// hidden transitions that do not decide anything are taken at once), or
    /// tau-star (hidden transitions are left out, visible ones come in their
    /// place, which can be many); repeatable, done from left to right [default:
    /// tau-confluence]
    #[arg(
        short,
        long = "reduction",
        value_name = "NAME",
        help_heading = "Reduction"
    )]
    reductions: Vec<Reduction>,

    #[command(flatten)]
    labels: LabelOptions,
    #[command(flatten)]
    systems: SystemReductionOptions,
    #[command(flatten)]
    filter: FilterOptions,
    #[command(flatten)]
    limits: LimitOptions,
}

impl Command for Reduce {
    const NAME: &'static str = "reduce";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.filter.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        session.limit_states(self.limits.max_states);
        let input = &self.filter.input.input;
        let format = self
            .filter
            .read
            .from()?
            .or_else(|| Format::from_path(input));
        if format == Some(Format::Toml) {
            if self.labels.any() {
                return Err(Failure::error(
                    "the labels of a system of machines are events, which cannot be hidden, \
                     renamed or cut",
                ));
            }
            if let Some(reduction) = self.reductions.first() {
                return Err(Failure::error(format!(
                    "-r {reduction} is for LTSs: of a system of machines, each component is made \
                     smaller, by --rules"
                )));
            }
            return self.systems.run(session, &self.filter, &self.limits);
        }
        self.systems.refuse(input)?;
        if self.limits.max_states.is_some() && !self.filter.read.explores(input)? {
            session.tell_no_effect("--max-states", "nothing is explored");
        }
        let output = self.filter.output(session, &[])?;
        output.destination.check_spares(self.labels.files())?;
        let mut lts = self.read(session)?;
        if lts.state_labels().is_some() {
            session.detail("the labels of states are left out: others stand for them");
        }
        let mut figures: Vec<Value> = Vec::new();
        let reductions = match &self.reductions[..] {
            [] => &[Reduction::TauConfluence],
            reductions => reductions,
        };
        for &reduction in reductions {
            lts = session.phase("reduce", |phase| {
                phase.progress(format_args!("reducing, {reduction}"), Unit::None, None);
                let lts = reduce(lts, reduction)
                    .map_err(|e| Failure::error(format!("{reduction}: {e}")))?;
                phase.summary(|| format!("{reduction}, {}", show_lts(&lts)));
                Ok(lts)
            })?;
            figures.push(json!({
                "reduction": reduction.name(),
                "states": lts.states(),
                "transitions": lts.transitions(),
            }));
        }
        session.add_figure("reductions", figures);
        session.write(&output, &lts)?;
        Ok(Status::Holds)
    }
}

impl Reduce {
    /// Reads the LTS, with its labels changed.
    fn read(&self, session: &mut Session) -> Result<Lts, Failure> {
        let rules = self.labels.get(session, &[])?.into_iter();
        let steps: Vec<RelabelStep> = rules
            .map(|told| RelabelStep::Rules(told.rules, told.file))
            .collect();
        let filter = &self.filter;
        let read = session.read_told(&filter.input.input, &filter.read, &filter.dialect)?;
        match steps.is_empty() {
            true => Ok(read.0),
            false => session.relabel(filter, read, &steps),
        }
    }
}
