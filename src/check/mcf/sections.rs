//! Sections around the formula.

use super::lex::{Kind, Token};
use super::{Parser, Result};
use crate::syntax::{StateFormula, Value};

/// The words that begin sections.
const SECTIONS: [&str; 9] = [
    "form", "act", "sort", "map", "cons", "var", "eqn", "glob", "proc",
];

fn is_section(token: &Token<'_>) -> bool {
    matches!(token.kind, Kind::Word(word) if SECTIONS.contains(&word) || word == "init")
}

impl<'e> Parser<'e> {
    /// All of the text.
    pub(super) fn whole(&mut self) -> Result<StateFormula> {
        if self.token().kind == Kind::End {
            return Err(self.fault(self.token(), "there is no formula"));
        }
        if !is_section(self.token()) {
            let formula = self.formula()?;
            return match self.token().kind {
                Kind::End => Ok(formula),
                _ => Err(self.after_formula()),
            };
        }
        let mut formula = None;
        while self.token().kind != Kind::End {
            let token = self.take();
            match token.kind {
                Kind::Word("form") => {
                    if formula.is_some() {
                        let message = "a second `form`: a file has one formula";
                        return Err(self.fault(token, message));
                    }
                    formula = Some(self.formula()?);
                    if !self.accept(";") {
                        let fault = self.after_formula();
                        return Err(match self.token().kind {
                            Kind::End => self.unexpected("`;` after the formula of `form`"),
                            _ => fault,
                        });
                    }
                }
                Kind::Word("act") => self.act()?,
                Kind::Word("sort") => self.sorts()?,
                Kind::Word("proc" | "init") => {
                    let message = format!(
                        "`{}` belongs to a process specification, not to a file with a formula",
                        token.name()
                    );
                    return Err(self.fault(token, message));
                }
                Kind::Word(word @ ("map" | "cons" | "var" | "eqn" | "glob")) => {
                    let message = format!(
                        "map, cons, var, eqn and glob sections are not supported (found `{word}`): \
                         the LTS has no data types; write what is meant in the formula"
                    );
                    return Err(self.fault(token, message));
                }
                _ => {
                    self.at -= 1;
                    return Err(self.unexpected("a section: `form`, `act` or `sort`"));
                }
            }
        }
        let missing = || self.fault(self.token(), "there is no formula: expected `form F ;`");
        formula.ok_or_else(missing)
    }

    /// `a, b : S # T; c; …`
    fn act(&mut self) -> Result<()> {
        self.actions.get_or_insert_default();
        while self.token().kind == Kind::Name {
            let mut names = vec![self.take()];
            while self.accept(",") {
                names.push(self.name("the name of an action")?);
            }
            let count = match self.accept(":") {
                true => self.product()?,
                false => 0,
            };
            if !self.accept(";") {
                return Err(self.unexpected("`;` after the declaration of an action"));
            }
            let actions = self.actions.get_or_insert_default();
            actions.extend(names.iter().map(|name| (name.text, count)));
        }
        Ok(())
    }

    /// How many sorts stand here, between `#` outside parentheses.
    fn product(&mut self) -> Result<usize> {
        let (mut count, mut open) = (1, 0);
        let mut is_empty = true;
        loop {
            match self.token().kind {
                Kind::Symbol("#") if open == 0 => count += 1,
                Kind::Symbol("(") => open += 1,
                Kind::Symbol(")") if open > 0 => open -= 1,
                Kind::Symbol("#" | "->" | "," | "?" | "|" | ":") if open > 0 => {}
                Kind::Symbol("->") => {}
                Kind::Name
                | Kind::Word(
                    "Bool" | "Pos" | "Nat" | "Int" | "Real" | "List" | "Set" | "Bag" | "FSet"
                    | "FBag" | "struct",
                ) => {}
                _ if is_empty || open > 0 => return Err(self.unexpected("a sort")),
                _ => return Ok(count),
            }
            is_empty = false;
            self.at += 1;
        }
    }

    /// `S, T; U = struct a | b; …`
    fn sorts(&mut self) -> Result<()> {
        while self.token().kind == Kind::Name {
            let name = self.take();
            let mut several = false;
            while self.accept(",") {
                self.name("the name of a sort")?;
                several = true;
            }
            if !several && self.accept("=") {
                let values = self.constants()?;
                self.sorts.push((name.name().into(), values));
            }
            if !self.accept(";") {
                return Err(self.unexpected("`;` after the declaration of a sort"));
            }
        }
        Ok(())
    }

    /// `struct a | b`
    fn constants(&mut self) -> Result<Vec<Value>> {
        const WHAT: &str = "only `sort S = struct a | b;` with constants is supported: the LTS has \
                            no data types";
        if !self.accept("struct") {
            let found = self.token().show();
            return Err(self.fault(self.token(), format!("found {found}: {WHAT}")));
        }
        let mut values = Vec::new();
        loop {
            let name = self.name("a constant")?;
            values.push(Value::Text(name.text.into()));
            match self.token().kind {
                Kind::Symbol("(") => {
                    let message = format!("`{}` has arguments: {WHAT}", name.name());
                    return Err(self.fault(self.token(), message));
                }
                // What recognises a constant is a function, which val would refuse.
                Kind::Symbol("?") => {
                    self.at += 1;
                    self.name("the name of a function that recognises the constant")?;
                }
                _ => {}
            }
            if !self.accept("|") {
                return Ok(values);
            }
        }
    }

    /// Warns of actions that a section of actions does not declare.
    pub(super) fn check_declared(&mut self) {
        let Some(declared) = self.actions.take() else {
            return;
        };
        let known: foldhash::HashSet<(&[u8], usize)> = declared.iter().copied().collect();
        let names: foldhash::HashSet<&[u8]> = declared.iter().map(|(name, _)| *name).collect();
        for (name, count) in std::mem::take(&mut self.used) {
            if known.contains(&(name.text, count)) {
                continue;
            }
            let counted = hyades_formats::diagnostic::counted(count, "argument");
            let message = match names.contains(name.text) {
                true => format!("no declaration in `act` gives {} {counted}", name.name()),
                false => format!("{} is not declared in `act`", name.name()),
            };
            self.warn("check-undeclared-action", name.place, message);
        }
    }
}
