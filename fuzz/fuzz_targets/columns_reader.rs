//! The readers and writers of Parquet and Arrow: see the README.
#![no_main]

use std::panic;
use std::sync::Once;

use hyades_formats::columns::{ArrowForm, Codec, WriteColumns, is_guarded};
use hyades_formats::*;
use libfuzzer_sys::fuzz_target;

fn read(format: Format, bytes: &[u8], stream: bool) -> (Option<Lts>, String) {
    let source = if stream {
        let reader = Box::new(std::io::Cursor::new(bytes.to_vec()));
        Source::from_reader("f", reader, Some(format))
    } else {
        Source::from_bytes("f", bytes.to_vec(), Some(format))
    };
    let mut told = String::new();
    let Ok(source) = source else {
        return (None, told);
    };
    match read_lts(source, &ReadOptions::default(), &mut |d| {
        told += &format!("{d}\n")
    }) {
        Ok(lts) => (Some(lts), told),
        Err(e) => (None, told + &e.to_string()),
    }
}

fn transitions(lts: &Lts) -> Vec<(u32, bool, &[u8], u32)> {
    lts.iter()
        .map(|(s, l, t)| (s.get(), l.is_hidden(), lts.table().text(l), t.get()))
        .collect()
}

/// Panics that the reader makes errors of are none to the fuzzer, whose hook
/// would abort.
fn tolerate_guarded_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_guarded() {
                hook(info);
            }
        }));
    });
}

fuzz_target!(|data: &[u8]| {
    tolerate_guarded_panics();
    let Some((&bits, bytes)) = data.split_first() else {
        return;
    };
    if Compression::from_content(bytes) != Compression::None {
        return;
    }
    let format = match bits & 1 {
        0 => Format::Parquet,
        _ => Format::Arrow,
    };
    let (lts, told) = read(format, bytes, false);
    let (other, told_other) = read(format, bytes, true);
    assert_eq!(told_other, told);
    assert_eq!(other.is_some(), lts.is_some());
    let Some(lts) = lts.filter(|lts| lts.states() < 1 << 20) else {
        return;
    };
    let columns = WriteColumns {
        codec: [
            None,
            Some(Codec::None),
            Some(Codec::Lz4),
            Some(Codec::Zstd),
        ][usize::from(bits >> 1 & 3)],
        form: match bits & 8 {
            0 => ArrowForm::File,
            _ => ArrowForm::Stream,
        },
    };
    let options = WriteOptions {
        columns,
        visible_i: Some(b"a visible i".to_vec()),
        ..WriteOptions::default()
    };
    let mut out = Vec::new();
    if write_lts(&lts, format, &mut out, &options, &mut |_| ()).is_ok() {
        let (again, told) = read(format, &out, false);
        let again = again.unwrap_or_else(|| panic!("{told}"));
        assert_eq!(
            (again.initial(), again.states()),
            (lts.initial(), lts.states())
        );
        if lts.table().find(b"i").is_none() {
            assert_eq!(transitions(&again), transitions(&lts));
        }
    }
});
