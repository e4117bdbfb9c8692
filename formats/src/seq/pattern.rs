//! Patterns: the full form of SEQ, which stands for many sequences.

use std::sync::Arc;

use super::cursor::Cursor;
use crate::diagnostic::{Log, Position, Severity, Sink, excerpt};
use crate::error::ReadError;
use crate::options::Mode;
use crate::source::Source;

/// What a path has to be like: groups one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pattern {
    /// The groups, each of which takes some transitions.
    pub groups: Vec<Group>,
    /// Whether the path has to end in a state without successors.
    pub deadlock: bool,
}

/// A part of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Group {
    /// One transition: `l`.
    One(LabelSet),
    /// Any number of transitions: `l *`, or `<while> l`.
    ZeroOrMore(LabelSet),
    /// At least one transition: `l +`.
    OneOrMore(LabelSet),
    /// Transitions that do not match, then one that does: `<until> l`.
    Until(LabelSet),
    /// Transitions that match the first and not the second, then one that matches the
    /// second: `<while> a <until> b`.
    WhileUntil(LabelSet, LabelSet),
}

/// A set of labels, as an expression in postfix form: operands before operators.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LabelSet {
    /// The operands and operators.
    pub terms: Vec<LabelTerm>,
}

/// An operand or operator of a [`LabelSet`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LabelTerm {
    /// Every label: `<any>`.
    Any,
    /// This label: `"…"`. The hidden action is `i`.
    Text(Vec<u8>),
    /// Labels that match this POSIX basic regular expression as a whole: `[…]`; and
    /// where it stands.
    Regex(Vec<u8>, Position),
    /// Those that the operand does not have: `~`.
    Not,
    /// Those that both operands have: `&`.
    And,
    /// Those that an operand has: `|`.
    Or,
    /// Those that one of the operands has and not the other: `^`.
    Xor,
}

impl LabelSet {
    /// Whether a label is in the set, of which `matches` tells that for operands.
    pub fn contains(&self, mut matches: impl FnMut(&LabelTerm) -> bool) -> bool {
        let mut stack: Vec<bool> = Vec::new();
        // What is missing is false: expressions that were read miss nothing.
        let joined = |stack: &mut Vec<bool>, join: fn(bool, bool) -> bool| {
            let right = stack.pop().unwrap_or_default();
            let left = stack.pop().unwrap_or_default();
            join(left, right)
        };
        for term in &self.terms {
            let value = match term {
                LabelTerm::Any => true,
                LabelTerm::Text(_) | LabelTerm::Regex(..) => matches(term),
                LabelTerm::Not => !stack.pop().unwrap_or_default(),
                LabelTerm::And => joined(&mut stack, |left, right| left & right),
                LabelTerm::Or => joined(&mut stack, |left, right| left | right),
                LabelTerm::Xor => joined(&mut stack, |left, right| left ^ right),
            };
            stack.push(value);
        }
        stack.pop().unwrap_or_default()
    }
}

impl Pattern {
    /// All sets of labels in it.
    pub fn sets_mut(&mut self) -> impl Iterator<Item = &mut LabelSet> {
        self.groups.iter_mut().flat_map(|group| match group {
            Group::One(set)
            | Group::ZeroOrMore(set)
            | Group::OneOrMore(set)
            | Group::Until(set) => vec![set],
            Group::WhileUntil(first, second) => vec![first, second],
        })
    }
}

/// Reads a pattern: the sequence with this number, from 1, of a file in the full form
/// of SEQ. All of the file has to be right.
///
/// O(bytes).
///
/// # Errors
/// If the source cannot be read or has errors, or if there is no sequence of this
/// number.
pub fn read_pattern(source: Source, seqno: u64, sink: &mut Sink<'_>) -> Result<Pattern, ReadError> {
    let file = Arc::clone(&source.name);
    let text = source.into_whole()?;
    let mut log = Log::new();
    let pattern = Reader {
        cursor: Cursor::new(&text, Mode::Default, &mut log),
        seqno,
        sequences: 0,
        progress: Progress::Empty,
        pattern: Pattern::default(),
    }
    .pattern();
    log.finish_reading(&file, Ok(pattern), sink)
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    seqno: u64,
    /// How many sequences have begun.
    sequences: u64,
    progress: Progress,
    pattern: Pattern,
}

/// How far a sequence has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Empty,
    Begun,
    /// With `<deadlock>`, after which nothing may come.
    Ended,
}

/// What waits for an operand.
enum Pending {
    Parenthesis(usize),
    Not,
    Binary(LabelTerm),
}

/// Something is wrong, and has been told.
struct Told;

