//! Texts with variables in them, as a script writes them and as a shell takes them.

use std::borrow::Cow;
use std::fmt;

/// Where characters begin that stand for bytes which are no part of any: those of a plane that
/// nobody uses.
const RAW: u32 = 0x10_FF00;

/// Whether a character stands for a byte that is no part of any.
pub(crate) fn is_raw(c: char) -> bool {
    u32::from(c) >= RAW + 0x80
}

/// The characters of a script. A byte that is no part of any becomes one that stands for it,
/// as do the bytes of those that would.
pub(crate) fn decoded(script: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(script)
        && !text.contains(is_raw)
    {
        return text.into();
    }
    let mut text = String::new();
    let push_raw = |text: &mut String, bytes: &[u8]| {
        let raw = bytes.iter().map(|&byte| RAW + u32::from(byte));
        text.extend(raw.filter_map(char::from_u32));
    };
    for chunk in script.utf8_chunks() {
        for c in chunk.valid().chars() {
            match is_raw(c) {
                true => push_raw(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes()),
                false => text.push(c),
            }
        }
        push_raw(&mut text, chunk.invalid());
    }
    text.into()
}

/// The bytes of a text that a script is printed as or translated to, with those of the script
/// that are no UTF-8.
///
/// O(length).
pub fn encoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u8::try_from(u32::from(c).wrapping_sub(RAW)) {
            Ok(byte) if is_raw(c) => bytes.push(byte),
            _ => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// A text between quotes in a script: the shell puts the values of variables in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text {
    /// Its pieces. No two literal ones follow one another.
    pub pieces: Vec<Piece>,
}

/// A piece of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Characters that stand for themselves.
    Literal(String),
    /// The value of a variable of the shell: an identifier, or a digit.
    Variable(String),
}

impl Text {
    /// A text without variables.
    pub fn literal(text: impl Into<String>) -> Self {
        Self {
            pieces: vec![Piece::Literal(text.into())],
        }
    }

