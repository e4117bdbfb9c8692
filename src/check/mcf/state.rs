//! State formulas.

use super::lex::{Kind, Token};
use super::regular::FORMULAS_OF_EQUIV;
use super::{Fault, Node, Parser, Result};
use crate::syntax::{
    Domain, Fixpoint, FixpointId, Modality, Quantifier, Sign, Sort, StateFormula, Variable,
    VariableId,
};

/// The infix operators of state and action formulas, the loosest first.
pub(super) const IMPLIES: u8 = 0;
pub(super) const OR: u8 = 1;
pub(super) const AND: u8 = 2;
/// Operands of prefix operators.
pub(super) const OPERAND: u8 = 3;

pub(super) fn level(token: &Token<'_>) -> Option<u8> {
    match token.kind {
        Kind::Symbol("=>") => Some(IMPLIES),
        Kind::Symbol("||") => Some(OR),
        Kind::Symbol("&&") => Some(AND),
        _ => None,
    }
}

const TIME: &str = "time is not supported: LTSs have none";

const QUANTITATIVE: &str = "quantitative formulas are not supported: a formula is true or false";

impl<'e> Parser<'e> {
    /// A formula, from its start.
    pub(super) fn formula(&mut self) -> Result<StateFormula> {
        Ok(self.state(IMPLIES, IMPLIES)?.tree)
    }

    /// That something stands after a formula.
    #[inline(never)]
    pub(super) fn after_formula(&self) -> Fault {
        let token = self.token();
        let hint = match token.kind {
            Kind::Symbol("+" | "*" | "-") => {
                let message = format!("found {}: {QUANTITATIVE}", token.show());
                return self.fault(token, message);
            }
            Kind::Symbol("@") => {
                return self.fault(token, format!("found `@`: {TIME}"));
            }
            Kind::Symbol(")" | "]" | "}") => "nothing is open that it closes",
            Kind::Symbol("==" | "!=" | "<" | "<=" | ">" | ">=" | "=") => {
                "conditions on data stand in `val(…)`"
            }
            Kind::Symbol(";") => "`;` stands after a formula that `form` begins",
            Kind::Symbol("(") => "only fixpoint variables have arguments",
            Kind::Word("form" | "act" | "sort" | "map" | "cons" | "var" | "eqn") => {
                "beside sections the formula stands in one, `form F ;`"
            }
            _ => "formulas are joined by `&&`, `||`, `=>`",
        };
        let message = format!("text after the formula: found {}; {hint}", token.show());
        self.fault(token, message)
    }

    /// A formula whose infix operators outside parentheses bind at least so tightly; a
    /// quantifier or fixpoint at its start takes what binds at least as tightly as
    /// `binder` tells.
    fn state(&mut self, least: u8, binder: u8) -> Result<Node<StateFormula>> {
        let mut left = self.operand(binder)?;
        while let Some(found) = level(self.token())
            && found >= least
        {
            left = match found {
                IMPLIES => self.implication(left)?,
                _ => self.chain(left, found)?,
            };
        }
        Ok(left)
    }

    fn implication(&mut self, left: Node<StateFormula>) -> Result<Node<StateFormula>> {
        self.at += 1;
        self.enter()?;
        let right = self.state(IMPLIES, IMPLIES)?;
        self.nesting -= 1;
        let below = left.depth.max(right.depth);
        self.node(
            StateFormula::Implies(Box::new([left.tree, right.tree])),
            below,
        )
    }

    /// `F && F && F`.
    fn chain(&mut self, left: Node<StateFormula>, found: u8) -> Result<Node<StateFormula>> {
        let mut below = left.depth;
        let mut operands = vec![left.tree];
        while level(self.token()) == Some(found) {
            self.at += 1;
            let right = self.state(found + 1, found)?;
            below = below.max(right.depth);
            operands.push(right.tree);
        }
        let tree = match found {
            AND => StateFormula::And(operands),
            _ => StateFormula::Or(operands),
        };
        self.node(tree, below)
    }

    fn operand(&mut self, binder: u8) -> Result<Node<StateFormula>> {
        self.enter()?;
        let formula = match self.token().kind {
            Kind::Symbol("!") => self.negation(),
            Kind::Word(value @ ("true" | "false")) => {
                self.at += 1;
                self.node(StateFormula::Constant(value == "true"), 0)
            }
            Kind::Word("mu" | "nu") => self.fixpoint(binder),
            Kind::Word("forall" | "exists") => self.quantified(binder),
            Kind::Word("val") => self.condition(),
            Kind::Symbol("<") => self.modal(Modality::Diamond, ">"),
            Kind::Symbol("[") => self.modal(Modality::Box, "]"),
            Kind::Symbol("(") => self.parenthesised(),
            Kind::Name => self.named(),
            _ => Err(self.no_formula()),
        };
        self.nesting -= 1;
        formula
    }

