//! `kernel find-symmetry`, run as a user runs it.

use crate::util;

use std::fs;

use util::{Scratch, json};

/// Three users take a lock in turn; the third has another way to give it back.
const LOCK: &str = r#"des (0,6,4)
(0,"TAKE !0",1)
(0,"TAKE !1",2)
(0,"TAKE !2",3)
(1,"DROP !0",0)
(2,"DROP !1",0)
(3,"LOSE !2",0)
"#;

/// Three stations pass a token round: the first one has it.
const RING: &str = r#"des (0,3,3)
(0,"PASS (0)",1)
(1,"PASS (1)",2)
(2,"PASS (2)",0)
"#;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("lock.aut", LOCK);
    scratch.write("ring.aut", RING);
    scratch.write("ab.aut", "des (0,2,3)\n(0,GO !a,1)\n(1,GO !b,2)\n");
    scratch
}

/// A scratch directory with a file of testdata/kernel.
fn scratch_with(file: &str) -> Scratch {
    let scratch = Scratch::new();
    let path = format!("{}/testdata/kernel/{file}", env!("CARGO_MANIFEST_DIR"));
    scratch.write(file, fs::read(path).unwrap());
    scratch
}

const FIND: &str = "find-symmetry";

#[test]
fn one_line_for_each_fact() {
    let scratch = scratch();
    scratch.run("kernel", &[FIND, "lock.aut"]).ok().prints(
        "symmetric: TRUE\norder: 2\norder_fixing_initial: 2\nclass: permutations 0 1\n\
             generator: (0 1)\n",
    );
    scratch.feed("kernel", &[FIND], RING).ok().prints(
        "symmetric: TRUE\norder: 3\norder_fixing_initial: 1\nclass: rotations 0 1 2\n\
         moving_generator: (0 1 2)\n",
    );
    scratch
        .run("kernel", &[FIND, "ab.aut"])
        .status(1)
        .prints("symmetric: FALSE\norder: 1\norder_fixing_initial: 1\n");
}

#[test]
fn symmetries_can_be_restricted() {
    let scratch = scratch();
    scratch
        .run("kernel", &[FIND, "--fix-initial", "ring.aut"])
        .status(1)
        .prints("symmetric: FALSE\norder: 1\norder_fixing_initial: 1\n");
    scratch
        .run("kernel", &[FIND, "--fix", "1", "lock.aut"])
        .status(1)
        .prints("symmetric: FALSE\norder: 1\norder_fixing_initial: 1\n");
    for unknown in ["NOSUCH", ""] {
        let fixed = [FIND, "--fix", "1", "--fix", unknown, "lock.aut"];
        let text = format!("--fix `{unknown}`: no label has such a value; expected one of `");
        scratch
            .run("kernel", &fixed)
            .status(2)
            .says(&text)
            .prints("");
    }
    // With blanks in tokens a label is one token, its gate.
    scratch
        .run("kernel", &[FIND, "--token-characters", " !", "lock.aut"])
        .status(1);
}

#[test]
fn choices_are_limited() {
    let scratch = Scratch::new();
    let edge = |k: usize, by: usize| format!("(0,\"NEXT !{k} !{}\",0)\n", (k + by) % 7);
    let edges: String = (0..7).flat_map(|k| [edge(k, 1), edge(k, 6)]).collect();
    scratch.write("circle.aut", format!("des (0,14,1)\n{edges}"));
    let most = ["--max-choices", "0", "circle.aut"];
    scratch
        .run("kernel", &[&[FIND], &most[..]].concat())
        .status(3)
        .prints("")
        .says("(--max-choices)");
    scratch
        .run("kernel", &[FIND, "--max-choices", "100", "circle.aut"])
        .ok();
    // Without the question there is nothing to limit.
    scratch
        .run("kernel", &most)
        .status(2)
        .says("--max-choices is an option of kernel find-symmetry");
    scratch
        .run("kernel", &["--find-symmetry", "circle.aut"])
        .status(2)
        .says("--find-symmetry is now: kernel find-symmetry [INPUT]");
}

#[test]
fn json_has_maps() {
    let scratch = scratch();
    let run = scratch.run("kernel", &[FIND, "--json", "ring.aut"]).ok();
    assert_eq!(
        json(run.text()),
        serde_json::json!({
            "symmetric": true,
            "order": 3,
            "order_fixing_initial": 1,
            "values": ["0", "1", "2"],
            "classes": [{
                "action": "rotations",
                "order": 3,
                "independent": true,
                "values": ["0", "1", "2"],
            }],
            "generators": [{
                "cycles": "(0 1 2)",
                "map": { "0": "1", "1": "2", "2": "0" },
                "fixes_initial": false,
            }],
        })
    );
}

