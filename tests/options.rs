//! Options mean the same everywhere, and the help says what users need.

use crate::util;

use std::collections::BTreeMap;
use std::process::Command;

use util::{COMMANDS, FILTERS, MODES, Scratch, VENDING};

fn help(command: &str, option: &str) -> String {
    let run = Scratch::new().run(command, &[option]).ok();
    run.text().to_owned()
}

#[test]
fn help_ends_with_an_example_and_the_exit_statuses() {
    for command in COMMANDS {
        let text = help(command, "--help");
        let (_, example) = text.split_once("\nExample:\n").expect(command);
        let line = example.lines().next().unwrap();
        assert!(
            line.contains(command) && (line.contains(" | ") || line.contains("&&")),
            "{command}: {line}"
        );
        for status in ["  0  ", "  2  ", "  3  ", "141"] {
            assert!(example.contains(status), "{command}: {status}");
        }
        let asks = [
            "check", "equiv", "kernel", "reach", "reduce", "refine", "svl", "wmethod",
        ]
        .contains(&command);
        assert_eq!(example.contains("  1  "), asks, "{command}");
        assert!(text.contains(&format!("Usage: {command} ")), "{command}");
        let short = help(command, "-h");
        fits_a_screen(&short);
        assert!(short.contains("\nExamples:\n"), "{command}");
        let umbrella = Scratch::new().run("hyades", &[command, "-h"]).ok();
        assert_eq!(umbrella.text(), short);
    }
}

/// A mode has its own page of `-h` and its own `--help`.
#[test]
fn modes_have_help_of_their_own() {
    let scratch = Scratch::new();
    for (command, mode) in MODES {
        let text = mode_help(command, mode);
        let (_, example) = text.split_once("\nExample:\n").expect(mode);
        let line = example.lines().next().unwrap();
        assert!(
            line.contains(&format!("{command} {mode}")),
            "{mode}: {line}"
        );
        let asks = !["derive", "find-order"].contains(&mode);
        assert_eq!(example.contains("  1  "), asks, "{mode}");
        assert!(
            text.contains(&format!("Usage: {command} {mode} ")),
            "{mode}"
        );
        let short = scratch.run(command, &[mode, "-h"]).ok();
        let lines = short.text().lines().count();
        assert!(lines <= 40, "{command} {mode}: {lines}");
        fits_a_screen(short.text());
        assert!(short.text().contains("\nExamples:\n"), "{command} {mode}");
        assert!(help(command, "-h").contains(&format!("\n  {mode} ")));
        let umbrella = scratch.run("hyades", &[command, mode, "-h"]).ok();
        assert_eq!(umbrella.text(), short.text());
        let long = scratch.run("hyades", &["help", command, mode]).ok();
        assert!(long.text().lines().count() > lines, "{command} {mode}");
    }
}

