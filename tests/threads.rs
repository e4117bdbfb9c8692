//! The same output for every number of threads.

use crate::util;

use std::fs;

use util::Scratch;

#[test]
fn outputs_do_not_depend_on_threads() {
    let scratch = Scratch::new();
    // Large enough for several chunks of several threads.
    let families: [&[&str]; 3] = [
        &[
            "random",
            "30000",
            "100000",
            "--alphabet",
            "40",
            "--seed",
            "7",
        ],
        &["dining", "7"],
        &["chain", "80000"],
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
            &["reduce", "-r", "tau-divergence"],
            &["reduce", "-r", "tau-confluence"],
            &["reduce", "-r", "tau-star"],
        ] {
            let mut first: Option<(Vec<u8>, Option<String>)> = None;
            for threads in ["1", "7"] {
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

/// However threads are asked for, there are not too many.
#[test]
fn threads_have_one_bound() {
    let scratch = Scratch::with_vending();
    let run = |variable: &str, options: &[&str]| {
        let arguments = [&["vending.aut", "-o", "o", "--stats", "s"][..], options].concat();
        let mut command = scratch.command("transcode", &arguments);
        command.env("RAYON_NUM_THREADS", variable);
        util::finish(command)
    };
    for variable in ["1025", "100000", "99999999999999999999", "-1", "many"] {
        run(variable, &[])
            .status(2)
            .says(&format!("RAYON_NUM_THREADS is '{variable}'"))
            .says("from 1 to 1024");
        assert_eq!(scratch.names(), ["vending.aut"]);
    }
    let threads = |variable: &str, options: &[&str]| {
        run(variable, options).ok();
        util::json(scratch.read("s"))["threads"].as_u64().unwrap()
    };
    assert_eq!(threads("3", &[]), 3);
    assert_eq!(threads("3", &["--max-memory", "1G"]), 3);
    assert_eq!(threads("100000", &["-j", "2"]), 2);
    assert_eq!(threads("", &[]), threads("0", &[]));
    // the deprecated name of the variable
    let other = |number: &str| {
        let mut command = scratch.command("describe", &["vending.aut", "--stats", "s"]);
        command.env_remove("RAYON_NUM_THREADS");
        command.env("RAYON_RS_NUM_CPUS", number);
        util::finish(command)
    };
    other("100000")
        .status(2)
        .says("RAYON_RS_NUM_CPUS is '100000'");
    other("3").ok();
    assert_eq!(util::json(scratch.read("s"))["threads"], 3);
    scratch
        .run("transcode", &["vending.aut", "-j", "1025"])
        .status(2)
        .says("1..=1024");
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
                "random",
                "60000",
                "200000",
                "--alphabet",
                "40",
                "--seed",
                "7",
                "-o",
                "one.aut",
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

/// Formats that are only written, and those that only chains can be written in.
#[test]
fn graphml_and_traces_do_not_depend_on_threads() {
    let scratch = Scratch::new();
    scratch
        .run(
            "generate",
            &["random", "60000", "200000", "-o", "random.aut"],
        )
        .ok();
    scratch
        .run("generate", &["chain", "150000", "-o", "chain.aut"])
        .ok();
    for (input, format) in [("random", "graphml"), ("chain", "seq"), ("chain", "trc")] {
        let input = format!("{input}.aut");
        let write = ["transcode", &input, "--to", format, "-j"];
        let one = scratch.run(write[0], &[&write[1..], &["1"]].concat()).ok();
        scratch.write("one", &one.stdout);
        for threads in ["2", "7"] {
            let many = scratch
                .run(write[0], &[&write[1..], &[threads]].concat())
                .ok();
            assert!(many.stdout == one.stdout, "--to {format} -j {threads}");
        }
        if format == "graphml" {
            assert!(one.text().ends_with("</graphml>\n"));
            continue;
        }
        let expected = scratch.run("transcode", &[&input]).ok();
        for threads in ["1", "2", "7"] {
            let read = ["--from", format, "one", "-j", threads];
            let read = scratch.run("transcode", &read).ok();
            assert!(read.stdout == expected.stdout, "{format} -j {threads}");
        }
    }
}

/// Where lines are not all of the one simple form, readers change between ways
/// of reading them.
#[test]
fn odd_lines_do_not_depend_on_threads() {
    const STATES: u32 = 60_000;
    const EDGES: u32 = 180_000;
    let scratch = Scratch::new();
    let mut dot = String::from("digraph g {\n__start0 -> s1;\n");
    let mut fsm = String::from("---\n---\n");
    let mut aut = format!("des (0, {EDGES}, {STATES})\n");
    for k in 0..EDGES {
        // states count from 1
        let (source, label) = (k / 3 + 1, k % 40);
        let target = (u64::from(k) * 48_271 + 11) % u64::from(STATES) + 1;
        let edge = format!("s{source} -> s{target} [label=\"l{label}\"];");
        dot += &match k % 1_000 {
            0 => format!("\t// -> and \"quotes\n\t{edge}\n"),
            100 => format!("{edge} /* a comment of\ntwo lines */ "),
            200 => format!("\t\"s{source}\" -> \"s{target}\" [label=\"l{label}\"]\n"),
            300 => format!("# a directive\n\ts{source}\n->\ns{target}\n[\nlabel=l{label}]\n"),
            400 => format!("edge [color=red] {edge} node [shape=box]\n"),
            500 => format!("\n\n  {edge}\r\n"),
            600 => format!(
                "\tsubgraph {{ s{source} }} -> s{target} [label=<l{label}> color=\"a\\\"b\"];"
            ),
            _ => format!("\t{edge}\n"),
        };
        let (odd, shown) = match k % 1_000 {
            0 => (
                format!("\n \t\n{source} {target} \"l{label}\"\n"),
                format!("l{label}"),
            ),
            200 => (
                format!("  {source} \t0{target}  \"l{label}\"  \r\n"),
                format!("l{label}"),
            ),
            400 => (
                format!("{source} {target} \"a\\b\" \"{{c}}\"\n"),
                "a\\b {c}".into(),
            ),
            600 => (format!("{source} {target} \"// l\" \n"), "// l".into()),
            _ => (
                format!("{source} {target} \"l{label}\"\n"),
                format!("l{label}"),
            ),
        };
        fsm += &odd;
        aut += &format!("({}, \"{shown}\", {})\n", source - 1, target - 1);
    }
    dot += "}\n";
    for (name, text) in [("odd.dot", dot), ("odd.fsm", fsm), ("odd.aut", aut)] {
        scratch.write(name, text);
    }
    let read = |name: &str, threads: &str| {
        let arguments = ["--label-columns", "join", "-q", "-j", threads, name];
        scratch.run("transcode", &arguments).ok().stdout
    };
    let expected = read("odd.aut", "1");
    let dot = read("odd.dot", "1");
    let header = format!("des (0, {EDGES}, {STATES})\n");
    assert!(expected.starts_with(header.as_bytes()) && dot.starts_with(header.as_bytes()));
    for threads in ["1", "2", "7"] {
        assert!(read("odd.fsm", threads) == expected, "fsm -j {threads}");
        assert!(read("odd.dot", threads) == dot, "dot -j {threads}");
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
