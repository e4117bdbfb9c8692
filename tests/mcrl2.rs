//! Commands under mCRL2's names, run as its users run them.

use crate::util;

use std::fs;

use util::{Run, Scratch};

/// A scratch directory with two systems in mCRL2's spelling, and a directory of links.
fn prepared() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .run("hyades", &["install-links", "--mcrl2", "links"])
        .status(0);
    // One lets the environment choose, the other chooses itself, and nobody reaches state 4.
    scratch.write(
        "late.aut",
        "des (0,4,5)\n(0,\"put(1)\",1)\n(1,\"get(1)\",0)\n(1,\"tau\",2)\n(4,\"put(1)\",0)\n",
    );
    scratch.write(
        "early.aut",
        "des (0,4,4)\n(0,\"put(1)\",1)\n(0,\"put(1)\",2)\n(1,\"get(1)\",0)\n(2,\"tau\",3)\n",
    );
    scratch
}

/// Runs a script with the links first in PATH.
fn shell(scratch: &Scratch, script: &str) -> Run {
    scratch.shell(&format!("PATH=$PWD/links:$PATH\n{script}"))
}

#[test]
fn ltsconvert_converts_minimises_and_makes_deterministic() {
    let scratch = prepared();
    // What cannot be reached is left out, unless it is to stay.
    let first = |options: &str| {
        let run = shell(&scratch, &format!("ltsconvert {options} | head -n 1")).status(0);
        run.text().trim_end().to_owned()
    };
    assert_eq!(first("late.aut"), "des (0, 3, 3)");
    assert_eq!(first("--no-reach late.aut -"), "des (0, 4, 5)");
    assert_eq!(first("-ebisim < late.aut"), "des (0, 3, 3)");
    assert_eq!(
        first("--equivalence=bisim --no-reach late.aut"),
        "des (0, 4, 4)"
    );
    assert_eq!(
        first("--tau=get,put -ebranching-bisim late.aut"),
        "des (0, 0, 1)"
    );
    assert_eq!(first("-D early.aut"), "des (0, 3, 3)");
    assert_eq!(first("-edeterminisation early.aut"), "des (0, 3, 3)");
    assert_eq!(first("-ebisim -D -q early.aut"), "des (0, 3, 3)");
    assert_eq!(first("--tau=put,get -etau-scc late.aut"), "des (0, 1, 2)");
    // The hidden action reads `tau`, and the ending of the output tells the format: .lts by
    // default.
    let run = shell(
        &scratch,
        "ltsconvert late.aut x.fsm && ltsconvert x.fsm y && ltsconvert --out=aut --in=lts y",
    );
    assert!(run.status(0).text().contains("(1, tau, 2)"));
    let run = shell(&scratch, "ltsconvert y z.lts --timings=t.txt");
    run.status(0).says("--timings has no effect");
    for wrong in [
        "-ebogus late.aut",
        "late.aut x.aut y.aut",
        "--bogus",
        "gone.aut",
        "-etrace-ac x",
    ] {
        shell(&scratch, &format!("ltsconvert {wrong}")).status(1);
    }
}

#[test]
fn state_vectors_stay_unless_they_are_not_wanted() {
    let scratch = prepared();
    scratch.write("abp.lts", fs::read("testdata/mcrl2/abp.lts").unwrap());
    let lines = |script: &str| shell(&scratch, script).status(0).text().lines().count();
    let with = lines("ltsconvert abp.lts a.fsm && cat a.fsm");
    let without = lines("ltsconvert -n abp.lts b.fsm && cat b.fsm");
    assert!(with > without, "{with} {without}");
    shell(&scratch, "ltsinfo -l abp.lts")
        .status(0)
        .says("Number of states: 74.")
        .says("Number of action labels: 20 (including a tau label).")
        .says("Number of state labels: 74.")
        .says("0: (1, d1, true");
    shell(&scratch, "ltsinfo -ab late.aut")
        .status(0)
        .says("There are no state labels.")
        .says("some states are not reachable")
        .says("LTS is deterministic.")
        .says("tau\nput(1)\nget(1)\n")
        .says("min: 0, max: 2, median: 1 and average: 0.8");
    shell(&scratch, "ltsinfo -b abp.lts")
        .status(0)
        .says("LTS is not deterministic.")
        .says("average: 1.24324\n");
}

