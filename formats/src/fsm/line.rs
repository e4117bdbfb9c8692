//! The lines of FSM.

use nom::bytes::complete::{tag, take_till, take_while, take_while1};
use nom::character::complete::digit1;
use nom::combinator::opt;
use nom::error::{Error, ErrorKind};
use nom::multi::many0;
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use crate::diagnostic::excerpt;
use crate::fault::Fault;
use crate::lts::StateId;

/// Something else was expected than what a line has at a place: a word, or
/// nothing more.
pub(super) fn expected(line: &[u8], at: usize, code: &'static str, what: &str) -> Fault {
    let rest = &line[at..];
    let len = rest.iter().take_while(|&&b| !is_blank(b)).count();
    let found = match rest {
        [] => "the end of the line".into(),
        [b, ..] if is_blank(*b) => "a blank".into(),
        _ => excerpt(&rest[..len]),
    };
    Fault::new(at, code, format!("expected {what}, found {found}"))
}

/// A parameter of the states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ParameterLine<'a> {
    pub name: &'a [u8],
    /// How many values there are to be, in digits.
    pub cardinality: &'a [u8],
    /// Empty if there is none.
    pub sort: &'a [u8],
    pub values: Vec<&'a [u8]>,
}

type Parsed<'a, T> = IResult<&'a [u8], T, Error<&'a [u8]>>;

fn blanks(input: &[u8]) -> Parsed<'_, &[u8]> {
    take_while(is_blank).parse(input)
}

pub(super) fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c')
}

/// A line without the blanks around it, and where it begins.
pub(super) fn trim(line: &[u8]) -> (usize, &[u8]) {
    let start = line.iter().take_while(|&&b| is_blank(b)).count();
    let end = line.iter().rposition(|&b| !is_blank(b));
    (start, end.map_or(&[][..], |end| &line[start..=end]))
}

/// Whether a text is the name of a parameter to mCRL2.
pub(super) fn is_name(text: &[u8]) -> bool {
    begins_word(text) && text.iter().all(|&b| is_of_name(b) && !is_of_ltsmin(b))
}

/// Whether a text is a sort to mCRL2.
pub(super) fn is_sort(text: &[u8]) -> bool {
    is_any_sort(text) && !text.iter().any(|&b| is_of_ltsmin(b))
}

fn begins_word(text: &[u8]) -> bool {
    let is_first = |b: &u8| b.is_ascii_alphabetic() || *b == b'_';
    text.first().is_some_and(is_first)
}

fn is_of_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'\'' | b'@') || is_of_ltsmin(b)
}

/// Whether names have it that LTSmin writes, as `phil[0].pc`, and none that mCRL2 reads.
fn is_of_ltsmin(b: u8) -> bool {
    matches!(b, b'.' | b'[' | b']')
}

fn is_any_sort(text: &[u8]) -> bool {
    let is_other = |&b: &u8| is_of_name(b) || b" #->=,():".contains(&b);
    begins_word(text) && text.iter().all(is_other) && text.last() != Some(&b' ')
}

/// The text before the rest of the input, if it is as it should be.
fn verified<'a>(
    input: &'a [u8],
    rest: &'a [u8],
    text: &'a [u8],
    holds: bool,
) -> Parsed<'a, &'a [u8]> {
    match holds {
        true => Ok((rest, text)),
        false => Err(nom::Err::Error(Error::new(input, ErrorKind::Verify))),
    }
}

fn name(input: &[u8]) -> Parsed<'_, &[u8]> {
    let (rest, text) = take_while1(is_of_name).parse(input)?;
    verified(input, rest, text, begins_word(text))
}

/// What stands before the values, if anything.
fn sort(input: &[u8]) -> Parsed<'_, &[u8]> {
    let (rest, text) = take_till(|b| b == b'"').parse(input)?;
    let text = text.trim_ascii_end();
    verified(input, rest, text, text.is_empty() || is_any_sort(text))
}

fn value(input: &[u8]) -> Parsed<'_, &[u8]> {
    delimited(tag("\""), take_till(|b| b == b'"'), tag("\"")).parse(input)
}

/// `NAME(CARDINALITY) SORT "VALUE" …`, without blanks around it.
///
/// # Errors
/// If it is anything else.
pub(super) fn parameter(line: &[u8]) -> Result<ParameterLine<'_>, Fault> {
    let cardinality = delimited(
        (blanks, tag("("), blanks),
        digit1,
        (blanks, tag(")"), blanks),
    );
    let values = many0(preceded(blanks, value));
    let parsed = (name, cardinality, opt(sort), values, blanks).parse(line);
    let stopped = match parsed {
        Ok((b"", (name, digits, sort, values, _))) => {
            return Ok(ParameterLine {
                name,
                cardinality: digits,
                sort: sort.unwrap_or_default(),
                values,
            });
        }
        Ok((rest, _)) => rest,
        Err(nom::Err::Error(e) | nom::Err::Failure(e)) => e.input,
        // complete parsers do not ask for more
        Err(nom::Err::Incomplete(_)) => b"",
    };
    Err(expected(
        line,
        line.len() - stopped.len(),
        "fsm-parameter",
        "a parameter, `NAME(COUNT) SORT \"VALUE\" …`, or `---` before the states",
    ))
}

