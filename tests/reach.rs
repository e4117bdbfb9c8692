//! `reach`, run as a user runs it.

use crate::util;

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
        .status(0)
        .prints("find: FALSE\nfind: TRUE\n\"COIN !1\"\n\"TEA\"\n");
    scratch
        .run("reach", &["--livelock", "vending.aut"])
        .ok()
        .prints("livelock: TRUE\n\"COIN !1\"\n*** from here on a cycle\n\"i\"\n\"i\"\n");
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
        .prints("livelock: TRUE\n\"COIN !1\"\n*** from here on a cycle\n\"i\"\n\"i\"\n");
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
    let run = |arguments: &[&str]| scratch.run("reach", &[&["vending.aut"], arguments].concat());
    run(&["--find", "WATER", "--state-space", "r.aut"])
        .ok()
        .prints("find: FALSE\n");
    assert_eq!(scratch.read("r.aut"), REACHED);
    run(&["--fail-on", "deadlock", "--state-space", "s.aut"]).status(1);
    assert_eq!(scratch.read("s.aut"), REACHED);
    run(&[
        "--deadlock",
        "--state-space",
        "s.bcg",
        "-o",
        "w.seq",
        "--to",
        "trc",
    ])
    .ok();
    assert_eq!(scratch.read("w.seq"), "COIN !1\nCOIN !1\ntau\n");
    scratch.run("transcode", &["s.bcg"]).ok().prints(REACHED);
    run(&["--deadlock", "--state-space", "s.txt", "--to", "aut"]).ok();
    assert_eq!(scratch.read("s.txt"), REACHED);
    for (arguments, says) in [
        (&["--deadlock", "--state-space", "-"][..], "answers"),
        (
            &["--deadlock", "--state-space", "x", "-o", "x"],
            "two outputs",
        ),
        (&["--state-space", "x"], "write -o FILE"),
        (
            &["--deadlock", "--state-space", "vending.aut"],
            "would replace the input",
        ),
    ] {
        run(arguments).status(2).says(says).prints("");
    }
}

#[test]
fn files_that_options_name_are_not_replaced() {
    let scratch = Scratch::with_vending();
    scratch.write("rules", "hide\nTEA\n");
    for question in [&[][..], &["--deadlock"]] {
        let words = [question, &["--hide", "rules", "vending.aut", "-o", "rules"]].concat();
        let run = scratch.run("reach", &words).status(2);
        run.says("rules would replace rules").prints("");
        assert_eq!(scratch.read("rules"), "hide\nTEA\n");
    }
}

#[test]
fn with_a_question_the_traces_go_to_a_file() {
    let scratch = Scratch::with_vending();
    let run = |arguments: &[&str]| scratch.run("reach", &[&["vending.aut"], arguments].concat());
    let chain = "des (0, 3, 4)\n(0, \"COIN !1\", 1)\n(1, \"COIN !1\", 2)\n(2, i, 3)\n";
    let shown = run(&["--deadlock"]).ok();
    for file in ["d.aut", "d.bcg", "d.seq", "d.trc", "d.dot.gz"] {
        run(&["--deadlock", "-o", file]).ok().prints(shown.text());
        scratch.run("transcode", &[file]).ok().prints(chain);
    }
    // An LTS shows what the trace is about.
    run(&["--livelock", "-o", "l.aut"]).ok();
    scratch
        .run("reach", &["--livelock", "--fail-on", "livelock", "l.aut"])
        .status(1);
    assert_eq!(
        scratch.read("l.aut"),
        "des (0, 3, 3)\n(0, \"COIN !1\", 1)\n(1, i, 2)\n(2, i, 1)\n"
    );
    let all = [
        "--deadlock",
        "--livelock",
        "--find",
        "TEA",
        "--find",
        "WATER",
    ];
    run(&[&all[..], &["-o", "a.seq"]].concat()).ok();
    assert_eq!(
        scratch.read("a.seq"),
        "\"COIN !1\"\n\"COIN !1\"\n\"i\"\n[]\n\"COIN !1\"\n\"i\"\n\"i\"\n[]\n\"COIN !1\"\n\"TEA\"\n"
    );
    run(&[&all[..], &["-o", "a.trc"]].concat())
        .status(2)
        .says("a .trc file takes one trace, and 4 questions are asked")
        .prints("");
    run(&["--find", "WATER", "-o", "none.aut"])
        .status(0)
        .says("none.aut is not written: there is no witness")
        .prints("find: FALSE\n");
    assert!(!scratch.path("none.aut").exists() && !scratch.path("a.trc").exists());
    run(&["--deadlock", "-o", "-"])
        .status(2)
        .says("standard output carries the answer")
        .prints("");
}

