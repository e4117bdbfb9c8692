//! `wmethod`, run as a user runs it: derivation and mutants.

use crate::util;

use std::fs;
use std::path::Path;

use hyades::conformance::DeriveOptions;
use util::{Scratch, TOGGLE, json};

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("toggle.aut", TOGGLE);
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/mealy");
    for file in fs::read_dir(models).unwrap() {
        let path = file.unwrap().path();
        fs::copy(
            &path,
            scratch.path(path.file_name().unwrap().to_str().unwrap()),
        )
        .unwrap();
    }
    scratch
}

#[test]
fn chows_suite_of_a_small_machine() {
    let scratch = scratch();
    let run = scratch.feed("wmethod", &["-m", "w"], TOGGLE).status(0);
    assert_eq!(run.text(), "a a a\na b a\nb a\n");
    run.says("3 tests, 8 symbols, 3 resets; complete for implementations of at most 2 states");
    let run = scratch.run("wmethod", &["-m", "w", "--expected", "toggle.aut"]);
    assert_eq!(
        run.status(0).text(),
        "a a a => 0 1 0\na b a => 0 0 1\nb a => 0 0\n"
    );
    let run = scratch.run("wmethod", &["-m", "w", "--form", "jsonl", "toggle.aut"]);
    assert!(
        run.status(0)
            .text()
            .starts_with("{\"in\":[\"a\",\"a\",\"a\"]}\n")
    );
    let run = scratch.run(
        "wmethod",
        &["-m", "w", "--tree", "--to", "dot", "toggle.aut"],
    );
    assert!(run.status(0).text().contains("__start0 -> s0"));
    let run = scratch.run("wmethod", &["-m", "w", "toggle.aut", "-o", "suite.bcg"]);
    run.status(2).says("what is written is a text");
    assert!(!scratch.path("suite.bcg").exists());
}

/// Sizes that other programs give too: of the W-method with one state more.
#[test]
fn sizes_of_suites() {
    let scratch = scratch();
    let size = |machine: &str, method: &str| {
        let arguments = ["-k1", "-m", method, "-q", "--stats", "stats", machine];
        scratch.run("wmethod", &arguments).status(0);
        let stats = json(scratch.read("stats"));
        let figure = |name: &str| stats[name].as_u64().unwrap();
        (figure("tests"), figure("symbols"))
    };
    assert_eq!(size("ble_nrf52832.dot", "w"), (738, 3438));
    assert_eq!(size("ble_cyw43455.dot", "w"), (2716, 13944));
    assert_eq!(size("tcp_server_bsd.dot", "w").0, 82285);
    // Smaller by far, those that keep the suite in memory most.
    assert!(size("tcp_server_bsd.dot", "h").0 < 13_700);
    assert!(size("tcp_server_bsd.dot", "spy").0 < 13_200);
    assert!(size("tcp_server_bsd.dot", "spyh").0 < 11_500);
    assert!(size("tcp_server_bsd.dot", "hads").0 < 15_000);
    assert!(size("tcp_server_bsd.dot", "wp").0 < 25_000);
    assert!(size("tcp_server_bsd.dot", "hsi").0 < 35_000);
    assert!(size("tcp_server_bsd.dot", "hsi-st").0 < 15_000);
    assert!(size("ble_cyw43455.dot", "hsi-st").0 < 800);
}

#[test]
fn suites_do_not_depend_on_threads() {
    let scratch = scratch();
    for method in ["w", "wp", "hsi", "hsi-st", "h", "spyh", "tour", "random"] {
        let suite = |threads: &str| -> String {
            let arguments = ["-q", "-m", method, threads, "ble_cyw43455.dot"];
            scratch.run("wmethod", &arguments).status(0).text().into()
        };
        assert_eq!(suite("-j1"), suite("-j3"), "{method}");
    }
}

#[test]
fn labels_in_other_styles() {
    let scratch = scratch();
    let offers = "des (0, 2, 2)\n(0, \"A !1 !OK\", 1)\n(1, \"A !1 !NO\", 0)\n";
    let run = scratch.feed(
        "wmethod",
        &["-q", "-m", "w", "--output-offers", "1"],
        offers,
    );
    assert_eq!(run.status(0).text(), "\"A !1\" \"A !1\" \"A !1\"\n");
    // Once, and how they can be read.
    let run = scratch.feed("wmethod", &[], offers).status(2);
    let run = run
        .says("label `A !1 !OK`: no separator between input and output, as in no label of the file")
        .says("--output-offers N if the last N values");
    assert!(!run.stderr.contains("A !1 !NO"), "{}", run.stderr);
    let steps = "des (0, 4, 4)\n(0, \"?a\", 1)\n(1, \"!x\", 2)\n(2, \"?a\", 3)\n(3, \"!y\", 0)\n";
    let run = scratch.feed(
        "wmethod",
        &["-q", "-m", "w", "--steps", "--expected"],
        steps,
    );
    assert_eq!(run.status(0).text(), "a a a => x y x\n");
    let gates = [
        "-q",
        "-m",
        "w",
        "--input-gate",
        "IN",
        "--output-gate",
        "OUT",
        "--expected",
    ];
    let steps = "des (0, 2, 2)\n(0, \"IN !1\", 1)\n(1, \"OUT !2\", 0)\n";
    let run = scratch.feed("wmethod", &gates, steps);
    assert_eq!(run.status(0).text(), "\"IN !1\" => \"OUT !2\"\n");
}

