//! The grammar of AUT, line by line: exact, and the source of all diagnostics.
//!
//! The scanner in `scan` is faster on lines that nothing is odd about; on
//! those it agrees with this grammar, and it leaves all others to it.
//!
//! A quoted label may hold unescaped quotes, commas and parentheses, so that
//! its end cannot be found from the left. A line is taken from both ends:
//! `( source ,` from the left, `, target )` from the right, and what is left in
//! the middle is the label.

use memchr::{memchr, memchr_iter, memrchr};
use nom::bytes::complete::{tag, take_while};
use nom::character::complete::digit1;
use nom::error::{ErrorKind, ParseError};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

use crate::diagnostic::excerpt;
use crate::fault::Fault;
use crate::lines::Number;
use crate::lts::StateId;

/// A transition line taken apart; the label is as the file has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Transition<'a> {
    pub source: Number,
    /// The label without its quotes.
    pub label: &'a [u8],
    /// Where the label begins, with its quote.
    pub label_at: usize,
    pub quoted: bool,
    pub target: Number,
}

/// A header line taken apart. Unknown (`?`) numbers are none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub initial: Number,
    pub transitions: Option<Number>,
    pub states: Option<Number>,
    /// The first `?`, if there is one.
    pub unknown_at: Option<usize>,
}

/// Where and why a parser stopped.
#[derive(Debug)]
struct Stop<'a> {
    rest: &'a [u8],
    why: Why,
}

#[derive(Debug)]
enum Why {
    Expected(&'static str),
    Malformed,
    TooLarge { what: &'static str, limit: u64 },
}

impl<'a> ParseError<&'a [u8]> for Stop<'a> {
    fn from_error_kind(rest: &'a [u8], _: ErrorKind) -> Self {
        Stop {
            rest,
            why: Why::Expected("something else"),
        }
    }

    fn append(_: &'a [u8], _: ErrorKind, other: Self) -> Self {
        other
    }
}

type Parsed<'a, T> = IResult<&'a [u8], T, Stop<'a>>;

/// Spaces, tabs, vertical tabs and form feeds.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

fn blanks(input: &[u8]) -> Parsed<'_, &[u8]> {
    take_while(is_blank).parse(input)
}

/// A text with blanks around it.
fn token<'a>(
    text: &'static str,
    name: &'static str,
) -> impl Parser<&'a [u8], Output = &'a [u8], Error = Stop<'a>> {
    expect(name, delimited(blanks, tag(text), blanks))
}

/// Says what was expected, and that it was expected after the blanks.
fn expect<'a, P: Parser<&'a [u8], Error = Stop<'a>>>(
    name: &'static str,
    mut parser: P,
) -> impl Parser<&'a [u8], Output = P::Output, Error = Stop<'a>> {
    move |input| {
        parser.parse(input).map_err(|e| {
            e.map(|stop| Stop {
                why: Why::Expected(name),
                ..stop
            })
        })
    }
}

/// A number up to `limit`.
fn number<'a>(
    what: &'static str,
    limit: u64,
) -> impl Parser<&'a [u8], Output = Located<'a>, Error = Stop<'a>> {
    move |input: &'a [u8]| {
        let fail = |why| nom::Err::Failure(Stop { rest: input, why });
        if matches!(input.first(), Some(b'+' | b'-')) {
            return Err(fail(Why::Malformed));
        }
        let (rest, digits) = expect(what, digit1).parse(input)?;
        if rest
            .first()
            .is_some_and(|&b| b == b'.' || b.is_ascii_alphabetic())
        {
            return Err(fail(Why::Malformed));
        }
        match value(digits) {
            Some(value) if value <= limit => Ok((rest, Located { value, rest: input })),
            _ => Err(fail(Why::TooLarge { what, limit })),
        }
    }
}

/// A number, and the input from its first byte.
struct Located<'a> {
    value: u64,
    rest: &'a [u8],
}

impl Located<'_> {
    fn within(&self, line: &[u8]) -> Number {
        Number {
            value: self.value,
            at: line.len() - self.rest.len(),
        }
    }
}

/// The value of decimal digits, if it fits.
fn value(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |n, &b| {
        n.checked_mul(10)?.checked_add(u64::from(b - b'0'))
    })
}

const LAST_STATE: u64 = StateId::MAX_COUNT - 1;

/// Where a line's last byte that is no blank ends.
fn trimmed_len(line: &[u8]) -> usize {
    line.iter()
        .rposition(|&b| !is_blank(b))
        .map_or(0, |last| last + 1)
}

