//! Macros: what a file and its libraries define, and a formula without them.
//!
//! Everything happens on tokens. Arguments and bodies of more than one token get
//! parentheses. A body is expanded when it is defined.

use std::path::Path;
use std::sync::LazyLock;

use foldhash::HashMap;
use foldhash::HashMapExt;
use foldhash::HashSet;
use foldhash::HashSetExt;
use hyades_formats::diagnostic::{Diagnostic, Severity, counted};

use super::lex::{Kind, Texts, Token};
use super::{Before, Fault, Libraries, MAX_TOKENS, NoLibraries};
use crate::syntax::{Place, SyntaxError, Warning};

/// The built-in macros, as text.
const BUILTIN: &str = include_str!("builtin.mcl");

/// The names of the library that is built in.
const BUILTIN_LIBRARIES: [&str; 4] = ["standard.mcl", "actl.mcl", "ctl.mcl", "hml.mcl"];

/// How deep libraries may include one another.
const MAX_INCLUDES: usize = 100;

/// A formula without macros.
pub(super) struct Formula {
    /// Its name, if it is one of several in a file.
    pub name: Option<String>,
    /// The strings behind the name, without quotes.
    pub comment: Vec<String>,
    /// The last one is the end.
    pub tokens: Vec<Token>,
}

/// What is wrong with `property` where no name follows it.
pub(super) const NAMELESS_PROPERTY: &str = "found `property`, and no name behind it: a property \
    begins with `property NAME is`, the name without quotes";

/// The formulas of a file.
pub(super) struct Expanded {
    /// At least one.
    pub formulas: Vec<Formula>,
    pub texts: Texts,
    /// The names of macros, by the numbers that tokens have.
    pub macros: Vec<String>,
    pub warnings: Vec<Warning>,
}

/// Takes a file apart, reads its libraries and expands its formulas.
/// Libraries that are asked for outside of it are read before it if it includes none.
pub(super) fn expand(
    text: &[u8],
    file: &str,
    before: Before<'_>,
    libraries: &mut dyn Libraries,
) -> Result<Expanded, Fault> {
    let mut expander = Expander::new(BuiltIn::get().clone(), libraries);
    let tokens = expander.texts.add(text, file)?;
    expander.files.insert(file.to_string(), false);
    let includes = |token: &Token| token.kind == Kind::Word("library");
    if !tokens.iter().any(includes) {
        for name in before.libraries {
            expander.include(&Asked {
                name,
                from: file,
                told: &format!("{} {name}", before.option),
                place: None,
            })?;
        }
    }
    let formulas = expander.formulas(&tokens, file)?;
    Ok(Expanded {
        formulas,
        texts: expander.texts,
        macros: expander.names,
        warnings: expander.warnings,
    })
}

/// A part of a body.
#[derive(Clone, Copy)]
enum Piece {
    Token(Token),
    /// The argument with this number.
    Parameter(usize),
}

/// A macro.
#[derive(Clone)]
struct Macro {
    parameters: usize,
    /// Its place in [`Expander::names`].
    number: u32,
    body: Vec<Piece>,
}

/// A macro that is being defined.
struct Head<'t> {
    name: &'t Token,
    parameters: Vec<Token>,
}

/// A call whose end has not been reached.
struct Call {
    name: Token,
    /// Whether the name may be that of a built-in macro.
    builtin: bool,
    arguments: Vec<Vec<Piece>>,
    /// What has been read of the argument before the next comma.
    argument: Vec<Piece>,
    /// The brackets that are open in it.
    open: Vec<Token>,
}

/// A library that is to be read.
struct Asked<'a> {
    name: &'a str,
    /// The file that it is looked for beside.
    from: &'a str,
    /// What names it, for messages, and where in it.
    told: &'a str,
    place: Option<Place>,
}

/// What is known before a file is read.
#[derive(Clone, Default)]
struct BuiltIn {
    texts: Texts,
    /// By names in upper case.
    macros: HashMap<Vec<u8>, Vec<Macro>>,
    /// The names of macros, by their numbers.
    names: Vec<String>,
}

