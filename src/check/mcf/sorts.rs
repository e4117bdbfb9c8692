//! Sorts, and lists of variables.

use super::lex::{Kind, Token};
use super::{Parser, Result};
use crate::syntax::{Sort, Variable, VariableId};

impl<'e> Parser<'e> {
    /// A sort that is a name.
    pub(super) fn sort(&mut self) -> Result<Sort> {
        let token = self.token();
        let refused = match token.kind {
            Kind::Word("Real") => {
                Some("reals are not supported: labels have no values of this sort")
            }
            Kind::Word("List" | "Set" | "Bag" | "FSet" | "FBag") => {
                Some("lists, sets and bags are not supported")
            }
            Kind::Word("struct") => Some(
                "a sort is told by its name; `sort S = struct a | b;` before the formula lists \
                 its constants",
            ),
            Kind::Symbol("(") => {
                Some("function sorts are not supported, nor are parentheses in sorts")
            }
            _ => None,
        };
        if let Some(message) = refused {
            return Err(self.fault(token, format!("found {}: {message}", token.show())));
        }
        let sort = match token.kind {
            Kind::Word("Bool") => Sort::Bool,
            Kind::Word("Pos") => Sort::Pos,
            Kind::Word("Nat") => Sort::Nat,
            Kind::Word("Int") => Sort::Int,
            Kind::Name => Sort::Named(token.name().into()),
            _ => return Err(self.unexpected("a sort: Bool, Pos, Nat, Int, or one of the labels")),
        };
        self.at += 1;
        let found = self.token();
        let message = match found.kind {
            Kind::Symbol("->") => "function sorts are not supported",
            Kind::Symbol("#") => {
                "products of sorts stand in function sorts, which are not supported"
            }
            _ => return Ok(sort),
        };
        Err(self.fault(found, message))
    }

    /// `x, y : S, z : T .`, whose variables are known from here on.
    pub(super) fn declarations(&mut self) -> Result<Vec<(VariableId, Sort)>> {
        let mut declared = Vec::new();
        let mut names: Vec<&Token<'e>> = Vec::new();
        loop {
            names.push(self.name("the name of a variable")?);
            if self.accept(",") {
                continue;
            }
            if !self.accept(":") {
                return Err(self.unexpected("`,`, or `:` and a sort"));
            }
            let sort = self.sort()?;
            for name in names.drain(..) {
                declared.push((self.variable(name, &sort), sort.clone()));
            }
            match self.token().kind {
                Kind::Symbol(".") => self.at += 1,
                Kind::Symbol(",") => {
                    self.at += 1;
                    continue;
                }
                _ => return Err(self.unexpected("`,`, or `.` before what is quantified")),
            }
            return Ok(declared);
        }
    }

    /// A new variable, which is known from here on.
    pub(super) fn variable(&mut self, name: &Token<'e>, sort: &Sort) -> VariableId {
        let id = self.new_variable(name, sort);
        self.bind(id, name);
        id
    }

    /// A new variable, which is not yet known.
    pub(super) fn new_variable(&mut self, name: &Token<'_>, sort: &Sort) -> VariableId {
        self.places.push(name.place);
        self.variables.push(Variable {
            name: name.name().into(),
            sort: sort.clone(),
        });
        VariableId(self.variables.len() as u32 - 1)
    }

    pub(super) fn bind(&mut self, id: VariableId, name: &Token<'e>) {
        self.data.entry(name.text).or_default().push(id);
    }

    /// Ends what is known of this variable, the last of its name.
    pub(super) fn unbind(&mut self, id: VariableId) {
        let name = &self.variables[id.0 as usize].name;
        if let Some(known) = self.data.get_mut(name.as_bytes()) {
            known.pop();
        }
    }

    /// The variable that a name stands for here.
    pub(super) fn find(&self, name: &Token<'_>) -> Option<VariableId> {
        self.data.get(name.text)?.last().copied()
    }
}
