//! Pages for `man` and completions, as `hyades generate-manual` writes them.

use crate::util;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use util::{COMMANDS, MODES, Scratch};

/// All files below a folder, by their paths in it.
fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
            all.insert(name.to_owned(), fs::read_to_string(&path).unwrap());
        }
    }
    all
}

/// A page as text, without what is for `man`.
fn plain(page: &str) -> String {
    let signs = [
        (r"\-", "-"),
        (r"\(aq", "'"),
        (r"\(ga", "`"),
        (r"\(ha", "^"),
        (r"\(ti", "~"),
        (r"\&", ""),
        (r"\e", r"\"),
    ];
    let text = signs
        .iter()
        .fold(page.to_owned(), |text, (sign, c)| text.replace(sign, c));
    [r"\fB", r"\fR", r"\fI"]
        .iter()
        .fold(text, |text, font| text.replace(font, ""))
}

#[test]
fn all_commands_have_pages_and_completions() {
    let scratch = Scratch::new();
    scratch
        .run("hyades", &["generate-manual", "a/share"])
        .ok()
        .prints("");
    let files = tree(&scratch.path("a/share"));
    let page = |name: &str, section: u8| {
        let path = format!("man/man{section}/{name}.{section}");
        plain(files.get(&path).unwrap_or_else(|| panic!("{path}")))
    };
    let check = |name: &str, brief: &str| {
        // Examples may go on in a second line.
        let page = page(name, 1).replace(" \\\n    ", " ");
        for section in [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "OPTIONS",
            "EXIT STATUS",
            "EXAMPLES",
            "SEE ALSO",
        ] {
            assert!(
                page.contains(&format!("\n.SH \"{section}\"\n")),
                "{name}: {section}"
            );
        }
        let (_, examples) = brief.split_once("\nExamples:\n").unwrap();
        for example in examples.lines().take_while(|line| !line.is_empty()) {
            assert!(
                page.contains(&format!("\n{}\n", example.trim())),
                "{name}: {example}"
            );
        }
        for option in ["--help", "--version"] {
            assert!(page.contains(option), "{name}: {option}");
        }
    };
    for command in COMMANDS {
        check(command, scratch.run(command, &["-h"]).ok().text());
        for path in [
            format!("bash-completion/completions/{command}"),
            format!("zsh/site-functions/_hyades_{command}"),
            format!("fish/vendor_completions.d/{command}.fish"),
        ] {
            assert!(files.contains_key(&path), "{path}");
        }
    }
    for (command, mode) in MODES {
        let brief = scratch.run(command, &[mode, "-h"]).ok();
        check(&format!("{command}-{mode}"), brief.text());
    }
    let list = page("hyades", 1);
    for topic in [
        "input",
        "output",
        "labels",
        "relations",
        "limits",
        "formats",
    ] {
        let text = page(&format!("hyades-{topic}"), 7);
        let help = scratch.run("hyades", &["help", topic]).ok();
        let words = help.text().split_whitespace().take(8);
        let words = words.collect::<Vec<_>>().join(" ");
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(&words), "{topic}: {words}");
        assert!(list.contains(&format!("hyades-{topic}(7)")), "{topic}");
    }
    scratch.run("hyades", &["generate-manual", "again"]).ok();
    assert!(files == tree(&scratch.path("again")));
}

#[test]
fn what_is_there_stays() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("share/man/man1")).unwrap();
    scratch.write("share/man/man1/ls.1", "theirs\n");
    scratch.run("hyades", &["generate-manual", "share"]).ok();
    assert_eq!(scratch.read("share/man/man1/ls.1"), "theirs\n");
    // What an earlier version wrote is replaced.
    let page = scratch.path("share/man/man1/minimize.1");
    let text = fs::read_to_string(&page).unwrap();
    fs::write(&page, text.replacen(".TH", ".TH x", 1)).unwrap();
    scratch.run("hyades", &["generate-manual", "share"]).ok();
    assert!(fs::read_to_string(&page).unwrap() == text);
    // A page of others is not, and nothing else is written then.
    fs::remove_dir_all(scratch.path("share/zsh")).unwrap();
    fs::write(&page, "theirs\n").unwrap();
    scratch
        .run("hyades", &["generate-manual", "share"])
        .status(2)
        .says("cannot write share/man/man1/minimize.1: it is there already");
    fs::remove_file(&page).unwrap();
    symlink("ls.1", &page).unwrap();
    scratch
        .run("hyades", &["generate-manual", "share"])
        .status(2)
        .says("minimize.1: it is there already, and no file");
    assert!(!scratch.path("share/zsh").exists());
    assert_eq!(scratch.read("share/man/man1/ls.1"), "theirs\n");
}

