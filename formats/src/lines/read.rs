//! Reading files of one transition a line.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use hyades_base::parallel;
use memchr::memchr;

use super::parse::parse;
use super::part::{Part, Rules};
use super::recent::Recents;
use super::syntax::{Announced, Header, Syntax};
use crate::chunks::Chunks;
use crate::diagnostic::{Log, Position, Severity, Sink, counted};
use crate::error::{Failure, ReadError};
use crate::lts::{LabelTable, Lts, StateId};
use crate::options::{Mode, ReadOptions};
use crate::rows::{Batch, Gather, TransitionColumns};
use crate::source::{Content, Progress, Source};
use crate::sparse::{self, check_sparse};
use crate::tolerance::{tolerated, without_mark};

/// Reads an LTS. All diagnostics go to `sink`, errors included.
///
/// Transitions keep the order of the file within each source, duplicates
/// included. Labels are numbered in the order of their first appearance.
/// Neither depends on the number of threads, which is that of the current
/// rayon pool.
///
/// O(bytes); memory beyond a mapped input: at most 12 bytes a transition and 4
/// a state, and the labels.
pub(crate) fn read<S: Syntax>(
    syntax: &S,
    source: Source,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<Lts, ReadError> {
    let name = Arc::clone(&source.name);
    let mut log = Log::new();
    let mut columns = TransitionColumns::default();
    let outcome = read_into(syntax, source, options, &mut columns, &mut log);
    let outcome = outcome.and_then(|told| columns.finish(told.states, told.initial, told.table));
    log.finish_reading(&name, outcome, sink)
}

/// What a file tells besides its transitions.
pub(crate) struct Told {
    pub states: u64,
    pub initial: StateId,
    pub table: LabelTable,
}

/// As [`read`], with the transitions going elsewhere.
pub(crate) fn read_into<S: Syntax>(
    syntax: &S,
    source: Source,
    options: &ReadOptions,
    gather: &mut dyn Gather,
    log: &mut Log,
) -> Result<Told, Failure> {
    let progress = source.progress();
    let mut run = |chunks| Reader::new(syntax, chunks, options, &progress, gather).run(log);
    match source.content {
        Content::Stream(reader) => run(Chunks::of_stream(reader, options.chunk, options.max_line)?),
        Content::Folder(_) => Err(io::Error::from(io::ErrorKind::IsADirectory).into()),
        Content::Mapped(map) => run(Chunks::of_map(
            &map,
            chunk_size(options, map.len()),
            &progress,
        )),
        Content::Bytes(bytes) => run(Chunks::of_text(
            &bytes,
            chunk_size(options, bytes.len()),
            &progress,
        )),
    }
}

/// What the transition lines of a file hold.
#[derive(Default)]
pub(crate) struct Body {
    pub table: LabelTable,
    pub columns: TransitionColumns,
    /// One more than the largest state.
    pub states: u64,
    /// How many lines there are, blank ones included.
    pub lines: u64,
    pub transition_lines: u64,
    /// Whether they end before the text does, by [`Part::ended`].
    pub ended: bool,
    /// Whether there is a hidden transition.
    pub hidden: bool,
    /// The first label that looks like a hidden action, and where it stands.
    pub hint: Option<(Position, Vec<u8>)>,
}

/// Reads the transition lines of a text that begins `lines` lines after the
/// beginning of its file, up to where [`Part::ended`] tells or to the end.
///
/// Otherwise as [`read`].
pub(crate) fn read_body<S: Syntax>(
    syntax: &S,
    text: &[u8],
    lines: u64,
    options: &ReadOptions,
    hidden: &[Vec<u8>],
    progress: &Progress,
    log: &mut Log,
) -> Result<Body, Failure> {
    let chunks = Chunks::of_text(text, chunk_size(options, text.len()), progress);
    let mut columns = TransitionColumns::default();
    let mut reader = Reader::new(syntax, chunks, options, progress, &mut columns);
    reader.lines = lines;
    let ended = reader.body(&Announced::default(), hidden, Cow::Borrowed(&[]), log)?;
    let Reader {
        table,
        states,
        lines: last,
        transition_lines,
        hidden,
        hint,
        ..
    } = reader;
    Ok(Body {
        ended,
        table,
        columns,
        states,
        lines: last - lines,
        transition_lines,
        hidden,
        hint,
    })
}

/// The size of chunks of a text at hand: such that there is something to do for
/// every thread, and that the parts of the two batches which are in memory at a
/// time are small against the columns.
pub(crate) fn chunk_size(options: &ReadOptions, len: usize) -> usize {
    let fair = match len <= SMALL {
        true => SMALL,
        false => {
            let threads = parallel::threads();
            // several have to wait for each other after each batch
            let least = if threads == 1 { 32 << 10 } else { 128 << 10 };
            (len / (16 * BATCH * threads)).max(least)
        }
    };
    options.chunk.min(fair)
}

/// A text of so many bytes is read before other threads would have been started.
const SMALL: usize = 128 << 10;

/// So many chunks for each thread are parsed at a time.
const BATCH: usize = 4;

pub(super) struct Reader<'a, S> {
    syntax: &'a S,
    pub(super) chunks: Chunks<'a>,
    options: &'a ReadOptions,
    progress: &'a Progress,
    /// Lines read so far.
    pub(super) lines: u64,
    pub(super) table: LabelTable,
    gather: &'a mut dyn Gather,
    /// Transition lines read so far.
    pub(super) transition_lines: u64,
    /// The first line beyond the announced number of transitions.
    pub(super) surplus: Option<u64>,
    /// One more than the largest state seen.
    pub(super) states: u64,
    /// Where the header announces the number of states.
    pub(super) announced_at: Option<Position>,
    pub(super) hidden: bool,
    pub(super) hint: Option<(Position, Vec<u8>)>,
}

