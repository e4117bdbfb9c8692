//! TSV, JSON Lines, GraphML and columns, through the commands.

use crate::util;

use util::{Scratch, VENDING};

const TSV: &str = "\
# lts states=8 transitions=10 initial=0
0\tCOIN !1\t1
1\tCOIN !1\t2
1\tTEA\t0
1\ti\t3
2\tCOFFEE\t0
2\ti\t4
2\tREFUND !2\t5
3\ti\t1
6\tCOIN !1\t7
7\tTEA\t6
";

#[test]
fn tsv_both_ways() {
    let scratch = Scratch::with_vending();
    scratch
        .run("transcode", &["vending.aut", "--to", "tsv"])
        .ok()
        .prints(TSV);
    scratch
        .run("transcode", &["vending.aut", "-o", "v.tsv.gz"])
        .ok();
    scratch.run("transcode", &["v.tsv.gz"]).ok().prints(VENDING);
    scratch
        .shell("transcode --from tsv <(sort -r <(transcode v.tsv.gz --to tsv)) 2>&1 | head -n 1")
        .ok()
        .prints("/dev/fd/63:11:1: error: expected source, label and target, separated by tabs, found `# lts states=8 transitions=10 initial=0`; TSV has no comments but the header `# lts …` in the first line [tsv-columns]\n");
    // as other tools make it, in any order and without a header
    let sorted = scratch
        .run("transcode", &["vending.aut", "--canonical"])
        .ok();
    scratch
        .shell("transcode vending.aut --to tsv | tail -n +2 | sort -r | transcode --from tsv --canonical")
        .ok()
        .prints(sorted.text());
    scratch
        .feed("describe", &["--from", "tsv", "-"], "0\ta\t1\n5\tb\n")
        .status(2)
        .prints("")
        .says(
            "<stdin>:2:4: error: expected source, label and target, found 2 columns [tsv-columns]",
        );
    scratch
        .feed(
            "transcode",
            &["--to", "tsv", "-o", "x.tsv"],
            "des (0,1,1)\n(0,\"a\tb\",0)\n",
        )
        .status(2)
        .says("[tsv-label]");
    assert!(!scratch.path("x.tsv").exists());
}

#[test]
fn jsonl_both_ways() {
    let scratch = Scratch::with_vending();
    let run = scratch
        .run("transcode", &["vending.aut", "--to", "jsonl"])
        .ok();
    let lines: Vec<&str> = run.text().lines().collect();
    assert_eq!(
        lines[..3],
        [
            "{\"lts\":1,\"states\":8,\"transitions\":10,\"initial\":0,\"hidden\":[\"i\"]}",
            "[0,\"COIN !1\",1]",
            "[1,\"COIN !1\",2]",
        ]
    );
    for line in &lines {
        util::json(line);
    }
    // recognised by its content
    scratch.write("noending", run.text());
    scratch.run("transcode", &["noending"]).ok().prints(VENDING);
    scratch
        .feed("transcode", &[], run.text())
        .ok()
        .prints(VENDING);
    scratch
        .feed("describe", &[], "{\"lts\":1}\n[0,\"a\"]\n")
        .status(2)
        .prints("")
        .says("<stdin>:2:7: error: ")
        .says("[jsonl-syntax]");
}

#[test]
fn the_dialect_counts_both_ways() {
    let scratch = Scratch::new();
    let input = "des (0,2,1)\n(0,tau,0)\n(0,i,0)\n";
    for (format, hidden) in [("tsv", "0\ttau\t0\n"), ("jsonl", "[0,\"tau\",0]\n")] {
        let there = ["--dialect", "mcrl2", "--to", format];
        let there = scratch.feed("transcode", &there, input).ok();
        assert!(there.text().contains(hidden), "{}", there.text());
        let back = ["--dialect", "mcrl2", "--from", format];
        scratch
            .feed("transcode", &back, there.text())
            .ok()
            .prints("des (0, 2, 1)\n(0, tau, 0)\n(0, i, 0)\n");
    }
    // a file that tells what is hidden needs no dialect
    let there = ["--dialect", "mcrl2", "--to", "jsonl", "--visible-i", "x"];
    let there = scratch
        .feed("transcode", &there, "des (0,1,1)\n(0,tau,0)\n")
        .ok();
    scratch
        .feed("transcode", &[], there.text())
        .ok()
        .prints("des (0, 1, 1)\n(0, i, 0)\n");
}

#[test]
fn graphml_is_written_only() {
    let scratch = Scratch::with_vending();
    let run = scratch
        .run("transcode", &["vending.aut", "--to", "graphml"])
        .ok();
    assert_eq!(run.text().matches("<node ").count(), 8);
    assert_eq!(run.text().matches("<edge ").count(), 10);
    scratch.write("v.graphml", run.text());
    scratch
        .run("transcode", &["v.graphml"])
        .status(2)
        .says("format graphml cannot be read");
}

