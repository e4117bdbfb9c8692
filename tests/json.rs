//! Answers as JSON: the keys are those that are documented.

use crate::util;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use util::{Scratch, TOGGLE, json};

/// The keys in a section of docs/json.md: those in the first column of its table, and
/// those in its text too.
struct Documented {
    table: BTreeSet<String>,
    all: BTreeSet<String>,
}

fn documented(section: &str) -> Documented {
    let text = include_str!("../docs/json.md");
    let (_, section) = text
        .split_once(&format!("\n## {section}\n"))
        .expect(section);
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.map(|row| row.split(" | ").next().unwrap());
    let quoted = |text: &str| -> Vec<String> {
        let quoted = text.split('`').skip(1).step_by(2);
        quoted.map(str::to_owned).collect()
    };
    Documented {
        table: cells.flat_map(quoted).collect(),
        all: quoted(section).into_iter().collect(),
    }
}

/// All keys of objects within a value, but those of maps by names of the input.
fn keys(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                into.insert(key.clone());
                let by_name = ["channels", "components", "map", "values"].contains(&&**key);
                if !(by_name && value.is_object()) {
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
            "-k1 --max-steps 1 derived.txt toggle.aut",
        ],
    );
    check(
        &scratch,
        "wmethod",
        "mutants",
        &[
            "-m tour toggle.aut",
            "--up-to-symmetry auto users.aut",
            concat!(
                "--output-offers 1 --fault output -m symmetric --pattern ",
                env!("CARGO_MANIFEST_DIR"),
                "/testdata/kernel/sessions4.pattern.toml ",
                env!("CARGO_MANIFEST_DIR"),
                "/testdata/kernel/sessions4.aut"
            ),
        ],
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

#[test]
fn keys_of_answers_are_documented() {
    let scratch = Scratch::with_vending();
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    std::os::unix::fs::symlink(&testdata, scratch.path("testdata")).unwrap();
    let inres = scratch.path("testdata/channels/inres.toml");
    let inres = std::fs::read_to_string(inres).unwrap();
    scratch.write("tight.toml", inres.replace("capacity = 2", "capacity = 1"));
    scratch.write(
        "dead.toml",
        "format = \"csm-system-1\"\n\
         [[component]]\nname = \"A\"\naut = '''\n\
         des (0, 2, 4)\n(0, \"-x\", 1)\n(2, \"-y\", 3)\n'''\n\
         [[component]]\nname = \"B\"\naut = '''\n\
         des (0, 2, 2)\n(0, \"+x\", 1)\n(1, \"+y\", 1)\n'''\n\
         [[channel]]\nname = \"AB\"\nfrom = \"A\"\nto = \"B\"\ncapacity = 1\n\
         messages = [\"x\", \"y\"]\n",
    );
    for (section, commands) in [
        (
            "equiv",
            &[
                "equiv --json testdata/vending.aut testdata/vending.aut",
                "equiv --json -e branching testdata/vending.aut testdata/late.aut",
                "equiv --json testdata/late.aut testdata/early.aut",
                "equiv --json testdata/refine/a_stop.aut testdata/refine/a_div.aut",
                "equiv --json -p failures testdata/late.aut testdata/early.aut",
                "equiv --json -p failure-trace testdata/spectrum/49_found07_b.aut \
                 testdata/spectrum/49_found07_a.aut",
                "equiv --json -p ready-trace \
                 testdata/spectrum/41_possible-futures-not-ready-trace_a.aut \
                 testdata/spectrum/41_possible-futures-not-ready-trace_b.aut",
                "equiv --json -p revivals testdata/spectrum/08_nil-a_a.aut \
                 testdata/spectrum/08_nil-a_b.aut",
                "equiv --json -p completed-trace \
                 testdata/spectrum/02_deadlock-branch_a.aut \
                 testdata/spectrum/02_deadlock-branch_b.aut",
                "equiv --json -p failures-divergence testdata/refine/a_div.aut \
                 testdata/refine/a_stop.aut",
                "equiv --json -p possible-futures testdata/spectrum/01_choice_a.aut \
                 testdata/spectrum/01_choice_b.aut",
            ][..],
        ),
        (
            "equiv --spectrum",
            &[
                "equiv --json --spectrum testdata/late.aut testdata/early.aut",
                "equiv --json --spectrum testdata/refine/a_stop.aut testdata/refine/a_div.aut",
                "equiv --json --spectrum testdata/spectrum/49_found07_b.aut \
                 testdata/spectrum/49_found07_a.aut",
                "equiv --json --spectrum \
                 testdata/spectrum/41_possible-futures-not-ready-trace_a.aut \
                 testdata/spectrum/41_possible-futures-not-ready-trace_b.aut",
            ],
        ),
        (
            "equiv --evaluate",
            &["equiv --json --evaluate true testdata/late.aut testdata/early.aut"],
        ),
        (
            "refine",
            &[
                "refine --json testdata/refine/buf1.aut testdata/refine/chain2.aut",
                "refine --json testdata/refine/a_int_b.aut testdata/refine/stop.aut",
                "refine --json testdata/refine/a_stop.aut testdata/refine/a_div.aut",
                "refine --json testdata/refine/stop.aut testdata/networks/phils_3/net.exp",
                "refine --json --max-states 1 testdata/refine/buf2.aut testdata/refine/chain2.aut",
            ],
        ),
        (
            "check",
            &[
                "check --json testdata/vending.aut testdata/vending-properties.mcl",
                "check --json -f LIVELOCK -f 'AFTER_1_INEVITABLE_2 (\"TEA\", \"COFFEE\")' testdata/vending.aut",
                "check --json -f \"NEVER ('STAND.*')\" testdata/networks/phils_3/net.exp",
                "check --json -f '[ true* ] < true* . \"STAND !P0\" > true' -o part.aut testdata/networks/phils_3/net.exp",
                "check --json --diag -f '[ \"COIN !1\" ] < \"TEA\" > true' testdata/vending.aut",
                "check --json -f DEADLOCK_FREE --max-states 2 testdata/networks/phils_3/net.exp",
                "check --json -f '1 / 0 = 1' testdata/vending.aut",
                "check --json -f 'exists n:Nat among { 1 ... 2 } . [ { OUT !n } ] false' testdata/vending.aut",
            ],
        ),
        (
            "check --expand",
            &["check --json --expand -f 'NEVER (\"TEA\")' -f true"],
        ),
        (
            "check --matched-labels",
            &[
                "check --json --matched-labels -f 'NEVER (tau)' testdata/vending.aut",
                "check --json --matched-labels -f '<{ COIN ?n:Nat where 1 / (n - 1) > 0 }> true' testdata/vending.aut",
                "check --json --matched-labels -f 'exists n:Nat among { 1 ... 2 } . <{ COIN !n }> true' testdata/vending.aut",
            ],
        ),
        (
            "check --depend",
            &["check --json --depend -f 'NEVER (tau)' testdata/networks/phils_3/net.exp"],
        ),
        (
            "reach",
            &[
                "reach --json --deadlock --livelock --find SUGAR testdata/vending.aut",
                "reach --json --find 'STAND.*' testdata/networks/phils_3/net.exp",
                "reach --json --livelock --max-states 1 testdata/vending.aut",
            ],
        ),
        (
            "reach --analysis",
            &[
                "reach --json --analysis tight.toml",
                "reach --json --analysis dead.toml",
            ],
        ),
        (
            "reach --info",
            &["reach --json --info testdata/networks/phils_3/net.exp"],
        ),
        (
            "reach --labels",
            &["reach --json --labels testdata/networks/phils_3/net.exp"],
        ),
        (
            "reach --depend",
            &["reach --json --depend testdata/networks/phils_3/net.exp"],
        ),
    ] {
        let mut found = BTreeSet::new();
        for command in commands {
            let run = scratch.shell(&format!("{command} 2> messages"));
            keys(&json(run.text()), &mut found);
        }
        assert_eq!(found, documented(section).table, "{section}");
    }
}
