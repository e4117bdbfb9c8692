//! Regular and action formulas.

use super::lex::Kind;
use super::state::{AND, IMPLIES, OPERAND, OR, domain, level};
use super::{Fault, Parser, Result};
use crate::syntax::{ActionFormula, ActionTerm, MAX_DEPTH, Place, Quantifier, Regular};

/// What is told where a formula may be one of ours that this language has not.
pub(super) const FORMULAS_OF_EQUIV: &str = "formulas that equiv writes are for equiv --evaluate";

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
    /// Whether an infix operator of actions stands outside parentheses.
    joined: bool,
}

impl<'e> Parser<'e> {
    fn word(&self, tree: Regular, below: usize) -> Result<Word> {
        let node = self.node(tree, below)?;
        Ok(Word {
            part: Part::Regular(node.tree),
            depth: node.depth,
            joined: false,
        })
    }

    /// An action formula on top of what has this depth as a regular formula.
    fn label(&self, action: ActionFormula, below: usize) -> Result<Word> {
        // One level more as a regular formula.
        if below + 2 > MAX_DEPTH {
            let message = format!("the formula is nested more than {MAX_DEPTH} deep before this");
            return Err(self.fault(self.token(), message));
        }
        Ok(Word {
            part: Part::Action(action),
            depth: below + 2,
            joined: false,
        })
    }

    /// An action formula on top of another one, whose depth is one as a regular formula.
    fn above(&self, action: ActionFormula, below: usize) -> Result<Word> {
        self.label(action, below - 1)
    }

    /// `R + R`, of `R . R`.
    pub(super) fn regular(&mut self) -> Result<Word> {
        self.enter()?;
        let first = self.sequence()?;
        if !self.is("+") {
            self.nesting -= 1;
            return Ok(first);
        }
        let mut below = first.depth;
        let mut branches = vec![first.part.into_regular()];
        while self.accept("+") {
            let branch = self.sequence()?;
            below = below.max(branch.depth);
            branches.push(branch.part.into_regular());
        }
        self.nesting -= 1;
        self.word(Regular::Choice(branches), below)
    }

    fn sequence(&mut self) -> Result<Word> {
        let first = self.repeated()?;
        if !self.is(".") {
            return Ok(first);
        }
        let mut below = first.depth;
        let mut parts = vec![first.part.into_regular()];
        while self.accept(".") {
            let part = self.repeated()?;
            below = below.max(part.depth);
            parts.push(part.part.into_regular());
        }
        self.word(Regular::Sequence(parts), below)
    }

    /// An action formula, as long as possible, or another operand, and what is postfixed
    /// to all of it.
    fn repeated(&mut self) -> Result<Word> {
        let mut word = self.action(IMPLIES, IMPLIES)?;
        loop {
            let token = self.token();
            let is_postfix = match token.kind {
                Kind::Symbol("*") => true,
                Kind::Symbol("+") => matches!(
                    self.next().kind,
                    Kind::Symbol("]" | ">" | ")" | "." | "*" | "+")
                ),
                _ => false,
            };
            if !is_postfix {
                break;
            }
            self.at += 1;
            if word.joined {
                let symbol = token.name();
                let message = format!(
                    "`{symbol}` takes the whole action formula before it, not only what stands \
                     right before it: write parentheses around what is meant, or `+` between \
                     regular formulas"
                );
                self.warn("check-postfix-scope", token.place, message);
            }
            let inner = Box::new(word.part.into_regular());
            let tree = match token.is("*") {
                true => Regular::Star(inner),
                false => Regular::Plus(inner),
            };
            word = self.word(tree, word.depth)?;
        }
        match level(self.token()) {
            Some(_) => Err(self.joins_actions(self.at)),
            None => Ok(word),
        }
    }

    #[inline(never)]
    fn joins_actions(&self, at: usize) -> Fault {
        let token = &self.tokens[at];
        let message = match token.kind {
            Kind::Symbol("!") => "`!` stands before action formulas only".to_owned(),
            Kind::Word(word) => format!("`{word}` quantifies action formulas only"),
            _ => format!(
                "`{}` joins action formulas; between regular formulas write `+` or `.`",
                token.name()
            ),
        };
        self.fault(token, message)
    }

    /// What stands where a regular formula should have ended or gone on.
    #[inline(never)]
    pub(super) fn no_regular_end(&self, expected: &str) -> Fault {
        let token = self.token();
        let message = match token.kind {
            Kind::Symbol("@") => "found `@`: time is not supported: LTSs have none".to_owned(),
            Kind::Symbol("(") => "found `(`: only actions have arguments".to_owned(),
            Kind::Symbol(",") => {
                "found `,`: actions at the same time are joined by `|`, sets of actions by `||`"
                    .to_owned()
            }
            // Of `<f U a>`.
            Kind::Name if token.text == b"U" => {
                return self
                    .unexpected(&format!("{expected} or an operator ({FORMULAS_OF_EQUIV})"));
            }
            _ => return self.unexpected(&format!("{expected} or an operator")),
        };
        self.fault(token, message)
    }

    /// An operand that has to be an action formula.
    fn as_action(&self, word: Word, at: usize) -> Result<ActionFormula> {
        match word.part {
            Part::Action(action) => Ok(action),
            Part::Regular(_) => Err(self.joins_actions(at)),
        }
    }

