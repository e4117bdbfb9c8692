//! The structure of labels, found on demand.
//!
//! A label is a byte string. Tools put structure into it in a few ways, which
//! [`Syntax`] names: a *gate* (action, channel) followed by *offers* (values).
//! For hiding, renaming and the like only the gate counts, and [`gate`] finds
//! it in any label at all. [`parse`] takes a label apart completely. Labels of
//! Mealy machines, `input/output`, are another matter: see [`split_mealy`].

use std::borrow::Cow;
use std::fmt;

use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_while, take_while1};
use nom::character::complete::one_of;
use nom::combinator::{all_consuming, recognize};
use nom::error::{Error, ErrorKind};
use nom::multi::{many0, many1, separated_list1};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

/// The gate of a label: what stands before the first `!`, `?`, `(`, space or
/// tab, or all of the label if there is none of them.
pub fn gate(label: &[u8]) -> &[u8] {
    split_gate(label).0
}

/// The gate of a label, and the rest with its leading blank.
pub fn split_gate(label: &[u8]) -> (&[u8], &[u8]) {
    let end = label
        .iter()
        .position(|b| matches!(b, b'!' | b'?' | b'(' | b' ' | b'\t'));
    label.split_at(end.unwrap_or(label.len()))
}

/// How a label is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Syntax {
    /// A gate alone: `push`.
    Plain,
    /// LOTOS: `push !N0 ?x`.
    Lotos,
    /// A call: `push(N0, T1)`.
    Call,
    /// With dots: `push.N0.T1`.
    Dotted,
}

/// Which way a value goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// `!`; also all values of calls and dotted labels.
    Send,
    /// `?`.
    Receive,
}

/// A value offered at a gate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Offer<'a> {
    /// Which way it goes.
    pub direction: Direction,
    /// Its text, without blanks around it.
    pub value: &'a [u8],
}

/// A label taken apart.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label<'a> {
    /// How it was written.
    pub syntax: Syntax,
    /// What happens.
    pub gate: &'a [u8],
    /// With which values; empty for [`Syntax::Plain`].
    pub offers: Vec<Offer<'a>>,
}

/// A label that does not have the structure that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// The byte at which the structure breaks off, from 0.
    pub at: usize,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no gate with offers: stopped at byte {}", self.at + 1)
    }
}

impl std::error::Error for Malformed {}

type Parsed<'a, T> = IResult<&'a [u8], T, Error<&'a [u8]>>;

/// Takes a label apart that is plain, in LOTOS syntax, or a call, whichever
/// fits what comes after its gate.
///
/// O(length), without recursion.
///
/// # Errors
/// If the label has no gate, or unbalanced brackets or quotes, or anything
/// between or after its offers.
pub fn parse(label: &[u8]) -> Result<Label<'_>, Malformed> {
    let (_, rest) = split_gate(label.trim_ascii_start());
    match rest.trim_ascii_start().first() {
        None => parse_as(label, Syntax::Plain),
        Some(b'(') => parse_as(label, Syntax::Call),
        Some(_) => parse_as(label, Syntax::Lotos),
    }
}

/// Takes a label apart that is written in a given way.
///
/// # Errors
/// As for [`parse`]; moreover, if a plain label has anything but a gate.
pub fn parse_as(label: &[u8], syntax: Syntax) -> Result<Label<'_>, Malformed> {
    let parsed = match syntax {
        Syntax::Plain => plain(label),
        Syntax::Lotos => lotos(label),
        Syntax::Call => call(label),
        Syntax::Dotted => dotted(label),
    };
    match parsed {
        Ok((_, (gate, offers))) => Ok(Label {
            syntax,
            gate,
            offers,
        }),
        Err(nom::Err::Error(e) | nom::Err::Failure(e)) => Err(Malformed {
            at: label.len() - e.input.len(),
        }),
        // complete parsers do not ask for more
        Err(nom::Err::Incomplete(_)) => Err(Malformed { at: label.len() }),
    }
}

type Parts<'a> = (&'a [u8], Vec<Offer<'a>>);