/// What is wrong with a machine is told, with the states concerned.
#[test]
fn machines_that_are_not_as_they_should_be() {
    let scratch = scratch();
    let machine = |more: &str| {
        let lines = TOGGLE.lines().skip(1).chain(more.lines());
        let lines: Vec<&str> = lines.collect();
        format!("des (0, {}, 4)\n{}\n", lines.len(), lines.join("\n"))
    };
    let twice = machine("(1, \"b/1\", 1)");
    scratch
        .feed("wmethod", &[], twice)
        .status(2)
        .says("mealy-nondeterministic")
        .says("state 1 has two transitions with input `b`");
    let unreachable = machine("(2, \"a/1\", 0)\n(2, \"b/1\", 3)\n(3, \"a/0\", 0)\n(3, \"b/0\", 0)");
    scratch
        .feed("wmethod", &[], unreachable)
        .status(0)
        .says("2 of 4 states cannot be reached and are left out: 2, 3");
    // State 2 does as state 0 does.
    let equivalent = TOGGLE.replace("(1, \"a/1\", 0)", "(1, \"a/1\", 2)");
    let equivalent =
        equivalent.replace("des (0, 4, 2)", "des (0, 6, 3)") + "(2, \"a/0\", 1)\n(2, \"b/0\", 2)\n";
    scratch
        .feed("wmethod", &[], equivalent)
        .status(0)
        .says("the machine is not minimal: of 3 states 2 remain; for instance, states 0, 2 are");
    let partial = machine("(1, \"c/1\", 1)");
    scratch
        .feed("wmethod", &["-m", "hsi-st"], &partial)
        .status(2)
        .says("1 pair of state and input has no transition, such as state 0 with input `c`; concerned \
             is state 0; expected")
        .says("expected a transition for each input, --complete");
    let completed = [
        "-m",
        "w",
        "--complete",
        "self-loop",
        "--missing-output",
        "none",
        "--expected",
    ];
    let run = scratch.feed("wmethod", &completed, &partial).status(0);
    assert!(
        run.text().lines().any(|line| line == "c a => none 0"),
        "{}",
        run.text()
    );
    let sink = ["-m", "w", "--complete", "sink"];
    let run = scratch.feed("wmethod", &sink, &partial);
    run.status(0)
        .says("complete for implementations of at most 3 states");
    // Without a method, one is taken that can do without, and that is said.
    let note = "transitions are missing, so that the suite is derived by -m h";
    let cycle = "des (0, 4, 3)\n(0, \"a/0\", 1)\n(1, \"a/1\", 2)\n(2, \"a/2\", 0)\n\
                 (2, \"b/1\", 0)\n";
    let usual = scratch.feed("wmethod", &[], cycle).status(0);
    let usual = usual
        .says(note)
        .says("complete, as far as the specification has transitions");
    let same = scratch.feed("wmethod", &["-m", "h"], cycle).status(0);
    assert_eq!(usual.text(), same.text());
    assert!(!same.stderr.contains(note));
    let quiet = scratch.feed("wmethod", &["-q"], cycle).status(0);
    assert!(!quiet.stderr.contains(note));
    // Random tests claim nothing; all of their words are there.
    let random = ["-m", "random", "--tests", "30", "--expected"];
    let random = scratch.feed("wmethod", &random, cycle).status(0);
    for line in random.text().lines() {
        let (inputs, outputs) = line.split_once(" => ").unwrap();
        assert_eq!(inputs.split(' ').count(), outputs.split(' ').count());
    }
    // A tour can do without.
    let tour = scratch.feed("wmethod", &["-m", "tour"], &partial).status(0);
    assert_eq!(tour.text().lines().count(), 1);
    tour.says("takes every transition; no claim beyond");
    let word = "des (0, 1, 1)\n(0, \"a\", 0)\n";
    scratch
        .feed("wmethod", &[], word)
        .status(2)
        .says("mealy-label");
    scratch
        .feed("wmethod", &[], "")
        .status(2)
        .says("aut-no-header");
}

/// Methods that need sequences tell where there are none.
#[test]
fn sequences_that_need_not_be_there() {
    let scratch = scratch();
    // Input `a` merges states 0 and 1, and `b` states 1 and 2.
    let machine = "des (0, 6, 3)\n(0, \"a/0\", 1)\n(0, \"b/1\", 0)\n(1, \"a/0\", 1)\n\
                   (1, \"b/0\", 2)\n(2, \"a/1\", 0)\n(2, \"b/0\", 2)\n";
    for method in ["ds", "ads"] {
        scratch
            .feed("wmethod", &["-m", method], machine)
            .status(2)
            .says("no distinguishing sequence");
    }
    scratch
        .feed("wmethod", &["-m", "uio"], machine)
        .status(0)
        .says("1 of 3 states has no unique sequence")
        .says("no claim");
}

#[test]
fn partial_machines() {
    let scratch = scratch();
    let partial = "des (0, 5, 3)\n(0, \"a/0\", 1)\n(1, \"a/1\", 2)\n(1, \"b/0\", 0)\n\
                   (2, \"a/2\", 0)\n(2, \"c/0\", 1)\n";
    for method in ["h", "hsi"] {
        scratch
            .feed("wmethod", &["-m", method], partial)
            .status(0)
            .says("as far as the specification has transitions");
    }
    // What is judged has to be complete, and no method helps.
    scratch.write("partial.aut", partial);
    scratch
        .feed("wmethod", &["check", "-", "partial.aut"], "a\n")
        .status(2)
        .says("--complete self-loop or sink: suites are judged for machines that answer each");
    let alike = "des (0, 2, 2)\n(0, \"a/0\", 1)\n(1, \"b/0\", 0)\n";
    for method in ["h", "hsi"] {
        scratch
            .feed("wmethod", &["-m", method], alike)
            .status(2)
            .says("no word that states 0 and 1 both have separates them");
    }
}

