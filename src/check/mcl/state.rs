//! State formulas.

use super::lex::{CASE_IS_REFUSED, Kind, Token};
use super::scope::Bound;
use super::{Node, Parser, Result};
use crate::data::check_range;
use crate::syntax::{
    Domain, Expression, Fixpoint, FixpointId, Modality, Quantifier, Sign, Sort, StateFormula,
    Value, VariableId,
};

/// The infix operators, the loosest first.
const EQU: u8 = 0;
const IMPLIES: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;

/// What is not supported, and what to do: words that may begin a formula.
const REFUSED: [(&str, &str); 11] = [
    (
        "prob",
        "probabilities are not supported (MCL version 5): ask whether the action is possible, \
         `< … > true`",
    ),
    ("case", CASE_IS_REFUSED),
    ("loop", "`loop` is not supported: write `*`, `mu` or `nu`"),
    ("while", "`while` is not supported: write `*`, `mu` or `nu`"),
    ("repeat", "`repeat` is not supported: write `*` or `{ n }`"),
    (
        "choice",
        "`choice` is not supported: write `|`, or `exists` before the modality",
    ),
    ("def", "xtl is not supported; write MCL"),
    ("PRINT_FORMULA", "xtl is not supported; write MCL"),
    ("tt", "unknown variable tt: write `true`"),
    ("ff", "unknown variable ff: write `false`"),
    (
        "deadlock",
        "unknown variable deadlock: a state without transitions is one with `[ true ] false`, and \
         the macro DEADLOCK_FREE says that none can be reached",
    ),
];

/// Why operators of LTL are none.
const LTL_IS_REFUSED: &str = "LTL is not supported: macros of CTL are AG (f), AF (f), AX (f) and \
                              AU (f, g), among others of docs/check.md";

fn level(token: &Token) -> Option<u8> {
    match token.kind {
        Kind::Word("equ") => Some(EQU),
        Kind::Word("implies") => Some(IMPLIES),
        Kind::Word("or") => Some(OR),
        Kind::Word("and") => Some(AND),
        _ => None,
    }
}

/// A fixpoint or quantifier that stands before a formula.
enum Binder {
    Fixpoint(Sign, FixpointId, Vec<Expression>),
    Quantified(Quantifier, VariableId, Domain),
    Let(VariableId, Expression),
}

impl<'e> Parser<'e> {
    /// All of the text.
    pub(super) fn whole(&mut self) -> Result<StateFormula> {
        if self.file.ends_with(".xtl") {
            let message = "xtl is not supported; write MCL, in a file `….mcl`";
            return Err(self.fault(self.token(), message));
        }
        if self.token().kind == Kind::End {
            let message = "there is no formula: one follows the macros";
            return Err(self.fault(self.token(), message));
        }
        let formula = self.state(EQU)?;
        let token = self.token();
        let hint = match token.kind {
            Kind::End => return Ok(formula.tree),
            Kind::Word("macro" | "library") => "macros and libraries stand before the formula",
            Kind::Symbol("=" | "<>" | "<=" | ">=" | "<" | ">") => {
                "comparisons do not chain: join two of them by `and`"
            }
            Kind::Symbol("+" | "-" | "*" | "/" | "%") => {
                "an expression stands in a formula as part of a comparison"
            }
            Kind::Symbol(")" | "]" | "}") => "nothing is open that it closes",
            _ => "formulas are joined by `and`, `or`, `implies`, `equ`",
        };
        let message = format!(
            "text after the formula: found {}; {hint}",
            self.texts.show(token)
        );
        Err(self.fault(token, message))
    }

    /// A formula whose infix operators outside parentheses bind at least so tightly.
    pub(super) fn state(&mut self, least: u8) -> Result<Node<StateFormula>> {
        let mut left = self.state_operand()?;
        while let Some(found) = level(self.token())
            && found >= least
        {
            left = match found {
                EQU => self.equivalence(left)?,
                IMPLIES => self.implication(left)?,
                _ => self.chain(left, found)?,
            };
        }
        Ok(left)
    }

    fn equivalence(&mut self, left: Node<StateFormula>) -> Result<Node<StateFormula>> {
        self.at += 1;
        let right = self.state(EQU + 1)?;
        let below = left.depth.max(right.depth);
        self.node(
            StateFormula::Equivalent(Box::new([left.tree, right.tree])),
            below,
        )
    }

