//! KISS2 files, used as a user does.

use crate::util;

use util::Scratch;

const ARBITER: &str = include_str!("../testdata/mealy/arbiter.kiss2");
const ANGLUIN: &str = include_str!("../testdata/mealy/angluin.dot");

#[test]
fn both_ways_and_told_by_content_or_name() {
    let scratch = Scratch::new();
    scratch.write("a.dot", ANGLUIN);
    for name in ["a.kiss2", "a.kiss.gz"] {
        scratch.run("transcode", &["a.dot", "-o", name]).ok();
        let back = scratch.run("equiv", &["--mealy", name, "a.dot"]).ok();
        back.prints("TRUE\n");
    }
    // a machine on standard input is told by its content, whatever its comments are
    let run = scratch.feed("describe", &["--mealy"], ARBITER).ok();
    assert!(run.text().starts_with("states: 3\n"));
    let rows = ARBITER.lines().filter(|line| !line.starts_with('.'));
    let rows: Vec<&str> = rows.collect();
    let run = scratch.feed(
        "transcode",
        &["--from", "kiss2", "--lenient", "-q"],
        rows.join("\n"),
    );
    assert!(run.ok().text().starts_with("des (0, 12, 3)\n"));
    scratch
        .feed("transcode", &["--from", "kiss2"], "des (0, 0, 1)")
        .status(2)
        .says("<stdin>: error: no `.i` says how many inputs there are; use --lenient");
}

#[test]
fn commands_take_it() {
    let scratch = Scratch::new();
    scratch.write("m.kiss2", ARBITER);
    scratch
        .run("wmethod", &["-m", "w", "m.kiss2"])
        .status(0)
        .says("complete for implementations of at most 3 states");
    let run = scratch.run("minimize", &["m.kiss2", "--to", "kiss2"]).ok();
    assert!(run.text().starts_with(".i 2\n.o 2\n.p 12\n.s 3\n.r s0\n"));
    let run = scratch.run("draw", &["m.kiss2"]).ok();
    assert!(run.text().contains("idle"));
    let run = scratch.run("transcode", &["--io-steps", "m.kiss2"]).ok();
    assert!(run.text().starts_with("des (0, 24, 15)\n(0, \"?00\", "));
}

#[test]
fn what_is_no_machine_is_refused_with_its_place() {
    let scratch = Scratch::new();
    let choice = ARBITER.replace("-1 two  two", "-- two  two");
    scratch.write("c.kiss2", &choice);
    scratch
        .run("wmethod", &["c.kiss2"])
        .status(2)
        .says("c.kiss2:14:1: error: state `two` has two transitions with input `00`: output `01`");
    scratch.write("v.aut", "des (0, 2, 1)\n(0, \"a / x\", 0)\n(0, i, 0)\n");
    scratch
        .run("transcode", &["v.aut", "-o", "v.kiss2"])
        .status(2)
        .says("the hidden action: no pair of input and output, as KISS2 needs it [kiss2-label]");
    assert!(!scratch.path("v.kiss2").exists());
    let merged = "des (0, 3, 2)\n(0, \"a / b\", 1)\n(0, c/d, 1)\n(0, a/b, 0)\n";
    scratch
        .feed("transcode", &["--to", "kiss2"], merged)
        .status(2)
        .says("labels `a / b` and `a/b` are the same pair, and would be one");
    scratch.write(
        "light.dot",
        include_str!("../testdata/mealy/traffic_light.dot"),
    );
    scratch
        .run("transcode", &["--moore", "light.dot", "--to", "kiss2"])
        .status(2)
        .says("label `/red`: an empty input [kiss2-label]");
}
