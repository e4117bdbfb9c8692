//! The syntax of one line.

use hyades_formats::diagnostic::excerpt;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::symbols::SuiteTest;

/// What is wrong with a line: the byte, from 0, and a text.
pub(super) type Fault = (usize, String);

/// A line, and how far it has been read.
pub(super) struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(line: &'a [u8]) -> Self {
        Self { line, at: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        &self.line[self.at..]
    }

    fn skip_blanks(&mut self) {
        let blank = |&&b: &&u8| matches!(b, b' ' | b'\t' | b'\r');
        self.at += self.rest().iter().take_while(blank).count();
    }

    fn is_at_end(&self) -> bool {
        self.at == self.line.len()
    }

    fn take(&mut self, byte: u8) -> bool {
        let taken = self.rest().first() == Some(&byte);
        self.at += usize::from(taken);
        taken
    }

    fn expected<T>(&self, what: &str) -> Result<T, Fault> {
        let found = match self.rest() {
            [] => "the end of the line".to_owned(),
            rest => excerpt(&rest[..rest.len().min(12)]),
        };
        Err((self.at, format!("found {found}, expected {what}")))
    }

    /// A JSON value.
    fn json<T: DeserializeOwned>(&mut self, what: &str) -> Result<T, Fault> {
        let mut values = serde_json::Deserializer::from_slice(self.rest()).into_iter::<T>();
        match values.next() {
            Some(Ok(value)) => {
                self.at += values.byte_offset();
                Ok(value)
            }
            None => self.expected(what),
            Some(Err(error)) => {
                // Columns of serde_json count bytes, from 1; at the end of the
                // text they are its length.
                let column = self.at + error.column().saturating_sub(1);
                let text = error.to_string();
                let text = text.split(" at line ").next().unwrap_or_default();
                Err((column, format!("{text}, expected {what}")))
            }
        }
    }

    /// A JSON string in which `\xNN` is a byte.
    fn quoted(&mut self) -> Result<Vec<u8>, Fault> {
        let (bytes, end) = quoted_bytes(self.rest());
        if bytes.is_empty() {
            return Ok(self.json::<String>("a JSON string")?.into_bytes());
        }
        let Some(end) = end else {
            self.at = self.line.len();
            return self.expected("the closing quote of a string");
        };
        let start = self.at;
        let mut symbol = Vec::new();
        // What is between these bytes is a JSON string without quotes.
        let mut from = start + 1;
        let places = bytes.iter().map(|&(at, byte)| (start + at, Some(byte)));
        for (at, byte) in places.chain([(start + end, None)]) {
            let piece = [b"\"", &self.line[from..at], b"\""].concat();
            let mut cursor = Cursor::new(&piece);
            let text: Result<String, Fault> = cursor.json("a JSON string");
            let text = text.map_err(|(column, text)| (from + column.saturating_sub(1), text))?;
            symbol.extend_from_slice(text.as_bytes());
            symbol.extend(byte);
            from = at + 4;
        }
        self.at = start + end + 1;
        Ok(symbol)
    }

    /// A line of text.
    pub fn text(&mut self, test: &mut SuiteTest) -> Result<(), Fault> {
        loop {
            self.skip_blanks();
            let start = self.at;
            let Some(&first) = self.rest().first() else {
                return Ok(());
            };
            if first == b'"' {
                let symbol = self.quoted()?;
                if !matches!(self.rest().first(), None | Some(b' ' | b'\t' | b'\r')) {
                    return self.expected("a blank after a JSON string");
                }
                add(test, &symbol, start);
                continue;
            }
            let bare = |&&b: &&u8| !matches!(b, b' ' | b'\t' | b'\r');
            let length = self.rest().iter().take_while(bare).count();
            let symbol = &self.rest()[..length];
            if symbol == b"=>" {
                if test.has_outputs {
                    return self.expected("no second `=>`: write the symbol as \"=>\"");
                }
                test.has_outputs = true;
            } else if first == b'#' {
                return self.expected(
                    "no symbol that begins so: write it as a JSON string, or a comment on a line \
                     of its own",
                );
            } else if let Some(odd) = symbol.iter().position(|b| matches!(b, b'"' | b'\\')) {
                self.at += odd;
                return self.expected(
                    "no quotes and backslashes in a bare symbol: write it as a JSON string",
                );
            } else {
                add(test, symbol, start);
            }
            self.at = start + length;
        }
    }

    /// A JSON object with the fields `in` and perhaps `out`.
    pub fn object(&mut self, test: &mut SuiteTest) -> Result<(), Fault> {
        self.skip_blanks();
        if !self.take(b'{') {
            return self.expected("an object such as {\"in\":[\"a\"],\"out\":[\"0\"]}");
        }
        let mut has_inputs = false;
        self.skip_blanks();
        if !self.take(b'}') {
            loop {
                self.skip_blanks();
                let start = self.at;
                let key: String = self.json("a name in quotes")?;
                self.skip_blanks();
                if !self.take(b':') {
                    return self.expected("`:`");
                }
                self.skip_blanks();
                match key.as_str() {
                    "in" if !std::mem::replace(&mut has_inputs, true) => {
                        self.array(&mut |symbol, at| {
                            test.inputs.push(symbol);
                            test.columns.push(at as u64 + 1);
                        })?;
                    }
                    "out" if self.rest().starts_with(b"null") => {
                        self.json::<IgnoredAny>("null")?;
                    }
                    "out" if !std::mem::replace(&mut test.has_outputs, true) => {
                        self.array(&mut |symbol, _| test.outputs.push(symbol))?;
                    }
                    "in" | "out" => {
                        return Err((start, format!("found a second \"{key}\", expected one")));
                    }
                    _ => {
                        self.json::<IgnoredAny>("a value")?;
                    }
                }
                self.skip_blanks();
                if self.take(b'}') {
                    break;
                }
                if !self.take(b',') {
                    return self.expected("`,` or `}`");
                }
            }
        }
        self.skip_blanks();
        if !self.is_at_end() {
            return self.expected("the end of the line");
        }
        if !has_inputs {
            return Err((0, "found no \"in\", expected the array of inputs".into()));
        }
        Ok(())
    }

    /// An array of texts. A number stands for the text that it is written with.
    fn array(&mut self, push: &mut dyn FnMut(&[u8], usize)) -> Result<(), Fault> {
        if !self.take(b'[') {
            return self.expected("an array of strings");
        }
        self.skip_blanks();
        if self.take(b']') {
            return Ok(());
        }
        loop {
            self.skip_blanks();
            let start = self.at;
            match self.rest().first() {
                Some(b'"') => push(self.json::<String>("a string")?.as_bytes(), start),
                Some(b'-' | b'0'..=b'9') => {
                    self.json::<IgnoredAny>("a number")?;
                    push(&self.line[start..self.at], start);
                }
                _ => return self.expected("a string"),
            }
            self.skip_blanks();
            if self.take(b']') {
                return Ok(());
            }
            if !self.take(b',') {
                return self.expected("`,` or `]`");
            }
        }
    }

    /// `(input/output).(input/output)`.
    pub fn pairs(&mut self, test: &mut SuiteTest) -> Result<(), Fault> {
        test.has_outputs = true;
        self.skip_blanks();
        self.line = self.line.trim_ascii_end();
        if self.at >= self.line.len() {
            return Ok(());
        }
        loop {
            if !self.take(b'(') {
                return self.expected("`(input/output)`");
            }
            let length = self.rest().windows(3).position(|w| w == b").(");
            let checked = &self.rest()[..length.unwrap_or(self.rest().len())];
            if let Some(odd) = checked.windows(2).position(|w| w == b")(") {
                self.at += odd + 1;
                return self.expected("`.` between pairs");
            }
            let length = match length {
                Some(length) => length,
                None if self.line.ends_with(b")") => self.rest().len() - 1,
                None => {
                    self.at = self.line.len();
                    return self.expected("`)`");
                }
            };
            let pair = &self.rest()[..length];
            let Some(slash) = pair.iter().position(|&b| b == b'/') else {
                return self.expected("`/` between input and output");
            };
            test.inputs.push(&pair[..slash]);
            test.columns.push(self.at as u64 + 1);
            test.outputs.push(&pair[slash + 1..]);
            // The parenthesis, and the dot if another pair follows.
            self.at += length + 1;
            if !self.take(b'.') {
                return Ok(());
            }
        }
    }
}

/// The `\xNN` of a string that begins with a quote, by their places, with the bytes
/// that they stand for, and the place of the closing quote, if there is one.
fn quoted_bytes(text: &[u8]) -> (Vec<(usize, u8)>, Option<usize>) {
    let mut bytes = Vec::new();
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        at += match byte {
            b'"' => return (bytes, Some(at)),
            b'\\' => {
                let digit = |k: usize| (*text.get(at + k)? as char).to_digit(16);
                match (text.get(at + 1), digit(2), digit(3)) {
                    (Some(b'x'), Some(high), Some(low)) => {
                        bytes.push((at, (high << 4 | low) as u8));
                        4
                    }
                    _ => 2,
                }
            }
            _ => 1,
        };
    }
    (bytes, None)
}

/// Adds a symbol of a text: an input, until outputs begin.
fn add(test: &mut SuiteTest, symbol: &[u8], at: usize) {
    if test.has_outputs {
        test.outputs.push(symbol);
    } else {
        test.inputs.push(symbol);
        test.columns.push(at as u64 + 1);
    }
}
