//! FSM files, used as a user does.

use crate::util;

use util::{Scratch, VENDING};

const COUNTER: &str = include_str!("../testdata/counter.fsm");

#[test]
fn both_ways_and_told_by_content_or_name() {
    let scratch = Scratch::with_vending();
    scratch
        .run("transcode", &["vending.aut", "-o", "v.fsm"])
        .ok();
    scratch.run("transcode", &["v.fsm"]).ok().prints(VENDING);
    scratch
        .shell("transcode vending.aut --to fsm | transcode --to fsm --compress xz | transcode | cmp - vending.aut")
        .ok();
    scratch.write("noending", COUNTER);
    scratch
        .run("transcode", &["noending", "--to", "fsm"])
        .ok()
        .prints(COUNTER);
    scratch
        .feed("transcode", &["--to", "fsm"], COUNTER.replace('\n', "\r\n"))
        .ok()
        .prints(COUNTER);
    scratch
        .feed("transcode", &["--from", "fsm"], "des (0, 0, 1)")
        .status(2)
        .says("<stdin>:1:7: error: expected a parameter")
        .prints("");
}

#[test]
fn parameters_may_be_called_like_the_keywords_of_other_formats() {
    let scratch = Scratch::new();
    for name in ["des", "dest", "graph", "digraph", "strict"] {
        let text = format!("{name}(2) Nat \"0\" \"1\"\n---\n0\n1\n---\n1 2 \"a\"\n");
        scratch
            .feed("transcode", &["--to", "fsm"], &text)
            .ok()
            .prints(&text);
    }
}

#[test]
fn state_labels_stay_with_reachable_states() {
    let scratch = Scratch::new();
    scratch.write(
        "u.fsm",
        "n(3) Nat \"0\" \"1\" \"2\"\n---\n0\n1\n2\n---\n1 3 \"inc\"\n3 3 \"x\"\n",
    );
    scratch
        .run("reach", &["u.fsm", "--to", "fsm"])
        .ok()
        .prints("n(3) Nat \"0\" \"1\" \"2\"\n---\n0\n2\n---\n1 2 \"inc\"\n2 2 \"x\"\n");
    scratch
        .run("minimize", &["-v", "u.fsm"])
        .status(0)
        .says("minimize: the labels of states are left out");
    scratch
        .run("transcode", &["-v", "u.fsm", "--to", "bcg", "-o", "u.bcg"])
        .status(0)
        .says("note: the labels of states are left out, as bcg has none");
}

#[test]
fn state_labels_go_along() {
    let scratch = Scratch::new();
    scratch.write("c.fsm", COUNTER);
    let run = scratch.run("transcode", &["c.fsm", "--to", "dot"]).ok();
    assert!(run.text().contains("s2 [shape=\"circle\" label=\"1\"];"));
    let names = "digraph { s0 [label=idle]; s0 -> s1 [label=a]; s1 [label=busy] }";
    scratch
        .feed("transcode", &["--to", "fsm"], names)
        .ok()
        .prints("label(2) \"idle\" \"busy\"\n---\n0\n1\n---\n1 2 \"a\"\n");
    // what algorithms make of states has other states
    scratch
        .run("minimize", &["c.fsm", "--to", "fsm"])
        .ok()
        .prints("---\n---\n1 2 \"inc\"\n2 3 \"tau\"\n3 1 \"dec(1, true)\"\n");
}

