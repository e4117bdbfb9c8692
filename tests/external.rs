//! `--external`: what it writes is what is written without.

use crate::util;

use std::fs;
use std::os::unix::fs::symlink;

use nix::fcntl::{Flock, FlockArg};
use util::{Scratch, VENDING};

/// A scratch folder with LTSs in several formats.
fn scratch() -> Scratch {
    let scratch = Scratch::with_systems();
    for script in [
        "transcode random.aut -o random.tsv",
        "transcode random.aut -o random.bcg",
        "transcode random.aut -o random.aut.gz",
    ] {
        scratch.shell(script).ok();
    }
    scratch
}

/// What is hidden has been left out of the minimal systems that are compared.
#[test]
fn what_is_hidden_in_one_input_only_is_told() {
    let scratch = Scratch::new();
    for (name, label) in [("u.aut", "i"), ("v.aut", "tau")] {
        scratch.write(name, format!("des (0, 2, 2)\n(0, {label}, 1)\n(1, a, 0)\n"));
    }
    for relation in ["strong", "branching", "weaktrace"] {
        let usual = ["-e", relation, "u.aut", "v.aut"];
        let external = [&usual[..], &["--external", "files"]].concat();
        for options in [&usual[..], &external] {
            scratch.run("equiv", options).status(1).says(
                "label `tau` is visible in v.aut; u.aut has hidden actions, and no such label: \
                 --tau tau hides it in both",
            );
        }
    }
}

#[test]
fn the_output_is_the_same() {
    let scratch = scratch();
    let inputs = [
        "vending.aut",
        "random.aut",
        "lift.aut",
        "random.plts",
        "random.tsv",
        "random.bcg",
        "random.aut.gz",
        "unsorted.aut",
    ];
    for input in inputs {
        for options in [
            &[][..],
            &["--tau", "a0", "-e", "strong", "-e", "branching"],
            &["--to", "bcg", "-e", "branching"],
            &["-e", "divbranching", "-e", "observational"],
            &[
                "--hidden",
                "i",
                "--hidden",
                "a1",
                "--max-memory",
                "300M",
                "-j",
                "3",
            ],
        ] {
            let within = ["-o", "there", "--classes", "those", input];
            let without = ["-o", "here", "--classes", "these", input];
            let external = [options, &["--external", "files"], &within].concat();
            let run = scratch.run("minimize", &external).status(0);
            let usual = scratch.run("minimize", &[options, &without].concat());
            assert_eq!(run.stderr, usual.stderr, "{external:?}");
            for (a, b) in [("here", "there"), ("these", "those")] {
                let read = |name| fs::read(scratch.path(name)).unwrap();
                assert!(read(a) == read(b), "{external:?}");
            }
            assert_eq!(fs::read_dir(scratch.path("files")).unwrap().count(), 0);
        }
    }
}