#[test]
fn nothing_is_left_of_what_fails() {
    let scratch = Scratch::new();
    scratch.write("file", "");
    scratch
        .run("hyades", &["generate-manual", "file"])
        .status(2)
        .says("cannot write file/man: ");
    // The outputs are written when this fails.
    scratch
        .run(
            "hyades",
            &["generate-manual", "new/share", "--stats", "/dev/full"],
        )
        .status(2);
    // Others stand in the way of the last directory only.
    fs::create_dir(scratch.path("half")).unwrap();
    scratch.write("half/fish", "");
    scratch
        .run("hyades", &["generate-manual", "half"])
        .status(2);
    assert_eq!(scratch.names(), ["file", "half"]);
    let left = tree(&scratch.path("half"));
    assert_eq!(left.into_keys().collect::<Vec<_>>(), ["fish"]);
    assert!(!scratch.path("half/man").exists());
    scratch
        .run("hyades", &["generate-manual"])
        .status(2)
        .says("<DIR>");
}

/// What `man` leaves as it is fits a terminal of the usual width.
#[test]
fn pages_fit_80_columns() {
    let scratch = Scratch::new();
    scratch.run("hyades", &["generate-manual", "share"]).ok();
    let (mut examples, mut rows, mut broken) = (0, 0, 0);
    for (path, text) in tree(&scratch.path("share/man")) {
        // Lines as they are stand between these; all others are filled by `man`.
        for (before, rest) in text
            .match_indices("\n.nf\n")
            .map(|(at, _)| text.split_at(at))
        {
            let (margin, counted) = match before.rsplit('\n').next() {
                Some(".in 0") => (0, &mut rows),
                // Seven columns are what pages have by themselves.
                Some(".RS 4") => (7 + 4, &mut examples),
                other => panic!("{path}: {other:?}"),
            };
            let block = rest["\n.nf\n".len()..].split_once("\n.fi\n");
            let (block, _) = block.expect("an end");
            for line in block.lines().map(plain) {
                let width = margin + line.chars().count();
                assert!(width <= 80, "{path}: {width} columns: {line}");
                *counted += 1;
                broken += usize::from(line.ends_with(" \\"));
            }
        }
        if path.starts_with("man7/") {
            assert!(text.contains("\n.SH \"OPTIONS\"\n.SS ") || text.contains("\n.in 0\n"));
        }
    }
    assert!(
        examples > 50 && rows > 50 && broken > 2,
        "{examples}, {rows}, {broken}"
    );
}

#[test]
fn links_have_a_page() {
    let scratch = Scratch::new();
    scratch.run("hyades", &["generate-manual", "share"]).ok();
    let text = fs::read_to_string(scratch.path("share/man/man1/hyades-install-links.1"));
    let page = plain(&text.expect("a page"));
    let help = scratch.run("hyades", &["install-links", "--help"]).ok();
    for line in help.text().lines().filter(|line| !line.is_empty()) {
        let line = line.trim_start_matches("usage:").trim();
        assert!(page.contains(&format!("\n{line}\n")), "{line}");
    }
    let list = fs::read_to_string(scratch.path("share/man/man1/hyades.1")).expect("a page");
    assert!(plain(&list).contains("hyades-install-links(1)"));
}

