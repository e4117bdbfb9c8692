//! Reasons of differences, as text and as JSON.

use hyades_cli_core::answer::label_json;
use hyades_cli_core::{trace_in_comments, why_comments};
use hyades_equivalence::compare::{Observation, Side, Trace, Witness};
use hyades_equivalence::inclusion::{End, Reason, Seen};
use hyades_equivalence::{listed, offering};
use hyades_formats::{LabelId, LabelTable, TooLarge, TraceForm, WriteOptions};
use serde_json::{Value, json};

/// How traces are shown, and what the two systems are called.
pub struct Shown<'a> {
    /// The form of traces.
    pub form: TraceForm,
    /// How labels are written in them.
    pub options: WriteOptions,
    /// The names.
    pub names: &'a [String; 2],
}

impl Shown<'_> {
    /// The system on a side, and the other one.
    fn sides(&self, side: Side) -> [&str; 2] {
        let [a, b] = self.names;
        match side {
            Side::First => [a, b],
            Side::Second => [b, a],
        }
    }

    /// Appends a reason.
    ///
    /// # Errors
    /// None in practice: only for more labels than a table can hold.
    pub fn reason(&self, text: &mut Vec<u8>, witness: &Witness) -> Result<(), TooLarge> {
        let [has, lacks] = self.sides(witness.holds_in());
        match witness {
            Witness::Formula(claim) => {
                put(text, &format!("*** holds in {has}, not in {lacks}"));
                put(text, &claim.formula.to_string());
            }
            Witness::Trace(trace) => self.trace(text, trace),
            Witness::Observation(seen) => {
                put(
                    text,
                    &format!("*** {} of {has}, not of {lacks}", seen.kind()),
                );
                text.extend(observation(self.form, &self.options, seen));
                put(text, "*** as a formula");
                put(text, &seen.reason.formula(&seen.table)?.to_string());
            }
        }
        Ok(())
    }

    fn trace(&self, text: &mut Vec<u8>, trace: &Trace) {
        let [has, lacks] = self.sides(trace.present_in);
        put(text, &format!("*** trace of {has}, not of {lacks}"));
        let Trace { labels, table, .. } = trace;
        match self.form.steps(labels, table, &self.options, &mut |_| ()) {
            Ok(steps) => text.extend(steps),
            Err(_) => {
                text.extend(why_comments(self.form));
                text.extend(trace_in_comments(labels, table));
            }
        }
    }
}

/// The trace, between what is seen on the way and at its end, in comments.
pub fn observation(form: TraceForm, options: &WriteOptions, seen: &Observation) -> Vec<u8> {
    let table = &seen.table;
    let written = |labels: &[LabelId]| form.steps(labels, table, options, &mut |_| ());
    let all: Vec<LabelId> = seen.reason.labels().collect();
    let is_expressible = written(&all).is_ok();
    let steps = |text: &mut Vec<u8>, labels: &[LabelId]| match written(labels) {
        Ok(steps) if is_expressible => text.extend(steps),
        Ok(_) | Err(_) => text.extend(trace_in_comments(labels, table)),
    };
    let mut text = match is_expressible {
        true => Vec::new(),
        false => why_comments(form),
    };
    let mut plain: Vec<LabelId> = Vec::new();
    for step in &seen.reason.steps {
        let told = match &step.seen {
            Seen::Nothing => None,
            Seen::Refusal(labels) => Some(format!("refusing {}", listed(labels, table))),
            Seen::Menu(menu) => Some(offering(menu, table)),
        };
        if let Some(told) = told {
            steps(&mut text, &std::mem::take(&mut plain));
            put(&mut text, &format!("*** {told}"));
        }
        plain.push(step.label);
    }
    steps(&mut text, &plain);
    for line in seen.at_the_end() {
        put(&mut text, &format!("*** then {line}"));
    }
    if let End::Divergence = seen.reason.end {
        // Once around.
        steps(&mut text, &[LabelId::HIDDEN]);
    }
    text
}

fn put(text: &mut Vec<u8>, line: &str) {
    text.extend_from_slice(line.as_bytes());
    text.push(b'\n');
}

/// A reason as JSON.
///
/// # Errors
/// None in practice: only for more labels than a table can hold.
pub fn reason_json(witness: &Witness) -> Result<Value, TooLarge> {
    let holds_in = match witness.holds_in() {
        Side::First => "first",
        Side::Second => "second",
    };
    Ok(match witness {
        Witness::Trace(trace) => json!({
            "kind": "trace",
            "holds_in": holds_in,
            "labels": labels_json(&trace.labels, &trace.table),
        }),
        Witness::Formula(claim) => json!({
            "kind": "formula",
            "holds_in": holds_in,
            "formula": claim.formula.to_string(),
            "depth": claim.depth,
        }),
        Witness::Observation(seen) => {
            let labels: Vec<_> = seen.reason.labels().collect();
            let mut object = json!({
                "kind": seen.kind(),
                "holds_in": holds_in,
                "labels": labels_json(&labels, &seen.table),
                "then": end_json(&seen.reason, &seen.table),
                "formula": seen.reason.formula(&seen.table)?.to_string(),
            });
            let steps = &seen.reason.steps;
            if steps.iter().any(|step| step.seen != Seen::Nothing) {
                let before = steps.iter().map(|step| seen_json(&step.seen, &seen.table));
                object["before"] = before.collect();
            }
            object
        }
    })
}

/// What is seen at the end.
fn end_json(reason: &Reason, table: &LabelTable) -> Value {
    let traces = |traces: &[Vec<LabelId>]| -> Value {
        traces.iter().map(|t| labels_json(t, table)).collect()
    };
    match &reason.end {
        End::Trace => Value::Null,
        End::Deadlock(_) => json!({ "deadlock": true }),
        End::Refusal(labels) => json!({ "refused": labels_json(labels, table) }),
        End::Revival { refusal, label } => json!({
            "refused": labels_json(refusal, table),
            "accepted": label_json(*label, table),
        }),
        End::Ready(menu) => json!({ "offered": labels_json(&menu.offered, table) }),
        End::Divergence => json!({ "diverges": true }),
        End::Futures { lacks, has } => json!({ "lacks": traces(lacks), "has": traces(has) }),
    }
}

/// What is seen before a step.
fn seen_json(seen: &Seen, table: &LabelTable) -> Value {
    match seen {
        Seen::Nothing => Value::Null,
        Seen::Refusal(labels) => json!({ "refused": labels_json(labels, table) }),
        Seen::Menu(menu) => json!({ "offered": labels_json(&menu.offered, table) }),
    }
}

fn labels_json(labels: &[LabelId], table: &LabelTable) -> Value {
    labels
        .iter()
        .map(|&label| label_json(label, table))
        .collect()
}

/// A reason in one line: the labels of a trace, or a formula.
///
/// # Errors
/// None in practice: only for more labels than a table can hold.
pub fn in_one_line(witness: &Witness) -> Result<String, TooLarge> {
    let text = witness.summary()?;
    Ok(match text.lines().count() {
        1 => text,
        lines => format!("a formula of {lines} definitions (-e shows it)"),
    })
}
