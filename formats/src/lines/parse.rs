//! Parsing a part of a file.

use memchr::{memchr, memrchr};

use super::part::{Part, Rules};
use super::recent::{Recent, Recents, Slot};
use super::syntax::Syntax;
use crate::diagnostic::Position;
use crate::lts::{LabelId, LabelTable, TooLarge};
use crate::table::{AHEAD, Key};

/// What it takes to number the labels of usual lines.
///
/// Labels that are not remembered are numbered some at a time: the processor
/// fetches what the table needs for one while it parses the lines after it.
struct Labels<'a, S> {
    syntax: &'a S,
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

/// Parses a part of a file that ends with the file or with a line. What is known of `recents` is
/// the numbers of labels in the table.
pub(crate) fn parse<S: Syntax>(
    syntax: &S,
    bytes: &[u8],
    table: &LabelTable,
    rules: &Rules<'_>,
    recents: &Recents,
) -> Part {
    let mut part = Part {
        new: table.new_alike(),
        ..Part::default()
    };
    part.rows.transitions = Vec::with_capacity(bytes.len() / S::SHORTEST_LINE);
    let mut labels = Labels {
        syntax,
        bytes,
        table,
        rules,
        recent: recents.take(bytes.len(), table.len()),
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
        part.lines += 1;
        syntax.line(line, complete, &mut part, table, rules);
        at += line.len() + usize::from(complete);
    }
    // Most lines are longer; what they leave serves the next part.
    part.rows.transitions.shrink_to_fit();
    if part.new.is_empty() {
        recents.keep(labels.recent);
    }
    part
}

/// Parses a part by the grammar alone; the twin of [`parse`] in tests.
#[cfg(test)]
pub(crate) fn parse_slowly<S: Syntax>(
    syntax: &S,
    bytes: &[u8],
    table: &LabelTable,
    rules: &Rules<'_>,
) -> Part {
    let mut part = Part {
        new: table.new_alike(),
        ..Part::default()
    };
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        if !part.ended {
            let text = line.strip_suffix(b"\n");
            part.lines += 1;
            syntax.line(
                text.unwrap_or(line),
                text.is_some(),
                &mut part,
                table,
                rules,
            );
        }
    }
    part
}

impl Part {
    /// Parses lines from `at` on as long as nothing is odd about them; says
    /// where the first other one begins.
    fn usual_lines<S: Syntax>(&mut self, mut at: usize, labels: &mut Labels<'_, S>) -> usize {
        let (bytes, rules) = (labels.bytes, labels.rules);
        // Other states are odd, whether they are accepted or not.
        let states = rules.states.map_or(u32::MAX - 1, |n| n as u32);
        let mut last = self.rows.transitions.last().map_or(0, |t| t[0]);
        let (mut descends, mut hidden) = (false, false);
        let mut largest = 0;
        labels.first = self.rows.transitions.len();
        while let Some(line) = S::scan(bytes, at) {
            let len = line.next - at - 1;
            let state = line.source.max(line.target);
            if state >= states || len > rules.max_line {
                break;
            }
            let Some(slot) = labels.recent.slot_after(bytes, line.label, line.head) else {
                break;
            };
            let found = labels.recent.get(bytes, line.label, line.quoted, slot);
            let label = match found {
                Some(label) => label,
                None if self.wait(line.label, line.quoted, line.head, labels) => u32::MAX,
                None => break,
            };
            descends |= last > line.source;
            hidden |= label == LabelId::HIDDEN.get();
            last = line.source;
            largest = largest.max(state);
            self.rows
                .transitions
                .push([line.source, label, line.target]);
            at = line.next;
        }
        self.number(labels);
        let lines = (self.rows.transitions.len() - labels.first) as u64;
        if lines > 0 {
            self.lines += lines;
            self.transition_lines += lines;
            self.rows.descends |= descends;
            self.hidden |= hidden;
            self.states = self.states.max(u64::from(largest) + 1);
        }
        at
    }

    /// Lets the label of the next transition wait for its number; or says that
    /// it is odd.
    // Apart from the loop over the lines, which is the faster for it.
    #[inline(never)]
    fn wait<S: Syntax>(
        &mut self,
        label: (usize, usize),
        quoted: bool,
        head: [u64; 2],
        labels: &mut Labels<'_, S>,
    ) -> bool {
        let text = &labels.bytes[label.0..label.1];
        if !labels.syntax.is_usual(labels.bytes, label, quoted) {
            return false;
        }
        // As before: to keep it until here costs the loop over the lines more.
        let Some(slot) = labels.recent.slot_after(labels.bytes, label, head) else {
            return false;
        };
        if labels.waiting.len() == AHEAD {
            self.number(labels);
        }
        let key = labels.table.key(text);
        labels.table.prefetch(&key);
        labels.waiting.push(Waiting {
            transition: self.rows.transitions.len(),
            label,
            quoted,
            key,
            slot,
        });
        true
    }

    /// Numbers the labels that wait for it.
    fn number<S: Syntax>(&mut self, labels: &mut Labels<'_, S>) {
        let bytes = labels.bytes;
        for w in &labels.waiting {
            let text = &bytes[w.label.0..w.label.1];
            let position = |part: &Part| {
                let line = part.lines + (w.transition - labels.first) as u64 + 1;
                let start = memrchr(b'\n', &bytes[..w.label.0]).map_or(0, |lf| lf + 1);
                let column = w.label.0 - start - usize::from(w.quoted);
                Position::new(line, column as u64 + 1)
            };
            let label = self.label::<S>(text, &w.key, position, labels.table, labels.rules);
            self.rows.transitions[w.transition][1] = label;
            labels.recent.put(text, w.quoted, w.slot, label);
        }
        labels.waiting.clear();
    }

    /// The number of a label, which is added if it is new; it has this key in
    /// the table.
    pub fn label<S: Syntax>(
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
            self.too_large = Some(TooLarge {
                what: "labels",
                limit: LabelId::MAX_COUNT,
            });
            return LabelId::HIDDEN.get();
        }
        let known = self.new.len();
        let label = match self.new.intern_key(key, text) {
            Ok(label) => label,
            Err(error) => {
                self.too_large = Some(error);
                return LabelId::HIDDEN.get();
            }
        };
        if rules.want_hint
            && self.new.len() > known
            && self.hint.is_none()
            && S::HINTS.iter().any(|hint| hint.as_bytes() == text)
        {
            self.hint = Some((position(self), text.to_vec()));
        }
        table.len() as u32 - 1 + label.get()
    }
}
