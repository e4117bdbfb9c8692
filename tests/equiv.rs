//! `equiv`, run as a user runs it.

use crate::util;

use hyades_testing::ROOT;
use util::{Scratch, VENDING, json};

const BRANCH: &str = "des (0,4,4)\n(0,a,1)\n(1,b,2)\n(1,c,3)\n(0,a,1)\n";
const COMMIT: &str = "des (0,4,5)\n(0,a,1)\n(0,a,2)\n(1,b,3)\n(2,c,4)\n";

fn scratch() -> Scratch {
    let scratch = Scratch::with_vending();
    scratch.write("branch.aut", BRANCH);
    scratch.write("commit.aut", COMMIT);
    scratch.write("ab.aut", "des (0,2,3)\n(0,a,1)\n(1,b,2)\n");
    scratch.write("aib.aut", "des (0,3,4)\n(0,a,1)\n(1,i,2)\n(2,b,3)\n");
    scratch.write("loop.aut", "des (0,3,3)\n(0,a,1)\n(1,i,1)\n(1,b,2)\n");
    scratch
}

#[test]
fn a_system_equals_itself() {
    let scratch = scratch();
    for relation in ["strong", "branching", "divbranching"] {
        scratch
            .run("equiv", &["-e", relation, "vending.aut", "vending.aut"])
            .ok()
            .prints("TRUE\n");
        scratch
            .feed("equiv", &["-e", relation, "vending.aut", "-"], VENDING)
            .ok()
            .prints("TRUE\n");
        scratch
            .feed("equiv", &["-e", relation, "-", "vending.aut"], VENDING)
            .ok()
            .prints("TRUE\n");
    }
}

#[test]
fn a_trace_of_one_only() {
    let scratch = scratch();
    scratch
        .run("equiv", &["branch.aut", "ab.aut"])
        .status(1)
        .prints("FALSE\n*** trace of branch.aut, not of ab.aut\n\"a\"\n\"c\"\n");
    scratch
        .run("equiv", &["ab.aut", "branch.aut"])
        .status(1)
        .prints("FALSE\n*** trace of branch.aut, not of ab.aut\n\"a\"\n\"c\"\n");
}

#[test]
fn a_formula_where_traces_are_the_same() {
    let scratch = scratch();
    let run = scratch
        .run("equiv", &["branch.aut", "commit.aut"])
        .status(1);
    let (head, formula) = run.text().split_once("*** holds in ").unwrap();
    assert_eq!(head, "FALSE\n");
    let (_, formula) = formula.split_once('\n').unwrap();
    // What it says can be checked by reading it.
    assert_eq!(formula, "[\"a\"]<\"c\">true\n");
    let formula: hyades::equivalence::formula::Formula = formula.trim().parse().unwrap();
    for (input, holds) in [(BRANCH, true), (COMMIT, false)] {
        let lts = read(input);
        assert_eq!(formula.holds(&lts, lts.initial()), holds);
    }
}

/// SEQ has no escapes and one `i`; formulas have both.
#[test]
fn a_trace_that_seq_cannot_express_stands_in_comments() {
    let scratch = scratch();
    scratch.write("quote.aut", "des (0,2,3)\n(0,a,1)\n(1,\"say \"hi\"\",2)\n");
    scratch.write("none.aut", "des (0,1,2)\n(0,a,1)\n");
    scratch.write("i.aut", "des (0,1,2)\n(0,i,1)\n");
    const WHY: &str = "*** SEQ cannot express these labels; they stand as in formulas:\n";
    const QUOTED: &str = "*** \"a\"\n*** \"say \\\"hi\\\"\"\n";
    let traces: [(&[&str], &str); 9] = [
        (&["quote.aut", "none.aut"], QUOTED),
        (&["none.aut", "quote.aut"], QUOTED),
        (&["-e", "isomorphism", "none.aut", "quote.aut"], QUOTED),
        (&["-e", "branching", "none.aut", "quote.aut"], QUOTED),
        (&["-e", "divbranching", "none.aut", "quote.aut"], QUOTED),
        (&["-e", "trace", "none.aut", "quote.aut"], QUOTED),
        (&["-e", "weaktrace", "none.aut", "quote.aut"], QUOTED),
        // a visible `i`
        (&["--hidden", "tau", "i.aut", "none.aut"], "*** \"i\"\n"),
        (
            &["--dialect", "mcrl2", "aib.aut", "none.aut"],
            "*** \"a\"\n*** \"i\"\n",
        ),
    ];
    for (arguments, labels) in traces {
        let files = &arguments[arguments.len() - 2..];
        let has = files.iter().find(|file| **file != "none.aut").unwrap();
        let run = scratch.run("equiv", arguments).status(1);
        assert_eq!(run.stderr, "");
        run.prints(&format!(
            "FALSE\n*** trace of {has}, not of none.aut\n{WHY}{labels}"
        ));
    }
    scratch
        .run(
            "equiv",
            &["--hidden", "tau", "--visible-i", "v", "i.aut", "none.aut"],
        )
        .status(1)
        .prints("FALSE\n*** trace of i.aut, not of none.aut\n\"v\"\n");
    // What is seen along such a trace, too.
    scratch.write(
        "more.aut",
        "des (0,3,4)\n(0,a,1)\n(1,\"say \"hi\"\",2)\n(2,b,3)\n",
    );
    let run = scratch
        .run("equiv", &["-e", "completed-trace", "quote.aut", "more.aut"])
        .status(1);
    let expected = format!(
        "FALSE\n*** completed trace of quote.aut, not of more.aut\n{WHY}{QUOTED}\
         *** then a deadlock\n*** as a formula\n"
    );
    assert!(run.text().starts_with(&expected), "{}", run.text());
}

