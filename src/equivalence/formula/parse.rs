//! Parsing formulas.

use std::collections::HashMap;
use std::fmt;

use hyades_formats::LabelId;

use super::{Formula, FormulaBuilder, NodeId};

/// Text that is not a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// Where, as a byte offset into the text.
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "formula, byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for FormulaError {}

impl std::str::FromStr for Formula {
    type Err = FormulaError;

    /// Parses the syntax of the [module](super). O(length).
    fn from_str(text: &str) -> Result<Self, FormulaError> {
        Parser::new(text)?.file()
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Name(String),
    Label(LabelId),
    /// One of `< > [ ] ( ) ! =`, or `&` for `&&` and `|` for `||`.
    Symbol(char),
    Newline,
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Name(name) => write!(f, "`{name}`"),
            Token::Label(_) => f.write_str("a label"),
            Token::Symbol(c @ ('&' | '|')) => write!(f, "`{c}{c}`"),
            Token::Symbol(c) => write!(f, "`{c}`"),
            Token::Newline => f.write_str("the end of the line"),
            Token::End => f.write_str("the end"),
        }
    }
}

struct Parser {
    builder: FormulaBuilder,
    tokens: Vec<(usize, Token)>,
    next: usize,
    defined: HashMap<String, NodeId>,
}

/// An operator that still waits for (the last of) its operands.
enum Waiting {
    Open,
    Not,
    Diamond(LabelId),
    Box(LabelId),
    /// With the number of operands.
    And(usize),
    Or(usize),
}

impl Parser {
    fn new(text: &str) -> Result<Self, FormulaError> {
        let mut builder = FormulaBuilder::new();
        let tokens = tokens(text, &mut builder)?;
        Ok(Self {
            builder,
            tokens,
            next: 0,
            defined: HashMap::new(),
        })
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.next].1
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::End {
            self.next += 1;
        }
        token
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, FormulaError> {
        Err(FormulaError {
            offset: self.tokens[self.next].0,
            message: message.into(),
        })
    }

    fn expect(&mut self, symbol: char) -> Result<(), FormulaError> {
        if *self.peek() != Token::Symbol(symbol) {
            let found = self.peek().clone();
            return self.error(format!("expected `{symbol}`, found {found}"));
        }
        self.next += 1;
        Ok(())
    }

    fn file(mut self) -> Result<Formula, FormulaError> {
        // Where each line starts, without empty ones.
        let mut lines = Vec::new();
        let mut fresh = true;
        for (k, (_, token)) in self.tokens.iter().enumerate() {
            match token {
                Token::Newline => fresh = true,
                Token::End => {}
                _ if fresh => {
                    lines.push(k);
                    fresh = false;
                }
                _ => {}
            }
        }
        let defines = |k: usize| self.tokens[k + 1].1 == Token::Symbol('=');
        if !lines.first().is_some_and(|&k| defines(k)) {
            self.next = lines.first().copied().unwrap_or(0);
            let root = self.formula()?;
            while *self.peek() == Token::Newline {
                self.next += 1;
            }
            if *self.peek() != Token::End {
                return self.error("a second formula; several need names");
            }
            return Ok(self.builder.build(root));
        }
        // A name is used before its line: the last line comes first.
        let mut root = None;
        for &line in lines.iter().rev() {
            self.next = line;
            let Token::Name(name) = self.take() else {
                self.next = line;
                return self.error("expected a name and `=`");
            };
            self.expect('=')?;
            let node = self.formula()?;
            if self.defined.insert(name, node).is_some() {
                self.next = line;
                return self.error("the name is defined again on a later line");
            }
            root = Some(node);
        }
        Ok(self.builder.build(root.expect("there is a first line")))
    }

    /// A formula up to the end of its line, by operator precedence with
    /// explicit stacks.
    fn formula(&mut self) -> Result<NodeId, FormulaError> {
        let mut operands: Vec<NodeId> = Vec::new();
        let mut waiting: Vec<Waiting> = Vec::new();
        loop {
            // In front of an operand.
            match self.peek().clone() {
                Token::Symbol('(') => {
                    self.next += 1;
                    waiting.push(Waiting::Open);
                    continue;
                }
                Token::Symbol('!') => {
                    self.next += 1;
                    waiting.push(Waiting::Not);
                    continue;
                }
                Token::Symbol(open @ ('<' | '[')) => {
                    self.next += 1;
                    let label = self.action()?;
                    if open == '<' {
                        self.expect('>')?;
                        waiting.push(Waiting::Diamond(label));
                    } else {
                        self.expect(']')?;
                        waiting.push(Waiting::Box(label));
                    }
                    continue;
                }
                Token::Name(name) => {
                    operands.push(match name.as_str() {
                        "true" => self.builder.and([]),
                        "false" => self.builder.or([]),
                        _ => match self.defined.get(&name) {
                            Some(&node) => node,
                            None => {
                                return self.error(format!("no later line defines `{name}`"));
                            }
                        },
                    });
                    self.next += 1;
                }
                found => return self.error(format!("expected a formula, found {found}")),
            }
            // Behind an operand.
            loop {
                self.reduce_prefixes(&mut operands, &mut waiting);
                match self.peek() {
                    Token::Symbol('&') => {
                        match waiting.last_mut() {
                            Some(Waiting::And(count)) => *count += 1,
                            _ => waiting.push(Waiting::And(2)),
                        }
                        self.next += 1;
                        break;
                    }
                    Token::Symbol('|') => {
                        self.reduce_and(&mut operands, &mut waiting);
                        match waiting.last_mut() {
                            Some(Waiting::Or(count)) => *count += 1,
                            _ => waiting.push(Waiting::Or(2)),
                        }
                        self.next += 1;
                        break;
                    }
                    Token::Symbol(')') => {
                        self.reduce_and(&mut operands, &mut waiting);
                        self.reduce_or(&mut operands, &mut waiting);
                        if !matches!(waiting.pop(), Some(Waiting::Open)) {
                            return self.error("`)` without `(`");
                        }
                        self.next += 1;
                    }
                    Token::Newline | Token::End => {
                        self.reduce_and(&mut operands, &mut waiting);
                        self.reduce_or(&mut operands, &mut waiting);
                        if !waiting.is_empty() {
                            return self.error("`(` without `)`");
                        }
                        return Ok(operands.pop().expect("the operand before the end"));
                    }
                    found => {
                        let found = found.clone();
                        return self
                            .error(format!("expected `&&`, `||` or the end, found {found}"));
                    }
                }
            }
        }
    }

