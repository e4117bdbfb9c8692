//! `--tau`, `--hidden` and what is told about hidden labels, as users see it.

use crate::util;

use std::fs;

use util::Scratch;

const INPUT: &str = "des (0, 7, 4)\n(0, \"c2(d1, true)\", 1)\n(1, c3, 2)\n(2, \"c2 !1\", 3)\n\
                     (3, \"c2|a(1)\", 0)\n(0, \"c2(1)|c3\", 2)\n(1, i, 3)\n(2, c22, 2)\n";

const HIDDEN: &str = "des (0, 7, 4)\n(0, i, 1)\n(0, i, 2)\n(1, i, 2)\n(1, i, 3)\n(2, i, 3)\n\
                      (2, c22, 2)\n(3, \"a(1)\", 0)\n";

#[test]
fn gates_are_hidden_whatever_their_offers() {
    let scratch = Scratch::new();
    scratch.write("in.aut", INPUT);
    for options in [
        &["--tau", "c2,c3"][..],
        &["--tau=c2", "--tau=c3"],
        &["--tau", " c3 ,c2", "-j", "1"],
        &["--tau", "c2,c3", "-j", "4"],
    ] {
        scratch
            .run("transcode", &[options, &["in.aut"]].concat())
            .ok()
            .prints(HIDDEN);
    }
    // Nothing is hidden but what is hidden already.
    let run = scratch
        .run("transcode", &["--tau", "c", "in.aut"])
        .status(0);
    assert_eq!(
        run.stderr,
        "transcode: warning: --tau c: no visible label has this gate (action name) [tau-unused]\n"
    );
    run.prints(scratch.run("transcode", &["in.aut"]).ok().text());
    scratch
        .run("transcode", &["-q", "--tau", "c", "in.aut"])
        .ok();
    for (names, why) in [
        ("c2(d1)", "--hidden"),
        ("c2 !1", "relabel --hide-label"),
        ("", "a name is missing"),
        ("a,,b", "a name is missing"),
    ] {
        scratch
            .run("transcode", &["--tau", names, "in.aut"])
            .status(2)
            .prints("")
            .says(why);
    }
}

#[test]
fn times_are_no_parts_of_actions() {
    let scratch = Scratch::new();
    let input = "des (0, 5, 2)\n(0, \"c2(1)|b @ 3\", 1)\n(0, \"c2|b @ 3\", 1)\n\
                 (0, \"c2|c2(2) @ 3\", 1)\n(0, \"c2 @ 3\", 1)\n(1, \"a|b @ 3\", 0)\n";
    scratch
        .feed("transcode", &["--tau", "c2"], input)
        .ok()
        .prints("des (0, 5, 2)\n(0, \"b @ 3\", 1)\n(0, \"b @ 3\", 1)\n(0, i, 1)\n(0, i, 1)\n(1, \"a|b @ 3\", 0)\n");
}

#[test]
fn all_formats_and_commands_have_it() {
    let scratch = Scratch::new();
    scratch.write("in.aut", INPUT);
    scratch.write("expected.aut", HIDDEN);
    for format in ["aut", "bcg", "lts", "dot", "fsm", "tsv", "jsonl"] {
        scratch
            .run("transcode", &["in.aut", "--to", format, "-o", "x"])
            .ok();
        let tau = ["--from", format, "--tau", "c2,c3", "x"];
        let canonical = [&tau[..], &["--canonical"]].concat();
        let expected = scratch
            .run("transcode", &["--canonical", "expected.aut"])
            .ok();
        scratch
            .run("transcode", &canonical)
            .ok()
            .prints(expected.text());
        for (command, words) in [
            ("minimize", &["-e", "branching"][..]),
            ("reach", &[]),
            ("reach", &["--tau-star"]),
            ("reduce", &["--confluence"]),
            ("relabel", &["--rename-label", "c22 -> d"]),
        ] {
            let expected = scratch.run(command, &[words, &["expected.aut"]].concat());
            if !expected.status.success() {
                continue;
            }
            scratch
                .run(command, &[words, &tau].concat())
                .ok()
                .prints(expected.text());
        }
        let run = scratch
            .run("describe", &[&tau[..], &["--labels"]].concat())
            .ok();
        assert!(
            run.text().contains("\nhidden_label: 5 i\n"),
            "{}",
            run.text()
        );
        scratch
            .run("equiv", &["--tau=c2,c3", "x", "expected.aut"])
            .ok();
    }
}