/// What a simulation implies is shown where `-o` asks for it.
#[test]
fn a_file_for_traces_takes_what_refutes_a_simulation() {
    let scratch = scratch();
    for preorder in [
        "sim",
        "ready-sim",
        "2-nested-sim",
        "safety",
        "branching-sim",
        "coupled-sim",
        "contrasim",
    ] {
        // `a` `c` is a trace of one only.
        let run = scratch
            .run(
                "equiv",
                &["-p", preorder, "branch.aut", "ab.aut", "-o", "z.seq"],
            )
            .status(1);
        assert_eq!(run.stderr, "");
        let text = scratch.read("z.seq");
        assert_eq!(text, "\"a\"\n\"c\"\n", "{preorder}");
        // Of both directions any refutes the equivalence.
        for [first, second] in [["branch.aut", "ab.aut"], ["ab.aut", "branch.aut"]] {
            let words = ["-e", preorder, first, second, "-o", "e.seq"];
            scratch.run("equiv", &words).status(1);
            assert_eq!(scratch.read("e.seq"), text, "{preorder} {first}");
            std::fs::remove_file(scratch.path("e.seq")).unwrap();
        }
    }
    // Both have the same traces: a formula is all there is.
    scratch
        .run(
            "equiv",
            &["-p", "sim", "branch.aut", "commit.aut", "-o", "none.seq"],
        )
        .status(1)
        .says("the witness is a formula, no trace");
    assert!(!scratch.names().contains(&"none.seq".to_owned()));
}

fn read(text: &str) -> hyades::formats::Lts {
    let source =
        hyades::formats::Source::from_bytes("test", text.as_bytes().to_vec(), None).unwrap();
    hyades::formats::read_lts(source, &Default::default(), &mut |_| ()).unwrap()
}

#[test]
fn hidden_steps_count_by_the_relation() {
    let scratch = scratch();
    for (relation, b, status) in [
        ("strong", "aib.aut", 1),
        ("branching", "aib.aut", 0),
        ("divbranching", "aib.aut", 0),
        ("strong", "loop.aut", 1),
        ("branching", "loop.aut", 0),
        ("divbranching", "loop.aut", 1),
        // mCRL2's names
        ("bisim", "aib.aut", 1),
        ("branching-bisim", "aib.aut", 0),
        ("dpbranching-bisim", "loop.aut", 1),
    ] {
        scratch
            .run("equiv", &["-e", relation, "ab.aut", b])
            .status(status);
    }
    let run = scratch
        .run("equiv", &["-e", "divbranching", "ab.aut", "loop.aut"])
        .status(1);
    assert_eq!(
        run.text(),
        "FALSE\n*** holds in ab.aut, not in loop.aut\n<true U \"a\">!div true\n"
    );
}

#[test]
fn labels_are_matched_by_their_texts() {
    let scratch = scratch();
    scratch.write(
        "swapped.aut",
        "des (0,4,4)\n(0,a,1)\n(1,c,3)\n(1,b,2)\n(0,a,1)\n",
    );
    scratch
        .run("equiv", &["branch.aut", "swapped.aut"])
        .status(0);
}

#[test]
fn bad_arguments_are_2() {
    let scratch = scratch();
    scratch
        .run("equiv", &["-", "-"])
        .status(2)
        .says("standard input");
    scratch
        .run("equiv", &["ab.aut", "missing.aut"])
        .status(2)
        .says("missing.aut")
        .prints("");
    scratch
        .run("equiv", &["-e", "sharp", "ab.aut", "aib.aut"])
        .status(2)
        .says("--strong-labels FILE");
    scratch
        .run("equiv", &["--strong-labels", "x", "ab.aut", "aib.aut"])
        .status(2)
        .says("for the relations sharp and divsharp");
    scratch
        .run("equiv", &["-e", "nonsense", "ab.aut", "aib.aut"])
        .status(2)
        .says("unknown relation");
}

#[test]
fn statistics() {
    let scratch = scratch();
    scratch
        .run("equiv", &["ab.aut", "aib.aut", "--stats", "s.json"])
        .status(1);
    let stats = json(scratch.read("s.json"));
    assert_eq!(stats["status"], 1);
    assert_eq!(stats["relation"], "strong");
    assert_eq!(stats["verdict"], false);
    assert_eq!(stats["inputs"][1]["path"], "aib.aut");
    assert_eq!(stats["inputs"][1]["states"], 4);
}

