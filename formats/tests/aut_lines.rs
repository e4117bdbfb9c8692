//! Lines that readers stumble over: what becomes of each, in default and in
//! strict mode, with the exact place of every diagnostic.

use crate::common;

use common::*;
use hyades_formats::*;

/// A file of 9 transitions and 9 states, of which `line` is the first.
fn file(line: &[u8]) -> Vec<u8> {
    let mut text = b"des (0, 9, 9)\n".to_vec();
    text.extend_from_slice(line);
    text.extend_from_slice(&b"\n(0, z, 0)".repeat(8));
    text
}

/// What comes of a transition line: label and target, if it is accepted, and
/// the diagnostics.
fn outcome(line: &[u8], options: &ReadOptions) -> String {
    reading(&file(line), options, |lts| {
        let all = transitions(lts);
        assert_eq!(all.len(), 9);
        let rest: Vec<_> = all
            .into_iter()
            .filter(|t| t != &(0, b"z".to_vec(), 0))
            .collect();
        let [(_, label, target)] = &rest[..] else {
            panic!("{rest:?}")
        };
        format!("<{}> {target}", label.escape_ascii())
    })
}

/// What `show` tells of a file, or that it is refused, and the diagnostics.
fn reading(text: &[u8], options: &ReadOptions, show: impl FnOnce(&Lts) -> String) -> String {
    let (lts, seen) = read_as(text, options);
    let shown = lts.map_or("refused".into(), |lts| show(&lts));
    [vec![shown], seen].concat().join("; ")
}

#[track_caller]
fn both(line: &[u8], default: &str, strict: &str) {
    let name = line.escape_ascii();
    assert_eq!(outcome(line, &mode(Mode::Default)), default, "{name}");
    assert_eq!(outcome(line, &mode(Mode::Strict)), strict, "{name}, strict");
}

#[track_caller]
fn same(line: &[u8], expected: &str) {
    both(line, expected, expected);
}

#[test]
fn bare_and_quoted_labels() {
    same(b"(0, REQ_6, 1)", "<REQ_6> 1");
    same(b"( 0 ,REQ_6,\t1 )  ", "<REQ_6> 1");
    same(b"\x0b ( 0 ,\x0cREQ_6 ,\t1 )\t", "<REQ_6> 1");
    same(b"(0,\"REQ_6\",1)", "<REQ_6> 1");
    same(b"(0, \"a  b\", 1)", "<a  b> 1");
    same(b"(0, \" a \", 1)", "< a > 1");
    same(b"(0, *, 1)", "<*> 1");
    same(b"(0, \"*\", 1)", "<*> 1");
    same(b"(007, a, 0001)", "<a> 1");
    same(b"(0, \"a|b\", 1)", "<a|b> 1");
    same(b"(0, \"c2(d1, true)\", 1)", "<c2(d1, true)> 1");
}

/// What stands in the place of something else is shown, whatever it is.
#[test]
fn messages_show_what_stands_there() {
    for (line, expected) in [
        (
            "(0, \"a\",1),1)",
            "expected `, target)` and the end of the line after the closing quote, found `,1),1)`",
        ),
        (
            "(0, \"a\" b, 1) ",
            "expected `, target)` and the end of the line after the closing quote, found `b, 1)`",
        ),
        ("(0, a, )", "expected a target state, found `)`"),
        ("(0, a, ,)", "expected a target state, found `)`"),
        ("(0, a, x y)", "expected a target state, found `x`"),
    ] {
        let text = file(line.as_bytes());
        let source = Source::from_bytes("f", text, Some(Format::Aut)).unwrap();
        let mut seen = Vec::new();
        let lts = read_lts(source, &ReadOptions::default(), &mut |d| seen.push(d.text));
        assert!(lts.is_err());
        assert_eq!(seen, [expected], "{line}");
    }
}

