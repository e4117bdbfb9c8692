//! Tools in the style of OPEN/CAESAR, run as CADP's users run them.

use crate::util;

use util::{Run, Scratch};

/// A scratch directory with `vending.aut`, two systems that differ, and links.
fn prepared() -> Scratch {
    let scratch = Scratch::with_vending();
    scratch
        .run("hyades", &["install-links", "--refusing", "links"])
        .ok();
    let a = "des (0, 3, 3)\n(0, A, 1)\n(1, i, 2)\n(2, \"B !1\", 0)\n";
    let b = "des (0, 2, 2)\n(0, A, 1)\n(1, \"B !1\", 0)\n";
    let c = "des (0, 3, 3)\n(0, A, 1)\n(1, \"B !1\", 0)\n(1, \"B !2\", 2)\n";
    for (name, text) in [("a", a), ("b", b), ("c", c)] {
        scratch.write(&format!("{name}.aut"), text);
        scratch
            .run(
                "transcode",
                &[&format!("{name}.aut"), "-o", &format!("{name}.bcg")],
            )
            .ok();
    }
    scratch
}

/// Runs a script with the links first in PATH.
fn shell(scratch: &Scratch, script: &str) -> Run {
    scratch.shell(&format!("PATH=$PWD/links:$PATH\n{script}"))
}

/// What public programs run, and what they read afterwards, each in a directory of its own.
#[test]
fn lines_of_existing_programs() {
    let equal = "bcg_open \"a.bcg\" bisimulator -equal -branching -diag \"b.bcg\"";
    let scratch = prepared();
    shell(&scratch, equal).ok().prints("TRUE\n");
    assert!(!scratch.path("bisimulator.bcg").exists());
    let scratch = prepared();
    shell(
        &scratch,
        "bcg_open \"a.bcg\" bisimulator -equal -branching -diag \"c.bcg\"",
    )
    .ok()
    .prints("FALSE\n\"A\"\n\"B !2\"\n");
    shell(&scratch, "bcg_io bisimulator.bcg -aut -")
        .ok()
        .prints("des (0, 2, 3)\n(0, A, 1)\n(1, \"B !2\", 2)\n");
    // What the one leaves is none of the next one's.
    shell(&scratch, equal).ok().prints("TRUE\n");
    assert!(!scratch.path("bisimulator.bcg").exists());
}

/// A diagnostic of an earlier run is none of this one's.
#[test]
fn diagnostics_are_those_of_this_run() {
    let scratch = prepared();
    for (formula, verdict) in [
        ("true", "TRUE\n"),
        ("false", "FALSE\n"),
        ("[ true* ] < true > true", "TRUE\n"),
        ("[ \"A\" ] false", "FALSE\n"),
    ] {
        scratch.write("f.mcl", formula);
        scratch.write("evaluator.bcg", "of another run");
        let run = shell(&scratch, "bcg_open a.bcg evaluator4 -diag f.mcl").ok();
        assert!(run.text().starts_with(verdict), "{formula}: {}", run.text());
        let left = std::fs::read(scratch.path("evaluator.bcg")).unwrap_or_default();
        assert_ne!(left, b"of another run", "{formula}");
    }
    // One that is a sequence is printed, and of two orders of search the last one counts.
    shell(&scratch, "bcg_open a.bcg evaluator4 -dfs -bfs -diag f.mcl")
        .ok()
        .prints("FALSE\n\"A\"\n");
    scratch.write("bisimulator.bcg", "of another run");
    shell(&scratch, "bcg_open a bisimulator -diag nowhere").status(1);
    assert_eq!(scratch.read("bisimulator.bcg"), "of another run");
    for (arguments, verdict) in [("a b", "TRUE\n"), ("a c", "FALSE\n")] {
        scratch.write("cmp.bcg", "of another run");
        let run = shell(
            &scratch,
            &format!("bcg_cmp -branching -diag cmp.bcg {arguments}"),
        )
        .ok();
        assert!(run.text().starts_with(verdict), "{}", run.text());
        assert_eq!(scratch.path("cmp.bcg").exists(), verdict == "FALSE\n");
    }
}

