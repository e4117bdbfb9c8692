//! Reading AUT.

use super::grammar::{self, Transition};
use super::scan;
use crate::diagnostic::{Log, Position, Severity, Sink, excerpt};
use crate::error::{Failure, ReadError};
use crate::fault::Fault;
use crate::lines::{self, Announced, Codes, Header, Line, Part, Rules, Syntax, Told};
use crate::lts::{LabelTable, Lts};
use crate::options::{Escapes, Mode, ReadOptions};
use crate::rows::Gather;
use crate::source::Source;

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
    lines::read(&Aut::new(options), source, options, sink)
}

/// As [`read`], with the transitions going elsewhere.
pub(crate) fn read_into(
    source: Source,
    options: &ReadOptions,
    gather: &mut dyn Gather,
    log: &mut Log,
) -> Result<Told, Failure> {
    lines::read_into(&Aut::new(options), source, options, gather, log)
}

/// What to do about a line without a header that could begin a network.
fn hint(line: &[u8]) -> &'static str {
    const WORDS: [&[u8]; 17] = [
        b"behavior",
        b"behaviour",
        b"ccs",
        b"csp",
        b"cut",
        b"elotos",
        b"gate",
        b"hide",
        b"label",
        b"lotos",
        b"mcrl",
        b"par",
        b"partial",
        b"prio",
        b"rename",
        b"single",
        b"total",
    ];
    let end = line.iter().position(|b| !b.is_ascii_alphabetic());
    match WORDS.contains(&&line[..end.unwrap_or(line.len())]) {
        true => " (a network of LTSs is read with --from exp)",
        false => "",
    }
}

/// The syntax of AUT.
pub(super) struct Aut {
    pub escapes: Escapes,
}

impl Syntax for Aut {
    const CODES: Codes = Codes {
        bom: "aut-bom",
        no_header: "aut-no-header",
        blank_before_header: "aut-blank-before-header",
        no_states: "aut-no-states",
        count: "aut-count",
        state_range: "aut-state-range",
        tau_hint: "aut-tau-hint",
    };

    const EMPTY: &'static str =
        "empty file: expected a header `des (INITIAL, TRANSITIONS, STATES)`";

    /// `(0,a,1)` and LF.
    const SHORTEST_LINE: usize = 8;

    fn is_blank(line: &[u8], complete: bool) -> bool {
        let text = grammar::strip_end(line, complete);
        text.is_ok_and(|text| text.iter().all(|&b| grammar::is_blank(b)))
    }

    fn header(&self, header: &Header<'_>, log: &mut Log) -> Result<Option<Announced>, Failure> {
        let line = header.line;
        if !grammar::looks_like_header(line) {
            let at = line
                .iter()
                .position(|&b| !grammar::is_blank(b))
                .unwrap_or(0);
            let position = header.position(at);
            log.add(Severity::Error, Self::CODES.no_header, position, || {
                format!(
                    "expected a header `des (INITIAL, TRANSITIONS, STATES)`, found {}{}",
                    excerpt(&line[at..]),
                    hint(&line[at..])
                )
            });
            return Err(Failure::Refused);
        }
        if header.is_too_long("aut-line-length", log) {
            return Err(Failure::Refused);
        }
        let read = grammar::strip_end(line, header.complete).and_then(grammar::header);
        let read = match read {
            Ok(read) => read,
            Err(fault) => {
                let text = fault.text;
                let position = header.position(fault.at);
                log.add(Severity::Error, fault.code, position, || text);
                return Err(Failure::Refused);
            }
        };
        if let Some(at) = read.unknown_at {
            let lenient = header.options.mode == Mode::Lenient;
            let severity = if lenient {
                Severity::Warning
            } else {
                Severity::Error
            };
            let position = header.position(at);
            log.add(severity, "aut-unpatched-header", position, || {
                if lenient {
                    "unfinished file: the header does not tell the counts".into()
                } else {
                    "unfinished file: the header was never patched with the counts; \
                     generate the file again, or use --lenient"
                        .into()
                }
            });
        }
        let announced = Announced {
            initial: read.initial,
            transitions: read.transitions.map(|n| n.value),
            states: read.states,
            hidden: None,
        };
        let initial = announced.initial;
        if header.check(&announced, &Self::CODES, log) && initial.value != 0 {
            let severity = match header.options.mode {
                Mode::Strict => Severity::Error,
                Mode::Default | Mode::Lenient => Severity::Note,
            };
            let position = header.position(initial.at);
            log.add(severity, "aut-initial", position, || {
                format!("the initial state is {} rather than 0", initial.value)
            });
        }
        if log.errors() > 0 {
            return Err(Failure::Refused);
        }
        Ok(Some(announced))
    }