    #[inline(never)]
    fn no_formula(&self) -> Fault {
        let token = self.token();
        let message = match token.kind {
            Kind::Word("delay" | "yaled") => TIME,
            Kind::Word("inf" | "sup" | "sum") | Kind::Symbol("-") => QUANTITATIVE,
            _ => {
                let hint = match token.kind {
                    Kind::Number => "; conditions on data stand in `val(…)`",
                    Kind::Word("tau" | "nil") => {
                        "; an action stands between `<` and `>` or `[` and `]`"
                    }
                    Kind::Symbol("\"") => "; labels stand without quotes between `<` and `>`",
                    _ => "",
                };
                return self.unexpected(&format!("a formula{hint}"));
            }
        };
        self.fault(token, format!("found {}: {message}", token.show()))
    }

    fn condition(&mut self) -> Result<Node<StateFormula>> {
        let condition = self.val()?;
        self.node(StateFormula::Condition(condition.tree), condition.depth)
    }

    fn negation(&mut self) -> Result<Node<StateFormula>> {
        self.at += 1;
        let inner = self.operand(OPERAND)?;
        self.node(StateFormula::Not(Box::new(inner.tree)), inner.depth)
    }

    fn parenthesised(&mut self) -> Result<Node<StateFormula>> {
        self.at += 1;
        let inner = self.state(IMPLIES, IMPLIES)?;
        match self.accept(")") {
            true => Ok(inner),
            false => match self.token().kind {
                Kind::Symbol("+" | "*" | "-" | "@") => Err(self.after_formula()),
                _ => Err(self.unexpected("`)`, `&&`, `||` or `=>`")),
            },
        }
    }

    fn modal(&mut self, modality: Modality, close: &str) -> Result<Node<StateFormula>> {
        self.at += 1;
        let word = self.regular()?;
        if !self.accept(close) {
            return Err(self.no_regular_end(&format!("`{close}`")));
        }
        let inner = self.operand(OPERAND)?;
        let below = word.depth.max(inner.depth);
        let regular = Box::new(word.part.into_regular());
        self.node(
            StateFormula::Modal(modality, regular, Box::new(inner.tree)),
            below,
        )
    }

    /// The body of a quantifier or fixpoint.
    fn body(&mut self, word: &Token<'_>, binder: u8) -> Result<Node<StateFormula>> {
        let body = self.state(binder, binder)?;
        if binder > IMPLIES && level(self.token()).is_some() {
            self.warn_scope(word);
        }
        Ok(body)
    }

    fn quantified(&mut self, binder: u8) -> Result<Node<StateFormula>> {
        let word = self.take();
        let quantifier = match word.is("forall") {
            true => Quantifier::Forall,
            false => Quantifier::Exists,
        };
        let declared = self.declarations()?;
        let mut formula = self.body(word, binder)?;
        for (id, sort) in declared.into_iter().rev() {
            self.unbind(id);
            let inner = Box::new(formula.tree);
            let tree = StateFormula::Quantified(quantifier, id, domain(&sort), inner);
            formula = self.node(tree, formula.depth)?;
        }
        Ok(formula)
    }

