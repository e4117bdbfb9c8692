//! From text to tokens.

use hyades_formats::BYTE_ORDER_MARK;
use hyades_formats::diagnostic::excerpt;

use super::Fault;
use crate::syntax::{Place, SyntaxError};

/// Words that are no names.
const KEYWORDS: [&str; 35] = [
    "true",
    "false",
    "not",
    "and",
    "or",
    "implies",
    "equ",
    "mu",
    "nu",
    "nil",
    "tau",
    "visible",
    "any",
    "let",
    "in",
    "end",
    "if",
    "then",
    "elsif",
    "else",
    "forall",
    "exists",
    "among",
    "where",
    "for",
    "from",
    "to",
    "step",
    "do",
    "case",
    "of",
    "macro",
    "end_macro",
    "library",
    "end_library",
];

/// Punctuation, the longest first.
const SYMBOLS: [&str; 27] = [
    "...", ":=", "<>", "<=", ">=", "-|", "(", ")", "[", "]", "{", "}", "<", ">", "=", "+", "-",
    "*", "/", "%", ",", ".", ":", "|", "?", "!", "@",
];

/// What users of other languages write, and what to write instead.
const SLIPS: [(&str, &str); 15] = [
    ("&&", "write `and`"),
    ("&", "write `and`"),
    ("||", "write `or`; between regular formulas `|`"),
    ("==", "write `=`"),
    ("=>", "write `implies`"),
    ("->", "write `implies`"),
    ("<->", "write `equ`"),
    ("<=>", "write `equ`"),
    ("!=", "write `<>`"),
    (
        "//",
        "comments are `(* … *)`, or `--` to the end of the line",
    ),
    (
        "/*",
        "comments are `(* … *)`, or `--` to the end of the line",
    ),
    (";", "nothing stands at the end of a formula"),
    ("~", "write `not`"),
    (
        "^",
        "a set of labels has a `not` before it; there is no power",
    ),
    ("..", "write `...`"),
];

/// Why `case` is refused.
pub(super) const CASE_IS_REFUSED: &str = "`case` is not supported: write `if … elsif … end if`";

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name that is no keyword.
    Name,
    /// A keyword.
    Word(&'static str),
    /// Punctuation.
    Symbol(&'static str),
    /// What stands between double quotes, with them.
    String,
    /// What stands between apostrophes, with them.
    Pattern,
    /// Digits.
    Number,
    /// Digits, a point, digits.
    Real,
    /// The name of a library, without quotes.
    Library,
    /// The end of the text.
    End,
}

/// A token, where it begins and where its text is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub place: Place,
    /// In which of the [`Texts`] it stands, where it begins and how long it is.
    pub(super) text: (u32, u32, u32),
    /// A fixpoint variable of a built-in macro, which is none of a user's.
    pub hygienic: bool,
    /// The macro that it is from, by its number; the outermost one.
    pub origin: Option<u32>,
}

impl Token {
    /// Punctuation that stands in no text.
    pub fn symbol(symbol: &'static str, place: Place, origin: Option<u32>) -> Self {
        Self {
            kind: Kind::Symbol(symbol),
            place,
            text: (0, 0, 0),
            hygienic: false,
            origin,
        }
    }

    /// This token with the text of another one.
    pub fn renamed(self, other: &Token) -> Self {
        Self {
            text: other.text,
            ..self
        }
    }

    /// Whether it is this keyword or punctuation.
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word(own) | Kind::Symbol(own) if own == text)
    }
}

/// The texts that tokens are from.
#[derive(Clone, Default, Debug)]
pub(super) struct Texts(Vec<Text>);

/// A text, or the name of a variable that stands in none.
#[derive(Clone, Debug)]
struct Text {
    /// The file that it is in, if it is one of a user's.
    file: Option<Box<str>>,
    bytes: Vec<u8>,
}

impl Texts {
    /// Longest text, in bytes.
    pub const MAX_LENGTH: usize = 1 << 24;

    /// The bytes of a token.
    pub fn of(&self, token: &Token) -> &[u8] {
        let (text, start, len) = token.text;
        match token.kind {
            Kind::Word(text) | Kind::Symbol(text) => text.as_bytes(),
            _ => &self.0[text as usize].bytes[start as usize..][..len as usize],
        }
    }

    /// A name, which is ASCII.
    pub fn name(&self, token: &Token) -> &str {
        str::from_utf8(self.of(token)).unwrap_or_default()
    }