#[test]
fn limits_cut_suites() {
    let scratch = scratch();
    let run = scratch
        .run("wmethod", &["-m", "w", "--max-tests", "2", "toggle.aut"])
        .status(0);
    assert_eq!(run.text(), "a a a\na b a\n");
    run.says("2 tests, 6 symbols, 2 resets; there would be more, so that there is no claim");
    let run = scratch
        .run("wmethod", &["-m", "w", "--max-symbols", "5", "toggle.aut"])
        .status(0);
    assert_eq!(run.text(), "a a a\n");
    let run = scratch
        .run("wmethod", &["-m", "w", "--max-tests", "3", "toggle.aut"])
        .status(0);
    run.says("complete for implementations of at most 2 states");
    // Far too many tests to be made at all.
    let run = scratch
        .run(
            "wmethod",
            &["-k9", "--max-tests", "1", "tcp_server_bsd.dot"],
        )
        .status(0);
    assert_eq!(run.text().lines().count(), 1);
}

#[test]
fn bernhards_suites_say_what_they_are_good_for() {
    let scratch = scratch();
    let cycle = "des (0, 2, 2)\n(0, \"a/0\", 1)\n(1, \"a/1\", 0)\n";
    for method in ["bernhard1", "bernhard2", "bernhard3"] {
        let run = scratch
            .feed("wmethod", &["-k1", "-m", method], cycle)
            .status(0);
        assert_eq!(run.text(), "a a a\n");
        run.says("complete for implementations of at most 2 states, not of 3 as the method");
    }
    scratch
        .run("wmethod", &["-m", "bernhard3", "tcp_server_bsd.dot"])
        .status(2)
        .says("more than 65536");
}

/// With what is in testdata/kernel.
fn with_patterns() -> Scratch {
    let scratch = scratch();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/kernel");
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        fs::copy(
            &path,
            scratch.path(path.file_name().unwrap().to_str().unwrap()),
        )
        .unwrap();
    }
    scratch
}

#[test]
fn symmetric_suites_save_tests() {
    let scratch = with_patterns();
    let offers = ["--output-offers", "1", "sessions4.aut"];
    let run = |options: &[&str]| scratch.run("wmethod", &[options, &offers].concat());
    run(&["-m", "w"]).status(0).says("452 tests");
    let symmetric = ["-m", "symmetric", "--pattern", "sessions4.pattern.toml"];
    run(&symmetric).status(0).says(
        "complete for implementations closed under the pattern's relation, among the labels of the specification, whose kernel's image \
         has at most 5 classes and is 0-self-contained",
    );
    run(&[&symmetric[..], &["-k1", "--outside", "1"]].concat())
        .status(0)
        .says("at most 6 classes and is 1-self-contained");
    // What one fault makes of it is hardly ever closed.
    let mutants = [&["mutants", "--fault", "output"], &symmetric[..]].concat();
    let text = run(&mutants).status(1).text().to_owned();
    assert!(text.contains(" of them not closed\n"), "{text}");
    assert!(text.contains("\nclosed: FALSE\n"), "{text}");
    let json = run(&[&mutants[..], &["--json"]].concat()).status(1);
    let json: serde_json::Value = serde_json::from_str(json.text()).unwrap();
    assert_eq!(json["output"]["surviving"], json["output"]["not_closed"]);
    assert_eq!(json["output"]["survivors"][0]["closed"], false);
    // The same with the kernel from a file; another part is no kernel.
    scratch
        .shell(
            "kernel -q sessions4.aut --pattern sessions4.pattern.toml -o kernel.aut && \
             printf 'des (0, 0, 1)\\n' > nothing.aut",
        )
        .status(0);
    run(&[&symmetric[..], &["--kernel", "kernel.aut"]].concat())
        .status(0)
        .says("at most 5 classes");
    run(&[&symmetric[..], &["--kernel", "nothing.aut"]].concat())
        .status(0)
        .says("nothing is claimed: adequate: FALSE")
        .says("; no claim");
    // What the kernel is of is not known.
    run(&["-m", "symmetric", "--kernel", "kernel.aut"])
        .status(0)
        .says("is not known without the pattern")
        .says("; no claim");
    run(&["-m", "symmetric", "--kernel", "nothing.aut"])
        .status(0)
        .says("; no claim");
    run(&["-m", "symmetric", "--kernel", "ble_nrf52832.dot"]).status(2);
    run(&["-m", "symmetric"]).status(2).says("--pattern FILE");
}

/// The paper's examples: their specifications are not closed, so that no implementation
/// that is right is.
#[test]
fn suites_of_specifications_that_are_not_closed_claim_nothing() {
    let scratch = with_patterns();
    scratch
        .shell(
            "generate chatbox 2 -o chatbox2.aut && generate chatbox-fixed 3 -o chatbox-fixed3.aut \
             && generate train-mealy 4 -o train-mealy4.aut",
        )
        .status(0);
    for name in ["chatbox2", "chatbox-fixed3"] {
        let (pattern, file) = (format!("{name}.pattern.toml"), format!("{name}.aut"));
        let symmetric = ["-m", "symmetric", "--output-offers", "1"];
        let run = scratch
            .run(
                "wmethod",
                &[&symmetric[..], &["--pattern", &pattern, &file]].concat(),
            )
            .status(0);
        run.says("nothing is claimed: closed: FALSE; a trace of the specification: `")
            .says("symmetric to it, and no trace of the specification: its last step is not: `")
            .says("; no claim");
    }
    // What is added to complete it is in no kernel from elsewhere, and taken by no copy
    // of a template that does not have it.
    let train = [
        "-m",
        "symmetric",
        "--output-offers",
        "1",
        "--complete",
        "self-loop",
    ];
    scratch
        .shell("kernel -q train-mealy4.aut --pattern train-mealy4.pattern.toml -o kernel.aut")
        .status(0);
    scratch
        .run(
            "wmethod",
            &[&train[..], &["--kernel", "kernel.aut", "train-mealy4.aut"]].concat(),
        )
        .status(2)
        .says("before --complete added transitions");
    let pattern = ["--pattern", "train-mealy4.pattern.toml", "train-mealy4.aut"];
    scratch
        .run("wmethod", &[&train[..], &pattern].concat())
        .status(2)
        .says("expected a pattern that covers the specification");
}

