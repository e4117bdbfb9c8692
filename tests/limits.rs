//! Limits end the work with status 3, and without an output.

use crate::util;

use util::{Scratch, json};

#[test]
fn too_many_states_are_no_verdict() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["chain", "100", "-o", "c.aut"])
        .ok();
    for (limit, status) in [("100", 0), ("99", 3), ("1", 3)] {
        let run = scratch.run("reach", &["c.aut", "-o", "r.aut", "--max-states", limit]);
        let run = run.status(status);
        assert_eq!(scratch.path("r.aut").exists(), status == 0, "{limit}");
        if status == 0 {
            std::fs::remove_file(scratch.path("r.aut")).unwrap();
        } else {
            run.says("--max-states");
        }
    }
    scratch
        .run("reach", &["c.aut", "--max-states", "50"])
        .status(3)
        .prints("");
    scratch
        .run("reach", &["c.aut", "--max-states", "0"])
        .status(2);
}

#[test]
fn an_unanswered_question_is_unknown() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["chain", "100", "-o", "c.aut"])
        .ok();
    scratch
        .run(
            "reach",
            &["c.aut", "--deadlock", "--livelock", "--max-states", "50"],
        )
        .status(3)
        .prints("deadlock: UNKNOWN\nlivelock: UNKNOWN\n");
    // What was found before the limit counts.
    scratch
        .run(
            "reach",
            &[
                "c.aut",
                "--find",
                ".*",
                "--max-states",
                "50",
                "--fail-on",
                "found",
            ],
        )
        .status(1);
    let run = scratch.run(
        "reach",
        &[
            "c.aut",
            "--find",
            ".*",
            "--deadlock",
            "--max-states",
            "50",
            "--fail-on",
            "found",
        ],
    );
    assert!(
        run.status(1)
            .text()
            .starts_with("deadlock: UNKNOWN\nfind: TRUE\n")
    );
}

#[test]
fn generating_too_many_states_is_given_up() {
    let scratch = Scratch::new();
    scratch
        .run(
            "generate",
            &["dining", "9", "--max-states", "1000", "-o", "d.aut"],
        )
        .status(3)
        .says("--max-states");
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn too_little_memory_is_no_verdict() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["chain", "2000000", "-o", "c.aut"])
        .ok();
    for command in ["transcode", "reach", "minimize", "describe"] {
        scratch
            .run(
                command,
                &["c.aut", "-j", "1", "--max-memory", "12M", "-o", "out"],
            )
            .status(3)
            .says("memory")
            .prints("");
        assert_eq!(scratch.names(), ["c.aut"]);
    }
    scratch
        .run(
            "transcode",
            &["c.aut", "-j", "1", "--max-memory", "2G", "-o", "out"],
        )
        .ok();
}

/// What is documented is written all the same: all verdicts are open.
#[test]
fn too_little_memory_leaves_all_verdicts_open() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["chain", "20000", "-o", "c.aut"])
        .ok();
    let few = ["c.aut", "c.aut", "-j", "1", "--max-memory", "1M"];
    let run = |options: &[&str]| scratch.run("equiv", &[options, &few].concat()).status(3);
    let found = json(run(&["--spectrum", "--json"]).text());
    let relations = found["relations"].as_array().unwrap();
    assert!(relations.len() > 30);
    for relation in relations {
        assert_eq!(relation["order"], "unknown");
        assert!(relation["below"].is_null() && relation["above"].is_null());
    }
    let formula = ["--evaluate", "true"];
    run(&formula).prints("c.aut: UNKNOWN\nc.aut: UNKNOWN\n");
    let found = json(run(&["--evaluate", "true", "--json"]).text());
    assert_eq!(found["first"], "c.aut");
    assert!(found["holds_in_first"].is_null() && found["holds_in_second"].is_null());
    scratch
        .run("generate", &["chain", "300000", "-o", "c.aut"])
        .ok();
    let few = ["--json", "c.aut", "-j", "1", "--max-memory", "3M"];
    let run = |command: &str, options: &[&str]| {
        let run = scratch.run(command, &[options, &few].concat()).status(3);
        json(run.text())
    };
    let found = run("check", &["-f", "DEADLOCK_FREE", "-f", "true"]);
    for formula in found["formulas"].as_array().unwrap() {
        assert!(formula["verdict"].is_null() && formula["witness"].is_null());
        assert_eq!(formula["reason"], "out of memory");
    }
    assert_eq!(found["formulas"][1]["formula"], "true");
    for (command, options) in [("refine", &["c.aut"][..]), ("reach", &["--deadlock"])] {
        assert_eq!(run(command, options)["reason"], "out of memory");
    }
}