/// What a reduction of exp.open does not keep is told where it is asked for.
#[test]
fn reductions_that_do_not_keep_an_answer_are_told() {
    let scratch = prepared();
    scratch.write("n.exp", "a.bcg ||| c.bcg\n");
    for (option, relation, is_told) in [
        ("", "-strong", false),
        ("-branching", "-strong", true),
        ("-branching", "-branching", false),
        ("-branching", "-observational", false),
        ("-weaktrace", "-weaktrace", false),
        ("-weaktrace", "-safety", true),
        ("-deadpreserving", "-weaktrace", true),
    ] {
        let line = format!("exp.open {option} n.exp bisimulator {relation} a.bcg");
        let run = shell(&scratch, &line).status(0);
        let is_there = run.stderr.contains(&format!("{option} does not keep"));
        assert_eq!(
            is_there && !option.is_empty(),
            is_told,
            "{line}: {}",
            run.stderr
        );
    }
    for (option, relation, is_told) in [
        ("-branching", "-strong", true),
        ("-branching", "-taustar", false),
        ("-branching", "-taudivergence", false),
        ("-branching", "-taucompression -total", false),
        ("-weaktrace", "-weaktrace", false),
        ("-weaktrace", "", true),
        ("-deadpreserving", "-safety", true),
        ("", "-strong", false),
    ] {
        let line = format!("exp.open {option} n.exp reductor {relation} r.bcg");
        let run = shell(&scratch, &line).status(0);
        let about = format!("{option} does not keep");
        let is_there = !option.is_empty() && run.stderr.contains(&about);
        assert_eq!(is_there, is_told, "{line}: {}", run.stderr);
        if is_told {
            run.says("the result is about what it leaves of n.exp");
        }
    }
    for (option, is_told) in [("-branching", true), ("", false)] {
        let line = format!("echo '\"A\"' | exp.open {option} n.exp exhibitor");
        let run = shell(&scratch, &line).status(0);
        let is_there = run
            .stderr
            .contains("what is shown is about what it leaves of n.exp");
        assert_eq!(is_there, is_told, "{line}: {}", run.stderr);
        run.prints("\"A\"\n");
    }
    // Evaluators take a reduction for formulas that it keeps.
    for (formula, is_told) in [("< true > < tau > true", true), ("DEADLOCK_FREE", false)] {
        scratch.write("f.mcl", formula);
        let run = shell(&scratch, "exp.open -branching n.exp evaluator4 f.mcl").status(0);
        let is_there = run.stderr.contains("decided without it");
        assert_eq!(is_there, is_told, "{formula}: {}", run.stderr);
    }
    shell(&scratch, "exp.open --case n.exp generator x.bcg")
        .status(1)
        .says("unknown option `--case`; here it is -case");
    shell(&scratch, "bcg_open a generator --lenient x.bcg")
        .status(1)
        .says("unknown option `--lenient`: these are CADP's options");
}

/// What version 3 does not read is told under the names of its evaluators only.
#[test]
fn evaluators_tell_what_version_4_has() {
    let scratch = prepared();
    scratch.write("old.mcl", "< true* . \"B !1\" > true\n");
    scratch.write("new.mcl", "< true* . { B ?n:Nat where n > 0 } > true\n");
    for (tool, file, is_told) in [
        ("evaluator", "new", true),
        ("evaluator3", "new", true),
        ("evaluator4", "new", false),
        ("evaluator5", "new", false),
        ("evaluator", "old", false),
        ("evaluator3", "old", false),
    ] {
        let run = shell(&scratch, &format!("bcg_open a {tool} {file}"));
        let run = run.status(0).prints("TRUE\n");
        let is_there = run.stderr.contains("of version 4 of MCL") && run.stderr.contains(tool);
        assert_eq!(is_there, is_told, "{tool} {file}: {}", run.stderr);
    }
    // What is printed is named as it is asked for.
    let run = shell(&scratch, "bcg_open a evaluator4 -labels -expand old").status(1);
    run.says("-labels and -expand print different things");
    shell(&scratch, "bcg_open a evaluator4 -expand -expand old").ok();
}

