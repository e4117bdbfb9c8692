//! What the fuzz targets check, on the inputs in `fuzz/corpus`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "../fuzz/src/lib.rs"]
mod targets;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

fn entries(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    entries.map(|entry| entry.expect("a name").path()).collect()
}

/// All inputs of a target, one after the other.
fn replay(target: &str) {
    let of_name = targets::TARGETS.iter().find(|(name, _)| *name == target);
    let (_, check) = of_name.expect("the target is in the list");
    let inputs = entries(&fuzz().join("corpus").join(target));
    assert!(!inputs.is_empty(), "{target} has no inputs");
    for input in inputs {
        // shown if what comes next panics
        println!("{}", input.display());
        check(&fs::read(&input).expect("an input is a file"));
    }
}

macro_rules! replays {
    ($($(#[$attribute:meta])* $target:ident)*) => {
        $($(#[$attribute])* #[test] fn $target() { replay(stringify!($target)) })*

        const REPLAYED: &[&str] = &[$(stringify!($target)),*];
    };
}

replays! {
    aut_reader
    bcg_reader
    #[cfg(feature = "columns")]
    columns_reader
    dot_reader
    fsm_reader
    labels
    lines_reader
    lts_reader
    mcf
    mcl
    network
    pattern
    rules
    sequence
    suite_reader
    svl
    symmetry
    system
    trace_reader
}

/// What the fuzzer runs, what is replayed and what has inputs is the same.
#[test]
fn no_target_is_forgotten() {
    let replayed: BTreeSet<String> = REPLAYED.iter().map(|name| name.to_string()).collect();
    let stems = |folder| -> BTreeSet<String> {
        let stem = |path: &PathBuf| {
            path.file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        };
        entries(&fuzz().join(folder)).iter().map(stem).collect()
    };
    assert_eq!(stems("fuzz_targets"), replayed);
    assert_eq!(stems("corpus"), replayed);
}

/// Few and small inputs, so that they are replayed in no time and do not swell
/// the repository.
#[test]
fn corpora_are_small() {
    let mut bytes = 0;
    for folder in entries(&fuzz().join("corpus")) {
        let inputs = entries(&folder);
        assert!(inputs.len() <= 60, "{}: {}", folder.display(), inputs.len());
        let sizes = inputs
            .iter()
            .map(|input| input.metadata().expect("a file").len());
        bytes += sizes.sum::<u64>();
    }
    assert!(bytes <= 500_000, "{bytes} bytes");
}