    /// An action formula, as [`Parser::state`] reads state formulas; or another operand
    /// of a regular formula, if there is no operator.
    fn action(&mut self, least: u8, binder: u8) -> Result<Word> {
        let mut left = self.action_operand(binder)?;
        while let Some(found) = level(self.token())
            && found >= least
        {
            left = self.joined(left, found)?;
            left.joined = true;
        }
        Ok(left)
    }

    /// What comes after an operand: an operator and other operands.
    fn joined(&mut self, left: Word, found: u8) -> Result<Word> {
        let mut below = left.depth;
        let first = self.as_action(left, self.at)?;
        let at = self.at;
        if found == IMPLIES {
            self.at += 1;
            self.enter()?;
            let right = self.action(IMPLIES, IMPLIES)?;
            self.nesting -= 1;
            below = below.max(right.depth);
            let right = self.as_action(right, at)?;
            return self.above(ActionFormula::Implies(Box::new([first, right])), below);
        }
        let mut operands = vec![first];
        while level(self.token()) == Some(found) {
            let at = self.at;
            self.at += 1;
            let right = self.action(found + 1, found)?;
            below = below.max(right.depth);
            operands.push(self.as_action(right, at)?);
        }
        let action = match found {
            AND => ActionFormula::And(operands),
            OR => ActionFormula::Or(operands),
            _ => unreachable!("the other operators are read elsewhere"),
        };
        self.above(action, below)
    }

    fn action_operand(&mut self, binder: u8) -> Result<Word> {
        self.enter()?;
        let word = match self.token().kind {
            Kind::Word(value @ ("true" | "false")) => {
                self.at += 1;
                self.label(ActionFormula::Constant(value == "true"), 0)
            }
            Kind::Word("nil") => {
                self.at += 1;
                self.word(Regular::Empty, 0)
            }
            Kind::Word("tau") => self.tau(),
            Kind::Word("val") => {
                let condition = self.val()?;
                self.label(ActionFormula::Condition(condition.tree), condition.depth)
            }
            Kind::Word("forall" | "exists") => self.quantified_action(binder),
            Kind::Symbol("!") => self.no_action(),
            Kind::Symbol("(") => {
                self.at += 1;
                let mut word = self.regular()?;
                if !self.accept(")") {
                    return Err(self.no_regular_end("`)`"));
                }
                word.joined = false;
                Ok(word)
            }
            Kind::Name => self.multi_action(),
            _ => Err(self.unexpected_action()),
        };
        self.nesting -= 1;
        word
    }

    #[inline(never)]
    fn unexpected_action(&self) -> Fault {
        let token = self.token();
        match token.kind {
            Kind::Word("delay" | "yaled") => {
                let message = format!(
                    "found {}: time is not supported: LTSs have none",
                    token.show()
                );
                self.fault(token, message)
            }
            Kind::Symbol("\"") => {
                self.unexpected(&format!("an action, without quotes ({FORMULAS_OF_EQUIV})"))
            }
            // Of `<<a>>` and `[[a]]`.
            Kind::Symbol("<" | "[") => {
                self.unexpected(&format!("an action formula ({FORMULAS_OF_EQUIV})"))
            }
            _ => self.unexpected("an action formula"),
        }
    }

    fn tau(&mut self) -> Result<Word> {
        self.at += 1;
        if self.is("|") {
            let message = "`tau` is no action beside others: leave it out of the multi-action";
            return Err(self.fault(self.token(), message));
        }
        self.label(ActionFormula::Hidden, 0)
    }

    fn no_action(&mut self) -> Result<Word> {
        let at = self.at;
        self.at += 1;
        let inner = self.action_operand(OPERAND)?;
        let depth = inner.depth;
        let inner = self.as_action(inner, at)?;
        self.above(ActionFormula::Not(Box::new(inner)), depth)
    }

    fn quantified_action(&mut self, binder: u8) -> Result<Word> {
        let at = self.at;
        let word = self.take();
        let quantifier = match word.is("forall") {
            true => Quantifier::Forall,
            false => Quantifier::Exists,
        };
        let declared = self.declarations()?;
        let body = self.action(binder, binder)?;
        if binder > IMPLIES && level(self.token()).is_some() {
            self.warn_scope(word);
        }
        let mut depth = body.depth;
        let mut action = self.as_action(body, at)?;
        for (id, sort) in declared.into_iter().rev() {
            self.unbind(id);
            action = ActionFormula::Quantified(quantifier, id, domain(&sort), Box::new(action));
            let node = self.above(action, depth)?;
            depth = node.depth;
            action = self.as_action(node, at)?;
        }
        Ok(Word {
            part: Part::Action(action),
            depth,
            joined: false,
        })
    }

    /// `a(d, …)|b`
    fn multi_action(&mut self) -> Result<Word> {
        let place: Place = self.token().place;
        let mut terms = Vec::new();
        let mut below = 0;
        loop {
            let name = self.name("an action")?;
            let mut arguments = Vec::new();
            if self.accept("(") {
                loop {
                    let argument = self.data()?;
                    below = below.max(argument.depth);
                    arguments.push(argument.tree);
                    if !self.accept(",") {
                        break;
                    }
                }
                if !self.accept(")") {
                    return Err(self.unexpected("`,`, `)` or an operator"));
                }
            }
            self.used.push((*name, arguments.len()));
            terms.push(ActionTerm {
                name: name.name().into(),
                arguments,
            });
            if !self.accept("|") {
                break;
            }
            if self.is("tau") {
                let message = "`tau` is no action beside others: leave it out of the multi-action";
                return Err(self.fault(self.token(), message));
            }
        }
        self.label(ActionFormula::MultiAction(terms, place), below)
    }
}
