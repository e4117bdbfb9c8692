//! Labels described by POSIX basic regular expressions.

use std::fmt;
use std::fmt::Write as _;

use hyades_formats::LabelTable;
use regex::bytes::{Regex, RegexBuilder};

/// A POSIX basic regular expression that has to match a whole label.
///
/// - `.` is any byte; `[abc]`, `[a-z]`, `[^…]` are sets (`]` first and `-` first
///   or last stand for themselves, a backslash too; `[:alpha:]` and the other
///   POSIX classes are known).
/// - `*` repeats the element before it, `\{m\}`, `\{m,\}`, `\{m,n\}` repeat it
///   as often (at most 255 times). At the start of the expression or of a group,
///   `*` stands for itself.
/// - `\(` and `\)` group. `\<` and `\>` are the start and the end of a word (of
///   ASCII letters, digits and `_`).
/// - `^` first and `$` last are allowed and say nothing new; elsewhere they stand
///   for themselves, as `+ ? | ( ) { }` do everywhere.
/// - A backslash takes the meaning from any other punctuation character. Not
///   supported, and refused: back-references (`\1`), and what only some
///   implementations give a meaning (`\+`, `\?`, `\|`, backslash and letter).
///
/// Text is bytes: a character outside ASCII counts as the several bytes it is
/// written with, so a set should not contain it.
///
/// Matching takes time linear in the label, whatever the expression is: it is
/// translated for the `regex` crate, which does not backtrack.
///
/// ```
/// use hyades::explore::LabelPattern;
/// let pattern = LabelPattern::new(br"PUSH !\([0-9]\{1,3\}\|x\)".as_slice());
/// assert_eq!(pattern.unwrap_err().column, 21);
/// let pattern = LabelPattern::new(br"PUSH !\([0-9]\{1,3\}\)".as_slice()).unwrap();
/// assert!(pattern.matches(b"PUSH !12"));
/// assert!(!pattern.matches(b"PUSH !12 !3"));
/// ```
#[derive(Clone, Debug)]
pub struct LabelPattern {
    regex: Regex,
}

/// Why an expression is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Where, in bytes from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "regular expression, column {}: {}",
            self.column, self.message
        )
    }
}

impl std::error::Error for PatternError {}

impl LabelPattern {
    /// Most bytes that a compiled expression may take.
    const SIZE_LIMIT: usize = 16 << 20;

    /// Reads an expression.
    ///
    /// # Errors
    /// If it is malformed, uses something unsupported, or is too large.
    pub fn new(expression: &[u8]) -> Result<Self, PatternError> {
        let translated = translate(expression)?;
        // What `translate` writes is well-formed, so only its size may be refused.
        let regex = RegexBuilder::new(&format!(r"(?s-u)\A(?:{translated})\z"))
            .size_limit(Self::SIZE_LIMIT)
            .build()
            .map_err(|_| PatternError {
                column: 1,
                message: "the expression is too large or too deeply nested".to_string(),
            })?;
        Ok(Self { regex })
    }

    /// Whether the expression matches all of `text`.
    pub fn matches(&self, text: &[u8]) -> bool {
        self.regex.is_match(text)
    }

    /// For each label, whether the expression matches it, where the hidden
    /// action stands as `hidden` (usually `i`).
    pub fn matching(&self, table: &LabelTable, hidden: &[u8]) -> Vec<bool> {
        std::iter::once(hidden)
            .chain(table.visible().map(|(_, text)| text))
            .map(|text| self.matches(text))
            .collect()
    }
}

/// The names of POSIX character classes, which the `regex` crate spells alike.
const CLASSES: [&str; 12] = [
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "xdigit",
];

