//! The table of crates in ARCHITECTURE.md is what cargo knows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The crates of the workspace that the one in a folder depends on, but for its tests.
fn dependencies(folder: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let (_, rest) = manifest.split_once("[dependencies]").unwrap_or_default();
    let section = rest.split("\n[").next().unwrap_or_default();
    let names = section.lines().filter_map(|line| {
        let name = line
            .strip_prefix("hyades-")?
            .split(['.', ' ', '='])
            .next()?;
        Some(name.to_owned())
    });
    names.collect()
}

/// The rows of the table that are about one layer: its folder, and what it uses.
fn rows(text: &str) -> Vec<(String, Vec<String>)> {
    let table = text
        .lines()
        .skip_while(|line| !line.starts_with("| crate in |"));
    let rows = table.skip(2).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let (first, last) = (cells.first()?, cells.last()?);
        let folder = first.trim_matches('`').trim_end_matches('/');
        let is_crate = folder == "formats" || folder.starts_with("src/");
        let uses = last.split(", ").filter(|name| *name != "–");
        let has_layers = root().join(folder).join("Cargo.toml").exists() && *last != "all";
        (is_crate && has_layers).then(|| (folder.to_owned(), uses.map(str::to_owned).collect()))
    };
    rows.filter_map(row).collect()
}

/// What a crate uses is what its manifest names, without what comes with that; rows stand below
/// what they use, and no layer is missing.
#[test]
fn the_table_of_crates_is_that_of_cargo() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    // Each crate with all that it uses, be it through others.
    let mut reached: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (folder, uses) in rows(&text) {
        let name = folder.trim_start_matches("src/").to_owned();
        let named = dependencies(&folder);
        for used in &named {
            assert!(
                reached.contains_key(used),
                "{folder} stands above {used}, which it uses"
            );
        }
        let through: BTreeSet<&String> = named.iter().flat_map(|used| &reached[used]).collect();
        let direct: BTreeSet<String> = named
            .iter()
            .filter(|used| !through.contains(used))
            .cloned()
            .collect();
        let shown: BTreeSet<String> = uses.into_iter().collect();
        assert_eq!(shown, direct, "what {folder} uses");
        let all = named.iter().cloned().chain(through.into_iter().cloned());
        let all = all.collect();
        reached.insert(name, all);
    }
    let folders = fs::read_dir(root().join("src")).unwrap();
    for folder in folders.map(|entry| entry.unwrap().path()) {
        if folder.join("Cargo.toml").exists() {
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            let known = reached.contains_key(&name) || name == "cli";
            assert!(known, "ARCHITECTURE.md does not have src/{name}");
        }
    }
}