/// A number written in digits; `u64::MAX` stands for any that is larger.
pub(super) fn natural(digits: &[u8]) -> u64 {
    digits.iter().fold(0u64, |number, digit| {
        number
            .saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    })
}

/// A number written in digits, as messages show it.
pub(super) fn shown_number(digits: &[u8]) -> String {
    match natural(digits) {
        u64::MAX => excerpt(digits),
        number => number.to_string(),
    }
}

/// A transition. Its label columns are all that is between quotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TransitionLine<'a> {
    pub source: u64,
    pub target: u64,
    /// Where the target stands in the line.
    pub target_at: usize,
    /// The first label, and where its quote stands in the line.
    pub label: &'a [u8],
    pub label_at: usize,
    /// The other labels.
    pub more: Vec<&'a [u8]>,
}

/// `SOURCE TARGET "LABEL" …`, without blanks around it.
///
/// # Errors
/// If it is anything else.
pub(super) fn transition(line: &[u8]) -> Result<TransitionLine<'_>, Fault> {
    let mut cursor = Cursor { line, at: 0 };
    let source = cursor.state("a state number at the beginning of a transition")?;
    cursor.some_blanks()?;
    let target_at = cursor.at;
    let target = cursor.state("the number of the target state")?;
    cursor.some_blanks()?;
    let label_at = cursor.at;
    let label = cursor.label()?;
    let mut more = Vec::new();
    while cursor.at < line.len() {
        if !is_blank(line[cursor.at]) {
            return Err(expected(
                line,
                cursor.at,
                "fsm-transition",
                "a blank or the end of the line after a label, in which there are no quotes",
            ));
        }
        cursor.some_blanks()?;
        more.push(cursor.label()?);
    }
    Ok(TransitionLine {
        source,
        target,
        target_at,
        label,
        label_at,
        more,
    })
}

struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn digits(&mut self) -> &'a [u8] {
        let rest = &self.line[self.at..];
        let len = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += len;
        &rest[..len]
    }

    fn state(&mut self, what: &str) -> Result<u64, Fault> {
        let at = self.at;
        if self.line.get(at) == Some(&b'[') {
            return Err(probabilistic(at));
        }
        match self.digits() {
            b"" => Err(expected(self.line, at, "fsm-transition", what)),
            digits => Ok(natural(digits)),
        }
    }

    fn some_blanks(&mut self) -> Result<(), Fault> {
        let rest = &self.line[self.at..];
        let len = rest.iter().take_while(|&&b| is_blank(b)).count();
        self.at += len;
        match len {
            0 => Err(expected(self.line, self.at, "fsm-transition", "a blank")),
            _ => Ok(()),
        }
    }

    fn label(&mut self) -> Result<&'a [u8], Fault> {
        let at = self.at;
        match self.line.get(at) {
            Some(b'"') => {}
            Some(b) if b.is_ascii_digit() => {
                return Err(Fault::new(
                    at,
                    "fsm-label",
                    "a bare number for a label, as LTSmin writes labels without a type: \
                     expected a label between quotes",
                ));
            }
            found => {
                let code = match found {
                    Some(_) => "fsm-label",
                    None => "fsm-transition",
                };
                return Err(expected(self.line, at, code, "a label between quotes"));
            }
        }
        let rest = &self.line[at + 1..];
        match memchr::memchr(b'"', rest) {
            Some(end) => {
                self.at = at + end + 2;
                Ok(&rest[..end])
            }
            None => Err(Fault::new(
                at,
                "fsm-transition",
                "the quote opened here is not closed before the end of the line",
            )),
        }
    }
}

/// The state with a number of the file, which counts from 1.
pub(super) fn state(number: u64, at: usize) -> Result<StateId, Fault> {
    let text = match number {
        0 => "state number 0: states are numbered from 1".into(),
        _ if number <= StateId::MAX_COUNT => return Ok(StateId::new(number as u32 - 1)),
        _ => format!(
            "a number that is too large for a state: at most {}, as more states do not fit in \
             memory",
            StateId::MAX_COUNT
        ),
    };
    Err(Fault::new(at, "fsm-state-number", text))
}