#[test]
fn options_without_effect_are_told() {
    let scratch = Scratch::with_vending();
    let run = |arguments: &[&str]| scratch.run("reach", &[&["vending.aut"], arguments].concat());
    for (arguments, option) in [
        (&["--deadlock", "--to", "bcg"][..], "--to"),
        (&["--deadlock", "--compress", "gzip"], "--compress"),
        (&["--deadlock", "--canonical"], "--canonical"),
        (&["--deadlock", "--keep-order"], "--keep-order"),
        (&["--deadlock", "--numbering", "kept"], "--numbering"),
        (&["--deadlock", "--json", "--traces", "trc"], "--traces"),
        (&["--traces", "trc"], "--traces"),
        (&["--hide-label", "TEA", "--match", "gate"], "--match"),
    ] {
        let run = run(arguments).status(0);
        run.says(&format!("reach: warning: {option} has no effect: "));
    }
    scratch
        .run(
            "describe",
            &["vending.aut", "--moore", "--moore-form", "lines"],
        )
        .says("--moore-form has no effect");
    run(&["--json"])
        .status(2)
        .says("nothing is asked")
        .prints("");
    for option in [
        "--por=deadlock",
        "--compositional",
        "--labels",
        "--symmetry=auto",
    ] {
        run(&[option])
            .status(2)
            .says("for networks (.exp), and vending.aut is none")
            .prints("");
    }
    run(&["--analysis"])
        .status(2)
        .says("--analysis is for systems of machines (.toml), and vending.aut is none");
}

#[test]
fn expressions_that_match_only_parts_of_labels_are_told() {
    let scratch = Scratch::with_vending();
    scratch
        .run("reach", &["--find", "COIN", "vending.aut"])
        .status(0)
        .says(
            "reach: --find 'COIN' matches no label: it has to match a whole label, and 1 label \
             contains it, as `COIN !1`: write 'COIN.*'\n",
        )
        .prints("find: FALSE\n");
    // On the fly, too.
    scratch
        .run(
            "reach",
            &[
                "--find",
                "OIN",
                "--expression",
                "\"vending.aut\" ||| \"vending.aut\"",
            ],
        )
        .status(0)
        .says("write '.*OIN.*'");
    scratch
        .run("reach", &["--find", "WATER", "vending.aut"])
        .ok();
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
             *** from here on a cycle\n\
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
    // Also without a question, how far it came.
    let words = ["--max-states", "3", "--stats", "l.json", "vending.aut"];
    scratch.run("reach", &words).status(3);
    let stats = json(scratch.read("l.json"));
    assert_eq!([&stats["status"], &stats["states_found"]], [3, 3]);
}

/// Patterns in the full form of SEQ.
#[test]
fn sequences_are_searched_for() {
    let scratch = Scratch::with_vending();
    scratch.write(
        "tea.seq",
        "<until> \"COIN !1\"\n(~\"i\") *\n[T.*]\n[]\n<any>*\n<deadlock>\n",
    );
    let found = "sequence: TRUE\n\"COIN !1\"\n\"TEA\"\n";
    scratch
        .run("reach", &["--find-sequence", "tea.seq", "vending.aut"])
        .ok()
        .prints(found)
        .silent();
    scratch
        .run(
            "reach",
            &["--find-sequence", "tea.seq", "--seqno", "2", "vending.aut"],
        )
        .ok()
        .prints("sequence: TRUE\n\"COIN !1\"\n\"COIN !1\"\n\"i\"\n<deadlock>\n")
        .silent();
    scratch
        .run(
            "reach",
            &["--find-sequence", "tea.seq", "--seqno", "3", "vending.aut"],
        )
        .status(2)
        .says("tea.seq: error: there is no sequence 3: the last one is 2");
    // As other questions: what becomes of labels first, a witness, JSON, the status.
    scratch
        .run(
            "reach",
            &[
                "--find-sequence",
                "tea.seq",
                "--hide-label",
                "COIN.*",
                "--fail-on",
                "found",
                "vending.aut",
            ],
        )
        .status(0)
        .prints("sequence: FALSE\n");
    scratch
        .run(
            "reach",
            &[
                "--find-sequence",
                "tea.seq",
                "--fail-on",
                "found",
                "-o",
                "w.aut",
                "vending.aut",
            ],
        )
        .status(1)
        .prints(found);
    assert_eq!(
        scratch.read("w.aut"),
        "des (0, 2, 3)\n(0, \"COIN !1\", 1)\n(1, TEA, 2)\n"
    );
    let told = scratch.run(
        "reach",
        &["--find-sequence", "tea.seq", "--json", "vending.aut"],
    );
    let told = json(told.ok().text());
    assert_eq!(told["answers"][0]["question"], "sequence");
    assert_eq!(told["answers"][0]["verdict"], true);
    scratch
        .run(
            "reach",
            &[
                "--find-sequence",
                "tea.seq",
                "--max-states",
                "1",
                "vending.aut",
            ],
        )
        .status(3)
        .prints("sequence: UNKNOWN\n");
    // What components do is told as for other questions.
    scratch.write("net.exp", "\"vending.aut\" |[TEA]| \"vending.aut\"");
    scratch
        .run("reach", &["--find-sequence", "tea.seq", "net.exp"])
        .ok()
        .prints(
            "sequence: TRUE\n\"COIN !1\"\n*** vending#1 \"COIN !1\", 0 to 1\n\"COIN !1\"\n\
             *** vending#2 \"COIN !1\", 0 to 1\n\"TEA\"\n*** vending#1 \"TEA\", 1 to 0\n\
             *** vending#2 \"TEA\", 1 to 0\n",
        );
}