#[test]
fn suites_up_to_symmetry() {
    let scratch = with_patterns();
    let run = |options: &[&str]| {
        let with = ["--output-offers", "1", "sessions4.aut"];
        scratch.run("wmethod", &[options, &with].concat())
    };
    for method in [
        "w",
        "wp",
        "hsi",
        "hsi-st",
        "h",
        "spy",
        "spyh",
        "hads",
        "ds",
        "ads",
        "uiov",
        "bernhard1",
    ] {
        let derived = run(&["-m", method, "--up-to-symmetry", "auto", "-o", "suite.txt"]).status(0);
        derived
            .says("invariant under 24 permutations of values")
            .says("of at most 16 states")
            .says("if they are invariant under the same 24 permutations of values");
        let judged = run(&["check", "suite.txt", "--up-to-symmetry", "auto"]).status(0);
        let domain = "domain: 16 states, invariant under 24 permutations of values";
        assert!(judged.text().contains(domain), "{}", judged.text());
    }
    // Fewer tests, which are no suite for all machines.
    let symmetric = ["-m", "hsi", "--up-to-symmetry", "auto"];
    run(&[&symmetric[..], &["-o", "suite.txt"]].concat()).status(0);
    let tests = fs::read_to_string(scratch.path("suite.txt")).unwrap();
    assert_eq!(tests.lines().count(), 85);
    let alone = run(&["check", "suite.txt"]).status(1);
    assert!(alone.text().starts_with("verdict: REFUTED"));
    // A pattern's transformations, of which only those count that keep the machine.
    fs::write(
        scratch.path("some.pattern.toml"),
        "template = \"sessions.template.aut\"\n\
         [[transformations]]\nmap = { 0 = 1, 1 = 0 }\n\
         [[transformations]]\nmap = { 0 = 1, 1 = 2 }\n\
         [[transformations]]\nmap = { 0 = 9 }\n",
    )
    .unwrap();
    run(&["--up-to-symmetry", "some.pattern.toml"])
        .status(0)
        .says("under 1 permutation of the pattern, which is left out; under (0 9), an input")
        .says("invariant under 6 permutations of values, generated by (0 1), (0 1 2)");
    fs::write(
        scratch.path("none.pattern.toml"),
        "template = \"sessions.template.aut\"\n[[transformations]]\nmap = { 0 = 9 }\n",
    )
    .unwrap();
    let drawn = ["--challenge", "7", "--seed", "3", "-o", "challenge.txt"];
    run(&[&symmetric[..], &drawn].concat()).status(0);
    let challenged = fs::read_to_string(scratch.path("challenge.txt")).unwrap();
    assert_eq!(challenged.lines().count(), tests.lines().count() + 7);
    run(&[&symmetric[..], &drawn].concat()).status(0);
    assert_eq!(
        fs::read_to_string(scratch.path("challenge.txt")).unwrap(),
        challenged
    );
    // Of mutants that are not invariant the suite claims nothing, which is told.
    let mutants = [&["mutants"], &symmetric[..], &["--fault", "output"]].concat();
    let text = run(&mutants).status(1);
    let counts = text.text().lines().next().unwrap().to_owned();
    let survivors = counts
        .split(", ")
        .find(|part| part.ends_with("surviving"))
        .unwrap();
    let survivors = survivors.trim_end_matches(" surviving");
    assert!(survivors != "0", "{counts}");
    assert!(
        counts.ends_with(&format!(", {survivors} of them not invariant")),
        "{counts}"
    );
    assert!(
        text.text().contains("\ninvariant: FALSE\n"),
        "{}",
        text.text()
    );
    let json = run(&[&mutants[..], &["--json"]].concat()).status(1);
    let json: serde_json::Value = serde_json::from_str(json.text()).unwrap();
    assert_eq!(json["output"]["surviving"], json["output"]["not_invariant"]);
    assert_eq!(json["output"]["survivors"][0]["invariant"], false);
    let all = run(&["mutants", "-m", "hsi", "--fault", "output"]).status(0);
    assert!(!all.text().contains("invariant"), "{}", all.text());
    // What is not invariant may survive; an image of the right test finds it.
    scratch
        .shell("sed '/^(8, \"CLOSE !3 !OK\"/s/OK/NONE/' sessions4.aut > faulty.aut")
        .status(0);
    let against = ["run", "--against", "faulty.aut"];
    run(&[&against[..], &["--suite", "suite.txt"]].concat()).status(0);
    run(&[&against[..], &["-m", "hsi"]].concat()).status(1);

    for (options, said) in [
        (
            &["-m", "tour", "--up-to-symmetry", "auto"][..],
            "tour and random claim none",
        ),
        (
            &["-m", "uio", "--up-to-symmetry", "auto"],
            "is for suites that are complete",
        ),
        (&["--challenge", "3"], "--up-to-symmetry"),
        (
            &["--pattern", "sessions4.pattern.toml"],
            "--pattern is for -m symmetric",
        ),
        (&["--outside", "1"], "--outside is for -m symmetric"),
        (
            &["--up-to-symmetry", "none.pattern.toml"],
            "under none of the transformations",
        ),
    ] {
        run(options).status(2).says(said);
    }
    // No symmetry: all tests.
    scratch
        .run("wmethod", &["--up-to-symmetry", "auto", "ble_nrf52832.dot"])
        .status(0)
        .says("all tests remain");
    let drawn = [
        "--up-to-symmetry",
        "auto",
        "--challenge",
        "3",
        "ble_nrf52832.dot",
    ];
    scratch
        .run("wmethod", &drawn)
        .status(0)
        .says("--challenge: no test is added, as none has an image but itself");
}

#[test]
fn the_steps_of_exact_sets_are_no_file() {
    let scratch = scratch();
    let plain = scratch
        .run("wmethod", &["-m", "w", "--exact-set", "toggle.aut"])
        .status(0);
    let equal = scratch
        .run("wmethod", &["-m", "w", "--exact-set=1000000", "toggle.aut"])
        .status(0);
    assert_eq!(plain.text(), equal.text());
}

