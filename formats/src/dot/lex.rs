//! The tokens of DOT.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3, memmem};

use crate::fault::Fault;
use crate::format::BYTE_ORDER_MARK;

/// What an identifier or an attribute reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Text<'a> {
    /// A word or a number.
    Word(&'a [u8]),
    /// A string between quotes, put together from its parts. `\"` is a quote
    /// already; all other pairs of a backslash and a byte are still there.
    Quoted(Cow<'a, [u8]>),
    /// What stands between `<` and `>`.
    Html(&'a [u8]),
}

impl<'a> Text<'a> {
    /// The text as a name of a node, a subgraph or an attribute: names are the
    /// same if they have the same text, with or without quotes.
    pub fn name(self) -> Cow<'a, [u8]> {
        match self {
            Text::Word(word) => Cow::Borrowed(word),
            Text::Quoted(text) => text,
            Text::Html(text) => Cow::Owned([b"<", text, b">"].concat()),
        }
    }
}

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// An identifier, or a keyword that is still to be told from one.
    Text(Text<'a>),
    /// One of `{}[];,=:+`.
    Mark(u8),
    /// `->`
    Arrow,
    /// `--`
    Line,
    /// The end of the file.
    End,
}

/// Something that does not belong where it stands, in the file.
pub(super) fn fault(at: usize, text: impl Into<String>) -> Fault {
    Fault::new(at, "dot-syntax", text)
}

/// Cuts a file into tokens.
pub(super) struct Lexer<'a> {
    file: &'a [u8],
    /// Where the next token is looked for.
    at: usize,
}

impl<'a> Lexer<'a> {
    /// The tokens of a file, after a byte order mark.
    pub fn new(file: &'a [u8]) -> Self {
        let at = match file.starts_with(BYTE_ORDER_MARK) {
            true => BYTE_ORDER_MARK.len(),
            false => 0,
        };
        let mut lexer = Self { file, at };
        lexer.skip_directive();
        lexer
    }

    /// Where the next token is looked for.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Goes on at a byte that begins a token or comes right after one.
    pub fn seek(&mut self, at: usize) {
        self.at = at;
    }

    /// The next token, and where it begins.
    ///
    /// # Errors
    /// If there is something that begins no token, or a token has no end.
    pub fn next(&mut self) -> Result<(usize, Token<'a>), Fault> {
        self.skip_blanks()?;
        let start = self.at;
        let Some(&byte) = self.file.get(start) else {
            return Ok((start, Token::End));
        };
        let token = match byte {
            b'{' | b'}' | b'[' | b']' | b';' | b',' | b'=' | b':' | b'+' => {
                self.at += 1;
                Token::Mark(byte)
            }
            b'-' if self.file.get(start + 1) == Some(&b'>') => {
                self.at += 2;
                Token::Arrow
            }
            b'-' if self.file.get(start + 1) == Some(&b'-') => {
                self.at += 2;
                Token::Line
            }
            b'"' => Token::Text(Text::Quoted(self.quoted()?)),
            b'<' => Token::Text(Text::Html(self.html()?)),
            _ if is_word(byte) && !byte.is_ascii_digit() => {
                let rest = &self.file[start..];
                let len = rest.iter().position(|&b| !is_word(b));
                let len = len.unwrap_or(rest.len());
                self.at += len;
                Token::Text(Text::Word(&rest[..len]))
            }
            b'-' | b'.' | b'0'..=b'9' => Token::Text(Text::Word(self.number()?)),
            _ => {
                let shown = crate::diagnostic::excerpt(&[byte]);
                return Err(fault(
                    start,
                    format!("unexpected {shown}: names with such bytes need quotes"),
                ));
            }
        };
        Ok((start, token))
    }

