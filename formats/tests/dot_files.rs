//! DOT files of all dialects: what is read, what is refused, what is written.

use crate::common;

use common::{known, read_format, rows, written_in};
use hyades_formats::dot::{MooreForm, ReadDot, StateOutputs, WriteDot, WriteOutputs};
use hyades_formats::mealy::{InitialOutput, MealySyntax, ReadMealy};
use hyades_formats::*;

fn read(text: &str, options: &ReadOptions) -> (Option<Lts>, Vec<String>) {
    read_format(Format::Dot, text.as_bytes(), options)
}

/// A graph of these statements, with a marked initial state.
fn graph(statements: &str) -> String {
    format!("digraph g {{\n{statements}\n__start0 -> s0; }}")
}

fn plain() -> ReadOptions {
    ReadOptions::default()
}

fn mealy() -> ReadOptions {
    ReadOptions {
        mealy: Some(ReadMealy::default()),
        ..plain()
    }
}

fn with(dot: ReadDot) -> ReadOptions {
    ReadOptions { dot, ..plain() }
}

/// The transitions of a file about which there is nothing to say.
#[track_caller]
fn clean(text: &str, options: &ReadOptions) -> Vec<String> {
    let (lts, told) = read(text, options);
    assert_eq!(told, [""; 0], "{text}");
    rows(&lts.unwrap())
}

/// What there is to say about a file.
fn told(text: &str, options: &ReadOptions) -> Vec<String> {
    read(text, options).1
}

