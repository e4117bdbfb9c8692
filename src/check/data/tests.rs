use super::*;

fn int(number: i64) -> Value {
    Value::Int(number)
}

fn real(number: f64) -> Value {
    Value::Real(Real::new(number).unwrap())
}

fn string(text: &str) -> Value {
    Value::Text(text.as_bytes().into())
}

const HERE: Place = Place { line: 2, column: 3 };

fn applied(function: Function, operands: Vec<Value>) -> Expression {
    let operands = operands.into_iter().map(Expression::Constant).collect();
    Expression::Apply(function, operands, HERE)
}

/// The result, or what the error says.
fn result(function: Function, operands: Vec<Value>) -> Result<Value, String> {
    let none: &[Value] = &[];
    evaluate(&applied(function, operands), none).map_err(|error| {
        assert_eq!(error.place, HERE);
        error.message
    })
}

#[track_caller]
fn fails(function: Function, operands: Vec<Value>, part: &str) {
    let error = result(function, operands).unwrap_err();
    assert!(error.contains(part), "{error}");
}

#[test]
fn arithmetic() {
    use Function::*;
    const MIN: i64 = i64::MIN;
    const MAX: i64 = i64::MAX;
    for (function, a, b, expected) in [
        (Add, 2, 3, Some(5)),
        (Add, MAX, 1, None),
        (Subtract, 2, 3, Some(-1)),
        (Subtract, MIN, 1, None),
        (SubtractNatural, 3, 3, Some(0)),
        (SubtractNatural, 2, 3, None),
        (Multiply, -2, 3, Some(-6)),
        (Multiply, MAX, 2, None),
        (Divide, 7, 2, Some(3)),
        (Divide, -7, 2, Some(-3)),
        (Divide, 7, 0, None),
        (Divide, MIN, -1, None),
        (Remainder, 7, 2, Some(1)),
        (Remainder, -7, 2, Some(-1)),
        (Remainder, 7, -2, Some(1)),
        (Remainder, MIN, -1, Some(0)),
        (Remainder, 1, 0, None),
        (DivideFloor, 7, 2, Some(3)),
        (DivideFloor, -7, 2, Some(-4)),
        (DivideFloor, 7, -2, Some(-4)),
        (DivideFloor, -8, 2, Some(-4)),
        (DivideFloor, MIN, -1, None),
        (DivideFloor, 1, 0, None),
        (Modulo, 7, 2, Some(1)),
        (Modulo, -7, 2, Some(1)),
        (Modulo, -8, 2, Some(0)),
        (Modulo, MIN, MAX, Some(MAX - 1)),
        (Modulo, MIN, -1, Some(0)),
        (Modulo, 1, 0, None),
        (Minimum, 3, 2, Some(2)),
        (Maximum, 3, 2, Some(3)),
    ] {
        let found = result(function.clone(), vec![int(a), int(b)]);
        assert_eq!(
            found.clone().ok(),
            expected.map(int),
            "{function:?} {a} {b}: {found:?}"
        );
    }
    for (function, a, expected) in [
        (Negate, 3, Some(-3)),
        (Negate, MIN, None),
        (Successor, 3, Some(4)),
        (Successor, MAX, None),
        (Predecessor, 0, Some(-1)),
        (Predecessor, MIN, None),
        (PredecessorNatural, 1, Some(0)),
        (PredecessorNatural, 0, None),
        (Absolute, -3, Some(3)),
        (Absolute, MIN, None),
        (CheckNat, 0, Some(0)),
        (CheckNat, -1, None),
        (CheckPos, 1, Some(1)),
        (CheckPos, 0, None),
    ] {
        let found = result(function.clone(), vec![int(a)]);
        assert_eq!(
            found.clone().ok(),
            expected.map(int),
            "{function:?} {a}: {found:?}"
        );
    }
    assert_eq!(result(Add, vec![real(0.5), real(1.0)]), Ok(real(1.5)));
    assert_eq!(result(Divide, vec![real(1.0), real(4.0)]), Ok(real(0.25)));
    assert_eq!(
        result(Remainder, vec![real(-7.5), real(2.0)]),
        Ok(real(-1.5))
    );
    assert_eq!(result(Negate, vec![real(0.0)]), Ok(real(0.0)));
    fails(Divide, vec![real(1.0), real(0.0)], "divided by 0");
    fails(Multiply, vec![real(1e300), real(1e300)], "no finite number");
    fails(Add, vec![int(1), string("a")], "cannot be applied");
}

