//! `ltsconvert`: converts and minimizes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser;
use hyades_cli_core::{Failure, FilterOptions, Session, Unit, check_quotient, show_lts};
use hyades_equivalence::inclusion::{HiddenSteps, determinize};
use hyades_equivalence::reduction::{Reduction, reduce};
use hyades_equivalence::{Criterion, Kept, Relation};
use hyades_formats::{Format, Lts, StateId};
use hyades_lts::{Numbering, reachable};

use super::{Common, Work, unknown, usage_failure, with_sorted_actions};
use crate::minimize::minimize_in_pool;

/// Convert and minimise an LTS, with the arguments of mCRL2's ltsconvert
///
/// States that cannot be reached are left out. The format of INFILE is told by its content,
/// that of OUTFILE by its ending. In AUT the hidden action is `tau`.
#[derive(Parser)]
#[command(name = "ltsconvert", args_override_self = true)]
pub(super) struct Convert {
    /// Minimise by this equivalence: bisim, branching-bisim, dpbranching-bisim, weak-bisim,
    /// dpweak-bisim, sim, ready-sim, trace, weak-trace, tau-star, determinisation, tau-scc,
    /// and all others by which `minimize` does
    #[arg(short, long, value_name = "NAME", value_parser = parse_change)]
    equivalence: Option<Change>,

    /// Make the LTS deterministic, after -e
    #[arg(short = 'D', long)]
    determinise: bool,

    /// Keep states that cannot be reached: with -e by bisim, branching-bisim and
    /// dpbranching-bisim only
    #[arg(long)]
    no_reach: bool,

    /// Leave out what is known of states
    #[arg(short, long)]
    no_state: bool,

    /// Actions with one of these names are hidden, too
    #[arg(long, value_name = "ACTNAMES")]
    tau: Option<OsString>,

    /// Without effect: the input has the names of parameters
    #[arg(short, long, value_name = "FILE")]
    lps: Option<PathBuf>,

    /// Read INFILE as FORMAT
    #[arg(short, long = "in", value_name = "FORMAT")]
    input_format: Option<Format>,

    /// Write FORMAT
    #[arg(short, long = "out", value_name = "FORMAT")]
    output_format: Option<Format>,

    /// The LTS to read; `-` is standard input
    #[arg(value_name = "INFILE", default_value = "-", hide_default_value = true)]
    input: PathBuf,

    /// The LTS to write; `-` is standard output
    #[arg(value_name = "OUTFILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,

    #[command(flatten)]
    common: Common,
}

/// What -e does.
#[derive(Clone, Copy, Debug)]
enum Change {
    None,
    Minimize(Relation),
    Determinise,
    /// Hidden cycles become states.
    Contract,
}

fn parse_change(name: &str) -> Result<Change, String> {
    Ok(match name {
        "none" => Change::None,
        "determinisation" => Change::Determinise,
        "tau-scc" => Change::Contract,
        name => Change::Minimize(name.parse().map_err(|_| unknown(name))?),
    })
}

/// The same as options of ours.
#[derive(Parser)]
struct Same {
    #[command(flatten)]
    filter: FilterOptions,
}

impl Work for Convert {
    const NAME: &'static str = "ltsconvert";

    fn common(&self) -> &Common {
        &self.common
    }

    fn work(self, session: &mut Session) -> Result<(), Failure> {
        let change = self.equivalence.unwrap_or(Change::None);
        if let Change::Minimize(relation) = change {
            check_quotient(relation)?;
        }
        if self.lps.is_some() {
            session.detail("--lps has no effect: the input has the names of parameters");
        }
        let filter = self.filter()?;
        let output = filter.output(session, &[])?;
        let mut lts = with_sorted_actions(filter.read(session)?)?;
        if self.no_state {
            lts.take_state_labels();
        }
        if !self.no_reach {
            lts = session.phase("reach", |_| Ok(reachable(lts, Numbering::Ascending)))?;
        }
        lts = match change {
            Change::None => lts,
            Change::Determinise => deterministic(session, &lts)?,
            Change::Contract => session.phase("reduce", |phase| {
                let reduced = reduce(lts, Reduction::TauCompression)?;
                phase.summary(|| show_lts(&reduced));
                Ok(reduced)
            })?,
            Change::Minimize(relation) => self.minimized(session, lts, relation)?,
        };
        if self.determinise {
            lts = deterministic(session, &lts)?;
        }
        session.write(&output, &lts)
    }
}

impl Convert {
    fn filter(&self) -> Result<FilterOptions, Failure> {
        let mut words: Vec<OsString> = ["ltsconvert", "--dialect", "mcrl2"]
            .map(OsString::from)
            .into();
        let formats = [("--from", self.input_format), ("--to", self.output_format)];
        for (option, format) in formats {
            if let Some(format) = format {
                words.extend([option.into(), format.name().into()]);
            }
        }
        let is_file = self.output != Path::new("-");
        if is_file && self.output_format.is_none() && Format::from_path(&self.output).is_none() {
            // As mCRL2 does.
            words.extend(["--to".into(), "lts".into()]);
        }
        if let Some(tau) = &self.tau {
            words.extend(["--tau".into(), tau.clone()]);
        }
        words.extend(["-o".into(), self.output.clone().into()]);
        words.extend(["--".into(), self.input.clone().into()]);
        let same = Same::try_parse_from(words).map_err(|error| usage_failure(&error))?;
        Ok(same.filter)
    }

    fn minimized(
        &self,
        session: &mut Session,
        lts: Lts,
        relation: Relation,
    ) -> Result<Lts, Failure> {
        let kept = match self.no_reach {
            true => Kept::All,
            false => Kept::Reachable,
        };
        session.phase("minimize", |phase| {
            let what = format!("minimizing, {relation}");
            let mut bar = phase.progress(&what, Unit::None, None).refined(what);
            let minimal = minimize_in_pool(lts, Criterion::from(relation), kept, &mut bar)
                .map_err(|e| Failure::error(e.to_string()))?;
            phase.summary(|| show_lts(&minimal.lts));
            Ok(minimal.lts)
        })
    }
}

fn deterministic(session: &mut Session, lts: &Lts) -> Result<Lts, Failure> {
    session.phase("determinize", |phase| {
        phase.progress("determinizing", Unit::None, None);
        let found = determinize(lts, HiddenSteps::Counted, None, StateId::MAX_COUNT)?;
        phase.summary(|| show_lts(&found));
        Ok(found)
    })
}
