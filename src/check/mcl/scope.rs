//! Which names are known where.

use super::lex::{Kind, Token};
use super::{Fault, Parser, Result};
use crate::syntax::{FixpointId, Sort, Variable, VariableId};

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Data(VariableId),
    Fixpoint(FixpointId),
}

/// A name that has been bound, now or earlier.
#[derive(Default)]
pub(super) struct Name {
    /// What it stands for, the nearest last, and each one's place in the scope.
    bound: Vec<(Bound, usize)>,
    /// In what it was known, after that has ended.
    ended: Option<&'static str>,
}

/// A binding taken out of the scope, to be put back.
pub(super) type Kept = (usize, Bound);

impl<'e> Parser<'e> {
    /// What a name stands for here.
    pub(super) fn find(&self, name: &Token) -> Option<Bound> {
        let number = self.numbers.get(self.texts.of(name))?;
        self.names[*number].bound.last().map(|(bound, _)| *bound)
    }

    /// In what a name was known that is not known any more.
    pub(super) fn ended(&self, name: &Token) -> Option<&'static str> {
        let number = self.numbers.get(self.texts.of(name))?;
        self.names[*number].ended
    }

    /// That a name is not known here.
    pub(super) fn unknown(&self, name: &Token) -> Fault {
        let shown = self.texts.name(name);
        if let Some(inside) = self.ended(name) {
            let message = format!("{shown} is known inside {inside} only");
            return self.fault(name, message);
        }
        let is_macro = |other: &&String| other.as_str() == shown;
        let hint = match self.macros.iter().find(is_macro) {
            Some(_) if name.origin.is_some() => {
                "; a macro is known from its `end_macro` on, and called with its arguments"
            }
            Some(_) => "; a macro is called with its arguments: `(…)`",
            None => match super::lex::keyword_like(shown.as_bytes()) {
                Some(keyword) => {
                    let message = format!("unknown variable {shown}; the keyword is `{keyword}`");
                    return self.fault(name, message);
                }
                None => "",
            },
        };
        if shown == "property" {
            return self.fault(name, super::macros::NAMELESS_PROPERTY);
        }
        self.fault(name, format!("unknown variable {shown}{hint}"))
    }

    fn number_of(&mut self, name: &[u8]) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(Name::default());
        self.names.len() - 1
    }

    /// Makes a name known from here on.
    pub(super) fn bind(&mut self, name: &Token, bound: Bound) {
        let text = self.texts.of(name);
        let number = self.number_of(text);
        self.numbers.insert(text, number);
        self.names[number].bound.push((bound, self.scope.len()));
        self.scope.push(number);
    }

    /// Whether a name was bound after the scope had this length.
    pub(super) fn bound_since(&self, name: &Token, mark: usize) -> bool {
        let number = self.numbers.get(self.texts.of(name));
        number.is_some_and(|number| self.is_bound_since(*number, mark))
    }

    fn is_bound_since(&self, number: usize, mark: usize) -> bool {
        let last = self.names[number].bound.last();
        last.is_some_and(|(_, position)| *position >= mark)
    }

    /// Ends what was bound after the scope had this length; `inside` says where it was
    /// known.
    pub(super) fn unbind(&mut self, mark: usize, inside: &'static str) {
        self.unbound(mark, inside, None);
    }

    /// Likewise, and gives it, to be put back by [`Parser::rebind`].
    pub(super) fn withhold(&mut self, mark: usize, inside: &'static str, kept: &mut Vec<Kept>) {
        let start = kept.len();
        self.unbound(mark, inside, Some(kept));
        kept[start..].reverse();
    }

    fn unbound(&mut self, mark: usize, inside: &'static str, mut kept: Option<&mut Vec<Kept>>) {
        while self.scope.len() > mark {
            // There is one: the scope is longer than some length.
            let Some(number) = self.scope.pop() else {
                return;
            };
            let name = &mut self.names[number];
            name.ended = Some(inside);
            if let (Some((bound, _)), Some(kept)) = (name.bound.pop(), kept.as_deref_mut()) {
                kept.push((number, bound));
            }
        }
    }

    /// Puts bindings back; `false` if one of them is bound after `mark` already.
    pub(super) fn rebind(&mut self, kept: Vec<Kept>, mark: usize) -> bool {
        for (number, bound) in kept {
            if self.is_bound_since(number, mark) {
                return false;
            }
            self.names[number].bound.push((bound, self.scope.len()));
            self.scope.push(number);
        }
        true
    }

    /// A new variable, which is not yet known.
    pub(super) fn variable(&mut self, name: &Token, sort: Sort) -> VariableId {
        self.variables.push(Variable {
            name: self.texts.name(name).into(),
            sort,
        });
        VariableId(self.variables.len() as u32 - 1)
    }

    /// `x : T`.
    pub(super) fn typed_name(&mut self) -> Result<(&'e Token, Sort)> {
        let name = self.name("the name of a variable")?;
        if !self.accept(":") {
            return Err(self.unexpected("`:` and a type: Bool, Nat, Int, Real, Char or String"));
        }
        let sort = self.sort()?;
        Ok((name, sort))
    }

    /// A name.
    pub(super) fn name(&mut self, what: &str) -> Result<&'e Token> {
        match self.token().kind {
            Kind::Name => Ok(self.take()),
            Kind::Word(_) => Err(self.unexpected(&format!("{what}, which is no keyword"))),
            _ => Err(self.unexpected(what)),
        }
    }

    /// A type, in any case.
    pub(super) fn sort(&mut self) -> Result<Sort> {
        let expected = "a type: Bool, Nat, Int, Real, Char or String";
        if self.token().kind != Kind::Name {
            return Err(self.unexpected(expected));
        }
        let name = self.texts.name(self.token()).to_ascii_lowercase();
        let sort = match name.as_str() {
            "bool" => Sort::Bool,
            "nat" => Sort::Nat,
            "int" => Sort::Int,
            "real" => Sort::Real,
            "char" => Sort::Char,
            "string" => Sort::String,
            "natset" => {
                let message = format!("sets of naturals are not supported; expected {expected}");
                return Err(self.fault(self.token(), message));
            }
            _ => {
                let message = format!(
                    "unknown type {}: types of one's own are not supported; expected {expected} \
                     (String matches every offer)",
                    self.texts.show(self.token())
                );
                return Err(self.fault(self.token(), message));
            }
        };
        self.at += 1;
        Ok(sort)
    }
}
