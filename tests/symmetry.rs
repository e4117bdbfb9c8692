//! `--symmetry` of `reach` and `refine`, as a user gives it.

use crate::util;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use hyades::formats::{Format, Lts, ReadOptions, Source, StateId, read_lts};
use util::{Run, Scratch, json};

const STRATEGIES: [&str; 5] = ["exact", "refine", "paper", "sorted", "segmented"];

/// A network among the test data.
struct Known {
    name: &'static str,
    /// Its types on one line.
    line: &'static str,
    states: u64,
    transitions: u64,
    orbits: u64,
    deadlocks: bool,
}

const KNOWN: [Known; 5] = [
    Known {
        name: "liststack_2_2_2",
        line: "Node=N0,N1;Thread=T0,T1;Data=A,B",
        states: 1512,
        transitions: 2794,
        orbits: 210,
        deadlocks: true,
    },
    Known {
        name: "liststack_3_2_2",
        line: "Node = N2,N0,N1; Data = B,A; Thread = T0,T1",
        states: 9432,
        transitions: 17446,
        orbits: 458,
        deadlocks: true,
    },
    Known {
        name: "database_4",
        line: "Man=M0,M1,M2,M3",
        states: 109,
        transitions: 224,
        orbits: 11,
        deadlocks: false,
    },
    Known {
        name: "peterson_3",
        line: "P=P0,P1,P2",
        states: 716,
        transitions: 2085,
        orbits: 141,
        deadlocks: false,
    },
    Known {
        name: "phils_3",
        line: "None=nobody",
        states: 79,
        transitions: 162,
        orbits: 79,
        deadlocks: false,
    },
];

/// A file of a network among the test data.
fn path(name: &str, file: &str) -> String {
    let base = env!("CARGO_MANIFEST_DIR");
    format!("{base}/testdata/networks/{name}/{file}")
}

/// A scratch directory with a copy of a network.
fn copied(name: &str) -> Scratch {
    let scratch = Scratch::new();
    for entry in fs::read_dir(PathBuf::from(path(name, ""))).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        scratch.write(name, fs::read(&path).unwrap());
    }
    scratch
}

fn lts(text: &str) -> Lts {
    let source = Source::from_bytes("text", text.into(), Some(Format::Aut)).unwrap();
    read_lts(source, &ReadOptions::default(), &mut |d| panic!("{d}")).unwrap()
}

/// The labels of the steps in what was printed.
fn steps(text: &str) -> Vec<&str> {
    let quoted = text.lines().filter_map(|line| line.strip_prefix('"'));
    quoted.map(|line| line.strip_suffix('"').unwrap()).collect()
}

/// All states that these steps lead to, hidden ones being `i`.
fn after(lts: &Lts, from: BTreeSet<u32>, steps: &[&str]) -> BTreeSet<u32> {
    steps.iter().fold(from, |states, step| {
        let rows = states.iter().flat_map(|&s| lts.outgoing(StateId::new(s)));
        let own = rows.filter(|(label, _)| match label.is_hidden() {
            true => *step == "i",
            false => lts.table().text(*label) == step.as_bytes(),
        });
        own.map(|(_, target)| target.get()).collect()
    })
}

fn initial(lts: &Lts) -> BTreeSet<u32> {
    [lts.initial().get()].into()
}

/// `reach` on a network with these options more.
fn reach(scratch: &Scratch, name: &str, options: &[&str]) -> Run {
    scratch.run("reach", &[&[&*path(name, "net.exp")], options].concat())
}