#[test]
fn a_name_has_to_match_in_one_input_only() {
    let scratch = Scratch::new();
    scratch.write("one.aut", "des (0, 1, 2)\n(0, a, 1)\n");
    scratch.write("two.aut", "des (0, 1, 2)\n(0, b, 1)\n");
    scratch
        .run("equiv", &["--tau", "a,b", "one.aut", "two.aut"])
        .ok()
        .prints("TRUE\n");
    let run = scratch
        .run("equiv", &["--tau", "a,b,c", "one.aut", "two.aut"])
        .status(0);
    assert_eq!(
        run.stderr.matches("[tau-unused]").count(),
        1,
        "{}",
        run.stderr
    );
    run.says("--tau c:");
    scratch
        .run("refine", &["--tau", "a,b", "one.aut", "two.aut"])
        .ok();
}

#[test]
fn networks_synchronise_before_labels_are_hidden() {
    let scratch = Scratch::new();
    scratch.write("one.aut", "des (0, 2, 3)\n(0, a, 1)\n(1, \"g !1\", 2)\n");
    scratch.write("two.aut", "des (0, 2, 3)\n(0, \"g !1\", 1)\n(1, b, 2)\n");
    scratch.write("n.exp", "one.aut |[g]| two.aut");
    let expected = "des (0, 3, 4)\n(0, a, 1)\n(1, i, 2)\n(2, b, 3)\n";
    for command in ["reach", "transcode"] {
        scratch
            .run(command, &["--tau", "g", "n.exp"])
            .ok()
            .prints(expected);
    }
    scratch
        .run(
            "reach",
            &["--tau", "g,x", "--expression", "one.aut |[g]| two.aut"],
        )
        .status(0)
        .says("--tau x:")
        .prints(expected);
    let star = scratch
        .run("reach", &["--tau", "g", "--tau-star", "n.exp"])
        .ok();
    assert!(star.text().starts_with("des (0, 2, 3)"), "{}", star.text());
    scratch
        .run(
            "reach",
            &["--tau", "g", "--compositional", "-e", "strong", "n.exp"],
        )
        .ok()
        .prints(expected);
}

#[test]
fn hints_are_not_lost() {
    let scratch = Scratch::new();
    let input = "des (0, 2, 2)\n(0, tau, 1)\n(1, a, 0)\n";
    scratch
        .feed("describe", &["--tau", "a"], input)
        .status(0)
        .says("2:5: warning: label `tau` counts as visible; to hide it, use --tau tau");
    for options in [&["--tau", "tau"][..], &["--hidden", "tau"]] {
        scratch.feed("describe", options, input).ok();
    }
    // Of both, which one is hidden is told with -v.
    let both = "des (0, 2, 2)\n(0, tau, 1)\n(1, i, 0)\n";
    let note = "2:5: note: label `tau` counts as visible, beside the hidden `i`; to hide it, use \
                --tau tau [aut-tau-hint]";
    scratch.feed("describe", &["-v"], both).status(0).says(note);
    scratch.feed("describe", &[], both).ok();
    let hidden = scratch.feed("describe", &["-v", "--tau", "tau"], both);
    assert!(!hidden.status(0).stderr.contains("tau-hint"));
    // What is advised leaves the other input as it is.
    scratch.write("m.aut", input);
    scratch.write("c.aut", input.replace("tau", "i"));
    let advice = "to hide it, use --tau tau [aut-tau-hint]";
    scratch
        .run("equiv", &["m.aut", "c.aut"])
        .status(1)
        .says(advice);
    let options = ["--tau", "tau", "m.aut", "c.aut"];
    scratch.run("equiv", &options).ok().prints("TRUE\n");
}

