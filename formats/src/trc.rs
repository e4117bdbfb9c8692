//! `.trc`: the traces of mCRL2.
//!
//! One multi-action a line, or all of them in one line with `;` between them;
//! `tau` is the hidden action. mCRL2 also writes traces as `.lts` files, which
//! are read if they are chains.

use std::io::Write;
use std::sync::Arc;

use crate::chains;
use crate::detect::ANCIENT_TRACE;
use crate::diagnostic::{Log, Position, Severity, Sink, excerpt};
use crate::error::{Failure, ReadError, WriteError};
use crate::format::{BYTE_ORDER_MARK, Compression};
use crate::lts::{LabelId, LabelTable, Lts, LtsBuilder, StateId, TooLarge};
use crate::mcrl2;
use crate::options::{ReadOptions, WriteOptions};
use crate::source::Source;
use crate::spelling;
use crate::tolerance::{tolerated, without_mark};
use crate::written::WrittenSize;

/// The text of the hidden action.
const HIDDEN: &[u8] = b"tau";

/// Reads a trace as an LTS: a chain of states 0, 1, …; the states of a binary
/// trace keep their numbers and labels.
///
/// Of the options only `hidden` and `mode` have an effect; `tau` is hidden if it says nothing, as it is
/// written in every dialect. For a binary trace, see [`mcrl2::read()`].
///
/// # Errors
/// If the source cannot be read or has errors, or is binary and no chain.
pub fn read(source: Source, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<Lts, ReadError> {
    let file = Arc::clone(&source.name);
    let whole = source.into_whole()?;
    let mut log = Log::new();
    let lts = if whole.first() == Some(&0) {
        let lts = mcrl2::read_bytes(&file, &whole, None, options, sink)?;
        check_chain(&lts, &mut log);
        Ok(lts)
    } else {
        plain(&whole, options, &mut log)
    };
    log.finish_reading(&file, lts.map_err(Failure::from), sink)
}

/// Complains unless an LTS is a trace, as mCRL2 understands it.
fn check_chain(lts: &Lts, log: &mut Log) {
    chains::check(lts, "a trace", 1, log);
    let states = || (0..lts.states()).map(StateId::from_index);
    if let Some(state) = states().find(|&s| lts.row(s).len() > 1)
        && log.errors() == 0
    {
        log.add(Severity::Error, "trc-branching", None, || {
            format!("state {state}, which cannot be reached, has several transitions")
        });
    }
    if let Some(labels) = lts.state_labels()
        && let Some(state) = states().find(|s| labels.vectors(s.index()).len() > 1)
    {
        log.add(Severity::Error, "trc-state-label", None, || {
            format!("state {state} has several labels, which states of a trace have not")
        });
    }
}

/// Reads a trace in text.
fn plain(text: &[u8], options: &ReadOptions, log: &mut Log) -> Result<Lts, TooLarge> {
    let text = without_mark(text, "trc-bom", options.mode, log);
    let hidden = options.hidden_or(HIDDEN);
    let trimmed = |line: &'_ [u8]| {
        let end = line
            .iter()
            .rposition(|b| !matches!(b, b' ' | b'\t' | b'\r'));
        end.map_or(0, |k| k + 1)
    };
    let lines = || {
        let lines = text.split(|&b| b == b'\n').zip(1u64..);
        lines
            .map(|(line, n)| (&line[..trimmed(line)], n))
            .filter(|(line, _)| !line.is_empty())
    };
    let mut lts = LtsBuilder::new(1);
    let mut state = 0;
    let mut step = |label: &[u8]| {
        if state + 1 >= StateId::MAX_COUNT {
            return Err(TooLarge {
                what: "states",
                limit: StateId::MAX_COUNT,
            });
        }
        let label = match hidden.iter().any(|h| h == label) {
            true => LabelId::HIDDEN,
            false => lts.table_mut().intern(label)?,
        };
        let number = |n: u64| StateId::new(n as u32);
        lts.add(number(state), label, number(state + 1));
        state += 1;
        Ok(())
    };
    let mut first_two = lines();
    match (first_two.next(), first_two.next()) {
        (Some((line, number)), None) if line.contains(&b';') => {
            let mut column = 1;
            for label in line.split(|&b| b == b';') {
                let end = trimmed(label);
                match end {
                    0 => log.add(
                        tolerated(options.mode),
                        "trc-empty",
                        Some(Position::new(number, column)),
                        || "nothing between two `;`: remove one of them".into(),
                    ),
                    _ => step(&label[..end])?,
                }
                column += label.len() as u64 + 1;
            }
        }
        _ => {
            if let Some((line, number)) = lines().find(|(line, _)| is_answer(line)) {
                let place = Some(Position::new(number, 1));
                log.add(Severity::Warning, "trc-answer", place, || {
                    format!(
                        "{} is taken for a label, but looks like what a command tells beside a \
                         trace: write the trace alone, by -o FILE.trc",
                        excerpt(line)
                    )
                });
            }
            for (label, _) in lines() {
                step(label)?;
            }
        }
    }
    lts.build(StateId::new(0))
}