#[test]
fn labels_of_machines() {
    for (label, expected) in [
        (r#""a / 1""#, &["a/1"][..]),
        (r#""a/1""#, &["a/1"]),
        (
            r#""SYN(V,V,0)/ACK+RST(ZERO,NEXT,0)""#,
            &["SYN(V,V,0)/ACK+RST(ZERO,NEXT,0)"],
        ),
        (
            r#""SubscribeRetained / SubAck__Pub(my_topic/retained,m)""#,
            &["SubscribeRetained/SubAck__Pub(my_topic/retained,m)"],
        ),
        (
            r#""X/Alert Fatal (Unexpected message) & ConnectionClosed""#,
            &["X/Alert Fatal (Unexpected message) & ConnectionClosed"],
        ),
        (
            "<ClientHelloRSA<br />ServerHello / Certificate>",
            &["ClientHelloRSA / ServerHello / Certificate"],
        ),
        (r#""ai1_ce1/usr1_ai1_ce1""#, &["ai1_ce1/usr1_ai1_ce1"]),
        (r#""in\nout""#, &["in/out"]),
        (r#""a/0\nb/1""#, &["a/0", "b/1"]),
        (r#""a/0\lb/1\l""#, &["a/0", "b/1"]),
        (r#""say \"hi\" / ok""#, &["say \"hi\"/ok"]),
        ("\"Abs.: 'x'\nRep.: 'x'\"", &["Abs.: 'x'/Rep.: 'x'"]),
        (
            "<<table><tr><td>in</td><td>/</td><td>out</td></tr></table>>",
            &["in/out"],
        ),
        (r#""a/b" + " / c""#, &["a/b / c"]),
    ] {
        let text = graph(&format!("s0 -> s0 [label={label}];"));
        let expected: Vec<_> = expected.iter().map(|l| format!("0 {l} 0")).collect();
        assert_eq!(clean(&text, &mealy()), expected, "{label}");
    }
    // an empty output is the empty word, which is said once
    let text = graph("s0 -> s0 [label=\"a/\"]; s0 -> s0 [label=\"b/\"]");
    let (lts, told) = read(&text, &mealy());
    assert_eq!(rows(&lts.unwrap()), ["0 a/ 0", "0 b/ 0"]);
    assert_eq!(told, ["warning mealy-empty-output 2:1"]);
    // lines that are pairs by different separators
    let mixed = graph(r#"s0 -> s0 [label="a/0\nb / 1"]"#);
    let (lts, told) = read(&mixed, &mealy());
    assert_eq!(rows(&lts.unwrap()), ["0 a/0 / b / 1 0"]);
    assert_eq!(told, ["warning mealy-lines 2:1"]);
    let mirrored = graph(r#"s0 -> s0 [label="a / 0\nb/1\n"]"#);
    let (lts, told) = read(&mirrored, &mealy());
    assert!(lts.is_none());
    assert_eq!(told, ["error mealy-label 2:1"]);
    let mut tight = mealy();
    if let Some(mealy) = &mut tight.mealy {
        mealy.syntax.separator = Some(b"/".to_vec());
    }
    for text in [mixed, mirrored] {
        assert_eq!(clean(&text, &tight), ["0 a/0 0", "0 b/1 0"], "{text}");
    }
}

#[test]
fn options_of_machines() {
    let syntax = |syntax: MealySyntax| ReadOptions {
        mealy: Some(ReadMealy {
            syntax,
            io_steps: false,
            ..ReadMealy::default()
        }),
        ..plain()
    };
    let text = graph(r#"s0 -> s0 [label="a | b / 1"]"#);
    let bars = syntax(MealySyntax {
        alternatives: Some(b" | ".to_vec()),
        ..MealySyntax::default()
    });
    assert_eq!(clean(&text, &bars), ["0 a/1 0", "0 b/1 0"]);
    assert_eq!(clean(&text, &mealy()), ["0 a | b/1 0"]);
    let text = graph(r#"s0 -> s0 [label="a/b#c"]"#);
    let hash = syntax(MealySyntax {
        separator: Some(b"#".to_vec()),
        ..MealySyntax::default()
    });
    assert_eq!(clean(&text, &hash), ["0 a/b / c 0"]);
    let last = syntax(MealySyntax {
        last: true,
        ..MealySyntax::default()
    });
    let text = graph(r#"s0 -> s0 [label="a/b/c"]"#);
    assert_eq!(clean(&text, &last), ["0 a/b / c 0"]);
    let text = graph(r#"s0 -> s0 [label="a / 1 "]"#);
    let blanks = syntax(MealySyntax {
        keep_blanks: true,
        ..MealySyntax::default()
    });
    assert_eq!(clean(&text, &blanks), ["0 a/1  0"]);
    let steps = ReadOptions {
        mealy: Some(ReadMealy {
            io_steps: true,
            ..ReadMealy::default()
        }),
        ..plain()
    };
    let text = graph(r#"s0 -> s1 [label="a/1"]; s1 -> s0 [label="a/2"]"#);
    assert_eq!(
        clean(&text, &steps),
        ["0 ?a 2", "1 ?a 3", "2 !1 1", "3 !2 0"]
    );
}

#[test]
fn machines_that_are_none() {
    for (statements, expected) in [
        ("s0 -> s1;", "error dot-no-label 2:1"),
        (" s0 -> s1 [label=\"a\"]", "error mealy-label 2:2"),
        ("s0 -> s1 [label=\"/1\"]", "error mealy-label 2:1"),
        ("s0 -> s1 [label=\"c:0.5\"]", "error mealy-label 2:1"),
        ("s0 -> s1 [label=\"i\"]", "error mealy-label 2:1"),
        (
            "s0 -> s0 [label=\"a/0\"]\ns0 -> s0 [label=\"a/1\"]",
            "error mealy-nondeterministic 3:1",
        ),
        (
            "s0 -> s0 [label=\"a/0\"]\n s0 -> s1 [label=\"a/0\"]",
            "error mealy-nondeterministic 3:2",
        ),
    ] {
        let told = told(&graph(statements), &mealy());
        assert!(
            told.contains(&expected.to_owned()),
            "{statements}: {told:?}"
        );
    }
    let missing = graph("s0 -> s1 [label=\"a/0\"]; s1 -> s0 [label=\"b/0\"]");
    let told = told(&missing, &mealy());
    assert_eq!(told.len(), 1);
    assert!(
        told[0].contains("2 of 4 pairs") && told[0].contains("state `s0` with input `b`"),
        "{told:?}"
    );
    // equal transitions are one
    let twice = graph("s0 -> s0 [label=\"a/0\"]; s0 -> s0 [label=\"a / 0\"]");
    assert_eq!(clean(&twice, &mealy()), ["0 a/0 0"]);
    assert_eq!(clean(&twice, &plain()), ["0 a/0 0", "0 a / 0 0"]);
}

#[test]
fn statements() {
    for (statements, expected) in [
        ("s0 -> s1  [label=a];", &["0 a 1"][..]),
        (
            "s0; s1 -> s2 -> s3 [label=\"x / 0\"]",
            &["1 x / 0 2", "2 x / 0 3"],
        ),
        (
            "s0; {s1; s2} -> s0 [label=\"r / 0\"]",
            &["1 r / 0 0", "2 r / 0 0"],
        ),
        (
            "s0 -> {s1 s2} -> s1 [label=a]",
            &["0 a 1", "0 a 2", "1 a 1", "2 a 1"],
        ),
        (
            "{s0 s1 s0} -> subgraph x {s1 -> s2 [label=b]} [label=a]",
            &["0 a 1", "0 a 2", "1 b 2", "1 a 1", "1 a 2"],
        ),
        (
            "{{s0} -> s1 [label=a]} -> s2 [label=b]",
            &["0 a 1", "0 b 2", "1 b 2"],
        ),
        ("{} -> s0 [label=a] s0 -> {} [label=a]", &[]),
        // lists, as GraphViz has them
        ("s0, s1:n -> s2 [label=a]", &["0 a 2", "1 a 2"]),
        (
            "s0, s1 -> s2, s3 -> s0 [label=a]",
            &["0 a 2", "0 a 3", "1 a 2", "1 a 3", "2 a 0", "3 a 0"],
        ),
        ("node [shape=circle]; rankdir=LR; \"a b\" = <c>; s0", &[]),
        ("edge [label=a] s0 -> s1", &["0 a 1"]),
        (
            "edge [label=a] { edge [label=b] s0 -> s1 } s0 -> s1; edge [x]; s0 -> s0 [label=c]",
            &["0 b 1", "0 a 1", "0 c 0"],
        ),
        ("s0 -> s1 [label=a] [label=b, color=red; bold]", &["0 b 1"]),
        ("s0 -> s1 [xlabel=a]", &["0 a 1"]),
        ("s0 -> s1 [xlabel=a label=b]", &["0 b 1"]),
        ("s0 -> s1 [label=\"\"]", &["0  1"]),
        ("s0:n -> s1:p:sw [label=a]", &["0 a 1"]),
        ("\"s0\" -> s1 [\"label\"=\"a\"]", &["0 a 1"]),
        (
            "s0 -> -1.5 [label=a] s0 -> 007 [label=b]",
            &["0 a 1", "0 b 2"],
        ),
        ("s0 -> \"node\" [label=a]", &["0 a 1"]),
        ("s0 -> <b> [label=a] s0 -> b [label=a]", &["0 a 1", "0 a 2"]),
        (
            "s0 -> s1 [label=i] s0 -> s1 [label=j]",
            &["0 <hidden> 1", "0 j 1"],
        ),
        (
            "SUBGRAPH { Node [x=y] EDGE [label=a] s0 -> s0 } GRAPH [y=z]",
            &["0 a 0"],
        ),
    ] {
        let (lts, told) = read(&graph(statements), &plain());
        assert_eq!(told, [""; 0], "{statements}");
        assert_eq!(rows(&lts.unwrap()), expected, "{statements}");
    }
}

#[test]
fn headers_and_comments() {
    for text in [
        "digraph{s0}",
        "strict digraph g { s0 }",
        "STRICT DiGraph \"g h\" { s0; }",
        "\u{feff}# a line\n/* b */ digraph // c\n <g> {\n# d\ns0 }\n# e",
        "digraph -1 {\r\ns0\r\n}\r\n",
    ] {
        assert_eq!(clean(text, &plain()), [""; 0]);
    }
}

#[test]
fn what_is_found_in_place_of_an_edge_is_told() {
    for (text, found) in [
        ("digraph { s0 - s1 }", "`-`"),
        ("digraph { s0 -s1; }", "`-s1;`"),
        ("digraph { s0 .", "`.`"),
    ] {
        let source = Source::from_bytes("f", text.into(), Some(Format::Dot)).unwrap();
        let mut told = Vec::new();
        let _ = read_lts(source, &plain(), &mut |d| told.push(d.text));
        let expected = format!(
            "expected a number, `->` or a name, which needs quotes if it is no word, found {found}"
        );
        assert_eq!(told, [expected], "{text}");
    }
}

#[test]
fn what_is_no_digraph() {
    for (text, at) in [
        ("graph g { a }", "1:1"),
        ("strict\n graph { a }", "2:2"),
        ("digraph { a -- b }", "1:13"),
        ("digraph { a -> b -- c }", "1:18"),
        ("digraph { {a} -- c }", "1:15"),
        ("digraph [", "1:9"),
        ("digraph a b {", "1:11"),
        ("digraf { }", "1:1"),
        ("{ }", "1:1"),
        ("", "1:1"),
        ("digraph { a", "1:12"),
        ("digraph { a } }", "1:15"),
        ("digraph { a } digraph { b }", "1:15"),
        ("digraph { a -> }", "1:16"),
        ("digraph { a -> ; b }", "1:16"),
        ("digraph { -> b }", "1:11"),
        ("digraph { a [label=] }", "1:20"),
        ("digraph { a [label=b", "1:21"),
        ("digraph { a [=b] }", "1:14"),
        ("digraph { a: -> b }", "1:14"),
        ("digraph { node -> b }", "1:16"),
        ("digraph { a -> node }", "1:16"),
        ("digraph { a, -> b }", "1:14"),
        ("digraph { a, node -> b }", "1:14"),
        ("digraph { a, subgraph b { } -> b }", "1:14"),
        ("digraph { a, {b} -> c }", "1:14"),
        ("digraph { {a}, b -> c }", "1:14"),
        ("digraph { , a }", "1:11"),
        ("digraph { digraph [a] }", "1:11"),
        ("digraph { {a} [label=b] }", "1:15"),
        ("digraph { subgraph a b }", "1:22"),
        ("digraph { a ]", "1:13"),
        ("digraph { a\n 1b }", "2:2"),
        ("digraph { a\n \"b }", "2:2"),
        ("digraph { a /* b }", "1:13"),
        ("digraph { a <b }", "1:13"),
    ] {
        let expected = format!("error dot-syntax {at}");
        assert_eq!(told(text, &plain()), [expected], "{text}");
    }
}

/// The state names of a file in order, and the diagnostics.
fn names(text: &str, options: &ReadOptions) -> (Vec<String>, Vec<String>) {
    let (lts, told) = read(text, options);
    let names = lts.map_or(Vec::new(), |lts| {
        known(&lts)
            .into_iter()
            .map(|v| v.concat().concat())
            .collect()
    });
    (names, told)
}

#[test]
fn initial_states() {
    let red = "x [color=red]; x -> y [label=a]";
    for (statements, expected) in [
        ("a; b; __start0 -> b", "b a"),
        (
            "a; b; __start0 -> b [label=\"\"]; __start0 [label=\"\", shape=none]",
            "b a",
        ),
        // these names need an invisible node without incoming edges
        ("a; b; __start [shape=none]; __start -> b", "b a"),
        ("a; b; __init9 [shape=point]; __init9 -> b", "b a"),
        ("a; b; start [shape=plaintext]; start -> b", "b a"),
        ("a; b; init [style=\"bold, invis\"]; init -> b", "b a"),
        ("a; b; \"\" [shape=none]; \"\" -> b", "b a"),
        (
            "node [shape=point] start; node [shape=circle] a; b; start -> b",
            "b a",
        ),
        // drawn as initial
        ("a; b [initial=true]", "b a"),
        ("a; b [initial]", "b a"),
        ("a; b [initial=false]; c [initial=TRUE]", "c a b"),
        ("a; b; b [color=blue]; b [color=\"red\"]", "b a"),
        (red, "x y"),
        // names
        // nodes between commas share what is said of them
        ("a, b [initial=true]; b [initial=false]; c, d", "a b c d"),
        ("a; 0; q0; S0; s0", "s0 a 0 q0 S0"),
        // the first node is none that only leads there
        ("a -> s0 [label=x]; s0 -> a [label=x]", "s0 a"),
        ("a -> a [label=x]; s0 -> b [label=x]", "s0 a b"),
        ("s0; a -> s0 [label=x]", "s0 a"),
        ("a; 0; q0; S0", "S0 a 0 q0"),
        ("a; 0; q0", "q0 a 0"),
        ("a; 0", "0 a"),
    ] {
        let (names, told) = names(&format!("digraph {{ {statements} }}"), &plain());
        assert_eq!(told, [""; 0], "{statements}");
        assert_eq!(names.join(" "), expected, "{statements}");
    }
    for (statements, expected, warnings) in [
        ("a; b", "a b", 1),
        // a mark without an edge
        ("__start0 [label=\"\" shape=\"none\"]; a; b", "a b", 2),
        ("__start0 [shape=none]; a; s0", "s0 a", 1),
        ("a; b [color=red]; c [color=red]", "a b c", 1),
        // the name tells it, but another one comes first
        ("a -> s0 [label=x]; s0 -> b [label=x]", "s0 a b", 1),
        ("a -> 0 [label=x]; a -> a [label=x]", "0 a", 1),
        // visible, or with incoming edges: a node like others
        ("a; start [label=x]", "a x", 1),
        ("a -> start [label=x]; start [shape=none]", "a start", 1),
        // edges to marks are left out
        ("a -> __start0 [label=x]; __start0 -> a", "a", 1),
    ] {
        let (names, told) = names(&format!("digraph {{ {statements} }}"), &plain());
        assert_eq!(names.join(" "), expected, "{statements}");
        assert_eq!(told.len(), warnings, "{statements}: {told:?}");
        assert!(
            told.iter().all(|t| t.starts_with("warning dot-")),
            "{told:?}"
        );
    }
}

#[test]
fn initial_states_that_are_asked_for() {
    let text = "digraph { __start0 [shape=none]; __start0 -> a; a -> b [label=x]; c }";
    let init = |name: &str| {
        with(ReadDot {
            init: Some(name.into()),
            ..ReadDot::default()
        })
    };
    assert_eq!(names(text, &init("b")).0, ["b", "a", "c"]);
    for name in ["d", "__start0"] {
        assert_eq!(told(text, &init(name)), ["error dot-no-init 1:1"]);
    }
    // several; the place is that of the edge that marks the second one
    let several = |text: &str| {
        let mark = text.find("__start1").or(text.find("__start0"));
        let column = mark.map_or(1, |at| at + 1);
        format!("error dot-several-initial 1:{column}")
    };
    for text in [
        "digraph { __start0 -> a; __start1 -> b; c }",
        "digraph { __start0 -> {a b}; c }",
        "digraph { a [initial]; b [initial]; c }",
        "digraph { subgraph x { __start0 -> a } __start1 -> b; c }",
        "digraph { subgraph x { subgraph y { __start0 -> a } subgraph z { __start1 -> b } c } }",
    ] {
        assert_eq!(told(text, &plain()), [several(text)], "{text}");
        let all = ReadOptions {
            dot: ReadDot {
                multi_init: true,
                ..ReadDot::default()
            },
            ..plain()
        };
        let (lts, _) = read(text, &all);
        let lts = lts.unwrap();
        assert_eq!(rows(&lts), ["0 <hidden> 1", "0 <hidden> 2"], "{text}");
        assert_eq!(lts.states(), 4);
        assert_eq!(known(&lts)[0], [[""; 0]; 0]);
        let machine = ReadOptions {
            mealy: Some(ReadMealy::default()),
            ..all
        };
        assert_eq!(told(text, &machine), [several(text)]);
    }
    let twice = "digraph { __start0 -> a; __start1 -> a }";
    assert_eq!(names(twice, &plain()).0, ["a"]);
}

#[test]
fn one_automaton_of_several() {
    let text = "digraph g {\n\
        subgraph cluster0 { __start0 -> c0_s0; c0_s0 -> c0_s1 [label=a]; label=\"x\" }\n\
        subgraph cluster1 { __start0 -> c1_s0; { c1_s0 -> c1_s0 [label=b] } }\n\
        c1_s0 -> c0_s0 [label=c] }";
    assert_eq!(told(text, &plain()), ["error dot-several-automata 1:1"]);
    let choose = |name: &str| {
        with(ReadDot {
            automaton: Some(name.into()),
            ..ReadDot::default()
        })
    };
    let (lts, told) = read(text, &choose("cluster0"));
    assert_eq!(told, [""; 0]);
    assert_eq!(rows(&lts.unwrap()), ["0 a 1"]);
    assert_eq!(clean(text, &choose("cluster1")), ["0 b 0"]);
    assert_eq!(read(text, &choose("cluster2")).1, ["error dot-empty 1:1"]);
}

#[test]
fn dialects() {
    // LearnLib
    let text = "digraph g {\n\n\ts0 [shape=\"circle\" label=\"0\"];\n\ts1 [shape=\"circle\" label=\"1\"];\n\
        \ts0 -> s1 [label=\"a / 1\"];\n\ts1 -> s0 [label=\"a / 0\"];\n\n\
        __start0 [label=\"\" shape=\"none\" width=\"0\" height=\"0\"];\n__start0 -> s1;\n\n}\n";
    assert_eq!(clean(text, &mealy()), ["0 a/0 1", "1 a/1 0"]);
    // The initial state has number 0, and is not s0.
    assert!(read(text, &mealy()).0.unwrap().state_labels().is_some());
    // statelearner
    let text = "digraph G {\nlabel=\"\"\ns1\ns0 [color=\"red\"]\ns0 [label=\"s0\"];\n\
        s1 -> s0[label=\"IN/OUT\"]\ns0 -> s0[label=\"IN/OUT\"]\n}";
    assert_eq!(clean(text, &mealy()), ["0 IN/OUT 0", "1 IN/OUT 0"]);
    // mCRL2
    let text = "digraph G {\ncenter = TRUE;\nmclimit = 10.0;\nnodesep = 0.05;\n\
        node [ width=0.25, height=0.25, label=\"\" ];\nS1 [ peripheries=2 ];\nS0\nS1\n\
        S1 -> S0[label=\"a(1)\"];\nS0 -> S1[label=\"tau\"];\n}\n";
    let mcrl2 = ReadOptions {
        dialect: Some(Dialect::Mcrl2),
        ..plain()
    };
    assert_eq!(clean(text, &mcrl2), ["0 a(1) 1", "1 <hidden> 0"]);
    assert_eq!(told(text, &plain()), ["warning dot-tau-hint 10:16"]);
    let named = ReadOptions {
        hidden: vec![b"a(1)".to_vec(), b"tau".to_vec()],
        ..plain()
    };
    assert_eq!(clean(text, &named), ["0 <hidden> 1", "1 <hidden> 0"]);
    // mCRL2, of a system with state labels
    let text = "digraph G {\ncenter = TRUE;\nmclimit = 10.0;\nnodesep = 0.05;\n\
        node [ width=0.25, height=0.25, label=\"\" ];\ns1 [ peripheries=2 ];\n\
        s0 [label=\"(F,1)\"];\ns1 [label=\"(T,2)\"];\n\
        s0->s1[label=\"r1(d1)\"];\ns1->s0[label=\"a\"];\n}\n";
    assert_eq!(clean(text, &plain()), ["0 a 1", "1 r1(d1) 0"]);
    // modal systems
    let text = graph("s0 -> s0 [label=a modality=\"MAY\"]");
    assert!(told(&text, &plain())[0].starts_with("warning dot-modality"));
}

#[test]
fn what_is_left_of_a_value() {
    for (attributes, column) in [
        (r#"label="MSG !"ping" !1""#, 24),
        (r#"label="a"b""#, 20),
        (r#"label="f("a","b")""#, 21),
        (r#"label="f(",")""#, 22),
        (r#"label="say ""hi""#, 23),
        (r#"label=coin 1"#, 22),
        (r#"label="a" bold"#, 21),
        (r#""a""#, 11),
    ] {
        let text = format!("digraph{{\ns0 -> s1 [{attributes}];\n}}");
        let told = told(&text, &plain());
        assert_eq!(told.len(), 1, "{attributes}");
        assert!(
            told[0].starts_with("error dot-syntax"),
            "{attributes}: {told:?}"
        );
        let place = format!("2:{column}");
        assert!(told[0].contains(&place), "{attributes}: {told:?}");
    }
    for attributes in [
        r#"label="MSG !\"ping\" !1""#,
        r#"bold label=a"#,
        r#"label=a, bold"#,
        r#"label="a""color"=blue"#,
        r#"label="a"; bold][dashed"#,
    ] {
        let text = graph(&format!("s0 -> s1 [{attributes}];"));
        assert_eq!(clean(&text, &plain()).len(), 1, "{attributes}");
    }
}

fn outputs(outputs: StateOutputs) -> ReadOptions {
    with(ReadDot {
        outputs,
        ..ReadDot::default()
    })
}

/// As AALpy writes it.
const MOORE: &str = "digraph m {\ns0 [label=\"s0|1\", shape=record, style=rounded];\n\
    s1 [label=\"s1|0\", shape=record, style=rounded];\ns0 -> s1  [label=\"a\"];\n\
    s1 -> s0  [label=\"a\"];\n\
    __start0 [label=\"\", shape=none];\n__start0 -> s0  [label=\"\"];\n}\n";

#[test]
fn outputs_of_states() {
    assert_eq!(told(MOORE, &plain()), ["error dot-outputs 2:11"]);
    let (lts, told_) = read(MOORE, &outputs(StateOutputs::Ignored));
    assert_eq!(told_, [""; 0]);
    let lts = lts.unwrap();
    assert_eq!(rows(&lts), ["0 a 1", "1 a 0"]);
    assert_eq!(known(&lts), [[["s0|1"]], [["s1|0"]]]);
    let expected = ["0 /1 1", "1 a/0 2", "2 a/1 1"];
    for moore in [StateOutputs::Moore, StateOutputs::Shown] {
        assert_eq!(clean(MOORE, &outputs(moore)), expected);
    }
    let (lts, _) = read(MOORE, &outputs(StateOutputs::Moore));
    assert!(lts.unwrap().state_labels().is_none());
    // names that tell more than a number are kept, and the state before has none
    let text = graph("idle [label=\"idle / 0\"]; s0 [label=\"0 / 1\"] s0 -> idle [label=\"x\"]");
    let (lts, _) = read(&text, &outputs(StateOutputs::Moore));
    let lts = lts.unwrap();
    assert_eq!(rows(&lts), ["0 /1 1", "1 x/0 2"]);
    assert_eq!(known(&lts), [vec![], vec![["0"]], vec![["idle"]]]);
    // each node needs an output
    let text = graph("s0 [label=\"s0|1\"]; s1 [label=s1]; s0 -> s1 [label=x]");
    let told_ = told(&text, &outputs(StateOutputs::Moore));
    assert_eq!(told_, ["error dot-no-output 2:30"]);
    // an input that no label can hold, beside others
    let both = graph("s0 [label=\"0 / 1\"]; s0 -> s0 [label=\"a\\nb\"]");
    assert_eq!(
        told(&both, &outputs(StateOutputs::Moore)),
        ["error mealy-label 2:37"]
    );
    let two = graph("s0 [label=\"0 / 1\"]; s1 [label=\"1 / 1\"]; s0 -> {s0 s1} [label=a]");
    let told_ = told(&two, &outputs(StateOutputs::Moore));
    assert!(
        told_[0].starts_with("error mealy-nondeterministic"),
        "{told_:?}"
    );
    let several = "digraph { s0 [label=\"s0|1\"] s1 [label=\"s1|2\"] __start0 -> {s0 s1} }";
    let mut options = outputs(StateOutputs::Moore);
    options.dot.multi_init = true;
    assert!(told(several, &options)[0].starts_with("error dot-several-initial"));
    // options of Mealy machines
    let mut options = outputs(StateOutputs::Moore);
    options.mealy = Some(ReadMealy {
        syntax: MealySyntax {
            alternatives: Some(b",".to_vec()),
            ..MealySyntax::default()
        },
        initial: InitialOutput::Needed,
        io_steps: true,
        is_part: false,
        otherwise: "",
    });
    let text = graph("s0 [label=\"0 / 1\"]; s0 -> s0 [label=\"a, b/c\"]");
    let steps = ["0 !1 1", "1 ?a 2", "1 ?b/c 3", "2 !1 1", "3 !1 1"];
    assert_eq!(clean(&text, &options), steps);
}

#[test]
fn what_counts_as_an_output() {
    for shown in [
        "s0 [label=\"s0\\nA\"]; s1 [label=s1]; s0 -> s1 [label=a]",
        // inputs with a slash
        "s0 [label=\"s0\\nA\"]; s1 [label=\"s1\\nB\"]; s0 -> s1 [label=\"GET /x\"]",
        "s0 [label=\"0 / A\"]; s0 -> s0 [label=a]",
        "s0 [label=\"0 / \"]; s0 -> s0 [label=a]",
        "s0 [label=\"{ 0 | A }\"]; s0 -> s0 [label=a]",
        "s0 [label=<s0<br/>A>]",
        "s0 [label=\"idle|A\" shape=Mrecord]; s0 -> s0 [label=a]",
        "s0 [label=\"idle / A\"]; s1 [label=\"busy / B\"]; s0 -> s1 [label=a]",
        // names of the states' own, in one way, with outputs that differ
        "s0 [label=\"idle\\nOFF\"]; s1 [label=\"busy\\nON\"]; s0 -> s1 [label=a]",
        "s0 [label=\"idle|OFF\"]; s1 [label=\"busy|ON\"]; s0 -> s1 [label=a]",
        "s0 [label=\"idle/OFF\"]; s1 [label=\"busy/ON\"]; s0 -> s1 [label=a]",
        "s0 [label=\"idle\\nOFF\"]; s1 [label=\"busy\\nON\"]; s0 -> s1 [label=\"a/b\"]",
        "node [shape=none]; s0 [label=<<table><tr><td>idle</td><td>OFF</td></tr></table>>]; \
         s1 [label=<<TABLE><TR><TD>busy</TD><TD>ON</TD></TR></TABLE>>]; s0 -> s1 [label=a]",
        "s0 [label=<<table><tr><td>s0</td><td>OFF</td></tr></table>>]; s0 -> s0 [label=a]",
        "s0 [output=OFF]; s1 [output=ON]; s0 -> s1 [label=a]",
        // pairs, and yet all nodes have outputs
        "s0 [label=\"s0|A\" shape=record]; s0 -> s0 [label=\"a/b\"]",
    ] {
        let told_ = told(&graph(shown), &plain());
        assert!(
            told_[0].starts_with("error dot-outputs"),
            "{shown}: {told_:?}"
        );
        assert_eq!(told_.len(), 1);
        for ignored in [outputs(StateOutputs::Ignored), mealy()] {
            let told_ = told(&graph(shown), &ignored);
            assert!(!told_.iter().any(|t| t.contains("dot-outputs")), "{shown}");
        }
    }
    for note in [
        "s0 [label=\"s0\"]; s0 -> s0 [label=a]",
        "s0 [label=\"x=0\\nx=1\"]; s0 -> s0 [label=a]",
        "s0 [label=\"P | Q\"]; s1 [label=\"P\"]; s0 -> s1 [label=a]",
        "s0 [label=\"1 / 2\"]; s1 [label=\"whole\"]; s0 -> s1 [label=a]",
        "s0 [label=\"/\\ x = 1\\n/\\ y = 2\"]; s0 -> s0 [label=a]",
        "s0 [label=\"x=0\\ny=1\"]; s1 [label=\"x=1\\ny=0\"]; s0 -> s1 [label=a]",
        "s0 [label=\"x=1 / 2\"]; s1 [label=\"x=3 / 4\"]; s0 -> s1 [label=a]",
        "s0 [label=idle]; s1 [label=\"busy\\nON\"]; s0 -> s1 [label=a]",
        "s0 [label=idle]; s1 [label=busy]; s0 -> s1 [label=a]",
        "node [label=\"\"]; s0; s1; s0 -> s1 [label=a]",
        "s0 [label=\"idle\\nOFF\"]; s1 [label=busy]; s0 -> s1 [label=\"a/b\"]",
        "s0 [label=idle xlabel=OFF]; s1 [xlabel=ON]; s0 -> s1 [label=\"a/b\"]",
        // notes of a Mealy machine
        "s0 [label=\"s0\\nidle\"]; s1; s0 -> s1 [label=\"a / 1\"]",
        "s0 [label=\"s0|idle\"]; s1; s0 -> s1 [label=\"a/1\"]",
        // marks are no states
        "s0; __start0 [label=\"s0\\nA\" shape=doublecircle]; s0 -> s0 [label=a]",
    ] {
        assert_eq!(told(&graph(note), &plain()), [""; 0], "{note}");
    }
}

#[test]
fn what_may_be_outputs() {
    for (doubtful, expected) in [
        (
            "s0 [label=OFF]; s1 [label=ON]; s2 [label=OFF]; s0 -> s1 -> s2 [label=a]",
            &["0 /OFF 1", "1 a/ON 2", "2 a/OFF 3"][..],
        ),
        (
            "s0 [label=0]; s1 [label=1]; s2 [label=0]; s0 -> s1 -> s2 [label=a]",
            &["0 /0 1", "1 a/1 2", "2 a/0 3"],
        ),
        (
            "s0 [xlabel=OFF]; s1 [xlabel=\"x / y\" label=busy]; s0 -> s1 [label=a]",
            &["0 /OFF 1", "1 a / x / y 2"],
        ),
        (
            "s0 [label=\"q|A\"]; s1 [label=\"q|B\"]; s0 -> s1 [label=a]",
            &["0 /A 1", "1 a/B 2"],
        ),
    ] {
        let text = graph(doubtful);
        let told_ = told(&text, &plain());
        assert_eq!(told_.len(), 1, "{doubtful}: {told_:?}");
        assert!(told_[0].starts_with("warning dot-outputs"), "{told_:?}");
        assert_eq!(told(&text, &outputs(StateOutputs::Ignored)), [""; 0]);
        let (lts, _) = read(&text, &outputs(StateOutputs::Moore));
        assert_eq!(rows(&lts.unwrap()), expected, "{doubtful}");
    }
    // names that are all different and one output, which may be another elsewhere
    for (constant, expected) in [
        (
            "s0 [label=\"idle\\nA\"]; s1 [label=\"busy\\nA\"]; s0 -> s1 [label=a]",
            &["0 /A 1", "1 a/A 2"],
        ),
        (
            "s0 [label=\"q0\\n1\"]; s0 -> s0 [label=a]",
            &["0 /1 1", "1 a/1 1"],
        ),
    ] {
        let text = graph(constant);
        let told_ = told(&text, &plain());
        assert!(told_[0].starts_with("error dot-outputs"), "{told_:?}");
        assert_eq!(told(&text, &outputs(StateOutputs::Ignored)), [""; 0]);
        let (lts, _) = read(&text, &outputs(StateOutputs::Moore));
        assert_eq!(rows(&lts.unwrap()), expected, "{constant}");
    }
    // the attribute goes before all, for all nodes
    let text = graph("s0 [label=\"0 / A\" output=B]; s1 [output=\"\"] s0 -> s1 [label=a]");
    let (lts, told_) = read(&text, &outputs(StateOutputs::Moore));
    assert_eq!(rows(&lts.unwrap()), ["0 /B 1", "1 a/ 2"]);
    assert!(
        told_[0].starts_with("warning mealy-empty-output"),
        "{told_:?}"
    );
    for forgotten in [
        "s0 [output=A]; s1; s0 -> s1 [label=a]",
        "s0 [label=\"idle / A\"]; s1 [label=busy]; s0 -> s1 [label=a]",
        "s0 [label=s0]; s1 [label=1]; s0 -> s1 [label=a]",
        "s0 [label=A]; s1; s0 -> s1 [label=a]",
    ] {
        let told_ = told(&graph(forgotten), &outputs(StateOutputs::Moore));
        assert!(
            told_[0].starts_with("error dot-no-output"),
            "{forgotten}: {told_:?}"
        );
    }
    // who wants a machine is told how, where no label is a pair
    let text = graph("s0 [label=OFF]; s1 [label=ON]; s0 -> s1 [label=a]");
    let told_ = told(&text, &outputs(StateOutputs::Shown));
    assert!(told_[0].starts_with("error mealy-label 2:"), "{told_:?}");
}

#[test]
fn acceptance() {
    let text = graph(
        "s0 [label=0]; s1 [shape=doublecircle label=1]; s0 -> s1 [label=i]; s1 -> s0 [label=tau]",
    );
    let refused = &told(&text, &plain())[..];
    assert!(
        refused[0].starts_with("error dot-accepting: node `s1`"),
        "{refused:?}"
    );
    assert!(refused[0].contains("--dfa") && refused[0].contains("--ignore-outputs"));
    assert_eq!(refused.len(), 1);
    let yes = || outputs(StateOutputs::Accepting(b"yes".to_vec()));
    // no letter is hidden
    let (lts, _) = read(&text, &yes());
    assert_eq!(rows(&lts.unwrap()), ["0 i 1", "1 tau 0", "1 yes 1"]);
    let named = ReadOptions {
        dialect: Some(Dialect::Mcrl2),
        ..yes()
    };
    let hidden = ["0 i 1", "1 <hidden> 0", "1 yes 1"];
    assert_eq!(clean(&text, &named), hidden);
    for label in ["i", "tau"] {
        let clash = outputs(StateOutputs::Accepting(label.as_bytes().to_vec()));
        let told_ = told(&text, &clash);
        assert!(told_[0].starts_with("error dot-accepting"), "{told_:?}");
    }
    let (lts, told_) = read(&text, &outputs(StateOutputs::Ignored));
    assert_eq!(told_, ["warning dot-tau-hint 2:84"]);
    assert_eq!(lts.unwrap().transitions(), 2);
    // for who needs a machine
    let shown = ["0 /reject 1", "1 i/accept 2", "2 tau/reject 1"];
    let (lts, _) = read(&text, &outputs(StateOutputs::Shown));
    assert_eq!(rows(&lts.unwrap()), shown);
    // a Mealy machine with double circles
    let pairs = graph("s0 [shape=doublecircle]; s0 -> s0 [label=\"a/1\"]");
    assert!(told(&pairs, &mealy())[0].starts_with("warning dot-accepting"));
    assert!(told(&pairs, &plain())[0].starts_with("error dot-accepting"));
    // two peripheries are the same, but for the initial state of mCRL2
    let twice = "digraph { center=TRUE; S0; S1 [peripheries=2]; S0 -> S1 [label=a] }";
    assert_eq!(clean(twice, &plain()), ["1 a 0"]);
    // unless the user says that it is an automaton
    assert_eq!(clean(twice, &yes()), ["0 a 1", "1 yes 1"]);
    // or it would have several initial states, or something else tells it
    for other in [
        "digraph { center=TRUE; S0 [peripheries=2]; S1 [peripheries=2]; S0 -> S1 [label=a] }",
        "digraph { center=TRUE; S0 [initial=true]; S1 [peripheries=2]; S0 -> S1 [label=a] }",
        "digraph { center=TRUE; S0; S1 [peripheries=2]; __start0 -> S0; S0 -> S1 [label=a] }",
        // or it does not begin as mCRL2 begins
        "digraph { S0; S1 [peripheries=2]; S0 -> S1 [label=a] }",
        "digraph { s0; s1 [peripheries=2]; s0 -> s1 [label=a] }",
    ] {
        let told_ = told(other, &plain());
        assert!(told_[0].starts_with("error dot-accepting"), "{told_:?}");
        assert_eq!(rows(&read(other, &yes()).0.unwrap())[0], "0 a 1");
    }
    // which has no other names than this
    let other = "digraph { center=TRUE; a; S1 [peripheries=2] }";
    assert!(told(other, &plain())[1].starts_with("error dot-accepting"));
    // other outlines that are drawn twice or more
    for outline in [
        "shape=doubleoctagon",
        "shape=tripleoctagon",
        "peripheries=3",
    ] {
        let graph = graph(&format!("s0; s1 [{outline}]; s0 -> s1 [label=a]"));
        assert!(told(&graph, &plain())[0].starts_with("error dot-accepting"));
        assert_eq!(clean(&graph, &yes()), ["0 a 1", "1 yes 1"]);
    }
    let single = graph("s0; s1 [peripheries=1]; s0 -> s1 [label=a]");
    assert_eq!(clean(&single, &plain()), ["0 a 1"]);
    let twice = graph("s0; s1 [peripheries=2]; s0 -> s1 [label=a]");
    assert!(told(&twice, &plain())[0].starts_with("error dot-accepting"));
    assert_eq!(clean(&twice, &yes()), ["0 a 1", "1 yes 1"]);
    // outputs, which an automaton has not
    let moore = graph("s0 [label=\"s0|A\"]; s1 [label=\"s1|B\"]; s0 -> s1 [label=a]");
    assert!(told(&moore, &yes())[0].starts_with("warning dot-outputs"));
    // names of nodes within what counts as outputs
    let named = graph("s0 [label=\"s0: A\"]; s1 [label=\"s1: B\"]; s0 -> s1 [label=a]");
    let told_ = told(&named, &outputs(StateOutputs::Moore));
    assert!(told_[0].starts_with("warning dot-outputs"), "{told_:?}");
    // what all nodes are called may be an output, too
    let alike = graph("s0 [label=A]; s1 [label=A]; s0 -> s1 [label=a]");
    assert!(told(&alike, &plain())[0].starts_with("warning dot-outputs"));
    // both
    let both = graph(
        "s0 [label=\"s0|A\" shape=record]; s1 [label=\"s1|B\" shape=doublecircle]; s0 -> s1 [label=a]",
    );
    for refused in [StateOutputs::Refused, StateOutputs::Shown] {
        let told_ = told(&both, &outputs(refused));
        assert!(told_[0].starts_with("error dot-outputs"), "{told_:?}");
    }
}

#[test]
fn machines_with_outputs_of_states_are_written() {
    let write = |outputs: WriteOutputs| WriteOptions {
        dot: WriteDot { outputs },
        ..WriteOptions::default()
    };
    let machine = lts(
        &[(0, "/A", 1), (1, "a/B", 2), (2, "a/A", 1), (2, "b/C", 2)],
        0,
    );
    let head = "digraph g {\n__start0 [label=\"\" shape=\"none\"];\n\n";
    let nodes = "\ts0 [shape=\"circle\" label=\"0 / A\"];\n\ts1 [shape=\"circle\" label=\"1 / B\"];\n\
        \ts2 [shape=\"circle\" label=\"2 / C\"];\n";
    let edges = "\ts0 -> s1 [label=\"a\"];\n\ts1 -> s0 [label=\"a\"];\n\ts1 -> s2 [label=\"b\"];\n\
        \ts2 -> s0 [label=\"a\"];\n\ts2 -> s2 [label=\"b\"];\n";
    let tail = "\n__start0 -> s0;\n}\n";
    let slash = text(&machine, &write(WriteOutputs::Moore(MooreForm::Slash)));
    assert_eq!(slash, [head, nodes, edges, tail].concat());
    let record = text(&machine, &write(WriteOutputs::Moore(MooreForm::Record)));
    assert!(record.contains("\ts1 [shape=\"record\" style=\"rounded\" label=\"1|B\"];\n"));
    let lines = text(&machine, &write(WriteOutputs::Moore(MooreForm::Lines)));
    assert!(lines.contains("\ts1 [shape=\"circle\" label=\"1\\nB\"];\n"));
    for none in [
        &[(0, "a/A", 0)][..],
        &[(0, "/A", 1), (1, "a", 1)],
        &[(0, "/A", 1), (1, "HIDDEN", 1)],
    ] {
        let errors = written_in(
            Format::Dot,
            &lts(none, 0),
            &write(WriteOutputs::Moore(MooreForm::Slash)),
        );
        assert!(errors.is_err(), "{none:?}");
    }
    let automaton = lts(&[(0, "a", 1), (1, "yes", 1), (1, "a", 0)], 0);
    let written = text(&automaton, &write(WriteOutputs::Accepting(b"yes".to_vec())));
    let nodes =
        "\ts0 [shape=\"circle\" label=\"0\"];\n\ts1 [shape=\"doublecircle\" label=\"1\"];\n";
    let edges = "\ts0 -> s1 [label=\"a\"];\n\ts1 -> s0 [label=\"a\"];\n";
    assert_eq!(written, [head, nodes, edges, tail].concat());
    let step = write(WriteOutputs::Accepting(b"a".to_vec()));
    assert_eq!(
        written_in(Format::Dot, &automaton, &step),
        Err(vec!["dot-accepting"])
    );
    // the initial state changes places with 0, with its circle
    let late = lts(&[(0, "a", 1), (1, "yes", 1), (1, "a", 0)], 1);
    let written = text(&late, &write(WriteOutputs::Accepting(b"yes".to_vec())));
    assert!(written.contains("s0 [shape=\"doublecircle\""), "{written}");
}

#[test]
fn state_labels_are_not_written_like_outputs() {
    let mut values = StateLabels::new(vec![Parameter {
        name: b"n".to_vec(),
        sort: b"Nat".to_vec(),
        values: vec![b"0".to_vec(), b"2".to_vec()],
    }]);
    values.push([&[0][..], &[1]]);
    let system = lts(&[(0, "a", 0)], 0).with_state_labels(values);
    let written = text(&system, &WriteOptions::default());
    assert!(written.contains("label=\"n=0\\nn=2\""), "{written}");
    assert_eq!(clean(&written, &plain()), ["0 a 0"]);
    for (one, other) in [
        ("1 / 2", "3 / 4"),
        ("a|b", "c|d"),
        ("a/b", "c/d"),
        ("a\nb", "c\nd"),
    ] {
        let mut values = StateLabels::new(vec![Parameter {
            name: b"n".to_vec(),
            sort: b"Real".to_vec(),
            values: vec![one.into(), other.into()],
        }]);
        values.push([&[0][..]]);
        values.push([&[1][..]]);
        let system = lts(&[(0, "a", 1)], 0).with_state_labels(values);
        let written = text(&system, &WriteOptions::default());
        assert_eq!(clean(&written, &plain()), ["0 a 1"], "{written}");
    }
}

/// Whichever values look like outputs, and whatever the states are called: states have the
/// same label if they have the same values, and no others.
#[test]
fn states_with_equal_values_have_equal_labels() {
    let texts = ["1 / 2", "s1|out", "s2\n2", "x", "0/1", "\\N|y"];
    for one in texts {
        for other in texts.into_iter().filter(|&other| other != one) {
            for values in [[0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 0, 0]] {
                for initial in 0..3 {
                    let mut labels = StateLabels::new(vec![Parameter {
                        name: b"n".to_vec(),
                        sort: Vec::new(),
                        values: vec![one.into(), other.into()],
                    }]);
                    values.iter().for_each(|&value| labels.push([&[value][..]]));
                    let system = lts(&[(0, "a", 1), (1, "b", 2)], initial);
                    let system = system.with_state_labels(labels);
                    let written = text(&system, &WriteOptions::default());
                    let (again, told_) = read(&written, &plain());
                    assert!(!told_.iter().any(|t| t.starts_with("error")), "{written}");
                    let mut again = known(&again.unwrap());
                    again.swap(0, initial as usize);
                    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                        let alike = again[a] == again[b];
                        assert_eq!(alike, values[a] == values[b], "{written}");
                    }
                }
            }
        }
    }
}

#[test]
fn probabilities() {
    let text =
        graph("s0 -> s1 [label=\"c:0.5\"]\ns0 -> s0 [label=\"c:0.5\"]\ns1 -> s0 [label=\"d:1\"]");
    let (lts, told_) = read(&text, &plain());
    assert_eq!(rows(&lts.unwrap()), ["0 c:0.5 1", "0 c:0.5 0", "1 d:1 0"]);
    assert_eq!(told_, ["warning dot-probability 2:17"]);
    let stochastic = with(ReadDot {
        stochastic: true,
        ..ReadDot::default()
    });
    assert_eq!(clean(&text, &stochastic), ["0 c 1", "0 c 0", "1 d 0"]);
    let text = graph(
        "s0 -> s1 [label=\"a/b:0.5\"] s0 -> s0 [label=\"a/b:.5\"] s1 -> s1 [label=\"a/c:1e0\"]",
    );
    let machine = ReadOptions {
        mealy: Some(ReadMealy::default()),
        ..stochastic.clone()
    };
    assert_eq!(clean(&text, &machine), ["0 a/b 1", "0 a/b 0", "1 a/c 1"]);
    for label in ["a", "a:b", "a:2", "a:", "a:nan", "a:inf"] {
        let text = graph(&format!("s0 -> s0 [label=\"{label}\"]"));
        assert_eq!(
            told(&text, &stochastic),
            ["error dot-probability 2:17"],
            "{label}"
        );
        assert_eq!(told(&text, &plain()), [""; 0], "{label}");
    }
    // no fraction, no hint
    assert_eq!(told(&graph("s0 -> s0 [label=\"a:0\"]"), &plain()), [""; 0]);
    let mixed = graph("s0 -> s0 [label=\"a:0.5\"] s0 -> s0 [label=b]");
    assert_eq!(told(&mixed, &plain()), [""; 0]);
}

#[test]
fn what_nodes_are_called() {
    let labels = |statements: &str| {
        let (lts, _) = read(&graph(statements), &plain());
        lts.unwrap().state_labels().map(|_| ())
    };
    for mere in [
        "s0; s1",
        "s0 [label=\"0\"]; s1 [label=\"s1\"]",
        "s0 [label=\"\"]; 1",
    ] {
        assert_eq!(labels(mere), None, "{mere}");
    }
    for (statements, expected) in [
        ("s0; idle", ["s0", "idle"]),
        ("s0 [label=\"1\"]; s1 [label=\"0\"]", ["1", "0"]),
        (
            "s0 [label=\"a\\nb\"]; s1 [label=<x<br/>&lt;>]",
            ["a\nb", "x\n<"],
        ),
        ("s0 [xlabel=\"a\"]; s1 [label=b xlabel=c]", ["a", "b"]),
        ("s0 [label=x]; s0 [label=y]; s1 [shape=box]", ["y", "s1"]),
        ("node [label=q]; s0; s1 [label=r]", ["q", "r"]),
        (
            "node [label=q]; s0; node [label=r]; s0 -> s1 [label=a]",
            ["q", "r"],
        ),
        ("s0; s1 [label=\"&lt;\"]", ["s0", "&lt;"]),
    ] {
        let (lts, _) = read(&graph(statements), &outputs(StateOutputs::Ignored));
        let lts = lts.unwrap();
        assert_eq!(lts.state_labels().unwrap().parameters().len(), 1);
        assert_eq!(known(&lts), expected.map(|l| [[l]]), "{statements}");
    }
    let entities = with(ReadDot {
        entities: true,
        ..ReadDot::default()
    });
    let (lts, _) = read(&graph("s0; s1 [label=\"&lt;\"]"), &entities);
    assert_eq!(known(&lts.unwrap())[1], [["<"]]);
}

#[test]
fn notes_of_strict_graphs() {
    let parallel = "strict digraph { s0 -> s1 [label=a]; s0 -> s1 [label=b] }";
    let (lts, told_) = read(parallel, &plain());
    assert_eq!(rows(&lts.unwrap()), ["0 a 1", "0 b 1"]);
    assert_eq!(told_.len(), 1);
    assert!(told_[0].starts_with("warning dot-strict"));
    for text in [
        "strict digraph { s0 -> s1 [label=a]; s0 -> s1 [label=a] }",
        "strict digraph { s0 -> s1 [label=a]; s0 -> s0 [label=b] }",
        "digraph { s0 -> s1 [label=a]; s0 -> s1 [label=b] }",
    ] {
        assert_eq!(told(text, &plain()), [""; 0], "{text}");
    }
}

#[test]
fn graphs_without_states() {
    for text in [
        "digraph {}",
        "digraph { __start0 }",
        "digraph { node [a=b]; {} }",
    ] {
        assert_eq!(told(text, &plain()), ["error dot-empty 1:1"], "{text}");
    }
}

#[test]
fn nesting_and_products_need_no_stack_and_no_patience() {
    let n = 200_000;
    let deep = format!("digraph {{ {} s0 {} }}", "{".repeat(n), "}".repeat(n));
    assert_eq!(clean(&deep, &plain()), [""; 0]);
    let open = format!("digraph {{ {}", "subgraph x {".repeat(n));
    assert_eq!(told(&open, &plain()).len(), 1);
    let html = format!(
        "digraph {{ s0 [label=<{}{}>] }}",
        "<b>".repeat(n),
        "</b>".repeat(n)
    );
    assert_eq!(clean(&html, &plain()), [""; 0]);
    let html = format!("digraph {{ s0 [label=<{}", "<".repeat(n));
    assert_eq!(told(&html, &plain()).len(), 1);
    // each subgraph an end of an edge, all of them with the same members
    let ends = format!(
        "digraph {{ {} s0 {} }}",
        "{".repeat(n),
        "} -> s0 [label=a]".repeat(n)
    );
    assert_eq!(clean(&ends, &plain()).len(), n);
    let many: String = (0..5_000).map(|k| format!("n{k} ")).collect();
    let product = format!("digraph {{ {{ {many} }} -> {{ {many} }} [label=a] }}");
    assert_eq!(told(&product, &plain()), ["error dot-syntax 1:11"]);
    let members = format!(
        "digraph {{ {} {many} {} }}",
        "{".repeat(n),
        "} -> {}".repeat(n)
    );
    let told = told(&members, &plain());
    assert!(
        told.len() == 1 && told[0].starts_with("error dot-syntax"),
        "{told:?}"
    );
}

#[test]
fn labels_of_very_many_pairs() {
    let pairs: String = (0..5_000).map(|k| format!("{k}/0\n")).collect();
    let edges = "s0 -> s0;".repeat(5_000);
    let text = graph(&format!("edge [label=\"{pairs}\"] {edges}"));
    let told = told(&text, &mealy());
    assert!(
        told.len() == 1 && told[0].starts_with("error mealy-label 5002:"),
        "{told:?}"
    );
}

#[test]
fn every_beginning_of_a_file_is_refused() {
    let text = "strict digraph \"g\" + \"h\" { node [label=<a<b/>&lt;>]; // no\n\
        # line\n/* c */ subgraph x { s0:n -> {s1; \"s\\\"2\"} [label=\"a / \\\n1\", x] } k = v }";
    assert_eq!(clean(text, &plain()).len(), 2);
    for len in 0..text.len() {
        let (lts, told) = read(&text[..len], &plain());
        assert!(lts.is_none() && !told.is_empty(), "{len}");
    }
}

/// The LTS of these transitions, the initial state being `initial`.
fn lts(transitions: &[(u32, &str, u32)], initial: u32) -> Lts {
    let mut lts = LtsBuilder::new(1);
    for &(source, label, target) in transitions {
        match label {
            "HIDDEN" => lts.add(StateId::new(source), LabelId::HIDDEN, StateId::new(target)),
            _ => lts.add_text(source, label.as_bytes(), target).unwrap(),
        }
    }
    lts.build(StateId::new(initial)).unwrap()
}

fn text(lts: &Lts, options: &WriteOptions) -> String {
    String::from_utf8(written_in(Format::Dot, lts, options).unwrap()).unwrap()
}

#[test]
fn written_like_learnlib() {
    let machine = lts(
        &[
            (0, "b/1", 1),
            (0, "a/0", 1),
            (1, "a/c / d", 0),
            (1, "b/", 0),
        ],
        1,
    );
    let options = WriteOptions {
        mealy: Some(MealySyntax::default()),
        ..WriteOptions::default()
    };
    let head = "digraph g {\n__start0 [label=\"\" shape=\"none\"];\n\n\
        \ts0 [shape=\"circle\" label=\"0\"];\n\ts1 [shape=\"circle\" label=\"1\"];\n";
    let tail = "\n__start0 -> s0;\n}\n";
    let expected = "\ts0 -> s1 [label=\"a / c / d\"];\n\ts0 -> s1 [label=\"b / \"];\n\
        \ts1 -> s0 [label=\"b / 1\"];\n\ts1 -> s0 [label=\"a / 0\"];\n";
    // `a/c / d` is split at the blanks
    let odd = lts(&[(0, "a/c / d", 0)], 0);
    assert_eq!(
        text(&odd, &options).lines().nth(4),
        Some("\ts0 -> s0 [label=\"a/c / d\"];")
    );
    let machine_ = lts(
        &[
            (0, "b/1", 1),
            (0, "a/0", 1),
            (1, "a / c / d", 0),
            (1, "b/", 0),
        ],
        1,
    );
    assert_eq!(text(&machine_, &options), [head, expected, tail].concat());
    let canonical = WriteOptions {
        canonical: true,
        ..options.clone()
    };
    let expected = "\ts0 -> s1 [label=\"a / c / d\"];\n\ts0 -> s1 [label=\"b / \"];\n\
        \ts1 -> s0 [label=\"a / 0\"];\n\ts1 -> s0 [label=\"b / 1\"];\n";
    assert_eq!(text(&machine_, &canonical), [head, expected, tail].concat());
    // for AALpy
    let slash = WriteOptions {
        mealy: Some(MealySyntax {
            separator: Some(b"/".to_vec()),
            ..MealySyntax::default()
        }),
        ..WriteOptions::default()
    };
    assert!(text(&machine_, &slash).contains("label=\"a/c / d\""));
    assert_eq!(
        written_in(Format::Dot, &machine, &slash),
        Err(vec!["dot-mealy-label"])
    );
    // as an LTS
    let plain_ = text(&machine_, &WriteOptions::default());
    assert!(plain_.contains("label=\"a / c / d\"") && plain_.contains("label=\"b/1\""));
}

#[test]
fn machines_that_cannot_be_written() {
    let options = WriteOptions {
        mealy: Some(MealySyntax::default()),
        ..WriteOptions::default()
    };
    for label in ["a", "i", "a/1\nb/2", "/1", "a/b / c\n/", "HIDDEN"] {
        let lts = lts(&[(0, label, 0)], 0);
        let errors = written_in(Format::Dot, &lts, &options).unwrap_err();
        assert!(
            errors.contains(&"dot-mealy-label") || errors == ["label-like-hidden"],
            "{label}"
        );
    }
    let kept = WriteOptions {
        mealy: Some(MealySyntax {
            alternatives: Some(b"|".to_vec()),
            ..MealySyntax::default()
        }),
        ..WriteOptions::default()
    };
    let lts = lts(&[(0, "a|b/1", 0)], 0);
    assert_eq!(
        written_in(Format::Dot, &lts, &kept),
        Err(vec!["dot-mealy-label"])
    );
}

#[test]
fn equal_pairs_are_one_in_canonical_form() {
    let machine = lts(&[(0, "a/1", 0), (0, "a / 1", 0), (0, "a !/1", 0)], 0);
    let options = WriteOptions {
        mealy: Some(MealySyntax::default()),
        canonical: true,
        ..WriteOptions::default()
    };
    let text = text(&machine, &options);
    let edges: Vec<_> = text.lines().filter(|l| l.contains("s0 -> s0")).collect();
    assert_eq!(
        edges,
        [
            "\ts0 -> s0 [label=\"a / 1\"];",
            "\ts0 -> s0 [label=\"a ! / 1\"];"
        ]
    );
}

#[test]
fn states_keep_their_numbers_if_asked() {
    let system = lts(&[(0, "b", 1), (1, "a", 0), (1, "HIDDEN", 2)], 2);
    let kept = WriteOptions {
        canonical: true,
        keep_initial: true,
        ..WriteOptions::default()
    };
    let text_ = text(&system, &kept);
    assert!(text_.ends_with(
        "\ts0 -> s1 [label=\"b\"];\n\ts1 -> s0 [label=\"a\"];\n\ts1 -> s2 [label=\"i\"];\n\
         \n__start0 -> s2;\n}\n"
    ));
    let exchanged = text(&system, &WriteOptions::default());
    assert!(exchanged.ends_with(
        "\ts1 -> s2 [label=\"a\"];\n\ts1 -> s0 [label=\"i\"];\n\ts2 -> s1 [label=\"b\"];\n\
         \n__start0 -> s0;\n}\n"
    ));
    let mcrl2 = WriteOptions {
        dialect: Some(Dialect::Mcrl2),
        ..WriteOptions::default()
    };
    assert!(text(&system, &mcrl2).contains("[label=\"tau\"]"));
}

#[test]
fn state_labels_are_written() {
    let parameter = |name: &str, values: &[&str]| Parameter {
        name: name.into(),
        sort: b"Nat".to_vec(),
        values: values.iter().map(|&v| v.into()).collect(),
    };
    let system = || lts(&[(0, "a", 1), (1, "a", 2)], 1);
    let mut one = StateLabels::new(vec![parameter("n", &["x", "say \"hi\""])]);
    one.push([&[1][..]]);
    one.push([&[0][..]]);
    one.push([]);
    let text_ = text(&system().with_state_labels(one), &WriteOptions::default());
    for line in [
        "\ts0 [shape=\"circle\" label=\"x\"];",
        "\ts1 [shape=\"circle\" label=\"say \\\"hi\\\"\"];",
        "\ts2 [shape=\"circle\" label=\"2\"];",
    ] {
        assert!(text_.lines().any(|l| l == line), "{text_}");
    }
    let mut two = StateLabels::new(vec![parameter("n", &["0", "1"]), parameter("b", &["T"])]);
    two.push([&[0, 0][..], &[1, 0]]);
    two.push([&[1, 0][..]]);
    two.push([&[0, 0][..]]);
    let text_ = text(&system().with_state_labels(two), &WriteOptions::default());
    assert!(
        text_.contains("s1 [shape=\"circle\" label=\"n=0, b=T\\nn=1, b=T\"]"),
        "{text_}"
    );
    assert!(
        text_.contains("s0 [shape=\"circle\" label=\"n=1, b=T\"]"),
        "{text_}"
    );
}
