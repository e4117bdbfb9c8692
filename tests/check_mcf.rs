//! `check` on modal formulas of mCRL2, run as a user runs it.

use std::collections::BTreeSet;

use hyades_testing::Random;

use crate::util;

use util::Scratch;

const QUEUE: &str =
    "des (0,4,3)\n(0,\"put(1)\",1)\n(1,\"put(7)|full\",2)\n(2,\"tau\",0)\n(1,\"get(1)\",0)\n";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("queue.aut", QUEUE);
    scratch.write("live.mcf", "% always\n[true*]<true>true\n");
    scratch
}

#[test]
fn by_ending_and_by_option() {
    let scratch = scratch();
    scratch
        .run("check", &["queue.aut", "live.mcf", "--hidden", "tau"])
        .ok()
        .prints("TRUE\n");
    let of_text = |text, options: &[&str]| {
        let arguments = ["queue.aut", "--syntax", "mcf", "-f", text];
        scratch.run("check", &[&arguments, options].concat())
    };
    of_text("<put(1) . full|put(7)>true", &["--hidden", "tau"])
        .ok()
        .prints("TRUE\n");
    of_text("<put(1) . put(7)>true", &[])
        .status(1)
        .prints("FALSE\n");
    let hidden = "<put(1) . full|put(7) . tau>true";
    of_text(hidden, &["--hidden", "tau"]).ok();
    of_text(hidden, &["--dialect", "mcrl2"]).ok();
    of_text(hidden, &[]).status(1);
    // The other language is the one of -f.
    scratch
        .run("check", &["queue.aut", "-f", "<put(1)>true"])
        .status(2)
        .says("-f:1:2: ");
    scratch.write("f.txt", "forall n: Nat. <put(n)>true");
    scratch
        .run(
            "check",
            &["queue.aut", "--syntax", "mcf", "--formula", "f.txt"],
        )
        .status(1)
        .prints("FALSE\n");
}

#[test]
fn refused_before_the_input_is_opened() {
    let scratch = scratch();
    scratch.write("time.mcf", "[true*]\n [a@3]false");
    scratch
        .run("check", &["missing.aut", "time.mcf"])
        .status(2)
        .says("time.mcf:2:4: found `@`: time is not supported");
}

#[test]
fn values_are_those_of_labels_or_of_the_user() {
    let scratch = scratch();
    let run = |options: &[&str]| {
        let arguments = ["queue.aut", "--hidden", "tau", "--syntax", "mcf"];
        scratch.run("check", &[&arguments, options].concat())
    };
    let all = "forall n: D. <true* . put(n)>true";
    run(&["-f", all]).status(1).prints("FALSE\n");
    run(&["-f", all, "--values", "D=1"]).ok().prints("TRUE\n");
    run(&["-f", all, "--values", "D=1", "--values", "D=2,3"]).status(1);
    run(&["-f", all, "--values", "Nat=1"])
        .status(1)
        .says("no formula of mCRL2 has a quantified variable of this sort [check-unused-values]");
    run(&["-f", "forall n: Nat. <put(n)>true", "--values", "Nat=-1"])
        .status(2)
        .says("`-1` is no value of the sort Nat");
    run(&["-f", "forall n: E. <stop(n)>true"])
        .status(0)
        .says("mcf-domain-empty");
    run(&["-f", "[true] forall n: E. <true>true && true"]).says("check-mcf-scope");
    run(&[
        "-f",
        "forall n: D. exists m: Nat. val(m + 1 == 2)",
        "--values",
        "D=1",
    ])
    .says("mcf-domain-approximate");
}

#[test]
fn labels_of_networks_are_known() {
    let scratch = scratch();
    scratch.write("net.exp", "\"queue.aut\" ||| \"queue.aut\"");
    let scratch_run = |f: &str| scratch.run("check", &["net.exp", "--syntax", "mcf", "-f", f]);
    scratch_run("exists n: D. <true* . get(n)>true").status(0);
    scratch_run("forall n: D. <true* . put(n)>true").status(1);
}

