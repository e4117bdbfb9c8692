//! Partitioned LTSs as inputs and outputs of commands.

use crate::util;

use std::fs;
use std::path::Path;

use util::{Scratch, VENDING, json};

/// A scratch folder with `vending.aut`, and the same in two parts.
fn scratch() -> Scratch {
    let scratch = Scratch::with_vending();
    let arguments = ["vending.aut", "--parts", "2", "-o", "v.plts"];
    scratch.run("transcode", &arguments).ok().prints("");
    scratch
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn every_command_reads_it_as_one() {
    let scratch = scratch();
    let files = ["labels", "manifest.json", "part-00000", "part-00001"];
    assert_eq!(names(&scratch.path("v.plts")), files);
    scratch.run("transcode", &["v.plts"]).ok().prints(VENDING);
    scratch.run("transcode", &["v.plts/"]).ok().prints(VENDING);
    scratch
        .run("transcode", &["--from", "plts", "v.plts"])
        .ok()
        .prints(VENDING);
    scratch
        .run("equiv", &["vending.aut", "v.plts"])
        .ok()
        .prints("TRUE\n");
    for command in ["minimize", "reach", "relabel"] {
        let from_text = scratch
            .run(command, &["vending.aut"])
            .ok()
            .text()
            .to_owned();
        scratch.run(command, &["v.plts"]).ok().prints(&from_text);
        let output = format!("{command}.plts");
        scratch.run(command, &["v.plts", "-o", &output]).ok();
        scratch.run("transcode", &[&output]).ok().prints(&from_text);
    }
    scratch.run("check", &["-f", "<true> true", "v.plts"]).ok();
}

#[test]
fn bytes_are_the_same_for_every_number_of_threads() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["grid", "300", "400", "-o", "grid.aut"])
        .ok();
    for threads in ["1", "3"] {
        let output = format!("{threads}.plts");
        let arguments = ["-j", threads, "grid.aut", "--parts", "3", "-o", &output];
        scratch.run("transcode", &arguments).ok();
    }
    for name in names(&scratch.path("1.plts")) {
        let of = |threads: &str| fs::read(scratch.path(&format!("{threads}.plts/{name}"))).unwrap();
        assert!(of("1") == of("3"), "{name}");
    }
}

#[test]
fn describe_tells_the_manifest_alone() {
    let scratch = scratch();
    // Nobody looks into the parts, as long as they have their sizes.
    let part = scratch.path("v.plts/part-00001");
    let whole = fs::read(&part).unwrap();
    fs::write(&part, vec![0; whole.len()]).unwrap();
    let run = scratch.run("describe", &["--json", "v.plts"]).status(0);
    let run = run.says("which --all does");
    let facts = json(run.text());
    assert_eq!(facts["states"], 8);
    assert_eq!(facts["transitions"], 10);
    assert_eq!(facts["plts_parts"], 2);
    assert!(facts.get("deadlocks").is_none());
    for option in ["--all", "--labels"] {
        scratch
            .run("describe", &[option, "v.plts"])
            .status(2)
            .says("v.plts/part-00001: byte 0: ");
    }
    fs::write(&part, &whole).unwrap();
    let all = scratch
        .run("describe", &["vending.aut"])
        .ok()
        .text()
        .to_owned();
    scratch
        .run("describe", &["--all", "v.plts"])
        .ok()
        .prints(&all);
    scratch
        .run("describe", &["v.plts", "vending.aut"])
        .status(0)
        .says("which --all does");
    // What a manifest does not tell stays empty, and what only a manifest tells.
    let table = scratch.run("describe", &["-q", "v.plts", "vending.aut"]);
    let table = table.ok().text().to_owned();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    for row in [
        &["transitions", "10", "10"][..],
        &["deadlocks", "2"],
        &["plts_labels", "5"],
    ] {
        assert!(rows.iter().any(|found| found == row), "{table}");
    }
    // Two manifests are compared by all that they tell.
    let table = scratch.run("describe", &["-q", "v.plts", "v.plts"]);
    let table = table.ok().text().to_owned();
    let names: Vec<_> = table.lines().skip(1).map(|l| l.split(' ').next()).collect();
    let one = scratch.run("describe", &["-q", "v.plts"]).ok();
    let alone: Vec<_> = one.text().lines().map(|l| l.split(": ").next()).collect();
    assert_eq!(names, alone);
    assert!(names.contains(&Some("plts_parts")), "{table}");
    fs::write(&part, &whole[1..]).unwrap();
    scratch
        .run("describe", &["v.plts"])
        .status(2)
        .says("part-00001: ");
    fs::remove_file(&part).unwrap();
    scratch
        .run("describe", &["v.plts"])
        .status(2)
        .says("v.plts/part-00001: No such file or directory");
}

