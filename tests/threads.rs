//! The same output for every number of threads.

mod util;

use std::fs;

use util::Scratch;

#[test]
fn outputs_do_not_depend_on_threads() {
    let scratch = Scratch::new();
    // Large enough for several chunks of several threads.
    let families: [&[&str]; 3] = [
        &["random", "60000", "200000", "--labels", "40", "--seed", "7"],
        &["dining", "7"],
        &["chain", "150000"],
    ];
    for (k, family) in families.iter().enumerate() {
        let input = format!("{k}.aut");
        scratch
            .run("generate", &[family, &["-o", input.as_str()][..]].concat())
            .ok();
        for command in [
            &["transcode"][..],
            &["transcode", "--canonical"],
            &["describe", "--labels"],
            &["reach"],
            &["reach", "--deadlock", "--livelock", "--find", ".*3.*"],
            &["minimize", "-e", "strong", "--classes", "classes"],
            &["minimize", "-e", "branching", "--classes", "classes"],
            &["minimize", "-e", "divbranching", "--classes", "classes"],
        ] {
            let mut first: Option<(Vec<u8>, Option<String>)> = None;
            for threads in ["1", "2", "7"] {
                let arguments = [&command[1..], &["-j", threads, &input]].concat();
                let run = scratch.run(command[0], &arguments).ok();
                let classes = scratch
                    .path("classes")
                    .exists()
                    .then(|| scratch.read("classes"));
                let now = (run.stdout, classes);
                match &first {
                    None => first = Some(now),
                    Some(first) => assert!(*first == now, "{command:?} {input} -j {threads}"),
                }
            }
        }
    }
}

/// What is read and what is written in every format that has a way of its own
/// for several threads.
#[test]
fn formats_do_not_depend_on_threads() {
    let scratch = Scratch::new();
    scratch
        .run(
            "generate",
            &[
                "random", "60000", "200000", "--labels", "40", "--seed", "7", "-o", "one.aut",
            ],
        )
        .ok();
    let mut formats = vec!["dot", "fsm", "bcg", "lts", "tsv", "jsonl"];
    if cfg!(feature = "columns") {
        formats.extend(["parquet", "arrow"]);
    }
    for format in formats {
        let file = format!("one.{format}");
        scratch
            .run("transcode", &["-j", "1", "one.aut", "-o", &file])
            .ok();
        let alone = scratch.run("transcode", &["-j", "1", &file]).ok();
        assert!(alone.text().starts_with("des (0, 200000, 60000)\n"));
        for threads in ["2", "7"] {
            let read = scratch.run("transcode", &["-j", threads, &file]).ok();
            assert!(read.stdout == alone.stdout, "{format} -j {threads}");
            scratch
                .run(
                    "transcode",
                    &["-j", threads, "one.aut", "-o", "many", "--to", format],
                )
                .ok();
            let many = fs::read(scratch.path("many")).unwrap();
            let one = fs::read(scratch.path(&file)).unwrap();
            assert!(one == many, "--to {format} -j {threads}");
        }
    }
}

#[test]
fn generated_systems_do_not_depend_on_threads() {
    let scratch = Scratch::new();
    let one = scratch
        .run("generate", &["random", "50000", "150000", "-j", "1"])
        .ok();
    let many = scratch
        .run("generate", &["random", "50000", "150000", "-j", "7"])
        .ok();
    assert!(one.stdout == many.stdout);
}