#[test]
fn what_is_wrong_with_patterns_is_told() {
    let scratch = Scratch::with_vending();
    let asks = |text: &str, more: &[&str]| {
        scratch.write("p.seq", text);
        let given = [&["--find-sequence", "p.seq", "vending.aut"], more].concat();
        scratch.run("reach", &given)
    };
    asks("junk\n", &[])
        .status(2)
        .says("p.seq: error: there is no sequence in it");
    asks("<any>\n\"A\" |\n", &[])
        .status(2)
        .says("p.seq:2:6: error: expected \"LABEL\", [REGEX], <any>, ~ or (");
    asks("<any>\n[\\(]\n", &[])
        .status(2)
        .says("p.seq:2:1: regular expression, column 1");
    asks("<any>\n", &["--deadlock"])
        .status(2)
        .says("--deadlock");
    asks("<any>\n", &["--fail-on", "deadlock"])
        .status(2)
        .says("--find-sequence is asked alone");
    asks("<any>\n", &["--por", "branching", "--from", "exp"]).status(2);
    scratch
        .run("reach", &["--find-sequence", "none.seq", "vending.aut"])
        .status(2)
        .says("none.seq");
    // The simple form says where patterns belong.
    scratch
        .run("transcode", &["p.seq"])
        .status(2)
        .says("reach --find-sequence FILE searches for what a pattern describes");
}