#[test]
fn options() {
    let scratch = Scratch::new();
    scratch.write("two.fsm", "---\n---\n1 2 \"a\" \"b\"\n---\n2\n");
    for (how, label) in [("join", "\"a b\""), ("first", "a"), ("io", "\"a/b\"")] {
        scratch
            .run("transcode", &["two.fsm", "--label-columns", how])
            .ok()
            .prints(&format!("des (1, 1, 2)\n(0, {label}, 1)\n"));
    }
    scratch
        .run("transcode", &["two.fsm", "--label-columns", "all"])
        .status(2)
        .says("expected one of join, first, io");
    scratch.write("one.aut", "des (1, 1, 2)\n(0, a, 1)\n");
    for (option, expected) in [
        (&[][..], "---\n---\n2 1 \"a\"\n"),
        (&["--initial-section"], "---\n---\n1 2 \"a\"\n---\n2\n"),
        (
            &["--canonical", "--keep-initial"],
            "---\n---\n1 2 \"a\"\n---\n2\n",
        ),
        (&["--canonical"], "---\n---\n2 1 \"a\"\n"),
    ] {
        scratch
            .run("transcode", &[&["one.aut", "--to", "fsm"], option].concat())
            .ok()
            .prints(expected);
    }
}

#[test]
fn what_fsm_cannot_express() {
    let scratch = Scratch::new();
    scratch
        .feed(
            "transcode",
            &["--to", "fsm"],
            "des (0,1,1)\n(0,\"a\"b\",0)\n",
        )
        .status(2)
        .says("[fsm-label]")
        .prints("");
    scratch
        .feed(
            "transcode",
            &["--to", "fsm", "-q"],
            "des (0,1,1)\n(0,tau,0)\n",
        )
        .status(2)
        .says("[label-like-hidden]")
        .prints("");
    scratch
        .feed("transcode", &["--to", "fsm"], "des (0,1,3)\n(0,a,0)\n")
        .status(0)
        .says("loses 2 states above the last one")
        .prints("---\n---\n1 1 \"a\"\n");
}

#[test]
fn broken_files_leave_no_output() {
    let scratch = Scratch::new();
    for (text, says) in [
        ("---\n1 2 \"a\"\n", "c.fsm:2:5: error"),
        ("---\n---\n1 0 \"a\"\n", "c.fsm:3:3: error: state number 0"),
        (
            "---\n",
            "c.fsm:2:1: error: the file ends before the transitions",
        ),
    ] {
        scratch.write("c.fsm", text);
        scratch
            .run("transcode", &["c.fsm", "-o", "out.aut"])
            .status(2)
            .says(says);
        assert!(!scratch.path("out.aut").exists());
    }
    scratch
        .shell("generate random 50000 200000 --to fsm | transcode --to fsm | head -n 1; echo ${PIPESTATUS[*]}")
        .ok()
        .prints("---\n0 141 0\n");
}

#[test]
fn an_i_where_there_is_no_tau_is_told_on_demand() {
    let scratch = Scratch::new();
    let text = "---\n---\n1 2 \"a\"\n  2 1 \"i\"\n2 2 \"i\"\n";
    scratch.write("x.fsm", text);
    let hint = "x.fsm:4:7: note: label `i` counts as visible, and there is no `tau`; to hide it, \
                use --tau i [fsm-i-hint]\n";
    let run = scratch.run("describe", &["-v", "x.fsm"]).status(0);
    assert_eq!(run.stderr.matches(hint).count(), 1, "{}", run.stderr);
    scratch.run("describe", &["x.fsm"]).ok();
    for options in [
        &["--hidden", "i"][..],
        &["--hidden", "x"],
        &["--dialect", "cadp"],
    ] {
        let run = scratch.run("describe", &[&["-v", "x.fsm"], options].concat());
        assert!(!run.status(0).stderr.contains("fsm-i-hint"), "{options:?}");
    }
    scratch.write("x.fsm", text.replace("\"a\"", "\"tau\""));
    let run = scratch.run("describe", &["-v", "x.fsm"]).status(0);
    assert!(!run.stderr.contains("fsm-i-hint"), "{}", run.stderr);
}

#[test]
fn warnings_tell_the_column_behind_blanks() {
    Scratch::new()
        .feed("transcode", &[], "---\n---\n   1 1 \"\"\n")
        .status(0)
        .says("<stdin>:3:8: warning: an empty label");
}
