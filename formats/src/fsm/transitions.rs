//! The transition lines of FSM.

use std::borrow::Cow;

use memchr::memchr;

use super::line::{self, TransitionLine, trim};
use crate::diagnostic::{Log, Position, Severity};
use crate::error::Failure;
use crate::fault::Fault;
use crate::lines::scan::{head, line_end, number};
use crate::lines::{Announced, Codes, Header, Line, Part, Rules, Syntax};
use crate::lts::{LabelTable, StateId};
use crate::mealy::MealySyntax;
use crate::options::{LabelColumns, ReadOptions};

/// The syntax of transitions, up to the line `---` after them.
pub(super) struct TransitionLines<'a> {
    options: &'a ReadOptions,
}

impl<'a> TransitionLines<'a> {
    pub fn new(options: &'a ReadOptions) -> Self {
        Self { options }
    }

    /// The label of a transition.
    fn label<'l>(&self, read: &TransitionLine<'l>) -> Result<Cow<'l, [u8]>, Fault> {
        let refuse = |code, text: String| Err(Fault::new(read.label_at, code, text));
        let columns = match (self.options.fsm.label_columns, &self.options.mealy) {
            // A pair is what a transition of a machine has.
            (None, Some(_)) if read.more.len() == 1 => Some(LabelColumns::Io),
            (columns, _) => columns,
        };
        match (columns, &read.more[..]) {
            (Some(LabelColumns::First), _) | (None | Some(LabelColumns::Join), []) => {
                Ok(Cow::Borrowed(read.label))
            }
            (Some(LabelColumns::Join), more) => {
                Ok(Cow::Owned([&[read.label], more].concat().join(&b' ')))
            }
            (None, more) => refuse(
                "fsm-label-columns",
                format!(
                    "a transition with {} labels: tell what to make of them with --label-columns{}",
                    more.len() + 1,
                    match more.len() {
                        1 => ", or --mealy if they are the input and the output of a machine",
                        _ => "",
                    }
                ),
            ),
            (Some(LabelColumns::Io), [output]) => {
                let joined = match &self.options.mealy {
                    // to be split by the same syntax
                    Some(mealy) if mealy.syntax.separator.is_some() => {
                        mealy.syntax.written(read.label, output)
                    }
                    Some(mealy) => mealy.syntax.join(read.label, output),
                    None => MealySyntax::default().join(read.label, output),
                };
                match joined {
                    Ok(joined) => Ok(Cow::Owned(joined)),
                    Err(error) => refuse("fsm-label", error.to_string()),
                }
            }
            (Some(LabelColumns::Io), more) => refuse(
                "fsm-label-columns",
                format!(
                    "a transition with {}, not an input and an output",
                    match more.len() {
                        0 => "1 label".into(),
                        n => format!("{} labels", n + 1),
                    }
                ),
            ),
        }
    }

    /// Reads a transition, given without blanks around it.
    fn transition<'l>(&self, text: &'l [u8]) -> Result<Transition<'l>, Fault> {
        let read = line::transition(text)?;
        Ok(Transition {
            source: line::state(read.source, 0)?,
            target: line::state(read.target, read.target_at)?,
            label: self.label(&read)?,
            label_at: read.label_at,
        })
    }
}

/// What a line says.
struct Transition<'a> {
    source: StateId,
    target: StateId,
    label: Cow<'a, [u8]>,
    /// Where its quote stands.
    label_at: usize,
}

