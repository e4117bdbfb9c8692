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
//! *Whether* an expression matches is left to the `regex` crate, which takes
//! time linear in the text and never backtracks. It prefers what comes first
//! rather than what is longest, so *how far* a match goes and what its groups
//! hold is found by walking through the syntax tree (see `tree`).

mod parse;
#[cfg(test)]
mod tests;
mod tree;

use std::fmt;
use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};

use tree::{Node, Way};

/// A POSIX basic regular expression; see the [module](self).
///
/// ```
/// use hyades::pattern::Pattern;
/// let pattern = Pattern::whole(br"PUSH !\([0-9]\{1,3\}\|x\)").unwrap_err();
/// assert_eq!(pattern.column, 21);
/// let pattern = Pattern::whole(br"PUSH !\([0-9]\{1,3\}\)").unwrap();
/// assert!(pattern.is_match(b"PUSH !12"));
/// assert!(!pattern.is_match(b"PUSH !12 !3"));
///
/// let pattern = Pattern::within(br"a*\(ab\)*").unwrap();
/// assert_eq!(pattern.find(b"aab", 0), Some(0..3));
/// assert_eq!(pattern.groups(b"aab", 0..3), [Some(0..3), Some(1..3)]);
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    tree: Node,
    groups: usize,
    engine: Engine,
}

/// What tells whether there is a match.
#[derive(Clone, Debug)]
enum Engine {
    /// The text is exactly this.
    Equal(Vec<u8>),
    Regex(Regex),
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

impl Pattern {
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
        let engine = match tree.literal() {
            Some(text) => Engine::Equal(text),
            None => Engine::Regex(compile(&format!(r"\A(?:{tree})\z"))?),
        };
        Ok(Self {
            tree,
            groups,
            engine,
        })
    }

    /// An expression that matches parts of a text.
    ///
    /// # Errors
    /// As for [`Pattern::whole`].
    pub fn within(expression: &[u8]) -> Result<Self, PatternError> {
        let (tree, groups) = tree_of(expression)?;
        let engine = Engine::Regex(compile(&tree.to_string())?);
        Ok(Self {
            tree,
            groups,
            engine,
        })
    }

    /// Whether there is a match. O(length of the text).
    pub fn is_match(&self, text: &[u8]) -> bool {
        match &self.engine {
            Engine::Equal(own) => own == text,
            Engine::Regex(regex) => regex.is_match(text),
        }
    }

    /// The leftmost match that starts at `from` or later, and of those the
    /// longest. What comes before `from` is still seen by `^`, `\<` and `\>`.
    ///
    /// O(length of the text), times the number of rounds for nested
    /// repetitions.
    ///
    /// # Panics
    /// If `from` is greater than the length of the text.
    pub fn find(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        match &self.engine {
            Engine::Equal(own) => (from == 0 && own == text).then_some(0..text.len()),
            Engine::Regex(regex) => {
                let start = regex.find_at(text, from)?.start();
                let ends = self.tree.step(text, &[start], Way::Forward);
                let end = *ends.last().expect("what the engine finds, the tree does");
                Some(start..end)
            }
        }
    }

    /// What the groups hold if `found` is a match, as [`Pattern::find`] finds
    /// it or all of the text: first the match itself, then each group, `None`
    /// if it took no part.
    pub fn groups(&self, text: &[u8], found: Range<usize>) -> Vec<Option<Range<usize>>> {
        let mut groups = vec![None; self.groups + 1];
        self.tree.assign(text, found.clone(), &mut groups);
        groups[0] = Some(found);
        groups
    }

    /// How many groups there are.
    pub fn group_count(&self) -> usize {
        self.groups
    }

    /// Whether every match has one of these bytes in it.
    pub fn always_has(&self, bytes: &[u8]) -> bool {
        self.tree.always_has(bytes)
    }

    /// The one text that matches, if the expression has no special characters
    /// and has to match all of a text.
    pub fn literal(&self) -> Option<&[u8]> {
        match &self.engine {
            Engine::Equal(text) => Some(text),
            Engine::Regex(_) => None,
        }
    }
}

/// The tree of an expression that is not too long, and how many groups it has.
fn tree_of(expression: &[u8]) -> Result<(Node, usize), PatternError> {
    if expression.len() <= Pattern::MAX_LENGTH {
        return parse::parse(expression);
    }
    Err(PatternError {
        column: Pattern::MAX_LENGTH + 1,
        message: format!(
            "the expression has {} bytes, but {} are the most that it may have",
            expression.len(),
            Pattern::MAX_LENGTH
        ),
    })
}

/// Compiles what [`Node`] prints, which is well-formed: only its size may be
/// refused.
fn compile(expression: &str) -> Result<Regex, PatternError> {
    RegexBuilder::new(&format!("(?s-u){expression}"))
        .size_limit(Pattern::SIZE_LIMIT)
        .build()
        .map_err(|_| PatternError {
            column: 1,
            message: "the expression is too large".to_string(),
        })
}
