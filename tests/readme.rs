//! What the documentation shows is what happens.
//!
//! In a block marked `console`, a line `$ …` begins a command, and the lines up
//! to the next one are all that it prints, on both outputs. A block marked `sh`
//! is a command as a whole; what it prints follows in a block marked `text`.
//! A block marked `c NAME` is a file of that name; one marked `rust NAME` shows a
//! file of this repository. `…` in what is printed stands for any text within a
//! line.

use crate::util;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use util::Scratch;

/// A command and what it is said to print.
#[derive(Default)]
struct Example {
    line: usize,
    command: String,
    shown: String,
}

impl Example {
    fn at(line: usize) -> Self {
        Self {
            line,
            ..Self::default()
        }
    }
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut block = "";
    for (number, line) in text.lines().enumerate() {
        if let Some(mark) = line.strip_prefix("```") {
            if block.starts_with("c ") {
                let example = examples.last_mut().expect("its first line");
                example.command.push_str("END\n");
            }
            block = mark;
            if block == "sh" {
                examples.push(Example::at(number + 1));
            } else if let Some(name) = block.strip_prefix("c ") {
                examples.push(Example::at(number + 1));
                let example = examples.last_mut().unwrap();
                example.command = format!("cat > {name} << 'END'\n");
            }
            continue;
        }
        let printed = match (block, line.strip_prefix("$ ")) {
            ("console", Some(command)) => {
                examples.push(Example::at(number + 1));
                examples.last_mut().unwrap().command = command.to_owned();
                continue;
            }
            ("console" | "text", _) => true,
            ("sh", _) => false,
            (block, _) if block.starts_with("c ") => false,
            _ => continue,
        };
        let example = examples.last_mut().expect("a command comes first");
        let part = match printed {
            true => &mut example.shown,
            false => &mut example.command,
        };
        part.push_str(line);
        part.push('\n');
    }
    examples
}

/// The blocks that show files of the repository: name, and what is shown.
fn shown_files(text: &str) -> Vec<(&str, &str)> {
    let blocks = text.split("```rust ").skip(1);
    let files = blocks.map(|block| {
        let (name, rest) = block.split_once('\n').expect("a line with the name");
        let (file, _) = rest.split_once("```").expect("an end of the block");
        (name, file)
    });
    files.collect()
}

/// Whether a line is as shown, `…` being any text.
fn fits(shown: &str, line: &str) -> bool {
    let parts: Vec<&str> = shown.split('…').collect();
    let [first, middle @ .., last] = parts.as_slice() else {
        return shown == line;
    };
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Runs all examples of a file in one directory that looks like the root of
/// the repository.
fn check(name: &str, least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scratch = Scratch::new();
    for name in ["testdata", "include", "examples"] {
        symlink(root.join(name), scratch.path(name)).unwrap();
    }
    // What cargo has built beside the tests, whatever the profile.
    fs::create_dir_all(scratch.path("target/release")).unwrap();
    let built = util::binary("hyades").with_file_name("examples");
    symlink(built, scratch.path("target/release/examples")).unwrap();
    let cargo = r#"cargo() { case "$*" in
        "run -q --example "*) "./target/release/examples/$4" ;;
    esac; }"#;
    let text = fs::read_to_string(root.join(name)).unwrap();
    for (file, shown) in shown_files(&text) {
        let content = fs::read_to_string(root.join(file)).unwrap();
        assert_eq!(shown, content, "{name} does not show {file}");
    }
    let examples = examples(&text);
    assert!(examples.len() >= least, "{name} has too few examples");
    let mut wrong = String::new();
    for Example {
        line,
        command,
        shown,
    } in examples
    {
        let run = scratch.shell(&format!("{cargo}\nexec 2>&1\n{command}"));
        let text = String::from_utf8_lossy(&run.stdout);
        let same = shown.lines().count() == text.lines().count()
            && shown.lines().zip(text.lines()).all(|(s, t)| fits(s, t));
        if !same {
            wrong.push_str(&format!(
                "{name}:{line}: {command}\nshown:\n{shown}printed:\n{text}\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn readme() {
    check("README.md", 30);
}

#[test]
fn statistics() {
    check("docs/stats.md", 1);
}

#[test]
fn json() {
    check("docs/json.md", 4);
}

#[test]
fn classes() {
    check("docs/classes.md", 1);
}

#[test]
fn reductions() {
    check("docs/reduce.md", 4);
}

#[test]
fn channels() {
    check("docs/channels.md", 4);
}

#[test]
fn witnesses() {
    check("docs/witnesses.md", 4);
}

#[test]
fn aut() {
    check("docs/aut.md", 4);
}

#[test]
fn kernels() {
    check("docs/kernel.md", 3);
}

#[test]
fn test_suites() {
    check("docs/wmethod.md", 10);
}

#[test]
fn relabelling() {
    check("docs/relabel.md", 5);
}

#[test]
fn cadp() {
    check("docs/cadp.md", 4);
}

#[test]
fn bcg() {
    check("docs/bcg.md", 6);
}

#[test]
fn lts() {
    check("docs/lts.md", 6);
}

#[test]
fn traces() {
    check("docs/traces.md", 9);
}

#[test]
fn dot() {
    check("docs/dot.md", 6);
}

#[test]
fn fsm() {
    check("docs/fsm.md", 6);
}

#[test]
fn installing() {
    check("docs/install.md", 3);
}

#[test]
fn models() {
    check("docs/models.md", 14);
    let text = include_str!("../docs/models.md");
    assert_eq!(shown_files(text).len(), 3);
}

#[test]
fn symmetry() {
    check("docs/symmetry.md", 3);
}

#[test]
fn network_symmetry() {
    check("docs/network-symmetry.md", 9);
}

#[test]
fn temporal_logic() {
    check("docs/check.md", 14);
}

#[test]
fn refinement() {
    check("docs/refine.md", 8);
}

#[test]
fn scripts() {
    check("docs/svl.md", 10);
}

#[test]
fn suites() {
    check("docs/suites.md", 6);
}

#[test]
fn tables() {
    check("docs/tables.md", 5);
}

#[test]
fn patterns_fit_as_they_should() {
    assert!(fits("a", "a") && !fits("a", "ab") && !fits("", "a"));
    assert!(fits("a…c", "abbc") && fits("a…c", "ac") && !fits("a…c", "abcd"));
    assert!(fits("…b…d", "abcd") && !fits("…b…d", "adcb") && !fits("ab…b", "ab"));
}

#[test]
fn networks() {
    check("docs/networks.md", 9);
}