/// The same for the evaluators.
#[test]
fn evaluators_become_check() {
    let scratch = prepared();
    scratch.write("f.mcl", "< true* . \"B !2\" > true\n");
    let unused = "\"B !2\" matches no label";
    let run = shell(&scratch, "bcg_open \"a.bcg\" evaluator4 -diag \"f.mcl\"");
    assert_eq!(run.status(0).says(unused).text(), "FALSE\n");
    for tool in ["evaluator", "evaluator3", "evaluator4"] {
        let run = shell(&scratch, &format!("bcg_open c {tool} -bfs -diag w.bcg f"));
        let run = run.ok();
        assert!(run.text().starts_with("TRUE\n"), "{}", run.text());
    }
    assert!(scratch.path("w.bcg").exists());
    scratch.write("hide.hid", "hide\n\"B !2\"\n");
    let run = shell(
        &scratch,
        "bcg_open c.bcg evaluator4 -hide -total hide f.mcl",
    );
    assert_eq!(run.status(0).says(unused).text(), "FALSE\n");
    shell(&scratch, "bcg_open c.bcg evaluator4 missing.mcl").status(1);
    shell(&scratch, "bcg_open c.bcg evaluator4 missing")
        .status(1)
        .says("missing.mcl");
    // Any name, and standard input.
    scratch.write("live.prop", "< true* . \"B !2\" > true\n");
    scratch.write("plain", "false\n");
    for (line, verdict) in [
        ("bcg_open c.bcg evaluator4 live.prop", "TRUE\n"),
        ("bcg_open c.bcg evaluator4 plain", "FALSE\n"),
        ("bcg_open c.bcg evaluator4 - < live.prop", "TRUE\n"),
        ("bcg_open c.bcg evaluator4 - < plain", "FALSE\n"),
    ] {
        shell(&scratch, line).ok().prints(verdict);
    }
    scratch.write("plain.mcl", "true\n");
    shell(&scratch, "bcg_open c.bcg evaluator4 plain")
        .ok()
        .prints("TRUE\n");
    scratch.write("m.mcl", "macro ONCE (A) = < A > true end_macro\n");
    scratch.write("g.mcl", "library m.mcl end_library ONCE (\"A\")\n");
    let printed = [
        ("-depend", "m.mcl\n"),
        ("-expand", "(< \"A\" > true)\n"),
        ("-labels", "\"A\":\n    A\n"),
    ];
    for (option, text) in printed {
        let run = shell(
            &scratch,
            &format!("bcg_open c.bcg evaluator4 {option} g.mcl"),
        );
        run.ok().prints(text);
    }
}

#[test]
fn state_spaces_are_generated() {
    let scratch = prepared();
    shell(&scratch, "bcg_open a generator x && bcg_io x.bcg -aut -")
        .ok()
        .prints("des (0, 3, 3)\n(0, A, 1)\n(1, i, 2)\n(2, \"B !1\", 0)\n");
    // Any format, options of the C compiler, actions from left to right.
    scratch.write("h.hid", "hide\nA\n");
    scratch.write("r.ren", "rename\n\"B !\\(.*\\)\" -> \"C !\\1\"\n");
    shell(
        &scratch,
        "bcg_open -create a.aut -O -lm -D X=1 generator -monitor -hide h -rename -total r.ren y.aut \
         && cat y.aut",
    )
    .ok()
    .prints("des (0, 3, 3)\n(0, i, 1)\n(1, i, 2)\n(2, \"C !1\", 0)\n");
    // Networks, with their options, and traces.
    scratch.write("n.exp", "\"a.bcg\" |[A]| \"b.bcg\"\n");
    shell(
        &scratch,
        "exp.open n generator n.bcg && bcg_info -size n.bcg",
    )
    .ok();
    shell(
        &scratch,
        "exp.open -branching n.exp generator m.bcg && bcg_cmp -branching n.bcg m.bcg",
    )
    .ok()
    .prints("TRUE\n");
    shell(&scratch, "exp.open -info n | head -n 1")
        .ok()
        .prints("components: 2\n");
    shell(&scratch, "exp.open -depend n")
        .ok()
        .prints("n.exp\na.bcg\nb.bcg\n");
    scratch.write("t.seq", "\"A\"\n[]\n\"B !1\"\n\"A\"\n");
    shell(
        &scratch,
        "seq.open -seqno 2 -cache 10 t generator t.aut && cat t.aut",
    )
    .ok()
    .prints("des (0, 2, 3)\n(0, \"B !1\", 1)\n(1, A, 2)\n");
    shell(&scratch, "bcg_open a.bcg -").ok().prints("");
}

#[test]
fn state_spaces_are_reduced() {
    let scratch = prepared();
    let reduced = |options: &str, input: &str| {
        let script = format!("bcg_open {input} reductor {options} r.aut && cat r.aut");
        shell(&scratch, &script)
    };
    // The default leaves out hidden transitions.
    let without = "des (0, 2, 2)\n(0, A, 1)\n(1, \"B !1\", 0)\n";
    reduced("", "a").ok().prints(without);
    reduced("-taustar -total", "a").ok().prints(without);
    reduced("-tauconfluence", "a").ok().prints(without);
    reduced("-strong", "a").ok().prints(&scratch.read("a.aut"));
    reduced("-weaktrace", "a").ok().prints(without);
    scratch.write("d.aut", "des (0, 2, 3)\n(0, A, 1)\n(0, A, 2)\n");
    reduced("-strong -total -class d.txt", "d.aut")
        .ok()
        .prints("des (0, 1, 2)\n(0, A, 1)\n");
    assert!(scratch.path("d.txt").exists());
    reduced("-trace", "d.aut")
        .ok()
        .prints("des (0, 1, 2)\n(0, A, 1)\n");
    // Labels change afterwards: what becomes hidden stays.
    scratch.write("h.hid", "hide\nA\n");
    reduced("-taustar -hide h.hid", "a")
        .ok()
        .prints("des (0, 2, 2)\n(0, i, 1)\n(1, \"B !1\", 0)\n");
    for (options, says) in [
        ("-trace -total", "-total does not go with -trace"),
        ("-class x", "-class is for -total"),
        ("-branching", "reductor has no -branching"),
        ("-rate", "-rate is not supported"),
        ("-nonsense", "unknown option `-nonsense`"),
    ] {
        reduced(options, "a").status(1).says(says);
    }
}

