//! `ltsinfo`: tells about a system.

use std::path::PathBuf;

use clap::Parser;
use hyades_cli_core::{Failure, Session};
use hyades_formats::diagnostic::printable_string;
use hyades_formats::{Dialect, Format, Lts, ReadOptions, StateLabels};
use hyades_lts::facts;

use super::{Common, Work, with_sorted_actions};
use crate::cadp::significant;

/// Print what there is to know of an LTS, with the arguments of mCRL2's ltsinfo
///
/// The format of INFILE is told by its content. In AUT the hidden action is `tau`. All is
/// printed to standard error, as by mCRL2.
#[derive(Parser)]
#[command(name = "ltsinfo", args_override_self = true)]
pub(super) struct Info {
    /// Print the labels of actions
    #[arg(short, long)]
    action_label: bool,

    /// Print the labels of states
    #[arg(short = 'l', long)]
    state_label: bool,

    /// Print the average, the least, the median and the greatest number of transitions of a
    /// state
    #[arg(short, long)]
    branching_factor: bool,

    /// Read INFILE as FORMAT
    #[arg(short, long = "in", value_name = "FORMAT")]
    input_format: Option<Format>,

    /// The LTS; `-` is standard input
    #[arg(value_name = "INFILE", default_value = "-", hide_default_value = true)]
    input: PathBuf,

    #[command(flatten)]
    common: Common,
}

impl Work for Info {
    const NAME: &'static str = "ltsinfo";

    fn common(&self) -> &Common {
        &self.common
    }

    fn work(self, session: &mut Session) -> Result<(), Failure> {
        let options = ReadOptions {
            dialect: Some(Dialect::Mcrl2),
            ..ReadOptions::default()
        };
        let (lts, format) = session.read_as(&self.input, self.input_format, &options)?;
        let lts = with_sorted_actions(lts)?;
        let common = &self.common;
        let facts = session.phase("examine", |_| Ok(facts(&lts)))?;
        common.log(format_args!("Number of states: {}.", facts.states));
        common.log(format_args!(
            "Number of action labels: {} (including a tau label).",
            lts.table().len()
        ));
        common.log(format_args!(
            "Number of transitions: {}.",
            facts.transitions
        ));
        match lts.state_labels() {
            Some(labels) => {
                common.log(format_args!("Number of state labels: {}.", labels.states()))
            }
            // Told below.
            None if self.state_label => {}
            None => common.log("There are no state labels."),
        }
        if facts.unreachable_states > 0 {
            common.log(
                "Warning: some states are not reachable from the initial state! (This might \
                 result in unspecified behaviour of LTS tools.)",
            );
        }
        let not = if facts.deterministic { "" } else { "not " };
        common.log(format_args!("LTS is {not}deterministic."));
        common.log("This lts has no probabilistic states.");
        if self.action_label {
            common.log("The action labels of this transition system: ");
            common.log("tau");
            for (_, text) in lts.table().visible() {
                common.log(printable_string(text));
            }
        }
        if self.state_label {
            match lts.state_labels() {
                Some(labels) => self.list(labels),
                None if format == Format::Aut => common.log(
                    "Transition systems in .aut format have no state labels. Therefore, they \
                     cannot be listed.",
                ),
                None => common.log(
                    "This transition system has no state labels. Therefore they cannot be \
                     printed.",
                ),
            }
        }
        if self.branching_factor {
            common.log(format_args!(
                "The branching factor is min: {}, max: {}, median: {} and average: {}",
                facts.min_out_degree,
                facts.max_out_degree,
                median(&lts),
                significant(facts.avg_out_degree, 6)
            ));
        }
        Ok(())
    }
}

impl Info {
    fn list(&self, labels: &StateLabels) {
        let common = &self.common;
        common.log("The state labels of this labelled transition system:");
        for state in 0..labels.states() {
            let mut vectors = labels.vectors(state).peekable();
            if vectors.peek().is_none() {
                common.log(format_args!("{state}: no label."));
            }
            for vector in vectors {
                let values = vector.iter().enumerate();
                let values = values.map(|(k, &value)| printable_string(labels.text(k, value)));
                let values: Vec<_> = values.map(|value| value.to_string()).collect();
                common.log(format_args!("{state}: ({}).", values.join(", ")));
            }
        }
    }
}

/// The median of the numbers of transitions of the states.
fn median(lts: &Lts) -> f64 {
    let states = (0..lts.states()).map(|s| lts.offsets().row(s).len());
    let mut degrees: Vec<usize> = states.collect();
    degrees.sort_unstable();
    let at = |k: usize| degrees[k] as f64;
    let half = degrees.len() / 2;
    match degrees.len() % 2 {
        0 => (at(half - 1) + at(half)) / 2.0,
        _ => at(half),
    }
}