/// Where the first byte at or after `from` is that is no blank.
fn skip_blanks(line: &[u8], from: usize) -> usize {
    line[from..]
        .iter()
        .position(|&b| !is_blank(b))
        .map_or(line.len(), |k| from + k)
}

/// Makes a fault of where a parser stopped.
fn fault(line: &[u8], error: nom::Err<Stop<'_>>) -> Fault {
    let stop = match error {
        nom::Err::Error(stop) | nom::Err::Failure(stop) => stop,
        // complete parsers do not ask for more
        nom::Err::Incomplete(_) => Stop {
            rest: &[],
            why: Why::Expected("more"),
        },
    };
    let at = (line.len() - stop.rest.len()).min(trimmed_len(line));
    match stop.why {
        Why::Malformed => malformed(line, at),
        Why::TooLarge { what, limit } => too_large(line, at, what, limit),
        Why::Expected(what) => Fault {
            code: "aut-syntax",
            at,
            text: format!("expected {what}, found {}{}", found(line, at), hint(line)),
        },
    }
}

fn malformed(line: &[u8], at: usize) -> Fault {
    Fault {
        code: "aut-number",
        at,
        text: format!(
            "expected a number in plain decimal digits, found {}",
            excerpt(word(line, at))
        ),
    }
}

fn too_large(line: &[u8], at: usize, what: &'static str, limit: u64) -> Fault {
    Fault {
        code: "aut-number",
        at,
        text: format!(
            "{} is too large for {what}: at most {limit}",
            excerpt(word(line, at))
        ),
    }
}

/// The byte at `at`, for a message.
fn found(line: &[u8], at: usize) -> String {
    match line.get(at) {
        None => "the end of the line".into(),
        Some(b) => excerpt(std::slice::from_ref(b)),
    }
}

/// What looks like a number to a human being, from `at`.
fn word(line: &[u8], at: usize) -> &[u8] {
    let rest = &line[at..];
    let end = rest
        .iter()
        .position(|&b| is_blank(b) || b == b',' || b == b')')
        .unwrap_or(rest.len());
    &rest[..end]
}

/// A hint for a line that does not begin with `(`.
fn hint(line: &[u8]) -> &'static str {
    let text = &line[skip_blanks(line, 0)..];
    let comments: [&[u8]; 4] = [b"#", b"//", b"%", b"--"];
    if comments.iter().any(|c| text.starts_with(c)) {
        "; AUT has no comments: remove the line"
    } else {
        ""
    }
}

/// Whether a line counts as a header, well-formed or not.
pub(super) fn looks_like_header(line: &[u8]) -> bool {
    preceded(blanks, tag::<_, _, Stop>("des"))
        .parse(line)
        .is_ok()
}

/// Takes a header line apart. The line is without its end.
pub(super) fn header(line: &[u8]) -> Result<Header, Fault> {
    let keyword = preceded(blanks, tag("des")).parse(line);
    let (rest, _) = keyword.map_err(|e| fault(line, e))?;
    let des_at = line.len() - rest.len() - 3;
    if skip_blanks(rest, 0) == rest.len() {
        return Err(Fault {
            code: "aut-unpatched-header",
            at: des_at,
            text: "unfinished file: the header was never patched with the counts; \
                   generate the file again"
                .into(),
        });
    }
    let (rest, _) = token("(", "`(`").parse(rest).map_err(|e| fault(line, e))?;
    let unknown = |rest: &[u8]| (rest.first() == Some(&b'?')).then(|| line.len() - rest.len());
    let mut unknown_at = None;
    let mut count = |rest, what, limit, after: &'static str, name| -> Result<_, Fault> {
        let (rest, number) = match unknown(rest) {
            Some(at) => {
                unknown_at.get_or_insert(at);
                (&rest[1..], None)
            }
            None => {
                let (rest, n) = number(what, limit)
                    .parse(rest)
                    .map_err(|e| fault(line, e))?;
                (rest, Some(n.within(line)))
            }
        };
        let end = preceded(blanks, tag(after));
        let end = terminated(end, blanks);
        match expect(name, end).parse(rest) {
            Ok((rest, _)) => Ok((rest, number)),
            Err(e) => {
                Err((number, rest, fault(line, e))).map_err(|(number, rest, fault)| match number {
                    Some(n) if what == "an initial state" && goes_on_as_fraction(rest) => {
                        probabilistic(n.at)
                    }
                    _ => fault,
                })
            }
        }
    };
    let (rest, initial) = count(rest, "an initial state", LAST_STATE, ",", "`,`")?;
    let (rest, transitions) = count(rest, "a number of transitions", u64::MAX, ",", "`,`")?;
    let (rest, states) = count(rest, "a number of states", StateId::MAX_COUNT, ")", "`)`")?;
    if !rest.is_empty() {
        let at = line.len() - rest.len();
        return Err(Fault {
            code: "aut-trailing-text",
            at,
            text: format!(
                "expected the end of the line after the header, found {}",
                excerpt(&line[at..trimmed_len(line)])
            ),
        });
    }
    Ok(Header {
        initial: initial.unwrap_or(Number { value: 0, at: 0 }),
        transitions,
        states,
        unknown_at,
    })
}