    fn action(&mut self) -> Result<LabelId, FormulaError> {
        match self.peek().clone() {
            Token::Label(label) => {
                self.next += 1;
                Ok(label)
            }
            Token::Name(name) if name == "i" || name == "tau" => {
                self.next += 1;
                Ok(LabelId::HIDDEN)
            }
            found => self.error(format!(
                "expected a label in double quotes or `i`, found {found}"
            )),
        }
    }

    fn reduce_prefixes(&mut self, operands: &mut [NodeId], waiting: &mut Vec<Waiting>) {
        let last = operands.last_mut().expect("stands behind an operand");
        loop {
            *last = match waiting.last() {
                Some(Waiting::Not) => self.builder.not(*last),
                Some(&Waiting::Diamond(label)) => self.builder.diamond(label, *last),
                Some(&Waiting::Box(label)) => self.builder.boxed(label, *last),
                _ => return,
            };
            waiting.pop();
        }
    }

    fn reduce_and(&mut self, operands: &mut Vec<NodeId>, waiting: &mut Vec<Waiting>) {
        if let Some(&Waiting::And(count)) = waiting.last() {
            waiting.pop();
            let first = operands.len() - count;
            let node = self.builder.and(operands.drain(first..));
            operands.push(node);
        }
    }

    fn reduce_or(&mut self, operands: &mut Vec<NodeId>, waiting: &mut Vec<Waiting>) {
        if let Some(&Waiting::Or(count)) = waiting.last() {
            waiting.pop();
            let first = operands.len() - count;
            let node = self.builder.or(operands.drain(first..));
            operands.push(node);
        }
    }
}

/// Splits the text into tokens, each with its offset; the last is the end.
fn tokens(text: &str, builder: &mut FormulaBuilder) -> Result<Vec<(usize, Token)>, FormulaError> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        let token = match bytes[start] {
            b' ' | b'\t' | b'\r' => continue,
            b'\n' => Token::Newline,
            c @ (b'<' | b'>' | b'[' | b']' | b'(' | b')' | b'!' | b'=') => Token::Symbol(c.into()),
            c @ (b'&' | b'|') if bytes.get(at) == Some(&c) => {
                at += 1;
                Token::Symbol(c.into())
            }
            b'"' => {
                let (label, end) = label_text(bytes, at)?;
                at = end;
                Token::Label(builder.label(&label).map_err(|error| FormulaError {
                    offset: start,
                    message: error.to_string(),
                })?)
            }
            c if c.is_ascii_alphabetic() || c == b'_' => {
                while bytes
                    .get(at)
                    .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
                {
                    at += 1;
                }
                Token::Name(text[start..at].to_owned())
            }
            _ => {
                let found = text[start..].chars().next().unwrap_or_default();
                return Err(FormulaError {
                    offset: start,
                    message: format!("unexpected {found:?}"),
                });
            }
        };
        tokens.push((start, token));
    }
    tokens.push((bytes.len(), Token::End));
    Ok(tokens)
}

/// The label whose opening quote is before `start`, without escapes, and where
/// it ends.
fn label_text(bytes: &[u8], start: usize) -> Result<(Vec<u8>, usize), FormulaError> {
    let mut label = Vec::new();
    let mut at = start;
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => {
                return Err(FormulaError {
                    offset: start - 1,
                    message: "no closing quote on the line".to_owned(),
                });
            }
            Some(b'"') => return Ok((label, at + 1)),
            Some(b'\\') => {
                let escape = bytes.get(at + 1);
                let hex = || {
                    let digits = std::str::from_utf8(bytes.get(at + 2..at + 4)?).ok()?;
                    let plain = digits.bytes().all(|d| d.is_ascii_hexdigit());
                    plain.then(|| u8::from_str_radix(digits, 16).ok())?
                };
                let (byte, length) = match escape {
                    Some(c @ (b'"' | b'\\')) => (Some(*c), 2),
                    Some(b'n') => (Some(b'\n'), 2),
                    Some(b'r') => (Some(b'\r'), 2),
                    Some(b't') => (Some(b'\t'), 2),
                    Some(b'x') => (hex(), 4),
                    _ => (None, 0),
                };
                let Some(byte) = byte else {
                    return Err(FormulaError {
                        offset: at,
                        message: "unknown escape in a label".to_owned(),
                    });
                };
                label.push(byte);
                at += length;
            }
            Some(&c) => {
                label.push(c);
                at += 1;
            }
        }
    }
}
