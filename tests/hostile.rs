//! Bad input through every command: status 2, a place in the file, no output
//! file, no panic.

use crate::util;

use util::{Run, Scratch, VENDING};

/// What is true of every answer to bad input.
#[track_caller]
fn refused(scratch: &Scratch, run: Run, what: &str) -> Run {
    let before: Vec<_> = scratch.names();
    let run = run.status(2).prints("");
    assert!(
        !run.stderr.contains("panicked") && !run.stderr.contains("internal error"),
        "{what}: {}",
        run.stderr
    );
    assert!(!before.contains(&"out".to_owned()), "{what}");
    assert!(!before.contains(&"stats".to_owned()), "{what}");
    assert!(!before.iter().any(|n| n.contains("tmp")), "{what}");
    run
}

/// Every command with one or two inputs, reading this file.
fn commands(file: &str) -> Vec<(&str, Vec<&str>)> {
    let tail = [file, "-o", "out", "--stats", "stats"];
    vec![
        ("transcode", tail.to_vec()),
        ("describe", tail.to_vec()),
        ("reach", tail.to_vec()),
        ("reach", [&["--deadlock"][..], &tail].concat()),
        ("minimize", tail.to_vec()),
        ("minimize", [&["--classes", "out"][..], &tail[..1]].concat()),
        ("equiv", [&["good.aut"][..], &tail].concat()),
        (
            "equiv",
            [&tail[..1], &["good.aut"][..], &tail[1..]].concat(),
        ),
    ]
}

#[test]
fn bad_text_is_refused_with_its_place() {
    let cases: [(&str, &str); 14] = [
        ("", ":1:1: error: "),
        ("junk\n", ":1:1: error: "),
        ("des (0, 1, 0)\n", ":1:12: error: "),
        ("des (5, 0, 2)\n", ":1:6: error: "),
        ("des (0, ?, ?)\n", ":1:9: error: "),
        ("des (0, 1, 2)\n(0, a, 2)\n", ":2:8: error: "),
        ("des (0, 1, 2)\n(0, \"a, 1)\n", ":2:5: error: "),
        ("des (0, 1, 2)\n(0, , 1)\n", ":2:5: error: "),
        ("des (0, 1, 2)\n(0, a)\n", ":2:6: error: "),
        ("des (0, 2, 2)\n(0, a, 1)\n", ":3:1: error: "),
        ("des (0, 1, 2)\n(0, a, 1)\n(1, a, 0)\n", ":3:1: error: "),
        (
            "des (0, 1, 2)\n(0, a, 99999999999999999999)\n",
            ":2:8: error: ",
        ),
        ("des (0, 1, 99999999999)\n(0, a, 1)\n", ":1:12: error: "),
        ("des (0, 1, 2)\n# (0, a, 1)\n", ":2:1: error: "),
    ];
    for (text, place) in cases {
        let scratch = Scratch::new();
        scratch.write("good.aut", VENDING);
        scratch.write("bad.aut", text);
        for (command, arguments) in commands("bad.aut") {
            let run = scratch.run(command, &arguments);
            refused(&scratch, run, text).says(&format!("bad.aut{place}"));
        }
        // The same through a pipe.
        for command in ["transcode", "reach", "minimize", "describe"] {
            let run = scratch.feed(command, &["-o", "out"], text);
            refused(&scratch, run, text).says(&format!("<stdin>{place}"));
        }
    }
}

#[test]
fn truncated_files_are_refused() {
    let scratch = Scratch::with_vending();
    // A cut within the last line's number leaves a number.
    for length in 0..VENDING.len() - 3 {
        scratch.write("cut.aut", &VENDING.as_bytes()[..length]);
        let run = scratch.run("transcode", &["cut.aut", "-o", "out"]);
        refused(&scratch, run, &format!("{length} bytes"));
    }
}

