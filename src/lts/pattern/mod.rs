//! Labels described by POSIX basic regular expressions.
//!
//! - `.` is any byte; `[abc]`, `[a-z]`, `[^…]` are sets (`]` first and `-` first
//!   or last stand for themselves, a backslash too; `[:alpha:]` and the other
//!   POSIX classes are known).
//! - `*` repeats the element before it, `\{m\}`, `\{m,\}`, `\{m,n\}` repeat it
//!   as often (at most 255 times). At the start of the expression or of a group,
//!   `*` stands for itself.
//! - `\(` and `\)` group. `\<` and `\>` are the start and the end of a word (of
//!   ASCII letters, digits and `_`).
//! - `^` first and `$` last are the start and the end of the text; elsewhere
//!   they stand for themselves, as `+ ? | ( ) { }` do everywhere.
//! - A backslash takes the meaning from any other punctuation character. Not
//!   supported, and refused: back-references (`\1`), and what only some
//!   implementations give a meaning (`\+`, `\?`, `\|`, backslash and letter).
//!
//! An expression has 1 MiB at most, and what it is compiled to 16 MiB.
//!
//! Text is bytes: a character outside ASCII counts as the several bytes it is
//! written with, so a set should not contain it.
//!
//! Of all matches, the leftmost is found, and of those the longest. Groups hold
//! what POSIX says: subexpressions further left take as much as the whole match
//! permits, and a repeated group holds its last round.
//!
//! An expression is a tree (see `tree`), and walking through it tells whether it
//! matches, how far a match goes and what its groups hold. Of many expressions,
//! [`PatternSet`] tells faster which match: by the `regex` crate, whose automata
//! several expressions share.

mod parse;
mod set;
#[cfg(test)]
mod tests;
mod tree;
mod unmatched;

use std::fmt;
use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};

pub use set::PatternSet;
use tree::{Node, Way};
pub use unmatched::why_unmatched;

/// A POSIX basic regular expression; see the [module](self).
///
/// ```
/// use hyades_lts::pattern::LabelPattern;
/// let pattern = LabelPattern::whole(br"PUSH !\([0-9]\{1,3\}\|x\)").unwrap_err();
/// assert_eq!(pattern.column, 21);
/// let pattern = LabelPattern::whole(br"PUSH !\([0-9]\{1,3\}\)").unwrap();
/// assert!(pattern.is_match(b"PUSH !12"));
/// assert!(!pattern.is_match(b"PUSH !12 !3"));
///
/// let pattern = LabelPattern::within(br"a*\(ab\)*").unwrap();
/// assert_eq!(pattern.find(b"aab", 0), Some(0..3));
/// assert_eq!(pattern.groups(b"aab", 0..3), [Some(0..3), Some(1..3)]);
/// ```
#[derive(Clone, Debug)]
pub struct LabelPattern {
    /// As it was written.
    source: Box<[u8]>,
    kind: Kind,
    groups: usize,
    /// More bytes than an automaton takes.
    weight: u64,
}

/// What matches.
#[derive(Clone, Debug)]
enum Kind {
    /// The text that is exactly this.
    Equal(Box<[u8]>),
    /// All of a text.
    Whole(Box<Node>),
    /// Parts of a text.
    Within(Box<Node>),
}

/// The matches of an expression in a text; see [`LabelPattern::finder`].
#[derive(Debug)]
pub struct Finder<'p, 't> {
    pattern: &'p LabelPattern,
    text: &'t [u8],
    starts: Starts<'p>,
}