    /// The token as messages show it.
    pub fn show(&self, token: &Token) -> String {
        match token.kind {
            Kind::Name | Kind::Number | Kind::Real | Kind::Library => excerpt(self.of(token)),
            Kind::Word(word) => format!("the keyword `{word}`"),
            Kind::Symbol(symbol) => format!("`{symbol}`"),
            Kind::String => format!("the string {}", excerpt(self.of(token))),
            Kind::Pattern => format!("the pattern {}", excerpt(self.of(token))),
            Kind::End => "the end of the text".into(),
        }
    }

    /// A name that stands in no text, as a token like another one.
    pub fn invent(&mut self, name: String, like: &Token) -> Token {
        let text = (self.0.len() as u32, 0, name.len() as u32);
        self.0.push(Text {
            file: None,
            bytes: name.into_bytes(),
        });
        Token { text, ..*like }
    }

    /// The tokens of a text; the last one is the end.
    pub fn add(&mut self, text: &[u8], file: &str) -> Result<Vec<Token>, Fault> {
        let mut lexer = Lexer::new(text, file, self.0.len() as u32);
        let text = lexer.text;
        if text.len() > Self::MAX_LENGTH {
            let most = Self::MAX_LENGTH >> 20;
            return Err(lexer.error(0, format!("the text is longer than {most} MiB")));
        }
        let mut tokens = Vec::new();
        let mut names = false;
        loop {
            let token = lexer.next(names)?;
            match token.kind {
                Kind::Word("library") => names = true,
                Kind::Word("end_library") => names = false,
                _ => {}
            }
            tokens.push(token);
            if token.kind == Kind::End {
                break;
            }
        }
        self.0.push(Text {
            file: Some(file.into()),
            bytes: text.to_vec(),
        });
        Ok(tokens)
    }

    /// Whether a text begins as libraries do, with a macro or another library.
    pub fn is_library(text: &[u8]) -> bool {
        let first = Lexer::new(text, "", 0).next(false);
        first.is_ok_and(|token| token.is("macro") || token.is("library"))
    }

    /// These texts as those of no file.
    pub fn without_files(mut self) -> Self {
        self.0.iter_mut().for_each(|text| text.file = None);
        self
    }

    /// The file and the place in it where a token is written, whatever its own place is: that of
    /// a macro's call. None if it is written in no file.
    pub fn written(&self, token: &Token) -> Option<(&str, Place)> {
        let (text, start, len) = token.text;
        let Text { file, bytes } = self.0.get(text as usize).filter(|_| len > 0)?;
        let before = bytes.get(..start as usize)?;
        let line = before.iter().filter(|&&byte| byte == b'\n').count();
        let column = before
            .iter()
            .rev()
            .take_while(|&&byte| byte != b'\n')
            .count();
        let place = Place {
            line: line as u32 + 1,
            column: column as u32 + 1,
        };
        Some((file.as_deref()?, place))
    }
}

struct Lexer<'t> {
    text: &'t [u8],
    file: &'t str,
    number: u32,
    at: usize,
    line: u32,
    line_start: usize,
    /// Where the last `case` begins, whose arrows are no slips.
    case: Option<Place>,
}

impl<'t> Lexer<'t> {
    /// At the beginning of a text, which has this number.
    fn new(text: &'t [u8], file: &'t str, number: u32) -> Self {
        Self {
            text: text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text),
            file,
            number,
            at: 0,
            line: 1,
            line_start: 0,
            case: None,
        }
    }
}