/// A trace has the hidden action in the one way of its tool.
#[test]
fn traces_are_read_as_they_were_written() {
    let scratch = Scratch::new();
    for (dialect, hidden) in [("mcrl2", "tau"), ("cadp", "i")] {
        let system = format!("des (0, 2, 3)\n(0, {hidden}, 1)\n(1, a, 2)\n");
        scratch.write("s.aut", &system);
        for trace in ["d.seq", "d.trc"] {
            let find = [
                "--dialect",
                dialect,
                "-q",
                "--deadlock",
                "s.aut",
                "-o",
                trace,
            ];
            scratch.run("reach", &find).ok();
            let there = ["--dialect", dialect, trace];
            scratch.run("transcode", &there).ok().prints(&system);
            let compare = ["--dialect", dialect, "-e", "weaktrace", "s.aut", trace];
            scratch.run("equiv", &compare).ok().prints("TRUE\n");
        }
    }
}

fn abp(scratch: &Scratch) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/mcrl2/abp.lts");
    fs::copy(file, scratch.path("abp.lts")).expect("a copy");
}

#[test]
fn files_of_mcrl2_stay_in_its_dialect_where_they_have_to() {
    let scratch = Scratch::new();
    abp(&scratch);
    scratch
        .run("minimize", &["abp.lts", "-o", "m.aut"])
        .status(0)
        .says("m.aut: the hidden action is written as `tau`")
        .says("--dialect mcrl2");
    scratch
        .run("equiv", &["--dialect", "mcrl2", "m.aut", "abp.lts"])
        .ok()
        .prints("TRUE\n");
    scratch
        .run(
            "reach",
            &["--tau", "r1", "--tau-star", "abp.lts", "-o", "s.aut"],
        )
        .status(0)
        .says("s.aut: the hidden action is written as `tau`");
    // What speaks against it.
    for options in [
        &["--dialect", "cadp", "-o", "n.aut"][..],
        &["-o", "n.bcg"],
        &[],
        &["-o", "-"],
    ] {
        scratch
            .run("minimize", &[&["abp.lts"], options].concat())
            .status(2)
            .prints("")
            .says("[label-like-hidden]");
    }
    scratch
        .run("minimize", &["abp.lts"])
        .status(2)
        .says("--visible-i, or let the hidden action read `tau` with --dialect mcrl2");
    scratch
        .run("minimize", &["abp.lts", "--visible-i", "j", "-o", "j.aut"])
        .ok();
    assert!(scratch.read("j.aut").contains(", j, "));
    assert!(!scratch.path("n.aut").exists());
    // Not of mCRL2; and nothing to choose without a label `i`.
    scratch.write("x.jsonl", "{\"lts\":1,\"hidden\":[\"tau\"]}\n[0,\"i\",1]\n");
    scratch
        .run("minimize", &["x.jsonl", "-o", "n.aut"])
        .status(2)
        .says("[label-like-hidden]");
    scratch
        .feed(
            "transcode",
            &["--tau", "a", "-o", "p.lts"],
            "des (0,1,1)\n(0,a,0)\n",
        )
        .ok();
    scratch.run("transcode", &["p.lts", "-o", "p.aut"]).ok();
    assert_eq!(scratch.read("p.aut"), "des (0, 1, 1)\n(0, i, 0)\n");
}

