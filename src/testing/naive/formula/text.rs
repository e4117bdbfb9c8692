//! A line of a formula, read from the left.

use super::Action;

/// What is wrong, and at which byte.
pub(super) struct Error {
    pub(super) at: usize,
    pub(super) message: String,
}

/// A line and how far it is read. What is asked for and not there is not read, but
/// for the blanks before it.
#[derive(Clone)]
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Text<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        let bytes = line.as_bytes();
        Self { bytes, at: 0 }
    }

    pub(super) fn error<T>(&self, message: &str) -> Result<T, Error> {
        Err(Error {
            at: self.at,
            message: message.to_owned(),
        })
    }

    fn rest(&mut self) -> &'a [u8] {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
        &self.bytes[self.at..]
    }

    pub(super) fn is_at_end(&mut self) -> bool {
        self.rest().is_empty()
    }

    /// Whether this symbol comes next, which is then read.
    pub(super) fn symbol(&mut self, symbol: &str) -> bool {
        let found = self.rest().starts_with(symbol.as_bytes());
        self.at += if found { symbol.len() } else { 0 };
        found
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<(), Error> {
        match self.symbol(symbol) {
            true => Ok(()),
            false => self.error(&format!("expected `{symbol}`")),
        }
    }

    /// A word of letters, digits and underscores, which starts with none of the
    /// digits.
    fn any_word(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        let belongs = |c: &&u8| c.is_ascii_alphanumeric() || **c == b'_';
        let length = rest.iter().take_while(belongs).count();
        let starts = rest.first().is_some_and(|c| !c.is_ascii_digit());
        (length > 0 && starts).then(|| {
            self.at += length;
            &rest[..length]
        })
    }

    /// Whether this word comes next, which is then read.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let start = self.at;
        let found = self.any_word() == Some(word.as_bytes());
        if !found {
            self.at = start;
        }
        found
    }

    /// A name of a definition, that is, any word but those of the language.
    pub(super) fn name(&mut self) -> Option<String> {
        let start = self.at;
        let reserved: [&[u8]; 4] = [b"true", b"false", b"div", b"U"];
        let name = self.any_word().filter(|word| !reserved.contains(word));
        if name.is_none() {
            self.at = start;
        }
        name.map(|name| String::from_utf8_lossy(name).into_owned())
    }

    /// The name in front of a formula, and `=`.
    pub(super) fn definition(&mut self) -> Result<String, Error> {
        let Some(name) = self.name() else {
            return self.error("expected a name");
        };
        self.expect("=")?;
        Ok(name)
    }

    /// An action between these symbols of one character each, if all come next.
    pub(super) fn between(&mut self, before: &str, behind: &str) -> Option<Action> {
        let mut ahead = self.clone();
        let symbols = |text: &mut Self, all: &str| {
            let mut symbols = all.split_inclusive(|_| true);
            symbols.all(|symbol| text.symbol(symbol))
        };
        if !symbols(&mut ahead, before) {
            return None;
        }
        let action = ahead.action().ok()?;
        symbols(&mut ahead, behind).then(|| {
            *self = ahead;
            action
        })
    }

    /// A label in quotes, `i` or `tau`.
    pub(super) fn action(&mut self) -> Result<Action, Error> {
        if self.word("i") || self.word("tau") {
            return Ok(None);
        }
        self.expect("\"")?;
        let mut label = Vec::new();
        loop {
            let rest = &self.bytes[self.at..];
            let (byte, length) = match *rest {
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(Some(label));
                }
                [b'\\', c @ (b'"' | b'\\'), ..] => (c, 2),
                [b'\\', b'n', ..] => (b'\n', 2),
                [b'\\', b'r', ..] => (b'\r', 2),
                [b'\\', b't', ..] => (b'\t', 2),
                [b'\\', b'x', high, low, ..] => match (digit(high), digit(low)) {
                    (Some(high), Some(low)) => (16 * high + low, 4),
                    _ => return self.error("expected two hexadecimal digits"),
                },
                [b'\\', ..] => return self.error("unknown escape"),
                [c, ..] => (c, 1),
                [] => return self.error("expected a closing quote"),
            };
            label.push(byte);
            self.at += length;
        }
    }
}

/// The value of a hexadecimal digit.
fn digit(c: u8) -> Option<u8> {
    let value = char::from(c).to_digit(16)?;
    u8::try_from(value).ok()
}
