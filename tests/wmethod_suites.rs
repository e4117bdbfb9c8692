//! `wmethod` on suites: judged, reduced and run as a user does.

use crate::util;

use std::path::Path;

use util::{Scratch, json};

const CYCLE: &str = "des (0, 2, 2)\n(0, \"a/0\", 1)\n(1, \"a/1\", 0)\n";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("cycle.aut", CYCLE);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/black_box");
    for name in ["coffee.dot", "coffee.sh"] {
        std::fs::copy(folder.join(name), scratch.path(name)).unwrap();
    }
    scratch
}

/// The suite of a method, in a file, and what is told of it with `extra` states.
fn judged(scratch: &Scratch, method: &str, extra: &str, code: i32) -> String {
    let derive = ["-q", "-m", method, extra, "-o", "suite.txt", "coffee.dot"];
    scratch.run("wmethod", &derive).ok();
    let check = ["check", extra, "suite.txt", "coffee.dot"];
    scratch.run("wmethod", &check).status(code).text().into()
}

#[test]
fn suites_of_complete_methods_are_certified() {
    let scratch = scratch();
    for method in ["w", "wp", "hsi", "hsi-st"] {
        for (extra, states) in [("-k0", 3), ("-k1", 4), ("-k2", 5)] {
            let text = judged(&scratch, method, extra, 0);
            let expected = format!("verdict: CERTIFIED\ndomain: {states} states\ncondition: H\n");
            assert!(text.starts_with(&expected), "{method} {extra}: {text}");
        }
    }
    for method in ["h", "spy", "spyh", "hads", "ads", "uiov"] {
        for extra in ["-k0", "-k1"] {
            let text = judged(&scratch, method, extra, 0);
            assert!(!text.contains("REFUTED"), "{method} {extra}: {text}");
        }
    }
    let text = judged(&scratch, "tour", "-k0", 1);
    assert!(text.starts_with("verdict: REFUTED\n"), "{text}");
}

#[test]
fn the_name_of_a_file_tells_the_form_of_a_suite() {
    let scratch = scratch();
    for (file, form, start) in [
        ("suite.jsonl", None, "{"),
        ("SUITE.JSONL", None, "{"),
        ("suite.ndjson", None, "{"),
        ("suite.jsonl", Some("text"), "coin"),
        ("suite.txt", None, "coin"),
        ("suite.jsonl.txt", None, "coin"),
        ("suite.pairs", None, "("),
        ("jsonl", None, "coin"),
        ("suite.txt", Some("pairs"), "("),
    ] {
        let mut derive = vec!["-q", "-o", file, "coffee.dot"];
        derive.extend(form.iter().flat_map(|form| ["--form", form]));
        scratch.run("wmethod", &derive).ok();
        let suite = scratch.read(file);
        assert!(suite.starts_with(start), "{file} {form:?}: {suite}");
    }
}

#[test]
fn a_refutation_passes_and_is_another_machine() {
    let scratch = scratch();
    scratch.write("suite.txt", "a a a\n");
    let check = [
        "check",
        "-k1",
        "suite.txt",
        "--refutation",
        "other.aut",
        "cycle.aut",
    ];
    let run = scratch.run("wmethod", &check).status(1);
    assert_eq!(
        run.text(),
        "verdict: REFUTED\ndomain: 3 states\npassing_states: 3\nword: a a a a\n\
         expected: 0 1 0 1\npassing: 0 1 0 0\n"
    );
    let against = [
        "run",
        "--suite",
        "suite.txt",
        "--against",
        "other.aut",
        "cycle.aut",
    ];
    scratch
        .run("wmethod", &against)
        .status(0)
        .says("1 test: 1 passed");
    scratch.run("equiv", &["cycle.aut", "other.aut"]).status(1);
    // The word that was told finds it.
    scratch.write("suite.txt", "a a a a\n");
    scratch.run("wmethod", &against).status(1).says("1 failed");
    let complete = ["check", "-k1", "--json", "suite.txt", "cycle.aut"];
    let answer = json(scratch.run("wmethod", &complete).status(0).text());
    assert_eq!(answer["verdict"], "CERTIFIED");
    // Nothing can be decided in one step.
    let limited = ["check", "-k1", "--max-steps", "1", "suite.txt", "cycle.aut"];
    let run = scratch.run("wmethod", &limited).status(3);
    assert!(
        run.text().starts_with("verdict: UNKNOWN\n"),
        "{}",
        run.text()
    );
}