/// The expression in the syntax of the `regex` crate, to be read with flags
/// `s-u`. Groups keep their numbers.
fn translate(expression: &[u8]) -> Result<String, PatternError> {
    let mut reader = Reader { expression, at: 0 };
    let mut out = String::new();
    // Where the groups that are open start, in the expression.
    let mut open: Vec<usize> = Vec::new();
    // Where the last element starts in `out`, if a repetition may follow it.
    let mut element: Option<usize> = None;
    // Where the elements of open groups start in `out`.
    let mut group_starts: Vec<usize> = Vec::new();
    // At the start of the expression or of a group, where `*` is ordinary.
    let mut start = true;
    if reader.accept(b"^") {
        out.push_str(r"\A");
    }
    while let Some(byte) = reader.next() {
        let column = reader.at;
        let error = |message: &str| {
            Err(PatternError {
                column,
                message: message.to_string(),
            })
        };
        let here = out.len();
        let was_start = std::mem::replace(&mut start, false);
        match byte {
            b'*' if !was_start => {
                let Some(from) = element else {
                    return error("nothing to repeat before '*'");
                };
                repeat(&mut out, from, "*");
            }
            b'.' => {
                out.push('.');
                element = Some(here);
            }
            b'[' => {
                reader.set(&mut out)?;
                element = Some(here);
            }
            b'$' if reader.rest().is_empty() => {
                out.push_str(r"\z");
                element = None;
            }
            b'\\' => match reader.next() {
                None => return error("'\\' at the end"),
                Some(b'(') => {
                    open.push(column);
                    group_starts.push(here);
                    out.push('(');
                    element = None;
                    start = true;
                }
                Some(b')') => {
                    let (Some(_), Some(from)) = (open.pop(), group_starts.pop()) else {
                        return error("'\\)' without '\\('");
                    };
                    out.push(')');
                    element = Some(from);
                }
                Some(b'{') => {
                    let Some(from) = element else {
                        return error("nothing to repeat before '\\{'");
                    };
                    let bounds = reader.bounds(column)?;
                    repeat(&mut out, from, &bounds);
                }
                Some(b'}') => return error("'\\}' without '\\{'"),
                Some(b'<') => {
                    out.push_str(r"\b{start}");
                    element = None;
                }
                Some(b'>') => {
                    out.push_str(r"\b{end}");
                    element = None;
                }
                Some(b'1'..=b'9') => return error("back-references are not supported"),
                Some(byte @ (b'+' | b'?' | b'|')) => {
                    let byte = char::from(byte);
                    return error(&format!(
                        "'\\{byte}' has no meaning in a basic regular expression; \
                         '{byte}' stands for itself"
                    ));
                }
                Some(byte) if byte.is_ascii_punctuation() => {
                    literal(&mut out, byte);
                    element = Some(here);
                }
                Some(_) => return error("only punctuation may follow '\\'"),
            },
            byte => {
                literal(&mut out, byte);
                element = Some(here);
            }
        }
    }
    if let Some(&column) = open.last() {
        return Err(PatternError {
            column,
            message: "'\\(' without '\\)'".to_string(),
        });
    }
    Ok(out)
}

/// Repeats the element that starts at `from`. It gets a group of its own, since
/// it may end in a repetition already.
fn repeat(out: &mut String, from: usize, operator: &str) {
    out.insert_str(from, "(?:");
    out.push(')');
    out.push_str(operator);
}

