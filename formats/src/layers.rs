//! Modules import one another in one direction.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder and of those in it, but those of tests.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let of_entry = |path: PathBuf| match path.file_stem().unwrap().to_str().unwrap() {
        "tests" | "layers" => Vec::new(),
        _ if path.is_dir() => files(&path),
        _ => vec![path],
    };
    entries.flat_map(of_entry).collect()
}

/// The modules of the crate that a text names, its comments and tests left out.
fn named_in(text: &str) -> BTreeSet<String> {
    let (text, _) = text
        .split_once("#[cfg(test)]\nmod tests {")
        .unwrap_or((text, ""));
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line));
    let code: Vec<&str> = code.collect();
    let code = code.join("\n");
    let paths = code.split("crate::").skip(1);
    let end = |path: &str| path.find(|c: char| !c.is_alphanumeric() && c != '_');
    let module = |path: &str| path[..end(path).unwrap_or(path.len())].to_owned();
    paths.map(module).collect()
}

#[test]
fn modules_do_not_import_one_another_in_circles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files(&root) {
        let within = file.strip_prefix(&root).unwrap().with_extension("");
        let module = within.iter().next().unwrap().to_str().unwrap().to_owned();
        if module == "lib" {
            continue;
        }
        let mut named = named_in(&fs::read_to_string(&file).unwrap());
        // what the macro of this name expands to stands in `names`
        if named.remove("named") && module != "names" {
            named.insert("names".into());
        }
        named.remove(&module);
        imports.entry(module).or_default().extend(named);
    }
    // `crate::Format` would hide where it comes from
    let all: BTreeSet<String> = imports.keys().cloned().collect();
    for (module, named) in &imports {
        let others: Vec<_> = named
            .difference(&all)
            .filter(|n| *n != "UnknownName")
            .collect();
        assert!(
            others.is_empty(),
            "{module} names {others:?}, which are no modules"
        );
    }
    assert!(imports["aut"].contains("lines") && imports.len() > 30);
    loop {
        let left: BTreeSet<String> = imports.keys().cloned().collect();
        imports.retain(|_, named| named.iter().any(|n| left.contains(n)));
        if imports.len() == left.len() {
            break;
        }
    }
    assert!(imports.is_empty(), "a circle in or above {imports:#?}");
}
