//! The readers and writers of TSV and JSON Lines: see the README.

use super::*;
use hyades_formats::*;

fn options(bits: u8) -> ReadOptions {
    ReadOptions {
        mode: [Mode::Default, Mode::Strict, Mode::Lenient, Mode::Default][usize::from(bits & 3)],
        grow: bits & 4 != 0,
        hidden: if bits & 8 != 0 {
            vec![b"tau".to_vec(), b"b".to_vec()]
        } else {
            Vec::new()
        },
        max_line: if bits & 16 != 0 { 40 } else { 1 << 20 },
        ..ReadOptions::default()
    }
}

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((&bits, text)) = data.split_first() else {
        return;
    };
    if is_huge(text) || is_compressed(text) {
        return;
    }
    let format = match bits & 128 {
        0 => Format::Tsv,
        _ => Format::Jsonl,
    };
    let Some(lts) = read_in_all_ways(format, text, &options(bits)) else {
        return;
    };
    let write = WriteOptions::default();
    for to in [Format::Tsv, Format::Jsonl] {
        if let Some(out) = written(&lts, to, &write) {
            assert_same(&read_again(to, &out), &lts);
        }
    }
    // whatever the labels, XML is well-formed text or nothing
    if let Some(out) = written(&lts, Format::GraphMl, &write) {
        assert!(std::str::from_utf8(&out).is_ok());
    }
}
