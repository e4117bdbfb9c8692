//! Commands as parts of real pipelines.

use crate::util;

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use util::{COMMANDS, FILTERS, Scratch, VENDING, finish, json};

#[test]
fn output_of_one_is_input_of_the_next() {
    let scratch = Scratch::with_vending();
    scratch
        .shell(
            "set -o pipefail; transcode vending.aut --compress zstd | reach \
             | minimize -e branching --stats m.json -o small.aut",
        )
        .ok()
        .prints("");
    let stats = json(scratch.read("m.json"));
    assert_eq!(stats["inputs"][0]["states"], 6);
    scratch
        .shell("equiv -e branching vending.aut small.aut")
        .status(0);
    scratch
        .shell("cat small.aut | equiv -e branching vending.aut -")
        .status(0);
    scratch
        .shell(
            "set -o pipefail; hyades generate dining 4 | hyades convert --compress gzip \
             | hyades reach | hyades info --json",
        )
        .ok();
}

#[test]
fn every_filter_reads_a_pipe_as_it_reads_a_file() {
    let scratch = Scratch::with_vending();
    for filter in FILTERS {
        let file = scratch.run(filter, &["vending.aut"]).ok();
        let pipe = scratch.feed(filter, &[], VENDING).ok();
        assert_eq!(file.text(), pipe.text(), "{filter}");
    }
}

#[test]
fn a_reader_that_leaves_early_ends_the_writer_silently() {
    let scratch = Scratch::new();
    // Much more than fits in a pipe.
    scratch.shell("generate chain 300000 -o chain.aut").ok();
    for filter in ["minimize", "reach", "transcode"] {
        let mut command = scratch.command(filter, &["chain.aut"]);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        reader.read_line(&mut line).unwrap();
        assert!(line.starts_with("des (0, 299999, 300000)"), "{line}");
        drop(reader);
        util::wait(child, filter.into())
            .signal(libc_sigpipe())
            .silent();
    }
    let run = scratch
        .shell("transcode chain.aut | head -n 1 > line; echo ${PIPESTATUS[0]}")
        .ok();
    run.prints("141\n");
    scratch.shell("transcode --help | true").ok();
}

/// 13 on every Unix.
fn libc_sigpipe() -> i32 {
    13
}

#[test]
fn a_file_beside_a_broken_pipe_does_not_appear() {
    let scratch = Scratch::with_vending();
    let mut command = scratch.command("minimize", &["--classes", "classes", "vending.aut"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command.stdout(writer);
    finish(command).signal(libc_sigpipe());
    assert_eq!(scratch.names(), ["vending.aut"]);
}

#[test]
fn empty_and_closed_inputs_are_errors() {
    let scratch = Scratch::new();
    for filter in FILTERS {
        scratch
            .feed(filter, &[], "")
            .status(2)
            .prints("")
            .says("<stdin>:1:1: error: ")
            .says("[aut-no-header]");
        for name in ["", "-", "/dev/stdin", "/dev/fd/0"] {
            let name_shown = if name.len() < 2 { "<stdin>" } else { name };
            scratch
                .shell(&format!("{filter} {name} <&-"))
                .status(2)
                .prints("")
                .says(&format!(
                    "cannot read {name_shown}: standard input is closed"
                ));
        }
    }
}

#[test]
fn a_closed_standard_error_does_not_matter() {
    let scratch = Scratch::with_vending();
    scratch
        .shell("transcode -v vending.aut 2>&-")
        .ok()
        .prints(VENDING);
    scratch
        .shell("transcode nothing.aut 2>&-")
        .status(2)
        .prints("");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = scratch.command("transcode", &["-v", "vending.aut"]);
    command.stderr(writer);
    finish(command).status(0).prints(VENDING);
}

#[test]
fn input_is_read_while_it_arrives() {
    // The writer goes on only when the first part has been taken away, which is
    // more than a pipe holds.
    let scratch = Scratch::new();
    let run =
        scratch.shell("generate chain 200000 | { head -c 2000000; cat; } | transcode | tail -n 1");
    run.ok();
}

#[test]
fn standard_input_from_a_file_is_that_file() {
    let scratch = Scratch::with_vending();
    scratch
        .shell("transcode < vending.aut")
        .ok()
        .prints(VENDING);
    // The part that is left, if someone has read the rest.
    scratch
        .shell("{ read line; echo \"$line\" > first; transcode; } < vending.aut")
        .status(2)
        .says("<stdin>:1:1");
}

#[test]
fn stdin_and_stdout_are_not_needed_for_files() {
    let scratch = Scratch::with_vending();
    scratch
        .shell("transcode vending.aut -o copy.aut <&- >&-")
        .ok();
    assert_eq!(scratch.read("copy.aut"), VENDING);
}

#[test]
fn help_that_cannot_be_printed_is_an_error() {
    let scratch = Scratch::new();
    for command in util::COMMANDS.iter().chain(&["hyades"]) {
        scratch
            .shell(&format!("{command} --help >&-"))
            .status(2)
            .says("cannot write standard output: Bad file descriptor");
        scratch
            .shell(&format!("{command} --help > /dev/full"))
            .status(2)
            .says(&format!(
                "{command}: error: cannot write standard output: No space"
            ));
    }
}

#[test]
fn help_is_printed_whole() {
    let scratch = Scratch::new();
    for command in COMMANDS {
        let mut child = scratch
            .command(command, &["--help"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut text = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert!(text.contains("Usage: "), "{command}");
    }
}