#[test]
fn reduced_suites_stay_complete() {
    let scratch = scratch();
    let run = scratch.shell(
        "wmethod -q -k1 -m w coffee.dot | wmethod reduce -k1 - coffee.dot > small.txt && \
         wmethod check -k1 small.txt coffee.dot",
    );
    assert!(run.status(0).text().starts_with("verdict: CERTIFIED\n"));
    let tests = |text: &str| text.lines().count();
    let chow = scratch
        .run("wmethod", &["-q", "-k1", "-m", "w", "coffee.dot"])
        .ok();
    assert!(tests(&scratch.read("small.txt")) < tests(chow.text()));
    // What is not complete remains as it is.
    scratch.write("suite.txt", "a a\na\n");
    let run = scratch
        .run("wmethod", &["reduce", "suite.txt", "cycle.aut"])
        .status(1);
    assert_eq!(run.text(), "a a\n");
    run.says("the suite is not complete for 2 states");
    // No tests are not the empty test.
    scratch.write("suite.txt", "# nothing\n");
    let run = scratch
        .run("wmethod", &["reduce", "suite.txt", "cycle.aut"])
        .status(1);
    assert_eq!(run.text(), "");
    run.says("suite.txt: the suite has no tests")
        .says("0 tests, 0 symbols, 0 resets");
    let run = scratch
        .run(
            "wmethod",
            &[
                "run",
                "--suite",
                "suite.txt",
                "--against",
                "cycle.aut",
                "cycle.aut",
            ],
        )
        .status(0);
    assert_eq!(
        run.text(),
        "TAP version 13\n1..0 # SKIP there are no tests\n# 0 tests: 0 passed; 0 inputs, 0 resets\n"
    );
    scratch.write("suite.txt", "\n");
    let run = scratch.run("wmethod", &["-q", "--suite", "suite.txt", "cycle.aut"]);
    assert_eq!(run.status(0).text(), "\n");
}

/// Suites are read in all forms, and mistakes in them have a place.
#[test]
fn suites_from_elsewhere() {
    let scratch = scratch();
    for suite in [
        "# by hand\na a a a\n",
        "\"a\" a a a => 0 1 0 1\n",
        "{\"in\":[\"a\",\"a\",\"a\",\"a\"]}\n",
        "(a/0).(a/1).(a/0).(a/1)\n",
    ] {
        let run = scratch.feed("wmethod", &["check", "-k1", "-", "cycle.aut"], suite);
        assert!(
            run.ok().text().starts_with("verdict: CERTIFIED\n"),
            "{suite}"
        );
    }
    let check = ["check", "-", "cycle.aut"];
    scratch
        .feed("wmethod", &check, "a\nb a\n")
        .status(2)
        .says("<stdin>:2:1: error: found input `b`, expected one of the machine's: `a`");
    scratch
        .feed("wmethod", &check, "a,a,a\n")
        .status(2)
        .says("the machine's: `a`; inputs are separated by blanks, and nothing else [suite-");
    // The other way round.
    scratch.write("suite.txt", "a a\n");
    let run = scratch.run("wmethod", &["check", "cycle.aut", "suite.txt"]);
    run.status(2)
        .says("; the suite comes first, and cycle.aut is a machine");
    let run = scratch
        .run("wmethod", &["check", "suite.txt", "none"])
        .status(2);
    assert!(!run.stderr.contains("comes first"), "{}", run.stderr);
    scratch
        .feed("wmethod", &check, "a \"\n")
        .status(2)
        .says("suite-syntax");
    scratch
        .feed("wmethod", &check, "a => 1\n")
        .status(1)
        .says("warning");
    scratch
        .run("wmethod", &["check", "none.txt", "cycle.aut"])
        .status(2);
    let both = ["check", "-", "-"];
    scratch
        .feed("wmethod", &both, "a\n")
        .status(2)
        .says("only one");
}

#[test]
fn a_script_is_run() {
    let scratch = scratch();
    let arguments = |command| {
        let how = ["run", "-k1", "--reset-ack", "OK", "--command"];
        [&how[..], &[command, "coffee.dot"]].concat()
    };
    let run = scratch.run("wmethod", &arguments("sh coffee.sh")).status(0);
    assert!(
        run.text().starts_with("TAP version 13\nok 1 - "),
        "{}",
        run.text()
    );
    run.says("40 tests: 40 passed; 164 inputs, 40 resets");
    let run = scratch
        .run("wmethod", &arguments("sh coffee.sh --faulty"))
        .status(1);
    run.says("failed");
    // No such program, which is looked for once; one that ends at once, one that says nothing.
    let run = scratch
        .run("wmethod", &arguments("none-such --option"))
        .status(2)
        .says("cannot start `none-such --option`: it is not found");
    assert!(run.text().contains("Bail out!"), "{}", run.text());
    assert!(run.text().contains("0 tests"), "{}", run.text());
    scratch.run("wmethod", &arguments("true")).status(2);
    let silent = [
        "run",
        "--timeout",
        "10ms",
        "--stop-after",
        "1",
        "--command",
        "sleep 1000",
        "cycle.aut",
    ];
    scratch.run("wmethod", &silent).status(1).says("1 failed");
}

