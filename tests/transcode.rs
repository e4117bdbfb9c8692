//! `transcode`, run as a user runs it.

use crate::util;

use std::fs;
use std::io::Write;

use hyades::formats::{Compression, Compressor};
use util::{Scratch, VENDING, json, same_lines};

#[test]
fn keeps_everything_as_it_is() {
    let scratch = Scratch::with_vending();
    scratch
        .run("transcode", &["vending.aut"])
        .ok()
        .prints(VENDING);
    scratch.feed("transcode", &[], VENDING).ok().prints(VENDING);
    scratch
        .feed("transcode", &["-"], VENDING)
        .ok()
        .prints(VENDING);
    scratch
        .run("transcode", &["vending.aut", "-o", "copy.aut"])
        .ok()
        .prints("");
    assert_eq!(scratch.read("copy.aut"), VENDING);
    scratch
        .run("transcode", &["vending.aut", "-o", "-"])
        .ok()
        .prints(VENDING);
}

#[test]
fn canonical_output_is_sorted_and_starts_in_0() {
    let scratch = Scratch::new();
    let input = "des (2,4,3)\n(1,b,0)\n(2,\"a\",1)\n(2,\"a\",1)\n(0, i, 2)\n";
    scratch
        .feed("transcode", &["--canonical"], input)
        .ok()
        .prints("des (0, 3, 3)\n(0, a, 1)\n(1, b, 2)\n(2, i, 0)\n");
    scratch
        .feed("transcode", &["--canonical", "--keep-initial"], input)
        .ok()
        .prints("des (2, 3, 3)\n(0, i, 2)\n(1, b, 0)\n(2, a, 1)\n");
    scratch
        .feed("transcode", &["--keep-initial"], input)
        .status(2)
        .says("--canonical");
}

#[test]
fn every_compression_both_ways() {
    let scratch = Scratch::with_vending();
    for (ending, magic) in [
        ("gz", &b"\x1f\x8b"[..]),
        ("zst", b"\x28\xb5\x2f\xfd"),
        ("xz", b"\xfd7zXZ\x00"),
        ("bz2", b"BZh"),
    ] {
        let name = format!("v.aut.{ending}");
        scratch.run("transcode", &["vending.aut", "-o", &name]).ok();
        let bytes = fs::read(scratch.path(&name)).unwrap();
        assert!(bytes.starts_with(magic), "{name}");
        scratch.run("transcode", &[&name]).ok().prints(VENDING);
        // Told by the content, whatever the name; through a pipe as well.
        let other = scratch.write("noending", &bytes);
        scratch
            .run("transcode", &[other.to_str().unwrap()])
            .ok()
            .prints(VENDING);
        scratch.feed("transcode", &[], &bytes).ok().prints(VENDING);
    }
}

#[test]
fn what_follows_compressed_data_is_told() {
    let scratch = Scratch::with_vending();
    for ending in ["gz", "zst", "xz", "bz2"] {
        let name = format!("v.aut.{ending}");
        scratch.run("transcode", &["vending.aut", "-o", &name]).ok();
        let bytes = fs::read(scratch.path(&name)).unwrap();
        let padded = [&bytes[..], &[0; 4096]].concat();
        scratch.feed("transcode", &[], &padded).ok().prints(VENDING);
        scratch.write(&name, [&bytes[..], b"garbage\n"].concat());
        scratch
            .run("transcode", &[&name])
            .status(2)
            .says(&format!("ends at byte {}: `garbage\\x0A`", bytes.len()))
            .prints("");
    }
}

#[test]
fn twice_compressed_is_said() {
    let scratch = Scratch::with_vending();
    for (inner, outer, says) in [
        (
            "gz",
            Compression::Gzip,
            "gzip data twice over: unpack it once",
        ),
        (
            "xz",
            Compression::Zstd,
            "xz data within zstd data: unpack it once",
        ),
    ] {
        let once = format!("once.aut.{inner}");
        scratch.run("transcode", &["vending.aut", "-o", &once]).ok();
        let mut twice = Compressor::new(Vec::new(), outer).unwrap();
        let once = std::fs::read(scratch.path(&once)).unwrap();
        twice.write_all(&once).unwrap();
        scratch.write("twice.aut", twice.finish().unwrap());
        for input in ["twice.aut", "-"] {
            scratch
                .shell(&format!("cat twice.aut | transcode {input}"))
                .status(2)
                .says(says)
                .prints("");
        }
    }
}

