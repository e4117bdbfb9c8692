//! `reach`, run as a user runs it.

mod util;

use util::{Scratch, VENDING, json};

const REACHED: &str = "\
des (0, 8, 6)
(0, \"COIN !1\", 1)
(1, \"COIN !1\", 2)
(1, TEA, 0)
(1, i, 3)
(2, COFFEE, 0)
(2, i, 4)
(2, \"REFUND !2\", 5)
(3, i, 1)
";

#[test]
fn writes_the_reachable_part() {
    let scratch = Scratch::with_vending();
    scratch.run("reach", &["vending.aut"]).ok().prints(REACHED);
    scratch.feed("reach", &[], VENDING).ok().prints(REACHED);
    scratch
        .run("reach", &["vending.aut", "-o", "r.aut.gz"])
        .ok()
        .prints("");
    scratch.run("transcode", &["r.aut.gz"]).ok().prints(REACHED);
}

#[test]
fn numbers_states_as_asked() {
    let scratch = Scratch::new();
    let input = "des (3, 3, 5)\n(3, a, 1)\n(0, b, 2)\n(1, c, 4)\n";
    for (order, output) in [
        ("breadth-first", "des (0, 2, 3)\n(0, a, 1)\n(1, c, 2)\n"),
        ("ascending", "des (1, 2, 3)\n(0, c, 2)\n(1, a, 0)\n"),
        ("kept", "des (3, 2, 5)\n(1, c, 4)\n(3, a, 1)\n"),
    ] {
        scratch
            .feed("reach", &["--numbering", order], input)
            .ok()
            .prints(output);
    }
    scratch
        .feed("reach", &["--numbering", "none"], input)
        .status(2)
        .says("breadth-first");
}

#[test]
fn answers_questions_with_shortest_traces() {
    let scratch = Scratch::with_vending();
    scratch
        .run("reach", &["--deadlock", "vending.aut"])
        .ok()
        .prints("deadlock: TRUE\n\"COIN !1\"\n\"COIN !1\"\n\"i\"\n<deadlock>\n");
    scratch
        .run("reach", &["--find", "REFUND !.*", "vending.aut"])
        .ok()
        .prints("find: TRUE\n\"COIN !1\"\n\"COIN !1\"\n\"REFUND !2\"\n");
    // The whole label has to match.
    scratch
        .run(
            "reach",
            &["--find", "REFUND", "--find", "TEA", "vending.aut"],
        )
        .ok()
        .prints("find: FALSE\nfind: TRUE\n\"COIN !1\"\n\"TEA\"\n");
    scratch
        .run("reach", &["--livelock", "vending.aut"])
        .ok()
        .prints("livelock: TRUE\n\"COIN !1\"\n*** from here on in a circle\n\"i\"\n\"i\"\n");
    scratch
        .feed(
            "reach",
            &["--deadlock", "--livelock"],
            "des (0,1,1)\n(0,a,0)\n",
        )
        .ok()
        .prints("deadlock: FALSE\nlivelock: FALSE\n");
}

#[test]
fn several_answers_are_one_seq_file() {
    let scratch = Scratch::with_vending();
    scratch
        .run(
            "reach",
            &["--find", "TEA", "--deadlock", "--find", "X", "vending.aut"],
        )
        .ok()
        .prints(
            "deadlock: TRUE\n\"COIN !1\"\n\"COIN !1\"\n\"i\"\n<deadlock>\n\
             []\nfind: TRUE\n\"COIN !1\"\n\"TEA\"\nfind: FALSE\n",
        );
}

#[test]
fn findings_may_fail() {
    let scratch = Scratch::with_vending();
    let run = |arguments: &[&str]| scratch.run("reach", &[&["vending.aut"], arguments].concat());
    run(&["--deadlock", "--fail-on", "deadlock"]).status(1);
    // It asks the question by itself.
    run(&["--fail-on", "livelock"])
        .status(1)
        .silent()
        .prints("livelock: TRUE\n\"COIN !1\"\n*** from here on in a circle\n\"i\"\n\"i\"\n");
    run(&["--find", "TEA", "--fail-on", "found"]).status(1);
    run(&["--find", "WATER", "--fail-on", "found"])
        .ok()
        .prints("find: FALSE\n");
    run(&[
        "--find",
        "TEA",
        "--fail-on",
        "livelock",
        "--fail-on",
        "found",
    ])
    .status(1);
    run(&["--deadlock", "--find", "WATER", "--fail-on", "found"]).status(0);
    run(&["--fail-on", "found"]).status(2).says("--find");
    run(&["--fail-on", "nothing"]).status(2).says("deadlock");
}

#[test]
fn with_a_question_the_state_space_goes_to_a_file() {
    let scratch = Scratch::with_vending();
    scratch
        .run("reach", &["--find", "WATER", "-o", "r.aut", "vending.aut"])
        .ok()
        .prints("find: FALSE\n");
    assert_eq!(scratch.read("r.aut"), REACHED);
    scratch
        .run(
            "reach",
            &["--fail-on", "deadlock", "-o", "s.aut", "vending.aut"],
        )
        .status(1);
    assert_eq!(scratch.read("s.aut"), REACHED);
    scratch
        .run("reach", &["--deadlock", "-o", "-", "vending.aut"])
        .status(2)
        .says("answers")
        .prints("");
}

#[test]
fn a_trace_that_seq_cannot_spell_stands_in_comments() {
    let scratch = Scratch::new();
    let input = "des (0,3,3)\n(0,\"MSG !\"ping\"\",1)\n(1,i,2)\n(2,i,1)\n";
    scratch
        .feed("reach", &["--livelock"], input)
        .status(0)
        .says("MSG !\"ping\"")
        .prints(
            "livelock: TRUE\n\
             *** SEQ cannot express these labels; they stand as in formulas:\n\
             *** \"MSG !\\\"ping\\\"\"\n\
             *** from here on in a circle\n\
             *** i\n\
             *** i\n",
        );
}

#[test]
fn a_bad_expression_is_refused() {
    let scratch = Scratch::with_vending();
    scratch
        .run("reach", &["--find", "a\\{", "vending.aut"])
        .status(2)
        .says("--find")
        .prints("");
}

#[test]
fn statistics_tell_the_search() {
    let scratch = Scratch::with_vending();
    scratch
        .run(
            "reach",
            &["--find", "WATER", "--stats", "s.json", "vending.aut"],
        )
        .ok();
    let stats = json(scratch.read("s.json"));
    assert_eq!(stats["states_found"], 6);
    assert_eq!(stats["transitions_found"], 8);
    assert_eq!(stats["depth"], 3);
    assert_eq!(stats["outputs"][0]["format"], "seq");
}
