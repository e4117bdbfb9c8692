//! From tokens to what they say.

mod behaviour;

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::lex::{Kind, Lexer, Token, is_keyword};
use crate::syntax::{
    Behaviour, Expectation, Item, ItemKind, Order, Place, Property, Question, Relation, Script,
    Text, Verification,
};
use crate::text::decoded;

/// How a script is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Leave gates that are written without quotes as they are, where they would be put
    /// in upper case.
    pub keep_case: bool,
}

/// Something wrong in a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// Where.
    pub place: Place,
    /// What was found, what was expected, what to do.
    pub text: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column } = self.place;
        write!(f, "{line}:{column}: {}", self.text)
    }
}

/// So deep may a behaviour be nested, and so may properties.
const DEPTH: usize = 200;

/// Reads a script. Bytes that are no UTF-8 may stand in comments, in lines for the shell and in
/// what properties say of themselves; [`encoded`](crate::encoded) has them again.
///
/// O(length), but for places of errors and statements, which are found by counting lines.
///
/// # Errors
/// At the first thing that is no part of a script; at a `check` of a property that is
/// not there, or has another number of parameters.
pub fn parse(script: &[u8], options: Options) -> Result<Script, SyntaxError> {
    let text = decoded(script);
    let mut parser = Parser {
        lexer: Lexer { text: &text },
        options,
        at: 0,
        depth: 0,
        statement: 0,
        closed: HashSet::new(),
        closed_from: None,
        properties: HashMap::new(),
        checks: Vec::new(),
        lines: Lines::new(&text),
    };
    let items = parser.items(false)?;
    for (place, name, count) in &parser.checks {
        let error = |text: String| SyntaxError {
            place: *place,
            text,
        };
        match parser.properties.get(name) {
            None => return Err(error(format!("there is no property `{name}`"))),
            Some(expected) if expected != count => {
                return Err(error(format!(
                    "found {count} arguments, and the property `{name}` has {expected} parameters"
                )));
            }
            Some(_) => {}
        }
    }
    Ok(Script { items })
}

/// Where lines begin, to tell places in no time.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        Self(
            std::iter::once(0)
                .chain(ends.map(|(at, _)| at + 1))
                .collect(),
        )
    }

    fn place(&self, offset: usize) -> Place {
        let line = self.0.partition_point(|&start| start <= offset);
        Place {
            line,
            column: offset - self.0[line - 1] + 1,
        }
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    options: Options,
    at: usize,
    depth: usize,
    /// Where the statement begins.
    statement: usize,
    /// Which operators of a statement have an end, and where the statement begins.
    closed: HashSet<usize>,
    closed_from: Option<usize>,
    /// Properties, and how many parameters they have.
    properties: HashMap<String, usize>,
    checks: Vec<(Place, String, usize)>,
    lines: Lines,
}