impl Lexer<'_> {
    fn place(&self, at: usize) -> Place {
        Place {
            line: self.line,
            column: (at - self.line_start) as u32 + 1,
        }
    }

    fn error(&self, at: usize, message: impl Into<String>) -> Fault {
        self.fault(self.place(at), message)
    }

    fn fault(&self, place: Place, message: impl Into<String>) -> Fault {
        Box::new(SyntaxError {
            file: self.file.to_string(),
            place,
            message: message.into(),
        })
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line += 1;
        self.line_start = self.at;
    }

    /// To the next token, over white space and comments.
    fn skip(&mut self) -> Result<(), Fault> {
        loop {
            match self.rest() {
                [b'\n', ..] => self.newline(),
                [b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c', ..] => self.at += 1,
                [b'-', b'-', ..] => {
                    let len = self.rest().iter().position(|&b| b == b'\n');
                    self.at = len.map_or(self.text.len(), |len| self.at + len);
                }
                [b'(', b'*', ..] => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Fault> {
        let unclosed = self.error(
            self.at,
            "comment without an end: `(*` always opens one; write `*)` behind it",
        );
        self.at += 2;
        loop {
            match self.rest() {
                [b'*', b')', ..] => {
                    self.at += 2;
                    return Ok(());
                }
                [b'\n', ..] => self.newline(),
                [_, ..] => self.at += 1,
                [] => return Err(unclosed),
            }
        }
    }

    /// The next token; `names` says that names of libraries stand here.
    fn next(&mut self, names: bool) -> Result<Token, Fault> {
        self.skip()?;
        let start = self.at;
        let place = self.place(start);
        let mut inside = 0;
        let kind = match self.rest() {
            [] => Kind::End,
            [b'"', ..] if names => {
                self.quoted(b'"')?;
                inside = 1;
                Kind::Library
            }
            [first, ..] if names && *first != b',' => {
                let ends = |b: &u8| *b == b',' || b.is_ascii_whitespace();
                let len = self.rest().iter().position(ends);
                self.at += len.unwrap_or(self.rest().len());
                match &self.text[start..self.at] {
                    b"end_library" => Kind::Word("end_library"),
                    _ => Kind::Library,
                }
            }
            [b'"', ..] => {
                self.quoted(b'"')?;
                Kind::String
            }
            [b'\'', ..] => {
                self.quoted(b'\'')?;
                Kind::Pattern
            }
            [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..] => {
                self.skip_while(|b| b.is_ascii_alphanumeric() || b == b'_');
                let word = &self.text[start..self.at];
                let keyword = KEYWORDS.iter().find(|k| k.as_bytes() == word);
                if keyword == Some(&"case") {
                    self.case = Some(place);
                }
                keyword.map_or(Kind::Name, |keyword| Kind::Word(keyword))
            }
            [b'0'..=b'9', ..] => {
                self.skip_while(|b| b.is_ascii_digit());
                match self.rest() {
                    [b'.', b'0'..=b'9', ..] => {
                        self.at += 1;
                        self.skip_while(|b| b.is_ascii_digit());
                        Kind::Real
                    }
                    _ => Kind::Number,
                }
            }
            rest => {
                let slip = |(slip, _): &&(&str, &str)| {
                    rest.starts_with(slip.as_bytes()) && !rest.starts_with(b"...")
                };
                if let Some((slip, hint)) = SLIPS.iter().find(slip) {
                    return Err(match self.case {
                        Some(case) if *slip == "->" => self.fault(case, CASE_IS_REFUSED),
                        _ => self.error(start, format!("found `{slip}`: {hint}")),
                    });
                }
                let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(s.as_bytes())) else {
                    let found = excerpt(&rest[..1]);
                    return Err(self.error(start, format!("found {found}, expected a formula")));
                };
                self.at += symbol.len();
                Kind::Symbol(symbol)
            }
        };
        let len = self.at - start - 2 * inside;
        Ok(Token {
            kind,
            place,
            text: (self.number, (start + inside) as u32, len as u32),
            hygienic: false,
            origin: None,
        })
    }

    fn skip_while(&mut self, holds: impl Fn(u8) -> bool) {
        let len = self.rest().iter().position(|&b| !holds(b));
        self.at += len.unwrap_or(self.rest().len());
    }

    /// Over a text between quotes of this kind; strings have escapes, patterns have none.
    fn quoted(&mut self, quote: u8) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.rest() {
                [b'\\', b'"' | b'\\', ..] if quote == b'"' => self.at += 2,
                [b, ..] if *b == quote => {
                    self.at += 1;
                    return Ok(());
                }
                [] | [b'\n' | b'\r', ..] => {
                    let (what, quote) = match quote {
                        b'"' => ("string", '"'),
                        _ => ("pattern", '\''),
                    };
                    let message = format!(
                        "{what} without an end: write `{quote}` behind it on the same line"
                    );
                    return Err(self.error(start, message));
                }
                _ => self.at += 1,
            }
        }
    }
}

/// What a string of the language means: `\"` and `\\` are escapes, other backslashes stay.
pub(super) fn unescaped(quoted: &[u8]) -> Vec<u8> {
    let inner = &quoted[1..quoted.len() - 1];
    let mut text = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied().peekable();
    while let Some(b) = bytes.next() {
        let escaped = bytes.next_if(|next| b == b'\\' && matches!(next, b'"' | b'\\'));
        text.push(escaped.unwrap_or(b));
    }
    text
}

/// The keyword that a name is but for its case.
pub(super) fn keyword_like(name: &[u8]) -> Option<&'static str> {
    let mut keywords = KEYWORDS.iter();
    keywords
        .find(|keyword| keyword.as_bytes().eq_ignore_ascii_case(name))
        .copied()
}
