//! The examples in Rust, built by cargo beside the tests.

use crate::util;

use std::path::PathBuf;
use std::process::Command;

use util::{Run, Scratch, binary, finish};

/// A file that cargo has built from an example.
fn example(name: &str) -> PathBuf {
    let path = binary("hyades").with_file_name("examples").join(name);
    assert!(
        path.exists(),
        "{} is missing: cargo build --examples",
        path.display()
    );
    path
}

fn token_ring(scratch: &Scratch, arguments: &str) -> Run {
    let suffix = std::env::consts::DLL_SUFFIX;
    let object = example(&format!("libtoken_ring{suffix}"));
    let mut all = vec![object.to_str().expect("a path in UTF-8")];
    all.extend(arguments.split_whitespace());
    scratch.run("reach", &all)
}

#[test]
fn token_rings_have_their_known_size() {
    let scratch = Scratch::new();
    for processes in 1..=10 {
        let argument = format!("--model-argument {processes} --check-model -j 2");
        let orbits = 3 << (processes - 1);
        for (symmetry, states) in [("", processes * orbits), ("--symmetry model", orbits)] {
            let run = token_ring(&scratch, &format!("{argument} {symmetry}")).ok();
            let head = run.text().lines().next().unwrap();
            assert!(
                head.ends_with(&format!(", {states})")),
                "{processes}: {head}"
            );
        }
    }
}

#[test]
fn a_turned_token_ring_is_bisimilar_to_the_whole() {
    let scratch = Scratch::new();
    token_ring(&scratch, "--model-argument 6 -o whole.bcg").ok();
    token_ring(
        &scratch,
        "--model-argument 6 -o orbits.bcg --symmetry model",
    )
    .ok();
    scratch
        .run("equiv", &["whole.bcg", "orbits.bcg"])
        .ok()
        .prints("TRUE\n");
}

#[test]
fn a_token_that_nobody_wants_goes_round_for_ever() {
    let scratch = Scratch::new();
    let questions = "--deadlock --livelock --find LEAVE";
    let rest = "[]\nfind: TRUE\n\"WANT\"\n\"ENTER\"\n\"LEAVE\"\n";
    let cycle = "deadlock: FALSE\nlivelock: TRUE\n*** from here on a cycle\n";
    token_ring(&scratch, questions)
        .ok()
        .prints(&format!("{cycle}{}{rest}", "\"i\"\n".repeat(3)));
    // Turned back, it has not moved.
    token_ring(&scratch, &format!("{questions} --symmetry model"))
        .ok()
        .prints(&format!("{cycle}\"i\"\n{rest}"));
    token_ring(&scratch, "--model-argument 33")
        .status(2)
        .says("hyades_model_open fails: the number of processes is 1 to 32");
}

#[test]
fn peterson_excludes() {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(example("peterson"));
        command
            .args(arguments)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        finish(command).ok()
    };
    let right = run(&[]);
    assert!(
        right
            .text()
            .ends_with("deadlock: false\nat most one is in its critical section\n"),
        "{}",
        right.text()
    );
    let broken = run(&["broken"]);
    assert!(
        broken
            .text()
            .contains("both are in their critical sections after\n  INTERESTED !"),
        "{}",
        broken.text()
    );
}
