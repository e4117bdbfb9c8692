//! Action formulas.

use hyades_lts::pattern::LabelPattern;

use super::data::Typed;
use super::lex::{Kind, Token, unescaped};
use super::regular::{Part, Word};
use super::scope::Bound;
use super::{Fault, Parser, Result};
use crate::syntax::{
    ActionFormula, Expression, GatePattern, OfferMatch, OfferPattern, Regular, Sort, Value,
};

/// The infix operators, the loosest first.
const EQU: u8 = 0;
const IMPLIES: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;

fn level(token: &Token) -> Option<u8> {
    match token.kind {
        Kind::Word("equ") => Some(EQU),
        Kind::Word("implies") => Some(IMPLIES),
        Kind::Word("or") => Some(OR),
        Kind::Word("and") => Some(AND),
        _ => None,
    }
}

impl Parser<'_> {
    /// An action formula whose infix operators outside parentheses bind at least so
    /// tightly; or another operand of a regular formula, if there is no operator.
    pub(super) fn action(&mut self, least: u8) -> Result<Word> {
        let mark = self.scope.len();
        let mut left = self.action_operand()?;
        while let Some(found) = level(self.token())
            && found >= least
        {
            left = self.joined(left, found, mark)?;
        }
        Ok(left)
    }

    #[inline(never)]
    pub(super) fn joins_actions(&self, operator: &str, at: usize) -> Fault {
        let message = format!(
            "`{operator}` joins action formulas; between regular formulas write `|` or `.`"
        );
        self.fault(&self.tokens[at], message)
    }

    /// An operand that has to be an action, and its depth as such.
    fn as_action(&self, word: Word, operator: &'static str, at: usize) -> Result<ActionFormula> {
        match word.part {
            Part::Action(action) => Ok(action),
            Part::Regular(_) => Err(self.joins_actions(operator, at)),
        }
    }

    /// What comes after an operand: an operator and other operands. What operands of
    /// `and` bind is known after it, but not in one another.
    fn joined(&mut self, left: Word, found: u8, mark: usize) -> Result<Word> {
        let first = self.at;
        let place = self.place();
        let (operator, inside) = match found {
            EQU => ("equ", "its operand of `equ`"),
            IMPLIES => ("implies", "its operand of `implies`"),
            OR => ("or", "its branch of `or`"),
            _ => ("and", "its operand of `and`"),
        };
        let mut kept = Vec::new();
        let mut below = left.depth;
        let mut operands = vec![self.as_action(left, operator, first)?];
        self.withhold(mark, inside, &mut kept);
        while level(self.token()) == Some(found) {
            let at = self.at;
            self.at += 1;
            let right = if found == IMPLIES {
                self.enter()?;
                let right = self.action(IMPLIES)?;
                self.nesting -= 1;
                right
            } else {
                self.action(found + 1)?
            };
            below = below.max(right.depth);
            operands.push(self.as_action(right, operator, at)?);
            self.withhold(mark, inside, &mut kept);
            if found == EQU {
                break;
            }
        }
        if found == AND && !self.rebind(kept, mark) {
            let message = "both sides of `and` bind a variable of the same name: rename one";
            return Err(self.fault(&self.tokens[first], message));
        }
        let two = |mut operands: Vec<ActionFormula>| {
            // There are two of each.
            let right = operands.pop().unwrap_or(ActionFormula::Constant(true));
            let left = operands.pop().unwrap_or(ActionFormula::Constant(true));
            Box::new([left, right])
        };
        let action = match found {
            AND => ActionFormula::And(operands),
            OR => ActionFormula::Or(operands),
            IMPLIES => ActionFormula::Implies(two(operands)),
            _ => ActionFormula::Equivalent(two(operands)),
        };
        let mut word = self.label(action, below - 1)?;
        word.joined = Some(place);
        Ok(word)
    }

    fn action_operand(&mut self) -> Result<Word> {
        match self.token().kind {
            Kind::String => self.string(),
            Kind::Pattern => self.pattern(),
            Kind::Word("true" | "any") => self.plain(ActionFormula::Constant(true)),
            Kind::Word("false") => self.plain(ActionFormula::Constant(false)),
            Kind::Word("tau") => self.plain(ActionFormula::Hidden),
            Kind::Word("visible") => self.plain(ActionFormula::Visible),
            Kind::Word("nil") => {
                self.at += 1;
                self.word(Regular::Empty, 0, true)
            }
            Kind::Word("not") => self.no_action(),
            Kind::Word("if") => self.regular_if(),
            Kind::Word("for") => self.regular_for(),
            Kind::Word("let") => self.regular_let(),
            Kind::Symbol("{") => self.offers(),
            Kind::Symbol("(") => {
                self.at += 1;
                let mut word = self.regular()?;
                self.expect(")")?;
                word.joined = None;
                Ok(word)
            }
            _ => Err(self.unexpected_action()),
        }
    }

    #[inline(never)]
    fn unexpected_action(&self) -> Fault {
        if let Some(message) = self.refused() {
            return self.fault(self.token(), message);
        }
        let hint = match self.token().kind {
            Kind::Name => {
                let name = self.texts.name(self.token());
                format!("; labels are written \"{name}\", or {{ {name} … }} with offers")
            }
            Kind::Symbol("]" | ">") => "; for every label write `true`".into(),
            _ => String::new(),
        };
        self.unexpected(&format!("an action or regular formula{hint}"))
    }

    fn plain(&mut self, action: ActionFormula) -> Result<Word> {
        self.at += 1;
        self.label(action, 0)
    }

    fn string(&mut self) -> Result<Word> {
        let token = self.take();
        let text = unescaped(self.texts.of(token));
        let action = ActionFormula::Label(text.trim_ascii().into(), token.place);
        self.label(action, 0)
    }

    fn pattern(&mut self) -> Result<Word> {
        let token = self.take();
        let quoted = self.texts.of(token);
        match LabelPattern::whole(&quoted[1..quoted.len() - 1]) {
            Ok(pattern) => self.label(ActionFormula::Pattern(Box::new(pattern), token.place), 0),
            Err(e) => Err(self.fault(token, format!("{}: {e}", self.texts.show(token)))),
        }
    }

    /// `not A`.
    fn no_action(&mut self) -> Result<Word> {
        let (at, mark) = (self.at, self.scope.len());
        self.at += 1;
        self.enter()?;
        let word = self.action_operand()?;
        self.nesting -= 1;
        self.unbind(mark, "its `not`");
        let below = word.depth;
        let inner = self.as_action(word, "not", at)?;
        self.label(ActionFormula::Not(Box::new(inner)), below - 1)
    }

    /// `{ GATE O … }`.
    fn offers(&mut self) -> Result<Word> {
        let mark = self.scope.len();
        let mut pattern = OfferPattern {
            place: self.take().place,
            gate: GatePattern::Any,
            before: Vec::new(),
            after: None,
            condition: None,
        };
        let mut below = 0;
        if self.accept("...") {
            // Without a gate nothing else stands here.
            pattern.after = Some(Vec::new());
        } else {
            pattern.gate = self.gate()?;
            self.list(mark, &mut pattern, &mut below)?;
        }
        if self.accept("where") {
            let condition = self.boolean("where")?;
            below = below.max(condition.depth);
            pattern.condition = Some(condition.tree);
        }
        if !self.accept("}") {
            let expected = match (&pattern.condition, &pattern.gate, &pattern.after) {
                (Some(_), ..) => "`}`",
                (None, GatePattern::Any, Some(after))
                    if after.is_empty() && pattern.before.is_empty() =>
                {
                    "`where` or `}`: before offers stands a gate, or `?any`"
                }
                _ => "an offer (`!` and a value, `?` and a variable), `...`, `where` or `}`",
            };
            return Err(self.unexpected(expected));
        }
        self.label(ActionFormula::Offers(Box::new(pattern)), below)
    }

    /// Offers and `...`. Macros put parentheses around several, users around all, and
    /// commas between.
    fn list(&mut self, mark: usize, pattern: &mut OfferPattern, below: &mut usize) -> Result<()> {
        let mut open = 0;
        loop {
            match self.token().kind {
                Kind::Symbol("(") => {
                    self.at += 1;
                    open += 1;
                }
                Kind::Symbol(")") if open > 0 => {
                    self.at += 1;
                    open -= 1;
                }
                Kind::Symbol(",") if open > 0 => self.at += 1,
                Kind::Symbol("...") => {
                    if pattern.after.is_some() {
                        let message = "at most one `...` stands in a pattern";
                        return Err(self.fault(self.token(), message));
                    }
                    self.at += 1;
                    pattern.after = Some(Vec::new());
                }
                Kind::Symbol("!" | "?") => {
                    let offer = self.offer(mark, below)?;
                    let offers = pattern.after.as_mut().unwrap_or(&mut pattern.before);
                    offers.push(offer);
                }
                _ if open > 0 => {
                    let expected = "`!` and a value, `?` and a variable, `...`, `,` or `)`";
                    return Err(self.unexpected(expected));
                }
                _ => return Ok(()),
            }
        }
    }

    fn gate(&mut self) -> Result<GatePattern> {
        let token = self.token();
        match token.kind {
            Kind::Name => {
                self.at += 1;
                Ok(GatePattern::Name(self.texts.of(token).into()))
            }
            Kind::Symbol("?") if self.next().is("any") => {
                self.at += 2;
                Ok(GatePattern::Any)
            }
            Kind::Symbol("?") => {
                self.at += 1;
                let (name, sort) = self.typed_name()?;
                if sort != Sort::String {
                    let message = format!(
                        "a gate is a text: write `?{}:String`",
                        self.texts.name(name)
                    );
                    return Err(self.fault(name, message));
                }
                let variable = self.variable(name, sort);
                self.bind(name, Bound::Data(variable));
                Ok(GatePattern::Bind(variable))
            }
            Kind::Word(word) => {
                let hint = match word {
                    "tau" => "the hidden action is `tau` without braces".to_string(),
                    _ => format!("a gate that is a keyword: write the pattern '{word}.*'"),
                };
                Err(self.unexpected(&format!("a gate; {hint}")))
            }
            Kind::String => Err(self.unexpected("a gate, without quotes")),
            _ => Err(self.unexpected("a gate, `?any`, `?` and a variable, or `...`")),
        }
    }

    fn offer(&mut self, mark: usize, below: &mut usize) -> Result<OfferMatch> {
        let token = self.take();
        if token.is("!") {
            let start = self.token();
            let value = self.offered()?;
            *below = (*below).max(value.depth);
            return Ok(OfferMatch::Value(value.tree, value.sort, start.place));
        }
        if self.accept("any") {
            let sort = match self.accept("of") {
                true => Some(self.sort()?),
                false => None,
            };
            return Ok(OfferMatch::Any(sort));
        }
        let (name, sort) = self.typed_name()?;
        if self.bound_since(name, mark) {
            let shown = self.texts.name(name);
            let message = format!(
                "{shown} is bound twice in this pattern: for the same value write `!{shown}`"
            );
            return Err(self.fault(name, message));
        }
        let variable = self.variable(name, sort.clone());
        self.bind(name, Bound::Data(variable));
        Ok(OfferMatch::Bind(variable, sort))
    }

    /// The expression of an offer. A name alone that is no variable is its own text.
    fn offered(&mut self) -> Result<Typed> {
        let name = self.token();
        let alone = matches!(
            self.next().kind,
            Kind::Symbol("!" | "?" | "..." | "}" | ")" | ",") | Kind::Word("where")
        );
        if name.kind != Kind::Name || !alone || self.find(name).is_some() {
            return self.expression(0);
        }
        if self.ended(name).is_some() {
            return Err(self.unknown(name));
        }
        self.at += 1;
        let text = self.texts.name(name);
        let message =
            format!("{text} is no variable: it stands for the text {text}; write !\"{text}\"");
        self.warn("check-constant-offer", name.place, message);
        Ok(Typed {
            tree: Expression::Constant(Value::Text(text.as_bytes().into())),
            sort: Sort::String,
            depth: 1,
        })
    }
}
