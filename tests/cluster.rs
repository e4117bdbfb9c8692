//! `hyades cluster`: several processes write what one writes, and end together.

use crate::util;

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Parser;
use hyades::cli::core::cluster::{Membership, cluster_failure, enter};
use hyades::cli::core::{self as cli, Failure, RunOptions, Session, Status};
use hyades::cluster::worker::{Worker, sum};
use hyades_testing::{ROOT, Random, Shape, aut, mutated, random_lts};
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, geteuid, mkfifo};
use util::{Run, Scratch, finish, json, mortal, wait};

/// Processes on this host run a command.
fn together(scratch: &Scratch, options: &[&str], words: &[&str]) -> Run {
    let all = [&["cluster", "run"], options, &["--"], words].concat();
    scratch.run("hyades", &all)
}

#[test]
fn the_minimal_lts_is_the_same() {
    let scratch = Scratch::with_systems();
    for input in [
        "vending.aut",
        "random.aut",
        "lift.aut",
        "random.plts",
        "unsorted.aut",
    ] {
        for words in [
            &["-e", "strong"][..],
            &["-e", "branching", "--hidden", "a0", "--hidden", "i"],
            &["-e", "divbranching", "--hidden", "a0", "--hidden", "i"],
        ] {
            let alone = [words, &[input]].concat();
            let expected = scratch.run("minimize", &alone).ok();
            for options in [
                &["-n", "1"][..],
                &["-n", "2", "-w", "1"],
                &["-n", "4", "-w", "2"],
            ] {
                let all = [&["minimize"], &alone[..]].concat();
                let run = together(&scratch, options, &all).ok();
                assert!(run.stdout == expected.stdout, "{options:?} {all:?}");
            }
        }
    }
}

/// Whatever does not start for lack of threads: the launcher's own, or those of a process.
#[test]
fn what_does_not_start_is_no_verdict() {
    let scratch = Scratch::with_vending();
    let words = ["run", "-n", "2", "--", "minimize", "vending.aut"];
    for limit in 1..=6 {
        let mut command = Command::new("bash");
        command
            .args(["-c", &format!("ulimit -u {limit}; exec \"$@\""), "bash"])
            .arg(util::binary("hyades"))
            .arg("cluster")
            .args(words)
            .current_dir(scratch.path("."))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if geteuid().is_root() {
            // There is no such limit for root.
            fs::set_permissions(scratch.path("."), Permissions::from_mode(0o755)).unwrap();
            command.uid(65534).gid(65534);
        }
        let run = finish(command).status(3);
        assert!(!run.stderr.contains("internal error"), "{}", run.stderr);
    }
}

#[test]
fn the_short_help_has_all_options() {
    let help = |words: &[&str]| {
        let run = Scratch::new().run("hyades", &[&["cluster"], words].concat());
        run.ok().text().to_owned()
    };
    let long = help(&["run", "--help"]);
    let defined = long.lines().map(str::trim_start);
    let defined = defined.filter(|line| line.starts_with('-'));
    let options: Vec<&str> = defined
        .filter_map(|line| line.split(' ').find(|word| word.starts_with("--")))
        .filter(|option| !["--help", "--version"].contains(option))
        .collect();
    assert!(options.contains(&"--resume"), "{options:?}");
    for words in [&["run", "-h"][..], &["-h"]] {
        let short = help(words);
        for option in &options {
            assert!(short.contains(&format!("{option} ")), "{words:?}: {option}");
        }
    }
}

#[test]
fn classes_are_those_of_one_process() {
    let scratch = Scratch::with_systems();
    scratch.write("one.aut", "des (0, 1, 3)\n(0, \"A\", 0)\n");
    for (input, relation) in [
        ("random.aut", "strong"),
        ("lift.aut", "branching"),
        ("unsorted.aut", "divbranching"),
        ("random.plts", "strong"),
        ("one.aut", "strong"),
        ("random.aut", "divbranching -e strong -e branching"),
        ("lift.aut", "strong -e branching"),
    ] {
        let mut words = vec!["minimize", "--hidden", "a0", "--hidden", "i", "-e"];
        words.extend(relation.split(' '));
        words.extend([input, "--classes", "c"]);
        let alone = scratch.run("minimize", &words[1..]).ok();
        let expected = fs::read(scratch.path("c")).unwrap();
        assert!(!expected.is_empty());
        for options in [&["-n", "1"][..], &["-n", "3"], &["-n", "4", "-w", "2"]] {
            fs::remove_file(scratch.path("c")).unwrap();
            let run = together(&scratch, options, &words).ok();
            assert!(run.stdout == alone.stdout, "{options:?} {words:?}");
            assert!(
                fs::read(scratch.path("c")).unwrap() == expected,
                "{options:?} {words:?}"
            );
        }
    }
    // Two outputs in one place.
    let words = ["minimize", "random.aut", "-o", "c", "--classes", "c"];
    together(&scratch, &["-n", "2"], &words).status(2);
}

/// A label that AUT cannot hold is found before anything is written.
#[test]
fn nothing_is_written_if_a_label_cannot_be() {
    let scratch = Scratch::new();
    // A tree: its states are reached in few rounds.
    let mut text = "des (0, 1999, 2000)\n".to_owned();
    for state in 1..2000 {
        let label = if state == 1990 { "a\u{e9}" } else { "a" };
        text += &format!("({}, \"{label}\", {state})\n", (state - 1) / 2);
    }
    scratch.write("late.aut", &text);
    scratch
        .run("transcode", &["late.aut", "-o", "late.plts"])
        .status(0);
    for command in ["reach", "minimize"] {
        for input in ["late.aut", "late.plts"] {
            let words = [command, "--ascii", input];
            let run = together(&scratch, &["-n", "2"], &words).status(2);
            run.prints("");
        }
    }
}

#[test]
fn outputs_are_files_of_any_format_or_parts() {
    let scratch = Scratch::with_systems();
    scratch
        .run("minimize", &["random.aut", "-o", "small.bcg"])
        .ok();
    together(
        &scratch,
        &["-n", "3"],
        &["minimize", "random.aut", "-o", "other.bcg"],
    )
    .ok();
    assert!(
        fs::read(scratch.path("small.bcg")).unwrap()
            == fs::read(scratch.path("other.bcg")).unwrap()
    );
    together(
        &scratch,
        &["-n", "3"],
        &["minimize", "random.aut", "-o", "small.plts"],
    )
    .ok();
    let parts = scratch.run("transcode", &["small.plts"]).ok();
    scratch
        .run("minimize", &["random.aut"])
        .ok()
        .prints(parts.text());
}