#[test]
fn reports() {
    let scratch = scratch();
    scratch.write(
        "wrong.aut",
        "des (0, 2, 2)\n(0, \"a/0\", 1)\n(1, \"a/2\", 0)\n",
    );
    let run = |report: &str| {
        let arguments = [
            "run",
            "-q",
            "--report",
            report,
            "--against",
            "wrong.aut",
            "cycle.aut",
        ];
        scratch.run("wmethod", &arguments).status(1)
    };
    let xml = run("junit");
    assert!(
        xml.text().contains("<testsuite name=\"cycle.aut\""),
        "{}",
        xml.text()
    );
    assert!(xml.text().contains("failures=\"1\""), "{}", xml.text());
    let lines = run("json");
    let first = json(lines.text().lines().next().unwrap());
    assert_eq!(first["verdict"], "fail");
    assert!(
        run("tap")
            .text()
            .contains("input 2, a: expected 1, found 2")
    );
    // A report in a file is whole although tests fail.
    let file = [
        "run",
        "-q",
        "-o",
        "report.tap",
        "--against",
        "wrong.aut",
        "cycle.aut",
    ];
    scratch.run("wmethod", &file).status(1);
    assert!(
        scratch
            .read("report.tap")
            .ends_with("1 failed; 2 inputs, 1 reset\n")
    );
}

#[test]
fn modes_have_options_of_their_own() {
    let scratch = scratch();
    scratch.write("a", "a a a\n");
    let (excluded, required, unknown) = (
        "cannot be used with",
        "required arguments were not provided",
        "unexpected argument",
    );
    for (arguments, said) in [
        (&["run", "--command", "cat", "--against", "a"][..], excluded),
        (&["run"], required),
        (&["check"], ""),
        (&["--suite", "a", "-m", "w"], excluded),
        (&["--suite", "a", "--max-tests", "1"], excluded),
        (&["--suite", "a", "-k1"], excluded),
        (&["--suite", "a", "--up-to-symmetry", "auto"], excluded),
        (&["mutants", "--suite", "a", "--outside", "1"], excluded),
        (&["check", "a", "-m", "w"], unknown),
        (&["check", "a", "--suite", "a"], unknown),
        (&["check", "a", "--challenge", "1"], unknown),
        (&["reduce", "a", "--seed", "1"], unknown),
        (&["reduce", "a", "--up-to-symmetry", "auto"], unknown),
        (&["reduce", "a", "--refutation", "b"], unknown),
        (&["reduce", "a", "--json"], unknown),
        (&["check", "a", "--expected"], unknown),
        (&["mutants", "--form", "jsonl"], unknown),
        (&["run", "--against", "cycle.aut", "--tree"], unknown),
        (
            &["run", "--against", "cycle.aut", "--timeout", "1s"],
            excluded,
        ),
        (&["run", "--against", "cycle.aut", "--reset", "R"], excluded),
        (
            &["run", "--against", "cycle.aut", "--report", "tap", "--json"],
            excluded,
        ),
        (
            &["--timeout", "1s"],
            "--timeout is an option of wmethod run",
        ),
        (
            &["derive", "--reset", "R"],
            "--reset is an option of wmethod run",
        ),
        (
            &["--domain", "reached"],
            "--domain is an option of wmethod check, wmethod reduce",
        ),
        (
            &["--json"],
            "--json is an option of wmethod check, wmethod mutants, wmethod run",
        ),
        (
            &["check", "a", "--max-tests", "1"],
            "--max-tests is an option of wmethod derive, wmethod mutants, wmethod run",
        ),
        (
            &["run", "--order-seed", "1", "--against", "cycle.aut"],
            required,
        ),
        (
            &[
                "run",
                "--test-order",
                "shortest",
                "--order-seed",
                "1",
                "--against",
                "cycle.aut",
            ],
            "--order-seed is for --test-order random",
        ),
        (
            &["run", "--timeout", "soon", "--command", "cat"],
            "`soon` is no time",
        ),
        (
            &["run", "--timeout", "0s", "--command", "cat"],
            "no --timeout to wait",
        ),
        (
            &["run", "--timeout", "1e-99s", "--command", "cat"],
            "no --timeout to wait",
        ),
        (&["run", "--connect", "nonsense"], "expected HOST:PORT"),
        (&["run", "--connect", "localhost:"], "expected HOST:PORT"),
        (
            &["run", "--connect", "localhost:65536"],
            "expected HOST:PORT",
        ),
        (&["run", "--connect", "unix:"], "expected HOST:PORT"),
        (&["-k", "18446744073709551615"], "invalid value"),
        (&["check", "-k", "10001", "a"], "invalid value"),
        // What belongs to a mode stands behind it.
        (
            &["-k", "1", "check", "a"],
            "--extra <K> stands before the mode check",
        ),
        (&["cycle.aut", "mutants"], "stands before the mode mutants"),
        (
            &["check", "a", "-o", "a.gz"],
            "what is written is a text, which is not compressed",
        ),
    ] {
        let arguments = [arguments, &["cycle.aut"]].concat();
        scratch.run("wmethod", &arguments).status(2).says(said);
    }
}

