//! `reduce`, run as a user runs it.

use crate::util;

use util::{Scratch, json};

/// A hidden cycle, two hidden steps in any order, a choice between hidden steps,
/// an unreachable state.
const INPUT: &str = "\
des (0, 14, 11)
(0, a, 1)
(1, i, 2)
(2, i, 1)
(2, b, 3)
(3, i, 4)
(3, i, 5)
(4, i, 6)
(5, i, 6)
(6, i, 7)
(6, i, 8)
(7, c, 0)
(8, d, 9)
(9, i, 9)
(10, a, 0)
";

const REDUCTIONS: [(&str, &str); 4] = [
    ("tau-divergence", "divbranching"),
    ("tau-compression", "branching"),
    ("tau-confluence", "branching"),
    ("tau-star", ""),
];

#[test]
fn what_each_makes() {
    let scratch = Scratch::new();
    let reduced = |name: &str| {
        let run = scratch.feed("reduce", &["-r", name], INPUT).ok();
        run.text().to_owned()
    };
    let compressed = "\
des (0, 10, 9)
(0, a, 1)
(1, b, 2)
(2, i, 3)
(2, i, 4)
(3, i, 5)
(4, i, 5)
(5, i, 6)
(5, i, 7)
(6, c, 0)
(7, d, 8)
";
    assert_eq!(reduced("tau-compression"), compressed);
    let looped = compressed
        .replace("(0, 10, 9)", "(0, 12, 9)")
        .replace("(1, b, 2)", "(1, b, 2)\n(1, i, 1)")
        .replace("(7, d, 8)", "(7, d, 8)\n(8, i, 8)");
    assert_eq!(reduced("tau-divergence"), looped);
    assert_eq!(
        reduced("tau-confluence"),
        "des (0, 6, 6)\n(0, a, 1)\n(1, b, 2)\n(2, i, 3)\n(2, i, 4)\n(3, c, 0)\n(4, d, 5)\n"
    );
    assert_eq!(
        reduced("tau-star"),
        "des (0, 4, 4)\n(0, a, 1)\n(1, b, 2)\n(2, c, 0)\n(2, d, 3)\n"
    );
    scratch
        .feed("reduce", &[], INPUT)
        .ok()
        .prints(&reduced("tau-confluence"));
}

#[test]
fn names_are_those_of_cadp_too() {
    let scratch = Scratch::new();
    scratch.write("in.aut", INPUT);
    for (name, _) in REDUCTIONS {
        let own = scratch.run("reduce", &["-r", name, "in.aut"]).ok();
        let short = name.replacen('-', "", 1);
        scratch
            .run("reduce", &["--reduction", &short, "in.aut"])
            .ok()
            .prints(own.text());
    }
    scratch
        .shell("cmp <(reduce -r 'tau*.a' in.aut) <(reduce -r tau-star in.aut)")
        .ok();
    scratch
        .run("reduce", &["-r", "branching", "in.aut"])
        .status(2)
        .says("unknown reduction `branching`")
        .says("minimize -e branching")
        .prints("");
    scratch
        .run("reduce", &["-r", "confluence", "in.aut"])
        .status(2)
        .says("unknown reduction `confluence`")
        .says("tau-confluence")
        .prints("");
    // The same relation; this one merges states too.
    scratch
        .shell("minimize -e taustar in.aut > m && reduce -r taustar in.aut | minimize -e strong | cmp - m")
        .ok();
}

#[test]
fn results_are_equivalent_to_the_input() {
    let scratch = Scratch::new();
    for family in [
        &["dining", "4"][..],
        &["random", "300", "700", "--alphabet", "3", "--seed", "4"],
        &["random", "2000", "3000", "--alphabet", "2", "--seed", "5"],
    ] {
        scratch
            .run("generate", &[family, &["-o", "in.aut"]].concat())
            .ok();
        scratch
            .run(
                "relabel",
                &["--hide-label", "[PT].*", "-q", "in.aut", "-o", "in.aut"],
            )
            .ok();
        for (name, relation) in REDUCTIONS {
            scratch
                .run("reduce", &["-r", name, "in.aut", "-o", "out.aut"])
                .ok();
            scratch
                .run("reduce", &["-r", name, "out.aut"])
                .ok()
                .prints(&scratch.read("out.aut"));
            if !relation.is_empty() {
                scratch
                    .run("equiv", &["-e", relation, "in.aut", "out.aut"])
                    .ok()
                    .prints("TRUE\n");
                continue;
            }
            scratch
                .shell("reach --tau-star in.aut | equiv - out.aut")
                .ok()
                .prints("TRUE\n");
        }
    }
}

