//! Why a formula holds or does not, for users.

use hyades_check::evidence::{End, Way};
use hyades_explore::{Trace, traces_to_lts};
use hyades_formats::{
    Format, LabelId, LabelTable, Lts, StateId, TooLarge, TraceForm, WriteOptions,
};
use serde_json::{Value, json};

use hyades_cli_core::Manner;
use hyades_cli_core::traces::circle;

/// Why there is this verdict.
pub enum Reason {
    /// One sequence.
    Way {
        trace: Trace,
        end: End,
        labels: LabelTable,
        /// What the model says on each step.
        explanations: Vec<Vec<String>>,
    },
    /// A part of the input.
    Part(Lts),
}

impl Reason {
    pub fn of_way(way: Way, labels: LabelTable, explanations: Vec<Vec<String>>) -> Self {
        let number = |k: usize| -> Box<[u64]> { [k as u64].into() };
        let first = way.steps.first().map_or(0, |step| step.source);
        let states = way.steps.iter().map(|step| step.target);
        let trace = Trace {
            labels: way.steps.iter().map(|step| step.label).collect(),
            states: std::iter::once(first)
                .chain(states)
                .map(StateId::new)
                .collect(),
            // Places, by which explanations are found.
            packed: (0..=way.steps.len()).map(number).collect(),
            cycle: match way.end {
                End::Circle(start) => Some(start),
                End::Whole | End::Decided { .. } => None,
            },
        };
        Reason::Way {
            trace,
            end: way.end,
            labels,
            explanations,
        }
    }

    /// As an LTS, in which traces are chains if the format takes chains only; none if it
    /// takes these only and the reason is a part of the input.
    pub fn to_lts(&self, format: Format) -> Result<Option<Lts>, TooLarge> {
        match self {
            Reason::Way { trace, labels, .. } => {
                traces_to_lts([trace], labels, circle(format)).map(Some)
            }
            Reason::Part(_) if hyades_cli_core::traces::is_chain(format) => Ok(None),
            Reason::Part(part) => Ok(Some(part.clone())),
        }
    }

    /// As text, and why it is not in the form that was asked for if it is not.
    pub fn text(&self, form: TraceForm, visible_i: Option<Vec<u8>>) -> (Vec<u8>, Option<String>) {
        let (trace, end, labels, explanations) = match self {
            Reason::Way {
                trace,
                end,
                labels,
                explanations,
            } => (trace, end, labels, explanations),
            Reason::Part(part) => {
                let line = format!(
                    "*** no sequence shows it; a part of the input does: {} states, {} transitions\n",
                    part.states(),
                    part.transitions()
                );
                return (line.into_bytes(), None);
            }
        };
        let explain = |source: &[u64], _: Option<&[u8]>, _: &[u64]| {
            explanations
                .get(source[0] as usize)
                .cloned()
                .unwrap_or_default()
        };
        let options = WriteOptions {
            visible_i,
            printable: true,
            ..WriteOptions::default()
        };
        let manner = Manner {
            form,
            labels,
            options: &options,
            explain: &explain,
        };
        let deadlock = matches!(end, End::Decided { deadlock: true, .. });
        let (mut text, note) = manner.trace(trace, deadlock);
        if let (TraceForm::Seq, Some(here)) = (form, here(end)) {
            text.extend(format!("*** {here}\n").into_bytes());
        }
        (text, note)
    }

    pub fn json(&self) -> Value {
        match self {
            Reason::Way {
                trace, end, labels, ..
            } => {
                let text = |label: &LabelId| match label.is_hidden() {
                    true => Value::Null,
                    false => String::from_utf8_lossy(labels.text(*label)).into(),
                };
                let mut object = json!({
                    "labels": trace.labels.iter().map(text).collect::<Vec<_>>(),
                });
                match end {
                    End::Whole => {}
                    End::Circle(start) => object["cycle"] = (*start).into(),
                    End::Decided {
                        formula,
                        holds,
                        deadlock,
                    } => {
                        object["here"] =
                            json!({ "formula": formula, "holds": holds, "deadlock": deadlock });
                    }
                }
                object
            }
            Reason::Part(part) => json!({
                "states": part.states(),
                "transitions": part.transitions(),
            }),
        }
    }
}

/// What holds or fails at the end of a way.
fn here(end: &End) -> Option<String> {
    match end {
        End::Decided { formula, holds, .. } => {
            let verb = if *holds { "holds" } else { "fails" };
            Some(format!("here {verb}: {formula}"))
        }
        End::Whole | End::Circle(_) => None,
    }
}

/// The labels of an LTS that is a chain from its initial state.
pub fn chain(lts: &Lts) -> Option<Vec<Option<&[u8]>>> {
    let mut labels = Vec::new();
    let mut state = lts.initial();
    loop {
        let mut steps = lts.outgoing(state);
        let Some((label, target)) = steps.next() else {
            return Some(labels);
        };
        if steps.next().is_some() || labels.len() > lts.transitions() {
            return None;
        }
        labels.push((!label.is_hidden()).then(|| lts.table().text(label)));
        state = target;
    }
}

/// A report in the form of JUnit.
pub fn junit(cases: &[(&str, &str)]) -> String {
    let escaped = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
    };
    let count = |word: &str| cases.iter().filter(|(_, own)| *own == word).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuite name=\"check\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
        cases.len(),
        count("FALSE"),
        count("UNKNOWN"),
    );
    for (name, word) in cases {
        let name = escaped(name);
        let inner = match *word {
            "FALSE" => "<failure message=\"FALSE\"/>",
            "UNKNOWN" => "<skipped message=\"UNKNOWN\"/>",
            _ => "",
        };
        text.push_str(&format!("  <testcase name=\"{name}\">{inner}</testcase>\n"));
    }
    text.push_str("</testsuite>\n");
    text
}
