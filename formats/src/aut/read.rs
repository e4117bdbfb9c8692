//! Reading AUT.

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::io;
use std::sync::Arc;

use memchr::memchr;
use rayon::prelude::*;

use super::columns::Columns;
use super::grammar;
use super::part::{self, Part, Rules};
use crate::chunks::Chunks;
use crate::diagnostic::{Log, Position, Severity, Sink, excerpt};
use crate::error::ReadError;
use crate::lts::{LabelTable, Lts, StateId, TooLarge};
use crate::options::{Mode, ReadOptions};
use crate::source::{Content, Progress, Source};

/// Reads an LTS in AUT. All diagnostics go to `sink`, errors included.
///
/// Transitions keep the order of the file within each source, duplicates
/// included. Labels are numbered in the order of their first appearance.
/// Neither depends on the number of threads, which is that of the current
/// rayon pool.
///
/// O(bytes); memory beyond a mapped input: at most 12 bytes a transition and 4
/// a state, and the labels.
///
/// # Errors
/// If the input cannot be read, or has errors under these options, or holds
/// more than an [`Lts`] can.
pub fn read(source: Source, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<Lts, ReadError> {
    let name = Arc::clone(&source.name);
    let progress = source.progress();
    let mut log = Log::new();
    let outcome = match source.content {
        Content::Stream(reader) => Chunks::of_stream(reader, options.chunk, options.max_line)
            .map_err(Failure::from)
            .and_then(|chunks| Reader::new(chunks, options, &progress).run(&mut log)),
        Content::Mapped(map) => {
            let chunks = Chunks::of_map(&map, chunk_size(options, map.len()), &progress);
            Reader::new(chunks, options, &progress).run(&mut log)
        }
        Content::Bytes(bytes) => {
            let chunks = Chunks::of_text(&bytes, chunk_size(options, bytes.len()), &progress);
            Reader::new(chunks, options, &progress).run(&mut log)
        }
    };
    let errors = log.errors();
    log.drain_into(Some(&name), sink);
    match outcome {
        Ok(lts) => Ok(lts),
        Err(Failure::Refused) => Err(ReadError::Refused { file: name, errors }),
        Err(Failure::Io(error)) => Err(ReadError::Io { file: name, error }),
        Err(Failure::TooLarge(error)) => Err(ReadError::TooLarge { file: name, error }),
    }
}

/// The size of chunks of a text at hand: such that there is something to do for
/// every thread, and that the parts of the two batches which are in memory at a
/// time are small against the columns.
fn chunk_size(options: &ReadOptions, len: usize) -> usize {
    let fair = len / (16 * BATCH * rayon::current_num_threads());
    options.chunk.min(fair.max(32 << 10))
}

/// So many chunks for each thread are parsed at a time.
const BATCH: usize = 4;

/// Why reading stops.
pub(super) enum Failure {
    /// There are errors in the log.
    Refused,
    /// The input failed, or there is not enough memory.
    Io(io::Error),
    /// There is more than an LTS can hold.
    TooLarge(TooLarge),
}

impl From<TryReserveError> for Failure {
    fn from(error: TryReserveError) -> Self {
        // A header may announce more states than there is memory for.
        let text = format!("not enough memory for so many states: {error}");
        Failure::Io(io::Error::new(io::ErrorKind::OutOfMemory, text))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

impl From<TooLarge> for Failure {
    fn from(error: TooLarge) -> Self {
        Failure::TooLarge(error)
    }
}

/// What the header says, where it could be understood.
struct Announced {
    initial: StateId,
    transitions: Option<u64>,
    states: Option<u64>,
}

struct Reader<'a> {
    chunks: Chunks<'a>,
    options: &'a ReadOptions,
    progress: &'a Progress,
    /// Lines read so far.
    lines: u64,
    table: LabelTable,
    columns: Columns,
    /// Transition lines read so far.
    transition_lines: u64,
    /// The first line beyond the announced number of transitions.
    surplus: Option<u64>,
    /// One more than the largest state seen.
    states: u64,
    hidden: bool,
    hint: Option<(Position, Vec<u8>)>,
}

impl<'a> Reader<'a> {
    fn new(chunks: Chunks<'a>, options: &'a ReadOptions, progress: &'a Progress) -> Self {
        Self {
            chunks,
            options,
            progress,
            lines: 0,
            table: LabelTable::new(),
            columns: Columns::default(),
            transition_lines: 0,
            surplus: None,
            states: 0,
            hidden: false,
            hint: None,
        }
    }

    fn run(mut self, log: &mut Log) -> Result<Lts, Failure> {
        let (announced, rest) = self.header(log)?;
        let hidden = match self.options.dialect {
            _ if !self.options.tau.is_empty() => self.options.tau.clone(),
            Some(dialect) => vec![dialect.hidden().into()],
            None => vec![b"i".to_vec()],
        };
        let rules = Rules {
            mode: self.options.mode,
            grow: self.options.grow,
            escapes: self.options.escapes,
            max_line: self.options.max_line,
            hidden: &hidden,
            want_hint: self.options.tau.is_empty()
                && self.options.dialect.is_none()
                && self.options.mode != Mode::Strict,
            states: announced.states,
        };
        let most = BATCH * rayon::current_num_threads();
        let parse = |batch: &[Cow<'a, [u8]>], table: &LabelTable| -> Vec<Part> {
            let parts = batch.par_iter();
            parts.map(|c| part::parse(c, table, &rules)).collect()
        };
        if let (Some(count), Some(left)) = (announced.transitions, self.chunks.left()) {
            // not more than there can be, whatever the header says
            let most = (rest.len() + left) / part::SHORTEST_LINE + 1;
            let transitions = count.min(most as u64) as usize;
            let states = announced.states.unwrap_or(0);
            self.columns.reserve(transitions, states);
        }
        let mut batch = vec![rest];
        let mut parts = parse(&batch, &self.table);
        while !parts.is_empty() {
            let known = self.table.len() as u32;
            let (maps, ended) = self.gather(&batch, &mut parts, &announced, log)?;
            batch = if ended {
                Vec::new()
            } else {
                self.chunks.next_batch(most)?
            };
            // The columns grow while the next chunks are parsed.
            let (columns, table) = (&mut self.columns, &self.table);
            let in_order = log.errors() == 0;
            let (appended, next) = rayon::join(
                || {
                    if in_order {
                        return columns.append(&parts, &maps, known);
                    }
                    // Nothing will come of it; only further errors are looked
                    // for.
                    *columns = Columns::default();
                    Ok(())
                },
                || parse(&batch, table),
            );
            appended?;
            parts = next;
        }
        self.finish(&announced, log)
    }

    /// Reads up to the end of the header; gives what it says and what is left
    /// of its chunk.
    fn header(&mut self, log: &mut Log) -> Result<(Announced, Cow<'a, [u8]>), Failure> {
        let tolerated = match self.options.mode {
            Mode::Strict => Severity::Error,
            _ => Severity::Warning,
        };
        let start = Some(Position::new(1, 1));
        let mut at_start = true;
        let mut blank_before = false;
        loop {
            let Some(chunk) = self.chunks.next_batch(1)?.pop() else {
                log.add(Severity::Error, "aut-no-header", start, || {
                    "empty file: expected a header `des (INITIAL, TRANSITIONS, STATES)`".into()
                });
                return Err(Failure::Refused);
            };
            let mut from = 0;
            let mut bom = 0;
            if std::mem::take(&mut at_start) && chunk.starts_with(b"\xef\xbb\xbf") {
                log.add(tolerated, "aut-bom", start, || {
                    "byte order mark: save the file as plain ASCII".into()
                });
                if log.errors() > 0 {
                    return Err(Failure::Refused);
                }
                (from, bom) = (3, 3);
            }
            while from < chunk.len() {
                let (end, next) = match memchr(b'\n', &chunk[from..]) {
                    Some(k) => (from + k, from + k + 1),
                    None => (chunk.len(), chunk.len()),
                };
                // as much as a stream keeps of a line, of which the mark is part
                let most = self.options.max_line.saturating_add(1);
                let kept = end.min((from - bom).saturating_add(most)).max(from);
                let line = &chunk[from..kept];
                self.lines += 1;
                let text = line.strip_suffix(b"\r").unwrap_or(line);
                if text.iter().all(|&b| grammar::is_blank(b)) && !line.ends_with(b"\r\r") {
                    from = next;
                    bom = 0;
                    blank_before = true;
                    continue;
                }
                if blank_before {
                    log.add(tolerated, "aut-blank-before-header", start, || {
                        "blank lines before the header".into()
                    });
                    if log.errors() > 0 {
                        return Err(Failure::Refused);
                    }
                }
                let announced = self.header_line(line, next > end, bom, log)?;
                self.progress.parsed(next as u64, self.lines);
                let rest = match chunk {
                    Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[next..]),
                    Cow::Owned(mut bytes) => {
                        bytes.drain(..next);
                        Cow::Owned(bytes)
                    }
                };
                return Ok((announced, rest));
            }
        }
    }

    /// Understands the header line, which begins `skipped` bytes into its line.
    fn header_line(
        &self,
        line: &[u8],
        complete: bool,
        skipped: usize,
        log: &mut Log,
    ) -> Result<Announced, Failure> {
        let position = |at: usize| Some(Position::new(self.lines, (skipped + at) as u64 + 1));
        if !grammar::looks_like_header(line) {
            let at = line
                .iter()
                .position(|&b| !grammar::is_blank(b))
                .unwrap_or(0);
            log.add(Severity::Error, "aut-no-header", position(at), || {
                format!(
                    "expected a header `des (INITIAL, TRANSITIONS, STATES)`, found {}",
                    excerpt(&line[at..])
                )
            });
            return Err(Failure::Refused);
        }
        if skipped + line.len() > self.options.max_line {
            log.add(Severity::Error, "aut-line-length", position(0), || {
                format!("line of more than {} bytes", self.options.max_line)
            });
            return Err(Failure::Refused);
        }
        let header = grammar::strip_end(line, complete).and_then(grammar::header);
        let header = match header {
            Ok(header) => header,
            Err(fault) => {
                let text = fault.text;
                log.add(Severity::Error, fault.code, position(fault.at), || text);
                return Err(Failure::Refused);
            }
        };
        if let Some(at) = header.unknown_at {
            let lenient = self.options.mode == Mode::Lenient;
            let severity = if lenient {
                Severity::Warning
            } else {
                Severity::Error
            };
            log.add(severity, "aut-unpatched-header", position(at), || {
                if lenient {
                    "unfinished file: the header does not tell the counts".into()
                } else {
                    "unfinished file: the header was never patched with the counts; \
                     generate the file again, or use --lenient"
                        .into()
                }
            });
        }
        let initial = header.initial;
        let states = header.states.map(|n| n.value);
        if let Some(n) = header.states.filter(|n| n.value == 0) {
            log.add(Severity::Error, "aut-no-states", position(n.at), || {
                "no states: an LTS has at least its initial state".into()
            });
        } else if states.is_some_and(|n| initial.value >= n) {
            log.add(
                Severity::Error,
                "aut-state-range",
                position(initial.at),
                || {
                    format!(
                        "initial state {} of a file of {} states (0 is the first)",
                        initial.value,
                        states.unwrap_or(0)
                    )
                },
            );
        } else if initial.value != 0 {
            let severity = match self.options.mode {
                Mode::Strict => Severity::Error,
                _ => Severity::Note,
            };
            log.add(severity, "aut-initial", position(initial.at), || {
                format!("the initial state is {} rather than 0", initial.value)
            });
        }
        if log.errors() > 0 {
            return Err(Failure::Refused);
        }
        Ok(Announced {
            initial: StateId::new(initial.value as u32),
            transitions: header.transitions.map(|n| n.value),
            states,
        })
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
            if part.too_many_labels {
                return Err(Failure::TooLarge(TooLarge {
                    what: "labels",
                    limit: crate::LabelId::MAX_COUNT,
                }));
            }
            if self.surplus.is_none()
                && let Some(announced) = announced.transitions
                && self.transition_lines + part.transition_lines > announced
            {
                let nth = announced - self.transition_lines;
                self.surplus = Some(self.lines + nth_transition_line(bytes, nth));
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

    fn finish(self, announced: &Announced, log: &mut Log) -> Result<Lts, Failure> {
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
            log.add(severity, "aut-count", at, || {
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
                format!(
                    "the header announces {expected} transitions, \
                     but there are {seen}{truncated}{advice}"
                )
            });
        }
        if log.errors() > 0 {
            return Err(Failure::Refused);
        }
        if let Some((at, text)) = self.hint.filter(|_| !self.hidden) {
            log.add(Severity::Warning, "aut-tau-hint", Some(at), || {
                let name = String::from_utf8_lossy(&text);
                format!("label `{name}` counts as visible; to hide it, use --tau {name}")
            });
        }
        let states = announced
            .states
            .unwrap_or(0)
            .max(self.states)
            .max(u64::from(announced.initial.get()) + 1);
        self.columns.finish(states, announced.initial, self.table)
    }
}

/// The number, from 1, of the transition line that comes after `nth` others.
fn nth_transition_line(bytes: &[u8], nth: u64) -> u64 {
    let mut seen = 0;
    for (k, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let text = line.strip_suffix(b"\r").unwrap_or(line);
        if !text.iter().all(|&b| grammar::is_blank(b)) {
            if seen == nth {
                return k as u64 + 1;
            }
            seen += 1;
        }
    }
    unreachable!("the chunk holds more transition lines than {nth}")
}