/// Where matches start.
#[derive(Debug)]
enum Starts<'p> {
    /// There, ascending.
    Known(Vec<usize>),
    /// Where this says.
    By(&'p Regex),
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
    /// Most bytes of an expression: reading it takes some hundred times as many.
    const MAX_LENGTH: usize = 1 << 20;

    /// Most bytes that a compiled expression may take.
    const SIZE_LIMIT: usize = 16 << 20;

    /// An expression that has to match all of a text.
    ///
    /// # Errors
    /// If it is malformed, uses something unsupported, or is too large.
    pub fn whole(expression: &[u8]) -> Result<Self, PatternError> {
        let (tree, groups) = tree_of(expression)?;
        let kind = match tree.literal() {
            Some(text) => Kind::Equal(text.into()),
            None => Kind::Whole(Box::new(tree)),
        };
        Self::new(expression, kind, groups)
    }

    /// An expression that matches parts of a text.
    ///
    /// # Errors
    /// As for [`LabelPattern::whole`].
    pub fn within(expression: &[u8]) -> Result<Self, PatternError> {
        let (tree, groups) = tree_of(expression)?;
        Self::new(expression, Kind::Within(Box::new(tree)), groups)
    }

    /// The expression as it was written.
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    fn new(source: &[u8], kind: Kind, groups: usize) -> Result<Self, PatternError> {
        let weight = match &kind {
            Kind::Equal(_) => 0,
            Kind::Whole(tree) | Kind::Within(tree) => tree.weight(),
        };
        let pattern = Self {
            source: source.into(),
            kind,
            groups,
            weight,
        };
        // What may be too large is compiled to find out.
        if weight > Self::SIZE_LIMIT as u64 / 4 {
            let built = RegexBuilder::new(&pattern.expression())
                .size_limit(Self::SIZE_LIMIT)
                .build();
            built.map_err(|_| PatternError {
                column: 1,
                message: "the expression is too large".to_string(),
            })?;
        }
        Ok(pattern)
    }

    /// The expression in the syntax of the `regex` crate, which is well-formed: only
    /// its size may be refused.
    fn expression(&self) -> String {
        match &self.kind {
            Kind::Equal(text) => format!(r"(?s-u)\A(?:{})\z", Node::Text(text.clone())),
            Kind::Whole(tree) => format!(r"(?s-u)\A(?:{tree})\z"),
            Kind::Within(tree) => format!("(?s-u){tree}"),
        }
    }

    /// Whether there is a match. O(length of the text · length of the expression),
    /// times the number of rounds for nested repetitions.
    pub fn is_match(&self, text: &[u8]) -> bool {
        match &self.kind {
            Kind::Equal(own) => **own == *text,
            Kind::Whole(tree) => {
                let ends = tree.step(text, &[0], Way::Forward);
                ends.last() == Some(&text.len())
            }
            Kind::Within(_) => !self.starts(text, 0).is_empty(),
        }
    }

    /// Where matches start, from here on, ascending.
    fn starts(&self, text: &[u8], from: usize) -> Vec<usize> {
        match &self.kind {
            Kind::Equal(_) | Kind::Whole(_) if from > 0 || !self.is_match(text) => Vec::new(),
            Kind::Equal(_) | Kind::Whole(_) => vec![0],
            Kind::Within(tree) => {
                let ends: Vec<usize> = (from..=text.len()).collect();
                let mut starts = tree.step(text, &ends, Way::Backward);
                starts.retain(|&start| start >= from);
                starts
            }
        }
    }

    /// The leftmost match that starts at `from` or later, and of those the
    /// longest. What comes before `from` is still seen by `^`, `\<` and `\>`.
    ///
    /// Time as for [`LabelPattern::is_match`].
    ///
    /// # Panics
    /// If `from` is greater than the length of the text.
    pub fn find(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        assert!(from <= text.len(), "no place in the text");
        let start = *self.starts(text, from).first()?;
        Some(start..self.end(text, start))
    }

    /// All matches in a text, for finding several of them.
    pub fn finder<'p, 't>(&'p self, text: &'t [u8]) -> Finder<'p, 't> {
        Finder {
            pattern: self,
            text,
            starts: Starts::Known(self.starts(text, 0)),
        }
    }

    /// The same by an automaton for the expression.
    fn finder_by<'p, 't>(&'p self, automaton: &'p Regex, text: &'t [u8]) -> Finder<'p, 't> {
        Finder {
            pattern: self,
            text,
            starts: Starts::By(automaton),
        }
    }

    /// The end of the longest match that starts here.
    fn end(&self, text: &[u8], start: usize) -> usize {
        match &self.kind {
            Kind::Equal(_) | Kind::Whole(_) => text.len(),
            Kind::Within(tree) => {
                let ends = tree.step(text, &[start], Way::Forward);
                *ends
                    .last()
                    .expect("a match that starts here ends somewhere")
            }
        }
    }

    /// What the groups hold if `found` is a match, as [`LabelPattern::find`] finds
    /// it or all of the text: first the match itself, then each group, `None`
    /// if it took no part.
    pub fn groups(&self, text: &[u8], found: Range<usize>) -> Vec<Option<Range<usize>>> {
        let mut groups = vec![None; self.groups + 1];
        match &self.kind {
            Kind::Equal(_) => {}
            Kind::Whole(tree) | Kind::Within(tree) => {
                tree.assign(text, found.clone(), &mut groups);
            }
        }
        groups[0] = Some(found);
        groups
    }

    /// How many groups there are.
    pub fn group_count(&self) -> usize {
        self.groups
    }

    /// Whether every match has one of these bytes in it.
    pub fn always_has(&self, bytes: &[u8]) -> bool {
        match &self.kind {
            Kind::Equal(text) => text.iter().any(|b| bytes.contains(b)),
            Kind::Whole(tree) | Kind::Within(tree) => tree.always_has(bytes),
        }
    }

    /// The one text that matches, if the expression has no special characters
    /// and has to match all of a text.
    pub fn literal(&self) -> Option<&[u8]> {
        match &self.kind {
            Kind::Equal(text) => Some(text),
            Kind::Whole(_) | Kind::Within(_) => None,
        }
    }
}

impl Finder<'_, '_> {
    /// As [`LabelPattern::find`] in the text, but O(length of the match · length of the
    /// expression), if nothing is repeated.
    ///
    /// # Panics
    /// If `from` is greater than the length of the text.
    pub fn find(&self, from: usize) -> Option<Range<usize>> {
        assert!(from <= self.text.len(), "no place in the text");
        let start = match &self.starts {
            Starts::Known(starts) => {
                let next = starts.partition_point(|&start| start < from);
                *starts.get(next)?
            }
            Starts::By(automaton) => automaton.find_at(self.text, from)?.start(),
        };
        Some(start..self.pattern.end(self.text, start))
    }
}

/// The tree of an expression that is not too long, and how many groups it has.
fn tree_of(expression: &[u8]) -> Result<(Node, usize), PatternError> {
    if expression.len() <= LabelPattern::MAX_LENGTH {
        let (tree, groups) = parse::parse(expression)?;
        return Ok((tree.compact(), groups));
    }
    Err(PatternError {
        column: LabelPattern::MAX_LENGTH + 1,
        message: format!(
            "the expression has {} bytes, but {} are the most that it may have",
            expression.len(),
            LabelPattern::MAX_LENGTH
        ),
    })
}
