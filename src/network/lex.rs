//! From text to tokens.

use hyades_formats::{BYTE_ORDER_MARK, Position};

use super::messages::{Quote, Told};

/// A place in one of the texts that a network is read from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// Which text, in the order of opening; 0 is the network itself.
    pub text: u32,
    /// Where in it.
    pub position: Position,
}

/// Something wrong in a text, which ends its reading.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// Where.
    pub place: Place,
    /// The kind of error.
    pub code: &'static str,
    /// What was found, what was expected, what to do.
    pub told: Told,
}

impl SyntaxError {
    /// An error whose message is this, if it quotes nothing.
    pub(super) fn new(place: Place, code: &'static str, told: impl Into<Told>) -> Self {
        let told = told.into();
        Self { place, code, told }
    }

    /// An error whose message quotes the text through what it is given.
    pub(super) fn quoting(
        place: Place,
        code: &'static str,
        text: impl Fn(&Quote<'_>) -> String,
    ) -> Self {
        Self::new(place, code, Told::quoting(text))
    }
}

/// A token and where it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub place: Place,
}

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// An identifier that is no keyword.
    Name(Vec<u8>),
    /// What stands between double quotes, escapes replaced.
    Quoted(Vec<u8>),
    /// An identifier, a full stop and an ending.
    File(Vec<u8>),
    /// Digits.
    Number(Vec<u8>),
    /// A keyword.
    Word(&'static str),
    /// Punctuation, other than `_`.
    Symbol(&'static str),
    /// So many `_`, with `*` or `||` between them: vectors consist of little else.
    Blanks(usize),
    /// The end of the network.
    End,
}

impl Kind {
    /// The token as messages show it.
    pub fn show(&self, quote: &Quote<'_>) -> String {
        match self {
            Kind::Name(text) | Kind::File(text) | Kind::Number(text) => quote(text),
            Kind::Quoted(text) => format!("the text {}", quote(text)),
            Kind::Word(text) => format!("the keyword {}", quote(text.as_bytes())),
            Kind::Symbol(text) => quote(text.as_bytes()),
            Kind::Blanks(_) => quote(b"_"),
            Kind::End => "the end".into(),
        }
    }
}

const KEYWORDS: [&str; 24] = [
    "lotos",
    "elotos",
    "ccs",
    "csp",
    "mcrl",
    "behaviour",
    "behavior",
    "hide",
    "rename",
    "cut",
    "prio",
    "par",
    "in",
    "end",
    "using",
    "all",
    "but",
    "gate",
    "label",
    "total",
    "partial",
    "single",
    "multiple",
    "comm",
];

/// All symbols, those first of which others are a beginning. `]|`, `|]` and `]]`
/// are symbols only within the bracket that they close.
const SYMBOLS: [&str; 28] = [
    "|||", "||", "|[", "-||", "-|[", "]|", "[|", "|]", "[[", "]]", "->", "<-", "[", "]", "{", "}",
    "(", ")", ",", ">", "=", "#", "*", "_", "\\", "/", "|", "?",
];

/// The tokens of a text.
///
/// O(length).
///
/// # Errors
/// At the first byte that begins no token.
pub(super) fn tokens(text: u32, bytes: &[u8]) -> Result<Vec<Token>, SyntaxError> {
    let mut lexer = Lexer {
        text,
        bytes,
        at: 0,
        line: 1,
        line_start: 0,
        bracket: "",
    };
    let mut tokens = Vec::new();
    lexer.skip_mark();
    while let Some(token) = lexer.next()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer<'a> {
    text: u32,
    bytes: &'a [u8],
    at: usize,
    line: u64,
    line_start: usize,
    /// What opened the innermost square bracket, if one is open.
    bracket: &'static str,
}

impl Lexer<'_> {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    fn place(&self) -> Place {
        Place {
            text: self.text,
            position: Position::new(self.line, (self.at - self.line_start) as u64 + 1),
        }
    }

    fn error(&self, told: impl Into<Told>) -> SyntaxError {
        SyntaxError::new(self.place(), "exp-syntax", told)
    }

    /// That something that is found has no meaning.
    fn refuse(&self, found: &[u8], why: &str) -> SyntaxError {
        self.error(Told::quoting(|quote| format!("{} {why}", quote(found))))
    }

    /// A byte order mark counts for nothing.
    fn skip_mark(&mut self) {
        if self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.at = BYTE_ORDER_MARK.len();
            self.line_start = self.at;
        }
    }

    /// Goes on by so many bytes, none of which ends a line unless it is white
    /// space or in a comment.
    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            if self.bytes[self.at] == b'\n' {
                self.line += 1;
                self.line_start = self.at + 1;
            }
            self.at += 1;
        }
    }

    fn skip_blanks(&mut self) -> Result<(), SyntaxError> {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_ascii_start().len();
            if blanks > 0 {
                self.skip(blanks);
            } else if rest.starts_with(b"--") {
                let end = rest.iter().position(|&b| b == b'\n');
                self.skip(end.unwrap_or(rest.len()));
            } else if rest.starts_with(b"(*") {
                match rest[2..].windows(2).position(|pair| pair == b"*)") {
                    Some(end) => self.skip(end + 4),
                    None => return Err(self.error("the comment is not closed: `*)` is missing")),
                }
            } else {
                return Ok(());
            }
        }
    }

    fn next(&mut self) -> Result<Option<Token>, SyntaxError> {
        self.skip_blanks()?;
        let place = self.place();
        let Some(&first) = self.rest().first() else {
            return Ok(None);
        };
        let kind = match first {
            b'"' => self.quoted()?,
            b'a'..=b'z' | b'A'..=b'Z' => self.name()?,
            b'0'..=b'9' => self.number()?,
            _ => self.symbol()?,
        };
        Ok(Some(Token { kind, place }))
    }

    /// The letters, digits and underscores from here on.
    fn run(&self) -> usize {
        let rest = self.rest();
        let end = rest.iter().position(|&b| !is_word(b));
        end.unwrap_or(rest.len())
    }

    fn name(&mut self) -> Result<Kind, SyntaxError> {
        let length = self.run();
        let rest = self.rest();
        let name = &rest[..length];
        // A blank ends a name, so that what follows a full stop is its ending.
        if let Some([b'.', ending, ..]) = rest.get(length..)
            && ending.is_ascii_alphabetic()
        {
            let ending = &rest[length + 1..];
            let end = ending.iter().position(|&b| !is_word(b));
            let all = length + 1 + end.unwrap_or(ending.len());
            let kind = Kind::File(rest[..all].to_vec());
            self.at += all;
            return Ok(kind);
        }
        if name.ends_with(b"_") {
            let why = "ends with `_`: a label that is no identifier needs double quotes";
            return Err(self.refuse(name, why));
        }
        let word = KEYWORDS.into_iter().find(|word| word.as_bytes() == name);
        let kind = match word {
            Some(word) => Kind::Word(word),
            None => Kind::Name(name.to_vec()),
        };
        self.at += length;
        Ok(kind)
    }

    fn number(&mut self) -> Result<Kind, SyntaxError> {
        let run = &self.rest()[..self.run()];
        if !run.iter().all(u8::is_ascii_digit) {
            let why = "begins with a digit: a label that is no identifier needs double quotes";
            return Err(self.refuse(run, why));
        }
        let kind = Kind::Number(run.to_vec());
        self.at += self.run();
        Ok(kind)
    }

    fn quoted(&mut self) -> Result<Kind, SyntaxError> {
        let mut text = Vec::new();
        let mut bytes = self.rest()[1..].iter();
        loop {
            match bytes.next() {
                None | Some(b'\n') => {
                    return Err(self.error("the text is not closed: `\"` is missing in this line"));
                }
                Some(b'"') => break,
                Some(b'\\') => match bytes.as_slice().first() {
                    Some(&byte) if escape(byte).is_some() => {
                        text.extend(escape(byte));
                        bytes.next();
                    }
                    _ => text.push(b'\\'),
                },
                Some(&byte) => text.push(byte),
            }
        }
        self.at = self.bytes.len() - bytes.len();
        Ok(Kind::Quoted(text))
    }

    fn symbol(&mut self) -> Result<Kind, SyntaxError> {
        let rest = self.rest();
        let fits = |symbol: &&'static str| {
            rest.starts_with(symbol.as_bytes())
                && match *symbol {
                    "-||" => !rest.starts_with(b"-|||"),
                    "]|" => self.bracket == "|[",
                    "|]" => self.bracket == "[|",
                    "]]" => self.bracket == "[[",
                    _ => true,
                }
        };
        let Some(symbol) = SYMBOLS.into_iter().find(fits) else {
            let end = rest.iter().position(|&b| b.is_ascii_whitespace());
            return Err(self.refuse(
                &rest[..end.unwrap_or(rest.len()).min(12)],
                "has no meaning here: it begins no operator, and labels and names of files other \
                 than identifiers need double quotes",
            ));
        };
        match symbol {
            "-|[" => self.bracket = "|[",
            "|[" | "[|" | "[[" | "[" => self.bracket = symbol,
            "]|" | "|]" | "]]" | "]" => self.bracket = "",
            _ => {}
        }
        self.at += symbol.len();
        Ok(match symbol {
            "_" => Kind::Blanks(1 + self.more_blanks()),
            symbol => Kind::Symbol(symbol),
        })
    }

    /// Goes beyond the `_` that follow another one, and says how many there are.
    fn more_blanks(&mut self) -> usize {
        let mut count = 0;
        loop {
            let before = (self.at, self.line, self.line_start);
            if !self.skip_to_blank() {
                (self.at, self.line, self.line_start) = before;
                return count;
            }
            count += 1;
        }
    }

    /// Goes beyond `*` or `||`, and `_` behind it, if that is what comes next.
    fn skip_to_blank(&mut self) -> bool {
        // What is wrong with a comment is told when it is its turn.
        if self.skip_blanks().is_err() {
            return false;
        }
        let rest = self.rest();
        let between = match rest.starts_with(b"||") && !rest.starts_with(b"|||") {
            true => 2,
            false => usize::from(rest.starts_with(b"*")),
        };
        self.at += between;
        let is_blank = between > 0 && self.skip_blanks().is_ok() && self.rest().starts_with(b"_");
        self.at += usize::from(is_blank);
        is_blank
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// What a backslash and this byte stand for, if that is one character. Regular
/// expressions need the backslash in front of all others.
fn escape(byte: u8) -> Option<u8> {
    Some(match byte {
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'\\' | b'"' | b'\'' | b'?' => byte,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match tokens(0, text.as_bytes()) {
            Err(e) => format!(
                "{}:{} {}",
                e.place.position.line, e.place.position.column, e.told
            ),
            Ok(tokens) => {
                let show = |t: &Token| match &t.kind {
                    Kind::Name(text) => format!("{}", text.escape_ascii()),
                    Kind::Quoted(text) => format!("\"{}\"", text.escape_ascii()),
                    Kind::File(text) => format!("<{}>", text.escape_ascii()),
                    Kind::Number(text) => format!("{}", text.escape_ascii()),
                    Kind::Word(text) => text.to_uppercase(),
                    Kind::Symbol(text) => (*text).into(),
                    Kind::Blanks(count) => format!("_{count}"),
                    Kind::End => "end".into(),
                };
                tokens.iter().map(show).collect::<Vec<_>>().join(" ")
            }
        }
    }

    #[test]
    fn brackets_close_what_is_open() {
        for (text, expected) in [
            ("X [A/B]|| Y", "X [ A / B ] || Y"),
            ("X |[A]| Y", "X |[ A ]| Y"),
            ("X -|[A]| Y", "X -|[ A ]| Y"),
            ("X-|[A]|?Y", "X -|[ A ]| ? Y"),
            ("X -|| ? Y || Z", "X -|| ? Y || Z"),
            ("X|[A]|Y", "X |[ A ]| Y"),
            ("X [A/B]|[C]| Y", "X [ A / B ] |[ C ]| Y"),
            ("X [|{A}|] Y", "X [| { A } |] Y"),
            ("X [{A}||{B}] Y", "X [ { A } || { B } ] Y"),
            ("X [[A<-B]] Y", "X [[ A <- B ]] Y"),
            ("X [[A<-B]] ||| Y [C/D]", "X [[ A <- B ]] ||| Y [ C / D ]"),
            ("X|Y", "X | Y"),
            ("X ||| Y || Z", "X ||| Y || Z"),
            ("X \\ A", "X \\ A"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn comments_and_arrows() {
        for (text, expected) in [
            ("A->B", "A -> B"),
            ("A-->B\nC", "A C"),
            ("A (* x * ( -- \n *) B", "A B"),
            ("A (*) B *) C", "A C"),
            ("A (* (* *) B", "A B"),
            ("\"--\" \"(*\" -- \"", "\"--\" \"(*\""),
            ("\u{feff}A", "A"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn blanks_of_vectors_are_one_token() {
        for (text, expected) in [
            ("_", "_1"),
            ("_ * A * _*_||_ -> B", "_1 * A * _3 -> B"),
            ("_ *\n_ -- x\n * (* * _ *) _ || A", "_3 || A"),
            ("_ ||| _", "_1 ||| _1"),
            ("_ _ * B", "_1 _1 * B"),
            ("_ | _", "_1 | _1"),
            ("_ * (* x", "1:5 the comment is not closed: `*)` is missing"),
            ("_ *\n_ *\n B %", "3:4 `%` has no meaning here"),
        ] {
            let found = shown(text);
            assert!(found.starts_with(expected), "{text}: {found}");
        }
    }

    #[test]
    fn escapes_of_c_but_not_those_of_expressions() {
        for (text, expected) in [
            (r#""a\"b""#, r#""a\"b""#),
            (r#""\\""#, r#""\\""#),
            (r#""\\\\""#, r#""\\\\""#),
            (r#""\(\)\1\.\n\p\{""#, r#""\\(\\)\\1\\.\\n\\p\\{""#),
            (r#""\t\?\'""#, r#""\t?\'""#),
            (r#""\a\b\f\v\r""#, r#""\x07\x08\x0c\x0b\r""#),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn names_and_files() {
        for (text, expected) in [
            ("par par_ab A1_b", "PAR par_ab A1_b"),
            ("x.aut x .aut", "<x.aut> x 2:1"),
            ("hide.hid using f.rename", "<hide.hid> USING <f.rename>"),
            ("P#2,P#10", "P # 2 , P # 10"),
        ] {
            if !expected.contains(':') {
                assert_eq!(shown(text), expected, "{text}");
            }
        }
        for (text, expected) in [
            ("x .aut", "1:3 `.aut` has no meaning here"),
            ("A_ * B", "1:1 `A_` ends with `_`"),
            ("1a", "1:1 `1a` begins with a digit"),
            ("A\n  \"b\nc\"", "2:3 the text is not closed"),
            ("A (* b", "1:3 the comment is not closed"),
            ("A & B", "1:3 `&` has no meaning here"),
            ("A - B", "1:3 `-` has no meaning here"),
            ("A -||| B", "1:3 `-|||` has no meaning here"),
        ] {
            let found = shown(text);
            assert!(found.starts_with(expected), "{text}: {found}");
        }
    }
}