impl BuiltIn {
    /// The built-in macros, which are read when they are wanted first.
    fn get() -> &'static Self {
        static KNOWN: LazyLock<BuiltIn> = LazyLock::new(|| {
            let name = "builtin.mcl";
            let mut libraries = NoLibraries;
            let mut expander = Expander::new(BuiltIn::default(), &mut libraries);
            let tokens = expander.texts.add(BUILTIN.as_bytes(), name);
            let read = tokens.and_then(|tokens| expander.definitions(&tokens, name, true));
            // The text is a constant of the program.
            read.unwrap_or_else(|fault| panic!("{fault}"));
            BuiltIn {
                texts: expander.texts.without_files(),
                macros: expander.builtin,
                names: expander.names,
            }
        });
        &KNOWN
    }
}

struct Expander<'l> {
    texts: Texts,
    libraries: &'l mut dyn Libraries,
    /// By names in upper case.
    builtin: HashMap<Vec<u8>, Vec<Macro>>,
    own: HashMap<Vec<u8>, Vec<Macro>>,
    names: Vec<String>,
    /// Full names of files, and whether they have been read to their ends.
    files: HashMap<String, bool>,
    /// Names of variables, which are no built-in macros.
    bound: HashSet<Vec<u8>>,
    /// How many tokens have been made.
    made: usize,
    warnings: Vec<Warning>,
    /// Where the file that the user named includes what is being read.
    clause: Option<Place>,
}

fn fault(file: &str, place: Place, message: impl Into<String>) -> Fault {
    Box::new(SyntaxError {
        file: file.to_string(),
        place,
        message: message.into(),
    })
}

/// The same without what is in the file.
fn discreet(mut fault: Fault) -> Fault {
    let told = Diagnostic {
        severity: Severity::Error,
        code: "check-library",
        file: None,
        position: None,
        text: std::mem::take(&mut fault.message),
    };
    let expected = "a library of MCL, which begins with a macro or a library";
    fault.message = told.discreet(expected).text;
    fault
}

fn too_many(file: &str, place: Place) -> Fault {
    let message = format!(
        "the text has more than {MAX_TOKENS} tokens, those that macros make of it included: write \
         a shorter one"
    );
    fault(file, place, message)
}

/// The bracket that ends what this one opens.
fn closing(open: &Token) -> Option<&'static str> {
    match open.kind {
        Kind::Symbol("(") => Some(")"),
        Kind::Symbol("[") => Some("]"),
        Kind::Symbol("{") => Some("}"),
        _ => None,
    }
}

impl<'l> Expander<'l> {
    fn new(known: BuiltIn, libraries: &'l mut dyn Libraries) -> Self {
        Self {
            texts: known.texts,
            libraries,
            builtin: known.macros,
            own: HashMap::new(),
            names: known.names,
            files: HashMap::new(),
            bound: HashSet::new(),
            made: 0,
            warnings: Vec::new(),
            clause: None,
        }
    }

    /// Learns the names of all variables of a text.
    fn bind(&mut self, tokens: &[Token]) {
        for pair in tokens.windows(2) {
            let name = match (pair[0].kind, pair[1].kind) {
                (Kind::Word("mu" | "nu"), Kind::Name) => &pair[1],
                (Kind::Name, Kind::Symbol(":")) => &pair[0],
                _ => continue,
            };
            self.bound.insert(self.texts.of(name).to_vec());
        }
    }

    /// Reads libraries and macros, and tells where they end.
    fn definitions(&mut self, tokens: &[Token], file: &str, builtin: bool) -> Result<usize, Fault> {
        let mut at = 0;
        loop {
            at = match tokens[at].kind {
                Kind::Word("library") => self.clause(tokens, at + 1, file)?,
                Kind::Word("macro") => self.definition(tokens, at + 1, file, builtin)?,
                _ => return Ok(at),
            };
        }
    }

