//! What the fuzz targets check, on the inputs in `fuzz/corpus`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hyades_testing::Random;

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
    kiss2_reader
    labels
    lines_reader
    lts_reader
    mcf
    mcl
    network
    pattern
    plts_reader
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

/// Texts of a language among the test data and the inputs, with bytes changed, left out,
/// doubled and exchanged, and with pieces of one another. `HYADES_MUTATIONS=1000000` makes
/// so many of each language.
#[test]
fn damaged_texts_of_languages() {
    let wanted = std::env::var("HYADES_MUTATIONS");
    let wanted: usize = wanted.map_or(2000, |n| n.parse().expect("a number"));
    let data = fuzz().join("../testdata");
    for (target, folder, ending) in [
        ("mcl", "check", "mcl"),
        ("mcf", "check", "mcf"),
        ("svl", "svl", "svl"),
        ("network", "networks", "exp"),
    ] {
        let of_name = targets::TARGETS.iter().find(|(name, _)| *name == target);
        let (_, check) = of_name.expect("the target is in the list");
        let is_of_language = |path: &PathBuf| path.extension().is_some_and(|e| e == ending);
        let own = entries(&data.join(folder));
        let own = own.into_iter().filter(is_of_language);
        let inputs = entries(&fuzz().join("corpus").join(target));
        let seeds: Vec<Vec<u8>> = own
            .chain(inputs)
            .map(|path| fs::read(path).expect("an input is a file"))
            .filter(|seed| (1..4000).contains(&seed.len()))
            .collect();
        assert!(seeds.len() > 10, "{target}: {}", seeds.len());
        for number in 0..wanted {
            let input = damaged(&seeds, &mut Random::new(number as u64));
            let result = std::panic::catch_unwind(|| check(&input));
            assert!(result.is_ok(), "{target}: {}", input.escape_ascii());
        }
    }
}

/// A damaged text.
fn damaged(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    const SYMBOLS: &[u8] = b"()[]{}<>|&!?.,;:=+-*/%\"'\\ \n\t\0#$@^~_0aZ\xc3\xff";
    let any = |random: &mut Random, count: usize| random.between(0, count - 1);
    let mut text = seeds[any(random, seeds.len())].clone();
    for _ in 0..random.between(1, 6) {
        if text.is_empty() {
            break;
        }
        let at = any(random, text.len());
        let end = (at + random.between(1, 12)).min(text.len());
        match random.between(0, 6) {
            0 => drop(text.drain(at..end)),
            1 => text[at] = SYMBOLS[any(random, SYMBOLS.len())],
            2 => text.insert(at, SYMBOLS[any(random, SYMBOLS.len())]),
            3 => {
                let piece = text[at..end].to_vec();
                text.splice(at..at, piece);
            }
            4 => {
                let other = any(random, text.len());
                text.swap(at, other);
            }
            5 => text.truncate(at),
            _ => {
                let other = &seeds[any(random, seeds.len())];
                let from = any(random, other.len());
                let to = (from + random.between(1, 40)).min(other.len());
                text.splice(at..at, other[from..to].iter().copied());
            }
        }
    }
    text
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
