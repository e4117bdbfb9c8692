//! Answers on kernels: whether they stand for their specifications.

use hyades_formats::diagnostic::{excerpt, printable};
use hyades_formats::{self as formats, LabelId, LabelTable, TraceForm};
use hyades_symmetry::check::{Asymmetry, Condition, ConditionVerdict, Reason, Report, Violation};
use hyades_symmetry::pattern::Pattern;
use serde_json::{Map, json};

use super::answer::label_json;
use super::files::{trace_in_comments, why_comments};
use super::status::Status;

/// The answers in lines, and what else there is to say.
pub fn lines(
    report: &Report,
    pattern: &Pattern,
    labels: &LabelTable,
    form: TraceForm,
    options: &formats::WriteOptions,
) -> (Vec<u8>, Vec<String>) {
    let mut answers = Answers {
        labels,
        form,
        options,
        text: Vec::new(),
        notes: Vec::new(),
        traces: 0,
    };
    for (condition, verdict) in report.iter() {
        let name = condition.name();
        match verdict {
            ConditionVerdict::Holds => answers.line(&format!("{name}: TRUE")),
            ConditionVerdict::Unknown(_) => {
                answers.line(&format!("{name}: UNKNOWN"));
            }
            ConditionVerdict::Violated(violation) => {
                answers.separate();
                answers.line(&format!("{name}: FALSE"));
                let shown = Shown::new(violation, pattern);
                for line in &shown.remarks {
                    answers.line(&format!("*** {line}"));
                }
                for (k, (what, trace)) in shown.traces.iter().enumerate() {
                    if k > 0 {
                        answers.separate();
                    }
                    answers.line(&format!("*** {what}"));
                    answers.trace(name, trace);
                }
            }
        }
    }
    (answers.text, answers.notes)
}

/// Why conditions are not decided, each in a line.
pub fn reasons(report: &Report) -> Vec<String> {
    let reason = |(condition, verdict): (Condition, &ConditionVerdict)| {
        let ConditionVerdict::Unknown(reason) = verdict else {
            return None;
        };
        let option = match reason {
            Reason::Nodes(_) => " (--max-nodes, --max-memory)",
            Reason::Pairs { .. } => " (--max-pairs, --max-memory)",
            Reason::Nondeterministic => " (`minimize -e trace` makes one)",
            Reason::Uncovered | Reason::NoKernel | Reason::Stopped | Reason::Unfinished => "",
        };
        Some(format!("{}: {reason}{option}", condition.name()))
    };
    report.iter().filter_map(reason).collect()
}

/// One answer as part of a message: the condition, and what shows that it is violated
/// or why it is not known.
pub fn in_one_line(
    condition: Condition,
    verdict: &ConditionVerdict,
    pattern: &Pattern,
    labels: &LabelTable,
) -> String {
    let name = condition.name();
    match verdict {
        ConditionVerdict::Holds => format!("{name}: TRUE"),
        ConditionVerdict::Unknown(reason) => format!("{name}: UNKNOWN: {reason}"),
        ConditionVerdict::Violated(violation) => {
            let shown = Shown::new(violation, pattern);
            let label = |label: &LabelId| match label.is_hidden() {
                true => "`i`".to_string(),
                false => excerpt(labels.text(*label)),
            };
            let mut text = format!("{name}: FALSE");
            for remark in &shown.remarks {
                text += &format!("; {remark}");
            }
            for (what, trace) in &shown.traces {
                let trace: Vec<String> = trace.iter().map(label).collect();
                let trace = match trace.is_empty() {
                    true => "the empty trace".to_owned(),
                    false => trace.join(" "),
                };
                text += &format!("; {what}: {trace}");
            }
            text
        }
    }
}

/// The status: something is violated; nothing is, but something is not known;
/// all holds.
pub fn status(report: &Report) -> Status {
    let any = |test: fn(&ConditionVerdict) -> bool| report.iter().any(|(_, verdict)| test(verdict));
    if any(|verdict| matches!(verdict, ConditionVerdict::Violated(_))) {
        Status::Fails
    } else if any(|verdict| matches!(verdict, ConditionVerdict::Unknown(_))) {
        Status::NoVerdict
    } else {
        Status::Holds
    }
}

/// Answers in the making.
struct Answers<'a> {
    labels: &'a LabelTable,
    form: TraceForm,
    options: &'a formats::WriteOptions,
    text: Vec<u8>,
    notes: Vec<String>,
    traces: usize,
}

impl Answers<'_> {
    fn line(&mut self, line: &str) {
        self.text.extend_from_slice(&printable(line.as_bytes()));
        self.text.push(b'\n');
    }

    /// The next trace is another one.
    fn separate(&mut self) {
        if self.traces > 0 && self.form == TraceForm::Seq {
            self.text.extend_from_slice(b"[]\n");
        }
        self.traces += 1;
    }

    fn trace(&mut self, name: &str, trace: &[LabelId]) {
        let mut reason = String::new();
        let steps = self
            .form
            .steps(trace, self.labels, self.options, &mut |d| reason = d.text);
        if let Ok(steps) = steps {
            self.text.extend(steps);
            return;
        }
        self.text.extend(why_comments(self.form));
        self.text.extend(trace_in_comments(trace, self.labels));
        self.notes.push(format!(
            "no trace in the form {} for {name}: {reason}",
            self.form.name()
        ));
    }
}

