//! `equiv`, run as a user runs it.

use crate::util;

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
fn a_trace_that_seq_cannot_express_is_a_formula() {
    let scratch = scratch();
    scratch.write("quote.aut", "des (0,2,3)\n(0,a,1)\n(1,\"say \"hi\"\",2)\n");
    scratch.write("none.aut", "des (0,1,2)\n(0,a,1)\n");
    scratch.write("i.aut", "des (0,1,2)\n(0,i,1)\n");
    let strong: [(&[&str], &str); 4] = [
        (
            &["quote.aut", "none.aut"],
            "<\"a\"><\"say \\\"hi\\\"\">true\n",
        ),
        (
            &["none.aut", "quote.aut"],
            "[\"a\"][\"say \\\"hi\\\"\"]false\n",
        ),
        // a visible `i`
        (&["--hidden", "tau", "i.aut", "none.aut"], "<\"i\">true\n"),
        (
            &["--dialect", "mcrl2", "aib.aut", "none.aut"],
            "<\"a\"><\"i\">true\n",
        ),
    ];
    for (arguments, formula) in strong {
        let run = scratch.run("equiv", arguments).status(1);
        assert_eq!(run.stderr, "");
        let lines: Vec<_> = run.text().split_inclusive('\n').collect();
        let files = &arguments[arguments.len() - 2..];
        let head = format!("*** holds in {}, not in {}", files[0], files[1]);
        assert_eq!(lines[0], "FALSE\n");
        assert!(lines[1].starts_with(&head), "{}", lines[1]);
        assert_eq!(lines[2..], [formula]);
    }
    scratch
        .run(
            "equiv",
            &["--hidden", "tau", "--visible-i", "v", "i.aut", "none.aut"],
        )
        .status(1)
        .prints("FALSE\n*** trace of i.aut, not of none.aut\n\"v\"\n");
    let formula: hyades::equivalence::formula::Formula = strong[0].1.trim().parse().unwrap();
    for (file, holds) in [("quote.aut", true), ("none.aut", false)] {
        let lts = read(&scratch.read(file));
        assert_eq!(formula.holds(&lts, lts.initial()), holds);
    }
    for relation in ["branching", "divbranching"] {
        scratch
            .run("equiv", &["-e", relation, "none.aut", "quote.aut"])
            .status(1)
            .prints(
                "FALSE\n*** trace of quote.aut, not of none.aut\n\
                 *** SEQ cannot express these labels; they stand as in formulas:\n\
                 *** \"a\"\n*** \"say \\\"hi\\\"\"\n",
            );
    }
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
    assert!(run.text().contains("divergence"));
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
    for unknown in ["weak", "observational", "trace", "taustar"] {
        scratch
            .run("equiv", &["-e", unknown, "ab.aut", "aib.aut"])
            .status(2)
            .says(&format!("`{unknown}`"))
            .says("not supported");
    }
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
    assert_eq!(scratch.read("w.mcf"), "[\"a\"][i]false\n");
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
    scratch
        .run("equiv", &branching)
        .status(2)
        .says("formulas for -e strong only")
        .prints("");
    assert!(
        !scratch
            .names()
            .iter()
            .any(|name| name == "g.mcf" || name == "f.seq")
    );
}

#[test]
fn without_a_witness_no_file_is_written() {
    let scratch = scratch();
    for (arguments, status) in [
        (&["ab.aut", "ab.aut", "-o", "w.aut"][..], 0),
        (&["ab.aut", "ab.aut", "-o", "w.mcf"], 0),
        (
            &["-e", "divbranching", "ab.aut", "loop.aut", "-o", "w.aut"],
            1,
        ),
        (
            &["-e", "branching", "branch.aut", "commit.aut", "-o", "w.seq"],
            1,
        ),
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
