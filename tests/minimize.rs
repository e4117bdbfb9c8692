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
    for later in ["observational", "weak", "safety", "trace", "taustar"] {
        scratch
            .run("minimize", &["-e", later, "vending.aut"])
            .status(2)
            .says(&format!("`{later}`"))
            .says("not supported")
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