/// Each network, by each strategy, with types from a file, on a line and found.
#[test]
fn sizes_are_the_known_ones() {
    let scratch = Scratch::new();
    for known in &KNOWN {
        let file = path(known.name, "net.sym");
        for which in [&*file, known.line, "auto"] {
            for strategy in STRATEGIES {
                let what = format!("{} {which} {strategy}", known.name);
                let options = ["--representatives", strategy, "-o", "out.aut"];
                let options = [&["--symmetry", which, "--stats", "s.json"], &options[..]];
                let run = reach(&scratch, known.name, &options.concat()).status(0);
                let stats = json(scratch.read("s.json"));
                let states = stats["states_found"].as_u64().unwrap();
                assert_eq!(
                    lts(&scratch.read("out.aut")).states() as u64,
                    states,
                    "{what}"
                );
                if ["exact", "refine", "paper"].contains(&strategy) {
                    assert_eq!(states, known.orbits, "{what}");
                } else {
                    assert!((known.orbits..=known.states).contains(&states), "{what}");
                }
                let Known {
                    states,
                    transitions,
                    orbits,
                    ..
                } = known;
                let counted = format!(
                    "{orbits} orbits; without symmetry {states} states, {transitions} transitions"
                );
                let is_exact = strategy == "exact";
                assert_eq!(run.stderr.contains(&counted), is_exact, "{what}");
                if is_exact {
                    assert_eq!(stats["orbits"], orbits.to_string(), "{what}");
                    assert_eq!(stats["unreduced_states"], states.to_string(), "{what}");
                    let counted = &stats["unreduced_transitions"];
                    assert_eq!(*counted, transitions.to_string(), "{what}");
                } else {
                    assert!(stats["orbits"].is_null(), "{what}");
                }
            }
        }
    }
}

#[test]
fn the_types_are_told() {
    let scratch = Scratch::new();
    for (name, told, permutations) in [
        (
            "liststack_3_2_2",
            &["Type1 = A B", "N = N0 N1 N2", "T = T0 T1"][..],
            "24",
        ),
        ("database_4", &["M = M0 M1 M2 M3"], "24"),
        ("phils_3", &[], "1"),
    ] {
        let options = ["--symmetry", "auto", "--livelock", "--stats", "s.json"];
        let run = reach(&scratch, name, &options).status(0);
        match told.is_empty() {
            true => run.says("no symmetry: no two values can be exchanged"),
            false => run.says(&format!(
                "symmetry: {}; {permutations} permutations",
                told.join(", ")
            )),
        };
        let stats = json(scratch.read("s.json"));
        assert_eq!(stats["symmetry"], serde_json::json!(told));
        assert_eq!(stats["permutations"], permutations);
    }
}

/// A shortest run of the network itself, which ends in a deadlock.
#[test]
fn deadlocks_are_those_of_the_network() {
    let scratch = Scratch::new();
    for known in &KNOWN {
        let whole = reach(&scratch, known.name, &[]).ok();
        let whole = lts(whole.text());
        let plain = reach(&scratch, known.name, &["--deadlock"]).ok();
        for strategy in STRATEGIES {
            let options = ["--symmetry", "auto", "--representatives", strategy];
            let fails = ["--fail-on", "deadlock", "-q"];
            let run = reach(&scratch, known.name, &[&options[..], &fails].concat());
            let run = run.status(i32::from(known.deadlocks));
            if !known.deadlocks {
                run.prints("deadlock: FALSE\n");
                continue;
            }
            assert!(run.text().starts_with("deadlock: TRUE\n"));
            assert!(run.text().ends_with("<deadlock>\n"));
            let steps = steps(run.text());
            assert_eq!(steps.len(), self::steps(plain.text()).len());
            let ends = after(&whole, initial(&whole), &steps);
            let is_stuck = |s: &u32| whole.outgoing(StateId::new(*s)).len() == 0;
            assert!(ends.iter().any(is_stuck), "{} {strategy}", known.name);
            // What the components do is told, in comments.
            assert!(run.text().contains("\n*** thread_T"));
            // The trace is one of the network to the commands as well.
            scratch.write("found.seq", run.text());
            let net = path(known.name, "net.exp");
            let script = format!(
                "grep '^\"' found.seq | transcode --from seq > trace.aut && \
                 refine --semantics T {net} trace.aut"
            );
            scratch.shell(&script).ok().prints("TRUE\n");
        }
    }
}

