//! Limits end the work with status 3, and without an output.

mod util;

use util::Scratch;

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