/// That nothing was found within a limit is no mistake of who asks.
#[test]
fn limits_of_searches() {
    let scratch = Scratch::new();
    for (machine, options, told) in [
        (
            "mealy 50 5 --seed 9",
            &["-m", "w", "--exact-set=0"][..],
            "no smallest characterization set was found in 0 steps",
        ),
        (
            "mealy 12 4 --output-symbols 2 --seed 2",
            &["-m", "ds", "--max-sets", "1"],
            "no distinguishing sequence was found among 1 set of states",
        ),
    ] {
        let machine: Vec<&str> = machine.split(' ').collect();
        let generate = [&machine[..], &["-o", "m.aut"]].concat();
        scratch.run("generate", &generate).ok();
        let run = scratch.run("wmethod", &[options, &["m.aut"]].concat());
        run.status(3).says(told).prints("");
    }
    let all = ["-m", "ds", "--max-tests", "0", "m.aut"];
    scratch.run("wmethod", &all).status(0);
}

#[test]
fn mutants_and_survivors() {
    let scratch = scratch();
    let run = scratch
        .run("wmethod", &["mutants", "-k1", "toggle.aut"])
        .status(0);
    assert_eq!(
        run.text(),
        "output: 4 mutants, 4 killed, 0 equivalent, 0 surviving\n\
         transfer: 4 mutants, 4 killed, 0 equivalent, 0 surviving\n\
         missing: 4 mutants, 4 killed, 0 equivalent, 0 surviving\n\
         extra-state: 24 mutants, 20 killed, 4 equivalent, 0 surviving\n"
    );
    let tour = [
        "mutants",
        "-m",
        "tour",
        "--fault",
        "transfer",
        "--survivors",
        "alive",
        "--json",
    ];
    let run = scratch
        .run("wmethod", &[&tour[..], &["toggle.aut"]].concat())
        .status(1);
    let surviving = json(run.text())["transfer"]["surviving"].as_u64().unwrap();
    assert!(surviving > 0);
    // Each survivor is a machine that passes, and is not equivalent.
    for k in 1..=surviving {
        let survivor = format!("alive/transfer-{k}.aut");
        scratch.run("equiv", &["toggle.aut", &survivor]).status(1);
    }
    assert_eq!(
        fs::read_dir(scratch.path("alive")).unwrap().count() as u64,
        surviving
    );
}

/// Survivors are a folder of their own, whole or not there.
#[test]
fn survivors_are_not_mixed_with_other_files() {
    let scratch = scratch();
    let run = |more: &[&str]| {
        let tour = ["mutants", "-m", "tour", "toggle.aut", "--survivors", "s"];
        scratch.run("wmethod", &[&tour[..], more].concat())
    };
    run(&["-o", "/dev/full"]).status(2).says("No space left");
    assert!(!scratch.path("s").exists());
    run(&["-o", "s/told"])
        .status(2)
        .says("No such file or directory");
    fs::create_dir(scratch.path("s")).unwrap();
    for more in [["-o", "s/told"], ["--stats", "s/stats"]] {
        run(&more).status(2).says("two outputs to the same place");
    }
    assert_eq!(fs::read_dir(scratch.path("s")).unwrap().count(), 0);
    run(&[]).status(1);
    let written = fs::read_dir(scratch.path("s")).unwrap().count();
    assert!(written > 3);
    fs::write(scratch.path("s/mine"), "mine").unwrap();
    run(&[])
        .status(2)
        .says("cannot write s: the folder is not empty: name a new one");
    assert_eq!(
        fs::read_dir(scratch.path("s")).unwrap().count(),
        written + 1
    );
}

/// Faults of the transitions that there are, with a suite that is derived or given.
#[test]
fn mutants_of_partial_machines() {
    let scratch = scratch();
    scratch.write(
        "partial.aut",
        "des (0, 3, 2)\n(0, \"a/0\", 1)\n(1, \"a/1\", 0)\n(1, \"b/0\", 1)\n",
    );
    let run = scratch
        .run("wmethod", &["mutants", "-k1", "-m", "h", "partial.aut"])
        .status(0);
    assert_eq!(
        run.text(),
        "output: 3 mutants, 3 killed, 0 equivalent, 0 surviving\n\
         transfer: 3 mutants, 3 killed, 0 equivalent, 0 surviving\n\
         missing: 3 mutants, 3 killed, 0 equivalent, 0 surviving\n\
         extra-state: 15 mutants, 13 killed, 2 equivalent, 0 surviving\n"
    );
    scratch.write("suite.txt", "a b\n");
    let given = ["mutants", "--suite", "suite.txt", "--fault", "transfer"];
    let run = scratch
        .run("wmethod", &[&given[..], &["partial.aut"]].concat())
        .status(1);
    assert_eq!(
        run.text(),
        "transfer: 3 mutants, 1 killed, 0 equivalent, 2 surviving\n\
         survivor: state 1 with input a: output 1 to state 1\nfound_by: a a a\n\
         survivor: state 1 with input b: output 0 to state 0\nfound_by: a b a\n"
    );
    scratch
        .run("wmethod", &["mutants", "-m", "hsi-st", "partial.aut"])
        .status(2)
        .says("or a method that can do without (h, hsi, tour, random)");
}

