//! The forms in which traces are shown.

use std::str::FromStr;

use crate::diagnostic::{Diagnostic, Severity, Sink, excerpt, has_controls};
use crate::error::WriteError;
use crate::format::UnknownName;
use crate::lts::{LabelId, LabelTable};
use crate::options::WriteOptions;
use crate::{seq, trc};

/// How the labels of a trace are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TraceForm {
    /// As in CADP: one label a line between quotes.
    #[default]
    Seq,
    /// As in mCRL2: one label a line.
    Trc,
}

impl TraceForm {
    /// The name, as messages have it.
    pub const fn name(self) -> &'static str {
        match self {
            TraceForm::Seq => "SEQ",
            TraceForm::Trc => "TRC",
        }
    }

    /// The labels of a part of a trace, one a line.
    ///
    /// # Errors
    /// If a label cannot be written in this form, or is visible and reads like
    /// the hidden action (and is not to be renamed); with `options.printable`, if one
    /// has control characters, which might forge lines or drive a terminal.
    pub fn steps(
        self,
        labels: &[LabelId],
        table: &LabelTable,
        options: &WriteOptions,
        sink: &mut Sink<'_>,
    ) -> Result<Vec<u8>, WriteError> {
        let mut visible = labels.iter().filter(|label| !label.is_hidden());
        let unfit = visible.find(|label| options.printable && has_controls(table.text(**label)));
        if let Some(&label) = unfit {
            sink(Diagnostic {
                severity: Severity::Error,
                code: "trace-control",
                file: None,
                position: None,
                text: format!(
                    "label {} has control characters, which are shown escaped",
                    excerpt(table.text(label))
                ),
            });
            return Err(WriteError::Refused { errors: 1 });
        }
        match self {
            TraceForm::Seq => seq::steps(labels, table, options, sink),
            TraceForm::Trc => trc::steps(labels, table, options, sink),
        }
    }
}

impl FromStr for TraceForm {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        match name {
            "seq" => Ok(TraceForm::Seq),
            "trc" => Ok(TraceForm::Trc),
            _ => Err(UnknownName {
                kind: "form of traces",
                name: name.into(),
                known: "seq, trc".into(),
            }),
        }
    }
}
