//! `relabel`, run as a user runs it.

use crate::util;

use util::{Scratch, VENDING, json, same_lines};

const INPUT: &str = "\
des (0, 6, 5)
(0, \"PUT !1\", 1)
(0, \"PUT !2\", 2)
(1, \"GET !1 !A\", 0)
(2, i, 3)
(3, GET, 0)
(3, PUTS, 4)
";

fn relabelled(scratch: &Scratch, arguments: &[&str]) -> String {
    scratch.feed("relabel", arguments, INPUT).ok().text().into()
}

#[test]
fn nothing_to_do_is_done() {
    let scratch = Scratch::new();
    assert_eq!(relabelled(&scratch, &[]), INPUT);
}

#[test]
fn rule_files_and_modes() {
    let scratch = Scratch::new();
    let stdin = scratch.feed("relabel", &["--hide", "-", "in.aut"], "hide\n");
    stdin
        .status(2)
        .says("rules for labels are not read from standard input: give a file");
    scratch.write("g.hid", "hide\nPUT\n");
    scratch.write("g.cut", "cut all but\nPUT\n");
    scratch.write("g.ren", "rename\nPUT !\\(.*\\) -> IN(\\1)\nGET -> OUT\n");
    let run = scratch.feed("relabel", &["--hide", "g.hid"], INPUT);
    run.status(0)
        .says(
            "g.hid:2:1: warning: hide `PUT`: no label matches: it has to match a whole label, and \
             3 labels contain it, as `PUT !1`: write 'PUT.*', or match gates only [rule-unused]",
        )
        .prints(INPUT);
    scratch.shell("gzip -k g.hid").ok();
    let run = scratch.feed("relabel", &["--hide", "g.hid.gz"], INPUT);
    run.status(0)
        .says("g.hid.gz:2:1: warning: hide `PUT`: no label matches")
        .prints(INPUT);
    assert_eq!(
        relabelled(&scratch, &["--match", "gate", "--hide", "g.hid"]),
        "des (0, 6, 5)\n(0, i, 1)\n(0, i, 2)\n(1, \"GET !1 !A\", 0)\n(2, i, 3)\n(3, GET, 0)\n(3, PUTS, 4)\n"
    );
    assert_eq!(
        relabelled(&scratch, &["--match", "partial", "--hide", "g.hid"]),
        "des (0, 6, 5)\n(0, i, 1)\n(0, i, 2)\n(1, \"GET !1 !A\", 0)\n(2, i, 3)\n(3, GET, 0)\n(3, i, 4)\n"
    );
    // The hidden action is never cut; states stay.
    assert_eq!(
        relabelled(&scratch, &["--match=gate", "--cut", "g.cut"]),
        "des (0, 3, 5)\n(0, \"PUT !1\", 1)\n(0, \"PUT !2\", 2)\n(2, i, 3)\n"
    );
    assert_eq!(
        relabelled(&scratch, &["--rename", "g.ren"]),
        "des (0, 6, 5)\n(0, \"IN(1)\", 1)\n(0, \"IN(2)\", 2)\n(1, \"GET !1 !A\", 0)\n(2, i, 3)\n(3, OUT, 0)\n(3, PUTS, 4)\n"
    );
}

#[test]
fn from_left_to_right_whatever_the_options_are() {
    let scratch = Scratch::new();
    scratch.write("a.ren", "rename\nPUTS -> GET\n");
    scratch.write("a.hid", "hide\nGET\n");
    let renamed_first = relabelled(&scratch, &["--rename", "a.ren", "--hide", "a.hid"]);
    assert!(
        renamed_first.ends_with("(3, i, 0)\n(3, i, 4)\n"),
        "{renamed_first}"
    );
    let hidden_first = relabelled(&scratch, &["--hide", "a.hid", "--rename", "a.ren"]);
    assert!(
        hidden_first.ends_with("(3, i, 0)\n(3, GET, 4)\n"),
        "{hidden_first}"
    );
    // --match holds for what follows it.
    let arguments = [
        "--hide-label",
        "PUTS",
        "--match",
        "gate",
        "--cut-label",
        "PUT",
        "--match",
        "multiple",
        "--rename-label",
        "[1A] -> x",
    ];
    assert_eq!(
        relabelled(&scratch, &arguments),
        "des (0, 4, 5)\n(1, \"GET !x !x\", 0)\n(2, i, 3)\n(3, GET, 0)\n(3, i, 4)\n"
    );
}

#[test]
fn inline_rules_in_a_row_are_one_list() {
    let scratch = Scratch::new();
    let swap = [
        "--rename-label",
        "GET -> PUTS",
        "--rename-label",
        "PUTS->GET",
    ];
    let run = relabelled(&scratch, &swap);
    assert!(run.ends_with("(3, PUTS, 0)\n(3, GET, 4)\n"), "{run}");
    let kept = [
        "--all-but",
        "--hide-label",
        "GET.*",
        "--hide-label",
        "PUTS",
        "--match",
        "gate",
        "--hide-label",
        "GET",
    ];
    assert_eq!(
        relabelled(&scratch, &kept),
        "des (0, 6, 5)\n(0, i, 1)\n(0, i, 2)\n(1, i, 0)\n(2, i, 3)\n(3, i, 0)\n(3, PUTS, 4)\n"
    );
    for bad in [
        &["--all-but"][..],
        &["--all-but", "--rename-label", "A -> B"],
        &["--hide-label", "A", "--all-but"],
        &["--all-but", "--match", "gate", "--hide-label", "A"],
    ] {
        scratch
            .feed("relabel", bad, INPUT)
            .status(2)
            .says("--all-but needs a --hide-label or --cut-label right behind it")
            .prints("");
    }
}

#[test]
fn what_reads_like_the_hidden_action_is_hidden() {
    let scratch = Scratch::new();
    let rename = [
        "--rename-label",
        "GET -> i",
        "--rename-label",
        "PUTS -> tau",
    ];
    let run = scratch.feed("relabel", &rename, INPUT).status(0);
    assert!(
        run.text().ends_with("(3, i, 0)\n(3, tau, 4)\n"),
        "{}",
        run.text()
    );
    let input = INPUT.replace("(2, i,", "(2, tau,");
    let mut mcrl2 = vec!["--dialect", "mcrl2"];
    mcrl2.extend(rename);
    let run = scratch.feed("relabel", &mcrl2, &input).status(0);
    assert!(
        run.text()
            .ends_with("(2, tau, 3)\n(3, i, 0)\n(3, tau, 4)\n")
    );
    // With another hidden action, `i` is a label like any other.
    scratch
        .feed(
            "relabel",
            &["--hidden", "none", "--rename-label", "i -> STEP"],
            INPUT,
        )
        .ok()
        .prints(&INPUT.replace("(2, i,", "(2, STEP,"));
    scratch
        .feed(
            "relabel",
            &["--hidden", "tau", "--rename-label", "GET -> i"],
            &input,
        )
        .status(2)
        .says("[label-like-hidden]")
        .prints("");
}

#[test]
fn scrambled_labels_keep_the_structure() {
    let scratch = Scratch::with_vending();
    let run = scratch
        .run("relabel", &["--scramble", "L%d", "vending.aut"])
        .ok();
    let scrambled = VENDING
        .replace("\"COIN !1\"", "L0")
        .replace("TEA", "L1")
        .replace("COFFEE", "L2")
        .replace("\"REFUND !2\"", "L3");
    same_lines(run.text(), &scrambled);
    scratch
        .run("relabel", &["--scramble", "%s", "vending.aut"])
        .status(2)
        .says("--scramble '%s': only d or % may follow %")
        .prints("");
}

#[test]
fn mistakes_in_rules_are_told_with_their_place() {
    let scratch = Scratch::with_vending();
    scratch.write("bad.hid", "hide\nCOIN\n  T[EA\n");
    scratch
        .run(
            "relabel",
            &["--hide", "bad.hid", "vending.aut", "-o", "x.aut"],
        )
        .status(2)
        .says("bad.hid:3:4: error: '[' without ']' [rule-syntax]");
    scratch
        .run("relabel", &["--cut", "bad.hid", "vending.aut"])
        .status(2)
        .says("bad.hid:1:1: error: found `hide`, expected the line `cut` or with `all but` behind it [rule-header]")
        .prints("");
    scratch
        .run("relabel", &["--rename-label", "A", "vending.aut"])
        .status(2)
        .says("error: rename `A`, column 1: expected `LEFT -> RIGHT` [rule-syntax]");
    scratch
        .run("relabel", &["--rename", "none.ren", "vending.aut"])
        .status(2)
        .says("cannot read none.ren: No such file");
    for (mode, option, value) in [
        ("single", "--hide-label", "A"),
        ("multiple", "--cut-label", "A"),
        ("partial", "--rename-label", "A -> B"),
    ] {
        scratch
            .run("relabel", &["--match", mode, option, value, "vending.aut"])
            .status(2)
            .says("cannot match by --match")
            .prints("");
    }
    scratch.write("good.hid", "hide\nTEA\n");
    scratch
        .run(
            "relabel",
            &[
                "--hide",
                "good.hid",
                "vending.aut",
                "--to",
                "aut",
                "-o",
                "good.hid",
            ],
        )
        .status(2)
        .says("good.hid would replace good.hid");
    assert_eq!(scratch.names(), ["bad.hid", "good.hid", "vending.aut"]);
}

#[test]
fn doubts_are_warnings() {
    let scratch = Scratch::with_vending();
    let arguments = ["--match", "gate", "--hide-label", "COIN !1", "vending.aut"];
    let run = scratch
        .run("relabel", &arguments)
        .status(0)
        .says("warning: hide `COIN !1`: a gate ends before")
        .says("[rule-offers]")
        .prints(VENDING);
    // It is told once.
    assert!(!run.stderr.contains("[rule-unused]"), "{}", run.stderr);
    let mut quiet = vec!["-q"];
    quiet.extend(arguments);
    scratch.run("relabel", &quiet).ok();
}

#[test]
fn statistics_count_transitions() {
    let scratch = Scratch::with_vending();
    let arguments = [
        "--hide-label",
        "TEA",
        "--cut-label",
        "COFFEE",
        "--stats",
        "s.json",
        "vending.aut",
        "-o",
        "out.aut.gz",
    ];
    scratch.run("relabel", &arguments).ok();
    let stats = json(scratch.read("s.json"));
    assert_eq!(stats["transitions_hidden"], 2);
    assert_eq!(stats["transitions_cut"], 1);
    assert_eq!(stats["outputs"][0]["transitions"], 9);
    let run = scratch
        .shell("relabel -v --hide-label TEA vending.aut -o /dev/null")
        .status(0);
    run.says("relabel: relabel: 8 states, 10 transitions, 4 labels");
}

#[test]
fn in_place_and_in_pipes() {
    let scratch = Scratch::with_vending();
    scratch
        .run(
            "relabel",
            &["--hide-label", "TEA", "vending.aut", "-o", "vending.aut"],
        )
        .ok();
    assert!(!scratch.read("vending.aut").contains("TEA"));
    scratch
        .shell(
            "set -o pipefail; generate dining 4 | relabel --match gate --hide-label TAKE -j 1 \
             | minimize -e branching | describe --json > a; \
             generate dining 4 | relabel --match gate --hide-label TAKE -j 4 \
             | minimize -e branching | describe --json > b; cmp a b",
        )
        .ok();
}

/// 0.8 MB of rules share automata: with one each they would take 0.6 GB.
#[test]
fn many_rules_take_little_memory() {
    let scratch = Scratch::new();
    let rules: String = (0..70_000).map(|k| format!("G.{k:06}\n")).collect();
    scratch.write("many.hid", format!("hide\n{rules}"));
    let lines: String = (0..1000u32)
        .map(|k| {
            format!(
                "(0, \"G !{:06}\", 0)\n(0, \"G{:06}\", 0)\n(0, \"G!{:06}\", 0)\n",
                k,
                k,
                k * 69
            )
        })
        .collect();
    scratch.write("in.aut", format!("des (0, 3000, 1)\n{lines}"));
    let run = scratch.shell("ulimit -v 300000; relabel --threads 1 --hide many.hid in.aut");
    // rules that match nothing are told
    let run = run.status(0);
    let text = run.text();
    assert_eq!(text.matches("(0, i, 0)").count(), 1000, "{text}");
}

/// Where the hidden action reads `tau`, as in formats of mCRL2, a label that is renamed to
/// `i` is visible, which is told, also if it can be written.
#[test]
fn labels_that_only_look_hidden_are_told() {
    const TOLD: &str = "labels that are renamed to `i` stay visible, as the hidden action of the \
                        input reads `tau`: rename them to `tau`, or give --hide-label, to hide them";
    let scratch = Scratch::new();
    scratch.write("s.fsm", "---\n---\n1 2 \"SEND\"\n");
    scratch.write("s.trc", "SEND\n");
    scratch.run("transcode", &["s.fsm", "-o", "s.lts"]).ok();
    for input in ["s.fsm", "s.trc", "s.lts"] {
        for command in ["relabel", "reach", "reduce"] {
            for (to, status) in [("fsm", 0), ("bcg", 2)] {
                let words = [
                    input,
                    "--rename-label",
                    "SEND -> i",
                    "--to",
                    to,
                    "-o",
                    "out",
                ];
                scratch.run(command, &words).status(status).says(TOLD);
            }
            let words = [input, "--rename-label", "SEND -> tau"];
            let run = scratch.run(command, &words).ok();
            // A hidden step is not kept by reductions.
            let is_kept = run.text().ends_with("(0, i, 1)\n");
            assert!(is_kept || command == "reduce", "{}", run.text());
        }
        scratch
            .run(
                "check",
                &[input, "--rename-label", "SEND -> i", "-f", "true"],
            )
            .says(TOLD);
    }
    // It was visible before, or is not written.
    scratch.write("i.fsm", "---\n---\n1 2 \"SEND\"\n2 1 \"i\"\n");
    let words = ["i.fsm", "--rename-label", "SEND -> i", "--to", "fsm"];
    scratch.run("relabel", &words).ok();
    let words = ["s.fsm", "--rename-label", "SEND -> i", "--cut-label", "i"];
    scratch.run("relabel", &words).ok();
    let words = ["--rename-label", "a -> tau"];
    scratch
        .feed("relabel", &words, "des (0, 1, 1)\n(0, a, 0)\n")
        .status(0)
        .says("renamed to `tau` stay visible, as the hidden action of the input reads `i`: rename");
}
