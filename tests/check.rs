//! `check`, run as a user runs it.

use crate::util;

use std::path::Path;

use serde_json::Value;
use util::{Run, Scratch, VENDING, json};

/// The formulas of testdata/check and their systems.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/check");
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        scratch.write(&name, std::fs::read(file.path()).unwrap());
    }
    scratch
}

/// What is expected of the formulas in MCL: their files, and the objects.
fn expected(scratch: &Scratch, which: &str) -> Vec<(String, Value)> {
    let all = json(scratch.read("expected.json"));
    let all = all[which].as_array().unwrap().clone();
    let named = all.into_iter().map(|one| {
        let name = one["formula"].as_str().unwrap().to_owned();
        (name, one)
    });
    named.filter(|(name, _)| name.ends_with(".mcl")).collect()
}

/// What follows the verdict: how many steps come before the first note, and whether there
/// is one.
fn steps_to_note(run: &Run) -> (usize, bool) {
    let lines: Vec<&str> = run.text().lines().skip(1).collect();
    let is_note = |line: &&str| line.starts_with("*** here ");
    let end = lines.iter().position(is_note);
    let steps = lines[..end.unwrap_or(lines.len())].iter();
    let steps = steps.filter(|line| line.starts_with('"'));
    (steps.count(), end.is_some())
}

/// What the evidence says in words, and the evidence itself.
#[test]
fn words_and_a_file_at_once() {
    let scratch = Scratch::with_vending();
    let formula = "INEVITABLE (\"COIN !1\")";
    let run = scratch
        .run(
            "check",
            &["--diag", "-o", "part.aut", "-f", formula, "vending.aut"],
        )
        .ok();
    assert!(
        run.text().contains("*** state 0: here holds: "),
        "{}",
        run.text()
    );
    scratch
        .run(
            "check",
            &["--validate", "part.aut", "-f", formula, "vending.aut"],
        )
        .ok();
    scratch
        .run(
            "check",
            &["--diag=a.aut", "-o", "b.aut", "-f", formula, "vending.aut"],
        )
        .status(2)
        .says("--diag=FILE and -o both say where the reason is written");
}

#[test]
fn known_formulas() {
    let scratch = scratch();
    let all = expected(&scratch, "formulas");
    assert_eq!(all.len(), 75);
    for (file, one) in all {
        let lts = one["lts"].as_str().unwrap();
        let holds = one["expected"] == true;
        let (verdict, status) = if holds { ("TRUE", 0) } else { ("FALSE", 1) };
        let run = scratch
            .run("check", &["-q", lts, &file, "--diag", "-j", "1"])
            .status(status);
        assert_eq!(run.text().lines().next(), Some(verdict), "{file}");
        if let Some(trace) = one.get("trace") {
            let (steps, is_noted) = steps_to_note(&run);
            assert_eq!(trace["length"], steps, "{file}: {}", run.text());
            assert_eq!(trace["to"] == "residue", is_noted, "{file}: {}", run.text());
        }
        let other = scratch.run("check", &["-q", lts, &file, "--diag", "-j", "2"]);
        assert_eq!(other.text(), run.text(), "{file}");
        checked_again(&scratch, lts, &file, holds);
    }
}

/// What is written as the reason shows the verdict, and has it by itself.
fn checked_again(scratch: &Scratch, lts: &str, file: &str, holds: bool) {
    let run = scratch.run("check", &["-q", lts, file, "-o", "reason.aut"]);
    assert_eq!(run.status.code(), Some(i32::from(!holds)), "{file}");
    assert!(
        scratch.path("reason.aut").exists(),
        "{file}: {}",
        run.stderr
    );
    let shown = scratch.run("check", &[lts, file, "--validate", "reason.aut"]);
    shown.status(0).prints("TRUE\n");
    let run = scratch.run("check", &["-q", "--json", lts, file]);
    let witness = &json(run.text())["formulas"][0]["witness"];
    let is_part = witness["kind"] != "trace" || witness["cycle"].is_number();
    if is_part {
        let alone = scratch.run("check", &["-q", "reason.aut", file]);
        alone.status(i32::from(!holds));
        // It is a part of the input.
        let below = ["-q", "-p", "sim", "reason.aut", lts];
        let below = scratch.run("equiv", &below);
        assert!(below.text().starts_with("TRUE"), "{file}: {}", below.text());
    }
    std::fs::remove_file(scratch.path("reason.aut")).unwrap();
}

/// A formula is checked wholly before INPUT is opened.
#[test]
fn refused_formulas() {
    let scratch = scratch();
    let all = expected(&scratch, "refused");
    assert!(all.len() >= 18);
    for (file, one) in all {
        let run = scratch.run("check", &["missing.aut", &file]).status(2);
        assert_eq!(run.text(), "", "{file}");
        assert!(run.stderr.contains(&format!("{file}:")), "{}", run.stderr);
        assert!(!run.stderr.contains("missing.aut"), "{}", run.stderr);
        let words = one["about"].as_str().unwrap().split([' ', ',']);
        let message = run.stderr.to_lowercase();
        let told = |word: &&str| message.contains(&word.to_lowercase());
        let count = words.clone().filter(|word| word.len() > 2).count();
        let told = words.filter(|word| word.len() > 2).filter(told).count();
        assert!(2 * told > count || count == 0, "{file}: {}", run.stderr);
    }
    scratch
        .run("check", &["missing.aut", "never.mcl"])
        .status(2)
        .says("missing.aut");
}

#[test]
fn several_formulas_have_names() {
    let scratch = Scratch::with_vending();
    scratch.write("tea.mcl", "< true* . \"TEA\" > true\n");
    scratch.write("live.mcl", "[ true* ] < true > true\n");
    let run = scratch.run(
        "check",
        &["tea.mcl", "vending.aut", "live.mcl", "-f", "false"],
    );
    run.status(1)
        .prints("tea: TRUE\nlive: FALSE\nformula 1: FALSE\n");
    let run = scratch.run("check", &["tea.mcl", "vending.aut", "live.mcl", "--diag"]);
    let run = run.status(1);
    assert!(
        run.text()
            .contains("*** tea\n\"COIN !1\"\n\"TEA\"\n*** live\n"),
        "{}",
        run.text()
    );
    std::fs::create_dir(scratch.path("other")).unwrap();
    scratch.write("other/tea.mcl", "[ \"TEA\" ] false\n");
    scratch
        .run("check", &["tea.mcl", "vending.aut", "other/tea.mcl"])
        .ok()
        .prints("tea.mcl: tea: TRUE\nother/tea.mcl: tea: TRUE\n");
}