#[test]
fn what_it_is_not() {
    let scratch = scratch();
    fs::create_dir(scratch.path("empty")).unwrap();
    for (arguments, expected) in [
        (&["empty"][..], "a directory without manifest.json"),
        (
            &["v.plts/manifest.json"],
            "name the directory that it is in",
        ),
        (&["v.plts/part-00000"], "name the directory that it is in"),
        (&["--from", "plts", "vending.aut"], "by its name only"),
        (&["--from", "aut", "v.plts"], "not in format aut"),
        (&["--to", "plts", "vending.aut"], "name it, by -o NAME.plts"),
        (
            &["--to", "plts", "vending.aut", "-o", "-"],
            "name it, by -o NAME.plts",
        ),
        (
            &["vending.aut", "-o", "x.plts.gz"],
            "gzip does not compress",
        ),
        (
            &["vending.aut", "--compress", "xz", "-o", "x.plts"],
            "xz does not compress",
        ),
        (
            &["vending.aut", "--codec", "lz4", "-o", "x.plts"],
            "plts has zstd and none",
        ),
        (
            &["vending.aut", "--level", "3", "-o", "x.plts"],
            "--level needs a compressed output",
        ),
        (
            &["vending.aut", "--to", "plts", "-o", "vending.aut"],
            "but is none",
        ),
    ] {
        scratch.run("transcode", arguments).status(2).says(expected);
    }
    scratch
        .feed("transcode", &["--from", "plts"], VENDING)
        .status(2)
        .says("by its name only");
    scratch
        .run("transcode", &["vending.aut", "--parts", "2", "-o", "x.aut"])
        .status(0)
        .says("--parts has no effect: it is for writing plts, not aut");
    assert_eq!(
        names(&scratch.path("")),
        ["empty", "v.plts", "vending.aut", "x.aut"]
    );
}

/// CADP's commands write it, too.
#[test]
fn under_names_of_cadp() {
    let scratch = scratch();
    scratch.run("hyades", &["bcg_io", "v.plts", "w.plts"]).ok();
    scratch.run("transcode", &["w.plts"]).ok().prints(VENDING);
    scratch.write("tea.hid", "hide\n\"TEA\"\n");
    let arguments = ["bcg_labels", "-hide", "tea.hid", "v.plts", "h.plts"];
    scratch.run("hyades", &arguments).ok();
    let hidden = scratch.run("relabel", &["--hide-label", "TEA", "vending.aut"]);
    let hidden = hidden.ok().text().to_owned();
    scratch.run("transcode", &["h.plts"]).ok().prints(&hidden);
    scratch
        .run("hyades", &["bcg_io", "v.plts", "w.plts.gz"])
        .status(1)
        .says("does not compress");
}

#[test]
fn an_output_replaces_another_one_as_a_whole_or_not_at_all() {
    let scratch = scratch();
    scratch.run("minimize", &["v.plts", "-o", "v.plts"]).ok();
    assert_eq!(
        names(&scratch.path("v.plts")),
        ["labels", "manifest.json", "part-00000"]
    );
    let small = scratch
        .run("minimize", &["vending.aut"])
        .ok()
        .text()
        .to_owned();
    scratch.run("transcode", &["v.plts"]).ok().prints(&small);
    // What fails on the way leaves the old one.
    let before = fs::read(scratch.path("v.plts/manifest.json")).unwrap();
    scratch
        .feed("transcode", &["-o", "v.plts"], "des (0, 1, 2)\n(0, a, x)\n")
        .status(2);
    assert_eq!(
        fs::read(scratch.path("v.plts/manifest.json")).unwrap(),
        before
    );
    fs::write(scratch.path("v.plts/notes"), "mine").unwrap();
    scratch
        .run("transcode", &["vending.aut", "-o", "v.plts"])
        .status(2)
        .says("\"notes\" besides a partitioned LTS: it is not replaced");
    fs::create_dir(scratch.path("other.plts")).unwrap();
    fs::write(scratch.path("other.plts/notes"), "mine").unwrap();
    scratch
        .run("transcode", &["vending.aut", "-o", "other.plts"])
        .status(2)
        .says("the directory is not empty, and no partitioned LTS");
    scratch
        .run(
            "transcode",
            &["vending.aut", "-o", "v.plts", "--stats", "v.plts/s.json"],
        )
        .status(2);
    assert_eq!(
        names(&scratch.path("")),
        ["other.plts", "v.plts", "vending.aut"]
    );
    assert!(scratch.path("v.plts/notes").exists());
}

#[test]
fn statistics_tell_sizes() {
    let scratch = scratch();
    scratch
        .run(
            "transcode",
            &["v.plts", "-o", "w.plts", "--stats", "s.json"],
        )
        .ok();
    let stats = json(scratch.read("s.json"));
    assert_eq!(stats["outputs"][0]["format"], "plts");
    assert_eq!(stats["outputs"][0]["states"], 8);
    let sizes = names(&scratch.path("w.plts")).into_iter();
    let sizes = sizes.map(|name| {
        scratch
            .path(&format!("w.plts/{name}"))
            .metadata()
            .unwrap()
            .len()
    });
    assert_eq!(stats["outputs"][0]["bytes"], sizes.sum::<u64>());
}

#[test]
fn components_of_networks_may_be_in_parts() {
    let scratch = scratch();
    scratch.write("net.exp", "\"v.plts\" ||| \"v.plts\"\n");
    scratch.write("plain.exp", "\"vending.aut\" ||| \"vending.aut\"\n");
    let expected = scratch.run("reach", &["plain.exp"]).ok().text().to_owned();
    scratch.run("reach", &["net.exp"]).ok().prints(&expected);
}
