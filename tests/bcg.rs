//! Files in BCG, as users have them.

use crate::util;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use nix::pty::openpty;
use util::{COMMANDS, FILTERS, Scratch, VENDING, finish, json};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("testdata/bcg")
        .join(name)
}

/// A scratch directory with a sample and its text, as `abp.bcg` and `abp.aut`.
fn with_sample() -> Scratch {
    let scratch = Scratch::with_vending();
    for name in ["abp.bcg", "abp.aut"] {
        scratch.write(name, fs::read(sample(name)).unwrap());
    }
    scratch
}

#[test]
fn there_and_back() {
    let scratch = with_sample();
    scratch
        .run("transcode", &["vending.aut", "-o", "vending.bcg"])
        .ok();
    // all numbers are those of a breadth-first search already
    scratch
        .run("transcode", &["vending.bcg"])
        .ok()
        .prints(VENDING);
    let bytes = fs::read(scratch.path("vending.bcg")).unwrap();
    assert!(bytes.starts_with(b"\x01\x02\x00"));
    let piped = scratch.run("transcode", &["vending.aut", "--to", "bcg"]);
    assert_eq!(piped.ok().stdout, bytes);
    scratch.feed("transcode", &[], &bytes).ok().prints(VENDING);
    // by its content, whatever the name, or by option
    scratch.write("some.aut", &bytes);
    scratch.run("transcode", &["some.aut"]).ok().prints(VENDING);
    scratch
        .run("transcode", &["--from", "bcg", "some.aut"])
        .ok()
        .prints(VENDING);
    scratch
        .run("transcode", &["--from", "bcg", "vending.aut"])
        .status(2)
        .says("a BCG file begins with the bytes 01 00 00 or 01 02 00, this one with `64 65 73`");
    for ending in ["gz", "zst", "xz", "bz2"] {
        let name = format!("v.bcg.{ending}");
        scratch.run("transcode", &["vending.aut", "-o", &name]).ok();
        scratch.run("transcode", &[&name]).ok().prints(VENDING);
        let script = format!("cat {name} | transcode | transcode --to bcg | cmp - vending.bcg");
        scratch.shell(&script).ok();
    }
}

#[test]
fn a_sample_is_understood_and_written_again() {
    let scratch = with_sample();
    let text = scratch.run("transcode", &["abp.bcg"]).ok();
    scratch
        .run("transcode", &["abp.aut"])
        .ok()
        .prints(text.text());
    let comment = "created by merc_lts";
    scratch
        .run(
            "transcode",
            &["abp.aut", "-o", "new.bcg", "--comment", comment],
        )
        .ok();
    scratch.shell("cmp abp.bcg new.bcg").ok();
    scratch
        .run("equiv", &["abp.aut", "abp.bcg"])
        .ok()
        .prints("TRUE\n");
    scratch
        .shell("set -o pipefail; reach abp.bcg --to bcg | minimize -o small.bcg && equiv abp.aut small.bcg")
        .ok()
        .prints("TRUE\n");
    scratch
        .shell("cat abp.bcg | equiv abp.aut -")
        .ok()
        .prints("TRUE\n");
}

#[test]
fn every_filter_reads_bcg_as_it_reads_aut() {
    let scratch = Scratch::with_vending();
    scratch
        .run("transcode", &["vending.aut", "-o", "vending.bcg"])
        .ok();
    for filter in FILTERS {
        let from_aut = scratch.run(filter, &["vending.aut"]).ok();
        let from_bcg = scratch.run(filter, &["vending.bcg"]).ok();
        assert!(from_bcg.text().starts_with(from_aut.text()), "{filter}");
        if filter != "describe" {
            assert_eq!(from_bcg.text(), from_aut.text(), "{filter}");
        }
    }
}