#[test]
fn differently_hidden_labels_are_told_beside_false() {
    let scratch = Scratch::new();
    abp(&scratch);
    scratch
        .run(
            "transcode",
            &["abp.lts", "--dialect", "mcrl2", "-o", "m.aut"],
        )
        .ok();
    let run = scratch.run("equiv", &["abp.lts", "m.aut"]).status(1);
    assert_eq!(
        run.stderr,
        "equiv: label `i` is visible in abp.lts; m.aut has hidden actions, and no such label: --tau i \
         hides it in both, and --dialect mcrl2 (cadp) says that hidden actions read `tau` (`i`) in files that do \
         not tell\n"
    );
    scratch
        .run("equiv", &["--tau", "i", "abp.lts", "m.aut"])
        .ok()
        .prints("TRUE\n");
    scratch.write("i.aut", "des (0, 1, 2)\n(0, i, 1)\n");
    scratch.write("tau.aut", "des (0, 1, 2)\n(0, tau, 1)\n");
    scratch.write("tau.fsm", "---\n---\n1 2 \"tau\"\n");
    scratch
        .run("equiv", &["tau.aut", "tau.fsm"])
        .status(1)
        .says("equiv: label `tau` is visible in tau.aut; tau.fsm has hidden actions, and no such label: --tau tau");
    // However hidden actions read in the other file.
    scratch
        .run("transcode", &["--tau", "i", "abp.lts", "-o", "h.lts"])
        .ok();
    scratch.run("equiv", &["h.lts", "abp.lts"]).status(1).says(
        "equiv: label `i` is visible in abp.lts; h.lts has hidden actions, and no such label",
    );
    // Where a file says itself what is hidden, that may be any label.
    scratch.write(
        "d.jsonl",
        "{\"lts\":1,\"hidden\":[\"delta\"]}\n[0,\"delta\",1]\n[1,\"a\",0]\n",
    );
    scratch.write(
        "i.jsonl",
        "{\"lts\":1,\"hidden\":[\"i\"]}\n[0,\"delta\",1]\n[1,\"a\",0]\n",
    );
    scratch.write("t.aut", "des (0, 2, 2)\n(0, t, 1)\n(1, a, 0)\n");
    scratch.write("n.exp", "ccs behaviour\n\"t.aut\"\n");
    for (hidden, visible, label) in [("d.jsonl", "i.jsonl", "delta"), ("n.exp", "t.aut", "t")] {
        for pair in [[hidden, visible], [visible, hidden]] {
            scratch.run("equiv", &pair).status(1).says(&format!(
                "equiv: label `{label}` is visible in {visible}; {hidden} has hidden actions, and \
                 no such label: --tau {label} hides it in both\n"
            ));
        }
        let tau = ["--tau", label, hidden, visible];
        scratch.run("equiv", &tau).ok().prints("TRUE\n");
    }
    // Not where it is TRUE, and not where nothing else is hidden.
    scratch.write("a.aut", "des (0, 1, 2)\n(0, a, 1)\n");
    let run = scratch
        .run("equiv", &["-q", "tau.aut", "tau.fsm"])
        .status(1);
    assert_eq!(run.stderr, "");
    scratch.run("equiv", &["i.aut", "tau.fsm"]).ok();
    let run = scratch.run("equiv", &["i.aut", "a.aut"]).status(1);
    assert_eq!(run.stderr, "");
}

/// Where hidden transitions are left out, no question about them has an answer.
#[test]
fn questions_about_hidden_transitions_are_refused_where_these_are_left_out() {
    let scratch = Scratch::new();
    // A livelock, no deadlock; and a deadlock behind a hidden transition.
    scratch.write("loop.aut", "des (0, 2, 2)\n(0, a, 1)\n(1, i, 1)\n");
    scratch.write("all.seq", "<until> \"a\"\n");
    for options in [
        &["--deadlock"][..],
        &["--livelock"],
        &["--fail-on", "deadlock"],
        &["--fail-on", "livelock"],
        &["--find", ".*"],
        &["--find", "a", "--find", "i"],
        &["--find-sequence", "all.seq"],
    ] {
        for input in ["loop.aut", "--expression=loop"] {
            let options = [&["--tau-star"], options, &[input]].concat();
            scratch.run("reach", &options).status(2).prints("").says(
                "is about hidden transitions too, and --tau-star leaves these out: ask without",
            );
        }
    }
    scratch
        .run(
            "reach",
            &["--tau-star", "--find", "a", "--find", "b", "loop.aut"],
        )
        .ok()
        .prints("find: TRUE\n\"a\"\nfind: FALSE\n");
}

