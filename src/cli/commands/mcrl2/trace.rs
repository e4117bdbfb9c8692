//! `tracepp`: converts traces.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use hyades_cli_core::{Failure, FilterOptions, Session};
use hyades_formats::Format;

use super::{Common, Work, usage_failure};

/// Convert and print a trace, with the arguments of mCRL2's tracepp
///
/// INFILE is a trace of mCRL2, binary or plain: a text with an action on each line.
#[derive(Parser)]
#[command(name = "tracepp", args_override_self = true)]
pub(super) struct Tracepp {
    /// How the trace is written
    #[arg(short, long, value_name = "FORMAT", default_value = "plain")]
    format: Form,

    /// The trace to read; `-` is standard input
    #[arg(value_name = "INFILE", default_value = "-", hide_default_value = true)]
    input: PathBuf,

    /// The file to write; `-` is standard output
    #[arg(value_name = "OUTFILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,

    #[command(flatten)]
    common: Common,
}

/// Values of `--format`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Form {
    /// An action on each line
    Plain,
    /// AUT
    Aut,
    /// DOT
    Dot,
    /// Refused: with the vectors of states
    States,
    /// Refused: binary
    Mcrl2,
}

/// The same as options of ours.
#[derive(Parser)]
struct Same {
    #[command(flatten)]
    filter: FilterOptions,
}

impl Work for Tracepp {
    const NAME: &'static str = "tracepp";

    fn common(&self) -> &Common {
        &self.common
    }

    fn work(self, session: &mut Session) -> Result<(), Failure> {
        let to = match self.format {
            Form::Plain => Format::Trc,
            Form::Aut => Format::Aut,
            Form::Dot => Format::Dot,
            Form::States => {
                return Err(Failure::error(
                    "--format=states is not there: transcode INFILE -o FILE.fsm has the vectors",
                ));
            }
            Form::Mcrl2 => {
                return Err(Failure::error(
                    "--format=mcrl2, a binary trace, is not written: mCRL2's tools read \
                     --format=plain too",
                ));
            }
        };
        let words = [
            "tracepp",
            "--dialect",
            "mcrl2",
            "--from",
            "trc",
            "--to",
            to.name(),
            "-o",
        ];
        let words = words.map(OsString::from).into_iter();
        let files = [self.output.into(), "--".into(), self.input.into()];
        let same = Same::try_parse_from(words.chain(files)).map_err(|e| usage_failure(&e))?;
        let output = same.filter.output(session, &[])?;
        let lts = same.filter.read(session)?;
        session.write(&output, &lts)
    }
}
