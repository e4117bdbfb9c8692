//! Regular formulas.

use super::lex::Kind;
use super::scope::Bound;
use super::{Parser, Result};
use crate::syntax::{ActionFormula, Expression, MAX_DEPTH, Place, Regular, Sort, Value};

/// An action or a regular formula: what it is, is told by what is in it.
pub(super) enum Part {
    Action(ActionFormula),
    Regular(Regular),
}

impl Part {
    pub(super) fn into_regular(self) -> Regular {
        match self {
            Part::Action(action) => Regular::Action(action),
            Part::Regular(regular) => regular,
        }
    }
}

/// A formula for words of labels.
pub(super) struct Word {
    pub part: Part,
    /// How deep it is, as a regular formula.
    pub depth: usize,
    /// Whether it may have the empty word.
    pub nullable: bool,
    /// The place of an infix operator of actions outside parentheses.
    pub joined: Option<Place>,
}

impl Parser<'_> {
    /// A regular formula on top of others.
    pub(super) fn word(&self, tree: Regular, below: usize, nullable: bool) -> Result<Word> {
        let node = self.node(tree, below)?;
        Ok(Word {
            part: Part::Regular(node.tree),
            depth: node.depth,
            nullable,
            joined: None,
        })
    }

    /// `R | R`, of `R . R`. What the only branch binds stays known.
    pub(super) fn regular(&mut self) -> Result<Word> {
        self.enter()?;
        let mark = self.scope.len();
        let first = self.sequence()?;
        if !self.is("|") {
            self.nesting -= 1;
            return Ok(first);
        }
        let (mut below, mut nullable) = (first.depth, first.nullable);
        let mut branches = vec![first.part.into_regular()];
        self.unbind(mark, "its branch");
        while self.accept("|") {
            let branch = self.sequence()?;
            self.unbind(mark, "its branch");
            below = below.max(branch.depth);
            nullable |= branch.nullable;
            branches.push(branch.part.into_regular());
        }
        self.nesting -= 1;
        self.word(Regular::Choice(branches), below, nullable)
    }

    fn sequence(&mut self) -> Result<Word> {
        let first = self.repeated()?;
        if !self.is(".") {
            return Ok(first);
        }
        let (mut below, mut nullable) = (first.depth, first.nullable);
        let mut parts = vec![first.part.into_regular()];
        while self.accept(".") {
            let part = self.repeated()?;
            below = below.max(part.depth);
            nullable &= part.nullable;
            parts.push(part.part.into_regular());
        }
        self.word(Regular::Sequence(parts), below, nullable)
    }

    /// An action formula, as long as possible, or another operand, and what is postfixed
    /// to all of it.
    fn repeated(&mut self) -> Result<Word> {
        let mark = self.scope.len();
        let mut word = self.action(0)?;
        while let Kind::Symbol("*" | "+" | "?" | "{") = self.token().kind {
            word = self.postfixed(word, mark)?;
        }
        match self.token().kind {
            Kind::Word(operator @ ("and" | "or" | "implies" | "equ")) => {
                Err(self.joins_actions(operator, self.at))
            }
            _ => Ok(word),
        }
    }

    fn postfixed(&mut self, word: Word, mark: usize) -> Result<Word> {
        let token = self.take();
        if word.joined.is_some() {
            let symbol = self.texts.name(token);
            let message = format!(
                "`{symbol}` takes the whole action formula before it, not only what stands right \
                 before it: write parentheses around what is meant, or `|` between regular formulas"
            );
            self.warn("check-postfix-scope", token.place, message);
        }
        let (below, empty) = (word.depth, word.nullable);
        let inner = Box::new(word.part.into_regular());
        let (tree, nullable, inside) = match token.kind {
            Kind::Symbol("*") => (Regular::Star(inner), true, "what `*` repeats"),
            Kind::Symbol("+") => (Regular::Plus(inner), empty, "what `+` repeats"),
            Kind::Symbol("?") => (Regular::Optional(inner), true, "what `?` makes optional"),
            _ => {
                let (least, most) = self.bounds()?;
                let tree = Regular::Repeat(inner, least, most);
                (tree, empty || least == 0, "what `{…}` repeats")
            }
        };
        self.unbind(mark, inside);
        self.word(tree, below, nullable)
    }

    /// `n }`, `n , }` or `n , m }`.
    fn bounds(&mut self) -> Result<(u32, Option<u32>)> {
        let least = self.bound_number()?;
        let most = match self.accept(",") {
            false => Some(least),
            true if self.is("}") => None,
            true => {
                let token = self.token();
                let most = self.bound_number()?;
                if most < least {
                    let message = format!(
                        "found {{{least},{most}}}: the second number is the most, and has to be no less \
                         than the first"
                    );
                    return Err(self.fault(token, message));
                }
                Some(most)
            }
        };
        match self.accept("}") {
            true => Ok((least, most)),
            false => Err(self.unexpected("`}` or `,`")),
        }
    }

    fn bound_number(&mut self) -> Result<u32> {
        if self.token().kind != Kind::Number {
            return Err(self.unexpected(
                "how many times, a numeral (an action pattern after another has `.` before it)",
            ));
        }
        let token = self.take();
        let number = self.texts.name(token).parse();
        number.map_err(|_| self.fault(token, format!("a number of times is at most {}", u32::MAX)))
    }

    /// `if E then R … end if`.
    pub(super) fn regular_if(&mut self) -> Result<Word> {
        let mark = self.scope.len();
        let mut branches = Vec::new();
        let (mut below, mut nullable) = (1, false);
        while branches.is_empty() && self.accept("if") || self.accept("elsif") {
            let condition = self.boolean("if")?;
            self.expect("then")?;
            let inner = self.regular()?;
            self.unbind(mark, "its branch of `if`");
            below = below.max(condition.depth).max(inner.depth);
            nullable |= inner.nullable;
            branches.push((condition.tree, inner.part.into_regular()));
        }
        let otherwise = match self.accept("else") {
            true => {
                let otherwise = self.regular()?;
                self.unbind(mark, "its branch of `if`");
                below = below.max(otherwise.depth);
                nullable |= otherwise.nullable;
                otherwise.part.into_regular()
            }
            false => {
                nullable = true;
                Regular::Empty
            }
        };
        self.expect_end("if")?;
        self.word(Regular::If(branches, Box::new(otherwise)), below, nullable)
    }

    /// `for x:T from E to E [ step E ] do R end for`.
    pub(super) fn regular_for(&mut self) -> Result<Word> {
        self.at += 1;
        let mark = self.scope.len();
        let (name, sort) = self.typed_name()?;
        if !matches!(sort, Sort::Nat | Sort::Int) {
            let message = "`for` counts naturals or integers: write `:Nat` or `:Int`";
            return Err(self.fault(name, message));
        }
        self.expect("from")?;
        let from = self.value_of(name, &sort)?;
        self.expect("to")?;
        let to = self.value_of(name, &sort)?;
        let mut below = from.depth.max(to.depth).max(1);
        let mut step = Expression::Constant(Value::Int(1));
        if self.is("step") {
            let token = self.take();
            let given = self.value_of(name, &Sort::Int)?;
            below = below.max(given.depth);
            step = given.tree;
            if let Expression::Constant(Value::Int(..=0)) = step {
                return Err(self.fault(token, "a step is at least 1"));
            }
        }
        self.expect("do")?;
        let variable = self.variable(name, sort);
        self.bind(name, Bound::Data(variable));
        let inner = self.regular()?;
        self.expect_end("for")?;
        self.unbind(mark, "its `for`");
        below = below.max(inner.depth);
        let range = Box::new([from.tree, to.tree, step]);
        let body = Box::new(inner.part.into_regular());
        self.word(Regular::For(variable, range, body), below, inner.nullable)
    }

    /// `let x:T := E {, …} in R end let`.
    pub(super) fn regular_let(&mut self) -> Result<Word> {
        self.at += 1;
        let mark = self.scope.len();
        let mut below = 0;
        let definitions = self.definitions(&mut below)?;
        let mut word = self.regular()?;
        self.expect_end("let")?;
        self.unbind(mark, "its `let`");
        word.depth = word.depth.max(below);
        word.joined = None;
        for (variable, value) in definitions.into_iter().rev() {
            let inner = Box::new(word.part.into_regular());
            let tree = Regular::Let(variable, Box::new(value), inner);
            word = self.word(tree, word.depth, word.nullable)?;
        }
        Ok(word)
    }

    /// An action as a regular formula.
    pub(super) fn label(&self, action: ActionFormula, below: usize) -> Result<Word> {
        // One level is that of the action, one that of the regular formula.
        if below + 2 > MAX_DEPTH {
            self.node((), below + 1)?;
        }
        Ok(Word {
            part: Part::Action(action),
            depth: below + 2,
            nullable: false,
            joined: None,
        })
    }
}
