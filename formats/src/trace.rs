//! The forms in which traces are shown.

use crate::diagnostic::{Diagnostic, Severity, Sink, excerpt, has_controls};
use crate::error::WriteError;
use crate::lts::{LabelId, LabelTable};
pub use crate::options::TraceForm;
use crate::options::WriteOptions;
use crate::seq;
use crate::trc;

impl TraceForm {
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
