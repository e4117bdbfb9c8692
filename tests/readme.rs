//! What the documentation shows is what happens.
//!
//! In a block marked `console`, a line `$ …` begins a command, and the lines up
//! to the next one are all that it prints, on both outputs. A block marked `sh`
//! is a command as a whole; what it prints follows in a block marked `text`.
//! A block marked `c NAME` is a file of that name; one marked `rust NAME` shows a
//! file of this repository. `…` in what is printed stands for any text within a
//! line.
//!
//! In a table whose last column is called `here`, the commands in that column are run:
//! code that begins with the name of a command, and has no `…`. Nothing may be warned
//! of, and the status is 0 or 1. Where a command is followed by a colon and more code,
//! that is the first line it prints.

use crate::util;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use util::{COMMANDS, Run, Scratch};

/// A command and what it is said to print.
#[derive(Default)]
struct Example {
    line: usize,
    command: String,
    shown: Shown,
}

/// What is shown of what a command prints.
enum Shown {
    All(String),
    /// In a table, the first line at most.
    First(Option<String>),
}

impl Default for Shown {
    fn default() -> Self {
        Self::All(String::new())
    }
}

impl Shown {
    /// Whether this was printed.
    fn is(&self, run: &Run, printed: &str) -> bool {
        match self {
            Self::All(shown) => {
                shown.lines().count() == printed.lines().count()
                    && shown.lines().zip(printed.lines()).all(|(s, p)| fits(s, p))
            }
            Self::First(line) => {
                let said = ["error:", "warning:"].iter().any(|s| printed.contains(s));
                let first = printed.lines().next().unwrap_or_default();
                let as_shown = line.as_ref().is_none_or(|line| fits(line, first));
                matches!(run.status.code(), Some(0 | 1)) && !said && as_shown
            }
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::All(text) => text,
            Self::First(line) => line.as_deref().unwrap_or("(no error, no warning)"),
        }
    }
}

impl Example {
    fn at(line: usize) -> Self {
        Self {
            line,
            ..Self::default()
        }
    }