    /// Libraries and macros and then one formula, or properties with macros between them.
    fn formulas(&mut self, tokens: &[Token], file: &str) -> Result<Vec<Formula>, Fault> {
        self.bind(tokens);
        let mut formulas: Vec<Formula> = Vec::new();
        let mut names: HashSet<String> = HashSet::new();
        let mut at = 0;
        loop {
            at += self.definitions(&tokens[at..], file, false)?;
            if let Some((head, start)) = self.heading(tokens, at, file)? {
                let name = self.texts.name(&tokens[at + 1]);
                if !names.insert(name.to_string()) {
                    let message = format!("there are two properties `{name}`: rename one");
                    return Err(fault(file, tokens[at + 1].place, message));
                }
                let ends =
                    |pair: &[Token]| pair[0].is("end") && self.is_name(&pair[1], b"property");
                let len = tokens[start..].windows(2).position(ends);
                let Some(len) = len else {
                    let name = self.texts.name(&tokens[at + 1]);
                    let message = format!("the property `{name}` has no `end property`");
                    return Err(fault(file, tokens[at].place, message));
                };
                let end = start + len;
                formulas.push(self.formula(head, &tokens[start..end], &tokens[end], file)?);
                at = end + 2;
                continue;
            }
            match (tokens[at].kind, formulas.is_empty()) {
                (Kind::End, false) => return Ok(formulas),
                (_, true) => {
                    let unnamed = Formula {
                        name: None,
                        comment: Vec::new(),
                        tokens: Vec::new(),
                    };
                    let end = tokens.len() - 1;
                    let formula = self.formula(unnamed, &tokens[at..end], &tokens[end], file)?;
                    return Ok(vec![formula]);
                }
                (_, false) if self.is_name(&tokens[at], b"property") => {
                    return Err(fault(file, tokens[at].place, NAMELESS_PROPERTY));
                }
                (_, false) => {
                    let expected = "`property`, `macro`, `library` or the end";
                    return Err(self.unexpected(file, &tokens[at], expected));
                }
            }
        }
    }

    fn is_name(&self, token: &Token, name: &[u8]) -> bool {
        token.kind == Kind::Name && self.texts.of(token) == name
    }

    /// `property NAME {"comment"} is`, and where its formula begins. The words are no
    /// keywords: no formula begins with two names.
    fn heading(
        &self,
        tokens: &[Token],
        at: usize,
        file: &str,
    ) -> Result<Option<(Formula, usize)>, Fault> {
        let named = self.is_name(&tokens[at], b"property")
            && tokens
                .get(at + 1)
                .is_some_and(|name| name.kind == Kind::Name);
        if !named {
            return Ok(None);
        }
        let mut head = Formula {
            name: Some(self.texts.name(&tokens[at + 1]).to_string()),
            comment: Vec::new(),
            tokens: Vec::new(),
        };
        let mut start = at + 2;
        while tokens[start].kind == Kind::String {
            let text = super::lex::unescaped(self.texts.of(&tokens[start]));
            head.comment
                .push(String::from_utf8_lossy(&text).into_owned());
            start += 1;
        }
        match self.is_name(&tokens[start], b"is") {
            true => Ok(Some((head, start + 1))),
            false => {
                Err(self.unexpected(file, &tokens[start], "`is` and the formula of the property"))
            }
        }
    }

    /// A formula of these tokens, without macros.
    fn formula(
        &mut self,
        head: Formula,
        tokens: &[Token],
        end: &Token,
        file: &str,
    ) -> Result<Formula, Fault> {
        let pieces = self.pieces(tokens, file, None)?;
        let mut formula: Vec<Token> = Vec::with_capacity(pieces.len() + 1);
        for piece in pieces {
            match piece {
                Piece::Token(token) => formula.push(token),
                Piece::Parameter(_) => unreachable!("a formula has no parameters"),
            }
        }
        let (text, start, _) = end.text;
        formula.push(Token {
            kind: Kind::End,
            text: (text, start, 0),
            ..*end
        });
        self.rename(&mut formula);
        Ok(Formula {
            tokens: formula,
            ..head
        })
    }

