//! Traces through the real commands: SEQ and `.trc`.

use crate::util;

use util::{Scratch, VENDING};

const CHAIN: &str = "des (0, 3, 4)\n(0, \"COIN !1\", 1)\n(1, \"COIN !1\", 2)\n(2, i, 3)\n";

#[test]
fn traces_that_are_shown_can_be_read() {
    let scratch = Scratch::with_vending();
    let asked = ["--deadlock", "--livelock", "--find", "TEA", "vending.aut"];
    let shown = scratch.run("reach", &asked).ok();
    let read = scratch
        .feed(
            "transcode",
            &["--from", "seq", "--seqno", "1"],
            &shown.stdout,
        )
        .ok();
    read.prints(CHAIN);
    scratch
        .feed("describe", &["--from", "seq"], &shown.stdout)
        .ok();
    scratch
        .feed(
            "transcode",
            &["--from", "seq", "--seqno", "4"],
            &shown.stdout,
        )
        .status(2)
        .says("[seq-seqno]");
    // a trace of a system is a trace of that system
    scratch
        .shell(
            "set -o pipefail; reach --deadlock vending.aut | transcode --from seq -o t.seq; \
             reach --deadlock vending.aut --traces trc | sed 1d > t.trc; equiv t.seq t.trc",
        )
        .ok()
        .prints("TRUE\n");
}

#[test]
fn the_form_of_traces() {
    let scratch = Scratch::with_vending();
    scratch
        .run(
            "reach",
            &[
                "--deadlock",
                "--livelock",
                "--find",
                "TEA",
                "--traces",
                "trc",
                "vending.aut",
            ],
        )
        .ok()
        .prints(
            "deadlock: TRUE\nCOIN !1\nCOIN !1\ntau\nlivelock: TRUE\nCOIN !1\n\
             *** from here on a cycle\ntau\ntau\nfind: TRUE\nCOIN !1\nTEA\n",
        );
    scratch.write("a.aut", "des (0, 1, 2)\n(0, a, 1)\n");
    scratch.write("b.aut", "des (0, 2, 3)\n(0, a, 1)\n(1, i, 2)\n");
    for (form, trace) in [("seq", "\"a\"\n\"i\"\n"), ("trc", "a\ntau\n")] {
        scratch
            .run("equiv", &["a.aut", "b.aut", "--traces", form])
            .status(1)
            .prints(&format!("FALSE\n*** trace of b.aut, not of a.aut\n{trace}"));
    }
    scratch
        .run("equiv", &["a.aut", "b.aut", "--traces", "aut"])
        .status(2)
        .says("seq, trc");
    // what one form cannot express the other can
    scratch.write("q.aut", "des (0, 1, 2)\n(0, \"say \"hi\"\", 1)\n");
    scratch
        .run("reach", &["--deadlock", "q.aut"])
        .status(0)
        .says("no trace in the form SEQ for deadlock")
        .prints(
            "deadlock: TRUE\n*** SEQ cannot express these labels; they stand as in formulas:\n\
             *** \"say \\\"hi\\\"\"\n",
        );
    scratch
        .run("reach", &["--deadlock", "q.aut", "--traces", "trc"])
        .ok()
        .prints("deadlock: TRUE\nsay \"hi\"\n");
    scratch.write("tau.aut", "des (0, 1, 2)\n(0, tau, 1)\n");
    scratch
        .run("reach", &["--deadlock", "--traces", "trc", "tau.aut"])
        .status(0)
        .says("no trace in the form TRC for deadlock")
        .says("--visible-i");
    scratch
        .run(
            "reach",
            &[
                "--deadlock",
                "--traces",
                "trc",
                "--visible-i",
                "t",
                "-q",
                "tau.aut",
            ],
        )
        .ok()
        .prints("deadlock: TRUE\nt\n");
}

#[test]
fn names_tell_traces() {
    let scratch = Scratch::new();
    // the first lines look like FSM, AUT, DOT
    for (name, text, expected) in [
        (
            "a.trc",
            "send(1)\ntau\n",
            "(0, \"send(1)\", 1)\n(1, i, 2)\n",
        ),
        ("b.trc", "destroy\ntau\n", "(0, destroy, 1)\n(1, i, 2)\n"),
        ("c.seq", "--- \n\"a\"\n\"i\"\n", "(0, a, 1)\n(1, i, 2)\n"),
        ("d.seq", "digraph\n\"a\"\n\"i\"\n", "(0, a, 1)\n(1, i, 2)\n"),
    ] {
        scratch.write(name, text);
        scratch
            .run("transcode", &[name])
            .ok()
            .prints(&format!("des (0, 2, 3)\n{expected}"));
    }
    scratch.write("chain.aut", CHAIN);
    for (format, text) in [
        ("seq", "\"COIN !1\"\n\"COIN !1\"\n\"i\"\n"),
        ("trc", "COIN !1\nCOIN !1\ntau\n"),
    ] {
        scratch
            .run("transcode", &["chain.aut", "--to", format])
            .ok()
            .prints(text);
        let name = format!("chain.{format}.gz");
        scratch.run("transcode", &["chain.aut", "-o", &name]).ok();
        scratch.run("transcode", &[&name]).ok().prints(CHAIN);
        scratch
            .feed("transcode", &["--from", format], text)
            .ok()
            .prints(CHAIN);
    }
    // a binary trace is one by its name
    scratch
        .run("transcode", &["chain.aut", "-o", "chain.lts"])
        .ok();
    scratch
        .shell("cp chain.lts chain.trc; transcode chain.trc")
        .ok()
        .prints(CHAIN);
    scratch.write("fork.aut", VENDING);
    scratch
        .run("transcode", &["fork.aut", "-o", "fork.lts"])
        .ok();
    scratch
        .shell("cp fork.lts fork.trc; transcode fork.trc")
        .status(2)
        .says("[chain-branching]");
    scratch.write("old.trc", "mCRL2Trace\0");
    scratch
        .run("transcode", &["old.trc"])
        .status(2)
        .says("old version of mCRL2");
}

#[test]
fn systems_that_are_no_traces() {
    let scratch = Scratch::with_vending();
    for format in ["seq", "trc"] {
        let out = format!("out.{format}");
        scratch
            .run("transcode", &["vending.aut", "-o", &out])
            .status(2)
            .says("state 1 has 3 transitions")
            .says("[chain-branching]");
        assert!(!scratch.path(&out).exists());
    }
    scratch
        .feed("transcode", &["--from", "seq"], "\"a\"\n\"b\n")
        .status(2)
        .prints("")
        .says("<stdin>:2:1: error");
    scratch
        .feed(
            "transcode",
            &["--from", "seq", "--to", "seq", "--seq-states"],
            "\"a\"\n",
        )
        .ok()
        .prints("\x01state 0\x02\"a\"\x01state 1\x02\n");
}
