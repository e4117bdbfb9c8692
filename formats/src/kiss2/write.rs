//! Writing KISS2.

use std::collections::BTreeSet;
use std::io::Write;

use super::{is_any_state, is_bits, is_cube};
use crate::blocks::{Exchange, Texts, push_number, write_transitions};
use crate::canonical::arranged;
use crate::diagnostic::{Log, Severity, Sink, counted, excerpt};
use crate::error::WriteError;
use crate::lts::{LabelId, Lts, StateId};
use crate::mealy::{MealySyntax, Pair};
use crate::options::WriteOptions;
use crate::written::WrittenSize;

/// Writes an LTS whose labels are pairs of an input and an output in KISS2, a row for each
/// transition.
///
/// States have the names that a single parameter of theirs tells, if these differ and can be
/// written; otherwise they are `s0`, `s1`, …, where the initial state is `s0` and changes
/// places with state 0, unless `options.keep_initial`. Rows come in the order of the LTS, or
/// sorted in canonical form, by input first. States that no transition mentions are lost, but
/// for the initial one.
///
/// The bytes do not depend on the number of threads. O(bytes + labels · log labels) time, and
/// for canonical form a copy of the LTS.
///
/// # Errors
/// If the output refuses. If a label is hidden or no pair, or its input or output would not be
/// read back as it is; then nothing has been written.
pub fn write(
    lts: &Lts,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<WrittenSize, WriteError> {
    let mut log = Log::new();
    let syntax = options.mealy.clone().unwrap_or_default().in_memory();
    let pairs = pairs(lts, &syntax, &mut log);
    refuse_merged(lts, &pairs, &mut log);
    let fields = || pairs.iter().flatten();
    let inputs = width(fields().map(|(input, _)| &input[..]), "input", &mut log);
    let outputs = width(fields().map(|(_, output)| &output[..]), "output", &mut log);
    let keys = pairs.iter().map(|pair| match pair {
        Some((input, output)) => [input, &b"\0"[..], output].concat(),
        None => Vec::new(),
    });
    let keys: Vec<Vec<u8>> = keys.collect();
    let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
    let lts = &*arranged(lts, &keys, options);
    let exchange = Exchange::new(lts, options.keep_initial);
    let names = names(lts, exchange, &mut log);
    let mentioned = mentioned(lts);
    if mentioned < lts.states() {
        log.add(Severity::Warning, "kiss2-lost-states", None, || {
            format!(
                "KISS2, which names states in rows, loses {} that no transition mentions",
                counted(lts.states() - mentioned, "state")
            )
        });
    }
    log.finish_writing(sink)?;
    let initial = exchange.of(lts.initial());
    write!(
        output,
        ".i {inputs}\n.o {outputs}\n.p {}\n.s {mentioned}\n.r ",
        lts.transitions()
    )?;
    output.write_all(names.get(initial.index()))?;
    output.write_all(b"\n")?;
    write_transitions(lts, exchange, output, |source, label, target, text| {
        if let Some((input, output)) = &pairs[label.index()] {
            text.extend_from_slice(input);
            for state in [source, target] {
                text.push(b' ');
                text.extend_from_slice(names.get(state.index()));
            }
            text.push(b' ');
            text.extend_from_slice(output);
            text.push(b'\n');
        }
    })?;
    output.write_all(b".e\n")?;
    Ok(WrittenSize {
        states: mentioned as u64,
        ..WrittenSize::of(lts)
    })
}

/// Input and output of each label that occurs; complains about those that are no pairs or
/// cannot be written.
fn pairs<'l>(lts: &'l Lts, syntax: &MealySyntax, log: &mut Log) -> Vec<Option<Pair<'l>>> {
    let mut refuse = |label: String, why: String| {
        log.add(Severity::Error, "kiss2-label", None, || {
            format!("{label}: {why}")
        });
        None
    };
    let labels = (0..lts.table().len() as u32).map(LabelId::new);
    let labels = labels.zip(lts.used_labels()).map(|(label, is_used)| {
        if !is_used {
            return None;
        }
        if label.is_hidden() {
            let why = "no pair of input and output, as KISS2 needs it";
            return refuse("the hidden action".into(), why.into());
        }
        let text = lts.table().text(label);
        let name = format!("label {}", excerpt(text));
        let pair = match syntax.split(text).as_deref() {
            Ok([pair]) => pair.clone(),
            Ok(_) => return refuse(name, "more than one pair of input and output".into()),
            Err(error) => return refuse(name, error.to_string()),
        };
        match unwritable(&pair.0, &pair.1) {
            Some(why) => refuse(name, why),
            None => Some(pair),
        }
    });
    labels.collect()
}