#[test]
fn questions_that_tell_labels_apart_are_refused() {
    let scratch = Scratch::new();
    let net = "liststack_2_2_2";
    let find = |pattern: &str, more: &[&str]| {
        let options = ["--symmetry", "auto", "--find", pattern, "-q"];
        reach(&scratch, net, &[&options[..], more].concat())
    };
    find("POP !T0 !A", &[])
        .status(2)
        .says("--find 'POP !T0 !A' tells labels apart that the symmetry exchanges: of POP !T0 !A and ")
        .says("match both, or take a smaller symmetry")
        .prints("");
    // One of two is enough to be told apart.
    find("POP !.* !A", &["--find", "POP.*"])
        .status(2)
        .says("'POP !.* !A'");
    find("NOTHING", &[]).ok().prints("find: FALSE\n");
    find("POPEMPTY !T[01]", &["--fail-on", "found"]).status(1);
    let whole = lts(reach(&scratch, net, &[]).ok().text());
    let plain = reach(&scratch, net, &["--find", "POP !.*"]).ok();
    for strategy in STRATEGIES {
        let run = find("POP !.*", &["--representatives", strategy]).ok();
        let steps = steps(run.text());
        assert!(run.text().starts_with("find: TRUE\n"));
        assert!(steps.last().unwrap().starts_with("POP !"));
        assert_eq!(steps.len(), self::steps(plain.text()).len());
        assert!(
            !after(&whole, initial(&whole), &steps).is_empty(),
            "{strategy}"
        );
    }
    // Threads are not told apart by a question about data.
    let options = [
        "--symmetry",
        "T=T0,T1;N=N0,N1",
        "--find",
        "POP !.* !A",
        "-q",
    ];
    let run = reach(&scratch, net, &options).ok();
    assert!(steps(run.text()).last().unwrap().ends_with(" !A"));
}

/// A token that one of three users takes and that is then handed on for ever: up to
/// symmetry, handing it on leads nowhere else.
fn token() -> Scratch {
    let scratch = Scratch::new();
    let users = ["U0", "U1", "U2"];
    let mut vectors = Vec::new();
    for user in users {
        let mut aut = format!("des (0, 7, 3)\n(0, \"TAKE !{user}\", 1)\n");
        for other in users.iter().filter(|other| **other != user) {
            aut += &format!(
                "(0, \"TAKE !{other}\", 2)\n(1, \"GIVE !{user} !{other}\", 2)\n\
                 (2, \"GIVE !{other} !{user}\", 1)\n"
            );
            let give = format!("\"GIVE !{user} !{other}\"");
            let row = users.map(|third| match third == user || third == *other {
                true => &*give,
                false => "_",
            });
            vectors.push(format!("{} -> {give}", row.join(" * ")));
        }
        let take = format!("\"TAKE !{user}\"");
        vectors.push(format!("{take} * {take} * {take} -> {take}"));
        scratch.write(&format!("{user}.aut"), aut);
    }
    let net = format!(
        "hide GIVE in label par using {} in {} end par end hide",
        vectors.join(",\n"),
        users.map(|user| format!("\"{user}.aut\"")).join(" || ")
    );
    scratch.write("net.exp", net);
    scratch.write(
        "spec.aut",
        "des (0,3,2)\n(0,\"TAKE !U0\",1)\n(0,\"TAKE !U1\",1)\n(0,\"TAKE !U2\",1)\n",
    );
    scratch
}

#[test]
fn cycles_up_to_symmetry_are_cycles_of_the_network() {
    let scratch = token();
    let whole = lts(scratch.run("reach", &["net.exp"]).ok().text());
    for strategy in STRATEGIES {
        let options = ["--symmetry", "auto", "--representatives", strategy];
        let livelock = ["net.exp", "--fail-on", "livelock"];
        let refine = ["spec.aut", "net.exp"];
        for (command, arguments) in [("reach", &livelock[..]), ("refine", &refine)] {
            let run = scratch.run(command, &[arguments, &options].concat());
            let run = run.status(1).says("symmetry: U = U0 U1 U2; 6 permutations");
            let (before, circle) = run.text().split_once("*** from here on a cycle\n").unwrap();
            let [before, circle] = [before, circle].map(steps);
            assert!(before.len() == 1 && before[0].starts_with("TAKE !U"));
            // Who gave it once has to get it back.
            assert!((2..=3).contains(&circle.len()), "{}", run.text());
            let start = after(&whole, initial(&whole), &before);
            let around = |from: u32| after(&whole, [from].into(), &circle).contains(&from);
            assert!(start.into_iter().any(around));
            assert!(run.text().contains("\n*** U"), "{}", run.text());
        }
    }
    // Nothing is wrong in the other semantics.
    for semantics in ["T", "F"] {
        let options = [
            "--semantics",
            semantics,
            "spec.aut",
            "net.exp",
            "--symmetry",
            "auto",
        ];
        scratch.run("refine", &options).status(0).prints("TRUE\n");
    }
}

