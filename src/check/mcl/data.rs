//! Data expressions and their types.

use hyades_formats::diagnostic::counted;

use super::lex::{Kind, Token, unescaped};
use super::scope::Bound;
use super::{Fault, Parser, Result};
use crate::syntax::{Expression, Function, Place, Real, Sort, Value};

/// The infix operators, the loosest first.
const OR: u8 = 0;
const AND: u8 = 1;
const COMPARISON: u8 = 3;
pub(super) const SUM: u8 = 4;
const PRODUCT: u8 = 5;

/// The functions, in lower case.
const FUNCTIONS: [&str; 17] = [
    "string", "nat", "int", "real", "concat", "length", "index", "rindex", "prefix", "suffix",
    "substr", "nth", "succ", "pred", "abs", "min", "max",
];

/// An expression, its type and its depth.
pub(super) struct Typed {
    pub tree: Expression,
    pub sort: Sort,
    pub depth: usize,
}

/// Whether a name is that of a function.
pub(super) fn is_function(name: &[u8]) -> bool {
    FUNCTIONS
        .iter()
        .any(|function| function.as_bytes().eq_ignore_ascii_case(name))
}

fn level(token: &Token) -> Option<u8> {
    match token.kind {
        Kind::Word("or") => Some(OR),
        Kind::Word("and") => Some(AND),
        Kind::Symbol("=" | "<>" | "<" | "<=" | ">" | ">=") => Some(COMPARISON),
        Kind::Symbol("+" | "-") => Some(SUM),
        Kind::Symbol("*" | "/" | "%") => Some(PRODUCT),
        _ => None,
    }
}

fn is_integer(sort: &Sort) -> bool {
    matches!(sort, Sort::Nat | Sort::Int)
}

fn is_number(sort: &Sort) -> bool {
    is_integer(sort) || *sort == Sort::Real
}

