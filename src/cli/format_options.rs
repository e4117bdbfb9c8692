//! Options that concern some formats only, a group for each.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use hyades_formats::bcg::WriteBcg;
use hyades_formats::seq;

/// How BCG is written.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output, BCG")]
pub struct WriteBcgOptions {
    /// Leave states their numbers instead of numbering them breadth first; an
    /// initial state other than 0 changes places with 0. Refused where readers
    /// could then misunderstand the file
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
    /// What the writer goes by.
    pub fn get(&self) -> WriteBcg {
        WriteBcg {
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
    /// What the writer goes by.
    pub fn get(&self) -> seq::WriteSeq {
        seq::WriteSeq {
            states: self.seq_states,
        }
    }
}
