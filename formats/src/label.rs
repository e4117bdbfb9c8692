//! The structure of labels, found on demand.
//!
//! A label is a byte string. Tools put structure into it in a few ways, which
//! [`Syntax`] names: a *gate* (action, channel) followed by *offers* (values).
//! For hiding, renaming and the like only the gate counts, and [`gate`] finds
//! it in any label at all. [`parse`] takes a label apart completely. Labels of
//! Mealy machines, `input/output`, are another matter: see [`mealy`](crate::mealy).

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

/// A multi-action of mCRL2, `a(1)|b|a(2)`, with a time behind or without: `a|b @ 3`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MultiAction<'a> {
    /// At least two actions.
    pub actions: Vec<&'a [u8]>,
    /// The time with the ` @ ` before it; empty if there is none.
    pub time: &'a [u8],
}

/// A text between double quotes, in which backslashes and these are escaped.
pub fn quoted(text: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for &byte in text {
        if matches!(byte, b'"' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(byte);
    }
    quoted.push(b'"');
    quoted
}

/// Takes a multi-action of mCRL2 apart; `None` of a label that is none: what stands
/// between its `|` outside brackets and quotes, up to a time, are not at least two
/// actions, each of them a name alone or with arguments. A name begins with a letter
/// or `_`, and goes on with these, digits and `'`.
///
/// O(length), without recursion.
pub fn multi_action(label: &[u8]) -> Option<MultiAction<'_>> {
    memchr::memchr(b'|', label)?;
    let (untimed, time) = split_time(label)?;
    let action = |input| value(input, b"|");
    let split = all_consuming(separated_list1(tag("|"), action)).parse(untimed);
    let (_, actions) = split.ok()?;
    let is_action = |text: &&[u8]| {
        parse(text).is_ok_and(|label| {
            matches!(label.syntax, Syntax::Plain | Syntax::Call) && is_name(label.gate)
        })
    };
    let is_one = actions.len() > 1 && actions.iter().all(is_action);
    is_one.then_some(MultiAction { actions, time })
}

/// A multi-action, and its time with the ` @ ` before it, empty if there is none;
/// `None` if brackets or quotes are not closed, or what follows is no time.
fn split_time(label: &[u8]) -> Option<(&[u8], &[u8])> {
    let (rest, _) = value(label, b"@").ok()?;
    if rest.is_empty() {
        return Some((label, rest));
    }
    let untimed = label[..label.len() - rest.len()].strip_suffix(b" ")?;
    let time = all_consuming(|input| value(input, b"|@")).parse(rest.strip_prefix(b"@ ")?);
    time.is_ok().then_some((untimed, &label[untimed.len()..]))
}

/// Whether this is a name in mCRL2.
fn is_name(text: &[u8]) -> bool {
    let starts = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    text.first().is_some_and(|&b| starts(b))
        && text
            .iter()
            .all(|&b| starts(b) || b.is_ascii_digit() || b == b'\'')
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

/// The gate and the offers of any label: of one that [`parse`] refuses, offers begin at
/// `!` or `?` outside brackets and double quotes, and what is not closed runs to the
/// end. A label whose gate is followed by anything else is all gate.
///
/// O(length), without recursion.
pub fn parse_leniently(label: &[u8]) -> (&[u8], Vec<&[u8]>) {
    if let Ok(Label { gate, offers, .. }) = parse(label) {
        return (gate, offers.iter().map(|offer| offer.value).collect());
    }
    let label = label.trim_ascii();
    let (gate, rest) = split_gate(label);
    let rest = rest.trim_ascii_start();
    let (inner, marks): (_, &[u8]) = match rest.first() {
        Some(b'!' | b'?') => (&rest[1..], b"!?"),
        Some(b'(') => (&rest[1..], b",)"),
        Some(_) => return (label, Vec::new()),
        None => return (gate, Vec::new()),
    };
    let mut offers = Vec::new();
    let (mut depth, mut is_quoted, mut start) = (0, false, 0);
    let mut bytes = inner.iter().enumerate();
    while let Some((k, &b)) = bytes.next() {
        match b {
            b'\\' if is_quoted => drop(bytes.next()),
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b')' if depth == 0 && marks == b",)" => {
                if k + 1 < inner.len() {
                    return (label, Vec::new());
                }
                offers.push(inner[start..k].trim_ascii());
                return (gate, offers);
            }
            _ if depth == 0 && marks.contains(&b) => {
                offers.push(inner[start..k].trim_ascii());
                start = k + 1;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth > 0 => depth -= 1,
            _ => {}
        }
    }
    offers.push(inner[start..].trim_ascii());
    (gate, offers)
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
    fn multi_actions() {
        for (label, expected) in [
            ("a|b", Some(&["a", "b"][..])),
            (
                "a(1, x || y)|b' | c_2",
                Some(&["a(1, x || y)", "b'", "c_2"]),
            ),
            ("a(\"|\")|a(\"|\")", Some(&["a(\"|\")", "a(\"|\")"])),
            ("a", None),
            ("a(b|c)", None),
            ("", None),
            ("|", None),
            ("a|", None),
            ("|a", None),
            ("a||b", None),
            ("PUSH !a|b", None),
            ("a|b !1", None),
            ("a|1", None),
            ("a|b/c", None),
            ("a(|b", None),
        ] {
            let found = multi_action(label.as_bytes());
            let expected = expected.map(|e| MultiAction {
                actions: e.iter().map(|a| a.as_bytes()).collect(),
                time: b"",
            });
            assert_eq!(found, expected, "{label}");
        }
        for (label, expected) in [
            ("a|b @ 3", Some((&["a", "b"][..], " @ 3"))),
            ("a(1)|b @ (7 / 2)", Some((&["a(1)", "b"], " @ (7 / 2)"))),
            (
                "a(\"@\")|b @ f(\" @ \")",
                Some((&["a(\"@\")", "b"], " @ f(\" @ \")")),
            ),
            ("a(x @ 1)|b", Some((&["a(x @ 1)", "b"], ""))),
            ("a|b @", None),
            ("a|b @ ", None),
            ("a|b@3", None),
            ("a|b @ 3 @ 4", None),
            ("a @ 3|b", None),
            ("a @ 3", None),
            ("@ 3", None),
        ] {
            let found = multi_action(label.as_bytes());
            let expected = expected.map(|(actions, time)| MultiAction {
                actions: actions.iter().map(|a| a.as_bytes()).collect(),
                time: time.as_bytes(),
            });
            assert_eq!(found, expected, "{label}");
        }
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
        }
    }
}