#[test]
fn describe_tells_what_a_file_is_made_of() {
    let scratch = with_sample();
    let run = scratch.run("describe", &["abp.bcg"]).ok();
    let object = scratch.run("describe", &["--json", "abp.bcg"]).ok();
    let object = json(object.text());
    let mut names = Vec::new();
    for line in run.text().lines() {
        let (name, value) = line.split_once(": ").unwrap();
        assert_eq!(object[name], json(value), "{name}");
        names.push(name);
    }
    let keys: Vec<_> = object.as_object().unwrap().keys().collect();
    assert_eq!(keys, names);
    for (name, value) in [
        ("states", "74"),
        ("bcg_version", "\"1.2\""),
        ("bcg_comment", "\"created by merc_lts\""),
        ("bcg_parameters", "\"4 1 3\""),
        (
            "bcg_section_0",
            r#"{"content":"C texts","offset":1694,"bytes":235}"#,
        ),
        (
            "bcg_section_6",
            r#"{"content":"edges","offset":185,"bytes":174}"#,
        ),
        ("bcg_gates", r#"["i"]"#),
        ("bcg_labels", "19"),
        (
            "bcg_label_shapes",
            r#"[{"fields":["gate"],"labels":1},{"fields":["raw"],"labels":18}]"#,
        ),
    ] {
        assert_eq!(object[name], json(value), "{name}");
    }
    let name = sample("test_0_hsa_deadlock.bcg");
    let run = scratch.run("describe", &[name.to_str().unwrap()]).ok();
    let comment = r#"bcg_comment: "created by evaluator\nmodified by bcg_io""#;
    assert!(run.text().lines().any(|line| line == comment));
}

#[test]
fn options_of_the_writer() {
    let scratch = Scratch::new();
    let input = "des (2, 4, 4)\n(0, \"A !1\", 3)\n(2, \"A !TRUE\", 0)\n(2, i, 3)\n(3, b, 1)\n";
    let text = |options: &str| {
        let script = format!("set -o pipefail; transcode --to bcg {options} | transcode");
        scratch.write("in.aut", input);
        scratch.shell(&format!("{{ {script}; }} < in.aut"))
    };
    text("")
        .ok()
        .prints("des (0, 4, 4)\n(0, \"A !TRUE\", 1)\n(0, i, 2)\n(1, \"A !1\", 2)\n(2, b, 3)\n");
    text("--keep-order")
        .ok()
        .prints("des (0, 4, 4)\n(0, \"A !TRUE\", 2)\n(0, i, 3)\n(2, \"A !1\", 3)\n(3, b, 1)\n");
    let apart = text("--keep-order --parse-labels").ok();
    let plain = text("--keep-order").ok();
    assert_eq!(apart.text(), plain.text());
    scratch
        .shell("transcode in.aut --to bcg --parse-labels --comment 'by me' | describe | grep -E 'comment|shapes'")
        .ok()
        .prints(
            "bcg_comment: \"by me\"\nbcg_label_shapes: [{\"fields\":[\"gate\"],\"labels\":2},\
             {\"fields\":[\"gate\",\"boolean\"],\"labels\":1},{\"fields\":[\"gate\",\"natural\"],\"labels\":1}]\n",
        );
    scratch
        .run(
            "transcode",
            &["in.aut", "--to", "bcg", "--canonical", "--keep-initial"],
        )
        .status(2)
        .says("[bcg-initial]");
    scratch
        .run("transcode", &["in.aut", "--hidden", "b", "-o", "x.bcg"])
        .status(2)
        .says("[label-like-hidden]");
    scratch
        .run(
            "transcode",
            &[
                "in.aut",
                "--hidden",
                "b",
                "--visible-i",
                "eye",
                "-o",
                "x.bcg",
            ],
        )
        .ok();
    let run = scratch.run("transcode", &["x.bcg"]).ok();
    assert!(run.text().contains("(0, eye, 2)") && run.text().contains("(2, i, 3)"));
}

#[test]
fn numbers_that_jump_about_are_kept() {
    let scratch = Scratch::new();
    scratch
        .run(
            "generate",
            &["random", "400", "2000", "--seed", "2", "-o", "random.aut"],
        )
        .ok();
    let text = scratch.run("transcode", &["random.aut"]).ok();
    scratch
        .run(
            "transcode",
            &["random.aut", "-o", "kept.bcg", "--keep-order"],
        )
        .ok();
    let kept = scratch.run("transcode", &["kept.bcg"]).ok();
    assert_eq!(kept.text(), text.text());
    scratch
        .run("transcode", &["random.aut", "-o", "random.bcg"])
        .ok();
    scratch
        .run("equiv", &["random.aut", "random.bcg"])
        .ok()
        .prints("TRUE\n");
}

#[test]
fn bad_files() {
    let scratch = with_sample();
    let good = fs::read(scratch.path("abp.bcg")).unwrap();
    for command in FILTERS {
        for (len, says) in [
            (good.len() - 1, "is it truncated? [bcg-truncated]"),
            (100, "the file ends at byte 100 within its header"),
            (3, "within its header"),
        ] {
            scratch.write("cut.bcg", &good[..len]);
            scratch
                .run(command, &["cut.bcg", "-o", "out"])
                .status(2)
                .says(says);
            assert!(!scratch.path("out").exists());
        }
    }
    scratch.write("empty.bcg", "");
    scratch
        .run("transcode", &["empty.bcg"])
        .status(2)
        .says("a file of 0 bytes is no BCG file");
    let mut changed = good.clone();
    // the second number of the section of states
    changed[0xaf8] = 3;
    scratch.write("moved.bcg", &changed);
    let says = "the second number of section 8 (states) is 3";
    scratch
        .run("transcode", &["moved.bcg"])
        .status(2)
        .says(says)
        .says("use --lenient")
        .prints("");
    let run = scratch.run("transcode", &["--lenient", "moved.bcg"]);
    let run = run.status(0).says(says).says("warning");
    assert!(run.text().starts_with("des (3, 92, 74)"));
    scratch
        .run("equiv", &["abp.aut", "moved.bcg"])
        .status(2)
        .says("moved.bcg: error");
    scratch
        .run("equiv", &["--lenient", "abp.aut", "moved.bcg"])
        .status(1);
}

#[test]
fn a_terminal_gets_no_bytes() {
    let scratch = Scratch::with_vending();
    for filter in ["transcode", "reach", "minimize"] {
        let terminal = openpty(None, None).unwrap();
        let mut command = scratch.command(filter, &["vending.aut", "--to", "bcg"]);
        command.stdout(terminal.slave);
        finish(command)
            .status(2)
            .says("bcg data is not for a terminal: give -o a file");
        let mut screen = Vec::new();
        // a terminal whose other end is closed ends with an error on Linux
        let _ = File::from(terminal.master).read_to_end(&mut screen);
        assert_eq!(screen, b"");
    }
}

#[test]
fn help_tells_of_the_format() {
    let scratch = Scratch::new();
    for command in COMMANDS {
        let help = scratch.run(command, &["--help"]).ok();
        let writes = help.text().contains("--canonical");
        assert_eq!(help.text().contains("--keep-order"), writes, "{command}");
    }
}

#[test]
fn a_file_of_an_unknown_version_is_named_as_such() {
    let scratch = Scratch::new();
    scratch.write("v3", b"\x01\x03\x00and more of it");
    scratch
        .shell("transcode < v3")
        .status(2)
        .says("version 1.3; known are 1.0 and 1.2")
        .says("[bcg-version]")
        .prints("");
}