#[test]
fn truncated_and_damaged_compressed_files_are_refused() {
    let scratch = Scratch::with_vending();
    scratch
        .run("generate", &["chain", "50000", "-o", "chain.aut"])
        .ok();
    for (ending, kind) in [
        ("gz", "gzip"),
        ("zst", "zstd"),
        ("xz", "xz"),
        ("bz2", "bzip2"),
    ] {
        let name = format!("chain.aut.{ending}");
        scratch.run("transcode", &["chain.aut", "-o", &name]).ok();
        let whole = std::fs::read(scratch.path(&name)).unwrap();
        for length in [whole.len() - 1, whole.len() / 2, 20, 5] {
            scratch.write("cut", &whole[..length]);
            let run = scratch.run("transcode", &["cut", "--from", "aut", "-o", "out"]);
            refused(&scratch, run, &format!("{name}, {length} bytes")).says("error: ");
        }
        let mut damaged = whole.clone();
        let middle = damaged.len() / 2;
        for byte in &mut damaged[middle..middle + 8] {
            *byte ^= 0x55;
        }
        scratch.write("damaged", &damaged);
        let run = scratch.run("minimize", &["damaged", "--from", "aut", "-o", "out"]);
        refused(&scratch, run, &format!("{name}, damaged"));
        let run = scratch.feed("transcode", &["-o", "out"], &whole[..whole.len() / 2]);
        refused(&scratch, run, &name).says(kind);
    }
}

#[test]
fn binary_junk_is_refused() {
    let scratch = Scratch::with_vending();
    scratch.write("good.aut", VENDING);
    let mut x = 1u32;
    let mut junk = Vec::new();
    for _ in 0..100_000 {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        junk.push(x as u8);
    }
    scratch.write("junk.aut", &junk);
    scratch.write("tail.aut", [VENDING.as_bytes(), &junk].concat());
    scratch.write("zeros.aut", vec![0; 300_000]);
    scratch.write(
        "line.aut",
        [b"des (0, 1, 1)\n(0, \"".as_slice(), &vec![b'x'; 400_000]].concat(),
    );
    for file in ["junk.aut", "tail.aut", "zeros.aut", "line.aut"] {
        for (command, arguments) in commands(file) {
            let run = scratch.run(command, &arguments);
            refused(&scratch, run, file).says(&format!("{file}:"));
        }
    }
}

#[test]
fn counts_that_lie_do_not_cost_memory() {
    let scratch = Scratch::with_vending();
    scratch.write("lies.aut", "des (0, 18446744073709551615, 2)\n(0, a, 1)\n");
    let run = scratch.run(
        "transcode",
        &["lies.aut", "-j", "1", "--max-memory", "100M"],
    );
    refused(&scratch, run, "transitions").says("lies.aut:3:1: error: ");
}

#[test]
fn many_errors_are_cut_short() {
    let scratch = Scratch::new();
    let mut text = String::from("des (0, 1000, 2)\n");
    for _ in 0..1000 {
        text.push_str("(0, a, 5)\n");
    }
    let run = scratch.feed("transcode", &[], text).status(2);
    assert_eq!(run.stderr.matches("<stdin>:").count(), 21, "{}", run.stderr);
    run.says("980 more");
}

#[test]
fn odd_but_legal_input_is_accepted() {
    let scratch = Scratch::new();
    for text in [
        "des (0,0,1)",
        "des(0,1,1)\r\n(0,\"\",0)\r\n",
        "des (0, 2, 1)\n(0, \"x\", 5)\", 0)\n\n\n(0, \"a\"b\", 0)",
    ] {
        for command in ["transcode", "reach", "minimize", "describe"] {
            scratch.feed(command, &["-q"], text).ok();
        }
    }
    let long = format!("des (0, 1, 1)\n(0, \"{}!\", 0)\n", "y".repeat(1 << 20));
    let run = scratch.feed("minimize", &[], &long).ok();
    // Not worth being shown if it differs.
    assert!(run.text() == long);
}