#[test]
fn equivalence_is_decided_together() {
    let scratch = Scratch::with_systems();
    scratch
        .run("minimize", &["random.aut", "-o", "small.aut"])
        .ok();
    for n in ["1", "2", "4"] {
        let words = ["equiv", "-e", "strong", "random.aut", "small.aut"];
        together(&scratch, &["-n", n], &words).ok().prints("TRUE\n");
        let words = ["equiv", "-e", "strong", "random.plts", "lift.aut"];
        let run = together(&scratch, &["-n", n], &words).status(1).silent();
        assert!(run.text().starts_with("FALSE\n"), "{}", run.text());
        run.prints(scratch.run("equiv", &words[1..]).text());
        let words = ["equiv", "-e", "strong", "--json", "vending.aut", "lift.aut"];
        let run = together(&scratch, &["-n", n], &words).status(1).silent();
        assert_eq!(json(run.text())["verdict"], false);
        // What may be all that they differ by.
        scratch.write("hidden.aut", "des (0, 2, 2)\n(0, i, 1)\n(1, \"a\", 0)\n");
        scratch.write(
            "visible.aut",
            "des (0, 2, 2)\n(0, \"tau\", 1)\n(1, \"a\", 0)\n",
        );
        let words = ["equiv", "-e", "branching", "hidden.aut", "visible.aut"];
        let run = together(&scratch, &["-n", n], &words).status(1);
        let alone = scratch.run("equiv", &words[1..]).status(1);
        assert!(alone.stderr.contains("label `tau` is visible in"));
        assert_eq!(run.stderr, alone.stderr);
    }
}

/// A difference is told as one process tells it.
#[test]
fn reasons_are_the_same() {
    let scratch = Scratch::new();
    let mut random = Random::new(27);
    let mut reasons = 0;
    for k in 0..40 {
        let shape = Shape::ALL[k % Shape::ALL.len()];
        let lts = random_lts(shape, 15, &mut random);
        for name in ["a.aut", "b.aut"] {
            scratch.write(name, aut(&mutated(&lts, &mut random)));
        }
        let relation = ["strong", "branching", "divbranching"][k % 3];
        let words = ["equiv", "-e", relation, "a.aut", "b.aut"];
        let alone = scratch.run("equiv", &words[1..]);
        let n = ["1", "2", "3"][k / 3 % 3];
        let run = together(&scratch, &["-n", n], &words);
        assert_eq!(run.status, alone.status);
        run.prints(alone.text());
        reasons += usize::from(alone.text().lines().count() > 1);
    }
    assert!(reasons > 20, "{reasons}");
}

#[test]
fn networks_are_explored_together() {
    let scratch = Scratch::new();
    scratch.write(
        "ring.aut",
        "des (0, 3, 3)\n(0, \"A\", 1)\n(1, \"B\", 2)\n(2, \"C\", 0)\n",
    );
    scratch.write(
        "net.exp",
        "\"ring.aut\" ||| \"ring.aut\" ||| (\"ring.aut\" |[A]| \"ring.aut\") ||| \"ring.aut\"\n",
    );
    let expected = scratch.run("reach", &["net.exp"]).ok();
    for options in [&["-n", "1"][..], &["-n", "2"], &["-n", "4", "-w", "2"]] {
        let run = together(&scratch, options, &["reach", "net.exp"]).ok();
        assert!(run.stdout == expected.stdout, "{options:?}");
        let words = ["reach", "net.exp", "-o", "space.plts"];
        together(&scratch, options, &words).ok();
        let run = scratch.run("transcode", &["space.plts"]).ok();
        assert!(run.stdout == expected.stdout, "{options:?}");
        let words = ["reach", "--deadlock", "--find", "C", "net.exp"];
        let alone = scratch.run("reach", &words[1..]).ok();
        together(&scratch, options, &words)
            .ok()
            .prints(alone.text());
    }
    let words = ["reach", "--max-states", "10", "net.exp"];
    let run = together(&scratch, &["-n", "2"], &words).status(3);
    run.says("gave up after").prints("");
}

#[test]
fn networks_are_minimized_and_compared_together() {
    let scratch = Scratch::new();
    scratch.write(
        "ring.aut",
        "des (0, 4, 3)\n(0, \"A\", 1)\n(1, i, 1)\n(1, \"B !1\", 2)\n(2, \"C\", 0)\n",
    );
    scratch.write(
        "net.exp",
        "hide C in \"ring.aut\" ||| (\"ring.aut\" |[A]| \"ring.aut\") ||| \"ring.aut\" end hide\n",
    );
    scratch.write("other.exp", "\"ring.aut\" ||| \"ring.aut\"\n");
    for relation in ["strong", "branching", "divbranching"] {
        for more in [&[][..], &["--tau", "B"]] {
            let words = [&["-e", relation, "net.exp"], more].concat();
            let expected = scratch.run("minimize", &words).ok();
            scratch.write("quotient.aut", expected.text());
            for n in ["1", "3"] {
                let all = [&["minimize"], &words[..]].concat();
                let run = together(&scratch, &["-n", n], &all).ok();
                assert!(run.stdout == expected.stdout, "{words:?} {n}");
                for (input, status) in [("quotient.aut", 0), ("other.exp", 1)] {
                    let words = [&["equiv", "-e", relation, "net.exp", input], more].concat();
                    let alone = scratch.run("equiv", &words[1..]).status(status);
                    let run = together(&scratch, &["-n", n], &words).status(status);
                    run.prints(alone.text());
                }
            }
        }
    }
    let words = ["minimize", "--max-states", "10", "net.exp"];
    let alone = scratch.run("minimize", &words[1..]).status(3);
    let run = together(&scratch, &["-n", "2"], &words).status(3);
    run.says(alone.stderr.trim_end());
    scratch.write("wrong.exp", "\"ring.aut\" ||| \"none.aut\"\n");
    for input in ["wrong.exp", "net.exp"] {
        // The output is a component.
        let words = ["minimize", input, "-o", "ring.aut"];
        let alone = scratch.run("minimize", &words[1..]).status(2);
        let run = together(&scratch, &["-n", "2"], &words).status(2);
        run.says(alone.stderr.lines().next().expect("it says why"));
        assert!(scratch.read("ring.aut").starts_with("des (0, 4, 3)"));
    }
}

#[test]
fn what_can_be_reached_is_found_together() {
    let scratch = Scratch::with_systems();
    for input in ["vending.aut", "random.aut", "unsorted.aut", "random.plts"] {
        let expected = scratch.run("reach", &[input]).ok();
        for n in ["1", "3"] {
            let run = together(&scratch, &["-n", n], &["reach", input]).ok();
            assert!(run.stdout == expected.stdout, "{input} {n}");
            let words = ["reach", input, "-o", "reached.plts"];
            together(&scratch, &["-n", n], &words).ok();
            let run = scratch.run("transcode", &["reached.plts"]).ok();
            assert!(run.stdout == expected.stdout, "{input} {n}");
        }
        let words = ["reach", input, "-o", "reached.bcg"];
        together(&scratch, &["-n", "2"], &words).ok();
        scratch.run("reach", &[input, "-o", "alone.bcg"]).ok();
        let bytes = |name| fs::read(scratch.path(name)).unwrap();
        assert!(bytes("reached.bcg") == bytes("alone.bcg"), "{input}");
    }
}