#[test]
fn types_that_cannot_be_read_have_places() {
    let scratch = copied("database_4");
    for (text, error) in [
        (
            "type M = M0 M1\ntyp N = N0\n",
            "bad.sym:2:1: error: `typ` starts no line",
        ),
        (
            "# M\n type M M0\n",
            "bad.sym:2:9: error: found `M0`, expected `=`",
        ),
        (
            "type M = M0 M1 M0\n",
            "bad.sym:1:16: error: the value M0 is in the type M twice",
        ),
        (
            "type M = M0\ngate DONE : N\n",
            "bad.sym:2:13: error: `N` is no type",
        ),
    ] {
        scratch.write("bad.sym", text);
        for (command, given) in [
            ("reach", &["net.exp"][..]),
            ("refine", &["spec.aut", "net.exp"]),
        ] {
            let options = [given, &["--symmetry", "bad.sym"]].concat();
            scratch
                .run(command, &options)
                .status(2)
                .says(error)
                .prints("");
        }
    }
    scratch.write("bad.sym", b"type M = M0\n# \xff\n");
    let run = |options: &[&str]| scratch.run("reach", &[&["net.exp"], options].concat());
    run(&["--symmetry", "bad.sym"])
        .status(2)
        .says("bad.sym:2:3: bytes that are no UTF-8");
    run(&["--symmetry", "none.sym"])
        .status(2)
        .says("none.sym")
        .prints("");
    run(&["--symmetry", "M=M0,M1,M0"])
        .status(2)
        .says("--symmetry: in the declaration `M=M0,M1,M0`, column 9: the value M0 is in the type M twice");
    run(&["--symmetry", "M=M0,M1;M=M2"]).status(2).says(
        "--symmetry: in the declaration `M=M0,M1;M=M2`, column 9: the type M is declared twice",
    );
    run(&["--symmetry", "M="])
        .status(2)
        .says("--symmetry: in the declaration `M=`, column 3: a value is missing");
    // A value of two types, where it stands in a label.
    run(&["--symmetry", "M=M0,M1;N=M1,M2"])
        .status(2)
        .says("M1 may be of the type M or N: declare the types of the gate's tokens");
}

#[test]
fn types_that_are_no_symmetry_are_refused() {
    let scratch = Scratch::new();
    let run = |name, options: &[&str]| reach(&scratch, name, options).status(2).prints("");
    run("phils_3", &["--symmetry", "P=P0,P1,P2"])
        .says("--symmetry: with P0 and P1 exchanged, the component ");
    run("liststack_2_2_2", &["--symmetry", "N=N0,N1,Null"])
        .says("--symmetry: with N1 and Null exchanged, the component ");
    // A rule that has no image: one of two.
    scratch.write("a.aut", "des (0,1,2)\n(0,A !0,1)\n");
    scratch.write("b.aut", "des (0,1,2)\n(0,A !1,1)\n");
    let one = "label par using \"A !0\" * \"A !1\" -> X, _ * \"A !1\" -> Y in a || b end par";
    scratch.write("net.exp", one);
    let refused = scratch.run("reach", &["net.exp", "--symmetry", "V=0,1"]);
    refused.status(2).says(
        "--symmetry: with 0 and 1 exchanged, the rule b `A !1` -> `Y` would have to be the rule a \
         `A !0` -> `Y`, which the network does not have",
    );
    // Nothing is wrong with fewer values.
    let run = reach(&scratch, "phils_3", &["--symmetry", "P=P0", "--deadlock"]);
    run.status(0).prints("deadlock: FALSE\n");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let scratch = copied("liststack_2_2_2");
    scratch.write("plain.aut", "des (0,0,1)\n");
    let system = format!(
        "{}/testdata/channels/inres.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    for given in ["plain.aut", &system] {
        let options = [given, "--symmetry", "auto"];
        let refused =
            format!("--symmetry with types or auto is for networks (.exp), and {given} is none");
        scratch
            .run("reach", &options)
            .status(2)
            .says(&refused)
            .prints("");
        let options = ["plain.aut", given, "--symmetry", "net.sym"];
        scratch
            .run("refine", &options)
            .status(2)
            .says(&refused)
            .prints("");
    }
    let model = ["net.exp", "--symmetry", "model"];
    let run = scratch.run("reach", &model).status(2);
    run.says("--symmetry model is for model plugins (.so), and net.exp is none");
    // The specification need not be a network, the implementation has to be one.
    let swapped = ["net.exp", "spec.aut", "--symmetry", "auto"];
    scratch
        .run("refine", &swapped)
        .status(2)
        .says("and spec.aut is none");
    let run = |options: &[&str]| {
        let options = [&["net.exp", "--symmetry", "net.sym"], options].concat();
        scratch.run("reach", &options).status(2).prints("")
    };
    for options in [
        &["--tau-star"][..],
        &["--por", "deadlock"],
        &["--compositional", "-e", "branching"],
    ] {
        let refused = format!("{} and --symmetry cannot be had at once", options[0]);
        // What is about hidden transitions is refused beside --tau-star anyway.
        let asked: &[&str] = match options[0] {
            "--tau-star" => &[],
            _ => &["--deadlock"],
        };
        run(&[options, asked].concat()).says(&refused);
    }
    run(&["--representatives", "best"])
        .says("unknown strategy")
        .says("segmented");
    scratch
        .run("reach", &["net.exp", "--representatives", "exact"])
        .status(2)
        .says("--symmetry");
    for file in ["net.sym", "node_N1.aut"] {
        let before = scratch.read(file);
        run(&["-o", file]);
        let options = ["spec.aut", "net.exp", "--symmetry", "net.sym", "-o", file];
        scratch.run("refine", &options).status(2).prints("");
        assert_eq!(scratch.read(file), before, "{file}");
    }
}

