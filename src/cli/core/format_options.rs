//! Options of single formats, and of Mealy machines; every command that reads
//! or writes has them.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroU32;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use clap::builder::{OsStringValueParser, TypedValueParser};
use hyades_formats::bcg::WriteBcg;
use hyades_formats::columns::{ArrowForm, Codec, WriteColumns};
use hyades_formats::dot::{MooreForm, ReadDot, StateOutputs, WriteDot, WriteOutputs};
use hyades_formats::fsm::{LabelColumns, ReadFsm, WriteFsm};
use hyades_formats::mealy::{InitialOutput, MealySyntax, ReadMealy};
use hyades_formats::seq;

use super::choices::one_of;

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
    /// Read the Nth sequence only, from 1 [default: all of them; of patterns that are
    /// searched for, the first]
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
    /// What the reader goes by; `outputs` says what becomes of those of states.
    pub fn get(&self, outputs: StateOutputs) -> ReadDot {
        ReadDot {
            outputs,
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
            label_columns: self.label_columns,
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

/// A text that is not empty: a label, or a separator.
fn nonempty(what: &'static str) -> impl TypedValueParser<Value = OsString> {
    OsStringValueParser::new().try_map(move |text| match text.is_empty() {
        true => Err(format!("a {what} must have one character at least")),
        false => Ok(text),
    })
}

/// Whether systems are Mealy machines, Moore machines or finite automata, and how labels are split into input and
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
    #[arg(long, value_name = "TEXT", value_parser = nonempty("separator"))]
    sep: Option<OsString>,

    /// Split labels at the last separator, not the first
    #[arg(long)]
    sep_last: bool,

    /// Keep blanks around inputs and outputs
    #[arg(long)]
    no_trim: bool,

    /// Inputs that TEXT stands between make a transition each
    #[arg(long, value_name = "TEXT", value_parser = nonempty("separator"))]
    alt: Option<OsString>,

    /// Make two steps of each transition, `?input` and `!output`
    #[arg(long)]
    io_steps: bool,

    /// Read a Moore machine, whose outputs are in the labels of nodes in DOT, and
    /// write one to DOT: labels are `input/output`, with the output of the state
    /// that follows, and that of the initial state is a transition `/output` from
    /// a state before it
    #[arg(long, conflicts_with = "mealy")]
    moore: bool,

    /// With --moore: write outputs to DOT as slash (`0 / out`, for LearnLib), record
    /// (`0|out`, for AALpy) or lines (in a second line)
    #[arg(
        long,
        value_name = "FORM",
        default_value = "slash",
        requires = "moore",
        conflicts_with = "io_steps"
    )]
    moore_form: MooreForm,

    /// Read a finite automaton (DFA or NFA) from DOT, and write one to it: states
    /// with a double circle accept, and have a self-loop `accepting`. Nothing is
    /// hidden in it but what is named
    #[arg(long, conflicts_with_all = MACHINES)]
    dfa: bool,

    /// The self-loop of accepting states has this label instead, which must not
    /// occur elsewhere; implies --dfa
    #[arg(long, value_name = "LABEL", value_parser = nonempty("label"), conflicts_with_all = MACHINES)]
    accepting: Option<OsString>,

    /// Read DOT whose nodes tell outputs or acceptance as an LTS in which states
    /// differ in their transitions only, instead of refusing it
    #[arg(long, conflicts_with_all = ["moore", "dfa", "accepting"])]
    ignore_outputs: bool,
}

/// The options about machines, which a finite automaton is none of.
const MACHINES: [&str; 7] = [
    "mealy", "sep", "sep_last", "no_trim", "alt", "io_steps", "moore",
];

/// The label of accepting states' self-loops.
const ACCEPTING: &str = "accepting";

impl MealyOptions {
    fn is_given(&self) -> bool {
        let texts = [&self.sep, &self.alt].into_iter().any(Option::is_some);
        let others = self.mealy || self.sep_last || self.no_trim || self.io_steps;
        texts || others || self.moore
    }