#[test]
fn a_pattern_is_offered_and_taken() {
    let scratch = scratch();
    // Station 1 gets the token and gives it on.
    let station = "des (0,2,2)\n(0,\"1 PASS (0)\",1)\n(1,\"2 PASS (1)\",0)\n";
    scratch.write("station.aut", station);
    scratch
        .run(
            "kernel",
            &[
                FIND,
                "ring.aut",
                "--template",
                "station.aut",
                "-o",
                "p.toml",
            ],
        )
        .ok();
    // The copy for station 0 has the token at the start.
    assert_eq!(
        scratch.read("p.toml"),
        "# 3 copies of the template.\n\
         template = \"station.aut\"\n\
         \n\
         [values]\n\
         class1 = [0, 1, 2]\n\
         \n\
         # Where copies start that do not start like the template is what a trace of\n\
         # the specification says. Change it if the template means something else.\n\
         [[transformations]]\n\
         rotations = \"class1\"\n\
         \n\
         [[initial]]\n\
         map = { 0 = 2, 1 = 0 }\n\
         state = 1\n\
         \n\
         # A smallest label stands for those symmetric to it; another order may give a\n\
         # smaller kernel.\n\
         \n\
         [[order]]\n\
         label = \"PASS $v1\"\n\
         by = [{ variable = \"v1\", values = \"class1\" }]\n"
    );
    let run = scratch.run(
        "kernel",
        &["--pattern", "p.toml", "ring.aut", "--stats", "s.json"],
    );
    run.status(0);
    assert_eq!(json(scratch.read("s.json"))["copies"], 3);
}

#[test]
fn a_chatbox_has_a_copy_for_each_pair_of_users() {
    let scratch = scratch_with("chatbox_join.template.aut");
    scratch
        .shell(
            "generate chatbox 3 -o chatbox.aut && kernel find-symmetry chatbox.aut \
             --template chatbox_join.template.aut -o p.toml && \
             kernel chatbox.aut --pattern p.toml -q --stats s.json -o kernel.aut",
        )
        .ok();
    let pattern = scratch.read("p.toml");
    let expected = "\n[[transformations]]\n\
                    injections = { from = [0, 1], into = \"class1\" }\n";
    assert!(pattern.contains("\nclass1 = [0, 1, 2]\n"), "{pattern}");
    assert!(pattern.contains(expected), "{pattern}");
    assert!(!pattern.contains("[[initial]]"), "{pattern}");
    assert_eq!(json(scratch.read("s.json"))["copies"], 6);
}

/// The pattern that is offered for a model and a template.
fn offered(scratch: &Scratch, model: &str, template: &str, options: &str) -> String {
    scratch
        .shell(&format!(
            "generate {model} -o spec.aut && kernel find-symmetry {options} spec.aut \
             --template {template} -o p.toml"
        ))
        .ok();
    scratch.read("p.toml")
}

/// States of the kernel by the offered pattern with another order.
fn kernel_states(scratch: &Scratch, pattern: &str, order: &str) -> u64 {
    let (pattern, _) = pattern.split_once("\n# A smallest label").unwrap();
    scratch.write("p.toml", format!("{pattern}\n{order}"));
    let run = scratch.shell("kernel -q spec.aut --pattern p.toml | describe --json");
    json(run.ok().text())["states"].as_u64().unwrap()
}

