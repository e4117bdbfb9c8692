//! From text to tokens, on demand: formulas and lines for the shell are no tokens.

use hyades_base::text::line_and_column;

use crate::parse::SyntaxError;
use crate::syntax::{Place, Text};
use crate::text::is_raw;

/// A token, and where it begins and ends.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// What a token is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Kind {
    /// Letters, digits and `_`; with `-` between such, or `tau*.a`, it can only be the
    /// name of a relation.
    Word(String),
    /// A name with an ending.
    File(String),
    /// Digits.
    Number(String),
    /// What stands between double quotes.
    Quoted(Text),
    /// Punctuation.
    Symbol(&'static str),
    /// A line for the shell, without its `%`.
    Shell(String),
    /// The end of the script.
    End,
}

impl Kind {
    /// The token as messages show it.
    pub fn show(&self) -> String {
        let cut = |text: &str| match text.char_indices().nth(40) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        };
        match self {
            Kind::Word(text) | Kind::File(text) | Kind::Number(text) => {
                format!("`{}`", cut(text))
            }
            Kind::Quoted(text) => format!("the text {}", cut(&text.to_string())),
            Kind::Symbol(text) => format!("`{text}`"),
            Kind::Shell(_) => "a line for the shell".into(),
            Kind::End => "the end of the script".into(),
        }
    }
}

/// All symbols, those first of which others are a beginning. `]|` is none: it closes
/// only what `|[` opens, see [`Lexer::closes_gates`].
const SYMBOLS: [&str; 25] = [
    "|||", "||", "|[", "|=", "-||", "-|[", "->", "==", "<=", ">=", "=", ">", "[", "]", "{", "}",
    "(", ")", ",", ";", ":", "?", "#", "*", "|",
];

/// Words that have a meaning; as the names of gates they stand between quotes.
const KEYWORDS: [&str; 52] = [
    "abstraction",
    "all",
    "bag",
    "branching",
    "but",
    "chaos",
    "check",
    "comparison",
    "cut",
    "deadlock",
    "divbranching",
    "divsharp",
    "end",
    "expected",
    "fifo",
    "gate",
    "generation",
    "hide",
    "hold",
    "in",
    "is",
    "label",
    "leaf",
    "livelock",
    "multiple",
    "node",
    "observational",
    "of",
    "par",
    "partial",
    "prio",
    "probabilistic",
    "property",
    "reduction",
    "refined",
    "rename",
    "result",
    "root",
    "safety",
    "sharp",
    "single",
    "smart",
    "stochastic",
    "stop",
    "strong",
    "sync",
    "total",
    "trace",
    "user",
    "using",
    "verify",
    "weak",
];

/// Whether a word has a meaning.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok() || word == "with"
}

/// What to do about bytes that are no UTF-8.
const WHERE_RAW: &str = "bytes that are no UTF-8 may stand in comments, in lines for the shell and \
                         in what a property says of itself only";

pub(crate) struct Lexer<'a> {
    pub text: &'a str,
}

impl<'a> Lexer<'a> {
    pub fn place(&self, offset: usize) -> Place {
        let (line, column) = line_and_column(self.text, offset);
        Place { line, column }
    }

    pub fn error(&self, offset: usize, text: impl Into<String>) -> SyntaxError {
        let place = self.place(offset);
        let text = text.into();
        SyntaxError { place, text }
    }

    /// The rest of the line, without its end.
    fn line_from(&self, at: usize) -> &'a str {
        let rest = &self.text[at..];
        let line = rest.split('\n').next().unwrap_or_default();
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Whether only blanks stand before this in its line.
    fn is_first(&self, at: usize) -> bool {
        let before = &self.text[..at];
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.chars()
            .all(|c| c.is_ascii_whitespace() || c == '\u{feff}')
    }