#[test]
fn parameters_without_bound() {
    let scratch = scratch();
    scratch
        .run(
            "check",
            &[
                "queue.aut",
                "--syntax",
                "mcf",
                "--max-instances",
                "1000",
                "-f",
                "nu X(n: Nat = 0). [true]X(n + 1) && val(n < 1000000)",
            ],
        )
        .status(3)
        .prints("UNKNOWN\n")
        .says("--max-instances");
}

#[test]
fn formulas_are_printed_to_be_read() {
    let scratch = scratch();
    let text = "sort D = struct a | b;\nform (forall d: D. <put(d)>true) && <put(1)>true;\n";
    scratch.write("f.mcf", format!("act put: D;{text}"));
    scratch
        .run("check", &["--expand", "f.mcf"])
        .ok()
        .prints(text);
}

/// Values are those of labels that can occur: what cannot be reached is no part of an LTS.
#[test]
fn unreachable_labels_have_no_values() {
    let scratch = Scratch::new();
    scratch.write(
        "far.aut",
        "des (0, 4, 4)\n(0, \"a(d1)\", 1)\n(1, \"b(d1)\", 0)\n(2, \"a(d2)\", 3)\n(3, \"a(9)\", 2)\n",
    );
    let formulas = [
        ("forall d: D. <true* . a(d)>true", "TRUE\n"),
        ("exists d: D. [true* . a(d)]false", "FALSE\n"),
        ("exists d: D. forall e: D. <a(e)>true", "TRUE\n"),
    ];
    scratch.run("minimize", &["far.aut", "-o", "near.aut"]).ok();
    for (formula, verdict) in formulas {
        for options in [
            &["far.aut"][..],
            &["near.aut"],
            &["far.aut", "-e", "strong"],
        ] {
            let words = [&["-q", "--syntax", "mcf", "-f", formula], options].concat();
            scratch.run("check", &words).prints(verdict);
        }
    }
    // Renamed as they are.
    let words = [
        "-q",
        "far.aut",
        "--rename-label",
        "b(d1) -> a(d3)",
        "--syntax",
        "mcf",
        "-f",
        "exists d: D. val(d == d3) && <a(d1)><a(d)>true",
    ];
    scratch.run("check", &words).ok();
}

/// Networks have the verdicts of their state spaces: also where some of the labels that they
/// may have never occur.
#[test]
fn networks_have_the_verdicts_of_their_state_spaces() {
    let scratch = Scratch::new();
    let formulas = [
        "forall d: D. <true* . a(d)>true",
        "exists d: D. [true* . a(d)]false",
        "[true*]exists d: D. <b(d, 1)>true || <exists n: Nat. a(n)>true",
        "forall d: D. [true* . a(d)](exists e: D. val(e != d) && <true* . b(e, 0)>true)",
        "exists n: Nat. <true* . a(n + 1)>true",
        "forall n: Nat. <true*>(exists d: D. <b(d, n)>true) || val(n > 1)",
        "forall n, m: Nat. val(n < m) => ([true* . a(n)]false || <true* . a(m)>true)",
        "exists n: Nat. forall m: Nat. val(m <= n)",
        "[exists d: D. a(d) && val(d != d1)]false",
        "nu X(e: D = d1). forall d: D. [a(d)](val(d != e) || X(d))",
    ];
    let mut words = vec!["--syntax", "mcf"];
    for formula in formulas {
        words.extend(["-f", formula]);
    }
    let mut differs = 0;
    for seed in 0..40 {
        let random = &mut Random::new(seed);
        let labels = ["a(d1)", "a(d2)", "a(2)", "b(d1, 0)", "b(d3, 1)", "c", "i"];
        for name in ["l.aut", "r.aut"] {
            let states = random.between(2, 4);
            let mut text = String::new();
            let count = random.between(2, 6);
            for _ in 0..count {
                let [source, target] = [(); 2].map(|()| random.between(0, states - 1));
                let label = labels[random.between(0, labels.len() - 1)];
                text += &format!("({source}, \"{label}\", {target})\n");
            }
            scratch.write(name, format!("des (0, {count}, {states})\n{text}"));
        }
        let gates = ["\"a\"", "\"b\"", "\"a\", \"c\""][random.between(0, 2)];
        scratch.write("n.exp", format!("\"l.aut\" |[{gates}]| \"r.aut\"\n"));
        scratch.run("reach", &["-q", "n.exp", "-o", "n.aut"]).ok();
        let verdicts = |input: &[&str]| {
            let run = scratch.run("check", &[&["-q"], input, &words[..]].concat());
            assert!(!run.text().contains("UNKNOWN"), "{seed}: {}", run.stderr);
            run.text().to_owned()
        };
        let expected = verdicts(&["n.aut"]);
        for options in [&["n.exp"][..], &["n.exp", "--por", "branching"]] {
            assert_eq!(verdicts(options), expected, "{seed}: {options:?}");
        }
        // What all labels that there may be would have said.
        let run = scratch.run("reach", &["-q", "--labels", "n.exp"]).ok();
        let all: BTreeSet<&str> = run.text().lines().collect();
        let found = scratch.read("n.aut");
        differs += usize::from(all.iter().any(|label| !found.contains(label)));
    }
    assert!(differs > 5, "{differs}");
}