#[test]
fn a_train_has_a_copy_for_each_station() {
    // Requests of both kinds can be exchanged, but then the template does the
    // same: there are no more copies for that. The train starts at station 0,
    // whose copy starts in the state of a train that has arrived.
    let scratch = scratch_with("train_mealy4.generated.aut");
    let pattern = offered(&scratch, "train-mealy 4", "train_mealy4.generated.aut", "");
    let expected = "\n[[transformations]]\nrotations = \"class1\"\n\n\
                    [[initial]]\nmap = { 0 = 3, 1 = 0, 2 = 1, 3 = 2 }\nstate = 4\n";
    assert!(pattern.contains("\nclass1 = [0, 1, 2, 3]\n"), "{pattern}");
    assert!(pattern.contains(expected), "{pattern}");
    // The published kernel.
    let order = "[[order]]\nlabel = \"REQUEST($_, $s, $*)\"\n\
                 by = [{ variable = \"s\", values = [0, 2, 1, 3] }]\n";
    assert_eq!(kernel_states(&scratch, &pattern, order), 1548);

    // With an odd number of stations the circle can be turned over too, if left
    // and right are exchanged; a copy for that would again be no other.
    let scratch = scratch_with("train_mealy5.generated.aut");
    let pattern = offered(&scratch, "train-mealy 5", "train_mealy5.generated.aut", "");
    let expected = "\n[[transformations]]\nrotations = [0, 1, 2, 3, 4]\n\n\
                    [[initial]]\nmap = { 0 = 4, 1 = 0, 2 = 1, 3 = 2, 4 = 3 }\nstate = 4\n";
    assert!(pattern.contains(expected), "{pattern}");
    let order = order.replace("[0, 2, 1, 3]", "[0, 2, 4, 3, 1]");
    assert_eq!(kernel_states(&scratch, &pattern, &order), 5193);
}

#[test]
fn after_its_first_states_a_train_of_four_stations_is_symmetric() {
    let scratch = scratch_with("train.template.aut");
    let pattern = offered(&scratch, "train 4", "train.template.aut", "--recurrent");
    let expected = "\n[[transformations]]\nrotations = \"class1\"\n\n\
                    [[initial]]\nmap = { 0 = 3, 1 = 0, 2 = 1 }\nstate = 2\n";
    assert!(pattern.contains(expected), "{pattern}");
    // With five the first station on a side decides, wherever the train is.
    scratch.shell("generate train 5 -o spec.aut").ok();
    let options = [FIND, "--recurrent", "--fix", "CALL", "spec.aut"];
    scratch.run("kernel", &options).status(1);
}

#[test]
fn networks_of_like_components_are_symmetric() {
    let scratch = Scratch::new();
    for (network, lines) in [
        (
            "liststack_2_2_2",
            "order: 4\n…class: permutations A B\nclass: permutations T0 T1\n",
        ),
        ("phils_3", "order: 3\n…class: rotations P0 P1 P2\n"),
        ("peterson_3", "order: 6\n…class: permutations P0 P1 P2\n"),
        (
            "database_4",
            "order: 24\n…class: permutations M0 M1 M2 M3\n",
        ),
    ] {
        let folder = format!("{}/testdata/networks/{network}", env!("CARGO_MANIFEST_DIR"));
        let run = scratch.shell(&format!("reach -q {folder}/net.exp | kernel find-symmetry"));
        let run = run.ok();
        for part in lines.split('…') {
            assert!(run.text().contains(part), "{network}: {}", run.text());
        }
    }
}

#[test]
fn without_symmetry_there_is_no_pattern() {
    let scratch = scratch();
    scratch.write("one.aut", "des (0,1,2)\n(0,1 GO !a,1)\n");
    let options = [FIND, "ab.aut", "--template", "one.aut", "-o", "p.toml"];
    scratch
        .run("kernel", &options)
        .status(1)
        .says("no symmetry but the identity");
    assert!(!scratch.names().contains(&"p.toml".to_owned()));
}

#[test]
fn what_is_no_component_is_told() {
    let scratch = scratch();
    for (component, reason) in [
        (
            "des (0,1,2)\n(0,1 LOSE !2,1)\n",
            "no symmetry moves a value",
        ),
        (
            "des (0,1,2)\n(0,1 0 !1,1)\n",
            "`0` is a value that symmetries move",
        ),
        (
            "des (0,2,2)\n(0,TAKE !0,1)\n(0,TAKE !0,0)\n",
            "expected a deterministic template",
        ),
    ] {
        scratch.write("component.aut", component);
        let options = [FIND, "lock.aut", "--template", "component.aut"];
        scratch
            .run("kernel", &options)
            .status(2)
            .says(reason)
            .says("component.aut");
    }
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let scratch = scratch();
    for options in [
        &[FIND, "--pattern", "p.toml"][..],
        &[FIND, "--keep-numbers"],
        &[FIND, "--json", "--template", "ring.aut"],
        &[FIND, "--to", "bcg"],
        &[FIND, "-o", "ring.aut", "--template", "ring.aut"],
        &["--fix", "0"],
        &["--template", "ring.aut"],
    ] {
        let options: Vec<&str> = options.iter().copied().chain(["lock.aut"]).collect();
        scratch.run("kernel", &options).status(2);
    }
    assert_eq!(scratch.read("ring.aut"), RING);
}
