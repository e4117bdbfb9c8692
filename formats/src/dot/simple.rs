//! Statements as programs write them, one a line:
//!
//! ```text
//! s0 [shape="circle" label="0"];
//! s0 -> s1 [label="a"];
//! ```
//!
//! These are understood at a glance; whatever looks different in any way is
//! left to the grammar, which reads lines like these just the same.

use super::graph::Attributes;
use super::lex::is_word;
use super::names::Numbered;
use crate::lines::scan::{line_end, number, word};

/// What is read in which way.
pub(super) struct Limits {
    /// A longer line is never a simple one: looking for its end costs little.
    pub line: usize,
    /// The size of parts of a file that are read in parallel; none are if the
    /// file is not several times as long.
    pub part: usize,
    /// Whether entities count in labels.
    pub entities: bool,
}

impl Limits {
    /// What serves best.
    pub fn new(entities: bool) -> Self {
        Self {
            line: 1 << 12,
            part: 1 << 17,
            entities,
        }
    }

    /// The file up to where a simple line that begins at `at` ends at the latest.
    #[inline(always)]
    pub fn near<'a>(&self, file: &'a [u8], at: usize) -> &'a [u8] {
        &file[..file.len().min(at + self.line)]
    }

    /// Whether so many bytes are worth being read in parts.
    #[inline(always)]
    pub fn is_worth_it(&self, bytes: usize) -> bool {
        bytes / 4 > self.part
    }
}

/// Where something begins and ends in the file.
pub(super) type Range = (usize, usize);

/// The name of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Name {
    /// Where it stands, without quotes.
    pub range: Range,
    /// What it is, if it is a letter and a number.
    pub numbered: Option<Numbered>,
}

/// An edge with a label, which holds no line break and stands between quotes,
/// but may hold quotes itself, and then is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EdgeLine {
    pub source: Name,
    pub target: Name,
    pub label: Range,
    /// The LF.
    pub end: usize,
}

/// A node with nothing to say of it but its own name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeLine {
    pub name: Name,
    /// Its label, [`Attributes::NAME`] or [`Attributes::NUMBER`].
    pub label: u32,
    /// Whether it is said to be a circle.
    pub circle: bool,
    /// The LF.
    pub end: usize,
}

/// Where the first byte is that is neither a blank nor a line break.
#[inline(always)]
pub(super) fn skip(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\r' | b'\n') = bytes.get(at) {
        at += 1;
    }
    at
}

#[inline(always)]
fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The edge that begins at `at`, if it is a simple one and well before the end
/// of `bytes`.
#[inline(always)]
pub(super) fn edge(bytes: &[u8], at: usize) -> Option<EdgeLine> {
    let (source, at) = name(bytes, at)?;
    let at = skip_blanks(bytes, at);
    if bytes.get(at..at + 2)? != b"->" {
        return None;
    }
    let (target, at) = name(bytes, skip_blanks(bytes, at + 2))?;
    let at = skip_blanks(bytes, at);
    if word(bytes, at)? != u64::from_le_bytes(*b"[label=\"") {
        return None;
    }
    let from = at + 8;
    let end = line_end(bytes, from)?;
    let to = close(bytes, from, end)?;
    Some(EdgeLine {
        source,
        target,
        label: (from, to),
        end,
    })
}

/// The node that begins at `at`, if it is a simple one and well before the end
/// of `bytes`.
#[inline(always)]
pub(super) fn node(bytes: &[u8], at: usize) -> Option<NodeLine> {
    const CIRCLE: &[u8] = b"[shape=\"circle\" label=\"";
    const PLAIN: &[u8] = b"[label=\"";
    let (name, at) = name(bytes, at)?;
    let Numbered { letter, .. } = name.numbered?;
    let at = skip_blanks(bytes, at);
    let rest = &bytes[at..];
    let circle = rest.starts_with(CIRCLE);
    let from = match circle {
        true => at + CIRCLE.len(),
        false if rest.starts_with(PLAIN) => at + PLAIN.len(),
        false => return None,
    };
    let end = line_end(bytes, from)?;
    let to = close(bytes, from, end)?;
    let text = &bytes[name.range.0..name.range.1];
    let label = match &bytes[from..to] {
        label if label == text => Attributes::NAME,
        label if letter > 0 && label == &text[1..] => Attributes::NUMBER,
        _ => return None,
    };
    Some(NodeLine {
        name,
        label,
        circle,
        end,
    })
}

/// The name at `at`, and what comes after it.
#[inline(always)]
fn name(bytes: &[u8], at: usize) -> Option<(Name, usize)> {
    let first = *bytes.get(at)?;
    let is_letter = first.is_ascii_alphabetic();
    if is_letter || first.is_ascii_digit() {
        let digits = at + usize::from(is_letter);
        if let Some((number, to)) = number(bytes, digits)
            && (bytes[digits] != b'0' || to == digits + 1)
            && !bytes.get(to).is_none_or(|&b| is_word(b) || b == b'.')
        {
            let letter = if is_letter { first } else { 0 };
            let name = Name {
                range: (at, to),
                numbered: Some(Numbered { letter, number }),
            };
            return Some((name, to));
        }
    }
    other_name(bytes, at)
}

/// A word that is no number, or a text between quotes.
#[inline(never)]
fn other_name(bytes: &[u8], at: usize) -> Option<(Name, usize)> {
    let rest = &bytes[at..];
    let (range, to) = match rest[0] {
        b'"' => {
            let from = at + 1;
            let len = rest[1..]
                .iter()
                .position(|b| matches!(b, b'"' | b'\\' | b'\r' | b'\n'))?;
            let to = from + len;
            if bytes[to] != b'"' {
                return None;
            }
            ((from, to), to + 1)
        }
        first if is_word(first) && !first.is_ascii_digit() => {
            let to = at + rest.iter().position(|&b| !is_word(b))?;
            // a port or another part of the name, or a keyword
            if super::parse::is_any_keyword(&bytes[at..to]) {
                return None;
            }
            ((at, to), to)
        }
        _ => return None,
    };
    let name = Name {
        range,
        numbered: None,
    };
    Some((name, to))
}

/// Where the label ends that begins at `from` in a line with its LF at `end`,
/// if the line ends as it does after a simple statement.
#[inline(always)]
fn close(bytes: &[u8], from: usize, end: usize) -> Option<usize> {
    let line = &bytes[from..end];
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if let Some(label) = line.strip_suffix(b"\"];") {
        return Some(from + label.len());
    }
    let label = line.strip_suffix(b"\"]")?;
    // without a semicolon, attributes may go on in the next line
    let next = *bytes.get(skip_blanks(bytes, end + 1))?;
    (next == b'}' || next == b'"' || is_word(next)).then_some(from + label.len())
}

/// Whether a label of a simple line stands for itself. `entities` says whether
/// entities count.
pub(super) fn is_usual(label: &[u8], entities: bool) -> bool {
    memchr::memchr3(b'"', b'\\', b'\r', label).is_none()
        && !(entities && memchr::memchr(b'&', label).is_some())
}
