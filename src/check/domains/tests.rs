use super::*;
use crate::syntax::StateFormula;
use crate::{CheckOptions, Verdict, check_lts};
use hyades_formats::Lts;

fn property(text: &str) -> Property {
    let parsed = crate::mcf::parse(text.as_bytes(), "f.mcf");
    parsed.unwrap_or_else(|e| panic!("{text}: {e}")).property
}

/// The domain of the first quantifier.
fn domain(text: &str, lts: &Lts) -> (String, Vec<Remark>) {
    let mut property = property(text);
    let remarks = replace(&mut property, Some(lts.table()), &Given::new()).unwrap();
    let StateFormula::Quantified(_, _, domain, _) = &property.formula else {
        panic!("{text} begins with no quantifier");
    };
    assert!(!matches!(domain, Domain::Occurring));
    let values = crate::data::domain(domain, &[][..]).unwrap();
    let texts = values.iter().map(crate::data::text);
    let texts: Vec<String> = texts.map(|t| String::from_utf8(t).unwrap()).collect();
    (texts.join(" "), remarks)
}

#[test]
fn domains_are_what_occurs() {
    let lts = hyades_testing::lts(&[
        (0, "a(3)", 0),
        (0, "a(7, 2)", 0),
        (0, "b(-2)|c(x)", 0),
        (0, "d(f(y, 4))", 0),
        (0, "c(g(1,2))", 0),
    ]);
    let none = || vec![];
    for (text, expected, remarks) in [
        ("forall n: Nat. <a(n)>true", "0 1 2 3 4", none()),
        ("forall n: Pos. <a(n)>true", "1 2 3 4", none()),
        ("forall n, m: Nat. <a(n)>true", "0 1 2 3 4 5", none()),
        ("forall n: Nat. <a(n, 1)>true", "0 1 2 3 4 5 6 7 8", none()),
        ("forall n: Nat. <a(1, n)>true", "0 1 2 3", none()),
        ("forall n: Nat. <z(n)>true", "0 1", none()),
        (
            "forall n: Nat. val(n <= 2) => <z(n)>true",
            "0 1 2 3",
            none(),
        ),
        ("forall n: Int. <b(n)>true", "-3 -2 -1", none()),
        ("forall n: Int. <b(n)>val(n == 0)", "-3 -2 -1 0 1", none()),
        (
            "forall n: Nat. <a(n + 1)>true",
            "0 1 2 3 4",
            vec![Remark::Approximate(VariableId(0))],
        ),
        ("forall n: Nat. <d(f(y, n))>true", "0 1 2 3 4 5", none()),
        ("forall n: Nat. <d(g(y, n))>true", "0 1", none()),
        ("forall x: D. <c(x)>true", "g(1, 2) x", none()),
        ("forall x: D. <d(f(x, 1))>true", "y", none()),
        (
            "forall x: D. <z(x)>true",
            "",
            vec![Remark::Empty(VariableId(0))],
        ),
        ("forall b: Bool. <z(b)>true", "false true", none()),
        // Parameters and quantifiers of actions stand for the sort, too.
        (
            "forall n: Nat. mu X(m: Nat = 0). <a(m)>X(n)",
            "0 1 2 3 4",
            none(),
        ),
        (
            "forall n: Nat. [exists m: Nat. a(m)]true",
            "0 1 2 3 4 5",
            none(),
        ),
        (
            "forall n, m: Nat. val(n < m)",
            "0 1 2",
            vec![Remark::Approximate(VariableId(0))],
        ),
    ] {
        assert_eq!(domain(text, &lts), (expected.to_owned(), remarks), "{text}");
    }
}

/// What is computed with, and how many values may be held at once.
#[test]
fn values_that_are_enough() {
    let lts = hyades_testing::lts(&[(0, "a(1)", 0)]);
    // The largest number of the domain of Nat.
    let largest = |text: &str| {
        let mut property = property(text);
        let remarks = replace(&mut property, Some(lts.table()), &Given::new()).unwrap();
        let mut largest = None;
        visit_state(&property.formula, &mut |part| {
            if let Part::Quantifier(_, Domain::Range(ends)) = part {
                largest = Some(ends[1].clone());
            }
        });
        match largest {
            Some(Expression::Constant(Value::Int(largest))) => (largest, remarks.is_empty()),
            other => panic!("{text}: {other:?}"),
        }
    };
    for (text, expected) in [
        (
            "nu X(m: Nat = 0). forall n: Nat. val(n == m) || <a(n)>X(n)",
            (3, true),
        ),
        (
            "nu X(m: Nat = 0). <a(m)>X(m) && forall n: Pos. <a(n)>true",
            (2, true),
        ),
        (
            "forall n: Nat. nu X(m: Nat = n). [a(m)]X(m + 1)",
            (2, false),
        ),
        ("forall n: Nat. nu X(m: Nat = n). [a(m)]X(m)", (2, true)),
        ("forall n: Nat. nu X(m: Int = n). [a(m)]X(m)", (1, false)),
        ("forall n: Nat. exists p: Pos. val(n == p)", (2, false)),
        ("forall n, m: Nat. val(max(n, m) == n)", (2, false)),
        ("forall n: Nat. val(max(n, 1) == 1)", (2, true)),
    ] {
        assert_eq!(largest(text), expected, "{text}");
    }
}

