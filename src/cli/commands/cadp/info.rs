//! `bcg_info`: tells about a system.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hyades_formats::diagnostic::printable_path;
use hyades_formats::seq::{self, Sequence};
use hyades_formats::{LabelId, Lts, StateId, WriteOptions};
use hyades_lts::{facts, label_counts, reached, shortest_path};

use super::{Arguments, Kind, Tool, bcg_input, read, unsupported};
use hyades_cli_core::{Destination, Failure, Session};

pub const TOOL: Tool = Tool {
    name: "bcg_info",
    usage: "[OPTIONS] [-size] [-labels] [-hidden] [-branching] [-deadlock] [-unreachable] \
            [-nondeterministic LABEL|-] [-path STATE] [-compact|-verbose|-line] INPUT[.bcg]",
    kind: Kind::Files(run),
};

/// What is asked for.
enum Question {
    Size,
    Labels,
    Hidden,
    Branching,
    Deadlock,
    Unreachable,
    /// States with several transitions of this label, or of some label.
    Nondeterministic(Option<OsString>),
    Path(u32),
}

/// How states are listed.
#[derive(Clone, Copy)]
enum Style {
    /// On a line, several in a row as `M ... N`.
    Compact,
    /// On a line.
    Verbose,
    /// One a line.
    Line,
}

const STYLES: [(&str, Style); 3] = [
    ("-compact", Style::Compact),
    ("-verbose", Style::Verbose),
    ("-line", Style::Line),
];

fn run(mut arguments: Arguments, session: &mut Session) -> Result<(), Failure> {
    let mut questions = Vec::new();
    let mut style = Style::Compact;
    while let Some(option) = arguments.option() {
        if let Some((_, named)) = STYLES.iter().find(|(name, _)| *name == option) {
            style = *named;
            continue;
        }
        questions.push(match &option[..] {
            "-size" => Question::Size,
            "-labels" => Question::Labels,
            "-hidden" => Question::Hidden,
            "-branching" => Question::Branching,
            "-deadlock" => Question::Deadlock,
            "-unreachable" => Question::Unreachable,
            "-nondeterministic" => {
                let label = arguments.value(&option, "a label, or -")?;
                Question::Nondeterministic((label != "-").then_some(label))
            }
            "-path" => {
                let state = arguments.value(&option, "the number of a state")?;
                let number = state.to_str().and_then(|s| s.parse().ok());
                Question::Path(number.ok_or_else(|| {
                    arguments.wrong(format!("-path {}: not a number", printable_path(state)))
                })?)
            }
            "-order" | "-format" => return Err(unsupported(&option)),
            _ if arguments.common(session, &option, false)? => continue,
            _ => return Err(arguments.unknown(&option)),
        });
    }
    let input = bcg_input(&arguments.operands(1, 1)?[0]);
    let destination = Destination::stdout();
    session.check_outputs(&[&input], &[&destination])?;
    let lts = read(session, &input, None)?;
    let text = session.phase("examine", |_| {
        if questions.is_empty() {
            return Ok(summary(&input, &lts));
        }
        let mut text = Vec::new();
        for question in &questions {
            text.extend(answer(question, &lts, style)?);
        }
        Ok(text)
    })?;
    session.write_text(&destination, "text", &text)
}

/// What is told if nothing is asked for.
fn summary(input: &Path, lts: &Lts) -> Vec<u8> {
    let facts = facts(lts);
    let mut text = input.as_os_str().as_bytes().to_vec();
    let deterministic = match facts.deterministic {
        true => "deterministic",
        false => "nondeterministic",
    };
    text.extend(
        format!(
            ":\n\t{} states\n\t{} transitions\n\t{} labels\n\tinitial state: {}\n\t{}\t{}\t{}\t{}\n\t{deterministic}\n",
            facts.states,
            facts.transitions,
            facts.labels,
            facts.initial,
            hidden(facts.hidden_transitions),
            branching(facts.avg_out_degree, facts.min_out_degree, facts.max_out_degree),
            count(facts.deadlocks, "deadlock state"),
            count(facts.unreachable_states, "unreachable state").trim_end(),
        )
        .into_bytes(),
    );
    text
}