/// States with many inert successors once made signatures of branching
/// bisimilarity grow without bound.
#[test]
fn random_systems_with_a_large_hidden_component_need_little_memory() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["random", "100000", "500000", "-o", "r.aut"])
        .ok();
    for relation in ["branching", "divbranching"] {
        scratch
            .run(
                "minimize",
                &[
                    "-e",
                    relation,
                    "r.aut",
                    "--max-memory",
                    "300M",
                    "-o",
                    "out.aut",
                ],
            )
            .ok();
    }
}

/// What is known when there is no more memory is told.
#[test]
fn unanswered_for_lack_of_memory() {
    let scratch = Scratch::new();
    scratch.write("a.aut", "des (0,1,2)\n(0,a,1)\n");
    for network in ["a", "a ||| a"] {
        scratch
            .run(
                "reach",
                &[
                    "-j",
                    "1",
                    "--max-memory",
                    "1K",
                    "--deadlock",
                    "--expression",
                    network,
                ],
            )
            .status(3)
            .says("gave up after 1 state (--max-memory)")
            .prints("deadlock: UNKNOWN\n");
    }
}

/// Status 3 is never silent, however quiet.
#[test]
fn no_verdict_says_why() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["chain", "1000", "-o", "c.aut"])
        .ok();
    scratch.write("two.aut", "des (0,2,2)\n(0,A,1)\n(1,B,0)\n");
    for (command, says) in [
        (
            "reach -q c.aut --max-states 5",
            "gave up after 5 states (--max-states)",
        ),
        (
            "reach -q c.aut --deadlock --max-states 5",
            "gave up after 5 states (--max-states)",
        ),
        (
            "reach -q -j 1 --max-memory 1K --deadlock --expression 'two ||| two'",
            "gave up after 1 state (--max-memory)",
        ),
        (
            "reach -q -j 1 --max-memory 1K --expression two",
            "reach: out of memory: ",
        ),
        (
            "refine -q --semantics T c.aut c.aut --max-states 5",
            "gave up after 5 pairs",
        ),
        (
            "refine -q --semantics T c.aut c.aut --max-normal-form 5",
            "(--max-normal-form)",
        ),
    ] {
        let run = scratch.shell(command).status(3).says(says);
        assert_eq!(run.stderr.lines().count(), 1, "{command}: {}", run.stderr);
    }
}

/// What is written before all is known is not written at all.
#[test]
fn no_header_of_what_does_not_come() {
    let scratch = Scratch::new();
    let generate = |limit: &str| {
        let arguments = ["chatbox-fixed", "4", "-j", "1", "--max-memory", limit];
        scratch.run("generate", &arguments)
    };
    let whole = scratch.run("generate", &["chatbox-fixed", "4"]).ok();
    let mut seen = [false; 2];
    for limit in ["8M", "10M", "12M", "16M", "24M", "64M"] {
        let run = generate(limit);
        let enough = run.status.success();
        seen[usize::from(enough)] = true;
        match enough {
            true => assert!(run.stdout == whole.stdout),
            false => drop(run.status(3).says("generate: out of memory").prints("")),
        }
    }
    assert_eq!(seen, [true; 2]);
}

