//! Data: values of expressions, and values in the texts of labels.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use foldhash::HashSet;

use crate::syntax::{Domain, Expression, Function, Place, Real, Sort, Value, VariableId};

/// How many values [`domain`] gives at most.
pub const MAX_DOMAIN: usize = 10_000_000;

/// What variables stand for.
pub trait Scope {
    /// The value of a variable that is in scope.
    fn value(&self, variable: VariableId) -> &Value;
}

/// Values by the numbers of variables.
impl Scope for [Value] {
    fn value(&self, variable: VariableId) -> &Value {
        &self[variable.0 as usize]
    }
}

/// An expression without a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvaluationError {
    /// Where the operator stands that has no result.
    pub place: Place,
    /// Why it has none.
    pub message: String,
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place == Place::default() {
            true => f.write_str(&self.message),
            false => write!(f, "{}: {}", self.place, self.message),
        }
    }
}

impl std::error::Error for EvaluationError {}

/// A number in a text that is too large to compute with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLargeNumber {
    /// As it is written.
    pub text: Box<[u8]>,
}

impl fmt::Display for TooLargeNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the number {} is too large: integers have 64 bits, reals are doubles; match it as a String",
            self.text.escape_ascii()
        )
    }
}

impl std::error::Error for TooLargeNumber {}

/// The value of an expression.
///
/// O(size of the expression and of its values); recursion as deep as the expression,
/// which is at most [`MAX_DEPTH`](crate::syntax::MAX_DEPTH).
///
/// # Errors
/// What [`Function`] calls an error, and results that are no integers of 64 bits or no
/// finite doubles.
pub fn evaluate<S: Scope + ?Sized>(
    expression: &Expression,
    scope: &S,
) -> Result<Value, EvaluationError> {
    let (function, operands, place) = match expression {
        Expression::Constant(value) => return Ok(value.clone()),
        Expression::Variable(variable) => return Ok(scope.value(*variable).clone()),
        Expression::Apply(function, operands, place) => (function, operands, *place),
    };
    let lazy = match function {
        Function::And | Function::Or => {
            // What decides, and is the value if it occurs.
            let decides = *function == Function::Or;
            for operand in operands {
                if condition(operand, scope, place)? == decides {
                    return Ok(Value::Bool(decides));
                }
            }
            return Ok(Value::Bool(!decides));
        }
        Function::Implies | Function::If => true,
        _ => false,
    };
    if lazy {
        return choose(function, operands, scope, place);
    }
    let mut values = Vec::with_capacity(operands.len());
    for operand in operands {
        values.push(evaluate(operand, scope)?);
    }
    apply(function, &values).map_err(|message| EvaluationError { place, message })
}

/// The value of `if(c, a, b)` or `c => a`, of which one branch counts.
fn choose<S: Scope + ?Sized>(
    function: &Function,
    operands: &[Expression],
    scope: &S,
    place: Place,
) -> Result<Value, EvaluationError> {
    match operands {
        [first, then, rest @ ..] => match (condition(first, scope, place)?, rest) {
            (true, _) => evaluate(then, scope),
            (false, [other, ..]) => evaluate(other, scope),
            (false, []) => Ok(Value::Bool(true)),
        },
        _ => Err(EvaluationError {
            place,
            message: misfit(function, &[]),
        }),
    }
}

/// The value of a Boolean expression, which stands at or in an operator at `place`.
///
/// # Errors
/// As [`evaluate`].
pub fn condition<S: Scope + ?Sized>(
    expression: &Expression,
    scope: &S,
    place: Place,
) -> Result<bool, EvaluationError> {
    match evaluate(expression, scope)? {
        Value::Bool(value) => Ok(value),
        other @ (Value::Int(_) | Value::Real(_) | Value::Char(_) | Value::Text(_)) => {
            Err(EvaluationError {
                place,
                message: format!("expected a Boolean, found {}", shown(&other)),
            })
        }
    }
}

/// Refuses ranges of more than [`MAX_DOMAIN`] values.
///
/// # Errors
/// What is told of it.
pub fn check_range(first: i64, last: i64) -> Result<(), String> {
    // As wider integers, where the difference is one, too.
    match i128::from(last) - i128::from(first) >= MAX_DOMAIN as i128 {
        true => Err(format!(
            "the values from {first} to {last} are more than {MAX_DOMAIN}: take fewer"
        )),
        false => Ok(()),
    }
}

