//! What is written in a dialect is read in the same one as it was.

use crate::common;

use common::{lts, read_format, transitions, written_in};
use hyades_formats::*;
use proptest::prelude::*;

const LABELS: [&[u8]; 5] = [b"HIDDEN", b"i", b"tau", b"a", b"tau(1)"];

proptest! {
    /// In every format: hidden stays hidden, visible stays visible, or the writer refuses.
    #[test]
    fn a_format_hides_what_it_has_written(
        labels in prop::collection::vec(0..LABELS.len(), 0..6),
        renames in any::<bool>(),
    ) {
        let steps: Vec<_> = (0u32..).zip(labels).map(|(at, k)| (at, LABELS[k], at + 1)).collect();
        let chain = lts(0, steps.len() as u64 + 1, &steps);
        // Parts in folders have no text for the hidden action, and KISS2 has pairs only.
        let is_file = |f: &Format| {
            f.is_input() && f.is_writable() && !f.is_folder() && *f != Format::Kiss2
        };
        for format in Format::ALL.into_iter().filter(is_file) {
            for dialect in [None, Some(Dialect::Cadp), Some(Dialect::Mcrl2)] {
                let write = WriteOptions {
                    dialect,
                    visible_i: renames.then(|| b"x".to_vec()),
                    ..WriteOptions::default()
                };
                let bytes = match written_in(format, &chain, &write) {
                    Ok(bytes) => bytes,
                    Err(codes) => {
                        prop_assert!(codes.iter().all(|code| *code == "label-like-hidden"));
                        continue;
                    }
                };
                let read = ReadOptions { dialect, ..ReadOptions::default() };
                let (again, seen) = read_format(format, &bytes, &read);
                let again = transitions(&again.unwrap());
                let mut expected = transitions(&chain);
                prop_assert_eq!(again.len(), expected.len());
                for (old, new) in expected.iter_mut().zip(&again) {
                    let is_alike = [&b"i"[..], b"tau"].contains(&&old.1[..]);
                    if renames && is_alike && new.1 == b"x" {
                        old.1.clone_from(&new.1);
                    }
                }
                prop_assert_eq!(again, expected, "{} {:?} {:?}", format, dialect, seen);
            }
        }
    }
}
