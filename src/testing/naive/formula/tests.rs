use super::*;
use crate::naive::divergent_states;
use crate::{check, lts};

fn states(text: &str, lts: &Lts) -> Vec<usize> {
    let states = satisfying(text, lts).unwrap();
    (0..states.len()).filter(|&s| states[s]).collect()
}

/// A visible loop behind hidden steps, and a hidden cycle.
fn example() -> Lts {
    lts(&[
        (0, "i", 1),
        (1, "i", 2),
        (2, "a", 3),
        (3, "i", 4),
        (4, "b", 0),
        (1, "c", 5),
        (5, "i", 6),
        (6, "i", 5),
        (6, "c", 6),
    ])
}

#[test]
fn each_operator() {
    let l = example();
    let cases: [(&str, &[usize]); 22] = [
        ("true", &[0, 1, 2, 3, 4, 5, 6]),
        ("false", &[]),
        ("<\"c\">true", &[1, 6]),
        ("[\"c\"]false", &[0, 2, 3, 4, 5]),
        ("<i>true", &[0, 1, 3, 5, 6]),
        ("<tau><i>true", &[0, 5, 6]),
        ("[i]<\"a\">true", &[1, 2, 4]),
        ("<<\"a\">>true", &[0, 1, 2]),
        ("<<\"a\">><\"b\">true", &[0, 1, 2]),
        ("<\"a\"><\"b\">true", &[]),
        ("<<i>><\"b\">true", &[3, 4]),
        ("[[\"c\"]]false", &[2, 3, 4]),
        ("[[i]]<i>true", &[5, 6]),
        ("<true U \"a\">true", &[0, 1, 2]),
        ("<true U \"a\"><\"b\">true", &[]),
        ("<!<\"c\">true U \"a\">true", &[2]),
        ("<<i>true U i><\"a\">true", &[0, 1, 2]),
        ("<false U i><\"a\">true", &[2]),
        ("<<\"c\">true U \"c\">true", &[1, 6]),
        ("div true", &[5, 6]),
        ("div <\"c\">true", &[]),
        ("<\"c\">div true && !<\"a\">true", &[1, 6]),
    ];
    for (text, wanted) in cases {
        assert_eq!(states(text, &l), wanted, "{text}");
    }
}

#[test]
fn weak_diamonds_and_until_are_told_apart() {
    let l = example();
    assert_eq!(states("<<<\"a\">>true U \"c\">true", &l), [0, 1]);
    assert_eq!(states("<<\"c\">true U i><\"a\">true", &l), [1, 2]);
    assert_eq!(states("<<true U \"a\">true U \"c\">true", &l), [0, 1]);
    assert_eq!(states("<<<i>> true U \"c\"> < i > true", &l), [0, 1, 5, 6]);
    assert_eq!(states("< < \"a\" > > true", &l), [0, 1, 2]);
    assert_eq!(states("[ [ i ] ]<i>true", &l), [5, 6]);
}

#[test]
fn prefixes_bind_stronger_than_and_and_that_stronger_than_or() {
    let l = example();
    let same = |a: &str, b: &str| assert_eq!(states(a, &l), states(b, &l), "{a}");
    same("!<i>true && <\"a\">true", "(!(<i>true)) && (<\"a\">true)");
    same(
        "<i><\"a\">true || <\"b\">true",
        "(<i>(<\"a\">true)) || (<\"b\">true)",
    );
    same(
        "<\"a\">true || <\"c\">true && false || <\"b\">true",
        "(<\"a\">true) || ((<\"c\">true) && false) || (<\"b\">true)",
    );
    same(
        "<<i>true || false && false U \"a\">true && false",
        "(<((<i>true) || (false && false)) U \"a\">true) && false",
    );
    same(
        "div <i>true || <\"b\">true",
        "(div (<i>true)) || (<\"b\">true)",
    );
    assert_eq!(states("<\"a\">true || false && false", &l), [2]);
    assert_eq!(states("true && <\"a\">true && true || false", &l), [2]);
}

#[test]
fn names_stand_for_later_lines() {
    let l = example();
    let text = "X1 = <i>X2 && !X3\n\nX2 = <\"a\">true || X3\r\n  X3 = <\"b\">true\n";
    assert_eq!(states(text, &l), [1, 3]);
    assert!(holds(text, &l, StateId::new(3)).unwrap());
    assert!(!holds(text, &l, StateId::new(0)).unwrap());
    assert!(holds(text, &l, StateId::new(7)).is_err());
}

#[test]
fn labels_may_have_any_bytes() {
    let mut builder = hyades_formats::LtsBuilder::new(4);
    let labels: [&[u8]; 3] = [b"i\xc3\xa4 \x01", b"tau", b"a\"b\\c\nd\te\rf"];
    for (source, label) in (0..).zip(labels) {
        builder.add_text(source, label, 3).unwrap();
    }
    let l = builder.build(StateId::new(0)).unwrap();
    assert_eq!(states("<\"i\\xc3\\xA4 \\x01\">true", &l), [0]);
    assert_eq!(states("<\"i\u{e4} \u{1}\">true", &l), [0]);
    assert_eq!(states("<\"tau\">true", &l), [1]);
    assert_eq!(states("<tau>true", &l), [0usize; 0]);
    assert_eq!(states("<\"a\\\"b\\\\c\\nd\\te\\rf\">true", &l), [2]);
}