    fn unexpected(&self, file: &str, token: &Token, expected: &str) -> Fault {
        let message = format!("found {}, expected {expected}", self.texts.show(token));
        fault(file, token.place, message)
    }

    /// `NAME {, NAME} end_library`.
    fn clause(&mut self, tokens: &[Token], mut at: usize, file: &str) -> Result<usize, Fault> {
        loop {
            match tokens[at].kind {
                Kind::Library => {
                    let name = String::from_utf8_lossy(self.texts.of(&tokens[at])).into_owned();
                    self.include(&Asked {
                        name: &name,
                        from: file,
                        told: file,
                        place: Some(tokens[at].place),
                    })?;
                }
                _ => return Err(self.unexpected(file, &tokens[at], "the name of a library")),
            }
            match tokens[at + 1].kind {
                Kind::Symbol(",") => at += 2,
                Kind::Word("end_library") => return Ok(at + 2),
                _ => return Err(self.unexpected(file, &tokens[at + 1], "`,` or `end_library`")),
            }
        }
    }

    fn include(&mut self, asked: &Asked<'_>) -> Result<(), Fault> {
        let Asked { name, from, .. } = *asked;
        let here = |message: String| fault(asked.told, asked.place.unwrap_or_default(), message);
        if name.ends_with(".xtl") {
            return Err(here(format!("`{name}`: xtl is not supported; write MCL")));
        }
        let builtin = BUILTIN_LIBRARIES.contains(&name);
        let found = self.libraries.find(name, from);
        let found = found.map_err(|e| here(format!("the library {name} cannot be read: {e}")))?;
        let Some((full, text)) = found else {
            if builtin {
                return Ok(());
            }
            let folder = Path::new(from).parent();
            let beside = match folder.is_some_and(|folder| folder != Path::new("")) {
                true => format!("beside {from}, "),
                false => String::new(),
            };
            return Err(here(format!(
                "the library {name} cannot be read: there is none {beside}in the current \
                 directory, or built in (those are {})",
                BUILTIN_LIBRARIES.join(", ")
            )));
        };
        match self.files.get(&full) {
            Some(true) => return Ok(()),
            Some(false) => {
                return Err(here(format!(
                    "libraries in a cycle: {full} includes itself"
                )));
            }
            None => {}
        }
        let open = self.files.values().filter(|read| !**read).count();
        if open > MAX_INCLUDES {
            return Err(here(format!(
                "libraries include one another more than {MAX_INCLUDES} deep"
            )));
        }
        let outer = self.clause;
        // What is asked for outside of the text stands before it.
        let start = Place { line: 1, column: 1 };
        let place = *self.clause.get_or_insert(asked.place.unwrap_or(start));
        if builtin {
            let option = match asked.place {
                Some(_) => String::new(),
                None => format!("{}: ", asked.told),
            };
            self.warnings.push(Warning {
                code: "check-own-library",
                place,
                message: format!("{option}{full} is read instead of the built-in library {name}"),
            });
        }
        self.files.insert(full.clone(), false);
        self.library(&text, &full).map_err(|fault| {
            // Whoever wrote the text that names it need not be allowed to see what is in it.
            match asked.place.is_some() && fault.file == full && !Texts::is_library(&text) {
                true => discreet(fault),
                false => fault,
            }
        })?;
        self.files.insert(full, true);
        self.clause = outer;
        Ok(())
    }

    /// Reads a text that consists of libraries and macros.
    fn library(&mut self, text: &[u8], full: &str) -> Result<(), Fault> {
        let tokens = self.texts.add(text, full)?;
        self.bind(&tokens);
        let end = self.definitions(&tokens, full, false)?;
        match tokens[end].kind {
            Kind::End => Ok(()),
            _ => {
                let expected = "`macro`, `library` or the end: a library has no formula";
                Err(self.unexpected(full, &tokens[end], expected))
            }
        }
    }

