//! `wmethod` on suites: judged, reduced and run as a user does.

mod util;

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
    let check = [extra, "--check", "suite.txt", "coffee.dot"];
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
fn a_refutation_passes_and_is_another_machine() {
    let scratch = scratch();
    scratch.write("suite.txt", "a a a\n");
    let check = [
        "-k1",
        "--check",
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
    let complete = ["-k1", "--json", "--check", "suite.txt", "cycle.aut"];
    let answer = json(scratch.run("wmethod", &complete).status(0).text());
    assert_eq!(answer["verdict"], "CERTIFIED");
    // Nothing can be decided in one step.
    let limited = [
        "-k1",
        "--max-steps",
        "1",
        "--check",
        "suite.txt",
        "cycle.aut",
    ];
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
        "wmethod -q -k1 -m w coffee.dot | wmethod -k1 --reduce - coffee.dot > small.txt && \
         wmethod -k1 --check small.txt coffee.dot",
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
        .run("wmethod", &["--reduce", "suite.txt", "cycle.aut"])
        .status(1);
    assert_eq!(run.text(), "a a\n");
    run.says("the suite is not complete for 2 states");
    // No tests are not the empty test.
    scratch.write("suite.txt", "# nothing\n");
    let run = scratch
        .run("wmethod", &["--reduce", "suite.txt", "cycle.aut"])
        .status(1);
    assert_eq!(run.text(), "");
    run.says("suite.txt: the suite has no tests")
        .says("0 tests, 0 symbols, 0 resets");
    let run = scratch
        .run(
            "wmethod",
            &[
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
        let run = scratch.feed("wmethod", &["-k1", "--check", "-", "cycle.aut"], suite);
        assert!(
            run.ok().text().starts_with("verdict: CERTIFIED\n"),
            "{suite}"
        );
    }
    let check = ["--check", "-", "cycle.aut"];
    scratch
        .feed("wmethod", &check, "a\nb a\n")
        .status(2)
        .says("<stdin>:2:1: error: found input `b`, expected one of the machine's: `a`");
    scratch
        .feed("wmethod", &check, "a \"\n")
        .status(2)
        .says("suite-syntax");
    scratch
        .feed("wmethod", &check, "a => 1\n")
        .status(1)
        .says("warning");
    scratch
        .run("wmethod", &["--check", "none.txt", "cycle.aut"])
        .status(2);
    let both = ["--check", "-", "-"];
    scratch
        .feed("wmethod", &both, "a\n")
        .status(2)
        .says("only one");
}

#[test]
fn a_script_is_run() {
    let scratch = scratch();
    let arguments = |command| ["-k1", "--reset-ack", "OK", "--run", command, "coffee.dot"];
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
    // No such program, one that ends at once, one that says nothing.
    scratch.run("wmethod", &arguments("none-such")).status(2);
    scratch.run("wmethod", &arguments("true")).status(2);
    let silent = [
        "--timeout",
        "10ms",
        "--stop-after",
        "1",
        "--run",
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
fn modes_exclude_one_another() {
    let scratch = scratch();
    scratch.write("a", "a a a\n");
    let (excluded, required) = (
        "cannot be used with",
        "required arguments were not provided",
    );
    for (arguments, said) in [
        (&["--check", "a", "--reduce", "a"][..], excluded),
        (&["--mutants", "--run", "cat"], excluded),
        (&["--run", "cat", "--against", "cycle.aut"], excluded),
        (&["--suite", "a", "-m", "w"], excluded),
        (&["--suite", "a", "--max-tests", "1"], excluded),
        (&["--suite", "a", "-k1"], excluded),
        (&["--check", "a", "-m", "w"], excluded),
        (&["--check", "a", "--suite", "a"], excluded),
        (&["--reduce", "a", "--seed", "1"], excluded),
        (&["--check", "a", "--expected"], excluded),
        (&["--mutants", "--form", "jsonl"], excluded),
        (&["--against", "cycle.aut", "--tree"], excluded),
        (&["--against", "cycle.aut", "--timeout", "1s"], excluded),
        (&["--against", "cycle.aut", "--reset", "R"], excluded),
        (&["--timeout", "1s"], required),
        (&["--reset", "R"], required),
        (&["--domain", "reached"], required),
        (&["--max-steps", "1"], required),
        (&["--reduce", "a", "--json"], required),
        (&["--order-seed", "1", "--against", "cycle.aut"], required),
        (
            &[
                "--test-order",
                "shortest",
                "--order-seed",
                "1",
                "--against",
                "cycle.aut",
            ],
            "--order-seed is for --test-order random",
        ),
        (&["--timeout", "soon", "--run", "cat"], "`soon` is no time"),
        (&["--timeout", "0s", "--run", "cat"], "no --timeout to wait"),
        (
            &["--timeout", "1e-99s", "--run", "cat"],
            "no --timeout to wait",
        ),
        (&["--connect", "nonsense"], "expected HOST:PORT"),
        (&["--connect", "localhost:"], "expected HOST:PORT"),
        (&["--connect", "localhost:65536"], "expected HOST:PORT"),
        (&["--connect", "unix:"], "expected HOST:PORT"),
        (&["-k", "18446744073709551615"], "invalid value"),
        (&["-k", "10001"], "invalid value"),
    ] {
        let arguments = [arguments, &["cycle.aut"]].concat();
        scratch.run("wmethod", &arguments).status(2).says(said);
    }
}
