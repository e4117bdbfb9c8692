//! Parsing a part of a file: some consecutive transition lines.

use memchr::{memchr, memrchr};

use super::grammar::{self, Fault, Number, Transition};
use super::scan::{self, Recent, Slot};
use crate::diagnostic::{Log, Position, Severity, excerpt};
use crate::lts::{LabelId, LabelTable};
use crate::options::{Escapes, Mode};
use crate::table::{AHEAD, Key};

/// What the parsers of all parts go by.
pub(super) struct Rules<'a> {
    pub mode: Mode,
    pub grow: bool,
    pub escapes: Escapes,
    pub max_line: usize,
    /// The labels that count as hidden.
    pub hidden: &'a [Vec<u8>],
    /// Whether to look for labels that look like a hidden action.
    pub want_hint: bool,
    /// The announced number of states, if known.
    pub states: Option<u64>,
}

impl Rules<'_> {
    /// The severity of what is tolerated outside strict mode only.
    fn tolerated(&self) -> Severity {
        match self.mode {
            Mode::Strict => Severity::Error,
            _ => Severity::Warning,
        }
    }
}

/// What a part of a file holds.
///
/// Label numbers below the length of the table that parsing began with mean
/// that table's labels; further ones mean, in order, the labels of `new`.
#[derive(Default)]
pub(super) struct Part {
    /// Source, label and target of each transition.
    pub transitions: Vec<[u32; 3]>,
    /// Labels that the table does not have. It hashes as the table does.
    pub new: LabelTable,
    /// What is odd, with lines counted from 1 in this part.
    pub log: Log,
    /// Lines, blank and bad ones included.
    pub lines: u64,
    /// Lines that are not blank, bad ones included.
    pub transition_lines: u64,
    /// Whether the file ends here by a byte 0x04, whatever follows.
    pub ended: bool,
    /// Whether some source is below the one before it.
    pub descends: bool,
    /// Whether there is a hidden transition.
    pub hidden: bool,
    /// The first label among the new ones that looks like a hidden action.
    pub hint: Option<(Position, Vec<u8>)>,
    /// Whether there are more labels than numbers.
    pub too_many_labels: bool,
    /// One more than the largest state.
    pub states: u64,
}

/// What it takes to number the labels of usual lines.
///
/// Labels that are not remembered are numbered some at a time: the processor
/// fetches what the table needs for one while it parses the lines after it.
struct Labels<'a> {
    bytes: &'a [u8],
    table: &'a LabelTable,
    rules: &'a Rules<'a>,
    recent: Recent,
    /// Those that have no number yet, in the order of their lines.
    waiting: Vec<Waiting>,
    /// The transition of the line that follows those which are counted.
    first: usize,
}

/// A label of a transition that has been parsed, before it has a number.
struct Waiting {
    transition: usize,
    label: (usize, usize),
    quoted: bool,
    key: Key,
    slot: Slot,
}

/// The shortest transition line, `(0,a,1)` and LF.
pub(super) const SHORTEST_LINE: usize = 8;

/// Parses a part of a file that ends with the file or with a line.
pub(super) fn parse(bytes: &[u8], table: &LabelTable, rules: &Rules<'_>) -> Part {
    let mut part = Part {
        transitions: Vec::with_capacity(bytes.len() / SHORTEST_LINE),
        new: table.new_alike(),
        ..Part::default()
    };
    let mut labels = Labels {
        bytes,
        table,
        rules,
        recent: Recent::new(table.len()),
        waiting: Vec::with_capacity(AHEAD),
        first: 0,
    };
    let mut at = 0;
    while at < bytes.len() && !part.ended {
        at = part.usual_lines(at, &mut labels);
        let rest = &bytes[at..];
        if rest.is_empty() {
            break;
        }
        let (line, complete) = match memchr(b'\n', rest) {
            Some(end) => (&rest[..end], true),
            None => (rest, false),
        };
        part.line(line, complete, table, rules);
        at += line.len() + usize::from(complete);
    }
    // Most lines are longer; what they leave serves the next part.
    part.transitions.shrink_to_fit();
    part
}

/// Parses a part by the grammar alone; the twin of [`parse`] in tests.
#[cfg(test)]
pub(super) fn parse_slowly(bytes: &[u8], table: &LabelTable, rules: &Rules<'_>) -> Part {
    let mut part = Part {
        new: table.new_alike(),
        ..Part::default()
    };
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        if !part.ended {
            let text = line.strip_suffix(b"\n");
            part.line(text.unwrap_or(line), text.is_some(), table, rules);
        }
    }
    part
}

