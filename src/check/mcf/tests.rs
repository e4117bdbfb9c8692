use super::*;
use crate::domains::{self, Given};
use crate::evidence::End;
use crate::{CheckOptions, Evidence, Verdict, check_lts};
use hyades_formats::{Lts, ReadOptions, Source, read_lts};
use serde_json::Value as Json;

fn folder() -> String {
    format!("{}/testdata/check", hyades_testing::ROOT)
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/{name}", folder())).expect("a file of testdata")
}

fn property(text: &str) -> Property {
    parse(text.as_bytes(), "f.mcf")
        .unwrap_or_else(|e| panic!("{text}: {e}"))
        .property
}

/// The text of what a text means, with all parentheses that count.
fn printed(text: &str) -> String {
    property(text).text()
}

fn error(text: &str) -> String {
    match parse(text.as_bytes(), "f.mcf") {
        Ok(parsed) => panic!("{text} is read as {}", parsed.property.text()),
        Err(error) => error.to_string(),
    }
}

fn warnings(text: &str) -> Vec<String> {
    let parsed = parse(text.as_bytes(), "f.mcf").unwrap_or_else(|e| panic!("{text}: {e}"));
    let shown = |w: &Warning| format!("{} {}", w.place, w.code);
    parsed.warnings.iter().map(shown).collect()
}

/// The verdict on an LTS, with the length of a trace and whether it is the whole reason;
/// one that ends in a cycle is not, and goes on from where the formula is decided.
fn decided(text: &[u8], lts: &Lts) -> (bool, Option<(usize, bool)>) {
    let mut parsed = parse(text, "f.mcf").expect("a formula");
    let given: Given = (parsed.sorts.iter())
        .map(|(name, values)| (name.to_string(), values.clone()))
        .collect();
    domains::replace(&mut parsed.property, Some(lts.table()), &given).expect("small domains");
    let options = CheckOptions {
        evidence: true,
        ..CheckOptions::default()
    };
    let checked = check_lts(&parsed.property, lts, options).expect("values");
    let way = match &checked.evidence {
        Some(Evidence::Way(way)) => Some((way.steps.len(), matches!(way.end, End::Whole))),
        _ => None,
    };
    assert!(matches!(checked.verdict, Verdict::True | Verdict::False));
    (checked.verdict == Verdict::True, way)
}

fn holds(text: &str, lts: &Lts) -> bool {
    decided(text.as_bytes(), lts).0
}

fn lts(name: &str, options: &Json) -> Lts {
    let mut read_options = ReadOptions::default();
    let words: Vec<&str> = options
        .as_array()
        .map(|words| words.iter().filter_map(Json::as_str).collect())
        .unwrap_or_default();
    match words[..] {
        [] => {}
        ["--hidden", label] => read_options.hidden = vec![label.into()],
        _ => panic!("unknown options {words:?}"),
    }
    let source = Source::from_bytes(name, read(name), None).expect("a file");
    read_lts(source, &read_options, &mut |_| ()).expect("an LTS")
}

#[test]
fn formulas_with_known_verdicts() {
    let expected: Json = serde_json::from_slice(&read("expected.json")).expect("JSON");
    let mut count = 0;
    for entry in expected["formulas"].as_array().expect("a list") {
        let name = entry["formula"].as_str().expect("a name");
        if !name.ends_with(".mcf") {
            continue;
        }
        count += 1;
        let lts = lts(entry["lts"].as_str().expect("a name"), &entry["options"]);
        let (verdict, way) = decided(&read(name), &lts);
        assert_eq!(Some(verdict), entry["expected"].as_bool(), "{name}");
        if let Some(trace) = entry["trace"].as_object() {
            let (length, is_whole) = way.unwrap_or_else(|| panic!("{name}: no trace"));
            let wanted = trace["length"].as_u64().expect("a length") as usize;
            // A cycle follows.
            let goes_on = name == "abp_liveness.mcf";
            assert!(
                length == wanted || goes_on && length > wanted,
                "{name}: {length}"
            );
            let to = if is_whole { "end" } else { "residue" };
            assert_eq!(Some(to), trace["to"].as_str(), "{name}");
        }
    }
    assert_eq!(count, 25);
}