/// What was taken first is not kept where what came later does for it.
#[test]
fn no_operand_is_needless() {
    let scratch = Scratch::new();
    let transitions = "(1, b, 0)\n(0, b, 0)\n(1, b, 1)\n(0, a, 0)\n";
    scratch.write("a.aut", format!("des (1, 4, 2)\n{transitions}"));
    scratch.write("b.aut", format!("des (1, 5, 2)\n{transitions}(0, b, 1)\n"));
    let told = "FALSE\n*** holds in a.aut, not in b.aut\n<\"b\">[\"b\"]<\"a\">true\n";
    let run = scratch.run("equiv", &["a.aut", "b.aut"]).status(1);
    run.prints(told);
    scratch.write("loop.aut", "des (0, 1, 1)\n(0, b, 0)\n");
    scratch.write(
        "some.aut",
        "des (0, 3, 4)\n(0, b, 1)\n(0, b, 2)\n(2, b, 3)\n",
    );
    let run = scratch.run("equiv", &["-e", "sim", "loop.aut", "some.aut"]);
    let told = "*** holds in loop.aut, not in some.aut\n<\"b\"><\"b\"><\"b\">true\n";
    assert!(run.status(1).text().ends_with(told));
}

#[test]
fn a_trace_goes_to_a_file_of_any_format() {
    let scratch = scratch();
    let shown = scratch.run("equiv", &["ab.aut", "aib.aut"]).status(1);
    for file in ["w.aut", "w.bcg", "w.seq", "w.trc", "w.jsonl.gz", "w"] {
        scratch
            .run("equiv", &["ab.aut", "aib.aut", "-o", file])
            .status(1)
            .silent()
            .prints(shown.text());
        scratch
            .run("transcode", &[file])
            .ok()
            .prints("des (0, 2, 3)\n(0, a, 1)\n(1, i, 2)\n");
    }
    let formula = ["ab.aut", "aib.aut", "-o", "w.mcf"];
    scratch.run("equiv", &formula).status(1);
    assert_eq!(scratch.read("w.mcf"), "<\"a\"><\"b\">true\n");
    // What is hidden is so for mCRL2's language, too.
    scratch.write("hides.aut", "des (0, 1, 2)\n(0, i, 1)\n");
    let pair = ["hides.aut", "ab.aut", "-o", "h.mcf"];
    scratch.run("equiv", &pair).status(1);
    assert_eq!(scratch.read("h.mcf"), "<tau>true\n");
    scratch.run("check", &["h.mcf", "hides.aut"]).ok();
    scratch.run("check", &["h.mcf", "ab.aut"]).status(1);
    scratch.write("real.mcf", "mu X. <a*>X");
    let real = ["--evaluate", "real.mcf", "ab.aut", "ab.aut"];
    scratch
        .run("equiv", &real)
        .status(2)
        .says("(formulas of mCRL2 are for check)");
    // The side that has it; hidden steps do not count.
    scratch
        .run(
            "equiv",
            &["-e", "branching", "ab.aut", "branch.aut", "-o", "b.aut"],
        )
        .status(1);
    assert_eq!(
        scratch.read("b.aut"),
        "des (0, 2, 3)\n(0, a, 1)\n(1, c, 2)\n"
    );
}

#[test]
fn a_formula_goes_to_a_file() {
    let scratch = scratch();
    let pair = |file| ["branch.aut", "commit.aut", "-o", file];
    scratch.run("equiv", &pair("f.mcf")).status(1).silent();
    assert_eq!(scratch.read("f.mcf"), "[\"a\"]<\"c\">true\n");
    scratch.run("equiv", &pair("f.aut")).status(1).silent();
    assert_eq!(
        scratch.read("f.aut"),
        "des (0, 2, 3)\n(0, a, 1)\n(1, c, 2)\n"
    );
    for file in ["f.seq", "f.trc"] {
        scratch
            .run("equiv", &pair(file))
            .status(1)
            .says(&format!("{file} is not written: the witness is a formula"));
    }
    let branching = [&["-e", "branching"][..], &pair("g.mcf")].concat();
    scratch.run("equiv", &branching).status(1).silent();
    assert_eq!(
        scratch.read("g.mcf"),
        "!<true U \"a\">!<true U \"c\">true\n"
    );
    assert!(!scratch.names().iter().any(|name| name == "f.seq"));
}

