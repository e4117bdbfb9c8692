//! State spaces that are computed are written while they are explored: with the
//! same bytes as if they had been in memory, and without that memory.

use crate::util;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

use util::{Scratch, json};

/// A ring of ten states, the last step hidden, and one whose labels are odd.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let mut ring = String::from("des (0, 10, 10)\n");
    for k in 0..9 {
        ring += &format!("({k}, STEP{}, {})\n", k % 3, k + 1);
    }
    scratch.write("r.aut", ring + "(9, i, 0)\n");
    scratch.write(
        "odd.aut",
        "des (0, 3, 3)\n(0, \"caf\u{e9} !1\", 1)\n(1, \"tau\", 2)\n(2, STEP0, 0)\n",
    );
    scratch
}

/// As many rings side by side, 10 to that power states.
fn rings(count: usize) -> String {
    format!("{}\n", vec!["r"; count].join(" ||| "))
}

#[test]
fn streamed_is_what_collected_would_be() {
    let scratch = scratch();
    scratch.write("net.exp", rings(5));
    // What is read as an LTS is collected.
    for (name, options) in [
        ("o.aut", &[][..]),
        ("o.aut.gz", &[]),
        ("o.aut.zst", &["--quote", "always"]),
        ("o.aut", &["--dialect", "mcrl2"]),
        ("o.aut", &["--hidden", "none", "--visible-i", "INNER"]),
    ] {
        let mut arguments = vec!["net.exp", "-o", name];
        arguments.extend(options);
        scratch.run("transcode", &arguments).ok();
        let collected = std::fs::read(scratch.path(name)).unwrap();
        for threads in ["1", "2", "8"] {
            arguments.truncate(3 + options.len());
            arguments.extend(["-j", threads]);
            scratch.run("reach", &arguments).ok();
            let streamed = std::fs::read(scratch.path(name)).unwrap();
            assert!(streamed == collected, "{name} {options:?} {threads}");
        }
        if name == "o.aut" {
            let mut plain = vec!["net.exp"];
            plain.extend(options);
            let run = scratch.run("reach", &plain).ok();
            assert!(run.stdout == collected, "{options:?}");
        }
    }
    // Small, on the fly, and with a question.
    let small = scratch.run("transcode", &["r.aut"]).ok();
    scratch
        .run("reach", &["--expression", "r"])
        .ok()
        .prints(small.text());
    scratch
        .shell("reach --hide-label 'STEP.*' r.aut > a.aut; relabel --hide-label 'STEP.*' r.aut | cmp - a.aut")
        .ok();
    scratch
        .run(
            "reach",
            &["--expression", "r", "--deadlock", "--state-space", "q.aut"],
        )
        .ok()
        .prints("deadlock: FALSE\n");
    assert_eq!(scratch.read("q.aut"), small.text());
    scratch
        .shell("generate dining 4 -o d.aut.gz; generate dining 4 | transcode -o t.aut.gz; cmp d.aut.gz t.aut.gz")
        .ok();
    // What needs the whole is collected.
    scratch
        .shell(
            "reach --expression 'r ||| r' --canonical | cmp - <(reach --expression 'r ||| r' | transcode --canonical)",
        )
        .ok();
}

#[test]
fn plugins_are_streamed_too() {
    let scratch = Scratch::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-O1", "-shared", "-fPIC", "-I"])
        .arg(root.join("include"))
        .arg(root.join("examples/c/hanoi.c"))
        .arg("-o")
        .arg(scratch.path("hanoi.so"));
    assert!(cc.status().unwrap().success());
    let hanoi = ["hanoi.so", "--model-argument", "9"];
    // BCG is collected.
    let bcg = [&hanoi[..], &["-o", "c.bcg"]].concat();
    scratch.run("reach", &bcg).ok();
    let collected = scratch.run("transcode", &["c.bcg", "--canonical"]).ok();
    let mut first = None;
    for threads in ["1", "2", "5"] {
        let arguments = [&hanoi[..], &["-j", threads, "-o", "s.aut"]].concat();
        scratch.run("reach", &arguments).ok();
        let streamed = scratch.read("s.aut");
        assert!(*first.get_or_insert(streamed.clone()) == streamed);
        scratch
            .run("transcode", &["s.aut", "--canonical"])
            .ok()
            .prints(collected.text());
    }
}