#[test]
fn what_is_wrong_is_told_where() {
    let cases = [
        ("", "no formula"),
        ("\n \n", "no formula"),
        (
            "true true",
            "line 1, byte 6: expected an operator or the end",
        ),
        ("true)", "line 1, byte 5: expected an operator or the end"),
        ("(true", "line 1, byte 6: expected `)`"),
        ("<true>true", "line 1, byte 6: expected `U`"),
        ("<true U a>true", "line 1, byte 9: expected `\"`"),
        ("<true U \"a\" true", "line 1, byte 13: expected `>`"),
        ("\n<\"a\">", "line 2, byte 6: expected a formula"),
        ("true &&", "line 1, byte 8: expected a formula"),
        (
            "true & true",
            "line 1, byte 6: expected an operator or the end",
        ),
        ("[\"a\"true", "line 1, byte 1: expected a formula"),
        ("X", "line 1, byte 1: no later line defines `X`"),
        ("X = !X", "line 1, byte 6: no later line defines `X`"),
        ("X = Y\nY = X", "line 2, byte 5: no later line defines `X`"),
        ("X = Y\nY = true\nY = false", "line 2: `Y` is defined twice"),
        ("X = true\ntrue", "line 2, byte 1: expected a name"),
        ("true\ntrue", "line 2: a second formula"),
        ("<true U \"\\q\">true", "line 1, byte 10: unknown escape"),
        (
            "<true U \"\\x4g\">true",
            "line 1, byte 10: expected two hexadecimal digits",
        ),
        (
            "<true U \"a>true",
            "line 1, byte 16: expected a closing quote",
        ),
        ("\u{e4}", "line 1, byte 1: expected a formula"),
        ("div = true", "line 1, byte 5: expected a formula"),
    ];
    for (text, wanted) in cases {
        assert_eq!(
            satisfying(text, &example()),
            Err(wanted.to_owned()),
            "{text:?}"
        );
    }
}

#[test]
fn deep_nesting_is_no_recursion() {
    let l = lts(&[(0, "a", 0)]);
    let deep = 100_000;
    for (before, behind) in [("(", ")"), ("!!", ""), ("<\"a\">", ""), ("<true U i>", "")] {
        let text = before.repeat(deep) + "true" + &behind.repeat(deep);
        assert_eq!(states(&text, &l), [0], "{before}");
    }
    let text = "<".repeat(deep) + "true" + &" U i>true".repeat(deep);
    assert_eq!(states(&text, &l), [0]);
}

/// `X0` is the least, or greatest, fixpoint of a formula in which `X` stands for
/// itself, as that many lines.
fn unrolled(body: &str, start: &str, lines: usize) -> String {
    let line = |k: usize| format!("X{k} = {}\n", body.replace('X', &format!("X{}", k + 1)));
    let lines_before: String = (0..lines).map(line).collect();
    lines_before + &format!("X{lines} = {start}\n")
}

#[test]
fn weak_operators_are_fixpoints_of_strong_ones() {
    check(8, 8, |lts, random| {
        let n = lts.states() + 1;
        let small = [
            "true",
            "<\"a\">true",
            "!<i>true",
            "<\"b\"><i>true || <\"a\">true",
        ];
        let [f, g] = [(); 2].map(|()| small[random.between(0, small.len() - 1)]);
        let same = |short: &str, long: &str| match satisfying(short, lts) == satisfying(long, lts) {
            true => Ok(()),
            false => Err(format!("{short} is not\n{long}")),
        };
        let until = format!("({f}) && (<\"a\">({g}) || <i>X)");
        same(
            &format!("<{f} U \"a\">({g})"),
            &unrolled(&until, "false", n),
        )?;
        let hidden = format!("({g}) || ({f}) && <i>X");
        same(&format!("<{f} U i>({g})"), &unrolled(&hidden, "false", n))?;
        let reach = format!("({g}) || <i>X");
        same(&format!("<<i>>({g})"), &unrolled(&reach, "false", n))?;
        let divergence = format!("({f}) && <i>X");
        same(&format!("div ({f})"), &unrolled(&divergence, "true", n))?;
        same(
            &format!("<<\"a\">>({g})"),
            &format!("<<i>><\"a\"><<i>>({g})"),
        )?;
        same(&format!("[[\"a\"]]({g})"), &format!("!<<\"a\">>!({g})"))?;
        same(&format!("[[i]]({g})"), &format!("!<<i>>!({g})"))?;
        let one_class = vec![0; lts.states()];
        match satisfying("div true", lts)? == divergent_states(lts, &one_class) {
            true => Ok(()),
            false => Err("div true".to_owned()),
        }
    });
}