#[test]
fn moore_machines() {
    let scratch = scratch();
    let light = scratch.run("wmethod", &["-m", "w", "--expected", "traffic_light.dot"]);
    light
        .status(0)
        .says("the initial output is `red`, which tests do not ask for")
        .says("complete for implementations of at most 3 states");
    // the same from any format
    scratch
        .run(
            "transcode",
            &["--moore", "traffic_light.dot", "-o", "light.aut"],
        )
        .ok();
    let expected = scratch
        .run("wmethod", &["-m", "w", "traffic_light.dot"])
        .status(0);
    for file in ["light.aut", "traffic_light.dot"] {
        scratch
            .run("wmethod", &["-m", "w", "--moore", file])
            .status(0)
            .prints(expected.text());
    }
    scratch
        .run("wmethod", &["-m", "w", "light.aut"])
        .status(0)
        .prints(expected.text());
    scratch.write("suite", expected.text());
    let run = scratch.run("wmethod", &["check", "suite", "traffic_light.dot"]);
    assert!(run.status(0).text().starts_with("verdict: CERTIFIED\n"));
    let run = scratch
        .run("wmethod", &["mutants", "-k1", "traffic_light.dot"])
        .status(0);
    assert!(!run.text().contains("survivor"), "{}", run.text());
    // against machines, the initial output included
    let text = scratch.read("traffic_light.dot");
    scratch.write("amber.dot", text.replace("s2|yellow", "s2|amber"));
    // the same but for the initial output
    scratch.write(
        "dark.dot",
        "digraph { d [label=\"d / dark\"]; r [label=\"r / red\"]\n\
         g [label=\"g / green\"]; y [label=\"y / yellow\"]\n\
         {d; r} -> g [label=tick]; {d; r; g} -> r [label=reset]\n\
         g -> y [label=tick]; y -> r [label=tick]; y -> r [label=reset]; __start0 -> d }",
    );
    let against =
        |file: &str| scratch.run("wmethod", &["run", "--against", file, "traffic_light.dot"]);
    against("traffic_light.dot").status(0);
    against("light.aut").status(0);
    against("amber.dot").status(1);
    against("dark.dot")
        .status(1)
        .says("5 tests: 4 passed, 1 failed");
    // in all reports, before the tests
    let report = |file: &str, form: &str| {
        let given = ["run", "--report", form, "--against", file, "-m", "w"];
        let run = scratch.run("wmethod", &[&given[..], &["traffic_light.dot"]].concat());
        run.text().to_owned()
    };
    let tap = report("dark.dot", "tap");
    let first = "TAP version 13\nnot ok 1 - initial output\n  ---\n  \
                 message: \"initial output: expected red, found dark\"\n  severity: \"fail\"\n  \
                 test: 0\n  position: 0\n  found: \"dark\"\n  inputs: []\n  \
                 expected: [\"red\"]\n  ...\nok 2 - ";
    assert!(tap.starts_with(first), "{tap}");
    assert!(tap.contains("\n1..5\n"), "{tap}");
    let tap = report("light.aut", "tap");
    assert!(tap.starts_with("TAP version 13\nok 1 - initial output\nok 2 - "));
    let junit = report("dark.dot", "junit");
    assert!(junit.contains("tests=\"5\" failures=\"1\""), "{junit}");
    assert!(junit.contains("name=\"initial output\""), "{junit}");
    let expected = "message=\"initial output: expected red, found dark\"";
    assert!(junit.contains(expected), "{junit}");
    let lines = report("dark.dot", "json");
    let lines: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(
        (&lines[0]["test"], &lines[0]["verdict"], &lines[0]["found"]),
        (&0.into(), &"fail".into(), &"dark".into())
    );
    assert_eq!(
        (&lines[5]["tests"], &lines[5]["failed"]),
        (&5.into(), &1.into())
    );
    for order in ["shortest", "random"] {
        let stopped = [
            "run",
            "--against",
            "dark.dot",
            "--stop-after",
            "1",
            "--test-order",
            order,
        ];
        scratch
            .run("wmethod", &[&stopped[..], &["traffic_light.dot"]].concat())
            .status(1)
            .says("1 test: 0 passed, 1 failed");
    }
    // a program is not asked for it, but by the line that answers a reset
    scratch.write(
        "light.sh",
        "while read -r line; do case $line in\n\
         RESET) state=r; echo red;;\n\
         tick) case $state in r) state=g; echo green;; g) state=y; echo yellow;; \
         y) state=r; echo red;; esac;;\n\
         reset) state=r; echo red;;\n\
         esac; done\n",
    );
    let note = "the initial output is not compared";
    let asked = [
        "run",
        "--command",
        "sh light.sh",
        "traffic_light.dot",
        "--reset-ack",
    ];
    let run = scratch.run("wmethod", &[&asked[..], &["red"]].concat());
    assert!(!run.status(0).stderr.contains(note));
    let run = scratch.run("wmethod", &[&asked[..], &["*"]].concat());
    run.status(0).says(note).says("`red`");
    against("angluin.dot")
        .status(2)
        .says("the specification is a Moore machine");
    // what survives is a Moore machine too
    scratch
        .run(
            "wmethod",
            &[
                "mutants",
                "-m",
                "tour",
                "--survivors",
                "left",
                "traffic_light.dot",
            ],
        )
        .status(1);
    let survivor = fs::read_dir(scratch.path("left")).unwrap().next().unwrap();
    let survivor = fs::read_to_string(survivor.unwrap().path()).unwrap();
    assert!(survivor.contains("(0, \"/red\", 1)"), "{survivor}");
}

#[test]
fn moore_machines_of_more_states_than_mealy_machines() {
    let scratch = Scratch::new();
    // the output is the last input
    let echo = "digraph { s0 [label=\"s0|0\"]; s1 [label=\"s1|1\"]; s2 [label=\"s2|2\"]\n\
        s0 -> s1 [label=a]; s0 -> s2 [label=b]; s1 -> s1 [label=a]; s1 -> s2 [label=b]\n\
        s2 -> s1 [label=a]; s2 -> s2 [label=b]; __start0 -> s0 }";
    scratch.write("echo.dot", echo);
    let suite = scratch.run("wmethod", &["-m", "w", "echo.dot"]).says(
        "complete for implementations of at most 1 state, and for Moore machines of at most 3",
    );
    scratch.write("suite", suite.text());
    // one fault, in three states
    scratch.write(
        "faulty.dot",
        echo.replace("s2 -> s1 [label=a]", "s2 -> s2 [label=a]"),
    );
    scratch
        .run(
            "wmethod",
            &[
                "run",
                "--suite",
                "suite",
                "--against",
                "faulty.dot",
                "echo.dot",
            ],
        )
        .status(1);
    scratch
        .run("wmethod", &["check", "suite", "echo.dot"])
        .status(0)
        .says("nothing is said of Moore machines, which need 3");
    scratch
        .run("wmethod", &["reduce", "suite", "echo.dot"])
        .status(0)
        .says("tests that only these need count as superfluous");
}

