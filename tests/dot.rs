//! DOT files and Mealy machines, used as a user does.

mod util;

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