impl Part {
    /// Parses lines from `at` on as long as nothing is odd about them; says
    /// where the first other one begins.
    fn usual_lines(&mut self, mut at: usize, labels: &mut Labels<'_>) -> usize {
        let (bytes, rules) = (labels.bytes, labels.rules);
        // Other states are odd, whether they are accepted or not.
        let states = rules.states.map_or(u32::MAX - 1, |n| n as u32);
        let mut last = self.transitions.last().map_or(0, |t| t[0]);
        let mut descends = false;
        let mut largest = 0;
        labels.first = self.transitions.len();
        while let Some(line) = scan::line(bytes, at) {
            let len = line.next - at - 1;
            let state = line.source.max(line.target);
            if state >= states || len > rules.max_line {
                break;
            }
            let Some(slot) = labels.recent.slot(bytes, line.label) else {
                break;
            };
            let found = labels.recent.get(bytes, line.label, line.quoted, slot);
            let label = match found {
                Some(label) => label,
                None if self.wait(line.label, line.quoted, slot, labels) => u32::MAX,
                None => break,
            };
            descends |= last > line.source;
            last = line.source;
            largest = largest.max(state);
            self.transitions.push([line.source, label, line.target]);
            at = line.next;
        }
        self.number(labels);
        let lines = (self.transitions.len() - labels.first) as u64;
        if lines > 0 {
            self.lines += lines;
            self.transition_lines += lines;
            self.descends |= descends;
            self.states = self.states.max(u64::from(largest) + 1);
        }
        at
    }

    /// Lets the label of the next transition wait for its number; or says that
    /// it is odd.
    // Apart from the loop over the lines, which is the faster for it.
    #[inline(never)]
    fn wait(
        &mut self,
        label: (usize, usize),
        quoted: bool,
        slot: Slot,
        labels: &mut Labels<'_>,
    ) -> bool {
        let text = &labels.bytes[label.0..label.1];
        let escaped = labels.rules.escapes == Escapes::Ltsmin && text.contains(&b'\\');
        if escaped || !scan::is_usual(labels.bytes, label, quoted) {
            return false;
        }
        if labels.waiting.len() == AHEAD {
            self.number(labels);
        }
        let key = labels.table.key(text);
        labels.table.prefetch(&key);
        labels.waiting.push(Waiting {
            transition: self.transitions.len(),
            label,
            quoted,
            key,
            slot,
        });
        true
    }

    /// Numbers the labels that wait for it.
    fn number(&mut self, labels: &mut Labels<'_>) {
        let bytes = labels.bytes;
        for w in &labels.waiting {
            let text = &bytes[w.label.0..w.label.1];
            let position = |part: &Part| {
                let line = part.lines + (w.transition - labels.first) as u64 + 1;
                let start = memrchr(b'\n', &bytes[..w.label.0]).map_or(0, |lf| lf + 1);
                let column = w.label.0 - start - usize::from(w.quoted);
                Position::new(line, column as u64 + 1)
            };
            let label = self.label(text, &w.key, position, labels.table, labels.rules);
            self.transitions[w.transition][1] = label;
            labels.recent.put(w.label, w.quoted, w.slot, label);
        }
        labels.waiting.clear();
    }

    /// Parses one line, given without its LF; `complete` says if there was one.
    pub(super) fn line(
        &mut self,
        line: &[u8],
        complete: bool,
        table: &LabelTable,
        rules: &Rules<'_>,
    ) {
        self.lines += 1;
        if line.first() == Some(&4) {
            self.report(rules.tolerated(), "aut-eot", 0, || {
                "byte 0x04: the model ends here, what follows is ignored".into()
            });
            if rules.mode == Mode::Strict {
                self.transition_lines += 1;
            } else {
                self.lines -= 1;
                self.ended = true;
            }
            return;
        }
        if line.len() > rules.max_line {
            self.transition_lines += 1;
            let limit = rules.max_line;
            return self.report(Severity::Error, "aut-line-length", 0, || {
                format!("line of more than {limit} bytes: is this an AUT file?")
            });
        }
        let text = match grammar::strip_end(line, complete) {
            Ok(text) => text,
            Err(fault) => {
                self.transition_lines += 1;
                return self.fault(fault);
            }
        };
        if text.iter().all(|&b| grammar::is_blank(b)) {
            if rules.mode == Mode::Strict {
                self.report(Severity::Warning, "aut-blank-line", 0, || {
                    "blank line".into()
                });
            }
            return;
        }
        self.transition_lines += 1;
        match grammar::transition(text) {
            Ok(transition) => self.transition(&transition, text, table, rules),
            Err(fault) => self.fault(fault),
        }
    }

