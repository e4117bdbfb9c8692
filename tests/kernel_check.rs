//! `kernel check`, run as a user runs it.

use crate::util;

use util::{Scratch, json};

/// Two users who may each work once.
const USERS: &str = "\
des (0, 4, 4)
(0, \"WORK !0\", 1)
(0, \"WORK !1\", 2)
(1, \"WORK !1\", 3)
(2, \"WORK !0\", 3)
";

const PATTERN: &str = "\
template = \"user.aut\"
[[transformations]]
rotations = [0, 1]
[[order]]
label = \"WORK $u\"
by = [{ variable = \"u\", values = [0, 1], descending = true }]
";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("user.aut", "des (0, 1, 2)\n(0, \"1 !WORK !0\", 1)\n");
    scratch.write("users.pattern.toml", PATTERN);
    scratch
}

const CHECK: [&str; 4] = ["check", "--pattern", "users.pattern.toml", "-q"];

/// Runs the check on an LTS.
fn check(scratch: &Scratch, lts: &str, more: &[&str], status: i32) -> String {
    let arguments = [&CHECK, more].concat();
    let done = scratch.feed("kernel", &arguments, lts);
    done.status(status).text().into()
}

const ALL_HOLD: &str = "\
deterministic: TRUE
covered: TRUE
loop_preserving: TRUE
persistent: TRUE
closed: TRUE
adequate: TRUE
symmetric: TRUE
";

/// The second user does not work after the first.
fn open() -> String {
    let lts = USERS.replace("(0, 4, 4)", "(0, 3, 4)");
    lts.replace("(2, \"WORK !0\", 3)\n", "")
}

#[test]
fn all_holds() {
    let scratch = scratch();
    assert_eq!(check(&scratch, USERS, &[], 0), ALL_HOLD);
    assert_eq!(check(&scratch, USERS, &["-j1", "-o", "k.aut"], 0), ALL_HOLD);
    let found = "des (0, 2, 3)\n(0, \"WORK !1\", 1)\n(1, \"WORK !0\", 2)\n";
    assert_eq!(scratch.read("k.aut"), found);
}

#[test]
fn traces_show_what_is_violated() {
    let scratch = scratch();
    let expected = "\
deterministic: TRUE
covered: TRUE
loop_preserving: TRUE
persistent: TRUE
closed: FALSE
*** a trace of the specification
\"WORK !0\"
\"WORK !1\"
[]
*** symmetric to it, and no trace of the specification: its last step is not
\"WORK !1\"
\"WORK !0\"
[]
adequate: FALSE
*** a trace of the specification
\"WORK !0\"
\"WORK !1\"
[]
*** a trace of the kernel that is symmetric to it but for its last step; no trace of the kernel is \
symmetric to it
\"WORK !1\"
[]
symmetric: FALSE
*** Definition 3.1, condition 1: closed
*** a trace of the specification
\"WORK !0\"
\"WORK !1\"
[]
*** symmetric to it, and no trace of the specification: its last step is not
\"WORK !1\"
\"WORK !0\"
";
    let found = check(&scratch, &open(), &[], 1);
    assert_eq!(found, expected);
    // The answers are a SEQ file of six traces.
    scratch.write("answers.seq", &found);
    let read = scratch.run("transcode", &["--from", "seq", "answers.seq"]);
    assert!(read.status(0).text().starts_with("des (0, "));

    let found = check(&scratch, &open(), &["--json"], 1);
    let answers = json(found);
    assert_eq!(answers["persistent"]["verdict"], true);
    assert_eq!(answers["closed"]["verdict"], false);
    let traces = &answers["closed"]["traces"];
    assert_eq!(traces[0]["what"], "a trace of the specification");
    assert_eq!(traces[1]["labels"][1], "WORK !0");
}

#[test]
fn what_makes_no_sense_is_unknown() {
    let scratch = scratch();
    let twice = USERS.replace("(0, 4, 4)", "(0, 5, 4)") + "(0, \"WORK !1\", 3)\n";
    let found = check(&scratch, &twice, &[], 1);
    let expected = "\
deterministic: FALSE
*** the last label leads from state 0 to 2 and to 3
*** a trace of the specification
\"WORK !1\"
covered: TRUE
loop_preserving: TRUE
persistent: UNKNOWN
closed: UNKNOWN
adequate: TRUE
symmetric: UNKNOWN
";
    assert_eq!(found, expected);
    let more = USERS.replace("(0, 4, 4)", "(0, 5, 4)") + "(3, \"REST\", 0)\n";
    let arguments = [&CHECK[..3], &["-o", "k.aut"]].concat();
    scratch
        .feed("kernel", &arguments, &more)
        .status(1)
        .says("kernel: adequate: not all traces are covered")
        .says("kernel: no kernel is written, since the specification is not covered")
        .prints(
            "deterministic: TRUE\ncovered: FALSE\n*** no copy takes the last label, from state \
             3\n*** a trace of the specification\n\"WORK !0\"\n\"WORK !1\"\n\"REST\"\n\
             loop_preserving: UNKNOWN\npersistent: UNKNOWN\nclosed: UNKNOWN\nadequate: UNKNOWN\n\
             symmetric: UNKNOWN\n",
        );
    assert!(!scratch.path("k.aut").exists());
}

#[test]
fn limits_end_without_a_verdict() {
    let scratch = scratch();
    let arguments = [&CHECK[..3], &["--max-nodes", "2"]].concat();
    let done = scratch.feed("kernel", &arguments, USERS).status(3);
    done.says("kernel: covered: a limit was reached at 2 nodes (--max-nodes, --max-memory)");
    let arguments = [&CHECK[..3], &["--max-pairs", "1"]].concat();
    let done = scratch.feed("kernel", &arguments, USERS).status(3);
    done.says(
        "kernel: adequate: the limit was reached at 1 pair of nodes; nothing was found with \
         traces of up to 0 steps (--max-pairs, --max-memory)",
    );
}

/// There are answers where the memory comes to its end, too.
#[test]
fn memory_ends_with_answers() {
    let scratch = scratch();
    let edges: String = (0..400_000)
        .map(|k| format!("({k}, \"WORK !{}\", {})\n", k % 2, k + 1))
        .collect();
    let long = format!("des (0, 400000, 400001)\n{edges}");
    let arguments = [&CHECK[..], &["-j1", "--max-memory", "8M"]].concat();
    let done = scratch.feed("kernel", &arguments, &long).status(3);
    done.says("out of memory")
        .prints(&ALL_HOLD.replace("TRUE", "UNKNOWN"));
}

#[test]
fn parts_from_elsewhere() {
    let scratch = scratch();
    scratch.write("small.aut", "des (0, 1, 2)\n(0, \"WORK !1\", 1)\n");
    let found = check(&scratch, USERS, &["--part", "small.aut"], 1);
    assert!(found.contains("adequate: FALSE\n"), "{found}");
    assert!(found.ends_with("symmetric: TRUE\n"), "{found}");
    scratch.write("all.aut", USERS);
    assert_eq!(check(&scratch, USERS, &["--part", "all.aut"], 0), ALL_HOLD);
    scratch.write("other.aut", "des (0, 1, 2)\n(0, \"REST\", 1)\n");
    let arguments = [&CHECK[..], &["--part", "other.aut"]].concat();
    scratch
        .feed("kernel", &arguments, USERS)
        .status(2)
        .says("no part of the specification: the specification has no label `REST`")
        .prints("");
}

#[test]
fn usage() {
    let scratch = scratch();
    let fails = |arguments: &[&str], says: &str| {
        let arguments = [&["--pattern", "users.pattern.toml"], arguments].concat();
        let done = scratch.feed("kernel", &arguments, USERS).status(2);
        done.says(says).prints("");
    };
    fails(
        &["--json"],
        "--json is an option of kernel check, kernel find-symmetry, kernel find-order",
    );
    fails(
        &["--max-pairs", "9"],
        "--max-pairs is an option of kernel check",
    );
    fails(
        &["--check"],
        "--check is now: kernel check --pattern FILE [INPUT]",
    );
    fails(&["check"], "--pattern <FILE> stands before the mode check");
    let fails = |arguments: &[&str], says: &str| {
        let arguments = [&CHECK[..], arguments].concat();
        let done = scratch.feed("kernel", &arguments, USERS).status(2);
        done.says(says).prints("");
    };
    fails(&["--max-pairs", "0"], "0 is not in 1..");
    fails(
        &["-o", "-"],
        "standard output carries the answers: the kernel needs another OUTPUT",
    );
    fails(
        &["--part", "-"],
        "only one of INPUT and --part can be standard input",
    );
}

#[test]
fn figures_of_a_check() {
    let scratch = scratch();
    check(&scratch, USERS, &["--stats", "s.json"], 0);
    let stats = json(scratch.read("s.json"));
    assert_eq!(stats["product_nodes"], 4);
    assert_eq!(stats["product_transitions"], 4);
    // Both hold at once, without pairs.
    assert_eq!(stats["variant_pairs"], 0);
    assert_eq!(stats["adequacy_pairs"], 4);
}