impl Parser<'_> {
    /// Whether a comparison of two sums comes next. After a sum a formula cannot go on by
    /// an operator of comparison, so looking for that after the first sum is enough.
    pub(super) fn is_comparison(&self) -> bool {
        let mut at = self.at;
        // The end is none of these, and stands behind all.
        loop {
            while self.tokens[at].is("-") {
                at += 1;
            }
            let after = |open: usize| match self.closed[open] {
                0 => None,
                close => Some(close as usize),
            };
            let next = match self.tokens[at].kind {
                Kind::Number | Kind::Real | Kind::String | Kind::Pattern => Some(at + 1),
                Kind::Word("true" | "false") => Some(at + 1),
                Kind::Name if self.tokens[at + 1].is("(") => after(at + 1),
                Kind::Name => Some(at + 1),
                Kind::Symbol("(") => after(at),
                _ => None,
            };
            let Some(next) = next else { return false };
            match level(&self.tokens[next]) {
                Some(COMPARISON) => return true,
                Some(SUM | PRODUCT) => at = next + 1,
                _ => return false,
            }
        }
    }

    /// A comparison, as a formula.
    pub(super) fn comparison(&mut self) -> Result<Typed> {
        self.expression(COMPARISON)
    }

    /// A condition after a keyword.
    pub(super) fn boolean(&mut self, after: &str) -> Result<Typed> {
        let start = self.token();
        let value = self.expression(OR)?;
        match value.sort {
            Sort::Bool => Ok(value),
            sort => {
                let sort = sort.name();
                let message = format!(
                    "after `{after}` stands a condition, not a value of type {sort}: compare it"
                );
                Err(self.fault(start, message))
            }
        }
    }

    /// A value for a variable of this name and type.
    pub(super) fn value_of(&mut self, name: &Token, sort: &Sort) -> Result<Typed> {
        let start = self.token();
        let value = self.expression(OR)?;
        self.convert(value, sort, self.texts.name(name), start)
    }

    /// The value as one of another type, which has a place of this name.
    pub(super) fn convert(
        &self,
        value: Typed,
        sort: &Sort,
        name: &str,
        start: &Token,
    ) -> Result<Typed> {
        match (&value.sort, sort) {
            (own, sort) if own == sort => Ok(value),
            (Sort::Nat, Sort::Int) => Ok(value),
            (Sort::Int, Sort::Nat) => match value.tree {
                Expression::Constant(Value::Int(number)) if number < 0 => {
                    let message =
                        format!("{name}: nat, not {number}: write int for negative numbers");
                    Err(self.fault(start, message))
                }
                Expression::Constant(_) | Expression::Variable(_) | Expression::Apply(..) => {
                    self.apply(Function::CheckNat, vec![value], Sort::Nat, start.place)
                }
            },
            (own, sort) => {
                let hint = match (own, sort) {
                    (Sort::Bool, _) | (_, Sort::Bool | Sort::Char) => String::new(),
                    _ => format!("; `{} (…)` converts", sort.name().to_ascii_lowercase()),
                };
                let (own, sort) = (own.name(), sort.name());
                Err(self.fault(start, format!("{name}: {sort}, not {own}{hint}")))
            }
        }
    }

    fn apply(
        &self,
        function: Function,
        operands: Vec<Typed>,
        sort: Sort,
        place: Place,
    ) -> Result<Typed> {
        let below = operands.iter().map(|operand| operand.depth).max();
        let operands = operands.into_iter().map(|operand| operand.tree).collect();
        let tree = Expression::Apply(function, operands, place);
        let node = self.node(tree, below.unwrap_or_default())?;
        Ok(Typed {
            tree: node.tree,
            sort,
            depth: node.depth,
        })
    }

    /// An expression whose operators outside parentheses bind at least so tightly.
    pub(super) fn expression(&mut self, least: u8) -> Result<Typed> {
        self.enter()?;
        let mut left = match self.is("not") && least < COMPARISON {
            true => self.negated()?,
            false => self.data_operand()?,
        };
        while let Some(found) = level(self.token())
            && found >= least
        {
            left = match found {
                OR | AND => self.boolean_chain(left, found)?,
                COMPARISON => self.compared(left)?,
                _ => self.calculated(left, found)?,
            };
        }
        self.nesting -= 1;
        Ok(left)
    }

    /// `not E`.
    fn negated(&mut self) -> Result<Typed> {
        let token = self.take();
        let start = self.token();
        let inner = match self.is("not") {
            true => {
                self.enter()?;
                let inner = self.negated()?;
                self.nesting -= 1;
                inner
            }
            false => self.expression(COMPARISON)?,
        };
        self.expect_bool(&inner, "not", start)?;
        self.apply(Function::Not, vec![inner], Sort::Bool, token.place)
    }

    fn expect_bool(&self, operand: &Typed, operator: &str, token: &Token) -> Result<()> {
        match operand.sort {
            Sort::Bool => Ok(()),
            ref sort => {
                let sort = sort.name();
                let message = format!(
                    "`{operator}` takes conditions, not a value of type {sort}: compare it"
                );
                Err(self.fault(token, message))
            }
        }
    }

    /// `E and E and E`.
    fn boolean_chain(&mut self, left: Typed, found: u8) -> Result<Typed> {
        let token = self.token();
        let (function, operator) = match found {
            AND => (Function::And, "and"),
            _ => (Function::Or, "or"),
        };
        self.expect_bool(&left, operator, token)?;
        let mut operands = vec![left];
        while level(self.token()) == Some(found) {
            self.at += 1;
            let start = self.token();
            let right = self.expression(found + 1)?;
            self.expect_bool(&right, operator, start)?;
            operands.push(right);
        }
        self.apply(function, operands, Sort::Bool, token.place)
    }

    fn compared(&mut self, left: Typed) -> Result<Typed> {
        let token = self.take();
        let right = self.expression(SUM)?;
        let equality = token.is("=") || token.is("<>");
        let integers = is_integer(&left.sort) && is_integer(&right.sort);
        if !integers && left.sort != right.sort {
            return Err(self.mixed(token, &left.sort, &right.sort));
        }
        if !equality && left.sort == Sort::Bool {
            return Err(self.fault(token, "Booleans are compared by `=` and `<>` only"));
        }
        if level(self.token()) == Some(COMPARISON) {
            let message = "comparisons do not chain: join two of them by `and`";
            return Err(self.fault(self.token(), message));
        }
        let function = match token.kind {
            Kind::Symbol("=") => Function::Equal,
            Kind::Symbol("<>") => Function::NotEqual,
            Kind::Symbol("<") => Function::Less,
            Kind::Symbol("<=") => Function::LessOrEqual,
            Kind::Symbol(">") => Function::Greater,
            _ => Function::GreaterOrEqual,
        };
        self.apply(function, vec![left, right], Sort::Bool, token.place)
    }

    /// That an operator does not take values of these types together.
    #[inline(never)]
    fn mixed(&self, token: &Token, left: &Sort, right: &Sort) -> Fault {
        let hint = match (left, right) {
            (Sort::Real, right) if is_integer(right) => {
                ": write `real (…)`, or a point in the number"
            }
            (left, Sort::Real) if is_integer(left) => {
                ": write `real (…)`, or a point in the number"
            }
            (Sort::String, other) if is_number(other) => ": write `string (…)`",
            (other, Sort::String) if is_number(other) => ": write `string (…)`",
            (left, right) if left == right && *left == Sort::String => ": write `concat (…)`",
            _ => "",
        };
        let (left, right) = (left.name(), right.name());
        let operator = self.texts.name(token);
        self.fault(
            token,
            format!("`{operator}` does not take {left} and {right}{hint}"),
        )
    }

    /// A sum or product.
    fn calculated(&mut self, left: Typed, found: u8) -> Result<Typed> {
        let token = self.take();
        let right = self.expression(found + 1)?;
        let sort = match (&left.sort, &right.sort) {
            (Sort::Nat, Sort::Nat) => Sort::Nat,
            (left, right) if is_integer(left) && is_integer(right) => Sort::Int,
            (Sort::Real, Sort::Real) if !token.is("%") => Sort::Real,
            (left, right) => return Err(self.mixed(token, left, right)),
        };
        let function = match token.kind {
            Kind::Symbol("+") => Function::Add,
            Kind::Symbol("-") if sort == Sort::Nat => Function::SubtractNatural,
            Kind::Symbol("-") => Function::Subtract,
            Kind::Symbol("*") => Function::Multiply,
            Kind::Symbol("/") => Function::Divide,
            _ => Function::Remainder,
        };
        self.apply(function, vec![left, right], sort, token.place)
    }

    fn data_operand(&mut self) -> Result<Typed> {
        match self.token().kind {
            Kind::Symbol("(") => {
                self.at += 1;
                let inner = self.expression(OR)?;
                self.expect(")")?;
                Ok(inner)
            }
            Kind::Symbol("-") => self.minus(),
            Kind::Name => self.named_value(),
            _ => self.literal(),
        }
    }

    #[inline(never)]
    fn literal(&mut self) -> Result<Typed> {
        let token = self.token();
        let (value, sort) = match token.kind {
            Kind::Number | Kind::Real => return self.number(false),
            Kind::String => {
                let text = unescaped(self.texts.of(token));
                (Value::Text(text.into()), Sort::String)
            }
            Kind::Pattern => match self.texts.of(token) {
                [_, character, _] => (Value::Char(*character), Sort::Char),
                _ => {
                    let message =
                        "between apostrophes stands one character; a text stands in double quotes";
                    return Err(self.fault(token, message));
                }
            },
            Kind::Word(value @ ("true" | "false")) => (Value::Bool(value == "true"), Sort::Bool),
            _ => {
                let hint = match token.kind {
                    Kind::Word("not") => "; `not` stands outside comparisons, or in parentheses",
                    _ => "",
                };
                return Err(self.unexpected(&format!("a value, a variable or `(`{hint}")));
            }
        };
        self.at += 1;
        Ok(Typed {
            tree: Expression::Constant(value),
            sort,
            depth: 1,
        })
    }

    /// A numeral, negated or not.
    fn number(&mut self, negative: bool) -> Result<Typed> {
        let token = self.take();
        let sign = if negative { "-" } else { "" };
        let text = format!("{sign}{}", self.texts.name(token));
        let (value, sort) = match token.kind {
            Kind::Number => {
                let sort = if negative { Sort::Int } else { Sort::Nat };
                (text.parse().ok().map(Value::Int), sort)
            }
            _ => {
                let real: Option<f64> = text.parse().ok();
                let real = real.filter(|real| real.is_finite());
                (real.and_then(Real::new).map(Value::Real), Sort::Real)
            }
        };
        let Some(value) = value else {
            let message = match token.kind {
                Kind::Number => format!("{} needs more than 64 bits", self.texts.show(token)),
                _ => format!("{} is too large", self.texts.show(token)),
            };
            return Err(self.fault(token, message));
        };
        Ok(Typed {
            tree: Expression::Constant(value),
            sort,
            depth: 1,
        })
    }

    fn minus(&mut self) -> Result<Typed> {
        let token = self.take();
        if let Kind::Number | Kind::Real = self.token().kind {
            return self.number(true);
        }
        self.enter()?;
        let inner = self.data_operand()?;
        self.nesting -= 1;
        let sort = match inner.sort {
            Sort::Nat | Sort::Int => Sort::Int,
            Sort::Real => Sort::Real,
            ref sort => {
                let message = format!("`-` takes numbers, not a value of type {}", sort.name());
                return Err(self.fault(token, message));
            }
        };
        self.apply(Function::Negate, vec![inner], sort, token.place)
    }

    fn named_value(&mut self) -> Result<Typed> {
        let name = self.token();
        if self.next().is("(") {
            return self.call();
        }
        let Some(Bound::Data(variable)) = self.find(name) else {
            return Err(self.no_value(name));
        };
        self.at += 1;
        Ok(Typed {
            tree: Expression::Variable(variable),
            sort: self.variables[variable.0 as usize].sort.clone(),
            depth: 1,
        })
    }

    #[inline(never)]
    fn no_value(&self, name: &Token) -> Fault {
        let shown = self.texts.name(name);
        match self.find(name) {
            Some(_) => {
                let message = format!("{shown} is a fixpoint variable, and has no value");
                self.fault(name, message)
            }
            None if self.ended(name).is_some() => self.unknown(name),
            None => {
                let mut fault = self.unknown(name);
                if !fault.message.contains(';') {
                    fault
                        .message
                        .push_str(&format!("; for a text write \"{shown}\""));
                }
                fault
            }
        }
    }

    /// That a name is called which is no function.
    #[inline(never)]
    pub(super) fn unknown_function(&self, name: &Token) -> Fault {
        let shown = self.texts.name(name);
        let macros = self.macros.iter().map(String::as_str);
        let known = macros.chain(FUNCTIONS.iter().copied());
        let message = match hyades_base::nearest(shown, known) {
            Some(known) => {
                format!("{shown} is no function, and no macro of this name is known: {known} is")
            }
            None => {
                let known = FUNCTIONS.join(", ");
                format!(
                    "{shown} is no function, and no macro of this name is known; functions of \
                     one's own are not supported, and known are {known}"
                )
            }
        };
        self.fault(name, message)
    }

    /// A function and its arguments.
    fn call(&mut self) -> Result<Typed> {
        let name = self.take();
        let shown = self.texts.name(name);
        let lower = shown.to_ascii_lowercase();
        if !is_function(lower.as_bytes()) {
            let message = match self.find(name) {
                Some(Bound::Data(_)) => format!("{shown} is a variable, not a function"),
                Some(Bound::Fixpoint(_)) => {
                    format!("{shown} is a fixpoint variable, and has no value")
                }
                None if self.macros.iter().any(|other| other == shown) => format!(
                    "the macro {shown} is not known here: a macro is known from its `end_macro` on"
                ),
                None => return Err(self.unknown_function(name)),
            };
            return Err(self.fault(name, message));
        }
        self.at += 1;
        let mut arguments = Vec::new();
        if !self.is(")") {
            arguments.push(self.expression(OR)?);
            while self.accept(",") {
                arguments.push(self.expression(OR)?);
            }
        }
        if !self.accept(")") {
            return Err(self.unexpected("`,`, `)` or an operator"));
        }
        self.function(name, &lower, arguments)
    }

    /// A known function, whose arguments have the right number and types or not.
    #[inline(never)]
    fn function(&self, name: &Token, lower: &str, mut arguments: Vec<Typed>) -> Result<Typed> {
        let count = match lower {
            "concat" | "index" | "rindex" | "prefix" | "suffix" | "nth" | "min" | "max" => 2,
            "substr" => 3,
            _ => 1,
        };
        if arguments.len() != count {
            let takes = counted(count, "argument");
            let message = format!(
                "the function {lower} takes {takes}, not {}",
                arguments.len()
            );
            return Err(self.fault(name, message));
        }
        let wanted: &[Sort] = match lower {
            "concat" | "index" | "rindex" => &[Sort::String, Sort::String],
            "length" => &[Sort::String],
            "prefix" | "suffix" | "nth" => &[Sort::String, Sort::Nat],
            "substr" => &[Sort::String, Sort::Nat, Sort::Nat],
            _ => &[],
        };
        for (k, sort) in wanted.iter().enumerate() {
            let argument = arguments.remove(k);
            let place = format!("argument {} of {lower}", k + 1);
            arguments.insert(k, self.convert(argument, sort, &place, name)?);
        }
        let refused = |sort: &Sort, takes: &str| {
            let sort = sort.name();
            let message = format!("the function {lower} takes {takes}, not a value of type {sort}");
            Err(self.fault(name, message))
        };
        let first = arguments[0].sort.clone();
        let (function, sort) = match lower {
            "string" => (Function::ToString, Sort::String),
            "nat" | "int" | "real" => {
                if !is_number(&first) && first != Sort::String {
                    return refused(&first, "a number or a text");
                }
                match lower {
                    "nat" => (Function::ToNat, Sort::Nat),
                    "int" => (Function::ToInt, Sort::Int),
                    _ => (Function::ToReal, Sort::Real),
                }
            }
            "concat" => (Function::Concatenate, Sort::String),
            "length" => (Function::Length, Sort::Nat),
            "index" => (Function::Index, Sort::Nat),
            "rindex" => (Function::LastIndex, Sort::Nat),
            "prefix" => (Function::Prefix, Sort::String),
            "suffix" => (Function::Suffix, Sort::String),
            "substr" => (Function::Substring, Sort::String),
            "nth" => (Function::Nth, Sort::Char),
            "succ" | "pred" => {
                if !is_integer(&first) {
                    return refused(&first, "naturals and integers");
                }
                match (lower, &first) {
                    ("succ", _) => (Function::Successor, first),
                    (_, Sort::Nat) => (Function::PredecessorNatural, first),
                    _ => (Function::Predecessor, first),
                }
            }
            "abs" => {
                if !is_number(&first) {
                    return refused(&first, "numbers");
                }
                (Function::Absolute, first)
            }
            _ => {
                let second = &arguments[1].sort;
                let sort = match (&first, second) {
                    (first, second) if !is_number(first) || !is_number(second) => {
                        let wrong = if is_number(first) { second } else { first };
                        return refused(wrong, "numbers");
                    }
                    (first, second) if first == second => first.clone(),
                    (first, second) if is_integer(first) && is_integer(second) => Sort::Int,
                    (first, second) => return Err(self.mixed(name, first, second)),
                };
                match lower {
                    "min" => (Function::Minimum, sort),
                    _ => (Function::Maximum, sort),
                }
            }
        };
        self.apply(function, arguments, sort, name.place)
    }
}