fn blanks(input: &[u8]) -> Parsed<'_, &[u8]> {
    take_while(is_blank).parse(input)
}

fn is_blank(b: u8) -> bool {
    b == b' ' || b == b'\t'
}

fn gate_name(input: &[u8]) -> Parsed<'_, &[u8]> {
    is_not(" \t!?(").parse(input)
}

/// `gate`
fn plain(label: &[u8]) -> Parsed<'_, Parts<'_>> {
    all_consuming(delimited(blanks, gate_name, blanks))
        .map(|gate| (gate, Vec::new()))
        .parse(label)
}

/// `gate ((! | ?) value)+`
fn lotos(label: &[u8]) -> Parsed<'_, Parts<'_>> {
    let offer = (one_of("!?"), |input| value(input, b"!?")).map(|(mark, value)| Offer {
        direction: if mark == '!' {
            Direction::Send
        } else {
            Direction::Receive
        },
        value,
    });
    let gate = delimited(blanks, gate_name, blanks);
    all_consuming((gate, many1(offer))).parse(label)
}

/// `gate ( [value {, value}] )`
fn call(label: &[u8]) -> Parsed<'_, Parts<'_>> {
    let argument = (|input| value(input, b",)")).map(sent);
    let none = tag(")").map(|_| Vec::new());
    let some = terminated(separated_list1(tag(","), argument), tag(")"));
    let arguments = delimited((tag("("), blanks), alt((none, some)), blanks);
    let gate = delimited(blanks, gate_name, blanks);
    all_consuming((gate, arguments)).parse(label)
}

/// `gate {. value}`
fn dotted(label: &[u8]) -> Parsed<'_, Parts<'_>> {
    let gate = |input| value(input, b".");
    let offer = preceded(tag("."), gate).map(sent);
    all_consuming((gate, many0(offer))).parse(label)
}

fn sent(value: &[u8]) -> Offer<'_> {
    Offer {
        direction: Direction::Send,
        value,
    }
}

/// A text that is not empty and ends before one of `ends`, or with the input:
/// brackets in it are balanced and quotes closed, and within those, `ends` do
/// not count. Without the blanks around it.
fn value<'a>(input: &'a [u8], ends: &[u8]) -> Parsed<'a, &'a [u8]> {
    let mut open = Vec::new();
    let mut rest = input;
    while let Some(&b) = rest.first() {
        match b {
            _ if open.is_empty() && ends.contains(&b) => break,
            b'"' => {
                rest = string(rest)?.0;
                continue;
            }
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b')' | b']' | b'}' if open.pop() != Some(b) => return fail(rest),
            _ => {}
        }
        rest = &rest[1..];
    }
    let text = input[..input.len() - rest.len()].trim_ascii();
    if text.is_empty() || !open.is_empty() {
        return fail(rest);
    }
    Ok((rest, text))
}

fn fail<T>(input: &[u8]) -> Parsed<'_, T> {
    // a failure, so that the place is kept: there is nothing else to try
    Err(nom::Err::Failure(Error::new(input, ErrorKind::Verify)))
}

/// A text between quotes, in which a backslash takes the next byte along.
fn string(input: &[u8]) -> Parsed<'_, &[u8]> {
    let plain = take_while1(|b| b != b'"' && b != b'\\');
    let pair = (tag("\\"), nom::bytes::complete::take(1usize));
    let inner = many0(alt((recognize(pair), plain)));
    recognize((tag("\""), inner, tag("\""))).parse(input)
}

impl Label<'_> {
    /// The label as a text, with single blanks where its syntax has any.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = self.gate.to_vec();
        let values = self.offers.iter().map(|o| o.value);
        match self.syntax {
            Syntax::Plain => {}
            Syntax::Lotos => {
                for offer in &self.offers {
                    text.extend_from_slice(match offer.direction {
                        Direction::Send => b" !",
                        Direction::Receive => b" ?",
                    });
                    text.extend_from_slice(offer.value);
                }
            }
            Syntax::Call => {
                text.push(b'(');
                text.extend(values.collect::<Vec<_>>().join(&b", "[..]));
                text.push(b')');
            }
            Syntax::Dotted => {
                for value in values {
                    text.push(b'.');
                    text.extend_from_slice(value);
                }
            }
        }
        text
    }
}