#[test]
fn a_stream_is_read() {
    let scratch = Scratch::new();
    let expected = scratch.feed("minimize", &[], VENDING).ok();
    let run = scratch.feed("minimize", &["--external", "."], VENDING);
    run.ok().prints(expected.text());
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn the_directory_stays_if_it_has_come_to_something() {
    let scratch = Scratch::with_vending();
    let made = ["vending.aut", "--external", "a/b", "-o", "small.aut"];
    scratch.run("minimize", &made).ok();
    assert_eq!(scratch.names(), ["a", "small.aut", "vending.aut"]);
    scratch.write("bad.aut", "des (0, 2, 2)\n(0, A, 1)\n(1, B\n");
    let bad = ["bad.aut", "--external", "c/d"];
    let run = scratch.run("minimize", &bad).status(2).prints("");
    let without = scratch.run("minimize", &["bad.aut"]).status(2);
    assert_eq!(run.stderr, without.stderr);
    assert_eq!(
        scratch.names(),
        ["a", "bad.aut", "small.aut", "vending.aut"]
    );
    scratch.write("file", "");
    let run = scratch.run("minimize", &["vending.aut", "--external", "file"]);
    run.status(2).says("cannot write file: Not a directory");
}

#[test]
fn what_needs_all_in_memory_is_refused() {
    let scratch = Scratch::with_vending();
    for (options, says) in [
        (
            &["--keep-unreachable"][..],
            "--keep-unreachable does not go with --external",
        ),
        (
            &["--determinize"],
            "--determinize does not go with --external",
        ),
        (&["--rate"], "--rate does not go with --external"),
        (
            &["--html", "page.html"],
            "--html does not go with --external",
        ),
        (&["-e", "trace"], "put -e strong before it"),
        (&["-e", "weaktrace", "-e", "branching"], "not by weaktrace"),
    ] {
        let arguments = [options, &["vending.aut", "--external", "files"]].concat();
        scratch
            .run("minimize", &arguments)
            .status(2)
            .says(says)
            .prints("");
        assert_eq!(scratch.names(), ["vending.aut"]);
    }
}

#[test]
fn damage_is_told_as_without() {
    let scratch = Scratch::new();
    // Parts of the same shape.
    for (name, step) in [("one", 1), ("other", 2)] {
        let lines = (0..999).map(|s| format!("({s}, A, {})\n", (s + step) % 999));
        let text = format!("des (0, 999, 999)\n{}", lines.collect::<String>());
        scratch.write(&format!("{name}.aut"), text);
        let convert = format!("transcode {name}.aut --parts 3 --codec none -o {name}.plts");
        scratch.shell(&convert).ok();
    }
    let part = |name: &str| scratch.path(&format!("{name}.plts/part-00001"));
    fs::copy(part("other"), part("one")).unwrap();
    // A state far away: a mistake.
    scratch.write("far.tsv", "0\ta\t4000000000\n4000000000\tb\t0\n");
    for (input, says) in [
        ("one.plts", "the XXH3 of the file is"),
        ("far.tsv", "tsv-state-range"),
    ] {
        let expected = scratch.run("minimize", &[input]).status(2).prints("");
        let run = scratch
            .run("minimize", &["--external", "f", input])
            .status(2)
            .prints("");
        assert_eq!(run.stderr, expected.stderr);
        run.says(says);
        let run = scratch
            .run("equiv", &["--external", "f", input, input])
            .status(2)
            .prints("");
        run.says(says);
    }
}

#[test]
fn rounds_and_bytes_are_told() {
    let scratch = scratch();
    let arguments = [
        "-v",
        "--external",
        "files",
        "--stats",
        "s.json",
        "random.aut",
    ];
    let run = scratch.run("minimize", &arguments).status(0);
    assert!(run.stderr.contains("minimize: strong, "), "{}", run.stderr);
    let stats = util::json(scratch.read("s.json"));
    for figure in ["rounds", "external_bytes_read", "external_bytes_written"] {
        assert!(stats[figure].is_u64(), "{figure}");
    }
    assert!(stats["external_bytes_written"].as_u64().unwrap() > 9000 * 8);
    // What is told of inputs is the same.
    for input in ["random.aut", "random.plts", "lift.aut"] {
        for options in [
            &[][..],
            &["--tau", "a0"],
            &["--hidden", "i", "--hidden", "a1"],
        ] {
            let usual = [options, &["--stats", "t.json", input]].concat();
            scratch.run("minimize", &usual).status(0);
            let external = [options, &["--stats", "s.json", input, "--external", "f"]].concat();
            scratch.run("minimize", &external).status(0);
            let inputs = |name| util::json(scratch.read(name))["inputs"].clone();
            assert_eq!(inputs("s.json"), inputs("t.json"));
        }
    }
}

#[test]
fn what_does_not_fit_stays_on_disk() {
    let scratch = Scratch::new();
    // All states differ.
    let generate = "generate random 150000 750000 -o large.plts";
    scratch.shell(generate).ok();
    scratch
        .run("minimize", &["large.plts", "--classes", "c", "-o", "o"])
        .ok();
    let little = [
        "-j",
        "1",
        "large.plts",
        "--external",
        "f",
        "--max-memory",
        "32M",
    ];
    let on_disk = [&little[..], &["--classes", "d", "-o", "p"]].concat();
    scratch.run("minimize", &on_disk).ok();
    for (a, b) in [("o", "p"), ("c", "d")] {
        let read = |name| fs::read(scratch.path(name)).unwrap();
        assert!(read(a) == read(b), "{a} is not {b}");
    }
    // As a partitioned LTS, too, whose files are those that it has from memory.
    for options in [&[][..], &["--parts", "5", "--codec", "none"]] {
        let output = |name| [options, &["-q", "-o", name]].concat();
        let usual = [&["large.plts"], &output("o.plts")[..]].concat();
        scratch.run("minimize", &usual).ok();
        let on_disk = [&little[..], &output("p.plts")[..]].concat();
        scratch.run("minimize", &on_disk).ok();
        let files = |name| {
            let mut names: Vec<_> = fs::read_dir(scratch.path(name))
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .map(|path| {
                    (
                        path.file_name().unwrap().to_owned(),
                        fs::read(path).unwrap(),
                    )
                })
                .collect();
            names.sort();
            names
        };
        assert!(files("o.plts") == files("p.plts"), "{options:?}");
        assert!(files("o.plts").len() >= 3);
    }
    for name in ["o.plts", "p.plts"] {
        fs::remove_dir_all(scratch.path(name)).unwrap();
    }
    // Labels are looked at before anything is written.
    scratch
        .shell("transcode large.plts | sed 's/a3,/i,/; s/a4,/\"é\",/' > odd.aut")
        .ok();
    for (options, says) in [
        (&["--hidden", "a1"][..], "label-like-hidden"),
        (&["--ascii"], "aut-non-ascii"),
    ] {
        let usual = [options, &["odd.aut"]].concat();
        let expected = scratch.run("minimize", &usual).status(2).prints("");
        let external = [options, &little[3..], &["-j", "1", "odd.aut"]].concat();
        let run = scratch.run("minimize", &external).status(2).prints("");
        assert_eq!(run.stderr, expected.stderr);
        run.says(says);
    }
    fs::remove_file(scratch.path("odd.aut")).unwrap();
    // Other formats need it in memory.
    let others = [&little[..], &["-o", "o.bcg"]].concat();
    let run = scratch.run("minimize", &others).status(3);
    run.says("too little memory for the minimal LTS, which is in memory: about ");
    assert_eq!(scratch.names(), ["c", "d", "f", "large.plts", "o", "p"]);
}

#[test]
fn states_with_the_same_signature_take_little_memory() {
    let scratch = Scratch::new();
    let n = 1_500_000;
    let lines = (0..n).map(|s| format!("({s}, A, {})\n", (s + 1) % n));
    let text = format!("des (0, {n}, {n})\n{}", lines.collect::<String>());
    scratch.write("cycle.aut", text);
    let little = [
        "-j",
        "1",
        "cycle.aut",
        "--external",
        "f",
        "--max-memory",
        "40M",
    ];
    let run = scratch.run("minimize", &little).ok();
    run.prints("des (0, 1, 1)\n(0, A, 0)\n");
}

#[test]
fn what_is_needed_counts_the_process() {
    let scratch = Scratch::new();
    scratch
        .shell("generate random 300000 1500000 -o large.plts")
        .ok();
    let with = |threads: &str, memory: &str| {
        let little = [
            "-j",
            threads,
            "large.plts",
            "--external",
            "f",
            "--max-memory",
            memory,
        ];
        scratch.run("minimize", &[&little[..], &["-o", "o.bcg"]].concat())
    };
    for threads in ["1", "4", "16"] {
        // Each time there is enough for what it was about.
        let mut memory = "16M".to_owned();
        let mut about = Vec::new();
        loop {
            let run = with(threads, &memory);
            if run.status.success() {
                break;
            }
            let run = run.status(3);
            let text = run.stderr.lines().last().unwrap().to_owned();
            let (before, rest) = text.split_once(": about ").expect(&text);
            let (needed, advice) = rest.split_once(" are needed (--max-memory)").expect(&text);
            assert_eq!(advice.contains("-j"), threads != "1", "{text}");
            let what = before.rsplit(": ").next().unwrap().to_owned();
            assert!(
                !about.contains(&what),
                "{what} once more: {about:?}, {memory}"
            );
            about.push(what);
            // Rounded in the message.
            let (number, unit) = needed.split_once(' ').expect(&text);
            let bytes =
                (number.parse::<f64>().unwrap() + 0.1) * if unit == "MB" { 1e6 } else { 1e9 };
            memory = (bytes as u64).to_string();
        }
        assert!(!about.is_empty());
    }
}

/// What one thread has freed is there for the others.
#[test]
fn many_threads_do_with_little_memory() {
    let scratch = Scratch::new();
    scratch
        .shell("generate random 1000000 4000000 -o large.aut")
        .ok();
    for (relation, threads, memory) in [("strong", "16", "150M"), ("branching", "2", "120M")] {
        let little = ["--external", "f", "-j", threads, "--max-memory", memory];
        let words = [&little[..], &["-e", relation, "large.aut", "-o", "o.plts"]].concat();
        scratch.run("minimize", &words).ok();
    }
}

#[test]
fn systems_are_compared() {
    let scratch = scratch();
    for script in [
        "minimize -e branching random.aut -o small.aut",
        "relabel --hide-label a1 random.aut -o other.aut",
    ] {
        scratch.shell(script).ok();
    }
    for (a, b) in [
        ("random.aut", "small.aut"),
        ("random.plts", "random.aut.gz"),
        ("random.aut", "other.aut"),
        ("lift.aut", "random.tsv"),
    ] {
        for relation in ["strong", "branching", "divbranching", "weaktrace", "trace"] {
            let usual = ["-e", relation, a, b];
            let expected = scratch.run("equiv", &usual);
            let external = [&usual[..], &["--external", "files"]].concat();
            let run = scratch.run("equiv", &external);
            let verdict = |text: &str| text.lines().next().map(str::to_owned);
            assert_eq!(
                verdict(run.text()),
                verdict(expected.text()),
                "{external:?}"
            );
            assert_eq!(run.status, expected.status);
            let is_bisimilarity = !relation.contains("trace");
            assert!(
                run.stdout == expected.stdout || !is_bisimilarity && run.text().lines().count() > 1,
                "{external:?}"
            );
        }
    }
    let refused = [
        "--spectrum",
        "random.aut",
        "small.aut",
        "--external",
        "files",
    ];
    let run = scratch.run("equiv", &refused).status(2);
    run.says("says nothing of isomorphism");
}

#[test]
fn what_a_killed_process_has_left_is_removed() {
    let scratch = scratch();
    for (name, is_locked) in [("1", true), ("2", true), ("3", false)] {
        let folder = scratch.path(&format!("kept/.hyades.{name}.tmp"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("rows"), "left").unwrap();
        if is_locked {
            fs::write(folder.join("lock"), "").unwrap();
        }
    }
    fs::create_dir(scratch.path("kept/.hyades.4.tmp")).unwrap();
    // A link is not followed.
    fs::create_dir(scratch.path("precious")).unwrap();
    fs::write(scratch.path("precious/lock"), "").unwrap();
    symlink("../precious", scratch.path("kept/.hyades.5.tmp")).unwrap();
    let lock = fs::File::open(scratch.path("kept/.hyades.2.tmp/lock")).unwrap();
    let held = Flock::lock(lock, FlockArg::LockExclusiveNonblock).unwrap();
    let run = scratch.run("minimize", &["-v", "--external", "kept", "random.aut"]);
    run.status(0).says(".hyades.1.tmp is removed");
    let left = |name: &str| {
        scratch
            .path(&format!("kept/.hyades.{name}.tmp/rows"))
            .exists()
    };
    assert!(scratch.path("precious/lock").exists());
    // One process is still there, and what is in the third is not ours.
    assert_eq!(["1", "2", "3"].map(left), [false, true, true]);
    drop(held);
}

#[test]
fn what_was_not_enough_is_not_advised() {
    let scratch = Scratch::new();
    scratch
        .shell("generate random 60000 300000 --alphabet 3 -o r.aut && transcode r.aut -o r.plts")
        .ok();
    for threads in ["-j2", "-j8"] {
        let mut told = 0;
        for megabytes in (20..40).step_by(2) {
            let most = format!("{megabytes}M");
            let words = [
                "--external",
                "kept",
                "--max-memory",
                &most,
                threads,
                "r.plts",
                "-o",
                "o.aut",
            ];
            let run = scratch.run("minimize", &words);
            if run.status.success() {
                continue;
            }
            let run = run.status(3);
            let (_, text) = run.stderr.split_once("about ").expect(&run.stderr);
            let number: f64 = text.split(' ').next().unwrap().parse().unwrap();
            assert!(
                text[text.find(' ').unwrap()..].starts_with(" MB are needed"),
                "{text}"
            );
            assert!(number > f64::from(megabytes), "{most}: {text}");
            told += 1;
        }
        assert!(told > 0);
    }
}
