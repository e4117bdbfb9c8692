//! `wmethod`, run as a user runs it: derivation and mutants.

mod util;

use std::fs;
use std::path::Path;

use hyades::conformance::DeriveOptions;
use util::{Scratch, json};

/// Two states that `a` tells apart.
const TOGGLE: &str = "\
des (0, 4, 2)
(0, \"a/0\", 1)
(0, \"b/0\", 0)
(1, \"a/1\", 0)
(1, \"b/0\", 1)
";

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
        .feed("wmethod", &[], &partial)
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
        .feed("wmethod", &["--check", "-", "partial.aut"], "a\n")
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

#[test]
fn symmetric_suites_save_tests() {
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
        .shell(
            "generate chatbox 2 -o chatbox.aut && \
         kernel -q chatbox.aut --pattern chatbox2.pattern.toml -o kernel.aut",
        )
        .status(0);
    let with = ["--output-offers", "1", "chatbox.aut"];
    let chow = scratch
        .run("wmethod", &[&["-m", "w"][..], &with].concat())
        .status(0);
    chow.says("384 tests, 2880 symbols, 384 resets");
    let symmetric = ["-m", "symmetric", "--kernel", "kernel.aut"];
    let symmetric = scratch
        .run("wmethod", &[&symmetric[..], &with].concat())
        .status(0);
    symmetric
        .says("149 tests")
        .says("complete for symmetric implementations whose kernel has");
    let other = ["-m", "symmetric", "--kernel", "toggle.aut", "toggle.aut"];
    scratch.run("wmethod", &other).status(0);
    let other = [
        "-m",
        "symmetric",
        "--kernel",
        "ble_nrf52832.dot",
        "toggle.aut",
    ];
    scratch
        .run("wmethod", &other)
        .status(2)
        .says("expected a part of the specification");
    scratch
        .run("wmethod", &["-m", "symmetric", "toggle.aut"])
        .status(2)
        .says("--kernel FILE");
}

#[test]
fn mutants_and_survivors() {
    let scratch = scratch();
    let run = scratch
        .run("wmethod", &["-k1", "--mutants", "toggle.aut"])
        .status(0);
    assert_eq!(
        run.text(),
        "output: 4 mutants, 4 killed, 0 equivalent, 0 surviving\n\
         transfer: 4 mutants, 4 killed, 0 equivalent, 0 surviving\n\
         missing: 4 mutants, 4 killed, 0 equivalent, 0 surviving\n\
         extra-state: 24 mutants, 20 killed, 4 equivalent, 0 surviving\n"
    );
    let tour = [
        "-m",
        "tour",
        "--mutants",
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

/// Faults of the transitions that there are, with a suite that is derived or given.
#[test]
fn mutants_of_partial_machines() {
    let scratch = scratch();
    scratch.write(
        "partial.aut",
        "des (0, 3, 2)\n(0, \"a/0\", 1)\n(1, \"a/1\", 0)\n(1, \"b/0\", 1)\n",
    );
    let run = scratch
        .run("wmethod", &["-k1", "-m", "h", "--mutants", "partial.aut"])
        .status(0);
    assert_eq!(
        run.text(),
        "output: 3 mutants, 3 killed, 0 equivalent, 0 surviving\n\
         transfer: 3 mutants, 3 killed, 0 equivalent, 0 surviving\n\
         missing: 3 mutants, 3 killed, 0 equivalent, 0 surviving\n\
         extra-state: 15 mutants, 13 killed, 2 equivalent, 0 surviving\n"
    );
    scratch.write("suite.txt", "a b\n");
    let given = ["--suite", "suite.txt", "--mutants", "--fault", "transfer"];
    let run = scratch
        .run("wmethod", &[&given[..], &["partial.aut"]].concat())
        .status(1);
    assert_eq!(
        run.text(),
        "transfer: 3 mutants, 1 killed, 0 equivalent, 2 surviving\n\
         survivor: state 1 with input a: output 1 to state 1\nfound_by: a a a\n\
         survivor: state 1 with input b: output 0 to state 0\nfound_by: a b a\n"
    );
    // The usual method cannot do without.
    scratch
        .run("wmethod", &["--mutants", "partial.aut"])
        .status(2)
        .says("or a method that can do without (h, hsi, tour)");
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
        (&["-m", "w", "--seed", "0"], "--seed is for -m random"),
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
        ("random: draw so many tests", usual.tests),
        ("inputs in the middle, on average", usual.middle.into()),
        ("from this seed", usual.seed),
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
    let check = ["--check", "suite.txt", "bytes.aut"];
    scratch.run("wmethod", &check).status(0);
    scratch.write("suite.txt", r#""a\xFF b""#);
    let run = scratch.run("wmethod", &check).status(1);
    assert!(
        run.text()
            .ends_with("word: \"a\\xFF b\" \"a\\xFF b\"\nexpected: 0 \"\\xFE\"\npassing: 0 0\n"),
        "{}",
        run.text()
    );
    let run = scratch.run("wmethod", &[&["--json"], &check[..]].concat());
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
