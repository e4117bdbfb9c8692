//! Data expressions and their sorts.

use hyades_formats::diagnostic::counted;

use super::lex::{Kind, Token};
use super::{Fault, Parser, Result};
use crate::data::number;
use crate::syntax::{Expression, Function, Place, Sort, Value};

/// The infix operators, the loosest first.
const IMPLIES: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const EQUALITY: u8 = 3;
const ORDER: u8 = 4;
const SUM: u8 = 5;
const DIVISION: u8 = 6;
const PRODUCT: u8 = 7;

/// An expression, its sort and its depth.
pub(super) struct Typed<'e> {
    pub tree: Expression,
    /// None of texts whose sort is not known: names that are no variables.
    sort: Option<Sort>,
    pub depth: usize,
    /// Whether there is a variable in it.
    is_open: bool,
    /// A function in it that is taken for a constructor, applied to variables.
    built: Option<&'e Token<'e>>,
}

fn level(token: &Token<'_>) -> Option<u8> {
    match token.kind {
        Kind::Symbol("=>") => Some(IMPLIES),
        Kind::Symbol("||") => Some(OR),
        Kind::Symbol("&&") => Some(AND),
        Kind::Symbol("==" | "!=") => Some(EQUALITY),
        Kind::Symbol("<" | "<=" | ">" | ">=") => Some(ORDER),
        Kind::Symbol("+" | "-") => Some(SUM),
        Kind::Word("div" | "mod") => Some(DIVISION),
        Kind::Symbol("*") => Some(PRODUCT),
        _ => None,
    }
}

pub(crate) fn is_number(sort: &Sort) -> bool {
    matches!(sort, Sort::Pos | Sort::Nat | Sort::Int)
}

/// The sort of numbers of either sort.
pub(crate) fn join(left: &Sort, right: &Sort) -> Sort {
    match (left, right) {
        (Sort::Pos, Sort::Pos) => Sort::Pos,
        (Sort::Int, _) | (_, Sort::Int) => Sort::Int,
        _ => Sort::Nat,
    }
}

/// The sort of a numeral.
pub(crate) fn sort_of_number(number: i64) -> Sort {
    match number {
        1.. => Sort::Pos,
        0 => Sort::Nat,
        _ => Sort::Int,
    }
}

/// The sort of what an operator or function gives, of operands that are numbers.
pub(crate) fn numeric(function: &Function, operands: &[Sort]) -> Sort {
    match (function, operands) {
        (Function::Add, [a, b]) => match (a, b) {
            (Sort::Int, _) | (_, Sort::Int) => Sort::Int,
            (Sort::Pos, _) | (_, Sort::Pos) => Sort::Pos,
            _ => Sort::Nat,
        },
        // At least as large as either.
        (Function::Maximum, [a, b]) => match (a, b) {
            (Sort::Pos, _) | (_, Sort::Pos) => Sort::Pos,
            (Sort::Nat, _) | (_, Sort::Nat) => Sort::Nat,
            _ => Sort::Int,
        },
        (Function::Multiply | Function::Minimum, [a, b]) => join(a, b),
        (Function::DivideFloor, [Sort::Int, _] | [_, Sort::Int]) => Sort::Int,
        (Function::Modulo, [_, Sort::Int]) => Sort::Int,
        (Function::DivideFloor | Function::Modulo, _) => Sort::Nat,
        (Function::Successor, [Sort::Int]) => Sort::Int,
        (Function::Successor, _) => Sort::Pos,
        (Function::Predecessor, [Sort::Pos]) => Sort::Nat,
        (Function::Absolute, [Sort::Pos]) => Sort::Pos,
        (Function::Absolute, _) => Sort::Nat,
        _ => Sort::Int,
    }
}

/// The sort that a conversion makes of numbers.
fn conversion(name: &str) -> Option<Sort> {
    match name {
        "Nat2Pos" | "Int2Pos" => Some(Sort::Pos),
        "Pos2Nat" | "Int2Nat" => Some(Sort::Nat),
        "Pos2Int" | "Nat2Int" => Some(Sort::Int),
        _ => None,
    }
}

