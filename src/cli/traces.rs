//! Traces, as commands that explore show them.

use hyades_formats::{self as formats, LabelId, LabelTable, TraceForm, WriteError};

use super::files::{trace_in_comments, why_comments};
use crate::explore::Trace;

/// Tells what happens in a transition; see
/// [`Model::explain`](crate::explore::Model::explain).
pub type Explain<'a> = dyn Fn(&[u64], Option<&[u8]>, &[u64]) -> Vec<String> + 'a;

/// How traces are written.
#[derive(Clone, Copy)]
pub struct Manner<'a> {
    /// The form.
    pub form: TraceForm,
    /// The labels of the traces.
    pub labels: &'a LabelTable,
    /// What the writer goes by.
    pub options: &'a formats::WriteOptions,
    /// What there is to say about a step.
    pub explain: &'a Explain<'a>,
}

const CIRCLE: &[u8] = b"*** from here on in a circle\n";

impl Manner<'_> {
    /// A trace; where it enters a cycle, and that it ends in a deadlock, is
    /// marked. If its labels cannot be expressed in this form, they stand in
    /// comments, and there is a reason.
    pub fn trace(&self, trace: &Trace, deadlock: bool) -> (Vec<u8>, Option<String>) {
        let mut reason = String::new();
        if let Ok(text) = self.expressed(trace, deadlock, &mut |d| reason = d.text) {
            return (text, None);
        }
        let (path, cycle) = parts(trace);
        let mut text = why_comments(self.form);
        text.extend(trace_in_comments(path, self.labels));
        if !cycle.is_empty() {
            text.extend_from_slice(CIRCLE);
            text.extend(trace_in_comments(cycle, self.labels));
        }
        (text, Some(reason))
    }

    fn expressed(
        &self,
        trace: &Trace,
        deadlock: bool,
        sink: &mut formats::Sink<'_>,
    ) -> Result<Vec<u8>, WriteError> {
        let Self {
            form,
            labels,
            options,
            explain,
        } = *self;
        let mut text = Vec::new();
        for (k, &label) in trace.labels.iter().enumerate() {
            if trace.cycle == Some(k) {
                text.extend_from_slice(CIRCLE);
            }
            text.extend(form.steps(&[label], labels, options, sink)?);
            // Comments are part of SEQ only.
            if form == TraceForm::Seq {
                let visible = (!label.is_hidden()).then(|| labels.text(label));
                for line in explain(&trace.packed[k], visible, &trace.packed[k + 1]) {
                    text.extend_from_slice(format!("*** {line}\n").as_bytes());
                }
            }
        }
        if form == TraceForm::Seq && deadlock {
            text.extend_from_slice(b"<deadlock>\n");
        }
        Ok(text)
    }
}

/// The way to a cycle, or to what else a trace shows, and once around.
fn parts(trace: &Trace) -> (&[LabelId], &[LabelId]) {
    let end = trace.labels.len();
    trace.labels.split_at(trace.cycle.unwrap_or(end))
}