#[test]
fn systems_are_compared_both_ways() {
    let scratch = prepared();
    for (first, options, second, verdict) in [
        ("b", "-strong", "b", "TRUE"),
        ("a", "", "b", "FALSE"),
        ("a", "-observational", "b.aut", "TRUE"),
        ("a", "-taustar", "b", "TRUE"),
        ("a", "-safety", "b", "TRUE"),
        ("a", "-weaktrace", "c", "FALSE"),
        ("b", "-smaller", "c", "TRUE"),
        ("b", "-greater", "c", "FALSE"),
        ("c", "-greater -strong", "b", "TRUE"),
        ("a", "-smaller -weaktrace -dfs", "c", "TRUE"),
        ("a", "-smaller -branching", "c", "TRUE"),
        ("c", "-smaller -trace", "b", "FALSE"),
    ] {
        shell(
            &scratch,
            &format!("bcg_open {first} bisimulator {options} {second}"),
        )
        .ok()
        .prints(&format!("{verdict}\n"));
    }
    shell(&scratch, "bcg_open a bisimulator -diag x.bcg -strong b").ok();
    assert!(scratch.path("x.bcg").exists());
    shell(&scratch, "bcg_open a bisimulator missing")
        .status(1)
        .says("missing.bcg");
    shell(&scratch, "bcg_open missing bisimulator a")
        .status(1)
        .says("missing.bcg");
    shell(&scratch, "bcg_open a bisimulator")
        .status(1)
        .says("the name of the LTS to compare with is missing");
    shell(&scratch, "bcg_open a bisimulator -bes x b")
        .status(1)
        .says("-bes is not supported");
}

#[test]
fn paths_are_searched_for() {
    let scratch = prepared();
    let exhibited = |options: &str, pattern: &str| {
        scratch.write("p.seq", pattern);
        shell(&scratch, &format!("bcg_open c exhibitor {options} < p.seq"))
    };
    exhibited("", "<until> \"b !2\"\n")
        .ok()
        .prints("\"A\"\n\"B !2\"\n");
    exhibited("-case -bfs", "<until> \"b !2\"\n")
        .ok()
        .prints("");
    exhibited("-depth 1", "<until> \"B !2\"\n").ok().prints("");
    // Names of classes stay as they are.
    exhibited("", "[[[:alpha:]]*]\n").ok().prints("\"A\"\n");
    exhibited("-seqno 2 -all -depth 2", "\"A\"\n[]\n<any>*\n<deadlock>\n")
        .ok()
        .prints("\"A\"\n\"B !2\"\n<deadlock>\n");
    exhibited("", "<any>*\n")
        .status(0)
        .prints("")
        .says("the pattern matches the path without transitions");
    exhibited("-seqno 2", "\"A\"\n[]\n<any>*\n<deadlock>\n")
        .ok()
        .prints("\"A\"\n\"B !2\"\n<deadlock>\n");
    exhibited("", "(\n").status(1).says(":1:2: error: expected");
    shell(
        &scratch,
        "bcg_open c terminator -order 1 -hash 100 w.seq && cat w.seq",
    )
    .ok()
    .prints("TRUE\n\"A\"\n\"B !2\"\n<deadlock>\n\"A\"\n\"B !2\"\n");
    // An old result is none of this system.
    scratch.write("old.bcg", "old");
    shell(&scratch, "bcg_open b terminator old.bcg")
        .status(0)
        .prints("FALSE\n");
    assert!(!scratch.path("old.bcg").exists());
    shell(&scratch, "bcg_open b terminator")
        .ok()
        .prints("FALSE\n");
    // Hidden steps count, and are not shown.
    shell(&scratch, "bcg_open a executor 4 1")
        .ok()
        .prints("\"A\"\n\"B !1\"\n\"A\"\n");
    shell(&scratch, "bcg_open c executor 4 1")
        .ok()
        .prints("\"A\"\n");
    let walk = |seed: u64| {
        let run = shell(&scratch, &format!("bcg_open c executor 50 3 {seed}"));
        run.ok().text().to_owned()
    };
    assert_eq!(walk(7), walk(7));
    assert!((0..20).any(|seed| walk(seed) != walk(7)));
    assert!(walk(1).ends_with("\"B !2\"\n"), "{}", walk(1));
    shell(&scratch, "bcg_open c executor 5 2").ok();
    for words in ["", "5", "5 3", "5 4", "x 1", "5 1 2"] {
        shell(&scratch, &format!("bcg_open c executor {words}")).status(1);
    }
}