#[test]
fn compression_and_level_can_be_named() {
    let scratch = Scratch::with_vending();
    let big = scratch.run("generate", &["random", "2000", "9000"]);
    scratch.write("big.aut", &big.ok().stdout);
    let mut sizes = Vec::new();
    for level in ["1", "9"] {
        let run = scratch
            .run(
                "transcode",
                &["big.aut", "--compress", "gzip", "--level", level],
            )
            .ok();
        assert!(run.stdout.starts_with(b"\x1f\x8b"));
        scratch
            .feed("transcode", &[], &run.stdout)
            .ok()
            .prints(&scratch.read("big.aut"));
        sizes.push(run.stdout.len());
    }
    assert!(sizes[1] < sizes[0], "{sizes:?}");
    scratch
        .run(
            "transcode",
            &["vending.aut", "-o", "x.gz", "--compress", "none"],
        )
        .ok();
    assert_eq!(scratch.read("x.gz"), VENDING);
    for (bad, reason) in [
        (&["--level", "3"][..], "--level needs"),
        (&["--compress", "bzip2", "--level", "0"], "levels 1 to 9"),
        (&["--compress", "gzip", "--level", "12"], "levels 0 to 9"),
        (&["--compress", "zip"], "zip"),
    ] {
        scratch
            .run("transcode", &[&["vending.aut"], bad].concat())
            .status(2)
            .says(reason);
    }
}

#[test]
fn the_hidden_action_is_a_matter_of_options() {
    let scratch = Scratch::new();
    let input = "des (0,3,2)\n(0,\"tau\",1)\n(1,\"i\",0)\n(1,\"a\",1)\n";
    // A visible label that would read as hidden is refused.
    scratch
        .feed("transcode", &["--hidden", "tau"], input)
        .status(2)
        .prints("")
        .says("--visible-i");
    scratch
        .feed(
            "transcode",
            &["--hidden", "tau", "--visible-i", "vis"],
            input,
        )
        .ok()
        .prints("des (0, 3, 2)\n(0, i, 1)\n(1, vis, 0)\n(1, a, 1)\n");
    scratch
        .feed("transcode", &["--dialect", "mcrl2"], input)
        .ok()
        .prints("des (0, 3, 2)\n(0, tau, 1)\n(1, i, 0)\n(1, a, 1)\n");
    scratch
        .feed(
            "transcode",
            &["--hidden", "a", "--hidden", "tau", "--visible-i", "x"],
            input,
        )
        .ok()
        .prints("des (0, 3, 2)\n(0, i, 1)\n(1, x, 0)\n(1, i, 1)\n");
}

#[test]
fn labels_are_written_as_asked() {
    let scratch = Scratch::new();
    let input = b"des (0,2,1)\n(0,\"a\xc3\xa4\",0)\n(0,\"b\tc\",0)\n";
    scratch
        .feed("transcode", &[], input)
        .status(2)
        .prints("")
        .says("--lossy");
    let run = scratch.feed("transcode", &["--lossy", "-q"], input).ok();
    assert_eq!(
        run.stdout,
        b"des (0, 2, 1)\n(0, \"a\xc3\xa4\", 0)\n(0, \"b\\x09c\", 0)\n"
    );
    scratch
        .feed("transcode", &["--lossy", "--ascii"], input)
        .status(2)
        .prints("");
    scratch
        .feed(
            "transcode",
            &["--quote", "always"],
            "des(0,2,1)\n(0,a,0)\n(0,i,0)\n",
        )
        .ok()
        .prints("des (0, 2, 1)\n(0, \"a\", 0)\n(0, \"i\", 0)\n");
    scratch
        .feed(
            "transcode",
            &["--escapes", "ltsmin"],
            "des(0,2,1)\n(0,\"a\\\"b\",0)\n(0,\"c\\\\\",0)\n",
        )
        .ok()
        .prints("des (0, 2, 1)\n(0, \"a\"b\", 0)\n(0, \"c\\\", 0)\n");
}

