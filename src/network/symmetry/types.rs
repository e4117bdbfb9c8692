//! Types: sets of values that may be exchanged, and the text that declares them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::ops::Range;

use hyades_lts::tokens::TokenSyntax;

/// How labels of networks are cut into tokens: as usual, with primes in them.
pub(super) fn tokens() -> TokenSyntax {
    TokenSyntax::default().with(b"'")
}

/// A set of values that may be exchanged with one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueType {
    /// What it is called.
    pub name: String,
    /// Its values: tokens of labels. At least one, and each once.
    pub values: Vec<String>,
}

/// Types of values, and where in labels they stand.
///
/// As text, one item a line; `#` starts a comment:
///
/// ```text
/// type Node = N0 N1 N2
/// type Data = 0 1
/// type Size = 0 1
/// gate PUSH : Node Data
/// gate LENGTH : - Size
/// ```
///
/// A value is a token of a label behind the first one: letters, digits, `_`, `'`
/// and characters beyond ASCII in a row. What a gate's line says holds for the
/// labels with this first token: their next tokens belong to these types, `-`
/// says to none, and those behind what is listed are no values. In labels of
/// other gates, each token is a value of the type that has it, and there must not
/// be two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Types {
    types: Vec<ValueType>,
    /// The place of each type by its name: a text may declare tens of thousands.
    numbers: HashMap<String, usize>,
    /// How many values all types have together.
    values: usize,
    gates: BTreeMap<String, Vec<Option<usize>>>,
}

/// Why a text declares no types, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypesError {
    /// The line, from 1 on.
    pub line: usize,
    /// The column in bytes, from 1 on.
    pub column: usize,
    /// What was found and what was expected. Lower case, no full stop.
    pub text: String,
}

impl fmt::Display for TypesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.text)
    }
}

impl std::error::Error for TypesError {}

/// A token or a single character of another kind, and where it is.
#[derive(Clone, Copy)]
struct Word<'t> {
    column: usize,
    text: &'t str,
}

impl Types {
    /// These types, without typed gates.
    ///
    /// # Errors
    /// If a name or a value is no token, a name or a value of a type is there
    /// twice, or a type has no values.
    pub fn new(types: Vec<ValueType>) -> Result<Self, TypesError> {
        let mut all = Self::default();
        for (line, ValueType { name, values }) in (1..).zip(types) {
            let word = |text| Word { column: 1, text };
            let values: Vec<Word<'_>> = values.iter().map(|value| word(value)).collect();
            all.add_type(line, word(&name), &values)?;
        }
        Ok(all)
    }