    fn implication(&mut self, left: Node<StateFormula>) -> Result<Node<StateFormula>> {
        self.at += 1;
        self.enter()?;
        let right = self.state(IMPLIES)?;
        self.nesting -= 1;
        let below = left.depth.max(right.depth);
        self.node(
            StateFormula::Implies(Box::new([left.tree, right.tree])),
            below,
        )
    }

    /// `F and F and F`.
    fn chain(&mut self, left: Node<StateFormula>, found: u8) -> Result<Node<StateFormula>> {
        let mut below = left.depth;
        let mut operands = vec![left.tree];
        while level(self.token()) == Some(found) {
            self.at += 1;
            let right = self.state(found + 1)?;
            below = below.max(right.depth);
            operands.push(right.tree);
        }
        let tree = match found {
            AND => StateFormula::And(operands),
            _ => StateFormula::Or(operands),
        };
        self.node(tree, below)
    }

    fn state_operand(&mut self) -> Result<Node<StateFormula>> {
        self.enter()?;
        let formula = if self.is_comparison() {
            self.condition()
        } else {
            match self.token().kind {
                Kind::Word("not") => self.negation(),
                Kind::Word(value @ ("true" | "false")) => {
                    self.at += 1;
                    self.node(StateFormula::Constant(value == "true"), 0)
                }
                Kind::Word("mu" | "nu" | "forall" | "exists" | "let") => self.bound(),
                Kind::Word("if") => self.state_if(),
                Kind::Symbol("<") => self.diamond(),
                Kind::Symbol("[") => self.boxed(),
                Kind::Symbol("(") => self.parenthesised(),
                Kind::Name => self.named(),
                _ => Err(self.no_formula()),
            }
        };
        self.nesting -= 1;
        formula
    }

    #[inline(never)]
    fn no_formula(&self) -> super::Fault {
        if let Some(message) = self.refused() {
            return self.fault(self.token(), message);
        }
        let hint = match self.token().kind {
            Kind::String | Kind::Pattern | Kind::Word("tau" | "visible" | "any" | "nil") => {
                "; an action stands between `<` and `>` or `[` and `]`"
            }
            Kind::Symbol("{") => "; an action pattern stands between `<` and `>` or `[` and `]`",
            Kind::Symbol("!") => "; the negation is `not`",
            _ => "",
        };
        self.unexpected(&format!("a formula{hint}"))
    }