#[test]
fn steps_through_a_system_by_commands() {
    let scratch = Scratch::with_vending();
    let simulate = |input: &str| scratch.feed("reach", &["--simulate", "vending.aut"], input);
    let first = "step 0, state 0\n0: COIN !1 -> 1\n";
    let second = "step 1, state 1\n0: COIN !1 -> 2\n1: TEA -> 0\n2: i -> 3\n";
    simulate("").ok().prints(first);
    // Back and forth: the trace remains until another transition is taken.
    simulate("0\n2\nundo\nr\ni\nt\n").ok().prints(&format!(
        "{first}COIN !1 -> 1\n{second}i -> 3\nstep 2, state 3\n0: i -> 1\n{second}i -> 3\n\
         step 2, state 3\n0: i -> 1\n{first}> 0: initial state 0\n  1: COIN !1 -> 1\n  \
         2: i -> 3\n"
    ));
    simulate("0\nu\n0\nr\n")
        .status(2)
        .says("this is the end of the trace already");
    // What is saved can be loaded, in each form, and saved again, before the end.
    for file in ["t.seq", "t.trc", "t.aut"] {
        let script = format!("0\n\n2\nsave {file}\nu\n0\nload {file}\ng 1\n  1\r\ns {file}\nx");
        simulate(&script).status(2).says("there is no command 'x'");
        let traces = scratch.run("transcode", &["--to", "seq", file]).ok();
        assert_eq!(traces.text(), "\"COIN !1\"\n\"TEA\"\n", "{file}");
    }
    // Where a pattern leads: the shortest path to a deadlock.
    scratch.write("dead.seq", "<until> \"REFUND !2\"\n<deadlock>\n");
    let found = simulate("load dead.seq").ok();
    assert!(
        found
            .text()
            .ends_with("> 3: REFUND !2 -> 5\nstep 3, state 5\ndeadlock\n")
    );
    scratch.write("no.seq", "\"TEA\"\n");
    simulate("load no.seq")
        .status(2)
        .says("no path that the pattern describes");
    scratch.write(
        "no.aut",
        "des (0, 2, 3)\n(0, \"COIN !1\", 1)\n(1, COFFEE, 2)\n",
    );
    simulate("l no.aut")
        .status(2)
        .says("the first 2 labels: `COFFEE` is not enabled then");
    simulate("l vending.aut").status(2).says("expected a path");
    simulate("save vending.aut")
        .status(2)
        .says("vending.aut would replace vending.aut");
    // Drawn the same by one seed.
    let drawn = simulate("random 5 3\nt").ok();
    assert_eq!(drawn.text(), simulate("random 5 3\nt").ok().text());
    let mut ends = String::new();
    for seed in 0..20 {
        ends.push_str(simulate(&format!("random 9 {seed}")).ok().text());
    }
    assert!(ends.contains("COFFEE") && ends.contains("TEA") && ends.contains("deadlock"));
    // Without one, walks of a session differ.
    let walks: Vec<String> = ["random 9\n", "random 9\ni\nrandom  9\n", "random 9 1"]
        .map(|script| simulate(script).ok().text().to_owned())
        .into();
    assert_eq!(
        walks[1]
            .strip_prefix(&walks[0])
            .unwrap()
            .strip_prefix(first)
            .unwrap(),
        { walks[2].strip_prefix(first).unwrap() }
    );
    for (line, why) in [
        ("3", "there is no transition 3: expected 0 to 0"),
        ("99999999999999999999", "expected a number"),
        ("g 1", "the trace has no step 1: expected 0 to 0"),
        ("goto", "a number is missing"),
        ("goto x", "expected a number, found 'x'"),
        ("load -", "`load` needs the name of a file"),
        ("undo", "this is the initial state already"),
        ("u 3", "expected nothing behind 'u'"),
        ("load", "the name of a file is missing"),
        ("save -", "`save` needs the name of a file"),
        ("random 1 2 3", "expected random N"),
    ] {
        simulate(line).status(2).says(why);
    }
}

/// Of several paths with the labels of a trace, the one that a pattern describes is loaded.
#[test]
fn loaded_patterns_lead_where_they_say() {
    let scratch = Scratch::new();
    let lts = "des (0, 4, 3)\n(0, a, 1)\n(0, a, 2)\n(1, b, 0)\n(1, i, 1)\n";
    scratch.write("nd.aut", lts);
    scratch.write("dead.seq", "\"a\"\n<deadlock>\n[]\n\"a\"\n\"b\"\n");
    let simulate = |options: &[&str], input: &str| {
        let options = [&["--simulate"], options].concat();
        scratch.feed("reach", &options, input)
    };
    let loaded = simulate(&["nd.aut"], "load dead.seq").ok();
    assert!(
        loaded
            .text()
            .ends_with("> 1: a -> 2\nstep 1, state 2\ndeadlock\n"),
        "{}",
        loaded.text()
    );
    let second = simulate(&["--seqno", "2", "nd.aut"], "load dead.seq").ok();
    assert!(second.text().contains("> 2: b -> 0\n"));
    // Where labels are all there is, it is told that they do not say it.
    simulate(&["nd.aut"], "1\nsave t.trc\nload t.trc")
        .status(0)
        .says("t.trc: paths with these labels lead to 2 states; this is one of them");
    // An empty file is the empty sequence.
    scratch.write("empty.seq", "");
    let empty = simulate(&["nd.aut"], "0\nload empty.seq").ok();
    assert!(empty.text().contains("> 0: initial state 0\nstep 0"));
    scratch
        .run("reach", &["-q", "--find-sequence", "empty.seq", "nd.aut"])
        .ok()
        .prints("sequence: TRUE\n");
    // Once around a cycle.
    scratch.write("round.aut", "des (0, 2, 2)\n(0, a, 1)\n(1, b, 0)\n");
    let round = simulate(&["nd.aut"], "load round.aut").ok();
    assert!(round.text().contains("> 2: b -> 0\n"));
    // What partial orders leave is not all.
    scratch.write("a.aut", "des (0, 1, 2)\n(0, A, 1)\n");
    scratch.write("b.aut", "des (0, 1, 2)\n(0, B, 1)\n");
    scratch.write("ba.seq", "\"B\"\n\"A\"\n");
    let pair = ["--expression", "\"a.aut\" ||| \"b.aut\""];
    let whole = simulate(&pair, "load ba.seq").ok();
    assert!(whole.text().ends_with("step 2, state (1, 1)\ndeadlock\n"));
    simulate(&[&["--por", "deadlock"][..], &pair].concat(), "load ba.seq")
        .status(2)
        .says("what --por leaves of the model has no path that the pattern describes");
}