/// The values of a domain: distinct, in their order; none of a range whose end is
/// before its start.
///
/// # Errors
/// As [`evaluate`]; moreover, if there are more than [`MAX_DOMAIN`], and of
/// [`Domain::Occurring`], which has to be replaced before.
pub fn domain<S: Scope + ?Sized>(
    domain: &Domain,
    scope: &S,
) -> Result<Vec<Value>, EvaluationError> {
    match domain {
        Domain::Booleans => Ok(vec![Value::Bool(false), Value::Bool(true)]),
        Domain::Values(expressions) => {
            let mut values = Vec::new();
            let mut known = HashSet::default();
            for expression in expressions {
                let value = evaluate(expression, scope)?;
                if known.insert(value.clone()) {
                    values.push(value);
                }
            }
            Ok(values)
        }
        Domain::Range(bounds) => {
            let place = bounds.iter().find_map(place_of).unwrap_or_default();
            let error = |message| Err(EvaluationError { place, message });
            let [first, last] = &**bounds;
            match (evaluate(first, scope)?, evaluate(last, scope)?) {
                (Value::Int(first), Value::Int(last)) => match check_range(first, last) {
                    Ok(()) => Ok((first..=last).map(Value::Int).collect()),
                    Err(message) => error(message),
                },
                (first, last) => error(format!(
                    "a range goes from integer to integer, not from {} to {}",
                    shown(&first),
                    shown(&last)
                )),
            }
        }
        Domain::Occurring => Err(EvaluationError {
            place: Place::default(),
            message: "internal error: the values of a quantified variable were not looked up"
                .to_owned(),
        }),
    }
}

/// The place of the first operator in an expression, if it has any.
pub fn place_of(expression: &Expression) -> Option<Place> {
    match expression {
        Expression::Constant(_) | Expression::Variable(_) => None,
        Expression::Apply(_, _, place) => Some(*place),
    }
}

/// The text of a value as labels have it: characters in single quotes, texts without
/// quotes, reals with a point or an exponent unless they are infinite.
pub fn text(value: &Value) -> Vec<u8> {
    match value {
        Value::Bool(value) => value.to_string().into_bytes(),
        Value::Int(value) => value.to_string().into_bytes(),
        Value::Real(value) => format!("{:?}", value.get()).into_bytes(),
        Value::Char(value) => vec![b'\'', *value, b'\''],
        Value::Text(value) => value.to_vec(),
    }
}

/// A value for people.
fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{}\"", text.escape_ascii()),
        Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) => {
            text(value).escape_ascii().to_string()
        }
    }
}

/// The value of an offer or argument of a label as one of a sort; `None` if the text is
/// none.
///
/// | sort | texts |
/// |---|---|
/// | `Pos`, `Nat` | digits; at least 1, at least 0 |
/// | `Int` | digits, with a sign or without |
/// | `Real` | the same, with fraction and exponent or without |
/// | `Bool` | `TRUE`, `true`, `FALSE`, `false` |
/// | `Char` | one byte in single quotes |
/// | `String` | any text, of which one pair of double quotes around it is removed |
/// | named ones | any text; its [`normal`] form |
///
/// # Errors
/// If the text is a number of this sort that has no 64 bits, or is no finite double.
pub fn read(text: &[u8], sort: &Sort) -> Result<Option<Value>, TooLargeNumber> {
    let integer = |least: i64, signs: bool| {
        let Some(Integer { negative, digits }) = integer(text) else {
            return Ok(None);
        };
        if !signs && text.len() != digits.len() {
            return Ok(None);
        }
        match number(negative, digits) {
            Some(number) => Ok((number >= least).then_some(Value::Int(number))),
            None => Err(TooLargeNumber { text: text.into() }),
        }
    };
    match sort {
        Sort::Bool => Ok(boolean(text).map(Value::Bool)),
        Sort::Pos => integer(1, false),
        Sort::Nat => integer(0, false),
        Sort::Int => integer(i64::MIN, true),
        Sort::Real => match real(text) {
            None => Ok(None),
            Some(number) => match Real::new(number).filter(|number| number.get().is_finite()) {
                Some(number) => Ok(Some(Value::Real(number))),
                None => Err(TooLargeNumber { text: text.into() }),
            },
        },
        Sort::Char => Ok(match text {
            [b'\'', byte, b'\''] => Some(Value::Char(*byte)),
            _ => None,
        }),
        Sort::String => Ok(Some(Value::Text(unquoted(text).into()))),
        Sort::Named(_) => Ok(Some(Value::Text(normal(text).into()))),
    }
}

