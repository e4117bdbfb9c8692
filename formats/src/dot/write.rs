//! Writing DOT.

use std::collections::BTreeSet;
use std::io::Write;

use super::graph::number_of;
use super::text::escape;
use super::told::{Look, are_alike, tells_output, told_again};
use crate::blocks::{Exchange, Texts, push_number, write_states, write_transitions};
use crate::canonical::arranged;
use crate::diagnostic::{Log, Severity, Sink, excerpt};
use crate::error::WriteError;
use crate::lts::{LabelId, Lts, LtsBuilder, StateId, TooLarge};
use crate::mealy::{MealySyntax, Pair, Start, accepting_states};
use crate::options::{MooreForm, WriteOptions, WriteOutputs};
use crate::spelling::spell;
use crate::state_labels::StateLabels;
use crate::written::WrittenSize;

impl MooreForm {
    fn separator(self) -> &'static [u8] {
        match self {
            MooreForm::Slash => b" / ",
            MooreForm::Record => b"|",
            MooreForm::Lines => b"\n",
        }
    }

    /// The attributes of a node, up to its label.
    fn shape(self) -> &'static [u8] {
        match self {
            MooreForm::Slash | MooreForm::Lines => CIRCLE,
            MooreForm::Record => b" [shape=\"record\" style=\"rounded\" label=\"",
        }
    }
}

/// The attributes of a state up to its label.
const CIRCLE: &[u8] = b" [shape=\"circle\" label=\"";
/// The same of an accepting one.
const DOUBLE: &[u8] = b" [shape=\"doublecircle\" label=\"";

