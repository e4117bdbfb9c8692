//! TSV: source, label and target of each transition, separated by tabs.
//!
//! ```text
//! # lts states=3 transitions=2 initial=0
//! 0<TAB>PUSH !1<TAB>1
//! 1<TAB>i<TAB>2
//! ```
//!
//! Without the first line the initial state is 0, and the states are those up to
//! the largest number. A label is any text without tab and line break; `i` is the
//! hidden action, as in AUT.

use std::io::Write;

use memchr::{memchr, memchr_iter, memchr2, memchr3};

use crate::canonical::arranged;
use crate::diagnostic::{Log, Position, Severity, Sink, counted, excerpt};
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

/// Reads an LTS in TSV. All diagnostics go to `sink`, errors included.
///
/// Order, numbering of labels, time and memory are as for AUT.
///
/// # Errors
/// If the input cannot be read, or has errors under these options, or holds
/// more than an [`Lts`] can.
pub fn read(source: Source, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<Lts, ReadError> {
    lines::read(&Tsv, source, options, sink)
}

/// As [`read`], with the transitions going elsewhere.
pub(crate) fn read_into(
    source: Source,
    options: &ReadOptions,
    gather: &mut dyn Gather,
    log: &mut Log,
) -> Result<Told, Failure> {
    lines::read_into(&Tsv, source, options, gather, log)
}

/// Writes an LTS in TSV, with the header line.
///
/// The bytes do not depend on the number of threads, which is that of the
/// current rayon pool. The output sees large writes and need not be buffered.
///
/// O(bytes) time, and memory for a copy of the LTS in canonical form.
///
/// # Errors
/// If the output refuses, or if a label that occurs has a tab or a line break,
/// or would read like the hidden action; then nothing has been written.
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
            if memchr3(b'\t', b'\n', b'\r', text).is_some() {
                log.add(Severity::Error, "tsv-label", None, || {
                    let label = excerpt(text);
                    format!("label {label} holds a tab or a line break, which TSV cannot express")
                });
            }
        },
    );
    let mut pieces = Pieces::new(Style {
        open: b"",
        before_label: b"\t",
        after_label: b"\t",
        close: *b"\n ",
    });
    for text in &texts {
        pieces.push(text);
    }
    pieces.check_lines("tsv-line-length", &mut log);
    log.finish_writing(sink)?;
    let lts = &*arranged(lts, &texts, options);
    writeln!(
        output,
        "# lts states={} transitions={} initial={}",
        lts.states(),
        lts.transitions(),
        lts.initial()
    )?;
    write_transitions(lts, &pieces, output)?;
    Ok(WrittenSize::of(lts))
}

/// The syntax of TSV.
struct Tsv;

/// What a header line begins with.
const HEADER: &[u8] = b"# lts";

impl Syntax for Tsv {
    const CODES: Codes = Codes {
        bom: "tsv-bom",
        no_header: "tsv-empty",
        blank_before_header: "tsv-blank-before-header",
        no_states: "tsv-no-states",
        count: "tsv-count",
        state_range: "tsv-state-range",
        tau_hint: "tsv-tau-hint",
    };

    const EMPTY: &'static str =
        "empty file: expected transitions, or a header `# lts states=… transitions=… initial=…`";

    /// Two digits, two tabs and LF.
    const SHORTEST_LINE: usize = 5;

    fn is_blank(line: &[u8], _: bool) -> bool {
        strip_cr(line).is_empty()
    }

    fn header(&self, header: &Header<'_>, log: &mut Log) -> Result<Option<Announced>, Failure> {
        let text = strip_cr(header.line);
        let Some(fields) = text.strip_prefix(HEADER) else {
            return Ok(None);
        };
        if header.is_too_long("tsv-line-length", log) {
            return Err(Failure::Refused);
        }
        if !header.complete {
            let severity = no_newline(header.options.mode);
            let position = header.position(header.line.len());
            log.add(severity, "tsv-no-newline", position, || NO_NEWLINE.into());
            if severity == Severity::Error {
                return Err(Failure::Refused);
            }
        }
        match header_fields(fields) {
            Ok(announced) if header.check(&announced, &Self::CODES, log) => Ok(Some(announced)),
            Ok(_) => Err(Failure::Refused),
            Err(fault) => {
                let text = fault.text;
                let position = header.position(fault.at);
                log.add(Severity::Error, fault.code, position, || text);
                Err(Failure::Refused)
            }
        }
    }

    #[inline(always)]
    fn scan(bytes: &[u8], start: usize) -> Option<Line> {
        let end = line_end(bytes, start)?;
        let close = end - usize::from(end > start && bytes[end - 1] == b'\r');
        let (target, at) = number_before(bytes, close)?;
        let to = at.checked_sub(1)?;
        let (source, from) = number(bytes, start)?;
        let in_order = from < to && bytes[to] == b'\t' && bytes[from] == b'\t';
        in_order.then_some(Line {
            source,
            label: (from + 1, to),
            head: head(bytes, from + 1)?,
            quoted: false,
            target,
            next: end + 1,
        })
    }

    #[inline]
    fn is_usual(&self, bytes: &[u8], label: (usize, usize), _: bool) -> bool {
        memchr2(b'\t', b'\r', &bytes[label.0..label.1]).is_none()
    }