type Parsed<T> = Result<T, Told>;

impl Reader<'_> {
    fn pattern(mut self) -> Pattern {
        while self.cursor.at < self.cursor.text.len() {
            // What is left of the line has no meaning after an error.
            let _ = self.line();
            self.cursor.skip_line();
        }
        let (found, seqno) = (self.sequences, self.seqno);
        let log = &mut self.cursor.log;
        if self.cursor.text.is_empty() && seqno <= 1 {
            // The empty sequence.
        } else if found == 0 && log.errors() == 0 {
            log.add(Severity::Error, "seq-nothing", None, || {
                "there is no sequence in it: expected a label between quotes, [REGEX], <any>, \
                 <while>, <until>, <deadlock>, ~ or ( at the beginning of a line; other lines \
                 are comments"
                    .into()
            });
        } else if (seqno == 0 || seqno > found) && log.errors() == 0 {
            log.add(Severity::Error, "seq-seqno", None, || {
                format!("there is no sequence {seqno}: the last one is {found}")
            });
        }
        self.pattern
    }

    /// Reads a line, which longer comments may make several.
    fn line(&mut self) -> Parsed<()> {
        let commented = self.cursor.skip_blanks();
        let start = self.cursor.at;
        if self.cursor.is_end() {
            return Ok(());
        }
        let rest = self.cursor.rest();
        match rest[0] {
            b'[' if rest.starts_with(b"[]") => {
                self.cursor.at += 2;
                if self.progress == Progress::Empty {
                    let text = "no sequence before []: leave [] out";
                    self.cursor.tolerate("seq-empty", start, text);
                }
                self.progress = Progress::Empty;
                self.end("seq-separator", "[] must stand alone on its line")
            }
            b'<' if rest.starts_with(b"<deadlock>") => {
                self.cursor.at += b"<deadlock>".len();
                let is_wanted = self.element(start);
                self.progress = Progress::Ended;
                self.pattern.deadlock |= is_wanted;
                self.end("seq-text", "<deadlock> must stand alone on its line")
            }
            b'"' | b'[' | b'(' | b'<' | b'~' => {
                let is_wanted = self.element(start);
                self.progress = Progress::Begun;
                let group = self.group()?;
                if is_wanted {
                    self.pattern.groups.push(group);
                }
                self.end(
                    "seq-text",
                    "expected the end of the line, or one of & | ^ * + <until>",
                )
            }
            byte if commented => {
                self.cursor.error("seq-syntax", start, || {
                    format!(
                        "expected an element after a comment, found {}",
                        excerpt(&[byte])
                    )
                });
                Err(Told)
            }
            // Any other line is a comment.
            _ => Ok(()),
        }
    }

    /// An element of a sequence begins at `start`; tells whether the sequence is wanted.
    fn element(&mut self, start: usize) -> bool {
        match self.progress {
            Progress::Empty => self.sequences += 1,
            Progress::Begun => {}
            Progress::Ended => self.cursor.error("seq-deadlock", start, || {
                "a sequence does not go on after <deadlock>; [] begins the next one".into()
            }),
        }
        self.seqno == self.sequences
    }

    fn end(&mut self, code: &'static str, text: &str) -> Parsed<()> {
        self.cursor.skip_blanks();
        match self.cursor.is_end() {
            true => Ok(()),
            false => {
                let found = excerpt(&self.cursor.rest()[..1]);
                let at = self.cursor.at;
                self.cursor
                    .error(code, at, || format!("{text}; found {found}"));
                Err(Told)
            }
        }
    }

    /// Takes a word if it comes next.
    fn take(&mut self, word: &[u8]) -> bool {
        self.cursor.skip_blanks();
        let found = self.cursor.rest().starts_with(word);
        if found {
            self.cursor.at += word.len();
        }
        found
    }

    fn group(&mut self) -> Parsed<Group> {
        if self.take(b"<while>") {
            let first = self.label()?;
            return Ok(match self.take(b"<until>") {
                true => Group::WhileUntil(first, self.label()?),
                false => Group::ZeroOrMore(first),
            });
        }
        if self.take(b"<until>") {
            return Ok(Group::Until(self.label()?));
        }
        let set = self.label()?;
        Ok(if self.take(b"*") {
            Group::ZeroOrMore(set)
        } else if self.take(b"+") {
            Group::OneOrMore(set)
        } else {
            Group::One(set)
        })
    }

    /// A set of labels. What waits for operands is on a stack of its own, so that
    /// parentheses may be as deep as they like.
    fn label(&mut self) -> Parsed<LabelSet> {
        let mut terms = Vec::new();
        let mut stack: Vec<Pending> = Vec::new();
        'operand: loop {
            self.cursor.skip_blanks();
            let at = self.cursor.at;
            let rest = self.cursor.rest();
            match rest.first() {
                Some(b'~') => {
                    self.cursor.at += 1;
                    stack.push(Pending::Not);
                    continue 'operand;
                }
                Some(b'(') => {
                    self.cursor.at += 1;
                    stack.push(Pending::Parenthesis(at));
                    continue 'operand;
                }
                Some(b'<') if rest.starts_with(b"<any>") => {
                    self.cursor.at += b"<any>".len();
                    terms.push(LabelTerm::Any);
                }
                Some(b'"') => {
                    let text = self.cursor.quoted().ok_or(Told)?;
                    terms.push(LabelTerm::Text(text.to_vec()));
                }
                Some(b'[') => terms.push(self.regex()?),
                _ => return Err(self.no_operand()),
            }
            loop {
                // It belongs to what stands behind it alone.
                while let Some(Pending::Not) = stack.last() {
                    stack.pop();
                    terms.push(LabelTerm::Not);
                }
                self.cursor.skip_blanks();
                let operator = match self.cursor.byte() {
                    Some(b'&') => LabelTerm::And,
                    Some(b'|') => LabelTerm::Or,
                    Some(b'^') => LabelTerm::Xor,
                    Some(b')') if stack.iter().any(|p| matches!(p, Pending::Parenthesis(_))) => {
                        self.cursor.at += 1;
                        while let Some(Pending::Binary(operator)) = stack.pop() {
                            terms.push(operator);
                        }
                        continue;
                    }
                    _ => break 'operand,
                };
                self.cursor.at += 1;
                // All bind alike, from left to right.
                if let Some(Pending::Binary(_)) = stack.last()
                    && let Some(Pending::Binary(before)) = stack.pop()
                {
                    terms.push(before);
                }
                stack.push(Pending::Binary(operator));
                continue 'operand;
            }
        }
        while let Some(pending) = stack.pop() {
            match pending {
                Pending::Binary(operator) => terms.push(operator),
                Pending::Not => terms.push(LabelTerm::Not),
                Pending::Parenthesis(at) => {
                    self.cursor
                        .error("seq-syntax", at, || "( is not closed by )".into());
                    return Err(Told);
                }
            }
        }
        Ok(LabelSet { terms })
    }

    /// A regular expression, which may have brackets in it, as many of one kind as of
    /// the other.
    fn regex(&mut self) -> Parsed<LabelTerm> {
        let at = self.cursor.at;
        let position = self.cursor.position(at);
        let rest = self.cursor.rest();
        let mut depth = 0;
        for (k, byte) in rest.iter().enumerate() {
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                b'\n' => break,
                b'|' => {
                    self.cursor.error("seq-regex", at + k, || {
                        "| within a regular expression: write two of them, as [A] | [B]".into()
                    });
                    return Err(Told);
                }
                _ => {}
            }
            if depth == 0 {
                if k == 1 {
                    self.cursor
                        .error("seq-regex", at, || "an empty regular expression".into());
                    return Err(Told);
                }
                self.cursor.at += k + 1;
                let position = position.unwrap_or(Position::new(1, 1));
                return Ok(LabelTerm::Regex(rest[1..k].to_vec(), position));
            }
        }
        self.cursor.error("seq-regex", at, || {
            "a regular expression without a closing ]: brackets in it have to be in pairs".into()
        });
        Err(Told)
    }

    fn no_operand(&mut self) -> Told {
        let at = self.cursor.at;
        let found = match self.cursor.is_end() {
            true => "the end of the line".to_owned(),
            false => excerpt(&self.cursor.rest()[..1]),
        };
        self.cursor.error("seq-syntax", at, || {
            format!("expected \"LABEL\", [REGEX], <any>, ~ or (, found {found}")
        });
        Told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    fn read(text: &str, seqno: u64) -> Result<Pattern, String> {
        let source = Source::from_bytes("p", text.into(), Some(Format::Seq)).unwrap();
        let mut said = Vec::new();
        read_pattern(source, seqno, &mut |d| said.push(d.to_string())).map_err(|_| said.join("\n"))
    }

    /// A pattern, with sets of labels in prefix form.
    fn shown(text: &str) -> String {
        let set = |set: &LabelSet| {
            let mut stack: Vec<String> = Vec::new();
            for term in &set.terms {
                let mut pop = || stack.pop().unwrap();
                let text = match term {
                    LabelTerm::Any => "_".into(),
                    LabelTerm::Text(text) => String::from_utf8(text.clone()).unwrap(),
                    LabelTerm::Regex(text, at) => {
                        format!("/{}/{}:{}", text.escape_ascii(), at.line, at.column)
                    }
                    LabelTerm::Not => format!("~{}", pop()),
                    LabelTerm::And | LabelTerm::Or | LabelTerm::Xor => {
                        let (right, left) = (pop(), pop());
                        format!("({left} {term:?} {right})")
                    }
                };
                stack.push(text);
            }
            assert_eq!(stack.len(), 1, "{set:?}");
            stack.remove(0)
        };
        let pattern = read(text, 1).unwrap_or_else(|e| panic!("{text}: {e}"));
        let groups = pattern.groups.iter().map(|group| match group {
            Group::One(l) => set(l),
            Group::ZeroOrMore(l) => format!("{}*", set(l)),
            Group::OneOrMore(l) => format!("{}+", set(l)),
            Group::Until(l) => format!("until {}", set(l)),
            Group::WhileUntil(a, b) => format!("while {} until {}", set(a), set(b)),
        });
        let end = pattern.deadlock.then(|| "deadlock".to_owned());
        groups.chain(end).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn the_grammar() {
        for (text, expected) in [
            ("\"A\"\n\"i\"\n", "A; i"),
            ("<any>*\n\"A\"\n<deadlock>\n", "_*; A; deadlock"),
            ("[REQ !TRUE.*] +", "/REQ !TRUE.*/1:1+"),
            ("  [a[bc]d]\t*\r\n", "/a[bc]d/1:3*"),
            ("~\"A\" & \"B\"", "(~A And B)"),
            ("~(\"A\" & \"B\")", "~(A And B)"),
            (
                "~~\"A\" | \"B\" & \"C\" ^ \"D\"",
                "(((~~A Or B) And C) Xor D)",
            ),
            (
                "\"A\" | (\"B\" & ~(\"C\"|\"D\"))*",
                "(A Or (B And ~(C Or D)))*",
            ),
            ("<until> \"ERROR\"", "until ERROR"),
            ("<while> <any> <until> [x]", "while _ until /x/1:23"),
            ("<while> ~\"A\"", "~A*"),
            ("*** a comment\n\n--\n<deadlock>", "deadlock"),
            ("\u{1}x\ny\u{2} \"A\" \u{1}z\u{2} +", "A+"),
            ("\"A\"\n[]\n\"B\"", "A"),
            // An empty file is the empty sequence.
            ("", ""),
            (
                &format!("{}\"A\"{}", "(".repeat(100_000), ")".repeat(100_000)),
                "A",
            ),
        ] {
            assert_eq!(shown(text), expected, "{text:.60}");
        }
        assert_eq!(read("\"A\"\n[]\n\"B\"", 2), read("\"B\"\n", 1));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, seqno, expected) in [
            ("", 2, "p: error: there is no sequence in it"),
            ("\n", 1, "p: error: there is no sequence in it"),
            ("junk\nmore", 1, "p: error: there is no sequence in it"),
            (
                "\"A\"",
                2,
                "p: error: there is no sequence 2: the last one is 1",
            ),
            ("\"A", 1, "p:1:1: error: a label without a closing quote"),
            (
                "\"A\" \"B\"",
                1,
                "p:1:5: error: expected the end of the line, or one of",
            ),
            ("\"A\" |", 1, "p:1:6: error: expected \"LABEL\""),
            ("\n(\"A\"", 1, "p:2:1: error: ( is not closed by )"),
            ("\"A\")", 1, "p:1:4: error: expected the end of the line"),
            (
                "[a",
                1,
                "p:1:1: error: a regular expression without a closing ]",
            ),
            ("[a|b]", 1, "p:1:3: error: | within a regular expression"),
            ("\"A\" & []", 1, "p:1:7: error: an empty regular expression"),
            ("<all>", 1, "p:1:1: error: expected \"LABEL\""),
            (
                "<deadlock> x",
                1,
                "p:1:12: error: <deadlock> must stand alone",
            ),
            (
                "<deadlock>\n\"A\"",
                1,
                "p:2:1: error: a sequence does not go on",
            ),
            ("[] x", 1, "p:1:1: warning: no sequence before []"),
            ("\u{1}x", 1, "p:1:1: error: a comment without an end"),
            (
                "\u{1}\u{2}x",
                1,
                "p:1:3: error: expected an element after a comment",
            ),
        ] {
            let told = read(text, seqno).expect_err(text);
            assert!(told.starts_with(expected), "{text}: {told}");
        }
    }
}