/// Files that each claim just as much as is allowed are asked about together.
#[test]
fn headers_that_claim_gigabytes_together_are_asked_about() {
    let scratch = Scratch::new();
    let (mut network, mut system) = (String::new(), "format = \"csm-system-1\"\n".to_owned());
    for k in 1..=30 {
        scratch.write(&format!("f{k}.aut"), "des (0, 1, 16777216)\n(0, a, 1)\n");
        let operator = if k == 1 { "" } else { " |||\n" };
        network.push_str(&format!("{operator}f{k}.aut"));
        system.push_str(&format!(
            "[[component]]\nname = \"C{k}\"\nfile = \"f{k}.aut\"\n"
        ));
    }
    scratch.write("net.exp", &network);
    scratch.write("net.toml", system);
    let says = "33554432 states in the first 2 components for 2 transitions: is a file damaged?; \
                --lenient reads it all the same";
    for (command, file, place) in [
        ("transcode", "net.exp", "net.exp:2:1: error: "),
        ("reach", "net.exp", "net.exp:2:1: error: "),
        ("reach", "net.toml", "net.toml:7:8: error: "),
    ] {
        let arguments = [file, "-o", "out", "--max-memory", "600M"];
        let run = scratch.run(command, &arguments);
        refused(&scratch, run, file).says(says).says(place);
    }
    scratch.write("two.exp", "f1.aut ||| f2.aut");
    scratch
        .run("reach", &["--lenient", "--info", "two.exp"])
        .status(0)
        .says("warning: 33554432 states in the first 2 components for 2 transitions");
    // Files that have the transitions may be as many as there are.
    scratch.write("good.aut", VENDING);
    scratch.write("one.exp", "good.aut ||| good.aut ||| good.aut");
    scratch.run("reach", &["one.exp"]).ok();
}

/// A few bytes of a header are no reason to ask for gigabytes.
#[test]
fn headers_that_claim_gigabytes_are_asked_about() {
    let scratch = Scratch::new();
    scratch.write("good.aut", VENDING);
    for (file, text, says) in [
        (
            "f.aut",
            "des (0, 1, 300000000)\n(0, a, 1)\n",
            "f.aut:1:12: error: 300000000 states are announced for 1 transition",
        ),
        (
            "f.tsv",
            "# lts states=4294967294 transitions=1 initial=0\n0\ta\t1\n",
            ":1:",
        ),
        (
            "f.jsonl",
            "{\"lts\":1,\"states\":300000000,\"transitions\":0}\n",
            ":1:",
        ),
        (
            "g.tsv",
            "0\ta\t300000000\n",
            "300000001 states by their numbers",
        ),
        (
            "g.jsonl",
            "{\"lts\":1}\n[300000000,\"a\",0]\n",
            "states by their numbers",
        ),
        (
            "g.fsm",
            "---\n---\n1 300000000 \"a\"\n",
            "states by their numbers",
        ),
        (
            "h.aut",
            "des (299999999, 0, 300000000)\n",
            "announced for 0 transitions",
        ),
    ] {
        scratch.write(file, text);
        for (command, mut arguments) in commands(file) {
            // more than would be allowed, if somebody asked for it
            arguments.extend(["--max-memory", "200M"]);
            let run = refused(&scratch, scratch.run(command, &arguments), file);
            run.says(says).says("--lenient reads it all the same");
        }
        // nor does a component
        scratch.write("net.exp", format!("\"{file}\" ||| \"good.aut\"\n"));
        let run = scratch.run("reach", &["net.exp", "--max-memory", "200M"]);
        run.status(2).prints("").says(file);
    }
    // Who says so gets it, as does who has that many states.
    scratch.write("many.aut", "des (0, 1, 20000000)\n(0, a, 19999999)\n");
    let run = scratch.run("transcode", &["--lenient", "many.aut"]);
    let run = run.status(0).says("warning: 20000000 states are announced");
    assert!(run.text().starts_with("des (0, 1, 20000000)\n"));
    scratch.write("few.aut", "des (0, 1, 16777216)\n(0, a, 16777215)\n");
    scratch.run("transcode", &["few.aut"]).ok();
    let isolated = "generate random 300000 300000 | sed '1s/300000)/19000000)/' | transcode -o o";
    scratch.shell(isolated).ok();
}