    fn line(
        &self,
        line: &[u8],
        complete: bool,
        part: &mut Part,
        table: &LabelTable,
        rules: &Rules<'_>,
    ) {
        let text = strip_cr(line);
        if text.is_empty() {
            if rules.mode == Mode::Strict {
                part.report(Severity::Warning, "tsv-blank-line", 0, || {
                    "blank line".into()
                });
            }
            return;
        }
        part.transition_lines += 1;
        if line.len() > rules.max_line {
            let limit = rules.max_line;
            return part.report(Severity::Error, "tsv-line-length", 0, || {
                format!("line of more than {limit} bytes: is this a TSV file?")
            });
        }
        let (source, label, target) = match transition(text) {
            Ok(parts) => parts,
            Err(fault) => {
                let text = fault.text;
                return part.report(Severity::Error, fault.code, fault.at, || text);
            }
        };
        let errors = part.log.errors();
        part.check_state(source, &Self::CODES, rules);
        part.check_state(target, &Self::CODES, rules);
        if !complete {
            part.report(no_newline(rules.mode), "tsv-no-newline", line.len(), || {
                NO_NEWLINE.into()
            });
        }
        if part.log.errors() > errors {
            return;
        }
        let text = &text[label.0..label.1];
        let position = |part: &Part| Position::new(part.lines, label.0 as u64 + 1);
        let label = part.label::<Self>(text, &table.key(text), position, table, rules);
        part.push(source.value as u32, label, target.value as u32);
    }
}

const NO_NEWLINE: &str = "the last line has no end, so that its number may be cut off: \
     end the line if the file is whole, or go on with --lenient";

/// How bad it is that the last line has no end.
fn no_newline(mode: Mode) -> Severity {
    match mode {
        Mode::Lenient => Severity::Warning,
        Mode::Default | Mode::Strict => Severity::Error,
    }
}

fn strip_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A field of decimal digits, which begins at `at` in its line.
fn field(text: &[u8], at: usize, what: &str, limit: u64) -> Result<Number, Fault> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return Err(Fault {
            code: "tsv-number",
            at,
            text: format!(
                "expected {what} in plain decimal digits, found {}",
                excerpt(text)
            ),
        });
    }
    let value = text.iter().try_fold(0u64, |n, &b| {
        n.checked_mul(10)?.checked_add(u64::from(b - b'0'))
    });
    match value {
        Some(value) if value <= limit => Ok(Number { value, at }),
        _ => Err(Fault {
            code: "tsv-number",
            at,
            text: format!("{} is too large for {what}: at most {limit}", excerpt(text)),
        }),
    }
}

/// Takes a transition line apart: source, where the label is, target.
fn transition(line: &[u8]) -> Result<(Number, (usize, usize), Number), Fault> {
    let columns = memchr_iter(b'\t', line).count() + 1;
    let (Some(first), Some(last)) = (memchr(b'\t', line), memchr::memrchr(b'\t', line)) else {
        let comment = match line[0] {
            b'#' => "; TSV has no comments but the header `# lts …` in the first line",
            _ => "",
        };
        return Err(Fault {
            code: "tsv-columns",
            at: 0,
            text: format!(
                "expected source, label and target, separated by tabs, found {}{comment}",
                excerpt(line)
            ),
        });
    };
    let source = field(&line[..first], 0, "a source state", StateId::MAX_COUNT - 1)?;
    if columns != 3 {
        let third = memchr_iter(b'\t', line).nth(2);
        return Err(Fault {
            code: "tsv-columns",
            at: third.unwrap_or(line.len()),
            text: format!(
                "expected source, label and target, found {}",
                counted(columns, "column")
            ),
        });
    }
    let target = &line[last + 1..];
    let target = field(target, last + 1, "a target state", StateId::MAX_COUNT - 1)?;
    if let Some(k) = memchr(b'\r', &line[first..last]) {
        return Err(Fault {
            code: "tsv-label",
            at: first + k,
            text: "a carriage return within a label".into(),
        });
    }
    Ok((source, (first + 1, last), target))
}

/// Understands what follows [`HEADER`]: `KEY=NUMBER` in any order, each at most
/// once, separated by blanks.
fn header_fields(fields: &[u8]) -> Result<Announced, Fault> {
    let mut announced = Announced::default();
    let mut seen = [false; 3];
    let fault = |at: usize, text: String| Fault {
        code: "tsv-header",
        at: HEADER.len() + at,
        text,
    };
    if fields.first().is_some_and(|&b| b != b' ' && b != b'\t') {
        return Err(fault(0, "expected a blank after `# lts`".into()));
    }
    let mut at = 0;
    for word in fields.split(|&b| b == b' ' || b == b'\t') {
        let start = at;
        at += word.len() + 1;
        if word.is_empty() {
            continue;
        }
        let expected = || {
            fault(
                start,
                format!(
                    "expected states=…, transitions=… or initial=…, found {}",
                    excerpt(word)
                ),
            )
        };
        let equals = memchr(b'=', word).ok_or_else(expected)?;
        let (key, text) = (&word[..equals], &word[equals + 1..]);
        let at = HEADER.len() + start + equals + 1;
        let k = match key {
            b"states" => {
                let n = field(text, at, "a number of states", StateId::MAX_COUNT)?;
                announced.states = Some(n);
                0
            }
            b"transitions" => {
                let n = field(text, at, "a number of transitions", u64::MAX)?;
                announced.transitions = Some(n.value);
                1
            }
            b"initial" => {
                announced.initial = field(text, at, "an initial state", StateId::MAX_COUNT - 1)?;
                2
            }
            _ => return Err(expected()),
        };
        if std::mem::replace(&mut seen[k], true) {
            return Err(fault(start, format!("{} a second time", excerpt(key))));
        }
    }
    Ok(announced)
}