    fn show(&mut self, line: &str) {
        let Shown::All(text) = &mut self.shown else {
            panic!("line {}: a block begins with a command", self.line);
        };
        text.push_str(line);
        text.push('\n');
    }
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut block = "";
    let mut in_table = false;
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
        if block.is_empty() {
            in_table = line.starts_with('|') && (in_table || line.ends_with("| here |"));
            if in_table {
                examples.extend(commands_of_row(number + 1, line));
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
        if printed {
            example.show(line);
        } else {
            example.command.push_str(line);
            example.command.push('\n');
        }
    }
    examples
}

/// The commands in the last column of a row of a table.
fn commands_of_row(number: usize, row: &str) -> Vec<Example> {
    // In a table, a bar that ends no cell has a backslash in front.
    let row = row.replace("\\|", "\0");
    let cell = row.trim_end_matches('|').rsplit('|').next().unwrap_or("");
    let cell = cell.replace('\0', "|");
    // Text and code alternate.
    let parts: Vec<&str> = cell.split('`').collect();
    let mut examples = Vec::new();
    for (at, &code) in parts.iter().enumerate().skip(1).step_by(2) {
        let (name, rest) = code.split_once(' ').unwrap_or((code, ""));
        let known = name == "hyades" || COMMANDS.contains(&name);
        if known && !rest.is_empty() && !code.contains('…') {
            let answered = parts.get(at + 1) == Some(&": ");
            let line = parts.get(at + 2).filter(|_| answered);
            examples.push(Example {
                line: number,
                command: code.to_owned(),
                shown: Shown::First(line.map(|line| line.to_string())),
            });
        }
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

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A directory that looks like the root of the repository.
fn copy_of_root() -> Scratch {
    let scratch = Scratch::new();
    for name in ["testdata", "include", "examples"] {
        symlink(root().join(name), scratch.path(name)).unwrap();
    }
    // What cargo has built beside the tests, whatever the profile.
    fs::create_dir_all(scratch.path("target/release")).unwrap();
    let built = util::binary("hyades").with_file_name("examples");
    symlink(built, scratch.path("target/release/examples")).unwrap();
    scratch
}

/// Runs all examples of a page in one directory.
fn check(name: &str, least: usize) {
    let scratch = copy_of_root();
    let cargo = r#"cargo() { case "$*" in
        "run -q --example "*) "./target/release/examples/$4" ;;
    esac; }"#;
    let text = fs::read_to_string(root().join(name)).unwrap();
    for (file, shown) in shown_files(&text) {
        let content = fs::read_to_string(root().join(file)).unwrap();
        assert_eq!(shown, content, "{name} does not show {file}");
    }
    if name == "docs/cluster.md" && !cfg!(feature = "cluster") {
        return;
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
        let printed = String::from_utf8_lossy(&run.stdout);
        if !shown.is(&run, &printed) {
            wrong.push_str(&format!(
                "{name}:{line}: {command}\nshown:\n{}\nprinted:\n{printed}\n",
                shown.text()
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The pages, each with the name of its test and the least number of its examples.
macro_rules! pages {
    ($($test:ident: $page:literal, $least:literal;)*) => {
        const PAGES: &[&str] = &[$($page),*];

        $(
            #[test]
            fn $test() {
                check($page, $least);
            }
        )*
    };
}

pages! {
    readme: "README.md", 9;
    aut: "docs/aut.md", 4;
    bcg: "docs/bcg.md", 7;
    cadp: "docs/cadp.md", 5;
    channels: "docs/channels.md", 4;
    classes: "docs/classes.md", 1;
    cluster: "docs/cluster.md", 2;
    columns: "docs/columns.md", 0;
    comparing: "docs/equiv.md", 7;
    describing: "docs/describe.md", 5;
    dot: "docs/dot.md", 6;
    drawing: "docs/draw.md", 4;
    exploring: "docs/reach.md", 16;
    external: "docs/external.md", 4;
    files: "docs/formats.md", 18;
    fsm: "docs/fsm.md", 6;
    from_cadp: "docs/from-cadp.md", 40;
    from_fdr: "docs/from-fdr.md", 25;
    from_learnlib: "docs/from-learnlib.md", 20;
    from_mcrl2: "docs/from-mcrl2.md", 40;
    generating: "docs/generate.md", 6;
    glossary: "docs/glossary.md", 0;
    graphml: "docs/graphml.md", 1;
    guide: "docs/README.md", 0;
    installing: "docs/install.md", 3;
    json: "docs/json.md", 4;
    json_lines: "docs/jsonl.md", 2;
    kernels: "docs/kernel.md", 4;
    kiss2: "docs/kiss2.md", 8;
    library: "docs/library.md", 2;
    limits: "docs/limits.md", 3;
    lts: "docs/lts.md", 6;
    minimizing: "docs/minimize.md", 3;
    models: "docs/models.md", 14;
    network_symmetry: "docs/network-symmetry.md", 8;
    networks: "docs/networks.md", 9;
    outputs: "docs/outputs.md", 1;
    partitioned: "docs/plts.md", 8;
    plugins: "docs/plugins.md", 8;
    python: "docs/python.md", 0;
    reductions: "docs/reduce.md", 4;
    refinement: "docs/refine.md", 8;
    relabelling: "docs/relabel.md", 6;
    relations: "docs/relations.md", 8;
    scripts: "docs/svl.md", 10;
    statistics: "docs/stats.md", 1;
    suites: "docs/suites.md", 6;
    symmetry: "docs/symmetry.md", 3;
    tables: "docs/tables.md", 4;
    temporal_logic: "docs/check.md", 14;
    test_suites: "docs/wmethod.md", 12;
    tour: "docs/tour.md", 15;
    traces: "docs/traces.md", 9;
    tsv: "docs/tsv.md", 2;
    witnesses: "docs/witnesses.md", 4;
}

/// The pages in `docs/`, but for the table of contents.
fn pages_in_docs() -> BTreeSet<String> {
    let entries = fs::read_dir(root().join("docs")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = names.filter(|name| name.ends_with(".md") && name != "SUMMARY.md");
    pages.collect()
}

/// The sections and pages that an index has, without what it says of them.
fn entries_of_index(text: &str) -> Vec<String> {
    let entry = |line: &str| {
        if line.starts_with('#') {
            return Some(line.trim_start_matches('#').to_owned());
        }
        let end = line
            .trim_start()
            .starts_with("- [")
            .then(|| line.find(".md)"))??;
        Some(line[..end].to_owned())
    };
    text.lines().skip(1).filter_map(entry).collect()
}

/// A new page is run here, and found from the guide. The table of contents of the book is the
/// guide without what it says of the pages.
#[test]
fn every_page_is_run_and_found() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let entries = entries_of_index(&read("docs/README.md"));
    assert_eq!(entries, entries_of_index(&read("docs/SUMMARY.md")));
    for page in pages_in_docs() {
        let name = format!("docs/{page}");
        assert!(PAGES.contains(&name.as_str()), "{name} is not run");
        let stem = page.trim_end_matches(".md");
        let found = entries
            .iter()
            .filter(|entry| entry.ends_with(&format!("]({stem}")));
        let expected = usize::from(page != "README.md");
        assert_eq!(found.count(), expected, "docs/README.md and {page}");
    }
}

#[test]
fn models_are_shown() {
    let text = fs::read_to_string(root().join("docs/models.md")).unwrap();
    assert_eq!(shown_files(&text).len(), 3);
}

#[test]
fn readme_is_short_and_as_measured() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let (readme, benchmarks) = (read("README.md"), read("BENCHMARKS.md"));
    assert!(readme.lines().count() <= 150);
    let rows: Vec<&str> = readme.lines().filter(|row| row.ends_with(" s |")).collect();
    assert!(rows.len() >= 3);
    for row in rows {
        let row = row.trim_end_matches('|');
        let found = benchmarks.lines().any(|line| line.starts_with(row));
        assert!(found, "BENCHMARKS.md has no row {row}");
    }
}

/// The pictures in README.md and docs/draw.md are what the commands draw.
#[test]
fn pictures_are_fresh() {
    let scratch = copy_of_root();
    let (a, b) = ("testdata/late.aut", "testdata/early.aut");
    let run = scratch.run("equiv", &["--spectrum", a, b, "-o", "spectrum.svg"]);
    run.ok();
    let run = scratch.run("draw", &["testdata/vending.aut", "-o", "vending.svg"]);
    run.ok();
    for picture in ["spectrum.svg", "vending.svg"] {
        let kept = fs::read_to_string(root().join("docs").join(picture)).unwrap();
        assert_eq!(scratch.read(picture), kept, "{picture}");
    }
}

#[test]
fn patterns_fit_as_they_should() {
    assert!(fits("a", "a") && !fits("a", "ab") && !fits("", "a"));
    assert!(fits("a…c", "abbc") && fits("a…c", "ac") && !fits("a…c", "abcd"));
    assert!(fits("…b…d", "abcd") && !fits("…b…d", "adcb") && !fits("ab…b", "ab"));
}

#[test]
fn commands_are_found_in_tables() {
    let text = "\
| there | here |
|---|---|
| `x` | `equiv a b`: `TRUE`, or `reach x \\| describe`; `-v`, `reach …`, `reach` |

| other | table |
|---|---|
| `x` | `equiv a b` |
";
    let found: Vec<(String, Option<String>)> = examples(text)
        .into_iter()
        .map(|example| match example.shown {
            Shown::First(line) => (example.command, line),
            Shown::All(_) => unreachable!("there is no block"),
        })
        .collect();
    let first = ("equiv a b".to_owned(), Some("TRUE".to_owned()));
    assert_eq!(found, [first, ("reach x | describe".to_owned(), None)]);
}

/// The target of each link in a text: what stands in `](…)`, outside of code.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_block = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        }
        if in_block {
            continue;
        }
        // Code in a line is every other part between backquotes.
        let prose: Vec<&str> = line.split('`').step_by(2).collect();
        for part in prose.join("").split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            found.push((number + 1, target.to_owned()));
        }
    }
    found
}

/// The anchors that the headings of a text get, on GitHub and in the book.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut in_block = false;
    let headings = text.lines().filter(|line| {
        in_block ^= line.starts_with("```");
        !in_block && line.starts_with('#')
    });
    let anchor = |line: &str| -> String {
        let kept = |c: char| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            c => c.is_alphanumeric().then(|| c.to_ascii_lowercase()),
        };
        let title = line.trim_start_matches('#').trim();
        title.chars().filter_map(kept).collect()
    };
    headings.map(anchor).collect()
}