/// Questions about LTSs, labels that change on the way, and limits.
#[test]
fn questions_about_files_are_answered_together() {
    let scratch = Scratch::with_systems();
    let long = "des (5, 6, 7)\n(5, A, 3)\n(3, i, 1)\n(1, A, 0)\n(0, B, 2)\n(2, A, 4)\n(6, C, 6)\n";
    scratch.write("long.aut", long);
    for input in ["vending.aut", "random.aut", "random.plts", "long.aut"] {
        for words in [
            &["--deadlock"][..],
            &["--deadlock", "--find", "B.*", "--json"],
            &["--find", "i", "--find", "tau", "--fail-on", "found"],
            &["--hide-label", "A", "--cut-label", "B.*"],
            &[
                "--rename-label",
                "A -> tau",
                "--find",
                "tau",
                "--traces",
                "trc",
            ],
            &["--rename-label", "A -> D", "--find", "D", "--traces", "trc"],
            &["--deadlock", "--state-space", "space.aut"],
            &["--max-states", "4"],
            &["--max-states", "4", "--deadlock"],
        ] {
            let words = [&["reach", input], words].concat();
            let kept = |run: Run| {
                let space = fs::read(scratch.path("space.aut")).unwrap_or_default();
                drop(fs::remove_file(scratch.path("space.aut")));
                let answers = run.text().lines().filter(|line| !line.contains("memory"));
                let answers: Vec<String> = answers.map(ToOwned::to_owned).collect();
                (run.status.code(), answers, space)
            };
            let expected = kept(scratch.run("reach", &words[1..]));
            for n in ["1", "3"] {
                let found = kept(together(&scratch, &["-n", n], &words));
                assert_eq!(found, expected, "{words:?} {n}");
            }
        }
    }
    let words = [
        "reach",
        "random.aut",
        "--deadlock",
        "--state-space",
        "space.plts",
    ];
    together(&scratch, &["-n", "2"], &words);
    let run = scratch.run("transcode", &["space.plts"]).ok();
    let expected = scratch.run("reach", &["random.aut"]).ok();
    assert!(run.stdout == expected.stdout);
}

#[test]
fn parts_are_written_as_they_are_or_not_at_all() {
    let scratch = Scratch::with_systems();
    let options = [
        &["--canonical"][..],
        &["--parts", "1"],
        &["--visible-i", "VISIBLE"],
    ];
    for (command, given) in options
        .map(|given| ["reach", "minimize"].map(|c| (c, given)))
        .concat()
    {
        let words = [&[command, "random.aut", "-o", "new.plts"], given].concat();
        let text = format!("leave out {}, or give it to transcode", given[0]);
        together(&scratch, &["-n", "2"], &words)
            .status(2)
            .says(&text);
        assert!(!scratch.path("new.plts").exists());
    }
}

#[test]
fn statistics_tell_of_each_process() {
    let scratch = Scratch::with_systems();
    let words = [
        "minimize",
        "random.aut",
        "-o",
        "small.aut",
        "--stats",
        "m.json",
    ];
    together(&scratch, &["-n", "3"], &words).ok();
    let stats = json(scratch.read("m.json"));
    assert_eq!(stats["status"], 0);
    let processes = stats["processes"].as_array().unwrap();
    assert_eq!(processes.len(), 3);
    for (index, process) in processes.iter().enumerate() {
        assert_eq!(process["process"], index);
        assert!(process["peak_memory"].as_u64().unwrap() > 1 << 20);
        assert!(process["bytes_sent"].as_u64().unwrap() > 1000);
        let kinds = process["bytes_by_kind"].as_object().unwrap().values();
        let kinds: u64 = kinds.map(|bytes| bytes.as_u64().unwrap()).sum();
        assert!((1000..=process["bytes_sent"].as_u64().unwrap()).contains(&kinds));
    }
    let received = |of: &str| -> u64 { processes.iter().map(|it| it[of].as_u64().unwrap()).sum() };
    assert_eq!(received("bytes_sent"), received("bytes_received"));
    scratch.write("one.aut", "des (0, 2, 2)\n(0, A, 1)\n(1, B, 0)\n");
    scratch.write("net.exp", "\"one.aut\" ||| \"one.aut\" ||| \"one.aut\"\n");
    let words = ["reach", "net.exp", "-o", "space.aut", "--stats", "r.json"];
    together(&scratch, &["-n", "2"], &words).ok();
    let stats = json(scratch.read("r.json"));
    let explored = stats["processes"].as_array().unwrap();
    let sum = |of: &str| -> u64 { explored.iter().map(|it| it[of].as_u64().unwrap()).sum() };
    assert_eq!((sum("states"), sum("transitions")), (8, 24));
    assert!(explored[0].get("bytes_by_kind").is_none());
    let verbose = ["minimize", "-v", "random.aut", "-o", "small.aut"];
    let run = together(&scratch, &["-n", "2"], &verbose).status(0);
    // Only the first process talks.
    assert!(!run.stderr.contains("process 1:"), "{}", run.stderr);
    run.says("minimize: connect: in ")
        .says("minimize: round 1 (dense): ");
}

/// How large a state space is without symmetry.
#[test]
fn orbits_are_counted_together() {
    let network = format!("{ROOT}/testdata/networks/database_4/net.exp");
    let scratch = Scratch::new();
    let words = ["reach", "--symmetry", "auto", "--representatives", "exact"];
    let words = [&words[..], &["--stats", "s.json", "-o", "o.aut", &network]].concat();
    let counted = "reach: 11 orbits; without symmetry 109 states, 224 transitions\n";
    scratch.run("reach", &words[1..]).status(0).says(counted);
    let expected = scratch.read("o.aut");
    for n in ["1", "3"] {
        let run = together(&scratch, &["-n", n], &words).status(0);
        assert_eq!(run.stderr.matches(counted).count(), 1, "{}", run.stderr);
        assert_eq!(scratch.read("o.aut"), expected);
        let stats = json(scratch.read("s.json"));
        assert_eq!(stats["unreduced_states"], "109");
    }
}

/// What one process has no memory for is no verdict for all.
#[test]
fn no_verdict_is_told_for_another_process() {
    let scratch = Scratch::new();
    let make = "generate random 300000 1200000 -o a.aut; sed '$ s/, [0-9]*)$/, 5)/' a.aut > b.aut";
    scratch.shell(make).ok();
    for (n, more, expected) in [
        ("1", &[][..], "UNKNOWN\n"),
        ("3", &[], "UNKNOWN\n"),
        ("3", &["--json"], "\"verdict\":null"),
    ] {
        let words = [
            "equiv",
            "-e",
            "strong",
            "--max-memory",
            "40M",
            "a.aut",
            "b.aut",
        ];
        let run = together(&scratch, &["-n", n], &[&words[..], more].concat()).status(3);
        let text = run.text().replace(' ', "");
        assert!(text.contains(expected), "{n}: {text}\n{}", run.stderr);
    }
}

