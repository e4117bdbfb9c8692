//! Files that are damaged: no panic, and no memory beyond what their size
//! justifies.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::*;

fn sample(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/bcg");
    fs::read(folder.join(name)).unwrap()
}

fn read_in_every_mode(bytes: &[u8]) -> bool {
    let read = |mode| {
        let options = ReadOptions {
            mode,
            ..ReadOptions::default()
        };
        let (read, _) = read_as(bytes, &options);
        if let Some((lts, _)) = &read {
            // the columns are those of an LTS
            assert!(lts.offsets().iter().is_sorted());
            assert!(lts.targets().iter().all(|t| t.index() < lts.states()));
            assert!(lts.labels().iter().all(|l| l.index() < lts.table().len()));
        }
        read.is_some()
    };
    let strict = read(Mode::Strict);
    let usual = read(Mode::Default);
    let lenient = read(Mode::Lenient);
    assert!((!strict || usual) && (!usual || lenient));
    lenient
}

#[test]
fn a_file_that_ends_early_is_refused() {
    for name in ["abp.bcg", "test_1_strong.bcg"] {
        let bytes = sample(name);
        for len in 0..bytes.len() {
            assert!(!read_in_every_mode(&bytes[..len]), "{name} up to {len}");
        }
    }
}

#[test]
fn changed_bytes_do_no_harm() {
    for name in ["abp.bcg", "test_7_hsa_obe.bcg", "test_1_strong.bcg"] {
        let mut bytes = sample(name);
        for at in 0..bytes.len() {
            for flip in [0xff, [0x01, 0x10, 0x80][at % 3]] {
                bytes[at] ^= flip;
                read_in_every_mode(&bytes);
                bytes[at] ^= flip;
            }
        }
    }
}

proptest! {
    #[test]
    fn random_bytes(tail in prop::collection::vec(any::<u8>(), 0..600), old in any::<bool>()) {
        let head = if old { [1, 0, 0] } else { [1, 2, 0] };
        read_in_every_mode(&[&head[..], &tail].concat());
    }

    #[test]
    fn random_sections(
        number in 0..SECTIONS,
        content in prop::collection::vec(any::<u8>(), 0..60),
        at in any::<prop::sample::Index>(),
    ) {
        let mut sections = sections_of(&sample("test_7_hsa_obe.bcg"));
        let at = at.index(sections[number].len());
        sections[number].truncate(at);
        sections[number].extend(content);
        read_in_every_mode(&with_sections(&sections));
    }
}