/// Whether no line is longer than those of a terminal.
fn fits_a_screen(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

fn mode_help(command: &str, mode: &str) -> String {
    let run = Scratch::new().run(command, &[mode, "--help"]).ok();
    run.text().to_owned()
}

/// No option is spoken of that the command does not have.
#[test]
fn help_names_only_what_the_command_has() {
    let mut pages: Vec<(String, String)> = COMMANDS
        .map(|command| (command.to_owned(), help(command, "--help")))
        .into();
    for family in hyades::generate::families() {
        let run = Scratch::new()
            .run("generate", &[family.name, "--help"])
            .ok();
        pages.push((family.name.to_owned(), run.text().to_owned()));
    }
    for (command, mode) in MODES {
        pages.push((format!("{command} {mode}"), mode_help(command, mode)));
    }
    for (name, page) in pages {
        // The example has other commands in it.
        let (options, rest) = page.split_once("\nExample:\n").unwrap();
        let (_, statuses) = rest.split_once("Exit status:").unwrap();
        let text = format!("{options}\n{statuses}");
        for word in text.split(|c: char| !c.is_ascii_lowercase() && c != '-') {
            // The whole word, where an option is described.
            let known = |before: &str| {
                options
                    .match_indices(&format!("{before}{word}"))
                    .any(|(at, found)| {
                        !options[at + found.len()..]
                            .starts_with(|c: char| c.is_alphanumeric() || c == '-')
                    })
            };
            // `generate` alone has the options of its families.
            if word.starts_with("--") && name != "generate" {
                // Other names stand behind `aliases:`.
                let other = known(": ");
                assert!(known("  ") || known(", ") || other, "{name}: {word}");
            }
        }
    }
}

#[test]
fn examples_use_only_what_there_is() {
    // Every option in an example is an option of some command.
    let commands = COMMANDS.map(|command| (command, help(command, "--help")));
    let modes = MODES.map(|(command, mode)| (mode, mode_help(command, mode)));
    let pages: Vec<_> = commands.into_iter().chain(modes).collect();
    let all: String = pages.iter().map(|(_, text)| text.as_str()).collect();
    for (command, text) in pages {
        let (_, example) = text.split_once("\nExample:\n").unwrap();
        for word in example.lines().next().unwrap().split_whitespace() {
            if word.starts_with("--") {
                assert!(
                    all.contains(&format!("  {word}")) || all.contains(&format!(", {word}")),
                    "{command}: {word}"
                );
            }
        }
    }
}

#[test]
fn an_option_of_two_commands_is_described_in_the_same_words() {
    let mut seen: BTreeMap<String, (String, &str)> = BTreeMap::new();
    // These are each command's own.
    let own = ["--labels"];
    let commands = COMMANDS.map(|command| (command, help(command, "--help")));
    let modes = MODES.map(|(command, mode)| (mode, mode_help(command, mode)));
    for (command, page) in commands.into_iter().chain(modes) {
        for block in option_blocks(&page) {
            let name = block
                .split_whitespace()
                .find(|w| w.starts_with("--"))
                .map(|w| w.trim_end_matches(',').to_owned())
                .unwrap_or_else(|| block.split_whitespace().next().unwrap().to_owned());
            // Of `draw`, --to is about pictures.
            if own.contains(&name.as_str()) || (&*name, command) == ("--to", "draw") {
                continue;
            }
            match seen.get(&name) {
                Some((words, other)) => {
                    assert_eq!(*words, block, "{name} of {other} and {command}")
                }
                None => {
                    seen.insert(name, (block, command));
                }
            }
        }
    }
    for shared in [
        "--from",
        "--tau",
        "--hidden",
        "--dialect",
        "--strict",
        "--lenient",
        "--grow",
        "--escapes",
        "--output",
        "--to",
        "--compress",
        "--canonical",
        "--keep-initial",
        "--quote",
        "--ascii",
        "--lossy",
        "--visible-i",
        "--threads",
        "--quiet",
        "--verbose",
        "--stats",
        "--max-memory",
        "--no-sync",
        "--max-states",
    ] {
        assert!(seen.contains_key(shared), "{shared}");
    }
}

/// The paragraphs of a help text that describe an option each.
fn option_blocks(help: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut inside = false;
    for line in help.lines() {
        let start = line.trim_start();
        let depth = line.len() - start.len();
        if start.starts_with('-') && (2..=6).contains(&depth) {
            blocks.push(String::new());
            inside = true;
        } else if depth < 8 && !start.is_empty() {
            inside = false;
        }
        if inside {
            let block = blocks.last_mut().unwrap();
            block.push_str(start);
            block.push('\n');
        }
    }
    blocks.iter().map(|b| b.trim_end().to_owned()).collect()
}

/// Number, commit and features; the commit is one of this repository, if it is one.
fn version() -> String {
    let text = help("hyades", "--version");
    let version = text.strip_prefix("hyades ").expect("the name").trim_end();
    let number = format!("{} (", env!("CARGO_PKG_VERSION"));
    let details = version.strip_prefix(&number).expect("the number");
    assert!(details.contains("features: "), "{text}");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
        git.output().ok().filter(|output| output.status.success())
    };
    let top = git(&["rev-parse", "--show-toplevel"]);
    if top.is_some_and(|top| top.stdout.trim_ascii() == env!("CARGO_MANIFEST_DIR").as_bytes()) {
        let told = details.strip_prefix("commit ").expect("a commit");
        let (commit, date) = told.split_once(", ").expect("a date");
        assert_eq!(commit.len(), 12, "{text}");
        let shown = git(&["show", "--no-patch", "--format=%cs", commit]);
        let shown = String::from_utf8(shown.expect("a commit of ours").stdout).unwrap();
        assert!(date.starts_with(shown.trim()), "{text}");
    }
    version.to_owned()
}