/// Labels may be hidden, renamed and cut on the fly, as long as it is done to all
/// values alike.
#[test]
fn relabelling_has_to_be_symmetric() {
    let scratch = Scratch::new();
    let net = "database_4";
    for (options, states) in [
        (&["--hide-label", "UPDATE.*"][..], 11),
        (&["--hide-label", "UPDATE !M[0-3]"], 11),
        (&["--rename-label", "UPDATE \\(.*\\) -> CHANGE \\1"], 11),
        (&["--cut-label", "DONE.*"], 11),
    ] {
        let symmetry = [
            "--symmetry",
            "M=M0,M1,M2,M3",
            "--representatives",
            "exact",
            "-q",
        ];
        let run = reach(&scratch, net, &[&symmetry, options].concat()).ok();
        let reduced = lts(run.text());
        assert_eq!(reduced.states(), states, "{options:?}");
        let whole = reach(&scratch, net, options).ok();
        let gates = |lts: &Lts| {
            let texts = lts.iter().map(|(_, label, _)| match label.is_hidden() {
                true => "i".to_owned(),
                false => String::from_utf8_lossy(lts.table().text(label)).into_owned(),
            });
            let gates = texts.map(|text| text.split(' ').next().unwrap().to_owned());
            gates.collect::<BTreeSet<String>>()
        };
        assert_eq!(gates(&reduced), gates(&lts(whole.text())), "{options:?}");
    }
    for option in ["--hide-label", "--cut-label"] {
        let symmetry = ["--symmetry", "M=M0,M1,M2,M3", option, "UPDATE !M0"];
        let run = reach(&scratch, net, &symmetry).status(2);
        // A label that is cut is one that components never have.
        let found = match option {
            "--hide-label" => "the rule ",
            _ => "the component man_M0 ",
        };
        run.says(&format!("--symmetry: with M0 and M1 exchanged, {found}"))
            .says("`UPDATE !M0`")
            .prints("");
        // What is left of the symmetry is found.
        let run = reach(&scratch, net, &["--symmetry", "auto", option, "UPDATE !M0"]);
        run.status(0).says("symmetry: M = M1 M2 M3; 6 permutations");
    }
}

#[test]
fn threads_make_no_difference() {
    let scratch = Scratch::new();
    for name in ["liststack_2_2_2", "peterson_3"] {
        for strategy in STRATEGIES {
            let symmetry = ["--symmetry", "auto", "--representatives", strategy];
            let run = |threads| {
                let options = [
                    "--deadlock",
                    "--livelock",
                    "--state-space",
                    "out.aut",
                    "-j",
                    threads,
                ];
                let run = reach(&scratch, name, &[&symmetry[..], &options].concat()).status(0);
                let (spec, net) = (path(name, "spec.aut"), path(name, "net.exp"));
                let options = [&*spec, &net, "--semantics", "F", "-j", threads];
                let refined = scratch
                    .run("refine", &[&symmetry[..], &options].concat())
                    .status(1);
                (
                    run.stdout,
                    run.stderr,
                    scratch.read("out.aut"),
                    refined.stdout,
                    refined.stderr,
                )
            };
            assert_eq!(run("1"), run("2"), "{name} {strategy}");
        }
    }
}