/// Complains about labels that would become one, as they stand for the same pair.
fn refuse_merged(lts: &Lts, pairs: &[Option<Pair<'_>>], log: &mut Log) {
    let labels = (0..pairs.len() as u32).map(LabelId::new).zip(pairs);
    let mut labels: Vec<_> = labels.filter(|(_, pair)| pair.is_some()).collect();
    labels.sort_unstable_by_key(|&(label, pair)| (pair, label));
    for two in labels.windows(2).filter(|two| two[0].1 == two[1].1) {
        log.add(Severity::Error, "kiss2-label", None, || {
            let [one, other] = [two[0], two[1]].map(|(label, _)| excerpt(lts.table().text(label)));
            format!("labels {one} and {other} are the same pair, and would be one: rename one")
        });
    }
}

/// Why a pair cannot be written, if so.
fn unwritable(input: &[u8], output: &[u8]) -> Option<String> {
    for (field, noun) in [(input, "input"), (output, "output")] {
        if field.is_empty() {
            return Some(format!("an empty {noun}, which KISS2 cannot express"));
        }
        if !is_word(field) {
            return Some(format!(
                "{noun} {} holds a blank or `#`, which KISS2 cannot express: rename it",
                excerpt(field)
            ));
        }
    }
    if input.starts_with(b".") {
        return Some(format!(
            "input {} would be read as a directive: rename it",
            excerpt(input)
        ));
    }
    is_cube(input).then(|| {
        format!(
            "input {} would be read as several, which `-` stands for: rename it",
            excerpt(input)
        )
    })
}

/// Whether a text can be a field.
fn is_word(text: &[u8]) -> bool {
    !text.iter().any(|b| b.is_ascii_whitespace() || *b == b'#')
}

/// How many bits fields have, or how many symbols there are; complains if fields look like bits,
/// but not as many as in others.
fn width<'f>(fields: impl Iterator<Item = &'f [u8]>, noun: &str, log: &mut Log) -> usize {
    let fields: BTreeSet<&[u8]> = fields.collect();
    let Some(first) = fields.first() else {
        return 0;
    };
    if !fields.iter().all(|field| is_bits(field)) {
        return fields.len();
    }
    let width = first.len();
    if let Some(other) = fields.iter().find(|field| field.len() != width) {
        log.add(Severity::Error, "kiss2-label", None, || {
            format!(
                "{noun}s {} and {} would be read as bits, of which there are as many in each: \
                 rename them",
                excerpt(first),
                excerpt(other)
            )
        });
    }
    width
}

/// What states are called, by their new numbers.
fn names(lts: &Lts, exchange: Exchange, log: &mut Log) -> Texts {
    let mut names = Texts::new();
    let known = known_names(lts, log);
    for state in (0..lts.states()).map(StateId::from_index) {
        names.push(|out| match &known {
            Some(known) => out.extend_from_slice(known[exchange.of(state).index()]),
            None => {
                out.push(b's');
                push_number(state.get().into(), out);
            }
        });
    }
    names
}

/// The names that a parameter tells; none if it does not, which is told.
fn known_names<'l>(lts: &'l Lts, log: &mut Log) -> Option<Vec<&'l [u8]>> {
    let known = lts.state_labels()?;
    let mut refuse = |why: String| {
        log.add(Severity::Warning, "kiss2-state-labels", None, || {
            format!("states are called s0, s1 and so on, without their labels: {why}")
        });
        None
    };
    if known.parameters().len() != 1 || !known.is_simple() {
        return refuse("KISS2 has one name for each state".into());
    }
    let vectors = (0..lts.states()).flat_map(|state| known.vectors(state));
    let names: Vec<&[u8]> = vectors.map(|vector| known.text(0, vector[0])).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return refuse(format!("several have the label {}", excerpt(pair[0])));
    }
    let is_name = |name: &[u8]| !name.is_empty() && is_word(name) && !is_any_state(name);
    match sorted.iter().find(|name| !is_name(name)) {
        Some(name) => refuse(format!("{} is no name in KISS2", excerpt(name))),
        None => Some(names),
    }
}

/// How many states rows mention, or are initial.
fn mentioned(lts: &Lts) -> usize {
    let mut is_mentioned = vec![false; lts.states()];
    is_mentioned[lts.initial().index()] = true;
    for (source, _, target) in lts.iter() {
        is_mentioned[source.index()] = true;
        is_mentioned[target.index()] = true;
    }
    is_mentioned.iter().filter(|&&is| is).count()
}
