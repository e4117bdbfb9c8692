//! From text to tokens.

use hyades_formats::BYTE_ORDER_MARK;
use hyades_formats::diagnostic::excerpt;

use super::Fault;
use crate::syntax::{Place, SyntaxError};

/// Longest text, in bytes.
const MAX_LENGTH: usize = 1 << 24;

/// Words that are no names.
const KEYWORDS: [&str; 41] = [
    "true", "false", "tau", "val", "nil", "mu", "nu", "forall", "exists", "delay", "yaled", "inf",
    "sup", "sum", "form", "act", "sort", "map", "cons", "var", "eqn", "glob", "proc", "init",
    "struct", "Bool", "Pos", "Nat", "Int", "Real", "List", "Set", "Bag", "FSet", "FBag", "lambda",
    "whr", "end", "in", "div", "mod",
];

/// Punctuation, the longest first. `+` and `|` stand alone: `a++` and `<a|b>` are written,
/// too.
const SYMBOLS: [&str; 33] = [
    "&&", "||", "=>", "==", "!=", "<=", ">=", "->", "(", ")", "[", "]", "{", "}", "<", ">", "=",
    "+", "-", "*", "/", ",", ".", ":", ";", "|", "!", "#", "@", "?", "&", "\"", "~",
];

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name that is no keyword.
    Name,
    /// A keyword.
    Word(&'static str),
    /// Punctuation.
    Symbol(&'static str),
    /// Digits.
    Number,
    /// The end of the text.
    End,
}

/// A token and its text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub kind: Kind,
    pub place: Place,
    pub text: &'t [u8],
}

impl<'t> Token<'t> {
    /// Whether it is this keyword or punctuation.
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word(own) | Kind::Symbol(own) if own == text)
    }

    /// The text of a name, keyword or number, which is ASCII.
    pub fn name(&self) -> &'t str {
        str::from_utf8(self.text).unwrap_or_default()
    }

    /// As messages show it.
    pub fn show(&self) -> String {
        match self.kind {
            Kind::Name | Kind::Number => excerpt(self.text),
            Kind::Word(word) => format!("the keyword `{word}`"),
            Kind::Symbol(symbol) => format!("`{symbol}`"),
            Kind::End => "the end of the text".into(),
        }
    }
}

/// The tokens of a text; the last one is the end.
pub(super) fn tokens<'t>(text: &'t [u8], file: &str) -> Result<Vec<Token<'t>>, Fault> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let fault = |place: Place, message: String| {
        Box::new(SyntaxError {
            file: file.to_string(),
            place,
            message,
        })
    };
    if text.len() > MAX_LENGTH {
        let place = Place { line: 1, column: 1 };
        let message = format!("the text is longer than {} MiB", MAX_LENGTH >> 20);
        return Err(fault(place, message));
    }
    let mut tokens = Vec::new();
    let (mut at, mut line, mut line_start) = (0, 1, 0);
    loop {
        let rest = &text[at..];
        let place = Place {
            line,
            column: (at - line_start) as u32 + 1,
        };
        let run = |is_in: fn(&u8) -> bool| rest.iter().take_while(|b| is_in(b)).count();
        let (kind, len) = match rest {
            [] => (Kind::End, 0),
            [b'\n', ..] => {
                at += 1;
                line += 1;
                line_start = at;
                continue;
            }
            [b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c', ..] => {
                at += 1;
                continue;
            }
            [b'%', ..] => {
                at += run(|b| *b != b'\n');
                continue;
            }
            [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..] => {
                let len = run(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'\''));
                let keyword = KEYWORDS.iter().find(|k| k.as_bytes() == &rest[..len]);
                (keyword.map_or(Kind::Name, |k| Kind::Word(k)), len)
            }
            [b'0'..=b'9', ..] => (Kind::Number, run(u8::is_ascii_digit)),
            _ => match SYMBOLS.iter().find(|s| rest.starts_with(s.as_bytes())) {
                Some(symbol) => (Kind::Symbol(symbol), symbol.len()),
                None => {
                    let found = excerpt(&rest[..1]);
                    let hint = match rest[0] {
                        b'\'' => "; labels are written without quotes",
                        _ => "; comments begin with `%`",
                    };
                    return Err(fault(place, format!("unexpected character {found}{hint}")));
                }
            },
        };
        let text = &rest[..len];
        tokens.push(Token { kind, place, text });
        if kind == Kind::End {
            return Ok(tokens);
        }
        at += len;
    }
}