#[test]
fn comparisons() {
    use Function::*;
    let large = i64::MAX;
    for (a, b, expected) in [
        (int(2), int(3), Ordering::Less),
        (int(3), real(3.0), Ordering::Equal),
        (int(3), real(3.5), Ordering::Less),
        (int(-3), real(-3.5), Ordering::Greater),
        // This double is 2^63.
        (int(large), real(large as f64), Ordering::Less),
        (int(i64::MIN), real(i64::MIN as f64), Ordering::Equal),
        (int(i64::MIN), real(-1e300), Ordering::Greater),
        (real(0.5), int(1), Ordering::Less),
        (real(-0.0), real(0.0), Ordering::Equal),
        (string("a"), string("ab"), Ordering::Less),
        (Value::Char(b'b'), Value::Char(b'a'), Ordering::Greater),
    ] {
        for (function, expected) in [
            (Equal, expected.is_eq()),
            (NotEqual, expected.is_ne()),
            (Less, expected.is_lt()),
            (LessOrEqual, expected.is_le()),
            (Greater, expected.is_gt()),
            (GreaterOrEqual, expected.is_ge()),
        ] {
            let found = result(function.clone(), vec![a.clone(), b.clone()]);
            assert_eq!(found, Ok(Value::Bool(expected)), "{a:?} {function:?} {b:?}");
        }
    }
    let bools = |a, b| vec![Value::Bool(a), Value::Bool(b)];
    assert_eq!(result(Equal, bools(true, true)), Ok(Value::Bool(true)));
    assert_eq!(result(NotEqual, bools(true, false)), Ok(Value::Bool(true)));
    fails(Less, bools(true, false), "cannot be applied");
    fails(Equal, vec![int(1), string("1")], "cannot be applied");
}

#[test]
fn what_decides_ends_the_evaluation() {
    use Function::*;
    let yes = || Expression::Constant(Value::Bool(true));
    let no = || Expression::Constant(Value::Bool(false));
    let fails = || applied(Divide, vec![int(1), int(0)]);
    let none: &[Value] = &[];
    let value = |function, operands| {
        evaluate(&Expression::Apply(function, operands, HERE), none).map_err(|e| e.message)
    };
    let is = |b| Ok(Value::Bool(b));
    assert_eq!(value(And, vec![yes(), no(), fails()]), is(false));
    assert_eq!(value(Or, vec![no(), yes(), fails()]), is(true));
    assert_eq!(value(And, vec![yes(), yes()]), is(true));
    assert_eq!(value(Or, vec![no(), no()]), is(false));
    assert_eq!(value(Implies, vec![no(), fails()]), is(true));
    assert_eq!(value(Implies, vec![yes(), no()]), is(false));
    assert_eq!(value(If, vec![no(), fails(), yes()]), is(true));
    assert_eq!(value(If, vec![yes(), no(), fails()]), is(false));
    assert_eq!(value(Not, vec![yes()]), is(false));
    for (function, operands) in [
        (And, vec![yes(), fails()]),
        (Or, vec![fails(), yes()]),
        (Implies, vec![yes(), fails()]),
        (If, vec![fails(), yes(), yes()]),
    ] {
        let error = value(function, operands).unwrap_err();
        assert!(error.contains("divided by 0"), "{error}");
    }
    let error = value(And, vec![Expression::Constant(int(3)), yes()]).unwrap_err();
    assert_eq!(error, "expected a Boolean, found 3");
}