#[test]
fn limits_leave_it_open() {
    let scratch = Scratch::new();
    let limited = ["--symmetry", "auto", "--max-states", "10"];
    let run = reach(
        &scratch,
        "peterson_3",
        &[&limited[..], &["--deadlock"]].concat(),
    );
    run.status(3).prints("deadlock: UNKNOWN\n");
    // Not counted either.
    let exact = [
        "--representatives",
        "exact",
        "-o",
        "out.aut",
        "--stats",
        "s.json",
    ];
    reach(&scratch, "peterson_3", &[&limited[..], &exact].concat()).status(3);
    assert!(json(scratch.read("s.json"))["unreduced_states"].is_null());
    let (spec, net) = (
        path("peterson_3", "spec.aut"),
        path("peterson_3", "net.exp"),
    );
    let refine = |options: &[&str]| scratch.run("refine", &[&[&*spec, &net], options].concat());
    refine(&limited)
        .status(3)
        .says("--max-states")
        .prints("UNKNOWN\n");
    refine(&["--symmetry", "auto", "--max-normal-form", "1"])
        .status(3)
        .prints("UNKNOWN\n");
}

#[test]
fn networks_refine_as_without_symmetry() {
    let scratch = Scratch::new();
    for known in &KNOWN[..4] {
        let (spec, net) = (path(known.name, "spec.aut"), path(known.name, "net.exp"));
        let file = path(known.name, "net.sym");
        let whole = lts(reach(&scratch, known.name, &[]).ok().text());
        for semantics in ["T", "F", "FD"] {
            let run = |options: &[&str]| {
                let given = [&*spec, &net, "--semantics", semantics, "--stats", "s.json"];
                let run = scratch.run("refine", &[&given[..], options].concat());
                (run, json(scratch.read("s.json")))
            };
            let (plain, expected) = run(&[]);
            for (which, strategy) in [
                (&*file, "exact"),
                (known.line, "refine"),
                ("auto", "paper"),
                ("auto", "segmented"),
            ] {
                let what = format!("{} {semantics} {which} {strategy}", known.name);
                let (run, stats) = run(&["--symmetry", which, "--representatives", strategy]);
                assert_eq!(run.status, plain.status, "{what}");
                let run = run.says("symmetry: ").says(" permutations");
                for figure in ["verdict", "violation", "steps", "nodes"] {
                    assert_eq!(stats[figure], expected[figure], "{what}");
                }
                assert!(stats["symmetry"].is_array(), "{what}");
                if stats["verdict"] == true {
                    run.prints("TRUE\n");
                    if strategy != "segmented" {
                        assert_eq!(stats["pairs"], known.orbits, "{what}");
                    }
                    continue;
                }
                // The run is one of the network, and ends where nothing is hidden; what
                // the components do is told.
                let steps = steps(run.text());
                assert_eq!(steps.len() as u64, stats["steps"], "{what}");
                let ends = after(&whole, initial(&whole), &steps);
                let is_stable = |s: &u32| {
                    let mut row = whole.outgoing(StateId::new(*s));
                    row.all(|step| !step.0.is_hidden())
                };
                assert!(ends.iter().any(is_stable), "{what}");
                assert!(run.text().starts_with("FALSE\n*** "), "{what}");
                assert!(run.text().contains(" accepts: "), "{what}");
                let component = if known.name == "peterson_3" {
                    "proc_P"
                } else {
                    "thread_T"
                };
                assert!(run.text().contains(&format!("\n*** {component}")), "{what}");
            }
        }
    }
}

/// A specification that singles out a value is refused with the value; with `auto`
/// the others are exchanged.
#[test]
fn specifications_have_to_be_symmetric() {
    let scratch = copied("database_4");
    scratch.write("one.aut", "des (0,1,1)\n(0,\"UPDATE !M1\",0)\n");
    let refine = |which| {
        scratch.run(
            "refine",
            &[
                "one.aut",
                "net.exp",
                "--semantics",
                "T",
                "--symmetry",
                which,
            ],
        )
    };
    refine("net.sym")
        .status(2)
        .says(
            "--symmetry: with M0 and M1 exchanged, the specification is not the same: its label \
             `UPDATE !M1` becomes `UPDATE !M0`, which it does not have",
        )
        .prints("");
    let run = refine("auto")
        .status(1)
        .says("symmetry: M = M0 M2 M3; 6 permutations");
    assert!(
        run.text()
            .starts_with("FALSE\n*** trace of net.exp, not of one.aut\n")
    );
}