/// A path is numbered by one process.
#[test]
fn a_path_of_many_levels_is_reached() {
    let scratch = Scratch::new();
    scratch.shell("generate chain 20000 -o path.aut").ok();
    let expected = scratch.run("reach", &["path.aut"]).ok();
    for n in ["1", "2", "3"] {
        let options = ["-n", n];
        let words = ["reach", "path.aut", "--stats", "s.json"];
        let run = together(&scratch, &options, &words).ok();
        assert!(run.stdout == expected.stdout, "{n}");
        let stats = json(scratch.read("s.json"));
        let supersteps = stats["processes"][0]["supersteps"].as_u64().unwrap();
        assert!(n == "1" || supersteps < 2000, "{n}: {supersteps}");
    }
}

/// What nobody would get is not taken for written.
#[test]
fn a_closed_output_is_told() {
    let scratch = Scratch::with_systems();
    for n in ["1", "2"] {
        let run = format!("hyades cluster run -n {n} -- minimize random.aut");
        scratch
            .shell(&format!("{run} >&-"))
            .status(2)
            .says("cannot write standard output: Bad file descriptor");
        scratch.shell(&format!("{run} -o small.aut >&-")).ok();
    }
}

#[test]
fn what_does_not_go_with_several_processes_is_refused() {
    let scratch = Scratch::with_systems();
    for (words, message) in [
        (
            &["describe", "random.aut"][..],
            "several processes run equiv, minimize, reach together",
        ),
        (
            &["minimize"],
            "regular files, each for itself, not standard input",
        ),
        (
            &["minimize", "--determinize", "random.aut"],
            "--determinize does not go",
        ),
        (
            &["minimize", "-e", "weak", "random.aut"],
            "by strong, divbranching or branching, not by observational: let them minimize by -e \
             branching, and minimize what they write by -e observational",
        ),
        (
            &["minimize", "-e", "strong", "-e", "weak", "random.aut"],
            "not by observational",
        ),
        (
            &["equiv", "-p", "safety", "random.aut", "lift.aut"],
            "--preorder does not go",
        ),
        (
            &["reach", "--tau-star", "random.aut"],
            "random.aut is an LTS, of which each process has a part: --tau-star does not go",
        ),
        (
            &["reach", "--livelock", "random.aut"],
            "a question for livelocks",
        ),
        (&["minimize", "none.aut"], "No such file"),
    ] {
        let run = together(&scratch, &["-n", "2"], words)
            .status(2)
            .says(message);
        // What several say is shown once.
        assert_eq!(run.stderr.matches(message).count(), 1, "{}", run.stderr);
    }
    let words = ["cluster", "run", "-n", "2", "minimize", "random.aut"];
    scratch
        .run("hyades", &words)
        .status(2)
        .says("-- comes before COMMAND: hyades cluster … -- minimize …");
    let join = |options: &[&str]| {
        let words = [
            &["cluster", "join"],
            options,
            &["--", "minimize", "random.aut"],
        ]
        .concat();
        scratch.run("hyades", &words).status(2)
    };
    join(&["-n", "2", "-p", "0", "-h", "/dev/zero"]).says("longer than 1048576 bytes");
    scratch.write("hosts", "# two\nlocalhost:1\n\nlocalhost\n");
    join(&["-n", "2", "-p", "2", "-h", "hosts"]).says("process 2 (-p) of 2 (-n)");
    join(&["-n", "2", "-p", "0", "-h", "hosts"])
        .says("hosts:4: expected HOST:PORT, found `localhost`");
    scratch.write("hosts", "\u{feff}localhost:1\r\n# localhost:2\r\n");
    join(&["-n", "2", "-p", "0", "-h", "hosts"])
        .says("hosts: found 1 line with HOST:PORT, expected 2: one for each process (-n)");
    join(&["-n", "1", "-p", "0", "-h", "none"]).says("cannot read none");
    join(&["-n", "1", "-p", "0"]).says("--hostfile");
    scratch
        .run("hyades", &["cluster"])
        .status(2)
        .says("a mode comes first");
}

/// Of no process, as all have the same arguments.
#[test]
fn what_is_wrong_for_all_is_told_once_and_by_the_first() {
    let scratch = Scratch::with_vending();
    for words in [
        &["minimize", "--nonsense", "vending.aut"][..],
        &["minimize", "-e", "weak", "vending.aut"],
        &["reach", "none.aut"],
    ] {
        let run = together(&scratch, &["-n", "4"], words).status(2);
        assert!(!run.stderr.contains("process "), "{}", run.stderr);
        assert_eq!(run.stderr.matches("error:").count(), 1, "{}", run.stderr);
    }
}

#[test]
fn an_error_of_the_input_ends_all() {
    let scratch = Scratch::with_systems();
    let mut text = scratch.read("random.aut");
    text.push_str("(0, \"a\", 3000000)\n");
    scratch.write("bad.aut", text);
    let alone = scratch.run("minimize", &["bad.aut"]).status(2);
    let words = ["minimize", "bad.aut", "-o", "small.aut"];
    let run = together(&scratch, &["-n", "3"], &words).status(2);
    let first = alone.stderr.lines().next().unwrap();
    assert!(
        run.stderr.contains(first),
        "{}\n{}",
        run.stderr,
        alone.stderr
    );
    assert!(!scratch.path("small.aut").exists());
}

/// Processes that are started one by one, as on several hosts.
struct Group<'s> {
    scratch: &'s Scratch,
    options: Vec<String>,
    words: Vec<String>,
    count: usize,
}

/// Processes that are killed if nobody waits for them.
struct Started(Vec<Option<Child>>);

