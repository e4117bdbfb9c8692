//! From the text of an expression to its tree.

use super::PatternError;
use super::tree::{ByteSet, Node, Place};

/// How deep groups and repetitions may be nested.
pub(super) const DEPTH: usize = 100;

/// A POSIX character class: its name and its bytes.
type Class = (&'static str, fn(&u8) -> bool);

const CLASSES: [Class; 12] = [
    ("alnum", u8::is_ascii_alphanumeric),
    ("alpha", u8::is_ascii_alphabetic),
    ("blank", |b| matches!(b, b' ' | b'\t')),
    ("cntrl", u8::is_ascii_control),
    ("digit", u8::is_ascii_digit),
    ("graph", u8::is_ascii_graphic),
    ("lower", u8::is_ascii_lowercase),
    ("print", |b| b.is_ascii_graphic() || *b == b' '),
    ("punct", u8::is_ascii_punctuation),
    ("space", |b| b.is_ascii_whitespace() || *b == b'\x0b'),
    ("upper", u8::is_ascii_uppercase),
    ("xdigit", u8::is_ascii_hexdigit),
];

/// What is being read: the whole expression, or a group in it.
#[derive(Default)]
struct Open {
    nodes: Vec<Node>,
    /// Where the group starts, from 1.
    column: usize,
    number: usize,
    /// How deep the deepest node is, and the last one.
    depth: usize,
    last_depth: usize,
    /// Whether a repetition may follow.
    repeatable: bool,
}

impl Open {
    fn push(&mut self, node: Node, depth: usize, repeatable: bool) {
        self.nodes.push(node);
        self.depth = self.depth.max(depth);
        self.last_depth = depth;
        self.repeatable = repeatable;
    }

    fn byte(&mut self, byte: u8) {
        let mut set = ByteSet::default();
        set.insert(byte);
        self.push(Node::Byte(set), 1, true);
    }

    fn place(&mut self, place: Place) {
        self.push(Node::At(place), 1, false);
    }

    /// Repeats the last node.
    fn repeat(&mut self, least: u8, most: Option<u8>) {
        if let Some(last) = self.nodes.pop() {
            let inner = Box::new(last);
            let repeat = Node::Repeat { inner, least, most };
            self.push(repeat, self.last_depth + 1, true);
        }
    }
}

fn error<T>(column: usize, message: impl Into<String>) -> Result<T, PatternError> {
    Err(PatternError {
        column,
        message: message.into(),
    })
}

/// The tree of an expression, and how many groups it has. O(length).
pub(super) fn parse(expression: &[u8]) -> Result<(Node, usize), PatternError> {
    let mut reader = Reader { expression, at: 0 };
    // What is open around the innermost, `open`.
    let mut outer: Vec<Open> = Vec::new();
    let mut open = Open::default();
    let mut groups = 0;
    // At the start of the expression or of a group, where `*` is ordinary.
    let mut start = true;
    if reader.accept(b"^") {
        open.place(Place::Start);
    }
    while let Some(byte) = reader.next() {
        let column = reader.at;
        if open.depth.max(outer.len()) >= DEPTH {
            return error(column, "groups and repetitions are nested too deeply");
        }
        let was_start = std::mem::replace(&mut start, false);
        match byte {
            b'*' if !was_start => {
                if !open.repeatable {
                    return error(column, "nothing to repeat before '*'");
                }
                open.repeat(0, None);
            }
            b'.' => open.push(Node::Byte(ByteSet::ALL), 1, true),
            b'[' => {
                let set = reader.set()?;
                open.push(Node::Byte(set), 1, true);
            }
            b'$' if reader.rest().is_empty() => open.place(Place::End),
            b'\\' => match reader.next() {
                None => return error(column, "'\\' at the end"),
                Some(b'(') => {
                    groups += 1;
                    let inner = Open {
                        column,
                        number: groups,
                        ..Open::default()
                    };
                    outer.push(std::mem::replace(&mut open, inner));
                    start = true;
                }
                Some(b')') => {
                    let Some(around) = outer.pop() else {
                        return error(column, "'\\)' without '\\('");
                    };
                    let group = std::mem::replace(&mut open, around);
                    let inner = Box::new(Node::Sequence(group.nodes));
                    open.push(Node::Group(group.number, inner), group.depth + 1, true);
                }
                Some(b'{') => {
                    if !open.repeatable {
                        return error(column, "nothing to repeat before '\\{'");
                    }
                    let (least, most) = reader.bounds(column)?;
                    open.repeat(least, most);
                }
                Some(b'}') => return error(column, "'\\}' without '\\{'"),
                Some(b'<') => open.place(Place::WordStart),
                Some(b'>') => open.place(Place::WordEnd),
                Some(b'1'..=b'9') => {
                    return error(column, "back-references in a pattern are not supported");
                }
                Some(byte @ (b'+' | b'?' | b'|')) => {
                    let byte = char::from(byte);
                    return error(
                        column,
                        format!(
                            "'\\{byte}' has no meaning in a basic regular expression; \
                             '{byte}' stands for itself"
                        ),
                    );
                }
                Some(byte) if byte.is_ascii_punctuation() => open.byte(byte),
                Some(_) => return error(column, "only punctuation may follow '\\'"),
            },
            byte => open.byte(byte),
        }
    }
    if !outer.is_empty() {
        return error(open.column, "'\\(' without '\\)'");
    }
    Ok((Node::Sequence(open.nodes), groups))
}

struct Reader<'a> {
    expression: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.expression[self.at..]
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.rest().first().copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn accept(&mut self, text: &[u8]) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// The rest of a set, after its `[`.
    fn set(&mut self) -> Result<ByteSet, PatternError> {
        let opening = self.at;
        let negated = self.accept(b"^");
        let mut set = ByteSet::default();
        let mut first = true;
        loop {
            let column = self.at + 1;
            let Some(byte) = self.next() else {
                return error(opening, "'[' without ']'");
            };
            if byte == b']' && !first {
                break;
            }
            first = false;
            if byte == b'[' && self.accept(b":") {
                let end = self.rest().windows(2).position(|pair| pair == b":]");
                let name = end.map(|end| &self.rest()[..end]);
                let known = |class: &&Class| Some(class.0.as_bytes()) == name;
                let Some((class, contains)) = CLASSES.iter().find(known) else {
                    return error(column, "unknown character class");
                };
                self.at += class.len() + 2;
                (0..=u8::MAX).filter(contains).for_each(|b| set.insert(b));
                continue;
            }
            if byte == b'[' && matches!(self.rest().first(), Some(b'.' | b'=')) {
                return error(column, "collating elements are not supported");
            }
            let mut last = byte;
            if let [b'-', end, ..] = *self.rest()
                && end != b']'
            {
                if end == b'[' && matches!(self.rest().get(2), Some(b'.' | b'=' | b':')) {
                    return error(self.at + 2, "a class cannot end a range");
                }
                if end < byte {
                    let message = "the range is empty: its end comes before its start";
                    return error(column, message);
                }
                self.at += 2;
                last = end;
            }
            (byte..=last).for_each(|b| set.insert(b));
        }
        Ok(if negated { set.complement() } else { set })
    }

    /// The bounds of a repetition and the closing `\}`. `column` is where the
    /// repetition starts.
    fn bounds(&mut self, column: usize) -> Result<(u8, Option<u8>), PatternError> {
        let Some(least) = self.count() else {
            let message = "'\\{' must be followed by a number of at most 255";
            return error(column, message);
        };
        if self.accept(br"\}") {
            return Ok((least, Some(least)));
        }
        if !self.accept(b",") {
            let message = "'\\{' must be followed by 'm\\}', 'm,\\}' or 'm,n\\}'";
            return error(column, message);
        }
        if self.accept(br"\}") {
            return Ok((least, None));
        }
        let Some(most) = self.count() else {
            let message = "a repetition's second number must be at most 255";
            return error(column, message);
        };
        if !self.accept(br"\}") {
            return error(column, "'\\{' without '\\}'");
        }
        if most < least {
            let message = "a repetition's second number is smaller than its first";
            return error(column, message);
        }
        Ok((least, Some(most)))
    }

    fn count(&mut self) -> Option<u8> {
        let digits = self
            .rest()
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        let number = std::str::from_utf8(&self.rest()[..digits]).ok()?;
        let number = number.parse().ok()?;
        self.at += digits;
        Some(number)
    }
}
