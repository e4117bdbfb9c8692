//! `minimize`, run as a user runs it.

use crate::util;

use util::{Scratch, VENDING, json};

/// A tau step that changes nothing, two equal branches, an unreachable state.
const INPUT: &str = "\
des (0, 8, 7)
(0, a, 1)
(0, a, 2)
(1, i, 3)
(2, b, 4)
(3, b, 5)
(4, i, 4)
(6, b, 5)
(6, i, 0)
";

#[test]
fn quotients_by_relation() {
    let scratch = Scratch::new();
    scratch.feed("minimize", &[], INPUT).ok().prints(
        "des (0, 6, 6)\n(0, a, 1)\n(0, a, 2)\n(1, i, 3)\n(2, b, 4)\n(3, b, 5)\n(4, i, 4)\n",
    );
    scratch
        .feed("minimize", &["-e", "branching"], INPUT)
        .ok()
        .prints("des (0, 2, 3)\n(0, a, 1)\n(1, b, 2)\n");
    let run = scratch
        .feed("minimize", &["-e", "divbranching"], INPUT)
        .ok();
    assert!(run.text().starts_with("des (0, 5, 5)\n"), "{}", run.text());
}

#[test]
fn names_of_relations() {
    let scratch = Scratch::with_vending();
    let quotient = |name: &str| {
        let run = scratch.run("minimize", &["-e", name, "vending.aut"]).ok();
        run.text().to_owned()
    };
    for (cadp, mcrl2) in [
        ("strong", "bisim"),
        ("branching", "branching-bisim"),
        ("divbranching", "dpbranching-bisim"),
    ] {
        assert_eq!(quotient(cadp), quotient(mcrl2));
    }
    assert_ne!(quotient("strong"), quotient("branching"));
    for (refused, instead) in [
        ("eta", "branching"),
        ("FD", "dpweak"),
        ("contrasim", "observational"),
    ] {
        scratch
            .run("minimize", &["-e", refused, "vending.aut"])
            .status(2)
            .says("there is no smallest LTS")
            .says(instead)
            .prints("");
    }
}

#[test]
fn classes_tell_which_states_are_which() {
    let scratch = Scratch::new();
    scratch.write("in.aut", INPUT);
    scratch
        .run(
            "minimize",
            &[
                "-e",
                "branching",
                "in.aut",
                "-o",
                "q.aut",
                "--classes",
                "classes",
            ],
        )
        .ok();
    assert_eq!(scratch.read("classes"), "0: 0\n1: 1 2 3\n2: 4 5\n");
    // Unreachable states only on demand.
    scratch
        .run(
            "minimize",
            &[
                "-e",
                "branching",
                "--keep-unreachable",
                "in.aut",
                "--classes",
                "classes",
            ],
        )
        .ok()
        .prints("des (0, 4, 4)\n(0, a, 1)\n(1, b, 2)\n(3, b, 2)\n(3, i, 0)\n");
    assert_eq!(scratch.read("classes"), "0: 0\n1: 1 2 3\n2: 4 5\n3: 6\n");
}

/// Whether there are hidden transitions does not matter.
#[test]
fn unreachable_states_are_kept_by_some_relations() {
    let scratch = Scratch::new();
    scratch.write("seen.aut", "des (0,2,3)\n(0,a,1)\n(2,b,1)\n");
    scratch.write("hidden.aut", "des (0,3,3)\n(0,a,1)\n(2,b,1)\n(1,i,1)\n");
    for input in ["seen.aut", "hidden.aut", "missing.aut"] {
        for relation in ["weak", "safety", "trace", "rooted-branching"] {
            scratch
                .run("minimize", &["-e", relation, "--keep-unreachable", input])
                .status(2)
                .says("kept by strong, divbranching and branching only")
                .prints("");
        }
    }
    for relation in ["strong", "divbranching", "branching"] {
        scratch
            .run(
                "minimize",
                &["-e", relation, "--keep-unreachable", "seen.aut"],
            )
            .ok()
            .prints("des (0, 2, 3)\n(0, a, 1)\n(2, b, 1)\n");
    }
}

#[test]
fn partial_reductions_are_those_of_reduce() {
    let scratch = Scratch::with_vending();
    for name in ["tau-confluence", "tau-divergence", "tau-compression"] {
        scratch
            .run("minimize", &["-e", name, "vending.aut"])
            .status(2)
            .says(&format!("a partial reduction: reduce -r {name}"));
    }
    for name in ["strong", "branching", "trace", "weak"] {
        scratch
            .run("reduce", &["-r", name, "vending.aut"])
            .status(2)
            .says(&format!("minimize -e {name}"));
    }
}

