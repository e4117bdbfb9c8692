//! Options of single formats, and of Mealy machines; every command that reads
//! or writes has them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use clap::ValueEnum;
use hyades_formats::bcg::WriteBcg;
use hyades_formats::dot::ReadDot;
use hyades_formats::fsm::{LabelColumns, ReadFsm, WriteFsm};
use hyades_formats::mealy::{MealySyntax, ReadMealy};
use hyades_formats::{columns, seq};

/// How BCG is written.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output, BCG")]
pub struct WriteBcgOptions {
    /// Leave states their numbers instead of numbering them breadth first; an
    /// initial state other than 0 changes places with 0
    #[arg(long)]
    keep_order: bool,

    /// Write labels such as `GATE !1 !TRUE !"text"` as a gate and typed values,
    /// where that gives the same text again, instead of as texts
    #[arg(long)]
    parse_labels: bool,

    /// Write TEXT as the comment of the file [default: created by hyades]
    #[arg(long, value_name = "TEXT")]
    comment: Option<OsString>,
}

impl WriteBcgOptions {
    /// Which are given.
    pub fn given(&self) -> [(bool, &'static str); 3] {
        [
            (self.keep_order, "--keep-order"),
            (self.parse_labels, "--parse-labels"),
            (self.comment.is_some(), "--comment"),
        ]
    }

    /// What the writer goes by.
    pub fn get(&self) -> WriteBcg {
        WriteBcg {
            fields: None,
            keep_order: self.keep_order,
            parse_labels: self.parse_labels,
            comment: self.comment.clone().map(OsString::into_vec),
        }
    }
}

/// How SEQ is read.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Input, SEQ")]
pub struct ReadSeqOptions {
    /// Read the Nth sequence only, from 1 [default: all of them]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    seqno: u64,
}

impl ReadSeqOptions {
    /// What the reader goes by.
    pub fn get(&self) -> seq::ReadSeq {
        seq::ReadSeq { seqno: self.seqno }
    }
}

/// How SEQ is written.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output, SEQ")]
pub struct WriteSeqOptions {
    /// Write the numbers of states, as comments
    #[arg(long)]
    seq_states: bool,
}

impl WriteSeqOptions {
    /// Which are given.
    pub fn given(&self) -> [(bool, &'static str); 1] {
        [(self.seq_states, "--seq-states")]
    }

    /// What the writer goes by.
    pub fn get(&self) -> seq::WriteSeq {
        seq::WriteSeq {
            states: self.seq_states,
        }
    }
}

/// What readers of DOT go by.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Input, DOT")]
pub struct ReadDotOptions {
    /// The initial state is node ID [default: the node that an edge from
    /// `__start0` or the like leads to; else one that is drawn as initial;
    /// else `s0`, `S0`, `q0` or `0`; else the first; -v tells]
    #[arg(long, value_name = "ID")]
    init: Option<OsString>,

    /// Read the nodes of subgraph NAME only, where a file holds several
    /// automata
    #[arg(long, value_name = "NAME")]
    automaton: Option<OsString>,

    /// Of several initial states make one, with hidden transitions to all of
    /// them
    #[arg(long)]
    multi_init: bool,

    /// Decode entities such as `&amp;` in strings as well, not in HTML labels
    /// alone
    #[arg(long)]
    entities: bool,

    /// Labels end in `:PROBABILITY`, which is left out
    #[arg(long)]
    stochastic: bool,
}

impl ReadDotOptions {
    /// What the reader goes by.
    pub fn get(&self) -> ReadDot {
        ReadDot {
            init: self.init.clone().map(OsString::into_vec),
            automaton: self.automaton.clone().map(OsString::into_vec),
            multi_init: self.multi_init,
            entities: self.entities,
            stochastic: self.stochastic,
        }
    }
}

/// What readers of FSM go by.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Input, FSM")]
pub struct ReadFsmOptions {
    /// Accept transitions with several labels: `join` them by blanks, take the
    /// `first`, or take two as input and output (`io`)
    #[arg(long, value_name = "HOW")]
    label_columns: Option<LabelColumns>,
}

impl ReadFsmOptions {
    /// What the reader goes by.
    pub fn get(&self) -> ReadFsm {
        ReadFsm {
            label_columns: self.label_columns.unwrap_or_default(),
        }
    }
}

/// What writers of FSM go by.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output, FSM")]
pub struct WriteFsmOptions {
    /// Tell the initial state in a section of its own, which not all tools
    /// read, instead of exchanging it with state 1
    #[arg(long)]
    initial_section: bool,
}

impl WriteFsmOptions {
    /// Which are given.
    pub fn given(&self) -> [(bool, &'static str); 1] {
        [(self.initial_section, "--initial-section")]
    }

    /// What the writer goes by.
    pub fn get(&self) -> WriteFsm {
        WriteFsm {
            initial_section: self.initial_section,
        }
    }
}

/// A text that stands between others.
fn separator(text: &str) -> Result<String, &'static str> {
    match text {
        "" => Err("a separator must have one character at least"),
        text => Ok(text.to_owned()),
    }
}

/// Whether systems are Mealy machines, and how labels are split into input and
/// output.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Mealy machines")]
pub struct MealyOptions {
    /// Read a Mealy machine, and write one to DOT: labels are split at the
    /// first ` / `, else at the first `/`; equal transitions become one, and
    /// different ones with one input are an error. Implied by the options below
    #[arg(long)]
    mealy: bool,