#[test]
fn modes_of_reading() {
    let scratch = Scratch::new();
    let short = "des (0, 2, 2)\n(0, a, 1)\n";
    scratch
        .feed("transcode", &[], short)
        .status(2)
        .says("[aut-count]");
    scratch
        .feed("transcode", &["--lenient"], short)
        .status(0)
        .says("warning")
        .prints("des (0, 1, 2)\n(0, a, 1)\n");
    let far = "des (0, 1, 2)\n(0, a, 7)\n";
    scratch
        .feed("transcode", &[], far)
        .status(2)
        .says("2:8: error")
        .says("[aut-state-range]");
    scratch
        .feed("transcode", &["--grow"], far)
        .status(0)
        .prints("des (0, 1, 8)\n(0, a, 7)\n");
    let free = "des (0, 1, 2)\n(0, a b, 1)\n";
    scratch.feed("transcode", &["-q"], free).ok();
    scratch
        .feed("transcode", &["--strict"], free)
        .status(2)
        .says("2:5: error")
        .says("[aut-free-label]");
    scratch
        .feed("transcode", &["--strict", "--grow"], free)
        .status(2)
        .says("--strict");
}

#[test]
fn formats_are_named_and_recognised() {
    let scratch = Scratch::with_vending();
    scratch.write("noending", VENDING);
    scratch.write("wrong.bcg", VENDING);
    // The content counts more than the name.
    scratch.run("transcode", &["noending"]).ok().prints(VENDING);
    scratch
        .run("transcode", &["wrong.bcg"])
        .ok()
        .prints(VENDING);
    scratch.write("odd.xyz", "(0, a, 1)\n");
    scratch
        .run("transcode", &["odd.xyz"])
        .status(2)
        .says("--from");
    scratch
        .run("transcode", &["odd.xyz", "--from", "aut"])
        .status(2)
        .says("odd.xyz:1:1: error")
        .says("[aut-no-header]");
    scratch
        .run("transcode", &["vending.aut", "--from", "nonsense"])
        .status(2)
        .says("aut, bcg");
    scratch
        .run("transcode", &["vending.aut", "-o", "x.exp"])
        .status(2)
        .says("exp");
    assert!(!scratch.path("x.exp").exists());
}

#[test]
fn messages_and_help_name_all_formats() {
    let scratch = Scratch::with_vending();
    scratch.write("x.foo", "odd\n");
    let mut readable = "aut, bcg, lts, dot, fsm, kiss2, seq, trc, exp, toml, tsv, jsonl".to_owned();
    let mut writable = readable.replace("exp, toml, ", "");
    if cfg!(feature = "columns") {
        readable += ", parquet, arrow";
        writable += ", parquet, arrow";
    }
    readable += ", plts";
    writable += ", graphml, plts";
    scratch
        .run("transcode", &["x.foo"])
        .status(2)
        .says(&format!("name it with --from ({readable})"));
    scratch
        .run("transcode", &["vending.aut", "--from", "graphml"])
        .status(2)
        .says(&format!("readable are {readable}"));
    scratch
        .run("transcode", &["vending.aut", "--to", "exp"])
        .status(2)
        .says(&writable);
    let help = scratch.run("transcode", &["--help"]).ok();
    let words: Vec<_> = help.text().split_whitespace().collect();
    let text = words.join(" ");
    for told in [
        format!("--from <FORMAT> Read this format: {readable} [default"),
        format!("--to <FORMAT> Write this format: {writable} [default"),
    ] {
        assert!(text.contains(&told), "{text}");
    }
}

