use hyades_formats::LtsBuilder;

use super::*;

fn parse(text: &str) -> Formula {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// 0 -a-> 1, 0 -a-> 2, 1 -b-> 0, 2 -i-> 2
fn small() -> Lts {
    let mut b = LtsBuilder::new(3);
    b.add_text(0, b"a", 1).unwrap();
    b.add_text(0, b"a", 2).unwrap();
    b.add_text(1, b"b", 0).unwrap();
    b.add(StateId::new(2), LabelId::HIDDEN, StateId::new(2));
    b.build(StateId::new(0)).unwrap()
}

#[test]
fn meaning_of_the_operators() {
    let lts = small();
    for (formula, expected) in [
        ("true", [true, true, true]),
        ("false", [false, false, false]),
        ("!true", [false, false, false]),
        ("!!<\"a\">true", [true, false, false]),
        ("<\"a\">true", [true, false, false]),
        ("[\"a\"]false", [false, true, true]),
        ("<\"a\"><\"b\">true", [true, false, false]),
        ("[\"a\"]<\"b\">true", [false, true, true]),
        ("<i>true", [false, false, true]),
        ("<tau><i>true", [false, false, true]),
        ("<\"i\">true", [false, false, false]),
        ("<\"a\">true || <i>true && false", [true, false, false]),
        ("(<\"a\">true || <i>true) && false", [false, false, false]),
        ("!<\"a\">true && true", [false, true, true]),
        ("[\"a\"](<\"b\">true || <i>true)", [true, true, true]),
        ("[\"c\"]false && ![\"c\"]false", [false, false, false]),
        (
            "\n\nX = [\"a\"]Y\nY = !Z\n\nZ=<i>true\n",
            [false, true, true],
        ),
    ] {
        let parsed = parse(formula);
        let found = [0, 1, 2].map(|s| parsed.holds(&lts, StateId::new(s)));
        assert_eq!(found, expected, "{formula}");
    }
}

#[test]
fn small_formulas_print_as_trees() {
    for text in [
        "true",
        "false",
        "!<i>true",
        "<\"a\">(<\"b\">true && [\"c\"]false)",
        "(<\"a\">true && <\"b\">true) || [i](false || true)",
        "<\"a\">(<\"b\">true && <\"c\">true && <\"d\">true) && true",
        r#"<"a \"quoted\" \\ label\n\t\r\x00\xFF é">true"#,
    ] {
        assert_eq!(parse(text).to_string(), text);
    }
    assert_eq!(
        parse("<\"a\">true && (<\"b\">true || ((true)))").to_string(),
        "<\"a\">true && (<\"b\">true || true)"
    );
}

#[test]
fn large_formulas_print_as_definitions_that_parse_back() {
    let mut b = FormulaBuilder::new();
    let [l, r] = [b"l", b"r"].map(|l| b.label(l).unwrap());
    // As a tree this has 2^50 leaves.
    let mut node = b.and([]);
    for _ in 0..50 {
        let (left, right) = (b.diamond(l, node), b.boxed(r, node));
        node = b.and([left, right]);
    }
    let formula = b.build(node);
    assert_eq!(formula.depth(), 50);
    let text = formula.to_string();
    assert!(text.starts_with("X1 = "), "{text}");
    assert!(text.lines().count() <= 50, "{text}");
    let back = parse(&text);
    assert_eq!(back.size(), formula.size());
    assert_eq!(back.to_string(), text);
}

/// Numbers that a builder has not given are none of its own.
#[test]
#[should_panic = "node 1 is of another builder"]
fn nodes_of_another_builder_are_refused() {
    let mut other = FormulaBuilder::new();
    let node = other.and([]);
    let node = other.not(node);
    let mut b = FormulaBuilder::new();
    let own = b.or([]);
    b.and([own, node]);
}

#[test]
#[should_panic = "node 0 is of another builder"]
fn a_root_of_another_builder_is_refused() {
    let node = FormulaBuilder::new().and([]);
    FormulaBuilder::new().build(node);
}

#[test]
#[should_panic = "label 1 is of another builder"]
fn labels_of_another_builder_are_refused() {
    let label = FormulaBuilder::new().label(b"a").unwrap();
    let mut b = FormulaBuilder::new();
    let node = b.and([]);
    b.diamond(label, node);
}

#[test]
#[should_panic = "state 9 of an LTS of 1 states"]
fn a_formula_says_nothing_of_a_state_that_is_not_there() {
    let lts = LtsBuilder::new(1).build(StateId::new(0)).unwrap();
    parse("true").holds(&lts, StateId::new(9));
}

#[test]
fn deep_formulas_need_no_deep_stack() {
    let depth = 300_000;
    let mut b = FormulaBuilder::new();
    let a = b.label(b"a").unwrap();
    let mut node = b.or([]);
    for _ in 0..depth {
        node = b.boxed(a, node);
        node = b.not(node);
    }
    let formula = b.build(node);
    assert_eq!(formula.depth(), depth);
    let text = formula.to_string();
    assert!(text.lines().all(|line| line.len() < 200));
    assert_eq!(parse(&text).to_string(), text);
    let nested = format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(parse(&nested).size(), 1);

    let mut chain = LtsBuilder::new(0);
    for s in 0..depth as u32 {
        chain.add_text(s, b"a", s + 1).unwrap();
    }
    let chain = chain.build(StateId::new(0)).unwrap();
    // ![a]![a]…false: true at an odd distance from where no step is left.
    let at = |s: usize| formula.holds(&chain, StateId::from_index(s));
    assert_eq!([at(0), at(1), at(2)], [false, true, false]);
    assert_eq!(formula.holds_within(&chain, StateId::new(0), 10), None);
}

#[test]
fn what_is_no_formula_is_refused_with_its_place() {
    for (text, offset) in [
        ("", 0),
        ("  ", 2),
        ("<\"a\">", 5),
        ("<a>true", 1),
        ("<\"a\"]true", 4),
        ("<\"a>true", 1),
        ("<\"\\q\">true", 2),
        ("<\"\\x+1\">true", 2),
        ("true &&", 7),
        ("true & true", 5),
        ("(true", 5),
        ("true)", 4),
        ("true true", 5),
        ("true\ntrue", 5),
        ("X1 = X2", 5),
        ("X1 = X1", 5),
        ("X1 = X2\ntrue\nX2 = true", 12),
        ("X1 = true\nX1 = false", 0),
        ("# comment", 0),
    ] {
        let error = text.parse::<Formula>().unwrap_err();
        assert_eq!(error.offset, offset, "{text:?}: {error}");
    }
}

#[test]
fn formulas_about_traces_are_told() {
    let is_about_trace = |text: &str| text.parse::<Formula>().unwrap().is_about_trace();
    for text in [
        r#"<"a">true"#,
        r#"<"a"><i>true"#,
        r#"["a"]["b"]false"#,
        r#"!<"a"><"b">true"#,
        r#"<<"a">><<"b">>true"#,
        r#"[["a"]]false"#,
        r#"<true U "a"><true U "b">true"#,
    ] {
        assert!(is_about_trace(text), "{text}");
    }
    for text in [
        "true",
        "false",
        r#"["a"]<"b">true"#,
        r#"<"a">["b"]false"#,
        r#"<"a">!<"b">true"#,
        r#"<"a">true && <"b">true"#,
        r#"<<"a">>[["b"]]false"#,
        r#"<<"c">true U "a">true"#,
        r#"<"a">div true"#,
    ] {
        assert!(!is_about_trace(text), "{text}");
    }
}