    /// The types that a text of lines declares. A byte order mark before it is left out.
    ///
    /// # Errors
    /// If it has another form, with the first place where.
    pub fn parse(text: &str) -> Result<Self, TypesError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut types = Self::default();
        let mut gates = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let content = content.split('#').next().unwrap_or_default();
            let words = words(content, 1);
            match words.first().map(|word| word.text) {
                None => {}
                Some("type") => types.parse_type(line, content, &words[1..])?,
                Some("gate") => gates.push((line, content.len() + 1, words)),
                Some(other) => {
                    let text = format!("`{other}` starts no line: expected `type` or `gate`");
                    return Err(at(line, words[0].column, text));
                }
            }
        }
        for (line, end, words) in gates {
            types.parse_gate(line, end, &words[1..])?;
        }
        Ok(types)
    }

    /// The types that one line declares, such as `Node=N0,N1;Data=A,B`.
    ///
    /// # Errors
    /// If it has another form, with the first place where.
    pub fn parse_line(text: &str) -> Result<Self, TypesError> {
        let mut types = Self::default();
        let mut column = 1;
        for part in text.split(';') {
            let words = words(part, column);
            column += part.len();
            let (name, values) = head(1, column, &words, "=", "the name of a type")?;
            let mut listed = Vec::new();
            for (k, word) in values.iter().enumerate() {
                match (k % 2, word.text) {
                    (1, ",") => {}
                    (0, text) if text != "," => listed.push(*word),
                    (1, _) => return Err(expected(1, *word, "`,` or `;`")),
                    _ => return Err(expected(1, *word, "a value")),
                }
            }
            if values.len() % 2 == 0 {
                return Err(at(1, column, "a value is missing"));
            }
            types.add_type(1, name, &listed)?;
            column += 1;
        }
        Ok(types)
    }

    /// The types, in their order.
    pub fn types(&self) -> &[ValueType] {
        &self.types
    }

    /// How many values there are in all types together; one that is in two
    /// counts twice.
    pub fn values(&self) -> usize {
        self.values
    }

    /// The number of permutations, type by type; `None` if it is 2^128 or more.
    pub fn order(&self) -> Option<u128> {
        let factors = self.types.iter().flat_map(|t| 1..=t.values.len() as u128);
        factors.into_iter().try_fold(1, u128::checked_mul)
    }

    /// These types but those of which no value is used.
    pub(super) fn without_unused(&self, is_used: &[bool]) -> Self {
        let mut kept = Self::default();
        let mut numbers = Vec::with_capacity(self.types.len());
        for (own, range) in self.types.iter().zip(self.ranges()) {
            let is_kept = is_used[range].contains(&true);
            numbers.push(is_kept.then_some(kept.types.len()));
            if is_kept {
                kept.push(own.clone());
            }
        }
        let gates = self.gates.iter().map(|(gate, list)| {
            let list = list.iter().map(|entry| numbers[(*entry)?]);
            (gate.clone(), list.collect())
        });
        kept.gates = gates.collect();
        kept
    }

    /// Adds a type whose name none has yet.
    fn push(&mut self, new: ValueType) {
        self.numbers.insert(new.name.clone(), self.types.len());
        self.values += new.values.len();
        self.types.push(new);
    }

    /// The numbers of the values of each type, when all are numbered in order.
    pub(super) fn ranges(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let next = |t: &ValueType| {
            end += t.values.len();
            end - t.values.len()..end
        };
        self.types.iter().map(next).collect()
    }

    /// The value with this number.
    pub(super) fn value(&self, number: usize) -> &str {
        let mut values = self.types.iter().flat_map(|t| &t.values);
        values.nth(number).expect("the number of a value")
    }

    /// The gates that are declared, sorted.
    pub(super) fn gates(&self) -> impl Iterator<Item = &str> {
        self.gates.keys().map(String::as_str)
    }

    /// The types of the tokens of this gate, if it is declared.
    pub(super) fn gate(&self, gate: &[u8]) -> Option<&[Option<usize>]> {
        let gate = std::str::from_utf8(gate).ok()?;
        self.gates.get(gate).map(Vec::as_slice)
    }

    fn parse_type(
        &mut self,
        line: usize,
        content: &str,
        words: &[Word<'_>],
    ) -> Result<(), TypesError> {
        let (name, values) = head(line, content.len() + 1, words, "=", "the name of a type")?;
        if values.is_empty() {
            return Err(at(line, content.len() + 1, "a value is missing"));
        }
        self.add_type(line, name, values)
    }

    fn add_type(
        &mut self,
        line: usize,
        name: Word<'_>,
        values: &[Word<'_>],
    ) -> Result<(), TypesError> {
        check_token(line, name, "the name of a type")?;
        if self.numbers.contains_key(name.text) {
            let text = format!("the type {} is declared twice", name.text);
            return Err(at(line, name.column, text));
        }
        let mut seen = HashSet::new();
        for value in values {
            check_token(line, *value, "a value")?;
            if !seen.insert(value.text) {
                let text = format!(
                    "the value {} is in the type {} twice",
                    value.text, name.text
                );
                return Err(at(line, value.column, text));
            }
        }
        if values.is_empty() {
            return Err(at(line, name.column, "the type has no values"));
        }
        if self.values + values.len() > usize::from(u16::MAX) {
            return Err(at(line, name.column, "there are more than 65535 values"));
        }
        self.push(ValueType {
            name: name.text.into(),
            values: values.iter().map(|value| value.text.into()).collect(),
        });
        Ok(())
    }

    fn parse_gate(
        &mut self,
        line: usize,
        end: usize,
        words: &[Word<'_>],
    ) -> Result<(), TypesError> {
        let (gate, names) = head(line, end, words, ":", "a gate")?;
        let mut list = Vec::new();
        for name in names {
            let found = self.numbers.get(name.text).copied();
            if found.is_none() && name.text != "-" {
                let text = format!(
                    "`{}` is no type: expected one that is declared, or `-`",
                    name.text
                );
                return Err(at(line, name.column, text));
            }
            list.push(found);
        }
        if self.gates.insert(gate.text.into(), list).is_some() {
            let text = format!("the gate {} is declared twice", gate.text);
            return Err(at(line, gate.column, text));
        }
        Ok(())
    }
}

/// As a text of lines that [`Types::parse`] takes back.
impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ValueType { name, values } in &self.types {
            writeln!(f, "type {name} = {}", values.join(" "))?;
        }
        for (gate, list) in &self.gates {
            write!(f, "gate {gate} :")?;
            for entry in list {
                write!(f, " {}", entry.map_or("-", |t| &self.types[t].name))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Cuts a line into tokens and other characters; the first is in this column.
fn words(line: &str, first: usize) -> Vec<Word<'_>> {
    let syntax = tokens();
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut open: Option<usize> = None;
    let mut push = |from: usize, to: usize| {
        words.push(Word {
            column: first + from,
            text: &line[from..to],
        });
    };
    for (at, c) in line.char_indices() {
        let end = at + c.len_utf8();
        if syntax.is_token(&line.as_bytes()[at..end]) {
            open = open.or(Some(at));
            continue;
        }
        if let Some(from) = open.take() {
            push(from, at);
        }
        if !c.is_whitespace() {
            push(at, end);
        }
    }
    if let Some(from) = open {
        push(from, line.len());
    }
    words
}

/// What stands before the sign, which is one token, and what stands behind it.
fn head<'w, 't>(
    line: usize,
    end: usize,
    words: &'w [Word<'t>],
    sign: &str,
    what: &str,
) -> Result<(Word<'t>, &'w [Word<'t>]), TypesError> {
    let Some((&name, rest)) = words.split_first() else {
        return Err(at(line, end, format!("{what} is missing")));
    };
    check_token(line, name, what)?;
    match rest.split_first() {
        Some((word, rest)) if word.text == sign => Ok((name, rest)),
        Some((word, _)) => Err(expected(line, *word, &format!("`{sign}`"))),
        None => Err(at(line, end, format!("`{sign}` is missing"))),
    }
}

fn check_token(line: usize, word: Word<'_>, what: &str) -> Result<(), TypesError> {
    match tokens().is_token(word.text.as_bytes()) {
        true => Ok(()),
        false => Err(expected(line, word, what)),
    }
}

fn expected(line: usize, found: Word<'_>, what: &str) -> TypesError {
    at(
        line,
        found.column,
        format!("found `{}`, expected {what}", found.text),
    )
}

fn at(line: usize, column: usize, text: impl Into<String>) -> TypesError {
    TypesError {
        line,
        column,
        text: text.into(),
    }
}
