//! What users can choose about reading and writing, whatever the format.

mod bcg;
mod columns;
mod dot;
mod fsm;
mod seq;
mod trace;

pub(crate) use bcg::{Extent, Kind};
pub use bcg::{LabelFields, WriteBcg};
pub use columns::{ArrowForm, Codec, WriteColumns};
pub use dot::{MooreForm, ReadDot, StateOutputs, WriteDot, WriteOutputs};
pub use fsm::{LabelColumns, ReadFsm, WriteFsm};
pub use seq::{ReadSeq, WriteSeq};
pub use trace::TraceForm;

use std::num::NonZeroU32;

use crate::mealy::{MealySyntax, ReadMealy};
use crate::named;

/// Whose habits a file follows: which label stands for the hidden action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// CADP: `i`.
    Cadp,
    /// mCRL2: `tau`.
    Mcrl2,
}

named!(Dialect, "dialect": Cadp = "cadp", Mcrl2 = "mcrl2");

impl Dialect {
    /// The spelling of the hidden action.
    pub const fn hidden(self) -> &'static str {
        match self {
            Dialect::Cadp => "i",
            Dialect::Mcrl2 => "tau",
        }
    }
}

/// How far a reader tolerates what the definition of a format does not allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Reads what exists in practice, with warnings.
    #[default]
    Default,
    /// Reads only what the definition allows.
    Strict,
    /// Also goes on where counts are missing or wrong.
    Lenient,
}

/// Whether labels are written with escapes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Escapes {
    /// Backslashes and `#` are bytes like any other.
    #[default]
    None,
    /// As LTSmin does: `\"` and `\\` in quoted labels, and `#HEX#` for a label
    /// with bytes that cannot be printed.
    Ltsmin,
}

named!(Escapes, "kind of escapes": None = "none", Ltsmin = "ltsmin");

/// The longest line, and the longest label of a binary format, that readers
/// accept unless told otherwise, in bytes; writers write none that is longer.
pub(crate) const MAX_LINE: usize = 64 << 20;

/// What a reader goes by.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// How much is tolerated.
    pub mode: Mode,
    /// Whether a state beyond the announced number enlarges the LTS, with a
    /// warning, instead of being an error. Without effect in strict mode.
    pub grow: bool,
    /// The labels that count as hidden, in place of those of the dialect; none
    /// if empty.
    pub hidden: Vec<Vec<u8>>,
    /// The gates that whoever reads is going to hide besides (see
    /// [`label::multi_action`](crate::label::multi_action)). Readers leave their labels as
    /// they are; they only do not advise to hide what will be hidden.
    pub tau: Vec<Vec<u8>>,
    /// Whose file it is; none for the habits of the format.
    pub dialect: Option<Dialect>,
    /// How labels are written.
    pub escapes: Escapes,
    /// The longest line that is accepted, in bytes; 64 MiB unless changed.
    pub max_line: usize,
    /// About so many bytes are parsed at a time by one thread. Results do not
    /// depend on it; tests do.
    pub chunk: usize,
    /// How SEQ is read.
    pub seq: ReadSeq,
    /// Read a Mealy machine: labels are pairs of an input and an output.
    pub mealy: Option<ReadMealy>,
    /// What is peculiar to DOT.
    pub dot: ReadDot,
    /// What is peculiar to FSM.
    pub fsm: ReadFsm,
}

impl ReadOptions {
    /// The labels that are hidden in a format where it is this one by default.
    pub(crate) fn hidden(&self, default: &str) -> Vec<Vec<u8>> {
        match self.dialect {
            _ if !self.hidden.is_empty() => self.hidden.clone(),
            Some(dialect) => vec![dialect.hidden().into()],
            None => vec![default.into()],
        }
    }

    /// The labels that are hidden in a format of one tool, where it is this one in every
    /// dialect.
    pub(crate) fn hidden_or(&self, own: &[u8]) -> Vec<Vec<u8>> {
        match self.hidden.is_empty() {
            true => vec![own.into()],
            false => self.hidden.clone(),
        }
    }

    /// Whether it is worth telling that a label counts as visible which reads like
    /// the hidden action elsewhere: if nobody is going to hide it.
    pub(crate) fn stays_visible(&self, label: &[u8]) -> bool {
        !self.tau.iter().any(|gate| gate == label)
    }

    /// The labels that are hidden in a file which can tell those itself: what
    /// the user says of labels goes before that, the dialect comes after it.
    pub(crate) fn hidden_unless(&self, told: Option<&[Vec<u8>]>) -> Vec<Vec<u8>> {
        match told {
            Some(told) if self.hidden.is_empty() => told.to_vec(),
            _ => self.hidden("i"),
        }
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Default,
            grow: false,
            hidden: Vec::new(),
            tau: Vec::new(),
            dialect: None,
            escapes: Escapes::None,
            max_line: MAX_LINE,
            chunk: 1 << 20,
            seq: ReadSeq::default(),
            mealy: None,
            dot: ReadDot::default(),
            fsm: ReadFsm::default(),
        }
    }
}

/// Which labels a writer puts between quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Quote {
    /// Those that are no identifiers.
    #[default]
    Needed,
    /// All.
    Always,
}

named!(Quote, "way of quoting": Needed = "needed", Always = "always");

/// What a writer goes by.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Sort transitions by source, label and target, drop duplicates, and
    /// exchange the numbers of the initial state and state 0.
    pub canonical: bool,
    /// Leave the initial state's number alone, even in canonical form.
    pub keep_initial: bool,
    /// Which labels are quoted.
    pub quote: Quote,
    /// Refuse labels with bytes beyond ASCII, rather than warn.
    pub ascii: bool,
    /// Write bytes that cannot be printed as `\xHH`, with a warning, rather
    /// than refuse them.
    pub lossy: bool,
    /// The text for a visible label that would read like the hidden action;
    /// without it, such a label is refused.
    pub visible_i: Option<Vec<u8>>,
    /// Refuse labels with control characters in traces that people are to look at; see
    /// [`TraceForm::steps`](crate::TraceForm::steps). Files are not concerned.
    pub printable: bool,
    /// Who is to read the file; none for the habits of the format.
    pub dialect: Option<Dialect>,
    /// What only BCG has.
    pub bcg: WriteBcg,
    /// How SEQ is written.
    pub seq: WriteSeq,
    /// How columns are written, and blocks of a partitioned LTS compressed.
    pub columns: WriteColumns,
    /// How many parts a partitioned LTS has, or as many as there are states if these are
    /// fewer; none for parts of a usual size.
    pub parts: Option<NonZeroU32>,
    /// Labels are pairs of an input and an output; how these are written, in
    /// formats that have a way of their own (DOT).
    pub mealy: Option<MealySyntax>,
    /// What is peculiar to DOT.
    pub dot: WriteDot,
    /// What is peculiar to FSM.
    pub fsm: WriteFsm,
}

impl WriteOptions {
    /// The spelling of the hidden action in a format where it is this one by
    /// default.
    pub(crate) fn hidden(&self, default: &'static str) -> &'static [u8] {
        self.dialect.map_or(default, Dialect::hidden).as_bytes()
    }
}