#[test]
fn labels_are_refused_as_always() {
    let scratch = scratch();
    let refused = |arguments: &[&str], code: &str| {
        scratch
            .run("reach", arguments)
            .status(2)
            .prints("")
            .says(code);
        assert!(!scratch.path("o.aut").exists());
    };
    let net = ["--expression", "r ||| odd", "-o", "o.aut"];
    refused(
        &[&net[..], &["--hidden", "none"]].concat(),
        "[label-like-hidden]",
    );
    refused(
        &[&net[..], &["--hidden", "none", "--visible-i", "STEP2"]].concat(),
        "which is the text of another label [label-like-hidden]",
    );
    refused(&[&net[..], &["--ascii"]].concat(), "[aut-non-ascii]");
    scratch.run("reach", &net).status(0).says("[aut-non-ascii]");
    // A label that is met long after its text has been given away.
    let mut late = String::from("des (0, 30000, 30001)\n(0, i, 1)\n");
    for k in 1..29_999 {
        late += &format!("({k}, a, {})\n", k + 1);
    }
    scratch.write("late.aut", late + "(29999, b, 30000)\n");
    std::fs::remove_file(scratch.path("o.aut")).unwrap();
    let late = ["--expression", "late", "--hidden", "none", "-o", "o.aut"];
    refused(
        &[&late[..], &["--visible-i", "b"]].concat(),
        "`i` cannot be renamed to `b`",
    );
    // Labels that do not occur are in nobody's way.
    let cut = ["--cut-label", "b", "--visible-i", "b"];
    scratch.run("reach", &[&late[..], &cut].concat()).ok();
}

#[test]
fn a_part_does_not_look_like_the_whole() {
    let scratch = scratch();
    let net = rings(6);
    for (limit, option) in [("1000", "--max-states"), ("24M", "--max-memory")] {
        scratch
            .run(
                "reach",
                &[
                    "--expression",
                    &net,
                    option,
                    limit,
                    "-j",
                    "1",
                    "-o",
                    "o.aut",
                ],
            )
            .status(3)
            .says(&format!("states ({option}): "))
            .says(" of them explored, ")
            .prints("");
        let run = scratch.run("reach", &["--expression", &net, option, limit, "-j", "1"]);
        run.status(3).prints("");
        scratch
            .run(
                "reach",
                &["--expression", &net, "--deadlock", option, limit, "-j", "1"],
            )
            .status(3)
            .prints("deadlock: UNKNOWN\n");
    }
    scratch
        .run(
            "reach",
            &[
                "--expression",
                &net,
                "--max-states",
                "1000",
                "--stats",
                "s.json",
            ],
        )
        .status(3);
    let stats = json(scratch.read("s.json"));
    assert_eq!(stats["states_found"], 1000);
    let explored = stats["states_explored"].as_u64().unwrap();
    assert!((1..1000).contains(&explored));
    assert_eq!(scratch.names(), ["odd.aut", "r.aut", "s.json"]);
}

#[test]
fn outputs_that_refuse_end_it() {
    let scratch = scratch();
    let net = rings(5);
    for arguments in [
        &["-o", "/dev/full"][..],
        &["-o", "/dev/full", "--compress", "gzip"],
    ] {
        let run = scratch.run("reach", &[&["--expression", &net][..], arguments].concat());
        run.status(2).says("cannot write /dev/full: No space left");
    }
    // The lines of a pipe wait in a temporary file.
    let mut command = scratch.command("reach", &["--expression", &net]);
    command.env("TMPDIR", scratch.path("nowhere"));
    util::finish(command)
        .status(2)
        .says("cannot write standard output: temporary file in ")
        .says("nowhere: No such file")
        .prints("");
    let mut command = scratch.command("reach", &["--expression", &net]);
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "des (0, 500000, 100000)\n");
    drop(reader);
    util::wait(child, "reach".into()).signal(13).silent();
    assert_eq!(scratch.names(), ["odd.aut", "r.aut"]);
}

#[test]
fn memory_is_that_of_the_states() {
    let scratch = scratch();
    scratch.write("net.exp", rings(6));
    let peak = |command: &str| {
        let arguments = ["net.exp", "-j", "2", "-o", "o.aut", "--stats", "s.json"];
        scratch.run(command, &arguments).ok();
        let stats = json(scratch.read("s.json"));
        assert_eq!(stats["outputs"][0]["states"], 1_000_000);
        assert_eq!(stats["outputs"][0]["transitions"], 6_000_000);
        assert_eq!(stats["outputs"][0]["labels"], 4);
        stats["peak_memory"].as_u64().unwrap()
    };
    let (streamed, collected) = (peak("reach"), peak("transcode"));
    // Six transitions a state are 48 bytes, and 4 for the row; some MB of lines
    // are under way.
    assert!(streamed + 38_000_000 < collected, "{streamed} {collected}");
    // The program itself is a part of it, some MB with all features; and large pages hold
    // the whole of buffers that are partly in use.
    assert!(streamed < 75_000_000, "{streamed}");
}