    /// `mu X (x: S = d, …) . F`
    fn fixpoint(&mut self, binder: u8) -> Result<Node<StateFormula>> {
        let word = self.take();
        let sign = match word.is("mu") {
            true => Sign::Mu,
            false => Sign::Nu,
        };
        let name = self.name("the name of a fixpoint variable")?;
        let mut parameters: Vec<(&Token<'e>, VariableId)> = Vec::new();
        let mut values = Vec::new();
        let mut below = 0;
        if self.accept("(") {
            while !(parameters.is_empty() && self.is(")")) {
                let parameter = self.name("the name of a parameter")?;
                if parameters
                    .iter()
                    .any(|(other, _)| other.text == parameter.text)
                {
                    let message = format!("two parameters {}: rename one", parameter.name());
                    return Err(self.fault(parameter, message));
                }
                if !self.accept(":") {
                    return Err(self.unexpected("`:` and the sort of the parameter"));
                }
                let sort = self.sort()?;
                if !self.accept("=") {
                    return Err(self.unexpected("`=` and the first value of the parameter"));
                }
                let value = self.value_of(&sort, parameter.name())?;
                below = below.max(value.depth);
                values.push(value.tree);
                parameters.push((parameter, self.new_variable(parameter, &sort)));
                if !self.accept(",") {
                    break;
                }
            }
            if !self.accept(")") {
                return Err(self.unexpected("`,`, `)` or an operator"));
            }
        }
        if !self.accept(".") {
            return Err(self.unexpected("`.` before the formula of the fixpoint"));
        }
        let id = FixpointId(self.fixpoints.len() as u32);
        self.fixpoints.push(Fixpoint {
            name: name.name().into(),
            parameters: parameters.iter().map(|(_, id)| *id).collect(),
        });
        let key = (name.text, parameters.len());
        self.known_fixpoints.entry(key).or_default().push(id);
        for (name, parameter) in &parameters {
            self.bind(*parameter, name);
        }
        let body = self.body(word, binder)?;
        for (_, parameter) in &parameters {
            self.unbind(*parameter);
        }
        if let Some(known) = self.known_fixpoints.get_mut(&key) {
            known.pop();
        }
        let below = below.max(body.depth);
        self.node(
            StateFormula::Fixpoint(sign, id, values, Box::new(body.tree)),
            below,
        )
    }

    /// `X (d, …)`
    fn named(&mut self) -> Result<Node<StateFormula>> {
        let name = self.take();
        let start = self.at;
        // How many arguments there are tells which fixpoint it is.
        let mut arguments = Vec::new();
        if self.accept("(") {
            while !(arguments.is_empty() && self.is(")")) {
                let token = self.token();
                arguments.push((token, self.data()?));
                if !self.accept(",") {
                    break;
                }
            }
            if !self.accept(")") {
                return Err(self.unexpected("`,`, `)` or an operator"));
            }
        }
        let key = (name.text, arguments.len());
        let known = self
            .known_fixpoints
            .get(&key)
            .and_then(|known| known.last());
        let Some(&id) = known else {
            return Err(self.no_fixpoint(name, arguments.len(), &self.tokens[start]));
        };
        self.occurrences.push(name.place);
        let parameters = self.fixpoints[id.0 as usize].parameters.clone();
        let mut below = 0;
        let mut values = Vec::new();
        for ((token, argument), parameter) in arguments.into_iter().zip(parameters) {
            let Variable { name, sort } = self.variables[parameter.0 as usize].clone();
            let argument = self.convert(argument, &sort, &name, token)?;
            below = below.max(argument.depth);
            values.push(argument.tree);
        }
        self.node(StateFormula::Variable(id, values), below)
    }

    #[inline(never)]
    fn no_fixpoint(&self, name: &Token<'_>, count: usize, after: &Token<'_>) -> Fault {
        let shown = name.name();
        let others = self
            .known_fixpoints
            .iter()
            .filter(|((other, _), known)| *other == name.text && !known.is_empty());
        let mut counts: Vec<usize> = others.map(|((_, count), _)| *count).collect();
        counts.sort_unstable();
        let message = match (self.find(name), &counts[..]) {
            (_, [own, ..]) => {
                let takes = hyades_formats::diagnostic::counted(own, "argument");
                format!("the fixpoint variable {shown} takes {takes}, not {count}")
            }
            (Some(id), []) => match self.variables[id.0 as usize].sort {
                Sort::Bool => format!("{shown} is a data variable: write `val({shown})`"),
                ref sort => format!(
                    "{shown} is a data variable of sort {}, and no formula: compare it, in \
                     `val(…)`",
                    sort.name()
                ),
            },
            (None, []) if after.is("=") => {
                format!("found {shown}, expected a formula ({FORMULAS_OF_EQUIV})")
            }
            (None, []) if after.is(":") => {
                format!("found {shown}, expected a formula")
            }
            (None, [])
                if let Some((_, instead)) = FOREIGN.iter().find(|(word, _)| *word == shown) =>
            {
                format!("unknown fixpoint variable {shown}: {instead}")
            }
            (None, []) => format!(
                "unknown fixpoint variable {shown}: `mu {shown}. …` or `nu {shown}. …` makes it \
                 known; an action stands between `<` and `>` or `[` and `]`"
            ),
        };
        self.fault(name, message)
    }
}

/// Words of other languages that stand where a formula does, and what to write.
const FOREIGN: [(&str, &str); 4] = [
    ("not", "write `!`"),
    ("tt", "write `true`"),
    ("ff", "write `false`"),
    (
        "deadlock",
        "a state without transitions is one with `[true]false`",
    ),
];

/// Values of all other sorts are looked up later.
pub(super) fn domain(sort: &Sort) -> Domain {
    match sort {
        Sort::Bool => Domain::Booleans,
        Sort::Pos
        | Sort::Nat
        | Sort::Int
        | Sort::Real
        | Sort::Char
        | Sort::String
        | Sort::Named(_) => Domain::Occurring,
    }
}