#[test]
fn without_a_witness_no_file_is_written() {
    let scratch = scratch();
    for (arguments, status) in [
        (&["ab.aut", "ab.aut", "-o", "w.aut"][..], 0),
        (&["ab.aut", "ab.aut", "-o", "w.mcf"], 0),
    ] {
        let file = arguments.last().unwrap();
        let run = scratch.run("equiv", arguments).status(status);
        run.says(&format!("{file} is not written: there is no witness"));
        assert!(!scratch.path(file).exists(), "{arguments:?}");
    }
    for (file, says) in [
        ("-", "standard output carries the answer"),
        ("w.txt", "the ending .txt tells no format"),
        ("aib.aut", "would replace the input"),
        ("w.mcf.gz", "not compressed"),
    ] {
        scratch
            .run("equiv", &["ab.aut", "aib.aut", "-o", file])
            .status(2)
            .says(says)
            .prints("");
    }
    let unused = ["ab.aut", "ab.aut", "--to", "bcg", "--quote", "always"];
    scratch
        .run("equiv", &unused)
        .status(0)
        .says("--to has no effect")
        .says("--quote has no effect");
    scratch
        .run("equiv", &["ab.aut", "ab.aut", "--json", "--traces", "trc"])
        .status(0)
        .says("--traces has no effect");
}

#[test]
fn a_preorder_tells_both_directions() {
    let scratch = scratch();
    scratch
        .run("equiv", &["-p", "failures", "branch.aut", "commit.aut"])
        .ok()
        .prints(
            "TRUE\n*** branch.aut is below commit.aut, not above\n\
             *** failure of commit.aut, not of branch.aut\n\"a\"\n\
             *** then refusing \"c\"\n*** as a formula\n<\"a\">[\"c\"]false\n",
        );
    scratch
        .run("equiv", &["-p", "failures", "commit.aut", "branch.aut"])
        .status(1)
        .prints(
            "FALSE\n*** commit.aut is above branch.aut, not below\n\
             *** failure of commit.aut, not of branch.aut\n\"a\"\n\
             *** then refusing \"c\"\n*** as a formula\n<\"a\">[\"c\"]false\n",
        );
    scratch
        .run("equiv", &["-p", "sim", "branch.aut", "commit.aut"])
        .status(1)
        .prints(
            "FALSE\n*** branch.aut is above commit.aut, not below\n\
             *** holds in branch.aut, not in commit.aut\n<\"a\">(<\"c\">true && <\"b\">true)\n",
        );
    scratch
        .run("equiv", &["-p", "weaktrace", "aib.aut", "ab.aut"])
        .ok()
        .prints("TRUE\n*** aib.aut and ab.aut are equivalent\n");
    // What is no preorder is the same both ways.
    scratch
        .run("equiv", &["-p", "strong", "branch.aut", "commit.aut"])
        .status(1)
        .prints(
            "FALSE\n*** branch.aut and commit.aut are incomparable\n\
             *** holds in branch.aut, not in commit.aut\n[\"a\"]<\"c\">true\n",
        );
    let run = scratch
        .run(
            "equiv",
            &["--json", "-p", "sim", "commit.aut", "branch.aut"],
        )
        .ok();
    let answer = json(run.text());
    assert_eq!(answer["verdict"], true);
    assert_eq!(answer["order"], "below");
    assert!(answer["witness"].is_null());
    assert_eq!(answer["not_above"]["kind"], "formula");
    assert_eq!(answer["not_above"]["holds_in"], "second");
    assert_eq!(answer["not_above"]["depth"], 2);
    // Each direction of what is symmetric answers for both.
    for (relation, says) in [
        (
            "strong",
            "strong is symmetric: A is below B if they are equivalent; one direction of \
          it, as CADP's -smaller, is -p sim",
        ),
        ("branching", "-smaller, is -p branching-sim"),
        ("observational", "-smaller, is -p safety"),
        ("isomorphism", "isomorphism is symmetric"),
    ] {
        scratch
            .run("equiv", &["-p", relation, "ab.aut", "ab.aut"])
            .status(0)
            .says(says);
    }
    scratch
        .run("equiv", &["-p", "sim", "ab.aut", "ab.aut"])
        .silent();
    for arguments in [
        &["-p", "sim", "-e", "sim", "ab.aut", "ab.aut"][..],
        &["-p", "similar", "ab.aut", "ab.aut"],
        &["-p", "sharp", "ab.aut", "ab.aut"],
    ] {
        scratch.run("equiv", arguments).status(2).prints("");
    }
}

#[test]
fn relations_have_the_names_that_users_know() {
    let scratch = scratch();
    for (name, status) in [
        ("observational", 0),
        ("weak-bisim", 0),
        ("tau*.a", 0),
        ("coupled-sim", 0),
        ("weak-trace", 0),
        ("FD", 0),
        ("bisim", 1),
        ("rooted-branching", 0),
        ("trace", 1),
        ("2-nested-sim", 1),
        ("isomorphism", 1),
    ] {
        scratch
            .run("equiv", &["-e", name, "ab.aut", "aib.aut"])
            .status(status)
            .silent();
    }
    scratch
        .run("equiv", &["-e", "bisimilar", "ab.aut", "aib.aut"])
        .status(2)
        .says("unknown relation `bisimilar`, perhaps `bisim`; hyades help relations lists all");
}

