//! Answers of suites and kernels as JSON: the keys are those that are documented.

use crate::util;

use std::collections::BTreeSet;

use serde_json::Value;
use util::{Scratch, TOGGLE, json};

const DOCUMENT: &str = "docs/json.md";

/// The keys in the section of a mode, those of its table and those in its text.
struct Documented {
    table: BTreeSet<String>,
    all: BTreeSet<String>,
}

fn documented(mode: &str) -> Documented {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(DOCUMENT);
    let text = std::fs::read_to_string(path).unwrap();
    let (_, section) = text.split_once(&format!("\n## {mode}\n")).expect(mode);
    let section = section.split("\n## ").next().unwrap();
    let first = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    let quoted = section.split('`').skip(1).step_by(2).map(str::to_owned);
    Documented {
        table: section.lines().filter_map(first).collect(),
        all: quoted.collect(),
    }
}

/// All keys of objects within a value, but those of maps of what users name.
fn keys(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                into.insert(key.clone());
                if key != "map" {
                    keys(value, into);
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, into)),
        _ => {}
    }
}

/// That what some commands answer has all keys that are documented, and no others.
fn check(scratch: &Scratch, command: &str, mode: &str, runs: &[&str]) {
    let mut found = BTreeSet::new();
    for run in runs {
        let arguments: Vec<&str> = [mode, "--json", "-q"]
            .into_iter()
            .chain(run.split_whitespace())
            .collect();
        let run = scratch.run(command, &arguments);
        keys(&json(run.text()), &mut found);
    }
    let documented = documented(&format!("{command} {mode}"));
    let unknown: Vec<_> = found.difference(&documented.all).collect();
    assert!(unknown.is_empty(), "{command} {mode}: {unknown:?}");
    let missing: Vec<_> = documented.table.difference(&found).collect();
    assert!(missing.is_empty(), "{command} {mode}: {missing:?}");
}

#[test]
fn keys_of_suites_are_documented() {
    let scratch = Scratch::new();
    scratch.write("toggle.aut", TOGGLE);
    scratch.write("good.txt", "a a a a a\na b a b a a\nb a b a\nb b a a a a\n");
    scratch.write("few.txt", "a a\n");
    // Two users, who are told apart by what they ask.
    let users = "des (0, 4, 2)\n(0, \"a 0/x\", 1)\n(0, \"a 1/x\", 1)\n\
                 (1, \"a 0/y\", 0)\n(1, \"a 1/y\", 0)\n";
    scratch.write("users.aut", users);
    scratch.write("faulty.aut", TOGGLE.replace("(1, \"a/1\"", "(1, \"a/0\""));
    scratch
        .run("wmethod", &["toggle.aut", "-o", "derived.txt"])
        .status(0);
    check(
        &scratch,
        "wmethod",
        "check",
        &[
            "derived.txt toggle.aut",
            "few.txt toggle.aut",
            "-k1 --max-steps 1 few.txt toggle.aut",
        ],
    );
    check(
        &scratch,
        "wmethod",
        "mutants",
        &["-m tour toggle.aut", "--up-to-symmetry auto users.aut"],
    );
    check(
        &scratch,
        "wmethod",
        "run",
        &["--against faulty.aut toggle.aut"],
    );
}

#[test]
fn keys_of_kernels_are_documented() {
    let scratch = Scratch::new();
    let users = "des (0, 4, 4)\n(0, \"WORK !0\", 1)\n(0, \"WORK !1\", 2)\n\
                 (1, \"WORK !1\", 3)\n(2, \"WORK !0\", 3)\n";
    scratch.write("users.aut", users);
    // The second does not work after the first; there is another action; a hidden one.
    let open = users.replace("(0, 4, 4)", "(0, 3, 4)");
    scratch.write("open.aut", open.replace("(2, \"WORK !0\", 3)\n", ""));
    let more = users.replace("(0, 4, 4)", "(0, 5, 4)");
    scratch.write("more.aut", more + "(3, i, 0)\n");
    scratch.write("user.aut", "des (0, 1, 2)\n(0, \"1 !WORK !0\", 1)\n");
    scratch.write(
        "p.toml",
        "template = \"user.aut\"\n[[transformations]]\nmap = { 0 = 0 }\n\
         [[transformations]]\nmap = { 0 = 1 }\n[[order]]\nlabel = \"WORK $u\"\n\
         by = [{ variable = \"u\", values = [0, 1], descending = true }]\n",
    );
    check(
        &scratch,
        "kernel",
        "check",
        &[
            "--pattern p.toml users.aut",
            "--pattern p.toml open.aut",
            "--pattern p.toml more.aut",
        ],
    );
    check(&scratch, "kernel", "find-symmetry", &["users.aut"]);
    check(
        &scratch,
        "kernel",
        "find-order",
        &["--pattern p.toml users.aut"],
    );
}