    /// Skips white space, comments and lines for a preprocessor.
    fn skip_blanks(&mut self) -> Result<(), Fault> {
        loop {
            let rest = &self.file[self.at..];
            match rest {
                [b'\n', ..] => {
                    self.at += 1;
                    self.skip_directive();
                }
                [b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c', ..] => self.at += 1,
                [b'/', b'/', ..] => self.at += memchr(b'\n', rest).unwrap_or(rest.len()),
                [b'/', b'*', ..] => match memmem::find(&rest[2..], b"*/") {
                    Some(len) => self.at += len + 4,
                    None => return Err(fault(self.at, "the comment begun here has no end")),
                },
                _ => return Ok(()),
            }
        }
    }

    /// At the beginning of a line: skips it if it is for a preprocessor.
    fn skip_directive(&mut self) {
        let rest = &self.file[self.at..];
        if rest.starts_with(b"#") {
            self.at += memchr(b'\n', rest).unwrap_or(rest.len());
        }
    }

    /// `-`? (`.` digits | digits (`.` digits?)?)
    fn number(&mut self) -> Result<&'a [u8], Fault> {
        let rest = &self.file[self.at..];
        let digits = |from: usize| {
            let digits = rest[from..].iter().take_while(|b| b.is_ascii_digit());
            from + digits.count()
        };
        let sign = usize::from(rest[0] == b'-');
        let whole = digits(sign);
        let end = match rest.get(whole) {
            Some(b'.') => digits(whole + 1),
            _ => whole,
        };
        let number = &rest[..end];
        if !number.iter().any(u8::is_ascii_digit) {
            let len = rest.iter().position(u8::is_ascii_whitespace);
            let found = crate::diagnostic::excerpt(&rest[..len.unwrap_or(rest.len())]);
            return Err(fault(
                self.at,
                format!(
                    "expected a number, `->` or a name, which needs quotes if it is no word, \
                     found {found}"
                ),
            ));
        }
        if rest.get(end).is_some_and(|&b| is_word(b)) {
            return Err(fault(
                self.at,
                "a name that begins like a number needs quotes",
            ));
        }
        self.at += end;
        Ok(number)
    }

    /// A string, or several joined by `+`.
    fn quoted(&mut self) -> Result<Cow<'a, [u8]>, Fault> {
        let mut text = self.one_string()?;
        loop {
            let after = self.at;
            self.skip_blanks()?;
            if self.file.get(self.at) != Some(&b'+') {
                // comments are no matter to look at twice, but for their end
                self.at = after;
                return Ok(text);
            }
            self.at += 1;
            self.skip_blanks()?;
            if self.file.get(self.at) != Some(&b'"') {
                let found = match self.file.get(self.at) {
                    Some(&byte) => crate::diagnostic::excerpt(&[byte]),
                    None => "the end of the file".into(),
                };
                return Err(fault(
                    self.at,
                    format!("expected a string between quotes after `+`, found {found}"),
                ));
            }
            let next = self.one_string()?;
            text.to_mut().extend_from_slice(&next);
        }
    }

    fn one_string(&mut self) -> Result<Cow<'a, [u8]>, Fault> {
        let start = self.at + 1;
        let unfinished = || fault(start - 1, "the string begun here has no end");
        // what has been taken so far, where it is not just a part of the file
        let mut text = Vec::new();
        let mut taken = start;
        let mut at = start;
        loop {
            let rest = &self.file[at..];
            at += memchr3(b'"', b'\\', b'\r', rest).ok_or_else(unfinished)?;
            // how many bytes there are in the file, and what they stand for
            let (len, meaning): (usize, &[u8]) = match &self.file[at..] {
                [b'"', ..] => break,
                [b'\\', b'"', ..] => (2, b"\""),
                [b'\\', b'\n', ..] => (2, b""),
                [b'\\', b'\r', b'\n', ..] => (3, b""),
                [b'\r', b'\n', ..] => (2, b"\n"),
                [b'\r', ..] => {
                    at += 1;
                    continue;
                }
                [_, _, ..] => {
                    at += 2;
                    continue;
                }
                _ => return Err(unfinished()),
            };
            text.extend_from_slice(&self.file[taken..at]);
            text.extend_from_slice(meaning);
            at += len;
            taken = at;
        }
        self.at = at + 1;
        let rest = &self.file[taken..at];
        if taken == start {
            return Ok(Cow::Borrowed(rest));
        }
        text.extend_from_slice(rest);
        Ok(Cow::Owned(text))
    }

    /// What stands between balanced angle brackets.
    fn html(&mut self) -> Result<&'a [u8], Fault> {
        let start = self.at;
        let mut open = 0usize;
        let mut at = start;
        loop {
            match memchr2(b'<', b'>', &self.file[at..]) {
                Some(k) => at += k + 1,
                None => {
                    return Err(fault(
                        start,
                        "the HTML text begun here has no end: more `<` than `>`",
                    ));
                }
            }
            match self.file[at - 1] {
                b'<' => open += 1,
                _ => open -= 1,
            }
            if open == 0 {
                self.at = at;
                return Ok(&self.file[start + 1..at - 1]);
            }
        }
    }
}