impl Drop for Started {
    fn drop(&mut self) {
        for child in self.0.iter_mut().flatten() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl<'s> Group<'s> {
    fn new(scratch: &'s Scratch, count: usize, options: &[&str], words: &[&str]) -> Self {
        let listeners: Vec<_> = (0..count)
            .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        let addresses = listeners
            .iter()
            .map(|it| format!("{}\n", it.local_addr().unwrap()));
        scratch.write("hosts", addresses.collect::<String>());
        let owned = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
        Self {
            scratch,
            options: owned(options),
            words: owned(words),
            count,
        }
    }

    fn address(&self, index: usize) -> String {
        let hosts = self.scratch.read("hosts");
        hosts.lines().nth(index).unwrap().to_owned()
    }

    /// One of them.
    fn command(&self, index: usize) -> Command {
        let (count, index) = (self.count.to_string(), index.to_string());
        let mut all = vec!["cluster", "join", "-n", &count, "-p", &index, "-h", "hosts"];
        all.extend(self.options.iter().map(String::as_str));
        all.push("--");
        all.extend(self.words.iter().map(String::as_str));
        mortal(self.scratch.command("hyades", &all))
    }

    fn start(&self, index: usize) -> Child {
        self.command(index).spawn().unwrap()
    }

    fn start_all(&self) -> Started {
        Started(
            (0..self.count)
                .map(|index| Some(self.start(index)))
                .collect(),
        )
    }
}

impl Started {
    fn id(&self, index: usize) -> Pid {
        Pid::from_raw(self.0[index].as_ref().unwrap().id() as i32)
    }

    fn wait(&mut self, index: usize) -> Run {
        wait(self.0[index].take().unwrap(), format!("process {index}"))
    }

    /// Waits until a process says this, and returns the rest of what it says.
    fn hear(&mut self, index: usize, part: &str) -> BufReader<ChildStderr> {
        let child = self.0[index].as_mut().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains(part) {
            line.clear();
            assert!(lines.read_line(&mut line).unwrap() > 0, "not said: {part}");
        }
        lines
    }
}

/// A scratch folder with an LTS that is not minimized at once.
fn scratch_with_work() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .shell("generate random 200000 600000 --alphabet 3 -o work.aut")
        .ok();
    scratch
}

#[test]
fn a_process_that_is_killed_or_stopped_is_lost() {
    let scratch = scratch_with_work();
    let words = ["minimize", "-v", "work.aut", "-o", "small.aut"];
    for signal in [Signal::SIGKILL, Signal::SIGSTOP] {
        let group = Group::new(&scratch, 3, &["--lost-after", "2"], &words);
        let mut started = group.start_all();
        let mut rest = started.hear(0, "connect:");
        kill(started.id(2), signal).unwrap();
        let mut said = String::new();
        rest.read_to_string(&mut said).unwrap();
        started.wait(0).status(3);
        let why = match signal {
            Signal::SIGKILL => "it has ended, or was killed",
            _ => "it has given no sign of life for 2 s",
        };
        assert!(
            said.contains("minimize: no verdict: lost process 2: "),
            "{said}"
        );
        started.wait(1).status(3).says("lost process 2: ");
        assert!(said.contains(why) || said.contains("connection"), "{said}");
        assert_eq!(scratch.names(), ["hosts", "work.aut"]);
    }
}

#[test]
fn a_process_that_does_not_start_is_named() {
    let scratch = Scratch::with_systems();
    let options = ["--start-within", "0.5"];
    let group = Group::new(
        &scratch,
        3,
        &options,
        &["minimize", "random.aut", "-o", "x"],
    );
    let mut started = Started(vec![Some(group.start(0)), Some(group.start(1))]);
    let missing = format!("process 2 ({})", group.address(2));
    for index in [0, 1] {
        let run = started.wait(index).status(3);
        assert!(
            run.stderr.contains("not come within 0.5 s"),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains(&missing), "{}", run.stderr);
    }
    assert!(!scratch.path("x").exists());
}

#[test]
fn late_processes_are_awaited_and_strays_refused() {
    let scratch = Scratch::with_systems();
    let expected = scratch.run("minimize", &["random.aut"]).ok();
    let options = ["--run-id", "5eed"];
    let group = Group::new(&scratch, 2, &options, &["minimize", "random.aut"]);
    let mut started = Started(vec![Some(group.start(0))]);
    // It listens soon.
    let mut stray = loop {
        match TcpStream::connect(group.address(0)) {
            Ok(stream) => break stream,
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    stray
        .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let silent = TcpStream::connect(group.address(0)).unwrap();
    let other_run = Group {
        options: vec![
            "--run-id".into(),
            "1".into(),
            "--start-within".into(),
            "1".into(),
        ],
        words: group.words.clone(),
        ..group
    };
    let refused = finish(other_run.command(1)).status(3);
    refused.says("a process of another run has this address");
    started.0.push(Some(group.start(1)));
    let run = started.wait(0).status(0);
    assert!(run.stdout == expected.stdout);
    for text in ["none of a run of Hyades", "another run"] {
        let times = run.stderr.matches(text).count();
        assert_eq!(times, 1, "{}", run.stderr);
    }
    started.wait(1).status(0).silent().prints("");
    // The reason stays the reason when the other one has gone.
    let [first, second] = [("5eed", "1"), ("1", "2")].map(|(run, seconds)| Group {
        options: ["--run-id", run, "--start-within", seconds]
            .map(Into::into)
            .to_vec(),
        words: group.words.clone(),
        ..group
    });
    let mut started = Started(vec![Some(first.start(0)), Some(second.start(1))]);
    started.wait(0).status(3);
    let refused = started.wait(1).status(3);
    refused.says("a process of another run has this address");
    drop((stray, silent));
}

#[test]
fn processes_with_other_arguments_end_all_at_once() {
    let scratch = Scratch::with_systems();
    let options = ["--start-within", "10000"];
    let words = ["minimize", "random.aut", "-o", "x"];
    let group = Group::new(&scratch, 3, &options, &words);
    let other = Group {
        options: group.options.clone(),
        words: vec!["minimize".into(), "lift.aut".into()],
        ..group
    };
    let mut started = Started(vec![
        Some(group.start(0)),
        Some(group.start(1)),
        Some(other.start(2)),
    ]);
    for index in 0..3 {
        let run = started.wait(index).status(2);
        run.says("differ in their arguments, input");
    }
    let group = Group::new(&scratch, 2, &options, &words);
    let other = Group {
        options: ["--checkpoint", "kept"].map(str::to_owned).into(),
        words: group.words.clone(),
        ..group
    };
    let mut started = Started(vec![Some(group.start(0)), Some(other.start(1))]);
    for index in 0..2 {
        let run = started.wait(index).status(2);
        run.says("differ in their arguments");
    }
    assert!(!scratch.path("x").exists());
}

/// A process that fails before it knows what the others have to have equal.
#[test]
fn a_failure_before_all_have_met_is_told() {
    let scratches = [Scratch::with_vending(), Scratch::new()];
    scratches[0].write("net.exp", "\"vending.aut\" ||| \"vending.aut\"\n");
    fs::copy(scratches[0].path("net.exp"), scratches[1].path("net.exp")).unwrap();
    let time = std::time::SystemTime::now();
    for scratch in &scratches {
        let file = fs::File::options()
            .write(true)
            .open(scratch.path("net.exp"));
        file.unwrap().set_modified(time).unwrap();
    }
    for (who, words, message) in [
        (
            1,
            &["minimize", "vending.aut"][..],
            "cannot read vending.aut: No such file",
        ),
        (1, &["minimize", "net.exp"], "vending.aut: No such file"),
        (
            0,
            &["minimize", "vending.aut", "--stats", "/no/dir"],
            "/no/dir",
        ),
    ] {
        let options = ["--start-within", "10000"];
        let group = Group::new(&scratches[0], 3, &options, words);
        scratches[1].write("hosts", scratches[0].read("hosts"));
        let other = Group {
            scratch: &scratches[1],
            options: group.options.clone(),
            words: group.words.clone(),
            ..group
        };
        let start = |index: usize| match index == 1 && who == 1 {
            true => other.start(index),
            false => group.start(index),
        };
        let mut started = Started((0..3).map(|index| Some(start(index))).collect());
        for index in 0..3 {
            let run = started.wait(index).status(2).says(message);
            let told = run.stderr.contains(&format!("process {who} has failed: "));
            assert_eq!(told, index != who, "{}", run.stderr);
        }
    }
}

/// By the same host file; or one in which two lines are exchanged.
#[test]
fn processes_of_other_numbers_and_host_files_end_all_at_once() {
    let scratches = [Scratch::with_vending(), Scratch::new()];
    let input = scratches[0].path("vending.aut");
    let words = ["minimize", input.to_str().unwrap()];
    let group = Group::new(&scratches[0], 3, &["--start-within", "10000"], &words);
    let other = Group {
        options: group.options.clone(),
        words: group.words.clone(),
        count: 2,
        ..group
    };
    let mut started = Started(vec![Some(group.start(0)), Some(other.start(1))]);
    for index in 0..2 {
        let run = started.wait(index).status(2);
        run.says("differ in their number of processes (-n)");
    }
    let options = ["--start-within", "10000", "--run-id", "5eed"];
    let group = Group::new(&scratches[0], 3, &options, &words);
    let [a, b, c] = [1, 0, 2].map(|index| group.address(index));
    scratches[1].write("hosts", format!("{a}\n{b}\n{c}\n"));
    let other = Group {
        scratch: &scratches[1],
        options: group.options.clone(),
        words: group.words.clone(),
        ..group
    };
    let mut started = Started(vec![
        Some(group.start(0)),
        Some(group.start(1)),
        Some(other.start(2)),
    ]);
    for index in 0..3 {
        let run = started.wait(index).status(2);
        run.says("in the host file of process 2: give all processes the same host file");
    }
}

/// Two hosts have files of the same names, sizes and time stamps, but for one the content:
/// that of the text `changed`, where `from` is replaced. The run ends with a message.
fn assert_refused(
    files: &[(&str, &str)],
    words: &[&str],
    (changed, from, to): (&str, &str, &str),
    message: &str,
) {
    let scratches = [Scratch::new(), Scratch::new()];
    let time = std::time::SystemTime::now();
    for (host, scratch) in scratches.iter().enumerate() {
        for &(name, text) in files {
            let other = text.replacen(from, to, 1);
            let is_other = host == 1 && name == changed;
            if let Some(folder) = Path::new(name).parent() {
                fs::create_dir_all(scratch.path(folder.to_str().unwrap())).unwrap();
            }
            scratch.write(name, if is_other { &other } else { text });
            let file = fs::File::options().write(true).open(scratch.path(name));
            file.unwrap().set_modified(time).unwrap();
        }
    }
    let words = [words, &["-o", "out.aut"]].concat();
    let group = Group::new(&scratches[0], 2, &[], &words);
    scratches[1].write("hosts", scratches[0].read("hosts"));
    let other = Group {
        scratch: &scratches[1],
        options: Vec::new(),
        words: group.words.clone(),
        ..group
    };
    let mut started = Started(vec![Some(group.start(0)), Some(other.start(1))]);
    for index in 0..2 {
        started.wait(index).status(2).says(message);
    }
    assert!(!scratches[0].path("out.aut").exists());
}

const RING: &str = "des (0, 2, 2)\n(0, \"A\", 1)\n(1, \"B\", 0)\n";

#[test]
fn networks_that_differ_in_their_texts_are_refused() {
    let files = [
        (
            "net.exp",
            "hide A in \"in.exp\" ||| \"ring.aut\" end hide\n",
        ),
        ("in.exp", "\"ring.aut\" |[A]| \"ring.aut\"\n"),
        ("ring.aut", RING),
    ];
    let changes = [
        ("net.exp", "hide A", "hide B", "differ in their input"),
        ("in.exp", "|[A]|", "|[B]|", "or what it includes, is not"),
        ("ring.aut", "\"B\"", "\"C\"", "ring.aut is not the same"),
    ];
    for command in ["minimize", "reach"] {
        for (changed, from, to, message) in changes {
            assert_refused(&files, &[command, "net.exp"], (changed, from, to), message);
        }
    }
}

/// Of a partitioned LTS the list of its parts, which has their sums.
#[test]
fn inputs_that_differ_are_refused() {
    let files = [
        ("ring.aut", RING),
        ("ring.plts/manifest.json", "{\"states\": 2}\n"),
    ];
    let changes = [
        ("ring.aut", "B", "C"),
        ("ring.plts/manifest.json", "2", "3"),
    ];
    for ((file, from, to), input) in changes.into_iter().zip(["ring.aut", "ring.plts"]) {
        for command in ["minimize", "reach"] {
            let change = (file, from, to);
            assert_refused(&files, &[command, input], change, "differ in their input");
        }
    }
}

#[test]
fn files_of_options_that_differ_are_refused() {
    let files = [
        ("net.exp", "\"ring.aut\" ||| \"ring.aut\"\n"),
        ("ring.aut", RING),
        ("hidden", "hide\nA\n"),
        ("renamed", "rename\nA -> C\n"),
        ("cut", "cut\nB\n"),
        ("types", "type T = A B\n"),
    ];
    let options = [
        ("--hide", "hidden", "A", "B"),
        ("--rename", "renamed", "C", "D"),
        ("--cut", "cut", "B", "A"),
    ];
    for (option, file, from, to) in options {
        for input in ["net.exp", "ring.aut"] {
            let words = ["reach", option, file, input];
            let message = format!("{file} is not the same");
            assert_refused(&files, &words, (file, from, to), &message);
        }
    }
    let words = ["reach", "--symmetry", "types", "net.exp"];
    let change = ("types", "T", "U");
    assert_refused(&files, &words, change, "types is not the same");
}

/// What can be read but once, one process would have and the others not.
#[test]
fn pipes_are_not_read_by_several_processes() {
    let scratch = Scratch::with_systems();
    scratch.write("net.exp", "\"lift.aut\" ||| \"lift.aut\"\n");
    let pipe = scratch.path("pipe");
    mkfifo(&pipe, Mode::S_IRWXU).unwrap();
    let all = [
        &["reach", "--hide", "pipe", "net.exp"][..],
        &["reach", "--symmetry", "-", "net.exp"],
        &["minimize", "pipe"],
        &["equiv", "lift.aut", "pipe"],
    ];
    for words in all {
        let words = [&["cluster", "run", "-n", "2", "--"], words].concat();
        let run = scratch.run("hyades", &words).status(2);
        run.says("read regular files, each for itself");
    }
}

/// Whether a process is there, and no zombie.
fn is_alive(process: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status"));
    status.is_ok_and(|text| !text.contains("State:\tZ"))
}

/// The children of a process.
fn children(of: u32) -> Vec<i32> {
    let text = fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
    text.split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect()
}

fn until(mut is_there: impl FnMut() -> bool) {
    while !is_there() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The launcher ends its processes with itself, and itself with one of them.
#[test]
fn the_launcher_and_its_processes_end_together() {
    let scratch = scratch_with_work();
    let words = [
        "cluster",
        "run",
        "-n",
        "3",
        "--",
        "minimize",
        "-v",
        "work.aut",
        "-o",
        "small.aut",
    ];
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGKILL] {
        let mut command = mortal(scratch.command("hyades", &words));
        let mut started = Started(vec![Some(command.stderr(Stdio::piped()).spawn().unwrap())]);
        let rest = started.hear(0, "connect:");
        let launcher = started.0[0].as_ref().unwrap().id();
        let processes = children(launcher);
        assert_eq!(processes.len(), 3);
        match signal {
            // One of the processes instead.
            Signal::SIGKILL => kill(Pid::from_raw(processes[1]), signal).unwrap(),
            _ => kill(Pid::from_raw(launcher as i32), signal).unwrap(),
        }
        let mut said = String::new();
        let mut rest = rest;
        rest.read_to_string(&mut said).unwrap();
        let run = started.wait(0);
        match signal {
            Signal::SIGKILL => {
                run.status(3);
                assert!(
                    said.contains("lost process 1")
                        || said.contains("process 1 was ended by signal 9"),
                    "{said}"
                );
            }
            _ => drop(run.signal(signal as i32)),
        }
        until(|| !processes.iter().any(|&process| is_alive(process)));
        assert_eq!(scratch.names(), ["work.aut"]);
    }
}

/// Also if it is ended while it starts them.
#[test]
fn a_launcher_that_ends_at_once_leaves_no_process() {
    let scratch = Scratch::with_vending();
    let input = scratch.path("vending.aut");
    let input = input.to_str().unwrap();
    let words = ["cluster", "run", "-n", "3", "--", "minimize", input];
    let is_left = || {
        let all = fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let id = entry.unwrap().file_name().to_str()?.parse::<i32>().ok()?;
            let words = fs::read(format!("/proc/{id}/cmdline")).ok()?;
            let is_ours = words
                .windows(input.len())
                .any(|part| part == input.as_bytes());
            (is_ours && is_alive(id)).then_some(id)
        });
        all.count() > 0
    };
    for k in 0..60 {
        let mut launcher = mortal(scratch.command("hyades", &words)).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(300 * k));
        kill(Pid::from_raw(launcher.id() as i32), Signal::SIGTERM).unwrap();
        launcher.wait().unwrap();
        let begun = Instant::now();
        while is_left() {
            assert!(begun.elapsed() < Duration::from_secs(20), "after {k}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn an_output_that_cannot_be_written_ends_all() {
    let scratch = Scratch::with_systems();
    let words = ["minimize", "random.aut", "-o", "/dev/full"];
    let run = together(&scratch, &["-n", "3"], &words).status(2);
    run.says("cannot write /dev/full: No space left on device");
    // Each process of its own.
    let group = Group::new(&scratch, 2, &[], &words);
    let mut started = group.start_all();
    started.wait(0).status(2).says("cannot write /dev/full");
    started
        .wait(1)
        .status(2)
        .says("process 0 has failed: cannot write /dev/full");
    // Nobody reads.
    scratch
        .shell(
            "set -o pipefail; hyades cluster run -n 2 -- minimize random.aut | true; test $? = 141",
        )
        .ok();
}

#[test]
fn a_run_is_gone_on_with() {
    let scratch = Scratch::with_systems();
    let expected = scratch.run("minimize", &["random.aut"]).ok();
    let saving = ["-n", "3", "--checkpoint", "kept", "--checkpoint-every", "0"];
    // It ends well but for its output, which leaves the last checkpoint there.
    let words = ["minimize", "random.aut", "-o", "/dev/full"];
    together(&scratch, &saving, &words).status(2);
    let kept = || {
        fs::read_dir(scratch.path("kept"))
            .unwrap()
            .map(|it| it.unwrap().path())
    };
    let manifests = kept().filter(|path| path.join("manifest.json").exists());
    assert_eq!(manifests.count(), 1);
    for n in ["1", "2", "4"] {
        let options = ["-n", n, "--resume", "kept"];
        let run = together(&scratch, &options, &["minimize", "random.aut"]).ok();
        assert!(run.stdout == expected.stdout, "{n}");
    }
    let options = ["-n", "2", "--resume", "kept"];
    let words = ["minimize", "lift.aut"];
    together(&scratch, &options, &words)
        .status(2)
        .says("it is of another LTS");
    // Read in another way, it is another one.
    let words = ["minimize", "random.aut", "--hidden", "a"];
    together(&scratch, &options, &words)
        .status(2)
        .says("options such as --hidden");
    let none = ["-n", "2", "--resume", "."];
    together(&scratch, &none, &["minimize", "random.aut"])
        .status(2)
        .says("no checkpoint that is whole: leave out --resume to begin anew");
    let words = ["equiv", "random.aut", "random.aut"];
    together(&scratch, &options, &words)
        .status(2)
        .says("it is of another LTS");
    together(&scratch, &options, &["reach", "random.aut"])
        .status(2)
        .says("leave out --resume");
    // One that ends well leaves nothing.
    let both = [&saving[..], &["--resume", "kept"]].concat();
    together(&scratch, &both, &["minimize", "random.aut"]).ok();
    assert_eq!(kept().count(), 0);
}

/// Comparisons too, and the first of several relations.
#[test]
fn others_are_gone_on_with() {
    let scratch = Scratch::with_systems();
    scratch
        .shell("generate ladder 20003 -o a.aut; generate ladder 20004 -o b.aut")
        .ok();
    for words in [
        &["equiv", "-v", "a.aut", "b.aut"][..],
        &["equiv", "-v", "-e", "branching", "b.aut", "a.aut"],
        &["minimize", "-v", "-e", "branching", "-e", "strong", "a.aut"],
    ] {
        let expected = scratch.run(words[0], &words[1..]);
        let full = [words, &["-o", "/dev/full"]].concat();
        let options = ["-n", "2", "--checkpoint", "kept", "--checkpoint-every", "0"];
        together(&scratch, &options, &full).status(2);
        let other = ["-n", "3", "--resume", "kept"];
        if words[0] == "equiv" {
            together(&scratch, &other, &["minimize", words[words.len() - 1]])
                .status(2)
                .says("manifest.json: it is of");
        }
        let options = [&options[2..], &other].concat();
        let run = together(&scratch, &options, words);
        assert_eq!(run.status, expected.status);
        assert!(run.stdout == expected.stdout, "{words:?}");
        let first = run.stderr.lines().find(|line| line.contains(": round "));
        assert!(
            first.is_some_and(|line| !line.contains("round 1 ")),
            "{}",
            run.stderr
        );
        assert_eq!(fs::read_dir(scratch.path("kept")).unwrap().count(), 0);
    }
}

/// Runs of the same hosts have the same number for their processes to meet by.
#[test]
fn checkpoints_of_other_systems_stay() {
    let scratch = Scratch::with_systems();
    let expected = scratch.run("minimize", &["random.aut"]).ok();
    let options = ["--checkpoint", "kept", "--checkpoint-every", "0"];
    let group = Group::new(
        &scratch,
        2,
        &options,
        &["minimize", "random.aut", "-o", "/dev/full"],
    );
    let mut started = group.start_all();
    (0..2).for_each(|index| drop(started.wait(index).status(2)));
    let others = Group {
        words: ["minimize", "lift.aut", "-o", "other.aut"]
            .map(str::to_owned)
            .into(),
        ..group
    };
    let mut started = others.start_all();
    (0..2).for_each(|index| drop(started.wait(index).ok()));
    let words = ["minimize", "random.aut"];
    let run = together(&scratch, &["-n", "2", "--resume", "kept"], &words).ok();
    assert!(run.stdout == expected.stdout);
}

/// What is gone on with is where the run was killed, and goes with what is left of it.
#[test]
fn a_run_that_is_killed_is_gone_on_with() {
    let scratch = Scratch::new();
    scratch.shell("generate ladder 20003 -o work.aut").ok();
    let expected = scratch.run("minimize", &["work.aut"]).ok();
    let words = ["minimize", "-v", "work.aut"];
    let options = ["--checkpoint", "kept", "--checkpoint-every", "0"];
    let group = Group::new(&scratch, 2, &options, &words);
    let mut started = group.start_all();
    // Its first round is whole by then.
    let rest = started.hear(0, "round 4 ");
    (0..2).for_each(|index| kill(started.id(index), Signal::SIGKILL).unwrap());
    drop((rest, started));
    let all = [&["-n", "3", "--resume", "kept"], &options[..]].concat();
    let run = together(&scratch, &all, &words).status(0);
    assert!(run.stdout == expected.stdout);
    assert!(!run.stderr.contains("round 1 "), "{}", run.stderr);
    assert_eq!(fs::read_dir(scratch.path("kept")).unwrap().count(), 0);
}

/// Process 1 fails by a mistake of ours, and process 0 works for ever.
#[derive(Parser)]
struct Fails {
    #[command(flatten)]
    run: RunOptions,
    #[arg(long)]
    how: String,
}

impl cli::Command for Fails {
    const NAME: &'static str = "fails";
    const BRIEF: &'static str = "";

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let membership = session.membership().expect("it is one of a run");
        let mut process = session.join(membership, &[])?;
        if process.index() == 1 {
            sum(&mut process, 1).expect("both are there");
            match self.how.as_str() {
                "here" => panic!("three is not {}", 4),
                "thread" => rayon::scope(|scope| scope.spawn(|_| panic!("in a thread"))),
                "memory" => drop(vec![1u8; 1 << 30]),
                how => unreachable!("{how}"),
            };
        }
        loop {
            sum(&mut process, 1).map_err(cluster_failure)?;
        }
    }
}

/// Not a test of its own: what the next one runs.
#[test]
fn child() {
    let Ok(told) = std::env::var("HYADES_TEST_CLUSTER") else {
        return;
    };
    let words: Vec<&str> = told.split(' ').collect();
    enter(Membership {
        addresses: words[2..].iter().map(|word| word.to_string()).collect(),
        index: words[0].parse().unwrap(),
        listener: Mutex::new(None),
        run: 7,
        is_local: false,
        words: Vec::new(),
        threads: Some(2),
        start_within: Duration::from_secs(20),
        lost_after: Duration::from_secs(10),
        checkpoint: None,
        resume: None,
    });
    let arguments = ["fails", "--max-memory", "500M", "--how", words[1]];
    cli::run::run::<Fails>("fails", arguments.map(Into::into).to_vec());
}

#[test]
fn a_mistake_of_ours_ends_all() {
    let scratch = Scratch::new();
    for (how, status, own, other) in [
        (
            "here",
            2,
            "fails: internal error: three is not 4",
            "process 1 has failed: it has met an internal error",
        ),
        (
            "thread",
            2,
            "fails: internal error: in a thread",
            "process 1 has failed: it has met an internal error",
        ),
        (
            "memory",
            3,
            "fails: out of memory",
            "process 1 has failed: it has not enough memory",
        ),
    ] {
        let group = Group::new(&scratch, 2, &[], &[]);
        let start = |index: usize| {
            let told = format!("{index} {how} {} {}", group.address(0), group.address(1));
            let mut command = Command::new(std::env::current_exe().unwrap());
            command
                .args(["--exact", "cluster::child", "--nocapture"])
                .env("HYADES_TEST_CLUSTER", told)
                .env_remove("RUST_BACKTRACE")
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            Some(command.spawn().unwrap())
        };
        let mut started = Started((0..2).map(start).collect());
        let run = started.wait(1).status(status).says(own);
        assert!(!run.stderr.contains("MergeQueue"), "{}", run.stderr);
        let run = started.wait(0).status(status).says(other);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
}

/// Two hosts with a cable between them, if the system lets us make such.
struct Hosts {
    names: [String; 2],
}

impl Hosts {
    fn new() -> Option<Self> {
        let id = std::process::id();
        let names = ["a", "b"].map(|host| format!("hyades-{id}-{host}"));
        let hosts = Self { names };
        let [a, b] = &hosts.names;
        let steps = [
            format!("netns add {a}"),
            format!("netns add {b}"),
            format!("link add cable netns {a} type veth peer name cable netns {b}"),
            format!("-n {a} addr add 10.77.0.1/24 dev cable"),
            format!("-n {b} addr add 10.77.0.2/24 dev cable"),
            format!("-n {a} link set cable up"),
            format!("-n {b} link set cable up"),
            format!("-n {a} link set lo up"),
            format!("-n {b} link set lo up"),
        ];
        steps.iter().all(|step| ip(step)).then_some(hosts)
    }

    /// Process `index` of a group on its host.
    fn start(&self, group: &Group<'_>, index: usize) -> Child {
        let inner = group.command(index);
        let mut outer = Command::new("ip");
        outer
            .args(["netns", "exec", &self.names[index]])
            .arg(inner.get_program())
            .args(inner.get_args())
            .current_dir(inner.get_current_dir().unwrap())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        mortal(outer).spawn().unwrap()
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for name in &self.names {
            ip(&format!("netns del {name}"));
        }
    }
}

fn ip(words: &str) -> bool {
    let mut command = Command::new("ip");
    command.args(words.split(' ')).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[test]
fn hosts_run_together_until_the_cable_is_cut() {
    let Some(hosts) = Hosts::new() else {
        eprintln!("skipped: network namespaces cannot be made here");
        return;
    };
    let scratch = scratch_with_work();
    let expected = scratch.run("minimize", &["work.aut"]).ok();
    let words = ["minimize", "-v", "work.aut"];
    let group = Group::new(&scratch, 2, &["--lost-after", "2"], &words);
    scratch.write("hosts", "10.77.0.1:4711\n10.77.0.2:4712\n");
    let start = || {
        Started(
            (0..2)
                .map(|index| Some(hosts.start(&group, index)))
                .collect(),
        )
    };
    let mut started = start();
    let run = started.wait(0).status(0);
    assert!(run.stdout == expected.stdout);
    started.wait(1).status(0).silent();
    let mut started = start();
    let mut rest = started.hear(0, "connect:");
    assert!(ip(&format!("-n {} link set cable down", hosts.names[0])));
    let mut said = String::new();
    rest.read_to_string(&mut said).unwrap();
    started.wait(0).status(3).prints("");
    let why = "it has given no sign of life for 2 s";
    assert!(said.contains(&format!("lost process 1: {why}")), "{said}");
    started
        .wait(1)
        .status(3)
        .says(&format!("lost process 0: {why}"));
}
