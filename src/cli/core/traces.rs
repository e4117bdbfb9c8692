//! Traces, as commands that explore show them.

use hyades_explore::{Cycle, Trace};
use hyades_formats::diagnostic::printable;
use hyades_formats::{self as formats, Format, LabelTable, TraceForm, WriteError};
use serde_json::{Map, Value};

use super::answer::label_json;
use super::files::{trace_in_comments, why_comments};

/// Tells what happens in a transition; see
/// [`Model::explain`](hyades_explore::Model::explain).
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

/// What a file in this format takes of a trace that ends in a cycle.
pub fn cycle(format: Format) -> Cycle {
    match is_chain(format) {
        true => Cycle::Unrolled,
        false => Cycle::Closed,
    }
}

/// Whether what is written in this format has to be made of chains.
pub fn is_chain(format: Format) -> bool {
    match format {
        Format::Seq | Format::Trc => true,
        Format::Aut
        | Format::Bcg
        | Format::Lts
        | Format::Dot
        | Format::Fsm
        | Format::Kiss2
        | Format::Exp
        | Format::Toml
        | Format::Tsv
        | Format::Jsonl
        | Format::Parquet
        | Format::Arrow
        | Format::GraphMl
        | Format::Plts => false,
    }
}

const CYCLE: &[u8] = b"*** from here on a cycle\n";

impl Manner<'_> {
    /// A trace; where it enters a cycle, and that it ends in a deadlock, is
    /// marked. If its labels cannot be expressed in this form, they stand in
    /// comments, and there is a reason.
    pub fn trace(&self, trace: &Trace, deadlock: bool) -> (Vec<u8>, Option<String>) {
        let mut reason = String::new();
        if let Ok(text) = self.expressed(trace, deadlock, &mut |d| reason = d.text) {
            return (text, None);
        }
        let mut text = why_comments(self.form);
        for (k, &label) in trace.labels.iter().enumerate() {
            if trace.cycle == Some(k) {
                text.extend_from_slice(CYCLE);
            }
            text.extend(trace_in_comments(&[label], self.labels));
            // Set off from the labels, which are comments as well.
            self.explained(trace, k, "    ", &mut text);
        }
        (text, Some(reason))
    }

    /// A trace as JSON: its labels, where it enters a cycle, and what there is to say
    /// about each step if there is something.
    pub fn json(&self, trace: &Trace) -> Map<String, Value> {
        let labels = trace.labels.iter();
        let labels: Value = labels.map(|&l| label_json(l, self.labels)).collect();
        let mut object = Map::new();
        object.insert("labels".into(), labels);
        if let Some(start) = trace.cycle {
            object.insert("cycle".into(), start.into());
        }
        let steps = 0..trace.labels.len();
        let moves: Vec<_> = steps.map(|k| self.moves(trace, k)).collect();
        if moves.iter().any(|lines| !lines.is_empty()) {
            object.insert("moves".into(), moves.into());
        }
        object
    }

    /// What there is to say about a step.
    fn moves(&self, trace: &Trace, step: usize) -> Vec<String> {
        let label = trace.labels[step];
        let visible = (!label.is_hidden()).then(|| self.labels.text(label));
        (self.explain)(&trace.packed[step], visible, &trace.packed[step + 1])
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
            ..
        } = *self;
        let mut text = Vec::new();
        for (k, &label) in trace.labels.iter().enumerate() {
            if trace.cycle == Some(k) {
                text.extend_from_slice(CYCLE);
            }
            text.extend(form.steps(&[label], labels, options, sink)?);
            self.explained(trace, k, "", &mut text);
        }
        if form == TraceForm::Seq && deadlock {
            text.extend_from_slice(b"<deadlock>\n");
        }
        Ok(text)
    }

    /// Adds what there is to say about a step. Comments are part of SEQ only.
    fn explained(&self, trace: &Trace, step: usize, indent: &str, text: &mut Vec<u8>) {
        if self.form != TraceForm::Seq {
            return;
        }
        for line in self.moves(trace, step) {
            text.extend_from_slice(format!("*** {indent}").as_bytes());
            text.extend_from_slice(&printable(line.as_bytes()));
            text.push(b'\n');
        }
    }
}
