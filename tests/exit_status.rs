//! The exit status tells how it ended.

use crate::util;

use util::{COMMANDS, FILTERS, Scratch};

#[test]
fn nonsense_on_the_command_line_is_2() {
    let scratch = Scratch::with_vending();
    for command in COMMANDS {
        scratch
            .run(command, &["--nonsense"])
            .status(2)
            .says("--nonsense")
            .prints("");
        for bad in [
            &["-j", "0"][..],
            &["-j", "x"],
            &["-j", "99999"],
            &["--max-memory", "lots"],
            &["--stats"],
        ] {
            scratch.run(command, bad).status(2).says("error").prints("");
        }
    }
    for filter in FILTERS {
        scratch
            .run(filter, &["vending.aut", "another.aut"])
            .status(2);
    }
    scratch.run("equiv", &["vending.aut"]).status(2);
    scratch.run("generate", &[]).status(2);
}

#[test]
fn a_missing_or_unreadable_file_is_2() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("directory")).unwrap();
    for filter in FILTERS {
        scratch
            .run(filter, &["missing.aut"])
            .status(2)
            .says("missing.aut: No such file or directory")
            .prints("");
        scratch
            .run(filter, &["directory"])
            .status(2)
            .says("irectory")
            .prints("");
    }
}

#[test]
fn verdicts_are_0_and_1() {
    let scratch = Scratch::with_vending();
    scratch.write("other.aut", "des (0, 1, 2)\n(0, a, 1)\n");
    scratch
        .run("equiv", &["vending.aut", "vending.aut"])
        .status(0);
    scratch
        .run("equiv", &["vending.aut", "other.aut"])
        .status(1);
    scratch
        .run("reach", &["--fail-on", "deadlock", "other.aut"])
        .status(1);
    scratch
        .run("reach", &["--fail-on", "livelock", "other.aut"])
        .status(0);
}