/// Whether the text of an offer is this value, which has this sort (`!e` of a pattern).
///
/// Numbers are compared as numbers, however they are spelt: 3 is `3`, `+3`, `03` and
/// `3.0`. Other sorts as [`read`] says.
pub fn equals(text: &[u8], value: &Value, sort: &Sort) -> bool {
    match sort {
        Sort::Pos | Sort::Nat | Sort::Int | Sort::Real => is_number(text, value),
        Sort::Bool | Sort::Char | Sort::String | Sort::Named(_) => {
            // Only numbers can be too large.
            read(text, sort).is_ok_and(|read| read.as_ref() == Some(value))
        }
    }
}

/// Whether the text of an argument of a label of mCRL2 is this value: compared as
/// numbers, as Booleans, or as texts in [`normal`] form.
pub fn is_argument(text: &[u8], value: &Value) -> bool {
    match value {
        Value::Bool(value) => boolean(text) == Some(*value),
        Value::Int(_) | Value::Real(_) => is_number(text, value),
        Value::Char(_) => text == self::text(value),
        Value::Text(value) => normal(text) == normal(value),
    }
}

/// Whether the text spells this number.
fn is_number(text: &[u8], value: &Value) -> bool {
    match value {
        Value::Int(value) => {
            // `3.0` is an integer whatever its length.
            let whole = match text.iter().position(|&b| b == b'.') {
                Some(point)
                    if text.len() > point + 1 && text[point + 1..].iter().all(|&b| b == b'0') =>
                {
                    &text[..point]
                }
                _ => text,
            };
            match integer(whole) {
                Some(Integer { negative, digits }) => number(negative, digits) == Some(*value),
                None => real(text).is_some_and(|real| compare(*value, real) == Ordering::Equal),
            }
        }
        Value::Real(value) => real(text).is_some_and(|real| real == value.get()),
        Value::Bool(_) | Value::Char(_) | Value::Text(_) => false,
    }
}

/// A text of an argument in the form in which they are compared: without blanks around
/// it, and with one blank after each comma outside double quotes.
pub fn normal(text: &[u8]) -> Cow<'_, [u8]> {
    let text = text.trim_ascii();
    let is_normal = |(k, &b): (usize, &u8)| {
        b != b'"'
            && (b != b','
                || text.get(k + 1) == Some(&b' ')
                    && text.get(k + 2).is_some_and(|b| !b.is_ascii_whitespace()))
    };
    if text.iter().enumerate().all(is_normal) {
        return Cow::Borrowed(text);
    }
    let mut made = Vec::with_capacity(text.len() + 1);
    let (mut quoted, mut rest) = (false, text);
    while let [first, behind @ ..] = rest {
        made.push(*first);
        rest = behind;
        match first {
            b'"' => quoted = !quoted,
            b'\\' if quoted => {
                if let [escaped, behind @ ..] = rest {
                    made.push(*escaped);
                    rest = behind;
                }
            }
            b',' if !quoted => {
                made.push(b' ');
                rest = rest.trim_ascii_start();
            }
            _ => {}
        }
    }
    Cow::Owned(made)
}

/// Without one pair of double quotes around it.
pub fn unquoted(text: &[u8]) -> &[u8] {
    match text {
        [b'"', inner @ .., b'"'] => inner,
        _ => text,
    }
}

fn boolean(text: &[u8]) -> Option<bool> {
    match text {
        b"TRUE" | b"true" => Some(true),
        b"FALSE" | b"false" => Some(false),
        _ => None,
    }
}

/// An integer as it is spelt.
struct Integer<'a> {
    negative: bool,
    digits: &'a [u8],
}

/// `[+-]?[0-9]+`
fn integer(text: &[u8]) -> Option<Integer<'_>> {
    let (negative, digits) = signed(text);
    let is_one = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_one.then_some(Integer { negative, digits })
}

/// Whether there is a minus, and what follows the sign.
fn signed(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// The number of these digits; `None` if it has more than 64 bits.
pub(crate) fn number(negative: bool, digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0i64, |number, digit| {
        let digit = i64::from(digit - b'0');
        let shifted = number.checked_mul(10)?;
        if negative {
            shifted.checked_sub(digit)
        } else {
            shifted.checked_add(digit)
        }
    })
}

