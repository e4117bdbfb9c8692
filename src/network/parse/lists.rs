//! Lists of labels, interfaces, vectors and chains.

use super::super::lex::{Kind, SyntaxError};
use super::super::syntax::{Element, Label, Set, Vector};
use super::{Parsed, Parser};

impl Parser<'_, '_> {
    /// A label, as its language means it.
    pub(super) fn label(&mut self, what: &str) -> Parsed<Label> {
        if !self.is_label(0) {
            return Err(self.unexpected(&format!("{what}, a label")));
        }
        let token = self.tokens.next();
        let (Kind::Name(written) | Kind::Quoted(written)) = token.kind else {
            unreachable!("it is a label");
        };
        let place = token.place;
        Ok(match self.syntax.parameters.meant(&written) {
            Some(text) => Label {
                text,
                written: Some(written),
                place,
            },
            None => Label {
                text: written,
                written: None,
                place,
            },
        })
    }

    fn is_label(&self, ahead: usize) -> bool {
        let kind = &self.tokens.peek(ahead).kind;
        matches!(kind, Kind::Name(_) | Kind::Quoted(_))
    }

    fn is_symbol_ahead(&self, ahead: usize, symbol: &str) -> bool {
        matches!(self.tokens.peek(ahead).kind, Kind::Symbol(found) if found == symbol)
    }

    /// Labels between commas, or none.
    pub(super) fn labels(&mut self) -> Parsed<Vec<Label>> {
        let mut labels = Vec::new();
        if !self.is_label(0) {
            return Ok(labels);
        }
        loop {
            labels.push(self.label("another element")?);
            if !self.take_symbol(",") {
                return Ok(labels);
            }
        }
    }

    /// Gates between braces.
    pub(super) fn braced(&mut self) -> Parsed<Vec<Label>> {
        self.expect_symbol("{")?;
        let labels = self.labels()?;
        self.expect_symbol("}")?;
        Ok(labels)
    }

    /// What stands after `LEFT arrow RIGHT`, between commas; pairs are (LEFT,
    /// RIGHT).
    pub(super) fn pairs(&mut self, arrow: &str) -> Parsed<Vec<(Label, Label)>> {
        let mut pairs = Vec::new();
        loop {
            let left = self.label("a pattern")?;
            self.expect_symbol(arrow)?;
            pairs.push((left, self.label("what it becomes")?));
            if !self.take_symbol(",") {
                return Ok(pairs);
            }
        }
    }

    /// `all but`, if it is there.
    pub(super) fn all_but(&mut self) -> Parsed<bool> {
        if !self.take_word("all") {
            return Ok(false);
        }
        self.expect_word("but")?;
        Ok(true)
    }

    /// `[all but] labels > [all but] labels …`, as often as there are more.
    pub(super) fn chains(&mut self) -> Parsed<Vec<Vec<Set>>> {
        let mut chains = Vec::new();
        while !self.is_word("in") {
            let mut chain = vec![self.set()?];
            while self.take_symbol(">") {
                chain.push(self.set()?);
            }
            if chain.len() == 1 {
                return Err(self.unexpected("`>` and the labels that come after these"));
            }
            chains.push(chain);
        }
        match chains.is_empty() {
            true => Err(self.unexpected("a label and `>`")),
            false => Ok(chains),
        }
    }

    fn set(&mut self) -> Parsed<Set> {
        Ok(Set {
            all_but: self.all_but()?,
            patterns: self.labels()?,
        })
    }

    /// Whether what comes next is an interface, which `in` or `->` follows, and
    /// not the name of a component.
    pub(super) fn interface_ahead(&self) -> bool {
        let mut ahead = 0;
        if self.is_label(0) {
            ahead = 1;
            // No behaviour goes on like that.
            if self.is_symbol_ahead(1, "#") || self.is_symbol_ahead(1, ",") {
                return true;
            }
        }
        let kind = &self.tokens.peek(ahead).kind;
        matches!(kind, Kind::Word("in") | Kind::Symbol("->"))
    }

    /// The elements of an interface.
    pub(super) fn elements(&mut self) -> Parsed<Vec<Element>> {
        let mut elements = Vec::new();
        if !self.is_label(0) {
            return Ok(elements);
        }
        loop {
            let label = self.label("another element")?;
            let degree = match self.take_symbol("#") {
                true => Some(self.number()?),
                false => None,
            };
            elements.push(Element { label, degree });
            if !self.take_symbol(",") {
                return Ok(elements);
            }
        }
    }

    fn number(&mut self) -> Parsed<u64> {
        let Kind::Number(_) = self.tokens.peek(0).kind else {
            return Err(self.unexpected("how many take part, a number"));
        };
        let token = self.tokens.next();
        let Kind::Number(digits) = token.kind else {
            unreachable!("it is a number");
        };
        let text = std::str::from_utf8(&digits).expect("digits are ASCII");
        text.parse().map_err(|_| {
            SyntaxError::quoting(token.place, "exp-syntax", |quote| {
                format!("{} is too large", quote(&digits))
            })
        })
    }

    /// `LABEL * _ * … -> LABEL` between commas. `||` does instead of `*`.
    pub(super) fn vectors(&mut self) -> Parsed<Vec<Vector>> {
        let mut vectors = Vec::new();
        loop {
            let place = self.tokens.peek(0).place;
            let (mut parts, mut width) = (Vec::new(), 0);
            loop {
                if let Kind::Blanks(count) = self.tokens.peek(0).kind {
                    self.tokens.next();
                    width += count;
                } else {
                    parts.push((width, self.label("an element of a vector, `_`")?));
                    width += 1;
                }
                if !self.take_symbol("*") && !self.take_symbol("||") {
                    break;
                }
            }
            self.expect_symbol("->")?;
            let result = self.label("the result of the vector")?;
            if parts.is_empty() {
                let text = "all elements of the vector are `_`: somebody has to take part";
                return Err(SyntaxError::new(place, "exp-vector", text));
            }
            vectors.push(Vector {
                width,
                parts,
                result,
                place,
            });
            if !self.take_symbol(",") {
                return Ok(vectors);
            }
        }
    }
}