#[test]
fn statistics_tell_what_was_done() {
    let scratch = Scratch::with_vending();
    scratch
        .run(
            "transcode",
            &[
                "vending.aut",
                "-o",
                "v.aut.gz",
                "--stats",
                "s.json",
                "-j",
                "2",
            ],
        )
        .ok();
    let stats = json(scratch.read("s.json"));
    assert_eq!(stats["command"], "transcode");
    assert_eq!(stats["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(stats["status"], 0);
    assert_eq!(stats["threads"], 2);
    let input = &stats["inputs"][0];
    assert_eq!(input["path"], "vending.aut");
    assert_eq!(input["format"], "aut");
    assert_eq!(input["bytes"], VENDING.len());
    assert_eq!(input["states"], 8);
    assert_eq!(input["transitions"], 10);
    assert_eq!(input["labels"], 5);
    let output = &stats["outputs"][0];
    assert_eq!(output["path"], "v.aut.gz");
    let size = fs::metadata(scratch.path("v.aut.gz")).unwrap().len();
    assert_eq!(output["bytes"], size);
    let phases: Vec<_> = stats["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["name"].as_str().unwrap())
        .collect();
    assert_eq!(phases, ["read", "write"]);
    let total = stats["seconds"].as_f64().unwrap();
    let sum: f64 = stats["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["seconds"].as_f64().unwrap())
        .sum();
    assert!(0.0 <= sum && sum <= total, "{sum} of {total}");
    assert!(stats["peak_memory"].as_u64().unwrap() > 1 << 20);
    assert!(stats["cpu_seconds"].as_f64().unwrap() >= 0.0);
}

#[test]
fn verbose_tells_phases() {
    let scratch = Scratch::with_vending();
    let run = scratch.run("transcode", &["-v", "vending.aut"]).status(0);
    run.says("transcode: read: vending.aut, ")
        .says("8 states, 10 transitions, 5 labels in ")
        .says("transcode: write: standard output")
        .says("peak memory")
        .prints(VENDING);
}

#[test]
fn the_order_of_the_file_is_kept_within_a_source() {
    let scratch = Scratch::new();
    let input = "des (0, 4, 2)\n(1, z, 0)\n(0, b, 1)\n(1, a, 0)\n(0, a, 1)\n";
    let run = scratch.feed("transcode", &[], input).ok();
    same_lines(run.text(), input);
    let at = |line| run.text().find(line).unwrap();
    assert!(at("(1, z, 0)") < at("(1, a, 0)") && at("(0, b, 1)") < at("(0, a, 1)"));
}

#[test]
fn formats_of_pipes_are_told_by_their_content() {
    let scratch = Scratch::with_vending();
    for format in ["bcg", "lts", "fsm", "dot", "tsv", "jsonl"] {
        scratch
            .shell(&format!(
                "transcode vending.aut --to {format} | transcode | equiv - vending.aut"
            ))
            .ok()
            .prints("TRUE\n");
    }
    scratch
        .feed("transcode", &[], "\"a\"\n\"i\"\n")
        .ok()
        .prints("des (0, 2, 3)\n(0, a, 1)\n(1, i, 2)\n");
}

#[test]
fn comments_and_blank_lines_before_the_content_do_not_hide_the_format() {
    let scratch = Scratch::with_vending();
    let dot = scratch.run("transcode", &["vending.aut", "--to", "dot"]);
    let dot = dot.ok().text().to_owned();
    let lines = "// a line of a licence\n".repeat(1000);
    let block = format!("/*{}*/\n", "  all rights\n".repeat(5000));
    let blanks = "\n".repeat(100_000);
    for before in [&lines, &block, &format!("{blanks}{lines}{block}")] {
        let text = format!("{before}{dot}");
        scratch.feed("transcode", &[], &text).ok().prints(VENDING);
        scratch.write("noending", &text);
        scratch.run("transcode", &["noending"]).ok().prints(VENDING);
    }
    let fsm = scratch.run("transcode", &["vending.aut", "--to", "fsm"]);
    let text = format!("{blanks}{}", fsm.ok().text());
    scratch.feed("transcode", &[], &text).ok().prints(VENDING);
    scratch.write("blank.fsm", &text);
    scratch
        .shell("transcode blank.fsm --compress gzip | transcode")
        .ok()
        .prints(VENDING);
    // Where comments do not end within a mebibyte, standard input is AUT.
    let text = format!("{}{dot}", " ".repeat(1 << 20));
    scratch
        .feed("transcode", &[], &text)
        .status(2)
        .says("[aut-no-header]");
    scratch
        .feed("transcode", &["--from", "dot"], &text)
        .ok()
        .prints(VENDING);
}

#[test]
fn a_label_may_begin_as_bzip2_does() {
    let scratch = Scratch::new();
    for label in ["BZh", "BZh9", "BZh91(x)", "BZh0!17"] {
        let expected = format!("des (0, 2, 3)\n(0, \"{label} a\", 1)\n(1, b, 2)\n");
        let text = format!("{label} a\nb\n");
        scratch.write("x.trc", &text);
        scratch.run("transcode", &["x.trc"]).ok().prints(&expected);
        let pipe = ["--from", "trc"];
        scratch
            .feed("transcode", &pipe, &text)
            .ok()
            .prints(&expected);
    }
    // an empty file, packed, is but a header and an end
    scratch
        .shell("transcode --from trc --to trc --compress bzip2 <(printf '') > empty.bz2; transcode --from trc empty.bz2")
        .ok()
        .prints("des (0, 0, 1)\n");
}

#[test]
fn an_unknown_ending_of_the_output_is_refused() {
    let scratch = Scratch::with_vending();
    for name in ["x.txt", "x.xyz.gz", "x.aut.old"] {
        scratch
            .run("transcode", &["vending.aut", "-o", name])
            .status(2)
            .says(&format!("{name}: the ending ."))
            .says(
                "tells no format: name one with --to, or use one of the endings aut, bcg, lts, dot",
            )
            .prints("");
        assert!(!scratch.path(name).exists());
        let named = [
            "vending.aut",
            "--to",
            "aut",
            "--compress",
            "none",
            "-o",
            name,
        ];
        scratch.run("transcode", &named).ok();
        assert_eq!(scratch.read(name), VENDING);
    }
    for name in ["x", "dir.d", "dir.d/x", "/dev/null", "/dev/stdout", "-"] {
        if name == "dir.d" {
            std::fs::create_dir(scratch.path(name)).unwrap();
            continue;
        }
        scratch.run("transcode", &["vending.aut", "-o", name]).ok();
    }
    assert_eq!(scratch.read("dir.d/x"), VENDING);
    for command in ["minimize", "reach", "relabel"] {
        scratch
            .run(command, &["vending.aut", "-o", "y.txt"])
            .status(2)
            .says(".txt tells no format");
    }
    scratch
        .run("generate", &["dining", "2", "-o", "y.txt"])
        .status(2)
        .says(".txt tells no format");
    // a well-known ending of JSON Lines
    scratch
        .run("transcode", &["vending.aut", "-o", "x.json"])
        .ok();
    assert!(scratch.read("x.json").starts_with("{\"lts\":1,"));
    scratch.run("transcode", &["x.json"]).ok().prints(VENDING);
}

#[test]
fn options_of_other_formats_are_told_of() {
    let scratch = Scratch::with_vending();
    let writing = [
        "--parse-labels",
        "--keep-order",
        "--seq-states",
        "--codec=zstd",
    ];
    let run = scratch.run("transcode", &[&["vending.aut"], &writing[..]].concat());
    let run = run.status(0).prints(VENDING);
    assert_eq!(
        run.stderr,
        "transcode: warning: --parse-labels has no effect: it is for writing bcg, not aut [option-format]\n\
         transcode: warning: --keep-order has no effect: it is for writing bcg, not aut [option-format]\n\
         transcode: warning: --seq-states has no effect: it is for writing seq, not aut [option-format]\n\
         transcode: warning: --codec has no effect: it is for writing parquet, arrow or plts, not aut [option-format]\n"
    );
    let quiet = [&["-q", "vending.aut"], &writing[..]].concat();
    scratch.run("transcode", &quiet).ok().prints(VENDING);
    // one that one of the formats has
    scratch
        .run(
            "minimize",
            &["vending.aut", "-o", "m.bcg", "--parse-labels"],
        )
        .ok();
    scratch
        .run("generate", &["dining", "2", "--seq-states", "-o", "d.aut"])
        .status(0)
        .says("--seq-states has no effect: it is for writing seq, not aut");
    for command in ["transcode", "describe", "reach", "minimize", "relabel"] {
        let run = scratch.run(command, &["vending.aut", "--multi-init", "--seqno=2"]);
        let warnings: Vec<&str> = run.stderr.lines().collect();
        assert_eq!(warnings.len(), 2, "{command}: {warnings:?}");
        for (option, format) in [("--multi-init", "dot"), ("--seqno", "seq")] {
            let warning = format!(
                "{command}: warning: {option} has no effect: it is for reading {format}, not aut [option-format]"
            );
            assert!(warnings.contains(&&warning[..]), "{command}: {warnings:?}");
        }
        run.status(0);
    }
    // of two inputs, one has it
    scratch
        .run("transcode", &["vending.aut", "-o", "v.dot"])
        .ok();
    for files in [["vending.aut", "v.dot"], ["v.dot", "vending.aut"]] {
        scratch
            .run("equiv", &[&files[..], &["--init", "s0"]].concat())
            .ok()
            .prints("TRUE\n");
    }
    scratch
        .run("equiv", &["vending.aut", "vending.aut", "--init", "s0"])
        .status(0)
        .prints("TRUE\n")
        .says("equiv: warning: --init has no effect: it is for reading dot, not aut");
}

/// Formats have the names that endings have, and names of tools are none.
#[test]
fn names_of_formats() {
    let scratch = Scratch::with_vending();
    for (name, other) in [("json", "jsonl"), ("ndjson", "jsonl"), ("gv", "dot")] {
        let run = scratch.run("transcode", &["--to", name, "vending.aut"]);
        let same = scratch.run("transcode", &["--to", other, "vending.aut"]);
        run.ok().prints(same.ok().text());
    }
    for option in ["--from", "--to"] {
        let run = scratch.run("transcode", &[option, "mcrl2", "vending.aut"]);
        let run = run.status(2).says("mCRL2's own format is lts");
        run.says("told by --dialect mcrl2");
        let run = scratch.run("transcode", &[option, "cadp", "vending.aut"]);
        run.status(2).says("CADP's own format is bcg");
    }
}

/// What holds a system, but in no format that is read, is told, whatever the user says.
#[test]
fn archives_and_other_encodings() {
    let scratch = Scratch::with_vending();
    let mut tar = vec![0; 512];
    tar[..5].copy_from_slice(b"v.aut");
    tar[257..265].copy_from_slice(b"ustar\x0000");
    let wide: Vec<u8> = "\u{feff}des (0, 0, 1)\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for (content, told) in [
        (
            &b"PK\x03\x04\x14\0"[..],
            "an archive (zip): unpack it first",
        ),
        (b"7z\xbc\xaf\x27\x1c", "an archive (7z): unpack it first"),
        (b"\x04\x22\x4d\x18\x64", "lz4 data"),
        (&tar, "an archive (tar): unpack it first"),
        (&wide, "a text in UTF-16: convert it to UTF-8 first"),
    ] {
        for name in ["x", "x.aut"] {
            scratch.write(name, content);
            for options in [&[name][..], &["--from", "aut", name]] {
                let run = scratch.run("transcode", options).status(2);
                run.says(&format!("{name}: {told}")).prints("");
            }
        }
    }
    scratch.write("x.tar", &tar);
    scratch.shell("gzip x.tar").ok();
    let run = scratch.run("transcode", &["x.tar.gz"]).status(2);
    run.says("an archive (tar): unpack it first");
}

/// Who asks for a picture is told which command draws it.
#[test]
fn pictures_are_written_by_another_command() {
    let scratch = Scratch::with_vending();
    for options in [["-o", "p.svg"], ["-o", "p.html"], ["--to", "svg"]] {
        scratch
            .run("transcode", &[&options[..], &["vending.aut"]].concat())
            .status(2)
            .says("pictures are written by draw")
            .prints("");
    }
    // Of other endings nothing is known.
    let run = scratch
        .run("transcode", &["-o", "p.xyz", "vending.aut"])
        .status(2)
        .says("the ending .xyz tells no format");
    assert!(!run.stderr.contains("draw"));
    assert_eq!(scratch.names(), ["vending.aut"]);
}

/// Statistics and `-v` tell what the file has, in every format.
#[test]
fn sizes_are_those_of_what_is_written() {
    let scratch = Scratch::new();
    let input = "des (0, 3, 4)\n(0, a, 1)\n(0, a, 1)\n(0, b, 0)\n";
    scratch.write("d.aut", input);
    let sizes = |file: &str| {
        let stats = json(scratch.read(file));
        let size = |key| stats["outputs"][0][key].as_u64().unwrap();
        (size("states"), size("transitions"), size("labels"))
    };
    for name in [
        "o.aut",
        "o.bcg",
        "o.lts",
        "o.dot",
        "o.fsm",
        "o.tsv",
        "o.jsonl",
        "o.plts",
        "o.graphml",
    ] {
        // There are two states that no transition mentions.
        let states = if name == "o.fsm" { 2 } else { 4 };
        for (options, transitions) in [(&[][..], 3), (&["--canonical"], 2)] {
            let words = ["d.aut", "-v", "--stats", "s.json", "-o", name];
            let run = scratch.run("transcode", &[&words, options].concat());
            let told = format!("{states} states, {transitions} transitions, 2 labels");
            run.status(0).says(&told);
            assert_eq!(sizes("s.json"), (states, transitions, 2), "{name}");
        }
    }
    for words in [
        "relabel --rename-label 'b -> c' d.aut",
        "reach d.aut",
        "minimize --keep-unreachable -e strong d.aut",
    ] {
        let script = format!("{words} --canonical --stats s.json -o o.aut");
        scratch.shell(&script).status(0);
        assert_eq!(sizes("s.json").1, 2, "{words}");
    }
}

/// Labels and what stands in them are bytes; an option whose value has to be a text is named.
#[test]
fn values_that_are_no_utf_8_are_taken_or_named() {
    let scratch = Scratch::new();
    scratch.write("b.aut", b"des (0, 1, 2)\n(0, \"a\xc3b/c\", 1)\n");
    let run = |words: &str| {
        let words = words.replace("BYTE", "\"$(printf '\\303')\"");
        scratch.shell(&words)
    };
    run("reach --find aBYTE'b/c' b.aut | head -n 1")
        .status(0)
        .prints("find: TRUE\n");
    let found = run("reach --json --find xBYTE b.aut").status(0);
    let answer = &json(found.text())["answers"][0];
    assert_eq!(answer["expression"], "x\u{fffd}");
    run("reach --find BYTE'\\(' b.aut")
        .status(2)
        .says("--find '\\xC3\\\\(': regular expression");
    run("transcode --sep BYTE --io-steps b.aut")
        .status(0)
        .prints("des (0, 2, 3)\n(0, \"?a\", 2)\n(2, \"!b/c\", 1)\n");
    run("transcode --alt BYTE b.aut")
        .status(0)
        .prints("des (0, 2, 2)\n(0, \"a/c\", 1)\n(0, \"b/c\", 1)\n");
    let run_dot = run("transcode --accepting BYTE b.aut --to dot").status(0);
    assert!(run_dot.stdout.starts_with(b"digraph"));
    run("transcode --sep '' b.aut")
        .status(2)
        .says("invalid value '' for '--sep <TEXT>': a separator must have one character at least");
    for (words, option) in [
        ("reach --expression BYTE", "--expression"),
        ("reach --expression=BYTE", "--expression"),
        ("check b.aut -f BYTE", "-f"),
        ("check b.aut -fBYTE", "-f"),
        ("minimize -e BYTE b.aut", "-e"),
        ("hyades minimize b.aut -j BYTE", "-j"),
        (
            "kernel find-symmetry --fix BYTE --token-characters BYTE",
            "--token-characters",
        ),
    ] {
        run(words).status(2).says(&format!(
            "invalid value '\\xC3' for '{option}': it is no UTF-8"
        ));
    }
}

#[test]
fn other_compressions_are_told() {
    let scratch = Scratch::with_vending();
    for name in ["x.aut.lz4", "x.aut.Z", "x.aut.lzma", "x.aut.zip"] {
        scratch
            .run("transcode", &["vending.aut", "-o", name])
            .status(2)
            .says("tells no format, nor a compression (there are .gz, .zst, .xz, .bz2): name one");
    }
    for (content, told) in [
        (
            &b"\x1f\x9d\x90\x64"[..],
            "data of compress, which is not among the compressions",
        ),
        (
            b"\x5d\0\0\x80\0\xff",
            "lzma data, which is not among the compressions",
        ),
        (
            b"\x1f",
            "it ends within what gzip data begins with: it is truncated",
        ),
        (b"\x28\xb5\x2f", "it ends within what zstd data begins with"),
        (b"\xfd7z", "it ends within what xz data begins with"),
        (b"BZh91AY", "it ends within what bzip2 data begins with"),
        // A text.
        (b"(", "aut-no-header"),
    ] {
        scratch.feed("transcode", &[], content).status(2).says(told);
        scratch.write("x.aut", content);
        scratch.run("transcode", &["x.aut"]).status(2).says(told);
    }
}