/// `[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`, perhaps infinite.
fn real(text: &[u8]) -> Option<f64> {
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (_, mut rest) = signed(text);
    let whole = digits(rest);
    rest = &rest[whole..];
    let mut is_one = whole > 0;
    if let [b'.', fraction @ ..] = rest {
        let count = digits(fraction);
        is_one &= count > 0;
        rest = &fraction[count..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let (_, exponent) = signed(exponent);
        let count = digits(exponent);
        is_one &= count > 0;
        rest = &exponent[count..];
    }
    if !is_one || !rest.is_empty() {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// An integer beside a real that is a number, without rounding.
fn compare(integer: i64, real: f64) -> Ordering {
    // Both bounds are doubles: all reals between them have an integral part of 64 bits.
    if real >= 9_223_372_036_854_775_808.0 {
        return Ordering::Less;
    }
    if real < -9_223_372_036_854_775_808.0 {
        return Ordering::Greater;
    }
    let whole = real.trunc();
    let fraction = real - whole;
    integer.cmp(&(whole as i64)).then(if fraction > 0.0 {
        Ordering::Less
    } else if fraction < 0.0 {
        Ordering::Greater
    } else {
        Ordering::Equal
    })
}

/// How two values of comparable types are ordered.
fn order(first: &Value, second: &Value) -> Option<Ordering> {
    match (first, second) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Real(b)) => Some(compare(*a, b.get())),
        (Value::Real(a), Value::Int(b)) => Some(compare(*b, a.get()).reverse()),
        (Value::Real(a), Value::Real(b)) => Some(a.cmp(b)),
        (Value::Char(a), Value::Char(b)) => Some(a.cmp(b)),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (
            Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) | Value::Text(_),
            Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) | Value::Text(_),
        ) => None,
    }
}

/// What is told of operands whose types do not fit, which parsers refuse.
fn misfit(function: &Function, values: &[Value]) -> String {
    let values: Vec<_> = values.iter().map(shown).collect();
    format!("{function:?} cannot be applied to ({})", values.join(", "))
}

const TOO_LARGE: &str = "the result is no integer of 64 bits";

fn whole(number: Option<i64>) -> Result<Value, String> {
    number.map(Value::Int).ok_or_else(|| TOO_LARGE.to_owned())
}

fn fraction(number: f64) -> Result<Value, String> {
    match Real::new(number).filter(|number| number.get().is_finite()) {
        Some(number) => Ok(Value::Real(number)),
        None => Err("the result is no finite number".to_owned()),
    }
}

/// The result of a function that looks at all of its operands.
fn apply(function: &Function, values: &[Value]) -> Result<Value, String> {
    match function {
        // Decided by some of their operands: see `evaluate`.
        Function::And | Function::Or | Function::Implies | Function::If => {
            Err(misfit(function, values))
        }
        Function::Not => match values {
            [Value::Bool(value)] => Ok(Value::Bool(!value)),
            _ => Err(misfit(function, values)),
        },
        Function::Equal
        | Function::NotEqual
        | Function::Less
        | Function::LessOrEqual
        | Function::Greater
        | Function::GreaterOrEqual => comparison(function, values),
        Function::Add
        | Function::Subtract
        | Function::SubtractNatural
        | Function::Multiply
        | Function::Divide
        | Function::Remainder
        | Function::DivideFloor
        | Function::Modulo => arithmetic(function, values),
        Function::Negate
        | Function::Successor
        | Function::Predecessor
        | Function::PredecessorNatural
        | Function::Absolute
        | Function::CheckNat
        | Function::CheckPos => unary(function, values),
        Function::Minimum | Function::Maximum => match values {
            [first, second] => match order(first, second) {
                Some(order) => {
                    let is_second = match function {
                        Function::Minimum => order.is_gt(),
                        _ => order.is_lt(),
                    };
                    Ok(if is_second { second } else { first }.clone())
                }
                None => Err(misfit(function, values)),
            },
            _ => Err(misfit(function, values)),
        },
        Function::ToString | Function::ToNat | Function::ToInt | Function::ToReal => {
            conversion(function, values)
        }
        Function::Concatenate
        | Function::Length
        | Function::Index
        | Function::LastIndex
        | Function::Prefix
        | Function::Suffix
        | Function::Substring
        | Function::Nth => of_texts(function, values),
        Function::Construct(name) => {
            let mut made = name.as_bytes().to_vec();
            if !values.is_empty() {
                let values: Vec<_> = values.iter().map(text).collect();
                made.push(b'(');
                made.extend(values.join(&b", "[..]));
                made.push(b')');
            }
            Ok(Value::Text(made.into()))
        }
    }
}