#[test]
fn systems_are_restricted() {
    let scratch = prepared();
    shell(&scratch, "bcg_open c projector b r.aut && cat r.aut")
        .ok()
        .prints("des (0, 3, 3)\n(0, A, 1)\n(1, \"B !1\", 0)\n(1, \"B !2\", 2)\n");
    scratch.write("g.sync", "sync\n  A\n  B\n");
    shell(
        &scratch,
        "bcg_open c projector -sync -gate g b.bcg r.aut && cat r.aut",
    )
    .ok()
    .prints("des (0, 2, 2)\n(0, A, 1)\n(1, \"B !1\", 0)\n");
    shell(
        &scratch,
        "bcg_open c projector -userinterface -sync -gate g.sync b r.aut && cat r.aut",
    )
    .ok()
    .prints("des (0, 3, 2)\n(0, A, 1)\n(1, \"B !1\", 0)\n(1, \"fail: B !2\", 1)\n");
    scratch.write("bad.sync", "hide\nA\n");
    shell(&scratch, "bcg_open c projector -sync bad.sync b r2.aut")
        .status(1)
        .says("bad.sync:1:1: expected `sync`");
    assert!(!scratch.path("r2.aut").exists());
}

/// A test case, the complete test graph, and what options change of them.
#[test]
fn tests_by_purposes() {
    let scratch = prepared();
    scratch.write(
        "machine.aut",
        "des (0, 6, 4)\n(0, \"?coin\", 1)\n(1, \"!wait\", 1)\n(1, i, 2)\n(2, \"!tea !1\", 3)\n\
         (2, \"!none\", 0)\n(3, \"?cup\", 0)\n",
    );
    scratch.write(
        "tea.aut",
        "des (0, 4, 3)\n(0, \"!tea.*\", 1)\n(0, *, 0)\n(1, ACCEPT, 1)\n(2, refuse, 2)\n",
    );
    let header = |test: &str| {
        let targets = test
            .lines()
            .filter_map(|line| line.rsplit([' ', ')']).nth(1));
        let last = targets
            .filter_map(|state| state.parse::<usize>().ok())
            .max();
        let states = last.map_or(1, |last| last + 1);
        format!("des (0, {}, {states})\n{test}", test.lines().count())
    };
    let coin = "(0, \"?coin; OUTPUT\", 1)\n";
    let rest = "(1, \"!none; INPUT\", 0)\n(1, \"!tea !1; INPUT (PASS)\", 2)\n\
                (1, \"!wait; INPUT\", 1)\n";
    let locked = "(0, \"LOCK; INPUT\", 0)\n";
    let straight = "(1, \"!none; INPUT INCONCLUSIVE\", 2)\n(1, \"!tea !1; INPUT (PASS)\", 3)\n\
                    (1, \"!wait; INPUT INCONCLUSIVE\", 2)\n";
    let post = "(2, \"?cup; OUTPUT PASS\", 3)\n";
    for (options, parts) in [
        ("", vec![coin, rest]),
        (
            "-self -monitor -tpprior -outprior -keeplock",
            vec![coin, rest],
        ),
        ("-random", vec![coin, rest]),
        ("-csg", vec![coin, locked, rest]),
        ("-csg -unlock", vec![coin, rest]),
        ("-unloop", vec![coin, straight]),
        ("-post", vec![coin, rest, post]),
    ] {
        let test = header(&parts.concat());
        for system in ["bcg_open machine.aut", "exp.open machine.exp"] {
            scratch.write("machine.exp", "\"machine.aut\"\n");
            shell(
                &scratch,
                &format!("{system} tgv {options} tea t.aut && cat t.aut"),
            )
            .ok()
            .prints(&test);
        }
    }
    shell(
        &scratch,
        "bcg_open machine.aut tgv -csg -difflock tea.aut d.aut && cat d.aut",
    )
    .ok()
    .prints(&header(
        &[coin, "(0, \"OUTPUTLOCK; INPUT\", 0)\n", rest].concat(),
    ));
    // The tester sees other names than the purpose, and may wait in vain.
    scratch.write("out.io", "output\ntea.*\nnone\n");
    scratch.write("in.io", "input all but\ntea.*\nnone\n");
    scratch.write("bare.ren", "rename\n[!?]\\(.*\\) -> \\1\n");
    scratch.write("wait.hid", "hide\nwait\n");
    for io in ["out", "in.io"] {
        let script = format!(
            "bcg_open machine.aut tgv -rename bare.ren -hide wait.hid -io {io} -output r.aut tea \
             && cat r.aut"
        );
        shell(&scratch, &script).ok().prints(
            "des (0, 4, 3)\n(0, \"coin; OUTPUT\", 1)\n(1, \"none; INPUT\", 0)\n\
             (1, \"tea !1; INPUT (PASS)\", 2)\n(1, \"LOCK; INPUT\", 1)\n",
        );
    }
    // Without a name.
    shell(
        &scratch,
        "bcg_open machine.aut tgv tea && bcg_info -size tgv.bcg",
    )
    .ok()
    .prints("3 states, 4 transitions, 4 labels\n");
    scratch.write(
        "none.aut",
        "des (0, 2, 2)\n(0, \"!milk\", 1)\n(1, ACCEPT, 1)\n",
    );
    scratch.write("no.aut", "des (0, 1, 2)\n(0, \"!tea.*\", 1)\n");
    scratch.write("bad.io", "hide\n!tea\n");
    scratch.write("lock.ren", "rename\n!wait -> LOCK\n");
    for (words, says) in [
        ("none x.aut", "no label of machine.aut matches `!milk`"),
        (
            "none x.aut",
            "there is no test: the test purpose accepts nothing",
        ),
        ("-depth 1 tea x.aut", "there is no test"),
        (
            "no x.aut",
            "no.aut: the test purpose has no accepting state",
        ),
        (
            "-io bad.io tea x.aut",
            "bad.io:1:1: expected `input` or `output`",
        ),
        ("-output y.aut tea x.aut", "RESULT is named twice"),
        (
            "-rename lock.ren tea x.aut",
            "an output of machine.aut is LOCK",
        ),
        ("tea tea.aut", "would replace"),
    ] {
        shell(&scratch, &format!("bcg_open machine.aut tgv {words}"))
            .status(1)
            .says(says);
    }
    assert!(!scratch.path("x.aut").exists() && !scratch.path("y.aut").exists());
}