/// What there is to say about `[…]` in place of a state.
pub(super) fn probabilistic(at: usize) -> Fault {
    Fault::new(
        at,
        "fsm-probabilistic",
        "a distribution over states: probabilistic systems are not read",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> String {
        match parameter(line.as_bytes()) {
            Err(fault) => format!("at {}", fault.at),
            Ok(p) => format!(
                "{}|{}|{}|{}",
                p.name.escape_ascii(),
                natural(p.cardinality),
                p.sort.escape_ascii(),
                p.values.join(&b'+').escape_ascii()
            ),
        }
    }

    #[test]
    fn parameters() {
        for (line, expected) in [
            (r#"n(2) Nat "0" "1""#, "n|2|Nat|0+1"),
            (r#"n(2) Nat  "0" "1""#, "n|2|Nat|0+1"),
            (r#"b(2)Bool "F" "T""#, "b|2|Bool|F+T"),
            (r#"b(2) "F" "T""#, "b|2||F+T"),
            (r#"b(2)"F""T""#, "b|2||F+T"),
            (
                r#"_x'@1(1) Nat # List(Bool) -> Bool "f(a, b)""#,
                "_x\\'@1|1|Nat # List(Bool) -> Bool|f(a, b)",
            ),
            // as LTSmin writes them
            (
                r#"phil[0].pc(2) phil.pc "0" "1""#,
                "phil[0].pc|2|phil.pc|0+1",
            ),
            ("n(0)", "n|0||"),
            ("n(0) Nat", "n|0|Nat|"),
            ("n ( 007 ) Nat", "n|7|Nat|"),
            ("n(99999999999999999999)", "n|18446744073709551615||"),
            (r#"n(1) S """#, "n|1|S|"),
            ("----", "at 0"),
            ("1n(2)", "at 0"),
            (".n(2)", "at 0"),
            ("n", "at 1"),
            ("n(x)", "at 2"),
            ("n(2", "at 3"),
            ("n(1) Nat \"0", "at 9"),
            ("n(1) S*T \"0\"", "at 5"),
            ("n(1) \"0\" S", "at 9"),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn transitions() {
        let line = |source, target, target_at, label, label_at, more: &[&'static [u8]]| {
            Ok(TransitionLine {
                source,
                target,
                target_at,
                label,
                label_at,
                more: more.to_vec(),
            })
        };
        for (text, expected) in [
            ("1 2 \"inc\"", line(1, 2, 2, &b"inc"[..], 4, &[])),
            ("1\t  2   \"a b\"", line(1, 2, 4, b"a b", 8, &[])),
            ("01 2 \"a\"", line(1, 2, 3, b"a", 5, &[])),
            ("1 2 \"\"", line(1, 2, 2, b"", 4, &[])),
            (
                "1 2 \"a\" \"b\"\t\"\"",
                line(1, 2, 2, b"a", 4, &[b"b", b""]),
            ),
            ("1 0 \"a\"", line(1, 0, 2, b"a", 4, &[])),
            (
                "1 99999999999999999999 \"a\"",
                line(1, u64::MAX, 2, b"a", 23, &[]),
            ),
        ] {
            assert_eq!(transition(text.as_bytes()), expected, "{text}");
        }
        for (text, at, code) in [
            ("1 2 a", 4, "fsm-label"),
            ("1 2 \"a\"b\"", 7, "fsm-transition"),
            ("1 2 \"a\" b", 8, "fsm-label"),
            ("1 2 \"a", 4, "fsm-transition"),
            ("1 2\"a\"", 3, "fsm-transition"),
            ("1 2", 3, "fsm-transition"),
            ("1 \"a\"", 2, "fsm-transition"),
            ("x 2 \"a\"", 0, "fsm-transition"),
            ("-1 2 \"a\"", 0, "fsm-transition"),
            ("----", 0, "fsm-transition"),
            ("1 2 7", 4, "fsm-label"),
            ("1 2 \"a\" 7", 8, "fsm-label"),
            ("1 [2 1/2 3 1/2] \"a\"", 2, "fsm-probabilistic"),
        ] {
            let fault = transition(text.as_bytes()).unwrap_err();
            assert_eq!((fault.at, fault.code), (at, code), "{text}: {fault:?}");
        }
        for (text, told) in [
            ("1 2 a b", "expected a label between quotes, found `a`"),
            (
                "1 2 ",
                "expected a label between quotes, found the end of the line",
            ),
            ("1 2", "expected a blank, found the end of the line"),
            ("1 2\"a\"", "expected a blank, found `\"a\"`"),
        ] {
            assert_eq!(
                transition(text.as_bytes()).unwrap_err().text,
                told,
                "{text}"
            );
        }
        let fault = transition(b"1 \"a\"").unwrap_err();
        assert!(fault.text.ends_with(", found `\"a\"`"), "{fault:?}");
    }
}
