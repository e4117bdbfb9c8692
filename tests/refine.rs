//! `refine`, run as a user runs it.

use crate::util;

use std::path::Path;

use util::{Scratch, json};

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/refine");
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        scratch.write(&name, std::fs::read(file.path()).unwrap());
    }
    scratch
}

#[test]
fn a_system_refines_itself() {
    let scratch = scratch();
    let text = scratch.read("vend_spec.aut");
    for semantics in ["T", "F", "FD"] {
        for shortest in ["steps", "events"] {
            let options = ["--semantics", semantics, "--shortest", shortest];
            for files in [["vend_spec.aut", "-"], ["-", "vend_spec.aut"]] {
                scratch
                    .feed("refine", &[&options[..], &files].concat(), &text)
                    .ok()
                    .prints("TRUE\n");
            }
        }
    }
}

#[test]
fn the_examples() {
    let scratch = scratch();
    let all = json(scratch.read("expected.json"));
    for example in all.as_array().unwrap() {
        let file = |side: &str| format!("{}.aut", example[side].as_str().unwrap());
        for semantics in ["T", "F", "FD"] {
            let expected = &example[semantics];
            let (spec, model) = (file("spec"), file("impl"));
            let arguments = [
                &*spec,
                &model,
                "--semantics",
                semantics,
                "--shortest",
                "events",
                "--stats",
                "s.json",
            ];
            let holds = expected["holds"] == true;
            let run = scratch.run("refine", &arguments).status(i32::from(!holds));
            assert_eq!(
                run.text().lines().next(),
                Some(if holds { "TRUE" } else { "FALSE" })
            );
            let stats = json(scratch.read("s.json"));
            assert_eq!(stats["semantics"], semantics);
            assert_eq!(stats["verdict"], holds);
            if holds {
                assert_eq!(stats["pairs"], expected["product_states"]);
            } else {
                assert_eq!(stats["violation"], expected["kind"]);
                assert_eq!(stats["events"], expected["min_trace_len"]);
            }
        }
    }
}

#[test]
fn a_forbidden_trace() {
    scratch()
        .run("refine", &["--semantics", "T", "buf1.aut", "chain2.aut"])
        .status(1)
        .prints("FALSE\n*** trace of chain2.aut, not of buf1.aut\n\"in.0\"\n\"i\"\n\"in.0\"\n");
}

#[test]
fn a_refusal() {
    let scratch = scratch();
    scratch
        .run(
            "refine",
            &["--semantics", "F", "vend_impl.aut", "vend_spec.aut"],
        )
        .status(1)
        .prints(
            "FALSE\n*** vend_spec.aut refuses what vend_impl.aut cannot refuse\n\
             \"coin\"\n\"i\"\n\
             *** vend_spec.aut accepts: \"tea\"\n\
             *** vend_impl.aut accepts at the least: \"coffee\" \"tea\"\n",
        );
    scratch
        .run("refine", &["--semantics", "F", "a_int_b.aut", "stop.aut"])
        .status(1)
        .prints(
            "FALSE\n*** stop.aut refuses what a_int_b.aut cannot refuse\n<deadlock>\n\
             *** stop.aut accepts: nothing\n\
             *** a_int_b.aut accepts at the least: \"a\"\n*** or: \"b\"\n",
        );
    scratch
        .run("refine", &["--semantics", "F", "div.aut", "stop.aut"])
        .status(1)
        .prints(
            "FALSE\n*** stop.aut refuses what div.aut cannot refuse\n<deadlock>\n\
             *** stop.aut accepts: nothing\n\
             *** div.aut refuses nothing there: it is never stable\n",
        );
}

#[test]
fn a_divergence() {
    let scratch = scratch();
    scratch
        .run("refine", &["a_stop.aut", "a_div.aut"])
        .status(1)
        .prints(
            "FALSE\n*** a_div.aut diverges where a_stop.aut does not\n\"a\"\n\
             *** from here on a cycle\n\"i\"\n",
        );
    scratch
        .run("refine", &["a_div.aut", "a_then_b.aut"])
        .ok()
        .prints("TRUE\n");
}

/// What follows FALSE is a SEQ file of what the implementation does.
#[test]
fn counterexamples_are_traces_of_the_implementation() {
    let scratch = scratch();
    for (spec, model) in [
        ("buf1", "chain2"),
        ("vend_spec", "vend_bad"),
        ("a_stop", "a_div"),
    ] {
        let script = format!(
            "refine {spec}.aut {model}.aut > found.seq; \
             grep '^\"' found.seq | transcode --from seq > trace.aut && \
             refine --semantics T {model}.aut trace.aut"
        );
        scratch.shell(&script).ok().prints("TRUE\n");
    }
}