    /// `M (P1, …, Pn) = BODY end_macro`.
    fn definition(
        &mut self,
        tokens: &[Token],
        mut at: usize,
        file: &str,
        builtin: bool,
    ) -> Result<usize, Fault> {
        let name = &tokens[at];
        if name.kind != Kind::Name {
            return Err(self.unexpected(file, name, "the name of a macro"));
        }
        let mut head = Head {
            name,
            parameters: Vec::new(),
        };
        at += 1;
        if tokens[at].is("(") {
            at += 1;
            while !(head.parameters.is_empty() && tokens[at].is(")")) {
                let parameter = tokens[at];
                if parameter.kind != Kind::Name {
                    return Err(self.unexpected(file, &parameter, "the name of a parameter"));
                }
                if self.parameter(&head, &parameter).is_some() {
                    let shown = self.texts.show(&parameter);
                    let message = format!("the macro has two parameters {shown}: rename one");
                    return Err(fault(file, parameter.place, message));
                }
                head.parameters.push(parameter);
                match tokens[at + 1].kind {
                    Kind::Symbol(",") => at += 2,
                    Kind::Symbol(")") => {
                        at += 1;
                        break;
                    }
                    _ => return Err(self.unexpected(file, &tokens[at + 1], "`,` or `)`")),
                }
            }
            at += 1;
        }
        if !tokens[at].is("=") {
            return Err(self.unexpected(file, &tokens[at], "`=` and the body of the macro"));
        }
        at += 1;
        let ends = |t: &Token| t.is("end_macro") || t.is("macro") || t.kind == Kind::End;
        let len = tokens[at..].iter().position(ends).unwrap_or_default();
        let shown = self.texts.name(name).to_string();
        if !tokens[at + len].is("end_macro") {
            let message = format!("the macro `{shown}` has no end_macro");
            return Err(fault(file, name.place, message));
        }
        if len == 0 {
            let message = format!("the macro `{shown}` has no body between `=` and `end_macro`");
            return Err(fault(file, tokens[at].place, message));
        }
        let mut body = tokens[at..at + len].to_vec();
        if builtin {
            self.mark(&mut body);
        }
        let parameters = head.parameters.len();
        let body = self.pieces(&body, file, Some(&head))?;
        let number = self.names.len() as u32;
        self.names.push(shown);
        let text = self.texts.of(name);
        let of_name = match builtin {
            true => self.builtin.entry(text.to_ascii_uppercase()).or_default(),
            false => self.own.entry(text.to_vec()).or_default(),
        };
        of_name.retain(|other| other.parameters != parameters);
        of_name.push(Macro {
            parameters,
            number,
            body,
        });
        Ok(at + len + 1)
    }

    /// Marks fixpoint variables that a built-in macro has of its own.
    fn mark(&self, body: &mut [Token]) {
        let bound: HashSet<Vec<u8>> = body
            .windows(2)
            .filter(|pair| pair[0].is("mu") || pair[0].is("nu"))
            .map(|pair| self.texts.of(&pair[1]).to_vec())
            .collect();
        for token in body.iter_mut().filter(|token| token.kind == Kind::Name) {
            token.hygienic = bound.contains(self.texts.of(token));
        }
    }

    fn parameter(&self, head: &Head, name: &Token) -> Option<usize> {
        let text = self.texts.of(name);
        let mut names = head.parameters.iter();
        names.position(|parameter| self.texts.of(parameter) == text)
    }

    /// The macros of this name.
    fn of_name(&self, name: &Token, builtin: bool) -> impl Iterator<Item = &Macro> {
        let text = self.texts.of(name);
        let own = self.own.get(text).into_iter().flatten();
        let builtin = builtin && !self.bound.contains(text);
        let builtin = builtin.then(|| self.builtin.get(&text.to_ascii_uppercase()));
        own.chain(builtin.flatten().into_iter().flatten())
    }

