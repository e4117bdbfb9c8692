//! Labelled transition systems (LTSs) in memory, and every reader and writer
//! of LTSs and traces.
//!
//! Two ideas carry the crate:
//!
//! * an [`Lts`] is three flat columns, rows of outgoing transitions compressed
//!   by source state, over a [`LabelTable`] of interned byte strings;
//! * the hidden action is the reserved [`LabelId::HIDDEN`], not a text. Which
//!   texts of a file count as hidden is a reader's option, and how hidden is
//!   written is a writer's.
//!
//! No algorithm lives here.
//!
//! ```
//! use hyades_formats::Lts;
//!
//! let folder = tempfile::tempdir()?;
//! let aut = folder.path().join("ping.aut");
//! std::fs::write(&aut, "des (0, 2, 2)\n(0, \"PING !1\", 1)\n(1, i, 0)\n")?;
//! let lts = Lts::read(&aut)?;
//! lts.save(folder.path().join("ping.bcg.gz"))?;
//! let again = Lts::read(folder.path().join("ping.bcg.gz"))?;
//! let texts: Vec<&[u8]> = again.labels().iter().map(|&l| again.table().text(l)).collect();
//! assert_eq!(texts, [&b"PING !1"[..], b""]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod aut;
pub mod bcg;
pub mod columns;
pub mod diagnostic;
pub mod dot;
pub mod error;
pub mod format;
pub mod fsm;
pub mod graphml;
pub mod jsonl;
pub mod kiss2;
pub mod label;
pub mod lts;
pub mod mcrl2;
pub mod mealy;
pub mod options;
pub mod plts;
pub mod seq;
pub mod sink;
pub mod source;
pub mod state_labels;
pub mod trace;
pub mod trc;
pub mod tsv;

mod blocks;
mod canonical;
mod chains;
mod chunks;
mod compression;
mod consecutive;
mod decompress;
mod detect;
mod dispatch;
mod fault;
mod files;
mod ids;
mod lines;
pub mod mapped;
mod names;
mod passing;
mod pipeline;
mod progress;
mod receiver;
mod rows;
mod sparse;
mod spelling;
mod table;
mod tolerance;
mod written;

#[cfg(test)]
mod layers;

pub use consecutive::Rows;
pub use diagnostic::{Diagnostic, Position, Severity, Sink};
pub use dispatch::{NO_STREAM, read_lts, read_with_ends, write_folder, write_lts};
pub use error::{ReadError, WriteError};
pub use files::{FileError, FileErrorCause, follow_links};
pub use format::{BYTE_ORDER_MARK, Compression, Format};
pub use hyades_base::fill;
pub use lts::{
    LabelId, LabelTable, Lts, LtsBuilder, LtsParts, Offsets, OffsetsRef, StateId, TooLarge,
};
pub use names::UnknownName;
pub use options::{Dialect, Escapes, Mode, Quote, ReadOptions, WriteOptions};
pub use passing::{Passed, pass, pass_lts};
pub use receiver::Receiver;
pub use sink::Compressor;
pub use source::{MOST_NAMED, Progress, Source};
pub use sparse::{JointSize, is_sparse};
pub use state_labels::{Parameter, StateLabels};
pub use trace::TraceForm;
pub use written::WrittenSize;