#[test]
fn a_reader_that_goes_away_ends_the_writer() {
    let scratch = Scratch::new();
    for format in ["tsv", "jsonl", "graphml"] {
        let script =
            format!("generate grid 300 300 --to {format} | head -n 1; echo ${{PIPESTATUS[0]}}");
        let run = scratch.shell(&script).ok();
        assert_eq!(run.text().lines().last(), Some("141"), "{format}");
    }
}

#[cfg(not(feature = "columns"))]
#[test]
fn builds_without_columns_tell_how_to_get_them() {
    let scratch = Scratch::with_vending();
    let how = "`cargo install --path . --features columns` makes one that can";
    for (format, start) in [("parquet", "PAR1"), ("arrow", "ARROW1")] {
        scratch
            .run("transcode", &["vending.aut", "--to", format])
            .status(2)
            .prints("")
            .says(&format!(
                "format {format} cannot be written by this build: {how}"
            ));
        scratch
            .feed("transcode", &[], start)
            .status(2)
            .prints("")
            .says(&format!(
                "<stdin>: format {format} cannot be read by this build: {how}"
            ));
    }
}

#[cfg(feature = "columns")]
mod columns {
    use super::util::{Scratch, VENDING};

    #[test]
    fn both_ways() {
        let scratch = Scratch::with_vending();
        for name in ["v.parquet", "v.arrow"] {
            for codec in ["none", "lz4", "zstd"] {
                scratch
                    .run("transcode", &["vending.aut", "-o", name, "--codec", codec])
                    .ok();
                scratch.run("transcode", &[name]).ok().prints(VENDING);
                let bytes = std::fs::read(scratch.path(name)).unwrap();
                // recognised by its content, and from a pipe
                scratch.write("noending", &bytes);
                scratch.run("transcode", &["noending"]).ok().prints(VENDING);
                scratch.feed("transcode", &[], &bytes).ok().prints(VENDING);
            }
        }
        scratch
            .run("transcode", &["v.parquet", "-o", "v.arrow.zst"])
            .ok();
        scratch
            .run("transcode", &["v.arrow.zst"])
            .ok()
            .prints(VENDING);
    }

    #[test]
    fn arrow_in_a_pipe_is_a_stream() {
        let scratch = Scratch::with_vending();
        scratch
            .shell("transcode vending.aut --to arrow | minimize --to arrow | transcode | describe | head -n 1")
            .ok()
            .prints("states: 5\n");
        let stream = scratch
            .run("transcode", &["vending.aut", "--to", "arrow"])
            .ok();
        assert!(!stream.stdout.starts_with(b"ARROW1"));
        // by name
        scratch.write("v.arrow", &stream.stdout);
        scratch.run("transcode", &["v.arrow"]).ok().prints(VENDING);
        let file = ["vending.aut", "--to", "arrow", "--arrow-form", "file"];
        let file = scratch.run("transcode", &file).ok();
        assert!(file.stdout.starts_with(b"ARROW1"));
        let named = ["vending.aut", "-o", "w.arrow", "--arrow-form", "stream"];
        scratch.run("transcode", &named).ok();
        assert!(std::fs::read(scratch.path("w.arrow")).unwrap() == stream.stdout);
    }

    #[test]
    fn bad_tables_are_refused() {
        let scratch = Scratch::with_vending();
        for (name, form) in [
            ("v.parquet", &[][..]),
            ("v.arrow", &["--arrow-form", "file"]),
            ("w.arrow", &["--arrow-form", "stream"]),
        ] {
            scratch
                .run("transcode", &[&["vending.aut", "-o", name], form].concat())
                .ok();
            let bytes = std::fs::read(scratch.path(name)).unwrap();
            scratch.write(name, &bytes[..bytes.len() / 2]);
            scratch
                .run("transcode", &[name, "-o", "out.aut"])
                .status(2)
                .prints("")
                .says(&format!("{name}: error: not readable as "))
                .says("[columns-damaged]");
            assert!(!scratch.path("out.aut").exists());
            for at in (0..bytes.len()).step_by(53) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x55;
                scratch.write(name, &damaged);
                let run = scratch.run("transcode", &[name, "-j", "1"]);
                assert!(
                    matches!(run.status.code(), Some(0 | 2)),
                    "{name}, byte {at}"
                );
                assert!(!run.stderr.contains("internal error"), "{}", run.stderr);
            }
        }
    }

    #[test]
    fn a_reader_that_goes_away_ends_the_writer() {
        let scratch = Scratch::new();
        for format in ["parquet", "arrow"] {
            let script = format!(
                "generate grid 900 900 --to {format} --codec none | head -c 1 > x; echo ${{PIPESTATUS[0]}}"
            );
            scratch.shell(&script).ok().prints("141\n");
        }
    }
}