fn answer(question: &Question, lts: &Lts, style: Style) -> Result<Vec<u8>, Failure> {
    let states = (0..lts.states()).map(StateId::from_index);
    let list = |what: &str, found: Vec<u32>| listed(what, &found, style).into_bytes();
    Ok(match question {
        Question::Size => format!(
            "{} states, {} transitions, {} labels\n",
            lts.states(),
            lts.transitions(),
            used(lts).len()
        )
        .into_bytes(),
        Question::Labels => {
            let mut text = b"list of labels:\n".to_vec();
            for label in used(lts) {
                text.extend_from_slice(written(lts, label));
                text.push(b'\n');
            }
            text
        }
        Question::Hidden => hidden(label_counts(lts)[LabelId::HIDDEN.index()]).into_bytes(),
        Question::Branching => {
            let degrees = || states.clone().map(|s| lts.row(s).len() as u64);
            let average = lts.transitions() as f64 / lts.states() as f64;
            let least = degrees().min().unwrap_or_default();
            branching(average, least, degrees().max().unwrap_or_default()).into_bytes()
        }
        Question::Deadlock => {
            let deadlocks = states.filter(|&s| lts.row(s).is_empty());
            list("deadlock state", deadlocks.map(StateId::get).collect())
        }
        Question::Unreachable => {
            let reached = reached(lts);
            let missing = states.filter(|s| !reached[s.index()]);
            list("unreachable state", missing.map(StateId::get).collect())
        }
        Question::Nondeterministic(label) => {
            let label = label.as_deref().map(|text| find(lts, text)).transpose()?;
            let found = states.filter(|&s| is_nondeterministic(lts, s, label));
            list("nondeterministic state", found.map(StateId::get).collect())
        }
        Question::Path(state) => path(lts, *state)?,
    })
}

/// The labels that occur, in the order of their numbers.
fn used(lts: &Lts) -> Vec<LabelId> {
    let counts = label_counts(lts).into_iter().zip(0..);
    let used = counts.filter(|(count, _)| *count > 0);
    used.map(|(_, label)| LabelId::new(label)).collect()
}

fn written(lts: &Lts, label: LabelId) -> &[u8] {
    match label {
        LabelId::HIDDEN => b"i",
        label => lts.table().text(label),
    }
}

/// The label with this text, which need not occur.
fn find(lts: &Lts, text: &OsStr) -> Result<LabelId, Failure> {
    let label = match text.as_bytes() {
        b"i" => Some(LabelId::HIDDEN),
        text => lts.table().find(text),
    };
    label.ok_or_else(|| Failure::error(format!("no label {}", printable_path(text))))
}

/// Whether a state has transitions of one label, this one if it is told, to two
/// states.
fn is_nondeterministic(lts: &Lts, state: StateId, label: Option<LabelId>) -> bool {
    let mut steps: Vec<_> = lts
        .outgoing(state)
        .filter(|step| label.is_none_or(|label| step.0 == label))
        .collect();
    steps.sort_unstable();
    steps.dedup();
    steps.windows(2).any(|pair| pair[0].0 == pair[1].0)
}

/// The way to a state, as SEQ.
fn path(lts: &Lts, state: u32) -> Result<Vec<u8>, Failure> {
    if state as usize >= lts.states() {
        return Err(Failure::error(format!(
            "no state {state}: the last one is {}",
            lts.states() - 1
        )));
    }
    let state = StateId::new(state);
    let Some(labels) = shortest_path(lts, state) else {
        return Err(Failure::error(format!("state {state} cannot be reached")));
    };
    let deadlock = lts.row(state).is_empty();
    let sequence = Sequence { labels, deadlock };
    let mut text = Vec::new();
    let mut reason = String::new();
    let mut sink = |d: hyades_formats::Diagnostic| reason = d.text;
    seq::write_traces(
        &[sequence],
        lts.table(),
        &mut text,
        &WriteOptions::default(),
        &mut sink,
    )
    .map_err(|_| Failure::error(format!("no path in the form SEQ: {reason}")))?;
    Ok(text)
}

fn hidden(transitions: u64) -> String {
    match transitions {
        0 => "no transition with a hidden label\n".into(),
        1 => "1 transition with a hidden label\n".into(),
        count => format!("{count} transitions with a hidden label\n"),
    }
}

fn branching(average: f64, least: u64, most: u64) -> String {
    format!("branching factor: average {average:.2}, minimum {least}, maximum {most}\n")
}

/// `no WHAT`, `1 WHAT`, `2 WHATs`, and so on.
fn count(number: u64, what: &str) -> String {
    match number {
        0 => format!("no {what}\n"),
        1 => format!("1 {what}\n"),
        number => format!("{number} {what}s\n"),
    }
}

/// How many states there are, and which.
fn listed(what: &str, states: &[u32], style: Style) -> String {
    let mut text = count(states.len() as u64, what);
    if states.is_empty() {
        return text;
    }
    text.pop();
    text.push(':');
    let mut item = |item: String| {
        text.push(if let Style::Line = style { '\n' } else { ' ' });
        text.push_str(&item);
    };
    match style {
        Style::Verbose | Style::Line => states.iter().for_each(|s| item(s.to_string())),
        Style::Compact => {
            for run in states.chunk_by(|a, b| *a + 1 == *b) {
                match run {
                    [first, _, .., last] => item(format!("{first} ... {last}")),
                    few => few.iter().for_each(|s| item(s.to_string())),
                }
            }
        }
    }
    text.push('\n');
    text
}