#[test]
fn several_are_done_from_left_to_right() {
    let scratch = Scratch::new();
    scratch.write("in.aut", INPUT);
    let options = ["-r", "tau-star", "-r", "tau-divergence", "in.aut"];
    let star = scratch.run("reduce", &["-r", "tau-star", "in.aut"]).ok();
    scratch.run("reduce", &options).ok().prints(star.text());
    scratch
        .shell(
            "reduce -r tau-divergence -r tau-confluence in.aut > a && \
             reduce -r tau-divergence in.aut | reduce -r tau-confluence > b && cmp a b",
        )
        .ok();
}

#[test]
fn labels_are_changed_first() {
    let scratch = Scratch::new();
    scratch.write("in.aut", INPUT);
    scratch.write("rules.hid", "hide\n\"[cd]\"\n");
    scratch
        .shell(
            "relabel --hide rules.hid --cut-label b in.aut | reduce > a && \
             reduce --hide rules.hid --cut-label b in.aut > b && cmp a b",
        )
        .ok();
    scratch
        .run("reduce", &["--hide-label", "[a-d]", "in.aut"])
        .ok()
        .prints("des (0, 0, 1)\n");
    scratch
        .run("reduce", &["--hide-label", "zzz", "in.aut"])
        .status(0)
        .says("warning: ");
    scratch
        .run(
            "reduce",
            &["--hide", "rules.hid", "in.aut", "-o", "rules.hid"],
        )
        .status(2)
        .prints("");
}

#[test]
fn awkward_shapes() {
    let scratch = Scratch::new();
    for (name, _) in REDUCTIONS {
        let run = |input: &str| {
            let run = scratch.feed("reduce", &["-r", name], input).ok();
            run.text().to_owned()
        };
        assert_eq!(run("des (0, 0, 1)\n"), "des (0, 0, 1)\n");
        assert_eq!(run("des (2, 0, 5)\n"), "des (0, 0, 1)\n");
        assert_eq!(
            run("des (1, 3, 2)\n(1, a, 1)\n(1, a, 1)\n(0, i, 0)\n"),
            "des (0, 1, 1)\n(0, a, 0)\n"
        );
        let looped = run("des (0, 1, 1)\n(0, i, 0)\n");
        match name {
            "tau-divergence" => assert_eq!(looped, "des (0, 1, 1)\n(0, i, 0)\n"),
            _ => assert_eq!(looped, "des (0, 0, 1)\n"),
        }
        scratch
            .feed("reduce", &["-r", name], "")
            .status(2)
            .prints("");
        scratch
            .feed("reduce", &["-r", name], "des (0, 2, 2)\n(0, a, 1)\n")
            .status(2)
            .prints("");
    }
}

#[test]
fn statistics_tell_each_step() {
    let scratch = Scratch::new();
    let options = "-r tau-divergence -r tau-star --hide-label b --stats s.json -o out.aut";
    let options: Vec<&str> = options.split(' ').collect();
    scratch.feed("reduce", &options, INPUT).ok();
    let stats = json(scratch.read("s.json"));
    let steps = stats["reductions"].as_array().unwrap();
    assert_eq!(steps[0]["reduction"], "tau-divergence");
    assert_eq!(
        (&steps[0]["states"], &steps[0]["transitions"]),
        (&json("9"), &json("12"))
    );
    assert_eq!(steps[1]["reduction"], "tau-star");
    assert_eq!(
        (&steps[1]["states"], &steps[1]["transitions"]),
        (&json("3"), &json("3"))
    );
    assert_eq!(stats["transitions_hidden"], 1);
    assert_eq!(stats["inputs"][0]["states"], 11);
    assert_eq!(stats["outputs"][0]["states"], 3);
    let phases = stats["phases"].as_array().unwrap();
    let names: Vec<_> = phases.iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read", "relabel", "reduce", "reduce", "write"]);
    scratch
        .feed("reduce", &["-v"], INPUT)
        .status(0)
        .says("reduce: reduce: tau-confluence, 6 states, 6 transitions");
}
