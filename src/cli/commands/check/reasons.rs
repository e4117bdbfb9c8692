//! Why a formula holds or does not, for users.

use std::collections::HashMap;

use hyades_check::data::text;
use hyades_check::evidence::{End, Note, Part, Valued, Way};
use hyades_check::syntax::Value as Data;
use hyades_check::within::Excess;
use hyades_explore::{Trace, traces_to_lts};
use hyades_formats::diagnostic::{counted, printable_string};
use hyades_formats::{
    Format, LabelId, LabelTable, Lts, StateId, TooLarge, TraceForm, WriteOptions,
};
use serde_json::{Value, json};

use hyades_cli_core::Manner;
use hyades_cli_core::answer::label_json;
use hyades_cli_core::traces::cycle;

/// Why there is this verdict.
pub enum Reason {
    /// One sequence.
    Way {
        trace: Trace,
        notes: Vec<Note>,
        end: End,
        labels: LabelTable,
        /// What the model says on each step.
        explanations: Vec<Vec<String>>,
        /// The sequence and what shows its end, if that needs more.
        whole: Option<Box<Lts>>,
    },
    /// A part of the input.
    Part(Part),
}

/// Tells what happens in a transition.
type Explain<'a> = dyn Fn(&[u64], Option<&[u8]>, &[u64]) -> Vec<String> + 'a;

impl Reason {
    /// `packed` are the states of a model, none of an LTS.
    pub fn of_way(
        way: Way,
        labels: LabelTable,
        explanations: Vec<Vec<String>>,
        packed: Vec<Box<[u64]>>,
        whole: Option<Lts>,
    ) -> Self {
        let first = way.steps.first().map_or(0, |step| step.source);
        let states = way.steps.iter().map(|step| step.target);
        let trace = Trace {
            labels: way.steps.iter().map(|step| step.label).collect(),
            states: std::iter::once(first)
                .chain(states)
                .map(StateId::new)
                .collect(),
            packed,
            cycle: match way.end {
                End::Cycle(start) => Some(start),
                End::Whole | End::Decided { .. } => None,
            },
        };
        Reason::Way {
            trace,
            notes: way.notes,
            end: way.end,
            labels,
            explanations,
            whole: whole.map(Box::new),
        }
    }

    /// Whether an LTS of it is a part of the input rather than a sequence.
    pub fn is_part(&self) -> bool {
        match self {
            Reason::Way { whole, .. } => whole.is_some(),
            Reason::Part(_) => true,
        }
    }

    /// Takes another trace for a trace, with what is said on its steps.
    pub fn replay<E>(
        &mut self,
        replayed: impl Fn(&Trace) -> Result<Trace, E>,
        explain: &Explain<'_>,
    ) -> Result<(), E> {
        let Reason::Way {
            trace,
            end,
            labels,
            explanations,
            ..
        } = self
        else {
            return Ok(());
        };
        if trace.labels.is_empty() {
            return Ok(());
        }
        *trace = replayed(trace)?;
        if let (End::Cycle(start), Some(cycle)) = (end, trace.cycle) {
            *start = cycle;
        }
        let steps = trace.labels.iter().enumerate();
        let told = steps.map(|(k, &label)| {
            let text = (!label.is_hidden()).then(|| labels.text(label));
            explain(&trace.packed[k], text, &trace.packed[k + 1])
        });
        *explanations = told.collect();
        Ok(())
    }

    /// As an LTS, in which traces are chains if the format takes chains only; none if it
    /// takes these only and the reason is a part of the input.
    pub fn to_lts(&self, format: Format) -> Result<Option<Lts>, TooLarge> {
        let is_chain = hyades_cli_core::traces::is_chain(format);
        match self {
            Reason::Way {
                whole: Some(whole), ..
            } if !is_chain => Ok(Some(Lts::clone(whole))),
            Reason::Way { trace, labels, .. } => {
                traces_to_lts([trace], labels, cycle(format)).map(Some)
            }
            Reason::Part(_) if is_chain => Ok(None),
            Reason::Part(part) => Ok(Some(part.lts.clone())),
        }
    }