/// What a component can do by labels of no rule changes nothing, nor what is behind it.
#[test]
fn labels_that_no_rule_uses_never_happen() {
    let scratch = copied("liststack_2_2_2");
    let text = scratch.read("node_N0.aut");
    let (head, rest) = text.split_once('\n').unwrap();
    let numbers: Vec<u64> = head
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok())
        .collect();
    let [_, transitions, states] = numbers[..] else {
        panic!("{head}");
    };
    // What is behind it is one of the labels that rules use, for N0 only.
    let label = rest.split('"').nth(1).unwrap();
    let more = format!(
        "des (0, {}, {})\n(0, \"DEAD !N0\", {states})\n({states}, \"{label}\", 0)\n{rest}",
        transitions + 2,
        states + 1
    );
    scratch.write("node_N0.aut", more);
    let known = "210 orbits; without symmetry 1512 states, 2794 transitions";
    for which in ["net.sym", "auto"] {
        let options = ["net.exp", "--symmetry", which, "--representatives", "exact"];
        scratch.run("reach", &options).status(0).says(known);
        let options = ["net.exp", "--symmetry", which, "--deadlock"];
        let run = scratch.run("reach", &options).status(0);
        let text = run.text();
        let whole = scratch
            .run("reach", &["net.exp"])
            .status(0)
            .text()
            .to_owned();
        let whole = lts(&whole);
        let ends = after(&whole, initial(&whole), &steps(text));
        let is_stuck = |&s: &u32| whole.outgoing(StateId::new(s)).next().is_none();
        assert!(ends.iter().any(is_stuck), "{text}");
        let options = [
            "--semantics",
            "T",
            "spec.aut",
            "net.exp",
            "--symmetry",
            which,
        ];
        scratch.run("refine", &options).status(0).prints("TRUE\n");
    }
}

/// One component can do more, until that is cut.
#[test]
fn what_is_cut_is_in_no_ones_way() {
    let scratch = Scratch::new();
    scratch.write(
        "a.aut",
        "des (0,3,3)\n(0,\"P !A\",1)\n(1,\"Q !A\",2)\n(2,\"P !A\",0)\n",
    );
    scratch.write("b.aut", "des (0,1,2)\n(0,\"P !B\",1)\n");
    scratch.write("net.exp", "\"a.aut\" ||| \"b.aut\"\n");
    let exact = |network: &str| {
        let options = ["--symmetry", "T=A,B", "--representatives", "exact"];
        scratch.run("reach", &[&[network], &options[..]].concat())
    };
    exact("net.exp").status(2).says("with A and B exchanged");
    scratch.write(
        "cut.exp",
        "total cut \"Q !A\" in \"a.aut\" ||| \"b.aut\" end cut\n",
    );
    exact("cut.exp")
        .status(0)
        .says("3 orbits; without symmetry 4 states, 4 transitions");
}

/// Some formats are written while the states are found, others when all are there.
#[test]
fn orbits_are_counted_whatever_the_output_is() {
    let scratch = copied("database_4");
    let exact = [
        "net.exp",
        "--symmetry",
        "auto",
        "--representatives",
        "exact",
    ];
    for output in ["s.aut", "s.bcg", "s.fsm", "s.dot", "s.tsv"] {
        let run = scratch.run("reach", &[&exact[..], &["-o", output]].concat());
        run.status(0)
            .says("orbits; without symmetry 109 states, 224 transitions");
    }
    let canonical = [&exact[..], &["--canonical", "--stats", "s.json"]].concat();
    scratch.run("reach", &canonical).status(0);
    let figures = scratch.read("s.json");
    assert!(
        figures.contains("\"unreduced_states\": \"109\""),
        "{figures}"
    );
}

/// There are more permutations than states can be counted by 128 bits.
#[test]
fn orbits_are_counted_whatever_the_group_is() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["database", "35", "-o", "35"])
        .status(0);
    let symmetry = ["35/net.exp", "--symmetry", "35/net.sym"];
    let exact = ["--representatives", "exact", "-o", "small.aut"];
    scratch
        .run("reach", &[&symmetry[..], &exact].concat())
        .status(0)
        .says("(35); 2^128 or more permutations")
        .says("631 orbits; without symmetry 583701359488329916 states");
}