impl<'a, S: Syntax> Reader<'a, S> {
    pub(super) fn new(
        syntax: &'a S,
        chunks: Chunks<'a>,
        options: &'a ReadOptions,
        progress: &'a Progress,
        gather: &'a mut dyn Gather,
    ) -> Self {
        Self {
            syntax,
            chunks,
            options,
            progress,
            lines: 0,
            table: LabelTable::new(),
            gather,
            transition_lines: 0,
            surplus: None,
            states: 0,
            announced_at: None,
            hidden: false,
            hint: None,
        }
    }

    fn run(mut self, log: &mut Log) -> Result<Told, Failure> {
        let (announced, rest) = self.header(log)?;
        let hidden = self.options.hidden_unless(announced.hidden.as_deref());
        self.body(&announced, &hidden, rest, log)?;
        self.finish(&announced, log)
    }

    /// Reads transition lines, of which `rest` holds the first ones. Tells
    /// whether they end before the file does.
    pub(super) fn body(
        &mut self,
        announced: &Announced,
        hidden: &[Vec<u8>],
        rest: Cow<'a, [u8]>,
        log: &mut Log,
    ) -> Result<bool, Failure> {
        let options = self.options;
        let rules = Rules {
            mode: options.mode,
            grow: options.grow,
            max_line: options.max_line,
            hidden,
            want_hint: options.hidden.is_empty()
                && options.dialect.is_none()
                && announced.hidden.is_none()
                && options.mode != Mode::Strict,
            states: announced.states.map(|n| n.value),
        };
        let (syntax, recents) = (self.syntax, Recents::default());
        let parse_batch = |batch: &[Cow<'a, [u8]>], table: &LabelTable| -> Vec<Part> {
            parallel::map_each(batch, |chunk| parse(syntax, chunk, table, &rules, &recents))
        };
        if let (Some(count), Some(left)) = (announced.transitions, self.chunks.left()) {
            // not more than there can be, whatever the header says
            let most = (rest.len() + left) / S::SHORTEST_LINE + 1;
            let transitions = count.min(most as u64) as usize;
            let states = announced.states.map_or(0, |n| n.value);
            self.gather.reserve(transitions, states)?;
        }
        let (mut has_ended, mut is_first) = (false, true);
        let mut batch = vec![rest];
        let mut parts = parse_batch(&batch, &self.table);
        while !parts.is_empty() {
            let known = self.table.len() as u32;
            let (maps, ended) = self.gather(&batch, &mut parts, announced, log)?;
            has_ended |= ended;
            batch = match ended || self.chunks.left() == Some(0) {
                true => Vec::new(),
                // Of a stream it is not known whether there is any.
                false => {
                    let most = match (is_first, self.chunks.left()) {
                        (true, None) => 1,
                        _ => BATCH * parallel::threads(),
                    };
                    self.chunks.next_batch(most)?
                }
            };
            is_first = false;
            // The columns grow while the next chunks are parsed.
            let (gather, table) = (&mut *self.gather, &self.table);
            let in_order = log.errors() == 0;
            let lines: u64 = parts.iter().map(|part| part.transition_lines).sum();
            let mut append = || {
                if in_order {
                    let parts: Vec<&Batch> = parts.iter().map(AsRef::as_ref).collect();
                    return gather.gather(&parts, &maps, known);
                }
                // Only further errors are looked for.
                gather.forget();
                Ok(())
            };
            let (appended, next) = match batch.is_empty() {
                true => (append(), Vec::new()),
                false => parallel::join(lines as usize, append, || parse_batch(&batch, table)),
            };
            appended?;
            parts = next;
        }
        Ok(has_ended)
    }

