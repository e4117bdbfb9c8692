//! `kernel`, run as a user runs it.

use crate::util;

use util::{Scratch, json};

/// Two users who may each work once; the second user's label is symmetric to the
/// first one's.
const USERS: &str = "\
des (0, 4, 4)
(0, \"WORK !0\", 1)
(0, \"WORK !1\", 2)
(1, \"WORK !1\", 3)
(2, \"WORK !0\", 3)
";

const TEMPLATE: &str = "des (0, 1, 2)\n(0, \"1 !WORK !0\", 1)\n";

const PATTERN: &str = "\
template = \"user.aut\"
[values]
user = [0, 1]
[[transformations]]
rotations = \"user\"
[[order]]
label = \"WORK $u\"
by = [{ variable = \"u\", values = \"user\", descending = true }]
";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("user.aut", TEMPLATE);
    scratch.write("users.pattern.toml", PATTERN);
    scratch.write("users.aut", USERS);
    scratch
}

const ARGUMENTS: [&str; 3] = ["-q", "--pattern", "users.pattern.toml"];

fn kernel(scratch: &Scratch, more: &[&str]) -> String {
    let arguments = [&ARGUMENTS, more].concat();
    scratch.feed("kernel", &arguments, USERS).ok().text().into()
}

#[test]
fn from_standard_input_to_standard_output() {
    let scratch = scratch();
    let found = "des (0, 2, 3)\n(0, \"WORK !1\", 1)\n(1, \"WORK !0\", 2)\n";
    assert_eq!(kernel(&scratch, &[]), found);
    assert_eq!(kernel(&scratch, &["-j1"]), found);
    // The numbers of the specification; state 1 is nowhere in the kernel.
    let kept = "des (0, 2, 4)\n(0, \"WORK !1\", 2)\n(2, \"WORK !0\", 3)\n";
    assert_eq!(kernel(&scratch, &["--keep-numbers"]), kept);
}

#[test]
fn what_is_not_verified_is_said() {
    let scratch = scratch();
    scratch
        .feed("kernel", &ARGUMENTS[1..], USERS)
        .status(0)
        .says("kernel: not verified: that the specification is deterministic, covered beyond the kernel, and closed, and that the pattern is loop preserving and persistent; `kernel check` does");
    let twice = USERS.replace("(0, 4, 4)", "(0, 5, 4)") + "(0, \"WORK !1\", 3)\n";
    scratch
        .feed("kernel", &ARGUMENTS[1..], &twice)
        .status(0)
        .says("kernel: the specification is not deterministic");
}

#[test]
fn an_order_from_a_file() {
    let scratch = scratch();
    scratch.write("users.rank", "# by hand\nWORK !0\nWORK !1\n");
    let found = "des (0, 2, 3)\n(0, \"WORK !0\", 1)\n(1, \"WORK !1\", 2)\n";
    assert_eq!(kernel(&scratch, &["--order", "users.rank"]), found);
    let by_file = PATTERN.split("[[order]]").next().unwrap();
    let by_file = format!("order-file = \"users.rank\"\n{by_file}");
    scratch.write("users.pattern.toml", &by_file);
    assert_eq!(kernel(&scratch, &[]), found);
}

/// Of files that a pattern names no line is to be seen, and pipes are not read.
#[test]
fn files_that_patterns_name() {
    let scratch = scratch();
    let by_file = PATTERN.split("[[order]]").next().unwrap();
    let by_file = format!("order-file = \"secret\"\n{by_file}");
    let run = |pattern: &str| {
        scratch.write("users.pattern.toml", pattern);
        let run = scratch.run("kernel", &["--pattern", "users.pattern.toml", "users.aut"]);
        assert!(!run.stderr.contains("SECRET"), "{}", run.stderr);
        run
    };
    scratch.write("secret", "SECRET:x:0\nSECRET:y:1\n");
    run(&by_file)
        .status(0)
        .says("order: no label of the specification fits 2 lines that the file lists");
    scratch.write("secret", "SECRET\nSECRET\n");
    run(&by_file)
        .status(2)
        .says("secret:2:1: error: expected labels, each once; what is there is not shown");
    let other = PATTERN.replace("user.aut", "secret.aut");
    scratch.write("secret.aut", "des (0, 1, 1)\n(0, SECRET\n");
    run(&other).status(2).says("secret.aut:2:");
    scratch.shell("rm secret && mkfifo secret").ok();
    let regular = "no regular file, which a file has to be that another one names";
    run(&by_file).status(2).says(regular);
    // The user's own list is shown.
    scratch.write("mine", "WORK !0\nMINE\n");
    scratch.write("users.pattern.toml", PATTERN);
    let own = [
        "--pattern",
        "users.pattern.toml",
        "--order",
        "mine",
        "users.aut",
    ];
    let run = scratch.run("kernel", &own).status(0);
    run.says("order: no label of the specification fits `MINE`");
}

/// What a template in DOT tells of states is ignored where the user says so.
#[test]
fn outputs_in_templates() {
    let scratch = scratch();
    scratch.write(
        "user.dot",
        "digraph { s0 [label=\"s0\\nIDLE\"]; s1 [label=\"s1\\nDONE\" peripheries=2]; \
         s0 -> s1 [label=\"1 !WORK !0\"]; __start0 -> s0 }",
    );
    let found = kernel(&scratch, &[]);
    scratch.write(
        "users.pattern.toml",
        PATTERN.replace("user.aut", "user.dot"),
    );
    let run = scratch
        .feed("kernel", &ARGUMENTS, USERS)
        .status(2)
        .says("--ignore-outputs [dot-outputs]")
        .says("with --ignore-outputs (and --init NODE if that is what it marks) [dot-accepting]");
    assert!(!run.stderr.contains("IDLE"), "{}", run.stderr);
    assert_eq!(kernel(&scratch, &["--ignore-outputs"]), found);
    let machine = "des (0, 2, 1)\n(0, \"a 1/x\", 0)\n(0, \"a 2/x\", 0)\n";
    let suite = ["-m", "w", "--up-to-symmetry", "users.pattern.toml"];
    scratch
        .feed("wmethod", &suite, machine)
        .status(2)
        .says("--ignore-outputs [dot-outputs]");
    let ignored = [&suite[..], &["--ignore-outputs"]].concat();
    let run = scratch.feed("wmethod", &ignored, machine);
    assert!(!run.stderr.contains("dot-outputs"), "{}", run.stderr);
    assert!(!run.stderr.contains("no effect"), "{}", run.stderr);
}

/// Files that a pattern names are beside it.
#[test]
fn patterns_are_read_from_anywhere() {
    let scratch = scratch();
    std::fs::create_dir(scratch.path("sub")).unwrap();
    let text = PATTERN.replace("user.aut", "../user.aut");
    scratch.write("sub/users.pattern.toml", &text);
    let arguments = ["-q", "--pattern", "sub/users.pattern.toml", "users.aut"];
    let found = scratch.run("kernel", &arguments).ok().text().to_owned();
    assert_eq!(found, kernel(&scratch, &[]));
}

#[test]
fn a_label_that_no_copy_takes_is_shown() {
    let scratch = scratch();
    let more = USERS.replace("(0, 4, 4)", "(0, 5, 4)") + "(3, \"REST\", 0)\n";
    scratch
        .feed(
            "kernel",
            &[&ARGUMENTS[..], &["-o", "out.aut"]].concat(),
            &more,
        )
        .status(2)
        .says(
            "error: no copy of the template takes the last label of this trace, which leaves \
             state 3; expected a pattern that covers the specification:\n*** \"WORK !1\"\n\
             *** \"WORK !0\"\n*** \"REST\"",
        )
        .prints("");
    assert!(!scratch.path("out.aut").exists());
}

#[test]
fn bad_usage_and_bad_files() {
    let scratch = scratch();
    let fails = |arguments: &[&str], says: &str| {
        scratch
            .feed("kernel", arguments, USERS)
            .status(2)
            .says(says)
            .prints("");
    };
    fails(&[], "no pattern: give --pattern FILE");
    fails(&["--order", "users.rank"], "--pattern <FILE>");
    fails(&["--pattern", "none.toml"], "cannot read none.toml: ");
    fails(
        &[
            "--pattern",
            "users.pattern.toml",
            "--to",
            "aut",
            "-o",
            "users.pattern.toml",
        ],
        "users.pattern.toml would replace users.pattern.toml",
    );
    scratch.write("bad.toml", "template = \"user.aut\"\nrotate = 1\n");
    fails(
        &["--pattern", "bad.toml"],
        "bad.toml:2:1: error: unknown field `rotate`, expected one of",
    );
    scratch.write("bytes.toml", &b"\ntemplate = '\xff'\n"[..]);
    fails(
        &["--pattern", "bytes.toml"],
        "bytes.toml:2:13: bytes that are no UTF-8; expected TOML",
    );
    scratch.write("user.aut", "des (0, 1, 2)\n(0, \"WORK !0\", 1)\n");
    fails(
        &["--pattern", "users.pattern.toml"],
        "user.aut:2:5: error: the template's label `WORK !0` begins with `WORK`; expected the number \
         of the edge",
    );
    let edges = "(0, \"1 !WORK !0\", 1)\n (1,1 !WORK !1 , 0)\n";
    scratch.write("user.aut", format!("des (0, 2, 2)\n{edges}"));
    fails(
        &["--pattern", "users.pattern.toml"],
        "user.aut:3:5: error: two edges of the template have the number 1; expected",
    );
    scratch.write("user.aut", "des (0, 1, 2)\n(0, \"1 !WORK !0\", 1\n");
    fails(&["--pattern", "users.pattern.toml"], "user.aut:2:");
    scratch.write("user.aut", TEMPLATE);
    let bad = "template = \"user.aut\"\n[[transformations]]\nmap = { 0 = 1 }\ninitial = -1\n";
    scratch.write("bad.toml", bad);
    fails(
        &["--pattern", "bad.toml"],
        "bad.toml:4:11: error: state -1; expected a state of the template: a number from 0 to ",
    );
    fails(
        &["--pattern", "-"],
        "patterns and orders are not read from standard input: give a file",
    );
    fails(
        &["--pattern", "/dev/zero"],
        "more than 67108864 bytes, which is too long for such a file",
    );
    fails(
        &["--pattern", "users.pattern.toml", "--order", "/dev/zero"],
        "more than 67108864 bytes, which is too long for such a file",
    );
    scratch.write("twice.rank", "WORK !0\nWORK(0)\n");
    fails(
        &["--pattern", "users.pattern.toml", "--order", "twice.rank"],
        "twice.rank:2:1: error: `WORK 0` is in line 1 already",
    );
    let empty = scratch.feed("kernel", &ARGUMENTS, "");
    empty.status(2).prints("");
}

/// Whatever names them, files that a pattern consists of are not overwritten.
#[test]
fn files_of_the_pattern_stay() {
    let scratch = scratch();
    scratch.write("users.rank", "WORK !0\nWORK !1\n");
    let by_file = PATTERN.split("[[order]]").next().unwrap();
    let by_file = format!("order-file = \"users.rank\"\n{by_file}");
    scratch.write("users.pattern.toml", &by_file);
    for file in ["user.aut", "users.rank", "users.pattern.toml"] {
        let before = scratch.read(file);
        let output = [&ARGUMENTS[..], &["--to", "aut", "-o", file]].concat();
        let replaces = format!("{file} would replace {file}");
        scratch
            .feed("kernel", &output, USERS)
            .status(2)
            .says(&replaces);
        let stats = [&ARGUMENTS[..], &["--stats", file]].concat();
        scratch
            .feed("kernel", &stats, USERS)
            .status(2)
            .says("would replace the input");
        assert_eq!(scratch.read(file), before);
    }
}

/// In every format that has numbers.
#[test]
fn kept_numbers_are_kept_in_bcg() {
    let scratch = scratch();
    kernel(&scratch, &["--keep-numbers", "-o", "kept.bcg"]);
    let kept = "des (0, 2, 4)\n(0, \"WORK !1\", 2)\n(2, \"WORK !0\", 3)\n";
    scratch.run("transcode", &["kept.bcg"]).ok().prints(kept);
    let canonical = [&ARGUMENTS[..], &["--keep-numbers", "--canonical"]].concat();
    scratch
        .feed("kernel", &canonical, USERS)
        .status(2)
        .says("it does not go with --keep-numbers");
}

#[test]
fn entries_that_fit_nothing_are_told() {
    let scratch = scratch();
    let mistyped = PATTERN.replace("label = \"WORK $u\"", "label = \"WROK $u\"");
    scratch.write("users.pattern.toml", &mistyped);
    scratch
        .feed("kernel", &ARGUMENTS[1..], USERS)
        .status(0)
        .says("kernel: order: no label of the specification fits `WROK $u`");
    scratch.write("users.rank", "WORK !1\nREST\n");
    let listed = [&ARGUMENTS[1..], &["--order", "users.rank"]].concat();
    scratch
        .feed("kernel", &listed, USERS)
        .status(0)
        .says("kernel: order: no label of the specification fits `REST`");
}

#[test]
fn figures() {
    let scratch = scratch();
    kernel(&scratch, &["--stats", "s.json"]);
    let stats = json(scratch.read("s.json"));
    assert_eq!(stats["nodes"], 3);
    assert_eq!(stats["copies"], 2);
}

#[test]
fn the_best_order_is_listed() {
    let scratch = scratch();
    let arguments = ["find-order", "--pattern", "users.pattern.toml"];
    let listed = "\
# Kernel: 3 states, 2 transitions.
# The best of all 2 orders.
# user: 0 1
WORK !1
WORK !0
";
    scratch
        .feed("kernel", &arguments, USERS)
        .ok()
        .prints(listed);
    let to_file = [&arguments[..], &["-o", "best.rank", "--stats", "s.json"]].concat();
    scratch.feed("kernel", &to_file, USERS).ok().prints("");
    assert_eq!(scratch.read("best.rank"), listed);
    assert_eq!(json(scratch.read("s.json"))["orders_tried"], 2);
    let found = "des (0, 2, 3)\n(0, \"WORK !1\", 1)\n(1, \"WORK !0\", 2)\n";
    assert_eq!(kernel(&scratch, &["--order", "best.rank"]), found);
    // Step by step, for any seed.
    let steps = ["--exhaustive", "1", "--restarts", "2", "--seed", "7"];
    let text = scratch
        .feed("kernel", &[&arguments[..], &steps].concat(), USERS)
        .ok()
        .text()
        .to_owned();
    assert_eq!(text, listed);

    let fails = |arguments: &[&str], says: &str| {
        scratch
            .feed("kernel", arguments, USERS)
            .status(2)
            .says(says)
            .prints("");
    };
    let with_json = [&arguments[..], &["--json"]].concat();
    let answer = json(scratch.feed("kernel", &with_json, USERS).ok().text());
    assert_eq!(
        answer,
        serde_json::json!({
            "kernel_states": 3,
            "kernel_transitions": 2,
            "orders_tried": 2,
            "exhaustive": true,
            "lists": [{ "name": "user", "values": ["0", "1"] }],
            "order": ["WORK !1", "WORK !0"],
        })
    );
    fails(&["find-order"], "no pattern: give --pattern FILE");
    fails(&["--seed", "1"], "--seed is an option of kernel find-order");
    fails(
        &["--best-order"],
        "--best-order is now: kernel find-order --pattern FILE [INPUT]",
    );
    fails(
        &[&arguments[..], &["--to", "bcg"]].concat(),
        "--to is an option of kernel derive, kernel check",
    );
    scratch.write(
        "users.pattern.toml",
        PATTERN.split("[[order]]").next().unwrap(),
    );
    fails(&arguments, "the order has no lists of values to arrange");
}