impl Syntax for TransitionLines<'_> {
    // most of them are about headers, of which there are none
    const CODES: Codes = Codes {
        bom: "fsm-syntax",
        no_header: "fsm-syntax",
        blank_before_header: "fsm-syntax",
        no_states: "fsm-syntax",
        count: "fsm-syntax",
        state_range: "fsm-sparse",
        tau_hint: "fsm-i-hint",
    };

    const EMPTY: &'static str = "no transitions";

    const HINTS: &'static [&'static str] = &["i"];

    /// Two digits, two blanks, two quotes and LF.
    const SHORTEST_LINE: usize = 7;

    fn is_blank(line: &[u8], _: bool) -> bool {
        trim(line).1.is_empty()
    }

    fn header(&self, _: &Header<'_>, _: &mut Log) -> Result<Option<Announced>, Failure> {
        Ok(None)
    }

    #[inline(always)]
    fn scan(bytes: &[u8], start: usize) -> Option<Line> {
        let (source, at) = number(bytes, start)?;
        if bytes.get(at) != Some(&b' ') {
            return None;
        }
        let (target, at) = number(bytes, at + 1)?;
        if bytes.get(at..at + 2)? != b" \"" {
            return None;
        }
        let from = at + 2;
        let end = line_end(bytes, from)?;
        let close = end - usize::from(bytes[end - 1] == b'\r');
        let to = close.checked_sub(1)?;
        let in_order = from < to && bytes[to] == b'"';
        in_order.then_some(Line {
            source: source.checked_sub(1)?,
            label: (from, to),
            head: head(bytes, from)?,
            quoted: true,
            target: target.checked_sub(1)?,
            next: end + 1,
        })
    }

    #[inline]
    fn is_usual(&self, bytes: &[u8], label: (usize, usize), _: bool) -> bool {
        self.options.fsm.label_columns != Some(LabelColumns::Io)
            && memchr(b'"', &bytes[label.0..label.1]).is_none()
    }

    fn line(&self, line: &[u8], _: bool, part: &mut Part, table: &LabelTable, rules: &Rules<'_>) {
        let (start, text) = trim(line);
        if text.is_empty() {
            return;
        }
        if text == b"---" {
            part.ended = true;
            return;
        }
        part.transition_lines += 1;
        let read = match self.transition(text) {
            Ok(read) => read,
            Err(fault) => {
                let text = fault.text;
                return part.report(Severity::Error, fault.code, start + fault.at, || text);
            }
        };
        let at = start + read.label_at;
        if read.label.is_empty() {
            part.report(rules.tolerated(), "fsm-empty-label", at, || {
                "an empty label, which mCRL2 does not accept".into()
            });
        }
        let position = |part: &Part| Position::new(part.lines, at as u64 + 1);
        let key = table.key(&read.label);
        let label = part.label::<Self>(&read.label, &key, position, table, rules);
        part.push(read.source.get(), label, read.target.get());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::{Recents, parse, parse_slowly};
    use proptest::prelude::*;

    fn shown(part: Part) -> String {
        let new: Vec<_> = part.new.visible().map(|(_, text)| text.to_vec()).collect();
        format!(
            "{:?} {} {new:?} {:?} {} {} {} {} {:?} {:?} {}",
            part.rows.transitions,
            part.rows.descends,
            part.log,
            part.lines,
            part.transition_lines,
            part.ended,
            part.hidden,
            part.hint,
            part.too_large,
            part.states
        )
    }

    fn line() -> impl Strategy<Value = String> {
        let number = prop::sample::select(vec![
            "1",
            "2",
            "03",
            "0",
            "12345678",
            "123456789",
            "4294967294",
            "4294967295",
            "x",
            "[1 1/2]",
        ]);
        let blank = prop::sample::select(vec![" ", " ", " ", "  ", "\t", ""]);
        let label = prop::sample::select(vec![
            "\"a\"",
            "\"a b\"",
            "\"tau\"",
            "\"i\"",
            "\"\"",
            "a",
            "\"a\"b\"",
            "\"a\" \"b\"",
            "\"",
            "7",
            "\"a label of more than thirty-two bytes, (so, there)\"",
            "\"a\rb\"",
        ]);
        let end = prop::sample::select(vec!["", "", "", "", "\r", " ", "\n", "\n---", "\n ---\r"]);
        let parts = (number.clone(), blank.clone(), number, blank, label, end);
        let odd = parts.prop_map(|(s, a, t, b, l, end)| format!("{s}{a}{t}{b}{l}{end}"));
        let usual = (1..20u32, 1..20u32, 0..4u32).prop_map(|(s, t, l)| format!("{s} {t} \"l{l}\""));
        prop_oneof![odd, usual]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn scanner_and_grammar_agree(
            lines in prop::collection::vec(line(), 0..12),
            columns in prop::option::of(prop::sample::select(&LabelColumns::ALL[..])),
            last in any::<bool>(),
        ) {
            let mut text = lines.join("\n");
            if last {
                text.push('\n');
            }
            let mut options = ReadOptions::default();
            options.fsm.label_columns = columns;
            let hidden = options.hidden("tau");
            let rules = Rules {
                mode: options.mode,
                grow: false,
                max_line: options.max_line,
                hidden: &hidden,
                want_hint: true,
                states: None,
            };
            let mut table = LabelTable::new();
            table.intern(b"a").unwrap();
            let syntax = TransitionLines::new(&options);
            let fast = shown(parse(&syntax, text.as_bytes(), &table, &rules, &Recents::default()));
            let slow = shown(parse_slowly(&syntax, text.as_bytes(), &table, &rules));
            prop_assert_eq!(fast, slow);
        }
    }
}