/// What shows a violation, in words.
struct Shown {
    remarks: Vec<String>,
    traces: Vec<(&'static str, Vec<LabelId>)>,
}

impl Shown {
    fn new(violation: &Violation, pattern: &Pattern) -> Self {
        let mut remarks = Vec::new();
        const TRACE: &str = "a trace of the specification";
        const REFUSED: &str =
            "symmetric to it, and no trace of the specification: its last step is not";
        let traces = match violation {
            Violation::Deterministic {
                trace,
                source,
                targets: [first, second],
            } => {
                remarks.push(format!(
                    "the last label leads from state {source} to {first} and to {second}"
                ));
                vec![(TRACE, trace.clone())]
            }
            Violation::Covered { trace, state } => {
                remarks.push(format!("no copy takes the last label, from state {state}"));
                vec![(TRACE, trace.clone())]
            }
            Violation::LoopPreserving {
                before,
                around,
                copy,
                states: [first, second],
                shortest,
            } => {
                let map = pattern.copies[*copy].transformation.to_string();
                let named = if map.is_empty() {
                    String::new()
                } else {
                    format!(" ({map})")
                };
                remarks.push(format!(
                    "the loop leads copy {copy}{named} from state {first} of the template to \
                     {second}"
                ));
                if !shortest {
                    remarks.push("there may be shorter traces".into());
                }
                vec![
                    ("a trace of the specification, to a loop", before.clone()),
                    (
                        "once around the loop as well",
                        [&before[..], around].concat(),
                    ),
                ]
            }
            Violation::Persistent { trace, other } => vec![
                (TRACE, trace.clone()),
                (
                    "a trace that is symmetric to it but for its last step, and that no action \
                     extends symmetrically",
                    other.clone(),
                ),
            ],
            Violation::Closed { trace, other } => {
                vec![(TRACE, trace.clone()), (REFUSED, other.clone())]
            }
            Violation::Adequate { trace, longest } => vec![
                (TRACE, trace.clone()),
                (
                    "a trace of the kernel that is symmetric to it but for its last step; no \
                     trace of the kernel is symmetric to it",
                    longest.clone(),
                ),
            ],
            Violation::Symmetric(Asymmetry::NotClosed { trace, other }) => {
                remarks.push("Definition 3.1, condition 1: closed".into());
                vec![(TRACE, trace.clone()), (REFUSED, other.clone())]
            }
            Violation::Symmetric(Asymmetry::NotPrefixClosed {
                trace,
                representative,
                is_closed,
            }) => {
                let either = if *is_closed { "" } else { "1: closed, or " };
                remarks.push(format!(
                    "Definition 3.1, condition {either}3(c): representatives are prefix closed"
                ));
                vec![
                    (TRACE, trace.clone()),
                    (
                        "the representative of it but for its last step; no trace that begins \
                         so is symmetric to it",
                        representative.clone(),
                    ),
                ]
            }
            Violation::Symmetric(Asymmetry::NotLoopRespecting {
                before,
                around,
                after,
            }) => {
                remarks.push("Definition 3.1, condition 3(d): loop respecting".into());
                vec![
                    (
                        "a representative, with a loop",
                        [&before[..], around, after].concat(),
                    ),
                    (
                        "the same without the loop, which is no representative",
                        [&before[..], after].concat(),
                    ),
                ]
            }
        };
        Self { remarks, traces }
    }
}

/// All answers as one JSON object.
pub fn json_text(report: &Report, pattern: &Pattern, labels: &LabelTable) -> Vec<u8> {
    let text = |label: &LabelId| label_json(*label, labels);
    let mut object = Map::new();
    for (condition, verdict) in report.iter() {
        let answer = match verdict {
            ConditionVerdict::Holds => json!({ "verdict": true }),
            ConditionVerdict::Unknown(reason) => {
                json!({ "verdict": null, "reason": reason.to_string() })
            }
            ConditionVerdict::Violated(violation) => {
                let shown = Shown::new(violation, pattern);
                let traces = shown.traces.iter().map(|(what, trace)| {
                    json!({ "what": what, "labels": trace.iter().map(text).collect::<Vec<_>>() })
                });
                json!({
                    "verdict": false,
                    "remarks": shown.remarks,
                    "traces": traces.collect::<Vec<_>>(),
                })
            }
        };
        object.insert(condition.name().into(), answer);
    }
    let mut text = serde_json::to_vec_pretty(&object).expect("an object of texts");
    text.push(b'\n');
    text
}
