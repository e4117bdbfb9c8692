//! `ltscompare`: compares.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser;
use hyades_cli_core::{Destination, Failure, Session};
use hyades_equivalence::Relation;
use hyades_equivalence::compare::{Side, Verdict, Witness};
use hyades_formats::Format;
use hyades_formats::diagnostic::printable_path;

use super::{Common, Named, Work, usage_failure, with_sorted_actions};
use crate::cadp;
use crate::equiv::{Equiv, Output, Question};

/// Compare two LTSs, with the arguments of mCRL2's ltscompare
///
/// Prints `true` or `false`, and tells which relation that is about on standard error. The
/// formats of both files are told by their contents. In AUT the hidden action is `tau`.
#[derive(Parser)]
#[command(name = "ltscompare", args_override_self = true)]
pub(super) struct Compare {
    /// The equivalence: bisim, branching-bisim, dpbranching-bisim, weak-bisim, dpweak-bisim,
    /// sim, ready-sim, coupled-sim, trace, weak-trace, and all others that `equiv` knows
    #[arg(short, long, value_name = "NAME")]
    equivalence: Option<Named>,

    /// The preorder by which INFILE1 is below INFILE2: sim, ready-sim, trace, weak-trace,
    /// trace-ac, weak-trace-ac, failures, weak-failures, failures-divergence,
    /// impossible-futures, and all others that `equiv` knows
    #[arg(short, long, value_name = "NAME")]
    preorder: Option<Named>,

    /// Read INFILE1 as FORMAT
    #[arg(short = 'i', long, value_name = "FORMAT")]
    in1: Option<Format>,

    /// Read INFILE2 as FORMAT
    #[arg(short = 'j', long, value_name = "FORMAT")]
    in2: Option<Format>,

    /// Actions with one of these names are hidden, too
    #[arg(long, value_name = "ACTNAMES")]
    tau: Option<OsString>,

    /// Write a counterexample: a trace, or a formula that holds in INFILE1 only
    #[arg(short, long)]
    counter_example: bool,

    /// Its file, instead of Counterexample.mcf or counter_example_PREORDER.trc
    #[arg(long, value_name = "NAME")]
    counter_example_file: Option<PathBuf>,

    /// Without effect: counterexamples are shortest ones
    #[arg(short, long, value_name = "NAME", value_parser = ["b", "breadth", "d", "depth"])]
    strategy: Option<String>,

    /// Without effect
    #[arg(long, hide = true)]
    no_preprocessing: bool,

    /// INFILE1, which is standard input if it is left out or `-`, and INFILE2
    #[arg(value_name = "INFILE", num_args = 1..=2, required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    common: Common,
}

impl Work for Compare {
    const NAME: &'static str = "ltscompare";

    fn common(&self) -> &Common {
        &self.common
    }

    fn work(self, session: &mut Session) -> Result<(), Failure> {
        let (asked, name) = match (chosen(&self.equivalence), chosen(&self.preorder)) {
            (Some((relation, name)), None) => (Question::Equivalent(relation), name),
            (None, Some((relation, name))) => (Question::Below(relation), name),
            (Some(_), Some(_)) => {
                return Err(Failure::error(
                    "-e/--equivalence and -p/--preorder exclude each other",
                ));
            }
            (None, None) => {
                return Err(Failure::error(
                    "a relation is missing: give -eNAME or -pNAME, such as -ebisim",
                ));
            }
        };
        let inputs = match &self.files[..] {
            [second] => [Path::new("-"), second.as_path()],
            // There are one or two.
            files => [files[0].as_path(), &files[1]],
        };
        if inputs.iter().all(|input| *input == Path::new("-")) {
            return Err(Failure::error(
                "two systems in one standard input are not supported: name a file for one of them",
            ));
        }
        let equiv = self.equiv(asked, inputs)?;
        let output = match self.counter_example {
            true => Some(self.output(asked.relation())?),
            false => None,
        };
        let verdict = Destination::stdout();
        let all: Vec<_> = std::iter::once(&verdict)
            .chain(output.as_ref().map(Output::destination))
            .collect();
        session.check_outputs(&inputs, &all)?;
        let (found, _) = equiv.find(session, asked, output.as_ref(), with_sorted_actions)?;
        let [first, second] = inputs.map(printable_path);
        let holds = match found.verdict() {
            Verdict::Holds => true,
            Verdict::Fails(_) => false,
            Verdict::Unknown => {
                return Err(Failure::error("no verdict was found within the limits"));
            }
        };
        let not = if holds { "" } else { "not " };
        self.common.log(match asked {
            Question::Equivalent(_) => format!("LTSs are {not}equal ({name})"),
            Question::Below(_) => format!(
                "The LTS in {first} is {not}included in the LTS in {second} (using {name})."
            ),
        });
        session.write_text(&verdict, "text", format!("{holds}\n").as_bytes())?;
        match (output, found.witness()) {
            (Some(Output::Formula(destination)), Some(witness)) => {
                write_formula(session, &destination, witness)
            }
            (Some(Output::Lts(output)), Some(witness)) => {
                let trace = match witness {
                    // What is seen at its end has no place in the file, nor in mCRL2's.
                    Witness::Observation(seen) => seen.reason.to_path(&seen.table)?,
                    Witness::Trace(_) | Witness::Formula(_) => witness.to_lts()?,
                };
                session.write(&output, &trace)
            }
            // A file that is there stays, as with mCRL2.
            (Some(_), None) | (None, _) => Ok(()),
        }
    }
}