    /// Where blanks and comments end.
    fn skip_blanks(&self, mut at: usize) -> Result<usize, SyntaxError> {
        loop {
            let rest = &self.text[at..];
            let blanks = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
            let blanks = blanks.strip_prefix('\u{feff}').unwrap_or(blanks);
            if blanks.len() < rest.len() {
                at = self.text.len() - blanks.len();
            } else if rest.starts_with("--") {
                at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(inner) = rest.strip_prefix("(*") {
                match inner.find("*)") {
                    Some(end) => at += end + 4,
                    None => {
                        return Err(self.error(at, "the comment is not closed: `*)` is missing"));
                    }
                }
            } else {
                return Ok(at);
            }
        }
    }

    /// The first token from here on.
    pub fn token(&self, at: usize) -> Result<Token, SyntaxError> {
        let start = self.skip_blanks(at)?;
        let rest = &self.text[start..];
        let token = |kind, length| Token {
            kind,
            start,
            end: start + length,
        };
        let Some(first) = rest.chars().next() else {
            return Ok(token(Kind::End, 0));
        };
        if first == '%' {
            return self.shell_line(start);
        }
        if first == '"' {
            let (text, length) = self.quoted(start)?;
            self.refuse_raw(&rest[..length], start)?;
            return Ok(token(Kind::Quoted(text), length));
        }
        if first.is_ascii_alphanumeric() || first == '_' {
            let (kind, length) = word(rest);
            return Ok(token(kind, length));
        }
        for symbol in SYMBOLS {
            if rest.starts_with(symbol) {
                return Ok(token(Kind::Symbol(symbol), symbol.len()));
            }
        }
        let advice = match first {
            _ if is_raw(first) => WHERE_RAW,
            '$' => "variables stand between double quotes: \"$NAME.bcg\"",
            '\'' => "texts stand between double quotes",
            '-' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                "numbers with a sign stand between double quotes: \"-1\""
            }
            '/' | '.' | '-' => "such names of files stand between double quotes",
            _ => "texts and names of files stand between double quotes",
        };
        let shown = first.escape_debug();
        Err(self.error(start, format!("unexpected character `{shown}`: {advice}")))
    }

    /// Where a list of gates that `|[` opens is closed by `]|`.
    pub fn closes_gates(&self, at: usize) -> Result<Option<usize>, SyntaxError> {
        let start = self.skip_blanks(at)?;
        Ok(self.text[start..].starts_with("]|").then_some(start + 2))
    }

    fn shell_line(&self, start: usize) -> Result<Token, SyntaxError> {
        if !self.is_first(start) {
            return Err(self.error(
                start,
                "a line for the shell begins with `%`, and something stands before it: put it \
                 into a line of its own",
            ));
        }
        let line = self.line_from(start);
        if let Some(at) = line.find('\0') {
            return Err(self.error(start + at, "a zero byte, which no shell takes"));
        }
        // With the blank that stands after `%` a here-document would never end.
        let rest = line.strip_prefix('%').unwrap_or(line);
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        Ok(Token {
            kind: Kind::Shell(rest.to_owned()),
            start,
            end: start + line.len(),
        })
    }

    /// That all bytes of a text are parts of characters.
    fn refuse_raw(&self, text: &str, start: usize) -> Result<(), SyntaxError> {
        match text.find(is_raw) {
            Some(at) => Err(self.error(start + at, WHERE_RAW)),
            None => Ok(()),
        }
    }

    /// A text between double quotes that comes next, of any bytes, and where it ends.
    pub fn comment(&self, at: usize) -> Result<Option<(Text, usize)>, SyntaxError> {
        let start = self.skip_blanks(at)?;
        if !self.text[start..].starts_with('"') {
            return Ok(None);
        }
        let (text, length) = self.quoted(start)?;
        Ok(Some((text, start + length)))
    }