#[test]
fn refused_formulas_are_told_why() {
    fn words(about: &str) -> &str {
        match about {
            "map and eqn sections are not supported" => {
                "map, cons, var, eqn and glob sections are not"
            }
            other => other,
        }
    }
    let expected: Json = serde_json::from_slice(&read("expected.json")).expect("JSON");
    let mut count = 0;
    for entry in expected["refused"].as_array().expect("a list") {
        let name = entry["formula"].as_str().expect("a name");
        if !name.ends_with(".mcf") {
            continue;
        }
        count += 1;
        let about = entry["about"].as_str().expect("a reason");
        let error = parse(&read(name), name).expect_err(name).to_string();
        assert!(error.starts_with(&format!("{name}:")), "{error}");
        assert!(error.contains(words(about)), "{name}: {error}, not {about}");
    }
    assert_eq!(count, 7);
}

#[test]
fn precedence_of_state_formulas() {
    for (text, expected) in [
        (
            "true && false || true => false",
            "true && false || true => false",
        ),
        ("true || false && true", "true || false && true"),
        ("(true || false) && true", "(true || false) && true"),
        ("true => false => true", "true => false => true"),
        ("(true => false) => true", "(true => false) => true"),
        ("[a]true && false", "[a]true && false"),
        ("[a](true && false)", "[a](true && false)"),
        ("!<a>true && false", "!<a>true && false"),
        // Where a quantifier or fixpoint ends.
        (
            "[a] forall x: S. true && false",
            "[a](forall x: S. true) && false",
        ),
        ("!mu X. true || false", "!(mu X. true) || false"),
        (
            "true && exists x: S. true && false || true",
            "true && (exists x: S. true && false) || true",
        ),
        (
            "true || exists x: S. true || false && true => false",
            "true || (exists x: S. true || false && true) => false",
        ),
        (
            "true => mu X. true || false => true",
            "true => (mu X. true || false => true)",
        ),
        ("mu X. true || X => true || false", ""),
        ("nu X. true || X", "(nu X. true || X)"),
        ("(nu X. true) || true", "(nu X. true) || true"),
        ("<a> nu X. mu Y. X && Y", ""),
        (
            "<a> nu X. mu Y. [b]Y && true",
            "<a>(nu X. (mu Y. [b]Y)) && true",
        ),
        (
            "true || <a> nu X. true && false",
            "true || <a>(nu X. true) && false",
        ),
    ] {
        if !expected.is_empty() {
            assert_eq!(printed(text), expected, "{text}");
            assert_eq!(printed(expected), expected, "{text}");
        } else {
            // X is not known where it would have to be, or stands left of `=>`.
            error(text);
        }
    }
}

#[test]
fn precedence_of_action_and_regular_formulas() {
    for (text, expected) in [
        ("[a || b && c]true", "[a || b && c]true"),
        ("[!a && b]true", "[!a && b]true"),
        ("[!(a && b)]true", "[!(a && b)]true"),
        ("[a => b || c => d]true", "[a => b || c => d]true"),
        ("[!exists x: S. a || b]true", "[!(exists x: S. a) || b]true"),
        (
            "[a && exists x: S. b && c || d]true",
            "[a && (exists x: S. b && c) || d]true",
        ),
        (
            "[exists x: S. a || b . c]true",
            "[(exists x: S. a || b) . c]true",
        ),
        ("[!a*]true", "[(!a)*]true"),
        ("[a || b*]true", "[(a || b)*]true"),
        ("[(a)*]true", "[a*]true"),
        ("[a|b]true", "[a|b]true"),
        ("[a||b]true", "[a || b]true"),
        ("[a . b + c . d*]true", "[a . b + c . d*]true"),
        ("[(a + b) . c]true", "[(a + b) . c]true"),
        ("[a . (b . c)]true", "[a . (b . c)]true"),
        ("[a+]true", "[a+]true"),
        ("<a+>true", "<a+>true"),
        ("[a+ + b]true", "[a+ + b]true"),
        ("[a++]true", "[a++]true"),
        ("[a+*]true", "[a+*]true"),
        ("[a+b+]true", "[a + b+]true"),
        ("[a+.b]true", "[a+ . b]true"),
        ("[(a+)]true", "[a+]true"),
        ("[((a . b)*)+]true", "[(a . b)*+]true"),
        ("[nil + a]true", "[nil + a]true"),
        ("[tau*]<tau>true", "[tau*]<tau>true"),
        ("[val(true) && a]true", "[val(true) && a]true"),
    ] {
        assert_eq!(printed(text), expected, "{text}");
        assert_eq!(printed(expected), expected, "{text}");
    }
    for (text, about) in [
        ("[!(a . b)]true", "`!` stands before action formulas only"),
        ("[a && (b . c)]true", "`&&` joins action formulas"),
        ("[(a*) || b]true", "`||` joins action formulas"),
        ("[a* || b]true", "`||` joins action formulas"),
        (
            "[exists x: S. (a + b)]true",
            "`exists` quantifies action formulas",
        ),
        ("[tau|a]true", "`tau` is no action beside others"),
        ("[a|tau]true", "`tau` is no action beside others"),
        ("[a + ]true", ""),
        ("[a, b]true", "joined by `|`"),
    ] {
        if about.is_empty() {
            // The `+` is followed by `]`: it is a postfix one.
            assert_eq!(printed(text), "[a+]true");
        } else {
            let found = error(text);
            assert!(found.contains(about), "{text}: {found}");
        }
    }
}