/// Whether what follows a state makes it a part of a distribution, `0 1/2 1`: a
/// fraction, or the rest of one.
fn goes_on_as_fraction(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    rest[digits..].trim_ascii_start().starts_with(b"/")
}

fn probabilistic(at: usize) -> Fault {
    Fault {
        code: "aut-prob",
        at,
        text: "probabilistic mCRL2 AUT is not supported: expected a single state".into(),
    }
}

/// Takes a transition line apart. The line is not blank, has no end, and holds
/// neither CR nor NUL.
pub(super) fn transition(line: &[u8]) -> Result<Transition<'_>, Fault> {
    let left = (
        token("(", "`(` and a transition"),
        number("a state", LAST_STATE),
        token(",", "`,`"),
    );
    let (rest, (_, source, _)) = preceded(blanks, left)
        .parse(line)
        .map_err(|e| fault(line, e))?;
    let label_at = line.len() - rest.len();
    let (comma, target) = target(line, label_at)?;
    // the middle, without blanks around it
    let middle = &line[label_at..comma.max(label_at)];
    let middle = &middle[..trimmed_len(middle)];
    let (label, quoted) = label(line, middle, label_at)?;
    Ok(Transition {
        source: source.within(line),
        label,
        label_at,
        quoted,
        target,
    })
}

/// Finds `, target )` at the right end of a line of which the label begins at
/// `label_at`: where the comma is, and the target.
fn target(line: &[u8], label_at: usize) -> Result<(usize, Number), Fault> {
    let source_comma = memrchr(b',', &line[..label_at]).unwrap_or(0);
    let syntax = |at, text: String| {
        Err(Fault {
            code: "aut-syntax",
            at,
            text,
        })
    };
    let no_target = |at| {
        syntax(
            at,
            "expected `, target)` after the label; there is only one comma".into(),
        )
    };
    // the rightmost `)` with a comma, blanks, digits and blanks before it
    let mut end = line.len();
    while let Some(close) = memrchr(b')', &line[source_comma..end]).map(|k| source_comma + k) {
        let before = &line[..close];
        let digits_end = trimmed_len(before);
        let digits = before[..digits_end]
            .iter()
            .rposition(|b| !b.is_ascii_digit())
            .map_or(0, |k| k + 1);
        let comma = trimmed_len(&before[..digits]);
        if digits < digits_end && comma > 0 && before[comma - 1] == b',' {
            let comma = comma - 1;
            if comma <= source_comma {
                return no_target(close);
            }
            let (_, n) = number("a state", LAST_STATE)
                .parse(&line[digits..])
                .map_err(|e| fault(line, e))?;
            let after = skip_blanks(line, close + 1);
            if after < line.len() {
                return syntax(
                    after,
                    format!(
                        "expected the end of the line after `)`, found {}",
                        excerpt(&line[after..trimmed_len(line)])
                    ),
                );
            }
            return Ok((comma, n.within(line)));
        }
        end = close;
    }
    let length = trimmed_len(line);
    if line[length - 1] != b')' {
        return syntax(
            length,
            "expected `, target)` before the end of the line; is the file truncated?".into(),
        );
    }
    let close = length - 1;
    let comma = match memrchr(b',', &line[source_comma + 1..close]) {
        None => return no_target(close),
        Some(k) => source_comma + 1 + k,
    };
    let at = skip_blanks(line, comma + 1);
    let text = &line[at..close];
    let text = &text[..trimmed_len(text)];
    let digits = text
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(text.len());
    match text.get(digits) {
        Some(b'+' | b'-') if digits == 0 => Err(malformed(line, at)),
        Some(&b) if digits > 0 && (b == b'.' || b.is_ascii_alphabetic()) => {
            Err(malformed(line, at))
        }
        Some(_)
            if text
                .iter()
                .all(|&b| b.is_ascii_digit() || b == b'/' || is_blank(b)) =>
        {
            Err(probabilistic(at))
        }
        _ => syntax(
            at,
            format!(
                "expected a target state, found {}",
                match word(line, at) {
                    [] => found(line, at),
                    word => excerpt(word),
                }
            ),
        ),
    }
}