/// Where a limit is reached before it is known which labels occur, there is no verdict, but
/// where values are given, or do not matter.
#[test]
fn values_of_networks_may_not_be_known() {
    let scratch = Scratch::new();
    scratch.write(
        "l.aut",
        "des (0, 3, 4)\n(0, c, 1)\n(1, \"a(d1)\", 2)\n(2, \"a(d2)\", 3)\n",
    );
    scratch.write("n.exp", "par \"a(d2)\" in \"l.aut\" || \"r.aut\" end par\n");
    scratch.write("r.aut", "des (0, 1, 2)\n(0, \"a(d1)\", 1)\n");
    let check = |formula: &str, more: &[&str]| {
        let words = ["n.exp", "--syntax", "mcf", "-f", formula];
        scratch.run("check", &[&words, more].concat())
    };
    let formula = "exists d: D. <true* . a(d)>true";
    check(formula, &["-q"]).ok().prints("TRUE\n");
    check(formula, &["--max-states", "2"])
        .status(3)
        .prints("UNKNOWN\n")
        .says("--max-states");
    check(formula, &["-q", "--max-states", "3", "--values", "D=d1"]).ok();
    check("[exists n: Nat. a(n)]false", &["-q", "--max-states", "2"])
        .ok()
        .prints("TRUE\n");
    check(formula, &["--max-states", "2", "--matched-labels"])
        .status(2)
        .says("the values of its variables are not known");
}

/// Values that a symmetry may exchange are not quantified over; other formulas hold up to
/// symmetry as they do in the network.
#[test]
fn quantified_values_are_refused_up_to_symmetry() {
    let scratch = Scratch::new();
    for d in ["d1", "d2"] {
        scratch.write(
            &format!("{d}.aut"),
            format!("des (0, 3, 3)\n(0, \"a({d})\", 1)\n(1, \"b({d}, 0)\", 2)\n(2, c, 0)\n"),
        );
    }
    scratch.write("n.exp", "\"d1.aut\" |[\"c\"]| \"d2.aut\"\n");
    let check = |formula: &str, more: &[&str]| {
        let words = ["-q", "n.exp", "--syntax", "mcf", "-f", formula];
        scratch.run("check", &[&words, more].concat())
    };
    for (formula, place) in [
        ("exists d: D. <true* . a(d)>true", "a(d)"),
        (
            "forall n: Nat. [true* . exists d: D. b(d, n)]false",
            "(exists d: D. b(d, n))",
        ),
    ] {
        let alone = check(formula, &[]);
        let status = alone.status.code().expect("it ends by itself");
        let words = [
            "n.exp",
            "--syntax",
            "mcf",
            "-f",
            formula,
            "--symmetry",
            "auto",
        ];
        scratch
            .run("check", &words)
            .status(status)
            .prints(alone.text())
            .says(&format!("`{place}"))
            .says("is about values, which --symmetry exchanges: decided without --symmetry");
    }
    for formula in [
        "<true* . (a(d1) || a(d2)) . (a(d1) || a(d2))>true",
        "[true* . c]false",
        "[exists d: D. a(d)]false",
    ] {
        let alone = check(formula, &[]);
        let status = alone.status.code().expect("it ends by itself");
        check(formula, &["--symmetry", "auto"])
            .status(status)
            .prints(alone.text());
    }
}