/// What is saved is loaded again, by the options by which the system was read.
#[test]
fn saved_traces_are_read_as_the_system_is() {
    let scratch = Scratch::new();
    scratch.write(
        "tau.aut",
        "des (0, 3, 4)\n(0, a, 1)\n(1, tau, 2)\n(2, b, 3)\n",
    );
    for name in ["angluin.dot", "traffic_light.dot"] {
        scratch.write(
            name,
            std::fs::read(format!("testdata/mealy/{name}")).unwrap(),
        );
    }
    for (options, file) in [
        (&["--dialect", "mcrl2", "tau.aut"][..], "t.aut"),
        (&["--dialect", "mcrl2", "tau.aut"], "t.dot"),
        (&["--dialect", "mcrl2", "tau.aut"], "none"),
        (&["-q", "tau.aut"], "t.bcg"),
        (&["-q", "--mealy", "angluin.dot"], "m.dot"),
        (&["-q", "--moore", "traffic_light.dot"], "moore.dot"),
    ] {
        let options = [&["--simulate"], options].concat();
        let script = format!("0\n0\nsave {file}\ntrace\nload {file}\n");
        let run = scratch.feed("reach", &options, script).ok();
        let trace = &run.text()[run.text().find("  0: ").unwrap()..];
        let (saved, loaded) = trace.split_at(trace[1..].find("  0: ").unwrap() + 1);
        assert!(loaded.starts_with(saved), "{file}: {trace}");
    }
    // The vectors of states are shown.
    scratch.write("abp.lts", std::fs::read("testdata/mcrl2/abp.lts").unwrap());
    let vectors = scratch.feed("reach", &["--simulate", "abp.lts"], "").ok();
    assert!(vectors.text().starts_with("step 0, state 0 (1, d1, true"));
}

/// A part of a partitioned LTS is not replaced by an output.
#[test]
fn parts_of_the_input_stay() {
    let scratch = Scratch::with_vending();
    scratch
        .run("transcode", &["vending.aut", "-o", "v.plts"])
        .ok();
    for part in ["v.plts/part-00000", "v.plts/manifest.json"] {
        let script = format!("0\nsave {part}\n");
        scratch
            .feed("reach", &["--simulate", "--to", "aut", "v.plts"], script)
            .status(2)
            .says(&format!("{part} would replace v.plts"));
        scratch
            .run("reach", &["v.plts", "--to", "aut", "-o", part])
            .status(2)
            .says(&format!("{part} would replace a part of v.plts"));
    }
    scratch.run("reach", &["v.plts", "-o", "x.aut"]).ok();
    // Nor do statistics take the place of a trace.
    let options = ["--simulate", "--to", "jsonl", "--stats", "s.json", "v.plts"];
    scratch
        .feed("reach", &options, "save s.json\n")
        .status(2)
        .says("two outputs to the same place");
}

#[test]
fn what_does_not_go_with_stepping_is_refused() {
    let scratch = Scratch::with_systems();
    scratch.write("v.aut", VENDING);
    for (options, why) in [
        (&["-"][..], "INPUT needs the name of a file"),
        (&["v.aut", "-o", "x.aut"], "writes no OUTPUT"),
        (&["v.aut", "--deadlock"], "cannot be used with"),
        (&["v.aut", "--labels"], "do not go with it"),
    ] {
        let options = [&["--simulate"], options].concat();
        scratch.feed("reach", &options, "q\n").status(2).says(why);
    }
    // Changes on the fly are stepped through; hidden transitions that lead nowhere else too.
    let options = ["--simulate", "--cut-label", "COIN.*", "v.aut"];
    let cut = scratch.feed("reach", &options, "q");
    cut.ok().prints("step 0, state 0\ndeadlock\n");
    let options = ["--simulate", "--numbering", "kept", "v.aut"];
    let told = scratch.feed("reach", &options, "q");
    told.status(0).says("--numbering has no effect");
    let options = ["--simulate", "--tau-star", "v.aut"];
    let visible = scratch.feed("reach", &options, "0\n").ok();
    assert!(!visible.text().contains(": i "));
    // Nor is a part of the network replaced.
    scratch.write("n.exp", "\"v.aut\" ||| \"v.aut\"\n");
    scratch
        .feed("reach", &["--simulate", "n.exp"], "0\nsave v.aut\n")
        .status(2)
        .says("would replace v.aut");
    assert_eq!(scratch.read("v.aut"), VENDING);
}
