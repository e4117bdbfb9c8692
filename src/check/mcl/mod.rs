//! The parser of MCL, the Model Checking Language of CADP's evaluators 3 and 4.
//!
//! A text is taken apart into tokens (`lex`), libraries are read and macros expanded
//! (`macros`), and what remains is parsed, with names resolved and types checked on
//! the way (`state`, `regular`, `action`, `data`). No place of the grammar needs
//! more than a look ahead, so nothing is read twice.
//!
//! Not supported, and refused by name: probabilities (version 5), `case`, loops in
//! regular formulas other than `for`, sets of naturals, types and functions of the user.

mod action;
mod data;
mod lex;
mod macros;
mod print;
mod regular;
mod scope;
mod state;

use std::path::{Path, PathBuf};

use foldhash::{HashMap, HashMapExt};

use hyades_formats::diagnostic::printable_path;
use hyades_formats::{Format, ReadError, Source};

use crate::polarity;
use crate::syntax::{
    Fixpoint, Language, MAX_DEPTH, Place, Property, SyntaxError, Variable, Warning,
};
use lex::{Kind, Texts, Token};

/// Most tokens that macros may make of a text.
pub const MAX_TOKENS: usize = 1_000_000;

/// How deep parentheses and operators may be nested in a text.
pub const MAX_NESTING: usize = 500;

/// Where libraries come from: [`LibraryFiles`], or anything else.
pub trait Libraries {
    /// The full name and the text of the library `name` that the file `from` includes;
    /// `None` if there is none. Looked for beside `from`, then in the current directory.
    /// Two names of one file have the same full name: a file is read once.
    ///
    /// # Errors
    /// If there is one that cannot be read: why.
    fn find(&mut self, name: &str, from: &str) -> Result<Option<(String, Vec<u8>)>, String>;
}

/// No libraries but the built-in one.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoLibraries;

impl Libraries for NoLibraries {
    fn find(&mut self, _: &str, _: &str) -> Result<Option<(String, Vec<u8>)>, String> {
        Ok(None)
    }
}

/// Libraries beside the file that includes them, then in the working directory; those
/// that were found, each once.
#[derive(Clone, Default, Debug)]
pub struct LibraryFiles(pub Vec<String>);

impl Libraries for LibraryFiles {
    fn find(&mut self, name: &str, from: &str) -> Result<Option<(String, Vec<u8>)>, String> {
        let beside = Path::new(from).parent().map(|folder| folder.join(name));
        for path in beside.into_iter().chain([PathBuf::from(name)]) {
            if path.is_file() {
                let text = Source::open_named(&path, Some(Format::Aut))
                    .and_then(|source| source.into_bytes_up_to(Texts::MAX_LENGTH))
                    .map_err(|error| without_file(&error))?;
                let name = path.to_string_lossy().into_owned();
                if !self.0.contains(&name) {
                    self.0.push(name);
                }
                let full = std::fs::canonicalize(&path).unwrap_or(path);
                return Ok(Some((full.to_string_lossy().into_owned(), text)));
            }
        }
        Ok(None)
    }
}

/// Why a file cannot be read; its name is told anyway.
fn without_file(error: &ReadError) -> String {
    match error {
        ReadError::Io { error, .. } => error.to_string(),
        other => other.to_string(),
    }
}

/// Libraries that are read before a text that includes none.
#[derive(Clone, Copy, Default, Debug)]
pub struct Before<'a> {
    /// Their names.
    pub libraries: &'a [String],
    /// What messages call that which names them.
    pub option: &'a str,
}

/// A property, and what is to be told about its text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The property.
    pub property: Property,
    /// What is doubtful, in the order of the text.
    pub warnings: Vec<Warning>,
    /// The formula without macros, which means the same.
    pub expanded: String,
    /// Its name, if it is `property NAME … is … end property`.
    pub name: Option<String>,
    /// The strings behind the name.
    pub comment: Vec<String>,
}

/// Parses a file: libraries, macros and one formula, or properties with names. `file` is
/// its full name, as [`Libraries::find`] would tell it.
///
/// ```text
/// property SAFE "no two at once" is [ true* . "ENTER" . "ENTER" ] false end property
/// ```
///
/// # Errors
/// If it is malformed, uses something unsupported, or is too large: the first mistake.
pub fn parse_all(
    text: &[u8],
    file: &str,
    libraries: &mut dyn Libraries,
) -> Result<Vec<Parsed>, SyntaxError> {
    parse_all_after(text, file, Before::default(), libraries)
}

/// As [`parse_all`]; with other libraries before it.
///
/// # Errors
/// As [`parse_all`]. What is wrong with one of the other libraries as such has no place.
pub fn parse_all_after(
    text: &[u8],
    file: &str,
    before: Before<'_>,
    libraries: &mut dyn Libraries,
) -> Result<Vec<Parsed>, SyntaxError> {
    parsed(text, file, before, libraries).map_err(|fault| *fault)
}

/// As [`parse_all`]; the first formula.
///
/// # Errors
/// As [`parse_all`].
pub fn parse(
    text: &[u8],
    file: &str,
    libraries: &mut dyn Libraries,
) -> Result<Parsed, SyntaxError> {
    let mut all = parse_all(text, file, libraries)?;
    // A file without a formula is an error.
    Ok(all.swap_remove(0))
}

/// An error; boxed, to keep the frames of the parser small.
type Fault = Box<SyntaxError>;

type Result<T, E = Fault> = std::result::Result<T, E>;