#[test]
fn conversions() {
    use Function::*;
    assert_eq!(result(ToString, vec![int(-3)]), Ok(string("-3")));
    assert_eq!(result(ToString, vec![real(3.0)]), Ok(string("3.0")));
    assert_eq!(result(ToString, vec![Value::Char(b'a')]), Ok(string("a")));
    assert_eq!(
        result(ToString, vec![Value::Bool(true)]),
        Ok(string("true"))
    );
    assert_eq!(result(ToNat, vec![string("+12")]), Ok(int(12)));
    assert_eq!(result(ToNat, vec![real(3.75)]), Ok(int(3)));
    assert_eq!(result(ToInt, vec![real(-3.75)]), Ok(int(-3)));
    assert_eq!(result(ToInt, vec![string("-2.5e1")]), Ok(int(-25)));
    assert_eq!(result(ToReal, vec![string("-2.5e1")]), Ok(real(-25.0)));
    assert_eq!(result(ToReal, vec![int(4)]), Ok(real(4.0)));
    assert_eq!(
        result(ToReal, vec![string("10000000000000000000")]),
        Ok(real(1e19))
    );
    fails(ToNat, vec![int(-1)], "below 0");
    fails(ToNat, vec![string("-1")], "below 0");
    fails(ToInt, vec![string("12x")], "\"12x\" is no number");
    fails(ToInt, vec![string("")], "is no number");
    fails(ToInt, vec![string("9223372036854775808")], "too large");
    fails(ToInt, vec![real(1e19)], "64 bits");
    fails(ToReal, vec![string("1e999")], "too large");
    fails(ToNat, vec![Value::Bool(true)], "is no number");
}

#[test]
fn texts() {
    use Function::*;
    let abcab = || string("abcab");
    assert_eq!(
        result(Concatenate, vec![string("a"), string("bc")]),
        Ok(string("abc"))
    );
    assert_eq!(result(Length, vec![abcab()]), Ok(int(5)));
    for (part, first, last) in [("ab", 1, 4), ("c", 3, 3), ("x", 0, 0), ("abcabc", 0, 0)] {
        let of = |function| result(function, vec![abcab(), string(part)]);
        assert_eq!((of(Index), of(LastIndex)), (Ok(int(first)), Ok(int(last))));
    }
    assert_eq!(result(Index, vec![abcab(), string("")]), Ok(int(1)));
    assert_eq!(result(LastIndex, vec![abcab(), string("")]), Ok(int(6)));
    assert_eq!(result(Prefix, vec![abcab(), int(2)]), Ok(string("ab")));
    assert_eq!(
        result(Prefix, vec![abcab(), int(i64::MAX)]),
        Ok(string("abcab"))
    );
    assert_eq!(result(Suffix, vec![abcab(), int(3)]), Ok(string("cab")));
    assert_eq!(result(Suffix, vec![abcab(), int(0)]), Ok(string("")));
    assert_eq!(
        result(Substring, vec![abcab(), int(2), int(3)]),
        Ok(string("bca"))
    );
    assert_eq!(
        result(Substring, vec![abcab(), int(6), int(0)]),
        Ok(string(""))
    );
    assert_eq!(result(Nth, vec![abcab(), int(3)]), Ok(Value::Char(b'c')));
    fails(Prefix, vec![abcab(), int(-1)], "found -1");
    for (from, number) in [(0, 1), (-1, 1), (5, 2), (7, 0), (1, i64::MAX)] {
        fails(
            Substring,
            vec![abcab(), int(from), int(number)],
            "places count from 1",
        );
    }
    fails(Substring, vec![abcab(), int(1), int(-1)], "number of bytes");
    fails(Nth, vec![abcab(), int(0)], "the first is 1");
    fails(Nth, vec![abcab(), int(6)], "the first is 1");
    assert_eq!(
        result(Construct("f".into()), vec![int(1), string("g(a, b)")]),
        Ok(string("f(1, g(a, b))"))
    );
    assert_eq!(result(Construct("c".into()), vec![]), Ok(string("c")));
}