/// Whatever asks for memory that is not there: the explorer, or something that
/// it knows nothing of.
#[test]
fn unanswered_wherever_memory_ends() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["chain", "200000", "-o", "c.aut"])
        .ok();
    scratch
        .run(
            "reach",
            &["c.aut", "--max-memory", "4M", "--deadlock", "--find", "X.*"],
        )
        .status(3)
        .says("reach: out of memory: ")
        .prints("deadlock: UNKNOWN\nfind: UNKNOWN\n");
    // No question, no answer.
    let run = scratch.run("reach", &["c.aut", "--max-memory", "4M"]);
    gave_up(run, "reach", "--max-memory");
}

/// A product that is larger is not composed, and what is left is explored within
/// the same limit.
#[test]
fn products_are_within_the_limit_on_states() {
    let scratch = Scratch::new();
    scratch.write("two.aut", "des (0,2,2)\n(0,A,1)\n(1,B,0)\n");
    for (limit, answer) in [("3", "UNKNOWN"), ("4", "FALSE")] {
        let options = [
            "--compositional",
            "-e",
            "strong",
            "--deadlock",
            "--max-states",
            limit,
        ];
        let run = scratch.run(
            "reach",
            &[&options[..], &["-v", "--expression", "two |[B]| two"]].concat(),
        );
        assert_eq!(run.stdout, format!("deadlock: {answer}\n").as_bytes());
        match answer {
            "UNKNOWN" => run
                .status(3)
                .says("more than 3 states, put off")
                .says("gave up after 3 states (--max-states)"),
            _ => run.status(0),
        };
    }
}

/// States that are only gone through count, for each state that they are
/// reached from.
#[test]
fn hidden_states_are_within_the_limit_on_states() {
    let scratch = Scratch::new();
    let mut ring = "des (0,40,40)\n".to_owned();
    for state in 0..40 {
        ring += &format!("({state},i,{})\n", (state + 1) % 40);
    }
    scratch.write("ring.aut", ring);
    let run = |network: &str, limit: &str, threads: &str| {
        let limit = [
            "--tau-star",
            "--find=a",
            "--max-states",
            limit,
            "-j",
            threads,
        ];
        scratch.run("reach", &[&limit[..], &["--expression", network]].concat())
    };
    for threads in ["1", "2"] {
        for (network, most) in [("ring", 40), ("ring ||| ring", 1600)] {
            let within = run(network, &most.to_string(), threads).ok();
            within.prints("find: FALSE\n");
            for limit in [1, 10, most - 1] {
                run(network, &limit.to_string(), threads)
                    .status(3)
                    .says("gave up after 1 state (--max-states: hidden transitions lead to more)")
                    .prints("find: UNKNOWN\n");
            }
        }
    }
}

const ONE: &str = "des (0,1,2)\n(0,a,1)\n";

/// It gave up with one line, and left nothing behind.
#[track_caller]
fn gave_up(run: util::Run, command: &str, part: &str) {
    let run = run.status(3).says(part).prints("");
    let start = format!("{command}: out of memory: ");
    assert!(run.stderr.starts_with(&start), "{}", run.stderr);
    assert_eq!(run.stderr.matches('\n').count(), 1, "{}", run.stderr);
    assert!(run.stderr.ends_with('\n'), "{}", run.stderr);
}

#[test]
fn a_lack_of_memory_is_told_in_one_line() {
    let scratch = Scratch::new();
    scratch.write("one.aut", ONE);
    // The second half may do with what the process has from the start.
    let cases: [(&str, &[&str], bool); 8] = [
        ("transcode", &["-o", "o.xz", "--max-memory", "64M"], true),
        ("transcode", &["-o", "o.bz2", "--max-memory", "8M"], true),
        (
            "transcode",
            &["-o", "o.zst", "--level", "19", "--max-memory", "8M"],
            true,
        ),
        ("reach", &["--compress", "zstd", "--max-memory", "2M"], true),
        ("minimize", &["-o", "out", "--max-memory", "4M"], false),
        ("minimize", &["-o", "out", "--max-memory", "2M"], false),
        ("describe", &["--max-memory", "1"], false),
        ("describe", &["-j", "1000", "--max-memory", "50M"], false),
    ];
    for (command, options, certain) in cases {
        for backtrace in ["0", "1"] {
            let mut run = scratch.command(command, &["one.aut"]);
            run.args(options).env("RUST_BACKTRACE", backtrace);
            let run = util::finish(run);
            if certain || run.status.code() != Some(0) {
                gave_up(run, command, "--max-memory");
            }
            let _ = std::fs::remove_file(scratch.path("out"));
            assert_eq!(scratch.names(), ["one.aut"], "{command} {options:?}");
        }
    }
    scratch
        .run("minimize", &["one.aut", "--max-memory", "0"])
        .status(2)
        .says("--max-memory");
}

