//! Options of networks; every command that reads has them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use hyades_formats as formats;
use hyades_network::{Customs, Include, Language, Options};

/// What a network on the command line is called.
pub(super) const EXPRESSION: &str = "<expression>";

/// How networks are read.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Input, networks")]
pub struct NetworkOptions {
    /// Read a network as one in this language: lotos, elotos, ccs, csp or mcrl
    /// [default: as its header says]
    #[arg(long, value_name = "NAME")]
    language: Option<Language>,

    /// The gate on which all parts of a network end together; none if empty
    /// [default: as its language says]
    #[arg(long, value_name = "GATE")]
    termination: Option<OsString>,

    /// What stands in front of the gates of co-actions in CCS [default: ']
    #[arg(long, value_name = "PREFIX")]
    coaction: Option<OsString>,

    /// Leave labels in the text of a network as they are written, where its
    /// language wants them in upper case
    #[arg(long)]
    case: bool,

    /// Do not warn of what is allowed in a network, but most likely a mistake
    #[arg(long)]
    nocheck: bool,

    /// File names in a network start from DIR [default: where the network is]
    #[arg(long, value_name = "DIR")]
    base_dir: Option<PathBuf>,

    /// A network that is included takes the place of its name as it is (text), in
    /// parentheses (paren), or as it reads by itself (own): in parentheses, and with file
    /// names that start from its own directory
    #[arg(long, value_name = "HOW", default_value = "text")]
    include: IncludeOption,

    /// The text of a network is what the user says, though it is in a file: messages quote
    /// the files that it names
    #[arg(long, hide = true)]
    given: bool,
}

/// Values of `--include`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum IncludeOption {
    Text,
    Paren,
    Own,
}

impl NetworkOptions {
    /// What a network at this path is read by. `hidden` is what the user says
    /// about hidden labels.
    pub fn get(
        &self,
        path: Option<&Path>,
        hidden: Vec<Vec<u8>>,
        read: formats::ReadOptions,
    ) -> Options {
        let own = path.and_then(Path::parent).map(Path::to_owned);
        Options {
            customs: Customs {
                language: self.language,
                hidden,
                termination: self.termination.clone().map(OsString::into_vec),
                coaction: self.coaction.clone().map(OsString::into_vec),
                keep_case: self.case,
            },
            check: !self.nocheck,
            include: match self.include {
                IncludeOption::Text => Include::Text,
                IncludeOption::Paren => Include::Paren,
                IncludeOption::Own => Include::Own,
            },
            is_given: self.given,
            base: self.base_dir.clone().or(own).unwrap_or_default(),
            read,
            ..Options::default()
        }
    }
}