/// Writes an LTS, or a Mealy machine if `options.mealy` says so, in DOT, in the
/// style of LearnLib; a Moore machine or a finite automaton if `options.dot` does.
/// State labels become labels of nodes.
///
/// Nodes are called `s0`, `s1`, …; the initial state is `s0`, changing places
/// with state 0, unless `options.keep_initial`. Transitions come in the order
/// of the LTS, or sorted in canonical form; those of machines by input first.
/// States of a Moore machine are those of the LTS with each output with which a
/// transition leads to them.
///
/// The bytes do not depend on the number of threads. O(bytes) time, and for
/// canonical form, Moore machines and finite automata a copy of the LTS.
///
/// # Errors
/// If the output refuses. If a visible label would read like the hidden action,
/// or a label of a machine is no pair, or would not be split back, or the LTS is
/// no Moore machine or finite automaton: then nothing has been written.
pub fn write(
    lts: &Lts,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<WrittenSize, WriteError> {
    let mut log = Log::new();
    let mut shapes = Shapes::default();
    let made = match &options.dot.outputs {
        WriteOutputs::None => None,
        WriteOutputs::Moore(form) => moore(lts, *form, options, &mut shapes, &mut log),
        WriteOutputs::Accepting(label) => acceptor(lts, label, &mut shapes, &mut log),
    };
    if log.errors() > 0 {
        log.finish_writing(sink)?;
    }
    let lts = made.as_ref().unwrap_or(lts);
    let is_plain = options.dot.outputs == WriteOutputs::None;
    let hidden = options.hidden("i");
    // inputs of a machine are not hidden, nor are those of an automaton without
    // hidden transitions, in whose file nothing is
    let is_visible = match &options.dot.outputs {
        WriteOutputs::None => false,
        WriteOutputs::Moore(_) => true,
        WriteOutputs::Accepting(_) => !lts.labels().contains(&LabelId::HIDDEN),
    };
    let texts = match is_visible {
        true => {
            let visible = lts.table().visible().map(|(_, text)| text);
            std::iter::once(&b""[..]).chain(visible).collect()
        }
        false => spell(lts, hidden, true, options, &mut log, |_, _| ()),
    };
    let labels = match &options.mealy {
        Some(syntax) if is_plain => of_pairs(lts, &texts, syntax, &mut log),
        _ => texts.iter().map(|&text| Label::plain(text)).collect(),
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
    let with_name = known.is_some_and(|known| need_name(lts, known, exchange));
    write_states(lts.states(), output, |state, text| {
        let old = exchange.of(state);
        text.extend_from_slice(b"\ts");
        push_number(state.get().into(), text);
        text.extend_from_slice(shapes.of(old));
        match shapes.labels.get(old.index()) {
            Some(label) => escape(label, text),
            None => match known.and_then(|known| node_label(known, old, with_name)) {
                Some(label) => escape(&label, text),
                None => push_number(state.get().into(), text),
            },
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
    Ok(shapes.size(lts))
}

/// What nodes look like.
#[derive(Default)]
struct Shapes {
    /// The attributes of all of them, if they are no circles.
    all: Option<&'static [u8]>,
    /// Which states are accepting; none if there are none.
    accepting: Vec<bool>,
    /// Labels of states, if they are others than usual.
    labels: Vec<Vec<u8>>,
    /// How many pairs of an input and an output a Moore machine has, the output in the
    /// beginning one of them; none of what is no Moore machine.
    pairs: Option<usize>,
}

impl Shapes {
    /// The size of the LTS that is told by nodes and edges, which are those of `lts`: nodes of a
    /// Moore machine tell a first step besides, and accepting ones self-loops.
    fn size(&self, lts: &Lts) -> WrittenSize {
        let edges = WrittenSize::of(lts);
        let loops = self.accepting.iter().filter(|&&accepts| accepts).count() as u64;
        let first = u64::from(self.pairs.is_some());
        WrittenSize {
            states: edges.states + first,
            transitions: edges.transitions + loops + first,
            labels: match self.pairs {
                Some(pairs) => Some(pairs as u64),
                None if self.accepting.is_empty() => edges.labels,
                None => Some(edges.count_labels(lts) + u64::from(loops > 0)),
            },
        }
    }

    fn of(&self, state: StateId) -> &'static [u8] {
        match self.accepting.get(state.index()) {
            Some(true) => DOUBLE,
            Some(false) | None => self.all.unwrap_or(CIRCLE),
        }
    }
}

/// The LTS without the self-loops that tell acceptance.
fn acceptor(lts: &Lts, label: &[u8], shapes: &mut Shapes, log: &mut Log) -> Option<Lts> {
    let refuse = |log: &mut Log, text: String| {
        log.add(Severity::Error, "dot-accepting", None, || text);
        None
    };
    match accepting_states(lts, label) {
        Ok(accepting) => shapes.accepting = accepting,
        Err(error) => return refuse(log, error.to_string()),
    }
    let loops = lts.table().find(label);
    let mut rest = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
    for (source, label, target) in lts.iter() {
        if Some(label) != loops {
            rest.add(source, label, target);
        }
    }
    match rest.build(lts.initial()) {
        Ok(rest) => Some(match lts.state_labels() {
            Some(known) => rest.with_state_labels(known.clone()),
            None => rest,
        }),
        Err(error) => refuse(log, error.to_string()),
    }
}

/// The LTS of the inputs of a Moore machine; its states are those of `lts` with an
/// output each, the initial one first, the others in the order of the states, and
/// of outputs as texts.
fn moore(
    lts: &Lts,
    form: MooreForm,
    options: &WriteOptions,
    shapes: &mut Shapes,
    log: &mut Log,
) -> Option<Lts> {
    let mut refuse = |code: &'static str, text: String| {
        log.add(Severity::Error, code, None, || text);
        None
    };
    let syntax = options.mealy.clone().unwrap_or_default().in_memory();
    let Some(start) = Start::of(lts, &syntax) else {
        return refuse(
            "dot-moore",
            "no Moore machine: expected one transition from the initial state, with the label \
             `/OUTPUT`, and none to it"
                .into(),
        );
    };
    // input and output of each label that occurs
    let mut pairs: Vec<Option<Pair<'_>>> = vec![None; lts.table().len()];
    let mut states: BTreeSet<(StateId, &[u8])> = BTreeSet::new();
    for (source, label, _) in lts.iter() {
        if source == start.state || pairs[label.index()].is_some() {
            continue;
        }
        let split = match label.is_hidden() {
            true => None,
            false => syntax.split(lts.table().text(label)).ok(),
        };
        match split.as_deref() {
            Some([pair]) => pairs[label.index()] = Some(pair.clone()),
            _ => {
                let text = match label.is_hidden() {
                    true => "the hidden action".into(),
                    false => format!("label {}", excerpt(lts.table().text(label))),
                };
                return refuse(
                    "dot-mealy-label",
                    format!("{text}: no pair of input and output"),
                );
            }
        }
    }
    let pair = |label: LabelId| pairs[label.index()].as_ref();
    let first = (start.initial, &start.output[..]);
    states.insert(first);
    for (source, label, target) in lts.iter() {
        if let (true, Some((_, output))) = (source != start.state, pair(label)) {
            states.insert((target, output));
        }
    }
    let others = states.iter().copied().filter(|&state| state != first);
    let order: Vec<(StateId, &[u8])> = std::iter::once(first).chain(others).collect();
    let mut numbers: Vec<Vec<(&[u8], u32)>> = vec![Vec::new(); lts.states()];
    for (number, &(state, output)) in order.iter().enumerate() {
        numbers[state.index()].push((output, number as u32));
    }
    let lost = lts.states() - 1 - numbers.iter().filter(|outputs| !outputs.is_empty()).count();
    let made = inputs(lts, &pairs, &order, &numbers);
    match made {
        Ok(made) => {
            if lost > 0 {
                log.add(Severity::Warning, "dot-moore", None, || {
                    format!("states to which no transition leads have no output, and are left out: {lost}")
                });
            }
            shapes.all = Some(form.shape());
            let is_kept = |source: StateId| !numbers[source.index()].is_empty();
            let kept = lts.iter().filter(|&(source, ..)| is_kept(source));
            let pairs: BTreeSet<_> = kept.filter_map(|(_, label, _)| pair(label)).collect();
            shapes.pairs = Some(pairs.len() + 1);
            let known = lts.state_labels();
            for (number, &(state, output)) in order.iter().enumerate() {
                let known = known.and_then(|known| joined_labels(known, state));
                match moore_label(number, known, output, form) {
                    Some(label) => shapes.labels.push(label),
                    None => {
                        log.add(Severity::Error, "dot-mealy-label", None, || {
                            format!(
                                "output {}: not read back from the label of a node",
                                excerpt(output)
                            )
                        });
                        return None;
                    }
                }
            }
            Some(made)
        }
        Err(error) => refuse("dot-moore", error.to_string()),
    }
}

/// The transitions between pairs of states and outputs, with inputs for labels.
fn inputs(
    lts: &Lts,
    pairs: &[Option<Pair<'_>>],
    order: &[(StateId, &[u8])],
    numbers: &[Vec<(&[u8], u32)>],
) -> Result<Lts, TooLarge> {
    let mut built = LtsBuilder::new(order.len() as u64);
    for (number, &(state, _)) in order.iter().enumerate() {
        for (label, target) in lts.outgoing(state) {
            let Some((input, output)) = &pairs[label.index()] else {
                continue;
            };
            let of_target = &numbers[target.index()];
            let Some(&(_, target)) = of_target.iter().find(|(o, _)| *o == &output[..]) else {
                continue;
            };
            built.add_text(number as u32, input, target)?;
        }
    }
    built.build(StateId::new(0))
}

/// The label of the node with this number for an output, with what is known of the
/// state, or with its number if the output would not be read back otherwise.
fn moore_label(
    number: usize,
    known: Option<Vec<u8>>,
    output: &[u8],
    form: MooreForm,
) -> Option<Vec<u8>> {
    let node = format!("s{number}").into_bytes();
    let names = known.into_iter().chain([number_of(&node).to_vec()]);
    let mut labels = names.map(|name| [&name, form.separator(), output].concat());
    let look = match form {
        MooreForm::Record => Look::Record,
        MooreForm::Slash | MooreForm::Lines => Look::Text,
    };
    labels.find(|label| told_again(label, &node, look).as_deref() == Some(output))
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
    let in_memory = syntax.in_memory();
    let labels = texts.iter().zip(lts.used_labels()).map(|(text, is_used)| {
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

/// Whether the name of a single parameter has to stand in the labels of nodes, as one of
/// these, or all of them together, would look like names and outputs. It stands in all or in
/// none, so that states are labelled alike only if they are alike.
fn need_name(lts: &Lts, known: &StateLabels, exchange: Exchange) -> bool {
    let [parameter] = known.parameters() else {
        return false;
    };
    let states = || (0..lts.states()).map(StateId::from_index);
    let label = |state| joined_labels(known, state).unwrap_or_default();
    let is_output = |state: StateId| {
        let node = format!("s{}", exchange.of(state));
        !is_label_of_dot(known, state) && tells_output(&label(state), node.as_bytes())
    };
    parameter.name != b"label" && are_alike(states().map(label)) || states().any(is_output)
}

/// Whether what is known of a state is a label of DOT, which stays as it was.
fn is_label_of_dot(known: &StateLabels, state: StateId) -> bool {
    known.parameters()[0].name == b"label" && known.vectors(state.index()).len() == 1
}

/// What is known of a state, for the label of its node: as [`joined_labels`], but with the
/// name of a single parameter if it is wanted.
fn node_label(known: &StateLabels, state: StateId, with_name: bool) -> Option<Vec<u8>> {
    let label = joined_labels(known, state)?;
    if !with_name || is_label_of_dot(known, state) {
        return Some(label);
    }
    let name = &known.parameters()[0].name;
    let lines = label.split(|&b| b == b'\n');
    let lines: Vec<Vec<u8>> = lines.map(|l| [name, &b"="[..], l].concat()).collect();
    Some(lines.join(&b'\n'))
}

/// What is known of a state in one text: vectors a line each, and where there
/// are several parameters, these with their names.
fn joined_labels(known: &StateLabels, state: StateId) -> Option<Vec<u8>> {
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