#[test]
fn scrutator_prunes() {
    let scratch = prepared();
    // From 1 a deadlock is inevitable; 2 goes on by B for ever, or may go to 0.
    scratch.write(
        "p.aut",
        "des (0, 6, 4)\n(0, A, 1)\n(0, i, 2)\n(1, C, 3)\n(2, \"B !1\", 2)\n(2, i, 0)\n(0, \"B !2\", 3)\n",
    );
    scratch.write("b.hid", "hide\n\"B !2\"\n");
    scratch.write("gate.hid", "hide\nB\n");
    scratch.write("c.ren", "rename\nC -> \"B !2\"\n");
    let cycle = "des (0, 3, 2)\n(0, i, 1)\n(1, \"B !1\", 1)\n(1, i, 0)\n";
    let potential = "des (0, 4, 3)\n(0, i, 1)\n(0, \"B !2\", 2)\n(1, \"B !1\", 1)\n(1, i, 0)\n";
    for (options, expected) in [
        ("", cycle),
        ("-nodeadlock", cycle),
        ("-potential b", potential),
        ("-potential -total b.hid", potential),
        ("-inevitable b", "des (0, 1, 2)\n(0, \"B !2\", 1)\n"),
        // `C` becomes the action before.
        (
            "-rename c.ren -inevitable b",
            "des (0, 3, 3)\n(0, A, 1)\n(0, \"B !2\", 2)\n(1, \"B !2\", 2)\n",
        ),
        (
            "-inevitable -gate gate.hid",
            "des (0, 1, 2)\n(0, \"B !2\", 1)\n",
        ),
        // The hidden cycle is one state afterwards, and not a deadlock before.
        ("-taucompression", "des (0, 1, 1)\n(0, \"B !1\", 0)\n"),
        (
            "-hide -gate gate.hid -taudivergence",
            "des (0, 1, 1)\n(0, i, 0)\n",
        ),
    ] {
        shell(
            &scratch,
            &format!("bcg_open p.aut scrutator -monitor {options} r.aut && cat r.aut"),
        )
        .ok()
        .prints(expected);
    }
    // As bcg by default.
    shell(&scratch, "bcg_open a scrutator r && bcg_info -size r")
        .ok()
        .prints("3 states, 3 transitions, 3 labels\n");
    for (arguments, says) in [
        ("-potential b -nodeadlock x", "exclude each other"),
        (
            "-potential -multiple b x",
            "-potential does not go with -multiple",
        ),
        (
            "-inevitable",
            "a file that names labels is missing behind -inevitable",
        ),
        ("-potential b", "a file name is missing"),
        ("-nonsense x", "unknown option `-nonsense`"),
    ] {
        shell(&scratch, &format!("bcg_open a scrutator {arguments}"))
            .status(1)
            .says(says);
    }
    assert!(!scratch.path("x.bcg").exists());
}