    fn quoted(&self, start: usize) -> Result<(Text, usize), SyntaxError> {
        let line = self.line_from(start);
        let mut is_escaped = false;
        for (at, c) in line.char_indices().skip(1) {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => {
                    let written = &line[1..at];
                    if let Some(zero) = written.find('\0') {
                        return Err(self.error(start + 1 + zero, "a zero byte in a text"));
                    }
                    return Ok((Text::of_string(written), at + 1));
                }
                _ => {}
            }
        }
        Err(self.error(
            start,
            "the text is not closed: `\"` is missing in this line",
        ))
    }

    /// A formula from here on: up to the `;` that is outside of quotes, comments and
    /// braces, or the end of the script, where that may be missing. What it reads, where
    /// it ends, and where what follows begins.
    pub fn formula(&self, from: usize) -> Result<(&'a str, usize, usize), SyntaxError> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        let mut braces: Vec<usize> = Vec::new();
        // A comment at the end of the script would hide the `;` that is added.
        let mut end = None;
        while at < bytes.len() {
            let rest = &self.text.as_bytes()[at..];
            match bytes[at] {
                b';' if braces.is_empty() => break,
                quote @ (b'"' | b'\'') => at += self.quote_in_formula(at, quote)?,
                b'-' if rest.starts_with(b"--") => {
                    let line = rest.iter().position(|&b| b == b'\n');
                    if line.is_none() {
                        end = Some(at);
                    }
                    at += line.unwrap_or(rest.len());
                }
                b'(' if rest.starts_with(b"(*") => {
                    match rest[2..].windows(2).position(|pair| pair == b"*)") {
                        Some(end) => at += end + 4,
                        None => {
                            return Err(
                                self.error(at, "the comment is not closed: `*)` is missing")
                            );
                        }
                    }
                }
                b'{' => {
                    braces.push(at);
                    at += 1;
                }
                b'}' => {
                    braces.pop();
                    at += 1;
                }
                _ => at += 1,
            }
        }
        if let Some(open) = braces.pop() {
            return Err(self.error(open, "the brace is not closed: `}` is missing"));
        }
        let text = &self.text[from..end.unwrap_or(at)];
        self.refuse_raw(text, from)?;
        if let Some(zero) = text.find('\0') {
            return Err(self.error(from + zero, "a zero byte in a formula"));
        }
        match text.trim() {
            "" if at == bytes.len() => {
                Err(self.error(at, "found the end of the script, expected a formula"))
            }
            text => Ok((text, at, bytes.len().min(at + 1))),
        }
    }

    /// The length of a text between quotes in a formula.
    fn quote_in_formula(&self, start: usize, quote: u8) -> Result<usize, SyntaxError> {
        let mut is_escaped = false;
        for (at, &byte) in self.text.as_bytes()[start..].iter().enumerate().skip(1) {
            match byte {
                b'\n' => break,
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                _ if byte == quote => return Ok(at + 1),
                _ => {}
            }
        }
        let quote = char::from(quote);
        Err(self.error(
            start,
            format!("the text is not closed: `{quote}` is missing in this line"),
        ))
    }

    /// What stands between parentheses, the first of which is here, and its length with
    /// both.
    pub fn parenthesised(&self, start: usize) -> Result<(&'a str, usize), SyntaxError> {
        let mut depth = 0usize;
        let mut is_quoted = false;
        for (at, c) in self.text[start..].char_indices() {
            match c {
                '"' => is_quoted = !is_quoted,
                '(' if !is_quoted => depth += 1,
                ')' if !is_quoted => {
                    depth -= 1;
                    if depth == 0 {
                        let inner = &self.text[start + 1..start + at];
                        self.refuse_raw(inner, start + 1)?;
                        return Ok((inner, at + 1));
                    }
                }
                _ => {}
            }
        }
        Err(self.error(start, "the parenthesis is not closed: `)` is missing"))
    }
}

/// The word, number or name of a file that a text begins with.
fn word(text: &str) -> (Kind, usize) {
    const SPECIAL: &str = "tau*.a";
    let bytes = text.as_bytes();
    let is_part = |at: usize| {
        let byte = bytes.get(at);
        byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
    };
    let run = |mut at: usize| {
        while is_part(at) {
            at += 1;
        }
        at
    };
    if text.starts_with(SPECIAL) && !is_part(SPECIAL.len()) {
        return (Kind::Word(SPECIAL.into()), SPECIAL.len());
    }
    let mut end = run(0);
    let mut is_number = bytes[..end].iter().all(u8::is_ascii_digit);
    while bytes.get(end) == Some(&b'-') && is_part(end + 1) {
        end = run(end + 1);
        is_number = false;
    }
    let stem = end;
    while bytes.get(end) == Some(&b'.') && is_part(end + 1) {
        end = run(end + 1);
    }
    let found = text[..end].to_owned();
    match (end > stem, is_number) {
        (true, _) => (Kind::File(found), end),
        (false, true) => (Kind::Number(found), end),
        (false, false) => (Kind::Word(found), end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_in_order() {
        assert!(KEYWORDS.is_sorted());
    }
}
