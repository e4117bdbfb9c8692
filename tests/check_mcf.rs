//! `check` on modal formulas of mCRL2, run as a user runs it.

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