impl Compare {
    /// The same as arguments of `equiv`.
    fn equiv(&self, asked: Question, inputs: [&Path; 2]) -> Result<Equiv, Failure> {
        let (option, relation) = match asked {
            Question::Equivalent(relation) => ("-e", relation),
            Question::Below(relation) => ("-p", relation),
        };
        let mut words: Vec<OsString> = ["equiv", "--dialect", "mcrl2", option, relation.name()]
            .map(OsString::from)
            .into();
        if let Some(tau) = &self.tau {
            words.extend(["--tau".into(), tau.clone()]);
        }
        if let (Some(first), Some(second)) = (self.in1, self.in2)
            && first != second
        {
            return Err(Failure::error(format!(
                "-i {first} and -j {second}: both files have to be in one format, unless it is \
                 told by their contents"
            )));
        }
        if let Some(format) = self.in1.or(self.in2) {
            words.extend(["--from".into(), format.name().into()]);
        }
        words.push("--".into());
        words.extend(inputs.map(|path| path.as_os_str().to_owned()));
        Equiv::try_parse_from(words).map_err(|error| usage_failure(&error))
    }

    /// Where the counterexample goes, as mCRL2 names it.
    fn output(&self, relation: Relation) -> Result<Output, Failure> {
        // In mCRL2 others have no counterexamples: they are formulas here.
        let (name, is_trace) = match (&self.preorder, relation) {
            (Some(_), Relation::Trace) => ("counter_example_trace_preorder.trc", true),
            (Some(_), Relation::WeakTrace) => ("counter_example_weak_trace_preorder.trc", true),
            (Some(_), Relation::Failures) => ("counter_example_failures_refinement.trc", true),
            (Some(_), Relation::WeakFailures) => {
                ("counter_example_weak_failures_refinement.trc", true)
            }
            (Some(_), Relation::FailuresDivergence) => {
                ("counter_example_failures_divergence_refinement.trc", true)
            }
            (Some(_), Relation::ImpossibleFutures) => {
                ("counter_example_impossible_futures.mcf", false)
            }
            _ => ("Counterexample.mcf", false),
        };
        let path = match &self.counter_example_file {
            Some(path) => path,
            None => Path::new(name),
        };
        Ok(match is_trace {
            true => Output::Lts(Box::new(cadp::output(path, Format::Trc)?)),
            false => Output::Formula(Destination::new(path)?),
        })
    }
}

/// A relation, and its name as it was given.
fn chosen(option: &Option<Named>) -> Option<(Relation, &str)> {
    let named = option.as_ref()?;
    named.relation.map(|relation| (relation, &named.name[..]))
}

/// Writes a formula that holds in the first system only, in the language of mCRL2.
fn write_formula(
    session: &mut Session,
    destination: &Destination,
    witness: &Witness,
) -> Result<(), Failure> {
    let (side, formula) = witness.formula()?;
    let Some(formula) = formula.to_mcf() else {
        session.warn_not_written(
            destination,
            "in the language of mCRL2 the formula is too large, or has labels that are no \
             actions; equiv prints it",
        );
        return Ok(());
    };
    let text = match side {
        Side::First => formula,
        Side::Second => format!("!{formula}"),
    };
    session.write_text(destination, "text", format!("{text}\n").as_bytes())
}