#[test]
fn the_spectrum_as_text_as_json_and_as_a_picture() {
    let scratch = scratch();
    let run = scratch
        .run("equiv", &["--spectrum", "branch.aut", "commit.aut"])
        .ok();
    for line in [
        "= equivalent, < A below B, > B below A, x incomparable, ! not equivalent (one direction \
         unknown), ? unknown",
        "strong: only A: [\"a\"]<\"c\">true",
        "sim: only A: <\"a\">(<\"c\">true && <\"b\">true)",
        "failures: only B: failure: after \"a\", refusing \"c\"",
    ] {
        assert!(
            run.text().lines().any(|l| l == line),
            "{line}\n{}",
            run.text()
        );
    }
    assert!(run.text().contains("= trace "), "{}", run.text());
    let run = scratch
        .run(
            "equiv",
            &["--json", "--spectrum", "branch.aut", "commit.aut"],
        )
        .ok();
    let answer = json(run.text());
    let relations = answer["relations"].as_array().unwrap();
    // All but those that need strong labels.
    assert_eq!(relations.len(), 32);
    let of = |name: &str| relations.iter().find(|r| r["relation"] == name).unwrap();
    assert_eq!(of("strong")["order"], "incomparable");
    assert_eq!(of("failures")["order"], "below");
    assert_eq!(of("sim")["order"], "above");
    assert_eq!(of("weaktrace")["order"], "equivalent");
    assert_eq!(of("sim")["below"], false);
    assert_eq!(of("sim")["not_below"]["kind"], "formula");
    // What is between them needs strong labels.
    let implied = of("strong")["implies"].as_array().unwrap();
    assert!(
        implied.iter().any(|name| name == "divbranching"),
        "{implied:?}"
    );
    // Each formula is true of the one and false of the other.
    for relation in relations {
        for (key, sides) in [
            ("not_below", ["TRUE", "FALSE"]),
            ("not_above", ["FALSE", "TRUE"]),
        ] {
            let Some(formula) = relation[key]["formula"].as_str() else {
                continue;
            };
            let sides = match relation[key]["holds_in"].as_str() {
                Some("first") => ["TRUE", "FALSE"],
                Some("second") => ["FALSE", "TRUE"],
                _ => sides,
            };
            scratch
                .run(
                    "equiv",
                    &["--evaluate", formula, "branch.aut", "commit.aut"],
                )
                .status(1)
                .prints(&format!(
                    "branch.aut: {}\ncommit.aut: {}\n",
                    sides[0], sides[1]
                ));
        }
    }
    let picture = ["--spectrum", "branch.aut", "commit.aut", "-o", "x.svg"];
    scratch.run("equiv", &picture).ok();
    let svg = scratch.read("x.svg");
    assert!(
        svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
        "{svg}"
    );
    assert_eq!(svg.matches("failure-trace").count(), 1);
    // A line for each relation but the last, at least.
    assert!(svg.matches("<path ").count() >= 31, "{svg}");
    scratch.run("equiv", &picture).ok();
    assert_eq!(scratch.read("x.svg"), svg);
    let elsewhere = ["--spectrum", "ab.aut", "aib.aut", "-o", "x.aut"];
    scratch
        .run("equiv", &elsewhere)
        .status(2)
        .says("of a spectrum, -o takes a picture: name a .svg file");
    let form = ["--spectrum", "--to", "aut", "ab.aut", "aib.aut"];
    scratch
        .run("equiv", &form)
        .says("of a spectrum, -o takes a picture");
    scratch.write("strong.txt", "hide\nb\n");
    let run = scratch
        .run(
            "equiv",
            &[
                "--spectrum",
                "ab.aut",
                "aib.aut",
                "--strong-labels",
                "strong.txt",
            ],
        )
        .ok();
    assert!(run.text().contains("x sharp"), "{}", run.text());
    scratch.write("strong.txt", "hide\nb\nnone.*\n");
    for command in ["equiv", "minimize"] {
        let inputs = ["ab.aut", "aib.aut"];
        let inputs = &inputs[..if command == "equiv" { 2 } else { 1 }];
        let options = ["-e", "sharp", "--strong-labels", "strong.txt"];
        let run = scratch.run(command, &[&options[..], inputs].concat());
        run.says("strong.txt:3:1: warning: hide `none.*`: no label matches");
        for hidden in ["i", "tau"] {
            scratch.write("hidden.txt", format!("hide\nb\n{hidden}\n"));
            let options = ["-e", "sharp", "--strong-labels", "hidden.txt"];
            let run = scratch.run(command, &[&options[..], inputs].concat());
            let run = run.status(2);
            // Not of the same line that it matches no label, too.
            assert!(!run.stderr.contains("warning"), "{}", run.stderr);
            run.says("hidden.txt:3:1: error")
                .says("is the hidden action, which is never strong")
                .says("remove the line");
        }
    }
    // A visible label may be called so.
    scratch.write("tau.aut", "des (0,1,2)\n(0,tau,1)\n");
    scratch.write("hidden.txt", "hide\ntau\n");
    let options = ["-e", "sharp", "--strong-labels", "hidden.txt"];
    let inputs = ["tau.aut", "tau.aut"];
    let run = scratch.run("equiv", &[&options[..], &inputs].concat());
    run.status(0).prints("TRUE\n");
}

