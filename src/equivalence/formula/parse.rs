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
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 1.
    pub column: usize,
    /// What is wrong there: what was found, and what was expected.
    pub message: String,
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FormulaError {
            line,
            column,
            message,
            ..
        } = self;
        write!(f, "formula, line {line}, column {column}: {message}")
    }
}

impl std::error::Error for FormulaError {}

impl std::str::FromStr for Formula {
    type Err = FormulaError;

    /// Parses the syntax of the [module](super). O(length).
    fn from_str(text: &str) -> Result<Self, FormulaError> {
        let parsed = Parser::new(text).and_then(Parser::file);
        parsed.map_err(|Mistake { offset, message }| {
            let before = &text.as_bytes()[..offset];
            let start = before
                .iter()
                .rposition(|&c| c == b'\n')
                .map_or(0, |k| k + 1);
            // Offsets are those of tokens and escapes, before a whole character.
            let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
            FormulaError {
                offset,
                line: 1 + before.iter().filter(|&&c| c == b'\n').count(),
                column,
                message,
            }
        })
    }
}

/// What is wrong, and at which byte.
struct Mistake {
    offset: usize,
    message: String,
}

/// What cannot be the name of a definition.
const WORDS: [&str; 4] = ["true", "false", "U", "div"];

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
    WeakDiamond(LabelId),
    WeakBox(LabelId),
    /// `<` before the first operand.
    UntilOpen,
    /// `<` the first operand `U` label `>`.
    Until(LabelId),
    Divergence,
    /// With the number of operands.
    And(usize),
    Or(usize),
}

impl Parser {
    fn new(text: &str) -> Result<Self, Mistake> {
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

    fn error<T>(&self, message: impl Into<String>) -> Result<T, Mistake> {
        Err(Mistake {
            offset: self.tokens[self.next].0,
            message: message.into(),
        })
    }

    fn expect(&mut self, symbol: char) -> Result<(), Mistake> {
        if *self.peek() != Token::Symbol(symbol) {
            let found = self.peek().clone();
            return self.error(format!("expected `{symbol}`, found {found}"));
        }
        self.next += 1;
        Ok(())
    }

    fn file(mut self) -> Result<Formula, Mistake> {
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
            if WORDS.contains(&name.as_str()) {
                self.next = line;
                return self.error(format!("expected a name, found the word `{name}`"));
            }
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
    fn formula(&mut self) -> Result<NodeId, Mistake> {
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
                Token::Symbol('<') => {
                    self.next += 1;
                    waiting.push(self.behind_angle()?);
                    continue;
                }
                Token::Symbol('[') => {
                    self.next += 1;
                    waiting.push(self.behind_bracket()?);
                    continue;
                }
                Token::Name(name) if name == "div" => {
                    self.next += 1;
                    waiting.push(Waiting::Divergence);
                    continue;
                }
                Token::Name(name) if name != "U" => {
                    operands.push(self.named(&name)?);
                    self.next += 1;
                }
                found => {
                    let expected = match waiting.last() {
                        Some(Waiting::UntilOpen) => {
                            "a label in double quotes, `i`, or a formula and `U`"
                        }
                        _ => "a formula",
                    };
                    return self.error(format!("expected {expected}, found {found}"));
                }
            }
            // Behind an operand.
            loop {
                self.reduce_prefixes(&mut operands, &mut waiting);
                match self.peek().clone() {
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
                    found => {
                        self.reduce_and(&mut operands, &mut waiting);
                        self.reduce_or(&mut operands, &mut waiting);
                        match (found, waiting.last()) {
                            (Token::Symbol(')'), Some(Waiting::Open)) => {
                                self.next += 1;
                                waiting.pop();
                            }
                            (Token::Name(name), Some(Waiting::UntilOpen)) if name == "U" => {
                                self.next += 1;
                                let label = self.action()?;
                                self.expect('>')?;
                                waiting.pop();
                                waiting.push(Waiting::Until(label));
                                break;
                            }
                            (Token::Newline | Token::End, None) => {
                                return Ok(operands.pop().expect("the operand before the end"));
                            }
                            (Token::Symbol(')'), None) => {
                                return self.error("`)` without `(`");
                            }
                            (Token::Newline | Token::End, Some(Waiting::Open)) => {
                                return self.error("`(` without `)`");
                            }
                            (found, open) => {
                                let end = match open {
                                    Some(Waiting::Open) => "`)`",
                                    Some(Waiting::UntilOpen) => "`U`",
                                    _ => "the end",
                                };
                                return self
                                    .error(format!("expected `&&`, `||` or {end}, found {found}"));
                            }
                        }
                    }
                }
            }
        }
    }

