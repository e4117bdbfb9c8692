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
use crate::fault::Fault;
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
use crate::written::WrittenSize;

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
) -> Result<WrittenSize, WriteError> {
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
    Ok(WrittenSize::of(lts))
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
                let Fault { at, code, text } =
                    header_fault(line).unwrap_or_else(|| fault(&error, line, "jsonl-header"));
                log.add(Severity::Error, code, header.position(at), || text);
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
                let Fault { at, code, text } =
                    transition_fault(line).unwrap_or_else(|| fault(&error, line, "jsonl-syntax"));
                return part.report(Severity::Error, code, at, || text);
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
    let colons = memchr::memmem::find_iter(line, name.as_bytes())
        .map(|at| skip_blanks(line, at + name.len()));
    let colon = colons.into_iter().find(|&at| line.get(at) == Some(&b':'));
    colon.map_or(0, |colon| skip_blanks(line, colon + 1))
}

/// What is at fault in a first line that is in order as JSON: a number that is none.
fn header_fault(line: &[u8]) -> Option<Fault> {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).ok()?;
    for (key, what) in [
        ("lts", "the version of the format, 1"),
        ("states", "a number of states from 1, or null"),
        ("transitions", "a number of transitions from 0, or null"),
        (
            "initial",
            "the number of the initial state, from 0, or null",
        ),
    ] {
        let at = place_of(key, line);
        let found = word(line, at);
        if at > 0 && !is_number(found) && (found != b"null" || key == "lts") {
            return Some(expected(line, at, "jsonl-number", what));
        }
    }
    None
}

/// What is at fault in a line that is to be a transition, if that is to be told in other
/// words than those of a parser of JSON.
fn transition_fault(line: &[u8]) -> Option<Fault> {
    const WHOLE: &str = "a transition, `[source, \"label\", target]`";
    let blank = |from: usize| {
        let rest = line.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|b| b.is_ascii_whitespace()).count()
    };
    // An end of the line is told as such by the parser.
    let is_at_end = |at: usize| at >= line.len();
    let no_number = |at: usize| {
        let found = word(line, at);
        if !found.starts_with(b"0") && found.iter().all(u8::is_ascii_digit) {
            let last = StateId::MAX_COUNT - 1;
            let text = format!(
                "{} is too large for a state: at most {last}",
                excerpt(found)
            );
            return Fault::new(at, "jsonl-number", text);
        }
        let what = "a state number, from 0, in plain digits";
        expected(line, at, "jsonl-number", what)
    };
    let open = blank(0);
    if line.get(open) != Some(&b'[') {
        return (!is_at_end(open)).then(|| expected(line, open, "jsonl-syntax", WHOLE));
    }
    let source = blank(open + 1);
    if !is_number(word(line, source)) {
        return (!is_at_end(source)).then(|| no_number(source));
    }
    let comma = blank(source + word(line, source).len());
    if line.get(comma) != Some(&b',') {
        return (!is_at_end(comma)).then(|| expected(line, comma, "jsonl-syntax", "`,`"));
    }
    let label = blank(comma + 1);
    if line.get(label) != Some(&b'"') {
        let what = "a label between double quotes";
        return (!is_at_end(label)).then(|| expected(line, label, "jsonl-syntax", what));
    }
    let comma = blank(match label_end(line, label) {
        Ok(end) => end?,
        Err(fault) => return Some(fault),
    });
    if line.get(comma) != Some(&b',') {
        let what = "`,` and the target state";
        return (!is_at_end(comma)).then(|| expected(line, comma, "jsonl-syntax", what));
    }
    let target = blank(comma + 1);
    if !is_number(word(line, target)) {
        return (!is_at_end(target)).then(|| no_number(target));
    }
    let close = blank(target + word(line, target).len());
    if line.get(close) != Some(&b']') {
        let what = "`]`, as a transition is a source, a label and a target";
        return (!is_at_end(close)).then(|| expected(line, close, "jsonl-syntax", what));
    }
    let rest = blank(close + 1);
    let what = "the end of the line behind the transition";
    (!is_at_end(rest)).then(|| expected(line, rest, "jsonl-syntax", what))
}

/// Where a label ends that begins with the quote at `start`, if it does.
///
/// # Errors
/// If it is no text in JSON.
fn label_end(line: &[u8], start: usize) -> Result<Option<usize>, Fault> {
    let fault = |at: usize, text: &str| Err(Fault::new(at, "jsonl-syntax", text));
    // Four hexadecimal digits.
    let unit = |at: usize| {
        let digits = line.get(at..at + 4)?;
        let digits = digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)?;
        u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut at = start + 1;
    loop {
        match line.get(at) {
            None => return Ok(None),
            Some(b'"') => break,
            Some(0..0x20) => {
                return fault(
                    at,
                    "a control character in a label: expected its escape, such as `\\t` or \
                     `\\u0009`",
                );
            }
            Some(b'\\') => match line.get(at + 1) {
                None => return Ok(None),
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u') => match (unit(at + 2), line.get(at + 6..at + 8)) {
                    (Some(0xd800..0xdc00), Some(b"\\u"))
                        if matches!(unit(at + 8), Some(0xdc00..0xe000)) =>
                    {
                        at += 12;
                    }
                    (Some(0xd800..0xe000), _) => {
                        return fault(
                            at,
                            "an escape for one half of a pair of surrogates: expected both, \
                             such as `\\ud83d\\ude00`, as labels are Unicode texts",
                        );
                    }
                    (Some(_), _) => at += 6,
                    (None, _) => return fault(at, "expected four hexadecimal digits after `\\u`"),
                },
                Some(_) => {
                    return fault(
                        at,
                        "a backslash that begins no escape of JSON: expected `\\\\` for the \
                         character itself",
                    );
                }
            },
            Some(_) => at += 1,
        }
    }
    match str::from_utf8(&line[start..at]) {
        Ok(_) => Ok(Some(at + 1)),
        Err(error) => fault(
            start + error.valid_up_to(),
            "bytes that are no UTF-8: expected a label that is a Unicode text",
        ),
    }
}

/// Something else than what was expected.
fn expected(line: &[u8], at: usize, code: &'static str, what: &str) -> Fault {
    let found = excerpt(word(line, at));
    Fault::new(at, code, format!("expected {what}, found {found}"))
}

/// What stands at a place, up to what ends a value; at least a byte, unless it is the end.
fn word(line: &[u8], at: usize) -> &[u8] {
    let rest = line.get(at..).unwrap_or_default();
    let ends = |&b: &u8| b.is_ascii_whitespace() || matches!(b, b',' | b']' | b'}');
    let length = rest.iter().position(ends).unwrap_or(rest.len());
    &rest[..length.max(1).min(rest.len())]
}

/// Whether this is a number as JSON has it, not negative, without a fraction, and not far
/// too large.
fn is_number(word: &[u8]) -> bool {
    serde_json::from_slice::<u64>(word).is_ok()
}

/// What a parser of JSON says of a line.
fn fault(error: &serde_json::Error, line: &[u8], code: &'static str) -> Fault {
    // the column is that of the last byte looked at, from 1
    let at = error.column().saturating_sub(1).min(line.len());
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    let example = match error.is_eof() {
        true => "; is the file truncated?",
        false => "",
    };
    Fault::new(at, code, format!("{}{example}", &text[..end]))
}