type Parsed<T> = Result<T, SyntaxError>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Parsed<Token> {
        self.lexer.token(self.at)
    }

    fn next(&mut self) -> Parsed<Token> {
        let token = self.peek()?;
        self.at = token.end;
        Ok(token)
    }

    fn place_of(&self, token: &Token) -> Place {
        self.lines.place(token.start)
    }

    fn expected<T>(&self, token: &Token, expected: &str) -> Parsed<T> {
        let found = token.kind.show();
        Err(self
            .lexer
            .error(token.start, format!("found {found}, expected {expected}")))
    }

    fn is_word(&self, word: &str) -> Parsed<bool> {
        Ok(matches!(self.peek()?.kind, Kind::Word(found) if found == word))
    }

    /// Takes a word if it comes next.
    fn accept_word(&mut self, word: &str) -> Parsed<bool> {
        let token = self.peek()?;
        let is_next = matches!(&token.kind, Kind::Word(found) if found == word);
        if is_next {
            self.at = token.end;
        }
        Ok(is_next)
    }

    fn expect_word(&mut self, word: &str, after: &str) -> Parsed<()> {
        match self.accept_word(word)? {
            true => Ok(()),
            false => self.expected(&self.peek()?, &format!("`{word}`{after}")),
        }
    }

    fn is_symbol(&self, symbol: &str) -> Parsed<bool> {
        Ok(matches!(self.peek()?.kind, Kind::Symbol(found) if found == symbol))
    }

    /// Takes a symbol if it comes next.
    fn accept(&mut self, symbol: &str) -> Parsed<bool> {
        let token = self.peek()?;
        let is_next = matches!(token.kind, Kind::Symbol(found) if found == symbol);
        if is_next {
            self.at = token.end;
        }
        Ok(is_next)
    }

    fn expect(&mut self, symbol: &str, after: &str) -> Parsed<()> {
        match self.accept(symbol)? {
            true => Ok(()),
            false => self.expected(&self.peek()?, &format!("`{symbol}`{after}")),
        }
    }

    /// An identifier that is no keyword.
    fn identifier(&mut self, what: &str) -> Parsed<String> {
        let token = self.next()?;
        match &token.kind {
            Kind::Word(word) if is_keyword(word) => self.expected(
                &token,
                &format!("{what}, and this is a keyword: choose another name"),
            ),
            Kind::Word(word) if !word.contains(['-', '*']) && !word.starts_with(digit) => {
                Ok(word.clone())
            }
            _ => self.expected(&token, what),
        }
    }

    /// A text, or the name of a file with its ending.
    fn file(&mut self, what: &str) -> Parsed<Text> {
        let token = self.next()?;
        match token.kind {
            Kind::Quoted(text) => Ok(text),
            Kind::File(name) => Ok(Text::literal(name)),
            _ => self.expected(&token, what),
        }
    }

    /// What a script consists of, or a property, up to its `end property`.
    fn items(&mut self, in_property: bool) -> Parsed<Vec<Item>> {
        let mut items: Vec<Item> = Vec::new();
        loop {
            let token = self.peek()?;
            let place = self.place_of(&token);
            let kind = match &token.kind {
                Kind::End if in_property => {
                    return self.expected(&token, "`end property`");
                }
                Kind::End => return Ok(items),
                Kind::Word(word) if word == "end" && in_property => {
                    self.at = token.end;
                    self.expect_word("property", " after `end`")?;
                    self.accept(";")?;
                    return Ok(items);
                }
                Kind::Shell(line) => {
                    self.at = token.end;
                    ItemKind::Shell(line.clone())
                }
                Kind::Word(word) if word == "property" => {
                    self.at = token.end;
                    ItemKind::Property(self.property()?)
                }
                Kind::Word(word) if word == "check" => {
                    self.at = token.end;
                    self.check(place)?
                }
                Kind::Word(word) if word == "expected" || word == "result" => {
                    let known = match items.last().map(|item| &item.kind) {
                        Some(ItemKind::Verification(_)) => Expectation::default(),
                        Some(ItemKind::Expectation(known)) => known.clone(),
                        _ => {
                            return Err(self.lexer.error(
                                token.start,
                                format!(
                                    "`{word}` belongs behind a verification (comparison, verify, \
                                     |=, deadlock, livelock), and there is none before it"
                                ),
                            ));
                        }
                    };
                    let is_first = known == Expectation::default();
                    let expectation = self.expectation(known.clone())?;
                    if expectation == known {
                        return Err(self.lexer.error(
                            token.start,
                            format!("`{word}` is said already of the verification before it"),
                        ));
                    }
                    self.statement_end(in_property)?;
                    if !is_first {
                        // Both are of one verification.
                        items.pop();
                    }
                    ItemKind::Expectation(expectation)
                }
                _ => {
                    let (kind, expectation) = self.statement(in_property)?;
                    items.push(Item { place, kind });
                    if let Some((place, expectation)) = expectation {
                        let kind = ItemKind::Expectation(expectation);
                        items.push(Item { place, kind });
                    }
                    continue;
                }
            };
            items.push(Item { place, kind });
        }
    }

    /// The semicolon, which may be missing at the end.
    fn statement_end(&mut self, in_property: bool) -> Parsed<()> {
        if self.accept(";")? {
            return Ok(());
        }
        let token = self.peek()?;
        match &token.kind {
            Kind::End if !in_property => Ok(()),
            Kind::Word(word) if word == "end" && in_property => Ok(()),
            _ => self.expected(&token, "`;` at the end of the statement"),
        }
    }

    /// `result VAR expected VERDICT`, or none, beside what is known.
    fn expectation(&mut self, known: Expectation) -> Parsed<Expectation> {
        let mut found = known;
        loop {
            let token = self.peek()?;
            match &token.kind {
                Kind::Word(word) if word == "result" && found.result.is_none() => {
                    self.at = token.end;
                    found.result = Some(self.identifier("the name of a variable after `result`")?);
                }
                Kind::Word(word) if word == "expected" && found.expected.is_none() => {
                    self.at = token.end;
                    let token = self.next()?;
                    found.expected = Some(match &token.kind {
                        Kind::Word(word) if word == "TRUE" || word == "FALSE" => {
                            Text::literal(word.clone())
                        }
                        Kind::Quoted(text) => text.clone(),
                        Kind::Word(word) if !is_keyword(word) && !word.contains(['-', '*']) => {
                            Text {
                                pieces: vec![crate::syntax::Piece::Variable(word.clone())],
                            }
                        }
                        _ => {
                            return self.expected(
                                &token,
                                "`TRUE`, `FALSE`, the name of a variable or a text after \
                                 `expected`",
                            );
                        }
                    });
                }
                _ => return Ok(found),
            }
        }
    }

    fn property(&mut self) -> Parsed<Property> {
        let start = self.peek()?.start;
        let name = self.identifier("the name of a property")?;
        let mut parameters: Vec<String> = Vec::new();
        // What it says of itself is no token, as any bytes may stand in it.
        if self.lexer.comment(self.at)?.is_none() && self.accept("(")? {
            while !self.accept(")")? {
                if !parameters.is_empty() {
                    self.expect(",", " or `)` after a parameter")?;
                }
                let place = self.peek()?.start;
                let parameter = self.identifier("the name of a parameter")?;
                if parameters.contains(&parameter) {
                    let text = format!("two parameters are called `{parameter}`");
                    return Err(self.lexer.error(place, text));
                }
                parameters.push(parameter);
            }
        }
        let mut comments = Vec::new();
        while let Some((text, end)) = self.lexer.comment(self.at)? {
            self.at = end;
            comments.push(text);
        }
        self.expect_word("is", " after the head of the property")?;
        let known = self.properties.insert(name.clone(), parameters.len());
        if known.is_some() {
            let text = format!("there is another property `{name}` before this one");
            return Err(self.lexer.error(start, text));
        }
        self.deeper(start)?;
        let items = self.items(true)?;
        self.depth -= 1;
        Ok(Property {
            name,
            parameters,
            comments,
            items,
        })
    }

    fn check(&mut self, place: Place) -> Parsed<ItemKind> {
        let name = self.identifier("the name of a property after `check`")?;
        let mut arguments = Vec::new();
        if self.accept("(")? {
            while !self.accept(")")? {
                if !arguments.is_empty() {
                    self.expect(",", " or `)` after an argument")?;
                }
                let token = self.next()?;
                arguments.push(match token.kind {
                    Kind::Quoted(text) => text,
                    Kind::Word(text) | Kind::Number(text) | Kind::File(text) => Text::literal(text),
                    _ => {
                        return self.expected(
                            &token,
                            "an identifier, a number or a text between quotes as an argument",
                        );
                    }
                });
            }
        }
        self.statement_end(self.depth > 0)?;
        self.checks.push((place, name.clone(), arguments.len()));
        Ok(ItemKind::Check(name, arguments))
    }

    /// The file in front of `=`, if there is one.
    fn target(&mut self) -> Parsed<Option<(Token, Text)>> {
        let token = self.peek()?;
        let name = match &token.kind {
            Kind::Quoted(text) => text.clone(),
            Kind::File(name) => Text::literal(name.clone()),
            _ => return Ok(None),
        };
        let next = self.lexer.token(token.end)?;
        if next.kind != Kind::Symbol("=") {
            return Ok(None);
        }
        self.at = next.end;
        Ok(Some((token, name)))
    }

    #[allow(clippy::type_complexity)] // a statement, and what follows it with its place
    fn statement(&mut self, in_property: bool) -> Parsed<(ItemKind, Option<(Place, Expectation)>)> {
        let target = self.target()?;
        let start = self.at;
        self.statement = start;
        if let Some(question) = self.question()? {
            let (question, method, tool) = question;
            let token = self.peek()?;
            let expectation = self.expectation(Expectation::default())?;
            let found = expectation != Expectation::default();
            let expectation = found.then(|| (self.place_of(&token), expectation));
            self.statement_end(in_property)?;
            let verification = Verification {
                reason: target.map(|(_, name)| name),
                question,
                method,
                tool,
            };
            return Ok((ItemKind::Verification(verification), expectation));
        }
        self.at = start;
        let behaviour = self.behaviour(false)?;
        if self.accept("|=")? {
            let (method, tool) = self.method_and_tool()?;
            let first = self.peek_past_blanks();
            let (text, end, next) = self.lexer.formula(first)?;
            if text.is_empty() {
                return Err(self
                    .lexer
                    .error(end, "found `;`, expected a formula after `|=`"));
            }
            self.at = next;
            let verification = Verification {
                reason: target.map(|(_, name)| name),
                question: Question::Inline(
                    behaviour,
                    Text::of_formula(text),
                    self.lines.place(first),
                ),
                method,
                tool,
            };
            return Ok((ItemKind::Verification(verification), None));
        }
        let Some((_, name)) = target else {
            let token = self.peek()?;
            return self.expected(
                &token,
                "`|=` and a formula: a behaviour alone does nothing (to write it to a file: \
                 \"FILE.bcg\" = …)",
            );
        };
        self.statement_end(in_property)?;
        Ok((ItemKind::Assignment(name, behaviour), None))
    }

    /// Where the next thing begins that is no blank: comments belong to formulas.
    fn peek_past_blanks(&self) -> usize {
        let rest = &self.lexer.text[self.at..];
        self.at + (rest.len() - rest.trim_start().len())
    }

    /// A question that begins with a word of its own.
    #[allow(clippy::type_complexity)] // a question, its method and its tool
    fn question(&mut self) -> Parsed<Option<(Question, Option<String>, Option<String>)>> {
        let token = self.peek()?;
        let Kind::Word(word) = &token.kind else {
            return Ok(None);
        };
        match &word[..] {
            "deadlock" | "livelock" => {
                self.at = token.end;
                let (method, tool) = self.method_and_tool()?;
                self.expect_word("of", &format!(" after `{word}`"))?;
                let subject = self.behaviour(false)?;
                let question = match &word[..] {
                    "deadlock" => Question::Deadlock(subject),
                    _ => Question::Livelock(subject),
                };
                Ok(Some((question, method, tool)))
            }
            "verify" => {
                self.at = token.end;
                let formula = self.file("the name of a file with a formula after `verify`")?;
                let (method, tool) = self.method_and_tool()?;
                self.expect_word("in", " after the formula")?;
                let subject = self.behaviour(false)?;
                Ok(Some((Question::Formula(formula, subject), method, tool)))
            }
            _ => self.comparison(),
        }
    }

    #[allow(clippy::type_complexity)] // as `question`
    fn comparison(&mut self) -> Parsed<Option<(Question, Option<String>, Option<String>)>> {
        let (relation, rest) = self.relation_in_front()?;
        if !rest.is_empty() || !self.accept_word("comparison")? {
            return Ok(None);
        }
        let (method, tool) = self.method_and_tool()?;
        let left = self.behaviour(false)?;
        let token = self.next()?;
        let order = match token.kind {
            Kind::Symbol("==") => Order::Equivalent,
            Kind::Symbol("<=") => Order::Below,
            Kind::Symbol(">=") => Order::Above,
            _ => {
                return self.expected(&token, "`==`, `<=` or `>=` between two behaviours");
            }
        };
        let right = self.behaviour(false)?;
        let question = Question::Comparison {
            relation,
            left,
            order,
            right,
        };
        Ok(Some((question, method, tool)))
    }

    /// `using METHOD` and `with TOOL`. What follows may be no token, as it begins a formula.
    fn method_and_tool(&mut self) -> Parsed<(Option<String>, Option<String>)> {
        let (mut method, mut tool) = (None, None);
        while let Ok(token) = self.lexer.token(self.at) {
            match &token.kind {
                Kind::Word(word) if word == "using" && method.is_none() => {
                    self.at = token.end;
                    method = Some(self.identifier("the name of a method after `using`")?);
                }
                Kind::Word(word) if word == "with" && tool.is_none() => {
                    self.at = token.end;
                    tool = Some(self.identifier("the name of a tool after `with`")?);
                }
                _ => break,
            }
        }
        Ok((method, tool))
    }

    /// One level deeper.
    fn deeper(&mut self, start: usize) -> Parsed<()> {
        self.depth += 1;
        match self.depth > DEPTH {
            true => Err(self.lexer.error(
                start,
                format!("more than {DEPTH} levels are nested here: put a part into a file first"),
            )),
            false => Ok(()),
        }
    }
}

/// Whether a character is a digit.
fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// A relation in front of `reduction` or `comparison`, of the words there.
fn relation_of(words: &[(Place, String)]) -> Option<Relation> {
    use crate::syntax::Markov;
    let (place, _) = words.first()?;
    let mut markov = None;
    let mut names: Vec<&str> = words.iter().map(|(_, word)| &word[..]).collect();
    match names.first() {
        Some(&"stochastic") => markov = Some(Markov::Stochastic),
        Some(&"probabilistic") => markov = Some(Markov::Probabilistic),
        _ => {}
    }
    if markov.is_some() {
        names.remove(0);
    }
    let name = match names[..] {
        ["weak", "trace"] => "weaktrace".into(),
        [] => "strong".into(),
        [name] => name.to_owned(),
        _ => return None,
    };
    Some(Relation {
        place: *place,
        name,
        markov,
    })
}

/// That `Behaviour` is what the parser of behaviours gives.
type ParsedBehaviour = Parsed<Behaviour>;
