//! JSON Lines: an object that tells sizes, then an array for each transition.
//!
//! ```text
//! {"lts":1,"states":3,"transitions":2,"initial":0,"hidden":["i"]}
//! [0,"PUSH !1",1]
//! [1,"i",2]
//! ```
//!
//! Unknown counts are `null`, or left out. `hidden` lists the labels that are the
//! hidden action; without it, that is `i`. Labels are Unicode texts.

use std::borrow::Cow;
use std::io::Write;

use serde::Deserialize;

use crate::canonical::arranged;
use crate::diagnostic::{Log, Position, Severity, Sink, excerpt};
use crate::error::{Failure, ReadError, WriteError};
use crate::lines::scan::{head, line_end, number, number_before};
use crate::lines::{
    self, Announced, Codes, Header, Line, Number, Part, Pieces, Rules, Style, Syntax, Told,
    write_transitions,
};
use crate::lts::{LabelTable, Lts, StateId};
use crate::options::{Mode, ReadOptions, WriteOptions};
use crate::rows::Gather;
use crate::source::Source;
use crate::spelling;

/// Reads an LTS in JSON Lines. All diagnostics go to `sink`, errors included.
///
/// Order, numbering of labels, time and memory are as for AUT.
///
/// # Errors
/// If the input cannot be read, or has errors under these options, or holds
/// more than an [`Lts`] can.
pub fn read(source: Source, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<Lts, ReadError> {
    lines::read(&Jsonl, source, options, sink)
}

/// As [`read`], with the transitions going elsewhere.
pub(crate) fn read_into(
    source: Source,
    options: &ReadOptions,
    gather: &mut dyn Gather,
    log: &mut Log,
) -> Result<Told, Failure> {
    lines::read_into(&Jsonl, source, options, gather, log)
}

/// Writes an LTS in JSON Lines.
///
/// The bytes do not depend on the number of threads, which is that of the
/// current rayon pool. The output sees large writes and need not be buffered.
///
/// O(bytes) time, and memory for a copy of the LTS in canonical form.
///
/// # Errors
/// If the output refuses, or if a label that occurs is no valid UTF-8, or would
/// read like the hidden action; then nothing has been written.
pub fn write(
    lts: &Lts,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<(), WriteError> {
    let mut log = Log::new();
    let texts = spelling::spell(
        lts,
        options.hidden("i"),
        true,
        options,
        &mut log,
        |text, log| {
            if std::str::from_utf8(text).is_err() {
                log.add(Severity::Error, "jsonl-utf8", None, || {
                    let label = excerpt(text);
                    format!("label {label} is no UTF-8, which JSON needs")
                });
            }
        },
    );
    let mut pieces = Pieces::new(Style {
        open: b"[",
        before_label: b",",
        after_label: b",",
        close: *b"]\n",
    });
    for text in &texts {
        pieces.push(&quoted(text));
    }
    pieces.check_lines("jsonl-line-length", &mut log);
    log.finish_writing(sink)?;
    let lts = &*arranged(lts, &texts, options);
    writeln!(
        output,
        "{{\"lts\":1,\"states\":{},\"transitions\":{},\"initial\":{},\"hidden\":[\"{}\"]}}",
        lts.states(),
        lts.transitions(),
        lts.initial(),
        options.hidden("i").escape_ascii()
    )?;
    write_transitions(lts, &pieces, output)?;
    Ok(())
}

/// A text as JSON has it.
fn quoted(text: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for &b in text {
        match b {
            b'"' | b'\\' => quoted.extend_from_slice(&[b'\\', b]),
            b'\n' => quoted.extend_from_slice(b"\\n"),
            b'\r' => quoted.extend_from_slice(b"\\r"),
            b'\t' => quoted.extend_from_slice(b"\\t"),
            0..=0x1f => quoted.extend_from_slice(format!("\\u{b:04x}").as_bytes()),
            _ => quoted.push(b),
        }
    }
    quoted.push(b'"');
    quoted
}

/// The syntax of JSON Lines.
struct Jsonl;

/// The first line.
#[derive(Deserialize)]
struct FirstLine {
    lts: u64,
    states: Option<u64>,
    transitions: Option<u64>,
    initial: Option<u64>,
    hidden: Option<Vec<String>>,
}

impl Syntax for Jsonl {
    const CODES: Codes = Codes {
        bom: "jsonl-bom",
        no_header: "jsonl-no-header",
        blank_before_header: "jsonl-blank-before-header",
        no_states: "jsonl-no-states",
        count: "jsonl-count",
        state_range: "jsonl-state-range",
        tau_hint: "jsonl-tau-hint",
    };

    const EMPTY: &'static str = "empty file: expected a first line `{\"lts\":1,…}`";

    /// `[0,"",1]` and LF.
    const SHORTEST_LINE: usize = 9;

    fn is_blank(line: &[u8], _: bool) -> bool {
        line.iter().all(|&b| matches!(b, b' ' | b'\t' | b'\r'))
    }

    fn header(&self, header: &Header<'_>, log: &mut Log) -> Result<Option<Announced>, Failure> {
        if header.is_too_long("jsonl-line-length", log) {
            return Err(Failure::Refused);
        }
        let line = header.line;
        let start = line.iter().position(|b| !b.is_ascii_whitespace());
        let start = start.unwrap_or(0);
        if line.get(start) != Some(&b'{') {
            let at = header.position(start);
            log.add(Severity::Error, Self::CODES.no_header, at, || {
                let found = excerpt(&line[start..]);
                format!("expected a first line `{{\"lts\":1,…}}`, found {found}")
            });
            return Err(Failure::Refused);
        }
        let first: FirstLine = match serde_json::from_slice(line) {
            Ok(first) => first,
            Err(error) => {
                let (at, text) = fault(&error, line);
                log.add(Severity::Error, "jsonl-header", header.position(at), || {
                    text
                });
                return Err(Failure::Refused);
            }
        };
        let mut wrong = |key: &str, text: String| {
            let at = header.position(place_of(key, line));
            log.add(Severity::Error, "jsonl-header", at, || text);
            Failure::Refused
        };
        if first.lts != 1 {
            return Err(wrong(
                "lts",
                format!("version {} of the format: only 1 is known", first.lts),
            ));
        }
        if let Some(n) = first.states.filter(|&n| n > StateId::MAX_COUNT) {
            let most = StateId::MAX_COUNT;
            return Err(wrong("states", format!("{n} states: at most {most} fit")));
        }
        let initial = first.initial.unwrap_or(0);
        if initial >= StateId::MAX_COUNT {
            let last = StateId::MAX_COUNT - 1;
            let text = format!("initial state {initial}: at most {last} fits");
            return Err(wrong("initial", text));
        }
        let located = |key, value| Number {
            value,
            at: place_of(key, line),
        };
        let announced = Announced {
            initial: located("initial", initial),
            transitions: first.transitions,
            states: first.states.map(|n| located("states", n)),
            hidden: first
                .hidden
                .map(|names| names.into_iter().map(String::into_bytes).collect()),
        };
        match header.check(&announced, &Self::CODES, log) {
            true => Ok(Some(announced)),
            false => Err(Failure::Refused),
        }
    }

    #[inline(always)]
    fn scan(bytes: &[u8], start: usize) -> Option<Line> {
        if *bytes.get(start)? != b'[' {
            return None;
        }
        let end = line_end(bytes, start)?;
        let close = end - 1 - usize::from(bytes[end - 1] == b'\r');
        let (target, at) = number_before(bytes, close)?;
        let to = at.checked_sub(2)?;
        let (source, from) = number(bytes, start + 1)?;
        let in_order = from + 2 <= to
            && bytes[close] == b']'
            && bytes[from..from + 2] == *b",\""
            && bytes[to..to + 2] == *b"\","
            && (bytes[start + 1] != b'0' || from == start + 2)
            && (bytes[at] != b'0' || at + 1 == close);
        in_order.then_some(Line {
            source,
            label: (from + 2, to),
            head: head(bytes, from + 2)?,
            quoted: true,
            target,
            next: end + 1,
        })
    }

    #[inline]
    fn is_usual(&self, bytes: &[u8], label: (usize, usize), _: bool) -> bool {
        let text = &bytes[label.0..label.1];
        let plain = |&b: &u8| b >= 0x20 && b != b'"' && b != b'\\';
        text.iter().all(plain) && (text.is_ascii() || std::str::from_utf8(text).is_ok())
    }

    fn line(
        &self,
        line: &[u8],
        complete: bool,
        part: &mut Part,
        table: &LabelTable,
        rules: &Rules<'_>,
    ) {
        // Of a stream, what follows is not at hand.
        if line.len() > rules.max_line {
            part.transition_lines += 1;
            let limit = rules.max_line;
            return part.report(Severity::Error, "jsonl-line-length", 0, || {
                format!("line of more than {limit} bytes: is this a JSON Lines file?")
            });
        }
        if Self::is_blank(line, complete) {
            if rules.mode == Mode::Strict {
                part.report(Severity::Warning, "jsonl-blank-line", 0, || {
                    "blank line".into()
                });
            }
            return;
        }
        part.transition_lines += 1;
        let (source, label, target) = match serde_json::from_slice(line) {
            Ok(Transition(source, label, target)) => (source, label, target),
            Err(error) => {
                let (at, text) = fault(&error, line);
                return part.report(Severity::Error, "jsonl-syntax", at, || text);
            }
        };
        // where the numbers are matters only if they are wrong
        let first = 1 + line.iter().position(|&b| b == b'[').unwrap_or(0);
        let source = Number {
            value: source,
            at: skip_blanks(line, first),
        };
        let last = 1 + memchr::memrchr(b',', line).unwrap_or(0);
        let target = Number {
            value: target,
            at: skip_blanks(line, last),
        };
        let errors = part.log.errors();
        for state in [source, target] {
            if state.value >= StateId::MAX_COUNT {
                part.report(Severity::Error, "jsonl-number", state.at, || {
                    let last = StateId::MAX_COUNT - 1;
                    format!("{} is too large for a state: at most {last}", state.value)
                });
            } else {
                part.check_state(state, &Self::CODES, rules);
            }
        }
        if part.log.errors() > errors {
            return;
        }
        let text = label.as_bytes();
        let quote = 1 + memchr::memchr(b',', line).unwrap_or(0);
        let at = skip_blanks(line, quote);
        let position = |part: &Part| Position::new(part.lines, at as u64 + 1);
        let label = part.label::<Self>(text, &table.key(text), position, table, rules);
        part.push(source.value as u32, label, target.value as u32);
    }
}

/// A transition line.
#[derive(Deserialize)]
#[serde(expecting = "[source, \"label\", target]")]
struct Transition<'a>(u64, #[serde(borrow)] Cow<'a, str>, u64);

/// Where the first byte at or after `from` is that is no blank.
fn skip_blanks(line: &[u8], from: usize) -> usize {
    let rest = line.get(from..).unwrap_or_default();
    let blanks = rest.iter().take_while(|&&b| b == b' ' || b == b'\t');
    from + blanks.count()
}

/// Where the value of a key begins in a first line that is known to be in order;
/// the line's beginning if the key is not written as usual.
fn place_of(key: &str, line: &[u8]) -> usize {
    let name = format!("\"{key}\"");
    let Some(at) = memchr::memmem::find(line, name.as_bytes()) else {
        return 0;
    };
    let colon = skip_blanks(line, at + name.len());
    skip_blanks(line, colon + 1)
}

/// Where in a line an error is, and what it says.
fn fault(error: &serde_json::Error, line: &[u8]) -> (usize, String) {
    // the column is that of the last byte looked at, from 1
    let at = error.column().saturating_sub(1).min(line.len());
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    let example = match error.is_eof() {
        true => "; is the file truncated?",
        false => "",
    };
    (at, format!("{}{example}", &text[..end]))
}