    /// The label of the self-loops of accepting states, if it is a finite automaton.
    pub fn accepting(&self) -> Option<&[u8]> {
        let usual = self.dfa.then_some(ACCEPTING.as_bytes());
        self.accepting.as_deref().map(OsStr::as_bytes).or(usual)
    }

    /// What becomes of outputs and acceptance that nodes in DOT tell; `unsaid` if the
    /// user says nothing of it.
    pub fn outputs(&self, unsaid: StateOutputs) -> StateOutputs {
        match self.accepting() {
            Some(label) => StateOutputs::Accepting(label.to_vec()),
            None if self.moore => StateOutputs::Moore,
            None if self.ignore_outputs => StateOutputs::Ignored,
            // of a Mealy machine states have none
            None if self.is_given() => StateOutputs::Refused,
            None => unsaid,
        }
    }

    /// As [`outputs`](Self::outputs), for the template of a pattern, which is an LTS
    /// whatever is seen by the pattern.
    pub fn outputs_of_template(&self) -> StateOutputs {
        match self.ignore_outputs {
            true => StateOutputs::Ignored,
            false => StateOutputs::Refused,
        }
    }

    /// How DOT is written.
    pub fn write_dot(&self) -> WriteDot {
        let outputs = match self.accepting() {
            Some(label) => WriteOutputs::Accepting(label.to_vec()),
            None if self.moore && !self.io_steps => WriteOutputs::Moore(self.moore_form),
            None => WriteOutputs::None,
        };
        WriteDot { outputs }
    }

    fn syntax(&self) -> MealySyntax {
        MealySyntax {
            separator: self.sep.clone().map(OsString::into_vec),
            last: self.sep_last,
            keep_blanks: self.no_trim,
            alternatives: self.alt.clone().map(OsString::into_vec),
        }
    }

    /// How a machine is read, for commands that take machines only.
    pub fn always(&self) -> ReadMealy {
        ReadMealy {
            syntax: self.syntax(),
            io_steps: self.io_steps,
            initial: match self.moore {
                true => InitialOutput::Needed,
                false => InitialOutput::None,
            },
            is_part: false,
            otherwise: "",
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

/// How partitioned LTSs are written.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output, partitioned LTSs (plts)")]
pub struct WritePltsOptions {
    /// Write N parts, with about as many states and transitions each [default: parts of
    /// up to 134 million]; fewer if there are fewer states
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=99_999))]
    parts: Option<u32>,
}

impl WritePltsOptions {
    /// Which are given.
    pub fn given(&self) -> [(bool, &'static str); 1] {
        [(self.parts.is_some(), "--parts")]
    }

    /// How many parts are asked for.
    pub fn get(&self) -> Option<NonZeroU32> {
        self.parts.and_then(NonZeroU32::new)
    }
}

/// How columns are written.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output, columns (Parquet and Arrow; --codec: plts too)")]
pub struct WriteColumnsOptions {
    /// Compress within the table, or the blocks of a partitioned LTS [default: zstd in
    /// Parquet and plts, none in Arrow]
    #[arg(long, value_name = "CODEC", value_parser = one_of::<Codec, _>(Codec::ALL.map(Codec::name)))]
    codec: Option<Codec>,

    /// Write Arrow as a file, with a table of contents at its end, or as a
    /// stream, for pipes [default: file for -o OUTPUT, stream for standard
    /// output]
    #[arg(long, value_name = "FORM", value_parser = one_of::<ArrowForm, _>(ArrowForm::ALL.map(ArrowForm::name)))]
    arrow_form: Option<ArrowForm>,
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
    pub fn get(&self, named: bool) -> WriteColumns {
        WriteColumns {
            codec: self.codec,
            form: self.arrow_form.unwrap_or(match named {
                true => ArrowForm::File,
                false => ArrowForm::Stream,
            }),
        }
    }
}