/// What a link of a page leads to, if it is not there.
fn broken(page: &Path, target: &str) -> Option<PathBuf> {
    if target.starts_with("https://") || target.starts_with("http://") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = match file {
        "" => page.to_owned(),
        file => page.parent().expect("a file").join(file),
    };
    if !path.exists() {
        return Some(path);
    }
    let there = anchor.is_empty() || {
        let text = fs::read_to_string(&path).expect("a page with headings");
        anchors(&text).contains(anchor)
    };
    (!there).then(|| path.join(format!("#{anchor}")))
}

#[test]
fn links_lead_somewhere() {
    let mut pages: Vec<PathBuf> = [
        "ARCHITECTURE.md",
        "BENCHMARKS.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "README.md",
        "SECURITY.md",
        "docs/SUMMARY.md",
        "fuzz/README.md",
        "testdata/README.md",
    ]
    .map(|page| root().join(page))
    .into();
    pages.extend(
        pages_in_docs()
            .iter()
            .map(|page| root().join("docs").join(page)),
    );
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for (line, target) in links(&text) {
            count += 1;
            if let Some(missing) = broken(&page, &target) {
                wrong.push(format!("{}:{line}: {}", page.display(), missing.display()));
            }
        }
    }
    assert!(count > 250, "only {count} links were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn links_and_anchors_are_found() {
    let text = "# A `b`: the C–D\n[x](y.md) `[no](code)`\n```\n[no](block)\n# no\n```\n## e_f, g\n";
    assert_eq!(links(text), [(2, "y.md".to_owned())]);
    let expected = ["a-b-the-cd", "e_f-g"].map(String::from);
    assert_eq!(anchors(text), BTreeSet::from(expected));
}