    #[inline(always)]
    fn scan(bytes: &[u8], start: usize) -> Option<Line> {
        scan::line(bytes, start)
    }

    #[inline]
    fn is_usual(&self, bytes: &[u8], label: (usize, usize), quoted: bool) -> bool {
        let escaped = self.escapes == Escapes::Ltsmin && bytes[label.0..label.1].contains(&b'\\');
        !escaped && scan::is_usual(bytes, label, quoted)
    }

    fn line(
        &self,
        line: &[u8],
        complete: bool,
        part: &mut Part,
        table: &LabelTable,
        rules: &Rules<'_>,
    ) {
        if line.first() == Some(&4) {
            let is_strict = rules.mode == Mode::Strict;
            part.report(rules.tolerated(), "aut-eot", 0, || match is_strict {
                true => {
                    "byte 0x04, which AUT does not have; when reading is not strict, the model \
                         ends there: remove it and what follows"
                        .into()
                }
                false => "byte 0x04: the model ends here, what follows is ignored".into(),
            });
            if is_strict {
                part.transition_lines += 1;
            } else {
                part.lines -= 1;
                part.ended = true;
            }
            return;
        }
        if line.len() > rules.max_line {
            part.transition_lines += 1;
            let limit = rules.max_line;
            return part.report(Severity::Error, "aut-line-length", 0, || {
                format!("line of more than {limit} bytes: is this an AUT file?")
            });
        }
        let text = match grammar::strip_end(line, complete) {
            Ok(text) => text,
            Err(fault) => {
                part.transition_lines += 1;
                return report(part, fault);
            }
        };
        if Self::is_blank(line, complete) {
            if rules.mode == Mode::Strict {
                part.report(Severity::Warning, "aut-blank-line", 0, || {
                    "blank line".into()
                });
            }
            return;
        }
        part.transition_lines += 1;
        match grammar::transition(text) {
            Ok(transition) => self.transition(&transition, text, part, table, rules),
            Err(fault) => report(part, fault),
        }
    }
}

impl Aut {
    pub(super) fn new(options: &ReadOptions) -> Self {
        Self {
            escapes: options.escapes,
        }
    }

    fn transition(
        &self,
        t: &Transition<'_>,
        line: &[u8],
        part: &mut Part,
        table: &LabelTable,
        rules: &Rules<'_>,
    ) {
        let errors = part.log.errors();
        self.check_label(t, line, part, rules);
        part.check_state(t.source, &Self::CODES, rules);
        part.check_state(t.target, &Self::CODES, rules);
        if part.log.errors() > errors {
            return;
        }
        let decoded = match self.escapes {
            Escapes::None => None,
            Escapes::Ltsmin => grammar::unescape(t.label, t.quoted),
        };
        let text = decoded.as_deref().unwrap_or(t.label);
        let position = |part: &Part| Position::new(part.lines, t.label_at as u64 + 1);
        let label = part.label::<Self>(text, &table.key(text), position, table, rules);
        part.push(t.source.value as u32, label, t.target.value as u32);
    }

    fn check_label(&self, t: &Transition<'_>, line: &[u8], part: &mut Part, rules: &Rules<'_>) {
        if self.escapes == Escapes::Ltsmin
            && !t.quoted
            && grammar::unescape(t.label, false).is_some()
        {
            return;
        }
        let start = t.label_at + usize::from(t.quoted);
        let severity = rules.tolerated();
        if let Some(k) = t.label.iter().position(|&b| b < 0x20 || b == 0x7f) {
            part.report(severity, "aut-unprintable", start + k, || {
                format!("label with the unprintable byte 0x{:02X}", line[start + k])
            });
        }
        if let Some(k) = t.label.iter().position(|&b| b >= 0x80) {
            part.report(severity, "aut-non-ascii", start + k, || {
                format!("label with the byte 0x{:02X} beyond ASCII", line[start + k])
            });
        }
        if !t.quoted && !grammar::is_unquoted(t.label) {
            part.report(severity, "aut-free-label", t.label_at, || {
                let label = excerpt(t.label);
                format!("{label} is no identifier: put it between quotes")
            });
        }
    }
}

fn report(part: &mut Part, fault: Fault) {
    let text = fault.text;
    part.report(Severity::Error, fault.code, fault.at, || text);
}