#[test]
fn classes_may_go_to_standard_output() {
    let scratch = Scratch::new();
    scratch.write("in.aut", INPUT);
    scratch
        .run("minimize", &["in.aut", "-o", "q.aut", "--classes", "-"])
        .ok()
        .prints("0: 0\n1: 1\n2: 2\n3: 3\n4: 4\n5: 5\n");
    scratch
        .run("minimize", &["in.aut", "--classes", "-"])
        .status(2)
        .says("same place");
}

#[test]
fn the_quotient_is_equivalent_and_minimal() {
    let scratch = Scratch::with_vending();
    for relation in ["strong", "branching", "divbranching"] {
        scratch
            .run("minimize", &["-e", relation, "vending.aut", "-o", "q.aut"])
            .ok();
        scratch
            .run("equiv", &["-e", relation, "vending.aut", "q.aut"])
            .status(0);
        let once = scratch.read("q.aut");
        scratch
            .run("minimize", &["-e", relation, "q.aut"])
            .ok()
            .prints(&once);
    }
}

#[test]
fn statistics_tell_sizes_before_and_after() {
    let scratch = Scratch::new();
    scratch
        .feed(
            "minimize",
            &["-e", "branching", "--stats", "s.json", "-o", "/dev/null"],
            INPUT,
        )
        .ok();
    let stats = json(scratch.read("s.json"));
    assert_eq!(stats["relation"], "branching");
    assert_eq!(stats["classes"], 3);
    assert_eq!(stats["states_considered"], 6);
    assert_eq!(stats["inputs"][0]["states"], 7);
    assert_eq!(stats["inputs"][0]["transitions"], 8);
    assert_eq!(stats["outputs"][0]["states"], 3);
    assert_eq!(stats["outputs"][0]["transitions"], 2);
    let names: Vec<_> = stats["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["read", "minimize", "write"]);
    let run = scratch.feed("minimize", &["-v"], VENDING).status(0);
    run.says("minimize: minimize: strong, ");
}

#[test]
fn relations_in_a_row() {
    let scratch = Scratch::new();
    scratch.write("x.aut", "des (0,4,5)\n(0,i,1)\n(1,a,2)\n(2,i,3)\n(3,b,4)\n");
    let arguments = [
        "-e",
        "branching",
        "-e",
        "trace",
        "x.aut",
        "--stats",
        "s.json",
    ];
    scratch
        .run("minimize", &arguments)
        .ok()
        .prints("des (0, 2, 3)\n(0, a, 1)\n(1, b, 2)\n");
    assert_eq!(json(scratch.read("s.json"))["relation"], "branching trace");
    // Classes of classes.
    scratch
        .run(
            "minimize",
            &["-e", "branching", "-e", "strong", "x.aut", "--classes", "c"],
        )
        .ok();
    assert_eq!(scratch.read("c"), "0: 0 1\n1: 2 3\n2: 4\n");
    scratch
        .run("minimize", &["-e", "weak", "-v", "x.aut"])
        .status(0)
        .says("minimized by branching first");
}

#[test]
fn what_has_no_quotient_names_what_has() {
    let scratch = Scratch::new();
    scratch.write("x.aut", "des (0,1,2)\n(0,a,1)\n");
    for (relation, next) in [("failures", "ready-sim"), ("coupled-sim", "observational")] {
        scratch
            .run("minimize", &["-e", relation, "x.aut"])
            .status(2)
            .says(&format!("no smallest LTS by {relation}"))
            .says(next)
            .prints("");
    }
}

#[test]
fn deterministic_on_demand() {
    let scratch = Scratch::new();
    scratch.write("x.aut", "des (0,4,5)\n(0,a,1)\n(0,a,2)\n(1,i,3)\n(2,b,4)\n");
    let deterministic = "des (0, 3, 3)\n(0, a, 1)\n(1, b, 2)\n(1, i, 2)\n";
    scratch
        .run("minimize", &["--determinize", "x.aut"])
        .ok()
        .prints(deterministic);
    scratch
        .run("minimize", &["--determinize", "-e", "strong", "x.aut"])
        .ok()
        .prints(deterministic);
    scratch
        .run("minimize", &["--determinize", "x.aut", "--max-states", "2"])
        .status(3)
        .says("--max-states")
        .prints("");
    scratch
        .run("minimize", &["--determinize", "x.aut", "--classes", "c"])
        .status(2)
        .says("no classes of states");
}

#[test]
fn markov_chains_are_lumped() {
    let scratch = Scratch::new();
    let chain = "des (0, 4, 4)\n(0, \"go; rate 2\", 1)\n(0, \"go; rate 0.5\", 2)\n\
                 (1, \"prob 1\", 3)\n(2, \"prob 1\", 3)\n";
    scratch.write("x.aut", chain);
    scratch
        .run("minimize", &["--rate", "x.aut"])
        .ok()
        .prints("des (0, 2, 3)\n(0, \"go; rate 2.5\", 1)\n(1, \"prob 1\", 2)\n");
    // Without such labels nothing changes.
    scratch.write("y.aut", "des (0,2,3)\n(0,a,1)\n(0,a,2)\n");
    for relation in ["strong", "branching", "divbranching"] {
        let plain = scratch.run("minimize", &["-e", relation, "y.aut"]).ok();
        scratch
            .run("minimize", &["-e", relation, "--rate", "--prob", "y.aut"])
            .ok()
            .prints(plain.text());
    }
    scratch.write(
        "z.aut",
        "des (0,2,3)\n(0,\"rate 1\",1)\n(0,\"rate inf\",2)\n",
    );
    scratch
        .run("minimize", &["--rate", "z.aut"])
        .status(0)
        .says("`rate inf` has no decimal number")
        .prints("des (0, 2, 2)\n(0, \"rate 1\", 1)\n(0, \"rate inf\", 1)\n");
    // What is left out is told.
    scratch.write(
        "loop.aut",
        "des (0,3,2)\n(0,\"rate 1\",0)\n(0,\"rate 2\",1)\n(1,\"rate 4\",0)\n",
    );
    scratch
        .run("minimize", &["--rate", "loop.aut"])
        .status(0)
        .says("1 transition `rate R` from a state to itself left out: --self keeps them")
        .prints("des (0, 2, 2)\n(0, \"rate 2\", 1)\n(1, \"rate 4\", 0)\n");
    scratch
        .run("minimize", &["--rate", "--self", "loop.aut"])
        .ok()
        .prints("des (0, 3, 2)\n(0, \"rate 1\", 0)\n(0, \"rate 2\", 1)\n(1, \"rate 4\", 0)\n");
    for (arguments, says) in [
        (
            &["--rate", "-e", "weak", "x.aut"][..],
            "not by observational",
        ),
        (&["--epsilon", "1", "x.aut"], "--epsilon is for"),
        (&["--rate", "--epsilon=-1", "x.aut"], "epsilon"),
        (&["--self", "x.aut"], "--rate"),
        (
            &["--rate", "--keep-unreachable", "x.aut"],
            "--keep-unreachable",
        ),
        (
            &["--determinize", "--keep-unreachable", "x.aut"],
            "does not go with --determinize",
        ),
    ] {
        scratch
            .run("minimize", arguments)
            .status(2)
            .says(says)
            .prints("");
    }
}

#[test]
fn a_page_tells_what_became_of_the_input() {
    let scratch = Scratch::with_vending();
    let plain = scratch.run("minimize", &["-e", "weak", "vending.aut"]).ok();
    let options = [
        "--determinize",
        "-e",
        "weak",
        "-e",
        "trace",
        "--html",
        "p.html",
        "vending.aut",
    ];
    scratch.run("minimize", &options).ok();
    let page = scratch.read("p.html");
    for text in [
        "<td>input</td>",
        "<td>deterministic</td>",
        "<td>observational</td>",
        "<td>trace</td>",
    ] {
        assert!(page.contains(text), "{text}");
    }
    // The page changes nothing else, and classes are shown where there are some.
    let run = scratch
        .run(
            "minimize",
            &["-e", "weak", "--html", "p.html", "vending.aut"],
        )
        .ok();
    run.prints(plain.text());
    assert!(scratch.read("p.html").contains("<h2>Classes</h2>"));
    scratch
        .run(
            "minimize",
            &["-e", "trace", "--html", "q.html", "vending.aut"],
        )
        .ok();
    assert!(!scratch.read("q.html").contains("<h2>Classes</h2>"));
    for wrong in [
        ["--html", "-", "vending.aut"],
        ["--html", "vending.aut", "vending.aut"],
        ["--html", "none/p.html", "vending.aut"],
    ] {
        scratch.run("minimize", &wrong).status(2).prints("");
    }
    assert_eq!(scratch.names(), ["p.html", "q.html", "vending.aut"]);
    assert_eq!(scratch.read("vending.aut"), VENDING);
}

/// Classes are no more than the states that are there already: only what is made
/// deterministic can grow.
#[test]
fn a_limit_that_cannot_be_reached_is_told() {
    let scratch = Scratch::new();
    let limited = |options: &[&str]| {
        let all = [&["--max-states", "2"], options].concat();
        scratch.feed("minimize", &all, INPUT)
    };
    for options in [&[][..], &["-e", "branching"]] {
        let plain = scratch.feed("minimize", options, INPUT).ok();
        let run = limited(options).status(0);
        let run = run.says("--max-states has no effect: nothing is explored or made deterministic");
        assert_eq!(run.text(), plain.text());
    }
    for options in [&["--determinize"][..], &["-e", "trace"]] {
        limited(options).status(3).says("more than 2 ").prints("");
    }
}