    /// What a name or a constant stands for.
    fn named(&mut self, name: &str) -> Result<NodeId, Mistake> {
        match name {
            "true" => Ok(self.builder.and([])),
            "false" => Ok(self.builder.or([])),
            _ => match self.defined.get(name) {
                Some(&node) => Ok(node),
                None => self.error(format!("no later line defines `{name}`")),
            },
        }
    }

    /// The modality behind `<`, without its operands.
    fn behind_angle(&mut self) -> Result<Waiting, Mistake> {
        let symbol = |k: usize, c: char| {
            let token = self.tokens.get(self.next + k);
            token.is_some_and(|(_, token)| *token == Token::Symbol(c))
        };
        let plain = match self.peek() {
            Token::Label(_) => true,
            Token::Name(name) => {
                // A definition may have this name, and stand before `U`.
                let hidden = is_hidden(name) && !self.defined.contains_key(name);
                symbol(1, '>') || hidden
            }
            _ => false,
        };
        if plain {
            let label = self.action()?;
            self.expect('>')?;
            return Ok(Waiting::Diamond(label));
        }
        let of_action = match self.tokens.get(self.next + 1) {
            Some((_, Token::Label(_))) => true,
            Some((_, Token::Name(name))) => is_hidden(name),
            _ => false,
        };
        // No formula begins with `>`, so this is no until.
        if symbol(0, '<') && of_action && symbol(2, '>') && symbol(3, '>') {
            self.next += 1;
            let label = self.action()?;
            self.next += 2;
            return Ok(Waiting::WeakDiamond(label));
        }
        Ok(Waiting::UntilOpen)
    }

    /// The modality behind `[`, without its operand.
    fn behind_bracket(&mut self) -> Result<Waiting, Mistake> {
        let weak = *self.peek() == Token::Symbol('[');
        self.next += usize::from(weak);
        let label = self.action()?;
        self.expect(']')?;
        if !weak {
            return Ok(Waiting::Box(label));
        }
        self.expect(']')?;
        Ok(Waiting::WeakBox(label))
    }

    fn action(&mut self) -> Result<LabelId, Mistake> {
        match self.peek().clone() {
            Token::Label(label) => {
                self.next += 1;
                Ok(label)
            }
            Token::Name(name) if is_hidden(&name) => {
                self.next += 1;
                Ok(LabelId::HIDDEN)
            }
            Token::Name(name) if !matches!(&*name, "true" | "false" | "div" | "U") => {
                self.error(format!(
                    "expected a label in double quotes or `i`, found `{name}`: a label is written \
                 `\"{name}\"`"
                ))
            }
            found => self.error(format!(
                "expected a label in double quotes or `i`, found {found}"
            )),
        }
    }

    fn reduce_prefixes(&mut self, operands: &mut Vec<NodeId>, waiting: &mut Vec<Waiting>) {
        let mut last = operands.pop().expect("stands behind an operand");
        while let Some(operator) = waiting.last() {
            last = match *operator {
                Waiting::Not => self.builder.not(last),
                Waiting::Diamond(label) => self.builder.diamond(label, last),
                Waiting::Box(label) => self.builder.boxed(label, last),
                Waiting::WeakDiamond(label) => self.builder.weak_diamond(label, last),
                Waiting::WeakBox(label) => self.builder.weak_box(label, last),
                Waiting::Divergence => self.builder.divergence(last),
                Waiting::Until(label) => {
                    let held = operands.pop().expect("the operand before `U`");
                    self.builder.until(held, label, last)
                }
                Waiting::Open | Waiting::UntilOpen | Waiting::And(_) | Waiting::Or(_) => break,
            };
            waiting.pop();
        }
        operands.push(last);
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

/// Whether a word stands for the hidden action.
fn is_hidden(name: &str) -> bool {
    name == "i" || name == "tau"
}

/// Splits the text into tokens, each with its offset; the last is the end.
fn tokens(text: &str, builder: &mut FormulaBuilder) -> Result<Vec<(usize, Token)>, Mistake> {
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
                Token::Label(builder.label(&label).map_err(|error| Mistake {
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
                return Err(Mistake {
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
fn label_text(bytes: &[u8], start: usize) -> Result<(Vec<u8>, usize), Mistake> {
    let mut label = Vec::new();
    let mut at = start;
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => {
                return Err(Mistake {
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
                    return Err(Mistake {
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
