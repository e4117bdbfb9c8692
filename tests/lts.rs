//! `.lts` files through the real commands.

use crate::util;

use std::fs;
use std::path::{Path, PathBuf};

use util::Scratch;

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("testdata/mcrl2")
        .join(name)
}

const MINI: &str = "des (0, 2, 2)\n(0, a, 1)\n(1, i, 0)\n";

#[test]
fn both_ways() {
    let scratch = Scratch::new();
    let mini = testdata("mini.lts");
    let mini = mini.to_str().unwrap();
    scratch.run("transcode", &[mini]).ok().prints(MINI);
    scratch.write("mini.aut", MINI);
    scratch
        .run("transcode", &["mini.aut", "-o", "again.lts"])
        .ok();
    let bytes = fs::read(mini).unwrap();
    assert_eq!(fs::read(scratch.path("again.lts")).unwrap(), bytes);
    // told by the content, in a pipe, under another name, compressed
    scratch.feed("transcode", &[], &bytes).ok().prints(MINI);
    scratch.write("odd.aut", &bytes);
    scratch.run("transcode", &["odd.aut"]).ok().prints(MINI);
    scratch
        .shell("transcode mini.aut --to lts | reach | minimize --to lts --compress xz | transcode")
        .ok()
        .prints(MINI);
    scratch
        .run("transcode", &["again.lts", "-o", "x.lts.gz"])
        .ok();
    scratch
        .run("equiv", &["x.lts.gz", "mini.aut"])
        .ok()
        .prints("TRUE\n");
}

#[test]
fn a_visible_i_is_not_lost() {
    let scratch = Scratch::new();
    fs::copy(testdata("abp.lts"), scratch.path("abp.lts")).unwrap();
    fs::copy(testdata("abp.aut"), scratch.path("abp.aut")).unwrap();
    scratch
        .run("transcode", &["abp.lts"])
        .status(2)
        .prints("")
        .says("[label-like-hidden]");
    let aut = scratch
        .run(
            "transcode",
            &["abp.lts", "--dialect", "mcrl2", "--canonical"],
        )
        .ok();
    scratch
        .run(
            "transcode",
            &["abp.aut", "--dialect", "mcrl2", "--canonical"],
        )
        .ok()
        .prints(aut.text());
    // the way back and forth changes nothing
    scratch
        .run("transcode", &["abp.lts", "-o", "copy.lts"])
        .ok();
    scratch
        .run(
            "transcode",
            &["copy.lts", "--dialect", "mcrl2", "--canonical"],
        )
        .ok()
        .prints(aut.text());
    scratch
        .run("transcode", &["copy.lts", "--hidden", "i", "--canonical"])
        .ok()
        .prints(&aut.text().replace("(i)", "i").replace("\"i\"", "i"));
}

#[test]
fn state_labels_go_to_fsm_and_back() {
    let scratch = Scratch::new();
    fs::copy(testdata("abp.lts"), scratch.path("abp.lts")).expect("a copy");
    scratch
        .run("transcode", &["abp.lts", "--to", "fsm", "-o", "abp.fsm"])
        .ok();
    assert!(
        scratch
            .read("abp.fsm")
            .starts_with("s1_S(3) Pos \"1\" \"2\" \"3\"\n")
    );
    scratch
        .shell("transcode abp.fsm --to lts | transcode --to fsm | cmp - abp.fsm")
        .ok();
}

#[test]
fn nothing_follows_the_end() {
    let scratch = Scratch::new();
    let bytes = fs::read(testdata("mini.lts")).unwrap();
    scratch.write("mini.lts", &bytes);
    scratch.shell("cat mini.lts mini.lts > two.lts").ok();
    for prepare in [
        "cp two.lts in",
        "gzip -c two.lts > in",
        "xz -c two.lts > in",
    ] {
        scratch.shell(prepare).ok();
        for options in [&["in"][..], &["--strict", "in"]] {
            scratch
                .run("transcode", options)
                .status(2)
                .prints("")
                .says("in: error: at byte 203: expected the end of the file, found 213 bytes")
                .says("[lts-trailing]");
        }
        scratch
            .run("transcode", &["--lenient", "in"])
            .status(0)
            .says("[lts-trailing]")
            .prints(MINI);
        scratch
            .shell("cat in | transcode")
            .status(2)
            .says("[lts-trailing]");
    }
}

#[test]
fn mcrl2_counts_states_by_transitions() {
    let scratch = Scratch::new();
    let written = |text: &str| {
        scratch.write("in.aut", text);
        scratch.run("transcode", &["in.aut", "-o", "out.lts"])
    };
    written("des (8, 2, 9)\n(0, a, 1)\n(1, b, 0)\n").ok();
    scratch
        .run("transcode", &["out.lts"])
        .ok()
        .prints("des (0, 2, 9)\n(1, b, 8)\n(8, a, 1)\n");
    scratch.run("equiv", &["in.aut", "out.lts"]).ok();
    written("des (5, 0, 9)\n")
        .status(0)
        .says("loses 8 states above the last one that a transition mentions")
        .says("[lts-lost-states]");
    scratch
        .run("transcode", &["out.lts"])
        .ok()
        .prints("des (0, 0, 9)\n");
    // the initial state keeps its number on request, lost as it is then
    let kept = |text: &str| {
        scratch.write("in.aut", text);
        let keep = ["--canonical", "--keep-initial", "in.aut", "-o", "out.lts"];
        scratch.run("transcode", &keep).status(0)
    };
    kept("des (8, 2, 9)\n(0, a, 1)\n(1, b, 0)\n")
        .says("loses 7 states above the last one that a transition mentions, the initial state")
        .says("among them: leave --keep-initial out [lts-lost-states]");
    let run = kept("des (1, 1, 4)\n(0, a, 2)\n");
    assert!(!run.stderr.contains("initial"), "{}", run.stderr);
}

#[test]
fn bad_files() {
    let scratch = Scratch::new();
    let bytes = fs::read(testdata("abp.lts")).unwrap();
    scratch.write("cut.lts", &bytes[..1000]);
    scratch
        .run("transcode", &["cut.lts", "-o", "out.aut"])
        .status(2)
        .says("cut.lts: error: at byte 99")
        .says("[lts-truncated]");
    assert!(!scratch.path("out.aut").exists());
    scratch
        .feed("transcode", &["--from", "lts"], "")
        .status(2)
        .says("[lts-magic]");
    let mut old = bytes.clone();
    old[4] = 6;
    scratch
        .feed("describe", &[], &old)
        .status(2)
        .says("version 0x8306 of the format: only 0x8308 and 0x8307")
        .says("[lts-version]");
    old[4] = 7;
    scratch
        .feed("transcode", &["--visible-i", "j"], &old)
        .status(0)
        .says("warning: version 0x8307");
    scratch
        .feed(
            "transcode",
            &["--to", "lts", "--hidden", "a"],
            "des (0,1,1)\n(0, tau, 0)\n",
        )
        .status(2)
        .prints("")
        .says("[label-like-hidden]");
}

#[test]
fn a_reader_that_leaves_early() {
    let scratch = Scratch::new();
    scratch
        .shell("generate chain 300000 -o c.lts; transcode c.lts --to lts | head -c 5 > five; echo ${PIPESTATUS[0]}")
        .ok()
        .prints("141\n");
    assert_eq!(
        fs::read(scratch.path("five")).unwrap(),
        b"\x00\x8b\xaf\x83\x08"
    );
}