fn comparison(function: &Function, values: &[Value]) -> Result<Value, String> {
    let order = match values {
        [Value::Bool(a), Value::Bool(b)]
            if matches!(function, Function::Equal | Function::NotEqual) =>
        {
            Some(a.cmp(b))
        }
        [first, second] => order(first, second),
        _ => None,
    };
    let Some(order) = order else {
        return Err(misfit(function, values));
    };
    Ok(Value::Bool(match function {
        Function::Equal => order.is_eq(),
        Function::NotEqual => order.is_ne(),
        Function::Less => order.is_lt(),
        Function::LessOrEqual => order.is_le(),
        Function::Greater => order.is_gt(),
        Function::GreaterOrEqual => order.is_ge(),
        _ => return Err(misfit(function, values)),
    }))
}

fn arithmetic(function: &Function, values: &[Value]) -> Result<Value, String> {
    let divides = matches!(
        function,
        Function::Divide | Function::Remainder | Function::DivideFloor | Function::Modulo
    );
    match values {
        [Value::Int(a), Value::Int(b)] => {
            let (a, b) = (*a, *b);
            if divides && b == 0 {
                return Err(format!("{a} is divided by 0"));
            }
            match function {
                Function::Add => whole(a.checked_add(b)),
                Function::Subtract => whole(a.checked_sub(b)),
                Function::SubtractNatural if a < b => Err(format!(
                    "{a} - {b} is below 0, and both are naturals; write int ({a}) - int ({b}) if that is meant"
                )),
                Function::SubtractNatural => whole(a.checked_sub(b)),
                Function::Multiply => whole(a.checked_mul(b)),
                Function::Divide => whole(a.checked_div(b)),
                // It overflows for -1 only, and then is 0.
                Function::Remainder => Ok(Value::Int(a.wrapping_rem(b))),
                Function::DivideFloor => {
                    let quotient = a.checked_div(b);
                    let below = a.wrapping_rem(b) != 0 && (a < 0) != (b < 0);
                    whole(quotient.map(|quotient| quotient - i64::from(below)))
                }
                Function::Modulo => {
                    let rest = a.wrapping_rem(b);
                    let other_sign = rest != 0 && (rest < 0) != (b < 0);
                    Ok(Value::Int(if other_sign { rest + b } else { rest }))
                }
                _ => Err(misfit(function, values)),
            }
        }
        [Value::Real(a), Value::Real(b)] => {
            let (a, b) = (a.get(), b.get());
            if divides && b == 0.0 {
                return Err(format!("{a:?} is divided by 0"));
            }
            match function {
                Function::Add => fraction(a + b),
                Function::Subtract => fraction(a - b),
                Function::Multiply => fraction(a * b),
                Function::Divide => fraction(a / b),
                Function::Remainder => fraction(a % b),
                // Of integers only.
                Function::SubtractNatural | Function::DivideFloor | Function::Modulo => {
                    Err(misfit(function, values))
                }
                _ => Err(misfit(function, values)),
            }
        }
        _ => Err(misfit(function, values)),
    }
}

fn unary(function: &Function, values: &[Value]) -> Result<Value, String> {
    match values {
        [Value::Int(a)] => {
            let a = *a;
            match function {
                Function::Negate => whole(a.checked_neg()),
                Function::Successor => whole(a.checked_add(1)),
                Function::Predecessor => whole(a.checked_sub(1)),
                Function::PredecessorNatural if a <= 0 => {
                    Err(format!("the natural {a} has no predecessor"))
                }
                Function::PredecessorNatural => whole(a.checked_sub(1)),
                Function::Absolute => whole(a.checked_abs()),
                Function::CheckNat if a < 0 => Err(format!("{a} is no natural: it is below 0")),
                Function::CheckPos if a < 1 => Err(format!("{a} is no Pos: it is below 1")),
                Function::CheckNat | Function::CheckPos => Ok(Value::Int(a)),
                _ => Err(misfit(function, values)),
            }
        }
        [Value::Real(a)] => match function {
            Function::Negate => fraction(-a.get()),
            Function::Successor => fraction(a.get() + 1.0),
            Function::Predecessor => fraction(a.get() - 1.0),
            Function::Absolute => fraction(a.get().abs()),
            // Of integers only.
            Function::PredecessorNatural | Function::CheckNat | Function::CheckPos => {
                Err(misfit(function, values))
            }
            _ => Err(misfit(function, values)),
        },
        _ => Err(misfit(function, values)),
    }
}