#[test]
fn precedence_of_data() {
    for (text, expected) in [
        ("val(7 mod 2 * 2 == 3)", "val(7 mod 2 * 2 == 3)"),
        ("val((7 mod 2) * 2 == 3)", "val((7 mod 2) * 2 == 3)"),
        ("val(7 - 2 - 1 == 4)", "val(7 - 2 - 1 == 4)"),
        ("val(7 - (2 - 1) == 4)", "val(7 - (2 - 1) == 4)"),
        (
            "val(false => false => false)",
            "val(false => false => false)",
        ),
        ("val(true == 1 < 2)", "val(true == 1 < 2)"),
        ("val((true == true) == false)", "val(true == true == false)"),
        ("val(!true || false && true)", "val(!true || false && true)"),
        ("val(-1 * -(2) < - -3)", "val(-1 * -(2) < -(-3))"),
        (
            "val(if(true, 1, 2) == succ(1))",
            "val(if(true, 1, 2) == succ(1))",
        ),
        ("val(Nat2Int(3) == 3)", "val(3 == 3)"),
        ("val(c == f(d, 1))", "val(c == f(d, 1))"),
    ] {
        assert_eq!(printed(text), expected, "{text}");
        assert_eq!(printed(expected), expected, "{text}");
    }
    let one = hyades_testing::lts(&[(0, "a", 0)]);
    for (text, expected) in [
        ("val(-7 mod 2 == 1 && -7 div 2 == -4)", true),
        (
            "val(max(1, 2) == 2 && min(1, 2) == 1 && pred(3) == 2 && abs(-3) == 3)",
            true,
        ),
        ("val(a == a) && val(a != b) && val(!(f(1) == f(2)))", true),
        ("val(1 + 2 * 3 == 7)", true),
        ("val(2 - 3 == -1)", true),
    ] {
        assert_eq!(holds(text, &one), expected, "{text}");
    }
}

#[test]
fn what_may_have_been_meant_otherwise_is_warned_of() {
    for (text, expected) in [
        (
            "[a] forall x: S. true && false",
            &["1:23 check-mcf-scope"][..],
        ),
        ("!mu X. true || false", &["1:13 check-mcf-scope"]),
        (
            "true && exists x: S. true || true",
            &["1:27 check-mcf-scope"],
        ),
        (
            "[a] forall x: S. mu X. true && true",
            &["1:29 check-mcf-scope"],
        ),
        ("[!exists x: S. a || b]true", &["1:18 check-mcf-scope"]),
        ("[a] (forall x: S. true && false)", &[]),
        ("true => forall x: S. true && false", &[]),
        ("true && exists x: S. true && true", &[]),
        ("[a || b*]true", &["1:8 check-postfix-scope"]),
        ("[(a || b)*]true", &[]),
        (
            "act a, b: Nat # List(D) -> D; form [a . b(1) . c]true;",
            &["1:37 check-undeclared-action"],
        ),
        ("form [a . b(1, 2)]true; act a; b: Nat # D;", &[]),
    ] {
        let found = warnings(text);
        if text.starts_with("act") {
            assert_eq!(found.len(), 3, "{found:?}");
        } else {
            assert_eq!(found, expected, "{text}");
        }
    }
}