#[test]
fn finite_automata() {
    let scratch = scratch();
    // an even number of `a`
    let even = "digraph { s0 [shape=doublecircle]; s1; s0 -> s1 -> s0 [label=a]\n\
        s0 -> s0 [label=i]; s1 -> s1 [label=i]; __start0 -> s0 }";
    scratch.write("even.dot", even);
    let run = scratch.run("wmethod", &["-m", "w", "--expected", "even.dot"]);
    let run = run.status(0).says("the initial output is `accept`");
    assert!(run.text().contains("=> reject accept"), "{}", run.text());
    scratch
        .run("wmethod", &["-m", "w", "--expected", "--dfa", "even.dot"])
        .status(0)
        .prints(run.text());
    // the label of acceptance may be any
    let shapes = ["--accepting", "yes", "even.dot", "--visible-i", "in"];
    scratch
        .run("transcode", &[&shapes[..], &["-o", "even.aut"]].concat())
        .ok();
    let renamed = run.text().replace(['i'], "in");
    let of_aut = scratch
        .run(
            "wmethod",
            &["-m", "w", "--expected", "--accepting", "yes", "even.aut"],
        )
        .status(0);
    assert_eq!(of_aut.text(), renamed);
    // acceptance in no loop
    scratch
        .run("wmethod", &["--accepting", "a", "even.aut"])
        .status(2)
        .says("the label of accepting states leads from state 0 to state 1");
    // without the transitions of `i` in one state
    scratch.write("partial.dot", even.replace("s1 -> s1 [label=i];", ""));
    scratch
        .run("wmethod", &["-m", "hsi-st", "partial.dot"])
        .status(2)
        .says("the machine is not complete");
    scratch
        .run(
            "wmethod",
            &["--complete", "sink", "--expected", "partial.dot"],
        )
        .status(0)
        .says("complete for implementations of at most 3 states");
    scratch
        .run(
            "wmethod",
            &[
                "--complete",
                "self-loop",
                "-m",
                "w",
                "--expected",
                "partial.dot",
            ],
        )
        .status(0)
        .prints(run.text());
    for (fault, other) in [
        (
            "odd",
            even.replace(
                "shape=doublecircle]; s1",
                "shape=circle]; s1 [shape=doublecircle]",
            ),
        ),
        (
            "stays",
            even.replace("s1 -> s1 [label=i]", "s1 -> s0 [label=i]"),
        ),
    ] {
        scratch.write("other.dot", other);
        let run = scratch.run("wmethod", &["run", "--against", "other.dot", "even.dot"]);
        let run = run.status(1);
        assert!(run.text().contains("TAP"), "{fault}");
    }
    // what could be meant in two ways is asked
    scratch.write(
        "both.dot",
        "digraph { s0 [label=\"s0|A\" shape=record]; s1 [label=\"s1|B\" shape=doublecircle]\n\
         s0 -> s1 -> s0 [label=a] }",
    );
    scratch
        .run("wmethod", &["both.dot"])
        .status(2)
        .says("say which counts, with --moore, --dfa or --mealy");
    scratch.run("wmethod", &["--moore", "both.dot"]).status(0);
    scratch.run("wmethod", &["--dfa", "both.dot"]).status(0);
}

#[test]
fn options_of_other_methods_are_refused() {
    let scratch = scratch();
    for (options, said) in [
        (
            &["--kernel", "toggle.aut"][..],
            "--kernel is for -m symmetric",
        ),
        (&["--exact-set=9"], "--exact-set is for -m w or wp"),
        (&["--tests", "3"], "--tests is for -m random"),
        (&["--middle", "3"], "--middle is for -m random"),
        (
            &["-m", "w", "--seed", "0"],
            "--seed is for -m random, and for --challenge",
        ),
        (&["--max-sets", "9"], "--max-sets is for -m ds, uio or uiov"),
        (&["-m", "tour", "-k1"], "tour and random claim none"),
        (&["-m", "random", "-k1"], "tour and random claim none"),
    ] {
        scratch
            .run("wmethod", &[options, &["toggle.aut"]].concat())
            .status(2)
            .says(said);
    }
    for options in [
        &["-m", "symmetric", "--kernel", "toggle.aut"][..],
        &["-m", "wp", "--exact-set=9"],
        &[
            "-m", "random", "--tests", "3", "--middle", "3", "--seed", "0",
        ],
        &["-m", "uio", "--max-sets", "9"],
        &["-m", "tour", "-k0"],
    ] {
        scratch
            .run("wmethod", &[options, &["toggle.aut"]].concat())
            .status(0);
    }
    // The help says what there is without them.
    let help = scratch.run("wmethod", &["--help"]).status(0);
    let usual = DeriveOptions::default();
    let text: Vec<&str> = help.text().split_whitespace().collect();
    let text = text.join(" ");
    for (what, value) in [
        ("random: draw N tests", usual.tests),
        (
            "inputs in the middle of a test, on average",
            usual.middle.into(),
        ),
        ("The seed of random choices", usual.seed),
        ("give up after N sets of states", usual.most_sets as u64),
    ] {
        assert!(
            text.contains(&format!("{what} [default: {value}]")),
            "{what}: {text}"
        );
    }
    assert!(text.contains("3 no verdict: UNKNOWN, the limit --max-memory was reached"));
}

