//! DOT files and Mealy machines, used as a user does.

use crate::util;

use util::{Scratch, VENDING};

const MACHINE: &str = include_str!("../testdata/mealy/ble_nrf52832.dot");

#[test]
fn both_ways_and_told_by_content_or_name() {
    let scratch = Scratch::with_vending();
    scratch
        .run("transcode", &["vending.aut", "-o", "v.dot"])
        .ok();
    scratch.run("transcode", &["v.dot"]).ok().prints(VENDING);
    // through pipes, told by the content alone
    scratch
        .shell("transcode vending.aut --to dot | transcode --to dot --compress zstd | transcode | cmp - vending.aut")
        .ok();
    for name in ["v.gv", "noending"] {
        scratch.write(name, scratch.read("v.dot"));
        scratch.run("transcode", &[name]).ok().prints(VENDING);
    }
    scratch
        .run("transcode", &["vending.aut", "-o", "w.gv.gz"])
        .ok();
    scratch.run("transcode", &["w.gv.gz"]).ok().prints(VENDING);
    scratch.write(
        "late.gv",
        "/*".to_owned() + &" ".repeat(9000) + "*/ digraph { s0 }",
    );
    scratch
        .run("transcode", &["late.gv"])
        .ok()
        .prints("des (0, 0, 1)\n");
    scratch
        .feed("transcode", &["--from", "dot"], "des (0, 0, 1)")
        .status(2)
        .says("<stdin>:1:1: error: expected `digraph`, found `des` [dot-syntax]")
        .prints("");
    for (text, told) in [
        (
            "digraph { } more",
            "1:13: error: expected the end of the file after the graph, found `more`",
        ),
        (
            "digraph { a [label=\"x\" + y] }",
            "1:26: error: expected a string between quotes after `+`, found `y`",
        ),
    ] {
        scratch
            .feed("transcode", &[], text)
            .status(2)
            .says(told)
            .prints("");
    }
}

#[test]
fn every_filter_reads_it() {
    let scratch = Scratch::new();
    scratch.write("m.dot", MACHINE);
    let run = scratch.run("describe", &["m.dot"]).ok();
    assert!(
        run.text()
            .starts_with("states: 5\ninitial: 0\ntransitions: 45\n")
    );
    scratch.run("minimize", &["m.dot", "-o", "small.dot"]).ok();
    scratch
        .run("equiv", &["m.dot", "small.dot"])
        .ok()
        .prints("TRUE\n");
    scratch.run("reach", &["m.dot", "--to", "dot"]).ok();
}

#[test]
fn machines_stay_the_same() {
    let scratch = Scratch::new();
    scratch.write("m.dot", MACHINE);
    for separator in [&["--mealy"][..], &["--sep", "/"]] {
        let canonical = &["--canonical", "--to", "dot"];
        let once = scratch.run("transcode", &[&["m.dot"], separator, canonical].concat());
        let once = once.ok();
        let twice = scratch.feed("transcode", &[separator, canonical].concat(), &once.stdout);
        twice.ok().prints(once.text());
        let aut = scratch.feed(
            "transcode",
            &[separator, &["--canonical"]].concat(),
            &once.stdout,
        );
        let plain = scratch.run("transcode", &["m.dot", "--canonical"]).ok();
        aut.ok().prints(plain.text());
    }
}