fn conversion(function: &Function, values: &[Value]) -> Result<Value, String> {
    let [value] = values else {
        return Err(misfit(function, values));
    };
    if *function == Function::ToString {
        return Ok(Value::Text(match value {
            Value::Char(byte) => Box::new([*byte]),
            Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Text(_) => text(value).into(),
        }));
    }
    let no_number = || Err(format!("{} is no number", shown(value)));
    let value = match value {
        Value::Text(text) => {
            let read = match read(text, &Sort::Int) {
                // An integer may be too large for 64 bits, but not for a double.
                Err(error) if *function != Function::ToReal => return Err(error.to_string()),
                Ok(Some(value)) => Some(value),
                Ok(None) | Err(_) => read(text, &Sort::Real).map_err(|e| e.to_string())?,
            };
            match read {
                Some(value) => value,
                None => return no_number(),
            }
        }
        Value::Int(_) | Value::Real(_) => value.clone(),
        Value::Bool(_) | Value::Char(_) => return no_number(),
    };
    if *function == Function::ToReal {
        return match value {
            Value::Int(number) => fraction(number as f64),
            other @ (Value::Bool(_) | Value::Real(_) | Value::Char(_) | Value::Text(_)) => {
                Ok(other)
            }
        };
    }
    let number = match value {
        Value::Int(number) => number,
        Value::Real(number) => {
            let number = number.get().trunc();
            // The bounds are doubles.
            if !(-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number) {
                return Err(TOO_LARGE.to_owned());
            }
            number as i64
        }
        Value::Bool(_) | Value::Char(_) | Value::Text(_) => return no_number(),
    };
    match function {
        Function::ToNat if number < 0 => Err(format!("{number} is no natural: it is below 0")),
        Function::ToNat | Function::ToInt => Ok(Value::Int(number)),
        _ => Err(misfit(function, values)),
    }
}

fn of_texts(function: &Function, values: &[Value]) -> Result<Value, String> {
    // A number of bytes; more than there can be is all of them.
    let count = |number: i64| match usize::try_from(number) {
        Ok(count) => Ok(count),
        Err(_) if number < 0 => Err(format!("expected a number of bytes, found {number}")),
        Err(_) => Ok(usize::MAX),
    };
    let length = |length: usize| Value::Int(i64::try_from(length).unwrap_or(i64::MAX));
    match (function, values) {
        (Function::Concatenate, [Value::Text(a), Value::Text(b)]) => {
            Ok(Value::Text([&**a, &**b].concat().into()))
        }
        (Function::Length, [Value::Text(text)]) => Ok(length(text.len())),
        (Function::Index | Function::LastIndex, [Value::Text(text), Value::Text(part)]) => {
            let mut starts = 0..(text.len() + 1).saturating_sub(part.len());
            let is_there = |&start: &usize| text[start..].starts_with(part);
            let found = match function {
                Function::Index => starts.find(is_there),
                _ => starts.rev().find(is_there),
            };
            Ok(length(found.map_or(0, |start| start + 1)))
        }
        (Function::Prefix, [Value::Text(text), Value::Int(number)]) => {
            let count = count(*number)?.min(text.len());
            Ok(Value::Text(text[..count].into()))
        }
        (Function::Suffix, [Value::Text(text), Value::Int(number)]) => {
            let count = count(*number)?.min(text.len());
            Ok(Value::Text(text[text.len() - count..].into()))
        }
        (Function::Substring, [Value::Text(text), Value::Int(from), Value::Int(number)]) => {
            let count = count(*number)?;
            let part = usize::try_from(*from)
                .ok()
                .and_then(|from| from.checked_sub(1))
                .and_then(|start| text.get(start..start.checked_add(count)?));
            match part {
                Some(part) => Ok(Value::Text(part.into())),
                None => Err(format!(
                    "{} has no {number} bytes from place {from} on (places count from 1)",
                    shown(&values[0])
                )),
            }
        }
        (Function::Nth, [Value::Text(text), Value::Int(place)]) => {
            let byte = usize::try_from(*place)
                .ok()
                .and_then(|place| text.get(place.checked_sub(1)?));
            match byte {
                Some(byte) => Ok(Value::Char(*byte)),
                None => Err(format!(
                    "{} has no character {place} (the first is 1)",
                    shown(&values[0])
                )),
            }
        }
        _ => Err(misfit(function, values)),
    }
}

#[cfg(test)]
mod tests;