#[test]
fn names() {
    for text in [
        "nu X. mu X. [a]X",
        "nu X. mu X(n: Nat = 0). [a]X && [b]X(n)",
        "forall x: Nat. exists x: Bool. val(x)",
        "forall x: Nat. val(x == 1) && (exists x: Bool. val(x)) && val(x > 2)",
        "nu X(n: Nat = 0). [a]X(max(0, n - 1)) && [b]X(Int2Nat(n - 1)) && [c]X(abs(n - 1))",
        "mu X(n: Nat = 3, b: Bool = true). [a(n)]X(n + 1, !b)",
        "forall n: Nat. mu X(n: Int = n). <a>X(n - 1)",
        "forall d: D. [a(d, f(d))]<b(c)>true",
    ] {
        let text = printed(text);
        assert_eq!(printed(&text), text);
    }
    for (text, about) in [
        ("X", "unknown fixpoint variable X"),
        ("not <a>true", "unknown fixpoint variable not: write `!`"),
        ("<a>tt", "write `true`"),
        ("[true*]!deadlock", "`[true]false`"),
        ("mu X. Y", "unknown fixpoint variable Y"),
        ("mu X. X(1)", "takes 0 arguments, not 1"),
        ("(mu X. X) && X", "unknown fixpoint variable X"),
        ("forall b: Bool. b", "write `val(b)`"),
        ("forall b: Nat. b", "compare it, in `val(…)`"),
        ("mu X(n: Nat = n). X(n)", "and its value is n, a name"),
        ("mu X(n: Nat = 0, n: Nat = 0). X(n, n)", "two parameters n"),
        ("mu X(n: Nat = 0). X(n - 1)", "write `Int2Nat(…)`"),
        ("mu X(n: Pos = 1). X(Pos2Nat(n))", "write `Nat2Pos(…)`"),
        ("mu X(n: Pos = 0). true", "write `Nat2Pos(…)`"),
        ("mu X(b: Bool = 1). true", "has the sort Bool"),
        ("val(c)", "c is not a Boolean"),
        ("val(c && true)", "is not a Boolean but c,"),
        ("val(true && c)", "c is not a Boolean"),
        ("val(1)", "quantitative formulas are not supported"),
        ("val(c < 1)", "texts know"),
        ("val(c == 1)", "texts know"),
        (
            "forall d: D, e: E. val(d == e)",
            "a value of sort D and a value of sort E",
        ),
        ("forall d: D. val(d < d)", "texts know"),
        (
            "forall d: D. val(f(d) == c)",
            "the function f is not supported on variables",
        ),
        (
            "forall d: D. mu X(e: D = f(d)). X(e)",
            "the function f is not supported on variables",
        ),
        ("val(f(1))", "the function f is not supported"),
        ("val(1 = 1)", "compared by `==`"),
        ("true <a> true", "text after the formula"),
        ("1 < 2", "conditions on data stand in `val(…)`"),
        ("val(99999999999999999999 == 1)", "needs more than 64 bits"),
        ("mu X. !X", "X under an odd number of negations"),
        (
            "mu X. !!X && (X => true => X)",
            "X under an odd number of negations",
        ),
    ] {
        let found = error(text);
        assert!(found.contains(about), "{text}: {found}");
    }
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    for (text, about) in [
        ("[a@3]true", "time is not supported"),
        ("delay", "time is not supported"),
        ("yaled@3", "time is not supported"),
        ("[delay]true", "time is not supported"),
        (
            "inf n: Nat. true",
            "quantitative formulas are not supported",
        ),
        (
            "sup n: Nat. true",
            "quantitative formulas are not supported",
        ),
        (
            "sum n: Nat. true",
            "quantitative formulas are not supported",
        ),
        ("-true", "quantitative formulas are not supported"),
        ("true + true", "quantitative formulas are not supported"),
        ("(true * true)", "quantitative formulas are not supported"),
        ("val(3) * true", "quantitative formulas are not supported"),
        ("forall r: Real. true", "reals are not supported"),
        (
            "forall l: List(Nat). true",
            "lists, sets and bags are not supported",
        ),
        (
            "forall f: Nat -> Nat. true",
            "function sorts are not supported",
        ),
        ("forall f: Nat # Nat -> Nat. true", "not supported"),
        (
            "forall f: (Nat -> Nat). true",
            "function sorts are not supported",
        ),
        ("val(lambda x: Nat. true)", "`lambda`"),
        ("val(forall x: Nat. true)", "quantify the formula"),
        ("val([1] == [])", "lists, sets and bags are not supported"),
        ("<a({})>true", "lists, sets and bags are not supported"),
        ("val(#l == 1)", "lists, sets and bags are not supported"),
        ("val(l ++ m == l)", "lists, sets and bags are not supported"),
        ("val(l <| m == l)", "lists, sets and bags are not supported"),
        ("val(l |> m == l)", "lists, sets and bags are not supported"),
        ("val(l.0 == 1)", "lists, sets and bags are not supported"),
        ("val(1 in l)", "lists, sets and bags are not supported"),
        ("val(x whr x = 1 end)", "where clauses are not supported"),
        ("val(1 / 2 == 1)", "reals are not supported"),
        (
            "val(f[1 -> 2](1) == 1)",
            "function updates are not supported",
        ),
        ("val(f(1)(2) == 1)", "functions that give functions"),
        ("val(exp(2, 3) == 8)", "the function exp is not supported"),
        (
            "val(Nat2Real(1) == 1)",
            "the function Nat2Real is not supported",
        ),
        (
            "map n: Nat; form true;",
            "map, cons, var, eqn and glob sections",
        ),
        (
            "sort S = List(Nat); form true;",
            "only `sort S = struct a | b;`",
        ),
        (
            "sort S = struct a(n: Nat) | b; form true;",
            "`a` has arguments",
        ),
        ("proc P = a; init P;", "belongs to a process specification"),
        ("form true", "expected `;`"),
        ("form true; form true;", "a second `form`"),
        ("act a;", "there is no formula"),
        ("true;", "`form`"),
        ("", "there is no formula"),
        ("% nothing\n", "f.mcf:2:1: there is no formula"),
        ("<\"a\">true", "without quotes"),
        ("<'a'>true", "without quotes"),
        ("<<a>>true", "equiv --evaluate"),
        ("[[a]]true", "equiv --evaluate"),
        ("X1 = <a>true", "equiv --evaluate"),
        ("<true U a>true", "equiv --evaluate"),
    ] {
        let found = error(text);
        assert!(found.contains(about), "{text}: {found}");
        assert!(found.starts_with("f.mcf:"), "{found}");
    }
}