#[test]
fn offers_as_values() {
    let read = |text: &str, sort| read(text.as_bytes(), &sort).map_err(|e| e.to_string());
    for (text, sort, expected) in [
        ("3", Sort::Nat, Some(int(3))),
        ("003", Sort::Nat, Some(int(3))),
        ("+3", Sort::Nat, None),
        ("-3", Sort::Nat, None),
        ("", Sort::Nat, None),
        (" 3", Sort::Nat, None),
        ("3.0", Sort::Nat, None),
        ("0", Sort::Pos, None),
        ("1", Sort::Pos, Some(int(1))),
        ("+3", Sort::Int, Some(int(3))),
        ("-9223372036854775808", Sort::Int, Some(int(i64::MIN))),
        ("--3", Sort::Int, None),
        ("-", Sort::Int, None),
        ("3", Sort::Real, Some(real(3.0))),
        ("-3.5e-1", Sort::Real, Some(real(-0.35))),
        ("-0.0", Sort::Real, Some(real(0.0))),
        ("3.", Sort::Real, None),
        (".5", Sort::Real, None),
        ("3e", Sort::Real, None),
        ("inf", Sort::Real, None),
        ("nan", Sort::Real, None),
        ("TRUE", Sort::Bool, Some(Value::Bool(true))),
        ("false", Sort::Bool, Some(Value::Bool(false))),
        ("True", Sort::Bool, None),
        ("'a'", Sort::Char, Some(Value::Char(b'a'))),
        ("'''", Sort::Char, Some(Value::Char(b'\''))),
        ("a", Sort::Char, None),
        ("''", Sort::Char, None),
        ("a b", Sort::String, Some(string("a b"))),
        ("\"a\"", Sort::String, Some(string("a"))),
        ("\"\"a\"\"", Sort::String, Some(string("\"a\""))),
        ("\"", Sort::String, Some(string("\""))),
        ("f(a,b)", Sort::Named("D".into()), Some(string("f(a, b)"))),
    ] {
        assert_eq!(read(text, sort.clone()), Ok(expected), "{text} as {sort:?}");
    }
    for (text, sort) in [
        ("9223372036854775808", Sort::Nat),
        ("-9223372036854775809", Sort::Int),
        ("1e999", Sort::Real),
    ] {
        let error = read(text, sort).unwrap_err();
        assert!(
            error.contains(text) && error.contains("too large"),
            "{error}"
        );
    }
}

#[test]
fn values_of_labels_are_compared_as_their_sort() {
    for (text, value, sort, expected) in [
        ("3", int(3), Sort::Nat, true),
        ("+3", int(3), Sort::Nat, true),
        ("3.0", int(3), Sort::Nat, true),
        ("3e0", int(3), Sort::Int, true),
        ("30e-1", int(3), Sort::Int, true),
        ("3.5", int(3), Sort::Int, false),
        ("-3", int(3), Sort::Int, false),
        (
            "9007199254740993.0",
            int(9_007_199_254_740_993),
            Sort::Nat,
            true,
        ),
        (
            "9007199254740992.0",
            int(9_007_199_254_740_993),
            Sort::Nat,
            false,
        ),
        ("99999999999999999999", int(3), Sort::Nat, false),
        ("9223372036854775808", int(i64::MAX), Sort::Nat, false),
        ("x", int(3), Sort::Nat, false),
        ("3", real(3.0), Sort::Real, true),
        ("3.5", real(3.5), Sort::Real, true),
        ("TRUE", Value::Bool(true), Sort::Bool, true),
        ("false", Value::Bool(true), Sort::Bool, false),
        ("\"a\"", string("a"), Sort::String, true),
        ("a", string("a"), Sort::String, true),
        ("A", string("a"), Sort::String, false),
        ("a,b", string("a, b"), Sort::String, false),
        ("f(a,  b)", string("f(a, b)"), Sort::Named("D".into()), true),
        ("'a'", Value::Char(b'a'), Sort::Char, true),
    ] {
        let found = equals(text.as_bytes(), &value, &sort);
        assert_eq!(found, expected, "{text} {value:?} {sort:?}");
    }
    for (text, value, expected) in [
        ("true", Value::Bool(true), true),
        ("03", int(3), true),
        ("f(1,c)", string("f(1, c)"), true),
        ("f(1, c)", string("f(1,c)"), true),
        ("f(\"1,c\")", string("f(\"1, c\")"), false),
        ("\"d\"", string("d"), false),
        ("3", string("3"), true),
        ("'a'", Value::Char(b'a'), true),
    ] {
        let found = is_argument(text.as_bytes(), &value);
        assert_eq!(found, expected, "{text} {value:?}");
    }
}