#[test]
fn quotes_within_quotes() {
    same(
        b"(2, \"MSG !\"ping\" !\"pong\"\", 3)",
        r#"<MSG !\"ping\" !\"pong\"> 3"#,
    );
    same(b"(3, \"x \" y \\\" z\", 0)", r#"<x \" y \\\" z> 0"#);
    same(b"(0, \"x\", 5)\", 1)", r#"<x\", 5)> 1"#);
    same(b"(0, \"\"\", 1)", r#"<\"> 1"#);
    same(b"(0, \"\", 1)", "<> 1");
    same(b"(0, \"\\\", 1)", r"<\\> 1");
    same(b"(0, \"a\", 1) (1, \"b\", 2)", r#"<a\", 1) (1, \"b> 2"#);
    same(b"(0, \", 1)", "refused; error aut-quote 2:5");
    same(b"(0, \"a, 1)", "refused; error aut-quote 2:5");
    same(b"(0, \"a\" b, 1)", "refused; error aut-quote 2:9");
    same(b"(0, \"a\"b\" c d, 1)", "refused; error aut-quote 2:11");
}

#[test]
fn hidden_labels() {
    same(b"(0, i, 1)", "<<hidden>> 1");
    same(b"(0, \"i\", 1)", "<<hidden>> 1");
    same(b"(0, I, 1)", "<I> 1");
    same(b"(0, \"i \", 1)", "<i > 1");
    same(b"(0, \"i !1\", 1)", "<i !1> 1");
    both(
        b"(0, tau, 1)",
        "<tau> 1; warning aut-tau-hint 2:5",
        "<tau> 1",
    );
    both(
        b"(0,  \"tau\", 1)",
        "<tau> 1; warning aut-tau-hint 2:6",
        "<tau> 1",
    );
    let tau = ReadOptions {
        hidden: vec![b"tau".to_vec(), b"x".to_vec()],
        ..ReadOptions::default()
    };
    assert_eq!(outcome(b"(0, tau, 1)", &tau), "<<hidden>> 1");
    assert_eq!(outcome(b"(0, \"x\", 1)", &tau), "<<hidden>> 1");
    assert_eq!(outcome(b"(0, i, 1)", &tau), "<i> 1");
    let dialect = |d| ReadOptions {
        dialect: Some(d),
        ..ReadOptions::default()
    };
    assert_eq!(
        outcome(b"(0, tau, 1)", &dialect(Dialect::Mcrl2)),
        "<<hidden>> 1"
    );
    assert_eq!(outcome(b"(0, i, 1)", &dialect(Dialect::Mcrl2)), "<i> 1");
    assert_eq!(outcome(b"(0, tau, 1)", &dialect(Dialect::Cadp)), "<tau> 1");
    assert_eq!(
        outcome(b"(0, i, 1)", &dialect(Dialect::Cadp)),
        "<<hidden>> 1"
    );
}

#[test]
fn free_labels() {
    let free = |line: &[u8], label: &str, at: u64| {
        both(
            line,
            &format!("<{label}> 1; warning aut-free-label 2:{at}"),
            &format!("refused; error aut-free-label 2:{at}"),
        );
    };
    free(b"(0, **, 1)", "**", 5);
    free(b"(0, r1(d1), 1)", "r1(d1)", 5);
    free(b"(0,PUT !1,1)", "PUT !1", 4);
    free(b"(0, c2(d1, true), 1)", "c2(d1, true)", 5);
    free(b"(0, 6PACK, 1)", "6PACK", 5);
    free(b"(0, _x, 1)", "_x", 5);
    free(b"(0,   a, 1, 1)", "a, 1", 7);
    free(b"(0, a\"b\", 1)", "a\\\"b\\\"", 5);
    free(b"(0, a)(1, b, 1)", "a)(1, b", 5);
    free(b"(0,#6162#,1)", "#6162#", 4);
    same(b"(0, , 1)", "refused; error aut-empty-label 2:5");
    same(b"(0,,1)", "refused; error aut-empty-label 2:4");
    same(b"(0,  \t ,1)", "refused; error aut-empty-label 2:8");
}

#[test]
fn bytes_in_labels() {
    let kept = |line: &[u8], label: &str, code: &str, at: u64| {
        both(
            line,
            &format!("<{label}> 1; warning {code} 2:{at}"),
            &format!("refused; error {code} 2:{at}"),
        );
    };
    kept(b"(0, \"a\tb\tc\", 1)", "a\\tb\\tc", "aut-unprintable", 7);
    kept(b"(0, \"\x7f\", 1)", "\\x7f", "aut-unprintable", 6);
    kept(
        b"(0, \"a\xffb\xff\", 1)",
        "a\\xffb\\xff",
        "aut-non-ascii",
        7,
    );
    both(
        "(0, \"τ\", 1)".as_bytes(),
        "<\\xcf\\x84> 1; warning aut-non-ascii 2:6; warning aut-tau-hint 2:5",
        "refused; error aut-non-ascii 2:6",
    );
    both(
        b"(0, a\xc3\x01, 1)",
        "<a\\xc3\\x01> 1; warning aut-unprintable 2:7; \
         warning aut-non-ascii 2:6; warning aut-free-label 2:5",
        "refused; error aut-unprintable 2:7; \
         error aut-non-ascii 2:6; error aut-free-label 2:5",
    );
    same(b"(0, \"a\0b\", 1)", "refused; error aut-eol 2:7");
    same(b"(0, \"a\rb\", 1)", "refused; error aut-eol 2:7");
    same(b"(0, a, 1)\r\r", "refused; error aut-eol 2:10");
    same(b"\0", "refused; error aut-eol 2:1");
    same(b"(0, a, 1)\r", "<a> 1");
}

#[test]
fn broken_lines() {
    let syntax = |line: &[u8], at: u64| same(line, &format!("refused; error aut-syntax 2:{at}"));
    syntax(b"(0, a)", 6);
    syntax(b"(0, a)  ", 6);
    syntax(b"(0, 1)", 6);
    syntax(b"(0, 1) x", 6);
    syntax(b"(0, a, 1) (1, b, 2)", 11);
    syntax(b"(0, a, 1)\t ( 1 , b, 2)", 12);
    syntax(b"(0, a, 1);", 10);
    syntax(b"(0, a, 1)  x y", 12);
    syntax(b"(0, a, 1) f(x)", 11);
    syntax(b"0, a, 1)", 1);
    syntax(b"[0, a, 1)", 1);
    syntax(b"  0, a, 1)", 3);
    syntax(b"hello", 1);
    syntax(b"# comment", 1);
    syntax(b"// (0, a, 1)", 1);
    syntax(b"-- comment", 1);
    syntax(b"%", 1);
    syntax(b"(a, a, 1)", 2);
    syntax(b"(, a, 1)", 2);
    syntax(b"(0 1/2 1, a, 1)", 4);
    syntax(b"(0", 3);
    syntax(b"(", 2);
    syntax(b"(0,", 4);
    syntax(b"(0, a, 1", 9);
    syntax(b"(0, a, 1  ", 9);
    syntax(b"(0, a, x)", 8);
    syntax(b"(0, a, )", 8);
    syntax(b"(0, a, 1_0)", 8);
    syntax(b"(0,\"a\"", 7);
}

#[test]
fn hints_for_comments() {
    for line in ["# x", "// x", "% x", "-- x"] {
        let source = Source::from_bytes("f", file(line.as_bytes()), None).unwrap();
        let mut texts = Vec::new();
        let result = read_lts(source, &ReadOptions::default(), &mut |d| texts.push(d.text));
        assert!(result.is_err());
        assert!(texts[0].contains("AUT has no comments"), "{texts:?}");
    }
}

#[test]
fn numbers() {
    let number = |line: &[u8], at: u64| same(line, &format!("refused; error aut-number 2:{at}"));
    number(b"(0, a, -1)", 8);
    number(b"(0, a, +1)", 8);
    number(b"(0, a, 18446744073709551616)", 8);
    number(b"(0, a, 18446744073709551615)", 8);
    number(b"(0, a, 4294967294)", 8);
    number(b"(0, a, 99999999999999999999999999)", 8);
    number(b"(4294967294, a, 1)", 2);
    number(b"(-1, a, 1)", 2);
    number(b"(+1, a, 1)", 2);
    number(b"(0x1, a, 1)", 2);
    number(b"(1e5, a, 1)", 2);
    number(b"(0, a, 0x1)", 8);
    number(b"(0, a,   1.5)", 10);
    number(b"(0, a, 1e5)", 8);
    same(b"(0, a, 9)", "refused; error aut-state-range 2:8");
    same(b"(9, a, 1)", "refused; error aut-state-range 2:2");
    same(b"(0, a, 4294967293)", "refused; error aut-state-range 2:8");
    same(
        b"(10, a, 11)",
        "refused; error aut-state-range 2:2; error aut-state-range 2:9",
    );
    same(b"(0, a, 0 1/2 1)", "refused; error aut-prob 2:8");
    same(b"(0, a, 1/2)", "refused; error aut-prob 2:8");
    same(b"(0, a,  1 2)", "refused; error aut-prob 2:9");
}

#[test]
fn two_lines() {
    let (lts, seen) = read_as(b"des (0, 2, 2)\n(0,\"a\"\n,1)\n", &mode(Mode::Default));
    assert!(lts.is_none());
    assert_eq!(seen, ["error aut-syntax 2:7", "error aut-syntax 3:1"]);
}

#[test]
fn blank_lines_and_the_end_of_the_model() {
    let text = b"des (0, 2, 2)\n\n(0, a, 1)\n \t\r\n(1, a, 0)\n  ";
    assert_eq!(read_as(text, &mode(Mode::Default)).1, [""; 0]);
    let (lts, seen) = read_as(text, &mode(Mode::Strict));
    assert!(lts.is_some());
    assert_eq!(
        seen,
        [
            "warning aut-blank-line 2:1",
            "warning aut-blank-line 4:1",
            "warning aut-blank-line 6:1"
        ]
    );
    let text = b"des (0, 1, 2)\n(0, a, 1)\n\x04 whatever\0\n(0, b";
    let (lts, seen) = read_as(text, &mode(Mode::Default));
    assert_eq!(lts.unwrap().transitions(), 1);
    assert_eq!(seen, ["warning aut-eot 3:1"]);
    let (lts, seen) = read_as(b"des (0, 1, 2)\n(0, a, 1)\n\x04\n", &mode(Mode::Strict));
    assert!(lts.is_none());
    assert_eq!(seen, ["error aut-eot 3:1"]);
    // what follows is read there, and so not said to be ignored
    let text = b"des (0, 1, 2)\n(0, a, 1)\n\x04\nx\n".to_vec();
    let source = Source::from_bytes("f", text, None).unwrap();
    let mut told = Vec::new();
    let _ = read_lts(source, &mode(Mode::Strict), &mut |d| {
        told.push(d.to_string())
    });
    assert!(!told[0].contains("ignored"), "{told:?}");
    assert!(told[1].contains(":4:1: error"), "{told:?}");
    let (_, seen) = read_as(b"des (0, 2, 2)\n(0, a, 1)\n\x04\n", &mode(Mode::Default));
    assert_eq!(seen, ["warning aut-eot 3:1", "error aut-count 3:1"]);
}

#[test]
fn line_ends() {
    let text = b"des (0, 1, 2)\r\n(0, a, 1)\r\n";
    assert_eq!(read_as(text, &mode(Mode::Strict)).1, [""; 0]);
    assert_eq!(
        read_as(&text[..text.len() - 2], &mode(Mode::Strict)).1,
        [""; 0]
    );
    let (_, seen) = read_as(&text[..text.len() - 1], &mode(Mode::Default));
    assert_eq!(seen, ["error aut-eol 2:10"]);
    let (_, seen) = read_as(b"des (0, 0, 1)\r", &mode(Mode::Default));
    assert_eq!(seen, ["error aut-eol 1:14"]);
    let (_, seen) = read_as(b"des (0,\0 0, 1)", &mode(Mode::Default));
    assert_eq!(seen, ["error aut-eol 1:8"]);
}

fn header(line: &str, mode: Mode) -> String {
    reading(line.as_bytes(), &common::mode(mode), |lts| {
        format!("{}/{}", lts.initial(), lts.states())
    })
}

#[test]
fn headers() {
    let same = |line: &str, expected: &str| {
        assert_eq!(header(line, Mode::Default), expected, "{line}");
        assert_eq!(header(line, Mode::Strict), expected, "{line}, strict");
        assert_eq!(header(line, Mode::Lenient), expected, "{line}, lenient");
    };
    same("des(0,0,2)", "0/2");
    same(
        "des (0,0,74)                                      \r\n",
        "0/74",
    );
    same(" des ( 0 , 0 , 4 ) ", "0/4");
    same("des (0, 0, 1)", "0/1");
    same("des (0, 0, 0)", "refused; error aut-no-states 1:12");
    same("des (0 1/2 1, 2, 2)", "refused; error aut-prob 1:6");
    same("des (0 1 /2 1, 2, 2)", "refused; error aut-prob 1:6");
    same("des (0 4, 4)", "refused; error aut-syntax 1:8");
    same(
        "des ( 0 1/7 1 3/7 2 2/7 3,4,5)",
        "refused; error aut-prob 1:7",
    );
    same("des (1/2, 2, 2)", "refused; error aut-prob 1:6");
    same("DES (0, 1, 1)", "refused; error aut-no-header 1:1");
    same("  x\n", "refused; error aut-no-header 1:3");
    same("", "refused; error aut-no-header 1:1");
    same("des (0, 5, 4", "refused; error aut-syntax 1:13");
    same("des (0, 5, 4  ", "refused; error aut-syntax 1:13");
    same("des", "refused; error aut-unpatched-header 1:1");
    same(" des      \n", "refused; error aut-unpatched-header 1:2");
    same("describe", "refused; error aut-syntax 1:4");
    same("des (0, 5 6, 4)", "refused; error aut-syntax 1:11");
    same("des (0, 5; 4)", "refused; error aut-syntax 1:10");
    same("des (, 5, 4)", "refused; error aut-syntax 1:6");
    same("des (-1, 5, 4)", "refused; error aut-number 1:6");
    same("des (0, 0x5, 4)", "refused; error aut-number 1:9");
    same(
        "des (0, 18446744073709551616, 4)",
        "refused; error aut-number 1:9",
    );
    same("des (4294967294, 5, 4)", "refused; error aut-number 1:6");
    same("des (0, 5, 4294967295)", "refused; error aut-number 1:12");
    same(
        "des (4294967293, 5, 9)",
        "refused; error aut-state-range 1:6",
    );
    same("des (3, 5, 3)", "refused; error aut-state-range 1:6");
    same("des (0, 0, 1) x", "refused; error aut-trailing-text 1:15");
    same(
        "des (0, 0, 1)(0, a, 0)",
        "refused; error aut-trailing-text 1:14",
    );
    assert_eq!(header("des (3, 0, 4)", Mode::Default), "3/4");
    assert_eq!(
        header("des (3, 0, 4)", Mode::Strict),
        "refused; error aut-initial 1:6"
    );
}

#[test]
fn the_initial_state_is_noted() {
    let source = Source::from_bytes("f", b"des (3, 0, 4)".to_vec(), None).unwrap();
    let mut seen = Vec::new();
    read_lts(source, &ReadOptions::default(), &mut |d| {
        seen.push(d.to_string())
    })
    .unwrap();
    assert_eq!(
        seen,
        ["f:1:6: note: the initial state is 3 rather than 0 [aut-initial]"]
    );
}

#[test]
fn what_comes_before_the_header() {
    let file = "\n \r\ndes (0, 1, 2)\n(0, a, 7)";
    assert_eq!(
        header(file, Mode::Default),
        "refused; warning aut-blank-before-header 1:1; error aut-state-range 4:8"
    );
    assert_eq!(
        header(file, Mode::Strict),
        "refused; error aut-blank-before-header 1:1"
    );
    let file = "\u{feff}des (0, 0, 1);";
    assert_eq!(
        header(file, Mode::Default),
        "refused; warning aut-bom 1:1; error aut-trailing-text 1:17"
    );
    assert_eq!(header(file, Mode::Strict), "refused; error aut-bom 1:1");
    assert_eq!(
        header("\u{feff}\ndes (0, 0, 1)", Mode::Default),
        "0/1; warning aut-bom 1:1; warning aut-blank-before-header 1:1"
    );
    assert_eq!(
        header("\n\n \n", Mode::Default),
        "refused; error aut-no-header 1:1"
    );
}

#[test]
fn unfinished_files() {
    for (line, at) in [
        ("des (0, ?, ?)            ", 9),
        ("des(?,?,?)", 5),
        ("des (0, 5, ?)", 12),
    ] {
        for mode in [Mode::Default, Mode::Strict] {
            assert_eq!(
                header(line, mode),
                format!("refused; error aut-unpatched-header 1:{at}")
            );
        }
    }
    let text = b"des(?,?,?)\n(0, a, 1)\n(5, b, 0)\n";
    let (lts, seen) = read_as(text, &mode(Mode::Lenient));
    let lts = lts.unwrap();
    assert_eq!(
        (lts.initial().get(), lts.states(), lts.transitions()),
        (0, 6, 2)
    );
    assert_eq!(seen, ["warning aut-unpatched-header 1:5"]);
    let text = b"des (0, 3, ?)\n(0, a, 1)\n";
    let (lts, seen) = read_as(text, &mode(Mode::Lenient));
    assert_eq!(lts.unwrap().states(), 2);
    assert_eq!(
        seen,
        ["warning aut-unpatched-header 1:12", "warning aut-count 3:1"]
    );
}

#[test]
fn counts() {
    let few = b"des (0, 5, 3)\n(0, a, 1)\n\n(1, a, 2)\n";
    let many = b"des (0, 1, 3)\n(0, a, 1)\n\n(1, a, 2)\n(2, a, 2)\n";
    for (text, line) in [(&few[..], 5), (many, 4)] {
        for m in [Mode::Default, Mode::Strict] {
            let (lts, seen) = read_as(text, &mode(m));
            assert!(lts.is_none());
            let seen: Vec<_> = seen.iter().filter(|s| !s.contains("blank-line")).collect();
            assert_eq!(seen, [&format!("error aut-count {line}:1")]);
        }
        let (lts, seen) = read_as(text, &mode(Mode::Lenient));
        assert!(lts.unwrap().transitions() >= 2);
        assert_eq!(seen, [format!("warning aut-count {line}:1")]);
    }
    // counts say nothing once there are other errors
    let (_, seen) = read_as(b"des (0, 5, 3)\nx\n", &mode(Mode::Default));
    assert_eq!(seen, ["error aut-syntax 2:1"]);
    // a bad line counts as a line
    let huge = b"des (0, 18446744073709551615, 3)\n(0, a, 1)\n";
    let (_, seen) = read_as(huge, &mode(Mode::Default));
    assert_eq!(seen, ["error aut-count 3:1"]);
}

#[test]
fn growing() {
    let text = b"des (0, 2, 2)\n(0, a, 2)\n(7, a, 1)\n";
    let grow = |m| ReadOptions {
        grow: true,
        ..mode(m)
    };
    let (lts, seen) = read_as(text, &grow(Mode::Default));
    assert_eq!(lts.unwrap().states(), 8);
    assert_eq!(
        seen,
        ["warning aut-state-range 2:8", "warning aut-state-range 3:2"]
    );
    let (lts, seen) = read_as(text, &grow(Mode::Strict));
    assert!(lts.is_none());
    assert_eq!(
        seen,
        ["error aut-state-range 2:8", "error aut-state-range 3:2"]
    );
    // the initial state is not enlarged for
    let (lts, seen) = read_as(b"des (5, 0, 2)\n", &grow(Mode::Default));
    assert!(lts.is_none());
    assert_eq!(seen, ["error aut-state-range 1:6"]);
}

#[test]
fn hints_about_tau() {
    let hint = |text: &[u8]| read_as(text, &mode(Mode::Default)).1;
    let text = b"des (0, 3, 3)\n(0, a, 1)\n(1, \"tau\", 2)\n(2, tau, 0)\n";
    assert_eq!(hint(text), ["warning aut-tau-hint 3:5"]);
    let text = b"des (0, 3, 3)\n(0, a, 1)\n(1, \"tau\", 2)\n(2, i, 0)\n";
    assert_eq!(hint(text), [""; 0]);
}

#[test]
fn escapes_of_ltsmin() {
    let ltsmin = |m| ReadOptions {
        escapes: Escapes::Ltsmin,
        ..mode(m)
    };
    for m in [Mode::Default, Mode::Strict] {
        let label = |line: &[u8]| outcome(line, &ltsmin(m));
        assert_eq!(label(b"(0,#6162#,1)"), "<ab> 1");
        assert_eq!(label(b"(0,#000aFf#,1)"), "<\\x00\\n\\xff> 1");
        assert_eq!(label(b"(0,\"a\\\"b\\\\\",1)"), "<a\\\"b\\\\> 1");
        assert_eq!(label(b"(0,\"a\\n\",1)"), "<a\\\\n> 1");
        assert_eq!(label(b"(0,\"#6162#\",1)"), "<#6162#> 1");
        assert_eq!(label(b"(0,#69#,1)"), "<<hidden>> 1");
    }
    let odd = |line: &[u8]| outcome(line, &ltsmin(Mode::Default));
    assert_eq!(odd(b"(0,#616#,1)"), "<#616#> 1; warning aut-free-label 2:4");
    assert_eq!(odd(b"(0,#6x#,1)"), "<#6x#> 1; warning aut-free-label 2:4");
    assert_eq!(odd(b"(0,##,1)"), "<##> 1; warning aut-free-label 2:4");
}

#[test]
fn twenty_errors_and_three_warnings_are_shown() {
    let mut text = b"des (0, 60, 9)\n".to_vec();
    text.extend_from_slice(&b"(0, a b, 1)\nbad\n".repeat(30));
    let (_, seen) = read_as(&text, &mode(Mode::Default));
    assert_eq!(seen.len(), 3 + 20 + 2);
    assert_eq!(seen[22], "error aut-syntax 41:1");
    assert_eq!(
        seen[23..],
        [
            "warning aut-free-label: 27 more like this",
            "error aut-syntax: 10 more like this"
        ]
    );
}

#[test]
fn overlong_lines() {
    let short = |text: &[u8]| {
        let options = ReadOptions {
            max_line: 20,
            ..ReadOptions::default()
        };
        let all = read_as(text, &options).1;
        // a stream cuts the line, and so must come to the same
        let reader = Box::new(std::io::Cursor::new(text.to_vec()));
        for chunk in [1, 7, 1000] {
            let source = Source::from_reader("f", reader.clone(), None).unwrap();
            let mut seen = Vec::new();
            let options = ReadOptions {
                chunk,
                ..options.clone()
            };
            let result = read_lts(source, &options, &mut |d| {
                let at = d.position.unwrap();
                seen.push(format!(
                    "{} {} {}:{}",
                    d.severity, d.code, at.line, at.column
                ));
            });
            assert_eq!(result.is_err(), !all.is_empty());
            assert_eq!(seen, all);
        }
        all
    };
    // lines of 20 and 21 bytes
    assert_eq!(short(b"des (0, 1, 2)\n(0, abcdefghijkl, 1)\n"), [""; 0]);
    assert_eq!(
        short(b"des (0, 1, 2)\n(0, abcdefghijklm, 1)\nbad\n"),
        ["error aut-line-length 2:1", "error aut-syntax 3:1"]
    );
    assert_eq!(
        short(b"des (0, 1, 2)           \n"),
        ["error aut-line-length 1:1"]
    );
    assert_eq!(
        short(b"                         des (0, 1, 2)\n"),
        ["error aut-no-header 1:1"]
    );
    let long = [&b"des (0, 1, 2)\n"[..], &[b'x'; 5000], b"\nbad\n(0, a, 1)"].concat();
    assert_eq!(
        short(&long),
        ["error aut-line-length 2:1", "error aut-syntax 3:1"]
    );
    let long = [&b"des (0, 1, 2)\n"[..], &[b'x'; 5000]].concat();
    assert_eq!(short(&long), ["error aut-line-length 2:1"]);
}