/// A byte that stands for itself, inside and outside sets.
fn literal(out: &mut String, byte: u8) {
    // Hexadecimal escapes need no thought about what is special where.
    if byte.is_ascii_alphanumeric() {
        out.push(char::from(byte));
    } else {
        write!(out, r"\x{byte:02x}").expect("writing to a string does not fail");
    }
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
    fn set(&mut self, out: &mut String) -> Result<(), PatternError> {
        let opening = self.at;
        let error = |column: usize, message: &str| {
            Err(PatternError {
                column,
                message: message.to_string(),
            })
        };
        out.push('[');
        if self.accept(b"^") {
            out.push('^');
        }
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
                let Some(class) = CLASSES.iter().find(|c| Some(c.as_bytes()) == name) else {
                    return error(column, "unknown character class");
                };
                self.at += class.len() + 2;
                write!(out, "[:{class}:]").expect("writing to a string does not fail");
                continue;
            }
            if byte == b'[' && matches!(self.rest().first(), Some(b'.' | b'=')) {
                return error(column, "collating elements are not supported");
            }
            literal(out, byte);
            if let [b'-', last, ..] = self.rest()
                && *last != b']'
            {
                if *last == b'[' && matches!(self.rest().get(2), Some(b'.' | b'=' | b':')) {
                    return error(self.at + 2, "a class cannot end a range");
                }
                if *last < byte {
                    return error(column, "the range is empty: its end comes before its start");
                }
                self.at += 2;
                out.push('-');
                literal(out, *last);
            }
        }
        out.push(']');
        Ok(())
    }

    /// The bounds of a repetition and the closing `\}`, in the syntax of the
    /// `regex` crate. `column` is where the repetition starts.
    fn bounds(&mut self, column: usize) -> Result<String, PatternError> {
        let error = |message: &str| {
            Err(PatternError {
                column,
                message: message.to_string(),
            })
        };
        let Some(least) = self.count() else {
            return error("'\\{' must be followed by a number of at most 255");
        };
        if self.accept(br"\}") {
            return Ok(format!("{{{least}}}"));
        }
        if !self.accept(b",") {
            return error("'\\{' must be followed by 'm\\}', 'm,\\}' or 'm,n\\}'");
        }
        if self.accept(br"\}") {
            return Ok(format!("{{{least},}}"));
        }
        let Some(most) = self.count() else {
            return error("a repetition's second number must be at most 255");
        };
        if !self.accept(br"\}") {
            return error("'\\{' without '\\}'");
        }
        if most < least {
            return error("a repetition's second number is smaller than its first");
        }
        Ok(format!("{{{least},{most}}}"))
    }

    fn count(&mut self) -> Option<u8> {
        let digits = self
            .rest()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let number = std::str::from_utf8(&self.rest()[..digits])
            .ok()?
            .parse()
            .ok()?;
        self.at += digits;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(expression: &str, text: &str) -> bool {
        LabelPattern::new(expression.as_bytes())
            .unwrap()
            .matches(text.as_bytes())
    }

    #[test]
    fn matches_whole_labels() {
        assert!(matches("PUSH", "PUSH"));
        assert!(!matches("PUS", "PUSH"));
        assert!(!matches("USH", "PUSH"));
        assert!(matches("^PUSH$", "PUSH"));
        assert!(matches("", ""));
        assert!(!matches("", "a"));
        assert!(matches(".*", "any !thing\n at all"));
    }

    #[test]
    fn ordinary_characters() {
        for text in ["a+", "a?b", "a|b", "(a)", "a{2}", "a^b", "a$b", "*a", "é"] {
            assert!(matches(text, text), "{text}");
        }
        assert!(!matches("a|b", "a"));
        assert!(matches(r"\(*a\)", "*a"));
        assert!(matches("^*a", "*a"));
        assert!(matches(r"\.\*\[\]\\\^\$\!", r".*[]\^$!"));
        assert!(!matches(r"\.", "x"));
    }

    #[test]
    fn sets() {
        assert!(matches("[]a]*", "]a]"));
        assert!(matches("[^]a]", "b"));
        assert!(!matches("[^]a]", "]"));
        assert!(matches("[a-c-]*", "a-b-c"));
        assert!(matches("[-a]*", "-a"));
        assert!(matches(r"[\n]*", r"\n"));
        assert!(matches("[a&&b~~c]*", "a&b~c"));
        assert!(matches("[[:digit:]x]*", "12x"));
        assert!(matches("[a[]*", "a["));
        assert!(matches("[^a]", "\n"));
        assert!(matches("[.]", "."));
        assert!(!matches("[.]", "a"));
        assert!(LabelPattern::new(b"[\x80-\xff]").unwrap().matches(b"\x90"));
    }

    #[test]
    fn repetitions_groups_and_words() {
        assert!(matches(r"a\{2,3\}", "aaa"));
        assert!(!matches(r"a\{2,3\}", "aaaa"));
        assert!(matches(r"a\{2\}\{2\}", "aaaa"));
        assert!(!matches(r"a\{2\}\{2\}", "aaa"));
        assert!(matches(r"a**", "aaa"));
        assert!(matches(r"\(ab\)*", "abab"));
        assert!(!matches(r"\(ab\)*", "aba"));
        assert!(matches(r"\(a\(b\)*\)\{2,\}", "abbab"));
        assert!(matches(r".*\<no\>.*", "yes, no!"));
        assert!(!matches(r".*\<no\>.*", "know"));
        assert!(matches(r".*\<a_1\>.*", "-a_1-"));
    }

    #[test]
    fn errors_name_the_column() {
        for (expression, column) in [
            (r"ab\(c", 3),
            (r"ab\)", 3),
            (r"ab[c", 3),
            (r"a[]", 2),
            (r"a\", 2),
            (r"\(a\)\1", 6),
            (r"a\|b", 2),
            (r"a\+", 2),
            (r"a\w", 2),
            (r"a\{", 2),
            (r"a\{256\}", 2),
            (r"a\{3,2\}", 2),
            (r"a\{1,2", 2),
            (r"a\{1x\}", 2),
            (r"a\}", 2),
            (r"\{2\}", 1),
            (r"ab[z-a]", 4),
            (r"ab[[:nope:]]", 4),
            (r"ab[[.a.]]", 4),
            (r"ab[a-[:digit:]]", 6),
            (r"a\<*", 4),
        ] {
            let error = LabelPattern::new(expression.as_bytes()).unwrap_err();
            assert_eq!(error.column, column, "{expression}: {error}");
        }
        let large = format!("{}a{}", r"\(".repeat(5), r"\)\{255\}".repeat(5));
        assert!(LabelPattern::new(large.as_bytes()).is_err());
        let deep = format!("{}a{}", r"\(".repeat(100_000), r"\)".repeat(100_000));
        assert!(LabelPattern::new(deep.as_bytes()).is_err());
    }

    /// Expressions as trees, for the naive matcher.
    #[derive(Clone, Debug)]
    enum Node {
        Byte(u8),
        Any,
        Set(bool, Vec<u8>),
        Sequence(Vec<Node>),
        Repeat(Box<Node>, usize, Option<usize>),
    }

    impl Node {
        fn print(&self, out: &mut Vec<u8>) {
            match self {
                Node::Byte(byte) if b"*.[]\\^$".contains(byte) => out.extend([b'\\', *byte]),
                Node::Byte(byte) => out.push(*byte),
                Node::Any => out.push(b'.'),
                Node::Set(negated, bytes) => {
                    out.push(b'[');
                    if *negated {
                        out.push(b'^');
                    }
                    // Where they stand for themselves: `]` first, `-` last.
                    let rank = |b: &u8| match b {
                        b']' => 0,
                        b'-' => u8::MAX,
                        b => *b,
                    };
                    let mut bytes = bytes.clone();
                    bytes.sort_by_key(rank);
                    bytes.dedup();
                    out.extend(&bytes);
                    out.push(b']');
                }
                Node::Sequence(nodes) => {
                    out.extend(br"\(");
                    nodes.iter().for_each(|node| node.print(out));
                    out.extend(br"\)");
                }
                Node::Repeat(node, least, most) => {
                    node.print(out);
                    let bounds = match (least, most) {
                        (0, None) => "*".to_string(),
                        (m, None) => format!(r"\{{{m},\}}"),
                        (m, Some(n)) if m == n => format!(r"\{{{m}\}}"),
                        (m, Some(n)) => format!(r"\{{{m},{n}\}}"),
                    };
                    out.extend(bounds.bytes());
                }
            }
        }

        /// All positions where a match that starts at `from` can end.
        fn ends(&self, text: &[u8], from: usize) -> Vec<usize> {
            let one = |holds: bool| if holds { vec![from + 1] } else { vec![] };
            match self {
                Node::Byte(byte) => one(text.get(from) == Some(byte)),
                Node::Any => one(from < text.len()),
                Node::Set(negated, bytes) => one(text
                    .get(from)
                    .is_some_and(|b| bytes.contains(b) != *negated)),
                Node::Sequence(nodes) => nodes.iter().fold(vec![from], |froms, node| {
                    let mut all: Vec<_> = froms
                        .iter()
                        .flat_map(|&from| node.ends(text, from))
                        .collect();
                    all.sort();
                    all.dedup();
                    all
                }),
                Node::Repeat(node, least, most) => {
                    let mut found = Vec::new();
                    let mut froms = vec![from];
                    // More rounds than there are bytes reach nothing new.
                    for round in 0..=most.unwrap_or(least + text.len()) {
                        if round >= *least {
                            found.extend(&froms);
                        }
                        froms = froms
                            .iter()
                            .flat_map(|&from| node.ends(text, from))
                            .collect();
                        froms.sort();
                        froms.dedup();
                    }
                    found.sort();
                    found.dedup();
                    found
                }
            }
        }
    }

    fn nodes() -> impl Strategy<Value = Node> {
        let byte = prop::sample::select(b"aab]-^$*.\\+!\xe9".as_slice());
        let leaf = prop_oneof![
            4 => byte.clone().prop_map(Node::Byte),
            1 => Just(Node::Any),
            1 => (any::<bool>(), prop::collection::vec(prop::sample::select(b"ab]-+\\[".as_slice()), 1..4))
                .prop_map(|(negated, bytes)| Node::Set(negated, bytes)),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Node::Sequence),
                (inner, 0usize..3, prop::option::of(0usize..3)).prop_map(|(node, least, more)| {
                    Node::Repeat(Box::new(node), least, more.map(|more| least + more))
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn agrees_with_a_naive_matcher(
            node in nodes(),
            texts in prop::collection::vec(
                prop::collection::vec(prop::sample::select(b"aaab]-^*\\+\xe9".as_slice()), 0..6), 8),
        ) {
            let mut expression = Vec::new();
            node.print(&mut expression);
            let pattern = LabelPattern::new(&expression).unwrap();
            for text in texts {
                let expected = node.ends(&text, 0).contains(&text.len());
                prop_assert_eq!(
                    pattern.matches(&text), expected,
                    "{} on {}", expression.escape_ascii(), text.escape_ascii()
                );
            }
        }

        #[test]
        fn any_bytes_are_accepted_or_refused(
            expression in prop::collection::vec(
                prop_oneof![prop::sample::select(br"\\\{}[](),*.^$a19:-<>".as_slice()), any::<u8>()], 0..20),
        ) {
            if let Err(error) = LabelPattern::new(&expression) {
                prop_assert!((1..=expression.len()).contains(&error.column));
            }
        }
    }
}