/// What is no UTF-8 is shown as bytes, and can be written and read.
#[test]
fn bytes_that_are_no_text() {
    let scratch = scratch();
    let machine = b"des (0, 2, 2)\n(0, \"a\xff b/0\", 1)\n(1, \"a\xff b/\xfe\", 0)\n";
    scratch.write("bytes.aut", machine);
    let run = scratch
        .run("wmethod", &["-m", "w", "--expected", "bytes.aut"])
        .status(0);
    let suite = r#""a\xFF b" "a\xFF b" "a\xFF b" => 0 "#;
    assert_eq!(run.stdout, [suite.as_bytes(), b"\xfe 0\n"].concat());
    scratch.write("suite.txt", &run.stdout);
    let check = ["check", "suite.txt", "bytes.aut"];
    scratch.run("wmethod", &check).status(0);
    scratch.write("suite.txt", r#""a\xFF b""#);
    let run = scratch.run("wmethod", &check).status(1);
    assert!(
        run.text()
            .ends_with("word: \"a\\xFF b\" \"a\\xFF b\"\nexpected: 0 \"\\xFE\"\npassing: 0 0\n"),
        "{}",
        run.text()
    );
    let run = scratch.run("wmethod", &[&check[..], &["--json"]].concat());
    let answer = json(run.status(1).text());
    assert_eq!(answer["expected"][1], "\\xFE");
    scratch
        .run("wmethod", &["--form", "jsonl", "bytes.aut"])
        .status(2)
        .says("is no UTF-8, which JSON needs: write another form");
}

#[test]
fn a_closed_pipe_ends_it() {
    let scratch = scratch();
    let run = scratch
        .shell("wmethod -k2 -m w tcp_server_bsd.dot | head -1")
        .status(0);
    assert_eq!(run.text().lines().count(), 1);
}

/// States have the names of the file, where it has names.
#[test]
fn mutants_name_states_as_the_file_does() {
    let scratch = Scratch::new();
    scratch.write(
        "m.dot",
        "digraph { __start0 -> idle; idle -> busy [label=\"coin / ok\"]; \
         busy -> idle [label=\"push / tea\"]; idle -> idle [label=\"push / no\"]; \
         busy -> busy [label=\"coin / no\"]; }",
    );
    scratch.write("suite.txt", "coin\n");
    let words = [
        "mutants",
        "--suite",
        "suite.txt",
        "m.dot",
        "--html",
        "p.html",
    ];
    let run = scratch.run("wmethod", &words).status(1);
    let text = run.text();
    let survivor = "survivor: state busy with input push: output tea to state busy\n";
    assert!(text.contains(survivor), "{text}");
    assert!(
        !text.contains("state 0") && !text.contains("state 1"),
        "{text}"
    );
    let page = scratch.read("p.html");
    assert!(page.contains("<td>state idle</td>") && page.contains("<td>state busy</td>"));
    // Also where one state is none of the machine.
    scratch.write(
        "moore.dot",
        "digraph { __start0 -> off; off [label=\"off | dark\"]; on [label=\"on | light\"]; \
         off -> on [label=toggle]; on -> off [label=toggle]; }",
    );
    scratch.write("suite.txt", "toggle\n");
    let words = [
        "mutants",
        "moore.dot",
        "--fault",
        "transfer",
        "--suite",
        "suite.txt",
    ];
    let run = scratch.run("wmethod", &words).status(1);
    for state in [
        "off with input toggle: output light to state off",
        "on with input toggle: output dark to state on",
    ] {
        let survivor = format!("survivor: state {state}\n");
        assert!(run.text().contains(&survivor), "{}", run.text());
    }
}

#[test]
fn a_page_of_mutants() {
    let scratch = Scratch::new();
    scratch.write("toggle.aut", util::TOGGLE);
    scratch.write("suite.txt", "a a\n");
    let options = ["mutants", "--suite", "suite.txt", "toggle.aut"];
    let plain = scratch.run("wmethod", &options).status(1);
    let page = [
        "mutants",
        "--suite",
        "suite.txt",
        "--html",
        "p.html",
        "toggle.aut",
    ];
    scratch.run("wmethod", &page).status(1).prints(plain.text());
    let page = scratch.read("p.html");
    // What the table of faults counts is what the text says.
    for line in plain.text().lines() {
        let Some((kind, rest)) = line
            .split_once(": ")
            .filter(|(_, rest)| rest.contains(" killed"))
        else {
            continue;
        };
        let numbers = rest.split(", ").filter_map(|part| part.split(' ').next());
        let numbers: Vec<&str> = numbers.collect();
        let killed = format!("<td class=\"number\">{}</td>", numbers[1]);
        let (_, row) = page
            .split_once(&format!("<tr><td>{kind}</td>"))
            .expect(kind);
        assert!(
            row.split("</tr>")
                .next()
                .is_some_and(|row| row.contains(&killed)),
            "{line}"
        );
    }
    // Input `b` is in no test: no mutant there is killed.
    let (_, row) = page.split_once("<tr><td>state 0</td>").expect("a state");
    let row = row.split("</tr>").next().expect("a row");
    let cells: Vec<&str> = row.split("</td>").filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells.len(), 2);
    assert!(cells[1].starts_with("<td class=\"bad\">0 / "), "{row}");
    // Alone on standard output; never in the place of what is read.
    let alone = [
        "mutants",
        "--suite",
        "suite.txt",
        "--html",
        "-",
        "toggle.aut",
    ];
    scratch.run("wmethod", &alone).status(1).prints(&page);
    let wrong = [
        "mutants",
        "--suite",
        "p.html",
        "--html",
        "p.html",
        "toggle.aut",
    ];
    scratch.run("wmethod", &wrong).status(2).prints("");
    assert_eq!(scratch.read("p.html"), page);
}