/// Whether a line is a verdict or a comment, as on the standard output of commands that
/// show traces, where those are no part of this form.
fn is_answer(line: &[u8]) -> bool {
    let verdict = line.rsplit(|&b| b == b' ').next().unwrap_or(line);
    let question = line.strip_suffix(verdict).unwrap_or_default();
    line.starts_with(b"*** ")
        || [&b"TRUE"[..], b"FALSE", b"UNKNOWN"].contains(&verdict)
            && (question.is_empty() || question.ends_with(b": "))
}

/// Writes what can be reached of an LTS as a trace, one label a line.
///
/// Of the options only `visible_i` has an effect. O(states + bytes) time.
///
/// # Errors
/// If the output refuses. If the LTS is no chain, or a label cannot be written:
/// then nothing has been written.
pub fn write(
    lts: &Lts,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<WrittenSize, WriteError> {
    let mut log = Log::new();
    chains::check(lts, "a trace", 1, &mut log);
    let texts = spelling::spell(lts, HIDDEN, false, options, &mut log, check);
    let mut text = Vec::new();
    if log.errors() == 0 {
        let mut state = lts.initial();
        while let Some((label, target)) = lts.outgoing(state).next() {
            text.extend_from_slice(texts[label.index()]);
            text.push(b'\n');
            state = target;
        }
        check_whole(&text, &mut log);
    }
    log.finish_writing(sink)?;
    output.write_all(&text)?;
    Ok(chains::size(lts))
}

/// The labels of a trace, one a line.
///
/// # Errors
/// As for [`write()`].
pub fn steps(
    labels: &[LabelId],
    table: &LabelTable,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<Vec<u8>, WriteError> {
    let mut log = Log::new();
    let mut text = Vec::new();
    for &label in labels {
        let written = spelling::of_step(label, table, HIDDEN, options, &mut log);
        check(written, &mut log);
        text.extend_from_slice(written);
        text.push(b'\n');
    }
    check_whole(&text, &mut log);
    log.finish_writing(sink)?;
    Ok(text)
}

/// Complains about a label that would not be read as itself.
fn check(text: &[u8], log: &mut Log) {
    let ends_blank = matches!(text.last(), Some(b' ' | b'\t' | b'\r'));
    if text.is_empty() || ends_blank || text.contains(&b'\n') || text.contains(&0) {
        log.add(Severity::Error, "trc-label", None, || {
            format!(
                "label {} cannot stand in a trace, where no label is empty, ends with a blank, \
                 or holds a newline or a NUL",
                excerpt(text)
            )
        });
    }
}

/// Complains about a trace that would not be read as itself, though each of its
/// labels can be written.
fn check_whole(text: &[u8], log: &mut Log) {
    let is_other = |signature: &[u8]| text.starts_with(signature);
    if is_other(BYTE_ORDER_MARK)
        || is_other(ANCIENT_TRACE)
        || Compression::from_content(text) != Compression::None
    {
        log.add(Severity::Error, "trc-label", None, || {
            format!(
                "no trace can begin with {}",
                excerpt(&text[..10.min(text.len())])
            )
        });
    }
    let lines = memchr::memchr_iter(b'\n', text).take(2).count();
    if lines == 1 && text.contains(&b';') {
        log.add(Severity::Error, "trc-label", None, || {
            format!(
                "label {} would be split at `;`, since there is no other",
                excerpt(text.trim_ascii_end())
            )
        });
    }
}