#[test]
fn occurrences_that_matter() {
    let lts = hyades_testing::lts(&[(0, "a(3)", 0), (0, "b(x)|a(4)", 0), (0, "c(x)", 0)]);
    let found = |text: &str, given: &Given| {
        let found = occurrences(&property(text), lts.table(), given);
        let shown = found.into_iter().flat_map(|(label, values)| {
            let values = values.into_iter();
            values.map(move |(sort, text)| {
                format!("{} {sort} {}", label.index(), text.escape_ascii())
            })
        });
        shown.collect::<Vec<String>>().join(", ")
    };
    let none = Given::new();
    assert_eq!(found("forall n: Nat. <a(n)>true", &none), "");
    assert_eq!(
        found("forall n: Nat. <a(n + 1)>true", &none),
        "1 Nat 3, 1 Nat 3, 2 Nat 4, 2 Nat 4"
    );
    assert_eq!(found("forall d: D. <b(d)>true", &none), "2 D x");
    assert_eq!(found("forall d: D. <z(d)>true", &none), "");
    assert_eq!(found("<b(x)>true", &none), "");
    let mut given = Given::new();
    given.insert("D".into(), Vec::new());
    assert_eq!(found("forall d: D. <b(d)>true", &given), "");
}

/// A label whose number no value can be is not left out in silence.
#[test]
fn numbers_of_labels_that_are_too_large() {
    let label = "a(99999999999999999999)";
    let lts = hyades_testing::lts(&[(0, label, 0), (0, "b(-99999999999999999999)", 0)]);
    for (text, sort) in [
        ("exists n: Nat. <a(n)>true", Some("Nat")),
        ("exists n: Int. <a(n)>true", Some("Int")),
        ("exists n: Int. <b(n)>true", Some("Int")),
        // No value of the sort.
        ("exists n: Nat. <b(n)>true", None),
        ("exists n: D. <a(n)>true", None),
        ("exists n: Nat. val(n == 3) && <a(3)>true", None),
    ] {
        let found = occurrences(&property(text), lts.table(), &Given::new());
        let replaced = replace(&mut property(text), Some(lts.table()), &Given::new());
        match sort {
            Some(sort) => {
                let error = replaced.unwrap_err().message;
                assert!(error.contains("999` stands in a label"), "{error}");
                assert!(error.contains(&format!("--values {sort}=")), "{error}");
                assert_eq!(found.len(), 1, "{text}");
                let mut given = Given::new();
                given.insert(sort.into(), values_of(sort, b"3").unwrap());
                replace(&mut property(text), Some(lts.table()), &given).unwrap();
            }
            None => {
                replaced.unwrap();
                assert_eq!(found.len(), usize::from(text.contains(": D")), "{text}");
            }
        }
    }
}

#[test]
fn domains_may_be_given() {
    let lts = hyades_testing::lts(&[(0, "a(3)", 0)]);
    let text = "forall n: Nat. forall d: D. <a(n)>true";
    let mut given = Given::new();
    given.insert("Nat".into(), values_of("Nat", b"3, 3").unwrap());
    given.insert("D".into(), values_of("D", b"f(1,2),c").unwrap());
    assert_eq!(
        given["D"],
        [&b"f(1, 2)"[..], b"c"].map(|t| Value::Text(t.into()))
    );
    let mut own = property(text);
    assert_eq!(sorts(&own), ["Nat", "D"]);
    // Labels are not needed.
    assert_eq!(replace(&mut own, None, &given), Ok(vec![]));
    assert_eq!(sorts(&own), Vec::<String>::new());
    let checked = check_lts(&own, &lts, CheckOptions::default()).unwrap();
    assert_eq!(checked.verdict, Verdict::True);
    let error = replace(&mut property(text), None, &Given::new()).unwrap_err();
    assert!(error.message.contains("`check --values Nat=…`"), "{error}");
    let far = hyades_testing::lts(&[(0, "a(3000000000)", 0)]);
    let error = replace(&mut property(text), Some(far.table()), &Given::new());
    assert!(
        error
            .unwrap_err()
            .message
            .contains("give those that matter")
    );
    for (sort, texts) in [
        ("Bool", "true"),
        ("Nat", "-1"),
        ("Pos", "0"),
        ("Nat", "1,,2"),
        ("Int", "x"),
    ] {
        values_of(sort, texts.as_bytes()).unwrap_err();
    }
    assert_eq!(values_of("D", b""), Ok(vec![]));
}

#[test]
fn actions_that_no_label_has_are_told() {
    let lts = hyades_testing::lts(&[(0, "a(3)|b(f(x, 1))", 0), (0, "i", 0), (0, "c(true)", 0)]);
    for (text, expected) in [
        ("forall n: Nat. <a(n)>true && [!a(3)]true", &[][..]),
        ("forall n: Nat. <a(n + 5)>true", &[]),
        ("forall n: Nat. <a(n)|z(n)>true", &["1:17 z(n)"]),
        ("forall n: Nat. <a(n, n)>true", &["1:17 a(n, n)"]),
        ("[!(a(3) || a(4))]true", &["1:12 a(4)"]),
        // Those that stand alone and have no variables are told elsewhere.
        ("[a(4)]true", &[]),
        ("forall b: Bool. <a(b)>true", &["1:18 a(b)"]),
        ("forall x: D. <b(f(x, 1))>true", &[]),
        ("forall x: D. <b(f(x, 2))>true", &["1:15 b(f(x, 2))"]),
        ("<!tau && exists b: Bool. c(!b)>true", &[]),
    ] {
        let found = unused(&property(text), lts.table()).expect("nothing is to be computed");
        let shown = |w: Warning| {
            let (action, _) = w.message.split_once(" is in no label").expect("the words");
            format!("{} {action}", w.place)
        };
        let found: Vec<String> = found.into_iter().map(shown).collect();
        assert_eq!(found, expected, "{text}");
    }
    // Perhaps a function of the specification.
    let refused = unused(&property("forall x: D. <b(g(x))>true"), lts.table()).unwrap_err();
    assert!(
        refused
            .message
            .starts_with("b(g(x)) is in no label: functions"),
        "{refused:?}"
    );
}