    /// What it reads, if there is no variable in it.
    pub fn as_literal(&self) -> Option<&str> {
        match &self.pieces[..] {
            [] => Some(""),
            [Piece::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// The characters behind its last variable.
    pub fn ending(&self) -> &str {
        match self.pieces.last() {
            Some(Piece::Literal(text)) => text,
            _ => "",
        }
    }

    /// Adds characters that stand for themselves.
    pub(crate) fn push_str(&mut self, text: &str) {
        for c in text.chars() {
            self.push(c);
        }
    }

    /// Adds a text.
    pub(crate) fn push_text(&mut self, text: &Text) {
        for piece in &text.pieces {
            match piece {
                Piece::Literal(text) => self.push_str(text),
                Piece::Variable(_) => self.pieces.push(piece.clone()),
            }
        }
    }

    /// Adds a character.
    fn push(&mut self, c: char) {
        match self.pieces.last_mut() {
            Some(Piece::Literal(text)) => text.push(c),
            _ => self.pieces.push(Piece::Literal(c.into())),
        }
    }

    /// A text as a script has it between double quotes. Of escapes those of C become one
    /// character, but for `\n` and numbers, and `\$` a `$`; each other backslash stays. `$NAME`,
    /// `${NAME}` and `$1` are variables, unless a backslash is in front of them.
    pub fn of_string(written: &str) -> Self {
        let mut text = Self::default();
        let mut rest = written;
        while let Some(c) = rest.chars().next() {
            if let Some((name, length)) = variable(rest) {
                text.pieces.push(Piece::Variable(name.to_owned()));
                rest = &rest[length..];
                continue;
            }
            rest = &rest[c.len_utf8()..];
            if c != '\\' {
                text.push(c);
                continue;
            }
            let Some(next) = rest.chars().next() else {
                text.push(c);
                break;
            };
            match escaped(next) {
                Some(meant) => text.push(meant),
                None => {
                    text.push('\\');
                    text.push(next);
                }
            }
            rest = &rest[next.len_utf8()..];
        }
        text
    }

    /// A formula or the like, in which all but variables and `\$` stands for itself.
    pub fn of_formula(written: &str) -> Self {
        let mut text = Self::default();
        let mut rest = written;
        while let Some(c) = rest.chars().next() {
            if let Some((name, length)) = variable(rest) {
                text.pieces.push(Piece::Variable(name.to_owned()));
                rest = &rest[length..];
                continue;
            }
            rest = &rest[c.len_utf8()..];
            // What follows a backslash is taken with it: `\\$NAME` has a variable.
            let next = rest.chars().next().filter(|_| c == '\\');
            if next != Some('$') {
                text.push(c);
            }
            if let Some(next) = next {
                text.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
        text
    }

    /// As a formula that reads the same again.
    pub(crate) fn to_formula(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Variable(name) => text.push_str(&format!("${{{name}}}")),
                Piece::Literal(literal) => text.push_str(&without_variables(literal)),
            }
        }
        text
    }
}

/// A text that has no variables, where a backslash is put in front of each `$` that would begin
/// one.
fn without_variables(literal: &str) -> String {
    let mut text = String::new();
    for (at, c) in literal.char_indices() {
        if variable(&literal[at..]).is_some() {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// The character that a backslash and this one stand for, if it is one.
fn escaped(c: char) -> Option<char> {
    Some(match c {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '\\' | '"' | '\'' | '?' | '$' => c,
        _ => return None,
    })
}

/// The variable that a text begins with, and the length of what names it.
fn variable(text: &str) -> Option<(&str, usize)> {
    let rest = text.strip_prefix('$')?;
    if let Some(inner) = rest.strip_prefix('{') {
        let name = identifier(inner)?;
        return inner[name.len()..]
            .starts_with('}')
            .then_some((name, name.len() + 3));
    }
    let name = identifier(rest)?;
    Some((name, name.len() + 1))
}

/// The identifier, or the one digit, that a text begins with.
fn identifier(text: &str) -> Option<&str> {
    let first = text.bytes().next()?;
    if first.is_ascii_digit() {
        return Some(&text[..1]);
    }
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let length = text.bytes().take_while(|b| is_part(b)).count();
    (length > 0).then(|| &text[..length])
}

/// As a script has it, between double quotes; reads the same again.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for piece in &self.pieces {
            match piece {
                Piece::Variable(name) => write!(f, "${{{name}}}")?,
                Piece::Literal(text) => {
                    for (at, c) in text.char_indices() {
                        match c {
                            '$' if variable(&text[at..]).is_some() => f.write_str("\\$")?,
                            '\\' => f.write_str("\\\\")?,
                            '"' => f.write_str("\\\"")?,
                            '\x07' => f.write_str("\\a")?,
                            '\x08' => f.write_str("\\b")?,
                            '\x0c' => f.write_str("\\f")?,
                            '\r' => f.write_str("\\r")?,
                            '\t' => f.write_str("\\t")?,
                            '\x0b' => f.write_str("\\v")?,
                            c => write!(f, "{c}")?,
                        }
                    }
                }
            }
        }
        f.write_str("\"")
    }
}

/// A text as a shell takes it as one word, to be shown to who may copy it.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./=+,@%:-".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// A word of a shell: put between double quotes, so that it is one argument whatever the
/// values of its variables are, and nothing in it is run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Word(String);

impl Word {
    /// A word with no variables.
    pub fn of(text: &str) -> Self {
        let mut word = Self::default();
        word.push_str(text);
        word
    }

    /// The value of a variable of the shell.
    pub fn of_variable(name: &str) -> Self {
        let mut word = Self::default();
        word.push_variable(name);
        word
    }

    /// A text of a script.
    pub fn of_text(text: &Text) -> Self {
        let mut word = Self::default();
        word.push_text(text);
        word
    }

    /// Adds characters that stand for themselves.
    pub fn push_str(&mut self, text: &str) {
        for c in text.chars() {
            if matches!(c, '\\' | '"' | '$' | '`') {
                self.0.push('\\');
            }
            self.0.push(c);
        }
    }

    /// Adds the value of a variable; nothing if it has none.
    pub fn push_variable(&mut self, name: &str) {
        self.0.push_str(&format!("${{{name}-}}"));
    }

    /// Adds a text.
    pub fn push_text(&mut self, text: &Text) {
        for piece in &text.pieces {
            match piece {
                Piece::Literal(text) => self.push_str(text),
                Piece::Variable(name) => self.push_variable(name),
            }
        }
    }

    /// Adds a text between double quotes as networks have them, which read as the text
    /// again.
    pub fn push_quoted(&mut self, text: &Text) {
        self.push_str("\"");
        for piece in &text.pieces {
            match piece {
                Piece::Literal(text) => {
                    self.push_str(&text.replace('\\', "\\\\").replace('"', "\\\""));
                }
                Piece::Variable(name) => self.push_quoted_value(name),
            }
        }
        self.push_str("\"");
    }

    /// Adds the name of a file between double quotes as networks have them. In a network
    /// that is written to another directory it has to be found from there.
    pub fn push_file(&mut self, file: &Word) {
        self.push_str("\"");
        self.0.push_str(&format!("$(svl_place {file})"));
        self.push_str("\"");
    }

    /// Adds the value of a variable as it stands between quotes of a network.
    pub fn push_quoted_value(&mut self, name: &str) {
        self.0.push_str(&format!("$(svl_escape \"${{{name}-}}\")"));
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}