#[test]
fn what_is_not_there_is_refused_by_name() {
    let scratch = prepared();
    for (script, says) in [
        (
            "generator x.bcg",
            "run it by bcg_open, exp.open or seq.open",
        ),
        (
            "evaluator4 f.mcl",
            "run it by bcg_open, exp.open or seq.open",
        ),
        ("bcg_open a determinator x", "reductor -trace"),
        ("bcg_open a simulator x", "too many file names"),
        ("bcg_open a xsimulator", "simulator steps in text"),
        ("bcg_open a ocis", "reach --find"),
        ("bcg_open a tgv -timer x", "-timer is not supported"),
        ("bcg_open a cunctator x", "cunctator is not supported"),
        ("bcg_open a distributor x", "distributor is not supported"),
        ("bcg_open a predictor", "predictor is not supported"),
        (
            "bcg_open a prog.c",
            "programs for OPEN/CAESAR cannot be run",
        ),
        (
            "bcg_open a -O lib/prog.a x",
            "programs for OPEN/CAESAR cannot be run",
        ),
        (
            "bcg_open a nonsense",
            "there is no tool nonsense; tools are generator",
        ),
        ("bcg_open a", "the name of a tool is missing"),
        ("bcg_open", "the name of a system is missing"),
        (
            "bcg_open -nonsense a generator x",
            "unknown option `-nonsense`",
        ),
        ("exp.open -network nupn n", "-network nupn is not supported"),
        ("exp.open -rate n generator x", "-rate is not supported"),
        (
            "lnt.open m.lnt evaluator4 f",
            "`lnt.open m.lnt generator m.bcg` where CADP is",
        ),
        (
            "lnt.open \"my m.lnt\" evaluator4 f",
            "`lnt.open 'my m.lnt' generator 'my m.bcg'` where CADP is",
        ),
        (
            "lotos.open x.lotos generator x",
            "`lotos.open x.lotos generator x.bcg`",
        ),
        ("fsp.open", "expected fsp.open SPEC TOOL …"),
        ("fsp.open -O", "the name of a system is missing"),
        (
            "fsp.open p.lts generator x",
            "`fsp.open p.lts generator p.bcg` where CADP is",
        ),
    ] {
        let run = shell(&scratch, script).status(1);
        let run = run.says(says);
        assert_eq!(run.text(), "", "{script}");
    }
    // Without being asked for, they do not hide CADP's own.
    scratch.run("hyades", &["install-links", "few"]).ok();
    assert!(!scratch.path("few/lnt.open").exists());
    for name in ["svl", "bcg_open", "evaluator", "predictor", "bcg_min"] {
        assert!(scratch.path("few").join(name).is_symlink(), "{name}");
    }
}

#[test]
fn awkward_names_and_outputs() {
    let scratch = prepared();
    shell(
        &scratch,
        "cp a.bcg -- './-x y.bcg' && bcg_open './-x y' generator 'o p.aut'",
    )
    .ok();
    assert_eq!(scratch.read("o p.aut"), scratch.read("a.aut"));
    // The input is not replaced while it is read.
    shell(&scratch, "bcg_open a.bcg generator nowhere/x.bcg").status(1);
    shell(
        &scratch,
        "HYADES_OPTIONS='-j 1 --stats s.json' bcg_open a generator z.bcg && cat s.json",
    )
    .ok();
    for options in ["-j 1", "-j 2 --max-memory 512M", "--max-memory 512M"] {
        scratch.write("f.mcl", "< true* > true\n");
        let run = format!("HYADES_OPTIONS='{options}' bcg_open a evaluator4 f.mcl");
        shell(&scratch, &run).ok();
        let run = format!("HYADES_OPTIONS='{options}' exp.open -info n");
        scratch.write("n.exp", "\"a.bcg\" ||| \"a.bcg\"\n");
        shell(&scratch, &run).status(0);
    }
    shell(
        &scratch,
        "HYADES_OPTIONS=--nonsense bcg_open a generator z.bcg",
    )
    .status(1)
    .says("in HYADES_OPTIONS");
    shell(&scratch, "bcg_open -help").ok();
    shell(&scratch, "exhibitor -help").ok();
}