fn parsed(
    text: &[u8],
    file: &str,
    before: Before<'_>,
    libraries: &mut dyn Libraries,
) -> Result<Vec<Parsed>> {
    let expanded = macros::expand(text, file, before, libraries)?;
    let mut warnings = expanded.warnings;
    let formulas = expanded.formulas.into_iter().map(|formula| {
        let mut parser = Parser {
            tokens: &formula.tokens,
            texts: &expanded.texts,
            macros: &expanded.macros,
            closed: closed(&formula.tokens),
            file,
            at: 0,
            nesting: 0,
            numbers: HashMap::new(),
            names: Vec::new(),
            scope: Vec::new(),
            variables: Vec::new(),
            fixpoints: Vec::new(),
            occurrences: Vec::new(),
            // Those of libraries are told once.
            warnings: std::mem::take(&mut warnings),
        };
        let tree = parser.whole()?;
        polarity::check(&tree, &parser.fixpoints, &parser.occurrences, "implies").map_err(
            |(place, message)| {
                let file = file.to_string();
                Box::new(SyntaxError {
                    file,
                    place,
                    message,
                })
            },
        )?;
        parser.warnings.sort_by_key(|warning| warning.place);
        Ok(Parsed {
            property: Property {
                language: Language::Mcl,
                formula: tree,
                variables: parser.variables,
                fixpoints: parser.fixpoints,
            },
            warnings: parser.warnings,
            expanded: print::text(&formula.tokens, &expanded.texts),
            name: formula.name,
            comment: formula.comment,
        })
    });
    formulas.collect()
}

/// For each parenthesis that opens, the token after the one that closes it.
fn closed(tokens: &[Token]) -> Vec<u32> {
    let mut closed = vec![0; tokens.len()];
    let mut open = Vec::new();
    for (k, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Symbol("(") => open.push(k),
            Kind::Symbol(")") => {
                if let Some(start) = open.pop() {
                    closed[start] = k as u32 + 1;
                }
            }
            _ => {}
        }
    }
    closed
}

/// A tree and how deep it is.
struct Node<T> {
    tree: T,
    depth: usize,
}

/// What has been read of a formula. An error ends all reading, so nothing is restored
/// after one.
struct Parser<'e> {
    tokens: &'e [Token],
    texts: &'e Texts,
    /// The names of macros.
    macros: &'e [String],
    /// See [`closed`]; 0 where nothing closes.
    closed: Vec<u32>,
    file: &'e str,
    at: usize,
    nesting: usize,
    /// Names and their places in `names`.
    numbers: HashMap<&'e [u8], usize>,
    names: Vec<scope::Name>,
    /// Names that are known here, the nearest last.
    scope: Vec<usize>,
    variables: Vec<Variable>,
    fixpoints: Vec<Fixpoint>,
    /// Where fixpoint variables occur, in the order of the text.
    occurrences: Vec<Place>,
    warnings: Vec<Warning>,
}

impl<'e> Parser<'e> {
    fn token(&self) -> &'e Token {
        &self.tokens[self.at]
    }

    /// The token after this one, or the end.
    fn next(&self) -> &'e Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    fn place(&self) -> Place {
        self.token().place
    }

    fn is(&self, text: &str) -> bool {
        self.token().is(text)
    }

    /// Takes a token; the end stays.
    fn take(&mut self) -> &'e Token {
        let token = self.token();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    /// Takes this keyword or punctuation if it comes next.
    fn accept(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, text: &'static str) -> Result<()> {
        match self.accept(text) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{text}`"))),
        }
    }

    /// `end NAME`.
    fn expect_end(&mut self, of: &'static str) -> Result<()> {
        match self.is("end") && self.next().is(of) {
            true => {
                self.at += 2;
                Ok(())
            }
            false => Err(self.unexpected(&format!("`end {of}`"))),
        }
    }

    fn fault(&self, token: &Token, message: impl Into<String>) -> Fault {
        let mut message = message.into();
        if let Some(number) = token.origin {
            let name = &self.macros[number as usize];
            let written = self.texts.written(token).map(|(file, place)| {
                let own = (file != self.file).then(|| format!("{}:", printable_path(file)));
                format!(": {}{place}", own.unwrap_or_default())
            });
            let written = written.unwrap_or_default();
            message.push_str(&format!(" (in what the macro `{name}` makes{written})"));
        }
        Box::new(SyntaxError {
            file: self.file.to_string(),
            place: token.place,
            message,
        })
    }

    fn unexpected(&self, expected: &str) -> Fault {
        let token = self.token();
        let hint = match token.kind {
            Kind::Name => lex::keyword_like(self.texts.of(token))
                .map(|keyword| format!("; the keyword is `{keyword}`"))
                .unwrap_or_default(),
            _ => String::new(),
        };
        let found = self.texts.show(token);
        self.fault(token, format!("found {found}, expected {expected}{hint}"))
    }

    fn warn(&mut self, code: &'static str, place: Place, message: String) {
        self.warnings.push(Warning {
            code,
            place,
            message,
        });
    }

    /// One level deeper. It is left by subtracting 1 from `nesting`.
    fn enter(&mut self) -> Result<()> {
        self.nesting += 1;
        match self.nesting <= MAX_NESTING {
            true => Ok(()),
            false => Err(self.fault(
                self.token(),
                format!("more than {MAX_NESTING} levels of parentheses and operators: nest less"),
            )),
        }
    }

    /// A tree on top of others, of which the deepest has this depth.
    fn node<T>(&self, tree: T, below: usize) -> Result<Node<T>> {
        match below < MAX_DEPTH {
            true => Ok(Node {
                tree,
                depth: below + 1,
            }),
            false => Err(self.fault(
                self.token(),
                format!("the formula is nested more than {MAX_DEPTH} deep before this"),
            )),
        }
    }
}