#[test]
fn declarations_come_from_files_lines_and_standard_input() {
    let scratch = copied("database_4");
    let declared = "type M = M0 M1 M2 M3\n";
    let known = "symmetry: M = M0 M1 M2 M3; 24 permutations";
    let run = |which: &str| {
        let options = ["net.exp", "--symmetry", which, "--deadlock"];
        scratch.feed("reach", &options, declared)
    };
    scratch.write("a=b.sym", declared);
    scratch.write("mark.sym", format!("\u{feff}{declared}"));
    for which in ["a=b.sym", "mark.sym", "-", "M=M0,M1,M2,M3"] {
        run(which).status(0).says(known);
    }
    run("c=d.sym")
        .status(2)
        .says("in the declaration `c=d.sym`, column 4: ");
    run("").status(2).says("expected a file of types");
    scratch
        .feed("reach", &["-", "--symmetry", "-"], declared)
        .status(2)
        .says("only one of the input and --symmetry can be standard input");
    scratch
        .feed("refine", &["-", "net.exp", "--symmetry", "-"], declared)
        .status(2)
        .says("only one of the input and --symmetry can be standard input");
    run("N=M0")
        .status(0)
        .says("symmetry: N = M0; 1 permutation");
    scratch.write("empty.sym", "# nothing\n");
    run("empty.sym")
        .status(0)
        .says("no symmetry: no values are declared");
    let idle = format!("{declared}type Z = Z0 Z1\ngate NONE : M\ngate BOTH : M\n");
    scratch.write("idle.sym", idle);
    run("idle.sym")
        .status(0)
        .says("as no label that can happen has a value of it: type Z = Z0 Z1")
        .says("reach: warning: declared without effect, as no label that can happen has it: gates");
    run("Z=Z0,Z1")
        .status(0)
        .says("no symmetry: no label has a value of a declared type");
}

/// Where bisimilar states of components are one, a cycle of hidden steps may be nearer
/// than it is, which is told.
#[test]
fn components_that_are_not_minimal_may_lengthen_a_counterexample() {
    let scratch = Scratch::new();
    let component = |k: usize| {
        let loops = (0..3).map(|s| format!("({s},\"z !x{k}\",{s})\n"));
        let loops: String = loops.collect();
        format!("des (0,6,3)\n(0,i,1)\n(1,i,2)\n(2,i,2)\n{loops}")
    };
    scratch.write("p.aut", component(0));
    scratch.write("q.aut", component(1));
    scratch.write("net.exp", "\"p.aut\" ||| \"q.aut\"\n");
    scratch.write("spec.aut", "des (0,0,1)\n");
    let run = |more: &[&str]| {
        let args = [&["--semantics", "FD", "spec.aut", "net.exp"], more].concat();
        scratch.run("refine", &args).status(1)
    };
    run(&[]).silent().prints(
        "FALSE\n*** trace of net.exp, not of spec.aut\n\"z !x0\"\n*** p \"z !x0\", 0 to 0\n",
    );
    let symmetric = run(&["--symmetry", "auto"]);
    let symmetric = symmetric.says("there may be a shorter counterexample");
    let lines: Vec<&str> = symmetric.text().lines().collect();
    assert_eq!(lines[1], "*** net.exp diverges where spec.aut does not");
    assert!(lines.contains(&"*** from here on a cycle"), "{lines:?}");
}

/// The order in a set tells two labels apart: what is in it is not exchanged.
#[test]
fn labels_that_differ_in_the_order_of_sets_are_left_alone() {
    let scratch = Scratch::new();
    let component = |name: &str| {
        format!("des (0,3,1)\n(0,\"S({{x,y}})\",0)\n(0,\"S({{y,x}})\",0)\n(0,\"P !{name}\",0)\n")
    };
    scratch.write("a.aut", component("A"));
    scratch.write("b.aut", component("B"));
    scratch.write("net.exp", "\"a.aut\" ||| \"b.aut\"\n");
    let run = |which: &str| scratch.run("reach", &["net.exp", "--symmetry", which, "--deadlock"]);
    run("auto").status(0).says(" = A B; 2 permutations");
    run("T=A,B").status(0).says("T = A B; 2 permutations");
    run("T=x,y")
        .status(2)
        .says("are the same but for the order of what is in sets");
}