#[test]
fn renamed_labels_and_questions_follow_the_dialect() {
    let scratch = Scratch::new();
    scratch.write("a.aut", "des (0,3,4)\n(0,tau,1)\n(1,a,2)\n(2,i,3)\n");
    scratch.write("n.exp", "\"a.aut\"\n");
    scratch.write("two.mcl", "<tau> <tau> not (<tau> true)");
    for to in ["a.lts", "a.fsm.gz"] {
        let options = ["--dialect", "mcrl2", "a.aut", "-o", to];
        scratch.run("transcode", &options).ok();
    }
    let lts = std::fs::read(scratch.path("a.lts")).expect("it has been written");
    scratch.write("copy", &lts);
    for (command, input) in [
        ("relabel", "a.aut"),
        ("relabel", "a.lts"),
        ("reach", "a.aut"),
        ("reach", "a.lts"),
        ("reach", "n.exp"),
    ] {
        let renamed = |options: &[&str], rule: &str| {
            let options = [options, &["--rename-label", rule, input]].concat();
            scratch.run(command, &options).ok()
        };
        renamed(&["--dialect", "mcrl2"], "a -> tau")
            .prints("des (0, 3, 4)\n(0, tau, 1)\n(1, tau, 2)\n(2, i, 3)\n");
        renamed(&["--dialect", "mcrl2"], "a -> i")
            .prints("des (0, 3, 4)\n(0, tau, 1)\n(1, i, 2)\n(2, i, 3)\n");
        // In .lts the hidden action has no text.
        if input != "a.lts" {
            renamed(&["--hidden", "no", "--visible-i", "j"], "a -> no")
                .prints("des (0, 3, 4)\n(0, tau, 1)\n(1, i, 2)\n(2, j, 3)\n");
        }
    }
    for (input, dialect) in [
        ("a.aut", &["--dialect", "mcrl2"][..]),
        ("n.exp", &["--dialect", "mcrl2"]),
        ("a.lts", &[]),
        ("a.lts", &["--dialect", "mcrl2"]),
        ("a.fsm.gz", &[]),
        ("-", &["--from", "lts"]),
        // What the content tells.
        ("-", &[]),
        ("copy", &[]),
    ] {
        let find = |pattern: &str, option: &str| {
            let options = ["--traces", "trc", "--find", pattern, option, input];
            let options = [dialect, &options].concat();
            scratch.feed("reach", &options, &lts)
        };
        find("tau", "-q").ok().prints("find: TRUE\ntau\n");
        find("i", "-q").ok().prints("find: TRUE\ntau\na\ni\n");
        find("tau", "--tau-star").status(2).says("matches `tau`");
        find("i", "--tau-star").ok().prints("find: TRUE\na\ni\n");
        for (label, status) in [("tau", 0), ("i", 1)] {
            let renamed = format!("a -> {label}");
            let options = ["--rename-label", &renamed, "two.mcl", input];
            let check = [dialect, &options].concat();
            scratch.feed("check", &check, &lts).status(status);
        }
    }
    // What is said of labels without exploring.
    let labels = [
        "--labels",
        "--dialect",
        "mcrl2",
        "--rename-label",
        "a -> tau",
    ];
    let told = scratch.run("reach", &[&labels[..], &["n.exp"]].concat());
    told.ok().prints("i\ni\n");
}

/// What is left of a multi-action counts as if it had been read, in a network as in a file.
#[test]
fn what_is_left_of_a_multi_action_may_be_hidden() {
    let scratch = Scratch::new();
    scratch.write(
        "a.aut",
        "des (0, 3, 4)\n(0, \"a|i\", 1)\n(1, \"a|b\", 2)\n(2, a, 3)\n",
    );
    scratch.write("n.exp", "\"a.aut\"\n");
    for input in ["a.aut", "n.exp"] {
        scratch
            .run("reach", &["--tau", "a", input])
            .ok()
            .prints("des (0, 3, 4)\n(0, i, 1)\n(1, b, 2)\n(2, i, 3)\n");
    }
}