    fn transition(
        &mut self,
        t: &Transition<'_>,
        line: &[u8],
        table: &LabelTable,
        rules: &Rules<'_>,
    ) {
        let errors = self.log.errors();
        self.check_label(t, line, rules);
        self.check_state(t.source, rules);
        self.check_state(t.target, rules);
        if self.log.errors() > errors {
            return;
        }
        let decoded = match rules.escapes {
            Escapes::None => None,
            Escapes::Ltsmin => grammar::unescape(t.label, t.quoted),
        };
        let text = decoded.as_deref().unwrap_or(t.label);
        let key = table.key(text);
        let position = |part: &Part| Position::new(part.lines, t.label_at as u64 + 1);
        let label = self.label(text, &key, position, table, rules);
        self.push(t.source.value as u32, label, t.target.value as u32);
    }

    /// Adds a transition that is known to be in order.
    pub(super) fn push(&mut self, source: u32, label: u32, target: u32) {
        let last = self.transitions.last().map_or(0, |t| t[0]);
        self.descends |= last > source;
        self.states = self.states.max(u64::from(source.max(target)) + 1);
        self.transitions.push([source, label, target]);
    }

    fn check_label(&mut self, t: &Transition<'_>, line: &[u8], rules: &Rules<'_>) {
        if rules.escapes == Escapes::Ltsmin
            && !t.quoted
            && grammar::unescape(t.label, false).is_some()
        {
            return;
        }
        let start = t.label_at + usize::from(t.quoted);
        let severity = rules.tolerated();
        if let Some(k) = t.label.iter().position(|&b| b < 0x20 || b == 0x7f) {
            self.report(severity, "aut-unprintable", start + k, || {
                format!("label with the unprintable byte 0x{:02X}", line[start + k])
            });
        }
        if let Some(k) = t.label.iter().position(|&b| b >= 0x80) {
            self.report(severity, "aut-non-ascii", start + k, || {
                format!("label with the byte 0x{:02X} beyond ASCII", line[start + k])
            });
        }
        if !t.quoted && !grammar::is_unquoted(t.label) {
            self.report(severity, "aut-free-label", t.label_at, || {
                let label = excerpt(t.label);
                format!("{label} is no identifier: put it between quotes")
            });
        }
    }

    fn check_state(&mut self, state: Number, rules: &Rules<'_>) {
        let Some(states) = rules.states.filter(|&n| state.value >= n) else {
            return;
        };
        let text = || format!("state {} of a file of {states} states", state.value);
        if rules.grow && rules.mode != Mode::Strict {
            self.report(Severity::Warning, "aut-state-range", state.at, || {
                text() + ": enlarged"
            });
        } else {
            self.report(Severity::Error, "aut-state-range", state.at, || {
                text() + " (0 is the first): correct the header, or use --grow"
            });
        }
    }

    /// The number of a label, which is added if it is new; it has this key in
    /// the table.
    pub(super) fn label(
        &mut self,
        text: &[u8],
        key: &Key,
        position: impl FnOnce(&Part) -> Position,
        table: &LabelTable,
        rules: &Rules<'_>,
    ) -> u32 {
        if let Some(label) = table.find_key(key, text) {
            return label.get();
        }
        if rules.hidden.iter().any(|name| name == text) {
            self.hidden = true;
            return LabelId::HIDDEN.get();
        }
        let room = LabelId::MAX_COUNT - table.len() as u64;
        if self.new.len() as u64 > room {
            self.too_many_labels = true;
            return LabelId::HIDDEN.get();
        }
        let known = self.new.len();
        let Ok(label) = self.new.intern_key(key, text) else {
            self.too_many_labels = true;
            return LabelId::HIDDEN.get();
        };
        if rules.want_hint
            && self.new.len() > known
            && self.hint.is_none()
            && (text == b"tau" || text == "τ".as_bytes())
        {
            self.hint = Some((position(self), text.to_vec()));
        }
        table.len() as u32 - 1 + label.get()
    }

    fn fault(&mut self, fault: Fault) {
        let text = fault.text;
        self.report(Severity::Error, fault.code, fault.at, || text);
    }

    fn report(
        &mut self,
        severity: Severity,
        code: &'static str,
        at: usize,
        text: impl FnOnce() -> String,
    ) {
        let position = Position::new(self.lines, at as u64 + 1);
        self.log.add(severity, code, Some(position), text);
    }
}