/// Too little memory to decompress is no damage. Whatever the limit is, the end
/// is one or the other.
#[test]
fn compressed_files_are_intact_whatever_the_memory() {
    let scratch = Scratch::new();
    scratch.write("one.aut", ONE);
    for ending in ["gz", "zst", "xz", "bz2"] {
        let name = format!("one.aut.{ending}");
        let mut make = vec!["one.aut", "-o", &name];
        if ending == "xz" {
            // whose dictionary has to be allocated by the reader
            make.extend(["--level", "9"]);
        }
        scratch.run("transcode", &make).ok();
        let before = scratch.names();
        let mut refused = 0;
        for limit in ["1", "2M", "3M", "4M", "5M", "6M", "8M", "10M", "80M"] {
            let limited = ["--max-memory", limit, "-j", "1"];
            for arguments in [
                vec![name.as_str()],
                vec!["one.aut", "-o", "out.aut", "--compress"],
            ] {
                let mut run = scratch.command("transcode", &arguments);
                if arguments.len() > 1 {
                    run.arg(match ending {
                        "gz" => "gzip",
                        "zst" => "zstd",
                        "bz2" => "bzip2",
                        other => other,
                    });
                }
                run.args(limited);
                let run = util::finish(run);
                if run.status.code() == Some(0) {
                    let _ = std::fs::remove_file(scratch.path("out.aut"));
                } else {
                    refused += 1;
                    gave_up(run, "transcode", "--max-memory");
                }
                assert_eq!(scratch.names(), before, "{ending} {limit}");
            }
        }
        assert!(refused > 0, "{ending}");
    }
}

/// The same without an option, where the system refuses. Two megabytes of data are in the
/// program itself.
#[test]
fn limits_of_the_system_are_told_alike() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["chain", "2000000", "-o", "c.aut"])
        .ok();
    for (limit, kilobytes) in [("-v", 80_000), ("-d", 3000), ("-d", 8000), ("-d", 30_000)] {
        let run = scratch.shell(&format!(
            "ulimit {limit} {kilobytes}; RUST_BACKTRACE=1 minimize c.aut -o out.aut"
        ));
        assert!(!run.stderr.contains("Error"), "{}", run.stderr);
        gave_up(run, "minimize", "no --max-memory");
        assert_eq!(scratch.names(), ["c.aut"], "{limit} {kilobytes}");
    }
}

/// An answer that is known needs no memory to be written; without one, it is told that there
/// is none.
#[test]
fn comparisons_with_hardly_any_memory_have_an_answer() {
    let scratch = Scratch::new();
    scratch.write("nil.aut", "des (0,0,1)\n");
    scratch.write("live.aut", "des (0,1,1)\n(0,i,0)\n");
    for memory in ["1K", "2M"] {
        for (options, answers) in [
            (&[][..], ["FALSE\n", "UNKNOWN\n"]),
            (
                &["--json"],
                ["{\n  \"verdict\": false,", "{\n  \"verdict\": null,"],
            ),
        ] {
            let inputs = ["nil.aut", "live.aut", "--max-memory", memory];
            let run = scratch.run("equiv", &[&inputs, options].concat());
            let answer = match run.status.code() {
                Some(1) => answers[0],
                _ => answers[1],
            };
            assert!(run.text().starts_with(answer), "{}", run.stderr);
        }
    }
}