/// The label in what is left in the middle of a line, and whether it is quoted.
fn label<'a>(line: &[u8], middle: &'a [u8], at: usize) -> Result<(&'a [u8], bool), Fault> {
    if middle.is_empty() {
        return Err(Fault {
            code: "aut-empty-label",
            at,
            text: "expected a label between the commas; the empty label is written \"\"".into(),
        });
    }
    if middle[0] != b'"' {
        if let Some(k) = second_transition(middle) {
            return Err(Fault {
                code: "aut-syntax",
                at: at + k,
                text: "a second transition on one line: begin a new line here, \
                       or put the label between quotes"
                    .into(),
            });
        }
        return Ok((middle, false));
    }
    if middle.len() >= 2 && middle[middle.len() - 1] == b'"' {
        return Ok((&middle[1..middle.len() - 1], true));
    }
    match memrchr(b'"', middle) {
        Some(k) if k > 0 => {
            let after = at + skip_blanks(middle, k + 1);
            Err(Fault {
                code: "aut-quote",
                at: after,
                text: format!(
                    "expected `, target)` and the end of the line after the closing quote, found {}",
                    excerpt(&line[after..trimmed_len(line)])
                ),
            })
        }
        _ => Err(Fault {
            code: "aut-quote",
            at,
            text: "the label has an opening quote, but no closing one".into(),
        }),
    }
}

/// Where in a free label the `(` of what looks like another transition is:
/// `)`, blanks, `(`, digits, `,`.
fn second_transition(middle: &[u8]) -> Option<usize> {
    memchr_iter(b')', middle).find_map(|close| {
        let open = skip_blanks(middle, close + 1);
        if open == close + 1 || middle.get(open) != Some(&b'(') {
            return None;
        }
        let digits = skip_blanks(middle, open + 1);
        let end = digits
            + middle[digits..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count();
        let comma = skip_blanks(middle, end);
        (end > digits && middle.get(comma) == Some(&b',')).then_some(open)
    })
}

/// Whether a label may stand without quotes according to the definition.
pub(super) fn is_unquoted(label: &[u8]) -> bool {
    label == b"*" || is_identifier(label)
}

/// Whether a label is a letter followed by letters, digits and `_`.
pub(super) fn is_identifier(label: &[u8]) -> bool {
    label.first().is_some_and(u8::is_ascii_alphabetic)
        && label
            .iter()
            .all(|&b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Where a line holds a CR or NUL that is not part of its end. `line` is
/// without LF; the CR before the LF is part of the end if `complete`.
pub(super) fn strip_end(line: &[u8], complete: bool) -> Result<&[u8], Fault> {
    let text = match line {
        [text @ .., b'\r'] if complete => text,
        _ => line,
    };
    match memchr::memchr2(b'\r', 0, text) {
        None => Ok(text),
        Some(at) => Err(Fault {
            code: "aut-eol",
            at,
            text: if text[at] == 0 {
                "NUL byte in a text file: is the file binary or damaged?".into()
            } else {
                "CR that is not followed by LF: lines end with LF or CR LF".into()
            },
        }),
    }
}

/// The text that a label denotes where LTSmin's escapes are used, if it
/// differs from the label as written.
pub(super) fn unescape(label: &[u8], quoted: bool) -> Option<Vec<u8>> {
    if quoted {
        memchr(b'\\', label)?;
        let mut text = Vec::with_capacity(label.len());
        let mut k = 0;
        while k < label.len() {
            if label[k] == b'\\' && matches!(label.get(k + 1), Some(b'"' | b'\\')) {
                k += 1;
            }
            text.push(label[k]);
            k += 1;
        }
        return Some(text);
    }
    let hex = label.strip_prefix(b"#")?.strip_suffix(b"#")?;
    if hex.is_empty() || hex.len() % 2 != 0 {
        return None;
    }
    let digit = |b: u8| (b as char).to_digit(16);
    hex.chunks_exact(2)
        .map(|pair| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8))
        .collect()
}
