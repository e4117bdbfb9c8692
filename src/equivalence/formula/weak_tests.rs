//! Modalities over hidden steps.

use hyades_formats::LtsBuilder;
use hyades_testing::{Random, check};

use super::*;

fn parse(text: &str) -> Formula {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// 0 -i-> 1, 1 -a-> 2, 2 -i-> 3, 3 -b-> 3, 1 -i-> 4, 4 -i-> 1, 0 -c-> 0,
/// 5 -i-> 5
fn system() -> Lts {
    let mut b = LtsBuilder::new(6);
    for (s, t) in [(0, 1), (2, 3), (1, 4), (4, 1), (5, 5)] {
        b.add(StateId::new(s), LabelId::HIDDEN, StateId::new(t));
    }
    b.add_text(1, b"a", 2).unwrap();
    b.add_text(3, b"b", 3).unwrap();
    b.add_text(0, b"c", 0).unwrap();
    b.build(StateId::new(0)).unwrap()
}

#[test]
fn meaning_of_the_modalities_over_hidden_steps() {
    let lts = system();
    for (formula, expected) in [
        ("<<\"a\">>true", [1, 1, 0, 0, 1, 0]),
        ("<<\"a\">><\"b\">true", [1, 1, 0, 0, 1, 0]),
        ("<<i>><\"a\"><\"b\">true", [0, 0, 0, 0, 0, 0]),
        ("<<i>><\"a\"><<i>><\"b\">true", [1, 1, 0, 0, 1, 0]),
        ("<<i>><\"b\">true", [0, 0, 1, 1, 0, 0]),
        ("<<tau>><\"b\">true", [0, 0, 1, 1, 0, 0]),
        ("[[\"a\"]]<\"b\">true", [0, 0, 1, 1, 0, 1]),
        ("[[\"c\"]]false", [0, 1, 1, 1, 1, 1]),
        ("[[i]]!<\"c\">true", [0, 1, 1, 1, 1, 1]),
        ("[[i]]<i>true", [1, 1, 0, 0, 1, 1]),
        // the first state is among those that hold
        ("<<\"c\">true U \"a\">true", [0, 0, 0, 0, 0, 0]),
        ("<!<\"c\">true U \"a\">true", [0, 1, 0, 0, 1, 0]),
        ("<true U \"a\">true", [1, 1, 0, 0, 1, 0]),
        ("<<\"c\">true U i><\"a\">true", [1, 1, 0, 0, 0, 0]),
        // that holds at once, where nothing is held
        ("<false U i><\"b\">true", [0, 0, 0, 1, 0, 0]),
        ("<false U \"b\"><\"b\">true", [0, 0, 0, 0, 0, 0]),
        ("div true", [1, 1, 0, 0, 1, 1]),
        ("div <<\"a\">>true", [1, 1, 0, 0, 1, 0]),
        ("div !<\"c\">true", [0, 1, 0, 0, 1, 1]),
        ("div <\"a\">true", [0, 0, 0, 0, 0, 0]),
        ("div false", [0, 0, 0, 0, 0, 0]),
        ("!div true && <<\"b\">>true", [0, 0, 1, 1, 0, 0]),
        ("<<\"nowhere\">>true || <true U \"nowhere\">true", [0; 6]),
        ("[[\"nowhere\"]]false", [1; 6]),
    ] {
        let parsed = parse(formula);
        let found = [0, 1, 2, 3, 4, 5].map(|s| u8::from(parsed.holds(&lts, StateId::new(s))));
        assert_eq!(found, expected, "{formula}");
    }
}

#[test]
fn they_print_with_few_parentheses_and_parse_back() {
    for text in [
        "<<\"a\">>[[i]](true && <<i>>false)",
        "<true && (<\"a\">true || [\"b\"]false) U \"a\">(true || <true U i>true)",
        "< <\"a\">true U \"b\">true",
        "< <<\"a\">>true U \"b\">div true",
        "< < <\"a\">true U i>true U \"U\">!true",
        "[[\"a\"]]div (true && <i>true)",
        "div div !div true",
        "!<div true U \"div\">true && true",
    ] {
        assert_eq!(parse(text).to_string(), text);
    }
    for (text, plain) in [
        ("< < \"a\" > > true", "<<\"a\">>true"),
        ("<(true||false) U i>true", "<true || false U i>true"),
        ("<((<\"a\">true)) U tau>true", "< <\"a\">true U i>true"),
        ("div(true)", "div true"),
    ] {
        assert_eq!(parse(text).to_string(), plain);
    }
    // Names that read as the hidden action elsewhere.
    let named = parse("X = <i U i><i>i && i\ni = <tau U \"a\">true\ntau = <\"b\">true");
    assert_eq!(named.depth(), 4);
}

#[test]
fn depth_and_steps_of_modalities_over_hidden_steps() {
    let formula = parse("<<\"a\">><\"b\">true && <<\"c\"><\"d\">true U i>true && [[i]]div false");
    assert_eq!(formula.depth(), 3);
    let lts = formula.to_lts().unwrap();
    let text = |label: LabelId| match label.is_hidden() {
        true => "i".to_owned(),
        false => String::from_utf8_lossy(lts.table().text(label)).into_owned(),
    };
    let of = |s| {
        let row = lts.outgoing(StateId::new(s));
        let row = row.map(|(l, t)| (text(l), t.get()));
        row.collect::<Vec<_>>()
    };
    let initial = of(0);
    let labels: Vec<&str> = initial.iter().map(|(l, _)| l.as_str()).collect();
    assert_eq!(labels, ["a", "i", "c", "i"]);
    // What is said within `div` is said of the state with the loop.
    let last = initial[3].1;
    assert_eq!(of(last), [("i".to_owned(), last)]);
}

#[test]
fn mistakes_have_their_line_and_column() {
    for (text, line, column, message) in [
        (
            "<<\"a\">true",
            1,
            11,
            "expected `&&`, `||` or `U`, found the end",
        ),
        ("<<\"a\">>", 1, 8, "expected a formula, found the end"),
        ("<<\"a\"]>true", 1, 6, "expected `>`, found `]`"),
        ("[[\"a\"]true", 1, 7, "expected `]`, found `true`"),
        (
            "[true U \"a\"]true",
            1,
            2,
            "expected a label in double quotes or `i`, found `true`",
        ),
        (
            "<b>true",
            1,
            2,
            "expected a label in double quotes or `i`, found `b`: a label is written `\"b\"`",
        ),
        (
            "<>true",
            1,
            2,
            "expected a label in double quotes, `i`, or a formula and `U`, found `>`",
        ),
        (
            "<true U>true",
            1,
            8,
            "expected a label in double quotes or `i`, found `>`",
        ),
        ("<true U \"a\"true", 1, 12, "expected `>`, found `true`"),
        (
            "<true \"a\">true",
            1,
            7,
            "expected `&&`, `||` or `U`, found a label",
        ),
        (
            "<(true U i>true",
            1,
            8,
            "expected `&&`, `||` or `)`, found `U`",
        ),
        ("<true)", 1, 6, "expected `&&`, `||` or `U`, found `)`"),
        (
            "true U \"a\"",
            1,
            6,
            "expected `&&`, `||` or the end, found `U`",
        ),
        ("U", 1, 1, "expected a formula, found `U`"),
        ("div", 1, 4, "expected a formula, found the end"),
        (
            "X = true\nU = true",
            2,
            1,
            "expected a name, found the word `U`",
        ),
        (
            "X = <\"é\">Y\n\nY = div",
            3,
            8,
            "expected a formula, found the end",
        ),
        ("X = <\"é\">Y", 1, 10, "no later line defines `Y`"),
    ] {
        let error = text.parse::<Formula>().unwrap_err();
        let FormulaError {
            line: l, column: c, ..
        } = error;
        assert_eq!(
            (l, c, error.message.as_str()),
            (line, column, message),
            "{text:?}"
        );
        let told = format!("formula, line {line}, column {column}: {message}");
        assert_eq!(error.to_string(), told);
    }
}

/// The reflexive-transitive closure of the hidden steps between states that
/// hold.
fn paths(lts: &Lts, held: &[bool]) -> Vec<Vec<bool>> {
    let n = lts.states();
    let mut paths = vec![vec![false; n]; n];
    for (s, l, t) in lts.iter() {
        if l.is_hidden() && held[s.index()] && held[t.index()] {
            paths[s.index()][t.index()] = true;
        }
    }
    for middle in 0..n {
        for s in 0..n {
            for t in 0..n {
                paths[s][t] |= paths[s][middle] && paths[middle][t];
            }
        }
    }
    paths
}

/// Where each subformula holds, word for word as the module says it.
fn meanings(formula: &Formula, lts: &Lts) -> Vec<Vec<bool>> {
    let n = lts.states();
    let mut all: Vec<Vec<bool>> = Vec::new();
    let anywhere = paths(lts, &vec![true; n]);
    let weakly = |s: usize, t: usize| s == t || anywhere[s][t];
    let step = |label: LabelId, s: usize, t: usize| {
        let text = formula.table.text(label);
        lts.outgoing(StateId::from_index(s)).any(|(l, u)| {
            let same = match label.is_hidden() || l.is_hidden() {
                true => label == l,
                false => lts.table().text(l) == text,
            };
            same && u.index() == t
        })
    };
    let weak_step = |label: LabelId, s: usize, t: usize| match label.is_hidden() {
        true => weakly(s, t),
        false => (0..n).any(|u| weakly(s, u) && (0..n).any(|v| step(label, u, v) && weakly(v, t))),
    };
    for node in &formula.nodes {
        let of = |o: &NodeId| &all[o.index()];
        let holds = |s: usize| match node {
            Node::And(operands) => operands.iter().all(|o| of(o)[s]),
            Node::Or(operands) => operands.iter().any(|o| of(o)[s]),
            Node::Not(o) => !of(o)[s],
            Node::Diamond(label, o) => (0..n).any(|t| step(*label, s, t) && of(o)[t]),
            Node::Box(label, o) => (0..n).all(|t| !step(*label, s, t) || of(o)[t]),
            Node::WeakDiamond(label, o) => (0..n).any(|t| weak_step(*label, s, t) && of(o)[t]),
            Node::WeakBox(label, o) => (0..n).all(|t| !weak_step(*label, s, t) || of(o)[t]),
            Node::Until(label, [held, target]) => {
                let within = paths(lts, of(held));
                let path = |u: usize| of(held)[s] && (s == u || within[s][u]);
                label.is_hidden() && of(target)[s]
                    || (0..n)
                        .any(|u| path(u) && (0..n).any(|t| step(*label, u, t) && of(target)[t]))
            }
            Node::Divergence(held) => {
                let within = paths(lts, of(held));
                (0..n).any(|u| (s == u || within[s][u]) && within[u][u])
            }
        };
        let meaning = (0..n).map(holds).collect();
        all.push(meaning);
    }
    all
}

fn random_formula(random: &mut Random) -> Formula {
    let mut b = FormulaBuilder::new();
    let mut labels = vec![LabelId::HIDDEN, LabelId::HIDDEN];
    for text in [&b"a"[..], b"b", b"unknown"] {
        labels.push(b.label(text).unwrap());
    }
    let mut nodes = vec![b.and([]), b.or([])];
    for _ in 0..random.between(1, 14) {
        let label = labels[random.between(0, labels.len() - 1)];
        // The newest are the deepest.
        let mut any = || nodes[random.between(nodes.len().saturating_sub(4), nodes.len() - 1)];
        let (x, y) = (any(), any());
        nodes.push(match random.between(0, 8) {
            0 => b.and([x, y]),
            1 => b.or([x, y]),
            2 => b.not(x),
            3 => b.diamond(label, x),
            4 => b.boxed(label, x),
            5 => b.weak_diamond(label, x),
            6 => b.weak_box(label, x),
            7 => b.until(x, label, y),
            _ => b.divergence(x),
        });
    }
    b.build(nodes[nodes.len() - 1])
}

#[test]
fn random_formulas_hold_where_their_definition_says() {
    let seen = std::cell::Cell::new([0usize; 2]);
    check(60, 9, |lts, random| {
        for _ in 0..5 {
            let formula = random_formula(random);
            let text = formula.to_string();
            let back: Formula = text.parse().map_err(|e| format!("{text}: {e}"))?;
            if back.to_string() != text {
                return Err(format!("{text} became {back}"));
            }
            let meaning = meanings(&formula, lts).pop().unwrap();
            for (s, &expected) in meaning.iter().enumerate() {
                let state = StateId::from_index(s);
                for (formula, how) in [(&formula, "built"), (&back, "read")] {
                    if formula.holds(lts, state) != expected {
                        return Err(format!("{text} as {how}, in {s}: not {expected}"));
                    }
                    if formula.holds_by_sets(lts, state, u64::MAX) != Some(expected) {
                        return Err(format!("{text} as {how}, in {s} by sets: not {expected}"));
                    }
                }
                let mut counts = seen.get();
                counts[usize::from(expected)] += 1;
                seen.set(counts);
            }
        }
        Ok(())
    });
    assert!(
        seen.get().iter().all(|&count| count > 5000),
        "{:?}",
        seen.get()
    );
}

/// Without needless operands a formula holds where it held, and has none any more.
#[test]
fn needless_operands_are_left_out() {
    let shorter = std::cell::Cell::new(0);
    check(200, 6, |lts, random| {
        for _ in 0..5 {
            let formula = random_formula(random);
            let short = formula.clone().without_needless(lts, u64::MAX);
            let holds = |formula: &Formula| meanings(formula, lts).pop();
            if holds(&formula) != holds(&short) {
                return Err(format!("{formula} and {short}"));
            }
            let again = short.clone().without_needless(lts, u64::MAX);
            if again.to_string() != short.to_string() {
                return Err(format!("{short} and {again}"));
            }
            shorter.set(shorter.get() + usize::from(short.nodes().len() < formula.nodes().len()));
        }
        Ok(())
    });
    assert!(shorter.get() > 100, "{shorter:?}");
}

#[test]
fn deep_formulas_and_long_hidden_paths_need_no_deep_stack() {
    let n = 100_000;
    let mut chain = LtsBuilder::new(0);
    for s in 0..n {
        chain.add(StateId::new(s), LabelId::HIDDEN, StateId::new(s + 1));
    }
    chain.add_text(n, b"a", n).unwrap();
    let chain = chain.build(StateId::new(0)).unwrap();
    let far = parse("<!<\"a\">true U i><\"a\">true && !div true");
    assert!(far.holds(&chain, StateId::new(0)));
    assert_eq!(far.holds_within(&chain, StateId::new(0), 1000), None);

    let mut b = FormulaBuilder::new();
    let a = b.label(b"a").unwrap();
    let mut node = b.and([]);
    for _ in 0..n {
        node = b.until(node, a, node);
        node = b.divergence(node);
        node = b.not(node);
    }
    let deep = b.build(node);
    assert_eq!(deep.depth(), 2 * n as usize);
    let text = deep.to_string();
    assert_eq!(parse(&text).to_string(), text);
    assert!(deep.holds(&chain, StateId::new(n)));
    let nested = format!(
        "{}true{}",
        "<".repeat(n as usize),
        " U i>true".repeat(n as usize)
    );
    assert_eq!(parse(&nested).depth(), n as usize);
}