/// All paths that a pattern matches, each once, the shortest first.
#[test]
fn all_paths_are_exhibited() {
    let scratch = prepared();
    scratch.write(
        "w.aut",
        "des (0, 6, 4)\n(0, A, 1)\n(0, A, 2)\n(1, B, 0)\n(2, B, 0)\n(1, C, 3)\n(2, D, 3)\n",
    );
    let exhibited = |options: &str, pattern: &str| {
        scratch.write("p.seq", pattern);
        shell(
            &scratch,
            &format!("bcg_open w.aut exhibitor {options} < p.seq"),
        )
    };
    let to_end = "<any>*\n<deadlock>\n";
    exhibited("-all", to_end)
        .status(1)
        .says("infinitely many paths");
    let end = "<deadlock>\n";
    let short = format!("\"A\"\n\"C\"\n{end}[]\n\"A\"\n\"D\"\n{end}");
    exhibited("-all -depth 3", to_end).ok().prints(&short);
    let around = "[]\n\"A\"\n\"B\"\n";
    let long = short.replace("[]\n", "");
    let (c, d) = long.split_at(long.len() / 2);
    let all = format!("{short}{around}{c}{around}{d}");
    exhibited("-all -depth 4", to_end).ok().prints(&all);
    exhibited("-all -depth 1", to_end).ok().prints("");
    exhibited("-all", "\"A\"\n<any>\n")
        .ok()
        .prints("\"A\"\n\"B\"\n[]\n\"A\"\n\"C\"\n[]\n\"A\"\n\"D\"\n");
    exhibited("-all -first", "<until> \"C\"\n")
        .ok()
        .prints("\"A\"\n\"C\"\n");
    // What may be nothing at the end may be something, too.
    let steps = "\"A\"\n[]\n\"A\"\n\"B\"\n[]\n\"A\"\n\"B\"\n\"A\"\n";
    exhibited("-all -depth 3", "\"A\"\n~[[CD]] *\n")
        .ok()
        .prints(steps);
    exhibited("-all", "\"A\"\n\"B\" *\n\"C\" *\n")
        .ok()
        .prints("\"A\"\n[]\n\"A\"\n\"B\"\n[]\n\"A\"\n\"C\"\n");
    exhibited("-all", "\"A\"\n<any>*\n")
        .status(1)
        .says("infinitely many paths");
    exhibited("-all", "\"A\" *\n")
        .status(0)
        .prints("\"A\"\n")
        .says("the pattern matches the path without transitions as well");
    exhibited("-all", "\"X\" *\n")
        .status(0)
        .prints("")
        .says("there is nothing to show");
}

/// Messages begin with the name of what was called, and say what was expected.
#[test]
fn messages_of_links() {
    let scratch = prepared();
    let evaluated = |tool: &str, formula: &str| {
        scratch.write("f.mcl", formula);
        shell(&scratch, &format!("bcg_open a.bcg {tool} f.mcl"))
    };
    evaluated("evaluator4", "< \"A\" ")
        .status(1)
        .says("evaluator4: error: f.mcl:1:");
    let offers = "[ true* . { B ?n:Nat } ] true\n";
    let run = evaluated("evaluator3", offers);
    run.status(0)
        .says("is of version 4 of MCL, which evaluator3 of CADP");
    let run = evaluated("evaluator4", offers);
    assert!(!run.stderr.contains("version 4"), "{}", run.stderr);
    let run = evaluated("evaluator", "[ true* ] < true > true\n");
    assert!(!run.stderr.contains("version 4"), "{}", run.stderr);
    scratch.write("f.mcl", "true");
    shell(&scratch, "bcg_open a evaluator4 -hide A f.mcl")
        .status(1)
        .says("(for a label instead of a file: write a file with two lines, `hide` and `A`)");
    shell(&scratch, "bcg_open a bisimulator missing")
        .status(1)
        .says("there is no file missing.bcg: expected the LTS to compare a.bcg with");
    shell(&scratch, "exp.open")
        .status(1)
        .says("the name of a system is missing: expected a network");
}

#[test]
fn simulator_steps_through_a_system() {
    let scratch = prepared();
    shell(&scratch, "printf '0\\nq\\n' | bcg_open a simulator")
        .ok()
        .prints("step 0, state 0\n0: A -> 1\nA -> 1\nstep 1, state 1\n0: i -> 2\n");
    shell(&scratch, "echo 7 | bcg_open a simulator")
        .status(1)
        .says("simulator: error: there is no transition 7: expected 0 to 0");
}