/// A label that is no pair of input and output, or a pair that no label can
/// stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MealyError {
    /// There is no `/` in the label.
    NoSeparator,
    /// There is nothing before the separator.
    EmptyInput,
    /// The pair cannot be written so that splitting gives it back.
    Ambiguous,
}

impl fmt::Display for MealyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MealyError::NoSeparator => "no `/` between input and output",
            MealyError::EmptyInput => "empty input before the `/`",
            MealyError::Ambiguous => "a label of this input and output would not be split back",
        })
    }
}

impl std::error::Error for MealyError {}

/// An input and an output of a Mealy machine. The output may be empty.
pub type Pair<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>);

/// Splits a label into input and output: at the first ` / ` (with blanks),
/// else at the first `/`. Blanks around both are dropped.
///
/// A label of several lines stands for several pairs, one a line, if each line
/// has ` / `, or none has and each has `/`. Otherwise its first line is the
/// input, and the others, joined by blanks, are the output. Empty lines at the
/// end do not count.
///
/// # Errors
/// If there is no separator, or an input is empty.
pub fn split_mealy(label: &[u8]) -> Result<Vec<Pair<'_>>, MealyError> {
    let mut lines: Vec<&[u8]> = label.split(|&b| b == b'\n').collect();
    while lines.len() > 1 && lines.last().is_some_and(|l| l.trim_ascii().is_empty()) {
        lines.pop();
    }
    if lines.len() == 1 {
        return Ok(vec![split_line(lines[0])?]);
    }
    let spaced = |l: &&[u8]| memchr::memmem::find(l, b" / ").is_some();
    let slashed = |l: &&[u8]| l.contains(&b'/');
    let many = lines.iter().all(spaced) || (!lines.iter().any(spaced) && lines.iter().all(slashed));
    if many {
        return lines.into_iter().map(split_line).collect();
    }
    let input = lines[0].trim_ascii();
    if input.is_empty() {
        return Err(MealyError::EmptyInput);
    }
    let output: Vec<&[u8]> = lines[1..].iter().map(|l| l.trim_ascii()).collect();
    let output = output.join(&b" "[..]).trim_ascii().to_vec();
    Ok(vec![(Cow::Borrowed(input), Cow::Owned(output))])
}

/// Splits a label of one line.
fn split_line(line: &[u8]) -> Result<Pair<'_>, MealyError> {
    let (at, width) = match memchr::memmem::find(line, b" / ") {
        Some(at) => (at, 3),
        None => match memchr::memchr(b'/', line) {
            Some(at) => (at, 1),
            None => return Err(MealyError::NoSeparator),
        },
    };
    let input = line[..at].trim_ascii();
    let output = line[at + width..].trim_ascii();
    if input.is_empty() {
        return Err(MealyError::EmptyInput);
    }
    Ok((Cow::Borrowed(input), Cow::Borrowed(output)))
}