#[test]
fn properties_of_a_file_have_names() {
    let scratch = Scratch::with_vending();
    scratch.write(
        "all.mcl",
        "-- macros for all\n\
         macro SOON (A) = < true* . A > true end_macro\n\
         property TEA_COMES \"tea comes\" \"at times\" is SOON (\"TEA\") end property\n\
         macro SOON (A) = [ true* ] < true* . A > true end_macro\n\
         property TEA_ALWAYS is\n   SOON (\"TEA\")\nend property\n",
    );
    scratch
        .run("check", &["vending.aut", "all.mcl"])
        .status(1)
        .prints("TEA_COMES: TRUE\nTEA_ALWAYS: FALSE\n");
    let run = scratch.run("check", &["--json", "vending.aut", "all.mcl"]);
    let formulas = &json(run.text())["formulas"];
    assert_eq!(formulas[0]["name"], "TEA_COMES");
    assert_eq!(formulas[0]["comment"], "tea comes\nat times");
    let run = scratch.run("check", &["--expand", "all.mcl"]).ok();
    scratch.write("again.mcl", run.text());
    scratch
        .run("check", &["vending.aut", "again.mcl"])
        .status(1)
        .prints("TEA_COMES: TRUE\nTEA_ALWAYS: FALSE\n");
    // A variable of one property is no built-in macro.
    let two = "property A is true end property
        property B is mu LIVELOCK . (< \"TEA\" > true or < true > LIVELOCK) end property";
    scratch
        .run("check", &["vending.aut", "-f", two])
        .ok()
        .prints("A: TRUE\nB: TRUE\n");
    // One property is a formula like others; the words are no keywords.
    let one = "property is is < true* . { property !is } > true end property";
    scratch
        .run("check", &["vending.aut", "-f", one])
        .status(1)
        .prints("FALSE\n");
    for (text, told) in [
        (
            "property A is true",
            "the property `A` has no `end property`",
        ),
        (
            "property A true end property",
            "expected `is` and the formula",
        ),
        (
            "property A is true end property property A is true end property",
            "there are two properties `A`",
        ),
        (
            "property A is true end property false",
            "expected `property`, `macro`",
        ),
        ("property A is end property", "-f:1:15: "),
        (
            "property A is true false end property",
            "text after the formula",
        ),
    ] {
        scratch
            .run("check", &["missing.aut", "-f", text])
            .status(2)
            .says(told);
    }
}

#[test]
fn formulas_and_inputs_come_from_anywhere() {
    let scratch = Scratch::with_vending();
    let formula = "< true* . \"TEA\" > true";
    scratch.write("no_ending", formula);
    scratch
        .feed("check", &["-f", formula], VENDING)
        .ok()
        .prints("TRUE\n");
    scratch
        .feed("check", &["-f", formula, "-"], VENDING)
        .ok()
        .prints("TRUE\n");
    let run = ["--formula", "no_ending", "vending.aut"];
    scratch.run("check", &run).ok().prints("TRUE\n");
    scratch
        .feed("check", &["--formula", "-", "vending.aut"], formula)
        .ok()
        .prints("TRUE\n");
    scratch
        .shell("generate chain 3 | check -f '[true*] <true> true' | cat")
        .status(0)
        .prints("FALSE\n");
    // They may begin with a minus.
    scratch
        .run("check", &["-f", "-- tea\ntrue", "vending.aut"])
        .ok()
        .prints("TRUE\n");
    scratch.run("check", &["-f", "-1 < 0", "vending.aut"]).ok();
    scratch
        .run("check", &["vending.aut"])
        .status(2)
        .says("no formula: give a file that ends in .mcl or .mcf, or -f FORMULA");
    scratch
        .run("check", &["vending.aut", "no_ending", "-f", "true"])
        .status(2)
        .says("are both inputs");
    scratch
        .run("check", &["-f", "true", "gone.aut"])
        .status(2)
        .says("gone.aut");
    scratch
        .run("check", &["gone.mcl", "vending.aut"])
        .status(2)
        .says("gone.mcl");
    std::fs::create_dir(scratch.path("folder.mcl")).unwrap();
    scratch
        .run("check", &["folder.mcl", "vending.aut"])
        .status(2)
        .says("folder.mcl");
    scratch
        .run("check", &["-f", "true", "folder.mcl/"])
        .status(2);
    scratch
        .run("check", &["-f", "", "vending.aut"])
        .status(2)
        .says("there is no formula");
    scratch
        .feed("check", &["-f", "true"], "")
        .status(2)
        .says("aut-no-header");
    for junk in [&b"\xff\xfe\0"[..], b"des (0,1,2)\n(0,a,1)\n", b"\x7fELF"] {
        scratch.write("junk.mcl", junk);
        scratch
            .run("check", &["junk.mcl", "vending.aut"])
            .status(2)
            .says("junk.mcl");
    }
    // --diag takes a file after `=` only, so that no input is written over.
    scratch
        .run("check", &["-f", formula, "--diag", "vending.aut"])
        .ok()
        .prints("TRUE\n\"COIN !1\"\n\"TEA\"\n");
    assert_eq!(scratch.read("vending.aut"), VENDING);
    scratch
        .run(
            "check",
            &["-f", formula, "--diag=vending.aut", "vending.aut"],
        )
        .status(2)
        .says("would replace the input");
    scratch.write("hide.hid", "hide\nTEA\n");
    for option in ["-o", "--junit"] {
        let arguments = [
            "vending.aut",
            "-f",
            formula,
            "--hide",
            "hide.hid",
            option,
            "hide.hid",
        ];
        let run = scratch.run("check", &arguments).status(2);
        assert!(run.stderr.contains("hide.hid"), "{}", run.stderr);
        assert_eq!(scratch.read("hide.hid"), "hide\nTEA\n");
    }
}

#[test]
fn systems_without_transitions() {
    let scratch = Scratch::new();
    scratch.write("nothing.aut", "des (0,0,1)\n");
    for (formula, status) in [
        ("[ true ] false", 0),
        ("< true > true", 1),
        ("[ true* ] < true > true", 1),
        ("< true* > true", 0),
        ("nu X. < true > X", 1),
        ("DEADLOCK_FREE", 1),
        ("LIVELOCK", 1),
        ("AF ([ true ] false)", 0),
        ("INEVITABLE (\"A\")", 1),
        ("< true > @", 1),
    ] {
        scratch
            .run("check", &["-q", "--diag", "-f", formula, "nothing.aut"])
            .status(status);
    }
    scratch
        .run(
            "check",
            &["--diag", "-f", "[ true* ] < true > true", "nothing.aut"],
        )
        .status(1)
        .prints("FALSE\n<deadlock>\n*** here fails: < true > true\n");
}

/// Each `<deadlock>` of several sequences is one of the input, and a reason for several
/// formulas is read once.
#[test]
fn sequences_of_reasons_end_where_they_say() {
    let scratch = Scratch::new();
    scratch.write("s.aut", "des (0, 3, 3)\n(0, A, 1)\n(1, B, 1)\n(1, C, 2)\n");
    let formulas = [
        "s.aut",
        "-f",
        "< \"A\" > true",
        "-f",
        "< \"A\" . \"C\" > true",
    ];
    let validate = |text: &str| {
        let words = [&formulas[..], &["--validate", "-"]].concat();
        scratch.feed("check", &words, text)
    };
    let both = "formula 1: TRUE\nformula 2: TRUE\n";
    validate("\"A\"\n\"C\"\n<deadlock>\n").ok().prints(both);
    let text = "\"A\"\n\"B\"\n[]\n\"A\"\n\"C\"\n";
    validate(text).ok().prints(both);
    validate(&format!("{text}<deadlock>\n")).ok().prints(both);
    let wrong = text.replace("[]", "<deadlock>\n[]");
    for text in [&wrong, &format!("{wrong}<deadlock>\n")] {
        validate(text)
            .status(1)
            .prints("formula 1: FALSE\nformula 2: FALSE\n")
            .says("<deadlock> after 2 steps is none of INPUT");
    }
}

/// What `--core` prints is read again, with its name, and has the same verdict.
#[test]
fn core_forms_are_read_again() {
    let scratch = Scratch::with_vending();
    scratch.write(
        "all.mcl",
        "macro SOON (A) = < true* . A > true end_macro\n\
         property TEA \"tea \\\"comes\\\"\" is SOON (\"TEA\") equ SOON (\"COFFEE\") end property\n\
         property COINS is < for n:Nat from 1 to 3 do { COIN !1 } end for > true end property\n\
         property END is [ true* ] < true > true end property\n",
    );
    let verdicts = "TEA: TRUE\nCOINS: FALSE\nEND: FALSE\n";
    scratch
        .run("check", &["vending.aut", "all.mcl"])
        .status(1)
        .prints(verdicts);
    let run = scratch.run("check", &["--core", "all.mcl"]).ok();
    let text = run.text().to_owned();
    assert!(
        !text.contains("implies") && !text.contains("for "),
        "{text}"
    );
    scratch.write("again.mcl", &text);
    let again = scratch.run("check", &["vending.aut", "again.mcl"]);
    again.status(1).prints(verdicts);
    scratch
        .run("check", &["--core", "again.mcl"])
        .ok()
        .prints(&text);
    scratch.write(
        "f.mcf",
        "sort D = struct a | b;\nform exists d: D. [true* . put(d)]!<true>true;\n",
    );
    scratch.run("check", &["--core", "f.mcf"]).ok().prints(
        "sort D = struct a | b;\n\
         form (exists d: D. (nu Z. [put(d)][true]false && [true]Z));\n",
    );
    scratch
        .run("check", &["--core", "--expand", "f.mcf"])
        .status(2);
    scratch
        .run("check", &["--core", "-f", "< true {2000} > true"])
        .status(2)
        .says("-f: formula 1: the core form is nested more than 1000 deep");
}

/// What is wrong with a library of `-L` is told of that, and places are those of the formula.
#[test]
fn libraries_of_the_option_have_no_place_in_the_formula() {
    let scratch = Scratch::with_vending();
    scratch
        .run("check", &["-L", "nope.mcl", "-f", "true"])
        .status(2)
        .says(
            "error: -L nope.mcl: the library nope.mcl cannot be read: there is none in the current",
        );
    scratch.write("good.mcl", "macro P = < \"TEA\" > true end_macro");
    scratch.write("bad.mcl", "macro P = \n= end_macro x");
    scratch
        .run("check", &["-L", "bad.mcl", "-f", "true"])
        .status(2)
        .says("bad.mcl:2:13: ");
    scratch
        .run("check", &["-L", "good.mcl", "-f", "P and ]"])
        .status(2)
        .says("error: -f:1:7: ");
    // A label is no library.
    scratch
        .run(
            "check",
            &[
                "-L",
                "good.mcl",
                "-f",
                "< \"library\" > true or P",
                "vending.aut",
            ],
        )
        .status(1)
        .prints("FALSE\n");
    scratch.write("standard.mcl", "macro NEVER (R) = true end_macro");
    scratch
        .run(
            "check",
            &["-L", "standard.mcl", "-f", "NEVER (\"TEA\")", "vending.aut"],
        )
        .status(0)
        .says("-L standard.mcl: ");
    std::fs::create_dir(scratch.path("sub")).expect("a directory");
    scratch.write("sub/f.mcl", "Q");
    scratch
        .run("check", &["-L", "nope.mcl", "sub/f.mcl", "vending.aut"])
        .status(2)
        .says(
            "-L nope.mcl: the library nope.mcl cannot be read: there is none beside sub/f.mcl, in",
        );
}

/// Words of other languages are answered with ours.
#[test]
fn words_of_other_languages() {
    let scratch = scratch();
    let ltl = "LTL is not supported: macros of CTL are AG (f), AF (f)";
    for (formula, told) in [
        ("tt", "-f:1:1: unknown variable tt: write `true`"),
        ("< true > ff", "-f:1:10: unknown variable ff: write `false`"),
        (
            "not deadlock",
            "one with `[ true ] false`, and the macro DEADLOCK_FREE",
        ),
        ("G F coin", ltl),
        ("G (coin)", ltl),
        ("X not coin", ltl),
        ("coin U tea", ltl),
        // A slip in a name is none of LTL.
        ("nu Y . X", "-f:1:8: unknown variable X\n"),
        ("X (3)", "X is no function"),
    ] {
        scratch
            .run("check", &["-f", formula, "vending.aut"])
            .status(2)
            .says(told);
    }
    let defined = "macro G (F) = [ true* ] (F) end_macro G (< true > true)";
    let run = scratch.run("check", &["-f", defined, "vending.aut"]);
    assert_eq!(run.text(), "FALSE\n");
}

/// What is wrong with what a macro makes has two places: that of the call, and that in the body.
#[test]
fn errors_in_macros_tell_where_the_body_is() {
    let scratch = Scratch::new();
    scratch.write("lib.mcl", "macro P =\n   < true > tru\nend_macro\n");
    scratch.write("x.mcl", "library \"lib.mcl\" end_library\n\n  P\n");
    let library = scratch.path("lib.mcl").canonicalize().unwrap();
    let told = format!(
        "x.mcl:3:3: unknown variable tru (in what the macro `P` makes: {}:2:13)",
        library.display()
    );
    scratch.run("check", &["x.mcl"]).status(2).says(&told);
    scratch
        .run("check", &["-f", "macro P = tru end_macro P"])
        .status(2)
        .says("-f:1:25: unknown variable tru (in what the macro `P` makes: 1:11)");
    // Nobody reads the built-in ones.
    scratch
        .run("check", &["-f", "ALWAYS (x)"])
        .status(2)
        .says("-f:1:9: ");
}

/// Names of types are told as they are written.
#[test]
fn names_of_types_begin_with_capitals() {
    let scratch = Scratch::new();
    for (formula, told) in [
        ("forall x:Int . true", "`x:Int among { … }`"),
        ("exists x:nat among { 1 } . x", "a variable of type Nat"),
        (
            "let x:Nat := \"a\" in true end let",
            "Nat, not String; `nat (…)` converts",
        ),
    ] {
        scratch.run("check", &["-f", formula]).status(2).says(told);
    }
}

/// Options that change nothing are told.
#[test]
fn options_without_effect_are_told() {
    let scratch = Scratch::with_vending();
    scratch.write("net.exp", "\"vending.aut\"");
    let check = |input: &str, more: &[&str]| {
        let formula = "nu X (n:Nat := 0) . [ true ] (n > 3 or X (n + 1))";
        let one = [
            "-f",
            if more.contains(&"--max-instances") {
                "true"
            } else {
                formula
            },
        ];
        scratch
            .run("check", &[&[input], &one[..], more].concat())
            .status(0)
    };
    for more in [
        &["--max-states", "3"][..],
        &["--max-instances", "3"],
        &["--traces", "trc"],
        &["--traces", "trc", "--json"],
        &["--visible-i", "j"],
    ] {
        let told = format!("{} has no effect: ", more[0]);
        check("vending.aut", more)
            .says(&told)
            .says("[option-unused]");
    }
    check("net.exp", &["--max-states", "30"]).silent();
    check(
        "vending.aut",
        &["--max-states", "30", "--rename-label", "TEA -> tea"],
    )
    .silent();
    check(
        "vending.aut",
        &["--traces", "trc", "--visible-i", "j", "--diag"],
    )
    .silent();
    let parameters = "nu X (n:Nat := 0) . [ true ] (n > 3 or X (n + 1))";
    scratch
        .run(
            "check",
            &["vending.aut", "--max-instances", "99", "-f", parameters],
        )
        .ok();
}

/// The files of the network come before those of formulas.
#[test]
fn files_that_a_run_depends_on() {
    let scratch = Scratch::with_vending();
    scratch.write("net.exp", "\"vending.aut\"");
    scratch.write("lib.mcl", "macro P = true end_macro");
    let formula = "library \"lib.mcl\" end_library P";
    scratch
        .run("check", &["--depend", "net.exp", "-f", formula])
        .ok()
        .prints("net.exp\nvending.aut\nlib.mcl\n");
    for input in [&["vending.aut"][..], &[]] {
        scratch
            .run("check", &[&["--depend", "-f", formula], input].concat())
            .ok()
            .prints("lib.mcl\n");
    }
}

/// Which labels an action matches is told as far as it is known, and what is not known is
/// told, too.
#[test]
fn labels_that_depend_on_values() {
    let scratch = Scratch::new();
    scratch.write(
        "g.aut",
        "des (0, 3, 3)\n(0, \"G !0\", 1)\n(0, \"G !2\", 1)\n(1, A, 2)\n",
    );
    let formula =
        "exists n:Nat among { 1 ... 3 } . < { G !n } > < { G ?x:Nat where 4 / x > 1 } > true";
    scratch
        .run("check", &["--matched-labels", "-f", formula, "g.aut"])
        .status(0)
        .prints(
            "{ G !n }:\n    *** depends on n\n\
             { G ?x:Nat where 4 / x > 1 }:\n    G !2\n    *** 1:68: 4 is divided by 0, in the \
             label `G !0`\n",
        );
    let formula = "exists n: Nat. <a(n)>true";
    scratch
        .run(
            "check",
            &[
                "--matched-labels",
                "--syntax",
                "mcf",
                "-f",
                formula,
                "g.aut",
            ],
        )
        .status(0)
        .prints("a(n):\n    *** depends on n\n");
}

/// A file that is not written is told of whatever the verbosity, as the status does not tell.
#[test]
fn reasons_that_are_not_written_are_told() {
    let scratch = Scratch::with_vending();
    let formula = "[ \"COIN !1\" ] < true* . \"TEA\" > true";
    scratch
        .run(
            "check",
            &["-q", "vending.aut", "-f", formula, "-o", "why.seq"],
        )
        .status(0)
        .says("why.seq is not written: no sequence shows the verdict");
    scratch.write("q.aut", "des (0, 1, 2)\n(0, \"say \"hi\"\", 1)\n");
    scratch
        .run("check", &["q.aut", "-f", "< true > true", "-o", "w.seq"])
        .status(2)
        .says("which SEQ cannot express: write another format, such as FILE.aut or FILE.trc");
    for file in ["w.aut", "w.trc"] {
        scratch
            .run("check", &["q.aut", "-f", "< true > true", "-o", file])
            .ok();
    }
}

/// What is met behind a step first may be reached without one.
#[test]
fn reasons_are_shortest_where_words_compete() {
    let scratch = Scratch::new();
    scratch.write("sh.aut", "des (0, 2, 1)\n(0, A, 0)\n(0, B, 0)\n");
    for (formula, steps) in [
        ("< \"A\" | \"A\"* > 1 = 1", 0),
        (
            "let x:Bool := true in < \"A\"+ | \"A\" . \"B\" > < true > x end let",
            2,
        ),
        ("< \"A\" | \"A\"* > [ true ] < true > true", 0),
    ] {
        let run = scratch.run("check", &["-q", "--diag", "sh.aut", "-f", formula]);
        assert_eq!(steps_to_note(&run.status(0)).0, steps, "{formula}");
    }
}

#[test]
fn formulas_are_shown_without_macros_and_with_labels() {
    let scratch = Scratch::with_vending();
    scratch
        .run("check", &["--expand", "-f", "NEVER (\"TEA\" | 'C.*')"])
        .ok()
        .prints("([true* . ((\"TEA\" | 'C.*'))] false)\n");
    let formula = "< true* . ('.*E' or \"i\") > < { COIN ?n:Nat } > true";
    scratch
        .run("check", &["--matched-labels", "-f", formula, "vending.aut"])
        .ok()
        .prints(
            "true:\n    i\n    COIN !1\n    TEA\n    COFFEE\n    REFUND !2\n\
             '.*E' or \"i\":\n    i\n    COFFEE\n\
             { COIN ?n:Nat }:\n    COIN !1\n",
        );
}

#[test]
fn labels_are_changed_first() {
    let scratch = Scratch::with_vending();
    scratch.write("hide.hid", "hide\nTEA\n");
    let run = |options: &[&str], formula: &str| {
        let arguments = [&["-q", "vending.aut", "-f", formula], options].concat();
        let run = scratch.run("check", &arguments);
        run.text().to_owned()
    };
    let tea = "< true* . \"TEA\" > true";
    assert_eq!(run(&[], tea), "TRUE\n");
    assert_eq!(run(&["--hide", "hide.hid"], tea), "FALSE\n");
    assert_eq!(
        run(&["--hide-label", "TEA"], "< true . tau > true"),
        "TRUE\n"
    );
    assert_eq!(run(&["--cut-label", "TEA"], tea), "FALSE\n");
    assert_eq!(run(&["--rename-label", "TEA -> MATE"], tea), "FALSE\n");
    assert_eq!(run(&["--tau", "TEA"], tea), "FALSE\n");
}

/// A warning for a slip, and no other output than the verdict.
#[test]
fn slips_are_told() {
    let scratch = scratch();
    for (formula, told) in [
        (
            "[ 'COIN !*' ] false",
            "write 'COIN !.*' [check-unused-action]",
        ),
        (
            "[ 'COIN' ] false",
            "'COIN' matches no label: it has to match a whole label, and 1",
        ),
        (
            "[ 'TEA|COFFEE' ] false",
            "matches no label: `|` stands for itself",
        ),
        ("< \"MATE\" > true", "\"MATE\" matches no label"),
        ("< true* > @", "[check-loop-nullable]"),
        ("[ \"TEA\" or \"COFFEE\"* ] true", "[check-postfix-scope]"),
        (
            "[ \"TEA\" . \"REFUND !2\" ] < true > true",
            "[check-vacuous]",
        ),
        ("< true* . { REFUND !n } > true", "[check-constant-offer]"),
    ] {
        let run = scratch
            .run("check", &["vending.aut", "-f", formula])
            .says(told);
        assert_eq!(run.text().lines().count(), 1);
        let run = scratch.run("check", &["-q", "vending.aut", "-f", formula]);
        assert_eq!(run.stderr, "");
    }
    for formula in [
        "[ \"COIN !1\" . \"COIN !1\" . \"REFUND !2\" ] true",
        "[ true* . \"TEA\" ] < true > true",
        "[ \"COIN !1\" ] < true > true",
    ] {
        let run = scratch.run("check", &["vending.aut", "-f", formula]);
        assert_eq!(run.stderr, "", "{formula}");
    }
}

#[test]
fn reports_and_statistics() {
    let scratch = Scratch::with_vending();
    scratch.write("a&b.mcl", "< true* . \"TEA\" > true");
    let arguments = [
        "vending.aut",
        "a&b.mcl",
        "-f",
        "[ true* ] < true > true",
        "--junit",
        "r.xml",
        "--stats",
        "s.json",
        "--diag",
    ];
    scratch.run("check", &arguments).status(1);
    let report = scratch.read("r.xml");
    assert!(report.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "));
    let counts = "name=\"check\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"";
    assert_eq!(report.matches(counts).count(), 2, "{report}");
    assert!(report.contains("<testcase classname=\"a&amp;b.mcl\" name=\"a&amp;b\" time=\"0."));
    let failure = "<failure type=\"verdict\" message=\"FALSE\">&quot;COIN !1&quot;\n";
    assert!(report.contains(failure), "{report}");
    assert!(report.contains("*** here fails: &lt; true &gt; true\n</failure></testcase>"));
    // The report has reasons, whatever is shown.
    let (quiet, _) = arguments.split_at(arguments.len() - 1);
    let run = scratch.run("check", quiet).status(1);
    run.prints("a&b: TRUE\nformula 1: FALSE\n");
    assert!(scratch.read("r.xml").contains(failure));
    let parse = "import xml.etree.ElementTree as t; r = t.parse('r.xml').getroot(); \
                 print([c.get('name') for c in r.iter('testcase')])";
    scratch
        .shell(&format!("command -v python3 > /dev/null || {{ echo \"['a&b', 'formula 1']\"; exit; }}; python3 -c \"{parse}\""))
        .ok()
        .prints("['a&b', 'formula 1']\n");
    let stats = json(scratch.read("s.json"));
    assert_eq!(stats["command"], "check");
    assert_eq!(stats["status"], 1);
    assert_eq!(stats["formulas"][0]["verdict"], true);
    assert_eq!(stats["formulas"][1]["verdict"], false);
    assert_eq!(stats["formulas"][1]["name"], "formula 1");
    let run = scratch
        .run("check", &["-v", "vending.aut", "-f", "true"])
        .status(0);
    assert!(
        run.stderr.contains("formula 1: 8 states, 10 transitions"),
        "{}",
        run.stderr
    );
}

#[test]
fn answers_in_json() {
    let scratch = Scratch::with_vending();
    let one = |formula: &str| {
        let run = scratch.run("check", &["-q", "--json", "vending.aut", "-f", formula]);
        json(run.text())["formulas"][0].clone()
    };
    let safety = one("[ true* . \"REFUND !2\" ] false");
    assert_eq!(safety["verdict"], false);
    assert_eq!(
        safety["witness"],
        serde_json::json!({
            "kind": "trace",
            "labels": ["COIN !1", "COIN !1", "REFUND !2"],
            "here": [],
        })
    );
    let live = one("[ \"COIN !1\" ] INEVITABLE (\"TEA\")");
    assert_eq!(live["witness"]["here"][0]["after"], 1);
    assert_eq!(live["witness"]["here"][0]["holds"], false);
    let loops = one("LIVELOCK");
    assert_eq!(loops["witness"]["cycle"], 1);
    assert_eq!(
        loops["witness"]["labels"][1],
        serde_json::json!({ "hidden": true })
    );
    assert_eq!(one("[ true* ] < true* > true")["reason"], Value::Null);
    let run = scratch.run(
        "check",
        &[
            "-q",
            "--json",
            "--expression",
            "\"vending.aut\" ||| \"vending.aut\"",
            "--max-states",
            "3",
            "-f",
            "[ true* ] < true > true",
        ],
    );
    let open = json(run.status(3).text())["formulas"][0].clone();
    assert_eq!(open["verdict"], Value::Null);
    assert!(
        open["reason"].as_str().unwrap().contains("--max-states"),
        "{open}"
    );
}

/// So many cells that are full or empty: 2^24 states.
fn cells(scratch: &Scratch) {
    let mut expression = Vec::new();
    for k in 0..24 {
        let name = format!("c{k}.aut");
        scratch.write(
            &name,
            format!("des (0,2,2)\n(0,\"IN !{k}\",1)\n(1,\"OUT !{k}\",0)\n"),
        );
        expression.push(format!("\"{name}\""));
    }
    scratch.write("cells.exp", expression.join(" ||| "));
}

/// Of a network of more than 10^7 states, less than a hundredth is looked at, as soon as the
/// verdict stands.
#[test]
fn large_networks_are_looked_at_as_far_as_needed() {
    let scratch = Scratch::new();
    cells(&scratch);
    let states = 1u64 << 24;
    for (formula, steps) in [
        // A path that an automaton finds, and one with values.
        ("[ true* . 'IN .*' . (not 'OUT .*')* . 'IN .*' ] false", 2),
        (
            "[ true* . { IN ?a:Nat } . { IN ?b:Nat where b > a } ] false",
            2,
        ),
        // The search goes on below one of the branches only.
        ("[ true* . \"IN !3\" ] INEVITABLE (\"OUT !3\")", 1),
        (
            "forall n:Nat among { 0 ... 23 }. [ { IN !n } . { OUT !n } ] false",
            2,
        ),
    ] {
        let run = scratch.run("check", &["-q", "--json", "cells.exp", "-f", formula]);
        let answer = json(run.status(1).text())["formulas"][0].clone();
        let looked_at = answer["states"].as_u64().unwrap();
        assert!(looked_at < states / 100, "{formula}: {looked_at}");
        let labels = answer["witness"]["labels"].as_array().unwrap();
        assert!(labels.len() >= steps, "{answer}");
        if steps == 2 {
            assert_eq!(labels.len(), 2, "{answer}");
        }
    }
    // 14·3^13 + 1 states, as the literature says of this network.
    scratch
        .run("generate", &["database", "14", "-o", "db"])
        .status(0);
    let run = scratch.run(
        "check",
        &["-q", "--json", "db/net.exp", "-f", "NEVER (\"UPDATE !M7\")"],
    );
    let answer = json(run.status(1).text())["formulas"][0].clone();
    assert!(answer["states"].as_u64().unwrap() < 22_320_523 / 100);
}

#[test]
fn limits_leave_it_open() {
    let scratch = Scratch::new();
    cells(&scratch);
    for formula in [
        "[ true* ] < true > true",
        "INEVITABLE (\"NEVER\") or DEADLOCK_FREE",
    ] {
        scratch
            .run(
                "check",
                &["cells.exp", "--max-states", "1000", "-f", formula],
            )
            .status(3)
            .says("--max-states")
            .prints("UNKNOWN\n");
    }
    // What holds does not weigh more than what is open.
    scratch
        .run(
            "check",
            &[
                "cells.exp",
                "--max-states",
                "1000",
                "-f",
                "DEADLOCK_FREE",
                "-f",
                "false",
            ],
        )
        .status(3)
        .prints("formula 1: UNKNOWN\nformula 2: FALSE\n");
    scratch
        .run(
            "check",
            &[
                "cells.exp",
                "--max-states",
                "1000",
                "-e",
                "strong",
                "-f",
                "DEADLOCK_FREE",
            ],
        )
        .status(3)
        .prints("UNKNOWN\n");
}

#[test]
fn networks_systems_and_components_in_traces() {
    let scratch = Scratch::new();
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    std::os::unix::fs::symlink(&testdata, scratch.path("testdata")).unwrap();
    let net = "testdata/networks/peterson_3/net.exp";
    let formula = "[ true* . 'CS.*' ] false";
    let run = scratch.run("check", &["-q", "--diag", net, "-f", formula]);
    scratch
        .run("reach", &["-q", net, "-o", "flat.aut"])
        .status(0);
    let flat = scratch.run("check", &["-q", "--diag", "flat.aut", "-f", formula]);
    assert_eq!(run.status, flat.status);
    let steps = |run: &Run| {
        let lines = run.text().lines().filter(|line| !line.starts_with("***"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(steps(&run), steps(&flat));
    let system = "testdata/channels/inres.toml";
    for formula in ["[ true* ] < true > true", "LIVELOCK", "NEVER (\"nothing\")"] {
        scratch
            .run("reach", &["-q", system, "-o", "system.aut"])
            .status(0);
        let verdicts = [system, "system.aut"].map(|input| {
            let run = scratch.run("check", &["-q", input, "-f", formula]);
            (run.status.code(), run.text().to_owned())
        });
        assert_eq!(verdicts[0], verdicts[1], "{formula}");
    }
}

/// Reductions are applied to the formulas that they keep, and this is told.
#[test]
fn reductions_of_what_keeps_the_formula() {
    let scratch = Scratch::new();
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    std::os::unix::fs::symlink(&testdata, scratch.path("testdata")).unwrap();
    let net = "testdata/networks/phils_3/net.exp";
    let formulas = [
        ("[ true* ] < true > true", "-e divbranching"),
        ("[ true* ] < true > true", "--por deadlock"),
        ("NEVER ('SIT.*' . true* . 'STAND.*')", "--por weaktrace"),
        ("NEVER ('SIT.*' . true* . 'STAND.*')", "-e weaktrace"),
        (
            "[ true* . 'SIT.*' ] < true* . 'STAND.*' > true",
            "-e branching",
        ),
        ("INEVITABLE ('SIT.*')", "-e divbranching"),
        ("LIVELOCK", "--por branching"),
        ("[ 'SIT.*' ] < tau > true", "-e strong"),
    ];
    for (formula, options) in formulas {
        let options: Vec<&str> = options.split(' ').collect();
        let whole = scratch.run("check", &["-q", net, "-f", formula]);
        let arguments = [&["-v", net, "-f", formula], &options[..]].concat();
        let run = scratch.run("check", &arguments);
        assert_eq!(run.text(), whole.text(), "{formula}");
        let told = format!(
            "formula 1: decided with {}, which keeps it",
            options.join(" ")
        );
        assert!(run.stderr.contains(&told), "{}", run.stderr);
    }
    for (formula, option) in [
        ("[ true* ] < true > true", "-e=branching"),
        ("INEVITABLE ('SIT.*')", "-e=branching"),
        ("NEVER (\"SIT !P0\")", "--por=deadlock"),
        ("[ true* . 'SIT.*' ] < true > true", "--por=branching"),
        ("[ 'SIT.*' ] < tau > true", "-e=divbranching"),
        ("< tau* . 'SIT.*' > < true > true", "-e=weaktrace"),
    ] {
        let whole = scratch.run("check", &["-q", net, "-f", formula]);
        let run = scratch.run("check", &[net, "-f", formula, option]);
        assert_eq!(run.text(), whole.text(), "{formula}");
        let told = "not known to be the same with";
        assert!(run.stderr.contains(told), "{formula}: {}", run.stderr);
    }
    scratch
        .run(
            "check",
            &["testdata/vending.aut", "--por", "deadlock", "-f", "true"],
        )
        .status(2)
        .says("--por is for networks (.exp)");
}

#[test]
fn symmetries_of_networks() {
    let scratch = Scratch::new();
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    std::os::unix::fs::symlink(&testdata, scratch.path("testdata")).unwrap();
    let net = "testdata/networks/database_4/net.exp";
    let sym = "testdata/networks/database_4/net.sym";
    for formula in [
        "[ true* ] < true > true",
        "NEVER ('UPDATE.*' . (not 'DONE.*')* . 'DONE.*' . true* . 'UPDATE.*')",
        "INEVITABLE ('DONE.*')",
        "LIVELOCK",
    ] {
        let whole = scratch.run("check", &["-q", "--json", net, "-f", formula]);
        let run = scratch.run(
            "check",
            &["-q", "--json", net, "-f", formula, "--symmetry", sym],
        );
        assert_eq!(run.status, whole.status, "{formula}");
        let [run, whole] = [run, whole].map(|run| json(run.text())["formulas"][0].clone());
        assert!(
            run["states"].as_u64() <= whole["states"].as_u64(),
            "{formula}"
        );
        assert_eq!(
            run["witness"].is_null(),
            whole["witness"].is_null(),
            "{formula}"
        );
        if run["witness"]["kind"] == "trace" && !run["witness"]["labels"][0].is_null() {
            let file = scratch.path("trace.seq");
            scratch.run(
                "check",
                &[
                    "-q",
                    net,
                    "-f",
                    formula,
                    "--symmetry",
                    sym,
                    "-o",
                    "trace.seq",
                ],
            );
            scratch
                .run("reach", &["-q", net, "-o", "flat.aut"])
                .status(0);
            let verify = ["-q", "flat.aut", "-f", formula, "--validate", "trace.seq"];
            scratch.run("check", &verify).status(0).prints("TRUE\n");
            std::fs::remove_file(file).unwrap();
        }
    }
    for (formula, told) in [
        (
            "NEVER (\"UPDATE !M0\")",
            "tells labels apart that the symmetry exchanges",
        ),
        (
            "NEVER ({ UPDATE ?p:String where p = \"M0\" })",
            "is about values",
        ),
    ] {
        // Decided without it, beside one that is decided with it.
        let alone = scratch.run("check", &[net, "-f", formula]).status(1);
        assert!(alone.text().starts_with("FALSE\n"));
        scratch
            .run("check", &[net, "-f", formula, "--symmetry", sym])
            .status(1)
            .prints("FALSE\n")
            .says(told)
            .says(": decided without --symmetry");
        let both = ["-v", net, "-f", formula, "-f", "[ true* ] < true > true"];
        let both = scratch.run("check", &[&both[..], &["--symmetry", sym]].concat());
        both.says(told)
            .says("formula 2: decided with --symmetry, which keeps it");
    }
}

/// A reader that goes away ends the command in silence.
#[test]
fn closed_pipes_and_terminals() {
    let scratch = Scratch::new();
    scratch
        .shell(
            "generate chain 300000 > c.aut; check --diag -f '[ true* ] < true > true' c.aut | head -n 1; \
             echo ${PIPESTATUS[0]}",
        )
        .ok()
        .prints("FALSE\n141\n");
}

#[test]
fn values_that_there_are_not_are_told() {
    let scratch = Scratch::with_vending();
    scratch
        .run("check", &["vending.aut", "-f", "1 / 0 = 1"])
        .status(2)
        .says("-f:1:3: 1 is divided by 0");
    scratch
        .run(
            "check",
            &["vending.aut", "-f", "mu X (n:Nat := 0). [ true ] X (n - 1)"],
        )
        .status(2)
        .says("below 0");
}

#[test]
fn networks_of_one_state() {
    let scratch = Scratch::new();
    scratch.write("one.aut", "des (0,1,1)\n(0,a,0)\n");
    scratch.write("loop.aut", "des (0,2,2)\n(0,S,1)\n(1,S,0)\n");
    scratch.write("one.exp", "\"one.aut\"\n");
    scratch.write("two.exp", "\"one.aut\" ||| \"one.aut\"\n");
    for (formula, status) in [
        ("<true>true", 0),
        ("[\"a\"]false", 1),
        ("[true*]<true>true", 0),
        ("NEVER(\"a\")", 1),
        ("<true.true.true>true", 0),
        ("mu X. [true]X", 1),
        ("<\"b\">true", 1),
    ] {
        for input in ["one.aut", "one.exp", "two.exp"] {
            scratch.run("check", &["-f", formula, input]).status(status);
        }
    }
    // Up to symmetry, a component may have one state where its file has two.
    scratch.write("k.exp", "\"loop.aut\"\n");
    let options = [
        "--diag",
        "--symmetry",
        "auto",
        "-f",
        "[true.true]false",
        "k.exp",
    ];
    let run = scratch.run("check", &options).status(1);
    let steps = run.text().lines().filter(|line| *line == "\"S\"");
    assert_eq!(steps.count(), 2, "{}", run.text());
    assert!(run.text().starts_with("FALSE\n"));
}

#[test]
fn traces_are_shortest_where_repetitions_compete() {
    let scratch = Scratch::new();
    scratch.write("c.aut", "des (0,2,3)\n(0,C,1)\n(1,C,2)\n");
    scratch.write("c.exp", "\"c.aut\"\n");
    for (formula, steps) in [
        ("<true.true | \"C\"+>true", 1),
        ("[true.true | \"C\"+]false", 1),
        ("<true{2} | \"C\".\"C\"*>true", 1),
        ("<\"C\"{2}>true or <true+>true", 1),
        ("[\"C\"{2}]false and [\"C\"+]false", 1),
        ("<true.true>true", 2),
    ] {
        for input in ["c.aut", "c.exp"] {
            let run = scratch.run("check", &["--diag", "-f", formula, input]);
            assert!(run.status.code().is_some_and(|code| code < 2));
            let labels = run.text().lines().filter(|line| *line == "\"C\"");
            assert_eq!(
                labels.count(),
                steps,
                "{formula} of {input}: {}",
                run.text()
            );
        }
    }
}

/// A formula that fails while it is decided does not stop the others, and is reported.
#[test]
fn an_error_of_one_formula_is_its_own() {
    let scratch = scratch();
    let bad = "[ true* . { COIN ?n:Nat where 1 / (n - 1) > 0 } ] false";
    scratch.write("bad.mcl", bad);
    let arguments = [
        "vending.aut",
        "-f",
        "< true > true",
        "bad.mcl",
        "-f",
        "[ true ] false",
    ];
    let run = scratch.run("check", &arguments).status(2);
    let run = run.prints("bad: ERROR\nformula 1: TRUE\nformula 2: FALSE\n");
    let run = run.says("check: error: bad.mcl:1:33: ");
    assert_eq!(run.stderr.matches("error").count(), 1, "{}", run.stderr);
    let more = ["--json", "--junit", "r.xml"];
    let run = scratch.run("check", &[&arguments[..], &more].concat());
    let run = run.status(2);
    let found = &json(run.text())["formulas"];
    assert!(
        found[0]["error"]
            .as_str()
            .unwrap()
            .starts_with("bad.mcl:1:33: ")
    );
    assert_eq!(found[0]["verdict"], Value::Null);
    assert_eq!(found[1]["verdict"], true);
    assert!(found[1].get("error").is_none());
    let report = scratch.read("r.xml");
    assert!(report.contains("failures=\"1\" errors=\"1\" skipped=\"0\""));
    assert!(report.contains("<error type=\"error\" message=\"bad.mcl:1:33: "));
    // Alone it says nothing but the error, whose place is as that of others.
    let run = scratch.run("check", &["vending.aut", "-f", bad]).status(2);
    run.prints("").says("check: error: -f:1:33: ");
    // The same on the fly.
    let run = scratch.run(
        "check",
        &["vending.aut", "--tau", "x", "bad.mcl", "-f", "true"],
    );
    assert_eq!(run.status.code(), Some(2), "{}", run.stderr);
}

/// What is not decided weighs more than what does not hold, and an error more than both.
#[test]
fn the_worst_answer_is_the_status() {
    let scratch = Scratch::new();
    scratch.write("a.aut", "des (0, 1, 1)\n(0, \"A !1\", 0)\n");
    scratch.write("net.exp", "\"a.aut\" ||| \"a.aut\"");
    let unknown = "nu X (n:Nat := 0). [ true ] X (n + 1)";
    let fails = "< \"B\" > true";
    let bad = "[ { A ?n:Nat where 1 / (n - 1) > 0 } ] false";
    for (formulas, status) in [
        (vec![fails, "true"], 1),
        (vec![fails, unknown], 3),
        (vec![unknown, fails], 3),
        (vec![unknown, bad, fails], 2),
    ] {
        let mut arguments = vec!["net.exp", "--max-instances", "100"];
        formulas.iter().for_each(|f| arguments.extend(["-f", f]));
        scratch.run("check", &arguments).status(status);
    }
    let arguments = ["net.exp", "--max-instances", "100", "-f", unknown];
    let run = scratch.run("check", &arguments).status(3);
    run.says("more values of parameters than `check --max-instances` allows");
}

/// What is written of a network as the reason is a part of its state space, has the verdict
/// by itself, and is recognised on the network.
#[test]
fn reasons_of_networks_are_written() {
    let scratch = Scratch::new();
    scratch.write("a.aut", "des (0, 2, 2)\n(0, A, 1)\n(1, B, 0)\n");
    scratch.write("c.aut", "des (0, 2, 2)\n(0, A, 1)\n(1, C, 0)\n");
    scratch.write("net.exp", "\"a.aut\" |[\"A\"]| \"c.aut\"");
    scratch.run("reach", &["net.exp", "-o", "flat.aut"]).ok();
    for (formula, status) in [
        ("[ true* ] < true > true", 0),
        ("[ true* . \"A\" . \"A\" ] false", 0),
        ("[ true* . \"A\" ] (< \"B\" > true and < \"C\" > true)", 0),
        ("< true* > (< \"A\" > true and < \"B\" > true)", 1),
        ("INEVITABLE (\"B\")", 0),
        ("[ true* ] INEVITABLE (\"D\")", 1),
    ] {
        let check = |more: &[&str]| {
            let arguments = [&["-q", "net.exp", "-f", formula][..], more].concat();
            scratch.run("check", &arguments)
        };
        check(&["-o", "r.aut"]).status(status);
        check(&["--validate", "r.aut"]).ok().prints("TRUE\n");
        let alone = scratch.run(
            "check",
            &["-q", "flat.aut", "-f", formula, "--validate", "r.aut"],
        );
        alone.ok().prints("TRUE\n");
        let run = scratch.run(
            "check",
            &["-q", "--json", "net.exp", "-f", formula, "-o", "r.aut"],
        );
        if json(run.text())["formulas"][0]["witness"]["kind"] == "part" {
            scratch
                .run("check", &["-q", "r.aut", "-f", formula])
                .status(status);
            let below = ["-q", "-p", "sim", "r.aut", "flat.aut"];
            scratch.run("equiv", &below).ok();
        }
    }
    // Another one's reason shows nothing, and a limit leaves it open.
    let formula = "[ true* ] < true > true";
    scratch.write("r.aut", "des (0, 1, 2)\n(0, A, 1)\n");
    let arguments = ["net.exp", "-f", formula, "--validate", "r.aut"];
    scratch.run("check", &arguments).status(1).prints("FALSE\n");
    let arguments = [&arguments[..], &["--max-states", "2"]].concat();
    scratch.run("check", &arguments).status(3);
    // Up to symmetry it is a part of what is explored.
    scratch.write("p.aut", "des (0, 2, 2)\n(0, \"A !P0\", 1)\n(1, B, 0)\n");
    scratch.write("q.aut", "des (0, 2, 2)\n(0, \"A !P1\", 1)\n(1, B, 0)\n");
    scratch.write("sym.exp", "\"p.aut\" ||| \"q.aut\"");
    let formula = "[ true* ] < true > true";
    let arguments = ["sym.exp", "-f", formula, "--symmetry", "auto"];
    let run = scratch.run("check", &[&arguments[..], &["-o", "r.aut"]].concat());
    run.status(0).says("is a part of what --symmetry explores");
    let run = scratch.run(
        "check",
        &[&arguments[..], &["--validate", "r.aut"]].concat(),
    );
    run.status(0).prints("TRUE\n");
}

/// A verdict is one line, whatever a file is called.
#[test]
fn names_of_files_are_escaped() {
    let scratch = Scratch::new();
    scratch.write("v.aut", "des (0, 1, 1)\n(0, A, 0)\n");
    scratch.write("a\nb.mcl", "true");
    let run = scratch
        .run("check", &["v.aut", "a\nb.mcl", "-f", "true"])
        .ok();
    assert_eq!(run.text().lines().count(), 2, "{}", run.text());
    let run = scratch.run("check", &["v.aut", "-f", "isempty(\"\")"]);
    run.status(2)
        .says("isempty is no function, and no macro of this name is known");
}

/// What a command has written as the reason is one to a command with the same options:
/// whatever counts as hidden in the input and in the format of the reason, whatever the
/// labels are changed to, and whatever the input is reduced by.
#[test]
fn usual_slips_are_told() {
    let scratch = Scratch::with_vending();
    for (formula, says) in [
        (
            "!true",
            "-f:1:1: found `!`, expected a formula; the negation is `not`",
        ),
        (
            "true and INEVITABEL (\"TEA\")",
            "-f:1:10: INEVITABEL is no function",
        ),
        ("INEVITABEL (\"TEA\")", "known: INEVITABLE is"),
        (
            "property \"A\" is true end property",
            "the name without quotes",
        ),
        (
            "< true {5, 3} > true",
            "-f:1:12: found {5,3}: the second number",
        ),
        (
            "forall n:Nat among {0 ... 9999999999}. true",
            "-f:1:27: the values from 0 to 9999999999 are more than 10000000: take fewer",
        ),
    ] {
        let run = scratch.run("check", &["-f", formula, "vending.aut"]);
        run.status(2).says(says);
    }
    // Before anything is read.
    let words = ["-e", "completed-trace", "-f", "true", "missing.aut"];
    let run = scratch.run("check", &words).status(2);
    run.says("there is no smallest LTS by completed-trace; what implies it and has one: ");
}

#[test]
fn without_a_symmetry_no_formula_is_refused() {
    let scratch = Scratch::new();
    scratch.write(
        "one.aut",
        "des (0, 2, 2)\n(0, \"SIT !1\", 1)\n(1, \"STAND !1\", 0)\n",
    );
    scratch.write("two.aut", "des (0, 1, 2)\n(0, \"SIT !2\", 1)\n");
    scratch.write("net.exp", "\"one.aut\" ||| \"two.aut\"\n");
    let formula = "[ true* . { SIT ?x:String } ] < true* . { STAND !x } > true";
    let words = ["-f", formula, "net.exp", "--symmetry", "auto"];
    let run = scratch.run("check", &words).status(1).prints("FALSE\n");
    run.says("no symmetry: no two values can be exchanged");
}

/// What is decided at the end of a sequence may need transitions that it has not.
#[test]
fn reasons_have_the_verdict_by_themselves() {
    let scratch = Scratch::new();
    scratch.write(
        "two.aut",
        "des (0, 3, 2)\n(0, C, 1)\n(1, A, 1)\n(1, B, 0)\n",
    );
    scratch.write("net.exp", "\"two.aut\" |[C]| \"two.aut\"\n");
    for input in ["two.aut", "net.exp"] {
        for formula in [
            "< \"C\" > [ true* ] < true > true",
            "< \"C\" > [ true* ] < true* . \"A\" > true",
            "< \"C\" > INEVITABLE (\"A\" or \"B\")",
            "< \"C\" > INVARIANT (< true > true)",
            "[ \"C\" ] [ true ] < true* . \"D\" > true",
            "[ \"C\" ] (< true* > [ true* . \"B\" ] false)",
            "< \"C\" > (< \"A\" > true and < \"B\" > true)",
        ] {
            let asked = ["-q", "-f", formula];
            let write = |reason| {
                let words = [&asked[..], &[input, "-o", reason]].concat();
                let run = scratch.run("check", &words);
                assert!(run.status.code() < Some(2), "{words:?}: {}", run.stderr);
                run
            };
            let expected = write("r.aut");
            let alone = scratch.run("check", &[&asked[..], &["r.aut"]].concat());
            assert_eq!(alone.stdout, expected.stdout, "{input} {formula}");
            let shown = [&asked[..], &[input, "--validate", "r.aut"]].concat();
            scratch.run("check", &shown).ok().prints("TRUE\n");
            // The sequence alone, as it is told.
            write("r.seq");
            let steps = scratch.read("r.seq");
            assert!(steps.starts_with("\"C\"\n"), "{steps}");
        }
    }
}

#[test]
fn reasons_are_validated_with_the_same_options() {
    let scratch = Scratch::with_vending();
    scratch.write("tau.aut", VENDING.replace(", i,", ", tau,"));
    let visible = VENDING.replace(", i,", ", tau,").replace("TEA", "i");
    scratch.write("visible.aut", visible);
    scratch.write("mcrl2.txt", VENDING.replace(", i,", ", tau,"));
    let options: [&[&str]; 11] = [
        &["vending.aut"],
        &["tau.aut", "--hidden", "tau"],
        &["tau.aut", "--dialect", "mcrl2"],
        &["vending.aut", "--tau", "TEA"],
        &["visible.aut", "--hidden", "tau", "--visible-i", "TEA"],
        &["mcrl2.txt", "--from", "aut", "--hidden", "tau"],
        &["vending.aut", "--hide-label", "COFFEE"],
        &["vending.aut", "--rename-label", "TEA -> COFFEE"],
        &["vending.aut", "-e", "divbranching"],
        &["vending.aut", "-e", "branching"],
        &["vending.aut", "-e", "trace"],
    ];
    let formulas = [
        "DEADLOCK_FREE",
        "< true* . \"COIN !1\" . tau* . \"COFFEE\" > true",
        "[ true* . \"COIN !1\" . tau* . \"i\" ] false",
        "INEVITABLE (\"COFFEE\")",
        "<true*> <tau> @",
        "[ true* . \"COIN !1\" ] < true* . \"COFFEE\" > true",
        "< \"COIN !1\" > [ true* ] < true > true",
    ];
    let mut written = 0;
    let formats = [
        "r.aut", "r.bcg", "r.seq", "r.trc", "r.lts", "r.dot", "r.fsm",
    ];
    for (k, options) in options.into_iter().enumerate() {
        for (m, formula) in formulas.into_iter().enumerate() {
            // Each of the formats with all options, and with all formulas.
            for step in [0, 1, 3] {
                let reason = formats[(k + m + step) % formats.len()];
                let asked = [&["-q", "-f", formula][..], options].concat();
                let run = scratch.run("check", &[&asked[..], &["-o", reason]].concat());
                assert!(
                    run.status.code() < Some(2),
                    "{asked:?} {reason}: {}",
                    run.stderr
                );
                if !scratch.path(reason).exists() {
                    continue;
                }
                written += 1;
                let shown = [&asked[..], &["--validate", reason]].concat();
                scratch.run("check", &shown).ok().prints("TRUE\n");
                std::fs::remove_file(scratch.path(reason)).unwrap();
            }
        }
    }
    assert!(written > 120, "{written}");
    // What --hidden names may be what it is called in a reason from elsewhere, too.
    let tea = "< true* . \"COIN !1\" . tau > true";
    scratch.write(
        "own.aut",
        "des (0, 2, 3)\n(0, \"COIN !1\", 1)\n(1, tau, 2)\n",
    );
    let shown = [
        "tau.aut",
        "--hidden",
        "tau",
        "-f",
        tea,
        "--validate",
        "own.aut",
    ];
    scratch.run("check", &shown).ok().prints("TRUE\n");
    let shown = ["vending.aut", "-f", tea, "--validate", "own.aut"];
    scratch.run("check", &shown).status(1).prints("FALSE\n");
}

/// An empty reason shows what needs no transition, and nothing else.
#[test]
fn empty_reasons_show_what_needs_no_transition() {
    let scratch = Scratch::new();
    scratch.write(
        "t.aut",
        "des (0, 5, 6)\n(0, A, 1)\n(1, B, 2)\n(2, A, 3)\n(3, B, 4)\n(4, C, 5)\n",
    );
    scratch.write("end.aut", "des (0, 0, 1)\n");
    scratch.write("none.aut", "des (0, 0, 1)\n");
    scratch.write("none.seq", "");
    scratch.write("none.trc", "");
    for (input, formula, shows) in [
        ("t.aut", "INEVITABLE (\"D\")", false),
        ("t.aut", "[ \"A\" ] < \"B\" > true", false),
        // Whatever the other side does, it loses.
        ("t.aut", "nu X. < true > < true > X", true),
        ("t.aut", "nu X. < true > X or < \"D\" > X", true),
        ("t.aut", "[ true* ] < true > true", false),
        ("t.aut", "< \"B\" > true", true),
        ("t.aut", "[ \"B\" ] false", true),
        ("t.aut", "true", true),
        ("t.aut", "false or < \"A\" > true", false),
        ("end.aut", "INEVITABLE (\"D\")", true),
        ("end.aut", "< true > true", true),
        ("end.aut", "[ true* ] < true > true", true),
    ] {
        for reason in ["none.aut", "none.seq", "none.trc"] {
            let asked = [input, "-f", formula, "--validate", reason];
            let run = scratch.run("check", &asked);
            let told = if shows { "TRUE\n" } else { "FALSE\n" };
            assert_eq!(run.text(), told, "{asked:?}: {}", run.stderr);
        }
    }
}

/// What a reason has and the input has not is refused, with its place; also a deadlock.
#[test]
fn reasons_are_parts_of_the_input() {
    let scratch = Scratch::new();
    let chain = "des (0, 3, 4)\n(0, A, 1)\n(1, B, 2)\n(2, C, 3)\n";
    scratch.write("t.aut", chain);
    scratch.write("net.exp", "\"t.aut\" ||| \"t.aut\"");
    scratch.write("whole.aut", chain);
    scratch.write(
        "more.aut",
        "des (0, 3, 4)\n(0, A, 1)\n(1, B, 2)\n(0, Z, 3)\n",
    );
    scratch.write(
        "deep.aut",
        "des (0, 3, 4)\n(0, A, 1)\n(1, B, 2)\n(1, i, 3)\n",
    );
    scratch.write("open.seq", "\"A\"\n\"B\"\n");
    scratch.write("end.seq", "\"A\"\n\"B\"\n<deadlock>\n");
    scratch.write("last.seq", "\"A\"\n\"B\"\n\"C\"\n<deadlock>\n");
    scratch.write(
        "all.seq",
        "\"A\"\n\"A\"\n\"B\"\n\"B\"\n\"C\"\n\"C\"\n<deadlock>\n",
    );
    let way = "< \"A\" > < \"B\" > true";
    let ends = "[ true* ] < true > true";
    for (input, formula, reason, told) in [
        ("t.aut", way, "whole.aut", None),
        ("t.aut", way, "open.seq", None),
        (
            "t.aut",
            way,
            "more.aut",
            Some("\"Z\" from state 0 to state 3 of the reason"),
        ),
        (
            "t.aut",
            way,
            "deep.aut",
            Some("a hidden step from state 1 to state 3 of"),
        ),
        (
            "t.aut",
            way,
            "end.seq",
            Some("<deadlock> after 2 steps is none of INPUT"),
        ),
        ("t.aut", ends, "last.seq", None),
        (
            "net.exp",
            way,
            "more.aut",
            Some("\"Z\" from state 0 to state 3 of the reason"),
        ),
        (
            "net.exp",
            way,
            "end.seq",
            Some("<deadlock> after 2 steps is none of INPUT"),
        ),
        ("net.exp", ends, "all.seq", None),
    ] {
        let asked = [input, "-f", formula, "--validate", reason];
        let run = scratch.run("check", &asked);
        match told {
            None => run.ok().prints("TRUE\n"),
            Some(told) => run.status(1).prints("FALSE\n").says(told),
        };
    }
    let asked = ["--json", "t.aut", "-f", way, "--validate", "more.aut"];
    let run = scratch.run("check", &asked).status(1);
    let why = &json(run.text())["formulas"][0]["reason"];
    assert!(why.as_str().unwrap().contains("is none of INPUT"), "{why}");
}

/// A cycle up to symmetry, which goes on with another process each time, is one of the
/// network, and recognised as such with the same options.
#[test]
fn cycles_up_to_symmetry_are_validated() {
    let scratch = Scratch::new();
    for k in 0..2 {
        let text = format!(
            "des (0, 4, 2)\n(0, \"A !{k}\", 1)\n(0, \"S !{k}\", 0)\n(1, \"B !{k}\", 0)\n(1, i, 1)\n"
        );
        scratch.write(&format!("k{k}.aut"), text);
    }
    scratch.write("sh.aut", "des (0, 1, 1)\n(0, i, 0)\n");
    scratch.write("n.exp", "(\"k0.aut\" ||| \"k1.aut\") |[S, C]| \"sh.aut\"");
    let mut cycles = 0;
    for formula in ["nu X . < not tau > X", "< not tau > @", "[ not tau ] -|"] {
        for symmetry in [
            &["--symmetry", "Node=0,1"][..],
            &["--symmetry", "auto"],
            &[],
        ] {
            let asked = [&["-q", "n.exp", "-f", formula][..], symmetry].concat();
            let run = scratch.run("check", &[&asked[..], &["--json", "-o", "r.aut"]].concat());
            assert!(run.status.code() < Some(2), "{asked:?}: {}", run.stderr);
            cycles += usize::from(json(run.text())["formulas"][0]["witness"]["cycle"].is_u64());
            let shown = [&asked[..], &["--validate", "r.aut"]].concat();
            scratch.run("check", &shown).ok().prints("TRUE\n");
        }
    }
    assert!(cycles > 6, "{cycles}");
    // Of a cycle that is none anywhere.
    scratch.write(
        "r.aut",
        "des (0, 2, 2)\n(0, \"A !0\", 1)\n(1, \"A !0\", 0)\n",
    );
    let asked = [
        "-q",
        "n.exp",
        "-f",
        "nu X . < not tau > X",
        "--symmetry",
        "auto",
    ];
    let run = scratch.run("check", &[&asked[..], &["--validate", "r.aut"]].concat());
    run.status(1).prints("FALSE\n").says("is none of INPUT");
}

/// Where it is not known whether a reason shows the verdict, the limit is told.
#[test]
fn what_leaves_a_reason_open_is_told() {
    let scratch = Scratch::new();
    scratch.write(
        "P.aut",
        "des (0, 4, 4)\n(0, \"-b\", 1)\n(1, \"-b\", 3)\n(2, \"+c\", 3)\n(3, \"-a -a\", 2)\n",
    );
    scratch.write(
        "Q.aut",
        "des (0, 3, 4)\n(1, \"+b +a\", 2)\n(2, \"+a\", 1)\n(2, \"-d\", 3)\n",
    );
    scratch.write(
        "s.toml",
        "format = \"csm-system-1\"\nname = \"x\"\n\
         [[component]]\nname = \"P\"\nfile = \"P.aut\"\n\
         [[component]]\nname = \"Q\"\nfile = \"Q.aut\"\n\
         [[channel]]\nname = \"PQ\"\nfrom = \"P\"\nto = \"Q\"\ncapacity = 1\n\
         messages = [\"a\", \"b\"]\n\
         [[channel]]\nname = \"QP\"\nfrom = \"Q\"\nto = \"P\"\ncapacity = 1\n\
         messages = [\"c\", \"d\"]\n",
    );
    // A state that is not gone on from may be one of the reason all the same.
    let formula = "< \"-b\" > < true > [ \"-a -a\"* ] false";
    let asked = ["-q", "s.toml", "-f", formula];
    let run = scratch.run("check", &[&asked[..], &["-o", "r.aut"]].concat());
    run.status(1).prints("FALSE\n");
    let run = scratch.run("check", &[&asked[..], &["--validate", "r.aut"]].concat());
    run.ok().prints("TRUE\n");
    scratch.write(
        "r.aut",
        "des (0, 3, 4)\n(0, \"-b\", 1)\n(1, \"-b\", 2)\n(2, \"-a\", 3)\n",
    );
    let asked = ["s.toml", "-f", "< \"-b\" > true", "--validate", "r.aut"];
    let run = scratch.run("check", &asked).status(3).prints("UNKNOWN\n");
    run.says(
        "the model leaves states out (a system of machines those behind an overfilled channel: \
         --beyond-overfilled)",
    );
    scratch.write("t.aut", "des (0, 3, 3)\n(0, A, 1)\n(1, B, 2)\n(2, C, 0)\n");
    scratch.write("n.exp", "\"t.aut\" ||| \"t.aut\"");
    scratch.write("r.aut", "des (0, 2, 3)\n(0, A, 1)\n(1, A, 2)\n");
    let asked = ["n.exp", "-f", "< \"A\" > < \"A\" > true", "--max-states"];
    let shown = |most| {
        let asked = [&asked[..], &[most, "--validate", "r.aut"]].concat();
        scratch.run("check", &asked)
    };
    shown("3").status(3).says("(--max-states)");
    shown("9").ok().prints("TRUE\n");
}

/// What holds somewhere is told with the values of the variables that it has.
#[test]
fn formulas_are_told_with_their_values() {
    let scratch = Scratch::new();
    scratch.write(
        "t.aut",
        "des (0, 4, 3)\n(0, \"IN !2 !x\", 1)\n(0, i, 2)\n(1, \"OUT !2\", 0)\n(1, C, 1)\n",
    );
    let both = "[ { OUT !n } ] < true > true and [ \"C\" ] < { OUT !n } > true";
    let cases = [
        (
            "exists n:Nat among { 1 ... 3 } . < \"IN !2 !x\" > [ { OUT !n } ] false".to_owned(),
            " with n = 1",
        ),
        (
            format!("< {{ IN ?n:Nat ?s:String }} > ({both})"),
            " with n = 2",
        ),
        (
            "< { IN ?n:Nat ?s:String } > [ { OUT !n where s <> \"x\" } ] false".into(),
            " with n = 2, s = \"x\"",
        ),
        ("< true > [ \"D\" ] false".into(), ""),
    ];
    for (formula, told) in &cases {
        let run = scratch
            .run("check", &["-q", "t.aut", "-f", formula, "--diag"])
            .ok();
        let here = run.text().lines().find(|line| line.starts_with("*** here"));
        let here = here.unwrap_or_else(|| panic!("{formula}: {}", run.text()));
        assert_eq!(
            here.split_once(" with ").map_or("", |_| told),
            *told,
            "{here}"
        );
        assert!(here.ends_with(told), "{formula}: {here}");
    }
    let run = scratch
        .run("check", &["-q", "t.aut", "-f", &cases[2].0, "--json"])
        .ok();
    let here = &json(run.text())["formulas"][0]["witness"]["here"][0];
    assert_eq!(here["values"], serde_json::json!({ "n": 2, "s": "x" }));
    let run = scratch
        .run("check", &["-q", "t.aut", "-f", &cases[3].0, "--json"])
        .ok();
    let here = &json(run.text())["formulas"][0]["witness"]["here"][0];
    assert!(here["values"].is_null(), "{here}");
    scratch.write("t.mcf", "exists n: Nat. <true> [out(n)] false");
    let run = scratch
        .run("check", &["-q", "t.aut", "t.mcf", "--diag"])
        .ok();
    assert!(run.text().contains(" with n = 0"), "{}", run.text());
}

/// The text of a formula reads as the same formula.
#[test]
fn patterns_read_back() {
    let scratch = Scratch::new();
    scratch.write("t.aut", "des (0, 1, 1)\n(0, \"A !1 !2\", 0)\n");
    for (pattern, matches) in [
        ("{ ?any ... ?x:Nat }", true),
        ("{ ?any ... ?x:Nat where x = 1 }", false),
        ("{ ?any ... }", true),
        ("{ ... }", true),
        ("{ ... where 1 = 2 }", false),
        ("{ ?any !1 ... }", true),
        ("{ A ... !1 }", false),
        ("{ ?g:String ... where g = \"A\" }", true),
        ("{ ?any }", false),
    ] {
        let mut text = format!("< {pattern} > true");
        for _ in 0..2 {
            let run = scratch.run("check", &["-q", "--json", "t.aut", "-f", &text]);
            assert_eq!(run.status.code(), Some(i32::from(!matches)), "{text}");
            let told = json(run.text())["formulas"][0]["formula"].clone();
            text = told.as_str().unwrap().to_owned();
        }
    }
}

/// A part of the input is told in words: what holds or fails in which of its states.
#[test]
fn parts_are_told_in_words() {
    let scratch = Scratch::new();
    scratch.write(
        "f.aut",
        "des (0, 5, 4)\n(0, A, 1)\n(0, A, 2)\n(1, B, 3)\n(1, C, 3)\n(2, C, 3)\n",
    );
    let diag = |formula: &str| scratch.run("check", &["f.aut", "--diag", "-f", formula]);
    diag("[ \"A\" ] < \"C\" > true").status(0).prints(
        "TRUE\n\
         *** no sequence shows it; a part of the input does: 4 states, 4 transitions\n\
         *** state 1, after \"A\": here holds: < \"C\" > true\n\
         *** state 2, after \"A\": here holds: < \"C\" > true\n",
    );
    // Of what fails each side counts, with the values that variables have there.
    diag("< { A } > < \"B\" > true and exists n:Nat among { 1 ... 2 }. n = 2 and < \"A\" > [ \"B\" ] false")
        .status(0);
    let both = "< \"A\" > (< \"B\" > true and < \"C\" > true) and not [ \"A\" ] < \"B\" > true";
    let run = diag(both).status(0);
    for line in [
        "*** state 0: here holds: < \"A\" > (< \"B\" > true and < \"C\" > true)\n",
        "*** state 0: here fails: [ \"A\" ] < \"B\" > true\n",
        "*** state 1, after \"A\": here holds: < \"B\" > true\n",
        "*** state 2, after \"A\": here fails: < \"B\" > true\n",
    ] {
        assert!(run.text().contains(line), "{line}{}", run.text());
    }
    // The states are those of the LTS that is written.
    scratch
        .run("check", &["-q", "f.aut", "-f", both, "-o", "part.aut"])
        .status(0);
    let told = json(
        scratch
            .run("check", &["f.aut", "--diag", "--json", "-f", both])
            .text(),
    );
    let part = scratch.read("part.aut");
    for note in told["formulas"][0]["witness"]["here"].as_array().unwrap() {
        if note["labels"] == serde_json::json!(["A"]) {
            assert!(
                part.contains(&format!("(0, A, {})", note["state"])),
                "{part} {note}"
            );
        }
    }
    // Words of which no part can be told, and an equivalence.
    let words = "< \"A\" . \"B\" . \"C\" > true";
    let run = diag(words).status(1);
    assert!(
        run.text()
            .ends_with(&format!("*** state 0: here fails: {words}\n"))
    );
    let both = "< \"B\" > true equ < true > true";
    let run = diag(&format!("[ \"A\" ] ({both})")).status(1);
    assert!(
        run.text()
            .ends_with(&format!("\"A\"\n*** here fails: {both}\n")),
        "{}",
        run.text()
    );
    // A line for each value.
    let each =
        diag("forall n:Nat among { 1 ... 3 } . [ \"A\" ] (< \"C\" > true or n = 7)").status(0);
    for n in 1..=3 {
        assert!(
            each.text().contains(&format!(" with n = {n}\n")),
            "{}",
            each.text()
        );
    }
    // A long way is told by its end, and many states by their number.
    let lines: String = (0..40)
        .map(|k| format!("({k}, S{k}, {})\n", k + 1))
        .collect();
    scratch.write("f.aut", format!("des (0, 41, 41)\n{lines}(40, S0, 0)\n"));
    let run = diag("[ true* ] < true > true").status(0);
    let text = run.text();
    assert!(
        text.contains("after 5 steps, … \"S1\" \"S2\" \"S3\" \"S4\": here holds:"),
        "{text}"
    );
    assert!(text.ends_with(" more like these\n"), "{text}");
}

/// A reason on standard input is one of several formulas, however each is decided.
#[test]
fn reasons_are_read_once() {
    let net = "testdata/networks/liststack_2_2_2/net.exp";
    let scratch = Scratch::new();
    let net = format!("{}/{net}", env!("CARGO_MANIFEST_DIR"));
    let kept = "[ true* . 'PUSH.*' ] false";
    let words = ["-q", &net, "--symmetry", "auto"];
    let write = [&words[..], &["-f", kept, "-o", "w.aut"]].concat();
    scratch.run("check", &write).status(1);
    let other = "[ true* . \"PUSH !T0 !A\" ] false";
    let ask =
        |from: &'static str| [&words[..], &["-f", kept, "-f", other, "--validate", from]].concat();
    let named = scratch.run("check", &ask("w.aut"));
    let piped = scratch.feed("check", &ask("-"), scratch.read("w.aut"));
    assert_eq!(
        (named.status, named.text()),
        (piped.status, piped.text()),
        "{}",
        piped.stderr
    );
}

/// What is not written, and what is asked in a way that is not meant.
#[test]
fn other_slips_are_told() {
    let scratch = Scratch::with_vending();
    let formula = "[ \"COIN !1\" ] < true* . \"TEA\" > true";
    for file in ["r.trc", "r.seq"] {
        let run = scratch.run("check", &["vending.aut", "-f", formula, "-o", file]);
        let run = run.status(0).prints("TRUE\n");
        let told =
            "no sequence shows the verdict; a part of the input does (2 states, 2 transitions)";
        assert!(run.stderr.contains(told), "{}", run.stderr);
        assert!(run.stderr.contains("FILE.aut"), "{}", run.stderr);
        assert!(!scratch.path(file).exists());
    }
    scratch.write("live.mcl", "[ true* ] < true > true\n");
    scratch.write("live.txt", "[ true* ] < true > true\n");
    for (name, told) in [
        ("live.mcl", "write `check live.mcl INPUT`"),
        ("gone.mcf", "write `check gone.mcf INPUT`"),
        ("live.txt", "write `check --formula live.txt INPUT`"),
    ] {
        let run = scratch.run("check", &["vending.aut", "-f", name]);
        run.status(2).says("-f:1:").says(told);
    }
    let run = scratch
        .run("check", &["vending.aut", "-f", "nothing"])
        .status(2);
    assert!(!run.stderr.contains("INPUT`"), "{}", run.stderr);
}

/// Loops end at the largest number, and do not count beyond it.
#[test]
fn loops_end_at_the_largest_number() {
    let scratch = Scratch::with_vending();
    for (from, to, step, times) in [
        ("9223372036854775806", "9223372036854775807", "2", 1),
        ("9223372036854775806", "9223372036854775807", "1", 2),
        ("-9223372036854775807", "-9223372036854775806", "3", 1),
        (
            "int (0) - 5",
            "9223372036854775807",
            "9223372036854775807",
            2,
        ),
        ("1", "9", "4", 3),
        ("3", "2", "1", 0),
    ] {
        let formula = |count: usize| {
            format!(
                "[for i:Int from {from} to {to} step {step} do true end for . true {{{count}}}] \
                 [true] false"
            )
        };
        scratch.write(
            "line.aut",
            "des (0, 4, 5)\n(0, a, 1)\n(1, a, 2)\n(2, a, 3)\n(3, a, 4)\n",
        );
        let run = scratch.run("check", &["-q", "line.aut", "-f", &formula(4 - times)]);
        run.ok();
        if times < 4 {
            let words = ["-q", "line.aut", "-f", &formula(3 - times)];
            scratch.run("check", &words).status(1).prints("FALSE\n");
        }
    }
}