/// What bash completes, asked as it asks.
#[test]
fn bash_completes() {
    let scratch = Scratch::with_vending();
    scratch.run("hyades", &["generate-manual", "share"]).ok();
    let complete = |words: &str| {
        let script = format!(
            "set -- {words} && . share/bash-completion/completions/$1 && compopt() {{ :; }}
             COMP_WORDS=(\"$@\") && COMP_CWORD=$(($# - 1))
             function=$(complete -p $1 | sed 's/.*-F \\([^ ]*\\).*/\\1/')
             $function $1 \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"
             printf '%s\\n' \"${{COMPREPLY[*]}}\""
        );
        scratch.write("script", &script);
        scratch.shell("bash script").ok().text().trim().to_owned()
    };
    for (words, expected) in [
        ("equiv -e rea", "ready-sim ready-trace readiness"),
        ("minimize -e tau", "tau*.a"),
        // Only what the option takes.
        ("minimize -e rea", "ready-sim"),
        ("check -e rea", "ready-sim"),
        ("equiv -p b", "branching-sim"),
        // `--to=bc`, as bash splits it.
        ("minimize --to = bc", "bcg"),
        ("hyades compare --equivalence = weakt", "weaktrace"),
        ("hyades compare -e weakt", "weaktrace"),
        ("minimize --to bc", "bcg"),
        ("reach --por w", "weaktrace"),
        ("reduce -r tau-c", "tau-compression tau-confluence"),
        ("refine --semantics F", "F FD"),
        ("reach --representatives s", "segmented sorted"),
        ("draw --to h", "html"),
        ("minimize --canon", "--canonical"),
        ("minimize -o v", "vending.aut"),
        // Files, as bash completes what a function does not.
        ("minimize ''", ""),
        ("wmethod ''", "derive check reduce mutants run"),
        ("wmethod check --refut", "--refutation"),
        ("hyades wmethod check --refut", "--refutation"),
        ("hyades help rel", "relabel relations"),
        ("hyades help js", "json jsonl"),
        ("hyades mini", "minimize"),
        ("hyades generate din", "dining"),
        ("hyades cluster run -n 2 -- min", "minimize"),
        ("hyades cluster run -n 2 -- minimize -e weakt", "weaktrace"),
        ("hyades cluster run -n 2 -- minimize --canon", "--canonical"),
        (
            "hyades cluster run -n 2 --check",
            "--checkpoint --checkpoint-every",
        ),
        (
            "hyades cluster join -n 2 -p 0 -h hosts -- reach --por w",
            "weaktrace",
        ),
    ] {
        let mut completed = complete(words);
        let mut expected = expected.to_owned();
        for text in [&mut completed, &mut expected] {
            let mut sorted: Vec<&str> = text.split_whitespace().collect();
            sorted.sort_unstable();
            *text = sorted.join(" ");
        }
        assert_eq!(completed, expected, "{words}");
    }
}

/// What fish completes, if it is here.
#[test]
fn fish_completes() {
    if std::process::Command::new("fish")
        .arg("--version")
        .output()
        .is_err()
    {
        return;
    }
    let scratch = Scratch::new();
    scratch.run("hyades", &["generate-manual", "share"]).ok();
    for (words, expected) in [
        ("minimize -e tau", "tau*.a"),
        ("equiv -e rea", "readiness ready-sim ready-trace"),
        ("minimize -e rea", "ready-sim"),
        ("hyades compare -e weakt", "weaktrace"),
        ("reach --por w", "weaktrace"),
        ("wmethod check --refut", "--refutation"),
    ] {
        let script =
            format!("XDG_DATA_DIRS=$PWD/share HOME=$PWD fish -c 'complete -C \"{words}\"'");
        let shown = scratch.shell(&script).ok();
        let shown = shown.text().lines();
        let mut names: Vec<&str> = shown.filter_map(|l| l.split('\t').next()).collect();
        names.sort_unstable();
        assert_eq!(names.join(" "), expected, "{words}");
    }
}

/// What zsh is told of the words of commands with modes, if it is here: the first one is a mode
/// or an input, and what follows is of a mode only if there is one. Its own functions are
/// stand-ins that print what they are given.
#[test]
fn zsh_completes_modes_and_inputs() {
    if std::process::Command::new("zsh")
        .arg("--version")
        .output()
        .is_err()
    {
        return;
    }
    let scratch = Scratch::new();
    scratch.run("hyades", &["generate-manual", "share"]).ok();
    let told = |words: &str, call: &str| {
        let file = call.strip_suffix("_commands").unwrap_or(call);
        scratch.write(
            "script",
            format!(
                "compdef() {{ }}; is-at-least() {{ }}; autoload() {{ }}
                 _arguments() {{ print -l -- ${{(M)@:#(|\\*)::*}} }}
                 _describe() {{ print -l -- ${{(P)4}} }}
                 _files() {{ print files; false }}
                 words=({words}); CURRENT=$#words
                 . share/zsh/site-functions/{file}
                 {call} && print done"
            ),
        );
        scratch.shell("zsh -f script").ok().text().to_owned()
    };
    for (words, has_mode) in [
        ("wmethod m.aut -k", false),
        ("wmethod check suite", true),
        ("wmethod -q check suite", true),
    ] {
        let mode = if has_mode { "*::: :->wmethod\n" } else { "" };
        let expected = format!(":: :_hyades_wmethod_commands\n{mode}done\n");
        assert_eq!(told(words, "_hyades_wmethod"), expected, "{words}");
    }
    let modes = told("kernel", "_hyades_kernel_commands");
    let names = modes.lines().filter_map(|line| line.split(':').next());
    let names: Vec<_> = names.collect();
    let modes = ["derive", "check", "find-symmetry", "find-order"];
    assert_eq!(names, [&modes[..], &["files", "done"]].concat());
}

/// Choices that are patterns to zsh and fish are marked as what they are.
#[test]
fn stars_stand_for_themselves() {
    let scratch = Scratch::new();
    scratch.run("hyades", &["generate-manual", "share"]).ok();
    for (file, list) in [
        (
            "zsh/site-functions/_hyades_minimize",
            " observational tau\\*.a ",
        ),
        ("zsh/site-functions/_hyades", " observational tau\\*.a "),
        (
            "fish/vendor_completions.d/minimize.fish",
            "\ntau\\*.a\\t''\n",
        ),
        ("fish/vendor_completions.d/hyades.fish", "\ntau\\*.a\\t''\n"),
    ] {
        let text = scratch.read(&format!("share/{file}"));
        assert!(text.contains(list), "{file}");
        // What options are described by stays as it is.
        assert!(text.replace("tau\\*.a", "").find("\\*").is_none(), "{file}");
    }
}