/// The label for a pair: `input/output`, or `input / output` if that would not
/// be split back into the pair.
///
/// # Errors
/// If neither would.
pub fn join_mealy(input: &[u8], output: &[u8]) -> Result<Vec<u8>, MealyError> {
    if input.is_empty() {
        return Err(MealyError::EmptyInput);
    }
    for separator in [&b"/"[..], b" / "] {
        let label = [input, separator, output].concat();
        if let Ok(pairs) = split_mealy(&label)
            && let [(a, b)] = &pairs[..]
            && (&a[..], &b[..]) == (input, output)
        {
            return Ok(label);
        }
    }
    Err(MealyError::Ambiguous)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn show(label: Result<Label<'_>, Malformed>) -> String {
        match label {
            Err(e) => format!("at {}", e.at),
            Ok(l) => {
                let mut text = format!("{:?} {}", l.syntax, l.gate.escape_ascii());
                for o in &l.offers {
                    let mark = match o.direction {
                        Direction::Send => '!',
                        Direction::Receive => '?',
                    };
                    text += &format!(" {mark}<{}>", o.value.escape_ascii());
                }
                text
            }
        }
    }

    #[test]
    fn gates() {
        for (label, gate_and_rest) in [
            ("G !1", ("G", " !1")),
            ("G(1, 2)", ("G", "(1, 2)")),
            ("G?x", ("G", "?x")),
            ("G", ("G", "")),
            ("", ("", "")),
            ("a.b|c/d", ("a.b|c/d", "")),
            ("G\t!1", ("G", "\t!1")),
        ] {
            let (g, rest) = split_gate(label.as_bytes());
            assert_eq!(
                (g, rest),
                (gate_and_rest.0.as_bytes(), gate_and_rest.1.as_bytes())
            );
            assert_eq!(gate(label.as_bytes()), g);
        }
    }

    #[test]
    fn structure() {
        for (label, expected) in [
            ("push", "Plain push"),
            (" push ", "Plain push"),
            ("PUSH !N0 ?x", "Lotos PUSH !<N0> ?<x>"),
            ("PUSH!N0?x", "Lotos PUSH !<N0> ?<x>"),
            (
                "P !f (a, \"!\") ! x y",
                "Lotos P !<f (a, \\\"!\\\")> !<x y>",
            ),
            ("push(N0, T1)", "Call push !<N0> !<T1>"),
            ("push (N0)", "Call push !<N0>"),
            ("f()", "Call f"),
            ("f( )", "Call f"),
            (
                "f(g(a, b), [c, {d, e}], \")\")",
                "Call f !<g(a, b)> !<[c, {d, e}]> !<\\\")\\\">",
            ),
            ("f(\"a\\\"),\", b)", "Call f !<\\\"a\\\\\\\"),\\\"> !<b>"),
            ("f(a", "at 3"),
            ("f(a))", "at 4"),
            ("f(a)|g(b)", "at 4"),
            ("f([a)]", "at 4"),
            ("f(,)", "at 2"),
            ("f(\"a)", "at 5"),
            ("", "at 0"),
            ("!a", "at 0"),
            ("a !", "at 3"),
            ("a b", "at 2"),
        ] {
            assert_eq!(show(parse(label.as_bytes())), expected, "{label}");
        }
        let dotted = |label: &'static str| show(parse_as(label.as_bytes(), Syntax::Dotted));
        assert_eq!(dotted("push.N0.T1"), "Dotted push !<N0> !<T1>");
        assert_eq!(dotted("push.f(a.b).T1"), "Dotted push !<f(a.b)> !<T1>");
        assert_eq!(dotted("push"), "Dotted push");
        assert_eq!(dotted("push..T1"), "at 5");
        assert_eq!(dotted(""), "at 0");
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let n = 1_000_000;
        let label = format!("f({}x{})", "(".repeat(n), ")".repeat(n));
        assert_eq!(
            parse(label.as_bytes()).unwrap().offers[0].value.len(),
            2 * n + 1
        );
        let label = format!("f({}x", "(".repeat(n));
        assert!(parse(label.as_bytes()).is_err());
    }

    #[test]
    fn mealy_labels() {
        type Split<'a> = Result<&'a [(&'a str, &'a str)], MealyError>;
        let cases: &[(&str, Split<'_>)] = &[
            ("a / 1", Ok(&[("a", "1")])),
            ("a/1", Ok(&[("a", "1")])),
            ("a/", Ok(&[("a", "")])),
            (
                "SYN(V,V,0)/ACK+RST(ZERO,NEXT,0)",
                Ok(&[("SYN(V,V,0)", "ACK+RST(ZERO,NEXT,0)")]),
            ),
            (
                "S / P(my_topic/retained,m)",
                Ok(&[("S", "P(my_topic/retained,m)")]),
            ),
            ("a/b / c", Ok(&[("a/b", "c")])),
            ("in\nout", Ok(&[("in", "out")])),
            ("in\nout / x\nmore\n", Ok(&[("in", "out / x more")])),
            ("a/0\nb/1\n\n", Ok(&[("a", "0"), ("b", "1")])),
            ("a / 0\nb / 1", Ok(&[("a", "0"), ("b", "1")])),
            ("a / 0\nb/1", Ok(&[("a / 0", "b/1")])),
            ("a/0\n", Ok(&[("a", "0")])),
            ("a", Err(MealyError::NoSeparator)),
            ("/a", Err(MealyError::EmptyInput)),
            ("\nout", Err(MealyError::EmptyInput)),
            ("", Err(MealyError::NoSeparator)),
        ];
        for (label, expected) in cases {
            let split = split_mealy(label.as_bytes()).map(|pairs| {
                pairs
                    .iter()
                    .map(|(a, b)| (str(a), str(b)))
                    .collect::<Vec<_>>()
            });
            let expected =
                expected.map(|pairs| pairs.iter().map(|&(a, b)| (a.into(), b.into())).collect());
            assert_eq!(split, expected, "{label}");
        }
        fn str(bytes: &[u8]) -> String {
            String::from_utf8(bytes.to_vec()).unwrap()
        }
        assert_eq!(join_mealy(b"a", b"1").unwrap(), b"a/1");
        assert_eq!(join_mealy(b"a/b", b"1").unwrap(), b"a/b / 1");
        assert_eq!(join_mealy(b"a", b"b / c").unwrap(), b"a / b / c");
        assert_eq!(join_mealy(b"a", b"").unwrap(), b"a/");
        assert_eq!(join_mealy(b" a", b"1"), Err(MealyError::Ambiguous));
        assert_eq!(join_mealy(b"", b"1"), Err(MealyError::EmptyInput));
    }

    proptest! {
        #[test]
        fn labels_come_back(
            gate in "[a-zA-Z_][a-zA-Z0-9_]{0,3}",
            values in prop::collection::vec(
                prop_oneof![
                    "[a-z0-9+<]{1,4}",
                    "[a-z]{1,2}\\([a-z ,!?.]{0,4}\\)",
                    "\\[[a-z,]{0,3}\\{[a-z,]{0,2}\\}\\]",
                    "\"[a-z(!?,.]{0,3}(\\\\\")?\"",
                ],
                1..4,
            ),
            receive in any::<u8>(),
        ) {
            for syntax in [Syntax::Plain, Syntax::Lotos, Syntax::Call, Syntax::Dotted] {
                let offer = |(k, v): (usize, &'_ String)| (k, v.clone().into_bytes());
                let texts: Vec<_> = values.iter().enumerate().map(offer).collect();
                let offers = texts.iter().map(|(k, v)| Offer {
                    direction: if syntax == Syntax::Lotos && receive >> k & 1 == 1 {
                        Direction::Receive
                    } else {
                        Direction::Send
                    },
                    value: v,
                });
                let label = Label {
                    syntax,
                    gate: gate.as_bytes(),
                    offers: if syntax == Syntax::Plain { Vec::new() } else { offers.collect() },
                };
                let text = label.to_bytes();
                prop_assert_eq!(parse_as(&text, syntax), Ok(label.clone()));
                if syntax != Syntax::Dotted {
                    prop_assert_eq!(parse(&text), Ok(label));
                }
            }
        }

        #[test]
        fn any_text_that_parses_comes_back_normalised(
            text in "[a(\\[{)\\]}\"\\\\!?., /\n]{0,12}",
        ) {
            for syntax in [Syntax::Plain, Syntax::Lotos, Syntax::Call, Syntax::Dotted] {
                if let Ok(label) = parse_as(text.as_bytes(), syntax) {
                    let normal = label.to_bytes();
                    prop_assert_eq!(parse_as(&normal, syntax), Ok(label));
                }
            }
            if let Ok(pairs) = split_mealy(text.as_bytes()) {
                for (input, output) in pairs {
                    if let Ok(label) = join_mealy(&input, &output) {
                        prop_assert_eq!(split_mealy(&label), Ok(vec![(input, output)]));
                    }
                }
            }
        }
    }
}