#[test]
fn version_goes_to_standard_output() {
    for command in COMMANDS.iter().chain(&["hyades"]) {
        for option in ["--version", "-V"] {
            let text = help(command, option);
            assert_eq!(text, format!("{command} {}\n", version()));
        }
    }
}

#[test]
fn quiet_silences_all_but_errors() {
    let scratch = Scratch::new();
    let doubtful = "des (0, 2, 2)\n(0, a b, 1)\n(1, tau, 0)\n";
    for filter in FILTERS {
        let run = scratch.feed(filter, &[], doubtful).status(0);
        let run = run.says("warning: ").says("[aut-free-label]");
        let quiet = scratch.feed(filter, &["-q"], doubtful).ok();
        assert_eq!(run.text(), quiet.text(), "{filter}");
        let verbose = scratch.feed(filter, &["-v"], doubtful).status(0);
        let verbose = verbose.says(&format!("{filter}: read: ")).says(" in ");
        assert_eq!(run.text(), verbose.text(), "{filter}");
        scratch
            .feed(filter, &["-q"], "junk")
            .status(2)
            .says("error")
            .prints("");
    }
    scratch
        .run("transcode", &["-q", "-v"])
        .status(2)
        .says("--quiet")
        .says("--verbose");
}

#[test]
fn options_may_stand_anywhere() {
    let scratch = Scratch::with_vending();
    scratch
        .run("transcode", &["-o", "a", "vending.aut", "--canonical"])
        .ok();
    scratch
        .run("transcode", &["vending.aut", "--canonical", "--output=b"])
        .ok();
    assert_eq!(scratch.read("a"), scratch.read("b"));
    // A file that looks like an option.
    scratch.write("-odd.aut", VENDING);
    scratch
        .run("transcode", &["--", "-odd.aut"])
        .ok()
        .prints(VENDING);
}

/// `-h` of a family fits one screen, and the pages of `hyades help` are there.
#[test]
fn short_help_is_short() {
    let scratch = Scratch::new();
    for family in hyades::generate::families() {
        let run = scratch.run("generate", &[family.name, "-h"]).ok();
        let lines = run.text().lines().count();
        assert!(lines <= 40, "{}: {lines}", family.name);
    }
    for topic in [
        "input", "output", "labels", "limits", "formats", "aut", "bcg", "lts", "dot", "fsm",
        "kiss2", "seq", "trc", "exp", "toml", "tsv", "jsonl", "graphml", "plts", "parquet",
        "arrow", "json",
    ] {
        let run = scratch.run("hyades", &["help", topic]).ok();
        assert!(run.text().lines().count() > 8, "{topic}");
    }
}