#[test]
fn which_rule_gives_the_initial_state() {
    let scratch = Scratch::new();
    scratch.write("m.dot", "digraph { a -> b [label=x] }");
    scratch
        .run("transcode", &["m.dot"])
        .status(0)
        .says("m.dot: warning: nothing tells the initial state: taking the first node, `a`");
    scratch
        .run("transcode", &["-v", "m.dot", "--init", "b"])
        .status(0)
        .says("note: initial state `b`: it was asked for [dot-initial]")
        .prints("des (0, 1, 2)\n(1, x, 0)\n");
    scratch
        .run("transcode", &["m.dot", "--init", "c"])
        .status(2)
        .says("no node `c`");
    // As Spot draws it, and others.
    for mark in [
        "node [shape=circle] I [label=\"\", style=invis, width=0] I",
        "qi [shape=point]; qi",
        "hidden [style=invis]; hidden",
        "x [shape=none, label=\"\"]; x",
        "x [shape=plaintext label=\" \"]; x",
    ] {
        scratch.write(
            "i.dot",
            format!("digraph \"\" {{ {mark} -> 1 0 -> 1 [label=a] 1 -> 0 [label=b] }}"),
        );
        let run = scratch.run("transcode", &["i.dot"]).ok();
        run.prints("des (0, 2, 2)\n(0, b, 1)\n(1, a, 0)\n");
    }
    // What is seen is a state, as is what has labels, several edges or incoming ones.
    for state in [
        "x [shape=plaintext]; x -> 1",
        "x [shape=circle, label=\"\"]; x -> 1",
        "x [shape=point]; x -> 1; x -> 0",
        "x [shape=point]; x -> 1; 1 -> x [label=a]",
    ] {
        scratch.write("x.dot", format!("digraph {{ {state} 0 -> 1 [label=a] }}"));
        let run = scratch.run("transcode", &["x.dot"]).status(2);
        run.says("edge without label [dot-no-label]");
    }
    scratch.write("p.dot", "digraph { x [shape=point]; x -> 1 [label=a] }");
    let run = scratch.run("transcode", &["p.dot"]).status(0);
    run.prints("des (0, 1, 2)\n(0, a, 1)\n");
    scratch.write("two.dot", "digraph { __start0 -> {a b} b -> a [label=x] }");
    scratch
        .run("transcode", &["two.dot"])
        .status(2)
        .says("2 initial states (`a`, `b`)");
    scratch
        .run("transcode", &["two.dot", "--multi-init"])
        .ok()
        .prints("des (0, 3, 3)\n(0, i, 1)\n(0, i, 2)\n(2, x, 1)\n");
    scratch.write(
        "three.dot",
        "digraph { subgraph A { __start0 -> a } subgraph B { __start0 -> b b -> b [label=y] } }",
    );
    scratch
        .run("transcode", &["three.dot"])
        .status(2)
        .says("choose one of `A`, `B` with --automaton");
    scratch
        .run("transcode", &["three.dot", "--automaton", "B"])
        .ok()
        .prints("des (0, 1, 1)\n(0, y, 0)\n");
}

#[test]
fn options_of_machines() {
    let scratch = Scratch::new();
    scratch.write(
        "m.aut",
        "des (0,2,2)\n(0,\"a | b / 1/2\",1)\n(1,\"a/\",0)\n",
    );
    scratch
        .run("transcode", &["-q", "--alt", " | ", "m.aut"])
        .ok()
        .prints("des (0, 3, 2)\n(0, \"a/1/2\", 1)\n(0, \"b/1/2\", 1)\n(1, \"a/\", 0)\n");
    scratch
        .run("transcode", &["-q", "--io-steps", "m.aut"])
        .ok()
        .prints("des (0, 3, 3)\n(0, \"?a | b\", 2)\n(1, \"?a\", 0)\n(2, \"!1/2\", 1)\n");
    scratch
        .run("transcode", &["-q", "--sep", "/", "--sep-last", "m.aut"])
        .ok()
        .prints("des (0, 2, 2)\n(0, \"a | b / 1 / 2\", 1)\n(1, \"a/\", 0)\n");
    scratch.write("two.dot", "digraph{a -> b [label=\"x / y / 1\"]}");
    scratch
        .run("transcode", &["-q", "--sep-last", "two.dot"])
        .ok()
        .prints("des (0, 1, 2)\n(0, \"x / y / 1\", 1)\n");
    scratch
        .run("transcode", &["-q", "--sep-last", "--io-steps", "two.dot"])
        .ok()
        .prints("des (0, 2, 3)\n(0, \"?x / y\", 2)\n(2, \"!1\", 1)\n");
    scratch
        .run(
            "transcode",
            &["-q", "--sep-last", "two.dot", "-o", "again.dot"],
        )
        .ok();
    assert!(scratch.read("again.dot").contains("[label=\"x / y / 1\"]"));
    scratch
        .run(
            "transcode",
            &["-q", "--sep-last", "--to", "dot", "again.dot"],
        )
        .ok()
        .prints(&scratch.read("again.dot"));
    scratch.write("hash.dot", "digraph{a -> b [label=\"x / y#1\"]}");
    scratch
        .run("transcode", &["-q", "--sep", "#", "hash.dot"])
        .status(2)
        .says("label `x / y#1`: a pair that would not be split back from any label");
    scratch
        .feed(
            "transcode",
            &["--sep-last"],
            "des (0,1,1)\n(0,\"a/b/c\",0)\n",
        )
        .ok()
        .prints("des (0, 1, 1)\n(0, \"a/b / c\", 0)\n");
    scratch
        .run("transcode", &["-q", "--sep", "|", "--no-trim", "m.aut"])
        .status(2)
        .says("label `a/`: no separator");
    for option in ["--sep", "--alt"] {
        scratch
            .run("transcode", &[option, "", "m.aut"])
            .status(2)
            .says(option)
            .says("a separator must have one character at least");
    }
    scratch
        .feed(
            "transcode",
            &["--mealy"],
            "des (0,2,1)\n(0,\"a/1\",0)\n(0,\"a/2\",0)\n",
        )
        .status(2)
        .says("<stdin>: error: state 0 has two transitions with input `a`")
        .prints("");
}

