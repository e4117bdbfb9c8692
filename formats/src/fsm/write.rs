//! Writing FSM.

use std::io::Write;

use super::line::{is_name, is_sort};
use crate::blocks::{Exchange, Texts, lost_states, push_number, write_states, write_transitions};
use crate::canonical::arranged;
use crate::diagnostic::{Log, Severity, Sink, counted, excerpt};
use crate::error::WriteError;
use crate::lts::{Lts, StateId};
use crate::options::WriteOptions;
use crate::spelling::spell;
use crate::state_labels::StateLabels;
use crate::written::WrittenSize;

/// Writes an LTS in FSM, state labels included if there is one vector for each
/// state and they can be expressed.
///
/// State numbers become larger by one. The initial state changes places with
/// state 1, unless it has a section of its own, as it has with
/// `options.keep_initial` too. Transitions come in the order of the LTS, or
/// sorted in canonical form.
///
/// The bytes do not depend on the number of threads. O(bytes) time, and for
/// canonical form a copy of the LTS.
///
/// # Errors
/// If the output refuses. If a label holds `"` or a newline, or is visible and
/// reads like the hidden action, `tau`: then nothing has been written.
pub fn write(
    lts: &Lts,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<WrittenSize, WriteError> {
    let mut log = Log::new();
    let texts = spell(
        lts,
        options.hidden("tau"),
        false,
        options,
        &mut log,
        |text, log| {
            if !is_one_string(text) {
                log.add(Severity::Error, "fsm-label", None, || {
                    format!(
                        "label {} holds a quote or a newline, which FSM cannot express",
                        excerpt(text)
                    )
                });
            }
            if text.is_empty() {
                log.add(Severity::Warning, "fsm-empty-label", None, || {
                    "an empty label, which mCRL2 does not accept".into()
                });
            }
        },
    );
    let lts = &*arranged(lts, &texts, options);
    let initial_section = options.fsm.initial_section || options.keep_initial;
    let exchange = Exchange::new(lts, initial_section);
    let known = lts.state_labels().filter(|known| fits(known, &mut log));
    let lost = match known {
        Some(_) => 0,
        None => warn_of_lost_states(lts, exchange, initial_section, &mut log),
    };
    log.finish_writing(sink)?;
    if let Some(known) = known {
        write_parameters(known, output)?;
    }
    output.write_all(b"---\n")?;
    if let Some(known) = known {
        write_states(lts.states(), output, |state, text| {
            let vectors = known.vectors(exchange.of(state).index());
            for (k, &value) in vectors.flatten().enumerate() {
                if k > 0 {
                    text.push(b' ');
                }
                push_number(value.into(), text);
            }
            text.push(b'\n');
        })?;
    }
    output.write_all(b"---\n")?;
    let mut ends = Texts::new();
    for text in &texts {
        ends.push(|out| {
            out.extend_from_slice(b" \"");
            out.extend_from_slice(text);
            out.extend_from_slice(b"\"\n");
        });
    }
    let number = |state: StateId| u64::from(state.get()) + 1;
    write_transitions(lts, exchange, output, |source, label, target, text| {
        push_number(number(source), text);
        text.push(b' ');
        push_number(number(target), text);
        text.extend_from_slice(ends.get(label.index()));
    })?;
    if initial_section {
        writeln!(output, "---\n{}", number(lts.initial()))?;
    }
    let size = WrittenSize::of(lts);
    Ok(WrittenSize {
        states: size.states - lost as u64,
        ..size
    })
}

/// Whether a text can stand between quotes.
fn is_one_string(text: &[u8]) -> bool {
    !text.iter().any(|&b| b == b'"' || b == b'\n')
}

/// Whether state labels can be expressed; says so if they cannot.
fn fits(known: &StateLabels, log: &mut Log) -> bool {
    let mut refuse = |why: String| {
        log.add(Severity::Warning, "fsm-state-labels", None, || {
            format!("state labels are left out: {why}")
        });
        false
    };
    if known.parameters().is_empty() {
        return false;
    }
    if !known.is_simple() {
        return refuse("FSM has exactly one vector for each state".into());
    }
    for (number, parameter) in (1..).zip(known.parameters()) {
        let name = &parameter.name;
        if name.is_empty() {
            return refuse(format!("parameter {number} has no name"));
        }
        if !is_name(name) {
            return refuse(format!("{} is no name of a parameter", excerpt(name)));
        }
        if !parameter.sort.is_empty() && !is_sort(&parameter.sort) {
            return refuse(format!(
                "FSM cannot express sort {}",
                excerpt(&parameter.sort)
            ));
        }
        if let Some(value) = parameter.values.iter().find(|value| !is_one_string(value)) {
            return refuse(format!(
                "value {} holds a quote or a newline",
                excerpt(value)
            ));
        }
    }
    true
}

/// Without state labels there are states only as far as they are mentioned; how many are lost.
fn warn_of_lost_states(
    lts: &Lts,
    exchange: Exchange,
    initial_section: bool,
    log: &mut Log,
) -> usize {
    let mut lost = lost_states(lts, exchange);
    if initial_section {
        lost = lost.min(lts.states() - 1 - lts.initial().index());
    }
    if lost > 0 {
        log.add(Severity::Warning, "fsm-lost-states", None, || {
            format!(
                "FSM, which does not tell how many states there are, loses {} above the last one \
                 that a transition mentions",
                counted(lost, "state")
            )
        });
    }
    lost
}

fn write_parameters(known: &StateLabels, output: &mut dyn Write) -> Result<(), WriteError> {
    let mut text = Vec::new();
    for parameter in known.parameters() {
        text.extend_from_slice(&parameter.name);
        text.extend_from_slice(format!("({})", parameter.values.len()).as_bytes());
        if !parameter.sort.is_empty() {
            text.push(b' ');
            text.extend_from_slice(&parameter.sort);
        }
        for value in &parameter.values {
            text.extend_from_slice(b" \"");
            text.extend_from_slice(value);
            text.push(b'"');
        }
        text.push(b'\n');
    }
    output.write_all(&text)?;
    Ok(())
}