    /// Why the language's word that comes next is not supported.
    pub(super) fn refused(&self) -> Option<&'static str> {
        let text = self.texts.of(self.token());
        let mut refused = REFUSED.iter();
        let found = refused.find(|(word, _)| word.as_bytes() == text);
        match self.token().kind {
            Kind::Name | Kind::Word(_) => match found {
                Some((_, why)) => Some(why),
                None => self.is_ltl().then_some(LTL_IS_REFUSED),
            },
            _ => None,
        }
    }

    /// Whether a name comes next that is followed by an operand, or by the name of an operator
    /// between two, as in `G f` and `f U g`.
    fn is_ltl(&self) -> bool {
        let (name, next) = (self.texts.of(self.token()), self.next());
        match next.kind {
            Kind::Name if matches!(self.texts.of(next), b"U" | b"W" | b"R") => true,
            Kind::Name | Kind::Word("true" | "false" | "not") | Kind::Symbol("<" | "[") => {
                matches!(name, b"G" | b"F" | b"X")
            }
            // X with values is a fixpoint variable.
            Kind::Symbol("(") => matches!(name, b"G" | b"F"),
            _ => false,
        }
    }

    fn condition(&mut self) -> Result<Node<StateFormula>> {
        let comparison = self.comparison()?;
        self.node(StateFormula::Condition(comparison.tree), comparison.depth)
    }

    fn negation(&mut self) -> Result<Node<StateFormula>> {
        self.at += 1;
        let inner = self.state_operand()?;
        self.node(StateFormula::Not(Box::new(inner.tree)), inner.depth)
    }

    fn parenthesised(&mut self) -> Result<Node<StateFormula>> {
        self.at += 1;
        let inner = self.state(EQU)?;
        self.expect(")")?;
        Ok(inner)
    }

    fn diamond(&mut self) -> Result<Node<StateFormula>> {
        self.at += 1;
        let mark = self.scope.len();
        let word = self.regular()?;
        if !self.accept(">") {
            return Err(self.unexpected("`>`"));
        }
        if self.is("@") {
            let token = self.take();
            self.unbind(mark, "its `< … > @`");
            self.warn_nullable(word.nullable, token);
            let tree = StateFormula::Infinitely(Box::new(word.part.into_regular()));
            return self.node(tree, word.depth);
        }
        if self.is("-|") {
            return Err(self.unexpected("a formula or `@`; `-|` stands after `]`"));
        }
        self.after(Modality::Diamond, word, mark)
    }

    fn boxed(&mut self) -> Result<Node<StateFormula>> {
        self.at += 1;
        let mark = self.scope.len();
        let word = self.regular()?;
        if !self.accept("]") {
            return Err(self.unexpected("`]`"));
        }
        let token = self.token();
        if token.is("-|") || token.is("-") && self.next().is("|") {
            self.at += 1 + usize::from(token.is("-"));
            self.unbind(mark, "its `[ … ] -|`");
            self.warn_nullable(word.nullable, token);
            let infinitely = StateFormula::Infinitely(Box::new(word.part.into_regular()));
            let infinitely = self.node(infinitely, word.depth)?;
            let tree = StateFormula::Not(Box::new(infinitely.tree));
            return self.node(tree, infinitely.depth);
        }
        if self.is("@") {
            return Err(self.unexpected("a formula or `-|`; `@` stands after `>`"));
        }
        self.after(Modality::Box, word, mark)
    }

    /// The formula after a modality.
    fn after(
        &mut self,
        modality: Modality,
        word: super::regular::Word,
        mark: usize,
    ) -> Result<Node<StateFormula>> {
        let inner = self.state_operand()?;
        self.unbind(mark, "its modality and the formula after it");
        let below = word.depth.max(inner.depth);
        let regular = Box::new(word.part.into_regular());
        self.node(
            StateFormula::Modal(modality, regular, Box::new(inner.tree)),
            below,
        )
    }

    fn warn_nullable(&mut self, nullable: bool, token: &Token) {
        if nullable {
            let symbol = self.texts.name(token);
            let message = format!(
                "the regular formula before `{symbol}` has the empty word, which does not count: \
                 an infinite sequence has steps"
            );
            self.warn("check-loop-nullable", token.place, message);
        }
    }

    /// `mu`, `nu`, `forall`, `exists`, `let`, and the formula they belong to.
    fn bound(&mut self) -> Result<Node<StateFormula>> {
        let mark = self.scope.len();
        let mut below = 0;
        let mut binders = Vec::new();
        let word = self.take();
        let inside = match word.kind {
            Kind::Word("mu") => {
                binders.push(self.fixpoint(Sign::Mu, &mut below)?);
                "its fixpoint"
            }
            Kind::Word("nu") => {
                binders.push(self.fixpoint(Sign::Nu, &mut below)?);
                "its fixpoint"
            }
            Kind::Word("forall") => {
                self.quantified(Quantifier::Forall, &mut binders, &mut below)?;
                "its `forall`"
            }
            Kind::Word("exists") => {
                self.quantified(Quantifier::Exists, &mut binders, &mut below)?;
                "its `exists`"
            }
            _ => {
                for (variable, value) in self.definitions(&mut below)? {
                    binders.push(Binder::Let(variable, value));
                }
                "its `let`"
            }
        };
        let mut formula = self.state(EQU)?;
        if word.is("let") {
            self.expect_end("let")?;
        }
        self.unbind(mark, inside);
        formula.depth = formula.depth.max(below);
        for binder in binders.into_iter().rev() {
            let inner = Box::new(formula.tree);
            let tree = match binder {
                Binder::Fixpoint(sign, id, values) => {
                    StateFormula::Fixpoint(sign, id, values, inner)
                }
                Binder::Quantified(quantifier, variable, domain) => {
                    StateFormula::Quantified(quantifier, variable, domain, inner)
                }
                Binder::Let(variable, value) => StateFormula::Let(variable, Box::new(value), inner),
            };
            formula = self.node(tree, formula.depth)?;
        }
        Ok(formula)
    }

    /// `X [ ( x : T := E, … ) ] .` after `mu` or `nu`.
    fn fixpoint(&mut self, sign: Sign, below: &mut usize) -> Result<Binder> {
        let name = self.name("the name of a fixpoint variable")?;
        let mut parameters: Vec<(&Token, VariableId)> = Vec::new();
        let mut values = Vec::new();
        if self.accept("(") {
            loop {
                let (parameter, variable, value) = self.definition(below)?;
                let text = self.texts.of(parameter);
                if parameters
                    .iter()
                    .any(|(other, _)| self.texts.of(other) == text)
                {
                    let shown = self.texts.show(parameter);
                    let message = format!("two parameters are called {shown}: rename one");
                    return Err(self.fault(parameter, message));
                }
                parameters.push((parameter, variable));
                values.push(value);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        if !self.accept(".") {
            let expected = match parameters.is_empty() {
                true => "`.` and a formula, or parameters in parentheses",
                false => "`.` and a formula",
            };
            return Err(self.unexpected(expected));
        }
        let id = FixpointId(self.fixpoints.len() as u32);
        self.fixpoints.push(Fixpoint {
            name: self.texts.name(name).into(),
            parameters: parameters.iter().map(|(_, variable)| *variable).collect(),
        });
        self.bind(name, Bound::Fixpoint(id));
        for (parameter, variable) in parameters {
            self.bind(parameter, Bound::Data(variable));
        }
        Ok(Binder::Fixpoint(sign, id, values))
    }

    /// `x : T := E`, which does not bind the variable yet.
    fn definition(&mut self, below: &mut usize) -> Result<(&'e Token, VariableId, Expression)> {
        let (name, sort) = self.typed_name()?;
        if !self.accept(":=") {
            return Err(self.unexpected("`:=` and a value"));
        }
        let value = self.value_of(name, &sort)?;
        *below = (*below).max(value.depth);
        let variable = self.variable(name, sort);
        Ok((name, variable, value.tree))
    }

    /// `x : T := E {, x : T := E} in` after `let`; each sees those before it.
    pub(super) fn definitions(
        &mut self,
        below: &mut usize,
    ) -> Result<Vec<(VariableId, Expression)>> {
        let mut definitions = Vec::new();
        loop {
            let (name, variable, value) = self.definition(below)?;
            self.bind(name, Bound::Data(variable));
            definitions.push((variable, value));
            if !self.accept(",") {
                break;
            }
        }
        if !self.accept("in") {
            return Err(self.unexpected("`,` or `in`"));
        }
        Ok(definitions)
    }

    /// `x : T [ among D ] {, …} .` after a quantifier.
    fn quantified(
        &mut self,
        quantifier: Quantifier,
        binders: &mut Vec<Binder>,
        below: &mut usize,
    ) -> Result<()> {
        loop {
            let (name, sort) = self.typed_name()?;
            let domain = if self.accept("among") {
                self.domain(name, &sort, below)?
            } else if sort == Sort::Bool {
                Domain::Booleans
            } else {
                let shown = self.texts.name(name);
                let sort = sort.name();
                let message = format!(
                    "{shown}: {sort} has no finite domain; write `{shown}:{sort} among {{ … }}`"
                );
                return Err(self.fault(name, message));
            };
            let variable = self.variable(name, sort);
            self.bind(name, Bound::Data(variable));
            binders.push(Binder::Quantified(quantifier, variable, domain));
            if !self.accept(",") {
                break;
            }
        }
        match self.accept(".") {
            true => Ok(()),
            false => Err(self.unexpected("`.` and a formula, `,` or `among`")),
        }
    }

    /// `{ E ... E }` or `{ E {, E} }`; parentheses around it are those of a macro.
    fn domain(&mut self, name: &Token, sort: &Sort, below: &mut usize) -> Result<Domain> {
        let mut open = 0;
        while self.accept("(") {
            open += 1;
        }
        if !self.accept("{") {
            return Err(self.unexpected("`{` and values"));
        }
        let first = self.value_of(name, sort)?;
        *below = (*below).max(first.depth);
        let domain = if self.is("...") {
            if !matches!(sort, Sort::Nat | Sort::Int) {
                let sort = sort.name();
                let message = format!(
                    "a range has naturals or integers, not values of type {sort}: list them"
                );
                return Err(self.fault(self.token(), message));
            }
            self.at += 1;
            let token = self.token();
            let last = self.value_of(name, sort)?;
            *below = (*below).max(last.depth);
            if let [
                Expression::Constant(Value::Int(first)),
                Expression::Constant(Value::Int(last)),
            ] = [&first.tree, &last.tree]
                && let Err(message) = check_range(*first, *last)
            {
                return Err(self.fault(token, message));
            }
            Domain::Range(Box::new([first.tree, last.tree]))
        } else {
            let mut values = vec![first.tree];
            while self.accept(",") {
                let value = self.value_of(name, sort)?;
                *below = (*below).max(value.depth);
                values.push(value.tree);
            }
            Domain::Values(values)
        };
        if !self.accept("}") {
            return Err(self.unexpected(match domain {
                Domain::Range(_) => "`}`",
                _ => "`}`, `,` or `...`",
            }));
        }
        for _ in 0..open {
            self.expect(")")?;
        }
        Ok(domain)
    }

    fn state_if(&mut self) -> Result<Node<StateFormula>> {
        let mut branches = Vec::new();
        let mut below = 0;
        while branches.is_empty() && self.accept("if") || self.accept("elsif") {
            let condition = self.boolean("if")?;
            self.expect("then")?;
            let inner = self.state(EQU)?;
            below = below.max(condition.depth).max(inner.depth);
            branches.push((condition.tree, inner.tree));
        }
        let otherwise = match self.accept("else") {
            true => {
                let otherwise = self.state(EQU)?;
                below = below.max(otherwise.depth);
                otherwise.tree
            }
            false => StateFormula::Constant(true),
        };
        self.expect_end("if")?;
        self.node(
            StateFormula::If(branches, Box::new(otherwise)),
            below.max(1),
        )
    }

    /// A fixpoint variable or a Boolean one.
    fn named(&mut self) -> Result<Node<StateFormula>> {
        let name = self.token();
        match self.find(name) {
            Some(Bound::Fixpoint(id)) => self.occurrence(id),
            Some(Bound::Data(variable)) => {
                let shown = self.texts.name(name);
                let sort = &self.variables[variable.0 as usize].sort;
                if *sort != Sort::Bool {
                    let sort = sort.name();
                    let message = format!(
                        "{shown} is a variable of type {sort}: as a formula compare it, `{shown} = …`"
                    );
                    return Err(self.fault(name, message));
                }
                self.at += 1;
                let tree = StateFormula::Condition(Expression::Variable(variable));
                self.node(tree, 1)
            }
            None => {
                if self.ended(name).is_none()
                    && let Some(message) = self.refused()
                {
                    return Err(self.fault(name, message));
                }
                if super::data::is_function(self.texts.of(name)) && self.next().is("(") {
                    let value = self.expression(super::data::SUM)?;
                    let sort = value.sort.name();
                    let message = format!(
                        "this is a value of type {sort}: as a formula compare it, by `=` or the like"
                    );
                    return Err(self.fault(name, message));
                }
                if self.ended(name).is_none()
                    && self.next().is("(")
                    && !self
                        .macros
                        .iter()
                        .any(|other| other == self.texts.name(name))
                {
                    return Err(self.unknown_function(name));
                }
                Err(self.unknown(name))
            }
        }
    }

    fn occurrence(&mut self, id: FixpointId) -> Result<Node<StateFormula>> {
        let name = self.take();
        let count = self.fixpoints[id.0 as usize].parameters.len();
        let mut values = Vec::new();
        let mut below = 0;
        if self.is("(") && count > 0 {
            self.at += 1;
            while values.len() < count {
                let parameter = self.fixpoints[id.0 as usize].parameters[values.len()];
                let variable = &self.variables[parameter.0 as usize];
                let (called, sort) = (variable.name.clone(), variable.sort.clone());
                let start = self.token();
                let value = self.expression(0)?;
                let value = self.convert(value, &sort, &called, start)?;
                below = below.max(value.depth);
                values.push(value.tree);
                if !self.accept(",") {
                    break;
                }
            }
            if values.len() == count && self.is(")") {
                self.at += 1;
            } else if !(self.is(")") || values.len() == count && self.tokens[self.at - 1].is(",")) {
                return Err(self.unexpected("`,` or `)`"));
            } else {
                values.clear();
            }
        }
        if values.len() != count || count == 0 && self.is("(") {
            let takes = match count {
                0 => "no arguments".into(),
                _ => hyades_formats::diagnostic::counted(count, "argument"),
            };
            let message = format!(
                "{} takes {takes}, as its fixpoint says",
                self.texts.name(name)
            );
            return Err(self.fault(name, message));
        }
        self.occurrences.push(name.place);
        self.node(StateFormula::Variable(id, values), below)
    }
}