/// The plain form is `derive`, and files may be named like modes.
#[test]
fn the_plain_form_derives() {
    let scratch = scratch();
    let arguments = ["-k1", "--expected", "coffee.dot"];
    let plain = scratch.run("wmethod", &arguments).status(0);
    let derived = [&["derive"], &arguments[..]].concat();
    let derived = scratch.run("wmethod", &derived).status(0);
    assert_eq!(plain.text(), derived.text());
    assert_eq!(plain.stderr, derived.stderr);
    scratch.write("check", CYCLE);
    scratch
        .run("wmethod", &["--from", "aut", "./check"])
        .status(0)
        .prints("a a a\n");
    let help = scratch.run("wmethod", &["--help"]).ok();
    assert!(help.text().contains("given as ./check"));
}

#[test]
fn old_spellings_tell_the_new_ones() {
    let scratch = scratch();
    for (arguments, said) in [
        (
            &["-k1", "--check", "a", "cycle.aut"][..],
            "error: --check SUITE is now: wmethod check SUITE [INPUT]\n",
        ),
        (
            &["--reduce=a", "cycle.aut"],
            "error: --reduce SUITE is now: wmethod reduce SUITE [INPUT]\n",
        ),
        (
            &["--mutants", "cycle.aut"],
            "error: --mutants is now: wmethod mutants [INPUT]\n",
        ),
        (
            &["--run", "cat", "cycle.aut"],
            "error: --run COMMAND is now: wmethod run --command COMMAND [INPUT]\n",
        ),
        (
            &["--against", "a", "cycle.aut"],
            "error: --against FILE is now: wmethod run --against FILE [INPUT]\n",
        ),
        (
            &["--connect", "localhost:1", "cycle.aut"],
            "error: --connect ADDRESS is now: wmethod run --connect ADDRESS [INPUT]\n",
        ),
    ] {
        scratch.run("wmethod", arguments).status(2).says(said);
    }
    scratch
        .run("hyades", &["wmethod", "--mutants", "cycle.aut"])
        .status(2)
        .says("--mutants is now: hyades wmethod mutants [INPUT]");
}

/// One object has all that the lines have.
#[test]
fn a_run_as_one_object() {
    let scratch = scratch();
    scratch.write(
        "wrong.aut",
        "des (0, 2, 2)\n(0, \"a/0\", 1)\n(1, \"a/2\", 0)\n",
    );
    scratch.write("none.txt", "# nothing\n");
    let run = |more: &[&str], status| {
        let arguments = [&["run", "-q"], more, &["cycle.aut"]].concat();
        let run = scratch.run("wmethod", &arguments).status(status);
        run.text().to_owned()
    };
    let tested = ["-k1", "-m", "w", "--against", "wrong.aut"];
    let one = json(run(&[&tested[..], &["--json"]].concat(), 1));
    assert_eq!(one["verdict"], "fail");
    let lines = run(&[&tested[..], &["--report", "json"]].concat(), 1);
    let mut lines: Vec<_> = lines.lines().map(json).collect();
    let timeless = |object: &serde_json::Value| {
        let mut object = object.as_object().unwrap().clone();
        object.remove("seconds").unwrap();
        object
    };
    let whole = timeless(&lines.pop().unwrap());
    let results = one["results"].as_array().unwrap();
    assert!(!results.is_empty());
    let results: Vec<_> = results.iter().map(timeless).collect();
    let of_lines: Vec<_> = lines.iter().map(timeless).collect();
    assert_eq!(results, of_lines);
    for (key, value) in &whole {
        assert_eq!(one[key], *value, "{key}");
    }
    let same = ["--against", "cycle.aut", "--json"];
    assert_eq!(json(run(&same, 0))["verdict"], "pass");
    let none = [&same[..], &["--suite", "none.txt"]].concat();
    assert_eq!(json(run(&none, 0))["results"], serde_json::json!([]));
    let ends = ["--command", "true", "--json"];
    let failed = json(run(&ends, 2));
    assert_eq!(failed["verdict"], "error");
}