    /// Reads up to the end of the header, if there is one; gives what it says
    /// and what is left of its chunk.
    pub(super) fn header(&mut self, log: &mut Log) -> Result<(Announced, Cow<'a, [u8]>), Failure> {
        let mode = self.options.mode;
        let start = Some(Position::new(1, 1));
        let mut at_start = true;
        let mut blank_before = false;
        loop {
            let Some(chunk) = self.chunks.next_batch(1)?.pop() else {
                log.add(Severity::Error, S::CODES.no_header, start, || {
                    S::EMPTY.into()
                });
                return Err(Failure::Refused);
            };
            let mut bom = 0;
            if std::mem::take(&mut at_start) {
                let rest = without_mark(&chunk, S::CODES.bom, mode, log);
                bom = chunk.len() - rest.len();
                if log.errors() > 0 {
                    return Err(Failure::Refused);
                }
            }
            let mut from = bom;
            while from < chunk.len() {
                let (end, next) = match memchr(b'\n', &chunk[from..]) {
                    Some(k) => (from + k, from + k + 1),
                    None => (chunk.len(), chunk.len()),
                };
                // as much as a stream keeps of a line, of which the mark is part
                let most = self.options.max_line.saturating_add(1);
                let kept = end.min((from - bom).saturating_add(most)).max(from);
                let line = &chunk[from..kept];
                if S::is_blank(line, end < next) {
                    self.lines += 1;
                    from = next;
                    bom = 0;
                    blank_before = true;
                    continue;
                }
                if blank_before {
                    let code = S::CODES.blank_before_header;
                    log.add(tolerated(mode), code, start, || {
                        "blank lines before the header".into()
                    });
                    if log.errors() > 0 {
                        return Err(Failure::Refused);
                    }
                }
                let header = Header {
                    line,
                    complete: next > end,
                    number: self.lines + 1,
                    skipped: bom,
                    options: self.options,
                };
                let (announced, rest) = match self.syntax.header(&header, log)? {
                    Some(announced) => {
                        self.announced_at = announced.states.and_then(|n| header.position(n.at));
                        self.lines += 1;
                        (announced, next)
                    }
                    None => (Announced::default(), from),
                };
                self.progress.parsed(rest as u64, self.lines);
                let rest = match chunk {
                    Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[rest..]),
                    Cow::Owned(mut bytes) => {
                        bytes.drain(..rest);
                        Cow::Owned(bytes)
                    }
                };
                return Ok((announced, rest));
            }
        }
    }

    /// Takes over all but the transitions of the parts of a batch, in order.
    /// Gives the numbers of the new labels of each part, and whether the file
    /// ends within them, before its end.
    fn gather(
        &mut self,
        batch: &[Cow<'a, [u8]>],
        parts: &mut Vec<Part>,
        announced: &Announced,
        log: &mut Log,
    ) -> Result<(Vec<Vec<u32>>, bool), Failure> {
        let ended = parts.iter().position(|p| p.ended);
        if let Some(k) = ended {
            parts.truncate(k + 1);
        }
        let mut maps = Vec::with_capacity(parts.len());
        for (part, bytes) in parts.iter_mut().zip(batch) {
            log.append(std::mem::take(&mut part.log), self.lines);
            if let Some(error) = part.too_large.take() {
                return Err(Failure::TooLarge(error));
            }
            if self.surplus.is_none()
                && let Some(announced) = announced.transitions
                && self.transition_lines + part.transition_lines > announced
            {
                let nth = announced - self.transition_lines;
                let line = nth_transition_line::<S>(bytes, nth, self.options.max_line);
                self.surplus = line.map(|line| self.lines + line);
            }
            if self.hint.is_none() {
                self.hint = part.hint.take().map(|(mut at, text)| {
                    at.line += self.lines;
                    (at, text)
                });
            }
            self.hidden |= part.hidden;
            self.states = self.states.max(part.states);
            self.lines += part.lines;
            self.transition_lines += part.transition_lines;
            self.progress.parsed(bytes.len() as u64, part.lines);
            maps.push(self.table.intern_all(&part.new)?);
        }
        Ok((maps, ended.is_some()))
    }

    pub(super) fn finish(self, announced: &Announced, log: &mut Log) -> Result<Told, Failure> {
        if let Some(expected) = announced.transitions
            && log.errors() == 0
            && expected != self.transition_lines
        {
            let line = self.surplus.unwrap_or(self.lines + 1);
            let lenient = self.options.mode == Mode::Lenient;
            let severity = if lenient {
                Severity::Warning
            } else {
                Severity::Error
            };
            let at = Some(Position::new(line, 1));
            log.add(severity, S::CODES.count, at, || {
                let seen = self.transition_lines;
                let truncated = if seen < expected {
                    " (is the file truncated?)"
                } else {
                    ""
                };
                let advice = if lenient {
                    ""
                } else {
                    "; use --lenient to read it all the same"
                };
                let are = if seen == 1 { "is" } else { "are" };
                format!(
                    "the header announces {}, but there {are} {seen}{truncated}{advice}",
                    counted(expected, "transition")
                )
            });
        }
        if log.errors() > 0 {
            return Err(Failure::Refused);
        }
        let hint = self
            .hint
            .filter(|(_, text)| self.options.stays_visible(text));
        if let Some((at, text)) = hint {
            // Who writes both most likely means both.
            let (severity, beside) = match self.hidden {
                true => (Severity::Note, ", beside the hidden `i`"),
                false => (Severity::Warning, ""),
            };
            log.add(severity, S::CODES.tau_hint, Some(at), || {
                let name = String::from_utf8_lossy(&text);
                format!("label `{name}` counts as visible{beside}; to hide it, use --tau {name}")
            });
        }
        let announced_states = announced.states.map_or(0, |n| n.value);
        let named = self.states.max(announced.initial.value + 1);
        let states = announced_states.max(named);
        let told = match named > announced_states {
            true => sparse::Told::ByNumbers { described: 0 },
            false => sparse::Told::Announced(self.announced_at),
        };
        let (lines, mode) = (self.transition_lines, self.options.mode);
        check_sparse(states, told, lines, S::CODES.state_range, mode, log)?;
        let initial = StateId::new(announced.initial.value as u32);
        Ok(Told {
            states,
            initial,
            table: self.table,
        })
    }
}

/// The number, from 1, of the line that [counts](Part::transition_lines) after `nth` others, if
/// there is one. A line that is too long counts whatever is on it.
pub(crate) fn nth_transition_line<S: Syntax>(
    bytes: &[u8],
    nth: u64,
    max_line: usize,
) -> Option<u64> {
    let lines = (1..).zip(bytes.split_inclusive(|&b| b == b'\n'));
    let mut counted = lines.filter(|(_, line)| {
        let text = line.strip_suffix(b"\n");
        let (line, complete) = (text.unwrap_or(line), text.is_some());
        line.len() > max_line || !S::is_blank(line, complete)
    });
    counted.nth(nth as usize).map(|(number, _)| number)
}