#[test]
fn sections() {
    let text = "% all\nsort D = struct a | b?is_b; E;\nact p: D;\nform forall d: D. <p(d)>true;\n";
    let parsed = parse(text.as_bytes(), "f.mcf").unwrap();
    assert_eq!(
        parsed.expanded,
        "sort D = struct a | b;\nform (forall d: D. <p(d)>true);"
    );
    let again = parse(parsed.expanded.as_bytes(), "f.mcf").unwrap();
    assert_eq!(again.sorts, parsed.sorts);
    // b does not occur.
    let one = hyades_testing::lts(&[(0, "p(a)", 0)]);
    assert!(!holds(text, &one));
    assert!(holds("forall d: D. <p(d)>true", &one));
}

#[test]
fn deep_nesting_is_refused() {
    for (text, end) in [
        ("(", ")"),
        ("!", ""),
        ("[a]", ""),
        ("mu X. ", ""),
        ("val(", ""),
        ("val((", ""),
        ("<(", ""),
        ("true => ", ""),
        ("[!", ""),
        ("[exists x: Bool. ", ""),
        ("val(-(", ""),
        ("val(f(", ""),
    ] {
        let head = text.trim_end_matches(['(', '!']);
        let many = |n: usize| match text {
            "(" | "!" => format!("{}true{}", text.repeat(n), end.repeat(n)),
            "val((" | "<(" => format!("{head}{}", "(".repeat(n)),
            "val(-(" => format!("val({}", "-(".repeat(n)),
            "val(f(" => format!("val({}", "f(".repeat(n)),
            "[!" => format!("[{}a]true", "!".repeat(n)),
            "[exists x: Bool. " => format!("[{}a]true", &text[1..].repeat(n)),
            _ => format!("{}true", text.repeat(n)),
        };
        let found = error(&many(100_000));
        assert!(
            found.contains("levels of parentheses") || text == "val(",
            "{text}: {found}"
        );
    }
    let names: Vec<String> = (0..2000).map(|k| format!("x{k}")).collect();
    let found = error(&format!("forall {}: Nat. true", names.join(", ")));
    assert!(found.contains("nested more than"), "{found}");
    // Chains are one level, as is a sequence.
    let chain = vec!["true"; 10_000].join(" && ");
    assert_eq!(printed(&chain), chain);
    let chain = format!("[{}]true", vec!["a"; 10_000].join(" . "));
    assert_eq!(printed(&chain), chain);
}

#[test]
fn multi_actions_match_in_any_order() {
    let lts = hyades_testing::lts(&[
        (0, "b(2)|a(1, x)", 1),
        (1, "a(1,x)", 2),
        (2, "b(2)", 3),
        (3, "c|c", 4),
        (4, "b(+2)", 0),
    ]);
    for (text, expected) in [
        ("<a(1, x)|b(2)>true", true),
        ("<b(2)|a(1, x)>true", true),
        ("<a(1, x)>true", false),
        ("<b(2)>true", false),
        ("<a(1, x)|b(2)|c>true", false),
        ("<true . a(1, x)>true", true),
        ("<true . a>true", false),
        ("<true . true . b(1 + 1)>true", true),
        ("<true . true . true . c|c>true", true),
        ("<true . true . true . c>true", false),
        ("<true . true . true . true . b(2)>true", true),
        ("<exists d: D. exists n: Nat. a(n, d)|b(n + 1)>true", true),
        ("<tau>true", false),
    ] {
        assert_eq!(holds(text, &lts), expected, "{text}");
    }
}