#[test]
fn slips_are_answered() {
    let scratch = Scratch::with_vending();
    for (command, arguments, answer) in [
        ("minimize", &["vending.aut", "out.aut"][..], "-o out.aut"),
        ("transcode", &["vending.aut", "out.bcg"], "-o out.bcg"),
        ("wmethod", &["-m", "W", "vending.aut"], "'w'"),
        (
            "refine",
            &["--semantics", "fd", "vending.aut", "vending.aut"],
            "FD (failures and divergences)",
        ),
        (
            "equiv",
            &["-e", "Strong", "vending.aut", "vending.aut"],
            "strong",
        ),
        (
            "refine",
            &["-m", "T", "vending.aut", "vending.aut"],
            "--semantics T",
        ),
        ("reach", &["-e", "ab ||| ab"], "--expression EXPR"),
        (
            "minimize",
            &["-branching", "vending.aut"],
            "unexpected argument '-branching': relations are named by -e branching",
        ),
        (
            "equiv",
            &["--strong", "vending.aut", "vending.aut"],
            "unexpected argument '--strong': relations are named by -e strong",
        ),
        (
            "minimize",
            &["branching", "vending.aut"],
            "tip: the relation is -e branching",
        ),
        (
            "minimize",
            &["weak", "trace", "vending.aut"],
            "tip: the relation is -e weaktrace",
        ),
        (
            "equiv",
            &["vending.aut", "vending.aut", "vending.aut"],
            "tip: two systems are compared",
        ),
        (
            "minimize",
            &["-e", "weak", "trace", "vending.aut"],
            "tip: the relation is -e weaktrace",
        ),
        (
            "minimize",
            &["-e", "weak", "vending.aut", "out.aut"],
            "tip: to write to out.aut: -o out.aut",
        ),
        (
            "minimize",
            &["--out=aut", "vending.aut"],
            "tip: --to FORMAT",
        ),
        ("reach", &["--in", "aut"], "tip: --from FORMAT"),
        ("equiv", &["--timings", "vending.aut"], "tip: --stats FILE"),
        (
            "equiv",
            &["-c", "vending.aut", "vending.aut"],
            "a reason is told anyway",
        ),
        (
            "reach",
            &["-deadlock", "vending.aut"],
            "reach: error: unexpected argument '-deadlock': long options have two dashes, --deadlock",
        ),
        (
            "minimize",
            &["-e", "wbisim", "vending.aut"],
            "unknown relation `wbisim`: dpweak does what FDR's does",
        ),
        ("hyades", &["reech", "vending.aut"], "did you mean reach?"),
        ("hyades", &["mini", "vending.aut"], "did you mean minimize?"),
        ("hyades", &["help", "relation"], "did you mean relations?"),
        (
            "hyades",
            &["ltsmin-convert", "vending.aut"],
            "what ltsmin-convert does elsewhere, hyades transcode does",
        ),
        (
            "hyades",
            &["pbessolve", "x.pbes"],
            "hyades check LTS FORMULA.mcf does at once",
        ),
        (
            "hyades",
            &["lpssim", "x.lps"],
            "hyades reach --simulate does",
        ),
        (
            "hyades",
            &["lps2lts", "x.lps", "x.lts"],
            "hyades reads the state spaces that come of it",
        ),
        (
            "hyades",
            &["help", "simulate"],
            "hyades help reach is about it",
        ),
        (
            "draw",
            &["vending.aut", "-o", "v.pdf"],
            "rsvg-convert makes PDF and PNG of SVG",
        ),
        (
            "generate",
            &["tre"],
            "there is no family tre: did you mean tree?",
        ),
        ("generate", &["xyzzy"], "there is no family xyzzy: `"),
        (
            "describe",
            &["-j", "many", "vending.aut"],
            "'many' for '--threads <N>': expected a number",
        ),
        ("svl", &["--bogus"], "unexpected option --bogus"),
        (
            "generate",
            &["random", "5", "9", "--seed", "-1"],
            "to give --seed the value -1: --seed=-1",
        ),
        ("transcode", &["vending.aut", "-o", "-y.aut"], "-o=-y.aut"),
        (
            "relabel",
            &["--hide-label", "-x", "vending.aut"],
            "to give --hide-label the value -x: --hide-label=-x",
        ),
        (
            "relabel",
            &["--hide", "COIN", "vending.aut"],
            "--hide-label COIN",
        ),
        (
            "relabel",
            &["--cut", "COIN", "vending.aut"],
            "--cut-label COIN",
        ),
    ] {
        scratch.run(command, arguments).status(2).says(answer);
    }
    scratch.write("a.aut", "des (0, 0, 1)\n");
    let told = "a reason is told anyway; -o FILE writes it";
    let extra = "-k K, how many states more than the specification";
    for (words, answer) in [
        (&["equiv", "--counter-example", "a.aut", "a.aut"][..], told),
        (&["equiv", "--diag", "d.aut", "a.aut", "a.aut"], told),
        (&["equiv", "--witness", "x", "a.aut", "a.aut"], told),
        (&["equiv", "--formula", "a.aut", "a.aut"], told),
        (
            &["refine", "-c", "a.aut", "a.aut"],
            "a counterexample is told anyway",
        ),
        (
            &["check", "--counter-example", "a.aut"],
            "--diag, or -o FILE",
        ),
        (&["check", "--evidence", "a.aut"], "--diag, or -o FILE"),
        (
            &["describe", "--deadlock", "a.aut"],
            "reach --deadlock leads to one",
        ),
        (&["wmethod", "--max-states", "5", "a.aut"], extra),
        (&["wmethod", "--depth", "2", "a.aut"], extra),
        (&["wmethod", "--lookahead", "1", "a.aut"], extra),
        (
            &["wmethod", "run", "--host", "h:1", "a.aut"],
            "wmethod run --connect HOST:PORT",
        ),
        (
            &["wmethod", "run", "--sul", "x", "a.aut"],
            "wmethod run --command COMMAND",
        ),
        (
            &["wmethod", "-k", "-1", "a.aut"],
            "'--extra <K>': -1 is not in 0..=10000",
        ),
        (&["minimize", "-D", "a.aut"], "tip: --determinize"),
        (&["transcode", "-D", "a.aut"], "tip: minimize --determinize"),
        (
            &["reduce", "-e", "branching", "a.aut"],
            "minimize -e RELATION",
        ),
        (
            &["minimize", "--canonicl", "a.aut"],
            "exists: '--canonical'",
        ),
        (
            &["wmethod", "verify", "a.aut", "a.aut"],
            "tip: there is no mode verify, nor such a file; modes are derive, check, reduce, mutants, run\n",
        ),
        (
            &["kernel", "nosuch", "a.aut"],
            "tip: there is no mode nosuch, nor such a file; modes are derive, check, find-symmetry, \
             find-order\n",
        ),
        (
            &["wmethod", "a.aut", "a.aut"],
            "tip: a mode comes first (derive, check, reduce, mutants, run); one INPUT is read\n",
        ),
    ] {
        scratch.run(words[0], &words[1..]).status(2).says(answer);
    }
    // Nothing is alike, and no file is called so.
    for words in [
        ["minimize", "--xyzzy", "a.aut"],
        ["minimize", "--foo", "a.aut"],
        ["equiv", "-X", "a.aut"],
        ["transcode", "a.aut", "-y.aut"],
    ] {
        let run = scratch.run(words[0], &words[1..]).status(2);
        assert!(!run.stderr.contains("tip:"), "{}", run.stderr);
    }
    scratch.write("-y.aut", "des (0, 0, 1)\n");
    let run = scratch.run("transcode", &["-y.aut"]).status(2);
    run.says("tip: a file of this name is given as ./-y.aut");
    std::fs::remove_file(scratch.path("-y.aut")).unwrap();
    for (words, answer) in [
        (
            ["wmethod", "chek", "a.aut"],
            "there is no mode chek: did you mean check?",
        ),
        (
            ["wmethod", "mutant", "a.aut"],
            "there is no mode mutant: did you mean mutants?",
        ),
        (
            ["kernel", "find-symetry", "a.aut"],
            "there is no mode find-symetry: did you mean find-symmetry?",
        ),
    ] {
        scratch.run(words[0], &words[1..]).status(2).says(answer);
    }
    for (tool, answer) in [
        ("xtl", "formulas are in MCL"),
        ("bcg_merge", "a BCG file of the parts"),
    ] {
        let run = scratch.run("hyades", &[tool, "vending.aut"]);
        run.status(1).says(answer);
        let help = scratch.run("hyades", &["help", tool]).ok();
        assert!(help.text().contains(answer), "{}", help.text());
    }
    // What is not meant is not in the line of usage either.
    let unknown = scratch
        .run("minimize", &["--nope", "vending.aut"])
        .status(2);
    let unknown = unknown.says("Usage: minimize [OPTIONS] [INPUT]");
    assert!(!unknown.stderr.contains("--nocheck"), "{}", unknown.stderr);
    let composed = ["--compositional", "-e", "feeble", "net.exp"];
    let refused = scratch.run("reach", &composed).status(2);
    let refused = refused.says("unknown relation `feeble`");
    assert!(
        !refused.stderr.contains("--expression"),
        "{}",
        refused.stderr
    );
    assert_eq!(scratch.names(), ["a.aut", "vending.aut"]);
}