/// A Moore machine as AALpy writes it, with the outputs of its two states.
fn moore(first: &str, second: &str) -> String {
    format!(
        "digraph m {{\ns0 [label=\"s0|{first}\", shape=record, style=rounded];\n\
         s1 [label=\"s1|{second}\", shape=record, style=rounded];\n\
         s0 -> s1  [label=\"a\"];\ns1 -> s0  [label=\"a\"];\n\
         __start0 [label=\"\", shape=none];\n__start0 -> s0  [label=\"\"];\n}}\n"
    )
}

/// An automaton as LearnLib writes it, with the shapes of its two states.
fn automaton(first: &str, second: &str) -> String {
    format!(
        "digraph g {{\n\n\ts0 [shape=\"{first}\" label=\"0\"];\n\ts1 [shape=\"{second}\" label=\"1\"];\n\
         \ts0 -> s1 [label=\"i\"];\n\ts1 -> s0 [label=\"i\"];\n\n\
         __start0 [label=\"\" shape=\"none\" width=\"0\" height=\"0\"];\n__start0 -> s0;\n\n}}\n"
    )
}

#[test]
fn outputs_of_states_are_never_lost() {
    let scratch = Scratch::new();
    scratch.write("ab.dot", moore("A", "B"));
    scratch.write("ba.dot", moore("B", "A"));
    scratch.write("aa.dot", moore("A", "A"));
    scratch.write("odd.dot", automaton("circle", "doublecircle"));
    scratch.write("even.dot", automaton("doublecircle", "circle"));
    scratch.write("none.dot", automaton("circle", "circle"));
    let unsaid = [
        (
            "equiv",
            &["ab.dot", "ba.dot"][..],
            "--moore",
            "--ignore-outputs",
        ),
        (
            "equiv",
            &["even.dot", "odd.dot"],
            "--dfa",
            "--ignore-outputs",
        ),
        ("minimize", &["ab.dot"], "--moore", "--ignore-outputs"),
        ("minimize", &["odd.dot"], "--dfa", "--ignore-outputs"),
        (
            "refine",
            &["ab.dot", "ba.dot"],
            "--moore",
            "--ignore-outputs",
        ),
        ("describe", &["odd.dot"], "--dfa", "--ignore-outputs"),
        ("reach", &["odd.dot"], "--dfa", "--ignore-outputs"),
    ];
    for (command, files, one, other) in unsaid {
        let run = scratch.run(command, files).status(2).prints("");
        run.says(one).says(other);
    }
    for relation in ["strong", "branching", "divbranching"] {
        let equiv = |option: &str, one: &str, other: &str| {
            scratch.run("equiv", &["-e", relation, option, one, other])
        };
        for (one, other) in [("ab.dot", "ba.dot"), ("ab.dot", "aa.dot")] {
            equiv("--moore", one, one).ok().prints("TRUE\n");
            let run = equiv("--moore", one, other).status(1);
            assert!(run.text().starts_with("FALSE\n"), "{}", run.text());
        }
        for (one, other) in [("odd.dot", "even.dot"), ("odd.dot", "none.dot")] {
            equiv("--dfa", one, one).ok().prints("TRUE\n");
            let run = equiv("--accepting=yes", one, other).status(1);
            assert!(run.text().starts_with("FALSE\n"), "{}", run.text());
        }
        equiv("--ignore-outputs", "ab.dot", "ba.dot")
            .ok()
            .prints("TRUE\n");
    }
    for semantics in ["T", "F", "FD"] {
        for (option, one, other) in [
            ("--moore", "ab.dot", "ba.dot"),
            ("--dfa", "odd.dot", "even.dot"),
        ] {
            scratch
                .run("refine", &["--semantics", semantics, option, one, other])
                .status(1);
        }
    }
    scratch
        .run("equiv", &["--accepting", "i", "odd.dot", "even.dot"])
        .status(2)
        .says("edges have the label `i`, which is to stand for acceptance");
    for (one, other) in [
        ("--moore", "--dfa"),
        ("--moore", "--mealy"),
        ("--dfa", "--mealy"),
        ("--dfa", "--ignore-outputs"),
        ("--moore-form=lines", "--dfa"),
    ] {
        scratch
            .run("transcode", &[one, other, "odd.dot"])
            .status(2)
            .prints("");
    }
}

