//! Reading a file of one transition a line by ranges of its bytes, each by another reader:
//! what each of them finds is put together as if one had read all.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;
use serde::{Deserialize, Serialize};

use super::read::{Reader, Told, nth_transition_line};
use super::syntax::{Announced, Syntax};
use crate::chunks::Chunks;
use crate::diagnostic::{Log, Position, SentLog};
use crate::error::Failure;
use crate::lts::LabelTable;
use crate::options::ReadOptions;
use crate::progress::Progress;
use crate::rows::{Gather, TransitionColumns};

/// The beginning of a file.
pub(crate) struct Opened {
    pub announced: Announced,
    /// Where the header announces the number of states.
    announced_at: Option<Position>,
    /// The lines of the header, and before it.
    lines: u64,
    /// Where the transitions begin.
    pub body: usize,
    /// What is odd about it.
    log: Log,
}

/// What a range holds besides transitions and labels.
#[derive(Default)]
pub(crate) struct Summary {
    lines: u64,
    pub transition_lines: u64,
    states: u64,
    hidden: bool,
    /// Whether the file ends here, whatever follows.
    pub ended: bool,
    hint: Option<(Position, Vec<u8>)>,
    log: Log,
}

#[derive(Serialize, Deserialize)]
struct SentSummary {
    lines: u64,
    transition_lines: u64,
    states: u64,
    hidden: bool,
    ended: bool,
    hint: Option<(u64, u64, Vec<u8>)>,
    log: SentLog,
}

impl Summary {
    /// As bytes for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        let hint = self.hint.as_ref();
        let sent = SentSummary {
            lines: self.lines,
            transition_lines: self.transition_lines,
            states: self.states,
            hidden: self.hidden,
            ended: self.ended,
            hint: hint.map(|(at, text)| (at.line, at.column, text.clone())),
            log: SentLog::from(&self.log),
        };
        // Numbers and texts; writing to memory does not fail.
        serde_json::to_vec(&sent).unwrap_or_default()
    }

    /// From bytes of another process; nothing if these are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let sent: SentSummary = serde_json::from_slice(bytes).ok()?;
        let hint = sent.hint;
        Some(Self {
            lines: sent.lines,
            transition_lines: sent.transition_lines,
            states: sent.states,
            hidden: sent.hidden,
            ended: sent.ended,
            hint: hint.map(|(line, column, text)| (Position::new(line, column), text)),
            log: sent.log.into(),
        })
    }
}

/// Reads the header. `chunks` are those of the whole file, of so many bytes.
pub(crate) fn open<S: Syntax>(
    syntax: &S,
    chunks: Chunks<'_>,
    bytes: usize,
    options: &ReadOptions,
    mut log: Log,
) -> Result<Opened, (Failure, Log)> {
    let progress = Progress::default();
    let mut nothing = TransitionColumns::default();
    let mut reader = Reader::new(syntax, chunks, options, &progress, &mut nothing);
    match reader.header(&mut log) {
        Ok((announced, rest)) => Ok(Opened {
            announced,
            announced_at: reader.announced_at,
            lines: reader.lines,
            body: bytes - reader.chunks.left().unwrap_or(0) - rest.len(),
            log,
        }),
        Err(failure) => Err((failure, log)),
    }
}

/// The bytes of the k-th of so many ranges: of the lines that begin in an even share of the
/// file.
pub(crate) fn range_of(text: &[u8], body: usize, k: usize, of: usize) -> Range<usize> {
    let cut = |k: usize| {
        let share = (text.len() - body) as u128 * k as u128 / of as u128;
        match (share as usize, k == of) {
            (0, _) => body,
            (_, true) => text.len(),
            // A line that begins at the share itself belongs to it.
            (share, false) => match memchr(b'\n', &text[body + share - 1..]) {
                Some(end) => body + share + end,
                None => text.len(),
            },
        }
    };
    cut(k)..cut(k + 1)
}

/// Reads a range of lines.
pub(crate) fn read_range<S: Syntax>(
    syntax: &S,
    chunks: Chunks<'_>,
    opened: &Opened,
    options: &ReadOptions,
    progress: &Progress,
    gather: &mut dyn Gather,
) -> Result<(Summary, LabelTable), Failure> {
    let mut reader = Reader::new(syntax, chunks, options, progress, gather);
    let mut log = Log::new();
    let told = &opened.announced;
    let hidden = options.hidden_unless(told.hidden.as_deref());
    // How many transitions there are is looked at in the end.
    let announced = Announced {
        transitions: None,
        states: told.states,
        initial: told.initial,
        hidden: told.hidden.clone(),
    };
    let ended = reader.body(&announced, &hidden, Cow::Borrowed(&[]), &mut log)?;
    let Reader {
        lines,
        transition_lines,
        states,
        hidden,
        hint,
        table,
        ..
    } = reader;
    let summary = Summary {
        lines,
        transition_lines,
        states,
        hidden,
        ended,
        hint,
        log,
    };
    Ok((summary, table))
}

/// What the whole file tells, from what its ranges hold: the same as one reader says of it.
/// `text` gives the bytes of a range.
pub(crate) fn finish_ranges<'t, S: Syntax>(
    syntax: &S,
    opened: Opened,
    summaries: Vec<Summary>,
    text: impl Fn(usize) -> &'t [u8],
    options: &ReadOptions,
    log: &mut Log,
) -> Result<Told, Failure> {
    let progress = Progress::default();
    let mut nothing = TransitionColumns::default();
    let chunks = Chunks::of_text(&[], 1, &progress);
    let mut reader = Reader::new(syntax, chunks, options, &progress, &mut nothing);
    reader.lines = opened.lines;
    reader.announced_at = opened.announced_at;
    log.append(opened.log, 0);
    for (k, summary) in summaries.into_iter().enumerate() {
        log.append(summary.log, reader.lines);
        if let Some(announced) = opened.announced.transitions
            && reader.surplus.is_none()
            && reader.transition_lines + summary.transition_lines > announced
        {
            let nth = announced - reader.transition_lines;
            let line = nth_transition_line::<S>(text(k), nth, options.max_line);
            reader.surplus = line.map(|line| reader.lines + line);
        }
        if reader.hint.is_none() {
            reader.hint = summary.hint.map(|(mut at, text)| {
                at.line += reader.lines;
                (at, text)
            });
        }
        reader.hidden |= summary.hidden;
        reader.states = reader.states.max(summary.states);
        reader.lines += summary.lines;
        reader.transition_lines += summary.transition_lines;
        if summary.ended {
            break;
        }
    }
    reader.finish(&opened.announced, log)
}