#[test]
fn normal_forms() {
    for (text, expected) in [
        ("", ""),
        (" a ", "a"),
        ("f(a,b)", "f(a, b)"),
        ("f(a, b)", "f(a, b)"),
        ("f(a,\t b , c)", "f(a, b , c)"),
        ("f(\"a,b\",c)", "f(\"a,b\", c)"),
        ("f(\"a\\\",b\",c)", "f(\"a\\\",b\", c)"),
        ("\"a\\", "\"a\\"),
        ("a,", "a, "),
    ] {
        let once = normal(text.as_bytes()).into_owned();
        assert_eq!(once, expected.as_bytes(), "{text}");
        assert_eq!(&*normal(&once), once, "{text}");
    }
}

#[test]
fn texts_of_values_are_read_again() {
    for (value, sort) in [
        (int(-3), Sort::Int),
        (real(1e300), Sort::Real),
        (real(1e-7), Sort::Real),
        (real(0.1), Sort::Real),
        (Value::Bool(false), Sort::Bool),
        (Value::Char(b'x'), Sort::Char),
        (string("a b"), Sort::String),
        (string("f(a, b)"), Sort::Named("D".into())),
    ] {
        assert_eq!(read(&text(&value), &sort), Ok(Some(value)));
    }
}

#[test]
fn domains() {
    let scope: &[Value] = &[int(2)];
    let constant = |value| Expression::Constant(value);
    let variable = || Expression::Variable(VariableId(0));
    let range = |a, b| Domain::Range(Box::new([a, b]));
    let values = |d: &Domain| domain(d, scope).map_err(|e| e.message);
    assert_eq!(
        values(&Domain::Booleans),
        Ok(vec![Value::Bool(false), Value::Bool(true)])
    );
    assert_eq!(
        values(&range(constant(int(0)), variable())),
        Ok(vec![int(0), int(1), int(2)])
    );
    assert_eq!(
        values(&range(constant(int(3)), variable())),
        Ok(Vec::new()),
        "{{ 3 ... 2 }}"
    );
    assert_eq!(
        values(&range(constant(int(i64::MAX)), constant(int(i64::MAX)))),
        Ok(vec![int(i64::MAX)])
    );
    assert_eq!(
        values(&Domain::Values(vec![
            constant(int(3)),
            variable(),
            constant(int(3))
        ])),
        Ok(vec![int(3), int(2)])
    );
    let all = range(constant(int(i64::MIN)), constant(int(i64::MAX)));
    assert!(values(&all).unwrap_err().contains("more than 10000000"));
    let odd = range(constant(string("a")), variable());
    assert!(values(&odd).unwrap_err().contains("from \"a\" to 2"));
    let failing = applied(Function::Divide, vec![int(1), int(0)]);
    let error = domain(&range(variable(), failing), scope).unwrap_err();
    assert_eq!(error.to_string(), "2:3: 1 is divided by 0");
    let error = values(&Domain::Occurring).unwrap_err();
    assert!(error.contains("internal error"), "{error}");
}

#[test]
fn deep_expressions_fit_a_small_stack() {
    let mut expression = Expression::Variable(VariableId(0));
    for _ in 0..crate::syntax::MAX_DEPTH {
        let zero = Expression::Constant(int(0));
        expression = Expression::Apply(
            Function::If,
            vec![
                Expression::Constant(Value::Bool(true)),
                Expression::Apply(Function::Successor, vec![expression], HERE),
                zero,
            ],
            HERE,
        );
    }
    let run = move || evaluate(&expression, &[int(0)][..]);
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
    let found = thread.unwrap().join().unwrap();
    assert_eq!(found, Ok(int(crate::syntax::MAX_DEPTH as i64)));
}