#[test]
fn ltscompare_prints_the_verdict_and_writes_counterexamples() {
    let scratch = prepared();
    let run = shell(&scratch, "ltscompare -ebisim -c late.aut early.aut").status(0);
    assert_eq!(run.text(), "false\n");
    run.says("LTSs are not equal (bisim)");
    // The formula is in the language of mCRL2, and holds in the first file only.
    let verdicts = || {
        ["late.aut", "early.aut"].map(|file| {
            let words = ["--dialect", "mcrl2", file, "Counterexample.mcf"];
            scratch.run("check", &words).text().to_owned()
        })
    };
    assert_eq!(verdicts(), ["TRUE\n", "FALSE\n"]);
    shell(&scratch, "ltscompare -cebranching-bisim early.aut late.aut").status(0);
    assert_eq!(verdicts(), ["FALSE\n", "TRUE\n"]);
    // What is there stays.
    let run = shell(&scratch, "ltscompare -etrace -c late.aut early.aut").status(0);
    assert_eq!(run.text(), "true\n");
    assert!(scratch.path("Counterexample.mcf").exists());

    let run = shell(&scratch, "ltscompare -pweak-failures -c early.aut late.aut").status(0);
    assert_eq!(run.text(), "true\n");
    run.says("The LTS in early.aut is included in the LTS in late.aut (using weak-failures).");
    scratch.write("stop.aut", "des (0,0,1)\n");
    let run = shell(&scratch, "ltscompare -pweak-failures -c stop.aut late.aut").status(0);
    assert_eq!(run.text(), "false\n");
    let file = scratch.path("counter_example_weak_failures_refinement.trc");
    assert_eq!(fs::read(file).unwrap(), b"");
    let run = shell(
        &scratch,
        "ltscompare -p trace-ac -s b --counter-example --counter-example-file=t late.aut stop.aut",
    );
    assert_eq!(run.status(0).text(), "false\n");
    assert_eq!(scratch.read("t"), "put(1)\n");

    let quiet = shell(
        &scratch,
        "ltscompare -q --tau=put,get -eweak-bisim late.aut stop.aut 2>&1",
    );
    assert_eq!(quiet.status(0).text(), "true\n");
    assert_eq!(
        shell(&scratch, "ltscompare -ebisim late.aut < late.aut")
            .status(0)
            .text(),
        "true\n"
    );
    for wrong in [
        "late.aut early.aut",
        "-enone late.aut early.aut",
        "-ebisim -psim late.aut early.aut",
        "-ebisim - -",
        "-ebisim -i aut -j fsm late.aut early.aut",
        "-ebisim late.aut gone.aut",
        "-ebisim",
    ] {
        let run = shell(&scratch, &format!("ltscompare {wrong}"));
        assert_eq!(run.status(1).text(), "", "{wrong}");
    }
    // A long counterexample is not nested, and the order of actions does not matter.
    let chain = |last: &str| {
        let mut text = "des (0,2000,2001)\n".to_owned();
        for k in 0..2000 {
            let label = if k == 1999 { last } else { "b|a" };
            text.push_str(&format!("({k},\"{label}\",{})\n", k + 1));
        }
        text
    };
    for (name, last) in [("c", "a|c"), ("same", "c|a"), ("other", "d|a")] {
        scratch.write(&format!("{name}.aut"), chain(last));
    }
    let run = shell(
        &scratch,
        "ltscompare -ebisim c.aut same.aut; ltscompare -cebisim c.aut other.aut",
    );
    assert_eq!(run.status(0).text(), "true\nfalse\n");
    for (file, verdict) in [("c.aut", "TRUE\n"), ("other.aut", "FALSE\n")] {
        let words = ["--dialect", "mcrl2", file, "Counterexample.mcf"];
        assert_eq!(scratch.run("check", &words).text(), verdict);
    }
    // Labels that are no actions of mCRL2 have no place in its formulas.
    scratch.write("odd.aut", "des (0,1,2)\n(0,\"A !1\",1)\n");
    shell(&scratch, "ltscompare -c -ebisim odd.aut stop.aut")
        .status(0)
        .says("Counterexample.mcf is not written");
}

#[test]
fn traces_are_converted() {
    let scratch = prepared();
    scratch.write("t.trc", "put(1)\ntau\nb|a\n");
    shell(&scratch, "tracepp t.trc")
        .status(0)
        .prints("put(1)\ntau\nb|a\n");
    shell(&scratch, "tracepp -f aut - out.aut < t.trc && cat out.aut")
        .status(0)
        .prints("des (0, 3, 4)\n(0, \"put(1)\", 1)\n(1, tau, 2)\n(2, \"b|a\", 3)\n");
    shell(
        &scratch,
        "tracepp --format=dot t.trc | transcode --dialect mcrl2 --from dot --to trc",
    )
    .status(0)
    .prints("put(1)\ntau\nb|a\n");
    for (format, advice) in [("states", "FILE.fsm"), ("mcrl2", "--format=plain")] {
        shell(&scratch, &format!("tracepp --format={format} t.trc x"))
            .status(1)
            .says(advice);
        assert!(!scratch.path("x").exists());
    }
    shell(&scratch, "tracepp none.trc")
        .status(1)
        .says("none.trc: No such file");
}

#[test]
fn links_of_one_kind_at_a_time() {
    let scratch = prepared();
    for name in ["ltscompare", "ltsconvert", "ltsinfo", "tracepp"] {
        assert!(scratch.path("links").join(name).exists(), "{name}");
    }
    assert!(!scratch.path("links/bcg_io").exists());
    scratch
        .run("hyades", &["install-links", "--mcrl2", "--own", "x"])
        .status(2)
        .says("--mcrl2 and --own exclude each other");
    scratch
        .run("hyades", &["ltsinfo", "late.aut"])
        .status(0)
        .says("Number of states: 5.");
    scratch.run("hyades", &["help", "ltscompare"]).status(0);
}