    /// Tokens without calls of macros. `head` is that of the macro whose body they are.
    fn pieces(
        &mut self,
        tokens: &[Token],
        file: &str,
        head: Option<&Head>,
    ) -> Result<Vec<Piece>, Fault> {
        let mut out = Vec::new();
        let mut calls: Vec<Call> = Vec::new();
        // Braces that are open: patterns and domains, in which no formula stands.
        let mut braces = 0usize;
        let mut at = 0;
        while let Some(&token) = tokens.get(at) {
            at += 1;
            let next_is = |k: usize, text| tokens.get(at + k).is_some_and(|t| t.is(text));
            let mut piece = Piece::Token(token);
            if token.kind == Kind::Name {
                let own = head.filter(|head| self.texts.of(head.name) == self.texts.of(&token));
                let own = own.map(|head| head.parameters.len());
                let builtin = braces == 0;
                let macros = self.of_name(&token, builtin).map(|m| m.parameters);
                let (mut plain, mut with_arguments) = (false, false);
                for parameters in macros.chain(own) {
                    match parameters {
                        0 => plain = true,
                        _ => with_arguments = true,
                    }
                }
                if let Some(k) = head.and_then(|head| self.parameter(head, &token)) {
                    piece = Piece::Parameter(k);
                } else if with_arguments && next_is(0, "(") {
                    calls.push(Call {
                        name: token,
                        builtin,
                        arguments: Vec::new(),
                        argument: Vec::new(),
                        open: Vec::new(),
                    });
                    at += 1;
                    continue;
                } else if plain {
                    if next_is(0, "(") && next_is(1, ")") {
                        at += 2;
                    }
                    let call = Call {
                        name: token,
                        builtin,
                        arguments: Vec::new(),
                        argument: Vec::new(),
                        open: Vec::new(),
                    };
                    let target = calls.last_mut().map_or(&mut out, |call| &mut call.argument);
                    let mut made = std::mem::take(target);
                    self.instantiate(&call, file, head, &mut made)?;
                    *calls.last_mut().map_or(&mut out, |call| &mut call.argument) = made;
                    continue;
                }
            }
            match token.kind {
                Kind::Symbol("{") => braces += 1,
                Kind::Symbol("}") => braces = braces.saturating_sub(1),
                _ => {}
            }
            if let Some(call) = calls.last_mut() {
                match token.kind {
                    Kind::Symbol("(" | "[" | "{") => call.open.push(token),
                    Kind::Symbol(")") if call.open.is_empty() => {
                        if !(call.arguments.is_empty() && call.argument.is_empty()) {
                            let argument = std::mem::take(&mut call.argument);
                            call.arguments.push(argument);
                        }
                        // There is one, as it is the last.
                        let Some(call) = calls.pop() else { continue };
                        let target = calls.last_mut().map_or(&mut out, |call| &mut call.argument);
                        let mut made = std::mem::take(target);
                        self.instantiate(&call, file, head, &mut made)?;
                        *calls.last_mut().map_or(&mut out, |call| &mut call.argument) = made;
                        continue;
                    }
                    Kind::Symbol(symbol @ (")" | "]" | "}")) => {
                        let open = call.open.pop();
                        let expected = open.as_ref().and_then(closing);
                        if expected != Some(symbol) {
                            let name = self.texts.name(&call.name);
                            let expected = match (expected, open) {
                                (Some(expected), Some(open)) => format!(
                                    "`{expected}` for the {} at {}, in an argument of `{name}`",
                                    self.texts.show(&open),
                                    open.place
                                ),
                                _ => format!("`)` after the arguments of `{name}`"),
                            };
                            return Err(self.unexpected(file, &token, &expected));
                        }
                    }
                    Kind::Symbol(",") if call.open.is_empty() => {
                        let argument = std::mem::take(&mut call.argument);
                        call.arguments.push(argument);
                        continue;
                    }
                    _ => {}
                }
                call.argument.push(piece);
            } else {
                out.push(piece);
            }
            self.made += 1;
            if self.made > MAX_TOKENS {
                return Err(too_many(file, token.place));
            }
        }
        match calls.last() {
            Some(call) => {
                let shown = self.texts.name(&call.name);
                let message = format!("no `)` ends the arguments of the macro `{shown}`");
                Err(fault(file, call.name.place, message))
            }
            None => Ok(out),
        }
    }