#[test]
fn networks_are_explored_on_the_fly() {
    let scratch = Scratch::new();
    let folder = format!("{}/testdata/networks", env!("CARGO_MANIFEST_DIR"));
    for (name, status) in [("database_4", 0), ("peterson_3", 1), ("liststack_2_2_2", 1)] {
        let (spec, net) = (
            format!("{folder}/{name}/spec.aut"),
            format!("{folder}/{name}/net.exp"),
        );
        scratch
            .run("refine", &["--semantics", "T", &spec, &net])
            .ok();
        let run = scratch.run("refine", &[&spec, &net]).status(status);
        // What the components do is told.
        assert_eq!(run.text().contains("\n*** proc_P"), name == "peterson_3");
        // As a specification it is explored first.
        scratch
            .run("refine", &["--semantics", "F", &net, &net])
            .ok()
            .prints("TRUE\n");
    }
}

#[test]
fn systems_of_machines_may_be_either() {
    let scratch = Scratch::new();
    let system = format!(
        "{}/testdata/channels/inres.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    scratch
        .shell(&format!(
            "reach {system} -o flat.aut && refine {system} flat.aut && refine flat.aut {system}"
        ))
        .ok()
        .prints("TRUE\nTRUE\n");
}

#[test]
fn limits_leave_it_open() {
    let scratch = scratch();
    for options in [
        &["--max-states", "2"][..],
        &["--max-states", "2", "--shortest", "events"],
        &["--max-normal-form", "1"],
    ] {
        let run = scratch.run("refine", &[&["buf2.aut", "chain2.aut"], options].concat());
        run.status(3).says(options[0]).prints("UNKNOWN\n");
    }
    scratch
        .run(
            "refine",
            &[
                "buf2.aut",
                "chain2.aut",
                "--max-states",
                "2",
                "--stats",
                "s.json",
            ],
        )
        .status(3);
    assert!(json(scratch.read("s.json"))["verdict"].is_null());
}

#[test]
fn threads_make_no_difference() {
    let scratch = Scratch::new();
    let folder = format!(
        "{}/testdata/networks/liststack_2_2_2",
        env!("CARGO_MANIFEST_DIR")
    );
    let (spec, net) = (format!("{folder}/spec.aut"), format!("{folder}/net.exp"));
    let run = |threads| {
        let run = scratch
            .run("refine", &[&spec, &net, "-j", threads])
            .status(1);
        run.text().to_owned()
    };
    assert_eq!(run("1"), run("2"));
}

#[test]
fn bad_arguments_are_2() {
    let scratch = scratch();
    scratch
        .run("refine", &["-", "-"])
        .status(2)
        .says("only one of SPEC and IMPL");
    scratch.run("refine", &["stop.aut"]).status(2);
    scratch
        .run("refine", &["--semantics", "X", "stop.aut", "stop.aut"])
        .status(2)
        .says("unknown semantics `X`; there are T");
    scratch
        .run("refine", &["stop.aut", "missing.aut"])
        .status(2)
        .says("missing.aut")
        .prints("");
    scratch
        .run("refine", &["--check-model", "stop.aut", "stop.aut"])
        .status(2)
        .says("--check-model is for model plugins (.so), and stop.aut is none");
}

#[test]
fn the_counterexample_goes_to_a_file() {
    let scratch = scratch();
    let run = |arguments: &[&str]| scratch.run("refine", arguments);
    for file in ["w.aut", "w.bcg", "w.seq", "w.trc"] {
        run(&["buf1.aut", "chain2.aut", "-o", file])
            .status(1)
            .silent();
        let chain = "des (0, 3, 4)\n(0, \"in.0\", 1)\n(1, i, 2)\n(2, \"in.0\", 3)\n";
        scratch.run("transcode", &[file]).ok().prints(chain);
    }
    // A divergence closes its cycle where there can be one.
    run(&["a_stop.aut", "a_div.aut", "-o", "d.aut"]).status(1);
    assert_eq!(
        scratch.read("d.aut"),
        "des (0, 2, 2)\n(0, a, 1)\n(1, i, 1)\n"
    );
    run(&["a_stop.aut", "a_div.aut", "-o", "d.trc"]).status(1);
    assert_eq!(scratch.read("d.trc"), "a\ntau\n");
    run(&["buf2.aut", "chain2.aut", "-o", "none.aut"])
        .status(0)
        .says("none.aut is not written: there is no witness")
        .prints("TRUE\n");
    let limited = [
        "buf2.aut",
        "chain2.aut",
        "--max-states",
        "1",
        "-o",
        "none.aut",
    ];
    run(&limited).status(3).prints("UNKNOWN\n");
    assert!(!scratch.path("none.aut").exists());
    run(&["buf2.aut", "chain2.aut", "-o", "chain2.aut"])
        .status(2)
        .says("would replace the input");
}

#[test]
fn answers_in_json() {
    let scratch = scratch();
    let run = |arguments: &[&str], status| {
        let run = scratch.run("refine", &[&["--json"], arguments].concat());
        json(run.status(status).text())
    };
    let holds = run(&["buf2.aut", "chain2.aut"], 0);
    assert_eq!(holds["verdict"], true);
    assert_eq!(holds["witness"], serde_json::Value::Null);
    let trace = run(&["buf1.aut", "chain2.aut"], 1);
    assert_eq!(trace["semantics"], "FD");
    assert_eq!(
        trace["witness"],
        serde_json::json!({ "kind": "trace", "labels": ["in.0", { "hidden": true }, "in.0"] })
    );
    let refusal = run(&["a_int_b.aut", "stop.aut"], 1);
    assert_eq!(
        refusal["witness"],
        serde_json::json!({
            "kind": "refusal",
            "labels": [],
            "accepts": [],
            "minimal_acceptances": [["a"], ["b"]],
        })
    );
    let divergence = run(&["a_stop.aut", "a_div.aut"], 1);
    assert_eq!(divergence["witness"]["cycle"], 1);
    let open = run(&["buf2.aut", "chain2.aut", "--max-states", "1"], 3);
    assert_eq!(open["verdict"], serde_json::Value::Null);
    assert!(open["reason"].as_str().unwrap().contains("--max-states"));
}

#[test]
fn a_label_that_may_be_hidden_is_told() {
    let scratch = scratch();
    scratch.write("spec.aut", "des (0,1,2)\n(0,a,1)\n");
    scratch.write("tau.aut", "des (0,2,3)\n(0,tau,1)\n(1,a,2)\n");
    scratch.write("hidden.aut", "des (0,2,3)\n(0,i,1)\n(1,a,2)\n");
    scratch.write("hidden.exp", "\"hidden.aut\"\n");
    for spec in ["hidden.aut", "hidden.exp"] {
        let hint = format!(
            "refine: label `tau` is visible in tau.aut; {spec} has hidden actions, and no such \
             label: --tau tau hides it in both"
        );
        scratch
            .run("refine", &[spec, "tau.aut"])
            .status(1)
            .says(&hint);
        scratch
            .run("refine", &["--semantics", "F", "tau.aut", spec])
            .status(1)
            .says(&hint);
    }
    scratch.run("refine", &["spec.aut", "hidden.aut"]).ok();
    let run = scratch.run("refine", &["spec.aut", "tau.aut"]).status(1);
    assert!(!run.stderr.contains("hides it in both"), "{}", run.stderr);
}

/// Letters in any order and then `c`, if the 30th letter from the last was an `a`: a normal
/// form of 2^30 nodes.
#[test]
fn a_normal_form_that_explodes_is_not_made() {
    let scratch = Scratch::new();
    let k = 30;
    let mut steps = vec!["(0,a,0)".to_owned(), "(0,b,0)".into(), "(0,a,1)".into()];
    for at in 1..k {
        steps.extend(["a", "b"].map(|letter| format!("({at},{letter},{})", at + 1)));
    }
    steps.push(format!("({k},c,{})", k + 1));
    let aut = |steps: &[String]| {
        let (transitions, states) = (steps.len(), k + 2);
        format!("des (0,{transitions},{states})\n{}\n", steps.join("\n"))
    };
    scratch.write("spec.aut", aut(&steps));
    scratch.write("words.aut", "des (0,2,1)\n(0,a,0)\n(0,b,0)\n");
    for (semantics, status) in [("T", 0), ("FD", 0)] {
        scratch
            .run(
                "refine",
                &["--semantics", semantics, "spec.aut", "words.aut"],
            )
            .status(status)
            .silent();
    }
    steps.push(format!("({},d,0)", k + 1));
    scratch.write("more.aut", aut(&steps));
    for semantics in ["T", "F", "FD"] {
        let run = scratch
            .run(
                "refine",
                &[
                    "--semantics",
                    semantics,
                    "spec.aut",
                    "more.aut",
                    "--stats",
                    "s",
                ],
            )
            .status(1)
            .says("fewer hidden steps");
        assert!(
            run.text().starts_with("FALSE\n*** trace of more.aut"),
            "{}",
            run.text()
        );
        assert!(run.text().ends_with("\"c\"\n\"d\"\n"), "{}", run.text());
        let stats = json(scratch.read("s"));
        assert_eq!(stats["events"], k + 2);
        let phases = stats["phases"].as_array().unwrap();
        assert!(phases.iter().any(|phase| phase["name"] == "antichains"));
    }
    scratch
        .run("refine", &["--shortest", "events", "spec.aut", "more.aut"])
        .status(1)
        .silent();
    scratch
        .run(
            "refine",
            &["--max-normal-form", "1000", "spec.aut", "more.aut"],
        )
        .status(3)
        .says("--max-normal-form");
    // The steps of components are told of all the same.
    scratch.write(
        "net.exp",
        "par d in\n  \"more.aut\" || \"d.aut\"\nend par\n",
    );
    scratch.write("d.aut", "des (0,1,2)\n(0,d,1)\n");
    scratch
        .run("refine", &["--semantics", "T", "spec.aut", "net.exp"])
        .status(1)
        .says("fewer hidden steps");
}