impl<'e> Parser<'e> {
    /// `val(d)`
    pub(super) fn val(&mut self) -> Result<Typed<'e>> {
        self.at += 1;
        self.expect("(")?;
        let start = self.token();
        let value = self.data()?;
        if !self.accept(")") {
            return Err(self.no_data_end());
        }
        if value.sort.as_ref().is_some_and(is_number) {
            let message = "found a number in `val`: quantitative formulas are not supported: \
                           compare it";
            return Err(self.fault(start, message));
        }
        self.expect_bool(&value, start)?;
        Ok(value)
    }

    /// An expression.
    pub(super) fn data(&mut self) -> Result<Typed<'e>> {
        self.expression(IMPLIES)
    }

    /// The first value of a parameter of this sort.
    pub(super) fn value_of(&mut self, sort: &Sort, name: &str) -> Result<Typed<'e>> {
        let token = self.token();
        let value = self.data()?;
        self.convert(value, sort, name, token)
    }

    /// A value given to a parameter.
    pub(super) fn convert(
        &self,
        value: Typed<'e>,
        sort: &Sort,
        name: &str,
        token: &Token<'_>,
    ) -> Result<Typed<'e>> {
        if let Some(function) = value.built {
            return Err(self.no_constructor(function));
        }
        let wanted = sort.name();
        let hint = match (&value.sort, sort) {
            (Some(Sort::Int), Sort::Nat) => "; write `Int2Nat(…)`",
            (Some(Sort::Int), Sort::Pos) => "; write `Int2Pos(…)`",
            (Some(Sort::Nat), Sort::Pos) => "; write `Nat2Pos(…)`",
            (Some(Sort::Pos), Sort::Pos | Sort::Nat | Sort::Int)
            | (Some(Sort::Nat), Sort::Nat | Sort::Int)
            | (Some(Sort::Int), Sort::Int)
            | (None, Sort::Named(_)) => return Ok(value),
            (Some(own), other) if own == other => return Ok(value),
            _ => "",
        };
        let found = shown(&value);
        let message =
            format!("the parameter {name} has the sort {wanted}, and its value is {found}{hint}");
        Err(self.fault(token, message))
    }

    /// What stands where an expression should have ended or gone on.
    #[inline(never)]
    fn no_data_end(&self) -> Fault {
        let token = self.token();
        let adjoins = |symbol: &str| {
            let next = self.next();
            next.is(symbol)
                && next.place.line == token.place.line
                && next.place.column == token.place.column + 1
        };
        let lists = match token.kind {
            Kind::Symbol("|") if adjoins(">") => Some("|>"),
            Kind::Symbol("[") => Some("["),
            Kind::Symbol(".") => Some("."),
            Kind::Symbol("#") => Some("#"),
            Kind::Word("in") => Some("in"),
            _ => None,
        };
        let message = match (token.kind, lists) {
            (_, Some("[")) => "found `[`: lists and function updates are not supported".to_owned(),
            (_, Some(operator)) => {
                format!("found `{operator}`: lists, sets and bags are not supported")
            }
            (Kind::Word("whr"), _) => {
                "found `whr`: where clauses are not supported: write what the \
                                       name stands for"
                    .to_owned()
            }
            (Kind::Symbol("/"), _) => {
                "found `/`: reals are not supported; integers are divided by `div`".to_owned()
            }
            (Kind::Symbol("("), _) => {
                "found `(`: functions that give functions are not supported".to_owned()
            }
            (Kind::Symbol("->"), _) => "found `->`: function updates are not supported".to_owned(),
            (Kind::Symbol("="), _) => {
                "found `=`, expected `)` or an operator; values are compared \
                                       by `==`"
                    .to_owned()
            }
            _ => return self.unexpected("`)` or an operator"),
        };
        self.fault(token, message)
    }

    /// An expression whose infix operators outside parentheses bind at least so tightly.
    fn expression(&mut self, least: u8) -> Result<Typed<'e>> {
        let mut left = self.data_operand()?;
        while let Some(found) = level(self.token())
            && found >= least
        {
            left = match found {
                IMPLIES => self.implies(left)?,
                OR | AND => self.boolean_chain(left, found)?,
                EQUALITY => self.equality(left)?,
                _ => self.calculated(left, found)?,
            };
        }
        match self.token().kind {
            Kind::Symbol("[" | "#" | "->" | "/" | "(" | "|") | Kind::Word("in" | "whr") => {
                Err(self.no_data_end())
            }
            _ => Ok(left),
        }
    }

    fn apply(
        &self,
        function: Function,
        operands: Vec<Typed<'e>>,
        sort: Option<Sort>,
        token: &Token<'_>,
    ) -> Result<Typed<'e>> {
        let below = operands.iter().map(|operand| operand.depth).max();
        let is_open = operands.iter().any(|operand| operand.is_open);
        let built = operands.iter().find_map(|operand| operand.built);
        let operands = operands.into_iter().map(|operand| operand.tree).collect();
        let place: Place = token.place;
        let node = self.node(
            Expression::Apply(function, operands, place),
            below.unwrap_or(0),
        )?;
        Ok(Typed {
            tree: node.tree,
            sort,
            depth: node.depth,
            is_open,
            built,
        })
    }

    /// That this, which begins at `start`, is a Boolean.
    fn expect_bool(&self, value: &Typed<'_>, start: &Token<'_>) -> Result<()> {
        if value.sort == Some(Sort::Bool) {
            return Ok(());
        }
        let found = match (&value.sort, &value.tree) {
            (None, Expression::Constant(_)) => format!(
                "{} is not a Boolean: it is no variable, and stands for its own text",
                start.name()
            ),
            _ => format!("expected a Boolean, found {}", shown(value)),
        };
        Err(self.fault(start, found))
    }

    fn implies(&mut self, left: Typed<'e>) -> Result<Typed<'e>> {
        let token = self.take();
        let start = self.token();
        self.expect_operand(&left, token)?;
        self.enter()?;
        let right = self.expression(IMPLIES)?;
        self.nesting -= 1;
        self.expect_bool(&right, start)?;
        self.apply(
            Function::Implies,
            vec![left, right],
            Some(Sort::Bool),
            token,
        )
    }

    /// That the left operand of an operator is a Boolean.
    fn expect_operand(&self, left: &Typed<'_>, token: &Token<'_>) -> Result<()> {
        if left.sort == Some(Sort::Bool) {
            return Ok(());
        }
        let message = format!(
            "`{}` takes Booleans, and what is left of it is not a Boolean but {}",
            token.name(),
            shown(left)
        );
        Err(self.fault(token, message))
    }

    /// `d && d && d`.
    fn boolean_chain(&mut self, left: Typed<'e>, found: u8) -> Result<Typed<'e>> {
        let token = self.token();
        self.expect_operand(&left, token)?;
        let mut operands = vec![left];
        while level(self.token()) == Some(found) {
            self.at += 1;
            let start = self.token();
            let right = self.expression(found + 1)?;
            self.expect_bool(&right, start)?;
            operands.push(right);
        }
        let function = match found {
            AND => Function::And,
            _ => Function::Or,
        };
        self.apply(function, operands, Some(Sort::Bool), token)
    }

    /// `d == d`, `d != d`
    fn equality(&mut self, left: Typed<'e>) -> Result<Typed<'e>> {
        let token = self.take();
        let right = self.expression(EQUALITY + 1)?;
        if let Some(function) = left.built.or(right.built) {
            return Err(self.no_constructor(function));
        }
        let fits = match (&left.sort, &right.sort) {
            (Some(a), Some(b)) => a == b || is_number(a) && is_number(b),
            (None, Some(sort)) | (Some(sort), None) => matches!(sort, Sort::Named(_)),
            (None, None) => true,
        };
        if !fits {
            return Err(self.mixed(token, &left, &right));
        }
        let function = match token.is("==") {
            true => Function::Equal,
            false => Function::NotEqual,
        };
        self.apply(function, vec![left, right], Some(Sort::Bool), token)
    }

    /// That an operator does not take these operands.
    #[inline(never)]
    fn mixed(&self, token: &Token<'_>, left: &Typed<'_>, right: &Typed<'_>) -> Fault {
        let operator = token.name();
        let texts = match (&left.sort, &right.sort) {
            (None | Some(Sort::Named(_)), _) | (_, None | Some(Sort::Named(_))) => {
                "; texts know `==` and `!=` among themselves only"
            }
            _ => "",
        };
        let (left, right) = (shown(left), shown(right));
        let message = format!("`{operator}` does not take {left} and {right}{texts}");
        self.fault(token, message)
    }

    /// A comparison, sum, quotient or product of numbers.
    fn calculated(&mut self, left: Typed<'e>, found: u8) -> Result<Typed<'e>> {
        let token = self.take();
        let right = self.expression(found + 1)?;
        let (Some(a), Some(b)) = (&left.sort, &right.sort) else {
            return Err(self.mixed(token, &left, &right));
        };
        if !is_number(a) || !is_number(b) {
            return Err(self.mixed(token, &left, &right));
        }
        let function = match token.kind {
            Kind::Symbol("<") => Function::Less,
            Kind::Symbol("<=") => Function::LessOrEqual,
            Kind::Symbol(">") => Function::Greater,
            Kind::Symbol(">=") => Function::GreaterOrEqual,
            Kind::Symbol("+") => Function::Add,
            Kind::Symbol("-") => Function::Subtract,
            Kind::Symbol("*") => Function::Multiply,
            Kind::Word("div") => Function::DivideFloor,
            _ => Function::Modulo,
        };
        let sort = match found {
            ORDER => Sort::Bool,
            _ => numeric(&function, &[a.clone(), b.clone()]),
        };
        self.apply(function, vec![left, right], Some(sort), token)
    }

    fn data_operand(&mut self) -> Result<Typed<'e>> {
        self.enter()?;
        let token = self.token();
        let value = match token.kind {
            Kind::Symbol("(") => {
                self.at += 1;
                let inner = self.data()?;
                match self.accept(")") {
                    true => Ok(inner),
                    false => Err(self.no_data_end()),
                }
            }
            Kind::Symbol("!") => {
                self.at += 1;
                let start = self.token();
                let inner = self.data_operand()?;
                self.expect_bool(&inner, start)?;
                self.apply(Function::Not, vec![inner], Some(Sort::Bool), token)
            }
            Kind::Symbol("-") => self.minus(),
            Kind::Number => self.number(false),
            Kind::Word(value @ ("true" | "false")) => {
                self.at += 1;
                Ok(constant(Value::Bool(value == "true"), Some(Sort::Bool)))
            }
            Kind::Name if self.next().is("(") => self.call(),
            Kind::Name => Ok(self.named_value()),
            _ => Err(self.no_value()),
        };
        self.nesting -= 1;
        value
    }

    #[inline(never)]
    fn no_value(&self) -> Fault {
        let token = self.token();
        let message = match token.kind {
            Kind::Word("lambda") => "functions as values (`lambda`) are not supported",
            Kind::Word("forall" | "exists") => {
                "quantifiers in data are not supported: quantify the formula, outside `val(…)`"
            }
            // The rest of `++` and `<|`.
            Kind::Symbol("[" | "{" | "#" | "+" | "|") => "lists, sets and bags are not supported",
            Kind::Word("delay" | "yaled") => "time is not supported: LTSs have none",
            Kind::Symbol("\"") => "texts stand without quotes",
            _ => return self.unexpected("a value"),
        };
        self.fault(token, format!("found {}: {message}", token.show()))
    }

    /// A numeral, negated or not.
    fn number(&mut self, negative: bool) -> Result<Typed<'e>> {
        let token = self.take();
        let Some(value) = number(negative, token.text) else {
            let message = format!("{} needs more than 64 bits", token.show());
            return Err(self.fault(token, message));
        };
        Ok(constant(Value::Int(value), Some(sort_of_number(value))))
    }

    fn minus(&mut self) -> Result<Typed<'e>> {
        let token = self.take();
        if self.token().kind == Kind::Number {
            return self.number(true);
        }
        let inner = self.data_operand()?;
        match &inner.sort {
            Some(sort) if is_number(sort) => {
                self.apply(Function::Negate, vec![inner], Some(Sort::Int), token)
            }
            _ => {
                let message = format!("`-` takes numbers, not {}", shown(&inner));
                Err(self.fault(token, message))
            }
        }
    }

    /// A variable, or a name that stands for its own text.
    fn named_value(&mut self) -> Typed<'e> {
        let name = self.take();
        match self.find(name) {
            Some(variable) => Typed {
                tree: Expression::Variable(variable),
                sort: Some(self.variables[variable.0 as usize].sort.clone()),
                depth: 1,
                is_open: true,
                built: None,
            },
            None => constant(Value::Text(name.text.into()), None),
        }
    }

    #[inline(never)]
    fn no_constructor(&self, function: &Token<'_>) -> Fault {
        let message = format!(
            "the function {} is not supported on variables outside arguments of actions: the LTS \
             does not tell what it computes",
            function.name()
        );
        self.fault(function, message)
    }

    /// A function and its arguments.
    fn call(&mut self) -> Result<Typed<'e>> {
        let name = self.take();
        if self.find(name).is_some() {
            let message = format!(
                "{} is a variable, not a function: function sorts are not supported",
                name.name()
            );
            return Err(self.fault(name, message));
        }
        self.at += 1;
        let mut arguments = vec![self.data()?];
        while self.accept(",") {
            arguments.push(self.data()?);
        }
        if !self.accept(")") {
            return Err(match self.token().kind {
                Kind::Symbol("|" | "." | "->" | "=") => self.no_data_end(),
                _ => self.unexpected("`,`, `)` or an operator"),
            });
        }
        self.function(name, arguments)
    }

    /// A function, whose arguments have the right number and sorts or not.
    #[inline(never)]
    fn function(&self, name: &'e Token<'e>, mut arguments: Vec<Typed<'e>>) -> Result<Typed<'e>> {
        let shown_name = name.name();
        let count = match shown_name {
            "if" => 3,
            "min" | "max" => 2,
            "succ" | "pred" | "abs" => 1,
            "exp" | "floor" | "ceil" | "round" | "sqrt" | "head" | "tail" | "rhead" | "rtail"
            | "count" | "Set2Bag" | "Bag2Set" | "Real2Pos" | "Real2Nat" | "Real2Int"
            | "Pos2Real" | "Nat2Real" | "Int2Real" => {
                let message = format!("the function {shown_name} is not supported");
                return Err(self.fault(name, message));
            }
            _ if conversion(shown_name).is_some() => 1,
            _ => {
                let mut built = self.apply(
                    Function::Construct(shown_name.into()),
                    arguments,
                    None,
                    name,
                )?;
                if built.is_open {
                    built.built = built.built.or(Some(name));
                }
                return Ok(built);
            }
        };
        if arguments.len() != count {
            let takes = counted(count, "argument");
            let message = format!(
                "the function {shown_name} takes {takes}, not {}",
                arguments.len()
            );
            return Err(self.fault(name, message));
        }
        if shown_name == "if" {
            return self.conditional(name, arguments);
        }
        let mut sorts = Vec::new();
        for argument in &arguments {
            match &argument.sort {
                Some(sort) if is_number(sort) => sorts.push(sort.clone()),
                _ => {
                    let message = format!(
                        "the function {shown_name} takes numbers, not {}",
                        shown(argument)
                    );
                    return Err(self.fault(name, message));
                }
            }
        }
        if let Some(sort) = conversion(shown_name) {
            let mut argument = arguments.remove(0);
            argument.sort = Some(sort);
            return Ok(argument);
        }
        let function = match shown_name {
            "min" => Function::Minimum,
            "max" => Function::Maximum,
            "succ" => Function::Successor,
            "pred" => Function::Predecessor,
            _ => Function::Absolute,
        };
        let sort = numeric(&function, &sorts);
        self.apply(function, arguments, Some(sort), name)
    }

    /// `if(c, a, b)`
    fn conditional(&self, name: &Token<'_>, arguments: Vec<Typed<'e>>) -> Result<Typed<'e>> {
        let [condition, then, other] = &arguments[..] else {
            unreachable!("the number has been checked");
        };
        if condition.sort != Some(Sort::Bool) {
            let message = format!(
                "the first argument of `if` is not a Boolean but {}",
                shown(condition)
            );
            return Err(self.fault(name, message));
        }
        let sort = match (&then.sort, &other.sort) {
            (Some(a), Some(b)) if is_number(a) && is_number(b) => Some(join(a, b)),
            (a, b) if a == b => a.clone(),
            (None, Some(sort @ Sort::Named(_))) | (Some(sort @ Sort::Named(_)), None) => {
                Some(sort.clone())
            }
            _ => {
                let message = format!(
                    "the last two arguments of `if` are {} and {}",
                    shown(then),
                    shown(other)
                );
                return Err(self.fault(name, message));
            }
        };
        self.apply(Function::If, arguments, sort, name)
    }
}

fn constant<'e>(value: Value, sort: Option<Sort>) -> Typed<'e> {
    Typed {
        tree: Expression::Constant(value),
        sort,
        depth: 1,
        is_open: false,
        built: None,
    }
}

/// A value, for messages.
fn shown(value: &Typed<'_>) -> String {
    match (&value.sort, &value.tree) {
        (Some(sort), _) => format!("a value of sort {}", sort.name()),
        (None, Expression::Constant(Value::Text(name))) => format!(
            "{}, a name that is no variable and stands for its own text",
            String::from_utf8_lossy(name)
        ),
        (None, Expression::Apply(Function::Construct(name), ..)) => {
            format!("{name}(…): the function {name} is not supported")
        }
        (None, _) => "a text".to_owned(),
    }
}
