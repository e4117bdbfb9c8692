//! Writing DOT.

use std::io::Write;

use super::text::escape;
use crate::blocks::{Exchange, Texts, push_number, write_states, write_transitions};
use crate::canonical::arranged;
use crate::diagnostic::{Log, Severity, Sink, excerpt};
use crate::error::WriteError;
use crate::lts::{Lts, StateId};
use crate::mealy::MealySyntax;
use crate::options::WriteOptions;
use crate::spelling::spell;
use crate::state_labels::StateLabels;

/// Writes an LTS, or a Mealy machine if `options.mealy` says so, in DOT, in the
/// style of LearnLib. State labels become labels of nodes.
///
/// Nodes are called `s0`, `s1`, …; the initial state is `s0`, changing places
/// with state 0, unless `options.keep_initial`. Transitions come in the order
/// of the LTS, or sorted in canonical form; those of machines by input first.
///
/// The bytes do not depend on the number of threads. O(bytes) time, and for
/// canonical form a copy of the LTS.
///
/// # Errors
/// If the output refuses. If a visible label would read like the hidden action,
/// or a label of a machine is no pair, or would not be split back: then nothing
/// has been written.
pub fn write(
    lts: &Lts,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<(), WriteError> {
    let mut log = Log::new();
    let hidden = options.hidden("i");
    let texts = spell(lts, hidden, true, options, &mut log, |_, _| ());
    let labels = match &options.mealy {
        Some(syntax) => of_pairs(lts, &texts, syntax, &mut log),
        None => texts.iter().map(|&text| Label::plain(text)).collect(),
    };
    log.finish_writing(sink)?;
    let keys: Vec<&[u8]> = labels.iter().map(|label| &label.key[..]).collect();
    let lts = &*arranged(lts, &keys, options);
    let exchange = Exchange::new(lts, options.keep_initial);
    let mut ends = Texts::new();
    for label in &labels {
        ends.push(|out| {
            out.extend_from_slice(b" [label=\"");
            escape(&label.written, out);
            out.extend_from_slice(b"\"];\n");
        });
    }
    output.write_all(b"digraph g {\n__start0 [label=\"\" shape=\"none\"];\n\n")?;
    let known = lts.state_labels();
    write_states(lts.states(), output, |state, text| {
        text.extend_from_slice(b"\ts");
        push_number(state.get().into(), text);
        text.extend_from_slice(b" [shape=\"circle\" label=\"");
        match known.and_then(|known| node_label(known, exchange.of(state))) {
            Some(label) => escape(&label, text),
            None => push_number(state.get().into(), text),
        }
        text.extend_from_slice(b"\"];\n");
    })?;
    write_transitions(lts, exchange, output, |source, label, target, text| {
        text.extend_from_slice(b"\ts");
        push_number(source.get().into(), text);
        text.extend_from_slice(b" -> s");
        push_number(target.get().into(), text);
        text.extend_from_slice(ends.get(label.index()));
    })?;
    let initial = exchange.of(lts.initial());
    writeln!(output, "\n__start0 -> s{initial};\n}}")?;
    Ok(())
}

/// A label as it is written, and what it is sorted by.
struct Label {
    written: Vec<u8>,
    key: Vec<u8>,
}

impl Label {
    fn plain(text: &[u8]) -> Self {
        Self {
            written: text.to_vec(),
            key: text.to_vec(),
        }
    }
}

/// The labels of a Mealy machine, of which `texts` holds those that occur;
/// complains about what is no pair or cannot be written so that it is split
/// back.
fn of_pairs(lts: &Lts, texts: &[&[u8]], syntax: &MealySyntax, log: &mut Log) -> Vec<Label> {
    let mut used = vec![false; texts.len()];
    lts.labels().iter().for_each(|l| used[l.index()] = true);
    let in_memory = syntax.in_memory();
    let labels = texts.iter().zip(used).map(|(text, is_used)| {
        if !is_used {
            return Label::plain(b"");
        }
        let mut refuse = |why: String| {
            log.add(Severity::Error, "dot-mealy-label", None, || {
                format!("label {}: {why}", excerpt(text))
            });
            Label::plain(b"")
        };
        let pairs = match in_memory.split(text) {
            Ok(pairs) => pairs,
            Err(error) => return refuse(error.to_string()),
        };
        let [(input, output)] = &pairs[..] else {
            return refuse("more than one pair of input and output".into());
        };
        match syntax.written(input, output) {
            Ok(written) => Label {
                written,
                key: [input, &b"\0"[..], output].concat(),
            },
            Err(_) => refuse(
                "not split back into this pair when read by the same options: try another --sep"
                    .into(),
            ),
        }
    });
    labels.collect()
}

/// What is known of a state in one text: vectors a line each, and where there
/// are several parameters, these with their names.
fn node_label(known: &StateLabels, state: StateId) -> Option<Vec<u8>> {
    let parameters = known.parameters();
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for vector in known.vectors(state.index()) {
        let values = vector.iter().enumerate().map(|(k, &value)| {
            let text = known.text(k, value);
            match parameters.len() {
                1 => text.to_vec(),
                _ => [&parameters[k].name, &b"="[..], text].concat(),
            }
        });
        lines.push(values.collect::<Vec<_>>().join(&b", "[..]));
    }
    (!parameters.is_empty() && !lines.is_empty()).then(|| lines.join(&b'\n'))
}