/// What is seen before each step of a trace is told apart from the formula.
#[test]
fn refusals_and_menus_on_the_way_are_told() {
    let scratch = Scratch::new();
    let model = |name: &str| format!("{ROOT}/testdata/spectrum/{name}");
    for (relation, first, second, before) in [
        (
            "failure-trace",
            "49_found07_b.aut",
            "49_found07_a.aut",
            json(r#"[null, {"refused": ["a"]}]"#),
        ),
        (
            "ready-trace",
            "41_possible-futures-not-ready-trace_a.aut",
            "41_possible-futures-not-ready-trace_b.aut",
            json(r#"[null, {"offered": ["b", "x"]}]"#),
        ),
    ] {
        let inputs = [&model(first)[..], &model(second)];
        let run = scratch.run(
            "equiv",
            &[&["--json", "-p", relation], &inputs[..]].concat(),
        );
        let answer = json(run.status(1).text());
        assert_eq!(answer["witness"]["before"], before, "{answer}");
        assert_eq!(answer["witness"]["kind"], relation.replace('-', " "));
        assert_eq!(answer["witness"]["labels"].as_array().unwrap().len(), 2);
    }
    // Nothing is seen on the way of a failure.
    scratch.write("branch.aut", BRANCH);
    scratch.write("commit.aut", COMMIT);
    let inputs = ["--json", "-p", "failures", "commit.aut", "branch.aut"];
    let answer = json(scratch.run("equiv", &inputs).status(1).text());
    assert!(answer["witness"]["before"].is_null(), "{answer}");
    let refused = serde_json::json!({ "refused": ["c"] });
    assert_eq!(answer["witness"]["then"], refused, "{answer}");
}

/// What is seen behind a trace is in the files that can hold it.
#[test]
fn observations_as_files() {
    let scratch = scratch();
    let write = |file: &str| {
        let inputs = ["-p", "failures", "commit.aut", "branch.aut", "-o", file];
        scratch.run("equiv", &inputs).status(1)
    };
    assert_eq!(write("f.aut").stderr, "");
    let lts = scratch.read("f.aut");
    assert_eq!(lts, "des (0, 2, 3)\n(0, a, 1)\n(1, \"refused c\", 2)\n");
    assert_eq!(write("f.seq").stderr, "");
    assert_eq!(scratch.read("f.seq"), "\"a\"\n*** then refusing \"c\"\n");
    scratch
        .run("transcode", &["f.seq"])
        .ok()
        .prints("des (0, 1, 2)\n(0, a, 1)\n");
    write("f.trc").says("f.trc has the trace of the failure only");
    scratch
        .run("transcode", &["f.trc"])
        .ok()
        .prints("des (0, 1, 2)\n(0, a, 1)\n");
}

/// A divergence is gone around once in a trace, and a loop of an LTS; a formula is that of the
/// system which has the trace.
#[test]
fn divergences_and_formulas_as_files() {
    let scratch = scratch();
    scratch.write("adiv.aut", "des (0,2,2)\n(0,a,1)\n(1,i,1)\n");
    scratch.write("a.aut", "des (0,1,2)\n(0,a,1)\n");
    let write = |words: &[&str]| scratch.run("equiv", words).status(1);
    for (file, lts) in [
        ("d.aut", "des (0, 2, 2)\n(0, a, 1)\n(1, i, 1)\n"),
        ("d.seq", "des (0, 2, 3)\n(0, a, 1)\n(1, i, 2)\n"),
        ("d.trc", "des (0, 2, 3)\n(0, a, 1)\n(1, i, 2)\n"),
    ] {
        write(&["-e", "FD", "adiv.aut", "a.aut", "-o", file]);
        scratch.run("transcode", &["-q", file]).ok().prints(lts);
    }
    write(&["-e", "trace", "a.aut", "ab.aut", "-o", "f.mcf"]);
    assert_eq!(scratch.read("f.mcf"), "<\"a\"><\"b\">true\n");
    // What SEQ cannot hold is refused, whether there is more to see or not.
    scratch.write("q.aut", "des (0,2,3)\n(0,\"say \"hi\"\",1)\n(1,b,2)\n");
    scratch.write(
        "r.aut",
        "des (0,3,4)\n(0,\"say \"hi\"\",1)\n(1,b,2)\n(0,\"say \"hi\"\",3)\n",
    );
    for relation in ["failures", "completed-trace"] {
        scratch
            .run("equiv", &["-p", relation, "r.aut", "q.aut", "-o", "o.seq"])
            .status(2)
            .says("seq-label");
    }
}

/// What tells apart strongly bisimilar systems that are not isomorphic.
#[test]
fn sizes_tell_systems_apart() {
    let scratch = Scratch::new();
    scratch.write("one.aut", "des (0,1,1)\n(0,a,0)\n");
    scratch.write("two.aut", "des (0,2,3)\n(0,a,1)\n(1,a,0)\n");
    scratch
        .run("equiv", &["-e", "isomorphism", "one.aut", "two.aut"])
        .status(1)
        .says("of one.aut 1 state and 1 transition can be reached, of two.aut 2 states and 2 transitions");
}

/// Networks are explored no further than is allowed.
#[test]
fn limits_of_networks() {
    let scratch = scratch();
    scratch.write("n.exp", "\"ab.aut\" ||| \"aib.aut\"\n");
    let run = |most: &str| scratch.run("equiv", &["--max-states", most, "n.exp", "n.exp"]);
    run("12").ok().prints("TRUE\n");
    run("11").status(3).says("--max-states");
    scratch.write("n.txt", "\"ab.aut\" ||| \"aib.aut\"\n");
    let words = ["--from", "exp", "--max-states", "12", "n.txt", "n.exp"];
    scratch.run("equiv", &words).ok().prints("TRUE\n");
    scratch
        .run("equiv", &["--max-states", "1", "ab.aut", "ab.aut"])
        .status(0)
        .says("--max-states has no effect: neither A nor B is explored");
}

#[test]
fn formulas_are_evaluated_on_both_sides() {
    let scratch = scratch();
    scratch
        .run(
            "equiv",
            &["--evaluate", "<<\"b\">>true", "ab.aut", "aib.aut"],
        )
        .ok()
        .prints("ab.aut: FALSE\naib.aut: FALSE\n");
    scratch.write("f.mcf", "X1 = <\"a\">X2\nX2 = <i>true\n");
    let run = scratch
        .run(
            "equiv",
            &["--json", "--evaluate", "f.mcf", "ab.aut", "aib.aut"],
        )
        .status(1);
    let answer = json(run.text());
    assert_eq!(answer["holds_in_first"], false);
    assert_eq!(answer["holds_in_second"], true);
    scratch.write("g.mcf", "X1 = <\"a\">X2\nX2 = <i>>true\n");
    scratch
        .run("equiv", &["--evaluate", "g.mcf", "ab.aut", "aib.aut"])
        .status(2)
        .says("g.mcf:2:9")
        .prints("");
    scratch
        .run("equiv", &["--evaluate", "<a>true", "ab.aut", "aib.aut"])
        .status(2)
        .says("found `a`: a label is written `\"a\"`")
        .prints("");
    scratch
        .feed(
            "equiv",
            &["--evaluate", "-", "ab.aut", "aib.aut"],
            "<\"a\"><i>true\n",
        )
        .status(1)
        .prints("ab.aut: FALSE\naib.aut: TRUE\n");
    scratch
        .feed("equiv", &["--evaluate", "-", "-", "aib.aut"], "true\n")
        .status(2)
        .says("only one of FORMULA, A and B can be standard input");
    scratch
        .run("equiv", &["--evaluate", "none.mcf", "ab.aut", "aib.aut"])
        .status(2)
        .says("none.mcf");
}

/// Of a trace of three steps and a formula of depth two the formula is shown, but to a file
/// for traces.
#[test]
fn the_reason_of_least_depth_is_shown() {
    let scratch = Scratch::new();
    scratch.write(
        "x.aut",
        "des (0,8,5)\n(0,b,2)\n(0,b,3)\n(1,a,0)\n(1,b,3)\n(2,a,3)\n(2,a,4)\n(3,a,2)\n(3,b,3)\n",
    );
    scratch.write(
        "y.aut",
        "des (0,7,5)\n(0,b,3)\n(1,a,0)\n(1,b,3)\n(2,a,3)\n(2,a,4)\n(3,a,2)\n(3,b,3)\n",
    );
    for relation in [
        "strong",
        "branching",
        "eta",
        "delay",
        "observational",
        "tau*.a",
    ] {
        let run = scratch
            .run("equiv", &["--json", "-e", relation, "x.aut", "y.aut"])
            .status(1);
        let witness = &json(run.text())["witness"];
        assert_eq!(witness["kind"], "formula", "{relation}");
        assert_eq!(witness["depth"], 2, "{relation}");
        let seq = ["-e", relation, "x.aut", "y.aut", "-o", "w.seq"];
        let run = scratch.run("equiv", &seq).status(1).silent();
        assert!(
            run.text().starts_with("FALSE\n*** trace of"),
            "{}",
            run.text()
        );
        let lines = scratch.read("w.seq");
        assert_eq!(lines.lines().filter(|l| l.starts_with('"')).count(), 3);
    }
}

#[test]
fn a_divergence_is_a_loop() {
    let scratch = scratch();
    scratch.write("stop.aut", "des (0,0,1)\n");
    scratch.write("div.aut", "des (0,1,1)\n(0,i,0)\n");
    scratch
        .run("equiv", &["-e", "FD", "div.aut", "stop.aut", "-o", "w.aut"])
        .status(1);
    assert_eq!(scratch.read("w.aut"), "des (0, 1, 1)\n(0, i, 0)\n");
}

#[test]
fn outputs_that_nothing_is_written_to_are_refused() {
    let scratch = scratch();
    for (arguments, says) in [
        (
            &["--spectrum", "ab.aut", "aib.aut", "-o", "x"][..],
            "name a .svg file",
        ),
        (
            &["--spectrum", "ab.aut", "aib.aut", "-o", "x.bcg"],
            "name a .svg file",
        ),
        (
            &["--evaluate", "true", "ab.aut", "aib.aut", "-o", "x.aut"],
            "no witness",
        ),
    ] {
        scratch
            .run("equiv", arguments)
            .status(2)
            .says(says)
            .prints("");
    }
}

#[test]
fn formulas_of_depth_one_go_before_traces_of_two_steps() {
    let scratch = Scratch::new();
    scratch.write("x1.aut", "des (0,1,2)\n(0,a,1)\n");
    scratch.write("x2.aut", "des (0,3,3)\n(0,i,0)\n(0,a,1)\n(1,b,2)\n");
    scratch.write("x3.aut", "des (0,2,3)\n(0,a,1)\n(0,i,2)\n");
    scratch.write("x4.aut", "des (0,2,3)\n(0,a,1)\n(1,b,2)\n");
    for (relation, [a, b]) in [
        ("divbranching", ["x1.aut", "x2.aut"]),
        ("dpweak", ["x1.aut", "x2.aut"]),
        ("rooted-branching", ["x3.aut", "x4.aut"]),
    ] {
        let run = scratch
            .run("equiv", &["--json", "-e", relation, a, b])
            .status(1);
        let answer = json(run.text());
        assert_eq!(answer["witness"]["kind"], "formula", "{relation}: {answer}");
    }
}

/// Machines that differ in how inputs and outputs are separated alone.
#[test]
fn spaces_between_input_and_output_are_told() {
    let scratch = Scratch::new();
    let machine = |first: &str, second: &str| {
        format!(
            "digraph g {{ __start0 [label=\"\", shape=none]; __start0 -> s0;\n\
            s0 -> s1 [label=\"{first}\"]; s1 -> s0 [label=\"{second}\"]; }}\n"
        )
    };
    scratch.write("tight.dot", machine("a/0", "b/1"));
    scratch.write("wide.dot", machine("a / 0", "b / 1"));
    scratch.write("other.dot", machine("a / 0", "b / 2"));
    let run = scratch.run("equiv", &["tight.dot", "wide.dot"]).status(1);
    let run = run.says("labels are the same but for spaces around `/`: --mealy compares");
    assert!(run.text().starts_with("FALSE\n"));
    scratch
        .run("equiv", &["-q", "--mealy", "tight.dot", "wide.dot"])
        .ok()
        .prints("TRUE\n");
    let run = scratch.run("equiv", &["tight.dot", "other.dot"]).status(1);
    assert!(!run.stderr.contains("--mealy"));
    let run = scratch.run("equiv", &["wide.dot", "other.dot"]).status(1);
    assert!(!run.stderr.contains("--mealy"));
}

/// Two ways take turns where traces are compared: sets up to congruence are exponentially
/// many here, and antichains small.
#[test]
fn traces_of_what_would_explode() {
    let scratch = Scratch::new();
    const LAST: usize = 40;
    let mut steps = vec![(0, 'a', 0), (0, 'b', 0), (0, 'a', 1), (LAST, 'c', 0)];
    steps.extend((1..LAST).flat_map(|j| [(j, 'a', j + 1), (j, 'b', j + 1)]));
    let more = [
        (0, 'a', LAST + 1),
        (LAST + 1, 'a', LAST + 1),
        (LAST + 1, 'b', LAST + 1),
    ];
    let write = |name: &str, more: &[(usize, char, usize)]| {
        let all = steps.iter().chain(more);
        let lines: String = all.map(|(a, l, b)| format!("({a}, {l}, {b})\n")).collect();
        let count = steps.len() + more.len();
        scratch.write(name, format!("des (0, {count}, {})\n{lines}", LAST + 2));
    };
    write("few.aut", &[]);
    write("same.aut", &more);
    write("more.aut", &[&more[..], &[(LAST + 1, 'd', 0)]].concat());
    for relation in ["trace", "weaktrace"] {
        let same = scratch.run("equiv", &["-e", relation, "few.aut", "same.aut"]);
        same.status(0).prints("TRUE\n");
        let other = scratch.run("equiv", &["-e", relation, "more.aut", "few.aut"]);
        let other = other.status(1);
        assert!(
            other
                .text()
                .starts_with("FALSE\n*** trace of more.aut, not of few.aut\n\"a\"\n\"d\"\n"),
            "{}",
            other.text()
        );
    }
}
