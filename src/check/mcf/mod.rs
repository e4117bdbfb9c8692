//! The parser of mCRL2's modal formulas.
//!
//! A text is taken apart into tokens (`lex`) and parsed, with names resolved and types
//! checked on the way: sections (`sections`), state formulas (`state`), regular and
//! action formulas (`regular`), data (`data`). A parenthesis in a regular formula is
//! read as one, and is an action formula if it has nothing else in it, so nothing is
//! read twice.
//!
//! Not supported, and refused by name: time, quantitative formulas, equations and what
//! they define, lists, sets, bags, functions as values, reals.

mod data;
mod lex;
pub(crate) mod print;
mod regular;
mod sections;
mod sorts;
mod state;

use foldhash::{HashMap, HashMapExt};

use crate::polarity;
use crate::syntax::{
    Fixpoint, FixpointId, Language, MAX_DEPTH, Place, Property, SyntaxError, Value, Variable,
    VariableId, Warning,
};
use lex::{Kind, Token};
pub use print::whole;

/// How deep parentheses and operators may be nested in a text.
pub const MAX_NESTING: usize = 500;

/// A property, and what is to be told about its text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The property. Its quantifiers run through
    /// [`Domain::Occurring`](crate::syntax::Domain::Occurring), but for those of Booleans:
    /// see [`replace`](crate::domains::replace).
    pub property: Property,
    /// What is doubtful, in the order of the text.
    pub warnings: Vec<Warning>,
    /// The place of each variable of the property.
    pub places: Vec<Place>,
    /// The sorts that the text itself gives values, and these.
    pub sorts: Vec<(Box<str>, Vec<Value>)>,
    /// The text without comments, which means the same.
    pub expanded: String,
}

/// Parses a file: a formula, or sections of which one is `form F ;`. `file` is its name.
///
/// # Errors
/// If it is malformed, uses something unsupported, or is too large: the first mistake.
pub fn parse(text: &[u8], file: &str) -> Result<Parsed, SyntaxError> {
    parsed(text, file).map_err(|fault| *fault)
}

/// An error; boxed, to keep the frames of the parser small.
type Fault = Box<SyntaxError>;

type Result<T, E = Fault> = std::result::Result<T, E>;

fn parsed(text: &[u8], file: &str) -> Result<Parsed> {
    let tokens = lex::tokens(text, file)?;
    let mut parser = Parser {
        tokens: &tokens,
        file,
        at: 0,
        nesting: 0,
        data: HashMap::new(),
        known_fixpoints: HashMap::new(),
        variables: Vec::new(),
        places: Vec::new(),
        fixpoints: Vec::new(),
        occurrences: Vec::new(),
        actions: None,
        used: Vec::new(),
        sorts: Vec::new(),
        warnings: Vec::new(),
    };
    let formula = parser.whole()?;
    polarity::check(&formula, &parser.fixpoints, &parser.occurrences, "=>").map_err(
        |(place, message)| {
            let file = file.to_string();
            Box::new(SyntaxError {
                file,
                place,
                message,
            })
        },
    )?;
    parser.check_declared();
    parser.warnings.sort_by_key(|warning| warning.place);
    let property = Property {
        language: Language::Mcf,
        formula,
        variables: parser.variables,
        fixpoints: parser.fixpoints,
    };
    Ok(Parsed {
        expanded: print::whole(&property, &parser.sorts),
        property,
        warnings: parser.warnings,
        places: parser.places,
        sorts: parser.sorts,
    })
}

/// A tree and how deep it is.
struct Node<T> {
    tree: T,
    depth: usize,
}

/// What has been read of a formula. An error ends all reading, so nothing is restored
/// after one.
struct Parser<'e> {
    tokens: &'e [Token<'e>],
    file: &'e str,
    at: usize,
    nesting: usize,
    /// Variables that are known here, the nearest last.
    data: HashMap<&'e [u8], Vec<VariableId>>,
    /// Fixpoints that are known here by name and number of parameters, the nearest last.
    known_fixpoints: HashMap<(&'e [u8], usize), Vec<FixpointId>>,
    variables: Vec<Variable>,
    places: Vec<Place>,
    fixpoints: Vec<Fixpoint>,
    /// Where fixpoint variables occur, in the order of the text.
    occurrences: Vec<Place>,
    /// Declared actions and numbers of their arguments, if there is a section of them.
    actions: Option<Vec<(&'e [u8], usize)>>,
    /// Actions of the formula.
    used: Vec<(Token<'e>, usize)>,
    /// See [`Parsed::sorts`].
    sorts: Vec<(Box<str>, Vec<Value>)>,
    warnings: Vec<Warning>,
}

impl<'e> Parser<'e> {
    fn token(&self) -> &'e Token<'e> {
        &self.tokens[self.at]
    }

    /// The token after this one, or the end.
    fn next(&self) -> &'e Token<'e> {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    fn is(&self, text: &str) -> bool {
        self.token().is(text)
    }

    /// Takes a token; the end stays.
    fn take(&mut self) -> &'e Token<'e> {
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

    fn expect(&mut self, text: &str) -> Result<()> {
        match self.accept(text) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{text}`"))),
        }
    }

    /// A name.
    fn name(&mut self, what: &str) -> Result<&'e Token<'e>> {
        match self.token().kind {
            Kind::Name => Ok(self.take()),
            Kind::Word(_) => Err(self.unexpected(&format!("{what}, which is no keyword"))),
            _ => Err(self.unexpected(what)),
        }
    }

    fn fault(&self, token: &Token<'_>, message: impl Into<String>) -> Fault {
        Box::new(SyntaxError {
            file: self.file.to_string(),
            place: token.place,
            message: message.into(),
        })
    }

    fn unexpected(&self, expected: &str) -> Fault {
        let token = self.token();
        let found = token.show();
        self.fault(token, format!("found {found}, expected {expected}"))
    }

    fn warn(&mut self, code: &'static str, place: Place, message: String) {
        let warning = Warning {
            code,
            place,
            message,
        };
        let is_same = |w: &Warning| (w.code, w.place) == (code, place);
        if !self.warnings.last().is_some_and(is_same) {
            self.warnings.push(warning);
        }
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

    /// Warns if an operator follows a quantifier or fixpoint that has ended here because
    /// it is a right operand, and may have been meant to be inside.
    fn warn_scope(&mut self, binder: &Token<'_>) {
        let token = self.token();
        let message = format!(
            "`{}` is outside the `{}` before it, which is an operand and ends where that \
             operand ends; write parentheses around what belongs to it",
            token.name(),
            binder.name()
        );
        self.warn("check-mcf-scope", token.place, message);
    }
}

#[cfg(test)]
mod tests;