    /// What a call means, in parentheses unless it is a single token.
    fn instantiate(
        &mut self,
        call: &Call,
        file: &str,
        head: Option<&Head>,
        out: &mut Vec<Piece>,
    ) -> Result<(), Fault> {
        let place = call.name.place;
        let given = call.arguments.len();
        let name = self.texts.name(&call.name);
        if let Some(head) = head
            && self.texts.name(head.name) == name
            && head.parameters.len() == given
        {
            let message = format!(
                "recursive macro: `{name}` is called in its own body; write a `mu` or `nu`"
            );
            return Err(fault(file, place, message));
        }
        let found = {
            let mut macros = self.of_name(&call.name, call.builtin);
            macros.find(|m| m.parameters == given)
        };
        let Some(found) = found else {
            let own = head.filter(|head| self.texts.name(head.name) == name);
            let mut takes: Vec<usize> = self
                .of_name(&call.name, call.builtin)
                .map(|m| m.parameters)
                .chain(own.map(|head| head.parameters.len()))
                .collect();
            takes.sort_unstable();
            takes.dedup();
            let numbers: Vec<String> = takes[..takes.len() - 1]
                .iter()
                .map(|n| n.to_string())
                .collect();
            let last = counted(takes[takes.len() - 1], "argument");
            let takes = match &numbers[..] {
                [] => last,
                numbers => format!("{} or {last}", numbers.join(", ")),
            };
            let message = format!("the macro {name} takes {takes}, not {given}");
            return Err(fault(file, place, message));
        };
        if let Some(k) = call
            .arguments
            .iter()
            .position(|argument| argument.is_empty())
        {
            let message = format!("argument {} of the macro `{name}` is missing", k + 1);
            return Err(fault(file, place, message));
        }
        let origin = Some(found.number);
        let before = out.len();
        let parenthesis = |symbol| Piece::Token(Token::symbol(symbol, place, origin));
        let single = found.body.len() == 1;
        // The length is known before anything is copied.
        let mut more = 2 * usize::from(!single);
        for piece in &found.body {
            more += match *piece {
                Piece::Token(_) => 1,
                Piece::Parameter(k) => call.arguments[k].len() + 2,
            };
        }
        if self.made + more > MAX_TOKENS {
            return Err(too_many(file, place));
        }
        if !single {
            out.push(parenthesis("("));
        }
        for piece in &found.body {
            match *piece {
                Piece::Token(token) => out.push(Piece::Token(Token {
                    place,
                    origin,
                    ..token
                })),
                Piece::Parameter(k) => match &call.arguments[k][..] {
                    [single] => out.push(*single),
                    argument => {
                        out.push(parenthesis("("));
                        out.extend(argument);
                        out.push(parenthesis(")"));
                    }
                },
            }
        }
        if !single {
            out.push(parenthesis(")"));
        }
        self.made += out.len() - before;
        Ok(())
    }

    /// Gives fixpoint variables of built-in macros names that the formula does not have.
    fn rename(&mut self, formula: &mut [Token]) {
        let mut taken: HashSet<Vec<u8>> = formula
            .iter()
            .filter(|token| token.kind == Kind::Name && !token.hygienic)
            .map(|token| self.texts.of(token).to_vec())
            .collect();
        let mut renamed: HashMap<Vec<u8>, Option<Token>> = HashMap::new();
        for token in formula.iter_mut().filter(|token| token.hygienic) {
            let text = self.texts.of(token).to_vec();
            let other = match renamed.get(&text) {
                Some(other) => *other,
                None => {
                    let name = String::from_utf8_lossy(&text).into_owned();
                    let mut tried = name.clone();
                    for k in 2.. {
                        if taken.insert(tried.clone().into_bytes()) {
                            break;
                        }
                        tried = format!("{name}_{k}");
                    }
                    let other = (tried != name).then(|| self.texts.invent(tried, token));
                    renamed.insert(text, other);
                    other
                }
            };
            if let Some(other) = other {
                *token = token.renamed(&other);
            }
        }
    }
}