#[test]
fn what_may_be_outputs_is_told_beside_verdicts() {
    let scratch = Scratch::new();
    let labels = |labels: [&str; 3]| {
        let [a, b, c] = labels;
        format!("digraph {{ s0 [{a}]; s1 [{b}]; s2 [{c}]; s0 -> s1 -> s2 -> s0 [label=press] }}")
    };
    for form in ["label=", "xlabel="] {
        let [off, on] = ["OFF", "ON"].map(|output| format!("{form}{output}"));
        scratch.write("one.dot", labels([&off, &on, &off]));
        scratch.write("other.dot", labels([&off, &off, &on]));
        let files = ["one.dot", "other.dot"];
        scratch
            .run("equiv", &files)
            .status(0)
            .prints("TRUE\n")
            .says("one.dot:")
            .says("other.dot:")
            .says("--ignore-outputs [dot-outputs]");
        let with = |option| [&[option][..], &files].concat();
        scratch.run("equiv", &with("--ignore-outputs")).ok();
        scratch.run("equiv", &with("--moore")).status(1);
        scratch
            .run("wmethod", &["-m", "w", "one.dot"])
            .status(2)
            .prints("")
            .says("--moore for a Moore machine, or --dfa for a finite automaton, or --output-offers N");
        scratch
            .run("wmethod", &["-m", "w", "--moore", "one.dot"])
            .status(0);
    }
}

#[test]
fn machines_with_outputs_of_states_are_written_as_they_came() {
    let scratch = Scratch::new();
    scratch.write("m.dot", moore("A", "B"));
    let letters = automaton("circle", "doublecircle").replace("\"i\"", "\"a\"");
    scratch.write("d.dot", letters);
    for (file, options) in [
        ("m.dot", &["--moore"][..]),
        ("m.dot", &["--moore", "--moore-form", "record"]),
        ("m.dot", &["--moore", "--moore-form", "lines"]),
        ("d.dot", &["--dfa"]),
        ("d.dot", &["--accepting", "yes"]),
    ] {
        for middle in ["x.dot", "x.aut", "x.fsm"] {
            let of_dot = options.contains(&"--moore-form") && middle != "x.dot";
            let to_middle = match of_dot {
                true => ["--moore", "-o", middle, file].to_vec(),
                false => [options, &["-o", middle, file]].concat(),
            };
            scratch.run("transcode", &to_middle).ok();
            let written = |file: &str| {
                let to = ["--to", "dot", file];
                scratch.run("transcode", &[options, &to].concat()).ok()
            };
            assert_eq!(written(middle).text(), written(file).text(), "{middle}");
        }
    }
    // the letter `i` is visible, which needs a name in AUT only
    scratch.write("odd.dot", automaton("circle", "doublecircle"));
    let run = scratch.run("transcode", &["--dfa", "odd.dot", "--to", "dot"]);
    let run = run.ok();
    assert!(run.text().contains("s0 -> s1 [label=\"i\"]"));
    scratch
        .run("transcode", &["--dfa", "odd.dot"])
        .status(2)
        .says("--visible-i");
    scratch
        .run("minimize", &["--moore", "m.dot", "-o", "n.dot"])
        .ok();
    assert!(
        scratch
            .read("n.dot")
            .contains("s1 [shape=\"circle\" label=\"1 / B\"]")
    );
    scratch.run("equiv", &["--moore", "m.dot", "n.dot"]).ok();
    scratch
        .run("transcode", &["--moore", "--io-steps", "m.dot"])
        .ok()
        .prints("des (0, 5, 5)\n(0, \"!A\", 1)\n(1, \"?a\", 3)\n(2, \"?a\", 4)\n(3, \"!B\", 2)\n(4, \"!A\", 1)\n");
    scratch
        .feed("transcode", &["--moore"], "des (0,1,1)\n(0,\"a/1\",0)\n")
        .status(2)
        .says("no Moore machine: expected one transition from the initial state");
}

#[test]
fn broken_files_leave_no_output() {
    let scratch = Scratch::new();
    for (text, says) in [
        (
            "digraph { a -> b [label=x]",
            "m.dot:1:27: error: expected a statement",
        ),
        (
            "digraph {\n a -> b\n}",
            "m.dot:2:2: error: edge without label [dot-no-label]",
        ),
        ("graph { a -- b }", "m.dot:1:1: error: an undirected graph"),
        ("digraph { }", "m.dot:1:1: error: no node that is a state"),
    ] {
        scratch.write("m.dot", text);
        scratch
            .run("transcode", &["m.dot", "-o", "out.aut"])
            .status(2)
            .says(says);
        assert!(!scratch.path("out.aut").exists());
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_silently() {
    let scratch = Scratch::new();
    let run = scratch.shell(
        "generate random 50000 200000 --to dot | transcode --to dot | head -n 1; echo ${PIPESTATUS[*]}",
    );
    assert_eq!(run.stderr, "");
    assert!(run.text().starts_with("digraph g {\n"));
    assert!(run.text().ends_with(" 141 0\n"), "{}", run.text());
}