/// Whether a byte may stand in a word.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(file: &[u8]) -> Result<Vec<String>, Fault> {
        let mut lexer = Lexer::new(file);
        let mut tokens = Vec::new();
        loop {
            tokens.push(match lexer.next()?.1 {
                Token::Text(Text::Word(w)) => w.escape_ascii().to_string(),
                Token::Text(Text::Quoted(t)) => format!("\"{}\"", String::from_utf8_lossy(&t)),
                Token::Text(Text::Html(t)) => format!("<{}>", String::from_utf8_lossy(t)),
                Token::Mark(b) => (b as char).to_string(),
                Token::Arrow => "->".into(),
                Token::Line => "--".into(),
                Token::End => return Ok(tokens),
            });
        }
    }

    #[test]
    fn all_kinds() {
        for (file, expected) in [
            ("a->b_1 -- -1 [x=.5]", "a -> b_1 -- -1 [ x = .5 ]"),
            ("1.;-2.5:n,0", "1. ; -2.5 : n , 0"),
            ("\u{e4}\u{20ac}", "\\xc3\\xa4\\xe2\\x82\\xac"),
            ("a//x\nb/*y\n#z*/c", "a b c"),
            ("a\n# b\nc", "a c"),
            ("\u{feff}# one\nb", "b"),
            ("<a<b>c>d", "<a<b>c> d"),
            ("<>", "<>"),
        ] {
            let expected: Vec<String> = expected.split(' ').map(Into::into).collect();
            assert_eq!(tokens(file.as_bytes()).unwrap(), expected, "{file}");
        }
    }

    #[test]
    fn strings() {
        for (file, expected) in [
            (r#""""#, "\"\""),
            (r#""a b""#, "\"a b\""),
            (r#""say \"hi\"""#, "\"say \"hi\"\""),
            (r#""a\\""#, "\"a\\\\\""),
            (r#""a\\\"b\n""#, "\"a\\\\\"b\\n\""),
            ("\"a\\\nb\\\r\nc\"", "\"abc\""),
            ("\"a\nb\r\nc\rd\"", "\"a\nb\nc\rd\""),
            ("\"a\" + \"b\"\n+/**/\"c\"", "\"abc\""),
            ("\"//\"", "\"//\""),
        ] {
            assert_eq!(tokens(file.as_bytes()).unwrap(), [expected], "{file}");
        }
    }

    #[test]
    fn what_has_no_end_or_begins_nothing() {
        for (file, at) in [
            ("a \"b", 2),
            ("a \"b\\", 2),
            ("a \"b\\\"", 2),
            ("a <b<c>", 2),
            ("a /* b", 2),
            ("\"a\" + b", 6),
            ("a 1b", 2),
            ("a - b", 2),
            ("a .", 2),
            ("a (b)", 2),
            ("a 'b'", 2),
            ("a / b", 2),
            ("# one\na # b", 8),
        ] {
            assert_eq!(tokens(file.as_bytes()).unwrap_err().at, at, "{file}");
        }
    }
}
