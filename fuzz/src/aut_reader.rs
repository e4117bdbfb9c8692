//! The AUT reader and writer: see the README.

use super::*;
use hyades_formats::*;

fn options(bits: u8) -> ReadOptions {
    ReadOptions {
        mode: [Mode::Default, Mode::Strict, Mode::Lenient, Mode::Default][usize::from(bits & 3)],
        grow: bits & 4 != 0,
        escapes: if bits & 8 != 0 {
            Escapes::Ltsmin
        } else {
            Escapes::None
        },
        hidden: if bits & 16 != 0 {
            vec![b"tau".to_vec(), b"b".to_vec()]
        } else {
            Vec::new()
        },
        max_line: if bits & 32 != 0 { 40 } else { 1 << 20 },
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
    let Some(lts) = read_in_all_ways(Format::Aut, text, &options(bits)) else {
        return;
    };
    for quote in [Quote::Needed, Quote::Always] {
        let write = WriteOptions {
            quote,
            ..WriteOptions::default()
        };
        if let Some(out) = written(&lts, Format::Aut, &write) {
            assert_same(&read_again(Format::Aut, &out), &lts);
        }
    }
    let canonical = WriteOptions {
        canonical: true,
        ..WriteOptions::default()
    };
    if let Some(once) = written(&lts, Format::Aut, &canonical) {
        let again = read_again(Format::Aut, &once);
        let twice = written(&again, Format::Aut, &canonical).expect("as before");
        assert_eq!(
            once.escape_ascii().to_string(),
            twice.escape_ascii().to_string()
        );
    }
}