    /// As text, and why it is not in the form that was asked for if it is not.
    pub fn text(&self, form: TraceForm, visible_i: Option<Vec<u8>>) -> (Vec<u8>, Option<String>) {
        let (trace, notes, end, labels, explanations) = match self {
            Reason::Way {
                trace,
                notes,
                end,
                labels,
                explanations,
                whole: _,
            } => (trace, notes, end, labels, explanations),
            Reason::Part(part) => return (part_text(part).into_bytes(), None),
        };
        let trace = placed(trace);
        let said = |note: &Note| here(&note.formula, &note.values, note.holds);
        let noted = |after: usize| notes.iter().filter(move |note| note.after == after);
        let explain = |source: &[u64], _: Option<&[u8]>, target: &[u64]| {
            let mut lines = told(explanations, source);
            lines.extend(noted(target[0] as usize).map(said));
            lines
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
        let (steps, why) = manner.trace(&trace, deadlock);
        let comment = |line: String| match form {
            TraceForm::Seq => format!("*** {line}\n").into_bytes(),
            TraceForm::Trc => Vec::new(),
        };
        let mut text = Vec::new();
        for note in noted(0) {
            text.extend(comment(said(note)));
        }
        text.extend(steps);
        match end {
            End::Whole => {}
            End::Decided {
                formula,
                values,
                holds,
                ..
            } => text.extend(comment(here(formula, values, *holds))),
            End::Cycle(start) => {
                let cycle = trace.labels.len() - start;
                let line = format!("{}, then a cycle of {cycle}", counted(*start, "step"));
                text.extend(comment(line));
            }
        }
        (text, why)
    }

    /// As JSON, with the keys of docs/json.md.
    pub fn json(&self) -> Value {
        let (trace, notes, end, labels, explanations) = match self {
            Reason::Way {
                trace,
                notes,
                end,
                labels,
                explanations,
                whole: _,
            } => (trace, notes, end, labels, explanations),
            Reason::Part(part) => return part_json(part),
        };
        let options = WriteOptions::default();
        let manner = Manner {
            form: TraceForm::Seq,
            labels,
            options: &options,
            explain: &|source, _, _| told(explanations, source),
        };
        let mut object = json!({ "kind": "trace" });
        for (key, value) in manner.json(&placed(trace)) {
            object[key] = value;
        }
        let note = |after: usize, formula: &str, values: &[Valued], holds: bool| {
            let mut note = json!({ "after": after });
            add_note(&mut note, formula, values, holds);
            note
        };
        let mut here: Vec<Value> = notes
            .iter()
            .map(|n| note(n.after, &n.formula, &n.values, n.holds))
            .collect();
        if let End::Decided {
            formula,
            values,
            holds,
            deadlock,
        } = end
        {
            here.push(note(trace.labels.len(), formula, values, *holds));
            object["deadlock"] = (*deadlock).into();
        }
        object["here"] = here.into();
        object
    }
}

/// A part of the input, by its size and what is to be said of its states.
fn part_text(Part { lts, notes, more }: &Part) -> String {
    let mut text = format!(
        "*** no sequence shows it; a part of the input does: {}, {}\n",
        counted(lts.states(), "state"),
        counted(lts.transitions(), "transition")
    );
    for note in notes {
        // A long way is told by its end.
        const SHOWN: usize = 4;
        let labels = note.way.iter().map(|&label| match label.is_hidden() {
            true => "i".into(),
            false => format!("\"{}\"", printable_string(lts.table().text(label))),
        });
        let shown: Vec<String> = labels.collect();
        let after = match shown.len() {
            0 => String::new(),
            n if n <= SHOWN => format!(", after {}", shown.join(" ")),
            n => format!(", after {n} steps, … {}", shown[n - SHOWN..].join(" ")),
        };
        let said = here(&note.formula, &note.values, note.holds);
        text += &format!("*** state {}{after}: {said}\n", note.state);
    }
    if *more > 0 {
        text += &format!("*** and {more} more like these\n");
    }
    text
}

fn part_json(Part { lts, notes, more }: &Part) -> Value {
    let here = notes.iter().map(|note| {
        let labels = note.way.iter().map(|&label| label_json(label, lts.table()));
        let mut object = json!({
            "state": note.state.get(),
            "labels": labels.collect::<Vec<Value>>(),
        });
        add_note(&mut object, &note.formula, &note.values, note.holds);
        object
    });
    json!({
        "kind": "part",
        "states": lts.states(),
        "transitions": lts.transitions(),
        "here": here.collect::<Vec<Value>>(),
        "more": more,
    })
}

/// Adds what holds or fails to an object that says where.
fn add_note(object: &mut Value, formula: &str, values: &[Valued], holds: bool) {
    object["formula"] = formula.into();
    object["holds"] = holds.into();
    if !values.is_empty() {
        let pairs = values.iter().map(|v| (v.name.to_string(), json_value(v)));
        object["values"] = pairs.collect::<serde_json::Map<String, Value>>().into();
    }
}

/// The trace with the places of steps instead of states, by which what is said on them is
/// found.
fn placed(trace: &Trace) -> Trace {
    let place = |k: usize| -> Box<[u64]> { [k as u64].into() };
    Trace {
        labels: trace.labels.clone(),
        states: trace.states.clone(),
        packed: (0..=trace.labels.len()).map(place).collect(),
        cycle: trace.cycle,
    }
}

/// What is said on the step after this place.
fn told(explanations: &[Vec<String>], place: &[u64]) -> Vec<String> {
    let lines = explanations.get(place[0] as usize);
    lines.cloned().unwrap_or_default()
}

/// What holds or fails on a way.
fn here(formula: &str, values: &[Valued], holds: bool) -> String {
    let verb = if holds { "holds" } else { "fails" };
    let values: Vec<String> = values
        .iter()
        .map(|v| format!("{} = {}", v.name, v.text))
        .collect();
    match values.is_empty() {
        true => format!("here {verb}: {formula}"),
        false => format!("here {verb}: {formula} with {}", values.join(", ")),
    }
}

/// A value in JSON: Booleans and numbers as such, others as texts.
fn json_value(valued: &Valued) -> Value {
    match &valued.value {
        Data::Bool(value) => (*value).into(),
        Data::Int(value) => (*value).into(),
        Data::Real(value) if value.get().is_finite() => value.get().into(),
        value @ (Data::Real(_) | Data::Char(_) | Data::Text(_)) => {
            String::from_utf8_lossy(&text(value)).into()
        }
    }
}

/// The labels of an LTS that is a [`chain`](hyades_lts::chain); `None` is the hidden action.
pub fn chain(lts: &Lts) -> Option<Vec<Option<&[u8]>>> {
    let text = |label: LabelId| (!label.is_hidden()).then(|| lts.table().text(label));
    Some(hyades_lts::chain(lts)?.into_iter().map(text).collect())
}

/// The labels on the way from the initial state to another one, of an LTS that consists of
/// chains from there.
pub fn way_to(lts: &Lts, state: StateId) -> Vec<Option<&[u8]>> {
    let before: HashMap<StateId, (StateId, LabelId)> = lts
        .iter()
        .map(|(source, label, target)| (target, (source, label)))
        .collect();
    let mut labels = Vec::new();
    let mut state = state;
    while let Some((source, label)) = before.get(&state).filter(|_| state != lts.initial()) {
        labels.push((!label.is_hidden()).then(|| lts.table().text(*label)));
        state = *source;
    }
    labels.reverse();
    labels
}

/// That a transition of a reason is none of the input.
pub fn excess(part: &Lts, excess: Excess) -> String {
    let label = match excess.label.is_hidden() {
        true => "a hidden step".to_owned(),
        false => format!("\"{}\"", part.table().text(excess.label).escape_ascii()),
    };
    format!(
        "{label} from state {} to state {} of the reason is none of INPUT",
        excess.source, excess.target
    )
}