    /// Between input and output stands TEXT, in what is read (in any format)
    /// and in what is written to DOT
    #[arg(long, value_name = "TEXT", value_parser = separator)]
    sep: Option<String>,

    /// Split labels at the last separator, not the first
    #[arg(long)]
    sep_last: bool,

    /// Keep blanks around inputs and outputs
    #[arg(long)]
    no_trim: bool,

    /// Inputs that TEXT stands between make a transition each
    #[arg(long, value_name = "TEXT", value_parser = separator)]
    alt: Option<String>,

    /// Make two steps of each transition, `?input` and `!output`
    #[arg(long)]
    io_steps: bool,
}

impl MealyOptions {
    fn is_given(&self) -> bool {
        let texts = [&self.sep, &self.alt].into_iter().any(Option::is_some);
        texts || self.mealy || self.sep_last || self.no_trim || self.io_steps
    }

    fn syntax(&self) -> MealySyntax {
        MealySyntax {
            separator: self.sep.clone().map(String::into_bytes),
            last: self.sep_last,
            keep_blanks: self.no_trim,
            alternatives: self.alt.clone().map(String::into_bytes),
        }
    }

    /// How a machine is read, for commands that take machines only.
    pub fn always(&self) -> ReadMealy {
        ReadMealy {
            syntax: self.syntax(),
            io_steps: self.io_steps,
        }
    }

    /// How a machine is read, if it is one.
    pub fn read(&self) -> Option<ReadMealy> {
        self.is_given().then(|| self.always())
    }

    /// How labels of a machine are written, if it is one still.
    pub fn write(&self) -> Option<MealySyntax> {
        (self.is_given() && !self.io_steps).then(|| self.syntax())
    }
}

/// How columns are written.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output, columns (Parquet and Arrow)")]
pub struct WriteColumnsOptions {
    /// Compress within the table [default: zstd in Parquet, none in Arrow]
    #[arg(long, value_name = "CODEC")]
    codec: Option<Codec>,

    /// Write Arrow as a file, with a table of contents at its end, or as a
    /// stream, for pipes [default: file for -o OUTPUT, stream for standard
    /// output]
    #[arg(long, value_name = "FORM")]
    arrow_form: Option<ArrowForm>,
}

/// Values of `--codec`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Codec {
    None,
    Lz4,
    Zstd,
}

/// Values of `--arrow-form`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum ArrowForm {
    File,
    Stream,
}

impl WriteColumnsOptions {
    /// Which are given.
    pub fn given(&self) -> [(bool, &'static str); 2] {
        [
            (self.codec.is_some(), "--codec"),
            (self.arrow_form.is_some(), "--arrow-form"),
        ]
    }

    /// What the writer goes by; `named` tells whether the output has a name.
    pub fn get(&self, named: bool) -> columns::WriteColumns {
        columns::WriteColumns {
            codec: self.codec.map(|codec| match codec {
                Codec::None => columns::Codec::None,
                Codec::Lz4 => columns::Codec::Lz4,
                Codec::Zstd => columns::Codec::Zstd,
            }),
            form: match (self.arrow_form, named) {
                (Some(ArrowForm::File), _) | (None, true) => columns::ArrowForm::File,
                (Some(ArrowForm::Stream), _) | (None, false) => columns::ArrowForm::Stream,
            },
        }
    }
}
